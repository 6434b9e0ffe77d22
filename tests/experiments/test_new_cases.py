"""New cases scored: columns matched by name or refused in one sentence, thresholds from held-out predictions alone."""

from __future__ import annotations

import csv
import io
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.model_selection import StratifiedKFold, permutation_test_score

import assay
from assay.calibration import RECALIBRATIONS
from assay.decisions import choose_threshold
from assay.errors import InputError, NotWritten, OptionError
from assay.experiments.optimism import validation_of
from assay.experiments.study import Study


@pytest.fixture(scope="module")
def study() -> Study:
    """A regression on the weather, its model kept."""
    return assay.experiment("weather", "logistic", assay.plans.kfold(3), jobs=1, keep_models=True)


@pytest.fixture(scope="module")
def days() -> pandas.DataFrame:
    """Days like those that were learned from, with a case number and without what tells the answer."""
    with as_file(files("assay") / "data" / "weather.csv") as path:
        table = pandas.read_csv(path, keep_default_na=False, na_values=["NA"]).iloc[:80]
    return table.assign(id=[f"{k:04}" for k in range(80)]).drop(columns=["RISK_MM", "Date", "Location"])


def test_the_model_says_of_new_cases_what_it_says_itself(study: Study, days: pandas.DataFrame) -> None:
    found = study.score(days)
    model = study.model()
    theirs = model.estimator.predict_proba(model.data.numbers[:80])[:, 1]
    assert found.columns["score"] == pytest.approx(theirs.tolist())
    assert found.columns["prediction"] == np.where(theirs >= 0.5, "Yes", "No").tolist()
    assert found.columns["truth"] == days["RainTomorrow"].tolist()
    assert list(found.columns["id"]) == days["id"].tolist()
    assert any("are optimistic" in line for line in found.words())


def test_columns_may_come_in_any_order_and_others_are_said(study: Study, days: pandas.DataFrame) -> None:
    turned = days[days.columns[::-1]].assign(note="x").drop(columns=["RainTomorrow"])
    found = study.score(turned)
    assert found.unused == ("note",)
    assert found.words()[-1] == "Not used: note."
    assert "truth" not in found.columns
    assert found.columns["score"] == pytest.approx(study.score(days).columns["score"])


