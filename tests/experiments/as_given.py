"""Data in every container that users have, and pipelines that rely on what was given; importable by workers."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelEncoder,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from assay.experiments import Study, experiment, plans
from assay.experiments.containers import case_count

CASES = 120
FOLDS = StratifiedKFold(3, shuffle=True, random_state=5)
RNG = np.random.default_rng(41)
NUMBERS = RNG.normal(size=(CASES, 3))
IS_SPAM = NUMBERS[:, 0] + 0.8 * NUMBERS[:, 1] + RNG.normal(size=CASES) > 0.2
LABELS = np.where(IS_SPAM, "spam", "ham")
FRAME = pandas.DataFrame(
    {
        "age": np.where(RNG.random(CASES) < 0.1, np.nan, NUMBERS[:, 0] * 10 + 40),
        "visits": RNG.poisson(np.where(IS_SPAM, 5, 3)).astype("int32"),
        "wind": pandas.Categorical(np.where(RNG.random(CASES) < 0.3, "N", np.where(IS_SPAM, "S", "W"))),
        "note": [f"{'offer' if spam else 'meeting'} {k % 11} at noon" for k, spam in enumerate(IS_SPAM)],
    },
    index=pandas.RangeIndex(1000, 1000 + CASES),
)
TARGET = pandas.Series(LABELS, index=FRAME.index, name="kind")
TEXTS = FRAME["note"].tolist()
COUNTS = sparse.csr_matrix(RNG.poisson(0.4 + IS_SPAM[:, None] * np.array([1, 0, 0.5, 0, 0]), size=(CASES, 5)))
IMAGES = (RNG.normal(size=(CASES, 4, 4)) + IS_SPAM[:, None, None]).astype(np.float32)
INTEGERS = np.where(IS_SPAM, 7, 3)
SMALL = ["age", "visits", "wind"]


def flat(images: Any) -> Any:
    """Images as rows of pixels."""
    return images.reshape(len(images), -1)


class Nearest(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A learner of a user's own, which answers in the labels that it was given."""

    def fit(self, X: Any, y: Any) -> Nearest:  # noqa: N803
        self.cases_, self.labels_, self.classes_ = np.asarray(X, dtype=float), list(y), sorted(set(y))
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        nearest = ((np.asarray(X, dtype=float)[:, None] - self.cases_) ** 2).sum(-1).argmin(1)
        return [self.labels_[row] for row in nearest]


class Coded(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A user's wrapper of a learner that demands classes from 0 on."""

    def __init__(self, inner: Any = None) -> None:
        self.inner = inner

    def fit(self, X: Any, y: Any) -> Coded:  # noqa: N803
        self.coder_ = LabelEncoder().fit(np.asarray(y))
        self.inner_ = clone(self.inner).fit(X, self.coder_.transform(np.asarray(y)))
        self.classes_ = self.coder_.classes_
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return self.coder_.inverse_transform(self.inner_.predict(X))

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        return self.inner_.predict_proba(X)


class Spy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Writes what it is given into a file, a line for each call, and predicts the first class."""

    def __init__(self, log: str = "") -> None:
        self.log = log

    def fit(self, X: Any, y: Any) -> Spy:  # noqa: N803
        self._write("fit", X, y)
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        self._write("predict", X, None)
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        return np.repeat(self.classes_[:1], rows)

    def _write(self, call: str, X: Any, y: Any) -> None:  # noqa: N803
        with Path(self.log).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"call": call, "X": about(X), "y": None if y is None else about(y)}) + "\n")


def about(container: Any) -> dict[str, Any]:
    """What is to stay of a container: its type, names, types of values and, of labels, which there are."""
    columns = getattr(container, "column_names", getattr(container, "columns", None))
    kinds = container.dtypes if hasattr(container, "dtypes") else getattr(container, "dtype", None)
    if hasattr(container, "schema"):
        kinds = container.schema
    shape, form = getattr(container, "shape", None), getattr(container, "format", None)
    values = list(container) if isinstance(container, list) else getattr(container, "tolist", list)()
    return {
        "type": f"{type(container).__module__}.{type(container).__qualname__}",
        "columns": None if columns is None else [str(name) for name in columns],
        "dtypes": str(kinds),
        "shape": None if shape is None else list(shape[1:]),
        "of": sorted({type(value).__name__ for value in values}) if values else [],
        "format": form if isinstance(form, str) else None,
    }


def by_name() -> Pipeline:
    """Columns by name: numbers filled and scaled, a text as 0/1 columns."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    parts = [("n", numbers, ["age", "visits"]), ("c", OneHotEncoder(handle_unknown="ignore"), ["wind"])]
    return make_pipeline(ColumnTransformer(parts), LogisticRegression())


def by_selector() -> Pipeline:
    """Columns by the types of their values."""
    numbers = make_column_selector(dtype_include="number")
    texts = make_column_selector(dtype_include="category")
    parts = [("n", SimpleImputer(), numbers), ("c", OneHotEncoder(handle_unknown="ignore"), texts)]
    return make_pipeline(ColumnTransformer(parts), RandomForestClassifier(20, random_state=1))


def by_position() -> Pipeline:
    """Columns by their place, the first of them dropped."""
    parts = [("out", "drop", [0]), ("n", "passthrough", [1]), ("c", OneHotEncoder(), [2])]
    return make_pipeline(ColumnTransformer(parts), DecisionTreeClassifier(max_depth=3, random_state=0))


def text_column() -> Pipeline:
    """Words of one column beside numbers of another."""
    parts = [("words", CountVectorizer(token_pattern=r"\d+"), "note"), ("n", "passthrough", ["visits"])]
    return make_pipeline(ColumnTransformer(parts), LogisticRegression(max_iter=500))


def ordinal_boosting() -> Pipeline:
    """Boosting that takes categories of a frame as such."""
    frame = ColumnTransformer(
        [("c", OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan), ["wind"])],
        remainder="passthrough",
    )
    return make_pipeline(frame, HistGradientBoostingClassifier(max_iter=10, categorical_features=[0]))


