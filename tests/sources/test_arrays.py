"""What may be given as an array, and what may not.

What Series and frames bring beside their values, labels beyond 2^53, and one class of many against the rest.
"""

from __future__ import annotations

import tracemalloc
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.reading import from_arrays

import assay
from assay.errors import InputError
from assay.predictions import Predictions
from assay.request import Request
from assay.sources import from_frame, labels
from assay.sources.arrays import _read_binary_arrays, _read_with_options
from assay.sources.labels import code


class Tensor:
    """A tensor that numpy cannot read directly; with `shared` it can be had through dlpack."""

    def __init__(self, values: list[float], *, shared: bool) -> None:
        self.values, self.shared = np.array(values), shared

    def __array__(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("requires grad")

    def __dlpack__(self, **options: Any) -> Any:
        if not self.shared:
            raise BufferError("on another device")
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()


@pytest.mark.parametrize(
    "truth",
    [
        [0, 1, 1],
        np.array([False, True, True]),
        np.array([0, 1, 1], np.uint8),
        np.array([0, 1, 1], ">i4"),
        np.array([0, 1, 1], np.float16),
        np.array([-1, 1, 1]),
        np.array(["no", "yes", "yes"]),
        np.array(["no", "yes", "yes"], ">U9"),
        np.array(["no", "yes", "yes"], "U99"),
        np.array([b"no", b"yes", b"yes"]),
        np.array(["no", "yes", "yes"], object),
        np.array(["no", "yes", "yes"], np.dtypes.StringDType()),
        np.array([0, 1, 1, 7])[:3],
        np.array([[0, 9], [1, 9], [1, 9]])[:, 0],
    ],
)
def test_labels_of_any_kind(truth: Any) -> None:
    found = from_arrays(truth, [0.1, 0.2, 0.3], y_pred=truth).models["model"]
    assert found.truth.dtype == np.int8
    assert found.truth.tolist() == [0, 1, 1]
    assert found.decision is not None
    assert found.decision.tolist() == [0, 1, 1]


def test_scores_are_not_copied() -> None:
    scores = np.array([0.1, 0.2])
    found = from_arrays([0, 1], scores).models["model"].score
    assert found is not None
    assert np.shares_memory(found, scores)
    assert scores.flags.writeable


@pytest.mark.parametrize(
    ("truth", "positive", "expected"),
    [([0, 1], None, [0.1, 0.8]), ([0, 1], 0, [0.9, 0.2]), ([9, 10], 10, [0.1, 0.8]), (["b", "a"], "a", [0.9, 0.2])],
)
def test_two_columns_stand_in_the_order_of_the_classes(truth: Any, positive: Any, expected: list[float]) -> None:
    found = from_arrays(truth, np.array([[0.9, 0.1], [0.2, 0.8]]), positive=positive).models["model"].score
    assert found is not None
    assert found.tolist() == expected


def test_several_models_share_the_truth() -> None:
    found = from_arrays(
        [0, 1], {"b": [0.1, 0.2], "a": Tensor([0.3, 0.4], shared=True)}, y_pred={"b": [0, 1], "a": [1, 0]}
    )
    assert list(found.models) == ["b", "a"]
    assert found.models["a"].decision is not None
    assert found.models["a"].decision.tolist() == [1, 0]
    assert np.shares_memory(found.models["a"].truth, found.models["b"].truth)


@pytest.mark.parametrize("truth", [[0, 1, 1], [False, True, True]])
@pytest.mark.parametrize("predicted", [[0, 1, 0], [False, True, False]])
def test_true_is_one(truth: list[Any], predicted: list[Any]) -> None:
    found = from_arrays(truth, y_pred=predicted).models["model"]
    assert found.decisions == found.classes
    assert found.decision is not None
    assert found.decision.tolist() == [0, 1, 0]


def test_masked_and_missing_values_are_dropped() -> None:
    truth = np.ma.array([0, 1, 1, 0], mask=[False, False, True, False])
    scores = np.ma.array([0.1, 0.2, 0.3, np.nan], mask=[True, False, False, False])
    found = from_arrays(truth, scores, missing="drop")
    assert found.source.dropped == 3
    assert found.models["model"].truth.tolist() == [1]
    nulls = pa.chunked_array([pa.array(["no", "yes", None]).dictionary_encode()])
    assert from_arrays(nulls, [1, 2, 3], missing="drop").source.dropped == 1


THREE = ["b", "a", "c", "a"]
PROBABILITIES = np.array([[0.2, 0.7, 0.1], [0.5, 0.25, 0.25], [0, 0, 1], [0.4, 0.3, 0.3]])


@pytest.mark.parametrize("name", ["y_score", "y_proba"])
def test_a_column_for_each_of_many_classes_in_sorted_order(name: str) -> None:
    given: dict[str, Any] = {name: PROBABILITIES}
    found = from_arrays(THREE, **given)
    model = found.models["model"]
    assert (model.classes, model.positive, model.truth.tolist()) == (("a", "b", "c"), None, [1, 0, 2, 0])
    assert model.probability is not None
    assert model.score is None
    assert np.shares_memory(model.probability, PROBABILITIES)
    assert found.source.columns == {"truth": "y_true", "proba": name}


def test_columns_stand_in_the_order_of_the_classes_given() -> None:
    found = from_arrays(THREE, y_proba=PROBABILITIES[:, [2, 0, 1]], classes=["c", "a", "b"]).models["model"]
    assert found.classes == ("c", "a", "b")
    assert found.truth.tolist() == [2, 1, 0, 1]
    assert found.probability is not None
    assert (found.probability == PROBABILITIES[:, [2, 0, 1]]).all()


def test_a_class_may_never_occur() -> None:
    found = from_arrays([0, 1, 1], y_proba=np.full((3, 3), 1 / 3), classes=[0, 1, 2], y_pred=[0, 2, 1]).models["model"]
    assert found.classes == found.decisions == ("0", "1", "2")
    two = from_arrays(["ham"], y_proba=[[0.9, 0.1]], classes=["ham", "spam"], positive="spam").models["model"]
    assert two.classes == ("ham", "spam")
    assert two.score is not None
    assert two.score.tolist() == [0.1]


def test_two_classes_may_have_probabilities_too() -> None:
    one = from_arrays([0, 1], y_proba=[0.2, 0.7]).models["model"].score
    both = from_arrays([0, 1], y_proba=[[0.8, 0.2], [0.3, 0.7]]).models["model"].score
    assert one is not None
    assert both is not None
    assert one.tolist() == both.tolist() == [0.2, 0.7]


def test_what_strays_by_rounding_is_kept_in_bounds() -> None:
    values = np.array([[1 + 1e-7, -1e-7, 0], [0.333, 0.333, 0.333], [0, 1, 0]])
    found = from_arrays([0, 1, 2], y_proba=values).models["model"].probability
    assert found is not None
    assert found.min() == 0
    assert found.max() == 1


def test_several_models_of_many_classes() -> None:
    found = from_arrays(THREE, y_proba={"x": PROBABILITIES, "y": PROBABILITIES[::-1]}, y_pred={"x": THREE, "y": THREE})
    assert list(found.models) == ["x", "y"]
    assert found.source.columns["proba"] == ("y_proba['x']", "y_proba['y']")


def test_the_design_of_arrays() -> None:
    found = from_arrays(
        [0, 1, 1, None],
        [1, 2, 3, 4],
        weight=[0.1, 0.5, 2, 1],
        count=np.array([1, 2, 3, 1]),
        cluster=["z", "a", "z", "b"],
        fold=[10, 9, 9, 8],
        by=["f", "m", "f", "x"],
        missing="drop",
    )
    model = found.models["model"]
    design = [model.weight, model.count, model.cluster, model.fold]
    # Codes have no gaps though the row of cluster b and fold 8 is left out.
    assert [None if c is None else c.tolist() for c in design] == [[0.1, 0.5, 2], [1, 2, 3], [1, 0, 1], [1, 0, 0]]
    assert found.by is not None
    assert (found.by.column, found.by.names, found.by.codes["model"].tolist()) == ("by", ("f", "m", "x"), [0, 1, 0])


def test_any_number_of_clusters() -> None:
    names = np.arange(5_000)
    for values in (names, names.astype(str), names.astype(object), names * 1.5):
        found = from_arrays(names % 2, names, cluster=values).models["model"].cluster
        assert found is not None
        assert sorted(found.tolist()) == names.tolist()


def test_cases_without_a_label_of_their_own_get_the_default_class() -> None:
    found = from_arrays(["a", "b", "c", "a"], y_pred=["a", None, "x", "c"], default_class="b")
    assert found.models["model"].decision is not None
    assert found.models["model"].decision.tolist() == [0, 1, 1, 2]
    assert found.models["model"].decisions == ("a", "b", "c")
    assert found.source.defaulted == 2


PLAIN = "needed: one value for each case"
BAD: list[tuple[Any, dict[str, Any], str]] = [
    (1, {"y_score": [1]}, f"'y_true' is a single value; {PLAIN}"),
    ([0, 1], {"y_score": 1}, f"'y_score' is a single value; {PLAIN}"),
    ([0, 1], {"y_score": "ab"}, f"'y_score' is not an array; {PLAIN}"),
    ([], {"y_score": []}, "'y_true' is empty; needed: at least one case"),
    ([0, 1], {}, "no scores or predicted labels are given; needed: y_score or y_pred"),
    ([[0], [1]], {"y_score": [1, 2]}, "'y_true' has shape (2, 1); needed: one label for each case"),
    (
        [0, 1],
        {"y_score": np.ones((2, 3))},
        "'y_score' has shape (2, 3); needed: one score for each case, or two columns as from predict_proba",
    ),
    (
        [0, 1],
        {"y_score": [1]},
        "'y_true' and 'y_score' must have the same length (2 and 1); needed: one value of each per case",
    ),
    (
        [0, 1],
        {"y_pred": [1]},
        "'y_true' and 'y_pred' must have the same length (2 and 1); needed: one value of each per case",
    ),
    ([0, 1], {"y_score": [1j, 2]}, "'y_score' holds complex numbers; needed: a real number for each case"),
    ([0j, 1], {"y_score": [1, 2]}, "'y_true' holds complex or compound values; needed: one plain value for each case"),
    ([0, 1], {"y_score": ["0.5", "1"]}, "row 1: 'y_score' holds the text '0.5'; needed: a column of numbers"),
    ([0, 1], {"y_score": np.zeros(2, "M8[D]")}, "'y_score' holds dates or times; needed: a real number for each case"),
    (
        [0, 1],
        {"y_score": Tensor([1, 2], shared=False)},
        (
            "'y_score' cannot be read as an array; needed: one value for each case (rows of "
            "one length; tensors detached, "
            "on the CPU and of a type numpy has: .float())"
        ),
    ),
    (
        [0, 1, 1],
        {"y_score": [1, np.nan, 2]},
        "row 2: 'y_score' is missing; needed: a value in every row; pass missing='drop'",
    ),
    ([0, 1], {"y_score": [1, -np.inf]}, "row 2: 'y_score' is infinite; needed: a finite number for every case"),
    (
        ["a", None],
        {"y_score": [1, 2], "positive": "a"},
        "row 2: 'y_true' is missing; needed: a value in every row; pass missing='drop'",
    ),
    (
        [0, 1],
        {"y_score": {"a": [1, np.nan]}},
        "row 2: \"y_score['a']\" is missing; needed: a value in every row; pass missing='drop'",
    ),
    (
        [0, 1],
        {"y_score": {"a": [1, 2]}, "y_pred": [0, 1]},
        "y_score and y_pred have different model names; needed: the same names in both",
    ),
    (
        ["a", "a"],
        {"y_score": np.ones((2, 2)), "positive": "a"},
        (
            "'y_true' does not determine the class of each column of 'y_score'; "
            "needed: only the scores of the positive class"
        ),
    ),
    (
        [0.1, 0.2, 0.3, 0.4, 0.5],
        {"y_score": [0, 1, 0, 1, 0]},
        (
            "'y_true' holds 5 different values in 5 rows ('0.1', '0.2', '0.3' and 2 more), which looks like an id or a "
            "measurement, not classes; needed: a column of classes"
        ),
    ),
    (
        [0, 1],
        {"y_pred": [0.3, 0.7]},
        (
            "'y_pred' holds numbers such as '0.3', which are not classes; needed: predicted "
            "labels, or an option to use them as scores"
        ),
    ),
    (
        THREE,
        {"y_proba": PROBABILITIES[:, :2]},
        (
            "'y_proba' has shape (4, 2) but there are 3 classes ('a', 'b', 'c'); "
            "needed: one column per class in sorted order, or classes= with their order"
        ),
    ),
    (
        ["a", "b"],
        {"y_proba": PROBABILITIES[:2]},
        (
            "'y_proba' has shape (2, 3) but there are 2 classes ('a', 'b'); "
            "needed: one column per class in sorted order, or classes= with their order"
        ),
    ),
    (
        THREE,
        {"y_score": [1, 2, 3, 4]},
        (
            "'y_true' holds 3 classes ('a', 'b', 'c'), but 'y_score' is a single column of scores; "
            "needed: one column of probabilities per class, such as 'proba_a'; pass one of:\n"
            "  positive='a'   if it is the score of a, against the rest\n"
            "  positive='b'   if it is the score of b, against the rest\n"
            "  positive='c'   if it is the score of c, against the rest"
        ),
    ),
    (
        THREE,
        {"y_proba": PROBABILITIES * 2},
        "row 1: 'y_proba' holds 1.4; needed: a probability between 0 and 1",
    ),
    (
        THREE,
        {"y_proba": PROBABILITIES / 2},
        "row 1: the probabilities in 'y_proba' sum to 0.5; needed: probabilities that sum to 1 in every row",
    ),
    (
        THREE,
        {"y_proba": np.where(PROBABILITIES == 1, np.nan, PROBABILITIES)},
        "row 3: 'y_proba' is missing; needed: a value in every row; pass missing='drop'",
    ),
    (
        THREE,
        {"y_proba": PROBABILITIES, "classes": ["a", "b", "x"]},
        "'y_true' holds 'c', not among the classes 'a', 'b', 'x'; needed: true labels among these classes",
    ),
    (
        THREE,
        {"y_proba": PROBABILITIES, "classes": ["a", "a"]},
        "the classes are 'a', 'a'; needed: at least two different classes",
    ),
    (
        THREE,
        {"y_proba": PROBABILITIES, "classes": [["a"]]},
        "'classes' has shape (1, 1); needed: one name for each class",
    ),
    ([0, 1], {"y_score": [1, 2], "y_proba": [1, 0]}, "both y_score and y_proba are given; needed: only one of them"),
    (
        [0, 1],
        {"y_score": [1, 2], "weight": [1]},
        "'y_true' and 'weight' must have the same length (2 and 1); needed: one value of each per case",
    ),
    ([0, 1], {"y_score": [1, 2], "weight": [[1], [2]]}, "'weight' has shape (2, 1); needed: one number for each case"),
    ([0, 1], {"y_score": [1, 2], "weight": [1, -2]}, "row 2: 'weight' is -2; needed: a weight that is not negative"),
    (
        [0, 1],
        {"y_score": [1, 2], "count": [1, 0.5]},
        "row 2: 'count' is 0.5; needed: a whole count that is not negative",
    ),
    ([0, 1], {"y_score": [1, 2], "cluster": [[1], [2]]}, "'cluster' has shape (2, 1); needed: one label for each case"),
    (
        [0, 1],
        {"y_score": [1, 2], "fold": [1, None]},
        "row 2: 'fold' is missing; needed: a value in every row; pass missing='drop'",
    ),
    ([0, 1], {"y_score": [1, 2], "missing": "x"}, "missing is 'x'; needed: 'refuse', 'drop' or 'pairwise'"),
]


@pytest.mark.parametrize(("truth", "given_", "sentence"), BAD, ids=[sentence[:50] for *_, sentence in BAD])
def test_bad_arrays_get_one_sentence(truth: Any, given_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        from_arrays(truth, **given_)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        ([1], "a list is not a data frame; needed: a data frame that narwhals supports, such as pandas"),
        (
            pa.table([pa.array([0]), pa.array([1])], names=["y_true", "y_true"]),
            "columns 1 and 2 are both named 'y_true'; needed: a unique name for each column",
        ),
        (
            pa.table({"y_true": [[0], [1]], "score": [1, 2]}),
            "'y_true' holds lists or other compound values; needed: one plain value for each case",
        ),
        (
            pa.table({"y_true": [0, 1], "score": ["0.5", "half"]}),
            "row 2: 'score' holds the text 'half'; needed: a column of numbers",
        ),
        (
            pa.table({"y_true": pa.array([], pa.int8()), "score": pa.array([], pa.float64())}),
            "'frame' holds column names but no rows; needed: at least one row",
        ),
    ],
)
def test_bad_frames_get_one_sentence(frame: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        from_frame(frame)
    assert str(caught.value) == sentence


@given(st.lists(st.one_of(st.integers(-3, 3), st.integers(-(2**40), 2**40)), min_size=1))
def test_codes_of_whole_numbers_stand_for_them(values: list[int]) -> None:
    for array in (np.array(values), np.array(values, float), np.array(values, str), np.array(values, object)):
        coded = code(array)
        assert [float(coded.values[place]) for place in coded.codes] == values


@given(st.lists(st.text(max_size=3), min_size=1, max_size=60))
def test_codes_of_text_stand_for_it(values: list[str]) -> None:
    array = np.array(values)
    coded = code(array)
    assert [coded.values[place] for place in coded.codes] == array.tolist()


@pytest.mark.parametrize("width", [1, 2, 5, 8, 16, 40])
@pytest.mark.parametrize("different", [1, 6, 30, 1000])
def test_codes_of_many_different_texts_stand_for_them(width: int, different: int) -> None:
    names = np.array([f"{number:x}"[-width:].rjust(width, "é") for number in range(different)])
    array = names[np.random.default_rng(1).integers(0, different, 20_000) // (1 + np.arange(20_000) % 3)]
    coded = code(array)
    assert len(set(coded.values)) == len(coded.values)
    assert (np.array(coded.values)[coded.codes] == array).all()


def test_texts_that_mix_to_one_number_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "MIXERS", (np.uint64(1),))
    array = np.array([f"{left}{right}" for left in "abcdefgh" for right in "abcdefgh"])
    coded = code(array)
    assert [coded.values[place] for place in coded.codes] == array.tolist()


def test_more_texts_than_classes_can_be_are_counted() -> None:
    coded = code(np.array([f"{number:05d}" for number in range(9_999)]))
    assert coded.distinct == 9_999


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint8])
def test_plain_arrays_are_read_as_any_others(kind: type) -> None:
    truth, score = (np.arange(40) % 3 == 0).astype(kind), np.arange(40) * 7 % 11 / 11
    for request in (Request(y_score=score), Request(y_score=score, threshold=0.3, level=0.9)):
        quick, asked = _read_binary_arrays(truth, request), _read_with_options(truth, request)
        assert quick is not None
        assert quick.source == asked.source
        assert (quick.by, quick.models.keys()) == (asked.by, asked.models.keys())
        one, other = (reading.models["model"] for reading in (quick, asked))
        for field in fields(Predictions):
            mine, theirs = (getattr(each, field.name) for each in (one, other))
            np.testing.assert_array_equal(mine, theirs)
            assert getattr(mine, "dtype", None) == getattr(theirs, "dtype", None)


