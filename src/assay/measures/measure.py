"""What a measure is: a formula over evidence plus the facts that the lists, docs, schema and laws are made from.

Facts about measures that decide how they are compared, averaged over folds and planned for.

How a measure with parameters is written: `partial_auc(0, 0.2)`, `recall(specificity=0.9)`. Never by `eval`.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_type_hints

import numpy as np

from assay.errors import UnknownName
from assay.evidence import ClassScores, ConfusionMatrix, FourCells, ScoreTable, SummedClasses, arrangements
from assay.evidence.probability_losses import ErrorSums
from assay.renderers import in_notebook
from assay.request import checked_level, checked_seed
from assay.results import Estimate, Interval
from assay.types import Floats
from assay.uncertainty import Between, Moves


@dataclass(frozen=True)
class Answers:
    """A share of answers: within which class (None: all of them), and whether right ones make it higher.

    Two such shares on the same cases are compared by the answers that only one of them has right. `only_of_classes`
    says that an answer which is no class counts neither as right nor as wrong, so that then this does not hold.
    """

    within: Literal[0, 1] | None
    sign: Literal[1, -1]
    only_of_classes: bool = False


@dataclass(frozen=True)
class Pairs:
    """A share of pairs in order, the AUC, times `scale` plus `shift`: cases move it by where they stand."""

    scale: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True)
class OverFolds:
    """What the interval of a mean over the splits of a plan rests on, for measures that one was shown to hold for.

    A "share" of 0s and 1s tells by its own mean how cases vary, a "loss" by the loss of each case, a "ranking" by how
    each case moves it. Where `is_clipped` cases called certain and wrong leave no honest limits; a measure held
    `against_shares` of the classes needs them in equal parts in every split.
    """

    kind: Literal["share", "loss", "ranking"]
    is_clipped: bool = False
    against_shares: bool = False


Direction = Literal["higher", "lower", "neither"]
Evidence = ConfusionMatrix | ScoreTable | ClassScores | SummedClasses | ErrorSums
IntervalMethod = Callable[["Measure", Any, float, int], Interval]
Planned = Literal["share", "auc", "loss"]
# Under which heading a measure stands in lists and records: users store it, whatever the modules are called.
FAMILIES = ("agreement", "averages", "criteria", "decision", "errors beside a prior", "probability", "ranking", "rates")

INDEPENDENT = "cases are independent of one another and played no part in fitting the classifier or choosing it"


@dataclass(frozen=True)
class IntervalFamily:
    """The interval methods a kind of measure can have, the default first, and what they all assume."""

    methods: Mapping[str, IntervalMethod]
    assumes: str = INDEPENDENT

    @property
    def usual(self) -> IntervalMethod:
        """The default."""
        return next(iter(self.methods.values()))

    @classmethod
    def none(cls, reason: str, assumes: str = "nothing: it has none") -> IntervalFamily:
        """No interval, and why."""

        def missing(measure: Measure, evidence: Any, level: float, seed: int) -> Interval:
            return Interval.missing("none", reason)

        return cls({"none": missing}, assumes)


@dataclass(frozen=True, eq=False)
class Measure:
    """A formula over evidence, and the facts about it.

    Calling it gives the plain number (or an array of them, one for each member of a batch); `estimate` gives the number
    with its interval and its reading.
    """

    name: str
    title: str
    formula: Callable[[Any], Any] = field(repr=False)
    needs: type[Evidence]
    family: str
    notation: str
    bounds: tuple[float, float]
    better: Direction
    undefined: str
    intervals: IntervalFamily = field(repr=False)
    aliases: tuple[str, ...] = ()
    reference: str = ""
    of_one_class: bool = False
    needs_probability: bool = False
    # The parts interval methods need beside the value: what they hold depends on the family.
    parts: Callable[[Any], Any] | None = field(default=None, repr=False)
    # How to make it again, for measures that a function makes; the others are found by name.
    made_by: tuple[Callable[..., Measure], tuple[Any, ...]] | None = field(default=None, repr=False)
    # How it moves with each case: values at each score (negatives, positives), or in each cell. None: by differences.
    influence: Callable[[Any], Any] | None = field(default=None, repr=False)
    # The same with what its sums need alone, where it is a line through values that other measures have too.
    moves: Callable[[ScoreTable], Moves] | None = field(default=None, repr=False)
    # Whether its parts say of every score what a case of either label would move, also where none stands: then errors
    # that the sample happens not to hold are counted on.
    counts_errors: bool = False
    # Of a mean into which no label enters: the least and the most that a case may add to it.
    case_range: tuple[float, float] | None = None
    # Of a value that is biased where few cases make it: what stands in the middle of its interval.
    centre: Callable[[Any], float] | None = field(default=None, repr=False)
    # How two of it are compared: as shares of answers, as shares of pairs, by a paired t of the cases' losses; by
    # default from the posterior of the joint table (decisions) or from how each case moves it (scores).
    answers: Answers | None = None
    pairs: Pairs | None = None
    # Of a share of the cases given one label: a predictive value. Of a ratio of two shares: their parts and wholes.
    of_calls: bool = False
    ratio_of: Callable[[Any], tuple[Any, Any, Any, Any]] | None = field(default=None, repr=False)
    is_mean_loss: bool = False
    # Whether it concerns the cases of each class by themselves: no prevalence moves it, and resampling keeps classes.
    of_each_class: bool = False
    # Whether classes weigh by their size in it, so that rare ones matter little.
    weighs_by_size: bool = False
    # What an interval of its mean over the splits of a plan rests on; None where none was shown to hold.
    over_folds: OverFolds | None = None
    # Whether each cross-validation fold is ranked by itself and the folds' values are averaged; else cases are pooled.
    ranks_folds_apart: bool = False
    # What clusters tell of it, where that is its own; None: from how each case moves it.
    clustered: Callable[[Any], Between] | None = field(default=None, repr=False)
    # Shares of a fixed number of cases that only rise or only fall as the threshold does: the value when nobody and
    # when everybody is predicted positive, which needs no data.
    monotone: tuple[float, float] | None = None
    # Of a score of probabilities: what saying the true rate loses on average, as a function of that rate.
    entropy: Callable[[Any], Any] | None = field(default=None, repr=False)
    # The answer that looks at no case and does best by it, "positive" of two classes; None: answering at random.
    best_constant: Literal["commonest", "positive"] | None = None
    # Of which its limits from labels of a sample of the rows were simulated: those rows, or new cases like them too.
    from_sample: Literal["rows", "new"] | None = None
    # Whether the difference of two models from labels of a sample of the rows was simulated.
    has_sampled_difference: bool = False
    # Whether a stream is watched by it where nobody says by what.
    is_watched: bool = False
    # Between what it lies, of scores in cells, where that is not at the ends of what those of each class could be.
    in_cells: Callable[[Any], tuple[float, float]] | None = field(default=None, repr=False)
    # Whether nothing is known of that but the range of the measure.
    is_open_in_cells: bool = False
    # Of scores of many classes: what sums over the cases lack for it, or None; without this, they never suffice.
    lacks: Callable[[SummedClasses], str | None] | None = field(default=None, repr=False)

    _repr_html_ = in_notebook

    def __post_init__(self) -> None:
        # Written past the frozen fields so that help(), doctest and sphinx see the formula's own words.
        for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
            object.__setattr__(self, attribute, getattr(self.formula, attribute))
        object.__setattr__(self, "__wrapped__", self.formula)

    def __call__(self, evidence: Any) -> Any:
        if isinstance(evidence, ScoreTable) and evidence.negative.ndim == 1:
            # An estimate and its interval ask for the same number several times over a million scores.
            if self not in (known := evidence.cache):
                known[self] = self.formula(evidence)
            return known[self]
        if isinstance(evidence, ConfusionMatrix) and evidence.counts.shape == (2, 2) and self.takes_plain:
            # Arrays of one number each take twenty times as long as the numbers themselves.
            return np.float64(self.formula(evidence.cells))
        return self.formula(evidence)

    @cached_property
    def takes_plain(self) -> bool:
        """Whether the formula of two classes works on plain numbers, as those that use no array do."""
        try:
            value = self.formula(FourCells(5.0, 3.0, 2.0, 7.0))
        except (AttributeError, TypeError, IndexError):
            return False
        return isinstance(value, float) and not isinstance(value, np.floating)

    def __repr__(self) -> str:
        return f"<measure {self.name}: {self.title}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        from assay.measures import find, find_for_many, on_request_of_many, registry, registry_of_many

        if registry.get(self.name) is self:
            return find, (self.name,)
        is_of_many = self.name in registry_of_many or self.name in on_request_of_many
        return self.made_by or (find_for_many if is_of_many else find, (self.name,))

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Measure):
            return self is other
        return self.made_by is not None and (self.name, self.made_by) == (other.name, other.made_by)

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def planned(self) -> Planned | None:
        """How the number of cases is planned for: of shares, of the AUC, of a mean loss; None where nobody knows."""
        if self.answers is not None:
            return "share"
        if self.pairs is not None and self.pairs.scale == 1:
            return "auc"
        return "loss" if self.is_mean_loss and self.better == "lower" else None

    @property
    def moved_by(self) -> Callable[[Any], Any] | None:
        """How it moves with each case, where a function says so."""
        return self.influence or self.parts

    @property
    def definition(self) -> str:
        """What the number means, in a sentence or two."""
        doc = inspect.cleandoc(self.formula.__doc__ or "")
        return " ".join(doc.split("\n\n")[0].split())

    @property
    def range_text(self) -> str:
        """The range of its values, as text."""
        low, high = (
            "-inf" if bound == -math.inf else "inf" if bound == math.inf else f"{bound:g}" for bound in self.bounds
        )
        return f"{low} to {high}"

    def facts(self) -> dict[str, Any]:
        """Everything known about the measure, for lists, docs and glossaries."""
        return {
            "name": self.name,
            "title": self.title,
            "family": self.family,
            "definition": self.definition,
            "formula": self.notation,
            "range": self.range_text,
            "better": self.better,
            "undefined": self.undefined,
            "intervals": list(self.intervals.methods),
            "assumes": self.intervals.assumes,
            "aliases": list(self.aliases),
            "reference": self.reference,
            "of_one_class": self.of_one_class,
            "needs": "decisions" if self.needs is ConfusionMatrix else "scores",
        }

    def cases(self, evidence: Evidence) -> float:
        """How many cases stand in the denominator; of unequal weights, how many equal ones would say as much."""
        if not isinstance(evidence, ConfusionMatrix):
            if isinstance(evidence, ScoreTable | ClassScores | SummedClasses) and evidence.is_weighted:
                return float(np.sum(evidence.kish))
            return float(evidence.total)
        effective = evidence.effective()
        return self.share_of(effective)[1] if self.parts is not None else float(effective.total)

    def share_of(self, matrix: ConfusionMatrix) -> tuple[float, float]:
        """Of a measure that is a share: how many of how many cases of one matrix."""
        assert self.parts is not None
        is_plain = matrix.counts.shape == (2, 2) and self.takes_plain
        part, whole = self.parts(matrix.cells if is_plain else matrix)
        return float(part), float(whole)

    def estimate(self, evidence: Any, *, level: float = 0.95, method: str | None = None, seed: int = 0) -> Estimate:
        """The value with its interval, kept inside the measure's range and around the value."""
        level, seed = checked_level(level), checked_seed(seed)
        value, n = float(self(evidence)), self.cases(evidence)
        if math.isnan(value):
            return Estimate(self.name, value, math.nan, math.nan, level, "none", n, undefined=self.undefined)
        found, caution = self._interval(evidence, level, method, seed)
        bounds, why = self.of_cells(evidence, value), found.undefined
        if why is not None:
            return Estimate(self.name, value, math.nan, math.nan, level, found.method, n, undefined=why, bounds=bounds)
        low, high = max(self.bounds[0], min(found.low, value)), min(self.bounds[1], max(found.high, value))
        return Estimate(
            self.name, value, low, high, level, found.method, n, se=found.se, caution=caution, bounds=bounds
        )

    def of_cells(self, evidence: Any, value: float) -> tuple[float, float] | None:
        """Between what the measure lies, whichever scores in their cells made the evidence; None: of no cells."""
        if self.pairs is not None and isinstance(evidence, ScoreTable) and evidence.knows_pairs:
            return value, value
        ends = _values_at_bin_ends(self, evidence)
        if ends is None or not ends:
            return None if ends is None else (value, value)
        if self.is_open_in_cells:
            return self.bounds
        if self.in_cells is not None and not isinstance(evidence, SummedClasses):
            ends.extend(self.in_cells(evidence))
        known = [value, *(end for end in ends if not math.isnan(end))]
        return max(min(known), self.bounds[0]), min(max(known), self.bounds[1])

    def _interval(self, evidence: Any, level: float, method: str | None, seed: int) -> tuple[Interval, str | None]:
        """The default interval, or the one that was asked for by name and what is to be doubted about it."""
        if method is not None:
            from assay.measures.interval_methods import interval_by_name

            return interval_by_name(self, evidence, level, method, seed)
        if not is_clustered(evidence):
            return self.intervals.usual(self, evidence, level, seed), None
        from assay.measures.interval_methods import clustered_interval

        return clustered_interval(self, evidence, level), None


