"""Estimators that work as scikit-learn's do: wrappers that act on what Assay finds."""

from assay.estimators._recalibrated import RecalibratedClassifier

__all__ = ["RecalibratedClassifier"]
