"""Paired evidence: what several classifiers decided about the same cases, in a form that adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import OptionError
from assay.evidence._kernels import tabulate_clusters, tabulate_pairs
from assay.evidence.confusion import ADDED_CLASSES, ADDED_CLUSTERS, ConfusionMatrix, case_weights
from assay.renderers import in_notebook
from assay.types import Floats


@dataclass(frozen=True, eq=False, repr=False)
class PairedCorrectness:
    """How many cases two classifiers both got right, only one of them, or neither; leading axes are a batch.

    `counts[..., i, j]` holds the cases the first got right (i = 1) or wrong (0) and the second likewise (j).

    >>> PairedCorrectness.named(both=483, only_first=47, only_second=10, neither=29)
    both correct 483 · only the first 47 · only the second 10 · both misclassified 29
    """

    counts: Floats
    # Sums of squared weights, where weights are not counts; and the counts of each cluster, on the first axis.
    squares: Floats | None = None
    clusters: Floats | None = None

    _repr_html_ = in_notebook

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", np.asarray(self.counts, dtype=np.float64))

    @classmethod
    def named(
        cls, *, both: ArrayLike, only_first: ArrayLike, only_second: ArrayLike, neither: ArrayLike
    ) -> PairedCorrectness:
        """The table from named cells: no order to get wrong."""
        given = (np.asarray(cell, dtype=np.float64) for cell in (neither, only_second, only_first, both))
        cells = np.broadcast_arrays(*given)
        return cls(np.stack(cells, axis=-1).reshape(*cells[0].shape, 2, 2))

    @classmethod
    def of(
        cls,
        first: NDArray[np.bool_],
        second: NDArray[np.bool_],
        *,
        weight: Floats | None = None,
        count: Floats | None = None,
        cluster: NDArray[np.integer] | None = None,
    ) -> PairedCorrectness:
        """The table of who was right about which case.

        >>> right = np.array([True, True, False])
        >>> PairedCorrectness.of(right, np.array([True, False, False]))
        both correct 1 · only the first 1 · only the second 0 · both misclassified 1
        """
        each, squared = case_weights(weight, count)
        one, other = first.astype(np.intp), second.astype(np.intp)
        counts = tabulate_pairs(one, other, 2, 2, each)
        squares = None if squared is None else tabulate_pairs(one, other, 2, 2, squared)
        clusters = None
        if cluster is not None:
            clusters = tabulate_clusters(cluster, 2 * one + other, 4, each).reshape(-1, 2, 2)
        return cls(counts, squares, clusters)

    def __add__(self, other: PairedCorrectness) -> PairedCorrectness:
        return PairedCorrectness(*_add_counts(self, other))

    def __eq__(self, other: object) -> bool:
        return np.array_equal(self.counts, other.counts) if isinstance(other, PairedCorrectness) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # holds an array

    def __repr__(self) -> str:
        if self.counts.ndim > 2:
            return f"PairedCorrectness(a batch of {self.counts.shape[:-2]})"
        both, first, second, neither = (
            f"{n:,.15g}" for n in (self.both, self.only_first, self.only_second, self.neither)
        )
        return f"both correct {both} · only the first {first} · only the second {second} · both misclassified {neither}"

    @property
    def total(self) -> Any:
        """All cases."""
        return self.counts.sum((-2, -1))

    @property
    def both(self) -> Any:
        """Cases both got right."""
        return self.counts[..., 1, 1]

    @property
    def only_first(self) -> Any:
        """Cases the first got right and the second wrong: McNemar's b."""
        return self.counts[..., 1, 0]

    @property
    def only_second(self) -> Any:
        """Cases the second got right and the first wrong: McNemar's c."""
        return self.counts[..., 0, 1]

    @property
    def neither(self) -> Any:
        """Cases both got wrong."""
        return self.counts[..., 0, 0]


