"""What is known about a measure stands at the measure: elsewhere no list of names decides what is computed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.contracts.code import FILES, name_of, tree_of

from assay.measures import on_request, on_request_of_many, registry, registry_of_many

NAMES = {*registry, *on_request, *registry_of_many, *on_request_of_many}

# Lists of names that decide nothing but what is shown, or that name something else than measures.
ALLOWED: dict[str, list[tuple[str, ...]]] = {
    # Rates along the axes of curves and the columns of their tables.
    "comparison/curve_tests.py": [("specificity", "recall")],
    "curves/fold_average.py": [("fpr", "recall"), ("recall", "fpr")],
    "curves/roc_bands.py": [
        ("fpr", "recall"),
        ("specificity", "recall"),
        ("recall", "specificity"),
        ("fpr", "recall"),
        ("recall", "precision"),
    ],
    "curves/cost.py": [("fpr", "fnr")],
    "curves/hull.py": [("prevalence", "fpr", "recall"), ("fpr", "recall")],
    "curves/ranking.py": [("precision", "recall")],
    "curves/roc_smoothing.py": [("fpr", "recall")],
    "report/sections/discrimination.py": [("recall", "precision"), ("fpr", "recall")],
    # The usual measures of a table, a headline or a caption.
    "evaluation/comparison.py": [
        ("roc_auc", "average_precision", "brier", "log_loss", "accuracy", "f1", "balanced_accuracy", "mcc"),
        ("hand_till", "macro_roc_auc", "brier", "log_loss", "accuracy", "macro_f1", "balanced_accuracy", "mcc"),
        # What is compared where no measure is named.
        ("roc_auc", "hand_till", "brier", "accuracy"),
        ("accuracy", "f1", "macro_f1"),
    ],
    "plots/drawing.py": [("recall", "specificity", "precision", "npv", "accuracy", "f1", "fpr")],
    "report/sections/measures.py": [
        ("accuracy", "balanced_accuracy", "kappa", "mcc"),
        ("roc_auc", "average_precision", "brier"),
        ("accuracy", "balanced_accuracy", "macro_f1", "kappa", "hand_till", "log_loss", "brier"),
        ("roc_auc", "recall", "precision", "accuracy"),
        ("accuracy", "balanced_accuracy", "macro_f1", "hand_till"),
        ("roc_auc", "average_precision", "brier_skill"),
        ("recall", "precision", "specificity", "accuracy", "f1"),
        ("recall", "precision", "specificity", "accuracy", "balanced_accuracy", "f1", "kappa", "mcc"),
    ],
    "cautions/labelling.py": [("precision", "fdr")],
    "evaluation/label_samples.py": [("recall", "precision", "f1")],
    "request/labels.py": [("recall", "precision", "f1")],
    "report/sections/decisions.py": [
        ("accuracy", "recall", "specificity", "precision", "f1"),
        ("recall", "specificity", "precision", "f1"),
    ],
    "report/sections/confusion.py": [("precision", "recall", "f1"), ("recall", "precision")],
    # What is shown first, and the measures of scores that have an estimator for samples of labels.
    "evaluation/sampled.py": [
        ("recall", "precision", "f1", "accuracy", "roc_auc", "average_precision", "brier"),
        ("recall", "precision", "f1", "accuracy", "specificity", "npv", "balanced_accuracy", "mcc"),
        ("roc_auc", "average_precision", "brier", "log_loss"),
    ],
    "labelling/sampled_measures.py": [("roc_auc", "average_precision", "brier", "log_loss")],
    "evaluation/multiclass.py": [("recall", "precision", "f1")],
    "report/first_screen.py": [("kappa", "hand_till", "macro_f1"), ("balanced_accuracy", "kappa", "mcc")],
    "report/live_text.py": [
        ("roc_auc", "average_precision", "brier"),
        ("recall", "specificity", "precision", "npv", "accuracy", "f1", "fpr"),
    ],
    # Keys of what is known about a judge of answers.
    "items/judge.py": [("prevalence", "specificity")],
    # What a page's script recomputes.
    # The skill is a remark beside the Brier score.
    "report/sections/estimate_rows.py": [("brier",)],
    # Pictures, of which two are called as a measure is.
    "request/predictions.py": [("lift", "ks")],
    # A unit of the threshold's control and its title; a key of the page's data.
    "report/renderers/html.py": [("recall", "recall"), ("prevalence",)],
}


def _lists(tree: ast.AST) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Lists of two or more names of measures, and comparisons with one; what a `Literal` allows is a type."""
    types = {
        id(node.slice)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"
    }
    for node in ast.walk(tree):
        held: list[ast.expr | None] = []
        if isinstance(node, ast.Tuple | ast.List | ast.Set) and id(node) not in types:
            held = list(node.elts)
        elif isinstance(node, ast.Dict):
            held = list(node.keys)
        elif isinstance(node, ast.Compare):
            held = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            held = [node.value]
        names = [one.value for one in held if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        found = tuple(name for name in names if name in NAMES)
        if len(found) >= (1 if isinstance(node, ast.Compare | ast.MatchValue) else 2):
            yield getattr(node, "lineno", 0), found


def test_no_list_of_names_decides_about_measures() -> None:
    offenders = [
        f"{name}:{line} {found}"
        for path in FILES
        if not (name := name_of(path)).startswith("measures/")
        for line, found in _lists(tree_of(path))
        if found not in ALLOWED.get(name, [])
    ]
    assert not offenders, "make it a fact of the measure (measures/measure.py):\n" + "\n".join(offenders)
