"""What rows are: subgroups, weights, folds, columns that are and are not used, and classifiers instead of rows."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import assay
from assay.report import render_csv, render_html, render_markdown, render_text


def codes(ev: assay.Evaluation) -> list[str]:
    return [caution.code for caution in ev.cautions]


@pytest.fixture(scope="module")
def rows() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    truth = rng.random(600) < 0.4
    logit = rng.normal(size=600) + 1.5 * truth - 1
    return {
        "y_true": truth.astype(int),
        "score": 1 / (1 + np.exp(-logit)),
        "weight": rng.integers(1, 5, 600) / 2,
        "site": np.where(np.arange(600) < 560, rng.choice(["north", "south"], 600), "<b>tiny</b>"),
        "fold": np.arange(600) % 5,
    }


@pytest.fixture
def file(rows: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(rows)
        writer.writerows(zip(*(values.tolist() for values in rows.values()), strict=True))
    return path


def test_subgroups_are_what_their_rows_alone_give(rows: dict[str, Any], file: Path) -> None:
    whole = assay.evaluate(file, by="site", ignore=("weight", "fold"))
    assert list(whole.subgroups) == ["<b>tiny</b>", "north", "south"]
    for name, part in whole.subgroups.items():
        here = rows["site"] == name
        alone = assay.evaluate(rows["y_true"][here], rows["score"][here], positive=1)
        assert part.n == here.sum()
        assert {m: e.to_dict() for m, e in part.measures.items()} == {m: e.to_dict() for m, e in alone.measures.items()}
    assert sum(part.n for part in whole.subgroups.values()) == whole.n
    assert whole.roc_auc.to_dict() == assay.evaluate(file, ignore=("weight", "fold")).roc_auc.to_dict()


def test_subgroups_are_decided_as_the_whole_is(rows: dict[str, Any]) -> None:
    logits = np.where(rows["site"] == "north", rows["score"], 10 * rows["score"] - 3)
    ev = assay.evaluate(rows["y_true"], logits, by=rows["site"])
    assert ev.matrix is None
    assert ev.subgroups["north"].matrix is None  # though its own scores lie in [0, 1]
    assert assay.evaluate(rows["y_true"], logits, by=rows["site"], threshold=2).subgroups["north"].threshold_used == 2


def test_small_subgroups_are_marked_in_every_format(file: Path) -> None:
    models = {"": assay.evaluate(file, by="site", ignore=("weight", "fold"))}
    tiny = models[""].subgroups["<b>tiny</b>"]
    few = min(tiny.class_counts.values())
    assert few < 20
    for text in (render_text(models), render_markdown(models)):
        assert f"only {few}" in text
        assert "With many subgroups, some differ by chance" in " ".join(text.split())
    assert "<b>tiny</b>" not in render_html(models)
    found = {row["subgroup"] for row in csv.DictReader(io.StringIO(render_csv(models)))}
    assert found == {"", "<b>tiny</b>", "north", "south"}
    record = json.loads(json.dumps(models[""].to_dict()))
    assert record["by"] == "site"
    assert record["subgroups"]["north"]["measures"]["roc_auc"]["value"] == models[""].subgroups["north"].roc_auc.value


def test_too_many_subgroups_are_refused_in_a_sentence(rows: dict[str, Any]) -> None:
    with pytest.raises(assay.InputError, match="into 600 subgroups; needed: a column of at most 100"):
        assay.evaluate(rows["y_true"], rows["score"], by=np.arange(600))


def test_design_columns_are_used_by_name_until_columns_are_named(file: Path) -> None:
    inferred = assay.evaluate(file)
    assert inferred.is_weighted
    assert inferred.roc_auc.target == "the models of these folds"
    named = assay.evaluate(file, truth="y_true", score="score")
    assert not named.is_weighted
    assert named.roc_auc.target == "this classifier"
    assert "A110" in codes(named)
    assert "A110" not in codes(inferred)
    said = assay.evaluate(file, truth="y_true", score="score", weight="weight", fold="fold")
    assert said.roc_auc.to_dict() == inferred.roc_auc.to_dict()
    assert "A110" not in codes(said)


def test_weights_are_no_cases(rows: dict[str, Any]) -> None:
    ev = assay.evaluate(rows["y_true"], rows["score"], weight=rows["weight"])
    assert ev.n == 600
    assert ev.class_counts == {"0": int((1 - rows["y_true"]).sum()), "1": int(rows["y_true"].sum())}
    weighed = rows["weight"][rows["y_true"] == 1].sum() / rows["weight"].sum()
    assert ev.class_shares["1"] == pytest.approx(weighed, rel=1e-12)
    kish = rows["weight"].sum() ** 2 / (rows["weight"] ** 2).sum()
    assert ev.accuracy.n == pytest.approx(kish, rel=1e-12)
    assert f"Kish n {kish:.4g}" in ev.mcc.method


def test_weights_of_one_are_no_weights(rows: dict[str, Any]) -> None:
    plain = assay.evaluate(rows["y_true"], rows["score"])
    ones = assay.evaluate(rows["y_true"], rows["score"], weight=np.ones(600))
    assert {m: e.to_dict() for m, e in ones.measures.items()} == {m: e.to_dict() for m, e in plain.measures.items()}


def test_a_fitted_classifier_takes_the_place_of_rows() -> None:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806 -- so called wherever estimators are
    model = LogisticRegression(max_iter=5000).fit(X[:300], y[:300])
    ev = assay.evaluate(model, X[300:], y[300:])
    assert ev.source.name == "LogisticRegression"
    assert ev.roc_auc.to_dict() == assay.evaluate(y[300:], model.predict_proba(X[300:])[:, 1]).roc_auc.to_dict()
    margins = assay.evaluate(LinearSVC(max_iter=100_000, dual=False).fit(X[:300], y[:300]), X[300:], y[300:])
    assert margins.matrix is not None
    assert not margins.has_probabilities
    flowers, kinds = load_iris(return_X_y=True)
    many = assay.evaluate(LogisticRegression(max_iter=5000).fit(flowers[::2], kinds[::2]), flowers[1::2], kinds[1::2])
    assert len(many.classes) == 3
    assert many.hand_till.value > 0.9


def test_a_y_without_a_classifier_is_refused(rows: dict[str, Any]) -> None:
    with pytest.raises(assay.InputError, match="y does not apply to arrays; needed: a fitted classifier"):
        assay.evaluate(rows["y_true"], rows["score"], rows["y_true"])


@pytest.mark.parametrize(
    ("truth", "score", "code"),
    [
        ([0, 1] * 60, [0.2, 0.9] * 60, "A130"),
        ([0, 1, 1, 0] * 20, [0.5, 0.5, 0.8, 0.2] * 20, "A113"),
        ([0, 1, 1, 0] * 20, [0.0, 1.0, 0.4, 0.6] * 20, "A204"),
    ],
)
def test_suspicious_scores_are_mentioned(truth: list[int], score: list[float], code: str) -> None:
    assert code in codes(assay.evaluate(truth, score))


def test_a_split_column_may_mark_training_cases(file: Path) -> None:
    text = file.read_text().replace("site", "split", 1)
    file.write_text(text)
    assert "A130" in codes(assay.evaluate(file, ignore=("weight", "fold")))
    assert "A130" not in codes(assay.evaluate(file, ignore=("weight", "fold"), by="split"))


def test_out_of_bag_answers_are_evaluated_and_cases_never_out_of_bag_said() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=200)
    x = y[:, None] + rng.normal(size=(200, 2))
    forest = ensemble.RandomForestClassifier(100, oob_score=True, random_state=0).fit(x, y)
    found = assay.evaluate(forest, x, y, out_of_bag=True)
    assert found.accuracy.value == pytest.approx(forest.oob_score_, abs=0.02)  # ties at one half may go either way
    assert assay.evaluate(forest, x, y).accuracy.value == 1  # it has learned these cases by heart
    with pytest.warns(UserWarning, match="OOB"):
        small = ensemble.RandomForestClassifier(4, oob_score=True, random_state=0).fit(x, y)
    assert "A106" in [caution.code for caution in assay.evaluate(small, x, y, out_of_bag=True).cautions]
    with pytest.raises(assay.InputError, match="out_of_bag does not apply to arrays; needed: a fitted ensemble"):
        assay.evaluate(y, x[:, 0], out_of_bag=True)
    assert assay.evaluate(y, x[:, 0], out_of_bag=False).n == 200


@pytest.mark.parametrize("role", ["weight", "count"])
def test_rows_that_count_for_nothing_are_as_if_they_were_not_there(role: str) -> None:
    """Among them those with the highest score of all, which no table of scores holds."""
    rng = np.random.default_rng(4)
    truth, many = rng.integers(0, 2, 90), rng.integers(0, 3, 90)
    good, poor, shares = rng.random(90), rng.random(90), rng.dirichlet(np.ones(3), 90)
    good[:3], poor[1], shares[:3] = 0.9999, 0.99999, np.eye(3)
    counted = rng.integers(1, 4, 90).astype(float)
    counted[:6] = 0
    kept = counted > 0
    every: tuple[Any, ...] = (np.ones(90, bool), kept)
    said: list[Any] = [{role: counted[rows]} for rows in every]
    for measure in ("roc_auc", "average_precision", "brier", "f1"):
        whole, part = (
            assay.compare(truth[rows], {"a": good[rows], "b": poor[rows]}, **more)
            for rows, more in zip(every, said, strict=True)
        )
        one, other = (cmp.difference(measure, "a", "b") for cmp in (whole, part))
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), nan_ok=True)
    whole_of_many, part_of_many = (
        assay.evaluate(many[rows], y_proba=shares[rows], **more) for rows, more in zip(every, said, strict=True)
    )
    one_low, other_low = (ev.macro_average_precision.low for ev in (whole_of_many, part_of_many))
    assert one_low == pytest.approx(other_low, nan_ok=True)
