"""Evaluation: what users hold. Evidence, the measures that apply to it, baselines and cautions."""

from assay.evaluation._baselines import Baselines
from assay.evaluation._evaluate import evaluate, evaluate_models, from_counts
from assay.evaluation._evaluation import Evaluation, Evaluations

__all__ = ["Baselines", "Evaluation", "Evaluations", "evaluate", "evaluate_models", "from_counts"]
