"""Parts that somebody else made: columns, splitters, files of their own, and the folds of KEEL."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import PredefinedSplit, RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from assay.errors import InputError, OptionError
from assay.experiments import experiment, plans
from assay.experiments.datasets import dataset_of
from assay.experiments.plans import plan_of
from assay.experiments.splitting import parts_of_column, parts_of_splitter

RNG = np.random.default_rng(3)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] + RNG.normal(size=120) > 0).astype(int)
FOLD = np.arange(120) % 4 + 1
ROLE = np.array(["train", "train", "validation", "test"])[FOLD - 1]


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": Y, **columns})


def test_a_column_of_folds_is_scikit_learns_predefined_split() -> None:
    splits = parts_of_column(FOLD, "fold")
    theirs = list(PredefinedSplit(FOLD).split())
    for mine, (train, test) in zip(splits, theirs, strict=True):
        assert mine.train.tolist() == train.tolist()
        assert mine.test.tolist() == test.tolist()
    always = np.where(FOLD == 4, -1, FOLD)
    assert [split.test.tolist() for split in parts_of_column(always, "fold")] == [
        test.tolist() for _, test in PredefinedSplit(always).split()
    ]
    texts = parts_of_column(np.array([f"fold {k}" for k in FOLD % 11 + 9], dtype=object), "fold")
    assert [int(FOLD[split.test][0]) for split in texts] == [1, 2, 3, 4]  # 10 comes after 9


def test_the_same_cells_by_column_plan_and_splitter() -> None:
    by_column = experiment({"d": frame(fold=FOLD)}, "nb", plans.given("fold"), jobs=1)
    by_splitter = experiment({"d": frame()}, "nb", PredefinedSplit(FOLD), jobs=1)
    by_data = experiment(dataset_of(frame(fold=FOLD), name="d", split="fold"), "nb", jobs=1)
    own = cross_val_score(GaussianNB(), X, Y, cv=PredefinedSplit(FOLD))
    for study in (by_column, by_splitter, by_data):
        assert study.fold_scores("d", "nb").values.tolist() == pytest.approx(own.tolist())
        assert study.plan.kind == "given"
    assert by_column.evaluation("d", "nb").n == 120
    assert "fold" not in by_column.given[0][0].feature_names  # type: ignore[index]


def test_folds_have_an_interval_only_where_they_are_said_to_be_random() -> None:
    data = {"d": frame(fold=np.arange(120) % 6)}
    plain, drawn = (experiment(data, "nb", plans.given("fold", random=flag), jobs=1) for flag in (False, True))
    assert "random splits" in str(plain.estimate("d", "nb").undefined)
    found = drawn.estimate("d", "nb")
    assert found.low < found.value < found.high
    assert math.isnan(plain.compare("d", "nb", "dummy").columns["low"][0])
    assert not math.isnan(drawn.compare("d", "nb", "dummy").columns["low"][0])
    named = plain.compare("d", "nb", "dummy", method="corrected-t").columns
    assert named["low"] == drawn.compare("d", "nb", "dummy").columns["low"][:1]
    assert "not verified" in named["note"][0]


def test_a_column_of_train_validation_and_test_is_all_three() -> None:
    study = experiment({"d": frame(split=ROLE)}, ["nb", "pruned_tree"], plans.given("split"), jobs=1)
    assert study.validates
    flow = study.flow("d").table().columns
    assert dict(zip(flow["part"], flow["cases"], strict=True)) == {"train": 60, "validation": 30, "test": 30}
    assert study.winner("d").corrected.n == 30
    two = experiment(
        {"d": frame(split=np.where(ROLE == "validation", "Train", ROLE))}, "nb", plans.given("split"), jobs=1
    )
    assert not two.validates
    assert two.estimates("d", "nb").columns["method"] == ["Wilson"]  # of the one model


def test_a_splitter_that_repeats_is_numbered_by_repeats() -> None:
    found = parts_of_splitter(RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), X, Y, None)
    assert [(split.repeat, split.fold) for split in found] == [(r, f) for r in range(2) for f in range(3)]


class Overlapping:
    """A splitter of the tests that tests on what it learned from."""

    def get_n_splits(self) -> int:
        return 1

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:  # noqa: N803
        yield np.arange(len(X)), np.arange(5)


@pytest.mark.parametrize(
    ("plan", "columns", "words"),
    [
        (plans.given("fold"), {}, "data set 'd' has no column 'fold'"),
        (plans.given("fold"), {"fold": np.where(FOLD == 1, math.nan, FOLD)}, "is missing in 30 rows"),
        (plans.given("fold"), {"fold": np.ones(120)}, "has the same value '1.0' in every row"),
        (plans.given("split"), {"split": ["train"] * 120}, "has no row with 'test'"),
        (plans.given(), {}, "the data set has no given parts"),
        (PredefinedSplit([0, 1]), {}, "PredefinedSplit has 2 cases, but there are 120"),
        (Overlapping(), {}, "split 1 of Overlapping tests on training cases"),
    ],
)
def test_parts_that_cannot_be_are_refused(plan: Any, columns: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        experiment({"d": frame(**columns)}, "nb", plan, run=False)


def test_parts_beside_another_plan_are_refused() -> None:
    data = dataset_of(frame(fold=FOLD), name="d", split="fold")
    with pytest.raises(InputError, match=r"the data set has its own parts, but the plan is '3 folds, stratified'"):
        experiment(data, "nb", plans.kfold(3), run=False)
    with pytest.raises(InputError, match=r"has its own parts, and the plan is a splitter"):
        experiment(data, "nb", PredefinedSplit(FOLD), run=False)
    with pytest.raises(InputError, match=r"split cannot be used with the prepared data set 'iris'"):
        experiment("iris", "nb", plans.given("fold"), run=False)
    with pytest.raises(OptionError, match=r"given\(\) takes no int"):
        plans.given(3)
    groups = {"d": (X, Y, np.arange(120) // 3)}
    with pytest.raises(InputError, match=r"separate cases of a group"):
        experiment(groups, "nb", PredefinedSplit(FOLD), run=False)


def test_a_plan_of_a_column_is_read_back() -> None:
    plan = plans.given("fold", random=True)
    assert plan.to_dict() == {"kind": "given", "column": "fold", "random": True}
    assert plan_of(plan.to_dict()) == plan


def test_a_test_set_in_a_file_of_its_own(tmp_path: Path) -> None:
    whole = frame(kind=np.array(["u", "v"])[FOLD % 2])
    files = {name: tmp_path / f"{name}.csv" for name in ("train", "validation", "test")}
    for name, path in files.items():
        whole[name == ROLE].to_csv(path, index=False)
    data = dataset_of(files["train"], target="y", test=files["test"], validation=files["validation"])
    assert len(data) == 120
    assert data.splits is not None
    (split,) = data.splits
    assert split.validation is not None
    assert [len(part) for part in (split.train, split.validation, split.test)] == [60, 30, 30]
    whole.drop(columns="b").to_csv(files["test"], index=False)
    with pytest.raises(InputError, match=r"column 'b' of data set 'train' is not in its test file"):
        dataset_of(files["train"], target="y", test=files["test"])
    with pytest.raises(InputError, match=r"validation needs test"):
        dataset_of(files["train"], target="y", validation=files["validation"])


HEAD = """@relation toy
@attribute a real [-4.0, 4.0]
@attribute kind {u, v}
@attribute Class {no, yes}
@inputs a, kind
@outputs Class
@data
"""


def keel(folder: Path, folds: int = 5) -> np.ndarray:
    """KEEL's files of a toy data set; the values of its feature, by fold."""
    folder.mkdir()
    lines = [f"{x:.6f}, {'uv'[k % 2]}, {'yes' if y else 'no'}" for k, (x, y) in enumerate(zip(X[:, 0], Y, strict=True))]
    lines[0] = lines[0].replace("u", "<null>", 1)
    for fold in range(folds):
        for part, rows in (("tst", range(fold, 120, folds)), ("tra", [k for k in range(120) if k % folds != fold])):
            (folder / f"toy-{folds}-{fold + 1}{part}.dat").write_text(HEAD + "\n".join(lines[k] for k in rows))
    return np.concatenate([X[fold::folds, 0] for fold in range(folds)])


