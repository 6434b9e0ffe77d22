"""Cautions that depend on the threshold: the page's script shows and hides them as the controls move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.live import Moved, Moving
from assay.report.said import plain, said
from assay.report.words import percent, shortened, tamed

__all__ = ["DEFAULT", "MAJORITY", "caution_words", "default_caution", "majority_caution", "recomputed"]

# Right less often than the commonest class would be; and a threshold that nobody chose.
MAJORITY, DEFAULT = "A301", "A305"


def recomputed(ev: TwoClassEvaluation) -> bool:
    """Whether the page's script can recompute the sign test: it counts equal, independent cases."""
    table = ev.curves.scores
    return table.rows is None and not table.is_weighted


def caution_words(ev: Evaluation, message: str) -> str:
    """A caution as a page shows it, without names of classes that are too long for it."""
    for name in ev.classes:
        if name and shortened(name) != name:
            message = message.replace(name, shortened(name))
    return tamed(message)


def majority_caution(model: Moving, moved: Moved, name: str = "") -> str:
    """The caution that always predicting the commonest class is right more often; nothing where it does not apply."""
    ev = model.ev if moved.at == model.used else model.ev.at(float(model.threshold[moved.at or 0]))
    found = next((one.message for one in ev.cautions if one.code == MAJORITY), None)
    if found is None:
        return ""
    words = f"{name}: {caution_words(ev, found)}" if name else caution_words(ev, found)
    return words if moved.prevalence is None else f"{words} {of_data(model.share)}"


def of_data(share: float) -> str:
    """At another prevalence: the prevalence that a caution was computed at."""
    computed = plain(said("computed.prevalence", share=percent(share)))
    return plain(said("computed.at", values=computed))


def default_caution(models: Mapping[str, Moving], moved: Sequence[Moved]) -> str:
    """The caution that a threshold is the default one, while any model stands there."""
    for model, one in zip(models.values(), moved, strict=True):
        found = next((caution.message for caution in model.ev.cautions if caution.code == DEFAULT), None)
        if found is not None and model.is_default(one):
            return tamed(found)
    return ""