@pytest.mark.parametrize(
    ("truth", "score", "said"),
    [
        (np.array([0, 1, 2]), np.array([0.1, 0.2, 0.3]), {}),
        (np.array([1, 1, 1]), np.array([0.1, 0.2, 0.3]), {}),
        (np.array([-1, 1, 1]), np.array([0.1, 0.2, 0.3]), {}),
        (np.array([0, 1, 1]), np.array([0.1, np.nan, 0.3]), {}),
        (np.array([0, 1, 1]), np.array([0.1, np.inf, 0.3]), {}),
        (np.array([0, 1, 1]), np.array([0.1, 1e200, 0.3]), {}),
        (np.array([0, 1, 1]), np.array([0.0, 1e-200, 2e-200]), {}),
        (np.array([0, 1, 1]), np.array([0.1, 0.3]), {}),
        (np.array([0, 1, 1]), np.array([[0.1], [0.2], [0.3]]), {}),
        (np.array([0.0, 1, 1]), np.array([0.1, 0.2, 0.3]), {}),
        (np.array([], dtype=int), np.array([]), {}),
        (np.array([0, 1, 1]), np.array([0.1, 0.2, 0.3]), {"positive": 0}),
        (np.array([0, 1, 1]), np.array([0.1, 0.2, 0.3]), {"weight": [1, 2, 3]}),
        (np.array([0, 1, 1]), [0.1, 0.2, 0.3], {}),
    ],
)
def test_all_else_is_asked_about(truth: Any, score: Any, said: dict[str, Any]) -> None:
    assert _read_binary_arrays(truth, Request(y_score=score, **said)) is None


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_texts_of_arrow_are_the_same_as_any(kind: pa.DataType) -> None:
    """Chunked or not, with a missing one or without, a few names or as many as ids."""
    words = ["spam", "ham", "ham", "spam", "ham"] * 20
    score = np.arange(100.0)
    wanted = assay.evaluate(np.array(words), score, positive="spam")
    whole, chunked = pa.array(words, kind), pa.chunked_array([pa.array(words[:30], kind), pa.array(words[30:], kind)])
    for texts in (whole, chunked):
        assert assay.evaluate(texts, score, positive="spam").to_dict() == wanted.to_dict()
    missing = pa.array([None, *words[1:]], kind)
    kept = assay.evaluate(missing, score, positive="spam", missing="drop")
    assert kept.n == 99
    ids = assay.evaluate(whole, score, positive="spam", id=pa.array([f"case {i}" for i in range(100)], kind))
    assert ids.rows is not None
    assert ids.rows.id is not None
    assert ids.rows.id[3] == "case 3"


