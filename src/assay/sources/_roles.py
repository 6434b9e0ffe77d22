"""The part that each column plays, and the columns that the user named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.errors import InputError, OptionError
from assay.request import Request
from assay.sources._contents import Contents
from assay.sources._models import ModelColumns, SaidOfModels
from assay.sources._names import ON_REQUEST, USED, existing
from assay.sources._wording import shown

__all__ = ["Given", "Roles", "two_roles"]


@dataclass(frozen=True)
class Roles:
    """The part each column plays.

    `model` is the column of model names where every model has rows of its own. `used` are the columns of the design
    that predictions carry (weight, count, cluster, fold, amount, and id if it is to be shown), `design` those that are
    only reported, `by` the subgroups. `clusters` are columns that by their names are clusters if their values repeat,
    `watched` those that tell rows apart, unless theirs do. What is left over of `every` one is `unused`; `contents`
    looks at any.
    Where `scores_are_said`, whoever named them knows that they are those of the positive class.
    """

    truth: str
    models: tuple[ModelColumns, ...]
    model: str | None = None
    used: Mapping[str, str] = field(default_factory=dict)
    design: Mapping[str, str] = field(default_factory=dict)
    by: str | None = None
    clusters: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    unused: tuple[str, ...] = field(default=(), compare=False)
    every: tuple[str, ...] = field(default=(), compare=False)
    scores_are_said: bool = field(default=False, compare=False)
    contents: Contents | None = field(default=None, compare=False, repr=False)

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that hold a few names."""
        others = [self.model, *(m.pred for m in self.models), self.by]
        return (self.truth, *dict.fromkeys(column for column in others if column is not None))

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that hold any number of names."""
        named = [self.used[role] for role in ("cluster", "fold") if role in self.used]
        return tuple(dict.fromkeys([*named, *self.clusters]))

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that hold numbers."""
        scores = [m.score or m.certainty for m in self.models]
        per_class = [column for m in self.models for _, column in m.per_class]
        weights = [self.used[role] for role in ("weight", "count", *ON_REQUEST) if role in self.used]
        return tuple(dict.fromkeys(column for column in [*scores, *per_class, *weights] if column is not None))

    @property
    def id(self) -> str | None:
        """The column that tells cases apart."""
        return self.used.get("id") or self.design.get("id")

    @property
    def telling(self) -> tuple[str, ...]:
        """The columns of which it matters whether a value comes twice."""
        return tuple(dict.fromkeys([*([self.id] if self.id else []), *self.clusters, *self.watched]))

    @property
    def left_over(self) -> tuple[str, ...]:
        """The columns without a role, as they stand in the source."""
        left = {*self.unused}
        return tuple(column for column in dict.fromkeys(self.every) if column in left)

    @property
    def columns(self) -> frozenset[str]:
        """Every column that has to be read."""
        return frozenset([*self.labels, *self.keys, *self.numbers, *self.telling])


@dataclass(frozen=True)
class Given:
    """The columns the user named, as they are spelled in the source."""

    truth: str | None
    models: SaidOfModels
    used: Mapping[str, str]
    by: str | None
    id: str | None

    @classmethod
    def of(cls, columns: Sequence[str], request: Request) -> Given:
        """What a request says of these columns."""

        def named(role: str) -> str | None:
            name = getattr(request, role)
            if name is not None and not isinstance(name, str):
                raise OptionError(f"{role} is a {type(name).__name__}", "the name of a column, as a text")
            return existing(columns, role, name) if name is not None else None

        given = cls(
            truth=named("truth"),
            models=SaidOfModels(
                tuple(existing(columns, "score", name) for name in request.score),
                tuple(existing(columns, "pred", name) for name in request.pred),
                named("certainty"),
                named("model"),
            ),
            used={role: column for role in (*USED, *ON_REQUEST) if (column := named(role)) is not None},
            by=named("by"),
            id=named("id"),
        )
        for column, times in Counter(given.taken).items():
            if times > 1:
                raise two_roles(column, times)
        return given

    @property
    def names_some(self) -> bool:
        """Whether the user said which columns hold the truth or the predictions."""
        return bool(self.truth or self.models.score or self.models.pred or self.models.certainty)

    @property
    def taken(self) -> tuple[str, ...]:
        """Columns that can play no other role; subgroups and ids may also be clusters or folds."""
        said = self.models
        single = filter(None, (self.truth, said.model, said.certainty))
        return (*single, *said.score, *said.pred, *self.used.values())


def two_roles(column: str, times: int) -> InputError:
    """What to say of a column that is to be two things at once."""
    return InputError(f"the column {shown(column)} is given {times} roles", "a column of its own for each")
