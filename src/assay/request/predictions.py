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
        raise OptionError(f"style is {asked.style!r}, and format is {asked.format!r}", "one of them: a style is text")
    if asked.full and (asked.format, asked.style) != ("table", "assay"):
        raise OptionError("full is about Assay's own table, and another was asked for", "one of them")
    without = asked.html is None and asked.kind != "risk"
    if asked.amount is not None and without and (asked.format == "csv" or asked.style != "assay"):
        form = f"format is {asked.format!r}" if asked.format == "csv" else f"style is {asked.style!r}"
        found = f"amount makes a risk chart, and {form}, which has none"
        raise OptionError(found, "the table, markdown, latex, json or html", about="amount")
    axes = [name[0] for name in ("x_axis", "y_axis") if name in asked.given]
    if axes and asked.kind != "measures":
        found = f"{axes[0]} is given beside kind {asked.kind!r}, which has axes of its own"
        raise OptionError(found, "one of them", about=(axes[0], "kind"))
    if asked.card is not None and asked.html is None and (asked.format == "csv" or asked.style != "assay"):
        raise OptionError("card is given, and this form holds measures alone", "another format", about="card")


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
        "out_of_scope": "Not meant for",
        "training_data": "Training data",
        "training_speed": "Speed of training",
        "use_speed": "Speed of use",
        "model_size": "Size of the model",
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
CARD_SAID = "Said by whoever wrote the card. Nothing of it was measured or checked here."
LONGEST, LARGEST = 2_000, 200_000  # characters of a field, bytes of a file
# Fields of one model by name, or such cards by the names of models.
Card = Mapping[str, Any]


def checked_card(value: Any, name: str = "card") -> Card:
    """The fields of a card as texts, from a TOML or JSON file or a mapping; for several models a card for each by name.

    >>> dict(checked_card({"interpretability": "a tree of 8 leaves", "trust": ["audited", 2031]}))
    {'interpretability': 'a tree of 8 leaves', 'trust': 'audited; 2031'}
    >>> checked_card({"interpretabilty": "high"})
    Traceback (most recent call last):
    assay.errors.UnknownOption: a card has no field 'interpretabilty'; did you mean interpretability?
    """
    said = _read(value, name) if isinstance(value, str | PathLike) else value
    if not isinstance(said, Mapping) or not said:
        raise OptionError(
            f"{name} is {str(value)[:80]!r}", "fields with texts, or a TOML or JSON file of them", about=name
        )
    if all(isinstance(each, Mapping) for each in said.values()):
        return MappingProxyType({str(model): _fields(each, name) for model, each in said.items()})
    return _fields(said, name)


def _fields(said: Mapping[Any, Any], name: str) -> Card:
    found = {}
    for key, value in said.items():
        if key not in CARD_FIELDS:
            near = difflib.get_close_matches(str(key), CARD_FIELDS, n=1)
            shown = f"a card has no field {str(key)[:60]!r}"
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
        raise OptionError(f"{key} of {name} is {str(value)[:60]!r}", "a text, a number or a list of them", about=name)
    if len(text) > LONGEST:
        raise OptionError(f"{key} of {name} has {len(text):,} characters", f"at most {LONGEST:,}", about=name)
    return text


def _read(path: str | PathLike[str], name: str) -> Any:
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
    "arrays": "the values themselves, as an array; a name is for a column of a data frame or a file",
    "frame": "the name of a column of it",
    "file": "the name of a column of it",
    "files": "the name of a column of theirs",
    "estimator": "arrays beside its X and y",
    "predictions": "it said to Predictions, which hold what their rows are and how classes are called",
    "evaluations": "evaluations that were made with it",
    "evidence": "it said where the rows are: assay.reduce made the evidence of them",
}
IN_MEMORY = dict.fromkeys(INSTEAD, "a file to read; what is in memory is read already")


def _column(help: str, *others: str, **facts: Any) -> Any:  # noqa: A002
    return option(help, commands=(*OF_COLUMNS, *others), sources=TABLES, **facts)


def _file(help: str, **facts: Any) -> Any:  # noqa: A002
    return option(help, commands=(*OF_COLUMNS, CURVE, REDUCE), sources=("file", "files"), instead=IN_MEMORY, **facts)


def _past_memory(help: str, **facts: Any) -> Any:  # noqa: A002
    """What is said of tables that may not fit into memory."""
    idle = dict.fromkeys((*TABLES, *PAST_MEMORY, REDUCE), "what fits into memory is read as it is, and known exactly")
    usual = {"commands": PAST_MEMORY, "sources": ("file", "frame"), "idle": idle}
    return option(help, instead=IN_MEMORY, **{**usual, **facts})


