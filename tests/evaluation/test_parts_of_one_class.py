"""Parts that lack a class: batches, days and sites have them, and together they are what all rows give."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import InputError

SCORE = np.linspace(0.05, 0.95, 10)


def part(truth: list[str], name: str, **options: Any) -> assay.Evidence:
    return assay.reduce(truth, np.resize(SCORE, len(truth)), name=name, **options)


@given(
    truth=st.lists(st.sampled_from(["ham", "spam"]), min_size=4, max_size=24),
    cuts=st.sets(st.integers(1, 23), max_size=6),
    order=st.randoms(use_true_random=False),
    said=st.sampled_from([{"positive": "spam"}, {"classes": ["ham", "spam"], "positive": "spam"}]),
    has_labels=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_any_split_by_class_is_the_same_evidence(
    truth: list[str], cuts: set[int], order: Any, said: Any, has_labels: bool
) -> None:
    if len(set(truth)) < 2:
        return
    score = np.random.default_rng(1).random(len(truth))
    given_label = np.where(score > 0.4, "spam", "ham")

    def reduced(a: int, b: int, name: str) -> assay.Evidence:
        labels = given_label[a:b] if has_labels else None
        return assay.reduce(truth[a:b], score[a:b], y_pred=labels, name=name, **said)

    whole = reduced(0, len(truth), "whole")
    ends = [0, *sorted(cut for cut in cuts if cut < len(truth)), len(truth)]
    parts = [reduced(a, b, f"{a}") for a, b in itertools.pairwise(ends)]
    order.shuffle(parts)
    merged = assay.merge(parts)
    assert merged.evaluate().matrix == whole.evaluate().matrix
    assert {model.classes for each in merged.parts for model in each.models.values()} == {("ham", "spam")}
    assert merged.roc_auc.value == whole.roc_auc.value


def test_a_class_without_cases_has_the_name_that_other_parts_know(tmp_path: Path) -> None:
    both, only = part(["ham", "spam"] * 5, "both", positive="spam"), part(["spam"] * 10, "only", positive="spam")
    assert only.parts[0].models["model"].classes == ("not spam", "spam")
    merged = assay.merge(only, both)
    assert merged.evaluate().classes == ("ham", "spam")
    assert merged.roc_auc.n == 20
    merged.save(tmp_path / "all.evidence")
    assert [each.models["model"].classes for each in assay.load(tmp_path / "all.evidence").parts] == [
        ("ham", "spam")
    ] * 2


def test_models_together_have_the_known_names_too() -> None:
    def two(truth: list[str], name: str) -> assay.Evidence:
        return assay.reduce(truth, {"a": SCORE, "b": SCORE[::-1]}, positive="spam", name=name)

    merged = two(["ham", "spam"] * 5, "both") + two(["spam"] * 10, "only")
    assert merged.joint_sums is not None
    assert merged.joint_sums.decisions[0, 1].classes == ("ham", "spam")
    assert len(merged.to_bytes()) > 1000


def test_labels_alone_are_put_among_more_classes() -> None:
    three = assay.reduce(list("abc") * 5, y_pred=list("abb") * 5, name="three")
    two = assay.reduce(list("ab") * 5, y_pred=list("ba") * 5, positive="b", name="two")
    one = assay.reduce(list("cc") * 5, y_pred=list("cc") * 5, positive="c", name="one")
    merged = assay.merge(two, three, one)
    matrix = merged.evaluate().matrix
    assert matrix is not None
    assert matrix.counts.tolist() == [[5, 5, 0], [5, 5, 0], [0, 5, 10]]
    assert merged.evaluate().class_counts == {"a": 10, "b": 10, "c": 15}


@pytest.mark.parametrize(
    ("other", "options"),
    [
        (["ham"], {"positive": "ham"}),  # its scores point the other way
        (["ham"], {"positive": "eggs"}),  # somebody gave that name
        (["eggs"], {"positive": "eggs"}),
    ],
)
def test_what_is_of_other_classes_stays_refused(other: list[str], options: dict[str, Any]) -> None:
    both, only = part(["ham", "spam"] * 5, "both", positive="spam"), part(other * 10, "only", **options)
    with pytest.raises(InputError, match="'only' lacks a class: reduce it with all classes given"):
        assay.merge(both, only)


def test_two_parts_never_have_one_name() -> None:
    names = ["a", "a", "a (2)", "a", "a (2)"]
    parts = [assay.reduce(["ham", "spam"] * 5, SCORE + k / 100, positive="spam", name=n) for k, n in enumerate(names)]
    merged = assay.merge(parts)
    assert len({each.name for each in merged.parts}) == 5
    assert len(merged.by_part()) == 5
