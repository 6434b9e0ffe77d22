"""pROC's tests, variances and intervals of areas, and points of one curve, by the names they have here."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import DATA, Leaf, Ours, check, check_lists, columns, leaves

import assay
from assay.comparison import Difference

CASE = "proc_tests_bc_weak"
LEAVES = leaves(CASE)
# Tests of whole curves and at one rate, and of several classes: matched in test_proc_curve_tests.py.
ELSEWHERE = ("venkatraman", "at_s", "sens_at_spec", "spec_at_sens", "multiclass")
HERE = [leaf for leaf in LEAVES if not leaf.path.startswith(ELSEWHERE)]
COLUMNS = columns(CASE)
TRUTH = COLUMNS["y_true"].astype(int)
MODELS = ("lr", "nb", "tree")
# pROC drew up to 10,000 replicates and a bootstrap here draws 2,000: what is drawn is the mean of five of them.
SEEDED = [
    assay.compare(TRUTH, {name: COLUMNS[f"score_{name}"] for name in MODELS}, positive=1, seed=seed)
    for seed in range(5)
]
CMP = SEEDED[0]
EV = CMP.models
with (DATA / CASE / "predictions.csv").open(newline="") as lines:
    SITE = np.array([row["site"] for row in csv.DictReader(lines)])
APART = assay.compare_unpaired(
    {
        site: assay.evaluate(TRUTH[site == SITE], COLUMNS[f"score_{model}"][site == SITE], positive=1)
        for site, model in (("A", "lr"), ("B", "nb"))
    }
)


def of_test(path: str, found: Difference, values: list[float], *, limits: bool = True) -> dict[str, Ours]:
    two_sided = Ours(lambda: [found.low, found.high])
    return {
        f"{path}/statistic": Ours(lambda: found.statistic),
        f"{path}/p_value": Ours(lambda: found.p_value),
        f"{path}/estimate": Ours(lambda: values),
        **({f"{path}/conf_int": two_sided} if limits else {}),
    }


def auc(*names: str) -> list[float]:
    return [EV[name].roc_auc.value for name in names]


def delong(first: str, second: str, **asked: Any) -> Difference:
    return CMP.difference("roc_auc", first, second, method="delong", **asked)


def covariance(first: str, second: str, method: str) -> float:
    """Of the variances of both and of their difference."""

    def of(cmp: assay.Comparison) -> float:
        one, other = (cmp.models[name].estimate("roc_auc", method=method).se or 0.0 for name in (first, second))
        gap = cmp.difference("roc_auc", first, second, method=method).se or 0.0
        return (one**2 + other**2 - gap**2) / 2

    return float(drawn(of))


def drawn(of: Callable[[assay.Comparison], Any]) -> Any:
    """The mean over all seeds."""
    return np.mean([of(cmp) for cmp in SEEDED], axis=0).tolist()


def variance(model: str, method: str) -> Ours:
    return Ours(lambda: drawn(lambda cmp: (cmp.models[model].estimate("roc_auc", method=method).se or 0.0) ** 2))


def middle_of_replicates(name: str, level: float = 0.95, **at: float) -> list[float]:
    """pROC prints the median of the replicates; ours is the estimate, which is as near as their tolerance."""

    def of(cmp: assay.Comparison) -> list[float]:
        ev = cmp.models["lr"].at(at["threshold"]) if "threshold" in at else cmp.models["lr"]
        found = ev.estimate(name, method="bootstrap", level=level)
        return [found.low, found.value, found.high]

    return list(drawn(of))


def points(name: str, values: list[float]) -> list[list[float]]:
    return [middle_of_replicates(name.format(value)) for value in values]


def at_thresholds(name: str) -> list[list[float]]:
    return [middle_of_replicates(name, threshold=value) for value in (0.3, 0.5)]


BOOT, NORMAL = (CMP.difference("roc_auc", "lr", "nb", method=method) for method in ("bootstrap", "bootstrap, normal"))


def of_draws(measure: str, fact: str) -> Ours:
    """A fact of pROC's bootstrap test."""
    method = "bootstrap, normal"
    return Ours(lambda: drawn(lambda cmp: getattr(cmp.difference(measure, "lr", "nb", method=method), fact)))


