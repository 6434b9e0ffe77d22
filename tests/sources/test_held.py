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


def test_another_sheet_is_not_taken_for_the_first(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not shown by themselves yet"):
        held_rows(written(tmp_path, "xlsx"), Request(sheet="Sheet1"), first=1)
