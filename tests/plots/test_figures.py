"""Figures as data, as SVG and in matplotlib."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest

from assay.curves import Curve, roc
from assay.errors import MissingExtra, OptionError
from assay.evidence import ScoreTable
from assay.measures import fpr, recall, roc_auc
from assay.plots import Figure, OperatingPoint, draw_curve, matplotlib_axes, svg_document, svg_fragment
from assay.plots.drawing import KNOTS
from assay.plots.labels import LEFT, SIDE, TOP
from assay.plots.style import ROLES, stylesheet

HOSTILE = "</text><script>alert(1)</script>\u202e\x00$\\frac{"


def table(cases: int = 300, strength: float = 1.5, seed: int = 3) -> ScoreTable:
    rng = np.random.default_rng(seed)
    is_positive = rng.random(cases) < 0.3
    return ScoreTable.of(rng.normal(size=cases) + strength * is_positive, is_positive)


def figure_of(*tables: ScoreTable, names: tuple[str, ...] = ("",)) -> Figure:
    named = dict(zip(names, tables, strict=True))
    return draw_curve(
        {name: roc(t) for name, t in named.items()},
        operating_points={
            n: OperatingPoint(fpr.estimate(t.at(1)), recall.estimate(t.at(1)), 1.0) for n, t in named.items()
        },
        summaries={name: roc_auc.estimate(t) for name, t in named.items()},
    )


def path_points(d: str) -> np.ndarray:
    """The points of a path of M, l, h and v."""
    points: list[list[float]] = []
    for command, numbers in re.findall(r"([Mlhv])([^Mlhv]*)", d):
        values = [float(number) for number in re.findall(r"-?\.?\d+\.?\d*", numbers)]
        x, y = points[-1] if points else (0.0, 0.0)
        step = {"M": values, "l": values, "h": [*values, 0.0], "v": [0.0, *values]}[command]
        points.append([step[0], step[1]] if command == "M" else [x + step[0], y + step[1]])
    return np.array(points)


def test_figure_says_what_it_keeps() -> None:
    figure = figure_of(table())
    assert figure.title == "ROC curve"
    assert figure.drawn < figure.points == len(roc(table()))
    assert figure.off_by == 0
    assert [line.role for line in figure.lines] == ["reference", "model-0"]
    assert [note.heading for note in figure.notes] == ["threshold 1.00", ""]


def test_a_long_curve_keeps_its_shape() -> None:
    whole = roc(table(200_000))
    figure = draw_curve({"": whole})
    line = figure.lines[-1]
    assert len(line.x) <= KNOTS
    assert 0 < figure.off_by < 0.002
    assert (line.x[0], line.y[0], line.x[-1], line.y[-1]) == (0, 0, 1, 1)
    # Between its neighbours the drawn line is monotone, so its distance from the curve is that along either axis.
    drawn = np.interp(whole.x + whole.y, line.x + line.y, line.x)
    assert np.abs(drawn - whole.x).max() <= figure.off_by
    kept = set(zip(whole.x.tolist(), whole.y.tolist(), strict=True))
    assert kept.issuperset(zip(line.x.tolist(), line.y.tolist(), strict=True))


def test_path_ends_where_the_curve_does() -> None:
    figure = figure_of(table())
    root = ElementTree.fromstring(svg_document(figure))
    paths = [
        e.attrib["d"] for e in root.iter("{http://www.w3.org/2000/svg}path") if e.attrib.get("stroke-width") == "2"
    ]
    assert len(paths) == 1
    points = path_points(paths[0])
    line = figure.lines[-1]
    assert points[0].tolist() == [LEFT, TOP + SIDE]
    assert points[-1] == pytest.approx([LEFT + SIDE, TOP], abs=0.05)
    # Nothing drifts: every corner lies on the path to the rounding of one decimal.
    on_path = np.interp(LEFT + SIDE * line.x + SIDE * line.y, points[:, 0] - points[:, 1] + TOP + SIDE, points[:, 0])
    assert np.abs(on_path - (LEFT + SIDE * line.x)).max() < 0.2


def test_document_carries_its_colours_and_fragment_its_classes() -> None:
    figure = figure_of(table(), table(strength=0.5), names=("a", "b"))
    document, fragment = svg_document(figure), svg_fragment(figure)
    ElementTree.fromstring(document)
    assert "class=" not in document
    assert "#0072B2" in document
    assert "#" not in fragment
    assert "style=" not in document + fragment
    classes = set(re.findall(r"f-([\w-]+)", fragment))
    assert classes <= set(ROLES)
    assert all(f".f-{name}{{" in stylesheet() for name in classes)
    for text in (document, fragment):
        assert 'role="img"' in text
        assert "<title" in text
        assert "<desc" in text


def test_names_stay_names() -> None:
    figure = figure_of(table(), table(strength=0.5), names=(HOSTILE, "x" * 5000))
    text = svg_document(figure)
    ElementTree.fromstring(text)
    assert "<script" not in text
    assert all(len(note.heading) <= 16 for note in figure.notes)
    axes = matplotlib_axes(figure, _axes())
    axes.figure.canvas.draw()


def test_labels_keep_clear_of_curves_and_each_other() -> None:
    figure = figure_of(table(), table(strength=0.5), names=("a", "b"))
    places = np.array([[label.x, label.y] for label in figure.labels])
    assert [label.text for label in figure.labels] == ["A", "B", "chance"]
    assert ((places > 0) & (places < 1)).all()
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    assert apart[~np.eye(3, dtype=bool)].min() > 0.04


def test_a_model_without_a_curve_keeps_its_place() -> None:
    curve = roc(table())
    figure = draw_curve({"labels only": None, "scored": curve})
    assert [line.role for line in figure.lines] == ["reference", "model-1"]
    assert figure.notes[0].heading == "B scored"


def test_single_class_has_no_curve() -> None:
    with pytest.raises(OptionError, match="there is no curve to draw, as where all true labels are of one class"):
        draw_curve({"": roc(ScoreTable.of([0.1, 0.2], [True, True]))})


def test_two_cases_draw() -> None:
    figure = draw_curve({"": roc(ScoreTable.of([0.1, 0.1], [True, False]))})
    assert "M40 334l312-312" in svg_fragment(figure)


def _axes() -> Any:
    from matplotlib.figure import Figure as Canvas

    return Canvas().add_subplot()


def test_matplotlib_draws_into_given_axes() -> None:
    axes = _axes()
    found = matplotlib_axes(figure_of(table()), axes, lw=3, color="red")
    assert found is axes
    assert found.get_aspect() == 1.0
    assert (found.get_xlabel(), found.get_ylabel()) == ("False-positive rate", "Recall")
    widths = [line.get_linewidth() for line in found.lines if line.get_color() == "red"]
    assert widths == [3]
    assert found.get_legend() is None
    found.figure.canvas.draw()


def test_matplotlib_names_several_curves() -> None:
    found = matplotlib_axes(figure_of(table(), table(strength=0.5), names=("_a", "b$")), _axes())
    assert [text.get_text().strip() for text in found.get_legend().get_texts()] == ["_a", "b$"]


def test_curve_plots_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    curve: Curve = roc(table())
    axes = curve.plot()
    assert plt.get_fignums() == [axes.figure.number]
    plt.close("all")
    assert curve.svg().startswith("<svg xmlns=")


def test_missing_matplotlib_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtra, match=r"pip install 'matplotlib>=3.9'"):
        matplotlib_axes(figure_of(table()))


def test_importing_loads_neither_matplotlib_nor_jinja() -> None:
    code = "import sys, assay.plots, assay.report; print([m for m in ('matplotlib', 'jinja2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
