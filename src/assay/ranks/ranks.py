"""Ranks of many algorithms over many data sets, with tests, effect sizes and sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import OptionError
from assay.ranks.bayesian import SignedRankPosterior, bayesian_signed_rank
from assay.ranks.diagram import CriticalDifference
from assay.ranks.effect_sizes import EffectSize, effect_size, effects_table
from assay.ranks.input import Better, Columns, ResultTable, results_of
from assay.ranks.omnibus import (
    LEAST_DATASETS,
    friedman,
    friedman_aligned,
    iman_davenport,
    quade,
    ranks_within,
    too_few,
)
from assay.ranks.posthoc import (
    ADJUSTMENTS,
    LOGICAL,
    MOST_FOR_BERGMANN,
    MOST_FOR_ROM,
    TESTS,
    Comparisons,
    Test,
    adjusted,
    bonferroni_dunn_difference,
    compare_pairs,
    nemenyi_difference,
)
from assay.ranks.weka_table import WekaTable, weka_table
from assay.renderers import in_notebook, render
from assay.request import checked_between, checked_choice, checked_number, front_door
from assay.results import NAN, PairRow, PairTable, Table, TestResult, counted
from assay.text import number
from assay.types import Floats

if TYPE_CHECKING:
    from assay.ranks.posthoc import PairComparison


SCHEMA = "assay.ranks/1"


@dataclass(frozen=True, eq=False, repr=False)
class RankAnswer:
    """Ranks with the comparisons, the critical difference and the other requested analyses.

    `asked` are the options that differ from their defaults, by name.
    """

    ranks: Ranks
    comparisons: Comparisons
    difference: CriticalDifference
    posteriors: tuple[SignedRankPosterior, ...] = ()
    weka: WekaTable | None = None
    adjustments: Table | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return self.words()

    @cached_property
    def effects(self) -> tuple[EffectSize, ...]:
        """Return the effect sizes of the compared pairs."""
        return self.ranks.effect_sizes(control=self.comparisons.control)

    def words(self) -> str:
        """Return the findings as sentences, one on each line."""
        return self.ranks.words(self.comparisons)

    def omnibus(self) -> Table:
        """Return the omnibus tests, a row each, with the reason if one is undefined."""
        tests = self.ranks.omnibus()
        facts = ("statistic", "p_value", "method", "undefined")
        columns = {fact: [getattr(one, fact) for one in tests.values()] for fact in facts}
        return Table({"test": list(tests), **columns}, title="Omnibus tests")

    def tables(self) -> dict[str, Table]:
        """Return every table by its title."""
        found = {"ranks": self.ranks.table(), "omnibus": self.omnibus(), "comparisons": self.comparisons.table()}
        found["critical difference"] = self.difference.table()
        found["effect sizes"] = effects_table(self.effects)
        if self.adjustments is not None:
            found["adjustments"] = self.adjustments
        if self.posteriors:
            names = ("first", "second", "first_better", "same", "second_better", "rope", "error")
            found["bayesian"] = Table({name: [getattr(one, name) for one in self.posteriors] for name in names})
        return found if self.weka is None else found | {"weka": self.weka.table(), "weka ranking": self.weka.ranking()}

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints; its schema is published in the docs."""
        return {
            "schema": SCHEMA,
            **self.ranks.to_dict(),
            "critical_difference": self.difference.to_dict(),
            "comparisons": self.comparisons.to_dict(),
            "effect_sizes": [one.to_dict() for one in self.effects],
            "adjustments": None if self.adjustments is None else self.adjustments.to_dict(),
            "bayesian": [one.to_dict() for one in self.posteriors],
            "weka": None if self.weka is None else self.weka.to_dict(),
            "words": self.words().splitlines(),
        }


# With fewer data sets than this only large differences can be found.
FEW = 10
# Most pairs listed without and with a significant difference, and algorithms in a row; the others are counted
# beyond.
MOST_NAMED = 6
MOST_FOUND = 20
MOST_IN_A_ROW = 16
POOLED = ("Friedman ranks, z", "Nemenyi", "aligned ranks, z", "Quade, z")


