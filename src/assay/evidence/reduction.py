"""One model's predictions reduced to what travels: its decisions, and its scores put together on the shared grid.

What one source contributes to evidence that several make together, such as a site.

Where two pieces of evidence differ, field by field: equality of evidence forgives rounding, this does not.

Evidence of several times as many cases, distributed as these are: it predicts a larger sample's intervals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import reduce
from typing import Any, Literal, TypeVar

import numpy as np

from assay.errors import OptionError
from assay.evidence.binning import Binned, ScoreGrid
from assay.evidence.confusion import OTHER_CLASSES, ConfusionMatrix
from assay.evidence.joint_sums import ModelSums
from assay.evidence.multiclass import FEWEST_TIED, ClassSums, SummedClasses
from assay.evidence.paired import JointCorrectness, PairedCorrectness, PairedDecisions
from assay.evidence.predicted_labels import DecidedRows
from assay.evidence.score_table import ClusteredRows, ScoreTable
from assay.types import Floats

__all__ = [
    "DEFAULT_BITS",
    "DEFAULT_BITS_OF_SHOWN",
    "FEWEST_TIED",
    "Contribution",
    "Reduced",
    "Shape",
    "differing_field",
    "is_scalable",
    "multiplied",
]


# Of ten million continuous scores the bounds of the AUC are then narrower than a hundredth of its standard error.
DEFAULT_BITS = 18
# Where small cells are not shown, cells must be wide enough that few are small.
DEFAULT_BITS_OF_SHOWN = 2

Kind = Literal["probability", "real"]
Scores = Binned | ScoreTable


@dataclass(frozen=True)
class Shape:
    """How scores are put together: on which grid, whether exactly, and how small a cell may be that is shown."""

    bits: int = DEFAULT_BITS
    kind: Kind | None = None
    is_exact: bool = False
    fewest: int = 1

    def of(self, table: ScoreTable, kind: Kind) -> Scores:
        """The scores of a table in this shape."""
        if self.is_exact:
            return table
        return self.shown(Binned.from_table(table, ScoreGrid(self.kind or kind, self.bits)))

    def shown(self, whole: Binned) -> Binned:
        """Of cells what may be shown: no small ones, and no score that might be somebody's."""
        binned = whole.without_small(self.fewest)
        for before, after, name in zip(
            (whole.negative, whole.positive), (binned.negative, binned.positive), whole.classes, strict=True
        ):
            if before.any() and not after.any():
                found = f"no bin of {self.fewest} or more cases has a case of class {name!r}"
                raise OptionError(found, "wider bins (fewer bits), or a smaller least", about=("least", "bits"))
        return binned.withheld(max(FEWEST_TIED, self.fewest))