def test_two_classes_may_be_said_in_the_order_in_which_they_stand() -> None:
    """One line for sites that have both classes and sites that lack one; another order would be followed by none."""
    truth, score = [0, 1, 1, 0] * 10, [0.1, 0.8, 0.7, 0.3] * 10
    said, plain = assay.evaluate(truth, score, classes=[0, 1]), assay.evaluate(truth, score)
    assert (said.classes, repr(said.roc_auc)) == (plain.classes, repr(plain.roc_auc))
    assert assay.evaluate([0] * 40, score, classes=[0, 1]).classes == ("0", "1")
    named = np.where(np.array(truth) == 1, "a", "b")
    assert assay.evaluate(named, score, classes=["b", "a"], positive="a").classes == ("b", "a")
    with pytest.raises(InputError, match="classes is given in another order than the positive one last"):
        assay.evaluate(truth, score, classes=[1, 0])


@pytest.mark.parametrize(
    "scores",
    [
        np.array([0.5, 0.5 + np.longdouble(1e-18), 0.2, 0.9], dtype=np.longdouble),
        [Decimal("0.5"), Decimal("0.5000000000000000000001"), Decimal("0.2"), Decimal("0.9")],
        [Fraction(1, 2), Fraction(10**20 + 1, 2 * 10**20), Decimal("0.2"), 0.9],
    ],
)
def test_scores_that_doubles_cannot_tell_apart_are_refused(scores: Any) -> None:
    """Rounded they would tie, and the area would be another one."""
    with pytest.raises(InputError, match=r"^row 2: 'y_score' differs from another row only beyond the digits of a dou"):
        assay.evaluate([0, 1, 0, 1], scores)
    assert assay.evaluate([0, 1, 0, 1], np.asarray(scores, dtype=float)).roc_auc.value == 0.875
    apart = [*scores[:1], scores[1] + scores[0] / 4, *scores[2:]]
    assert assay.evaluate([0, 1, 0, 1], np.array(apart) if isinstance(scores, np.ndarray) else apart).roc_auc.value == 1


