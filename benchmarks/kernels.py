"""What users call on two classes, beside scikit-learn's AUC in one run; by compiled loops, and by numpy in their place.

Run by itself (`python -m benchmarks.kernels`) it prints the ratios of whichever kernels serve, as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

import assay
from benchmarks._timing import best_of

__all__ = ["SIZES", "sample", "with_kernels"]

# How many cases, and how often all contestants take their turn.
SIZES = {10**2: 50, 10**4: 10, 10**5: 4, 10**6: 2}
CALLS = 4


def sample(rng: np.random.Generator, cases: int) -> tuple[np.ndarray, np.ndarray]:
    """Integer labels and probabilities of so many cases."""
    truth = (rng.random(cases) < 0.3).astype(int)
    return truth, 1 / (1 + np.exp(-rng.normal(truth * 1.2 - 1, 1)))


def with_kernels(kernels: str) -> dict[str, float]:
    """The ratios in a process of its own, where these kernels serve."""
    env = os.environ | {"ASSAY_KERNELS": {"compiled": "require", "numpy": "numpy"}[kernels]}
    command = [sys.executable, "-m", "benchmarks.kernels"]
    told = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
    found: dict[str, float] = json.loads(told)
    return found


def _ratios() -> dict[str, float]:
    found: dict[str, float] = {}
    for cases, rounds in SIZES.items():
        rng = np.random.default_rng(cases)
        truth, score = sample(rng, cases)
        # Whether the labels are whole numbers, booleans or words.
        words = np.where(truth == 1, "spam", "ham")
        # More of them than matrices are remembered of, made before the clock runs.
        others = cycle([sample(rng, cases) for _ in range(6)])
        work: dict[str, Callable[[], Any]] = {
            "sklearn": lambda: roc_auc_score(truth, score),  # noqa: B023 -- called before the next size
            "auc": lambda: assay.evaluate(truth, score).roc_auc,  # noqa: B023
            "booleans": lambda: assay.evaluate(truth == 1, score).roc_auc,  # noqa: B023
            "words": lambda: assay.evaluate(words, score, positive="spam").roc_auc,  # noqa: B023
            "everything": lambda: assay.evaluate(*next(others)).to_dict(),  # noqa: B023
        }
        best = best_of(work, rounds, CALLS)
        found |= {f"{name} {cases}": best["sklearn"] / best[name] for name in ("auc", "booleans", "words")}
        found[f"everything {cases}"] = best["everything"] / best["sklearn"]
    return found


if __name__ == "__main__":
    print(json.dumps(_ratios()))
