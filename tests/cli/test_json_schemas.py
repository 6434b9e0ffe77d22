"""What the commands print as JSON, held against the schemas that are published."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from docs.generate import schemas
from jsonschema import Draft202012Validator
from tests.cli.conftest import Run
from tests.items.logs import BATTLES, INSPECT_A, INSPECT_B, JUDGE, PROMPTFOO, SUMS_A

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
FLOWERS = "sepal length (cm),sepal width (cm),petal length (cm),petal width (cm)\n5,3,1,0.2\n6,3,5,2"
NO_VALUES = "dataset,tree,knn\na,1,1\nb,1,1\n"
FILES = {
    "scores.csv": SCORES,
    "ranks.csv": RANKS,
    "folds.csv": FOLDS,
    "tied.csv": NO_VALUES,
    "study.toml": STUDY,
    "flowers.csv": FLOWERS,
}
FILES["parts.toml"] = 'plan = "train_validation_test"\ndatasets = ["iris"]\nlearners = ["nb", "stump"]\njobs = 1\n'
SITES = ["target,score,site", *(f"{i % 2},{(i * 37 + 40 * (i % 2)) % 101 / 101},{'nsew'[i // 40]}" for i in range(160))]
FILES |= {"sites.csv": "\n".join([*SITES, "0,0.2,alone", "0,0.4,alone"])}
FILES |= {
    "north.csv": "\n".join(SITES[:40]).replace(",site", ",day"),
    "south.csv": "\n".join([SITES[0], *SITES[60:90]]),
}
FILES["south.csv"] = FILES["south.csv"].replace(",site", ",day")
LABELLED = [f"r{i},{(i * 37) % 101 / 101},0.5,{'' if i % 2 else 'ab'[(i * 37) % 101 > 50]}" for i in range(160)]
FILES["drawn.csv"] = "\n".join(["id,score,chance,y_true", *LABELLED])
FILES["beside.csv"] = RANKS.replace("knn", "dummy", 1)
TWO = ("--score", "a", "--score", "b")
NB = ("--learner", "nb")
JUDGED = ("evaluate", str(JUDGE), "--judge", "judge")
CALLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "two models": ("comparison-1", ("compare", "scores.csv", *TWO, "--margin", "0.01")),
    "by a method that was named": ("comparison-1", ("compare", "scores.csv", *TWO, "--method", "delong")),
    "by a test of whole curves": ("tests-1", ("compare", "scores.csv", *TWO, "--method", "venkatraman")),
    "one side": ("comparison-1", ("compare", "scores.csv", *TWO, "--alternative", "greater", "--measure", "brier")),
    "no worse": ("comparison-1", ("compare", "scores.csv", *TWO, "--non-inferior", "--margin", "0.1")),
    "some measures alone": (
        "estimates-1",
        ("evaluate", "scores.csv", *TWO, "--measure", "roc_auc", "--measure", "recall", "--method", "wald"),
    ),
    "some measures of evidence": ("estimates-1", ("evaluate", "cells.evidence", "--measure", "roc_auc")),
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
    "what a gate would catch": (
        "check-1",
        ("check", "scores.csv", "--score", "a", "--require", "roc_auc >= 0.1", "--power-for", "0.03"),
    ),
    "against another file": (
        "check-1",
        ("check", "scores.csv", "--score", "a", "--require", "delta(roc_auc, scores.csv) >= -0.5"),
    ),
    "a curve": ("curve-1", ("curve", "scores.csv", "--score", "a", "--x", "recall", "--y", "precision")),
    "curves of two": ("curve-1", ("curve", "scores.csv", *TWO, "--x", "threshold", "--y", "f1")),
    "sites": ("sites-1", ("pool", "sites.csv", "--by", "site")),
    "sites by a fixed effect": ("sites-1", ("pool", "sites.csv", "--by", "site", "--method", "fixed")),
    "sites as files": ("sites-1", ("pool", "north.csv", "south.csv", "--prediction", "k-2", "--measure", "log_loss")),
    "labels of a sample": ("sampled-1", ("evaluate", "drawn.csv", "--inclusion", "chance", "--positive", "b")),
    "rows to label": ("sample-1", ("sample", "drawn.csv", "--score", "score", "--labels", "40", "-o", "to_label.csv")),
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
        for what in ("estimates", "optimism", "winner", "costs", "flow")
    },
    "a part to choose on": ("experiment-1", ("experiment", "show", "parts.toml")),
    **{
        f"{what} of parts": ("experiment-1", ("experiment", "show", "parts.toml", f"--{what}"))
        for what in ("optimism", "winner")
    },
    "ranks beside a baseline": ("ranks-1", ("rank", "beside.csv")),
    "what failed": ("experiment-1", ("experiment", "show", "study.toml", "--failures")),
    "kept models": ("experiment-1", ("experiment", "show", "study.toml", "--models")),
    "a model": ("experiment-model-1", ("experiment", "model", "study.toml", *NB, "--fold", "0", "--importances")),
    "a kept model": ("experiment-model-1", ("experiment", "model", "study.toml", *NB)),
    "scored cases": ("experiment-score-1", ("experiment", "score", "study.toml", "flowers.csv", *NB)),
    "a log": ("items-1", ("evaluate", str(INSPECT_A), "--scorer", "match", "--cluster", "metadata.passage")),
    "a log with several scorers": ("items-1", ("evaluate", str(SUMS_A))),
    "two logs": ("items-comparison-1", ("compare", str(INSPECT_A), str(INSPECT_B), "--scorer", "match")),
    "models of one log": ("items-comparison-1", ("compare", str(PROMPTFOO), "--scorer", "score", "--margin", "0.1")),
    "a judge beside humans": ("judge-1", (*JUDGED, "--human", "human", "--by", "model")),
    "a judge with known errors": ("judge-1", (*JUDGED, "--sensitivity", "90/100", "--specificity", "60/80")),
    "battles": ("battles-1", ("evaluate", str(BATTLES))),
    "battles with clusters": ("battles-1", ("evaluate", str(BATTLES), "--cluster", "question_id")),
    "permuted labels": ("experiment-chance-1", ("experiment", "chance", "study.toml", *NB, "--permutations", "3")),
}


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The studies, run once with their models: what is shown of them changes nothing in their stores."""
    folder = tmp_path_factory.mktemp("studied")
    for file in ("study.toml", "parts.toml"):
        (folder / file).write_text(FILES[file], encoding="utf-8")
        line = [sys.executable, "-m", "assay", "experiment", "run", file, "--quiet", "--keep-models"]
        subprocess.run(line, cwd=folder, check=False, capture_output=True)
    return folder


@pytest.mark.parametrize("name", CALLS)
def test_the_schema_describes_what_is_printed(
    run: Run, tmp_path: Path, name: str, request: pytest.FixtureRequest
) -> None:
    schema, arguments = CALLS[name]
    if arguments[0] == "experiment" and arguments[1] != "run":
        shutil.copytree(request.getfixturevalue("studied"), tmp_path, dirs_exist_ok=True)
    for file, text in FILES.items():
        (tmp_path / file).write_text(text + "\n", encoding="utf-8")
    if "cells.evidence" in arguments:
        assert run("reduce", "scores.csv", "--score", "a", "--bits", "3", "-o", "cells.evidence").code == 0
    silent = arguments[0] == "columns" or arguments[1] in ("model", "chance")  # they say nothing beside their answer
    quiet = () if silent else ("--quiet",)
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
    # Those of evaluations are checked with the documents, that of a file's header with the files.
    assert called == set(schemas()) - {"evaluation-1", "evaluations-1", "evidence-1", "evidence-2"}
