"""Groups, times, weights and nested searches of a study file, from end to end and beside scikit-learn."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tests.cli.conftest import Run

from assay.experiments import plans
from assay.experiments.datasets import numbered

RNG = np.random.default_rng(3)
CASES = 200
X = RNG.normal(size=(CASES, 2))
Y = np.where(X[:, 0] * X[:, 1] + 0.6 * RNG.normal(size=CASES) > 0, "spam", "ham")
SITES = np.array(list("hgfedcba"))[RNG.integers(0, 8, CASES)]
WEIGHTS = RNG.integers(1, 9, CASES).astype(float)
DAYS = RNG.integers(0, 120, CASES)
DATES = np.datetime_as_string(np.datetime64("2024-01-01") + DAYS)
GRID = {"max_depth": [1, 2, 3, 5, 8], "min_samples_leaf": [1, 10]}
TUNED = '{ name = "s", path = "sklearn.tree.DecisionTreeClassifier", tune = { max_depth = [1, 2, 3, 5, 8], \
min_samples_leaf = [1, 10] } }'
GROUPED = f"""
plan = {{ kind = "grouped_kfold", folds = 4, inner = {{ kind = "grouped_kfold", folds = 3 }} }}
datasets = [{{ path = "m.csv", target = "kind", group = "site", weight = "w", ignore = ["day"], positive = "spam" }}]
learners = [{TUNED}]
backend = "here"
"""
TIMED = f"""
plan = {{ kind = "time_series", folds = 4, inner = {{ kind = "time_series", folds = 3 }} }}
datasets = [{{ path = "m.csv", target = "kind", time = "day", ignore = ["site", "w"], positive = "spam" }}]
learners = [{TUNED}]
backend = "here"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the data set, which commands run in."""
    columns: dict[str, Any] = {"a": X[:, 0], "b": X[:, 1], "site": SITES, "day": DATES, "w": WEIGHTS, "kind": Y}
    pandas.DataFrame(columns).to_csv(tmp_path / "m.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def searched(outer: list[Any], inner: Any, **beside: Any) -> tuple[dict[int, float], list[dict[str, Any]]]:
    """The probability of spam of every case and the settings of every fold, by scikit-learn's own search."""
    probability, settings = {}, []
    for split in outer:
        train = split.train
        tree = DecisionTreeClassifier(random_state=0)
        search = GridSearchCV(tree, GRID, cv=[(part.train, part.test) for part in inner(train)])
        search.fit(X[train], Y[train], **{name: values[train] for name, values in beside.items()})
        settings.append(search.best_params_)
        for row, each in zip(split.test, search.predict_proba(X[split.test])[:, 1], strict=True):
            probability[int(row)] = float(each)
    return probability, settings


def ran(run: Run, text: str) -> tuple[dict[int, float], list[dict[str, Any]]]:
    """The same by the command line."""
    Path("s.toml").write_text(text)
    done = run("experiment", "run", "s.toml", "--quiet")
    assert done.code == 0, done.err
    written = run("experiment", "predictions", "s.toml", "--learner", "s", "--quiet").out
    rows = list(csv.DictReader(io.StringIO(written)))
    table = json.loads(run("experiment", "show", "s.toml", "--settings", "--json").out)["table"]
    settings = [dict(zip(GRID, each, strict=True)) for each in zip(*(table[name] for name in GRID), strict=True)]
    return {int(row["id"]): float(row["proba_spam"]) for row in rows}, settings


def test_groups_weights_and_a_nested_search_in_a_study_file(run: Run, folder: Path) -> None:
    codes = numbered(SITES.tolist())  # groups in the order in which they come
    outer = plans.grouped_kfold(4).splits(Y, codes)
    expected = searched(
        outer, lambda train: plans.grouped_kfold(3).splits(Y[train], codes[train]), sample_weight=WEIGHTS
    )
    probability, settings = ran(run, GROUPED)
    assert settings == expected[1]
    assert probability.keys() == expected[0].keys()
    assert [probability[row] for row in range(CASES)] == pytest.approx(
        [expected[0][row] for row in range(CASES)], abs=1e-12
    )
    unweighted, _ = ran(run, GROUPED.replace('weight = "w", ignore = ["day"]', 'ignore = ["day", "w"]'))
    assert unweighted != probability
    assert len(set(map(str, settings))) > 1
    again = run("experiment", "resume", "s.toml")
    assert again.code == 0
    assert "8 done, 0 failed, 0 missing" in again.err
    flow = run("experiment", "show", "s.toml", "--flow").out
    assert "train" in flow


