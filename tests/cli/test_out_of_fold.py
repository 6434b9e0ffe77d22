"""Out-of-fold predictions as a file that the other commands read."""

from __future__ import annotations

import json
from pathlib import Path

import pandas
import pytest
from tests.cli.conftest import Run

import assay


@pytest.mark.parametrize("end", ["csv", "parquet"])
def test_a_file_is_read_by_the_other_commands(run: Run, end: str, tmp_path: Path) -> None:
    file = f"oof.{end}"
    plan = assay.plans.kfold(3)
    assay.experiment(["breast_cancer", "iris"], ["nb", "tree"], plan, store="study.db", jobs=1).store.close()
    done = run("experiment", "predictions", "study.db", "--dataset", "breast_cancer", "--learner", "nb", "-o", file)
    assert (done.code, "Positive class: benign (--positive)." in done.err) == (0, True)
    shown = json.loads(run("evaluate", file, "--positive", "benign", "--json").out)
    columns = {"truth": "truth", "score": "proba_benign", "pred": "prediction", "fold": "fold"}
    assert shown["source"]["columns"] == columns
    assert shown["n"] == 569
    assert run("check", file, "--positive", "benign", "--require", "roc_auc >= 0.5").code == 0
    both = f"both.{end}"
    several = ("--dataset", "iris", "--learner", "nb", "--learner", "tree")
    assert run("experiment", "predictions", "study.db", *several, "-o", both).code == 0
    assert "nb" in run("compare", both).out
    if end == "parquet":
        assert len(pandas.read_parquet(tmp_path / both)) == 300
