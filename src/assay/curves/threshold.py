"""The curves a moving threshold traces."""

from __future__ import annotations

from assay.curves._curve import Sweep
from assay.measures import fpr, recall

__all__ = ["roc"]

roc = Sweep("roc", "ROC curve", x=fpr, y=recall, chance=((0.0, 0.0), (1.0, 1.0)))
