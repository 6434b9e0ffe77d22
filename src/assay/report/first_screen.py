"""The first screen: the questions a reader comes with, each answered in one line by rules, never by an adjective.

Which questions a page is asked, by what it is about.

What is found of one classifier of two classes: does it rank, is it calibrated, which threshold to use.

What is found of several classifiers of two classes: which is better, which are calibrated, which is cheapest.

The comparison of models where the controls of a page stand: what its script recomputes, and what is not tested.

A difference at other thresholds or at another prevalence has no interval here: that takes the predictions of both
models for each case, which a page does not hold. `frontend/src/live.ts` holds the same rules.

What is found of many classes: is it right, what does it confuse, is it calibrated.

Which of several models of many classes is better: by the same rules as of two classes.

Whether the highest of many probabilities is that of being right.

Which classes are taken for which: the largest wrong cell of the matrix, by a rule and with its price.

What lines of the first screen share: parts that fit one line, shares with limits, and the caution beside them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.calibration.miscalibrated_ranges import MisfitRange
from assay.cautions import Caution, find_rule
from assay.comparison import UNKNOWN, Cheapest, Difference, constant_sentence
from assay.comparison.adjustment import p_text
from assay.evaluation import Calibration, ComparisonAnswer, Evaluation, ManyClassEvaluation, TwoClassEvaluation
from assay.evidence import ConfusionMatrix
from assay.measures import Measure
from assay.report.blocks import Sentence
from assay.report.live_text import (
    KNOTS,
    RATIOS,
    RECOMPUTED,
    SAME,
    Moved,
    Moving,
    between,
    caution_words,
    class_word,
    computed_at,
    depends_on,
    percents,
    ratio_words,
    threshold_finding,
)
from assay.report.sections.calibration import can_be_calibrated
from assay.report.sections.comparison import Compared, NotCompared, best_of_several, secondary_best
from assay.report.sections.confusion import (
    largest_cells,
    pair_count,
    pair_share,
    pairs_have_limits,
    wrong_answers,
)
from assay.report.sections.estimate_rows import is_shown, of_labels_alone
from assay.report.sections.figures import has_both_classes, movable, scored
from assay.report.sentences import FoundLine, Mark, Text, Wording, joined, plain, said
from assay.report.wording import (
    bracketed,
    count,
    listed,
    model_names,
    number,
    percent,
    quoted,
    share_limits,
    short_names,
    shortened,
    signed,
    tamed,
    threshold_words,
    value_words,
)
from assay.results import Estimate, counted, open_in_cells, side_of

__all__ = [
    "ABOUT_RANKING",
    "ALIKE",
    "BEFORE_MAJORITY",
    "BESIDE",
    "BETWEEN",
    "CLASSES",
    "CLASSES_WORDS",
    "ELSEWHERE",
    "HIGH_SCORE",
    "LENGTHS",
    "LINK",
    "LINKS",
    "LONGEST_CAUTION",
    "LONGEST_EVIDENCE",
    "LONGEST_FINDING",
    "LOWEST_RECALLS",
    "MANY_BETTER_MOST_NAMED",
    "MOST_COSTS",
    "MOST_NAMED",
    "MOST_TIED",
    "MOST_UNCALLED",
    "NOT_TESTED",
    "OF_CAUTIONS",
    "OF_GOOD",
    "OF_OTHER_LINES",
    "OF_PROBABILITIES",
    "OF_SIZES",
    "ROUNDING",
    "best_finding",
    "better_at",
    "better_finding",
    "better_of_many",
    "calibrated_finding",
    "calibrated_of_many",
    "calibrated_of_several",
    "caution",
    "caution_about",
    "cheapest_finding",
    "confused_of_many",
    "difference_at",
    "evidence_of",
    "findings",
    "findings_in_brief",
    "findings_of_many",
    "fitting",
    "good_caution",
    "good_finding",
    "item",
    "line",
    "of_labels",
    "range_words",
]


# Which cautions speak of which question, the gravest first.
ABOUT_RANKING = (
    *("A114", "A302", "A101", "A102", "A110", "A111", "A116", "A140", "A104", "A105", "A106", "A107", "A108", "A109"),
    *("A301", "A103", "A202"),
)
BEFORE_MAJORITY = ABOUT_RANKING[: ABOUT_RANKING.index("A301")]
# What stands beside the lines about calibration and the threshold.
OF_OTHER_LINES = ("A203", "A305", "A306")
LONGEST_CAUTION = 100
# Where a reader is told how few cases lie above.
HIGH_SCORE = 0.9


# Where the page shows what a caution is about; of the others the section of cautions says more.
LINKS = {
    "": ("precision-recall", "Precision\u2013recall"),
    "A103": ("precision-recall", "Precision\u2013recall"),
    "A202": ("measures", "All measures"),
    "A301": ("confusion", "Errors"),
    "A302": ("roc", "ROC curve"),
}
OF_CAUTIONS = ("cautions", "Cautions")


def caution_about(ev: Evaluation, codes: tuple[str, ...], without: tuple[str, ...] = ()) -> Caution | None:
    """The gravest caution that speaks of a question, or one that no other line speaks of; None where there is none."""
    left_out = (*OF_OTHER_LINES, *without)
    found = {caution.code: caution for caution in ev.cautions if caution.code not in left_out}
    return next((found[code] for code in codes if code in found), next(iter(found.values()), None))


def good_finding(ev: TwoClassEvaluation) -> FoundLine:
    """Whether it ranks better than chance; of labels alone, whether it is right more often than a constant answer."""
    mark, finding = _accuracy_finding(ev) if of_labels_alone(ev) else _ranking_finding(ev)
    code, words, link = good_caution(ev)
    return FoundLine("Good?", mark, finding, _supporting_measures(ev), said("text", text=words), code, *link, "good")


def good_caution(ev: TwoClassEvaluation, without: tuple[str, ...] = ()) -> tuple[str, str, tuple[str, str]]:
    """The code and the words of the caution beside the line Good?, and the section that it leads to."""
    caution = caution_about(ev, ABOUT_RANKING, without)
    if of_labels_alone(ev) and caution is None:
        return "", plain(said("good.no_caution_of_labels")), LINKS["A301"]
    code = "" if caution is None else caution.code
    link = LINKS.get(code, OF_CAUTIONS)
    if caution is None:
        return "", plain(said("good.no_caution")), link
    return code, shortened(caution_words(ev, caution.message), LONGEST_CAUTION), link


def _ranking_finding(ev: TwoClassEvaluation) -> tuple[Mark, Text]:
    found = ev.estimate("roc_auc")
    if math.isnan(found.value):
        return "open", said("good.undefined", reason=found.undefined or "there is no ROC curve")
    share, limits = percents(found)
    values = {"positive": _with_article(ev.positive), "negative": _with_article(ev.classes[0]), "auc": share}
    if math.isnan(found.low):
        return "open", said("good.bare", **values, reason=found.undefined or "")
    down, up = open_in_cells(found)
    if found.low - down > 0.5:
        return "told", said("good.better", **values, limits=limits)
    if found.high + up < 0.5:
        return "told", said("good.worse", **values, limits=limits)
    if found.low > 0.5 or found.high < 0.5:
        return "open", said("good.open_in_cells", **values, limits=limits)
    return "open", said("good.chance", **values, limits=limits)


def _with_article(name: str) -> str:
    return f"a {class_word(name)}"


def _accuracy_finding(ev: Evaluation) -> tuple[Mark, Text]:
    found, constant = ev.estimate("accuracy"), ev.baselines.value("majority", "accuracy")
    share, limits = percents(found)
    values = {"share": share, "majority": quoted(ev.baselines.majority_class, 16), "constant": percent(constant)}
    if math.isnan(found.low):
        return "open", said("good.right_bare", share=share, reason=found.undefined or "undefined")
    if found.low > constant:
        return "told", said("good.right", **values, limits=limits)
    if found.high < constant:
        return "told", said("good.right_worse", **values, limits=limits)
    return "open", said("good.right_open", **values, limits=limits)


def _supporting_measures(ev: TwoClassEvaluation) -> Text:
    """Measures beside the one that decides."""
    parts = []
    if of_labels_alone(ev):
        parts = [_estimate_text(ev, name) for name in ("balanced_accuracy", "kappa", "mcc") if is_shown(ev, name)]
    else:
        if (found := ev.estimate("average_precision")) and not math.isnan(found.value):
            constant = number(ev.baselines.value("constant_probability", "average_precision"))
            parts.append(said("good.precision", **_number_values(found), constant=constant))
        if is_shown(ev, "brier_skill") and not math.isnan((found := ev.estimate("brier_skill")).value):
            parts.append(said("good.skill", **_number_values(found)))
    return between(parts)


def _estimate_text(ev: Evaluation, name: str) -> Text:
    return said("good.estimate", title=ev.registry[name].title, **_number_values(ev.estimate(name)))


def _number_values(found: Any) -> dict[str, str]:
    return {"value": value_words(found), "limits": bracketed(found)}


def of_labels(ev: TwoClassEvaluation) -> FoundLine:
    """What labels alone err in: of how many positives it misses some, and how many of its flags are wrong."""
    recall, precision = ev.estimate("recall"), ev.estimate("precision")
    matrix = ev.matrix
    assert matrix is not None
    share, limits = percents(recall)
    finding = said("errors.recall", share=share, limits=limits, positive=class_word(ev.positive))
    share, limits = percents(precision)
    flagged = said("errors.precision", share=share, limits=limits, n=count(float(matrix.tp + matrix.fp)))
    if math.isnan(precision.value):
        flagged = said("errors.no_flags")
    caution = said("errors.mind")
    return FoundLine("Errors?", "told", finding, flagged, caution, "", "confusion", "Errors", "")


def calibrated_finding(ev: TwoClassEvaluation) -> FoundLine:
    """Whether the probabilities are right: where they are shown to be wrong, or that nothing was found, no proof."""
    if not ev.has_probabilities:
        return FoundLine("Calibrated?", "open", said("calibrated.no_scores"), key="calibrated")
    if not can_be_calibrated(ev):
        words = said("calibrated.bare", reason="the true labels have a single class")
        return FoundLine("Calibrated?", "open", words, key="calibrated")
    mark, finding, used = _calibration_verdict(ev)
    told = {name: words for name, words in _calibration_numbers(ev).items() if name != used}
    parts = [*told.values(), *([said("calibrated.no_proof")] if mark == "sought" else [])]
    is_shown_wrong = len(ev.calibration.overall.miscalibration) > 0
    caution, code = (said("calibrated.recalibrate"), "A203") if is_shown_wrong else (_few_cases_above_text(ev), "")
    link = ("calibration", "Calibration", "calibrated")
    return FoundLine("Calibrated?", mark, finding, between(parts), caution, code, *link)


def _calibration_verdict(ev: TwoClassEvaluation) -> tuple[Mark, Text, str]:
    """What may be said, and which of the numbers it says: ranges first, then the test, then what only hints at it."""
    about, values = ev.calibration.overall, _calibration_values(ev)
    ranges, slope, ratio = about.miscalibration.by_cases(), about.cox.slope, about.observed_to_expected
    if ranges:
        return "told", said("calibrated.range", **range_words(ranges[0]), more=_more_ranges_words(len(ranges) - 1)), ""
    if about.test.p_value < 1 - about.level:
        key = "test" if about.test.rejects(about.level) else "test_in_cells"
        words = said(f"calibrated.{key}", p=p_text(about.test.p_value))
        return "told" if key == "test" else "open", words, "test"
    if side_of(slope, 1):
        return "open", said("calibrated.perhaps", **values["slope"]), "slope"
    if side_of(ratio, 1):
        return "open", said("calibrated.ratio_off", **values["ratio"]), "ratio"
    if math.isnan(ratio.value):
        return "open", said("calibrated.bare", reason=ratio.undefined or "undefined"), ""
    return "sought", said("calibrated.nothing", **values["ratio"]), "ratio"


def _calibration_numbers(ev: TwoClassEvaluation) -> dict[str, Text]:
    """The numbers of calibration that are defined, each as part of a line."""
    about, values = ev.calibration.overall, _calibration_values(ev)
    numbers = {
        "ratio": (about.observed_to_expected.value, said("calibrated.ratio", **values["ratio"])),
        "slope": (about.cox.slope.value, said("calibrated.slope_evidence", **values["slope"])),
        "test": (about.test.p_value, said("calibrated.p", p=p_text(about.test.p_value))),
    }
    return {name: words for name, (value, words) in numbers.items() if not math.isnan(value)}


def range_words(found: MisfitRange) -> dict[str, str]:
    """A range of scores and what is wrong with it."""
    low, high = next(
        (low, high)
        for digits in range(2, 18)
        if (low := f"{found.low:.{digits}g}") != (high := f"{found.high:.{digits}g}") or found.low == found.high
    )
    span = f"from {low} to {high}" if found.low < found.high else f"of {low}"
    return {"span": span, "direction": found.direction, "cases": f"{count(found.cases)} cases"}


def _more_ranges_words(others: int) -> str:
    return f", and {others} more range{'s' if others > 1 else ''}" if others else ""


def _calibration_values(ev: TwoClassEvaluation) -> Mapping[str, dict[str, str]]:
    about = ev.calibration.overall
    table, ratio, slope = about.scores, about.observed_to_expected, about.cox.slope
    expected = float((table.negative + table.positive) @ table.score)
    return {
        "ratio": {
            "observed": count(float(table.positives)),
            "expected": count(float(round(expected))) if expected >= 10 else f"{expected:.1f}",
            "positive": "positives",
            "ratio": value_words(ratio),
            "limits": bracketed(ratio),
        },
        "slope": {"slope": value_words(slope), "limits": bracketed(slope)},
    }


def _few_cases_above_text(ev: TwoClassEvaluation) -> Text:
    table = ev.calibration.overall.scores
    cases = table.negative + table.positive
    middle = float(table.score[int(np.searchsorted(np.cumsum(cases), HIGH_SCORE * cases.sum()))])
    few = float(cases[table.score > middle].sum())
    return said("calibrated.mind", few=count(few), cases=count(float(cases.sum())), score=f"{middle:.2g}")


MOST_NAMED = 3
# Costs that a line has room for.
MOST_COSTS = 4


def better_finding(answer: ComparisonAnswer, names: Mapping[str, str]) -> FoundLine:
    """Which of two is better: by the primary measure first, then by the secondary ones."""
    (primary,) = answer.primary
    shown = answer.renamed(names)
    mark: Mark = "open" if primary.outcome == UNKNOWN else "told"
    evidence = between([evidence_of(m.title, answer.differences[m.name][0]) for m in answer.measures])
    caution = said("better.mind", level=f"{100 * answer.level:g} %", family=answer.family_words)
    finding = said("text", text=shown.headline.removesuffix("."))
    return FoundLine("Better?", mark, finding, evidence, caution, "", "differences", "Differences", "better")


def evidence_of(title: str, found: Difference) -> Text:
    """A difference with its interval, where it has one."""
    if math.isnan(found.low):
        value = "undefined" if math.isnan(found.value) else signed(found)
        return said("better.no_interval", title=title, value=value)
    return said("better.difference", title=title, value=signed(found), limits=bracketed(found))


def best_finding(compared: Compared) -> FoundLine:
    """Which of several is the best by the measure asked for, and how many others it is shown to beat."""
    rivals = [found for found in compared.verdicts if compared.best in (found.first, found.second)]
    is_decided = bool(rivals) and all(found.winner == compared.best for found in rivals)
    words = [f"{best_of_several(compared)}.", secondary_best(compared), compared.answer.constant_words]
    finding = said("text", text=" ".join(filter(None, words)).removesuffix("."))
    others = [d for d in compared.differences if compared.best in (d.first, d.second)]
    shown = sorted(others, key=lambda d: abs(d.value))[:2]
    pairs = [evidence_of(f"{compared.names[d.first]} \u2212 {compared.names[d.second]}", d) for d in shown]
    caution = said("best.mind", level=f"{100 * compared.answer.level:g} %", family=compared.answer.family_words)
    return FoundLine("Best?", "told" if is_decided else "open", finding, between(pairs), caution, "A402", "differences",
                   "Differences", "best", _control_dependencies(compared))  # fmt: skip


def _control_dependencies(compared: Compared) -> str:
    """The controls that the measures of a comparison depend on."""
    return " ".join(sorted({control for one in compared.answer.measures for control in depends_on(one).split()}))


def calibrated_of_several(models: Mapping[str, Evaluation], names: Mapping[str, str]) -> FoundLine:
    """Which of several are shown to be wrong as probabilities, and which are not."""
    wrong: dict[str, str] = {}
    sought: list[str] = []
    for key, ev in models.items():
        if not (isinstance(ev, TwoClassEvaluation) and can_be_calibrated(ev)):
            continue
        if calibrated_finding(ev).mark == "told":
            ranges = ev.calibration.overall.miscalibration.by_cases()
            words = range_words(ranges[0]) if ranges else {}
            wrong[names[key]] = "no single range is significant"
            if words:
                wrong[names[key]] = f"probabilities {words['span']} are {words['direction']}"
        else:
            sought.append(names[key])
    if not wrong and not sought:
        return FoundLine("Calibrated?", "open", said("calibrated.no_scores"), key="calibrated")
    link = ("calibration", "Calibration", "calibrated")
    if not wrong:
        nothing, proof = said("calibrated.none_found", names=listed(sought)), said("calibrated.no_proof")
        return FoundLine("Calibrated?", "sought", nothing, proof, (), "", *link)
    if len(wrong) + len(sought) <= 2:
        (name, what), *others = wrong.items()
        rest = f"; {others[0][0]} is too" if others else f"; {sought[0]}: no miscalibration detected" if sought else ""
        finding = said("calibrated.one_wrong", name=name, words=what, rest=rest)
    else:
        of = f"{len(wrong)} of {len(wrong) + len(sought)}"
        finding = said("calibrated.several_wrong", names=listed(list(wrong)), count=of)
    ratios = [_calibration_ratio_text(models[key], names[key]) for key in list(models)[:MOST_NAMED]]
    caution = said("calibrated.recalibrate")
    evidence = (*said("calibrated.ratios"), Wording(" "), *between([ratio for ratio in ratios if ratio]))
    return FoundLine("Calibrated?", "told", finding, evidence, caution, "A203", *link)


def _calibration_ratio_text(ev: Evaluation, name: str) -> Text:
    if not can_be_calibrated(ev):
        return ()
    found = ev.calibration.overall.observed_to_expected
    return said("calibrated.of_model", name=name, ratio=number(found.value), limits=bracketed(found))


def cheapest_finding(compared: Compared, moved: Moved) -> FoundLine:
    """Who is cheapest where the controls stand, each at its own cheapest threshold; known for a grid of ratios."""
    link = (
        ("cheapest", "Expected cost by cost ratio", "cheapest")
        if len(compared.names) == 2
        else ("expected-cost", "Costs", "cheapest")
    )
    grid, reason = compared.cheapest
    if not grid:
        return FoundLine("Cheapest?", "open", said("cheapest.bare", reason=reason), (), (), "", *link)
    names, found, ratio = list(compared.names.values()), *_nearest_cost_ratio(compared, grid, moved)
    others = [names[k] for k in range(len(names)) if k != found.best]
    open_with = [name for name, d in zip(others, found.differences, strict=True) if not d.high < 0]
    elsewhere = "" if moved.prevalence is None else f" and {percent(moved.prevalence)} positives"
    values = {"ratio": f"{ratio_words(ratio)}{elsewhere}", "best": names[found.best]}
    finding = _cheapest_text(found, others, open_with, values)
    each = zip(names[:MOST_COSTS], found.costs, strict=False)
    costs = between([said("cheapest.cost", name=name, cost=number(cost)) for name, cost in each])
    evidence = (*costs, Wording(" "), *said("cheapest.of_constant"))
    mark: Mark = "open" if open_with else "told"
    return FoundLine("Cheapest?", mark, finding, evidence, said("cheapest.mind"), "A306", *link)


def _nearest_cost_ratio(compared: Compared, grid: Sequence[Cheapest], moved: Moved) -> tuple[Cheapest, float]:
    """What is known at the nearest weight of the misses, and the cost ratio that it is known for."""
    own = grid[0].weight / RATIOS[0]
    odds = own if moved.prevalence is None else moved.prevalence / (1 - moved.prevalence)
    weight = moved.ratio * odds
    found = min(grid, key=lambda one: abs(math.log(one.weight / weight)))
    return found, moved.ratio if abs(found.weight / weight - 1) <= SAME else moved.ratio * found.weight / weight


def _cheapest_text(found: Cheapest, others: list[str], open_with: list[str], values: dict[str, str]) -> Text:
    if len(others) == 1:
        (d,) = found.differences
        key = "cheapest.apart" if open_with else "cheapest.two"
        return said(key, **values, other=others[0], value=signed(d), limits=bracketed(d))
    if not open_with:
        return said("cheapest.all", **values)
    them = listed(open_with) if len(open_with) < MOST_COSTS else f"{len(open_with)} others"
    return said("cheapest.open", **values, others=them)


# Shares nearer than this differ by rounding.
ROUNDING = 1e-12
NOT_TESTED = "not tested at these settings"


def _value_at(measure: Measure, model: Moving, moved: Moved) -> float:
    """A measure of predicted labels at a threshold and a prevalence."""
    matrix = model.matrix(moved.at)
    assert matrix is not None
    if moved.prevalence is None:
        return float(measure(matrix))
    shares = np.array([[1 - moved.prevalence], [moved.prevalence]])
    counts = matrix.counts / matrix.counts.sum(1, keepdims=True) * shares
    return float(measure(ConfusionMatrix(counts, matrix.classes)))


def _threshold_clause(measure: Measure, models: Sequence[Moving], moved: Sequence[Moved]) -> str:
    """At which thresholds a measure of predicted labels stands, as part of a sentence."""
    places = [one.at for one in moved]
    if measure.needs is not ConfusionMatrix or None in places:
        return ""
    found = [threshold_words(float(m.threshold[at or 0])) for m, at in zip(models, places, strict=True)]
    each = list(dict.fromkeys(found))
    return f"at threshold{'s' if len(each) > 1 else ''} {listed(each)}"


def better_at(
    answer: ComparisonAnswer, names: Mapping[str, str], models: Mapping[str, Moving], moved: Sequence[Moved]
) -> FoundLine:
    """Which of two models is better where the controls stand."""
    differences, thresholds, evidence = dict(answer.differences), dict(answer.thresholds), []
    for measure in answer.measures:
        (found,) = answer.differences[measure.name]
        note = computed_at(models, moved, depends_on(measure))
        if not note:
            evidence.append(evidence_of(measure.title, found))
            continue
        untested = replace(found, low=math.nan, high=math.nan, p_value=math.nan, undefined=NOT_TESTED)
        if measure.name in RECOMPUTED:
            untested = replace(untested, value=difference_at(measure, found, models, moved))
            evidence.append(evidence_of(measure.title, untested))
        else:
            evidence.append(evidence_of(f"{measure.title}, {note[0].lower()}{note.removesuffix('.')[1:]}:", found))
        differences[measure.name] = [untested]
        thresholds[measure.name] = _threshold_clause(measure, list(models.values()), moved)
    above_all = _constant_above_all(list(models.values()), moved)
    there = replace(answer, differences=differences, thresholds=thresholds, above_all=above_all)
    line = better_finding(there, names)
    if any(math.isnan(found.low) and found.undefined == NOT_TESTED for (found,) in differences.values()):
        line = replace(line, caution=said("better.mind_moved", level=f"{100 * answer.level:g} %"))
    return replace(line, evidence=between(evidence))


def _constant_above_all(models: Sequence[Moving], moved: Sequence[Moved]) -> str:
    """That always predicting the commonest class has a higher accuracy than each model, where it has."""
    first = models[0]
    share = first.share if moved[0].prevalence is None else moved[0].prevalence
    constant = max(share, 1 - share)
    matrices = [model.matrix(one.at) for model, one in zip(models, moved, strict=True)]
    for matrix in matrices:
        if matrix is None:
            return ""
        recall, specificity = float(matrix.tp / matrix.positives), float(matrix.tn / matrix.negatives)
        if share * recall + (1 - share) * specificity >= constant - ROUNDING:
            return ""
    return constant_sentence(first.ev.classes[1 if share > 0.5 else 0], constant, len(models))


def difference_at(measure: Measure, found: Difference, models: Mapping[str, Moving], moved: Sequence[Moved]) -> float:
    """The difference of two models' values where the controls stand."""
    at = dict(zip(models, moved, strict=True))
    first, second = (_value_at(measure, models[key], at[key]) for key in (found.first, found.second))
    return first - second


