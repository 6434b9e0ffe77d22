"""The schemas of what the commands beside `evaluate` print as JSON: compare, threshold, check, rank, stream,
experiment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from docs.schemas import IDENTIFIER, definitions, evaluation_of_one, head, object_of

from assay.comparison import ALTERNATIVES, LIMITS, METHODS
from assay.labelling import TARGETS
from assay.ranks import ADJUSTMENTS, LOGICAL, TESTS
from assay.request import DRAW_KINDS
from assay.sources.logs import STATES

TEXT: dict[str, Any] = {"type": "string"}
WORDS: dict[str, Any] = {"type": "string", "minLength": 1}
MAYBE_TEXT: dict[str, Any] = {"type": ["string", "null"], "minLength": 1}
NUMBER: dict[str, Any] = {"type": "number"}
MAYBE_NUMBER: dict[str, Any] = {"type": ["number", "null"]}
SHARE: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
MAYBE_SHARE: dict[str, Any] = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
LEVEL: dict[str, Any] = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
AMOUNT: dict[str, Any] = {"type": "number", "minimum": 0}
MAYBE_AMOUNT: dict[str, Any] = {"type": ["number", "null"], "minimum": 0}
NAME: dict[str, Any] = {"type": ["string", "null"]}
YES: dict[str, Any] = {"type": "boolean"}
STATUS: dict[str, Any] = {"enum": ["pass", "fail", "inconclusive", "unjudged"]}
LIMIT: dict[str, Any] = {"oneOf": [MAYBE_NUMBER, {"enum": ["Infinity", "-Infinity"]}]}
# What a difference says of its test.
OF_TEST: dict[str, Any] = {
    "se": MAYBE_AMOUNT,
    "statistic": LIMIT,
    "freedom": LIMIT,
    "alternative": {"enum": list(ALTERNATIVES)},
    "null": NUMBER,
    "caution": MAYBE_TEXT,
}
OUTCOMES = [
    "better",
    "practically the same",
    "better, perhaps by less than the margin",
    "cannot tell",
    "not worse by more than the margin",
]
OMNIBUS = (
    *("iman_davenport", "friedman", "iman_davenport_uncorrected", "friedman_uncorrected"),
    *("friedman_aligned", "quade"),
)


def _list(items: dict[str, Any], least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}


def _columns(**kinds: dict[str, Any]) -> dict[str, Any]:
    """A table as it is printed: a list for each column."""
    return object_of({name: _list(kind) for name, kind in kinds.items()})


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"oneOf": [{"type": "null"}, schema]}


def _shared(names: Iterable[str]) -> dict[str, Any]:
    return {name: found for name, found in definitions().items() if name in set(names)}


FAMILY = _or_null(
    object_of(
        {
            "role": {"enum": ["primary", "secondary"]},
            "adjusted_for": _list(TEXT, 1),
            "pairs": {"type": "integer", "minimum": 1},
        }
    )
)


def verdict_schema() -> dict[str, Any]:
    """What may be said of one difference, with the numbers behind it."""
    verdict = object_of(
        {
            "words": WORDS,
            "outcome": {"enum": OUTCOMES},
            "winner": MAYBE_TEXT,
            "measure": WORDS,
            "first": TEXT,
            "second": TEXT,
            "difference": MAYBE_NUMBER,
            **dict.fromkeys(("low", "high"), LIMIT),
            "level": LEVEL,
            "p_value": MAYBE_SHARE,
            "method": WORDS,
            "n": AMOUNT,
            "margin": MAYBE_NUMBER,
            "n_more": {"type": ["integer", "null"]},
            "detectable": MAYBE_NUMBER,
            "assumptions": TEXT,
            "undefined": MAYBE_TEXT,
            **OF_TEST,
            "headline": WORDS,
            "family": FAMILY,
            "cautions": _list(WORDS),
        }
    )
    # Of scores in cells alone.
    verdict["properties"] |= {"bounds": {**_list(LIMIT, 2), "maxItems": 2}, "se_within": AMOUNT}
    return verdict


def comparison_schema() -> dict[str, Any]:
    """What `assay compare --format json` prints."""
    verdict = verdict_schema()
    counts = {"type": "object", "additionalProperties": COUNT}
    both = object_of({"first": TEXT, "second": TEXT, "cases": COUNT})
    whole = object_of(
        {
            "schema": {"const": "assay.comparison/1"},
            "source": _ref("source"),
            "n": {"type": "integer", "minimum": 1},
            "matched_by": TEXT,
            "unmatched": counts,
            # Who has which cases, where some models lack some.
            "shared": _or_null(object_of({"cases": counts, "pairs": _list(both)})),
            "measure": WORDS,
            "level": LEVEL,
            "models": {"type": "object", "minProperties": 2, "additionalProperties": _ref("estimate")},
            # By the primary measure, then by the measures shown beside it.
            "comparisons": _list(verdict, 1),
            "secondary": _list(verdict),
            "assumptions": WORDS,
            "cautions": _list(_ref("caution")),
        }
    )
    return {
        **head("Classifiers compared on the same cases"),
        **whole,
        "$defs": _shared(("source", "estimate", "caution")),
    }


def evaluations_schema() -> dict[str, Any]:
    """What `assay evaluate --format json` prints about several models: each by itself, and how they compare."""
    verdict = verdict_schema()
    of_pairs = {"comparisons": _list(verdict, 1), "secondary": _list(verdict)}
    answer = object_of({**of_pairs, "assumptions": WORDS, "cautions": _list(_ref("caution"))})
    models = {"type": "object", "minProperties": 1, "additionalProperties": _ref("evaluation")}
    whole = object_of({"schema": {"const": "assay.evaluations/1"}, "models": models})
    # Records of former versions lack it.
    whole["properties"]["comparison"] = _or_null(answer)
    return {
        **head("Several classifiers' evaluations"),
        **whole,
        "$defs": {**definitions(), "evaluation": evaluation_of_one()},
    }


def tests_schema() -> dict[str, Any]:
    """What `assay compare --method venkatraman --format json` prints: a test of each pair that has no difference."""
    pair = object_of(
        {
            **dict.fromkeys(("first", "second"), TEXT),
            **dict.fromkeys(("test", "null", "method"), WORDS),
            "statistic": MAYBE_NUMBER,
            **dict.fromkeys(("p_value", "adjusted"), MAYBE_SHARE),
            "undefined": MAYBE_TEXT,
        }
    )
    about = {"schema": {"const": "assay.tests/1"}, "source": _ref("source"), "n": COUNT, "method": WORDS}
    whole = object_of({**about, "pairs": _list(pair, 1), "caution": WORDS})
    return {**head("Classifiers by a test that has no difference to show"), **whole, "$defs": _shared(("source",))}


def estimates_schema() -> dict[str, Any]:
    """What `assay evaluate --measure MEASURE --format json` prints."""
    every = {"type": "object", "minProperties": 1, "additionalProperties": _ref("estimate")}
    models = {"type": "object", "minProperties": 1, "additionalProperties": every}
    name = {"const": "assay.estimates/1"}
    whole = object_of({"schema": name, "source": _ref("source"), "n": COUNT, "models": models})
    return {
        **head("Some measures alone, by a method that may be named"),
        **whole,
        "$defs": _shared(("source", "estimate")),
    }


def threshold_schema() -> dict[str, Any]:
    """What `assay threshold --format json` prints: of one model at the top, of several below `models`."""
    end = {"oneOf": [NUMBER, {"enum": ["Infinity", "-Infinity"]}]}
    runs = _list({"type": "array", "items": end, "minItems": 2, "maxItems": 2})
    implied = object_of(
        {"is_optimal": YES, "prevalence": SHARE, **dict.fromkeys(("low", "high", "if_calibrated"), MAYBE_NUMBER)}
    )
    demand = object_of(
        {
            "demand": WORDS,
            "measure": WORDS,
            "here": MAYBE_NUMBER,
            "limit": MAYBE_NUMBER,
            "level": LEVEL,
            "missed": MAYBE_SHARE,
            "undefined": MAYBE_TEXT,
        }
    )
    choice = object_of(
        {
            "threshold": end,
            "rule": WORDS,
            "criterion": object_of({"name": WORDS, "title": WORDS, "better": {"enum": ["higher", "lower", "neither"]}}),
            "apparent": NUMBER,
            "optimism": MAYBE_NUMBER,
            "value": _ref("estimate"),
            "place": _ref("estimate"),
            "equally_good": runs,
            "good": runs,
            "tolerance": MAYBE_NUMBER,
            "flagged": SHARE,
            "prevalence": MAYBE_SHARE,
            "constraints": _list(WORDS),
            "demands": _list(demand),
            "counts": object_of(dict.fromkeys(("tp", "fp", "fn", "tn"), AMOUNT)),
            "implied": implied,
            "notes": _list(WORDS),
            "in_use": _or_null(implied),
            "cautions": _list(_ref("caution")),
        }
    )
    name = {"schema": {"const": "assay.threshold/1"}}
    one = {**choice, "properties": {**name, **choice["properties"]}, "required": ["schema", *choice["required"]]}
    models = {"type": "object", "minProperties": 2, "additionalProperties": choice}
    either = {"oneOf": [one, object_of({**name, "models": models})]}
    return {**head("Which threshold to use"), **either, "$defs": _shared(("estimate", "caution"))}


def check_schema() -> dict[str, Any]:
    """What `assay check --format json` prints."""
    limits = dict.fromkeys(("value", "low", "high"), MAYBE_NUMBER)
    difference = object_of(
        {
            **dict.fromkeys(("measure", "first", "second"), TEXT),
            **limits,
            "level": LEVEL,
            "p_value": MAYBE_SHARE,
            "method": WORDS,
            "n": AMOUNT,
            "undefined": MAYBE_TEXT,
            "adjusted": MAYBE_TEXT,
            "target": WORDS,
            **OF_TEST,
            "family": FAMILY,
        }
    )
    demand = object_of(
        {
            "demand": WORDS,
            "status": STATUS,
            "measure": WORDS,
            **dict.fromkeys(("limit", "class", "group", "base"), NAME),
            "operator": {"enum": [">=", ">", "<=", "<"]},
            "bound": NUMBER,
            "found": {"oneOf": [_ref("estimate"), difference]},
            "sentence": WORDS,
        }
    )
    requirement = object_of(
        {"requirement": WORDS, "model": TEXT, "status": STATUS, "sentence": WORDS, "demands": _list(demand, 1)}
    )
    whole = object_of(
        {
            "schema": {"const": "assay.check/1"},
            "source": _ref("source"),
            "status": STATUS,
            "strict": YES,
            "requirements": _list(requirement, 1),
        }
    )
    shares = dict.fromkeys(("fails", "stops"), MAYBE_SHARE)
    power = {
        "demand": WORDS,
        "model": TEXT,
        "worse": AMOUNT,
        **shares,
        "n": AMOUNT,
        "undefined": MAYBE_TEXT,
        "method": WORDS,
    }
    whole["properties"]["power"] = _list(object_of(power), 1)
    return {**head("Requirements and whether they are met"), **whole, "$defs": _shared(("source", "estimate"))}


def ranks_schema() -> dict[str, Any]:
    """What `assay rank --format json` prints."""
    facts = {"test": WORDS, "null": WORDS, "statistic": MAYBE_NUMBER, "p_value": MAYBE_SHARE, "method": WORDS}
    test = object_of({**facts, "undefined": MAYBE_TEXT})
    whole = object_of(
        {
            "schema": {"const": "assay.ranks/1"},
            "better": {"enum": ["higher", "lower"]},
            "alpha": LEVEL,
            "datasets": _list(TEXT, 1),
            "algorithms": _list(TEXT, 2),
            "baselines": _list(TEXT),
            "dropped": COUNT,
            "source": _or_null(_ref("source")),
            "ranks": _list(_list({"type": "number", "minimum": 1}, 2), 1),
            "table": _columns(
                place=_or_null(COUNT),
                algorithm=TEXT,
                mean_rank=MAYBE_NUMBER,
                mean=NUMBER,
                median=NUMBER,
                first=_or_null(COUNT),
            ),
            "omnibus": object_of(dict.fromkeys(OMNIBUS, test)),
            "critical_difference": _critical_difference(),
            "comparisons": _comparisons(),
            "effect_sizes": _list(_effect_size(), 1),
            "adjustments": _or_null(_adjustments()),
            "bayesian": _list(_posterior()),
            "weka": _or_null(_weka()),
            "words": _list(WORDS, 1),
        }
    )
    return {**head("Algorithms ranked over data sets"), **whole, "$defs": _shared(("source",))}


def _critical_difference() -> dict[str, Any]:
    return object_of(
        {
            "method": {"enum": ["Nemenyi", "Bonferroni-Dunn"]},
            "alpha": LEVEL,
            "difference": MAYBE_NUMBER,
            "control": MAYBE_TEXT,
            "mean_ranks": {"type": "object", "additionalProperties": {"type": "number", "minimum": 1}},
            "groups": _list(_list(TEXT, 2)),
            "undefined": MAYBE_TEXT,
        }
    )


def _comparisons() -> dict[str, Any]:
    pairs = _columns(
        **dict.fromkeys(("first", "second"), TEXT),
        difference=NUMBER,
        **dict.fromkeys(("wins", "ties", "losses"), COUNT),
        statistic=MAYBE_NUMBER,
        **dict.fromkeys(("p_value", "adjusted"), MAYBE_SHARE),
        method=WORDS,
    )
    return object_of(
        {
            "test": {"enum": [title for title, _ in TESTS.values()]},
            "adjustment": {"enum": [*ADJUSTMENTS, *LOGICAL, "all pairs at once"]},
            "control": MAYBE_TEXT,
            "pairs": pairs,
        }
    )


def _effect_size() -> dict[str, Any]:
    limits = dict.fromkeys(("value", "low", "high"), MAYBE_NUMBER)
    size = object_of({**limits, "level": LEVEL, "method": WORDS, "n": COUNT, "target": WORDS, "undefined": MAYBE_TEXT})
    size["properties"]["method_id"] = IDENTIFIER
    return object_of({"first": TEXT, "second": TEXT, "delta": size, "gamma": size})


def _adjustments() -> dict[str, Any]:
    """Each column that fits the comparisons; those of all pairs are not there with a control."""
    known = [name for name in (*ADJUSTMENTS, *LOGICAL) if name != "none"]
    kinds = {**dict.fromkeys(("first", "second"), TEXT), **dict.fromkeys(("p_value", *known), MAYBE_SHARE)}
    return {**_columns(**kinds), "required": ["first", "second", "p_value", "bonferroni", "holm"]}


def _posterior() -> dict[str, Any]:
    shares = dict.fromkeys(("first_better", "same", "second_better"), SHARE)
    return object_of({"first": TEXT, "second": TEXT, **shares, "rope": AMOUNT, "error": SHARE})


def _weka() -> dict[str, Any]:
    cells = _columns(
        **dict.fromkeys(("dataset", "algorithm"), TEXT),
        folds={"type": "integer", "minimum": 1},
        mean=NUMBER,
        deviation=MAYBE_NUMBER,
        mark={"enum": ["v", "", "*"]},
        p_value=MAYBE_SHARE,
    )
    ranking = _columns(**{">-<": {"type": "integer"}, ">": COUNT, "<": COUNT, "algorithm": TEXT})
    three = {"type": "array", "items": COUNT, "minItems": 3, "maxItems": 3}
    return object_of(
        {
            "test": WORDS,
            "alpha": LEVEL,
            "base": TEXT,
            "cells": cells,
            "better_same_worse": {"type": "object", "additionalProperties": three},
            "ranking": ranking,
            "undefined": MAYBE_TEXT,
        }
    )


def columns_schema() -> dict[str, Any]:
    """What `assay columns --format json` prints: every column with its role."""
    column = object_of(
        {**dict.fromkeys(("column", "role", "why", "holds"), TEXT), "different": COUNT, "missing": COUNT}
    )
    whole = object_of(
        {
            "schema": {"const": "assay.columns/1"},
            "name": TEXT,
            "rows": COUNT,
            "columns": _list(column, 1),
            "notes": _list(WORDS),
            "stopped": MAYBE_TEXT,
        }
    )
    return {**head("Which column would be taken for what"), **whole}


def moment_schema() -> dict[str, Any]:
    """The schema of one line of `assay stream --format json`."""
    each = {"type": "object", "additionalProperties": _ref("estimate")}
    whole = object_of(
        {
            "schema": {"const": "assay.moment/1"},
            "events": {"type": "integer", "minimum": 1},
            "views": {"type": "object", "additionalProperties": each, "minProperties": 1},
            "error_at_every_look": _ref("estimate"),
            "classes": _list(TEXT),
            "matrix": _list(_list(AMOUNT)),
            "alarms": _list(WORDS),
            "changes": _list(object_of({"events": COUNT, "detector": WORDS})),
        }
    )
    return {**head("A stream at one moment"), **whole, "$defs": _shared(("estimate",))}


def curve_schema() -> dict[str, Any]:
    """What `assay curve --format json` prints: both measures at every threshold, for each model."""
    values = _list({"type": ["number", "null", "string"]}, 1)
    points = {"type": "object", "additionalProperties": values, "minProperties": 3}
    whole = object_of(
        {
            "schema": {"const": "assay.curve/1"},
            **dict.fromkeys(("title", "x", "y"), WORDS),
            "models": {"type": "object", "additionalProperties": points, "minProperties": 1},
        }
    )
    return {**head("Two measures as the threshold moves"), **whole}


def sites_schema() -> dict[str, Any]:
    """What `assay pool --format json` prints: every site first, then the summary over them."""
    limited = object_of({"value": AMOUNT, "low": AMOUNT, "high": AMOUNT})
    each: dict[str, Any] = definitions()["estimate"]
    mean = {**each, "properties": {**each["properties"], "target": {"const": "the mean of sites like these"}}}
    site = object_of(
        {
            "cases": COUNT,
            "classes": {"type": "object", "additionalProperties": COUNT, "minProperties": 2},
            "estimate": _ref("estimate"),
            "weight": MAYBE_SHARE,
            "left_out": MAYBE_TEXT,
            "remark": MAYBE_TEXT,
        }
    )
    test = object_of(
        {"test": WORDS, "null": WORDS, "statistic": AMOUNT, "p_value": SHARE, "method": WORDS, "undefined": MAYBE_TEXT}
    )
    predicted = object_of({"low": LIMIT, "high": LIMIT, "method": WORDS, "undefined": MAYBE_TEXT})
    summary = object_of(
        {
            "measure": WORDS,
            "sites": _list(TEXT, 2),
            "method": {"enum": list(METHODS)},
            "limits": {"enum": list(LIMITS)},
            "scale": WORDS,
            "estimate": mean,
            "prediction": predicted,
            "on_scale": object_of({"estimate": NUMBER, "se": AMOUNT, "low": NUMBER, "high": NUMBER}),
            **dict.fromkeys(("tau2", "i2", "h2"), limited),
            "q": test,
            "weights": {"type": "object", "additionalProperties": SHARE, "minProperties": 2},
            "left_out": {"type": "object", "additionalProperties": TEXT},
        }
    )
    whole = object_of(
        {
            "schema": {"const": "assay.sites/1"},
            "by": NAME,
            "measure": WORDS,
            "level": LEVEL,
            "sites": {"type": "object", "minProperties": 2, "additionalProperties": site},
            "summary": summary,
            "assumptions": WORDS,
            "cautions": _list(_ref("caution")),
        }
    )
    return {**head("One classifier at several sites"), **whole, "$defs": _shared(("estimate", "caution"))}


def sampled_schema() -> dict[str, Any]:
    """What `assay evaluate --inclusion COLUMN --format json` prints: measures from labels of a sample of the rows."""
    each: dict[str, Any] = definitions()["estimate"]
    targets = {"enum": list(TARGETS.values())}
    one = {**each, "properties": {**each["properties"], "target": targets}}
    counts = dict.fromkeys(("rows", "labels", "positives", "negatives"), COUNT)
    ranges = {"type": "object", "additionalProperties": {"type": "array"}, "minProperties": 4}
    whole = object_of(
        {
            "schema": {"const": "assay.sampled/1"},
            "source": _ref("source"),
            "target": targets,
            "labelled": object_of({**counts, "heaviest": SHARE, "ranges": ranges}),
            "classes": {**_list(TEXT, 2), "maxItems": 2},
            "positive": TEXT,
            "threshold": MAYBE_NUMBER,
            "level": LEVEL,
            "assumes": WORDS,
            "measures": {"type": "object", "additionalProperties": one, "minProperties": 1},
            "cautions": _list(_ref("caution")),
        }
    )
    return {**head("Predictions of which a sample is labelled"), **whole, "$defs": _shared(("source", "caution"))}


def sample_schema() -> dict[str, Any]:
    """What `assay sample --format json` prints: how rows were drawn, and what their labels will tell."""
    design = object_of(
        {
            "labels": COUNT,
            "aim": _list(WORDS, 1),
            **dict.fromkeys(("threshold", "floor"), SHARE),
            "kind": {"enum": list(DRAW_KINDS)},
            "seed": COUNT,
            "rows": COUNT,
            "digest": TEXT,
            "score": WORDS,
        }
    )
    names = ("measure", "expected", "half-width", "simple random sample")
    expected = object_of({name: _list(WORDS if name == "measure" else MAYBE_NUMBER, 1) for name in names})
    whole = object_of(
        {
            "schema": {"const": "assay.sample/1"},
            "rows": COUNT,
            "labels": COUNT,
            "design": design,
            "expected": expected,
            "cautions": _list(_ref("caution")),
        }
    )
    return {**head("A sample of rows to label"), **whole, "$defs": _shared(("caution",))}


def experiment_schema() -> dict[str, Any]:
    """What `assay experiment --format json` prints: estimates, or two learners' tests, or what failed."""
    place = dict.fromkeys(("dataset", "learner"), TEXT)
    estimates = _columns(
        **place,
        **dict.fromkeys(("low", "high"), MAYBE_NUMBER),
        method=WORDS,
        **dict.fromkeys(("splits", "failed"), COUNT),
        **dict.fromkeys(("fit_seconds", "predict_seconds", "model_bytes"), MAYBE_AMOUNT),
        undefined=TEXT,
    )
    estimates = _with_measure(estimates)
    validated = _with_measure(
        _columns(
            **place,
            **dict.fromkeys(("training", "validation", "low", "high"), MAYBE_NUMBER),
            method=TEXT,
            **dict.fromkeys(("splits", "failed"), COUNT),
            **dict.fromkeys(("fit_seconds", "predict_seconds", "model_bytes"), MAYBE_AMOUNT),
            undefined=TEXT,
        )
    )
    numbers = dict.fromkeys(("difference", "low", "high", "statistic", "critical"), MAYBE_NUMBER)
    tests = _columns(dataset=TEXT, test=WORDS, **numbers, p=MAYBE_SHARE, note=TEXT)
    failures = _columns(**place, repeat=COUNT, fold=COUNT, error=TEXT)
    kept = dict.fromkeys(("cases", "fit_seconds", "model_bytes"), MAYBE_AMOUNT)
    models = _columns(**place, **kept, fitted_with=TEXT, failed=TEXT)
    plan = {"type": "object", "properties": {"kind": WORDS}, "required": ["kind"]}
    whole = object_of(
        {
            "schema": {"const": "assay.experiment/1"},
            "study": WORDS,
            "plan": plan,
            "seed": {"type": "integer"},
            "cells": object_of(dict.fromkeys(("todo", "running", "done", "failed"), COUNT)),
            "title": WORDS,
            "table": {"oneOf": [estimates, validated, tests, failures, models, *_about_learners(), *_by_part()]},
            "cautions": _list(_ref("caution")),
        }
    )
    return {**head("A study of learners on data sets"), **whole, "$defs": _shared(("caution",))}


