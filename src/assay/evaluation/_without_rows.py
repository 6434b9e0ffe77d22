"""Classifiers compared whose rows are elsewhere: from sums over the cases that all of them judged."""

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
from assay.evaluation._clustered_sums import cluster_rows, has_clusters, joint_of_clusters
from assay.evaluation._differences import Pair, PairedRows
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._jointly import FEWEST_CASES, limits_of, too_few, usual_moves_of, weighted_posterior
from assay.evidence import ConfusionMatrix, DecidedRows, JointScores, ModelSums, ScoreTable, tied_cells
from assay.evidence.paired import PairedDecisions
from assay.measures import Measure, registry
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
            losses[measure.name] = np.stack([_losses(measure, table, score, truth) for table, score in scored])
    return ModelSums.of(rows, losses, kind="probability" if is_probability else "real")


def _losses(measure: Measure, table: Any, score: Any, is_positive: NDArray[np.bool_]) -> Floats:
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
        if has_clusters(ev):
            return cluster_rows(ev)
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
            raise OptionError("the evidence does not say who decided what together", ROWS)
        return found

    def _knows_more_cases(self, measure: Measure) -> bool:
        return False

    def _is_right(self, measure: Measure) -> bool:
        return measure.answers is not None

    def joint(self, measure: Measure, method: str = "") -> Joint:
        """Estimates of a measure and how they vary together, from sums over cases."""
        if self.rows.cluster is not None:
            joint = joint_of_clusters(self, measure, method, ROWS, self._why_not(measure, self._kish))
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

    def _mean_losses(self, measure: Measure, method: str) -> Joint:
        losses = self.together.losses[measure.name]
        moves = None if method else usual_moves_of(self, measure, losses.kish)
        return joint_mean_losses(
            measure.name, losses, float(self.rows.times.sum()),
            is_normal=method == "normal", refusal=self._why_not(measure, losses.kish), moves=moves,
        )  # fmt: skip

    def _moved(
        self, measure: Measure, pairs: Mapping[Pair, JointScores] | Mapping[Pair, PairedDecisions], method: str
    ) -> Joint:
        values = np.array([float(measure(self.evidence(measure, k))) for k in range(len(self.names))])
        cases = self._kish
        return influence_of_cells(
            measure, self.names, values, pairs, float(self.rows.times.sum()), method=method,
            refusal=self._why_not(measure, cases), moves=usual_moves_of(self, measure, cases),
            of_one=limits_of(self, measure), of_pair=weighted_posterior(self, measure),
        )  # fmt: skip

    @cached_property
    def _kish(self) -> float:
        """How many equally weighted cases there are."""
        ev = self.evaluations[0]
        held = ev.matrix if ev.matrix is not None else ev.evidence_for(registry["roc_auc"])
        assert isinstance(held, ConfusionMatrix | ScoreTable)
        if isinstance(held, ScoreTable):
            return float(held.total**2 / sum(side.sum() for side in held.squared_weights))
        return float(held.total if held.squares is None else held.total**2 / held.squares.sum())

    def _why_not(self, measure: Measure, cases: float) -> str | None:
        """Why no interval of a difference is honest, or None."""
        undefined = next((e.undefined for ev in self.evaluations if (e := ev.estimate(measure)).undefined), None)
        return undefined or (too_few(round(cases), FEWEST_CASES) if cases < FEWEST_CASES else None)

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
        coarse = _coarse(found, high - low, within)
        return replace(found, bounds=(low, high), se_within=within, caution=found.caution or coarse)

    def _bounds(self, measure: Measure, k: int) -> tuple[float, float]:
        evidence = self.evidence(measure, k)
        value = float(measure(evidence))
        return measure.of_cells(evidence, value) or (value, value)


def _coarse(found: Difference, width: float, within: float | None) -> str | None:
    """What is to be said where the cells leave open more than little of what chance does."""
    if not found.se or max(width, within or 0.0) <= TOLD * found.se:
        return None
    off = "" if within is None else f", and its standard error by {within:.2g}"
    return f"cells are coarse: by other scores in them the difference could be off by {width:.2g}{off}"


def paired_estimator(sums: ModelSums | None, models: Mapping[str, Evaluation], places: Any, seed: int) -> PairedRows:
    """What a comparison looks at: sums over the cases where there are such, else the rows of each."""
    return PairedRows(models, places, seed) if sums is None else PairedSums(models, None, seed, together=sums)


# What this was called when comparisons were stored that hold one.
AlignedSums = PairedSums
