"""Files that cannot be used: each gets one sentence that says what was found, what is needed and what to type."""

from __future__ import annotations

import gzip
import io
import pickle
import random
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.errors import InputError, MissingExtra
from assay.request import Request
from assay.sources import from_file

READABLE = (
    "needed: CSV, TSV, JSON lines, ARFF, Parquet, Feather, .xlsx, .npy or .npz, as it is or in gzip, bzip2, xz or zip"
)
RUBBISH = random.Random(1).randbytes(5_000)
DROP = Request(missing="drop")


def parquet() -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table({"y_true": [0, 1] * 50, "score": [0.1, 0.2] * 50}), written)
    return written.getvalue()


PARQUET = parquet()
HEADER = b"y_true,score\n"
LONG_LINE = HEADER + b"0," + b"1" * 20_000_000 + b"\n"
LATIN = "y_true,score,model\n0,.2,né\n1,.8,né\n".encode("latin-1")
LATIN_ARFF = (
    "@relation x\n@attribute y_true {0,1}\n@attribute score real\n@attribute model {né}\n@data\n0,.2,né\n1,.8,né\n"
).encode("latin-1")

BAD = [
    # The file itself.
    ("empty.csv", b"", "'empty.csv' is empty; needed: a line of column names and at least one row"),
    ("a.csv", HEADER, "'a.csv' holds column names but no rows; needed: at least one row"),
    ("a.csv", b"\n\n", "line 1 of 'a.csv' is blank; needed: a line of column names first"),
    ("a.csv", b"\xef\xbb\xbf", "line 1 of 'a.csv' is blank; needed: a line of column names first"),
    ("rubbish.csv", RUBBISH, f"'rubbish.csv' holds binary data; {READABLE}"),
    ("rubbish", RUBBISH, f"'rubbish' holds binary data; {READABLE}"),
    (
        "book.xlsx",
        b"PK\x03\x04" + RUBBISH,
        "'book.xlsx' is a zip archive that is damaged or cut short; needed: the whole file",
    ),
    ("book.xlsx", HEADER, f"'book.xlsx' is not an Excel workbook, despite its name; {READABLE}"),
    (
        "book.xls",
        b"\xd0\xcf\x11\xe0" + RUBBISH,
        (
            "'book.xls' is an Excel workbook of before 2007, or one with a password; needed: the workbook saved as "
            ".xlsx without a password, or as CSV"
        ),
    ),
    (
        "a.csv.zst",
        b"\x28\xb5\x2f\xfd" + RUBBISH,
        "'a.csv.zst' is a zstd file that is damaged or cut short; needed: the whole file",
    ),
    (
        "model.pkl",
        pickle.dumps([0, 1]),
        (
            "'model.pkl' is a pickle, which may run anything when it is read; needed: CSV; in Python, if you trust the "
            "file: pandas.read_pickle('model.pkl').to_csv('model.csv', index=False)"
        ),
    ),
    ("a.csv", "y_true,score\n".encode("utf-16"), "'a.csv' holds column names but no rows; needed: at least one row"),
    ("a.csv", HEADER + b"0,1\n1,\x00\n", f"line 3 of 'a.csv' holds a NUL byte; {READABLE}"),
    ("a.csv", LATIN, "line 2 of 'a.csv' (byte 0xe9) is not UTF-8; needed: the encoding it has; pass encoding='cp1252'"),
    (
        "a.csv",
        b"y_true,score,\xe9ge\n0,.2,1\n1,.8,2\n",
        "line 1 of 'a.csv' is not UTF-8; needed: the encoding it has; pass encoding='cp1252'",
    ),
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
    ("a.parquet", HEADER, f"'a.parquet' is not a Parquet file, despite its name; {READABLE}"),
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
        "a.txt",
        b"y_true   score\n0        0.1\n",
        "line 1 of 'a.txt' has runs of blanks between names; needed: one blank, comma, semicolon or tab between values",
    ),
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
        ("line 3 of 'a.csv' holds 1 value under 2 column names; needed: as many values as column names"),
    ),
    (
        "a.tsv",
        b"y_true\tscore\n0\t1\n1\t2\t3\n",
        ("line 3 of 'a.tsv' holds 3 values under 2 column names; needed: as many values as column names"),
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
        b'{"y_true":[0,1],"score":[1,2,3]}',
        (
            "'a.json' is one object of columns; needed: one JSON object for each row, "
            "as to_json(orient='records') of pandas writes"
        ),
    ),
    # Values.
    ("a.csv", HEADER + b"0,.1\n1,\n", "row 2: 'score' is missing; needed: a value in every row; pass missing='drop'"),
    (
        "a.csv",
        HEADER + b"0,.1\n?,1\n1,NaN\n",
        (
            "row 2: 'y_true' is missing (2 rows of 3 have a missing value); "
            "needed: a value in every row; pass missing='drop'"
        ),
    ),
    ("a.csv", HEADER + b"0,.1\n1,inf\n", "row 2: 'score' is infinite; needed: a finite number for every case"),
    ("a.csv", HEADER + b"0,.1\n1,0.4x\n", "row 2: 'score' holds the text '0.4x'; needed: a column of numbers"),
    (
        "a.csv",
        b"y_true;score\n0;1,234\n1;567\n",
        (
            "row 1: 'score' holds '1,234', which can be read as 1.234 or 1234; "
            "needed: the decimal mark; pass decimal=','"
        ),
    ),
    (
        "a.csv",
        b"y_true;score\n0;0,1\n1;0.2\n",
        "'score' holds '0.2' in row 2 and '0,1' in row 1; needed: one decimal mark in the whole column",
    ),
    (
        "a.csv",
        HEADER + b"0,22.4%\n1,0.3\n",
        (
            "'score' holds percentages ('22.4%' in row 1) beside plain numbers ('0.3' in row 2); "
            "needed: the same notation in the whole column"
        ),
    ),
    (
        "a.csv",
        HEADER + b"0,9007199254740993\n1,5\n",
        (
            "row 1: 'score' holds 9007199254740993, which would be rounded to 9007199254740992; "
            "needed: numbers of at most 15 digits"
        ),
    ),
    (
        "a.jsonl",
        b'{"y_true":0,"score":1}\n{"y_true":1,"score":2,"score":3}\n',
        "row 2 of 'a.jsonl' has 'score' twice; needed: one value for each name",
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
            "measurement, not classes; needed: a column of classes"
        ),
    ),
    (
        "a.csv",
        b"y_true,pred\n0,0.73\n1,0.2\n",
        (
            "'pred' holds numbers such as '0.2', which are not classes; needed: "
            "predicted labels, or an option to use them as scores; pass score='pred'"
        ),
    ),
    (
        "a.csv",
        b"y_true,pred\n" + b"".join(b"%d,%f\n" % (i % 2, i / 3_000) for i in range(3_000)),
        (
            "'pred' holds numbers "
            "such as '0.000333', which are not classes; needed: predicted labels, "
            "or an option to use them as scores; pass score='pred'"
        ),
    ),
    (
        "a.csv",
        b"y_true,pred\nyes,Yes\nno,No\n",
        (
            "'pred' holds 'No', 'Yes' where 'y_true' holds 'no', 'yes', different only in case and blanks: 'No' for "
            "'no', 'Yes' for 'yes'; needed: one spelling for both: replace those of 'pred'"
        ),
    ),
    (
        "a.csv",
        b"y_true,p_value\n0,.1\n1,.2\n",
        (
            "none of 'p_value' has the name of a class of 'y_true' ('0', '1'); needed: the column of scores; pass:\n"
            "  score='p_value'   if 'p_value' is the score: from 0.1 to 0.2, all different; ROC AUC 1.00"
        ),
    ),
    # Many classes.
    (
        "a.csv",
        b"y_true,score\na,1\nb,2\nc,3\n",
        (
            "'y_true' holds 3 classes ('a', 'b', 'c'), but 'score' is a single column of scores; "
            "needed: one column of probabilities per class, such as 'proba_a'; pass one of:\n"
            "  positive='a'   if it is the score of a, against the rest\n"
            "  positive='b'   if it is the score of b, against the rest\n"
            "  positive='c'   if it is the score of c, against the rest"
        ),
    ),
    (
        "a.csv",
        b"y_true,score,pred\na,1,a\nb,2,b\nc,3,c\n",
        (
            "'y_true' holds 3 classes ('a', 'b', 'c'), but 'score' is a single column of scores; "
            "needed: one column of probabilities per class, such as 'proba_a'; pass one of:\n"
            "  ignore='score'   evaluate only the predicted labels\n"
            "  positive='a'     if it is the score of a, against the rest\n"
            "  positive='b'     if it is the score of b, against the rest\n"
            "  positive='c'     if it is the score of c, against the rest"
        ),
    ),
    (
        "a.csv",
        b"y_true,P_a,P_b\na,.5,.5\nb,.5,.5\nc,.5,.5\n",
        (
            "there is no column for the class 'c' beside 'P_a', 'P_b'; "
            "needed: one column of probabilities per class, such as 'P_c'; pass one of:\n"
            "  positive='a'   a against the rest\n  positive='b'   b against the rest"
        ),
    ),
    (
        "a.csv",
        b"y_true,proba__svm__a,pred__bayes\na,.5,a\nb,.5,b\nc,.5,c\n",
        (
            "there is no column for the classes 'b', 'c' beside 'proba__svm__a'; "
            "needed: one column of probabilities per class, such as 'proba__svm__b'; pass:\n"
            "  positive='a'   a against the rest"
        ),
    ),
    (
        "a.csv",
        b"y_true,p_1,p_1.0,p_2,p_3\n1,1,1,0,0\n2,1,1,0,0\n3,1,1,0,0\n",
        (
            "'p_1' and 'p_1.0' could each be the probabilities of '1'; needed: one column for each class; "
            "pass one of:\n  ignore='p_1.0'\n  ignore='p_1'"
        ),
    ),
    (
        "a.csv",
        b"y_true,p_a,p_b,p_c\na,1,0,0\nb,.5,.25,.2\nc,0,0,1\n",
        (
            "row 2: the probabilities in 'p_a', 'p_b', 'p_c' sum to 0.95; "
            "needed: probabilities that sum to 1 in every row"
        ),
    ),
    (
        "a.csv",
        b"y_true,p_a,p_b,p_c\na,1,0,0\nb,1.5,-.5,0\nc,0,0,1\n",
        "row 2: 'p_a' is 1.5; needed: a probability between 0 and 1",
    ),
    (
        "a.csv",
        b"y_true,p_a,p_b,p_c\na,1,0,0\nb,1,,0\nc,0,0,1\n",
        "row 2: 'p_b' is missing; needed: a value in every row; pass missing='drop'",
    ),
    # The design.
    (
        "a.csv",
        b"y_true,score,weight\n0,1,1\n1,2,-1\n",
        "row 2: 'weight' is -1; needed: a weight that is not negative; pass ignore='weight'",
    ),
    (
        "a.csv",
        b"y_true,score,freq\n0,1,1\n1,2,1.5\n",
        "row 2: 'freq' is 1.5; needed: a whole count that is not negative; pass ignore='freq'",
    ),
    (
        "a.csv",
        b"y_true,score,freq\n0,1,1\n1,2,many\n",
        "row 2: 'freq' holds the text 'many'; needed: a column of numbers; pass ignore='freq'",
    ),
    (
        "a.csv",
        b"y_true,score,weight\n0,1,0\n1,2,0\n",
        "every weight is zero; needed: at least one positive weight",
    ),
    (
        "a.csv",
        b"y_true,score,patient\n0,1,x\n1,2,\n1,1,x\n",
        "row 2: 'patient' is missing; needed: a value in every row; pass missing='drop'",
    ),
    # Feather.
    (
        "a.feather",
        HEADER,
        f"'a.feather' is not an Arrow file, despite its name; {READABLE}",
    ),
    (
        "a.feather",
        b"ARROW1\0\0" + RUBBISH,
        "'a.feather' is an Arrow file that is damaged or cut short; needed: the whole file",
    ),
    (
        "a.feather",
        b"FEA1" + RUBBISH,
        (
            "'a.feather' is a Feather file of the first version; needed: CSV; in Python: "
            "pandas.read_feather('a.feather').to_csv('a.csv', index=False)"
        ),
    ),
    (
        "preds.rds",
        gzip.compress(b"X\n\0\0\0\x03" + RUBBISH),
        (
            "'preds.rds' is an R data file; needed: CSV; in R: write.csv(readRDS('preds.rds'), 'preds.csv', "
            "row.names = FALSE)"
        ),
    ),
    (
        "preds.RData",
        gzip.compress(b"RDX3\nX\n" + RUBBISH),
        (
            "'preds.RData' is an R workspace; needed: CSV; in R: load('preds.RData'), then write.csv(predictions, "
            "'preds.csv', row.names = FALSE)"
        ),
    ),
    (
        "preds.joblib",
        b"x\x9c" + RUBBISH,
        (
            "'preds.joblib' is a file of joblib, which may run anything when it is read; needed: CSV; in Python, "
            "if you trust the file: joblib.load('preds.joblib').to_csv('preds.csv', index=False)"
        ),
    ),
    (
        "preds.sav",
        b"$FL2@(#) SPSS DATA FILE" + RUBBISH,
        (
            "'preds.sav' is an SPSS file; needed: CSV; in Python: pandas.read_spss('preds.sav').to_csv('preds.csv', "
            "index=False)"
        ),
    ),
    (
        "preds.dta",
        b"\x72\x02\x01\0" + RUBBISH,
        "'preds.dta' cannot be read by pandas.read_stata; needed: the whole file",
    ),
    (
        "preds.mat",
        b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + RUBBISH,
        "'preds.mat' is a MATLAB file; needed: CSV; in MATLAB: writetable(predictions, 'preds.csv')",
    ),
    (
        "preds",
        b"\x89HDF\r\n\x1a\n" + RUBBISH,
        "'preds' is an HDF5 file; needed: CSV; in Python: pandas.read_hdf('preds').to_csv('preds.csv', index=False)",
    ),
    ("a.pdf", b"%PDF-1.7" + RUBBISH, "'a.pdf' is a PDF document; needed: the table that it was made from"),
    ("a.png", b"\x89PNG\r\n" + RUBBISH, "'a.png' is a picture; needed: the table that it was made from"),
    # ARFF.
    (
        "a.arff",
        b"@relation x\n@attribute class {a,b}\n@attribute p real\n@data\n{0 a, 1 .5}\n",
        "line 5 of 'a.arff' is a sparse row; needed: rows with a value for each attribute",
    ),
    (
        "a.arff",
        b"@relation x\n@attribute class {a,b}\n@attribute p real\n\n@data\n% rows\na,.5\nb\n",
        "line 8 of 'a.arff' holds 1 value under 2 attributes; needed: one value for each attribute",
    ),
    (
        "a.arff",
        b"@relation x\n@attribute class {a,b}\n@attribute p real\n@data\na,.5\nc,.5\n",
        (
            "row 2 of 'a.arff': 'class' holds 'c', which is not declared; "
            "needed: one of the values in its @attribute line"
        ),
    ),
    (
        "a.arff",
        b"@relation x\n@attribute class {a,b}\n@attribute p real\n@data\n",
        "'a.arff' holds column names but no rows; needed: at least one row",
    ),
    ("a.arff", b"@relation x\n@attribute p real\n", "'a.arff' has no @data; needed: rows after a line @data"),
    (
        "a.arff",
        b"@relation x\n@data\n1\n",
        "'a.arff' declares no attributes; needed: @attribute lines before @data",
    ),
    (
        "a.arff",
        b"@relation x\n@attribute bag relational\n@data\n",
        (
            "line 2 of 'a.arff' declares no attribute that can be read: '@attribute bag relational'; "
            "needed: @attribute NAME and numeric, string or {nominal, values}"
        ),
    ),
    (
        "a.arff",
        HEADER,
        "line 1 of 'a.arff' is no declaration: 'y_true,score'; needed: @attribute lines, then @data",
    ),
    (
        "a.arff",
        b"@relation x\n@attribute class {a,b}\n@attribute class real\n@data\na,.5\n",
        "columns 1 and 2 are both named 'class'; needed: a unique name for each column",
    ),
    ("a.arff", LATIN_ARFF, "'a.arff' is not UTF-8; needed: the encoding it has; pass encoding='cp1252'"),
    # WEKA's output.
    (
        "a.txt",
        b" inst#     actual  predicted error prediction\n\n",
        "'a.txt' holds WEKA's heading but no predictions; needed: at least one prediction",
    ),
    (
        "a.txt",
        b" inst#     actual  predicted      error\n     1        2.5       2.25      -0.25\n",
        "'a.txt' holds predictions of numbers; needed: predictions of classes",
    ),
    (
        "a.txt",
        b" inst#     actual  predicted error prediction\n     1        1:a       what?\n",
        (
            "line 2 of 'a.txt' is not as WEKA prints a prediction: '1        1:a       what?'; "
            "needed: the output as WEKA printed it"
        ),
    ),
    (
        "a.txt",
        b" inst#     actual  predicted error prediction\n     1        1:?        1:a       0.9\n",
        "'actual' is missing in every row; needed: a true label for each case",
    ),
]


