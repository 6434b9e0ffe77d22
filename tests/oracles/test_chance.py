"""irrCAC and irr: agreement corrected for chance by Scott, Gwet, Krippendorff, Brennan and Prediger, and Cohen."""

from __future__ import annotations

import pytest
from scipy.stats import t
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves
from tests.oracles.weak import of

import assay
from assay.measures import find_for_many

CASE = "chance_corrected_agreement_wine"
LEAVES = leaves(CASE)


def labels(truth: str, pred: str) -> assay.Evaluation:
    data = columns(CASE)
    return assay.evaluate(*(data[name].astype(int) for name in (truth,)), y_pred=data[pred].astype(int))


EVALUATIONS = {"lr_truth": labels("y_true", "pred_lr"), "lr_knn": labels("pred_knn", "pred_lr")}
BY_NAME = {
    "scott2": "scott_pi",
    "gwet.ac1": "gwet_ac1",
    "krippen2": "krippendorff_alpha",
    "bp2": "brennan_prediger",
    "kappa2": "kappa",
    "pa2": "accuracy",
}


def error_of(ev: assay.Evaluation, name: str) -> Ours:
    """The standard error read back from the interval it makes."""

    def compute() -> float:
        found = ev.estimate(name, method="Gwet")
        return (found.high - found.low) / 2 / float(t.ppf(0.975, ev.n - 1))

    return Ours(compute, (name,))


def kappa_error(ev: assay.Evaluation, name: str) -> Ours:
    """The same of a kappa, whose error is that of Fleiss, Cohen and Everitt."""

    def compute() -> float:
        found = ev.estimate(name, method="Fleiss-Cohen-Everitt")
        return (found.high - found.low) / 2 / 1.959963984540054

    return Ours(compute, (name,))


OURS = {
    **{f"{key}_{pair}/coeff": of(ev, name) for key, name in BY_NAME.items() for pair, ev in EVALUATIONS.items()},
    **{
        f"{key}_{pair}/se": error_of(ev, BY_NAME[key])
        for key in ("scott2", "gwet.ac1")
        for pair, ev in EVALUATIONS.items()
    },
    **{f"kappa2_{pair}/se": kappa_error(ev, "kappa") for pair, ev in EVALUATIONS.items()},
    **{
        f"kappa2_lr_truth_{kind}/coeff": of(EVALUATIONS["lr_truth"], f"{kind}_kappa")
        for kind in ("linear", "quadratic")
    },
    **{
        f"kappa2_lr_truth_{kind}/se": kappa_error(EVALUATIONS["lr_truth"], f"{kind}_kappa")
        for kind in ("linear", "quadratic")
    },
    "irr_kripp_nominal_lr_truth": of(EVALUATIONS["lr_truth"], "krippendorff_alpha"),
    "irr_fleiss_two_lr_truth": of(EVALUATIONS["lr_truth"], "fleiss_kappa"),
    # irrCAC's rows are the decisions.
    "confusion_lr_truth/values": Ours(lambda: EVALUATIONS["lr_truth"].matrix.counts.T.tolist()),  # type: ignore[union-attr]
}
WEIGHTED = "weights by distance are offered for Cohen's kappa alone, which users of ordered classes ask for"
LEFT_OUT = {
    "*/ci": "rounded to three digits: the standard error beside it is matched",
    "*[!a]2_lr_truth_linear/*": WEIGHTED,
    "*[!a]2_lr_truth_quadratic/*": WEIGHTED,
    "gwet.ac1_lr_truth_linear/*": WEIGHTED,
    "gwet.ac1_lr_truth_quadratic/*": WEIGHTED,
    "krippen2_*/se": "that of Scott's pi, matched there: alpha's interval is the posterior's, as of Scott's pi",
    "bp2_*/se": "a function of the accuracy: its limits are Wilson's, no standard error",
    "pa2_*/se": "the Wald error of an accuracy over n - 1: matched over n elsewhere (wald)",
    "irr_kripp_ordinal_lr_truth": WEIGHTED,
    "irr_kripp_interval_lr_truth": WEIGHTED,
    "*_three": "agreement of three raters: predictions and truth are two",
    "gwet_ac1_raw_three/*": "agreement of three raters: predictions and truth are two",
    "confusion_lr_truth/[rc]*s": "bookkeeping",
}


@pytest.mark.parametrize("leaf", [leaf for leaf in LEAVES if not leaf.path.endswith("/ci")], ids=lambda leaf: leaf.path)
def test_chance_corrected(leaf: Leaf) -> None:
    check(leaf, OURS, {key: why for key, why in LEFT_OUT.items() if key != "*/ci"})


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_every_measure_of_decisions_is_the_same_for_two_and_many() -> None:
    for name in ("scott_pi", "gwet_ac1", "krippendorff_alpha", "brennan_prediger", "mutual_information"):
        assert find_for_many(name).name == name
