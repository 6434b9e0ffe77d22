"""Texts made to be slow to read: reading one that is four times as long takes no more than some times the time."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.request import Request
from assay.sources import from_file

HEADING = " inst#     actual  predicted error prediction\n"
DISTRIBUTED = HEADING.replace("prediction\n", "distribution\n")
AS_CSV = "inst#,actual,predicted,error,prediction\n"
CASES = "     1        1:a        2:b   +   0.7 \n     2        2:b        2:b       0.6 \n"
ARFF = "@relation x\n@attribute y_true {a,b}\n@attribute score real\n@data\na,0.1\nb,0.7\n"
LINES: dict[str, Callable[[int], str]] = {
    "weka, labels": lambda n: HEADING + CASES + "3 1:" + " 1:" * n + "\n",
    "weka, unknown labels": lambda n: HEADING + CASES + "3 1:a" + " ? 0.5 x" * n + "\n",
    "weka, blanks": lambda n: HEADING + CASES + "3 1:a" + " " * n + "x\n",
    "weka, numbers": lambda n: HEADING + CASES + "3 1:a 2:b " + "0123456," * n + "\n",
    "weka, brackets": lambda n: HEADING + CASES + "3 1:a 2:b" + " 0.5 (" * n + "\n",
    "weka, digits": lambda n: HEADING + CASES + "9" * n + " 1:a 2:b 0.5\n",
    "weka, class": lambda n: HEADING + CASES + "3 1:a " + "9" * n + ":b 0.5\n",
    "weka, cells": lambda n: AS_CSV + "1,1:a" + ",1:" * n + "\n",
    "weka, decimal commas": lambda n: DISTRIBUTED + "1 1:a 1:a " + "0,12," * n + "0,1\n",
    "arff, blanks": lambda n: ARFF + "a" + " " * n + "}\n",
    "arff, brace": lambda n: ARFF + "a,0.1,{" + " " * n + "{x}\n",
    "arff, quotes": lambda n: ARFF + "'" + "\\'" * n + "\n",
    "blank lines": lambda n: "\n" * n + "x\n",
    "comments": lambda n: "% x\n \n" * n + "x\n",
    "a long name": lambda n: "y_true,score," + "a_" * n + "\n0,0.1,1\n1,0.7,1\n",
    "a long label": lambda n: "y_true,score\nno,0.1\n" + "x" * n + ",0.7\n",
    "a long number": lambda n: "y_true,score\n0," + "1" * n + "\n1,0.2\n",
    "a long fraction": lambda n: "y_true,score\n0.5" + "1" * n + ",0.1\n1,0.2\n",
    "deep JSON": lambda n: '{"y_true": 0, "score": ' + "[" * n + "]" * n + "}\n",
    "a deep array": lambda n: "[" * n + "]" * n,
}


def seconds(folder: Path, name: str, size: int) -> float:
    path = folder / "file"
    path.write_text(LINES[name](size), encoding="utf-8")
    start = time.process_time()
    with contextlib.suppress(InputError):
        from_file(path)
    return time.process_time() - start


@pytest.mark.parametrize("name", LINES)
def test_a_line_is_read_in_the_time_its_length_takes(tmp_path: Path, name: str) -> None:
    seconds(tmp_path, name, 10)
    short, long = seconds(tmp_path, name, 5_000), seconds(tmp_path, name, 20_000)
    # What is quadratic takes 16 times as long, and at this length seconds.
    assert long < 8 * short + 0.5


@pytest.mark.parametrize("name", ["a long label", "a long fraction", "weka, labels"])
def test_what_is_said_of_it_is_short(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    path.write_text(LINES[name](100_000), encoding="utf-8")
    with pytest.raises(InputError) as error:
        from_file(path, Request(ignore=()))
    assert len(str(error.value)) < 1_000
    assert len(error.value.for_command_line()) < 1_000
