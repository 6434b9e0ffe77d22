"""What a study says of itself: leaks in the data, choices on the test folds, failures, and what its rows look like."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from tests.experiments.learning import Fussy

from assay.experiments import Study, experiment, kfold, open_study
from assay.experiments.datasets import dataset_of
from assay.experiments.plans import Plan, grouped_kfold, holdout, leave_one_out, repeated_kfold, resubstitution
from assay.experiments.runs import data_facts
from assay.experiments.splitting import Split

RNG = np.random.default_rng(5)
Y = np.arange(120) % 2
X = RNG.normal(size=(120, 4)) + Y[:, None]


def facts_of(data: Any, plan: Plan | None = None) -> dict[str, Any]:
    held = dataset_of(data)
    return data_facts(held, (plan or kfold(5)).splits(held.target, held.groups))


@pytest.fixture
def studies(tmp_path: Path) -> Iterator[Any]:
    """Runs a study and says which codes it raised."""
    made: list[Study] = []

    def run(data: Any, learners: Any, plan: Plan) -> dict[str, str]:
        made.append(experiment(data, learners, plan, store=tmp_path / f"{len(made)}.db", jobs=1))
        again = open_study(made[-1].store.place)  # facts come from the store alone
        made.append(again)
        assert again.cautions == made[-2].cautions
        return {caution.code: caution.message for caution in again.cautions}

    yield run
    for study in made:
        study.store.close()


def test_blameless_data_have_no_facts() -> None:
    assert facts_of((X, Y)) == {"repeated": None, "id_like": None, "prepared": None, "rarest": ["0", 12]}


def test_copies_of_cases_are_counted_over_the_splits() -> None:
    doubled = np.tile(np.column_stack([X[:50], np.zeros(50)]), (2, 1))
    doubled[50:, 4] = -0.0  # the two zeros are one number
    splits = [Split(np.arange(50), np.arange(50, 100)), Split(np.arange(25), np.arange(25, 100))]
    held = dataset_of((doubled, np.concatenate([Y[:50], 1 - Y[:50]])))
    # All 50 of the first split and 25 of the 75 of the second, none of its own class.
    assert data_facts(held, splits)["repeated"] == pytest.approx([75 / 125, 0.0])
    same = dataset_of((doubled, np.concatenate([Y[:50], Y[:50]])))
    assert data_facts(same, splits)["repeated"] == pytest.approx([75 / 125, 1.0])
    gaps = np.where(RNG.random((60, 2)) < 0.5, np.nan, 1.0)
    assert facts_of((gaps, Y[:60]))["repeated"][0] > 0.9


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("patient_id", np.repeat(np.arange(40), 3), ["patient_id", 40]),
        ("Subject", [f"s{i % 30}" for i in range(120)], ["Subject", 30]),
        ("patient_id", np.arange(120), None),  # a number of its own for every row parts nothing
        ("width", np.repeat(np.arange(40), 3), None),
        ("valid", np.repeat(np.arange(40), 3), None),
    ],
)
def test_a_column_called_like_an_id_is_noticed_where_its_values_recur(name: str, values: Any, found: Any) -> None:
    frame = pd.DataFrame({"x": X[:, 0], name: values, "class": Y})
    assert facts_of(frame)["id_like"] == found


def test_scaling_and_components_of_all_rows_leave_their_traces() -> None:
    scaled = StandardScaler().fit_transform(X)
    assert facts_of((scaled, Y))["prepared"] == "they had been standardised"
    assert facts_of((X / X.std(0, ddof=1) - (X / X.std(0, ddof=1)).mean(0), Y))["prepared"]
    assert facts_of((PCA().fit_transform(X), Y))["prepared"] == "they were components (PCA) found"
    inside = scaled[np.arange(120) != 3]
    assert facts_of((inside, np.delete(Y, 3)))["prepared"] is None
    assert facts_of((np.column_stack([scaled, np.full(120, 7.0)]), Y))["prepared"]  # a constant says nothing
    assert facts_of((X, Y))["prepared"] is None


def test_the_rarest_class_of_a_test_part() -> None:
    rare = np.zeros(100, dtype=int)
    rare[:6] = 1
    assert facts_of((X[:100], rare))["rarest"] == ["1", 1]
    assert facts_of((X[:100], rare), leave_one_out())["rarest"] is None


def test_testing_on_the_training_cases_is_said_and_nothing_that_follows_from_it(studies: Any) -> None:
    said = studies((X, Y), ["nb", "lda", "tree"], resubstitution())
    assert set(said) == {"A501"}


def test_the_best_of_several_is_corrected_and_the_two_best_are_told_apart(studies: Any) -> None:
    noise = RNG.normal(size=(120, 3))
    neighbours = {"preset": "knn", "grid": {"n_neighbors": [1, 3, 5, 7, 9, 11]}}
    said = studies((noise, Y), neighbours, kfold(10))
    assert "was chosen as the best of 6 on these cases" in said["A502"]
    error, corrected = (float(word) for word in said["A502"].split() if word[0] == "0")
    assert corrected > error
    assert "in 10 splits: a true difference in accuracy of" in said["A503"]
    clear = np.column_stack([Y + 0.01 * RNG.normal(size=120), noise])
    assert {"A502", "A503"}.isdisjoint(studies((clear, Y), "lda", repeated_kfold(5, 2)))


def test_one_split_tells_nothing_of_two_learners(studies: Any) -> None:
    said = studies((X, Y), ["nb", "lda"], holdout())
    assert said["A503"].startswith("Inconclusive: too few splits (1)")


def test_leaks_are_said_with_the_data_sets_they_are_in(studies: Any) -> None:
    copies = (np.vstack([X, X]), np.concatenate([Y, Y]))
    said = studies({"clean": (X, Y), "copies": copies}, "nb", kfold(5))
    assert said["A504"].startswith("copies: ")
    assert "100.0 % of these its class too" in said["A504"]


def test_a_learner_that_fails_on_some_folds_is_named(studies: Any) -> None:
    plain = (np.arange(60.0)[:, None], [0, 1] * 30)
    said = studies(plain, {"fussy": Fussy(3.0), "nb": "nb", "never": Fussy(-1.0)}, kfold(5))
    assert said["A507"].startswith("Failed: 'fussy' on 1 of 5 splits.")


def test_groups_kept_together_raise_nothing(studies: Any) -> None:
    groups = np.repeat(np.arange(30), 4)
    assert "A505" not in studies((X, Y, groups), KNeighborsClassifier(), grouped_kfold(5))
