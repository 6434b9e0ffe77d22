"""What columns hold, looked at whole: how many values, how many of them different, their range, the share of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.results import counted, percent
from assay.sources._coding import MOST_VALUES
from assay.sources._labels import FEW_CLASSES, MISSING, aligned, is_measurement, label_name

if TYPE_CHECKING:
    import duckdb
    import narwhals as nw

__all__ = ["Contents", "Profile", "of_frame", "of_lazy", "of_lists", "of_parts", "of_relation"]

EXAMPLES = 3
# Among more columns than these, nothing is looked for by what they hold: users name what they mean.
MOST_SEARCHED = 1_000


@dataclass(frozen=True)
class Profile:
    """What one column holds. `classes` are its names with their counts, where there are few; rarest first."""

    rows: int
    there: int
    distinct: int
    is_numeric: bool = False
    is_whole: bool = False
    low: float = np.nan
    high: float = np.nan
    classes: tuple[tuple[str, int], ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The different values, where there are few."""
        return tuple(name for name, _ in self.classes)

    @property
    def can_be_truth(self) -> bool:
        """Whether the values could be classes: few, none a measurement, each more than once on average."""
        few = 2 <= self.distinct <= FEW_CLASSES and self.distinct < self.there
        is_fraction = self.is_numeric and not self.is_whole
        return few and not is_fraction and not any(map(is_measurement, self.names))

    @property
    def can_be_score(self) -> bool:
        """Whether the values could be scores: numbers, more than two of them, and no running number."""
        return self.is_numeric and self.distinct > 2 and not (self.is_whole and self.distinct == self.there)

    @property
    def is_probability(self) -> bool:
        """Whether the values can hardly be anything else than probabilities."""
        return self.can_be_score and not self.is_whole and self.low >= 0 and self.high <= 1

    @property
    def repeats(self) -> bool:
        """Whether a value occurs twice."""
        return self.distinct < self.there

    @property
    def bin_width(self) -> float:
        """How wide the bins of very many numbers are."""
        return (self.high - self.low) / MOST_VALUES or 1.0

    def number(self, name: str) -> float | None:
        """The number that a name from `Contents.joint` stands for: itself, or the beginning of its bin."""
        value = _number(name)
        if value is None or self.distinct <= MOST_VALUES:
            return value
        return self.low + self.bin_width * value

    def can_be_labels_of(self, truth: Profile) -> bool:
        """Whether the values could be what was predicted where the truth holds such classes."""
        return 0 < self.distinct <= MOST_VALUES and {*aligned(self.names, truth.names)} <= {*truth.names}

    def described(self) -> str:
        """In a few words.

        >>> Profile(50, 50, 2, classes=(("died", 20), ("lived", 30))).described()
        '2 classes, 40 % "died"'
        >>> Profile(50, 50, 41, True, low=0.031, high=0.97).described()
        'from 0.031 to 0.97, 41 different'
        """
        gaps = f", {counted(self.rows - self.there, 'row')} without" if self.there < self.rows else ""
        if self.can_be_truth:
            name, size = self.classes[0]
            return f'{self.distinct} classes, {percent(size / self.there, 0)} "{name}"{gaps}'
        different = "all different" if self.distinct == self.there > 1 else f"{self.distinct:,} different"
        return (f"from {self.low:.4g} to {self.high:.4g}, {different}" if self.is_numeric else different) + gaps


# How often values of some columns come together; of a column of very many numbers, the bins they are in.
Crossed = Iterable[tuple[tuple[Any, ...], int]]