def test_probabilities_that_doubles_cannot_tell_apart_are_refused() -> None:
    shares = np.full((3, 3), 1 / np.longdouble(3))
    shares[0, 0] += np.longdouble(1e-18)
    with pytest.raises(InputError, match=r"y_proba' differs from another row only beyond the digits of a double"):
        assay.evaluate([0, 1, 2], y_proba=shares)


TRUTH = ["ham", "spam", "ham", "spam", "spam", "ham"]
SPAM = np.array([0.1, 0.9, 0.3, 0.6, 0.8, 0.55])
BY_NAME = {"spam": SPAM, "ham": 1 - SPAM}
OWN_NAMES_THREE = np.array(["a", "b", "c", "a", "b", "c", "a", "b"])
THIRDS = np.random.default_rng(3).dirichlet([1, 1, 1], len(OWN_NAMES_THREE))


def scores(truth: Any, **said: Any) -> Any:
    found = from_arrays(truth, **said).models["model"].score
    assert found is not None
    return found.tolist()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("prefix", ["", "proba_", ".pred_"])
def test_columns_of_probabilities_go_by_their_names(frame: Any, prefix: str) -> None:
    table = frame({prefix + name: values for name, values in BY_NAME.items()})
    assert scores(TRUTH, y_proba=table, positive="spam") == SPAM.tolist()