def _values_at_bin_ends(measure: Measure, evidence: Any) -> list[float] | None:
    """The measure with the scores of each class at an end of their cells; none: exact cells, None: of no cells."""
    if isinstance(evidence, ConfusionMatrix) and evidence.ends is not None:
        counts = ConfusionMatrix(evidence.ends, evidence.classes, evidence.decisions)
        return [float(value) for value in measure.formula(counts)]
    if isinstance(evidence, ScoreTable) and evidence.reach is not None:
        return [float(measure.formula(each)) for each in arrangements(evidence)]
    if isinstance(evidence, ErrorSums) and evidence.ends:
        return [float(measure.formula(each)) for each in evidence.ends]
    if isinstance(evidence, SummedClasses):
        # What is no measure of ranking is a mean of sums over the cases themselves.
        return [] if measure.in_cells is None else list(measure.in_cells(evidence))
    return None


def is_clustered(evidence: Evidence) -> bool:
    """Whether rows depend on one another."""
    return (evidence.rows if isinstance(evidence, ScoreTable) else evidence.clusters) is not None


def ratio(part: Any, whole: Any, *, without: float = math.nan) -> Any:
    """`part / whole`, nan where the whole is zero. The only division by data among the measures.

    `without` is what it is where only the whole is zero.

    >>> ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25,  nan])
    """
    if type(whole) is float and type(part) is float:
        # The counts of a stream's moment: arrays of one number each would take twenty times as long.
        return part / whole if whole else without if part > 0 else math.nan
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    if whole.all():
        # Without a zero to look out for, division is several times faster.
        return (part / whole)[()]
    part, whole = np.broadcast_arrays(part, whole)
    empty = np.where(part > 0, without, np.nan)
    return np.divide(part, whole, out=empty, where=whole != 0)[()]


