"""The form of a study: what it offers, and what was filled in as what a study file says. All of it is hostile text.

What a study of a served folder can be made of: tables in it, their columns, learners and measures.

The command lines and the Python that do what the screens of a study do.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, InputError, OptionError, UnknownOption
from assay.request.toml import toml_of
from assay.sources import listed
from assay.text import visible
from assay.web.pages import Code
from assay.web.screens.files import files_of, is_text
from assay.web.study_runs import SUFFIX

if TYPE_CHECKING:
    from assay.experiments import Study
    from assay.experiments.learners import Learner
    from assay.web.workbench import Workbench

__all__ = [
    "ASKED",
    "EACH",
    "LONGEST",
    "MOST",
    "NUMBERS",
    "OF_DATASET",
    "OF_LEARNER",
    "TUNED",
    "UNOFFERED",
    "checked_targets",
    "columns_of",
    "list_code",
    "measures_of",
    "plan_options",
    "preset_settings",
    "settings_of",
    "shown_code",
    "studies_in",
    "study_asked",
    "study_code",
    "tables_in",
    "typed_value",
    "typed_values",
]


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
    given = _checked_table(form, "the form", ASKED)
    said: dict[str, Any] = {name: typed_value(given[name], name) for name in NUMBERS if _is_filled_in(given.get(name))}
    plan = _nested_plan_table(given.get("plan"), given.get("inner"))
    if plan is not None:
        said["plan"] = plan
    if given.get("keep_models"):
        said["keep_models"] = True
    said["datasets"] = [_dataset_entry(each) for each in _checked_rows(given.get("datasets"), "datasets")]
    said["learners"] = [_learner_entry(each) for each in _checked_rows(given.get("learners"), "learners")]
    return said


def typed_value(text: Any, name: str) -> Any:
    """What somebody means who types a value into a field: a number, true or false, or a text without marks.

    >>> [typed_value(text, "x") for text in ("3", "0.5", "true", "entropy", "'3'", "[1, 2]", "a, b")]
    [3, 0.5, True, 'entropy', '3', [1, 2], 'a, b']
    """
    text = _checked_text_field(text, name).strip()
    read = _parse_toml_value(text)
    return text if read is None else read


def typed_values(text: Any, name: str) -> list[Any]:
    """One value or several, with commas between them.

    >>> typed_values("0.1, 1, 10", "C"), typed_values("gini, entropy", "criterion"), typed_values("[10, 10], [20]", "x")
    ([0.1, 1, 10], ['gini', 'entropy'], [[10, 10], [20]])
    """
    text = _checked_text_field(text, name).strip()
    read = _parse_toml_value(f"[{text}]")
    if isinstance(read, list):
        return read
    return [typed_value(part, name) for part in text.split(",") if part.strip()]


def settings_of(learner: Learner) -> dict[str, str]:
    """The settings of a learner's class, each with its default as it prints; those of its steps are not among them."""
    estimator = learner.build(seed=0)
    own = estimator.steps[-1][1] if learner.recipe["path"] == "sklearn.pipeline.Pipeline" else estimator
    found = own.get_params(deep=False)
    return {name: _default_text(value) for name, value in sorted(found.items()) if name not in UNOFFERED}


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

    return {
        name: {"title": _first_line(made), "options": _parameter_defaults(name, made)}
        for name, made in FACTORIES.items()
    }


def _parameter_defaults(kind: str, made: Any) -> dict[str, Any]:
    taken = {name: each.default for name, each in inspect.signature(made).parameters.items()}
    return {"column": taken.pop("by"), **taken} if kind == "given" else taken


def _first_line(made: Any) -> str:
    return str(inspect.getdoc(made)).split("\n")[0]


def _default_text(value: Any) -> str:
    """What a setting is unless said otherwise; nothing where that is no word or number."""
    return str(value)[:40] if isinstance(value, str | bool | int | float) else ""


