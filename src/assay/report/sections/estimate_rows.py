"""How an estimate becomes a row: its title, baseline and meaning, from the facts of its measure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from assay.evaluation import Evaluation, ManyClassEvaluation, TwoClassEvaluation
from assay.evidence import ConfusionMatrix
from assay.measures import chance_matrix
from assay.report.blocks import Baseline, Cell, Row
from assay.report.sections.figures import movable
from assay.report.wording import (
    bracketed,
    model_names,
    no_interval,
    percent,
    quoted,
    takes_the_highest,
    threshold_words,
    value_words,
)
from assay.results import Estimate
from assay.text import bounds_words

ROUNDING = 1e-12


def of_labels_alone(ev: Evaluation) -> bool:
    """Whether there are decisions and no scores, so that all there is to see is who was called what."""
    has_scores = ev.reason_unavailable("hand_till" if isinstance(ev, ManyClassEvaluation) else "roc_auc") is None
    return ev.matrix is not None and not has_scores


def by_class(ev: Evaluation) -> bool:
    """Whether each class is shown by itself even where there is little room: of many, and of labels alone."""
    return isinstance(ev, ManyClassEvaluation) or of_labels_alone(ev)


def is_shown(ev: Evaluation, measure: str) -> bool:
    """Whether a measure applies to what this evaluation has."""
    return measure in ev.registry and ev.reason_unavailable(measure) is None


def row(
    ev: Evaluation,
    measure: str,
    *,
    model: str = "",
    series: int = 0,
    group: str = "",
    remark: str = "",
    place: int | None = None,
) -> Row:
    """The row of a measure."""
    facts, estimate = ev.registry[measure], ev.estimate(measure)
    remark = "; ".join(each for each in (remark, in_cells(estimate)) if each)
    return Row(
        title=facts.title,
        estimate=estimate,
        better=facts.better,
        baseline=baseline(ev, measure),
        meaning=_first_sentence(facts.definition),
        remark=remark,
        model=model,
        series=series,
        group=group,
        place=place,
        is_bounded=math.isfinite(sum(facts.bounds)),
    )


def in_cells(estimate: Estimate) -> str:
    """What cells leave open of an estimate, in words, where that shows."""
    return f"binned: {words}" if (words := bounds_words(estimate)) else ""


def estimate_cell(estimate: Estimate, series: int = 0, whole: Estimate | None = None) -> Cell:
    """An estimate in a table of many, beside that of the whole where it is about a part."""
    limits = bracketed(estimate)
    baseline = None if whole is None else Baseline("all", whole.value)
    bar = Row("", estimate, baseline=baseline, series=series) if limits else None
    return Cell(value_words(estimate), limits or no_interval(estimate), bar=bar)


def rows_by_measure(models: Mapping[str, Evaluation], measures: Iterable[str]) -> tuple[Row, ...]:
    """For each measure in turn the rows of all models it applies to."""
    names, numbers = model_names(models), movable(models)
    return tuple(
        row(
            ev,
            measure,
            model=names[key],
            series=k,
            remark=_skill_words(ev, names[key]) if measure == "brier" else "",
            place=numbers.get(key) if _depends_on_threshold(ev, measure) else None,
        )
        for measure in measures
        for k, (key, ev) in enumerate(models.items())
        if is_shown(ev, measure)
    )


def _depends_on_threshold(ev: Evaluation, measure: str) -> bool:
    """Whether a measure is about decisions that a threshold made, or may make."""
    return ev.registry[measure].needs is ConfusionMatrix


def baseline(ev: Evaluation, measure: str) -> Baseline | None:
    """What the dumb answer that a measure is best compared with scores; None where that says nothing."""
    facts = ev.registry[measure]
    if facts.better == "neither":
        return None
    if facts.needs is not ConfusionMatrix:
        kind, name = "constant_probability", _constant_name(ev, measure)
    elif facts.best_constant == "commonest":
        kind, name = "majority", f"always {quoted(ev.baselines.majority_class, 8)}"
    elif facts.best_constant == "positive" and isinstance(ev, TwoClassEvaluation):
        kind, name = "always_positive", f"always {quoted(ev.positive, 8)}"
    else:
        # As many answers of each class as here, dealt out at random.
        value = math.nan if ev.matrix is None else float(facts(chance_matrix(ev.matrix)))
        return None if math.isnan(value) else Baseline("random", 0.0 if abs(value) < ROUNDING else value)
    value = ev.baselines.value(kind, measure)
    return None if math.isnan(value) else Baseline(name, value)


def decisions_by(models: Mapping[str, Evaluation]) -> tuple[str, str]:
    """What made the decisions, as a title and, where one threshold did, that threshold."""
    deciding = [ev for ev in models.values() if ev.matrix is not None]
    thresholds = {ev.threshold_used if isinstance(ev, TwoClassEvaluation) else None for ev in deciding}
    if len(thresholds) != 1:
        return "With each model's predicted labels", ""
    (threshold,) = thresholds
    if threshold is not None:
        return "At threshold", threshold_words(threshold)
    by_score = all(map(takes_the_highest, deciding))
    return ("By the highest score" if by_score else "With the given labels"), ""


def _constant_name(ev: Evaluation, measure: str) -> str:
    if ev.registry[measure].family == "ranking":
        return "random"
    return f"always {_prevalence_words(ev)}" if isinstance(ev, TwoClassEvaluation) else "class shares"


def _prevalence_words(ev: Evaluation) -> str:
    return percent(list(ev.class_shares.values())[-1])


def _skill_words(ev: Evaluation, model: str) -> str:
    skill = ev.estimate("brier_skill")
    if math.isnan(skill.value):
        return ""
    # Beside a model's name there is room for the estimate alone.
    baseline = (
        f"always predicting {_prevalence_words(ev)}" if isinstance(ev, TwoClassEvaluation) else "the class shares"
    )
    estimate = f"skill {value_words(skill)} {bracketed(skill)}".strip()
    return estimate if model else f"{estimate} over {baseline}"


def _first_sentence(words: str) -> str:
    return words.split(". ")[0].removesuffix(".")
