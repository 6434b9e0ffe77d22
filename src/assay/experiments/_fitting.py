"""A learner fitted here and now, outside the cells of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from assay.errors import AssayError, InputError
from assay.experiments._answers import checked_length, checked_probabilities
from assay.experiments._apart import prints_to_stderr
from assay.experiments.curves import fit_of
from assay.experiments.learners import Learner


def careful_fit(learner: Learner, seed: int) -> Callable[[Any, Any], Callable[[Any], Any]]:
    """What fits a fresh copy to cases and gives its `predict`; whatever it has against them is one sentence.

    >>> from assay.experiments.learners import learner_of
    >>> careful_fit(learner_of("nb"), 0)([[0.0], [1.0]], [0, 1])([[0.9]])
    array([1])
    """

    def fit(cases: Any, classes: Any) -> Callable[[Any], Any]:
        with in_one_sentence(learner.name):
            said = fit_of(learner.build(seed))(cases, classes)

        def predict(others: Any) -> Any:
            with in_one_sentence(learner.name):
                return checked_length(said(others), "predict", len(others))

        return predict

    return fit


def careful_probabilities(learner: Learner, seed: int) -> Callable[[Any, Any], Callable[[Any], Any]]:
    """The same with how likely the second of two classes is, in the place of labels."""

    def fit(cases: Any, classes: Any) -> Callable[[Any], Any]:
        with in_one_sentence(learner.name):
            estimator = learner.build(seed)
            estimator.fit(cases, classes)
        if not hasattr(estimator, "predict_proba"):
            raise InputError(f"{learner.name!r} gives no probabilities", "a learner with predict_proba")

        def predict(others: Any) -> Any:
            with in_one_sentence(learner.name):
                said = estimator.predict_proba(others)
                return checked_probabilities(said, estimator.classes_, len(others), 2)[:, 1]

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
