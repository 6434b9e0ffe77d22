"""Writes the pages and the schema that are made from the registry: `python -m docs.generate`.

A test regenerates them in memory and compares, so what is published is what the code says.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docs import gallery

from assay.cautions import rules
from assay.evidence import ConfusionMatrix
from assay.measures import Measure, on_request, registry, registry_of_many

HERE = Path(__file__).parent
FAMILIES = {
    "ranking": "Ranking: do positives score higher than negatives?",
    "probability": "Probability: are the scores good as probabilities?",
    "rates": "Rates: what share of cases fared how, given the decisions",
    "agreement": "Agreement: one number for a whole confusion matrix",
}
# What per_class adds where there are scores.
OF_CLASS_SCORES = ("roc_auc", "average_precision", "brier")
CALIBRATION = ("observed_to_expected", "slope", "in_the_large", "miscalibration")
KINDS = {"A1": "The data", "A2": "Probabilities", "A3": "Decisions", "A4": "Comparisons", "A5": "Experiments"}
GENERATED = "<!-- Made by docs/generate.py from the code: change it there and type `make docs`. -->\n"


def pages() -> dict[str, str]:
    """Every generated file with its text, by its path below docs/."""
    return {
        "measures.md": measures_page(),
        "cautions.md": cautions_page(),
        "schema/evaluation-1.json": _json(evaluation_schema()),
        "schema/evaluations-1.json": _json(evaluations_schema()),
    }


def measures_page() -> str:
    """All measures: a table for each family, then each with its facts."""
    parts = [GENERATED, "# Measures\n", f"{len(registry)} measures. `assay explain NAME` prints the same facts.\n"]
    for family, title in FAMILIES.items():
        kept = [measure for measure in registry.values() if measure.family == family]
        parts += [f"## {title}\n", _table(kept), *map(_section, kept)]
    by_name = list(on_request.values())
    parts += ["## Found by name, shown in no table\n", _table(by_name), *map(_section, by_name)]
    return "\n".join([*parts, *_many_classes()])


def _many_classes() -> list[str]:
    """What is different with more than two classes."""
    others = [m for name, m in registry_of_many.items() if name not in registry or m.needs is not ConfusionMatrix]
    same = [f"`{name}`" for name, m in registry_of_many.items() if m not in others]
    intro = (
        f"Rates of one class stand in `per_class`, each class against the rest. {', '.join(same)} are what they are "
        "for two classes, taken over the classes that occur. Their averages and what reads the scores of all classes:\n"
    )
    return ["## More than two classes\n", intro, _table(others), *map(_section, others)]


def cautions_page() -> str:
    """All cautions with their explanation."""
    parts = [GENERATED, "# Cautions\n", "`assay explain CODE` prints the same.\n"]
    for prefix, title in KINDS.items():
        kept = [rules[code] for code in sorted(rules) if code.startswith(prefix)]
        parts += [f"## {title} ({prefix}xx)\n"] + [f"### {r.code} {r.title}\n\n{r.explanation}\n" for r in kept]
    return "\n".join(parts)


def evaluation_schema() -> dict[str, Any]:
    """The schema of what `assay evaluate --format json` prints about one model."""
    return {**_head("assay.evaluation/1", "One classifier's evaluation"), **_evaluation(), "$defs": _definitions()}


def evaluations_schema() -> dict[str, Any]:
    """The schema of what it prints about several models."""
    models = {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/evaluation"}}
    return {
        **_head("assay.evaluations/1", "Several classifiers' evaluations"),
        **_record({"schema": {"const": "assay.evaluations/1"}, "models": models}),
        "$defs": {**_definitions(), "evaluation": _evaluation()},
    }


def _evaluation() -> dict[str, Any]:
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
    subgroup = _record({"n": whole, "class_counts": counts, "measures": measures})
    record = _record(
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
    parted = {"by": {"type": "string"}, "subgroups": {"type": "object", "additionalProperties": subgroup}}
    record["properties"] |= parted
    record["dependentRequired"] = {"by": ["subgroups"], "subgroups": ["by"]}
    # Without a positive class there are more than two, which have measures of their own.
    record["if"] = {"properties": {"positive": {"type": "null"}}}
    record["then"], record["else"] = _exactly(registry_of_many), _exactly(registry)
    return record


def _exactly(measures: Mapping[str, Measure]) -> dict[str, Any]:
    names = list(measures)
    return {"properties": {"measures": {"required": names, "propertyNames": {"enum": names}}}}


def _definitions() -> dict[str, Any]:
    text, number, maybe_number = {"type": "string"}, {"type": "number"}, {"type": ["number", "null"]}
    reason = {"type": "string", "minLength": 1}
    estimate = _record(
        {
            "value": maybe_number,
            "low": maybe_number,
            "high": maybe_number,
            "level": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "method": reason,
            "n": {"type": "number", "minimum": 0},
            "target": {"enum": ["this classifier", "the algorithm"]},
            "undefined": {"type": ["string", "null"], "minLength": 1},
        }
    )
    without_value = {"properties": {key: {"type": "null"} for key in ("low", "high")}}
    estimate["allOf"] = [
        {"if": {"properties": {"value": {"type": "null"}}}, "then": without_value},
        {
            "if": {"properties": {"low": {"type": "null"}}},
            "then": {"properties": {"high": {"type": "null"}, "undefined": reason}},
            "else": {"properties": {"high": number, "undefined": {"type": "null"}}},
        },
    ]
    column = {"oneOf": [text, {"type": "array", "items": text}]}
    source = _record(
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
        "source": source,
        "calibration": _record({name: {"$ref": "#/$defs/estimate"} for name in CALIBRATION}),
        "confusion": _record({"true": names, "predicted": names, "counts": rows}),
        "baseline": {
            "type": "object",
            "properties": dict.fromkeys(answers, answer),
            "required": ["majority", "prior_random"],
            "additionalProperties": False,
        },
        "caution": _record({"code": {"enum": sorted(rules)}, "message": reason}),
    }


def _record(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _head(name: str, title: str) -> dict[str, Any]:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$comment": "docs/generate.py", "title": title}


def _json(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2) + "\n"


def _table(measures: list[Measure]) -> str:
    lines = ["| name | measure | formula | range | better | interval |", "|---|---|---|---|---|---|"]
    for m in measures:
        cells = (f"`{m.name}`", m.title, f"`{m.notation}`", _range(m), m.better, next(iter(m.intervals.methods)))
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _section(measure: Measure) -> str:
    facts = {
        "Undefined when": measure.undefined,
        "Intervals": ", ".join(measure.intervals.methods) + " (the first by default)",
        "Supposing that": measure.intervals.assumes,
        "Also called": ", ".join(f"`{alias}`" for alias in measure.aliases),
        "Reference": measure.reference,
    }
    listed = "".join(f"- {label}: {fact}\n" for label, fact in facts.items() if fact)
    return f"### {measure.title} (`{measure.name}`)\n\n{measure.definition}\n\n{listed}"


def _range(measure: Measure) -> str:
    return " to ".join(
        "infinity" if end == math.inf else "-infinity" if end == -math.inf else f"{end:g}" for end in measure.bounds
    )


def main() -> None:
    """Write every generated file, the gallery's pictures too."""
    for name, text in {**pages(), **gallery.pages()}.items():
        path = HERE / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
