"""What is said about how a file is written, what packs it, and what never may be rounded or run."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xlsxwriter
from tests.cli.conftest import Run, run

import assay
from assay.errors import InputError, OptionError
from assay.request import Request
from assay.sources import from_file
from assay.sources.features import columns_of_file
from assay.sources.formats.compression import CHUNK

__all__ = ["run"]

EUROPEAN = "y_true;score\n0;0,25\n1;0,75\n1;0,5\n"
SCORES = [0.25, 0.75, 0.5]


def written(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def scores(path: Path, **options: Any) -> Any:
    found = from_file(path, Request(**options)).models["model"].score
    assert found is not None
    return found.tolist()


def workbook(path: Path, rows: list[list[Any]]) -> Path:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate(rows):
            sheet.write_row(place, 0, row)
    return path


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        from_file(path, Request(**options))
    return str(caught.value)


def test_python_takes_the_same_options(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "y_true;score\n0;1,250\n1;2,125\n1;3,500\n")
    ev = assay.evaluate(path, decimal=",")
    assert ev.source.notes == ("decimal comma",)
    assert ev.predictions is not None
    assert ev.predictions.score is not None
    assert ev.predictions.score.tolist() == [1.25, 2.125, 3.5]
    for source in ([0, 1, 1], pd.DataFrame({"y_true": [0, 1], "score": [0.1, 0.2]})):
        options: list[dict[str, Any]] = [{"decimal": ","}, {"encoding": "cp1252"}, {"sheet": "Sheet1"}]
        for option in options:
            with pytest.raises(OptionError, match="a file to read; this data is in memory already"):
                assay.evaluate(source, **option)


def test_text_is_decoded_piece_by_piece(tmp_path: Path) -> None:
    rows = CHUNK // 4
    text = "y_true;score;note\n" + "".join(f"{row % 2};0,{row % 10};é€\n" for row in range(rows))
    path = written(tmp_path / "a.csv", text.encode("utf-16"))
    assert path.stat().st_size > 4 * CHUNK
    assert scores(path) == [row % 10 / 10 for row in range(rows)]
    packed = written(tmp_path / "a.csv.gz", gzip.compress(text.encode("cp1252")))
    assert from_file(packed, Request(encoding="cp1252")).source.notes == ("cp1252", "decimal comma")


def test_an_encoding_that_the_text_does_not_have(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "y_true,score\nné,1\n".encode("latin-1"))
    assert refusal(path, encoding="ascii").startswith("line 2 of 'a.csv' (byte 0xe9) is not UTF-8")
    with pytest.raises(OptionError, match=r"'a.csv' is no text in the encoding shift_jis; needed: the encoding it was"):
        from_file(path, Request(encoding="shift_jis"))


def test_a_hash_is_that_of_the_file_itself(tmp_path: Path) -> None:
    data = gzip.compress(EUROPEAN.encode("utf-16"))
    assert from_file(written(tmp_path / "a.csv.gz", data)).source.sha256 == hashlib.sha256(data).hexdigest()


def test_line_numbers_count_the_lines_above(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "sep=;\n# made today\n\ny_true;score\n0;1\n1;2;3\n")
    assert "line 6 of 'a.csv' holds 3 values under 2 column names" in refusal(path)
    assert scores(written(path, "# made today\n\n" + EUROPEAN)) == SCORES
    assert from_file(path).source.notes == ("without 1 comment line above", "decimal comma")


def test_a_comment_below_the_names_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "y_true,score\n0,1\n# checked\n1,2\n")
    assert "line 3 of 'a.csv' holds 1 value under 2 column names" in refusal(path)


def test_a_column_without_a_name_can_be_named(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", '"","y_true","score"\n"7",0,.1\n"8",1,.2\n')
    reading = from_file(path, Request(id="column 1"))
    assert reading.models["model"].id is not None
    assert reading.models["model"].id.tolist() == ["7", "8"]
    assert from_file(path).source.columns == {"truth": "y_true", "score": "score"}


def test_unquoted_decimal_commas_are_named(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "y_true,score\n1,0,5\n0,0,2\n")
    assert refusal(path).endswith("(decimal commas take quotes, or semicolons between values)")


def test_files_of_several_models_are_read_alike(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth, ids = rng.integers(0, 2, 60), np.arange(60)
    for name in ("bayes", "svm"):
        frame = pd.DataFrame({"id": ids, "y_true": truth, "score": rng.random(60).round(3) + 1})
        frame.to_csv(tmp_path / f"{name}.csv", sep=";", decimal=",", index=False)
        frame["score"] = frame["score"].map("{:.3f}".format)
        frame.to_csv(tmp_path / f"plain_{name}.csv", index=False)
    said = run("compare", "bayes.csv", "svm.csv", "--decimal", ",", "--json")
    assert said.code == 0, said.err
    plain = run("compare", "plain_bayes.csv", "plain_svm.csv", "--json")
    ours, theirs = json.loads(said.out), json.loads(plain.out.replace("plain_", ""))
    assert ours["source"].pop("notes") == ["decimal comma"]
    assert theirs["source"].pop("notes") == []
    assert ours == theirs


def test_without_the_extra_a_workbook_is_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workbook(tmp_path / "a.xlsx", [["y_true", "score"], [0, 0.5], [1, 0.7]])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    outcome = run("evaluate", "a.xlsx")
    assert outcome.code == 69
    assert "reading Excel workbooks needs python-calamine" in outcome.err
    assert "pip install 'python-calamine>=0.4'" in outcome.err


def test_workbooks_that_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    assert refusal(workbook(path, [])).startswith("'a.xlsx' is an Excel workbook of empty sheets")
    assert "holds column names but no rows" in refusal(workbook(path, [["y_true", "score"]]))
    assert "holds numbers, not column names" in refusal(workbook(path, [[0, 0.5], [1, 0.7]]))
    assert "1 row: 'score'" not in refusal(workbook(path, [["y_true", "score"], [0, "many"]]))
    workbook(path, [["y_true", "score"], [0, 0.5], [1, 0.7]])
    assert scores(written(tmp_path / "b.xlsx.gz", gzip.compress(path.read_bytes()))) == [0.5, 0.7]
    with pytest.raises(OptionError, match="decimal is given, but the file has no numbers in text"):
        from_file(path, Request(decimal=","))


def test_classes_may_be_the_names_of_columns_in_a_workbook(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["y_true", "proba_0", "proba_1"], [0, 0.75, 0.25], [1, 0.25, "75%"]]
    assert "holds percentages ('75%' in row 2) beside plain numbers" in refusal(workbook(tmp_path / "a.xlsx", rows))
    rows[2][2] = "0.75"
    assert scores(workbook(tmp_path / "a.xlsx", rows)) == [0.25, 0.75]


def test_archives_that_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.mkdir("empty")
    assert refusal(path) == "'a.zip' is a zip archive of no file; needed: one file, or an archive of one"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", EUROPEAN)
    locked = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(mark) + place] |= 1
    assert "with a password" in refusal(written(path, bytes(locked)))


@pytest.mark.parametrize(("name", "data"), [("bzip2", bz2.compress), ("xz", lzma.compress)])
def test_packed_files_that_are_cut_short(tmp_path: Path, name: str, data: Any) -> None:
    packed = data(EUROPEAN.encode() * 9)
    for broken in (packed[:-9], packed[:20] + b"rubbish" + packed[27:]):
        assert refusal(written(tmp_path / "a.csv", broken)) == (
            f"'a.csv' is a {name} file that is damaged or cut short; needed: the whole file"
        )


def test_numpy_files_that_cannot_be_used(tmp_path: Path) -> None:
    held = io.BytesIO()
    np.save(held, np.column_stack([[0, 1, 1], SCORES]))
    assert "numpy file that is damaged" in refusal(written(tmp_path / "a.npy", held.getvalue()[:-9]))
    np.savez(tmp_path / "a.npz", y_true=[0, 1, 1], y_score=[0.5, 0.7])
    assert "'y_score' in 'a.npz' has shape (2,), 'y_true' (3,)" in refusal(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", y_true=["a", "b", "b"], y_proba=np.ones((3, 3)) / 3)
    assert "'y_proba' has shape (3, 3) but there are 2 classes ('a', 'b')" in refusal(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", y_true=[0, 2, 2], y_proba=np.ones((3, 2)) / 2, classes=[0, 1, 2])
    assert "'y_proba' has shape (3, 2) but there are 3 classes ('0', '1', '2')" in refusal(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", y_true=[0, 1, 1], y_proba=np.ones((3, 2)) / 2, prob=np.ones((3, 2)) / 2)
    assert refusal(tmp_path / "a.npz").endswith("needed: one of them; pass ignore='prob'")


def test_numpy_files_keep_what_rows_are(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "a.npz", y_true=[-1, 1, 1], y_score=SCORES, weight=[1, 2, 3], id=["a", "b", "b"], X=np.ones((3, 9))
    )
    reading = from_file(tmp_path / "a.npz", Request(id="id"))
    found = reading.models["model"]
    assert (found.classes, reading.source.duplicates) == (("-1", "1"), 1)
    assert found.weight is not None
    assert found.weight.tolist() == [1, 2, 3]
    np.save(tmp_path / "a.npy", np.array([["yes", "0.5"], ["no", "0.25"]]))
    assert scores(tmp_path / "a.npy", truth="column 1", score="column 2") == [0.5, 0.25]


LONG = [2**60 + 1, 2**60 + 2, 2**60 + 3]


@pytest.mark.parametrize("of", [np.array, lambda values: np.array(values, np.uint64), list])
def test_whole_numbers_are_never_rounded(of: Any) -> None:
    with pytest.raises(InputError, match=r"row 1: 'y_score' holds 1152921504606846977, which would be rounded to"):
        assay.evaluate([0, 1, 1], of(LONG))
    assert assay.evaluate([0, 1, 1], of([2**60, 2**61, 2**62])).roc_auc.value == 1
    assert assay.evaluate(of([LONG[0], LONG[1], LONG[1]]), SCORES, positive=LONG[1]).classes == tuple(
        map(str, LONG[:2])
    )


def test_whole_numbers_in_tables_are_never_rounded(tmp_path: Path) -> None:
    frame = pl.DataFrame({"y_true": [0, 1, 1], "score": LONG})
    gap = frame.with_columns(score=pl.Series([None, *LONG[1:]]))
    nullable = gap.to_pandas(use_pyarrow_extension_array=True)
    for table in (frame, frame.to_pandas(), frame.to_arrow(), gap, nullable):
        with pytest.raises(InputError, match="which would be rounded"):
            assay.evaluate(table)
    frame.write_csv(tmp_path / "a.csv")
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ndjson(tmp_path / "a.jsonl")
    for name in ("a.csv", "a.parquet", "a.jsonl"):
        assert "row 1: 'score' holds 1152921504606846977" in refusal(tmp_path / name)


def test_long_labels_and_ids_keep_their_digits(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": LONG, "y_true": [LONG[0], LONG[1], LONG[1]], "score": SCORES})
    frame.write_csv(tmp_path / "a.csv")
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ndjson(tmp_path / "a.jsonl")
    for name in ("a.csv", "a.parquet", "a.jsonl"):
        found = from_file(tmp_path / name, Request(positive=str(LONG[1]), id="id")).models["model"]
        assert found.classes == (str(LONG[0]), str(LONG[1]))
        assert found.id is not None
        assert found.id.tolist() == list(map(str, LONG))


def test_whole_numbers_as_objects_are_never_rounded(tmp_path: Path) -> None:
    text = f"@relation a\n@attribute y_true {{0,1}}\n@attribute score numeric\n@data\n0,{LONG[0]}\n1,5\n"
    path = written(tmp_path / "a.arff", text)
    assert "row 1: 'score' holds 1152921504606846977" in refusal(path)
    with pytest.raises(InputError, match="row 2: 'score' holds -1152921504606846977"):
        assay.evaluate(pd.DataFrame({"y_true": [0, 1], "score": [0, -LONG[0]]}, dtype=object))


def test_scores_that_are_large_but_exact_stay(tmp_path: Path) -> None:
    assert scores(written(tmp_path / "a.csv", f"y_true,score\n0,{2**60}\n1,1e99\n1,{2**70}\n")) == [
        2**60,
        1e99,
        2**70,
    ]


def test_features_have_decimal_commas_too(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "size;share;kind\n1,5;20%;ham\n2,25;30%;spam\n")
    columns, _ = columns_of_file(path)
    assert columns["size"].tolist() == [1.5, 2.25]
    assert columns["share"].tolist() == [0.2, 0.3]
    assert columns["kind"].tolist() == ["ham", "spam"]
    sheet, _ = columns_of_file(workbook(tmp_path / "a.xlsx", [["size", "kind"], [1.5, "ham"], [None, "spam"]]))
    np.testing.assert_array_equal(sheet["size"], [1.5, np.nan])
    assert sheet["kind"].tolist() == ["ham", "spam"]
    np.save(tmp_path / "a.npy", np.ones((3, 2)))
    with pytest.raises(InputError, match="holds numpy arrays"):
        columns_of_file(tmp_path / "a.npy")
