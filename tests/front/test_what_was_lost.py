"""Cases in which an option once vanished, or a bad value ended in a raw error: each is used, or refused by name."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.front.samples import DESIGN, GOOD, POOR, TRUTH, columns, predictions, written

import assay
from assay.errors import AssayError, InputError, OptionError, UnknownOption
from assay.request import Request
from assay.testing import Gate, assert_better, assert_measure


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Two models about the same cases, a file each."""
    table = {name: values for name, values in columns().items() if name not in ("outcome", "risk", "pred", "call")}
    return [
        str(written(tmp_path / f"{name}.csv", {**table, "score": score})) for name, score in (("a", GOOD), ("b", POOR))
    ]


def test_a_misspelt_option_of_compare_is_refused_with_the_right_one(files: list[str]) -> None:
    misspelt: Any = {"wieght": "w"}
    with pytest.raises(UnknownOption, match=r"compare has no option 'wieght'; did you mean weight\?$"):
        assay.compare(files, truth="target", **misspelt)
    with pytest.raises(TypeError):
        assay.evaluate(TRUTH, GOOD, **misspelt)


@pytest.mark.parametrize(
    ("elsewhere", "here"),
    [
        ("sample_weight", "weight"),
        ("pos_label", "positive"),
        ("labels", "classes"),
        ("probas_pred", "y_score"),
        ("y_prob", "y_score"),
        ("wieght", "weight"),
    ],
)
def test_what_other_libraries_call_it_is_understood(elsewhere: str, here: str) -> None:
    said: Any = {elsewhere: [1]}
    with pytest.raises(UnknownOption, match=f"evaluate has no option '{elsewhere}'; did you mean {here}\\?$"):
        assay.evaluate(TRUTH, GOOD, **said)


def test_files_that_are_compared_have_subgroups(files: list[str]) -> None:
    cmp = assay.compare(files, by="site")
    table = cmp.by_subgroup("brier", "a", "b")
    assert table.columns["subgroup"] == ["north", "south"]
    here = DESIGN["by"] == "north"
    weights = {"weight": DESIGN["weight"][::-1][here]}
    alone = assay.compare(TRUTH[here], {"a": GOOD[here], "b": POOR[here]}, **weights).difference("brier", "a", "b")
    assert table.columns["difference"][0] == pytest.approx(alone.value)
    assert table.title.startswith("Brier score by subgroup")
    assert next(iter(cmp.models.values())).by == "site"


def test_files_that_contradict_one_another_about_a_case_are_refused(tmp_path: Path) -> None:
    table = {"id": np.arange(50), "target": TRUTH[:50], "score": GOOD[:50], "weight": DESIGN["weight"][:50]}
    one = written(tmp_path / "one.csv", table)
    other = written(tmp_path / "other.csv", {**table, "weight": DESIGN["weight"][:50][::-1]})
    with pytest.raises(InputError, match="has one weight for 'one' and another for 'other'"):
        assay.compare([one, other])
    bare = written(tmp_path / "bare.csv", {name: table[name] for name in ("id", "target", "score")})
    with pytest.raises(InputError, match="'weight' is a column of 'one', but not of 'bare'"):
        assay.compare([bare, one])


@pytest.mark.parametrize("option", ["weight", "positive", "by"])
def test_predictions_are_settled(option: str) -> None:
    said: Any = {option: DESIGN.get(option, "0")}
    with pytest.raises(OptionError, match=f"{option} does not apply to Predictions; needed: .* passed to Predictions"):
        assay.evaluate(predictions(), **said)


@pytest.mark.parametrize("data", [predictions(), TRUTH])
def test_there_are_two_ways_to_treat_what_is_missing(data: Any) -> None:
    with pytest.raises(OptionError, match="missing is 'zzz'; needed: 'refuse', 'drop' or 'pairwise'"):
        assay.evaluate(data, missing="zzz")
    with pytest.raises(OptionError, match="missing is 'pairwise'; needed: 'refuse' or 'drop'"):
        assay.evaluate(TRUTH, GOOD, missing="pairwise")


def test_evaluations_that_are_compared_take_a_threshold_a_level_and_a_seed() -> None:
    models = {"a": assay.evaluate(TRUTH, GOOD), "b": assay.evaluate(TRUTH, POOR, level=0.95)}
    moved = assay.compare(models, threshold=0.3)
    assert {ev.threshold_used for ev in moved.models.values()} == {0.3}
    expected = assay.compare(TRUTH, {"a": GOOD, "b": POOR}, threshold=0.3).difference("f1", "a", "b")
    assert moved.difference("f1", "a", "b") == expected
    assert assay.compare(models, level=0.8).difference("brier", "a", "b").level == 0.8
    assert assay.compare(models).models["a"] is models["a"]
    with pytest.raises(InputError, match="the evaluations differ in their level"):
        assay.compare({**models, "b": assay.evaluate(TRUTH, POOR, level=0.9)})
    with pytest.raises(
        OptionError, match=r"weight does not apply to evaluations; needed: .* when the evaluations are made"
    ):
        assay.compare(models, weight=DESIGN["weight"])


def test_a_column_is_of_a_table() -> None:
    with pytest.raises(OptionError, match="truth does not apply to arrays; needed: an array of values"):
        assay.evaluate(TRUTH, GOOD, truth="nonsense")


