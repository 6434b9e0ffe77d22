"""Fitting with a part set aside: learners that stop or prune on it are given it, and settings are chosen on it."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.experiments._parting import sklearn_part

# What a `fit` that can use a validation part calls it, as scikit-learn's own do.
NAMES = ("X_val", "y_val")
# What XGBoost, LightGBM and CatBoost call it: a list of pairs.
PAIRS = "eval_set"
Aside = tuple[NDArray[Any], NDArray[Any]]


def takes_validation(estimator: Any) -> bool:
    """Whether `fit` of an estimator, or of the last step of a pipeline, takes cases to stop or prune on.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from assay.experiments.pruned import PrunedTree
    >>> takes_validation(PrunedTree()), takes_validation(DecisionTreeClassifier())
    (True, False)
    """
    known = inspect.signature(_last(estimator).fit).parameters
    return all(name in known for name in NAMES) or PAIRS in known


def needs_validation(estimator: Any) -> bool:
    """Whether an estimator says that it cannot be fitted without cases set aside."""
    return bool(getattr(_last(estimator), "needs_validation", False))


def _last(estimator: Any) -> Any:
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if isinstance(steps, list) and steps else estimator


def fit_with(
    estimator: Any, cases: Any, classes: Any, aside: Aside | None, weight: Any = None, groups: Any = None
) -> None:
    """Fit to the training part; a learner that can use the part set aside is given it, as the steps before it leave it.

    Whatever stands before it in a pipeline is fitted to the training part alone. Weights of cases go to a learner that
    takes them, which is stated where it takes none, and groups to a search whose folds need them.
    """
    beside = _metadata(estimator, weight, groups)
    if aside is None or not takes_validation(estimator):
        estimator.fit(cases, classes, **beside)
        return
    last = _last(estimator)
    beside = {name.rpartition("__")[2]: value for name, value in beside.items()}
    if last is estimator:
        estimator.fit(cases, classes, **_as_named(last, *aside), **beside)
        return
    before = estimator[:-1]
    prepared = before.fit_transform(cases, classes)
    last.fit(prepared, classes, **_as_named(last, before.transform(aside[0]), aside[1]), **beside)


def _as_named(estimator: Any, cases: Any, classes: Any) -> dict[str, Any]:
    """The part set aside by the names that `fit` has for it."""
    known = inspect.signature(estimator.fit).parameters
    if all(name in known for name in NAMES):
        return dict(zip(NAMES, (cases, classes), strict=True))
    return {PAIRS: [(cases, classes)], **({"verbose": False} if "verbose" in known else {})}


def _metadata(estimator: Any, weight: Any, groups: Any) -> dict[str, Any]:
    """What goes to `fit` beside cases and classes: by scikit-learn's metadata routing where that is switched on."""
    found: dict[str, Any] = {}
    if groups is not None and _splits_groups(_last(estimator)):
        found[_addressed(estimator, "groups")] = groups
    if weight is None:
        return found
    routes = sklearn_part("", "weights of cases").get_config()["enable_metadata_routing"]
    last = _last(estimator)
    inner = getattr(last, "estimator", last)
    takes = sklearn_part("utils.validation", "weights of cases").has_fit_parameter
    if routes:
        found["sample_weight"] = weight
    elif takes(last, "sample_weight") or (hasattr(last, "cv") and takes(_last(inner), "sample_weight")):
        name = "sample_weight" if takes(last, "sample_weight") else _addressed(inner, "sample_weight")
        found[_addressed(estimator, name)] = weight
    else:
        warnings.warn(f"{type(last).__name__} takes no sample_weight: it is fitted without", stacklevel=2)
    return found


def _addressed(estimator: Any, name: str) -> str:
    """The name of a parameter of `fit`, with that of the last step of a pipeline before it."""
    steps = getattr(estimator, "steps", None)
    return f"{steps[-1][0]}__{name}" if isinstance(steps, list) and steps else name


def _splits_groups(search: Any) -> bool:
    """Whether a search has folds of its own that keep groups together."""
    return "Group" in type(getattr(search, "cv", None)).__name__


def tuned_on(search: Any, cases: Any, classes: Any, asked: Any, truth: Any) -> tuple[Any, dict[str, Any]]:
    """The estimator of a grid search with the settings that did best on the part set aside, to be fitted; and these.

    Each setting is fitted to the training part alone, the one chosen too.
    """
    base = sklearn_part("base", "tuning on a validation part")
    selection = sklearn_part("model_selection", "tuning on a validation part")
    judge: Callable[[Any, Any, Any], float] = sklearn_part("metrics", "tuning").check_scoring(
        search.estimator, search.scoring
    )
    best, chosen = -np.inf, None
    for setting in selection.ParameterGrid(search.param_grid):
        tried = base.clone(search.estimator).set_params(**setting)
        fit_with(tried, cases, classes, (asked, truth))
        found = float(judge(tried, asked, truth))
        if found > best:
            best, chosen = found, setting
    settings = dict(chosen or {})
    return base.clone(search.estimator).set_params(**settings), settings


def settings_of(estimator: Any) -> dict[str, Any] | None:
    """The settings that a fitted search chose, if the estimator or the last step of a pipeline is one.

    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=2)
    >>> settings_of(search.fit([[0.0], [1.0]] * 5, [0, 1] * 5))
    {'max_depth': 1}
    """
    chosen = getattr(_last(estimator), "best_params_", None)
    return dict(chosen) if isinstance(chosen, Mapping) else None
