"""Evidence for the laws: random, and by hand where it is degenerate. A new measure is served by its `needs`."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.evidence.probability_losses import ErrorSums, laplace_priors
from assay.measures import Measure, registry

LEVELS = (0.5, 0.9, 0.95, 0.999)
NAMES = list(registry)
MATRIX_NAMES = [name for name, measure in registry.items() if measure.needs is ConfusionMatrix]
SCORE_NAMES = [name for name, measure in registry.items() if measure.needs is ScoreTable]
METHODS = [(name, method) for name, measure in registry.items() for method in measure.intervals.methods]

counts = st.one_of(st.integers(0, 3), st.integers(0, 60))


@st.composite
def binary_matrices(draw: st.DrawFn) -> ConfusionMatrix:
    """Two classes, two decisions, at least one case."""
    cells = draw(st.tuples(counts, counts, counts, counts).filter(any))
    return ConfusionMatrix(np.array(cells, dtype=float).reshape(2, 2))


@st.composite
def matrices(draw: st.DrawFn) -> ConfusionMatrix:
    """Two classes; sometimes with decisions that truth never holds."""
    if draw(st.booleans()):
        return draw(binary_matrices())
    cells = draw(st.tuples(*[counts] * 6).filter(any))
    return ConfusionMatrix(np.array(cells, dtype=float).reshape(2, 3), ("0", "1"), ("0", "1", "?"))


small_matrices = (
    st.tuples(*[st.integers(0, 2)] * 4).filter(any).map(lambda c: ConfusionMatrix(np.array(c).reshape(2, 2)))
)

# Sixty-fourths are exact in binary, so that 1 - p and p + 1 are exact too.
probabilities = st.integers(0, 64).map(lambda k: k / 64)
rows = st.lists(st.tuples(probabilities, st.booleans()), min_size=1, max_size=60)


def table_of(cases: list[tuple[float, bool]]) -> ScoreTable:
    """The score table of (score, is positive) pairs."""
    return ScoreTable.of([score for score, _ in cases], [positive for _, positive in cases])


def sums_of(cases: list[tuple[float, bool]]) -> ErrorSums:
    """The error sums of (probability, is positive) pairs."""
    score, truth = np.array([score for score, _ in cases]), np.array([int(positive) for _, positive in cases])
    return ErrorSums.of(truth, np.stack((1 - score, score), 1), priors=laplace_priors(truth, 2))


tables = rows.map(table_of)


def evidence_for(measure: Measure) -> st.SearchStrategy[Any]:
    """Random evidence of the kind a measure needs."""
    if measure.needs is ErrorSums:
        return rows.map(sums_of)
    return matrices() if measure.needs is ConfusionMatrix else tables


def degenerate_matrices() -> list[ConfusionMatrix]:
    """Every pattern of empty cells, and some with a third decision; the first holds no case at all."""
    two = [np.array(cells, dtype=float).reshape(2, 2) for cells in product((0, 7), repeat=4)]
    three = [np.array(cells, dtype=float).reshape(2, 3) for cells in list(product((0, 7), repeat=6))[1::5]]
    return [ConfusionMatrix(c, ("0", "1"), tuple("01?"[: c.shape[1]])) for c in two + three]


def degenerate_tables() -> list[ScoreTable]:
    """One class, one case, constant, perfect, reversed, certain and wrong, all of one kind."""
    cases: list[tuple[list[float], list[int]]] = [
        ([0.3], [1]),
        ([0.3], [0]),
        ([0.0], [1]),
        ([1.0], [0]),
        ([0.2, 0.8], [1, 1]),
        ([0.2, 0.8], [0, 0]),
        ([0.5, 0.5], [0, 1]),
        ([0.5] * 80, [0, 1] * 40),
        ([0.2, 0.8], [0, 1]),
        ([0.8, 0.2], [0, 1]),
        ([0.0] * 40 + [1.0] * 40, [0] * 40 + [1] * 40),
        ([1.0] * 40 + [0.0] * 40, [0] * 40 + [1] * 40),
        ([0.1] * 40 + [0.9] * 40, [0] * 40 + [1] * 40),
        ([0.5, 0.5, 0.5], [0, 0, 1]),
        ([0.1, 0.2, 0.3, 0.4], [0, 0, 0, 1]),
    ]
    return [ScoreTable.of(score, positive) for score, positive in cases]


def degenerate_for(measure: Measure) -> list[Any]:
    """Degenerate evidence of the kind a measure needs."""
    if measure.needs is ErrorSums:
        return [ErrorSums(2), sums_of([(0.3, True)]), sums_of([(1.0, True)] * 5), sums_of([(1.0, False)] * 5)]
    return list(degenerate_matrices()) if measure.needs is ConfusionMatrix else list(degenerate_tables())


def scaled(evidence: Any, factor: float) -> Any:
    """The same evidence with every count multiplied."""
    if isinstance(evidence, ConfusionMatrix):
        return ConfusionMatrix(evidence.counts * factor, evidence.classes, evidence.decisions)
    return ScoreTable(evidence.score, evidence.negative * factor, evidence.positive * factor, evidence.classes)
