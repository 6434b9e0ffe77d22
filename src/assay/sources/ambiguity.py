"""From something open to the ways that settle it whole, the likeliest first: each works when pasted and says what it
means.

How well a reading of the columns fits: its predictions against its truth on all rows, and what speaks against it.

Rows that belong together: clusters that a name tells where their values repeat, and ids that should not repeat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from assay.errors import InputError
from assay.request import Request
from assay.results import counted, percent
from assay.sources.column_names import OWN_SCORES, USED, Open, Way, folded, hinted, stem
from assay.sources.column_roles import Contents, ModelColumns, Profile, Roles, class_key
from assay.sources.labels import aligned, known_pair, label_name
from assay.sources.quoting import joined, shown

__all__ = ["CandidateReading", "Fit", "other_truths", "rank_positives", "ways_among", "ways_of", "with_clusters"]


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
        each = (self._model_fits(model) for model in self.models)
        return tuple(fit for fits in each for fit in fits if fit is not None)

    @cached_property
    def models(self) -> tuple[ModelColumns, ...]:
        """Columns of each model: certainties where no threshold on its scores reproduces its labels."""
        return tuple(
            replace(model, score=None, certainty=model.score) if self._is_confidence_column(model) else model
            for model in self.roles.models
        )

    def _is_confidence_column(self, model: ModelColumns) -> bool:
        column, pred = model.score, model.pred
        is_own = self.roles.scores_are_said or (column is not None and folded(column) in OWN_SCORES)
        if is_own or column is None or pred is None or model.certainty is not None or self.positive is None:
            return False
        profile = self.contents.of([column])[column]
        if not (profile.is_probability and profile.low >= 0.5):
            return False
        scores: dict[bool, list[float]] = {False: [], True: []}
        for (_, text, called), _ in self._joint_counts(column, pred):
            score = None if text is None else profile.number(text)
            if score is not None and called is not None:
                scores[called == self.positive].append(score)
        return all(scores.values()) and max(scores[False]) > min(scores[True])

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
        return (is_doubted, -self._name_support, -uses, -round(skill, 3))

    @property
    def _name_support(self) -> int:
        """How many columns play the role that their names hint at."""
        truth, found = self.roles.truth, int(hinted(self.roles.truth) == "truth")
        model = self.roles.models[0]
        found += sum(hinted(column) == "score" for column in (model.score or model.certainty,) if column)
        found += sum(hinted(column) == "pred" for column in (model.pred,) if column)
        about = stem(truth)
        found += any(about and stem(column) == about for column in model.columns)
        return found

    # The figures.

    def _model_fits(self, model: ModelColumns) -> tuple[Fit | None, ...]:
        labels = self._label_fit(model.pred) if model.pred else None
        column, positive = model.score or model.certainty, self.positive
        if column is None and model.per_class and positive is not None:
            key = class_key(positive)
            column = next((held for label, held in model.per_class if class_key(label) == key), None)
        return labels, self._score_fit(column, model) if column is not None and positive is not None else None

    def _label_fit(self, pred: str) -> Fit | None:
        cells = [(truth, called, size) for (truth, called), size in self._joint_counts(pred) if truth and called]
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

    def _score_fit(self, column: str, model: ModelColumns) -> Fit | None:
        profile = self.contents.of([column])[column]
        if not profile.is_numeric:
            return None
        others = [model.pred] if model.pred is not None and model.certainty is not None else []
        cells = []
        for (truth, text, *called), size in self._joint_counts(column, *others):
            score = None if text is None else profile.number(text)
            if truth is not None and score is not None and None not in called:
                score = score if not called or called[0] == self.positive else 1 - score
                cells.append((score, truth == self.positive, size))
        value = _weighted_roc_auc(cells)
        return None if value is None else Fit(value, 2 * value - 1)

    def _joint_counts(self, *columns: str) -> Iterable[tuple[tuple[str | None, ...], int]]:
        return self.contents.joint([self.roles.truth, *columns]) if self.roles.truth not in columns else ()


def _weighted_roc_auc(cells: Iterable[tuple[float, bool, int]]) -> float | None:
    """The ROC AUC of scores with their classes and counts, ties for half; nothing where a class is missing.

    >>> _weighted_roc_auc([(0.2, False, 2), (0.6, True, 1), (0.2, True, 1)])
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


