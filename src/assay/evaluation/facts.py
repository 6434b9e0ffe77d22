"""The facts of an evaluation that cautions are judged by.

An evaluation as the record that JSON holds.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtr

from assay.cautions import Caution, EvaluationFacts, ThresholdFacts, check
from assay.cautions.data import TINY_CLASS
from assay.evaluation.curves import Curves
from assay.evidence import ConfusionMatrix, ScoreTable, SummedClasses, cores
from assay.measures import accuracy, certain_and_wrong, certain_and_wrong_classes
from assay.text import bounds_words, bracketed, value_words
from assay.types import Floats
from assay.uncertainty import design_freedom, exceedance_p_value, unseen_share

if TYPE_CHECKING:
    from assay.decisions import ThresholdChoice
    from assay.evaluation.binary import TwoClassEvaluation
    from assay.evaluation.evaluation import Evaluation
    from assay.evaluation.multiclass import ManyClassEvaluation

__all__ = ["SCHEMA", "check_choice", "facts_of_many", "facts_of_two", "record_of"]


# Rules that look at an interval use this level, so that blameless data rarely trips any of them.
STRICT = 0.99


def facts_of_two(ev: TwoClassEvaluation) -> EvaluationFacts:
    """Everything the cautions may look at, of two classes."""
    facts = replace(
        _common_facts(ev),
        positive=ev.positive,
        threshold=ev.threshold_used,
        threshold_was_given=ev.threshold_was_given,
        auc_high=_upper_limit_at_99(ev, "roc_auc"),
        is_perfect=_is_without_errors(ev),
        every_answer_right=_is_without_errors(ev),
    )
    scores = ev.scores
    if scores is None:
        return replace(facts, informedness_high=_upper_limit_at_99(ev, "informedness"))
    pairs, has_both = scores.pairs, all(ev.class_sizes.values())
    total = pairs.concordant + pairs.tied + pairs.discordant
    found = replace(
        facts,
        score_range=(float(scores.score[0]), float(scores.score[-1])),
        tied_pairs=_share_of_tied_pairs(scores) / total if total else 0.0,
        distinct_scores=len(scores),
        **_binning_facts(ev, scores),
        is_perfect=pairs.discordant == 0 and pairs.tied == 0 if has_both else facts.is_perfect,
    )
    if not ev.has_probabilities:
        return found
    at_an_end = (scores.score == 0) | (scores.score == 1)
    saturated = float(((scores.negative + scores.positive) / scores.total)[at_an_end].sum())
    return replace(found, certain_and_wrong=certain_and_wrong(scores), saturated=saturated)


def _share_of_tied_pairs(scores: ScoreTable) -> float:
    """Pairs of the same score; of scores in one cell nobody knows whether they tie, unless they all are one score."""
    if scores.reach is None:
        return float(scores.pairs.tied)
    is_one = scores.reach.low == scores.reach.high
    return float(scores.negative[is_one] @ scores.positive[is_one])


def _binning_facts(ev: TwoClassEvaluation, scores: ScoreTable) -> dict[str, Any]:
    """What the cells of the scores leave open."""
    if scores.reach is None or scores.reach.is_exact:
        return {}
    auc = ev.estimate("roc_auc")
    width = 0.0 if auc.bounds is None or not auc.se else (auc.bounds[1] - auc.bounds[0]) / auc.se
    return {"hidden": scores.reach.hidden, "bounds_width": width, "auc_bounds": bounds_words(auc)}


def facts_of_many(ev: ManyClassEvaluation) -> EvaluationFacts:
    """Everything the cautions may look at, of more than two classes."""
    facts = replace(_common_facts(ev), auc_high=_upper_limit_at_99(ev, "hand_till"), is_perfect=_is_without_errors(ev))
    facts = replace(facts, every_answer_right=facts.is_perfect)
    scores = ev.class_scores
    facts = replace(facts, hidden=max((each.reach.hidden for each in ev.class_tables if each.reach), default=0.0))
    if scores is None:
        return facts if ev.class_sums is None else replace(facts, **_binned_class_facts(ev.class_sums))
    found = replace(facts, score_range=scores.range, scores_sum_to_one=ev.has_probabilities)
    if not ev.has_probabilities:
        return found
    saturated = float((scores.probability == 1).any(1).mean())
    return replace(found, certain_and_wrong=certain_and_wrong_classes(scores), saturated=saturated)


def _binned_class_facts(summed: SummedClasses) -> dict[str, Any]:
    """What scores of many classes in cells tell."""
    ends = [end for table in summed.tables if len(table) for end in table.score[[0, -1]].tolist()]
    facts = {"score_range": (min(ends), max(ends)), "scores_sum_to_one": summed.are_probabilities}
    if not summed.are_probabilities:
        return facts
    top = summed.answers("top")
    is_one = top.score == 1
    saturated = float((top.negative + top.positive)[is_one].sum() / top.total)
    return {**facts, "certain_and_wrong": certain_and_wrong_classes(summed), "saturated": saturated}


def _common_facts(ev: Evaluation) -> EvaluationFacts:
    """What is looked at whatever the classes."""
    facts = EvaluationFacts(
        class_sizes=ev.class_sizes,
        class_counts=ev.class_counts,
        brier_skill_high=_upper_limit_at_99(ev, "brier_skill"),
        misfits=_miscalibrated_ranges(ev),
        dropped=ev.source.dropped,
        defaulted=ev.source.defaulted,
        unused_columns=ev.source.design,
        fold_column=_column_of_role(ev, "fold"),
        duplicates=ev.source.duplicates,
        small_subgroups=_small_subgroups(ev),
        kish_share=_kish_share(ev),
        **_cluster_facts(ev),
    )
    matrix = ev.matrix
    if matrix is None:
        return facts
    return replace(
        facts,
        accuracy=float(accuracy(matrix)),
        p_below_majority=_p_below_majority(matrix),
        unseen_labels=_unseen_labels(matrix),
    )


def _small_subgroups(ev: Evaluation) -> tuple[str, ...]:
    """Subgroups with few cases of a class that occurs, the smallest first; of the positive class with its recall."""
    small = [
        (of.class_counts.get(name, 0.0), name, group)
        for group, of in ev.subgroups.items()
        for name, size in ev.class_counts.items()
        if size > 0 and of.class_counts.get(name, 0.0) < TINY_CLASS
    ]
    return tuple(
        f"{size:,.0f} of '{name}' in '{group}'{_class_count_words(ev.subgroups[group], name)}"
        for size, name, group in sorted(small)
    )


def _class_count_words(of: Evaluation, name: str) -> str:
    if of.matrix is None or name != getattr(of, "positive", None):
        return ""
    found = of.estimate("recall")
    return "" if math.isnan(found.low) else f" (recall {value_words(found)} {bracketed(found)})"


def _kish_share(ev: Evaluation) -> float:
    """How many equally weighted cases these are worth, as a share of them."""
    if ev.rows is None or ev.rows.weight is None:
        return 1.0
    times = np.ones(len(ev.rows)) if ev.rows.count is None else ev.rows.count
    weight = ev.rows.weight
    return float((weight * times).sum() ** 2 / (weight * weight * times).sum() / times.sum())


def _cluster_facts(ev: Evaluation) -> dict[str, Any]:
    """How many clusters there are, and how unequal they are."""
    if ev.rows is None and ev.matrix is not None and ev.matrix.clusters is not None:
        return _cluster_size_facts(ev.matrix.clusters.sum(-1))
    if ev.rows is None or ev.rows.cluster is None:
        return {}
    rows, cluster, clusters = ev.rows, ev.rows.cluster, int(ev.rows.cluster.max()) + 1
    each = np.ones(len(rows))
    for design in (rows.weight, rows.count):
        each = each if design is None else each * design
    of_class = [np.bincount(cluster, each * (rows.truth == code), clusters) for code in range(len(ev.classes))]
    return _cluster_size_facts(np.stack(of_class, axis=1).astype(np.float64))


def _cluster_size_facts(sizes: Floats) -> dict[str, Any]:
    each = sizes.sum(1)
    return {
        "clusters": len(sizes),
        "largest_cluster": float(each.max() / each.sum()),
        "cluster_freedom": design_freedom(sizes),
        "unseen_cluster": unseen_share(each),
        "cluster_sizes": (float(np.median(each)), float(each.max())),
    }


def check_choice(ev: TwoClassEvaluation, choice: ThresholdChoice) -> tuple[Caution, ...]:
    """What there is to say about a threshold chosen on an evaluation's own cases."""
    return check(
        ThresholdFacts(
            chosen_for=choice.criterion.title,
            prevalence=ev.class_shares[ev.positive],
            prevalence_elsewhere=choice.prevalence,
        )
    )


