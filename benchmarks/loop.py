"""An epoch gathered batch by batch, beside keeping every score until its end: `python -m benchmarks.loop`."""

from __future__ import annotations

import argparse
import time
import tracemalloc

import numpy as np
from sklearn.metrics import roc_auc_score

import assay


def epoch(cases: int, batch: int) -> None:
    """Print how long either takes, what it holds, and what the AUC is."""
    rng = np.random.default_rng(0)
    truth = (rng.random(cases) < 0.3).astype(np.int64)
    score = 1 / (1 + np.exp(-rng.normal(1.5 * truth - 1, 1.2)))
    places = range(0, cases, batch)

    start = time.perf_counter()
    acc = assay.Accumulator()
    for at in places:
        acc.update(truth[at : at + batch], score[at : at + batch])
    found = acc.evaluate().roc_auc
    ours = time.perf_counter() - start

    start = time.perf_counter()
    kept = [(truth[at : at + batch].copy(), score[at : at + batch].copy()) for at in places]
    whole = roc_auc_score(*(np.concatenate(side) for side in zip(*kept, strict=True)))
    theirs = time.perf_counter() - start
    held = sum(values.nbytes for values in acc.state().values())
    print(f"{cases:,} cases in batches of {batch:,}")
    print(f"  accumulator   {ours:6.2f} s, {held / 1e6:6.1f} MB held   {found} bounds {found.bounds}")
    print(f"  scikit-learn  {theirs:6.2f} s, {16 * cases / 1e6:6.1f} MB held   {whole:.6f}")
    print(f"  ratio {theirs / ours:.1f}")


def memory(cases: int, batch: int = 100_000) -> None:
    """Print the most that gathering so many cases takes, and what is left of it."""
    rng, acc = np.random.default_rng(0), assay.Accumulator()
    tracemalloc.start()
    for _ in range(cases // batch):
        acc.update(rng.integers(0, 2, batch), rng.random(batch))
    now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"{cases:,} cases gathered: {now / 1e6:.1f} MB held, {most / 1e6:.1f} MB at most")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=10_000_000)
    asked = parser.parse_args()
    for size in (256, 10_000):
        epoch(asked.cases // 10, size)
    for cases in (asked.cases // 10, asked.cases):
        memory(cases)
