"""Means of item scores: values as the tools have them, the unit, repeats, clusters, errors, pass@k, what is refused."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.items.logs import (
    CODE_A,
    CODE_B,
    INSPECT_A,
    INSPECT_B,
    JUDGE,
    LOGS,
    MODEL_A,
    PROMPTFOO,
    READABLE,
    SUMS_A,
    SUMS_B,
)

import assay
from assay.errors import InputError, OptionError, UnknownName
from assay.items import majority_at, mean_limits, pass_at, spread_of, variance_split
from assay.sources.logs import read_answers


@pytest.mark.parametrize("run", [MODEL_A, LOGS / "lm_eval" / "model_b"], ids=lambda path: path.name)
def test_means_are_those_of_lm_eval(run: Path) -> None:
    results = json.loads(next(run.glob("results*.json")).read_text())["results"]
    lines = assay.evaluate_items(run).lines
    assert len(lines) == 10
    for line in lines:
        scorer, _, filter_ = line.scores.scorer.partition(",")
        key = f"{scorer},{filter_ or 'none'}"
        assert line.estimate.value == pytest.approx(results[line.scores.task][key])
        se = results[line.scores.task][key.replace(",", "_stderr,")]
        assert line.estimate.se == pytest.approx(se)


def test_values_of_the_sums() -> None:
    found = {(line.scores.scorer): line.estimate.value for line in assay.evaluate_items(SUMS_A).lines}
    assert found == pytest.approx(
        {"exact_match,strict": 0.5417, "exact_match,flexible": 0.75, "exact_match,maj@4": 0.9583}, abs=5e-5
    )
    one = assay.evaluate_items(SUMS_A, scorer="exact_match", filter="strict").only
    assert len(one.scores.items) == 24
    assert one.scores.repeats == (1, 1)
    assert str(one.variance.undefined).startswith("one answer for each item: the variance within")


@pytest.mark.parametrize(("path", "model"), [(INSPECT_A, "a"), (INSPECT_B, "b")], ids=["a", "b"])
def test_means_are_those_of_inspect(path: Path, model: str) -> None:
    from assay.sources.logs.archives import LogArchive

    with LogArchive(path) as archive:
        results = json.load(archive.open("header.json"))["results"]["scores"]
    of_tool = {(each["scorer"], each["name"], each["reducer"]): each["metrics"] for each in results}
    found = assay.evaluate_items(path)
    assert len(found.lines) == 4
    for line in found.lines:
        scorer, _, part = line.scores.scorer.partition(".")
        metrics = of_tool[scorer, part or scorer, "mean"]
        value = metrics.get("accuracy") or metrics.get("mean")
        assert line.estimate.value == pytest.approx(value["value"])
        if not part:
            assert line.estimate.se == pytest.approx(metrics["stderr"]["value"])
    twice = assay.evaluate_items(path, scorer="match", at=2).estimate.value
    assert twice == pytest.approx(of_tool["match", "match", "pass_at_2"]["accuracy"]["value"])
    if model == "a":
        assert round(twice, 4) == 0.9479
        assert round(assay.evaluate_items(path, scorer="match").estimate.value, 4) == 0.7708


def test_pass_at_k_is_that_of_human_eval() -> None:
    one, five = (line.estimate.value for line in assay.evaluate_items(CODE_A, at=[1, 5]).lines)
    assert one == pytest.approx(0.81)
    assert five == 1.0
    one, five, ten = (line.estimate.value for line in assay.evaluate_items(CODE_B, at=[1, 5, 10]).lines)
    assert one == pytest.approx(0.60)
    assert five == pytest.approx(0.98690, abs=5e-6)
    assert ten == 1.0


def test_pass_and_majority_are_averages_over_all_draws() -> None:
    for answers in range(1, 7):
        for right in range(answers + 1):
            marks = [1] * right + [0] * (answers - right)
            for k in range(1, answers + 1):
                draws = list(itertools.combinations(marks, k))
                some = sum(any(draw) for draw in draws) / len(draws)
                most = sum((2 * sum(draw) > k) + 0.5 * (2 * sum(draw) == k) for draw in draws) / len(draws)
                assert pass_at(right, answers, k) == pytest.approx(some)
                assert majority_at(right, answers, k) == pytest.approx(most)


def test_items_are_the_unit_and_repeats_never_multiply_them() -> None:
    answers = {"item": list(range(40)) * 5, "score": [int(k % 3 > 0) for k in range(40)] * 5}
    once = {name: values[:40] for name, values in answers.items()}
    many, few = (assay.evaluate_items(each).estimate for each in (answers, once))
    assert (many.n, many.low, many.high) == (few.n, few.low, few.high)
    assert "copies" in assay.evaluate_items(answers).only.cautions[0]


def test_clusters_widen_the_interval() -> None:
    score = [int(k // 8 % 3 > 0) for k in range(96)]
    answers = {"item": list(range(96)), "score": score, "book": [k // 8 for k in range(96)]}
    alone = assay.evaluate_items(answers).estimate
    found = assay.evaluate_items(answers, cluster="book")
    assert found.only.spread.clusters == 12
    assert found.estimate.high - found.estimate.low > 1.8 * (alone.high - alone.low)
    few = assay.evaluate_items({**answers, "book": [k // 48 for k in range(96)]}, cluster="book").estimate
    assert math.isnan(few.low)
    assert few.undefined == "2 clusters: at least 3 needed"


def test_an_item_in_two_clusters_is_refused() -> None:
    answers = {"item": [1, 1, 2], "score": [1, 0, 1], "book": ["a", "b", "a"]}
    with pytest.raises(OptionError, match="several clusters"):
        assay.evaluate_items(answers, cluster="book")


def test_errors_have_two_readings() -> None:
    line = assay.evaluate_items(INSPECT_A, scorer="match").only
    assert line.with_errors is not None
    assert line.with_errors.value == pytest.approx(0.765625)
    assert line.with_errors.value < line.estimate.value
    of_promptfoo = assay.evaluate_items(PROMPTFOO, scorer="success").lines[0]
    assert len(of_promptfoo.scores.items) == 5
    assert of_promptfoo.with_errors is not None
    assert of_promptfoo.with_errors.value == pytest.approx(of_promptfoo.estimate.value * 5 / 6)
    answers = {"item": list(range(60)), "score": [1.0] * 40 + [None] * 20, "state": ["scored"] * 40 + ["error"] * 20}
    lost = assay.evaluate_items(answers).only
    assert "conclusions depend on how errors count" in " ".join(lost.cautions)


def test_a_metric_of_the_whole_set_is_refused() -> None:
    with pytest.raises(OptionError, match="metric of the whole set"):
        assay.evaluate_items(SUMS_A, scorer="bleu")


def test_unknown_names_are_refused_with_what_was_meant() -> None:
    with pytest.raises(UnknownName, match="did you mean 'match'"):
        assay.evaluate_items(INSPECT_A, scorer="mtch")
    with pytest.raises(UnknownName, match="strict"):
        assay.evaluate_items(SUMS_A, filter="lenient")
    with pytest.raises(UnknownName, match="toy_sums"):
        assay.evaluate_items(MODEL_A, task="toy_sum")


def test_k_beyond_the_repeats_is_refused_and_names_the_item() -> None:
    with pytest.raises(OptionError, match="item '13' has 3"):
        assay.evaluate_items(INSPECT_A, scorer="match", at=4)
    with pytest.raises(OptionError, match="scores in between"):
        assay.evaluate_items(INSPECT_A, scorer="letter", at=2)
    with pytest.raises(OptionError):
        assay.evaluate_items(CODE_A, at=0)


def test_scores_beyond_0_and_1_need_their_range() -> None:
    answers = {"item": list(range(30)), "score": [1 + k % 5 for k in range(30)]}
    with pytest.raises(OptionError, match=r"range=\(1, 5\), or --range 1 5"):
        assay.evaluate_items(answers)
    found = assay.evaluate_items(answers, range=(1, 5)).estimate
    assert found.value == 3.0
    assert 1 < found.low < 3 < found.high < 5


def test_a_partial_run_needs_to_be_allowed(tmp_path: Path) -> None:
    cut = tmp_path / "run.jsonl"
    cut.write_text("".join(READABLE[-3].read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(OptionError, match="partial=True"):
        assay.evaluate_items(cut)
    assert "partial run" in assay.evaluate_items(cut, partial=True).notes[0]


def test_a_table_needs_item_and_score() -> None:
    with pytest.raises(InputError, match="no column 'item'"):
        assay.evaluate_items({"id": [1, 2], "score": [0, 1]})
    with pytest.raises(InputError, match="no score"):
        assay.evaluate_items({"item": [1, 2], "score": ["good", "bad"]})
    with pytest.raises(InputError, match="two scores"):
        assay.evaluate_items({"item": [1, 1], "repeat": [1, 1], "score": [0, 1]})
    with pytest.raises(InputError, match="holds no answers"):
        assay.evaluate_items(7)
    passed = {"name": ["x", "y"], "verdict": ["pass", "fail"]}
    assert assay.evaluate_items(passed, columns={"item": "name", "score": "verdict"}).estimate.value == 0.5


def test_a_file_is_read_by_the_names_of_its_columns() -> None:
    columns = {"item": "item", "score": "judge", "model": "model"}
    found = assay.evaluate_items(JUDGE, columns=columns, cluster="passage")
    assert {line.scores.model: round(line.estimate.value, 3) for line in found.lines} == {"a": 0.795, "b": 0.73}
    assert [line.spread.clusters for line in found.lines] == [100, 100]


def test_a_line_of_several_is_never_pooled() -> None:
    found = assay.evaluate_items(SUMS_A)
    with pytest.raises(OptionError, match="there are 3 lines"):
        _ = found.estimate


def test_the_split_of_variance_recovers_what_made_the_answers() -> None:
    rng = np.random.default_rng(5)
    chance = rng.beta(2, 2, 4_000)
    scores = [(rng.random(6) < p).astype(float) for p in chance]
    means = np.array([each.mean() for each in scores])
    split = variance_split(scores, spread_of(means))
    assert split.within == pytest.approx(np.mean(chance * (1 - chance)), rel=0.03)
    assert split.between == pytest.approx(0.05, rel=0.08)
    assert split.se() == pytest.approx(spread_of(means).se, rel=1e-6)


@pytest.mark.parametrize("n", [2, 5, 30])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_limits_hold_the_mean_and_stay_in_range(n: int, level: float) -> None:
    rng = np.random.default_rng(n)
    for values in (np.zeros(n), np.ones(n), rng.random(n), np.full(n, 0.5), (rng.random(n) < 0.5).astype(float)):
        for clusters in (None, [str(k % max(3, n // 2)) for k in range(n)]):
            spread = spread_of(values, clusters)
            if spread.undefined is None:
                low, high = mean_limits(spread, level)
                assert 0 <= low <= spread.mean <= high <= 1
                assert low < high


def test_a_simulation_in_brief_holds_the_level() -> None:
    """Item difficulty has spikes at 0 and 1, where t on the items covers .70; `verification/items.py` has the rest."""
    rng = np.random.default_rng(20261119)
    inside = 0
    for _ in range(600):
        difficulty = rng.choice([0.0, 0.97, 1.0], 40, p=[0.02, 0.08, 0.9])
        means = rng.binomial(4, difficulty) / 4
        low, high = mean_limits(spread_of(means), 0.95)
        inside += low <= 0.08 * 0.97 + 0.9 <= high
    assert inside / 600 > 0.93


def test_results_show_themselves(tmp_path: Path) -> None:
    found = assay.evaluate_items(INSPECT_A, scorer="match")
    text = " ".join(repr(found).split())
    assert "16 items; 3 to 4 answers per item" in text
    assert "With errors counted as incorrect: 0.766" in text
    assert "<table" in found._repr_html_()
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "match: 0.771" in page
    assert "<script src" not in page


def test_hostile_names_are_escaped_on_the_page(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>\x1b[2J"
    answers: dict[str, Any] = {"item": list(range(30)), "score": [k % 2 for k in range(30)], "model": [name] * 30}
    found = assay.evaluate_items(answers)
    found.report(tmp_path / "page.html")
    assert "<script>alert" not in (tmp_path / "page.html").read_text()
    assert "\x1b" not in repr(found)


def test_read_log_of_a_folder_has_every_task() -> None:
    table = assay.read_log(MODEL_A)
    assert set(table.columns["task"]) == {"toy_sums", "toy_sums_once", "toy_colours", "toy_animals"}
    assert len(read_answers(MODEL_A)) == 4
    assert len(read_answers(SUMS_B)[0]) == 24
