"""The way in: where decisions come from, what applies, what is refused.

`compare`: from arrays, frames and files to differences, verdicts, tables and records.

Arrays in one another's place are recognised, and no sound call is taken for such a one.
"""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.costs import Costs
from assay.errors import InputError, OptionError
from assay.evaluation import evaluate, evaluate_models, from_counts
from assay.evaluation.comparison import Comparison
from assay.evaluation.entry_points import compare
from assay.measures import registry, registry_of_many
from assay.measures.decision import expected_cost, minimum_cost

TRUTH, SCORE = [0, 0, 1, 1, 1, 0], [0.2, 0.6, 0.7, 0.4, 0.9, 0.1]
LABELS = [0, 0, 1, 1, 0, 0]


def counts(ev: assay.Evaluation) -> list[list[float]]:
    assert ev.matrix is not None
    found: list[list[float]] = ev.matrix.counts.tolist()
    return found


def codes(ev: assay.Evaluation) -> list[str]:
    return [caution.code for caution in ev.cautions]


def test_probabilities_are_cut_at_one_half_and_it_is_said() -> None:
    ev = assay.evaluate(TRUTH, SCORE)
    assert ev.threshold_used == 0.5
    assert counts(ev) == [[2, 1], [1, 2]]
    assert "A305" in codes(ev)


def test_a_threshold_that_was_given_is_used_and_not_cautioned() -> None:
    ev = assay.evaluate(TRUTH, SCORE, threshold=0.4)
    assert ev.threshold_used == 0.4
    assert counts(ev) == [[2, 1], [0, 3]]
    assert "A305" not in codes(ev)


def test_given_labels_win_over_one_half() -> None:
    ev = assay.evaluate(TRUTH, SCORE, y_pred=LABELS)
    assert ev.threshold_used is None
    assert counts(ev) == [[3, 0], [1, 2]]
    assert ev.roc_auc.value == assay.evaluate(TRUTH, SCORE).roc_auc.value
    assert "A305" not in codes(ev)


def test_a_given_threshold_wins_over_given_labels() -> None:
    ev = assay.evaluate(TRUTH, SCORE, y_pred=LABELS, threshold=0.65)
    assert ev.threshold_used == 0.65
    assert counts(ev) == [[3, 0], [1, 2]]
    assert counts(assay.evaluate(TRUTH, SCORE, y_pred=LABELS, threshold=0.95)) == [[3, 0], [3, 0]]


def test_logits_give_ranking_alone() -> None:
    logits = [4 * s - 2 for s in SCORE]
    ev, probabilities = assay.evaluate(TRUTH, logits), assay.evaluate(TRUTH, SCORE)
    assert ev.threshold_used is None
    assert ev.matrix is None
    assert ev.per_class == {}
    assert ev.chance is None
    assert ev.roc_auc.to_dict() == assay.evaluate(TRUTH, SCORE).roc_auc.to_dict()
    assert ev.average_precision.value == probabilities.average_precision.value
    for name in ("brier", "log_loss", "accuracy", "recall", "kappa"):
        estimate = ev.estimate(name)
        assert math.isnan(estimate.value)
        assert estimate.undefined
    assert "A104" in codes(ev)
    assert ev.at(0.0).recall.value == probabilities.recall.value
    assert ev.to_dict()["confusion"] is None


def test_labels_alone_have_no_ranking() -> None:
    ev = assay.evaluate(TRUTH, y_pred=LABELS)
    assert math.isnan(ev.roc_auc.value)
    assert ev.roc_auc.undefined == "there are labels but no scores"
    for ask in (lambda: ev.pairs, lambda: ev.roc, ev.rank_test, lambda: ev.at(0.3)):
        with pytest.raises(ValueError, match="labels"):
            ask()
    with pytest.raises(assay.InputError, match="no scores"):
        assay.evaluate(TRUTH, y_pred=LABELS, threshold=0.5)


