"""Realistic files as tools export them: R, WEKA, Spark, Hugging Face, AutoML services, annotation and competitions."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
from tests.sources.realistic_files import (
    AGE,
    CALLED,
    ID,
    IRIS,
    ROWS,
    SHARES,
    SPECIES,
    SURE,
    TOP,
    P,
    Realistic,
    Y,
    accuracy,
    area,
    csv,
    json_lines,
    words,
)
from tests.sources.realistic_names import BOTH, LABELLED, NO_YES, SCORED, one

__all__ = ["CASES"]

Q = np.round(1 - P, 3)
OF_THREE = {"accuracy": accuracy(TOP, SPECIES)}
VECTORS = [f"[{q},{p}]" for q, p in zip(Q, P, strict=True)]
YES, SAID = words(Y, NO_YES), words(CALLED, NO_YES)
TITANIC = words(Y, "died survived")

R_AND_WEKA = (
    one(
        "caret.csv",
        csv("pred|obs|No|Yes|rowIndex", words(CALLED, "No Yes"), words(Y, "No Yes"), Q, P, ID),
        "obs",
        BOTH,
        "Yes",
        asked=False,
    ),
    one(
        "caret_classes.csv",
        csv("obs|pred|Class1|Class2", words(Y, "Class2 Class1"), words(CALLED, "Class2 Class1"), P, Q),
        "obs",
        BOTH,
        "Class1",
        "Class2",
    ),
    one(
        "yardstick.csv",
        csv("truth|Class1|Class2|predicted", words(Y, "Class2 Class1"), P, Q, words(CALLED, "Class2 Class1")),
        "truth",
        BOTH,
        "Class1",
        "Class2",
    ),
    one(
        "tidymodels.csv",
        csv(".pred_class|.pred_no|.pred_yes|truth", SAID, Q, P, YES),
        "truth",
        BOTH,
        "yes",
        asked=False,
    ),
    one(
        "tidymodels_churn.csv",
        csv("churn|.pred_class|.pred_No|.pred_Yes", words(Y, "No Yes"), words(CALLED, "No Yes"), Q, P),
        "churn",
        BOTH,
        "Yes",
    ),
    one("broom.csv", csv("survived|.fitted", Y, P), "survived", SCORED),
    one("glm_fitted.csv", csv("y|fitted", Y, P), "y", SCORED),
    one("r_rownames.csv", csv("|truth|prob", range(1, ROWS + 1), Y, P), "truth", SCORED, asked=False),
    one(
        "weka.csv",
        csv(
            "inst#|actual|predicted|error|prediction",
            range(1, ROWS + 1),
            words(Y, "1:no 2:yes"),
            words(CALLED, "1:no 2:yes"),
            np.where(CALLED == Y, "", "+"),
            SURE,
        ),
        "actual",
        BOTH,
        "yes",
    ),
    one(
        "rapidminer.csv",
        csv("label|prediction(label)|confidence(no)|confidence(yes)", YES, SAID, Q, P),
        "label",
        BOTH,
        "yes",
    ),
    one("knime.csv", csv("Churn|P (Churn=0)|P (Churn=1)|Prediction (Churn)", Y, Q, P, CALLED), "Churn", BOTH),
    one(
        "orange.csv",
        csv("iris|Logistic Regression|Tree", IRIS[SPECIES], IRIS[TOP], IRIS[SPECIES[::-1]]),
        "iris",
        OF_THREE,
        "",
        first=False,
    ),
    one(
        "sas.csv", csv("BAD|F_BAD|I_BAD|P_BAD1|P_BAD0", Y, Y, CALLED, P, Q), "BAD", {**BOTH, "f1": np.nan}, first=False
    ),
    one("spss.csv", csv("churn|$C-churn|$CC-churn", Y, CALLED, SURE), "churn", BOTH),
    one("sas_simple.csv", csv("BAD|P_BAD1|P_BAD0", Y, P, Q), "BAD", SCORED),
)
LIBRARIES = (
    one("spark.csv", csv("label|prediction|probability", Y * 1.0, CALLED * 1.0, VECTORS), "label", BOTH),
    one(
        "spark_raw.csv",
        csv("features|label|rawPrediction|probability|prediction", VECTORS, Y * 1.0, VECTORS, VECTORS, CALLED * 1.0),
        "label",
        BOTH,
    ),
    one("spark_only.csv", csv("label|probability", Y, VECTORS), "label", SCORED, asked=True, first=False),
    one(
        "hf_pipeline.csv",
        csv("text|label|score", [f"row {row}" for row in range(ROWS)], words(CALLED, "NEGATIVE POSITIVE"), SURE),
        None,
        {},
        asked=True,
    ),
    one(
        "hf_truth.csv",
        csv(
            "text|true_label|label|score",
            [f"row {row}" for row in range(ROWS)],
            words(Y, "NEGATIVE POSITIVE"),
            words(CALLED, "NEGATIVE POSITIVE"),
            SURE,
        ),
        "true_label",
        BOTH,
        "POSITIVE",
        asked=False,
    ),
    one(
        "hf_labels.jsonl",
        json_lines(
            text=[f"row {row}" for row in range(ROWS)],
            gold=words(Y, "LABEL_0 LABEL_1"),
            label=words(CALLED, "LABEL_0 LABEL_1"),
            score=SURE,
        ),
        "gold",
        BOTH,
        "LABEL_1",
        "LABEL_0",
    ),
    one(
        "fasttext.csv",
        csv("true|pred|prob", words(Y, "ham spam"), words(CALLED, "__label__ham __label__spam"), SURE),
        "true",
        BOTH,
        "spam",
        "ham",
        asked=True,
        first=False,
    ),
    one("catboost.tsv", csv("SampleId|Probability|Class|Label", ID, P, CALLED, Y, sep="\t"), "Label", BOTH),
    one("onnx.csv", csv("y|output_label|output_probability", Y, CALLED, P), "y", BOTH),
    one(
        "pycaret.csv",
        csv("age|target|prediction_label|prediction_score", AGE, Y, CALLED, SURE),
        "target",
        BOTH,
        asked=False,
    ),
    one("pycaret_old.csv", csv("target|Label|Score", Y, CALLED, SURE), "target", BOTH, asked=False),
    one("autogluon.csv", csv("class|no|yes", YES, Q, P), "class", SCORED, "yes", asked=False),
    one(
        "sklearn_iris.csv",
        csv("species|setosa|versicolor|virginica", IRIS[SPECIES], *SHARES.T),
        "species",
        OF_THREE,
        "",
        asked=False,
    ),
    one("sklearn_numbers.csv", csv("target|0|1|2", SPECIES, *SHARES.T), "target", OF_THREE, ""),
    one(
        "polars.parquet",
        lambda path: pl.DataFrame({"y": Y, "p": P}).write_parquet(path),
        "y",
        SCORED,
        asked=False,
    ),
    one("isolation.csv", csv("y|decision_function", Y, -P), "y", {"roc_auc": area(-P)}, asked=False),
)
SERVICES = (
    one("h2o.csv", csv("predict|p0|p1|actual", CALLED, Q, P, Y), "actual", BOTH),
    one(
        "h2o_words.csv",
        csv("predict|No|Yes|churn", words(CALLED, "No Yes"), Q, P, words(Y, "No Yes")),
        "churn",
        BOTH,
        "Yes",
    ),
    one(
        "azure.csv",
        csv("income|Scored Labels|Scored Probabilities", words(Y, "<=50K >50K"), words(CALLED, "<=50K >50K"), P),
        "income",
        BOTH,
        ">50K",
        "<=50K",
    ),
    one("azure_label.csv", csv("Label|Scored Labels|Scored Probabilities", Y, CALLED, P), "Label", BOTH),
    one(
        "sagemaker.csv",
        csv("y|predicted_label|probability|probabilities|labels", YES, SAID, SURE, VECTORS, ["['no', 'yes']"] * ROWS),
        "y",
        BOTH,
        "yes",
    ),
    one(
        "bigquery.jsonl",
        json_lines(
            predicted_label=SAID,
            label=YES,
            predicted_label_probs=[
                json.dumps([{"label": "yes", "prob": p}, {"label": "no", "prob": q}]) for q, p in zip(Q, P, strict=True)
            ],
        ),
        "label",
        LABELLED,
        "yes",
    ),
    one(
        "bigquery_nested.jsonl",
        json_lines(
            predicted_churn=SAID,
            churn=YES,
            predicted_churn_probs=[
                [{"label": "yes", "prob": float(p)}, {"label": "no", "prob": float(q)}]
                for q, p in zip(Q, P, strict=True)
            ],
        ),
        "churn",
        LABELLED,
        "yes",
    ),
    one("vertex.csv", csv("churn|churn_no_scores|churn_yes_scores", YES, Q, P), "churn", SCORED, "yes", first=False),
    one(
        "vertex_struct.jsonl",
        json_lines(
            churn=YES,
            predicted_churn=[
                {"classes": ["no", "yes"], "scores": [float(q), float(p)]} for q, p in zip(Q, P, strict=True)
            ],
        ),
        None,
        {},
    ),
    one(
        "datarobot.csv",
        csv(
            "row_id|churn_yes_PREDICTION|churn_no_PREDICTION|churn_PREDICTION|THRESHOLD|POSITIVE_CLASS|churn",
            ID,
            P,
            Q,
            SAID,
            [0.5] * ROWS,
            ["yes"] * ROWS,
            YES,
        ),
        "churn",
        BOTH,
        "yes",
        first=False,
    ),
    one("mlflow.csv", csv("age|target|outputs", AGE, Y, CALLED), "target", LABELLED),
    one(
        "mlflow_predictions.csv",
        csv("inputs|ground_truth|predictions", [f"q{row}" for row in range(ROWS)], YES, SAID),
        "ground_truth",
        LABELLED,
        "yes",
        asked=False,
    ),
    one(
        "wandb.csv",
        csv("id|guess|truth|score_cat|score_dog", ID, words(CALLED, "cat dog"), words(Y, "cat dog"), Q, P),
        "truth",
        BOTH,
        "dog",
        "cat",
    ),
    one("kaggle_submission.csv", csv("PassengerId|Survived", ID, CALLED), None, {}, asked=True),
    one("kaggle_scores.csv", csv("id|target", ID, P), None, {}, asked=True),
    one("kaggle_joined.csv", csv("id|target|prediction", ID, Y, P), "target", SCORED),
    one("kaggle_titanic.csv", csv("PassengerId|Survived|prob_1|Age", ID, Y, P, AGE), "Survived", SCORED),
)
ANNOTATORS = (
    one("annotators.csv", csv("item|annotator_1|annotator_2", ID, YES, SAID), None, {}, asked=True, first=False),
    one("annotators_gold.csv", csv("item|annotator|gold", ID, SAID, YES), "gold", LABELLED, "yes"),
    one(
        "radiology.csv", csv("pathology|ai_score|radiologist", Y, P, CALLED), "pathology", BOTH, asked=True, first=False
    ),
    one(
        "diagnostic.csv",
        csv("disease_status|test_result", words(Y, "negative positive"), words(CALLED, "negative positive")),
        "disease_status",
        LABELLED,
        "positive",
    ),
    one(
        "answers.jsonl",
        json_lines(question=[f"q{row}" for row in range(ROWS)], expected=YES, output=SAID),
        "expected",
        LABELLED,
        "yes",
    ),
    one(
        "survival.csv",
        csv("TITANIC_STATUS|prob_survived|prob_died", TITANIC, P, Q),
        "TITANIC_STATUS",
        SCORED,
        "survived",
        "died",
    ),
)
CASES: tuple[Realistic, ...] = (*R_AND_WEKA, *LIBRARIES, *SERVICES, *ANNOTATORS)
