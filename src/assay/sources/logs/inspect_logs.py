"""The reader of inspect's logs: `.eval`, a zip archive, and `.json`, one object."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.sources.logs.answers import LETTERS, AnswerLog, number_of, plain_entries, text_of
from assay.sources.logs.archives import LogArchive
from assay.sources.logs.json_stream import json_elements, json_entries
from assay.sources.quoting import shown

COMPLETED = "success"
JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json$")
# What a stop reason makes of an answer; any other leaves it as it is.
STOPPED = {"max_tokens": "cut", "model_length": "cut", "content_filter": "refused"}


def read_inspect_archive(path: Path) -> AnswerLog:
    """Return the answers in a `.eval` log: its summaries first, and of each sample why it stopped."""
    with LogArchive(path) as archive:
        if "header.json" in archive.members:
            header = dict(_member_entries(archive, "header.json"))
        elif "_journal/start.json" in archive.members:
            header = {**dict(_member_entries(archive, "_journal/start.json")), "status": "started"}
        else:
            raise InputError(f"{shown(path.name)} has no header.json", "a log of inspect: inspect log dump")
        samples = list(_sample_summaries(archive))
        stops = {}
        for sample in samples:
            member = f"samples/{sample.get('id')}_epoch_{sample.get('epoch')}.json"
            if member in archive.members and not sample.get("error"):
                stops[_sample_key(sample)] = _stop_reason(_member_entries(archive, member))
    return _build_answer_log(path.name, header, samples, stops)


def _sample_key(sample: Mapping[str, Any]) -> tuple[str, str]:
    """The sample and the epoch, whatever they are."""
    return text_of(sample.get("id")), text_of(sample.get("epoch"))


def read_inspect_json(path: Path) -> AnswerLog:
    """Return the answers in a `.json` log."""
    header: dict[str, Any] = {}
    samples: list[dict[str, Any]] = []
    stops = {}
    with path.open("rb") as stream:
        for key, value in json_entries(stream, path.name, each_of=["samples"]):
            if key == "samples" and isinstance(value, dict):
                stops[_sample_key(value)] = _stop_reason(value.items())
                samples.append(_sample_summary(value))
            elif key in ("version", "status", "eval", "results", "invalidated"):
                header[key] = value
    return _build_answer_log(path.name, header, samples, stops)


def _member_entries(archive: LogArchive, member: str) -> Iterator[tuple[str, Any]]:
    with archive.open(member) as stream:
        yield from json_entries(stream, f"{archive.name}: {member}")


def _sample_summaries(archive: LogArchive) -> Iterator[dict[str, Any]]:
    """The samples without their transcripts; of a run that did not end, those in its journal."""
    members = ["summaries.json"] if "summaries.json" in archive.members else []
    if not members:
        journal = [(int(found[1]), name) for name in archive.members if (found := JOURNAL.search(name))]
        members = [name for _, name in sorted(journal)]
    for member in members:
        with archive.open(member) as stream:
            yield from (_sample_summary(each) for each in json_elements(stream, archive.name) if isinstance(each, dict))


def _sample_summary(sample: Mapping[str, Any]) -> dict[str, Any]:
    """What is used of a sample; of an error, which may hold a whole traceback, only that there was one."""
    wanted = ("id", "epoch", "target", "metadata", "scores")
    is_there = {name: bool(sample.get(name)) for name in ("error", "limit", "invalidation")}
    return {name: sample[name] for name in wanted if name in sample} | is_there


def _stop_reason(entries: Iterable[tuple[str, Any]]) -> str:
    """Why the last answer of a sample ended; what comes after that in the sample is not read."""
    for key, value in entries:
        if key == "output" and isinstance(value, dict):
            choices = value.get("choices")
            first = choices[0] if isinstance(choices, list) and choices else {}
            return text_of(first.get("stop_reason")) if isinstance(first, dict) else ""
    return ""


def _build_answer_log(
    name: str, header: Mapping[str, Any], samples: list[dict[str, Any]], stops: Mapping[tuple[str, str], str]
) -> AnswerLog:
    given = header.get("eval")
    about: dict[str, Any] = given if isinstance(given, dict) else {}
    model, task = text_of(about.get("model")), text_of(about.get("task"))
    log = AnswerLog("inspect", name)
    letters: dict[str, None] = {}
    refused: dict[str, str] = {}
    counts = dict.fromkeys(("invalidated", "edited"), 0)
    for sample in samples:
        if sample.get("invalidation"):
            counts["invalidated"] += 1
            continue
        scores, given = {}, sample.get("scores")
        for scorer, score in given.items() if isinstance(given, dict) else ():
            value = score.get("value") if isinstance(score, dict) else score
            counts["edited"] += bool(isinstance(score, dict) and score.get("history"))
            values = {f"{scorer}.{key}": each for key, each in value.items()} if isinstance(value, dict) else {
                scorer: value}  # fmt: skip
            for key, each in values.items():
                if isinstance(each, str) and each in LETTERS:
                    letters[f"{each} = {LETTERS[each]:g}"] = None
                    scores[key] = LETTERS[each]
                    continue
                number = number_of(each)
                if number is None:
                    refused[key] = "no number, boolean or letter C, I, P, N"
                else:
                    scores[key] = number
        stop = STOPPED.get(stops.get(_sample_key(sample), ""), "scored")
        state = "error" if sample.get("error") else "cut" if sample.get("limit") else stop
        epoch = sample.get("epoch")
        log.add(sample.get("id"), {} if state == "error" else scores, repeat=epoch if isinstance(epoch, int) else 1,
                model=model, task=task, state=state, truth=sample.get("target"),
                clusters=plain_entries(sample.get("metadata")))  # fmt: skip
    status = text_of(header.get("status"))
    partial = None if status == COMPLETED else f"its status is {status or 'unknown'}"
    results = header.get("results")
    total = results.get("total_samples") if isinstance(results, dict) else None
    if partial is None and isinstance(total, int) and total > len(samples):
        partial = f"it holds {len(samples):,} of {total:,} samples"
    notes = tuple(f"{count:,} {what}" for what, count in (
        ("samples were invalidated and are left out", counts["invalidated"]),
        ("scores were edited; the last one counts", counts["edited"])) if count)  # fmt: skip
    return log.completed(refused=refused, notes=notes, letters=tuple(letters), partial=partial)
