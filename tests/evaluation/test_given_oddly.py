"""Data and options that are odd but not senseless: used for what they mean, or refused in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.costs import Costs
from assay.errors import InputError, OptionError

RNG = np.random.default_rng(7)
TRUTH = (RNG.random(120) < 0.4).astype(int)
SCORE = np.clip(0.3 * TRUTH + 0.7 * RNG.random(120), 0, 1)
NAMED = np.where(TRUTH == 1, "b", "a")
CALLED = np.where(SCORE > 0.5, "b", "a")


@pytest.mark.parametrize("design", ["count", "weight"])
@pytest.mark.parametrize(("truth", "label"), [("a", "zzz"), ("zzz", "zzz"), ("zzz", "a"), (None, "a")])
def test_rows_of_nobody_change_nothing(design: str, truth: Any, label: str) -> None:
    counts: dict[str, Any] = {design: np.ones(120, dtype=int)}
    plain = assay.evaluate(NAMED, y_pred=CALLED, positive="b", **counts)
    further: dict[str, Any] = {design: np.append(counts[design], 0)}
    found = assay.evaluate(
        np.append(NAMED.astype(object), truth), y_pred=np.append(CALLED, label), positive="b", **further
    )
    assert str(found.table()) == str(plain.table())
    assert str(found.matrix) == str(plain.matrix)
    assert found.n == plain.n
    assert "1 row of weight or count 0 represents no case" in found.source.remarks


def test_an_offer_counts_no_row_of_nobody() -> None:
    truth = np.append(np.repeat(["a", "b"], [35, 25]), "b")
    with pytest.raises(InputError, match=r"positive='b' .*, 25 rows"):
        assay.evaluate(truth, y_pred=truth, count=np.append(np.ones(60, dtype=int), 0))


@pytest.mark.parametrize("name", ["y_proba", "y_score"])
def test_probabilities_of_two_classes_sum_to_one(name: str) -> None:
    fits: Any = np.column_stack([1 - SCORE, SCORE])
    assert assay.evaluate(TRUTH, **{name: fits}).roc_auc.value == assay.evaluate(TRUTH, SCORE).roc_auc.value
    fits[17] += 0.2
    with pytest.raises(InputError, match=rf"row 18: the two columns of '{name}' sum to 1.4.*{name}\[:, 1\]"):
        assay.evaluate(TRUTH, **{name: fits})


def test_probabilities_of_two_classes_in_a_file_sum_to_one(tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    rows = [f"{truth},{1 - score:.3f},{score:.3f}" for truth, score in zip(NAMED, SCORE, strict=True)]
    path.write_text("\n".join(["truth,prob_a,prob_b", *rows]), encoding="utf-8")
    assert assay.evaluate(path, positive="b").scores is not None
    path.write_text("\n".join(["truth,prob_a,prob_b", *rows, "a,0.9,0.9"]), encoding="utf-8")
    with pytest.raises(InputError, match=r"row 121: the probabilities in 'prob_a'.* sum to 1.8") as error:
        assay.evaluate(path, positive="b")
    assert "prob_b" in str(error.value)


@pytest.mark.parametrize("band", [(0.8, 0.9), (0.5, 0.9), (0, 0.2)])
def test_a_partial_area_below_the_diagonal_lies_in_its_interval(band: tuple[float, float]) -> None:
    many, score = np.tile(TRUTH, 10), -np.tile(SCORE, 10) + 1e-6 * RNG.random(1200)
    found = assay.evaluate(many, score).estimate(f"partial_auc({band[0]}, {band[1]})")
    assert found.value < 0.5
    assert found.low <= found.value <= found.high


def test_gini_follows_the_area_over_folds() -> None:
    ev = assay.evaluate(TRUTH, SCORE, fold=np.arange(120) % 5)
    auc, gini = ev.roc_auc, ev.gini
    assert [gini.value, gini.low, gini.high] == pytest.approx([2 * x - 1 for x in (auc.value, auc.low, auc.high)])
    assert (gini.method, gini.target) == (auc.method, auc.target)


def test_the_lower_envelope_has_no_corner_twice() -> None:
    x, cost = assay.evaluate(TRUTH, SCORE).curves.cost.envelope
    assert (np.diff(x) > 0).all()
    assert (x[0], x[-1], cost[0], cost[-1]) == (0, 1, 0, 0)


@pytest.mark.parametrize("amounts", [["x"] * 120, np.ones((120, 2)), 5.0, [None] * 120, np.ones(7), [np.nan] * 120])
def test_amounts_that_are_none_are_refused(amounts: Any) -> None:
    with pytest.raises(OptionError, match="amounts at stake"):
        assay.evaluate(TRUTH, SCORE).curves.risk_chart(amounts)


def test_costs_of_a_comparison_are_costs() -> None:
    pair = assay.compare(TRUTH, {"good": SCORE, "poor": RNG.random(120)})
    by_name = pair.cost_difference("good", "poor", costs=Costs([[0, 1], [5, 0]], ("0", "1")))
    assert by_name.value == pair.cost_difference("good", "poor", costs=Costs(fp=1, fn=5)).value
    for costs, found in (
        (5, "costs is 5"),
        (Costs(fp=1, fn=5, prevalence=0.1), "have a prevalence"),
        (Costs([[0, 1, 1], [5, 0, 1], [1, 1, 0]], ("x", "y", "z")), "costs are of"),
    ):
        with pytest.raises(OptionError, match=found):
            pair.cost_difference("good", "poor", costs=costs)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["partial_auc(0, 0.2, standardised=false)", "partial_auc(0.8, 0.95)"])
def test_a_partial_area_of_any_range_has_an_interval_with_clusters(name: str) -> None:
    many, score = np.tile(TRUTH, 10), np.tile(SCORE, 10) + RNG.random(1200)
    found = assay.evaluate(many, score, cluster=np.arange(1200) // 4).estimate(name)
    assert found.low < found.value < found.high
