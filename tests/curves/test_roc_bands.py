"""Bands: around the curve, inside their range, invariant where the curve is, refused where nothing shows they hold."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri, rel_entr
from tests.laws.samples import degenerate_tables, table_of

from assay.curves.roc_bands import (
    auc_bounds,
    bootstrap_roc_band,
    curves_cross,
    net_benefit_band,
    precision_band,
    reject_band,
    roc_band,
    roc_difference_band,
    roc_rectangles,
    sensitivity_at,
    sensitivity_band,
    specificity_at,
    specificity_band,
)
from assay.errors import OptionError, UnknownName
from assay.evidence import ScoreTable
from assay.measures import accuracy, recall, roc_auc, specificity
from assay.uncertainty import PROPORTION_METHODS
from assay.uncertainty.curve_bands import Band

AT = np.array([0.05, 0.25, 0.5, 0.8, 1.0])
RATES = (
    lambda table, level: roc_band(table, level, at=AT),
    lambda table, level: roc_band(table, level, kind="simultaneous", at=AT),
    lambda table, level: roc_band(table, level, kind="simultaneous", at=AT, method="equal local levels"),
    lambda table, level: roc_band(table, level, kind="simultaneous", at=AT, method="Kolmogorov-Smirnov"),
    lambda table, level: sensitivity_band(table, AT, level),
    lambda table, level: specificity_band(table, AT, level),
    lambda table, level: precision_band(table, level, at=AT),
    lambda table, level: precision_band(table, level, at=AT, prevalence=0.3),
    lambda table, level: reject_band(table, level, at=AT),
)
BENEFITS = (
    lambda table, level: net_benefit_band(table, level, at=AT[:-1]),
    lambda table, level: net_benefit_band(table, level, at=AT[:-1], prevalence=0.3),
)
EVERY: tuple[Callable[[ScoreTable, float], Band], ...] = (*RATES, *BENEFITS)
cases = st.lists(st.tuples(st.integers(0, 64).map(lambda k: k / 64), st.booleans()), min_size=1, max_size=90)


def sample(n1: int, n0: int, shift: float = 1.2, seed: int = 0, **facts: Any) -> ScoreTable:
    rng = np.random.default_rng(seed)
    score = np.concatenate((rng.normal(shift, 1, n1), rng.normal(0, 1, n0)))
    return ScoreTable.of(1 / (1 + np.exp(-score)), np.arange(n1 + n0) < n1, **facts)


@settings(max_examples=40)
@given(found=cases, level=st.sampled_from([0.5, 0.95]))
def test_every_band_lies_around_its_curve_and_says_why_it_does_not(
    found: list[tuple[float, bool]], level: float
) -> None:
    table = table_of(found)
    for make in EVERY:
        band = make(table, level)
        shown = np.isfinite(band.low)
        assert (shown == np.isfinite(band.high)).all()
        assert (band.low[shown] <= band.y[shown] + 1e-12).all()
        assert (band.high[shown] >= band.y[shown] - 1e-12).all()
        assert shown.all() or band.undefined
        if make in RATES:
            assert ((band.low[shown] >= 0) & (band.high[shown] <= 1)).all()


@pytest.mark.parametrize("make", EVERY)
def test_degenerate_tables_never_fail(make: Callable[[ScoreTable, float], Band]) -> None:
    for table in degenerate_tables():
        band = make(table, 0.95)
        assert len(band.table()) == len(band)
        assert np.isfinite(band.low).all() or band.undefined


@pytest.mark.parametrize("make", EVERY)
def test_a_higher_level_is_wider(make: Callable[[ScoreTable, float], Band]) -> None:
    table = sample(60, 90)
    narrow, wide = make(table, 0.8), make(table, 0.99)
    shown = np.isfinite(narrow.low)
    assert shown.any()
    assert (wide.low <= narrow.low + 1e-9)[shown].all()
    assert (wide.high >= narrow.high - 1e-9)[shown].all()


@pytest.mark.parametrize("make", RATES)
def test_a_strictly_rising_transform_of_the_score_changes_nothing(make: Callable[[ScoreTable, float], Band]) -> None:
    table = sample(40, 60)
    moved = ScoreTable(np.exp(3 * table.score), table.negative, table.positive)
    one, other = make(table, 0.95), make(moved, 0.95)
    assert np.array_equal(one.low, other.low, equal_nan=True)
    assert np.array_equal(one.high, other.high, equal_nan=True)


@pytest.mark.parametrize("make", [*RATES[:1], *RATES[4:8], *BENEFITS])
def test_equal_weights_change_nothing(make: Callable[[ScoreTable, float], Band]) -> None:
    plain, heavy = sample(50, 70), sample(50, 70, weight=np.full(120, 2.5))
    one, other = make(plain, 0.95), make(heavy, 0.95)
    assert other.low == pytest.approx(one.low, abs=1e-4, nan_ok=True)
    assert other.high == pytest.approx(one.high, abs=1e-4, nan_ok=True)


@pytest.mark.parametrize("make", [*RATES[:1], *RATES[4:8], *BENEFITS])
def test_unequal_weights_widen(make: Callable[[ScoreTable, float], Band]) -> None:
    uneven = np.where(np.arange(300) % 2 == 0, 1.9, 0.1)
    one, other = make(sample(150, 150), 0.95), make(sample(150, 150, weight=uneven), 0.95)
    shown = np.isfinite(one.low) & np.isfinite(other.low)
    assert shown.any()
    assert (other.high - other.low)[shown].mean() > (one.high - one.low)[shown].mean()


def test_counts_are_repeated_rows() -> None:
    score, positive, count = [0.2, 0.4, 0.6, 0.8], [False, True, False, True], np.array([30.0, 10.0, 12.0, 40.0])
    counted = ScoreTable.of(score, positive, count=count)
    repeated = ScoreTable.of(np.repeat(score, count.astype(int)), np.repeat(positive, count.astype(int)))
    for make in EVERY:
        assert np.array_equal(make(counted, 0.95).low, make(repeated, 0.95).low, equal_nan=True)


def test_the_values_are_those_of_the_measures_at_a_threshold() -> None:
    table = sample(40, 50, seed=3)
    for threshold in (0.4, 0.6):
        matrix = table.at(threshold)
        found = sensitivity_at(table, float(specificity(matrix)))
        assert found.value >= float(recall(matrix))
        assert sensitivity_at(table, float(specificity(matrix)) + 1e-6).value <= float(recall(matrix)) + 1e-12
        back = specificity_at(table, float(recall(matrix)))
        assert back.value >= float(specificity(matrix))
    matrix = table.at(0.5)
    benefit = net_benefit_band(table, at=[0.5]).y[0]
    assert benefit == pytest.approx((matrix.tp - matrix.fp) / matrix.total)


def test_sensitivity_and_specificity_mirror_one_another() -> None:
    table = sample(45, 60)
    mirrored = ScoreTable(-table.score[::-1], table.positive[::-1], table.negative[::-1])
    one, other = sensitivity_at(table, 0.8), specificity_at(mirrored, 0.8)
    assert (one.value, one.low, one.high) == (other.value, other.low, other.high)


def test_the_threshold_being_estimated_widens_the_interval() -> None:
    table = sample(400, 40)
    found = sensitivity_at(table, 0.8)
    alone = PROPORTION_METHODS["Wilson"](found.value * 400, 400, 0.95)
    assert found.high - found.low > 1.5 * (alone[1] - alone[0])
    many = sensitivity_at(sample(40, 400_000), 0.8)
    alone = PROPORTION_METHODS["Wilson"](many.value * 40, 40, 0.95)
    assert many.high - many.low == pytest.approx(alone[1] - alone[0], rel=0.05)


@pytest.mark.parametrize(("n1", "n0", "target"), [(5, 100, 0.8), (100, 5, 0.8), (100, 30, 0.98)])
def test_too_few_cases_have_no_limits_and_say_so(n1: int, n0: int, target: float) -> None:
    found = sensitivity_at(sample(n1, n0), target)
    assert math.isfinite(found.value)
    assert math.isnan(found.low)
    assert found.undefined
    assert "fewer than 2" in found.undefined or "at least 10" in found.undefined


def test_rectangles_are_clopper_pearsons_of_either_class() -> None:
    table = sample(30, 50)
    columns = roc_rectangles(table, 0.95, at=[0.5]).columns
    matrix = table.at(0.5)
    for name, part, n in (("fpr", matrix.fp, 50), ("recall", matrix.tp, 30)):
        limits = PROPORTION_METHODS["Clopper-Pearson"](float(part), n, math.sqrt(0.95))
        assert (columns[f"{name}_low"][0], columns[f"{name}_high"][0]) == pytest.approx(limits)
    everything = roc_rectangles(table)
    assert len(everything) == len(table) + 1
    assert (everything.columns["fpr"][0], everything.columns["recall"][-1]) == (0.0, 1.0)
    assert len(roc_rectangles(sample(900, 900))) == 500


def test_campbells_band_is_the_curve_moved_by_its_half_widths() -> None:
    table = sample(64, 100)
    band = roc_band(table, kind="simultaneous", at=[0.5], method="Kolmogorov-Smirnov")
    across, up = 1.478 / math.sqrt(100), 1.478 / math.sqrt(64)
    curve = sensitivity_band(table, [0.5 - across, 0.5 + across]).y
    assert band.high[0] == pytest.approx(min(curve[0] + up, 1), abs=0.03)
    assert band.low[0] == pytest.approx(curve[1] - up, abs=0.03)


@given(found=cases)
@settings(max_examples=30)
def test_the_area_lies_inside_its_bounds(found: list[tuple[float, bool]]) -> None:
    table = table_of(found)
    for method in ("equal local levels", "Kolmogorov-Smirnov"):
        bounds = auc_bounds(table, method=method)
        if bounds.undefined:
            assert not table.negatives or not table.positives
        else:
            assert 0 <= bounds.low <= float(roc_auc(table)) + 1e-12
            assert float(roc_auc(table)) - 1e-12 <= bounds.high <= 1


def test_simultaneous_bands_hold_the_pointwise_ones() -> None:
    table, at = sample(60, 80), np.linspace(0.05, 0.95, 19)
    inner = roc_band(table, at=at)
    for method in ("likelihood balls", "equal local levels", "Kolmogorov-Smirnov"):
        outer = roc_band(table, kind="simultaneous", at=at, method=method)
        assert (outer.low <= inner.low + 0.02).all()
        assert (outer.high >= inner.high - 0.02).all()
    drawn = roc_band(table, kind="simultaneous", at=at, method="bootstrap")
    exact = roc_band(table, kind="simultaneous", at=at, method="equal local levels")
    likely = roc_band(table, kind="simultaneous", at=at)
    assert (drawn.high - drawn.low).mean() < 0.85 * (exact.high - exact.low).mean()
    assert (likely.high - likely.low).mean() < 0.8 * (exact.high - exact.low).mean()


def test_bounds_of_large_classes_fall_back_on_kolmogorov_and_smirnov() -> None:
    table = ScoreTable.of([0.0, 1.0] * 2, [False, False, True, True], count=np.array([2e4, 2e4, 1e3, 3e3]))
    assert auc_bounds(table).method.endswith("Kolmogorov-Smirnov")
    assert roc_band(table, kind="simultaneous", at=[0.5]).method == "likelihood balls"


def kl(share: Any, chance: Any) -> Any:
    return rel_entr(share, chance) + rel_entr(1 - share, 1 - chance)


@given(found=cases, level=st.sampled_from([0.8, 0.95, 0.99]))
@settings(max_examples=25)
def test_likelihood_balls_are_what_they_are_said_to_be(found: list[tuple[float, bool]], level: float) -> None:
    """Against trying every vertex with every recall of a fine grid."""
    table = table_of(found)
    n0, n1 = float(table.negatives), float(table.positives)
    if not n0 or not n1 or len(table) == 2:
        return
    more = math.log(0.05 / (1 - level))
    reach = 2 + 0.35 * math.log(n0 + n1) + (more if more > 0 else 0.8 * more)
    vertices, i, j = [(0.0, 0.0)], 0.0, 0.0
    for d0, d1 in zip(table.negative[::-1], table.positive[::-1], strict=True):
        steps = int(max(d0, d1))
        vertices += [(i + d0 * k / steps, j + d1 * k / steps) for k in range(1, steps + 1)]
        i, j = i + d0, j + d1
    grid = np.linspace(0, 1, 1001)
    band = roc_band(table, level, kind="simultaneous", at=AT)
    for f, low, high in zip(AT, band.low, band.high, strict=True):
        kept = np.zeros(len(grid), dtype=np.bool_)
        for i, j in vertices:
            kept |= n0 * kl(i / n0, f) + n1 * kl(j / n1, grid) <= reach
        assert low == pytest.approx(grid[kept].min(), abs=1.2e-3)
        assert high == pytest.approx(grid[kept].max(), abs=1.2e-3)


@pytest.mark.parametrize("counts", [(95, 5, 10, 40), (20, 0, 10, 10), (0, 30, 3, 10), (7, 3, 7, 3)])
def test_two_scores_make_a_curve_of_one_corner(counts: tuple[float, ...]) -> None:
    """Every curve through a likely corner is held, and the band of such curves is narrower than one that bulges."""
    table = ScoreTable.of([0.0, 1.0] * 2, [False, False, True, True], count=np.array(counts, dtype=np.float64))
    n0, n1 = float(table.negatives), float(table.positives)
    at = np.linspace(0.0, 1.0, 41)
    band = roc_band(table, kind="simultaneous", at=at)
    f, t = (axis.ravel() for axis in np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 101)))
    likely = n0 * kl(counts[1] / n0, f) + n1 * kl(counts[3] / n1, t) <= 2 + 0.35 * math.log(n0 + n1)
    assert likely.any()
    for x, y in zip(f[likely], t[likely], strict=True):
        curve = np.interp(at, [0.0, x, 1.0], [0.0, y, 1.0])
        assert (band.low <= curve + 1e-3).all()
        assert (curve <= band.high + 1e-3).all()
    former = roc_band(table, kind="simultaneous", at=at, method="equal local levels")
    assert (band.high - band.low).mean() < 0.9 * (former.high - former.low).mean()


def test_the_band_of_exchanged_classes_is_the_band_mirrored() -> None:
    """Above and left of the curve stays so when scores and classes are turned, read along the other axis."""
    table, level = sample(30, 45, seed=4), 0.95
    turned = ScoreTable(-table.score[::-1], table.positive[::-1], table.negative[::-1])
    one = roc_band(table, level, kind="simultaneous", at=[0.3])
    # Its upper limit is where the mirrored curve reaches 1 - .3 from below.
    other = roc_band(turned, level, kind="simultaneous", at=[1 - one.high[0]])
    assert other.high[0] == pytest.approx(0.7, abs=1e-6)


def test_many_steps_inside_a_tie_block_change_little() -> None:
    """Large blocks are thinned: the limits are as far out as if every step had been tried."""
    table = ScoreTable.of([0.0, 0.5, 1.0] * 2, [False] * 3 + [True] * 3, count=np.array([3e4, 2e4, 1e4, 1e4, 2e4, 3e4]))
    band = roc_band(table, kind="simultaneous", at=[0.25])
    n0 = n1 = 6e4
    part = np.linspace(0, 1, 20_001)
    i, j = 1e4 + 2e4 * part, 3e4 + 2e4 * part
    reach = 2 + 0.35 * math.log(n0 + n1)
    for recall_at in (band.low[0], band.high[0]):
        nearest = (n0 * kl(i / n0, 0.25) + n1 * kl(j / n1, recall_at)).min()
        assert nearest == pytest.approx(reach, abs=0.01)


def test_precision_follows_from_the_rates_where_the_prevalence_is_given() -> None:
    table, at = sample(60, 90), np.array([0.3, 0.6, 0.9])
    rates = specificity_band(table, at)
    band = precision_band(table, at=at, prevalence=0.05)
    hits = 0.05 * at
    assert band.y == pytest.approx(hits / (hits + 0.95 * (1 - rates.y)))
    assert (precision_band(table, at=at, prevalence=0.5).y > band.y).all()


def test_precision_is_the_prevalence_where_everything_is_called() -> None:
    assert precision_band(sample(30, 90), at=[1.0]).y[0] >= 0.25


def test_accuracy_of_everything_is_accuracy() -> None:
    table = sample(70, 30)
    band = reject_band(table, at=[1.0])
    assert band.y[0] == pytest.approx(0.7)
    assert (band.low[0], band.high[0]) == pytest.approx(PROPORTION_METHODS["Jeffreys"](70, 100, 0.95), abs=1e-3)
    matrix = table.at(0.5)
    assert float(accuracy(matrix)) <= 1


def test_net_benefit_of_treating_all_and_none() -> None:
    table = sample(30, 70)
    everyone, nobody = net_benefit_band(table, at=[1e-9, 1 - 1e-12]).y
    assert everyone == pytest.approx(0.3)
    assert nobody == pytest.approx(0.0)


def test_fixing_the_prevalence_narrows_net_benefit() -> None:
    table = sample(60, 240)
    free, fixed = net_benefit_band(table, at=[0.1]), net_benefit_band(table, at=[0.1], prevalence=0.2)
    assert fixed.y == pytest.approx(free.y)
    assert (fixed.high - fixed.low)[0] < 0.8 * (free.high - free.low)[0]


def test_two_equal_models_do_not_differ_and_two_crossing_ones_cross() -> None:
    rng = np.random.default_rng(5)
    positive = np.arange(800) < 400
    noise = rng.normal(0, 1, 800)
    same = roc_difference_band(positive, noise + positive, noise + positive, draws=100)
    assert (same.y == 0).all()
    assert not curves_cross(same)
    wide = np.where(positive, rng.normal(1.2, 3, 800), rng.normal(0, 1, 800))
    narrow = np.where(positive, rng.normal(1.2, 0.6, 800), rng.normal(0, 1, 800))
    crossing = roc_difference_band(positive, wide, narrow, draws=300)
    assert curves_cross(crossing)
    backwards = roc_difference_band(positive, narrow, wide, draws=300)
    assert backwards.y == pytest.approx(-crossing.y)
    assert backwards.low == pytest.approx(-crossing.high, nan_ok=True)


def test_a_difference_on_few_cases_is_refused() -> None:
    band = roc_difference_band(np.arange(40) < 20, np.arange(40.0), np.arange(40.0)[::-1], draws=20)
    assert np.isnan(band.low).all()
    assert band.undefined is not None
    assert "at least 30" in band.undefined
    assert roc_difference_band([True, True], [0.1, 0.2], [0.2, 0.1]).undefined


def test_weights_and_clusters_are_refused_where_a_band_cannot_take_them() -> None:
    weighted = sample(30, 30, weight=np.linspace(0.5, 2, 60))
    clustered = sample(30, 30, cluster=np.arange(60) // 2)
    for make in EVERY:
        with pytest.raises(OptionError, match="these come in clusters"):
            make(clustered, 0.95)
    for refusing in (
        lambda: roc_band(weighted, kind="simultaneous"),
        lambda: auc_bounds(weighted),
        lambda: roc_rectangles(weighted),
        lambda: reject_band(weighted),
        lambda: bootstrap_roc_band(weighted),
    ):
        with pytest.raises(OptionError, match="these cases have weights"):
            refusing()
    with pytest.raises(UnknownName, match="method is 'magic'; needed: 'likelihood balls', "):
        roc_band(sample(30, 30), kind="simultaneous", method="magic")
    with pytest.raises(UnknownName, match=r"method is 'magic'; needed: .Jeffreys over the threshold"):
        roc_band(sample(30, 30), method="magic")
    with pytest.raises(OptionError, match="method 'bootstrap' makes a simultaneous band and kind is 'pointwise'"):
        roc_band(sample(30, 30), method="bootstrap")


def test_a_band_shows_itself() -> None:
    band = roc_band(sample(30, 60), at=[0.01, 0.5])
    assert "limits at 1 of 2 points" in repr(band)
    assert list(band.table().columns) == ["fpr", "recall", "low", "high"]
    assert band.table().to_dict()["low"][0] is None
    assert band.undefined


def test_limits_hold_at_a_fixed_specificity_where_those_of_the_positives_alone_do_not() -> None:
    """At 50 cases of either class and a true recall of .70 (verification/bands.py has the tables)."""
    truth, held, alone = 0.7022, 0, 0
    for seed in range(300):
        found = sensitivity_at(sample(50, 50, 1.8124, seed), 0.9)
        held += found.low <= truth <= found.high
        low, high = PROPORTION_METHODS["Wilson"](found.value * 50, 50, 0.95)
        alone += low <= truth <= high
    assert held / 300 > 0.92
    assert alone / 300 < 0.87


def test_the_whole_curve_lies_inside_the_simultaneous_band() -> None:
    at = np.linspace(0.02, 0.98, 49)
    truth = ndtr(1.2 + ndtri(at))
    bands = [roc_band(sample(40, 60, 1.2, seed), kind="simultaneous", at=at) for seed in range(200)]
    held = [bool(((band.low <= truth) & (truth <= band.high)).all()) for band in bands]
    assert np.mean(held) >= 0.95
