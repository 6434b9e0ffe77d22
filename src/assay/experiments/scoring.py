"""A measure on every split that was tested, and how far each case moves its mean over them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.comparison import score_influence
from assay.errors import UnknownName
from assay.evaluation import Evaluation
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.experiments.estimates import ROUNDING, FoldScores
from assay.measures import Measure, certain_and_wrong, certain_and_wrong_classes, find, find_for_many, matrix_influence

DEPENDENT = "rows of a group depend on one another, so that single ones do not tell how it varies"


@dataclass(frozen=True, eq=False)
class Judged:
    """One split: its repeat, how many cases were learned from, and what was said of the rows it tested."""

    repeat: int
    train_cases: float
    rows: NDArray[np.integer]
    evaluation: Evaluation


def fold_value(ev: Evaluation, measure: str | Measure) -> float:
    """A measure's plain value, without the interval no fold by itself needs; nan where it does not apply.

    >>> from assay.evaluation import evaluate
    >>> fold_value(evaluate([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.3]), "accuracy")
    0.75
    """
    found = measure_of(measure, len(ev.classes))
    return math.nan if ev.applies(found) is not None else float(found(ev.evidence_for(found)))


def scored_folds(
    name: str | Measure, splits: Iterable[Judged], target: NDArray[np.integer], *, grouped: bool = False
) -> FoldScores:
    """The values of a measure on splits, with how far each case moves their mean; `target` are all true classes.

    Where rows are `grouped` they depend on one another, so that there are the values alone.

    >>> from assay.evaluation import evaluate
    >>> target = np.array([0, 1, 1, 0])
    >>> halves = [(np.array([0, 1]), [0.2, 0.7]), (np.array([2, 3]), [0.6, 0.4])]
    >>> cells = [Judged(0, 2, rows, evaluate(target[rows], score)) for rows, score in halves]
    >>> scored_folds("brier", cells, target).moved.round(6)
    array([-0.018125,  -0.005625,  0.011875,  0.011875])
    """
    found, refusals, measure = list[tuple[float, float, float, float]](), list[str](), None
    # Of each case, over the splits that tested it: what it stands for, and by how much of a split, summed.
    said, times, sizes = np.zeros(len(target)), np.zeros(len(target)), np.bincount(target)
    for each in splits:
        ev, tested = each.evaluation, len(each.rows)
        measure, value = measure_of(name, len(ev.classes)), fold_value(ev, name)
        found.append((value, each.train_cases, tested, each.repeat))
        if not grouped and math.isfinite(value):
            said[each.rows] += (value + _moved(ev, measure)) / tested
            times[each.rows] += 1 / tested
            refusals += _refusals(ev, measure, sizes)
    values, train, test, repeat = np.array(found, dtype=np.float64).reshape(-1, 4).T
    # By any of its names it is the same measure, of which the same was shown.
    scores = FoldScores(name_of(name) if measure is None else measure.name, values, train, test, repeat.astype(np.intp))
    if measure is None:
        return scores
    if measure.needs_probability:
        refusal = DEPENDENT if grouped else next(iter(refusals), None)
        scores = replace(scores, smallest=float(sizes.min()), refusal=refusal)
    mean = float(values.mean())
    moved = (said - mean * times) / len(values)
    if grouped or not np.isfinite(moved).all():
        return scores
    return replace(scores, moved=moved, one_case=min(abs(mean - end) for end in measure.bounds) / len(target))


def name_of(measure: str | Measure) -> str:
    """Return what a measure is called in a study's tables: as it was spelled, or its own name.

    >>> from assay import Costs, measures
    >>> name_of("ROC AUC"), name_of(measures.expected_cost(Costs(fp=1, fn=5)))
    ('ROC AUC', 'expected_cost')
    """
    return measure.name if isinstance(measure, Measure) else measure


def measure_of(name: str | Measure, classes: int) -> Measure:
    """The measure that a study means by a name for a data set of so many classes.

    What is of one class stands for its macro average where there are more than two, so that one name does for all data
    sets.

    >>> measure_of("roc_auc", 2), measure_of("roc_auc", 3), measure_of("accuracy", 3)
    (<measure roc_auc: ROC AUC>, <measure macro_roc_auc: Macro ROC AUC>, <measure accuracy: Accuracy>)
    """
    try:
        if classes == 2:
            return find(name)
        try:
            return find_for_many(name)
        except UnknownName:
            return find_for_many(f"macro_{find(name).name}")
    except UnknownName as error:
        raise UnknownName(f"there is no measure {name_of(name)!r} of {classes} classes", str(error)) from None


def _moved(ev: Evaluation, measure: Measure) -> Any:
    """How far each case moves the measure, times the number of cases; nan where nobody knows."""
    evidence, rows = ev.evidence_for(measure), ev.rows
    assert rows is not None
    if isinstance(evidence, ConfusionMatrix):
        return math.nan if rows.decision is None else matrix_influence(measure, evidence)[rows.truth, rows.decision]
    influence = measure.moved_by
    if influence is None and measure.pairs is None:
        return math.nan
    if isinstance(evidence, ScoreTable):
        return score_influence(measure, evidence, np.asarray(rows.score) + 0.0, rows.truth == 1)
    assert influence is not None
    return influence(evidence)


def _refusals(ev: Evaluation, measure: Measure, sizes: NDArray[np.integer]) -> Iterator[str]:
    """Why the mean of a measure of probabilities has no interval, as far as a split and all class sizes tell."""
    if not measure.needs_probability or measure.over_folds is None:
        return
    if measure.better == "neither":
        yield "no truth enters it: it varies with the cases learned from, which those tested do not show"
    if measure.over_folds.is_clipped and _certain(ev.evidence_for(measure)):
        yield "cases were called certain and wrong: unclipped it is infinite, so no limits are honest"
    if measure.over_folds.against_shares and not _in_equal_parts(ev, sizes):
        yield "a skill is held against the class shares of each split, and these differ; stratify the plan"


def _certain(evidence: Any) -> float:
    """The share of cases that were called certain and wrong."""
    return certain_and_wrong(evidence) if isinstance(evidence, ScoreTable) else certain_and_wrong_classes(evidence)


def _in_equal_parts(ev: Evaluation, sizes: NDArray[np.integer]) -> bool:
    """Whether a split holds the classes as all cases do, but for whole numbers: one case for each class but one."""
    held = np.array(list(ev.class_counts.values()), dtype=np.float64)
    return bool((np.abs(held - held.sum() * sizes / sizes.sum()) < len(sizes) - 1 + ROUNDING).all())
