"""Which columns belong to which model: one score, predicted labels, or a probability for each class."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assay.errors import InputError
from assay.sources._labels import label_name
from assay.sources._names import NAMES, folded, named_as
from assay.sources._ways import Open, which
from assay.sources._wording import joined, listed, shown

__all__ = [
    "LOGITS",
    "ONLY_MODEL",
    "PER_CLASS",
    "Look",
    "ModelColumns",
    "SaidOfModels",
    "class_key",
    "class_of",
    "first_column",
    "models_in",
    "word_before",
]

WIDE = {"score": "score__", "pred": "pred__"}
PER_CLASS = ("proba", "prob", "probability", "p", "score", ".pred", "logit", "logits", "confidence")
LOGITS = ("logit", "logits")
# `proba_<class>`; two underscores part a model's name from the rest instead.
WORDS_OF_CLASS = "|".join(map(re.escape, PER_CLASS))
OF_CLASS = re.compile(rf"({WORDS_OF_CLASS})(?:_(?!_)|[\s.-]+)(.+)", re.IGNORECASE)
# `confidence(yes)` and `P (Churn=1)`, as RapidMiner and KNIME write them.
IN_BRACKETS = re.compile(rf"({WORDS_OF_CLASS})\s*\((?:[^()=]+=)?([^()=]+)\)", re.IGNORECASE)
WIDE_CLASS = re.compile(r"(?:proba|prob|p)__(.+)", re.IGNORECASE)
OF_MODEL = re.compile(r"(.+?)[\s._-]+(score|prob|proba|probability|pred|prediction)", re.IGNORECASE)
NO_MODEL = ("y", "pred", "predicted", "prediction", "true", "max", "min", "mean", "top", "class", "label")
FEWEST_OF_MANY = 3  # so many columns may hold one probability for each of many classes, and outdo a single score
ONLY_MODEL = "model"


@dataclass(frozen=True)
class Look:
    """What may be asked about contents where a name leaves it open: the classes of the truth, a column's numbers."""

    classes: Callable[[], Sequence[str]] = tuple
    is_numeric: Callable[[str], bool] = bool
    is_probability: Callable[[str], bool] = bool


@dataclass(frozen=True)
class ModelColumns:
    """The columns of one model: a score, a predicted label, probabilities, or several of them.

    `certainty` is the probability of whichever label was predicted. `per_class` are columns that may hold one
    probability for each class, as (class, column); whether they do depends on the classes, not known here. `table`
    names probabilities that came as one array.
    """

    name: str
    score: str | None = None
    pred: str | None = None
    per_class: tuple[tuple[str, str], ...] = ()
    table: str | None = None
    certainty: str | None = None

    @property
    def columns(self) -> list[str]:
        """Every column of it."""
        return [*filter(None, (self.score, self.pred, self.certainty)), *(column for _, column in self.per_class)]


@dataclass(frozen=True)
class SaidOfModels:
    """What the user named of the models."""

    score: tuple[str, ...] = ()
    pred: tuple[str, ...] = ()
    certainty: str | None = None
    model: str | None = None


def models_in(free: Sequence[str], said: SaidOfModels, look: Look | None = None) -> tuple[ModelColumns, ...]:
    """The models among the free columns, beside what the user named of them.

    >>> models_in(["proba__svm__a", "proba__svm__b", "pred__bayes"], SaidOfModels())
    (ModelColumns(name='svm', score=None, pred=None, per_class=(('a', 'proba__svm__a'), ('b', 'proba__svm__b')),
                  table=None, certainty=None),
     ModelColumns(name='bayes', score=None, pred='pred__bayes', per_class=(), table=None, certainty=None))
    >>> [model.name for model in models_in(["svm_prob", "forest_prob"], SaidOfModels())]
    ['svm', 'forest']
    """
    if len(said.score) > 1 or len(said.pred) > 1:
        return _several_given(free, said)
    wide = () if said.score or said.pred or said.model or said.certainty else _wide(free)
    plain = named_as("score", free)
    if wide and plain:
        found = f"{joined([plain[0], first_column(wide[0])])} could each be the scores"
        each: list[dict[str, object]] = [{"score": plain[0]}]
        each += [{"score": tuple(m.score for m in wide)}] if all(m.score for m in wide) else []
        raise Open(found, "one model, or one column for each", each)
    if wide:
        return wide
    one = _one(free, said)
    if said.score or one.score or one.per_class or said.model:
        return (one,)
    return _by_suffix(free, one, look or Look())


