"""Class names and the positive class.

What rows are called goes with them, is held only where it was asked for, and changes no number.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.reading import from_arrays

import assay
from assay.errors import InputError
from assay.predictions import Predictions
from assay.request import Request
from assay.sources import from_file, from_frame
from assay.sources.column_inference import infer
from assay.sources.labels import label_name, settle
from assay.sources.model_join import from_joined

pandas: Any = pytest.importorskip("pandas")


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([True, np.True_, "True", "true", " TRUE "], "True"),
        ([1, np.int8(1), 1.0, np.float32(1), "1", "1.0", "1.", "+1", Decimal("1.00"), b"1"], "1"),
        ([0, -0.0, "-0", "0.00"], "0"),
        ([-1, "-1.0"], "-1"),
        ([0.5, np.float32(0.5), "0.5"], "0.5"),
        (["spam", " spam\t", b"spam", np.str_("spam")], "spam"),
        (["007"], "007"),
        (["1e3"], "1e3"),
        (["1,0"], "1,0"),
        (
            [
                None,
                float("nan"),
                np.float32("nan"),
                pandas.NA,
                pandas.NaT,
                "",
                " ",
                "NA",
                "n/a",
                "NaN",
                "null",
                "None",
                "?",
            ],
            None,
        ),
    ],
)
def test_a_class_goes_by_one_name_whatever_it_came_from(values: list[Any], name: str | None) -> None:
    assert [label_name(value) for value in values] == [name] * len(values)


@pytest.mark.parametrize(
    ("truth", "predicted", "positive", "expected"),
    [
        (["0", "1"], [], None, ("0", "1")),
        (["-1", "1"], [], None, ("-1", "1")),
        (["False", "True"], [], None, ("False", "True")),
        (["neg", "pos"], [], None, ("neg", "pos")),
        (["Negative", "Positive"], [], None, ("Negative", "Positive")),
        (["No", "yes"], [], None, ("No", "yes")),
        (["N", "Y"], [], None, ("N", "Y")),
        (["F", "T"], [], None, ("F", "T")),
        (["+", "-"], [], None, ("-", "+")),
        (["0", "1"], [], 0, ("1", "0")),
        (["0", "1"], [], True, ("0", "1")),
        (["False", "True"], [], 1, ("False", "True")),
        (["ham", "spam"], [], "spam", ("ham", "spam")),
        (["ham", "spam"], [], " ham", ("spam", "ham")),
        (["0"], [], None, ("0", "1")),
        (["1"], [], None, ("0", "1")),
        (["-1"], [], None, ("-1", "1")),
        (["YES"], [], None, ("NO", "YES")),
        (["True"], [], None, ("False", "True")),
        (["1"], ["-1", "1"], None, ("-1", "1")),
        (["ham"], ["ham", "spam"], "spam", ("ham", "spam")),
        (["ham"], [], "ham", ("not ham", "ham")),
        (["ham"], [], "spam", ("ham", "spam")),
    ],
)
def test_the_classes_are_settled(
    truth: list[str], predicted: list[str], positive: Any, expected: tuple[str, str]
) -> None:
    classes = settle(truth, predicted, positive, column="y", rows=100)
    assert (classes.names, classes.inferred) == (expected, positive is None)


@pytest.mark.parametrize(
    ("truth", "positive", "rows", "sentence"),
    [
        (
            ["ham", "spam"],
            None,
            9,
            (
                "'y' holds 'ham' and 'spam'; needed: which class is positive; pass one of:\n"
                "  positive='spam'\n  positive='ham'"
            ),
        ),
        (
            ["1", "2"],
            None,
            9,
            "'y' holds '1' and '2'; needed: which class is positive; pass one of:\n  positive='2'\n  positive='1'",
        ),
        (
            ["ham"],
            None,
            9,
            (
                "'y' holds only 'ham'; needed: which class is positive; if it is another one, classes names both; "
                "pass positive='ham'"
            ),
        ),
        (
            ["ham", "spam"],
            "Ham",
            9,
            "'y' holds 'ham' and 'spam', not 'Ham'; needed: a positive class among these; pass positive='ham'",
        ),
        (
            ["0", "1"],
            "yes",
            9,
            (
                "'y' holds '0' and '1', not 'yes'; needed: a positive class among these; pass one of:\n"
                "  positive='0'\n  positive='1'"
            ),
        ),
        (
            ["a", "b", "c"],
            "B",
            9,
            "'y' holds 'a', 'b', 'c', not 'B'; needed: a positive class among these; pass positive='b'",
        ),
        (
            list("abcde"),
            None,
            5,
            (
                "'y' holds 5 different values in 5 rows ('a', 'b', 'c' and 2 more), which looks like an id "
                "or a measurement, not classes; needed: a column of classes"
            ),
        ),
        (
            [str(i) for i in range(21)],
            None,
            41,
            (
                "'y' holds 21 different values in 41 rows ('0', '1', '2' and 18 more), "
                "which looks like an id or a measurement, not classes; needed: a column of classes"
            ),
        ),
        (
            [str(i / 10) for i in range(21)],
            None,
            900,
            (
                "'y' holds 21 different values in 900 rows ('0.0', '0.1', '0.2' and 18 more), "
                "which looks like an id or a measurement, not classes; needed: a column of classes"
            ),
        ),
        ([], None, 3, "'y' is missing in every row; needed: a true label for each case"),
    ],
)
def test_the_positive_class_is_never_guessed(truth: list[str], positive: Any, rows: int, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        settle(truth, [], positive, column="y", rows=rows)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("truth", "known", "expected"),
    [
        (["a", "c", "b"], [], ["a", "b", "c"]),
        (["10", "9", "-1"], [], ["-1", "9", "10"]),
        (["10", "9", "x"], [], ["10", "9", "x"]),
        (["1", "1.5", "2"], [], ["1", "1.5", "2"]),
        (["b", "a"], ["c", "b", "a"], ["c", "b", "a"]),
        (["b", "a"], ["c"], ["a", "b", "c"]),
        (["a"], ["c", "b", "a"], ["c", "b", "a"]),
        ([str(i) for i in range(30)], [], [str(i) for i in range(30)]),
        ([f"{i:03d}" for i in range(1000)], [], [f"{i:03d}" for i in range(1000)]),
    ],
)
def test_many_classes_stand_in_their_own_order_and_none_is_positive(
    truth: list[str], known: list[str], expected: list[str]
) -> None:
    classes = settle(truth, [], None, column="y", rows=2 * len(truth), known=known)
    assert (classes.names, classes.inferred, classes.are_many) == (tuple(expected), False, True)


def test_a_second_class_may_be_known_though_it_never_occurs() -> None:
    assert settle(["ham"], ["other"], "spam", column="y", rows=9, known=["spam", "ham"]).names == ("ham", "spam")


def test_one_of_many_classes_stands_against_the_rest() -> None:
    classes = settle(["a", "b", "c"], [], "b", column="y", rows=9)
    assert (classes.names, classes.against) == (("a", "b", "c"), "b")


def test_the_rarer_class_is_offered_first_whatever_the_alphabet() -> None:
    with pytest.raises(InputError) as caught:
        settle(["ham", "spam"], [], None, column="y", rows=10, sizes=lambda: {"ham": 2, "spam": 8})
    assert str(caught.value).splitlines()[1:] == [
        "  positive='ham'    20.0 %, 2 rows",
        "  positive='spam'   80.0 %, 8 rows",
    ]


TEXT = np.dtypes.StringDType()
LONG = "case,model,target,score\n1,a,0,.2\n2,a,1,.7\n3,a,1,\n2,b,1,.6\n3,b,1,.9\n1,b,0,.1\n"


def ids_of(predictions: Predictions) -> list[str] | None:
    return None if predictions.id is None else predictions.id.tolist()


def file(folder: Path, data: str, name: str = "a.csv") -> Path:
    (folder / name).write_text(data, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(
    ("choices", "held", "design"),
    [
        (Request(), None, {"id": "id"}),
        (Request(keep_ids=True), ["x", "y"], {}),
        (Request(id="case"), ["7", "8"], {}),
        (Request(id="case", keep_ids=False), None, {"id": "case"}),
        (Request(ignore=("id",), keep_ids=True), None, {}),
    ],
)
def test_ids_are_held_only_where_they_were_asked_for(
    tmp_path: Path, choices: Request, held: list[str] | None, design: dict[str, str]
) -> None:
    path = file(tmp_path, "id,case,target,score\nx,7,0,.1\ny,8,1,.4\n")
    for reading in (from_file(path, choices), from_frame(pl.read_csv(path), choices)):
        assert ids_of(reading.models["model"]) == held
        assert reading.source.design == design
        assert ("id" in reading.source.columns) == (held is not None)


@given(st.lists(st.tuples(st.text(min_size=1, max_size=4), st.booleans()), min_size=1, max_size=20))
def test_an_id_stays_with_its_row(rows: list[tuple[str, bool]]) -> None:
    names, kept = [f"{name}." for name, _ in rows], np.array([is_kept for _, is_kept in rows])
    kept[0] = True
    place = np.arange(len(rows), dtype=float)
    found = from_arrays([0] * len(rows), place, id=names, positive=0).models["model"]
    assert ids_of(found) == [name.encode("utf-8", "backslashreplace").decode() for name in names]
    part = found.only(kept)
    assert part.score is not None
    assert ids_of(part) == [ids_of(found)[int(row)] for row in part.score]  # type: ignore[index]


def test_ids_are_frozen_text_and_none_is_missing() -> None:
    rows: dict[str, Any] = {"classes": ("0", "1"), "truth": np.array([0, 1]), "score": np.array([0.1, 0.2])}
    assert Predictions(**rows, id=np.array(["a", "a"])).id is not None
    with pytest.raises(ValueError, match="read-only"):
        Predictions(**rows, id=np.array(["a", "b"], TEXT)).id[0] = "c"  # type: ignore[index]
    for wrong, why in ((np.array([1, 2]), "int64"), (np.array(["a"]), "1 ids"), (np.array(["a", ""]), "row 2")):
        with pytest.raises(InputError, match=why):
            Predictions(**rows, id=wrong)


@pytest.mark.parametrize(
    "ids",
    [
        pl.Series([1.0, 2.0, 2.5]),
        np.array([1.0, 2.0, 2.5], np.float32),
        pa.chunked_array([[1.0, 2.0], [2.5]]),
    ],
)
def test_a_whole_number_has_no_point(tmp_path: Path, ids: Any) -> None:
    columns = {"target": [0, 1, 1], "score": [0.1, 0.2, 0.3]}
    frame = pl.DataFrame({"case": list(np.asarray(ids, float)), **columns})
    frame.write_parquet(tmp_path / "a.parquet")
    found = [
        from_arrays(columns["target"], columns["score"], id=ids),
        *(from_frame(one, Request(id="case")) for one in (frame, frame.to_pandas(), frame.to_arrow())),
        from_file(tmp_path / "a.parquet", Request(id="case")),
    ]
    assert [ids_of(reading.models["model"]) for reading in found] == [["1", "2", "2.5"]] * len(found)


def test_a_file_is_quoted_to_the_letter(tmp_path: Path) -> None:
    path = file(tmp_path, 'id,target,score\n007,0,.1\n1.0,1,.2\n" x ",0,.3\nTRUE,1,.4\n')
    assert ids_of(from_file(path, Request(keep_ids=True)).models["model"]) == ["007", "1.0", " x ", "TRUE"]


@pytest.mark.parametrize("missing", ["refuse", "drop"])
def test_a_row_without_an_id_is_refused_and_never_dropped(tmp_path: Path, missing: str) -> None:
    path = file(tmp_path, "id,target,score\nx,0,.1\n,1,.2\nNA,0,.3\n")
    sources: list[Any] = [path, pl.read_csv(path), pl.read_csv(path).to_pandas()]
    for source in sources:
        with pytest.raises(InputError, match=r"row 2: the id in 'id' is missing \(2 rows of 3 .*ignore='id'"):
            assay.evaluate(source, keep_ids=True, missing=missing)
        with pytest.raises(InputError, match=r"an id in every row$"):
            assay.evaluate(source, id="id", missing=missing)
        assert assay.evaluate(source, missing=missing).n == 3
    with pytest.raises(InputError, match=r"row 2: .* in every row$"):
        assay.evaluate([0, 1], [0.1, 0.2], id=np.ma.array(["a", "b"], mask=[False, True]), missing=missing)


def test_a_row_that_is_left_out_needs_no_id(tmp_path: Path) -> None:
    path = file(tmp_path, "id,target,score\n1152921504606846977,0,.1\n,,.2\n3,1,.3\n")
    choices = Request(keep_ids=True, missing="drop")
    for reading in (from_file(path, choices), from_frame(pl.read_csv(path), choices)):
        assert ids_of(reading.models["model"]) == ["1152921504606846977", "3"]


def test_each_model_and_each_subgroup_has_its_own(tmp_path: Path) -> None:
    lines = LONG.replace("3,a,1,\n", "3,a,1,.4\n").split()
    path = file(tmp_path, "\n".join([f"{lines[0]},site", *(f"{line},{line[0] > '1'}" for line in lines[1:])]))
    models = assay.evaluate_models(path, id="case", by="site")
    found = {name: ids_of(ev.predictions) for name, ev in models.items() if ev.predictions is not None}
    assert found == {"a": ["1", "2", "3"], "b": ["2", "3", "1"]}
    parts = [ev.subgroups["True"].predictions for ev in models.values()]
    assert [ids_of(part) for part in parts if part is not None] == [["2", "3"], ["2", "3"]]


def test_one_class_of_many_keeps_them() -> None:
    ev = assay.evaluate(["a", "b", "c"], y_pred=["a", "c", "c"], id=[5, 6, 7]).against("c")
    assert ev.predictions is not None
    assert ids_of(ev.predictions) == ["5", "6", "7"]


@pytest.mark.parametrize("choices", [Request(), Request(truth="y_true", score=("score",))])
def test_to_name_an_id_changes_no_other_role(choices: Request) -> None:
    columns = ["y_true", "score", "patient", "weight", "fold", "dataset"]
    without = infer(columns, choices)
    for name in ("patient", "fold"):
        found = infer(columns, Request(truth=choices.truth, score=choices.score, id=name))
        assert found.used == {**without.used, "id": name}
        assert (found.truth, found.models, found.design) == (without.truth, without.models, without.design)
    # But what is called as scores are, and is said to be an id, holds no scores.
    assert infer([*columns, "p"], Request(id="p")).models == infer(columns, Request()).models


@pytest.mark.parametrize(
    ("choices", "held"),
    [(Request(id="case"), ["1", "2"]), (Request(id="case", keep_ids=False), None)],
)
def test_joined_models_share_them(tmp_path: Path, choices: Request, held: list[str] | None) -> None:
    one = file(tmp_path, "case,target,score\n1,0,.2\n2,1,.7\n9,1,.4\n", "one.csv")
    pl.DataFrame({"case": [2.0, 1.0], "target": ["1", "0"], "p": [0.6, 0.1]}).write_parquet(tmp_path / "two.parquet")
    found = from_joined([one, tmp_path / "two.parquet"], choices)
    assert {name: ids_of(model) for name, model in found.reading.models.items()} == {"one": held, "two": held}
    assert found.unmatched == {"one": 1, "two": 0}


def test_one_file_of_several_models_says_its_own_columns(tmp_path: Path) -> None:
    path = file(tmp_path, LONG)
    cmp = assay.compare(path, id="case", missing="drop")
    for ev in cmp.models.values():
        assert ev.source.columns == {"truth": "target", "score": "score", "model": "model", "id": "case"}
        assert ev.predictions is not None
        assert ids_of(ev.predictions) == ["1", "2"]
    assert cmp.matched_by == "id"


def test_pairwise_models_have_those_of_their_rows() -> None:
    scores = {"a": [0.1, 0.2, 0.3], "b": [0.1, np.nan, 0.3]}
    cmp = assay.compare([0, 1, 1], scores, missing="pairwise", id=["x", "y", "z"])
    found = [ids_of(ev.predictions) for ev in cmp.models.values() if ev.predictions is not None]
    assert found == [["x", "y", "z"], ["x", "z"]]


def test_ids_that_come_again_are_counted_in_arrays() -> None:
    ev = assay.evaluate([0, 1, 1], [0.1, 0.2, 0.3], id=["x", "y", "x"])
    assert ev.source.duplicates == 1
    assert "A112" in [caution.code for caution in ev.cautions]
