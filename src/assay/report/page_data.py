"""What the page's script is given: counts at thresholds, never a case."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.comparison import LONGEST_CLASS
from assay.curves import confidence as sureness
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.evidence import ScoreTable
from assay.measures import Measure
from assay.report.first_screen import BEFORE_MAJORITY, good_caution
from assay.report.live_text import (
    KNOTS,
    MAJORITY,
    RATIOS,
    Moving,
    caution_words,
    class_word,
    decided_by,
    depends_on,
    recomputed,
    result_words,
)
from assay.report.page_cache import spare_memory
from assay.report.sections.figures import movable, scored
from assay.report.sections.provenance import calls
from assay.report.sentences import live_templates
from assay.report.wording import model_names, quoted
from assay.results import Estimate
from assay.text import in_sentence, shortened
from assay.uncertainty import stretch_of_folds

if TYPE_CHECKING:
    from assay.comparison import Cheapest
    from assay.report.sections.classes import Panel
    from assay.report.sections.comparison import Compared

__all__ = [
    "CLASS_KNOTS",
    "NOTHING_MOVES",
    "RATIO",
    "island",
    "written_island",
]

SCHEMA = 2
# The same for a class of many: there may be thirty of them.
CLASS_KNOTS = 120
# The sections of two classes that need more than counts at thresholds.
OF_TWO = ("net-benefit", "reject")
# Levels of sureness of one model.
SURE_KNOTS = 40
# How many false alarms a miss is worth on the page as written.
RATIO = 1.0
# The data of a page without a threshold to move, to which something else is added.
NOTHING_MOVES: Mapping[str, Any] = MappingProxyType({"schema": SCHEMA, "models": []})

WEIGHTED = "cases have sampling weights: no closed form here; evaluate at this threshold instead"
CLUSTERED = "rows come in clusters: no closed form here; evaluate at this threshold instead"


def island(
    models: Mapping[str, Evaluation], compared: Compared | None = None, panels: Sequence[Panel] = ()
) -> dict[str, Any] | None:
    """The data of a page, of many classes for each of `panels`; None where there is nothing to move."""
    if not panels and not movable(models):
        return None
    first = next(iter(models.values()))
    found = [
        _two_class_data(panel.models, CLASS_KNOTS, tuple(panel.sections)) | {"class": panel.name} for panel in panels
    ]
    return {
        "schema": SCHEMA,
        "level": first.level,
        **({} if first.fold_count is None else {"stretch": stretch_of_folds(first.fold_count)}),
        "ratio": RATIO,
        **calls(models),
        **(
            {"classes": found, "first": _first_panel_place(panels)}
            if panels
            else _two_class_data(models, KNOTS, ("net-benefit", "reject"))
        ),
        "ratios": RATIOS,
        "templates": dict(live_templates()),
        **({} if compared is None else _comparison_data(compared)),
    }


def _comparison_data(compared: Compared) -> dict[str, Any]:
    """What the lines about several models are made of: families at every level, and who is cheapest at every ratio."""
    is_of_two_models = len(compared.names) == 2
    found, reason = compared.cheapest
    families = (
        [_adjusted_difference_data(compared, measure) for measure in compared.answer.measures]
        if is_of_two_models
        else []
    )
    return {
        "names": list(compared.names.values()),
        "families": families,
        "adjusted": compared.answer.family_words,
        **({} if compared.margin is None else {"margin": compared.margin}),
        **({"cheapest": [_cheapest_data(one) for one in found]} if found else {"not_cheapest": reason}),
    }


def _adjusted_difference_data(compared: Compared, measure: Measure) -> dict[str, Any]:
    """A measure's difference at every level, with limits as the answer gives them."""
    by_level = {level: answer.differences[measure.name][0] for level, answer in compared.answers.items()}
    found = by_level[compared.comparison.level]
    assert found.family is not None
    return {
        "role": found.family.role,
        "name": measure.name,
        "depends": depends_on(measure),
        "plain": in_sentence(measure.title),
        "within": measure in (compared.answer.measures if compared.measures else compared.answer.measures[:1]),
        "title": measure.title,
        "named": compared.answer.title(measure),
        "better": measure.better,
        "value": None if math.isnan(found.value) else found.value,
        "levels": {f"{at!r}": None if math.isnan(d.low) else [d.low, d.high] for at, d in by_level.items()},
    }


def _cheapest_data(found: Cheapest) -> dict[str, Any]:
    apart = [[float(f"{part:.6g}") for part in (d.value, d.low, d.high)] for d in found.differences]
    return {"best": found.best, "costs": [float(f"{cost:.6g}") for cost in found.costs], "apart": apart}


def _first_panel_place(panels: Sequence[Panel]) -> int:
    return next((k for k, panel in enumerate(panels) if panel.is_open), 0)


def _two_class_data(models: Mapping[str, Evaluation], most: int, shown: Collection[str]) -> dict[str, Any]:
    """Of two classes: the share of positives, and for every model that can be moved what the sections shown need."""
    having, names = scored(models), model_names(models)
    first = next(iter(having.values()))
    each = []
    for key, ev in having.items():
        of_cautions = _caution_data(ev, names[key], len(models)) if most == KNOTS else {}
        each.append(_model_data(key, ev, most, shown) | of_cautions)
        spare_memory(models)
    return {
        "prevalence": first.class_shares[first.positive],
        "labels": [class_word(name) for name in first.classes],
        "constants": [f"always {quoted(name, 8)}" for name in first.classes],
        "answers": [shortened(name, LONGEST_CLASS) for name in first.classes],
        "models": each,
    }


