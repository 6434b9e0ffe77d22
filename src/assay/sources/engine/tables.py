"""Rows where they lie: a table of an engine, its columns called by their roles, and a first look at all of it.

Whole clusters put together by a hash that every engine computes alike: what rows that depend on one another need.

What an engine computed, as arrays here; in no order that anybody may rely on.

What needs every row in memory, and is refused by its name where rows stay where they lie.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.predictions import WEIGHTS_NEEDED, beyond_weights
from assay.request import Request, doubled
from assay.results import counted
from assay.sources.column_names import Way
from assay.sources.column_roles import Roles
from assay.sources.column_values import LARGEST_SCORE, SMALLEST_SCORE
from assay.sources.labels import MOST_VALUES, label_name
from assay.sources.quoting import listed, shown

if TYPE_CHECKING:
    import narwhals as nw

__all__ = [
    "GROUPS",
    "KEYS",
    "Lying",
    "Survey",
    "collected",
    "held",
    "refuse_unreachable",
    "refuse_what_stays",
    "with_groups",
]


# Groups of whole clusters are independent of one another as clusters are; so many tell a standard error to 3 %.
GROUPS = 512
# A Mersenne prime: squares of what is left of a division by it fit into 64 bits, and x^5 gives each number once.
PRIME = (1 << 31) - 1
LOW, HIGH, FIRST, SECOND = 48_271, 69_621, 1_013_904_223, 362_436_069


def with_groups(frame: Any, column: str) -> Any:
    """The frame with the group of each whole number in a column in its place.

    Engines' own hashes differ, and DuckDB's of several values are not independent. Two rounds of x^5 need nothing but
    multiplication and what is left of a division. Step by step, since not every engine sees what it computes twice.
    """
    import narwhals as nw

    x, low, square = nw.col(column), nw.col("hash_low"), nw.col("hash_square")
    frame = frame.with_columns(x.cast(nw.Int64)).with_columns(hash_low=_nonnegative_remainder(x))
    frame = frame.with_columns(_mix_hash(x, low).alias(column))
    for added in (0, SECOND):
        frame = frame.with_columns(((x + added) % PRIME).alias(column)) if added else frame
        frame = frame.with_columns(hash_square=x * x % PRIME)
        frame = frame.with_columns((square * square % PRIME * x % PRIME).alias(column))
    return frame.with_columns((x % GROUPS).alias(column)).drop("hash_low", "hash_square")


def _mix_hash(number: Any, low: Any) -> Any:
    import narwhals as nw

    # Divided without a rest, and as floating numbers: some engines do so anyway, and are far less than a half off.
    high = ((number - low) / PRIME).round().cast(nw.Int64)
    return (low * LOW + _nonnegative_remainder(high) * HIGH + FIRST) % PRIME


def _nonnegative_remainder(number: Any) -> Any:
    """What is left of a division, from 0 on: engines disagree about the sign of what is left of negative ones."""
    return (number % PRIME + PRIME) % PRIME


def collected(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> dict[str, NDArray[Any]]:
    """The columns of a small table that an engine is asked for; missing numbers are nan, other missing values None.

    >>> import duckdb, narwhals
    >>> collected(narwhals.from_native(duckdb.sql("SELECT 1.5 AS a, NULL::VARCHAR AS b")))
    {'a': array([1.5]), 'b': array([None], dtype=object)}
    """
    import narwhals as nw

    if isinstance(frame, nw.LazyFrame) and frame.implementation.is_duckdb():
        # By way of Arrow, DuckDB 2.0 loses the order that was asked for, and pyarrow may not be there.
        found = frame.to_native().fetchnumpy()
        return {name: _unmask_values(values) for name, values in found.items()}
    eager: Any = frame
    if isinstance(frame, nw.LazyFrame):
        is_polars = frame.implementation.is_polars()
        eager = nw.from_native(frame.to_native().collect(engine="streaming")) if is_polars else frame.collect()
    return {name: _series_values(eager[name]) for name in eager.columns}


def _unmask_values(values: NDArray[Any]) -> NDArray[Any]:
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if values.dtype.kind == "f":
        return values.filled(np.nan)
    held = np.array(values.data, dtype=object)
    held[np.ma.getmaskarray(values)] = None
    return held


def _series_values(series: nw.Series[Any]) -> NDArray[Any]:
    # Whole numbers with gaps would become others, and engines would not know them again.
    if series.dtype.is_float() or (series.dtype.is_numeric() and series.null_count() == 0):
        return np.asarray(series.to_numpy())
    held = np.empty(len(series), dtype=object)
    held[:] = series.to_list()
    return held


KEYS = ("truth", "by", "model")
MOST_GROUPS = 10 * MOST_VALUES
ANSWERS = ("score", "pred")


@dataclass(frozen=True)
class Lying:
    """A table that stays where it is.

    Its columns are called `truth`, `by`, `model`, `score0`, ..., `pred0`, ..., `weight`, `count`, where there are such,
    and `columns` says what the user calls them. Beside a number that was text stands the text of those that are none,
    as `text_score0`. `names` are those that the values of predicted labels go by, None where they are missing.
    `shares` are columns that should sum to 1 in each row.
    """

    frame: Any
    columns: Mapping[str, str]
    texts: tuple[str, ...] = ()
    names: Mapping[str, Mapping[Any, str | None]] = field(default_factory=dict)
    shares: tuple[tuple[str, ...], ...] = ()

    def looked_at(self) -> Lying:
        """The same with the names of predicted labels: one look at each column of them."""
        import narwhals as nw

        names, frame = {}, self.frame
        for label in [*self.labels, *self.clusters]:
            groups = frame.group_by(label).agg(nw.len().alias("rows"))
            found = collected(groups.head(MOST_VALUES + 1))[label]
            if len(found) <= MOST_VALUES:
                names[label] = {held(raw): label_name(held(raw)) for raw in found}
            elif label == "cluster":
                frame = self._hash_clusters()
            else:
                said = f"{shown(self.columns[label])} holds more than {MOST_VALUES:,} different values"
                needed = "predicted labels among the classes"
                raise InputError(said, needed, {"ignore": self.columns[label]})
        return replace(self, frame=frame, names=names)

    def _hash_clusters(self) -> Any:
        """The rows with groups of whole clusters in the place of so many clusters."""
        column = shown(self.columns["cluster"])
        if not self.frame.collect_schema()["cluster"].is_integer():
            found = f"{column} holds more than {MOST_VALUES:,} different names, but the rows do not fit into memory"
            raise InputError(found, "integers instead of names: number or hash them")
        return with_groups(self.frame, "cluster")

    @property
    def clusters(self) -> list[str]:
        """The column that says which rows depend on one another, if there is one."""
        return ["cluster"] if "cluster" in self.columns else []

    @property
    def keys(self) -> list[str]:
        """The columns that hold a few names."""
        return [key for key in KEYS if key in self.columns]

    @property
    def scores(self) -> list[str]:
        """The columns of scores."""
        return [name for name in self.columns if name.startswith("score")]

    @property
    def labels(self) -> list[str]:
        """The columns of predicted labels."""
        return [name for name in self.columns if name.startswith("pred")]

    @property
    def numbers(self) -> list[str]:
        """The columns that hold numbers."""
        return [*self.scores, *self.weights]

    @property
    def weights(self) -> list[str]:
        """The columns that say how much a row is."""
        return [name for name in ("weight", "count") if name in self.columns]

    def judged(self) -> Any:
        """The rows with whether each number is missing, whether any is, and whether a row stands for nobody (0 or 1).

        Missing is one thing in some engines and two in others: null is asked for first, then nan. What is missing is
        null from here on, and there is one zero: some engines tell -0.0 from 0.0.
        """
        import narwhals as nw

        # Some engines add whole numbers of 32 bits to such, and begin again where these end.
        one, none = nw.lit(1, nw.Int64), nw.lit(0, nw.Int64)
        frame, col = self.frame, nw.col
        lacks = {
            f"lacks_{name}": nw.when(col(name).is_null())
            .then(one)
            .otherwise(nw.when(col(name).is_nan()).then(one).otherwise(none))
            for name in self.numbers
        }
        for name in self.clusters:
            lacks[f"lacks_{name}"] = nw.when(col(name).is_null()).then(one).otherwise(none)
        for name in (name for name in self.names if name in (*self.labels, *self.clusters)):
            known = [raw for raw, label in self.names[name].items() if label is not None]
            lacks[f"lacks_{name}"] = nw.when(col(name).is_in(known)).then(none).otherwise(one) if known else one
        frame = frame.with_columns(**lacks)
        if self.numbers:
            there = {name: nw.when(col(f"lacks_{name}") == 0).then(col(name) + 0.0) for name in self.numbers}
            frame = frame.with_columns(**there)
        every = [col(each) for each in lacks]
        if len(every) > 1:
            frame = frame.with_columns(lacks=sum(every[1:], every[0]))
            frame = frame.with_columns(lacks=nw.when(col("lacks") > 0).then(one).otherwise(none))
        else:
            frame = frame.with_columns(lacks=every[0])
        nobody = none
        for name in self.weights:
            # A largest of several columns is not found by every engine.
            nobody = nw.when(col(name) == 0).then(one).otherwise(nobody)
        return frame.with_columns(nobody=nobody)

    @property
    def gaps(self) -> list[str]:
        """The columns in which a row may lack something and still be grouped by its names."""
        return [*self.numbers, *self.labels, *self.clusters]


@dataclass(frozen=True, eq=False)
class Survey:
    """What one look at all rows tells: for each combination of names how many rows, what they lack, and their range."""

    lying: Lying
    found: Mapping[str, NDArray[Any]]
    # The name that each raw value goes by, for each column of names; None where it is missing.
    names: Mapping[str, Mapping[Any, str | None]]

    @classmethod
    def of(cls, lying: Lying) -> Survey:
        """One pass over all rows."""
        import narwhals as nw

        col, frame = nw.col, lying.judged()
        facts: dict[str, Any] = {"rows": nw.len(), "lacking": col("lacks").sum()}
        if len(lying.gaps) > 1:
            facts |= {f"lacking_{name}": col(f"lacks_{name}").sum() for name in lying.gaps}
        for place, columns in enumerate(lying.shares):
            total = sum((col(name) for name in columns[1:]), col(columns[0]))
            frame = frame.with_columns(**{f"off_{place}": (total - 1.0).abs()})
            facts[f"furthest_{place}"] = col(f"off_{place}").max()
        for name in lying.numbers:
            facts |= {f"least_{name}": col(name).min(), f"greatest_{name}": col(name).max()}
            if name in lying.texts:
                there = nw.when(col(f"text_{name}").is_null()).then(nw.lit(0, nw.Int64)).otherwise(nw.lit(1, nw.Int64))
                frame = frame.with_columns(**{f"is_text_{name}": there})
                facts |= {f"texts_{name}": col(f"is_text_{name}").sum(), f"example_{name}": col(f"text_{name}").min()}
        if "count" in lying.columns:
            one, none = nw.lit(1, nw.Int64), nw.lit(0, nw.Int64)
            parts = nw.when(col("count") == col("count").floor()).then(none).otherwise(one)
            frame = frame.with_columns(parts=nw.when(col("lacks_count") == 0).then(parts).otherwise(none))
            facts["parts"] = col("parts").sum()
        # One key of few whole numbers is grouped by the fastest.
        keys = [*lying.keys, *(["nobody"] if lying.weights else [])]
        groups = frame.group_by(*keys).agg(*(fact.alias(name) for name, fact in facts.items()))
        found = collected(groups.head(MOST_GROUPS))
        if len(found["rows"]) >= MOST_GROUPS:
            raise _too_many_groups_error(lying)
        found.setdefault("nobody", np.zeros(len(found["rows"]), dtype=np.int64))
        names = {key: {held(raw): label_name(held(raw)) for raw in found[key]} for key in lying.keys}
        return cls(lying, found, names)

    def raw(self, key: str, *wanted: str) -> list[Any]:
        """The values of a column of names that go by some names; by any, where none is said."""
        return [raw for raw, name in self.names[key].items() if (name in wanted if wanted else name is not None)]

    @property
    def stands_for_nobody(self) -> NDArray[np.bool_]:
        """Which groups are of rows that weigh nothing or are counted zero times."""
        return np.asarray(self.found["nobody"] == 1)

    @property
    def lacks_names(self) -> NDArray[np.bool_]:
        """Which groups lack a name: of no row in them is anything known."""
        gaps = [[self.names[key][held(raw)] is None for raw in self.found[key]] for key in self.lying.keys]
        return np.asarray(np.array(gaps, dtype=np.bool_).any(axis=0))

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.found["rows"].sum())

    @property
    def nobodies(self) -> int:
        """How many rows stand for nobody."""
        return int(self.found["rows"][self.stands_for_nobody].sum())

    @property
    def dropped(self) -> int:
        """How many rows lack something, of those that stand for somebody."""
        lost = np.where(self.lacks_names, self.found["rows"], self.found["lacking"])
        return int(lost[~self.stands_for_nobody].sum())

    def sizes(self, key: str = "truth", model: str | None = None) -> dict[str, int]:
        """How many rows each name has; those of one model alone, where rows are of several."""
        found: dict[str, int] = {}
        is_case = self._case_mask(model)
        for raw, rows in zip(self.found[key][is_case], self.found["rows"][is_case], strict=True):
            name = self.names[key][held(raw)]
            if name is not None:
                found[name] = found.get(name, 0) + int(rows)
        return found

    def _case_mask(self, model: str | None) -> NDArray[np.bool_]:
        is_case = ~self.stands_for_nobody
        if model is None or "model" not in self.found:
            return is_case
        is_own = [self.names["model"][held(raw)] == model for raw in self.found["model"]]
        return np.asarray(is_case & np.array(is_own, dtype=np.bool_))

    def furthest(self, place: int) -> float:
        """How far from 1 the sums of some shares are at most."""
        off = self.found[f"furthest_{place}"].astype(np.float64)
        return float(np.fmax.reduce(off[~self.stands_for_nobody], initial=0.0))

    def range_of(self, name: str, model: str | None = None) -> tuple[float, float]:
        """The smallest and the largest of some numbers; those of one model alone, where rows are of several."""
        least, greatest = (self.found[f"{end}_{name}"].astype(np.float64) for end in ("least", "greatest"))
        is_case = self._case_mask(model)
        return float(np.fmin.reduce(least[is_case], initial=np.inf)), float(
            np.fmax.reduce(greatest[is_case], initial=-np.inf)
        )

    def of_columns(self, used: set[str]) -> Survey:
        """The same without columns of answers that are not used: what they lack is no gap. That costs another look."""
        kept = {own: name for own, name in self.lying.columns.items() if not own.startswith(ANSWERS) or name in used}
        if all(self._is_complete(own) for own in self.lying.columns if own not in kept):
            return self
        shares = tuple(each for each in self.lying.shares if {*each} <= {*kept})
        names = {own: each for own, each in self.lying.names.items() if own in kept}
        texts = tuple(own for own in self.lying.texts if own in kept)
        return Survey.of(replace(self.lying, columns=kept, shares=shares, names=names, texts=texts))

    def _is_complete(self, own: str) -> bool:
        """Whether nothing is missing in a column, no text stands in it, and no number is out of range."""
        if own in self.lying.labels:
            return not self.found[f"lacking_{own}"].any()
        bad = [self.found[name] for name in (f"lacking_{own}", f"texts_{own}") if name in self.found]
        return not any(each.any() for each in bad) and max(map(abs, self.range_of(own))) <= LARGEST_SCORE

    def refuse_empty(self) -> None:
        """Refuse a table without rows."""
        if self.rows == 0:
            raise InputError("the table holds column names but no rows", "at least one row")

    def refuse(self, missing: str) -> None:
        """Refuse what would be refused of rows in memory: texts, infinities, weights below zero, and gaps."""
        for name in self.lying.texts:
            self._refuse_text_values(name)
        if self.dropped and missing == "refuse":
            raise InputError(*self._missing_value_summary(), {"missing": "drop"})
        if self.dropped + self.nobodies == self.rows:
            found = f"each of the {counted(self.rows, 'row')} has a missing value"
            raise InputError(found, "at least one row with a true label and a prediction")
        for name in self.lying.numbers:
            self._refuse_out_of_range(name)

    def _refuse_text_values(self, name: str) -> None:
        texts = int(self.found[f"texts_{name}"].sum())
        if texts:
            example = min(str(text) for text in self.found[f"example_{name}"] if text is not None)
            column = shown(self.lying.columns[name])
            found = f"{column} holds texts such as {shown(example)} in {counted(texts, 'row')}"
            raise InputError(found, "a column of numbers with a decimal point")

    def _missing_value_summary(self) -> tuple[str, str]:
        """What is missing, and in how many rows."""
        is_case, rows = ~self.stands_for_nobody, self.found["rows"]
        gaps = {}
        for key in self.lying.keys:
            is_gap = np.array([self.names[key][held(raw)] is None for raw in self.found[key]], dtype=np.bool_)
            gaps[self.lying.columns[key]] = int(rows[is_gap & is_case].sum())
        for name in self.lying.gaps:
            each = self.found[f"lacking_{name}" if len(self.lying.gaps) > 1 else "lacking"]
            gaps[self.lying.columns[name]] = int(each[is_case].sum())
        said = [f"{shown(column)} is missing in {counted(size, 'row')}" for column, size in gaps.items() if size]
        return f"{', '.join(said)} of {self.rows:,}", "a value in every row"

    def _refuse_out_of_range(self, name: str) -> None:
        low, high = self.range_of(name)
        column = self.lying.columns[name]
        if not np.isfinite([low, high]).all():
            raise InputError(f"{shown(column)} is infinite in some rows", "a finite number for every case")
        if name in self.lying.weights:
            self._refuse_weights(name, column, low, high)
            return
        largest = max(-low, high)
        # One of many classes may be next to impossible in all rows.
        is_tiny = 0 < largest < SMALLEST_SCORE and not any(name in columns for columns in self.lying.shares)
        if is_tiny or largest > LARGEST_SCORE:
            furthest = low if -low == largest else high
            found = f"{shown(column)} has values as far from 0 as {furthest:g}"
            raise InputError(
                found, "scores up to 1e100, some beyond 1e-100; rescaling them does not change the ranking"
            )

    def _refuse_weights(self, name: str, column: str, low: float, high: float) -> None:
        parts = int(self.found["parts"].sum()) if name == "count" else 0
        if low < 0 or parts:
            found = (
                f"{shown(column)} is {low:g} in some row" if low < 0 else f"{shown(column)} holds fractions of a case"
            )
            what = "a weight" if name == "weight" else "a whole count"
            raise InputError(found, f"{what} that is not negative", {"ignore": column})
        if beyond_weights(np.array([low, high])).any():
            furthest = high if beyond_weights(np.array([high])).any() else low
            raise InputError(f"{shown(column)} is {furthest:g} in some row", WEIGHTS_NEEDED, {"ignore": column})


def held(raw: Any) -> Any:
    """A value as Python has it, which is what engines are asked about; nan is not equal to itself, None is."""
    value = raw.item() if isinstance(raw, np.generic) else raw
    return None if isinstance(value, float) and np.isnan(value) else value


def _too_many_groups_error(lying: Lying) -> InputError:
    said = listed([lying.columns[key] for key in lying.keys])
    found = f"{said} hold more than {MOST_GROUPS:,} different combinations, which looks like an id or a measurement"
    return InputError(found, "columns of classes and of few subgroups")


# What nobody can do yet without the rows, and what to do instead.
NOT_YET = {
    "fold": "cross-validation folds",
    "amount": "a risk chart",
    "id": "names of rows",
}


def refuse_unreachable(roles: Roles, request: Request) -> None:
    """Refuse whatever a reduction cannot use yet: nothing that is given is ignored."""
    for role, what in NOT_YET.items():
        if role in roles.used:
            _refuse_unsupported_role(f"{what} ({shown(roles.used[role])})", roles.used[role], request, role)
    if roles.clusters:
        found = f"{listed(roles.clusters)} may mark dependent rows, but the rows do not fit into memory"
        ways: list[Way] = [({"cluster": column}, "rows with the same value are dependent") for column in roles.clusters]
        ways += [({"ignore": roles.clusters}, "every row is an independent case"), _memory_suggestion(request)]
        raise InputError(found, "whether they are dependent, or memory for the rows", ways=ways)
    for option in ("default_class", "decimal"):
        if getattr(request, option) is not None:
            _refuse_unsupported_role(f"{option} = {getattr(request, option)!r}", None, request, option)


def refuse_what_stays(roles: Roles) -> None:
    """Refuse columns of rows that depend on one another, where evidence is to be made: it cannot tell them apart."""
    columns = [roles.used["cluster"]] if "cluster" in roles.used else list(roles.clusters)
    if columns:
        found = f"{listed(columns)} may mark dependent rows, which evidence cannot represent"
        raise InputError(found, "every row is an independent case", {"ignore": columns[0]})


def _memory_suggestion(request: Request) -> Way:
    return {"memory": doubled(request.memory)}, "read the rows into memory"


def _refuse_unsupported_role(what: str, column: str | None, request: Request, role: str) -> None:
    ways: list[Way] = [_memory_suggestion(request)]
    was_named = getattr(request, role, None) not in (None, ())
    if column is not None and not was_named:
        ways.insert(0, ({"ignore": column}, "ignore it"))
    found = f"{what} cannot be used yet where rows do not fit into memory ({request.memory})"
    raise InputError(found, "no such column, or memory for the rows", ways=ways)
