"""Which of several models of many classes is better: by the same rules as of two classes."""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.evaluation import Evaluation
from assay.report.findings._lines import item, line
from assay.report.findings._several import best_finding, better_finding
from assay.report.said import FoundLine, said
from assay.report.sections._compared import Compared, NotCompared
from assay.report.sections._rows import is_shown
from assay.report.words import model_names, shortened, tamed

MOST_NAMED = 4


def better_of_many(models: Mapping[str, Evaluation], compared: Compared | NotCompared | None) -> tuple[FoundLine, str]:
    """The line that says which is better, or why that cannot be told; and the model that the other lines are about."""
    if not isinstance(compared, Compared):
        return _not_compared(models, "they are no pairs" if compared is None else compared.reason), _most_right(models)
    if len(models) > 2:
        return best_finding(compared), compared.best
    return better_finding(compared.answer, compared.names), compared.best


def _not_compared(models: Mapping[str, Evaluation], reason: str) -> FoundLine:
    names = model_names(models)
    shown = {key: ev for key, ev in models.items() if is_shown(ev, "accuracy")}
    each = [item(names[key], ev.estimate("accuracy")) for key, ev in shown.items()][:MOST_NAMED]
    words = said("many.better.reason", reason=tamed(shortened(reason.split(";")[0], 100)))
    question = "Better?" if len(models) == 2 else "Best?"
    link = {"link": "headline", "link_words": "Measures"}
    return FoundLine(question, "open", words, line(each), said("many.better.each"), **link)


def _most_right(models: Mapping[str, Evaluation]) -> str:
    """The model that is right most often on its own cases; the first where none has labels."""
    shares = {key: ev.estimate("accuracy").value for key, ev in models.items() if is_shown(ev, "accuracy")}
    known = {key: share for key, share in shares.items() if not math.isnan(share)}
    return max(known, key=lambda key: known[key]) if known else next(iter(models))
