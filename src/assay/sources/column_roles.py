"""The part that each column plays, and the columns that the user named.

Which columns belong to which model: one score, predicted labels, or a probability for each class.

What columns hold, looked at whole: how many values, how many of them different, their range, the share of each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.request import Request
from assay.results import counted, percent
from assay.sources.column_names import NAMES, ON_REQUEST, USED, Open, existing, folded, named_as, which
from assay.sources.labels import FEW_CLASSES, MISSING, MOST_VALUES, aligned, is_measurement, label_name
from assay.sources.quoting import joined, listed, shown

if TYPE_CHECKING:
    import duckdb
    import narwhals as nw

__all__ = [
    "LOGITS",
    "ONLY_MODEL",
    "PER_CLASS",
    "Contents",
    "Given",
    "Look",
    "ModelColumns",
    "Profile",
    "Roles",
    "SaidOfModels",
    "class_key",
    "class_of",
    "first_column",
    "models_in",
    "of_frame",
    "of_lazy",
    "of_lists",
    "of_parts",
    "of_relation",
    "two_roles",
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
        return _given_models(free, said)
    wide = () if said.score or said.pred or said.model or said.certainty else _wide_models(free)
    plain = named_as("score", free)
    if wide and plain:
        found = f"{joined([plain[0], first_column(wide[0])])} could each be the scores"
        each: list[dict[str, object]] = [{"score": plain[0]}]
        each += [{"score": tuple(m.score for m in wide)}] if all(m.score for m in wide) else []
        raise Open(found, "one model, or one column for each", each)
    if wide:
        return wide
    one = _single_model_columns(free, said)
    if said.score or one.score or one.per_class or said.model:
        return (one,)
    return _models_by_suffix(free, one, look or Look())


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


def _single_model_columns(free: Sequence[str], said: SaidOfModels) -> ModelColumns:
    per_class = _class_columns(free)
    of_classes = [column for _, column in per_class] if len(per_class) > 1 else []
    scores = [column for column in named_as("score", free) if column not in of_classes]
    score = said.score[0] if said.score else None if said.certainty else which("score", scores)
    if not said.score and len(per_class) == 1 and score == per_class[0][1]:
        score = None  # prob_1 alone: of the class 1 where there is one, else of the positive class
    elif said.score or said.certainty or (score and len(per_class) < FEWEST_OF_MANY):
        per_class = ()
    pred = said.pred[0] if said.pred else which("pred", named_as("pred", free)) or _paired_label_column(free, score)
    certain = named_as("certainty", free) if not (score or per_class) and pred else []
    certainty = said.certainty or which("certainty", certain)
    name = _parse_wide_model(score or pred or "") or ONLY_MODEL
    return ModelColumns(name, score, pred, per_class, certainty=certainty)


def _models_by_suffix(free: Sequence[str], one: ModelColumns, look: Look) -> tuple[ModelColumns, ...]:
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
        raise Open(found_both, "an option to ignore it, or the scores of its model", [{"ignore": (one.pred,)}])
    return models


def _given_models(free: Sequence[str], said: SaidOfModels) -> tuple[ModelColumns, ...]:
    score, pred = said.score, said.pred
    if said.model is not None:
        raise InputError(
            f"several columns are given, but {shown(said.model)} has model names",
            "one score column with model names, or one column for each model without them",
        )
    if said.certainty is not None:
        raise InputError(f"certainty {shown(said.certainty)} does not apply to several models", "one model at a time")
    if score and pred and len(score) != len(pred):
        raise InputError(
            f"{len(score)} score columns are given but {len(pred)} of predicted labels",
            "one of each per model, in the same order",
        )
    preds: Sequence[str | None] = pred or [_paired_label_column(free, column) for column in score]
    scores: Sequence[str | None] = score or [None] * len(pred)
    return tuple(
        ModelColumns(_parse_wide_model(column) or column, of_score, of_pred)
        for column, of_score, of_pred in zip(score or pred, scores, preds, strict=True)
    )


def _wide_models(free: Sequence[str]) -> tuple[ModelColumns, ...]:
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
        name, label = _parse_wide_class(column, list(found))
        if label:
            per_class.setdefault(name, []).append((label, column))
    models = [
        ModelColumns(name, columns.get("score"), columns.get("pred"), tuple(per_class.get(name, ())))
        for name, columns in found.items()
    ]
    models += [ModelColumns(name, per_class=tuple(c)) for name, c in per_class.items() if name not in found]
    places = {column: place for place, column in enumerate(free)}
    return tuple(sorted(models, key=lambda model: min(places[column] for column in model.columns)))


def _parse_wide_class(column: str, known: Sequence[str] = ()) -> tuple[str, str]:
    """The model and the class that `proba__<model>__<class>` names; both empty where a column is called otherwise."""
    found = WIDE_CLASS.fullmatch(column.strip())
    rest = found.group(1) if found else ""
    name = max((name for name in known if rest.startswith(f"{name}__")), key=len, default=rest.partition("__")[0])
    label = rest[len(name) + 2 :]
    return (name, label) if name and label else ("", "")


def _parse_wide_model(column: str) -> str:
    prefix = next((prefix for prefix in WIDE.values() if column.strip().casefold().startswith(prefix)), "")
    return column.strip()[len(prefix) :] if prefix else ""


def _paired_label_column(free: Sequence[str], score: str | None) -> str | None:
    """The predicted labels of the model whose score column follows the wide pattern."""
    name = _parse_wide_model(score or "")
    same = (c for c in free if c.strip().casefold().startswith(WIDE["pred"]) and _parse_wide_model(c) == name)
    return next(same, None) if name else None


def _class_columns(free: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Columns named after classes, all with the same word before the class."""
    found: dict[str, list[tuple[str, str]]] = {}
    for column in free:
        label = class_of(column)
        if label:
            found.setdefault(word_before(column), []).append((label, column))
    ranked = sorted(found, key=lambda prefix: (-min(len(found[prefix]), 2), PER_CLASS.index(prefix)))
    return tuple(found[ranked[0]]) if ranked else ()


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
        value = _parse_number(name)
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
        lambda wanted: {column: _profile_values(held(column)) for column in wanted},
        lambda looked: _cross_tabulate(held, looked),
    )


