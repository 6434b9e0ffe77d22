"""A part to choose on: learners stop and prune on it, the winner is chosen there and judged on what it never saw."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from assay.errors import AssayError, InputError, OptionError
from assay.evaluation import evaluate
from assay.experiments import Study, experiment, open_study, plans
from assay.experiments.database import tables
from assay.experiments.learners import learner_of
from assay.experiments.optimism import validation_of
from assay.experiments.task import fit_with, takes_validation
from assay.experiments.validation_learners import PrunedTree, StoppedBoosting

RNG = np.random.default_rng(5)
NOISY = RNG.normal(size=(300, 4)), None
LABELS = (NOISY[0][:, 0] + RNG.normal(size=300) > 0).astype(int)
DATA = {"noisy": (NOISY[0], LABELS)}
PLAN = plans.train_validation_test(0.5, 0.25)


class Recorder(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A learner of the tests that keeps what it was given."""

    def fit(self, X: Any, y: Any, *, X_val: Any = None, y_val: Any = None) -> Recorder:  # noqa: N803
        self.classes_ = np.array([0, 1])
        self.seen_: Any = (len(X), None if X_val is None else (X_val, y_val))
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.zeros(len(X), dtype=int)


@pytest.fixture(scope="module")
def study() -> Study:
    return experiment(DATA, ["tree", "pruned_tree", "stopped_boosting", "nb"], PLAN, jobs=1)


def test_a_learner_that_takes_a_validation_part_is_given_it() -> None:
    cases, truth = NOISY[0][:100], LABELS[:100]
    aside = NOISY[0][100:150], LABELS[100:150]
    plain = Recorder()
    fit_with(plain, cases, truth, aside)
    assert plain.seen_[0] == 100
    assert plain.seen_[1][0] is aside[0]
    piped = make_pipeline(StandardScaler(), Recorder())
    fit_with(piped, cases, truth, aside)
    given = piped[-1].seen_[1][0]
    assert np.allclose(given, (aside[0] - cases.mean(0)) / cases.std(0))  # as the training part says, not all rows
    fit_with(plain, cases, truth, None)
    assert plain.seen_[1] is None
    assert takes_validation(HistGradientBoostingClassifier())
    assert not takes_validation(DecisionTreeClassifier())


def test_a_pruned_tree_errs_least_on_the_part_it_prunes_on() -> None:
    cases, truth, aside, its = NOISY[0][:150], LABELS[:150], NOISY[0][150:], LABELS[150:]
    pruned = PrunedTree(random_state=0).fit(cases, truth, X_val=aside, y_val=its)
    wrong = (pruned.predict(aside) != its).mean()
    path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(cases, truth)
    every = [
        DecisionTreeClassifier(random_state=0, ccp_alpha=max(price, 0)).fit(cases, truth) for price in path.ccp_alphas
    ]
    errors = [(tree.predict(aside) != its).mean() for tree in every]
    assert wrong == min(errors)
    smallest = min(tree.get_n_leaves() for tree, error in zip(every, errors, strict=True) if error == wrong)
    assert pruned.get_n_leaves() == smallest
    assert pruned.get_params()["ccp_alpha"] == 0.0  # what was chosen is no parameter


def test_boosting_stops_where_the_log_loss_of_the_other_part_is_lowest() -> None:
    cases, truth, aside, its = NOISY[0][:150], LABELS[:150], NOISY[0][150:], LABELS[150:]
    stopped = StoppedBoosting(random_state=0, n_estimators=60).fit(cases, truth, X_val=aside, y_val=its)
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.metrics import log_loss

    whole = GradientBoostingClassifier(random_state=0, n_estimators=60).fit(cases, truth)
    losses = [log_loss(its, stage) for stage in whole.staged_predict_proba(aside)]
    assert stopped.n_estimators_ == int(np.argmin(losses)) + 1 < 60
    assert log_loss(its, stopped.predict_proba(aside)) == pytest.approx(min(losses))


@pytest.mark.parametrize("learner", ["pruned_tree", "stopped_boosting"])
def test_a_plan_without_such_a_part_is_refused_at_once(learner: str) -> None:
    with pytest.raises(InputError, match=r"needs a validation part, which data set 'noisy' does not have"):
        experiment(DATA, learner, plans.kfold(3), run=False)
    with pytest.raises(InputError, match=r"on a validation part, and the plan has none"):
        learner_of(learner).build(seed=0).fit(NOISY[0], LABELS)


def test_settings_are_tuned_on_the_part_to_choose_on() -> None:
    tuned = {"preset": "tree", "tune": {"max_depth": [1, 2, 12]}}
    grid = [{"preset": "tree", "params": {"max_depth": depth}, "name": str(depth)} for depth in (1, 2, 12)]
    found = experiment(DATA, [tuned, *grid], PLAN, jobs=1)
    values = {name: evaluate_aside(found, name) for name in ("1", "2", "12")}
    best = max(values, key=values.__getitem__)
    assert evaluate_aside(found, "tree tuned") == values[best]
    same = [rows.label.tolist() for name in ("tree tuned", best) for _, rows in found.tested("noisy", name)]
    assert same[0] == same[1]  # fitted to the training part alone, as the others were
    with pytest.raises(InputError, match=r"has tuning folds, but the plan has a validation part"):
        experiment(DATA, {**tuned, "folds": 5}, PLAN, run=False)
    with pytest.raises(OptionError, match=r"has a validation part, and an inner plan is set too"):
        plans.nested(PLAN, plans.kfold(3))


