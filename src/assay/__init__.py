"""Assay: how good is this classifier, how sure can we be, and will it hold?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay import streams
    from assay.costs import Costs
    from assay.errors import AssayError, InputError, MissingExtra
    from assay.evaluation import (
        Accumulator,
        Comparison,
        Evaluation,
        Evaluations,
        Evidence,
        LabelSample,
        ManyClassEvaluation,
        SampledEvaluation,
        Scorer,
        Sites,
        TwoClassEvaluation,
        UnpairedComparison,
        compare,
        compare_unpaired,
        evaluate,
        evaluate_models,
        from_counts,
        load,
        merge,
        plan_labels,
        pool,
        reduce,
        sample,
        scorer,
    )
    from assay.experiments import Study, experiment, plans
    from assay.items import (
        BattleEvaluation,
        ItemComparison,
        ItemEvaluation,
        JudgeEvaluation,
        compare_items,
        evaluate_battles,
        evaluate_items,
        evaluate_judge,
        read_log,
    )
    from assay.ranks import Ranks, rank_algorithms
    from assay.results import Estimate, Interval, Table, TestResult
    from assay.sources import columns

__all__ = [
    "Accumulator",
    "AssayError",
    "BattleEvaluation",
    "Comparison",
    "Costs",
    "Estimate",
    "Evaluation",
    "Evaluations",
    "Evidence",
    "InputError",
    "Interval",
    "ItemComparison",
    "ItemEvaluation",
    "JudgeEvaluation",
    "LabelSample",
    "ManyClassEvaluation",
    "MissingExtra",
    "Ranks",
    "SampledEvaluation",
    "Scorer",
    "Sites",
    "Study",
    "Table",
    "TestResult",
    "TwoClassEvaluation",
    "UnpairedComparison",
    "__version__",
    "columns",
    "compare",
    "compare_items",
    "compare_unpaired",
    "evaluate",
    "evaluate_battles",
    "evaluate_items",
    "evaluate_judge",
    "evaluate_models",
    "experiment",
    "from_counts",
    "load",
    "merge",
    "plan_labels",
    "plans",
    "pool",
    "rank_algorithms",
    "read_log",
    "reduce",
    "sample",
    "scorer",
    "streams",
]

__version__ = "0.2.0"

# Names are fetched when first used, so that importing the package costs next to nothing.
_HOMES = {
    "Accumulator": "assay.evaluation",
    "AssayError": "assay.errors",
    "Comparison": "assay.evaluation",
    "Costs": "assay.costs",
    "Estimate": "assay.results",
    "Evaluation": "assay.evaluation",
    "Evaluations": "assay.evaluation",
    "Evidence": "assay.evaluation",
    "InputError": "assay.errors",
    "Interval": "assay.results",
    "LabelSample": "assay.evaluation",
    "ManyClassEvaluation": "assay.evaluation",
    "MissingExtra": "assay.errors",
    "ItemComparison": "assay.items",
    "BattleEvaluation": "assay.items",
    "ItemEvaluation": "assay.items",
    "JudgeEvaluation": "assay.items",
    "Ranks": "assay.ranks",
    "SampledEvaluation": "assay.evaluation",
    "Scorer": "assay.evaluation",
    "Sites": "assay.evaluation",
    "Study": "assay.experiments",
    "Table": "assay.results",
    "TestResult": "assay.results",
    "TwoClassEvaluation": "assay.evaluation",
    "UnpairedComparison": "assay.evaluation",
    "columns": "assay.sources",
    "compare": "assay.evaluation",
    "compare_unpaired": "assay.evaluation",
    "evaluate": "assay.evaluation",
    "evaluate_models": "assay.evaluation",
    "from_counts": "assay.evaluation",
    "load": "assay.evaluation",
    "merge": "assay.evaluation",
    "compare_items": "assay.items",
    "evaluate_battles": "assay.items",
    "evaluate_items": "assay.items",
    "evaluate_judge": "assay.items",
    "read_log": "assay.items",
    "experiment": "assay.experiments",
    "plan_labels": "assay.evaluation",
    "plans": "assay.experiments",
    "pool": "assay.evaluation",
    "rank_algorithms": "assay.ranks",
    "reduce": "assay.evaluation",
    "sample": "assay.evaluation",
    "scorer": "assay.evaluation",
    "streams": "assay",
}


class _FormerModules:
    """Finds modules by the names they had; the long list of them is read when one is looked for."""

    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> Any:
        if not fullname.startswith("assay."):
            return None
        from assay.moved import MovedModules

        return MovedModules.find_spec(fullname, path, target)


if not any(finder.__name__ == _FormerModules.__name__ for finder in sys.meta_path if isinstance(finder, type)):
    sys.meta_path.append(_FormerModules)  # unless the package is imported again


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}{_meant(name)}")
    from importlib import import_module

    home = _HOMES[name]
    # A package of ours is its own home: importing it is what makes it a name here.
    found = import_module(f"{home}.{name}") if home == __name__ else getattr(import_module(home), name)
    globals()[name] = found  # asked for once: looking it up again would take longer than counting a few cases
    return found


# What other packages call it.
_ELSEWHERE = {
    "roc_auc_score": "evaluate(y_true, y_score).roc_auc",
    "accuracy_score": "evaluate(y_true, y_pred=y_pred).accuracy",
    "f1_score": "evaluate(y_true, y_pred=y_pred).f1",
    "classification_report": "evaluate(y_true, y_pred=y_pred)",
    "confusion_matrix": "evaluate(y_true, y_pred=y_pred).matrix",
    "roc_test": "compare(y_true, {'a': scores_a, 'b': scores_b})",
    "ci_auc": "evaluate(y_true, y_score).roc_auc",
    "explain": "the command: assay explain NAME",
}


def _meant(name: str) -> str:
    """What a name that is not there was probably meant to be."""
    if name.startswith("_"):
        return ""
    if name in _ELSEWHERE:
        return f"; needed: {_ELSEWHERE[name]}"
    import difflib

    near = difflib.get_close_matches(name, _HOMES, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def __dir__() -> list[str]:
    return sorted(__all__)
