"""metafor 3.8.1 (R): nine sites' AUCs on the logit scale, by every estimator of tau2 and every kind of limits."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.special import logit
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, expected, leaves

from assay.comparison import Pooled, pooled, small_sites_test
from assay.comparison.meta_analysis import BETWEEN, BetweenSites, spread_at
from assay.evaluation import SitesSummary, pooling_scale
from assay.measures import find

CASE = "metafor_sites9"
SITES = columns(CASE, "sites.csv")
VALUES = logit(SITES["auc"])
VARIANCES = (SITES["se_auc"] / (SITES["auc"] * (1 - SITES["auc"]))) ** 2
PRINTED = {result["id"]: result["value"] for result in expected(CASE)["results"]}
LIMITS = {"wald": "z", "knapp_hartung": "hartung-knapp", "knapp_hartung_adhoc": "hartung-knapp-floor"}
WAYS = {"fixed": ("fixed", "z")} | {
    f"{method}_{said}": (method, limits)
    for said, limits in LIMITS.items()
    for method in BETWEEN
    if f"{method}_{said}" in PRINTED
}
LEFT_OUT = {
    "pm_*/*": "metafor looks for this root with a tolerance of 1e-4, and stops where Q is 7.996, not 8: see below"
}


def summary(found: Pooled) -> SitesSummary:
    """The same on the scale of the AUC."""
    measure = find("roc_auc")
    return SitesSummary(measure, pooling_scale(measure), found, tuple("123456789"), 2090, {}, {})


def figures(found: Pooled) -> dict[str, object]:
    """Every figure that metafor prints of a summary, by its name there."""
    mean, new = summary(found).estimate, summary(found).prediction
    predicted = found.predicted
    return {
        "estimate": found.estimate,
        "se": found.se,
        "stat": found.statistic(),
        "p": found.p_value(),
        "ci": [found.low, found.high],
        "tau2": found.tau2,
        "se_tau2": found.between.error,
        "Q": found.fixed.q,
        "Q_p": found.fixed.p_value,
        "I2": 100 * found.i2,
        "H2": found.h2,
        "pi": math.nan if predicted is None else list(predicted),
        "auc": mean.value,
        "auc_ci": [mean.low, mean.high],
        "auc_pi": math.nan if predicted is None else [new.low, new.high],
    }


def ours() -> Iterator[tuple[str, object]]:
    """Our number for every path."""
    yield from (("logit/yi", VALUES.tolist()), ("logit/vi", VARIANCES.tolist()))
    for name, (method, limits) in WAYS.items():
        if method != "pm":
            found = pooled(VALUES, VARIANCES, method=method, limits=limits, prediction="as-limits")
            yield from ((f"{name}/{figure}", value) for figure, value in figures(found).items())
    for name, method, limits in (("pi_riley_dl", "dl", "z"), ("pi_riley_reml_knha", "reml", "hartung-knapp")):
        riley = pooled(VALUES, VARIANCES, method=method, limits=limits, prediction="k-2").predicted
        assert riley is not None
        yield name, list(riley)
    for name, method in (("tau2_qprofile_ci", "dl"), ("tau2_reml_confint", "reml")):
        yield from ((f"{name}/{part}", value) for part, value in _profiled(name, method))
    egger = small_sites_test(VALUES, VARIANCES)
    yield from (("egger/z", egger.statistic), ("egger/p", egger.p_value))
    whole = pooled(VALUES, VARIANCES, limits="z")
    rest = [whole.without(site) for site in range(len(VALUES))]
    parts = {"estimate": "estimate", "ci_lb": "low", "ci_ub": "high", "tau2": "tau2"}
    yield from (
        (f"leave_one_out_reml/{theirs}", [getattr(one, mine) for one in rest]) for theirs, mine in parts.items()
    )
    yield "leave_one_out_reml/Q", [one.fixed.q for one in rest]


def _profiled(name: str, method: str) -> Iterator[tuple[str, object]]:
    found = pooled(VALUES, VARIANCES, method=method)
    yield from (("rows", PRINTED[name]["rows"]), ("cols", PRINTED[name]["cols"]))
    roots = [math.sqrt(part) for part in (found.tau2, *found.tau2_limits)]
    percents = [100 * part for part in (found.i2, *found.i2_limits)]
    yield "values", [[found.tau2, *found.tau2_limits], roots, percents, [found.h2, *found.h2_limits]]


FOUND = leaves(CASE)
OURS = {path: Ours(lambda value=value: value) for path, value in ours()}  # type: ignore[misc]


@pytest.mark.parametrize("leaf", FOUND, ids=lambda leaf: leaf.path)
def test_every_figure(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_the_lists_hold_nothing_else() -> None:
    check_lists(FOUND, OURS, LEFT_OUT)


@pytest.mark.parametrize("name", [name for name in WAYS if name.startswith("pm_")])
def test_paule_and_mandel_solve_their_equation_better(name: str) -> None:
    """Our root is one to the last digits; with metafor's own tau2 every other figure is metafor's."""
    theirs = PRINTED[name]
    own = BETWEEN["pm"](VALUES, VARIANCES).variance
    assert spread_at(VALUES, VARIANCES, own) == pytest.approx(8, rel=1e-12)
    assert abs(spread_at(VALUES, VARIANCES, theirs["tau2"]) - 8) > 0.004
    assert own == pytest.approx(theirs["tau2"], abs=1.3e-4)
    limits = WAYS[name][1]
    between = BetweenSites(theirs["tau2"], theirs["se_tau2"])
    at_theirs = Pooled(VALUES, VARIANCES, "pm", limits, 0.95, "as-limits", between)
    for figure, value in figures(at_theirs).items():
        assert np.asarray(value, dtype=float) == pytest.approx(np.array(theirs[figure]), rel=1e-9), figure
    k, weights = len(VALUES), 1 / (VARIANCES + theirs["tau2"])
    assert theirs["se_tau2"] == pytest.approx(math.sqrt(2 * k * k / (k - 1)) / weights.sum(), rel=1e-9)
