"""Both kinds of evaluation as a type checker may see them where it cannot know which one there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from assay.evaluation._evaluation import Evaluation

if TYPE_CHECKING:
    from assay.calibration import RecalibrationEffect
    from assay.evaluation._calibration import Calibration, ClassCalibration
    from assay.evaluation._curves import ClassCurves, Curves
    from assay.evaluation._many_classes import ManyClassEvaluation
    from assay.evaluation._two_classes import TwoClassEvaluation
    from assay.evidence import ConfusionMatrix

__all__ = ["AnyEvaluation", "of_any_kind"]

if TYPE_CHECKING:

    class AnyCurves(Curves, ClassCurves):
        """The curves of either kind."""

    class AnyCalibration(Calibration, ClassCalibration):
        """The calibration of either kind."""

        recalibration: Callable[..., Any]
        effect_of: Callable[..., RecalibrationEffect]

    class AnyEvaluation(TwoClassEvaluation, ManyClassEvaluation):
        """An evaluation of as many classes as the data hold, which only running shows.

        `assay.evaluate(y, s).roc_auc` and `assay.evaluate(y, y_proba=p).macro_f1` should both pass a type checker, and
        `assay.evaluate(y, s).rocauc` should not. So this type, which exists for type checkers alone, offers what either
        kind has; `isinstance` or an annotation with one of the two kinds says more.
        """

        matrix: ConfusionMatrix | None  # type: ignore[assignment]
        curves: AnyCurves
        calibration: AnyCalibration
        subgroups: Mapping[str, AnyEvaluation]
else:
    AnyEvaluation = Evaluation


def of_any_kind(ev: Evaluation) -> AnyEvaluation:
    """The same evaluation, for a type checker that cannot know its kind."""
    return cast("AnyEvaluation", ev)