def _column_of_role(ev: Evaluation, role: str) -> str | None:
    """The column that plays a role; the role itself where arrays were given."""
    if ev.rows is None or getattr(ev.rows, role) is None:
        return None
    return str(ev.source.columns.get(role, role))


def _miscalibrated_ranges(ev: Evaluation) -> tuple[str, ...]:
    """The ranges of probability shown to be wrong; none where the band cannot take weights or clusters."""
    if not ev.has_probabilities or not ev.calibration.overall.is_defined:
        return ()
    return tuple(map(str, ev.calibration.overall.miscalibration.by_cases()))


def _is_without_errors(ev: Evaluation) -> bool:
    return ev.matrix is not None and bool(ev.matrix.correct == ev.matrix.total)


def _upper_limit_at_99(ev: Evaluation, measure: str) -> float:
    return ev.estimate(measure, level=STRICT).high if ev.reason_unavailable(measure) is None else math.nan


def _p_below_majority(matrix: ConfusionMatrix) -> float:
    """Sign test on the cases where the classifier and the commonest answer differ and one of them is right.

    Weighted cases count as many equal ones as would tell as much, and clusters are held against t as wholes.
    """
    commonest = int(np.argmax(matrix.actual))
    lost, won = (float(side) for side in _discordant_counts(matrix.counts, commonest))
    if not lost + won:
        return 1.0
    if matrix.clusters is not None:
        gone, got = _discordant_counts(matrix.clusters, commonest)
        net, groups = gone - got, len(gone)
        error = math.sqrt(groups * float(np.var(net, ddof=1))) if groups > 1 else 0.0
        return float(stdtr(groups - 1, -float(net.sum()) / error)) if error > 0 else 1.0
    worth = 1.0 if matrix.squares is None else (lost + won) / float(sum(_discordant_counts(matrix.squares, commonest)))
    return exceedance_p_value(worth * lost, worth * (lost + won), 0.5)


