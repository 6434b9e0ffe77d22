"""What becomes of one learner of a study, on one of its data sets, as cases or the noise in them grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from assay.errors import InputError, OptionError, UnknownName
from assay.experiments._fitting import careful_fit
from assay.experiments.containers import described_container
from assay.experiments.curves import GrowthCurve, learning_curve, robustness_curve
from assay.experiments.datasets import Dataset
from assay.experiments.learners import Learner
from assay.experiments.plans import shuffle
from assay.experiments.preparation import is_array, learner_input
from assay.experiments.timing import TimeCurve, time_curve
from assay.request import checked_choice, checked_level, checked_seed

Spoil = Literal["label noise", "feature noise", "missing values"]
SPOILS: Mapping[str, Spoil] = MappingProxyType(
    {"label-noise": "label noise", "feature-noise": "feature noise", "missing": "missing values"}
)
KINDS = ("learning", *SPOILS, "time")
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
    checked_choice(kind, KINDS, "kind")
    if data.groups is not None:
        raise InputError(f"data set {data.name!r} has groups, which random splits would part", "one without")
    how = learner_input(data, learner)
    rows: tuple[Any, Any] = how.X, data.target
    if SPOILS.get(kind, kind) in ("feature noise", "missing values") and not is_array(how.X):
        found = f"{learner.name!r} gets data set {data.name!r} as a {described_container(how.X)}"
        raise InputError(found, f"an array of numbers, to which {kind} can be added")
    fit = careful_fit(learner, seed, how)
    if kind == "learning":
        return learning_curve(fit, *rows, repeats=repeats, level=level, seed=seed)
    if kind == "time":
        fewest = FEWEST_OF_A_CLASS * len(data.classes)
        sizes = [round(share * len(data)) for share in TIMED if share * len(data) >= fewest] or [len(data)]
        return time_curve(fit, *rows, sizes=sizes, seed=seed)
    return robustness_curve(fit, *rows, spoil=SPOILS[kind], plan=shuffle(repeats), level=level, seed=seed)