def root(value: Any) -> Any:
    """The square root of a plain number or of an array, without an array for the one.

    >>> root(9.0)
    3.0
    """
    return math.sqrt(value) if type(value) is float else np.sqrt(value)


def axis_shares(weights: Any) -> Any:
    """Where a curve stands on one axis before, between and after its tie blocks; nan where the class is missing.

    >>> axis_shares(np.array([1.0, 3.0]))
    array([0.  , 0.25, 1.  ])
    """
    sums = np.concatenate((np.zeros((*weights.shape[:-1], 1)), np.cumsum(weights, axis=-1)), axis=-1)
    return ratio(sums, sums[..., -1:])


def matrix_influence(measure: Callable[[ConfusionMatrix], Any], matrix: ConfusionMatrix) -> Floats:
    """How much one more case in each cell would move a function of the cells' shares, times the number of cases.

    By central differences; an empty cell can only grow.

    >>> matrix = ConfusionMatrix.binary(tp=40, fn=10, fp=20, tn=30)
    >>> matrix_influence(lambda m: m.correct / m.total, matrix).round(3)
    array([[ 0.3, -0.7],
           [-0.7,  0.3]])
    """
    counts, total = matrix.counts, float(matrix.total)
    up = np.eye(counts.size).reshape(-1, *counts.shape) * 1e-5 * total
    down = np.minimum(up, counts * 0.5)
    above, below = (
        measure(ConfusionMatrix(cells, matrix.classes, matrix.decisions)) for cells in (counts + up, counts - down)
    )
    # An infinite value does not move.
    with np.errstate(invalid="ignore"):
        steep = (above - below) / (up + down).sum((-2, -1))
    slopes = np.where(np.isfinite(steep), steep, 0.0).reshape(counts.shape) * total
    centred: Floats = slopes - float((slopes * counts).sum()) / total
    return centred


