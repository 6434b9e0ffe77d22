"""Sections: each a function from evaluations (or a comparison) to blocks, or None where it has nothing to say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from assay.evaluation import Evaluation, ManyClassEvaluation
from assay.report.blocks import Block
from assay.report.page_cache import spare_memory
from assay.report.sections.calibration import calibration, calibration_numbers, covariance, murphy
from assay.report.sections.cautions import cautions
from assay.report.sections.comparison import (
    Compared,
    NotCompared,
    cheapest,
    differences,
    hull_owners,
    verdicts,
    verdicts_in_brief,
    who_was_right,
    wins,
)
from assay.report.sections.confusion import (
    MOST_IN_MATRIX,
    confusion,
    matrix_in_brief,
    per_class,
    what_it_confuses,
    worst_classes,
)
from assay.report.sections.costs import cost_curve, cost_weights, expected_cost
from assay.report.sections.decisions import net_benefit, operating_point, reject, thresholds
from assay.report.sections.discrimination import densities, gain, lift, precision_recall, risk_chart, roc
from assay.report.sections.measures import SEVERAL, headline, key_measures, measures, subgroups
from assay.report.sections.methods import methods
from assay.report.sections.provenance import card, compared_reproduce, reproduce

__all__ = ["IN_THEIR_PLACE", "OF_A_PAGE", "SECTIONS", "WHOLE", "WHOLE_OF_COMPARISON", "written"]

Section = Callable[[Mapping[str, Evaluation]], list[Block] | None]

# In the order of the page.
SECTIONS: Mapping[str, Section] = {
    "headline": headline,
    "key": key_measures,
    "operating-point": operating_point,
    "calibration-numbers": calibration_numbers,
    "worst-classes": worst_classes,
    "matrix": matrix_in_brief,
    "subgroups": subgroups,
    "cautions": cautions,
    "card": card,
    "roc": roc,
    "precision-recall": precision_recall,
    "calibration": calibration,
    "expected-cost": expected_cost,
    "confusion": confusion,
    "densities": densities,
    "reject": reject,
    "gain": gain,
    "lift": lift,
    "risk-chart": risk_chart,
    "net-benefit": net_benefit,
    "cost-curve": cost_curve,
    "cost-weights": cost_weights,
    "covariance": covariance,
    "murphy": murphy,
    "thresholds": thresholds,
    "measures": measures,
    "per-class": per_class,
    "methods": methods,
    "reproduce": reproduce,
}


# Those that only a comparison has; they come first on its page.
OF_COMPARISON: Mapping[str, Callable[[Compared], list[Block] | None]] = {
    "verdicts": verdicts,
    "differences": differences,
    "who-was-right": who_was_right,
    "wins": wins,
    "hull": hull_owners,
}
# What a short table adds to; a page has the whole.
ONLY_IN_BRIEF = ("worst-classes", "matrix")
WHOLE_OF_COMPARISON = tuple(OF_COMPARISON)
# So many models have a table of thresholds each on a page.
MOST_WITH_THRESHOLDS = 2
# What a page of two classes has in place of the headline and the operating point.
OF_A_PAGE = ("key",)
IN_THEIR_PLACE = ("headline", "operating-point")
WHOLE = tuple(name for name in SECTIONS if name not in (*ONLY_IN_BRIEF, *OF_A_PAGE))


def written(
    models: Mapping[str, Evaluation],
    names: Collection[str] = WHOLE,
    compared: Compared | NotCompared | None = None,
    *,
    of_comparison: Collection[str] = WHOLE_OF_COMPARISON,
    embed_rows: bool = False,
    on_page: bool = False,
) -> dict[str, list[Block]]:
    """The sections called `names` that have something to say, in the order of the page; those of a comparison first.

    Where these do not hold the verdicts, the headline does. A page that embeds rows says so where it says how to make
    it again; of many classes one table on a page holds both the matrix and the classes.
    """
    sections: dict[str, Callable[[], list[Block] | None]] = {}
    if isinstance(compared, Compared):
        sections |= {name: partial(OF_COMPARISON[name], compared) for name in OF_COMPARISON if name in of_comparison}
    sections |= {name: partial(section, models) for name, section in SECTIONS.items() if name in names}
    otherwise = _section_alternatives(models, compared, embed_rows, says_verdicts="verdicts" not in of_comparison)
    sections |= {name: section for name, section in otherwise.items() if name in sections}
    if on_page and "cautions" in sections:
        pairs = compared if isinstance(compared, Compared) else None
        sections["cautions"] = partial(cautions, models, pairs, on_page=True)
    if on_page and isinstance(compared, Compared):
        sections["cheapest"] = partial(cheapest, compared)
    if on_page and "thresholds" in sections:
        # What costs ask for is what the page's first screen answers; of several models a page compares, and
        # `assay threshold` chooses.
        sections["thresholds"] = partial(
            thresholds, models if len(models) <= MOST_WITH_THRESHOLDS else {}, by_costs=False
        )
    if on_page and all(isinstance(ev, ManyClassEvaluation) for ev in models.values()):
        sections["confusion"] = partial(what_it_confuses, models)
        if all(len(ev.classes) <= MOST_IN_MATRIX for ev in models.values()):
            sections.pop("per-class", None)
    found: dict[str, list[Block] | None] = {}
    for name, section in sections.items():
        found[name] = section()
        spare_memory(models)
    return {name: blocks for name, blocks in found.items() if blocks}


def _section_alternatives(
    models: Mapping[str, Evaluation], compared: Compared | NotCompared | None, embed_rows: bool, *, says_verdicts: bool
) -> dict[str, Callable[[], list[Block] | None]]:
    """The sections that a comparison, or a page that embeds rows, puts in other words."""
    again: dict[str, Callable[[], list[Block] | None]] = {
        "reproduce": partial(reproduce, models, embed_rows=embed_rows)
    }
    if compared is None:
        return again
    if isinstance(compared, NotCompared):
        return again | {"headline": partial(headline, models, [f"{SEVERAL}. Here {compared.reason}."])}
    said = verdicts_in_brief(compared) if says_verdicts else ()
    if compared.asked:
        again = {"reproduce": partial(compared_reproduce, compared, embed_rows=embed_rows)}
    return again | {
        "headline": partial(headline, models, said),
        "cautions": partial(cautions, models, compared),
        "methods": partial(methods, models, compared),
    }
