"""The names by which columns are recognised, and what is said where the user names one that is not there.

What names and contents leave open, and every way to settle it, made of the source's own columns.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from assay.errors import InputError
from assay.predictions import PER_CASE
from assay.sources.quoting import joined, listed, shown

__all__ = [
    "DESIGN",
    "IS_WORD",
    "MAY_PREDICT",
    "MEANING",
    "NAMES",
    "OF_DESIGN",
    "ON_REQUEST",
    "OWN_SCORES",
    "USED",
    "WEAK_TRUTH",
    "Open",
    "Way",
    "close",
    "existing",
    "folded",
    "hinted",
    "is_id",
    "named_as",
    "stem",
    "suspected",
    "tells",
    "which",
]


# Each list without the differences that `folded` takes away; the strongest first.
NAMES = {
    "truth": (
        *("ytrue", "truth", "true", "target", "actual", "y", "ytest", "yval", "groundtruth", "gt", "gold", "goldlabel"),
        *("truelabel", "trueclass", "actuallabel", "actualclass", "reference", "observed", "obs", "outcome"),
        *("expected", "response", "label", "class"),
    ),
    "score": (
        *("yscore", "score", "prob", "proba", "probability", "yprob", "yproba", "p", "p1", "prob1", "proba1", "score1"),
        *("predprob", "predproba", "predscore", "predictedprob", "predictedproba", "predictedprobability"),
        *("predictionscore", "predictionprobability", "ypredprob", "ypredproba", "predictproba", "risk", "logit"),
        *("logits", "decision", "decisionfunction", "scoredprobability", "scoredprobabilities"),
    ),
    "certainty": ("confidence", "conf", "predconfidence", "predictionconfidence", "certainty", "maxprob", "maxproba"),
    "pred": (
        *("ypred", "pred", "preds", "prediction", "predictions", "predicted", "predictedlabel", "predlabel"),
        *("predictionlabel", "yhat", "predictedclass", "predclass", "predict", "scoredlabel", "scoredlabels"),
    ),
    # What a classifier is trained to predict: the truth where no other column can be.
    "outcome": (
        *("survived", "died", "dead", "death", "churn", "churned", "default", "defaulted", "fraud", "spam", "clicked"),
        *("converted", "readmitted", "relapse", "relapsed", "malignant", "diagnosis", "event"),
    ),
    # One value a case that says whether the prediction was right: no label, and no truth beside another one.
    "correctness": (
        *(
            "acc",
            "accnorm",
            "accuracy",
            "correct",
            "iscorrect",
            "correctness",
            "exactmatch",
            "em",
            "passed",
            "ispassed",
        ),
        *("match", "ismatch", "success", "right", "isright", "wrong", "iswrong", "incorrect", "error", "iserror"),
    ),
    "model": ("model", "classifier", "learner"),
    "weight": ("weight", "weights", "sampleweight"),
    "count": ("count", "counts", "freq", "frequency"),
    "cluster": (
        *("cluster", "subject", "patient", "participant", "patientid", "subjectid", "userid", "participantid"),
        *("clusterid",),
    ),
    "fold": ("fold", "cvfold"),
    "id": ("id", "rowid", "caseid"),
}
DESIGN = ("repeat", "split", "dataset", "id")  # seen and reported, each by its own name
EVERY_NAME = {*DESIGN, *(name for names in NAMES.values() for name in names)}
WEAK_TRUTH = ("label", "class")  # beside a stronger name, what a classifier answered
IS_WORD = re.compile(r"[iI]s[\s._-]+\w|is(?=[A-Z])", re.ASCII)
# What rows were used for, or who a case is, rather than what was to be predicted of it.
OF_DESIGN = re.compile(r"is(train|training|test|testing|val|valid|validation|holdout|male|female)")
# Scores that by their very name belong to the positive class, however high they all are.
OWN_SCORES = ("yscore", "p1", "prob1", "proba1", "score1", "risk", "logit", "logits", "decision", "decisionfunction")
USED = ("weight", "count", "cluster", "fold")
ON_REQUEST = ("amount", "inclusion", "proxy")  # what predictions carry only where the user names it
MEANING = {
    "truth": PER_CASE["truth"],
    "score": PER_CASE["score"],
    "pred": PER_CASE["decision"],
    "certainty": "probabilities of the predicted labels",
    "model": "model names",
    **{name: PER_CASE[name] for name in (*USED, *ON_REQUEST)},
    "by": "subgroups",
    "id": PER_CASE["id"],
}
ID_LIKE = re.compile(r".+[\s._-]id|.+[a-z]I[dD]|id[\s._-].+", re.ASCII)
GAPS = re.compile(r"[\s._-]+")
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_A-Za-z]+")
OF_SCORES = {"score", "scores", "prob", "probs", "proba", "probas", "probability", "probabilities", "confidence"}
MAY_PREDICT = re.compile("pred|hat|scored", re.IGNORECASE)  # quicker than its words, of very many columns
OF_TRUTH = {"truth", "true", "actual", "gold", "observed", "obs", "human"}
OF_PREDICTIONS = {"pred", "preds", "predicted", "prediction", "predictions", "predict", "yhat", "hat", "scored"}
OF_LABELS = {*(OF_PREDICTIONS - {"hat", "scored", "predict"}), "truth", "true", "label", "gold"}


@lru_cache(maxsize=1 << 17)  # a table may have a hundred thousand columns, and each is asked about for every role
def folded(column: str) -> str:
    """A column's name without the differences that do not matter: case, blanks, dots, dashes and underscores.

    >>> folded("Y_True"), folded(".pred class")
    ('ytrue', 'predclass')
    """
    return GAPS.sub("", column).casefold() or column.strip().casefold()


def named_as(role: str, free: Sequence[str]) -> list[str]:
    """The columns whose names say that they play a role, the strongest name first."""
    by_name: dict[str, list[str]] = {}
    for column in free:
        by_name.setdefault(folded(column), []).append(column)
    return [column for name in NAMES[role] for column in by_name.get(name, ())]


def is_id(column: str) -> bool:
    """Whether a name says that the column tells rows, or something they belong to, apart.

    >>> [is_id(name) for name in ("id", "PassengerId", "order_id", "row.id", "paid", "valid", "grid")]
    [True, True, True, True, False, False, False]
    """
    return folded(column) in NAMES["id"] or ID_LIKE.fullmatch(column.strip()) is not None


def suspected(column: str) -> str | None:
    """The role that a word in a column's name hints at, if any does: a score or a label.

    >>> [suspected(name) for name in ("prob_of_default", "scoreNew", "true_outcome", "age")]
    ['score', 'score', 'pred', None]
    """
    words = {*_split_words(column)}
    return "score" if words & OF_SCORES else "pred" if words & OF_LABELS else None


def hinted(column: str) -> str | None:
    """What a name hints at: correctness, a score, a prediction or the truth; nothing where it hints at two of them.

    >>> [hinted(name) for name in ("predictedChurn", "actual_status", "exact_match", "p", "llm_label", "true_pred")]
    ['pred', 'truth', 'correctness', 'score', None, None]
    """
    if folded(column) in NAMES["correctness"]:
        return "correctness"
    words = {*_split_words(column)}
    named = folded(column) in (*NAMES["score"], *NAMES["certainty"])
    found = ["score"] if named or words & OF_SCORES else []
    if not found:
        found += ["pred"] if words & OF_PREDICTIONS or folded(column) in NAMES["pred"] else []
        strong = folded(column) in (*NAMES["truth"], *NAMES["outcome"]) and folded(column) not in WEAK_TRUTH
        found += ["truth"] if words & OF_TRUTH or strong else []
    return found[0] if len(found) == 1 else None


def stem(column: str) -> tuple[str, ...]:
    """The words of a name without those that tell a prediction, a truth or a score: what it is about.

    >>> stem("predicted_churn"), stem("Prediction (Churn)"), stem("$C-churn"), stem("true_setosa"), stem("y_pred")
    (('churn',), ('churn',), ('churn',), ('setosa',), ('y',))
    """
    plain = re.sub(r"^\$[A-Z]+-", "", column)
    return tuple(word for word in _split_words(plain) if word not in {*OF_TRUTH, *OF_PREDICTIONS, *OF_SCORES})


def _split_words(column: str) -> list[str]:
    return [word.casefold() for word in WORDS.findall(column)]


def tells(column: str) -> bool:
    """Whether a name tells, or hints at, any role.

    >>> [tells(name) for name in ("Y_True", "score__svm", "proba_ham", "patient_id", "is_spam", "x17")]
    [True, True, True, True, True, False]
    """
    known = folded(column) in EVERY_NAME or is_id(column) or suspected(column) is not None
    return known or IS_WORD.match(column) is not None


def existing(columns: Sequence[str], role: str, name: str) -> str:
    """A column that the user named, as the source spells it."""
    if name in columns:
        return name
    alike = [column for column in columns if folded(column) == folded(name)]
    if len(alike) == 1:
        return alike[0]
    if alike:
        what = f"the {MEANING[role]}" if role in MEANING else "meant"
        raise InputError(
            f"{joined(alike)} could each be {what}", "which one", ways=[({role: column}, "") for column in alike]
        )
    nearest = close(name, columns)
    raise InputError(
        f"there is no column {shown(name)}; the columns are {listed(columns)}",
        f"the column of {MEANING[role]}" if role in MEANING else "a column that exists",
        {role: nearest} if nearest else None,
    )


def close(name: str, columns: Sequence[str]) -> str | None:
    """The column whose name is most like this one, if any is."""
    by_name = {folded(column): column for column in columns}
    found = difflib.get_close_matches(folded(name), list(by_name), n=1, cutoff=0.7)
    return by_name[found[0]] if found else None


# Choices that together settle something, and what they mean for this data.
Way = tuple[Mapping[str, Any], str]


class Open(InputError):
    """Something is open; each of `choices` settles it, though more may be open after that."""

    def __init__(self, found: str, needed: str, choices: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(found, needed, ways=[(choice, "") for choice in choices])
        self.choices = list(choices)


def which(role: str, found: Sequence[str]) -> str | None:
    """The one column that could play a role, if there is any; more than one are asked about."""
    if len(found) > 1:
        raise Open(
            f"{joined(found)} could each be the {MEANING[role]}", "which one", [{role: column} for column in found]
        )
    return found[0] if found else None
