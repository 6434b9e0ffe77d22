"""Gates: four outcomes by definition, on files and arrays, and differences case by case."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import assay
from assay.errors import AssayError
from assay.results import Estimate
from assay.testing import Gate, Outcome, RequirementError, parse
from assay.testing.gates import judge, status_of
from assay.testing.language import COMPARED, CheckedQuantity, Demand
from assay.uncertainty import PROPORTION_METHODS

Write = Callable[..., Path]
Columns = dict[str, list[Any]]
NAN = math.nan
numbers = st.floats(-2, 2).map(lambda x: round(x, 2))


def estimate(low: float, value: float, high: float, undefined: str | None = None) -> Estimate:
    return Estimate("recall", value, low, high, 0.95, "Wilson", 50, undefined=undefined)


def status(demand: str, low: float, value: float, high: float) -> str:
    return judge(parse(demand).demands[0], estimate(low, value, high, "why"), "Recall", rows=100).status


@given(st.tuples(numbers, numbers, numbers).map(sorted), numbers, st.sampled_from(list(COMPARED)))
def test_the_outcome_is_whether_all_some_or_none_of_the_interval_keeps_the_bound(
    limits: list[float], bound: float, operator: str
) -> None:
    low, value, high = limits
    demand = Demand(CheckedQuantity("recall"), operator, bound)
    found = judge(demand, estimate(low, value, high), "Recall", rows=100)
    points = [*np.linspace(low, high, 41), low, high, value, *([bound] if low <= bound <= high else [])]
    kept = {bool(COMPARED[operator](point, bound)) for point in points}
    assert found.status == ("inconclusive" if len(kept) == 2 else "pass" if kept == {True} else "fail")
    for limit, number in (("low", low), ("value", value), ("high", high)):
        one = judge(
            Demand(CheckedQuantity("recall", limit), operator, bound), estimate(low, value, high), "Recall", rows=9
        )
        assert one.status == ("pass" if COMPARED[operator](number, bound) else "fail")


@pytest.mark.parametrize(
    ("demand", "expected"),
    [
        ("recall >= 0.6", "pass"),
        ("recall > 0.6", "inconclusive"),
        ("recall > 0.8", "fail"),
        ("recall >= 0.8", "inconclusive"),
        ("recall <= 0.8", "pass"),
        ("recall < 0.8", "inconclusive"),
        ("recall < 0.6", "fail"),
        ("recall <= 0.6", "inconclusive"),
        ("recall.low >= 0.6", "pass"),
        ("recall.low > 0.6", "fail"),
        ("recall.value > 0.7", "fail"),
        ("recall.high < 0.81", "pass"),
    ],
)
def test_bounds_that_are_met_exactly(demand: str, expected: str) -> None:
    assert status(demand, 0.6, 0.7, 0.8) == expected


def test_what_has_no_number_cannot_be_judged_and_says_why() -> None:
    for demand in ("recall > 0.5", "recall.low > 0.5", "recall.value > 0.5", "recall.high > 0.5"):
        assert status(demand, NAN, NAN, NAN) == "unjudged"
    for demand in ("recall > 0.5", "recall.low > 0.5", "recall.high > 0.5"):
        assert status(demand, NAN, 0.9, NAN) == "unjudged"
    assert status("recall.value > 0.5", NAN, 0.9, NAN) == "pass"
    assert status("recall.value < 0.5", NAN, 0.9, NAN) == "fail"
    found = judge(parse("recall > 0.5").demands[0], estimate(NAN, 0.9, NAN, "too few"), "Recall", rows=9)
    assert found.sentence == (
        "Recall is 0.900 (no interval: too few). The requirement cannot be evaluated; needed: predictions for which "
        "there is an interval, another measure, or recall.value, which looks at the estimate alone."
    )
    undefined = judge(parse("recall > 0.5").demands[0], estimate(NAN, NAN, NAN, "no positives"), "Recall", rows=9)
    assert undefined.sentence.startswith(
        "Recall is undefined: no positives. The requirement cannot be evaluated; needed:"
    )
    one_end = judge(parse("recall > 0.5").demands[0], estimate(0.1, 0.9, NAN, "no upper end"), "Recall", rows=9)
    assert one_end.status == "unjudged"
    assert found.to_dict()["found"]["low"] is None


def test_how_many_more_rows_comes_from_the_width_and_not_from_the_effect() -> None:
    """The same interval asks for the same number of rows wherever in it the bound lies."""
    said = {
        judge(Demand(CheckedQuantity("recall"), ">=", bound), estimate(0.6, 0.7, 0.8), "R", rows=100).sentence.split(
            ". "
        )[1]
        for bound in (0.61, 0.7, 0.79)
    }
    assert len(said) == 1
    assert said.pop().startswith("About 300 more rows like these would halve the width of the interval")
    only = judge(Demand(CheckedQuantity("recall", "low"), ">=", 0.7), estimate(0.6, 0.7, 0.8), "R", rows=100)
    assert "more rows" not in only.sentence


def test_how_often_a_share_at_its_bound_fails_and_passes_is_what_the_page_says() -> None:
    """Summed over every count that a sample can hold: nothing here is simulated."""
    page = (Path(__file__).parents[2] / "docs" / "gates.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d,]+) \| ([\d.]+) % \| ([\d.]+) % \|$", page, re.M)
    assert [n for n, _, _ in rows] == ["10", "50", "200", "1,000", "5,000"]
    bounds = np.linspace(0.5, 0.98, 97)
    for cases, fails, passes in rows:
        n = int(cases.replace(",", ""))
        low, high = np.array([PROPORTION_METHODS["Wilson"](k, n, 0.95) for k in range(n + 1)]).T
        weight = binom.pmf(np.arange(n + 1), n, bounds[:, None])
        failed, passed = ((weight * hit).sum(1).max() for hit in (high < bounds[:, None], low >= bounds[:, None]))
        assert (f"{100 * failed:.1f}", f"{100 * passed:.1f}") == (fails, passes)


def test_digits_show_on_which_side_of_the_bound_a_number_lies() -> None:
    sentence = judge(parse("recall.value >= 0.8").demands[0], estimate(0.7, 0.79999, 0.9), "R", rows=9).sentence
    assert "0.79999 [0.70000, 0.90000]" in sentence
    assert "is not at least 0.8" in sentence


@given(st.lists(st.sampled_from(["pass", "fail", "inconclusive", "unjudged"])))
def test_the_worst_decides(statuses: list[str]) -> None:
    found = status_of(statuses)
    assert (found == "fail") == ("fail" in statuses)
    assert (found == "pass") == (set(statuses) <= {"pass"})
    assert (found == "unjudged") == ("unjudged" in statuses and "fail" not in statuses)


def test_and_needs_both(columns: Columns) -> None:
    gate = Gate.of(columns["target"], columns["good"])
    between = assay.evaluate(columns["target"], columns["good"]).roc_auc.value
    demands = {"pass": "roc_auc >= 0.5", "fail": "roc_auc >= 0.99", "inconclusive": f"roc_auc > {between}"}
    for first, one in demands.items():
        assert gate.check(one)[0].status == first
        for second, other in demands.items():
            (outcome,) = gate.check(f"{one} and {other}")
            assert outcome.status == status_of([first, second])
            assert [finding.status for finding in outcome.findings] == [first, second]


def test_the_numbers_are_those_of_evaluate(columns: Columns, write: Write) -> None:
    path = write("p.csv", {"target": columns["target"], "score": columns["good"], "site": columns["site"]})
    ev = assay.evaluate(path, by="site", level=0.9, threshold=0.3)
    gate = Gate.of(path, by="site", level=0.9, threshold=0.3)
    for text, found in {
        "sensitivity > 0": ev.recall,
        "brier > 0": ev.brier,
        'recall["0"] > 0': ev.per_class["0"]["recall"],
        'roc_auc in "north" > 0': ev.subgroups["north"].roc_auc,
        'precision["1"].low in "south" > 0': ev.subgroups["south"].per_class["1"]["precision"],
    }.items():
        assert gate.check(text)[0].findings[0].found.to_dict() == found.to_dict()


def test_one_class_of_many() -> None:
    truth, pred = list("abcabcabca") * 10, list("abcabbabca") * 10
    ev = assay.evaluate(truth, y_pred=pred)
    gate = Gate.of(truth, y_pred=pred)
    assert gate.check('recall["c"] < 0.9')[0].findings[0].found.to_dict() == ev.per_class["c"]["recall"].to_dict()
    assert gate.check("macro_f1 > 0.5")[0].findings[0].found.to_dict() == ev.macro_f1.to_dict()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("recall > 0.5", 'write recall["CLASS"], or macro_recall'),
        ("delta(recall, base.csv) > 0", "a difference applies to a measure of all classes, such as macro_recall"),
        ('recall["d"] > 0.5', "there is no class 'd'; the classes are 'a', 'b', 'c'"),
        ('accuracy["a"] > 0.5', "accuracy does not apply to one class here"),
        ('accuracy in "north" > 0.5', "--by COLUMN"),
    ],
)
def test_a_requirement_that_does_not_fit_the_data_is_marked(text: str, words: str) -> None:
    gate = Gate.of(list("abcabc"), y_pred=list("abcabb"))
    with pytest.raises(RequirementError, match=r"\^") as caught:
        gate.check(f"accuracy > 0 and {text}")
    assert words in caught.value.sentence
    assert caught.value.place == len("accuracy > 0 and ")


def test_a_subgroup_that_is_not_there_is_named(columns: Columns) -> None:
    gate = Gate.of(columns["target"], columns["good"], by=columns["site"])
    with pytest.raises(RequirementError, match="no subgroup 'west'; it has 'north', 'south'"):
        gate.check('roc_auc in "west" > 0.5')


def test_labels_have_no_area_and_say_so() -> None:
    (outcome,) = Gate.of([0, 1] * 40, y_pred=[0, 1] * 40, positive=1).check("roc_auc > 0.5 and accuracy > 0.9")
    assert outcome.status == "unjudged"
    assert outcome.sentence.startswith("ROC AUC is undefined: there are labels but no scores. The requirement cannot")
    assert "Accuracy is 1.000" in outcome.sentence


def test_several_models_are_checked_each(columns: Columns) -> None:
    gate = Gate.of(columns["target"], {"good": columns["good"], "poor": columns["poor"]})
    found = gate.check("roc_auc > 0.85")
    assert [(outcome.model, outcome.status) for outcome in found] == [("good", "pass"), ("poor", "fail")]


def in_files(columns: Columns, write: Write, rows: list[int], *, with_id: bool) -> tuple[Path, Path]:
    kept = {"id": columns["id"]} if with_id else {}
    new = write("new.csv", {**kept, "target": columns["target"], "score": columns["good"]})
    base = {**kept, "target": columns["target"], "score": columns["poor"]}
    return new, write("base.csv", {name: [values[i] for i in rows] for name, values in base.items()})


def delta(new: Path, base: Path, measure: str = "roc_auc", **options: Any) -> Outcome:
    (outcome,) = Gate.of(new, **options).check(f'delta({measure}, "{base}") >= -0.01')
    return outcome


@pytest.mark.parametrize("measure", ["roc_auc", "accuracy", "recall", "brier", "f1"])
def test_a_difference_is_that_of_compare_whichever_way_cases_are_matched(
    columns: Columns, write: Write, measure: str
) -> None:
    expected = assay.compare(columns["target"], {"a": columns["good"], "b": columns["poor"]}).difference(
        measure, "a", "b"
    )
    order = np.random.default_rng(1).permutation(400).tolist()
    for with_id, rows in ((False, list(range(400))), (True, order)):
        outcome = delta(*in_files(columns, write, rows, with_id=with_id), measure)
        found: Any = outcome.findings[0].found
        assert (found.value, found.low, found.high, found.p_value) == pytest.approx(
            (expected.value, expected.low, expected.high, expected.p_value), abs=1e-12
        )
        assert f"matched by {'id' if with_id else 'the order of the rows'}" in outcome.sentence


def test_only_cases_that_both_have_are_compared(columns: Columns, write: Write) -> None:
    new, base = in_files(columns, write, list(range(20, 400)), with_id=True)
    outcome = delta(new, base)
    assert outcome.findings[0].found.n == 380
    other = delta(new, base, id="id")
    assert other.sentence == outcome.sentence


def test_rows_that_cannot_be_matched_are_refused(columns: Columns, write: Write) -> None:
    new, base = in_files(columns, write, list(range(20, 400)), with_id=False)
    with pytest.raises(AssayError, match=r"has 380 rows and 'new.csv' has 400; needed: the same cases"):
        delta(new, base)
    shuffled = np.random.default_rng(1).permutation(400).tolist()
    with pytest.raises(AssayError, match="do not hold the same true classes in the same order"):
        delta(*in_files(columns, write, shuffled, with_id=False))
    base = write("other.csv", {"id": columns["id"], "target": columns["target"], "score": columns["poor"]})
    with pytest.raises(AssayError, match=r"has a column of ids and 'new.csv' has none"):
        delta(new, base)
    with pytest.raises(AssayError, match="no column id"):
        delta(base, new)


def test_rows_that_were_dropped_leave_no_order_to_match_by(columns: Columns, write: Write) -> None:
    """Each file without another row of the same class: the truths agree and the cases do not."""
    positives = [place for place, y in enumerate(columns["target"]) if y == 1]
    paths = []
    for name, gap in zip(("new.csv", "base.csv"), positives, strict=False):
        score = [*columns["good"]]
        score[gap] = ""
        paths.append(write(name, {"target": columns["target"], "score": score}))
    with pytest.raises(AssayError, match="no longer match by their order"):
        delta(paths[0], paths[1], missing="drop")


def test_weights_of_arrays_hold_for_the_base_too(columns: Columns, write: Write) -> None:
    weight = np.linspace(0.5, 2, 400)
    base = write("base.csv", {"target": columns["target"], "score": columns["poor"]})
    (outcome,) = Gate.of(columns["target"], columns["good"], weight=weight).check(f"delta(brier, {base}) < 0.01")
    scores = {"a": columns["good"], "b": columns["poor"]}
    expected = assay.compare(columns["target"], scores, weight=weight).difference("brier", "a", "b")
    found: Any = outcome.findings[0].found
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))
    unweighted = assay.compare(columns["target"], scores).difference("brier", "a", "b")
    assert abs(found.value - unweighted.value) > 1e-4


def test_subgroups_leave_the_weights_of_a_difference_as_they_are_for_one_classifier(
    columns: Columns, write: Write
) -> None:
    shared = {"id": columns["id"], "target": columns["target"], "site": columns["site"]}
    shared |= {"weight": np.linspace(0.5, 9, 400).tolist()}
    new = write("new.csv", {**shared, "score": columns["good"]})
    base = write("base.csv", {**shared, "score": columns["poor"]})
    parted: Any = delta(new, base, "brier", by="site").findings[0].found
    weighted = assay.evaluate(new, by="site").brier.value - assay.evaluate(base, by="site").brier.value
    assert parted.value == pytest.approx(weighted)
    assert parted.value == pytest.approx(delta(new, base, "brier").findings[0].found.value)


def test_models_of_a_base_are_paired_by_name(columns: Columns, write: Write) -> None:
    """Two files of the same two models, by id and by order."""
    for with_id in (True, False):
        kept = {"id": columns["id"]} if with_id else {}
        wide = {"score__a": columns["good"], "score__b": columns["poor"]}
        new = write("new.csv", {**kept, "target": columns["target"], **wide})
        swapped = {"score__b": columns["good"], "score__a": columns["poor"]}
        base = write("base.csv", {**kept, "target": columns["target"], **swapped})
        found = Gate.of(new).check(f"delta(roc_auc, {base}) >= 0")
        assert [(outcome.model, outcome.status) for outcome in found] == [("a", "pass"), ("b", "fail")]
        foreign = write(
            "foreign.csv",
            {**kept, "target": columns["target"], "score__x": columns["good"], "score__y": columns["poor"]},
        )
        with pytest.raises(AssayError, match="needed: one, or one called 'a'"):
            Gate.of(new).check(f"delta(roc_auc, {foreign}) >= 0")


def test_a_difference_that_has_no_test_cannot_be_judged(columns: Columns, write: Write) -> None:
    outcome = delta(*in_files(columns, write, list(range(400)), with_id=False), "h_measure")
    assert outcome.status == "unjudged"
    assert "the covariance of two values on the same cases is unknown" in outcome.sentence
    assert ".value, which looks at the estimate alone" in outcome.sentence
    labels = write("labels.csv", {"target": columns["target"], "pred": columns["target"]})
    base = write("base.csv", {"target": columns["target"], "score": columns["poor"]})
    assert " is undefined: there are labels but no scores. The requirement cannot" in delta(labels, base).sentence


def test_a_file_of_models_in_a_column_is_not_joined(columns: Columns, write: Write) -> None:
    half = {"id": columns["id"], "model": ["a"] * 400, "target": columns["target"], "score": columns["good"]}
    new = write("long.csv", half)
    with pytest.raises(AssayError, match="one column of scores for each model"):
        delta(new, new)


def test_counts_have_no_cases_to_compare(columns: Columns, write: Write) -> None:
    gate = Gate(None, {"": assay.from_counts(tp=9, fn=1, fp=1, tn=9)})
    base = write("base.csv", {"target": columns["target"], "pred": columns["target"]})
    assert gate.check("accuracy.value >= 0.9")[0].status == "pass"
    with pytest.raises(AssayError, match="counts and no rows"):
        gate.check(f"delta(accuracy, {base}) > 0")


def test_clusters_ask_for_more_clusters(columns: Columns) -> None:
    cluster = [i // 4 for i in range(400)]
    value = assay.evaluate(columns["target"], columns["good"]).accuracy.value
    (outcome,) = Gate.of(columns["target"], columns["good"], cluster=cluster).check(f"accuracy > {value}")
    (more,) = re.findall(r"About ([\d,]+) more rows like these, in new clusters, would", outcome.sentence)
    # With more clusters the t distribution is narrower too, so that it takes less than four times as many.
    assert 1050 <= int(more.replace(",", "")) <= 1200


def test_a_classifier_at_the_bound_is_rarely_passed_or_failed() -> None:
    """Each of the two at most 2.5 % of the time, but for Wilson's error and chance (2,000 draws: 3 errors are 1 %)."""
    rng = np.random.default_rng(11)
    requirement = parse("accuracy > 0.8")
    seen = []
    for tp, tn in rng.binomial(100, 0.8, (2_000, 2)).tolist():
        ev = assay.from_counts(tp=tp, fn=100 - tp, fp=100 - tn, tn=tn)
        seen.append(Gate(None, {"": ev}).check(requirement)[0].status)
    for status in ("pass", "fail"):
        assert 0.01 < seen.count(status) / 2_000 < 0.04


