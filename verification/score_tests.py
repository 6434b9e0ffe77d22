"""Sizes and coverages of comparisons: AUCs, losses, costs, any measure, many classifiers, and whole verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from assay.comparison import (
    Difference,
    Rows,
    brier_losses,
    cost_difference,
    hanley_mcneil_difference,
    joint_auc,
    paired_loss_test,
    redelmeier,
    unpaired_auc,
)
from assay.evaluation.entry_points import compare
from assay.evidence import ScoreTable
from assay.evidence.paired import PairedDecisions
from assay.measures import registry
from verification._coverage import generator
from verification._row import Row, lowest_allowed

__all__ = ["jobs", "run"]

SAID = """Two or more classifiers on the same cases. An interval of a difference and the p-value beside it come from one
test, so one minus the coverage of a true difference of 0 is the size of that test. Scores are binormal with correlation
rho between the classifiers; "positives" counts the smaller class where classes have sizes of their own. Rows with a bar
of "-" show methods that are not the default, or a default outside its regime, beside what is expected of them."""

Floats = NDArray[np.float64]
Job = tuple[Any, ...]
LEVEL = 0.95

# Sizes of the two-sided tests at 5 % that the catalogue gives for equal AUCs (V4): class sizes, AUC, correlation.
EXPECTED_AUC = {
    ("DeLong", 60, 0.8, 0.5): 0.951,
    ("Hanley-McNeil", 60, 0.8, 0.5): 0.952,
    ("unpaired", 60, 0.8, 0.5): 0.994,
    ("DeLong", 30, 0.9, 0.8): 0.977,
    ("Hanley-McNeil", 30, 0.9, 0.8): 0.975,
    ("unpaired", 30, 0.9, 0.8): 1.0,
}
# The same for exchangeable forecasters (V7), and coverages of cost differences (V11).
EXPECTED_LOSS = {
    ("paired t", 50): 0.952,
    ("paired t", 300): 0.951,
    ("Redelmeier", 50): 0.951,
    ("Redelmeier", 300): 0.951,
}
EXPECTED_COST = {
    ("normal", 50): 0.730, ("normal", 200): 0.887, ("normal", 1000): 0.958,
    ("bdeltacost", 50): 0.612, ("bdeltacost", 200): 0.843, ("bdeltacost", 1000): 0.947,
    ("smoothed", 50): 1.0, ("smoothed", 200): 0.978, ("smoothed", 1000): 0.962,
}  # fmt: skip
MATRIX = (
    *("precision", "npv", "f1", "jaccard", "g_measure", "balanced_accuracy", "g_mean", "kappa", "mcc", "markedness"),
    *(
        "likelihood_ratio_positive",
        "likelihood_ratio_negative",
        "diagnostic_odds_ratio",
        "lift",
        "predicted_prevalence",
    ),
)
VERDICTS = ("roc_auc", "accuracy", "brier", "f1")
SCORED = ("average_precision", "pr_area", "partial_auc", "brier", "log_loss", "brier_skill", "log_loss_skill")


def jobs(*, quick: bool) -> list[Job]:
    """What is simulated, and its sizes and strengths."""
    sizes = ((30, 30), (20, 180)) if quick else ((20, 20), (30, 30), (60, 60), (20, 180), (30, 300), (100, 100))
    areas = ((0.8, 0.8), (0.95, 0.8)) if quick else ((0.7, 0.7), (0.8, 0.8), (0.95, 0.95), (0.95, 0.8), (0.99, 0.9))
    matrices = ((100, 0.1),) if quick else ((30, 0.5), (100, 0.5), (100, 0.1), (500, 0.1))
    return [
        *(("auc", *size, *area, rho) for size in sizes for area in areas for rho in (0.5, 0.8)),
        *(("named auc", *key) for key in EXPECTED_AUC),
        *(("joint", n, 3) for n in (50, 200)),
        *(("all pairs", n, k) for n in (50, 200) for k in (3, 5)),
        *(("unpaired", n, 0.9, 0.8) for n in (30, 100)),
        *(("partly", share) for share in (0.0, 0.3, 1.0)),
        *(("clusters", kind, g) for kind in ("one truth", "mixed truth") for g in (20, 60)),
        *(("loss", method, n, "exchangeable") for method, n in EXPECTED_LOSS),
        *(("loss", method, 300, "biased") for method in ("paired t", "Redelmeier")),
        *(("cost", method, n) for method, n in EXPECTED_COST),
        *(("matrix", n, share, kind) for n, share in matrices for kind in ("alike", "apart")),
        *(("scored", n, share, kind) for n in (100, 500) for share in (0.5, 0.2) for kind in ("alike", "apart")),
        *(("design", kind, name) for kind in ("weights", "clusters") for name in VERDICTS),
        *(("bootstrap", name) for name in ("roc_auc", "f1")),
        *(("verdict", name, n) for name in VERDICTS for n in (60, 200)),
    ]  # fmt: skip


def run(job: Job, replicates: int = 1000) -> list[Row]:
    """One design."""
    kind, *facts = job
    makers: dict[str, Callable[..., list[Row]]] = {
        "auc": _auc, "named auc": _named_auc, "joint": _joint, "all pairs": _all_pairs, "unpaired": _unpaired,
        "partly": _partly, "clusters": _clusters, "loss": _loss, "cost": _cost, "matrix": _matrix, "scored": _scored,
        "design": _design, "bootstrap": _bootstrap, "verdict": _verdict,
    }  # fmt: skip
    return makers[kind](generator("score tests", *job), replicates, *facts)


def _row(
    measure: str,
    design: str,
    n: int,
    positives: float,
    truth: float,
    found: Sequence[Difference],
    *,
    bar: float | None = None,
    expected: float = math.nan,
    method: str | None = None,
) -> Row:
    """Coverage over samples, from differences as users get them."""
    low, high = (np.array([getattr(d, side) for d in found]) for side in ("low", "high"))
    shown = ~np.isnan(low)
    held = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
    names = [d.method for d in found]
    said = method or max(sorted(set(names)), key=names.count)
    share, safe = float(shown.mean()), float((held | ~shown).mean())
    return Row(
        measure=f"{measure} difference",
        method=said,
        design=design,
        n=n,
        positives=positives,
        truth=truth,
        level=LEVEL,
        coverage=float(held[shown].mean()) if shown.any() else math.nan,
        error=math.sqrt(max(safe * (1 - safe), 0.25 / len(found)) / len(found)),
        width=float((high - low)[shown].mean()) if shown.any() else math.nan,
        missing=1 - share,
        bar=lowest_allowed(LEVEL) if bar is None else bar,
        expected=expected,
    )


def _scores(rng: Any, is_positive: NDArray[np.bool_], areas: Sequence[float], rho: float) -> dict[str, Floats]:
    """Binormal scores of several classifiers with these AUCs, correlated within class."""
    shared = rng.standard_normal(len(is_positive))
    own = rng.standard_normal((len(areas), len(is_positive)))
    shift = math.sqrt(2) * ndtri(np.asarray(areas))[:, None] * is_positive
    return dict(zip("abcdefgh", math.sqrt(rho) * shared + math.sqrt(1 - rho) * own + shift, strict=False))


def _auc(rng: Any, times: int, n1: int, n0: int, first: float, second: float, rho: float) -> list[Row]:
    truth = np.arange(n1 + n0) < n1
    found = [joint_auc(truth, _scores(rng, truth, (first, second), rho)).difference(0, 1) for _ in range(times)]
    words = f"{n1} against {n0}, AUC {first:g} and {second:g}, rho {rho:g}"
    return [_row("roc_auc", words, n1 + n0, n1, first - second, found)]


def _named_auc(rng: Any, times: int, method: str, n: int, area: float, rho: float) -> list[Row]:
    truth = np.arange(2 * n) < n

    def one() -> Difference:
        scores = _scores(rng, truth, (area, area), rho)
        if method == "Hanley-McNeil":
            return hanley_mcneil_difference(truth, *scores.values())
        if method == "DeLong":
            return joint_auc(truth, scores, distribution="normal").difference(0, 1)
        return unpaired_auc(*(ScoreTable.of(score, truth) for score in scores.values()))

    found = [one() for _ in range(2 * times)]
    expected = EXPECTED_AUC[method, n, area, rho]
    words = f"{n} against {n}, AUC {area:g} both, rho {rho:g}"
    return [_row("roc_auc", words, 2 * n, n, 0.0, found, bar=0.0, expected=expected, method=f"{method}, normal")]


def _joint(rng: Any, times: int, n: int, k: int) -> list[Row]:
    """The chi-squared test of k equal AUCs, as an interval that holds 0 or not."""
    truth = np.arange(2 * n) < n
    p = [joint_auc(truth, _scores(rng, truth, (0.8,) * k, 0.5)).test().p_value for _ in range(times)]
    found = [_as_interval("joint chi-squared", value, 2 * n) for value in p]
    return [_row("roc_auc", f"{k} equal AUCs, {n} against {n}", 2 * n, n, 0.0, found)]


def _as_interval(method: str, p_value: float, n: int) -> Difference:
    """A test that comes without an interval, as one that holds 0 or not."""
    low = -math.inf if p_value > 1 - LEVEL else 0.5
    return Difference("", "a", "b", 0.5, low, math.inf, LEVEL, p_value, method, n)


def _all_pairs(rng: Any, times: int, n: int, k: int) -> list[Row]:
    """Whether the adjusted intervals of all pairs hold at once, two of the classifiers being better than the others."""
    truth, areas = np.arange(2 * n) < n, (0.85, 0.85, 0.75, 0.75, 0.75)[:k]
    pairs = [(i, j) for i in range(k) for j in range(i)]

    def one() -> Difference:
        found = joint_auc(truth, _scores(rng, truth, areas, 0.5)).differences(pairs)
        held = all(d.low <= areas[i] - areas[j] <= d.high for d, (i, j) in zip(found, pairs, strict=True))
        return _as_interval(f"{found[0].method}, {found[0].adjusted}", 1.0 if held else 0.0, 2 * n)

    return [_row("roc_auc", f"{k} classifiers, {n} against {n}", 2 * n, n, 0.0, [one() for _ in range(times)])]


def _unpaired(rng: Any, times: int, n: int, first: float, second: float) -> list[Row]:
    truth = np.arange(2 * n) < n

    def one() -> Difference:
        return unpaired_auc(*(ScoreTable.of(_scores(rng, truth, (a,), 0.0)["a"], truth) for a in (first, second)))

    words = f"{n} against {n} twice, AUC {first:g} and {second:g}"
    return [_row("roc_auc", words, 4 * n, 2 * n, first - second, [one() for _ in range(times)])]


def _partly(rng: Any, times: int, share: float) -> list[Row]:
    """Scores of one classifier missing at random from the first half of either class, all of it for share 1."""
    n = 120
    truth = np.arange(2 * n) < n

    def one() -> Difference:
        scores = _scores(rng, truth, (0.85, 0.8), 0.7)
        if share == 1:
            scores["a"][::2], scores["b"][1::2] = math.nan, math.nan
        else:
            scores["b"][rng.random(2 * n) < share] = math.nan
        return joint_auc(truth, scores).difference(0, 1)

    kinds = {0.0: "all scores there", 1.0: "no case shared, half of the scores"}
    words = kinds.get(share, f"{share:.0%} of one classifier's scores missing")
    return [_row("roc_auc", words, 2 * n, n, 0.05, [one() for _ in range(times)])]


def _clusters(rng: Any, times: int, kind: str, groups: int) -> list[Row]:
    """Eight rows a cluster, half of the scores' variance shared inside it; with the clusters, and blind to them."""
    cluster = np.repeat(np.arange(groups), 8)

    def one() -> tuple[Difference, Difference]:
        truth = (rng.random(groups) < 0.4)[cluster] if kind == "one truth" else rng.random(len(cluster)) < 0.4
        scores = _scores(rng, truth, (0.8, 0.8), 0.3)
        for score in scores.values():
            score += rng.standard_normal(groups)[cluster]
        return tuple(joint_auc(rows, scores).difference(0, 1) for rows in (Rows(truth, cluster=cluster), Rows(truth)))  # type: ignore[return-value]

    found = [one() for _ in range(times)]
    size, words = len(cluster), f"{groups} clusters of 8, {kind}"
    return [
        _row("roc_auc", words, size, 0.4 * size, 0.0, [robust for robust, _ in found]),
        _row("roc_auc", f"{words}, clusters ignored", size, 0.4 * size, 0.0, [blind for _, blind in found], bar=0.0),
    ]


