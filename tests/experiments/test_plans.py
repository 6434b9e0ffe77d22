"""Plans: every case where it belongs, the same for every learner, and refusals where nothing could be learned."""

from __future__ import annotations

import json
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from assay.errors import InputError
from assay.experiments import kfold
from assay.experiments.plans import (
    Plan,
    bootstrap,
    five_by_two,
    grouped_kfold,
    holdout,
    leave_one_out,
    leave_pair_out,
    nested,
    plan_of,
    repeated_kfold,
    resubstitution,
    shuffle,
    swapped_halves,
    time_series,
    train_validation_test,
)
from assay.experiments.splitting import Split

Y = np.array(["no"] * 40 + ["yes"] * 20)
PLANS = [
    resubstitution(),
    holdout(),
    holdout(0.5, stratified=False),
    swapped_halves(),
    train_validation_test(),
    shuffle(4, 0.25),
    kfold(5),
    kfold(5, stratified=False),
    repeated_kfold(5, 3),
    leave_one_out(),
    leave_pair_out(),
    leave_pair_out(30),
    five_by_two(),
    bootstrap(6),
    time_series(3, gap=1, window=30),
    grouped_kfold(4),
    grouped_kfold(),
    grouped_kfold(3, stratified=True),
    nested(kfold(5), shuffle(3)),
]
WITHOUT_GROUPS = [plan for plan in PLANS if plan.kind not in ("grouped_kfold", "time_series")]


def named(plan: Plan) -> str:
    return plan.name


@pytest.mark.parametrize("plan", PLANS, ids=named)
def test_a_plan_survives_json_and_pickle(plan: Plan) -> None:
    assert plan_of(json.loads(json.dumps(plan.to_dict()))) == plan
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert hash(plan) == hash(plan_of(plan.to_dict()))


@pytest.mark.parametrize("plan", WITHOUT_GROUPS, ids=named)
def test_parts_do_not_overlap_and_every_learner_sees_the_same(plan: Plan) -> None:
    first, again, other = plan.splits(Y, seed=3), plan.splits(list(Y), seed=3), plan.splits(Y, seed=4)
    assert [(s.repeat, s.fold) for s in first] == [(s.repeat, s.fold) for s in again]
    for one, same in zip(first, again, strict=True):
        assert one.train.tolist() == same.train.tolist()
        assert one.test.tolist() == same.test.tolist()
        if plan.kind != "resubstitution":
            assert not set(one.train) & set(one.test)
    if plan.kind not in ("resubstitution", "leave_one_out") and plan.options != (("pairs", None),):
        assert any(a.test.tolist() != b.test.tolist() for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("plan", [kfold(5), repeated_kfold(5, 3), five_by_two(), leave_one_out()], ids=named)
def test_every_case_is_tested_once_in_every_repeat(plan: Plan) -> None:
    tested = Counter((split.repeat, row) for split in plan.splits(Y) for row in split.test)
    assert set(tested.values()) == {1}
    assert len(tested) == 60 * len({split.repeat for split in plan.splits(Y)})


def test_the_folds_are_scikit_learns() -> None:
    theirs = StratifiedKFold(5, shuffle=True, random_state=11).split(Y, Y)
    assert [s.test.tolist() for s in kfold(5).splits(Y, seed=11)] == [test.tolist() for _, test in theirs]
    repeated = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=11).split(Y, Y)
    assert [s.test.tolist() for s in repeated_kfold(5, 3).splits(Y, seed=11)] == [test.tolist() for _, test in repeated]


@given(st.lists(st.integers(5, 30), min_size=2, max_size=4), st.integers(2, 5), st.integers(0, 50))
def test_classes_are_spread_evenly_over_stratified_folds(counts: list[int], folds: int, seed: int) -> None:
    y = np.repeat(np.arange(len(counts)), counts)
    each = np.array([np.bincount(y[s.test], minlength=len(counts)) for s in kfold(folds).splits(y, seed=seed)])
    assert (np.ptp(each, axis=0) <= 1).all()


def test_sizes_are_the_shares_asked_for() -> None:
    split = train_validation_test(0.7, 0.15).splits(np.arange(100) % 2)[0]
    assert split.validation is not None
    assert [len(split.train), len(split.validation), len(split.test)] == [70, 15, 15]
    assert len({*split.train, *split.validation, *split.test}) == 100
    assert len(holdout(0.2).splits(Y)[0].test) == 12
    assert [len(s.train) for s in swapped_halves().splits(Y)] == [30, 30]


def test_groups_stay_together() -> None:
    groups = np.arange(60) // 3
    for plan, folds in ((grouped_kfold(4), 4), (grouped_kfold(), 20), (grouped_kfold(4, stratified=True), 4)):
        splits = plan.splits(Y, groups)
        assert len(splits) == folds
        for split in splits:
            assert not set(groups[split.train]) & set(groups[split.test])


def test_time_goes_forward() -> None:
    for split in time_series(3, gap=2, window=15).splits(np.arange(60) % 2):
        assert split.train.max() + 2 < split.test.min()
        assert len(split.train) <= 15


