"""What is asked about predictions and cannot be had together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import OptionError

if TYPE_CHECKING:
    from assay.request.request import Request

__all__ = ["DRAWN", "refuse_contradictions"]

# What a curve can be of besides two measures; a mean is of cross-validation folds.
DRAWN = (
    *("measures", "roc", "precision-recall", "gain", "lift", "det", "ks", "reject", "cost", "cost-weights", "risk"),
    *("decision", "densities", "binormal", "smooth", "average"),
)


def refuse_contradictions(asked: Request) -> None:
    """Refuse options of which one leaves nothing for the other to say."""
    if asked.format != "table" and asked.style != "assay":
        raise OptionError(f"style is {asked.style!r}, and format is {asked.format!r}", "one of them: a style is text")
    if asked.full and (asked.format, asked.style) != ("table", "assay"):
        raise OptionError("full is about Assay's own table, and another was asked for", "one of them")
    without = asked.html is None and asked.kind != "risk"
    if asked.amount is not None and without and (asked.format == "csv" or asked.style != "assay"):
        form = f"format is {asked.format!r}" if asked.format == "csv" else f"style is {asked.style!r}"
        found = f"amount makes a risk chart, and {form}, which has none"
        raise OptionError(found, "the table, markdown, latex, json or html", about="amount")
    axes = [name[0] for name in ("x_axis", "y_axis") if name in asked.given]
    if axes and asked.kind != "measures":
        found = f"{axes[0]} is given beside kind {asked.kind!r}, which has axes of its own"
        raise OptionError(found, "one of them", about=(axes[0], "kind"))
    if asked.card is not None and asked.html is None and (asked.format == "csv" or asked.style != "assay"):
        raise OptionError("card is given, and this form holds measures alone", "another format", about="card")
