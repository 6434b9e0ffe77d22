"""Laws of every measure's value: bounds, reasons, scale, order of rows, batches, pickling."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.samples import (
    MATRIX_NAMES,
    NAMES,
    SCORE_NAMES,
    degenerate_for,
    evidence_for,
    matrices,
    probabilities,
    rows,
    scaled,
    table_of,
)

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import f_beta, find, registry


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_value_lies_within_bounds_or_is_nan(name: str, data: st.DataObject) -> None:
    measure = registry[name]
    value = float(measure(data.draw(evidence_for(measure))))
    assert math.isnan(value) or measure.bounds[0] <= value <= measure.bounds[1]


@pytest.mark.parametrize("name", NAMES)
def test_undefined_is_nan_with_a_sentence_and_never_a_warning(name: str) -> None:
    measure = registry[name]
    undefined = [evidence for evidence in degenerate_for(measure) if math.isnan(float(measure(evidence)))]
    for estimate in map(measure.estimate, undefined):
        assert math.isnan(estimate.value)
        assert estimate.undefined == measure.undefined
        assert estimate.method == "none"


@pytest.mark.parametrize("name", MATRIX_NAMES)
def test_no_case_at_all_is_undefined(name: str) -> None:
    assert math.isnan(float(registry[name](ConfusionMatrix.binary(tp=0, fn=0, fp=0, tn=0))))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_value_does_not_depend_on_how_often_everything_is_repeated(name: str, data: st.DataObject) -> None:
    measure = registry[name]
    evidence = data.draw(evidence_for(measure))
    np.testing.assert_allclose(measure(scaled(evidence, 3)), measure(evidence), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", MATRIX_NAMES)
@given(
    cases=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=40), seed=st.integers(0, 99)
)
def test_order_of_labels_is_irrelevant(name: str, cases: list[tuple[int, int]], seed: int) -> None:
    truth, decision = (np.array(codes) for codes in zip(*cases, strict=True))
    order = np.random.default_rng(seed).permutation(len(truth))
    first = ConfusionMatrix.of(truth, decision, ("a", "b"), ("a", "b", "?"))
    second = ConfusionMatrix.of(truth[order], decision[order], ("a", "b"), ("a", "b", "?"))
    assert repr(registry[name].estimate(first).to_dict()) == repr(registry[name].estimate(second).to_dict())


@pytest.mark.parametrize("name", SCORE_NAMES)
@given(cases=rows, random=st.randoms(use_true_random=False))
def test_order_of_scores_is_irrelevant(name: str, cases: list[tuple[float, bool]], random: Any) -> None:
    shuffled = list(cases)
    random.shuffle(shuffled)
    first, second = (registry[name].estimate(table_of(some)).to_dict() for some in (cases, shuffled))
    assert repr(first) == repr(second)


@pytest.mark.parametrize("name", MATRIX_NAMES)
@given(stack=st.lists(matrices().filter(lambda m: m.counts.shape == (2, 2)), min_size=1, max_size=5))
def test_a_batch_of_matrices_equals_a_loop(name: str, stack: list[ConfusionMatrix]) -> None:
    measure = registry[name]
    together = measure(ConfusionMatrix(np.stack([one.counts for one in stack])))
    np.testing.assert_allclose(together, [measure(one) for one in stack], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", MATRIX_NAMES)
def test_a_batch_may_have_several_axes(name: str) -> None:
    measure = registry[name]
    counts = np.random.default_rng(3).integers(0, 5, (4, 3, 2, 2)).astype(float)
    values = measure(ConfusionMatrix(counts))
    assert values.shape == (4, 3)
    expected = [[measure(ConfusionMatrix(one)) for one in row] for row in counts]
    np.testing.assert_allclose(values, expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", SCORE_NAMES)
@given(data=st.data())
def test_a_batch_of_weights_over_one_table_equals_a_loop(name: str, data: st.DataObject) -> None:
    measure = registry[name]
    score = np.array(sorted(data.draw(st.sets(probabilities, min_size=1, max_size=12))))
    drawn = st.lists(st.integers(0, 4), min_size=len(score), max_size=len(score))
    weights = np.array(data.draw(st.lists(st.tuples(drawn, drawn), min_size=1, max_size=4)), dtype=float)
    negative, positive = weights[:, 0], weights[:, 1]
    together = measure(ScoreTable(score, negative, positive))
    alone = [measure(ScoreTable(score, n, p)) for n, p in zip(negative, positive, strict=True)]
    np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_measures_pickle_by_name(name: str) -> None:
    assert pickle.loads(pickle.dumps(registry[name])) is registry[name]


def test_a_measure_outside_the_registry_pickles_too() -> None:
    matrix = ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)
    measure = f_beta(3)
    assert pickle.loads(pickle.dumps(measure))(matrix) == measure(matrix)


@pytest.mark.parametrize("name", NAMES)
def test_every_alias_finds_its_measure_however_it_is_spelled(name: str) -> None:
    measure = registry[name]
    for alias in (measure.name, *measure.aliases):
        assert find(alias) is measure
        assert find(f" {alias.upper()} ") is measure
        assert find(alias.replace("_", "-")) is measure


def test_no_alias_means_two_measures() -> None:
    names = [alias for measure in registry.values() for alias in {measure.name, *measure.aliases}]
    assert len(names) == len(set(names))
