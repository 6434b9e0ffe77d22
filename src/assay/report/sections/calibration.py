"""Calibration: are the probabilities right? A diagram, what it shows beyond doubt, and the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from assay.calibration.decomposition import covariance_parts
from assay.calibration.diagrams import (
    CovarianceGraph,
    ReliabilityDiagram,
    covariance_graph,
    reliability_diagram,
)
from assay.calibration.miscalibrated_ranges import MisfitRange
from assay.calibration.murphy import murphy_curve
from assay.comparison.adjustment import p_text
from assay.evaluation import Evaluation, ManyClassEvaluation, TwoClassEvaluation
from assay.evidence import arrangements
from assay.report.blocks import Baseline, Block, Estimates, Heading, Picture, Row
from assay.report.glossary import CALIBRATION
from assay.report.sections.estimate_rows import in_cells
from assay.report.sections.figures import Drawn, banded, cut_at, drawn, has_both_classes, points_of, table_of
from assay.report.wording import model_names, number
from assay.results import side_of

__all__ = [
    "are_probabilities",
    "calibration",
    "calibration_numbers",
    "can_be_calibrated",
    "covariance",
    "misfit_words",
    "murphy",
]

# Ranges that a sentence names; there are rarely more.
MOST_RANGES = 2
# Models that a caption names.
MOST_NAMED = 3
IDEALS = {"Observed / expected": 1.0, "Calibration slope": 1.0, "Calibration in the large": 0.0, "Miscalibration": 0.0}
IN_BRIEF = ("Observed / expected", "Right / expected", "Calibration slope", "Miscalibration")
# Of many classes the highest probability is read as that of being right.
OF_ANSWERS = {"Observed / expected": "Right / expected"}


def are_probabilities(ev: Evaluation) -> TypeGuard[TwoClassEvaluation]:
    """Whether the scores of two classes can be read as probabilities."""
    return has_both_classes(ev) and ev.has_probabilities


def can_be_calibrated(ev: Evaluation) -> bool:
    """Whether there are probabilities, and cases of both outcomes: of many classes right and wrong answers."""
    return ev.has_probabilities and ev.calibration.overall.is_defined


def calibration(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The reliability diagram: with points, bars and a band for the first model, the lines alone for the others."""
    having = {key: ev for key, ev in models.items() if can_be_calibrated(ev)}
    first = next(iter(having.values()), None)
    found = drawn(models, "calibration", having, lambda ev: _reliability_diagram(ev, in_full=ev is first))
    if found is None:
        return None
    diagrams = {
        key: made if models[key] is first and isinstance(made, ReliabilityDiagram) else _grouped_diagram(models[key])
        for key, made in found.made.items()
    }
    table = table_of(models, {key: diagram.table() for key, diagram in diagrams.items()})
    is_single = len(having) == 1
    caption = (
        misfit_words(models[next(iter(found.made))]) if is_single else _several_models_caption(models, list(found.made))
    )
    figure, subtitle = cut_at(models, found.figure), _subtitle(models, found, next(iter(diagrams.values())))
    return [Heading(f"Calibration{_model_suffix(models)}"), Picture(figure, caption, subtitle, table)]


def _subtitle(models: Mapping[str, Evaluation], found: Drawn, first: ReliabilityDiagram) -> str:
    """What is drawn of the first model beside its isotonic line."""
    has_band = first.band is not None and first.band.undefined is None
    if has_band:
        return f"{banded(models, found, 'simultaneous band')}; ten groups with bars"
    return "isotonic curve; " + banded(models, found, "bars of ten groups")


def _model_suffix(models: Mapping[str, Evaluation]) -> str:
    return " of the highest probability" if isinstance(next(iter(models.values())), ManyClassEvaluation) else ""


