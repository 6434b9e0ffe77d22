"""Ten measures of the last 1,000 events, read after every event: beside river, which keeps each of them by itself.

river's geometric mean is left out: it takes fifty times as long as its other metrics, and would flatter every ratio.
Run by itself (`python -m benchmarks.streams`) it prints the ratios of whichever kernels serve, as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from river import metrics, utils

from assay import streams
from benchmarks._timing import best_of

__all__ = ["streamed"]

EVENTS, WIDTH, ROUNDS, TIMES = 4_000, 1_000, 5, 25
# What river calls each of the measures, and what we do.
NAMES = {
    "Accuracy": "accuracy",
    "BalancedAccuracy": "balanced_accuracy",
    "CohenKappa": "kappa",
    "MCC": "mcc",
    "F1": "f1",
    "Precision": "precision",
    "Recall": "recall",
    "Jaccard": "jaccard",
}
OURS = (*NAMES.values(), "f2", "roc_auc")


def streamed(kernels: str) -> dict[str, float]:
    """The ratios in a process of its own, where these kernels serve."""
    env = os.environ | {"ASSAY_KERNELS": {"compiled": "require", "numpy": "numpy"}[kernels]}
    command = [sys.executable, "-m", "benchmarks.streams"]
    told = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
    found: dict[str, float] = json.loads(told)
    return found


def _ratios() -> dict[str, float]:
    rng = np.random.default_rng(0)
    truth = rng.random(EVENTS) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(truth * 1.2 - 1, 1)))
    labels, scores = truth.tolist(), score.tolist()
    # Chunks are so fast that one pass over the stream is too short to time.
    long_truth, long_score = np.tile(truth, TIMES), np.tile(score, TIMES)

    def river() -> None:
        each: list[Any] = [utils.Rolling(getattr(metrics, name), window_size=WIDTH) for name in NAMES]
        each.append(utils.Rolling(metrics.FBeta, window_size=WIDTH, beta=2))
        area = metrics.RollingROCAUC(window_size=WIDTH)
        for is_positive, value in zip(labels, scores, strict=True):
            called = value >= 0.5
            for metric in each:
                metric.update(is_positive, called)
                metric.get()
            area.update(is_positive, value)
            area.get()

    def one_by_one() -> None:
        run = streams.prequential(classes=(False, True), views=(streams.sliding(WIDTH),))
        (view,) = run.views.values()
        for is_positive, value in zip(labels, scores, strict=True):
            run.update(is_positive, score=value)
            view.values(OURS)

    def in_chunks(names: tuple[str, ...] = OURS) -> None:
        run = streams.prequential(classes=(False, True), views=(streams.sliding(WIDTH),), record=names)
        run.update_many(long_truth, score=long_score)

    work: dict[str, Callable[[], Any]] = {
        "river": river,
        "one by one": one_by_one,
        "chunks": in_chunks,
        "chunks, labels": lambda: in_chunks(OURS[:-1]),
    }
    t = best_of(work, ROUNDS)
    found = {name: t["river"] / t[name] * (TIMES if "chunks" in name else 1) for name in work}
    return found | {"microseconds an event, river": 1e6 * t["river"] / EVENTS}


if __name__ == "__main__":
    print(json.dumps(_ratios()))
