"""What a file may be called and hold, and how its models are told apart."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.sources import Choices, from_arrays, from_file
from assay.sources._labels import label_name

TWO_ROWS = b"y_true,score\n0,.1\n1,.2\n"


def read(folder: Path, data: bytes, choices: Choices | None = None, name: str = "a.csv") -> dict[str, list[object]]:
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
        (b"y_true , score\n0 , .1\n 1, .2\n", Choices(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,score\n0,.1\r\n1,.2\n", Choices(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,score\r0,.1\r1,.2\r", Choices(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,score,note\n0,.1,\n1,.2,NA\n", Choices(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,score,note\n0,.1,caf\xe9\n1,.2,\n", Choices(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,proba_0,proba_1\n0,.9,.1\n1,,.2\n", Choices(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,proba_0,proba_1\n0,.9,.1\n1,.8,.2\n", Choices(positive="0"), {"model": [[1, 0], [0.9, 0.8], None]}),
        (b"y_true,p_Yes,p_value\nno,.1,<.01\nyes,.2,.5\n", Choices(), {"model": [[0, 1], [0.1, 0.2], None]}),
        (b"y_true,pred\n0,0\n1,2\n1,1\n", Choices(), {"model": [[0, 1, 1], None, [0, 2, 1]]}),
        (
            b"y_true,score__b,score__a,pred__a\n0,.1,.2,0\n1,.3,.4,1\n",
            Choices(),
            {"b": [[0, 1], [0.1, 0.3], None], "a": [[0, 1], [0.2, 0.4], [0, 1]]},
        ),
        (
            b"y_true,score__b,score__a\n0,.1,.2\n1,.3,?\n1,.5,.6\n",
            Choices(missing="drop"),
            {"b": [[0, 1], [0.1, 0.5], None], "a": [[0, 1], [0.2, 0.6], None]},
        ),
        (
            b"classifier,y_true,score\nsvm,0,.1\nbayes,1,.2\nsvm,1,.3\nbayes,0,.4\n",
            Choices(),
            {"svm": [[0, 1], [0.1, 0.3], None], "bayes": [[1, 0], [0.2, 0.4], None]},
        ),
    ],
)
def test_files_are_understood(tmp_path: Path, data: bytes, choices: Choices, expected: dict[str, list[object]]) -> None:
    assert read(tmp_path, data, choices) == expected


def test_the_source_says_what_was_read(tmp_path: Path) -> None:
    data = b"id,label,score,fold,patient\n1,no,.1,1,x\n2,yes,,1,y\n3,yes,.3,2,z\n"
    (tmp_path / "a.csv").write_bytes(data)
    assert from_file(tmp_path / "a.csv", Choices(missing="drop")).source.to_dict() == {
        "name": "a.csv",
        "format": "csv",
        "rows": 3,
        "dropped": 1,
        "columns": {"truth": "label", "score": "score"},
        "design": {"fold": "fold", "cluster": "patient", "id": "id"},
        "sha256": hashlib.sha256(data).hexdigest(),
        "positive_inferred": True,
    }


def test_columns_that_differ_in_case_are_told_apart(tmp_path: Path) -> None:
    pq.write_table(pa.table({"y_true": [0, 1], "Risk": [1.0, 2.0], "risk": [3.0, 4.0]}), tmp_path / "a.parquet")
    score = from_file(tmp_path / "a.parquet", Choices(score=("risk",))).models["model"].score
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
    heavy = "{'duckdb', 'narwhals', 'pandas', 'polars', 'pyarrow'}"
    command = f"import sys, assay.sources; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", command], check=False, env=dict(os.environ)).returncode == 0


# Not what ends a line, nor a NUL, nor half a character: a text file cannot hold those.
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"), min_size=1, max_size=12)


@given(name=words.filter(lambda name: name.strip() and name.strip().casefold() != "y_true"))
def test_any_column_name_can_be_used(tmp_path: Path, name: str) -> None:
    quoted = name.replace('"', '""')
    (tmp_path / "a.csv").write_bytes(f'y_true,"{quoted}"\n0,.1\n1,.2\n'.encode())
    reading = from_file(tmp_path / "a.csv", Choices(score=(name.strip(),)))
    assert reading.source.columns["score"] == name.strip()
    pq.write_table(pa.table({"y_true": [0, 1], name: [0.1, 0.2]}), tmp_path / "a.parquet")
    assert from_file(tmp_path / "a.parquet", Choices(score=(name,))).source.columns["score"] == name


@given(first=words, second=words)
def test_any_label_survives_a_file(tmp_path: Path, first: str, second: str) -> None:
    names = [label_name(first), label_name(second)]
    if None in names or names[0] == names[1]:
        return
    quoted = [label.replace('"', '""') for label in (first, second)]
    (tmp_path / "a.csv").write_bytes(f'y_true,score\n"{quoted[0]}",.1\n"{quoted[1]}",.2\n'.encode())
    from_csv = from_file(tmp_path / "a.csv", Choices(positive=first)).models["model"]
    from_list = from_arrays([first, second], [0.1, 0.2], positive=first).models["model"]
    assert from_csv.classes == from_list.classes == (names[1], names[0])
    assert from_csv.truth.tolist() == from_list.truth.tolist() == [1, 0]
