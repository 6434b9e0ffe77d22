"""Files by format: as pandas, polars, R, readr, Excel, NumPy, WEKA and others write the same forty cases."""

from __future__ import annotations

import bz2
import csv
import datetime
import io
import json
import lzma
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import xlsxwriter
from tests.sources.corpus.case import Case

ROWS = 40
RANDOM = np.random.default_rng(20240501)
TRUTH = (RANDOM.random(ROWS) < 0.45).astype(int)
SCORE = np.round(1 / (1 + np.exp(-RANDOM.normal(1.6 * TRUTH - 0.8, 1.0))), 3)
LOGIT = np.round(np.log(SCORE / (1 - SCORE)), 3)
WEIGHT = RANDOM.integers(1000, 9999, ROWS) / 2
LABEL = (SCORE >= 0.5).astype(int)
THREE = np.array(["hard", "mild", "soft"])[RANDOM.integers(0, 3, ROWS)]
THIRDS = np.round(RANDOM.dirichlet([1, 1, 1], ROWS), 3)
THIRDS[:, 2] = np.round(1 - THIRDS[:, 0] - THIRDS[:, 1], 3)

Write = Callable[[Path], None]
ROLES = {"truth": "y_true", "score": "score"}


def area(score: Any, weight: Any = None) -> float:
    """The ROC AUC by its definition: the share of pairs in which the positive one scores higher, ties for half."""
    weight = np.ones(ROWS) if weight is None else weight
    above, tied = score[:, None] > score[None, :], score[:, None] == score[None, :]
    pairs = np.outer(weight * TRUTH, weight * (1 - TRUTH))
    return float(((above + tied / 2) * pairs).sum() / pairs.sum())


FIGURES = {"roc_auc": area(SCORE), "brier": float(((SCORE - TRUTH) ** 2).mean())}


def comma(values: Any) -> list[str]:
    return [str(value).replace(".", ",") for value in values]


def table(heading: str, *columns: Any, separator: str = ",", end: str = "\n", tail: str = "") -> str:
    rows = (separator.join(map(str, row)) + tail for row in zip(*columns, strict=True))
    return end.join([heading, *rows, ""])


def text(content: str, encoding: str = "utf-8") -> Write:
    return raw(content.encode(encoding))


def raw(content: bytes) -> Write:
    def write(path: Path) -> None:
        path.write_bytes(content)

    return write


def quoted(values: Any) -> list[str]:
    return [f'"{value}"' for value in values]


FRAME = pd.DataFrame({"y_true": TRUTH, "score": SCORE})
PLAIN = table("y_true,score", TRUTH, SCORE)
EUROPEAN = table("y_true;score", TRUTH, comma(SCORE), separator=";")
NUMBERS = [str(row) for row in range(1, ROWS + 1)]
UMLAUTS = table("y_true;score", np.array(["gewöhnlich", "Müll"])[TRUTH], comma(SCORE), separator=";")
PERCENT = [f"{100 * value:.1f}%" for value in SCORE]
ABOVE_ONE = table("y_true;score", TRUTH, comma(f"{1 + value:.3f}" for value in SCORE), separator=";")
GERMAN_THOUSANDS = [f"{value:,.0f}".replace(",", ".") for value in 2 * WEIGHT]
FRENCH_PERCENT = [value.replace("%", "\u00a0%") for value in comma(PERCENT)]


def twice_written(path: Path) -> None:
    held = io.StringIO()
    FRAME.to_csv(held)
    held.seek(0)
    pd.read_csv(held).to_csv(path, index=False)


def zipped(members: dict[str, str]) -> Write:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)

    return write


def book(*sheets: tuple[str, Sequence[Sequence[Any]]], tail: int = 0) -> Write:
    """A workbook; a tuple (formula, value) is a formula with what was last computed, `tail` are empty rows below."""

    def write(path: Path) -> None:
        with xlsxwriter.Workbook(str(path), {"default_date_format": "yyyy-mm-dd"}) as workbook:
            shade = workbook.add_format({"bg_color": "yellow"})
            for name, rows in sheets:
                sheet = workbook.add_worksheet(name)
                for row, cells in enumerate(rows):
                    for column, cell in enumerate(cells):
                        if isinstance(cell, tuple):
                            sheet.write_formula(row, column, cell[0], None, cell[1])
                        elif isinstance(cell, str):
                            sheet.write_string(row, column, cell)
                        else:
                            sheet.write(row, column, cell)
                for row in range(tail):
                    sheet.write_blank(len(rows) + row, 0, None, shade)

    return write


