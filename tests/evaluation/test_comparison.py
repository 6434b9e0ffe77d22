"""Models that lack answers of some cases, compared by all the cases there are: from arrays, frames and files.

The answer of a comparison: a primary measure, secondary ones adjusted among themselves, and cautions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.comparison import Verdict, bonferroni, in_family
from assay.errors import InputError, OptionError
from assay.evaluation import Comparison

RNG = np.random.default_rng(24)
N = 240
TRUTH = (np.arange(N) * 7 % 5 < 2).astype(int)
SCORES: dict[str, Any] = {
    name: np.round(1 / (1 + np.exp(-RNG.normal(gap * TRUTH - 1, 1))), 4)
    for name, gap in {"good": 2.0, "fair": 1.2, "poor": 0.7}.items()
}
SCORES["good"][:50], SCORES["fair"][30:90], SCORES["poor"][200:] = np.nan, np.nan, np.nan
TWO = {name: SCORES[name] for name in ("good", "fair")}
OPTIONS: dict[str, Any] = {"missing": "pairwise"}
FRAME = pd.DataFrame({"id": [f"c{k:03}" for k in range(N)], "target": TRUTH}).join(
    pd.DataFrame({f"score__{name}": values for name, values in SCORES.items()})
)


def limits(cmp: assay.Comparison, measure: str = "roc_auc") -> list[float]:
    return [end for d in cmp.differences(measure) for end in (d.value, d.low, d.high, d.p_value)]


def of_files(folder: Path) -> list[Path]:
    """A file a model, each in an order of its own and without the cases it lacks."""
    paths = []
    for name in SCORES:
        own = FRAME[["id", "target"]].assign(score=FRAME[f"score__{name}"]).dropna()
        paths.append(folder / f"{name}.csv")
        own.sample(frac=1, random_state=len(paths)).to_csv(paths[-1], index=False)
    return paths


def test_arrays_frames_files_and_joined_files_give_the_same(tmp_path: Path) -> None:
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    FRAME.to_csv(wide, index=False)
    rows = FRAME.melt(["id", "target"], var_name="model", value_name="score").dropna()
    rows.assign(model=rows["model"].str.removeprefix("score__")).to_csv(long, index=False)
    usual = assay.compare(TRUTH, SCORES, **OPTIONS)
    assert usual.shared_cases is not None
    assert usual.shared_cases.cases == {"good": 190, "fair": 180, "poor": 200}
    assert usual.shared_cases.pairs == {("good", "fair"): 150, ("good", "poor"): 150, ("fair", "poor"): 140}
    for source in (FRAME, wide, long, of_files(tmp_path)):
        found = assay.compare(source, **OPTIONS)
        assert found.shared_cases == usual.shared_cases
        assert limits(found) == pytest.approx(limits(usual), abs=1e-9)


def test_each_model_is_judged_by_its_own_cases_and_their_area_by_all_of_them() -> None:
    cmp = assay.compare(TRUTH, TWO, **OPTIONS)
    for name, score in TWO.items():
        here = ~np.isnan(score)
        alone = assay.evaluate(TRUTH[here], score[here]).roc_auc
        assert cmp.models[name].roc_auc.to_dict() == alone.to_dict()
    difference = cmp.difference("roc_auc", "good", "fair")
    assert difference.value == pytest.approx(cmp.models["good"].roc_auc.value - cmp.models["fair"].roc_auc.value)
    assert difference.method.startswith("partially paired")
    # More is known than from the cases that both have.
    fewer = assay.compare(TRUTH, TWO, missing="drop")
    assert difference.high - difference.low < fewer.difference("roc_auc", "good", "fair").half_width * 2


def test_decisions_are_compared_on_the_cases_that_both_have() -> None:
    cmp, fewer = (assay.compare(TRUTH, TWO, missing=how) for how in ("pairwise", "drop"))
    found, usual = (each.difference("accuracy", "good", "fair") for each in (cmp, fewer))
    assert (found.low, found.high, found.n) == (usual.low, usual.high, 150)
    assert found.method.endswith("shared cases")
    labels = {name: np.where(np.isnan(score), None, (score >= 0.5).astype(int)) for name, score in TWO.items()}
    by_label = assay.compare(TRUTH, y_pred=labels, **OPTIONS)
    assert by_label.difference("accuracy", "good", "fair").low == found.low
    weight = np.linspace(1, 2, N)
    costs = [assay.compare(TRUTH, TWO, missing=how, weight=weight) for how in ("pairwise", "drop")]
    one, other = (each.cost_difference("good", "fair") for each in costs)
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_where_nothing_is_missing_it_is_the_usual_comparison() -> None:
    full = {name: np.nan_to_num(score, nan=0.5) for name, score in TWO.items()}
    cmp = assay.compare(TRUTH, full, **OPTIONS)
    assert cmp.shared_cases is None
    assert limits(cmp) == limits(assay.compare(TRUTH, full))


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_order_of_rows_and_cases_that_nobody_has_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    usual = limits(assay.compare(TRUTH, TWO, **OPTIONS))
    order, extra = rng.permutation(N), rng.integers(1, 20)
    truth = np.concatenate((rng.integers(0, 2, extra), TRUTH[order]))
    scores = {name: np.concatenate((np.full(extra, np.nan), score[order])) for name, score in TWO.items()}
    assert limits(assay.compare(truth, scores, **OPTIONS)) == pytest.approx(usual, abs=1e-9)


def test_subgroups_are_partly_paired_too() -> None:
    site = np.where(np.arange(N) % 3 == 0, "x", "y")
    cmp = assay.compare(TRUTH, TWO, by=site, **OPTIONS)
    table = cmp.by_subgroup("roc_auc", "good", "fair")
    for row, name in enumerate("xy"):
        here = site == name
        alone = assay.compare(TRUTH[here], {k: v[here] for k, v in TWO.items()}, level=0.975, **OPTIONS)
        assert table.columns["low"][row] == pytest.approx(alone.difference("roc_auc", "good", "fair").low)


def test_equal_truths_of_other_cases_are_not_taken_for_the_same_cases() -> None:
    """Each lacks another positive, so that both hold the same classes in the same order."""
    first, second = (score.copy() for score in (np.nan_to_num(s, nan=0.4) for s in TWO.values()))
    one, other = np.flatnonzero(TRUTH == 1)[:2]
    first[one], second[other] = np.nan, np.nan
    truth = np.sort(TRUTH)[::-1]
    cmp = assay.compare(truth, {"a": first, "b": second}, **OPTIONS)
    assert any(caution.code == "A304" for caution in cmp.cautions())
    with pytest.raises(OptionError, match="not all models are on the same cases"):
        cmp.cheapest()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"cluster": np.arange(N) // 2}, "missing is 'pairwise', and rows have clusters"),
        ({"fold": np.arange(N) % 5}, "missing is 'pairwise', and rows have folds"),
    ],
)
def test_what_depends_is_refused_by_name(options: dict[str, Any], error: str) -> None:
    with pytest.raises(InputError, match=error):
        assay.compare(TRUTH, TWO, **OPTIONS, **options)


@pytest.mark.parametrize("method", ["bootstrap", "hanley-mcneil", "obuchowski"])
def test_methods_that_need_every_answer_are_refused_by_name(method: str) -> None:
    cmp = assay.compare(TRUTH, TWO, **OPTIONS)
    with pytest.raises(OptionError, match=r"both have scored|lack cases that others have"):
        cmp.difference("roc_auc", "good", "fair", method=method)
    for test in (cmp.tests.cochran_q, lambda: cmp.tests.redelmeier("good", "fair")):
        with pytest.raises(OptionError, match=r"lack cases that others have.*missing='drop'"):
            test()


def test_a_model_without_any_answer_and_rows_that_nothing_matches_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'none' has no prediction in any row"):
        assay.compare(TRUTH, {**TWO, "none": np.full(N, np.nan)}, **OPTIONS)
    path = tmp_path / "long.csv"
    rows = FRAME.melt(["id", "target"], var_name="model", value_name="score").dropna().drop(columns="id")
    rows.to_csv(path, index=False)
    with pytest.raises(OptionError, match="nothing tells which rows are the same case"):
        assay.compare(path, **OPTIONS)


def test_files_that_contradict_one_another_about_a_case_are_refused(tmp_path: Path) -> None:
    """Also where the first file lacks the case."""
    paths = of_files(tmp_path)
    poor = pd.read_csv(paths[2])
    poor.loc[poor["id"] == "c010", "target"] = 1 - TRUTH[10]
    poor.to_csv(paths[2], index=False)
    with pytest.raises(InputError, match="case 'c010' has one truth for 'fair' and another for 'poor'"):
        assay.compare(paths, **OPTIONS)


def test_rows_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    FRAME.to_csv(path, index=False)
    with pytest.raises(OptionError, match="missing is 'pairwise', but the rows do not fit into memory"):
        assay.compare(path, memory="1kB", **OPTIONS)


ANSWER_RNG = np.random.default_rng(5)
ANSWER_TRUTH = ANSWER_RNG.random(500) < 0.4
ANSWER_SCORES = {
    name: 1 / (1 + np.exp(-(gap * ANSWER_TRUTH - 1 + ANSWER_RNG.normal(size=500))))
    for name, gap in (("a", 2), ("b", 1.6), ("c", 1))
}
ANSWER_TWO = assay.compare(ANSWER_TRUTH, {name: ANSWER_SCORES[name] for name in "ab"})
THREE = assay.compare(ANSWER_TRUTH, ANSWER_SCORES)


def test_the_primary_measure_is_not_adjusted_for_the_others() -> None:
    answer = ANSWER_TWO.answer()
    (alone,), (primary,) = ANSWER_TWO.differences("roc_auc"), answer.differences["roc_auc"]
    assert (primary.low, primary.high, primary.p_value) == (alone.low, alone.high, alone.p_value)
    assert primary.family is not None
    assert (primary.family.role, primary.family.adjusted_for) == ("primary", ("roc_auc",))
    assert answer.family_words == (
        "ROC AUC, the primary measure, is not adjusted for the others; "
        "the others are adjusted for 2 secondary measures."
    )


@pytest.mark.parametrize("cmp", [ANSWER_TWO, THREE])
def test_secondary_measures_are_adjusted_among_themselves(cmp: Comparison) -> None:
    answer = cmp.answer(["roc_auc", "brier", "accuracy", "f1"])
    for name in ("brier", "accuracy", "f1"):
        further = cmp.differences(name, level=1 - 0.05 / 3)
        for found, one in zip(answer.differences[name], further, strict=True):
            assert (found.low, found.high, found.level) == (one.low, one.high, 0.95)
            assert found.p_value == bonferroni(one.p_value, 3)
            assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)
            assert found.family is not None
            assert found.family.adjusted_for == ("brier", "accuracy", "f1")
            assert found.family.pairs == len(further)
            assert "adjusted for 3 secondary measures" in str(found.adjusted)


def test_a_verdict_of_one_pair_of_three_is_adjusted_over_all_pairs() -> None:
    """Whoever looks at one pair of three chose it, as where the best is compared with the others."""
    every = {(d.first, d.second): d for d in THREE.differences("roc_auc")}
    for pair, found in every.items():
        one = THREE.verdict("roc_auc", *pair)
        assert (one.low, one.high, one.p_value) == (found.low, found.high, found.p_value)
        back = THREE.verdict("roc_auc", *reversed(pair))
        assert (back.low, back.high, back.p_value) == (-found.high, -found.low, found.p_value)
        assert (back.outcome, back.winner) == (one.outcome, one.winner)
        assert one.family is not None
        assert one.family.words == "adjusted for 3 pairs"
    up, down = (THREE.verdict("brier", "a", "c", alternative=side) for side in ("greater", "less"))
    flipped = THREE.verdict("brier", "c", "a", alternative="less")
    assert (flipped.high, flipped.p_value) == (-up.low, up.p_value)
    assert (up.winner, down.winner) == (None, "a")
    assert not any("inf" in one for one in up.cautions)


def test_more_pairs_than_a_page_shows_have_the_primary_measure_alone() -> None:
    four = assay.compare(ANSWER_TRUTH, {**ANSWER_SCORES, "d": ANSWER_SCORES["a"][::-1]})
    assert [measure.name for measure in four.answer().measures] == ["roc_auc"]
    beside = four.answer(control="a")
    assert [measure.name for measure in beside.measures] == ["roc_auc", "brier", "accuracy"]
    assert len(beside.primary) == 3


def test_labels_alone_have_accuracy_first() -> None:
    labels = {name: (score > 0.5).astype(int) for name, score in ANSWER_SCORES.items()}
    answer = assay.compare(ANSWER_TRUTH.astype(int), y_pred=labels).answer()
    assert [measure.name for measure in answer.measures] == ["accuracy", "f1"]
    assert "threshold" not in answer.headline


def test_the_headline_names_measures_and_thresholds() -> None:
    assert ANSWER_TWO.answer().headline == (
        "No significant difference in ROC AUC. "
        "Secondary measures: no significant difference in Brier score and accuracy at threshold 0.50."
    )
    assert (
        assay.compare(ANSWER_TRUTH, {name: ANSWER_SCORES[name] for name in "ac"})
        .answer()
        .headline.startswith(
            "a has a significantly higher ROC AUC than c. Secondary measures: a has the better Brier score"
        )
    )
    evs = assay.evaluate_models(ANSWER_TRUTH, {name: ANSWER_SCORES[name] for name in "ab"})
    moved = assay.compare({"a": evs["a"].at(0.3), "b": evs["b"].at(0.45)})
    assert " accuracy at thresholds 0.30 and 0.45" in moved.answer(["accuracy"]).headline


def test_of_several_pairs_what_is_not_significant_is_said_once() -> None:
    answer = THREE.answer()
    assert answer.headline == (
        "a has a significantly higher ROC AUC than c. b has a significantly higher ROC AUC than c. "
        "No other significant difference in ROC AUC. "
        "Secondary measures: a has a significantly lower Brier score than c. "
        "b has a significantly lower Brier score than c. No other significant difference in Brier score. "
        "a has a significantly higher accuracy at threshold 0.50 than c. "
        "b has a significantly higher accuracy at threshold 0.50 than c. "
        "No other significant difference in accuracy at threshold 0.50."
    )
    brief = " ".join(str(THREE.models).split())
    assert "Secondary measures: a has the best Brier score and is significantly better than 1 of 2 others" in brief
    assert "the others are adjusted for 2 secondary measures and 3 pairs." in brief


def test_a_margin_is_about_the_measures_that_are_named() -> None:
    assert [
        one.margin for one in (*ANSWER_TWO.answer(margin=0.1).primary, *ANSWER_TWO.answer(margin=0.1).secondary)
    ] == [
        0.1,
        None,
        None,
    ]
    named = ANSWER_TWO.answer(["roc_auc", "brier"], margin=0.1)
    assert [one.margin for one in (*named.primary, *named.secondary)] == [0.1, 0.1]


def test_a_named_method_tests_the_primary_measure_alone() -> None:
    assert [measure.name for measure in ANSWER_TWO.answer(method="delong").measures] == ["roc_auc"]
    assert [measure.name for measure in ANSWER_TWO.answer(non_inferior=True, margin=0.1).measures] == ["roc_auc"]


def crossing() -> Comparison:
    """Two models with ROC curves that cross, one of which has the significantly larger area."""
    rng = np.random.default_rng(2)
    truth = rng.random(2000) < 0.4
    wide = rng.normal(truth * 2.6, np.where(truth, 1, 2.2))
    narrow = rng.normal(truth * 1.0, np.where(truth, 1.0, 0.5))
    return assay.compare(truth, {"wide": wide, "narrow": narrow})


def test_curves_that_cross_are_cautioned_of_wherever_a_verdict_is_shown() -> None:
    cmp = crossing()
    verdict = cmp.verdict("roc_auc", "wide", "narrow")
    assert verdict.outcome == "better"
    (message,) = (one.message for one in cmp.cautions("roc_auc") if one.code == "A303")
    for text in (str(cmp), repr(cmp), str(verdict), repr(verdict), repr(cmp.answer())):
        assert f"A303  {message}" in text
    for page in (cmp._repr_html_(), verdict._repr_html_()):
        assert "A303" in page
    assert any("A303" in one for one in verdict.to_dict()["cautions"])
    # Nothing of the kind about a measure at one threshold, and of a third model nothing that is not about it.
    assert "A303" not in str(cmp.verdict("brier", "wide", "narrow") if cmp.applies("brier") else "")


def test_a_verdict_has_the_cautions_about_its_own_pair() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(2000) < 0.4
    wide = rng.normal(truth * 2.6, np.where(truth, 1, 2.2))
    narrow = rng.normal(truth * 1.0, np.where(truth, 1.0, 0.5))
    cmp = assay.compare(truth, {"wide": wide, "narrow": narrow, "wider": 2 * wide + rng.normal(size=2000)})

    def codes(found: Verdict) -> set[str]:
        return {one.split()[0] for one in found.cautions}

    assert "A303" in codes(cmp.verdict("roc_auc", "wide", "narrow"))
    assert "A303" not in codes(cmp.verdict("roc_auc", "wide", "wider"))


def test_a_family_of_one_difference_says_nothing() -> None:
    (found,) = in_family(ANSWER_TWO.differences("roc_auc"), 0.95)
    assert found.family is not None
    assert found.family.words == ""
    assert found.adjusted is None


def test_a_measure_that_is_named_twice_counts_once() -> None:
    answer = ANSWER_TWO.answer(["roc_auc", "brier", "auc", "brier_score"])
    assert [measure.name for measure in answer.measures] == ["roc_auc", "brier"]
    (family,) = {one.family for one in answer.secondary}
    assert family is not None
    assert family.words == "adjusted for 1 secondary measure"
