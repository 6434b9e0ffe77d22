"""A gate on a stream: the events in their order, the limits of their error rate and its alarms, at every look."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import OptionError
from assay.evaluation import Evaluation
from assay.request import Request
from assay.results import Estimate, counted
from assay.streams import Alarm, ChangeAlarm
from assay.testing.gates import FAIL, INCONCLUSIVE, PASS, UNJUDGED, Finding, Outcome
from assay.testing.language import CheckedQuantity, Demand, Requirement
from assay.text import bracketed, number, value_words
from assay.types import Floats
from assay.uncertainty import Betting, dependent_mean

__all__ = ["stream_outcomes"]

MARGIN = 0.02
# After so many wrong answers in a row every alarm has rung that ever will.
LONG_ENOUGH = 10_000
UNDECIDED = "the scores decide nothing by themselves; needed: labels, or a threshold"
# What rows may be that events of a stream are not.
NOT_EVENTS = {"weight": "every event counts once", "count": "every row is one event"}


def stream_outcomes(models: Mapping[str, Evaluation], request: Request) -> list[Outcome]:
    """Return the outcome of each model's rows, taken as a stream in their order.

    It fails where an alarm rang or where all of the error rate's limits lie above the bound. No alarm is no proof: it
    passes only where all of the limits keep the bound and the last events do not exceed it.
    """
    is_one = len(models) == 1
    return [_stream_outcome(ev, request, "" if is_one else name) for name, ev in models.items()]


def _stream_outcome(ev: Evaluation, request: Request, model: str) -> Outcome:
    for role, why in NOT_EVENTS.items():
        if ev.predictions is not None and getattr(ev.predictions, role) is not None:
            raise OptionError(f"{role} does not apply to a stream", f"none: {why}", about=(role, "stream"))
    alarms = _stream_alarms(request)
    demand = Demand(CheckedQuantity("error_rate"), "<=", round(alarms[0].bar, 12), is_of_stream=True)
    wrong = _error_indicators(ev)
    why = UNDECIDED if wrong is None else _too_few_events_reason(len(wrong), request)
    if wrong is None or why:
        nan, cases = math.nan, 0 if wrong is None else len(wrong)
        found = Estimate("error_rate", nan, nan, nan, ev.level, "none", cases, undefined=why)
        finding = Finding(demand, UNJUDGED, found, f"The stream cannot be evaluated: {why}.")
        return Outcome(Requirement((demand,)), (finding,), model)
    sequence = Betting(ev.level)
    for listener in (sequence, *alarms):
        listener.extend(wrong)
    error, last = sequence.estimate("error_rate"), dependent_mean(wrong[-request.window :], request.level_used)
    status, sentence = _status_and_reason(alarms, error, last)
    finding = Finding(
        demand, status, error, f"{sentence} {_last_events_sentence(last, min(len(wrong), request.window))}"
    )
    return Outcome(Requirement((demand,)), (finding,), model)


def _too_few_events_reason(events: int, request: Request) -> str:
    """Why a stream so short could not fail, where that is so: then it must not count as passed."""
    alarms = _stream_alarms(request)
    for alarm in alarms:
        alarm.extend(np.ones(min(events, LONG_ENOUGH * request.together)))
    if any(alarm.rings for alarm in alarms):
        return ""
    return f"{counted(events, 'event')} are too few for an alarm even if all were misclassified"


def _stream_alarms(request: Request) -> tuple[Alarm | ChangeAlarm, ...]:
    """One on the error since the start, one for a rise at any moment, each with half of alpha."""
    if request.reference is None:
        raise OptionError("stream is given without reference", "the reference error rate", {"reference": 0.1})
    asked: dict[str, Any] = {"cases": request.reference_cases, "together": request.together}
    margin = MARGIN if request.margin is None else request.margin
    return tuple(kind(request.reference, margin, request.alpha / 2, **asked) for kind in (Alarm, ChangeAlarm))


def _error_indicators(ev: Evaluation) -> Floats | None:
    """For each event whether it was answered wrongly; None where nothing was decided."""
    if ev.rows is None or ev.rows.decision is None:
        return None
    return np.asarray(ev.rows.decision != ev.rows.truth, dtype=np.float64)


def _status_and_reason(alarms: tuple[Alarm | ChangeAlarm, ...], error: Estimate, last: Estimate) -> tuple[str, str]:
    """The status, and its reason: the first alarm that rang, or where the limits lie beside the bound."""
    rung = sorted((alarm for alarm in alarms if alarm.rings), key=lambda alarm: alarm.rang_at or 0)
    if rung:
        return FAIL, _capitalized_sentence(rung[0].words)
    quiet, bar, bound = _capitalized_sentence(alarms[-1].words), alarms[0].bar, number(alarms[0].bar)
    if math.isnan(error.high):
        reason = f"Error rate since the start: {value_words(error)} (no limits: {error.undefined})."
        return INCONCLUSIVE, f"{quiet} {reason}"
    limits = f"Error rate since the start: {value_words(error)} {bracketed(error)}, valid at every look"
    if error.low > bar:
        return FAIL, f"{quiet} {limits}: all of the interval is above {bound}."
    if error.high > bar:
        return INCONCLUSIVE, f"{quiet} {limits}: part of the interval is above {bound}, so the bound is not confirmed."
    if last.low > bar:
        return INCONCLUSIVE, f"{quiet} {limits}: all of it is at most {bound}, but the last events are above it."
    return PASS, f"{quiet} {limits}: all of the interval is at most {bound}."


def _last_events_sentence(last: Estimate, events: int) -> str:
    """The error rate of the last events, with limits that are valid at a single look."""
    limits = f"no limits: {last.undefined}" if math.isnan(last.low) else f"{bracketed(last)}, valid at a single look"
    return f"Error rate of the last {counted(events, 'event')}: {value_words(last)} ({limits})."


def _capitalized_sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
