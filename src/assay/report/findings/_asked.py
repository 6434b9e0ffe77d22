"""Which questions a page is asked, by what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.evaluation import Evaluation, ManyClassEvaluation, TwoClassEvaluation
from assay.report.findings import _many, _one, _several
from assay.report.findings._moved import better_at
from assay.report.knots import KNOTS
from assay.report.live import Moved, Moving, threshold_finding
from assay.report.said import FoundLine, said
from assay.report.sections._compared import Compared, NotCompared
from assay.report.sections._pictures import has_both_classes, movable, scored
from assay.report.sections._rows import of_labels_alone
from assay.report.words import model_names

if TYPE_CHECKING:
    from assay.report.sections._compared import Compared, NotCompared


def findings(models: Mapping[str, Evaluation], compared: Compared | NotCompared | None = None) -> tuple[FoundLine, ...]:
    """What was found, a line for each question that this kind of page is asked."""
    first = next(iter(models.values()))
    pairs = compared if isinstance(compared, Compared) else None
    if isinstance(first, ManyClassEvaluation):
        return _many.findings_of_many(models, compared)
    assert isinstance(first, TwoClassEvaluation)
    if len(models) == 1:
        return _of_one(first)
    if pairs is None:
        reason = compared.reason if isinstance(compared, NotCompared) else "they were not compared"
        return (FoundLine("Better?", "open", said("better.not_compared", reason=reason)),)
    return _of_several(pairs)


def _of_one(ev: TwoClassEvaluation) -> tuple[FoundLine, ...]:
    if of_labels_alone(ev):
        return (_one.good_finding(ev), _one.of_labels(ev))
    if not has_both_classes(ev):
        return (_one.good_finding(ev),)
    moving = Moving(ev, KNOTS)
    return _one.good_finding(ev), _one.calibrated_finding(ev), threshold_finding(moving, Moved(moving.used))


def _of_several(compared: Compared) -> tuple[FoundLine, ...]:
    models = compared.comparison.models
    names = model_names(models)
    if len(models) == 2:
        moving = {key: Moving(ev, KNOTS) for key, ev in scored(models).items() if key in movable(models)}
        first = _several.better_finding(compared.answer, compared.names)
        if len(moving) == 2:
            first = better_at(compared.answer, compared.names, moving, [Moved(one.used) for one in moving.values()])
    else:
        first = _several.best_finding(compared)
    if all(map(of_labels_alone, models.values())):
        return (first,)
    return first, _several.calibrated_of_several(models, names), _several.cheapest_finding(compared, Moved())
