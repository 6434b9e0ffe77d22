"""Evidence gathered batch by batch: what a training loop or a rank of a distributed job holds.

What batches have gathered: cases put together, put into cells, as plain arrays, and as an evaluation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.evaluation.construction import DEFAULT_THRESHOLD, evaluation_of
from assay.evaluation.evaluation import AnyEvaluation, of_any_kind
from assay.evaluation.reduction import Evidence, class_sums
from assay.evidence import (
    Binned,
    ClassScores,
    ClassSums,
    ConfusionMatrix,
    Contribution,
    DecidedRows,
    ScoreGrid,
    ScoreTable,
)
from assay.evidence.multiclass import ANSWERS, SIDES
from assay.evidence.reduction import FEWEST_TIED, Reduced, Scores
from assay.predictions import Predictions
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level, checked_seed, checked_threshold, front_door
from assay.results import counted
from assay.sources import BatchReader, Source, refuse_inconsistent_model

__all__ = [
    "Accumulator",
    "arrays_of_rows",
    "concatenated",
    "evidence_of_reduced",
    "reduced_of",
    "reduced_rows",
    "rows_of",
    "state_of",
]


OF_CASES = ("truth", "score", "probability", "decision", "weight", "count")
LOSS = "loss_"
OF_CELLS = ("cell", "negative", "positive", "least", "greatest", "negative_squares", "positive_squares")


def concatenated(parts: Sequence[Predictions]) -> Predictions:
    """The cases of several batches as those of one; where some have weights, those of the others are 1."""
    if len(parts) == 1:
        return parts[0]
    found: dict[str, Any] = {}
    for name in OF_CASES:
        held = [getattr(part, name) for part in parts]
        if any(values is not None for values in held):
            filled = [np.ones(len(p)) if v is None else v for p, v in zip(parts, held, strict=True)]
            found[name] = np.concatenate(filled)
    return Predictions(parts[0].classes, **found)


def reduced_rows(rows: Predictions, threshold: float | None, grid: ScoreGrid | None) -> Reduced:
    """Cases reduced to their decisions and to their scores: in the cells of a grid, or one by one where there is none.

    Decisions are those of the cases themselves, not of their cells, so that any threshold is exact.
    """

    def put(table: ScoreTable) -> Scores:
        return table if grid is None else Binned.from_table(table, grid)

    decided = DecidedRows(rows, threshold)
    counts = np.bincount(rows.truth, rows.count, minlength=len(rows.classes))
    tables: list[ScoreTable] = []
    scores = None
    if rows.probability is not None:
        scores = ClassScores.of(rows.probability, rows.truth, rows.classes, weight=rows.weight, count=rows.count)
        tables = [scores.against_rest(k) for k in range(len(rows.classes))]
    elif rows.score is not None:
        of_two = (rows.classes[0], rows.classes[1])
        tables = [ScoreTable.of(rows.score, rows.truth == 1, of_two, weight=rows.weight, count=rows.count)]
    kept = tuple(map(put, tables))
    cases = tuple(round(float(n)) for n in counts)
    sums = None if scores is None else class_sums(scores, kept, put)
    return Reduced(rows.classes, cases, decided.matrix(), kept, threshold, sums=sums)


def evidence_of_reduced(found: Reduced, name: str = "") -> Evidence:
    """Evidence without rows, as one part that is known by what it holds."""
    digest = hashlib.sha256()
    for each, values in sorted(state_of(found).items()):
        digest.update(each.encode() + b"\0" + np.ascontiguousarray(values).tobytes())
    return Evidence((Contribution(name, {"": found}, (digest.hexdigest(),)),), "batches")


def state_of(found: Reduced) -> dict[str, NDArray[Any]]:
    """Evidence as plain arrays by name."""
    state: dict[str, NDArray[Any]] = {"cases": np.array(found.cases)}
    if found.matrix is not None:
        state["matrix"] = found.matrix.counts
        state |= {} if found.matrix.squares is None else {"matrix_squares": found.matrix.squares}
    for place, scores in [*enumerate(found.scores), *(() if found.sums is None else found.sums.answers.items())]:
        held = {name: getattr(scores, name, None) for name in (*OF_CELLS, "score")}
        state |= {f"{name}_{place}": values for name, values in held.items() if values is not None}
    if found.sums is not None:
        state["sums"] = np.array([found.sums.certain_and_wrong, found.sums.are_probabilities])
        state |= {f"{LOSS}{name}": values for name, values in found.sums.losses.items()}
        state |= {f"by_truth_{place}": values for place, values in enumerate(found.sums.by_truth)}
    return state


def reduced_of(
    state: Mapping[str, NDArray[Any]], classes: tuple[str, ...], grid: ScoreGrid, threshold: float | None
) -> Reduced:
    """The evidence that such arrays hold, if their figures agree."""
    matrix = (
        ConfusionMatrix(state["matrix"], classes, classes, state.get("matrix_squares")) if "matrix" in state else None
    )
    scores: list[Scores] = []
    while f"cell_{len(scores)}" in state:
        pair = (classes[0], classes[1]) if len(classes) == 2 else ("rest", classes[len(scores)])
        scores.append(_binned_from_state(state, len(scores), grid, pair))
    sums = _class_sums_from_state(state, grid) if "sums" in state else None
    found = Reduced(classes, tuple(int(n) for n in state["cases"]), matrix, tuple(scores), threshold, sums=sums)
    refuse_inconsistent_model(found)
    return found


def _binned_from_state(
    state: Mapping[str, NDArray[Any]], place: int | str, grid: ScoreGrid, pair: tuple[str, str]
) -> Binned:
    held: dict[str, Any] = {name: state.get(f"{name}_{place}") for name in OF_CELLS}
    return Binned(grid, classes=pair, **held)


def _class_sums_from_state(state: Mapping[str, NDArray[Any]], grid: ScoreGrid) -> ClassSums:
    by_truth: list[Any] = []
    while f"by_truth_{len(by_truth)}" in state:
        by_truth.append(state[f"by_truth_{len(by_truth)}"])
    answers = {name: _binned_from_state(state, name, grid, SIDES) for name in ANSWERS}
    losses = {name.removeprefix(LOSS): values for name, values in state.items() if name.startswith(LOSS)}
    certain, are_shares = state["sums"].tolist()
    return ClassSums(tuple(by_truth), answers, losses, certain, bool(are_shares))


def arrays_of_rows(rows: Predictions) -> dict[str, NDArray[Any]]:
    """Cases as plain arrays by name."""
    held = {name: getattr(rows, name) for name in OF_CASES}
    return {name: np.array(values) for name, values in held.items() if values is not None}


def rows_of(state: Mapping[str, NDArray[Any]], classes: tuple[str, ...]) -> Predictions:
    """The cases that such arrays hold."""
    for name in ("truth", "decision"):
        codes = state.get(name)
        if codes is not None and not (codes.dtype.kind in "iu" and ((codes >= 0) & (codes < len(classes))).all()):
            raise OptionError(
                f"the {name} is none of the {len(classes)} classes", "the number of a class for each case"
            )
    held: dict[str, Any] = {name: state[name] for name in OF_CASES if name in state}
    return Predictions(classes, **held)


# At most 320,000 cells: a dozen megabytes, however many cases there are.
DEFAULT_BITS = 12
MOST_BITS = 18
# So many numbers wait until they are put into cells: the cells are gone through once for all of them.
WAITING, WAITING_OF_MANY = 1 << 17, 1 << 20
NOTHING = ("nothing has been gathered", "acc.update(y_true, y_score) before acc.evaluate()")
SAID: Mapping[str, Callable[[Any], Any]] = {
    "the classes": lambda one: ", ".join(map(repr, one.batches.columns)),
    "the positive class": lambda one: repr(one.batches.classes[-1]),
    "scores that are": lambda one: one.batches.kind,
    "bits": lambda one: one.bits,
    "exact": lambda one: one.exact,
    "the threshold": lambda one: one.threshold,
    "the level": lambda one: one.level,
    "the seed": lambda one: one.seed,
}
NO_STATE = ("this is no state of an accumulator", "what acc.state() gave")


@dataclass(frozen=True)
class _Settings:
    """What accumulators must have in common to add."""

    batches: BatchReader
    bits: int
    exact: bool
    threshold: float | None
    level: float
    seed: int

    @property
    def grid(self) -> ScoreGrid:
        return ScoreGrid(self.batches.kind, self.bits)

    @property
    def threshold_used(self) -> float | None:
        """What decides where no labels are given."""
        if len(self.batches.classes) > 2:
            return None
        is_default = self.threshold is None and self.batches.kind == "probability"
        return DEFAULT_THRESHOLD if is_default else self.threshold

    def differs_from(self, other: _Settings) -> str | None:
        """In what two accumulators differ, in words."""
        for what, read in SAID.items():
            mine, theirs = read(self), read(other)
            if mine != theirs:
                return f"one has {what} {mine} and the other {theirs}"
        return None


class Accumulator:
    """Evidence that grows by a batch at a time, in memory that does not: an evaluation with intervals at any moment.

    `classes` are fixed beforehand, of two the `positive` one too where their names do not tell. Scores are counted in
    the cells of a grid of probabilities (`grid="real"` takes any scores), so finely that `bounds` beside each interval
    show how little it matters; `exact=True` keeps every case instead. Any order and any split into batches, ranks and
    days gives the same evidence, and `+` or `merge` puts those of ranks together.

    >>> acc = Accumulator(classes=["ham", "spam"], positive="spam")
    >>> for _ in range(20):
    ...     acc.update(["ham", "spam", "spam", "ham"], [0.2, 0.9, 0.4, 0.5])
    >>> acc
    Accumulator(80 cases of 'ham', 'spam'; positive 'spam')
    >>> acc.evaluate().roc_auc
    0.750 [0.624, 0.844]
    """

    _repr_html_ = in_notebook

    @front_door
    def __init__(
        self,
        classes: Sequence[Any] = (0, 1),
        positive: Any = None,
        *,
        grid: Literal["probability", "real"] = "probability",
        bits: int = DEFAULT_BITS,
        exact: bool = False,
        threshold: float | None = None,
        level: float = 0.95,
        seed: int = 0,
    ) -> None:
        if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= MOST_BITS:
            raise OptionError(f"bits is {bits!r}", f"a whole number from 1 to {MOST_BITS}", about="bits")
        if exact and bits != DEFAULT_BITS:
            raise OptionError("exact and bits are both given", "one of them: exact scores are in no cells")
        kind: Literal["probability", "real"] = checked_choice(grid, ("probability", "real"), "grid")  # type: ignore[assignment]
        batches = BatchReader.of(classes, positive, kind)
        if threshold is not None and len(batches.classes) > 2:
            raise OptionError(f"there are {len(batches.classes)} classes", "two, if a threshold is to part them")
        at = None if threshold is None else checked_threshold(threshold)
        self._settings = _Settings(batches, bits, bool(exact), at, checked_level(level), checked_seed(seed))
        self.reset()

    def reset(self) -> None:
        """Forget all cases, as at the start of an epoch."""
        self._gathered: Reduced | None = None
        self._waiting: list[Predictions] = []
        # How many numbers wait: counting them anew at each batch would take longer than reading it.
        self._numbers = 0
        # Whether cases come with scores, and whether with labels.
        self._holds: tuple[bool, bool] | None = None

    @front_door
    def update(
        self, y_true: Any, y_score: Any = None, *, y_pred: Any = None, weight: Any = None, count: Any = None
    ) -> None:
        """Add a batch: its true classes beside scores (a column a class, of many) or predicted labels, or both.

        Arrays, lists and tensors on this machine are taken as they are, half precision included. `weight` is what a
        case stands for, `count` how many equal cases it is; those of 0, such as padding, count for nothing.
        """
        batch = self._settings.batches.read(y_true, y_score, y_pred, weight, count)
        if batch is None:
            return
        has_scores = batch.score is not None or batch.probability is not None
        self._refuse_other_kind((has_scores, batch.decision is not None))
        self._waiting.append(batch)
        self._numbers += int(batch.truth.size if batch.probability is None else batch.probability.size)
        most = WAITING if batch.probability is None else WAITING_OF_MANY
        if not self._settings.exact and self._numbers >= most:
            self._bin_pending_cases()

    def merge(self, other: Accumulator) -> None:
        """Add all that another one has gathered."""
        if not isinstance(other, Accumulator):
            raise OptionError(f"this is a {type(other).__name__}", "another Accumulator, to merge with")
        if other is self:
            raise OptionError("this is the same accumulator, whose cases would count twice", "another one")
        differing = self._settings.differs_from(other._settings)
        if differing is not None:
            raise OptionError(differing, "the same settings, to add them")
        if other._holds is not None:
            self._refuse_other_kind(other._holds)
        theirs = other._gathered
        self._waiting = [*self._waiting, *other._waiting]
        self._gathered = _sum_of_reduced(self._gathered, theirs)
        if not self._settings.exact:
            self._bin_pending_cases()

    def __add__(self, other: Accumulator) -> Accumulator:
        both = Accumulator.__new__(Accumulator)
        both._settings, both._gathered, both._holds = self._settings, self._gathered, self._holds
        both._waiting, both._numbers = list(self._waiting), 0
        both.merge(other)
        return both

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same evidence, in whatever order it came."""
        if not isinstance(other, Accumulator):
            return NotImplemented
        if self._settings != other._settings:
            return False
        return self._all_reduced() == other._all_reduced()

    __hash__ = None  # type: ignore[assignment]  # grows

    def __len__(self) -> int:
        gathered = 0 if self._gathered is None else sum(self._gathered.cases)
        waiting = sum(len(each) if each.count is None else round(float(each.count.sum())) for each in self._waiting)
        return gathered + waiting

    def __repr__(self) -> str:
        classes = self._settings.batches.classes
        names = ", ".join(map(repr, classes[:5])) + (", ..." if len(classes) > 5 else "")
        positive = f"; positive {classes[1]!r}" if len(classes) == 2 else ""
        return f"Accumulator({counted(len(self), 'case')} of {names}{positive})"

    def evaluate(self) -> AnyEvaluation:
        """How good the predictions are that have been gathered, each number with its interval."""
        if not len(self):
            raise OptionError(*NOTHING)
        settings = self._settings
        if settings.exact:
            rows, source = concatenated(self._waiting), Source("batches", "arrays", rows=len(self))
            return of_any_kind(evaluation_of(rows, source, settings.threshold, settings.level, settings.seed))
        found = self._all_reduced()
        assert found is not None
        return evidence_of_reduced(found).evaluate(level=settings.level, seed=settings.seed)

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it as plain arrays by name, which any framework can send from rank to rank.

        >>> acc = Accumulator()
        >>> acc.update([0, 1], [0.2, 0.7])
        >>> Accumulator.of_state(acc.state()) == acc
        True
        """
        settings = self._settings
        said: dict[str, NDArray[Any]] = {
            "classes": np.array(settings.batches.columns),
            "positive": np.array(settings.batches.classes[1:] if len(settings.batches.classes) == 2 else []),
            "grid": np.array(settings.batches.kind),
            # As texts: no whole number is too long for one.
            "options": np.array([str(int(each)) for each in (settings.bits, settings.exact, settings.seed)]),
            "holds": np.array(self._holds or ()),
            "levels": np.array([settings.level, np.nan if settings.threshold is None else settings.threshold]),
        }
        if settings.exact:
            return said | ({} if not self._waiting else arrays_of_rows(concatenated(self._waiting)))
        self._bin_pending_cases()
        return said | ({} if self._gathered is None else state_of(self._gathered))

    @classmethod
    def of_state(cls, state: Mapping[str, NDArray[Any]]) -> Self:
        """The accumulator whose state this is."""
        try:
            bits, exact, seed = (int(each) for each in state["options"])
            level, threshold = (float(each) for each in state["levels"])
            made = cls(
                state["classes"].tolist(),
                *(state["positive"].tolist() or [None]),
                grid=str(state["grid"]),  # type: ignore[arg-type]
                bits=bits,
                exact=bool(exact),
                threshold=None if np.isnan(threshold) else threshold,
                level=level,
                seed=seed,
            )
            classes = made._settings.batches.classes
            if len(state["holds"]):
                has_scores, has_labels = state["holds"].tolist()
                made._holds = (bool(has_scores), bool(has_labels))
            if "truth" in state:
                made._waiting = [rows_of(state, classes)]
            elif "cases" in state:
                found = reduced_of(state, classes, made._settings.grid, made._threshold)
                made._gathered = replace(found, is_threshold_given=made._settings.threshold is not None)
        except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as error:
            why = f": {error.found}" if isinstance(error, InputError) else ""
            raise OptionError(f"{NO_STATE[0]}{why}", NO_STATE[1]) from error
        return made

    def evidence(self, name: str = "") -> Evidence:
        """The evidence itself, in a form that travels: cells of few cases do not tell their scores."""
        found = self._all_reduced()
        if found is None:
            raise OptionError(*NOTHING)
        kept = tuple(each.withheld(FEWEST_TIED) if isinstance(each, Binned) else each for each in found.scores)
        sums = None if found.sums is None else found.sums.shown(1, found.cases)
        return evidence_of_reduced(replace(found, scores=kept, sums=sums), name)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the evidence to a file, which `assay.load`, `assay.merge` and every command read."""
        self.evidence().save(path)

    def _all_reduced(self) -> Reduced | None:
        if self._settings.exact:
            return None if not self._waiting else self._reduced(None)
        self._bin_pending_cases()
        return self._gathered

    def _bin_pending_cases(self) -> None:
        """Put the cases that wait into cells."""
        if self._waiting:
            self._gathered = _sum_of_reduced(self._gathered, self._reduced(self._settings.grid))
            self._waiting, self._numbers = [], 0

    def _reduced(self, grid: ScoreGrid | None) -> Reduced:
        found = reduced_rows(concatenated(self._waiting), self._threshold, grid)
        return replace(found, is_threshold_given=self._settings.threshold is not None)

    @property
    def _threshold(self) -> float | None:
        """What decides where there are scores and no labels."""
        return self._settings.threshold_used if self._holds == (True, False) else None

    def _refuse_other_kind(self, holds: tuple[bool, bool]) -> None:
        """Refuse labels where there were scores, and the other way round."""
        for what, now, before in zip(("scores", "predicted labels"), holds, self._holds or holds, strict=True):
            if now != before:
                with_or_without = ("come with", "without") if now else ("come without", "with")
                found = f"these cases {with_or_without[0]} {what}, those before {with_or_without[1]}"
                raise OptionError(found, "the same for all cases")
        if holds[1] and self._settings.threshold is not None:
            raise OptionError("threshold and predicted labels are both given", "one of them, to decide")
        self._holds = holds


def _sum_of_reduced(one: Reduced | None, other: Reduced | None) -> Reduced | None:
    return one or other if one is None or other is None else one + other
