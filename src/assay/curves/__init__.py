"""Curves: two measures read at every threshold of one score table."""

from assay.curves._curve import Curve, Sweep
from assay.curves.threshold import roc

__all__ = ["Curve", "Sweep", "roc"]
