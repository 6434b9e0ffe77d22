"""What looking costs, and what removes it: the claims behind the rows without a bar."""

from __future__ import annotations

import re

import numpy as np
import pytest
from verification._choices import bootstrap_rows, choice_rows
from verification._learning import Population
from verification._row import Row

from verification import surface


def biases(rows: list[Row], learner: str = "") -> dict[str, float]:
    found = {row.method: re.search(r"bias ([+-][0-9.]+)", row.design) for row in rows if row.design.startswith(learner)}
    return {method: float(match[1]) for method, match in found.items() if match}


def test_the_best_of_twenty_noise_models_looks_better_than_it_is() -> None:
    """54 cases to choose on, as in the laboratory: every model errs half of the time."""
    rows = choice_rows(np.random.default_rng(1), Population(54, 20, 0.0), 150)
    found = biases(rows)
    assert found["the cases that chose, Wilson"] < -0.1
    assert abs(found["BBC-CV"]) < 0.03
    assert abs(found["as many untouched cases, Wilson"]) < 0.03
    coverage = {row.method: row.coverage for row in rows}
    assert coverage["the cases that chose, Wilson"] < 0.75 < 0.9 < coverage["as many untouched cases, Wilson"]


def test_a_nearest_neighbour_fools_632_but_not_632_plus() -> None:
    rows = bootstrap_rows(np.random.default_rng(2), Population(50, 5, 0.0), 40)
    copied, learned = biases(rows, "nearest neighbour"), biases(rows, "discriminant")
    assert copied["apparent"] == pytest.approx(-0.5, abs=0.02)
    assert copied[".632"] == pytest.approx(0.632 * 0.5 - 0.5, abs=0.03)
    assert abs(copied[".632+"]) < 0.05
    assert learned["apparent"] < -0.07 < learned[".632"] < 0


def test_the_volume_of_useless_scores_is_a_sixth() -> None:
    assert surface.population_value(0.0) == pytest.approx(1 / 6)
    assert surface.population_value(1.0) == pytest.approx(0.536, abs=0.0005)