SPOILED: dict[str, tuple[Any, str]] = {
    "a column is missing": (lambda f: f.drop(columns=["Sunshine"]), "no column 'Sunshine'"),
    "two are": (lambda f: f.drop(columns=["Sunshine", "MinTemp"]), "no column 'MinTemp' and 1 more"),
    "a text for a number": (lambda f: f.assign(MinTemp="warm"), "column 'MinTemp' has 'warm'.*numbers"),
    "a new value": (lambda f: f.assign(WindGustDir="up"), r"has 'up', which does not occur in training \(80 rows\)"),
    "a number for a text": (lambda f: f.assign(WindGustDir=7), "column 'WindGustDir' has '7'"),
    "a class nobody knows": (lambda f: f.assign(RainTomorrow="Perhaps"), "'Perhaps', which is not a class"),
    "no row": (lambda f: f.iloc[:0], "no cases to score"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_what_does_not_fit_is_one_sentence(study: Study, days: pandas.DataFrame, name: str) -> None:
    spoil, said = SPOILED[name]
    with pytest.raises(InputError, match=said) as refused:
        study.score(spoil(days))
    assert "\n" not in str(refused.value)


def test_values_never_seen_may_be_taken_for_missing(study: Study, days: pandas.DataFrame) -> None:
    new, gone = days.assign(WindGustDir="up"), days.assign(WindGustDir=None)
    assert study.score(new, unseen="missing").columns["score"] == study.score(gone).columns["score"]
    with pytest.raises(OptionError, match="unseen"):
        study.score(new, unseen="guess")


def test_missing_values_go_the_way_they_went(study: Study, days: pandas.DataFrame) -> None:
    found = study.score(days.assign(MinTemp=np.nan, Sunshine=None))
    assert np.isfinite(found.columns["score"]).all()


def test_a_threshold_is_chosen_on_held_out_predictions(study: Study, days: pandas.DataFrame) -> None:
    table = study.evaluation("weather", "logistic").scores
    assert table is not None
    wanted = choose_threshold(table, "youden", seed=0)
    found = study.score(days, threshold="youden")
    assert found.threshold == wanted.threshold
    assert found.columns["prediction"] == [
        "Yes" if score >= wanted.threshold else "No" for score in found.columns["score"]
    ]
    assert any("held-out" in line for line in found.words())
    costs = study.score(days, threshold=assay.Costs(fp=1, fn=8))
    assert costs.threshold == choose_threshold(table, costs=assay.Costs(fp=1, fn=8), seed=0).threshold
    assert costs.columns["prediction"].count("Yes") > study.score(days).columns["prediction"].count("Yes")
    assert study.score(days, threshold=0.9).threshold == 0.9


def test_recalibration_is_fitted_to_held_out_predictions(study: Study, days: pandas.DataFrame) -> None:
    table = study.evaluation("weather", "logistic").scores
    assert table is not None
    found = study.score(days, recalibrate="platt")
    wanted = RECALIBRATIONS["platt"](table)(study.score(days).columns["score"])
    assert found.columns["score"] == pytest.approx(wanted.tolist())
    both = study.score(days, recalibrate="isotonic", threshold="f1")
    assert both.threshold == choose_threshold(RECALIBRATIONS["isotonic"](table).apply(table), "f1").threshold
    with pytest.raises(OptionError, match="recalibrate"):
        study.score(days, recalibrate="magic")


def test_training_scores_never_choose() -> None:
    found = assay.experiment("weather", "logistic", "resubstitution", jobs=1)
    with pytest.raises(OptionError, match="threshold cannot be used: the plan 'tested on the training cases'"):
        _scored(found, threshold="youden")
    flowers = assay.experiment("iris", "nb", "swapped_halves", jobs=1)
    with pytest.raises(OptionError, match="no scores of two classes"):
        _scored(flowers, recalibrate="platt")


def _scored(study: Study, **how: Any) -> Any:
    data = study.given[0][0] if study.given else None
    assert data is not None
    frame = pandas.DataFrame(dict(zip((c.name for c in data.columns), data.numbers.T, strict=False)))
    frame = frame.astype(object) if data.name == "weather" else frame
    for column in data.columns:
        if column.values is not None:
            frame[column.name] = column.values[0]
    return study.score(frame, fold=0, **how)


def test_arrays_are_scored_where_arrays_were_learned_from() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 2)), rng.integers(0, 2, 60)  # noqa: N806
    found = assay.experiment((X, y), "nb", "swapped_halves", jobs=1, keep_models=True)
    assert len(found.score(X[:5])) == 5
    with pytest.raises(InputError, match="2 columns"):
        found.score(X[:, :1])
    with pytest.raises(InputError, match="a file, a data frame"):
        found.score([["a"]])
    named = assay.experiment("iris", "nb", "swapped_halves", jobs=1, keep_models=True)
    with pytest.raises(InputError, match="without column names"):
        named.score(X)


