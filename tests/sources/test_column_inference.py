"""Which column plays which role: a table of names and what is made of them."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.request import Request
from assay.sources.column_inference import Roles, infer
from assay.sources.column_roles import Contents, ModelColumns, Profile

ONE = ModelColumns("model", "score")


@pytest.mark.parametrize(
    ("columns", "choices", "expected"),
    [
        ("y_true score", Request(), Roles("y_true", (ONE,))),
        ("SCORE Target", Request(), Roles("Target", (ModelColumns("model", "SCORE"),))),
        ("label p", Request(), Roles("label", (ModelColumns("model", "p"),))),
        ("actual proba", Request(), Roles("actual", (ModelColumns("model", "proba"),))),
        ("truth prediction", Request(), Roles("truth", (ModelColumns("model", None, "prediction"),))),
        ("class score pred", Request(), Roles("class", (ModelColumns("model", "score", "pred"),))),
        ("y_true score group", Request(), Roles("y_true", (ONE,))),
        (
            "y_true score fold patient id",
            Request(),
            Roles("y_true", (ONE,), used={"fold": "fold"}, design={"id": "id"}, clusters=("patient",), watched=("id",)),
        ),
        (
            "y_true score Weight count",
            Request(),
            Roles("y_true", (ONE,), used={"weight": "Weight", "count": "count"}),
        ),
        ("model y_true score", Request(), Roles("y_true", (ONE,), model="model")),
        (
            "y_true score__b pred__b score__a",
            Request(),
            Roles("y_true", (ModelColumns("b", "score__b", "pred__b"), ModelColumns("a", "score__a"))),
        ),
        ("y_true Score__SVM", Request(), Roles("y_true", (ModelColumns("SVM", "Score__SVM"),))),
        (
            "y_true proba_0 proba_1",
            Request(),
            Roles("y_true", (ModelColumns("model", per_class=(("0", "proba_0"), ("1", "proba_1"))),)),
        ),
        (
            "y_true p_ham p_spam pred",
            Request(),
            Roles("y_true", (ModelColumns("model", None, "pred", (("ham", "p_ham"), ("spam", "p_spam"))),)),
        ),
        ("y_true score p_value", Request(), Roles("y_true", (ONE,))),
        ("y_true target score", Request(truth="target"), Roles("target", (ONE,))),
        (
            "y_true target score",
            Request(pred=("target",)),
            Roles("y_true", (ModelColumns("model", "score", "target"),)),
        ),
        ("y a b", Request(truth="Y", score=("a",)), Roles("y", (ModelColumns("model", "a"),))),
        ("y a b", Request(truth="y", score=("b", "a")), Roles("y", (ModelColumns("b", "b"), ModelColumns("a", "a")))),
        (
            "y a b",
            Request(truth="y", pred=("b", "a")),
            Roles("y", (ModelColumns("b", None, "b"), ModelColumns("a", None, "a"))),
        ),
        (
            "y_true score__a score__b pred__b pred",
            Request(score=("score__b", "score__a")),
            Roles("y_true", (ModelColumns("b", "score__b", "pred__b"), ModelColumns("a", "score__a"))),
        ),
        (
            "y_true a b c d",
            Request(score=("a", "b"), pred=("c", "d")),
            Roles("y_true", (ModelColumns("a", "a", "c"), ModelColumns("b", "b", "d"))),
        ),
        (
            "y_true model a b",
            Request(score=("a", "b")),
            Roles("y_true", (ModelColumns("a", "a"), ModelColumns("b", "b"))),
        ),
        ("y_true who score", Request(model="who"), Roles("y_true", (ONE,), model="who")),
        ("y_true model score__a", Request(), Roles("y_true", (ModelColumns("a", "score__a"),), model="model")),
        (
            "y_true score weights frequency subject fold repeat split dataset",
            Request(),
            Roles(
                "y_true",
                (ONE,),
                used={"weight": "weights", "count": "frequency", "fold": "fold"},
                design={"repeat": "repeat", "split": "split", "dataset": "dataset"},
                clusters=("subject",),
            ),
        ),
        (
            "y_true score Sample_Weight n",
            Request(ignore=("n",)),
            Roles("y_true", (ONE,), used={"weight": "Sample_Weight"}),
        ),
        (
            "y_true score weight site w",
            Request(weight="w", cluster="Site"),
            Roles("y_true", (ONE,), used={"weight": "w", "cluster": "site"}),
        ),
        ("y_true score group", Request(by="group"), Roles("y_true", (ONE,), by="group")),
        ("y_true score fold", Request(by="fold"), Roles("y_true", (ONE,), by="fold")),
        (
            "y_true score site",
            Request(by="site", cluster="site"),
            Roles("y_true", (ONE,), used={"cluster": "site"}, by="site"),
        ),
        (
            "y_true prob_a prob_b prob_c",
            Request(),
            Roles("y_true", (ModelColumns("model", per_class=(("a", "prob_a"), ("b", "prob_b"), ("c", "prob_c"))),)),
        ),
        (
            "y_true p p_a p_b p_c",
            Request(),
            Roles("y_true", (ModelColumns("model", "p", per_class=(("a", "p_a"), ("b", "p_b"), ("c", "p_c"))),)),
        ),
        (
            "y_true p p_a p_b p_c",
            Request(score=("p",)),
            Roles("y_true", (ModelColumns("model", "p"),)),
        ),
        (
            "y_true Proba__my__net__a proba__my__net__b score__my__net p__svm__a",
            Request(),
            Roles(
                "y_true",
                (
                    ModelColumns(
                        "my__net",
                        "score__my__net",
                        per_class=(("a", "Proba__my__net__a"), ("b", "proba__my__net__b")),
                    ),
                    ModelColumns("svm", per_class=(("a", "p__svm__a"),)),
                ),
            ),
        ),
    ],
)
def test_roles_follow_from_names_and_choices(columns: str, choices: Request, expected: Roles) -> None:
    assert infer(columns.split(), choices) == expected


@pytest.mark.parametrize(
    ("columns", "choices", "sentence"),
    [
        (
            "x score",
            Request(),
            (
                "no column of true labels found (looked for y_true, truth, target, label, actual, ...); the "
                "columns are 'x', 'score'; needed: the column of true labels"
            ),
        ),
        (
            "targets score",
            Request(),
            (
                "no column of true labels found (looked for y_true, truth, target, label, actual, ...); the "
                "columns are 'targets', 'score'; needed: the column of true labels"
            ),
        ),
        (
            " ".join("abcdefghijk"),
            Request(truth="y"),
            (
                "there is no column 'y'; the columns are 'a', 'b', 'c', 'd', 'e', "
                "'f', 'g', 'h' and 3 more; needed: the column of true labels"
            ),
        ),
        (
            "y_true risk",
            Request(score=("risks",)),
            (
                "there is no column 'risks'; the columns are 'y_true', 'risk'; needed: "
                "the column of scores; pass score='risk'"
            ),
        ),
        (
            "y_true target score",
            Request(),
            (
                "two columns could be the true label: 'y_true', 'target'; needed: which one; pass one of:\n"
                "  truth='y_true'\n  truth='target'"
            ),
        ),
        (
            "y_true p prob",
            Request(),
            ("'prob' and 'p' could each be the scores; needed: which one; pass one of:\n  score='prob'\n  score='p'"),
        ),
        (
            "y_true score Score",
            Request(),
            (
                "'score' and 'Score' could each be the scores; needed: which one; pass one of:\n"
                "  score='score'\n  score='Score'"
            ),
        ),
        (
            "y_true Risk RISK",
            Request(score=("risk",)),
            (
                "'Risk' and 'RISK' could each be the scores; needed: which one; pass one of:\n"
                "  score='Risk'\n  score='RISK'"
            ),
        ),
        (
            "y_true pred predicted",
            Request(),
            (
                "'pred' and 'predicted' could each be the predicted labels; needed: which one; pass one of:\n"
                "  pred='pred'\n  pred='predicted'"
            ),
        ),
        (
            "y_true score__a Score__a",
            Request(),
            (
                "'score__a' and 'Score__a' could each be the scores; needed: which one; pass one of:\n"
                "  score='score__a'\n  score='Score__a'"
            ),
        ),
        (
            "y_true score score__a",
            Request(),
            (
                "'score' and 'score__a' could each be the scores; needed: one model, "
                "or one column for each; pass one of:\n  score='score'\n  score=['score__a']"
            ),
        ),
        (
            "y_true model score__a score__b",
            Request(),
            (
                "'model' could hold model names, but 'score__a' is the column of one "
                "model; needed: which columns are the scores; pass score=['score__a', 'score__b']"
            ),
        ),
        (
            "y_true who a b",
            Request(model="who", score=("a", "b")),
            (
                "several columns are given, but 'who' has model names; "
                "needed: one score column with model names, or one column for each model without them"
            ),
        ),
        (
            "y_true a b c",
            Request(score=("a", "b"), pred=("c",)),
            ("2 score columns are given but 1 of predicted labels; needed: one of each per model, in the same order"),
        ),
        (
            "y_true score score",
            Request(),
            "columns 2 and 3 are both named 'score'; needed: a unique name for each column",
        ),
        (
            "y_true p",
            Request(truth="p", score=("p",)),
            "column 'p' is given for 2 roles; needed: a different column for each",
        ),
        (
            "y_true hazard",
            Request(),
            (
                "no score or predicted-label column found; unused columns: 'hazard'; needed: a column of scores "
                "(y_score, score, prob, proba, p) or of predicted labels (y_pred, "
                "pred, prediction)"
            ),
        ),
        (
            "y_true",
            Request(),
            (
                "the only column is the true label; needed: a column of scores (y_score, score, prob, "
                "proba, p) or of predicted labels (y_pred, pred, prediction)"
            ),
        ),
        (
            "y_true score weight sample_weight",
            Request(),
            (
                "'weight' and 'sample_weight' could each be the weights; needed: which one; pass one of:\n"
                "  weight='weight'\n  weight='sample_weight'"
            ),
        ),
        (
            "y_true score",
            Request(ignore=("scores",)),
            (
                "there is no column 'scores'; the columns are 'y_true', 'score'; needed: a column that exists; "
                "pass ignore='score'"
            ),
        ),
        (
            "y_true score Score",
            Request(ignore=("SCORE",)),
            (
                "'score' and 'Score' could each be meant; needed: which one; pass one of:\n"
                "  ignore='score'\n  ignore='Score'"
            ),
        ),
        (
            "y_true score site",
            Request(by="sites"),
            (
                "there is no column 'sites'; the columns are 'y_true', 'score', 'site'; "
                "needed: the column of subgroups; pass by='site'"
            ),
        ),
        (
            "y_true score",
            Request(by="y_true"),
            "column 'y_true' is given for 2 roles; needed: a different column for each",
        ),
        (
            "y_true score weight",
            Request(by="weight", weight="weight"),
            "column 'weight' is given for 2 roles; needed: a different column for each",
        ),
        (
            "y_true score w",
            Request(count="w", weight="w"),
            "column 'w' is given for 2 roles; needed: a different column for each",
        ),
    ],
)
def test_what_names_leave_open_is_asked(columns: str, choices: Request, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        infer(columns.split(), choices)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("columns", ["y_true score age", "y prob_0 prob_1", "label p weight"])
def test_where_names_tell_nothing_is_looked_at(columns: str) -> None:
    def find(wanted: object) -> Mapping[str, Profile]:
        raise AssertionError(f"{wanted} is read")

    contents = Contents(find, lambda looked: ())
    assert infer(columns.split(), Request(), contents).models[0].columns


def test_a_column_called_count_may_be_looked_at() -> None:
    """Counting the values of a column must not meet the name of its own result."""
    frame = pl.DataFrame(
        {"y_true": [0, 1] * 5, "score__0": [0.2, 0.7] * 5, "score__1": [0.3, 0.6] * 5, "count": [1] * 10}
    )
    with pytest.raises(InputError, match="could each be"):
        assay.evaluate(frame)
