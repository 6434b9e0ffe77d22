"""Every kind of curve becomes a figure that SVG and matplotlib both draw."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from assay.calibration import calibration_belt, fit_tilt, murphy_curve
from assay.calibration.diagrams import (
    calibration_function,
    covariance_graph,
    reliability_diagram,
)
from assay.calibration.smoothing import smooth_curve
from assay.curves import (
    Drawable,
    DrawnBand,
    Ruler,
    against_threshold,
    amounts_at_stake,
    binormal_roc,
    brier_curve,
    cost_against_threshold,
    cost_curve,
    cumulative_gain,
    decision_curve,
    det,
    fp_fn,
    horizontal_average,
    ks_curve,
    lift_curve,
    margin_curve,
    p_value_picture,
    precision_recall,
    precision_recall_gain,
    reject_curve,
    risk_chart,
    roc,
    roc_band,
    roc_hull,
    roc_picture,
    roc_points,
    roc_surface,
    score_densities,
    smooth_roc,
    sweep,
    threshold_average,
    top_k,
    vertical_average,
)
from assay.curves.threshold import against_rest
from assay.evidence import ClassScores, ScoreTable
from assay.plots import draw_curve, matplotlib_axes, svg_document, svg_fragment
from assay.plots.figure import Axis, axis_of, clipped, linear_ticks, thinned
from assay.plots.style import ROLES

RNG = np.random.default_rng(5)
TRUTH = RNG.random(300) < 0.35
SCORE = 1 / (1 + np.exp(-RNG.normal(1.4 * TRUTH - 1, 1)))
TABLE, TIED = ScoreTable.of(SCORE, TRUTH), ScoreTable.of(SCORE.round(1), TRUTH)
MANY = ClassScores.of(RNG.dirichlet(np.ones(3), 200), RNG.integers(0, 3, 200), "abc")
FOLDS = [ScoreTable.of(SCORE[k::3], TRUTH[k::3]) for k in range(3)]
CURVES: dict[str, Drawable] = {
    "roc": roc(TABLE),
    "precision_recall": precision_recall(TIED),
    "precision_recall_gain": precision_recall_gain(TABLE),
    "det": det(TABLE),
    "fp_fn": fp_fn(TABLE),
    "f1": against_threshold("f1")(TIED),
    "logits": against_threshold("mcc")(ScoreTable.of(np.log(SCORE / (1 - SCORE)), TRUTH)),
    "any": sweep("specificity", "likelihood_ratio_positive")(TABLE),
    "gain": cumulative_gain(TABLE),
    "lift": lift_curve(TABLE),
    "ks": ks_curve(TABLE),
    "top_k": top_k(TIED),
    "risk": risk_chart(TABLE, amounts_at_stake(SCORE, TRUTH, 100 * SCORE)),
    "cost_curve": cost_curve(TABLE),
    "brier": brier_curve(TABLE),
    "cost": cost_against_threshold(TABLE, fp=1, fn=10, prevalence=0.02),
    "decision": decision_curve(TABLE),
    "reject": reject_curve(MANY),
    "margin": margin_curve(MANY),
    "densities": score_densities(TABLE),
    "points": roc_points({"a": TABLE.at(0.5), "b": TABLE.at(0.2)}),
    "family": roc_points({"a": TABLE.at(0.5), "b": TABLE.at(0.2)}, is_family=True),
    "reliability": reliability_diagram(TABLE),
    "reliability line": reliability_diagram(TIED, groups=None, with_band=False),
    "calibration function": calibration_function(fit_tilt(TABLE)),
    "covariance": covariance_graph(TABLE),
    "murphy": murphy_curve(TABLE),
    "vertical": vertical_average(FOLDS),
    "threshold": threshold_average(FOLDS),
    "horizontal": horizontal_average(FOLDS),
    "picture": roc_picture(TABLE, roc_hull(TABLE), tangent=1.0, band=roc_band(TABLE), perfect=True),
    "hull": roc_hull(TABLE),
    "band": DrawnBand.of(roc_band(TABLE)),
    "binormal": binormal_roc(TABLE),
    "kernel": smooth_roc(TABLE),
    "surface": roc_surface(SCORE, np.digitize(SCORE + 0.3 * TRUTH, [0.3, 0.8])),
    "belt": calibration_belt(TABLE),
    "spline": smooth_curve(TABLE),
    "lowess": smooth_curve(TABLE, smoother="lowess"),
    "binormal band": binormal_roc(TABLE).band(),
    "p-value": p_value_picture(0.03, 0.02, true_difference=0.05),
}


class Limits(NamedTuple):
    """A band as helpers of curves make it."""

    x: np.ndarray
    low: np.ndarray
    high: np.ndarray


def _axes() -> Any:
    from matplotlib.figure import Figure as Canvas

    return Canvas().add_subplot()


@pytest.mark.parametrize("name", CURVES)
def test_every_curve_is_drawn_both_ways(name: str) -> None:
    curve = CURVES[name]
    assert curve.is_defined
    figure = draw_curve({"": curve})
    root = ElementTree.fromstring(svg_document(figure))
    numbers = [float(n) for path in root.iter() for n in re.findall(r"-?[\d.]+", path.attrib.get("d", ""))]
    assert np.isfinite(numbers).all()
    assert "nan" not in svg_document(figure)
    assert set(re.findall(r"f-([\w-]+)", svg_fragment(figure))) <= set(ROLES)
    axes = _axes()
    assert curve.plot(axes) is axes
    assert axes.get_xlabel() == figure.x.title
    axes.figure.canvas.draw()
    assert len(curve.table()) > 0


@pytest.mark.parametrize("name", CURVES)
def test_nothing_leaves_the_plot(name: str) -> None:
    figure = draw_curve({"": CURVES[name]})
    for line in figure.lines:
        for axis, values in ((figure.x, line.x), (figure.y, line.y)):
            there = axis.position(values[np.isfinite(values)])
            assert ((there >= -1e-9) & (there <= 1 + 1e-9)).all()
    for label in figure.labels:
        assert -0.1 <= float(figure.x.position(label.x)) <= 1.1
        assert -0.1 <= float(figure.y.position(label.y)) <= 1.1


@pytest.mark.parametrize("name", ["roc", "precision_recall", "det", "gain", "points", "vertical", "reject"])
def test_shares_against_shares_are_square(name: str) -> None:
    figure = draw_curve({"": CURVES[name]})
    assert figure.is_square
    axes = matplotlib_axes(figure, _axes())
    assert axes.get_aspect() == 1.0 or axes.get_box_aspect() == 1


def test_bands_lie_under_the_curves_of_their_models() -> None:
    x = np.linspace(0, 1, 11)
    bands = {"b": Limits(x, np.full(11, np.nan), x), "a": Limits(x, x - 0.3, x + 0.3)}
    figure = draw_curve({"a": roc(TABLE), "b": roc(TIED)}, bands=bands)
    first = figure.areas[0]
    assert [area.role for area in figure.areas] == ["model-0-area", "model-1-area"]
    assert (first.low.min(), first.high.max()) == (0.0, 1.0)
    assert len(figure.areas[1].x) == 0
    text = svg_fragment(draw_curve({"a": roc(TABLE)}, bands={"a": bands["a"]}))
    assert text.index("f-reference") < text.index("f-model-0-area") < text.index('f-model-0"')


def test_several_models_share_axes_and_references() -> None:
    figure = draw_curve({"a": decision_curve(TABLE), "b": decision_curve(TIED)})
    assert [line.role for line in figure.lines].count("reference") == 2
    assert [label.text for label in figure.labels][:2] == ["A", "B"]
    wide = draw_curve({"a": fp_fn(TABLE), "b": fp_fn(TIED + TIED)})
    assert wide.x.high >= 2 * float(TABLE.negatives)


def test_classes_of_many_are_drawn_like_models() -> None:
    figure = draw_curve(against_rest(roc, MANY))
    assert [line.name for line in figure.lines if line.role != "reference"] == ["a", "b", "c"]


def test_det_axes_are_spaced_as_normal_deviates_and_read_in_rates() -> None:
    figure = draw_curve({"": CURVES["det"]})
    assert figure.x.scale == "probit"
    assert set(figure.x.ticks) <= {0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999}
    axes = matplotlib_axes(figure, _axes())
    assert [tick.get_text() for tick in axes.get_xticklabels()] == list(figure.x.tick_words())


def test_hard_classifiers_are_dots_with_names_and_never_orange() -> None:
    figure = draw_curve({"": CURVES["points"]})
    assert [dot.role for dot in figure.dots] == ["model-0-dot"] * 2
    assert {"a", "b"} <= {label.text for label in figure.labels}
    assert ROLES["model-0-dot"]["fill"] == "@model-0"


def test_a_curve_of_a_million_steps_is_thinned() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(200_000) < 0.3
    figure = draw_curve({"": against_threshold("f1")(ScoreTable.of(rng.normal(truth, 1), truth))})
    assert figure.drawn <= 1500 < figure.points
    assert 0 < figure.off_by < 0.01


def test_positives_stand_above_zero_and_negatives_below() -> None:
    figure = draw_curve({"": CURVES["densities"]})
    areas = {area.role: area for area in figure.areas}
    assert set(areas) == {"model-0-area", "negatives-area"}
    assert all((area.low == 0).all() for area in areas.values())
    assert areas["model-0-area"].high.max() == 1
    assert areas["negatives-area"].high.min() == -1
    assert figure.y.is_bare


@pytest.mark.parametrize(
    ("low", "high"), [(1e-6, 0.99), (0.01, 1 - 1e-6), (0.001, 0.999), (0.01, 0.99), (1e-6, 1 - 1e-6)]
)
def test_an_axis_of_log_odds_ends_where_it_should_and_has_few_ticks(low: float, high: float) -> None:
    axis = axis_of(Ruler("Score", (low, high), "log-odds"), np.array([low, high]))
    assert (axis.low, axis.high) == (low, high)
    assert 3 <= len(axis.ticks) <= 8
    assert 0.5 in axis.ticks
    assert np.diff(axis.position(np.array(axis.ticks))).min() >= 0.08
    assert axis.value(float(axis.position(0.3))) == pytest.approx(0.3)


def test_what_lies_beyond_a_value_is_painted_alone() -> None:
    figure = draw_curve({"": CURVES["densities"]})
    (first, *others) = figure.areas
    cut = replace(figure, areas=(replace(first, beyond=0.5), *others))
    drawn = svg_fragment(cut)
    assert drawn.count("<clipPath") == drawn.count("clip-path=") == 1
    middle = 40 + 312 * float(figure.x.position(0.5))
    assert f'<rect class="beyond" x="{round(middle, 1):g}"' in drawn
    painted = matplotlib_axes(cut, Canvas().add_subplot()).collections[0].get_paths()[0].vertices[:, 0]
    assert painted.min() >= 0.5


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-7.3, 2.2), (0, 1e6), (0.1234, 0.1235), (-1e-9, 1e-9), (5, 5)])
def test_ticks_are_few_and_hold_the_range(low: float, high: float) -> None:
    ticks = linear_ticks(low, high)
    assert 3 <= len(ticks) <= 4
    assert ticks[0] <= low
    assert ticks[-1] >= high
    assert np.diff(ticks) == pytest.approx(ticks[1] - ticks[0])


def test_a_logarithmic_axis_stops_at_powers_of_ten() -> None:
    axis = axis_of(Ruler("ratio", None, "log"), np.array([0.0, 0.3, 250.0, np.inf]))
    assert set(axis.ticks) <= {10.0**k for k in range(-1, 5)}
    assert axis.low <= 0.3
    assert axis.high >= 250
    assert float(axis.position(1.0)) == pytest.approx(-np.log10(axis.low) / np.log10(axis.high / axis.low))
    assert axis.value(float(axis.position(42.0))) == pytest.approx(42.0)


def test_a_line_that_leaves_and_comes_back_is_parted() -> None:
    x, y = clipped(np.array([0.0, 1.0, 2.0]) / 2, np.array([0.5, 1.5, 0.5]), Axis("x"), Axis("y"))
    assert y.tolist()[:2] == [0.5, 1.0]
    assert np.isnan(y).sum() == 1
    assert x[1] == 0.25


def test_thinning_keeps_both_ends() -> None:
    x = np.linspace(0, 1, 5000)
    kept, up, off_by = thinned(x, x**2, Axis("x"), Axis("y"), 100)
    assert (kept[0], kept[-1], up[-1]) == (0, 1, 1)
    assert len(kept) <= 100
    assert np.abs(np.interp(x, kept, up) - x**2).max() <= off_by


def test_a_reliability_diagram_holds_its_parts() -> None:
    figure = draw_curve({"": CURVES["reliability"]})
    assert [area.role for area in figure.areas] == ["model-0-area", "negatives-area"]
    band = figure.areas[0]
    assert (band.low <= band.high).all()
    assert len([dot for dot in figure.dots if dot.role == "model-0-dot"]) == len(CURVES["reliability"].table()) == 10
    marks = [line for line in figure.lines if line.role == "mark"]
    assert np.isnan(marks[0].y).sum() == 10


def test_weights_leave_the_diagram_without_a_band() -> None:
    weighted = ScoreTable.of(SCORE, TRUTH, weight=np.linspace(0.5, 2.0, len(SCORE)))
    figure = draw_curve({"": reliability_diagram(weighted)})
    assert [area.role for area in figure.areas] == ["negatives-area"]


def test_the_murphy_diagram_has_half_the_brier_score_below_it() -> None:
    from assay.measures import brier

    line = draw_curve({"": murphy_curve(TABLE)}).lines[-1]
    assert 2 * np.trapezoid(line.y, line.x) == pytest.approx(float(brier(TABLE)), abs=2e-3)


def test_held_probabilities_are_grey() -> None:
    function = calibration_function(fit_tilt(TABLE))
    held = draw_curve({"": function}).areas[0]
    at_bounds = (function.y <= 0) | (function.y >= 1)
    assert held.high.max() == float(at_bounds.any())


def test_marks_carry_what_a_script_needs() -> None:
    from dataclasses import replace

    from assay.plots.figure import Segment

    figure = draw_curve({"a": roc(TABLE), "b": roc(TIED)})
    figure = replace(figure, rules=(Segment((0.2, 0.0), (0.2, 1.0), "cut", 1),), unit="relative")
    text = svg_fragment(figure)
    assert 'data-figure="roc" data-unit="relative" data-x0="0" data-x1="1" data-y0="0" data-y1="1"' in text
    assert 'data-left="40" data-top="22" data-width="312" data-height="312"' in text
    assert '<line x1="102.4" y1="334" x2="102.4" y2="22" class="cut f-cut" data-model="1"/>' in text
    assert "data-" not in svg_document(figure)
