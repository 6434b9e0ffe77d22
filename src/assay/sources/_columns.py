"""Which column plays which role: read off the names and the user's choices alone, never off the data."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.errors import InputError
from assay.sources._records import Choices
from assay.sources._wording import joined, listed, shown

__all__ = ["ModelColumns", "Roles", "infer"]

NAMES = {
    "truth": ("y_true", "target", "label", "actual", "truth", "class"),
    "score": ("y_score", "score", "prob", "proba", "p"),
    "pred": ("y_pred", "pred", "prediction", "predicted"),
    "model": ("model", "classifier"),
}
DESIGN = {
    "fold": ("fold",),
    "repeat": ("repeat",),
    "split": ("split",),
    "dataset": ("dataset",),
    "cluster": ("cluster", "subject", "patient"),
    "weight": ("weight", "sample_weight"),
    "count": ("count",),
    "id": ("id",),
}
MEANING = {"truth": "true classes", "score": "scores", "pred": "predicted labels", "model": "model names"}
WIDE = {"score": "score__", "pred": "pred__"}
PER_CLASS = ("proba_", "p_")
ONLY_MODEL = "model"


@dataclass(frozen=True)
class ModelColumns:
    """The columns of one model: a score, a predicted label, or both."""

    name: str
    score: str | None = None
    pred: str | None = None


@dataclass(frozen=True)
class Roles:
    """The part each column plays.

    `model` is the column of model names where every model has rows of its own. `per_class` are columns that may hold
    one probability for each class, as (class, column); whether they do depends on the classes, not known here.
    """

    truth: str
    models: tuple[ModelColumns, ...]
    model: str | None = None
    per_class: tuple[tuple[str, str], ...] = ()
    design: Mapping[str, str] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that hold names."""
        others = [self.model, *(m.pred for m in self.models)]
        return (self.truth, *dict.fromkeys(column for column in others if column is not None))

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that hold scores."""
        scores = [m.score for m in self.models if m.score is not None]
        return tuple(dict.fromkeys([*scores, *(column for _, column in self.per_class)]))


def infer(columns: Sequence[str], choices: Choices) -> Roles:
    """The role of each column, from what the user said first and from the names after that.

    >>> roles = infer(["id", "Target", "score"], Choices())
    >>> roles.truth, roles.models, roles.design
    ('Target', (ModelColumns(name='model', score='score', pred=None),), {'id': 'id'})
    >>> infer(["y", "svm", "bayes"], Choices(truth="y", score=("svm", "bayes"))).models
    (ModelColumns(name='svm', score='svm', pred=None), ModelColumns(name='bayes', score='bayes', pred=None))
    """
    _refuse_repeated_names(columns)
    given = _Given.of(columns, choices)
    free = [column for column in columns if column not in given.taken]
    truth = given.truth or _only(free, "truth") or _refuse_no_truth(columns)
    free = [column for column in free if column != truth]
    models, per_class = _models(free, given)
    return Roles(
        truth=truth,
        models=models,
        model=_model_column(free, given, models),
        per_class=per_class,
        design=_design(free),
    )


@dataclass(frozen=True)
class _Given:
    """The columns the user named, as they are spelled in the source."""

    truth: str | None
    score: tuple[str, ...]
    pred: tuple[str, ...]
    model: str | None

    @classmethod
    def of(cls, columns: Sequence[str], choices: Choices) -> _Given:
        given = cls(
            truth=_existing(columns, "truth", choices.truth) if choices.truth is not None else None,
            score=tuple(_existing(columns, "score", name) for name in choices.score),
            pred=tuple(_existing(columns, "pred", name) for name in choices.pred),
            model=_existing(columns, "model", choices.model) if choices.model is not None else None,
        )
        for column, times in Counter(given.taken).items():
            if times > 1:
                raise InputError(f"the column {shown(column)} is given {times} roles", "a column of its own for each")
        return given

    @property
    def taken(self) -> tuple[str, ...]:
        return (*filter(None, (self.truth, self.model)), *self.score, *self.pred)


def _models(free: Sequence[str], given: _Given) -> tuple[tuple[ModelColumns, ...], tuple[tuple[str, str], ...]]:
    if len(given.score) > 1 or len(given.pred) > 1:
        return _several_given(free, given), ()
    wide = () if given.score or given.pred or given.model else _wide(free)
    if wide:
        plain = next((column for column in free if _folded(column) in NAMES["score"]), None)
        if plain is not None:
            first = wide[0].score or wide[0].pred or ""
            found = f"{joined([plain, first])} could each be the scores"
            raise InputError(found, "one model, or one column for each", {"score": plain})
        return wide, ()
    score = given.score[0] if given.score else _only(free, "score")
    pred = given.pred[0] if given.pred else _only(free, "pred") or _partner(free, score)
    per_class = () if score else _per_class(free)
    if not (score or pred or per_class):
        wanted = "a column of scores (y_score, score, prob, proba, p) or of predicted labels (y_pred, pred, prediction)"
        raise InputError(
            f"there is neither a score nor a predicted label among {listed(free)}"
            if free
            else "there is no column beside the truth",
            wanted,
            {"score": "COLUMN"},
        )
    name = _wide_name(score or pred or "")
    return (ModelColumns(name or ONLY_MODEL, score, pred),), per_class


def _several_given(free: Sequence[str], given: _Given) -> tuple[ModelColumns, ...]:
    if given.model is not None:
        raise InputError(
            f"several columns are given beside the model names in {shown(given.model)}",
            "one score column with model names, or one column for each model without them",
        )
    if given.score and given.pred and len(given.score) != len(given.pred):
        raise InputError(
            f"{len(given.score)} score columns are given but {len(given.pred)} of predicted labels",
            "one of each for every model, in the same order",
        )
    leading = given.score or given.pred
    preds: Sequence[str | None] = given.pred or [_partner(free, column) for column in given.score]
    scores: Sequence[str | None] = given.score or [None] * len(given.pred)
    return tuple(
        ModelColumns(_wide_name(column) or column, score, pred)
        for column, score, pred in zip(leading, scores, preds, strict=True)
    )


def _wide(free: Sequence[str]) -> tuple[ModelColumns, ...]:
    found: dict[str, dict[str, str]] = {}
    for column in free:
        for role, prefix in WIDE.items():
            name = column.strip()[len(prefix) :]
            if _folded(column).startswith(prefix) and name:
                columns = found.setdefault(name, {})
                if role in columns:
                    raise _ambiguous(role, [columns[role], column])
                columns[role] = column
    return tuple(ModelColumns(name, columns.get("score"), columns.get("pred")) for name, columns in found.items())


def _wide_name(column: str) -> str:
    prefix = next((prefix for prefix in WIDE.values() if _folded(column).startswith(prefix)), "")
    return column.strip()[len(prefix) :] if prefix else ""


def _partner(free: Sequence[str], score: str | None) -> str | None:
    """The predicted labels of the model whose score column follows the wide pattern."""
    name = _wide_name(score or "")
    return next(
        (
            column
            for column in free
            if name and column.strip()[len(WIDE["pred"]) :] == name and _folded(column).startswith(WIDE["pred"])
        ),
        None,
    )


def _per_class(free: Sequence[str]) -> tuple[tuple[str, str], ...]:
    for prefix in PER_CLASS:
        found = [c for c in free if _folded(c).startswith(prefix) and len(c.strip()) > len(prefix)]
        if found:
            return tuple((column.strip()[len(prefix) :], column) for column in found)
    return ()


def _model_column(free: Sequence[str], given: _Given, models: tuple[ModelColumns, ...]) -> str | None:
    column = given.model or (None if len(given.score) > 1 or len(given.pred) > 1 else _only(free, "model"))
    if column is not None and len(models) > 1:
        first = models[0].score or models[0].pred or ""
        raise InputError(
            f"{shown(column)} could hold model names, but {shown(first)} is the column of one model",
            "which columns are the scores",
            {"score": first},
        )
    return column


def _design(free: Sequence[str]) -> dict[str, str]:
    by_name = {_folded(column): column for column in reversed(free)}
    roles = {role: [by_name[name] for name in names if name in by_name] for role, names in DESIGN.items()}
    return {role: found[0] for role, found in roles.items() if found}


def _only(free: Sequence[str], role: str) -> str | None:
    found = [column for name in NAMES[role] for column in free if _folded(column) == name]
    if len(found) > 1:
        raise _ambiguous(role, found)
    return found[0] if found else None


def _existing(columns: Sequence[str], role: str, name: str) -> str:
    if name in columns:
        return name
    alike = [column for column in columns if _folded(column) == _folded(name)]
    if len(alike) == 1:
        return alike[0]
    if alike:
        raise _ambiguous(role, alike)
    close = _close(name, columns)
    raise InputError(
        f"there is no column {shown(name)}; the columns are {listed(columns)}",
        f"the column of {MEANING[role]}",
        {role: close} if close else None,
    )


def _refuse_no_truth(columns: Sequence[str]) -> str:
    close = next((found for name in NAMES["truth"] if (found := _close(name, columns))), "COLUMN")
    raise InputError(
        f"no column is called {', '.join(NAMES['truth'])}; the columns are {listed(columns)}",
        "the column of true classes",
        {"truth": close},
    )


def _refuse_repeated_names(columns: Sequence[str]) -> None:
    for column, times in Counter(columns).items():
        if times > 1 and column.strip():
            first, second = [place for place, name in enumerate(columns, 1) if name == column][:2]
            raise InputError(
                f"columns {first} and {second} are both called {shown(column)}", "a name of its own for each column"
            )


def _ambiguous(role: str, found: Sequence[str]) -> InputError:
    return InputError(f"{joined(found)} could each be the {MEANING[role]}", "which one", {role: found[0]})


def _close(name: str, columns: Sequence[str]) -> str | None:
    by_name = {_folded(column): column for column in columns}
    found = difflib.get_close_matches(_folded(name), list(by_name), n=1, cutoff=0.7)
    return by_name[found[0]] if found else None


def _folded(column: str) -> str:
    return column.strip().casefold()
