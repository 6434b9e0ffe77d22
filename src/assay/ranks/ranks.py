"""Many algorithms over many data sets: their ranks, and everything that is asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import Any, Literal

import numpy as np

from assay.errors import OptionError
from assay.ranks._input import Better, Columns, ResultTable, results_of
from assay.ranks.adjustments import ADJUSTMENTS, LOGICAL, MOST_FOR_BERGMANN, MOST_FOR_ROM, adjusted
from assay.ranks.answer import RankAnswer
from assay.ranks.bayesian import SignedRankPosterior, bayesian_signed_rank
from assay.ranks.critical_difference import CriticalDifference
from assay.ranks.effect_sizes import EffectSize, effect_size
from assay.ranks.friedman import (
    LEAST_DATASETS,
    friedman,
    friedman_aligned,
    iman_davenport,
    quade,
    ranks_within,
    too_few,
)
from assay.ranks.posthoc import TESTS, Comparisons, Test, bonferroni_dunn_difference, compare_pairs, nemenyi_difference
from assay.ranks.weka_table import WekaTable, weka_table
from assay.ranks.words import sentences
from assay.renderers import in_notebook, render
from assay.request import checked_between, checked_choice, checked_number, front_door
from assay.results import NAN, PairRow, PairTable, Table, TestResult
from assay.types import Floats


@dataclass(frozen=True, eq=False, repr=False)
class Ranks:
    """Algorithms ranked on each data set (1 is best, tied ones share), with the tests that say which ones differ.

    What the tests say is about data sets like these; every data set counts the same and as one observation.
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
        """Each algorithm's mean rank, mean and median value, and on how many data sets it is alone or tied at the top.

        Baselines stand below, with values and without a rank.

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
        """Whether the algorithms differ at all, by each test there is; `iman_davenport` is the one to read first."""
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
        """Which algorithms differ: all pairs, or all others with a control.

        `test` is "wilcoxon" (looks at two algorithms alone), "sign", or one of "ranks", "nemenyi", "aligned", "quade",
        whose answer for two algorithms depends on the others ranked with them. `adjust` is "holm", "hochberg",
        "hommel", "finner", "holland", "rom", "li", "bonferroni", "benjamini-hochberg", "none" or, for all pairs,
        "shaffer" or "bergmann-hommel".
        """
        checked_choice(test, TESTS, "test")
        checked_choice(adjust, {"holm": None, **ADJUSTMENTS, **LOGICAL}, "adjust")
        self._known_control(control)
        names = self.results.algorithms
        if test == "nemenyi" and control is not None:
            raise OptionError("Nemenyi's test is for all pairs, and a control is given", "another", {"test": "ranks"})
        self._refuse_unfit(adjust, control)
        return compare_pairs(self.results.gains, names, test=test, adjust=adjust, control=control, alpha=self.alpha)

    def every_adjustment(self, test: Test = "wilcoxon", *, control: str | None = None) -> PairTable:
        """The p-values of a test beside what each adjustment makes of them; those that do not fit are left out.

        To choose among them after a look is to choose the answer: name one before.

        >>> table = rank_algorithms({"tree": [9, 8, 7, 6, 5, 9], "knn": [8, 7, 6, 5, 4, 8]}).every_adjustment("sign")
        >>> table.columns["p_value"], table.columns["holm"]
        ([0.03125], [0.03125])
        """
        if test == "nemenyi":
            raise OptionError("Nemenyi's p-values take account of all pairs already", "another test", {"test": "ranks"})
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
            return f"{adjust} is for all pairs, and a control is given", "another one", "holm"
        if adjust == "bergmann-hommel" and k > MOST_FOR_BERGMANN:
            found = f"bergmann-hommel would go through every grouping of {k} algorithms"
            return found, f"at most {MOST_FOR_BERGMANN}, or another", "shaffer"
        if adjust == "rom" and made > MOST_FOR_ROM:
            return f"rom has no factors for {made:,} comparisons", f"at most {MOST_FOR_ROM:,}, or another", "hochberg"
        return None

    def _refuse_unfit(self, adjust: str, control: str | None) -> None:
        unfit = self._unfit(adjust, control)
        if unfit is not None:
            raise OptionError(*unfit[:2], {"adjust": unfit[2]})

    def critical_difference(self, alpha: float | None = None, *, control: str | None = None) -> CriticalDifference:
        """How far apart mean ranks must lie: Nemenyi's difference or, with a control, Bonferroni and Dunn's."""
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
        """For each pair, the probability that either is better, or that both are the same within `rope`."""
        rope = checked_number(rope, "rope")
        if rope < 0:
            raise OptionError(f"rope is {rope:g}", "the largest difference that does not matter", {"rope": 0.01})
        self._known_control(control)
        names, gains = self.results.algorithms, dict(zip(self.results.algorithms, self.results.gains.T, strict=True))
        pairs = combinations(names, 2) if control is None else ((control, name) for name in names if name != control)
        return tuple(
            bayesian_signed_rank(gains[first], gains[second], rope=rope, names=(first, second), seed=seed)
            for first, second in pairs
        )

    def effect_sizes(self, *, control: str | None = None) -> tuple[EffectSize, ...]:
        """How far each pair lies apart, whether or not that is beyond chance: Cliff's delta and Akinshin's gamma.

        >>> ranks = rank_algorithms({"tree": [0.9, 0.8, 0.7, 0.6, 0.9], "knn": [0.8, 0.7, 0.6, 0.5, 0.7]})
        >>> ranks.effect_sizes()[0].delta
        0.520 [-0.313, 0.901]
        """
        self._known_control(control)
        names, gains = self.results.algorithms, dict(zip(self.results.algorithms, self.results.gains.T, strict=True))
        pairs = combinations(names, 2) if control is None else ((control, name) for name in names if name != control)
        return tuple(effect_size(gains[one], gains[other], (one, other), 1 - self.alpha) for one, other in pairs)

    def weka(self, base: str | None = None, *, corrected: bool = True) -> WekaTable:
        """WEKA's table over folds, everything compared with `base` (else the first algorithm) on each data set."""
        folds, names = self.results.folds, self.results.algorithms
        if folds is None:
            raise OptionError(
                "there is one value for each algorithm and data set", "one for each fold", {"fold": "fold"}
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
        """Everything that is asked at once, for tables, records and pages.

        `rope` asks for the Bayesian test too, `weka` (or a `base`) for WEKA's table, `all_adjustments` for the p-values
        by each of them.
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
        """Write a page anyone can open: one offline HTML file; WEKA's table is on it where there are folds."""
        answer = self.answer(test=test, adjust=adjust, control=control, rope=rope, base=base, seed=seed)
        render("page", answer, path)

    def words(self, comparisons: Comparisons | None = None) -> str:
        """What all this says, in sentences, a line each."""
        return "\n".join(sentences(self, comparisons or self.compare()))

    def to_dict(self) -> dict[str, Any]:
        """Everything but what needs a choice, as plain values."""
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
            found = f"{option} is {algorithm!r}, which stands out of the tests"
            raise OptionError(found, "it taken into them", {"baseline": "none"})
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
    """Rank algorithms by their results on many data sets, and say which differ beyond chance.

    `table` is a CSV file, a data frame, a mapping of columns or an array: wide, with a row for each data set and a
    column for each algorithm, or long, with columns `dataset`, `algorithm`, `value` and perhaps `fold` and `repeat`.
    `ratio` is cases tested per case trained in a fold, where neither sizes nor the number of folds tell. `baseline` are
    algorithms to be better than, which stand in the tables and out of ranks and tests: by default one called `dummy`,
    as studies call the learner that looks at no feature; "none" takes it in.

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
