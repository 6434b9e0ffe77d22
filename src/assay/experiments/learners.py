"""Learners: presets by name, any scikit-learn compatible class by import path, or an estimator as it is.

Recipes: an unfitted estimator as plain data that JSON can hold, and back.

What a file names is imported only from packages that the user allows, and called only where it is an estimator's class.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from assay.errors import AssayError, InputError, UnknownName
from assay.experiments.splitting import sklearn_part
from assay.moved import current_path, stored_path
from assay.request import checked_text, checked_whole, named_texts

PLAIN = (str, bool, int, float, type(None))
ALLOWED = ("sklearn", "assay")
# What the keys of a table in a recipe must hold, where they mean something.
KINDS: Mapping[str, Any] = {"path": str, "params": Mapping, "name": str, "tuple": list, "dict": Mapping}
REQUESTS = "requests"  # the key of what an estimator requests by scikit-learn's metadata routing
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
        recipe = _recipe_of(estimator)
        again = estimator_of(recipe)
    except (_NoRecipe, InputError):
        return None
    return dict(recipe) if type(again) is type(estimator) else None


def estimator_of(recipe: Mapping[str, Any]) -> Any:
    """The estimator a recipe describes.

    >>> estimator_of({"path": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 3}})
    DecisionTreeClassifier(max_depth=3)
    """
    return _create_estimator(recipe, MADE_BY)


def as_stored(recipe: Any) -> Any:
    """Return a recipe with every import path as stores have it, whatever was moved since: digests are made of that.

    >>> as_stored({"path": "assay.experiments.validation_learners.PrunedTree", "params": {}})
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
        named = list(_import_paths(recipe))
    except (RecursionError, _NoRecipe):
        needed = "an import path and a table of parameters"
        raise InputError(f"a learner is {str(recipe)[:80]!r}", needed) from None
    for path in named:
        if not any(path.startswith(f"{package}.") for package in (*ALLOWED, *allow)):
            needed = "a learner of scikit-learn, or permission for a package that you trust"
            found = f"{path[:80]!r} is from a package that is not allowed"
            raise InputError(found, needed, {"allow": path.partition(".")[0][:80] or "PACKAGE"})


def _import_paths(written: Any) -> Iterator[str]:
    """Every import path in a recipe; what `_made` could not follow is none."""
    if isinstance(written, PLAIN):
        return
    if isinstance(written, Mapping):
        yield from _own_import_path(written)
    elif not isinstance(written, list | tuple):
        raise _NoRecipe
    for each in written.values() if isinstance(written, Mapping) else written:
        yield from _import_paths(each)


def _own_import_path(written: Mapping[Any, Any]) -> Iterator[str]:
    """The path that a table itself names, if its keys mean something and hold what they must."""
    if written.get("memory") is not None:
        found = "a learner has memory: a folder of pickled parts, which can run code"
        raise InputError(found, "no memory, or the learner as a Python object")
    means = {key for key in KINDS if key in written and ("path" in written or len(written) == 1)}
    if not all(isinstance(key, str) for key in written) or any(not isinstance(written[k], KINDS[k]) for k in means):
        raise _NoRecipe
    if "path" in means or means == {"name"}:
        yield written["path" if "path" in means else "name"]


def _recipe_of(value: Any) -> Any:
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, np.generic):
        return _recipe_of(value.item())
    if isinstance(value, tuple):
        return {"tuple": [_recipe_of(each) for each in value]}
    if isinstance(value, list):
        return [_recipe_of(each) for each in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _recipe_of(each) for key, each in value.items()}}
    if inspect.isclass(value) or (callable(value) and hasattr(value, "__qualname__")):
        return {"name": _public_import_path(value)}
    if hasattr(value, "get_params") and not inspect.isclass(value):
        requests = _metadata_requests(value)
        written = {"path": _public_import_path(type(value)), "params": _nondefault_parameters(value)}
        return {**written, REQUESTS: requests} if requests else written
    raise _NoRecipe


