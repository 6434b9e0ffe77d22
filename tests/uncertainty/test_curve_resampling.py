"""The bootstrap over cells: the right counts, the right moments, nothing lost to binning without a word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.samples import table_of

from assay.evidence import ScoreTable
from assay.uncertainty import in_cells, paired_replicates, replicates, resampled

rows = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=50).filter(
    lambda found: len({positive for _, positive in found}) == 2
)


@given(cases=rows, stratified=st.booleans(), seed=st.integers(0, 9))
def test_a_replicate_holds_as_many_cases_and_both_classes(
    cases: list[tuple[float, bool]], stratified: bool, seed: int
) -> None:
    table = table_of(cases)
    (batch,) = replicates(table, 40, seed, stratified=stratified)
    assert (batch.total == table.total).all()
    assert (batch.negatives > 0).all()
    assert (batch.positives > 0).all()
    assert (batch.negative[:, table.negative == 0] == 0).all()
    if stratified:
        assert (batch.positives == table.positives).all()


@pytest.mark.parametrize("copies", [1, 40], ids=["cases drawn", "counts drawn"])
@pytest.mark.parametrize("stratified", [True, False])
def test_both_ways_of_drawing_have_multinomial_moments(copies: int, stratified: bool) -> None:
    score, positive = np.repeat([1.0, 2.0, 2.0, 3.0, 4.0, 5.0], copies), np.repeat([0, 0, 1, 1, 0, 1], copies)
    table = ScoreTable.of(score, positive)
    found = resampled(table, lambda batch: batch.positive, 20_000, 3, stratified=stratified).values
    n = 3 * copies if stratified else 6 * copies
    share = copies / n
    assert found.mean(0)[1] == pytest.approx(copies, rel=0.05)
    assert found.var(0)[1] == pytest.approx(n * share * (1 - share), rel=0.06)


@pytest.mark.parametrize("stratified", [True, False])
def test_poisson_counts_over_many_cells_have_multinomial_moments(stratified: bool) -> None:
    counts = np.resize([2.0, 5.0, 11.0, 23.0, 40.0, 60.0], 1200)
    table = ScoreTable(np.arange(1200.0), counts, counts[::-1])
    found = resampled(table, lambda batch: batch.positive.cumsum(1), 2_000, 3, stratified=stratified).values
    n = counts.sum() * (1 if stratified else 2)
    share = counts[::-1].cumsum() / n
    assert found[:, -1] == pytest.approx(counts.sum(), abs=1e-6 if stratified else 5 * n**0.5)
    assert found.mean(0) == pytest.approx(n * share, rel=0.03)
    middle = slice(100, -100)
    assert found.var(0)[middle] == pytest.approx((n * share * (1 - share))[middle], rel=0.15)


def test_the_same_seed_draws_the_same_and_batches_do_not_repeat() -> None:
    table = ScoreTable.of(np.arange(3000.0), np.arange(3000) % 3 == 0)
    first, second = (
        np.concatenate([batch.positives for batch in replicates(table, 1000, 5, stratified=False)]) for _ in range(2)
    )
    assert (first == second).all()
    assert len(set(first.tolist())) > 100
    assert len(first) == 1000


def test_replicates_without_a_class_are_counted_as_drawn_again() -> None:
    table = ScoreTable.of(np.arange(10.0), np.arange(10) == 9)
    found = resampled(table, lambda batch: batch.positives, 2000, 1, stratified=False)
    assert (found.values >= 1).all()
    # A replicate lacks the single positive with probability .9 ** 10, and again when it is redrawn.
    lacking = 0.9**10
    assert found.redrawn == pytest.approx(2000 * lacking / (1 - lacking), rel=0.15)


def test_bins_keep_every_case_and_say_how_coarse_they_are() -> None:
    rng = np.random.default_rng(2)
    positive = rng.random(20_000) < 0.1
    table = ScoreTable.of(rng.normal(0, 1, 20_000) + positive, positive)
    coarse, error = in_cells(table)
    assert len(coarse) <= 4096
    assert coarse.positives == table.positives
    assert coarse.total == table.total
    assert 0 < error < 0.005
    # Counts from a bin's own score on are exact.
    for score in coarse.score[::500]:
        assert (coarse.at(score).counts == table.at(score).counts).all()


def test_few_scores_are_their_own_cells() -> None:
    table = ScoreTable.of([1.0, 2.0], [False, True])
    assert in_cells(table) == (table, 0.0)


def test_the_same_cases_are_drawn_for_every_model() -> None:
    rng = np.random.default_rng(1)
    score, positive = rng.normal(0, 1, 80), np.arange(80) < 30
    for stratified in (True, False):
        for one, other in paired_replicates([score, -score], positive, 50, 4, stratified=stratified):
            assert (one.positive == other.positive[:, ::-1]).all()
            assert (one.negative == other.negative[:, ::-1]).all()
            assert (one.total == 80).all()
            assert not stratified or (one.positives == 30).all()


def test_what_it_cannot_draw_it_refuses_and_names_what_can() -> None:
    score, positive = [0.1, 0.4, 0.6, 0.9], [False, True, False, True]
    weighted = ScoreTable.of(score, positive, weight=np.array([1.0, 2.5, 1.0, 1.0]))
    clustered = ScoreTable.of(score, positive, cluster=np.array([0, 0, 1, 1]))
    for table, words in ((weighted, "weights"), (clustered, "clusters"), (ScoreTable.of([0.1], [True]), "one class")):
        with pytest.raises(ValueError, match=words):
            next(replicates(table, 10, stratified=False))
    with pytest.raises(ValueError, match="one class"):
        next(paired_replicates([[1.0, 2.0]], [True, True], 10, stratified=True))


def test_counts_are_cases() -> None:
    counted = ScoreTable.of([0.1, 0.9], [False, True], count=np.array([3.0, 5.0]))
    (batch,) = replicates(counted, 10, stratified=False)
    assert (batch.total == 8).all()
