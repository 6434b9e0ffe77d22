"""Compiled loops and numpy give the same: counts bit for bit, sums to the last digits, whatever the scores are."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from assay.evidence._kernels import KERNELS, plain, plain_sweeps

Floats = NDArray[np.float64]
LARGEST = np.finfo(np.float64).max


@pytest.fixture(autouse=True)
def built() -> None:
    """Without compiled loops there is nothing to compare; where everything is asked for, that is a fault."""
    if KERNELS != "compiled" and os.environ.get("ASSAY_KERNELS") != "numpy":
        message = "needs compiled loops (a C compiler when the package is installed)"
        pytest.fail(message) if os.environ.get("ASSAY_REQUIRE_ALL") == "1" else pytest.skip(message)
    if KERNELS != "compiled":
        pytest.skip("numpy was asked for")


def assert_alike(score: Floats, is_positive: NDArray[np.bool_]) -> None:
    from assay.evidence._kernels import compiled

    wanted, found = (twin.tabulate_scores(score, is_positive) for twin in (plain, compiled))
    for one, other in zip(wanted, found, strict=True):
        np.testing.assert_array_equal(other, one)
        assert other.dtype == np.float64
    assert not np.signbit(found[0][found[0] == 0]).any()
    _, negative, positive = wanted
    sides = (negative, positive, negative**2, positive**2, float(negative.sum()), float(positive.sum()))
    assert compiled.placement_sums(*sides) == pytest.approx(plain_sweeps.placement_sums(*sides), rel=1e-12)
    order, ordered = compiled.arranged(score)
    np.testing.assert_array_equal(ordered, plain.arranged(score)[1])
    np.testing.assert_array_equal(score[order] + 0.0, ordered)
    np.testing.assert_array_equal(np.bincount(order, minlength=len(score)), np.ones(len(score)))
    for sums in ("pairs_in_order", "precision_sums"):
        wanted_sums, found_sums = (getattr(twin, sums)(negative, positive) for twin in (plain_sweeps, compiled))
        np.testing.assert_allclose(found_sums, wanted_sums, rtol=1e-12)
    assert_sweeps_alike(negative, positive)
    # From nobody flagged to everybody.
    x, y = (np.cumsum(np.append(0.0, side[::-1])) for side in (negative, positive))
    if len(score):
        places = compiled.positions_among(score, wanted[0])
        np.testing.assert_array_equal(places, plain.positions_among(score, wanted[0]))
        picked = [twin.picked(score, is_positive, *wanted) for twin in (plain, compiled)]
        np.testing.assert_array_equal(*picked)
        if 0 < is_positive.sum() < len(score):
            sizes = float(negative.sum()), float(positive.sum())
            placed = [twin.placed(score, is_positive, *wanted, *sizes) for twin in (plain, compiled)]
            np.testing.assert_array_equal(*placed)
            room = np.full((2, len(score)), np.nan)
            for twin, out in zip((plain, compiled), room, strict=True):
                assert twin.placed(score, is_positive, *wanted, *sizes, 0.3, (0.5, 2.0), out) is out
            np.testing.assert_array_equal(*room)
            np.testing.assert_array_equal(room[0], (placed[0] - 0.3) * np.where(is_positive, 2.0, 0.5))
            moved = np.stack([placed[0], np.cos(placed[0]), np.arange(len(score)) % 7.0])
            products = [twin.class_products(moved, is_positive) for twin in (plain_sweeps, compiled)]
            np.testing.assert_allclose(products[1], products[0], rtol=1e-12)
            np.testing.assert_array_equal(compiled.class_products(moved[1:], is_positive), products[1][:, 1:, 1:])
    for slack in (0.0, 1e-12):
        hulls = [twin.table_hull(negative, positive, slack) for twin in (plain_sweeps, compiled)]
        np.testing.assert_array_equal(*hulls)
        np.testing.assert_array_equal(compiled.upper_hull(x, y, slack), plain_sweeps.upper_hull(x, y, slack))


def assert_sweeps_alike(negative: Floats, positive: Floats) -> None:
    from assay.evidence._kernels import compiled

    x = np.linspace(-9.0, 7.0, len(negative))
    cases = float((negative + positive).sum())
    for power in (1, 2, 4):
        both = [twin.weighed(negative, x, positive, x - 1, power=power) for twin in (plain_sweeps, compiled)]
        np.testing.assert_allclose(both[1], both[0], rtol=1e-12, atol=1e-12 * 10**power * cases)
    for scaled in ((1.0, (0.0, 0.0)), (-0.3, (2.0, -1.0))):
        moved = (negative, positive), (negative**2, positive**2), (x, x - 1)
        all_sums = [twin.moved_sums(*moved, *scaled) for twin in (plain_sweeps, compiled)]
        size = 1e-12 * 100 * float((negative**2 + positive**2).sum() + cases)
        np.testing.assert_allclose(all_sums[1], all_sums[0], rtol=1e-12, atol=size)
    for line in ((0.0, 1.0), (0.4, -2.5), (3.0, 200.0)):
        for sums in ("line_moments", "line_pulls"):
            wanted_sums, found_sums = (
                getattr(twin, sums)(x, negative, positive, *line) for twin in (plain_sweeps, compiled)
            )
            # What is missed may be nearly nothing in all, of terms that are not.
            size = 1e-12 * 81 * float((negative + positive).sum())
            np.testing.assert_allclose(found_sums, wanted_sums, rtol=1e-12, atol=size)
    if positive.any():
        scale, middle = float((negative + positive).sum() / positive.sum()), 0.6
        wanted_moves, moves = (
            twin.precision_moves(negative, positive, scale, middle) for twin in (plain_sweeps, compiled)
        )
        np.testing.assert_allclose(moves, wanted_moves, rtol=1e-12, atol=1e-12 * scale)
        whole = float(positive.sum())
        areas = [twin.area_moves(negative, positive, scale, whole) for twin in (plain_sweeps, compiled)]
        assert areas[1][0] == pytest.approx(areas[0][0], rel=1e-12)
        np.testing.assert_allclose(areas[1][1], areas[0][1], rtol=1e-12, atol=1e-12 * scale)
        for squares in (positive, positive**2):
            assert_close("precision_of_others", negative, positive, squares, 1e-9 * whole)
    if negative.any() and positive.any():
        at, height = (np.append(0.0, np.cumsum(side)) / side.sum() for side in (negative, positive))
        for band in ((0.0, 0.1), (0.25, 1.0)):
            assert_close("past_band", at, *band)
            assert_close("height_in_band", at, height, *band, 0.2, 0.7)


def assert_close(operation: str, *given: Any) -> None:
    from assay.evidence._kernels import compiled

    wanted, found = (getattr(twin, operation)(*given) for twin in (plain_sweeps, compiled))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(
    hnp.arrays(
        np.float64,
        st.integers(0, 300),
        elements=st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 5e-324, 0.5, LARGEST]),
    ),
    st.integers(0, 2**32 - 1),
)
def test_any_scores(score: Floats, seed: int) -> None:
    assert_alike(score, np.random.default_rng(seed).random(len(score)) < 0.4)


RNG = np.random.default_rng(11)
SHAPES = {
    "normal": RNG.normal(size=30_000),
    "uniform": RNG.random(30_000),
    "rounded": RNG.random(30_000).round(2),
    "two values": (RNG.random(5_000) < 0.3) * 1.0,
    "all alike": np.full(5_000, 0.25),
    "sorted": np.sort(RNG.random(5_000)),
    "reversed": np.sort(RNG.random(5_000))[::-1],
    "heavy tails": RNG.standard_cauchy(30_000) ** 3,
    "beyond any range": np.concatenate([RNG.normal(size=5_000), [-LARGEST, LARGEST]]),
    "denormal": RNG.integers(0, 4_000, 9_000) * 5e-324,
    "all in one bucket": np.concatenate([1 + RNG.random(9_000) * 1e-12, [1e300]]),
    "buckets within buckets": np.concatenate([RNG.random(2_000) * 10.0**-k for k in range(0, 300, 30)]),
    "neighbours": 1 + np.arange(9_000)[RNG.permutation(9_000)] * np.finfo(float).eps,
    "beyond 2^53": (2.0**53 + 2 * RNG.integers(0, 3_000, 9_000)).astype(float),
    "whole": RNG.integers(-50, 50, 9_000).astype(float),
    "both zeros": RNG.choice([0.0, -0.0, 1e-310], 3_000),
    "none": np.zeros(0),
    "one": np.ones(1),
}


@pytest.mark.parametrize("share", [0.0, 0.003, 0.4, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_scores_that_break_sorts(shape: str, share: float) -> None:
    score = SHAPES[shape]
    assert_alike(score, np.random.default_rng(5).random(len(score)) < share)


LONG = 300_000
LONG_SHAPES = {
    "above zero": RNG.random(LONG),
    "below zero": -RNG.random(LONG),
    "of both signs": RNG.normal(0.8, 1, LONG),
    "a few below zero": RNG.normal(4.0, 1, LONG),
    "rounded": RNG.normal(size=LONG).round(2),
    "all alike": np.full(LONG, -3.0),
    "zeros and ones": (RNG.random(LONG) < 0.5) * 1.0,
    "beyond any range": np.concatenate([RNG.normal(size=LONG), [-LARGEST, LARGEST, 0.0, -0.0]]),
    "log spread": np.exp(RNG.normal(scale=100, size=LONG)),
}


@pytest.mark.parametrize("shape", LONG_SHAPES)
def test_many_scores_are_put_in_order_side_by_side(shape: str) -> None:
    from assay.evidence._kernels import compiled

    score = LONG_SHAPES[shape]
    is_positive = np.random.default_rng(7).random(len(score)) < 0.3
    wanted, found = (twin.tabulate_scores(score, is_positive) for twin in (plain, compiled))
    for one, other in zip(wanted, found, strict=True):
        np.testing.assert_array_equal(other, one)


def test_more_scores_than_are_dealt_at_once() -> None:
    from assay.evidence._kernels import compiled

    score = np.random.default_rng(3).normal(size=1_200_000)
    is_positive = score > 0.2
    wanted, found = (twin.tabulate_scores(score, is_positive) for twin in (plain, compiled))
    np.testing.assert_array_equal(found, wanted)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    hnp.arrays(hnp.integer_dtypes() | hnp.unsigned_integer_dtypes(), st.integers(0, 20), elements=st.integers(0, 2)),
    hnp.arrays(np.float64, st.integers(0, 20), elements=st.floats()),
)
def test_what_is_read_without_questions(labels: NDArray[np.integer], values: Floats) -> None:
    from assay.evidence._kernels import compiled

    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(compiled.span(values), plain.span(values))
    for given_labels in (labels, labels[::-1], labels[::2]):
        wanted, found = (twin.zero_one(given_labels) for twin in (plain, compiled))
        assert (wanted is None) == (found is None)
        if wanted is not None:
            np.testing.assert_array_equal(found, wanted)


def test_arrays_as_they_come() -> None:
    score, positive = RNG.random(600), RNG.random(600) < 0.5
    frozen = score.copy()
    frozen.flags.writeable = False
    for given_scores, given_classes in (
        (score[::3], positive[::3]),
        (score[::-1], positive[::-1]),
        (frozen, positive),
        (np.asfortranarray(score.reshape(20, 30))[:, 3], positive[:20]),
    ):
        kept = given_scores.copy()
        assert_alike(given_scores, given_classes)
        np.testing.assert_array_equal(given_scores, kept)


@pytest.mark.parametrize(
    ("wanted", "code", "said"), [("numpy", 0, "numpy"), ("require", 0, "compiled"), ("fast", 1, "needed: auto, numpy")]
)
def test_which_serves_can_be_said(wanted: str, code: int, said: str) -> None:
    asked = "from assay.evidence._kernels import KERNELS; print(KERNELS)"
    env = os.environ | {"ASSAY_KERNELS": wanted}
    ran = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, env=env, check=False)
    assert ran.returncode == code
    assert said in ran.stdout + ran.stderr


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    hnp.arrays(np.float64, st.integers(1, 200), elements=st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, 1e300])),
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
)
def test_quantiles_of_anything(values: Floats, places: list[float]) -> None:
    from assay.evidence._kernels import compiled

    np.testing.assert_array_equal(compiled.quantiles(values, places), plain.quantiles(values, places))


@pytest.mark.parametrize("shape", SHAPES)
def test_quantiles_of_every_shape(shape: str) -> None:
    from assay.evidence._kernels import compiled

    for values in (SHAPES[shape], np.append(SHAPES[shape], np.nan), np.append(SHAPES[shape], np.inf)):
        if len(values):
            with np.errstate(invalid="ignore"):  # numpy's own lines between infinities
                wanted, found = (twin.quantiles(values, [0.025, 0.3, 0.975]) for twin in (plain, compiled))
            np.testing.assert_array_equal(found, wanted)


def test_scores_that_are_in_no_table_have_the_place_of_a_neighbour() -> None:
    from assay.evidence._kernels import compiled

    table, asked = np.array([0.1, 0.4, 0.40000001, 0.9]), np.array([0.0, 0.1, 0.2, 0.4, 0.400000005, 0.9, 1.0, -5e300])
    np.testing.assert_array_equal(compiled.positions_among(asked, table), np.searchsorted(table, asked))


@pytest.mark.parametrize("kind", ["U", "S"])
@pytest.mark.parametrize("different", [1, 2, 3, 200, 2_048])
def test_texts_get_codes_in_the_order_they_come(kind: str, different: int) -> None:
    from assay.evidence._kernels import compiled

    names = np.array([f"class {k}" + "x" * (k % 23) for k in range(different)]).astype(kind)
    values = names[np.random.default_rng(different).integers(0, different, 6_000)]
    found = compiled.encoded(values)
    assert found is not None
    codes, firsts = found
    np.testing.assert_array_equal(values[firsts][codes], values)
    assert (np.diff(firsts) > 0).all()
    assert len(np.unique(values)) == len(firsts)


def test_more_texts_than_codes_are_left_to_others() -> None:
    from assay.evidence._kernels import compiled

    assert compiled.encoded(np.arange(5_000).astype("U")) is None
    assert compiled.encoded(np.zeros(0, "U3")) is None
    assert plain.encoded(np.array(["a"])) is None


@settings(max_examples=80, derandomize=True, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0]) | st.floats(0, 1), st.booleans()), max_size=120),
    st.integers(1, 40),
    st.lists(st.integers(0, 30), max_size=4),
)
def test_windows_hold_the_same_pairs(events: list[tuple[float, bool]], width: int, drops: list[int]) -> None:
    """By a tree and by sorted lists, in chunks or one by one, with events that leave between them."""
    from assay.evidence._kernels import compiled, plain_windows

    scores, classes = np.array([s for s, _ in events]), np.array([c for _, c in events], dtype=np.bool_)
    tree, lists, single = compiled.PairTree(), plain_windows.SortedPairs(), compiled.PairTree()
    cuts = np.linspace(0, len(events), len(drops) + 2).astype(int)
    for start, stop, leaving in zip(cuts[:-1], cuts[1:], [*drops, 0], strict=True):
        here = slice(start, stop)
        wanted = lists.extend(scores[here], classes[here], width)
        np.testing.assert_array_equal(tree.extend(scores[here], classes[here], width), wanted)
        pairs = zip(scores[here].tolist(), classes[here].tolist(), strict=True)
        assert [single.add(*one, width) for one in pairs] == wanted.tolist()
        for each in (tree, lists, single):
            each.drop(min(leaving, len(each)))
        assert tree.pairs == lists.pairs == single.pairs
        assert len(tree) == len(lists) == len(single)


@pytest.mark.parametrize("cases", [0, 1, 3, 5_001])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 2), (10, 11), (40, 40)])
@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", ">i8"])
def test_pairs_of_codes_are_counted_alike(kind: str, rows: int, columns: int, cases: int) -> None:
    from assay.evidence._kernels import compiled

    rng = np.random.default_rng(rows)
    row, column = (np.repeat(rng.integers(0, most, cases), 2).astype(kind)[::2] for most in (rows, columns))
    row.flags.writeable = False
    weight = rng.random(cases)
    for given_weight in (None, weight):
        wanted, found = (twin.tabulate_pairs(row, column, rows, columns, given_weight) for twin in (plain, compiled))
        np.testing.assert_array_equal(found, wanted)
        assert found.shape == (rows, columns)
        assert found.dtype == np.float64


@pytest.mark.parametrize("beyond", [-1, 2, 2**62, -(2**63)])
def test_codes_that_lie_outside_are_left_to_numpy(beyond: int) -> None:
    from assay.evidence._kernels import _counts

    inside, outside = np.array([0, 1, 1]), np.array([0, 1, beyond])
    for pair in ((inside, outside), (outside, inside)):
        assert not _counts.count_pairs(*pair, 2, np.empty(4))
    assert not _counts.count_pairs(inside, inside, 40, np.empty(1600))
