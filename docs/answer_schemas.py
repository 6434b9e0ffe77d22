"""The schemas of what the commands beside `evaluate` print as JSON: compare, threshold, check, rank, stream,
experiment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from docs.schemas import definitions, head, object_of

from assay.ranks import ADJUSTMENTS, LOGICAL, TESTS

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
OUTCOMES = ["better", "practically the same", "better, perhaps by less than the margin", "cannot tell"]
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


def comparison_schema() -> dict[str, Any]:
    """What `assay compare --format json` prints."""
    verdict = object_of(
        {
            "words": WORDS,
            "outcome": {"enum": OUTCOMES},
            "winner": MAYBE_TEXT,
            "measure": WORDS,
            "first": TEXT,
            "second": TEXT,
            **dict.fromkeys(("difference", "low", "high"), MAYBE_NUMBER),
            "level": LEVEL,
            "p_value": MAYBE_SHARE,
            "method": WORDS,
            "n": AMOUNT,
            "margin": MAYBE_NUMBER,
            "n_more": {"type": ["integer", "null"]},
            "detectable": MAYBE_NUMBER,
            "assumptions": TEXT,
            "undefined": MAYBE_TEXT,
        }
    )
    whole = object_of(
        {
            "schema": {"const": "assay.comparison/1"},
            "source": _ref("source"),
            "n": {"type": "integer", "minimum": 1},
            "matched_by": TEXT,
            "unmatched": {"type": "object", "additionalProperties": COUNT},
            "measure": WORDS,
            "level": LEVEL,
            "models": {"type": "object", "minProperties": 2, "additionalProperties": _ref("estimate")},
            "comparisons": _list(verdict, 1),
            "assumptions": WORDS,
            "cautions": _list(_ref("caution")),
        }
    )
    return {
        **head("Classifiers compared on the same cases"),
        **whole,
        "$defs": _shared(("source", "estimate", "caution")),
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
            "dropped": COUNT,
            "source": _or_null(_ref("source")),
            "ranks": _list(_list({"type": "number", "minimum": 1}, 2), 1),
            "table": _columns(place=COUNT, algorithm=TEXT, mean_rank=NUMBER, mean=NUMBER, median=NUMBER, first=COUNT),
            "omnibus": object_of(dict.fromkeys(OMNIBUS, test)),
            "critical_difference": _critical_difference(),
            "comparisons": _comparisons(),
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
    )
    return object_of(
        {
            "test": {"enum": [title for title, _ in TESTS.values()]},
            "adjustment": {"enum": [*ADJUSTMENTS, *LOGICAL, "all pairs at once"]},
            "control": MAYBE_TEXT,
            "pairs": pairs,
        }
    )


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
    tests = _columns(
        dataset=TEXT, test=WORDS, difference=MAYBE_NUMBER, low=MAYBE_NUMBER, high=MAYBE_NUMBER, p=MAYBE_SHARE, note=TEXT
    )
    failures = _columns(**place, repeat=COUNT, fold=COUNT, error=TEXT)
    plan = {"type": "object", "properties": {"kind": WORDS}, "required": ["kind"]}
    whole = object_of(
        {
            "schema": {"const": "assay.experiment/1"},
            "study": WORDS,
            "plan": plan,
            "seed": {"type": "integer"},
            "cells": object_of(dict.fromkeys(("todo", "running", "done", "failed"), COUNT)),
            "title": WORDS,
            "table": {"oneOf": [estimates, tests, failures, *_about_learners()]},
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


def _with_measure(columns: dict[str, Any]) -> dict[str, Any]:
    """One column more, called as the measure is."""
    exactly = len(columns["required"]) + 1
    return columns | {
        "additionalProperties": _list(MAYBE_NUMBER),
        "minProperties": exactly,
        "maxProperties": exactly,
    }
