"""How numbers are written: a column has one reading or none, the same in the engine and in a list."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.sources.column_values import ListedTexts, Written, how_written
from assay.sources.engine.queries import EngineTexts, point_number

POINT, COMMA = Written("."), Written(",")
READINGS: list[tuple[list[str], str | None, Written | str]] = [
    (["0.5", "1"], None, POINT),
    (["0,5", "1"], None, COMMA),
    (["0,5", "1,234"], None, COMMA),
    (["1,234", "0.5"], None, POINT),
    (["1,234", "1,234,567"], None, POINT),
    (["1.234,5", "2"], None, COMMA),
    (["1,234.5", "2"], None, POINT),
    (["1'234.5"], None, POINT),
    (["1\u202f234,5"], None, COMMA),
    (["-1,25e-05", "+,5"], None, COMMA),
    (["5,160e-01"], None, COMMA),
    (["5%", "12.5 %"], None, Written(".", percent=True)),
    (["5 %", "12,5\u00a0%", "NA"], None, Written(",", percent=True)),
    (["1,234"], ",", COMMA),
    (["1,234"], ".", POINT),
    (["1.234"], ",", COMMA),
    (["1,234"], None, "which can be read as 1.234 or 1234"),
    (["12,500%"], None, "which can be read as"),
    (["0,5", "0.5"], None, "one decimal mark"),
    (["0,5", "many"], None, "holds the text 'many'"),
    (["1,2,3"], None, "holds the text '1,2,3'"),
    (["1e3 %"], None, "holds the text '1e3 %'"),
    (
        ["0.5"],
        ",",
        "not a number with a decimal comma; needed: the decimal mark; pass decimal='.'",
    ),
    (
        ["0,5"],
        ".",
        "not a number with a decimal point; needed: the decimal mark; pass decimal=','",
    ),
    (["5%", "0.5"], None, "holds percentages ('5%' in row 1) beside plain numbers ('0.5' in row 2)"),
]


def in_engine(values: list[str]) -> EngineTexts:
    return EngineTexts(duckdb.from_arrow(pa.table({"p": values})), 1, "p")


def said(found: Written | InputError) -> Any:
    return found if isinstance(found, Written) else str(found)


@pytest.mark.parametrize(("values", "decimal", "expected"), READINGS)
def test_a_column_has_one_reading_or_none(values: list[str], decimal: str | None, expected: Written | str) -> None:
    found = how_written(ListedTexts("p", values), decimal)
    assert said(found) == said(how_written(in_engine(values), decimal))
    assert found == expected if isinstance(expected, Written) else expected in str(found)


def test_a_point_may_part_thousands_beside_a_column_of_decimal_commas() -> None:
    weights = ListedTexts("w", ["1.234", "5.000"])
    assert how_written(weights) == POINT
    assert "which can be read as 1.234 or 1234" in str(how_written(weights, beside_commas=True))
    assert how_written(ListedTexts("w", ["1.25", "5.000"]), beside_commas=True) == POINT


numbers = st.decimals(-10_000, 10_000, places=3).map(str)


@given(values=st.lists(numbers, min_size=1), mark=st.sampled_from(",."), percent=st.booleans())
def test_what_is_said_is_what_is_read(values: list[str], mark: str, percent: bool) -> None:
    texts = [value.replace(".", mark) + (" %" if percent else "") for value in values]
    found = how_written(ListedTexts("p", texts), mark)
    assert found == Written(mark, percent)
    expected = [float(value + "e-2" if percent else value) for value in values]
    assert [found.number(text) for text in texts] == expected
    relation = in_engine(texts).relation.project(f"CAST({point_number('p', found)} AS DOUBLE)")
    assert [value for (value,) in relation.fetchall()] == expected


@given(values=st.lists(st.text("0123456789,.%e -+'", min_size=1, max_size=7), min_size=1, max_size=4))
def test_engine_and_list_agree_on_anything(values: list[str]) -> None:
    for decimal in (None, ",", "."):
        of_list, of_engine = (how_written(c, decimal) for c in (ListedTexts("p", values), in_engine(values)))
        if isinstance(of_list, Written):
            assert of_list == of_engine
            for text in values:
                if text.strip():
                    of_list.number(text)
        else:
            assert isinstance(of_engine, InputError)
