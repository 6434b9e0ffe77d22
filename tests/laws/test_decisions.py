"""One place decides: whatever counts decisions, row by row or from sorted evidence, counts the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.evidence import ConfusionMatrix, DecidedRows
from assay.predictions import Predictions

# Few different scores, so that many tie with one another and with the threshold.
SCORES = st.sampled_from([-1.5, -0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 2.0])
# From 2 on a threshold of probabilities is refused as a percentage.
THRESHOLDS = st.sampled_from([-2.0, -0.0, 0.0, 0.25, 0.3, 0.5, 1.0, 1.75])
DESIGNS = st.sampled_from([(), ("weight",), ("count",), ("cluster",), ("weight", "count"), ("weight", "cluster")])


def design(draw: st.DrawFn, size: int) -> dict[str, Any]:
    """What the rows are: weights and counts may be zero, but not all of them."""
    kinds = {
        "weight": st.sampled_from([0.0, 0.3, 1.0, 2.5]),
        "count": st.sampled_from([0.0, 1.0, 2.0, 7.0]),
        "cluster": st.integers(0, 3),
    }
    found: dict[str, Any] = {}
    for role in draw(DESIGNS):
        values = np.array(draw(st.lists(kinds[role], min_size=size, max_size=size)))
        found[role] = np.unique(values, return_inverse=True)[1] if role == "cluster" else values
        if role != "cluster":
            found[role][0] = 1.0
    return found


@st.composite
def of_two(draw: st.DrawFn) -> tuple[Predictions, float | None]:
    """Two classes: scores, or a probability for either class, or labels with a foreign one; and a threshold or none."""
    size = draw(st.integers(2, 25))
    truth = np.array(draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)))
    given: dict[str, Any] = {}
    if draw(st.booleans()):
        given["score"] = np.array(draw(st.lists(SCORES, min_size=size, max_size=size)))
    else:
        share = np.array(draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=size, max_size=size)))
        given["probability"] = np.stack((1 - share, share), 1)
    if draw(st.booleans()):
        given["decision"] = np.array(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
        given["decisions"] = ("no", "yes", "abstained")
    threshold = draw(st.none() | THRESHOLDS)
    return Predictions(("no", "yes"), truth, **given, **design(draw, size)), threshold


@st.composite
def of_many(draw: st.DrawFn) -> tuple[Predictions, float | None]:
    """Four classes: probabilities full of ties, labels with a foreign one, or both."""
    size = draw(st.integers(2, 25))
    truth = np.array(draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)))
    given: dict[str, Any] = {}
    has_labels = draw(st.booleans())
    if not has_labels or draw(st.booleans()):
        rows = draw(st.lists(st.permutations([0.4, 0.4, 0.2, 0.0]), min_size=size, max_size=size))
        given["probability"] = np.array(rows)
    if has_labels:
        given["decision"] = np.array(draw(st.lists(st.integers(0, 4), min_size=size, max_size=size)))
        given["decisions"] = ("a", "b", "c", "d", "none of them")
    return Predictions(("a", "b", "c", "d"), truth, **given, **design(draw, size)), None


def agree(one: ConfusionMatrix, other: ConfusionMatrix) -> None:
    assert (one.classes, one.decisions) == (other.classes, other.decisions)
    assert one.counts == pytest.approx(other.counts, abs=1e-9)
    assert one.squared_weights == pytest.approx(other.squared_weights, abs=1e-9)
    assert (one.clusters is None) == (other.clusters is None)
    if one.clusters is not None and other.clusters is not None:
        # Clusters without weight may be left out of sorted scores.
        full = [each.clusters[each.clusters.any((1, 2))] for each in (one, other) if each.clusters is not None]
        assert full[0] == pytest.approx(full[1], abs=1e-9)


@given(of_two() | of_many())
def test_the_rows_count_what_the_matrix_shows(sample: tuple[Predictions, float | None]) -> None:
    predictions, threshold = sample
    ev = assay.evaluate(predictions, threshold=threshold)
    assert ev.rows is not None
    assert ev.predictions is predictions
    matrix = ev.rows.matrix()
    if ev.matrix is None:
        assert matrix is None
        assert ev.rows.decided_by is None
        return
    assert matrix is not None
    agree(matrix, ev.matrix)
    right = ev.rows.decision == predictions.truth
    each = np.ones(len(predictions)) if predictions.weight is None else predictions.weight
    each = each if predictions.count is None else each * predictions.count
    assert (right * each).sum() / each.sum() == pytest.approx(ev.accuracy.value)


@given(of_two(), THRESHOLDS)
def test_a_moved_threshold_moves_both(sample: tuple[Predictions, float | None], threshold: float) -> None:
    ev = assay.evaluate(sample[0], threshold=sample[1]).at(threshold)
    assert ev.rows is not None
    assert ev.matrix is not None
    assert ev.rows.decided_by == "threshold"
    matrix = ev.rows.matrix()
    assert matrix is not None
    agree(matrix, ev.matrix)


@given(of_many(), st.integers(0, 3))
def test_a_class_against_the_rest_is_decided_as_all_were(sample: tuple[Predictions, float | None], code: int) -> None:
    ev = assay.evaluate(sample[0])
    one = ev.against(ev.classes[code])
    assert one.rows is not None
    assert one.matrix is not None
    assert ev.rows is not None
    assert one.rows.decided_by == ev.rows.decided_by
    matrix = one.rows.matrix()
    assert matrix is not None
    agree(matrix, one.matrix)


@given(of_two() | of_many(), st.data())
def test_subgroups_are_decided_as_the_whole_is(sample: tuple[Predictions, float | None], data: st.DataObject) -> None:
    predictions, threshold = sample
    here = np.array(data.draw(st.lists(st.booleans(), min_size=len(predictions), max_size=len(predictions))))
    whole = assay.evaluate(predictions, threshold=threshold).rows
    if whole is None or not here.any() or (predictions.weight is not None and not predictions.weight[here].any()):
        return
    if predictions.count is not None and not predictions.count[here].any():
        return
    part = whole.only(here)
    assert part.decided_by == whole.decided_by
    if whole.decision is not None and part.decision is not None:
        assert (part.decision == whole.decision[here]).all()


def test_two_columns_of_probabilities_are_a_score() -> None:
    share = np.array([0.1, 0.6, 0.5])
    both = Predictions(("a", "b"), np.array([0, 1, 1]), probability=np.stack((1 - share, share), 1))
    assert both.score is not None
    assert (both.score == share).all()
    assert not both.score.flags.writeable
    assert DecidedRows(both).decision is None
    decision = DecidedRows(both, 0.6).decision
    assert decision is not None
    assert decision.tolist() == [0, 1, 0]


def test_decisions_are_made_once() -> None:
    rows = DecidedRows(Predictions(("a", "b"), np.array([0, 1]), score=np.array([0.1, 0.9])), 0.5)
    assert rows.decision is rows.decision
