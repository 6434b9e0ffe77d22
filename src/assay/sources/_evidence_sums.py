"""How a file of evidence holds what the cases of many classes add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.evidence import Binned, ClassSums, ScoreTable
from assay.evidence.multiclass import ANSWERS, MOST_PAIRED, paired
from assay.sources._evidence_pairs import Arrays, Next

__all__ = ["read_sums", "written_sums"]

Scores = Binned | ScoreTable
NAMES = ("by_truth", "by_truth_squares")


def written_sums(
    sums: ClassSums, arrays: Arrays, written: Callable[[Scores, Arrays], dict[str, Any]]
) -> dict[str, Any]:
    """Sums as a header holds them; what is counted of every true class goes to the arrays, class by class."""
    for counts in sums.by_truth:
        for name, each in zip(NAMES, counts, strict=False):
            arrays.setdefault(name, []).append(each.ravel())
    return {
        "by_truth": len(sums.by_truth[0]) if sums.by_truth else 0,
        "answers": {name: written(sums.answers[name], arrays) for name in ANSWERS},
        "losses": {name: each.tolist() for name, each in sums.losses.items()},
        "certain_and_wrong": sums.certain_and_wrong,
        "are_probabilities": sums.are_probabilities,
    }


def read_sums(
    said: Mapping[str, Any],
    classes: int,
    scores: Sequence[Scores],
    following: Next,
    read: Callable[[Mapping[str, Any]], Scores],
) -> ClassSums:
    """The sums of such a header and arrays; whatever does not fit together is refused."""
    layers = int(said["by_truth"])
    if layers not in (0, 1, 2) or (layers and classes > MOST_PAIRED):
        raise InputError("cases are counted once, or with their weights squared")
    by_truth = tuple(_by_truth(each, layers, classes, following) for each in scores if layers)
    answers = {name: read(said["answers"][name]) for name in ANSWERS}
    if set(said["answers"]) != set(ANSWERS):
        raise InputError("there are no other answers")
    losses = {str(name): np.array(values, dtype=np.float64) for name, values in said["losses"].items()}
    return ClassSums(by_truth, answers, losses, float(said["certain_and_wrong"]), said["are_probabilities"] is True)


def _by_truth(scores: Scores, layers: int, classes: int, following: Next) -> Any:
    at = paired(scores)
    found = [following(name, classes * len(at)).astype(np.float64).reshape(classes, -1) for name in NAMES[:layers]]
    return np.array(found).reshape(layers, classes, len(at))
