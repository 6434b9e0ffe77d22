"""The form of a study: what it offers, and what was filled in as what a study file says. All of it is hostile text."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, OptionError, UnknownOption
from assay.request.toml import toml_of

if TYPE_CHECKING:
    from assay.experiments.learners import Learner

# What the form has beside data sets, learners and plans: how each is read, and where it goes in the file.
NUMBERS = ("seed", "jobs", "cell_timeout")
ASKED = ("datasets", "learners", "plan", "inner", "keep_models", *NUMBERS)
OF_DATASET = ("name", "path", "target", "positive", "group", "split", "test", "validation", "ignore")
OF_LEARNER = ("preset", "path", "name", "settings", "several", "folds")
EACH, TUNED = "grid", "tune"
# Settings that change nothing in what is found, or that the study itself fixes.
UNOFFERED = ("random_state", "memory", "n_jobs", "verbose", "warm_start")
LONGEST = 2000  # characters of anything typed into a field
MOST = 500  # rows of a form


def study_asked(form: Any) -> dict[str, Any]:
    """What a form asks for as a study file would say it: what was left empty is left out.

    >>> learners = [{"preset": "tree", "settings": {"max_depth": "2, 4"}}]
    >>> study_asked({"datasets": [{"name": "iris"}], "learners": learners, "plan": {"kind": "kfold", "folds": "5"}})
    {'plan': {'kind': 'kfold', 'folds': 5}, 'datasets': ['iris'],
     'learners': [{'preset': 'tree', 'grid': {'max_depth': [2, 4]}}]}
    """
    given = _table(form, "the form", ASKED)
    said: dict[str, Any] = {name: typed_value(given[name], name) for name in NUMBERS if _is_said(given.get(name))}
    plan = _plan(given.get("plan"), given.get("inner"))
    if plan is not None:
        said["plan"] = plan
    if given.get("keep_models"):
        said["keep_models"] = True
    said["datasets"] = [_dataset(each) for each in _rows(given.get("datasets"), "datasets")]
    said["learners"] = [_learner(each) for each in _rows(given.get("learners"), "learners")]
    return said


def typed_value(text: Any, name: str) -> Any:
    """What somebody means who types a value into a field: a number, true or false, or a text without marks.

    >>> [typed_value(text, "x") for text in ("3", "0.5", "true", "entropy", "'3'", "[1, 2]", "a, b")]
    [3, 0.5, True, 'entropy', '3', [1, 2], 'a, b']
    """
    text = _text(text, name).strip()
    read = _as_toml(text)
    return text if read is None else read


def typed_values(text: Any, name: str) -> list[Any]:
    """One value or several, with commas between them.

    >>> typed_values("0.1, 1, 10", "C"), typed_values("gini, entropy", "criterion"), typed_values("[10, 10], [20]", "x")
    ([0.1, 1, 10], ['gini', 'entropy'], [[10, 10], [20]])
    """
    text = _text(text, name).strip()
    read = _as_toml(f"[{text}]")
    if isinstance(read, list):
        return read
    return [typed_value(part, name) for part in text.split(",") if part.strip()]


def settings_of(learner: Learner) -> dict[str, str]:
    """The settings of a learner's class, each with its default as it prints; those of its steps are not among them."""
    estimator = learner.build(seed=0)
    own = estimator.steps[-1][1] if learner.recipe["path"] == "sklearn.pipeline.Pipeline" else estimator
    found = own.get_params(deep=False)
    return {name: _default(value) for name, value in sorted(found.items()) if name not in UNOFFERED}


def preset_settings() -> dict[str, dict[str, str]]:
    """The settings of every preset, by its name."""
    from assay.experiments.learners import DUMMY, PRESETS, learner_of

    return {
        name: settings_of(learner_of(name)) | {key: str(value) for key, value in params.items()}
        for name, (_, params, _) in PRESETS.items()
        if name != DUMMY
    }


def plan_options() -> dict[str, dict[str, Any]]:
    """What each kind of plan is and takes: its first sentence, and its options with their defaults."""
    from assay.experiments.plans import FACTORIES

    return {name: {"title": _first_line(made), "options": _defaults(name, made)} for name, made in FACTORIES.items()}


def _defaults(kind: str, made: Any) -> dict[str, Any]:
    taken = {name: each.default for name, each in inspect.signature(made).parameters.items()}
    return {"column": taken.pop("by"), **taken} if kind == "given" else taken