def pipelines() -> Mapping[str, tuple[Any, Any, Callable[[], Any]]]:
    """Twenty pipelines and more: X, y and how to make the estimator."""
    weighted = {"spam": 5, "ham": 1}
    each: dict[str, tuple[Any, Any, Callable[[], Any]]] = {
        "columns by name": (FRAME[SMALL], TARGET, by_name),
        "columns by selector": (FRAME[SMALL], TARGET, by_selector),
        "columns by position, one dropped": (FRAME[SMALL], TARGET, by_position),
        "polars by name": (polars.DataFrame(FRAME[SMALL].to_dict("list")), polars.Series(LABELS), by_name),
        "categories from the types": (
            FRAME[SMALL],
            TARGET,
            lambda: HistGradientBoostingClassifier(max_iter=10, categorical_features="from_dtype"),
        ),
        "boosting of categories": (FRAME[SMALL], TARGET, ordinal_boosting),
        "a column of text beside numbers": (FRAME, TARGET, text_column),
        "a list of texts": (TEXTS, LABELS.tolist(), lambda: make_pipeline(TfidfVectorizer(), LogisticRegression())),
        "texts in a series": (FRAME["note"], TARGET, lambda: make_pipeline(CountVectorizer(), MultinomialNB())),
        "an array of texts": (
            np.array(TEXTS, dtype=object),
            LABELS,
            lambda: make_pipeline(CountVectorizer(ngram_range=(1, 2)), LinearSVC()),
        ),
        "sparse counts": (COUNTS, LABELS, ComplementNB),
        "sparse columns": (sparse.csc_array(COUNTS), LABELS, lambda: LogisticRegression(class_weight=weighted)),
        "images flattened": (
            IMAGES,
            IS_SPAM,
            lambda: make_pipeline(FunctionTransformer(flat), GaussianNB()),
        ),
        "class weights by label": (
            NUMBERS,
            LABELS,
            lambda: SGDClassifier(class_weight=weighted, random_state=3),
        ),
        "whole-number labels": (
            NUMBERS,
            INTEGERS,
            lambda: DecisionTreeClassifier(class_weight={3: 1, 7: 4}, max_depth=3, random_state=0),
        ),
        "a learner of one's own": (FRAME[["visits"]], LABELS.tolist(), Nearest),
        "a wrapper of one's own": (NUMBERS.astype(np.float32), LABELS, lambda: Coded(GaussianNB())),
        "a search within": (
            FRAME[SMALL],
            TARGET,
            lambda: GridSearchCV(by_name(), {"logisticregression__C": [0.01, 1.0]}, cv=3),
        ),
        "a random search": (
            NUMBERS,
            LABELS,
            lambda: RandomizedSearchCV(
                KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]}, n_iter=2, cv=3, random_state=0
            ),
        ),
        "votes of pipelines": (
            FRAME[SMALL],
            TARGET,
            lambda: VotingClassifier([("a", by_name()), ("b", by_position())], voting="soft"),
        ),
        "stacked": (
            NUMBERS,
            LABELS,
            lambda: StackingClassifier(
                [("nb", GaussianNB()), ("t", DecisionTreeClassifier(max_depth=2, random_state=0))], cv=3
            ),
        ),
        "recalibrated": (COUNTS, LABELS, lambda: CalibratedClassifierCV(ComplementNB(), cv=3)),
        "the best columns": (
            [row.tolist() for row in NUMBERS],
            LABELS.tolist(),
            lambda: make_pipeline(SelectKBest(k=1), GaussianNB()),
        ),
        "Arrow by name": (
            pyarrow.table(FRAME[["visits"]].to_dict("list")),
            LABELS,
            lambda: make_pipeline(FunctionTransformer(as_pandas), by_visits()),
        ),
    }
    return each