def rows_of(*columns: Sequence[Any]) -> list[list[Any]]:
    return [list(row) for row in zip(*columns, strict=True)]


SHEET: list[list[Any]] = [["y_true", "score"], *rows_of(TRUTH.tolist(), SCORE.tolist())]
WITH_ERROR = [list(row) for row in SHEET]
WITH_ERROR[3][1] = ("=1/0", "#DIV/0!")
RICH: list[list[Any]] = [
    ["when", "score", "y_true"],
    *rows_of(
        [datetime.date(2024, 5, 1 + row % 28) for row in range(ROWS)],
        [(f"=A{row + 2}*0+{value}", value) for row, value in enumerate(SCORE.tolist())],
        [bool(value) for value in TRUTH],
    ),
]


def structured(path: Path) -> None:
    rows = np.zeros(ROWS, [("y_true", np.int64), ("score", np.float64)])
    rows["y_true"], rows["score"] = TRUTH, SCORE
    np.save(path, rows, allow_pickle=False)


def saved(values: Any, *, objects: bool = False) -> Write:
    def write(path: Path) -> None:
        with path.open("wb") as file:  # numpy.save adds a suffix of its own to a name
            np.save(file, values, allow_pickle=objects)

    return write


def savez(**arrays: Any) -> Write:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            np.savez(file, **arrays)

    return write


def savetxt(path: Path) -> None:
    np.savetxt(path, np.column_stack([TRUTH, SCORE]), delimiter=",", header="y_true,score", fmt="%.3f")


def savetxt_blanks(path: Path) -> None:
    np.savetxt(path, np.column_stack([TRUTH, SCORE]), header="y_true score", fmt="%.3f")


def weka(number: Callable[[int], str], heading: str = "prediction") -> str:
    """WEKA's text: the case, the true class, the predicted one, a plus where they differ, and its numbers."""
    lines = [f"\n=== Predictions on test data ===\n\n inst#     actual  predicted error {heading}"]
    for row in range(ROWS):
        true, predicted = ("1:neg", "2:pos")[TRUTH[row]], ("1:neg", "2:pos")[LABEL[row]]
        error = "+" if TRUTH[row] != LABEL[row] else " "
        lines.append(f"{row + 1:6} {true:>10} {predicted:>10}   {error}   {number(row)} ")
    return "\n".join([*lines, ""])


def of_predicted(row: int) -> str:
    return comma([round(max(SCORE[row], 1 - SCORE[row]), 3)])[0]


def of_both(row: int) -> str:
    pair = comma([round(1 - SCORE[row], 3), SCORE[row]])
    pair[LABEL[row]] = "*" + pair[LABEL[row]]
    return ",".join(pair)


def weka_cells() -> str:
    rows = [
        f"{row + 1},{TRUTH[row] + 1}:{('neg', 'pos')[TRUTH[row]]},{LABEL[row] + 1}:{('neg', 'pos')[LABEL[row]]},"
        f"{'+' if TRUTH[row] != LABEL[row] else ''},{of_predicted(row)}"
        for row in range(ROWS)
    ]
    return "\n".join(["inst#,actual,predicted,error,prediction", *rows, ""])


def lines(*objects: dict[str, Any]) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


def long_integers(path: Path) -> None:
    pl.DataFrame({"y_true": TRUTH, "score": 2**60 + np.arange(ROWS)}).write_parquet(path)


def excel_csv(path: Path) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
        writer.writerow(["y_true", "score"])
        writer.writerows(zip(TRUTH, comma(SCORE), strict=True))


WEKA_FIGURES = {"roc_auc": FIGURES["roc_auc"], "accuracy": float((LABEL == TRUTH).mean())}
BIG = [str(9007199254740993 + value) for value in TRUTH]


def read(name: str, by: str, write: Write, *options: str, **facts: Any) -> Case:
    known: dict[str, Any] = {"roles": ROLES, "figures": FIGURES}
    return Case(name, by, write, options, **known | facts)