def _about_learners() -> list[dict[str, Any]]:
    """Every estimate a plan allows, winners, costs, and the flow of a plan."""
    place, limits = dict.fromkeys(("dataset", "learner"), TEXT), dict.fromkeys(("low", "high"), MAYBE_NUMBER)
    why = {"estimates": WORDS, "no interval because": TEXT}
    every = _columns(**place, measure=WORDS, estimate=MAYBE_NUMBER, **limits, method=WORDS, describes=WORDS, **why)
    errors = dict.fromkeys(("apparent_error", "corrected_error", "optimism"), MAYBE_NUMBER)
    winners = _columns(dataset=TEXT, winner=TEXT, **errors, **limits, **why)
    amounts = ("cases", "fit_seconds", "slowest_fit", "predict_1000_seconds", "model_kilobytes")
    costs = _with_measure(_columns(**place, **dict.fromkeys(amounts, MAYBE_AMOUNT)))
    flow = _columns(dataset=TEXT, repeat=COUNT, fold=COUNT, part=WORDS, cases=COUNT)
    # Every class has a column of its own, empty where another data set has it.
    return [every, winners, costs, flow | {"additionalProperties": _list({"type": ["integer", "string", "null"]})}]


def _by_part() -> list[dict[str, Any]]:
    """Training beside test, all pairs of learners, and winners chosen on one part and judged on another."""
    place, limits = dict.fromkeys(("dataset", "learner"), TEXT), dict.fromkeys(("low", "high"), MAYBE_NUMBER)
    figures = dict.fromkeys(("training", "test", "optimism"), MAYBE_NUMBER)
    against = {"against": {"enum": ["test", "validation"]}, "note": TEXT}
    parts = _columns(**place, **figures, **against)
    aside = _columns(**place, **figures, validation=MAYBE_NUMBER, **against)
    names = dict.fromkeys(("dataset", "first", "second"), TEXT)
    tests = {"statistic": MAYBE_NUMBER, "df": COUNT, "p_value": MAYBE_SHARE, "adjusted": MAYBE_SHARE}
    pairs = _columns(**names, difference=MAYBE_NUMBER, **limits, **tests, method=WORDS, note=TEXT)
    judged = dict.fromkeys(("validation", "test", "optimism"), MAYBE_NUMBER)
    facts = {"winner": TEXT, "candidates": COUNT, "measure": WORDS, "method": WORDS, "estimates": WORDS}
    winners = _columns(dataset=TEXT, **facts, **judged, **limits, **{"no interval because": TEXT})
    return [parts, aside, pairs, winners]


