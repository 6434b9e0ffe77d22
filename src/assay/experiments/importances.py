"""Importance by permutation: how much worse one fitted model gets on cases when a column is shuffled among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from assay.errors import OptionError
from assay.experiments._parting import Indices
from assay.experiments.containers import described_container, is_frame, rows_of, with_rows_of_column
from assay.experiments.datasets import Dataset
from assay.experiments.described import columns_used
from assay.experiments.encoding import FeatureColumn
from assay.experiments.preparation import LearnerInput
from assay.experiments.task import said_by
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level, checked_seed, checked_whole
from assay.results import NAN, Estimate, Table
from assay.types import Floats

# What gets worse: the share of wrong labels, or the mean square of what probabilities are off.
LOSSES = {"labels": "share of wrong labels", "probabilities": "mean squared error of the probabilities"}
# Fewer cases or other numbers of shuffles than these were not simulated (verification/importances.py).
FEWEST, REPEATS = 30, (10, 200)
NOT_USED = "not used"  # by the model, so that nothing can change
METHOD = "influence of cases and donors, pseudo-cases"
# How far one pseudo-case rises and another falls: without them a column that matters in few cases only, none of which
# are among those held out, would have limits about 0 that hold nothing.
PSEUDO = {"labels": 1.0, "probabilities": 0.5}
TARGET = "this model, on cases like these"
GROUPED = "cases of one group depend on one another, and no limits for that were checked"
SAID = (
    "How much the {loss} of this one model rises on its {cases} held-out cases when a column is shuffled among them, "
    "all values of a text together. Limits at level {level:g} % are for this model on cases like these, each column by "
    "itself; they say nothing of other models that the learner would make, nor of causes. Columns that say the same "
    "share their importance: each can look useless while the other is there. The first of many was sorted there, "
    "partly by luck."
)
Loss = Callable[[Floats], Floats]


@dataclass(frozen=True)
class _Shuffled:
    """Losses of each case, and what they became: for the case that received a value, and for the one that gave it."""

    before: Floats
    received: Floats
    given: Floats

    def importance(self, name: str, level: float, pseudo: float, why_not: str | None) -> Estimate:
        """The mean rise, with limits that allow for both roles a case plays in it, and for cases not yet seen."""
        n = len(self.before)
        rise = self.received - self.before
        value = float(rise.mean())
        if why_not is not None:
            return Estimate(name, value, NAN, NAN, level, "none", n, TARGET, why_not)
        moved = rise + self.given
        spread = float(((moved - moved.mean()) ** 2).sum()) + 2 * pseudo**2
        reach = float(stdtrit(n - 1, (1 + level) / 2)) * math.sqrt(spread / (n * (n - 1)))
        return Estimate(name, value, max(value - reach, -1.0), min(value + reach, 1.0), level, METHOD, n, TARGET)


@dataclass(frozen=True, eq=False, repr=False)
class Importances:
    """The columns of the data, the one that matters most to the model first, and what the numbers hold for."""

    found: tuple[Estimate, ...]
    said: str

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"{self.table()}\n{self.said}"

    def table(self) -> Table:
        """A row for each column."""
        columns: dict[str, list[Any]] = {"column": [one.name for one in self.found]}
        columns |= {name: [getattr(one, name) for one in self.found] for name in ("value", "low", "high", "method")}
        columns["no interval because"] = [one.undefined or "" for one in self.found]
        return Table(columns, title="Importance by permutation", digits=4)


def permutation_importances(
    estimator: Any,
    data: Dataset,
    rows: Indices,
    loss: str = "labels",
    *,
    repeats: int = 20,
    level: float = 0.95,
    seed: int = 0,
    how: LearnerInput | None = None,
) -> Importances:
    """An estimate for each column of the data: the rise of the mean loss, largest first, and its limits.

    A shuffle gives every case the value of another one. The mean over cases is one over pairs of a case and a donor, so
    that its error has a part for either (Fisher, Rudin & Dominici 2019 on the estimate; Hoeffding 1948 on its error).
    The spread over shuffles, which is often shown, says only how many shuffles there were.
    """
    checked_choice(loss, LOSSES, "loss")
    level, seed = checked_level(level), checked_seed(seed)
    repeats = checked_whole(repeats, "repeats", *REPEATS)
    everything = data.numbers if how is None else how.X
    if not (is_frame(everything) or everything is data.features):
        problem = f"the model of data set {data.name!r} learned from a {described_container(everything)}"
        raise OptionError(problem, "a data frame, or a table of numbers, whose columns can be shuffled")
    truth, cases = data.target[rows], rows_of(everything, rows)
    lost = _loss(estimator, truth, len(data.classes), loss, None if how is None else how.spelling)
    why_not = GROUPED if data.groups is not None else None
    if len(rows) < FEWEST:
        why_not = f"limits were checked from {FEWEST} cases on, and {len(rows)} are held out"
    rng = np.random.default_rng(seed)
    found = []
    before = lost(cases)
    used = None if is_frame(cases) else columns_used(estimator, data)
    for column, places in _places(data):
        if used is not None and not used & set(places):
            found.append(Estimate(column.name, 0.0, 0.0, 0.0, level, NOT_USED, len(rows), TARGET))
            continue
        one = _shuffled(lost, cases, before, column.name if is_frame(cases) else places, repeats, rng)
        found.append(one.importance(column.name, level, PSEUDO[loss], why_not))
    found.sort(key=lambda one: -one.value)
    said = SAID.format(loss=LOSSES[loss], cases=len(rows), level=100 * level)
    return Importances(tuple(found), said)


def _places(data: Dataset) -> Iterator[tuple[FeatureColumn, list[int]]]:
    """The columns as they were given, each with the places of its numbers."""
    start = 0
    for column in data.columns or tuple(FeatureColumn(name) for name in data.feature_names):
        yield column, list(range(start, start + len(column.names)))
        start += len(column.names)


def _loss(estimator: Any, truth: Any, classes: int, kind: str, spelling: Sequence[Any] | None) -> Loss:
    def lost(cases: Any) -> Floats:
        said = said_by(estimator, cases, classes, spelling)
        if kind == "labels":
            return np.asarray(said.label != truth, dtype=np.float64)
        if said.probability is None:
            raise OptionError("the model gives no probabilities", "another loss", {"loss": "labels"}, about="loss")
        # Half the sum over classes, which for two is the square of what the one probability is off.
        off = said.probability - np.eye(classes)[truth]
        return np.asarray((off**2).sum(axis=1) / 2)

    return lost


def _shuffled(
    lost: Loss, cases: Any, before: Floats, column: str | list[int], repeats: int, rng: np.random.Generator
) -> _Shuffled:
    received, given = np.zeros(len(before)), np.zeros(len(before))
    for _ in range(repeats):
        order = rng.permutation(len(before))
        donor = np.empty_like(order)
        donor[order] = np.roll(order, 1)  # in a circle, so that nobody gets its own value
        if isinstance(column, str):
            changed = with_rows_of_column(cases, column, donor)
        else:
            changed = cases.copy()
            changed[:, column] = cases[donor][:, column]
        loss = lost(changed)
        received += loss
        given[donor] += loss
    return _Shuffled(before, received / repeats, given / repeats)