@dataclass(frozen=True, eq=False, repr=False)
class PairedDecisions:
    """Weight of each (true class, decision of the first, decision of the second); leading axes are a batch.

    Decisions are the classes in the same order, then any label that never occurs in truth.

    >>> truth, first, second = np.array([0, 1, 1]), np.array([0, 1, 0]), np.array([1, 1, 0])
    >>> paired = PairedDecisions.of(truth, first, second, ["no", "yes"])
    >>> paired
    PairedDecisions(3 cases of 'no', 'yes')
    >>> paired.correctness()
    both correct 1 · only the first 1 · only the second 0 · both misclassified 1
    """

    counts: Floats
    classes: tuple[str, ...]
    decisions: tuple[str, ...]
    squares: Floats | None = None
    clusters: Floats | None = None

    _repr_html_ = in_notebook

    @classmethod
    def of(
        cls,
        truth: NDArray[np.integer],
        first: NDArray[np.integer],
        second: NDArray[np.integer],
        classes: Sequence[str],
        decisions: Sequence[str] = (),
        *,
        weight: Floats | None = None,
        count: Floats | None = None,
        cluster: NDArray[np.integer] | None = None,
    ) -> PairedDecisions:
        """The table of class codes and two decision codes, case by case."""
        decisions = tuple(decisions) or tuple(classes)
        rows, columns = len(classes), len(decisions)
        shape = (rows, columns, columns)
        pair = np.multiply(truth, columns, dtype=np.intp) + first
        each, squared = case_weights(weight, count)
        counts = tabulate_pairs(pair, second, rows * columns, columns, each).reshape(shape)
        squares = clusters = None
        if squared is not None:
            squares = tabulate_pairs(pair, second, rows * columns, columns, squared).reshape(shape)
        if cluster is not None:
            clusters = tabulate_clusters(cluster, pair * columns + second, counts.size, each).reshape(-1, *shape)
        return cls(counts, tuple(classes), decisions, squares, clusters)

    def __add__(self, other: PairedDecisions) -> PairedDecisions:
        if (self.classes, self.decisions) != (other.classes, other.decisions):
            raise OptionError(*ADDED_CLASSES)
        counts, squares, clusters = _add_counts(self, other)
        return PairedDecisions(counts, self.classes, self.decisions, squares, clusters)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairedDecisions):
            return NotImplemented
        names_agree = (self.classes, self.decisions) == (other.classes, other.decisions)
        return names_agree and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]  # holds an array

    def __repr__(self) -> str:
        names = ", ".join(repr(name) for name in self.classes)
        if self.counts.ndim > 3:
            return f"PairedDecisions(a batch of {self.counts.shape[:-3]} over {names})"
        return f"PairedDecisions({float(self.total):,.15g} cases of {names})"

    @property
    def total(self) -> Any:
        """All cases."""
        return self.counts.sum((-3, -2, -1))

    @property
    def first(self) -> ConfusionMatrix:
        """The first classifier's confusion matrix."""
        return self._matrix(lambda counts: counts.sum(-1), self.classes)

    @property
    def second(self) -> ConfusionMatrix:
        """The second classifier's confusion matrix."""
        return self._matrix(lambda counts: counts.sum(-2), self.classes)

    def labels(self) -> ConfusionMatrix:
        """The first's decisions (rows) against the second's, whatever the truth."""
        return self._matrix(lambda counts: counts.sum(-3), self.decisions)

    def correctness(self, within: int | None = None) -> PairedCorrectness:
        """Who was right, over all cases or within one true class.

        Within the positive class this compares sensitivities, within the negative one specificities.
        """
        classes = range(len(self.classes)) if within is None else [within]
        return PairedCorrectness(
            *_map_counts(
                self, lambda counts: np.sum([_correctness_table(counts[..., k, :, :], k) for k in classes], axis=0)
            )
        )

    def _matrix(self, sums: Callable[[Floats], Floats], rows: tuple[str, ...]) -> ConfusionMatrix:
        counts, squares, clusters = _map_counts(self, sums)
        return ConfusionMatrix(counts, rows, self.decisions, squares, clusters)


