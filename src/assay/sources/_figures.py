"""What numbers of cases must be, and how closely two sums over the same cases must agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import InputError
from assay.types import Floats

__all__ = ["Sizes", "must_agree", "must_be_counts", "must_be_squares"]

# Sums of the same weights in another order differ by less than this, and counts not at all.
ROUNDING = 1e-9
# Whole numbers are exact in a double up to here.
MOST_COUNTED = 2.0**53
LARGEST_WEIGHT = 1e12
SAME = "the same in both"


@dataclass(frozen=True, eq=False)
class Sizes:
    """How many cases each class has, what they weigh, and the sum of their squared weights."""

    classes: tuple[str, ...]
    cases: Floats
    weights: Floats
    squares: Floats
    is_weighted: bool

    def against(self, place: int) -> Sizes:
        """The same of all other classes together, and of one."""
        pairs = [np.array([each.sum() - each[place], each[place]]) for each in (self.cases, self.weights, self.squares)]
        return Sizes(("all others", self.classes[place]), pairs[0], pairs[1], pairs[2], self.is_weighted)

    @property
    def total(self) -> Sizes:
        """The same of all classes together."""
        sums = [np.array([each.sum()]) for each in (self.cases, self.weights, self.squares)]
        return Sizes(("all",), sums[0], sums[1], sums[2], self.is_weighted)

    def are_near(self, one: Floats, other: Floats) -> bool:
        """Whether sums agree: counts exactly, sums of weights but for rounding in all of them."""
        if one.shape != other.shape:
            return False
        if not self.is_weighted:
            return bool((one == other).all())
        slack = ROUNDING * np.maximum(np.abs(one), np.abs(other)).max(initial=0)
        return bool((np.abs(one - other) <= slack).all())


def must_agree(what: str, found: Floats, other: str, expected: Floats, sizes: Sizes) -> None:
    """Refuse sums over each class that are not those of the cases.

    >>> of_two = Sizes(("no", "yes"), np.array([3.0, 4.0]), np.array([3.0, 4.0]), np.array([3.0, 4.0]), False)
    >>> must_agree("the scores", np.array([3.0, 5.0]), "there are", of_two.weights, of_two)
    Traceback (most recent call last):
    assay.errors.InputError: the scores hold 5 of class 'yes', and there are 4; needed: the same in both
    """
    for name, mine, theirs in zip(sizes.classes, found.tolist(), expected.tolist(), strict=True):
        near = mine == theirs if not sizes.is_weighted else abs(mine - theirs) <= ROUNDING * float(expected.sum())
        if not near:
            verb = "holds" if what.endswith("matrix") else "hold"
            raise InputError(f"{what} {verb} {mine:,.15g} of class {name!r}, and {other} {theirs:,.15g}", SAME)


def must_be_counts(what: str, values: Floats, sizes: Sizes) -> None:
    """Refuse what is no number of cases: negative, not finite, more than there are, or a fraction without weights."""
    most = float(sizes.cases.sum()) * (LARGEST_WEIGHT if sizes.is_weighted else 1.0)
    if not (values.min(initial=0) >= 0 and values.max(initial=0) <= min(most, MOST_COUNTED * LARGEST_WEIGHT)):
        raise InputError(f"{what} hold numbers that are not those of cases", f"numbers from 0 to {most:,.15g}")
    if not sizes.is_weighted and not (values == np.floor(values)).all():
        raise InputError(f"{what} hold fractions of cases, and there are no weights", "whole numbers, or weights")


def must_be_squares(
    what: str, weights: Floats, squares: Floats, cases: Floats | float, *, is_partial: bool = False
) -> None:
    """Refuse sums of squared weights that no cases with these sums of weights have.

    Of n cases they are at least the n-th part of the squared sum, and at most the squared sum. Where they are
    `is_partial`, the squares of some are missing.
    """
    if squares.shape != weights.shape or not (np.isfinite(squares).all() and squares.min(initial=0) >= 0):
        raise InputError(f"the squared weights of {what} are no numbers", "a finite number for each sum of weights")
    with np.errstate(over="ignore"):
        whole = weights**2
        fits = (squares <= whole * (1 + ROUNDING)) & (is_partial | (squares * cases >= whole * (1 - ROUNDING)))
    if not fits.all():
        raise InputError(f"the squared weights of {what} do not fit the weights", "those of as many cases as there are")
