"""Files by the names of their columns: as pandas, R, Hugging Face, tidymodels, scikit-learn and others write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from tests.sources.corpus.case import Case

ROWS = 60
RANDOM = np.random.default_rng(20240611)
TRUTH = (RANDOM.random(ROWS) < 0.4).astype(int)
SCORE = np.round(np.clip(RANDOM.normal(0.35 + 0.3 * TRUTH, 0.2), 0.01, 0.99), 3)
OTHER = np.round(np.clip(RANDOM.normal(0.4 + 0.15 * TRUTH, 0.2), 0.01, 0.99), 3)
LABEL = (SCORE >= 0.5).astype(int)
SURE = np.round(np.where(LABEL == 1, SCORE, 1 - SCORE), 3)
LOGIT = np.round(np.log(SCORE / (1 - SCORE)), 4)
AGE = np.round(RANDOM.uniform(18, 90, ROWS), 1)
FARE = np.round(RANDOM.uniform(5, 500, ROWS), 2)
PATIENT = np.arange(ROWS) // 3
ID = np.arange(1000, 1000 + ROWS)
WEIGHT = np.round(RANDOM.uniform(0.5, 3, ROWS), 2)
FOLD = np.arange(ROWS) % 5
SPAM = np.array(["ham", "spam"])[TRUTH]
SPAM_LABEL = np.array(["ham", "spam"])[LABEL]
IRIS = np.array(["setosa", "versicolor", "virginica"])
SPECIES = IRIS[RANDOM.integers(0, 3, ROWS)]
THIRDS = RANDOM.dirichlet([2, 2, 2], ROWS)
THIRDS = np.round(THIRDS, 3)
THIRDS[:, 2] = np.round(1 - THIRDS[:, 0] - THIRDS[:, 1], 3)
CALLED = IRIS[THIRDS.argmax(1)]
LOGITS = np.round(np.log(np.clip(THIRDS, 1e-3, 1)) + 1.5, 4)

Write = Callable[[Path], None]


def area(score: Any, truth: Any = TRUTH) -> float:
    """The ROC AUC by its definition: the share of pairs in which the positive one scores higher, ties for half."""
    positive, negative = score[truth == 1], score[truth == 0]
    return float((positive[:, None] > negative).mean() + (positive[:, None] == negative).mean() / 2)


AUC = {"roc_auc": area(SCORE)}
RIGHT = {"accuracy": float((LABEL == TRUTH).mean())}
BOTH = {**AUC, **RIGHT}
OF_THREE = {"accuracy": float((CALLED == SPECIES).mean())}
AGAINST = {"roc_auc": area(THIRDS[:, 2], (SPECIES == "virginica").astype(int))}


def csv(**columns: Any) -> Write:
    """As pandas writes it without its index; `__` begins names that Python has not."""

    def write(path: Path) -> None:
        named = {name.removeprefix("__").replace("·", "."): values for name, values in columns.items()}
        pd.DataFrame(named).to_csv(path, index=False)

    return write


def european(**columns: Any) -> Write:
    """As pandas writes it for a spreadsheet where a comma stands before the decimals."""
    return lambda path: pd.DataFrame(columns).to_csv(path, index=False, sep=";", decimal=",")


def table(heading: str, *columns: Any) -> Write:
    """A table under a heading of any kind."""

    def write(path: Path) -> None:
        pd.DataFrame(dict(enumerate(columns))).to_csv(path, index=False, header=heading.split(","))

    return write


def parquet(**columns: Any) -> Write:
    return lambda path: pl.DataFrame(columns).write_parquet(path)


def lines(**columns: Any) -> Write:
    return lambda path: pl.DataFrame(columns).write_ndjson(path)


def read(name: str, by: str, write: Write, roles: dict[str, Any], figures: dict[str, float], *options: str) -> Case:
    return Case(name, by, write, options, roles, figures)


def refused(name: str, by: str, write: Write, sentence: str, *options: str) -> Case:
    return Case(name, by, write, options, refused=sentence)


# A truth and a score, under each name that tells them.
TRUTHS = (
    *("y_true", "truth", "TRUE", "Target", "label", "class", "Actual", "y", "y_test", "y.val", "ground truth", "GT"),
    *("gold", "true_label", "trueClass", "actual-label", "reference", "observed", "obs", "outcome", "expected"),
    *("response", "is_fraud", "isFraud"),
)
SCORES = (
    *("y_score", "Score", "prob", "proba", "probability", "y_prob", "y_proba", "p", "p1", "prob_1", "proba.1"),
    *("score_1", "pred_prob", "pred_proba", "y_pred_proba", "predict_proba", "risk", "decision", "decision_function"),
)
PREDS = (
    *("y_pred", "pred", "prediction", "Predicted", "predicted_label", "pred_label", "y_hat", "yhat"),
    *("predicted class", ".pred_class"),
)
PLAIN: tuple[Case, ...] = (
    *(
        read(
            f"truth_{place}.csv",
            f"truth called {name}",
            table(f"{name},prob", TRUTH, SCORE),
            {"truth": name, "score": "prob"},
            AUC,
        )
        for place, name in enumerate(TRUTHS)
    ),
    *(
        read(
            f"score_{place}.csv",
            f"score called {name}",
            table(f"actual,{name}", TRUTH, SCORE),
            {"truth": "actual", "score": name},
            AUC,
        )
        for place, name in enumerate(SCORES)
    ),
    *(
        read(
            f"pred_{place}.csv",
            f"labels called {name}",
            table(f"actual,{name},probability", TRUTH, LABEL, SCORE),
            {"truth": "actual", "pred": name, "score": "probability"},
            BOTH,
        )
        for place, name in enumerate(PREDS)
    ),
)
SAVED: tuple[Case, ...] = (
    read(
        "titanic.csv",
        "a Kaggle notebook",
        csv(PassengerId=ID, survived=TRUTH, prob_1=SCORE, y_hat=LABEL, age=AGE, fare=FARE),
        {"truth": "survived", "score": "prob_1", "pred": "y_hat", "id": "PassengerId", "not used": ["age", "fare"]},
        BOTH,
    ),
    read(
        "sklearn_proba.csv",
        "pandas, predict_proba of two classes",
        csv(y_test=TRUTH, proba_0=np.round(1 - SCORE, 3), proba_1=SCORE),
        {"truth": "y_test", "score": "proba_1", "not used": ["proba_0"]},
        AUC,
    ),
    read(
        "sklearn_named.csv",
        "pandas, predict_proba under the names of classes_",
        csv(y_true=SPAM, ham=np.round(1 - SCORE, 3), spam=SCORE, y_pred=SPAM_LABEL),
        {"truth": "y_true", "score": "spam", "pred": "y_pred", "not used": ["ham"]},
        BOTH,
        "--positive",
        "spam",
    ),
    read(
        "iris_named.csv",
        "scikit-learn, three columns called as the classes",
        csv(species=SPECIES, setosa=THIRDS[:, 0], versicolor=THIRDS[:, 1], virginica=THIRDS[:, 2]),
        {"truth": "species", "proba": list(IRIS)},
        OF_THREE,
    ),
    read(
        "iris_p.parquet",
        "polars, p_<class>",
        parquet(target=SPECIES, p_setosa=THIRDS[:, 0], p_versicolor=THIRDS[:, 1], p_virginica=THIRDS[:, 2]),
        {"truth": "target", "proba": ["p_setosa", "p_versicolor", "p_virginica"]},
        OF_THREE,
    ),
    read(
        "iris_suffix.csv",
        "class in front: setosa_prob",
        csv(y=SPECIES, setosa_prob=THIRDS[:, 0], versicolor_prob=THIRDS[:, 1], virginica_prob=THIRDS[:, 2]),
        {"truth": "y", "proba": [f"{name}_prob" for name in IRIS]},
        OF_THREE,
    ),
    read(
        "iris_against.csv",
        "one class against the rest",
        csv(y=SPECIES, p_setosa=THIRDS[:, 0], p_versicolor=THIRDS[:, 1], p_virginica=THIRDS[:, 2]),
        {"truth": "y", "score": "p_virginica"},
        AGAINST,
        "--positive",
        "virginica",
    ),
    read(
        "labels_against.csv",
        "labels of one class against the rest",
        csv(y=SPECIES, y_pred=CALLED),
        {"truth": "y", "pred": "y_pred"},
        {"accuracy": float(((CALLED == "setosa") == (SPECIES == "setosa")).mean())},
        "--positive",
        "setosa",
    ),
    read(
        "logits.csv",
        "torch, a logit for each class",
        csv(gold=SPECIES, logit_setosa=LOGITS[:, 0], logit_versicolor=LOGITS[:, 1], logit_virginica=LOGITS[:, 2]),
        {"truth": "gold", "proba": [f"logit_{name}" for name in IRIS]},
        {"accuracy": float((IRIS[LOGITS.argmax(1)] == SPECIES).mean())},
    ),
    read(
        "logit.csv",
        "torch, one logit",
        csv(y_true=TRUTH, logit=LOGIT),
        {"truth": "y_true", "score": "logit"},
        {"roc_auc": area(LOGIT), "brier": float(((1 / (1 + np.exp(-LOGIT)) - TRUTH) ** 2).mean())},
    ),
    # Tools.
    read(
        "pipeline.csv",
        "Hugging Face text-classification beside its data",
        csv(
            text=[f"row {row}" for row in range(ROWS)],
            true_label=np.array(["NEGATIVE", "POSITIVE"])[TRUTH],
            label=np.array(["NEGATIVE", "POSITIVE"])[LABEL],
            score=SURE,
        ),
        {"truth": "true_label", "pred": "label", "certainty": "score", "not used": ["text"]},
        BOTH,
    ),
    read(
        "pipeline.jsonl",
        "Hugging Face, JSON lines",
        lines(
            label=np.array(["NEGATIVE", "POSITIVE"])[LABEL], score=SURE, gold=np.array(["NEGATIVE", "POSITIVE"])[TRUTH]
        ),
        {"truth": "gold", "pred": "label", "certainty": "score"},
        BOTH,
    ),
    read(
        "confidence.csv",
        "a service: label and confidence",
        csv(actual=SPAM, predicted=SPAM_LABEL, confidence=SURE),
        {"truth": "actual", "pred": "predicted", "certainty": "confidence"},
        BOTH,
        "--positive",
        "spam",
    ),
    read(
        "confidence_of_three.csv",
        "the same of three classes",
        csv(actual=SPECIES, predicted=CALLED, confidence=THIRDS.max(1)),
        {"truth": "actual", "pred": "predicted", "not used": ["confidence"]},
        OF_THREE,
    ),
    read(
        "pycaret.csv",
        "PyCaret predict_model",
        csv(age=AGE, target=TRUTH, prediction_label=LABEL, prediction_score=SURE),
        {"truth": "target", "pred": "prediction_label", "certainty": "prediction_score", "not used": ["age"]},
        BOTH,
    ),
    read(
        "tidymodels.csv",
        "tidymodels augment, written by readr",
        table(
            ".pred_class,.pred_no,.pred_yes,Class,.row",
            np.array(["no", "yes"])[LABEL],
            np.round(1 - SCORE, 3),
            SCORE,
            np.array(["no", "yes"])[TRUTH],
            np.arange(1, ROWS + 1),
        ),
        {"truth": "Class", "pred": ".pred_class", "score": ".pred_yes", "not used": [".pred_no", ".row"]},
        BOTH,
    ),
    read(
        "caret.csv",
        "caret savePredictions, R write.csv(row.names = FALSE)",
        csv(
            pred=np.array(["No", "Yes"])[LABEL],
            obs=np.array(["No", "Yes"])[TRUTH],
            No=np.round(1 - SCORE, 3),
            Yes=SCORE,
            rowIndex=np.arange(1, ROWS + 1),
            mtry=np.full(ROWS, 2),
        ),
        {"truth": "obs", "pred": "pred", "score": "Yes", "not used": ["No", "rowIndex", "mtry"]},
        BOTH,
    ),
    read(
        "r_prob.csv",
        "R, data.frame(predict(type = 'prob')) with classes 0 and 1",
        csv(y=TRUTH, X0=np.round(1 - SCORE, 3), X1=SCORE),
        {"truth": "y", "score": "X1", "not used": ["X0"]},
        AUC,
    ),
    read(
        "r_rownames.csv",
        "R write.csv",
        table(",y_true,score", np.arange(1, ROWS + 1), TRUTH, SCORE),
        {"truth": "y_true", "score": "score", "not used": ["column 1"]},
        AUC,
    ),
    read(
        "pandas_index.csv",
        "pandas to_csv()",
        lambda path: pd.DataFrame({"y_true": TRUTH, "y_proba": SCORE}).to_csv(path),
        {"truth": "y_true", "score": "y_proba", "not used": ["column 1"]},
        AUC,
    ),
    read(
        "sql.csv",
        "an export from a database",
        table("CASE ID,GROUND TRUTH,RISK,AGE", ID, TRUTH, SCORE, AGE),
        {"truth": "GROUND TRUTH", "score": "RISK", "id": "CASE ID", "not used": ["AGE"]},
        AUC,
    ),
    # Several models.
    read(
        "wide.csv",
        "a column a model, score__",
        csv(y_true=TRUTH, score__svm=SCORE, score__forest=OTHER),
        {"truth": "y_true", "score": ["score__svm", "score__forest"]},
        {"svm.roc_auc": area(SCORE)},
    ),
    read(
        "suffix.csv",
        "a column a model, <model>_prob",
        csv(y_test=TRUTH, svm_prob=SCORE, forest_prob=OTHER),
        {"truth": "y_test", "score": ["svm_prob", "forest_prob"]},
        {"forest.roc_auc": area(OTHER)},
    ),
    read(
        "long.csv",
        "a row a model",
        csv(learner=np.tile(["svm", "forest"], ROWS // 2), y=TRUTH, score=SCORE),
        {"truth": "y", "score": "score", "model": "learner"},
        {},
    ),
    # What the rows are.
    read(
        "patients.csv",
        "a hospital",
        csv(patient_id=PATIENT, outcome=TRUTH, risk=SCORE),
        {"truth": "outcome", "score": "risk", "cluster": "patient_id"},
        AUC,
    ),
    read(
        "patient_once.csv",
        "a hospital, each patient once",
        csv(patient_id=ID, outcome=TRUTH, risk=SCORE),
        {"truth": "outcome", "score": "risk", "id": "patient_id"},
        AUC,
    ),
    *(
        read(
            f"{name}.csv",
            f"rows of the same {name}",
            csv(**{name: PATIENT, "y": TRUTH, "p": SCORE}),
            {"truth": "y", "score": "p", "cluster": name},
            AUC,
        )
        for name in ("patient", "subject", "subject_id", "user_id", "participant")
    ),
    read(
        "folds.csv",
        "scikit-learn cross_val_predict with folds",
        csv(row_id=ID, cv_fold=FOLD, y_true=TRUTH, y_pred=LABEL, split=np.full(ROWS, "test")),
        {"truth": "y_true", "pred": "y_pred", "fold": "cv_fold", "id": "row_id", "not used": ["split"]},
        RIGHT,
    ),
    read(
        "weights.csv",
        "a survey",
        csv(y=TRUTH, y_pred=LABEL, sample_weight=WEIGHT),
        {"truth": "y", "pred": "y_pred", "weight": "sample_weight"},
        {"accuracy": float(WEIGHT[LABEL == TRUTH].sum() / WEIGHT.sum())},
    ),
    read(
        "counts.csv",
        "a table of counts",
        csv(y=[0, 0, 1, 1], y_pred=[0, 1, 0, 1], freq=[40, 10, 5, 45]),
        {"truth": "y", "pred": "y_pred", "count": "freq"},
        {"accuracy": 0.85},
    ),
    # No names that tell.
    refused(
        "contents.csv",
        "two columns without telling names",
        csv(a=np.array(["no", "yes"])[TRUTH], b=SCORE),
        "no column of true labels found",
    ),
    read(
        "numbers.csv",
        "labels as 1.0 and scores",
        csv(y_true=TRUTH * 1.0, y_pred=LABEL == 1),
        {"truth": "y_true", "pred": "y_pred"},
        RIGHT,
    ),
    read(
        "named.csv",
        "everything said",
        csv(a=TRUTH, b=SCORE, c=LABEL, weight=WEIGHT),
        {"truth": "a", "score": "b", "pred": "c", "not used": ["weight"]},
        BOTH,
        "--truth",
        "a",
        "--score",
        "b",
        "--pred",
        "c",
    ),
    read(
        "certain_said.csv",
        "certainty said",
        csv(y=SPAM, c=SPAM_LABEL, s=SURE),
        {"truth": "y", "pred": "c", "certainty": "s"},
        BOTH,
        "--pred",
        "c",
        "--certainty",
        "s",
        "--positive",
        "spam",
    ),
    read(
        "positive_words.csv",
        "prob_pos of 0 and 1",
        csv(y=TRUTH, prob_pos=SCORE, prob_neg=np.round(1 - SCORE, 3)),
        {"truth": "y", "score": "prob_pos", "not used": ["prob_neg"]},
        AUC,
    ),
)
ASKED: tuple[Case, ...] = (
    refused(
        "orders_and_no_truth.csv",
        "no truth, and orders that come again",
        csv(order_id=PATIENT, died=TRUTH, smoker=LABEL, prob=SCORE),
        "no column of true labels found",
    ),
    refused(
        "three_truths.csv",
        "label, true_label and outcome",
        csv(label=TRUTH, true_label=TRUTH, outcome=np.array(["lived", "died"])[TRUTH], score=SCORE),
        "three columns could be the true label",
    ),
    refused(
        "no_truth.csv",
        "names that say nothing",
        csv(died=TRUTH, smoker=LABEL, prob=SCORE),
        "no column of true labels found",
    ),
    refused(
        "nothing_known.csv",
        "no names and three columns",
        csv(a=SPAM, b=SPAM_LABEL, c=SCORE),
        "no column of true labels found",
    ),
    refused("two_scores.csv", "two scores", csv(y=TRUTH, score=SCORE, prob=OTHER), "could each be the scores"),
    refused("new_score.csv", "a score beside another", csv(y=TRUTH, score=SCORE, prob_new=OTHER), "looks like a score"),
    refused(
        "new_score_european.csv",
        "the same with semicolons and decimal commas",
        european(y=TRUTH, score=SCORE, prob_new=OTHER),
        "looks like a score",
    ),
    refused(
        "nameless_european.csv",
        "two columns that say nothing, with decimal commas",
        european(a=TRUTH, b=SCORE),
        "no column of true labels found",
    ),
    refused("extra_label.csv", "a label too many", csv(actual=TRUTH, y_pred=LABEL, label=LABEL), "looks like a label"),
    refused(
        "score_svm.csv", "score_<model>", csv(y=TRUTH, score_svm=SCORE, score_rf=OTHER), "has the name of a class of"
    ),
    refused(
        "negative_only.csv",
        "the other class's probability",
        csv(y=TRUTH, proba_0=1 - SCORE),
        "has the name of the positive class",
    ),
    refused("spam.csv", "classes of no order", csv(label=SPAM, score=SCORE), "which class is positive"),
    refused("order.csv", "orders that come again", csv(order_id=PATIENT, y=TRUTH, p=SCORE), "'order_id' repeats"),
    refused(
        "order_named.csv",
        "orders that come again, columns named",
        csv(order_id=PATIENT, a=TRUTH, b=SCORE),
        "'order_id' repeats",
        "--truth",
        "a",
        "--score",
        "b",
    ),
    refused(
        "two_clusters.csv",
        "patients and users",
        csv(patient=PATIENT, user_id=PATIENT, y=TRUTH, p=SCORE),
        "could each be the clusters",
    ),
    refused(
        "case.csv",
        "Yes beside yes",
        csv(y=np.array(["no", "yes"])[TRUTH], y_pred=np.array(["no", "Yes"])[LABEL]),
        "different only in case and blanks",
    ),
    refused("sign.csv", "-1 and 1 beside 0 and 1", csv(y=TRUTH, y_pred=2 * LABEL - 1), "different only in the sign"),
    refused(
        "offset.csv",
        "1..3 beside 0..2",
        csv(y=np.arange(ROWS) % 3, y_pred=np.arange(ROWS) % 3 + 1),
        "different only in an offset",
    ),
    refused(
        "spellings.csv",
        "Yes and yes in the truth",
        csv(y=np.where(np.arange(ROWS) % 9 == 0, "Yes", np.array(["no", "yes"])[TRUTH]), p=SCORE),
        "differ only in case",
    ),
    refused(
        "answers.csv",
        "a pipeline's answers and no truth",
        csv(label=np.array(["NEGATIVE", "POSITIVE"])[LABEL], score=SURE.clip(0.5)),
        "may be the predicted label, not the true label",
    ),
    refused(
        "single_score.csv", "three classes and one score", csv(y=SPECIES, score=SCORE), "is a single column of scores"
    ),
    refused("id_truth.csv", "an id for the truth", csv(y=ID, p=SCORE, died=TRUTH), "looks like an id or a measurement"),
    refused(
        "scores_for_labels.csv", "pred holds probabilities", csv(y_true=TRUTH, pred=SCORE), "which are not classes"
    ),
    refused(
        "gaps.csv",
        "nothing named and gaps",
        csv(a=np.where(np.arange(ROWS) < 3, "", SPAM), b=SPAM_LABEL, c=SCORE),
        "no column of true labels found",
    ),
    refused(
        "weighted.csv",
        "no truth, and weights",
        csv(died=TRUTH, smoker=LABEL, prob=SCORE, weight=WEIGHT),
        "no column of true labels found",
    ),
    refused(
        "low_confidence.csv",
        "a confidence below a half",
        csv(y=TRUTH, y_pred=LABEL, confidence=SCORE),
        "is never below 0.5",
    ),
    refused(
        "monotone.csv",
        "all above a half, and either reading fits",
        csv(y=TRUTH, y_pred=LABEL, score=np.round(0.5 + SCORE / 2, 3)),
        "never below 0.5",
    ),
    refused(
        "twins.csv",
        "svm_prob beside y_pred",
        csv(y=TRUTH, y_pred=LABEL, svm_prob=SCORE, rf_prob=OTHER),
        "could be the predicted labels of any",
    ),
    refused(
        "no_such.csv", "a column misspelled", csv(y=TRUTH, risk_1=SCORE), "there is no column", "--score", "riks_1"
    ),
)
CASES: tuple[Case, ...] = (*PLAIN, *SAVED, *ASKED)
