"""Packages that judge classifiers in Python, on data of our own; `data/peers` names versions, seeds and calls."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, Literal

import numpy as np
import pytest
from scipy.special import stdtrit
from tests.oracles.foreign import Ours, check, check_lists, expected, leaves

from assay.calibration import bias, corp_parts, equal_width
from assay.evidence import ScoreTable
from assay.experiments.algorithm_tests import correlated_t
from assay.experiments.estimates import FoldScores
from assay.ranks.bayesian import bayesian_signed_rank
from assay.ranks.omnibus import friedman, ranks_within
from assay.ranks.posthoc import adjusted, nemenyi_difference, nemenyi_p_value, pairs_of, wilcoxon

PEERS = ("baycomp", "ranks", "model_diagnostics")
LEAVES = {peer: leaves(f"peers/{peer}") for peer in PEERS}


def data(peer: str, name: str) -> Any:
    return np.array(expected(f"peers/{peer}")["data"][name])


def folds(name: str, count: int) -> FoldScores:
    """Ten folds of equal size, over again where there are more scores."""
    return FoldScores("accuracy", data("baycomp", name)[:count], np.full(count, 90.0), np.full(count, 10.0))


def believed(count: int, rope: float) -> list[float]:
    found = correlated_t(folds("a", count), folds("b", count), rope)
    return [found.right, found.inside, found.left] if rope else [found.right, found.left]


def drawn(rope: float) -> list[float]:
    found = bayesian_signed_rank(data("baycomp", "da"), data("baycomp", "db"), rope=rope)
    shares = [found.first_better, found.same, found.second_better]
    return shares if rope else shares[::2]


def square(upper: Any, size: int) -> list[list[float]]:
    """Figures of pairs as a symmetric matrix, 1 on its diagonal."""
    whole = np.ones((size, size))
    for value, (i, j) in zip(upper, pairs_of(size), strict=True):
        whole[i, j] = whole[j, i] = value
    return whole.tolist()


def mean_ranks(name: str) -> list[float]:
    return ranks_within(data("ranks", name)).mean(0).tolist()  # type: ignore[no-any-return]


def friedman_figure(name: str, figure: str) -> float:
    return float(getattr(friedman(data("ranks", name)), figure))


def nemenyi(name: str) -> list[list[float]]:
    means, datasets = mean_ranks(name), len(data("ranks", name))
    apart = np.array([abs(means[i] - means[j]) for i, j in pairs_of(len(means))])
    return square(nemenyi_p_value(apart, len(means), datasets), len(means))


def wilcoxon_holm(name: str) -> list[list[float]]:
    gains = data("ranks", name)
    each = [wilcoxon(gains[:, i], gains[:, j]).p_value for i, j in pairs_of(gains.shape[1])]
    return square(adjusted(np.array(each), "holm"), gains.shape[1])


@cache
def probabilities() -> ScoreTable:
    return ScoreTable.of(data("model_diagnostics", "p"), data("model_diagnostics", "y") == 1)


def bias_error() -> float:
    """Read back from our interval, whose t has the degrees of the smaller class."""
    table, found = probabilities(), bias(probabilities())
    quantile = float(stdtrit(min(table.negatives, table.positives) - 1, 0.975))
    return (found.high - found.low) / 2 / quantile


def bias_by_fifth() -> list[float]:
    fifths = equal_width(probabilities(), 5, closed="right")
    return (fifths.mean - fifths.rate).tolist()  # type: ignore[no-any-return]


def decomposed(rule: Literal["brier", "log_loss"], part: str) -> float:
    return float(getattr(corp_parts(probabilities(), rule), part).value)


PARTS = {"score": "mean", **{part: part for part in ("miscalibration", "discrimination", "uncertainty")}}
OURS: dict[str, dict[str, Ours]] = {
    "baycomp": {
        **{
            f"correlated_t/{count}/{rope}": Ours(partial(believed, count, rope))
            for count in (10, 50)
            for rope in (0, 0.01, 0.03)
        },
        **{f"signed_rank/{rope}": Ours(partial(drawn, rope)) for rope in (0, 0.01, 0.02)},
    },
    "ranks": {"wilcoxon_holm/plain": Ours(lambda: wilcoxon_holm("plain"))},
    "model_diagnostics": {
        "bias/all/mean": Ours(lambda: bias(probabilities()).value),
        "bias/all/stderr": Ours(bias_error),
        "bias/bins/mean": Ours(bias_by_fifth),
        "bias/bins/count": Ours(lambda: equal_width(probabilities(), 5, closed="right").total.tolist()),
    },
}
for rule in ("brier", "log_loss"):
    OURS["model_diagnostics"] |= {
        f"decompose/{rule}/{theirs}": Ours(partial(decomposed, rule, part)) for theirs, part in PARTS.items()
    }
for kind in ("plain", "tied"):
    gains = data("ranks", kind)
    OURS["ranks"] |= {
        f"nemenyi/{kind}": Ours(partial(nemenyi, kind)),
        f"friedman/{kind}/statistic": Ours(partial(friedman_figure, kind, "statistic")),
        f"friedman/{kind}/p": Ours(partial(friedman_figure, kind, "p_value")),
        f"autorank/{kind}/p": Ours(partial(friedman_figure, kind, "p_value")),
        f"autorank/{kind}/cd": Ours(partial(nemenyi_difference, gains.shape[1], len(gains))),
        f"autorank/{kind}/ranks": Ours(partial(mean_ranks, kind)),
    }


@pytest.mark.parametrize(("peer", "place"), [(peer, k) for peer in PEERS for k in range(len(LEAVES[peer]))])
def test_peers(peer: str, place: int) -> None:
    check(LEAVES[peer][place], OURS[peer], {})


@pytest.mark.parametrize("peer", PEERS)
def test_lists_hold_nothing_stale(peer: str) -> None:
    check_lists(LEAVES[peer], OURS[peer], {})