def test_a_single_class_is_no_error() -> None:
    ev = assay.evaluate([0, 0, 0], [0.1, 0.2, 0.9])
    assert ev.n == 3
    assert ev.accuracy.value == pytest.approx(2 / 3)
    assert math.isnan(ev.roc_auc.value)
    assert "A101" in codes(ev)
    json.dumps(ev.to_dict(), allow_nan=False)


def test_attributes_are_measures_by_any_name() -> None:
    ev = assay.evaluate(TRUTH, SCORE)
    assert ev.sensitivity is ev.recall
    assert ev.tpr is ev.recall
    assert ev.ppv is ev.precision
    assert ev.auc is ev.roc_auc
    assert ev.estimate("c-index") is ev.roc_auc
    assert set(registry) <= set(dir(ev))
    with pytest.raises(AttributeError, match="astrology"):
        _ = ev.astrology  # type: ignore[attr-defined]


def test_another_level_and_another_method() -> None:
    ev = assay.evaluate(TRUTH, SCORE)
    wide, narrow = ev.estimate("recall", level=0.99), ev.estimate("recall", level=0.5)
    assert wide.low < ev.recall.low < narrow.low
    assert (wide.level, ev.recall.level) == (0.99, 0.95)
    assert ev.estimate("recall", method="clopper pearson").method == "Clopper-Pearson"
    assert assay.evaluate(TRUTH, SCORE, level=0.99).recall.to_dict() == wide.to_dict()


def test_at_moves_the_threshold_and_nothing_else() -> None:
    ev = assay.evaluate(TRUTH, SCORE)
    moved = ev.at(0.3)
    assert moved.threshold_used == 0.3
    assert moved.threshold_was_given
    assert counts(moved) == [[2, 1], [0, 3]]
    assert moved.scores is ev.scores
    assert ev.threshold_used == 0.5
    assert moved.roc_auc.to_dict() == ev.roc_auc.to_dict()


def test_pairs_and_rank_test() -> None:
    ev = assay.evaluate(TRUTH, SCORE)
    assert ev.pairs == (8, 0, 1)
    result = ev.rank_test()
    assert result.statistic == 8
    assert result.p_value == pytest.approx(0.2)
    assert ev.roc_auc.value == pytest.approx(8 / 9)


def test_per_class_is_each_class_against_the_rest() -> None:
    ev = assay.evaluate(TRUTH, SCORE)
    assert list(ev.per_class) == ["0", "1"]
    assert ev.per_class["1"]["recall"].value == ev.recall.value
    assert ev.per_class["0"]["recall"].value == ev.specificity.value
    assert ev.per_class["0"]["precision"].value == ev.npv.value


def test_the_positive_class_has_the_same_rates_in_both_places() -> None:
    """Also where labels were predicted that truth never holds."""
    truth, decided = list("aabbbba"), list("abbbcca")
    ev = assay.evaluate(truth, y_pred=decided, positive="b")
    for name, estimate in ev.per_class["b"].items():
        assert repr(estimate) == repr(ev.estimate(name)), name


def test_the_table_holds_what_applies() -> None:
    table = assay.evaluate(TRUTH, y_pred=LABELS).table()
    assert "ROC AUC" not in table.columns["measure"]
    assert len(table) == sum(m.needs.__name__ == "ConfusionMatrix" for m in registry.values())
    assert "95 %" in table.title


def test_evaluations_survive_pickle_before_and_after_use() -> None:
    ev = assay.evaluate(TRUTH, SCORE)
    before = pickle.loads(pickle.dumps(ev))
    expected = json.dumps(ev.to_dict())
    after = pickle.loads(pickle.dumps(ev))
    assert json.dumps(before.to_dict()) == expected
    assert json.dumps(after.to_dict()) == expected


@given(rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 10)), min_size=2, max_size=30), seed=st.integers(0, 5))
def test_the_same_seed_prints_the_same_bytes_whatever_the_order(rows: list[tuple[int, int]], seed: int) -> None:
    truth, score = [y for y, _ in rows], [s / 10 for _, s in rows]
    shuffled = np.random.default_rng(1).permutation(len(rows))
    first = assay.evaluate(truth, score, seed=seed, positive=_last(truth)).to_dict()
    again = assay.evaluate(truth, score, seed=seed, positive=_last(truth)).to_dict()
    moved = assay.evaluate(
        [truth[i] for i in shuffled], [score[i] for i in shuffled], seed=seed, positive=_last(truth)
    ).to_dict()
    assert json.dumps(first) == json.dumps(again) == json.dumps(moved)


