"""Binormal ROC curves by maximum likelihood: ordinal::clm, MRMCaov and Stata on Hanley and McNeil's ratings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

import assay
from assay.uncertainty import AucMoments

CASE = "binormal_ml_hanley1982"
LEAVES = leaves(CASE)
EV = assay.evaluate(columns(CASE)["y_true"].astype(int), columns(CASE)["rating"], positive=1)
assert isinstance(EV, assay.TwoClassEvaluation)
assert EV.scores is not None
CURVE = EV.curves.binormal()
assert CURVE.fit is not None
FIT, TABLE = CURVE.fit, EV.scores
V = FIT.covariance
PROBIT, WALD = CURVE.area("binormal, probit"), CURVE.area("binormal, Wald")

OURS = {
    "auc_trapezoid": Ours(lambda: EV.roc_auc.value, ("roc_auc",)),
    "se_delong": Ours(lambda: math.sqrt(AucMoments.of(TABLE).variance)),
    "table/values": Ours(lambda: [TABLE.negative.tolist(), TABLE.positive.tolist()]),
    "loglik": Ours(lambda: FIT.log_likelihood),
    "a_b/a": Ours(lambda: CURVE.a.value),
    "a_b/b": Ours(lambda: CURVE.b.value),
    "se_a_b/a": Ours(lambda: math.sqrt(V[0, 0])),
    "se_a_b/b": Ours(lambda: math.sqrt(V[1, 1])),
    "se_a_b/cov": Ours(lambda: V[0, 1]),
    "cutpoints": Ours(lambda: FIT.cuts.tolist()),
    "cutpoints_se": Ours(lambda: FIT.cut_errors.tolist()),
    "auc_binormal_ml": Ours(lambda: CURVE.auc.value),
    "auc_binormal_ml_se": Ours(lambda: CURVE.area_error),
    "auc_binormal_ci95_wald": Ours(lambda: [WALD.low, WALD.high]),
    "auc_binormal_ci95_probit": Ours(lambda: [PROBIT.low, PROBIT.high]),
    "da": Ours(lambda: CURVE.da),
    "tpr_at_fpr/tpr": Ours(lambda: CURVE.at([0.05, 0.1, 0.2, 0.5]).tolist()),
    "mrmcaov_binormal_a_b/a": Ours(lambda: CURVE.a.value),
    "mrmcaov_binormal_a_b/b": Ours(lambda: CURVE.b.value),
    "mrmcaov_binormal_auc": Ours(lambda: CURVE.auc.value),
    "mrmcaov_binormal_pauc_fpr_0_0.2": Ours(lambda: CURVE.partial_area(0, 0.2)),
    "gof_chisq/chisq": Ours(lambda: CURVE.goodness.statistic),
    "gof_chisq/p": Ours(lambda: CURVE.goodness.p_value),
    "published_stata_rocfit_area": Ours(lambda: CURVE.auc.value),
    "published_stata_rocfit_intercept_slope/intercept": Ours(lambda: CURVE.a.value),
    "published_stata_rocfit_intercept_slope/slope": Ours(lambda: CURVE.b.value),
}
PROPER = "the proper (likelihood-ratio) binormal curve: not offered"
LEFT_OUT = {
    "table/[rc]*s": "bookkeeping",
    "tpr_at_fpr/fpr": "what was asked for",
    "mrmcaov_proper_*": PROPER,
    "gof_chisq/expected_*": "the parts of the statistic, which is matched",
    "gof_chisq/df": "said in the method",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_binormal(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_the_goodness_of_fit_says_its_degrees_of_freedom() -> None:
    assert CURVE.goodness.method == "2 degrees of freedom"


def test_splitting_runs_of_one_class_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(200) % 2 == 1
    score = rng.normal(1.3 * y, np.where(y, 1.4, 1.0))
    plain = assay.evaluate(y.astype(int), score).curves.binormal()
    # Any increasing function of the scores, and scores rounded within runs of one class, leave the curve.
    for moved in (np.exp(score), score**3):
        other = assay.evaluate(y.astype(int), moved).curves.binormal()
        assert other.auc.value == pytest.approx(plain.auc.value, abs=1e-9)
    assert plain.auc.value == pytest.approx(assay.evaluate(y.astype(int), score).roc_auc.value, abs=0.02)
