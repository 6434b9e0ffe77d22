"""What rows are called: ids of any kind as text, spelled as their source spells them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.sources._labels import MISSING, label_name
from assay.types import Texts

__all__ = ["TEXT", "id_texts"]

# Short texts lie in the array itself, a fraction of what as many Python strings take.
TEXT = np.dtypes.StringDType()


def id_texts(values: NDArray[Any] | Sequence[Any]) -> Texts:
    """Ids as text, empty where one is missing; a whole number has no point, whatever kind of number holds it.

    >>> id_texts([7, 7.0, "007", "7.0", None, "NA"]).tolist()
    ['7', '7', '007', '7.0', '', '']
    """
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iu":
            return values.astype(TEXT)
        values = (values.astype(str) if values.dtype.kind in "mM" else values).tolist()
    texts = [_text(value) for value in values]
    try:
        return np.array(texts, TEXT)
    except UnicodeEncodeError:  # half a surrogate pair, which no text in UTF-8 holds
        return np.array([text.encode("utf-8", "backslashreplace").decode() for text in texts], TEXT)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return "" if value.strip().casefold() in MISSING else value
    return label_name(value) or ""
