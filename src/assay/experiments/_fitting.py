"""A learner fitted here and now, outside the cells of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from assay.errors import AssayError, InputError
from assay.experiments._answers import checked_labels, checked_length, checked_probabilities
from assay.experiments._apart import prints_to_stderr
from assay.experiments.containers import case_count
from assay.experiments.learners import Learner
from assay.experiments.preparation import LearnerInput, encoded, encoder_for, with_encoder
from assay.sources import abstention_of


def fitted_to(estimator: Any, cases: Any, codes: Any, how: LearnerInput | None) -> Any:
    """The estimator fitted to cases, with the labels and the encoder that go with the data set of `how`."""
    encoder = encoder_for(cases)
    estimator.fit(encoded(cases, encoder), codes if how is None else how.labels(np.asarray(codes)))
    return estimator if encoder is None else with_encoder(encoder, estimator)


def careful_fit(
    learner: Learner, seed: int, how: LearnerInput | None = None
) -> Callable[[Any, Any], Callable[[Any], Any]]:
    """What fits a fresh copy to cases and gives its `predict`; whatever it has against them is one sentence.

    `how` says what the learner is given of a data set, whose cases and codes of classes these then are.

    >>> from assay.experiments.learners import learner_of
    >>> careful_fit(learner_of("nb"), 0)([[0.0], [1.0]], [0, 1])([[0.9]])
    array([1])
    """

    def fit(cases: Any, classes: Any) -> Callable[[Any], Any]:
        with in_one_sentence(learner.name):
            estimator = fitted_to(learner.build(seed), cases, classes, how)

        def predict(others: Any) -> Any:
            with in_one_sentence(learner.name):
                said = checked_length(estimator.predict(others), "predict", case_count(others))
                if how is None or how.spelling is None:
                    return said
                abstention = abstention_of(estimator)
                return checked_labels(said, len(said), len(how.spelling), abstention, how.spelling)

        return predict

    return fit


def careful_probabilities(learner: Learner, seed: int, how: LearnerInput) -> Callable[[Any, Any], Callable[[Any], Any]]:
    """The same with how likely the second of two classes is, in the place of labels."""

    def fit(cases: Any, classes: Any) -> Callable[[Any], Any]:
        with in_one_sentence(learner.name):
            estimator = fitted_to(learner.build(seed), cases, classes, how)
        if not hasattr(estimator, "predict_proba"):
            raise InputError(f"{learner.name!r} gives no probabilities", "a learner with predict_proba")

        def predict(others: Any) -> Any:
            with in_one_sentence(learner.name):
                said = estimator.predict_proba(others)
                known = estimator.classes_
                return checked_probabilities(said, known, case_count(others), 2, how.spelling)[:, 1]

        return predict

    return fit


@contextmanager
def in_one_sentence(name: str) -> Iterator[None]:
    """Whatever a learner has against cases, or prints, becomes one sentence, or goes to stderr."""
    try:
        with prints_to_stderr():
            yield
    except AssayError as error:
        raise InputError(f"learner {name!r}: {error}") from None
    except (Exception, SystemExit) as error:  # a learner's own words about cases it cannot take
        why = str(error).strip().split("\n")[0][:200].rstrip(".") or type(error).__name__
        raise InputError(f"{name!r} cannot learn from these cases: {why}", "a learner that can") from error
