"""What the commands print as JSON, held against the schemas that are published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from docs.generate import schemas
from jsonschema import Draft202012Validator
from tests.cli.conftest import Run

SCORES = "\n".join(
    ["target,a,b", *(f"{int(i % 3 == 0)},{(i * 37 % 100) / 100},{(i * 53 % 90) / 100}" for i in range(120))]
)
RANKS = "\n".join(
    ["dataset,tree,knn,bayes", *(f"d{i},{0.9 - i / 50},{0.8 - i % 3 / 50},{0.7 + i % 2 / 9}" for i in range(12))]
)
FOLDS = "\n".join(
    ["dataset,fold,algorithm,accuracy"]
    + [
        f"d{d},{f},{a},{(d * 7 + f * 3 + len(a) * 5) % 11 / 11}"
        for d in range(3)
        for f in range(4)
        for a in ("x", "yy")
    ]
)
STUDY = 'plan = { kind = "kfold", folds = 3 }\ndatasets = ["iris"]\nlearners = ["nb", "SVC"]\njobs = 1\n'.replace(
    '"SVC"', '{ path = "sklearn.svm.SVC", params = { kernel = "precomputed" } }'
)
NO_VALUES = "dataset,tree,knn\na,1,1\nb,1,1\n"
FILES = {"scores.csv": SCORES, "ranks.csv": RANKS, "folds.csv": FOLDS, "tied.csv": NO_VALUES, "study.toml": STUDY}
TWO = ("--score", "a", "--score", "b")
CALLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "two models": ("comparison-1", ("compare", "scores.csv", *TWO, "--margin", "0.01")),
    "one threshold": ("threshold-1", ("threshold", "scores.csv", "--score", "a", "--maximise", "f1")),
    "a threshold in use": (
        "threshold-1",
        ("threshold", "scores.csv", "--score", "a", "--cost-fp", "1", "--cost-fn", "9", "--threshold", "0.5"),
    ),
    "two thresholds": ("threshold-1", ("threshold", "scores.csv", *TWO, "--at-least", "specificity=0.5")),
    "requirements": (
        "check-1",
        ("check", "scores.csv", "--score", "a", "--require", "roc_auc >= 0.1 and recall.low > 0.9"),
    ),
    "against another file": (
        "check-1",
        ("check", "scores.csv", "--score", "a", "--require", "delta(roc_auc, scores.csv) >= -0.5"),
    ),
    "columns": ("columns-1", ("columns", "scores.csv", "--score", "a")),
    "a stream": ("moment-1", ("stream", "scores.csv", "--score", "a", "--reference", "0.1", "--every", "999")),
    "columns that are asked about": ("columns-1", ("columns", "scores.csv")),
    "ranks": ("ranks-1", ("rank", "ranks.csv")),
    "everything about ranks": ("ranks-1", ("rank", "ranks.csv", "--rope", "0.01", "--all-adjustments")),
    "ranks against a control": ("ranks-1", ("rank", "ranks.csv", "--control", "knn", "--all-adjustments")),
    "Nemenyi": ("ranks-1", ("rank", "ranks.csv", "--test", "nemenyi", "--better", "lower")),
    "WEKA's table": ("ranks-1", ("rank", "folds.csv", "--weka")),
    "nothing but ties": ("ranks-1", ("rank", "tied.csv")),
    "a study": ("experiment-1", ("experiment", "run", "study.toml")),
    "two learners": ("experiment-1", ("experiment", "show", "study.toml", "--compare", "nb", "dummy")),
    **{
        f"{what} of a study": ("experiment-1", ("experiment", "show", "study.toml", f"--{what}"))
        for what in ("estimates", "winner", "costs", "flow")
    },
    "what failed": ("experiment-1", ("experiment", "show", "study.toml", "--failures")),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_schema_describes_what_is_printed(run: Run, tmp_path: Path, name: str) -> None:
    for file, text in FILES.items():
        (tmp_path / file).write_text(text + "\n", encoding="utf-8")
    schema, arguments = CALLS[name]
    if arguments[:2] == ("experiment", "show"):
        run("experiment", "run", "study.toml", "--quiet")
    quiet = () if arguments[0] == "columns" else ("--quiet",)  # it says nothing beside its answer
    outcome = run(*arguments, "--format", "json", *quiet)
    assert outcome.out, outcome.err
    record = json.loads(outcome.out)
    found = [f"{'/'.join(map(str, e.path))}: {e.message[:200]}" for e in _validator(schema).iter_errors(record)]
    assert found == []
    assert record["schema"].replace("assay.", "").replace("/", "-") == schema


def _validator(name: str) -> Any:
    return Draft202012Validator(schemas()[name])


SPOILED: dict[str, dict[str, Any]] = {
    "another version": {"schema": "assay.ranks/2"},
    "a key nobody knows": {"surprise": 1},
    "no data sets": {"datasets": []},
    "a level of 1": {"alpha": 1},
    "an unknown adjustment": {"comparisons": {"adjustment": "hope"}},
}


@pytest.mark.parametrize("name", SPOILED)
def test_the_schema_refuses(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "ranks.csv").write_text(RANKS + "\n", encoding="utf-8")
    record = json.loads(run("rank", "ranks.csv", "--json").out)
    assert _validator("ranks-1").is_valid(record)
    assert not _validator("ranks-1").is_valid(record | SPOILED[name])


def test_every_schema_has_a_call() -> None:
    called = {schema for schema, _ in CALLS.values()}
    assert called == set(schemas()) - {"evaluation-1", "evaluations-1"}  # those are checked with the documents
