"""Realistic files by what their columns are called and hold: labels, scores, truths, and what looks like them."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.sources.realistic_files import (
    AGE,
    CALLED,
    ID,
    IRIS,
    LOGIT,
    MALE,
    ROWS,
    SHARES,
    SPECIES,
    SURE,
    TOP,
    WORSE,
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

__all__ = ["CASES"]

AUC, RIGHT = area(P), accuracy(CALLED)
SCORED, LABELLED = {"roc_auc": AUC}, {"accuracy": RIGHT}
BOTH = {**SCORED, **LABELLED}
NO_YES, HAM_SPAM = "no yes", "ham spam"
EITHER = ("ham", "spam")
# Predicted labels by another rule than the scores at 0.5, so that no column is a function of another.
OTHER = (WORSE >= 0.5).astype(int)
CORRECT = (np.random.default_rng(1).random(ROWS) < 0.9).astype(int)
CHOICE = np.arange(ROWS) % 4
ONE_HOT = np.eye(3, dtype=int)[SPECIES]
HALF = np.round(0.5 + P / 2, 3)


def npy(*columns: Any) -> Write:
    """A plain array of these columns."""
    return lambda path: np.save(path, np.column_stack(columns))


def npz(**columns: Any) -> Write:
    """Named arrays."""
    return lambda path: np.savez(path, **columns)


def one(
    name: str, write: Write, truth: str | None, figures: dict[str, float], *positive: str, **rest: Any
) -> Realistic:
    return Realistic(name, write, truth, figures, positive or ("1",), **rest)


PAIRS = (
    one(
        "predicted_churn.csv",
        csv("predicted_churn|churn", words(CALLED, NO_YES), words(Y, NO_YES)),
        "churn",
        LABELLED,
        "yes",
    ),
    one("churn_predicted.csv", csv("id|churn|churn_predicted|churn_probability", ID, Y, CALLED, P), "churn", BOTH),
    one(
        "predicted_churn_prob.csv",
        csv("predicted_churn|churn|prob", CALLED, Y, P),
        "churn",
        BOTH,
        asked=False,
    ),
    one(
        "expected_response.csv",
        csv("question|expected|response", ID, words(Y, NO_YES), words(CALLED, NO_YES)),
        "expected",
        LABELLED,
        "yes",
        asked=True,
    ),
    one("pred_default.csv", csv("age|default|pred_default", AGE, Y, CALLED), "default", LABELLED),
    one("y_hat_of.csv", csv("risk_hat|risk_class", CALLED, Y), "risk_class", LABELLED, first=False),
    one(
        "camel.csv",
        csv("trueLabel|predictedLabel|predictedProbability", words(Y, NO_YES), words(CALLED, NO_YES), P),
        "trueLabel",
        BOTH,
        "yes",
        asked=False,
    ),
    one("camel_churn.csv", csv("predictedChurn|churn", CALLED, Y), "churn", LABELLED),
    one(
        "actual_predicted.csv",
        csv("actual|predicted", words(Y, NO_YES), words(CALLED, NO_YES)),
        "actual",
        LABELLED,
        "yes",
        asked=False,
    ),
    one(
        "actual_predicted_column.csv",
        csv("predicted_status|actual_status", words(CALLED, NO_YES), words(Y, NO_YES)),
        "actual_status",
        LABELLED,
        "yes",
    ),
    one(
        "true_pred_species.csv",
        csv("species_pred|species", IRIS[TOP], IRIS[SPECIES]),
        "species",
        {"accuracy": accuracy(TOP, SPECIES)},
        "",
    ),
    one("twins.csv", csv("rater_1|rater_2", words(Y, NO_YES), words(CALLED, NO_YES)), None, {}, first=False),
)
SURENESS = (
    one(
        "true_pred_prob.csv",
        csv("true|pred|prob", words(Y, HAM_SPAM), words(CALLED, HAM_SPAM), SURE),
        "true",
        BOTH,
        *EITHER,
        asked=True,
    ),
    one("llm_label.csv", csv("label|llm_label|confidence", Y, CALLED, SURE), "label", BOTH, asked=True),
    one(
        "llm_words.csv",
        csv("text|label|llm_label|confidence", ID, words(Y, HAM_SPAM), words(CALLED, HAM_SPAM), SURE),
        "label",
        BOTH,
        *EITHER,
        asked=True,
    ),
    one(
        "gpt_label.csv",
        csv("human_label|gpt4_label", words(Y, HAM_SPAM), words(CALLED, HAM_SPAM)),
        "human_label",
        LABELLED,
        *EITHER,
    ),
    one("label_confidence.csv", csv("label|confidence", Y, HALF), "label", {}, asked=True, first=False),
    one("label_certainty.csv", csv("y|prediction|certainty", Y, CALLED, SURE), "y", BOTH),
    one("pred_max_prob.csv", csv("y_true|y_pred|max_prob", Y, CALLED, SURE), "y_true", BOTH),
    one("confidence_low.csv", csv("y_true|confidence", Y, P), "y_true", SCORED),
    one(
        "judge.csv",
        csv("item|judge|judge_score|human", ID, words(CALLED, "fail pass"), P, words(Y, "fail pass")),
        "human",
        BOTH,
        "pass",
    ),
)
CORRECTNESS = (
    one(
        "lm_eval.jsonl",
        json_lines(doc_id=range(ROWS), target=CHOICE.astype(str), acc=CORRECT * 1.0),
        None,
        {},
        asked=True,
    ),
    one(
        "lm_eval_two.jsonl",
        json_lines(doc_id=range(ROWS), target=Y.astype(str), acc=CORRECT * 1.0),
        None,
        {},
        asked=True,
    ),
    one(
        "lm_eval_norm.jsonl",
        json_lines(target=Y.astype(str), acc=CORRECT * 1.0, acc_norm=CORRECT[::-1] * 1.0),
        None,
        {},
        asked=True,
    ),
    one(
        "exact_match.jsonl",
        json_lines(target=Y.astype(str), filtered_resps=CALLED.astype(str), exact_match=(CALLED == Y) * 1.0),
        "target",
        LABELLED,
    ),
    one("is_correct.csv", csv("label|prediction|is_correct", Y, CALLED, (CALLED == Y).astype(int)), "label", LABELLED),
    one("correct.csv", csv("target|answer|correct", Y, CALLED, CALLED == Y), "target", LABELLED),
    one(
        "passed.jsonl",
        json_lines(task_id=ID.astype(str), result=["passed"] * ROWS, passed=CORRECT == 1),
        None,
        {"passed": float(CORRECT.mean())},
        asked=False,
    ),
    one("error_column.csv", csv("actual|predicted|error", Y, CALLED, (CALLED != Y).astype(int)), "actual", LABELLED),
    one(
        "confidence_of_right.csv",
        csv("confidence|is_correct", SURE, (CALLED == Y).astype(int)),
        "is_correct",
        {"roc_auc": area(SURE, (CALLED == Y).astype(int))},
    ),
)
ONE_HOTS = (
    one(
        "one_hot.csv",
        csv("|".join([*(f"true_{name}" for name in IRIS), *(f"pred_{name}" for name in IRIS)]), *ONE_HOT.T, *SHARES.T),
        "true_setosa",
        {"roc_auc": area(SHARES[:, 0], ONE_HOT[:, 0])},
        asked=True,
        first=True,
    ),
    one(
        "one_hot_labels.csv",
        csv(
            "|".join([*(f"true_{name}" for name in IRIS), *(f"pred_{name}" for name in IRIS)]),
            *ONE_HOT.T,
            *np.eye(3, dtype=int)[TOP].T,
        ),
        "true_virginica",
        {"accuracy": accuracy(TOP == 2, SPECIES == 2)},
        asked=True,
    ),
    one(
        "multi_label.csv",
        csv("id|toxic|insult|pred_toxic|pred_insult", ID, Y, MALE, CALLED, OTHER),
        "toxic",
        LABELLED,
        asked=True,
    ),
)
GUESSES = (
    one("gender_risk.csv", csv("gender|risk", MALE, P), None, {}, asked=True),
    one("gender_died_risk.csv", csv("gender|died|risk", MALE, Y, P), "died", SCORED),
    one("smoker_outcome.csv", csv("age|smoker|event|score", AGE, MALE, Y, P), "event", SCORED),
    one("is_test.csv", csv("is_test|prob", MALE, P), None, {}, asked=True),
    one("is_male.csv", csv("is_male|relapse|prob", MALE, Y, P), "relapse", SCORED),
    one("treated_yhat.csv", csv("treated|y_hat", MALE, CALLED), None, {}, asked=True),
    one("unnamed.csv", csv("a|b", words(Y, NO_YES), P), "a", SCORED, "yes", asked=True),
    one("flag_and_score.csv", csv("flag|prob", CALLED, P), None, {}, asked=True),
    one("flag_and_truth.csv", csv("flag|event_seen|prob", CALLED, Y, P), "event_seen", SCORED, asked=True),
    one("score_first.npy", npy(P, Y), "column 2", SCORED, asked=True),
    one("truth_first.npy", npy(Y, P), "column 1", SCORED, asked=True),
    one("two_scores.npy", npy(P, WORSE), None, {}, asked=True),
    one("labels.npy", npy(Y, CALLED), None, {}, asked=True, first=False),
    one("prob_and_label.npy", npy(P, CALLED), None, {}, asked=True),
    one("three.npy", npy(Y, CALLED, P), "column 1", BOTH, asked=True),
    one("named.npz", npz(y_true=Y, y_score=P), "y_true", SCORED, asked=False),
    one("named_labels.npz", npz(labels=Y, preds=CALLED), "labels", LABELLED),
    one("keras.csv", csv("y_true|y_pred", Y, P), "y_true", SCORED),
    one("oof.csv", csv("target|oof_pred", Y, P), "target", SCORED),
    one("oof_preds.csv", csv("id|target|oof_preds", ID, Y, P), "target", SCORED),
    one("two_truths.csv", csv("label|target|prob", Y, Y, P), "target", SCORED),
    one("two_truths_other.csv", csv("target|outcome|prob", MALE, Y, P), "outcome", SCORED),
)
CODINGS = (
    one("prob_0.csv", csv("y|prob_0", Y, np.round(1 - P, 3)), "y", SCORED, "1", "0"),
    one("prob_no.csv", csv("outcome|prob_no", words(Y, NO_YES), np.round(1 - P, 3)), "outcome", SCORED, "yes", "no"),
    one("prob_0_1.csv", csv("y|prob_0|prob_1", Y, np.round(1 - P, 3), P), "y", SCORED, asked=False),
    one("prob_no_yes.csv", csv("y|prob_no|prob_yes", Y, np.round(1 - P, 3), P), "y", SCORED),
    one("proba_True.csv", csv("y|proba_False|proba_True", Y == 1, np.round(1 - P, 3), P), "y", SCORED, "True"),
    one("p_neg.csv", csv("y|p_neg|p_pos", words(Y, "neg pos"), np.round(1 - P, 3), P), "y", SCORED, "pos", asked=False),
    one("one_two.csv", csv("y|prob_1|prob_2", Y + 1, np.round(1 - P, 3), P), "y", SCORED, "2", "1"),
    one("percent.csv", csv("y|score", Y, np.round(100 * P, 1)), "y", SCORED, asked=False),
    one("percent_signs.csv", csv("y|probability", Y, [f"{100 * value:.1f} %" for value in P]), "y", SCORED,
        asked=False),
    one("percent_labels.csv", csv("y|y_pred|score", Y, CALLED, np.round(100 * P, 1)), "y", BOTH, asked=False),
    one("coded_otherwise.csv", csv("y_true|y_pred", Y, words(CALLED, NO_YES)), "y_true", LABELLED, "1",
        asked=True, first=False),
    one("coded_neg_pos.csv", csv("y_true|prediction|prob", Y, words(CALLED, "NEG POS"), P), "y_true", BOTH, "1"),
    one("label_0.csv", csv("label|predicted_label|score", Y, words(CALLED, "LABEL_0 LABEL_1"), SURE), "label", BOTH,
        asked=True, first=False),
    one("case.csv", csv("y_true|y_pred", words(Y, "No Yes"), words(CALLED, NO_YES)), "y_true", LABELLED, "Yes",
        asked=True, first=False),
    one("booleans.csv", csv("y_true|y_pred", Y == 1, CALLED), "y_true", LABELLED, "True", asked=False),
    one("signs.csv", csv("y|pred", Y, 1 - 2 * CALLED), "y", LABELLED, "1", asked=True, first=False),
    one("ham_spam.csv", csv("label|score", words(Y, HAM_SPAM), P), "label", SCORED, "spam", asked=True),
    one("spam_ham.csv", csv("label|score", words(1 - Y, HAM_SPAM), P), "label", {"roc_auc": AUC}, "ham", asked=True),
    one("died_lived.csv", csv("status|risk_of_death", words(Y, "alive dead"), P), "status", SCORED, "dead", asked=True),
    one("logits.csv", csv("y_true|logits", Y, LOGIT), "y_true", SCORED, asked=False),
    one("raw_score.csv", csv("label|raw_score", Y, LOGIT), "label", SCORED),
    one("constant_truth.csv", csv("y_true|score", np.zeros(ROWS, int), P), "y_true",
        {"specificity": accuracy(P < 0.5, True)}),
    one("constant_words.csv", csv("label|score", ["spam"] * ROWS, P), "label", {"recall": accuracy(P >= 0.5, True)},
        "spam"),
    one("threshold_50.csv", csv("y|prob", Y, P), "y", LABELLED, options=("--threshold", "50"), asked=True),
    one("threshold_2.csv", csv("y|prob|y_pred", Y, P, CALLED), "y", LABELLED, options=("--threshold", "2"), asked=True,
        first=False),
)  # fmt: skip
LANGUAGES = (
    one(
        "german.csv",
        csv("Wahrheit;Vorhersage;Wahrscheinlichkeit".replace(";", "|"), Y, CALLED, P, sep=";", decimal=","),
        "Wahrheit",
        BOTH,
    ),
    one("spanish.csv", csv("etiqueta|predicción|probabilidad", Y, CALLED, P), "etiqueta", BOTH),
    one("french.csv", csv("réel|prédit|probabilité", Y, CALLED, P), "réel", BOTH),
    one("portuguese.csv", csv("real|previsto", Y, CALLED), "real", LABELLED, first=False),
    one("chinese.csv", csv("真实|预测|概率", Y, CALLED, P), "真实", BOTH),
    one("kebab.csv", csv("Y-True|Y-Pred|Y-Score", Y, CALLED, P), "Y-True", BOTH, asked=False),
    one("index.csv", csv("Unnamed: 0|y_true|y_prob", range(ROWS), Y, P), "y_true", SCORED, asked=False),
    one("index_unnamed.csv", csv("|event|prob", range(ROWS), Y, P), "event", SCORED),
    one("row_number.csv", csv("row|y|p", range(1, ROWS + 1), Y, P), "y", SCORED, asked=False),
)
MODELS = (
    one(
        "wide.csv",
        csv("y_true|svm|forest", Y, P, WORSE),
        "y_true",
        {"svm.roc_auc": AUC, "forest.roc_auc": area(WORSE), "roc_auc": AUC},
    ),
    one(
        "wide_labels.csv",
        csv("truth|svm_pred|nb_pred", Y, CALLED, OTHER),
        "truth",
        {"svm.accuracy": RIGHT, "nb.accuracy": accuracy(OTHER), "svm_pred.accuracy": RIGHT},
    ),
    one(
        "wide_score.csv",
        csv("target|score_lr|score_rf", Y, P, WORSE),
        "target",
        {"score_lr.roc_auc": AUC, "score_rf.roc_auc": area(WORSE), "lr.roc_auc": AUC, "roc_auc": AUC},
        first=False,
    ),
    one(
        "wide_prefix.csv",
        csv("y|prob_lr|prob_rf", Y, P, WORSE),
        "y",
        {"prob_lr.roc_auc": AUC, "prob_rf.roc_auc": area(WORSE), "lr.roc_auc": AUC, "roc_auc": AUC},
        first=False,
    ),
    one(
        "long.csv",
        csv("model|y|p", np.repeat(["a", "b"], ROWS), np.tile(Y, 2), np.r_[P, WORSE]),
        "y",
        {"a.roc_auc": AUC, "b.roc_auc": area(WORSE)},
        asked=False,
    ),
)
CASES = (*PAIRS, *SURENESS, *CORRECTNESS, *ONE_HOTS, *GUESSES, *CODINGS, *LANGUAGES, *MODELS)
