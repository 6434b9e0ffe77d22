"""A figure drawn with matplotlib, for papers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.errors import MissingExtra
from assay.plots.drawing import figure_of
from assay.plots.figure import Axis, Figure
from assay.plots.labels import BEHIND
from assay.plots.style import presentation
from assay.renderers import renders
from assay.text import shortened, visible

POINTS_PER_UNIT = 0.75  # a unit of the drawing is a CSS pixel


@renders("plot", object)
def _(result: Any, ax: Any, **style: Any) -> Any:
    return matplotlib_axes(figure_of(result), ax, **style)


def matplotlib_axes(figure: Figure, ax: Any = None, **style: Any) -> Any:
    """Draw into `ax`, or into a new pyplot figure; `style` goes to the models' lines. Returns the axes.

    >>> from matplotlib.figure import Figure as Canvas
    >>> from assay.curves import roc
    >>> from assay.evidence import ScoreTable
    >>> from assay.plots import draw_curve
    >>> figure = draw_curve({"": roc(ScoreTable.of([0.2, 0.8], [False, True]))})
    >>> matplotlib_axes(figure, Canvas().add_subplot()).get_xlabel()
    'False-positive rate'
    """
    axes = _new_axes() if ax is None else ax
    x, y = figure.x, figure.y
    for area in figure.areas:
        looks = presentation(area.role)
        fill = {"color": looks["fill"], "alpha": float(looks["fill-opacity"]), "linewidth": 0, "zorder": 1.5}
        painted = None if area.beyond is None else area.x >= area.beyond
        axes.fill_between(x.spaced(area.x), y.spaced(area.low), y.spaced(area.high), where=painted, **fill)
    _draw_lines(axes, figure, style)
    _draw_marks(axes, figure)
    for dot in figure.dots:
        looks = _marker_options(presentation(dot.role))
        size = 6 if dot.size is None else 2 * POINTS_PER_UNIT * dot.size
        axes.plot([x.spaced(dot.x)], [y.spaced(dot.y)], marker="o", markersize=size, zorder=4, **looks)
    for label in figure.labels:
        at = {"x": float(x.spaced(label.x)), "y": float(y.spaced(label.y)), "ha": "center", "va": "center"}
        # Names are text, never mathematics: a lone dollar sign must not be an error.
        axes.text(s=visible(label.text), color=presentation(label.role)["fill"], parse_math=False, **at)
    for label in figure.beside:
        at = {"x": 1.02, "y": float(y.spaced(label.y)), "va": "center", "transform": axes.get_yaxis_transform()}
        axes.text(s=visible(label.text), color=presentation(label.role)["fill"], parse_math=False, **at)
    _set_axes(axes, figure)
    _draw_legend(axes, figure)
    return axes


def _draw_marks(axes: Any, figure: Figure) -> None:
    """Straight marks, and the squares of a heat map."""
    for rule in figure.rules:
        ends = [[float(axis.spaced(point[k])) for point in (rule.start, rule.end)] for k, axis in _axes_by_side(figure)]
        axes.plot(*ends, zorder=2, label=f"_{rule.role}", **_stroke_options(presentation(rule.role)))
    for tiles in figure.tiles:
        looks = presentation(tiles.role)
        square = {"width": 1, "height": 1, "color": looks["fill"], "alpha": float(looks["fill-opacity"]), "lw": 0}
        for x, y in zip(tiles.x.tolist(), tiles.y.tolist(), strict=True):
            axes.bar(x, bottom=y, align="edge", **square)


def _axes_by_side(figure: Figure) -> Iterator[tuple[int, Axis]]:
    return enumerate((figure.x, figure.y))


def _set_axes(axes: Any, figure: Figure) -> None:
    """Ends, ticks and titles. Whatever the scale spaces values by, ticks are read in the unit of the values."""
    for side, axis in (("x", figure.x), ("y", figure.y)):
        getattr(axes, f"set_{side}lim")(float(axis.spaced(axis.low)), float(axis.spaced(axis.high)))
        places = [] if axis.is_bare else [float(axis.spaced(tick)) for tick in axis.ticks]
        is_said = bool(axis.words) or (axis.scale != "linear" and not axis.is_bare)
        words = list(map(visible, axis.tick_words())) if is_said else None
        named = {"parse_math": False} if axis.words else {}
        getattr(axes, f"set_{side}ticks")(places, words, **named)
        getattr(axes, f"set_{side}label")(axis.title)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines["left"].set_visible(not (figure.y.is_bare or figure.y.words))
    if figure.y.words:
        axes.tick_params("y", length=0)
    axes.spines[["left", "bottom"]].set_position(("outward", 6))
    if figure.is_square and figure.x.ticks == figure.y.ticks:
        axes.set_aspect("equal", adjustable="box")
    elif figure.is_square:
        axes.set_box_aspect(1)


def _new_axes() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtra("matplotlib", extra="plot", purpose="drawing with matplotlib") from None
    return plt.subplots(layout="constrained")[1]


def _draw_lines(axes: Any, figure: Figure, style: dict[str, Any]) -> None:
    from matplotlib import cbook, lines

    wished = cbook.normalize_kwargs(style, lines.Line2D)
    models = [line for line in figure.lines if line.role.startswith("model")]
    for line in figure.lines:
        looks = _stroke_options(presentation(line.role))
        x, y = figure.x.spaced(line.x), figure.y.spaced(line.y)
        if line in models:
            # The first model lies over the others, as everywhere; a leading underscore would hide a name.
            order = 3 - models.index(line) / (len(models) + 1)
            own = {"zorder": order, "clip_on": False, "label": " " + shortened(line.name), **looks}
            axes.plot(x, y, **{**own, **wished})
        else:
            axes.plot(x, y, zorder=1 if line.role in BEHIND else 2, label=f"_{line.role}", **looks)


def _draw_legend(axes: Any, figure: Figure) -> None:
    if sum(line.role.startswith("model") for line in figure.lines) < 2:
        return
    for entry in axes.legend(loc="best", frameon=False).get_texts():
        entry.set_parse_math(False)


def _stroke_options(attributes: dict[str, str]) -> dict[str, Any]:
    looks: dict[str, Any] = {
        "color": attributes["stroke"],
        "linewidth": POINTS_PER_UNIT * float(attributes.get("stroke-width", "1")),
    }
    if "stroke-opacity" in attributes:
        looks["alpha"] = float(attributes["stroke-opacity"])
    if "stroke-dasharray" in attributes:
        looks["linestyle"] = (0, tuple(float(length) for length in attributes["stroke-dasharray"].split()))
    return looks


def _marker_options(attributes: dict[str, str]) -> dict[str, Any]:
    return {"color": attributes["fill"], "markeredgecolor": attributes["stroke"], "clip_on": False, "linestyle": "none"}
