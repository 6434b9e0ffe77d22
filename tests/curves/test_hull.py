"""The ROC hull against brute force, its tangents against every threshold, mixtures, owners, dominance."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.costs import Costs
from assay.curves.hull import Owner, roc_hull
from assay.curves.roc_curve import dominance
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, ScoreTable, joint_hull, upper_hull
from assay.measures import roc_auc

Floats = NDArray[np.float64]

scores = st.integers(0, 9)
# Both classes are always there.
cases = st.tuples(st.lists(st.tuples(scores, st.booleans()), max_size=25), scores, scores).map(
    lambda drawn: [*drawn[0], (drawn[1], True), (drawn[2], False)]
)
tables = cases.map(lambda rows: ScoreTable.of([score for score, _ in rows], [positive for _, positive in rows]))
weights = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


def brute_force(x: Floats, y: Floats) -> list[int]:
    """The points that lie above the line between any two others, and the ends; of equal points the first."""
    points = [(float(a), float(b)) for a, b in zip(x, y, strict=True)]
    seen = [i for i, point in enumerate(points) if point not in points[:i]]
    kept = []
    for i in seen:
        others = [points[j] for j in seen if j != i]
        below = any(
            left[0] <= points[i][0] <= right[0]
            and left[1] <= points[i][1] <= right[1]
            and (points[i][1] - left[1]) * (right[0] - points[i][0])
            <= (right[1] - points[i][1]) * (points[i][0] - left[0])
            for left, right in combinations(others, 2)
        )
        if not below or i in (seen[0], seen[-1]):
            kept.append(i)
    return kept


@given(steps=weights)
def test_the_hull_is_that_of_brute_force(steps: list[tuple[int, int]]) -> None:
    x, y = (np.cumsum([0.0, *side]) for side in zip(*steps, strict=True))
    assert upper_hull(x, y).tolist() == brute_force(x, y)


@given(steps=weights, seed=st.integers(0, 99))
def test_a_hull_in_any_order_is_the_same(steps: list[tuple[int, int]], seed: int) -> None:
    x, y = (np.cumsum([0.0, *side]) for side in zip(*steps, strict=True))
    order = np.random.default_rng(seed).permutation(len(x))
    found, straight = order[joint_hull(x[order], y[order])], upper_hull(x, y)
    assert list(zip(x[found], y[found], strict=True)) == list(zip(x[straight], y[straight], strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_many_points_are_the_same_in_passes_and_point_by_point(seed: int) -> None:
    """Long enough for every pass of the kernel, with empty cells between and a cascade at the end."""
    rng = np.random.default_rng(seed)
    steps = rng.poisson([[0.6], [0.4]], (2, 3000)).astype(float)
    steps[:, -1] = 1, 4000 * (seed % 2)
    x, y = (np.concatenate(([0.0], np.cumsum(side))) for side in steps)
    found = upper_hull(x, y)
    run, rise = np.diff(x[found]), np.diff(y[found])
    assert (rise[:-1] * run[1:] > rise[1:] * run[:-1]).all()
    height = np.interp(x, x[found], y[found])
    assert (y <= height + 1e-9).all()
    assert (found[0], x[found[-1]], y[found[-1]]) == (0, x[-1], y[-1])


def test_thirds_of_weights_are_still_on_a_line() -> None:
    step = np.array([0.1, 0.2, 0.3, 0.1]) / 3
    x = y = np.concatenate(([0.0], np.cumsum(step)))
    assert upper_hull(x, y, 1e-12).tolist() == [0, 4]


@given(table=tables)
def test_the_area_is_at_least_that_under_the_curve(table: ScoreTable) -> None:
    assert roc_hull(table).area >= max(float(roc_auc(table)), 0.5) - 1e-12


@given(table=tables)
def test_a_strictly_rising_transform_leaves_the_hull(table: ScoreTable) -> None:
    bent = ScoreTable(np.exp(table.score / 3) - 7, table.negative, table.positive)
    first, second = roc_hull(table), roc_hull(bent)
    assert (first.fpr == second.fpr).all()
    assert (first.recall == second.recall).all()


@given(table=tables, ratio=st.floats(0.01, 100), prevalence=st.floats(0.01, 0.99))
def test_no_threshold_is_cheaper_than_the_tangent(table: ScoreTable, ratio: float, prevalence: float) -> None:
    """The lower envelope of all cost lines is the hull's: nothing is lost by looking at corners alone."""
    swept = table.swept()
    fpr, fnr = swept.fp / swept.negatives, swept.fn / swept.positives
    least = ((1 - prevalence) * fpr + prevalence * ratio * fnr).min()
    assert float(roc_hull(table).at(ratio, prevalence).cost) == pytest.approx(least, abs=1e-12)