def _with_measure(columns: dict[str, Any]) -> dict[str, Any]:
    """One column more, called as the measure is."""
    exactly = len(columns["required"]) + 1
    return columns | {
        "additionalProperties": _list(MAYBE_NUMBER),
        "minProperties": exactly,
        "maxProperties": exactly,
    }


def model_schema() -> dict[str, Any]:
    """What `assay experiment model --format json` prints."""
    columns = {"type": "object", "additionalProperties": {"type": "array"}}
    rated = object_of(
        {
            "words": WORDS,
            "table": _columns(
                column=TEXT,
                **dict.fromkeys(("value", "low", "high"), MAYBE_NUMBER),
                method=WORDS,
                **{"no interval because": TEXT},
            ),
        }
    )
    whole = object_of(
        {
            "schema": {"const": "assay.experiment-model/1"},
            **dict.fromkeys(("dataset", "learner"), TEXT),
            "cases": COUNT,
            "held_out": COUNT,
            "chosen_on": COUNT,
            "checked": WORDS,
            "kind": WORDS,
            "size": {"type": "object", "additionalProperties": AMOUNT},
            "tree": MAYBE_TEXT,
            "rules": _or_null(columns),
            "coefficients": _or_null(columns),
            "notes": _list(WORDS),
            "importances": _or_null(rated),
        }
    )
    return {**head("One fitted model of a study"), **whole}


