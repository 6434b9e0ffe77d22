"""Models that lack answers of some cases, compared by all the cases there are: from arrays, frames and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import InputError, OptionError

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
    assert usual.shared is not None
    assert usual.shared.cases == {"good": 190, "fair": 180, "poor": 200}
    assert usual.shared.pairs == {("good", "fair"): 150, ("good", "poor"): 150, ("fair", "poor"): 140}
    for source in (FRAME, wide, long, of_files(tmp_path)):
        found = assay.compare(source, **OPTIONS)
        assert found.shared == usual.shared
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
    assert cmp.shared is None
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
    with pytest.raises(InputError, match="'none' has no answer in any row"):
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
    with pytest.raises(OptionError, match="missing is 'pairwise', and the rows do not fit into memory"):
        assay.compare(path, memory="1kB", **OPTIONS)
