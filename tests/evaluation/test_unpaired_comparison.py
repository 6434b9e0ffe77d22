"""Samples of other cases, compared."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Run, run  # noqa: F401 -- a fixture
from tests.front.samples import columns, written

import assay
from assay.comparison import unpaired_auc, unpaired_interval, unpaired_test
from assay.errors import OptionError, UnknownName
from assay.evidence import ScoreTable

rng = np.random.default_rng(2)
TRUTH = (rng.random(700) < 0.4).astype(int)
SCORE = 1 / (1 + np.exp(-rng.normal(np.where(np.arange(700) < 300, 2.4, 1.0) * TRUTH - 1, 1)))
EARLY, LATE = slice(0, 300), slice(300, 700)


@pytest.fixture
def cmp() -> assay.UnpairedComparison:
    """A classifier before and after it got worse."""
    return assay.compare_unpaired({part: assay.evaluate(TRUTH[at], SCORE[at]) for part, at in PARTS.items()})


PARTS = {"early": EARLY, "late": LATE}


def test_areas_have_delongs_variances_added(cmp: assay.UnpairedComparison) -> None:
    tables = [ScoreTable.of(SCORE[at], TRUTH[at] == 1) for at in PARTS.values()]
    expected = unpaired_auc(*tables, names=("early", "late"))
    found = cmp.difference("roc_auc", "early", "late")
    assert (found.value, found.low, found.p_value) == pytest.approx((expected.value, expected.low, expected.p_value))
    gini = cmp.difference("gini", "early", "late")
    assert (gini.value, gini.low) == pytest.approx((2 * expected.value, 2 * expected.low))
    assert cmp.verdict("roc_auc", "early", "late").outcome == "better"


@pytest.mark.parametrize("measure", ["recall", "fnr", "specificity", "fpr", "accuracy", "error_rate"])
def test_shares_have_the_score_test(cmp: assay.UnpairedComparison, measure: str) -> None:
    found = cmp.difference(measure, "early", "late")
    one, other = (cmp.models[name].estimate(measure) for name in ("early", "late"))
    test, interval = unpaired_test(one.value * one.n, one.n, other.value * other.n, other.n)
    assert (found.value, found.low, found.high) == pytest.approx((one.value - other.value, interval.low, interval.high))
    assert found.p_value == pytest.approx(test.p_value)


def test_what_has_no_test_is_shown_without_one(cmp: assay.UnpairedComparison) -> None:
    found = cmp.difference("brier", "early", "late")
    assert math.isnan(found.low)
    assert found.undefined is not None
    assert "no test between samples" in found.undefined
    weighted = {
        part: assay.evaluate(TRUTH[at], SCORE[at], weight=rng.random(at.stop - at.start)) for part, at in PARTS.items()
    }
    assert "have weights" in str(assay.compare_unpaired(weighted).difference("roc_auc", "early", "late").undefined)


def test_several_samples_hold_together() -> None:
    thirds = {f"s{k}": assay.evaluate(TRUTH[k::3], SCORE[k::3]) for k in range(3)}
    cmp = assay.compare_unpaired(thirds)
    alone = cmp.difference("roc_auc", "s0", "s1")
    together = cmp.differences("roc_auc")[0]
    assert len(cmp.pairs("roc_auc").columns["first"]) == 3
    assert together.high - together.low > alone.high - alone.low
    assert [(d.first, d.second) for d in cmp.differences("roc_auc", control="s1")] == [("s0", "s1"), ("s2", "s1")]
    with pytest.raises(UnknownName, match="there is no sample 's9'"):
        cmp.difference("roc_auc", "s0", "s9")


def test_samples_that_cannot_be_compared_are_refused() -> None:
    ev = assay.evaluate(TRUTH, SCORE)
    with pytest.raises(OptionError, match="there is one sample"):
        assay.compare_unpaired({"a": ev})
    with pytest.raises(OptionError, match="has the classes"):
        assay.compare_unpaired({"a": ev, "b": assay.from_counts(tp=1, fp=1, fn=1, tn=1, classes=["no", "yes"])})
    labels = assay.from_counts(tp=5, fp=5, fn=5, tn=5)
    with pytest.raises(OptionError, match="ROC AUC cannot be compared"):
        assay.compare_unpaired({"a": ev, "b": labels}).difference("roc_auc", "a", "b")


def test_the_command_line(run: Run, tmp_path: Path) -> None:  # noqa: F811 -- the fixture
    table = {name: values for name, values in columns().items() if name in ("target", "score")}
    halves = [
        str(written(tmp_path / name, {column: values[at] for column, values in table.items()}))
        for name, at in (("jan.csv", slice(0, 60)), ("feb.csv", slice(60, 120)))
    ]
    said = run("compare", *halves, "--unpaired", "--measure", "roc_auc", "--measure", "accuracy")
    assert said.code == 0, said.err
    assert "Differences: jan minus feb." in said.out
    assert "\nROC AUC   0.934  0.917      +0.017  [" in said.out
    assert said.out.count("Assumes independent cases") == 1
    record = json.loads(run("compare", *halves, "--unpaired", "--json").out)
    assert record["matched_by"].startswith("nothing")
    assert run("compare", *halves, "--unpaired", "--format", "latex").out.startswith("% Needs")
    plain, wide = (
        run("compare", *halves, "--unpaired", "--format", "csv", *more).out for more in ((), ("--margin", "0.9"))
    )
    assert "practically the same" in wide
    assert plain != wide
    assert "--unpaired needs several files, but one is given" in run("compare", halves[0], "--unpaired").err
    assert "--by cannot be combined with --unpaired" in run("compare", *halves, "--unpaired", "--by", "score").err


def test_an_interval_of_a_share_may_be_named() -> None:
    one, other = (assay.from_counts(tp=tp, fn=20, fp=10, tn=90) for tp in (80, 60))
    cmp = assay.compare_unpaired({"a": one, "b": other})
    found, wanted = cmp.difference("recall", "a", "b", method="Newcombe"), unpaired_interval(80, 100, 60, 80)
    assert (found.low, found.high, found.method) == (wanted.low, wanted.high, "Newcombe")
    assert math.isnan(found.p_value)  # the interval belongs to no test
    with pytest.raises(OptionError, match="Matthews correlation has not between samples"):
        cmp.difference("mcc", "a", "b", method="Newcombe")
