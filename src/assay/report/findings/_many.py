"""What is found of many classes: is it right, what does it confuse, is it calibrated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.evaluation import Evaluation
from assay.report.said import Finding

if TYPE_CHECKING:
    from assay.report.sections._compared import Compared

__all__ = ["findings_of_many"]


def findings_of_many(models: Mapping[str, Evaluation], compared: Compared | None = None) -> tuple[Finding, ...]:
    """Good? Confuses? Calibrated?; of several models the first question is which is better."""
    return ()
