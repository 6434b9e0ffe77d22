"""Files in formats that are not read, such as R's: what each is, and how to make CSV of the table in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from assay.errors import InputError
from assay.sources._wording import shown

__all__ = ["READABLE", "refuse_foreign"]

READABLE = "CSV, TSV, JSON lines, ARFF, Parquet, Feather, .xlsx, .npy or .npz, as it is or in gzip, bzip2, xz or zip"


@dataclass(frozen=True)
class Foreign:
    """A format: what a file of it is, its suffixes and first bytes, and how to get a table that is read."""

    kind: str
    suffixes: tuple[str, ...] = ()
    marks: tuple[bytes, ...] = ()
    export: str = ""


FORMATS = (
    Foreign("an R data file", (".rds",), (b"X\n\x00\x00\x00", b"A\n2\n", b"A\n3\n"),
            "in R: write.csv(readRDS('{name}'), '{csv}', row.names = FALSE)"),
    Foreign("an R workspace", (".rdata", ".rda"), (b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n"),
            "in R: load('{name}'), then write.csv(predictions, '{csv}', row.names = FALSE)"),
    Foreign("a file of joblib, which may run anything when it is read", (".joblib",), (),
            "in Python, if you trust the file: joblib.load('{name}').to_csv('{csv}', index=False)"),
    Foreign("a pickle, which may run anything when it is read", (".pkl", ".pickle"),
            tuple(bytes([0x80, version]) for version in range(2, 6)),
            "in Python, if you trust the file: pandas.read_pickle('{name}').to_csv('{csv}', index=False)"),
    Foreign("an SPSS file", (".sav", ".zsav", ".por"), (b"$FL2", b"$FL3"),
            "in Python: pandas.read_spss('{name}').to_csv('{csv}', index=False)"),
    Foreign("a Stata file", (".dta",), (b"<stata_dta>",),
            "in Stata: export delimited using '{csv}', nolabel"),
    Foreign("a SAS file", (".sas7bdat", ".xpt"), (b"HEADER RECORD***",),
            "in Python: pandas.read_sas('{name}').to_csv('{csv}', index=False)"),
    Foreign("a MATLAB file", (".mat",), (b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file"),
            "in MATLAB: writetable(predictions, '{csv}')"),
    Foreign("an HDF5 file", (".h5", ".hdf5", ".hdf", ".keras"), (b"\x89HDF\r\n\x1a\n",),
            "in Python: pandas.read_hdf('{name}').to_csv('{csv}', index=False)"),
    Foreign("an Excel workbook of before 2007, or one with a password", (".xls",), (b"\xd0\xcf\x11\xe0",),
            "the workbook saved as .xlsx without a password, or as CSV"),
    Foreign("a Feather file of the first version", (), (b"FEA1",),
            "in Python: pandas.read_feather('{name}').to_csv('{csv}', index=False)"),
    Foreign("an ORC file", (".orc",), (b"ORC",), "in Python: pandas.read_orc('{name}').to_csv('{csv}', index=False)"),
    Foreign("an Avro file", (".avro",), (b"Obj\x01",)),
    Foreign("an SQLite database", (".sqlite", ".sqlite3", ".db"), (b"SQLite format 3",),
            "its table as CSV: sqlite3 -header -csv '{name}' 'SELECT * FROM predictions' > '{csv}'"),
    Foreign("a model, not its predictions", (".onnx", ".pt", ".pth", ".pb", ".safetensors", ".ubj", ".cbm"), (),
            "its predictions beside the true labels"),
    Foreign("a PDF document", (".pdf",), (b"%PDF",), "the table that it was made from"),
    Foreign("a picture", (".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff"),
            (b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), "the table that it was made from"),
    Foreign("compressed with zstd", (".zst",), (b"\x28\xb5\x2f\xfd",), "the file unpacked: zstd -d '{name}'"),
)  # fmt: skip


SHORT = (b"ORC", b"A\n2", b"A\n3")


def refuse_foreign(name: str, head: bytes) -> None:
    """Refuse a file that begins as one of these formats does, or that is called so and holds no text.

    >>> refuse_foreign("preds.rds", b"X\\n\\x00\\x00\\x00\\x03")
    Traceback (most recent call last):
    assay.errors.InputError: 'preds.rds' is an R data file; needed: CSV; in R: write.csv(readRDS('preds.rds'),
    'preds.csv', row.names = FALSE)
    """
    suffix = PurePath(name.lower().removesuffix(".gz")).suffix
    called = next((each for each in FORMATS if suffix in each.suffixes), None)
    if called is not None and (not _is_text(head) or head.startswith(called.marks)):
        raise _refused(name, called)
    marked = next((each for each in FORMATS if each.marks and head.startswith(each.marks)), None)
    # Three letters may begin a table.
    if marked is not None and not (_is_text(head) and head[:3] in SHORT):
        raise _refused(name, marked)


def _refused(name: str, found: Foreign) -> InputError:
    export = found.export.format(name=name, csv=f"{PurePath(name).stem}.csv")
    plain = export.startswith(("the ", "its "))
    needed = export if plain else f"CSV; {export}" if export else READABLE
    return InputError(f"{shown(name)} is {found.kind}", needed)


def _is_text(head: bytes) -> bool:
    """Whether the beginning of a file can be text in UTF-8, but for a character that its end cuts in two."""
    if b"\0" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 4
    return True
