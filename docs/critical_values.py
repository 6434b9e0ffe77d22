"""The page of ranks: what is offered, the critical values for any number of algorithms, and what a pool does."""

from __future__ import annotations

import numpy as np

from assay.ranks import ADJUSTMENTS, LOGICAL, TESTS, compare_pairs, nemenyi_difference, nemenyi_quantile
from assay.report.explanations import rank_quantiles

MADE = "<!-- Made by docs/critical_values.py from the code: change it there and type `make docs`. -->\n"
MOST = 20
# Values that are printed with another last digit in a table widely copied: what is printed there.
PRINTED = {(3, 0.05): 2.343, (7, 0.05): 2.949, (5, 0.1): 2.459}


EFFECTS = """
## How far apart

A p-value says whether two algorithms differ, not how much. Beside every pair stand two effect sizes, positive where the
first is better (`ranks.effect_sizes()` in Python, `effect_sizes` in the JSON record):

- **Cliff's delta**: of all pairs of data sets, the share in which the first is ahead on its one less the share in which
  it is behind the second on its other; from -1 to 1. It sets data sets against one another, so that hard and easy ones
  bring it towards 0. The limits count a data set as one case (Wilson), or take the spread between data sets where that
  is wider; they hold for data sets like these, for one pair at a time, from 5 data sets on
  ([simulated](verification/effect_sizes.md)). Usual words: below 0.147 negligible, below 0.33 small, below 0.474 medium
  (Romano et al. 2006).
- **Akinshin's gamma**: the difference of medians over the pooled median absolute deviation times 1.4826, on the scale
  of Cohen's d. Medians are Harrell and Davis's; autorank takes the ordinary ones, and its values differ a little. No
  interval is shown: none is known to hold for results on the same data sets.
"""


def page() -> str:
    """The page as Markdown."""
    parts = [MADE, "# Algorithms over many data sets\n", _offer(), "## Critical values\n", _values(), _corrections()]
    return "\n".join([*parts, "## Two algorithms and the others in the pool\n", _pool(), EFFECTS])


def _offer() -> str:
    tests = ", ".join(f"`{name}` ({title})" for name, (title, _) in TESTS.items())
    adjustments = ", ".join(f"`{name}`" for name in (*ADJUSTMENTS, *LOGICAL))
    return f"""`assay rank results.csv` ranks algorithms by their results on data sets. `--test` is one of {tests}.
`--adjust` is one of {adjustments}; `--all-adjustments` shows every one that fits. `--rope` adds the Bayesian
signed-rank test, `--weka` WEKA's table of marks where there are folds, `--figure` the critical-difference diagram and
`--html` a page with all of it.

An algorithm called `dummy`, as studies call the learner that looks at no feature, is there to be better than: it stands
in the tables, and in no rank and no test, where it would make the others look different merely by being worse.
`--baseline NAME` says so of others, `--baseline none` of none. Where the test of pairs tells two algorithms apart and
the critical difference does not, or the other way round, both are named: the one looks at the two alone, the other at
their ranks among all.
"""


def _values() -> str:
    """Nemenyi's and Bonferroni and Dunn's, in standard errors of the difference of two mean ranks."""
    table = rank_quantiles(["Nemenyi", "Bonferroni-Dunn"], range(2, MOST + 1))
    lines = [f"| {' | '.join(table.columns)} |", "|" + "--:|" * len(table.columns)]
    for k, *values in table.rows():
        lines.append(f"| {k} | {' | '.join(f'{value:.3f}' for value in values)} |")
    example = nemenyi_difference(4, 14)
    intro = """Mean ranks of k algorithms over N data sets differ beyond chance if they lie at least
q sqrt(k (k + 1) / (6 N)) apart. `nemenyi_quantile(k, alpha)` gives q for any k and alpha: the quantile of the
studentized range for infinitely many degrees of freedom, over the square root of 2; `assay explain nemenyi` prints it.
With 4 algorithms on 14 data sets
the critical difference at 0.05 is """
    return f"{intro}{example:.3f}.\n\n" + "\n".join(lines) + "\n"


def _corrections() -> str:
    said = [
        f"{nemenyi_quantile(k, alpha):.3f} and not {printed:.3f} (k = {k}, {alpha:g})"
        for (k, alpha), printed in PRINTED.items()
    ]
    return f"Printed tables are off by one in the last digit here and there: {'; '.join(said)}.\n"


def pool(*, between: bool) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The same A and B on 12 data sets, with three others that stand between them where A wins, or never do."""
    a_wins = np.arange(12) < 8
    a, b = np.where(a_wins, 0.8, 0.6), np.where(a_wins, 0.6, 0.8)
    others = [np.where(a_wins & between, 0.7, 0.5) - 0.01 * j for j in range(3)]
    return np.column_stack((a, b, *others))


def _pool() -> str:
    """The same two columns, judged with two choices of the other three."""
    lines = ["| test | others between A and B | others below both |", "|---|--:|--:|"]
    for test in ("nemenyi", "ranks", "wilcoxon"):
        found = [
            compare_pairs(pool(between=between), list("ABCDE"), test=test, adjust="none").pairs[0].p_value
            for between in (True, False)
        ]
        lines.append(f"| {test} | {found[0]:.4f} | {found[1]:.4f} |")
    intro = """A is ahead of B on 8 of 12 data sets and behind on 4, always by the same amount. Whether tests of ranks
find A better depends on three algorithms that have nothing to do with it: on where they stand. These are the p-values
of A against B; the signed-rank test looks at the two alone, and is the default for this reason.
"""
    return "\n".join([intro, *lines]) + "\n"
