"""The facts of an evaluation that cautions are judged by."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.cautions import Caution, Facts, check
from assay.evidence import ConfusionMatrix
from assay.measures import accuracy, certain_and_wrong, certain_and_wrong_classes
from assay.uncertainty import exceedance_p_value

if TYPE_CHECKING:
    from assay.decisions import ThresholdChoice
    from assay.evaluation._evaluation import Evaluation

__all__ = ["check_choice", "facts_of"]

# Rules that look at an interval use this level, so that blameless data rarely trips any of them.
STRICT = 0.99


def facts_of(ev: Evaluation) -> Facts:
    """Everything the cautions may look at."""
    matrix, is_binary = ev.matrix, len(ev.classes) == 2
    return Facts(
        class_sizes=ev.class_sizes,
        class_counts=ev.class_counts,
        positive=ev.positive,
        score_range=_range(ev),
        scores_sum_to_one=ev.class_scores is None or ev.has_probabilities,
        threshold=ev.cutoff,
        threshold_was_given=ev.threshold_was_given,
        accuracy=float(accuracy(matrix)) if matrix is not None else math.nan,
        p_below_majority=_p_below_majority(matrix) if matrix is not None else math.nan,
        auc_high=_strict_high(ev, "roc_auc" if is_binary else "hand_till"),
        informedness_high=_strict_high(ev, "informedness") if is_binary and ev.scores is None else math.nan,
        brier_skill_high=_strict_high(ev, "brier_skill"),
        certain_and_wrong=_certain_and_wrong(ev),
        misfits=_misfits(ev),
        unseen_labels=_unseen(matrix) if matrix is not None else {},
        dropped=ev.source.dropped,
        defaulted=ev.source.defaulted,
        tied_pairs=_tied_pairs(ev),
        distinct_scores=0 if ev.scores is None else len(ev.scores),
        saturated=_saturated(ev),
        is_perfect=_is_perfect(ev),
        unused_columns=ev.source.design,
        fold_column=_column(ev, "fold"),
        duplicates=ev.source.duplicates,
        clusters=_clusters(ev),
        kish_share=matrix.kish / ev.n if matrix is not None and matrix.squares is not None else 1.0,
    )


def check_choice(ev: Evaluation, choice: ThresholdChoice) -> tuple[Caution, ...]:
    """What there is to say about a threshold chosen on an evaluation's own cases."""
    facts = Facts(
        class_sizes=ev.class_sizes,
        positive=ev.positive,
        threshold=choice.threshold,
        threshold_was_given=True,
        chosen_for=choice.criterion.title,
        prevalence_elsewhere=choice.prevalence,
    )
    return tuple(caution for caution in check(facts) if caution.code.startswith("A3"))


def _column(ev: Evaluation, role: str) -> str | None:
    """The column that plays a role; the role itself where arrays were given."""
    if ev.predictions is None or getattr(ev.predictions, role) is None:
        return None
    return str(ev.source.columns.get(role, role))


def _clusters(ev: Evaluation) -> int | None:
    rows = ev.predictions
    return None if rows is None or rows.cluster is None else int(rows.cluster.max()) + 1


def _range(ev: Evaluation) -> tuple[float, float] | None:
    if ev.scores is not None:
        return float(ev.scores.score[0]), float(ev.scores.score[-1])
    return None if ev.class_scores is None else ev.class_scores.range


def _misfits(ev: Evaluation) -> tuple[str, ...]:
    """The ranges of probability shown to be wrong; none where the band cannot take weights or clusters."""
    if not ev.has_probabilities or not ev.calibration.overall.is_defined:
        return ()
    return tuple(map(str, ev.calibration.overall.misfit))


def _tied_pairs(ev: Evaluation) -> float:
    if ev.scores is None:
        return 0.0
    pairs = ev.scores.pairs
    total = pairs.concordant + pairs.tied + pairs.discordant
    return pairs.tied / total if total else 0.0


def _saturated(ev: Evaluation) -> float:
    """The share of cases that were given a probability of exactly 0 or 1."""
    if not ev.has_probabilities:
        return 0.0
    if ev.class_scores is not None:
        return float((ev.class_scores.probability == 1).any(1).mean())
    assert ev.scores is not None
    each = (ev.scores.negative + ev.scores.positive) / ev.scores.total
    return float(each[(ev.scores.score == 0) | (ev.scores.score == 1)].sum())


def _is_perfect(ev: Evaluation) -> bool:
    """Whether nothing is wrong: every decision right or, of two classes, every pair in order."""
    if ev.scores is not None and len(ev.class_sizes) == 2 and all(ev.class_sizes.values()):
        return ev.scores.pairs.discordant == 0 and ev.scores.pairs.tied == 0
    return ev.matrix is not None and ev.matrix.correct == ev.matrix.total


def _certain_and_wrong(ev: Evaluation) -> float:
    if not ev.has_probabilities:
        return 0.0
    if ev.class_scores is not None:
        return certain_and_wrong_classes(ev.class_scores)
    return certain_and_wrong(ev.scores) if ev.scores is not None else 0.0


def _strict_high(ev: Evaluation, measure: str) -> float:
    return ev.estimate(measure, level=STRICT).high if ev.applies(measure) is None else math.nan


def _p_below_majority(matrix: ConfusionMatrix) -> float:
    """Sign test on the cases where the classifier and the commonest answer differ and one of them is right."""
    commonest = int(np.argmax(matrix.actual))
    lost = float(matrix.actual[commonest] - matrix.counts[commonest, commonest])
    won = float(matrix.correct - matrix.counts[commonest, commonest])
    return exceedance_p_value(lost, lost + won, 0.5) if lost + won else 1.0


def _unseen(matrix: ConfusionMatrix) -> dict[str, float]:
    extra = matrix.counts.sum(0)[len(matrix.classes) :]
    return {name: float(size) for name, size in zip(matrix.decisions[len(matrix.classes) :], extra, strict=True)}
