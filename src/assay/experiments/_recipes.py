"""Recipes: an unfitted estimator as plain data that JSON can hold, and back."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from assay.errors import InputError

PLAIN = (str, bool, int, float, type(None))


class _NoRecipe(Exception):
    """Something that cannot be written down and made again from what was written."""


def recipe_of(estimator: Any) -> dict[str, Any] | None:
    """An estimator as its import path and parameters, or None where that does not say all of it.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> recipe_of(DecisionTreeClassifier(max_depth=3))
    {'path': 'sklearn.tree.DecisionTreeClassifier', 'params': {'max_depth': 3}}
    """
    try:
        recipe = _written(estimator)
        again = estimator_of(recipe)
    except (_NoRecipe, InputError):
        return None
    return dict(recipe) if type(again) is type(estimator) else None


def estimator_of(recipe: Mapping[str, Any]) -> Any:
    """The estimator a recipe describes.

    >>> estimator_of({"path": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 3}})
    DecisionTreeClassifier(max_depth=3)
    """
    return _made(recipe)


def _written(value: Any) -> Any:
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, np.generic):
        return _written(value.item())
    if isinstance(value, tuple):
        return {"tuple": [_written(each) for each in value]}
    if isinstance(value, list):
        return [_written(each) for each in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _written(each) for key, each in value.items()}}
    if inspect.isclass(value) or (callable(value) and hasattr(value, "__qualname__")):
        return {"name": _path_of(value)}
    if hasattr(value, "get_params") and not inspect.isclass(value):
        return {"path": _path_of(type(value)), "params": _changed(value)}
    raise _NoRecipe


def _changed(estimator: Any) -> dict[str, Any]:
    """The parameters that differ from those of a fresh one: defaults of another release must not look like a change."""
    params = estimator.get_params(deep=False)
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(type(estimator).__init__).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }
    return {name: _written(v) for name, v in params.items() if name not in defaults or not _same(v, defaults[name])}


def _same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, PLAIN) and type(value) is type(default) and value == default)


def _path_of(thing: Any) -> str:
    """Where a class or function is imported from, by its public path if that leads to it."""
    module, name = thing.__module__, thing.__qualname__
    if module in (None, "__main__") or "<" in name:
        raise _NoRecipe
    public = ".".join(part for part in module.split(".") if not part.startswith("_"))
    for path in (f"{public}.{name}", f"{module}.{name}"):
        try:
            if _found(path) is thing:
                return path
        except InputError:
            continue
    raise _NoRecipe


def _found(path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        needed = "a class that can be imported, such as sklearn.svm.SVC"
        raise InputError(f"there is no {path!r}", needed) from None


def _made(written: Any) -> Any:
    if isinstance(written, list):
        return [_made(each) for each in written]
    if not isinstance(written, Mapping):
        return written
    if set(written) == {"tuple"}:
        return tuple(_made(each) for each in written["tuple"])
    if set(written) == {"dict"}:
        return {key: _made(each) for key, each in written["dict"].items()}
    if set(written) == {"name"}:
        return _found(written["name"])
    if "path" in written:
        return _called(written)
    return {key: _made(each) for key, each in written.items()}


def _called(recipe: Mapping[str, Any]) -> Any:
    kind = _found(recipe["path"])
    params = {name: _made(value) for name, value in recipe.get("params", {}).items()}
    try:
        made = kind(**params)
    except TypeError as error:
        raise InputError(f"{recipe['path']} cannot be made: {error}", "parameters that it has") from None
    if not hasattr(made, "get_params"):
        raise InputError(f"{recipe['path']} makes no estimator", "a class with fit, predict and get_params")
    return made
