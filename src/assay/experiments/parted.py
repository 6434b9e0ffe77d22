"""Data sets and the plan that parts them: a plan may name a column of theirs, and data sets may come in parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from assay.errors import InputError
from assay.experiments.datasets import Dataset, datasets_of, with_one_positive
from assay.experiments.given import is_splitter, parts_of_splitter
from assay.experiments.plans import Plan, given, kfold, plan_of


def parted(
    datasets: Any, plan: Any, ignore: Iterable[str] = (), positive: Any = None
) -> tuple[tuple[Dataset, ...], Plan]:
    """The data sets a user named and the plan for them; where all come with parts of their own that is the plan.

    >>> from sklearn.model_selection import PredefinedSplit
    >>> data, plan = parted({"toy": ([[1.0], [2.0], [3.0], [4.0]], [0, 1, 1, 0])}, PredefinedSplit([0, 0, 1, 1]))
    >>> plan.name, data[0].splits
    ('the parts it was given with', (<split 1.1: 2 to learn from, 2 to predict>, ...))
    """
    if plan is not None and not isinstance(plan, Plan):
        plan = given(plan) if is_splitter(plan) else plan_of(plan)
    column = None if plan is None else dict(plan.options).get("column")
    data = with_one_positive(datasets_of(datasets, split=column, ignore=ignore), positive)
    if plan is None:
        own = [one for one in data if one.splits is not None]
        return data, given() if own and len(own) == len(data) else kfold(10)
    if plan.splitter is None:
        return data, plan
    return tuple(_by_splitter(one, plan) for one in data), plan


def _by_splitter(data: Dataset, plan: Plan) -> Dataset:
    """A data set with the parts an object makes of it; only the program that has the object can read it again."""
    if data.splits is not None:
        raise InputError(f"data set {data.name!r} has parts of its own, and a splitter is given", "one of them")
    cases = data.features if data.given is None else data.given
    splits = parts_of_splitter(plan.splitter, cases, data.target, data.group_names)
    return replace(data, splits=splits, origin=None)
