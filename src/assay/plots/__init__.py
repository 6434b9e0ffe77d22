"""Plots: a figure as data, and two ways to draw it (SVG, matplotlib)."""

from assay.plots.drawing import OperatingPoint, draw_curve
from assay.plots.figure import Figure, linear_axis
from assay.plots.matplotlib import matplotlib_axes
from assay.plots.svg import svg_document, svg_fragment

__all__ = ["Figure", "OperatingPoint", "draw_curve", "linear_axis", "matplotlib_axes", "svg_document", "svg_fragment"]
