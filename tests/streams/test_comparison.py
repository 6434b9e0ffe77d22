"""Two classifiers on one stream: who is wrong less often, however often one looks."""

from __future__ import annotations

import numpy as np
import pytest

from assay import streams
from assay.errors import InputError, OptionError

RNG = np.random.default_rng(5)
TRUTH = (RNG.random(2000) < 0.4).astype(int)


def answers(rate: float) -> np.ndarray:
    return np.where(RNG.random(2000) < rate, 1 - TRUTH, TRUTH)


GOOD, BAD = answers(0.1), answers(0.2)


def paired(**options: object) -> streams.PairedStream:
    return streams.compare("good", "bad", classes=(0, 1), **options)  # type: ignore[arg-type]


def test_the_better_one_is_named_with_the_least_it_is_better_by() -> None:
    pair = paired()
    pair.update_many(TRUTH, {"good": GOOD, "bad": BAD})
    difference = float((GOOD != TRUTH).mean() - (BAD != TRUTH).mean())
    assert pair.difference.value == pytest.approx(difference)
    assert pair.difference.high < 0
    assert pair.words.startswith("good has a significantly lower error rate than bad, by at least ")
    assert pair.mcnemar.p_value < 0.001
    late = (GOOD != TRUTH)[-1000:].astype(float) - (BAD != TRUTH)[-1000:]
    assert pair.recent_difference.value == pytest.approx(late.mean())
    for name, given in (("good", GOOD), ("bad", BAD)):
        assert pair.runs[name].view("cumulative").value("accuracy") == pytest.approx((given == TRUTH).mean())


def test_who_are_alike_are_not_told_apart() -> None:
    pair = paired()
    pair.update_many(TRUTH[:300], {"good": GOOD[:300], "bad": np.where(GOOD[:300] == 0, 0, GOOD[:300])})
    assert "no significant difference" in pair.words


def test_one_by_one_and_resumed_is_the_same() -> None:
    whole, parts = paired(), paired()
    whole.update_many(TRUTH[:600], {"good": GOOD[:600], "bad": BAD[:600]})
    for at in range(300):
        parts.update(int(TRUTH[at]), {"good": int(GOOD[at]), "bad": int(BAD[at])})
    again = paired()
    again.restore(parts.state())
    again.update_many(TRUTH[300:600], {"good": GOOD[300:600], "bad": BAD[300:600]})
    assert again.difference.to_dict() == whole.difference.to_dict()
    assert again.recent_difference.to_dict() == whole.recent_difference.to_dict()
    assert again.mcnemar == whole.mcnemar
    assert again.words == whole.words


def test_what_one_refuses_the_other_does_not_take() -> None:
    pair = paired()
    with pytest.raises(InputError):
        pair.update_many([0, 1], {"good": [0, 1], "bad": [0, 7]})
    assert [run.events for run in pair.runs.values()] == [0, 0]
    pair.update_many([0, 1], {"good": [0, 1], "bad": [0, 0]})
    assert pair.events == 2


def test_scores_are_taken_by_name_too() -> None:
    pair = paired()
    pair.update_many(TRUTH, score={"good": GOOD * 0.9 + 0.05, "bad": BAD * 0.9 + 0.05})
    assert pair.difference.high < 0
    assert pair.runs["good"].view("sliding 1000").value("roc_auc") > 0.8


@pytest.mark.parametrize("given", [{"good": [1]}, {"good": [1], "worse": [0]}, {}])
def test_both_must_answer(given: dict[str, list[int]]) -> None:
    with pytest.raises(OptionError, match="'good' and 'bad'"):
        paired().update_many([1], given)


def test_two_names_are_needed() -> None:
    with pytest.raises(OptionError, match="two different names"):
        streams.compare("a", "a")