def test_every_pair_is_left_out_once() -> None:
    pairs = [tuple(split.test) for split in leave_pair_out().splits(Y)]
    assert len(set(pairs)) == len(pairs) == 40 * 20
    assert {tuple(Y[list(pair)]) for pair in pairs} == {("no", "yes")}
    some = [tuple(split.test) for split in leave_pair_out(30).splits(Y)]
    assert len(set(some)) == 30


def test_bootstrap_samples_are_as_large_as_the_data_and_hold_every_class() -> None:
    rare = np.array([0] * 30 + [1] * 2)
    for split in bootstrap(50).splits(rare):
        assert len(split.train) == 32
        assert set(rare[split.train]) == {0, 1}
        assert set(split.train) | set(split.test) == set(range(32))


def test_tuning_never_sees_a_test_case() -> None:
    plan = nested(kfold(5), kfold(3))
    for split in plan.splits(Y, seed=2):
        inner = plan.inner_splits(split, Y, seed=2)
        assert sorted(row for part in inner for row in part.test) == sorted(split.train)
        assert not {row for part in inner for row in (*part.train, *part.test)} & set(split.test)
    first, second = plan.splits(Y)[:2]
    assert plan.inner_splits(first, Y)[0].test.tolist() != plan.inner_splits(second, Y)[0].test.tolist()


@pytest.mark.parametrize(
    ("plan", "y", "groups", "words"),
    [
        (kfold(10), [0, 1] * 3, None, "6 cases for 10 folds; needed: folds=6"),
        (kfold(5), [0] * 20 + [1] * 3, None, "class '1' has 3 cases for 5 folds"),
        (kfold(5, stratified=False), [0] * 20 + [1] * 3, None, "stratified=True"),
        (kfold(5), [1] * 20, None, "a single class"),
        (kfold(5), [], None, "no case"),
        (holdout(), [0] * 20 + [1], None, "class '1' has 1 case"),
        (train_validation_test(), [0] * 20 + [1] * 2, None, "one for each of 3 parts"),
        (kfold(2), [0, 1] * 10, [0] * 10 + [1] * 10, "separates cases of a group; needed: grouped_kfold"),
        (grouped_kfold(3), [0, 1] * 10, None, "there are no groups"),
        (grouped_kfold(3), [0, 1] * 10, [0] * 10 + [1] * 10, "2 groups for 3 folds"),
        (grouped_kfold(2), [0] * 10 + [1] * 10, [0] * 10 + [1] * 10, "has no case of class"),
        (grouped_kfold(2), [0, 1] * 10, [0, 1], "2 groups for 20 cases"),
        (leave_pair_out(), [0, 1, 2] * 5, None, "3 classes"),
        (leave_pair_out(), [0] * 5 + [1], None, "1 case"),
        (leave_one_out(), [0] * 5 + [1], None, "has no case of class '1'"),
        (bootstrap(5), [0] * 900 + [1], None, None),
        (time_series(5), [0, 1], None, "2 cases for 5 steps"),
        (time_series(2), [0] * 20 + [1] * 10, None, "has no case of class '1'"),
    ],
)
def test_refusals_say_what_to_do(plan: Plan, y: list[int], groups: list[int] | None, words: str | None) -> None:
    if words is None:
        assert len(plan.splits(y, groups)) == 5
        return
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        plan.splits(y, groups)


@pytest.mark.parametrize(
    "make",
    [
        lambda: holdout(1.0),
        lambda: kfold(1),
        lambda: kfold(2.5),  # type: ignore[arg-type]
        lambda: train_validation_test(0.9, 0.2),
        lambda: plan_of({"kind": "kfold", "fold": 3}),
        lambda: plan_of({"folds": 3}),
        lambda: kfold(3).inner_splits(Split(np.arange(2), np.arange(2)), [0, 1]),
    ],
)
def test_impossible_plans_are_refused(make: object) -> None:
    with pytest.raises(InputError):
        make()  # type: ignore[operator]


def test_the_flow_counts_every_class_of_every_part() -> None:
    flow = train_validation_test().flow(Y)
    assert flow.table().to_dict() == {
        "repeat": [1, 1, 1],
        "fold": [1, 1, 1],
        "part": ["train", "validation", "test"],
        "cases": [42, 9, 9],
        "no": [28, 6, 6],
        "yes": [14, 3, 3],
    }
    assert "<svg" in flow.svg()
    assert repr(repeated_kfold(5, 2).flow(Y)) == "<Flow of '2 times 5 folds, stratified': 10 splits>"
    assert len(repeated_kfold(5, 2).flow(Y).drawing().traces) == 4


def test_labels_of_any_kind_are_classes() -> None:
    assert len(kfold(2).splits([True, False] * 4)) == 2
    assert len(kfold(2).splits(np.array([1, "a"] * 4, dtype=object))) == 2
    assert "a" in kfold(2).flow(np.array([1, "a"] * 4, dtype=object)).table().columns