@pytest.mark.parametrize(("name", "data", "sentence"), BAD, ids=[sentence[:60] for *_, sentence in BAD])
def test_bad_files_get_one_sentence(tmp_path: Path, name: str, data: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as caught:
        from_file(tmp_path / name)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("data", "choices", "sentence"),
    [
        (
            b"y_true,pred\na,a\nb,b\nc,c\n",
            Request(default_class="d"),
            (
                "the default class is 'd', but the classes are 'a', 'b', 'c'; "
                "needed: a default class among them; pass one of:\n"
                "  default_class='a'\n  default_class='b'\n  default_class='c'"
            ),
        ),
        (
            b"y_true,pred\na,a\nb,b\nc,c\n",
            Request(positive="A"),
            "'y_true' holds 'a', 'b', 'c', not 'A'; needed: a positive class among these; pass positive='a'",
        ),
        (
            b"y_true,pred,age\n" + b"".join(b"%d,1,%d\n" % (i % 2, i) for i in range(3_000)),
            Request(by="age"),
            (
                "'age' holds more than 1,000 different values in 3,000 rows ('0', '1', '10'), which looks like an id "
                "or a measurement, not subgroups; needed: a column of subgroups"
            ),
        ),
    ],
)
def test_bad_choices_get_one_sentence(tmp_path: Path, data: bytes, choices: Request, sentence: str) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    with pytest.raises(InputError) as caught:
        from_file(tmp_path / "a.csv", choices)
    assert str(caught.value) == sentence


def test_reading_feather_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.feather").write_bytes(b"ARROW1\0\0")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra) as caught:
        from_file(tmp_path / "a.feather")
    assert str(caught.value) == (
        "reading Feather files needs pyarrow, which is not installed; type: pip install 'pyarrow>=18'"
    )
