"""What several classifiers made of the same cases, as sums: how their scores and their losses go together.

Several classifiers of the same cases as sums: who decided what, how scores go together, what each case cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import OptionError
from assay.evidence.binning import ScoreGrid
from assay.evidence.confusion import case_weights
from assay.evidence.paired import PairedDecisions
from assay.evidence.predicted_labels import DecidedRows
from assay.evidence.score_table import ScoreTable
from assay.types import Bools, Floats

__all__ = ["JOINT_BITS", "JointLosses", "JointScores", "ModelSums", "tied_cells"]


# Cells as coarse as these give the standard error of a difference to five digits (benchmarks/joint.py).
JOINT_BITS = 4
# Two numbers of cells as one: a grid has fewer cells on either side of 0 than half of this.
SPAN = 1 << 26
# Grids with more bits than this have more cells than two of them leave room for.
MOST_BITS = 16

ADDED_GRIDS = ("the scores are on different grids", "the same grid, to add bins")
ADDED_MODELS = ("the classifiers differ", "the same classifiers in the same order, to add sums")


@dataclass(frozen=True, eq=False, repr=False)
class JointScores:
    """How many cases of each class two classifiers put into each pair of cells: what their AUCs vary together by.

    Either classifier has a coarse grid, fixed before any data is seen. So these sums add, whoever made them, and each
    pair of cells can be read as a row that stands for so many cases.

    >>> joint = JointScores.of([0.1, 0.4, 0.405], [0.2, 0.3, 0.3], [False, True, True])
    >>> joint
    JointScores(3 cases in 2 pairs of bins)
    >>> joint + joint == JointScores.of([0.1, 0.4, 0.405] * 2, [0.2, 0.3, 0.3] * 2, [False, True, True] * 2)
    True
    """

    grids: tuple[ScoreGrid, ScoreGrid]
    # Pairs of cells, each as one number, with the weights of both classes in them.
    pairs: ScoreTable

    @classmethod
    def of(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        is_positive: ArrayLike,
        grids: tuple[ScoreGrid, ScoreGrid] | None = None,
        *,
        weight: Floats | None = None,
        count: Floats | None = None,
    ) -> JointScores:
        """The joint histogram of two classifiers' scores of the same cases; probabilities unless `grids` say more."""
        grids = grids or (ScoreGrid("probability", JOINT_BITS),) * 2
        if max(grid.bits for grid in grids) > MOST_BITS:
            found = f"a grid of {max(grid.bits for grid in grids)} bits"
            raise OptionError(found, f"at most {MOST_BITS} bits, for pairs of bins")
        one, other = (grid.cells(scores) for grid, scores in zip(grids, (first, second), strict=True))
        pairs = ScoreTable.of(one * SPAN + other, is_positive, weight=weight, count=count)
        return cls(grids, pairs)

    def __add__(self, other: JointScores) -> JointScores:
        if self.grids != other.grids:
            raise OptionError(*ADDED_GRIDS)
        return JointScores(self.grids, self.pairs + other.pairs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointScores):
            return NotImplemented
        return self.grids == other.grids and self.pairs == other.pairs

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"JointScores({float(self.pairs.total):,.15g} cases in {len(self):,} pairs of bins)"

    @property
    def is_weighted(self) -> bool:
        """Whether the weights are not counts."""
        return self.pairs.is_weighted

    @property
    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first classifier's cell and the second's, of each pair.

        >>> JointScores.of([0.0, 1.0], [1.0, 0.5], [False, True], (ScoreGrid("real", 2),) * 2).cells
        (array([  0, 162]), array([162, 158]))
        """
        both = self.pairs.score.astype(np.int64)
        first = (both + SPAN // 2) // SPAN
        return first, both - first * SPAN

    @property
    def turned(self) -> JointScores:
        """The same with the second classifier first."""
        first, second = self.cells
        pairs = (second * SPAN + first).astype(np.float64)
        order, table = np.argsort(pairs), self.pairs
        squares = [side[order] for side in table.squared_weights] if table.is_weighted else [None, None]
        turned = ScoreTable(
            pairs[order], table.negative[order], table.positive[order],
            negative_squares=squares[0], positive_squares=squares[1],
        )  # fmt: skip
        return JointScores((self.grids[1], self.grids[0]), turned)

    def rows(self) -> tuple[Floats, Bools, Floats | None, Floats]:
        """Both cells of each row, which rows are positives, their weights, and how many equal cases each is.

        Weighted cases of a cell are as many equal ones as have the same sum of weights and of their squares.

        >>> cells, positive, weight, count = JointScores.of([0.1, 0.4, 0.4], [0.2, 0.3, 0.3], [0, 1, 1]).rows()
        >>> positive, weight, count
        (array([False,  True]), None, array([1., 2.]))
        """
        table, cells = self.pairs, np.stack(self.cells).astype(np.float64)
        sides = [
            (sums > 0, sums, squares) for sums, squares in zip(_class_counts(table), table.squared_weights, strict=True)
        ]
        placed = np.concatenate([cells[:, here] for here, _, _ in sides], axis=1)
        positive = np.repeat([False, True], [int(here.sum()) for here, _, _ in sides])
        sums = np.concatenate([sums[here] for here, sums, _ in sides])
        if not table.is_weighted:
            return placed, positive, None, sums
        squares = np.concatenate([squares[here] for here, _, squares in sides])
        return placed, positive, squares / sums, sums**2 / squares

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything this is made of, as plain arrays by name."""
        squares = {"negative_squares": self.pairs.negative_squares, "positive_squares": self.pairs.positive_squares}
        return {
            "kinds": np.array([grid.kind for grid in self.grids]),
            "bits": np.array([grid.bits for grid in self.grids]),
            "pairs": self.pairs.score.astype(np.int64),
            "negative": self.pairs.negative,
            "positive": self.pairs.positive,
            **{name: values for name, values in squares.items() if values is not None},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> JointScores:
        """The same from those arrays.

        >>> joint = JointScores.of([0.1, 0.4, 0.4], [0.2, 0.3, 0.3], [0, 1, 1])
        >>> JointScores.from_arrays(joint.to_arrays()) == joint
        True
        """
        kinds, bits = arrays["kinds"].tolist(), arrays["bits"].tolist()
        pairs = ScoreTable(
            arrays["pairs"].astype(np.float64),
            arrays["negative"],
            arrays["positive"],
            negative_squares=arrays.get("negative_squares"),
            positive_squares=arrays.get("positive_squares"),
        )
        return cls((ScoreGrid(kinds[0], bits[0]), ScoreGrid(kinds[1], bits[1])), pairs)


@dataclass(frozen=True, eq=False, repr=False)
class JointLosses:
    """What several classifiers lose on the same cases, summed alone and two by two: how their means vary together.

    `sums[j]` is the weighted sum of column j and `products[i, j]` that of products, with squared weights: column 0
    holds 1 for each case, and then comes a column of losses for each classifier.

    >>> losses = JointLosses.of([[0.1, 0.2, 0.3], [0.2, 0.2, 0.5]], ("a", "b"))
    >>> losses
    JointLosses(3 cases; mean loss: a 0.2, b 0.3)
    >>> (losses + losses).total
    6.0
    """

    names: tuple[str, ...]
    sums: Floats
    products: Floats

    @classmethod
    def of(
        cls,
        losses: ArrayLike,
        names: tuple[str, ...],
        *,
        weight: Floats | None = None,
        count: Floats | None = None,
    ) -> JointLosses:
        """The sums over cases, from a row of losses for each classifier."""
        given = np.asarray(losses, dtype=np.float64)
        rows = np.concatenate((np.ones((1, given.shape[1])), given))
        each, squared = case_weights(weight, count)
        sums = rows.sum(1) if each is None else rows @ each
        square_weights = each if squared is None else squared
        products = (rows if square_weights is None else rows * square_weights) @ rows.T
        return cls(names, sums, products)

    def __add__(self, other: JointLosses) -> JointLosses:
        if self.names != other.names:
            raise OptionError(*ADDED_MODELS)
        return JointLosses(self.names, self.sums + other.sums, self.products + other.products)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointLosses):
            return NotImplemented
        alike = (
            np.allclose(a, b, rtol=1e-12, atol=1e-12)
            for a, b in zip(self._sums_and_products, other._sums_and_products, strict=True)
        )
        return self.names == other.names and all(alike)

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {mean:g}" for name, mean in zip(self.names, self.means, strict=True))
        return f"JointLosses({self.total:,.15g} cases; mean loss: {means})"

    @property
    def _sums_and_products(self) -> tuple[Floats, Floats]:
        return self.sums, self.products

    @property
    def total(self) -> float:
        """All cases, or what they weigh."""
        return float(self.sums[0])

    @property
    def means(self) -> Floats:
        """The mean loss of each classifier."""
        return np.asarray(self.sums[1:] / self.sums[0])

    @property
    def kish(self) -> float:
        """Kish's effective number of cases."""
        return float(self.sums[0] ** 2 / self.products[0, 0])

    @property
    def covariance(self) -> Floats:
        """How the mean losses vary together from sample to sample.

        >>> losses = np.array([[0.1, 0.2, 0.3], [0.2, 0.2, 0.5]])
        >>> np.allclose(JointLosses.of(losses, ("a", "b")).covariance, np.cov(losses) / 3)
        True
        """
        contrast = np.column_stack((-self.means, np.eye(len(self.names))))
        spread = contrast @ self.products @ contrast.T / self.total**2
        return np.asarray(spread * self.kish / (self.kish - 1) if self.kish > 1 else np.full_like(spread, np.nan))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything this is made of, as plain arrays by name."""
        return {"names": np.array(self.names), "sums": self.sums, "products": self.products}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> JointLosses:
        """The same from those arrays.

        >>> losses = JointLosses.of([[0.1, 0.2, 0.3], [0.2, 0.2, 0.5]], ("a", "b"))
        >>> JointLosses.from_arrays(losses.to_arrays()) == losses
        True
        """
        return cls(tuple(map(str, arrays["names"].tolist())), arrays["sums"], arrays["products"])


def tied_cells(table: ScoreTable, grid: ScoreGrid) -> NDArray[np.int64]:
    """The cells of a grid in which all cases of a table have one score.

    >>> grid = ScoreGrid("probability", 1)
    >>> np.isin(grid.cells([0.1, 0.9]), tied_cells(ScoreTable.of([0.1, 0.1, 0.9, 0.902], [0, 1, 0, 1]), grid))
    array([ True, False])
    """
    reach = table.reach
    low, high = (table.score, table.score) if reach is None else (reach.low, reach.high)
    held, place = np.unique(grid.cells(table.score), return_inverse=True)
    least, most = np.full(len(held), np.inf), np.full(len(held), -np.inf)
    np.minimum.at(least, place, low)
    np.maximum.at(most, place, high)
    return np.asarray(held[least == most])


def _class_counts(table: ScoreTable) -> tuple[Floats, Floats]:
    return table.negative, table.positive


Pair = tuple[int, int]


@dataclass(frozen=True, eq=False, repr=False)
class ModelSums:
    """What a comparison of classifiers needs beside the evidence of each: sums over the cases that all of them have.

    Pairs are places in `names`, the earlier first. `scores` are there of two classes, `decisions` where all decided,
    `losses` by the names of measures that are means of what each case costs. All of it adds.

    >>> from assay.predictions import Predictions
    >>> truth = np.array([0, 1, 1])
    >>> rows = [DecidedRows(Predictions(("no", "yes"), truth, np.array(s)), 0.5) for s in ([0.2, 0.7, 0.4], [0.6] * 3)]
    >>> both = ModelSums.of({"a": rows[0], "b": rows[1]}, {"brier": np.array([[0.04, 0.09, 0.36], [0.36, 0.16, 0.16]])})
    >>> both.decisions[0, 1].correctness()
    both correct 1 · only the first 1 · only the second 1 · both misclassified 0
    >>> (both + both).losses["brier"].total
    6.0
    """

    names: tuple[str, ...]
    scores: Mapping[Pair, JointScores]
    decisions: Mapping[Pair, PairedDecisions]
    losses: Mapping[str, JointLosses]

    @classmethod
    def of(
        cls, rows: Mapping[str, DecidedRows], losses: Mapping[str, Floats], *, kind: str = "probability"
    ) -> ModelSums:
        """The sums over the rows of all classifiers, which are the same cases in the same order."""
        names, each = tuple(rows), list(rows.values())
        first = each[0]
        design: dict[str, Any] = {"weight": first.weight, "count": first.count}
        pairs = list(combinations(range(len(names)), 2))
        scores: dict[Pair, JointScores] = {}
        if len(first.classes) == 2 and all(one.score is not None for one in each):
            grid = ScoreGrid("probability" if kind == "probability" else "real", JOINT_BITS)
            for i, j in pairs:
                one, other = each[i].score, each[j].score
                assert one is not None
                assert other is not None
                scores[i, j] = JointScores.of(one, other, first.truth == 1, (grid, grid), **design)
        decisions: dict[Pair, PairedDecisions] = {}
        known = tuple(dict.fromkeys([*first.classes, *(name for one in each for name in one.decisions)]))
        if known == first.classes and all(one.decision is not None for one in each):
            for i, j in pairs:
                code, against = each[i].decision, each[j].decision
                assert code is not None
                assert against is not None
                decisions[i, j] = PairedDecisions.of(first.truth, code, against, first.classes, **design)
        found = {name: JointLosses.of(values, names, **design) for name, values in losses.items()}
        return cls(names, scores, decisions, found)

    def __add__(self, other: ModelSums) -> ModelSums:
        if self.names != other.names:
            raise OptionError(*ADDED_MODELS)
        return ModelSums(
            self.names,
            _add_by_model(self.scores, other.scores, "joint scores"),
            _add_by_model(self.decisions, other.decisions, "decisions"),
            _add_by_model(self.losses, other.losses, "losses"),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModelSums):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in ("names", "scores", "decisions", "losses"))

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __repr__(self) -> str:
        return f"ModelSums({', '.join(self.names)})"

    def paired(self, first: int, second: int) -> PairedDecisions | None:
        """What two classifiers decided; None where not all did."""
        held = self.decisions.get((min(first, second), max(first, second)))
        if held is None or first < second:
            return held
        counts, squares, clusters = (
            None if each is None else np.swapaxes(each, -1, -2) for each in (held.counts, held.squares, held.clusters)
        )
        assert counts is not None
        return PairedDecisions(counts, held.classes, held.decisions, squares, clusters)


def _add_by_model(mine: Mapping[Any, Any], theirs: Mapping[Any, Any], what: str) -> dict[Any, Any]:
    if mine.keys() != theirs.keys():
        raise OptionError(
            f"{what} of the models differ or are only in one of them", "the same quantities in both, to add them"
        )
    return {key: mine[key] + theirs[key] for key in mine}
