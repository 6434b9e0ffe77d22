"""What the page says where its controls stand: the same rules write it first in Python and rewrite it in the script.

`frontend/src/live.ts` holds the same rules; tests move the controls of a page at random and compare every sentence.

Cautions that depend on the threshold: the page's script shows and hides them as the controls move.

At what settings of the controls the parts of a page were computed, where its script cannot recompute them.

A part that depends on a control names it. Once that control moves, the part shows a note with the value that it was
computed at, and steps back. `frontend/src/computed.ts` holds the same rules.

Which thresholds of very many a page keeps, and how few decimals tell them apart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np

from assay.decisions import cheapest_savings, saving_at
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure
from assay.report.blocks import Block, Picture
from assay.report.sentences import FoundLine, Mark, Text, Wording, plain, said
from assay.report.wording import count, listed, number, percent, shortened, takes_the_highest, tamed, threshold_words
from assay.results import Estimate
from assay.text import bracketed, in_digits, in_sentence, value_words
from assay.types import Floats, Places
from assay.uncertainty import widened_level

__all__ = [
    "CONTROLS",
    "DEFAULT",
    "FIGURES",
    "KNOTS",
    "MAJORITY",
    "PARTS",
    "RATIOS",
    "RECOMPUTED",
    "Moved",
    "Moving",
    "bar_sentence",
    "between",
    "caption_of_roc",
    "caution_words",
    "class_word",
    "computed_at",
    "confusion_caption",
    "controls_of_figure",
    "decided_by",
    "default_caution",
    "depends_on",
    "kept_thresholds",
    "majority_caution",
    "percents",
    "ratio_words",
    "recomputed",
    "result_words",
    "roc_caption",
    "short_thresholds",
    "threshold_finding",
    "thresholds_words",
]


# Thresholds of one model that a page may go to, beside the corners of its hull.
KNOTS = 1500
# Of more than that so many are kept.
STEPS_OF_MORE = 1000
# What a miss may cost, in false alarms: where the slider stops, and what savings are known for.
STEPS = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
RATIOS = (*(float(f"{step * 10.0**power:.6g}") for power in range(-2, 2) for step in STEPS), 100.0)
MOST_DIGITS = 17


def kept_thresholds(table: ScoreTable, hull: Places, threshold: float | None, most: int = KNOTS) -> Places:
    """Which thresholds a page keeps: steps of equal length along the ROC curve, all corners, and the one in use.

    >>> table = ScoreTable.of([0.1, 0.2, 0.3, 0.4, 0.5], [False, True, False, True, True])
    >>> kept_thresholds(table, np.array([0, 2, 5]), 0.15, most=2)
    array([0, 2, 4, 5])
    """
    if len(table) <= most:
        return np.arange(len(table) + 1)
    matrix = table.swept()
    gone = np.asarray(matrix.tp / table.positives + matrix.fp / table.negatives)
    steps = min(most, STEPS_OF_MORE)
    even = np.minimum(np.searchsorted(gone, np.linspace(0.0, gone[-1], steps)), len(table))
    used = [] if threshold is None else [len(table) - int(np.searchsorted(table.score, threshold))]
    is_kept = np.zeros(len(table) + 1, dtype=np.bool_)
    is_kept[np.concatenate((even, hull, used)).astype(np.intp)] = True
    return np.flatnonzero(is_kept)


def short_thresholds(table: ScoreTable, kept: Places, threshold: float | None) -> Floats:
    """For each kept threshold the number with the fewest decimals that calls the same cases, or the one in use.

    >>> short_thresholds(ScoreTable.of([0.123456, 0.4567], [False, True]), np.arange(3), 0.3)
    array([inf, 0.3, 0. ])
    """
    # The first threshold calls nobody; the others call everybody from a place in the table on.
    place = len(table) - kept[1:]
    score = table.score[place]
    below = np.where(place > 0, table.score[place - 1], -np.inf)
    short, is_open = score.copy(), np.ones(len(score), dtype=np.bool_)
    for digits in range(MOST_DIGITS):
        power = 10.0**digits
        tried = np.floor(score * power) / power
        fits = is_open & (tried > below) & (tried <= score)
        short[fits] = tried[fits]
        is_open &= ~fits
        if not is_open.any():
            break
    if threshold is not None:
        short[place == np.searchsorted(table.score, threshold)] = threshold
    return np.concatenate(([np.inf], short))


# A grid's weight this near to another, relative to it, is the same.
SAME = 1e-6
# Cases that a sentence about another prevalence speaks of.
THOUSAND = 1000
OF_A_PAPER = ("roc_auc", "average_precision", "brier")
PICKED = {"f1": "F1", "youden": "Youden's J"}
LONGEST_CLASS = 16
# What decides while no threshold has been chosen.
BY_SCORE, BY_LABELS = "By the highest score", "By the given labels"


@dataclass(frozen=True)
class Moved:
    """Where the controls stand; without anything said, where the page was written.

    `at` is a place among the thresholds that the page holds, `pick` what chose it ("cost", "f1", "youden" or nothing).
    """

    at: int | None = None
    pick: str = ""
    ratio: float = 1.0
    prevalence: float | None = None


@dataclass(frozen=True, eq=False)
class Moving:
    """One model of two classes as the page's script knows it: counts at thresholds, and savings at a grid of costs."""

    ev: TwoClassEvaluation
    most: int

    @cached_property
    def table(self) -> ScoreTable:
        """The scores of both classes."""
        return self.ev.curves.scores

    @cached_property
    def kept(self) -> Places:
        """Which of all thresholds the page holds."""
        used, most = self.ev.threshold_used, self.most
        # Several parts of a page ask for it, and there may be millions of scores.
        key = ("kept", most, used)
        if key not in self.table.cache:
            self.table.cache[key] = kept_thresholds(self.table, self.table.hull_corners, used, most)
        found: Places = self.table.cache[key]
        return found

    @cached_property
    def threshold(self) -> Floats:
        """The thresholds it holds, from above every score down."""
        return short_thresholds(self.table, self.kept, self.ev.threshold_used)

    @cached_property
    def called(self) -> Floats:
        """At each of them how many negatives and how many positives are called positive."""
        return self.table.swept().counts[self.kept, :, 1]

    @cached_property
    def used(self) -> int | None:
        """Where the page was written; None where labels decide."""
        used = self.ev.threshold_used
        return None if used is None else int(np.flatnonzero(self.threshold >= used)[-1])

    @property
    def share(self) -> float:
        """The share of positives in the data."""
        return float(self.table.positives / self.table.total)

    @cached_property
    def weights(self) -> Floats:
        """The weights of the misses that savings are known for."""
        return np.array(RATIOS) * self.share / (1 - self.share)

    @cached_property
    def savings(self) -> tuple[Estimate, ...]:
        """What the cheapest threshold saves at each of them, on cases that did not choose it."""
        folds = self.ev.fold_count
        level = self.ev.level if folds is None else widened_level(self.ev.level, folds)
        seed = self.ev.seed
        key = ("savings", level, seed)
        if key not in self.table.cache:
            self.table.cache[key] = cheapest_savings(self.table, self.weights, level, seed)
        found: tuple[Estimate, ...] = self.table.cache[key]
        return found

    def matrix(self, at: int | None) -> ConfusionMatrix | None:
        """Who is called what from a threshold on, or by the given labels; None where these are not two."""
        if at is not None:
            return self.table.at(float(self.threshold[at]))
        return None if self.ev.matrix is None or len(self.ev.matrix.decisions) > 2 else self.ev.matrix

    def is_default(self, moved: Moved) -> bool:
        """Whether decisions stand at a threshold that nobody chose."""
        is_at_used = moved.at is not None and moved.at == self.used and not moved.pick
        return is_at_used and not self.ev.threshold_was_given

    def weight(self, moved: Moved) -> float:
        """How many false alarms among all negatives it is worth to miss no positive."""
        share = self.share if moved.prevalence is None else moved.prevalence
        return moved.ratio * share / (1 - share)

    def cheapest(self, weight: float) -> int:
        """Where the cheapest threshold of these cases stands among those it holds."""
        corners = np.searchsorted(self.kept, self.table.hull_corners)
        fpr, recall = (self.called[corners] / [self.table.negatives, self.table.positives]).T
        return int(corners[int(np.argmax(weight * recall - fpr - 1e-12 * fpr))])

    def known(self, weight: float) -> tuple[Estimate, float]:
        """The saving at the nearest weight that the page holds, and that weight."""
        place = int(np.argmin(np.abs(np.log(self.weights / weight))))
        return self.savings[place], float(self.weights[place])

    def saving(self, moved: Moved) -> Estimate:
        """What the threshold in use saves, taken as one given beforehand."""
        matrix, weight = self.matrix(moved.at), self.weight(moved)
        assert matrix is not None
        folds = self.ev.fold_count
        found = saving_at(matrix, weight, self.ev.level if folds is None else widened_level(self.ev.level, folds))
        if moved.pick:
            return replace(found, low=math.nan, high=math.nan, undefined="the threshold was chosen on these cases")
        return found


