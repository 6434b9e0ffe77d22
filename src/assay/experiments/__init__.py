"""Experiments: how good is an algorithm, and is it better than another, over training sets like this one?"""

from assay.experiments import plans
from assay.experiments._parting import Split
from assay.experiments.algorithms import (
    AlgorithmDifference,
    compare_algorithms,
    corrected_kfold_t,
    corrected_t,
    five_by_two_f,
    five_by_two_t,
    mcnemar_of_folds,
    paired_t,
)
from assay.experiments.bootstrap_estimates import BootstrapError, bootstrap_error
from assay.experiments.curves import SPOILERS, GrowthCurve, fit_of, learning_curve, robustness_curve, share_right
from assay.experiments.datasets import Dataset, dataset_of
from assay.experiments.estimates import (
    CaseLosses,
    FoldScores,
    estimates_table,
    fold_auc,
    fold_average,
    optimism,
    pooled_loss,
    which_model,
)
from assay.experiments.flow import Flow
from assay.experiments.learners import Learner, learner_of
from assay.experiments.nested_cv import nested_cross_validation
from assay.experiments.pairs import leave_pair_out_auc
from assay.experiments.plans import (
    Plan,
    bootstrap,
    five_by_two,
    grouped_kfold,
    holdout,
    kfold,
    leave_one_out,
    leave_pair_out,
    nested,
    plan_of,
    repeated_kfold,
    resubstitution,
    shuffle,
    swapped_halves,
    time_series,
    train_validation_test,
)
from assay.experiments.posterior import Posterior, correlated_t
from assay.experiments.results import Results
from assay.experiments.runner import Executor, run_cells
from assay.experiments.selection import Winner, winner
from assay.experiments.store import Store
from assay.experiments.study import Study, experiment, open_study
from assay.experiments.study_file import read_study
from assay.experiments.task import CellOutcome, CellSpec
from assay.experiments.timing import TimeCurve, time_curve

__all__ = [
    "SPOILERS",
    "AlgorithmDifference",
    "BootstrapError",
    "CaseLosses",
    "CellOutcome",
    "CellSpec",
    "Dataset",
    "Executor",
    "Flow",
    "FoldScores",
    "GrowthCurve",
    "Learner",
    "Plan",
    "Posterior",
    "Results",
    "Split",
    "Store",
    "Study",
    "TimeCurve",
    "Winner",
    "bootstrap",
    "bootstrap_error",
    "compare_algorithms",
    "corrected_kfold_t",
    "corrected_t",
    "correlated_t",
    "dataset_of",
    "estimates_table",
    "experiment",
    "fit_of",
    "five_by_two",
    "five_by_two_f",
    "five_by_two_t",
    "fold_auc",
    "fold_average",
    "grouped_kfold",
    "holdout",
    "kfold",
    "learner_of",
    "learning_curve",
    "leave_one_out",
    "leave_pair_out",
    "leave_pair_out_auc",
    "mcnemar_of_folds",
    "nested",
    "nested_cross_validation",
    "open_study",
    "optimism",
    "paired_t",
    "plan_of",
    "plans",
    "pooled_loss",
    "read_study",
    "repeated_kfold",
    "resubstitution",
    "robustness_curve",
    "run_cells",
    "share_right",
    "shuffle",
    "swapped_halves",
    "time_curve",
    "time_series",
    "train_validation_test",
    "which_model",
    "winner",
]
