"""Measures of a stream alone: how much better than an answer that knows no features but has seen the labels so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.evidence import ConfusionMatrix
from assay.measures import ratio

__all__ = ["BASELINES", "BaselineKappa"]

# A share of the events that rounding of fading sums may leave where there are none.
ROUNDING = 1e-12


@dataclass(frozen=True)
class BaselineKappa:
    """How much of what a baseline gets wrong the classifier gets right: 0 is no better than it, 1 is perfection.

    `hits` says whose right answers it is held against: those of `same`, which repeats the true class of the event
    before, or of `majority`, which answers the commonest class of the view.

    >>> kappa_m = BASELINES["kappa_m"]
    >>> kappa_m(80.0, 62.4, 100.0)
    0.46808510638297873
    """

    name: str
    title: str
    hits: Literal["same", "majority"]
    undefined: str
    reference: str
    aliases: tuple[str, ...] = ()

    def __call__(self, correct: Any, hits: Any, total: Any) -> Any:
        """(p - p_baseline) / (1 - p_baseline), of right answers, the baseline's, and events."""
        missed = total - hits
        if type(missed) is float:
            missed = missed if missed > ROUNDING * total else 0.0
        else:
            missed = np.where(missed > ROUNDING * total, missed, 0.0)
        gained = correct - hits
        # Where the baseline is never wrong there is nothing to gain on it, whatever the sign.
        return ratio(gained, missed) if type(missed) is float else np.where(missed > 0, ratio(gained, missed), np.nan)

    def of(self, matrix: ConfusionMatrix, hits: Any) -> Any:
        """The same, of one matrix or of a batch of them."""
        return self(matrix.correct, hits, matrix.total)


_ALL = (
    BaselineKappa(
        "kappa_temporal",
        "Kappa temporal",
        "same",
        "the event before always has the same class, so there is nothing to gain on repeating it",
        "Zliobaite, Bifet, Read, Pfahringer & Holmes (2015)",
        ("kappa_t", "kappa_per"),
    ),
    BaselineKappa(
        "kappa_m",
        "Kappa M",
        "majority",
        "the commonest class is always the true one, so there is nothing to gain on answering it",
        "Bifet, de Francisci Morales, Read, Holmes & Pfahringer (2015)",
        ("kappa_majority",),
    ),
)
# By name and by alias.
BASELINES = {name: each for each in _ALL for name in (each.name, *each.aliases)}