def percents(found: Estimate) -> tuple[str, str]:
    """A share and its limits in percent, in the digits that the limits support; no brackets without limits.

    >>> percents(Estimate("recall", 0.9753, 0.9501, 0.9868, 0.95, "Wilson", 100))
    ('97.5 %', '[95.0 %, 98.7 %]')
    """
    if math.isnan(found.value):
        return "undefined", ""
    if math.isnan(found.low):
        return percent(found.value), ""
    words = in_digits(SimpleNamespace(value=100 * found.value, low=100 * found.low, high=100 * found.high))
    return f"{words.value} %", f"[{words.low} %, {words.high} %]"


def saving_words(found: Estimate) -> dict[str, str]:
    """What is saved with its limits in words; a negative saving is an additional cost.

    >>> saving_words(Estimate("saving", -0.018, -0.08, 0.03, 0.95, "", 100))
    {'saving': '1.8 % more expensive', 'limits': '[-3.0 %, 8.0 %]'}
    """
    if found.value < 0:
        share, limits = percents(replace(found, value=-found.value, low=-found.high, high=-found.low))
        return {"saving": plain(said("saving.dearer", share=share)), "limits": limits}
    share, limits = percents(found)
    return {"saving": plain(said("saving.cheaper", share=share)), "limits": limits}


