"""Which column plays which role: read off the names and the user's request alone, never off the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.errors import InputError, OptionError
from assay.request import Request
from assay.sources._models import ModelColumns, first_column, models_in
from assay.sources._names import DESIGN, NAMES, USED, close, existing, folded, only
from assay.sources._wording import listed, shown

__all__ = ["Roles", "infer"]


@dataclass(frozen=True)
class Roles:
    """The part each column plays.

    `model` is the column of model names where every model has rows of its own. `used` are the columns of the design
    that predictions carry (weight, count, cluster, fold, and id if it is to be shown), `design` those that are only
    reported, `by` the subgroups.
    """

    truth: str
    models: tuple[ModelColumns, ...]
    model: str | None = None
    used: Mapping[str, str] = field(default_factory=dict)
    design: Mapping[str, str] = field(default_factory=dict)
    by: str | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that hold a few names."""
        others = [self.model, *(m.pred for m in self.models), self.by]
        return (self.truth, *dict.fromkeys(column for column in others if column is not None))

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that hold any number of names."""
        return tuple(self.used[role] for role in ("cluster", "fold") if role in self.used)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that hold numbers."""
        scores = [m.score for m in self.models if m.score is not None]
        per_class = [column for m in self.models for _, column in m.per_class]
        weights = [self.used[role] for role in ("weight", "count") if role in self.used]
        return tuple(dict.fromkeys([*scores, *per_class, *weights]))

    @property
    def id(self) -> str | None:
        """The column that tells cases apart."""
        return self.used.get("id") or self.design.get("id")

    @property
    def columns(self) -> frozenset[str]:
        """Every column that has to be read."""
        return frozenset([*self.labels, *self.keys, *self.numbers, *([self.id] if self.id else [])])


def infer(columns: Sequence[str], request: Request) -> Roles:
    """The role of each column, from what the user said first and from the names after that.

    >>> roles = infer(["id", "Target", "score", "Weight"], Request())
    >>> roles.truth, roles.models[0].score, roles.used, roles.design
    ('Target', 'score', {'weight': 'Weight'}, {'id': 'id'})
    >>> infer(["y", "p", "weight"], Request(truth="y", score="p")).used  # whoever names columns names all of them
    {}
    >>> [model.name for model in infer(["y", "svm", "bayes"], Request(truth="y", score=("svm", "bayes"))).models]
    ['svm', 'bayes']
    """
    _refuse_repeated_names(columns)
    ignored = {existing(columns, "ignore", name) for name in request.ignore}
    columns = [column for column in columns if column not in ignored]
    given = _Given.of(columns, request)
    free = [column for column in columns if column not in (*given.taken, given.id)]
    truth = given.truth or only(free, "truth") or _refuse_no_truth(columns)
    free = [column for column in free if column not in (truth, given.by)]
    models = models_in(free, given.score, given.pred, given.model)
    # To name an id changes no number: it may still be the column of clusters.
    also = [given.id] if given.id is not None and given.id not in (truth, given.by, *given.taken) else []
    # Whoever names the columns has looked at them: then a name alone changes no number.
    used = {role: given.used.get(role) or (None if given.names_some else only([*free, *also], role)) for role in USED}
    design = _design(free) | ({"id": given.id} if given.id else {})
    ids = {"id": design.pop("id")} if request.keeps_ids and "id" in design else {}
    roles = Roles(
        truth=truth,
        models=models,
        model=_model_column(free, given, models),
        used={role: column for role, column in used.items() if column is not None} | ids,
        design=design | ({} if not given.names_some else _left_alone([*free, *also], used)),
        by=given.by,
    )
    if roles.by is not None and roles.by in (truth, roles.model, *(m.pred for m in models), *roles.numbers):
        raise _two_roles(roles.by, 2)
    return roles


@dataclass(frozen=True)
class _Given:
    """The columns the user named, as they are spelled in the source."""

    truth: str | None
    score: tuple[str, ...]
    pred: tuple[str, ...]
    model: str | None
    used: Mapping[str, str]
    by: str | None
    id: str | None

    @classmethod
    def of(cls, columns: Sequence[str], request: Request) -> _Given:
        def named(role: str) -> str | None:
            name = getattr(request, role)
            if name is not None and not isinstance(name, str):
                raise OptionError(f"{role} is a {type(name).__name__}", "the name of a column, as a text")
            return existing(columns, role, name) if name is not None else None

        given = cls(
            truth=named("truth"),
            score=tuple(existing(columns, "score", name) for name in request.score),
            pred=tuple(existing(columns, "pred", name) for name in request.pred),
            model=named("model"),
            used={role: column for role in USED if (column := named(role)) is not None},
            by=named("by"),
            id=named("id"),
        )
        for column, times in Counter(given.taken).items():
            if times > 1:
                raise _two_roles(column, times)
        return given

    @property
    def names_some(self) -> bool:
        """Whether the user said which columns hold the truth or the predictions."""
        return bool(self.truth or self.score or self.pred)

    @property
    def taken(self) -> tuple[str, ...]:
        """Columns that can play no other role; subgroups and ids may also be clusters or folds."""
        return (*filter(None, (self.truth, self.model)), *self.score, *self.pred, *self.used.values())


def _two_roles(column: str, times: int) -> InputError:
    return InputError(f"the column {shown(column)} is given {times} roles", "a column of its own for each")


def _model_column(free: Sequence[str], given: _Given, models: tuple[ModelColumns, ...]) -> str | None:
    column = given.model or (None if len(given.score) > 1 or len(given.pred) > 1 else only(free, "model"))
    if column is not None and len(models) > 1:
        first = first_column(models[0])
        raise InputError(
            f"{shown(column)} could hold model names, but {shown(first)} is the column of one model",
            "which columns are the scores",
            {"score": first},
        )
    return column


def _design(free: Sequence[str]) -> dict[str, str]:
    by_name = {folded(column): column for column in reversed(free)}
    return {role: by_name[role] for role in DESIGN if role in by_name}


def _left_alone(free: Sequence[str], used: Mapping[str, str | None]) -> dict[str, str]:
    """Columns whose names say what the rows are, but which nobody asked to be used."""
    named = {role: [column for column in free if folded(column) in NAMES[role]] for role in USED}
    return {role: found[0] for role, found in named.items() if found and used[role] is None}


def _refuse_no_truth(columns: Sequence[str]) -> str:
    nearest = next((found for name in NAMES["truth"] if (found := close(name, columns))), "COLUMN")
    raise InputError(
        f"no column is called {', '.join(NAMES['truth'])}; the columns are {listed(columns)}",
        "the column of true classes",
        {"truth": nearest},
    )


def _refuse_repeated_names(columns: Sequence[str]) -> None:
    for column, times in Counter(columns).items():
        if times > 1 and column.strip():
            first, second = [place for place, name in enumerate(columns, 1) if name == column][:2]
            raise InputError(
                f"columns {first} and {second} are both called {shown(column)}", "a name of its own for each column"
            )