@pytest.mark.parametrize("threshold", [float("nan"), "youden", True, None])
def test_a_threshold_is_a_finite_number(threshold: Any) -> None:
    with pytest.raises(OptionError, match=r"threshold is .*; needed: a finite number"):
        assay.evaluate(TRUTH, GOOD).at(threshold)
    if threshold is not None:
        with pytest.raises(OptionError, match=r"threshold is .*; needed: a finite number"):
            assay.evaluate(TRUTH, GOOD, threshold=threshold)


@pytest.mark.parametrize(
    "call",
    [
        lambda level: assay.evaluate(TRUTH, GOOD, level=level),
        lambda level: assay.compare(TRUTH, {"a": GOOD, "b": POOR}, level=level),
        lambda level: assay.evaluate(TRUTH, GOOD).estimate("recall", level=level),
        lambda level: assay.from_counts(tp=1, fp=1, fn=1, tn=1, level=level),
        lambda level: assay.evaluate(TRUTH, GOOD).threshold("f1", level=level),
        lambda level: assay.compare(TRUTH, {"a": GOOD, "b": POOR}).difference("brier", "a", "b", level=level),
        lambda level: Gate.of(TRUTH, GOOD, level=level),
    ],
)
@pytest.mark.parametrize("level", [5, 0, 1.0, -0.5, float("nan"), "high", True])
def test_a_bad_level_is_one_fault_everywhere(call: Callable[[Any], Any], level: Any) -> None:
    with pytest.raises(
        OptionError, match=r"^level is .*; needed: a number between 0 and 1, such as 0.95(; pass level=0.95)?$"
    ):
        call(level)


@pytest.mark.parametrize("seed", [-1, 0.5, "x", True])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(OptionError, match=r"^seed is .*; needed: an integer of at least 0$"):
        assay.evaluate(TRUTH, GOOD, seed=seed)


def test_true_positives_are_of_two_classes() -> None:
    matrix = assay.from_counts([[5, 1, 0], [1, 4, 1], [0, 2, 6]]).matrix
    assert matrix is not None
    with pytest.raises(OptionError, match="the matrix has 3 classes; needed: two"):
        _ = matrix.tp


def test_moving_the_threshold_moves_the_subgroups() -> None:
    whole = assay.evaluate(TRUTH, GOOD, by=DESIGN["by"])
    moved, said = whole.at(0.2), assay.evaluate(TRUTH, GOOD, by=DESIGN["by"], threshold=0.2)
    assert {name: part.recall.value for name, part in moved.subgroups.items()} == {
        name: part.recall.value for name, part in said.subgroups.items()
    }
    assert moved.subgroups["north"].threshold_used == 0.2


CALLS = (assay.evaluate, assay.evaluate_models, assay.compare, Gate.of, assert_measure, assert_better)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__qualname__)
def test_signatures_are_explicit_and_agree_with_the_request(call: Callable[..., Any]) -> None:
    options = Request.options()
    for name, parameter in inspect.signature(call).parameters.items():
        assert parameter.kind is not inspect.Parameter.VAR_KEYWORD
        if name in options and call.__name__ != "assert_better":
            stands_for = options[name].stands_for
            assert parameter.default in (Request.defaults()[name], stands_for, inspect.Parameter.empty), name


def test_every_option_about_data_can_be_said_to_evaluate() -> None:
    about_data = {name for name, each in Request.options().items() if each.sources}
    # A card is about the model, and no source can use or lack it.
    assert about_data == set(inspect.signature(assay.evaluate).parameters) - {"y_true", "card"}
    # Evaluations of a labelled sample compare themselves: ev.difference(measure, other).
    of_samples = {"inclusion", "labelled", "proxy", "target", "verified_by"}
    assert about_data - {"y", "out_of_bag"} - of_samples == set(inspect.signature(assay.compare).parameters) - {
        "y_true"
    }


def test_every_error_is_of_one_tree_and_is_what_python_expects() -> None:
    ev = assay.evaluate(TRUTH, GOOD)
    for wrong, expected in (
        (lambda: ev.estimate("rocauc"), KeyError),
        (lambda: getattr(ev, "rocauc"), AttributeError),  # noqa: B009 -- as a user who mistypes it
        (lambda: ev.estimate("f1", level=7), ValueError),
        (lambda: assay.evaluate(TRUTH, GOOD, positive="maybe"), ValueError),
    ):
        with pytest.raises(AssayError) as caught:
            wrong()
        assert isinstance(caught.value, expected)


def test_arrays_beside_a_file_or_a_frame_are_refused(files: list[str]) -> None:
    with pytest.raises(OptionError, match="y_score does not apply to a file"):
        assay.evaluate(files[0], GOOD)
    record = json.loads(json.dumps(assay.evaluate(files[0]).to_dict()))
    assert record["source"]["columns"]["score"] == "score"


def test_a_hint_works_when_it_is_pasted() -> None:
    models = {"a": assay.evaluate(TRUTH, GOOD), "b": assay.evaluate(TRUTH, POOR, level=0.9)}
    with pytest.raises(InputError, match=r"pass level=0\.95$") as caught:
        assay.compare(models)
    assert assay.compare(models, **caught.value.options).level == 0.95
