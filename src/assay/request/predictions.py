"""What may be asked about predictions: their columns or arrays, what the rows are, how to decide, what to show.

What is asked about predictions and cannot be had together.

A card: what is said of a model beside what can be measured, in fields that have names.

The front door of Python: explicit keywords, and a helpful word about any other.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, ParamSpec, TypedDict, TypeVar

import numpy as np

from assay.errors import OptionError, UnknownOption
from assay.request.evidence import ReduceRequest
from assay.request.option import Asked, named_texts, option, unknown_option
from assay.request.option import target as file_target
from assay.request.toml import toml_of
from assay.request.values import (
    DEFAULT_MEMORY,
    checked_between,
    checked_choice,
    checked_classes,
    checked_encoding,
    checked_level,
    checked_memory,
    checked_number,
    checked_positive,
    checked_seed,
    checked_threshold,
    checked_whole,
)

__all__ = [
    "CARD_FIELDS",
    "CARD_SAID",
    "DEFAULT_LEVEL",
    "DEFAULT_SEED",
    "DRAWN",
    "FORMS",
    "SOURCES",
    "Card",
    "ColumnsOptions",
    "CompareOptions",
    "EvaluateOptions",
    "GateOptions",
    "ReduceOptions",
    "Request",
    "checked_card",
    "front_door",
    "refuse_contradictions",
    "usual_floats",
]


# What a curve can be of besides two measures; a mean is of cross-validation folds.
DRAWN = (
    *("measures", "roc", "precision-recall", "gain", "lift", "det", "ks", "reject", "cost", "cost-weights", "risk"),
    *("decision", "densities", "binormal", "smooth", "average"),
)


def refuse_contradictions(asked: Request) -> None:
    """Refuse options of which one leaves nothing for the other to say."""
    if asked.format != "table" and asked.style != "assay":
        raise OptionError(
            f"style is {asked.style!r}, but format is {asked.format!r}", "only one of them: a style is a text layout"
        )
    if asked.full and (asked.format, asked.style) != ("table", "assay"):
        raise OptionError("full applies only to Assay's own table, but another format is requested", "only one of them")
    without = asked.html is None and asked.kind != "risk"
    if asked.amount is not None and without and (asked.format == "csv" or asked.style != "assay"):
        form = f"format is {asked.format!r}" if asked.format == "csv" else f"style is {asked.style!r}"
        found = f"amount adds a risk chart, but {form}, which has none"
        raise OptionError(found, "table, markdown, latex, json or html", about="amount")
    axes = [name[0] for name in ("x_axis", "y_axis") if name in asked.given]
    if axes and asked.kind != "measures":
        found = f"{axes[0]} does not apply to kind {asked.kind!r}, which has fixed axes"
        raise OptionError(found, "only one of them", about=(axes[0], "kind"))
    if asked.card is not None and asked.html is None and (asked.format == "csv" or asked.style != "assay"):
        raise OptionError("card is given, but this format has only measures", "another format", about="card")


# What the notes on choosing a classifier ask beside accuracy, and what a model card states (Mitchell et al. 2019).
CARD_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "name": "Name",
        "version": "Version",
        "date": "Date",
        "owner": "Owner",
        "contact": "Contact",
        "licence": "Licence",
        "citation": "Citation",
        "intended_use": "Intended use",
        "out_of_scope": "Out-of-scope use",
        "training_data": "Training data",
        "training_speed": "Training speed",
        "use_speed": "Prediction speed",
        "model_size": "Model size",
        "robustness": "Robustness",
        "scalability": "Scalability",
        "interpretability": "Interpretability",
        "availability": "Availability",
        "trust": "Trust",
        "bias": "Qualitative bias",
        "ethics": "Ethical considerations",
        "caveats": "Caveats",
    }
)
CARD_SAID = "As stated by the author of the card; not measured or checked by Assay."
LONGEST, LARGEST = 2_000, 200_000  # characters of a field, bytes of a file
# Fields of one model by name, or such cards by the names of models.
Card = Mapping[str, Any]


def checked_card(value: Any, name: str = "card") -> Card:
    """The fields of a card as texts, from a TOML or JSON file or a mapping; for several models a card for each by name.

    >>> dict(checked_card({"interpretability": "a tree of 8 leaves", "trust": ["audited", 2031]}))
    {'interpretability': 'a tree of 8 leaves', 'trust': 'audited; 2031'}
    >>> checked_card({"interpretabilty": "high"})
    Traceback (most recent call last):
    assay.errors.UnknownOption: unknown card field 'interpretabilty'; did you mean interpretability?
    """
    said = _read_card(value, name) if isinstance(value, str | PathLike) else value
    if not isinstance(said, Mapping) or not said:
        raise OptionError(
            f"{name} is {str(value)[:80]!r}", "a mapping of card fields, or a TOML or JSON file of them", about=name
        )
    if all(isinstance(each, Mapping) for each in said.values()):
        return MappingProxyType({str(model): _card_fields(each, name) for model, each in said.items()})
    return _card_fields(said, name)


def _card_fields(said: Mapping[Any, Any], name: str) -> Card:
    found = {}
    for key, value in said.items():
        if key not in CARD_FIELDS:
            near = difflib.get_close_matches(str(key), CARD_FIELDS, n=1)
            shown = f"unknown card field {str(key)[:60]!r}"
            if near:
                raise UnknownOption(f"{shown}; did you mean {near[0]}?")
            raise UnknownOption(shown, f"one of {', '.join(CARD_FIELDS)}")
        found[str(key)] = _card_text(value, str(key), name)
    if not found:
        raise OptionError(f"{name} is empty", f"some of {', '.join(CARD_FIELDS)}", about=name)
    return MappingProxyType({key: found[key] for key in CARD_FIELDS if key in found})


def _card_text(value: Any, key: str, name: str) -> str:
    each = value if isinstance(value, list | tuple) else [value]
    # Dates are what TOML makes of a date that is not in quotes.
    plain = all(isinstance(one, str | int | float) or hasattr(one, "isoformat") for one in each)
    text = "; ".join(str(one).strip() for one in each) if plain else ""
    if not text:
        raise OptionError(f"{key} of {name} is {str(value)[:60]!r}", "a string, a number or a list of them", about=name)
    if len(text) > LONGEST:
        raise OptionError(f"{key} of {name} has {len(text):,} characters", f"at most {LONGEST:,}", about=name)
    return text


def _read_card(path: str | PathLike[str], name: str) -> Any:
    file = Path(path)
    readers: dict[str, Callable[[str], Any]] = {".toml": toml_of, ".json": json.loads}
    if file.suffix.lower() not in readers:
        raise OptionError(f"{name} is {str(path)[:80]!r}", "a file that ends in .toml or .json", about=name)
    try:
        if file.stat().st_size > LARGEST:
            raise OptionError(f"{name} {str(path)[:80]!r} is too large", f"at most {LARGEST:,} bytes", about=name)
        return readers[file.suffix.lower()](file.read_text(encoding="utf-8"))
    except OptionError:
        raise
    except FileNotFoundError:
        raise OptionError(f"{name}: there is no file {str(path)[:80]!r}", "the path of a card", about=name) from None
    except (OSError, ValueError, RecursionError) as error:
        why = str(error).split("\n")[0][:120]
        raise OptionError(f"{name} {file.name[:80]!r} cannot be read: {why}", "TOML or JSON", about=name) from None


DEFAULT_LEVEL, DEFAULT_SEED = 0.95, 0

# The kinds of source, and what a sentence calls them.
SOURCES = {
    "arrays": "arrays",
    "frame": "a data frame",
    "file": "a file",
    "files": "several files",
    "estimator": "a fitted classifier",
    "predictions": "Predictions",
    "evaluations": "evaluations",
    "evidence": "evidence",
}
TABLES = ("frame", "file", "files")
ROWS = (*TABLES, "arrays", "estimator")
EVERY = tuple(SOURCES)
REDUCE = "reduce"
READING = ("evaluate", "compare", "threshold", "check", "pool")
OF_COLUMNS = (*READING, "columns")
SHOWING = ("evaluate", "compare", "threshold", "check", "pool", "demo")
# A curve reads scores alone: what labels are, who depends on whom and what is drawn by chance change nothing in it.
CURVE = "curve"
PAST_MEMORY = ("evaluate", "compare", "threshold", "check", CURVE)
MISSING = dict.fromkeys((*READING, CURVE, REDUCE), ("refuse", "drop")) | {"compare": ("refuse", "drop", "pairwise")}
MARKS = (",", ".")
FORMS = ("table", "json", "csv", "markdown", "latex")
FORMATS = {**dict.fromkeys((*SHOWING, "columns", CURVE), FORMS), "check": (*FORMS, "junit")}
STYLES = ("assay", "weka", "weka-3.6", "caret")
# What to do instead, where a source cannot use what was given beside it.
INSTEAD = {
    "arrays": "an array of values; column names apply to data frames and files",
    "frame": "the name of a column of it",
    "file": "the name of a column of it",
    "files": "the name of a column of theirs",
    "estimator": "an array, in addition to X and y",
    "predictions": "this option passed to Predictions, which store rows and class names",
    "evaluations": "this option passed when the evaluations are made",
    "evidence": "this option passed to assay.reduce, which makes evidence from the rows",
}
IN_MEMORY = dict.fromkeys(INSTEAD, "a file to read; this data is in memory already")


def _column_option(help: str, *others: str, **facts: Any) -> Any:  # noqa: A002
    return option(help, commands=(*OF_COLUMNS, *others), sources=TABLES, **facts)


def _file_option(help: str, **facts: Any) -> Any:  # noqa: A002
    return option(help, commands=(*OF_COLUMNS, CURVE, REDUCE), sources=("file", "files"), instead=IN_MEMORY, **facts)


def _out_of_core_option(help: str, **facts: Any) -> Any:  # noqa: A002
    """What is said of tables that may not fit into memory."""
    idle = dict.fromkeys(
        (*TABLES, *PAST_MEMORY, REDUCE), "no effect on data that fit into memory, which are evaluated exactly"
    )
    usual = {"commands": PAST_MEMORY, "sources": ("file", "frame"), "idle": idle}
    return option(help, instead=IN_MEMORY, **{**usual, **facts})


def _row_option(help: str, *others: str, **facts: Any) -> Any:  # noqa: A002
    """What rows are: the name of a column, or one value for each case."""
    return option(help, commands=(*OF_COLUMNS, *others), sources=ROWS, kind="array", **facts)


def _array_option(help: str, *sources: str, **facts: Any) -> Any:  # noqa: A002
    return option(help, sources=sources, kind="array", **facts)


def _evaluation_option(help: str, *commands: str, **facts: Any) -> Any:  # noqa: A002
    return option(help, commands=commands, **facts)


def _checked_label(value: Any, name: str) -> str:
    return str(value)


def _column_name(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{name} is a {type(value).__name__}", "the name of a column, as a text", about=name)
    return value


def _path_text(value: Any, name: str) -> str:
    if not isinstance(value, str | PathLike) or not str(value):
        raise OptionError(f"{name} is {str(value)[:80]!r}", "the path of a file", about=name)
    return str(value)


def _checked_missing(value: Any, name: str) -> str:
    return checked_choice(value, ("refuse", "drop", "pairwise"), name)


@dataclass(frozen=True, kw_only=True, eq=False)
class Request(Asked):
    """Every option about predictions, once: what Python calls, the command line and gates take and hand on.

    >>> Request(truth="outcome", score="risk", missing="drop").given
    {'truth': 'outcome', 'score': ('risk',), 'missing': 'drop'}
    >>> Request(level=5)
    Traceback (most recent call last):
    assay.errors.OptionError: level is 5; needed: a number between 0 and 1, such as 0.95
    >>> Request(layout="actual-rows")
    Traceback (most recent call last):
    assay.errors.OptionError: layout is given without style caret; pass style='caret'
    """

    # What was predicted, as arrays.
    y_score: Any = _array_option(
        "Scores of the positive class; with a classifier, the features X.", "arrays", "estimator"
    )
    y: Any = _array_option(
        "True labels of X.",
        "estimator",
        instead={"arrays": "a fitted classifier as the first argument, before X and y"},
    )
    y_pred: Any = _array_option("Predicted labels.", "arrays")
    y_proba: Any = _array_option("Predicted probabilities, one column per class.", "arrays")
    classes: Sequence[Any] | None = option(
        "Name of a class, where not all occur in the rows; repeat for each. For arrays, also the order of the columns.",
        commands=(*READING[:4], REDUCE), sources=("arrays", *TABLES), kind="array", many=True, check=checked_classes,
    )  # fmt: skip
    out_of_bag: bool = option(
        "Evaluate the out-of-bag predictions of a fitted ensemble.",
        False,
        sources=("estimator",),
        kind="flag",
        instead=dict.fromkeys(EVERY, "a fitted ensemble, followed by the X and y it was fitted to"),
    )
    # Which columns of a table are what.
    truth: str | None = _column_option("Column of true labels.", CURVE, REDUCE, check=_column_name)
    score: tuple[str, ...] = _column_option(
        "Column of scores of the positive class; repeat for several models.", CURVE, REDUCE, default=(), many=True,
        check=named_texts,
    )  # fmt: skip
    pred: tuple[str, ...] = _column_option(
        "Column of predicted labels; repeat for several models.", REDUCE, default=(), many=True, check=named_texts
    )
    certainty: str | None = _column_option(
        "Column of the probability of the predicted label.", CURVE, REDUCE, check=_column_name)  # fmt: skip
    positive: str | None = option(
        "The positive class; with more than two classes, one against the rest.",
        commands=(*OF_COLUMNS, CURVE, REDUCE), sources=ROWS,
        check=_checked_label, idle={"columns": "the positive class has no effect on the inferred columns"},
    )  # fmt: skip
    model: str | None = _column_option(
        "Column of model names, where each row is a prediction of one model.", CURVE, REDUCE, check=_column_name
    )
    id: Any = option(  # of sites nothing is joined, and no row is shown
        "Column of row identifiers, to join files and to label rows on pages. [default: id]",
        commands=tuple(command for command in OF_COLUMNS if command != "pool"), sources=ROWS, kind="array",
    )  # fmt: skip
    keep_ids: bool | None = option(
        "Use the column id, if there is one, to label rows.", sources=TABLES, kind="flag",
        instead={"arrays": "an array of ids, as id", "estimator": "an array of ids, as id"},
    )  # fmt: skip
    missing: str = option(
        "What to do with rows without a true label or a prediction.", "refuse", commands=(*READING, CURVE, REDUCE),
        sources=ROWS, choices=MISSING, check=_checked_missing,
    )  # fmt: skip
    # How a file is written, where that does not show.
    decimal: str | None = _file_option(
        "Decimal mark in text; the other mark separates thousands.", choices=MARKS,
        check=lambda value, name: checked_choice(value, MARKS, name),
    )  # fmt: skip
    encoding: str | None = _file_option("Encoding of text that is not UTF-8, such as cp1252.", check=checked_encoding)
    sheet: str | None = _file_option("Sheet of an Excel workbook.", check=_checked_label)
    table: str | None = _out_of_core_option(
        "Table of a DuckDB or SQLite database.",
        check=_checked_label,
        sources=("file",),
        idle={},
        commands=(*PAST_MEMORY, REDUCE),
    )
    memory: str = _out_of_core_option(
        "Memory for rows; larger data are reduced out of core.", default=DEFAULT_MEMORY, check=checked_memory,
        metavar="SIZE", sources=TABLES, commands=(*PAST_MEMORY, REDUCE),
    )  # fmt: skip
    within: float | None = _out_of_core_option(
        "Numerical tolerance of the ROC AUC for data larger than memory.", kind="number", check=checked_positive,
        stands_for="a hundredth of its standard error",
    )  # fmt: skip
    # What the rows are.
    weight: Any = _row_option(
        "Column of sampling weights: number of cases of the population that a row represents.", CURVE, REDUCE
    )
    count: Any = _row_option("Column of counts: number of identical cases in a row.", CURVE, REDUCE)
    cluster: Any = _row_option("Column of clusters of dependent rows: patient, site, document.")
    fold: Any = _row_option(
        "Column of cross-validation folds.",
        CURVE,
        idle=dict.fromkeys(("arrays labels", "arrays probabilities"), "folds affect only the ROC AUC of two classes"),
    )
    by: Any = _row_option("Column of subgroups, each also evaluated separately.")
    amount: Any = option(
        "Column of the amount at stake in each case, such as money, for the risk chart.",
        commands=("evaluate", "columns", CURVE), sources=ROWS, kind="array",
    )  # fmt: skip
    inclusion: Any = option(
        "Column of inclusion probabilities of a label sample; rows without a true label were not drawn.",
        commands=("evaluate",), sources=ROWS, kind="array",
    )  # fmt: skip
    proxy: Any = option(
        "Column of an inexpensive label of every row, 0 or 1, possibly wrong; it narrows the limits.",
        commands=("evaluate",),
        sources=ROWS, kind="array", needs={"inclusion": "inclusion_probability"},
    )  # fmt: skip
    verified_by: Any = option(
        "Column that decided which rows were verified, such as the predicted label; the others have no true label.",
        commands=("evaluate",), sources=ROWS, kind="array",
    )  # fmt: skip
    labelled: str | None = _evaluation_option(
        "File of labelled rows, as written by assay sample; joined by id.", "evaluate", "compare",
        sources=("file", "frame"),
        metavar="FILE", kind="read", check=_path_text,
    )  # fmt: skip
    target: str = _evaluation_option(
        "Population of the measures of a label sample: these rows, or new cases like them.", "evaluate",
        default="rows", sources=ROWS, choices=("rows", "new"),
        needs={"inclusion": "inclusion_probability", "labelled": "to_label.csv", "verified_by": "prediction"},
        check=lambda value, name: checked_choice(value, ("rows", "new"), name),
    )  # fmt: skip
    ignore: tuple[str, ...] = _column_option(
        "Column to ignore; repeat for several.", CURVE, REDUCE, default=(), many=True,
        check=named_texts,
    )  # fmt: skip
    default_class: str | None = option(
        "Class predicted for cases whose label or probability is missing or unknown.",
        commands=(*READING, REDUCE), sources=ROWS, check=_checked_label,
        idle={"estimator": "no effect on a classifier that never abstains"},
    )  # fmt: skip
    # How to decide and to judge.
    threshold: float | None = option(
        "Scores of at least this are predicted positive.",
        commands=(*READING, CURVE, REDUCE), sources=EVERY, kind="number",
        check=checked_threshold, stands_for="0.5 for probabilities",
    )  # fmt: skip
    level: float | None = option(
        "Level of the intervals.", commands=SHOWING, sources=EVERY, kind="number", check=checked_level,
        stands_for=DEFAULT_LEVEL,
    )  # fmt: skip
    seed: int | None = option(
        "Random seed.", commands=SHOWING, sources=EVERY, kind="whole", check=checked_seed,
        stands_for=DEFAULT_SEED,
    )  # fmt: skip
    card: Any = _evaluation_option(
        "TOML or JSON file of statements about the model: interpretability, availability, trust, ...", "evaluate",
        metavar="FILE", check=checked_card, kind="read",
    )  # fmt: skip
    # What to compare.
    measure: tuple[str, ...] = _evaluation_option(
        "Measure to compare, to pool or to show alone; repeat for several.", "compare", "evaluate", "pool", default=(),
        many=True, check=named_texts, stands_for="the ROC AUC, if it applies",
    )  # fmt: skip
    method: str | None = _evaluation_option(
        "Name of the method: delong, wald, hanley-mcneil, obuchowski, bootstrap, normal, ...; for two curves also "
        "venkatraman, for a mean curve vertical, horizontal, threshold, rocr-vertical.", "compare", "evaluate", CURVE,
        check=_checked_label,
    )  # fmt: skip
    alternative: str = _evaluation_option(
        "Alternative hypothesis; one-sided that the first is higher (greater) or lower (less) than the "
        "second.", "compare",
        default="two-sided", choices=("two-sided", "greater", "less"),
    )  # fmt: skip
    non_inferior: bool = _evaluation_option(
        "Test that the first is worse than the second by no more than the margin (one-sided).", "compare",
        default=False, kind="flag", needs={"margin": 0.02},
    )  # fmt: skip
    margin: float | None = _evaluation_option(
        "Largest difference, or rise, that does not matter.", "compare", "check", kind="number",
        check=lambda value, name: checked_positive(value, name, "a difference above 0 that does not matter"),
    )  # fmt: skip
    control: str | None = _evaluation_option(
        "Compare all others with this model only.", "compare", check=_checked_label
    )
    unpaired: bool = _evaluation_option(
        "The files have different cases, such as two months or two sites.", "compare", default=False, kind="flag"
    )
    # What a threshold is to be best for.
    cost_fp: float | None = _evaluation_option(
        "Cost of a false positive.", "threshold", kind="number", needs={"cost_fn": 10}
    )
    cost_fn: float | None = _evaluation_option(
        "Cost of a false negative.", "threshold", kind="number", needs={"cost_fp": 1}
    )
    cost_tp: float = _evaluation_option(
        "Cost of a true positive; negative for a gain.", "threshold", default=0.0, kind="number",
        check=checked_number, needs={"cost_fp": 1},
    )  # fmt: skip
    cost_tn: float = _evaluation_option(
        "Cost of a true negative.", "threshold", default=0.0, kind="number", check=checked_number,
        needs={"cost_fp": 1},
    )  # fmt: skip
    acquisition: float = _evaluation_option(
        "Cost of obtaining the inputs of a case.", "threshold", default=0.0, kind="number", check=checked_number,
        needs={"cost_fp": 1},
    )  # fmt: skip
    prevalence: float | None = _evaluation_option(
        "Prevalence in use.", "threshold", kind="number", stands_for="as in FILE"
    )
    maximise: str | None = _evaluation_option(
        "Measure to maximize: f1, youden, closest, accuracy, ...", "threshold", metavar="MEASURE"
    )
    at_least: tuple[str, ...] = _evaluation_option(
        "Lower bound on a measure, such as specificity=0.9; repeat for several.", "threshold", default=(), many=True,
        metavar="MEASURE=BOUND",
    )  # fmt: skip
    at_most: tuple[str, ...] = _evaluation_option(
        "Upper bound on a measure, such as fpr=0.05; repeat for several.",
        "threshold",
        default=(),
        many=True,
        metavar="MEASURE=BOUND",
    )
    at_most_flagged: float | None = _evaluation_option(
        "Largest number of predicted positives among --per cases.", "threshold", kind="number", metavar="N",
        needs={"per": 1000},
    )  # fmt: skip
    per: float | None = _evaluation_option(
        "Number of cases that N refers to.", "threshold", kind="number", metavar="CASES",
        needs={"at_most_flagged": 50},
    )  # fmt: skip
    confidence: float | None = _evaluation_option(
        "Confidence that the bounds are met on new cases, such as 0.95; by default they are met on these cases.",
        "threshold", kind="number",
        check=checked_level, needs={"at_least": "specificity=0.9", "at_most": "fpr=0.05", "at_most_flagged": 50},
    )  # fmt: skip
    # What must hold.
    require: tuple[str, ...] = _evaluation_option(
        "Requirement to check; repeat for several.", "check", default=(), many=True, metavar="REQUIREMENT"
    )
    strict: bool = _evaluation_option(
        "Exit with status 4 if a requirement is inconclusive.", "check", default=False, kind="flag"
    )
    power_for: float | None = _evaluation_option(
        "Also report the power against a true value this much worse than the bound.", "check", kind="number",
        check=lambda value, name: checked_positive(value, name, "the distance of a true value from the bound, above 0"),
        needs={"require": "roc_auc >= 0.80"},
    )  # fmt: skip
    # What a stream is held against.
    stream: bool = _evaluation_option(
        "Read FILE as a stream in its order, and fail after an alarm.", "check", default=False, kind="flag",
        needs={"reference": 0.1},
    )  # fmt: skip
    reference: float | None = _evaluation_option(
        "Reference error rate, which the stream must not exceed by more than the margin.", "check", kind="number",
        check=lambda value, name: checked_between(value, name, closed=True), needs={"stream": True},
    )  # fmt: skip
    reference_cases: int | None = _evaluation_option(
        "Number of cases behind the reference; by default the reference is exact.", "check", kind="whole",
        check=checked_whole, needs={"reference": 0.1},
    )  # fmt: skip
    alpha: float = _evaluation_option(
        "Probability of any false alarm in a stream.", "check", default=0.05, kind="number",
        check=checked_between, needs={"stream": True},
    )  # fmt: skip
    window: int = _evaluation_option(
        "Number of most recent events considered one by one.", "check", default=1000, kind="whole", check=checked_whole,
        needs={"stream": True},
    )  # fmt: skip
    together: int = _evaluation_option(
        "Batch size of the alarms, where errors of consecutive events are dependent.", "check", default=1,
        kind="whole", check=checked_whole, needs={"stream": True},
    )  # fmt: skip
    # What a curve is of, and what stands on which axis.
    kind: str = _evaluation_option(
        "What to draw: two measures, or a named chart.", CURVE, default="measures", choices=DRAWN
    )
    x_axis: str = _evaluation_option(
        "Measure on the x axis, at every threshold; or the threshold itself.", CURVE, default="fpr", flag="x"
    )
    y_axis: str = _evaluation_option("Measure on the y axis.", CURVE, default="recall", flag="y")
    svg: Path | None = file_target("SVG file to draw.", CURVE, "pool")
    # What to show, and where.
    format: str = option("Output format.", "table", commands=(*SHOWING, "columns", CURVE), choices=FORMATS)
    style: str = _evaluation_option(
        "Layout of the table, as of another system.", "evaluate", "demo", default="assay", choices=STYLES
    )
    layout: str = _evaluation_option(
        "Rows of caret's confusion matrix.", "evaluate", "demo", default="predicted-rows",
        choices=("predicted-rows", "actual-rows"), needs={"style": "caret"},
    )  # fmt: skip
    positive_first: bool = _evaluation_option(
        "Position of the positive class in caret's matrix.", "evaluate", "demo", default=True, kind="switch",
        metavar="positive-last", needs={"style": "caret"},
    )  # fmt: skip
    costs: str | None = _evaluation_option(
        "Cost matrix file in WEKA's format: one row per true class, in the order of the classes.",
        "evaluate", metavar="FILE", check=_checked_label, needs={"style": "weka"},
    )  # fmt: skip
    full: bool = _evaluation_option("Show every measure in the table.", "evaluate", "demo", default=False, kind="flag")
    output: Path | None = file_target("File to write instead of the screen.", *SHOWING, "columns", CURVE, REDUCE)
    html: Path | None = file_target("Also write a self-contained HTML page.", "evaluate", "demo", "compare", "pool")
    embed_rows: bool = _evaluation_option(
        "Include the rows of each entry of the confusion matrix in the page.", "evaluate", "demo", "compare",
        default=False, kind="flag", needs={"html": "report.html"},
    )  # fmt: skip
    save: Path | None = file_target("File for the example predictions, to try other commands on.", "demo")
    quiet: bool = option("Do not report what was inferred.", False, commands=(*SHOWING, CURVE, REDUCE), kind="flag")

    def _refuse_contradictions(self) -> None:
        refuse_contradictions(self)

    @property
    def level_used(self) -> float:
        """The level, or what stands for it."""
        return DEFAULT_LEVEL if self.level is None else self.level

    @property
    def seed_used(self) -> int:
        """The seed, or what stands for it."""
        return DEFAULT_SEED if self.seed is None else self.seed

    @property
    def keeps_ids(self) -> bool:
        """Whether predictions are to hold what rows are called: by default only where that is named."""
        return self.id is not None if self.keep_ids is None else self.keep_ids

    def refuse_unused(self, source: str) -> None:
        """Refuse by its name whatever a kind of source cannot use.

        >>> Request(truth="outcome").refuse_unused("arrays")
        Traceback (most recent call last):
        assay.errors.OptionError: truth does not apply to arrays; needed: an array of values; ...
        """
        for name in self.given:
            each = self.options()[name]
            if each.sources and source not in each.sources:
                instead = each.instead.get(source, INSTEAD[source])
                raise OptionError(f"{name} does not apply to {SOURCES[source]}", instead, about=name)


class _ColumnOptions(TypedDict, total=False):
    """The names of columns, and how a file is read."""

    truth: str | None
    score: str | Sequence[str]
    pred: str | Sequence[str]
    certainty: str | None
    positive: Any
    model: str | None
    decimal: str | None
    encoding: str | None
    sheet: str | None
    weight: Any
    count: Any
    ignore: str | Sequence[str]


class _DesignOptions(TypedDict, total=False):
    """What rows are called and which of them depend on one another."""

    id: Any
    cluster: Any
    fold: Any
    by: Any


class _PredictionOptions(_ColumnOptions, total=False):
    """What every call that reads predictions takes."""

    y_pred: Any
    y_proba: Any
    classes: Sequence[Any] | None
    missing: str
    table: str | None
    memory: str
    default_class: Any
    threshold: float | None


class ColumnsOptions(_ColumnOptions, _DesignOptions, total=False):
    """The options of `columns`."""

    amount: Any


class ReduceOptions(_PredictionOptions, total=False):
    """The options of `reduce`, with those of `ReduceRequest`."""

    out_of_bag: bool
    bits: int | None
    grid: str | None
    least: int | None
    exact: bool
    name: str | None


class CompareOptions(_PredictionOptions, _DesignOptions, total=False):
    """The options of `compare`; level and seed are those of the evaluations, where such are given."""

    within: float | None
    keep_ids: bool | None
    amount: Any
    level: float | None
    seed: int | None


class GateOptions(_PredictionOptions, _DesignOptions, total=False):
    """The options of `Gate.of` and `assert_measure`, which show no rows."""

    out_of_bag: bool
    within: float | None
    level: float
    seed: int


class EvaluateOptions(GateOptions, total=False):
    """The options of `evaluate` and `evaluate_models`: all that the record has about data."""

    keep_ids: bool | None
    amount: Any
    inclusion: Any
    proxy: Any
    verified_by: Any
    labelled: str | PathLike[str] | None
    target: str
    card: Any


Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")
# What other libraries call the same thing, or where it is found here.
ELSEWHERE = {
    "sample_weight": "weight",
    "weights": "weight",
    "pos_label": "positive",
    "positive_class": "positive",
    "labels": "classes",
    "class_names": "classes",
    "target_names": "classes",
    "probas_pred": "y_score",
    "y_prob": "y_score",
    "prob": "y_score",
    "scores": "y_score",
    "predictions": "y_pred",
    "y_hat": "y_pred",
    "y_test": "y_true",
    "y_val": "y_true",
    "groups": "cluster",
    "group": "by splits cases into subgroups, cluster marks dependent rows",
    "data": "y_true",
    "cutoff": "threshold",
    "alpha": "level is 1 - alpha",
    "confidence": "level",
    "confidence_level": "level",
    "ci": "level",
    "random_state": "seed",
    "n_jobs": "jobs",
    "normalize": "ev.cells() has counts and shares by true class, by predicted class and overall",
    "average": "every average is a measure, as ev.macro_f1, and each class is in ev.per_class",
    "multi_class": "ev.hand_till and ev.macro_roc_auc are the averages over pairs and over classes",
    "zero_division": "undefined values are nan, with the reason in ev.estimate(name)",
    "drop_intermediate": "curve.corners() leaves out points on straight lines",
    "n_bootstraps": "every measure has an interval, see ev.estimate(name, method=...)",
    "output_dict": "ev.to_dict() is the record",
    "digits": "numbers have full precision; format with f'{ev.roc_auc:.4f}'",
}


# What to write instead where more values are given by position than a function takes.
BY_NAME = {"compare": "scores by model: compare(y_true, {'a': scores_a, 'b': scores_b})"}


def front_door(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """A function whose users may misspell an option: it says which one they meant, as an error of Assay's own.

    >>> @front_door
    ... def judge(y_true, weight=None): ...
    >>> judge([0, 1], sample_weight=[1, 1])
    Traceback (most recent call last):
    assay.errors.UnknownOption: judge has no option 'sample_weight'; did you mean weight?
    """
    of_function = _with_options(function)
    known = tuple(of_function.parameters)
    in_order = [name for name, one in of_function.parameters.items() if one.kind is not one.KEYWORD_ONLY]
    needed = [name for name, one in of_function.parameters.items() if one.default is one.empty]

    called = function.__qualname__
    takes_any = any(one.kind is one.VAR_POSITIONAL for one in of_function.parameters.values())

    @wraps(function)
    def checked(*args: Parameters.args, **said: Parameters.kwargs) -> Answer:
        __tracebackhide__ = True  # pytest shows the line of whoever called
        for name in said:
            if name not in known:
                raise unknown_option(name, known, called, ELSEWHERE)
        if len(args) > len(in_order) and not takes_any:
            found = (
                f"{called} takes {len(in_order)} positional arguments ({', '.join(in_order)}), but {len(args)} "
                "were given"
            )
            raise UnknownOption(found, BY_NAME.get(called, "the other arguments by name"))
        lacking = [name for name in needed[len(args) :] if name not in said]
        if lacking and not takes_any:
            raise UnknownOption(f"{called} lacks the argument {lacking[0]}", lacking[0])
        doubled = next((name for name in in_order[: len(args)] if name in said), None)
        if doubled is not None:
            raise UnknownOption(f"{called} is given {doubled} twice", "one value, by position or by name")
        with usual_floats():
            return function(*args, **said)

    checked.__signature__ = of_function  # type: ignore[attr-defined]
    return checked


def _with_options(function: Callable[..., Any]) -> Signature:
    """Return a signature with every option of `**options: Unpack[...]` in it, its default that of the record."""
    plain = signature(function)
    own = [one for one in plain.parameters.values() if one.kind is not one.VAR_KEYWORD]
    if len(own) == len(plain.parameters):
        return plain
    options = function.__globals__[str(plain.parameters["options"].annotation)[len("Unpack[") : -1]]
    types = {name: getattr(one, "__forward_arg__", one) for name, one in options.__annotations__.items()}
    order = [*Request.options(), *ReduceRequest.options()]
    more = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=_documented_default(name, types[name]), annotation=types[name])
        for name in sorted(types, key=order.index)
    ]
    return plain.replace(parameters=[*own, *more])


def _documented_default(name: str, annotation: str) -> Any:
    """Return what an option is where it is left out; what that stands for, where it is a number and never None."""
    record = Request if name in Request.options() else ReduceRequest
    default = record.defaults()[name]
    return record.options()[name].stands_for if default is None and annotation in ("float", "int") else default


def usual_floats() -> np.errstate:
    """What becomes of overflow and the like as numpy has it by default, whatever the program around has chosen."""
    return np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")
