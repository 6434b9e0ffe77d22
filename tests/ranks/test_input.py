"""Results from every shape they come in, and what is said where they cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.errors import InputError, OptionError
from assay.ranks import ResultTable, rank_algorithms
from assay.ranks.input import Columns, results_of
from assay.results import Table

WIDE: dict[str, list[Any]] = {"dataset": ["iris", "wine", "glass"], "tree": [0.95, 0.9, 0.7], "knn": [0.96, 0.97, 0.6]}
LONG: dict[str, list[Any]] = {
    "Data set": [name for name in WIDE["dataset"] for _ in range(2)],
    "Learner": ["tree", "knn"] * 3,
    "accuracy": [0.95, 0.96, 0.9, 0.97, 0.7, 0.6],
}
VALUES = [[0.95, 0.96], [0.9, 0.97], [0.7, 0.6]]


def csv_of(columns: dict[str, list[Any]], path: Path, delimiter: str = ",") -> Path:
    rows = [delimiter.join(columns), *(delimiter.join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


SHAPES: dict[str, Any] = {
    "mapping": lambda columns, path: columns,
    "table": lambda columns, path: Table(columns),
    "pandas": lambda columns, path: pd.DataFrame(columns),
    "polars": lambda columns, path: pl.DataFrame(columns),
    "arrow": lambda columns, path: pa.table(columns),
    "csv": lambda columns, path: csv_of(columns, path / "results.csv"),
    "semicolons": lambda columns, path: str(csv_of(columns, path / "results.csv", ";")),
    "tabs": lambda columns, path: csv_of(columns, path / "results.tsv", "\t"),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("columns", [WIDE, LONG], ids=["wide", "long"])
def test_every_shape_holds_the_same_results(shape: str, columns: Any, tmp_path: Path) -> None:
    found = results_of(SHAPES[shape](columns, tmp_path))
    assert found.datasets == ("iris", "wine", "glass")
    assert found.algorithms == ("tree", "knn")
    assert found.values.tolist() == VALUES


def test_arrays_have_no_names() -> None:
    found = results_of(np.array(VALUES))
    assert found.datasets == ("1", "2", "3")
    assert found.algorithms == ("algorithm 1", "algorithm 2")
    assert results_of(VALUES, algorithms=["tree", "knn"]).algorithms == ("tree", "knn")


def test_results_stay_what_they_are() -> None:
    found = ResultTable(("a",), ("x", "y"), np.array([[1.0, 2.0]]))
    assert results_of(found) is found


def test_data_sets_may_have_numbers_for_names_and_columns_any_name() -> None:
    assert results_of({"dataset": [1, 2], "tree": [0.5, 0.6], "knn": [0.6, 0.7]}).datasets == ("1", "2")
    odd = {"where": ["a", "a"], "what": ["x", "y"], "auc": [0.5, 0.6], "seconds": [3, 4]}
    found = results_of(odd, columns=Columns(dataset="where", algorithm="what", value="auc"))
    assert found.values.tolist() == [[0.5, 0.6]]


def test_lower_may_be_better() -> None:
    errors = {"tree": [0.1, 0.2, 0.3], "knn": [0.2, 0.3, 0.4]}
    assert rank_algorithms(errors, better="lower").order == ("tree", "knn")
    assert rank_algorithms(errors).order == ("knn", "tree")


def folds_of(**more: Any) -> dict[str, Any]:
    """Two data sets, two algorithms, three folds."""
    keys = [(d, a, f) for d in "AB" for a in ("tree", "knn") for f in (1, 2, 3)]
    names = {"dataset": [k[0] for k in keys], "algorithm": [k[1] for k in keys], "fold": [k[2] for k in keys]}
    return {**names, "value": [0.1 * i for i in range(12)], **more}


def test_folds_are_averaged_and_kept() -> None:
    found = results_of(folds_of())
    assert found.values == pytest.approx(np.array([[0.1, 0.4], [0.7, 1.0]]))
    assert found.folds is not None
    assert found.folds.values[1] == pytest.approx(np.array([[0.6, 0.7, 0.8], [0.9, 1.0, 1.1]]))
    assert found.folds.ratio == pytest.approx([1 / 2, 1 / 2])


def test_the_ratio_is_given_or_comes_from_sizes_or_from_the_number_of_folds() -> None:
    sized = results_of(folds_of(n_train=[80] * 12, n_test=[20] * 12)).folds
    given = results_of(folds_of(), ratio=0.3).folds
    assert sized is not None
    assert given is not None
    assert sized.ratio == pytest.approx([0.25, 0.25])
    assert given.ratio == pytest.approx([0.3, 0.3])
    repeats = folds_of()
    repeats["run"] = repeats.pop("fold")
    only_repeats = results_of(repeats).folds
    assert only_repeats is not None
    assert np.isnan(only_repeats.ratio).all()


def test_folds_need_not_come_in_order() -> None:
    columns = folds_of()
    turned = {name: [values[i] for i in (5, 3, 4, 2, 0, 1, *range(6, 12))] for name, values in columns.items()}
    mine, theirs = results_of(turned), results_of(columns)
    assert mine.values[:, mine.algorithms.index("tree")] == pytest.approx(theirs.values[:, 0])
    assert mine.folds is not None
    assert mine.folds.values[0][0] - mine.folds.values[0][1] == pytest.approx([0.3, 0.3, 0.3])


def test_data_sets_that_lack_a_value_are_dropped_and_counted_where_wished() -> None:
    holes = {**WIDE, "knn": [0.96, None, 0.6]}
    found = results_of(holes, missing="drop")
    assert found.datasets == ("iris", "glass")
    assert found.dropped == 1
    lacking = {name: values[:-3] for name, values in folds_of().items()}
    short = results_of(lacking, missing="drop")
    assert short.datasets == ("A",)
    assert short.folds is not None
    assert len(short.folds.values) == 1


REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "a hole": ({**WIDE, "knn": [0.96, "?", 0.6]}, {}, "'knn' has no value on 'wine'.*missing='drop'"),
    "text": (
        {**WIDE, "knn": ["good", 0.9, 0.6]},
        {},
        "column 'knn' has 'good', which is not a number; needed: numbers",
    ),
    "infinity": ({**WIDE, "knn": [float("inf"), 0.9, 0.6]}, {}, "infinite"),
    "one algorithm": ({"dataset": ["a"], "tree": [0.5]}, {}, "1 algorithm on 1 data set"),
    "no data sets": ({"tree": [], "knn": []}, {}, "2 algorithms on 0 data sets"),
    "a data set twice": ({**WIDE, "dataset": ["iris", "iris", "glass"]}, {}, "duplicate data set name 'iris'"),
    "columns of two lengths": ({"tree": [0.5], "knn": [0.5, 0.6]}, {}, "different lengths"),
    "three dimensions": (np.zeros((2, 2, 2)), {}, "3 dimensions"),
    "names that do not fit": (VALUES, {"algorithms": ["tree"]}, "algorithms has 1 names for 2 columns"),
    "one name for two": (VALUES, {"algorithms": ["tree", "tree"]}, "duplicate algorithm name 'tree'"),
    "no such column": (
        WIDE,
        {"columns": Columns(dataset="set")},
        "unknown column 'set'; available: 'dataset', 'tree', 'knn'",
    ),
    "several values": (
        {**LONG, "auc": [0.5] * 6},
        {},
        "several columns could be the results: 'accuracy', 'auc'.*value='accuracy'",
    ),
    "a result twice": ({**LONG, "Learner": ["tree"] * 6}, {}, "'tree' has several results on 'iris'.*fold='fold'"),
    "a fold twice": (folds_of(fold=[1] * 12), {}, "several results on 'A' in fold 1.*repeat='run'"),
    "other folds": (folds_of(fold=[1, 2, 3, 1, 2, 4] * 2), {}, "'knn' has other folds of 'A'"),
    "an unknown direction": (WIDE, {"better": "more"}, "better is 'more'"),
    "an unknown way with holes": (WIDE, {"missing": "ignore"}, "missing is 'ignore'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_used_is_refused_in_one_sentence(name: str) -> None:
    table, options, words = REFUSED[name]
    with pytest.raises(InputError, match=words):
        results_of(table, **options)


FILES = {
    "empty": ("", "has no results"),
    "only names": ("dataset,tree,knn\n", "has no results"),
    "a short row": ("dataset,tree,knn\niris,0.5\n", "row 2 of .* has 2 values for 3 columns"),
    "a name twice": ("dataset,tree,tree\niris,0.5,0.6\n", "duplicate column name 'tree'"),
}


@pytest.mark.parametrize("name", FILES)
def test_broken_files(name: str, tmp_path: Path) -> None:
    text, words = FILES[name]
    path = tmp_path / "broken.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        results_of(path)


def test_files_that_are_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read nowhere\.csv: no such file"):
        results_of(tmp_path / "nowhere.csv")
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(InputError, match="not a UTF-8 text file"):
        results_of(binary)


def test_what_cannot_be_used_is_refused_by_name() -> None:
    wide = {"dataset": ["a", "b", "c"], "tree": [0.9, 0.8, 0.7], "knn": [0.8, 0.9, 0.6]}
    with pytest.raises(OptionError, match="algorithms cannot be used with a table that has column names"):
        results_of(wide, algorithms=["x", "y"])
    with pytest.raises(OptionError, match="ratio needs results by fold"):
        results_of(wide, ratio=0.1)
    settled = results_of(wide)
    assert results_of(settled) is settled
    with pytest.raises(OptionError, match="better cannot be used with a ResultTable"):
        results_of(settled, better="lower")