@dataclass
class Contents:
    """A source's columns, each looked at when it is first asked about and only then.

    `find` makes profiles, `cross` counts how often the values of some columns come together.
    """

    find: Callable[[Sequence[str]], Mapping[str, Profile]]
    cross: Callable[[Mapping[str, Profile]], Crossed]
    _seen: dict[str, Profile] = field(default_factory=dict)

    def of(self, columns: Iterable[str]) -> dict[str, Profile]:
        """The profiles of some columns."""
        wanted = list(dict.fromkeys(columns))
        new = [column for column in wanted if column not in self._seen]
        if new:
            self._seen.update(self.find(new))
        return {column: self._seen[column] for column in wanted}

    def joint(self, columns: Sequence[str]) -> list[tuple[tuple[str | None, ...], int]]:
        """How often the values of some columns come together, as names; numbers that are binned as their bin's place.

        Nothing where a column holds very many texts.
        """
        looked = self.of(columns)
        if any(profile.distinct > MOST_VALUES and not profile.is_numeric for profile in looked.values()):
            return []
        sizes: Counter[tuple[str | None, ...]] = Counter()
        for values, size in self.cross(looked):
            sizes[tuple(None if value is None else label_name(value) for value in values)] += size
        return list(sizes.items())

    def search(self, columns: Iterable[str]) -> dict[str, Profile]:
        """The profiles of columns among which one is looked for; none where they are too many to look at all."""
        wanted = list(dict.fromkeys(columns))
        return {} if len(wanted) > MOST_SEARCHED else self.of(wanted)


def of_lists(held: Callable[[str], Sequence[Any]]) -> Contents:
    """The contents of columns that can be had as lists."""
    return Contents(
        lambda wanted: {column: _of_values(held(column)) for column in wanted},
        lambda looked: _cross(held, looked),
    )


def _cross(held: Callable[[str], Sequence[Any]], looked: Mapping[str, Profile]) -> Crossed:
    """The same of columns as lists."""
    keys = [_binned(held(column), profile) for column, profile in looked.items()]
    return Counter(zip(*keys, strict=True)).items()


def _binned(values: Sequence[Any], profile: Profile) -> Sequence[Any]:
    if profile.distinct <= MOST_VALUES:
        return values
    numbers = np.array([np.nan if (number := _number(value)) is None else number for value in values])
    bins = np.floor((numbers - profile.low) / profile.bin_width)
    return [None if np.isnan(place) else int(place) for place in bins.tolist()]


def _of_values(values: Sequence[Any]) -> Profile:
    """A look at values of any kind.

    >>> _of_values(["1", "0", "1.0", "NA"])
    Profile(rows=4, there=3, distinct=2, is_numeric=True, is_whole=True, low=0.0, high=1.0,
            classes=(('0', 1), ('1', 2)), examples=('1', '0', '1.0'))
    """
    try:
        counts = Counter(values)
    except TypeError:  # lists or other compound values, which play no role
        return Profile(len(values), len(values), len(values))
    found = {value: (name, size) for value, size in counts.items() if (name := label_name(value)) is not None}
    numbers = [number for value in found if (number := _number(value)) is not None]
    is_numeric = len(numbers) == len(found) > 0
    sizes: Counter[str] = Counter()
    for name, size in found.values():
        sizes[name] += size
    return Profile(
        len(values),
        sizes.total(),
        len(sizes),
        is_numeric,
        is_numeric and all(number == np.floor(number) for number in numbers),
        min(numbers) if is_numeric else np.nan,
        max(numbers) if is_numeric else np.nan,
        _rarest_first(sizes),
        tuple(str(value) for value in list(found)[:EXAMPLES]),
    )


def _number(value: Any) -> float | None:
    """A value as a number, also with a decimal comma or a percent sign: which of them it is, is asked when it is read.

    >>> _number("0,25"), _number("22,4 %"), _number("a,b")
    (0.25, 0.22399999999999998, None)
    """
    try:
        number = float(value.rstrip("% \u00a0").replace(",", ".") if isinstance(value, str) else value)
    except (TypeError, ValueError, OverflowError):
        return None
    number = number / 100 if isinstance(value, str) and value.rstrip().endswith("%") else number
    return number if np.isfinite(number) and not isinstance(value, bool | np.bool_) else None