def scored_schema() -> dict[str, Any]:
    """What `assay experiment score --format json` prints."""
    cases = {"type": "object", "required": ["prediction"], "additionalProperties": {"type": "array"}}
    whole = object_of(
        {
            "schema": {"const": "assay.experiment-score/1"},
            **dict.fromkeys(("dataset", "learner"), TEXT),
            "words": _list(WORDS),
            "threshold": MAYBE_NUMBER,
            "choice": _or_null({"type": "object", "required": ["threshold", "rule", "value"]}),
            "cases": cases,
        }
    )
    return {**head("New cases scored by a model of a study"), **whole}


def chance_schema() -> dict[str, Any]:
    """What `assay experiment chance --format json` prints."""
    test = object_of(
        {
            **dict.fromkeys(("test", "null", "method"), WORDS),
            "statistic": NUMBER,
            "p_value": SHARE,
            "undefined": {"type": "null"},
        }
    )
    whole = object_of(
        {
            "schema": {"const": "assay.experiment-chance/1"},
            **dict.fromkeys(("dataset", "learner", "measure"), TEXT),
            "value": NUMBER,
            "test": test,
            "permuted": _list(NUMBER, 1),
            "words": WORDS,
        }
    )
    return {**head("A learner beside permuted labels"), **whole}


