"""The schemas of what `--format json` prints, made from the code; `docs.generate` writes them to docs/schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.cautions import rules
from assay.measures import Measure, registry, registry_of_many
from assay.request import CARD_FIELDS

# What per_class adds where there are scores.
OF_CLASS_SCORES = ("roc_auc", "average_precision", "brier")
IDENTIFIER = {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}
CALIBRATION = ("observed_to_expected", "slope", "in_the_large", "miscalibration")


def head(title: str) -> dict[str, Any]:
    """How every schema begins."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$comment": "docs/generate.py", "title": title}


def evaluation_schema() -> dict[str, Any]:
    """The schema of what `assay evaluate --format json` prints about one model."""
    return {**head("One classifier's evaluation"), **evaluation_of_one(), "$defs": definitions()}


def evaluation_of_one() -> dict[str, Any]:
    """The record of one model, without the definitions it refers to."""
    names = {"type": "array", "items": {"type": "string"}, "minItems": 2}
    whole = {"type": "integer", "minimum": 1}
    measures = {
        "type": "object",
        "properties": {name: {"$ref": "#/$defs/estimate"} for name in {**registry, **registry_of_many}},
        "additionalProperties": False,
    }
    of_one_class = [name for name, measure in registry.items() if measure.of_one_class]
    rates = {
        "type": "object",
        "properties": {name: {"$ref": "#/$defs/estimate"} for name in (*of_one_class, *OF_CLASS_SCORES)},
        "required": of_one_class,
        "additionalProperties": False,
    }
    counts = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}
    subgroup = object_of({"n": whole, "class_counts": counts, "measures": measures})
    record = object_of(
        {
            "schema": {"const": "assay.evaluation/1"},
            "source": {"$ref": "#/$defs/source"},
            "classes": names,
            "positive": {"type": ["string", "null"]},
            "threshold": {"type": ["number", "null"]},
            "n": whole,
            "measures": measures,
            "per_class": {"type": "object", "additionalProperties": rates},
            "calibration": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/calibration"}]},
            "confusion": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/confusion"}]},
            "baseline": {"$ref": "#/$defs/baseline"},
            "cautions": {"type": "array", "items": {"$ref": "#/$defs/caution"}},
        }
    )
    parted = {
        "by": {"type": "string"},
        "subgroups": {"type": "object", "additionalProperties": subgroup},
        "gaps": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/gaps"}]},
    }
    share = {"type": "number"}
    areas = {"recall_area": share, "recall_of_best": share, "amount_area": share, "undefined": {"type": "string"}}
    record["properties"] |= parted | {"risk_chart": {"oneOf": [{"type": "null"}, object_of(areas)]}}
    record["properties"]["card"] = {
        "type": "object",
        "properties": {name: {"type": "string", "minLength": 1} for name in CARD_FIELDS},
        "additionalProperties": False,
        "minProperties": 1,
    }
    record["dependentRequired"] = {
        "by": ["subgroups", "gaps"],
        "subgroups": ["by", "gaps"],
        "gaps": ["by", "subgroups"],
    }
    # Without a positive class there are more than two, which have measures of their own.
    record["if"] = {"properties": {"positive": {"type": "null"}}}
    record["then"], record["else"] = _exactly(registry_of_many), _exactly(registry)
    return record


def _exactly(measures: Mapping[str, Measure]) -> dict[str, Any]:
    names = list(measures)
    return {"properties": {"measures": {"required": names, "propertyNames": {"enum": names}}}}


def definitions() -> dict[str, Any]:
    """What several schemas refer to."""
    text, maybe_number = {"type": "string"}, {"type": ["number", "null"]}
    # JSON has no infinity: it goes by its name.
    limit = {"oneOf": [maybe_number, {"enum": ["Infinity", "-Infinity"]}]}
    reason = {"type": "string", "minLength": 1}
    estimate = object_of(
        {
            "value": limit,
            "low": limit,
            "high": limit,
            "level": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "method": reason,
            "n": {"type": "number", "minimum": 0},
            "target": {"enum": ["this classifier", "the models of these folds", "this model"]},
            "undefined": {"type": ["string", "null"], "minLength": 1},
        }
    )
    estimate["properties"] |= {"method_id": IDENTIFIER, "se": {"type": "number", "minimum": 0}, "caution": reason}
    # Of scores in cells: between what it lies, whatever they are.
    estimate["properties"]["bounds"] = {"type": "array", "items": limit, "minItems": 2, "maxItems": 2}
    without_value = {"properties": {key: {"type": "null"} for key in ("low", "high")}}
    estimate["allOf"] = [
        {"if": {"properties": {"value": {"type": "null"}}}, "then": without_value},
        {
            "if": {"properties": {"low": {"type": "null"}}},
            "then": {"properties": {"high": {"type": "null"}, "undefined": reason}},
            "else": {"properties": {"high": {"not": {"type": "null"}}, "undefined": {"type": "null"}}},
        },
    ]
    column = {"oneOf": [text, {"type": "array", "items": text}]}
    source = object_of(
        {
            "name": text,
            "format": text,
            "rows": {"type": "integer", "minimum": 0},
            "dropped": {"type": "integer", "minimum": 0},
            "columns": {"type": "object", "additionalProperties": column},
            "design": {"type": "object", "additionalProperties": column},
            "sha256": {"type": ["string", "null"], "pattern": "^[0-9a-f]{64}$"},
            "positive_inferred": {"type": "boolean"},
            "duplicates": {"type": "integer", "minimum": 0},
            "defaulted": {"type": "integer", "minimum": 0},
            "notes": {"type": "array", "items": text},
            "unused": {"type": "array", "items": text},
            "remarks": {"type": "array", "items": text},
            "kernels": {"enum": ["compiled", "numpy"]},
        }
    )
    gap = object_of(
        {
            "column": text,
            "group": text,
            "n": {"type": "integer", "minimum": 0},
            **dict.fromkeys(("value", "rest", "low", "high"), maybe_number),
            "p_value": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
            "method": reason,
            "gap": maybe_number,
            "undefined": {"type": ["string", "null"], "minLength": 1},
        }
    )
    gaps = object_of(
        {
            "measure": {"enum": [*{**registry, **registry_of_many}]},
            "columns": {"type": "array", "items": text, "minItems": 1},
            "level": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "comparisons": {"type": "integer", "minimum": 0},
            "groups": {"type": "array", "items": gap},
            "undefined": {"type": ["string", "null"], "minLength": 1},
            "sentence": reason,
        }
    )
    rows = {"type": "array", "items": {"type": "array", "items": {"type": "number", "minimum": 0}}}
    names = {"type": "array", "items": text, "minItems": 2}
    all_names = {**registry, **registry_of_many}
    values = {"type": "object", "properties": dict.fromkeys(all_names, maybe_number), "additionalProperties": False}
    answer = {"type": "object", "properties": {"answer": {}, "measures": values}, "required": ["measures"]}
    answers = ("majority", "always_positive", "prior_random", "constant_probability")
    return {
        "estimate": estimate,
        "gaps": gaps,
        "source": source,
        "calibration": object_of({name: {"$ref": "#/$defs/estimate"} for name in CALIBRATION}),
        "confusion": object_of({"true": names, "predicted": names, "counts": rows}),
        "baseline": {
            "type": "object",
            "properties": dict.fromkeys(answers, answer),
            "required": ["majority", "prior_random"],
            "additionalProperties": False,
        },
        "caution": object_of({"code": {"enum": sorted(rules)}, "message": reason}),
    }


def object_of(properties: dict[str, Any]) -> dict[str, Any]:
    """An object with exactly these keys."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