def _rarest_first(sizes: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    if len(sizes) > MOST_VALUES:
        return ()
    return tuple(sorted(sizes.items(), key=lambda item: (item[1], item[0])))


def of_frame(table: Any, names: Sequence[str]) -> Contents:
    """The contents of a frame that narwhals knows, lazy or not."""

    def find(wanted: Sequence[str]) -> dict[str, Profile]:
        import narwhals as nw

        part = table.select(nw.nth(*[names.index(column) for column in wanted]))
        eager = part.collect() if isinstance(part, nw.LazyFrame) else part
        return {column: _of_series(eager[:, place]) for place, column in enumerate(wanted)}

    def held(column: str) -> Sequence[Any]:
        import narwhals as nw

        part = table.select(nw.nth(names.index(column)))
        values: Sequence[Any] = (part.collect() if isinstance(part, nw.LazyFrame) else part)[:, 0].to_list()
        return values

    return Contents(find, lambda looked: _cross(held, looked))


def _of_series(series: nw.Series[Any]) -> Profile:
    known = series.drop_nulls()
    if not series.dtype.is_numeric():
        found = _of_values(known.to_list())
        return Profile(**{**found.__dict__, "rows": len(series)})
    if series.dtype.is_float():
        known = known.filter(~known.is_nan())
    distinct = known.n_unique()
    if distinct <= MOST_VALUES:
        sizes = known.alias("value").value_counts().rows()
        found = _of_values([value for value, _ in sizes])
        counts = {label_name(value) or "": size for value, size in sizes}
        classes = _rarest_first(counts)
        few = tuple(map(str, dict.fromkeys(known.head(10 * EXAMPLES).to_list())))[:EXAMPLES]
        facts = {"rows": len(series), "there": len(known), "classes": classes, "examples": few}
        return Profile(**{**found.__dict__, **facts})
    values: NDArray[Any] = known.to_numpy()
    whole = series.dtype.is_integer() or bool((values == np.floor(values)).all())
    shown = tuple(map(str, values[:EXAMPLES].tolist()))
    low, high = float(values.min()), float(values.max())
    return Profile(len(series), len(known), distinct, True, whole, low, high, (), shown)


def of_lazy(table: nw.LazyFrame[Any], names: Sequence[str]) -> Contents:
    """The contents of a table that an engine holds: it counts, and no column comes here."""

    def find(wanted: Sequence[str]) -> dict[str, Profile]:
        return {column: _of_lazy_column(table, column) for column in wanted}

    return Contents(find, lambda looked: _cross_lazily(table, looked))


def _cross_lazily(table: nw.LazyFrame[Any], looked: Mapping[str, Profile]) -> Crossed:
    import narwhals as nw

    from assay.sources._collected import collected

    keys = {f"v{place}": nw.col(column) for place, column in enumerate(looked)}
    for key, profile in zip(keys, looked.values(), strict=True):
        if profile.distinct > MOST_VALUES:
            keys[key] = ((keys[key] - profile.low) / profile.bin_width).floor()
    found = collected(table.select(**keys).group_by(*keys).agg(size=nw.len()))
    return zip(zip(*(found[key].tolist() for key in keys), strict=True), map(int, found["size"]), strict=True)


def _of_lazy_column(table: nw.LazyFrame[Any], column: str) -> Profile:
    import narwhals as nw

    from assay.sources._collected import collected

    held = nw.col(column)
    kind = table.collect_schema()[column]
    rows = int(collected(table.select(rows=nw.len()))["rows"][0])
    there = table.filter(~held.is_null())
    if kind.is_float():
        there = there.filter(~held.is_nan())
    facts = {"there": nw.len(), "distinct": held.n_unique()}
    if kind.is_numeric():
        facts |= {"low": held.min(), "high": held.max(), "parts": (held != held.floor()).sum()}
    found = {name: values[0] for name, values in collected(there.select(**facts)).items()}
    known = int(found["there"])
    if known and int(found["distinct"]) <= MOST_VALUES:
        counts = collected(there.group_by(column).agg(size=nw.len()))
        values = [value for value, size in zip(counts[column].tolist(), counts["size"].tolist(), strict=True)]
        profile = _of_values(values)
        sizes: Counter[str] = Counter()
        for value, size in zip(values, counts["size"].tolist(), strict=True):
            sizes[label_name(value) or ""] += int(size)
        return Profile(**{**profile.__dict__, "rows": rows, "there": known, "classes": _rarest_first(sizes)})
    if not kind.is_numeric() or not known:
        return Profile(rows, known, int(found["distinct"]) if known else 0)
    low, high = float(found["low"]), float(found["high"])
    return Profile(rows, known, int(found["distinct"]), True, int(found["parts"]) == 0, low, high)


def of_relation(relation: duckdb.DuckDBPyRelation, names: Sequence[str]) -> Contents:
    """The contents of a DuckDB relation: one aggregate over the columns asked about, and one for each that has few."""
    return of_parts(lambda wanted: (relation, names))


def of_parts(part: Callable[[Sequence[str]], tuple[duckdb.DuckDBPyRelation, Sequence[str]]]) -> Contents:
    """The same of a table that is had in parts: `part` gives a relation that has some columns, and their names."""

    def find(wanted: Sequence[str]) -> dict[str, Profile]:
        relation, names = part(wanted)
        places = {name: place for place, name in enumerate(names, 1)}
        return _of_relation(relation, [places[column] for column in wanted], wanted)

    def cross(looked: Mapping[str, Profile]) -> Crossed:
        relation, names = part(list(looked))
        rows = _texts(relation, [list(names).index(column) + 1 for column in looked])
        keys = [f"v{place}" for place in range(len(looked))]
        for place, profile in enumerate(looked.values()):
            if profile.distinct > MOST_VALUES:
                keys[place] = f"floor(({_as_number(keys[place])} - {profile.low!r}) / {profile.bin_width!r})"
        named = ", ".join(f"{key} AS k{place}" for place, key in enumerate(keys))
        grouped = ", ".join(f"k{place}" for place in range(len(keys)))
        counted = rows.project(named).aggregate(f"{grouped}, count(*) AS size", grouped).fetchall()
        return [(tuple(values), int(size)) for *values, size in counted]

    return Contents(find, cross)


def _texts(relation: duckdb.DuckDBPyRelation, places: Sequence[int]) -> duckdb.DuckDBPyRelation:
    """Columns as text, called v0, v1 and so on, without what means a missing value."""
    absent = ", ".join("'" + text.replace("'", "''") + "'" for text in MISSING)
    texts = [f"trim(CAST(#{place} AS VARCHAR))" for place in places]
    held = [f"CASE WHEN lower({text}) NOT IN ({absent}) THEN {text} END AS v{n}" for n, text in enumerate(texts)]
    return relation.project(", ".join(held))


def _as_number(value: str) -> str:
    """A text as a number, as `_number` does it."""
    plain = f"TRY_CAST(replace(rtrim({value}, '% \u00a0'), ',', '.') AS DOUBLE)"
    return f"({plain} / CASE WHEN ends_with({value}, '%') THEN 100 ELSE 1 END)"


def _of_relation(relation: duckdb.DuckDBPyRelation, places: Sequence[int], wanted: Sequence[str]) -> dict[str, Profile]:
    rows = _texts(relation, places)
    facts = ["count(*)"]
    for place in range(len(wanted)):
        value = f"v{place}"
        number = _as_number(value)
        facts += [f"count({value})", f"count(DISTINCT {value})", f"count({number})", f"min({number})", f"max({number})"]
        facts += [f"count(*) FILTER ({number} = floor({number}))"]
    total, *found = rows.aggregate(", ".join(f"{fact} AS f{place}" for place, fact in enumerate(facts))).fetchall()[0]
    profiles = {}
    for place, column in enumerate(wanted):
        there, distinct, numbers, low, high, whole = found[6 * place : 6 * place + 6]
        examples = rows.project(f"v{place}").filter(f"v{place} IS NOT NULL").limit(EXAMPLES).fetchall()
        is_numeric = numbers == there > 0 and bool(np.isfinite([low, high]).all())
        sizes: Counter[str] = Counter()
        if distinct <= MOST_VALUES:
            parts = rows.aggregate(f"v{place}, count(*) AS size", f"v{place}").filter(f"v{place} IS NOT NULL")
            for value, size in parts.fetchall():
                sizes[label_name(value) or value] += size
        profiles[column] = Profile(
            total,
            there,
            len(sizes) or distinct,
            is_numeric,
            is_numeric and whole == there,
            low if is_numeric else np.nan,
            high if is_numeric else np.nan,
            _rarest_first(sizes),
            tuple(dict.fromkeys(str(value) for (value,) in examples)),
        )
    return profiles
