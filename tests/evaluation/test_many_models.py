"""Very many models, and several of very many cases: memory is bounded, and what is left out is stated."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.comparison.joint import critical_value, draws_of_largest, draws_of_largest_pair
from assay.errors import OptionError
from assay.evaluation import comparison
from assay.evidence.score_table import _largest_array_size
from assay.report import page_cache

MODELS = 30
EVERY = MODELS * (MODELS - 1) // 2


def models(count: int = MODELS, cases: int = 400) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(7)
    truth = (rng.random(cases) < 0.4).astype(int)
    shared = rng.normal(size=cases)
    return truth, {
        f"m{k}": 1 / (1 + np.exp(-(truth * (0.8 + k / count) + shared + 0.7 * rng.normal(size=cases) - 1)))
        for k in range(count)
    }


@pytest.fixture(scope="module")
def compared() -> assay.Comparison:
    return assay.compare(*models())


def test_draws_of_estimates_are_draws_of_their_differences() -> None:
    rng = np.random.default_rng(1)
    parts = rng.normal(size=(6, 9))
    covariance = parts @ parts.T
    pairs = list(combinations(range(6), 2))
    contrasts = np.zeros((len(pairs), 6))
    for row, (first, second) in enumerate(pairs):
        contrasts[row, [first, second]] = 1.0, -1.0
    for freedom in (float("inf"), 8.0):
        one = draws_of_largest(contrasts @ covariance @ contrasts.T, freedom, 0)
        other = draws_of_largest_pair(covariance, pairs, freedom, 0)
        for level in (0.8, 0.95):
            assert critical_value(other, level) == pytest.approx(critical_value(one, level), rel=0.03)
    assert draws_of_largest_pair(np.ones((3, 3)), [(0, 1), (1, 2)], float("inf"), 0).tolist() == [0.0]


@pytest.mark.parametrize("measure", ["roc_auc", "brier", "accuracy"])
def test_the_best_is_compared_with_every_other_adjusted_over_all_pairs(
    compared: assay.Comparison, monkeypatch: pytest.MonkeyPatch, measure: str
) -> None:
    found = compared.differences(measure)
    values = {name: ev.estimate(measure).value for name, ev in compared.models.items()}
    best = (min if measure == "brier" else max)(values, key=lambda name: values[name])
    assert [d.first for d in found] == [best] * (MODELS - 1)
    assert {d.second for d in found} == {*compared.names} - {best}
    assert all(f"{EVERY:,} comparisons" in str(d.adjusted) for d in found)
    # The same limits as where every pair is built.
    monkeypatch.setattr(comparison, "MOST_PAIRS", EVERY)
    every = {(d.first, d.second): d for d in assay.compare(*models()).differences(measure)}
    for d in found[:10]:
        other = every.get((d.first, d.second)) or every[d.second, d.first]
        assert d.high - d.low == pytest.approx(other.high - other.low, rel=0.02)
        assert d.p_value == pytest.approx(other.p_value, abs=0.02)


def test_it_is_stated_wherever_the_comparison_is_shown(compared: assay.Comparison, tmp_path: Path) -> None:
    stated = f"Of {MODELS} models only the best observed is compared with each other: {MODELS - 1} of {EVERY} pairs, "
    stated += f"adjusted over all {EVERY}; for other pairs use control."
    assert stated in repr(compared)
    assert stated in compared.to_dict()["assumptions"]
    compared.report(tmp_path / "page.html")
    assert stated in (tmp_path / "page.html").read_text()
    assert "Who beats whom" not in (tmp_path / "page.html").read_text()


def test_pairs_that_are_asked_for_are_built(compared: assay.Comparison) -> None:
    found = compared.differences("roc_auc", control="m3")
    assert {d.second for d in found} == {"m3"}
    assert all(d.adjusted == f"{MODELS - 1} comparisons at once" for d in found)
    assert compared.difference("roc_auc", "m1", "m2").adjusted is None
    assert len(compared.pairs("roc_auc")) == MODELS - 1
    with pytest.raises(OptionError, match=r"too many for a test of every pair; needed: .*control='m0'"):
        compared.tests.by_name("venkatraman")


def test_few_models_are_compared_pair_by_pair_as_before() -> None:
    few = assay.compare(*models(count=4))
    assert len(few.differences("roc_auc")) == 6
    assert few.omitted_pairs == ""
    assert "Of 4 models" not in repr(few)


def test_two_hundred_models_need_little_memory() -> None:
    script = """
from tests.evaluation.test_many_models import models
import assay
print(len(repr(assay.compare(*models(200, 2_000)))))
# Of this process alone: the largest size that `getrusage` tells may be that of the one which started it.
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(Path.cwd())])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert int(done.stdout.split()[-1]) < 600_000, done.stdout


def test_a_page_of_long_tables_keeps_nothing_as_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "MOST_KNOWN", 1_000)
    truth, scores = models(3, 2_000)
    cmp = assay.compare(truth, scores)
    cmp.report(tmp_path / "spared.html")
    for ev in cmp.models.values():
        assert isinstance(ev, assay.TwoClassEvaluation)
        assert ev.scores is not None
        known = ev.scores._known.values()
        assert all(_largest_array_size(value) < len(ev.scores) for value in known)
    monkeypatch.setattr(page_cache, "MOST_KNOWN", 10**9)
    assay.compare(truth, scores).report(tmp_path / "kept.html")
    assert (tmp_path / "spared.html").read_text() == (tmp_path / "kept.html").read_text()
