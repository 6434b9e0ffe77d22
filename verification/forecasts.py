"""The power of gates and plans, and the widths and differences that verdicts foretell, against what then happens."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

import assay
from assay.comparison import cases_factor, joint_auc, unpaired_auc
from assay.comparison.power import plan_auc_against, plan_auc_difference, score_test_power
from assay.evaluation import half_width_at
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import registry
from assay.testing import Gate, gate_power, parse
from assay.testing.gates import judge
from assay.uncertainty import auc_interval
from verification._coverage import generator
from verification._label_rows import NO_FLOOR, binomial, one_row
from verification._plan_power import power_loss, power_paired, power_unpaired
from verification._row import Row

__all__ = ["jobs", "run"]

SAID = """What is foretold, against what happens, by the default methods.

Gates: 210 gates drawn at random (cases of the share, bound, true value, level, what was seen); the power that
`assay check --power-for` prints against the verdicts of the gate on every count there can be; **coverage** is one less
the largest distance of the two. Of an AUC, **expected** is the power printed from samples of another AUC and
**coverage** the share of 10,000 samples that fail; it is taken as normal, and may be .03 off.

Plans: **coverage** is the power at the planned number of cases: the share of 10,000 samples (standard error .004) in
which the default test finds the difference; of accuracy it is summed exactly. The bar is .02 below the power promised.

Differences that would show in 4 of 5 samples: **coverage** is the share of 10,000 samples in which such a true
difference is found, where one classifier is as good as in the samples that were inconclusive and the other worse by as
much. The bar is .02 below .80.

Widths: **coverage** is the mean width on fresh samples of as many cases as were foretold to halve it, over the mean
width before; **expected** .5, at most a tenth off."""

Job = tuple[Any, ...]
Floats = NDArray[np.float64]
DRAWS = 10_000
SHORT = 0.02
GATES, MOST_CASES = 70, 400

AGAINST = (
    *((0.75, 0.5, prevalence) for prevalence in (0.5, 0.2, 0.05)),
    *((0.65, 0.5, prevalence) for prevalence in (0.5, 0.1)),
    *((0.85, 0.5, 0.3), (0.6, 0.5, 0.2), (0.9, 0.8, 0.5), (0.9, 0.8, 0.1), (0.85, 0.8, 0.2), (0.7, 0.75, 0.5)),
)
TOLD_APART = (
    *((0.85, 0.8, 0.5, 0.5), (0.85, 0.8, 0.5, 0.1), (0.85, 0.8, 0.8, 0.2), (0.9, 0.8, 0.5, 0.05)),
    *((0.9, 0.8, 0.5, 0.5), (0.8, 0.7, 0.3, 0.1), (0.7, 0.6, 0.5, 0.5), (0.95, 0.9, 0.5, 0.5)),
    *((0.85, 0.8, None, 0.3), (0.9, 0.8, None, 0.5)),
)
# Cases, positives, AUC, correlation of the scores within a class.
INCONCLUSIVE = ((200, 100, 0.85, 0.5), (400, 40, 0.9, 0.5), (1000, 300, 0.75, 0.8), (1000, 50, 0.85, 0.5))
WIDTHS = ((300, 90, 0.85), (300, 90, 0.97), (300, 15, 0.85), (150, 75, 0.99))


def jobs(*, quick: bool) -> list[Job]:
    """What is foretold, and its design."""
    gates: list[Job] = [("gates", measure) for measure in ("accuracy", "recall", "specificity")]
    gates += [("gate_auc", 300, 90, 0.86, 0.8, 0.05), ("gate_auc", 1000, 200, 0.8, 0.85, 0.03)]
    plans: list[Job] = [("against", *one) for one in (AGAINST[:2] if quick else AGAINST)]
    plans += [("apart", *one) for one in (TOLD_APART[:1] if quick else TOLD_APART)]
    pairs = ((0.9, 0.87, 0.1), (0.9, 0.8, 0.14), (0.7, 0.65, 0.3), (0.95, 0.9, 0.07))
    plans += [("paired", *one) for one in pairs]
    plans += [("unpaired", 0.9, 0.87), ("unpaired", 0.7, 0.6), ("unpaired", 0.95, 0.85)]
    plans += [("loss", 0.01, 0.1), ("loss", 0.02, 0.1)]
    shown: list[Job] = [("shown", *one) for one in (INCONCLUSIVE[:1] if quick else INCONCLUSIVE)]
    shown += [("shown_accuracy", n, right) for n, right in ((400, 0.85), (150, 0.7), (1000, 0.95))]
    widths: list[Job] = [("width", *one) for one in (WIDTHS[:1] if quick else WIDTHS)]
    return gates + plans + shown + widths


def run(job: Job, replicates: int = DRAWS) -> list[Row]:
    """The rows of one design."""
    drawn: dict[str, Callable[..., list[Row]]] = {
        "gate_auc": _gate_auc,
        "against": _against,
        "apart": _apart,
        "loss": power_loss,
        "shown": _shown,
    }
    summed: dict[str, Callable[..., list[Row]]] = {
        "gates": _gates,
        "paired": power_paired,
        "unpaired": power_unpaired,
        "shown_accuracy": _shown_accuracy,
        "width": _width,
    }
    kind, *design = job
    return drawn[kind](*design, replicates) if kind in drawn else summed[kind](*design)


def _gates(measure: str) -> list[Row]:
    """The largest distance of the printed power from that of the gate's verdicts on every count."""
    rng, furthest = generator("gates", measure), 0.0
    for _ in range(GATES):
        n, level = int(rng.integers(12, MOST_CASES)), float(rng.choice([0.8, 0.9, 0.95, 0.99]))
        bound, worse = round(float(rng.uniform(0.3, 0.97)), 3), round(float(rng.uniform(0.01, 0.25)), 3)
        requirement = f"{measure}{rng.choice(['', '.low', '.value', '.high'])} >= {bound}"
        cells = _cells(measure, int(rng.integers(1, n)), n)
        labels = np.repeat([1, 0, 1, 0], cells)
        gate = Gate.of(np.repeat([1, 1, 0, 0], cells), y_pred=labels, positive=1, level=level)
        found = gate_power(gate.check(requirement)[0].findings[0], worse)
        (demand,), fails, stops = parse(requirement).demands, 0.0, 0.0
        for count, weight in enumerate(binomial(n, bound - worse)):
            tp, fn, fp, tn = _cells(measure, count, n)
            matrix = ConfusionMatrix.binary(tp=tp, fn=fn, fp=fp, tn=tn)
            status = judge(demand, registry[measure].estimate(matrix, level=level), "", rows=n).status
            fails, stops = fails + weight * (status == "fail"), stops + weight * (status != "pass")
        furthest = max(furthest, abs(found.fails - fails), abs(found.stops - stops))
    return [
        one_row(
            "power of a gate",
            found.method,
            f"{GATES} gates of 12 to {MOST_CASES} cases: {measure}",
            MOST_CASES,
            1 - furthest,
            bar=0.99,
        )
    ]


