"""Where notes and letters stand: in the emptiest corner, beside the plot, never over one another."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

from assay.curves import cumulative_gain, precision_recall, roc
from assay.evidence import ScoreTable
from assay.measures import average_precision, fpr, precision, recall, roc_auc
from assay.plots import Figure, OperatingPoint, draw_curve, svg_document, svg_fragment
from assay.plots.figure import Axis, Dot, Line, Segment, SideNote
from assay.plots.labels import FREE, LEFT, LINE_HEIGHT, SIDE, Plot, notes_box, placed_notes, plot_of, spread, text_width
from assay.plots.style import DARK, LIGHT, MODELS, ROLES, model_role, stylesheet
from assay.plots.svg import BESIDE, LETTERS_APART, LETTERS_OFF

PLOT = Plot(40, 22, 312, 312)
NOTE = SideNote("threshold 0.50", "threshold-words", (("recall 0.745", False), ("[0.702, 0.783]", True)), "top")
SVG = "{http://www.w3.org/2000/svg}"


def table(strength: float = 1.5, share: float = 0.3) -> ScoreTable:
    rng = np.random.default_rng(3)
    is_positive = rng.random(300) < share
    return ScoreTable.of(rng.normal(size=300) + strength * is_positive, is_positive)


def plain(*lines: Line, notes: tuple[SideNote, ...] = (NOTE,)) -> Figure:
    """A square figure of nothing but these lines."""
    return Figure("f", "f", Axis("x"), Axis("y"), lines, (), (), notes, 0, 0, is_square=True)


def line(x: list[float], y: list[float]) -> Line:
    return Line(np.array(x), np.array(y), "model-0")


def corner(figure: Figure) -> tuple[str, str]:
    """Which corner of the plot the notes are in."""
    box = notes_box(figure, PLOT)
    assert box is not None
    return ("upper" if box[1] < 178 else "lower", "left" if box[0] < 100 else "right")


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        ([], ("lower", "right")),
        ([line([0, 0, 1], [0, 1, 1])], ("lower", "right")),
        ([line([0, 0.9, 0.9], [0.9, 0.9, 0])], ("lower", "left")),
        ([line([0.1, 0.1, 1], [1, 0.1, 0.1])], ("upper", "right")),
        ([line([0, 1], [0.1, 0.1]), line([0.9, 0.9], [0, 1])], ("upper", "left")),
    ],
)
def test_notes_stand_where_nothing_is_drawn(lines: list[Line], where: tuple[str, str]) -> None:
    assert corner(plain(*lines)) == where


def test_notes_of_the_usual_curves_stand_in_their_empty_corners() -> None:
    one = table(1.8, share=0.1)
    at = one.at(1.0)
    point = OperatingPoint(fpr.estimate(at), recall.estimate(at), 1.0)
    figure = draw_curve({"": roc(one)}, operating_points={"": point}, summaries={"": roc_auc.estimate(one)})
    assert corner(figure) == ("lower", "right")
    # This curve falls steadily, and so leaves its upper right corner free.
    point = OperatingPoint(recall.estimate(at), precision.estimate(at), 1.0)
    figure = draw_curve(
        {"": precision_recall(one)}, operating_points={"": point}, summaries={"": average_precision.estimate(one)}
    )
    assert corner(figure) == ("upper", "right")
    assert corner(draw_curve({"a": cumulative_gain(one)})) == ("lower", "right")


def test_a_note_gives_up_lines_until_a_corner_is_free() -> None:
    cross = line([0, 1], [0.1, 0.1]), line([0, 1], [0.9, 0.9])
    models = SideNote("forest", "model-0-words", (("AUC 0.9", False),), "bottom")
    long = replace(NOTE, lines=tuple((f"line {k}", False) for k in range(6)))
    rows = placed_notes(plain(*cross, notes=(long, models)), PLOT)
    said = [row.pieces[0].text for row in rows]
    # Lines everywhere: what names the threshold and sums the model up stays all the same.
    assert said == ["threshold 0.50", "forest", "AUC 0.9"]
    free = placed_notes(plain(notes=(long, models)), PLOT)
    assert len(free) == 9


def test_rows_lie_inside_the_plot_and_under_one_another() -> None:
    figure = draw_curve(
        {f"model {k}": roc(table(2 - k / 5)) for k in range(10)},
        summaries={f"model {k}": roc_auc.estimate(table(2 - k / 5)) for k in range(10)},
    )
    rows = placed_notes(figure, plot_of(figure))
    assert [row.pieces[0].text for row in rows] == ["ROC AUC", *(f"{'ABCDEFGHIJ'[k]} model {k}" for k in range(10))]
    assert np.diff([row.y for row in rows]).tolist() == [LINE_HEIGHT] * 10
    for row in rows:
        wide = sum(text_width(piece.text) for piece in row.pieces)
        assert PLOT.left < row.x
        assert row.x + wide < PLOT.left + PLOT.width
        assert PLOT.top < row.y < PLOT.top + PLOT.height


def test_notes_step_aside_for_a_threshold_and_stay_inside() -> None:
    cuts = tuple(Segment((x, 0.0), (x, 1.0), "cut", 0) for x in (0.1, 0.9))
    box = notes_box(replace(plain(), rules=cuts), PLOT)
    assert box is not None
    assert PLOT.left + 0.1 * PLOT.width < box[0] < box[2] < PLOT.left + 0.9 * PLOT.width
    # What is higher than the plot is shortened, however empty the plot is.
    long = replace(NOTE, lines=tuple((f"line {k}", False) for k in range(60)))
    rows = placed_notes(plain(notes=(long,)), PLOT)
    assert 10 < len(rows) < 20
    assert all(PLOT.top < row.y < PLOT.top + PLOT.height for row in rows)


def test_a_dot_or_words_keep_notes_away() -> None:
    figure = plain()
    assert corner(figure) == ("lower", "right")
    assert corner(replace(figure, dots=(Dot(0.9, 0.05), Dot(0.8, 0.1), Dot(0.7, 0.1)))) == ("lower", "left")
    # What is hidden is not in the way.
    hidden = tuple(Dot(0.9, 0.05, is_hidden=True) for _ in range(9))
    assert corner(replace(figure, dots=hidden)) == ("lower", "right")
    assert FREE > 0


def test_words_of_a_note_stay_live_and_each_keeps_its_look() -> None:
    one = table()
    at = one.at(1.0)
    figure = draw_curve(
        {"": roc(one)},
        operating_points={"": OperatingPoint(fpr.estimate(at), recall.estimate(at), 1.0)},
        summaries={"": roc_auc.estimate(one)},
    )
    text = svg_fragment(figure)
    assert re.search(r'class="f-note f-threshold-words">threshold <tspan data-out="threshold">1.00</tspan>', text)
    assert re.search(r'<tspan class="f-words">recall <tspan data-out="recall">[\d.]+</tspan></tspan>', text)
    assert re.search(r'<tspan class="f-muted-words"><tspan data-out="recall-limits">\[', text)
    assert "data-out" not in svg_document(figure)


def test_letters_stand_beside_the_plot_fifteen_apart() -> None:
    names = [f"model {k}" for k in range(10)]
    figure = draw_curve({name: roc(table(2 - k / 5)) for k, name in enumerate(names)})
    assert sorted(label.text for label in figure.letters) == list("ABCDEFGHIJ")
    assert not {label.text for label in figure.labels} & set("ABCDEFGHIJ")
    # The best curve's letter comes first.
    assert figure.letters[0].text == "A"
    root = ElementTree.fromstring(svg_document(figure))
    across = str(40 + 312 + LETTERS_OFF)
    letters = [text for text in root.iter(f"{SVG}text") if text.attrib["x"] == across]
    assert np.diff([float(text.attrib["y"]) for text in letters]).min() >= LETTERS_APART
    assert float(across) + 6 < LEFT + SIDE + BESIDE
    leaders = [mark for mark in root.iter(f"{SVG}line") if mark.attrib["stroke"] == LIGHT["hair"]]
    assert len(leaders) == 10


def test_two_models_have_letters_on_the_plot() -> None:
    figure = draw_curve({"a": roc(table()), "b": roc(table(0.5))})
    assert figure.letters == ()
    assert [label.text for label in figure.labels][:2] == ["A", "B"]


def test_letters_that_do_not_fit_begin_at_the_top() -> None:
    places = spread(np.full(30, 300.0), 15, 22, 334)
    assert places[0] == 22
    assert np.diff(places).min() == 15


def test_ten_models_look_as_the_table_says() -> None:
    assert MODELS == 10
    assert [ROLES[f"model-{k}"]["stroke"] for k in range(10)] == [f"@model-{k % 5}" for k in range(10)]
    dashes = [ROLES[f"model-{k}"].get("stroke-dasharray", "") for k in range(10)]
    widths = [ROLES[f"model-{k}"]["stroke-width"] for k in range(10)]
    assert dashes == ["", "6 3", "2 2.5", "10 3 2 3", "", "3 3", "", "9 3", "", "5 2 1 2"]
    assert widths == ["2", "1.5", "2", "1.5", "1", "1.5", "1.25", "1.5", "1.5", "1.25"]
    assert [LIGHT[f"model-{k}"] for k in range(5)] == ["#0072B2", "#008560", "#9B3F86", "#8A6100", "#1B1F23"]
    assert [DARK[f"model-{k}"] for k in range(5)] == ["#56B4E9", "#2FC49A", "#D68FCB", "#D6A84A", "#E8EBEE"]
    # No two models look alike.
    assert len({(k % 5, dash, width) for k, (dash, width) in enumerate(zip(dashes, widths, strict=True))}) == 10


def test_models_beyond_the_tenth_share_one_grey() -> None:
    assert model_role(10) == model_role(25) == "model-rest"
    figure = draw_curve({f"model {k}": roc(table(2 - k / 9)) for k in range(12)})
    assert [line.role for line in figure.lines if line.role.startswith("model")][9:] == ["model-9", *["model-rest"] * 2]
    assert ROLES["model-rest"]["stroke"] == "@axis"
    ElementTree.fromstring(svg_document(figure))


def test_bars_and_names_outside_figures_have_the_same_colours() -> None:
    rules = stylesheet()
    for k in range(10):
        assert f".bars.s{k}{{stroke:var(--model-{k % 5})}}" in rules
        assert f".model.s{k}{{color:var(--model-{k % 5})}}" in rules


@pytest.mark.parametrize("is_square", [True, False])
def test_a_figure_is_as_wide_as_a_column(is_square: bool) -> None:
    figure = replace(draw_curve({"": roc(table())}), is_square=is_square)
    height = 376 if is_square else 274
    assert f'viewBox="0 0 384 {height}"' in svg_document(figure)