def _loss(rng: Any, times: int, method: str, n: int, kind: str) -> list[Row]:
    """Two forecasts with the same expected Brier score: both noisy, or two that are wrong in different ways."""

    def one() -> Difference:
        true = np.full(n, 0.05) if kind == "biased" else rng.beta(2, 2, n)
        outcome = rng.random(n) < true
        if kind == "biased":
            # Always a little too high, or far too high once in ten times: the same mean squared error.
            first, second = true + 0.5 * math.sqrt(0.1), true + 0.5 * (rng.random(n) < 0.1)
        else:
            first, second = (expit(np.log(true / (1 - true)) + rng.normal(0, 0.7, n)) for _ in range(2))
        if method == "Redelmeier":
            return _as_interval("Redelmeier", redelmeier(first, second, outcome).p_value, n)
        return paired_loss_test(brier_losses(first, outcome), brier_losses(second, outcome))

    found = [one() for _ in range(2 * times)]
    expected = EXPECTED_LOSS[method, n] if kind == "exchangeable" else math.nan
    bar = None if method == "paired t" else 0.0
    words = f"{'exchangeable noisy' if kind == 'exchangeable' else 'differently biased'} forecasts"
    return [_row("brier", words, n, n / 2, 0.0, found, bar=bar, expected=expected)]


