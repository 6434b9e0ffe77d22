"""P-values of many comparisons at once, adjusted so that each can be held against alpha directly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from assay.request import checked_between, checked_choice
from assay.types import Floats

# The partitions of more algorithms than these no longer fit into memory.
MOST_FOR_BERGMANN = 10
# Rom's factors need binomial coefficients that a double no longer holds for more comparisons than these.
MOST_FOR_ROM = 1000


def pairs_of(count: int) -> list[tuple[int, int]]:
    """All pairs of algorithms, in the order in which their p-values stand."""
    return list(combinations(range(count), 2))


def _ordered(p: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The p-values from the smallest, and where each of the given ones stands among them."""
    order = sorted(range(len(p)), key=lambda i: float(p[i]))
    place = np.empty(len(p), dtype=np.int64)
    place[order] = np.arange(len(p))
    return p[order], place


def _step_down(p: Floats, stepped: Callable[[Floats, Floats], Floats]) -> Floats:
    """From the smallest up: none may be below one that is more extreme."""
    rising, place = _ordered(p)
    steps: Floats = np.minimum(1.0, np.maximum.accumulate(stepped(rising, np.arange(1.0, len(p) + 1))))
    return steps[place]


def _step_up(p: Floats, stepped: Callable[[Floats, Floats], Floats]) -> Floats:
    """From the largest down: none may be above one that is less extreme."""
    rising, place = _ordered(p)
    raised = stepped(rising, np.arange(1.0, len(p) + 1))
    steps: Floats = np.minimum(1.0, np.minimum.accumulate(raised[::-1])[::-1])
    return steps[place]


def _log_kept(p: Floats) -> Floats:
    return np.log1p(-np.minimum(p, 1 - 1e-16))


def _rom(p: Floats, alpha: float = 0.05) -> Floats:
    """Rom's factors hold for one alpha: these p-values may be held against that one only."""
    factors = _rom_factors(len(p), alpha)
    return _step_up(p, lambda rising, i: factors[::-1] * rising)


def _rom_factors(count: int, alpha: float) -> Floats:
    """What the largest p-value, the next one and so on are multiplied by: alpha over Rom's critical values."""
    critical = [alpha, alpha / 2][:count]
    for i in range(3, count + 1):
        powers = sum(alpha**j for j in range(1, i))
        taken = sum(math.comb(i, j) * critical[j] ** (i - j) for j in range(1, i - 1))
        critical.append((powers - taken) / i)
    return alpha / np.array(critical)


def _li(p: Floats) -> Floats:
    """Two steps: every p-value is weighed against the largest."""
    kept = 1 - float(p.max())
    return p / np.maximum(p + kept, np.finfo(float).tiny)


def _hommel(p: Floats) -> Floats:
    """The closed test of Simes' test, by its shortcut."""
    rising, place = _ordered(p)
    count = len(p)
    best = np.full(count, (count * rising / np.arange(1, count + 1)).min())
    found = best.copy()
    for size in range(count - 1, 1, -1):
        upper = np.arange(count - size + 1, count)
        least = (size * rising[upper] / np.arange(2, size + 1)).min()
        lower = np.arange(count - size + 1)
        found[lower] = np.minimum(size * rising[lower], least)
        found[upper] = found[count - size]
        best = np.maximum(best, found)
    return np.asarray(np.maximum(best, rising)[place])


# By name, what is done to p-values that know nothing of one another.
ADJUSTMENTS: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "none": lambda p: p.copy(),
        "bonferroni": lambda p: np.minimum(1.0, len(p) * p),
        "holm": lambda p: _step_down(p, lambda rising, i: (len(p) - i + 1) * rising),
        "hochberg": lambda p: _step_up(p, lambda rising, i: (len(p) - i + 1) * rising),
        "hommel": _hommel,
        "holland": lambda p: _step_down(p, lambda rising, i: -np.expm1((len(p) - i + 1) * _log_kept(rising))),
        "finner": lambda p: _step_down(p, lambda rising, i: -np.expm1(len(p) / i * _log_kept(rising))),
        "rom": _rom,
        "li": _li,
        "benjamini-hochberg": lambda p: _step_up(p, lambda rising, i: len(p) / i * rising),
    }
)