def _cells(measure: str, right: int, n: int) -> tuple[int, int, int, int]:
    wrong = n - right
    return {"accuracy": (right, wrong, 0, 0), "recall": (right, wrong, 3, 4), "specificity": (5, 6, wrong, right)}[
        measure
    ]


def _scores(rng: np.random.Generator, truth: NDArray[np.bool_], areas: tuple[float, ...], shared: float) -> Floats:
    """Normal scores of several classifiers with these AUCs, correlated within a class; a column each."""
    noise = rng.standard_normal((len(truth), len(areas)))
    noise = math.sqrt(1 - shared) * noise + math.sqrt(shared) * rng.standard_normal((len(truth), 1))
    found: Floats = noise + math.sqrt(2) * ndtri(np.array(areas)) * truth[:, None]
    return found


def _gate_auc(n: int, positives: int, seen: float, bound: float, worse: float, replicates: int) -> list[Row]:
    rng, truth = generator("gate_auc", n, positives, seen, bound), np.arange(n) < positives
    printed = []
    for _ in range(10):
        gate = Gate.of(truth.astype(int), _scores(rng, truth, (seen,), 0)[:, 0], positive=1)
        printed.append(gate_power(gate.check(f"roc_auc >= {bound}")[0].findings[0], worse).fails)
    failed = 0
    for _ in range(replicates):
        table = ScoreTable.of(_scores(rng, truth, (bound - worse,), 0)[:, 0], truth)
        failed += auc_interval(table, 0.95).high < bound
    words, facts = (
        f"roc_auc >= {bound:g}, truly {bound - worse:g}, seen {seen:g}",
        {"expected": float(np.mean(printed))},
    )
    method = "normal, interval at that value"
    power = failed / replicates
    return [one_row("power of a gate", method, words, n, power, positives=positives, bar=NO_FLOOR, slack=0.03, **facts)]


def _plan_row(what: str, method: str, words: str, n: int, positives: int, power: float) -> Row:
    return one_row(what, method, words, n, power, positives=positives, truth=math.nan, bar=0.8 - SHORT)


def _against(auc: float, bound: float, prevalence: float, replicates: int) -> list[Row]:
    plan = plan_auc_against(auc, bound, prevalence=prevalence)
    assert plan.positives is not None
    rng, truth = generator("against", auc, bound, prevalence), np.arange(plan.cases) < plan.positives
    found = 0
    for _ in range(replicates):
        interval = auc_interval(ScoreTable.of(_scores(rng, truth, (auc,), 0)[:, 0], truth), 0.95)
        found += interval.low > bound if auc > bound else interval.high < bound
    words = f"{auc:g} against {bound:g}, prevalence {prevalence:g}"
    return [_plan_row("plan: one AUC", plan.method, words, plan.cases, plan.positives, found / replicates)]


