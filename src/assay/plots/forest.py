"""The forest plot of several sites as a figure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from assay.evaluation import SitesForest
from assay.plots.figure import Area, Axis, Dot, Figure, Label, Segment, linear_axis
from assay.renderers import renders
from assay.results import Estimate
from assay.text import bracketed, number, shortened, value_words

# Units of the drawing: a row, the room for names and for figures, the plot, and what a letter takes.
ROW, WIDTH, LETTER, GAP = 22, 360, 6.6, 14
LONGEST_NAME = 24
# The dot of the site with the most weight, and the least there is.
LARGEST, SMALLEST = 7.0, 3.0
# Half the height of the diamond, in rows.
DIAMOND = 0.32


@renders("figure", SitesForest)
def forest_figure(forest: SitesForest) -> Figure:
    """Return the forest plot as data for the drawing; of very many sites the first are drawn."""
    sites = forest.shown
    rows = len(sites) + 2
    names = [shortened(name, LONGEST_NAME) for name in sites]
    beside = tuple(_site_labels(forest, sites))
    labels = tuple(reversed(["", *names, *forest.table().columns["site"][-2:], ""]))
    margins = [GAP + LETTER * max(map(len, words)) for words in (labels, [label.text for label in beside])]
    return Figure(
        name="sites_forest",
        title=f"{forest.summary.measure.title} over sites",
        x=_axis(forest, sites),
        y=Axis("", tuple(float(at) for at in range(rows + 2)), words=labels),
        lines=(),
        dots=tuple(_estimate_dots(forest, sites)),
        labels=(),
        notes=(),
        drawn=rows,
        points=len(forest.estimates) + 2,
        areas=(_mean_diamond(forest.summary.estimate),),
        rules=tuple(_interval_segments(forest, sites)),
        width=WIDTH,
        height=ROW * (rows + 1),
        margins=(round(margins[0]), round(margins[1])),
        beside=beside,
    )


def _axis(forest: SitesForest, sites: Mapping[str, Estimate]) -> Axis:
    estimates = [*sites.values(), forest.summary.estimate]
    values = [end for one in estimates for end in (one.value, one.low, one.high)]
    new = forest.summary.prediction
    finite = [end for end in (*values, new.low, new.high) if math.isfinite(end)]
    return linear_axis(forest.summary.measure.title, min(finite), max(finite))


def _estimate_dots(forest: SitesForest, sites: Mapping[str, Estimate]) -> Iterator[Dot]:
    weights, rows = forest.summary.weights, len(sites) + 2
    most = max(weights.values())
    for place, (name, one) in enumerate(sites.items()):
        if name in weights and math.isfinite(one.value):
            size = max(SMALLEST, LARGEST * math.sqrt(weights[name] / most))
            yield Dot(one.value, float(rows - place), "model-0-dot", name, size=size)


def _interval_segments(forest: SitesForest, sites: Mapping[str, Estimate]) -> Iterator[Segment]:
    rows, mean = len(sites) + 2, forest.summary.estimate.value
    yield Segment((mean, 0.5), (mean, rows + 0.5), "reference")
    for place, one in enumerate(sites.values()):
        if math.isfinite(one.low) and math.isfinite(one.high):
            at = float(rows - place)
            yield Segment((one.low, at), (one.high, at), "interval")
    new = forest.summary.prediction
    if new.undefined is None:
        yield Segment((new.low, 1.0), (new.high, 1.0), "mark")


def _mean_diamond(mean: Estimate) -> Area:
    half = DIAMOND * np.array([0.0, 1.0, 0.0])
    return Area(np.array([mean.low, mean.value, mean.high]), 2 - half, 2 + half, "diamond")


def _site_labels(forest: SitesForest, sites: Mapping[str, Estimate]) -> Iterator[Label]:
    rows, weights = len(sites) + 2, forest.summary.weights
    for place, (name, one) in enumerate(sites.items()):
        share = f"{100 * weights[name]:.0f} %" if name in weights else "left out"
        limits = bracketed(one) or "no interval"
        words = "undefined" if math.isnan(one.value) else f"{value_words(one)} {limits}"
        yield Label(0.0, float(rows - place), f"{words} · {share}", "muted-words")
    mean, new = forest.summary.estimate, forest.summary.prediction
    yield Label(0.0, 2.0, f"{value_words(mean)} {bracketed(mean)}", "words")
    limits_of_new = "undetermined" if new.undefined else f"{number(new.low)} to {number(new.high)}"
    yield Label(0.0, 1.0, limits_of_new, "words")
