"""How large evidence is, how narrow its bounds, and how long merging takes: `python -m benchmarks.evidence`.

Prints the table that docs/evidence.md holds. Ten million scores of each shape take a minute or two.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import assay

Drawn = tuple[str, NDArray[np.bool_], NDArray[np.float64]]


def shapes(n: int) -> Iterator[Drawn]:
    """Scores as they are met: spread out, saturated, of a rare class, of a forest, no probabilities."""
    rng = np.random.default_rng(0)

    def logistic(odds: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(1 / (1 + np.exp(-odds)))

    half, third, rare = (rng.random(n) < share for share in (0.5, 0.3, 0.001))
    yield "continuous, AUC 0.84", half, logistic(rng.normal(1.4 * half, 1))
    yield "uninformative", half, rng.random(n)
    yield "saturated, AUC 0.97", third, logistic(rng.normal(8 * (third - 0.5), 3))
    yield "one positive in a thousand", rare, logistic(rng.normal(2 * rare - 7, 1))
    yield "any number", half, rng.normal(half, 1)
    yield "500 trees' votes", half, rng.binomial(500, logistic(rng.normal(2 * half - 1, 1))) / 500


def sizes(n: int) -> Iterator[tuple[str, float, float]]:
    """Of each shape: kilobytes, and the width of the AUC's bounds in hundredths of its standard error."""
    for name, truth, score in shapes(n):
        evidence = assay.reduce(truth, score, positive=True)
        auc = evidence.roc_auc
        low, high = auc.bounds or (auc.value, auc.value)
        share = 100 * (high - low) / (auc.se or 1)
        yield name, len(evidence.to_bytes()) / 1000, share


def merging(sites: int = 1000, n: int = 1000) -> tuple[float, float]:
    """How many seconds of one core it takes to merge the files of so many sites, and the megabytes of the sum."""
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        for k in range(sites):
            truth = np.arange(n) % 2
            assay.reduce(truth, 1 / (1 + np.exp(-rng.normal(truth, 1)))).save(Path(folder, f"site-{k:04}.evidence"))
        start = time.process_time()
        merged = assay.merge(f"{folder}/*.evidence")
        took = time.process_time() - start
        return took, len(merged.to_bytes()) / 1e6


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=10_000_000)
    most = parser.parse_args().most
    print("| scores | cases | file | width of the AUC's bounds, of its standard error |\n|---|---|---|---|")
    for n in (n for n in (100_000, 1_000_000, 10_000_000) if n <= most):
        for name, size, share in sizes(n):
            print(f"| {name} | {n:,} | {size:,.0f} kB | {share:.2g} % |", flush=True)
    took, size = merging()
    print(f"merging 1,000 files of 1,000 cases: {took:.2f} s of one core, {size:.1f} MB")


if __name__ == "__main__":
    main()