def refused(name: str, by: str, write: Write, sentence: str, *options: str) -> Case:
    return Case(name, by, write, options, refused=sentence)


CASES: tuple[Case, ...] = (
    # Decimal commas.
    read(
        "pandas_european.csv",
        "pandas to_csv(sep=';', decimal=',')",
        lambda path: FRAME.to_csv(path, sep=";", decimal=",", index=False),
    ),
    read(
        "r_csv2.csv",
        "R write.csv2",
        text(table('"";"y_true";"score"', quoted(NUMBERS), TRUTH, comma(SCORE), separator=";")),
    ),
    read("readr_csv2.csv", "readr write_excel_csv2", text("\ufeff" + EUROPEAN)),
    read("excel_semicolons.csv", "Excel, German, CSV UTF-8", excel_csv),
    read(
        "quoted_commas.csv",
        "LibreOffice, comma-separated, German",
        text(table("y_true,score", TRUTH, quoted(comma(SCORE)))),
    ),
    read("tabs_and_commas.csv", "SPSS, tabs, German", text(EUROPEAN.replace(";", "\t"))),
    read(
        "float_labels.csv",
        "pandas, integers that became floats",
        text(table("y_true;score", comma(TRUTH * 1.0), comma(SCORE), separator=";")),
    ),
    read(
        "logits.csv",
        "scikit-learn decision_function, European",
        text(table("y_true;score", TRUTH, comma(LOGIT), separator=";")),
        figures={"roc_auc": area(LOGIT)},
    ),
    read(
        "said.csv",
        "a spreadsheet with three decimals and no zero before them",
        text(ABOVE_ONE),
        "--decimal",
        ",",
        figures={"roc_auc": area(SCORE)},
    ),
    refused("ambiguous.csv", "the same, and nothing said", text(ABOVE_ONE), "which can be read as"),
    refused(
        "mixed_marks.csv",
        "two files pasted together",
        text(EUROPEAN + "1;0.5\n"),
        "one decimal mark in the whole column",
    ),
    # Thousands.
    read(
        "thousands.csv",
        "Excel, English, with a thousands separator",
        text(table("y_true,score,weight", TRUTH, SCORE, [f'"{value:,.1f}"' for value in WEIGHT])),
        roles={**ROLES, "weight": "weight"},
        figures={"roc_auc": area(SCORE, WEIGHT)},
    ),
    read(
        "thousands_said.csv",
        "Excel, English, whole thousands",
        text(table("y_true,score,weight", TRUTH, SCORE, [f'"{value:,.0f}"' for value in 2 * WEIGHT])),
        "--decimal",
        ".",
        roles={**ROLES, "weight": "weight"},
        figures={"roc_auc": area(SCORE, WEIGHT)},
    ),
    refused(
        "point_thousands.csv",
        "Excel, German, with a thousands separator",
        text(table("y_true;score;weight", TRUTH, comma(SCORE), GERMAN_THOUSANDS, separator=";")),
        "which can be read as",
    ),
    # Percentages.
    read("percent.csv", "Excel, a column formatted as %", text(table("y_true,score", TRUTH, PERCENT))),
    read("percent_european.csv", "Excel, French", text(table("y_true;score", TRUTH, FRENCH_PERCENT, separator=";"))),
    refused(
        "percent_mixed.csv",
        "typed by hand",
        text(table("y_true,score", TRUTH, [*PERCENT[:-1], "0.5"])),
        "beside plain numbers",
    ),
    # Rows that are numbered, lines above, ends of lines.
    read("pandas_index.csv", "pandas to_csv()", lambda path: FRAME.to_csv(path)),
    read("pandas_unnamed.csv", "pandas, a file with an index read and written again", twice_written),
    read("r_csv.csv", "R write.csv", text(table('"","y_true","score"', quoted(NUMBERS), TRUTH, SCORE))),
    read("polars.csv", "polars write_csv", lambda path: pl.from_pandas(FRAME).write_csv(path)),
    read("readr.csv", "readr write_csv, with a score that is NA", text(PLAIN + "1,NA\n"), "--missing", "drop"),
    read("quoted_numbers.csv", "csv.QUOTE_ALL", text(table('"y_true","score"', quoted(TRUTH), quoted(SCORE)))),
    read("pipes.csv", "a database export", text(PLAIN.replace(",", "|"))),
    read("tabs.csv", "Excel, tabs in a .csv", text(PLAIN.replace(",", "\t"))),
    read("commas.tsv", "a .tsv with commas", text(PLAIN)),
    read(
        "trailing.csv",
        "an export that ends each line with a delimiter",
        text(table("y_true;score;", TRUTH, SCORE, separator=";", tail=";")),
    ),
    read(
        "blank_columns.csv",
        "Excel, with columns that once held something",
        text(table("y_true,score,,", TRUTH, SCORE, tail=",,")),
    ),
    read("old_mac.csv", "Excel, CSV (Macintosh)", text(PLAIN.replace("\n", "\r"))),
    read("sep_line.csv", "Excel's own first line", text("sep=;\r\n" + EUROPEAN.replace("\n", "\r\n"))),
    read(
        "comments.csv", "a script that says what it did", text("# model: xgb, trained 2024-05-01\n# seed 7\n" + PLAIN)
    ),
    read("savetxt.csv", "numpy.savetxt(header=...)", savetxt),
    read("savetxt.txt", "numpy.savetxt(header=...) with blanks", savetxt_blanks),
    refused(
        "no_names.csv",
        "numpy.savetxt without a header",
        text(table("1,0.5", TRUTH, SCORE)),
        "holds numbers, not column names",
    ),
    refused(
        "write_table.txt",
        "R write.table",
        text(table('"y_true" "score"', quoted(NUMBERS), TRUTH, SCORE, separator=" ")),
        "3 values under 2 column names",
    ),
    # Encodings.
    read(
        "unicode_text.txt",
        "Excel, Unicode text",
        text("\ufeff" + EUROPEAN.replace(";", "\t").replace("\n", "\r\n"), "utf-16-le"),
    ),
    read("utf16_unmarked.csv", "PowerShell, without a mark", text(PLAIN, "utf-16-le")),
    read("utf16_big.csv", "Java, UTF-16", text("\ufeff" + PLAIN, "utf-16-be")),
    read("cp1252.csv", "Excel, German, CSV", text(UMLAUTS, "cp1252"), "--encoding", "cp1252", "--positive", "Müll"),
    refused(
        "cp1252_unsaid.csv", "the same, and nothing said", text(UMLAUTS, "cp1252"), "is not UTF-8", "--positive", "Müll"
    ),
    refused(
        "latin1_unsaid.csv",
        "a byte that cp1252 has not",
        raw(UMLAUTS.encode("cp1252").replace(b"w\xf6", b"w\x81")),
        "is not UTF-8",
        "--positive",
        "Müll",
    ),
    refused(
        "marked.csv",
        "UTF-16 and said to be cp1252",
        text("\ufeff" + PLAIN, "utf-16-le"),
        "starts with the mark of UTF-16",
        "--encoding",
        "cp1252",
    ),
    # Packed.
    read("packed.csv.bz2", "bzip2", raw(bz2.compress(PLAIN.encode()))),
    read("packed.csv.xz", "xz", raw(lzma.compress(EUROPEAN.encode()))),
    read("packed.zip", "macOS, Compress", zipped({"preds.csv": PLAIN, "__MACOSX/._preds.csv": "\0"})),
    refused(
        "two.zip",
        "an archive of two files",
        zipped({"a.csv": PLAIN, "b.csv": PLAIN}),
        "zip archive of 2 files ('a.csv', 'b.csv')",
    ),
    # Excel.
    read("one_sheet.xlsx", "pandas to_excel", book(("Sheet1", SHEET), ("Sheet2", []))),
    read(
        "second_sheet.xlsx",
        "Excel, results on the second sheet",
        book(("Notes", [["made by hand"]]), ("Results", SHEET)),
        "--sheet",
        "Results",
    ),
    refused(
        "two_sheets.xlsx",
        "Excel, and no sheet named",
        book(("Results", SHEET), ("Notes", [["made by hand"]])),
        "has data on 2 sheets ('Results', 'Notes')",
    ),
    refused(
        "wrong_sheet.xlsx",
        "Excel, and a sheet misspelled",
        book(("Results", SHEET)),
        "has no sheet 'results'",
        "--sheet",
        "results",
    ),
    read("rich.xlsx", "Excel: dates, booleans, formulas, blank rows at the end", book(("Sheet1", RICH), tail=5)),
    read(
        "numbers_as_text.xlsx",
        "Excel, numbers stored as text",
        book(("Sheet1", [SHEET[0], *rows_of(TRUTH.tolist(), comma(SCORE))])),
    ),
    refused(
        "errors.xlsx", "Excel, a cell that shows an error", book(("Sheet1", WITH_ERROR)), "row 3: 'score' is missing"
    ),
    # NumPy.
    read("structured.npy", "numpy.save of a structured array", structured),
    refused(
        "two_columns.npy",
        "numpy.save(column_stack([y, p]))",
        saved(np.column_stack([TRUTH, SCORE])),
        "no column of true labels found",
    ),
    refused(
        "three_columns.npy",
        "numpy.save of three columns",
        saved(np.column_stack([TRUTH, SCORE, LOGIT])),
        "no column of true labels found",
    ),
    refused(
        "two_labels.npy",
        "numpy.save of labels",
        saved(np.column_stack([TRUTH, LABEL])),
        "no column of true labels found",
    ),
    refused("one_column.npy", "numpy.save(y_score)", saved(SCORE), "holds one array of shape (40,)"),
    read(
        "arrays.npz", "numpy.savez", savez(y_true=TRUTH, y_score=SCORE), roles={"truth": "y_true", "score": "y_score"}
    ),
    read(
        "named.npz",
        "numpy.savez with names of one's own",
        savez(outcome=TRUTH, risk=SCORE),
        "--truth",
        "outcome",
        "--score",
        "risk",
        roles={"truth": "outcome", "score": "risk"},
    ),
    read(
        "predict_proba.npz",
        "numpy.savez(y_proba=model.predict_proba(X))",
        savez(y_true=TRUTH, y_proba=np.column_stack([1 - SCORE, SCORE])),
        roles={"truth": "y_true"},
    ),
    read(
        "classes.npz",
        "numpy.savez(classes=model.classes_)",
        savez(y_true=THREE, y_proba=THIRDS[:, ::-1], classes=np.array(["soft", "mild", "hard"])),
        roles={"truth": "y_true"},
        figures={"accuracy": float((np.array(["hard", "mild", "soft"])[THIRDS.argmax(axis=1)] == THREE).mean())},
    ),
    refused(
        "objects.npz",
        "numpy.savez of a pandas column",
        savez(y_true=THREE.astype(object), y_score=SCORE),
        "holds Python objects",
    ),
    # WEKA.
    read(
        "weka_comma.txt",
        "WEKA, German, without the distribution",
        text(weka(of_predicted)),
        "--positive",
        "pos",
        roles={"truth": "actual", "pred": "predicted"},
        figures=WEKA_FIGURES,
    ),
    read(
        "weka_distribution.txt",
        "WEKA, German, with the distribution",
        text(weka(of_both, "distribution")),
        "--positive",
        "pos",
        roles={"truth": "actual", "pred": "predicted"},
        figures=WEKA_FIGURES,
    ),
    read(
        "weka_comma.csv",
        "WEKA, German, CSV",
        text(weka_cells()),
        "--positive",
        "pos",
        roles={"truth": "actual", "pred": "predicted"},
        figures=WEKA_FIGURES,
    ),
    # Digits and keys.
    refused(
        "twice.jsonl",
        "a logger that writes a key twice",
        text('{"y_true": 1, "score": 0.5, "score": 0.6}\n{"y_true": 0, "score": 0.2}\n'),
        "has 'score' twice",
    ),
    refused("long_integers.parquet", "scores that are ids", long_integers, "which would be rounded"),
    read(
        "long_labels.csv",
        "labels of 16 digits",
        text(table("y_true,score", BIG, SCORE)),
        "--positive",
        "9007199254740994",
    ),
    read(
        "late_key.jsonl",
        "a log whose first thousand rows have no score",
        text(
            lines(
                *({"y_true": int(t)} for t in np.tile(TRUTH, 30)),
                *({"y_true": int(t), "score": float(s)} for t, s in zip(TRUTH, SCORE, strict=True)),
            )
        ),
        "--missing",
        "drop",
    ),
)
