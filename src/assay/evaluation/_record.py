"""An evaluation as the record that JSON holds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.evaluation._curves import Curves
from assay.evidence import ConfusionMatrix, cores

if TYPE_CHECKING:
    from assay.evaluation._evaluation import Evaluation

__all__ = ["SCHEMA", "record_of"]

SCHEMA = "assay.evaluation/1"
# With fewer cases than this everything is done before a second thread has begun.
WORTH_A_THREAD = 1 << 15


def record_of(ev: Evaluation, positive: str | None = None, threshold: float | None = None) -> dict[str, Any]:
    """Everything there is to know, as plain values; subgroups only where there are any."""
    parts = {name: _subgroup(each) for name, each in ev.subgroups.items()}
    calibration, said = _calibration_and_rest(ev)
    return {
        "schema": SCHEMA,
        "source": ev.source.to_dict(),
        "classes": list(ev.classes),
        "positive": positive,
        "threshold": threshold,
        "n": ev.n,
        "measures": said["measures"],
        "per_class": said["per_class"],
        "calibration": calibration,
        "confusion": _confusion(ev.matrix),
        "baseline": said["baseline"],
        "cautions": said["cautions"],
        **({"card": dict(ev.card)} if ev.card else {}),
        **({"by": ev.by, "subgroups": parts, "gaps": _gaps(ev)} if parts else {}),
        **({"risk_chart": _risk_chart(ev)} if ev.rows is not None and ev.rows.amount is not None else {}),
    }


def _calibration_and_rest(ev: Evaluation) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Both of them; of many cases side by side, since they have little in common and most of it lets threads go on."""
    if ev.n < WORTH_A_THREAD or cores() == 1 or not ev.has_probabilities:
        return _calibration(ev), _rest(ev)
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(_calibration_with_misfit, ev)
        said = _rest(ev)
        return waiting.result(), said


def _calibration_with_misfit(ev: Evaluation) -> dict[str, Any] | None:
    """What is said of calibration, after what the cautions of the rest will ask of it last."""
    if ev.calibration.overall.is_defined:
        _ = ev.calibration.overall.misfit
    return _calibration(ev)


def _rest(ev: Evaluation) -> dict[str, Any]:
    """What takes time besides calibration."""
    return {
        "measures": {name: e.to_dict() for name, e in ev.measures.items()},
        "per_class": {name: {m: e.to_dict() for m, e in row.items()} for name, row in ev.per_class.items()},
        "baseline": ev.baselines.to_dict(),
        "cautions": [caution.to_dict() for caution in ev.cautions],
    }


def _subgroup(ev: Evaluation) -> dict[str, Any]:
    measures = {name: e.to_dict() for name, e in ev.measures.items()}
    return {"n": ev.n, "class_counts": ev.class_counts, "measures": measures}


def _gaps(ev: Evaluation) -> dict[str, Any] | None:
    """Whether the subgroups differ; None where no row says who is in which."""
    return None if ev.parting is None else ev.gaps().to_dict()


def _risk_chart(ev: Evaluation) -> dict[str, Any] | None:
    """What working the ranking from the top finds, of cases and of what is at stake; None without both classes."""
    chart = ev.curves.risk_chart() if isinstance(ev.curves, Curves) else None
    if chart is None or not chart.is_defined:
        return None
    areas = {"recall_area": chart.recall_area, "recall_of_best": chart.recall_of_best, "amount_area": chart.risk_area}
    return {**areas, "undefined": "no interval for shares of an amount was simulated"}


def _calibration(ev: Evaluation) -> dict[str, Any] | None:
    """What is said of the probabilities of two classes, or of many of the highest one, where both outcomes occur."""
    if not ev.has_probabilities or not ev.calibration.overall.is_defined:
        return None
    return {name: estimate.to_dict() for name, estimate in ev.calibration.overall.numbers.items()}


def _confusion(matrix: ConfusionMatrix | None) -> dict[str, Any] | None:
    if matrix is None:
        return None
    whole = np.array_equal(matrix.counts, matrix.counts.round())
    counts = matrix.counts.astype(np.int64) if whole else matrix.counts
    return {"true": list(matrix.classes), "predicted": list(matrix.decisions), "counts": counts.tolist()}
