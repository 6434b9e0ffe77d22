"""Every sample log is read with the right items, repeats and states, or refused with what to type."""

from __future__ import annotations

import json
import math
import shutil
import struct
import tracemalloc
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from tests.items.logs import (
    BATTLES,
    CODE_A,
    EVALS_A,
    INSPECT_A,
    INSPECT_JSON,
    JUDGE,
    LOGS,
    MLFLOW,
    MODEL_A,
    PROMPTFOO,
    PROMPTFOO_LINES,
    READABLE,
    SUMS_A,
    SUMS_B,
)

import assay
from assay.errors import AssayError, InputError, MissingExtra
from assay.sources.formats import compression
from assay.sources.logs import AnswerLog, is_log, read_answers
from assay.sources.logs.json_stream import json_elements, json_entries, json_lines


def read(path: Path) -> AnswerLog:
    (log,) = read_answers(path)
    return log


def repeats(log: AnswerLog) -> tuple[int, int]:
    """The fewest and the most scored answers to an item of one model."""
    scorer = next(iter(log.scores.values()))
    sizes = Counter(
        (log.task[k], log.model[k], log.item[k]) for k in range(len(log)) if not math.isnan(scorer[k])
    )  # fmt: skip
    return min(sizes.values()), max(sizes.values())


@pytest.mark.parametrize(
    ("path", "items", "between", "states"),
    [
        (SUMS_A, 24, (1, 1), {"scored": 24}),
        (INSPECT_A, 16, (3, 4), {"scored": 53, "error": 1, "refused": 1, "cut": 9}),
        (INSPECT_JSON, 6, (4, 4), {"scored": 22, "refused": 2}),
        (PROMPTFOO, 6, (3, 3), {"scored": 48, "error": 12, "refused": 12}),
        (PROMPTFOO_LINES, 6, (3, 3), {"scored": 48, "error": 12, "refused": 12}),
        (CODE_A, 10, (10, 10), {"scored": 97, "cut": 3}),
        (EVALS_A, 30, (1, 1), {"scored": 30}),
        (MLFLOW, 16, (1, 1), {"scored": 16}),
    ],
    ids=lambda part: part.name[:30] if isinstance(part, Path) else None,
)
def test_items_repeats_and_states(
    path: Path, items: int, between: tuple[int, int], states: dict[str, int]
) -> None:  # fmt: skip
    log = read(path)
    assert len(set(log.item)) == items
    assert repeats(log) == between
    assert dict(log.states()) == states


def test_filters_are_columns_and_no_rows() -> None:
    log = read(SUMS_A)
    assert list(log.scores) == ["exact_match,strict", "exact_match,flexible", "exact_match,maj@4"]
    assert list(log.refused) == ["bleu"]
    assert set(log.task) == {"toy_sums"}
    assert log.model[0] != read(SUMS_B).model[0]  # the name of both models is the same in the tool's own files
    assert log.candidates() == {"passage": 6}


def test_metrics_of_multiple_choice_are_scores() -> None:
    log = read(next(MODEL_A.glob("samples_toy_animals*")))
    assert sum(log.scores["acc"]) / len(log) == pytest.approx(0.9)


def test_the_expected_answer_of_mlflow_is_no_score() -> None:
    log = read(MLFLOW)
    assert list(log.scores) == ["close", "exact"]
    assert log.refused == {"answer/value": "the expected answer, not a score"}


def test_letters_are_mapped_and_the_map_is_noted() -> None:
    log = read(INSPECT_A)
    assert log.letters == ("C = 1", "I = 0", "P = 0.5", "N = 0")
    assert {"rubric.format", "rubric.close"} < set(log.scores)


def test_a_promptfoo_model_is_a_provider_with_a_prompt() -> None:
    log = read(PROMPTFOO)
    assert len(set(log.model)) == 4
    assert set(log.repeat) == {1, 2, 3}
    wrong = [k for k in range(len(log)) if log.state[k] == "error"]
    assert all(math.isnan(log.scores["success"][k]) for k in wrong)


@pytest.mark.parametrize("path", READABLE, ids=lambda path: path.name[:40])
def test_no_log_is_read_as_a_table_of_predictions(path: Path) -> None:
    assert is_log(path)
    with pytest.raises(InputError, match="not predicted labels"):
        assay.evaluate(path)
    with pytest.raises(InputError, match="not predicted labels"):
        assay.columns(path)