# Letters that stand in one line of the page: of the finding with its interval, and of what it rests on.
LONGEST_FINDING = 72
LONGEST_EVIDENCE = 112
BETWEEN = " · "
# Letters of names, from what a name may have down to what still tells two apart.
LENGTHS = (24, 16, 12, 8)


def line(parts: Iterable[Text], most: int = LONGEST_EVIDENCE) -> Text:
    """Parts in one line with a dot between them; what does not fit is left out, the first part never.

    >>> plain(line([(Wording("one"),), (Wording("two"),)], 9)), plain(line([(Wording("one"),), (Wording("two"),)], 8))
    ('one · two', 'one')
    """
    kept: list[Wording] = []
    for part in parts:
        longer = [*kept, Wording(BETWEEN), *part] if kept else list(part)
        if kept and len(plain(tuple(longer))) > most:
            continue
        kept = longer
    return joined(kept)


def fitting(texts: Iterable[Text], most: int = LONGEST_FINDING) -> Text:
    """The first of several wordings that fits a line, or the last."""
    for found in texts:
        if len(plain(found)) <= most:
            break
    return found


def item(title: str, estimate: Estimate) -> Text:
    """An estimate after its title: the value bold, the interval beside it."""
    return said("many.item", title=title, value=value_words(estimate), limits=bracketed(estimate))