def ratio_words(ratio: float) -> str:
    """What a miss costs, in false alarms.

    >>> ratio_words(10), ratio_words(0.5)
    ('10 : 1', '1 : 2')
    """
    return f"{ratio:.3g} : 1" if ratio >= 1 else f"1 : {1 / ratio:.3g}"


def _constant_cost_words(weight: float) -> str:
    return "flagging no one" if weight <= 1 else "flagging everyone"


def _cost_condition(model: Moving, moved: Moved) -> str:
    """For which costs and prevalence a sentence holds."""
    elsewhere = "" if moved.prevalence is None else f" and {percent(moved.prevalence)} positives"
    return f"At {ratio_words(moved.ratio)}{elsewhere}"


def threshold_finding(model: Moving, moved: Moved) -> FoundLine:
    """Which threshold to use, and what it saves: of the cheapest one unless another was asked for or set."""
    is_default = model.is_default(moved)
    mark, finding = (_cheapest_threshold_finding if moved.pick == "cost" or is_default else _set_threshold_finding)(
        model, moved
    )
    caution = "default" if is_default else "picked" if moved.pick else "set"
    code = {"default": "A305", "picked": "A306"}.get(caution, "")
    words = said(f"threshold.caution.{caution}", threshold=_threshold_words(model, moved.at))
    return FoundLine(
        "Threshold?",
        mark,
        finding,
        _decision_evidence(model, moved),
        words,
        code,
        "expected-cost",
        "Expected cost",
        "threshold",
    )


def _threshold_words(model: Moving, at: int | None) -> str:
    if at is None:
        return "as predicted"
    return "above every score" if at == 0 else threshold_words(float(model.threshold[at]))


