"""What the page's script is given: counts at thresholds, never a case."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from assay.evaluation import Evaluation
from assay.evidence import ScoreTable
from assay.measures import registry
from assay.report.sections._pictures import hull_of, movable
from assay.report.sections.reproduce import calls

if TYPE_CHECKING:
    from assay.comparison import Difference
    from assay.report.sections._compared import Compared

__all__ = ["KNOTS", "RATIO", "island", "kept_thresholds", "short_thresholds", "written_island"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

SCHEMA = 1
# Thresholds of one model that a page may go to, beside the corners of its hull.
KNOTS = 1000
# How many false alarms a miss is worth on the page as written.
RATIO = 1.0
MOST_DIGITS = 17

# Measures whose interval has a closed form, by which the script can follow a threshold.
FORMS = {
    "recall": "Wilson",
    "specificity": "Wilson",
    "precision": "Wilson",
    "npv": "Wilson",
    "accuracy": "Wilson",
    "fpr": "Wilson",
    "f1": "Wilson, Jaccard",
}
WEIGHTED = "cases have sampling weights, for which there is no closed form; evaluate at this threshold instead"
CLUSTERED = "rows come in clusters, for which there is no closed form; evaluate at this threshold instead"


def island(models: Mapping[str, Evaluation], compared: Compared | None = None) -> dict[str, Any] | None:
    """The data of a page; None where there is nothing to move."""
    numbers = movable(models)
    if not numbers:
        return None
    first = models[next(iter(numbers))]
    assert first.positive is not None
    return {
        "schema": SCHEMA,
        "level": first.level,
        "prevalence": first.shares[first.positive],
        "ratio": RATIO,
        "source": first.source.name,
        "positive": first.positive,
        **calls(models),
        "measures": [{"name": name, "title": registry[name].title, "form": form} for name, form in FORMS.items()],
        "models": [_model(key, models[key]) for key in numbers],
        "comparisons": [] if compared is None else [_comparison(compared, d) for d in compared.differences],
    }


def written_island(found: Mapping[str, Any]) -> str:
    """The data as text that ends no script and opens no tag, whatever names are in it."""
    text = json.dumps(found, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _model(name: str, ev: Evaluation) -> dict[str, Any]:
    assert ev.scores is not None
    table = ev.scores
    hull = _corners(table)
    kept = kept_thresholds(table, hull, ev.cutoff)
    threshold = short_thresholds(table, kept, ev.cutoff)
    called = table.swept().counts[kept, :, 1]
    reason = CLUSTERED if table.rows is not None else WEIGHTED if table.is_weighted else None
    return {
        "name": name,
        "n": ev.n,
        "positives": _plain(float(table.positives)),
        "negatives": _plain(float(table.negatives)),
        "cutoff": ev.cutoff,
        "points": len(table) + 1,
        "threshold": [None, *threshold[1:].tolist()],
        "tp": [_plain(weight) for weight in called[:, 1].tolist()],
        "fp": [_plain(weight) for weight in called[:, 0].tolist()],
        "hull": np.searchsorted(kept, hull).tolist(),
        **({} if reason is None else {"no_interval": reason}),
    }


def _corners(table: ScoreTable) -> Places:
    """Where among the thresholds the corners of the hull are, from calling nobody positive to calling everybody."""
    at = [owners[0].threshold for owners in hull_of(table).owners]
    inner = len(table) - np.searchsorted(table.score, at[1:-1])
    return np.concatenate(([0], inner, [len(table)])).astype(np.intp)


def kept_thresholds(table: ScoreTable, hull: Places, cutoff: float | None, most: int = KNOTS) -> Places:
    """Which thresholds a page keeps: steps of equal length along the ROC curve, all corners, and the one in use.

    >>> table = ScoreTable.of([0.1, 0.2, 0.3, 0.4, 0.5], [False, True, False, True, True])
    >>> kept_thresholds(table, np.array([0, 2, 5]), 0.15, most=2)
    array([0, 2, 4, 5])
    """
    if len(table) < most:
        return np.arange(len(table) + 1)
    matrix = table.swept()
    gone = np.asarray(matrix.tp / table.positives + matrix.fp / table.negatives)
    even = np.minimum(np.searchsorted(gone, np.linspace(0.0, gone[-1], most)), len(table))
    used = [] if cutoff is None else [len(table) - int(np.searchsorted(table.score, cutoff))]
    is_kept = np.zeros(len(table) + 1, dtype=np.bool_)
    is_kept[np.concatenate((even, hull, used)).astype(np.intp)] = True
    return np.flatnonzero(is_kept)


def short_thresholds(table: ScoreTable, kept: Places, cutoff: float | None) -> Floats:
    """For each kept threshold the number with the fewest decimals that calls the same cases, or the one in use.

    >>> short_thresholds(ScoreTable.of([0.123456, 0.4567], [False, True]), np.arange(3), 0.3)
    array([inf, 0.3, 0. ])
    """
    # The first threshold calls nobody; the others call everybody from a place in the table on.
    place = len(table) - kept[1:]
    score = table.score[place]
    below = np.where(place > 0, table.score[place - 1], -np.inf)
    short, is_open = score.copy(), np.ones(len(score), dtype=np.bool_)
    for digits in range(MOST_DIGITS):
        power = 10.0**digits
        tried = np.floor(score * power) / power
        fits = is_open & (tried > below) & (tried <= score)
        short[fits] = tried[fits]
        is_open &= ~fits
        if not is_open.any():
            break
    if cutoff is not None:
        short[place == np.searchsorted(table.score, cutoff)] = cutoff
    return np.concatenate(([np.inf], short))


def _comparison(compared: Compared, found: Difference) -> dict[str, Any]:
    measure = compared.comparison.find(found.measure)
    error = _error(found)
    record = {
        "first": found.first,
        "second": found.second,
        "title": measure.title,
        "better": measure.better,
        "difference": found.value,
        "low": found.low,
        "high": found.high,
        "level": found.level,
        "method": found.method,
        "p": found.p_value,
        "n": found.n,
    }
    optional = {"error": error, "adjusted": found.adjusted, "undefined": found.undefined}
    plain = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in record.items()}
    return plain | {key: value for key, value in optional.items() if value is not None}


def _error(found: Difference) -> float | None:
    """The standard error, where the interval is the difference plus or minus normal quantiles of it."""
    if found.method != "paired DeLong" or found.adjusted or math.isnan(found.low):
        return None
    middle = (found.low + found.high) / 2
    return found.half_width / float(ndtri(0.5 + found.level / 2)) if abs(middle - found.value) < 1e-9 else None


def _plain(weight: float) -> float | int:
    """A count as an integer, a weight with the digits that tell."""
    return int(weight) if weight == round(weight) else float(f"{weight:.9g}")