def _last(truth: list[int]) -> int:
    return max(truth)


def test_several_models_keep_their_order() -> None:
    models = assay.evaluate_models(TRUTH, {"b": SCORE, "a": SCORE[::-1]})
    assert list(models) == ["b", "a"]
    assert models["b"].roc_auc.value == pytest.approx(8 / 9)
    with pytest.raises(assay.InputError, match="2 models"):
        assay.evaluate(TRUTH, {"b": SCORE, "a": SCORE[::-1]})


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 95.0, float("nan")])
def test_a_level_outside_its_range_is_refused(level: float) -> None:
    with pytest.raises(assay.InputError, match="level"):
        assay.evaluate(TRUTH, SCORE, level=level)
    with pytest.raises(assay.InputError, match="level"):
        assay.from_counts(tp=1, fn=1, fp=1, tn=1, level=level)


@pytest.mark.parametrize("threshold", [float("nan"), float("inf")])
def test_a_threshold_that_is_no_number_is_refused(threshold: float) -> None:
    with pytest.raises(assay.InputError, match="threshold"):
        assay.evaluate(TRUTH, SCORE, threshold=threshold)


def test_counts_become_an_evaluation() -> None:
    ev = assay.from_counts(tp=154, fn=29, fp=5, tn=1202, classes=["ham", "spam"])
    assert (ev.n, ev.positive, ev.threshold_used) == (1390, "spam", None)
    assert ev.precision.value == 154 / 159
    same = assay.from_counts([[1202, 5], [29, 154]], classes=["ham", "spam"])
    assert json.dumps(same.to_dict()) == json.dumps(ev.to_dict())


BAD_COUNTS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "both kinds": {"counts": [[1, 2], [3, 4]], "tp": 1, "fn": 1, "fp": 1, "tn": 1},
    "a cell is missing": {"tp": 1, "fn": 1, "fp": 1},
    "more labels than classes": {"counts": np.ones((2, 3))},
    "one class": {"counts": [[3]]},
    "two names for three classes": {"counts": np.ones((3, 3)), "classes": ["a", "b"]},
    "one row": {"counts": [1, 2]},
    "ragged": {"counts": [[1, 2], [3]]},
    "words": {"counts": [["a", "b"], ["c", "d"]]},
    "negative": {"tp": -1, "fn": 1, "fp": 1, "tn": 1},
    "fractions": {"tp": 0.5, "fn": 1, "fp": 1, "tn": 1},
    "nan": {"tp": float("nan"), "fn": 1, "fp": 1, "tn": 1},
    "no case": {"tp": 0, "fn": 0, "fp": 0, "tn": 0},
    "three names": {"tp": 1, "fn": 1, "fp": 1, "tn": 1, "classes": ["a", "b", "c"]},
    "one name twice": {"tp": 1, "fn": 1, "fp": 1, "tn": 1, "classes": ["a", "a"]},
}


@pytest.mark.parametrize("name", BAD_COUNTS)
def test_bad_counts_are_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(assay.InputError) as caught:
        assay.from_counts(**BAD_COUNTS[name])
    assert caught.value.needed


def test_an_area_has_the_grade_of_the_textbooks() -> None:
    assert assay.evaluate([0, 1, 1, 0], [0.1, 0.9, 0.6, 0.7]).auc_grade == "C Acceptable/fair"


