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

    labels: int = option("Number of rows to label.", 0, commands=(TAKES,), kind="whole", check=checked_whole)
    aim: tuple[str, ...] = option(
        "Measure to estimate with narrow limits; repeat for several.", ("recall", "precision", "f1"), commands=(TAKES,),
        many=True, check=named_texts,
    )  # fmt: skip
    threshold: float = option(
        "Scores of at least this are predicted positive.", 0.5, commands=(TAKES,), kind="number",
        check=lambda value, name: checked_between(value, name),
    )  # fmt: skip
    floor: float = option(
        "Share of the labels drawn evenly from all rows; it reveals errors at extreme scores.", 0.25,
        commands=(TAKES,), kind="number", check=lambda value, name: checked_between(value, name),
    )  # fmt: skip
    kind: str = option(
        "Sampling design: systematic in score order, independent draws (poisson), or equal probabilities (simple).",
        "systematic", commands=(TAKES,), choices=DRAW_KINDS,
        check=lambda value, name: checked_choice(value, DRAW_KINDS, name),
    )  # fmt: skip
    seed: int = option("Seed of the draw.", 0, commands=(TAKES,), kind="whole", check=checked_seed)
    score: str | None = option("Column of the score.", commands=(TAKES,), check=checked_text)
    id: str | None = option("Column of row identifiers. [default: id]", commands=(TAKES,), check=checked_text)
    format: str = option("Format of the expected precision.", "table", commands=(TAKES,), choices=FORMS)
    output: Path | None = target("CSV file of the rows to label.", TAKES)
    quiet: bool = option("Print no remarks.", False, commands=(TAKES,), kind="flag")
