"""What may be asked of evidence: how predictions are reduced to it, and how it is put together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.errors import OptionError
from assay.output_files import STANDARD_OUTPUT
from assay.request.option import Asked, option, target
from assay.request.values import checked_choice, checked_text, checked_whole

__all__ = ["MergeRequest", "ReduceRequest"]

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
