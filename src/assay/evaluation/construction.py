"""From predictions to an evaluation: what decides, and the evidence of what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.errors import InputError, OptionError
from assay.evaluation.binary import TwoClassEvaluation
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.groups import Parting
from assay.evaluation.multiclass import ManyClassEvaluation
from assay.evaluation.sampled import SampledEvaluation
from assay.evidence import ClassScores, DecidedRows, ScoreTable, SummedClasses
from assay.labelling import FEWEST_LABELS, LabelledRows, verified_shares
from assay.predictions import Predictions
from assay.request import Card, Request
from assay.sources import Grouped, Source, Subgroups
from assay.types import Codes

__all__ = [
    "evaluation_of",
    "evaluation_of_grouped",
    "refuse_no_probability",
    "sampled_calls",
    "sampled_of",
    "with_cards",
    "with_subgroups",
]

DEFAULT_THRESHOLD = 0.5
LEAST_PERCENT = 2  # a threshold from here to 100 is taken for a percentage
MOST_GROUPS = 100
MOST_CELLS = 50_000_000


def evaluation_of(
    predictions: Predictions, source: Source, threshold: float | None, level: float, seed: int
) -> Evaluation:
    """The evaluation of one classifier: a threshold that was given decides, else labels, else what scores say."""
    if predictions.amount is not None and (len(predictions.classes) > 2 or predictions.score is None):
        many = f"there are {len(predictions.classes)} classes"
        found = many if len(predictions.classes) > 2 else "there are labels but no scores"
        raise OptionError(f"amount is given, and {found}", "scores of two classes, for a risk chart", about="amount")
    if predictions.amount is not None and not predictions.amount.sum() > 0:
        found = f"the amounts at stake sum to {predictions.amount.sum():g}, so that there is no share of them"
        raise OptionError(found, "an amount for each case, above 0 in all", about="amount")
    if len(predictions.classes) > 2:
        return _many_class_evaluation(_many_class_rows(predictions, threshold), source, level, seed)
    if threshold is not None and predictions.score is None:
        raise InputError("there are labels but no scores", "a score column, if a threshold is to be used")
    if threshold is not None and predictions.score is not None:
        refuse_no_probability(threshold, float(predictions.score.min()), float(predictions.score.max()))
    rows = DecidedRows(predictions, threshold)
    return _two_class_evaluation(rows, source, level, seed, threshold_was_given=threshold is not None, may_decide=True)


# How many standard deviations the weights may lie off the number of rows.
MOST_OFF = 5.0
NOT_SAMPLED = ("weight", "count", "cluster", "fold", "amount")


def sampled_calls(predictions: Predictions, threshold: float | None) -> tuple[Any, float | None]:
    """Return which rows are predicted positive, and the threshold that says so where labels do not."""
    score = predictions.score
    if threshold is None and predictions.decision is not None:
        return predictions.decision == 1, None
    if threshold is None and score is not None and score.min() >= 0 and score.max() <= 1:
        threshold = DEFAULT_THRESHOLD
    return (None, None) if threshold is None or score is None else (score >= threshold, threshold)


def sampled_of(
    predictions: Predictions, source: Source, request: Request, *, verified: tuple[str, Codes] | None = None
) -> Evaluation | SampledEvaluation:
    """Return the evaluation of rows of which a sample is labelled; where all are labelled, the one of plain rows.

    Where the labels are of `verified` rows, the column and the groups that decided about it take the place of known
    inclusion probabilities.
    """
    threshold = request.threshold
    truth, score = predictions.truth, predictions.score
    if (truth >= 0).all():
        remark = "every row is labelled: the inclusion probabilities are not used"
        source = replace(source, remarks=(*source.remarks, remark))
        plain = replace(predictions, inclusion=None, proxy=None)
        return evaluation_of(plain, source, threshold, request.level_used, request.seed_used)
    _refuse_unsampled(predictions, request)
    is_probability = score is not None and bool(score.min() >= 0 and score.max() <= 1)
    called, used = sampled_calls(predictions, threshold)
    if threshold is not None and score is None:
        raise InputError("there are labels but no scores", "a score column, if a threshold is to be used")
    if threshold is not None and score is not None:
        refuse_no_probability(threshold, float(score.min()), float(score.max()))
    if score is not None and score.min() == score.max():
        if called is None or used is not None:
            raise InputError(f"every score is {score[0]:g}", "scores that differ, or predicted labels")
        score = None
    label = np.where(truth >= 0, (truth == 1).astype(np.float64), np.nan)
    inclusion = predictions.inclusion
    if verified is not None:
        inclusion, is_unknown = verified_shares(label, verified[1])
        score = _refuse_unverified(score, called, is_unknown, verified[0])
        inclusion = np.where(is_unknown, 1.0, inclusion)
    assert inclusion is not None
    proxy = predictions.proxy
    sample = LabelledRows(label, inclusion, score, called, proxy=proxy, has_probabilities=is_probability)
    if verified is None:
        _refuse_implausible_inclusion(sample)
    ev = SampledEvaluation(
        source=source,
        predictions=predictions,
        sample=sample,
        classes=(predictions.classes[0], predictions.classes[1]),
        level=request.level_used,
        target="new" if request.target == "new" else "rows",
        threshold_used=used,
        threshold_was_given=threshold is not None,
    )
    return ev if verified is None else replace(ev, assumes=f"Who was verified depends on nothing but {verified[0]}.")


def _refuse_unverified(score: Any, called: Any, is_unknown: Any, column: str) -> Any:
    """Return the scores, or None where a whole side of the calls has no verified row, so that only the other tells."""
    if not is_unknown.any():
        return score
    if called is None or not any(np.array_equal(is_unknown, side) for side in (called, ~called)):
        rows = int(np.count_nonzero(is_unknown))
        found = f"{rows:,} rows lie in groups of {column!r} without any verified row"
        raise InputError(found, "a column whose every group has verified rows")
    return None


def _refuse_unsampled(predictions: Predictions, request: Request) -> None:
    """Refuse what no method for samples of labels was simulated for."""
    if len(predictions.classes) > 2:
        found = f"inclusion is given, and there are {len(predictions.classes)} classes"
        raise OptionError(found, "two, or one of them against the rest by positive=", about="inclusion")
    other = next((name for name in NOT_SAMPLED if getattr(predictions, name) is not None), None)
    other = "by" if other is None and request.by is not None else other
    if other is not None:
        found = f"inclusion and {other} are both given, and no method for both was simulated"
        raise OptionError(found, "one of them", about=("inclusion", other))
    beyond = set(predictions.decisions) - set(predictions.classes)
    if beyond and request.threshold is None:
        found = f"inclusion is given, and some predicted labels are no class ({', '.join(sorted(beyond)[:3])})"
        raise OptionError(found, "labels of the two classes alone", about="inclusion")
    labels = int(np.count_nonzero(predictions.truth >= 0))
    if labels < FEWEST_LABELS:
        found = f"{labels:,} of {len(predictions):,} rows are labelled"
        raise InputError(found, f"at least {FEWEST_LABELS} labels; {FEWEST_LABELS - labels} more")


def _refuse_implausible_inclusion(sample: LabelledRows) -> None:
    """Refuse inclusion probabilities under which so many rows could hardly have been represented."""
    weights = sample.weight[sample.drawn]
    total, error = float(weights.sum()), float(np.sqrt(weights @ (weights - 1)))
    if abs(total - len(sample)) > MOST_OFF * error + 1e-9 * len(sample):
        found = (
            f"the weights 1 / inclusion of the labelled rows sum to {total:,.6g}, and there are {len(sample):,} rows"
        )
        needed = "the probabilities with which these rows were drawn; the labels, or the rows, belong to another sample"
        raise InputError(found, needed)


def refuse_no_probability(threshold: float, low: float, high: float) -> None:
    """Refuse a percentage as the threshold of probabilities; other thresholds beyond the scores have a caution."""
    if not LEAST_PERCENT <= threshold <= 100 or low < 0 or high > 1:
        return
    ways = [({"threshold": threshold / 100}, f"if {threshold:g} % is meant")]
    found = f"threshold is {threshold:.4g}, and the scores are probabilities ({low:.4g} to {high:.4g})"
    raise OptionError(found, "a threshold between 0 and 1", about="threshold", ways=ways)


def evaluation_of_grouped(
    model: Grouped, source: Source, threshold: float | None, level: float, seed: int, by: str | None = None
) -> Evaluation:
    """The evaluation of predictions that were put together where they lie; there are no rows."""
    tables = tuple(known.table for known in model.scores)
    common: dict[str, Any] = {"source": source, "level": level, "seed": seed, "cases": tuple(model.cases.values())}
    common["by"] = by if model.subgroups else None
    is_many, used = len(model.cases) > 2, threshold
    if tables and not is_many and threshold is not None and len(tables[0]):
        refuse_no_probability(threshold, float(tables[0].score[0]), float(tables[0].score[-1]))
    if not is_many and tables and threshold is None and not model.is_decided_by_labels:
        table = tables[0]
        used = DEFAULT_THRESHOLD if len(table) and table.score[0] >= 0 and table.score[-1] <= 1 else None
    common["subgroups"] = {
        name: evaluation_of_grouped(part, replace(source, rows=sum(part.cases.values())), used, level, seed)
        for name, part in model.subgroups.items()
    }
    if is_many:
        assert model.matrix is not None
        cells = tuple(known.binned for known in model.scores)
        sums = None if model.sums is None else SummedClasses.of(cells, tables, model.sums, model.matrix)
        return ManyClassEvaluation(matrix=model.matrix, class_tables=tables, class_sums=sums, **common)
    return TwoClassEvaluation(
        matrix=model.matrix or (None if used is None else tables[0].at(used)),
        scores=tables[0] if tables else None,
        threshold_used=used,
        threshold_was_given=threshold is not None,
        **common,
    )


def with_subgroups(ev: Evaluation, model: str, groups: Subgroups) -> Evaluation:
    """The evaluation together with those of its subgroups, decided as the whole is."""
    assert ev.rows is not None
    if len(groups.names) > MOST_GROUPS:
        found = f"{groups.column!r} parts the cases into {len(groups.names):,} subgroups"
        raise InputError(found, f"a column of at most {MOST_GROUPS} different values; dependent rows take cluster=")
    subgroups = {}
    for code, name in enumerate(groups.names):
        here = groups.codes[model] == code
        if here.any():
            subgroups[name] = _evaluation_of_rows(ev, ev.rows.only(here))
    parting = Parting(groups.column, groups.names, groups.codes[model])
    return replace(ev, by=groups.column, subgroups=subgroups, grouping=parting)


def with_cards(found: dict[str, Evaluation], card: Card) -> dict[str, Evaluation]:
    """The evaluations with what a card says of the models: of the one there is, or of each by its name."""
    by_model = all(isinstance(each, Mapping) for each in card.values())
    if not by_model:
        if len(found) > 1:
            needed = f"a card for each by name: {', '.join(found)}"
            raise InputError(f"card holds one model's fields, and there are {len(found)} models", needed)
        return {name: replace(ev, card=card) for name, ev in found.items()}
    unknown = next((name for name in card if name not in found), None)
    if unknown is not None:
        raise InputError(
            f"card is of a model {unknown!r}", f"one that there is: {', '.join(found) or 'none has a name'}"
        )
    return {name: replace(ev, card=card.get(name)) for name, ev in found.items()}


def _evaluation_of_rows(ev: Evaluation, rows: DecidedRows) -> Evaluation:
    """Some rows of an evaluation by themselves."""
    source = replace(ev.source, rows=len(rows))
    if isinstance(ev, TwoClassEvaluation):
        return _two_class_evaluation(rows, source, ev.level, ev.seed, threshold_was_given=ev.threshold_was_given)
    return _many_class_evaluation(rows, source, ev.level, ev.seed)


def _two_class_evaluation(
    rows: DecidedRows,
    source: Source,
    level: float,
    seed: int,
    *,
    threshold_was_given: bool,
    may_decide: bool = False,
) -> TwoClassEvaluation:
    """Two classes; if scores that are probabilities `may_decide`, they do so at 0.5 where nothing else does."""
    scores = None
    if rows.score is not None:
        classes = (rows.classes[0], rows.classes[1])
        scores = ScoreTable.of(rows.score, rows.truth == 1, classes, **rows.design)
        if may_decide and rows.decided_by is None and scores.score[0] >= 0 and scores.score[-1] <= 1:
            rows = rows.at(DEFAULT_THRESHOLD)
    # The sorted scores know the counts on either side of a threshold; nothing else need look at every row.
    matrix = rows.matrix() if scores is None or rows.threshold is None else scores.at(rows.threshold)
    return TwoClassEvaluation(
        source=source,
        matrix=matrix,
        scores=scores,
        threshold_used=rows.threshold,
        threshold_was_given=threshold_was_given,
        level=level,
        seed=seed,
        rows=rows,
    )


def _many_class_rows(predictions: Predictions, threshold: float | None) -> DecidedRows:
    """The rows of many classes, if they can be decided: labels were given, or a score for each class."""
    classes = len(predictions.classes)
    if threshold is not None:
        raise InputError(f"there are {classes} classes", "two, if a threshold is to part them")
    rows = DecidedRows(predictions)
    if rows.decided_by is None:
        raise InputError(
            f"there is one score for each case and {classes} classes", "a score for each class, or predicted labels"
        )
    if predictions.cluster is not None:
        # Every cluster has a confusion matrix of its own, which many classes make large.
        clusters = int(predictions.cluster.max()) + 1
        if clusters * classes * classes > MOST_CELLS:
            found = f"{clusters:,} clusters of {classes:,} classes make {clusters * classes * classes:,} cells"
            raise InputError(found, f"at most {MOST_CELLS:,}: fewer classes, or clusters put together")
    return rows


def _many_class_evaluation(rows: DecidedRows, source: Source, level: float, seed: int) -> ManyClassEvaluation:
    probability, matrix = rows.predictions.probability, rows.matrix()
    assert matrix is not None
    scores = None if probability is None else ClassScores.of(probability, rows.truth, rows.classes, **rows.design)
    return ManyClassEvaluation(source=source, matrix=matrix, class_scores=scores, level=level, seed=seed, rows=rows)
