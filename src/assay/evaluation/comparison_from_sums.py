"""Classifiers compared whose rows are elsewhere: from sums over the cases that all of them judged, or over clusters.

The tables of clustered cases say what each cluster has: the same clusters, in the same order, in all. What a cluster
moves an estimate by is a sum over its cells, so that nothing need be known of pairs of scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.comparison import (
    Alternative,
    Difference,
    Joint,
    Rows,
    error_within_cells,
    influence_of_cells,
    joint_areas,
    joint_mean_losses,
)
from assay.errors import OptionError
from assay.evaluation.differences import (
    Pair,
    PairedRows,
    limits_of,
    moved_jointly,
    refusal_of,
    usual_moves_of,
    values_of,
    weighted_posterior,
)
from assay.evaluation.evaluation import Evaluation
from assay.evidence import ConfusionMatrix, DecidedRows, JointScores, ModelSums, ScoreTable, tied_cells
from assay.evidence.paired import PairedDecisions
from assay.measures import Measure, matrix_influence, registry
from assay.results import counted
from assay.types import Floats

ROWS = "the rows: assay.compare(y_true, {...})"
# What cells leave open is told of where it is more than this share of the standard error.
TOLD = 0.1


def together_of(models: Mapping[str, Evaluation]) -> ModelSums:
    """The sums that a comparison without rows needs, from evaluations that still have them."""
    rows = {name: ev.rows for name, ev in models.items() if ev.rows is not None}
    tables = [ev.evidence_for(registry["brier"]) if len(ev.classes) == 2 else None for ev in models.values()]
    scored = [(table, held.score) for table, held in zip(tables, rows.values(), strict=True)]
    losses: dict[str, Floats] = {}
    is_probability = all(ev.has_probabilities for ev in models.values())
    for measure in registry.values() if is_probability else ():
        if measure.is_mean_loss and all(isinstance(table, ScoreTable) for table, _ in scored):
            truth = next(iter(rows.values())).truth == 1
            losses[measure.name] = np.stack([_case_losses(measure, table, score, truth) for table, score in scored])
    return ModelSums.of(rows, losses, kind="probability" if is_probability else "real")


def _case_losses(measure: Measure, table: Any, score: Any, is_positive: NDArray[np.bool_]) -> Floats:
    """What each case costs: how it moves the mean of all, and the mean."""
    assert measure.moved_by is not None
    of_negatives, of_positives = measure.moved_by(table)
    place = table.places(score + 0.0)
    moved: Floats = np.where(is_positive, of_positives[place], of_negatives[place])
    return moved + float(measure(table))


@dataclass(frozen=True, eq=False)
class PairedSums(PairedRows):
    """Evaluations of several classifiers without rows, and the sums that tell how they go together."""

    together: ModelSums = field(kw_only=True)

    @cached_property
    def rows(self) -> Rows:
        """One row for each class, as many cases as it has; of clusters, those of each of them."""
        ev = self.evaluations[0]
        if _has_clusters(ev):
            return _cluster_rows(ev)
        count, sizes = (np.array(list(of.values()), dtype=np.float64) for of in (ev.class_counts, ev.class_sizes))
        held = np.flatnonzero(count)
        count, sizes = count[held], sizes[held]
        return Rows(held == 1, sizes / count if ev.is_weighted else None, count)

    @cached_property
    def truth(self) -> NDArray[np.integer]:
        """The classes that have cases; of clusters whether they are the positive one."""
        if self.rows.cluster is not None:
            return self.rows.is_positive.astype(np.intp)
        return np.flatnonzero(list(self.evaluations[0].class_counts.values()))

    @cached_property
    def size(self) -> int:
        """How many rows stand for all cases."""
        return len(self.truth)

    def decided(self, k: int) -> DecidedRows:
        """Nothing: there are no rows."""
        raise OptionError(f"{self.names[k]!r} is evidence, without rows, and this looks at single cases", ROWS)

    def _pair(self, first: int, second: int) -> PairedDecisions:
        found = self.together.paired(first, second)
        if found is None:
            raise OptionError("the evidence lacks the joint predictions of its models", ROWS)
        return found

    def _knows_more_cases(self, measure: Measure) -> bool:
        return False

    def _is_right(self, measure: Measure) -> bool:
        return measure.answers is not None

    def joint(self, measure: Measure, method: str = "") -> Joint:
        """Estimates of a measure and how they vary together, from sums over cases."""
        if self.rows.cluster is not None:
            joint = self._of_clusters(measure, method)
        elif measure.pairs is not None and self.together.scores and method in ("", "DeLong"):
            distribution = "normal" if method == "DeLong" else None
            found = joint_areas(self.names, self._tables(measure), self.together.scores, distribution=distribution)
            found = replace(found, n=float(self.rows.times.sum()))
            joint = found.scaled(measure.name, measure.pairs.scale, measure.pairs.shift)
        elif measure.name in self.together.losses and method in ("", "t", "normal"):
            joint = self._mean_losses(measure, method)
        elif measure.needs is ScoreTable and measure.moved_by is not None and self.together.scores and not method:
            joint = self._moved(measure, self.together.scores, "paired influence, on cells")
        elif measure.needs is ConfusionMatrix and self.together.decisions and not method:
            joint = self._moved(measure, self.together.decisions, "paired influence")
        else:
            how = f" by {method}" if method else ""
            raise OptionError(f"{measure.title} is not compared{how} from evidence: it looks at single cases", ROWS)
        return joint.asked_for() if method else joint

    def _of_clusters(self, measure: Measure, method: str) -> Joint:
        """Estimates of a measure, from how much the cases of each class in each cluster move them."""
        is_score = measure.needs is ScoreTable and (measure.pairs is not None or measure.moved_by is not None)
        if method not in ("", "normal", "Obuchowski") or not (is_score or measure.needs is ConfusionMatrix):
            how = f" by {method}" if method else ""
            raise OptionError(f"{measure.title} of clusters is not compared{how} without rows", ROWS)
        joint = moved_jointly(self, measure, method, self.moves(measure))
        joint = replace(joint, n=float(sum(self.evaluations[0].class_counts.values())))
        if measure.pairs is None:
            return joint
        return replace(joint, method=f"Obuchowski, {counted(self.rows.units, 'cluster')}")

    def moves(self, measure: Measure) -> Floats:
        """How much the mean case of each class in each cluster moves the measure of each classifier."""
        each = range(len(self.names))
        sums = [
            _cluster_influence_sums(self.evaluations[k], _influence_of(measure, self.evidence(measure, k))).ravel()
            for k in each
        ]
        moved, count = np.stack(sums), self.rows.times
        return np.divide(moved, count, out=np.zeros_like(moved), where=count > 0)

    def _mean_losses(self, measure: Measure, method: str) -> Joint:
        losses = self.together.losses[measure.name]
        moves = None if method else usual_moves_of(self, measure, losses.kish)
        return joint_mean_losses(
            measure.name, losses, float(self.rows.times.sum()),
            is_normal=method == "normal", refusal=refusal_of(self, measure), moves=moves,
        )  # fmt: skip

    def _moved(
        self, measure: Measure, pairs: Mapping[Pair, JointScores] | Mapping[Pair, PairedDecisions], method: str
    ) -> Joint:
        return influence_of_cells(
            measure, self.names, values_of(self, measure), pairs, float(self.rows.times.sum()), method=method,
            refusal=refusal_of(self, measure), moves=usual_moves_of(self, measure, self.worth),
            of_one=limits_of(self, measure), of_pair=weighted_posterior(self, measure),
        )  # fmt: skip

    @cached_property
    def worth(self) -> float:
        """How many equally weighted cases there are."""
        ev = self.evaluations[0]
        held = ev.matrix if ev.matrix is not None else ev.evidence_for(registry["roc_auc"])
        assert isinstance(held, ConfusionMatrix | ScoreTable)
        if isinstance(held, ScoreTable):
            return float(held.total**2 / sum(side.sum() for side in held.squared_weights))
        return float(held.total if held.squares is None else held.total**2 / held.squares.sum())

    def _tables(self, measure: Measure) -> list[ScoreTable]:
        return [table for k in range(len(self.names)) if isinstance(table := self.evidence(measure, k), ScoreTable)]

    def differences(
        self,
        measure: Measure,
        pairs: Sequence[Pair],
        level: float,
        method: str | None = None,
        *,
        alternative: Alternative = "two-sided",
        null: float = 0.0,
        among: Sequence[Pair] = (),
    ) -> list[Difference]:
        """Differences of a measure; those of scores in cells with what the cells leave open."""
        found = super().differences(measure, pairs, level, method, alternative=alternative, null=null, among=among)
        if measure.needs is not ScoreTable or measure.name in self.together.losses:
            return found
        return [self._with_bounds(measure, pair, one) for pair, one in zip(pairs, found, strict=True)]

    def _with_bounds(self, measure: Measure, pair: Pair, found: Difference) -> Difference:
        bounds = [self._bounds(measure, k) for k in pair]
        low, high = bounds[0][0] - bounds[1][1], bounds[0][1] - bounds[1][0]
        held = self.together.scores.get((min(pair), max(pair)))
        within = None
        if measure.pairs is not None and held is not None and found.se is not None:
            tables = self._tables(measure)
            one, other = (tied_cells(tables[k], grid) for k, grid in zip(sorted(pair), held.grids, strict=True))
            within = abs(measure.pairs.scale) * error_within_cells(held, (one, other))
        coarse = _wide_bounds_remark(found, high - low, within)
        return replace(found, bounds=(low, high), se_within=within, caution=found.caution or coarse)

    def _bounds(self, measure: Measure, k: int) -> tuple[float, float]:
        evidence = self.evidence(measure, k)
        value = float(measure(evidence))
        return measure.of_cells(evidence, value) or (value, value)


def _wide_bounds_remark(found: Difference, width: float, within: float | None) -> str | None:
    """What is to be said where the cells leave open more than little of what chance does."""
    if not found.se or max(width, within or 0.0) <= TOLD * found.se:
        return None
    off = "" if within is None else f", and its standard error by {within:.2g}"
    return f"cells are coarse: by other scores in them the difference could be off by {width:.2g}{off}"


def _has_clusters(ev: Evaluation) -> bool:
    """Whether what is known of a classifier says which cases depend on one another."""
    scores = _score_table_of(ev)
    return (scores is not None and scores.rows is not None) or (
        ev.matrix is not None and ev.matrix.clusters is not None
    )


def _cluster_rows(ev: Evaluation) -> Rows:
    """Two rows for each cluster, as many cases as it has of the positive class and of the rest."""
    sizes = _cluster_influence_sums(ev, None)
    cluster, is_positive = np.repeat(np.arange(len(sizes)), 2), np.tile([False, True], len(sizes))
    return Rows(is_positive, None, sizes.ravel(), cluster)


def _influence_of(measure: Measure, evidence: Any) -> Any:
    """What a case moves a measure by: at each score as a negative and as a positive, or in each cell."""
    if isinstance(evidence, ConfusionMatrix):
        return matrix_influence(measure, evidence)
    if measure.pairs is None:
        assert measure.moved_by is not None
        return measure.moved_by(evidence)
    of_gini = registry["gini"].moved_by
    assert of_gini is not None
    return tuple(0.5 * measure.pairs.scale * side for side in of_gini(evidence))


def _cluster_influence_sums(ev: Evaluation, moved: Any) -> Floats:
    """For each cluster the sums over its cases that are not positive, and over its positives; None: their sizes."""
    scores = _score_table_of(ev)
    if scores is not None and scores.rows is not None and not isinstance(moved, np.ndarray):
        ones = np.ones(len(scores))
        return np.stack(scores.rows.sums(*((ones, ones) if moved is None else moved)), axis=-1)
    assert ev.matrix is not None
    assert ev.matrix.clusters is not None
    by_class = (ev.matrix.clusters * (1.0 if moved is None else moved)).sum(-1)
    return np.stack((by_class.sum(1) - by_class[:, 1], by_class[:, 1]), axis=-1)


def _score_table_of(ev: Evaluation) -> ScoreTable | None:
    held = ev.evidence_for(registry["roc_auc"]) if len(ev.classes) == 2 else None
    return held if isinstance(held, ScoreTable) else None


def paired_estimator(sums: ModelSums | None, models: Mapping[str, Evaluation], places: Any, seed: int) -> PairedRows:
    """What a comparison looks at: sums over the cases where there are such, else the rows of each."""
    return PairedRows(models, places, seed) if sums is None else PairedSums(models, None, seed, together=sums)


# What this was called when comparisons were stored that hold one.
AlignedSums = PairedSums
