"""WEKA's table: each data set by itself, every algorithm better (v), worse (*) or neither than the first one.

The test behind a mark is the t-test over folds, corrected for the training cases that folds share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from assay.ranks.input import Folds, settled
from assay.renderers import in_notebook
from assay.request import checked_between
from assay.results import Table
from assay.types import Floats

MARKS = {1: "v", 0: " ", -1: "*"}
NAME_WIDTH = 25


def fold_tests(values: Floats, ratio: float) -> tuple[Floats, Floats]:
    """The t statistic and two-sided p-value of every pair of algorithms (rows of values) over the same folds.

    `ratio` is cases tested per case trained, 0 for the plain paired t-test, whose errors are far too frequent. As in
    WEKA, p is 1 where two algorithms are equal on every fold, and 0 where they differ by the same on every fold.

    >>> t, p = fold_tests(np.array([[0.9, 0.8, 0.9, 0.7], [0.8, 0.6, 0.9, 0.5]]), ratio=1 / 3)
    >>> round(float(t[0, 1]), 3), round(float(p[0, 1]), 3)
    (1.709, 0.186)

    References: Nadeau & Bengio (2003); Bouckaert & Frank (2004).
    """
    count = values.shape[-1]
    apart = settled(values[:, None] - values)
    mean = settled(apart.mean(-1))
    # The spread of equal differences is zero, whatever the arithmetic left of it.
    is_constant = np.ptp(apart, axis=-1) == 0
    spread = np.where(is_constant, 0.0, apart.var(-1, ddof=1)) if count > 1 else np.full(mean.shape, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where((mean == 0) & (spread == 0), 0.0, mean / np.sqrt((1 / count + ratio) * spread))
    p_values: Floats = 2 * stdtr(max(count - 1, 1), -np.abs(t))
    return t, p_values


@dataclass(frozen=True, eq=False, repr=False)
class WekaTable:
    """Means and standard deviations over folds, and which algorithm is better than which on each data set.

    `better[d, i, j]` is 1 where algorithm i is better than j on data set d beyond chance, -1 where it is worse, else 0.
    `undefined` says why nothing is marked, where the folds do not tell.
    """

    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    folds: tuple[int, ...]
    means: Floats
    deviations: Floats
    p_values: Floats
    better: NDArray[np.int64]
    ahead: NDArray[np.int64]
    alpha: float
    test: str
    undefined: str | None = None

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return self.text()

    def counts(self, column: int, base: int = 0) -> tuple[int, int, int]:
        """On how many data sets an algorithm is better than the base, neither, worse."""
        against = self.better[:, column, base]
        return int((against > 0).sum()), int((against == 0).sum()), int((against < 0).sum())

    def text(self, *, digits: int = 2) -> str:
        """The table as WEKA's Experimenter prints it, compared with the first algorithm."""
        cells, width = self._cells(digits)
        head = "Dataset".ljust(NAME_WIDTH) + _title_line(self.algorithms, width)
        rows = [
            _clipped_text(name, NAME_WIDTH).ljust(NAME_WIDTH) + _joined_cells(row)
            for name, row in zip(self.datasets, cells, strict=True)
        ]
        last = ["(v/ /*)", *("({}/{}/{})".format(*self.counts(j)) for j in range(1, len(self.algorithms)))]
        foot = " " * NAME_WIDTH + _joined_cells([text.rjust(width[j]) for j, text in enumerate(last)])
        rule = "-" * len(head)
        note = "" if self.undefined is None else f"\nNo significance marks: {self.undefined}."
        return "\n".join([head, rule, *rows, rule, foot]) + note

    def _cells(self, digits: int) -> tuple[list[list[str]], list[int]]:
        """Every cell as text, all of one column equally long."""
        means = [[f"{mean:.{digits}f}" for mean in row] for row in self.means]
        spread = [[f"{sd:.{digits}f}" for sd in row] for row in self.deviations]
        wide = [[max(len(row[j]) for row in part) for j in range(len(self.algorithms))] for part in (means, spread)]
        cells = []
        for d, count in enumerate(self.folds):
            shown = [
                f"   {means[d][j]:>{wide[0][j]}}({spread[d][j]:>{wide[1][j]}})" for j in range(len(self.algorithms))
            ]
            marks = [f"{cell} {MARKS[int(self.better[d, j, 0])]}" for j, cell in enumerate(shown)]
            cells.append([f"({count})".rjust(5) + shown[0], *marks[1:]])
        width = [max(len(row[j]) for row in cells) for j in range(len(self.algorithms))]
        return [[cell.rjust(width[j]) for j, cell in enumerate(row)] for row in cells], width

    def summary(self) -> str:
        """On how many data sets the column is ahead of the row and, in brackets, better than it beyond chance."""
        k = len(self.algorithms)
        wins = [[f"{self.ahead[j, i]} ({(self.better[:, j, i] > 0).sum()})" for j in range(k)] for i in range(k)]
        width = 1 + max(len(cell) for row in wins for cell in row)
        letters = [_column_letter(i) for i in range(k)]
        head = "".join(letter.rjust(width) for letter in letters)
        rows = [
            "".join(("-" if i == j else wins[i][j]).rjust(width) for j in range(k))
            + f" | {letters[i]} = ({i + 1}) {self.algorithms[i]}"
            for i in range(k)
        ]
        return "\n".join([f"{head}  (No. of datasets where [col] >> [row])", *rows])

    def ranking(self) -> Table:
        """Algorithms by significant wins minus losses over all pairs and data sets."""
        better = (self.better > 0).sum((0, 2))
        worse = (self.better < 0).sum((0, 2))
        order = sorted(range(len(self.algorithms)), key=lambda j: int(better[j] - worse[j]))[::-1]
        columns = {">-<": better - worse, ">": better, "<": worse}
        table: dict[str, list[Any]] = {name: [int(counts[j]) for j in order] for name, counts in columns.items()}
        return Table({**table, "algorithm": [self.algorithms[j] for j in order]}, title="Ranking")

    def table(self) -> Table:
        """A row for each data set and algorithm: mean, deviation, its mark and p-value against the first."""
        rows = list(self._rows())
        names = ("dataset", "algorithm", "folds", "mean", "deviation", "mark", "p_value")
        return Table({name: [row[i] for row in rows] for i, name in enumerate(names)}, title=self.test)

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for d, dataset in enumerate(self.datasets):
            for j, algorithm in enumerate(self.algorithms):
                mark, p_value = MARKS[int(self.better[d, j, 0])].strip(), float(self.p_values[d, j, 0])
                numbers = float(self.means[d, j]), float(self.deviations[d, j])
                yield dataset, algorithm, self.folds[d], *numbers, mark, p_value if j else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, nan as None."""
        counts = {name: list(self.counts(j)) for j, name in enumerate(self.algorithms) if j}
        return {
            "test": self.test,
            "alpha": self.alpha,
            "base": self.algorithms[0],
            "cells": self.table().to_dict(),
            "better_same_worse": counts,
            "ranking": self.ranking().to_dict(),
            "undefined": self.undefined,
        }


def weka_table(
    folds: Folds,
    datasets: Sequence[str],
    algorithms: Sequence[str],
    *,
    better: Literal["higher", "lower"] = "higher",
    corrected: bool = True,
    alpha: float = 0.05,
) -> WekaTable:
    """Compare every algorithm with every other on each data set by itself, over its folds.

    No account is taken of how many such comparisons are made.
    """
    alpha = checked_between(alpha, "alpha")
    sign = 1 if better == "higher" else -1
    tests = [
        fold_tests(values, ratio if corrected else 0.0) for values, ratio in zip(folds.values, folds.ratio, strict=True)
    ]
    p_values = np.array([p for _, p in tests])
    means = np.array([values.mean(1) for values in folds.values])
    lead = sign * settled(means[:, :, None] - means[:, None, :])
    return WekaTable(
        datasets=tuple(datasets),
        algorithms=tuple(algorithms),
        folds=tuple(values.shape[1] for values in folds.values),
        means=means,
        deviations=np.array([_standard_deviation(values) for values in folds.values]),
        p_values=p_values,
        better=np.where(p_values <= alpha, np.sign(lead), 0).astype(np.int64),
        ahead=(lead > 0).sum(0),
        alpha=alpha,
        test=f"paired t-test over folds, {'corrected' if corrected else 'not corrected'}",
        undefined=_no_test_reason(folds, corrected),
    )


def _standard_deviation(values: Floats) -> Floats:
    return np.asarray(settled(values).std(1, ddof=1) if values.shape[1] > 1 else np.full(len(values), np.nan))


def _no_test_reason(folds: Folds, corrected: bool) -> str | None:
    if corrected and np.isnan(folds.ratio).any():
        return "unknown numbers of training and test cases; pass ratio, test cases per training case"
    if min(values.shape[1] for values in folds.values) < 2:
        return "a single fold has no standard deviation"
    return None


def _clipped_text(text: str, width: int) -> str:
    return text[:width]


def _title_line(names: Sequence[str], width: Sequence[int]) -> str:
    return _joined_cells(
        [_clipped_text(f"({j + 1}) {name}", width[j] - 1).rjust(width[j]) for j, name in enumerate(names)]
    )


def _joined_cells(cells: Sequence[str]) -> str:
    return f"{cells[0]} |{''.join(cells[1:])}"


def _column_letter(place: int) -> str:
    turn, letter = divmod(place, 26)
    return (_column_letter(turn - 1) if turn else "") + chr(ord("a") + letter)
