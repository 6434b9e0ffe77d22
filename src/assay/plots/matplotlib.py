"""A figure drawn with matplotlib, for papers."""

from __future__ import annotations

from typing import Any

from assay.errors import MissingExtra
from assay.plots.figure import Figure
from assay.plots.style import presentation
from assay.plots.words import shortened, visible

__all__ = ["matplotlib_axes"]

POINTS_PER_UNIT = 0.75  # a unit of the drawing is a CSS pixel


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
    _draw_lines(axes, figure, style)
    for dot in figure.dots:
        axes.plot([dot.x], [dot.y], marker="o", markersize=6, zorder=4, **_marker(presentation("dot")))
    for label in figure.labels:
        ink = presentation(label.role)
        # Names are text, never mathematics: a lone dollar sign must not be an error.
        axes.text(label.x, label.y, visible(label.text), color=ink["fill"], ha="center", va="center", parse_math=False)
    axes.set(xlim=(figure.x.low, figure.x.high), ylim=(figure.y.low, figure.y.high))
    axes.set(xticks=figure.x.ticks, yticks=figure.y.ticks, xlabel=figure.x.title, ylabel=figure.y.title)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_position(("outward", 6))
    if figure.is_square:
        axes.set_aspect("equal", adjustable="box")
    _draw_legend(axes, figure)
    return axes


def _new_axes() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtra("matplotlib", extra="plot", purpose="drawing with matplotlib") from None
    return plt.subplots(layout="constrained")[1]


def _draw_lines(axes: Any, figure: Figure, style: dict[str, Any]) -> None:
    from matplotlib import cbook, lines

    wished = cbook.normalize_kwargs(style, lines.Line2D)
    models = [line for line in figure.lines if line.role != "reference"]
    for line in figure.lines:
        looks = _stroke(presentation(line.role))
        if line.role == "reference":
            axes.plot(line.x, line.y, zorder=1, label="_reference", **looks)
        else:
            # The first model lies over the others, as everywhere; a leading underscore would hide a name.
            order = 3 - models.index(line) / (len(models) + 1)
            own = {"zorder": order, "clip_on": False, "label": " " + shortened(line.name), **looks}
            axes.plot(line.x, line.y, **{**own, **wished})


def _draw_legend(axes: Any, figure: Figure) -> None:
    models = [line for line in figure.lines if line.role != "reference"]
    if len(models) < 2:
        return
    for entry in axes.legend(loc="lower right", frameon=False).get_texts():
        entry.set_parse_math(False)


def _stroke(attributes: dict[str, str]) -> dict[str, Any]:
    looks: dict[str, Any] = {
        "color": attributes["stroke"],
        "linewidth": POINTS_PER_UNIT * float(attributes.get("stroke-width", "1")),
    }
    if "stroke-dasharray" in attributes:
        looks["linestyle"] = (0, tuple(float(length) for length in attributes["stroke-dasharray"].split()))
    return looks


def _marker(attributes: dict[str, str]) -> dict[str, Any]:
    return {"color": attributes["fill"], "markeredgecolor": attributes["stroke"], "clip_on": False, "linestyle": "none"}
