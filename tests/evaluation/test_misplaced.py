"""Arrays in one another's place are recognised, and no sound call is taken for such a one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import InputError

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(120) < 0.4).astype(int)
SCORE = np.clip(0.3 * TRUTH + 0.7 * RNG.random(120), 0, 1)
NAMES = np.where(TRUTH == 1, "spam", "ham")
THREE = np.tile(["a", "b", "c"], 40)
SHARES = RNG.dirichlet([1, 1, 1], 120)
ORDER = "needed: the truth first, evaluate(labels, scores), or by name: y_true=labels, y_score=scores"


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (SCORE, TRUTH, f"y_true holds numbers such as {SCORE[0]:.6g} and y_score '0' and '1' alone: they look swapped"),
        (SCORE.round(1), TRUTH, "and y_score '0' and '1' alone: they look swapped"),
        (SCORE.tolist(), TRUTH.tolist(), "and y_score '0' and '1' alone: they look swapped"),
        (SCORE, TRUTH == 1, "and y_score 'False' and 'True' alone: they look swapped"),
        (SCORE, NAMES, "and y_score 'ham' and 'spam' alone: they look swapped"),
        ((100 * SCORE).astype(int), TRUTH, "and y_score '0' and '1' alone: they look swapped"),
        (np.column_stack([1 - SCORE, SCORE]), TRUTH, "y_true holds a table of 120 by 2 numbers"),
        (SHARES, THREE, "y_true holds a table of 120 by 3 numbers and y_score labels such as 'a'"),
        ({"a": SCORE, "b": 1 - SCORE}, TRUTH, "y_true holds models by name"),
    ],
)
def test_scores_before_the_truth_are_recognised(first: Any, second: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        assay.evaluate(first, second)
    assert said in str(caught.value)
    assert str(caught.value).endswith(ORDER)


def test_so_they_are_by_name_and_by_compare() -> None:
    for call in (
        lambda: assay.evaluate(y_true=SCORE, y_score=TRUTH),
        lambda: assay.evaluate(SCORE, y_pred=TRUTH),
        lambda: assay.compare({"a": SCORE, "b": 1 - SCORE}, TRUTH),
        lambda: assay.compare(SCORE, {"a": TRUTH, "b": 1 - TRUTH}),
        lambda: assay.evaluate_models(SCORE, {"a": TRUTH}),
    ):
        with pytest.raises(InputError, match="they look swapped"):
            call()


def test_labels_where_scores_belong_are_told_where_to_go() -> None:
    with pytest.raises(InputError, match=r"y_score holds 'ham' and 'spam' alone; .* y_pred=labels"):
        assay.evaluate(NAMES, NAMES, positive="spam")


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (np.where(SCORE < 0.2, np.nan, TRUTH), SCORE, "is missing"),
        (TRUTH, SCORE[:-1], "holds 120 values"),
        (np.tile([0, 1, 2], 40), TRUTH, "3 classes"),
        (TRUTH[:0], SCORE[:0], "is empty"),
        (RNG.integers(0, 10**6, 120), SCORE, "looks like an id"),
    ],
)
def test_other_faults_are_said_as_they_are(first: Any, second: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        assay.evaluate(first, second)
    assert "swapped" not in str(caught.value)


def test_sound_calls_are_left_alone() -> None:
    """Truth that looks like scores and scores that look like labels, as long as they can be read."""
    assert assay.evaluate(TRUTH, TRUTH.astype(float)).roc_auc == 1
    assert assay.evaluate(np.where(TRUTH == 1, 0.5, 1.5), SCORE, positive=0.5).n == 120
    assert assay.evaluate(np.where(TRUTH == 1, 100, 0), SCORE, positive=100).n == 120
    assert assay.evaluate(y_true=TRUTH, y_score=SCORE).roc_auc == assay.evaluate(TRUTH, SCORE).roc_auc.value
    assert assay.evaluate(y_true=THREE, y_proba=SHARES).n == assay.evaluate(y_true=TRUTH, y_pred=TRUTH).n == 120


def test_a_name_for_a_threshold_is_told_what_finds_one() -> None:
    by_name: Any = "youden"
    with pytest.raises(InputError, match=r"threshold is 'youden'; needed: a finite number; ev.threshold\('youden'\)"):
        assay.evaluate(TRUTH, SCORE, threshold=by_name)
