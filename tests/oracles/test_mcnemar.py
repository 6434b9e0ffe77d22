"""R's stats, exact2x2 and PropCIs: two models' correctness on the same rows, and two shares of different rows."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy.special import chdtri
from tests.oracles.foreign import DATA, Leaf, Ours, assert_same, check, check_lists, columns, leaves

from assay.comparison import (
    compare_correctness,
    difference_interval,
    discordant_odds,
    mcnemar,
    mcnemar_of,
    unpaired_test,
)
from assay.comparison.labels import score_test
from assay.comparison.rates import unpaired_interval
from assay.evidence.paired import PairedCorrectness
from assay.results import TestResult

CASE = "mcnemar_two_models"
LEAVES = leaves(CASE)
ROWS = columns(CASE)
RIGHT = {name: ROWS[f"pred_{name}"] == ROWS["y_true"] for name in ("lr", "nb", "tree")}
PAIRS = {
    f"{a}_{b}": PairedCorrectness.of(RIGHT[a], RIGHT[b]) for a, b in (("lr", "nb"), ("lr", "tree"), ("nb", "tree"))
}


def table(name: str) -> dict[str, Ours]:
    """Theirs has right before wrong, ours wrong before right."""
    return {f"tables/{name}/values": Ours(lambda: PAIRS[name].counts[::-1, ::-1].tolist())}


def chi_square(path: str, name: str, form: str) -> dict[str, Ours]:
    def test() -> TestResult:
        return mcnemar_of(PAIRS[name], form)

    return {f"{path}/statistic": Ours(lambda: test().statistic), f"{path}/p_value": Ours(lambda: test().p_value)}


def exact(path: str, name: str, form: str) -> dict[str, Ours]:
    b, c = (float(n) for n in (PAIRS[name].only_first, PAIRS[name].only_second))
    odds = discordant_odds(b, c, form=form)
    return {
        f"{path}/statistic": Ours(lambda: mcnemar(b, c, form).statistic),
        f"{path}/parameter": Ours(lambda: c),
        f"{path}/p_value": Ours(lambda: mcnemar(b, c, form).p_value),
        f"{path}/estimate": Ours(lambda: odds.value),
        f"{path}/conf_int": Ours(lambda: [odds.low, odds.high]),
    }


def limits(path: str, name: str, method: str) -> dict[str, Ours]:
    found = difference_interval(PAIRS[name], method=method)
    return {f"{path}/conf_int": Ours(lambda: [found.low, found.high])}


def wald_centre() -> float:
    found = difference_interval(PAIRS["lr_tree"], method="Agresti-Min")
    return (found.low + found.high) / 2


OURS = {
    **table("lr_nb"),
    **table("lr_tree"),
    **table("nb_tree"),
    **chi_square("lr_nb_cc", "lr_nb", "corrected"),
    **chi_square("lr_nb_nocc", "lr_nb", "uncorrected"),
    **chi_square("lr_tree_cc", "lr_tree", "corrected"),
    **chi_square("lr_tree_nocc", "lr_tree", "uncorrected"),
    **exact("lr_nb_exact", "lr_nb", "exact"),
    **exact("lr_nb_midp", "lr_nb", "mid-p"),
    **exact("lr_tree_exact", "lr_tree", "exact"),
    **exact("lr_tree_midp", "lr_tree", "mid-p"),
    **exact("nb_tree_exact", "nb_tree", "exact"),
    "exact_via_binom_lr_nb": Ours(lambda: mcnemar(13, 6, "exact").p_value),
    **limits("diff_wald_lr_tree", "lr_tree", "Wald"),
    **limits("diff_agrestimin_lr_tree", "lr_tree", "Agresti-Min"),
    **limits("diff_tango_lr_tree", "lr_tree", "Tango"),
    **limits("diff_tango_lr_nb", "lr_nb", "Tango"),
    "diff_wald_lr_tree/estimate": Ours(lambda: float(RIGHT["lr"].mean() - RIGHT["tree"].mean())),
    "diff_agrestimin_lr_tree/estimate": Ours(wald_centre),
}
NOT_GIVEN = "the other system gives none"
LEFT_OUT = {
    "tables/*/[rc]o[wl]s": "bookkeeping",
    "*_*cc/parameter": "the degrees of freedom: always one",
    "lr_*_*cc/estimate": NOT_GIVEN,
    "lr_*_*cc/conf_int": NOT_GIVEN,
    "diff_*/statistic": NOT_GIVEN,
    "diff_*/parameter": NOT_GIVEN,
    "diff_*/p_value": NOT_GIVEN,
    "diff_tango_*/estimate": NOT_GIVEN,
    "cc_zero_discordant/*": "R divides 0 by 0; where no case tells the models apart ours is a p-value of 1",
}
# exact2x2 searches its mid-p limits to R's default tolerance; ours solve the equation (see below).
LOOSE = {"lr_nb_midp/conf_int": 3e-4, "lr_tree_midp/conf_int": 3e-4}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_mcnemar(leaf: Leaf) -> None:
    check(Leaf(leaf.path, leaf.expected, LOOSE.get(leaf.path, leaf.tolerance), leaf.is_known_defect), OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


@pytest.mark.parametrize(("b", "c"), [(13, 6), (47, 10)])
def test_mid_p_limits_solve_the_equation_they_are_defined_by(b: int, c: int) -> None:
    from scipy.stats import binom

    found = discordant_odds(b, c)
    for odds, tail in ((found.low, "above"), (found.high, "below")):
        law = binom(b + c, odds / (1 + odds))
        beyond = law.sf(b) if tail == "above" else law.cdf(b - 1)
        assert beyond + law.pmf(b) / 2 == pytest.approx(0.025, abs=1e-9)


UNPAIRED = "proportion_intervals"
UNPAIRED_LEAVES = [leaf for leaf in leaves(UNPAIRED) if leaf.path.startswith("two_sample_")]


def shares(method: str) -> Ours:
    def compute() -> list[float]:
        found = unpaired_interval(187, 212, 343, 357, method=method)
        return [found.low, found.high]

    return Ours(compute)


UNPAIRED_OURS = {
    "two_sample_score_187of212_vs_343of357": shares("Miettinen-Nurminen"),
    "two_sample_agresti_caffo": shares("Agresti-Caffo"),
    "two_sample_wald": shares("Wald"),
    "two_sample_prop_test/estimate": Ours(lambda: [187 / 212, 343 / 357]),
}
UNPAIRED_LEFT_OUT = {
    "two_sample_prop_test/[spc]*": "continuity corrected: the score test without correction is nearer to its level",
    "two_sample_fisher/*": "conditions on both margins and is far from its level: not offered",
}


@pytest.mark.parametrize("leaf", UNPAIRED_LEAVES, ids=lambda leaf: leaf.path)
def test_two_samples(leaf: Leaf) -> None:
    # PropCIs halves its steps until they are below 1e-7.
    tolerance = 2e-7 if "score" in leaf.path else leaf.tolerance
    check(Leaf(leaf.path, leaf.expected, tolerance, leaf.is_known_defect), UNPAIRED_OURS, UNPAIRED_LEFT_OUT)


def test_the_unpaired_lists_hold_nothing_stale() -> None:
    check_lists(UNPAIRED_LEAVES, UNPAIRED_OURS, UNPAIRED_LEFT_OUT)


def test_the_unpaired_score_test_is_the_uncorrected_chi_square_on_one_case_fewer() -> None:
    from scipy.stats import chi2_contingency

    statistic, _, _, _ = chi2_contingency(np.array([[187, 25], [343, 14]]), correction=False)
    assert unpaired_test(187, 212, 343, 357)[0].statistic ** 2 == pytest.approx(statistic * 568 / 569)


EXAMPLES: dict[str, dict[str, Any]] = {
    example["id"]: example for example in json.loads((DATA / "seed_examples.json").read_text())["examples"]
}


@pytest.mark.parametrize("name", ["mcnemar.crit95", "mcnemar.crit99"])
def test_critical_values_of_the_documents(name: str) -> None:
    example = EXAMPLES[name]
    assert_same(float(chdtri(1, 1 - example["inputs"]["p"])), example["expected"], 1e-9, name)
    # A statistic at the critical value has the p-value it is critical for: b + c = 100 leaves (b - c)^2 = 100 chi2.
    wins = 50 + 5 * example["expected"] ** 0.5
    assert_same(mcnemar(wins, 100 - wins, "uncorrected").p_value, 1 - example["inputs"]["p"], 1e-9, name)


def test_the_corrected_statistic_of_the_documents_is_symmetric() -> None:
    example = EXAMPLES["mcnemar.formula"]
    a, b = example["inputs"]["a"], example["inputs"]["b"]
    for pair in ((a, b), (b, a)):
        assert_same(mcnemar(*pair, "corrected").statistic, example["expected"], 1e-9, "corrected")


def test_the_standard_error_of_the_documents_has_a_minus() -> None:
    example = EXAMPLES["paired_diff.se"]
    n = example["inputs"]["n"]
    b, c = (n * example["inputs"][share] for share in ("p10", "p01"))
    table = PairedCorrectness.named(both=n - b - c, only_first=b, only_second=c, neither=0)
    found = difference_interval(table, method="Wald")
    half = (found.high - found.low) / 2
    assert_same(half / 1.959963984540054, example["expected"], 1e-9, "se")
    corrected = difference_interval(table, method="Wald, continuity corrected")
    assert_same((corrected.high - corrected.low) / 2, half + 1 / n, 1e-12, "1/n, not z/2n")


def test_the_goldens_of_the_literature() -> None:
    small = PairedCorrectness.named(both=1, only_first=1, only_second=7, neither=12)
    newcombe = difference_interval(small, method="Newcombe 10")
    assert_same([newcombe.low, newcombe.high], [-0.50692, -0.02556], 6e-6, "Newcombe 1998")
    tango = compare_correctness(small)[1]
    assert_same([tango.low, tango.high], [-0.51723, -0.02600], 6e-6, "Tango 1998")
    found = difference_interval(
        PairedCorrectness.named(both=36, only_first=12, only_second=2, neither=0), method="Newcombe 10"
    )
    assert_same([found.low, found.high], [0.05693, 0.34043], 6e-6, "Newcombe 1998")
    forms = ("uncorrected", "corrected", "exact", "mid-p")
    assert_same([mcnemar(1, 7, form).p_value for form in forms], [0.0339, 0.0771, 0.0703, 0.0391], 6e-5, "V2")
    assert score_test(1, 7, 21)[0].p_value == mcnemar(1, 7, "uncorrected").p_value
