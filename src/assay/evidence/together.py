"""Several classifiers of the same cases as sums: who decided what, how scores go together, what each case cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from assay.errors import OptionError
from assay.evidence.decided import DecidedRows
from assay.evidence.grid import ScoreGrid
from assay.evidence.joint import ADDED_MODELS, JOINT_BITS, JointLosses, JointScores
from assay.evidence.paired import PairedDecisions
from assay.types import Floats

__all__ = ["ModelSums"]

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False, repr=False)
class ModelSums:
    """What a comparison of classifiers needs beside the evidence of each: sums over the cases that all of them have.

    Pairs are places in `names`, the earlier first. `scores` are there of two classes, `decisions` where all decided,
    `losses` by the names of measures that are means of what each case costs. All of it adds.

    >>> from assay.predictions import Predictions
    >>> truth = np.array([0, 1, 1])
    >>> rows = [DecidedRows(Predictions(("no", "yes"), truth, np.array(s)), 0.5) for s in ([0.2, 0.7, 0.4], [0.6] * 3)]
    >>> both = ModelSums.of({"a": rows[0], "b": rows[1]}, {"brier": np.array([[0.04, 0.09, 0.36], [0.36, 0.16, 0.16]])})
    >>> both.decisions[0, 1].correctness()
    both right 1 · only the first 1 · only the second 1 · both wrong 0
    >>> (both + both).losses["brier"].total
    6.0
    """

    names: tuple[str, ...]
    scores: Mapping[Pair, JointScores]
    decisions: Mapping[Pair, PairedDecisions]
    losses: Mapping[str, JointLosses]

    @classmethod
    def of(
        cls, rows: Mapping[str, DecidedRows], losses: Mapping[str, Floats], *, kind: str = "probability"
    ) -> ModelSums:
        """The sums over the rows of all classifiers, which are the same cases in the same order."""
        names, each = tuple(rows), list(rows.values())
        first = each[0]
        design: dict[str, Any] = {"weight": first.weight, "count": first.count}
        pairs = list(combinations(range(len(names)), 2))
        scores: dict[Pair, JointScores] = {}
        if len(first.classes) == 2 and all(one.score is not None for one in each):
            grid = ScoreGrid("probability" if kind == "probability" else "real", JOINT_BITS)
            for i, j in pairs:
                one, other = each[i].score, each[j].score
                assert one is not None
                assert other is not None
                scores[i, j] = JointScores.of(one, other, first.truth == 1, (grid, grid), **design)
        decisions: dict[Pair, PairedDecisions] = {}
        known = tuple(dict.fromkeys([*first.classes, *(name for one in each for name in one.decisions)]))
        if known == first.classes and all(one.decision is not None for one in each):
            for i, j in pairs:
                code, against = each[i].decision, each[j].decision
                assert code is not None
                assert against is not None
                decisions[i, j] = PairedDecisions.of(first.truth, code, against, first.classes, **design)
        found = {name: JointLosses.of(values, names, **design) for name, values in losses.items()}
        return cls(names, scores, decisions, found)

    def __add__(self, other: ModelSums) -> ModelSums:
        if self.names != other.names:
            raise OptionError(*ADDED_MODELS)
        return ModelSums(
            self.names,
            _added(self.scores, other.scores, "joint scores"),
            _added(self.decisions, other.decisions, "decisions"),
            _added(self.losses, other.losses, "losses"),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModelSums):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in ("names", "scores", "decisions", "losses"))

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __repr__(self) -> str:
        return f"ModelSums({', '.join(self.names)})"

    def paired(self, first: int, second: int) -> PairedDecisions | None:
        """What two classifiers decided; None where not all did."""
        held = self.decisions.get((min(first, second), max(first, second)))
        if held is None or first < second:
            return held
        counts, squares, clusters = (
            None if each is None else np.swapaxes(each, -1, -2) for each in (held.counts, held.squares, held.clusters)
        )
        assert counts is not None
        return PairedDecisions(counts, held.classes, held.decisions, squares, clusters)


def _added(mine: Mapping[Any, Any], theirs: Mapping[Any, Any], what: str) -> dict[Any, Any]:
    if mine.keys() != theirs.keys():
        raise OptionError(f"one has {what} of the models and the other none, or others", "the same of all, to add them")
    return {key: mine[key] + theirs[key] for key in mine}