@dataclass(frozen=True, eq=False)
class Reduced:
    """What one model's predictions are reduced to; two of these add.

    `scores` are those of the positive class of two, or, of more classes, one for each class against the rest. `cases`
    counts the cases of each class, whatever they weigh. `threshold` is what made the decisions, if one did. `sums` are
    what scores of more classes have beside that; evidence of before there were such has none.
    """

    classes: tuple[str, ...]
    cases: tuple[int, ...]
    matrix: ConfusionMatrix | None
    scores: tuple[Scores, ...] = ()
    threshold: float | None = None
    is_threshold_given: bool = False
    sums: ClassSums | None = None

    @classmethod
    def of(
        cls, rows: DecidedRows, scores: tuple[ScoreTable, ...], matrix: ConfusionMatrix | None, shape: Shape
    ) -> Reduced:
        """The rows of one model, which their tables and their matrix say the most of."""
        cases = np.bincount(rows.truth, rows.count, minlength=len(rows.classes))
        ends = [(table.score[0], table.score[-1]) for table in scores]
        kind: Kind = "probability" if all(low >= 0 and high <= 1 for low, high in ends) else "real"
        kept = tuple(shape.of(table, kind) for table in scores)
        counts = tuple(round(float(count)) for count in cases)
        return cls(rows.classes, counts, matrix, kept, rows.threshold)

    def __add__(self, other: Reduced) -> Reduced:
        return Reduced.sum((self, other))

    @classmethod
    def sum(cls, parts: tuple[Reduced, ...]) -> Reduced:
        """Many as one."""
        first = parts[0]
        for each in parts[1:]:
            _refuse_different_settings(first, each)
        matrices = [each.matrix for each in parts if each.matrix is not None]
        scores = tuple(_add_scores(side) for side in zip(*(each.scores for each in parts), strict=True))
        cases = tuple(map(sum, zip(*(each.cases for each in parts), strict=True)))
        matrix = reduce(lambda one, two: one + two, map(_without_bounds, matrices)) if matrices else None
        is_given = any(each.is_threshold_given for each in parts)
        sums = [each.sums for each in parts if each.sums is not None]
        held = ClassSums.sum(sums, [each.scores for each in parts], scores) if len(sums) == len(parts) else None
        return cls(first.classes, cases, matrix, scores, first.threshold, is_given, held)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reduced):
            return NotImplemented
        facts = [(each.classes, each.cases, each.threshold, each.is_threshold_given) for each in (self, other)]
        held = [(each.scores, each.matrix, each.sums) for each in (self, other)]
        return facts[0] == facts[1] and held[0] == held[1]

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def coarser(self, bits: int) -> Reduced:
        """The same with cells put together; what is exact has none."""
        if self.is_exact:
            raise OptionError("every score is stored, so there are no bins", "evidence without exact=True")
        # Two ties in one cell are no tie any more, and what lies between them is nobody's to know.
        scores = tuple(each.coarser(bits).withheld(FEWEST_TIED) for each in self.scores if isinstance(each, Binned))
        sums = None if self.sums is None else self.sums.coarser(bits, self.scores, scores)
        return replace(self, scores=scores, sums=sums)

    @property
    def is_exact(self) -> bool:
        """Whether the scores are kept one by one, which is as good as the rows."""
        return any(isinstance(each, ScoreTable) for each in self.scores)

    def tables(self) -> tuple[ScoreTable, ...]:
        """The score tables, those of cells with what their scores could be."""
        return tuple(each.table() if isinstance(each, Binned) else each for each in self.scores)

    def of_many(self, tables: tuple[ScoreTable, ...]) -> SummedClasses | None:
        """What measures of the scores of many classes read, with the tables of their cells; None where nothing adds."""
        if self.sums is None or self.matrix is None:
            return None
        return SummedClasses.of(self.scores, tables, self.sums, self.matrix)


def _without_bounds(matrix: ConfusionMatrix) -> ConfusionMatrix:
    return replace(matrix, ends=None)


def _add_scores(side: tuple[Scores, ...]) -> Scores:
    cells = [each for each in side if isinstance(each, Binned)]
    if cells and len(cells) < len(side):
        raise OptionError("one has every score, the other bins", "the same kind, to add them")
    if cells:
        return Binned.sum(cells)
    return reduce(lambda one, two: one + two, [each for each in side if isinstance(each, ScoreTable)])


def _refuse_different_settings(one: Reduced, other: Reduced) -> None:
    """Refuse what would add numbers of different things."""
    if one.classes != other.classes:
        mine, theirs = (", ".join(map(repr, each.classes[:5])) for each in (one, other))
        if mine == theirs:
            raise OptionError(*OTHER_CLASSES)
        raise OptionError(f"one has the classes {mine}, the other {theirs}", "the same classes, in the same order")
    if len(one.scores) != len(other.scores):
        raise OptionError("one has scores, the other only labels", "scores in both, or only labels in both")
    if (one.matrix is None) != (other.matrix is None):
        raise OptionError("one has predicted labels, the other none", "the same threshold for all, or none")
    if one.threshold != other.threshold:
        mine, theirs = ("by labels" if each is None else f"at {each:g}" for each in (one.threshold, other.threshold))
        raise OptionError(f"one was decided {mine} and the other {theirs}", "the same threshold for all")


@dataclass(frozen=True, eq=False)
class Contribution:
    """What one source was reduced to: its models by name, and where there are several who of them was right together.

    `name` is what the source is called, `sources` are the SHA-256 of what it was read from: they tell whether the same
    rows come twice.
    """

    name: str
    models: Mapping[str, Reduced]
    sources: tuple[str, ...] = ()
    joint: JointCorrectness | None = field(default=None, repr=False)
    # What a comparison of its models needs beside that, where nothing small is to be hidden.
    together: ModelSums | None = field(default=None, repr=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Contribution):
            return NotImplemented
        facts = [(each.name, each.sources, dict(each.models)) for each in (self, other)]
        joint = [None if each.joint is None else each.joint.counts.tolist() for each in (self, other)]
        return facts[0] == facts[1] and joint[0] == joint[1] and self.together == other.together

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    @property
    def cases(self) -> tuple[int, ...]:
        """How many cases of each class there are, of the first model."""
        return next(iter(self.models.values())).cases