def _doubt_of_swapped_names(reading: CandidateReading) -> str | None:
    truth = reading.roles.truth
    preds = [model.pred for model in reading.roles.models if model.pred is not None]
    if hinted(truth) == "pred":
        return f"the name {shown(truth)} suggests predictions"
    swapped = next((pred for pred in preds if hinted(pred) == "truth"), None)
    return None if swapped is None else f"the name {shown(swapped)} suggests true labels"


def _doubt_of_correctness_column(reading: CandidateReading) -> str | None:
    columns = [reading.roles.truth, *(model.pred for model in reading.roles.models if model.pred is not None)]
    found = next((column for column in columns if hinted(column) == "correctness"), None)
    return None if found is None else f"the name {shown(found)} suggests that it scores correctness"


def _doubt_of_thresholded_score(reading: CandidateReading) -> str | None:
    model = reading.roles.models[0]
    score = model.score
    perfect = any(not fit.is_of_labels and abs(fit.skill) >= ALL_IN_ORDER for fit in reading.fits)
    if not perfect or score is None or reading.contents.of([score])[score].there < FEWEST:
        return None
    return f"{shown(reading.roles.truth)} looks like {shown(score)} cut at a threshold"


def _doubt_of_confidence_score(reading: CandidateReading) -> str | None:
    model = reading.models[0]
    if model.score is None or model.certainty is not None:
        return None
    profile = reading.contents.of([model.score])[model.score]
    if not (profile.is_probability and profile.low >= 0.5 and profile.there >= FEWEST):
        return None
    return f"{shown(model.score)} is never below 0.5, as probabilities of predicted labels are"


def _doubt_of_copied_labels(reading: CandidateReading) -> str | None:
    model = reading.roles.models[0]
    equal = any(fit.is_of_labels and fit.value == 1 for fit in reading.fits)
    return f"{shown(model.pred)} equals {shown(reading.roles.truth)} in every row" if equal else None


Rule = Callable[[CandidateReading], str | None]
DOUBTS: Sequence[Rule] = (
    _doubt_of_swapped_names,
    _doubt_of_correctness_column,
    _doubt_of_thresholded_score,
    _doubt_of_confidence_score,
    _doubt_of_copied_labels,
)


MOST_WAYS = 8
MOST_DOUBTED = 2  # so many of them may be ways that something speaks against, where there are others
MOST_FITTED = 100  # of more ways than these none is tried on the rows
DEEPEST = 3
# What has to hold for a way to be right: whoever pastes it says so.
CONDITIONS = {
    "truth": "is the true label",
    "score": "is the score",
    "pred": "is the predicted label",
    "certainty": "is the probability of the predicted label",
}


@dataclass(frozen=True)
class _Suggestion:
    """A way, what it means, and the reading that it leads to where there are rows to look at."""

    asked: Mapping[str, Any]
    meaning: str
    reading: CandidateReading | None = None

    @property
    def key(self) -> object:
        """The same for ways that lead to one reading: naming a column may change nothing."""
        if self.reading is None:
            return repr(dict(self.asked))
        roles = self.reading.roles
        design = [(role, column) for role, column in self.asked.items() if role not in (*CONDITIONS, "positive")]
        return repr((roles.truth, roles.models, roles.used, roles.model, self.reading.positive, design))

    @property
    def rank(self) -> tuple[float, ...]:
        """What ways are ordered by, the likeliest first."""
        return () if self.reading is None else self.reading.rank

    def way(self) -> Way:
        """What to type, and what it means: under which condition, what the columns hold, and how well it fits."""
        fit = "" if self.reading is None else self.reading.described
        return self.asked, "; ".join(filter(None, (self.meaning, fit)))


def ways_of(error: Open, request: Request, read: Callable[[Request], Roles]) -> list[Way]:
    """Every way to settle what is open, each complete, with what it means; those that lead nowhere are left out."""
    found: dict[object, _Suggestion] = {}
    for asked, roles in _read_choices(error, {}, request, read):
        for each in _complete_suggestions(asked, roles, request):
            found.setdefault(each.key, each)
    return _rank_suggestions(found.values())


