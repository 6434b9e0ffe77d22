"""Assertions for pytest: the same requirements and outcomes as `assay check`."""

from __future__ import annotations

import warnings
from typing import Any

from assay.evaluation import compare, evaluate
from assay.testing.gates import FAIL, INCONCLUSIVE, Gate, Outcome, judge
from assay.testing.language import Demand, Quantity, Requirement

__all__ = ["InconclusiveWarning", "assert_better", "assert_measure"]


class InconclusiveWarning(UserWarning):
    """A requirement neither passed nor failed: there are too few cases to tell."""


def assert_measure(
    data: Any,
    y_score: Any,
    requirement: str,
    *,
    strict: bool = False,
    id: str | None = None,  # noqa: A002 -- the column's own name
    **options: Any,
) -> Outcome:
    """Fail unless a classifier keeps a requirement: `assert_measure(y_true, y_score, "roc_auc >= 0.8")`.

    `data`, `y_score` and the options are those of `assay.evaluate`. It fails where no part of the interval keeps the
    bound; where only a part does it warns, or with `strict` fails too. The outcome is returned.

    >>> truth, score = [0, 0, 1, 1, 1, 0] * 50, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 50
    >>> assert_measure(truth, score, "roc_auc >= 0.8 and brier < 0.2").status
    'pass'
    >>> assert_measure(truth, score, "roc_auc >= 0.95")
    Traceback (most recent call last):
    AssertionError: roc_auc >= 0.95
    ROC AUC is 0.889 [0.848, 0.920] (95 % interval, DeLong, logit; 300 cases): none of the interval is at least 0.95.
    """
    __tracebackhide__ = True
    ev = evaluate(data, y_score, **options)
    (outcome,) = Gate(data, {"": ev}, id, options).check(requirement)
    return _asserted(outcome, strict=strict)


def assert_better(
    y_true: Any,
    y_score: Any,
    than: Any,
    measure: str = "roc_auc",
    *,
    margin: float = 0.0,
    strict: bool = True,
    **options: Any,
) -> Outcome:
    """Fail unless one classifier's scores are better than another's on the same cases, by more than `margin`.

    A negative margin asks only that it be not worse by more than that. Where the cases cannot tell it fails; without
    `strict` it only warns. The options are those of `assay.compare`.

    >>> truth = [0, 0, 1, 1, 1, 0] * 50
    >>> good, poor = [0.2, 0.3, 0.7, 0.4, 0.9, 0.1] * 50, [0.2, 0.6, 0.5, 0.4, 0.9, 0.7] * 50
    >>> assert_better(truth, good, poor)
    pass: delta(roc_auc, "the other") > 0
    ROC AUC less that of the other is 0.444 [0.373, 0.516] (95 % interval, paired DeLong; 300 cases): all of the
    interval is above 0.
    """
    __tracebackhide__ = True
    cmp = compare(y_true, {"this": y_score, "the other": than}, **options)
    named = cmp.find(measure)
    if named.better == "neither":
        raise ValueError(f"neither high nor low values of {named.title} are better; use assert_measure")
    asked = Quantity(named.name, base="the other")
    demand = Demand(asked, ">", margin) if named.better == "higher" else Demand(asked, "<", 0.0 - margin)
    found = cmp.difference(named.name, "this", "the other")
    finding = judge(demand, found, f"{named.title} less that of the other", rows=cmp.n)
    return _asserted(Outcome(Requirement((demand,)), (finding,)), strict=strict)


def _asserted(outcome: Outcome, *, strict: bool) -> Outcome:
    __tracebackhide__ = True
    said = f"{outcome.requirement}\n{outcome.sentence}"
    if outcome.status == FAIL or (strict and outcome.status == INCONCLUSIVE):
        raise AssertionError(said)
    if outcome.status == INCONCLUSIVE:
        warnings.warn(f"{INCONCLUSIVE}: {said}", InconclusiveWarning, stacklevel=3)
    return outcome