def _metadata_requests(estimator: Any) -> dict[str, dict[str, Any]]:
    """What set_fit_request and the like said of metadata, which no parameter holds, by method."""
    request = vars(estimator).get("_metadata_request")
    methods = {} if request is None else vars(request)
    found = {
        method: {
            name: wanted
            for name, wanted in each.requests.items()
            if isinstance(wanted, bool) or (isinstance(wanted, str) and wanted.isidentifier())
        }
        for method, each in methods.items()
        if hasattr(each, "requests")
    }
    return {method: wanted for method, wanted in found.items() if wanted}


def _set_metadata_requests(estimator: Any, requests: Any, path: str) -> Any:
    """An estimator that requests metadata as a recipe says: { fit = { sample_weight = true } }."""
    with sklearn_part("", "metadata routing").config_context(enable_metadata_routing=True):
        for method, wanted in requests.items() if isinstance(requests, Mapping) else [("requests", requests)]:
            try:
                getattr(estimator, f"set_{method}_request")(**wanted)
            except (AttributeError, TypeError) as error:
                found = f"{path} cannot request {str(wanted)[:60]} for {str(method)[:20]!r}: {_first_error_line(error)}"
                raise InputError(
                    found, "metadata that the method accepts: { fit = { sample_weight = true } }"
                ) from None
    return estimator


def requests_metadata(recipe: Any) -> bool:
    """Whether an estimator of a recipe says which metadata it requests.

    >>> requests_metadata({"path": "sklearn.svm.SVC", "requests": {"fit": {"sample_weight": True}}})
    True
    """
    if isinstance(recipe, Mapping):
        return ("path" in recipe and REQUESTS in recipe) or any(map(requests_metadata, recipe.values()))
    return isinstance(recipe, list | tuple) and any(map(requests_metadata, recipe))


def _nondefault_parameters(estimator: Any) -> dict[str, Any]:
    """The parameters that differ from those of a fresh one: defaults of another release must not look like a change."""
    params = estimator.get_params(deep=False)
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(type(estimator).__init__).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }
    return {
        name: _recipe_of(v)
        for name, v in params.items()
        if name not in defaults or not _is_same_plain_value(v, defaults[name])
    }


def _is_same_plain_value(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, PLAIN) and type(value) is type(default) and value == default)


def _public_import_path(thing: Any) -> str:
    """Where a class or function is imported from, by its public path if that leads to it."""
    module, name = thing.__module__, thing.__qualname__
    if module in (None, "__main__") or "<" in name:
        raise _NoRecipe
    public = ".".join(part for part in module.split(".") if not part.startswith("_"))
    for path in (f"{public}.{name}", f"{module}.{name}"):
        try:
            if _import_by_path(path) is thing:
                return path
        except InputError:
            continue
    raise _NoRecipe


def _import_by_path(path: str) -> Any:
    """What a path leads to, if it is that package's own and not merely something it imports, such as os.system."""
    module, _, name = current_path(path).rpartition(".")
    why, needed = f"no class {path!r}", "a class that can be imported, such as sklearn.svm.SVC"
    try:
        found = getattr(import_module(module), name)
    except Exception as error:  # a module that is imported may raise anything
        if not isinstance(error, ImportError | AttributeError | ValueError | TypeError):
            why = f"{path!r} cannot be imported: {_first_error_line(error)}"
        raise InputError(why, needed) from None
    home = str(getattr(found, "__module__", None) or path).partition(".")[0]
    if home not in (*ALLOWED, path.partition(".")[0]):
        raise InputError(why, needed)
    return found


def _build_from_recipe(written: Any) -> Any:
    if isinstance(written, list):
        return [_build_from_recipe(each) for each in written]
    if not isinstance(written, Mapping):
        return written
    if set(written) == {"tuple"}:
        return tuple(_build_from_recipe(each) for each in written["tuple"])
    if set(written) == {"dict"}:
        return {key: _build_from_recipe(each) for key, each in written["dict"].items()}
    if set(written) == {"name"}:
        return _import_by_path(written["name"])
    if "path" in written:
        return _create_estimator(written, ("get_params",))
    return {key: _build_from_recipe(each) for key, each in written.items()}