def _discordant_counts(cells: Floats, commonest: int) -> tuple[Any, Any]:
    """What only the commonest answer gets right, and what only the classifier does."""
    right = cells[..., commonest, commonest]
    classes = np.arange(cells.shape[-2])
    return cells[..., commonest, :].sum(-1) - right, cells[..., classes, classes].sum(-1) - right


def _unseen_labels(matrix: ConfusionMatrix) -> dict[str, float]:
    extra = matrix.counts.sum(0)[len(matrix.classes) :]
    return {name: float(size) for name, size in zip(matrix.decisions[len(matrix.classes) :], extra, strict=True)}


SCHEMA = "assay.evaluation/1"
# With fewer cases than this everything is done before a second thread has begun.
WORTH_A_THREAD = 1 << 15


def record_of(ev: Evaluation, positive: str | None = None, threshold: float | None = None) -> dict[str, Any]:
    """Everything there is to know, as plain values; subgroups only where there are any."""
    parts = {name: _subgroup_record(each) for name, each in ev.subgroups.items()}
    calibration, said = _calibration_and_other_facts(ev)
    return {
        "schema": SCHEMA,
        "source": ev.source.to_dict(),
        "classes": list(ev.classes),
        "positive": positive,
        "threshold": threshold,
        "n": ev.n,
        "measures": said["measures"],
        "per_class": said["per_class"],
        "calibration": calibration,
        "confusion": _confusion_record(ev.matrix),
        "baseline": said["baseline"],
        "cautions": said["cautions"],
        **({"card": dict(ev.card)} if ev.card else {}),
        **({"by": ev.by, "subgroups": parts, "gaps": _gaps_record(ev)} if parts else {}),
        **({"risk_chart": _risk_chart_record(ev)} if ev.rows is not None and ev.rows.amount is not None else {}),
    }


def _calibration_and_other_facts(ev: Evaluation) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Both of them; of many cases side by side, since they have little in common and most of it lets threads go on."""
    if ev.n < WORTH_A_THREAD or cores() == 1 or not ev.has_probabilities:
        return _calibration_record(ev), _other_facts(ev)
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(_calibration_with_ranges, ev)
        said = _other_facts(ev)
        return waiting.result(), said


def _calibration_with_ranges(ev: Evaluation) -> dict[str, Any] | None:
    """What is said of calibration, after what the cautions of the rest will ask of it last."""
    if ev.calibration.overall.is_defined:
        _ = ev.calibration.overall.miscalibration
    return _calibration_record(ev)


def _other_facts(ev: Evaluation) -> dict[str, Any]:
    """What takes time besides calibration."""
    return {
        "measures": {name: e.to_dict() for name, e in ev.measures.items()},
        "per_class": {name: {m: e.to_dict() for m, e in row.items()} for name, row in ev.per_class.items()},
        "baseline": ev.baselines.to_dict(),
        "cautions": [caution.to_dict() for caution in ev.cautions],
    }


def _subgroup_record(ev: Evaluation) -> dict[str, Any]:
    measures = {name: e.to_dict() for name, e in ev.measures.items()}
    return {"n": ev.n, "class_counts": ev.class_counts, "measures": measures}


def _gaps_record(ev: Evaluation) -> dict[str, Any] | None:
    """Whether the subgroups differ; None where no row says who is in which."""
    return None if ev.grouping is None else ev.gaps().to_dict()


def _risk_chart_record(ev: Evaluation) -> dict[str, Any] | None:
    """What working the ranking from the top finds, of cases and of what is at stake; None without both classes."""
    chart = ev.curves.risk_chart() if isinstance(ev.curves, Curves) else None
    if chart is None or not chart.is_defined:
        return None
    areas = {"recall_area": chart.recall_area, "recall_of_best": chart.recall_of_best, "amount_area": chart.risk_area}
    return {**areas, "undefined": "no interval for shares of an amount was simulated"}


def _calibration_record(ev: Evaluation) -> dict[str, Any] | None:
    """What is said of the probabilities of two classes, or of many of the highest one, where both outcomes occur."""
    if not ev.has_probabilities or not ev.calibration.overall.is_defined:
        return None
    return {name: estimate.to_dict() for name, estimate in ev.calibration.overall.numbers.items()}


def _confusion_record(matrix: ConfusionMatrix | None) -> dict[str, Any] | None:
    if matrix is None:
        return None
    whole = np.array_equal(matrix.counts, matrix.counts.round())
    counts = matrix.counts.astype(np.int64) if whole else matrix.counts
    return {"true": list(matrix.classes), "predicted": list(matrix.decisions), "counts": counts.tolist()}
