"""The power of gates: that of the gate's own verdicts at the true value asked about, whatever was seen."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, ndtri
from scipy.stats import binom

from assay.comparison.labels import tango_limits
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import find, registry
from assay.testing import Gate, GatePower, gate_power, parse
from assay.testing.gates import judge

Cells = tuple[int, int, int, int]


def matrix_of(cells: Cells) -> ConfusionMatrix:
    tp, fn, fp, tn = cells
    return ConfusionMatrix.binary(tp=tp, fn=fn, fp=fp, tn=tn)


def gate_of(cells: Cells, level: float) -> Gate:
    tp, fn, fp, tn = cells
    truth = np.repeat([1, 1, 0, 0], cells)
    label = np.repeat([1, 0, 1, 0], (tp, fn, fp, tn))
    return Gate.of(truth, y_pred=label, positive=1, level=level)


def power_of(requirement: str, cells: Cells, worse: float, level: float = 0.95) -> GatePower:
    (outcome,) = gate_of(cells, level).check(requirement)
    return gate_power(outcome.findings[0], worse)


def shares(measure: str, right: int, n: int) -> Cells:
    """A confusion matrix in which a share is `right` of `n`."""
    return {
        "accuracy": (right, n - right, 0, 0),
        "error_rate": (n - right, right, 0, 0),
        "recall": (right, n - right, 3, 4),
        "specificity": (5, 6, n - right, right),
        "precision": (right, 2, n - right, 7),
        "npv": (8, n - right, 9, right),
    }[measure]


def enumerated(requirement: str, n: int, truth: float, level: float) -> tuple[float, float]:
    """How often the demand fails and does not pass, from its verdict on every count there can be."""
    (demand,) = parse(requirement).demands
    measure = registry[demand.quantity.measure]
    fails = stops = 0.0
    for count, weight in enumerate(binom.pmf(np.arange(n + 1), n, truth)):
        found = measure.estimate(matrix_of(shares(measure.name, count, n)), level=level)
        status = judge(demand, found, "", rows=n).status
        fails += weight * (status == "fail")
        stops += weight * (status != "pass")
    return fails, stops


def test_the_printed_power_of_200_random_gates_is_the_exact_binomial_one() -> None:
    rng = np.random.default_rng(39)
    for _ in range(200):
        measure = str(rng.choice(["accuracy", "recall", "specificity", "error_rate", "precision", "npv"]))
        n, level = int(rng.integers(12, 400)), float(rng.choice([0.8, 0.9, 0.95, 0.99]))
        bound, worse = round(float(rng.uniform(0.3, 0.97)), 3), round(float(rng.uniform(0.01, 0.25)), 3)
        limit = str(rng.choice(["", "", ".low", ".value", ".high"]))
        sign, compared = (1, rng.choice(["<=", "<"])) if measure == "error_rate" else (-1, rng.choice([">=", ">"]))
        bound = 1 - bound if sign > 0 else bound
        truth = bound + sign * worse
        requirement = f"{measure}{limit} {compared} {bound:.3f}"
        bound = float(f"{bound:.3f}")
        found = power_of(requirement, shares(measure, int(rng.integers(1, n)), n), worse, level)
        fails, stops = enumerated(requirement, n, bound + sign * worse, level)
        assert 0 < truth < 1
        assert (found.fails, found.stops) == pytest.approx((fails, stops), abs=1e-6), (requirement, n, worse, level)
        assert found.method == "exact binomial"


@pytest.mark.parametrize("right", [60, 85, 93, 99])
def test_what_was_seen_does_not_move_the_power(right: int) -> None:
    found = power_of("recall >= 0.9", shares("recall", right, 100), 0.05)
    assert (found.fails, found.stops) == pytest.approx(enumerated("recall >= 0.9", 100, 0.85, 0.95), abs=1e-9)
    assert found.fails == pytest.approx(0.432, abs=0.0005)


def test_power_past_what_a_forecast_can_tell_is_not_printed_in_ten_digits() -> None:
    found = power_of("accuracy >= 0.9", (7600, 2400, 0, 0), 0.2)
    assert "in more than 99.9 % of runs" in repr(found)
    assert "999" not in repr(found).replace("99.9", "")
    assert "less than 0.1 %" in repr(power_of("accuracy >= 0.9", (9, 1, 0, 0), 0.0001, 0.99999))


def test_a_true_value_outside_the_range_is_no_question() -> None:
    found = power_of("accuracy >= 0.02", (9, 10, 11, 12), 0.05)
    assert math.isnan(found.fails)
    assert "accuracy cannot be -0.03" in repr(found)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["fails"] is None


@pytest.mark.parametrize("requirement", ["roc_auc >= 0.85", "roc_auc.low >= 0.7", "roc_auc.value >= 0.78"])
@pytest.mark.parametrize("seen", [0.75, 0.95])
def test_the_power_of_an_auc_is_that_at_the_value_asked_about(requirement: str, seen: float) -> None:
    rng, n = np.random.default_rng(4), 300
    truth = np.arange(n) < 90
    (demand,) = parse(requirement).demands
    auc, worse = find("roc_auc"), 0.06 if demand.quantity.limit is None else 0.02

    def drawn(area: float) -> ScoreTable:
        return ScoreTable.of(rng.normal(math.sqrt(2) * ndtri(area) * truth, 1), truth)

    verdicts = [judge(demand, auc.estimate(drawn(demand.bound - worse)), "", rows=n).status for _ in range(500)]
    # At a bound this low every sample decides; what is printed must not follow the AUC that was seen.
    gate = Gate.of(truth.astype(int), rng.normal(math.sqrt(2) * ndtri(seen) * truth, 1), positive=1)
    found = gate_power(gate.check(requirement)[0].findings[0], worse)
    assert found.fails == pytest.approx(verdicts.count("fail") / 500, abs=0.09)
    assert found.stops == pytest.approx(1 - verdicts.count("pass") / 500, abs=0.09)


def test_the_power_of_a_difference_of_shares_is_summed_over_who_alone_is_right(tmp_path) -> None:  # type: ignore[no-untyped-def]
    rng, n = np.random.default_rng(8), 150
    truth = rng.integers(0, 2, n)
    right = rng.random((2, n)) < np.array([[0.85], [0.8]])
    ours, base = (np.where(each, truth, 1 - truth) for each in right)
    path = tmp_path / "base.csv"
    lines = [f"{t},{p}" for t, p in zip(truth, base, strict=True)]
    path.write_text("\n".join(["y_true,y_pred", *lines]))
    gate = Gate.of(truth, y_pred=ours, positive=1)
    (outcome,) = gate.check(f'delta(accuracy, "{path}") >= -0.05')
    found = gate_power(outcome.findings[0], 0.1)
    discordant = int((right[0] != right[1]).sum())
    share = discordant / n
    b_share, c_share = (share - 0.15) / 2, (share + 0.15) / 2
    fails = stops = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            weight = math.comb(n, b) * math.comb(n - b, c) * b_share**b * c_share**c * (1 - share) ** (n - b - c)
            if weight < 1e-9:
                continue
            low, high = tango_limits(float(b), float(c), float(n), 0.95)
            fails += weight * (high < -0.05)
            stops += weight * (low < -0.05)
    assert found.fails == pytest.approx(fails, abs=1e-4)
    assert found.stops == pytest.approx(stops, abs=1e-4)


def test_the_power_of_losses_falls_and_rises_with_the_bound_and_needs_no_normal_score() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(400) < 0.3
    score = expit(1.4 * rng.normal(1.4 * truth, 1) - 1.8)
    gate = Gate.of(truth.astype(int), score, positive=1)
    for requirement in ("brier <= 0.15", "log_loss <= 0.5", "average_precision >= 0.6", "f1 >= 0.6", "mcc >= 0.5"):
        finding = gate.check(requirement)[0].findings[0]
        powers = [gate_power(finding, worse) for worse in (0.01, 0.05, 0.1)]
        assert [one.method for one in powers] == ["normal, interval at that value"] * 3
        fails = [one.fails for one in powers]
        assert fails == sorted(fails)
        assert all(one.fails <= one.stops for one in powers)


@pytest.mark.parametrize("design", ["cluster", "weight", "count", "fold"])
def test_every_design_has_a_power(design: str) -> None:
    rng, n = np.random.default_rng(3), 300
    truth = (rng.random(n) < 0.3).astype(int)
    score = expit(rng.normal(1.6 * truth, 1) - 0.8)
    values: dict[str, Any] = {
        "cluster": np.arange(n) // 2,
        "weight": rng.lognormal(size=n),
        "count": rng.integers(1, 4, n),
    }
    gate = Gate.of(truth, score, **{design: values.get(design, np.arange(n) % 5)})
    for requirement in ("accuracy >= 0.82", "roc_auc >= 0.86", "brier <= 0.15", "f1 >= 0.7"):
        (outcome,) = gate.check(requirement)
        found = gate_power(outcome.findings[0], 0.05)
        assert 0 < found.fails < found.stops <= 1
        is_share = requirement.startswith("accuracy") and design != "cluster"
        assert (found.method == "exact binomial") == is_share


def test_the_accuracy_of_many_classes_is_a_proportion_too() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 120)
    gate = Gate.of(truth, y_pred=np.where(rng.random(120) < 0.8, truth, (truth + 1) % 3))
    found = gate_power(gate.check("accuracy >= 0.75")[0].findings[0], 0.1)
    assert (found.fails, found.stops) == pytest.approx(enumerated("accuracy >= 0.75", 120, 0.65, 0.95), abs=1e-9)