def _create_estimator(recipe: Mapping[str, Any], needed: tuple[str, ...]) -> Any:
    """An estimator, or a part of one: nothing is called before it was seen to be such a class."""
    kind = _import_by_path(recipe["path"])
    if not inspect.isclass(kind) or not all(hasattr(kind, name) for name in needed):
        raise InputError(f"{recipe['path']} is not an estimator class", f"a class with {' and '.join(needed)}")
    params = {name: _build_from_recipe(value) for name, value in recipe.get("params", {}).items()}
    try:
        made = kind(**params)
    except Exception as error:  # whatever a foreign class has against its parameters
        found = f"{recipe['path']} cannot be created: {_first_error_line(error)}"
        raise InputError(found, "parameters that it has") from None
    return _set_metadata_requests(made, recipe[REQUESTS], recipe["path"]) if REQUESTS in recipe else made


def _first_error_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0][:200] or type(error).__name__


DUMMY = "dummy"
# Where a preset's class is, its parameters, and what must stand before it inside each training part.
LEARN = "learn"  # the last step of a preset's pipeline
FILLED, SCALED = ("fill",), ("fill", "scale")
OURS, WITHIN = "assay.estimators", "classifier"
PRESETS: Mapping[str, tuple[str, Mapping[str, Any], tuple[str, ...]]] = {
    DUMMY: ("sklearn.dummy.DummyClassifier", {"strategy": "prior"}, ()),
    "boosting": ("sklearn.ensemble.HistGradientBoostingClassifier", {}, ()),
    "forest": ("sklearn.ensemble.RandomForestClassifier", {}, ()),
    "knn": ("sklearn.neighbors.KNeighborsClassifier", {}, SCALED),
    "lda": ("sklearn.discriminant_analysis.LinearDiscriminantAnalysis", {}, FILLED),
    "logistic": ("sklearn.linear_model.LogisticRegression", {"max_iter": 1000}, SCALED),
    "mlp": ("sklearn.neural_network.MLPClassifier", {"max_iter": 500}, SCALED),
    "nb": ("sklearn.naive_bayes.GaussianNB", {}, FILLED),
    "pruned_tree": ("assay.experiments.validation_learners.PrunedTree", {}, ()),
    "stopped_boosting": ("assay.experiments.validation_learners.StoppedBoosting", {}, FILLED),
    "stump": ("sklearn.tree.DecisionTreeClassifier", {"max_depth": 1}, ()),
    "svm": ("sklearn.svm.SVC", {}, SCALED),
    "tree": ("sklearn.tree.DecisionTreeClassifier", {}, ()),
    # Learners of ours; those that hold a classifier hold this one unless params say another.
    "cost-sensitive": (f"{OURS}.CostSensitiveClassifier", {WITHIN: "logistic"}, ()),
    "hull-mixture": (f"{OURS}.HullMixtureClassifier", {"classifiers": "logistic"}, ()),
    "margin-svm": (f"{OURS}.AsymmetricMarginSVC", {}, SCALED),
    "metacost": (f"{OURS}.MetaCostClassifier", {WITHIN: "tree"}, ()),
    "rankboost": (f"{OURS}.RankBoostClassifier", {}, FILLED),
    "recalibrated": (f"{OURS}.RecalibratedClassifier", {WITHIN: "nb", "method": "venn_abers", "cv": 5}, ()),
    "reject": (f"{OURS}.RejectClassifier", {WITHIN: "logistic", "costs": {"reject": 0.2}}, ()),
    "threshold": (f"{OURS}.ThresholdClassifier", {WITHIN: "logistic"}, ()),
    "votes": (f"{OURS}.VotesClassifier", {WITHIN: "forest"}, ()),
}
STEPS = {
    "fill": ("sklearn.impute.SimpleImputer", {"strategy": "median", "keep_empty_features": True}),
    "scale": ("sklearn.preprocessing.StandardScaler", {}),
}
MOST_COMBINATIONS = 1000
SEARCHES = ("GridSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV", "RandomizedSearchCV")
TUNED_FOLDS = 3  # by which settings are tuned inside a training part, unless said otherwise
ADDRESS = r" at 0x[0-9a-f]+"  # where an object lies in memory, which is no part of what it is
SAYABLE = ("name", "preset", "path", "params", "grid", "tune", "folds", REQUESTS)