@dataclass(frozen=True, eq=False, repr=False)
class JointCorrectness:
    """How often each classifier was right, and each two of them together; leading axes are a batch.

    `counts` is square with one row more than classifiers: [0, 0] holds all cases, [0, j] those classifier j got right
    and [i, j] those both i and j did. Cochran's Q and every pair's table are functions of it, and it adds.

    >>> right = np.array([[True, True, False], [True, False, False]])
    >>> joint = JointCorrectness.of(right, ("a", "b", "c"))
    >>> joint
    JointCorrectness(2 cases; right: a 2, b 1, c 0)
    >>> joint.pair(0, 1)
    both correct 1 · only the first 1 · only the second 0 · both misclassified 0
    """

    counts: Floats
    names: tuple[str, ...]
    squares: Floats | None = None
    clusters: Floats | None = None

    @classmethod
    def of(
        cls,
        right: NDArray[np.bool_],
        names: Sequence[str],
        *,
        weight: Floats | None = None,
        count: Floats | None = None,
        cluster: NDArray[np.integer] | None = None,
    ) -> JointCorrectness:
        """The sums over cases from a table of cases by classifiers that says who was right."""
        rows: Floats = np.ones((len(right), 1 + len(names)))
        rows[:, 1:] = right
        each, squared = case_weights(weight, count)
        counts = rows.T @ (rows if each is None else rows * each[:, None])
        squares = None if squared is None else rows.T @ (rows * squared[:, None])
        clusters = None
        if cluster is not None:
            products = (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
            weighted = products if each is None else products * each[:, None]
            sums: list[Floats] = [np.bincount(cluster, column).astype(np.float64) for column in weighted.T]
            clusters = np.stack(sums, axis=-1).reshape(-1, *counts.shape)
        return cls(counts, tuple(names), squares, clusters)

    def __add__(self, other: JointCorrectness) -> JointCorrectness:
        if self.names != other.names:
            raise OptionError("the classifiers differ", "the same classifiers, to add counts")
        counts, squares, clusters = _add_counts(self, other)
        return JointCorrectness(counts, self.names, squares, clusters)

    def __repr__(self) -> str:
        if self.counts.ndim > 2:
            return f"JointCorrectness(a batch of {self.counts.shape[:-2]} over {', '.join(self.names)})"
        right = ", ".join(f"{name} {n:,.15g}" for name, n in zip(self.names, self.counts[0, 1:], strict=True))
        return f"JointCorrectness({float(self.total):,.15g} cases; right: {right})"

    @property
    def total(self) -> Any:
        """All cases."""
        return self.counts[..., 0, 0]

    def pair(self, first: int, second: int) -> PairedCorrectness:
        """Who of two classifiers was right."""
        return PairedCorrectness(*_map_counts(self, lambda sums: _class_pair_table(sums, first + 1, second + 1)))


Kind = PairedCorrectness | PairedDecisions | JointCorrectness


def _add_counts(one: Kind, other: Kind) -> tuple[Floats, Floats | None, None]:
    """The counts and squared weights of two pieces of evidence together."""
    if one.clusters is not None or other.clusters is not None:
        raise OptionError(*ADDED_CLUSTERS)
    squares = None
    if one.squares is not None or other.squares is not None:
        mine, theirs = (kind.counts if kind.squares is None else kind.squares for kind in (one, other))
        squares = mine + theirs
    return one.counts + other.counts, squares, None


def _map_counts(kind: Kind, sums: Callable[[Floats], Floats]) -> tuple[Floats, Floats | None, Floats | None]:
    """The same sums of cells for the counts, their squares and their clusters."""
    squares = None if kind.squares is None else sums(kind.squares)
    clusters = None if kind.clusters is None else sums(kind.clusters)
    return sums(kind.counts), squares, clusters


def _correctness_table(decided: Floats, truth: int) -> Floats:
    """Decisions of two classifiers about cases of one class, as right or wrong."""
    first, second = decided[..., truth, :].sum(-1), decided[..., :, truth].sum(-1)
    return _two_by_two_table(decided.sum((-2, -1)), first, second, decided[..., truth, truth])


def _class_pair_table(sums: Floats, i: int, j: int) -> Floats:
    return _two_by_two_table(sums[..., 0, 0], sums[..., i, i], sums[..., j, j], sums[..., i, j])


def _two_by_two_table(total: Floats, first: Floats, second: Floats, both: Floats) -> Floats:
    """The 2 x 2 table of two events from how often each occurs and both do."""
    cells = np.stack((total - first - second + both, second - both, first - both, both), axis=-1)
    return cells.reshape(*cells.shape[:-1], 2, 2)
