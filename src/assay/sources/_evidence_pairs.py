"""How a file of evidence holds what several classifiers made of the same cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.evidence.binning import ScoreGrid
from assay.evidence.joint_sums import JointLosses, JointScores, ModelSums, Pair
from assay.evidence.paired import PairedDecisions
from assay.evidence.score_table import ScoreTable
from assay.types import Floats

__all__ = ["read_pairs", "written_pairs"]

SIDES = ("negative", "positive")
Arrays = dict[str, list[NDArray[Any]]]
# The next so many numbers of an array.
Next = Callable[[str, int], NDArray[Any]]


def written_pairs(both: ModelSums, arrays: Arrays) -> dict[str, Any]:
    """Sums as a header holds them; the cells of pairs go to the arrays."""
    return {
        "names": list(both.names),
        "scores": [{"pair": list(pair), **_scores(held, arrays)} for pair, held in both.scores.items()],
        "decisions": [
            {"pair": list(pair), "decisions": list(held.decisions), "classes": list(held.classes), **_counts(held)}
            for pair, held in both.decisions.items()
        ],
        "losses": {
            name: {"sums": held.sums.tolist(), "products": held.products.tolist()} for name, held in both.losses.items()
        },
    }


def _counts(held: PairedDecisions) -> dict[str, Any]:
    return {"counts": held.counts.tolist(), **({} if held.squares is None else {"squares": held.squares.tolist()})}


def _scores(held: JointScores, arrays: Arrays) -> dict[str, Any]:
    table, numbers = held.pairs, held.pairs.score.astype(np.int64)
    sides = dict(zip(SIDES, (table.negative, table.positive), strict=True))
    if table.is_weighted:
        sides |= {f"{side}_squares": each for side, each in zip(SIDES, table.squared_weights, strict=True)}
    for name, values in {"gap": np.diff(numbers, prepend=numbers[:1]), **sides}.items():
        arrays.setdefault(f"pair_{name}", []).append(values)
    grids = [{"kind": grid.kind, "bits": grid.bits} for grid in held.grids]
    first = int(numbers[0]) if len(held) else 0
    return {"grids": grids, "length": len(held), "first": first, "weighted": table.is_weighted}


def read_pairs(said: Mapping[str, Any], following: Next) -> ModelSums:
    """The sums of such a header and arrays; whatever does not fit together is refused."""
    names = tuple(map(str, said["names"]))
    scores = {_pair(each, names): _read_scores(each, following) for each in said["scores"]}
    decisions = {_pair(each, names): _read_decisions(each) for each in said["decisions"]}
    size = len(names) + 1
    losses = {
        str(name): JointLosses(names, _numbers(each["sums"], (size,)), _numbers(each["products"], (size, size)))
        for name, each in said["losses"].items()
    }
    return ModelSums(names, scores, decisions, losses)


def _pair(said: Mapping[str, Any], names: tuple[str, ...]) -> Pair:
    first, second = (int(place) for place in said["pair"])
    if not 0 <= first < second < len(names):
        raise InputError("a pair of models")
    return first, second


def _read_scores(said: Mapping[str, Any], following: Next) -> JointScores:
    first, second = (ScoreGrid(each["kind"], int(each["bits"])) for each in said["grids"])
    length = int(said["length"])
    gaps = following("pair_gap", length).astype(np.int64)
    names = (*SIDES, *(f"{side}_squares" for side in SIDES)) if said["weighted"] is True else SIDES
    sides = [following(f"pair_{name}", length).astype(np.float64) for name in names]
    squares = {f"{side}_squares": each for side, each in zip(SIDES, sides[2:], strict=False)}
    numbers = (np.cumsum(gaps) + int(said["first"])).astype(np.float64)
    table = ScoreTable(numbers, sides[0], sides[1], **squares)  # type: ignore[arg-type]
    return JointScores((first, second), table)


def _read_decisions(said: Mapping[str, Any]) -> PairedDecisions:
    classes, decisions = tuple(map(str, said["classes"])), tuple(map(str, said["decisions"]))
    shape = (len(classes), len(decisions), len(decisions))
    squares = _numbers(said["squares"], shape) if "squares" in said else None
    return PairedDecisions(_numbers(said["counts"], shape), classes, decisions, squares)


def _numbers(values: Any, shape: tuple[int, ...]) -> Floats:
    found = np.array(values, dtype=np.float64)
    if found.shape != shape:
        raise InputError("sums of all models")
    return found