def _several_models_caption(models: Mapping[str, Evaluation], keys: list[str]) -> str:
    names = model_names(models)
    told = {
        names[key]: misfit_words(models[key], brief=True) or _no_range_caption(models[key]) for key in keys[:MOST_NAMED]
    }
    return "; ".join(f"{name}: {words}" for name, words in told.items()) + "."


def _no_range_caption(ev: Evaluation) -> str:
    """What a caption says of a model for which the band singles out no range."""
    signs = _other_signs_of_miscalibration(ev)
    return f"no single range is significant, but {signs}" if signs else "no miscalibration detected"


def _other_signs_of_miscalibration(ev: Evaluation) -> str:
    """What else on the page speaks against the probabilities: limits that leave out the ideal, a test that rejects."""
    about = ev.calibration.overall
    titles = OF_ANSWERS if about.is_of_answers else {}
    sides = {
        titles.get(name, name): f"{'above' if side > 0 else 'below'} {ideal:g}"
        for (name, ideal), found in zip(IDEALS.items(), about.numbers.values(), strict=True)
        if (side := side_of(found, ideal))
    }
    signs = []
    if sides:
        which = "the interval excludes" if len(sides) == 1 else "intervals exclude"
        signs.append(f"{which} the ideal value: {', '.join(f'{name} ({side})' for name, side in sides.items())}")
    if about.test.rejects(about.level):
        signs.append(f"the calibration test has {p_text(about.test.p_value)}")
    return ", and ".join(signs)


def _reliability_diagram(ev: Evaluation, *, in_full: bool) -> ReliabilityDiagram:
    table, are_of_answers = ev.calibration.overall.scores, ev.calibration.overall.is_of_answers
    groups = 10 if in_full else None
    return reliability_diagram(table, groups=groups, with_band=in_full, level=ev.level, are_of_answers=are_of_answers)


def _grouped_diagram(ev: Evaluation) -> ReliabilityDiagram:
    """The groups of cases for the table, without the band, which takes longest."""
    table, are_of_answers = ev.calibration.overall.scores, ev.calibration.overall.is_of_answers
    return reliability_diagram(table, with_band=False, level=ev.level, are_of_answers=are_of_answers)


def misfit_words(ev: Evaluation, *, brief: bool = False) -> str:
    """Where the simultaneous band shows the probabilities to be wrong, as a sentence or in few words.

    In few words nothing is said where nothing is shown. A sentence that the band shows nothing wrong stands only where
    nothing else on the page does: the band pays for being right everywhere, so the slope may see more.
    """
    found = ev.calibration.overall.miscalibration
    told = [_range_words(one, brief=brief) for one in found.by_cases()[:MOST_RANGES]]
    if brief:
        return ", ".join(told)
    if found.undefined is not None:
        return f"No band: {found.undefined}."
    if not told:
        signs = _other_signs_of_miscalibration(ev)
        if signs:
            return f"The band contains the diagonal, but {signs}."
        return "No miscalibration detected: the band contains the diagonal."
    return f"{'; '.join(told)[0].upper()}{'; '.join(told)[1:]}: the band excludes the diagonal there."


def _range_words(found: MisfitRange, *, brief: bool) -> str:
    ends = next(
        (low, high)
        for digits in range(2, 18)
        if (low := f"{found.low:.{digits}g}") != (high := f"{found.high:.{digits}g}") or found.low == found.high
    )
    if found.low == found.high:
        span = f"at {ends[0]}"
    else:
        span = f"{ends[0]} to {ends[1]}" if brief else f"from {ends[0]} to {ends[1]}"
    return f"{found.confidence} {span}" if brief else f"{found.confidence} {span} (probabilities {found.direction})"


