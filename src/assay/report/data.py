"""What the page's script is given: counts at thresholds, never a case."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from assay.curves import confidence as sureness
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.evidence import ScoreTable
from assay.report.knots import KNOTS, kept_thresholds, short_thresholds
from assay.report.sections._pictures import movable, scored
from assay.report.sections._rows import takes_the_highest
from assay.report.sections.reproduce import calls
from assay.uncertainty import stretch_of_folds

if TYPE_CHECKING:
    from assay.comparison import Difference
    from assay.report.sections._compared import Compared
    from assay.report.sections.classes import Panel

__all__ = [
    "CLASS_KNOTS",
    "NOTHING_MOVES",
    "RATIO",
    "island",
    "written_island",
]

SCHEMA = 1
# The same for a class of many: there may be thirty of them.
CLASS_KNOTS = 120
# The sections of two classes that need more than counts at thresholds.
OF_TWO = ("net-benefit", "reject")
# Levels of sureness of one model.
SURE_KNOTS = 40
# How many false alarms a miss is worth on the page as written.
RATIO = 1.0
# The data of a page without a threshold to move, to which something else is added.
NOTHING_MOVES: Mapping[str, Any] = MappingProxyType({"schema": SCHEMA, "models": [], "comparisons": []})

# What decides while no threshold has been chosen.
BY_SCORE, BY_LABELS = "By the highest score", "By the given labels"
WEIGHTED = "cases have sampling weights, for which there is no closed form; evaluate at this threshold instead"
CLUSTERED = "rows come in clusters, for which there is no closed form; evaluate at this threshold instead"


def island(
    models: Mapping[str, Evaluation], compared: Compared | None = None, panels: Sequence[Panel] = ()
) -> dict[str, Any] | None:
    """The data of a page, of many classes for each of `panels`; None where there is nothing to move."""
    if not panels and not movable(models):
        return None
    first = next(iter(models.values()))
    found = [_moving(panel.models, CLASS_KNOTS, tuple(panel.sections)) | {"class": panel.name} for panel in panels]
    return {
        "schema": SCHEMA,
        "level": first.level,
        **({} if first.fold_count is None else {"stretch": stretch_of_folds(first.fold_count)}),
        "ratio": RATIO,
        **calls(models),
        **(
            {"classes": found, "first": _first(panels)} if panels else _moving(models, KNOTS, ("net-benefit", "reject"))
        ),
        "comparisons": [] if compared is None else [_comparison(compared, d) for d in compared.differences],
    }


def _first(panels: Sequence[Panel]) -> int:
    return next((k for k, panel in enumerate(panels) if panel.is_open), 0)


def _moving(models: Mapping[str, Evaluation], most: int, shown: Collection[str]) -> dict[str, Any]:
    """Of two classes: the share of positives, and for every model that can be moved what the sections shown need."""
    having = scored(models)
    first = next(iter(having.values()))
    return {
        "prevalence": first.shares[first.positive],
        "models": [_model(key, ev, most, shown) for key, ev in having.items()],
    }


def written_island(found: Mapping[str, Any]) -> str:
    """The data as text that ends no script and opens no tag, whatever names are in it."""
    text = json.dumps(found, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _model(name: str, ev: TwoClassEvaluation, most: int, shown: Collection[str]) -> dict[str, Any]:
    table = ev.curves.scores
    hull = table.hull_corners
    kept = kept_thresholds(table, hull, ev.threshold_used, most)
    threshold = short_thresholds(table, kept, ev.threshold_used)
    called = table.swept().counts[kept, :, 1]
    reason = CLUSTERED if table.rows is not None else WEIGHTED if table.is_weighted else None
    return {
        "name": name,
        "n": ev.n,
        "positives": _plain(float(table.positives)),
        "negatives": _plain(float(table.negatives)),
        "used": ev.threshold_used,
        **_decided(ev),
        "points": len(table) + 1,
        "threshold": [None, *threshold[1:].tolist()],
        "tp": [_plain(weight) for weight in called[:, 1].tolist()],
        "fp": [_plain(weight) for weight in called[:, 0].tolist()],
        "hull": np.searchsorted(kept, hull).tolist(),
        **({"acts": _acts(table)} if "net-benefit" in shown and ev.has_probabilities else {}),
        **({"sure": _kept_when_sure(table)} if "reject" in shown and ev.has_probabilities else {}),
        **({} if reason is None else {"no_interval": reason}),
    }


def _acts(table: ScoreTable) -> list[list[float | int]]:
    """Whom each probability in hundredths calls, hits and false alarms: what moves the net benefit."""
    at = len(table) - np.searchsorted(table.score, np.arange(1, 100) / 100)
    called = table.swept().counts[at, :, 1]
    return [[_plain(weight) for weight in called[:, k].tolist()] for k in (1, 0)]


def _kept_when_sure(table: ScoreTable) -> list[list[float]]:
    """Of either class the shares kept rightly and wrongly, from the surest cases on: the reject curve at any mix."""
    margin = sureness(table).score
    taken = np.linspace(1, len(margin), min(SURE_KNOTS, len(margin))).round().astype(np.intp)
    # Twice a probability of at least one half, less one, is exact; so is the way back.
    top = (margin[-taken] + 1) / 2
    half = int(np.searchsorted(table.score, 0.5))
    called = table.swept().counts[:, :, 1]
    from_above = called[len(table) - half - np.searchsorted(table.score[half:], top)]
    from_below = called[-1] - called[len(table) - half + np.searchsorted((1 - table.score[:half])[::-1], top)]
    parts = [from_above[:, 1], from_below[:, 1], from_below[:, 0], from_above[:, 0]]
    sizes = [table.positives, table.positives, table.negatives, table.negatives]
    shares = np.column_stack([part / size for part, size in zip(parts, sizes, strict=True)])
    return [[float(f"{share:.4g}") for share in row] for row in shares.tolist()]


def _decided(ev: TwoClassEvaluation) -> dict[str, Any]:
    """Where no threshold decided, what did, and whom it called positive."""
    if ev.threshold_used is not None or ev.matrix is None or len(ev.matrix.decisions) > 2:
        return {}
    given = [_plain(float(cell)) for cell in (ev.matrix.tp, ev.matrix.fp)]
    return {"decided": BY_SCORE if takes_the_highest(ev) else BY_LABELS, "given": given}


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
