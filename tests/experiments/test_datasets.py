"""Data sets: from every source the same numbers and codes, and a plain word where that cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from sklearn import datasets as bundled

from assay.errors import InputError
from assay.experiments.datasets import BUNDLED, OURS, dataset_of, datasets_of

COLUMNS: dict[str, list[Any]] = {
    "size": [1.5, None, 3.0, 4.0],
    "colour": ["red", "blue", None, "red"],
    "id": ["a", "b", "c", "d"],
    "kind": ["ham", "spam", "spam", "ham"],
}
CSV = "size,colour,id,kind\n1.5,red,a,ham\nNA,blue,b,spam\n3,?,c,spam\n4.0,red,d,ham\n"
ARFF = """@relation mail
@attribute size numeric
@attribute colour {red,blue}
@attribute id {a,b,c,d}
@attribute kind {ham,spam}
@data
1.5,red,a,ham
?,blue,b,spam
3,?,c,spam
4,red,d,ham
"""


@pytest.mark.parametrize("name", sorted({*BUNDLED} - {*OURS}))
def test_a_bundled_data_set_is_scikit_learns(name: str) -> None:
    found, theirs = dataset_of(name), getattr(bundled, f"load_{name}")()
    assert (found.features == theirs.data).all()
    assert (found.target == theirs.target).all()
    assert list(found.classes) == [str(label) for label in theirs.target_names]
    assert found.feature_names == tuple(str(feature) for feature in theirs.feature_names)


def sources(folder: Path) -> dict[str, Any]:
    (folder / "mail.csv").write_text(CSV)
    (folder / "mail.arff").write_text(ARFF)
    frame = polars.DataFrame(COLUMNS)
    frame.write_parquet(folder / "mail.parquet")
    return {
        "csv": folder / "mail.csv",
        "arff": str(folder / "mail.arff"),
        "parquet": folder / "mail.parquet",
        "pandas": pandas.DataFrame(COLUMNS),
        "polars": frame,
        "lazy": frame.lazy(),
    }


@pytest.mark.parametrize("source", ["csv", "arff", "parquet", "pandas", "polars", "lazy"])
def test_every_source_gives_the_same_numbers(source: str, tmp_path: Path) -> None:
    found = dataset_of(sources(tmp_path)[source], name="mail", target="kind", positive="ham", ignore=["id"])
    assert found.feature_names == ("size", "colour=blue", "colour=red")
    expected = [[1.5, 0, 1], [np.nan, 1, 0], [3, 0, 0], [4, 0, 1]]
    np.testing.assert_array_equal(found.features, expected)
    assert found.classes == ("spam", "ham")
    assert found.target.tolist() == [1, 0, 0, 1]
    assert not found.positive_inferred


def test_the_class_of_an_arff_file_is_its_last_attribute(tmp_path: Path) -> None:
    assert dataset_of(sources(tmp_path)["arff"], ignore=["id"]).classes == ("ham", "spam")


def test_arrays_and_groups() -> None:
    found = dataset_of(([[1, 2], [3, 4], [5, 6]], ["b", "a", "c"], ["x", "y", "x"]))
    assert found.classes == ("a", "b", "c")
    assert found.target.tolist() == [1, 0, 2]
    assert found.groups is not None
    assert found.groups.tolist() == [0, 1, 0]


def test_the_fingerprint_is_that_of_the_numbers_and_not_of_the_name() -> None:
    features, target = np.arange(8.0).reshape(4, 2), [0, 1, 0, 1]
    one = dataset_of((features, target), name="one")
    assert one.hash == dataset_of((features.copy(), target), name="other").hash
    changed = features.copy()
    changed[3, 1] = 7.5
    assert one.hash != dataset_of((changed, target)).hash
    assert one.hash != dataset_of((features, [1, 0, 0, 1])).hash
    assert one.hash != dataset_of((features, target, [0, 0, 1, 1])).hash


def test_several_data_sets() -> None:
    pair = (np.arange(4.0).reshape(4, 1), [0, 1, 0, 1])
    assert [one.name for one in datasets_of({"mine": pair, "flowers": "iris"})] == ["mine", "flowers"]
    assert [one.name for one in datasets_of(["iris", {"name": "wine"}])] == ["iris", "wine"]
    assert [one.name for one in datasets_of(pair)] == ["data"]


REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no target": (
        pandas.DataFrame({"a": [1, 2], "b": [1, 2]}),
        {},
        "no label column for data set .*target, one of 'a', 'b'",
    ),
    "unknown column": (pandas.DataFrame({"a": [1, 2]}), {"target": "z"}, "no column 'z'; needed: one of 'a'"),
    "one class": (([[1.0], [2.0]], ["a", "a"]), {"positive": "a"}, "one class"),
    "no feature": (pandas.DataFrame({"y": [0, 1]}), {}, "no column besides 'y'"),
    "missing class": (pandas.DataFrame({"a": [1, 2, 3], "y": ["x", None, "z"]}), {}, "column 'y' of data set 'frame'"),
    "lengths": (([[1.0], [2.0]], [0, 1, 1]), {}, "3 and 2 rows"),
    "no table": (([1.0, 2.0], [0, 1]), {}, "shape"),
    "no frame": (17, {}, "an object of type int is not a data set"),
    "no file": ("nowhere.csv", {}, "nowhere.csv"),
    "a record": ({"name": "iris", "color": 1}, {}, "has 'color'"),
    "not bundled": ({"name": "irises"}, {}, "no data set 'irises' is bundled"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_what_is_needed(case: str) -> None:
    given, options, message = REFUSED[case]
    with pytest.raises(InputError, match=message):
        dataset_of(given, **options)


def test_a_file_whose_text_is_an_id_is_refused(tmp_path: Path) -> None:
    pandas.DataFrame({"a": [f"{i}x" for i in range(200)], "y": [0, 1] * 100}).to_csv(tmp_path / "ids.csv", index=False)
    with pytest.raises(InputError, match=r"200 different texts.*ignore='a'"):
        dataset_of(tmp_path / "ids.csv")


def test_two_data_sets_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="duplicate data set name 'iris'"):
        datasets_of(["iris", "iris"])