def test_what_decisions_save_is_what_costs_less_than_the_best_constant_answer() -> None:
    rng = np.random.default_rng(6)
    truth = rng.random(600) < 0.25
    ev = assay.evaluate(truth.astype(int), truth + rng.normal(size=600), threshold=0.6)
    assert ev.matrix is not None
    for ratio, prevalence in ((1.0, None), (8.0, None), (3.0, 0.02)):
        share = ev.class_shares[ev.positive] if prevalence is None else prevalence
        cost = expected_cost(Costs(fp=1, fn=ratio, prevalence=share))(ev.matrix)
        found = ev.saving(ratio, prevalence=prevalence)
        assert found.value == pytest.approx(1 - float(cost) / min(ratio * share, 1 - share))
        assert found.low < found.value < found.high
        best = ev.saving(ratio, prevalence=prevalence, cheapest=True)
        assert best.value <= 1 - float(minimum_cost(Costs(fp=1, fn=ratio, prevalence=share))(ev.scores)) / min(
            ratio * share, 1 - share
        )
    with pytest.raises(OptionError, match="ratio"):
        ev.saving(-1)
    with pytest.raises(OptionError, match="saving"):
        assay.evaluate(truth.astype(int), truth + rng.normal(size=600)).saving()


def test_models_of_many_rows_are_what_each_is_by_itself() -> None:
    """They are put in order side by side, by threads."""
    rng = np.random.default_rng(4)
    truth = rng.random(35_000) < 0.3
    scores = {name: rng.normal(gap * truth, 1) for name, gap in (("b", 0.5), ("a", 1.0), ("c", 0.0))}
    together = assay.evaluate_models(truth, scores)
    assert list(together) == list(scores)
    for name, score in scores.items():
        assert together[name].scores == assay.evaluate(truth, score).scores


RNG = np.random.default_rng(0)
N = 240
COMPARE_TRUTH = RNG.random(N) < 0.4
SHARED = RNG.normal(size=N)
GOOD, POOR, MIDDLE = (
    1 / (1 + np.exp(-(COMPARE_TRUTH * gap - 0.8 + 0.7 * SHARED + 0.7 * RNG.normal(size=N)))) for gap in (2.2, 1.0, 1.2)
)
TWO = compare(COMPARE_TRUTH, {"good": GOOD, "poor": POOR})
THREE = compare(COMPARE_TRUTH, {"good": GOOD, "poor": POOR, "middle": MIDDLE})
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
    cmp = compare(COMPARE_TRUTH, {"good": GOOD, "poor": POOR}, **{design: values[design]})
    found = cmp.difference(name, "good", "poor")
    consistent(found)
    assert found.value == pytest.approx(
        cmp.models["good"].estimate(name).value - cmp.models["poor"].estimate(name).value
    )


def test_identical_classifiers_do_not_differ() -> None:
    same = compare(COMPARE_TRUTH, {"one": GOOD, "two": GOOD.copy()})
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
    with pytest.raises(ValueError, match="there is no winner"):
        THREE.wins("prevalence")


def test_the_verdict_says_everything() -> None:
    words = TWO.verdict("roc_auc", "good", "poor", margin=0.01).words.splitlines()
    assert words[0].startswith("good has a significantly higher ROC AUC than poor.  ROC AUC difference (good - poor) +")
    assert words[1] == "With a margin of 0.01: better"
    assert words[-1] == (
        "Assumes independent rows and the same test set. Not measured: retraining. "
        "Decide on new cases; adding cases to these and testing again does not keep this level."
    )


def test_who_was_right_is_counted_case_by_case() -> None:
    right = [(score >= 0.5) == COMPARE_TRUTH for score in (GOOD, POOR)]
    found = TWO.joint_correctness("good", "poor")
    assert float(found.both) == np.count_nonzero(right[0] & right[1])
    assert float(found.only_first) == np.count_nonzero(right[0] & ~right[1])
    assert TWO.mcnemar("good", "poor").method == "mid-p"