YOUDEN, CLOSEST = (EV["lr"].threshold(by) for by in ("youden", "closest"))
OURS = {
    **{f"auc/{name}": Ours(lambda name=name: auc(name)[0], ("roc_auc",)) for name in MODELS},  # type: ignore[misc]
    **of_test("delong_paired_two_sided", delong("lr", "nb"), auc("lr", "nb")),
    **of_test("delong_paired_greater", delong("lr", "nb", alternative="greater"), auc("lr", "nb"), limits=False),
    **of_test("delong_paired_less", delong("lr", "nb", alternative="less"), auc("lr", "nb"), limits=False),
    **of_test("delong_paired_ci90", delong("lr", "tree", level=0.9), auc("lr", "tree")),
    **{
        path: ours
        for side, name in (("two-sided", "two_sided"), ("greater", "greater"))
        for path, ours in of_test(
            f"delong_unpaired_{name}",
            APART.difference("roc_auc", "A", "B", method="delong", alternative=side),  # type: ignore[arg-type]
            [ev.roc_auc.value for ev in APART.models.values()],
            limits=False,
        ).items()
    },
    **{
        f"delong_unpaired_{name}/parameter": Ours(
            lambda: APART.difference("roc_auc", "A", "B", method="delong").freedom
        )
        for name in ("two_sided", "greater")
    },
    **{f"var_delong/{name}": variance(name, "delong") for name in MODELS},
    **{
        f"cov_delong/{one}_{other}": Ours(lambda one=one, other=other: covariance(one, other, "delong"))  # type: ignore[misc]
        for one, other in (("lr", "nb"), ("lr", "tree"), ("nb", "tree"))
    },
    "var_bootstrap/lr": variance("lr", "bootstrap"),
    "cov_bootstrap": Ours(lambda: covariance("lr", "nb", "bootstrap")),
    "ci_auc_bootstrap_stratified": Ours(lambda: middle_of_replicates("roc_auc")),
    "ci_auc_delong_99": Ours(
        lambda: [
            getattr(EV["lr"].estimate("roc_auc", method="delong", level=0.99), end) for end in ("low", "value", "high")
        ]
    ),
    "bootstrap_paired_auc.statistic": of_draws("roc_auc", "statistic"),
    "bootstrap_paired_auc.p_value": of_draws("roc_auc", "p_value"),
    "pauc_sp_1_0.8/corrected": Ours(lambda: [EV[name].estimate("partial_auc(0, 0.2)").value for name in ("lr", "nb")]),
    "bootstrap_paired_pauc_sp_1_0.8.statistic": of_draws("partial_auc(0, 0.2)", "statistic"),
    "bootstrap_paired_pauc_sp_1_0.8.p_value": of_draws("partial_auc(0, 0.2)", "p_value"),
    **{
        f"{case}/{theirs}/values": Ours(lambda ours=ours: at_thresholds(ours))  # type: ignore[misc]
        for case, theirs, ours in (
            ("ci_coords_threshold", "sensitivity", "recall"),
            ("ci_coords_threshold", "specificity", "specificity"),
            ("ci_coords_threshold", "accuracy", "accuracy"),
            ("ci_thresholds", "specificity", "specificity"),
            ("ci_thresholds", "sensitivity", "recall"),
        )
    },
    "ci_se_at_sp/values": Ours(lambda: points("recall(specificity={0})", [0.9, 0.8, 0.5])),
    "ci_sp_at_se/values": Ours(lambda: points("specificity(recall={0})", [0.9, 0.8, 0.5])),
    **{
        f"{case}/{theirs}": Ours(lambda chosen=chosen, ours=ours: EV["lr"].at(chosen.threshold).estimate(ours).value)  # type: ignore[misc]
        for case, chosen in (("coords_youden", YOUDEN), ("coords_closest_topleft", CLOSEST))
        for theirs, ours in (("specificity", "specificity"), ("sensitivity", "recall"))
    },
}
HALFWAY = "halfway between two scores there, one of them here: the rates at it are matched"
NAMES = "pROC's words, or the rows and columns of its table"
LEFT_OUT = {
    "*/method": NAMES,
    "*/alternative": NAMES,
    "*/rows": NAMES,
    "*/cols": NAMES,
    "delong_paired_*/parameter": "pROC leaves it empty for the normal distribution",
    "delong_paired_greater/conf_int": "two-sided beside a one-sided p-value: here the limit is the same test's",
    "delong_paired_less/conf_int": "two-sided beside a one-sided p-value: here the limit is the same test's",
    "delong_unpaired_*/conf_int": "pROC prints none",
    "var_obuchowski/*": "known defect: classes exchanged, a term left out; 27 to 48 % above DeLong",
    "cov_obuchowski/*": "known defect: classes exchanged",
    "ci_auc_bootstrap_unstratified": "the bootstrap of what concerns each class by itself keeps their sizes",
    "pauc_sp_1_0.8/raw": "the area before McClish's correction, which is matched",
    "ci_coords_threshold/ppv/*": "pROC keeps the class sizes, which freezes the prevalence these move with",
    "ci_coords_threshold/npv/*": "pROC keeps the class sizes, which freezes the prevalence these move with",
    "coords_*/threshold": HALFWAY,
    "coords_youden/youden": "sensitivity + specificity there, less 1 here",
    "coords_closest_topleft/closest.topleft": "the square of the distance there",
    "coords_*_cost2_prev0.2/*": "weighted criteria of one's own: costs choose a threshold here",
}


@pytest.mark.parametrize("leaf", HERE, ids=lambda leaf: leaf.path)
def test_proc_areas(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(HERE, OURS, LEFT_OUT)


def test_the_inverted_percentiles_tell_what_procs_normal_ones_do() -> None:
    assert BOOT.p_value == pytest.approx(NORMAL.p_value, abs=0.01)


@pytest.mark.parametrize("model", MODELS)
def test_obuchowskis_variance_is_near_delongs_where_procs_is_far_above_it(model: str) -> None:
    ours, plain = (EV[model].estimate("roc_auc", method=method).se or 0.0 for method in ("obuchowski", "delong"))
    theirs = next(leaf.expected for leaf in LEAVES if leaf.path == f"var_obuchowski/{model}")
    assert ours**2 == pytest.approx(plain**2, rel=0.1)
    assert theirs > 1.25 * plain**2
