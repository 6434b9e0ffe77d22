"""Class names and the positive class."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from assay.errors import InputError
from assay.sources._labels import label_name, settle

pandas: Any = pytest.importorskip("pandas")


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([True, np.True_, "True", "true", " TRUE "], "True"),
        ([1, np.int8(1), 1.0, np.float32(1), "1", "1.0", "1.", "+1", Decimal("1.00"), b"1"], "1"),
        ([0, -0.0, "-0", "0.00"], "0"),
        ([-1, "-1.0"], "-1"),
        ([0.5, np.float32(0.5), "0.5"], "0.5"),
        (["spam", " spam\t", b"spam", np.str_("spam")], "spam"),
        (["007"], "007"),
        (["1e3"], "1e3"),
        (["1,0"], "1,0"),
        (
            [
                None,
                float("nan"),
                np.float32("nan"),
                pandas.NA,
                pandas.NaT,
                "",
                " ",
                "NA",
                "n/a",
                "NaN",
                "null",
                "None",
                "?",
            ],
            None,
        ),
    ],
)
def test_a_class_goes_by_one_name_whatever_it_came_from(values: list[Any], name: str | None) -> None:
    assert [label_name(value) for value in values] == [name] * len(values)


@pytest.mark.parametrize(
    ("truth", "predicted", "positive", "expected"),
    [
        (["0", "1"], [], None, ("0", "1")),
        (["-1", "1"], [], None, ("-1", "1")),
        (["False", "True"], [], None, ("False", "True")),
        (["neg", "pos"], [], None, ("neg", "pos")),
        (["Negative", "Positive"], [], None, ("Negative", "Positive")),
        (["No", "yes"], [], None, ("No", "yes")),
        (["N", "Y"], [], None, ("N", "Y")),
        (["F", "T"], [], None, ("F", "T")),
        (["+", "-"], [], None, ("-", "+")),
        (["0", "1"], [], 0, ("1", "0")),
        (["0", "1"], [], True, ("0", "1")),
        (["False", "True"], [], 1, ("False", "True")),
        (["ham", "spam"], [], "spam", ("ham", "spam")),
        (["ham", "spam"], [], " ham", ("spam", "ham")),
        (["0"], [], None, ("0", "1")),
        (["1"], [], None, ("0", "1")),
        (["-1"], [], None, ("-1", "1")),
        (["YES"], [], None, ("NO", "YES")),
        (["True"], [], None, ("False", "True")),
        (["1"], ["-1", "1"], None, ("-1", "1")),
        (["ham"], ["ham", "spam"], "spam", ("ham", "spam")),
        (["ham"], [], "ham", ("not ham", "ham")),
        (["ham"], [], "spam", ("ham", "spam")),
    ],
)
def test_the_classes_are_settled(
    truth: list[str], predicted: list[str], positive: Any, expected: tuple[str, str]
) -> None:
    classes = settle(truth, predicted, positive, column="y", rows=100)
    assert (classes.names, classes.inferred) == (expected, positive is None)


@pytest.mark.parametrize(
    ("truth", "positive", "rows", "sentence"),
    [
        (
            ["ham", "spam"],
            None,
            9,
            (
                "'y' holds 'ham' and 'spam'; needed: which class is positive; pass one of:\n"
                "  positive='spam'\n  positive='ham'"
            ),
        ),
        (
            ["1", "2"],
            None,
            9,
            "'y' holds '1' and '2'; needed: which class is positive; pass one of:\n  positive='2'\n  positive='1'",
        ),
        (
            ["ham"],
            None,
            9,
            (
                "'y' holds only 'ham'; needed: which class is positive; if it is another one, classes names both; "
                "pass positive='ham'"
            ),
        ),
        (
            ["ham", "spam"],
            "Ham",
            9,
            "'y' holds 'ham' and 'spam', not 'Ham'; needed: a positive class that occurs; pass positive='ham'",
        ),
        (
            ["0", "1"],
            "yes",
            9,
            (
                "'y' holds '0' and '1', not 'yes'; needed: a positive class that occurs; pass one of:\n"
                "  positive='0'\n  positive='1'"
            ),
        ),
        (
            ["a", "b", "c"],
            "B",
            9,
            "'y' holds 'a', 'b', 'c', not 'B'; needed: a positive class that occurs; pass positive='b'",
        ),
        (
            list("abcde"),
            None,
            5,
            (
                "'y' holds 5 different values in 5 rows ('a', 'b', 'c' and 2 more), which looks like an id "
                "or a measurement, not classes; needed: a column of classes"
            ),
        ),
        (
            [str(i) for i in range(21)],
            None,
            41,
            (
                "'y' holds 21 different values in 41 rows ('0', '1', '2' and 18 more), "
                "which looks like an id or a measurement, not classes; needed: a column of classes"
            ),
        ),
        (
            [str(i / 10) for i in range(21)],
            None,
            900,
            (
                "'y' holds 21 different values in 900 rows ('0.0', '0.1', '0.2' and 18 more), "
                "which looks like an id or a measurement, not classes; needed: a column of classes"
            ),
        ),
        ([], None, 3, "'y' is missing in every row; needed: a true class for each case"),
    ],
)
def test_the_positive_class_is_never_guessed(truth: list[str], positive: Any, rows: int, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        settle(truth, [], positive, column="y", rows=rows)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("truth", "known", "expected"),
    [
        (["a", "c", "b"], [], ["a", "b", "c"]),
        (["10", "9", "-1"], [], ["-1", "9", "10"]),
        (["10", "9", "x"], [], ["10", "9", "x"]),
        (["1", "1.5", "2"], [], ["1", "1.5", "2"]),
        (["b", "a"], ["c", "b", "a"], ["c", "b", "a"]),
        (["b", "a"], ["c"], ["a", "b", "c"]),
        (["a"], ["c", "b", "a"], ["c", "b", "a"]),
        ([str(i) for i in range(30)], [], [str(i) for i in range(30)]),
        ([f"{i:03d}" for i in range(1000)], [], [f"{i:03d}" for i in range(1000)]),
    ],
)
def test_many_classes_stand_in_their_own_order_and_none_is_positive(
    truth: list[str], known: list[str], expected: list[str]
) -> None:
    classes = settle(truth, [], None, column="y", rows=2 * len(truth), known=known)
    assert (classes.names, classes.inferred, classes.are_many) == (tuple(expected), False, True)


def test_a_second_class_may_be_known_though_it_never_occurs() -> None:
    assert settle(["ham"], ["other"], "spam", column="y", rows=9, known=["spam", "ham"]).names == ("ham", "spam")


def test_one_of_many_classes_stands_against_the_rest() -> None:
    classes = settle(["a", "b", "c"], [], "b", column="y", rows=9)
    assert (classes.names, classes.against) == (("a", "b", "c"), "b")


def test_the_rarer_class_is_offered_first_whatever_the_alphabet() -> None:
    with pytest.raises(InputError) as caught:
        settle(["ham", "spam"], [], None, column="y", rows=10, sizes=lambda: {"ham": 2, "spam": 8})
    assert str(caught.value).splitlines()[1:] == [
        "  positive='ham'    20.0 %, 2 rows",
        "  positive='spam'   80.0 %, 8 rows",
    ]