def baselines_of(learners: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The names of those learners that are the one that looks at no feature, by whatever name."""
    return tuple(each["name"] for each in learners if is_baseline(each["recipe"]))


def is_baseline(recipe: Mapping[str, Any]) -> bool:
    """Whether a recipe is that of the learner that looks at no feature."""
    return bool(recipe == {"path": PRESETS[DUMMY][0], "params": dict(PRESETS[DUMMY][1])})


@dataclass(frozen=True, eq=False)
class Learner:
    """One way to make a classifier: a name, and the recipe of an estimator that was never fitted.

    The recipe is plain data (an import path and parameters, nested where estimators hold others), so that a store can
    keep it and a worker elsewhere can follow it. An estimator of which that cannot be said, such as one whose class was
    typed into a session, is kept as `given` and can be run by the program that has it, not by `resume`. A preset brings
    what encodes and fills columns, and gets codes of classes; any other learner gets the data and labels as given.

    >>> learner_of("logistic").name
    'logistic'
    >>> sorted(learner_of({"preset": "tree", "params": {"max_depth": 3}}).build(seed=0).get_params())[-2:]
    ['random_state', 'splitter']
    """

    name: str
    recipe: Mapping[str, Any]
    given: Any = field(default=None, repr=False)
    is_preset: bool = False

    @property
    def hash(self) -> str:
        """What the learner is, as a fingerprint: the same class and parameters give the same one."""
        return hashlib.sha256(json.dumps(as_stored(self.recipe), sort_keys=True).encode()).hexdigest()

    @property
    def is_baseline(self) -> bool:
        """Whether it is the learner that looks at no feature."""
        return is_baseline(self.recipe)

    @property
    def is_search(self) -> bool:
        """Whether it searches for settings inside its training part."""
        return str(self.recipe.get("path", self.recipe.get("object", ""))).rpartition(".")[2] in SEARCHES

    def build(self, seed: int) -> Any:
        """An estimator to fit, its randomness fixed by the seed wherever nobody fixed it."""
        return built(self.recipe, self.given, seed)


def built(recipe: Mapping[str, Any], given: Any, seed: int) -> Any:
    """An unfitted estimator from a recipe, or a copy of the one given, with every free random state set to the seed.

    >>> built({"path": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 2}}, None, seed=7)
    DecisionTreeClassifier(max_depth=2, random_state=7)
    """
    clone = sklearn_part("base", "an experiment").clone
    estimator = estimator_of(recipe) if given is None else clone(given)
    free = {
        name: seed
        for name, value in estimator.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return estimator.set_params(**free)


def learners_of(given: Any, *, allow: str | Iterable[str] = ()) -> tuple[Learner, ...]:
    """Every learner a user named, and always one that looks at no feature, for the others to be better than.

    Estimators are taken as they are; import paths only from scikit-learn, Assay and the packages in `allow`.

    >>> [learner.name for learner in learners_of(["tree", {"preset": "knn", "grid": {"n_neighbors": [1, 5]}}])]
    ['dummy', 'tree', 'knn(n_neighbors=1)', 'knn(n_neighbors=5)']
    """
    packages = named_texts(allow, "allow")
    if isinstance(given, Mapping) and not set(given) <= set(SAYABLE):
        found = [one for name, each in given.items() for one in _learners_of_entry(each, str(name), packages)]
    elif isinstance(given, list | tuple):
        found = [one for each in given for one in _learners_of_entry(each, None, packages)]
    else:
        found = _learners_of_entry(given, None, packages)
    dummy = learner_of(DUMMY)
    if all(one.hash != dummy.hash for one in found):
        found = [dummy, *found]
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"duplicate learner name {twice!r}", "unique names: {'small': ..., 'large': ...}")
    return tuple(found)


def learner_of(given: Any, *, name: str | None = None, allow: tuple[str, ...] = ()) -> Learner:
    """One learner from a preset's name, an import path, an estimator, or a record of what it is.

    >>> learner_of("sklearn.svm.SVC").recipe
    {'path': 'sklearn.svm.SVC', 'params': {}}
    """
    if isinstance(given, Learner):
        return given
    if isinstance(given, Mapping):
        record = dict(given)
        name = record.pop("name", name)
        return _learner_of_record(record, name, allow)
    if isinstance(given, str):
        return _learner_of_record({"path" if "." in given else "preset": given}, name, allow)
    if inspect.isclass(given):
        given = given()
    # Some have `predict` only when they are fitted; their class has it all the same.
    if not all(hasattr(given, name) or hasattr(type(given), name) for name in ("fit", "predict", "get_params")):
        found = f"{type(given).__name__} has no fit, predict and get_params"
        raise InputError(found, f"a scikit-learn compatible estimator, an import path or one of {', '.join(PRESETS)}")
    recipe = recipe_of(given)
    name = name or type(given).__name__
    return Learner(name, recipe) if recipe is not None else Learner(name, _describe_without_recipe(given), given)


def _learners_of_entry(given: Any, name: str | None, allow: tuple[str, ...]) -> list[Learner]:
    """The learners one entry stands for: itself, or one for each combination of its grid."""
    if not isinstance(given, Mapping) or "grid" not in given:
        return [learner_of(given, name=name, allow=allow)]
    record = dict(given)
    grid, params = record.pop("grid"), _checked_params(record.pop("params", {}))
    name = record.pop("name", name) or record.get("preset") or str(record.get("path", "")).rpartition(".")[2]
    found = []
    for chosen in _grid_combinations(grid):
        said = ", ".join(f"{key}={value}" for key, value in chosen.items())
        found.append(_learner_of_record({**record, "params": params | chosen}, f"{name}({said})", allow))
    return found


def _checked_params(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise InputError(f"the params of a learner are {given!r}"[:120], "a table of them: { max_depth = 3 }")
    return dict(given)


def _resolve_presets(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters in which a classifier may be named as learners are: a preset, or a record with one."""
    return {name: _resolve_inner_classifier(value, name) for name, value in params.items()}


