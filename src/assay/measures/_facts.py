"""Facts about measures that decide how they are compared, averaged over folds and planned for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Answers:
    """A share of answers: within which class (None: all of them), and whether right ones make it higher.

    Two such shares on the same cases are compared by the answers that only one of them has right. `only_of_classes`
    says that an answer which is no class counts neither as right nor as wrong, so that then this does not hold.
    """

    within: Literal[0, 1] | None
    sign: Literal[1, -1]
    only_of_classes: bool = False


@dataclass(frozen=True)
class Pairs:
    """A share of pairs in order, the AUC, times `scale` plus `shift`: cases move it by where they stand."""

    scale: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True)
class OverFolds:
    """What the interval of a mean over the splits of a plan rests on, for measures that one was shown to hold for.

    A "share" of 0s and 1s tells by its own mean how cases vary, a "loss" by the loss of each case, a "ranking" by how
    each case moves it. Where `is_clipped` cases called certain and wrong leave no honest limits; a measure held
    `against_shares` of the classes needs them in equal parts in every split.
    """

    kind: Literal["share", "loss", "ranking"]
    is_clipped: bool = False
    against_shares: bool = False