def _cross_tabulate(held: Callable[[str], Sequence[Any]], looked: Mapping[str, Profile]) -> Crossed:
    """The same of columns as lists."""
    keys = [_bin_values(held(column), profile) for column, profile in looked.items()]
    return Counter(zip(*keys, strict=True)).items()


def _bin_values(values: Sequence[Any], profile: Profile) -> Sequence[Any]:
    if profile.distinct <= MOST_VALUES:
        return values
    numbers = np.array([np.nan if (number := _parse_number(value)) is None else number for value in values])
    bins = np.floor((numbers - profile.low) / profile.bin_width)
    return [None if np.isnan(place) else int(place) for place in bins.tolist()]


def _profile_values(values: Sequence[Any]) -> Profile:
    """A look at values of any kind.

    >>> _profile_values(["1", "0", "1.0", "NA"])
    Profile(rows=4, there=3, distinct=2, is_numeric=True, is_whole=True, low=0.0, high=1.0,
            classes=(('0', 1), ('1', 2)), examples=('1', '0', '1.0'))
    """
    try:
        counts = Counter(values)
    except TypeError:  # lists or other compound values, which play no role
        return Profile(len(values), len(values), len(values))
    found = {value: (name, size) for value, size in counts.items() if (name := label_name(value)) is not None}
    numbers = [number for value in found if (number := _parse_number(value)) is not None]
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
        _sort_by_frequency(sizes),
        tuple(str(value) for value in list(found)[:EXAMPLES]),
    )


