"""What a file may be called and hold, and how its models are told apart."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.reading import from_arrays

from assay.errors import InputError
from assay.evidence import KERNELS
from assay.request import Request
from assay.sources import from_file, from_frame
from assay.sources.labels import label_name

TWO_ROWS = b"y_true,score\n0,.1\n1,.2\n"


def read(folder: Path, data: bytes, choices: Request | None = None, name: str = "a.csv") -> dict[str, list[object]]:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    models = from_file(folder / name, choices).models
    columns = {model: (found.truth, found.score, found.decision) for model, found in models.items()}
    return {model: [None if c is None else c.tolist() for c in found] for model, found in columns.items()}


@pytest.mark.parametrize(
    "name",
    ["we*ird [1].csv", "what?.csv", "a\\b[1].csv", "it's.csv", "{a,b}.csv", "é\n.csv", "~.csv", "target=5/id=7/a.csv"],
)
def test_a_file_is_read_as_itself_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    (tmp_path / "weXird [1].csv").write_bytes(b"y_true,score\n0,9\n1,9\n")
    (tmp_path / "we*ird 1.csv").write_bytes(b"y_true,score\n0,8\n1,8\n")
    (tmp_path / "whatx.csv").write_bytes(b"y_true,score\n0,7\n1,7\n")
    assert read(tmp_path, TWO_ROWS, name=name) == {"model": [[0, 1], [0.1, 0.2], None]}


@pytest.mark.parametrize(
    ("data", "choices", "expected"),
    [
        (b"y_true , score\n0 , .1\n 1, .2\n", Request(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,score\n0,.1\r\n1,.2\n", Request(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,score\r0,.1\r1,.2\r", Request(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,score,note\n0,.1,\n1,.2,NA\n", Request(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,score,note\n0,.1,caf\xe9\n1,.2,\n", Request(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,proba_0,proba_1\n0,.9,.1\n1,,.2\n", Request(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,proba_0,proba_1\n0,.9,.1\n1,.8,.2\n", Request(positive="0"), {"model": [[1, 0], [0.9, 0.8], None]}),
        (b"y_true,p_Yes,p_value\nno,.1,<.01\nyes,.2,.5\n", Request(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,pred\n0,0\n1,2\n1,1\n", Request(), {"model": [[0, 1, 1], None, [0, 2, 1]]}),
        (
            b"y_true,score__b,score__a,pred__a\n0,.1,.2,0\n1,.3,.4,1\n",
            Request(),
            {"b": [[0, 1], [0.1, 0.3], None], "a": [[0, 1], [0.2, 0.4], [0, 1]]},
        ),
        (
            b"y_true,score__b,score__a\n0,.1,.2\n1,.3,?\n1,.5,.6\n",
            Request(missing="drop"),
            {"b": [[0, 1], [0.1, 0.5], None], "a": [[0, 1], [0.2, 0.6], None]},
        ),
        (
            b"classifier,y_true,score\nsvm,0,.1\nbayes,1,.2\nsvm,1,.3\nbayes,0,.4\n",
            Request(),
            {"svm": [[0, 1], [0.1, 0.3], None], "bayes": [[1, 0], [0.2, 0.4], None]},
        ),
    ],
)
def test_files_are_understood(tmp_path: Path, data: bytes, choices: Request, expected: dict[str, list[object]]) -> None:
    assert read(tmp_path, data, choices) == expected


THREE_ROWS = b"y_true,p_a,p_b,p_c\na,.5,.25,.25\nc,0,0,1\nb,.2,.6,.2\n"


@pytest.mark.parametrize(
    ("data", "choices", "classes", "truth", "probability"),
    [
        (THREE_ROWS, Request(), "abc", [0, 2, 1], [[0.5, 0.25, 0.25], [0, 0, 1], [0.2, 0.6, 0.2]]),
        (
            b"y_true,p_C,p_a,P_b\na,0,1,0\nc,1,0,0\nb,0,0,1\n",
            Request(),
            "abc",
            [0, 2, 1],
            [[1, 0, 0], [0, 0, 1], [0, 1, 0]],
        ),
        # A class that never occurs but has a column is a class, and what is no probability is none.
        (
            b"y_true,p_a,p_b,p_c\na,.5,.25,.25\nb,.2,.6,.2\n",
            Request(),
            "abc",
            [0, 1],
            [[0.5, 0.25, 0.25], [0.2, 0.6, 0.2]],
        ),
        (
            b"y_true,p_a,p_c,p_b\na,.5,.25,.25\na,.2,.6,.2\n",
            Request(),
            "abc",
            [0, 0],
            [[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]],
        ),
        (
            b"y_true,p_a,p_b,p_c,p_value\na,1,0,0,.3\nb,0,1,0,.01\nc,0,0,1,<.01\n",
            Request(),
            "abc",
            [0, 1, 2],
            [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        ),
        # A score outdone by a column for each class.
        (
            b"y_true,p,p_a,p_b,p_c\na,9,1,0,0\nb,9,0,1,0\nc,9,0,0,1\n",
            Request(),
            "abc",
            [0, 1, 2],
            [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        ),
        (
            b"y_true,p_a,p_b,p_c\na,1,0,0\nb,0,,0\n,0,0,1\nc,0,0,1\n",
            Request(missing="drop"),
            "abc",
            [0, 2],
            [[1, 0, 0], [0, 0, 1]],
        ),
    ],
)
def test_many_classes_are_understood(
    tmp_path: Path, data: bytes, choices: Request, classes: str, truth: list[int], probability: list[list[float]]
) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    found = from_file(tmp_path / "a.csv", choices).models["model"]
    assert (found.classes, found.truth.tolist(), found.score) == (tuple(classes), truth, None)
    assert found.probability is not None
    assert found.probability.tolist() == probability


@pytest.mark.parametrize(
    ("data", "choices", "expected"),
    [
        (b"y_true,p_no,p_yes,p_value\nno,.5,.5,.3\nyes,.2,.8,.4\n", Request(), [0.5, 0.8]),
        (b"y_true,p_a,p_b,p_c\na,.5,.25,.25\nb,.2,.6,.2\n", Request(positive="b"), [0.25, 0.6]),
        (b"y_true,score,p_0,p_1,p_2\n0,9,1,0,3\n1,8,0,1,x\n", Request(), [9, 8]),
    ],
)
def test_two_classes_stay_two(tmp_path: Path, data: bytes, choices: Request, expected: list[float]) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    found = from_file(tmp_path / "a.csv", choices).models["model"]
    assert len(found.classes) == 2
    assert found.score is not None
    assert found.score.tolist() == expected


def test_labels_never_seen_in_truth_stay_decisions_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"y_true,pred\na,a\nb,x\nc,c\na,w\n")
    found = from_file(tmp_path / "a.csv").models["model"]
    assert found.decisions == ("a", "b", "c", "w", "x")
    assert found.decision is not None
    assert found.decision.tolist() == [0, 4, 2, 3]


def test_models_of_many_classes_in_wide_and_in_long_files(tmp_path: Path) -> None:
    wide = b"y_true,proba__x__a,proba__x__b,proba__x__c,pred__y\na,1,0,0,b\nb,0,1,0,b\nc,0,0,1,c\n"
    (tmp_path / "wide.csv").write_bytes(wide)
    found = from_file(tmp_path / "wide.csv").models
    assert [(name, p.probability is not None, p.decision is not None) for name, p in found.items()] == [
        ("x", True, False),
        ("y", False, True),
    ]
    long = b"model,y_true,p_a,p_b,p_c,site,fold\nx,a,1,0,0,s,1\ny,c,0,1,0,t,2\nx,c,0,0,1,t,3\n"
    (tmp_path / "long.csv").write_bytes(long)
    reading = from_file(tmp_path / "long.csv", Request(by="site", cluster="site"))
    assert {name: p.truth.tolist() for name, p in reading.models.items()} == {"x": [0, 2], "y": [2]}
    assert {name: len(p.classes) for name, p in reading.models.items()} == {"x": 3, "y": 3}
    assert reading.by is not None
    assert {name: codes.tolist() for name, codes in reading.by.codes.items()} == {"x": [0, 1], "y": [1]}
    assert [None if p.fold is None else p.fold.tolist() for p in reading.models.values()] == [[0, 1], [0]]


@pytest.mark.parametrize(
    ("data", "duplicates"),
    [
        (b"id,y_true,score\n1,0,1\n2,1,1\n1,1,1\n1,0,1\n", 2),
        (b"id,y_true,score\n,0,1\n,1,1\n3,1,1\n", 0),
        (b"id,model,y_true,score\n1,x,0,1\n1,y,1,1\n1,x,1,1\n", 1),
    ],
)
def test_ids_that_come_again_are_counted(tmp_path: Path, data: bytes, duplicates: int) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    named = Request(id="id", keep_ids=False)
    assert from_file(tmp_path / "a.csv", named).source.duplicates == duplicates
    frame = pl.read_csv(tmp_path / "a.csv")
    assert from_frame(frame, named).source.duplicates == duplicates
    assert from_frame(frame.to_pandas(), named).source.duplicates == duplicates
    names = "".join(f"@attribute {name} string\n" for name in frame.columns)
    rows = "\n".join(",".join("?" if value is None else str(value) for value in row) for row in frame.rows())
    (tmp_path / "a.arff").write_text(f"@relation a\n{names}@data\n{rows}")
    assert from_file(tmp_path / "a.arff", named).source.duplicates == duplicates


def test_any_number_of_clusters(tmp_path: Path) -> None:
    rows = [f"{row % 2},{row},{'' if row == 7 else f'p{row % 2_500}'}" for row in range(5_000)]
    (tmp_path / "a.csv").write_text("\n".join(["y_true,score,patient", *rows]))
    reading = from_file(tmp_path / "a.csv", Request(missing="drop"))
    found = reading.models["model"].cluster
    assert found is not None
    assert (reading.source.dropped, int(found.max()) + 1) == (1, 2_500)
    assert found[0] == found[2_499]


def test_counted_cases_may_be_few_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y_true,pred,count\n" + "".join(f"{c},{c},10\n" for c in "abcdefg"))
    assert len(from_file(tmp_path / "a.csv").models["model"].classes) == 7


@pytest.mark.parametrize("different", [30, 1000])
def test_as_many_classes_as_there_may_be(tmp_path: Path, different: int) -> None:
    names = [f"c{number}" for number in range(different)]
    (tmp_path / "a.csv").write_text("y_true,pred\n" + "".join(f"{name},{name}\n" for name in [*names, *names]))
    assert from_file(tmp_path / "a.csv").models["model"].classes == tuple(sorted(names))


def test_the_source_says_what_was_read(tmp_path: Path) -> None:
    data = b"id,label,score,fold,patient,age\n1,no,.1,1,x,7\n2,yes,,1,y,8\n3,yes,.3,2,x,9\n"
    (tmp_path / "a.csv").write_bytes(data)
    assert from_file(tmp_path / "a.csv", Request(missing="drop")).source.to_dict() == {
        "name": "a.csv",
        "format": "csv",
        "rows": 3,
        "dropped": 1,
        "columns": {"truth": "label", "score": "score", "fold": "fold", "cluster": "patient"},
        "design": {"id": "id"},
        "sha256": hashlib.sha256(data).hexdigest(),
        "positive_inferred": True,
        "duplicates": 0,
        "defaulted": 0,
        "notes": [],
        "unused": ["age"],
        "remarks": [],
        "kernels": KERNELS,
    }


def test_columns_that_differ_in_case_are_told_apart(tmp_path: Path) -> None:
    pq.write_table(pa.table({"y_true": [0, 1], "Risk": [1.0, 2.0], "risk": [3.0, 4.0]}), tmp_path / "a.parquet")
    score = from_file(tmp_path / "a.parquet", Request(score=("risk",))).models["model"].score
    assert score is not None
    assert score.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("none.csv", "there is no file 'none.csv'; needed: the path of a file that exists"),
        ("folder.csv", "'folder.csv' is a folder; needed: the path of a file"),
        ("a" * 999, f"'...{'a' * 37}' cannot be opened; needed: the path of a file that can be read"),
    ],
)
def test_paths_that_are_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, sentence: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.csv").mkdir()
    with pytest.raises(InputError) as caught:
        from_file(name)
    assert str(caught.value) == sentence


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_bytes(TWO_ROWS)
    monkeypatch.chdir(tmp_path)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)  # the tests may run as a user whom no permission stops
    with pytest.raises(InputError) as caught:
        from_file("a.csv")
    assert str(caught.value) == "'a.csv' may not be read; needed: permission to read it"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(TWO_ROWS,))
    writer.start()
    assert list(from_file(tmp_path / "pipe").models) == ["model"]
    writer.join()


def test_rows_stay_in_order_when_the_engine_reads_in_parallel(tmp_path: Path) -> None:
    rows = 400_000
    with (tmp_path / "a.csv").open("w") as file:
        file.write("y_true,score\n")
        file.writelines(f"{row % 2},{row}\n" for row in range(rows))
    found = from_file(tmp_path / "a.csv").models["model"]
    assert found.score is not None
    assert (found.score == range(rows)).all()
    assert (found.truth[::2] == 0).all()
    assert (found.truth[1::2] == 1).all()


def test_importing_sources_loads_no_engine() -> None:
    heavy = "{'duckdb', 'narwhals', 'pandas', 'polars', 'pyarrow', 'sklearn'}"
    command = f"import sys, assay.sources; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", command], check=False, env=dict(os.environ)).returncode == 0


# Not what ends a line, nor a NUL, nor half a character: a text file cannot hold those.
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"), min_size=1, max_size=12)


@given(name=words.filter(lambda name: name.strip() and name.strip().casefold() != "y_true"))
def test_any_column_name_can_be_used(tmp_path: Path, name: str) -> None:
    quoted = name.replace('"', '""')
    (tmp_path / "a.csv").write_bytes(f'y_true,"{quoted}"\n0,.1\n1,.2\n'.encode())
    reading = from_file(tmp_path / "a.csv", Request(score=(name.strip(),)))
    assert reading.source.columns["score"] == name.strip()
    pq.write_table(pa.table({"y_true": [0, 1], name: [0.1, 0.2]}), tmp_path / "a.parquet")
    assert from_file(tmp_path / "a.parquet", Request(score=(name,))).source.columns["score"] == name


@given(first=words, second=words)
def test_any_label_survives_a_file(tmp_path: Path, first: str, second: str) -> None:
    names = [label_name(first), label_name(second)]
    if None in names or names[0] == names[1]:
        return
    quoted = [label.replace('"', '""') for label in (first, second)]
    (tmp_path / "a.csv").write_bytes(f'y_true,score\n"{quoted[0]}",.1\n"{quoted[1]}",.2\n'.encode())
    from_csv = from_file(tmp_path / "a.csv", Request(positive=first)).models["model"]
    from_list = from_arrays([first, second], [0.1, 0.2], positive=first).models["model"]
    assert from_csv.classes == from_list.classes == (names[1], names[0])
    assert from_csv.truth.tolist() == from_list.truth.tolist() == [1, 0]