def _resolve_inner_classifier(value: Any, parameter: str) -> Any:
    if isinstance(value, str) and parameter == WITHIN and "." not in value:
        return _preset_recipe(value, {})
    if isinstance(value, str) and parameter == WITHIN:
        return {"path": value, "params": {}}
    if isinstance(value, Mapping) and "preset" in value and set(value) <= {"preset", "params"}:
        return _preset_recipe(
            checked_text(value["preset"], "a preset"), _resolve_presets(_checked_params(value.get("params", {})))
        )
    if parameter == "classifiers":
        named = [value] if isinstance(value, str) else value
        if isinstance(named, list) and all(isinstance(each, str) for each in named):
            return [{"tuple": [each.rpartition(".")[2], _resolve_inner_classifier(each, WITHIN)]} for each in named]
    return value


def _grid_combinations(grid: Any) -> Iterable[dict[str, Any]]:
    if (
        not isinstance(grid, Mapping)
        or not grid
        or any(not isinstance(v, list | tuple) or not v for v in grid.values())
    ):
        raise InputError(f"the grid is {grid!r}"[:120], "a list of values for each parameter: {'max_depth': [1, 2, 3]}")
    combinations = math.prod(len(values) for values in grid.values())
    if combinations > MOST_COMBINATIONS:
        raise InputError(f"the grid has {combinations:,} combinations", f"at most {MOST_COMBINATIONS:,}")
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]