def test_labels_alone_and_labels_that_truth_never_holds() -> None:
    labels = {
        "a": np.where(COMPARE_TRUTH, "yes", "no"),
        "b": np.where(np.arange(N) % 7 == 0, "maybe", np.where(GOOD > 0.5, "yes", "no")),
    }
    cmp = compare(np.where(COMPARE_TRUTH, "yes", "no"), y_pred=labels, positive="yes")
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
    costs = [losses[COMPARE_TRUTH.astype(int), (score >= 0.5).astype(int)].mean() for score in (GOOD, POOR)]
    assert found.value == pytest.approx(costs[0] - costs[1])
    consistent(found)
    clustered = compare(COMPARE_TRUTH, {"good": GOOD, "poor": POOR}, cluster=np.arange(N) % 40)
    assert clustered.cost_difference("good", "poor", costs=Costs(fp=1, fn=5)).value == pytest.approx(found.value)
    benefit = TWO.net_benefit_difference("good", "poor", 0.3)
    odds = 0.3 / 0.7
    gains = [((s >= 0.3) & COMPARE_TRUTH).mean() - odds * ((s >= 0.3) & ~COMPARE_TRUTH).mean() for s in (GOOD, POOR)]
    assert benefit.value == pytest.approx(gains[0] - gains[1])
    assert benefit.first == "good"


def test_scores_missing_pairwise_rest_on_their_own_cases() -> None:
    good, poor = GOOD.copy(), POOR.copy()
    good[:60], poor[180:] = np.nan, np.nan
    cmp = compare(COMPARE_TRUTH, {"good": good, "poor": poor}, missing="pairwise")
    assert cmp.n == N
    assert cmp.models["good"].n == 180
    found = cmp.difference("roc_auc", "good", "poor")
    assert "partially" in found.method
    assert found.half_width > TWO.difference("roc_auc", "good", "poor").half_width
    assert cmp.difference("accuracy", "good", "poor").n == 120
    assert "missing at random" in cmp.assumptions
    with pytest.raises(InputError, match="rows have clusters"):
        compare(COMPARE_TRUTH, {"good": good, "poor": poor}, missing="pairwise", cluster=np.arange(N))


def test_frames_and_files_with_several_score_columns(tmp_path: Path) -> None:
    frame = pd.DataFrame({"target": COMPARE_TRUTH.astype(int), "score__good": GOOD, "score__poor": POOR})
    frame.to_csv(tmp_path / "wide.csv", index=False)
    for cmp in (compare(frame), compare(tmp_path / "wide.csv")):
        assert cmp.names == ("good", "poor")
        assert cmp.difference("roc_auc", "good", "poor").p_value == pytest.approx(
            TWO.difference("roc_auc", "good", "poor").p_value, rel=1e-6
        )


def long(*, with_id: bool, shuffled: bool = False) -> pd.DataFrame:
    parts = []
    for name, score in (("good", GOOD), ("poor", POOR)):
        part = pd.DataFrame({"model": name, "target": COMPARE_TRUTH.astype(int), "score": score})
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
    one = pd.DataFrame({"id": ids, "target": COMPARE_TRUTH.astype(int), "score": GOOD})
    two = pd.DataFrame({"id": ids, "target": COMPARE_TRUTH.astype(int), "p": POOR})
    one.iloc[:-5].to_csv(tmp_path / "good.csv", index=False)
    two.sample(frac=1, random_state=1).iloc[:-3].to_csv(tmp_path / "poor.csv", index=False)
    cmp = compare([tmp_path / "good.csv", tmp_path / "poor.csv"])
    kept = set(one.iloc[:-5]["id"]) & set(two.sample(frac=1, random_state=1).iloc[:-3]["id"])
    assert cmp.n == len(kept)
    assert cmp.unmatched == {"good": N - 5 - len(kept), "poor": N - 3 - len(kept)}
    rows = np.array(sorted(kept))
    expected = compare(COMPARE_TRUTH[rows], {"good": GOOD[rows], "poor": POOR[rows]}).difference(
        "roc_auc", "good", "poor"
    )
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
    with pytest.raises(InputError, match="have a repeated or missing id"):
        compare([good, write("twice.csv", id=[1, 1, 3], target=[0, 0, 1], score=[0.1, 0.8, 0.7])])
    with pytest.raises(InputError, match="no id occurs in all of them"):
        compare([good, write("away.csv", id=[7, 8, 9], target=[0, 1, 1], score=[0.1, 0.8, 0.7])])


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(InputError, match="two models at least"):
        compare(COMPARE_TRUTH, {"only": GOOD})
    with pytest.raises(InputError, match="counts, no rows"):
        compare({"a": from_counts(tp=1, fn=1, fp=1, tn=1), "b": from_counts(tp=1, fn=1, fp=1, tn=1)})
    with pytest.raises(ValueError, match="there is no model 'svm'"):
        TWO.difference("roc_auc", "good", "svm")
    with pytest.raises(ValueError, match="with itself"):
        TWO.difference("roc_auc", "good", "good")
    other = compare({"a": evaluate(COMPARE_TRUTH, GOOD), "b": evaluate(COMPARE_TRUTH, POOR)})
    assert isinstance(other, Comparison)
    with pytest.raises(InputError, match="same order"):
        compare({"a": evaluate(COMPARE_TRUTH, GOOD), "b": evaluate(~COMPARE_TRUTH, POOR)})


