"""What a stream hands over event by event, questioned once."""

from __future__ import annotations

from collections.abc import Sized

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import OptionError
from assay.types import Bools

__all__ = ["checked_alike", "flags"]


def flags(values: ArrayLike, name: str) -> Bools:
    """Yes or no for each event, given as booleans or as 0 and 1; anything else would merely be taken for one.

    >>> flags(["spam"], "positive")
    Traceback (most recent call last):
    assay.errors.OptionError: positive holds 'spam'; needed: True and False, or 1 and 0
    """
    given = np.atleast_1d(np.asarray(values))
    odd = [] if given.dtype == bool else [each for each in given.tolist() if each not in (0, 1)]
    if odd:
        raise OptionError(f"{name} holds {odd[0]!r}", "True and False, or 1 and 0", about=name)
    return given.astype(bool)


def checked_alike(one: Sized, other: Sized, names: str) -> None:
    """Refuse two columns of different length."""
    if len(one) != len(other):
        raise OptionError(f"{names} have {len(one)} and {len(other)} events", "the same events in both")
