"""How well a reading of the columns fits: its predictions against its truth on all rows, and what speaks against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.sources._contents import Contents
from assay.sources._labels import aligned
from assay.sources._models import ModelColumns, class_key
from assay.sources._names import hinted, stem
from assay.sources._roles import Roles
from assay.sources._wording import shown

__all__ = ["CandidateReading", "Fit"]

# A skill above which columns that are used together are thought to belong together.
CLEAR = 0.2
FEWEST = 10  # so many rows do not all happen to be in order
ALL_IN_ORDER = 1 - 1e-4  # binned scores may tie where exact ones do not


@dataclass(frozen=True)
class Fit:
    """How well one model's scores, or its labels, agree with the truth; `skill` is 0 where chance does as well."""

    value: float
    skill: float
    is_of_labels: bool = False


@dataclass(frozen=True)
class CandidateReading:
    """One complete reading: roles, the positive class if it is known, and the columns that they are read from."""

    roles: Roles
    positive: str | None
    contents: Contents

    @cached_property
    def fits(self) -> tuple[Fit, ...]:
        """The fit of every model's scores and labels; of rows that count differently there is none."""
        if {"weight", "count"} & self.roles.used.keys():
            return ()
        each = (self._of_model(model) for model in self.roles.models)
        return tuple(fit for fits in each for fit in fits if fit is not None)

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against this reading, each as a part of a sentence."""
        return tuple(doubt for rule in DOUBTS if (doubt := rule(self)) is not None)

    @property
    def described(self) -> str:
        """The figures and the doubts, in a few words."""
        parts = []
        for name, is_of_labels in (("accuracy", True), ("ROC AUC", False)):
            fits = [fit for fit in self.fits if fit.is_of_labels == is_of_labels]
            below = ", worse than chance" if any(fit.skill < 0 for fit in fits) else ""
            parts += [f"{name} {' and '.join(f'{fit.value:.2f}' for fit in fits)}{below}"] if fits else []
        return "; ".join([*parts, *self.doubts])

    @property
    def rank(self) -> tuple[float, ...]:
        """What readings are ordered by, the best first: doubts, names that support it, columns that it uses, skill."""
        skill = min((fit.skill for fit in self.fits), default=0.0)
        is_doubted = bool(self.doubts) or skill < 0
        uses = len(self.fits) if skill >= CLEAR else 0
        return (is_doubted, -self._support, -uses, -round(skill, 3))

    @property
    def _support(self) -> int:
        """How many columns play the role that their names hint at."""
        truth, found = self.roles.truth, int(hinted(self.roles.truth) == "truth")
        model = self.roles.models[0]
        found += sum(hinted(column) == "score" for column in (model.score or model.certainty,) if column)
        found += sum(hinted(column) == "pred" for column in (model.pred,) if column)
        about = stem(truth)
        found += any(about and stem(column) == about for column in model.columns)
        return found

    # The figures.

    def _of_model(self, model: ModelColumns) -> tuple[Fit | None, ...]:
        labels = self._of_labels(model.pred) if model.pred else None
        column, positive = model.score or model.certainty, self.positive
        if column is None and model.per_class and positive is not None:
            key = class_key(positive)
            column = next((held for label, held in model.per_class if class_key(label) == key), None)
        return labels, self._of_scores(column, model) if column is not None and positive is not None else None

    def _of_labels(self, pred: str) -> Fit | None:
        cells = [(truth, called, size) for (truth, called), size in self._joint(pred) if truth and called]
        total = sum(size for *_, size in cells)
        names = sorted({truth for truth, *_ in cells})
        spelled = {called: aligned([called], names)[0] for _, called, _ in cells}
        of_truth, of_pred = Counter[str](), Counter[str]()
        right = 0
        for truth, called, size in cells:
            of_truth[truth] += size
            of_pred[spelled[called]] += size
            right += size * (spelled[called] == truth)
        if not total:
            return None
        by_chance = sum(of_truth[name] * of_pred[name] for name in of_truth) / total**2
        skill = (right / total - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0
        return Fit(right / total, skill, is_of_labels=True)

    def _of_scores(self, column: str, model: ModelColumns) -> Fit | None:
        profile = self.contents.of([column])[column]
        if not profile.is_numeric:
            return None
        others = [model.pred] if model.pred is not None and model.certainty is not None else []
        cells = []
        for (truth, text, *called), size in self._joint(column, *others):
            score = None if text is None else profile.number(text)
            if truth is not None and score is not None and None not in called:
                score = score if not called or called[0] == self.positive else 1 - score
                cells.append((score, truth == self.positive, size))
        value = _area(cells)
        return None if value is None else Fit(value, 2 * value - 1)

    def _joint(self, *columns: str) -> Iterable[tuple[tuple[str | None, ...], int]]:
        return self.contents.joint([self.roles.truth, *columns]) if self.roles.truth not in columns else ()


def _area(cells: Iterable[tuple[float, bool, int]]) -> float | None:
    """The ROC AUC of scores with their classes and counts, ties for half; nothing where a class is missing.

    >>> _area([(0.2, False, 2), (0.6, True, 1), (0.2, True, 1)])
    0.75
    """
    negatives, positives = Counter[float](), Counter[float]()
    for score, is_positive, size in cells:
        (positives if is_positive else negatives)[score] += size
    if not negatives or not positives:
        return None
    below, won = 0, 0.0
    for score in sorted({*negatives, *positives}):
        won += positives[score] * (below + negatives[score] / 2)
        below += negatives[score]
    return won / (below * positives.total())


# What speaks against a reading.


def _truth_is_called_a_prediction(reading: CandidateReading) -> str | None:
    truth = reading.roles.truth
    preds = [model.pred for model in reading.roles.models if model.pred is not None]
    if hinted(truth) == "pred":
        return f"the name {shown(truth)} suggests predictions"
    swapped = next((pred for pred in preds if hinted(pred) == "truth"), None)
    return None if swapped is None else f"the name {shown(swapped)} suggests true labels"


def _holds_correctness(reading: CandidateReading) -> str | None:
    columns = [reading.roles.truth, *(model.pred for model in reading.roles.models if model.pred is not None)]
    found = next((column for column in columns if hinted(column) == "correctness"), None)
    return None if found is None else f"the name {shown(found)} suggests that it scores correctness"


def _is_made_from_the_score(reading: CandidateReading) -> str | None:
    model = reading.roles.models[0]
    score = model.score
    perfect = any(not fit.is_of_labels and abs(fit.skill) >= ALL_IN_ORDER for fit in reading.fits)
    if not perfect or score is None or reading.contents.of([score])[score].there < FEWEST:
        return None
    return f"{shown(reading.roles.truth)} looks like labels made from {shown(score)} by a threshold"


def _is_never_below_a_half(reading: CandidateReading) -> str | None:
    model = reading.roles.models[0]
    if model.score is None or model.certainty is not None:
        return None
    profile = reading.contents.of([model.score])[model.score]
    if not (profile.is_probability and profile.low >= 0.5 and profile.there >= FEWEST):
        return None
    return f"{shown(model.score)} is never below 0.5, as probabilities of predicted labels are"


def _is_the_truth_again(reading: CandidateReading) -> str | None:
    model = reading.roles.models[0]
    equal = any(fit.is_of_labels and fit.value == 1 for fit in reading.fits)
    return f"{shown(model.pred)} equals {shown(reading.roles.truth)} in every row" if equal else None


Rule = Callable[[CandidateReading], str | None]
DOUBTS: Sequence[Rule] = (
    _truth_is_called_a_prediction,
    _holds_correctness,
    _is_made_from_the_score,
    _is_never_below_a_half,
    _is_the_truth_again,
)
