"""The error of an algorithm from bootstrap samples: on what they left out, and mixed with the apparent error."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.results import Estimate, Table

# A bootstrap sample holds a case with this chance, in the limit of many cases.
HELD = 1 - math.exp(-1)
NONE_HOLDS = "no interval of it was shown to hold; see fold_average or nested_cross_validation"


@dataclass(frozen=True)
class BootstrapError:
    """What a bootstrap says of the share of wrong decisions.

    `apparent` is the error of the model fitted to all cases, on those cases; `left_out` the mean over cases of the
    error of the models that did not see the case, `by_sample` the mean over samples instead; `no_information` the error
    if decisions had nothing to do with the classes. `never_left_out` cases were in every sample and are not counted.
    """

    apparent: float
    left_out: float
    by_sample: float
    no_information: float
    n: int
    never_left_out: int = 0

    @property
    def overfitting(self) -> float:
        """How far the error on unseen cases has gone from the apparent one to that without information: 0 to 1."""
        unseen = min(self.left_out, self.no_information)
        if not self.apparent < unseen:
            return 0.0
        return (unseen - self.apparent) / (self.no_information - self.apparent)

    @property
    def err632(self) -> Estimate:
        """The apparent and the left-out error, .368 to .632 (Efron 1983); too low where models overfit."""
        return self._estimate(".632", (1 - HELD) * self.apparent + HELD * self.left_out)

    @property
    def err632_plus(self) -> Estimate:
        """The same with more weight on the left-out error, the more the model overfits (Efron & Tibshirani 1997)."""
        weight = HELD / (1 - (1 - HELD) * self.overfitting)
        unseen = min(self.left_out, self.no_information)
        return self._estimate(".632+", (1 - weight) * self.apparent + weight * unseen)

    @property
    def leave_one_out(self) -> Estimate:
        """The left-out error by itself: too high, its models having seen about 63 % of the cases."""
        return self._estimate("leave-one-out bootstrap", self.left_out)

    @property
    def optimism(self) -> float:
        """How much lower the apparent error is than the .632+ estimate."""
        return self.err632_plus.value - self.apparent

    def table(self) -> Table:
        """Every estimate of the error."""
        parts = {
            "apparent": self.apparent,
            "left out, by case": self.left_out,
            "left out, by sample": self.by_sample,
            "no information": self.no_information,
            ".632": self.err632.value,
            ".632+": self.err632_plus.value,
        }
        return Table({"estimate": list(parts), "error": list(parts.values())}, title="Bootstrap estimates of error")

    def _estimate(self, method: str, value: float) -> Estimate:
        target = "the model fitted to all cases"
        why = "no case was ever left out" if math.isnan(value) else NONE_HOLDS
        return Estimate("error_rate", value, math.nan, math.nan, 0.95, method, self.n, target, why)


def bootstrap_error(
    truth: ArrayLike, fitted: ArrayLike, left_out: Iterable[tuple[ArrayLike, ArrayLike]]
) -> BootstrapError:
    """Bootstrap estimates from the decisions of the model of all cases and those of each sample's model.

    `fitted` are the decisions about all cases of the model that learned from all of them: as Efron has it, the apparent
    part rests on the data, not on the samples. `left_out` gives for each sample the rows it left out and what its model
    decided about them.

    >>> truth = [0, 0, 1, 1]
    >>> found = bootstrap_error(truth, [0, 0, 1, 0], [([0, 3], [0, 0]), ([1, 2], [1, 1]), ([3], [1])])
    >>> found.apparent, found.left_out, found.no_information
    (0.25, 0.375, 0.5)
    >>> round(found.err632.value, 4), round(found.err632_plus.value, 4)
    (0.329, 0.3468)
    """
    classes, decided = np.asarray(truth), np.asarray(fitted)
    n = len(classes)
    wrong, times, by_sample = np.zeros(n), np.zeros(n), []
    for rows, decisions in left_out:
        here = np.asarray(rows, dtype=np.intp)
        losses = (np.asarray(decisions) != classes[here]).astype(np.float64)
        wrong[here] += losses
        times[here] += 1
        by_sample.append(float(losses.mean()) if len(losses) else math.nan)
    was_out = times > 0
    return BootstrapError(
        apparent=float((decided != classes).mean()),
        left_out=float((wrong[was_out] / times[was_out]).mean()) if was_out.any() else math.nan,
        by_sample=float(np.nanmean(by_sample)) if was_out.any() else math.nan,
        no_information=_no_information(classes.tolist(), decided.tolist()),
        n=n,
        never_left_out=int((~was_out).sum()),
    )


def _no_information(truth: list[object], decided: list[object]) -> float:
    """The error of the same decisions dealt out to the cases at random."""
    shares = ((truth.count(name) / len(truth), decided.count(name) / len(truth)) for name in set(truth))
    return sum(p * (1 - q) for p, q in shares)