def rank_positives(ways: Iterable[Way], roles: Roles) -> list[Way]:
    """Ways to name the positive class, and how well each fits: the likeliest first."""
    contents = roles.contents
    if contents is None:
        return list(ways)
    return _rank_suggestions(
        _Suggestion(asked, meaning, CandidateReading(roles, asked["positive"], contents)) for asked, meaning in ways
    )


def _rank_suggestions(found: Iterable[_Suggestion]) -> list[Way]:
    each = list(found)
    if len(each) > MOST_FITTED or any(one.reading is None for one in each):
        return [(one.asked, one.meaning) for one in each[:MOST_WAYS]]
    ordered = sorted(each, key=lambda one: one.rank)
    sound = [one for one in ordered if not one.rank[0]]
    doubted = [one for one in ordered if one.rank[0]]
    return [one.way() for one in [*sound, *(doubted[:MOST_DOUBTED] if sound else doubted)][:MOST_WAYS]]


def _read_choices(
    error: Open, asked: Mapping[str, Any], request: Request, read: Callable[[Request], Roles]
) -> Iterator[tuple[Mapping[str, Any], Roles]]:
    for choice in error.choices:
        together = {**asked, **choice}
        if "ignore" in choice:
            together["ignore"] = (*asked.get("ignore", ()), *choice["ignore"])
        changed = {**together, "ignore": (*request.ignore, *together.get("ignore", ()))}
        try:
            yield together, read(request.replace(changed))
        except Open as further:
            if len(together) < DEEPEST:
                yield from _read_choices(further, together, request, read)
        except InputError:
            continue


def other_truths(roles: Roles, request: Request) -> list[Way]:
    """The columns that could be the truth instead."""
    return ways_among(roles, request, "truth")


def ways_among(roles: Roles, request: Request, role: str) -> list[Way]:
    """The columns nobody uses that could play a role: the truth, predicted labels, or what parts the rows."""
    if roles.contents is None:
        return []
    looked = roles.contents.search([roles.truth, *roles.unused])
    found: list[_Suggestion] = []
    for column in roles.unused if looked else ():
        if role == "truth" and looked[column].can_be_truth:
            found += _complete_suggestions({"truth": column}, replace(roles, truth=column), request)
        elif role == "pred" and looked[column].can_be_labels_of(looked[roles.truth]):
            models = tuple(replace(model, pred=column) for model in roles.models)
            found += _complete_suggestions({"pred": column}, replace(roles, models=models), request)
        elif role in ("by", "model") and looked[column].can_be_truth:
            found.append(_Suggestion({role: column}, looked[column].described()))
    return _rank_suggestions(found)


def _complete_suggestions(asked: Mapping[str, Any], roles: Roles, request: Request) -> Iterator[_Suggestion]:
    """A way with whatever else has to be given: the design that names told, the positive class, gaps."""
    contents = roles.contents
    # Once a column is named, what rows are has to be named, too; before, the names alone would have told.
    named_before = bool(request.truth or request.score or request.pred or request.certainty)
    names_now = named_before or bool({"truth", "score", "pred", "certainty"} & asked.keys())
    told = {**roles.used, **{r: c for r, c in roles.design.items() if r in USED}}
    told |= {"cluster": roles.clusters[0]} if roles.clusters else {}
    unsaid = {role: c for role, c in told.items() if role in USED and getattr(request, role) is None}
    alone = unsaid if names_now and not named_before else {}
    if contents is None:
        yield _Suggestion({**asked, **alone}, "")
        return
    looked = contents.of([roles.truth, *roles.columns, *alone.values()])
    alone = {role: column for role, column in alone.items() if role != "cluster" or looked[column].repeats}
    gaps = any(looked[column].there < looked[column].rows for column in roles.columns if column not in roles.watched)
    dropping = {"missing": "drop"} if gaps and request.missing == "refuse" and "missing" not in asked else {}
    truth = looked[roles.truth]
    meaning, holds = _suggestion_meaning(asked, roles)
    for on_ids in _repeated_id_options({**asked, **alone}, roles, request):
        way = {**asked, **alone, **on_ids, **dropping}
        if truth.distinct == 2 and known_pair(truth.names) is None and request.positive is None:
            for name, size in truth.classes:
                share = f"{shown(name)} is positive ({percent(size / truth.there, 0)} of {truth.there:,} rows)"
                both = f"{meaning} and {share}" if meaning else share
                yield _Suggestion({**way, "positive": name}, both, CandidateReading(roles, name, contents))
        else:
            text = f"{meaning}: {holds}" if meaning and holds else meaning or holds
            yield _Suggestion(way, text, CandidateReading(roles, _known_positive_class(request, truth), contents))