@given(table=tables, prevalence=st.floats(0.05, 0.95))
def test_many_ratios_at_once_are_the_same_as_one_by_one(table: ScoreTable, prevalence: float) -> None:
    hull, ratios = roc_hull(table), np.geomspace(0.01, 100, 50)
    together = hull.at(ratios, prevalence)
    assert [int(c) for c in together.corner] == [int(hull.at(ratio, prevalence).corner) for ratio in ratios]


@given(table=tables)
def test_each_corner_is_the_best_inside_its_range_of_slopes(table: ScoreTable) -> None:
    hull = roc_hull(table)
    for i, (low, high) in enumerate(zip(hull.slope_low, hull.slope_high, strict=True)):
        if low < high:
            inside = low if np.isinf(high) else (low + high) / 2
            ratio = (1 - hull.prevalence) / (hull.prevalence * inside) if inside > 0 else 1e12
            assert int(hull.at(ratio).corner) == i
            if low > 0:
                assert int(hull.at((1 - hull.prevalence) / (hull.prevalence * low)).corner) == i


@given(table=tables, target=st.floats(0, 1))
def test_a_mixture_reaches_the_hull(table: ScoreTable, target: float) -> None:
    hull = roc_hull(table)
    mixed = hull.mix(fpr=target)
    assert mixed.fpr == pytest.approx(target, abs=1e-12)
    # Where the hull is vertical the highest point counts.
    rising = hull.fpr > 0
    x, y = np.append(0.0, hull.fpr[rising]), np.append(hull.recall[~rising].max(), hull.recall[rising])
    assert mixed.recall == pytest.approx(float(np.interp(target, x, y)), abs=1e-9)
    assert 0 <= mixed.share < 1


@given(table=tables, target=st.floats(0, 1))
def test_a_mixture_by_recall_has_the_least_false_alarms(table: ScoreTable, target: float) -> None:
    hull = roc_hull(table)
    mixed = hull.mix(recall=target)
    assert mixed.recall >= target - 1e-12
    if mixed.fpr > 0:
        assert hull.mix(fpr=mixed.fpr * (1 - 1e-6)).recall <= target + 1e-9


def test_a_mixture_needs_one_rate() -> None:
    hull = roc_hull(ScoreTable.of([1, 2], [0, 1]))
    for wrong, said in (
        ({}, "neither fpr nor recall is given; needed: one of them"),
        ({"fpr": 0.1, "recall": 0.1}, "both fpr and recall are given; needed: one of them"),
        ({"fpr": 1.5}, "fpr is 1.5; needed: a number from 0 to 1"),
    ):
        with pytest.raises(OptionError, match=said):
            hull.mix(**wrong)


@pytest.mark.parametrize("prevalence", [-0.1, 1.5])
def test_a_prevalence_is_a_share(prevalence: float) -> None:
    hull = roc_hull(ScoreTable.of([1, 2], [0, 1]))
    said = f"prevalence is {prevalence}; needed: a number from 0 to 1"
    with pytest.raises(OptionError, match=said):
        hull.at(1.0, [0.2, prevalence])
    with pytest.raises(OptionError, match=said):
        hull.table(prevalence)


def test_owners_ties_and_classifiers_never_optimal() -> None:
    labels = ConfusionMatrix.binary(tp=6, fn=4, fp=2, tn=8)
    worse = ConfusionMatrix.binary(tp=5, fn=5, fp=3, tn=7)
    hull = roc_hull({"a": labels, "b": labels, "worse": worse})
    assert hull.never_optimal == ("worse",)
    assert [owner.classifier for owner in hull.owners[1]] == ["a", "b"]
    assert hull.owners[0][0].threshold == np.inf
    assert hull.owners[2][0].threshold == -np.inf
    assert "a or b: optimal while a miss costs between 0.3333 and 2 false alarms, at prevalence 0.5" in hull.sentences()


