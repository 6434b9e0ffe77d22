"""The card: what is said of a model and cannot be read off its predictions."""

from __future__ import annotations

from collections.abc import Mapping

from assay.evaluation import Evaluation
from assay.report.blocks import Block, Heading, Note, Notes, Sentence
from assay.report.words import model_names, tamed
from assay.request import CARD_FIELDS, CARD_SAID

__all__ = ["card"]


def card(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """Every field that was filled in, for each model that has a card."""
    said = {key: ev.card for key, ev in models.items() if ev.card}
    if not said:
        return None
    names = model_names(models)
    blocks: list[Block] = [Heading("Card")]
    for key, fields in said.items():
        blocks += [Heading(names[key], 3)] if names[key] else []
        blocks.append(Notes(tuple(Note(CARD_FIELDS[name], tamed(text)) for name, text in fields.items())))
    return [*blocks, Sentence(CARD_SAID)]