def first_column(model: ModelColumns) -> str:
    """A column that shows where a model's predictions are."""
    return model.columns[0]


def class_of(column: str) -> str:
    """The class that a column of probabilities is named after; empty where it is called otherwise.

    >>> [class_of(column) for column in ("proba_ham", "P.spam", ".pred_yes", "P (y=1)", "p", "proba__svm__a")]
    ['ham', 'spam', 'yes', '1', '', '']
    """
    found = IN_BRACKETS.fullmatch(column.strip()) or OF_CLASS.fullmatch(column.strip())
    return "" if found is None or folded(column) in NAMES["pred"] else found.group(2)


def word_before(column: str) -> str:
    """What a column of a class is called without the class.

    >>> word_before("proba_ham"), word_before("P (Churn=1)"), word_before("age")
    ('proba', 'p', '')
    """
    found = IN_BRACKETS.fullmatch(column.strip()) or OF_CLASS.fullmatch(column.strip())
    return found.group(1).casefold() if found is not None and class_of(column) else ""


def class_key(name: str) -> str:
    """What a class and a column named after it have in common: R writes a class 1 as X1, and blanks as dots.

    >>> class_key("not spam") == class_key("not.spam"), class_key("X1") == class_key("1")
    (True, True)
    """
    known = label_name(name) or name
    return re.sub(r"^x(?=-?\d)", "", re.sub(r"[\s._]+", ".", known.casefold()))


def _one(free: Sequence[str], said: SaidOfModels) -> ModelColumns:
    per_class = _per_class(free)
    of_classes = [column for _, column in per_class] if len(per_class) > 1 else []
    scores = [column for column in named_as("score", free) if column not in of_classes]
    score = said.score[0] if said.score else None if said.certainty else which("score", scores)
    if not said.score and len(per_class) == 1 and score == per_class[0][1]:
        score = None  # prob_1 alone: of the class 1 where there is one, else of the positive class
    elif said.score or said.certainty or (score and len(per_class) < FEWEST_OF_MANY):
        per_class = ()
    pred = said.pred[0] if said.pred else which("pred", named_as("pred", free)) or _partner(free, score)
    certain = named_as("certainty", free) if not (score or per_class) and pred else []
    certainty = said.certainty or which("certainty", certain)
    name = _wide_name(score or pred or "") or ONLY_MODEL
    return ModelColumns(name, score, pred, per_class, certainty=certainty)


def _by_suffix(free: Sequence[str], one: ModelColumns, look: Look) -> tuple[ModelColumns, ...]:
    """Models, or classes, in front of what their columns hold: `svm_score`, `ham_prob`."""
    found: dict[str, dict[str, str]] = {}
    for column in free:
        parts = OF_MODEL.fullmatch(column.strip())
        if parts is not None and folded(column) not in (*NAMES["score"], *NAMES["pred"], *NAMES["certainty"]):
            stem, what = parts.groups()
            role = "pred" if what.casefold().startswith("pred") else "score"
            fits = role == "pred" or look.is_numeric(column)
            if stem.casefold() not in NO_MODEL and role not in found.get(stem, {}) and fits:
                found.setdefault(stem, {})[role] = column
    if not found:
        return (one,)
    known = {class_key(name) for name in look.classes()}
    of_classes = {stem: own["score"] for stem, own in found.items() if class_key(stem) in known and "score" in own}
    if of_classes and len(of_classes) == len(found):
        return (replace(one, per_class=tuple(of_classes.items())),)
    models = tuple(ModelColumns(stem, own.get("score"), own.get("pred")) for stem, own in found.items())
    if len(models) == 1 and one.pred is not None:
        score = models[0].score
        is_its = score is not None and look.is_probability(score)
        return (replace(models[0], pred=one.pred) if is_its else one,)
    if len(models) > 1 and one.pred is not None:
        found_both = f"{shown(one.pred)} could be the predicted labels of any of {listed(list(found))}"
        raise Open(found_both, "to leave it alone, or which scores it goes with", [{"ignore": (one.pred,)}])
    return models