def _learner_of_record(record: Mapping[str, Any], name: Any, allow: tuple[str, ...]) -> Learner:
    """A learner as a study file names it: a preset or a path, its parameters, and what to tune inside the folds."""
    unknown = next((key for key in record if key not in SAYABLE), None)
    if unknown is not None or ("preset" in record) == ("path" in record):
        found = f"a learner has {unknown!r}" if unknown is not None else f"a learner is {dict(record)!r}"
        raise InputError(found[:120], f"a preset or a path, with {', '.join(SAYABLE[3:])} or a name")
    params = _resolve_presets(_checked_params(record.get("params", {})))
    which = "preset" if "preset" in record else "path"
    called = checked_text(record[which], f"the {which} of a learner")
    recipe = _preset_recipe(called, params) if which == "preset" else {"path": called, "params": params}
    if REQUESTS in record and which == "preset":
        raise InputError("requests cannot be used with a preset", "a path; presets always get the case weights")
    recipe |= {REQUESTS: record[REQUESTS]} if REQUESTS in record else {}
    called = called.rpartition(".")[2]
    if "tune" in record:
        recipe = _grid_search_recipe(
            recipe, record["tune"], checked_whole(record.get("folds", TUNED_FOLDS), "folds", 2)
        )
        called += " tuned"
    elif "folds" in record:
        raise InputError("folds of a learner needs tune", "tune = { max_depth = [2, 4] }")
    refuse_foreign(recipe, allow)
    name = checked_text(called if name is None else name, "the name of a learner")
    learner = Learner(name, recipe, is_preset=which == "preset")
    try_to_make(learner)
    return learner


def try_to_make(learner: Learner) -> None:
    """Make it once: a misspelt path or parameter is said now, not by every cell."""
    try:
        learner.build(seed=0)
    except AssayError:
        raise
    except Exception as error:  # what scikit-learn says of parameters that hold something odd
        why = str(error).strip().split("\n")[0][:200] or type(error).__name__
        raise InputError(f"learner {learner.name!r} cannot be created: {why}", "parameters that it has") from None


def _preset_recipe(which: str, params: Mapping[str, Any]) -> dict[str, Any]:
    if which not in PRESETS:
        raise UnknownName(f"unknown learner {which!r}", f"one of {', '.join(PRESETS)}, or an import path")
    path, defaults, before = PRESETS[which]
    last = {"path": path, "params": _resolve_presets({**defaults, **params})}
    if not before:
        return last
    steps = [(step, {"path": STEPS[step][0], "params": dict(STEPS[step][1])}) for step in before]
    pairs = [{"tuple": list(pair)} for pair in (*steps, (LEARN, last))]
    return {"path": "sklearn.pipeline.Pipeline", "params": {"steps": pairs}}


def _grid_search_recipe(recipe: Mapping[str, Any], grid: Any, folds: int) -> dict[str, Any]:
    """The best of a grid, chosen anew inside each training part, so that no test case has a say in it."""
    list(_grid_combinations(grid))
    of_step = f"{LEARN}__" if recipe["path"] == "sklearn.pipeline.Pipeline" else ""
    chosen = {of_step + key: list(values) for key, values in grid.items()}
    params = {"estimator": dict(recipe), "param_grid": chosen, "cv": folds}
    return {"path": "sklearn.model_selection.GridSearchCV", "params": params}


def _describe_without_recipe(estimator: Any) -> dict[str, Any]:
    """What can be said of an estimator that has no recipe: its class, its source and its parameters as they print."""
    kind = type(estimator)
    try:
        source = inspect.getsource(kind)
    except (OSError, TypeError):
        source = ""
    params = dict(sorted(estimator.get_params(deep=True).items()))
    codes = [value.__code__ for value in params.values() if inspect.isfunction(value)]
    said = source + "".join(repr((code.co_code, code.co_names, code.co_consts)) for code in codes)
    return {
        "object": f"{kind.__module__}.{kind.__qualname__}",
        "params": re.sub(ADDRESS, "", repr(params)),
        "source": hashlib.sha256(re.sub(ADDRESS, "", said).encode()).hexdigest(),
    }
