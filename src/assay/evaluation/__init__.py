"""Evaluation: what users hold. Evidence, the measures that apply to it, baselines and cautions."""

from assay.evaluation._accumulator import Accumulator
from assay.evaluation._answer import ComparisonAnswer, HowCompared, HowJudged, differences_of
from assay.evaluation._baselines import Baselines
from assay.evaluation._calibration import Calibration, ClassCalibration
from assay.evaluation._compare import compare, compared, paired
from assay.evaluation._comparison import Comparison
from assay.evaluation._counts import from_counts
from assay.evaluation._curves import ClassCurves, Curves
from assay.evaluation._errors import rows_of_scores
from assay.evaluation._evaluate import evaluate, evaluate_models, evaluated, kind_of, reduce, reduced
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._forest import SitesForest
from assay.evaluation._gap_words import Gap, Gaps
from assay.evaluation._kinds import AnyEvaluation
from assay.evaluation._many_classes import ManyClassEvaluation
from assay.evaluation._named_tests import NamedTests, named_test
from assay.evaluation._pairwise import PairwiseComparison
from assay.evaluation._per_class import ASKED_OF_A_CLASS, EachClass, OneClass, PerClass
from assay.evaluation._planned import half_width_at
from assay.evaluation._reduce import Evidence, evidence_at, load, merge
from assay.evaluation._scorer import Scorer, scorer
from assay.evaluation._several import Evaluations
from assay.evaluation._site_values import SiteValue, pooling_scale, value_of_evidence
from assay.evaluation._sites import Sites, pool
from assay.evaluation._sites_summary import SitesSummary
from assay.evaluation._together import cautions_about_crossing, cheapest_models, crossing_pairs
from assay.evaluation._two_classes import TwoClassEvaluation
from assay.evaluation._unpaired import UnpairedComparison, compare_unpaired

__all__ = [
    "ASKED_OF_A_CLASS",
    "Accumulator",
    "AnyEvaluation",
    "Baselines",
    "Calibration",
    "ClassCalibration",
    "ClassCurves",
    "Comparison",
    "ComparisonAnswer",
    "Curves",
    "EachClass",
    "Evaluation",
    "Evaluations",
    "Evidence",
    "Gap",
    "Gaps",
    "HowCompared",
    "HowJudged",
    "ManyClassEvaluation",
    "NamedTests",
    "OneClass",
    "PairwiseComparison",
    "PerClass",
    "Scorer",
    "SiteValue",
    "Sites",
    "SitesForest",
    "SitesSummary",
    "TwoClassEvaluation",
    "UnpairedComparison",
    "cautions_about_crossing",
    "cheapest_models",
    "compare",
    "compare_unpaired",
    "compared",
    "crossing_pairs",
    "differences_of",
    "evaluate",
    "evaluate_models",
    "evaluated",
    "evidence_at",
    "from_counts",
    "half_width_at",
    "kind_of",
    "load",
    "merge",
    "named_test",
    "paired",
    "pool",
    "pooling_scale",
    "reduce",
    "reduced",
    "rows_of_scores",
    "scorer",
    "value_of_evidence",
]