def caution(ev: Evaluation, codes: Sequence[str], *, and_others: bool = False) -> tuple[str, Text] | None:
    """The first of these cautions that applies, by code and title, and how many more there are; None without any.

    With `and_others` cautions that no line of a page is about count as well.
    """
    having = [found.code for found in ev.cautions]
    known = [code for code in codes if code in having]
    known += [code for code in having if and_others and code not in known and code not in ELSEWHERE]
    if not known:
        return None
    title = find_rule(known[0]).title
    if len(known) == 1:
        return known[0], said("many.caution", title=title)
    return known[0], said("many.cautions", title=title, more=str(len(known) - 1))


# Cautions about probabilities stand beside the line about them.
ELSEWHERE = ("A104", "A201", "A202", "A203", "A204", "A205", "A206")


MANY_BETTER_MOST_NAMED = 4


def better_of_many(models: Mapping[str, Evaluation], compared: Compared | NotCompared | None) -> tuple[FoundLine, str]:
    """The line that says which is better, or why that cannot be told; and the model that the other lines are about."""
    if not isinstance(compared, Compared):
        return _not_compared(
            models, "the predictions are not paired" if compared is None else compared.reason
        ), _most_accurate_model(models)
    if len(models) > 2:
        return best_finding(compared), compared.best
    return better_finding(compared.answer, compared.names), compared.best


