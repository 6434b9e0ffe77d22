"""A judge with its own errors: shares by human labels of a part or by known rates, and agreement."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.items.logs import JUDGE

import assay
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix
from assay.items import KnownRates, agreement_estimates, labelled_share, rated_share
from assay.measures import gwet_ac1


def test_the_shares_that_made_the_sample_are_covered() -> None:
    found = assay.evaluate_judge(JUDGE, human="human", model="model")
    for model, truth in (("a", 0.85), ("b", 0.75)):
        share = found[model]
        assert share.estimate.low < truth < share.estimate.high
        assert len(share.human) == 50
        assert len(share.every) == 400
    assert found["a"].judge_alone == pytest.approx(0.795)
    known = assay.evaluate_judge(JUDGE, model="model", sensitivity="90/100", specificity="60/80")
    assert known["a"].estimate.low < 0.85 < known["a"].estimate.high
    assert known["b"].estimate.low < 0.75 < known["b"].estimate.high


def test_a_perfect_judge_narrows_and_a_useless_one_gets_no_weight() -> None:
    rng = np.random.default_rng(2)
    truth = (rng.random(1_000) < 0.6).astype(float)
    exact, weight = labelled_share(truth[:80], truth[:80], truth[80:], 0.95)
    assert weight > 0.85
    wide, none = labelled_share(truth[:80], np.tile([0.0, 1.0], 40), np.tile([0.0, 1.0], 460), 0.95)
    assert none < 0.25
    assert exact.high - exact.low < 0.6 * (wide.high - wide.low)


@pytest.mark.parametrize("seed", range(20))
def test_limits_stay_in_range_and_hold_the_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 30))
    human, judged = ((rng.random(m) < p).astype(float) for p in rng.choice([0.0, 0.02, 0.5, 0.99, 1.0], 2))
    rest = (rng.random(int(rng.integers(0, 200))) < rng.random()).astype(float)
    found, _ = labelled_share(human, judged, rest, 0.95)
    assert 0 <= found.low <= found.value <= found.high <= 1
    rates = KnownRates(int(rng.integers(0, 41)), 40, int(rng.integers(0, 31)), 30)
    known = rated_share(int(rng.integers(0, 201)), 200, rates, 0.95)
    assert 0 <= known.low <= known.value <= known.high <= 1


def test_rates_that_cannot_hold_are_a_caution() -> None:
    found = rated_share(0, 400, KnownRates(90, 100, 40, 80), 0.95)
    assert "do not hold for this set" in str(found.caution)
    assert rated_share(0, 400, KnownRates(50, 100, 40, 80), 0.95).high == 1.0


@pytest.mark.parametrize("kind", ["labels", "rates"])
def test_a_simulation_in_brief_holds_the_level(kind: str) -> None:
    """Theta .9, sensitivity .9, specificity .75, 60 labels: where PPI++ with z covers .90 and less."""
    rng = np.random.default_rng(20261119)
    inside = 0
    for _ in range(400):
        truth = rng.random(500) < 0.9
        judged = np.where(truth, rng.random(500) < 0.9, rng.random(500) < 0.25).astype(float)
        if kind == "labels":
            found, _ = labelled_share(truth[:60].astype(float), judged[:60], judged[60:], 0.95)
        else:
            rates = KnownRates(int(rng.binomial(80, 0.9)), 80, int(rng.binomial(80, 0.75)), 80)
            found = rated_share(int(judged.sum()), 500, rates, 0.95)
        inside += found.low <= 0.9 <= found.high
    assert inside / 400 > 0.92


def test_agreement_is_that_of_the_matrix_and_its_limits_hold_it() -> None:
    rng = np.random.default_rng(4)
    human = (rng.random(120) < 0.8).astype(float)
    judged = np.where(rng.random(120) < 0.85, human, 1 - human)
    counts = np.zeros((2, 2))
    np.add.at(counts, (human.astype(int), judged.astype(int)), 1)
    found = agreement_estimates(human, judged, 0.95)
    assert found["AC1"].value == pytest.approx(float(gwet_ac1(ConfusionMatrix(counts, ("0", "1")))))
    assert all(one.low <= one.value <= one.high for one in found.values())
    # Leaving out each item by itself gives the same error.
    without = []
    for k in range(120):
        less = counts + 0.5
        less[int(human[k]), int(judged[k])] -= 1
        without.append(float(gwet_ac1(ConfusionMatrix(less, ("0", "1")))))
    error = math.sqrt(119 / 120 * float(np.square(np.array(without) - np.mean(without)).sum()))
    assert found["AC1"].se == pytest.approx(error)


def test_what_is_refused(tmp_path: Path) -> None:
    labels = {"judge": ["pass", "fail", "pass", "fail"], "human": ["pass", "", "", "fail"]}
    with pytest.raises(OptionError, match="2 human labels"):
        assay.evaluate_judge(labels, human="human")
    with pytest.raises(OptionError, match="human labels of a part, or the judge's rates"):
        assay.evaluate_judge(labels)
    with pytest.raises(OptionError, match="specificity is not given"):
        assay.evaluate_judge(labels, sensitivity="9/10")
    with pytest.raises(OptionError, match="how many of how many"):
        assay.evaluate_judge(labels, sensitivity="0.9", specificity="3/4")
    with pytest.raises(OptionError, match="at most all of them"):
        assay.evaluate_judge(labels, sensitivity="9/8", specificity="3/4")
    with pytest.raises(OptionError, match="no column 'reader'"):
        assay.evaluate_judge(labels, human="reader")
    with pytest.raises(OptionError, match="pass or fail"):
        assay.evaluate_judge({**labels, "judge": [0.3, 0.4, 0.5, 0.6]}, human="human")
    with pytest.raises(OptionError, match="no label of the judge"):
        assay.evaluate_judge({**labels, "judge": ["pass", "", "pass", "fail"]}, human="human")


def test_results_show_themselves(tmp_path: Path) -> None:
    found = assay.evaluate_judge(JUDGE, human="human", model="model")
    assert "times as wide with the judge" in repr(found)
    assert "sensitivity" in repr(found)
    found.report(tmp_path / "page.html")
    assert "Agreement" in (tmp_path / "page.html").read_text()
    assert "<table" in found._repr_html_()
