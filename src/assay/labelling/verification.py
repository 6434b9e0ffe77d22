"""Verification bias: only some rows have a true label, chosen by what the file says of them and not by a known chance.

Begg & Greenes (1983), Biometrics 39: within groups that decide about verification, the verified rows stand for all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.types import Codes, Floats

__all__ = ["verified_shares"]


def verified_shares(label: Floats, group: Codes) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the share of each row's group that is verified, and which rows are in a group without a verified one.

    >>> shares, unknown = verified_shares(np.array([1, np.nan, 0, np.nan, np.nan]), np.array([0, 0, 0, 0, 1]))
    >>> shares.tolist(), unknown.tolist()
    ([0.5, 0.5, 0.5, 0.5, 0.0], [False, False, False, False, True])
    """
    rows = np.bincount(group)
    verified = np.bincount(group, ~np.isnan(label), minlength=len(rows))
    shares = (verified / np.maximum(rows, 1))[group]
    return shares, shares == 0
