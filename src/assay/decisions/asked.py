"""A threshold as it is asked for in words: costs, a measure to make the best of, demands."""

from __future__ import annotations

from collections.abc import Callable

from assay.costs import Costs
from assay.decisions.constraints import Constraint, at_least, at_most, at_most_flagged
from assay.decisions.criteria import criterion_of
from assay.decisions.thresholds import ThresholdChoice, choose_threshold
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.request import Request

__all__ = ["chooser", "demands"]


def chooser(request: Request) -> Callable[[ScoreTable], ThresholdChoice]:
    """What chooses the threshold that was asked for; what was asked is checked before any case is there.

    >>> table = ScoreTable.of([0.1, 0.6, 0.4, 0.9] * 10, [0, 0, 1, 1] * 10)
    >>> chooser(Request(cost_fp=1, cost_fn=10))(table).threshold
    0.25
    """
    constraints = tuple(demands(request))
    if not constraints and request.cost_fp is None and request.maximise is None:
        raise OptionError(
            "it is not said what the threshold is to be best for",
            "--cost-fp 1 --cost-fn 10, or --maximise f1, or --at-least specificity=0.9",
        )
    costs = None
    if request.cost_fp is not None and request.cost_fn is not None:
        wrong, right = (request.cost_fp, request.cost_fn), (request.cost_tp, request.cost_tn)
        costs = Costs(fp=wrong[0], fn=wrong[1], tp=right[0], tn=right[1], acquisition=request.acquisition)
    if costs is not None or request.maximise is not None:
        criterion_of(request.maximise, costs, request.prevalence)
    return lambda table: choose_threshold(
        table,
        request.maximise,
        costs=costs,
        prevalence=request.prevalence,
        constraint=constraints,
        level=request.level_used,
        seed=request.seed_used,
    )


def demands(request: Request) -> list[Constraint]:
    """What the threshold must meet."""
    sure = request.confidence
    found = [at_least(*_bound(text, "at_least"), confidence=sure) for text in request.at_least]
    found += [at_most(*_bound(text, "at_most"), confidence=sure) for text in request.at_most]
    if request.at_most_flagged is not None and request.per is not None:
        found.append(at_most_flagged(request.at_most_flagged, request.per, confidence=sure))
    return found


def _bound(text: str, option: str) -> tuple[str, float]:
    """A measure and its bound from `specificity=0.9`."""
    try:
        name, number = text.split("=")
        return name, float(number)
    except ValueError:
        found = f"{option} is {text!r}"
        raise OptionError(found, "a measure and its bound", {option: "specificity=0.9"}, about=option) from None