def sentences(ranks: Ranks, comparisons: Comparisons) -> Iterator[str]:
    """Yield the sentences of the report: the ranking, the tests, and their limitations."""
    yield from findings(ranks, comparisons)
    yield from reservations(ranks, comparisons).values()


def findings(ranks: Ranks, comparisons: Comparisons) -> Iterator[str]:
    """Yield the findings: the ranking, the omnibus test, and the significant pairs."""
    count, k = ranks.results.values.shape
    listed = _some([f"{name} {ranks.mean_ranks[name]:.2f}" for name in ranks.order])
    yield (
        f"{counted(k, 'algorithm')} on {counted(count, 'data set')}, {ranks.results.better} values better. "
        f"Mean ranks (1 is best): {listed}."
    )
    if k > 2:
        yield _omnibus(ranks.omnibus(), ranks.alpha)
    yield from _pairs(comparisons, ranks.alpha)
    difference = ranks.critical_difference(control=comparisons.control)
    yield _critical_difference_words(difference)
    yield from _disagreement_sentences(comparisons, difference, ranks.alpha)
    yield from _baseline_sentences(ranks)


def reservations(ranks: Ranks, comparisons: Comparisons) -> dict[str, str]:
    """Return the limitations, by topic."""
    count, k = ranks.results.values.shape
    found = {}
    if ranks.results.dropped:
        found["missing"] = f"Left out {counted(ranks.results.dropped, 'data set')} with missing values."
    has_difference = ranks.critical_difference().undefined is None
    if k > 2 and (has_difference or comparisons.test in POOLED):
        found["pool"] = _pool_sentence(has_difference=has_difference, is_pooled=comparisons.test in POOLED)
    few = _few_datasets_sentence(comparisons, count, ranks.alpha)
    return found | ({"data sets": few} if few else {})


def _some(words: list[str], most: int = MOST_IN_A_ROW) -> str:
    more = len(words) - most
    return ", ".join([*words[:most], *([f"and {more:,} more"] if more > 0 else [])])


def _omnibus(tests: dict[str, TestResult], alpha: float) -> str:
    first, second = tests["iman_davenport"], tests["friedman"]
    if first.undefined is not None:
        return f"No omnibus test: {first.undefined}."
    shown = f"Iman-Davenport F = {first.statistic:.4g}, {p_words(first.p_value)}"
    beside = f"Friedman chi-square = {second.statistic:.4g}, {p_words(second.p_value)}"
    if first.p_value <= alpha:
        return f"Omnibus test: the algorithms differ significantly: {shown} ({beside})."
    return f"Omnibus test: no significant difference among the algorithms: {shown} ({beside})."


def _pairs(comparisons: Comparisons, alpha: float) -> Iterator[str]:
    made = len(comparisons.pairs)
    how = f"{comparisons.test}, {_adjustment_words(comparisons.adjustment)} over {counted(made, 'comparison')}"
    found = [pair for pair in comparisons.pairs if pair.better(alpha) is not None]
    for pair in found[:MOST_FOUND]:
        yield _better(pair, alpha, how, comparisons.test in POOLED)
    if len(found) > MOST_FOUND:
        yield f"{counted(len(found) - MOST_FOUND, 'more significant difference')} ({how})."
    unclear = [pair for pair in comparisons.pairs if pair.better(alpha) is None]
    if unclear:
        yield f"No significant difference ({how}): {_pair_names(unclear)}."


def _better(pair: PairComparison, alpha: float, how: str, is_ranked: bool) -> str:
    winner = pair.better(alpha)
    loser = pair.second if winner == pair.first else pair.first
    wins, losses = (pair.wins, pair.losses) if winner == pair.first else (pair.losses, pair.wins)
    verb = "ranks significantly above" if is_ranked else "is significantly better than"
    score = f"{counted(wins, 'win')}, {counted(pair.ties, 'tie')}, {losses} {'loss' if losses == 1 else 'losses'}"
    return f"{winner} {verb} {loser}: {p_words(pair.adjusted)} ({how}); {score}."