def test_relative_bases_are_found_from_where_one_stands(
    columns: Columns, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, base = in_files(columns, write, list(range(400)), with_id=False)
    monkeypatch.chdir(base.parent)
    assert os.path.relpath(base) == "base.csv"
    (outcome,) = Gate.of(new).check("delta(roc_auc, base.csv) > 0")
    assert outcome.status == "pass"
    assert "ROC AUC minus that of base.csv is" in outcome.sentence


@pytest.mark.parametrize("wanted", ["roc_auc >= 0.5", "roc_auc.value >= 0.55", "roc_auc.low >= 0.5", "roc_auc < 0.4"])
def test_what_cells_leave_open_decides_nothing(wanted: str) -> None:
    """Hidden cases could lie anywhere: what holds with the others in the middle of their cells need not hold."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 120)
    score = 1 / (1 + np.exp(-rng.normal(1.2 * truth, 1)))
    exact, hidden = assay.reduce(truth, score), assay.reduce(truth, score, least=8)
    (sure,), (open_,) = (Gate(None, each.evaluations()).check(wanted) for each in (exact, hidden))
    assert (sure.status, open_.status) == ("fail" if "<" in wanted and "=" not in wanted else "pass", "inconclusive")
    assert "but not for all scores within the binning bounds" in open_.sentence
    assert "; in cells " in open_.sentence
    assert "in cells" not in sure.sentence