class Either(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A learner of texts and of frames: which of the two it fits is what it is given."""

    def fit(self, X: Any, y: Any) -> Either:  # noqa: N803
        words = make_pipeline(TfidfVectorizer(), LogisticRegression())
        self.inner_ = (words if isinstance(X, list) else by_name()).fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return self.inner_.predict(X)

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        return self.inner_.predict_proba(X)


def study_as_given(**how: Any) -> Study:
    """A study of frames, texts and a sparse matrix, run as is said."""
    data = {
        "pandas": (FRAME[SMALL], TARGET),
        "polars": (polars.DataFrame(FRAME[SMALL].to_dict("list")), polars.Series(LABELS)),
        "texts": (TEXTS, LABELS.tolist()),
    }
    return experiment(data, {"either": Either()}, plans.kfold(4), **how)


def assert_scored_as_by_cross_validate(X: Any, y: Any, make: Callable[[], Any]) -> None:  # noqa: N803
    """A study gives the scores of scikit-learn's own cross-validation on the same splits."""
    splits = list(FOLDS.split(np.zeros(case_count(y)), np.asarray(y)))
    measures = ["accuracy", "balanced_accuracy", *(["roc_auc"] if _has_scores(make()) else [])]
    theirs = cross_validate(make(), X, y, cv=splits, scoring=measures, error_score="raise")
    study = experiment({"mail": (X, y)}, {"mine": make()}, FOLDS, jobs=1, progress=False)
    assert study.failures().columns["error"] == []
    for measure in measures:
        ours = study.fold_scores("mail", "mine", measure).values
        np.testing.assert_allclose(ours, theirs[f"test_{measure}"], rtol=0, atol=1e-12)
    study.store.close()


def _has_scores(estimator: Any) -> bool:
    """Whether an estimator ranks cases, which its scores must do as its labels do."""
    return hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")


def as_pandas(table: Any) -> Any:
    """An Arrow table as pandas has it."""
    return table.to_pandas()


def by_visits() -> Pipeline:
    """One column by name."""
    return make_pipeline(ColumnTransformer([("n", StandardScaler(), ["visits"])]), LogisticRegression())


def foreign_pipelines() -> dict[str, tuple[Any, Any, Callable[[], Any]]]:
    """The same with learners of other packages, where they are installed."""
    found: dict[str, tuple[Any, Any, Callable[[], Any]]] = {}
    if importlib.util.find_spec("xgboost") is not None:
        from xgboost import XGBClassifier

        boosted = XGBClassifier(n_estimators=5, max_depth=2, random_state=0, n_jobs=1)
        found["xgboost in a wrapper"] = (NUMBERS, LABELS, lambda: Coded(boosted))
    if importlib.util.find_spec("lightgbm") is not None:
        from lightgbm import LGBMClassifier

        light = LGBMClassifier(n_estimators=5, random_state=0, n_jobs=1, verbose=-1)
        found["lightgbm of a frame with categories"] = (FRAME[SMALL], TARGET, lambda: light)
    return found
