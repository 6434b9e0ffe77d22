"""Groups against the rest of the cases: laws of the test, what it refuses, and what is said of it."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from docs.schemas import evaluation_schema
from jsonschema import Draft202012Validator

import assay
from assay.report import render_html, render_latex, render_markdown, render_text

MEASURES = ("roc_auc", "gini", "accuracy", "error_rate", "recall", "precision", "brier", "log_loss")


def cases(seed: int, groups: int = 4, n: int = 600, weak: str | None = None) -> dict[str, Any]:
    """Cases of unequal groups; in a weak one the scores say less."""
    rng = np.random.default_rng(seed)
    sizes = rng.dirichlet(np.full(groups, 3.0))
    site = rng.choice([f"g{k}" for k in range(groups)], n, p=sizes)
    truth = (rng.random(n) < 0.35).astype(int)
    strength = np.where(site == weak, 0.1, 1.0)
    score = 1 / (1 + np.exp(-(strength * (2 * truth - 1) + rng.standard_normal(n))))
    return {"y_true": truth, "y_score": score, "by": site}


@pytest.mark.parametrize("measure", MEASURES)
def test_interval_and_p_value_come_from_one_test(measure: str) -> None:
    seen = set()
    for seed in range(6):
        ev = assay.evaluate(**cases(seed, groups=2 + seed % 4, weak="g1" if seed % 2 else None))
        for level in (0.8, 0.95, 0.99):
            for gap in ev.gaps(measure, level=level).tested:
                d = gap.difference
                assert d.low <= d.value <= d.high
                assert gap.differs == (d.p_value < 1 - level)
                seen.add(gap.differs)
    assert seen == {True, False}


def test_the_names_and_the_order_of_groups_do_not_matter() -> None:
    given = cases(1, groups=5, weak="g2")
    renamed = {f"g{k}": name for k, name in enumerate(("z", "b", "y", "a", "m"))}
    one = assay.evaluate(**given).gaps("roc_auc")
    other = assay.evaluate(**{**given, "by": [renamed[name] for name in given["by"]]}).gaps("roc_auc")
    found = {gap.group: gap.difference for gap in other.found}
    for gap in one.found:
        same = found[renamed[gap.group]]
        assert [same.low, same.high, same.p_value] == pytest.approx(
            [gap.difference.low, gap.difference.high, gap.difference.p_value], abs=1e-12
        )


@pytest.mark.parametrize("measure", ["roc_auc", "accuracy", "brier"])
def test_two_groups_have_mirrored_gaps_and_one_comparison(measure: str) -> None:
    found = assay.evaluate(**cases(2, groups=2)).gaps(measure)
    one, other = (gap.difference for gap in found.found)
    assert found.comparisons == 1
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))
    assert one.p_value == pytest.approx(other.p_value)
    assert one.adjusted is None


def test_a_group_is_the_whole_against_all_others() -> None:
    given = cases(3)
    found = assay.evaluate(**given).gaps("brier").found[1]
    inside, outside = (
        assay.evaluate(given["y_true"][here], given["y_score"][here], positive=1).brier.value
        for here in (given["by"] == found.group, given["by"] != found.group)
    )
    assert (found.value, found.rest) == (inside, outside)
    assert found.difference.value == pytest.approx(inside - outside)


def test_more_groups_and_more_columns_cost_width() -> None:
    given = cases(4)
    ev = assay.evaluate(**given)
    other = np.random.default_rng(4).choice(list("abcde"), 600)
    alone, together = ev.gaps("accuracy"), ev.gaps("accuracy", by={"site": given["by"], "other": other})
    assert (alone.comparisons, together.comparisons) == (4, 9)
    assert "hold for all 9 groups of 2 columns at once" in together.sentence
    for one, wide in zip(alone.found, together.found, strict=False):
        assert wide.is_tested
        assert wide.difference.half_width > one.difference.half_width
        assert wide.difference.p_value >= one.difference.p_value


def test_a_column_that_says_the_same_twice_is_paid_for_once() -> None:
    given = cases(4)
    once = assay.evaluate(**given).gaps("accuracy")
    twice = assay.evaluate(**given).gaps("accuracy", by={"site": given["by"], "again": given["by"]})
    # Bonferroni would take twice as many; what the draws differ by is small beside that.
    for one, same in zip(once.found, twice.found, strict=False):
        assert same.difference.half_width == pytest.approx(one.difference.half_width, rel=0.01)


def test_a_column_of_one_value_is_refused_in_a_sentence() -> None:
    ev = assay.evaluate(**{**cases(5), "by": ["all"] * 600})
    found = ev.gaps()
    assert not found.tested
    Draft202012Validator(evaluation_schema()).validate(json.loads(json.dumps(ev.to_dict())))
    assert found.sentence == (
        "ROC AUC was not tested between the groups of by: by has one value, so that no case is outside its group."
    )


def test_clusters_lie_in_one_group_each_or_nothing_is_tested() -> None:
    given = cases(6, groups=3)
    order = np.argsort(given["by"], kind="stable")
    sorted_cases: dict[str, Any] = {name: np.asarray(values)[order] for name, values in given.items()}
    starts = np.flatnonzero(np.r_[True, sorted_cases["by"][1:] != sorted_cases["by"][:-1]])
    group = np.searchsorted(starts, np.arange(600), side="right")
    nested = 1000 * group + (np.arange(600) - starts[group - 1]) // 6
    ev = assay.evaluate(**sorted_cases, cluster=nested)
    for measure in ("roc_auc", "accuracy"):
        assert len(ev.gaps(measure).tested) == 3
    # Cluster-robust limits of a loss do not count on errors that a sample lacks (docs/verification/groups.md).
    assert "no test between groups of clusters keeps its level for a mean loss" in ev.gaps("brier").sentence
    # Every case twice in a cluster of its own says no more than once.
    doubled: dict[str, Any] = {name: np.repeat(values, 2) for name, values in given.items()}
    robust = assay.evaluate(**doubled, cluster=np.repeat(np.arange(600), 2)).gaps("accuracy")
    blind, once = assay.evaluate(**doubled).gaps("accuracy"), assay.evaluate(**given).gaps("accuracy")
    widths = [found.found[0].difference.half_width for found in (robust, blind, once)]
    assert widths[0] > 1.3 * widths[1]
    assert widths[0] == pytest.approx(widths[2], rel=0.1)
    spread = assay.evaluate(**given, cluster=np.arange(600) % 150).gaps("accuracy")
    assert not spread.tested
    assert "clusters have rows in several groups of by" in spread.sentence


def test_counts_are_rows_repeated_and_weights_are_not() -> None:
    given = cases(7)
    thrice: dict[str, Any] = {name: np.repeat(values, 3) for name, values in given.items()}
    repeated = assay.evaluate(**thrice).gaps("roc_auc").to_dict()
    counted = assay.evaluate(**given, count=np.full(600, 3)).gaps("roc_auc").to_dict()
    assert [gap["n"] for gap in counted["groups"]] == [gap["n"] for gap in repeated["groups"]]
    for one, other in zip(repeated["groups"], counted["groups"], strict=True):
        assert [one[key] for key in ("low", "high")] == pytest.approx([other[key] for key in ("low", "high")], abs=1e-3)
    weighted = assay.evaluate(**given, weight=np.full(600, 3.0)).gaps("accuracy").found[0].difference
    plain = assay.evaluate(**given).gaps("accuracy").found[0].difference
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high), abs=1e-9)


def test_small_groups_are_left_out_by_name() -> None:
    given = cases(8)
    site = np.where(np.arange(600) < 7, "tiny", given["by"])
    found = assay.evaluate(**{**given, "by": site}).gaps("accuracy")
    assert [gap.group for gap in found.left_out] == ["tiny"]
    assert found.comparisons == 4
    assert "Left out: tiny (7 cases that it is a share of, fewer than 10)." in found.sentence
    assert "for all 4 groups at once" in found.sentence
    table = found.table()
    assert table.columns["undefined"][-1] == "7 cases that it is a share of, fewer than 10"
    assert math.isnan(table.columns["low"][-1])


def test_one_group_that_is_large_enough_stands_alone() -> None:
    given = cases(8)
    found = assay.evaluate(**{**given, "by": [f"tiny{k}" if k < 20 else "big" for k in range(600)]}).gaps("accuracy")
    assert [gap.group for gap in found.tested] == ["big"]
    assert "whether it differs between big and the rest;" in found.sentence
    assert "Intervals and p-values are of one group;" in found.sentence
    assert "and 17 more groups." in found.sentence
    assert found.comparisons == 1


def test_folds_that_are_ranked_apart_are_not_tested() -> None:
    ev = assay.evaluate(**cases(9), fold=np.arange(600) % 5)
    assert not ev.gaps("roc_auc").tested
    assert ev.gaps("accuracy").tested


def test_a_measure_without_a_test_says_so() -> None:
    found = assay.evaluate(**cases(9)).gaps("mcc")
    assert found.sentence == (
        "Matthews correlation was not tested between the groups of by: no test between groups keeps its level "
        "for this measure."
    )


def test_what_is_said_is_what_was_found_and_never_that_groups_are_equal() -> None:
    differs = assay.evaluate(**cases(10, weak="g1", n=2000)).gaps("accuracy")
    assert {"g1"} <= {gap.group for gap in differs.differing}
    first = differs.differing[0]
    assert first.group == "g1"
    assert differs.sentence.startswith("Accuracy differs between the groups of by: g1 is lower than the rest by 0.")
    assert "adjusted p < 0.001" in differs.sentence
    assert ("another one is in its rest" in differs.sentence) == (len(differs.differing) > 1)
    alike = assay.evaluate(**cases(11)).gaps("accuracy")
    assert not alike.differing
    assert alike.sentence.startswith("Accuracy: these cases cannot tell whether it differs between the groups of by")
    assert "would have to be" in alike.sentence
    assert "equal" not in differs.sentence + alike.sentence
    # Groups of the same area may still have a rest with another one, so less is claimed of the area.
    ranked = assay.evaluate(**cases(10, weak="g1", n=2000)).gaps("roc_auc")
    assert ranked.sentence.startswith("ROC AUC in groups of by differs from that of all other cases together: g1 is")


def test_mistakes_are_told() -> None:
    ev = assay.evaluate(**cases(12))
    with pytest.raises(ValueError, match="by has 3 values, and there are 600 cases"):
        ev.gaps("accuracy", by=["a", "b", "c"])
    with pytest.raises(ValueError, match="row 2: the group in 'group' is missing"):
        ev.gaps("accuracy", by=np.r_[1.0, np.nan, np.ones(598)])
    with pytest.raises(ValueError, match="the subgroups are those of 'by', not of 'sex'"):
        ev.gaps("accuracy", by="sex")
    with pytest.raises(ValueError, match="names no column"):
        ev.gaps("accuracy", by={})
    plain = cases(12)
    del plain["by"]
    with pytest.raises(ValueError, match="in no subgroups"):
        assay.evaluate(**plain).gaps()
    with pytest.raises(ValueError, match="counts and no rows"):
        assay.from_counts(tp=10, fn=2, fp=3, tn=20).gaps("accuracy")


def test_many_classes_are_compared_by_accuracy() -> None:
    rng = np.random.default_rng(13)
    truth, site = rng.choice(list("abc"), 900), rng.choice(["north", "south", "west"], 900)
    wrong = rng.random(900) < np.where(site == "west", 0.5, 0.1)
    called = np.where(wrong, rng.choice(list("abc"), 900), truth)
    found = assay.evaluate(truth, y_pred=called, by=site).gaps()
    assert found.measure.name == "accuracy"
    assert found.differing[0].group == "west"


def test_every_format_says_it() -> None:
    ev = assay.evaluate(**cases(10, weak="g1"))
    said = ev.gaps().sentence
    models = {"": ev}
    for text in (render_text(models), render_text(models, full=True)):
        assert said in " ".join(text.split())
    assert "minus the rest" not in render_text(models)
    for text in (render_text(models, full=True), render_markdown(models), render_latex(models), render_html(models)):
        assert text.count("g1 minus the rest") == 1
    whole = json.loads(json.dumps(ev.to_dict()))
    Draft202012Validator(evaluation_schema()).validate(whole)
    record = whole["gaps"]
    assert record["sentence"] == said
    assert [gap["group"] for gap in record["groups"]] == ["g0", "g1", "g2", "g3"]
    assert record["groups"][1]["gap"] == ev.gaps().found[1].difference.value


def test_moving_the_threshold_moves_the_gaps() -> None:
    given = cases(14)
    moved = assay.evaluate(**given).at(0.2).gaps("recall").to_dict()
    assert moved == assay.evaluate(**given, threshold=0.2).gaps("recall").to_dict()
    assert moved != assay.evaluate(**given).gaps("recall").to_dict()
