"""`compare`: from arrays, frames and files to differences, verdicts, tables and records."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from assay.costs import Costs
from assay.errors import InputError
from assay.evaluation import evaluate, evaluate_models, from_counts
from assay.evaluation._compare import compare
from assay.evaluation._comparison import Comparison
from assay.measures import registry, registry_of_many

RNG = np.random.default_rng(0)
N = 240
TRUTH = RNG.random(N) < 0.4
SHARED = RNG.normal(size=N)
GOOD, POOR, MIDDLE = (
    1 / (1 + np.exp(-(TRUTH * gap - 0.8 + 0.7 * SHARED + 0.7 * RNG.normal(size=N)))) for gap in (2.2, 1.0, 1.2)
)
TWO = compare(TRUTH, {"good": GOOD, "poor": POOR})
THREE = compare(TRUTH, {"good": GOOD, "poor": POOR, "middle": MIDDLE})
CLASSES = RNG.integers(0, 3, N)
RAW = {name: RNG.dirichlet([1, 1, 1], N) + k * np.eye(3)[CLASSES] for name, k in (("x", 0.6), ("y", 0.3))}
SHARES = {name: rows / rows.sum(1, keepdims=True) for name, rows in RAW.items()}
MANY = compare(CLASSES, SHARES)


def consistent(found: Any, level: float = 0.95) -> None:
    if math.isnan(found.low):
        assert found.undefined
        return
    assert found.low <= found.value <= found.high
    assert (found.p_value < 1 - level) == (not found.low <= 0 <= found.high), found


@pytest.mark.parametrize("name", registry)
def test_every_measure_of_two_classes_is_compared_without_contradiction(name: str) -> None:
    found = TWO.difference(name, "good", "poor")
    consistent(found)
    values = [TWO.models[model].estimate(name).value for model in ("good", "poor")]
    assert found.value == pytest.approx(values[0] - values[1])
    back = TWO.difference(name, "poor", "good")
    assert back.value == pytest.approx(-found.value)


@pytest.mark.parametrize("name", registry_of_many)
def test_every_measure_of_many_classes_is_compared(name: str) -> None:
    found = MANY.difference(name, "x", "y")
    consistent(found)
    values = [MANY.models[model].estimate(name).value for model in ("x", "y")]
    assert found.value == pytest.approx(values[0] - values[1])


@pytest.mark.parametrize("name", ["roc_auc", "brier", "average_precision", "f1", "accuracy", "recall"])
@pytest.mark.parametrize("design", ["weight", "count", "cluster", "fold"])
def test_every_design_is_taken_or_refused(name: str, design: str) -> None:
    values: dict[str, Any] = {
        "weight": RNG.exponential(size=N),
        "count": RNG.integers(1, 3, N),
        "cluster": np.arange(N) % 40,
        "fold": np.arange(N) % 4,
    }
    cmp = compare(TRUTH, {"good": GOOD, "poor": POOR}, **{design: values[design]})
    found = cmp.difference(name, "good", "poor")
    consistent(found)
    assert found.value == pytest.approx(
        cmp.models["good"].estimate(name).value - cmp.models["poor"].estimate(name).value
    )


def test_identical_classifiers_do_not_differ() -> None:
    same = compare(TRUTH, {"one": GOOD, "two": GOOD.copy()})
    for name in ("roc_auc", "brier", "accuracy", "f1", "average_precision"):
        found = same.difference(name, "one", "two")
        assert (found.value, found.p_value) == (0.0, 1.0)
        assert same.verdict(name, "one", "two").outcome == "cannot tell"


def test_methods_by_name() -> None:
    default = TWO.difference("roc_auc", "good", "poor")
    for method in ("bootstrap", "Hanley-McNeil", "hanley_mcneil_table", "influence", "normal", "delong", "obuchowski"):
        found = TWO.difference("roc_auc", "good", "poor", method=method)
        assert found.value == pytest.approx(default.value)
        assert found.low == pytest.approx(default.low, abs=0.03)
        consistent(found)
    consistent(TWO.difference("f1", "good", "poor", method="bootstrap"))
    with pytest.raises(ValueError, match="method is 'astrology'; needed: one of 'DeLong'"):
        TWO.difference("roc_auc", "good", "poor", method="astrology")
    with pytest.raises(ValueError, match="Brier score is no ROC AUC"):
        TWO.difference("brier", "good", "poor", method="Hanley-McNeil")
    with pytest.raises(ValueError, match="use method='influence'"):
        MANY.difference("hand_till", "x", "y", method="bootstrap")


def test_levels() -> None:
    wide, narrow = (TWO.difference("roc_auc", "good", "poor", level=level) for level in (0.99, 0.8))
    assert wide.low < narrow.low < narrow.high < wide.high
    consistent(wide, 0.99)


def test_pairs_hold_together_and_holm_only_decides() -> None:
    table = THREE.pairs("roc_auc")
    assert list(zip(table.columns["first"], table.columns["second"], strict=True)) == [
        ("good", "poor"), ("good", "middle"), ("poor", "middle")
    ]  # fmt: skip
    alone = THREE.difference("roc_auc", "good", "poor")
    assert table.columns["low"][0] < alone.low
    assert table.columns["p_value"][0] >= alone.p_value
    assert set(table.columns["holm"]) <= {"", "differ"}
    for name in ("accuracy", "f1", "brier"):
        for found in THREE.differences(name):
            consistent(found)
            assert "3 comparisons" in str(found.adjusted)


def test_one_control_has_fewer_comparisons() -> None:
    found = THREE.differences("roc_auc", control="poor")
    assert [(d.first, d.second) for d in found] == [("good", "poor"), ("middle", "poor")]
    assert found[0].half_width < THREE.differences("roc_auc")[0].half_width


def test_the_win_matrix_is_antisymmetric() -> None:
    table = THREE.wins("roc_auc").columns
    turned = {"+": "-", "-": "+", "?": "?", "": ""}
    for i, one in enumerate(THREE.names):
        for j, other in enumerate(THREE.names):
            assert table[other][i] == turned[table[one][j]]
    assert table["good"][0] == ""
    assert sum(table["wins"]) == sum(mark == "+" for name in THREE.names for mark in table[name])
    lower = THREE.wins("brier").columns
    assert lower["poor"][0] == "+"
    with pytest.raises(ValueError, match="nobody wins"):
        THREE.wins("prevalence")


def test_the_verdict_says_everything() -> None:
    words = TWO.verdict("roc_auc", "good", "poor", margin=0.01).words.splitlines()
    assert words[0].startswith("good has a significantly higher ROC AUC than poor.  ROC AUC difference (good - poor) +")
    assert words[1] == "With a margin of 0.01: better"
    assert words[-1] == (
        "Assumes independent rows and the same test set. Not measured: retraining. "
        "Decide on fresh cases; adding to these and testing again does not keep this level."
    )


def test_who_was_right_is_counted_case_by_case() -> None:
    right = [(score >= 0.5) == TRUTH for score in (GOOD, POOR)]
    found = TWO.who_was_right("good", "poor")
    assert float(found.both) == np.count_nonzero(right[0] & right[1])
    assert float(found.only_first) == np.count_nonzero(right[0] & ~right[1])
    assert TWO.mcnemar("good", "poor").method == "mid-p"


def test_labels_alone_and_labels_that_truth_never_holds() -> None:
    labels = {
        "a": np.where(TRUTH, "yes", "no"),
        "b": np.where(np.arange(N) % 7 == 0, "maybe", np.where(GOOD > 0.5, "yes", "no")),
    }
    cmp = compare(np.where(TRUTH, "yes", "no"), y_pred=labels, positive="yes")
    assert cmp.default_measure == "accuracy"
    assert cmp.decisions("a", "b").decisions == ("no", "yes", "maybe")
    for name in ("accuracy", "fpr", "f1"):
        found = cmp.difference(name, "a", "b")
        values = [cmp.models[model].estimate(name).value for model in ("a", "b")]
        assert found.value == pytest.approx(values[0] - values[1])
    with pytest.raises(ValueError, match="labels but no scores"):
        cmp.difference("roc_auc", "a", "b")


def test_costs_and_net_benefit() -> None:
    found = TWO.cost_difference("good", "poor", costs=Costs(fp=1, fn=5))
    losses = np.array([[0, 1], [5, 0]])
    costs = [losses[TRUTH.astype(int), (score >= 0.5).astype(int)].mean() for score in (GOOD, POOR)]
    assert found.value == pytest.approx(costs[0] - costs[1])
    consistent(found)
    clustered = compare(TRUTH, {"good": GOOD, "poor": POOR}, cluster=np.arange(N) % 40)
    assert clustered.cost_difference("good", "poor", costs=Costs(fp=1, fn=5)).value == pytest.approx(found.value)
    benefit = TWO.net_benefit_difference("good", "poor", 0.3)
    odds = 0.3 / 0.7
    gains = [((s >= 0.3) & TRUTH).mean() - odds * ((s >= 0.3) & ~TRUTH).mean() for s in (GOOD, POOR)]
    assert benefit.value == pytest.approx(gains[0] - gains[1])
    assert benefit.first == "good"


def test_scores_missing_pairwise_rest_on_their_own_cases() -> None:
    good, poor = GOOD.copy(), POOR.copy()
    good[:60], poor[180:] = np.nan, np.nan
    cmp = compare(TRUTH, {"good": good, "poor": poor}, missing="pairwise")
    assert cmp.n == N
    assert cmp.models["good"].n == 180
    found = cmp.difference("roc_auc", "good", "poor")
    assert "partially" in found.method
    assert found.half_width > TWO.difference("roc_auc", "good", "poor").half_width
    assert cmp.difference("accuracy", "good", "poor").n == 120
    assert "missing at random" in cmp.assumptions
    with pytest.raises(InputError, match="rows have clusters"):
        compare(TRUTH, {"good": good, "poor": poor}, missing="pairwise", cluster=np.arange(N))


def test_frames_and_files_with_several_score_columns(tmp_path: Path) -> None:
    frame = pd.DataFrame({"target": TRUTH.astype(int), "score__good": GOOD, "score__poor": POOR})
    frame.to_csv(tmp_path / "wide.csv", index=False)
    for cmp in (compare(frame), compare(tmp_path / "wide.csv")):
        assert cmp.names == ("good", "poor")
        assert cmp.difference("roc_auc", "good", "poor").p_value == pytest.approx(
            TWO.difference("roc_auc", "good", "poor").p_value, rel=1e-6
        )


def long(*, with_id: bool, shuffled: bool = False) -> pd.DataFrame:
    parts = []
    for name, score in (("good", GOOD), ("poor", POOR)):
        part = pd.DataFrame({"model": name, "target": TRUTH.astype(int), "score": score})
        if with_id:
            part.insert(0, "id", [f"case {k}" for k in range(N)])
        parts.append(part.sample(frac=1, random_state=len(name) + (name == "good")) if shuffled else part)
    return pd.concat(parts)


def test_a_model_column_is_matched_by_id_or_by_order(tmp_path: Path) -> None:
    long(with_id=True, shuffled=True).to_csv(tmp_path / "id.csv", index=False)
    long(with_id=False).to_csv(tmp_path / "order.csv", index=False)
    long(with_id=False, shuffled=True).to_csv(tmp_path / "mixed.csv", index=False)
    expected = TWO.difference("roc_auc", "good", "poor")
    by_id, by_order = compare(tmp_path / "id.csv"), compare(tmp_path / "order.csv")
    assert (by_id.matched_by, by_order.matched_by) == ("id", "order of the rows")
    for cmp in (by_id, by_order):
        assert cmp.difference("roc_auc", "good", "poor").p_value == pytest.approx(expected.p_value, rel=1e-6)
    with pytest.raises(InputError, match="same order"):
        compare(tmp_path / "mixed.csv")


def test_files_are_joined_by_id_and_what_does_not_match_is_counted(tmp_path: Path) -> None:
    ids = np.arange(N)
    one = pd.DataFrame({"id": ids, "target": TRUTH.astype(int), "score": GOOD})
    two = pd.DataFrame({"id": ids, "target": TRUTH.astype(int), "p": POOR})
    one.iloc[:-5].to_csv(tmp_path / "good.csv", index=False)
    two.sample(frac=1, random_state=1).iloc[:-3].to_csv(tmp_path / "poor.csv", index=False)
    cmp = compare([tmp_path / "good.csv", tmp_path / "poor.csv"])
    kept = set(one.iloc[:-5]["id"]) & set(two.sample(frac=1, random_state=1).iloc[:-3]["id"])
    assert cmp.n == len(kept)
    assert cmp.unmatched == {"good": N - 5 - len(kept), "poor": N - 3 - len(kept)}
    rows = np.array(sorted(kept))
    expected = compare(TRUTH[rows], {"good": GOOD[rows], "poor": POOR[rows]}).difference("roc_auc", "good", "poor")
    assert cmp.difference("roc_auc", "good", "poor").p_value == pytest.approx(expected.p_value, rel=1e-6)


def test_files_that_cannot_be_joined_say_why(tmp_path: Path) -> None:
    def write(name: str, **columns: Any) -> Path:
        pd.DataFrame(columns).to_csv(tmp_path / name, index=False)
        return tmp_path / name

    good = write("good.csv", id=[1, 2, 3], target=[0, 1, 1], score=[0.1, 0.8, 0.7])
    with pytest.raises(InputError, match="no column id"):
        compare([good, write("none.csv", target=[0, 1, 1], score=[0.1, 0.8, 0.7])])
    with pytest.raises(InputError, match="one truth for 'good' and another"):
        compare([good, write("other.csv", id=[1, 2, 3], target=[0, 0, 1], score=[0.1, 0.8, 0.7])])
    with pytest.raises(InputError, match="repeat an id"):
        compare([good, write("twice.csv", id=[1, 1, 3], target=[0, 0, 1], score=[0.1, 0.8, 0.7])])
    with pytest.raises(InputError, match="no id is in all"):
        compare([good, write("away.csv", id=[7, 8, 9], target=[0, 1, 1], score=[0.1, 0.8, 0.7])])


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(InputError, match="two models at least"):
        compare(TRUTH, {"only": GOOD})
    with pytest.raises(InputError, match="counts, no rows"):
        compare({"a": from_counts(tp=1, fn=1, fp=1, tn=1), "b": from_counts(tp=1, fn=1, fp=1, tn=1)})
    with pytest.raises(ValueError, match="there is no model 'svm'"):
        TWO.difference("roc_auc", "good", "svm")
    with pytest.raises(ValueError, match="with itself"):
        TWO.difference("roc_auc", "good", "good")
    other = compare({"a": evaluate(TRUTH, GOOD), "b": evaluate(TRUTH, POOR)})
    assert isinstance(other, Comparison)
    with pytest.raises(InputError, match="same order"):
        compare({"a": evaluate(TRUTH, GOOD), "b": evaluate(~TRUTH, POOR)})


def test_evaluations_that_are_there_already_are_taken() -> None:
    models = evaluate_models(TRUTH, {"good": GOOD, "poor": POOR})
    assert compare(models).difference("brier", "good", "poor") == TWO.difference("brier", "good", "poor")


def test_records_are_json_and_say_the_same() -> None:
    record = json.loads(json.dumps(THREE.to_dict("brier", margin=0.01), allow_nan=False))
    assert record["schema"] == "assay.comparison/1"
    assert list(record["models"]) == ["good", "poor", "middle"]
    assert len(record["comparisons"]) == 3
    found = THREE.differences("brier")[0]
    assert record["comparisons"][0]["low"] == found.low
    assert "good" in repr(THREE)
    assert len(TWO.table()) == 2 * 8
    assert TWO.test().p_value == pytest.approx(TWO.difference("roc_auc", "good", "poor").p_value, rel=1e-6)


def test_a_class_that_is_missing_leaves_the_auc_undefined() -> None:
    alone = compare(np.zeros(40, dtype=int), {"a": GOOD[:40], "b": POOR[:40]}, positive="1")
    found = alone.difference("roc_auc", "a", "b")
    assert math.isnan(found.value)
    assert found.undefined
    consistent(alone.difference("brier", "a", "b"))


def test_equal_classifiers_are_called_better_at_most_as_often_as_the_level_says() -> None:
    """A thousand samples stand in the committed table; these few would show a path that forgets its level."""
    rng = np.random.default_rng(7)
    better = 0
    for _ in range(120):
        truth, shared = rng.random(150) < 0.4, rng.normal(size=150)
        scores = [1 / (1 + np.exp(-(1.5 * truth - 1 + shared + rng.normal(size=150)))) for _ in range(2)]
        better += compare(truth, {"a": scores[0], "b": scores[1]}).verdict("roc_auc", "a", "b").outcome == "better"
    assert better <= 14  # 5 % of 120 is 6, and 14 lies more than three standard errors above


def test_differences_within_subgroups_hold_together() -> None:
    rng = np.random.default_rng(12)
    truth = rng.random(600) < 0.4
    scores = {name: truth * gap + rng.normal(size=600) for name, gap in (("good", 2.0), ("poor", 0.8))}
    site = np.where(np.arange(600) % 3 == 0, "north", "south")
    cmp = compare(truth, scores, by=site)
    table = cmp.by_subgroup("roc_auc", "good", "poor")
    assert list(table.columns["subgroup"]) == ["north", "south"]
    for name, low, value in zip(*(table.columns[key] for key in ("subgroup", "low", "difference")), strict=True):
        here = site == name
        alone = compare(truth[here], {k: s[here] for k, s in scores.items()}, level=0.975)
        expected = alone.difference("roc_auc", "good", "poor")
        assert (value, low) == pytest.approx((expected.value, expected.low))
    with pytest.raises(ValueError, match="in no subgroups"):
        compare(truth, scores).by_subgroup("roc_auc", "good", "poor")


def test_the_hull_names_its_owners() -> None:
    rng = np.random.default_rng(13)
    truth = rng.random(500) < 0.4
    scores = {name: truth * gap + rng.normal(size=500) for name, gap in (("good", 3.0), ("useless", 0.0))}
    assert "useless" in compare(truth, scores).hull.never_optimal


def test_what_to_doubt_is_said() -> None:
    rng = np.random.default_rng(14)
    truth = rng.random(200) < 0.4
    base = truth + rng.normal(size=200)
    scores = {"a": base, "b": base + 0.05 * rng.normal(size=200), "c": truth + rng.normal(size=200)}
    said = [caution.code for caution in compare(truth, scores).cautions("roc_auc")]
    assert said == ["A401", "A402", "A404", "A405"]
    two = compare(truth, {"a": truth * 3 + rng.normal(size=200), "c": rng.normal(size=200)})
    assert two.cautions() == ()


@pytest.mark.parametrize("kind", ["arrays", "pandas", "polars", "file"])
def test_rows_left_out_for_missing_values_are_cautioned_of_wherever_they_came_from(kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"y": TRUTH.astype(int), "p": np.where(np.arange(N) < 7, np.nan, GOOD), "q": POOR})
    path = tmp_path / "p.csv"
    frame.to_csv(path, index=False)
    table: Any = {"pandas": frame, "polars": pl.from_pandas(frame), "file": path}.get(kind)
    named: dict[str, Any] = {"truth": "y", "missing": "drop"}
    if kind == "arrays":
        ev = evaluate(TRUTH, frame["p"], missing="drop")
        cmp = compare(TRUTH, {"p": frame["p"], "q": POOR}, missing="drop")
    else:
        ev, cmp = evaluate(table, score="p", **named), compare(table, score=["p", "q"], **named)
    for found in (ev.cautions, cmp.cautions("roc_auc")):
        (caution,) = (one for one in found if one.code == "A106")
        assert caution.message.startswith("Left out, for want of a value: 7 rows.")
    assert (ev.n, cmp.n) == (N - 7, N - 7)
    assert "A106" in [one["code"] for one in cmp.to_dict("roc_auc")["cautions"]]
    assert not any(one.code == "A106" for one in TWO.cautions("roc_auc"))