def _cheapest_threshold_finding(model: Moving, moved: Moved) -> tuple[Mark, Text]:
    weight = model.weight(moved)
    best, (found, _) = model.cheapest(weight), model.known(weight)
    values = {"where": _cost_condition(model, moved), "constant": _constant_cost_words(weight)}
    is_constant = best in (0, len(model.threshold) - 1)
    if is_constant or (not math.isnan(found.low) and found.low <= 0):
        return "open", said("threshold.none", **values)
    values |= {"threshold": _threshold_words(model, best), **saving_words(found)}
    if math.isnan(found.low):
        return "open", said("threshold.unsure", **values, reason=found.undefined or "")
    return "told", said("threshold.cheapest", **values)


def _set_threshold_finding(model: Moving, moved: Moved) -> tuple[Mark, Text]:
    if model.matrix(moved.at) is None:
        return "open", said("threshold.undecided")
    weight, found = model.weight(moved), model.saving(moved)
    values = {"where": _cost_condition(model, moved), "constant": _constant_cost_words(weight)}
    values["threshold"] = "the given labels" if moved.at is None else f"threshold {_threshold_words(model, moved.at)}"
    if moved.at in (0, len(model.threshold) - 1):
        return "open", said("threshold.nobody" if moved.at == 0 else "threshold.everybody", **values)
    values |= saving_words(found)
    if math.isnan(found.value):
        return "open", said("threshold.undefined", **values)
    if math.isnan(found.low):
        how = PICKED.get(moved.pick, "")
        key = "threshold.picked" if how else "threshold.bare"
        return "open", said(key, **values, how=how, reason=found.undefined or "")
    if found.low > 0 or found.high < 0:
        return "told", said("threshold.saves", **values)
    return "open", said("threshold.apart", **values)


def _decision_evidence(model: Moving, moved: Moved) -> Text:
    """What is found and missed there, and what the cheapest would save, or for which costs that is known."""
    weight = model.weight(moved)
    best, (found, known_weight) = model.cheapest(weight), model.known(weight)
    shown = best if moved.pick == "cost" or model.is_default(moved) else moved.at
    matrix, parts = model.matrix(shown), []
    if matrix is not None:
        parts.append(
            said(
                "threshold.finds",
                hits=count(float(matrix.tp)),
                positives=count(float(matrix.tp + matrix.fn)),
                alarms=count(float(matrix.fp)),
            )
        )
    is_set = shown != best
    if is_set and not math.isnan(found.low) and best not in (0, len(model.threshold) - 1):
        parts.append(said("threshold.would", threshold=_threshold_words(model, best), **saving_words(found)))
    elif not is_set:
        spans = [model.cheapest(model.weight(replace(moved, ratio=r))) for r in (0.1, 10.0)]
        low, high = (_threshold_words(model, at) if 0 < at < len(model.threshold) - 1 else "none" for at in spans)
        parts.append(said("threshold.span", low=low, high=high))
    if abs(known_weight / weight - 1) > SAME and not math.isnan(found.low):
        ratio = moved.ratio * known_weight / weight
        parts.append(said("threshold.known", ratio=ratio_words(ratio)))
    return between(parts)


def between(parts: list[Text]) -> Text:
    """Parts of a line, a dot between them."""
    runs: list[Wording] = []
    for part in parts:
        runs += [Wording(" · ")] if runs else []
        runs += part
    return tuple(runs)


def class_word(name: str) -> str:
    """A class as a sentence calls it."""
    return shortened(name, LONGEST_CLASS)