@pytest.mark.parametrize("library", [pd, pl])
def test_no_metric_of_a_data_frame_is_a_predicted_label(library: Any) -> None:
    lines = [json.loads(line) for line in next(MODEL_A.glob("samples_toy_animals*")).read_text().splitlines()]
    names = ("target", "acc", "doc_id", "doc_hash", "filter")
    columns = {name: [line[name] for line in lines] for name in names}
    wide = library.DataFrame({**columns, "resps": [str(line["resps"]) for line in lines]})
    with pytest.raises(InputError, match="not predicted labels"):
        assay.evaluate(wide, truth="target", pred="acc")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("lm_eval/model_a/results_2026-11-18T21-43-01.387244.json", "assay evaluate samples_"),
        ("human_eval/samples_a.jsonl", "evaluate_functional_correctness"),
        ("human_eval/problems.jsonl", "assay evaluate FILE_results.jsonl"),
        ("promptfoo/out.csv", "promptfoo eval -o out.json"),
    ],
)
def test_files_without_scores_of_items_are_refused_with_what_to_type(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_answers(LOGS / name)
    with pytest.raises(InputError, match=words):
        assay.evaluate(LOGS / name)


def test_a_log_is_recognised_by_what_it_holds(tmp_path: Path) -> None:
    for place, path in enumerate((SUMS_A, INSPECT_A, INSPECT_JSON, PROMPTFOO, CODE_A, EVALS_A, MLFLOW)):
        copy = tmp_path / f"log{place}.txt"
        shutil.copyfile(path, copy)
        assert read(copy).tool == read(path).tool
    assert not is_log(JUDGE)
    assert is_log(BATTLES)
    assert not is_log(tmp_path / "none")


def test_of_two_runs_of_one_task_a_folder_gives_the_newest(tmp_path: Path) -> None:
    for path in MODEL_A.iterdir():
        shutil.copyfile(path, tmp_path / path.name)
    newer = tmp_path / "samples_toy_sums_2026-11-19T00-00-00.000000.jsonl"
    shutil.copyfile(SUMS_B, newer)
    logs = read_answers(tmp_path)
    assert len(logs) == 4
    assert newer.name in {log.name for log in logs}
    assert SUMS_A.name not in {log.name for log in logs}


def test_partial_runs_are_marked(tmp_path: Path) -> None:
    assert read(SUMS_A).partial is None
    cut = tmp_path / "run.jsonl"
    cut.write_text("".join(EVALS_A.read_text().splitlines(keepends=True)[:-1]))
    assert "no final report" in str(read(cut).partial)
    started = tmp_path / "log.json"
    started.write_text(INSPECT_JSON.read_text().replace('"status": "success"', '"status": "cancelled"', 1))
    assert read(started).partial == "its status is cancelled"
    for path in (SUMS_A, next(MODEL_A.glob("results*"))):
        text = path.read_text().replace('"effective": 24', '"effective": 20')
        (tmp_path / path.name).write_text(text)
    assert read(tmp_path / SUMS_A.name).partial == "--limit: 20 of 24 items were run"


def test_invalidated_samples_are_left_out(tmp_path: Path) -> None:
    record = json.loads(INSPECT_JSON.read_text())
    record["samples"][0]["invalidation"] = {"reason": "wrong question"}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(record))
    log = read(path)
    assert len(log) == 23
    assert "1 samples were invalidated" in log.notes[0]


def test_the_table_has_a_row_for_each_answer_and_scorer() -> None:
    table = assay.read_log(INSPECT_A, cluster="metadata.passage")
    assert list(table.columns) == [
        "item", "repeat", "model", "task", "scorer", "score", "cluster", "state", "truth",
    ]  # fmt: skip
    assert len(table) == 4 * 64
    assert len(set(table.columns["cluster"])) == 5
    frame = table.to("pandas")
    again = assay.evaluate_items(frame[frame.scorer == "match"], cluster="cluster")
    assert again.estimate.value == assay.evaluate_items(INSPECT_A, scorer="match").estimate.value


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"item": 1}, "column 'item' is of type int; needed: a list or array of values, one per row"),
        ({"item": ["a"], "score": "1"}, "column 'score' is of type str; needed: a list"),
        ({"item": ["a", "b"], "score": [1]}, "column 'score' has 1 value, 'item' has 2 values; needed: as many in"),
    ],
)
def test_columns_that_are_no_columns_are_refused_by_name(columns: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        assay.read_log(columns)


def test_an_unknown_cluster_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="passage"):
        assay.read_log(SUMS_A, cluster="chapter")


# Hostile and damaged files.


def test_damaged_logs_are_refused(tmp_path: Path) -> None:
    for path in READABLE:
        whole = path.read_bytes()
        for share in (0.3, 0.6, 0.97):
            copy = tmp_path / path.name
            copy.write_bytes(whole[: int(share * len(whole))])
            try:
                read_answers(copy)
            except AssayError:
                continue
            # Cut between two lines, all that is there is sound.
            assert path.suffix == ".jsonl"
            (tmp_path / path.name).unlink()


