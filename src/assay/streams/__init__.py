"""Streams: events judged as they come, under views that remember, forget or fade."""

from assay.streams.delayed import Labels
from assay.streams.driving import Distributed, distributed, interleaved, periodic_holdout
from assay.streams.prequential import prequential, resume
from assay.streams.run import Prequential
from assay.streams.view import View
from assay.streams.views import ViewSpec, cumulative, fading, sliding, tumbling

__all__ = [
    "Distributed",
    "Labels",
    "Prequential",
    "View",
    "ViewSpec",
    "cumulative",
    "distributed",
    "fading",
    "interleaved",
    "periodic_holdout",
    "prequential",
    "resume",
    "sliding",
    "tumbling",
]
