"""Sections: each a function from evaluations to blocks, or None where it has nothing to say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from assay.evaluation import Evaluation
from assay.report.blocks import Block
from assay.report.sections.cautions import cautions
from assay.report.sections.confusion import confusion
from assay.report.sections.headline import headline
from assay.report.sections.measures import measures
from assay.report.sections.methods import methods
from assay.report.sections.operating_point import operating_point
from assay.report.sections.per_class import per_class, worst_classes
from assay.report.sections.reproduce import reproduce
from assay.report.sections.roc import roc
from assay.report.sections.subgroups import subgroups
from assay.report.sections.thresholds import thresholds

__all__ = ["SECTIONS", "WHOLE", "written"]

Section = Callable[[Mapping[str, Evaluation]], list[Block] | None]

# In the order of the page.
SECTIONS: Mapping[str, Section] = {
    "headline": headline,
    "operating-point": operating_point,
    "worst-classes": worst_classes,
    "subgroups": subgroups,
    "cautions": cautions,
    "roc": roc,
    "confusion": confusion,
    "thresholds": thresholds,
    "measures": measures,
    "per-class": per_class,
    "methods": methods,
    "reproduce": reproduce,
}


# What a short table adds to; a page has the whole.
ONLY_IN_BRIEF = ("worst-classes",)
WHOLE = tuple(name for name in SECTIONS if name not in ONLY_IN_BRIEF)


def written(models: Mapping[str, Evaluation], names: Collection[str] = WHOLE) -> dict[str, list[Block]]:
    """The sections called `names` that have something to say, in the order of the page."""
    found = {name: section(models) for name, section in SECTIONS.items() if name in names}
    return {name: blocks for name, blocks in found.items() if blocks}
