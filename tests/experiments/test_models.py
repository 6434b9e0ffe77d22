"""Models of a study: kept without a pickle, fitted again and compared, shown, refused where they differ."""

from __future__ import annotations

import json
import pickle
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, export_text
from verification._pages import page

import assay
from assay.errors import AssayError, InputError, OptionError
from assay.experiments.datasets import dataset_of
from assay.experiments.model_description import described, permutation_importances
from assay.experiments.models import FittedModel
from assay.experiments.study import Study, open_study, reopened
from verification import importances as simulated

TREE = {"preset": "tree", "params": {"max_depth": 3, "min_samples_leaf": 7}}
TABLE = Path(__file__).parents[2] / "docs" / "verification" / "importances.md"


class Restless(DecisionTreeClassifier):  # type: ignore[misc]
    """A tree that is another one each time, whatever the seed."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:  # noqa: N803
        self.random_state = np.random.default_rng().integers(2**31)
        return super().fit(X, y)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    """A tree and a regression on the weather, their models kept."""
    store = tmp_path_factory.mktemp("models") / "study.db"
    found = assay.experiment("weather", [TREE, "logistic"], "swapped_halves", store=store, jobs=1, keep_models=True)
    yield found
    found.store.close()


def test_nothing_of_a_model_can_be_unpickled(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("something is unpickled")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, never)
    assert study.model(learner="tree").cases == 366
    with closing(sqlite3.connect(study.store.place)) as held:
        (facts,) = held.execute("SELECT facts FROM models WHERE learner = 'tree'").fetchone()
    assert json.loads(facts)["versions"]["numpy"] == np.__version__


def test_the_model_of_all_cases_is_scikit_learns(study: Study) -> None:
    data = dataset_of("weather")
    theirs = DecisionTreeClassifier(max_depth=3, min_samples_leaf=7, random_state=0).fit(data.features, data.target)
    ours = study.model(learner="tree")
    assert (ours.estimator.predict_proba(data.features) == theirs.predict_proba(data.features)).all()
    size = ours.described.size
    assert (size["leaves"], size["depth"]) == (theirs.get_n_leaves(), theirs.get_depth())


def test_rules_decide_as_the_tree_does(study: Study) -> None:
    model = study.model(learner="tree", fold=0)
    rules = model.rules()
    assert sum(rules.columns["cases"]) == model.cases
    frame = pandas.DataFrame(dict(zip(model.data.feature_names, model.data.numbers.T, strict=True)))
    frame.columns = [f"c{k}" for k in range(frame.shape[1])]
    said = np.full(len(frame), "", dtype=object)
    places = {name: f"c{k}" for k, name in enumerate(model.data.feature_names)}
    for rule, name, *_ in rules.rows():
        within = np.ones(len(frame), dtype=bool)
        for part in (each.strip("()") if each.endswith("missing)") else each for each in rule.split(" and ")):
            column, sign, cut = part.replace(" or missing", "").rsplit(" ", 2)
            values, gap = frame[places[column]].to_numpy(), part.endswith("or missing")
            holds = values <= float(cut) if sign == "<=" else values > float(cut)
            within &= np.where(np.isnan(values), gap, holds)
        said[within] = name
    theirs = np.array(model.data.classes)[model.estimator.predict(model.data.features)]
    assert (said == theirs).mean() > 0.99  # a cut is printed with six digits


def test_the_printed_tree_has_the_branches_of_scikit_learns() -> None:
    iris = dataset_of("iris")
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(iris.features, iris.target)
    found = described(tree, iris)
    assert str(found.tree).count("(") - str(found.tree).count("(cm)") == tree.get_n_leaves()
    theirs = export_text(tree, feature_names=list(iris.feature_names))
    assert str(found.tree).count("if ") == theirs.count("<=")


def test_a_large_tree_is_counted_and_not_printed() -> None:
    rng = np.random.default_rng(0)
    data = dataset_of((rng.random((400, 3)), rng.integers(0, 2, 400)), name="noise")
    found = described(DecisionTreeClassifier(random_state=0).fit(data.features, data.target), data)
    assert found.tree is None
    assert found.rules is not None
    assert len(found.rules) == found.size["leaves"] > 40
    assert "not printed" in found.words()


def test_coefficients_have_the_names_of_columns(study: Study) -> None:
    model = study.model(learner="logistic")
    table = model.coefficients()
    learn = model.estimator.named_steps["learn"]
    assert table.columns["column"][1:] == list(model.data.feature_names)
    assert table.columns["coefficient"][1:] == pytest.approx(learn.coef_[0].tolist())
    plain = model.estimator.named_steps["scale"].scale_
    assert table.columns["per_unit"][1:] == pytest.approx((learn.coef_[0] / plain).tolist())
    assert "no intervals" in model.words()
    iris = dataset_of("iris")
    three = described(LogisticRegression(max_iter=500).fit(iris.features, iris.target), iris)
    assert three.coefficients is not None
    assert list(three.coefficients.columns) == ["column", "for setosa", "for versicolor", "for virginica"]


@pytest.mark.parametrize("learner", ["forest", "nb", "knn", "svm", "boosting"])
def test_other_models_say_how_large_they_are(learner: str) -> None:
    data, params = dataset_of("iris"), {"n_estimators": 5} if learner == "forest" else {}
    from assay.experiments.learners import learner_of

    found = described(learner_of({"preset": learner, "params": params}).build(0).fit(data.features, data.target), data)
    assert found.size
    assert "neither rules nor coefficients" in found.words()


def test_a_model_that_does_not_exist_is_refused_by_name(study: Study) -> None:
    with pytest.raises(OptionError, match="2 learners; needed: one of tree, logistic"):
        study.model()
    with pytest.raises(InputError, match="no learner 'forest'"):
        study.model(learner="forest")
    with pytest.raises(OptionError, match="split 7 of repeat 0"):
        study.model(learner="tree", fold=7)
    with pytest.raises(OptionError, match="repeat needs fold"):
        study.model(learner="tree", repeat=1)
    with pytest.raises(OptionError, match="has no coefficients"):
        study.model(learner="tree").coefficients()
    plain = assay.experiment("iris", "nb", "swapped_halves", jobs=1)
    with pytest.raises(OptionError, match=r"no model of all cases.*keep_models"):
        plain.model()
    assert plain.model(fold=1).cases == 75
    with pytest.raises(AssayError, match="without its data"):
        open_study(study.store.place).model(learner="tree")


def test_a_learner_that_the_seed_does_not_settle_is_refused() -> None:
    rng = np.random.default_rng(0)
    data = (rng.random((120, 6)), rng.integers(0, 2, 120))
    found = assay.experiment(data, {"restless": Restless(max_features=1, splitter="random")}, "swapped_halves", jobs=1)
    with pytest.raises(InputError, match="refitted has other predictions than the stored ones for"):
        found.model(fold=0)


def test_changed_data_are_refused_and_the_store_stays_as_it_is(tmp_path: Path) -> None:
    rows = "".join(f"{i * 37 % 50},{'yes' if i * 17 % 50 > 30 else 'no'}\n" for i in range(60))
    (tmp_path / "d.csv").write_text("size,kind\n" + rows)
    given = {"path": str(tmp_path / "d.csv"), "target": "kind"}
    how: dict[str, Any] = {"store": tmp_path / "s.db", "jobs": 1, "keep_models": True}
    assay.experiment([given], "nb", "swapped_halves", **how).store.close()
    before = (tmp_path / "s.db").read_bytes()
    again = reopened(tmp_path / "s.db", "study")
    assert again.model(learner="nb").cases == 60
    again.store.close()
    (tmp_path / "d.csv").write_text("size,kind\n" + rows.replace("37,", "38,"))
    changed = reopened(tmp_path / "s.db", "study")
    for fold in (None, 0):
        with pytest.raises(InputError, match="has changed since the study was run"):
            changed.model(learner="nb", fold=fold)
    changed.store.close()
    assert (tmp_path / "s.db").read_bytes() == before


def test_models_are_kept_once_and_anew_where_they_changed(tmp_path: Path) -> None:
    how: dict[str, Any] = {"plan": "swapped_halves", "store": tmp_path / "s.db", "jobs": 1}
    first = assay.experiment("iris", "nb", **how)
    assert len(first.models()) == 0
    first.store.close()
    kept = assay.experiment("iris", "nb", **how, keep_models=True)
    seconds = kept.models().columns["fit_seconds"]
    assert kept.models().columns["learner"] == ["dummy", "nb"]
    kept.store.close()
    again = assay.experiment("iris", "nb", **how, keep_models=True)
    assert again.models().columns["fit_seconds"] == seconds
    again.store.close()
    other = assay.experiment("iris", "nb", **how, keep_models=True, seed=1)
    assert other.models().columns["fit_seconds"] != seconds
    assert open_study(tmp_path / "s.db").keep_models
    other.store.close()


def test_a_damaged_model_is_said_and_not_believed(study: Study, tmp_path: Path) -> None:
    study.save(tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as held:
        held.execute("UPDATE models SET made_of = 'x' WHERE learner = 'tree'")
        held.commit()
    spoilt = reopened(tmp_path / "copy.db", "study")
    with pytest.raises(InputError, match="a model of data set 'weather' that the store keeps is damaged"):
        spoilt.model(learner="tree")
    spoilt.store.close()


def test_a_store_of_an_older_release_has_no_models(study: Study, tmp_path: Path) -> None:
    study.save(tmp_path / "old.db")
    with closing(sqlite3.connect(tmp_path / "old.db")) as held:
        held.execute("DROP TABLE models")
        held.commit()
    old = open_study(tmp_path / "old.db")
    assert len(old.models()) == 0
    old.store.close()


def test_importances_agree_with_scikit_learns(study: Study) -> None:
    model = study.model(learner="tree", fold=0)
    found = model.importances(repeats=100)
    rows = model.held_out
    assert rows is not None
    theirs = permutation_importance(
        model.estimator, model.data.numbers[rows], model.data.target[rows], n_repeats=100, random_state=1
    )
    by_name = dict(zip(model.data.feature_names, theirs.importances_mean, strict=True))
    for one in found.found:
        if one.name in by_name:  # a text is shuffled as a whole here
            assert one.value == pytest.approx(by_name[one.name], abs=0.01)
            assert one.low < one.value < one.high or one.method == "not used"
            assert one.target == "this model, on cases like these"
    assert "share their importance" in repr(found)
    assert [one.value for one in found.found] == sorted((one.value for one in found.found), reverse=True)


def test_importances_need_held_out_cases_and_enough_of_them(study: Study) -> None:
    with pytest.raises(OptionError, match="this model was trained on all cases; needed: the model of a split"):
        study.model(learner="tree").importances()
    data = dataset_of("weather")
    model = study.model(learner="tree", fold=0)
    assert model.held_out is not None
    few = permutation_importances(model.estimator, data, model.held_out[:20], repeats=10)
    assert all(
        np.isnan(one.low) and "too few held-out cases (20; at least 30 needed)" in str(one.undefined)
        for one in few.found
        if one.method != "not used"
    )
    with pytest.raises(OptionError, match="repeats"):
        model.importances(repeats=3)
    with pytest.raises(OptionError, match="loss"):
        model.importances("astrology")


def test_grouped_cases_have_no_limits() -> None:
    rng = np.random.default_rng(1)
    X, y, groups = rng.random((120, 2)), rng.integers(0, 2, 120), np.arange(120) % 12  # noqa: N806
    found = assay.experiment((X, y, groups), TREE, assay.plans.grouped_kfold(3), jobs=1)
    rated = found.model(fold=0).importances()
    assert all("cases of a group are dependent; no limits" in str(one.undefined) for one in rated.found)


def test_the_committed_table_has_every_row_and_none_misses() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert text.count("| importance, ") == 3 * len(simulated.jobs(quick=False))
    assert "MISS" not in text
    assert simulated.SAID in text


def test_a_row_is_made_again_as_it_was_committed() -> None:
    lines = page("", "", simulated.run(("few cases", "error_rate", 30, 20))).splitlines()[-3:]
    text = TABLE.read_text(encoding="utf-8")
    assert all(line in text for line in lines)


def test_names_that_hide_something_are_shown_as_they_are() -> None:
    frame = pandas.DataFrame({"a\u202eb=<b>": [0.0, 1.0] * 20, "t\n": ["x\x1b[31m", "y"] * 20, "y": ["no", "yes"] * 20})
    found = assay.experiment({"odd": frame}, TREE, "swapped_halves", jobs=1, keep_models=True)
    model: FittedModel = found.model(learner="tree")
    assert "\x1b" not in model.words()
    assert "\u202e" not in model.words()
    assert "\n" not in str(model.rules().columns["rule"][0])


def test_a_column_that_a_model_does_not_use_has_no_importance_and_no_doubt_about_it(study: Study) -> None:
    for learner in ("tree", "logistic"):
        model = study.model(learner=learner, fold=0)
        unused = {one.name: (one.low, one.high) for one in model.importances().found if one.method == "not used"}
        rest = {one.name for one in model.importances().found} - set(unused)
        assert set(unused.values()) <= {(0.0, 0.0)}
        used = model.described.size["columns used"] if learner == "tree" else len(rest)
        assert (len(rest), bool(unused)) == (used, learner == "tree")


def test_in_a_rule_what_is_missing_stands_in_brackets(study: Study) -> None:
    grown = assay.experiment("weather", ["tree"], "swapped_halves", jobs=1).model(fold=0)
    rules = grown.rules().columns["rule"]
    asked = [rule for rule in rules if "or missing" in rule and " and " in rule]
    assert asked
    assert all(rule.count("or missing)") == rule.count("or missing") for rule in asked)


@pytest.mark.parametrize(
    "learner", ["pruned_tree", "stopped_boosting", {"preset": "tree", "tune": {"max_depth": [1, 2, 6]}}]
)
def test_a_model_that_is_kept_stops_prunes_and_is_tuned_on_the_part_to_choose_on(learner: Any, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"store": tmp_path / "s.db", "jobs": 1, "keep_models": True}
    found = assay.experiment("weather", [learner, "nb"], "train_validation_test", **asked)
    name = next(each for each in found.learners if each not in ("dummy", "nb"))
    model = found.model(learner=name)
    (split,) = found.plan.splits(model.data.target, seed=0)
    assert split.validation is not None
    assert (model.cases, model.chosen_on) == (366 - len(split.validation), len(split.validation))
    assert "set aside to choose on" in model.words()
    rest = np.setdiff1d(np.arange(366), split.validation)
    if name == "tree":
        depths = {}
        for depth in (1, 2, 6):
            tried = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(
                model.data.numbers[rest], model.data.target[rest]
            )
            depths[depth] = tried.score(model.data.numbers[split.validation], model.data.target[split.validation])
        assert model.described.size["depth"] == max(depths, key=lambda depth: depths[depth])
    # A learner that has no use for the part learns from all cases.
    assert (found.model(learner="nb").cases, found.model(learner="nb").chosen_on) == (366, 0)
    found.store.close()
