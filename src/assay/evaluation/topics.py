"""What evaluations and comparisons offer, by topic: the order of `help()` and of `dir()`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from assay.evaluation.calibration import Calibration, ClassCalibration
from assay.evaluation.curves import ClassCurves, Curves
from assay.evaluation.measure_properties import OF_MANY, OF_TWO, TwoClassMeasures
from assay.help_tree import HelpEntry, HelpTree, entries_of, public_names
from assay.measures import Measure

__all__ = ["comparison_help", "evaluation_help", "shown_names"]

# The families of measures as topics.
MEASURES: Mapping[str, tuple[str, ...]] = {
    "Discrimination": ("ranking", "decision"),
    "Averages over classes": ("averages",),
    "Probabilities": ("probability",),
    "Rates of predicted labels": ("rates",),
    "Agreement of true and predicted labels": ("agreement",),
    "Information and errors beside the prior (Weka)": ("errors beside a prior",),
}
EVALUATION: Mapping[str, tuple[str, ...]] = {
    "Estimates": ("estimate", "measures", "per_class", "against", "ordinal_hand_till", "volume_under_surface", "plan"),
    "Curves": ("curves", "roc", "precision_recall", "auc_grade", "rank_test", "pairs", "misranked"),
    "Calibration": ("calibration",),
    "Threshold and costs": (
        "at", "threshold", "thresholds", "threshold_used", "threshold_was_given", "threshold_cautions", "saving",
        "bayes_decisions", "rejection_region",
    ),
    "Confusion matrix": ("matrix", "cells", "one_vs_rest_matrices", "chance", "baselines"),
    "Subgroups": ("by", "subgroups", "gaps"),
    "Cautions": ("cautions", "reason_unavailable"),
    "Data": (
        "n", "classes", "positive", "class_counts", "class_sizes", "class_shares", "scores", "class_scores", "rows",
        "predictions", "folds", "fold_count", "has_scores", "has_probabilities", "is_weighted", "source", "card",
        "level", "seed",
    ),
    "Tables and export": ("table", "to_dict", "report", "help"),
}  # fmt: skip
COMPARISON: Mapping[str, tuple[str, ...]] = {
    "Verdicts": (
        "answer", "verdict", "verdicts", "non_inferiority", "wins", "sentences", "assumptions", "cautions",
        "omitted_pairs",
    ),
    "Differences": ("difference", "differences", "pairs", "by_subgroup", "test", "tests"),
    "Predicted labels": ("decisions", "joint_correctness", "mcnemar"),
    "Costs and curves": ("cost_difference", "cheapest", "net_benefit_difference", "hull", "crossing_curves"),
    "Data": (
        "models", "names", "evaluations", "n", "matched_by", "unmatched", "shared_cases", "nearly_equal",
        "default_measure", "applies", "level", "seed",
    ),
    "Tables and export": ("table", "to_dict", "report", "help"),
}  # fmt: skip
# Fields have no docstring.
FIELDS: Mapping[str, str] = {
    "by": "The column of subgroups.",
    "card": "Facts of the model card.",
    "class_scores": "The score of every class for every case.",
    "is_of_answers": "Whether the scores are the confidences of the predicted classes.",
    "level": "The level of the intervals.",
    "matched_by": "How cases are matched: by row or by id.",
    "matrix": "The confusion matrix: true labels in rows, predicted labels in columns.",
    "models": "The evaluation of each classifier, by name.",
    "rows": "The cases one by one; None where there are only counts.",
    "scores": "The scores with the number of negatives and positives at each.",
    "seed": "The seed of everything random.",
    "source": "Where the data came from, and what was left out.",
    "subgroups": "The evaluation of each subgroup, by name.",
    "threshold_used": "The threshold of the predicted labels; None where labels were given.",
    "threshold_was_given": "Whether the threshold was given, not the default.",
    "unmatched": "How many rows of each classifier have no counterpart.",
}
# What is asked of a whole, not of the curves or the calibration below it.
OF_THE_WHOLE = {"is_defined", "is_of_answers", "level", "scores", "class_scores", "seed", "rows"}


def shown_names(kind: type, topics: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the public names that `dir` shows: those with a topic, and the measures."""
    named = {name for names in topics.values() for name in names}
    return named & {*public_names(kind)} | {one.name for one in _measures_of_kind(kind)}


def evaluation_help(kind: type) -> HelpTree:
    """Return the tree of an evaluation: its measures by family, then everything else."""
    curves: type = Curves if issubclass(kind, TwoClassMeasures) else ClassCurves
    calibration: type = Calibration if issubclass(kind, TwoClassMeasures) else ClassCalibration
    below = {"curves": _nested_entries(curves), "calibration": _nested_entries(calibration)}
    topics = {
        topic: tuple(
            HelpEntry(m.name, f"{m.title}: {m.definition}") for m in _measures_of_kind(kind) if m.family in families
        )
        for topic, families in MEASURES.items()
    }
    topics |= {topic: entries_of(kind, names, FIELDS, below) for topic, names in EVALUATION.items()}
    return HelpTree(f"{kind.__name__}, here ev: ev.NAME, of measures with an interval", topics)


def comparison_help(kind: type) -> HelpTree:
    """Return the tree of a comparison."""
    topics = {topic: entries_of(kind, names, FIELDS) for topic, names in COMPARISON.items()}
    return HelpTree(f"{kind.__name__}, here cmp: cmp.NAME; `assay measures` lists the measures", topics)


def _measures_of_kind(kind: type) -> Iterable[Measure]:
    if not hasattr(kind, "_measure_aliases"):
        return ()
    return OF_TWO if issubclass(kind, TwoClassMeasures) else OF_MANY


def _nested_entries(kind: type) -> Callable[[], tuple[HelpEntry, ...]]:
    return lambda: entries_of(kind, [name for name in public_names(kind) if name not in OF_THE_WHOLE], FIELDS)