def _apart(first: float, second: float, correlation: float | None, prevalence: float, replicates: int) -> list[Row]:
    is_paired = correlation is not None
    plan = plan_auc_difference(first, second, correlation=correlation or 0.0, prevalence=prevalence, paired=is_paired)
    assert plan.positives is not None
    rng = generator("apart", first, second, correlation, prevalence)
    truth, found = np.arange(plan.cases) < plan.positives, 0
    for _ in range(replicates):
        one, other = _scores(rng, truth, (first, second), correlation or 0.0).T
        if is_paired:
            difference = joint_auc(truth, {"a": one, "b": other}).difference(0, 1)
        else:
            difference = unpaired_auc(ScoreTable.of(one, truth), ScoreTable.of(other, truth))
        found += difference.low > 0
    how = f"correlation {correlation:g}" if is_paired else "each on cases of its own"
    words = f"{first:g} and {second:g}, {how}, prevalence {prevalence:g}"
    return [_plan_row("plan: two AUCs", plan.method, words, plan.cases, plan.positives, found / replicates)]


def _shown(n: int, positives: int, auc: float, correlation: float, replicates: int) -> list[Row]:
    rng, truth = generator("shown", n, positives, auc, correlation), np.arange(n) < positives
    foretold: list[float] = []
    while len(foretold) < 50:
        drawn = _scores(rng, truth, (auc, auc), correlation)
        cmp = assay.compare(truth.astype(int), {"a": drawn[:, 0], "b": drawn[:, 1]}, positive=1)
        verdict = cmp.verdict("roc_auc", "a", "b")
        foretold += [verdict.detectable] if verdict.outcome == "cannot tell" else []
    gap, found = float(np.mean(foretold)), 0
    for _ in range(replicates):
        one, other = _scores(rng, truth, (auc, auc - gap), correlation).T
        found += joint_auc(truth, {"a": one, "b": other}).difference(0, 1).low > 0
    words = f"{auc:g}, lower by {gap:.3f}, correlation {correlation:g}"
    return [_plan_row("difference that would show: AUC", "paired DeLong", words, n, positives, found / replicates)]


def _shown_accuracy(n: int, share: float) -> list[Row]:
    """Errors that are independent of one another, in the samples at hand and later; summed exactly."""
    rng, foretold = generator("shown_accuracy", n, share), list[float]()
    truth = np.arange(n) % 2
    while len(foretold) < 50:
        right = rng.random((2, n)) < share
        labels = {name: np.where(one, truth, 1 - truth) for name, one in zip("ab", right, strict=True)}
        verdict = assay.compare(truth, y_pred=labels, positive=1).verdict("accuracy", "a", "b")
        foretold += [verdict.detectable] if verdict.outcome == "cannot tell" else []
    gap = float(np.mean(foretold))
    lower = share - gap
    power = score_test_power(n, share * (1 - lower) + lower * (1 - share), gap)
    words = f"{share:g}, lower by {gap:.3f}, independent errors"
    return [_plan_row("difference that would show: accuracy", "score test", words, n, n // 2, power)]


def _width(n: int, positives: int, auc: float) -> list[Row]:
    rng = generator("width", n, positives, auc)

    def evaluated(times: float) -> Any:
        ones, total = round(times * positives), round(times * n)
        truth, d = np.arange(total) < ones, math.sqrt(2) * ndtri(auc)
        score = expit(d * (_scores(rng, truth, (auc,), 0)[:, 0] - d / 2) + math.log(positives / (n - positives)))
        return assay.evaluate(truth.astype(int), score, positive=1)

    rows = []
    for measure in ("roc_auc", "accuracy", "brier", "log_loss", "average_precision"):
        widths: list[list[float]] = [[], []]
        factors = []
        for _ in range(100):
            ev = evaluated(1)
            found, named = ev.estimate(measure), ev.find(measure)
            half = (found.high - found.low) / 2
            at = half_width_at(partial(ev.estimate_of, named), ev.evidence_for(named))
            factors.append(cases_factor(half, half / 2, at))
            widths[0].append(half)
        factor = float(np.mean(factors))
        for _ in range(100):
            found = evaluated(factor).estimate(measure)
            widths[1].append((found.high - found.low) / 2)
        after = float(np.mean(widths[1]) / np.mean(widths[0]))
        words = f"AUC {auc:g}, {factor:.2f} times as many"
        rows.append(
            one_row(
                f"width: {registry[measure].title}", found.method, words, n, after, positives=positives, bar=NO_FLOOR,
                expected=0.5, slack=0.05,
            )
        )  # fmt: skip
    return rows
