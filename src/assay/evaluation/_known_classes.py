"""Classes that a part of evidence lacks, known from other parts: a day or a site may have cases of one class alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.evidence import ConfusionMatrix, Contribution, ModelSums, Reduced
from assay.sources import known_pair

__all__ = ["with_known_classes"]

Names = Mapping[str, str]


def with_known_classes(parts: Sequence[Contribution]) -> list[Contribution]:
    """Return the parts with the names that others have for classes of which a part has no case.

    Such a name was completed where nothing but the class itself was known ("not ham" beside "ham"). Labels alone are
    also put among more classes. A name that somebody gave stays; what differs then is refused where parts are added.
    """
    classes = {_classes_of(part) for part in parts}
    found = {each for each in classes if each is not None}
    if len(found) < 2 or len(found) < len(classes):
        return list(parts)
    if all(len(each) == 2 for each in found):
        target = _of_two(parts)
        return list(parts) if target is None else [_renamed(part, target) for part in parts]
    widest = max(found, key=len)
    return [_widened(part, widest) for part in parts]


def _classes_of(part: Contribution) -> tuple[str, ...] | None:
    found = {model.classes for model in part.models.values()}
    return found.pop() if len(found) == 1 else None


def _of_two(parts: Sequence[Contribution]) -> tuple[str, str] | None:
    """The two classes of all parts: of each place the one name that has cases there."""
    target = []
    for place in (0, 1):
        named = {_first(part).classes[place] for part in parts if _first(part).cases[place]}
        if not named:  # nowhere a case of it: a name that was given, if only one was
            named = {_first(part).classes[place] for part in parts if not _is_completed(_first(part), place)}
        if len(named) != 1:
            return None
        target.append(named.pop())
    return None if target[0] == target[1] else (target[0], target[1])


def _first(part: Contribution) -> Reduced:
    return next(iter(part.models.values()))


def _is_completed(model: Reduced, place: int) -> bool:
    """Whether a class of two has no cases, and a name that follows from that of the other."""
    own, other = model.classes[place], model.classes[1 - place]
    return not model.cases[place] and (own == f"not {other}" or known_pair(model.classes) is not None)


def _renamed(part: Contribution, target: tuple[str, str]) -> Contribution:
    """A part with the names of the classes that it lacks; as it is where they were not completed."""
    models = part.models.values()
    names = dict(zip(_first(part).classes, target, strict=True))
    changed = [place for place, (old, new) in enumerate(names.items()) if old != new]
    if not changed or not all(
        _is_completed(model, place) and _is_free(model, place) for model in models for place in changed
    ):
        return part
    renamed = {name: _with_names(model, names) for name, model in part.models.items()}
    return replace(part, models=renamed, together=None if part.together is None else _pairs_with(part.together, names))


def _is_free(model: Reduced, place: int) -> bool:
    """Whether no label was given that is the name of a class without cases."""
    return model.matrix is None or model.threshold is not None or not model.matrix.counts[:, place].any()


def _with_names(model: Reduced, names: Names) -> Reduced:
    first, second = (names[each] for each in model.classes)
    matrix = None if model.matrix is None else replace(model.matrix, **_named(model.matrix, names))
    scores = tuple(replace(each, classes=(first, second)) for each in model.scores)
    return replace(model, classes=(first, second), matrix=matrix, scores=scores)


def _named(held: Any, names: Names) -> dict[str, Any]:
    return {field: tuple(names.get(each, each) for each in getattr(held, field)) for field in ("classes", "decisions")}


def _pairs_with(both: ModelSums, names: Names) -> ModelSums:
    return replace(
        both, decisions={pair: replace(held, **_named(held, names)) for pair, held in both.decisions.items()}
    )


def _widened(part: Contribution, target: tuple[str, ...]) -> Contribution:
    """A part of labels alone among more classes, some of which it has no case of."""
    models = {name: _among(model, target) for name, model in part.models.items()}
    if len(models) > 1 or any(model is None for model in models.values()):
        return part
    return replace(part, models={name: model for name, model in models.items() if model is not None})


def _among(model: Reduced, target: tuple[str, ...]) -> Reduced | None:
    """One model's labels among more classes; None where there are scores, or a class or label that is none of them."""
    matrix = model.matrix
    if matrix is None or model.scores:
        return None
    rows = [place for place, cases in enumerate(model.cases) if cases]
    columns = [place for place, column in enumerate(matrix.counts.T) if column.any()]
    if not {model.classes[k] for k in rows} | {matrix.decisions[k] for k in columns} <= {*target}:
        return None

    def placed(counts: Any) -> Any:
        found = np.zeros((len(target), len(target)))
        to_rows = [target.index(model.classes[k]) for k in rows]
        found[np.ix_(to_rows, [target.index(matrix.decisions[k]) for k in columns])] = counts[np.ix_(rows, columns)]
        return found

    squares = None if matrix.squares is None else placed(matrix.squares)
    known = dict(zip(model.classes, model.cases, strict=True))
    cases = tuple(known.get(name, 0) for name in target)
    return replace(
        model, classes=target, cases=cases, matrix=ConfusionMatrix(placed(matrix.counts), target, target, squares)
    )
