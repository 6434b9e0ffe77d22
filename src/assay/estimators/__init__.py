"""Estimators that work as scikit-learn's do: learners and wrappers that act on what Assay finds."""

from assay.estimators._costs import CostSensitiveClassifier, RejectClassifier
from assay.estimators._margins import AsymmetricMarginSVC
from assay.estimators._metacost import MetaCostClassifier
from assay.estimators._mixture import HullMixtureClassifier
from assay.estimators._rankboost import RankBoostClassifier
from assay.estimators._recalibrated import RecalibratedClassifier
from assay.estimators._threshold import ThresholdClassifier
from assay.estimators._votes import VotesClassifier

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