def _parse_toml_value(text: str) -> Any:
    """A value as TOML has it; None where it is none, or more than one line of it."""
    if "\n" in text or "\r" in text:
        return None
    try:
        read = toml_of(f"value = {text}")
    except ValueError:
        return None
    return read["value"] if isinstance(read["value"], str | bool | int | float | list | dict) else None


def _nested_plan_table(given: Any, inner: Any) -> dict[str, Any] | None:
    """A plan and the one within, as a file says them; none where none was chosen."""
    outer, within = _plan_table(given, "plan"), _plan_table(inner, "inner")
    if within is None:
        return outer
    if outer is None:
        raise OptionError("a tuning plan without an outer plan", "both plans, or neither", about="inner")
    return {**outer, "inner": within}


def _plan_table(given: Any, name: str) -> dict[str, Any] | None:
    if not given:
        return None
    if not isinstance(given, Mapping):
        raise OptionError(f"invalid {name} {str(given)[:60]!r}", "the kind of a plan and its options", about=name)
    said = {
        _checked_text_field(key, name): _option_value(value, f"{key} of {name}")
        for key, value in given.items()
        if value is False or _is_filled_in(value)
    }
    return said if "kind" in said else None


def _option_value(value: Any, name: str) -> Any:
    return value if isinstance(value, bool) else typed_value(value, name)


def _dataset_entry(given: Any) -> Any:
    row = _checked_table(given, "a data set", OF_DATASET)
    said: dict[str, Any] = {
        key: _checked_text_field(value, key) for key, value in row.items() if _is_filled_in(value) and key != "ignore"
    }
    ignored = row.get("ignore")
    if _is_filled_in(ignored):
        said["ignore"] = [_checked_text_field(each, "ignore") for each in _checked_rows(ignored, "ignore")]
    return said["name"] if set(said) == {"name"} else said


def _learner_entry(given: Any) -> dict[str, Any]:
    row = _checked_table(given, "a learner", OF_LEARNER)
    said: dict[str, Any] = {
        key: _checked_text_field(row[key], key) for key in ("name", "preset", "path") if _is_filled_in(row.get(key))
    }
    settings = {
        key: typed_values(value, key)
        for key, value in _checked_mapping(row.get("settings"), "settings").items()
        if _is_filled_in(value)
    }
    several = row.get("several") or EACH
    if several not in (EACH, TUNED):
        raise OptionError(f"invalid several {str(several)[:60]!r}", f"{EACH} or {TUNED}", about="several")
    fixed = {key: values[0] for key, values in settings.items() if len(values) == 1}
    varied = {key: values for key, values in settings.items() if len(values) != 1}
    said |= ({"params": fixed} if fixed else {}) | ({several: varied} if varied else {})
    if _is_filled_in(row.get("folds")):
        if several != TUNED or not varied:
            found = "tuning folds are set, but no setting has several values"
            raise OptionError(found, "comma-separated values, or no folds", about="folds")
        said["folds"] = typed_value(row["folds"], "folds")
    return said


def _is_filled_in(value: Any) -> bool:
    return value is not None and value is not False and value != "" and value != [] and value != {}


def _checked_table(given: Any, what: str, known: Iterable[str]) -> Mapping[str, Any]:
    found = _checked_mapping(given, what)
    unknown = next((key for key in found if key not in tuple(known)), None)
    if unknown is not None:
        raise UnknownOption(f"{what} has {str(unknown)[:60]!r}", f"only {', '.join(known)}")
    return found


