"""Estimators that work as scikit-learn's do: learners and wrappers that act on what Assay finds."""

from assay.estimators.cost_sensitive import (
    CostSensitiveClassifier,
    MetaCostClassifier,
    RejectClassifier,
    VotesClassifier,
)
from assay.estimators.margins import AsymmetricMarginSVC
from assay.estimators.post_processing import HullMixtureClassifier, RecalibratedClassifier, ThresholdClassifier
from assay.estimators.rankboost import RankBoostClassifier

__all__ = [
    "AsymmetricMarginSVC",
    "CostSensitiveClassifier",
    "HullMixtureClassifier",
    "MetaCostClassifier",
    "RankBoostClassifier",
    "RecalibratedClassifier",
    "RejectClassifier",
    "ThresholdClassifier",
    "VotesClassifier",
]