def items_schema() -> dict[str, Any]:
    """What `assay evaluate LOG --format json` prints: a line for each model, task and scorer."""
    split = object_of(
        {
            "between_items": AMOUNT,
            "within_items": AMOUNT,
            "se": AMOUNT,
            "se_endless_repeats": AMOUNT,
            "se_twice_items": AMOUNT,
            "are_copies": YES,
            "undefined": {"type": "null"},
        }
    )
    variances = {"oneOf": [split, object_of({"undefined": WORDS})]}
    mean: dict[str, Any] = definitions()["estimate"]
    line = object_of(
        {
            **dict.fromkeys(("source", "tool", "task", "model"), TEXT),
            "scorer": WORDS,
            "measure": WORDS,
            "items": COUNT,
            "items_without_score": COUNT,
            "repeats": object_of({"fewest": COUNT, "most": COUNT}),
            "clusters": {"type": ["integer", "null"], "minimum": 1},
            "effective_clusters": MAYBE_AMOUNT,
            "answers": object_of(dict.fromkeys(STATES, COUNT)),
            "estimate": mean,
            "errors_as_wrong": _or_null(mean),
            "variance": variances,
            "cautions": _list(WORDS),
        }
    )
    whole = object_of(
        {
            "schema": {"const": "assay.items/1"},
            "level": LEVEL,
            "lines": _list(line, 1),
            "not_scored": {"type": "object", "additionalProperties": WORDS},
            "clusterings": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 2}},
            "notes": _list(WORDS),
        }
    )
    return {**head("Scores of the answers of language models"), **whole}


