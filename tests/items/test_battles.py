"""Battles: strengths, ties, the first place, who is tied for the best, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.items.logs import BATTLES

import assay
from assay.errors import InputError, OptionError


def rows(*games: tuple[str, str, Any], times: int = 1) -> dict[str, list[Any]]:
    every = list(games) * times
    return {name: [game[place] for game in every] for place, name in enumerate(("model_a", "model_b", "winner"))}


def test_the_strengths_of_the_sample() -> None:
    found = assay.evaluate_battles(BATTLES)
    true = {"oak": 0.8, "elm": 0.5, "ash": 0.45, "fir": -0.3, "yew": -1.45}
    order = found.table().columns["model"]
    assert set(order[:3]) == {"oak", "elm", "ash"}
    assert list(order[3:]) == ["fir", "yew"]
    assert set(found.best) == {"oak", "elm", "ash"}
    for name, value in true.items():
        assert found.strengths[name].value == pytest.approx(value, abs=0.65)
    assert found.battles.both_bad > 0
    assert found.advantage.value == pytest.approx(0.27, abs=0.01)


def test_strengths_are_those_of_a_logistic_regression_but_for_the_penalty() -> None:
    from scipy.optimize import minimize

    battles = assay.evaluate_battles(BATTLES).battles

    def loss(value: Any) -> float:
        line = value[battles.first] - value[battles.second] + value[-1]
        return float(np.sum(np.logaddexp(0, line) - battles.result * line) + 0.5 * value[:5].sum() ** 2)

    plain = minimize(loss, np.zeros(6)).x
    fitted = assay.evaluate_battles(BATTLES).fit.values
    assert np.abs(fitted - plain).max() < 0.03


def test_the_place_is_no_strength() -> None:
    """The first always wins: neither model is stronger, the place is."""
    found = assay.evaluate_battles(rows(("x", "y", "model_a"), ("y", "x", "model_a"), times=30))
    assert found.difference("x", "y").value == pytest.approx(0, abs=1e-9)
    assert found.advantage.low > 0
    assert "Position bias: the first place" in found.cautions[0]


def test_a_model_that_never_lost_has_no_upper_limit() -> None:
    games = [("x", "y", "model_a"), ("y", "x", "model_b"), ("y", "z", "model_a"), ("z", "y", "model_a"),
             ("x", "z", "a")]  # fmt: skip
    found = assay.evaluate_battles(rows(*games, times=8))
    assert math.isfinite(found.strengths["x"].value)
    assert found.strengths["x"].high == math.inf
    assert "x won every battle" in " ".join(found.cautions)
    assert found.best == ("x",)
    assert found.to_dict()["models"]["x"]["strength"]["high"] == "Infinity"


def test_battles_on_one_question_depend_on_one_another() -> None:
    rng = np.random.default_rng(1)
    question = np.repeat(np.arange(25), 8)
    better = np.repeat(rng.random(25) < 0.5, 8)
    names = {"model_a": ["x"] * 200, "model_b": ["y"] * 200}
    games = {**names, "winner": np.where(better, "model_a", "model_b").tolist()}
    swapped = {**games, "model_a": ["x", "y"] * 100, "model_b": ["y", "x"] * 100}
    swapped["winner"] = ["model_a" if (w == "model_a") == (a == "x") else "model_b"
                         for w, a in zip(games["winner"], swapped["model_a"], strict=True)]  # fmt: skip
    alone = assay.evaluate_battles(swapped).difference("x", "y")
    clustered = assay.evaluate_battles({**swapped, "question_id": question.tolist()}).difference("x", "y")
    assert clustered.high - clustered.low > 2 * (alone.high - alone.low)


def test_what_is_refused() -> None:
    with pytest.raises(OptionError, match="at least 10"):
        assay.evaluate_battles(rows(("x", "y", "tie"), times=9))
    with pytest.raises(OptionError, match="never met"):
        assay.evaluate_battles(rows(("x", "y", "tie"), ("u", "v", "tie"), times=20))
    with pytest.raises(OptionError, match="plays itself"):
        assay.evaluate_battles(rows(("x", "x", "tie"), times=20))
    with pytest.raises(OptionError, match="winner is 'neither'"):
        assay.evaluate_battles(rows(("x", "y", "neither"), times=20))
    with pytest.raises(OptionError, match="no column 'winner'"):
        assay.evaluate_battles({"model_a": ["x"], "model_b": ["y"]})
    with pytest.raises(OptionError, match="there is no model"):
        assay.evaluate_battles(BATTLES).difference("oak", "pine")
    with pytest.raises(InputError, match="evaluate_battles"):
        assay.evaluate(BATTLES, truth="winner", pred="judge")


def test_results_show_themselves(tmp_path: Path) -> None:
    found = assay.evaluate_battles(BATTLES)
    assert "Tied for the best" in repr(found)
    found.report(tmp_path / "page.html")
    assert "Strengths" in (tmp_path / "page.html").read_text()
    assert "<table" in found._repr_html_()
