"""Frames whose columns have any names and any gaps reach a learner as they are, and everything after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from tests.experiments.as_given import CASES, LABELS, NUMBERS, TEXTS, assert_scored_as_by_cross_validate

import assay
from assay.errors import InputError
from assay.experiments import experiment
from assay.experiments.containers import with_rows_of_column
from assay.experiments.datasets import dataset_of

FIRST, SECOND, THIRD = NUMBERS.T
RARE = np.arange(CASES) % 7 == 0
NAMES: dict[str, Any] = {
    "numbers": [0, 1, 2],
    "a number and its text": [1, "1", 2],
    "the same name twice": ["x", "x", "y"],
    "the same name thrice": ["x", "x", "x"],
    "a name like that of a repeated one": ["x", "x", "x (2)"],
    "spaces and line breaks": ["a b", " ", "c\n"],
    "nothing": ["", "b", None],
    "columns of results": ["target", "row", "fold"],
    "roles": ["y", "group", "weight"],
    "names of roles beside a pair": ["y of (X, y)", "y", "class"],
    "pairs": pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")]),
    "numbers with points": [0.5, 1.5, np.nan],
    "days": pandas.date_range("2024-01-01", periods=3),
    "signs": ["x=1", "<b>", "é'\";--"],
}
SOME = [None if rare else k % 3 for k, rare in enumerate(RARE)]
GAPS: dict[str, Any] = {
    "nan": np.where(RARE, np.nan, FIRST),
    "Int64": pandas.array(SOME, dtype="Int64"),
    "boolean": pandas.array([None if v is None else v > 1 for v in SOME], dtype="boolean"),
    "objects": pandas.Series([None if rare else text for rare, text in zip(RARE, TEXTS, strict=True)], dtype=object),
    "string": pandas.array([None if rare else "u" for rare in RARE], dtype="string"),
    "category": pandas.Categorical([None if v is None else f"level {v}" for v in SOME]),
    "days": pandas.to_datetime([None if rare else "2024-01-01" for rare in RARE]),
    "infinite": np.where(RARE, np.inf, FIRST),
    "mixed": pandas.Series([1, "a", None, 2.5] * (CASES // 4), dtype=object),
    "lists": pandas.Series([[1, 2], None] * (CASES // 2), dtype=object),
    "arrays": pandas.Series([np.zeros(2), None] * (CASES // 2), dtype=object),
    "nothing": pandas.Series([None] * CASES, dtype=object),
}


def named(names: Any) -> pandas.DataFrame:
    """Three columns of numbers by some names."""
    frame = pandas.DataFrame(NUMBERS.copy())
    frame.columns = pandas.Index(names) if isinstance(names, list) else names
    return frame


class Keeping(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Keeps what each of its copies is given, in the order of the calls."""

    given: ClassVar[list[Any]] = []

    def fit(self, X: Any, y: Any) -> Keeping:  # noqa: N803
        self.given.append(X)
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        self.given.append(X)
        return np.repeat(self.classes_[:1], len(X))


def given_to_learner(X: Any) -> tuple[Any, Any]:  # noqa: N803
    """What a learner is given to fit to and to predict of a data set, and the rows that these should be."""
    Keeping.given.clear()
    study = experiment((X, LABELS), {"keeping": Keeping()}, assay.plans.holdout(), jobs=1, progress=False)
    assert study.progress()["failed"] == 0, study.failures()
    study.store.close()
    # Before the split there was a trial, and after it the training part is predicted.
    return Keeping.given[-3], Keeping.given[-2]


def split_rows() -> tuple[Any, Any]:
    """The rows of the one split of a study of these cases."""
    split = assay.plans.holdout().splits(LABELS)[0]
    return split.train, split.test


@pytest.mark.parametrize("name", NAMES)
def test_a_learner_sees_the_names_of_columns_as_they_are(name: str) -> None:
    frame = named(NAMES[name])
    for seen, rows in zip(given_to_learner(frame), split_rows(), strict=True):
        pandas.testing.assert_frame_equal(seen, frame.iloc[rows])


@pytest.mark.parametrize("kind", GAPS)
def test_a_learner_sees_gaps_as_they_are(kind: str) -> None:
    frame = pandas.DataFrame({"a": FIRST, "gaps": GAPS[kind]})
    for seen, rows in zip(given_to_learner(frame), split_rows(), strict=True):
        pandas.testing.assert_frame_equal(seen, frame.iloc[rows])


def test_gaps_of_polars_and_arrow_stay_what_they_are() -> None:
    frame = polars.DataFrame(
        {
            "null": [None if rare else 3 for rare in RARE],
            "nan": np.where(RARE, np.nan, FIRST),
            "text": [None if rare else "z" for rare in RARE],
            "nothing": [None] * CASES,
            "target": SECOND,
            "lists": [[1, 2]] * CASES,
        }
    )
    for seen, rows in zip(given_to_learner(frame), split_rows(), strict=True):
        assert seen.equals(frame[rows])
    for seen, rows in zip(given_to_learner(frame.lazy()), split_rows(), strict=True):
        assert seen.equals(frame[rows])
    table = pyarrow.table([pyarrow.array(column) for column in (FIRST, SOME)], names=["x", "x"])
    for seen, rows in zip(given_to_learner(table), split_rows(), strict=True):
        assert seen.equals(table.take(rows))