def test_columns_of_many_classes_go_by_their_names() -> None:
    frame = pd.DataFrame(THIRDS[:, [2, 0, 1]], columns=["c", "a", "b"])
    found = from_arrays(OWN_NAMES_THREE, y_proba=frame).models["model"]
    assert found.classes == ("a", "b", "c")
    assert found.probability is not None
    assert (found.probability == THIRDS).all()


@pytest.mark.parametrize("frame", [pd.DataFrame(THIRDS), pl.DataFrame(THIRDS)])
def test_names_that_a_library_made_up_are_none(frame: Any) -> None:
    found = from_arrays(OWN_NAMES_THREE, y_proba=frame).models["model"].probability
    assert found is not None
    assert (found == THIRDS).all()


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            {"y_proba": pd.DataFrame({"no": 1 - SPAM, "yes": SPAM})},
            (
                "the columns of 'y_proba' are named 'no', 'yes', but the classes are 'ham', 'spam'; needed: one column "
                "per class with the name of the class, or an array without column names"
            ),
        ),
        (
            {"y_proba": pd.DataFrame(BY_NAME), "classes": ["ham", "spam"]},
            (
                "the columns of 'y_proba' are named 'spam', 'ham', but classes is 'ham', 'spam'; needed: the same "
                "order in both, or classes omitted"
            ),
        ),
    ],
)
def test_other_names_are_refused(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        from_arrays(TRUTH, positive="spam", **said)
    assert str(caught.value) == sentence


SHUFFLED = pd.Series([0, 1, 1, 0], index=[7, 3, 9, 1])


@pytest.mark.parametrize("role", ["y_score", "y_pred", "y_proba", "weight", "cluster"])
def test_another_index_is_refused(role: str) -> None:
    beside = {} if role.startswith("y_") else {"y_score": SHUFFLED * 0.5}
    with pytest.raises(InputError, match=r"row 1 is '0' in one and '7' in the other.*reset_index\(drop=True\)"):
        from_arrays(SHUFFLED, **{role: pd.Series([1, 0, 1, 1])}, **beside)


@pytest.mark.parametrize(
    "score",
    [
        SHUFFLED * 0.5,
        pd.Series([0.0, 0.5, 0.5, 0.0], index=[7.0, 3.0, 9.0, 1.0]),
        np.array([0.0, 0.5, 0.5, 0.0]),
        [0.0, 0.5, 0.5, 0.0],
        pl.Series([0.0, 0.5, 0.5, 0.0]),
    ],
)
def test_the_same_index_or_none_is_fine(score: Any) -> None:
    assert scores(SHUFFLED, y_score=score) == [0.0, 0.5, 0.5, 0.0]
    again = SHUFFLED.reset_index(drop=True)
    assert scores(again, y_score=pd.Series([0.0, 0.5, 0.5, 0.0], index=pd.Index([0, 1, 2, 3]))) == [0.0, 0.5, 0.5, 0.0]


BIG = [2**53, 2**53 + 1, 2**53, 2**53 + 1]


@pytest.mark.parametrize(
    "labels",
    [
        BIG,
        np.array(BIG),
        np.array(BIG, np.uint64),
        [str(value) for value in BIG],
        pd.Series(BIG),
        [-(2**63), 2**64, -(2**63), 2**64],
        pd.Series([*BIG[:3], None], dtype="Int64"),
        pl.Series([*BIG[:3], None]),
    ],
)
def test_whole_numbers_beyond_two_to_the_53_stay_apart(labels: Any) -> None:
    positive = str(max(int(value) for value in [*labels][:3]))
    found = from_arrays(labels, y_score=[1, 2, 3, 4], positive=positive, missing="drop").models["model"]
    assert found.truth.tolist()[:3] == [0, 1, 0]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_them_apart_too(library: Any) -> None:
    frame = library(
        {"y": pd.array([*BIG, None], dtype="Int64") if library is pd.DataFrame else [*BIG, None], "p": SPAM[:5]}
    )
    found = from_frame(frame, Request(positive=str(2**53 + 1), missing="drop"))
    assert found.models["model"].truth.tolist() == [0, 1, 0, 1]


def test_floating_numbers_so_large_are_refused() -> None:
    with pytest.raises(InputError, match=r"whole numbers beyond 2\^53 as integers or as text"):
        from_arrays(np.array([2.0**53, 2.0**54]), y_score=[1, 2], positive=str(2**53))


@pytest.mark.parametrize(
    "said",
    [
        {"y_proba": THIRDS},
        {"y_score": THIRDS},
        {"y_score": THIRDS[:, 1]},
        {"y_proba": pd.DataFrame(THIRDS[:, ::-1], columns=["c", "b", "a"])},
    ],
)
def test_one_class_against_the_rest(said: dict[str, Any]) -> None:
    ev: Any = assay.evaluate(OWN_NAMES_THREE, positive="b", **said)
    plain: Any = assay.evaluate(OWN_NAMES_THREE == "b", THIRDS[:, 1])
    assert ev.classes == ("not b", "b")
    assert ev.roc_auc.value == plain.roc_auc.value
    assert ev.source.remarks == ("b against the 2 other classes",)


def test_labels_of_one_class_against_the_rest() -> None:
    called = np.roll(OWN_NAMES_THREE, 1)
    ev: Any = assay.evaluate(OWN_NAMES_THREE, y_pred=called, positive="b")
    assert ev.accuracy.value == ((called == "b") == (OWN_NAMES_THREE == "b")).mean()
    frame = pd.DataFrame({"y": OWN_NAMES_THREE, "y_pred": called})
    assert assay.evaluate(frame, positive="b").accuracy.to_dict() == ev.accuracy.to_dict()


def test_scores_of_classes_that_are_no_probabilities_become_some() -> None:
    logits = np.log(THIRDS) + 2
    ev: Any = assay.evaluate(OWN_NAMES_THREE, logits)
    assert "softmax" in ev.source.remarks[0]
    plain: Any = assay.evaluate(OWN_NAMES_THREE, y_proba=THIRDS)
    assert np.isclose(ev.brier.value, plain.brier.value)
    with pytest.raises(InputError, match="a probability between 0 and 1"):
        assay.evaluate(OWN_NAMES_THREE, y_proba=logits)


@pytest.mark.parametrize(
    ("truth", "labels", "but_for"),
    [
        (["yes", "no"], ["Yes", "no"], "case"),
        (["not spam", "spam"], ["not_spam", "spam"], "case and blanks"),
        ([0, 1], [-1, 1], "the sign"),
        ([-1, 1], [0, 1], "the sign"),
        ([0, 1, 2], [1, 2, 3], "an offset"),
        ([1, 2, 3], [0, 1, 2], "an offset"),
        ([0, 1, 2], [1, 1, 3], "an offset"),
    ],
)
def test_labels_that_mean_the_same_are_never_errors(truth: list[Any], labels: list[Any], but_for: str) -> None:
    positive = truth[0] if isinstance(truth[0], str) else None
    with pytest.raises(InputError, match=f"different only in {but_for}"):
        from_arrays(truth * 4, y_pred=labels * 4, positive=positive)


@pytest.mark.parametrize(
    ("truth", "labels"),
    [([0, 1, 2], ["0", "1", "2"]), ([0, 1], [False, True]), ([1.0, 0.0], ["1", "0"]), ([0, 1, 2], [0, 1, 3])],
)
def test_labels_that_are_surely_the_same_are_aligned(truth: list[Any], labels: list[Any]) -> None:
    found = from_arrays(truth * 4, y_pred=labels * 4).models["model"]
    assert found.decision is not None
    right = (found.decision == found.truth).mean()
    assert right == (1.0 if labels[-1] != 3 else 2 / 3)


@pytest.mark.parametrize("kind", ["list", "arrow"])
def test_one_long_label_does_not_make_all_as_wide(kind: str) -> None:
    names = {"no": "no", "yes": "yes" * 1_000_000}
    short = ["no", "yes"] * 200
    long = [names[name] for name in short]
    scores = np.random.default_rng(1).random(400)
    given: Any = long if kind == "list" else pa.array(long)
    tracemalloc.start()
    ev = assay.evaluate(given, scores, positive=names["yes"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 400_000_000  # an array of that width takes 4.8 GB
    expected = assay.evaluate(short, scores, positive="yes")
    assert ev.estimate("roc_auc").value == expected.estimate("roc_auc").value
