"""confseq: limits at every look, and what betting against a mean makes of 1."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

from assay.uncertainty import Betting, Predictable, normal_mixture, normal_mixture_rho

CASE = "confseq_stream_a"
LEAVES = leaves(CASE)
DATA = columns(CASE, "stream.csv")
STOPS = np.array([10, 50, 100, 250, 500, 1000])
Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]


@cache
def betting(column: str) -> Limits:
    low, high = Betting().extend(DATA[column])
    return low[STOPS - 1], high[STOPS - 1]


@cache
def betting_now(column: str) -> Limits:
    made, found = Betting(), []
    for start, stop in zip((0, *STOPS), STOPS, strict=False):
        made.extend(DATA[column][start:stop])
        found.append(made.now())
    low, high = np.array(found).T
    return low, high


def predictable(column: str, method: str, highest_bet: float = 0.5, *, keep: bool = False) -> Limits:
    low, high = Predictable(method, highest_bet=highest_bet, keep=keep).extend(DATA[column])
    return low[STOPS - 1], high[STOPS - 1]


def mixture(column: str) -> Limits:
    x = DATA[column]
    rho = normal_mixture_rho(500 * float(x.var()), 0.05, one_sided=False)
    gathered = np.array([n * x[:n].var() for n in STOPS])
    half = normal_mixture(gathered, 0.05, rho, one_sided=False) / STOPS
    means = np.array([x[:n].mean() for n in STOPS])
    return means - half, means + half


def wealth(against: float) -> list[float]:
    made, found = Betting(), []
    for start, stop in zip((0, *STOPS), STOPS, strict=False):
        made.extend(DATA["error"][start:stop])
        # Each direction is played with half of the stake, and the better one counts.
        found.append(math.exp(max(made.log_capital(against))) / 2)
    return found


def both(name: str, limits: object) -> dict[str, Ours]:
    def side(at: int) -> Ours:
        return Ours(lambda: limits()[at].tolist())  # type: ignore[operator]

    return {f"{name}/lower": side(0), f"{name}/upper": side(1)}


def of_column(column: str) -> dict[str, Ours]:
    return {
        **both(f"betting_cs_{column}", lambda: betting(column)),
        **both(f"hedged_cs_{column}", lambda: betting(column)),
        **both(f"hedged_cs_{column}_no_intersection", lambda: betting_now(column)),
        **both(f"predmix_empbern_{column}", lambda: predictable(column, "empirical Bernstein")),
        **both(
            f"predmix_empbern_{column}_trunc1_running",
            lambda: predictable(column, "empirical Bernstein", 0.75, keep=True),
        ),
        **both(f"predmix_hoeffding_{column}", lambda: predictable(column, "Hoeffding")),
        **both(f"asymptotic_normal_mixture_{column}", lambda: mixture(column)),
    }


def boundary(one_sided: bool) -> Ours:
    rho = normal_mixture_rho(100, 0.05, one_sided=one_sided)
    variances = np.array([1.0, 10.0, 100.0, 1000.0])
    return Ours(lambda: normal_mixture(variances, 0.05, rho, one_sided=one_sided).tolist())


OURS = {
    **of_column("error"),
    **of_column("bounded"),
    "running_mean/lower": Ours(lambda: [float(DATA["error"][:n].mean()) for n in STOPS]),
    "running_mean/upper": Ours(lambda: [float(DATA["bounded"][:n].mean()) for n in STOPS]),
    "betting_mart_error_m0.1/wealth": Ours(lambda: wealth(0.1)),
    "betting_mart_error_m0.2/wealth": Ours(lambda: wealth(0.2)),
    "betting_mart_error_m0.5/wealth": Ours(lambda: wealth(0.5)),
    "normal_mixture_bound_values/one_sided": boundary(one_sided=True),
    "normal_mixture_bound_values/two_sided": boundary(one_sided=False),
}
LEFT_OUT = {
    "*/n": "where the figures were taken",
    "*/v": "where the figures were taken",
    "conjmix_*": "conjugate mixtures for bounded losses: another method, wider than betting here or for 0/1 only",
    "bernoulli_confidence_interval_error/*": "the conjugate mixture for 0/1 in closed form: another method",
    "poly_stitching_*": "stitching: another method, wider at every figure of this case",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_confseq(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_the_running_mean_is_ours() -> None:
    made = Betting()
    made.extend(DATA["bounded"])
    assert made.mean == pytest.approx(DATA["bounded"].mean(), abs=1e-12)
