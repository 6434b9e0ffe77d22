"""The probability of whichever label was predicted: of two classes it tells the score of the positive one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from assay.errors import InputError
from assay.request import Request
from assay.sources._coding import Numbers
from assay.sources._labels import Classes
from assay.sources._loaded import Loaded, Named
from assay.sources._models import ModelColumns
from assay.sources._names import OWN_SCORES, WEAK_TRUTH, folded
from assay.sources._roles import Roles
from assay.sources._ways import Way
from assay.sources._wording import shown
from assay.types import Floats

__all__ = [
    "LABEL_ALONE",
    "Turned",
    "fits_certainty",
    "is_certain",
    "meant_certainty",
    "refuse_answers",
    "refuse_answers_as_truth",
    "turned_note",
    "with_certainties",
]

LABEL_ALONE = "it is the probability of the predicted label alone, which more than two classes have no measure for"

FEWEST_ANSWERS = 10  # so many scores of two classes do not all happen to lie above a half
STRAY = 1e-6  # how far below 1/K and above 1 float32 may stray


@dataclass(frozen=True)
class Turned:
    """Columns and roles after scores were made of something else, and what to say of it."""

    loaded: Loaded
    roles: Roles
    notes: tuple[str, ...] = ()

    def with_scores(self, column: str, values: Floats, *notes: str) -> Turned:
        """The same with other numbers in a column."""
        numbers = {**self.loaded.numbers, column: Numbers(values)}
        return replace(self, loaded=replace(self.loaded, numbers=numbers), notes=(*self.notes, *notes))


def with_certainties(loaded: Loaded, roles: Roles, labels: Mapping[str, Named], classes: Classes) -> Turned:
    """The scores of the positive class, where a column tells how sure each predicted label is."""
    turned, models, unused = Turned(loaded, roles), [], []
    if all(model.pred is None for model in roles.models):
        return turned
    for model in roles.models:
        column = _certainty(model, loaded, roles, labels, classes)
        if column is None or model.pred is None:
            models.append(model)
            continue
        if classes.are_many:
            turned = replace(turned, notes=(*turned.notes, f"{column} is not used: {LABEL_ALONE}"))
            models.append(replace(model, score=None, certainty=None))
            unused.append(column)
            continue
        given = labels[model.pred]
        place = {name: number for number, name in enumerate(given.names)}
        values = loaded.numbers[column].values
        is_positive = given.codes == place.get(classes.positive, -2)
        known = is_positive | (given.codes == place.get(classes.names[0], -2))
        score = np.where(known, np.where(is_positive, values, 1 - values), np.nan)
        turned = turned.with_scores(column, score, turned_note(column, classes))
        models.append(replace(model, score=column, certainty=column))
    changed = replace(roles, models=tuple(models), unused=(*roles.unused, *unused))
    return replace(turned, roles=changed)


def turned_note(column: str, classes: Classes) -> str:
    """What is said of a column that tells how sure labels are."""
    return f"{column} is the probability of the predicted label, turned into a score of {classes.positive}"


def _certainty(
    model: ModelColumns, loaded: Loaded, roles: Roles, labels: Mapping[str, Named], classes: Classes
) -> str | None:
    """The column that tells how sure each predicted label is, if there is one."""
    column = meant_certainty(model, roles)
    if column is None or model.pred is None or loaded.numbers[column].text is not None:
        return None
    values = loaded.numbers[column].values
    ends = float(np.nanmin(values, initial=np.inf)), float(np.nanmax(values, initial=-np.inf))
    if not fits_certainty(model, column, ends, classes):
        return None
    if model.certainty is not None or classes.are_many:
        return column
    predicted = labels[model.pred]
    place = {name: number for number, name in enumerate(predicted.names)}
    negative, positive = (values[predicted.codes == place.get(name, -2)] for name in classes.names)
    highest = float(np.nanmax(negative)) if len(negative) else None
    lowest = float(np.nanmin(positive)) if len(positive) else None
    return column if is_certain(column, highest, lowest, classes) else None


def meant_certainty(model: ModelColumns, roles: Roles) -> str | None:
    """The column that is said to tell how sure each predicted label is, or that may do so."""
    column = model.certainty or model.score
    if column is None or model.pred is None or model.per_class or model.table is not None:
        return None
    if model.certainty is None and (roles.scores_are_said or folded(column) in OWN_SCORES):
        return None
    return column


def fits_certainty(model: ModelColumns, column: str, ends: tuple[float, float], classes: Classes) -> bool:
    """Whether the smallest and the largest of a column are those of probabilities of predicted labels."""
    (low, high), least = ends, 1 / len(classes.names)
    fits = least - STRAY <= low and high <= 1 + STRAY
    if model.certainty is not None and not fits:
        raise InputError(
            f"{shown(column)} runs from {low:.4g} to {high:.4g}, and the probability of a predicted label is never "
            f"below {least:.3g}",
            "another reading of it",
            ways=[({"score": column}, "if it is the score of the positive class"), ({"ignore": column}, "without it")],
        )
    return fits


def is_certain(column: str, highest: float | None, lowest: float | None, classes: Classes) -> bool:
    """Whether values of at least a half cannot be scores of the positive class, as no threshold gives these labels.

    `highest` is the largest of those called negative, `lowest` the smallest of those called positive, if there are any.
    """
    if highest is None:
        return False  # then both readings are the same
    if lowest is not None and highest > lowest:
        return True
    ways: list[Way] = [
        ({"certainty": column}, "if it is the probability of the predicted label"),
        ({"score": column}, f"if it is the score of {shown(classes.positive)}"),
    ]
    raise InputError(
        f"{shown(column)} is never below 0.5 beside predicted labels", "what it is the score of", ways=ways
    )


def refuse_answers_as_truth(loaded: Loaded, roles: Roles, classes: Classes, request: Request) -> None:
    """Refuse a plain `label` beside a `score` that is never below a half: so pipelines write what they answered."""
    numbers = [] if roles.models[0].score is None else [loaded.numbers[roles.models[0].score]]
    if not numbers or numbers[0].text is not None:
        return
    values = numbers[0].values
    ends = float(np.nanmin(values, initial=np.inf)), float(np.nanmax(values, initial=-np.inf))
    refuse_answers(roles, classes, request, ends, len(values))


def refuse_answers(roles: Roles, classes: Classes, request: Request, ends: tuple[float, float], rows: int) -> None:
    """The same where the smallest and the largest score are known."""
    if roles.scores_are_said:
        return
    (model, *others) = roles.models
    plain = folded(roles.truth) in WEAK_TRUTH and request.truth is None
    if others or not plain or classes.are_many or model.score is None or model.pred is not None:
        return
    if folded(model.score) != "score" or rows < FEWEST_ANSWERS:
        return
    if ends[0] >= 0.5 and ends[1] <= 1:
        positive = shown(classes.positive)
        meaning = f"if {shown(roles.truth)} is the true label and {shown(model.score)} the score of {positive}"
        raise InputError(
            f"{shown(model.score)} is never below 0.5, so that {shown(roles.truth)} may be what was predicted and no "
            "truth",
            "a column of true labels, or that it is the truth",
            ways=[({"truth": roles.truth, "score": model.score}, meaning)],
        )
