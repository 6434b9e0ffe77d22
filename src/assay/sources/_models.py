"""Which columns belong to which model: one score, predicted labels, or a probability for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import InputError
from assay.sources._names import NAMES, ambiguous, folded, only
from assay.sources._wording import joined, listed, shown

__all__ = ["ONLY_MODEL", "ModelColumns", "models_in"]

WIDE = {"score": "score__", "pred": "pred__"}
PER_CLASS = ("proba_", "prob_", "p_")
FEWEST_OF_MANY = 3  # so many columns may hold one probability for each of many classes, and outdo a single score
ONLY_MODEL = "model"


@dataclass(frozen=True)
class ModelColumns:
    """The columns of one model: a score, a predicted label, probabilities, or several of them.

    `per_class` are columns that may hold one probability for each class, as (class, column); whether they do depends on
    the classes, not known here. `table` names probabilities that came as one array.
    """

    name: str
    score: str | None = None
    pred: str | None = None
    per_class: tuple[tuple[str, str], ...] = ()
    table: str | None = None


def models_in(
    free: Sequence[str], score: tuple[str, ...], pred: tuple[str, ...], model: str | None
) -> tuple[ModelColumns, ...]:
    """The models among the free columns; `score`, `pred` and `model` are what the user named.

    >>> models_in(["proba__svm__a", "proba__svm__b", "pred__bayes"], (), (), None)
    (ModelColumns(name='svm', score=None, pred=None, per_class=(('a', 'proba__svm__a'), ('b', 'proba__svm__b')),
                  table=None),
     ModelColumns(name='bayes', score=None, pred='pred__bayes', per_class=(), table=None))
    """
    if len(score) > 1 or len(pred) > 1:
        return _several_given(free, score, pred, model)
    wide = () if score or pred or model else _wide(free)
    if wide:
        plain = next((column for column in free if folded(column) in NAMES["score"]), None)
        if plain is not None:
            found = f"{joined([plain, first_column(wide[0])])} could each be the scores"
            raise InputError(found, "one model, or one column for each", {"score": plain})
        return wide
    return (_one(free, score, pred),)


def first_column(model: ModelColumns) -> str:
    """A column that shows where a model's predictions are."""
    return model.score or model.pred or next((column for _, column in model.per_class), "")


def _one(free: Sequence[str], given_score: tuple[str, ...], given_pred: tuple[str, ...]) -> ModelColumns:
    score = given_score[0] if given_score else only(free, "score")
    pred = given_pred[0] if given_pred else only(free, "pred") or _partner(free, score)
    per_class = _per_class(free)
    if given_score or (score and len(per_class) < FEWEST_OF_MANY):
        per_class = ()
    if not (score or pred or per_class):
        wanted = "a column of scores (y_score, score, prob, proba, p) or of predicted labels (y_pred, pred, prediction)"
        raise InputError(
            f"there is neither a score nor a predicted label among {listed(free)}"
            if free
            else "there is no column beside the truth",
            wanted,
            {"score": "COLUMN"},
        )
    return ModelColumns(_wide_name(score or pred or "") or ONLY_MODEL, score, pred, per_class)


def _several_given(
    free: Sequence[str], score: tuple[str, ...], pred: tuple[str, ...], model: str | None
) -> tuple[ModelColumns, ...]:
    if model is not None:
        raise InputError(
            f"several columns are given beside the model names in {shown(model)}",
            "one score column with model names, or one column for each model without them",
        )
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
            if folded(column).startswith(prefix) and name:
                columns = found.setdefault(name, {})
                if role in columns:
                    raise ambiguous(role, [columns[role], column])
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
    return tuple(sorted(models, key=lambda model: min(map(list(free).index, _columns(model)))))


def _columns(model: ModelColumns) -> list[str]:
    return [*filter(None, (model.score, model.pred)), *(column for _, column in model.per_class)]


def _wide_class(column: str, known: Sequence[str] = ()) -> tuple[str, str]:
    """The model and the class that `proba__<model>__<class>` names; both empty where a column is called otherwise."""
    prefix = next((prefix for prefix in PER_CLASS if folded(column).startswith(prefix + "_")), None)
    rest = column.strip()[len(prefix) + 1 :] if prefix else ""
    name = max((name for name in known if rest.startswith(f"{name}__")), key=len, default=rest.partition("__")[0])
    label = rest[len(name) + 2 :]
    return (name, label) if name and label else ("", "")


def _wide_name(column: str) -> str:
    prefix = next((prefix for prefix in WIDE.values() if folded(column).startswith(prefix)), "")
    return column.strip()[len(prefix) :] if prefix else ""


def _partner(free: Sequence[str], score: str | None) -> str | None:
    """The predicted labels of the model whose score column follows the wide pattern."""
    name = _wide_name(score or "")
    return next(
        (
            column
            for column in free
            if name and column.strip()[len(WIDE["pred"]) :] == name and folded(column).startswith(WIDE["pred"])
        ),
        None,
    )


def _per_class(free: Sequence[str]) -> tuple[tuple[str, str], ...]:
    for prefix in PER_CLASS:
        found = [
            column
            for column in free
            if folded(column).startswith(prefix) and len(column.strip()) > len(prefix) and not _wide_class(column)[1]
        ]
        if found:
            return tuple((column.strip()[len(prefix) :], column) for column in found)
    return ()
