"""Laws of differences that are asked for by name, on one side, or about another difference than none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.comparison import Difference
from assay.evaluation import compare_unpaired

RNG = np.random.default_rng(3)
TRUTH = RNG.random(90) < 0.4
SCORES = {name: 1 / (1 + np.exp(-RNG.normal(gap * TRUTH - 0.7, 1))) for name, gap in (("a", 1.7), ("b", 1.1))}
PAIRED = assay.compare(TRUTH, SCORES)
CLUSTERED = assay.compare(TRUTH, SCORES, cluster=np.arange(90) // 3)
FOLDED = assay.compare(TRUTH, SCORES, fold=np.arange(90) % 3)
APART = compare_unpaired({name: assay.evaluate(TRUTH, score) for name, score in SCORES.items()})
ASKED: list[tuple[Any, str, str | None]] = [
    (PAIRED, "roc_auc", None),
    (PAIRED, "roc_auc", "delong"),
    (PAIRED, "roc_auc", "hanley-mcneil"),
    (PAIRED, "roc_auc", "obuchowski"),
    (PAIRED, "roc_auc", "bootstrap"),
    (PAIRED, "roc_auc", "bootstrap, normal"),
    (PAIRED, "gini", "delong"),
    (PAIRED, "brier", None),
    (PAIRED, "brier", "t"),
    (PAIRED, "average_precision", None),
    (PAIRED, "accuracy", None),
    (PAIRED, "accuracy", "wald"),
    (PAIRED, "error_rate", None),
    (PAIRED, "f1", None),
    (PAIRED, "f1", "normal"),
    (CLUSTERED, "roc_auc", None),
    (CLUSTERED, "accuracy", None),
    (FOLDED, "roc_auc", None),
    (FOLDED, "brier", None),
    (APART, "roc_auc", None),
    (APART, "roc_auc", "delong"),
    (APART, "gini", "delong"),
    (APART, "accuracy", None),
    (APART, "recall", "wald"),
    (APART, "f1", "bootstrap"),
]


def asked(case: tuple[Any, str, str | None], **how: Any) -> Difference:
    cmp, measure, method = case
    found: Difference = cmp.difference(measure, "a", "b", method=method, **how)
    return found


@pytest.mark.parametrize("case", ASKED, ids=lambda case: f"{case[1]} {case[2]}")
@settings(max_examples=6, deadline=None)
@given(st.floats(-0.4, 0.4), st.sampled_from((0.8, 0.9, 0.95)), st.sampled_from(("two-sided", "greater", "less")))
def test_limits_and_p_value_never_contradict_one_another(
    case: tuple[Any, str, str | None], null: float, level: float, alternative: str
) -> None:
    found = asked(case, null=null, level=level, alternative=alternative)
    assert found.low <= found.value <= found.high
    assert math.isinf(found.high) == (alternative == "greater")
    assert math.isinf(found.low) == (alternative == "less")
    is_outside = not found.low <= null <= found.high
    if abs(found.p_value - (1 - level)) > 2e-3:
        assert is_outside == (found.p_value < 1 - level), (found, null)


@pytest.mark.parametrize("case", ASKED, ids=lambda case: f"{case[1]} {case[2]}")
def test_the_two_sides_share_one_test(case: tuple[Any, str, str | None]) -> None:
    two, up, down = (asked(case, alternative=side) for side in ("two-sided", "greater", "less"))
    assert up.p_value + down.p_value == pytest.approx(1)
    assert min(up.p_value, down.p_value) == pytest.approx(two.p_value / 2)
    assert up.low >= two.low
    assert down.high <= two.high


@pytest.mark.parametrize("case", ASKED, ids=lambda case: f"{case[1]} {case[2]}")
def test_a_statistic_is_the_difference_over_its_error(case: tuple[Any, str, str | None]) -> None:
    found = asked(case, null=0.01)
    if found.statistic is not None and found.se is not None:
        assert found.statistic == pytest.approx((found.value - 0.01) / found.se)
        assert found.freedom is not None
    record = found.to_dict()
    assert record["null"] == 0.01
    assert record["alternative"] == "two-sided"


@pytest.mark.parametrize("margin", [0.01, 0.1, 0.4])
def test_no_worse_by_more_than_a_margin_is_what_the_limit_says(margin: float) -> None:
    for measure, sign in (("roc_auc", 1), ("brier", -1)):
        verdict = PAIRED.non_inferiority(measure, "b", "a", margin=margin)
        reach = verdict.low if sign > 0 else -verdict.high
        assert (verdict.outcome == "not worse by more than the margin") == (reach > -margin)
        assert (verdict.p_value < 0.05) == (reach > -margin)


def test_several_one_sided_differences_hold_together() -> None:
    three = assay.compare(TRUTH, {**SCORES, "c": RNG.random(90)})
    each = {(d.first, d.second): d for d in three.differences("roc_auc", alternative="greater")}
    for pair, found in each.items():
        alone = three.difference("roc_auc", *pair, alternative="greater")
        assert found.p_value == pytest.approx(min(1.0, 3 * alone.p_value))
        assert found.low < alone.low
        assert found.adjusted == "Bonferroni over 3 comparisons"


def test_one_name_means_one_thing_for_an_estimate_and_for_a_difference() -> None:
    for name in ("delong", "DeLong", "normal", "wald"):
        estimates = [ev.estimate("roc_auc", method=name) for ev in PAIRED.models.values()]
        assert {one.method for one in estimates} == {"DeLong"}
        assert asked((PAIRED, "roc_auc", name)).method == "paired DeLong"
    plain = [ev.estimate("roc_auc", method="obuchowski") for ev in CLUSTERED.models.values()]
    usual = [ev.estimate("roc_auc") for ev in CLUSTERED.models.values()]
    assert [one.low for one in plain] == [one.low for one in usual]
    with pytest.raises(ValueError, match="assumes independent cases"):
        asked((CLUSTERED, "roc_auc", "delong"))
    with pytest.raises(ValueError, match="takes them as independent"):
        CLUSTERED.models["a"].estimate("roc_auc", method="delong")


@pytest.mark.parametrize("design", [{"cluster": np.arange(90) // 3}, {"weight": RNG.random(90) + 0.5}])
@pytest.mark.parametrize("measure", ["roc_auc", "brier", "accuracy", "f1"])
def test_the_bootstrap_redraws_what_was_drawn(measure: str, design: dict[str, Any]) -> None:
    found = assay.evaluate(TRUTH, SCORES["a"], **design).estimate(measure, method="bootstrap")
    usual = assay.evaluate(TRUTH, SCORES["a"], **design).estimate(measure, method="normal")
    assert found.low <= found.value <= found.high
    assert found.se == pytest.approx(usual.se, rel=0.35)
    assert ("cluster" in found.method) == ("cluster" in design)
    assert found.caution


@pytest.mark.parametrize(
    "method", ["delong", "hanley-mcneil", "obuchowski", "bootstrap", "newcombe", "plus four", "delong-small-sample"]
)
def test_what_is_named_is_computed_from_two_cases_a_class_on(method: str) -> None:
    ev = assay.evaluate([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9])
    found = ev.estimate("roc_auc", method=method)
    assert found.low <= found.value <= found.high


def test_what_only_defaults_refuse_is_there_by_name_with_the_reason() -> None:
    ev = assay.from_counts(tp=3, fn=1, fp=1, tn=2)
    assert math.isnan(ev.mcc.low)
    named = ev.estimate("mcc", method="dirichlet")
    assert named.low < named.value < named.high
    assert named.caution == f"not shown by default: {ev.mcc.undefined}"
    assert math.isnan(ev.f1.low)
    assert ev.estimate("f1", method="wilson jaccard").low < ev.f1.value
