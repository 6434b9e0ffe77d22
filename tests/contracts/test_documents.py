"""What is published: the JSON contract and its schema, and pages made from the code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from docs.answer_schemas import evaluations_schema
from docs.generate import HERE, pages, schemas
from docs.schemas import evaluation_schema
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

import assay
from assay.cautions import rules
from assay.measures import registry

FIXED = [
    "roc_auc",
    "average_precision",
    "brier",
    "log_loss",
    "accuracy",
    "error_rate",
    "recall",
    "specificity",
    "precision",
    "npv",
    "f1",
    "balanced_accuracy",
    "g_mean",
    "kappa",
    "mcc",
    "fpr",
    "fnr",
    "informedness",
]
TRUTH, SCORE = [0, 1, 1, 0, 1, 0, 0, 1], [0.1, 0.9, 0.6, 0.7, 0.8, 0.2, 0.3, 0.4]


def evaluations() -> dict[str, Any]:
    return {
        "scores": assay.evaluate(TRUTH, SCORE),
        "labels": assay.evaluate(TRUTH, y_pred=[0, 1, 0, 0, 1, 0, 1, 1], positive=1),
        "unseen labels": assay.evaluate(["a", "b", "b"], y_pred=["a", "b", "x"], positive="b"),
        "logits": assay.evaluate(TRUTH, [5 * s - 3 for s in SCORE]),
        "logits with a threshold": assay.evaluate(TRUTH, [5 * s - 3 for s in SCORE], threshold=0.0),
        "one class": assay.evaluate([0, 0, 0], [0.1, 0.2, 0.3]),
        "certain and wrong": assay.evaluate([0, 1, 1], [1.0, 0.0, 0.7]),
        "counts": assay.from_counts(tp=1, fn=0, fp=0, tn=0),
        "constant": assay.evaluate(TRUTH, [0.5] * 8),
        "narrow": assay.evaluate(TRUTH, SCORE, level=0.5),
        "subgroups": assay.evaluate(TRUTH, SCORE, by=list("aabbabab")),
        "weights": assay.evaluate(TRUTH, SCORE, weight=[0.5, 1, 2, 1, 1, 3, 1, 1]),
        "three classes": assay.evaluate(list("abcabc"), y_pred=list("abcaac"), by=list("xyxyxy")),
    }


EVALUATIONS = evaluations()


@pytest.mark.parametrize("name", schemas())
def test_the_schema_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(schemas()[name])


@pytest.mark.parametrize("name", EVALUATIONS)
def test_the_schema_describes_what_is_printed(name: str) -> None:
    record = EVALUATIONS[name].to_dict()
    text = json.dumps(record, allow_nan=False)
    Draft202012Validator(evaluation_schema()).validate(json.loads(text))
    assert json.loads(text) == record


def test_the_schema_describes_several_models() -> None:
    several = assay.evaluate_models(TRUTH, {"a": SCORE, "b": SCORE[::-1]})
    record = json.loads(json.dumps(several.to_dict(), allow_nan=False))
    Draft202012Validator(evaluations_schema()).validate(record)
    assert record["schema"] == "assay.evaluations/1"
    assert list(record["models"]) == ["a", "b"]


SPOILED: dict[str, Any] = {
    "another schema": {"schema": "assay.evaluation/2"},
    "no cases": {"n": 0},
    "a key nobody knows": {"surprise": 1},
    "an unknown measure": {"measures": {"astrology": {}}},
    "an unknown caution": {"cautions": [{"code": "A999", "message": "?"}]},
}


@pytest.mark.parametrize("name", SPOILED)
def test_the_schema_refuses(name: str) -> None:
    with pytest.raises(ValidationError):
        Draft202012Validator(evaluation_schema()).validate(EVALUATIONS["scores"].to_dict() | SPOILED[name])


@pytest.mark.parametrize("change", [{"value": None}, {"low": None}, {"low": None, "high": None}, {"undefined": "why"}])
def test_the_schema_refuses_nan_without_a_reason_and_a_reason_without_nan(change: dict[str, Any]) -> None:
    record = EVALUATIONS["scores"].to_dict()
    record["measures"]["accuracy"] |= change
    with pytest.raises(ValidationError):
        Draft202012Validator(evaluation_schema()).validate(record)


def test_the_contract_of_the_issue() -> None:
    record = EVALUATIONS["scores"].to_dict()
    assert list(record) == (
        [
            "schema",
            "source",
            "classes",
            "positive",
            "threshold",
            "n",
            "measures",
            "per_class",
            "calibration",
            "confusion",
            "baseline",
            "cautions",
        ]
    )
    assert record["schema"] == "assay.evaluation/1"
    assert record["classes"] == ["0", "1"]
    assert record["positive"] == "1"
    assert record["threshold"] == 0.5
    assert record["n"] == 8
    assert set(FIXED) <= set(record["measures"])
    assert list(record["per_class"]) == ["0", "1"]
    assert record["confusion"]["true"] == record["confusion"]["predicted"] == ["0", "1"]
    assert record["confusion"]["counts"] == [[3, 1], [1, 3]]
    auc = record["measures"]["roc_auc"]
    assert list(auc) == ["value", "low", "high", "level", "method", "method_id", "n", "target", "undefined", "se"]
    assert auc["n"] == 8
    assert record["measures"]["recall"]["n"] == 4  # the cases of the denominator
    assert EVALUATIONS["labels"].to_dict()["threshold"] is None


def test_nan_is_null_with_its_reason() -> None:
    record = EVALUATIONS["one class"].to_dict()["measures"]
    assert record["roc_auc"]["value"] is None
    assert record["roc_auc"]["undefined"]
    assert record["accuracy"]["value"] is not None


def test_the_fixed_names_are_measures() -> None:
    assert set(FIXED) <= set(registry)


@pytest.mark.parametrize("name", pages())
def test_generated_pages_are_up_to_date(name: str) -> None:
    path: Path = HERE / name
    assert path.read_text(encoding="utf-8") == pages()[name], "type: make docs"


def test_the_pages_name_everything() -> None:
    measures, cautions = pages()["measures.md"], pages()["cautions.md"]
    for name in registry:
        assert f"(`{name}`)" in measures
    for code in rules:
        assert f"### {code} " in cautions


def test_the_readme_counts_measures_without_an_interval() -> None:
    """Its table and its text give the numbers that the list of measures has; the default tables show none of them."""
    readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
    rows = [line for line in pages()["measures.md"].splitlines() if line.startswith("| `")]
    none = sum(line.endswith("| none |") for line in rows)
    assert f"Of the {len(rows)} measures in [the list](docs/measures.md) {none} have none" in readme
    assert f"| on {len(rows) - none} of {len(rows)} measures, the others say why not |" in readme
    assert all(next(iter(measure.intervals.methods)) != "none" for measure in registry.values())