def evaluate_aside(study: Study, learner: str) -> float:
    return float(validation_of(study, "noisy", learner).accuracy.value)


def test_the_winner_is_chosen_on_one_part_and_judged_on_the_other(study: Study) -> None:
    split = PLAN.splits(LABELS)[0]
    winner = study.winner("noisy")
    values = {name: evaluate_aside(study, name) for name in study.learners}
    assert winner.apparent == values[winner.name] == max(values.values())
    rows = next(study.tested("noisy", winner.name))[1]
    assert sorted(rows.rows) == sorted(split.test)
    assert winner.corrected.value == (rows.label == LABELS[rows.rows]).mean()
    right = evaluate(LABELS[rows.rows], y_pred=rows.label).accuracy
    assert (winner.corrected.low, winner.corrected.high) == (right.low, right.high)
    assert winner.candidates == 4  # the baseline is shown and never chosen
    assert winner.optimism == winner.apparent - winner.corrected.value
    assert "used neither for fitting nor for selection" in winner.corrected.target


def test_the_test_part_is_opened_for_the_winner_alone(study: Study) -> None:
    table = study.table().columns
    best = study.winner("noisy").name
    for learner, value, why in zip(table["learner"], table["accuracy"], table["undefined"], strict=True):
        assert math.isnan(value) == (learner != best)
        assert ("is used only for the selected learner" in why) == (learner != best)
    said = study.optimism().columns
    assert [name for name, value in zip(said["learner"], said["test"], strict=True) if not math.isnan(value)] == [best]
    assert "the best of 4 on the cases used for selection" in " ".join(said["note"])
    assert not {"A502", "A503"} & {caution.code for caution in study.cautions}


def test_no_table_opens_the_test_part_for_another(study: Study) -> None:
    """Side by side learners stand on the validation part; on the test part they are not held against one another."""
    best = study.winner("noisy").name
    tested = {name: study.evaluation("noisy", name).accuracy.value for name in study.learners}
    for name in study.learners:
        found = study.estimate("noisy", name)
        assert (found.value == tested[name]) if name == best else math.isnan(found.value)
        assert len(study.estimates("noisy", name)) == 1
    costs, wide, cells = study.costs(), study.wide(), study.folds()
    aside = [evaluate_aside(study, name) for name in study.learners]
    assert costs.columns["accuracy"] == [wide.columns[name][0] for name in study.learners] == aside
    known = dict(zip(cells.columns["learner"], cells.columns["accuracy"], strict=True))
    assert {name for name, value in known.items() if not math.isnan(value)} == {best}
    for asked in (study.ranks, lambda: study.pairs("noisy"), lambda: study.compare("noisy", "tree", "nb")):
        with pytest.raises(AssayError, match=r"used only for the selected learner.*--winner"):
            asked()


def test_any_measure_may_choose_and_one_that_has_no_better_may_not(study: Study) -> None:
    by_auc = study.winner("noisy", "roc_auc")
    assert by_auc.apparent == max(float(validation_of(study, "noisy", name).roc_auc.value) for name in study.learners)
    assert study.winner("noisy", "brier").better == "lower"
    with pytest.raises(AssayError, match=r"neither high nor low values of prevalence are better, so it cannot be used"):
        study.winner("noisy", "prevalence")
    folds = experiment(DATA, "nb", plans.kfold(3), jobs=1)
    with pytest.raises(InputError, match=r"no winner by f1: the plan '3 folds, stratified' has no validation part"):
        folds.winner("noisy", "f1")


def test_training_figures_of_folds_are_those_of_the_models() -> None:
    found = experiment(DATA, ["tree", "nb"], plans.kfold(3), jobs=1)
    table = found.optimism().columns
    rows = dict(
        zip(table["learner"], zip(table["training"], table["test"], table["optimism"], strict=True), strict=True)
    )
    own = []
    for split in plans.kfold(3).splits(LABELS):
        from sklearn.naive_bayes import GaussianNB

        model = GaussianNB().fit(NOISY[0][split.train], LABELS[split.train])
        own.append(model.score(NOISY[0][split.train], LABELS[split.train]))
    assert rows["nb"][0] == pytest.approx(np.mean(own))
    assert rows["tree"][0] == 1.0
    assert rows["tree"][2] == pytest.approx(1 - rows["tree"][1])
    assert found.optimism("brier").columns["optimism"][1] > 0  # lower is better, and the sign still says it flatters
    assert "A509" in {caution.code for caution in found.cautions}
    assert math.isnan(found.optimism("ks").columns["training"][1])
    assert (
        "no figure: only the confusion matrix and the usual measures of scores of the training part"
        in found.optimism("ks").columns["note"][1]
    )


