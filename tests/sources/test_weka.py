"""What WEKA prints and writes: its predictions in text and CSV, and ARFF's finer points."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.predictions import Predictions
from assay.request import Request
from assay.sources import Reading, from_file

HEADING = "\n=== Predictions on test data ===\n\n inst#     actual  predicted error "
IRIS = ("Iris-setosa", "Iris-versicolor", "Iris-virginica")


def read(folder: Path, text: str, choices: Request | None = None, name: str = "out.txt") -> Reading:
    (folder / name).write_text(text, encoding="utf-8")
    return from_file(folder / name, choices)


def only(reading: Reading) -> Predictions:
    return reading.models["model"]


def listed(values: object) -> list[object] | None:
    return None if values is None else values.tolist()  # type: ignore[attr-defined]


TEXT = (
    "=== Run information ===\n"
    "Scheme: J48\n"
    f"{HEADING}distribution\n"
    "     1 3:Iris-vir 3:Iris-vir       0,0.024,*0.976 \n"
    "     2 2:Iris-ver 3:Iris-vir   +   0.1,0.3,*0.6 (5.1,3.5)\n"
    "     3 1:Iris-set 1:Iris-set       *1,0,0\n"
    "\n=== Summary ===\nCorrectly Classified Instances 2 66.6667 %\n"
)


def test_the_distribution_in_text(tmp_path: Path) -> None:
    reading = read(tmp_path, TEXT)
    found = only(reading)
    assert reading.source.format == "weka"
    assert found.classes == found.decisions == ("Iris-set", "Iris-ver", "Iris-vir")
    assert found.truth.tolist() == [2, 1, 0]
    assert listed(found.decision) == [2, 2, 0]
    assert listed(found.probability) == [[0, 0.024, 0.976], [0.1, 0.3, 0.6], [1, 0, 0]]
    assert found.fold is None


@pytest.mark.parametrize("separator", [",", "\t"])
def test_the_distribution_in_csv(tmp_path: Path, separator: str) -> None:
    rows = [
        "inst#,actual,predicted,error,distribution,,,petal",
        "1,1:Iris-setosa,1:Iris-setosa,,*0.958,0.021,0.021,7",
        "2,2:Iris-versicolor,1:Iris-setosa,+,*0.5,0.25,0.25,7",
        "3,3:Iris-virginica,3:Iris-virginica,,0.022,0.044,*0.933,7",
    ]
    found = only(read(tmp_path, "\n".join(rows).replace(",", separator) + "\n", name="out.csv"))
    assert found.classes == IRIS
    assert found.truth.tolist() == [0, 1, 2]
    assert listed(found.decision) == [0, 0, 2]
    assert listed(found.probability) == [[0.958, 0.021, 0.021], [0.5, 0.25, 0.25], [0.022, 0.044, 0.933]]


def test_without_the_distribution_two_classes_have_a_score(tmp_path: Path) -> None:
    rows = (
        " 1 2:tested_p 2:tested_p       0.9\n 2 1:tested_n 2:tested_p   +   0.6\n 3 1:tested_n 1:tested_n       0.7\n"
    )
    found = only(read(tmp_path, f"{HEADING}prediction\n{rows}", Request(positive="tested_p")))
    assert listed(found.score) == [0.9, 0.6, 0.3]
    assert listed(found.decision) == [1, 1, 0]
    flipped = only(read(tmp_path, f"{HEADING}prediction\n{rows}", Request(positive="tested_n")))
    assert listed(flipped.score) == [0.1, 0.4, 0.7]


def test_without_the_distribution_many_classes_have_labels_alone(tmp_path: Path) -> None:
    rows = "inst#,actual,predicted,error,prediction\n1,1:soft,1:soft,,0.9\n2,2:hard,3:none,+,0.9\n3,3:none,3:none,,1\n"
    found = only(read(tmp_path, rows, name="out.csv"))
    # Its own order of classes; and a class called none is a class.
    assert found.classes == ("soft", "hard", "none")
    assert (found.probability, found.score, listed(found.decision)) == (None, None, [0, 2, 2])


def test_instance_numbers_that_start_again_begin_a_fold(tmp_path: Path) -> None:
    rows = "".join(f"  {number} 1:no 2:yes   +  0.4,*0.6\n" for number in (1, 2, 3, 1, 2, 1))
    reading = read(tmp_path, f"{HEADING}distribution\n{rows}")
    assert listed(only(reading).fold) == [0, 0, 0, 1, 1, 2]
    assert only(read(tmp_path, f"{HEADING}distribution\n{rows}", Request(ignore=("fold",)))).fold is None


def test_what_weka_does_not_know(tmp_path: Path) -> None:
    rows = "  1 1:no 2:yes   +  0.4,*0.6\n  2 1:? 2:yes      0.4,*0.6\n  3 1:no ?      ?\n"
    reading = read(tmp_path, f"{HEADING}distribution\n{rows}", Request(missing="drop"))
    assert (reading.source.dropped, only(reading).truth.tolist()) == (2, [0])


def test_names_that_weka_cut_until_they_are_alike_keep_their_numbers(tmp_path: Path) -> None:
    rows = "  1 1:class_na 2:class_na   +  0.4,*0.6\n"
    found = only(read(tmp_path, f"{HEADING}distribution\n{rows}", Request(positive="2:class_na")))
    assert found.classes == ("1:class_na", "2:class_na")


def test_names_with_spaces_and_signs(tmp_path: Path) -> None:
    rows = "  1 1:'new york' 2:+   +   0.4,*0.6\n  2 2:+ 1:new york   +  *0.8,0.2\n  3 2:+ 2:+      0.1,*0.9\n"
    found = only(read(tmp_path, f"{HEADING}distribution\n{rows}", Request(positive="+")))
    assert found.classes == ("new york", "+")
    assert listed(found.decision) == [1, 0, 1]
    assert listed(found.score) == [0.6, 0.2, 0.9]


ARFF = """% A comment, and a blank line

