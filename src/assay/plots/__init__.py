"""Plots: a figure as data, and two ways to draw it (SVG, matplotlib)."""

from typing import Any

from assay.curves import Drawable
from assay.plots.axes import linear_axis
from assay.plots.draw import OperatingPoint, draw_curve
from assay.plots.figure import Figure
from assay.plots.matplotlib import matplotlib_axes
from assay.plots.svg import svg_document, svg_fragment
from assay.renderers import renders

__all__ = ["Figure", "OperatingPoint", "draw_curve", "linear_axis", "matplotlib_axes", "svg_document", "svg_fragment"]


def _figure_of(result: Any) -> Figure:
    figure: Figure = draw_curve({"": result}) if isinstance(result, Drawable) else result.figure()
    return figure


@renders("plot", object)
def _(result: Any, ax: Any, **style: Any) -> Any:
    return matplotlib_axes(_figure_of(result), ax, **style)


@renders("svg", object)
def _(result: Any) -> str:
    return svg_document(_figure_of(result))