def _known_positive_class(request: Request, truth: Profile) -> str | None:
    """The positive class of a truth where it is known."""
    if request.positive is not None:
        return label_name(request.positive)
    pair = known_pair(truth.names)
    return None if pair is None else pair[1]


def _repeated_id_options(asked: Mapping[str, Any], roles: Roles, request: Request) -> list[Mapping[str, Any]]:
    """What may be said of ids that repeat, where that has to be said, too; nothing is one way."""
    assert roles.contents is not None
    if roles.model is not None or request.cluster is not None or request.id is not None or "cluster" in asked:
        return [{}]
    looked = roles.contents.of(roles.watched)
    again = tuple(c for c in roles.watched if looked[c].repeats and c not in asked.get("ignore", ()))
    ways: list[Mapping[str, Any]] = [{"cluster": column} for column in again]
    return [*ways, {"ignore": (*asked.get("ignore", ()), *again)}] if again else [{}]


def _suggestion_meaning(asked: Mapping[str, Any], roles: Roles) -> tuple[str, str]:
    """What a way means: what its first column has to be, and what that holds."""
    assert roles.contents is not None
    if set(asked) == {"ignore"}:
        return "ignore it" if len(asked["ignore"]) == 1 else "ignore them", ""
    for role in ("truth", "pred", "score", "certainty", "cluster", "fold", "weight", "count", "ignore"):
        if role in asked:
            columns = asked[role] if isinstance(asked[role], tuple) else (asked[role],)
            if len(columns) != 1:
                return "one model per column" if role in ("score", "pred") else "", ""
            holds = roles.contents.of(columns)[columns[0]].described()
            return f"if {shown(columns[0])} {CONDITIONS[role]}" if role in CONDITIONS else "", holds
    return "", ""


def with_clusters(roles: Roles, repeats: Mapping[str, int], request: Request) -> Roles:
    """The roles after a look at what repeats: rows of one patient are no independent rows, and nobody said otherwise.

    >>> roles = Roles("y", (), clusters=("patient_id",))
    >>> with_clusters(roles, {"patient_id": 3}, Request()).used
    {'cluster': 'patient_id'}
    >>> with_clusters(roles, {"patient_id": 0}, Request()).design
    {'id': 'patient_id'}
    """
    again = [column for column in roles.clusters if repeats[column]]
    if len(again) > 1:
        ways: list[Way] = [({"cluster": c}, f"{repeats[c]:,} rows are repeats") for c in again]
        raise InputError(f"{joined(again)} could each be the clusters", "which one", ways=ways)
    used = dict(roles.used) | ({"cluster": again[0]} if again else {})
    single = [column for column in roles.clusters if not repeats[column]]
    design = dict(roles.design)
    if single and roles.id is None:
        design["id"] = single[0]
    settled = replace(roles, used=used, design=design, clusters=(), watched=())
    left = [column for column in single if column != settled.id]
    if "cluster" not in used and request.id is None:
        _refuse_repeated_ids({column: repeats[column] for column in (*roles.watched, *single) if repeats[column]})
    return replace(settled, unused=(*left, *roles.unused))


def _refuse_repeated_ids(again: Mapping[str, int]) -> None:
    if not again:
        return
    said = " and ".join(f"{shown(column)} repeats ({counted(rows, 'row')})" for column, rows in again.items())
    ways: list[Way] = [({"cluster": column}, "rows with the same value are dependent") for column in again]
    ways.append(({"ignore": tuple(again)}, "every row is an independent case"))
    raise InputError(said, "whether rows with the same id are dependent", ways=ways)
