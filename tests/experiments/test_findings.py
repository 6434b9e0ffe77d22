"""What a study says of a learner beyond its mean: every estimate of each plan, the winner, costs, flow, ROC curves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from tests.experiments.learning import Fussy

from assay.curves import AveragedRoc, Curve
from assay.errors import AssayError, InputError, UnknownName
from assay.experiments import Study, experiment, kfold, open_study
from assay.experiments.estimates import CaseLosses, bootstrap_error, fold_auc, pooled_loss
from assay.experiments.optimism import winner, winners_table
from assay.experiments.plans import (
    Plan,
    bootstrap,
    grouped_kfold,
    holdout,
    leave_one_out,
    leave_pair_out,
    repeated_kfold,
    resubstitution,
    shuffle,
    time_series,
)
from assay.uncertainty.proportions import wilson

RNG = np.random.default_rng(11)
Y = (np.arange(240) * 7 % 12 < 5).astype(int)
X = RNG.normal(size=(240, 3)) + 0.8 * Y[:, None]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder, made = tmp_path_factory.mktemp("studies"), list[Study]()

    def study(plan: Plan, learners: Any = "nb", data: Any = (X, Y)) -> Study:
        made.append(experiment(data, learners, plan, store=folder / f"{len(made)}.db", jobs=1))
        return made[-1]

    yield study
    for each in made:
        each.store.close()


@pytest.fixture(scope="module")
def folded(run: Any) -> Study:
    study: Study = run(repeated_kfold(5, 2), ["nb", "lda", "stump"])
    return study


@pytest.fixture(scope="module")
def once(run: Any) -> Study:
    study: Study = run(kfold(5), ["nb", "lda"])
    return study


POOLED = "pooled folds, Wilson, widened for folds"
FOLDED = ["Nadeau-Bengio corrected t", POOLED, "Bayle, spread about the mean", "Bayle, spread within folds"]
METHODS = {
    "kfold": (kfold(5), [*FOLDED, "LeDell, n - 1, logit"]),
    "shuffle": (shuffle(5), ["Nadeau-Bengio corrected t"]),
    "holdout": (holdout(), ["Wilson"]),
    "bootstrap": (bootstrap(6), ["Nadeau-Bengio corrected t", "leave-one-out bootstrap", ".632", ".632+"]),
    "time_series": (time_series(3), ["Nadeau-Bengio corrected t"]),
    "resubstitution": (resubstitution(), ["Nadeau-Bengio corrected t"]),
}


@pytest.mark.parametrize("kind", METHODS)
def test_each_plan_has_its_estimates(run: Any, kind: str) -> None:
    plan, methods = METHODS[kind]
    table = run(plan).estimates("data", "nb")
    assert table.columns["method"] == methods
    columns = (table.columns[name] for name in ("estimate", "low", "high", "no interval because"))
    for value, low, high, why in zip(*columns, strict=True):
        assert math.isnan(low) if why else low <= value <= high
    if kind in ("bootstrap", "resubstitution", "time_series"):
        assert all(table.columns["no interval because"])


def test_632_rests_on_a_model_of_all_cases_and_needs_the_data(run: Any) -> None:
    study = run(bootstrap(6))
    model = GaussianNB().fit(X, Y)
    parts = [(rows.rows, rows.label) for _, rows in study.tested("data", "nb")]
    by_hand = bootstrap_error(Y, model.predict(X), parts)
    table = study.estimates("data", "nb")
    assert table.columns["estimate"][1:] == [by_hand.left_out, by_hand.err632.value, by_hand.err632_plus.value]
    opened = open_study(study.store.place)
    assert opened.estimates("data", "nb").columns["method"][1:] == ["leave-one-out bootstrap"]
    opened.store.close()


def test_estimates_are_those_of_their_functions(folded: Study) -> None:
    table = folded.estimates("data", "lda", level=0.9)
    first = [rows for cell, rows in folded.tested("data", "lda") if cell["repeat"] == 0]
    wrong = np.concatenate([rows.label != Y[rows.rows] for rows in first]).astype(float)
    fold = np.repeat(np.arange(5), [len(rows.rows) for rows in first])
    by_hand = pooled_loss(CaseLosses("error_rate", wrong, fold), 0.9)
    assert table.columns["estimate"][2] == by_hand.value == pytest.approx(1 - table.columns["estimate"][1])
    assert table.columns["estimate"][0] == folded.estimate("data", "lda").value
    auc = fold_auc(folded.evaluation("data", "lda").folds, 0.9)
    assert (table.columns["low"][4], table.columns["high"][4]) == (auc.low, auc.high)
    ev = folded.evaluation("data", "lda").estimate("accuracy", level=0.9)
    assert (table.columns["low"][1], table.columns["high"][1]) == (ev.low, ev.high)
    bare = wilson(ev.value * ev.n, ev.n, 0.9)
    assert ev.low < bare[0] < bare[1] < ev.high


def test_single_cases_pairs_and_groups_have_what_holds_for_them(run: Any) -> None:
    few = X[:24], Y[:24]
    alone = run(leave_one_out(), data=few).estimates("data", "nb")
    assert alone.columns["method"][1:] == FOLDED[1:]
    pairs = run(leave_pair_out(), data=few)
    found = pairs.estimates("data", "nb")
    assert found.columns["method"][1] == "pairs left out"
    won = []
    for _, rows in pairs.tested("data", "nb"):
        score = rows.probability[:, 1]
        high, low = score[Y[rows.rows] == 1][0], score[Y[rows.rows] == 0][0]
        won.append((high > low) + (high == low) / 2)
    assert found.columns["estimate"][1] == pytest.approx(np.mean(won))
    assert (
        "labels without scores"
        in run(leave_pair_out(), {"f": Fussy(X[0, 0])}, few).estimates("data", "f").columns["no interval because"][1]
    )
    grouped = run(grouped_kfold(5), data=(X, Y, np.repeat(np.arange(40), 6))).estimates("data", "nb")
    assert grouped.columns["method"] == ["Nadeau-Bengio corrected t", "pooled folds"]
    assert "rows of a group are dependent" in grouped.columns["no interval because"][1]


def test_the_winner_is_that_of_the_losses_of_all_repeats(folded: Study) -> None:
    candidates = tuple(learner for learner in folded.learners if learner != "dummy")  # a baseline is never chosen
    losses = np.zeros((240, len(candidates)))
    for place, learner in enumerate(candidates):
        for _, rows in folded.tested("data", learner):
            losses[rows.rows, place] += (rows.label != Y[rows.rows]) / 2
    by_hand = winner(losses, candidates, level=0.9, seed=4)
    from_study = folded.winner("data", level=0.9, seed=4)
    assert from_study.name == by_hand.name
    assert (from_study.candidates, from_study.corrected.n) == (by_hand.candidates, by_hand.corrected.n) == (3, 240)
    for measured in ("value", "low", "high"):
        assert getattr(from_study.corrected, measured) == pytest.approx(getattr(by_hand.corrected, measured), rel=1e-12)
    table = winners_table({"data": by_hand})
    assert table.columns["optimism"] == [by_hand.corrected.value - by_hand.apparent]


def test_a_winner_takes_the_splits_all_did_and_cases_not_learned_from(run: Any, tmp_path: Path) -> None:
    plain = (np.arange(60.0)[:, None], [0, 1] * 30)
    some = run(kfold(5), {"fussy": Fussy(3.0), "nb": "nb", "never": Fussy(-1.0)}, plain)
    assert some.winner("data").corrected.n == 48  # the fold of 3 is not judged, nor one that never did anything
    with pytest.raises(InputError, match="tested on its training cases"):
        run(resubstitution()).winner("data")
    empty = experiment((X, Y), "nb", kfold(5), store=tmp_path / "s.db", run=False)
    with pytest.raises(AssayError, match="run or resume"):
        empty.winner("data")
    assert empty.estimates("data", "nb").columns["no interval because"] == ["no finished split"]
    with pytest.raises(AssayError, match="run or resume"):
        empty.roc("data", "nb")
    empty.store.close()


def test_costs_stand_beside_the_measure(folded: Study) -> None:
    table = folded.costs("kappa")
    assert table.columns["learner"] == ["dummy", "nb", "lda", "stump"]
    assert table.columns["kappa"] == pytest.approx([folded.estimate("data", n, "kappa").value for n in folded.learners])
    assert table.columns["cases"] == [192] * 4
    assert min(table.columns["slowest_fit"]) > 0
    slow, mean = (np.array(table.columns[name]) for name in ("slowest_fit", "fit_seconds"))
    assert (slow >= mean).all()
    sizes = [cell["model_bytes"] for cell in folded.store.cells("study", "model_bytes", learner="lda")]
    assert table.columns["model_kilobytes"][2] == pytest.approx(np.mean(sizes) / 1000)


@pytest.mark.parametrize("plan", [kfold(5), bootstrap(4), shuffle(3)], ids=lambda plan: plan.kind)
def test_the_flow_is_that_of_the_plan(run: Any, plan: Plan) -> None:
    study = run(plan)
    again = open_study(study.store.place)
    assert again.flow("data").table().to_dict() == plan.flow(Y, seed=0).table().to_dict()
    again.store.close()


def test_the_flow_of_groups_is_read_from_what_was_tested(run: Any, tmp_path: Path) -> None:
    groups = np.repeat(np.arange(40), 6)
    study = run(grouped_kfold(4), data=(X, Y, groups))
    assert study.flow("data").table().to_dict() == grouped_kfold(4).flow(Y, groups).table().to_dict()
    empty = experiment((X, Y, groups), "nb", grouped_kfold(4), store=tmp_path / "s.db", run=False)
    with pytest.raises(AssayError, match="groups or parts are not in the store"):
        empty.flow("data")
    empty.store.close()


def test_one_roc_curve_of_all_splits(once: Study) -> None:
    vertical = once.roc("data", "lda")
    assert isinstance(vertical, AveragedRoc)
    assert vertical.folds == 5
    assert vertical.band is not None
    low, high = vertical.band
    # Each fold has 20 positives and 28 negatives: a rate below 3 of those has no limits.
    assert np.isnan(low[vertical.fpr < 3 / 28 - 1e-9]).all()
    shown = np.isfinite(low)
    assert shown[20:50].all()
    assert (low[shown] <= vertical.recall[shown]).all()
    assert (vertical.recall[shown] <= high[shown]).all()
    assert vertical.table().columns["low"][30] == low[30]
    assert "<svg" in vertical.svg()
    wider = once.roc("data", "lda", level=0.99)
    assert isinstance(wider, AveragedRoc)
    assert wider.band is not None
    assert wider.band[0][30] < low[30]


def test_a_band_at_a_point_is_the_corrected_interval_there(once: Study) -> None:
    curve = once.roc("data", "nb")
    assert isinstance(curve, AveragedRoc)
    assert curve.band is not None
    here = curve.recalls[:, 40]
    half = stats.t.ppf(0.975, 4) * math.sqrt((1 / 5 + 1 / 4) * here.var(ddof=1))
    assert curve.band[0][40] == pytest.approx(here.mean() - half)


def test_curves_without_a_band_say_why(run: Any, folded: Study) -> None:
    threshold = folded.roc("data", "nb", "threshold")
    assert isinstance(threshold, AveragedRoc)
    assert threshold.band is None
    assert "changes both rates" in threshold.no_band
    assert isinstance(folded.roc("data", "nb", "pooled"), Curve)
    for plan, why in (
        (kfold(10), "a fold has 10 cases of a class: at least 20"),
        (kfold(3), "3 splits: at least 5 needed"),
        (bootstrap(5), "one pass over folds"),
        (repeated_kfold(5, 2), "one pass over folds"),
    ):
        found = run(plan).roc("data", "nb")
        assert found.band is None
        assert why in found.no_band
        assert "low" not in found.table().columns
        assert "<svg" in found.svg()


def test_folds_of_groups_have_no_band(run: Any) -> None:
    curve = run(grouped_kfold(5), data=(X, Y, np.repeat(np.arange(60), 4))).roc("data", "nb")
    assert curve.band is None
    assert "one pass over folds and random splits of independent cases" in curve.no_band


def test_what_has_no_roc_curve_is_refused(run: Any, folded: Study) -> None:
    with pytest.raises(UnknownName, match="average is 'horizontal'; needed: 'vertical', 'threshold' or 'pooled'"):
        folded.roc("data", "nb", "horizontal")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="has 3 classes"):
        run(kfold(3), data="iris").roc("iris", "nb")
    labels = run(kfold(3), {"f": Fussy(X[0, 0]), "nb": GaussianNB()}, (np.vstack([X[:1], X]), np.append(0, Y)))
    assert [labels.has_scores("data", name) for name in ("f", "nb")] == [False, True]
    with pytest.raises(InputError, match="labels but no scores"):
        labels.roc("data", "f")


def test_a_study_has_the_nested_error_of_its_one_model(run: Any) -> None:
    study = run(kfold(3))
    found = study.nested_error("data", "nb", repeats=10)
    refitted = study.refitted("data", "nb")
    assert found.target == "the model fitted to all cases"
    assert found.low < found.value < found.high
    assert found.value == pytest.approx(float((refitted != Y).mean()), abs=0.1)
    with pytest.raises(AssayError, match="opened without its data"):
        open_study(study.store.place).nested_error("data", "nb")
