"""Models on the same items: joined by item and truth, differences, who is tied, what is refused."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.items.logs import (
    CODE_A,
    CODE_B,
    EVALS_A,
    EVALS_B,
    INSPECT_A,
    INSPECT_B,
    JUDGE,
    MODEL_A,
    MODEL_B,
    PROMPTFOO,
    SUMS_A,
    SUMS_B,
)

import assay
from assay.errors import OptionError
from assay.items import difference_limits, difference_p_value, spread_of, tied_for_best


def test_first_answers_and_repeats_of_the_same_items() -> None:
    once = assay.compare_items(SUMS_A, SUMS_B, scorer="exact_match", filter="strict").difference
    assert (round(once.value, 3), once.n) == (0.125, 24)
    often = assay.compare_items(INSPECT_A, INSPECT_B, scorer="match").difference
    assert round(often.value, 3) == 0.104
    assert often.se == pytest.approx(0.0774, abs=5e-5)
    assert assay.compare_items(CODE_A, CODE_B, at=1).difference.value == pytest.approx(0.21)
    assert assay.compare_items(EVALS_A, EVALS_B).difference.value == pytest.approx(8 / 30)


def test_folders_are_compared_by_task() -> None:
    found = assay.compare_items(MODEL_A, MODEL_B, task="toy_sums", filter="flexible").difference
    assert found.value == pytest.approx(0.75 - 0.5833, abs=5e-5)
    with pytest.raises(OptionError, match="there are 4 tasks") as error:
        assay.compare_items(MODEL_A, MODEL_B)
    assert {"task": "toy_sums"} in [way for way, _ in error.value.ways]


def test_filters_and_scorers_are_never_pooled() -> None:
    with pytest.raises(OptionError, match="never pooled") as error:
        assay.compare_items(SUMS_A, SUMS_B)
    assert [way for way, _ in error.value.ways] == [{"filter": name} for name in ("strict", "flexible", "maj@4")]
    with pytest.raises(OptionError, match="never pooled"):
        assay.compare_items(INSPECT_A, INSPECT_B)


def test_files_whose_truths_differ_are_refused(tmp_path: Path) -> None:
    lines = SUMS_B.read_text().splitlines()
    record = json.loads(lines[5])
    other = tmp_path / SUMS_B.name
    other.write_text("\n".join([*lines[:5], json.dumps({**record, "target_hash": "0" * 64}), *lines[6:24]]) + "\n")
    with pytest.raises(OptionError, match="another true answer"):
        assay.compare_items(SUMS_A, other, filter="strict")
    questions = [{**json.loads(line), "doc_hash": f"{k:064d}"} for k, line in enumerate(lines)]
    other.write_text("\n".join(map(json.dumps, questions)) + "\n")
    with pytest.raises(OptionError, match="0 of 48 items in common"):
        assay.compare_items(SUMS_A, other, filter="strict")


def test_few_common_items_need_to_be_allowed(tmp_path: Path) -> None:
    some = tmp_path / "some_results.jsonl"
    some.write_text("".join(CODE_B.read_text().splitlines(keepends=True)[:70]))
    with pytest.raises(OptionError, match="7 of 10 items in common") as error:
        assay.compare_items(CODE_A, some, at=1)
    assert error.value.options == {"missing": "pairwise"}
    found = assay.compare_items(CODE_A, some, at=1, missing="pairwise")
    assert found.difference.n == 7
    assert "compared on 7 of 10 items" in found.cautions[0]


def test_other_prompts_are_a_caution() -> None:
    found = assay.compare_items(PROMPTFOO, scorer="success")
    assert "different prompts" in found.cautions[0]
    assert len(found.pairs) == 6
    assert {pair.difference.adjusted for pair in found.pairs} == {"Bonferroni over 6 comparisons"}
    assert set(found.best or ()) == set(found.names)


def test_errors_that_decide_withhold_the_verdict() -> None:
    items = list(range(60))
    score: list[Any] = [1.0 if k < 30 else None for k in items]
    lost = {
        "item": items,
        "score": score,
        "state": ["scored" if k < 30 else "error" for k in items],
        "model": ["a"] * 60,
    }
    whole = {"item": items, "score": [0.9] * 60, "model": ["b"] * 60}
    found = assay.compare_items(lost, whole, missing="pairwise").pairs[0]
    assert found.withheld is None  # no item has both an answer and an error
    both = {name: values + values[:30] for name, values in lost.items()}
    both["state"][60:] = ["error"] * 30
    both["score"][60:] = [None] * 30
    found = assay.compare_items(both, whole, missing="pairwise").pairs[0]
    assert "no verdict while it depends on how errors count" in str(found.withheld)


def test_no_item_differs() -> None:
    same = {"item": list(range(50)), "score": [k % 3 > 0 for k in range(50)]}
    found = assay.compare_items({**same, "model": ["a"] * 50}, {**same, "model": ["b"] * 50})
    assert found.difference.value == 0
    assert found.difference.low < 0 < found.difference.high
    assert "No item distinguishes a from b" in repr(found)


def test_models_with_one_name_are_told_apart_by_their_files(tmp_path: Path) -> None:
    copy = tmp_path / "other_results.jsonl"
    shutil.copyfile(CODE_A, copy)
    table = {"item": [1, 2, 3], "score": [1, 0, 1]}
    assert assay.compare_items(table, table).names == ["the table", "the table #2"]
    assert assay.compare_items(CODE_A, copy, at=1).names == ["samples_a", "other"]


def test_one_table_of_two_models() -> None:
    columns = {"item": "item", "score": "judge", "model": "model"}
    found = assay.compare_items(JUDGE, columns=columns, cluster="passage")
    assert found.names == ["a", "b"]
    assert found.pairs[0].spread.clusters == 100
    assert found.difference.value == pytest.approx(0.065)
    with pytest.raises(OptionError, match="one model"):
        assay.compare_items({"item": [1, 2], "score": [0, 1]})
    with pytest.raises(OptionError, match="no pair"):
        found.pair("a", "c")
    assert found.pair("b", "a").difference.value == pytest.approx(-0.065)


@pytest.mark.parametrize("seed", range(40))
def test_the_p_value_agrees_with_the_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 60))
    values = rng.integers(-1, 2, n) * (rng.random(n) < 0.4) + rng.normal(0.1, 0.05) * (seed % 2)
    clusters = None if seed % 3 else [str(k % 7) for k in range(n)]
    spread = spread_of(np.asarray(values, dtype=float), clusters)
    p_value = difference_p_value(spread)
    for level in (0.5, 0.8, 0.95, 0.99):
        low, high = difference_limits(spread, level)
        assert (low > 0 or high < 0) == (p_value < 1 - level)
        assert low <= spread.mean <= high


def test_the_tied_set_holds_the_best_in_brief() -> None:
    """The nominal share is .95; in `verification/items.py` designs are drawn at random."""
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(120):
        difficulty = rng.beta(1, 1, 60)
        chances = [np.clip(difficulty + shift, 0, 1) for shift in (0.0, 0.0, -0.05, -0.3)]
        values = [rng.binomial(3, chance) / 3 for chance in chances]
        kept = tied_for_best(values, None, 0.95)
        found += kept[0]
        assert not kept[3] or kept[0] or kept[1]
    assert found / 120 > 0.93


def test_identical_models_are_tied() -> None:
    values = [np.tile([0.0, 1.0], 20)] * 3
    assert tied_for_best(values, None, 0.95) == [True, True, True]


def test_what_more_repeats_would_give() -> None:
    pair = assay.compare_items(INSPECT_A, INSPECT_B, scorer="match").pairs[0]
    assert pair.variance.se(math.inf) < pair.variance.se()
    assert "With unlimited repeats it would be" in repr(assay.compare_items(INSPECT_A, INSPECT_B, scorer="match"))
    assert "One answer per item" in repr(assay.compare_items(SUMS_A, SUMS_B, filter="strict"))


def test_the_record_and_the_page(tmp_path: Path) -> None:
    found = assay.compare_items(INSPECT_A, INSPECT_B, scorer="match", margin=0.05)
    record = found.to_dict()
    assert record["pairs"][0]["verdict"]["outcome"] == "cannot tell"
    assert json.dumps(record, allow_nan=False)
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "mockllm/model-a" in page
    assert "<table" in found._repr_html_()
