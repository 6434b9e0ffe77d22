"""Assertions for pytest: the same requirements and outcomes as `assay check`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Unpack

from assay.errors import OptionError
from assay.evaluation import compared
from assay.request import GateOptions, Request, checked_number, front_door
from assay.testing.gates import FAIL, INCONCLUSIVE, UNJUDGED, DifferenceBasis, Gate, Outcome, judge
from assay.testing.language import CheckedQuantity, Demand, Requirement, parse


class InconclusiveWarning(UserWarning):
    """A requirement neither passed nor failed: more cases are needed."""


@front_door
def assert_measure(
    y_true: Any, y_score: Any, requirement: str, *, strict: bool = False, y: Any = None, **options: Unpack[GateOptions]
) -> Outcome:
    """Fail unless a classifier meets a requirement: `assert_measure(y_true, y_score, "roc_auc >= 0.8")`.

    `y_true`, `y_score` and the options are those of `assay.evaluate`. It fails where no part of the interval keeps the
    bound, and where the measure or its interval does not exist, so that it could not be judged; where only a part of
    the interval keeps the bound it warns, or with `strict` fails too. The outcome is returned.

    >>> truth, score = [0, 0, 1, 1, 1, 0] * 50, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 50
    >>> assert_measure(truth, score, "roc_auc >= 0.8 and brier < 0.2").status
    'pass'
    >>> assert_measure(truth, score, "roc_auc >= 0.95")
    Traceback (most recent call last):
    AssertionError: roc_auc >= 0.95
    ROC AUC is 0.889 [0.848, 0.920] (95 % interval, DeLong, logit; 300 cases): none of the interval is at least 0.95.
    """
    __tracebackhide__ = True
    gate = Gate.asked(y_true, Request.of({**options, "y_score": y_score, "y": y}))
    if len(gate.models) != 1:
        raise OptionError(f"there are {len(gate.models)} models", "one model; Gate.of and assay check accept several")
    asked = parse(requirement)
    gate.refuse_unused([asked])
    (outcome,) = gate.check(asked)
    return _raise_unless_passed(outcome, strict=strict)


@front_door
def assert_better(
    y_true: Any,
    y_score: Any,
    than: Any,
    measure: str = "roc_auc",
    *,
    margin: float = 0.0,
    strict: bool = True,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    missing: str = "refuse",
    weight: Any = None,
    count: Any = None,
    cluster: Any = None,
    fold: Any = None,
    default_class: Any = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Outcome:
    """Fail unless one classifier's scores are better than another's on the same cases, by more than `margin`.

    A negative margin asks only that it be not worse by more than that. Where the cases cannot tell it fails; without
    `strict` it only warns. Where there is no interval of the difference it always fails: it cannot be evaluated. The
    options are those of `assay.compare`.

    >>> truth = [0, 0, 1, 1, 1, 0] * 50
    >>> good, poor = [0.2, 0.3, 0.7, 0.4, 0.9, 0.1] * 50, [0.2, 0.6, 0.5, 0.4, 0.9, 0.7] * 50
    >>> assert_better(truth, good, poor)
    pass: delta(roc_auc, "the other") > 0
    ROC AUC minus that of the other model is 0.444 [0.373, 0.517] (95 % interval, paired DeLong, with MOVER; 300 cases):
    all of the interval is above 0.
    """
    __tracebackhide__ = True
    request = Request.of({**locals(), "margin": None, "measure": (), "strict": False})
    cmp = compared(y_true, request.replace({"y_score": {"this": y_score, "the other": than}}))
    named = cmp.find(measure)
    if named.better == "neither":
        raise OptionError(f"{named.title} has no better direction", "assert_measure with a bound")
    asked, least = CheckedQuantity(named.name, base="the other"), checked_number(margin, "margin")
    demand = Demand(asked, ">", least) if named.better == "higher" else Demand(asked, "<", 0.0 - least)
    found = cmp.difference(named.name, "this", "the other")
    basis = DifferenceBasis(found)
    finding = judge(demand, found, f"{named.title} minus that of the other model", rows=cmp.n, basis=basis)
    return _raise_unless_passed(Outcome(Requirement((demand,)), (finding,)), strict=strict)


@front_door
def assert_stream(
    y_true: Any,
    y_score: Any = None,
    *,
    reference: float,
    strict: bool = False,
    margin: float = 0.02,
    alpha: float = 0.05,
    reference_cases: int | None = None,
    window: int = 1000,
    together: int = 1,
    y_pred: Any = None,
    y_proba: Any = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    missing: str = "refuse",
    default_class: Any = None,
    threshold: float | None = None,
    level: float = 0.95,
) -> Outcome:
    """Fail after an alarm that the error rate exceeds `reference` by more than `margin`; events in order.

    Two alarms listen, as in `streams.watch`, and ring falsely in at most `alpha` of streams however often one looks; it
    also fails where so few events could not have rung. No alarm is no proof: where a part of the error rate's limits
    lies above `reference + margin` it warns, or with `strict` fails too. The other options are those of
    `assay.evaluate`.

    >>> right = [0, 1, 1, 0, 1, 0, 0, 1, 0, 1] * 50
    >>> assert_stream(right, y_pred=[0, 1, 1, 0, 1, 0, 0, 1, 0, 0] * 50, reference=0.1, margin=0.1).status
    'pass'
    >>> assert_stream(right, y_pred=[0, 1, 1, 0, 1, 1, 1, 1, 0, 0] * 50, reference=0.1)
    Traceback (most recent call last):
    AssertionError: error_rate <= 0.12 at every look
    The past predicts ...: alarm after ... events: the error has risen over 0.120 since about event ...
    """
    __tracebackhide__ = True
    gate = Gate.asked(y_true, Request.of({**locals(), "stream": True, "strict": False}))
    (outcome,) = gate.check_stream()
    return _raise_unless_passed(outcome, strict=strict)


def _raise_unless_passed(outcome: Outcome, *, strict: bool) -> Outcome:
    __tracebackhide__ = True
    said = f"{outcome.requirement}\n{outcome.sentence}"
    if outcome.status in {FAIL, UNJUDGED} or (strict and outcome.status == INCONCLUSIVE):
        raise AssertionError(said)
    if outcome.status == INCONCLUSIVE:
        warnings.warn(
            f"{INCONCLUSIVE}: {said}", InconclusiveWarning, stacklevel=4
        )  # past the front door, to the line of the test
    return outcome