def _several_given(free: Sequence[str], said: SaidOfModels) -> tuple[ModelColumns, ...]:
    score, pred = said.score, said.pred
    if said.model is not None:
        raise InputError(
            f"several columns are given beside the model names in {shown(said.model)}",
            "one score column with model names, or one column for each model without them",
        )
    if said.certainty is not None:
        raise InputError(f"{shown(said.certainty)} is given beside several models", "one model at a time")
    if score and pred and len(score) != len(pred):
        raise InputError(
            f"{len(score)} score columns are given but {len(pred)} of predicted labels",
            "one of each for every model, in the same order",
        )
    preds: Sequence[str | None] = pred or [_partner(free, column) for column in score]
    scores: Sequence[str | None] = score or [None] * len(pred)
    return tuple(
        ModelColumns(_wide_name(column) or column, of_score, of_pred)
        for column, of_score, of_pred in zip(score or pred, scores, preds, strict=True)
    )


def _wide(free: Sequence[str]) -> tuple[ModelColumns, ...]:
    found: dict[str, dict[str, str]] = {}
    for column in free:
        for role, prefix in WIDE.items():
            name = column.strip()[len(prefix) :]
            if column.strip().casefold().startswith(prefix) and name:
                columns = found.setdefault(name, {})
                if role in columns:
                    which(role, [columns[role], column])
                columns[role] = column
    per_class: dict[str, list[tuple[str, str]]] = {}
    for column in free:
        name, label = _wide_class(column, list(found))
        if label:
            per_class.setdefault(name, []).append((label, column))
    models = [
        ModelColumns(name, columns.get("score"), columns.get("pred"), tuple(per_class.get(name, ())))
        for name, columns in found.items()
    ]
    models += [ModelColumns(name, per_class=tuple(c)) for name, c in per_class.items() if name not in found]
    places = {column: place for place, column in enumerate(free)}
    return tuple(sorted(models, key=lambda model: min(places[column] for column in model.columns)))


def _wide_class(column: str, known: Sequence[str] = ()) -> tuple[str, str]:
    """The model and the class that `proba__<model>__<class>` names; both empty where a column is called otherwise."""
    found = WIDE_CLASS.fullmatch(column.strip())
    rest = found.group(1) if found else ""
    name = max((name for name in known if rest.startswith(f"{name}__")), key=len, default=rest.partition("__")[0])
    label = rest[len(name) + 2 :]
    return (name, label) if name and label else ("", "")


def _wide_name(column: str) -> str:
    prefix = next((prefix for prefix in WIDE.values() if column.strip().casefold().startswith(prefix)), "")
    return column.strip()[len(prefix) :] if prefix else ""


def _partner(free: Sequence[str], score: str | None) -> str | None:
    """The predicted labels of the model whose score column follows the wide pattern."""
    name = _wide_name(score or "")
    same = (c for c in free if c.strip().casefold().startswith(WIDE["pred"]) and _wide_name(c) == name)
    return next(same, None) if name else None


def _per_class(free: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Columns named after classes, all with the same word before the class."""
    found: dict[str, list[tuple[str, str]]] = {}
    for column in free:
        label = class_of(column)
        if label:
            found.setdefault(word_before(column), []).append((label, column))
    ranked = sorted(found, key=lambda prefix: (-min(len(found[prefix]), 2), PER_CLASS.index(prefix)))
    return tuple(found[ranked[0]]) if ranked else ()