def deflated(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


HEADER = json.dumps({"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}}).encode()
SAMPLE = {"id": 1, "epoch": 1, "target": "a", "scores": {"match": {"value": "C"}}}


def test_a_log_packed_by_deflate_is_read(tmp_path: Path) -> None:
    whole = {"header.json": HEADER, "summaries.json": json.dumps([SAMPLE]).encode()}
    log = read(deflated(tmp_path / "old.eval", whole))
    assert log.scores == {"match": [1.0]}
    journal = {"_journal/start.json": HEADER, "_journal/summaries/1.json": json.dumps([SAMPLE]).encode()}
    assert read(deflated(tmp_path / "started.eval", journal)).partial == "its status is started"


def test_an_archive_that_unpacks_to_far_more_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "memory", lambda: 1 << 20)
    long = json.dumps([{**SAMPLE, "input": "a" * 50_000_000}]).encode()
    path = deflated(tmp_path / "bomb.eval", {"header.json": HEADER, "summaries.json": long})
    with pytest.raises(InputError, match="unpacks to more than 100 times its size"):
        read_answers(path)


def test_an_archive_of_very_many_members_is_refused_unread(tmp_path: Path) -> None:
    path = deflated(tmp_path / "many.eval", {"header.json": HEADER})
    whole = path.read_bytes()
    end = whole.rindex(b"PK\x05\x06")
    record = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 10**6, 10**6, 10**8, 0)
    locator = b"PK\x06\x07" + struct.pack("<IQI", 0, end, 1)
    last = bytearray(whole[end:])
    last[8:12] = b"\xff\xff\xff\xff"
    path.write_bytes(whole[:end] + record + locator + bytes(last))
    with pytest.raises(InputError, match="more than 200,000 members"):
        read_answers(path)


def test_paths_in_an_archive_lead_nowhere(tmp_path: Path) -> None:
    sample = {**SAMPLE, "id": "../../../outside"}
    members = {"header.json": HEADER, "summaries.json": json.dumps([sample]).encode()}
    members |= {"samples/../../../outside_epoch_1.json": b"{}", "/absolute.json": b"{}"}
    folder = tmp_path / "in"
    folder.mkdir()
    before = set(tmp_path.rglob("*"))
    assert read(deflated(folder / "paths.eval", members)).item == ["../../../outside"]
    assert set(tmp_path.rglob("*")) - before == {folder / "paths.eval"}


def test_without_an_unpacker_the_message_names_the_extra_and_the_dump(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sources.logs.archives.UNPACKERS", ())
    with pytest.raises(MissingExtra, match=r"inspect log dump.*pip install"):
        read_answers(INSPECT_A)


def test_a_large_log_is_read_in_little_memory(tmp_path: Path) -> None:
    """A twentieth of the errors of a run of 10^5 samples: what they add is not kept."""
    line = json.loads(CODE_A.read_text().split("\n", 1)[0])
    path = tmp_path / "large_results.jsonl"
    with path.open("w") as file:
        for place in range(600):
            record = {**line, "task_id": f"T/{place}", "result": "failed: " + "\x1b[31m" * 15_000, "passed": False}
            file.write(json.dumps(record) + "\n")
    assert path.stat().st_size > 80e6
    tracemalloc.start()
    log = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(log) == 600
    assert peak < 5e6


@pytest.mark.parametrize(
    "text", [b"{", b'{"a": [1, 2', b'{"a" 1}', b'{"a": 1,}', b"[1 2]", b"{" * 100_000, b'{"a": "\xff"}']
)
def test_json_that_is_none_is_refused(text: bytes) -> None:
    import io

    with pytest.raises(InputError):
        list(json_entries(io.BytesIO(text), "log"))
    with pytest.raises(InputError):
        list(json_elements(io.BytesIO(text), "log"))
    with pytest.raises(InputError):
        list(json_lines(io.BytesIO(text), "log"))


def test_numbers_that_a_window_cuts_are_whole() -> None:
    import io

    class Slow(io.BytesIO):
        """A stream that gives one byte at a time."""

        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(1, size) if size and size > 0 else 1)

    text = b'{"a": 12345, "b": {"c": [10, 20]}, "d": 1e3}'
    found = list(json_entries(Slow(text), "log", each_of=["b.c"], inside=["b"]))
    assert found == [("a", 12345), ("b.c", 10), ("b.c", 20), ("d", 1000.0)]