def shaffer(p: Floats, algorithms: int) -> Floats:
    """Holm's steps, with as many hypotheses as can still be true together: all pairs of algorithms are compared.

    References: Shaffer (1986), the static version.

    >>> shaffer(np.array([0.01, 0.02, 0.03]), 3).round(3).tolist()
    [0.03, 0.03, 0.03]
    """
    possible = np.array(sorted(_true_together(algorithms)), dtype=np.float64)
    left = len(p) - np.arange(len(p))
    most = possible[np.searchsorted(possible, left, side="right") - 1]
    return _step_down(p, lambda rising, i: most * rising)


def _true_together(algorithms: int) -> set[int]:
    """How many pairs can be equal at once: those within the groups of some partition."""
    sizes: list[set[int]] = [{0}, {0}]
    for k in range(2, algorithms + 1):
        sizes.append({math.comb(j, 2) + rest for j in range(1, k + 1) for rest in sizes[k - j]})
    return sizes[algorithms]


def bergmann_hommel(p: Floats, algorithms: int) -> Floats:
    """The most powerful of these: every set of pairs that can be equal at once is tested, for up to 10 algorithms.

    As published, none is below that of a pair with a smaller p-value, though the sets alone would allow it.

    References: Bergmann & Hommel (1988); Garcia & Herrera (2008).

    >>> bergmann_hommel(np.array([0.01, 0.02, 0.03]), 3).round(3).tolist()
    [0.03, 0.03, 0.03]
    """
    together = _exhaustive_sets(algorithms)
    bounds = together.sum(1) * np.where(together, p, np.inf).min(1)
    highest: Floats = np.where(together, bounds[:, None], 0.0).max(0)
    rising, place = _ordered(p)
    by_size = np.empty_like(rising)
    by_size[place] = highest
    return np.asarray(np.minimum(1.0, np.maximum.accumulate(by_size))[place])


def _exhaustive_sets(algorithms: int) -> NDArray[np.bool_]:
    """For each partition of the algorithms into groups (but the one into single ones), which pairs share a group."""
    labels = np.zeros((1, 1), dtype=np.int8)
    for _ in range(1, algorithms):
        # Another algorithm joins any group there is, or opens the next one.
        widths = labels.max(1) + 2
        before = np.repeat(labels, widths, axis=0)
        last = np.arange(len(before)) - np.repeat(np.cumsum(widths) - widths, widths)
        labels = np.column_stack((before, last.astype(np.int8)))
    first, second = np.array(pairs_of(algorithms)).T
    shared: NDArray[np.bool_] = labels[:, first] == labels[:, second]
    together: NDArray[np.bool_] = shared[shared.any(1)]
    return together


# Those that know that the hypotheses are all pairs of so many algorithms, and gain from it.
LOGICAL: Mapping[str, Callable[[Floats, int], Floats]] = MappingProxyType(
    {"shaffer": shaffer, "bergmann-hommel": bergmann_hommel}
)


def adjusted(p: Floats, method: str, algorithms: int = 0, alpha: float = 0.05) -> Floats:
    """P-values adjusted by name; a nan stays one and counts among the comparisons as if its p were 1.

    `alpha` matters to "rom" alone, whose p-values may be held against that alpha and no other.

    >>> adjusted(np.array([0.01, 0.04, 0.03]), "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    checked_choice(method, (*ADJUSTMENTS, *LOGICAL), "method")
    alpha = checked_between(alpha, "alpha")
    known = np.where(np.isnan(p), 1.0, p)
    if method in LOGICAL:
        found = LOGICAL[method](known, algorithms)
    else:
        found = _rom(known, alpha) if method == "rom" else ADJUSTMENTS[method](known)
    return np.where(np.isnan(p), np.nan, found)
