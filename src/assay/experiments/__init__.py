"""Experiments: how good is an algorithm, and is it better than another, over training sets like this one?"""

from assay.experiments import plans
from assay.experiments.algorithm_tests import AlgorithmDifference
from assay.experiments.curves import fit_of, learning_curve, validation_curve
from assay.experiments.plans import kfold
from assay.experiments.study import Study, experiment, open_study
from assay.experiments.task import CellOutcome

__all__ = [
    "AlgorithmDifference",
    "CellOutcome",
    "Study",
    "experiment",
    "fit_of",
    "kfold",
    "learning_curve",
    "open_study",
    "plans",
    "validation_curve",
]