def test_a_store_of_an_earlier_release_says_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    experiment(DATA, "nb", plans.kfold(3), store=path, jobs=1).store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE parts")
    with closing((found := open_study(path)).store):
        table = found.optimism().columns
        assert math.isnan(table["training"][1])
        assert table["note"][1].startswith("the training part was not recorded")
        assert not math.isnan(table["test"][1])
        assert found.progress()["done"] == 6
    again = experiment(DATA, "nb", plans.kfold(3), store=path, jobs=1)  # nothing of it is run again
    with closing(again.store):
        assert again.optimism().columns["note"][1].startswith("the training part was not recorded")


def test_a_damaged_part_is_a_damaged_cell(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    experiment(DATA, "nb", PLAN, store=path, jobs=1).store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE parts SET cases = 7 WHERE part = 'validation'")
    with closing((found := open_study(path)).store):
        assert len(found.damaged()) == 2
        assert found.progress()["todo"] == 2
    again = experiment(DATA, "nb", PLAN, store=path, jobs=1)
    with closing(again.store):
        assert again.progress()["done"] == 2
        assert again.winner("noisy").name == "nb"
        with again.store.reading() as connection:
            assert connection.execute(sa.select(sa.func.count()).select_from(tables()["parts"])).scalar() == 4


def test_cells_of_a_plan_that_never_used_its_part_are_stale(tmp_path: Path) -> None:
    split = PLAN.splits(LABELS)[0]
    found = experiment(DATA, "nb", PLAN, store=tmp_path / "s.db", run=False)
    with closing(found.store):
        cells = found.store.cells("study", "split_hash")
    import hashlib

    parts = (split.train, split.test)
    before = hashlib.sha256(b"|".join(np.asarray(p, dtype=np.int64).tobytes() for p in parts)).hexdigest()
    assert before not in {cell["split_hash"] for cell in cells}


def test_the_best_of_many_noise_learners_looks_better_than_it_is() -> None:
    """Chosen on 54 cases, the best of 20 that know nothing looks good; the untouched part says one half."""
    gaps, tested = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        data = rng.normal(size=(360, 20)), np.arange(360) % 2
        rules = [{"path": f"{__name__}.OneFeature", "params": {"place": k}, "name": f"r{k}"} for k in range(20)]
        found = experiment(
            {"noise": data}, rules, plans.train_validation_test(0.7, 0.15), seed=seed, jobs=1, allow="tests"
        )
        winner = found.winner("noise")
        gaps.append(winner.optimism)
        tested.append(winner.corrected.value)
        assert winner.candidates == 20
    assert np.mean(gaps) > 0.05
    assert abs(np.mean(tested) - 0.5) < 0.08


class OneFeature(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A rule of the tests: class 1 where one feature is above 0."""

    def __init__(self, place: int = 0) -> None:
        self.place = place

    def fit(self, X: Any, y: Any) -> OneFeature:  # noqa: N803
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return (X[:, self.place] > 0).astype(int)


def test_a_large_training_part_is_judged_by_some_of_its_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.experiments import task

    monkeypatch.setattr(task, "MOST_TRAINING", 50)
    found = experiment(DATA, "nb", plans.kfold(3), jobs=1)
    figures = found.store.parts("study", "train")
    assert {row["cases"] for row in figures.values()} == {50}
    assert all(np.sum(json.loads(row["figures"])["matrix"]) == 50 for row in figures.values())


def test_a_study_knows_whether_it_sets_a_part_aside(study: Study) -> None:
    assert study.baselines == ("dummy",)
    assert study.validates
    assert not experiment(DATA, "nb", plans.kfold(3), run=False).validates


def test_a_models_own_figures_are_corrected_for_optimism() -> None:
    found = experiment(DATA, ["nb", "svm"], plans.kfold(3), jobs=1)
    validated = found.bootstrap_validation("noisy", "nb", replicates=20)
    own = evaluate(LABELS, learner_of("nb").build(0).fit(NOISY[0], LABELS).predict_proba(NOISY[0])[:, 1])
    assert validated.apparent["c_index"] == pytest.approx(own.roc_auc.value)
    assert validated.apparent["brier_score"] == pytest.approx(own.brier.value)
    assert validated.apparent["calibration_slope"] == pytest.approx(own.calibration.cox.slope.value)
    assert validated.corrected["c_index"] < validated.apparent["c_index"]
    assert validated.corrected["brier_score"] > validated.apparent["brier_score"]
    assert validated.apparent["largest_miscalibration"] > 0  # this learner's line is not its own best
    with pytest.raises(InputError, match=r"'svm' has no probabilities"):
        found.bootstrap_validation("noisy", "svm")
    with pytest.raises(InputError, match=r"has 3 classes"):
        experiment("iris", "nb", plans.kfold(3), run=False).bootstrap_validation("iris", "nb")
    tree = experiment(DATA, "tree", plans.kfold(3), run=False)
    with pytest.raises(InputError, match=r"no bootstrap model has a calibration line"):
        tree.bootstrap_validation("noisy", "tree", replicates=3)
