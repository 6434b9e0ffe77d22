"""`assay curve`: any measure of decisions against any other, from a file."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve
from tests.cli.conftest import Run
from tests.front.samples import sources_of_one, value_for
from tests.front.test_every_flag import flag, ran

import assay
from assay.report.renderers.json import json_text
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
        (("--x", "roc_auc"), "roc_auc is one number for all thresholds"),
        (("--y", "brier"), "brier is one number for all thresholds"),
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


DRAWN = [kind for kind in Request.options()["kind"].choices if kind not in ("measures", "average")]


@pytest.mark.parametrize("kind", DRAWN)
def test_a_picture_by_its_name_is_what_python_draws(run: Run, file: Path, kind: str) -> None:
    found = json.loads(run("curve", str(file), "--kind", kind, "--json", "--svg", "out.svg").out)
    curves = assay.evaluate(TRUTH, SCORES, positive=1).curves
    roc = curves.roc_picture(perfect=True)
    named = {"roc": roc, "risk": curves.risk_chart()}
    own: Any = named.get(kind) or getattr(curves, kind.replace("-", "_"))
    own = own() if callable(own) else own
    (table,) = found["models"].values()
    assert table == json.loads(json_text(own.table().to_dict()))
    assert (file.parent / "out.svg").read_text() == own.svg()
    assert found["title"] == own.drawing().title


def test_the_risk_chart_of_an_amount(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{y},{s},{100 * y + i}\n" for i, (y, s) in enumerate(zip(TRUTH, SCORES, strict=True)))
    (tmp_path / "claims.csv").write_text("y_true,score,dollars\n" + rows)
    found = run("curve", "claims.csv", "--kind", "risk", "--amount", "dollars", "--format", "csv", "--quiet")
    assert "risk" in found.out.splitlines()[0].split(",")
    assert "risk" not in run("curve", "claims.csv", "--kind", "risk", "--format", "csv", "--quiet").out.splitlines()[0]


FOLDED = "y_true,score,part\n" + "".join(
    f"{y},{s},{i // 18}\n" for i, (y, s) in enumerate(zip(TRUTH, SCORES, strict=True))
)


@pytest.mark.parametrize(
    ("method", "how", "ties"),
    [
        ((), "vertical", None),
        (("--method", "horizontal"), "horizontal", None),
        (("--method", "threshold"), "threshold", None),
        (("--method", "rocr-vertical"), "vertical", "mean"),
        (("--method", "rocr-horizontal"), "horizontal", "mean"),
    ],
)
def test_the_mean_of_folds_by_its_name(
    run: Run, tmp_path: Path, method: tuple[str, ...], how: str, ties: str | None
) -> None:
    (tmp_path / "folded.csv").write_text(FOLDED)
    found = json.loads(run("curve", "folded.csv", "--kind", "average", "--fold", "part", *method, "--json").out)
    ev = assay.evaluate(TRUTH, SCORES, positive=1, fold=np.arange(90) // 18)
    (table,) = found["models"].values()
    assert table == json.loads(json_text(ev.curves.fold_average(how, ties=ties).table().to_dict()))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--amount", "y_true"), "type --kind risk"),
        (("--method", "vertical"), "type --kind average"),
        (("--kind", "average", "--method", "sideways"), "'rocr-vertical'"),
        (("--kind", "average"), "--fold is not given"),
        (("--kind", "cost", "--x", "recall"), "which has fixed axes"),
    ],
)
def test_what_a_kind_cannot_use_is_refused_by_name(run: Run, file: Path, asked: tuple[str, ...], words: str) -> None:
    found = run("curve", str(file), *asked)
    assert found.code == 2
    assert words in found.err


def test_a_picture_with_many_lines_is_of_one_model(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{y},{s},{1 - s}\n" for y, s in zip(TRUTH, SCORES, strict=True))
    (tmp_path / "two.csv").write_text("y_true,score__a,score__b\n" + rows)
    found = run("curve", "two.csv", "--kind", "risk", "--svg", "out.svg")
    assert (found.code, "shows one model" in found.err) == (2, True)
    assert not (tmp_path / "out.svg").exists()
    assert run("curve", "two.csv", "--kind", "risk", "--score", "score__a", "--svg", "out.svg").code == 0
    assert run("curve", "two.csv", "--kind", "cost", "--svg", "both.svg").code == 0


OTHER = {"kind": "cost", "x_axis": "recall", "y_axis": "precision", "svg": "c.svg"}
FLAGS = [name for name, each in Request.options().items() if "curve" in each.commands]


@pytest.mark.parametrize("name", FLAGS)
def test_every_flag_counts_or_is_refused_by_name(name: str, tmp_path: Path) -> None:
    file = str(sources_of_one(tmp_path, name)["file"].data)
    line = ["curve", file, *([] if name == "format" else ["--json"])]
    value = OTHER.get(name) or value_for(name, "file")
    code, said = ran(tmp_path, [*line, *flag(Request, name, value)])
    assert "internal error" not in said
    if code in (2, 3):
        assert name in said or name.replace("_", "-") in said or repr(value) in said, said
        return
    # What an option has no say in here is said where it is declared.
    is_idle = "curve" in Request.options()[name].idle
    assert is_idle or (code, said) != ran(tmp_path, line), f"{name} is ignored: {said[:300]}"
