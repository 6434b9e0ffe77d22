"""Each part of a study is evaluated and compared like any other predictions; baselines are shown and never chosen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.errors import AssayError, InputError, OptionError, UnknownName
from assay.experiments import Study, experiment, open_study, plans

RNG = np.random.default_rng(12)
X = RNG.normal(size=(240, 3))
Y = np.where(X[:, 0] + RNG.normal(size=240) > 0.6, "yes", "no")
DATA = {"sample": (X, Y)}
PLAN = plans.train_validation_test(0.5, 0.25)
TREE = {"path": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 3, "random_state": 0}, "name": "tree3"}


@pytest.fixture(scope="module")
def study() -> Study:
    return experiment(DATA, [TREE, "nb"], PLAN, jobs=1)


@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_a_part_is_evaluated_as_scikit_learn_evaluates_its_cases(study: Study, part: str) -> None:
    (split,) = PLAN.splits(Y, seed=study.seed)
    rows = getattr(split, part)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(
        X[split.train], (Y[split.train] == "yes").astype(int)
    )
    found = study.evaluation("sample", "tree3", part=part)
    assert found.matrix is not None
    assert found.matrix.counts.tolist() == confusion_matrix(Y[rows] == "yes", model.predict(X[rows])).tolist()
    assert found.roc_auc.value == pytest.approx(roc_auc_score(Y[rows] == "yes", model.predict_proba(X[rows])[:, 1]))
    assert found.n == len(rows)
    assert len(found.roc.table()) > 2


def test_a_store_alone_gives_every_part_of_one_split(study: Study, tmp_path: Path) -> None:
    study.save(tmp_path / "study.db")
    again = open_study(tmp_path / "study.db")
    for part in ("train", "validation", "test"):
        one, other = (each.evaluation("sample", "tree3", part=part) for each in (study, again))
        assert str(one.matrix) == str(other.matrix) != "None"
    again.store.close()


def test_the_training_part_of_one_of_many_splits_is_predicted_by_its_model_fitted_again(tmp_path: Path) -> None:
    folds = experiment(DATA, [TREE], plans.kfold(4), jobs=1)
    split = plans.kfold(4).splits(Y, seed=0)[2]
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[split.train], Y[split.train])
    found = folds.evaluation("sample", "tree3", part="train", fold=2)
    assert found.accuracy.value == model.score(X[split.train], Y[split.train])
    assert folds.evaluation("sample", "tree3", fold=2).n == len(split.test)
    with pytest.raises(OptionError, match=r"the training parts of 4 splits share their cases; needed: .*fold=0"):
        folds.evaluation("sample", "tree3", part="train")
    folds.save(tmp_path / "folds.db")
    read = open_study(tmp_path / "folds.db")
    with pytest.raises(AssayError, match="several splits are not stored; call experiment"):
        read.evaluation("sample", "tree3", part="train", fold=2)
    read.store.close()


def test_models_are_compared_on_the_validation_part_by_the_measures_own_paired_test(study: Study) -> None:
    (split,) = PLAN.splits(Y, seed=study.seed)
    labels = {name: study.evaluation("sample", name, part="validation").rows for name in ("tree3", "nb")}
    ours = assay.compare(
        Y[split.validation] == "yes", {name: rows.score for name, rows in labels.items() if rows is not None}
    )
    table = study.compare("sample", "tree3", "nb", "roc_auc", part="validation").columns
    gap = ours.difference("roc_auc", "tree3", "nb")
    assert [table[name][0] for name in ("difference", "low", "high", "p")] == [
        gap.value,
        gap.low,
        gap.high,
        gap.p_value,
    ]
    assert table["note"] == ["these fitted models on the same 60 cases of the validation part"]
    whole = study.comparison("sample", part="validation")
    counts = whole.joint_correctness("tree3", "nb")
    exact = binomtest(int(counts.only_first), int(counts.only_first + counts.only_second)).pvalue
    assert whole.mcnemar("tree3", "nb", "exact").p_value == pytest.approx(exact)
    assert whole.names == ("tree3", "nb")  # without the baseline
    assert whole.hull.table().columns["best"]


def test_only_cases_that_both_predicted_are_compared() -> None:
    folds = experiment(
        DATA, [TREE, {"path": f"{__name__}.FailsOnce", "name": "odd"}], plans.kfold(4), jobs=1, allow="tests"
    )
    assert folds.progress()["failed"] == 1
    whole = folds.comparison("sample", "tree3", "odd")
    assert whole.n == 180
    truths = [ev.rows.truth.tolist() for ev in whole.models.values() if ev.rows is not None]
    assert truths[0] == truths[1]


class FailsOnce(DecisionTreeClassifier):  # type: ignore[misc]
    """A learner of the tests that fails where the first training case is not the first row."""

    def fit(self, X: object, y: object, **rest: object) -> FailsOnce:  # noqa: N803
        if not np.isclose(np.asarray(X)[0], FIRST).all():
            raise RuntimeError("this fold")
        return super().fit(X, y, **rest)  # type: ignore[no-any-return]


FIRST = X[0]


def test_what_is_no_part_is_refused(study: Study) -> None:
    with pytest.raises(UnknownName, match=r"part is 'valid'; needed: 'train', 'validation' or 'test'"):
        study.evaluation("sample", "nb", part="valid")
    folds = experiment(DATA, ["nb"], plans.kfold(3), jobs=1)
    with pytest.raises(OptionError, match=r"the plan '3 folds, stratified' has no validation part"):
        folds.evaluation("sample", "nb", part="validation")
    with pytest.raises(AssayError, match="no finished split of fold 7"):
        folds.evaluation("sample", "nb", fold=7)


def test_a_baseline_is_shown_and_never_chosen() -> None:
    noise = {"noise": (RNG.normal(size=(200, 3)), (np.arange(200) % 5 == 0).astype(int))}
    for plan in (plans.kfold(5), PLAN):
        found = experiment(noise, ["nb"], plan, jobs=1)
        assert "dummy" in found.table().columns["learner"]
        winner = found.winner("noise")
        assert (winner.name, winner.candidates) == ("nb", 1)
    assert experiment(noise, ["dummy"], plans.kfold(5), jobs=1).winner("noise").name == "dummy"


def test_data_sets_with_the_same_classes_have_one_positive_class(tmp_path: Path) -> None:
    rare, often = np.where(np.arange(240) % 4 == 0, "good", "bad"), np.where(np.arange(240) % 4, "good", "bad")
    both = {"one": (X, rare), "two": (X, often), "other": (X, Y)}
    plain = experiment(both, ["nb"], plans.holdout(), jobs=1)
    assert plain.truth("one")[0] == plain.truth("two")[0]
    chosen = experiment(both, ["nb"], plans.holdout(), positive="bad", jobs=1)
    assert [chosen.truth(name)[0][-1] for name in both] == ["bad", "bad", "yes"]
    ev = chosen.evaluation("two", "nb")
    assert ev.positive == "bad"
    with pytest.raises(InputError, match=r"positive is 'ill', which is not a class of any two-class data set"):
        experiment(both, ["nb"], plans.holdout(), positive="ill", run=False)


def test_a_positive_class_in_a_study_file_is_found_again_on_resuming(tmp_path: Path) -> None:
    for name, labels in (("a", Y), ("b", Y[::-1])):
        lines = ["x0,x1,x2,target", *(",".join([*map(str, row), label]) for row, label in zip(X, labels, strict=True))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    from assay.experiments.study_file import read_study

    (tmp_path / "study.toml").write_text(
        'datasets = [{ path = "a.csv" }, { path = "b.csv" }]\nlearners = ["nb"]\npositive = "no"\nplan = "holdout"\n'
    )
    found = experiment(**read_study(tmp_path / "study.toml"), jobs=1)
    assert [found.truth(name)[0][-1] for name in ("a", "b")] == ["no", "no"]
    found.store.close()
    again = open_study(tmp_path / "study.db", "study", to_run=True)
    assert (again.progress()["done"], len(again.stale())) == (4, 0)
    again.store.close()
