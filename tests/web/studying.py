"""Studies of a workbench without a browser: handlers asked as plain functions, and what they answer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.web.asking import Bench

from assay.web.messages import Answer, Asked, parts_of
from assay.web.routes import answer
from assay.web.study_runs import progress_of
from assay.web.workbench import Workbench

__all__ = ["TOLD", "asks", "finished", "get", "post", "saved", "slow", "told", "until"]

WAIT = 120.0
TOLD = 'plan = { kind = "kfold", folds = 2 }\ndatasets = ["iris", "wine"]\nlearners = ["nb", "stump"]\njobs = 1\n'
# 40 cells, half of them slow, each of which leaves a line in a file.
SLOW = """plan = { kind = "repeated_kfold", folds = 5, repeats = 2 }
datasets = ["iris", "wine"]
jobs = 1

[[learners]]
name = "slow"
path = "tests.experiments.learning.Slow"
params = { seconds = SECONDS, log = "LOG" }
"""


def get(workbench: Workbench, path: str) -> Answer:
    return Bench(workbench).get(path)


def post(workbench: Workbench, path: str, body: Any = None) -> Answer:
    return answer(workbench, Asked("POST", parts_of(path), json={} if body is None else body))


def told(answered: Answer, status: int = 200) -> Any:
    """What a script is told, with the status it must have."""
    assert answered.status == status, answered.text
    return json.loads(answered.text)


def saved(workbench: Workbench, name: str, text: str = TOLD, **more: str) -> str:
    """The id of a study that was saved."""
    body = {"name": name, "text": text, "was": "", **more}
    return str(told(post(workbench, "/api/study/save", body))["id"])


def asks(workbench: Workbench, study: str, what: str, **body: Any) -> Any:
    return told(post(workbench, f"/api/study/{study}/{what}", body))


def until(happened: Callable[[], Any], seconds: float = WAIT) -> Any:
    """Wait for something, and give it."""
    end = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
    return found


def finished(workbench: Workbench, file: Path) -> dict[str, Any]:
    """How a study stands once nothing runs it."""
    until(lambda: progress_of(workbench, file)["over"])
    return progress_of(workbench, file)


def slow(folder: Path, seconds: float) -> str:
    return SLOW.replace("SECONDS", str(seconds)).replace("LOG", str(folder / "fits.txt"))
