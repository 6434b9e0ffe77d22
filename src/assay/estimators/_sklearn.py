"""What the learners take from scikit-learn, an extra: without it they say what to install."""

from __future__ import annotations

from assay.errors import MissingExtra

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.dummy import DummyClassifier
    from sklearn.frozen import FrozenEstimator
    from sklearn.model_selection import StratifiedKFold, check_cv, train_test_split
    from sklearn.preprocessing import LabelEncoder
    from sklearn.svm import SVC
    from sklearn.utils import check_random_state, get_tags
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import (
        check_is_fitted,
        column_or_1d,
        has_fit_parameter,
        validate_data,
    )
except ImportError as error:
    raise MissingExtra("scikit-learn", extra="learn", purpose="wrapping classifiers") from error

__all__ = [
    "SVC",
    "BaseEstimator",
    "CalibratedClassifierCV",
    "ClassifierMixin",
    "DummyClassifier",
    "FrozenEstimator",
    "LabelEncoder",
    "MetaEstimatorMixin",
    "StratifiedKFold",
    "available_if",
    "check_classification_targets",
    "check_cv",
    "check_is_fitted",
    "check_random_state",
    "clone",
    "column_or_1d",
    "get_tags",
    "has_fit_parameter",
    "is_classifier",
    "train_test_split",
    "validate_data",
]