def _adjustment_words(name: str) -> str:
    named = {"none": "unadjusted", "benjamini-hochberg": "false discovery rate", "all pairs at once": name}
    return named.get(name, name.title())


def _pair_names(pairs: list[PairComparison]) -> str:
    named = [f"{pair.first} and {pair.second} ({p_words(pair.adjusted)})" for pair in pairs[:MOST_NAMED]]
    more = len(pairs) - len(named)
    return "; ".join([*named, *([f"and {more:,} more"] if more else [])])


def _critical_difference_words(found: CriticalDifference) -> str:
    if found.undefined is not None:
        return f"No critical difference: {found.undefined}."
    groups = [_some(list(group)) for group in found.groups]
    more = f"; and {counted(len(groups) - MOST_NAMED, 'more group')}" if len(groups) > MOST_NAMED else ""
    apart = f"No significant difference within: {'; '.join(groups[:MOST_NAMED])}{more}."
    shown = f"Critical difference of mean ranks ({found.method}, {found.alpha:g}): {found.difference:.3g}."
    return f"{shown} {apart if groups else 'All differences are significant.'}"


def _disagreement_sentences(comparisons: Comparisons, found: CriticalDifference, alpha: float) -> Iterator[str]:
    """Yield pairs that are significant by the test but not by the critical difference, or the other way round."""
    if found.undefined is not None or comparisons.test in POOLED:
        return
    place = dict(zip(found.algorithms, found.mean_ranks, strict=True))
    far = {pair: abs(place[pair.first] - place[pair.second]) > found.difference for pair in comparisons.pairs}
    for by_test, by_ranks, words in (
        (True, False, f"by {comparisons.test} but not by {found.method}"),
        (False, True, f"by {found.method} but not by {comparisons.test}"),
    ):
        named = [
            f"{pair.first} and {pair.second}"
            for pair, is_far in far.items()
            if (pair.better(alpha) is not None, is_far) == (by_test, by_ranks)
        ]
        if named:
            yield f"Significant {words}: {_some(named, MOST_NAMED)}; {_two_tests_sentence(by_test)}."


def _two_tests_sentence(is_test_first: bool) -> str:
    pair, pool = "uses only the two algorithms", "uses ranks among all algorithms"
    return f"the first {pair}, the second {pool}" if is_test_first else f"the first {pool}, the second {pair}"


def _baseline_sentences(ranks: Ranks) -> Iterator[str]:
    """Yield the mean of each baseline and the algorithms that are not better."""
    held = ranks.results.baseline_values
    if held is None:
        return
    sign = 1 if ranks.results.better == "higher" else -1
    for name, values in zip(ranks.results.baselines, held.T, strict=True):
        worse = [
            other
            for other, own in zip(ranks.results.algorithms, ranks.results.values.T, strict=True)
            if sign * own.mean() <= sign * values.mean()
        ]
        said = f"; not better on average than it: {_some(worse)}" if worse else ""
        mean = number(float(values.mean()))
        yield f"Baseline {name}: mean {mean}{said}. It is excluded from ranks and tests."


def _pool_sentence(*, has_difference: bool, is_pooled: bool) -> str:
    """Return the note that tests of ranks depend on the pool of algorithms."""
    named = ["the critical differences"] * has_difference + ["the p-values of these comparisons"] * is_pooled
    return (
        f"Note: {' and '.join(named)} depend on ranks among all algorithms: adding or removing one can change "
        "the result. The signed-rank test uses only the two algorithms."
    )


def could_not_pass(comparisons: Comparisons, count: int, alpha: float) -> bool:
    """Whether no difference, however large, could have passed: the smallest p possible is above alpha."""
    is_certain = comparisons.adjustment in ("none", "bonferroni", "holm", "shaffer", "bergmann-hommel")
    is_exact = comparisons.test in ("Wilcoxon signed-rank", "sign test")
    return is_exact and is_certain and _smallest_p_value(comparisons, count) > alpha


def _smallest_p_value(comparisons: Comparisons, count: int) -> float:
    return 2.0 ** (1 - count) * (1 if comparisons.adjustment == "none" else len(comparisons.pairs))


