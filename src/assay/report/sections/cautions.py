"""Cautions: what a careful reviewer would say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from assay.cautions import Caution
from assay.evaluation import Evaluation, cautions_about_crossing, crossing_pairs
from assay.report.blocks import Block, Heading, Note, Notes
from assay.report.live_text import (
    DEFAULT,
    KNOTS,
    MAJORITY,
    Moved,
    Moving,
    caution_words,
    default_caution,
    depends_on,
    majority_caution,
    recomputed,
)
from assay.report.sections.comparison import Compared
from assay.report.sections.figures import movable, scored
from assay.report.wording import listed, model_names, tamed

__all__ = ["cautions"]


# Cautions about probabilities, which depend on how common positives are.
OF_PREVALENCE = ("A201", "A203")
# The caution about a threshold beside the scores.
OUTSIDE = "A308"
# Cautions about the differences by the primary measure.
OF_DIFFERENCES = ("A402", "A405")


def cautions(
    models: Mapping[str, Evaluation], compared: Compared | None = None, *, on_page: bool = False
) -> list[Block] | None:
    """Every caution once, with the models it is about where it is not about all of them.

    On a page those that depend on the threshold have places of their own, which its script fills and empties.
    """
    if on_page:
        return _page_blocks(models, compared)
    items = _caution_notes(models, compared)
    return [Heading("Cautions"), Notes(items)] if items else None


def _page_blocks(models: Mapping[str, Evaluation], compared: Compared | None) -> list[Block] | None:
    moving = {key: Moving(ev, KNOTS) for key, ev in scored(models).items() if key in movable(models)}
    live = {key: model for key, model in moving.items() if recomputed(model.ev)}
    shown_live = {MAJORITY: [*live], DEFAULT: [*moving]}
    items = [_with_controls(item, compared) for item in _caution_notes(models, compared, shown_live)]
    items += [*_majority_class_notes(models, live), *_default_threshold_notes(moving)]
    if not any(item.text for item in items) and not live:
        return None
    return [Heading("Cautions"), Notes(tuple(sorted(items, key=lambda item: item.label)))]


def _with_controls(item: Note, compared: Compared | None) -> Note:
    """A caution with the controls that it depends on."""
    if item.label == MAJORITY:
        return replace(item, depends="threshold prevalence")
    if item.label == OUTSIDE:
        return replace(item, depends="threshold")
    if item.label in OF_DIFFERENCES and compared is not None:
        return replace(item, depends=f"{depends_on(compared.measure)} level".strip())
    return replace(item, depends="prevalence") if item.label in OF_PREVALENCE else item


def _majority_class_notes(models: Mapping[str, Evaluation], moving: Mapping[str, Moving]) -> list[Note]:
    """Of each model the caution that the commonest class is right more often, empty where it does not apply."""
    names, numbers = model_names(models), movable(models)
    found = []
    for key, model in moving.items():
        words = majority_caution(model, Moved(model.used), names[key] if len(models) > 1 else "")
        found.append(Note(MAJORITY, words, live=MAJORITY, place=numbers[key]))
    return found


def _default_threshold_notes(moving: Mapping[str, Moving]) -> list[Note]:
    """The caution about the default threshold, while any model stands there."""
    words = default_caution(moving, [Moved(one.used) for one in moving.values()])
    return [Note(DEFAULT, words, live=DEFAULT)] if words else []


def _caution_notes(
    models: Mapping[str, Evaluation],
    compared: Compared | None,
    live: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> tuple[Note, ...]:
    """Each caution by its code; without those of models that a page shows in `live` places."""
    about: dict[tuple[str, str], list[str]] = {}
    for key, ev in models.items():
        for caution in ev.cautions:
            if key in live.get(caution.code, ()):
                continue
            about.setdefault((caution.code, caution_words(ev, caution.message)), []).append(key)
    names = model_names(models)
    crossing = crossing_pairs(models) if compared is None else compared.comparison.crossing_curves
    together = cautions_about_crossing(models, crossing, names)
    for caution in (*together, *(() if compared is None else _comparison_cautions(compared))):
        about[caution.code, caution.message] = list(models)
    return tuple(
        Note(code, tamed(message if len(keys) == len(models) else f"{listed(names[key] for key in keys)}: {message}"))
        for (code, message), keys in sorted(about.items(), key=lambda item: item[0][0])
    )


def _comparison_cautions(compared: Compared) -> tuple[Caution, ...]:
    """What there is to say about the comparison itself."""
    return compared.answer.cautions
