"""Realistic files as tools export them: R, WEKA, Spark, Hugging Face, AutoML services, annotation and competitions."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import xlsxwriter
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
    Write,
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
    one("spark_only.csv", csv("label|probability", Y, VECTORS), "label", SCORED, asked=False),
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
        "churn",
        BOTH,
        "yes",
        asked=False,
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
LOGITS = np.random.default_rng(45).normal(size=(ROWS, 2))
LOGITS[:, 1] += LOGITS[:, 0] + np.log(P / (1 - P))  # neither column orders the cases alone
OF_LOGITS = {"roc_auc": area(LOGITS[:, 1] - LOGITS[:, 0])}
EYE = np.eye(3, dtype=int)[SPECIES]
HOT = {f"true_{name}": EYE[:, place] for place, name in enumerate(IRIS)}
SHARED = {f"prob_{name}": SHARES[:, place] for place, name in enumerate(IRIS)}
TOP_2 = [
    sorted(
        ({"label": "yes", "score": float(p)}, {"label": "no", "score": float(q)}),
        key=lambda one: -float(str(one["score"])),
    )
    for q, p in zip(Q, P, strict=True)
]
NESTED = [{"example": {"label": int(y)}, "output": {"score": float(p)}} for y, p in zip(Y, P, strict=True)]


def frame(**columns: object) -> pd.DataFrame:
    return pd.DataFrame({name: list(values) for name, values in columns.items()})  # type: ignore[call-overload]


def as_json(orient: str) -> Write:
    return lambda path: frame(y_true=Y, y_score=P).to_json(path, orient=orient)


def dumped(value: object) -> Write:
    def write(path: Path) -> None:
        path.write_text(json.dumps(value))

    return write


def arrays(**values: object) -> Write:
    return lambda path: np.savez(path, **values)  # type: ignore[arg-type]


def workbook(*above: list[str]) -> Write:
    def write(path: Path) -> None:
        with xlsxwriter.Workbook(path) as book:
            sheet = book.add_worksheet()
            for place, row in enumerate([*above, ["y_true", "y_score"], *zip(Y.tolist(), P.tolist(), strict=True)]):
                sheet.write_row(place, 0, row)

    return write


def sqlite(*tables: str) -> Write:
    def write(path: Path) -> None:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            for table in tables:
                connection.execute(f"CREATE TABLE {table} (y_true, y_score)")
                rows = zip(Y.tolist(), P.tolist(), strict=True)
                connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)
            connection.commit()

    return write


def zstd(path: Path) -> None:
    with pa.output_stream(path, compression="zstd") as stream:
        stream.write(frame(y_true=Y, y_score=P).to_csv(index=False).encode())


FORMATS = (
    one("trainer.npz", arrays(predictions=LOGITS, label_ids=Y), "y_true", OF_LOGITS, asked=False),
    one("trainer_logits.npz", arrays(logits=np.log(SHARES + 1e-9), labels=SPECIES), "y_true", OF_THREE, asked=False),
    one("hot.npz", arrays(y_true=EYE, y_pred=SHARES), "y_true", OF_THREE, asked=False),
    one("list.csv", csv("label|probs", Y, VECTORS), "label", SCORED, asked=False),
    one("list_numpy.csv", csv("label|probs", Y, [v.replace(",", " ") for v in VECTORS]), "label", SCORED, asked=False),
    one("list_torch.csv", csv("label|probs", Y, [f"tensor({v})" for v in VECTORS]), "label", SCORED, asked=False),
    one("list_logits.csv", csv("label|logits", Y, map(str, LOGITS.tolist())), "label", OF_LOGITS, asked=False),
    one("list.jsonl", json_lines(label=SPECIES, probabilities=SHARES.tolist()), "label", OF_THREE, asked=False),
    one(
        "list.parquet",
        lambda path: frame(label=SPECIES, probs=SHARES.tolist()).to_parquet(path),
        "label",
        OF_THREE,
        asked=False,
    ),
    one("top_k.jsonl", json_lines(truth=YES, predictions=TOP_2), "truth", SCORED, "yes", asked=False),
    one("top_k.csv", csv("truth|predictions", YES, map(str, TOP_2)), "truth", SCORED, "yes", asked=False),
    one(
        "one_hot_truth.csv",
        lambda path: frame(**HOT, **SHARED).to_csv(path, index=False),
        "y_true",
        OF_THREE,
        asked=False,
    ),
    *(
        one(f"{form}.json", as_json(form), "y_true", SCORED, asked=False)
        for form in ("columns", "index", "split", "table")
    ),
    one("lists.json", dumped({"y_true": Y.tolist(), "y_score": P.tolist()}), "y_true", SCORED, asked=False),
    one("inside.json", dumped({"model": "a", "predictions": NESTED}), "label", SCORED, asked=False),
    one("nested.jsonl", json_lines(**{name: [row[name] for row in NESTED] for name in NESTED[0]}), "label", SCORED),
    one("titles.xlsx", workbook(["Churn, March"], ["draft"], []), "y_true", SCORED, asked=False),
    one("one_table.db", sqlite("predictions"), "y_true", SCORED, asked=False),
    one("two_tables.sqlite", sqlite("predictions", "old"), "y_true", SCORED, asked=True),
    one("named.db", sqlite("new", "old"), "y_true", SCORED, options=("--table", "new"), asked=False),
    one("packed.csv.zst", zstd, "y_true", SCORED, asked=False),
    one(
        "stata.dta",
        lambda path: frame(y_true=Y, y_score=P).to_stata(path, write_index=False),
        "y_true",
        SCORED,
        asked=False,
    ),
)
CASES: tuple[Realistic, ...] = (*R_AND_WEKA, *LIBRARIES, *SERVICES, *ANNOTATORS, *FORMATS)