def calibration_numbers(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """Observed over expected, Cox's slope and the isotonic miscalibration of every model."""
    names = model_names(models)
    rows = tuple(
        row
        for k, (key, ev) in enumerate(models.items())
        if can_be_calibrated(ev)
        for row in _calibration_rows(ev, names[key], k)
    )
    if not rows:
        return None
    return [
        Heading(f"Calibration{_model_suffix(models)} in numbers"),
        Estimates(rows, "Calibration", in_brief=IN_BRIEF),
    ]


def _calibration_rows(ev: Evaluation, model: str, series: int) -> list[Row]:
    titles = OF_ANSWERS if ev.calibration.overall.is_of_answers else {}
    rows = []
    for (name, ideal), estimate in zip(IDEALS.items(), ev.calibration.overall.numbers.values(), strict=True):
        title = titles.get(name, name)
        baseline, meaning = Baseline("ideal", ideal), _brief_meaning(CALIBRATION[title])
        row = Row(title, estimate, "neither", baseline, meaning, in_cells(estimate), model, series, is_bounded=False)
        rows.append(row)
    return rows


def _brief_meaning(meaning: str) -> str:
    """The sentence of the glossary as a cell of a table: without its reference and its full stop."""
    first = meaning.split(". ")[0].removesuffix(".")
    return f"{first[0].upper()}{first[1:]}"


def covariance(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The covariance graph: how far apart the probabilities of either class lie, and how much they scatter."""
    having = {key: ev for key, ev in models.items() if are_probabilities(ev)}
    is_single = len(having) == 1
    found = drawn(
        models, "covariance", having, lambda ev: covariance_graph(ev.calibration.scores, with_cases=is_single)
    )
    if found is None:
        return None
    graphs = {key: graph for key, graph in found.made.items() if isinstance(graph, CovarianceGraph)}
    apart = {key: graph.parts.slope for key, graph in graphs.items()}
    table = table_of(models, {key: graph.table() for key, graph in graphs.items()})
    if len(apart) == 1:
        ((key, parts),) = ((key, graph.parts) for key, graph in graphs.items())
        shown = f"{number(parts.slope)}{_mean_difference_bounds(models[key], parts.slope)}"
        caption = f"The mean score of positives is {shown} higher than that of negatives; 1 would be perfect."
    else:
        least, most = min(apart.values()), max(apart.values())
        caption = f"The mean score of positives is {number(least)} to {number(most)} higher than that of negatives."
    subtitle = "class means connected" + (", with all probabilities" if is_single else "")
    return [Heading("Covariance graph"), Picture(found.figure, caption, subtitle, table)]


def _mean_difference_bounds(ev: Evaluation, slope: float) -> str:
    """What cells leave open of how far apart the probabilities of the classes lie on average, where it shows."""
    ends = [covariance_parts(each).slope for each in arrangements(ev.calibration.overall.scores)[:2]]
    low, high = number(min(slope, *ends)) if ends else "", number(max(slope, *ends)) if ends else ""
    return "" if low == high else f" (binned: {low} to {high})"


def murphy(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """Murphy diagrams of several models: whose probabilities are the cheaper guide for which costs."""
    having = {key: ev for key, ev in models.items() if are_probabilities(ev)}
    found = drawn(models, "murphy", having, lambda ev: murphy_curve(ev.calibration.scores)) if len(having) > 1 else None
    if found is None:
        return None
    names = model_names(models)
    tables = {key: points_of(diagram) for key, diagram in found.made.items()}
    areas = {key: models[key].estimate("brier") for key in found.made}
    best = min(areas, key=lambda key: areas[key].value)
    # The best is named only where it is so wherever the scores lie in their cells.
    ends = {key: area.bounds or (area.value, area.value) for key, area in areas.items()}
    is_least = all(ends[best][1] <= low for key, (low, _) in ends.items() if key != best)
    least = f", least for {names[best]} ({number(areas[best].value)})" if is_least else ""
    caption = f"Lower is cheaper; the area is half the Brier score{least}."
    subtitle = "at threshold t a false positive costs t, a false negative 1 - t"
    return [
        Heading("Cost by threshold probability"),
        Picture(found.figure, caption, subtitle, table_of(models, tables)),
    ]
