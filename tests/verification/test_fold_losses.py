"""The simulator of mean losses over folds: what it draws, and that it tells intervals that hold from others."""

import numpy as np
import pytest
from verification._fold_losses import LEARNERS, _sample, loss_jobs, loss_rows

from assay.experiments.estimates import FoldScores
from verification import _fold_losses as simulated

CONSTANT = (("constant",), 500, (0.8, 0.2), "10 folds, stratified", 40)


def test_classes_lie_as_far_apart_as_is_said() -> None:
    cases, truth = _sample(np.random.default_rng(0), 60_000, (0.5, 0.3, 0.2), 2.0)
    assert np.bincount(truth) / 60_000 == pytest.approx([0.5, 0.3, 0.2], abs=0.01)
    for features in (slice(0, 5), slice(5, 10)):
        means = np.array([cases[truth == k, features].mean(0) for k in range(3)])
        assert [np.linalg.norm(means[i] - means[j]) for i, j in ((0, 1), (0, 2), (1, 2))] == pytest.approx(
            [2] * 3, abs=0.05
        )


def test_learners_give_probabilities() -> None:
    rng = np.random.default_rng(1)
    cases, truth = _sample(rng, 300, (0.5, 0.3, 0.2), 2.0)
    said = LEARNERS["good"].fitted(cases, truth, cases)
    assert said.sum(1) == pytest.approx(np.ones(300))
    assert (said.argmax(1) == truth).mean() > 0.7
    # A discriminant of equal covariances says on average what the class shares are.
    assert said.mean(0) == pytest.approx(np.bincount(truth) / 300, abs=0.05)
    assert LEARNERS["even"].fitted(cases, truth, cases[:2]) == pytest.approx(np.full((2, 3), 1 / 3))


def test_the_same_design_gives_the_same_rows_and_they_hold() -> None:
    rows = loss_rows((*CONSTANT[:4], 15))
    again = loss_rows((*CONSTANT[:4], 15))
    assert [row.width for row in rows] == [row.width for row in again]
    assert {row.verdict for row in rows} <= {"ok", "refused"}


def test_without_the_least_variance_a_constant_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    held = loss_rows(CONSTANT)[0]
    monkeypatch.setattr(FoldScores, "least", property(lambda self: 0.0))
    monkeypatch.setattr(FoldScores, "is_alike", property(lambda self: False))
    missed = loss_rows(CONSTANT)[0]
    assert held.coverage > 0.9
    assert missed.coverage < 0.7
    assert missed.verdict == "MISS"


def test_every_measure_and_plan_is_simulated() -> None:
    jobs = loss_jobs(quick=False)
    assert {plan for *_, plan, _ in jobs} == set(simulated.PLANS)
    assert {name for names, *_ in jobs for name in names} == set(LEARNERS)
    assert {len(shares) for _, _, shares, _, _ in jobs} == {2, 3}
    assert len(set(jobs)) == len(jobs)
