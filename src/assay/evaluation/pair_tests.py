"""The tests of a comparison by the names of their authors: other answers to the same question.

Tests of whole ROC curves and of single points on them, of classifiers on the same cases and on their own.

Tests that go by a name and have no difference of a measure to show: every pair by one of them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from assay import comparison as tests
from assay.calibration import MurphyDifference, cheapest, murphy_curve, murphy_difference
from assay.comparison import (
    Alternative,
    Difference,
    RateContrast,
    SamplePlan,
    bonferroni,
    fixed_rate_test,
    venkatraman_paired,
    venkatraman_unpaired,
)
from assay.curves import (
    Dominance,
    DrawnBand,
    PValuePicture,
    RocPoints,
    dominance,
    p_value_picture,
    roc_difference_band,
    roc_points,
)
from assay.errors import OptionError
from assay.evaluation.binary import TwoClassEvaluation
from assay.evaluation.differences import LACKING
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.sample_size import pilot_test, plan_from_pilot, positives_of, power_by_default
from assay.evidence import DecidedRows, JointCorrectness, ScoreTable
from assay.method_names import squeezed
from assay.renderers import in_notebook
from assay.results import Estimate, Interval, PairRow, PairTable, Table, TestResult
from assay.types import Bools, Codes, Floats

if TYPE_CHECKING:
    from assay.evaluation.comparison import Comparison, PairwiseComparison
    from assay.evaluation.unpaired_comparison import UnpairedComparison

__all__ = [
    "NAMED",
    "P_ALONE",
    "CurveTests",
    "NamedTests",
    "PairTests",
    "TestedPair",
    "UnpairedTests",
    "named_test",
    "tested",
]


P_ALONE = "a p-value alone does not show the size of a difference; its interval does"
# What each is called, the method of a comparison's tests that makes it, and in which form.
NAMED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "venkatraman": ("venkatraman",),
        "mcnemar": ("mcnemar",),
        "mcnemar, exact": ("mcnemar", "exact"),
        "mcnemar, corrected": ("mcnemar", "corrected"),
        "mcnemar, uncorrected": ("mcnemar", "uncorrected"),
        "redelmeier": ("redelmeier",),
        "stuart-maxwell": ("stuart_maxwell",),
        "bowker": ("bowker",),
    }
)


@dataclass(frozen=True)
class TestedPair:
    """One test of two classifiers; `adjusted` is its p-value after Bonferroni, for all pairs that were tested."""

    __test__ = False  # not a test case, whatever its name says to pytest

    first: str
    second: str
    result: TestResult
    adjusted: float

    def to_dict(self) -> dict[str, Any]:
        """The record, with nan as None."""
        adjusted = None if math.isnan(self.adjusted) else self.adjusted
        return {"first": self.first, "second": self.second, **self.result.to_dict(), "adjusted": adjusted}


@dataclass(frozen=True, repr=False)
class NamedTests:
    """Every pair by one test; `caution` says what no such test tells."""

    method: str
    pairs: tuple[TestedPair, ...]
    caution: str = P_ALONE

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(self.table())

    @property
    def null(self) -> str:
        """What is supposed, and held against the cases."""
        return self.pairs[0].result.null

    def table(self) -> PairTable:
        """The pairs under one another: statistic, p-value, and that for all together where there are several."""
        keys = {"first": [one.first for one in self.pairs], "second": [one.second for one in self.pairs]}
        are_several = len(self.pairs) > 1
        rows = [
            PairRow(
                statistic=test.statistic, p_value=test.p_value, adjusted=one.adjusted if are_several else None,
                method=f"{test.test} ({test.method})", undefined=test.undefined or "", note=test.caution,
            )
            for one in self.pairs
            for test in [one.result]
        ]  # fmt: skip
        # Records and scripts of earlier releases look for the test under this name.
        return PairTable.of(
            keys, rows, beside={"test": [f"{one.result.test} ({one.result.method})" for one in self.pairs]}
        )


def named_test(name: str) -> str | None:
    """What a test is called that goes by this name, if there is one.

    >>> named_test("Venkatraman"), named_test("mcnemar-exact"), named_test("delong")
    ('venkatraman', 'mcnemar, exact', None)
    """
    return next((each for each in NAMED if squeezed(each) == squeezed(str(name))), None)


def tested(cmp: PairwiseComparison, tests: Any, name: str, control: str | None) -> NamedTests:
    """Every pair, or all others beside a control, by the test of this name; one that these cases lack is refused."""
    names = cmp.names
    if control is None and cmp.omitted_pairs:
        found = f"there are {len(names)} {cmp.item}s, too many for a test of every pair"
        raise OptionError(found, "the one that all others are compared with", {"control": names[0]})
    called = named_test(name)
    if called is None:
        raise OptionError(f"method is {name!r}", f"one of {', '.join(map(repr, NAMED))}", about="method")
    attribute, *form = NAMED[called]
    if not hasattr(tests, attribute):
        raise OptionError(f"method is {name!r}, a test of the same cases", "'venkatraman'", about="method")
    pairs = [(names[i], names[j]) for i, j in cmp.pairs_of(control)]
    results = [(*pair, getattr(tests, attribute)(*pair, *form)) for pair in pairs]
    count = len(results)
    return NamedTests(called, tuple(TestedPair(a, b, one, bonferroni(one.p_value, count)) for a, b, one in results))


TIMES = 2_000


class CurveTests(ABC):
    """What compares two ROC curves of the same cases otherwise than by an area."""

    cmp: Comparison

    @abstractmethod
    def _scores(self, name: str) -> Floats: ...

    @property
    @abstractmethod
    def _is_positive(self) -> Bools: ...

    def venkatraman(self, first: str, second: str, *, times: int = TIMES) -> TestResult:
        """Whether two ROC curves are the same everywhere, which equal areas do not say (Venkatraman & Begg 1996)."""
        self._single_cases(first, "Venkatraman's test")
        return venkatraman_paired(
            self._is_positive, self._scores(first), self._scores(second), times=times, seed=self.cmp.seed
        )

    def sensitivities(
        self,
        first: str,
        second: str,
        *,
        specificity: float,
        alternative: Alternative = "two-sided",
        times: int = TIMES,
    ) -> TestResult:
        """Whether two recalls are the same where both keep this specificity; the thresholds are estimated too."""
        return self._at(first, second, "specificity", specificity, alternative, times)

    def specificities(
        self, first: str, second: str, *, recall: float, alternative: Alternative = "two-sided", times: int = TIMES
    ) -> TestResult:
        """Whether two specificities are the same where both keep this recall; the thresholds are estimated too."""
        return self._at(first, second, "recall", recall, alternative, times)

    def p_value(self, measure: str, first: str, second: str, *, true_difference: float | None = None) -> PValuePicture:
        """The picture of the p-value of a difference, with type I and type II errors in words (`.sentences`).

        Drawn as if the difference had a normal error, of the size that gives it this p-value; `true_difference` is one
        to be missed or not.
        """
        found = self.cmp.difference(measure, first, second)
        if found.undefined is not None:
            raise OptionError(f"there is no test of this difference: {found.undefined}", "a measure that has one")
        deviate = -float(ndtri(found.p_value / 2))
        # A p-value of 1, or one too small to be told from 0, leaves the width of the interval to go by.
        width = (found.high - found.low) / 2 / float(ndtri(0.5 + found.level / 2))
        error = abs(found.value) / deviate if 0 < deviate < math.inf and found.value else width
        what = f"{self.cmp.find(measure).title}, {first} - {second}"
        return p_value_picture(found.value, error, level=found.level, what=what, true_difference=true_difference)

    def _at(
        self,
        first: str,
        second: str,
        fixed: Literal["specificity", "recall"],
        at: float,
        alternative: Alternative,
        times: int,
    ) -> TestResult:
        self._single_cases(first, f"the test at a fixed {fixed}")
        one, other, seed = self._scores(first), self._scores(second), self.cmp.seed
        return fixed_rate_test(
            self._is_positive, one, other, at, fixed=fixed, alternative=alternative, times=times, seed=seed
        )

    def _single_cases(self, name: str, what: str) -> None:
        self._scores(name)
        rows = self.cmp.models[name].rows
        if rows is not None and (rows.weight is not None or rows.count is not None or rows.cluster is not None):
            raise OptionError(f"{what} draws single cases, and these have weights, counts or clusters", "none of them")


@dataclass(frozen=True, eq=False, repr=False)
class UnpairedTests:
    """Other tests of classifiers that were tested on cases of their own.

    >>> import assay
    >>> y, s = [0, 1] * 30, [0.1, 0.8, 0.3, 0.9] * 15
    >>> two = assay.compare_unpaired({"june": assay.evaluate(y, s), "july": assay.evaluate(y, s[::-1])})
    >>> two.tests.venkatraman("june", "july", times=99).p_value
    0.01
    """

    cmp: UnpairedComparison

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"<tests: {', '.join(name for name in dir(type(self)) if not name.startswith('_'))}>"

    def by_name(self, name: str, *, control: str | None = None) -> NamedTests:
        """Every pair, or all others beside a control, by a test that goes by a name: "venkatraman"."""
        return tested(self.cmp, self, name, control)

    def venkatraman(self, first: str, second: str, *, times: int = TIMES, seed: int = 0) -> TestResult:
        """Whether the ROC curves of two samples are the same everywhere (Venkatraman 2000)."""
        return venkatraman_unpaired(self._table(first), self._table(second), times=times, seed=seed)

    def _table(self, name: str) -> ScoreTable:
        ev = self.cmp.evaluations[self.cmp._place(name)]
        scores = ev.scores if isinstance(ev, TwoClassEvaluation) else None
        if scores is None:
            raise OptionError(f"{name!r} has no scores of two classes", "scores")
        return scores


@dataclass(frozen=True, eq=False, repr=False)
class PairTests(CurveTests):
    """Every other test of the classifiers of a comparison; `cmp.difference` and `cmp.verdict` are the ones to read.

    >>> import assay
    >>> cmp = assay.compare([0, 1] * 30, {"a": [0.1, 0.8, 0.3, 0.9] * 15, "b": [0.4, 0.3, 0.2, 0.9] * 15})
    >>> round(cmp.tests.cochran_q().p_value, 5)
    0.00011
    >>> cmp.tests.dominance("a", "b").verdict
    'first'
    """

    cmp: Comparison

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"<tests: {', '.join(name for name in dir(type(self)) if not name.startswith('_'))}>"

    def by_name(self, name: str, *, control: str | None = None) -> NamedTests:
        """Every pair, or all others beside a control, by a test that goes by a name: "venkatraman", "mcnemar, exact",
        "redelmeier", "stuart-maxwell", "bowker"."""
        return tested(self.cmp, self, name, control)

    def cochran_q(self) -> TestResult:
        """Whether all of them are right equally often (Cochran 1950)."""
        return tests.cochran_q(self._joint())

    def right_pairs(self) -> Table:
        """Every pair's difference in accuracy with the score test, all of them adjusted together."""
        return tests.right_pairs(self._joint(), self.cmp.level)

    def mcnemar(self, first: str, second: str, form: str = "mid-p") -> TestResult:
        """McNemar's test that both are right equally often; "Obuchowski" and "Durkalski" take clustered cases."""
        right = self.cmp.joint_correctness(first, second)
        if form in ("Obuchowski", "Durkalski"):
            return tests.clustered_mcnemar(right, form)
        return tests.mcnemar_of(right, form)

    def discordant_odds(self, first: str, second: str, form: str = "mid-p") -> Estimate:
        """How many times as often the first alone is right as the second alone."""
        right = self.cmp.joint_correctness(first, second)
        if right.squares is not None or right.clusters is not None:
            raise OptionError("these cases have weights or come in clusters", "whole, independent ones for exact odds")
        return tests.discordant_odds(float(right.only_first), float(right.only_second), self.cmp.level, form)

    def accuracy_interval(self, first: str, second: str, method: str = "Tango") -> Interval:
        """The interval of the first's accuracy less the second's by the method named."""
        return tests.difference_interval(self.cmp.joint_correctness(first, second), self.cmp.level, method)

    def stuart_maxwell(self, first: str, second: str) -> TestResult:
        """Whether both give each class equally often: marginal homogeneity."""
        return tests.stuart_maxwell(self.cmp.decisions(first, second).labels())

    def bowker(self, first: str, second: str) -> TestResult:
        """Whether labels are exchanged equally often either way: symmetry."""
        return tests.bowker(self.cmp.decisions(first, second).labels())

    def label_shares(self, first: str, second: str) -> Table:
        """Behind Stuart-Maxwell: the share of each class among the first's labels less that among the second's."""
        return tests.class_shares(self.cmp.decisions(first, second).labels(), self.cmp.level)

    def label_exchanges(self, first: str, second: str) -> Table:
        """Behind Bowker: how much oftener one label became another than the other way round."""
        return tests.label_pairs(self.cmp.decisions(first, second).labels(), self.cmp.level)

    def rates(self, first: str, second: str) -> Table:
        """Recall, specificity, predictive values and likelihood ratios of two classifiers side by side."""
        return tests.compare_rates(self.cmp.decisions(first, second), self.cmp.level)

    def rate_ratio(self, rate: str, first: str, second: str) -> RateContrast:
        """A rate of the first over that of the second, with the Wald test of a ratio of 1."""
        return tests.rate_ratio(self.cmp.decisions(first, second), rate, self.cmp.level)

    def predictive_values(self, rate: str, first: str, second: str, form: str = "weighted score") -> TestResult:
        """Whether two precisions (or "npv") on the same cases are the same."""
        return tests.predictive_value_test(self.cmp.decisions(first, second), rate, form)

    def rates_together(self, first: str, second: str, rates: Sequence[str] = ()) -> TestResult:
        """Whether two classifiers agree in several rates at once; in recall and specificity where none are named."""
        paired = self.cmp.decisions(first, second)
        return tests.global_test(paired, rates) if rates else tests.global_test(paired)

    def redelmeier(self, first: str, second: str) -> TestResult:
        """Whether two forecasts have the same expected Brier score (Redelmeier, Bloch & Hickam 1991)."""
        one, other = self._scores(first), self._scores(second)
        return tests.redelmeier(one, other, self._is_positive)

    def bdeltacost(self, first: str, second: str, losses: ArrayLike, *, times: int = 1000) -> Difference:
        """The mean difference of what each case costs under a loss matrix (truth by decision), by bootstrap means."""
        matrix = np.asarray(losses, dtype=np.float64)
        rows = [self._rows(name) for name in (first, second)]
        if any(matrix.shape != (len(each.classes), len(each.decisions)) for each in rows):
            raise OptionError(
                f"the losses have shape {matrix.shape}", "a row for each class and a column for each label"
            )
        codes = [self._decisions(name) for name in (first, second)]
        costs = [matrix[each.truth, code] for each, code in zip(rows, codes, strict=True)]
        seed, level = self.cmp.seed, self.cmp.level
        return tests.bdeltacost(*costs, times=times, names=(first, second), level=level, seed=seed)

    def diebold_mariano(self, first: str, second: str, *, normal: bool = False) -> Difference:
        """The paired t test of two mean Brier scores on independent cases, or with the normal distribution."""
        one, other = (tests.brier_losses(self._scores(name), self._is_positive) for name in (first, second))
        distribution: Literal["t", "normal"] = "normal" if normal else "t"
        names, level = (first, second), self.cmp.level
        return tests.paired_loss_test(one, other, distribution=distribution, names=names, level=level)

    def murphy(self, first: str, second: str) -> MurphyDifference:
        """Which of two classifiers' probabilities is the cheaper guide, for every ratio of costs."""
        one, other = self._scores(first), self._scores(second)
        return murphy_difference(self._is_positive, one, other, level=self.cmp.level)

    def cheapest(self) -> Table:
        """For which threshold probabilities which classifier's own probabilities cost least."""
        return cheapest({name: murphy_curve(self._table(name)) for name in self.cmp.names})

    def dominance(self, first: str, second: str) -> Dominance:
        """Whether one ROC curve lies above the other everywhere, and where they cross if not."""
        return dominance(self._table(first), self._table(second))

    def roc_difference(self, first: str, second: str) -> DrawnBand:
        """By how much one ROC curve lies above the other, with limits that hold everywhere at once."""
        scores, seed = (self._scores(first), self._scores(second)), self.cmp.seed
        return DrawnBand.of(roc_difference_band(self._is_positive, *scores, self.cmp.level, seed=seed))

    def roc_points(self) -> RocPoints:
        """The ROC points of all of them as they decide, for classifiers that give labels only."""
        matrices = {name: ev.matrix for name, ev in self.cmp.models.items() if ev.matrix is not None}
        if len(matrices) < len(self.cmp.names):
            raise OptionError("some classifiers have no predictions", "labels, or a threshold")
        return roc_points(matrices, level=self.cmp.level)

    def plan(
        self,
        measure: str,
        first: str,
        second: str,
        *,
        difference: float,
        power: float = 0.8,
        alternative: Alternative = "two-sided",
        method: str | None = None,
        null_of_first: bool = False,
    ) -> SamplePlan:
        """How many cases like these would show a difference that matters; the one that was seen says nothing of it.

        The default test shows it, whose interval on more cases is worked out by its own method. With a `method` it is
        planned by a formula and that method's variances: "DeLong", "Obuchowski", "normal", or any name that a
        difference goes by and has a standard error, such as "bootstrap". With `null_of_first` both are held to
        vary as the first where they do not differ, as pROC does.

        >>> import assay
        >>> cmp = assay.compare([0, 1] * 30, {"a": [0.1, 0.8, 0.3, 0.9] * 15, "b": [0.4, 0.3, 0.2, 0.9] * 15})
        >>> cmp.tests.plan("roc_auc", "a", "b", difference=0.1, method="delong").cases
        204
        """
        named, level = self.cmp.find(measure), self.cmp.level
        return plan_from_pilot(
            self.cmp._estimator, named, (first, second), difference, power=power, level=level, alternative=alternative,
            method=method, null_of_first=null_of_first,
        )  # fmt: skip

    def power(
        self,
        measure: str,
        first: str,
        second: str,
        *,
        difference: float,
        alternative: Alternative = "two-sided",
        method: str | None = None,
        null_of_first: bool = False,
        cases: int | None = None,
    ) -> float:
        """How often as many cases as these, or so many, would show a true difference that is said beforehand."""
        aligned, named = self.cmp._estimator, self.cmp.find(measure)
        if method is None and not null_of_first:
            at = power_by_default(aligned, named, (first, second), difference, self.cmp.level, alternative)
            return at(float(aligned.rows.times.sum()) if cases is None else cases)
        test = pilot_test(aligned, named, (first, second), difference, method, null_of_first=null_of_first)
        positives = positives_of(aligned) if cases is None else cases / (1 + test.ratio)
        return test.power(positives, level=self.cmp.level, alternative=alternative)

    def _rows(self, name: str) -> DecidedRows:
        place = self.cmp._place(name)
        return self.cmp._estimator.decided(place)

    def _decisions(self, name: str) -> Codes:
        decision = self._rows(name).decision
        if decision is None:
            raise OptionError(f"{name!r} has decided nothing", "labels, or a threshold")
        return decision

    def _joint(self) -> JointCorrectness:
        self._refuse_lacking()
        rows = {name: self._rows(name) for name in self.cmp.names}
        right = np.stack([self._decisions(name) == each.truth for name, each in rows.items()], axis=1)
        return JointCorrectness.of(right, tuple(rows), **rows[self.cmp.names[0]].design)

    def _refuse_lacking(self) -> None:
        if self.cmp.places is not None:
            raise OptionError(LACKING, "cases that all models have answered", {"missing": "drop"}, about="missing")

    def _table(self, name: str) -> ScoreTable:
        self._rows(name)  # refuses a name that is none
        ev: Evaluation = self.cmp.models[name]
        scores = ev.scores if isinstance(ev, TwoClassEvaluation) else None
        if scores is None:
            raise OptionError(f"{name!r} has no scores of two classes", "scores")
        return scores

    def _scores(self, name: str) -> Floats:
        self._refuse_lacking()
        score = self._rows(name).score
        if score is None:
            raise OptionError(f"{name!r} has no score of two classes for every case", "scores")
        return score

    @property
    def _is_positive(self) -> Bools:
        found: Bools = self._rows(self.cmp.names[0]).truth == 1
        return found
