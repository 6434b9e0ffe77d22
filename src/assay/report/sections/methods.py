"""Methods and references: those behind the numbers of this report, and no others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from assay.evaluation import Evaluation, ManyClassEvaluation, TwoClassEvaluation
from assay.measures import Measure
from assay.report.blocks import Block, Heading, Note, Notes, Sentence
from assay.report.certificate import OF_MANY, Kind, covered
from assay.report.glossary import INTERVALS, OF_DIFFERENCES
from assay.report.sections.calibration import are_probabilities, can_be_calibrated
from assay.report.sections.confusion import pairs_have_limits
from assay.report.sections.discrimination import independent
from assay.report.sections.figures import has_both_classes

if TYPE_CHECKING:
    from assay.report.sections.comparison import Compared

__all__ = ["methods"]

# The certificate is about intervals at this level, of one classifier's cases.
SIMULATED_LEVEL = 0.95
IN_CELLS = (
    "The scores are binned. A range marked as binned contains the value for any scores within the bins; it is a "
    "mathematical bound, not an interval. Values without a range are exact to the digits shown."
)
# What figures and the numbers beside them rest on, and for which evaluations.
OVER_POSITIONS = (
    "allows for the sampling variation of the rate and of the threshold at each value of the x axis; pointwise."
)
OF_FIGURES: Mapping[str, tuple[Callable[[Evaluation], bool], str]] = {
    "ROC band": (lambda ev: has_both_classes(ev) and independent(ev), OVER_POSITIONS),
    "Precision band": (lambda ev: has_both_classes(ev) and independent(ev), OVER_POSITIONS),
    "ROC hull": (
        has_both_classes,
        "the lowest cost of any threshold or random mixture of two. Provost & Fawcett (2001).",
    ),
    "Calibration line": (
        can_be_calibrated,
        "isotonic, by pooling adjacent violators. Dimitriadis, Gneiting & Jordan (2021).",
    ),
    "Calibration band": (
        lambda ev: can_be_calibrated(ev) and ev.calibration.overall.miscalibration.undefined is None,
        "simultaneous: exact limits over runs of scores, joined by the union bound. Dimitriadis et al. (2023).",
    ),
    "Calibration slope": (
        can_be_calibrated,
        "logistic regression on the logit, with sandwich standard errors. Cox (1958); White (1982).",
    ),
    "Pairs confused": (
        lambda ev: isinstance(ev, ManyClassEvaluation) and pairs_have_limits(ev.matrix),
        "exact limits, Bonferroni-adjusted over all pairs because of the selection. Clopper & Pearson (1934).",
    ),
    "Net benefit": (
        are_probabilities,
        "limits by MOVER from Wilson intervals. Vickers & Elkin (2006); Donner & Zou (2012).",
    ),
    "Cost curve": (has_both_classes, "Drummond & Holte (2006)."),
    "Covariance graph": (are_probabilities, "Yates (1982)."),
}


def methods(models: Mapping[str, Evaluation], compared: Compared | None = None) -> list[Block] | None:
    """How the intervals were made, what they assume, and whom to cite."""
    used: dict[str, dict[str, None]] = {}
    named: dict[str, tuple[Kind, dict[str, None]]] = {}
    shown: dict[str, Measure] = {}
    for ev in models.values():
        for name, estimate in ev.measures.items():
            if math.isnan(estimate.value):
                continue
            shown[name] = ev.registry[name]
            if not math.isnan(estimate.low):
                used.setdefault(estimate.method, {})[ev.registry[name].title] = None
                if ev.fold_count is None and ev.level == SIMULATED_LEVEL:
                    named.setdefault(estimate.method, (_certificate_kind(ev), {}))[1][name] = None
    items = (
        *([] if compared is None else _difference_notes(compared)),
        *(Note(method, _method_sentence(method, list(titles), named.get(method))) for method, titles in used.items()),
        *(Note(name, words) for name, (applies, words) in OF_FIGURES.items() if any(map(applies, models.values()))),
    )
    assumptions = "; ".join(dict.fromkeys(measure.intervals.assumes for measure in shown.values()))
    references = dict.fromkeys(
        one for measure in shown.values() for one in measure.reference.split("; ") if measure.reference
    )
    blocks: list[Block] = [Heading("Methods and references"), Notes(items)]
    if assumptions:
        of_folds = all(ev.fold_count is not None for ev in models.values())
        whom = (
            "the models of these folds, not one fitted to all cases" if of_folds else "this classifier, not retraining"
        )
        blocks.append(Sentence(f"All intervals assume that {assumptions}. They describe {whom}."))
    if any(of_cells(ev) for ev in models.values()):
        blocks.append(Sentence(IN_CELLS))
    if references:
        blocks.append(Sentence(f"References: {'; '.join(references)}."))
    return blocks


def of_cells(ev: Evaluation) -> bool:
    """Whether some score of the evaluation is known by its cell alone."""
    table = ev.scores if isinstance(ev, TwoClassEvaluation) else None
    return table is not None and table.reach is not None and not table.reach.is_exact


def _difference_notes(compared: Compared) -> list[Note]:
    """The tests behind the differences shown, each with what it was used for."""
    used: dict[str, dict[str, None]] = {}
    for measure in compared.answer.measures:
        for found in compared.answer.differences[measure.name]:
            if not math.isnan(found.low):
                adjusted = f", {found.adjusted}" if found.adjusted else ""
                used.setdefault(f"{found.method}{adjusted}", {})[measure.title] = None
    return [
        Note(name, f"{OF_DIFFERENCES.get(name.split(',')[0], '')} For differences of {', '.join(titles)}.".strip())
        for name, titles in used.items()
    ]


def _method_sentence(method: str, titles: list[str], tried: tuple[Kind, Iterable[str]] | None) -> str:
    """What an interval is, for which measures, and how often those of the certificate held."""
    explained = f"{INTERVALS[method]} " if method in INTERVALS else ""
    simulated = None
    if tried is not None:
        kind, names = tried
        simulated = covered([f"{name}{OF_MANY if kind == 'classes' else ''}" for name in names], kind)
    return f"{explained}For {', '.join(titles)}.{f' {simulated}' if simulated else ''}"


def _certificate_kind(ev: Evaluation) -> Kind:
    """Which populations of the certificate an evaluation is like."""
    if isinstance(ev, ManyClassEvaluation):
        return "classes"
    if ev.rows is None:
        return "rows"
    return "clusters" if ev.rows.cluster is not None else "rows" if ev.rows.weight is None else "weights"
