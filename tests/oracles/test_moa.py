"""MOA's prequential evaluators: cumulative, window, fading, EWMA, and its prequential AUC."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

from assay import streams
from assay.evidence import ConfusionMatrix
from assay.measures import find
from assay.streams import View

LABELS, SEA = "moa_prequential", "moa_sea_two_learners"
KAPPAS = {
    "classifications correct (percent)": "accuracy",
    "Kappa Statistic (percent)": "kappa",
    "Kappa Temporal Statistic (percent)": "kappa_temporal",
    "Kappa M Statistic (percent)": "kappa_m",
}
OF_ONE_CLASS = {"F1 Score": "f1", "Precision": "precision", "Recall": "recall"}
Snapshot = dict[str, float]


def of_each_class(matrix: ConfusionMatrix, name: str) -> list[float]:
    return [float(find(name)(each)) for each in matrix.by_class()]


def label_figures(view: View, *, averages_are: str) -> Snapshot:
    """MOA's titles, in percent: its plain averages are micro ones in one build, of macro values in the other."""
    matrix = view.matrix
    found = {title: 100 * view.value(name) for title, name in KAPPAS.items()}
    each = {title: of_each_class(matrix, name) for title, name in OF_ONE_CLASS.items()}
    for title, values in each.items():
        found |= {f"{title} for class {k} (percent)": 100 * value for k, value in enumerate(values)}
        found[f"{title} macro (percent)"] = 100 * float(np.mean(values))
        found[f"{title} (percent)"] = 100 * (
            view.value("accuracy") if averages_are == "micro" else float(np.mean(values))
        )
    if averages_are == "macro":
        precision, recall = (np.mean(each[title]) for title in ("Precision", "Recall"))
        found["F1 Score (percent)"] = 100 * float(2 * precision * recall / (precision + recall))
    return found


def uncorrected(view: View) -> Snapshot:
    """MOA's EWMA: fading sums of weights that sum to 1 only in the end, so that its start is biased towards 0."""
    share = 1 - view.spec.factor
    matrix = ConfusionMatrix(share * view.matrix.counts)
    tally = view.tally
    assert tally is not None
    same, majority = (share * tally.scale * hits for hits in (tally.same, tally.majority))  # type: ignore[union-attr]
    right, by_chance = float(matrix.correct), float(matrix.actual @ matrix.predicted)
    against = {"Kappa Statistic": by_chance, "Kappa Temporal Statistic": same, "Kappa M Statistic": majority}
    kappas = {f"{title} (percent)": 100 * (right - base) / (1 - base) for title, base in against.items()}
    return {"classifications correct (percent)": 100 * right, **kappas}


def snapshots(run: streams.Prequential, truth: np.ndarray, every: int, **said: Any) -> Iterator[int]:
    for start in range(0, len(truth), every):
        piece = slice(start, start + every)
        run.update_many(truth[piece], **{name: values[piece] for name, values in said.items()})
        yield start + every


@cache
def of_labels() -> dict[str, float]:
    data = columns(LABELS)
    votes = np.column_stack([data[f"vote_{k}"] for k in range(3)])
    views = (streams.cumulative(), streams.sliding(250), streams.fading(0.999), streams.fading(0.99))
    run = streams.prequential(classes=(0, 1, 2), views=views, peeks=True)
    found: dict[str, float] = {}
    for rows in snapshots(run, data["y_true"].astype(int), 500, scores=votes):
        for theirs, view in zip(("basic", "window", "fading_0.999"), run.views.values(), strict=False):
            told = label_figures(view, averages_are="macro") | {"classified instances": float(run.events)}
            found |= {f"{theirs}@{rows}.{title}": value for title, value in told.items()}
        told = uncorrected(run.view("fading 0.99")) | {"classified instances": float(run.events)}
        found |= {f"ewma@{rows}.{title}": value for title, value in told.items()}
    return found


def score_figures(view: View, *, majority: bool) -> Snapshot:
    matrix = view.matrix
    names = {"AUC": "roc_auc", "Accuracy": "accuracy", "Kappa": "kappa", "G-Mean": "g_mean", "Recall": "recall"}
    found = {title: view.value(name) for title, name in names.items()}
    found["Pos/Neg ratio"] = float(matrix.positives / matrix.negatives)
    return found | ({"KappaM": view.value("kappa_m")} if majority else {})


