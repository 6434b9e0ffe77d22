"""A stream to report on, whose error rises at a known moment."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import streams
from assay.streams import StreamWatch

RNG = np.random.default_rng(5)
N, CHANGED = 3000, 1500
TRUTH = RNG.random(N) < 0.4
WRONG = RNG.random(N) < np.where(np.arange(N) < CHANGED, 0.1, 0.35)
SCORE = np.round(np.clip(np.where(TRUTH ^ WRONG, 0.75, 0.25) + RNG.normal(0, 0.1, N), 0, 1), 3)
VIEWS = (streams.cumulative(), streams.sliding(300), streams.fading(0.99))


def drifting(names: tuple[str, str] = ("no", "yes"), **options: Any) -> StreamWatch:
    """A stream whose error rises from 0.1 to 0.35 after 1,500 events."""
    asked = {"reference": 0.1, "detectors": ("adwin", "ddm"), "views": VIEWS, **options}
    seen = streams.watch(classes=names, positive=names[1], **asked)
    seen.update_many([names[int(each)] for each in TRUTH], score=SCORE)
    return seen