def test_keels_parts_are_the_folds(tmp_path: Path) -> None:
    wanted = keel(tmp_path / "toy")
    data = dataset_of(tmp_path / "toy")
    assert data.name == "toy"
    assert data.classes == ("no", "yes")
    assert data.feature_names == ("a", "kind=u", "kind=v")
    assert data.numbers[:, 0] == pytest.approx(wanted, abs=1e-6)
    assert data.splits is not None
    assert [len(split.test) for split in data.splits] == [24] * 5
    assert data.numbers[data.splits[0].test[0], 1:].tolist() == [0.0, 0.0]  # missing text is no value
    one = dataset_of(tmp_path / "toy" / "toy-5-3tra.dat")
    assert one.hash == data.hash
    study = experiment(tmp_path / "toy", "nb", plans.given(random=True), jobs=1)
    assert len(study.fold_scores("toy", "nb").values) == 5
    assert not math.isnan(study.estimate("toy", "nb").low)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda f: (f / "toy-5-2tst.dat").unlink(), "fold 2 of .* has no tst file"),
        (lambda f: (f / "toy-5-2tst.dat").write_text(HEAD), "are not the test cases of the other folds"),
        (lambda f: (f / "toy-5-2tst.dat").write_text("@relation x\n@data\n"), "declares no attribute"),
        (lambda f: (f / "toy-5-2tst.dat").write_text(HEAD + "1.0, u"), "has 2 values for 3 attributes"),
        (lambda f: (f / "toy-5-2tst.dat").write_text("hello\n"), "is 'hello'"),
        (lambda f: (f / "other-5-1tst.dat").write_text(HEAD), "has files of other-5 and toy-5"),
        (lambda f: (f / "toy-5-2tst.dat").write_bytes(b"\xff\xfe\x00"), "is not UTF-8 text"),
        (lambda f: (f / "toy-5-2tst.dat").write_text(HEAD.replace("Class\n@d", "Klasse\n@d")), "names 'Klasse'"),
    ],
)
def test_keels_files_that_do_not_fit_are_one_sentence(tmp_path: Path, spoil: Any, words: str) -> None:
    keel(tmp_path / "toy")
    spoil(tmp_path / "toy")
    with pytest.raises(InputError, match=words):
        dataset_of(tmp_path / "toy")


def test_a_single_keel_file_is_a_data_set_without_parts(tmp_path: Path) -> None:
    (tmp_path / "toy.dat").write_text(HEAD + "1.0, u, yes\n2.0, v, no\n?, u, no\n")
    data = dataset_of(tmp_path / "toy.dat")
    assert (data.splits, len(data), math.isnan(data.numbers[2, 0])) == (None, 3, True)


def test_columns_that_are_no_features_are_left_out(tmp_path: Path) -> None:
    days = [f"2024-{k // 28 + 1:02d}-{k % 28 + 1:02d}" for k in range(120)]
    frame(Date=days).to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(InputError, match=r"has 120 different texts.*pass ignore='Date'"):
        experiment({"name": "p", "path": str(tmp_path / "p.csv")}, "nb", plans.kfold(3), run=False)
    study = experiment({"p": frame(Date=days)}, "nb", plans.kfold(3), ignore="Date", run=False)
    assert study.given is not None
    assert study.given[0][0].feature_names == ("a", "b", "c")
    with pytest.raises(InputError, match=r"ignore cannot be used with the prepared data set 'iris'"):
        experiment("iris", "nb", ignore="petal", run=False)
