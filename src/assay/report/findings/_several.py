"""What is found of several classifiers of two classes: which is better, which are calibrated, which is cheapest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.comparison import UNKNOWN, Cheapest, Difference
from assay.evaluation import ComparisonAnswer, Evaluation, TwoClassEvaluation
from assay.report.computed_at import depends_on
from assay.report.findings._one import calibrated_finding, range_words
from assay.report.knots import RATIOS
from assay.report.live import SAME, Moved, between, ratio_words
from assay.report.said import FoundLine, Mark, Text, Wording, said
from assay.report.sections.calibration import can_be_calibrated
from assay.report.sections.verdicts import best_of_several, secondary_best
from assay.report.words import bracketed, listed, number, percent, signed

if TYPE_CHECKING:
    from assay.report.sections._compared import Compared


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
    finding = said(
        "text", text=". ".join(filter(None, [best_of_several(compared), secondary_best(compared)])).removesuffix(".")
    )
    others = [d for d in compared.differences if compared.best in (d.first, d.second)]
    shown = sorted(others, key=lambda d: abs(d.value))[:2]
    pairs = [evidence_of(f"{compared.names[d.first]} \u2212 {compared.names[d.second]}", d) for d in shown]
    caution = said("best.mind", level=f"{100 * compared.answer.level:g} %", family=compared.answer.family_words)
    return FoundLine("Best?", "told" if is_decided else "open", finding, between(pairs), caution, "A402", "differences",
                   "Differences", "best", _dependence(compared))  # fmt: skip


def _dependence(compared: Compared) -> str:
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
            ranges = ev.calibration.overall.misfit.by_cases()
            words = range_words(ranges[0]) if ranges else {}
            wrong[names[key]] = f"scores {words['span']} are {words['direction']}" if words else "no range stands out"
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
        rest = f"; {others[0][0]} neither" if others else f"; {sought[0]}: no misfit found" if sought else ""
        finding = said("calibrated.one_wrong", name=name, words=what, rest=rest)
    else:
        of = f"{len(wrong)} of {len(wrong) + len(sought)}"
        finding = said("calibrated.several_wrong", names=listed(list(wrong)), count=of)
    ratios = [_ratio(models[key], names[key]) for key in list(models)[:MOST_NAMED]]
    caution = said("calibrated.recalibrate")
    evidence = (*said("calibrated.ratios"), Wording(" "), *between([ratio for ratio in ratios if ratio]))
    return FoundLine("Calibrated?", "told", finding, evidence, caution, "A203", *link)


def _ratio(ev: Evaluation, name: str) -> Text:
    if not can_be_calibrated(ev):
        return ()
    found = ev.calibration.overall.observed_to_expected
    return said("calibrated.of_model", name=name, ratio=number(found.value), limits=bracketed(found))


def cheapest_finding(compared: Compared, moved: Moved) -> FoundLine:
    """Who is cheapest where the controls stand, each at its own cheapest threshold; known for a grid of ratios."""
    link = (
        ("cheapest", "Who is cheapest where", "cheapest")
        if len(compared.names) == 2
        else ("expected-cost", "Costs", "cheapest")
    )
    grid, reason = compared.cheapest
    if not grid:
        return FoundLine("Cheapest?", "open", said("cheapest.bare", reason=reason), (), (), "", *link)
    names, found, ratio = list(compared.names.values()), *_nearest(compared, grid, moved)
    others = [names[k] for k in range(len(names)) if k != found.best]
    open_with = [name for name, d in zip(others, found.differences, strict=True) if not d.high < 0]
    elsewhere = "" if moved.prevalence is None else f" and {percent(moved.prevalence)} positives"
    values = {"ratio": f"{ratio_words(ratio)}{elsewhere}", "best": names[found.best]}
    finding = _cheapest(found, others, open_with, values)
    each = zip(names[:MOST_COSTS], found.costs, strict=False)
    costs = between([said("cheapest.cost", name=name, cost=number(cost)) for name, cost in each])
    evidence = (*costs, Wording(" "), *said("cheapest.of_constant"))
    mark: Mark = "open" if open_with else "told"
    return FoundLine("Cheapest?", mark, finding, evidence, said("cheapest.mind"), "A306", *link)


def _nearest(compared: Compared, grid: Sequence[Cheapest], moved: Moved) -> tuple[Cheapest, float]:
    """What is known at the nearest weight of the misses, and the cost ratio that it is known for."""
    own = grid[0].weight / RATIOS[0]
    odds = own if moved.prevalence is None else moved.prevalence / (1 - moved.prevalence)
    weight = moved.ratio * odds
    found = min(grid, key=lambda one: abs(math.log(one.weight / weight)))
    return found, moved.ratio if abs(found.weight / weight - 1) <= SAME else moved.ratio * found.weight / weight


def _cheapest(found: Cheapest, others: list[str], open_with: list[str], values: dict[str, str]) -> Text:
    if len(others) == 1:
        (d,) = found.differences
        key = "cheapest.apart" if open_with else "cheapest.two"
        return said(key, **values, other=others[0], value=signed(d), limits=bracketed(d))
    if not open_with:
        return said("cheapest.all", **values)
    them = listed(open_with) if len(open_with) < MOST_COSTS else f"{len(open_with)} others"
    return said("cheapest.open", **values, others=them)
