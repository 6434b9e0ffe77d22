"""Whether the highest of many probabilities is that of being right."""

from __future__ import annotations

import math

from assay.calibration.miscalibrated_ranges import MisfitRange
from assay.comparison.adjustment import p_text
from assay.evaluation import Calibration, ManyClassEvaluation
from assay.report.findings._lines import caution, line
from assay.report.said import FoundLine, Mark, Text, said
from assay.report.words import bracketed, count, number, percent, value_words
from assay.results import Estimate, counted, side_of

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
        reason = "every answer is right" if about.scores.positives else "every answer is wrong"
        return FoundLine("Calibrated?", "open", said("many.calibrated.reason", reason=reason))
    found, mark, evidence = _judged(about, ev.n)
    code, minded = _mind(ev, about)
    return FoundLine("Calibrated?", mark, found, evidence, minded, code, **LINK)


def _judged(about: Calibration, cases: float) -> tuple[Text, Mark, Text]:
    """The finding, whether the data decide it, and what it rests on."""
    ranges = sorted(about.misfit, key=lambda one: -one.shown)
    ratio, test = about.observed_to_expected, about.test
    words = _ratio_words(about, ratio)
    side = {-1: "sure", 1: "cautious", 0: ""}[side_of(ratio, 1)]
    if ranges:
        direction = {"sure": "too high", "cautious": "too low"}.get(side)
        order = said("many.calibrated.order")
        if all(one.direction == direction for one in ranges):
            return said(f"many.calibrated.{side}", **words), "told", line([_where(ranges, cases), order])
        return _ranges(ranges), "told", line([said("many.calibrated.overall", **words), order])
    if test.rejects(about.level):
        overall = said("many.calibrated.overall", **words)
        return said("many.calibrated.test", p=p_text(test.p_value)), "told", line([overall, *_slope(about)])
    tested = [] if math.isnan(test.p_value) else [said("many.calibrated.p", p=p_text(test.p_value))]
    if side:
        return said("many.calibrated.ratio", **words), "told", line([*tested, *_slope(about)])
    if about.misfit.undefined is not None and not tested:
        return said("many.calibrated.reason", reason=about.misfit.undefined), "open", line(_slope(about))
    proof = said("many.calibrated.noproof", cases=counted(cases, "case"))
    key = "plain" if math.isnan(ratio.low) else "sought"
    return said(f"many.calibrated.{key}", **words), "sought", line([proof, *tested, *_slope(about)])


def _ratio_words(about: Calibration, ratio: Estimate) -> dict[str, str]:
    """How often it is right, what its probabilities say, and the one over the other."""
    scores = about.scores
    right = float(scores.positives) / float(scores.positives + scores.negatives)
    said_right = right / ratio.value if ratio.value > 0 else math.nan
    shown = {"right": percent(right), "said": "-" if math.isnan(said_right) else percent(said_right)}
    return shown | {"ratio": value_words(ratio), "limits": bracketed(ratio)}


def _slope(about: Calibration) -> list[Text]:
    """Cox's slope where its interval speaks against the probabilities."""
    slope = about.numbers["slope"]
    if not side_of(slope, 1):
        return []
    return [said("many.calibrated.slope", slope=value_words(slope), limits=bracketed(slope))]


def _where(ranges: list[MisfitRange], cases: float) -> Text:
    first = ranges[0]
    words = {"span": _span(first), "direction": first.direction, "more": _more(ranges)}
    return said("many.calibrated.where", **words, shown=count(first.shown), cases=count(cases))


def _ranges(ranges: list[MisfitRange]) -> Text:
    first = ranges[0]
    words = {"span": _span(first), "direction": first.direction, "more": _more(ranges)}
    return said("many.calibrated.ranges", **words, cases=counted(first.shown, "case"))


def _span(found: MisfitRange) -> str:
    """The ends of a range, in as many digits as keep them apart."""
    if found.low == found.high:
        return f"of {number(found.low)}"
    digits = next(k for k in range(2, 18) if f"{found.low:.{k}g}" != f"{found.high:.{k}g}")
    return f"from {found.low:.{digits}g} to {found.high:.{digits}g}"


def _more(ranges: list[MisfitRange]) -> str:
    return f"; and {counted(len(ranges) - 1, 'more range')}" if len(ranges) > 1 else ""


def _mind(ev: ManyClassEvaluation, about: Calibration) -> tuple[str, Text]:
    """The caution beside the line; without one, what the line is about."""
    if len(about.misfit):
        return "A203", said("many.calibrated.band")
    return caution(ev, OF_PROBABILITIES) or ("", said("many.calibrated.answer"))