def _few_datasets_sentence(comparisons: Comparisons, count: int, alpha: float) -> str:
    made, least = len(comparisons.pairs), _smallest_p_value(comparisons, count)
    if could_not_pass(comparisons, count, alpha):
        return (
            f"With {counted(count, 'data set')} and {counted(made, 'comparison')} no result could be significant: "
            f"the smallest possible p-value is {min(1.0, least):.2g}. More data sets, or fewer comparisons, are "
            "needed."
        )
    return f"With fewer than {FEW} data sets only large differences can be detected." if count < FEW else ""


MOSTLY = (
    "Mostly: the mean difference over two data sets drawn at random from the population lies there more often "
    "than elsewhere. This is a posterior probability given these data sets, not the probability of a win on the "
    "next one."
)


def about_posterior(posterior: SignedRankPosterior, sure: float = 0.95) -> str:
    """One pair's posterior in a sentence; `MOSTLY` says what is meant by it.

    >>> from assay.ranks.bayesian import SignedRankPosterior
    >>> about_posterior(SignedRankPosterior("tree", "knn", 0.97, 0.02, 0.01, 0.01, 0.001))
    'tree is mostly better than knn by more than 0.01: probability 0.970 (same 0.020, knn better 0.010).'
    """
    first, second, rope = posterior.first, posterior.second, posterior.rope
    beyond = f" by more than {rope:g}" if rope else ""
    same = f"same {number(posterior.same)}, " if rope else ""
    match posterior.likely(sure):
        case "first":
            shown, rest = posterior.first_better, f"{same}{second} better {number(posterior.second_better)}"
            return f"{first} is mostly better than {second}{beyond}: probability {number(shown)} ({rest})."
        case "second":
            shown, rest = posterior.second_better, f"{same}{first} better {number(posterior.first_better)}"
            return f"{second} is mostly better than {first}{beyond}: probability {number(shown)} ({rest})."
        case "same":
            return f"{first} and {second} are mostly the same within {rope:g}: probability {number(posterior.same)}."
    shares = f"{first} better {number(posterior.first_better)}, {same}{second} better {number(posterior.second_better)}"
    return f"Inconclusive for {first} and {second}: {shares}."


def p_words(p_value: float) -> str:
    """A p-value as text.

    >>> p_words(0.01234), p_words(0.00001), p_words(float("nan"))
    ('p = 0.0123', 'p < 0.0001', 'equal on every data set')
    """
    if math.isnan(p_value):
        return "equal on every data set"
    return "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.3g}"


