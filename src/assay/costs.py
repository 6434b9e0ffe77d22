"""Costs of predictions by true class, and the prevalence of the classes in use."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import OptionError
from assay.renderers import in_notebook
from assay.request import checked_between, checked_names, checked_number

__all__ = ["Costs", "checked_costs"]

Shares = float | Sequence[float] | Mapping[str, float]
CELLS = ("tn", "fp", "fn", "tp")


@dataclass(frozen=True, init=False)
class Costs:
    """Costs of predictions: one row per true class, one column per predicted class; a benefit is a negative cost.

    Two classes are named by cell: `fp` a false alarm, `fn` a miss, `tp` and `tn` what the right decisions cost (0).
    More have a `matrix` and, best, the names of its `classes`. `prevalence` is how often the classes occur where the
    decisions will be made: a share of positives, a share for each class, or shares by name. `acquisition` is what it
    costs to get a case's inputs at all, `reject` what it costs to hand a case on instead of deciding it.

    >>> Costs(fp=1, fn=10, prevalence=0.02)
    Costs(fp=1, fn=10, prevalence=0.02)
    >>> Costs(fp=1, fn=10).ratio, round(Costs(fp=1, fn=10).threshold, 4)
    (10.0, 0.0909)
    >>> Costs([[0, 1, 2], [1, 0, 1], [3, 2, 0]], ("setosa", "versicolor", "virginica")).matrix[2]
    (3.0, 2.0, 0.0)
    >>> Costs(fp=1, fn=0)
    Traceback (most recent call last):
    assay.errors.OptionError: deciding '1' never costs less than deciding '0', whatever the truth; needed: ...

    References: Elkan (2001).
    """

    matrix: tuple[tuple[float, ...], ...]
    classes: tuple[str, ...]
    prevalence: tuple[float, ...] | None
    acquisition: float
    reject: float | None

    _repr_html_ = in_notebook

    def __init__(
        self,
        matrix: ArrayLike | None = None,
        classes: Sequence[str] = (),
        *,
        fp: float | None = None,
        fn: float | None = None,
        tp: float = 0.0,
        tn: float = 0.0,
        prevalence: Shares | None = None,
        acquisition: float = 0.0,
        reject: float | None = None,
    ) -> None:
        if (matrix is None) == (fp is None and fn is None):
            raise OptionError("no costs are given, or two kinds of costs", "either fp and fn, or a matrix")
        for name, cost, right in (("fp", fp, tn), ("fn", fn, tp)):
            # Where the right decision earns more, a wrong one may earn something.
            if isinstance(cost, Real) and not isinstance(cost, bool) and cost < 0 and cost <= right:
                raise OptionError(
                    f"{name} must not be negative (got {float(cost):g})", options={name: -cost}, about=name
                )
        if matrix is None and (fp is None or fn is None):
            lacking, given = ("fn", "fp") if fn is None else ("fp", "fn")
            raise OptionError(f"{given} is given without {lacking}", "the costs of both errors", {lacking: 1})
        loss = _checked_matrix([[tn, fp], [fn, tp]] if matrix is None else matrix)
        names = checked_names(classes, "classes") or tuple(str(k) for k in range(len(loss)))
        if len(names) != len(loss) or len(set(names)) != len(names):
            raise OptionError(
                f"the classes are {', '.join(map(repr, names))}", f"{len(loss)} different names, a row each"
            )
        _check_reasonable(loss, names)
        fields = {
            "matrix": tuple(tuple(float(cost) for cost in row) for row in loss),
            "classes": names,
            "prevalence": None if prevalence is None else _class_shares(prevalence, names),
            "acquisition": checked_number(acquisition, "acquisition"),
            "reject": None if reject is None else checked_number(reject, "reject"),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        if self.is_binary:
            shown = {"fp": self.fp, "fn": self.fn, **{cell: getattr(self, cell) for cell in ("tp", "tn")}}
            parts = [f"{cell}={cost:g}" for cell, cost in shown.items() if cost or cell in ("fp", "fn")]
        else:
            parts = [f"{len(self.classes)} classes, up to {max(map(max, self.matrix)):g}"]
        if self.prevalence is not None:
            shares = self.prevalence[1:] if self.is_binary else self.prevalence
            parts.append(f"prevalence={', '.join(f'{share:g}' for share in shares)}")
        parts += [f"acquisition={self.acquisition:g}"] if self.acquisition else []
        parts += [f"reject={self.reject:g}"] if self.reject is not None else []
        return f"Costs({', '.join(parts)})"

    @property
    def loss(self) -> NDArray[np.float64]:
        """Return the cost matrix as an array: rows true classes, columns predicted classes."""
        return np.array(self.matrix)

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes."""
        return len(self.classes) == 2

    @property
    def tn(self) -> float:
        """The cost of a true negative."""
        return self._cell(0, 0)

    @property
    def fp(self) -> float:
        """The cost of a false positive."""
        return self._cell(0, 1)

    @property
    def fn(self) -> float:
        """The cost of a false negative."""
        return self._cell(1, 0)

    @property
    def tp(self) -> float:
        """The cost of a true positive; negative for a gain."""
        return self._cell(1, 1)

    @property
    def regret(self) -> tuple[float, float]:
        """The excess costs of a false positive and a false negative over the correct prediction."""
        return self.fp - self.tn, self.fn - self.tp

    @property
    def ratio(self) -> float:
        """The ratio of the excess cost of a false negative to that of a false positive."""
        false_alarm, miss = self.regret
        return miss / false_alarm

    @property
    def threshold(self) -> float:
        """The optimal threshold on calibrated probabilities."""
        false_alarm, miss = self.regret
        return false_alarm / (false_alarm + miss)

    @property
    def positive_share(self) -> float | None:
        """The prevalence of the positive class in use, or None where it is not given."""
        return None if self.prevalence is None else self.prevalence[1]

    def at(self, prevalence: Shares | None) -> Costs:
        """Return the same costs with another prevalence.

        >>> Costs(fp=1, fn=10).at(0.02)
        Costs(fp=1, fn=10, prevalence=0.02)
        """
        return Costs(self.matrix, self.classes, prevalence=prevalence, acquisition=self.acquisition, reject=self.reject)

    def of_classes(self, classes: Sequence[str]) -> Costs:
        """Return the same costs with the classes in this order; numbered classes are assumed to be in it already.

        >>> Costs([[0, 1], [5, 0]], ("good", "bad")).of_classes(("bad", "good")).matrix
        ((0.0, 5.0), (1.0, 0.0))
        """
        names = checked_names(classes, "classes")
        numbered = tuple(str(k) for k in range(len(names)))
        if names == self.classes or (numbered in (names, self.classes) and len(names) == len(self.classes)):
            return self
        if set(names) != set(self.classes):
            found = f"the costs are of {', '.join(map(repr, self.classes))}"
            raise OptionError(found, f"costs of {', '.join(map(repr, names))}")
        order = [self.classes.index(name) for name in names]
        loss = self.loss[np.ix_(order, order)]
        shares = None if self.prevalence is None else [self.prevalence[k] for k in order]
        return Costs(loss, names, prevalence=shares, acquisition=self.acquisition, reject=self.reject)

    def slope(self, prevalence: float) -> float:
        """Return the slope of iso-cost lines in ROC space: total cost of false positives over that of false negatives.

        >>> round(Costs(fp=1, fn=10).slope(0.02), 6)
        4.9
        """
        prevalence = checked_between(prevalence, "prevalence", closed=True)
        return math.inf if prevalence == 0 else (1 - prevalence) / (prevalence * self.ratio)

    def _cell(self, row: int, column: int) -> float:
        if not self.is_binary:
            raise OptionError(f"there are {len(self.classes)} classes", "two classes, for costs fp and fn")
        return self.matrix[row][column]


