"""Ranks as users hold them: every question, its words, and what is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from assay.errors import InputError, OptionError
from assay.ranks import MOSTLY, Ranks, SignedRankPosterior, about_posterior, rank_algorithms
from assay.ranks.bayesian import DRAWS, bayesian_signed_rank
from assay.ranks.input import Folds
from assay.ranks.weka_table import fold_tests

RNG = np.random.default_rng(11)
GAINS = RNG.normal(0, 0.02, (20, 4)) + np.array([0.8, 0.8, 0.85, 0.9])
NAMES = ["tree", "knn", "bayes", "forest"]


def ranks(values: Any = GAINS, **options: Any) -> Ranks:
    return rank_algorithms(values, algorithms=NAMES[: np.shape(values)[1]], **options)


def test_the_words_name_what_differs_and_what_cannot_be_told() -> None:
    words = ranks().words()
    assert words.startswith("4 algorithms on 20 data sets, higher values better. Mean ranks (1 is best): forest")
    assert "Omnibus test: the algorithms differ significantly: Iman-Davenport F =" in words
    assert "forest is significantly better than tree: p < 0.0001 (Wilcoxon signed-rank, Holm over 6" in words
    assert "No significant difference (Wilcoxon signed-rank, Holm over 6 comparisons): tree and knn (p =" in words
    assert "adding or removing one can change the result" in words


def test_words_of_tests_of_ranks_say_that_they_depend_on_the_pool() -> None:
    found = ranks()
    words = found.words(found.compare("nemenyi"))
    assert "forest ranks significantly above tree" in words
    assert "the critical differences and the p-values of these comparisons depend on ranks among" in words


def test_words_where_nothing_can_be_found() -> None:
    words = ranks(GAINS[:6]).words()
    assert "no result could be significant: the smallest possible p-value is 0.19" in words
    few = ranks(GAINS[:4]).words()
    assert "No omnibus test: too few data sets (4;" in few
    assert "No critical difference" in few
    assert "With fewer than 10 data sets" in ranks(GAINS[:9, :3]).words()
    same = ranks(np.full((12, 3), 0.5)).words()
    assert "No omnibus test: all algorithms are tied" in same
    assert "tree and knn (equal on every data set)" in same


def test_words_of_two_algorithms_have_no_omnibus() -> None:
    words = ranks(GAINS[:, [0, 3]]).words()
    assert "Omnibus test" not in words
    assert "knn is significantly better than tree" in words


def test_dropped_data_sets_are_mentioned() -> None:
    holes = GAINS.copy()
    holes[3, 1] = np.nan
    assert "Left out 1 data set with missing values." in ranks(holes, missing="drop").words()


def test_turning_the_sign_and_the_direction_changes_nothing() -> None:
    up, down = ranks(), ranks(-GAINS, better="lower")
    assert up.mean_ranks == down.mean_ranks
    assert up.compare() == down.compare()
    assert up.critical_difference() == down.critical_difference()
    assert up.bayesian(0.01) == down.bayesian(0.01)


def test_the_record_is_plain_json() -> None:
    record = ranks(GAINS[:4]).to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["omnibus"]["friedman"]["p_value"] is None
    assert record["omnibus"]["friedman"]["undefined"]
    assert record["critical_difference"]["difference"] is None


ASKED: dict[str, tuple[Any, str]] = {
    "an unknown test": (lambda r: r.compare("t"), "test is 't'; needed: 'wilcoxon', 'sign', "),
    "an unknown adjustment": (lambda r: r.compare(adjust="fdr"), "adjust is 'fdr'"),
    "an unknown control": (lambda r: r.compare(control="svm"), "control is 'svm'; needed: 'tree', 'knn'"),
    "pairs with a control": (
        lambda r: r.compare(adjust="shaffer", control="knn"),
        "shaffer adjusts comparisons of all pairs",
    ),
    "nemenyi with a control": (lambda r: r.compare("nemenyi", control="knn"), "Nemenyi's test compares all pairs"),
    "a wrong alpha": (lambda r: r.critical_difference(5), "alpha is 5; needed: a number between 0 and 1"),
    "a negative rope": (lambda r: r.bayesian(-1), "rope must not be negative .got -1"),
    "no folds": (lambda r: r.weka(), "one value per data set; needed: the fold column"),
}


@pytest.mark.parametrize("name", ASKED)
def test_wrong_questions(name: str) -> None:
    ask, words = ASKED[name]
    with pytest.raises(OptionError, match=words):
        ask(ranks())


def test_too_many_algorithms_for_every_partition() -> None:
    many = rank_algorithms(np.random.default_rng(0).random((12, 11)))
    with pytest.raises(InputError, match=r"not computable for 11 algorithms.*adjust='shaffer'"):
        many.compare(adjust="bergmann-hommel")
    assert len(many.compare(adjust="shaffer").pairs) == 55


def test_posteriors_sum_to_one_and_turn_with_the_two() -> None:
    first, second = GAINS[:, 0], GAINS[:, 2]
    there, back = (bayesian_signed_rank(*pair, rope=0.02, seed=3) for pair in ((first, second), (second, first)))
    assert there.first_better + there.same + there.second_better == pytest.approx(1)
    assert there.first_better == pytest.approx(back.second_better, abs=6 * max(there.error, 1 / DRAWS))
    assert bayesian_signed_rank(first, second, rope=0.02, seed=3) == there


def test_without_a_rope_the_posterior_is_beside_the_signed_ranks() -> None:
    """A one-sided p-value and the probability of the other side, for differences without ties."""
    gone = np.random.default_rng(8).normal(0.3, 1.0, 60)
    found = bayesian_signed_rank(gone, np.zeros(60))
    pair = rank_algorithms(np.column_stack((gone, np.zeros(60)))).compare(adjust="none").pairs[0]
    assert found.same == 0
    assert min(found.first_better, found.second_better) == pytest.approx(pair.p_value / 2, abs=0.03)


def test_equal_results_are_the_same_or_nobodys() -> None:
    equal = np.full(10, 0.5)
    assert bayesian_signed_rank(equal, equal, rope=0.01).same == 1.0
    halves = bayesian_signed_rank(equal, equal)
    assert (halves.first_better, halves.second_better) == (0.5, 0.5)


def test_posteriors_in_words() -> None:
    def said(first: float, same: float, second: float, rope: float = 0.01) -> str:
        return about_posterior(SignedRankPosterior("a", "b", first, same, second, rope, 0.001))

    assert said(0.01, 0.02, 0.97).startswith("b is mostly better than a by more than 0.01: probability 0.970")
    assert said(0.02, 0.96, 0.02) == "a and b are mostly the same within 0.01: probability 0.960."
    assert said(0.5, 0.3, 0.2).startswith("Inconclusive for a and b")
    assert said(0.96, 0.0, 0.04, rope=0.0) == "a is mostly better than b: probability 0.960 (b better 0.040)."


def long_table(values: Any, **more: Any) -> dict[str, Any]:
    """Values by data set, algorithm and fold as a long table."""
    places = list(np.ndindex(values.shape))
    return {
        "dataset": [f"data {d}" for d, _, _ in places],
        "algorithm": [NAMES[a] for _, a, _ in places],
        "fold": [f for _, _, f in places],
        "value": [float(values[place]) for place in places],
        **more,
    }


def test_marks_turn_with_the_direction_and_the_base() -> None:
    values = np.random.default_rng(9).normal(0, 0.01, (3, 2, 10)) + np.array([0.7, 0.9])[None, :, None]
    up = rank_algorithms(long_table(values)).weka()
    assert up.text().count(" v") == 3
    assert up.counts(1) == (3, 0, 0)
    assert rank_algorithms(long_table(values), better="lower").weka().counts(1) == (0, 0, 3)
    turned = rank_algorithms(long_table(values)).weka(base="knn")
    assert turned.algorithms == ("knn", "tree")
    assert turned.counts(1) == (0, 0, 3)
    assert turned.table().columns["mark"] == ["", "*"] * 3
    assert json.loads(json.dumps(up.to_dict(), allow_nan=False)) == up.to_dict()


def test_correcting_never_lowers_a_p_value() -> None:
    values = np.random.default_rng(10).normal(0, 1, (4, 10))
    plain, corrected = (fold_tests(values, ratio)[1] for ratio in (0.0, 1 / 9))
    assert (corrected >= plain).all()


def test_the_documents_exercise_of_ten_folds() -> None:
    """Differences with mean 6.45 and deviation 8.7001: t = 2.344 plain, 1.6135 corrected, within chance."""
    rng = np.random.default_rng(12)
    drawn = rng.normal(size=10)
    gone = (drawn - drawn.mean()) / drawn.std(ddof=1) * 8.70010 + 6.45
    for ratio, t, p in ((0.0, 2.34442, 0.0437), (1 / 9, 1.6135, 0.141)):
        found = fold_tests(np.stack((gone, np.zeros(10))), ratio)
        assert found[0][0, 1] == pytest.approx(t, abs=5e-5)
        assert found[1][0, 1] == pytest.approx(p, abs=5e-4)


def test_nothing_is_marked_where_folds_do_not_tell() -> None:
    columns = long_table(np.random.default_rng(13).random((2, 2, 4)))
    columns["run"] = columns.pop("fold")
    found = rank_algorithms(columns).weka()
    assert found.undefined is not None
    assert "No significance marks: unknown numbers of training and test cases; pass ratio" in found.text()
    assert not found.better.any()
    assert rank_algorithms(columns, ratio=0.25).weka().undefined is None
    single = rank_algorithms(long_table(np.random.default_rng(13).random((2, 2, 1))), ratio=0.1).weka()
    assert single.undefined == "a single fold has no standard deviation"
    assert math.isnan(single.table().columns["p_value"][1])


def test_folds_of_different_number() -> None:
    folds = Folds((np.zeros((2, 3)), np.ones((2, 5))), np.array([0.5, 0.25]))
    assert [values.shape[1] for values in folds.take(np.array([1])).values] == [5]


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.6])
def test_the_first_share_is_the_posterior_that_the_pseudomedian_is_above_nought(shift: float) -> None:
    """Drawn again by hand: weighted medians of the means of two, in distributions from the Dirichlet posterior."""
    gains = np.random.default_rng(8).standard_normal(15) + shift
    found = bayesian_signed_rank(gains, np.zeros(15), draws=20_000)
    held = np.append(0.0, gains)
    means = ((held[:, None] + held) / 2).ravel()
    order = np.argsort(means)
    above = 0
    for weight in np.random.default_rng(9).dirichlet([0.5, *[1.0] * 15], 4000):
        mass = np.cumsum(np.outer(weight, weight).ravel()[order])
        above += means[order][np.searchsorted(mass, 0.5)] > 0
    assert found.first_better == pytest.approx(above / 4000, abs=0.03)


def test_a_likely_difference_is_not_a_likely_win_and_the_words_say_so() -> None:
    gains = np.repeat([0.1, -0.1], [60, 40]) + np.linspace(0, 0.001, 100)
    found = bayesian_signed_rank(gains, np.zeros(100))
    assert found.first_better > 0.95 > 0.6 == np.mean(gains > 0)
    assert about_posterior(found).startswith("first is mostly better than second: probability")
    assert "not the probability of a win on the next one" in MOSTLY
