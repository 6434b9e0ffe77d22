"""`assay sample`, a file that somebody fills, and `assay evaluate --labelled`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Run


@pytest.fixture
def filled(run: Run, tmp_path: Path) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Predictions, and the labels of 120 of them."""
    rng = np.random.default_rng(4)
    score = rng.beta(0.5, 2, 2000).round(4)
    (tmp_path / "preds.csv").write_text("id,score\n" + "\n".join(f"r{k},{s}" for k, s in enumerate(score.tolist())))
    found = run("sample", "preds.csv", "--labels", "120", "--seed", "7", "-o", "to_label.csv")
    assert found.code == 0, found.err
    assert found.out.startswith("120 of 2,000 rows, for recall, precision and F1 at the threshold 0.5.")
    assert "y_true (empty, to be filled in)" in found.err
    with (tmp_path / "to_label.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    truth = np.where(rng.random(2000) < score, 1.0, 0.0)
    for row in rows:
        row["y_true"] = "yes" if truth[int(row["id"][1:])] else "no"
    with (tmp_path / "to_label.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return np.array([truth[score >= 0.5].sum() / truth.sum(), score.mean()])


def test_from_the_draw_to_the_page(run: Run, filled: object, tmp_path: Path) -> None:
    found = run("evaluate", "preds.csv", "--labelled", "to_label.csv", "--html", "page.html")
    assert found.code == 0, found.err
    assert found.out.startswith("Of these 2,000 rows, estimated from 120 labels: recall 0.")
    assert "120 of 2,000 rows are labelled" in found.err
    assert "Labelled rows by score range" in (tmp_path / "page.html").read_text()


def test_some_measures_of_new_cases_as_json(run: Run, filled: object) -> None:
    line = ("evaluate", "preds.csv", "--labelled", "to_label.csv", "--measure", "recall", "--json")
    here, new = (json.loads(run(*line, *more).out)["measures"]["recall"] for more in ((), ("--target", "new")))
    assert here["target"] == "these rows"
    assert new["target"] == "new cases like these"
    assert new["low"] < here["low"] <= here["value"] == new["value"]


def test_how_many_to_label(run: Run, filled: object) -> None:
    found = run("plan", "labels", "preds.csv", "recall", "--half-width", "0.1")
    assert found.code == 0, found.err
    assert found.out.startswith("About ")
    record = json.loads(run("plan", "labels", "preds.csv", "recall", "--half-width", "0.1", "--format", "json").out)
    assert record["labels"] < record["simple"]
    assert "a file and a measure are needed" in run("plan", "labels", "preds.csv").err
    assert "'high' is no number" in run("plan", "accuracy", "high").err


def test_two_models_of_the_same_labels(run: Run, filled: object, tmp_path: Path) -> None:
    lines = (tmp_path / "preds.csv").read_text().splitlines()
    worse = [f"{float(line.split(',')[1]) ** 0.3 * 0.5 + (k * 37 % 101) / 202:.4f}" for k, line in enumerate(lines[1:])]
    both = ["id,score,worse", *(f"{line},{other}" for line, other in zip(lines[1:], worse, strict=True))]
    (tmp_path / "both.csv").write_text("\n".join(both))
    line = ("compare", "both.csv", "--score", "score", "--score", "worse", "--labelled", "to_label.csv")
    found = run(*line)
    assert found.code == 0, found.err
    assert "score - worse: +0." in found.out
    record = json.loads(run(*line, "--measure", "roc_auc", "--measure", "brier", "--measure", "accuracy", "--json").out)
    first, *others = record["differences"]
    assert first["low"] > 0
    assert [each["adjusted"] for each in others] == ["Bonferroni over 2 measures"] * 2
    assert "one of" in run(*line, "--measure", "f1").err
    assert "beside" in run(*line, "--margin", "0.1").err
    assert "score columns" in run("compare", "both.csv", "--labelled", "to_label.csv").err


@pytest.mark.parametrize("form", ["csv", "markdown", "latex"])
def test_every_format(run: Run, filled: object, form: str) -> None:
    found = run("evaluate", "preds.csv", "--labelled", "to_label.csv", "--format", form, "--quiet")
    assert found.code == 0
    assert "Recall" in found.out
    assert not found.err


def test_a_pasteable_way_on(run: Run, filled: object, tmp_path: Path) -> None:
    found = run("sample", "preds.csv")
    assert found.code == 2
    assert "--labels 500" in found.err
    found = run("sample", "preds.csv", "--labels", "100")
    assert "--output to_label.csv" in found.err
    found = run("evaluate", "preds.csv", "--labelled", "preds.csv")
    assert found.code == 3
    assert "the file written by assay sample" in found.err
    found = run("evaluate", "preds.csv", "--labelled", "to_label.csv", "--cluster", "id")
    assert found.code == 2
    assert "--cluster" in found.err


def test_a_file_of_all_labels_is_evaluated_plainly(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    score = rng.random(100)
    lines = [f"{int(rng.random() < s)},{s:.4f},0.5" for s in score.tolist()]
    (tmp_path / "all.csv").write_text("y_true,score,chance\n" + "\n".join(lines))
    one = run("evaluate", "all.csv", "--score", "score", "--inclusion", "chance", "--format", "csv")
    two = run("evaluate", "all.csv", "--score", "score", "--format", "csv")
    assert one.out == two.out
    assert "the inclusion probabilities are not used" in one.err
