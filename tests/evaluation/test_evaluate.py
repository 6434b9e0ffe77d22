"""The way in: where decisions come from, what applies, what is refused."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.costs import Costs
from assay.errors import OptionError
from assay.measures import registry
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
        share = ev.shares[ev.positive] if prevalence is None else prevalence
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
