"""`assay curve`: any measure of decisions against any other, from a file."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve
from tests.cli.conftest import Run
from tests.front.samples import sources_of_one, value_for
from tests.front.test_every_flag import flag, ran

from assay.request import Request

TRUTH = [int(i % 3 == 0) for i in range(90)]
SCORES = [round((i * 37 % 90) / 90 * 0.7 + 0.3 * y, 3) for i, y in enumerate(TRUTH)]
FILE = "y_true,score\n" + "".join(f"{y},{s}\n" for y, s in zip(TRUTH, SCORES, strict=True))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "predictions.csv"
    path.write_text(FILE)
    return path


def test_the_points_are_those_of_scikit_learn(run: Run, file: Path) -> None:
    out = run("curve", str(file), "--x", "recall", "--y", "precision", "--format", "csv", "--quiet").out
    rows = list(csv.DictReader(io.StringIO(out)))[1:]
    precision, recall, _ = precision_recall_curve(TRUTH, SCORES, drop_intermediate=False)
    np.testing.assert_allclose([float(row["recall"]) for row in rows], recall[:-1][::-1])
    np.testing.assert_allclose([float(row["precision"]) for row in rows], precision[:-1][::-1])


def test_a_picture_and_a_short_table(run: Run, file: Path) -> None:
    found = run("curve", str(file), "--svg", "out.svg")
    assert "ROC" not in found.err
    assert "24 of 91 points" in found.out
    assert len(found.out.splitlines()) < 30
    assert ET.parse(file.parent / "out.svg").getroot().tag.endswith("svg")


def test_the_threshold_itself(run: Run, file: Path) -> None:
    record = json.loads(run("curve", str(file), "--x", "threshold", "--y", "f1", "--json").out)
    assert record["x"] == "threshold"
    assert max(value for one in record["models"].values() for value in one["f1"] if value is not None) <= 1


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--x", "roc_auc"), "roc_auc is one number for all thresholds together"),
        (("--y", "brier"), "brier is one number for all thresholds together"),
        (("--y", "threshold"), "type --x threshold"),
        (("--y", "acuracy"), "did you mean accuracy"),
        (("--y", "f_beta(0)"), "beta is 0"),
    ],
)
def test_what_is_no_measure_of_decisions_is_refused_by_name(
    run: Run, file: Path, asked: tuple[str, ...], words: str
) -> None:
    found = run("curve", str(file), *asked)
    assert found.code == 2
    assert words in found.err
    assert not found.out


def test_labels_alone_have_no_curve(run: Run, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("y_true,y_pred\n0,0\n1,1\n1,0\n")
    found = run("curve", str(tmp_path / "labels.csv"))
    assert found.code == 3
    assert "--score" in found.err


def test_one_class_has_no_picture(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("y_true,score\n0,0.1\n0,0.4\n")
    found = run("curve", str(tmp_path / "one.csv"), "--svg", "out.svg", "--positive", "1")
    assert found.code in (2, 3)
    assert not (tmp_path / "out.svg").exists()


OTHER = {"x_axis": "recall", "y_axis": "precision", "svg": "c.svg"}
FLAGS = [name for name, each in Request.options().items() if "curve" in each.commands]


@pytest.mark.parametrize("name", FLAGS)
def test_every_flag_counts_or_is_refused_by_name(name: str, tmp_path: Path) -> None:
    file = str(sources_of_one(tmp_path, name)["file"].data)
    line = ["curve", file, *([] if name == "format" else ["--json"])]
    value = OTHER.get(name) or value_for(name, "file")
    code, said = ran(tmp_path, [*line, *flag(Request, name, value)])
    assert "a bug of ours" not in said
    if code in (2, 3):
        assert name in said or name.replace("_", "-") in said or repr(value) in said, said
        return
    # What an option has no say in here is said where it is declared.
    is_idle = "curve" in Request.options()[name].idle
    assert is_idle or (code, said) != ran(tmp_path, line), f"{name} is ignored: {said[:300]}"
