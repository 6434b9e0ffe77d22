"""What a terminal shows of labels alone, of several models, and of a rare class."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay

Run = Callable[..., Any]


@pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_labels_alone_show_every_class_and_the_matrix(
    run: Run, tmp_path: Path, classes: tuple[str, ...], form: str
) -> None:
    truth = [classes[k % len(classes)] for k in range(120)]
    called = [classes[(k + (k % 7 == 0)) % len(classes)] for k in range(120)]
    path = tmp_path / "labels.csv"
    path.write_text("y_true,y_pred\n" + "".join(f"{t},{p}\n" for t, p in zip(truth, called, strict=True)))
    positive: dict[str, Any] = {"positive": "yes"} if len(classes) == 2 else {}
    said = run("evaluate", str(path), "--format", form, *(part for k, v in positive.items() for part in (f"--{k}", v)))
    ev = assay.evaluate(truth, y_pred=called, **positive)
    assert ev.matrix is not None
    for name in classes:
        (row,) = [
            line
            for line in said.out.splitlines()
            if line.lstrip("| ").startswith(name) and line.count("[") >= 3 and str(truth.count(name)) in line
        ]
        for measure in ("precision", "recall", "f1"):
            found = ev.per_class[name][measure]
            assert f"{found.value:.3f}" in row
            assert f"{found.low:.3f}, {found.high:.3f}" in row
    counts = [str(int(n)) for n in ev.matrix.counts[0]]
    assert any(all(re.search(rf"\b{n}\b", line) for n in counts) for line in said.out.splitlines())
    assert f"{ev.estimate('balanced_accuracy').value:.3f}" in said.out


def test_of_very_many_classes_it_says_how_many_are_left_out(run: Run, tmp_path: Path) -> None:
    rows = [(f"c{k % 50}", f"c{(k + (k % 3 == 0)) % 50}") for k in range(1000)]
    path = tmp_path / "many.csv"
    path.write_text("y_true,y_pred\n" + "".join(f"{t},{p}\n" for t, p in rows))
    said = run("evaluate", str(path)).out
    assert "12 of 50 classes" in said
    assert "and 38 more" in said
    assert len(said.splitlines()) < 60


def scores_of(tmp_path: Path, models: str, *, long: bool = False, cut: int = 0) -> Path:
    """Classifiers of falling strength on the same cases, a column each or one below the other."""
    place = np.arange(300)
    truth = (place % 3 == 0).astype(int)
    scores = {m: ((place * (37 + 4 * k) % 101) / 101 + (0.9 - 0.4 * k) * truth) / 2 for k, m in enumerate(models)}
    path = tmp_path / "models.csv"
    if long:
        kept = [
            (t, s, m) for m in models for t, s in list(zip(truth, scores[m], strict=True))[cut * (m != models[0]) :]
        ]
        path.write_text("y_true,score,model\n" + "".join(f"{t},{s},{m}\n" for t, s, m in kept))
    else:
        lines = zip(truth, *scores.values(), strict=True)
        head = ",".join(["y_true", *(f"score__{m}" for m in models)])
        path.write_text("\n".join([head, *(",".join(map(str, line)) for line in lines)]))
    return path


@pytest.mark.parametrize("models", ["ab", "abc"])
def test_several_models_are_compared_where_they_are_evaluated(run: Run, tmp_path: Path, models: str) -> None:
    path, page = scores_of(tmp_path, models), tmp_path / "page.html"
    said = run("evaluate", str(path), "--html", str(page))
    asked = run("compare", str(path))
    assert "a has a significantly higher ROC AUC than b." in asked.out
    found = re.search(r"^ROC AUC .*?(\+0\.\d+) +(\[0\.\d+, 0\.\d+\]) .*< 0\.001 \*", asked.out, re.MULTILINE)
    assert found is not None
    assert f"{found[1]} {found[2]}, paired DeLong" in " ".join(said.out.split())
    assert "Overlapping intervals" not in said.out
    assert "Which is better" in page.read_text(encoding="utf-8")
    assert "a has a significantly higher ROC AUC than b." in page.read_text(encoding="utf-8")
    if len(models) > 2:
        assert "a has the best ROC AUC" in said.out
        assert "3 comparisons at once" in " ".join(said.out.split())


def test_models_of_other_rows_are_said_not_to_be_pairs(run: Run, tmp_path: Path) -> None:
    together = run("evaluate", str(scores_of(tmp_path, "ab", long=True)))
    assert "a has a significantly higher ROC AUC than b." in together.out
    page = tmp_path / "page.html"
    apart = run("evaluate", str(scores_of(tmp_path, "ab", long=True, cut=1)), "--html", str(page))
    assert apart.code == 0
    assert "do not hold the same true classes in the same order" in " ".join(apart.out.split())
    assert "significantly" not in apart.out
    assert "do not hold the same true classes" in page.read_text(encoding="utf-8")


def test_a_rare_class_is_not_rounded_away(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rare.csv"
    rows = [(int(k < 10), round((k * 37 % 1009) / 5000 + 0.1 * (k < 10), 4)) for k in range(100_000)]
    path.write_text("y_true,score\n" + "".join(f"{t},{s}\n" for t, s in rows))
    said = run("evaluate", str(path))
    assert "(0.010 %, 10 rows)" in said.err
    assert re.search(r"Accuracy +0\.999900  \[0\.999816, 0\.999946\]", said.out)
    assert 'Always predicting "0" has an accuracy of 0.9999.' in said.out
    assert not re.search(r"\b100\.0 %|\b0\.0 %", said.out)
