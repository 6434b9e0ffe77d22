"""One class of many against all the others together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.sources._coding import Numbers
from assay.sources._conversion import Converted
from assay.sources._labels import Classes
from assay.sources._loaded import Named, recoded
from assay.types import Floats

__all__ = ["against_the_rest"]


def against_the_rest(
    converted: Converted, labels: Mapping[str, Named], classes: Classes, shares: Mapping[str, Floats]
) -> tuple[Converted, dict[str, Named], Classes]:
    """The same cases with two classes: the one asked about, and whatever is not it.

    Labels that are no class at all stay what they are; a model's score is the probability of the class asked about.
    """
    positive = classes.against or ""
    names = (f"not {positive}", positive)
    roles, numbers, models = converted.roles, dict(converted.loaded.numbers), []
    for model in roles.models:
        score = model.score
        if model.name in shares:
            score = model.table or dict(model.per_class)[positive]
            numbers[score] = Numbers(shares[model.name][:, classes.names.index(positive)].copy())
        models.append(replace(model, score=score, per_class=(), table=None))
    preds = {model.pred for model in models if model.pred is not None}
    merged = {c: _merged(labels[c], classes, names) if c in {roles.truth, *preds} else labels[c] for c in labels}
    loaded = replace(converted.loaded, numbers=numbers)
    return replace(converted, roles=replace(roles, models=tuple(models)), loaded=loaded), merged, Classes(names)


def _merged(given: Named, classes: Classes, names: tuple[str, str]) -> Named:
    """Labels with all classes but one under one name."""
    new = [name if name not in classes.names else names[name == names[1]] for name in given.names]
    known = tuple(dict.fromkeys(new))
    return Named(known, recoded(given.codes, [known.index(name) for name in new]))
