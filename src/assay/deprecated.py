"""Old names of public attributes and functions: what they are today, and the warning that says so.

A row is added by every renaming and taken out one minor release later.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from assay.errors import UnknownAttribute

__all__ = ["RENAMED", "renamed_names", "with_old_names"]

T = TypeVar("T")

# The old name, below its class or its package: the new one.
RENAMED: Mapping[str, str] = {
    "Calibration.effect_of": "recalibration_effect",
    "Calibration.in_the_large_test": "calibration_in_the_large_test",
    "Calibration.misfit": "miscalibration",
    "ClassCalibration.effect_of": "recalibration_effect",
    "Comparison.crossing": "crossing_curves",
    "Comparison.together": "joint_sums",
    "Comparison.who_was_right": "joint_correctness",
    "Evaluation.against_rest": "one_vs_rest_matrices",
    "Evaluation.applies": "reason_unavailable",
    "Evaluation.decided": "bayes_decisions",
    "Evaluation.parting": "grouping",
    "Evaluation.shares": "class_shares",
    "Evaluations.together": "joint_sums",
    "Evidence.together": "joint_sums",
    "PairwiseComparison.left_out": "omitted_pairs",
    "PairwiseComparison.pairs_at_once": "family_size",
    "PairwiseComparison.shared": "shared_cases",
    "PairwiseComparison.thing": "item",
    "PairedStream.lately": "recent_difference",
    "Results.contestants": "candidate_learners",
    "Results.failed_always": "learners_without_results",
    "Results.failures_stated": "failure_messages",
    "Results.is_given_otherwise": "has_other_input",
    "Results.not_drawn": "untestable_reason",
    "StreamWatch.judged": "detection_results",
    "StreamWatch.keep": "record_moment",
    "StreamWatch.rings": "has_alarm",
    "TwoClassEvaluation.cautions_about": "threshold_cautions",
    "TwoClassEvaluation.reject_zone": "rejection_region",
    "UnpairedComparison.samples": "models",
    "assay.calibration.MisfitRanges": "MiscalibratedRanges",
    "assay.calibration.in_the_large_test": "calibration_in_the_large_test",
    "assay.calibration.misfit_ranges": "miscalibrated_ranges",
    "assay.decisions.decided": "matrix_with_rejection",
    "assay.decisions.reject_zone": "rejection_region",
    "assay.streams.Rivals": "PairedStream",
    "assay.streams.rivals": "compare",
}


def _new_name(kind: type, name: str) -> str | None:
    return next((RENAMED[old] for one in kind.__mro__ if (old := f"{one.__name__}.{name}") in RENAMED), None)


def _warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated; use {new}.", DeprecationWarning, stacklevel=3)


def with_old_names(kind: type[T]) -> type[T]:
    """Return a class whose attributes work by their old names too, in pickles of older releases as well.

    >>> @with_old_names
    ... class Calibration:
    ...     miscalibration = "too high"
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     Calibration().misfit, str(caught[0].message)
    ('too high', 'Calibration.misfit is deprecated; use miscalibration.')
    """
    otherwise = getattr(kind, "__getattr__", object.__getattribute__)

    def attribute(self: Any, name: str) -> Any:
        new = _new_name(type(self), name)
        if new is None:
            return otherwise(self, name)
        _warn(f"{type(self).__name__}.{name}", new)
        return getattr(self, new)

    def restored(self: Any, state: Mapping[str, Any]) -> None:
        self.__dict__.update({_new_name(type(self), name) or name: value for name, value in state.items()})

    kind.__getattr__, kind.__setstate__ = attribute, restored  # type: ignore[attr-defined]  # for users, not checkers
    return kind


def renamed_names(package: str) -> Callable[[str], Any]:
    """Return a `__getattr__` by which the functions and classes of a package work by their old names."""

    def attribute(name: str) -> Any:
        old = f"{package}.{name}"
        if old not in RENAMED:
            raise UnknownAttribute(f"module {package!r} has no attribute {name!r}")
        _warn(old, RENAMED[old])
        return getattr(sys.modules[package], RENAMED[old])

    attribute.names = {old.rpartition(".")[2] for old in RENAMED if old.startswith(f"{package}.")}  # type: ignore[attr-defined]
    return attribute
