"""What more cases, or a larger difference, would show: by the method whose verdict is foretold."""

from __future__ import annotations

import math
import pickle
from functools import partial

import numpy as np
import pytest
from scipy.special import expit, ndtri

import assay
from assay.comparison import joint_auc
from assay.comparison.forecasts import cases_factor
from assay.comparison.power import score_test_power
from assay.evaluation import half_width_at
from assay.evidence import ConfusionMatrix, ScoreTable, multiplied
from assay.evidence.paired import PairedCorrectness, PairedDecisions

MEASURES = ("roc_auc", "accuracy", "recall", "brier", "log_loss", "average_precision", "f1", "mcc")


def scores(rng: np.random.Generator, n: int, positives: int, areas: list[float], shared: float = 0.5) -> np.ndarray:
    """Normal scores of several classifiers with these AUCs, correlated within a class."""
    truth, d = np.arange(n) < positives, math.sqrt(2) * ndtri(np.array(areas))
    common = rng.standard_normal((n, 1))
    own = math.sqrt(shared) * common + math.sqrt(1 - shared) * rng.standard_normal((n, len(areas)))
    return np.asarray(expit(d * (own + d * truth[:, None] - d / 2) + math.log(positives / (n - positives))))


@pytest.mark.parametrize("measure", MEASURES)
def test_fresh_samples_of_the_size_foretold_are_half_as_wide(measure: str) -> None:
    """Where few cases are misranked the width falls faster than with the root: at four times as many it was 0.34."""
    rng, n, positives = np.random.default_rng(3), 240, 60

    def evaluated(times: float) -> assay.TwoClassEvaluation:
        ones, total = round(times * positives), round(times * n)
        return assay.evaluate((np.arange(total) < ones).astype(int), scores(rng, total, ones, [0.97])[:, 0], positive=1)

    factors, before, after = [], [], []
    for _ in range(10):
        ev = evaluated(1)
        found, named = ev.estimate(measure), ev.find(measure)
        width = (found.high - found.low) / 2
        at = half_width_at(partial(ev.estimate_of, named), ev.evidence_for(named))
        factors.append(cases_factor(width, width / 2, at))
        before.append(width)
    for _ in range(10):
        found = evaluated(float(np.mean(factors))).estimate(measure)
        after.append((found.high - found.low) / 2)
    assert np.mean(after) / np.mean(before) == pytest.approx(0.5, rel=0.1)


def test_multiplied_evidence_is_the_evidence_of_repeated_rows() -> None:
    rng = np.random.default_rng(1)
    # So many clusters that codes of the few would be too narrow for those of the many.
    truth, score, cluster = rng.integers(0, 2, 240), rng.random(240).round(1), np.arange(240) // 3
    thrice = [np.tile(part, 3) for part in (truth, score)]
    clusters = np.concatenate([cluster + 80 * copy for copy in range(3)])
    for design, repeated in (
        ({}, {}),
        ({"weight": 1 + score}, {"weight": np.tile(1 + score, 3)}),
        ({"cluster": cluster}, {"cluster": clusters}),
    ):
        one, other = assay.evaluate(truth, score, **design), assay.evaluate(*thrice, **repeated)
        for measure in ("roc_auc", "brier", "accuracy", "f1"):
            named = one.find(measure)
            evidence = one.evidence_for(named)
            assert isinstance(evidence, ConfusionMatrix | ScoreTable)
            found = one.estimate_of(named, multiplied(evidence, 3))
            wanted = other.estimate(measure)
            assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-9), (measure, design)
    paired = PairedDecisions(np.arange(8.0).reshape(2, 2, 2), ("a", "b"), ("a", "b"))
    assert multiplied(paired, 2).correctness() == PairedCorrectness(2 * paired.correctness().counts)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_difference_knows_its_width_on_more_cases(measure: str) -> None:
    rng, n, positives = np.random.default_rng(5), 300, 40
    truth = (np.arange(n) < positives).astype(int)
    given = scores(rng, n, positives, [0.9, 0.88])
    once = assay.compare(truth, dict(zip("ab", given.T, strict=True)), positive=1).difference(measure, "a", "b")
    twice = assay.compare(np.tile(truth, 2), dict(zip("ab", np.tile(given, (2, 1)).T, strict=True)), positive=1)
    assert once.forecast is not None
    assert once.forecast.half_width is not None
    assert once.forecast.half_width(1) == pytest.approx(once.half_width, rel=1e-6)
    wanted = twice.difference(measure, "a", "b").half_width
    # A posterior is drawn, and average precision leaves a case's own row out.
    assert once.forecast.half_width(2) == pytest.approx(wanted, rel=0.02)
    # What is stored or sent holds no cases.
    assert pickle.loads(pickle.dumps(once)).forecast is None
    assert "forecast" not in once.to_dict()


def test_as_many_more_cases_as_a_verdict_names_make_the_interval_as_narrow_as_the_margin() -> None:
    rng, n, positives = np.random.default_rng(7), 200, 24
    truth = (np.arange(n) < positives).astype(int)
    cmp = assay.compare(truth, dict(zip("ab", scores(rng, n, positives, [0.93, 0.92]).T, strict=True)), positive=1)
    verdict = cmp.verdict("roc_auc", "a", "b", margin=0.03)
    assert verdict.n_more is not None
    found = cmp.difference("roc_auc", "a", "b")
    by_root = n * (found.half_width / 0.03) ** 2 - n
    # Widths fall faster than with the root where small-sample corrections fade.
    assert verdict.n_more < 0.9 * by_root
    assert found.forecast is not None
    assert found.forecast.half_width is not None
    assert found.forecast.half_width(1 + verdict.n_more / n) == pytest.approx(0.03, rel=0.02)


def test_the_difference_of_accuracies_that_would_show_has_that_power() -> None:
    rng, n = np.random.default_rng(2), 400
    truth = rng.integers(0, 2, n)
    right = rng.random((2, n)) < 0.85
    cmp = assay.compare(
        truth, y_pred={name: np.where(one, truth, 1 - truth) for name, one in zip("ab", right, strict=True)}
    )
    verdict = cmp.verdict("accuracy", "a", "b")
    alone = float((right[0] != right[1]).mean())
    # Whoever is worse errs on more cases: their disagreement grows by the difference.
    power = score_test_power(n, alone + verdict.detectable, verdict.detectable)
    assert verdict.outcome == "cannot tell"
    assert power == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(("n", "positives", "auc"), [(200, 100, 0.85), (1000, 300, 0.75), (400, 40, 0.9)])
def test_the_difference_of_aucs_that_would_show_has_that_power(n: int, positives: int, auc: float) -> None:
    rng, truth = np.random.default_rng(6), (np.arange(n) < positives).astype(int)
    detectable = [
        assay.compare(truth, dict(zip("ab", scores(rng, n, positives, [auc, auc]).T, strict=True)), positive=1)
        .verdict("roc_auc", "a", "b")
        .detectable
        for _ in range(20)
    ]
    shown, areas = 0, [auc, auc - float(np.mean(detectable))]
    for _ in range(500):
        drawn = scores(rng, n, positives, areas)
        shown += joint_auc(truth, dict(zip("ab", drawn.T, strict=True))).difference(0, 1).low > 0
    assert shown / 500 >= 0.78 - 2 * math.sqrt(0.16 / 500)