def named(formula: Callable[..., Any], name: str, doc: str | None, module: str) -> Callable[..., Any]:
    """A formula that is made when it is asked for, with the name and the words it goes by."""
    formula.__name__ = formula.__qualname__ = name
    formula.__doc__, formula.__module__ = doc, module
    return formula


def evidence_of(formula: Callable[..., Any]) -> type[Evidence]:
    """The evidence a formula needs, read off the annotation of its parameter."""
    hints = get_type_hints(formula)
    parameter = next(iter(inspect.signature(formula).parameters))
    needed: type[Evidence] = hints[parameter]
    return needed


Value = float | bool | str

CALL = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_ -]*?)\s*\(([^()]*)\)\s*")
ARGUMENT = re.compile(r"\s*(?:([A-Za-z_]+)\s*=\s*)?([^\s=]+)\s*")
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
WORD = re.compile(r"[A-Za-z_]+")
TRUTHS = {"true": True, "false": False}


class Spelling(NamedTuple):
    """A name, the values that stand by their place and those that stand by a name."""

    name: str
    values: tuple[Value, ...]
    named: Mapping[str, Value]


def spelt(name: str, *values: Value, **named: Value) -> str:
    """The one way a measure with these parameters is written; what is not given is left out.

    >>> spelt("partial_auc", 0, 0.2), spelt("recall", specificity=0.9)
    ('partial_auc(0, 0.2)', 'recall(specificity=0.9)')
    """
    written = [_written_value(value) for value in values]
    return f"{name}({', '.join([*written, *(f'{key}={_written_value(value)}' for key, value in named.items())])})"