def _not_compared(models: Mapping[str, Evaluation], reason: str) -> FoundLine:
    names = model_names(models)
    shown = {key: ev for key, ev in models.items() if is_shown(ev, "accuracy")}
    each = [item(names[key], ev.estimate("accuracy")) for key, ev in shown.items()][:MANY_BETTER_MOST_NAMED]
    words = said("many.better.reason", reason=tamed(shortened(reason.split(";")[0], 100)))
    question = "Better?" if len(models) == 2 else "Best?"
    link = {"link": "headline", "link_words": "Measures"}
    return FoundLine(question, "open", words, line(each), said("many.better.each"), **link)


def _most_accurate_model(models: Mapping[str, Evaluation]) -> str:
    """The model that is right most often on its own cases; the first where none has labels."""
    shares = {key: ev.estimate("accuracy").value for key, ev in models.items() if is_shown(ev, "accuracy")}
    known = {key: share for key, share in shares.items() if not math.isnan(share)}
    return max(known, key=lambda key: known[key]) if known else next(iter(models))


OF_PROBABILITIES = ("A104", "A202", "A201", "A204")
LINK = {"link": "calibration", "link_words": "Calibration"}


def calibrated_of_many(ev: ManyClassEvaluation) -> FoundLine | None:
    """What the band of the whole curve and the test of all probabilities say; None where there are labels alone."""
    if not ev.has_scores:
        return None
    if not ev.has_probabilities:
        code, minded = caution(ev, ("A104",)) or ("", ())
        link = {"link": "cautions", "link_words": "Cautions"}
        return FoundLine("Calibrated?", "open", said("many.calibrated.scores"), (), minded, code, **link)
    about = ev.calibration.overall
    if not about.is_defined:
        reason = "every prediction is correct" if about.scores.positives else "every prediction is an error"
        return FoundLine("Calibrated?", "open", said("many.calibrated.reason", reason=reason))
    found, mark, evidence = _calibration_finding(about, ev.n)
    code, minded = _class_calibration_caution(ev, about)
    return FoundLine("Calibrated?", mark, found, evidence, minded, code, **LINK)


