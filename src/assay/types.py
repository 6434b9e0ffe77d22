"""The arrays that functions take and give, each kind named once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Codes", "Floats", "Places", "Texts"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Codes = NDArray[np.integer]  # of classes, labels, clusters, folds
Places = NDArray[np.intp]  # positions in another array
Texts = NDArray[Any]  # of numpy's StringDType, whose type says something else in each release