def read(text: str) -> Spelling:
    """What a text says.

    >>> read("Partial-AUC(0, .2, standardised=false)")
    Spelling(name='partial_auc', values=(0.0, 0.2), named={'standardised': False})
    >>> read("f_beta(2")
    Traceback (most recent call last):
    assay.errors.UnknownName: 'f_beta(2' cannot be read as a measure; needed: a name and its parameters, ...
    """
    call = CALL.fullmatch(text)
    given = [] if call is None or not call.group(2).strip() else call.group(2).split(",")
    arguments = [ARGUMENT.fullmatch(part) for part in given]
    values, named = list[Value](), dict[str, Value]()
    for argument in arguments:
        value = None if argument is None else _parameter_value(argument.group(2))
        key = "" if argument is None else (argument.group(1) or "").lower()
        if value is None or key in named or (named and not key):
            call = None
            break
        if key:
            named[key] = value
        else:
            values.append(value)
    if call is None:
        found = f"{text!r} cannot be read as a measure"
        raise UnknownName(found, "a name and its parameters, such as f_beta(2) or recall(specificity=0.9)")
    return Spelling(re.sub("[ -]", "_", call.group(1).lower()), tuple(values), named)


def _parameter_value(text: str) -> Value | None:
    if NUMBER.fullmatch(text):
        return float(text)
    return TRUTHS.get(text.lower(), text.lower()) if WORD.fullmatch(text) else None


def _written_value(value: Value) -> str:
    if isinstance(value, bool | str):
        return str(value).lower()
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))