@cache
def of_learner(learner: str) -> dict[str, float]:
    data = columns(SEA)
    votes = np.column_stack([data[f"{learner}_{k}"] for k in range(2)])
    views = (streams.cumulative(), streams.sliding(500), streams.fading(0.995), streams.fading(0.98))
    run = streams.prequential(classes=(0, 1), positive=1, views=views, peeks=True)
    found: dict[str, float] = {}
    said = {"prediction": votes.argmax(1), "score": votes[:, 1]}
    for rows in snapshots(run, data["y_true"].astype(int), 1000, **said):
        whole, window, fading, ewma = run.views.values()
        every = {
            "basic": label_figures(whole, averages_are="micro") | {"classified instances": float(run.events)},
            "window500": label_figures(window, averages_are="micro"),
            "fading0.995": label_figures(fading, averages_are="micro"),
            "ewma0.02": uncorrected(ewma),
            "windowauc500": score_figures(window, majority=False),
            "basicauc": score_figures(whole, majority=True),
        }
        for theirs, told in every.items():
            found |= {f"{learner}.{theirs}@{rows}.{title}": value for title, value in told.items()}
    return found


def ours(case: str) -> dict[str, Ours]:
    values = of_labels() if case == LABELS else of_learner("nb") | of_learner("ht")
    paths = {leaf.path for leaf in leaves(case)}
    return {path: Ours(lambda value=value: value) for path, value in values.items() if path in paths}  # type: ignore[misc]


LEFT_OUT = {
    LABELS: {},
    SEA: {
        "*.adwin@*": "every estimator is cut by an ADWIN of its own: a convention of MOA's, and no view of one window",
        "*.detector.*": "drift detectors look at the errors and judge no classifier",
        "*auc*.sAUC": "the scored AUC, a mean of score differences: no measure of ours",
        "*.windowauc500@*.Periodical holdout AUC": "of the block finished before the current row: a tumbling window's",
        "*.windowauc500@*.KappaM": "another baseline, which its authors do not state",
    },
}


@pytest.mark.parametrize("case", list(LEFT_OUT))
def test_moa(case: str) -> None:
    found = ours(case)
    for leaf in leaves(case):
        check(leaf, found, LEFT_OUT[case])


@pytest.mark.parametrize("case", list(LEFT_OUT))
def test_lists_hold_nothing_stale(case: str) -> None:
    check_lists(leaves(case), ours(case), LEFT_OUT[case])


def test_a_tumbling_window_has_the_auc_of_its_block() -> None:
    data = columns(SEA)
    wanted: dict[str, Leaf] = {leaf.path: leaf for leaf in leaves(SEA)}
    run = streams.prequential(classes=(0, 1), positive=1, views=(streams.tumbling(500),))
    truth, votes = data["y_true"].astype(int), np.column_stack([data["nb_0"], data["nb_1"]])
    for rows in snapshots(run, truth, 500, prediction=votes.argmax(1), score=votes[:, 1]):
        theirs = wanted.get(f"nb.windowauc500@{rows + 500}.Periodical holdout AUC")
        if theirs is not None:
            assert run.view("tumbling 500").value("roc_auc") == pytest.approx(theirs.expected, abs=1e-9)


def test_moa_counts_the_current_event_into_the_majority_and_we_do_not() -> None:
    data = columns(LABELS)
    truth, votes = data["y_true"].astype(int), np.column_stack([data[f"vote_{k}"] for k in range(3)])
    peeking, honest = (streams.prequential(classes=(0, 1, 2), peeks=peeks) for peeks in (True, False))
    for run in (peeking, honest):
        run.update_many(truth, scores=votes)
    hits, seen = 0, [0, 0, 0]
    for label in truth.tolist():
        hits += max(seen) > 0 and seen.index(max(seen)) == label
        seen[label] += 1
    right = honest.view("cumulative").matrix.correct
    assert honest.view("cumulative").value("kappa_m") == pytest.approx((right - hits) / (len(truth) - hits), abs=1e-12)
    assert peeking.view("cumulative").value("kappa_m") < honest.view("cumulative").value("kappa_m")