def _of_rows(help: str, *others: str, **facts: Any) -> Any:  # noqa: A002
    """What rows are: the name of a column, or one value for each case."""
    return option(help, commands=(*OF_COLUMNS, *others), sources=ROWS, kind="array", **facts)


def _array(help: str, *sources: str, **facts: Any) -> Any:  # noqa: A002
    return option(help, sources=sources, kind="array", **facts)


def _asked(help: str, *commands: str, **facts: Any) -> Any:  # noqa: A002
    return option(help, commands=commands, **facts)


def _text(value: Any, name: str) -> str:
    return str(value)


def _column_name(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{name} is a {type(value).__name__}", "the name of a column, as a text", about=name)
    return value


def _path_text(value: Any, name: str) -> str:
    if not isinstance(value, str | PathLike) or not str(value):
        raise OptionError(f"{name} is {str(value)[:80]!r}", "the path of a file", about=name)
    return str(value)


def _missing(value: Any, name: str) -> str:
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
    y_score: Any = _array("Scores of the positive class, or the cases X beside a classifier.", "arrays", "estimator")
    y: Any = _array(
        "True classes of the cases X.", "estimator", instead={"arrays": "a fitted classifier, before X and y"}
    )
    y_pred: Any = _array("Predicted labels.", "arrays")
    y_proba: Any = _array("Probabilities, a column for each class.", "arrays")
    classes: Sequence[Any] | None = option(
        "A class, where the rows need not hold all; again for another. Of arrays also the order of their columns.",
        commands=(*READING[:4], REDUCE), sources=("arrays", *TABLES), kind="array", many=True, check=checked_classes,
    )  # fmt: skip
    out_of_bag: bool = option(
        "Ask an ensemble what it kept about each case it was fitted to.",
        False,
        sources=("estimator",),
        kind="flag",
        instead=dict.fromkeys(EVERY, "a fitted ensemble, followed by the X and y it was fitted to"),
    )
    # Which columns of a table are what.
    truth: str | None = _column("Column of the true class.", CURVE, REDUCE, check=_column_name)
    score: tuple[str, ...] = _column(
        "Column of the positive class's score; again for another model.", CURVE, REDUCE, default=(), many=True,
        check=named_texts,
    )  # fmt: skip
    pred: tuple[str, ...] = _column(
        "Column of the predicted label; again for another model.", REDUCE, default=(), many=True, check=named_texts
    )
    certainty: str | None = _column(
        "Column of the probability of whichever label was predicted.", CURVE, REDUCE, check=_column_name)  # fmt: skip
    positive: str | None = option(
        "The positive class; of more than two, against the rest.", commands=(*OF_COLUMNS, CURVE, REDUCE), sources=ROWS,
        check=_text, idle={"columns": "which of two classes is positive changes the role of no score"},
    )  # fmt: skip
    model: str | None = _column(
        "Column that names the model, where each row belongs to one.", CURVE, REDUCE, check=_column_name
    )
    id: Any = option(  # of sites nothing is joined, and no row is shown
        "Column of what rows are called: it joins files, and pages with rows show it. [default: id]",
        commands=tuple(command for command in OF_COLUMNS if command != "pool"), sources=ROWS, kind="array",
    )  # fmt: skip
    keep_ids: bool | None = option(
        "Take a column called id, if there is one, to show rows by.", sources=TABLES, kind="flag",
        instead={"arrays": "the ids themselves, as id", "estimator": "the ids themselves, as id"},
    )  # fmt: skip
    missing: str = option(
        "What to do with rows that lack a truth or a prediction.", "refuse", commands=(*READING, CURVE, REDUCE),
        sources=ROWS, choices=MISSING, check=_missing,
    )  # fmt: skip
    # How a file is written, where that does not show.
    decimal: str | None = _file(
        "Sign before the decimals in text; the other one parts thousands.", choices=MARKS,
        check=lambda value, name: checked_choice(value, MARKS, name),
    )  # fmt: skip
    encoding: str | None = _file("Encoding of text that is not UTF-8, such as cp1252.", check=checked_encoding)
    sheet: str | None = _file("Sheet of an Excel workbook.", check=_text)
    table: str | None = _past_memory(
        "Table of a DuckDB or SQLite database.",
        check=_text,
        sources=("file",),
        idle={},
        commands=(*PAST_MEMORY, REDUCE),
    )
    memory: str = _past_memory(
        "Memory for rows; more of them are reduced where they lie.", default=DEFAULT_MEMORY, check=checked_memory,
        metavar="SIZE", sources=TABLES, commands=(*PAST_MEMORY, REDUCE),
    )  # fmt: skip
    within: float | None = _past_memory(
        "How closely the ROC AUC must be known of rows that do not fit.", kind="number", check=checked_positive,
        stands_for="a hundredth of its standard error",
    )  # fmt: skip
    # What the rows are.
    weight: Any = _of_rows("Column of sampling weights: how much of the population a case stands for.", CURVE, REDUCE)
    count: Any = _of_rows("Column of counts: how many equal cases a row is.", CURVE, REDUCE)
    cluster: Any = _of_rows("Column of what makes rows depend on one another: patient, site, document.")
    fold: Any = _of_rows(
        "Column of cross-validation folds.",
        CURVE,
        idle=dict.fromkeys(("arrays labels", "arrays probabilities"), "folds tell on the ROC AUC of two classes alone"),
    )
    by: Any = _of_rows("Column of subgroups, each evaluated by itself as well.")
    amount: Any = option(
        "Column of what is at stake in each case, such as money: it makes the risk chart.",
        commands=("evaluate", "columns", CURVE), sources=ROWS, kind="array",
    )  # fmt: skip
    inclusion: Any = option(
        "Column of inclusion probabilities: rows without a truth were not drawn to be labelled.",
        commands=("evaluate",), sources=ROWS, kind="array",
    )  # fmt: skip
    proxy: Any = option(
        "Column of a cheap label of every row, 0 or 1: it narrows the limits, and may err.", commands=("evaluate",),
        sources=ROWS, kind="array", needs={"inclusion": "inclusion_probability"},
    )  # fmt: skip
    verified_by: Any = option(
        "Column that decided which rows were verified, such as the predicted label; the others lack a truth.",
        commands=("evaluate",), sources=ROWS, kind="array",
    )  # fmt: skip
    labelled: str | None = _asked(
        "File of labelled rows, as assay sample wrote it: joined by id.", "evaluate", "compare",
        sources=("file", "frame"),
        metavar="FILE", kind="read", check=_path_text,
    )  # fmt: skip
    target: str = _asked(
        "What measures from a sample of labels are about: these rows, or new cases like them.", "evaluate",
        default="rows", sources=ROWS, choices=("rows", "new"),
        needs={"inclusion": "inclusion_probability", "labelled": "to_label.csv", "verified_by": "prediction"},
        check=lambda value, name: checked_choice(value, ("rows", "new"), name),
    )  # fmt: skip
    ignore: tuple[str, ...] = _column(
        "Column to leave alone whatever it is called; again for another.", CURVE, REDUCE, default=(), many=True,
        check=named_texts,
    )  # fmt: skip
    default_class: str | None = option(
        "Class of cases whose predicted label or probability is missing, or whose label is no class.",
        commands=(*READING, REDUCE), sources=ROWS, check=_text,
        idle={"estimator": "a classifier that never abstains gives every case a label of its own"},
    )  # fmt: skip
    # How to decide and to judge.
    threshold: float | None = option(
        "Call scores of at least this positive.", commands=(*READING, CURVE, REDUCE), sources=EVERY, kind="number",
        check=checked_threshold, stands_for="0.5 for probabilities",
    )  # fmt: skip
    level: float | None = option(
        "Level of the intervals.", commands=SHOWING, sources=EVERY, kind="number", check=checked_level,
        stands_for=DEFAULT_LEVEL,
    )  # fmt: skip
    seed: int | None = option(
        "Seed of what is simulated.", commands=SHOWING, sources=EVERY, kind="whole", check=checked_seed,
        stands_for=DEFAULT_SEED,
    )  # fmt: skip
    card: Any = _asked(
        "TOML or JSON file of what is said of the model: interpretability, availability, trust, ...", "evaluate",
        metavar="FILE", check=checked_card, kind="read",
    )  # fmt: skip
    # What to compare.
    measure: tuple[str, ...] = _asked(
        "Measure to compare, to pool or to show alone; again for another.", "compare", "evaluate", "pool", default=(),
        many=True, check=named_texts, stands_for="the ROC AUC, if it applies",
    )  # fmt: skip
    method: str | None = _asked(
        "Method by its name: delong, wald, hanley-mcneil, obuchowski, bootstrap, normal, ...; of two curves also "
        "venkatraman, of a mean curve vertical, horizontal, threshold, rocr-vertical.", "compare", "evaluate", CURVE,
        check=_text,
    )  # fmt: skip
    alternative: str = _asked(
        "Whether the first is only to be shown higher (greater) or lower (less) than the second: one-sided.", "compare",
        default="two-sided", choices=("two-sided", "greater", "less"),
    )  # fmt: skip
    non_inferior: bool = _asked(
        "Ask whether the first is worse than the second by no more than the margin: one-sided.", "compare",
        default=False, kind="flag", needs={"margin": 0.02},
    )  # fmt: skip
    margin: float | None = _asked(
        "Largest difference, or rise, that would not matter.", "compare", "check", kind="number",
        check=lambda value, name: checked_positive(value, name, "a difference above 0 that would not matter"),
    )  # fmt: skip
    control: str | None = _asked("Compare all others with this model alone.", "compare", check=_text)
    unpaired: bool = _asked(
        "Each FILE holds other cases: two months, two sites.", "compare", default=False, kind="flag"
    )
    # What a threshold is to be best for.
    cost_fp: float | None = _asked("What a false alarm costs.", "threshold", kind="number", needs={"cost_fn": 10})
    cost_fn: float | None = _asked("What a miss costs.", "threshold", kind="number", needs={"cost_fp": 1})
    cost_tp: float = _asked(
        "What a positive found costs; negative if it earns.", "threshold", default=0.0, kind="number",
        check=checked_number, needs={"cost_fp": 1},
    )  # fmt: skip
    cost_tn: float = _asked(
        "What a negative left alone costs.", "threshold", default=0.0, kind="number", check=checked_number,
        needs={"cost_fp": 1},
    )  # fmt: skip
    acquisition: float = _asked(
        "What it costs to get a case's inputs at all.", "threshold", default=0.0, kind="number", check=checked_number,
        needs={"cost_fp": 1},
    )  # fmt: skip
    prevalence: float | None = _asked(
        "Share of positives where it will be used.", "threshold", kind="number", stands_for="as in FILE"
    )
    maximise: str | None = _asked(
        "Make a measure the best: f1, youden, closest, accuracy, ...", "threshold", metavar="MEASURE"
    )
    at_least: tuple[str, ...] = _asked(
        "Demand it, such as specificity=0.9; again for another.", "threshold", default=(), many=True,
        metavar="MEASURE=BOUND",
    )  # fmt: skip
    at_most: tuple[str, ...] = _asked(
        "Demand it, such as fpr=0.05; again for another.", "threshold", default=(), many=True, metavar="MEASURE=BOUND"
    )
    at_most_flagged: float | None = _asked(
        "Call at most N cases positive of those in --per.", "threshold", kind="number", metavar="N",
        needs={"per": 1000},
    )  # fmt: skip
    per: float | None = _asked(
        "How many cases there are when N may be flagged.", "threshold", kind="number", metavar="CASES",
        needs={"at_most_flagged": 50},
    )  # fmt: skip
    confidence: float | None = _asked(
        "How sure the demands must be met on new cases, such as 0.95; without it they are met on these.",
        "threshold", kind="number",
        check=checked_level, needs={"at_least": "specificity=0.9", "at_most": "fpr=0.05", "at_most_flagged": 50},
    )  # fmt: skip
    # What must hold.
    require: tuple[str, ...] = _asked(
        "What must hold; again for another.", "check", default=(), many=True, metavar="REQUIREMENT"
    )
    strict: bool = _asked("Exit with 4 where a requirement is inconclusive.", "check", default=False, kind="flag")
    power_for: float | None = _asked(
        "Also say how often these cases would stop a true value so much worse than the bound.", "check", kind="number",
        check=lambda value, name: checked_positive(value, name, "how much worse than the bound a true value is"),
        needs={"require": "roc_auc >= 0.80"},
    )  # fmt: skip
    # What a stream is held against.
    stream: bool = _asked(
        "Take FILE for a stream in its order, and fail where an alarm rang.", "check", default=False, kind="flag",
        needs={"reference": 0.1},
    )  # fmt: skip
    reference: float | None = _asked(
        "Error rate over which the stream must not rise by more than the margin.", "check", kind="number",
        check=lambda value, name: checked_between(value, name, closed=True), needs={"stream": True},
    )  # fmt: skip
    reference_cases: int | None = _asked(
        "How many cases the reference was estimated from; it is known exactly without.", "check", kind="whole",
        check=checked_whole, needs={"reference": 0.1},
    )  # fmt: skip
    alpha: float = _asked(
        "Share of streams in which an alarm may ring falsely.", "check", default=0.05, kind="number",
        check=checked_between, needs={"stream": True},
    )  # fmt: skip
    window: int = _asked(
        "How many last events are told apart.", "check", default=1000, kind="whole", check=checked_whole,
        needs={"stream": True},
    )  # fmt: skip
    together: int = _asked(
        "Events put together before alarms bet on them, where errors cling to one another.", "check", default=1,
        kind="whole", check=checked_whole, needs={"stream": True},
    )  # fmt: skip
    # What a curve is of, and what stands on which axis.
    kind: str = _asked(
        "What to draw: two measures, or a picture that has a name.", CURVE, default="measures", choices=DRAWN
    )
    x_axis: str = _asked(
        "Measure along the curve, at every threshold; or the threshold itself.", CURVE, default="fpr", flag="x"
    )
    y_axis: str = _asked("Measure that the curve shows.", CURVE, default="recall", flag="y")
    svg: Path | None = file_target("Draw it there.", CURVE, "pool")
    # What to show, and where.
    format: str = option("How to write it.", "table", commands=(*SHOWING, "columns", CURVE), choices=FORMATS)
    style: str = _asked("Write the table as another system would.", "evaluate", "demo", default="assay", choices=STYLES)
    layout: str = _asked(
        "What the rows of caret's matrix are.", "evaluate", "demo", default="predicted-rows",
        choices=("predicted-rows", "actual-rows"), needs={"style": "caret"},
    )  # fmt: skip
    positive_first: bool = _asked(
        "Where caret's matrix has the positive class.", "evaluate", "demo", default=True, kind="switch",
        metavar="positive-last", needs={"style": "caret"},
    )  # fmt: skip
    costs: str | None = _asked(
        "File of a cost matrix, as WEKA writes it: a row for each true class, in the order of FILE's classes.",
        "evaluate", metavar="FILE", check=_text, needs={"style": "weka"},
    )  # fmt: skip
    full: bool = _asked("Show every measure in the table.", "evaluate", "demo", default=False, kind="flag")
    output: Path | None = file_target("Write there instead of to the screen.", *SHOWING, "columns", CURVE, REDUCE)
    html: Path | None = file_target("Also write a page that opens anywhere.", "evaluate", "demo", "compare", "pool")
    embed_rows: bool = _asked(
        "Let the page hold the rows behind each cell of the confusion matrix.", "evaluate", "demo", "compare",
        default=False, kind="flag", needs={"html": "report.html"},
    )  # fmt: skip
    save: Path | None = file_target("Write the example's predictions there, to try other commands on.", "demo")
    quiet: bool = option("Do not say what was inferred.", False, commands=(*SHOWING, CURVE, REDUCE), kind="flag")

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
        assay.errors.OptionError: truth is given beside arrays; needed: the values themselves, as an array; ...
        """
        for name in self.given:
            each = self.options()[name]
            if each.sources and source not in each.sources:
                instead = each.instead.get(source, INSTEAD[source])
                raise OptionError(f"{name} is given beside {SOURCES[source]}", instead, about=name)


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
    "group": "by parts cases into subgroups, cluster says which rows depend on one another",
    "data": "y_true",
    "cutoff": "threshold",
    "alpha": "level is 1 - alpha",
    "confidence": "level",
    "confidence_level": "level",
    "ci": "level",
    "random_state": "seed",
    "n_jobs": "jobs",
    "normalize": "ev.cells() has counts, and their shares of each true class, of each label and of all",
    "average": "every average is a measure, as ev.macro_f1, and each class is in ev.per_class",
    "multi_class": "ev.hand_till and ev.macro_roc_auc are the averages over pairs and over classes",
    "zero_division": "what cannot be computed is nan, and says why",
    "drop_intermediate": "curve.corners() leaves out points on straight lines",
    "n_bootstraps": "every measure has an interval of its own, see ev.estimate(name, method=...)",
    "output_dict": "ev.to_dict() is the record",
    "digits": "numbers are kept in full, and format as f'{ev.roc_auc:.4f}'",
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
            found = f"{called} takes {' and '.join(in_order)} by position, and {len(args)} values are given"
            raise UnknownOption(found, BY_NAME.get(called, "the others by name"))
        lacking = [name for name in needed[len(args) :] if name not in said]
        if lacking and not takes_any:
            raise UnknownOption(f"{called} is given no {lacking[0]}", lacking[0])
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
        Parameter(name, Parameter.KEYWORD_ONLY, default=_default(name, types[name]), annotation=types[name])
        for name in sorted(types, key=order.index)
    ]
    return plain.replace(parameters=[*own, *more])


def _default(name: str, annotation: str) -> Any:
    """Return what an option is where it is left out; what that stands for, where it is a number and never None."""
    record = Request if name in Request.options() else ReduceRequest
    default = record.defaults()[name]
    return record.options()[name].stands_for if default is None and annotation in ("float", "int") else default


def usual_floats() -> np.errstate:
    """What becomes of overflow and the like as numpy has it by default, whatever the program around has chosen."""
    return np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")