def _calibration_finding(about: Calibration, cases: float) -> tuple[Text, Mark, Text]:
    """The finding, whether the data decide it, and what it rests on."""
    ranges = sorted(about.miscalibration, key=lambda one: -one.shown)
    ratio, test = about.observed_to_expected, about.test
    words = _ratio_words(about, ratio)
    side = {-1: "sure", 1: "cautious", 0: ""}[side_of(ratio, 1)]
    if ranges:
        direction = {"sure": "too high", "cautious": "too low"}.get(side)
        order = said("many.calibrated.order")
        if all(one.direction == direction for one in ranges):
            return said(f"many.calibrated.{side}", **words), "told", line([_range_clause(ranges, cases), order])
        return _ranges_text(ranges), "told", line([said("many.calibrated.overall", **words), order])
    if test.rejects(about.level):
        overall = said("many.calibrated.overall", **words)
        return said("many.calibrated.test", p=p_text(test.p_value)), "told", line([overall, *_slope_text(about)])
    tested = [] if math.isnan(test.p_value) else [said("many.calibrated.p", p=p_text(test.p_value))]
    if side:
        return said("many.calibrated.ratio", **words), "told", line([*tested, *_slope_text(about)])
    if about.miscalibration.undefined is not None and not tested:
        return said("many.calibrated.reason", reason=about.miscalibration.undefined), "open", line(_slope_text(about))
    proof = said("many.calibrated.noproof", cases=counted(cases, "case"))
    key = "plain" if math.isnan(ratio.low) else "sought"
    return said(f"many.calibrated.{key}", **words), "sought", line([proof, *tested, *_slope_text(about)])