def _checked_mapping(given: Any, what: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or len(given) > MOST:
        raise InputError(f"invalid {what} {str(given)[:60]!r}", "fields with their values")
    return given


def _checked_rows(given: Any, what: str) -> list[Any]:
    if given is None:
        return []
    if not isinstance(given, list) or len(given) > MOST:
        raise InputError(f"invalid {what} {str(given)[:60]!r}", f"a list of at most {MOST}")
    return given


def _checked_text_field(value: Any, name: str) -> str:
    if not isinstance(value, str | int | float) or isinstance(value, bool) or len(str(value)) > LONGEST:
        raise OptionError(f"invalid {name} {str(value)[:60]!r}", f"a text of at most {LONGEST} characters")
    return str(value)


TABLES = (".csv", ".tsv", ".arff", ".parquet", ".feather", ".arrow", ".jsonl", ".json", ".xlsx", ".dat")
PACKED, KEEL = ".gz", ".dat"
MOST_STUDIES = 300
LARGE, LOOKED_AT = 20_000_000, 1_000  # bytes of a table of which only so many rows are looked at
MOST_VALUES = 20  # different values of a column that are offered as classes


def tables_in(workbench: Workbench) -> list[str]:
    """The files of the folder that may hold cases to learn from, by name; links that lead out of it are none."""
    names = (str(each["name"]) for each in files_of(workbench))
    return sorted(name for name in names if name.lower().removesuffix(PACKED).endswith(TABLES))


def studies_in(workbench: Workbench) -> dict[str, dict[str, Any]]:
    """The study files of the folder itself, by name, with what each says: TOML that names data sets and learners."""
    from assay.experiments.study_file import read_study

    found = {}
    for path in sorted(workbench.folder.glob(f"*{SUFFIX}"))[:MOST_STUDIES]:
        if path.name.startswith(".") or not is_text(path.name) or not _is_in_folder(workbench, path):
            continue
        with suppress(AssayError):  # TOML of another kind
            found[workbench.name_of(path)] = read_study(path)
    return found


def columns_of(workbench: Workbench, name: str) -> dict[str, Any]:
    """The columns of a table, the one that would be the class, and the values of those that may be."""
    from assay.sources.features import columns_of_file

    file = workbench.file(name)
    if file.stat().st_size > (LARGE // 20 if file.suffix == PACKED else LARGE):
        return _describe_first_rows(file)
    columns, last = columns_of_file(file)
    described = [{"name": each, **_describe_column(values.tolist())} for each, values in columns.items()]
    rows = len(next(iter(columns.values()), ()))
    target = list(columns)[-1] if last and columns else _likely_target(columns)
    return {"target": target, "rows": f"{rows:,} rows", "columns": described}


def checked_targets(workbench: Workbench, datasets: Iterable[Any]) -> None:
    """Refuse a table whose column of class labels is neither given nor recognised by its name.

    The program that runs a study would refuse it too, but only after it was started. Folders and KEEL's folds name
    their class themselves.
    """
    for each in datasets:
        path = Path(each["path"]) if isinstance(each, Mapping) and isinstance(each.get("path"), str) else None
        if path is None or not path.name.lower().removesuffix(PACKED).endswith(TABLES) or path.suffix == KEEL:
            continue
        name = workbench.name_of(workbench.file(str(path)))
        stamp = path.stat()
        names, likely = _names_and_target(workbench, name, stamp.st_mtime_ns, stamp.st_size)
        target = each.get("target")
        if target is None and not likely:
            found = f"{name!r} has no recognised column of class labels"
            raise InputError(found, f"a target: {listed(names)}")
        if isinstance(target, str) and target not in names:
            raise InputError(f"{name!r} has no column {target[:60]!r}", f"a target: {listed(names)}")


@lru_cache(maxsize=64)
def _names_and_target(workbench: Workbench, name: str, changed: int, size: int) -> tuple[tuple[str, ...], str]:
    """The columns of a file as it was when it was last changed: a form asks for them at every key."""
    seen = columns_of(workbench, name)
    return tuple(str(column["name"]) for column in seen["columns"]), str(seen["target"])


def _describe_first_rows(file: Path) -> dict[str, Any]:
    """The same of a large table by its first rows alone: the study reads it whole, in a program of its own."""
    from assay.sources import held_rows

    held = held_rows(file, first=LOOKED_AT)
    described = [
        {"name": name, **_describe_column([row[place] for row in held.values])} for place, name in enumerate(held.names)
    ]
    return {"target": _likely_target(held.names), "rows": f"the first {LOOKED_AT:,} rows", "columns": described}


def _likely_target(columns: Iterable[str]) -> str:
    from assay.experiments.datasets import TARGETS

    likely = [each for each in columns if each.lower() in TARGETS]
    return likely[0] if len(likely) == 1 else ""


def measures_of(study: Study | None) -> list[tuple[str, str]]:
    """The measures that a study can be judged by, each with its title; of none, those of two classes."""
    from assay.experiments.estimates import measure_of
    from assay.measures import registry

    classes = {2} if study is None else {len(study.truth(dataset)[0]) for dataset in study.datasets}
    found = {}
    for one in registry.values():
        try:
            titles = [measure_of(one.name, each).title for each in sorted(classes)]
        except AssayError:
            continue
        found[one.name] = titles[0]
    return list(found.items())


def _describe_column(values: list[Any]) -> dict[str, Any]:
    """What a column holds: the different values, where they are few."""
    shown = {visible(_value_word(value)) for value in values if value is not None and value == value}
    return {"values": sorted(shown) if len(shown) <= MOST_VALUES else []}


def _value_word(value: Any) -> str:
    return f"{value:.0f}" if isinstance(value, float) and value == int(value) else str(value)


def _is_in_folder(workbench: Workbench, path: Path) -> bool:
    try:
        workbench.file(str(path))
    except AssayError:
        return False
    return True


WIDTH = 100


def study_code(file: str, said: Mapping[str, Any], allow: tuple[str, ...]) -> Code:
    """What runs a study, from its file and without it; both keep their cells in the same store."""
    command = ["assay", "experiment", "run", file, *_allow_options(allow)]
    return Code(_python_call(said, allow), f"{_command_line(command)}\n")


def shown_code(file: str, said: Mapping[str, Any], allow: tuple[str, ...], measure: str, level: float) -> Code:
    """What runs a study, and shows what it found by a measure."""
    asked = ["--measure", measure] + ([] if level == 0.95 else ["--level", str(level)])
    page = f"{file.removesuffix('.toml')}.html"
    run = ["assay", "experiment", "run", file, *_allow_options(allow), "--quiet", *asked]
    shown = ["assay", "experiment", "show", file, *asked, "--html", page]
    levels = "" if level == 0.95 else f", level={level}"
    shown_in_python = f"print(study.table({measure!r}{levels}))\nstudy.report({page!r}, {measure!r}{levels})\n"
    python = f"{_python_call(said, allow)}{shown_in_python}"
    return Code(python, f"{_command_line(run)}\n{_command_line(shown)}\n")


def list_code(studies: Mapping[str, Mapping[str, Any]]) -> Code:
    """What says how far studies have come, by the names of their files."""
    if not studies:
        return Code("# no study of this folder has results yet\n", "# no study of this folder was run yet\n")
    opened = "".join(f"print(open_study({said['store']!r}, {said['name']!r}))\n" for said in studies.values())
    lines = "".join(_command_line(["assay", "experiment", "show", name]) + "\n" for name in studies)
    return Code(f"from assay.experiments import open_study\n\n{opened}", lines)


def _python_call(said: Mapping[str, Any], allow: tuple[str, ...]) -> str:
    first = ("datasets", "learners")
    named = {
        **{key: value for key, value in said.items() if key not in first},
        **({"allow": [*allow]} if allow else {}),
    }
    lines = [
        *(_formatted_argument(said[key]) for key in first),
        *(f"{key}={_formatted_argument(value)}" for key, value in named.items()),
    ]
    inside = "".join(f"    {line},\n" for line in lines)
    return f"import assay\n\nstudy = assay.experiment(\n{inside})\n"


def _formatted_argument(value: Any) -> str:
    """An argument, a long one over several lines."""
    return pformat(value, width=WIDTH, sort_dicts=False, compact=True).replace("\n", "\n    ")


def _allow_options(allow: tuple[str, ...]) -> list[str]:
    return [word for package in allow for word in ("--allow", package)]


def _command_line(words: list[str]) -> str:
    return visible(shlex.join(words))
