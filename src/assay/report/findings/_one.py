"""What is found of one classifier of two classes: does it rank, is it calibrated, which threshold to use."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.calibration.miscalibrated_ranges import MisfitRange
from assay.cautions import Caution
from assay.comparison.adjustment import p_text
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.live import between, class_word, percents
from assay.report.live_cautions import caution_words
from assay.report.said import FoundLine, Mark, Text, plain, said
from assay.report.sections._rows import is_shown, of_labels_alone
from assay.report.sections.calibration import can_be_calibrated
from assay.report.words import bracketed, count, number, percent, quoted, shortened, value_words
from assay.results import open_in_cells, side_of

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
    mark, finding = _right(ev) if of_labels_alone(ev) else _ranked(ev)
    code, words, link = good_caution(ev)
    return FoundLine("Good?", mark, finding, _good_evidence(ev), said("text", text=words), code, *link, "good")


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


def _ranked(ev: TwoClassEvaluation) -> tuple[Mark, Text]:
    found = ev.estimate("roc_auc")
    if math.isnan(found.value):
        return "open", said("good.undefined", reason=found.undefined or "there is no ROC curve")
    share, limits = percents(found)
    values = {"positive": _a(ev.positive), "negative": _a(ev.classes[0]), "auc": share}
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


def _a(name: str) -> str:
    return f"a {class_word(name)}"


def _right(ev: Evaluation) -> tuple[Mark, Text]:
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


def _good_evidence(ev: TwoClassEvaluation) -> Text:
    """Measures beside the one that decides."""
    parts = []
    if of_labels_alone(ev):
        parts = [_estimated(ev, name) for name in ("balanced_accuracy", "kappa", "mcc") if is_shown(ev, name)]
    else:
        if (found := ev.estimate("average_precision")) and not math.isnan(found.value):
            constant = number(ev.baselines.value("constant_probability", "average_precision"))
            parts.append(said("good.precision", **_numbers(found), constant=constant))
        if is_shown(ev, "brier_skill") and not math.isnan((found := ev.estimate("brier_skill")).value):
            parts.append(said("good.skill", **_numbers(found)))
    return between(parts)


def _estimated(ev: Evaluation, name: str) -> Text:
    return said("good.estimate", title=ev.registry[name].title, **_numbers(ev.estimate(name)))


def _numbers(found: Any) -> dict[str, str]:
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
        words = said("calibrated.bare", reason="truth holds a single class")
        return FoundLine("Calibrated?", "open", words, key="calibrated")
    mark, finding, used = _calibration_verdict(ev)
    told = {name: words for name, words in _calibration_numbers(ev).items() if name != used}
    parts = [*told.values(), *([said("calibrated.no_proof")] if mark == "sought" else [])]
    is_shown_wrong = len(ev.calibration.overall.misfit) > 0
    caution, code = (said("calibrated.recalibrate"), "A203") if is_shown_wrong else (_few_above(ev), "")
    link = ("calibration", "Calibration", "calibrated")
    return FoundLine("Calibrated?", mark, finding, between(parts), caution, code, *link)


def _calibration_verdict(ev: TwoClassEvaluation) -> tuple[Mark, Text, str]:
    """What may be said, and which of the numbers it says: ranges first, then the test, then what only hints at it."""
    about, values = ev.calibration.overall, _calibration_values(ev)
    ranges, slope, ratio = about.misfit.by_cases(), about.cox.slope, about.observed_to_expected
    if ranges:
        return "told", said("calibrated.range", **range_words(ranges[0]), more=_more(len(ranges) - 1)), ""
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


def _more(others: int) -> str:
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


def _few_above(ev: TwoClassEvaluation) -> Text:
    table = ev.calibration.overall.scores
    cases = table.negative + table.positive
    middle = float(table.score[int(np.searchsorted(np.cumsum(cases), HIGH_SCORE * cases.sum()))])
    few = float(cases[table.score > middle].sum())
    return said("calibrated.mind", few=count(few), cases=count(float(cases.sum())), score=f"{middle:.2g}")
