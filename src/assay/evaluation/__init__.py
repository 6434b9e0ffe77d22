"""Evaluation: what users hold. Evidence, the measures that apply to it, baselines and cautions."""

from assay.evaluation._baselines import Baselines
from assay.evaluation._compare import compare, compared
from assay.evaluation._comparison import Comparison
from assay.evaluation._counts import from_counts
from assay.evaluation._evaluate import evaluate, evaluate_models, evaluated, kind_of
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._several import Evaluations
from assay.evaluation._together import cautions_together

__all__ = [
    "Baselines",
    "Comparison",
    "Evaluation",
    "Evaluations",
    "cautions_together",
    "compare",
    "compared",
    "evaluate",
    "evaluate_models",
    "evaluated",
    "from_counts",
    "kind_of",
]