def test_the_corners_of_two_curves_belong_to_whoever_reaches_them() -> None:
    truth = [1, 1, 0, 1, 0, 0]
    hull = roc_hull({"a": ScoreTable.of([9, 8, 7, 3, 2, 1], truth), "b": ScoreTable.of([9, 4, 5, 8, 2, 1], truth)})
    assert hull.owners[1] == (Owner("a", 8.0), Owner("b", 8.0))
    assert hull.owners[2] == (Owner("a", 3.0), Owner("b", 4.0))


def test_classifiers_tried_on_samples_of_different_size() -> None:
    small, large = ConfusionMatrix.binary(tp=3, fn=1, fp=1, tn=3), ConfusionMatrix.binary(tp=75, fn=25, fp=25, tn=75)
    hull = roc_hull({"small": small, "large": large})
    assert [owner.classifier for owner in hull.owners[1]] == ["small", "large"]


def test_weighted_scores_have_a_hull_in_their_own_units() -> None:
    table = ScoreTable.of([1, 2, 3, 4], [0, 1, 0, 1], weight=np.array([0.1, 0.2, 0.3, 0.2]))
    assert roc_hull(table).recall.tolist() == [0.0, 0.5, 1.0, 1.0]


def test_one_class_has_no_hull() -> None:
    with pytest.raises(ValueError, match="of one class"):
        roc_hull(ScoreTable.of([1, 2], [1, 1]))


def test_slopes_are_likelihood_ratios_and_rise_with_the_score() -> None:
    table = roc_hull(ScoreTable.of([1, 1, 2, 2, 2, 3, 3], [0, 0, 0, 1, 1, 1, 1])).likelihood_ratios().columns
    assert table["score_from"] == [3.0, 2.0, -np.inf]
    assert table["likelihood_ratio"] == [np.inf, 1.5, 0.0]


def test_on_scaled_axes_the_best_corner_is_the_highest_above_the_diagonal() -> None:
    hull = roc_hull(ScoreTable.of([9, 8, 7, 6, 5, 4], [1, 1, 0, 1, 0, 0]))
    costs = Costs(fp=1, fn=3, tp=-1, tn=0, prevalence=0.3)
    scaled = hull.scaled(costs).columns
    assert int(np.argmax(scaled["net"])) == int(hull.at(costs.ratio, 0.3).corner)
    assert scaled["paid"][-1] == pytest.approx(0.7)
    assert scaled["saved"][-1] == pytest.approx(0.3 * 4)


def test_the_table_of_ratios_and_prevalences_says_the_same_thing_twice() -> None:
    hull = roc_hull(ScoreTable.of([9, 8, 7, 6, 5, 4], [1, 1, 0, 1, 0, 0]))
    table = hull.table(prevalence=0.25, ratio=2.0).columns
    for i in range(len(hull)):
        slopes = table["slope_low"][i], table["slope_high"][i]
        assert table["ratio_low"][i] == pytest.approx(3 / slopes[1] if slopes[1] else np.inf)
        assert table["prevalence_high"][i] == pytest.approx(1 / (1 + 2 * slopes[0]))


@given(first=tables, second=tables)
def test_dominance_agrees_with_looking_along_every_antidiagonal(first: ScoreTable, second: ScoreTable) -> None:
    grid = np.linspace(0, 2, 4001)
    gap = along(first, grid) - along(second, grid)
    found = dominance(first, second)
    signs = {"first": (1e-9, 0.0), "second": (0.0, 1e-9), "equal": (0.0, 0.0), "cross": (1e-9, 1e-9)}[found.verdict]
    assert (gap.max() > signs[0] - 1e-12) or signs[0] == 0
    if found.verdict in ("second", "equal"):
        assert gap.max() < 1e-9
    if found.verdict in ("first", "equal"):
        assert gap.min() > -1e-9
    for x, y in zip(found.fpr, found.recall, strict=True):
        assert along(first, np.array([x + y]))[0] == pytest.approx(y - x, abs=1e-9)
        assert along(second, np.array([x + y]))[0] == pytest.approx(y - x, abs=1e-9)


@given(first=tables, second=tables)
def test_dominance_turned_round(first: ScoreTable, second: ScoreTable) -> None:
    other = {"first": "second", "second": "first", "equal": "equal", "cross": "cross"}
    there, back = dominance(first, second), dominance(second, first)
    assert other[there.verdict] == back.verdict
    assert there.fpr == pytest.approx(back.fpr)


def along(table: ScoreTable, grid: Floats) -> Floats:
    swept = table.swept()
    x, y = swept.fp / swept.negatives, swept.tp / swept.positives
    return np.asarray(np.interp(grid, x + y, y - x))