def _parse_number(value: Any) -> float | None:
    """A value as a number, also with a decimal comma or a percent sign: which of them it is, is asked when it is read.

    >>> _parse_number("0,25"), _parse_number("22,4 %"), _parse_number("a,b")
    (0.25, 0.22399999999999998, None)
    """
    try:
        number = float(value.rstrip("% \u00a0").replace(",", ".") if isinstance(value, str) else value)
    except (TypeError, ValueError, OverflowError):
        return None
    number = number / 100 if isinstance(value, str) and value.rstrip().endswith("%") else number
    return number if np.isfinite(number) and not isinstance(value, bool | np.bool_) else None


def _sort_by_frequency(sizes: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    if len(sizes) > MOST_VALUES:
        return ()
    return tuple(sorted(sizes.items(), key=lambda item: (item[1], item[0])))


def of_frame(table: Any, names: Sequence[str]) -> Contents:
    """The contents of a frame that narwhals knows, lazy or not."""

    def find(wanted: Sequence[str]) -> dict[str, Profile]:
        import narwhals as nw

        part = table.select(nw.nth(*[names.index(column) for column in wanted]))
        eager = part.collect() if isinstance(part, nw.LazyFrame) else part
        return {column: _profile_series(eager[:, place]) for place, column in enumerate(wanted)}

    def held(column: str) -> Sequence[Any]:
        import narwhals as nw

        part = table.select(nw.nth(names.index(column)))
        values: Sequence[Any] = (part.collect() if isinstance(part, nw.LazyFrame) else part)[:, 0].to_list()
        return values

    return Contents(find, lambda looked: _cross_tabulate(held, looked))


def _profile_series(series: nw.Series[Any]) -> Profile:
    known = series.drop_nulls()
    if not series.dtype.is_numeric():
        found = _profile_values(known.to_list())
        return Profile(**{**found.__dict__, "rows": len(series)})
    if series.dtype.is_float():
        known = known.filter(~known.is_nan())
    distinct = known.n_unique()
    if distinct <= MOST_VALUES:
        sizes = known.alias("value").value_counts().rows()
        found = _profile_values([value for value, _ in sizes])
        counts = {label_name(value) or "": size for value, size in sizes}
        classes = _sort_by_frequency(counts)
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
        return {column: _profile_lazy_column(table, column) for column in wanted}

    return Contents(find, lambda looked: _cross_tabulate_lazily(table, looked))


def _cross_tabulate_lazily(table: nw.LazyFrame[Any], looked: Mapping[str, Profile]) -> Crossed:
    import narwhals as nw

    from assay.sources.engine.tables import collected

    keys = {f"v{place}": nw.col(column) for place, column in enumerate(looked)}
    for key, profile in zip(keys, looked.values(), strict=True):
        if profile.distinct > MOST_VALUES:
            keys[key] = ((keys[key] - profile.low) / profile.bin_width).floor()
    found = collected(table.select(**keys).group_by(*keys).agg(size=nw.len()))
    return zip(zip(*(found[key].tolist() for key in keys), strict=True), map(int, found["size"]), strict=True)


def _profile_lazy_column(table: nw.LazyFrame[Any], column: str) -> Profile:
    import narwhals as nw

    from assay.sources.engine.tables import collected

    held = nw.col(column)
    kind = table.collect_schema()[column]
    rows = int(collected(table.select(rows=nw.len()))["rows"][0])
    there = table.filter(~held.is_null())
    if kind.is_float():
        there = there.filter(~held.is_nan())
    facts = {"there": nw.len(), "distinct": held.n_unique()}
    if kind.is_numeric():
        facts |= {"low": held.min(), "high": held.max(), "parts": (held % 1 != 0).cast(nw.Int64).sum()}
    found = {name: values[0] for name, values in collected(there.select(**facts)).items()}
    known = int(found["there"])
    if known and int(found["distinct"]) <= MOST_VALUES:
        counts = collected(there.group_by(column).agg(size=nw.len()))
        values = [value for value, size in zip(counts[column].tolist(), counts["size"].tolist(), strict=True)]
        profile = _profile_values(values)
        sizes: Counter[str] = Counter()
        for value, size in zip(values, counts["size"].tolist(), strict=True):
            sizes[label_name(value) or ""] += int(size)
        return Profile(**{**profile.__dict__, "rows": rows, "there": known, "classes": _sort_by_frequency(sizes)})
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
        return _profile_relation(relation, [places[column] for column in wanted], wanted)

    def cross(looked: Mapping[str, Profile]) -> Crossed:
        relation, names = part(list(looked))
        rows = _columns_as_text(relation, [list(names).index(column) + 1 for column in looked])
        keys = [f"v{place}" for place in range(len(looked))]
        for place, profile in enumerate(looked.values()):
            if profile.distinct > MOST_VALUES:
                keys[place] = f"floor(({_number_sql(keys[place])} - {profile.low!r}) / {profile.bin_width!r})"
        named = ", ".join(f"{key} AS k{place}" for place, key in enumerate(keys))
        grouped = ", ".join(f"k{place}" for place in range(len(keys)))
        counted = rows.project(named).aggregate(f"{grouped}, count(*) AS size", grouped).fetchall()
        return [(tuple(values), int(size)) for *values, size in counted]

    return Contents(find, cross)


def _columns_as_text(relation: duckdb.DuckDBPyRelation, places: Sequence[int]) -> duckdb.DuckDBPyRelation:
    """Columns as text, called v0, v1 and so on, without what means a missing value."""
    absent = ", ".join("'" + text.replace("'", "''") + "'" for text in MISSING)
    texts = [f"trim(CAST(#{place} AS VARCHAR))" for place in places]
    held = [f"CASE WHEN lower({text}) NOT IN ({absent}) THEN {text} END AS v{n}" for n, text in enumerate(texts)]
    return relation.project(", ".join(held))


def _number_sql(value: str) -> str:
    """A text as a number, as `_parse_number` does it."""
    plain = f"TRY_CAST(replace(rtrim({value}, '% \u00a0'), ',', '.') AS DOUBLE)"
    return f"({plain} / CASE WHEN ends_with({value}, '%') THEN 100 ELSE 1 END)"


# So many columns are looked at in one pass: an engine's time for one query grows faster than with its expressions.
IN_ONE_PASS = 8


def _profile_relation(
    relation: duckdb.DuckDBPyRelation, places: Sequence[int], wanted: Sequence[str]
) -> dict[str, Profile]:
    profiles: dict[str, Profile] = {}
    for start in range(0, len(wanted), IN_ONE_PASS):
        block = slice(start, start + IN_ONE_PASS)
        profiles |= _profile_column_block(relation, places[block], wanted[block])
    return profiles


def _profile_column_block(
    relation: duckdb.DuckDBPyRelation, places: Sequence[int], wanted: Sequence[str]
) -> dict[str, Profile]:
    rows = _columns_as_text(relation, places)
    facts = ["count(*)"]
    for place in range(len(wanted)):
        value = f"v{place}"
        number = _number_sql(value)
        facts += [f"count({value})", f"count(DISTINCT {value})", f"count({number})", f"min({number})", f"max({number})"]
        facts += [f"count(*) FILTER ({number} = floor({number}))"]
    total, *found = rows.aggregate(", ".join(f"{fact} AS f{place}" for place, fact in enumerate(facts))).fetchall()[0]
    first = rows.limit(10 * EXAMPLES).fetchall()
    profiles = {}
    for place, column in enumerate(wanted):
        there, distinct, numbers, low, high, whole = found[6 * place : 6 * place + 6]
        examples = [row[place] for row in first if row[place] is not None][:EXAMPLES]
        if len(examples) < min(EXAMPLES, there):
            later = rows.project(f"v{place}").filter(f"v{place} IS NOT NULL").limit(EXAMPLES).fetchall()
            examples = [value for (value,) in later]
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
            _sort_by_frequency(sizes),
            tuple(dict.fromkeys(map(str, examples))),
        )
    return profiles


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
                raise OptionError(f"{role} is a {type(name).__name__}", "the name of a column, as a string")
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
    return InputError(f"column {shown(column)} is given for {times} roles", "a different column for each")
