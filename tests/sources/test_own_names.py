"""What Series and frames bring beside their values, labels beyond 2^53, and one class of many against the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.sources.reading import from_arrays

import assay
from assay.errors import InputError
from assay.request import Request
from assay.sources import from_frame

TRUTH = ["ham", "spam", "ham", "spam", "spam", "ham"]
SPAM = np.array([0.1, 0.9, 0.3, 0.6, 0.8, 0.55])
BY_NAME = {"spam": SPAM, "ham": 1 - SPAM}
THREE = np.array(["a", "b", "c", "a", "b", "c", "a", "b"])
THIRDS = np.random.default_rng(3).dirichlet([1, 1, 1], len(THREE))


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
    found = from_arrays(THREE, y_proba=frame).models["model"]
    assert found.classes == ("a", "b", "c")
    assert found.probability is not None
    assert (found.probability == THIRDS).all()


@pytest.mark.parametrize("frame", [pd.DataFrame(THIRDS), pl.DataFrame(THIRDS)])
def test_names_that_a_library_made_up_are_none(frame: Any) -> None:
    found = from_arrays(THREE, y_proba=frame).models["model"].probability
    assert found is not None
    assert (found == THIRDS).all()


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            {"y_proba": pd.DataFrame({"no": 1 - SPAM, "yes": SPAM})},
            (
                "the columns of 'y_proba' are called 'no', 'yes', but the classes are 'ham', 'spam'; needed: a column "
                "for each class, called as it is; or an array, whose columns have no names"
            ),
        ),
        (
            {"y_proba": pd.DataFrame(BY_NAME), "classes": ["ham", "spam"]},
            (
                "the columns of 'y_proba' are called 'spam', 'ham', and classes says 'ham', 'spam'; needed: the same "
                "order in both, or no classes"
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
    ev: Any = assay.evaluate(THREE, positive="b", **said)
    plain: Any = assay.evaluate(THREE == "b", THIRDS[:, 1])
    assert ev.classes == ("not b", "b")
    assert ev.roc_auc.value == plain.roc_auc.value
    assert ev.source.remarks == ("b against the 2 other classes together",)


def test_labels_of_one_class_against_the_rest() -> None:
    called = np.roll(THREE, 1)
    ev: Any = assay.evaluate(THREE, y_pred=called, positive="b")
    assert ev.accuracy.value == ((called == "b") == (THREE == "b")).mean()
    frame = pd.DataFrame({"y": THREE, "y_pred": called})
    assert assay.evaluate(frame, positive="b").accuracy.to_dict() == ev.accuracy.to_dict()


def test_scores_of_classes_that_are_no_probabilities_become_some() -> None:
    logits = np.log(THIRDS) + 2
    ev: Any = assay.evaluate(THREE, logits)
    assert "softmax" in ev.source.remarks[0]
    plain: Any = assay.evaluate(THREE, y_proba=THIRDS)
    assert np.isclose(ev.brier.value, plain.brier.value)
    with pytest.raises(InputError, match="a probability between 0 and 1"):
        assay.evaluate(THREE, y_proba=logits)


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
    with pytest.raises(InputError, match=f"the same but for {but_for}"):
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
