"""`python -m benchmarks.performance`: the AUC with its interval from 100 cases to 10^8, as docs/performance.md.

Times are seconds of this machine and mean nothing elsewhere; ratios are what to look at. Both kernels and scikit-learn
take turns in one process each, on the same integer labels and scores.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

import assay
from benchmarks._timing import best_of

PAGE = Path("docs/performance.md")
PICTURE = Path("docs/pictures/performance.svg")
ROUNDS = {10**2: 100, 10**3: 60, 10**4: 20, 10**5: 8, 10**6: 3, 10**7: 1, 10**8: 1}
CALLS = 4
# A call of so many takes a minute of scikit-learn: one will do.
LONG = 10**8
HEAD = """# How fast it is

One AUC with its 95 % interval, `assay.evaluate(y, s).roc_auc` on integer labels and continuous scores, beside
scikit-learn's `roc_auc_score(y, s)`, which has no interval; best of several turns of four calls each (at
10^8 one call). Made by `python -m benchmarks.performance`; `make bench` has more, against more peers.

| cases | scikit-learn | compiled | numpy | compiled is | numpy is |
|--:|--:|--:|--:|--:|--:|
"""


def measured() -> dict[int, dict[str, float]]:
    """Seconds by the number of cases, with whichever kernels serve."""
    found = {}
    for cases, rounds in ROUNDS.items():
        rng = np.random.default_rng(cases)
        truth = (rng.random(cases, dtype=np.float32) < 0.3).astype(np.int8 if cases == LONG else int)
        score = rng.standard_normal(cases)
        score += 1.2 * truth
        found[cases] = best_of(
            {
                "sklearn": lambda truth=truth, score=score: roc_auc_score(truth, score),  # type: ignore[misc]
                "assay": lambda truth=truth, score=score: assay.evaluate(truth, score).roc_auc,  # type: ignore[misc]
            },
            rounds,
            CALLS if cases < LONG else 1,
        )
    return found


def with_kernels(kernels: str) -> dict[int, dict[str, float]]:
    """The same in a process of its own."""
    env = os.environ | {"ASSAY_KERNELS": kernels}
    command = [sys.executable, "-m", "benchmarks.performance", "--json"]
    told = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
    return {int(cases): seconds for cases, seconds in json.loads(told).items()}


def main() -> None:
    """Measure both, write the page and the picture."""
    compiled, plain = with_kernels("require"), with_kernels("numpy")
    lines = []
    for cases in ROUNDS:
        peer = min(compiled[cases]["sklearn"], plain[cases]["sklearn"])
        times = (peer, compiled[cases]["assay"], plain[cases]["assay"])
        ratios = (f"{found[cases]['sklearn'] / found[cases]['assay']:.1f}x" for found in (compiled, plain))
        shown = " | ".join([*(f"{1e3 * each:.3g} ms" if each < 1 else f"{each:.3g} s" for each in times), *ratios])
        lines.append(f"| {cases:,} | {shown} |\n")
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scikit-learn"))
    made = f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}, {libraries}"
    PAGE.write_text(f"{HEAD}{''.join(lines)}\n{made}.\n\n![the same as lines](pictures/{PICTURE.name})\n")
    draw(compiled, plain)


def draw(compiled: dict[int, dict[str, float]], plain: dict[int, dict[str, float]]) -> None:
    """Seconds against cases, both by powers of ten."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "assay"
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    sizes = list(ROUNDS)
    for name, found, key, style in (
        ("scikit-learn's AUC", compiled, "sklearn", "k:"),
        ("numpy kernels", plain, "assay", "C1--"),
        ("compiled kernels", compiled, "assay", "C0-"),
    ):
        axes.loglog(sizes, [found[cases][key] for cases in sizes], style, label=name, marker=".")
    axes.set(xlabel="cases", ylabel="seconds, AUC with interval")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    if "--json" in sys.argv:
        print(json.dumps(measured()))
    else:
        main()