def items_comparison_schema() -> dict[str, Any]:
    """What `assay compare LOG LOG --format json` prints: the models, and every pair on its common items."""
    line = items_schema()["properties"]["lines"]["items"]
    pair = object_of(
        {
            "verdict": verdict_schema(),
            "withheld": MAYBE_TEXT,
            "items": COUNT,
            "no_item_differs": YES,
            "variance": line["properties"]["variance"],
        }
    )
    whole = object_of(
        {
            "schema": {"const": "assay.items-comparison/1"},
            "level": LEVEL,
            "margin": MAYBE_AMOUNT,
            "models": {"type": "object", "additionalProperties": line, "minProperties": 2},
            "common_items": COUNT,
            "tied_for_best": _or_null(_list(TEXT, 1)),
            "pairs": _list(pair, 1),
            "cautions": _list(WORDS),
            "notes": _list(WORDS),
        }
    )
    return {**head("Language models compared on the same items"), **whole}


def judge_schema() -> dict[str, Any]:
    """What `assay evaluate FILE --judge COLUMN --format json` prints: the share that passes, for each model."""
    estimate: dict[str, Any] = definitions()["estimate"]
    agreement = {**estimate, "properties": {**estimate["properties"], "target": {"const": "this judge"}}}
    share = object_of(
        {
            "model": TEXT,
            "items": COUNT,
            "labelled": COUNT,
            "estimate": estimate,
            "judge_weight": MAYBE_SHARE,
            "humans_alone": _or_null(estimate),
            "judge_alone": SHARE,
            "agreement": {"type": "object", "additionalProperties": agreement},
            "labelled_part": object_of(
                dict.fromkeys(("agreement", "prevalence", "sensitivity", "specificity"), MAYBE_SHARE)
            ),
            "cautions": _list(WORDS),
        }
    )
    whole = object_of(
        {
            "schema": {"const": "assay.judge/1"},
            "source": TEXT,
            "level": LEVEL,
            "models": {"type": "object", "additionalProperties": share, "minProperties": 1},
        }
    )
    return {**head("A judge and humans"), **whole}


def battles_schema() -> dict[str, Any]:
    """What `assay evaluate BATTLES --format json` prints: the strengths of models."""
    estimate: dict[str, Any] = definitions()["estimate"]
    model = object_of({"battles": COUNT, "points": SHARE, "strength": estimate, "elo": NUMBER})
    whole = object_of(
        {
            "schema": {"const": "assay.battles/1"},
            "source": TEXT,
            "level": LEVEL,
            **dict.fromkeys(("battles", "questions", "ties", "both_bad"), COUNT),
            "models": {"type": "object", "additionalProperties": model, "minProperties": 2},
            "tied_for_best": _list(TEXT, 1),
            "first_place": estimate,
            "cautions": _list(WORDS),
        }
    )
    return {**head("Strengths of models by their battles"), **whole}
