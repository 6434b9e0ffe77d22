"""A whole session as a script: what was done is kept as words and numbers, and written as Python when it is asked for.

The list of what was done lies in the served folder, which may be a copy that somebody else made. So nothing of it is
Python: a step has a name that must be known, and arguments that are checked as those of a request, and are written as
literals.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from assay.errors import AssayError, InputError
from assay.request import checked_level
from assay.web.evaluations import KINDS, OPTIONS
from assay.web.messages import Answer, Asked, Route
from assay.web.pages import held_as, python_of
from assay.web.screens.studies import as_written
from assay.web.screens.thresholds import threshold_python
from assay.web.study_form import shown_code, study_code
from assay.web.study_runs import bounded_study, checked_learners, study_path
from assay.web.workbench import LIBRARY, Opened, Workbench

__all__ = ["ROUTES"]

HEAD = "# The steps of the workbench session, in order. Run it in the served folder: python session.py"
EARLIER = "# Steps of an earlier version are not included: repeat them in the workbench to add them."
# Options of things opened beside those of a file.
OF_KINDS = {"joined": ("files",), "counts": ("counts", "classes")}


def session(workbench: Workbench, asked: Asked) -> Answer:
    """The whole session as a script."""
    written = [_step_as_python(workbench, *step) for step in workbench.listing.steps()]
    text = "\n\n".join([HEAD, "import assay", *(written or ["# Nothing was evaluated yet."])]) + "\n"
    return Answer(
        text, "text/x-python; charset=utf-8", headers=(("Content-Disposition", 'attachment; filename="session.py"'),)
    )


def _step_as_python(workbench: Workbench, opened: Any, kind: Any, said: Any) -> str:
    """A step as Python, or a refusal that names it."""
    write = STEPS.get(kind) if isinstance(kind, str) else None
    if write is None:
        raise _unknown_step_error(kind, "unknown kind of step")
    try:
        return write(workbench, opened, json.loads(said, parse_constant=_refused_number))
    except AssayError as error:
        if write in (_run_step, _page_step):
            # Its data may be gone meanwhile, which is no reason to be without the rest.
            return f"# Study left out: {' '.join(str(error).split())}"
        raise _unknown_step_error(kind, str(error)) from None
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise _unknown_step_error(kind, "its contents are invalid") from None


def _unknown_step_error(kind: Any, why: str) -> InputError:
    found = f"{LIBRARY} contains a step {str(kind)[:60]!r} not written by this workbench: {why}"
    return InputError(found, "moving that file away, so that a new list is made")


def _refused_number(word: str) -> float:
    raise InputError(f"invalid number {word}", "a finite number")


def _library_item(own: Any, said: Mapping[str, Any]) -> Opened:
    """Something opened, as a step says it: every name of it is one that is known."""
    kind, name, options = said["kind"], said["name"], said["options"]
    if not (isinstance(own, str) and re.fullmatch("[0-9a-f]{12}", own) and isinstance(name, str)):
        raise InputError(f"unknown address {str(own)[:60]!r}", "an address of this workbench")
    if kind not in KINDS:
        raise InputError(f"unknown kind {str(kind)[:60]!r}", f"one of {', '.join(KINDS)}")
    for each in options:
        if each not in (*OPTIONS, *OF_KINDS.get(kind, ())):
            raise InputError(f"unknown option {each[:60]!r}", f"one of {', '.join(OPTIONS)}")
    return Opened(own, kind, name, options)


def _read_step(workbench: Workbench, own: Any, said: Mapping[str, Any]) -> str:
    opened = _library_item(own, said)
    return f"{python_of(opened, int(said['models']))}\nprint({held_as(opened)})"


def _threshold_step(workbench: Workbench, own: Any, said: Mapping[str, Any]) -> str:
    opened, models = _library_item(own, said), int(said["models"])
    chosen = threshold_python(opened, models, str(said["model"]), dict(said["asked"]))
    return f"{python_of(opened, models)}\n{chosen}"


def _study_options(workbench: Workbench, said: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A study as its file said it, held to what a study of this folder may be."""
    file = study_path(workbench, str(said["file"]))
    found = bounded_study(workbench, str(said["text"]), file)
    checked_learners(workbench, found["learners"])
    return file.name, as_written(found, file)


def _run_step(workbench: Workbench, own: Any, said: Mapping[str, Any]) -> str:
    return _without_preamble(study_code(*_study_options(workbench, said), workbench.allow).python)


def _page_step(workbench: Workbench, own: Any, said: Mapping[str, Any]) -> str:
    measure, level = str(said["measure"]), checked_level(said["level"])
    return _without_preamble(shown_code(*_study_options(workbench, said), workbench.allow, measure, level).python)


def _without_preamble(python: str) -> str:
    """Without what the script of a session says once."""
    return python.removeprefix("import assay\n").strip()


STEPS: dict[str, Callable[[Workbench, Any, Mapping[str, Any]], str]] = {
    "read": _read_step,
    "threshold": _threshold_step,
    "run": _run_step,
    "page": _page_step,
    "earlier": lambda workbench, own, said: EARLIER,
}
ROUTES = (Route("GET", "/session.py", session),)
