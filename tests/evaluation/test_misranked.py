"""How many of the other class are on the wrong side of each case."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import OptionError

ROWS = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=40).filter(
    lambda rows: len({truth for truth, _ in rows}) == 2
)


@given(ROWS)
def test_it_is_what_counting_finds(rows: list[tuple[bool, int]]) -> None:
    truth, score = np.array([t for t, _ in rows]), np.array([s for _, s in rows]) / 7
    ev = assay.evaluate(truth, score)
    for i, misranked in enumerate(ev.misranked):
        ahead = score[i] - score[truth != truth[i]]
        wrong = ahead < 0 if truth[i] else ahead > 0
        assert misranked == wrong.sum() + 0.5 * (ahead == 0).sum()
    pairs = truth.sum() * (~truth).sum()
    for own in (truth, ~truth):
        assert ev.misranked[own].sum() / pairs == pytest.approx(1 - ev.roc_auc.value)


def test_weights_weigh_and_counts_count() -> None:
    truth, score = [1, 0, 0], [0.5, 0.7, 0.9]
    assert assay.evaluate(truth, score, weight=[1.0, 2.0, 4.0]).misranked.tolist() == [6.0, 1.0, 1.0]
    assert assay.evaluate(truth, score, count=[3, 2, 4]).misranked.tolist() == [6.0, 3.0, 3.0]


def test_of_many_classes_it_is_of_one_against_the_rest() -> None:
    rng = np.random.default_rng(0)
    ev: Any = assay.evaluate(rng.integers(0, 3, 60), rng.dirichlet(np.ones(3), 60))
    with pytest.raises(AttributeError, match=r"there are 3 classes and .*ev.against\('2'\).misranked"):
        _ = ev.misranked
    assert len(ev.against("2").misranked) == 60


def test_without_scores_or_rows_it_says_what_is_needed() -> None:
    with pytest.raises(OptionError, match="ranking each case needs scores"):
        _ = assay.evaluate([0, 1], y_pred=[0, 1]).misranked
    with pytest.raises(OptionError, match="ranking each case needs scores"):
        _ = assay.from_counts(tp=1, fn=1, fp=1, tn=1).misranked