def _ratio_words(about: Calibration, ratio: Estimate) -> dict[str, str]:
    """How often it is right, what its probabilities say, and the one over the other."""
    scores = about.scores
    right = float(scores.positives) / float(scores.positives + scores.negatives)
    said_right = right / ratio.value if ratio.value > 0 else math.nan
    shown = {"right": percent(right), "said": "-" if math.isnan(said_right) else percent(said_right)}
    return shown | {"ratio": value_words(ratio), "limits": bracketed(ratio)}


def _slope_text(about: Calibration) -> list[Text]:
    """Cox's slope where its interval speaks against the probabilities."""
    slope = about.numbers["slope"]
    if not side_of(slope, 1):
        return []
    return [said("many.calibrated.slope", slope=value_words(slope), limits=bracketed(slope))]


def _range_clause(ranges: list[MisfitRange], cases: float) -> Text:
    first = ranges[0]
    words = {"span": _range_ends(first), "direction": first.direction, "more": _more_class_ranges(ranges)}
    return said("many.calibrated.where", **words, shown=count(first.shown), cases=count(cases))


def _ranges_text(ranges: list[MisfitRange]) -> Text:
    first = ranges[0]
    words = {"span": _range_ends(first), "direction": first.direction, "more": _more_class_ranges(ranges)}
    return said("many.calibrated.ranges", **words, cases=counted(first.shown, "case"))


def _range_ends(found: MisfitRange) -> str:
    """The ends of a range, in as many digits as keep them apart."""
    if found.low == found.high:
        return f"of {number(found.low)}"
    digits = next(k for k in range(2, 18) if f"{found.low:.{k}g}" != f"{found.high:.{k}g}")
    return f"from {found.low:.{digits}g} to {found.high:.{digits}g}"


def _more_class_ranges(ranges: list[MisfitRange]) -> str:
    return f"; and {counted(len(ranges) - 1, 'more range')}" if len(ranges) > 1 else ""


def _class_calibration_caution(ev: ManyClassEvaluation, about: Calibration) -> tuple[str, Text]:
    """The caution beside the line; without one, what the line is about."""
    if len(about.miscalibration):
        return "A203", said("many.calibrated.band")
    return caution(ev, OF_PROBABILITIES) or ("", said("many.calibrated.answer"))


# Cells of the same size that are named; of more only the first.
MOST_TIED = 2
LOWEST_RECALLS = 2
MOST_UNCALLED = 3


