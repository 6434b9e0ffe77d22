"""Timing that survives a shared machine: alternate the contestants and keep each one's best run."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["best_of", "startup"]


def best_of(contestants: Mapping[str, Callable[[], Any]], rounds: int = 5, calls: int = 1) -> dict[str, float]:
    """The fewest seconds each contestant needed, the contestants taking turns so that noise hits all alike.

    With several `calls` in a turn, the first of them finds the memory that another has filled, the others their own.
    """
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, work in contestants.items():
            for _ in range(calls):
                start = time.perf_counter()
                work()
                best[name] = min(best[name], time.perf_counter() - start)
    return best


def startup(commands: Mapping[str, list[str]], rounds: int = 7) -> dict[str, float]:
    """The fewest seconds each command line needs from start to end, in a fresh process."""

    def run(arguments: list[str]) -> Callable[[], Any]:
        return lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True)

    return best_of({name: run(arguments) for name, arguments in commands.items()}, rounds)
