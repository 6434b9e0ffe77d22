"""The calibration of an evaluation: what is asked of it, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.calibration import cox, miscalibrated_ranges

RNG = np.random.default_rng(21)
P = RNG.beta(1, 2, 3000)
RIGHT = assay.evaluate(RNG.random(3000) < P, P)
WRONG = assay.evaluate(RNG.random(3000) < P, P**0.4)
MANY = assay.evaluate(RNG.integers(0, 3, 400), y_proba=RNG.dirichlet([2, 2, 2], 400), classes=["0", "1", "2"])


def codes(ev: assay.Evaluation) -> list[str]:
    return [caution.code for caution in ev.cautions]


def test_right_probabilities_are_found_right() -> None:
    calibration = RIGHT.calibration
    assert calibration.cox.slope.low < 1 < calibration.cox.slope.high
    assert calibration.observed_to_expected.low < 1 < calibration.observed_to_expected.high
    assert calibration.test.p_value > 0.01
    assert len(calibration.miscalibration) == 0
    assert "A203" not in codes(RIGHT)
    assert "A205" in [caution.code for caution in calibration.cautions]


def test_wrong_probabilities_are_found_wrong_and_where() -> None:
    calibration = WRONG.calibration
    assert {found.direction for found in calibration.miscalibration} == {"too high"}
    assert calibration.test.p_value < 0.01
    assert "A203" in codes(WRONG)
    assert calibration.recalibrated("isotonic").change["brier"].high < 0


def test_the_object_gives_what_the_functions_give() -> None:
    assert WRONG.scores is not None
    assert WRONG.calibration.cox.slope.to_dict() == cox(WRONG.scores).slope.to_dict()
    assert WRONG.calibration.miscalibration.ranges == miscalibrated_ranges(WRONG.scores).ranges
    parts = WRONG.calibration.parts()
    whole = parts.miscalibration.value - parts.discrimination.value + parts.uncertainty.value
    assert whole == pytest.approx(WRONG.brier.value, abs=1e-12)
    exact = WRONG.calibration.murphy_parts()
    assert exact.brier == pytest.approx(WRONG.brier.value, abs=1e-12)
    assert len(WRONG.calibration.groups(10)) == 10
    assert WRONG.calibration.hosmer_lemeshow().freedom == 10
    assert "Cox slope" in repr(WRONG.calibration)
    for picture in ("diagram", "covariance_graph", "murphy_diagram"):
        assert getattr(WRONG.calibration, picture).svg().startswith("<svg")


def test_many_classes_have_errors_and_one_against_the_rest() -> None:
    calibration = MANY.calibration
    assert calibration.ece.value > 0
    assert calibration.classwise_ece.value > 0
    assert calibration.top_label_ece.value > 0
    assert calibration.against_rest("1").cox.slope.value < 1
    assert calibration.confidence.observed_to_expected.value < 1
    assert "classwise_ece" in repr(calibration)
    with pytest.raises(ValueError, match="there are 3 classes and cox is of two"):
        _ = calibration.cox


def test_a_report_speaks_of_how_sure_the_classifier_of_many_classes_was() -> None:
    overall = MANY.calibration.overall
    assert overall is MANY.calibration.confidence
    assert WRONG.calibration.overall is WRONG.calibration
    record = MANY.to_dict()["calibration"]
    assert record["slope"]["value"] == overall.cox.slope.value
    assert record["observed_to_expected"]["value"] == overall.observed_to_expected.value
    assert overall.diagram.drawing().x.title == "Highest probability"


def test_what_is_claimed_for_an_answer_too_high_is_over_confident_wherever_it_lies() -> None:
    # Sure of 0.4 among three classes and right in a tenth of the cases: too sure, though below one half.
    probability, truth = np.tile([0.4, 0.35, 0.25], (400, 1)), np.repeat(["0", "1", "2"], [40, 180, 180])
    sure = assay.evaluate(truth, y_proba=probability, classes=["0", "1", "2"])
    (found,) = sure.calibration.overall.miscalibration
    assert (found.direction, found.confidence) == ("too high", "over-confident")
    assert str(found).startswith("highest probabilities of 0.4 are too high (over-confident)")
    assert "A203" in codes(sure)
    assert sure.calibration.overall.scores is not None
    (same,) = miscalibrated_ranges(sure.calibration.overall.scores)
    assert same.confidence == "under-confident"


def test_answers_that_are_all_right_leave_nothing_to_calibrate() -> None:
    right = assay.evaluate(np.arange(60) % 3, y_proba=np.eye(3)[np.arange(60) % 3] * 0.7 + 0.1, classes=[0, 1, 2])
    assert not right.calibration.overall.is_defined
    assert right.to_dict()["calibration"] is None


def test_what_is_no_probability_has_no_calibration() -> None:
    with pytest.raises(ValueError, match="only labels"):
        _ = assay.evaluate([0, 1], y_pred=[0, 1], positive=1).calibration
    with pytest.raises(ValueError, match="no probabilities"):
        _ = assay.evaluate([0, 1, 1], [-2.0, 0.5, 3.0]).calibration


def test_weights_are_taken_or_refused_aloud() -> None:
    weighted = assay.evaluate(RNG.random(500) < P[:500], P[:500], weight=RNG.integers(1, 4, 500) / 2)
    assert not np.isnan(weighted.calibration.cox.slope.low)
    assert weighted.calibration.miscalibration.undefined
    assert "A203" not in codes(weighted)
