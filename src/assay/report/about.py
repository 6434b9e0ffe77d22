"""The line above the page: what was read."""

from __future__ import annotations

from collections.abc import Mapping

from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.words import count, model_names, percent, quoted, shortened

__all__ = ["about"]

# More models than this are counted, not named.
MOST_NAMED = 4


def about(models: Mapping[str, Evaluation]) -> list[str]:
    """What was read: source, rows, positive class, hash."""
    ev = next(iter(models.values()))
    sizes = sorted({each.n for each in models.values()})
    # Of models that lack cases each has its own, and its own share of positives.
    cases = f"{count(ev.n)} cases" if len(sizes) == 1 else f"{count(sizes[0])} to {count(sizes[-1])} cases a model"
    parts = [shortened(ev.source.name, 60), cases]
    if len(sizes) > 1 and isinstance(ev, TwoClassEvaluation):
        parts.append(f"positive {quoted(ev.positive)}")
    elif isinstance(ev, TwoClassEvaluation):
        share, size = ev.shares[ev.positive], ev.class_counts[ev.positive]
        weighted = " of the weight" if ev.is_weighted else ""
        parts.append(f"positive {quoted(ev.positive)} ({percent(share)}{weighted}, {count(size)} cases)")
    else:
        parts.append(f"{len(ev.classes):,} classes")
    names = [name for name in model_names(models).values() if name]
    parts.extend(names if len(names) <= MOST_NAMED else [f"{len(names)} models"])
    if ev.source.sha256 is not None:
        parts.append(f"sha256 {ev.source.sha256[:8]}…")
    return parts