def _cost(rng: Any, times: int, method: Any, n: int) -> list[Row]:
    """Rare dear errors: 20 more with probability .01, 20 less with .005, 1 more or less with .06 each."""
    losses = np.array([[0.0, 1.0], [20.0, 0.0]])
    share = np.zeros((2, 2, 2))
    share[1, 0, 1], share[1, 1, 0], share[0, 1, 0], share[0, 0, 1] = 0.01, 0.005, 0.06, 0.06
    share[0, 0, 0], share[1, 1, 1] = 0.565, 0.3
    truth = float((share * (losses[:, :, None] - losses[:, None, :])).sum())
    draws = rng.multinomial(n, share.ravel(), times // 2 if method == "smoothed" else times).reshape(-1, 2, 2, 2)
    found = [
        cost_difference(PairedDecisions(counts.astype(float), ("0", "1"), ("0", "1")), losses, method=method, seed=k)
        for k, counts in enumerate(draws)
    ]
    # The catalogue does not say how often the cheap errors happen, which moves its figures for few cases.
    expected = EXPECTED_COST[method, n] if n > 50 else math.nan
    bar = None if method == "smoothed" else 0.0
    return [_row("expected_cost", "rare errors that cost 20", n, 0.315 * n, truth, found, bar=bar, expected=expected)]


def _joint_cells(share: float, kind: str) -> Floats:
    """Cells of (truth, decision, decision): sensitivities and specificities alike or apart, decisions correlated."""
    (s1, s2), (c1, c2) = ((0.8, 0.8), (0.9, 0.9)) if kind == "alike" else ((0.9, 0.7), (0.95, 0.9))
    cells = []
    for weight, p, q in ((1 - share, 1 - c1, 1 - c2), (share, s1, s2)):
        both = 0.5 * min(p, q) + 0.5 * p * q
        cells.append(weight * np.array([[1 - p - q + both, q - both], [p - both, both]]))
    return np.stack(cells)


def _matrix(rng: Any, times: int, n: int, share: float, kind: str) -> list[Row]:
    cells = _joint_cells(share, kind)
    whole = PairedDecisions(cells, ("0", "1"), ("0", "1"))
    found: dict[str, list[Difference]] = {name: [] for name in MATRIX}
    for counts in rng.multinomial(n, cells.ravel(), times // 8):
        truth, first, second = np.unravel_index(np.repeat(np.arange(8), counts), (2, 2, 2))
        # Where the sample holds a single class, the other has to be named.
        classes = None if 0 < truth.sum() < n else [0, 1]
        cmp = compare(truth, y_pred={"a": first, "b": second}, positive="1", classes=classes)
        for name in MATRIX:
            found[name].append(cmp.difference(name, "a", "b"))
    words = f"classifiers {kind}, {share:.0%} positive"
    truths = {name: float(registry[name](whole.first) - registry[name](whole.second)) for name in MATRIX}
    return [_row(name, words, n, n * share, truths[name], found[name]) for name in MATRIX]


def _scored(rng: Any, times: int, n: int, share: float, kind: str) -> list[Row]:
    gaps = (1.5, 1.5) if kind == "alike" else (2.2, 1.2)
    large = _probabilities(generator("population", share, kind), 1_000_000, share, gaps)
    tables = [ScoreTable.of(p, large[0]) for p in large[1]]
    found: dict[str, list[Difference]] = {name: [] for name in SCORED}
    for _ in range(times // 2):
        truth, (first, second) = _probabilities(rng, n, share, gaps)
        cmp = compare(truth, {"a": first, "b": second})
        for name in SCORED:
            found[name].append(cmp.difference(name, "a", "b"))
    rows = []
    for name in SCORED:
        truth_value = 0.0 if kind == "alike" else float(registry[name](tables[0]) - registry[name](tables[1]))
        rows.append(_row(name, f"classifiers {kind}, {share:.0%} positive", n, n * share, truth_value, found[name]))
    return rows


def _probabilities(rng: Any, n: int, share: float, gaps: Sequence[float]) -> tuple[NDArray[np.bool_], list[Floats]]:
    """Truth, and probabilities that two classifiers give: logistic functions of correlated normal scores."""
    truth, shared = rng.random(n) < share, rng.standard_normal(n)
    offset = math.log(share / (1 - share))
    scores = [gap * truth + math.sqrt(0.5) * shared + math.sqrt(0.5) * rng.standard_normal(n) for gap in gaps]
    return truth, [expit(gap * score - gap**2 / 2 + offset) for gap, score in zip(gaps, scores, strict=True)]


def _design(rng: Any, times: int, kind: str, name: str) -> list[Row]:
    """Equal classifiers on 300 rows with log-normal weights, or on 40 clusters of 8."""

    def one() -> Difference:
        if kind == "weights":
            truth, (first, second) = _probabilities(rng, 300, 0.4, (1.5, 1.5))
            return compare(truth, {"a": first, "b": second}, weight=np.exp(0.7 * rng.standard_normal(300))).difference(
                name, "a", "b"
            )
        cluster = np.repeat(np.arange(40), 8)
        truth = rng.random(320) < 0.4
        scores = [1.5 * truth + rng.standard_normal(40)[cluster] + rng.standard_normal(320) for _ in range(2)]
        first, second = (expit(score - 1.0) for score in scores)
        return compare(truth, {"a": first, "b": second}, cluster=cluster).difference(name, "a", "b")

    n = 300 if kind == "weights" else 320
    return [_row(name, f"equal classifiers, {kind}", n, 0.4 * n, 0.0, [one() for _ in range(times // 2)])]


def _bootstrap(rng: Any, times: int, name: str) -> list[Row]:
    def one() -> Difference:
        truth, (first, second) = _probabilities(rng, 200, 0.4, (1.5, 1.5))
        return compare(truth, {"a": first, "b": second}).difference(name, "a", "b", method="bootstrap")

    return [_row(name, "equal classifiers", 200, 80, 0.0, [one() for _ in range(times // 4)])]


def _verdict(rng: Any, times: int, name: str, n: int) -> list[Row]:
    """How often equal classifiers are not called better: from arrays to the words."""

    def one() -> Difference:
        truth, (first, second) = _probabilities(rng, n, 0.4, (1.5, 1.5))
        verdict = compare(truth, {"a": first, "b": second}).verdict(name, "a", "b")
        return _as_interval(f"verdict, {verdict.method}", 0.0 if verdict.outcome == "better" else 1.0, n)

    found = [one() for _ in range(times // 2)]
    return [_row(name, "equal classifiers, whole verdict", n, 0.4 * n, 0.0, found, bar=LEVEL)]
