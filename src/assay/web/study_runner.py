"""The program that runs one study of a served folder: `python -m assay.web.study_runner FOLDER STUDY RUN`.

It holds the study's lock while it runs, looks whether it is asked to stop, and leaves word how it ended.
"""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.web.study_runs import Runs, StudyRun, fingerprint, held
from assay.web.workbench import Workbench

LOOKS = 0.25  # seconds between two looks whether it is asked to stop
GRACE = 10.0  # seconds after which what did not stop is ended
NICE = 5  # so that the browser and the server stay quick


def main(words: list[str] | None = None) -> None:
    """Run a study, once: where another program runs it already there is nothing to do."""
    asked = _parse_arguments(words)
    workbench = Workbench(Path(asked.folder), allow=tuple(asked.allow))
    file = workbench.file(asked.study)
    with held(file) as mine:
        if mine:
            _run_study(workbench, file, asked)


def _parse_arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("assay.web.study_runner")
    for each in ("folder", "study", "run"):
        parser.add_argument(each)
    parser.add_argument("--allow", action="append", default=[])
    parser.add_argument("--retry", action="store_true")
    return parser.parse_args(words)


def _run_study(workbench: Workbench, file: Path, asked: argparse.Namespace) -> None:
    # Whoever started the server may have told it to ignore interrupts, and this program after it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    runs = Runs(workbench.listing)
    text = file.read_text(encoding="utf-8", errors="replace")
    runs.begin(StudyRun(asked.study, asked.run, time.time(), text=fingerprint(text)))
    outcome, said = "done", ""
    try:
        with _interrupt_when_stopped(runs, asked.study):
            _run_cells(workbench, file, text, asked, runs)
    except KeyboardInterrupt:
        outcome = "cancelled"
    except AssayError as error:
        outcome, said = "refused", str(error)
    except Exception as error:
        outcome, said = "refused", f"internal error ({type(error).__name__}: {error})"[:500]
    runs.tell(asked.study, ended=time.time(), outcome=outcome, said=said)


def _run_cells(workbench: Workbench, file: Path, text: str, asked: argparse.Namespace, runs: Runs) -> None:
    from assay.experiments.study import experiment
    from assay.experiments.study_file import HOW
    from assay.web.study_runs import bounded_study

    said = bounded_study(workbench, text, file)
    how: dict[str, Any] = {"backend": "processes", **{name: said.pop(name) for name in HOW if name in said}}
    study = experiment(**said, retry=asked.retry, run=False, allow=workbench.allow)
    with closing(study.store):
        states = study.progress()
        runs.tell(asked.study, before=states["done"] + states["failed"])
        study.run(**how, progress=False)


@contextmanager
def _interrupt_when_stopped(runs: Runs, study: str) -> Iterator[None]:
    """While the block lasts, look whether the run is to stop, and interrupt it then."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(LOOKS):
            with suppress(AssayError):  # a library that is busy is looked at again
                run = runs.find(study)
                if run is not None and run.stop:
                    break
        else:
            return
        _interrupt_main_thread()
        if not over.wait(GRACE):
            runs.tell(study, ended=time.time(), outcome="cancelled")
            _end_process()

    if hasattr(os, "nice"):
        os.nice(NICE)
    watching = threading.Thread(target=look, daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()


def _interrupt_main_thread() -> None:
    """Interrupt the main thread, also while it waits."""
    if hasattr(signal, "pthread_kill"):
        main_thread = threading.main_thread().ident
        assert main_thread is not None
        signal.pthread_kill(main_thread, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


def _end_process() -> None:
    """End this program and the workers it started, whatever they do."""
    if os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()
