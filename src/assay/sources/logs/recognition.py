"""Which tool wrote a log, by what it holds and not by its name."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError
from assay.sources.quoting import shown

HEAD = 1 << 18  # bytes of a file that are looked at
ZIP = b"PK\x03\x04"
INSPECT_MEMBERS = (b"header.json", b"_journal/", b"samples/", b"summaries.json", b"reductions.json")
KEY = re.compile(rb'"((?:[^"\\]|\\.){1,60})"\s*:')


@dataclass(frozen=True)
class LogKind:
    """A kind of file: the tool that wrote it, what the file is, and what to use instead if it holds no scores."""

    tool: str
    what: str
    instead: str = ""

    @property
    def is_readable(self) -> bool:
        """Whether it holds scores of items."""
        return not self.instead


LM_EVAL = LogKind("lm-eval", "the samples of lm-eval")
LM_EVAL_RESULTS = LogKind(
    "lm-eval", "the results of lm-eval, which hold means and no scores of items",
    "the samples beside it (lm_eval --log_samples): assay evaluate samples_TASK_TIME.jsonl",
)  # fmt: skip
INSPECT_ARCHIVE = LogKind("inspect", "a log of inspect (.eval)")
INSPECT_JSON = LogKind("inspect", "a log of inspect (.json)")
PROMPTFOO = LogKind("promptfoo", "the results of promptfoo (JSON)")
PROMPTFOO_LINES = LogKind("promptfoo", "the results of promptfoo (JSON lines)")
PROMPTFOO_TABLE = LogKind(
    "promptfoo", "the table of promptfoo, which repeats its column names for every model",
    "its JSON: promptfoo eval -o out.json, then assay evaluate out.json",
)  # fmt: skip
HUMAN_EVAL = LogKind("human-eval", "the results of human-eval")
HUMAN_EVAL_SAMPLES = LogKind(
    "human-eval", "samples of human-eval without results",
    "evaluate_functional_correctness on it (in a sandbox), then assay evaluate FILE_results.jsonl",
)  # fmt: skip
HUMAN_EVAL_PROBLEMS = LogKind(
    "human-eval", "the problems of human-eval, without answers", "the results: assay evaluate FILE_results.jsonl"
)
OPENAI_EVALS = LogKind("OpenAI evals", "a log of OpenAI evals")
MLFLOW = LogKind("MLflow genai", "the result table of MLflow genai")
BATTLES = LogKind(
    "battles", "a table of battles (model_a, model_b, winner)", "assay.evaluate_battles(FILE), or assay evaluate FILE"
)


def kind_of_columns(names: Collection[str]) -> LogKind | None:
    """Return the kind of log whose lines have these keys or columns; None for any other table.

    >>> kind_of_columns(["doc_id", "doc_hash", "target", "filter", "metrics", "resps", "acc"]).what
    'the samples of lm-eval'
    >>> kind_of_columns(["target", "score"])
    """
    keys = set(names)
    patterns: tuple[tuple[LogKind, bool], ...] = (
        (LM_EVAL, {"doc_id", "resps", "target"} <= keys and bool(keys & {"doc_hash", "filter", "metrics", "doc"})),
        (PROMPTFOO_LINES, {"promptIdx", "testIdx", "success"} <= keys),
        (PROMPTFOO_TABLE, {"Grader Reason", "Named Scores", "Status"} <= keys),
        (HUMAN_EVAL, {"task_id", "passed"} <= keys and bool(keys & {"completion", "result"})),
        (HUMAN_EVAL_PROBLEMS, {"task_id", "entry_point", "test"} <= keys),
        (HUMAN_EVAL_SAMPLES, keys == {"task_id", "completion"}),
        (OPENAI_EVALS, keys == {"spec"} or {"run_id", "event_id", "sample_id", "type", "data"} <= keys),
        (BATTLES, {"model_a", "model_b", "winner"} <= keys),
        (MLFLOW, "trace_id" in keys and any(name.endswith("/value") for name in keys)),
    )
    return next((kind for kind, is_it in patterns if is_it), None)


def kind_of_head(head: bytes) -> LogKind | None:
    """Return the kind of log whose file begins so; None for any other file."""
    if head.startswith(ZIP):
        return INSPECT_ARCHIVE if head[30:].startswith(INSPECT_MEMBERS) else None
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith(b"{"):
        first = text.split(b"\n", 1)[0].decode("utf-8", "replace")
        return kind_of_columns([name.strip('"\r') for name in first.split(",")]) if "," in first else None
    line = text.split(b"\n", 1)[0]
    try:
        first_object = json.loads(line)
        keys = set(first_object) if isinstance(first_object, dict) else set()
    except (ValueError, RecursionError):
        keys = {found.decode("utf-8", "replace") for found in KEY.findall(head)}
    return _log_kind_from_keys(keys) or kind_of_columns(keys)


def _log_kind_from_keys(keys: set[str]) -> LogKind | None:
    """The kind of a file that is one object, by keys near its beginning."""
    if {"version", "status", "eval"} <= keys:
        return INSPECT_JSON
    if {"evalId", "results"} <= keys:
        return PROMPTFOO
    if "results" in keys and keys & {"configs", "n-samples", "higher_is_better", "sample_len"}:
        return LM_EVAL_RESULTS
    return None


def kind_of_file(path: str | os.PathLike[str]) -> LogKind | None:
    """Return the kind of log at a path; None where there is another file or none."""
    try:
        with Path(path).open("rb") as stream:
            return kind_of_head(stream.read(HEAD))
    except (OSError, ValueError):
        return None


def refuse_log(kind: LogKind | None, name: str) -> None:
    """Refuse a log where a table of predictions is read: its metrics are scores of answers, never predicted labels."""
    if kind is None:
        return
    if not kind.is_readable:
        raise InputError(f"{shown(name)} is {kind.what}", kind.instead)
    found = f"{shown(name)} is {kind.what}: its columns are scores of answers, not predicted labels"
    raise InputError(found, "assay.evaluate_items(FILE), or on the command line assay evaluate FILE")
