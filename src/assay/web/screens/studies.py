"""Experiment: the screens of studies, from the form that makes one to what it found.

What the scripts of a study's screens ask: a form as a file, what a file may hold, saving, running, stopping.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay.errors import AssayError, InputError, OptionError, UnknownName
from assay.experiments.study_file import study_text
from assay.output_files import write_all
from assay.request import checked_level
from assay.text import visible
from assay.web.messages import Answer, Asked, Route, events_of, json_of, sent_to
from assay.web.pages import Code, page
from assay.web.screens.results import framed
from assay.web.study_form import (
    checked_targets,
    columns_of,
    list_code,
    measures_of,
    plan_options,
    preset_settings,
    settings_of,
    shown_code,
    studies_in,
    study_asked,
    study_code,
    tables_in,
)
from assay.web.study_runs import (
    MOVING,
    STATES,
    SUFFIX,
    begin_run,
    bounded_study,
    cancel_run,
    checked_learners,
    fingerprint,
    opened_study,
    progress_events,
    progress_of,
    state_of,
    study_path,
)
from assay.web.workbench import Opened, Workbench

__all__ = ["ROUTES", "STUDY_ANSWERS_ROUTES", "as_written", "file_of", "rendered", "study_text_of"]


MOST_TEXT = 1_000_000  # characters of a study file
FILES = ("path", "test", "validation")
NOTHING_YET = "no results of this study yet; press Run first"


def written(workbench: Workbench, asked: Asked) -> Answer:
    """A form as the file it makes, with the code that runs it; what is wrong with it stands beside it."""
    text = study_text(study_asked(asked.told.get("form")))
    return json_of({"text": text, **_checked_study(workbench, text, _sent_text(asked, "name"))})


def judged(workbench: Workbench, asked: Asked) -> Answer:
    """What is wrong with the text of a study file, if anything is, and the code that runs it."""
    return json_of(_checked_study(workbench, _sent_text(asked, "text"), _sent_text(asked, "name")))


def _checked_study(workbench: Workbench, text: str, name: str) -> dict[str, Any]:
    try:
        file = study_path(workbench, name or "study")
        said = bounded_study(workbench, text, file)
        checked_targets(workbench, said["datasets"])
        learners = checked_learners(workbench, said["learners"])
    except AssayError as error:
        return {"problem": str(error), "python": "", "command": "", "learners": 0}
    code = study_code(file.name, as_written(said, file), workbench.allow)
    return {"problem": "", "python": code.python, "command": code.command, "learners": len(learners)}


def saved(workbench: Workbench, asked: Asked) -> Answer:
    """Keep a study file; one that somebody changed meanwhile, or that is there already, stays as it is."""
    text, was = _sent_text(asked, "text"), _sent_text(asked, "was")
    file = study_path(workbench, _sent_text(asked, "name"))
    _refuse_unrunnable(workbench, text, file)
    with workbench.listing.changing():  # of two that save at once, the second sees what the first wrote
        if file.exists() and fingerprint(study_text_of(file)) != was:
            found = f"{file.name!r} was changed by another program" if was else f"{file.name!r} already exists"
            raise OptionError(found, "reloading it first" if was else "another name")
        write_all({file: text})
    options = {"measure": measure} if (measure := _sent_text(asked, "measure")) else None
    held = workbench.listing.keep("study", workbench.name_of(file), options)
    return json_of({"address": f"/experiment/{held.id}", "print": fingerprint(text), "id": held.id})


def _refuse_unrunnable(workbench: Workbench, text: str, file: Path) -> None:
    """Refuse what the program that runs a study would refuse after it was started."""
    said = bounded_study(workbench, text, file)
    checked_learners(workbench, said["learners"])
    checked_targets(workbench, said["datasets"])


def run(workbench: Workbench, asked: Asked) -> Answer:
    """Run what is missing of a study, in the background."""
    held, file = file_of(workbench, asked)
    text = study_text_of(file)
    _refuse_unrunnable(workbench, text, file)
    begin_run(workbench, file, retry=asked.told.get("retry") is True)
    workbench.listing.note(held.id, "run", {"file": file.name, "text": text})
    return json_of(progress_of(workbench, file))


def cancel(workbench: Workbench, asked: Asked) -> Answer:
    """Stop a study; what is done stays done."""
    _, file = file_of(workbench, asked)
    cancel_run(workbench, file)
    return json_of(progress_of(workbench, file))


def events(workbench: Workbench, asked: Asked) -> Answer:
    """How far a study is, as it goes on."""
    held, file = file_of(workbench, asked)

    def told() -> Any:
        for news in progress_events(workbench, file):
            if news is not None and news["over"]:
                workbench.listing.say(held.id, news["line"])
            yield news

    return events_of(told())


def columns(workbench: Workbench, asked: Asked) -> Answer:
    """The columns of a table of the folder."""
    return json_of(columns_of(workbench, _sent_text(asked, "path")))


def settings(workbench: Workbench, asked: Asked) -> Answer:
    """The settings of a learner that is named by its import path."""
    (learner, *_) = reversed(checked_learners(workbench, [{"path": _sent_text(asked, "path")}]))
    return json_of({"settings": settings_of(learner)})


def kept(workbench: Workbench, asked: Asked) -> Answer:
    """Save the page of a study beside its file, as `assay experiment show --html` does."""
    held, file = file_of(workbench, asked)
    measure, level = _sent_text(asked, "measure") or "accuracy", checked_level(asked.told.get("level", 0.95))
    text = rendered(workbench, file, measure, level)
    target = file.with_suffix(".html")
    if target.is_symlink():
        raise OptionError(f"{target.name!r} is a link", "a regular file or a free name")
    write_all({target: text})
    step = {"file": file.name, "text": study_text_of(file), "measure": measure, "level": level}
    workbench.listing.note(held.id, "page", step)
    return json_of({"saved": target.name})


def rendered(workbench: Workbench, file: Path, measure: str, level: float) -> str:
    """The page of a study as far as it was run: one offline file."""
    from assay.report.pages.benchmarks import render_study

    study = opened_study(workbench, file)
    if study is None:
        raise InputError(NOTHING_YET)
    with closing(study.store):
        study.refuse_unknown_measure(measure)
        if not study.progress()["done"]:
            raise InputError("no run of this study is finished yet")
        return render_study(study, measure, level=level)


def file_of(workbench: Workbench, asked: Asked) -> tuple[Opened, Path]:
    """The study that an address means, and its file."""
    held = workbench.listing.find(asked.name("id"))
    if held.kind != "study":
        raise UnknownName("no study at this address", "a study listed under Experiment")
    return held, workbench.file(held.name)


def study_text_of(file: Path) -> str:
    """The text of a study file."""
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            text = opened.read(MOST_TEXT + 1)
    except (OSError, ValueError):
        raise InputError(f"{file.name!r} cannot be read as text", "a study file in TOML") from None
    if len(text) > MOST_TEXT:
        raise InputError(f"{file.name!r} has more than {MOST_TEXT:,} characters", "a study file in TOML")
    return text


def as_written(said: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """What a study file says with its paths as they are seen from where it lies."""
    datasets = [
        {key: _relative_path(value, file.parent) if key in FILES else value for key, value in each.items()}
        if isinstance(each, Mapping)
        else each
        for each in said["datasets"]
    ]
    return {**said, "datasets": datasets, "store": _relative_path(said["store"], file.parent)}


def _relative_path(path: str, folder: Path) -> str:
    try:
        return Path(path).relative_to(folder).as_posix()
    except ValueError:
        return path


def _sent_text(asked: Asked, name: str) -> str:
    """A text that a script sent; nothing where it sent none."""
    value = asked.told.get(name, "")
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise OptionError(f"invalid {name} {str(value)[:60]!r}", f"a text of at most {MOST_TEXT:,} characters")
    return value


STUDY_ANSWERS_ROUTES = (
    Route("POST", "/api/study/written", written),
    Route("POST", "/api/study/judged", judged),
    Route("POST", "/api/study/save", saved),
    Route("POST", "/api/study/columns", columns),
    Route("POST", "/api/study/settings", settings),
    Route("POST", "/api/study/{id}/run", run),
    Route("POST", "/api/study/{id}/cancel", cancel),
    Route("POST", "/api/study/{id}/page", kept),
    Route("GET", "/api/study/{id}/events", events),
)


AT = "Experiment"
MEASURE = "accuracy"
LEVELS = (0.8, 0.9, 0.95, 0.99)
# Plans by which settings may be chosen inside a training part.
WITHIN = ("kfold", "repeated_kfold", "holdout", "shuffle", "bootstrap", "grouped_kfold")


def listed(workbench: Workbench, asked: Asked) -> Answer:
    """The studies of the folder, and the way to a new one."""
    lines = {one.name: one.line for one in workbench.listing.all() if one.kind == "study"}
    said, studies = studies_in(workbench), []
    for name in said:
        state = state_of(workbench, workbench.file(name))
        words = STATES[state] if state in MOVING else lines.get(name) or STATES[state]
        studies.append({"name": name, "words": words})
    ran = {name: as_written(each, workbench.folder / name) for name, each in said.items() if _has_store(each)}
    code = list_code(ran)
    return page(
        workbench, "studies.html.j2", title=AT, at=AT, code=code, folded=True, styles=("studies",), studies=studies
    )


def _has_store(said: Mapping[str, Any]) -> bool:
    return "://" not in said["store"] and Path(said["store"]).is_file()


def opened(workbench: Workbench, asked: Asked) -> Answer:
    """A study file of the folder, which is on the list from now on."""
    file = workbench.file(asked.query.get("file", ""))
    if file.suffix != SUFFIX or file.parent != workbench.folder:
        raise InputError(f"{file.name!r} is not a study of this folder", f"a separate file whose name ends in {SUFFIX}")
    name = workbench.name_of(file)
    return sent_to(f"/experiment/{workbench.listing.keep('study', name).id}")


def made(workbench: Workbench, asked: Asked) -> Answer:
    """The form of a new study."""
    from assay.experiments.datasets import BUNDLED

    plans = plan_options()
    offered = {"presets": preset_settings(), "plans": plans, "within": {name: plans[name] for name in WITHIN}}
    code = Code("# shown when the form is complete\n", "# assay experiment run STUDY.toml, after saving\n")
    return page(
        workbench,
        "study_form.html.j2",
        title="New study",
        at=AT,
        code=code,
        folded=True,
        scripts=("studies",),
        styles=("studies",),
        bundled=BUNDLED,
        tables=tables_in(workbench),
        offered=json.dumps(offered),
        presets=tuple(offered["presets"]),
        plans=plans,
        within=WITHIN,
        allowed=("sklearn", "assay", *workbench.allow),
        measures=measures_of(None),
        measure=MEASURE,
    )


def shown(workbench: Workbench, asked: Asked) -> Answer:
    """A study: how far it is, what it found by a measure, and its file."""
    held, file = file_of(workbench, asked)
    text = study_text_of(file)
    measure, level = _requested_measure(held.options, asked), _requested_level(asked)
    problem, code, measures = "", None, measures_of(None)
    try:
        said = bounded_study(workbench, text, file)
        code = shown_code(file.name, as_written(said, file), workbench.allow, measure, level)
        study = opened_study(workbench, file)
        if study is not None:
            with closing(study.store):
                measures = measures_of(study)
    except AssayError as error:
        problem = str(error)
    told = progress_of(workbench, file) if not problem else None
    if told is not None:
        workbench.listing.say(held.id, told["line"])
    return page(
        workbench,
        "study.html.j2",
        title=held.name,
        at=AT,
        code=code,
        scripts=("studies",),
        styles=("studies",),
        current=held.id,
        folded=True,
        study=held,
        text=text,
        print=fingerprint(text),
        problem=problem,
        told=told,
        measure=measure,
        measures=measures,
        level=level,
        levels=LEVELS,
    )


def reported(workbench: Workbench, asked: Asked) -> Answer:
    """The page of a study as it is saved: the same offline file, shown inside the workbench."""
    held, file = file_of(workbench, asked)
    try:
        return framed(rendered(workbench, file, _requested_measure(held.options, asked), _requested_level(asked)))
    except AssayError as error:  # said in the frame, which may hold no screen of the workbench
        policy = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'self'")
        return Answer(f"{visible(str(error))}\n", "text/plain; charset=utf-8", 422, (policy,))


def downloaded(workbench: Workbench, asked: Asked) -> Answer:
    """The same page as a file."""
    held, file = file_of(workbench, asked)
    measure = _requested_measure(held.options, asked)
    text = rendered(workbench, file, measure, _requested_level(asked))
    called = quote(f"{file.stem}.html", safe="")
    return Answer(text, headers=(("Content-Disposition", f"attachment; filename*=UTF-8''{called}"),))


def _requested_measure(options: Any, asked: Asked) -> str:
    kept = options.get("measure")
    return asked.query.get("measure") or (kept if isinstance(kept, str) and kept else MEASURE)


def _requested_level(asked: Asked) -> float:
    said = asked.query.get("level", "0.95")
    try:
        return checked_level(float(said))
    except ValueError:
        raise InputError(f"invalid level {said[:40]!r}", "a number between 0 and 1, such as 0.95") from None


ROUTES = (
    Route("GET", "/experiment", listed, AT),
    Route("GET", "/experiment/new", made),
    Route("GET", "/experiment/open", opened),
    Route("GET", "/experiment/{id}", shown),
    Route("GET", "/experiment/{id}/page", reported),
    Route("GET", "/experiment/{id}/study.html", downloaded),
    *STUDY_ANSWERS_ROUTES,
)