def confused_of_many(ev: ManyClassEvaluation) -> FoundLine | None:
    """The largest confusion with an interval that holds for all cells, or that none stands out; None without labels."""
    matrix = ev.matrix
    if matrix is None or not matrix.total:
        return None
    cells = largest_cells(matrix)
    link = {"link": "confusion", "link_words": "Matrix"}
    if not cells:
        never = said("many.confuses.never", cases=counted(float(matrix.total), "case"))
        return FoundLine(
            "Confuses?", "sought", never, _confusion_evidence(ev, matrix, cells), _no_evidence_remark(), **link
        )
    i, j = cells[0]
    wrong = wrong_answers(matrix)
    usual = float(wrong[i].sum()) / (len(matrix.decisions) - 1)
    share, cases = pair_share(matrix, i, j, ev.level), counted(float(wrong[i, j]), "case")
    if not float(wrong[i, j]) > usual:
        nothing = said("many.confuses.none", cases=cases)
        return FoundLine(
            "Confuses?", "sought", nothing, _confusion_evidence(ev, matrix, cells), _search_remark(matrix), **link
        )
    is_told = share.low > usual / float(matrix.actual[i])
    key = "many.confuses.told" if is_told or math.isnan(share.low) else "many.confuses.open"
    words = {"share": percent(share.value), "limits": share_limits(share.low, share.high)}
    if key == "many.confuses.open" and len(cells) == 1:
        cases = f"{count(float(wrong[i, j]))} of {count(float(matrix.actual[i]))}"
    words["cases"] = cases if len(cells) == 1 else f"{cases} each"
    found = fitting(_confusion_sentence(key, matrix, cells, words, most) for most in LENGTHS)
    mark: Mark = "told" if is_told else "open"
    return FoundLine("Confuses?", mark, found, _confusion_evidence(ev, matrix, cells), _search_remark(matrix), **link)


def _confusion_sentence(
    key: str, matrix: ConfusionMatrix, cells: list[tuple[int, int]], words: dict[str, str], most: int
) -> Text:
    """The sentence with names of so many letters; every name stays one that no other class has."""
    names = list(short_names(matrix.decisions, most).values())
    shown = [f"{names[i]} with {names[j]}" for i, j in (cells if len(cells) <= MOST_TIED else cells[:1])]
    more = len(cells) - len(shown)
    pairs = f"{shown[0]} and {more} more pairs" if more else ", and ".join(shown)
    return said(key, **words, pairs=pairs, **{"class": f'"{names[cells[0][0]]}"'})


def _confusion_evidence(ev: ManyClassEvaluation, matrix: ConfusionMatrix, cells: list[tuple[int, int]]) -> Text:
    """How many of the errors sit there, the classes that nothing is called, and the lowest recalls."""
    errors, held = float(matrix.total - matrix.correct), sum(float(matrix.counts[cell]) for cell in cells)
    numbers = {"errors": count(held), "all": count(errors), "cells": str(len(cells)), "of": f"{pair_count(matrix):,}"}
    parts = [said("many.confuses.errors", **numbers)] if cells else []
    names = short_names(ev.classes, LENGTHS[2])
    called = matrix.counts.sum(0)
    uncalled = [names[name] for k, name in enumerate(matrix.classes) if matrix.actual[k] > 0 and not called[k]]
    if uncalled:
        more = [f"{len(uncalled) - MOST_UNCALLED:,} more"] if len(uncalled) > MOST_UNCALLED else []
        parts.append(said("many.confuses.uncalled", classes=listed([*uncalled[:MOST_UNCALLED], *more])))
    parts += _lowest_recalls(ev, names, LONGEST_EVIDENCE - sum(len(plain(part)) + len(BETWEEN) for part in parts))
    return line(parts)


def _lowest_recalls(ev: ManyClassEvaluation, names: dict[str, str], room: int) -> list[Text]:
    """The lowest recalls, as many as there is room for."""
    found = {name: each["recall"] for name, each in ev.per_class.items()}
    lowest = sorted((name for name in found if not math.isnan(found[name].value)), key=lambda name: found[name].value)
    for most in range(LOWEST_RECALLS, 0, -1):
        runs: list[Wording] = list(said("many.confuses.recall", classes=""))
        for place, name in enumerate(lowest[:most]):
            runs += [Wording(f"{', ' if place else ' '}{names[name]} "), Wording(value_words(found[name]), "b")]
            runs.append(Wording(f" {bracketed(found[name])}"))
        if lowest and len(plain(tuple(runs))) <= room:
            return [tuple(runs)]
    return []


def _search_remark(matrix: ConfusionMatrix) -> Text:
    if not pairs_have_limits(matrix):
        return said("many.confuses.weighed")
    return said("many.confuses.looking", cells=f"{pair_count(matrix):,}")


def _no_evidence_remark() -> Text:
    return said("many.confuses.noproof")


# What stands beside the share of right answers.
BESIDE = ("kappa", "hand_till", "macro_f1")
# Cautions about how often it is right, the one that matters most first.
OF_GOOD = ("A101", "A302", "A301", "A130", "A103", "A102", "A108", "A105", "A107", "A111", "A116")
# Those that the sizes of the classes explain.
OF_SIZES = ("A102", "A103", "A108")
# Classes whose sizes differ by no more than this factor are called alike.
ALIKE = 1.5
CLASSES, CLASSES_WORDS = "confusion", "Classes"


def findings_of_many(
    models: Mapping[str, Evaluation], compared: Compared | NotCompared | None = None
) -> tuple[FoundLine, ...]:
    """Good? Confuses? Calibrated?; of several models the first question is which is better."""
    if len(models) == 1:
        ev = next(iter(models.values()))
        assert isinstance(ev, ManyClassEvaluation)
        return tuple(
            found for found in (_many_class_accuracy_finding(ev), confused_of_many(ev), calibrated_of_many(ev)) if found
        )
    first, key = better_of_many(models, compared)
    best = models[key]
    assert isinstance(best, ManyClassEvaluation)
    others = [
        _with_model_name(found, model_names(models)[key])
        for found in (confused_of_many(best), calibrated_of_many(best))
    ]
    return (first, *(found for found in others if found is not None))


