"""Models compared from evidence: as from their rows, exactly where sums tell all, within bounds where cells do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import InputError

EXACT = ("brier", "log_loss", "bayes_error", "accuracy", "recall", "specificity", "f1", "mcc", "balanced_accuracy")
ON_CELLS = ("average_precision", "pr_area", "partial_auc", "brier_skill", "log_loss_skill")


@pytest.fixture(scope="module")
def cases() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(5)
    truth = (rng.random(1500) < 0.35).astype(int)
    shared = rng.normal(size=1500)
    gaps = {"forest": 2.0, "bayes": 1.5, "stump": 1.4}
    return truth, {k: 1 / (1 + np.exp(-rng.normal(truth * gap - 1 + 0.8 * shared, 1))) for k, gap in gaps.items()}


@pytest.fixture(scope="module")
def by_rows(cases: tuple[np.ndarray, dict[str, np.ndarray]]) -> assay.Comparison:
    return assay.compare(*cases)


@pytest.fixture(scope="module")
def evidence(cases: tuple[np.ndarray, dict[str, np.ndarray]]) -> assay.Evidence:
    truth, scores = cases
    parts = [assay.reduce(truth[i::3], {k: s[i::3] for k, s in scores.items()}, name=str(i)) for i in range(3)]
    return parts[2] + (parts[0] + parts[1])


@pytest.fixture(scope="module")
def by_sums(evidence: assay.Evidence) -> assay.Comparison:
    return assay.compare(evidence)


@pytest.mark.parametrize("measure", EXACT)
def test_what_sums_tell_is_exact(measure: str, by_rows: assay.Comparison, by_sums: assay.Comparison) -> None:
    for pair in (("forest", "bayes"), ("stump", "forest")):
        rows, sums = by_rows.difference(measure, *pair), by_sums.difference(measure, *pair)
        for name in ("value", "low", "high", "p_value", "n"):
            assert getattr(sums, name) == pytest.approx(getattr(rows, name), rel=1e-5, abs=1e-9), name
        assert (sums.method, sums.bounds) == (rows.method, None)
    assert by_sums.pairs(measure).columns["method"] == by_rows.pairs(measure).columns["method"]


@pytest.mark.parametrize(("measure", "method"), [("roc_auc", None), ("roc_auc", "DeLong"), ("gini", None)])
def test_areas_come_with_bounds(
    measure: str, method: str | None, by_rows: assay.Comparison, by_sums: assay.Comparison
) -> None:
    for pair in (("forest", "bayes"), ("stump", "forest")):
        rows, sums = (each.difference(measure, *pair, method=method) for each in (by_rows, by_sums))
        assert sums.bounds is not None
        assert sums.se_within is not None
        assert sums.se is not None
        assert rows.se is not None
        assert sums.bounds[0] <= rows.value <= sums.bounds[1]
        assert sums.bounds[1] - sums.bounds[0] < rows.se / 100
        assert abs(sums.se - rows.se) <= sums.se_within < 0.1 * rows.se
        assert sums.se == pytest.approx(rows.se, rel=2e-3)
        assert (sums.low, sums.high) == pytest.approx((rows.low, rows.high), abs=1e-4)
        assert sums.method == rows.method
        assert sums.to_dict()["bounds"] == list(sums.bounds)
        assert "bounds" not in rows.to_dict()


@pytest.mark.parametrize("measure", ON_CELLS)
def test_other_measures_of_scores_are_compared_on_cells(
    measure: str, by_rows: assay.Comparison, by_sums: assay.Comparison
) -> None:
    rows, sums = (each.difference(measure, "forest", "bayes") for each in (by_rows, by_sums))
    assert sums.method == "paired influence, on cells"
    assert rows.se is not None
    assert sums.se == pytest.approx(rows.se, rel=0.03)
    assert (sums.low, sums.high) == pytest.approx((rows.low, rows.high), abs=0.05 * rows.se)
    if sums.bounds is not None:
        assert sums.bounds[0] <= rows.value <= sums.bounds[1]


def test_coarse_cells_are_told_of(cases: tuple[np.ndarray, dict[str, np.ndarray]], by_sums: assay.Comparison) -> None:
    truth, scores = cases
    coarse = assay.compare(assay.reduce(truth, {k: 0.5 + score / 1e6 for k, score in scores.items()}, bits=2))
    assert coarse.difference("roc_auc", "forest", "bayes").undefined is not None
    coarse = assay.compare(assay.reduce(truth, scores, bits=4))
    assert "cells are coarse" in str(coarse.difference("roc_auc", "forest", "bayes").caution)
    assert "cells are coarse" in "".join(coarse.sentences("roc_auc"))
    verdict = by_sums.verdict("roc_auc", "forest", "bayes")
    assert verdict.caution is None
    assert verdict.bounds is not None
    assert verdict.to_dict()["bounds"] == list(verdict.bounds)


def test_all_three_at_once(by_rows: assay.Comparison, by_sums: assay.Comparison) -> None:
    assert by_sums.n == by_rows.n == 1500
    rows, sums = (each.differences("roc_auc") for each in (by_rows, by_sums))
    for one, other in zip(rows, sums, strict=True):
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=2e-4)
        assert other.adjusted == one.adjusted
    assert by_sums.test("roc_auc").statistic == pytest.approx(by_rows.test("roc_auc").statistic, rel=5e-3)
    assert by_sums.test("brier").p_value == pytest.approx(by_rows.test("brier").p_value, rel=1e-6)
    assert by_sums.joint_correctness("stump", "bayes") == by_rows.joint_correctness("stump", "bayes")
    assert repr(by_sums.mcnemar("stump", "bayes")) == repr(by_rows.mcnemar("stump", "bayes"))
    verdicts = [each.verdict("roc_auc", "forest", "bayes", margin=0.01).outcome for each in (by_rows, by_sums)]
    assert verdicts == ["better", "better"]


def test_what_looks_at_single_cases_says_so(by_sums: assay.Comparison, evidence: assay.Evidence) -> None:
    asked: list[Callable[[], Any]] = [
        lambda: by_sums.difference("roc_auc", "forest", "bayes", method="bootstrap"),
        lambda: by_sums.difference("roc_auc", "forest", "bayes", method="Hanley-McNeil"),
        lambda: by_sums.difference("average_precision", "forest", "bayes", method="normal"),
        lambda: assay.compare(evidence, threshold=0.3).difference("accuracy", "forest", "bayes"),
    ]
    for ask in asked:
        with pytest.raises(InputError, match=r"the rows: assay\.compare"):
            ask()
    with pytest.raises(InputError, match="the evidence is of one model"):
        assay.compare(assay.reduce([0, 1], [0.2, 0.7]))


def test_weights_count_as_they_do_in_rows(cases: tuple[np.ndarray, dict[str, np.ndarray]]) -> None:
    truth, scores = cases
    weight = np.random.default_rng(1).uniform(0.5, 3, len(truth))
    rows = assay.compare(truth, scores, weight=weight)
    sums = assay.compare(assay.reduce(truth, scores, weight=weight))
    for measure, close in (("roc_auc", 2e-3), ("brier", 1e-9), ("accuracy", 1e-9), ("f1", 2e-4), ("mcc", 2e-4)):
        one, other = (each.difference(measure, "forest", "stump") for each in (rows, sums))
        assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=close, abs=1e-4 if close > 1e-6 else 0)


@pytest.mark.parametrize("truth", [[0, 0, 0], [1], [0, 1], [0, 0, 1, 1], [0, 1] * 10])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_few_cases_or_one_class_are_told_as_rows_tell_them(truth: list[int], is_weighted: bool) -> None:
    rng = np.random.default_rng(0)
    scores = {"a": rng.random(len(truth)), "b": rng.random(len(truth))}
    weight = rng.random(len(truth)) + 0.1 if is_weighted else None
    rows = assay.compare(truth, scores, positive=1, weight=weight)
    sums = assay.compare(assay.reduce(truth, scores, positive=1, weight=weight))
    for measure in ("brier", "accuracy", "average_precision", "f1"):
        assert repr(sums.difference(measure, "a", "b")) == repr(rows.difference(measure, "a", "b"))
    one, other = (each.difference("roc_auc", "a", "b") for each in (rows, sums))
    assert one.undefined == other.undefined
    assert one.value == pytest.approx(other.value, nan_ok=True)


def test_scores_that_are_no_probabilities(cases: tuple[np.ndarray, dict[str, np.ndarray]], tmp_path: Path) -> None:
    truth, scores = cases
    odds = {name: np.log(score / (1 - score)) for name, score in scores.items()}
    rows, sums = assay.compare(truth, odds), assay.compare(assay.reduce(truth, odds))
    one, other = (each.difference("roc_auc", "forest", "bayes") for each in (rows, sums))
    assert other.bounds is not None
    assert other.bounds[0] <= one.value <= other.bounds[1]
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=2e-4)
    sums.report(tmp_path / "page.html")
    with pytest.raises(InputError, match="no default threshold"):
        sums.difference("accuracy", "forest", "bayes")


def test_labels_of_many_classes() -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(["ant", "bee", "cat"], 300)
    labels = {k: np.where(rng.random(300) < right, truth, "ant") for k, right in (("a", 0.8), ("b", 0.5))}
    rows, sums = assay.compare(truth, y_pred=labels), assay.compare(assay.reduce(truth, y_pred=labels))
    for measure in ("accuracy", "macro_f1", "mcc"):
        assert repr(sums.difference(measure, "a", "b")) == repr(rows.difference(measure, "a", "b"))


def test_the_page_of_evidence(by_sums: assay.Comparison, tmp_path: Path) -> None:
    by_sums.report(tmp_path / "page.html")
    assert "forest has a significantly higher ROC AUC than bayes" in (tmp_path / "page.html").read_text()