@RELATION 'a relation'
@Attribute 'class'{none, soft , 'hard er', never}
@attribute "the score" REAL
@attribute pred {none,soft,'hard er',never}
@attribute when date "yyyy-MM-dd"
@attribute note string

@Data
none, .5, soft, "2024-01-01", 'it\\'s, so'
% Another
'hard er', ?, 'hard er', ?, "x {y}"
soft 2 none ? z, {2.5}
"""


def test_the_declaration_gives_classes_and_their_order(tmp_path: Path) -> None:
    reading = read(tmp_path, ARFF, name="a.arff")
    found = only(reading)
    assert found.classes == found.decisions == ("none", "soft", "hard er", "never")
    assert found.truth.tolist() == [0, 2, 1]
    assert listed(found.decision) == [1, 2, 0]
    assert listed(found.weight) == [1, 1, 2.5]
    assert (reading.source.format, reading.source.columns["weight"]) == ("arff", "weight")


def test_declared_classes_of_which_one_occurs(tmp_path: Path) -> None:
    text = "@relation x\n@attribute class {no, yes}\n@attribute score numeric\n@data\nno,1\nno,2\n"
    assert only(read(tmp_path, text, name="a.arff")).classes == ("no", "yes")
    assert only(read(tmp_path, text, name="without_suffix")).classes == ("no", "yes")


COMMAS = [
    ("distribution", "0,25,*0,75", "0,5,*0,5", [0.75, 0.5]),
    ("distribution", "0,*1", "0,125,*0,875", [1, 0.875]),
    ("prediction", "0,865", "1", [0.865, 1]),
]


@pytest.mark.parametrize(("heading", "first", "second", "expected"), COMMAS)
def test_decimal_commas_do_not_cut_numbers(
    tmp_path: Path, heading: str, first: str, second: str, expected: list[float]
) -> None:
    rows = f" 1 2:yes 2:yes       {first} \n 2 1:no 2:yes   +   {second} \n"
    reading = read(tmp_path, f"{HEADING}{heading}\n{rows}")
    assert listed(only(reading).score) == expected
    assert reading.source.notes == ("decimal comma",)
    assert read(tmp_path, f"{HEADING}{heading}\n{rows}", Request(decimal=",")).source.notes == ("decimal comma",)


def test_decimal_commas_of_many_classes(tmp_path: Path) -> None:
    rows = " 1 1:a 3:c   +   0,0,024,*0,976 \n 2 2:b 2:b       0,1,*0,9,0 \n 3 3:c 1:a   +   *1,0,0 \n"
    found = only(read(tmp_path, f"{HEADING}distribution\n{rows}"))
    assert listed(found.probability) == [[0, 0.024, 0.976], [0.1, 0.9, 0], [1, 0, 0]]


def test_decimal_commas_in_csv(tmp_path: Path) -> None:
    tabs = "inst#\tactual\tpredicted\terror\tdistribution\t\tage\n1\t1:no\t2:yes\t+\t0,25\t*0,75\t7\n"
    assert listed(only(read(tmp_path, tabs, name="out.csv")).score) == [0.75]
    alone = tabs.replace("\tage", "").replace("\t7\n", "\n")
    assert listed(only(read(tmp_path, alone, name="out.csv")).score) == [0.75]
    cells = "inst#,actual,predicted,error,distribution,\n1,1:no,2:yes,+,0,25,*0,75\n2,2:yes,2:yes,,0,*1\n"
    assert listed(only(read(tmp_path, cells, name="out.csv")).score) == [0.75, 1]


@pytest.mark.parametrize(
    ("text", "choices", "sentence"),
    [
        (
            f"{HEADING}distribution\n 1 1:a 2:b   +   0,7,*0,7 \n",
            Request(),
            "case 1 of 'out.txt' cannot be split into probabilities: '0,7,*0,7'",
        ),
        (
            "inst#,actual,predicted,error,prediction,age\n1,1:no,2:yes,+,0,75,7\n",
            Request(),
            "line 2 of 'out.txt' is not as WEKA prints a prediction",
        ),
        (f"{HEADING}prediction\n 1 1:a 2:b   +   0.7 \n", Request(decimal=","), "decimal is ',', and 'out.txt' has"),
    ],
)
def test_numbers_that_cannot_be_told_apart(tmp_path: Path, text: str, choices: Request, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, choices)
    assert sentence in str(caught.value)
