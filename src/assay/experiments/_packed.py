"""What one fitted model said of some cases, as arrays and as the bytes that a store keeps of them."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.sources import UnpackingLimit


@dataclass(frozen=True, eq=False)
class PredictedRows:
    """What one fitted model said of its test cases: their row numbers, labels, and scores or probabilities if any.

    >>> packed = PredictedRows(np.array([3, 7]), np.array([0, 1]), score=np.array([-0.5, 2.0])).packed()
    >>> PredictedRows.unpacked(packed).score
    array([-0.5,  2. ])
    """

    rows: NDArray[np.integer]
    label: NDArray[np.integer]
    probability: NDArray[np.float64] | None = None
    score: NDArray[np.float64] | None = None

    def __getitem__(self, part: slice) -> PredictedRows:
        """The predictions of some of these cases, by their place."""
        probability, score = (None if each is None else each[part] for each in (self.probability, self.score))
        return PredictedRows(self.rows[part], self.label[part], probability, score)

    def packed(self) -> bytes:
        """The arrays as a compressed npz file: no pickle, so that a store can come from anywhere."""
        kept = {name: values for name, values in vars(self).items() if values is not None}
        buffer = io.BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **kept)
        return buffer.getvalue()

    @classmethod
    def unpacked(cls, packed: bytes) -> PredictedRows:
        """The arrays of a packed file, which must hold one row number and one label for each case."""
        with suppress(Exception):  # bytes from anywhere: zip, zlib and numpy each have errors of their own
            with zipfile.ZipFile(io.BytesIO(packed)) as members:
                UnpackingLimit("", len(packed)).count(sum(each.file_size for each in members.infolist()))
            with np.load(io.BytesIO(packed), allow_pickle=False) as held:
                found = cls(**{name: held[name] for name in held.files})
            if found._has_shape():
                return found
        raise InputError("the predictions of a cell are damaged", "the study resumed, which runs it again")

    def _has_shape(self) -> bool:
        cases = (len(self.rows),)
        kinds = {name: values.dtype.kind for name, values in vars(self).items() if values is not None}
        return (
            kinds == {name: "i" if name in ("rows", "label") else "f" for name in kinds}
            and self.rows.shape == self.label.shape == cases
            and (self.score is None or self.score.shape == cases)
            and (self.probability is None or self.probability.shape == (*cases, *self.probability.shape[1:2]))
        )

    def fits(self, cases: int, classes: int) -> bool:
        """Whether this can be about a data set of so many cases and classes."""
        known = (self.rows >= 0).all() and (self.rows < cases).all()
        # One past the classes is a case that the learner handed on.
        named = (self.label >= 0).all() and (self.label <= classes).all()
        numbers = all(np.isfinite(each).all() for each in (self.probability, self.score) if each is not None)
        wide = self.probability is None or self.probability.shape[1] == classes
        return bool(known and named and numbers and wide and len(self.rows))
