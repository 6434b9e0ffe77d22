"""What may be asked of evidence: how predictions are reduced to it, and how it is put together.

What may be asked of several sites: how they are put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.errors import OptionError
from assay.output_files import STANDARD_OUTPUT
from assay.request.option import Asked, option, target
from assay.request.values import checked_choice, checked_text, checked_whole

__all__ = ["MergeRequest", "PoolRequest", "ReduceRequest"]


GRIDS = ("probability", "real")
MOST_BITS = 24
REDUCE = ("reduce",)


@dataclass(frozen=True, kw_only=True, eq=False)
class ReduceRequest(Asked):
    """Every option about what evidence of predictions is to hold, once.

    >>> ReduceRequest(bits=12, exact=True)
    Traceback (most recent call last):
    assay.errors.OptionError: bits is about cells, and exact keeps every score; needed: one of them
    """

    bits: int | None = option(
        "How fine the cells are that scores are put together in: 2^BITS in each halving of the distance to 0 and 1.",
        commands=REDUCE, kind="whole", check=lambda value, name: checked_whole(value, name, 0, MOST_BITS),
        stands_for="18; 2 with --least",
    )  # fmt: skip
    grid: str | None = option(
        "What the cells are made for: probabilities, or any number. All files that are to be merged need the same.",
        commands=REDUCE, choices=GRIDS, check=lambda value, name: checked_choice(value, GRIDS, name),
        stands_for="what the scores are",
    )  # fmt: skip
    least: int | None = option(
        "Show no cell of fewer cases: of those only the class is kept, and bounds say what that leaves open.",
        commands=REDUCE, kind="whole", check=lambda value, name: checked_whole(value, name, 2, 10**12),
    )  # fmt: skip
    exact: bool = option(
        "Keep every score: as good as the rows to whoever reads it.", False, commands=REDUCE, kind="flag"
    )
    name: str | None = option(
        "What these cases are called beside others, such as the site.", commands=REDUCE, check=checked_text,
        stands_for="what the file is called",
    )  # fmt: skip

    def _refuse_contradictions(self) -> None:
        beside = next((name for name in ("bits", "grid", "least") if self.exact and name in self.given), None)
        if beside is not None:
            found = f"{beside} is about cells, and exact keeps every score"
            raise OptionError(found, "one of them", about=(beside, "exact"))


@dataclass(frozen=True, kw_only=True, eq=False)
class MergeRequest(Asked):
    """Every option about putting evidence together, once."""

    bits: int | None = option(
        "Put cells together first, until they are so fine: evidence of other bits can then be merged.",
        commands=("merge",), kind="whole", check=lambda value, name: checked_whole(value, name, 0, MOST_BITS),
        stands_for="as they are",
    )  # fmt: skip
    output: Path | None = target("Write there.", "merge")
    quiet: bool = option("Do not say what was merged.", False, commands=("merge",), kind="flag")

    def _refuse_contradictions(self) -> None:
        if self.output == STANDARD_OUTPUT:
            raise OptionError("output is -, and evidence is no text", "the path of a file", about="output")


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