def _with_model_name(found: FoundLine | None, model: str) -> FoundLine | None:
    """A line about one of several models says whose it is."""
    if found is None:
        return None
    return replace(found, finding=joined([*_model_name_text(model), *found.finding]))


def _model_name_text(model: str) -> Text:
    named = said("many.of", model=model)
    # The space before the words that follow.
    return (*named[:-1], replace(named[-1], text=f"{named[-1].text} "))


def _many_class_accuracy_finding(ev: ManyClassEvaluation) -> FoundLine | None:
    """How often it is right, held against always answering the commonest class."""
    if ev.matrix is None:
        return None
    accuracy, constant = ev.estimate("accuracy"), ev.baselines.value("majority", "accuracy")
    if math.isnan(accuracy.value):
        return None
    kind, mark = _accuracy_verdict(accuracy.low, accuracy.high, constant)
    words = {
        "share": percent(accuracy.value),
        "what": " (weighted)" if ev.is_weighted else "",
        "limits": share_limits(accuracy.low, accuracy.high),
        "constant": percent(constant),
    }
    code, minded, link, link_words = _many_class_caution(ev)
    words_by_length = (said(kind, **words, **{"class": quoted(ev.baselines.majority_class, most)}) for most in LENGTHS)
    found = fitting(words_by_length)
    return FoundLine("Good?", mark, found, _chance_corrected_measures(ev), minded, code, link, link_words)


def _accuracy_verdict(low: float, high: float, constant: float) -> tuple[str, Mark]:
    """Which sentence the interval of the share of right answers allows, against that of the best constant answer.

    >>> _accuracy_verdict(0.91, 0.94, 0.1), _accuracy_verdict(0.4, 0.6, 0.5), _accuracy_verdict(0.1, 0.2, 0.5)
    (('many.good.told', 'told'), ('many.good.open', 'open'), ('many.good.worse', 'told'))
    """
    if math.isnan(low):
        return "many.good.none", "open"
    if low > constant:
        return "many.good.told", "told"
    return ("many.good.worse", "told") if high < constant else ("many.good.open", "open")


def _chance_corrected_measures(ev: ManyClassEvaluation) -> Text:
    """Measures that allow for chance or for rare classes, each with its interval."""
    accuracy = ev.estimate("accuracy")
    why = [said("many.good.why", reason=accuracy.undefined or "undefined")] if math.isnan(accuracy.low) else []
    shown = [(ev.registry[name].title, ev.estimate(name)) for name in BESIDE if is_shown(ev, name)]
    return line([*why, *(item(title, found) for title, found in shown if not math.isnan(found.value))])


def _many_class_caution(ev: ManyClassEvaluation) -> tuple[str, Text, str, str]:
    """The caution beside the line, its link and the words of the link; without one, how large the classes are."""
    found = caution(ev, OF_GOOD, and_others=True)
    if found is not None:
        link = (CLASSES, CLASSES_WORDS) if found[0] in OF_SIZES else ("cautions", "Cautions")
        return (*found, *link)
    sizes = [size for size in ev.class_counts.values() if size]
    low, high = min(sizes), max(sizes)
    key = "many.alike" if high <= ALIKE * low else "many.unlike"
    return "", said(key, low=count(low), high=count(high)), CLASSES, CLASSES_WORDS


def findings(models: Mapping[str, Evaluation], compared: Compared | NotCompared | None = None) -> tuple[FoundLine, ...]:
    """What was found, a line for each question that this kind of page is asked."""
    first = next(iter(models.values()))
    pairs = compared if isinstance(compared, Compared) else None
    if isinstance(first, ManyClassEvaluation):
        return findings_of_many(models, compared)
    assert isinstance(first, TwoClassEvaluation)
    if len(models) == 1:
        return _single_model_lines(first)
    if pairs is None:
        reason = compared.reason if isinstance(compared, NotCompared) else "no comparison was computed"
        return (FoundLine("Better?", "open", said("better.not_compared", reason=reason)),)
    return _several_model_lines(pairs)


def findings_in_brief(models: Mapping[str, Evaluation]) -> list[Sentence]:
    """What a terminal begins with: whether one model of two classes is good, and whether it is calibrated."""
    (ev, *others) = models.values()
    if others or not isinstance(ev, TwoClassEvaluation) or of_labels_alone(ev) or ev.scores is None:
        return []
    found = [good_finding(ev), *([calibrated_finding(ev)] if ev.has_probabilities else [])]
    return [Sentence(f"{one.question} {plain(one.finding)}.", is_finding=True) for one in found]


def _single_model_lines(ev: TwoClassEvaluation) -> tuple[FoundLine, ...]:
    if of_labels_alone(ev):
        return (good_finding(ev), of_labels(ev))
    if not has_both_classes(ev):
        return (good_finding(ev),)
    moving = Moving(ev, KNOTS)
    return good_finding(ev), calibrated_finding(ev), threshold_finding(moving, Moved(moving.used))


def _several_model_lines(compared: Compared) -> tuple[FoundLine, ...]:
    models = compared.comparison.models
    names = model_names(models)
    if len(models) == 2:
        moving = {key: Moving(ev, KNOTS) for key, ev in scored(models).items() if key in movable(models)}
        first = better_finding(compared.answer, compared.names)
        if len(moving) == 2:
            first = better_at(compared.answer, compared.names, moving, [Moved(one.used) for one in moving.values()])
    else:
        first = best_finding(compared)
    if all(map(of_labels_alone, models.values())):
        return (first,)
    return first, calibrated_of_several(models, names), cheapest_finding(compared, Moved())
