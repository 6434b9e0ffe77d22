"""A learner fitted here and now, outside the cells of a study.

What becomes of one learner of a study, on one of its data sets, as cases or the noise in them grow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from assay.errors import AssayError, InputError, OptionError, UnknownName
from assay.experiments.containers import case_count, described_container
from assay.experiments.curves import (
    GrowthCurve,
    TimeCurve,
    learning_curve,
    robustness_curve,
    time_curve,
    validation_curve,
    why_not_random,
)
from assay.experiments.datasets import Dataset
from assay.experiments.learners import LEARN, Learner
from assay.experiments.plans import Plan, shuffle
from assay.experiments.preparation import LearnerInput, encoded, encoder_for, is_array, learner_input, with_encoder
from assay.experiments.task import checked_labels, checked_length, checked_probabilities, prints_to_stderr
from assay.request import checked_choice, checked_level, checked_seed
from assay.sources import abstention_of


def fitted_to(estimator: Any, cases: Any, codes: Any, how: LearnerInput | None) -> Any:
    """The estimator fitted to cases, with the labels and the encoder that go with the data set of `how`."""
    encoder = encoder_for(cases)
    estimator.fit(encoded(cases, encoder), codes if how is None else how.labels(np.asarray(codes)))
    return estimator if encoder is None else with_encoder(encoder, estimator)


def careful_fit(
    learner: Learner, seed: int, how: LearnerInput | None = None, settings: Mapping[str, Any] | None = None
) -> Callable[[Any, Any], Callable[[Any], Any]]:
    """What fits a fresh copy to cases and gives its `predict`; whatever it has against them is one sentence.

    `how` says what the learner is given of a data set, whose cases and codes of classes these then are; `settings` are
    parameters that differ from the learner's own.

    >>> from assay.experiments.learners import learner_of
    >>> careful_fit(learner_of("nb"), 0)([[0.0], [1.0]], [0, 1])([[0.9]])
    array([1])
    """

    def fit(cases: Any, classes: Any) -> Callable[[Any], Any]:
        with in_one_sentence(learner.name):
            estimator = fitted_to(learner.build(seed).set_params(**(settings or {})), cases, classes, how)

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
            raise InputError(f"{learner.name!r} has no probabilities", "a learner with predict_proba")

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
        raise InputError(f"{name!r} cannot be fitted to these cases: {why}", "a learner that can") from error


Spoil = Literal["label noise", "feature noise", "missing values"]
SPOILS: Mapping[str, Spoil] = MappingProxyType(
    {"label-noise": "label noise", "feature-noise": "feature noise", "missing": "missing values"}
)
KINDS = ("learning", *SPOILS, "time", "validation")
# Shares of the cases that are timed, and how many there must be for each class.
TIMED, FEWEST_OF_A_CLASS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1), 5


def only_one(kind: Literal["dataset", "learner"], names: Sequence[str], asked: str | None) -> str:
    """The name asked for, or the only one there is.

    >>> only_one("learner", ["tree"], None)
    'tree'
    >>> only_one("dataset", ["iris", "wine"], None)
    Traceback (most recent call last):
    assay.errors.OptionError: the study has 2 data sets; needed: one of iris, wine; pass dataset='iris'
    """
    if asked in names:
        return str(asked)
    if asked is None and len(names) == 1:
        return names[0]
    what = kind.replace("dataset", "data set")
    found = f"the study has {len(names)} {what}s" if asked is None else f"the study has no {what} {asked!r}"
    kind_of_fault = OptionError if asked is None else UnknownName
    raise kind_of_fault(found, f"one of {', '.join(names)}", {kind: names[0]})


def curve_of(
    data: Dataset, learner: Learner, kind: str, *, repeats: int = 20, level: float = 0.95, seed: int = 0
) -> GrowthCurve | TimeCurve:
    """The learner's accuracy against the share of cases learned from (`learning`) or against noise (`label-noise`,
    `feature-noise`, `missing`), over so many random splits; or its `time` against the number of cases."""
    level = checked_level(level)
    seed = checked_seed(seed)
    checked_choice(kind, KINDS[:-1], "kind")
    if data.groups is not None:
        raise InputError(
            f"data set {data.name!r} has groups, which random splits would separate", "a data set without groups"
        )
    how = learner_input(data, learner)
    rows: tuple[Any, Any] = how.X, data.target
    if SPOILS.get(kind, kind) in ("feature noise", "missing values") and not is_array(how.X):
        found = f"{learner.name!r} takes data set {data.name!r} as a {described_container(how.X)}"
        raise InputError(found, f"an array of numbers, to which {kind} can be added")
    fit = careful_fit(learner, seed, how)
    if kind == "learning":
        return learning_curve(fit, *rows, repeats=repeats, level=level, seed=seed)
    if kind == "time":
        fewest = FEWEST_OF_A_CLASS * len(data.classes)
        sizes = [round(share * len(data)) for share in TIMED if share * len(data) >= fewest] or [len(data)]
        return time_curve(fit, *rows, sizes=sizes, seed=seed)
    return robustness_curve(fit, *rows, spoil=SPOILS[kind], plan=shuffle(repeats), level=level, seed=seed)


def curve_of_parameter(
    data: Dataset,
    learner: Learner,
    parameter: str,
    values: Sequence[Any],
    plan: Plan,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> GrowthCurve:
    """Return the learner's accuracy on the splits of a plan against the values of one of its parameters.

    A parameter of a preset is that of its last step.
    """
    known = learner.build(seed).get_params()
    of_step = f"{LEARN}__{parameter}"
    if parameter not in known and of_step not in known:
        has = sorted(name.removeprefix(f"{LEARN}__") for name in known)
        raise UnknownName(f"learner {learner.name!r} has no parameter {parameter!r}", f"one of {', '.join(has)}")
    name = of_step if learner.is_preset and of_step in known else parameter
    how = learner_input(data, learner)
    splits = list(plan.each(data.target, data.groups, seed, data.splits, data.time))
    found = validation_curve(
        lambda value: careful_fit(learner, seed, how, {name: value}),
        how.X,
        data.target,
        parameter=parameter,
        values=values,
        plan=splits,
        level=level,
    )
    refusal = why_not_random(plan)
    return replace(found, values=tuple(replace(each, refusal=refusal) for each in found.values))