def _first_line(made: Any) -> str:
    return str(inspect.getdoc(made)).split("\n")[0]


def _default(value: Any) -> str:
    """What a setting is unless said otherwise; nothing where that is no word or number."""
    return str(value)[:40] if isinstance(value, str | bool | int | float) else ""


def _as_toml(text: str) -> Any:
    """A value as TOML has it; None where it is none, or more than one line of it."""
    if "\n" in text or "\r" in text:
        return None
    try:
        read = toml_of(f"value = {text}")
    except ValueError:
        return None
    return read["value"] if isinstance(read["value"], str | bool | int | float | list | dict) else None


def _plan(given: Any, inner: Any) -> dict[str, Any] | None:
    """A plan and the one within, as a file says them; none where none was chosen."""
    outer, within = _of_plan(given, "plan"), _of_plan(inner, "inner")
    if within is None:
        return outer
    if outer is None:
        raise OptionError("a plan to tune by is given without a plan", "both of them, or neither", about="inner")
    return {**outer, "inner": within}


def _of_plan(given: Any, name: str) -> dict[str, Any] | None:
    if not given:
        return None
    if not isinstance(given, Mapping):
        raise OptionError(f"{name} is {str(given)[:60]!r}", "the kind of a plan and its options", about=name)
    said = {
        _text(key, name): _option(value, f"{key} of {name}")
        for key, value in given.items()
        if value is False or _is_said(value)
    }
    return said if "kind" in said else None


def _option(value: Any, name: str) -> Any:
    return value if isinstance(value, bool) else typed_value(value, name)


def _dataset(given: Any) -> Any:
    row = _table(given, "a data set", OF_DATASET)
    said: dict[str, Any] = {key: _text(value, key) for key, value in row.items() if _is_said(value) and key != "ignore"}
    ignored = row.get("ignore")
    if _is_said(ignored):
        said["ignore"] = [_text(each, "ignore") for each in _rows(ignored, "ignore")]
    return said["name"] if set(said) == {"name"} else said


def _learner(given: Any) -> dict[str, Any]:
    row = _table(given, "a learner", OF_LEARNER)
    said: dict[str, Any] = {key: _text(row[key], key) for key in ("name", "preset", "path") if _is_said(row.get(key))}
    settings = {
        key: typed_values(value, key)
        for key, value in _mapping(row.get("settings"), "settings").items()
        if _is_said(value)
    }
    several = row.get("several") or EACH
    if several not in (EACH, TUNED):
        raise OptionError(f"several is {str(several)[:60]!r}", f"{EACH} or {TUNED}", about="several")
    fixed = {key: values[0] for key, values in settings.items() if len(values) == 1}
    varied = {key: values for key, values in settings.items() if len(values) != 1}
    said |= ({"params": fixed} if fixed else {}) | ({several: varied} if varied else {})
    if _is_said(row.get("folds")):
        if several != TUNED or not varied:
            found = "folds to tune by are given, and no setting has several values to be tuned"
            raise OptionError(found, "values with commas between them, or no folds", about="folds")
        said["folds"] = typed_value(row["folds"], "folds")
    return said


def _is_said(value: Any) -> bool:
    return value is not None and value is not False and value != "" and value != [] and value != {}


def _table(given: Any, what: str, known: Iterable[str]) -> Mapping[str, Any]:
    found = _mapping(given, what)
    unknown = next((key for key in found if key not in tuple(known)), None)
    if unknown is not None:
        raise UnknownOption(f"{what} has {str(unknown)[:60]!r}", f"only {', '.join(known)}")
    return found


def _mapping(given: Any, what: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or len(given) > MOST:
        raise InputError(f"{what} is {str(given)[:60]!r}", "fields and what was typed into them")
    return given


def _rows(given: Any, what: str) -> list[Any]:
    if given is None:
        return []
    if not isinstance(given, list) or len(given) > MOST:
        raise InputError(f"{what} is {str(given)[:60]!r}", f"a list of at most {MOST}")
    return given


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str | int | float) or isinstance(value, bool) or len(str(value)) > LONGEST:
        raise OptionError(f"{name} is {str(value)[:60]!r}", f"a text of at most {LONGEST} characters")
    return str(value)
