"""Files that cannot be used: each gets one sentence that says what was found, what is needed and what to type."""

from __future__ import annotations

import gzip
import io
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.errors import InputError
from assay.sources import Choices, from_file

READABLE = "needed: CSV, TSV, JSON lines (each also gzipped) or Parquet, in UTF-8"
RUBBISH = random.Random(1).randbytes(5_000)
DROP = Choices(missing="drop")


def parquet() -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table({"y_true": [0, 1] * 50, "score": [0.1, 0.2] * 50}), written)
    return written.getvalue()


PARQUET = parquet()
HEADER = b"y_true,score\n"
LONG_LINE = HEADER + b"0," + b"1" * 20_000_000 + b"\n"
LATIN = "y_true,score\nné,1\n".encode("latin-1")

BAD = [
    # The file itself.
    ("empty.csv", b"", "'empty.csv' is empty; needed: a line of column names and at least one row"),
    ("a.csv", HEADER, "'a.csv' holds column names but no rows; needed: at least one row"),
    ("a.csv", b"\n\n", "line 1 of 'a.csv' is blank; needed: a line of column names first"),
    ("a.csv", b"\xef\xbb\xbf", "line 1 of 'a.csv' is blank; needed: a line of column names first"),
    ("rubbish.csv", RUBBISH, f"'rubbish.csv' holds binary data; {READABLE}"),
    ("rubbish", RUBBISH, f"'rubbish' holds binary data; {READABLE}"),
    ("book.xlsx", b"PK\x03\x04" + RUBBISH, f"'book.xlsx' is an Excel workbook or a zip archive; {READABLE}"),
    ("a.csv", "y_true,score\n".encode("utf-16"), f"'a.csv' is UTF-16 text; {READABLE}"),
    ("a.csv", HEADER + b"0,1\n1,\x00\n", f"line 3 of 'a.csv' holds a NUL byte; {READABLE}"),
    ("a.csv", LATIN, "line 2 of 'a.csv' is not UTF-8 (byte 0xe9); needed: the file saved again as UTF-8"),
    ("a.csv", b"y_true,scor\xe9\n0,1\n", "line 1 of 'a.csv' is not UTF-8; needed: the file saved again as UTF-8"),
    (
        "a.csv.gz",
        gzip.compress(HEADER * 9_999)[:-99],
        "'a.csv.gz' is a gzip file that is damaged or cut short; needed: the whole file",
    ),
    (
        "a.csv.gz",
        b"\x1f\x8b" + RUBBISH,
        "'a.csv.gz' is a gzip file that is damaged or cut short; needed: the whole file",
    ),
    # Parquet.
    ("a.parquet", HEADER, f"'a.parquet' is called a Parquet file but is none; {READABLE}"),
    (
        "a.parquet",
        PARQUET[:-30],
        "'a.parquet' is a Parquet file that is cut short: its end is missing; needed: the whole file",
    ),
    (
        "a.parquet",
        PARQUET[:8] + RUBBISH[:99] + PARQUET[107:],
        "'a.parquet' is a Parquet file that is damaged; needed: the whole file",
    ),
    # Tables.
    (
        "a.csv",
        b"0,0.1\n1,0.3\n",
        (
            "line 1 of 'a.csv' holds numbers, not column names; needed: a line of column names "
            "first, such as y_true,score"
        ),
    ),
    (
        "a.csv",
        HEADER + b"0,.1\n1\n",
        ("line 3 of 'a.csv' holds 1 value under 2 column names; needed: as many of one as of the other"),
    ),
    (
        "a.tsv",
        b"y_true\tscore\n0\t1\n1\t2\t3\n",
        ("line 3 of 'a.tsv' holds 3 values under 2 column names; needed: as many of one as of the other"),
    ),
    (
        "a.csv",
        HEADER + b'"0,.1\n1,.2\n',
        (
            "line 2 of 'a.csv' has a quote that is not closed; needed: quotes in pairs, and "
            '"" for a quote inside a value'
        ),
    ),
    (
        "a.csv",
        LONG_LINE,
        ("line 2 of 'a.csv' is 20.0 MB long; needed: one row on each line (is a quote or a line end missing?)"),
    ),
    ("a.csv", b"x" * 20_000_000, "line 1 of 'a.csv' is longer than 1 MB; needed: a line of column names first"),
    # JSON.
    (
        "a.jsonl",
        b'{"y_true":0,"score":1}\n{"y_true":1,"sco\n',
        ("line 2 of 'a.jsonl' is not valid JSON: '{\"y_true\":1,\"sco'; needed: one JSON object on each line"),
    ),
    (
        "a.json",
        b'[{"y_true":0,"score":1},\n{"y_true":1,"sco\n]',
        ("line 2 of 'a.json' is not valid JSON; needed: an array of JSON objects"),
    ),
    ("a.json", b"[1, 2]", "'a.json' holds no JSON objects; needed: one JSON object on each line"),
    (
        "a.json",
        b'{"y_true":[0,1],"score":[1,2]}',
        ("'a.json' holds one object with whole columns in it; needed: one JSON object for each row"),
    ),
    # Values.
    ("a.csv", HEADER + b"0,.1\n1,\n", "row 2: 'score' is missing; needed: a value in every row; pass missing='drop'"),
    (
        "a.csv",
        HEADER + b"0,.1\n?,1\n1,NaN\n",
        ("row 2: 'y_true' is missing (2 rows of 3 lack something); needed: a value in every row; pass missing='drop'"),
    ),
    ("a.csv", HEADER + b"0,.1\n1,inf\n", "row 2: 'score' is infinite; needed: a finite number for every case"),
    ("a.csv", HEADER + b"0,.1\n1,0.4x\n", "row 2: 'score' holds the text '0.4x'; needed: a column of numbers"),
    (
        "a.csv",
        b"y_true;score\n0;0,1\n",
        ("row 1: 'score' holds the text '0,1'; needed: numbers with a decimal point, not a comma"),
    ),
    (
        "a.csv",
        HEADER + b"1,\x1b[31m\x07" + b"z" * 99 + b"\n",
        (f"row 1: 'score' holds the text '\\x1b[31m\\x07{'z' * 34}...'; needed: a column of numbers"),
    ),
    (
        "a.csv",
        HEADER + b"".join(b"%d,1\n" % i for i in range(3_000)),
        (
            "'y_true' holds more than 1,000 different values in "
            "3,000 rows ('0', '1', '10'), which looks like an id or a "
            "measurement, not classes; needed: a column of classes; "
            "pass truth='COLUMN'"
        ),
    ),
    (
        "a.csv",
        b"y_true,pred\n0,0.73\n1,0.2\n",
        (
            "'pred' holds numbers such as '0.2', which are no classes; needed: "
            "predicted labels, or to take them as scores; pass score='pred'"
        ),
    ),
    (
        "a.csv",
        b"y_true,pred\n" + b"".join(b"%d,%f\n" % (i % 2, i / 3_000) for i in range(3_000)),
        (
            "'pred' holds numbers "
            "such as '0.000333', which are no classes; needed: predicted labels, "
            "or to take them as scores; pass score='pred'"
        ),
    ),
    (
        "a.csv",
        b"y_true,pred\nyes,Yes\nno,No\n",
        (
            "'pred' holds 'No', 'Yes' but 'y_true' holds 'no', 'yes'; needed: "
            "predicted labels that are spelled as the classes are"
        ),
    ),
    (
        "a.csv",
        b"y_true,p_value\n0,.1\n1,.2\n",
        (
            "none of 'p_value' is named after the positive class '1'; needed: the "
            "column of its probabilities; pass score='COLUMN'"
        ),
    ),
]


@pytest.mark.parametrize(("name", "data", "sentence"), BAD, ids=[sentence[:60] for *_, sentence in BAD])
def test_bad_files_get_one_sentence(tmp_path: Path, name: str, data: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as caught:
        from_file(tmp_path / name)
    assert str(caught.value) == sentence