@dataclass(frozen=True, eq=False, repr=False)
class Ranks:
    """Algorithms ranked on each data set (1 is best, ties share), with tests of their differences.

    The tests are about data sets like these; every data set counts the same and as one observation.
    """

    results: ResultTable
    alpha: float = 0.05

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(self.table())

    @cached_property
    def ranks(self) -> Floats:
        """The rank of each algorithm (a column) on each data set (a row)."""
        return ranks_within(self.results.gains)

    @property
    def mean_ranks(self) -> dict[str, float]:
        """The mean rank of each algorithm over the data sets."""
        return dict(zip(self.results.algorithms, self.ranks.mean(0).tolist(), strict=True))

    @property
    def order(self) -> tuple[str, ...]:
        """The algorithms from the best mean rank to the worst."""
        return tuple(sorted(self.mean_ranks, key=self.mean_ranks.__getitem__))

    def table(self) -> Table:
        """Return each algorithm's mean rank, mean and median value, and number of data sets with rank 1 or tied for it.

        Baselines are listed below, with values and without a rank.

        >>> print(rank_algorithms({"tree": [0.9, 0.8, 0.7], "knn": [0.8, 0.9, 0.6]}).table())
        place  algorithm  mean_rank   mean  median  first
            1  tree           1.333  0.800   0.800      2
            2  knn            1.667  0.767   0.800      1
        """
        place = {name: j for j, name in enumerate(self.results.algorithms)}
        columns = [place[name] for name in self.order]
        beside, held = self.results.baselines, self.results.baseline_values
        values = self.results.values[:, columns] if held is None else np.hstack((self.results.values[:, columns], held))
        first = (self.ranks[:, columns] == self.ranks.min(1, keepdims=True)).sum(0).tolist()
        return Table(
            {
                "place": [*range(1, len(columns) + 1), *(NAN for _ in beside)],
                "algorithm": [*self.order, *beside],
                "mean_rank": [*(self.mean_ranks[name] for name in self.order), *(NAN for _ in beside)],
                "mean": values.mean(0).tolist(),
                "median": np.median(values, axis=0).tolist(),
                "first": [*first, *(NAN for _ in beside)],
            },
            title="Ranks",
        )

    def omnibus(self) -> dict[str, TestResult]:
        """Return the omnibus tests of equal algorithms by name; read `iman_davenport` first."""
        gains = self.results.gains
        return {
            "iman_davenport": iman_davenport(gains),
            "friedman": friedman(gains),
            "iman_davenport_uncorrected": iman_davenport(gains, tie_corrected=False),
            "friedman_uncorrected": friedman(gains, tie_corrected=False),
            "friedman_aligned": friedman_aligned(gains),
            "quade": quade(gains),
        }

    def compare(self, test: Test = "wilcoxon", *, adjust: str = "holm", control: str | None = None) -> Comparisons:
        """Return the comparisons of all pairs of algorithms, or of all others with a control.

        `test` is "wilcoxon" (uses only the two algorithms), "sign", or one of "ranks", "nemenyi", "aligned", "quade",
        whose result for two algorithms depends on the others in the ranking. `adjust` is "holm", "hochberg",
        "hommel", "finner", "holland", "rom", "li", "bonferroni", "benjamini-hochberg", "none" or, for all pairs,
        "shaffer" or "bergmann-hommel".
        """
        checked_choice(test, TESTS, "test")
        checked_choice(adjust, {"holm": None, **ADJUSTMENTS, **LOGICAL}, "adjust")
        self._known_control(control)
        names = self.results.algorithms
        if test == "nemenyi" and control is not None:
            raise OptionError(
                "Nemenyi's test compares all pairs; it takes no control", "another test", {"test": "ranks"}
            )
        self._refuse_unfit(adjust, control)
        return compare_pairs(self.results.gains, names, test=test, adjust=adjust, control=control, alpha=self.alpha)

    def every_adjustment(self, test: Test = "wilcoxon", *, control: str | None = None) -> PairTable:
        """Return the p-values of a test and their adjusted values by every method that applies.

        Choose the adjustment before you look at the results.

        >>> table = rank_algorithms({"tree": [9, 8, 7, 6, 5, 9], "knn": [8, 7, 6, 5, 4, 8]}).every_adjustment("sign")
        >>> table.columns["p_value"], table.columns["holm"]
        ([0.03125], [0.03125])
        """
        if test == "nemenyi":
            raise OptionError(
                "Nemenyi's p-values are adjusted for all pairs already", "another test", {"test": "ranks"}
            )
        plain = self.compare(test, adjust="none", control=control)
        p_values, k = np.array([pair.p_value for pair in plain.pairs]), len(self.results.algorithms)
        beside = {
            name: adjusted(p_values, name, k, self.alpha).tolist()
            for name in (*ADJUSTMENTS, *LOGICAL)
            if name != "none" and self._unfit(name, control) is None
        }
        keys = {name: [getattr(pair, name) for pair in plain.pairs] for name in ("first", "second")}
        rows = [PairRow(p_value=pair.p_value) for pair in plain.pairs]
        return PairTable.of(keys, rows, f"{plain.test}, by every adjustment", beside=beside)

    def _unfit(self, adjust: str, control: str | None) -> tuple[str, str, str] | None:
        """Why an adjustment does not fit the comparisons: what was found, what is needed, and another that fits."""
        k = len(self.results.algorithms)
        made = k - 1 if control is not None else k * (k - 1) // 2
        if adjust in LOGICAL and control is not None:
            return f"{adjust} adjusts comparisons of all pairs; it takes no control", "another adjustment", "holm"
        if adjust == "bergmann-hommel" and k > MOST_FOR_BERGMANN:
            found = f"bergmann-hommel is not computable for {k} algorithms"
            return found, f"at most {MOST_FOR_BERGMANN}, or another adjustment", "shaffer"
        if adjust == "rom" and made > MOST_FOR_ROM:
            return (
                f"rom is not computable for {made:,} comparisons",
                f"at most {MOST_FOR_ROM:,}, or another adjustment",
                "hochberg",
            )
        return None

    def _refuse_unfit(self, adjust: str, control: str | None) -> None:
        unfit = self._unfit(adjust, control)
        if unfit is not None:
            raise OptionError(*unfit[:2], {"adjust": unfit[2]})

    def critical_difference(self, alpha: float | None = None, *, control: str | None = None) -> CriticalDifference:
        """Return the critical difference of mean ranks: Nemenyi's or, with a control, Bonferroni and Dunn's."""
        level = self.alpha if alpha is None else checked_between(alpha, "alpha")
        self._known_control(control)
        count, k = self.results.values.shape
        reason = None
        if count < LEAST_DATASETS:
            reason = too_few(count)
        needed = nemenyi_difference if control is None else bonferroni_dunn_difference
        difference = NAN if reason else needed(k, count, level)
        ranks = tuple(self.mean_ranks[name] for name in self.order)
        return CriticalDifference(self.order, ranks, difference, level, count, control, reason)

    def bayesian(
        self, rope: float = 0.0, *, control: str | None = None, seed: int = 0
    ) -> tuple[SignedRankPosterior, ...]:
        """Return for each pair the posterior probability that either is better, or both the same within `rope`."""
        rope = checked_number(rope, "rope")
        if rope < 0:
            raise OptionError(
                f"rope must not be negative (got {rope:g})",
                "the largest difference without practical importance",
                {"rope": 0.01},
            )
        self._known_control(control)
        names, gains = self.results.algorithms, dict(zip(self.results.algorithms, self.results.gains.T, strict=True))
        pairs = combinations(names, 2) if control is None else ((control, name) for name in names if name != control)
        return tuple(
            bayesian_signed_rank(gains[first], gains[second], rope=rope, names=(first, second), seed=seed)
            for first, second in pairs
        )

    def effect_sizes(self, *, control: str | None = None) -> tuple[EffectSize, ...]:
        """Return the effect sizes of each pair: Cliff's delta and Akinshin's gamma.

        >>> ranks = rank_algorithms({"tree": [0.9, 0.8, 0.7, 0.6, 0.9], "knn": [0.8, 0.7, 0.6, 0.5, 0.7]})
        >>> ranks.effect_sizes()[0].delta
        0.520 [-0.313, 0.901]
        """
        self._known_control(control)
        names, gains = self.results.algorithms, dict(zip(self.results.algorithms, self.results.gains.T, strict=True))
        pairs = combinations(names, 2) if control is None else ((control, name) for name in names if name != control)
        return tuple(effect_size(gains[one], gains[other], (one, other), 1 - self.alpha) for one, other in pairs)

    def weka(self, base: str | None = None, *, corrected: bool = True) -> WekaTable:
        """Return WEKA's table: all algorithms compared with `base` (default: the first) over the folds of each data
        set.
        """
        folds, names = self.results.folds, self.results.algorithms
        if folds is None:
            raise OptionError(
                "WEKA's table needs results by fold, and the table has one value per data set",
                "the fold column",
                {"fold": "fold"},
            )
        self._known_control(base, "base")
        first = 0 if base is None else names.index(base)
        order = [first, *(j for j in range(len(names)) if j != first)]
        turned = type(folds)(tuple(values[order] for values in folds.values), folds.ratio)
        return weka_table(
            turned,
            self.results.datasets,
            [names[j] for j in order],
            better=self.results.better,
            corrected=corrected,
            alpha=self.alpha,
        )

    def answer(
        self,
        *,
        test: Test = "wilcoxon",
        adjust: str = "holm",
        control: str | None = None,
        rope: float | None = None,
        base: str | None = None,
        weka: bool = False,
        all_adjustments: bool = False,
        seed: int = 0,
    ) -> RankAnswer:
        """Return all requested analyses, for tables, records and pages.

        `rope` adds the Bayesian test, `weka` (or a `base`) WEKA's table, `all_adjustments` the p-values
        by every adjustment.
        """
        asked = {"test": test, "adjust": adjust, "control": control, "rope": rope, "base": base, "seed": seed}
        usual = {"test": "wilcoxon", "adjust": "holm", "seed": 0}
        return RankAnswer(
            self,
            self.compare(test, adjust=adjust, control=control),
            self.critical_difference(control=control),
            () if rope is None else self.bayesian(rope, control=control, seed=seed),
            self.weka(base) if weka or base is not None else None,
            self.every_adjustment(test, control=control) if all_adjustments else None,
            {name: value for name, value in asked.items() if value is not None and value != usual.get(name)},
        )

    def report(
        self,
        path: str | PathLike[str],
        *,
        test: Test = "wilcoxon",
        adjust: str = "holm",
        control: str | None = None,
        rope: float | None = None,
        base: str | None = None,
        seed: int = 0,
    ) -> None:
        """Write the report: one offline HTML file, with WEKA's table if `base` is given."""
        answer = self.answer(test=test, adjust=adjust, control=control, rope=rope, base=base, seed=seed)
        render("page", answer, path)

    def words(self, comparisons: Comparisons | None = None) -> str:
        """Return the findings as sentences, one on each line."""
        return "\n".join(sentences(self, comparisons or self.compare()))

    def to_dict(self) -> dict[str, Any]:
        """Return all results without options, as plain values."""
        return {
            "better": self.results.better,
            "alpha": self.alpha,
            "datasets": list(self.results.datasets),
            "algorithms": list(self.results.algorithms),
            "baselines": list(self.results.baselines),
            "dropped": self.results.dropped,
            "source": None if self.results.source is None else self.results.source.to_dict(),
            "ranks": self.ranks.tolist(),
            "table": self.table().to_dict(),
            "omnibus": {name: test.to_dict() for name, test in self.omnibus().items()},
            "critical_difference": self.critical_difference().to_dict(),
        }

    def _known_control(self, algorithm: str | None, option: str = "control") -> None:
        if algorithm is None:
            return
        if algorithm in self.results.baselines:
            found = f"{option} is the baseline {algorithm!r}, which is excluded from the tests"
            raise OptionError(found, "the tests with the baseline included", {"baseline": "none"})
        checked_choice(algorithm, self.results.algorithms, option)