def test_a_file_is_written_whole_or_not_at_all(study: Study, days: pandas.DataFrame, tmp_path: Path) -> None:
    days.to_csv(tmp_path / "new.csv", index=False)
    found = study.score(tmp_path / "new.csv", threshold="youden")
    found.write(tmp_path / "out.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert [row["id"] for row in rows] == days["id"].tolist()  # leading zeros and all
    ev = assay.evaluate(tmp_path / "out.csv")
    assert ev.n == 80
    assert ev.roc_auc.value == assay.evaluate(days["RainTomorrow"], np.array(found.columns["score"])).roc_auc.value
    with pytest.raises(NotWritten):
        found.write(tmp_path / "no" / "out.csv")


def test_many_classes_have_a_probability_each(tmp_path: Path) -> None:
    found = assay.experiment("iris", "nb", "swapped_halves", jobs=1, keep_models=True)
    data = found.model().data
    frame = pandas.DataFrame(data.features, columns=list(data.feature_names))
    frame["target"] = [data.classes[code] for code in data.target]
    found.score(frame).write(tmp_path / "out.csv")
    ev = assay.evaluate(tmp_path / "out.csv")
    assert ev.classes == data.classes
    assert ev.accuracy.value > 0.9


def test_classes_that_are_numbers_and_ids_that_are_formulas(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame({"a": rng.random(60), "y": rng.choice([-1, 1], 60), "id": ["=1+1", "-5", "007"] * 20})
    found = assay.experiment({"d": (frame[["a"]], frame["y"])}, "nb", "swapped_halves", jobs=1, keep_models=True).score(
        frame, id="id"
    )
    found.write(tmp_path / "out.csv")
    first, second, third = (tmp_path / "out.csv").read_text().splitlines()[1:4]
    assert first.startswith("'=1+1,")
    assert second.startswith("-5,")
    assert third.startswith("007,")
    assert {row.split(",")[2] for row in (first, second, third)} <= {"-1", "1"}
    assert assay.evaluate(tmp_path / "out.csv", positive="1", ignore="id").n == 60


def test_ids_that_are_not_there_or_have_our_names_are_refused(study: Study, days: pandas.DataFrame) -> None:
    with pytest.raises(OptionError, match="no column 'who'"):
        study.score(days, id="who")
    with pytest.raises(OptionError, match="'score' cannot be copied to the output"):
        study.score(days.assign(score=1), id="score")


def test_chance_is_scikit_learns_permutation_test() -> None:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 3))  # noqa: N806
    y = (X[:, 0] + rng.standard_normal(60) > 0).astype(int)
    found = assay.experiment((X, y), "nb", assay.plans.kfold(3), jobs=1, seed=2)
    ours = found.against_chance(permutations=30, seed=7)
    model, folds = found.model(fold=0).learner.build(2), StratifiedKFold(3, shuffle=True, random_state=2)
    value, values, p_value = permutation_test_score(model, X, y, cv=folds, n_permutations=30, random_state=7)
    assert ours.value == pytest.approx(value)
    assert ours.values == pytest.approx(values)
    assert ours.p_value == pytest.approx(p_value)
    assert ours.test.p_value == ours.p_value
    auc = found.against_chance(measure="roc_auc", permutations=19)
    assert auc.p_value == 1 / 20
    errors = found.against_chance(measure="error_rate", permutations=30, seed=7)
    assert errors.p_value == ours.p_value


def test_useless_columns_are_no_better_than_chance() -> None:
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        study = assay.experiment((rng.random((30, 2)), rng.integers(0, 2, 30)), "nb", "swapped_halves", jobs=1)
        found.append(study.against_chance(permutations=19, seed=seed).p_value)
    assert np.mean(np.array(found) <= 0.05) <= 0.25
    assert np.mean(found) > 0.25


def test_what_cannot_be_permuted_is_refused() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 2)), np.arange(60) % 2  # noqa: N806
    in_time = assay.experiment((X, y), "nb", assay.plans.time_series(3), jobs=1)
    with pytest.raises(OptionError, match="not exchangeable"):
        in_time.against_chance()
    grouped = assay.experiment((X, y, np.arange(60) % 2), "nb", "resubstitution", jobs=1)
    with pytest.raises(OptionError, match="always better than chance"):
        grouped.against_chance()
    parted = assay.experiment((X, y, np.arange(60) % 10), "nb", assay.plans.grouped_kfold(2), jobs=1)
    with pytest.raises(InputError, match="no labels can be permuted"):
        parted.against_chance()
    mixed = assay.experiment((X, y, np.arange(60) // 6), "nb", assay.plans.grouped_kfold(2), jobs=1)
    assert mixed.against_chance(permutations=4).test.method == "4 permutations within groups"


def test_a_part_to_choose_on_chooses_the_threshold() -> None:
    study = assay.experiment("weather", "logistic", assay.plans.train_validation_test(), jobs=1)
    table = validation_of(study, "weather", "logistic").scores
    assert table is not None
    assert _scored(study, threshold="youden").threshold == choose_threshold(table, "youden").threshold
    with pytest.raises(OptionError, match="reserves its test part for the selected learner"):
        study.against_chance()


def test_a_model_that_was_chosen_on_a_part_is_fitted_again_in_the_same_way() -> None:
    plan = assay.plans.train_validation_test()
    tuned = {"preset": "tree", "tune": {"max_depth": [1, 2, 4]}}
    study = assay.experiment("weather", {"tuned": tuned, "pruned": "pruned_tree"}, plan, jobs=1, keep_models=True)
    for learner in ("tuned", "pruned"):
        assert study.model("weather", learner, fold=0).described.size["leaves"] >= 1
        assert study.model("weather", learner).cases == 311
