"""Experiment: the screens of studies, from the form that makes one to what it found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay.errors import AssayError, InputError
from assay.request import checked_level
from assay.text import visible
from assay.web import study_answers
from assay.web.pages import Code, page
from assay.web.records import Answer, Asked, Route, sent_to
from assay.web.results import framed
from assay.web.study_answers import as_written, file_of, study_text_of
from assay.web.study_bounds import SUFFIX, bounded_study
from assay.web.study_choices import measures_of, studies_in, tables_in
from assay.web.study_code import list_code, shown_code
from assay.web.study_form import plan_options, preset_settings
from assay.web.study_progress import MOVING, STATES, opened_study, progress_of
from assay.web.study_runs import fingerprint, state_of
from assay.web.workbench import Workbench

__all__ = ["ROUTES"]

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
        raise InputError(f"{file.name!r} is no study of this folder", f"a file of its own whose name ends in {SUFFIX}")
    name = workbench.name_of(file)
    return sent_to(f"/experiment/{workbench.listing.keep('study', name).id}")


def made(workbench: Workbench, asked: Asked) -> Answer:
    """The form of a new study."""
    from assay.experiments.datasets import BUNDLED

    plans = plan_options()
    offered = {"presets": preset_settings(), "plans": plans, "within": {name: plans[name] for name in WITHIN}}
    code = Code("# shown as soon as the form is filled in\n", "# assay experiment run STUDY.toml, once it is saved\n")
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
    measure, level = _measure(held.options, asked), _level(asked)
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
        return framed(study_answers.rendered(workbench, file, _measure(held.options, asked), _level(asked)))
    except AssayError as error:  # said in the frame, which may hold no screen of the workbench
        policy = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'self'")
        return Answer(f"{visible(str(error))}\n", "text/plain; charset=utf-8", 422, (policy,))


def downloaded(workbench: Workbench, asked: Asked) -> Answer:
    """The same page as a file."""
    held, file = file_of(workbench, asked)
    measure = _measure(held.options, asked)
    text = study_answers.rendered(workbench, file, measure, _level(asked))
    called = quote(f"{file.stem}.html", safe="")
    return Answer(text, headers=(("Content-Disposition", f"attachment; filename*=UTF-8''{called}"),))


def _measure(options: Any, asked: Asked) -> str:
    kept = options.get("measure")
    return asked.query.get("measure") or (kept if isinstance(kept, str) and kept else MEASURE)


def _level(asked: Asked) -> float:
    said = asked.query.get("level", "0.95")
    try:
        return checked_level(float(said))
    except ValueError:
        raise InputError(f"level is {said[:40]!r}", "a number between 0 and 1, such as 0.95") from None


ROUTES = (
    Route("GET", "/experiment", listed, AT),
    Route("GET", "/experiment/new", made),
    Route("GET", "/experiment/open", opened),
    Route("GET", "/experiment/{id}", shown),
    Route("GET", "/experiment/{id}/page", reported),
    Route("GET", "/experiment/{id}/study.html", downloaded),
    *study_answers.ROUTES,
)