def bar_sentence(model: Moving, moved: Moved) -> Text:
    """One line: what is flagged, what of it is right, what is missed, what it costs."""
    matrix, weight = model.matrix(moved.at), model.weight(moved)
    if matrix is None:
        return said("bar.labels")
    fnr, fpr = float(matrix.fn / (matrix.tp + matrix.fn)), float(matrix.fp / (matrix.fp + matrix.tn))
    cost = number((weight * fnr + fpr) / min(weight, 1.0))
    words = decided_by(model.ev) if moved.at is None else _at_threshold_words(model, moved.at)
    values = {"at": words, "cost": cost, "constant": _constant_cost_words(weight)}
    if moved.prevalence is None:
        cells = {"flagged": matrix.tp + matrix.fp, "right": matrix.tp, "wrong": matrix.fp, "missed": matrix.fn}
        return said(
            "bar.here", **values, n=count(float(matrix.total)), **{k: count(float(v)) for k, v in cells.items()}
        )
    right, wrong = moved.prevalence * (1 - fnr), (1 - moved.prevalence) * fpr
    shares = {"flagged": right + wrong, "right": right, "wrong": wrong, "missed": moved.prevalence - right}
    return said("bar.elsewhere", **values, share=percent(moved.prevalence),
                **{name: in_thousand(part) for name, part in shares.items()})  # fmt: skip


def _at_threshold_words(model: Moving, at: int | None) -> str:
    words = _threshold_words(model, at)
    return "Above every score" if at == 0 else f"At {words}"


def decided_by(ev: TwoClassEvaluation) -> str:
    """What decides where no threshold does."""
    return BY_SCORE if takes_the_highest(ev) else BY_LABELS


def in_thousand(share: float) -> str:
    """Of a thousand cases so many; few of them with a decimal."""
    return f"{THOUSAND * share:.{1 if 0 < share < 0.01 else 0}f}"


def confusion_caption(matrix: ConfusionMatrix, prevalence: float | None = None) -> Text:
    """What is to be seen in a matrix of two classes: how many positives are missed, how many flags are wrong."""
    if prevalence is not None:
        return said("confusion.elsewhere", share=percent(prevalence))
    positives, flagged = float(matrix.positives), float(matrix.counts[:, 1].sum())
    cells = {"missed": float(matrix.fn), "positives": positives, "wrong": float(matrix.fp), "flagged": flagged}
    key = ("caption" if positives else "no_positives") if flagged else "no_flags" if positives else "nothing"
    return said(f"confusion.{key}", **{name: count(cases) for name, cases in cells.items()})


def roc_caption(model: Moving, moved: Moved) -> Text:
    """Where decisions stand on the ROC curve."""
    matrix = model.matrix(moved.at)
    assert matrix is not None
    return _roc_caption(
        model.ev, matrix, decided_by(model.ev) if moved.at is None else _at_threshold_words(model, moved.at)
    )


def result_words(ev: TwoClassEvaluation) -> str:
    """What a paper would say of the scores in one sentence: each measure with its interval, and by which methods."""
    found = {name: ev.estimate(name) for name in OF_A_PAPER if ev.reason_unavailable(name) is None}
    shown = {name: one for name, one in found.items() if not math.isnan(one.value)}
    told = (
        f"the {in_sentence(ev.find(name).title)} is {value_words(one)} {bracketed(one)}".strip()
        for name, one in shown.items()
    )
    methods = dict.fromkeys(one.method for one in shown.values() if not math.isnan(one.low))
    share, level = percent(ev.class_shares[ev.positive]), f"{100 * ev.level:g} %"
    values = {"cases": count(ev.n), "share": share, "level": level, "methods": listed(methods) if methods else "none"}
    return plain(said("copy.scores", measures=listed(told), **values)) if shown else ""


def caption_of_roc(ev: TwoClassEvaluation) -> str:
    """The same of an evaluation as it is; nothing where nothing was decided."""
    if ev.matrix is None or len(ev.matrix.decisions) > 2:
        return ""
    moving = Moving(ev, KNOTS)
    return plain(roc_caption(moving, Moved(moving.used)))


def _roc_caption(ev: TwoClassEvaluation, matrix: ConfusionMatrix, at: str) -> Text:
    recall, fpr = (float(part) for part in (matrix.tp / (matrix.tp + matrix.fn), matrix.fp / (matrix.fp + matrix.tn)))
    names = {"positive": class_word(ev.positive), "negative": class_word(ev.classes[0])}
    return said("roc.caption", at=at, **names, recall=percent(recall), fpr=percent(fpr))


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


