"""What a study offers, by topic: the order of `study.help()`."""

from __future__ import annotations

from collections.abc import Mapping

from assay.help_tree import HelpTree, entries_of

__all__ = ["STUDY", "study_help"]

STUDY: Mapping[str, tuple[str, ...]] = {
    "Run": ("run", "progress", "failures", "failure_messages", "learners_without_results", "damaged", "stale", "save"),
    "Estimates": (
        "table", "estimate", "estimates", "wide", "folds", "fold_scores", "costs", "optimism", "nested_error",
        "bootstrap_validation", "against_chance", "evaluation", "roc",
    ),
    "Comparisons": (
        "compare", "comparison", "pairs", "ranks", "winner", "candidate_learners", "baselines", "untestable_reason",
    ),
    "Models and predictions": ("models", "model", "score", "predictions", "predicted", "training_rows", "settings"),
    "Design": (
        "name", "datasets", "learners", "plan", "positive", "seed", "keep_models", "given", "store", "validates",
        "flow", "preparation", "class_counts", "truth", "has_scores",
    ),
    "Cautions and export": ("cautions", "report", "to_csv", "help"),
}  # fmt: skip
# Fields have no docstring.
FIELDS: Mapping[str, str] = {
    "datasets": "The names of the data sets.",
    "given": "The data sets and learners; None if the study was opened without them.",
    "keep_models": "Whether every learner is fitted to all cases too, and the model stored.",
    "learners": "The names of the learners.",
    "name": "The name of the study.",
    "plan": "How cases are split for training, validation and test.",
    "positive": "The positive class.",
    "seed": "The seed of the splits and of the learners.",
    "store": "The store of runs and predictions.",
}


def study_help(kind: type) -> HelpTree:
    """Return the tree of a study."""
    topics = {topic: entries_of(kind, names, FIELDS) for topic, names in STUDY.items()}
    return HelpTree(f"{kind.__name__}, here study: study.NAME", topics)
