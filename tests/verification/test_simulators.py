"""The simulators themselves: their true values, their determinism, and what they count."""

import math

import numpy as np
import pytest
from verification._coverage import Design, Limits, row_of
from verification._row import Row

from assay.evidence import ScoreTable
from assay.measures import accuracy, on_request, on_request_of_many, partial_auc, partial_auc_recall, registry
from verification import (
    _certified,
    areas,
    auc,
    many_classes,
    matrices,
    precision_recall,
    probabilities,
    proportions,
    raters,
)


def row(*, low: list[float], high: list[float], truth: float = 0.5) -> Row:
    limits = Limits(np.array(low), np.array(high), "Wilson")
    return row_of(accuracy, Design("", 10, 5), truth, limits, level=0.95, replicates=len(low))


def test_a_sample_without_an_interval_is_not_a_miss() -> None:
    found = row(low=[0.4, 0.6, math.nan], high=[0.6, 0.7, math.nan])
    assert found.coverage == pytest.approx(0.5)
    assert found.missing == pytest.approx(1 / 3)
    assert found.safe == pytest.approx(2 / 3)


def test_a_row_below_its_bar_misses() -> None:
    assert row(low=[0.6] * 100, high=[0.7] * 100).verdict == "MISS"
    assert row(low=[0.4] * 100, high=[0.7] * 100).verdict == "ok"
    assert row(low=[math.nan] * 100, high=[math.nan] * 100).verdict == "refused"


def test_binomial_probabilities_sum_to_one_and_clopper_pearson_never_undercovers() -> None:
    rows = proportions.run(("Clopper-Pearson", 10, 0.95))
    assert all(r.coverage >= 0.95 for r in rows)


def test_every_table_is_counted_once() -> None:
    tables = matrices._all_tables(6)
    assert len(np.unique(tables, axis=0)) == len(tables) == math.comb(9, 3)


def test_population_values_agree_with_a_large_sample() -> None:
    rng = np.random.default_rng(1)
    p = rng.beta(0.6, 1.4, 400_000)
    y = rng.random(p.size) < p
    truths = probabilities.population_values(0.6, 1.4, 1.0)
    assert truths["brier"] == pytest.approx(np.mean((p - y) ** 2), abs=0.002)
    assert truths["log_loss"] == pytest.approx(-np.mean(np.where(y, np.log(p), np.log1p(-p))), abs=0.003)


def test_average_precision_of_a_useless_score_is_the_prevalence() -> None:
    assert precision_recall.population_value(0.1, 0.0) == pytest.approx(0.1, abs=1e-4)


def test_the_area_of_two_ratings_is_that_of_one_point() -> None:
    assert auc._rated_area(np.array([0.0]), 0.0, 1.0) == pytest.approx(0.5)


def test_the_same_design_gives_the_same_row() -> None:
    job = (10, 10, 0.9, 1.0, 0, 0.95, None)
    assert auc.run(job, replicates=30) == auc.run(job, replicates=30)


def test_every_measure_is_simulated() -> None:
    shares = {"accuracy", "error_rate", "recall", "specificity", "fpr", "fnr", "prevalence"}
    shares |= {"predicted_prevalence", "detection_rate"}
    others = {"roc_auc", "average_precision", *matrices.MEASURES, *probabilities.MEASURES}
    others |= {measure.name for measure in areas.MEASURES} - set(on_request)
    # Twice the AUC minus one: the same limits, stretched.
    carried_over = {"gini"}
    assert set(registry) == shares | others | carried_over


def test_every_measure_found_by_name_is_simulated() -> None:
    simulated = {measure.name for measure in (*areas.MEASURES, *raters.ORDERED, *raters.BINARY)}
    simulated |= {measure.name for measure in _certified.CHOSEN.values()}
    # WEKA's statistics show no interval and say why.
    without_interval = {name for name, measure in on_request.items() if "none" in measure.intervals.methods}
    assert set(on_request) - without_interval <= simulated
    assert set(on_request_of_many) <= set(many_classes.MEASURES)


def test_the_population_of_a_band_agrees_with_a_large_sample() -> None:
    rng = np.random.default_rng(4)
    score = np.concatenate((rng.normal(1.2, 2, 300_000), rng.normal(0, 1, 300_000)))
    table = ScoreTable.of(score, np.arange(600_000) < 300_000)
    assert float(partial_auc(table)) == pytest.approx(areas.partial_population_value(1.2, 0.5), abs=0.002)
    assert float(partial_auc_recall(table)) == pytest.approx(areas.partial_population_value(0.6, 2.0), abs=0.002)
