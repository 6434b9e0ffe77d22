"""Logs read by whichever tool wrote them, one file or a folder of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from assay.errors import InputError
from assay.sources.logs.answers import AnswerLog
from assay.sources.logs.inspect_logs import read_inspect_archive, read_inspect_json
from assay.sources.logs.recognition import (
    HUMAN_EVAL,
    INSPECT_ARCHIVE,
    INSPECT_JSON,
    LM_EVAL,
    MLFLOW,
    OPENAI_EVALS,
    PROMPTFOO,
    PROMPTFOO_LINES,
    LogKind,
    kind_of_file,
)
from assay.sources.logs.tools import (
    read_human_eval,
    read_lm_eval,
    read_mlflow,
    read_openai_evals,
    read_promptfoo,
)
from assay.sources.quoting import shown

MOST_FILES = 1_000

READERS = {
    LM_EVAL: read_lm_eval,
    INSPECT_ARCHIVE: read_inspect_archive,
    INSPECT_JSON: read_inspect_json,
    PROMPTFOO: lambda path: read_promptfoo(path, is_lines=False),
    PROMPTFOO_LINES: lambda path: read_promptfoo(path, is_lines=True),
    HUMAN_EVAL: read_human_eval,
    OPENAI_EVALS: read_openai_evals,
    MLFLOW: read_mlflow,
}


def is_log(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a log, or of a folder with logs in it."""
    if str(path) == "-":
        return False
    where = Path(path)
    try:
        if where.is_dir():
            return any(True for _ in _newest_log_files(where))
        # A pipe can be read only once.
        return where.is_file() and kind_of_file(where) is not None
    except (OSError, ValueError):
        return False


def read_answers(path: str | os.PathLike[str]) -> list[AnswerLog]:
    """Return the logs at a path: of a file one, of a folder each that is in it; anything else is refused."""
    where = Path(path)
    if where.is_dir():
        files = list(_newest_log_files(where))
        if not files:
            needed = "logs of lm-eval, inspect, promptfoo, human-eval, OpenAI evals or MLflow in it"
            raise InputError(f"{shown(where.name)} is a folder without logs", needed)
        return [READERS[kind](file) for file, kind in files]
    kind = kind_of_file(where)
    if kind is None:
        needed = "a log, or the names of the columns of a table: item and score"
        raise InputError(f"{shown(where.name)} is not a log that is known", needed, {"item": "id", "score": "correct"})
    if not kind.is_readable:
        raise InputError(f"{shown(where.name)} is {kind.what}", kind.instead)
    return [READERS[kind](where)]


def _newest_log_files(folder: Path) -> Iterator[tuple[Path, LogKind]]:
    """The readable logs in a folder and in the folders in it; of several runs of one task the newest."""
    found: dict[str, tuple[Path, LogKind]] = {}
    paths = [path for pattern in ("*", "*/*") for path in folder.glob(pattern)]
    for path in sorted(paths)[:MOST_FILES]:
        kind = kind_of_file(path) if path.is_file() and not path.is_symlink() else None
        if kind is not None and kind.is_readable:
            # The name of a samples file ends in the time of its run.
            stem = re.sub(r"_\d{4}-\d\d-\d\dT[\d\-.]+\.jsonl$", "", path.name) if kind is LM_EVAL else path.name
            found[f"{path.parent}/{stem}"] = (path, kind)
    yield from found.values()
