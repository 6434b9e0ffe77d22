"""Gates on logs: one-sided limits, power beside the verdict, A/A splits, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.items.logs import INSPECT_A, INSPECT_B, SUMS_A

from assay.errors import OptionError
from assay.items import evaluate_items
from assay.testing import RequirementError
from assay.testing.item_gate import ItemGate, parse_of_items


def written(path: Path, scores: Any) -> Path:
    rows = [f"{item},{score}" for item, of_item in enumerate(scores) for score in np.atleast_1d(of_item)]
    path.write_text("\n".join(["item,score", *rows, ""]))
    return path


def gate(path: Path, **more: Any) -> ItemGate:
    return ItemGate.of(path, columns={"item": "item", "score": "score"}, **more)


def test_limits_are_one_sided(tmp_path: Path) -> None:
    path = written(tmp_path / "new.csv", [int(k % 5 > 0) for k in range(100)])
    two_sided = evaluate_items(path, columns={"item": "item", "score": "score"}, level=0.9).estimate
    found = gate(path).check(f"score >= {two_sided.low - 0.001:.6f}")
    assert found.status == "pass"
    assert gate(path).check(f"score >= {two_sided.low + 0.001:.6f}").status == "inconclusive"
    assert gate(path).check(f"score >= {two_sided.high + 0.001:.6f}").status == "fail"


def test_a_drop_fails_an_equal_model_passes_and_little_data_decides_nothing(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    chance = rng.beta(2, 1, 600)
    old = written(tmp_path / "old.csv", rng.binomial(1, chance[:, None], (600, 4)))
    same = written(tmp_path / "same.csv", rng.binomial(1, chance[:, None], (600, 4)))
    worse = written(tmp_path / "worse.csv", rng.binomial(1, 0.85 * chance[:, None], (600, 4)))
    few = written(tmp_path / "few.csv", rng.binomial(1, chance[:30, None], (30, 4)))
    asked = f'delta(score, "{old}") >= -0.04'
    assert gate(same).check(asked).status == "pass"
    assert gate(worse).check(asked).status == "fail"
    assert gate(few, missing="pairwise").check(asked).status == "inconclusive"


def test_the_power_that_is_printed_is_that_of_simulated_runs(tmp_path: Path) -> None:
    """Within .07: new items and new answers for each run, the same model twice."""
    rng = np.random.default_rng(11)
    n, repeats, margin = 250, 4, 0.05
    passed, printed = 0, []
    for _ in range(60):
        chance = rng.beta(2, 1, n)
        first, second = (rng.binomial(1, chance[:, None], (n, repeats)) for _ in range(2))
        written(tmp_path / "old.csv", second)
        found = gate(written(tmp_path / "new.csv", first)).check(f'delta(score, "{tmp_path}/old.csv") >= -{margin}')
        passed += found.status == "pass"
        printed.append(float(found.sentence.split("an equally good model in ")[1].split(" %")[0]) / 100)
    assert passed / 60 == pytest.approx(float(np.mean(printed)), abs=0.07 + 2 * 0.06)


def test_aa_splits_the_repeats_of_one_log() -> None:
    found = ItemGate.of(INSPECT_A, scorer="match", aa=True).check(f'delta(score, "{INSPECT_B}") >= -0.02')
    assert "random splits of its repeats (1 answer a side)" in found.sentence
    with pytest.raises(OptionError, match="a single answer"):
        ItemGate.of(SUMS_A, filter="strict", aa=True).check(f'delta(score, "{SUMS_A}") >= -0.02')


def test_power_for_says_how_much_worse() -> None:
    found = ItemGate.of(INSPECT_A, scorer="match", worse=0.2).check(f'delta(score, "{INSPECT_B}") >= -0.02')
    assert "a true difference of -0.22 would pass" in found.sentence


def test_a_score_that_depends_on_errors_is_not_judged() -> None:
    answers = {"item": list(range(60)), "score": [1.0] * 40 + [None] * 20, "state": ["scored"] * 40 + ["error"] * 20}
    found = ItemGate.of(answers).check("score >= 0.5")
    assert found.status == "unjudged"
    assert "no verdict while it depends on them" in found.sentence


@pytest.mark.parametrize("text", ["accuracy >= 0.9", 'score["a"] >= 0.9', 'score in "north" >= 0.9'])
def test_other_measures_are_refused(text: str) -> None:
    with pytest.raises(RequirementError, match="score"):
        parse_of_items(text)


def test_one_model_and_scorer_are_needed() -> None:
    with pytest.raises(OptionError, match="there are 3 lines"):
        ItemGate.of(SUMS_A)
    with pytest.raises(OptionError, match="one-sided"):
        ItemGate.of(SUMS_A, filter="strict", level=0.4)
