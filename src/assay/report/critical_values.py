"""Critical values of tests: beyond which a statistic is significant, by degrees of freedom or number of algorithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.ranks import bonferroni_dunn_quantile, nemenyi_quantile
from assay.results import NullDistribution, Table

__all__ = ["ALPHAS", "critical_values", "rank_quantiles"]

ALPHAS = (0.1, 0.05, 0.01)
FEW_DF = (1, 2, 3, 4, 5, 9, 14, 19, 29, 99)
T = "t", [(df,) for df in FEW_DF]
CHI_SQUARE = "chi-square", [(df,) for df in (1, 2, 3, 4, 5, 6, 8, 10)]
# Algorithms and data sets of an F of mean ranks: its degrees of freedom.
F_OF_RANKS = "F", [(k - 1, (k - 1) * (n - 1)) for k in (3, 4, 5) for n in (5, 10, 14, 20)]
# What a test's statistic is held against, and the degrees of freedom that are usual.
OF_TESTS: dict[str, tuple[str, Sequence[tuple[float, ...]]]] = {
    "paired t": T,
    "corrected resampled t": T,
    "5 x 2 cv t": ("t", [(5,)]),
    "5 x 2 cv F": ("F", [(10, 5)]),
    "McNemar": ("chi-square", [(1,)]),
    "Stuart-Maxwell": CHI_SQUARE,
    "Bowker": CHI_SQUARE,
    "Hosmer-Lemeshow": CHI_SQUARE,
    "Friedman": CHI_SQUARE,
    "Iman-Davenport": F_OF_RANKS,
}
QUANTILES: dict[str, Callable[[int, float], float]] = {
    "Nemenyi": nemenyi_quantile,
    "Bonferroni-Dunn": bonferroni_dunn_quantile,
}


def critical_values(test: str) -> Table | None:
    """Return the critical values of a test at 10, 5 and 1 %; None where it has none in a table.

    >>> print(critical_values("5 x 2 cv F"))
    df         10 %    5 %    1 %
    10 and 5  3.297  4.735  10.05
    >>> critical_values("mid-p")
    """
    if test in QUANTILES:
        return rank_quantiles([test], range(2, 11))
    if test not in OF_TESTS:
        return None
    name, freedom = OF_TESTS[test]
    rows = [NullDistribution(name, tuple(df)) for df in freedom]
    columns = {f"{100 * alpha:g} %": [one.critical_value(1 - alpha) for one in rows] for alpha in ALPHAS}
    sided = ", two-sided" if name == "t" else ""
    shown = [" and ".join(f"{df:g}" for df in one.df) for one in rows]
    return Table({"df": shown, **columns}, title=f"Critical values of {name}{sided}, by degrees of freedom")


def rank_quantiles(tests: Sequence[str], algorithms: Sequence[int]) -> Table:
    """Return the critical values of differences of mean ranks, in standard errors of such a difference.

    >>> rank_quantiles(["Nemenyi"], [4]).columns["5 %"]
    [2.569...]
    """
    columns = {
        f"{test} {100 * alpha:g} %".removeprefix(f"{tests[0]} " if len(tests) == 1 else ""): [
            QUANTILES[test](k, alpha) for k in algorithms
        ]
        for test in tests
        for alpha in ALPHAS
    }
    title = "Critical values, in standard errors sqrt(k (k + 1) / (6 N)) of the difference of two mean ranks"
    return Table({"algorithms": list(algorithms), **columns}, title=f"{title}: k algorithms, N data sets")