Pairs = list[tuple[str, Any, Any]]


def differing_field(one: Any, other: Any, name: str = "parts") -> str | None:
    """Return the path of the first field in which two values differ, None where they are the same; nan equals nan.

    >>> from assay.evidence.confusion import ConfusionMatrix
    >>> one = ConfusionMatrix(np.eye(2), squares=np.eye(2))
    >>> differing_field(one, ConfusionMatrix(np.eye(2), squares=2 * np.eye(2)), "matrix")
    'matrix.squares'
    >>> differing_field({"a": (1.0, np.nan)}, {"a": (1.0, np.nan)}) is None
    True
    """
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        same = one is not None and other is not None and _same_arrays(np.asarray(one), np.asarray(other))
        return None if same else name
    if is_dataclass(one) and type(one) is type(other):
        names = [each.name for each in fields(one) if each.init]
        pairs: Pairs = [(f"{name}.{each}", getattr(one, each), getattr(other, each)) for each in names]
    elif isinstance(one, Mapping) and isinstance(other, Mapping):
        if one.keys() != other.keys():
            return name
        pairs = [(f"{name}[{key!r}]", one[key], other[key]) for key in one]
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
        if len(one) != len(other):
            return name
        pairs = [
            (f"{name}[{place}]", mine, theirs) for place, (mine, theirs) in enumerate(zip(one, other, strict=True))
        ]
    else:
        return None if one is other or one == other or (one != one and other != other) else name
    return next((found for path, mine, theirs in pairs if (found := differing_field(mine, theirs, path))), None)


def _same_arrays(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    if np.array_equal(one, other):
        return True
    return one.dtype.kind == "f" and other.dtype.kind == "f" and np.array_equal(one, other, equal_nan=True)


Counts = ConfusionMatrix | PairedCorrectness | PairedDecisions
Scalable = TypeVar("Scalable", bound=Counts | ScoreTable)


def is_scalable(evidence: Any) -> bool:
    """Whether `multiplied` takes this kind of evidence."""
    return isinstance(evidence, Counts | ScoreTable)


def multiplied(evidence: Scalable, times: float) -> Scalable:
    """Return the evidence of `times` as many cases; of clusters, of a whole number of times as many clusters.

    >>> table = ScoreTable.of([0.1, 0.4, 0.9], [False, True, True])
    >>> multiplied(table, 3) == table + table + table
    True
    """
    if isinstance(evidence, ScoreTable):
        found: Any = _multiply_table(evidence, times)
        return found  # type: ignore[no-any-return]
    clusters = evidence.clusters
    if clusters is not None:
        times = max(1, round(times))
        clusters = np.concatenate([clusters] * int(times))
    squares = None if evidence.squares is None else times * evidence.squares
    more = replace(evidence, counts=times * evidence.counts, squares=squares, clusters=clusters)
    # What scores in bins leave open is no matter of sample size.
    return replace(more, ends=None) if isinstance(more, ConfusionMatrix) else more


def _multiply_table(table: ScoreTable, times: float) -> ScoreTable:
    rows = table.rows
    if rows is not None:
        times = max(1, round(times))
        rows = _replicate_rows(rows, int(times))

    def more(side: Floats | None) -> Floats | None:
        return None if side is None else times * side

    found = ScoreTable(
        table.score, times * table.negative, times * table.positive, table.classes,
        more(table.negative_squares), more(table.positive_squares), rows,
    )  # fmt: skip
    if not table.knows_pairs:
        return found
    wins, of_positives, of_negatives = table.placement_sums
    return found.with_pairs((times**2 * wins, times**3 * of_positives, times**3 * of_negatives))


def _replicate_rows(rows: ClusteredRows, times: int) -> ClusteredRows:
    """The same rows several times over, each copy in clusters of its own."""
    clusters = int(rows.cluster.max()) + 1
    # Codes of few clusters may be too narrow for those of many.
    codes = rows.cluster.astype(np.intp)
    own = np.concatenate([codes + copy * clusters for copy in range(times)])
    position, is_positive, weight = (np.tile(part, times) for part in (rows.position, rows.is_positive, rows.weight))
    return ClusteredRows(position, is_positive, weight, own)
