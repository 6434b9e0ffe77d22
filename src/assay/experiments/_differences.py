"""What tests over splits share: the same splits for both, and differences that vary."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.errors import OptionError
from assay.experiments.estimates import FoldScores, varies
from assay.results import counted

NOTHING_VARIES = "every split gives the same difference, so there is nothing to measure it by"


# Kinds of measures whose differences over any splits have limits that hold; see docs/verification/studies.md.
SHOWN = ("share", "loss")
INSTEAD = "ask for accuracy, error_rate, brier or log_loss, or for a test by name (--method, method=)"
NOT_SHOWN = (
    "no limits of a difference of this measure over splits were shown to hold: kappa of ten folds was covered .66"
)
TWICE = "no limits of its difference were shown to hold where cases are tested more than once; take one pass of k folds"


def gap_not_shown(scores: FoldScores) -> str | None:
    """Why a difference of this measure over such splits has no limits by default, if so.

    Of ROC AUC one pass of folds gives some: of equal weak learners .94 to .97 were covered.
    """
    if scores.kind in SHOWN:
        return None
    if scores.kind == "ranking" and scores.moved is not None:
        is_one_pass = math.isclose(float(scores.test.sum()), scores.cases)
        return None if is_one_pass else f"{TWICE}, or {INSTEAD}"
    return f"{NOT_SHOWN}; {INSTEAD}"


def gap_between(first: FoldScores, second: FoldScores) -> FoldScores:
    """First less second on the same splits, with how far each case moves that where both know it of theirs.

    A learner whose own losses are all alike hides what is of the order of one case, in a difference as in a mean.
    """
    if len(first.values) != len(second.values) or (first.test != second.test).any():
        raise OptionError("the algorithms were tried on different splits", "the same splits for both")
    moved = None if first.moved is None or second.moved is None else first.moved - second.moved
    one_case = max((each.one_case for each in (first, second) if each.is_alike), default=0.0)
    name, apart = f"difference of {first.name}", first.values - second.values
    gap = FoldScores(name, apart, first.train, first.test, first.repeat, moved, one_case)
    return replace(gap, refusal=first.refusal or second.refusal)


def why_not(apart: NDArray[np.float64], fewest: int) -> str | None:
    """Why differences allow no test, if they do not."""
    if len(apart) < fewest:
        return f"{counted(len(apart), 'split')}: at least {fewest} are needed"
    if not np.isfinite(apart).all():
        return "a split has no value"
    return NOTHING_VARIES if not varies(apart) else None
