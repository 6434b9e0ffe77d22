"""Many classes: where decisions come from, what is found where, what is said."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from docs.schemas import evaluation_schema
from jsonschema import Draft202012Validator
from numpy.typing import NDArray

import assay
from assay.errors import OptionError
from assay.evaluation import Baselines
from assay.measures import registry_of_many
from assay.predictions import Predictions

CLASSES = ("ant", "bee", "cat")


def sample(cases: int = 120, classes: tuple[str, ...] = CLASSES) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(4)
    truth = np.arange(cases) % len(classes)
    logit = rng.normal(size=(cases, len(classes)))
    logit[np.arange(cases), truth] += 1.5
    probability = np.exp(logit)
    return truth, probability / probability.sum(1, keepdims=True)


TRUTH, PROBABILITY = sample()
EV = assay.evaluate(Predictions(CLASSES, TRUTH, probability=PROBABILITY))


def test_the_highest_probability_decides_and_the_first_in_a_tie() -> None:
    tied = np.full((3, 3), 1 / 3)
    ev = assay.evaluate(Predictions(CLASSES, np.array([0, 1, 2]), probability=tied))
    assert ev.matrix is not None
    assert ev.matrix.counts[:, 0].tolist() == [1, 1, 1]
    assert not hasattr(ev, "threshold_used")
    assert not hasattr(ev, "positive")


def test_given_labels_decide_instead() -> None:
    decision = np.roll(TRUTH, 1)
    ev = assay.evaluate(Predictions(CLASSES, TRUTH, probability=PROBABILITY, decision=decision))
    assert ev.accuracy.value == pytest.approx(float((decision == TRUTH).mean()))
    assert ev.hand_till.to_dict() == EV.hand_till.to_dict()


def test_labels_alone_have_no_ranking() -> None:
    ev = assay.evaluate(Predictions(CLASSES, TRUTH, decision=TRUTH))
    assert math.isnan(ev.hand_till.value)
    assert ev.log_loss.undefined == "there are labels but no scores"
    assert "roc_auc" not in ev.per_class["ant"]
    with pytest.raises(ValueError, match="3 classes and the curve is of two"):
        _ = ev.roc
    with pytest.raises(ValueError, match="3 classes and a threshold parts two"):
        ev.at(0.5)


def test_what_concerns_one_class_stands_in_per_class() -> None:
    record = EV.to_dict()
    assert list(record["measures"]) == list(registry_of_many)
    assert not {"recall", "precision", "f1", "roc_auc"} & set(record["measures"])
    assert {"macro_f1", "micro_f1", "weighted_f1", "accuracy", "balanced_accuracy", "kappa", "mcc"} <= set(
        record["measures"]
    )
    assert list(record["per_class"]) == list(CLASSES)
    assert {"recall", "precision", "f1", "roc_auc", "average_precision", "brier"} <= set(record["per_class"]["bee"])
    assert record["positive"] is None
    assert record["threshold"] is None
    with pytest.raises(AttributeError, match="see per_class, or macro_recall"):
        _ = EV.recall
    assert EV.cohen_kappa is EV.kappa


def test_the_schema_describes_many_classes() -> None:
    validator = Draft202012Validator(evaluation_schema())
    for ev in (EV, assay.from_counts(np.eye(3) * 5), assay.evaluate(Predictions(CLASSES, TRUTH, decision=TRUTH))):
        validator.validate(json.loads(json.dumps(ev.to_dict(), allow_nan=False)))


def test_evaluations_of_many_classes_survive_pickle() -> None:
    ev = assay.evaluate(Predictions(CLASSES, TRUTH, probability=PROBABILITY))
    before = pickle.loads(pickle.dumps(ev))
    expected = json.dumps(ev.to_dict())
    assert json.dumps(before.to_dict()) == expected
    assert json.dumps(pickle.loads(pickle.dumps(ev)).to_dict()) == expected


def test_scores_that_are_no_probabilities_rank_only() -> None:
    ev = assay.evaluate(Predictions(CLASSES, TRUTH, probability=PROBABILITY * 3))
    assert ev.hand_till.to_dict() == EV.hand_till.to_dict()
    assert ev.accuracy.to_dict() == EV.accuracy.to_dict()
    assert math.isnan(ev.brier.value)
    assert "sum to 1" in (ev.brier.undefined or "")
    assert "A104" in [caution.code for caution in ev.cautions]
    assert "brier" not in ev.per_class["ant"]


def test_labels_that_truth_never_holds_are_counted() -> None:
    decision = TRUTH.copy()
    decision[:6] = 3
    ev = assay.evaluate(Predictions(CLASSES, TRUTH, decision=decision, decisions=(*CLASSES, "abstained")))
    assert ev.accuracy.value == pytest.approx(114 / 120)
    (said,) = (caution for caution in ev.cautions if caution.code == "A105")
    assert "'abstained' (6)" in said.message
    assert ev.micro_precision.value == 1.0
    assert ev.micro_recall.value == pytest.approx(114 / 120)
    assert ev.micro_f1.low < ev.micro_f1.value < ev.micro_f1.high


def test_a_matrix_of_many_classes_from_counts() -> None:
    ev = assay.from_counts([[49, 1, 0], [0, 47, 3], [0, 2, 48]])
    assert ev.classes == ("0", "1", "2")
    assert ev.kappa.value == pytest.approx(0.94)
    assert ev.n == 150


def test_cells_have_shares_and_wilson_limits() -> None:
    ev = assay.from_counts([[8, 2, 0], [1, 9, 0], [5, 5, 0]], classes=list("abc"))
    table = ev.cells()
    assert len(table) == 9
    row = dict(zip(table.columns, next(table.rows()), strict=True))
    assert (row["true"], row["called"], row["cases"]) == ("a", "a", 8)
    assert (row["of_true"], row["of_called"], row["of_all"]) == pytest.approx((0.8, 8 / 14, 8 / 30))
    recall = ev.per_class["a"]["recall"]
    assert (row["low"], row["high"]) == (recall.low, recall.high)
    assert math.isnan(table.columns["of_called"][2])  # nothing was called c


def test_dumb_answers_for_many_classes() -> None:
    baselines = Baselines.of({"a": 50.0, "b": 30.0, "c": 20.0})
    assert baselines.value("majority", "accuracy") == 0.5
    assert baselines.value("majority", "balanced_accuracy") == pytest.approx(1 / 3)
    assert baselines.value("prior_random", "kappa") == pytest.approx(0, abs=1e-12)
    assert baselines.value("constant_probability", "hand_till") == 0.5
    assert baselines.value("constant_probability", "brier") == pytest.approx(1 - 0.25 - 0.09 - 0.04)
    assert baselines.value("constant_probability", "brier_skill") == pytest.approx(0, abs=1e-12)
    assert baselines.value("constant_probability", "macro_average_precision") == pytest.approx(1 / 3)
    assert set(baselines.to_dict()) == {"majority", "prior_random", "constant_probability"}


def test_intervals_are_refused_where_none_was_shown_to_hold() -> None:
    few = assay.from_counts(np.diag([30, 30, 4]) + np.eye(3, k=1) * 3)
    assert "4 cases in the smallest class" in (few.macro_f1.undefined or "")
    assert few.kappa.undefined is None
    assert few.accuracy.undefined is None
    crowd = assay.from_counts(np.eye(40) * 20 + 1)
    assert "40 classes" in (crowd.kappa.undefined or "")
    assert crowd.micro_f1.undefined is None


def test_columns_in_another_order_are_noticed() -> None:
    ev = assay.evaluate(Predictions(CLASSES, TRUTH, probability=np.roll(PROBABILITY, 1, axis=1)))
    assert "A302" in [caution.code for caution in ev.cautions]
    assert "A302" not in [caution.code for caution in EV.cautions]


def test_few_names_of_many_tiny_classes_are_said() -> None:
    ev = assay.from_counts(np.eye(60) * 5)
    (said,) = (caution for caution in ev.cautions if caution.code == "A102")
    assert said.message.count(" of '") == 5
    assert "and 55 more" in said.message
    assert len(said.message) < 200


def test_even_classes_are_not_called_rare() -> None:
    assert "A103" not in [caution.code for caution in assay.from_counts(np.eye(30) * 50).cautions]
    rare = assay.from_counts(np.diag([600, 600, 40]))
    assert "A103" in [caution.code for caution in rare.cautions]


def test_a_threshold_needs_two_classes() -> None:
    with pytest.raises(assay.InputError, match="3 classes"):
        assay.evaluate(Predictions(CLASSES, TRUTH, probability=PROBABILITY), threshold=0.5)


def test_three_classes_in_order_have_a_surface() -> None:
    codes, rng = np.arange(90) % 3, np.random.default_rng(4)
    shares = rng.dirichlet((1, 1, 1), 90) + 0.8 * np.eye(3)[codes]
    ev = assay.evaluate(codes, y_proba=shares / shares.sum(1, keepdims=True))
    found = ev.volume_under_surface()
    assert found.value > 0.5
    assert found.low < found.value < found.high
    with pytest.raises(OptionError, match="three classes"):
        assay.evaluate(codes, y_proba=shares / shares.sum(1, keepdims=True), weight=codes + 1.0).volume_under_surface()
