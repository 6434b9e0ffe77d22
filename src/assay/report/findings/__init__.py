"""The first screen: the questions a reader comes with, each answered in one line by rules, never by an adjective."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.evaluation import Evaluation, ManyClassEvaluation
from assay.report.findings._many import findings_of_many
from assay.report.said import Finding

if TYPE_CHECKING:
    from assay.report.sections._compared import Compared

__all__ = ["findings"]


def findings(models: Mapping[str, Evaluation], compared: Compared | None = None) -> tuple[Finding, ...]:
    """What was found, a line for each question that this kind of page is asked."""
    if isinstance(next(iter(models.values())), ManyClassEvaluation):
        return findings_of_many(models, compared)
    return ()