def test_evaluations_that_are_there_already_are_taken() -> None:
    models = evaluate_models(COMPARE_TRUTH, {"good": GOOD, "poor": POOR})
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
    frame = pd.DataFrame({"y": COMPARE_TRUTH.astype(int), "p": np.where(np.arange(N) < 7, np.nan, GOOD), "q": POOR})
    path = tmp_path / "p.csv"
    frame.to_csv(path, index=False)
    table: Any = {"pandas": frame, "polars": pl.from_pandas(frame), "file": path}.get(kind)
    named: dict[str, Any] = {"truth": "y", "missing": "drop"}
    if kind == "arrays":
        ev = evaluate(COMPARE_TRUTH, frame["p"], missing="drop")
        cmp = compare(COMPARE_TRUTH, {"p": frame["p"], "q": POOR}, missing="drop")
    else:
        ev, cmp = evaluate(table, score="p", **named), compare(table, score=["p", "q"], **named)
    for found in (ev.cautions, cmp.cautions("roc_auc")):
        (caution,) = (one for one in found if one.code == "A106")
        assert caution.message.startswith("Left out because of missing values: 7 rows.")
    assert (ev.n, cmp.n) == (N - 7, N - 7)
    assert "A106" in [one["code"] for one in cmp.to_dict("roc_auc")["cautions"]]
    assert not any(one.code == "A106" for one in TWO.cautions("roc_auc"))


