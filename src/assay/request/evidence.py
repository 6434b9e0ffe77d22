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
    assay.errors.OptionError: bits sets the bins, but exact stores every score; needed: only one of them
    """

    bits: int | None = option(
        "Resolution of the score bins: 2^BITS bins in each halving of the distance to 0 and 1.",
        commands=REDUCE, kind="whole", check=lambda value, name: checked_whole(value, name, 0, MOST_BITS),
        stands_for="18; 2 with --least",
    )  # fmt: skip
    grid: str | None = option(
        "Kind of score that the bins are for: probabilities, or any number. Files to be merged need the same.",
        commands=REDUCE, choices=GRIDS, check=lambda value, name: checked_choice(value, GRIDS, name),
        stands_for="chosen from the scores",
    )  # fmt: skip
    least: int | None = option(
        "Smallest number of cases in a bin that is stored; of smaller bins only the classes are stored, "
        "and measures become bounds.",
        commands=REDUCE, kind="whole", check=lambda value, name: checked_whole(value, name, 2, 10**12),
    )  # fmt: skip
    exact: bool = option(
        "Store every score instead of bins. The file then discloses as much as the rows.",
        False,
        commands=REDUCE,
        kind="flag",
    )
    name: str | None = option(
        "Name of these cases in a merge, such as the site.", commands=REDUCE, check=checked_text,
        stands_for="the file name",
    )  # fmt: skip

    def _refuse_contradictions(self) -> None:
        beside = next((name for name in ("bits", "grid", "least") if self.exact and name in self.given), None)
        if beside is not None:
            found = f"{beside} sets the bins, but exact stores every score"
            raise OptionError(found, "only one of them", about=(beside, "exact"))


@dataclass(frozen=True, kw_only=True, eq=False)
class MergeRequest(Asked):
    """Every option about putting evidence together, once."""

    bits: int | None = option(
        "Merge score bins to this resolution first, so that evidence files of different --bits can be merged.",
        commands=("merge",), kind="whole", check=lambda value, name: checked_whole(value, name, 0, MOST_BITS),
        stands_for="unchanged",
    )  # fmt: skip
    output: Path | None = target("File to write.", "merge")
    quiet: bool = option("Do not report what was merged.", False, commands=("merge",), kind="flag")

    def _refuse_contradictions(self) -> None:
        if self.output == STANDARD_OUTPUT:
            raise OptionError("output is -, but evidence is a binary file", "the path of a file", about="output")


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
        "Estimator of the variance between sites: DerSimonian-Laird (dl), Paule-Mandel (pm), ...; fixed: none.", "reml",
        commands=POOL, choices=BETWEEN, check=lambda value, name: checked_choice(value, BETWEEN, name),
    )  # fmt: skip
    limits: str | None = option(
        "Method for the limits of the mean.", commands=POOL, stands_for="q-profile; z with fixed", choices=LIMITS,
        check=lambda value, name: checked_choice(value, LIMITS, name),
    )  # fmt: skip
    prediction: str = option(
        "Method for the prediction limits of a new site.", "q-profile", commands=POOL, choices=PREDICTIONS,
        check=lambda value, name: checked_choice(value, PREDICTIONS, name),
    )  # fmt: skip
