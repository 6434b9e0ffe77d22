"""Learners that do not fit a plan, refused when a study is defined and not by every one of its cells."""

from __future__ import annotations

from collections.abc import Iterable

from assay.errors import InputError
from assay.experiments._parting import Split
from assay.experiments._validating import needs_validation
from assay.experiments.learners import TUNED_FOLDS, Learner
from assay.experiments.task import TUNER

ASIDE = "a plan with one: train_validation_test(), or a column with train, validation and test"


def refuse_unfit(dataset: str, split: Split, learners: Iterable[Learner]) -> None:
    """Refuse a learner that needs a validation part where there is none, and folds to tune by where there is one."""
    for learner in learners:
        is_tuned = learner.recipe.get("path") == TUNER
        made = learner.build(seed=0)
        if split.validation is None and needs_validation(made.estimator if is_tuned else made):
            found = f"learner {learner.name!r} uses a validation part, and data set {dataset!r} is parted without one"
            raise InputError(found, ASIDE)
        if split.validation is not None and is_tuned and made.cv not in (None, TUNED_FOLDS):
            found = f"learner {learner.name!r} has folds to tune by, and the plan has a part to choose on"
            raise InputError(found, "one of them: leave the folds out")
