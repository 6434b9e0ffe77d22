"""Assertions for pytest: when they fail, when they warn, and what they say."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import assay
from assay.testing import InconclusiveWarning, RequirementError, assert_better, assert_measure

Columns = dict[str, list[Any]]
PASSES, FAILS = "roc_auc >= 0.8", "roc_auc >= 0.99"


@pytest.fixture
def unsure(columns: Columns) -> str:
    return f"roc_auc >= {assay.evaluate(columns['target'], columns['good']).roc_auc.value}"


def test_what_holds_is_returned_in_silence(columns: Columns) -> None:
    outcome = assert_measure(columns["target"], columns["good"], PASSES)
    assert outcome.status == "pass"
    assert outcome.findings[0].found.to_dict() == assay.evaluate(columns["target"], columns["good"]).roc_auc.to_dict()


def test_what_does_not_hold_fails_with_the_sentence(columns: Columns) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_measure(columns["target"], columns["good"], f"accuracy > 0 and {FAILS}")
    requirement, sentence = str(caught.value).split("\n")
    assert requirement == f"accuracy > 0 and {FAILS}"
    assert sentence.endswith("none of the interval is at least 0.99.")


def test_what_cannot_be_told_warns_and_fails_only_if_strict(columns: Columns, unsure: str) -> None:
    with pytest.warns(InconclusiveWarning, match="would halve the width of the interval") as caught:
        outcome = assert_measure(columns["target"], columns["good"], unsure)
    assert outcome.status == "inconclusive"
    assert caught[0].filename == __file__
    with pytest.raises(AssertionError, match="would halve the width of the interval"):
        assert_measure(columns["target"], columns["good"], unsure, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_measure(columns["target"], columns["good"], PASSES, strict=True)


def test_it_takes_whatever_evaluate_takes(columns: Columns, tmp_path: Path) -> None:
    frame = pd.DataFrame({"target": columns["target"], "score": columns["good"], "base": columns["poor"]})
    path = tmp_path / "p.csv"
    frame[["target", "score"]].to_csv(path, index=False)
    frame.rename(columns={"base": "score", "score": "other"})[["target", "score"]].to_csv(
        tmp_path / "base.csv", index=False
    )
    difference = f"delta(roc_auc, {tmp_path / 'base.csv'}).low > 0"
    for data, score, options in (
        (frame, None, {"truth": "target", "score": "score"}),
        (path, None, {}),
        (columns["target"], columns["good"], {"level": 0.99, "threshold": 0.4}),
    ):
        assert assert_measure(data, score, f"roc_auc > 0.8 and {difference}", **options).status == "pass"
    assert assert_measure([0, 1] * 50, None, "accuracy > 0.9", y_pred=[0, 1] * 50, positive=1).status == "pass"
    assert assert_measure(path, None, "recall > 0.9", threshold=0.0).status == "pass"


def test_a_mistake_in_the_requirement_is_no_failed_assertion(columns: Columns) -> None:
    with pytest.raises(RequirementError, match="did you mean accuracy"):
        assert_measure(columns["target"], columns["good"], "acuracy > 0.9")


@pytest.mark.parametrize("measure", ["roc_auc", "brier", "accuracy", "log_loss"])
def test_better_knows_which_way_is_better(columns: Columns, measure: str) -> None:
    truth, good, poor = columns["target"], columns["good"], columns["poor"]
    outcome = assert_better(truth, good, poor, measure)
    expected = assay.compare(truth, {"this": good, "the other": poor}).difference(measure, "this", "the other")
    assert outcome.findings[0].found == expected
    with pytest.raises(AssertionError, match="none of the interval"):
        assert_better(truth, poor, good, measure)


def test_better_fails_where_the_cases_cannot_tell_unless_told_not_to(columns: Columns) -> None:
    truth, good = columns["target"], columns["good"]
    nearly = [round(score, 2) for score in good]
    with pytest.raises(AssertionError, match="part is not"):
        assert_better(truth, nearly, good)
    with pytest.warns(InconclusiveWarning):
        assert assert_better(truth, nearly, good, strict=False).status == "inconclusive"
    assert assert_better(truth, nearly, good, margin=-0.01).status == "pass"
    assert assert_better(truth, nearly, good, "brier", margin=-0.01).status == "pass"


def test_a_margin_must_be_exceeded(columns: Columns) -> None:
    truth, good, poor = columns["target"], columns["good"], columns["poor"]
    found: Any = assert_better(truth, good, poor).findings[0].found
    assert assert_better(truth, good, poor, margin=found.low - 0.001).status == "pass"
    with pytest.raises(AssertionError, match="part is not"):
        assert_better(truth, good, poor, margin=found.low + 0.001)
    with pytest.raises(AssertionError, match="none of the interval"):
        assert_better(truth, good, poor, margin=found.high + 0.001)


def test_a_measure_without_a_good_side_is_refused(columns: Columns) -> None:
    with pytest.raises(ValueError, match="needed: assert_measure"):
        assert_better(columns["target"], columns["good"], columns["poor"], "predicted_prevalence")


def test_a_failing_assertion_shows_the_users_line(columns: Columns, pytestconfig: pytest.Config) -> None:
    """Our own frames are hidden from pytest's tracebacks."""
    assert pytestconfig is not None
    check: Callable[..., Any] = assert_measure
    with pytest.raises(AssertionError) as caught:
        check(columns["target"], columns["good"], FAILS)
    shown = [entry.path.name for entry in caught.traceback.filter(caught)]  # type: ignore[union-attr]
    assert shown == [Path(__file__).name]


def test_what_cannot_be_judged_fails_strict_or_not(columns: Columns) -> None:
    truth, good, poor = columns["target"], columns["good"], columns["poor"]
    for strict in (False, True):
        with pytest.raises(AssertionError, match="cannot be evaluated"):
            assert_measure(truth, good, "precision_at(50) > 0.1", strict=strict)
        with pytest.raises(AssertionError, match="cannot be evaluated"):
            assert_better(truth, good, poor, "h_measure", strict=strict)