# In the order in which a note names them.
CONTROLS = ("threshold", "prevalence", "ratio", "level", "margin")
# How many false positives a false negative is worth on the page as written.
RATIO = 1.0
# Sections of a page of two classes that its script does not recompute, and the controls they depend on.
PARTS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("who-was-right", "subgroups", "measures", "per-class"), "threshold prevalence"),
        **dict.fromkeys(("calibration-numbers", "thresholds", "risk-chart"), "prevalence"),
    }
)
# The same of the tables behind figures.
FIGURES: Mapping[str, str] = MappingProxyType(
    {
        "cost": "prevalence ratio",
        **dict.fromkeys(
            ("pr", "gain", "lift", "net_benefit", "reject", "calibration", "murphy", "cheapest", "cost_weights"),
            "prevalence",
        ),
    }
)
# Two samples that differ in nothing but how common positives are.
MATRICES = [ConfusionMatrix(np.array([[30.0, 10.0], [20.0 * k, 40.0 * k]])) for k in (1, 2)]
TABLES = [
    ScoreTable.of(np.array([0.1, 0.4, 0.3, *k * [0.2, 0.8]]), np.array([False, False, False, *k * [True, True]]))
    for k in (1, 2)
]
# Measures whose differences a page's script recomputes.
RECOMPUTED = ("recall", "specificity", "precision", "npv", "accuracy", "f1", "fpr")


@cache
def depends_on(measure: Measure) -> str:
    """The controls that a measure of two classes depends on.

    >>> from assay.measures import find
    >>> [depends_on(find(name)) for name in ("roc_auc", "brier", "accuracy", "recall")]
    ['', 'prevalence', 'threshold prevalence', 'threshold']
    """
    is_of_labels = measure.needs is ConfusionMatrix
    samples: list[Any] = MATRICES if is_of_labels else TABLES if measure.needs is ScoreTable else []
    values = [float(measure(sample)) for sample in samples]
    is_of_each_class = bool(values) and math.isclose(values[0], values[1], rel_tol=1e-9)
    return " ".join(["threshold"] * is_of_labels + ["prevalence"] * (not is_of_each_class))


def controls_of_figure(block: Block) -> str:
    """The controls that the table behind a figure depends on."""
    name = block.figure.name if isinstance(block, Picture) and block.figure is not None else ""
    return FIGURES.get(re.sub(r"-\d+$", "", name), "")


def thresholds_words(models: Mapping[str, Moving], at: Sequence[int | None]) -> str:
    """The thresholds of several models: one for all of them, or each with its model.

    `at` are places among the thresholds that the page holds; without one given labels decide.
    """
    found = [_computed_at_threshold(model, place) for model, place in zip(models.values(), at, strict=True)]
    if len(set(found)) == 1:
        return found[0]
    return ", ".join(f"{words} ({name})" for name, words in zip(models, found, strict=True))


def _computed_at_threshold(model: Moving, at: int | None) -> str:
    return "as predicted" if at is None else threshold_words(float(model.threshold[at]))


def computed_at(
    models: Mapping[str, Moving],
    moved: Sequence[Moved],
    controls: str,
    *,
    levels: tuple[float, float] = (0.0, 0.0),
    margins: tuple[float | None, float | None] = (None, None),
) -> str:
    """The note of a part that depends on these controls; nothing where none of them has moved.

    Of `levels` and `margins` the first is that of the page as written, the second where the control stands.
    """
    first = next(iter(models.values()))
    used = [model.used for model in models.values()]
    values = {
        "threshold": [one.at for one in moved] != used
        and said("computed.threshold", threshold=thresholds_words(models, used)),
        "prevalence": moved[0].prevalence is not None and said("computed.prevalence", share=percent(first.share)),
        "ratio": moved[0].ratio != RATIO and said("computed.ratio", ratio=ratio_words(RATIO)),
        "level": levels[0] != levels[1] and said("computed.level", level=f"{100 * levels[0]:g} %"),
        "margin": margins[0] != margins[1] and said("computed.margin", margin=f"{margins[0] or 0:g}"),
    }
    found = [plain(words) for control in controls.split() if (words := values[control])]
    return plain(said("computed.at", values=listed(found))) if found else ""
