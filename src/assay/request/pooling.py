"""What may be asked of several sites: how they are put together."""

from __future__ import annotations

from dataclasses import dataclass

from assay.request.option import Asked, option
from assay.request.values import checked_choice

__all__ = ["PoolRequest"]

POOL = ("pool",)
BETWEEN = ("reml", "dl", "pm", "ml", "he", "sj", "fixed")
LIMITS = ("q-profile", "hartung-knapp", "hartung-knapp-floor", "z")
PREDICTIONS = ("q-profile", "k-2", "as-limits")


@dataclass(frozen=True, kw_only=True, eq=False)
class PoolRequest(Asked):
    """Every option about putting sites together, once.

    >>> PoolRequest(limits="z").given
    {'limits': 'z'}
    """

    method: str = option(
        "How the variance between sites is found: DerSimonian-Laird (dl), Paule-Mandel (pm), ...; fixed: none.", "reml",
        commands=POOL, choices=BETWEEN, check=lambda value, name: checked_choice(value, BETWEEN, name),
    )  # fmt: skip
    limits: str | None = option(
        "How limits of the mean are made.", commands=POOL, stands_for="q-profile, of fixed z", choices=LIMITS,
        check=lambda value, name: checked_choice(value, LIMITS, name),
    )  # fmt: skip
    prediction: str = option(
        "How limits of a new site are made.", "q-profile", commands=POOL, choices=PREDICTIONS,
        check=lambda value, name: checked_choice(value, PREDICTIONS, name),
    )  # fmt: skip
