"""Cautions: what a careful reviewer would say."""

from __future__ import annotations

from collections.abc import Mapping

from assay.cautions import Caution
from assay.evaluation import Evaluation, cautions_about_crossing, crossing_pairs
from assay.report.blocks import Block, Heading, Note, Notes
from assay.report.sections._compared import Compared
from assay.report.words import listed, model_names, shortened, tamed

__all__ = ["cautions"]


def cautions(models: Mapping[str, Evaluation], compared: Compared | None = None) -> list[Block] | None:
    """Every caution once, with the models it is about where it is not about all of them."""
    about: dict[tuple[str, str], list[str]] = {}
    for key, ev in models.items():
        for caution in ev.cautions:
            about.setdefault((caution.code, _without_long_names(caution.message, ev)), []).append(key)
    names = model_names(models)
    crossing = crossing_pairs(models) if compared is None else compared.comparison.crossing
    together = cautions_about_crossing(models, crossing, names)
    for caution in (*together, *(() if compared is None else _of_comparison(compared))):
        about[caution.code, caution.message] = list(models)
    if not about:
        return None
    items = tuple(
        Note(code, tamed(message if len(keys) == len(models) else f"{listed(names[key] for key in keys)}: {message}"))
        for (code, message), keys in sorted(about.items(), key=lambda item: item[0][0])
    )
    return [Heading("Cautions"), Notes(items)]


def _of_comparison(compared: Compared) -> tuple[Caution, ...]:
    """What there is to say about the comparison itself."""
    return compared.answer.cautions


def _without_long_names(message: str, ev: Evaluation) -> str:
    for name in ev.classes:
        if name and shortened(name) != name:
            message = message.replace(name, shortened(name))
    return message
