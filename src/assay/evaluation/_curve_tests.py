"""Tests of whole ROC curves and of single points on them, of classifiers on the same cases and on their own."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from scipy.special import ndtri

from assay.comparison import Alternative, fixed_rate_test, venkatraman_paired, venkatraman_unpaired
from assay.curves import PValuePicture, p_value_picture
from assay.errors import OptionError
from assay.evaluation._named_tests import NamedTests, tested
from assay.evaluation._two_classes import TwoClassEvaluation
from assay.evidence import ScoreTable
from assay.renderers import in_notebook
from assay.results import TestResult
from assay.types import Bools, Floats

if TYPE_CHECKING:
    from assay.evaluation._comparison import Comparison
    from assay.evaluation._unpaired import UnpairedComparison

__all__ = ["CurveTests", "UnpairedTests"]

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
