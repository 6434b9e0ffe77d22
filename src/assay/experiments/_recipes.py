"""Recipes: an unfitted estimator as plain data that JSON can hold, and back.

What a file names is imported only from packages that the user allows, and called only where it is an estimator's class.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.moved import current_path, stored_path

PLAIN = (str, bool, int, float, type(None))
ALLOWED = ("sklearn", "assay")
# What the keys of a table in a recipe must hold, where they mean something.
KINDS: Mapping[str, Any] = {"path": str, "params": Mapping, "name": str, "tuple": list, "dict": Mapping}
MADE_BY = ("fit", "get_params", "predict")


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
    return _called(recipe, MADE_BY)


def as_stored(recipe: Any) -> Any:
    """Return a recipe with every import path as stores have it, whatever was moved since: digests are made of that.

    >>> as_stored({"path": "assay.experiments.pruned.PrunedTree", "params": {}})
    {'path': 'assay.experiments.pruned.PrunedTree', 'params': {}}
    """
    if isinstance(recipe, str):
        return stored_path(recipe)
    if isinstance(recipe, Mapping):
        return {key: as_stored(value) for key, value in recipe.items()}
    return [as_stored(value) for value in recipe] if isinstance(recipe, list | tuple) else recipe


def refuse_foreign(recipe: Mapping[str, Any], allow: tuple[str, ...] = ()) -> None:
    """Refuse a recipe that names anything outside scikit-learn, Assay and the packages in `allow`.

    Nothing of it is imported for that, since importing a module runs it.

    >>> refuse_foreign({"path": "os.system", "params": {}})
    Traceback (most recent call last):
    assay.errors.InputError: 'os.system' is named, from a package that was not allowed; ...; pass allow='os'
    """
    try:
        named = list(_named(recipe))
    except (RecursionError, _NoRecipe):
        needed = "an import path and a table of parameters"
        raise InputError(f"a learner is {str(recipe)[:80]!r}", needed) from None
    for path in named:
        if not any(path.startswith(f"{package}.") for package in (*ALLOWED, *allow)):
            needed = "a learner of scikit-learn, or its package allowed by you who trust it"
            found = f"{path[:80]!r} is named, from a package that was not allowed"
            raise InputError(found, needed, {"allow": path.partition(".")[0][:80] or "PACKAGE"})


def _named(written: Any) -> Iterator[str]:
    """Every import path in a recipe; what `_made` could not follow is none."""
    if isinstance(written, PLAIN):
        return
    if isinstance(written, Mapping):
        yield from _named_here(written)
    elif not isinstance(written, list | tuple):
        raise _NoRecipe
    for each in written.values() if isinstance(written, Mapping) else written:
        yield from _named(each)


def _named_here(written: Mapping[Any, Any]) -> Iterator[str]:
    """The path that a table itself names, if its keys mean something and hold what they must."""
    if written.get("memory") is not None:
        found = "a learner has memory: a folder of fitted parts, from which code is loaded"
        raise InputError(found, "it left out, or given as an object in Python")
    means = {key for key in KINDS if key in written and ("path" in written or len(written) == 1)}
    if not all(isinstance(key, str) for key in written) or any(not isinstance(written[k], KINDS[k]) for k in means):
        raise _NoRecipe
    if "path" in means or means == {"name"}:
        yield written["path" if "path" in means else "name"]


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
        if "_metadata_request" in vars(value):  # set_fit_request and the like, which no parameter holds
            raise _NoRecipe
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
    """What a path leads to, if it is that package's own and not merely something it imports, such as os.system."""
    module, _, name = current_path(path).rpartition(".")
    why, needed = f"there is no {path!r}", "a class that can be imported, such as sklearn.svm.SVC"
    try:
        found = getattr(import_module(module), name)
    except Exception as error:  # a module that is imported may raise anything
        if not isinstance(error, ImportError | AttributeError | ValueError | TypeError):
            why = f"{path!r} cannot be imported: {_first_line(error)}"
        raise InputError(why, needed) from None
    home = str(getattr(found, "__module__", None) or path).partition(".")[0]
    if home not in (*ALLOWED, path.partition(".")[0]):
        raise InputError(why, needed)
    return found


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
        return _called(written, ("get_params",))
    return {key: _made(each) for key, each in written.items()}


def _called(recipe: Mapping[str, Any], needed: tuple[str, ...]) -> Any:
    """An estimator, or a part of one: nothing is called before it was seen to be such a class."""
    kind = _found(recipe["path"])
    if not inspect.isclass(kind) or not all(hasattr(kind, name) for name in needed):
        raise InputError(f"{recipe['path']} makes no estimator", f"a class with {' and '.join(needed)}")
    params = {name: _made(value) for name, value in recipe.get("params", {}).items()}
    try:
        return kind(**params)
    except Exception as error:  # whatever a foreign class has against its parameters
        found = f"{recipe['path']} cannot be made: {_first_line(error)}"
        raise InputError(found, "parameters that it has") from None


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0][:200] or type(error).__name__