def test_times_order_the_steps_and_those_of_the_search_within(run: Run, folder: Path) -> None:
    place = np.unique(DAYS, return_inverse=True)[1]
    outer = list(plans.time_series(4).each(Y, time=place))

    def inner(train: Any) -> Any:
        parts = list(plans.time_series(3).each(Y[train], time=place[train]))
        for part in parts:
            assert DAYS[train][part.train].max() < DAYS[train][part.test].min()
        return parts

    expected = searched(outer, inner)
    probability, settings = ran(run, TIMED)
    assert settings == expected[1]
    assert probability == pytest.approx(expected[0], abs=1e-12)
    for split in outer:
        assert DAYS[split.train].max() < DAYS[split.test].min()
    shown = run("experiment", "show", "s.toml", "--flow", "--json")
    assert shown.code == 0, shown.err
    assert json.loads(shown.out)["table"]["cases"][0] == len(outer[0].train)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TIMED.replace('"time_series", folds = 4', '"kfold", folds = 4'), "trains on cases later than"),
        (TIMED.replace('time = "day"', 'time = "dya"'), "has no column 'dya'"),
        (GROUPED.replace('weight = "w"', 'weight = "kind"'), "column 'kind' of data set 'm' has invalid weights"),
        (GROUPED.replace("grouped_kfold", "kfold"), "separates cases of a group"),
        (GROUPED.replace('weight = "w"', "weight = 3"), "weight of a data set"),
    ],
)
def test_what_does_not_fit_is_one_sentence(run: Run, folder: Path, text: str, words: str) -> None:
    Path("s.toml").write_text(text)
    refused = run("experiment", "run", "s.toml")
    assert refused.code in (2, 3)
    assert words in refused.err
    assert len(refused.err.strip().splitlines()) == 1


ROUTED = """
plan = { kind = "kfold", folds = 4 }
datasets = [{ path = "m.csv", target = "kind", weight = "w", ignore = ["site", "day"], positive = "spam" }]
backend = "processes"
jobs = 1

[[learners]]
name = "s"
path = "sklearn.pipeline.Pipeline"
params.steps = [
    { tuple = ["scale", { path = "sklearn.preprocessing.StandardScaler", requests.fit.sample_weight = true }] },
    { tuple = ["learn", { path = "sklearn.tree.DecisionTreeClassifier", params.max_depth = 2, \
requests.fit.sample_weight = false }] },
]
"""


@pytest.mark.parametrize(("scale", "learn"), [(True, False), (True, True), (False, True)])
def test_metadata_are_routed_as_a_study_file_requests(run: Run, folder: Path, scale: bool, learn: bool) -> None:
    text = ROUTED.replace("= true", f"= {str(scale).lower()}").replace("= false", f"= {str(learn).lower()}")
    if not learn:  # a support vector machine depends on the scale, and so on the weights of the scaler
        text = text.replace("tree.DecisionTreeClassifier", "svm.SVC").replace("params.max_depth = 2", "params.C = 1.0")
    Path("s.toml").write_text(text)
    done = run("experiment", "run", "s.toml", "--quiet")
    assert done.code == 0, done.err
    written = run("experiment", "predictions", "s.toml", "--learner", "s", "--quiet").out
    predicted = {int(row["id"]): row["prediction"] for row in csv.DictReader(io.StringIO(written))}
    with sklearn.config_context(enable_metadata_routing=True):
        last: Any = DecisionTreeClassifier(max_depth=2, random_state=0) if learn else SVC(random_state=0)
        learner = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=scale), last.set_fit_request(sample_weight=learn)
        )
        for split in plans.kfold(4).splits(Y):
            learner.fit(X[split.train], Y[split.train], sample_weight=WEIGHTS[split.train])
            assert [predicted[row] for row in split.test] == list(learner.predict(X[split.test]))
    resumed = run("experiment", "resume", "s.toml")
    assert "8 done, 0 failed, 0 missing" in resumed.err


def test_requests_that_cannot_be_are_refused(run: Run, folder: Path) -> None:
    for wrong in ("requests.fit.weights = true", "requests.fits.sample_weight = true", "requests = 3"):
        Path("s.toml").write_text(ROUTED.replace("requests.fit.sample_weight = true", wrong))
        refused = run("experiment", "run", "s.toml")
        assert refused.code in (2, 3)
        assert "cannot request" in refused.err
    Path("s.toml").write_text(
        'datasets = ["iris"]\nlearners = [{ preset = "tree", requests.fit.sample_weight = true }]'
    )
    assert "requests cannot be used with a preset" in run("experiment", "run", "s.toml").err
