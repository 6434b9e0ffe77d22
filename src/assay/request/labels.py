"""What may be asked of a sample of rows to label."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.request.option import Asked, named_texts, option, target
from assay.request.predictions import FORMS
from assay.request.values import checked_between, checked_choice, checked_seed, checked_text, checked_whole

__all__ = ["DRAW_KINDS", "SampleRequest"]

DRAW_KINDS = ("systematic", "poisson", "simple")
TAKES = "sample"


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleRequest(Asked):
    """Every option of `assay sample`.

    >>> SampleRequest(labels=500, kind="sytematic")
    Traceback (most recent call last):
    assay.errors.UnknownName: kind is 'sytematic'; needed: 'systematic', 'poisson' or 'simple'
    """

    labels: int = option("How many rows to label.", 0, commands=(TAKES,), kind="whole", check=checked_whole)
    aim: tuple[str, ...] = option(
        "Measure that is to have narrow limits; again for another.", ("recall", "precision", "f1"), commands=(TAKES,),
        many=True, check=named_texts,
    )  # fmt: skip
    threshold: float = option(
        "Scores of at least this are predicted positive.", 0.5, commands=(TAKES,), kind="number",
        check=lambda value, name: checked_between(value, name),
    )  # fmt: skip
    floor: float = option(
        "Share of the labels spread evenly over all rows, which finds errors that no score shows.", 0.25,
        commands=(TAKES,), kind="number", check=lambda value, name: checked_between(value, name),
    )  # fmt: skip
    kind: str = option(
        "How rows are drawn: systematic in score order, each by itself (poisson), or all with one chance (simple).",
        "systematic", commands=(TAKES,), choices=DRAW_KINDS,
        check=lambda value, name: checked_choice(value, DRAW_KINDS, name),
    )  # fmt: skip
    seed: int = option("Seed of the draw.", 0, commands=(TAKES,), kind="whole", check=checked_seed)
    score: str | None = option("Column of the score.", commands=(TAKES,), check=checked_text)
    id: str | None = option("Column of what rows are called. [default: id]", commands=(TAKES,), check=checked_text)
    format: str = option("How to write what is expected.", "table", commands=(TAKES,), choices=FORMS)
    output: Path | None = target("CSV file of the rows to label.", TAKES)
    quiet: bool = option("Print no remarks.", False, commands=(TAKES,), kind="flag")
