"""Evaluation: what users hold. Evidence, the measures that apply to it, baselines and cautions."""

from assay.evaluation.accumulator import Accumulator
from assay.evaluation.binary import TwoClassEvaluation
from assay.evaluation.calibration import Calibration, ClassCalibration, rows_of_scores
from assay.evaluation.comparison import (
    Comparison,
    ComparisonAnswer,
    HowCompared,
    HowJudged,
    PairwiseComparison,
    differences_of,
)
from assay.evaluation.curves import ClassCurves, Curves
from assay.evaluation.entry_points import (
    Scorer,
    compare,
    compare_sampled,
    compared,
    evaluate,
    evaluate_models,
    evaluated,
    from_counts,
    kind_of,
    paired,
    reduce,
    reduced,
    sampled,
    scorer,
    takes_sample,
)
from assay.evaluation.evaluation import AnyEvaluation, Baselines, Evaluation
from assay.evaluation.evaluations import Evaluations, cautions_about_crossing, cheapest_models, crossing_pairs
from assay.evaluation.groups import Gap, Gaps
from assay.evaluation.label_samples import LabelPlan, LabelSample, SampleDesign, plan_labels, sample, sampled_rows
from assay.evaluation.multiclass import ASKED_OF_A_CLASS, EachClass, ManyClassEvaluation, OneClass, PerClass
from assay.evaluation.pair_tests import NamedTests, named_test
from assay.evaluation.reduction import Evidence, evidence_at, load, merge
from assay.evaluation.sample_size import half_width_at
from assay.evaluation.sampled import Labelled, SampledComparison, SampledEvaluation
from assay.evaluation.sites import Sites, SitesForest, SitesSummary, SiteValue, pool, pooling_scale, value_of_evidence
from assay.evaluation.unpaired_comparison import UnpairedComparison, compare_unpaired

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
    "LabelPlan",
    "LabelSample",
    "Labelled",
    "ManyClassEvaluation",
    "NamedTests",
    "OneClass",
    "PairwiseComparison",
    "PerClass",
    "SampleDesign",
    "SampledComparison",
    "SampledEvaluation",
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
    "compare_sampled",
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
    "plan_labels",
    "pool",
    "pooling_scale",
    "reduce",
    "reduced",
    "rows_of_scores",
    "sample",
    "sampled",
    "sampled_rows",
    "scorer",
    "takes_sample",
    "value_of_evidence",
]