def _caution_data(ev: TwoClassEvaluation, name: str, models: int) -> dict[str, Any]:
    """What the cautions that follow the threshold are made of; beside one model also the caution of its first line."""
    commonest = max(ev.class_sizes.items(), key=lambda item: item[1])[0]
    found = {"majority": caution_words(ev, commonest)} if recomputed(ev) else {}
    if models > 1:
        return {**found, "title": name}
    first = good_caution(ev)[0]
    code, words, (link, title) = good_caution(ev, without=(MAJORITY,))
    is_graver = first not in ("", MAJORITY) and first in BEFORE_MAJORITY
    return {**found, "good": {"code": code, "text": words, "link": link, "words": title, "first": is_graver}}


def written_island(found: Mapping[str, Any]) -> str:
    """The data as text that ends no script and opens no tag, whatever names are in it."""
    shorter = _counts_as_steps(found) | (
        {"classes": [_counts_as_steps(each) for each in found["classes"]]} if "classes" in found else {}
    )
    text = json.dumps(shorter, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _counts_as_steps(found: Mapping[str, Any]) -> dict[str, Any]:
    """Models with counts told by what each threshold adds, which is shorter; weights do not add exactly, and stay."""
    models = [dict(model) for model in found.get("models", ())]
    for model in models:
        if all(isinstance(count, int) for count in (*model["tp"], *model["fp"])):
            model |= {"steps": True, **{cell: np.diff(model[cell], prepend=0).tolist() for cell in ("tp", "fp")}}
    return {**found, **({"models": models} if models else {})}


def _model_data(name: str, ev: TwoClassEvaluation, most: int, shown: Collection[str]) -> dict[str, Any]:
    moving = Moving(ev, most)
    table, hull, threshold, called = moving.table, moving.table.hull_corners, moving.threshold, moving.called
    reason = CLUSTERED if table.rows is not None else WEIGHTED if table.is_weighted else None
    return {
        "name": name,
        "n": ev.n,
        "positives": _plain_number(float(table.positives)),
        "negatives": _plain_number(float(table.negatives)),
        "used": ev.threshold_used,
        "asked": ev.threshold_was_given,
        **_given_predictions_data(ev),
        "said": result_words(ev),
        "points": len(table) + 1,
        "threshold": [None, *threshold[1:].tolist()],
        "tp": [_plain_number(weight) for weight in called[:, 1].tolist()],
        "fp": [_plain_number(weight) for weight in called[:, 0].tolist()],
        "hull": np.searchsorted(moving.kept, hull).tolist(),
        # One of many classes has no line about what its threshold saves.
        **({} if most == CLASS_KNOTS else {"saves": [_saving_limits(one) for one in moving.savings]}),
        **({"acts": _net_benefit_counts(table)} if "net-benefit" in shown and ev.has_probabilities else {}),
        **({"sure": _reject_curve_shares(table)} if "reject" in shown and ev.has_probabilities else {}),
        **({} if reason is None else {"no_interval": reason}),
    }


def _saving_limits(found: Estimate) -> list[float]:
    """What is saved at one cost ratio, with its limits where it has any."""
    if math.isnan(found.low):
        return [float(f"{found.value:.6g}")]
    return [float(f"{part:.6g}") for part in (found.value, found.low, found.high)]


def _net_benefit_counts(table: ScoreTable) -> list[list[float | int]]:
    """Whom each probability in hundredths calls, hits and false alarms: what moves the net benefit."""
    at = len(table) - np.searchsorted(table.score, np.arange(1, 100) / 100)
    called = table.swept().counts[at, :, 1]
    return [[_plain_number(weight) for weight in called[:, k].tolist()] for k in (1, 0)]


def _reject_curve_shares(table: ScoreTable) -> list[list[float]]:
    """Of either class the shares kept rightly and wrongly, from the surest cases on: the reject curve at any mix."""
    margin = sureness(table).score
    taken = np.linspace(1, len(margin), min(SURE_KNOTS, len(margin))).round().astype(np.intp)
    # Twice a probability of at least one half, less one, is exact; so is the way back.
    top = (margin[-taken] + 1) / 2
    half = int(np.searchsorted(table.score, 0.5))
    called = table.swept().counts[:, :, 1]
    from_above = called[len(table) - half - np.searchsorted(table.score[half:], top)]
    from_below = called[-1] - called[len(table) - half + np.searchsorted((1 - table.score[:half])[::-1], top)]
    parts = [from_above[:, 1], from_below[:, 1], from_below[:, 0], from_above[:, 0]]
    sizes = [table.positives, table.positives, table.negatives, table.negatives]
    shares = np.column_stack([part / size for part, size in zip(parts, sizes, strict=True)])
    return [[float(f"{share:.4g}") for share in row] for row in shares.tolist()]


def _given_predictions_data(ev: TwoClassEvaluation) -> dict[str, Any]:
    """Where no threshold decided, what did, and whom it called positive."""
    if ev.threshold_used is not None or ev.matrix is None or len(ev.matrix.decisions) > 2:
        return {}
    given = [_plain_number(float(cell)) for cell in (ev.matrix.tp, ev.matrix.fp)]
    return {"decided": decided_by(ev), "given": given}


def _plain_number(weight: float) -> float | int:
    """A count as an integer, a weight with the digits that tell."""
    return int(weight) if weight == round(weight) else float(f"{weight:.9g}")