MISPLACED_RNG = np.random.default_rng(3)
MISPLACED_TRUTH = (MISPLACED_RNG.random(120) < 0.4).astype(int)
MISPLACED_SCORE = np.clip(0.3 * MISPLACED_TRUTH + 0.7 * MISPLACED_RNG.random(120), 0, 1)
NAMES = np.where(MISPLACED_TRUTH == 1, "spam", "ham")
MISPLACED_THREE = np.tile(["a", "b", "c"], 40)
MISPLACED_SHARES = MISPLACED_RNG.dirichlet([1, 1, 1], 120)
ORDER = "needed: the truth first, evaluate(labels, scores), or by name: y_true=labels, y_score=scores"


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            MISPLACED_SCORE,
            MISPLACED_TRUTH,
            f"y_true holds numbers such as {MISPLACED_SCORE[0]:.6g} and y_score '0' and '1' alone: they look swapped",
        ),
        (MISPLACED_SCORE.round(1), MISPLACED_TRUTH, "and y_score '0' and '1' alone: they look swapped"),
        (MISPLACED_SCORE.tolist(), MISPLACED_TRUTH.tolist(), "and y_score '0' and '1' alone: they look swapped"),
        (MISPLACED_SCORE, MISPLACED_TRUTH == 1, "and y_score 'False' and 'True' alone: they look swapped"),
        (MISPLACED_SCORE, NAMES, "and y_score 'ham' and 'spam' alone: they look swapped"),
        ((100 * MISPLACED_SCORE).astype(int), MISPLACED_TRUTH, "and y_score '0' and '1' alone: they look swapped"),
        (
            np.column_stack([1 - MISPLACED_SCORE, MISPLACED_SCORE]),
            MISPLACED_TRUTH,
            "y_true holds a table of 120 by 2 numbers",
        ),
        (MISPLACED_SHARES, MISPLACED_THREE, "y_true holds a table of 120 by 3 numbers and y_score labels such as 'a'"),
        ({"a": MISPLACED_SCORE, "b": 1 - MISPLACED_SCORE}, MISPLACED_TRUTH, "y_true holds models by name"),
    ],
)
def test_scores_before_the_truth_are_recognised(first: Any, second: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        assay.evaluate(first, second)
    assert said in str(caught.value)
    assert str(caught.value).endswith(ORDER)


def test_so_they_are_by_name_and_by_compare() -> None:
    for call in (
        lambda: assay.evaluate(y_true=MISPLACED_SCORE, y_score=MISPLACED_TRUTH),
        lambda: assay.evaluate(MISPLACED_SCORE, y_pred=MISPLACED_TRUTH),
        lambda: assay.compare({"a": MISPLACED_SCORE, "b": 1 - MISPLACED_SCORE}, MISPLACED_TRUTH),
        lambda: assay.compare(MISPLACED_SCORE, {"a": MISPLACED_TRUTH, "b": 1 - MISPLACED_TRUTH}),
        lambda: assay.evaluate_models(MISPLACED_SCORE, {"a": MISPLACED_TRUTH}),
    ):
        with pytest.raises(InputError, match="they look swapped"):
            call()


def test_labels_where_scores_belong_are_told_where_to_go() -> None:
    with pytest.raises(InputError, match=r"y_score holds 'ham' and 'spam' alone; .* y_pred=labels"):
        assay.evaluate(NAMES, NAMES, positive="spam")


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (np.where(MISPLACED_SCORE < 0.2, np.nan, MISPLACED_TRUTH), MISPLACED_SCORE, "is missing"),
        (MISPLACED_TRUTH, MISPLACED_SCORE[:-1], r"'y_true' and 'y_score' must have the same length \(120 and 119\)"),
        (np.tile([0, 1, 2], 40), MISPLACED_TRUTH, "3 classes"),
        (MISPLACED_TRUTH[:0], MISPLACED_SCORE[:0], "is empty"),
        (MISPLACED_RNG.integers(0, 10**6, 120), MISPLACED_SCORE, "looks like an id"),
    ],
)
def test_other_faults_are_said_as_they_are(first: Any, second: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        assay.evaluate(first, second)
    assert "swapped" not in str(caught.value)


def test_sound_calls_are_left_alone() -> None:
    """Truth that looks like scores and scores that look like labels, as long as they can be read."""
    assert assay.evaluate(MISPLACED_TRUTH, MISPLACED_TRUTH.astype(float)).roc_auc == 1
    assert assay.evaluate(np.where(MISPLACED_TRUTH == 1, 0.5, 1.5), MISPLACED_SCORE, positive=0.5).n == 120
    assert assay.evaluate(np.where(MISPLACED_TRUTH == 1, 100, 0), MISPLACED_SCORE, positive=100).n == 120
    assert (
        assay.evaluate(y_true=MISPLACED_TRUTH, y_score=MISPLACED_SCORE).roc_auc
        == assay.evaluate(MISPLACED_TRUTH, MISPLACED_SCORE).roc_auc.value
    )
    assert (
        assay.evaluate(y_true=MISPLACED_THREE, y_proba=MISPLACED_SHARES).n
        == assay.evaluate(y_true=MISPLACED_TRUTH, y_pred=MISPLACED_TRUTH).n
        == 120
    )


def test_a_name_for_a_threshold_is_told_what_finds_one() -> None:
    by_name: Any = "youden"
    expected = r"threshold is 'youden'; needed: a finite number, or ev\.threshold\('youden'\) to choose one"
    with pytest.raises(InputError, match=expected):
        assay.evaluate(MISPLACED_TRUTH, MISPLACED_SCORE, threshold=by_name)
