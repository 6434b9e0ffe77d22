"""Rows of a file as text: the same whichever format holds them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from assay.errors import InputError
from assay.request import Request
from assay.sources import held_rows

TABLE = pd.DataFrame({"id": ["a", "b", "c"], "label": ["ham", "spam", "spam"], "score": [0.25, 0.5, 0.75]})
ARFF = (
    "@relation r\n@attribute id {a,b,c}\n@attribute label {ham,spam}\n@attribute score numeric\n@data\n"
    "a,ham,0.25\nb,spam,0.5\nc,spam,0.75\n"
)


def written(folder: Path, form: str) -> Path:
    path = folder / f"table.{form}"
    if form == "csv":
        TABLE.to_csv(path, index=False)
    elif form == "feather":
        TABLE.to_feather(path)
    elif form == "xlsx":
        TABLE.to_excel(path, index=False, engine="xlsxwriter")
    else:
        path.write_text(ARFF)
    return path


@pytest.mark.parametrize("form", ["csv", "feather", "xlsx", "arff"])
def test_rows_are_found_by_place_and_by_id_in_every_table(form: str, tmp_path: Path) -> None:
    path = written(tmp_path, form)
    assert held_rows(path, first=2).places == (1, 2)
    found = held_rows(path, places=[3, 9])
    assert (found.names, found.places, found.values) == (("id", "label", "score"), (3,), (("c", "spam", "0.75"),))
    assert held_rows(path, ids=("id", ["c", "a", "z"])).places == (1, 3)


def test_rows_are_those_of_the_sheet_that_was_named(tmp_path: Path) -> None:
    path = tmp_path / "two.xlsx"
    with pd.ExcelWriter(path, engine="xlsxwriter") as book:
        TABLE.iloc[::-1].to_excel(book, sheet_name="last first", index=False)
        TABLE.to_excel(book, sheet_name="as they are", index=False)
    for sheet, values in (("last first", ("c", "spam", "0.75")), ("as they are", ("a", "ham", "0.25"))):
        assert held_rows(path, Request(sheet=sheet), first=1).values == (values,)
    with pytest.raises(InputError, match="data on 2 sheets"):
        held_rows(path, first=1)
    with pytest.raises(InputError, match="no sheet 'other'"):
        held_rows(path, Request(sheet="other"), first=1)


def test_texts_of_arff_are_shown_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "notes.arff"
    rows = "ham,0.250,'it\\'s, fine',01\nspam,0.5,?,\"2\"\n"
    head = "@relation r\n@attribute label {ham,spam}\n@attribute score numeric\n@attribute note string\n"
    path.write_text(f"{head}@attribute 'day of it' date\n@data\n{rows}")
    found = held_rows(path, places=[1, 2])
    assert found.names == ("label", "score", "note", "day of it")
    assert found.values == (("ham", "0.250", "it's, fine", "01"), ("spam", "0.5", None, "2"))