@front_door
def rank_algorithms(
    table: Any,
    *,
    better: Better = "higher",
    alpha: float = 0.05,
    algorithms: Sequence[str] | None = None,
    dataset: str | None = None,
    algorithm: str | None = None,
    value: str | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    ratio: float | None = None,
    missing: Literal["refuse", "drop"] = "refuse",
    baseline: str | Sequence[str] | None = None,
) -> Ranks:
    """Rank algorithms by their results on many data sets and test their differences.

    `table` is a CSV file, a data frame, a mapping of columns or an array: wide, with a row for each data set and a
    column for each algorithm, or long, with columns `dataset`, `algorithm`, `value` and perhaps `fold` and `repeat`.
    `ratio` is test cases per training case in a fold, if neither sizes nor the number of folds are known. `baseline`
    are reference algorithms in the tables that are excluded from ranks and tests: by default `dummy`, the learner
    without features of studies; "none" includes it.

    >>> ranks = rank_algorithms([[0.9, 0.8, 0.7], [0.8, 0.9, 0.6]], algorithms=["tree", "knn", "bayes"])
    >>> ranks.mean_ranks
    {'tree': 1.5, 'knn': 1.5, 'bayes': 3.0}
    """
    columns = Columns(dataset, algorithm, value, fold, repeat)
    results = results_of(
        table,
        better=better,
        columns=columns,
        algorithms=algorithms,
        ratio=ratio,
        missing=missing,
        baseline=baseline,
    )
    return Ranks(results, checked_between(alpha, "alpha"))