def _checked_matrix(given: Any) -> NDArray[np.float64]:
    cells: list[object] = list(np.asarray(given, dtype=object).ravel())
    if len(cells) == 4 and any(cell is None for cell in cells):
        missing = [name for name, cell in zip(CELLS, cells, strict=True) if cell is None]
        raise OptionError(
            f"there is no cost {missing[0]}", "the costs of a false positive (fp) and a false negative (fn)"
        )
    try:
        loss = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(
            "the costs are not a matrix of numbers", "one row per true class, one column per prediction"
        ) from None
    if loss.ndim != 2 or loss.shape[0] != loss.shape[1] or len(loss) < 2:
        raise OptionError(
            f"the matrix has shape {loss.shape}",
            "a square matrix of at least two classes: rows true labels, columns predictions",
        )
    if not np.isfinite(loss).all():
        raise OptionError("some costs are not finite", "a finite number for every entry")
    return loss


def _check_reasonable(loss: NDArray[np.float64], names: tuple[str, ...]) -> None:
    """No wrong decision is cheaper than the right one, and every decision is the cheapest for some mix of classes."""
    wrong = np.argwhere(loss < np.diagonal(loss)[:, None])
    if len(wrong):
        k, j = wrong[0]
        found = (
            f"a case of {names[k]!r} costs {loss[k, j]:g} if predicted {names[j]!r} and {loss[k, k]:g} if "
            f"predicted {names[k]!r}"
        )
        raise OptionError(found, "lowest costs for correct predictions (are the classes swapped?)")
    for dear in range(len(loss)):
        for cheap in range(len(loss)):
            over = loss[:, dear] - loss[:, cheap]
            if (over >= 0).all() and dear != cheap and (over.any() or len(loss) == 2):
                found = f"predicting {names[dear]!r} never costs less than predicting {names[cheap]!r}"
                raise OptionError(found, "costs with which each prediction can be optimal, or omit the class")


def _class_shares(given: Shares, names: tuple[str, ...]) -> tuple[float, ...]:
    """The share of each class, in order."""
    if isinstance(given, Mapping):
        if set(given) != set(names):
            raise OptionError(f"prevalence names {', '.join(map(repr, given))}", f"{', '.join(map(repr, names))}")
        shares = [checked_number(given[name], "prevalence") for name in names]
    elif not isinstance(given, str) and (isinstance(given, Sequence) or np.ndim(given)):
        shares = [checked_number(share, "prevalence") for share in given]  # type: ignore[union-attr]
    else:
        if len(names) != 2:
            raise OptionError(f"prevalence is one number for {len(names)} classes", "one share per class")
        share = checked_between(given, "prevalence", closed=True, clear=True)
        shares = [1 - share, share]
    if len(shares) != len(names) or not all(0 <= share <= 1 for share in shares) or abs(sum(shares) - 1) > 1e-9:
        raise OptionError(
            f"prevalence is {', '.join(f'{share:g}' for share in shares)}",
            f"{len(names)} shares from 0 to 1 that sum to 1",
        )
    return tuple(shares)


def checked_costs(costs: Any) -> Costs:
    """Costs, where somebody may have given a number.

    >>> checked_costs(10)
    Traceback (most recent call last):
    assay.errors.OptionError: costs is 10; needed: assay.Costs(fp=1, fn=10), or a matrix in it
    """
    if isinstance(costs, Costs):
        return costs
    text = repr(costs)
    found = text if len(text) <= 60 else f"{text[:57]}..."
    raise OptionError(f"costs is {found}", "assay.Costs(fp=1, fn=10), or assay.Costs(matrix=...)", about="costs")
