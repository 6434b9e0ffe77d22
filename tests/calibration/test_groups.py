"""Groups: where they are cut, what they sum to, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.samples import rows as cases
from tests.laws.samples import table_of, tables

from assay.calibration import Groups, by_score, cut_at, equal_size, equal_width, quantile_cuts
from assay.calibration.groups import by_rank
from assay.errors import OptionError, UnknownName
from assay.evidence import ScoreTable
from assay.uncertainty import PROPORTION_METHODS

THESIS = ScoreTable.of([0.04, 0.21, 0.41, 0.46, 0.51, 0.59, 0.61, 0.75, 0.8, 0.92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
TIED = ScoreTable.of([0.1, 0.2, 0.2, 0.2, 0.2, 0.9], [0, 0, 0, 1, 1, 1])


def every_grouping(table: ScoreTable, count: int) -> list[Groups]:
    sizes = [equal_size(table, count, ties=ties) for ties in ("together", "split")]
    widths = [equal_width(table, count, closed=closed) for closed in ("right", "left")]
    return [*sizes, *widths, by_score(table), cut_at(table, [0.25, 0.5])]


@given(tables, st.integers(1, 12))
def test_groups_share_out_every_case_once(table: ScoreTable, count: int) -> None:
    assume(count <= table.total)
    for groups in every_grouping(table, count):
        assert groups.total.sum() == pytest.approx(float(table.total), abs=1e-12)
        assert groups.positive.sum() == pytest.approx(float(table.positives), abs=1e-12)
        promised = float((table.negative + table.positive) @ table.score)
        assert groups.expected.sum() == pytest.approx(promised, abs=1e-12)
        assert (groups.total > 0).all()
        assert len(groups) <= groups.asked


@given(tables, st.integers(1, 12))
def test_split_groups_are_as_equal_as_whole_cases_allow(table: ScoreTable, count: int) -> None:
    assume(count <= table.total)
    n = int(table.total)
    wanted = [(i + 1) * n // count - i * n // count for i in range(count)]
    assert equal_size(table, count, ties="split").total == pytest.approx(wanted, abs=1e-12)


@given(cases, st.integers(1, 12), st.randoms())
def test_the_order_of_the_rows_never_matters(rows: list[tuple[float, bool]], count: int, random: object) -> None:
    assume(count <= len(rows))
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for one, other in zip(
        every_grouping(table_of(rows), count), every_grouping(table_of(shuffled), count), strict=True
    ):
        assert np.array_equal(one.positive, other.positive)


@given(tables, st.integers(1, 12))
def test_equal_probabilities_stay_together(table: ScoreTable, count: int) -> None:
    assume(count <= table.total)
    low, high = equal_size(table, count).span
    assert (high[:-1] < low[1:]).all()


@given(st.integers(2, 40), st.integers(1, 40))
def test_without_ties_both_rules_agree_and_end_after_floor_i_n_over_g(n: int, count: int) -> None:
    assume(count <= n)
    table = ScoreTable.of(np.arange(n) / n, np.arange(n) % 3 == 0)
    together, split = (equal_size(table, count, ties=ties) for ties in ("together", "split"))
    assert together.total.tolist() == split.total.tolist()
    assert np.cumsum(together.total).tolist() == [math.floor(i * n / count) for i in range(1, count + 1)]


def test_a_tied_block_goes_where_its_middle_case_is() -> None:
    assert equal_size(TIED, 2).total.tolist() == [5, 1]
    assert equal_size(TIED, 2, ties="split").positive.tolist() == [1, 2]


def test_a_split_tie_keeps_its_mix_of_outcomes() -> None:
    groups = by_rank(TIED, [2, 4], ties="split")
    assert groups.rate.tolist() == pytest.approx([0.25, 0.5, 0.75])


def test_an_edge_belongs_to_one_side() -> None:
    table = ScoreTable.of([k / 10 for k in range(11)], [1] * 11)
    assert equal_width(table, 10).place.tolist() == list(range(10))
    assert equal_width(table, 10).total.tolist() == [2, *[1] * 9]
    assert equal_width(table, 10, closed="left").total.tolist() == [*[1] * 9, 2]


@given(tables, st.integers(2, 8))
def test_quantile_cuts_are_numpys_linear_quantiles(table: ScoreTable, count: int) -> None:
    assume(count <= table.total)
    scores = np.repeat(table.score, (table.negative + table.positive).astype(int))
    wanted = np.unique(np.quantile(scores, np.arange(1, count) / count))
    assert quantile_cuts(table, count) == pytest.approx(wanted[wanted > table.score[0]], abs=1e-12)


def test_bars_are_wilsons_on_the_cases_of_the_group() -> None:
    bars = equal_size(THESIS, 3).estimates()
    assert [bar.n for bar in bars] == [3, 3, 4]
    assert (bars[1].low, bars[1].high) == PROPORTION_METHODS["Wilson"](1, 3, 0.95)
    assert all(bar.low <= bar.value <= bar.high for bar in bars)


def test_weights_shorten_no_bar() -> None:
    rng = np.random.default_rng(0)
    p, weight = rng.random(200), rng.gamma(1, 1, 200)
    happened = rng.random(200) < p
    weighted = equal_width(ScoreTable.of(p, happened, weight=weight), 4)
    plain = equal_width(ScoreTable.of(p, happened), 4)
    assert (weighted.kish < plain.total).all()
    assert all("effective n" in bar.method for bar in weighted.estimates())


def test_clusters_have_no_bar_and_say_what_takes_them() -> None:
    table = ScoreTable.of([0.1, 0.2, 0.8, 0.9], [0, 1, 0, 1], cluster=np.array([0, 0, 1, 1]))
    bar = equal_size(table, 2).estimates()[0]
    assert math.isnan(bar.low)
    assert bar.undefined is not None
    assert "cox()" in bar.undefined


def test_the_table_holds_averages_or_sums() -> None:
    averages, sums = equal_size(THESIS, 3).as_table(), equal_size(THESIS, 3).as_table(sums=True)
    assert averages.columns["probability"] == pytest.approx([0.22, 0.52, 0.77])
    assert sums.columns["expected"] == pytest.approx([0.66, 1.56, 3.08])
    assert sums.columns["observed"] == [0, 1, 4]


@pytest.mark.parametrize(
    ("count", "said"), [(0, "groups is 0; needed: an integer of at least 1"), (11, "groups is 11 for 10 cases")]
)
def test_more_groups_than_cases_are_refused(count: int, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        equal_size(THESIS, count)


def test_choices_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UnknownName, match="ties is 'apart'; needed: 'together' or 'split'"):
        equal_size(THESIS, 3, ties="apart")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="closed is 'both'; needed: 'right' or 'left'"):
        equal_width(THESIS, 3, closed="both")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="do not rise; needed: numbers that increase"):
        cut_at(THESIS, [0.5, 0.5])
    with pytest.raises(OptionError, match="these cases have weights; needed: counts"):
        quantile_cuts(ScoreTable.of([0.1, 0.9], [0, 1], weight=np.array([1.0, 2.0])), 2)


def test_scores_that_are_no_probabilities_are_refused() -> None:
    with pytest.raises(OptionError, match="from -1 to 3; needed: probabilities"):
        by_score(ScoreTable.of([-1.0, 3.0], [0, 1]))


@given(tables)
def test_groups_take_a_batch_of_outcomes(table: ScoreTable) -> None:
    each = table.negative + table.positive
    batch = ScoreTable(table.score, np.stack((table.negative, each)), np.stack((table.positive, 0 * each)))
    groups = equal_width(batch, 4)
    assert np.array_equal(groups.rate[0], equal_width(table, 4).rate)
    assert not groups.rate[1].any()
