"""MOA and river: where each drift detector finds a change, on streams of theirs and on random ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

from assay.streams.drift import Adwin, Ddm, Eddm, HddmA, HddmW, PageHinkley

ERRORS, LEARNERS = "drift_detectors_a", "moa_sea_two_learners"
Make = Callable[[], Any]

MOA: dict[str, Make] = {
    "ADWINChangeDetector": lambda: Adwin(like="moa"),
    "ADWINChangeDetector -a 0.05": lambda: Adwin(0.05, like="moa"),
    "ADWINChangeDetector -a 0.0001": lambda: Adwin(0.0001, like="moa"),
    "DDM": lambda: Ddm(like="moa"),
    "DDM -n 100 -o 2.5 -w 1.5": lambda: Ddm(100, 1.5, 2.5, like="moa"),
    "EDDM": lambda: Eddm(like="moa"),
    "PageHinkleyDM": lambda: PageHinkley(like="moa"),
    "PageHinkleyDM -l 20": lambda: PageHinkley(threshold=20, like="moa"),
    "PageHinkleyDM -n 100 -d 0.01 -l 10 -a 0.999": lambda: PageHinkley(100, 0.01, 10, 0.999, like="moa"),
}
RIVER: dict[str, Make] = {
    "ADWIN()": Adwin,
    "ADWIN(delta=0.05)": lambda: Adwin(0.05),
    "ADWIN(delta=0.002, clock=1)": lambda: Adwin(clock=1),
    "PageHinkley()": PageHinkley,
    'PageHinkley(threshold=20, mode="up")': lambda: PageHinkley(threshold=20, direction="up"),
    "binary.DDM()": Ddm,
    "binary.EDDM()": Eddm,
    "binary.HDDMA()": HddmA,
    "binary.HDDMW()": HddmW,
}


@cache
def stream(name: str) -> NDArray[np.int64]:
    if name == "a":
        return columns(ERRORS, "errors.csv")["error"].astype(np.int64)
    data = columns(LEARNERS)
    return np.asarray((data[f"{name}_1"] > data[f"{name}_0"]) != (data["y_true"] == 1), dtype=np.int64)


def watched(make: Make, name: str) -> dict[str, Any]:
    """What is told of a detector over a stream."""
    made, changes, warnings, estimates, widths = make(), [], [], [], []
    for place, error in enumerate(stream(name).tolist()):
        changes += [place] if made.update(error) else []
        warnings.append(made.warning)
        if place % 500 == 499:
            estimates.append(_estimate(made))
            widths.append(getattr(made, "width", 0))
    starts = [i for i, now in enumerate(warnings) if now and not (i and warnings[i - 1])]
    return {
        "change": changes,
        "n_warning": sum(warnings),
        "warning_starts": starts,
        "estimation_every_500": estimates,
        "width_every_500": widths,
    }


def _estimate(made: Any) -> float:
    return float(made.rate if isinstance(made, Ddm) else getattr(made, "mean", 0.0))


def figures(makes: dict[str, Make], prefix: str, name: str) -> dict[str, Ours]:
    found: dict[str, Ours] = {}
    for title, make in makes.items():
        seen = cache(watched)
        for key in ("change", "n_warning", "warning_starts", "estimation_every_500", "width_every_500"):
            found[f"{prefix}{title}/{key}"] = Ours(lambda seen=seen, make=make, key=key: seen(make, name)[key])  # type: ignore[misc]
    return found


def told(found: dict[str, Ours], paths: list[Leaf]) -> dict[str, Ours]:
    there = {leaf.path for leaf in paths}
    return {path: one for path, one in found.items() if path in there}


LEAVES = [
    *leaves(ERRORS),
    *(leaf for leaf in leaves(LEARNERS) if ".detector." in leaf.path),
]
OURS = told(
    {
        **figures(MOA, "moa.", "a"),
        **figures(RIVER, "river.", "a"),
        **figures(MOA, "nb.detector.", "nb"),
        **figures(MOA, "ht.detector.", "ht"),
    },
    LEAVES,
)
LEFT_OUT = {
    "*.RDDM/*": "DDM that forgets: not offered",
    "*.CusumDM/*": "CUSUM: Page-Hinkley is the one offered",
    "*.STEPD/*": "a test of two windows: not offered",
    "*.EWMAChartDM/*": "a chart of faded means: HDDM-W is the one offered",
    "*.GeometricMovingAverageDM/*": "a threshold on a faded mean: not offered",
    "river.binary.FHDDM()/*": "HDDM over a fixed window: not offered",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_detectors(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def pairs() -> dict[str, tuple[Make, Make]]:
    drift: Any = pytest.importorskip("river.drift")
    return {
        "ADWIN": (Adwin, drift.ADWIN),
        "ADWIN, other options": (
            lambda: Adwin(0.05, 7, 3, 8, 20),
            lambda: drift.ADWIN(delta=0.05, clock=7, max_buckets=3, min_window_length=8, grace_period=20),
        ),
        "DDM": (Ddm, drift.binary.DDM),
        "EDDM": (Eddm, drift.binary.EDDM),
        "Page-Hinkley": (PageHinkley, drift.PageHinkley),
        "Page-Hinkley, down": (
            lambda: PageHinkley(threshold=5, direction="down"),
            lambda: drift.PageHinkley(threshold=5, mode="down"),
        ),
        "HDDM-A": (HddmA, drift.binary.HDDMA),
        "HDDM-A, both": (lambda: HddmA(two_sided=True), lambda: drift.binary.HDDMA(two_sided_test=True)),
        "HDDM-W": (HddmW, drift.binary.HDDMW),
        "HDDM-W, both": (
            lambda: HddmW(two_sided=True, weight=0.02),
            lambda: drift.binary.HDDMW(two_sided_test=True, lambda_val=0.02),
        ),
    }


def random_errors(seed: int) -> list[int]:
    rng = np.random.default_rng(seed)
    rates = np.repeat(rng.choice([0, 0.02, 0.05, 0.1, 0.3, 0.5, 0.9, 1], 6), rng.integers(5, 500, 6))
    return [int(each) for each in rng.random(len(rates)) < rates]


@pytest.mark.parametrize(
    "name",
    [
        *("ADWIN", "ADWIN, other options", "DDM", "EDDM", "Page-Hinkley", "Page-Hinkley, down"),
        *("HDDM-A", "HDDM-A, both", "HDDM-W", "HDDM-W, both"),
    ],
)
def test_river_says_the_same_after_every_event(name: str) -> None:
    make, theirs = pairs()[name]
    changes = 0
    for seed in range(12):
        ours, other = make(), theirs()
        for error in random_errors(seed):
            changed = ours.update(error)
            other.update(error)
            assert changed == other.drift_detected
            assert ours.warning == getattr(other, "warning_detected", False)
            changes += changed
    assert changes > 5
