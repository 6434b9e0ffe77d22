"""How long an algorithm takes as the cases grow."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.curves import Drawable, Drawing, Ruler, Trace
from assay.errors import InputError
from assay.experiments._parting import Indices
from assay.experiments.containers import rows_of
from assay.experiments.curves import Fit
from assay.request import checked_seed
from assay.results import Table
from assay.types import Floats


@dataclass(frozen=True, eq=False, repr=False)
class TimeCurve(Drawable):
    """Seconds to fit to so many cases and to predict as many, the shortest of several tries at each number."""

    cases: Floats
    fit: Floats
    predict: Floats

    def __repr__(self) -> str:
        return f"<Time curve: {len(self.cases)} points>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a point."""
        return len(self.cases) > 0

    @property
    def growth(self) -> float:
        """The power of the number of cases by which the time to fit grows: 1 if in proportion; nan from one point."""
        if len(self.cases) < 2:
            return math.nan
        return float(np.polyfit(np.log(self.cases), np.log(np.maximum(self.fit, 1e-9)), 1)[0])

    def table(self) -> Table:
        """Every number of cases with both times, in seconds."""
        columns = {"cases": self.cases.astype(int), "fit_seconds": self.fit, "predict_seconds": self.predict}
        return Table({name: values.tolist() for name, values in columns.items()}, title="Time against cases")

    def drawing(self) -> Drawing:
        """Both times over the number of cases, on logarithmic axes."""
        return Drawing(
            name="time_curve",
            title="Time against cases",
            x=Ruler("Cases", None, "log"),
            y=Ruler("Seconds", None, "log"),
            traces=(
                Trace(self.cases, self.fit, "model", "fit"),
                Trace(self.cases, self.predict, "negatives", "predict"),
            ),
            points=len(self.cases),
        )


def time_curve(
    fit: Fit, cases: Any, y: ArrayLike, *, sizes: Sequence[int], repeats: int = 3, seed: int = 0
) -> TimeCurve:
    """How long fitting and predicting take as the cases grow, each size being a random part of the data.

    >>> curve = time_curve(lambda x, y: lambda other: other, np.arange(100), np.arange(100) % 2, sizes=(10, 100))
    >>> curve.cases.tolist(), bool((curve.fit >= 0).all())
    ([10.0, 100.0], True)
    """
    seed = checked_seed(seed)
    classes = np.asarray(y)
    if max(sizes) > len(classes):
        raise InputError(f"{max(sizes)} cases are to be timed and there are {len(classes)}", "sizes up to that number")
    order = np.random.default_rng(seed).permutation(len(classes))
    found = np.array([np.min([*_timed(fit, cases, classes, order[:size], repeats)], axis=0) for size in sizes])
    return TimeCurve(np.asarray(sizes, dtype=np.float64), found[:, 0], found[:, 1])


def _timed(fit: Fit, cases: Any, classes: Any, rows: Indices, repeats: int) -> Iterator[tuple[float, float]]:
    known, answers = rows_of(cases, rows), classes[rows]
    for _ in range(repeats):
        started = time.perf_counter()
        predict = fit(known, answers)
        fitted = time.perf_counter()
        predict(known)
        yield fitted - started, time.perf_counter() - fitted
