"""Tests that go by a name and have no difference of a measure to show: every pair by one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from assay.comparison import bonferroni
from assay.errors import OptionError
from assay.measures.interval_methods import squeezed
from assay.renderers import in_notebook
from assay.results import PairRow, PairTable, TestResult

if TYPE_CHECKING:
    from assay.evaluation._pairwise import PairwiseComparison

P_ALONE = "a p-value alone says whether two differ, not by how much: a difference with its interval says that"
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
    if control is None and cmp.left_out:
        found = f"there are {len(names)} {cmp.thing}s, too many for a test of every pair"
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