def test_arrays_of_other_classes_reach_a_learner_as_they_are() -> None:
    masked = np.ma.masked_array(NUMBERS, mask=NUMBERS > 1)
    for seen, rows in zip(given_to_learner(masked), split_rows(), strict=True):
        assert isinstance(seen, np.ma.MaskedArray)
        np.testing.assert_array_equal(np.ma.getmaskarray(seen), np.ma.getmaskarray(masked)[rows])
    with_nan = dataset_of((masked, LABELS)).numbers
    np.testing.assert_array_equal(np.isnan(with_nan), np.ma.getmaskarray(masked))


class ByPlace(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A logistic regression on all columns but the first, whatever they are called, which scikit-learn may refuse."""

    def fit(self, X: Any, y: Any) -> ByPlace:  # noqa: N803
        self.inner_ = LogisticRegression().fit(np.asarray(X)[:, 1:], y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return self.inner_.predict(np.asarray(X)[:, 1:])


@pytest.mark.parametrize("name", ["numbers", "the same name twice", "columns of results", "days"])
def test_scores_of_such_frames_are_those_of_cross_validate(name: str) -> None:
    assert_scored_as_by_cross_validate(named(NAMES[name]), LABELS, ByPlace)


@pytest.mark.parametrize("kind", ["nan", "Int64", "boolean", "category"])
def test_scores_of_gaps_are_those_of_cross_validate(kind: str) -> None:
    frame = pandas.DataFrame({"a": SECOND, "gaps": GAPS[kind]})
    learner: dict[str, Callable[[], Any]] = {
        "category": lambda: HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype"),
        "boolean": lambda: make_pipeline(
            ColumnTransformer([("b", OneHotEncoder(), ["gaps"])], remainder="passthrough"), LogisticRegression()
        ),
    }
    plain = make_pipeline(SimpleImputer(add_indicator=True), LogisticRegression())
    assert_scored_as_by_cross_validate(frame, LABELS, learner.get(kind, lambda: plain))


@pytest.mark.parametrize("name", NAMES)
def test_presets_learn_from_such_frames_too(name: str) -> None:
    study = experiment((named(NAMES[name]), LABELS), "nb", assay.plans.kfold(3), jobs=1, progress=False)
    plain = experiment((NUMBERS, LABELS), "nb", assay.plans.kfold(3), jobs=1, progress=False)
    assert study.fold_scores("data", "nb").values.tolist() == plain.fold_scores("data", "nb").values.tolist()
    study.store.close()
    plain.store.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_model_of_such_a_frame_scores_new_cases_and_is_looked_at(name: str) -> None:
    frame = named(NAMES[name])
    study = experiment(
        {"odd": (frame, LABELS)}, {"mine": ByPlace()}, assay.plans.kfold(3), jobs=1, progress=False, keep_models=True
    )
    model = study.model("odd", "mine")
    expected = list(model.estimator.predict(frame[:9]))
    assert study.score(frame[:9], "odd", "mine").columns["prediction"] == expected
    turned = frame.iloc[:9, ::-1]  # the columns of new cases are matched by name, where each has one of its own
    if frame.columns.is_unique:
        assert study.score(turned, "odd", "mine").columns["prediction"] == expected
    importances = study.model("odd", "mine", fold=0).importances(repeats=10)
    rated = {one.name: one.value for one in importances.found}
    assert len(rated) == 3
    assert [value == 0 for value in rated.values()].count(True) == 1  # the first column, which is not looked at
    study.store.close()


@pytest.mark.parametrize("target", [3, "3"])
def test_a_column_is_named_by_the_very_name_it_has(target: Any) -> None:
    frame = named([0, 1, 2]).assign(label=LABELS).set_axis([0, 1, 2, 3], axis=1)
    data = dataset_of(frame, target=target, ignore=[1])
    assert list(data.given.columns) == [0, 2]
    assert data.labels.tolist() == LABELS.tolist()
    pairs = named(NAMES["pairs"])
    pairs[("b", "y")] = LABELS
    assert dataset_of(pairs, target=("b", "y")).given.shape == (CASES, 3)


def test_a_role_of_several_columns_is_refused() -> None:
    frame = named(["x", "x", "y"]).assign(kind=LABELS)
    for role in ({"group": "x"}, {"weight": "x"}, {"time": "x"}, {"ignore": ["x"]}):
        with pytest.raises(InputError, match="has 2 columns 'x'; needed: one column of that name"):
            dataset_of(frame, target="kind", **role)
    with pytest.raises(InputError, match="has 2 columns 'x'"):
        dataset_of(frame.set_axis(["x", "y", "z", "x"], axis=1), target="x")


def test_one_of_equal_columns_is_changed_by_itself() -> None:
    frame = named(["x", "x", "y"])
    donor = np.arange(CASES)[::-1]
    changed = with_rows_of_column(frame, "x (2)", donor)
    np.testing.assert_array_equal(changed.iloc[:, 1], SECOND[::-1])
    np.testing.assert_array_equal(changed.iloc[:, 0], FIRST)
    np.testing.assert_array_equal(frame.iloc[:, 1], SECOND)
    table = pyarrow.table([pyarrow.array(FIRST), pyarrow.array(SECOND)], names=["x", "x"])
    assert with_rows_of_column(table, "x (2)", donor).column(1).to_pylist() == SECOND[::-1].tolist()


def test_a_relation_of_a_database_is_a_frame() -> None:
    source = pandas.DataFrame({"a": FIRST, "kind": LABELS})
    data = dataset_of(duckdb.from_df(source), target="kind")
    assert isinstance(data.given, pyarrow.Table)
    assert data.given.column_names == ["a"]
