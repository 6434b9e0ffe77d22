"""`assay stream`: lines as events, however they come, and an output that no interruption changes."""

from __future__ import annotations

import http.client
import io
import json
import os
import random
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay import streams
from assay.cli._stream_output import MetricsServer
from assay.errors import InputError, NotWritten, OptionError
from assay.output_files import GrowingFile
from assay.report.stream_lines import moment_line, prometheus_text
from assay.request import StreamRequest
from assay.streams import line_follower
from assay.streams.session import StreamSession

Run = Callable[..., Any]
HOSTILE = '\x1b]0;owned\x07\x1b[31m\x9b2J\u202e\u2066\x7f\b"\\x'
UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_follower, "POLL", 0.001)


def events(count: int, seed: int = 0) -> list[tuple[str, str, float]]:
    """An id, a class and a score for each; the second half is predicted worse."""
    rng = random.Random(seed)
    found = []
    for k in range(count):
        truth, wrong = rng.random() < 0.4, rng.random() < (0.1 if k < count / 2 else 0.4)
        score = rng.uniform(0.5, 1) if truth != wrong else rng.uniform(0, 0.499)
        found.append((f"e{k}", "yes" if truth else "no", round(score, 4)))
    return found


def csv_of(rows: list[tuple[str, str, float]]) -> str:
    return "id,y_true,score,age\n" + "".join(f"{name},{truth},{score},7\n" for name, truth, score in rows)


def json_of(rows: list[tuple[str, str, float]]) -> str:
    return "".join(json.dumps({"id": name, "y_true": truth, "score": score}) + "\n" for name, truth, score in rows)


ROWS = events(730)
USUAL = ("--every", "100", "--window", "200", "--reference", "0.15")


def by_hand(rows: list[tuple[str, str, float]]) -> list[dict[str, Any]]:
    """The moments of these events as a watch has them."""
    seen = streams.watch(
        positive=None, classes=None, every=100, views=(streams.cumulative(), streams.sliding(200)), reference=0.15
    )
    seen.update_many([row[1] for row in rows], score=[row[2] for row in rows])
    found = seen.new_moments()
    every = (*found, *([seen.now()] if len(rows) % 100 else []))
    return [{"schema": "assay.moment/1", **moment.to_dict()} for moment in every]


def test_every_moment_is_a_line_and_columns_are_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(csv_of(ROWS))
    found = run("stream", "a.csv", *USUAL, "--format", "json")
    assert found.code == 0
    assert [json.loads(line) for line in found.out.splitlines()] == by_hand(ROWS)
    assert "Reading a.csv: truth=y_true  score=score  id=id   not used: age" in found.err
    assert "ALARM: after " in found.err
    text = run("stream", "a.csv", *USUAL)
    lines = text.out.splitlines()
    assert len(lines) == 8
    assert lines[-1].startswith("730 events; last 200 events: ROC AUC ")
    assert lines[-1].endswith("; ALARM")
    assert run("stream", "a.csv", *USUAL, "--quiet").err == ""


def as_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize("form", [csv_of, json_of, lambda rows: csv_of(rows).replace(",", "\t").replace("\n", "\r\n")])
@pytest.mark.parametrize("by", ["file", "input"])
def test_whatever_way_rows_come_the_answer_is_the_same(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: Callable[..., str], by: str
) -> None:
    text = form(ROWS)
    (tmp_path / "rows.log").write_bytes(text.encode())
    as_input(monkeypatch, text)
    found = run("stream", "rows.log" if by == "file" else "-", *USUAL, "--json")
    assert [json.loads(line) for line in found.out.splitlines()] == by_hand(ROWS)


def test_labels_that_come_later_are_found_by_their_id(run: Run, tmp_path: Path) -> None:
    rng, lines, order, late = random.Random(1), ["id,y_true,score"], list[tuple[str, str, float]](), ROWS[:400]
    waiting: list[tuple[str, str, float]] = []
    for row in late:
        if rng.random() < 0.5:
            lines.append(f"{row[0]},{row[1]},{row[2]}")
            order.append(row)
        else:
            lines.append(f"{row[0]},,{row[2]}")
            waiting.append(row)
        while len(waiting) > 20 and rng.random() < 0.8:
            one = waiting.pop(rng.randrange(len(waiting)))
            lines.append(f"{one[0]},{one[1]},{rng.choice(['', one[2]])}")
            order.append(one)
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    found = run("stream", "a.csv", *USUAL, "--json")
    assert [json.loads(line) for line in found.out.splitlines()] == by_hand(order)
    assert f"No label so far: {len(waiting)} predictions." in found.err
    assert "Positive class: yes        change: --positive no" in found.err


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("a,,0.7\na,1,0.8", "line 3 of 'a.csv': the id 'a' has a different earlier prediction"),
        ("a,,0.7\na,,0.8", "line 3 of 'a.csv': duplicate id 'a': it is waiting for its label"),
        ("a,1,", "line 2 of 'a.csv': no prediction is waiting for a label under the id 'a'"),
        (
            ",,0.7",
            "line 2 of 'a.csv': the true label is missing; needed: the true label, or an id under which it comes later",
        ),
        ("a,1,0.7\nb,2,0.7", "line 3 of 'a.csv': the true label '2' is none of the classes '0', '1'"),
        ("a,1,seven", "line 2 of 'a.csv': the score is 'seven'; needed: a finite number"),
        ("a,1,1_0", "line 2 of 'a.csv': the score is '1_0'"),
        ("a,1,inf", "line 2 of 'a.csv': the score is 'inf'"),
    ],
)
def test_events_that_cannot_be_are_refused_with_their_line(run: Run, tmp_path: Path, rows: str, said: str) -> None:
    (tmp_path / "a.csv").write_text(f"id,y_true,score\n{rows}\n")
    # What is predicted first does not show which class is positive.
    found = run("stream", "a.csv", *(["--positive", "1"] if ",," in rows else []))
    assert found.code == 3
    assert found.err.splitlines()[-1].startswith(f"error: {said}")


@pytest.mark.parametrize(
    ("labels", "ways"),
    [
        (("no", "yes"), ["type --positive yes"]),
        (("ham", "spam"), ["--positive ham", "--positive spam"]),
        (("", ""), ["type --positive CLASS"]),
    ],
)
def test_where_scores_come_first_the_labels_after_them_are_named(
    run: Run, tmp_path: Path, labels: tuple[str, str], ways: list[str]
) -> None:
    rows = ["1,,0.2", f"2,{labels[0]},0.3", f"3,{labels[1]},0.7", f"1,{labels[0]},"]
    (tmp_path / "a.csv").write_text("\n".join(["id,y_true,score", *rows, ""]))
    found = run("stream", "a.csv")
    assert "a score without a known positive class" in found.err
    assert all(way in found.err for way in ways)
    if labels[0]:
        assert run("stream", "a.csv", *ways[-1].removeprefix("type ").split()).code == 0


def test_evidence_is_no_stream(run: Run, tmp_path: Path) -> None:
    assay.reduce([0, 1] * 20, [0.2, 0.7] * 20).save(tmp_path / "site.evidence")
    found = run("stream", "site.evidence")
    assert found.code == 3
    assert "'site.evidence' is an archive (evidence, a workbook, a zip), which is not line-based" in found.err


BAD_LINES = {
    b"1,0.7,1": "has 3 values for 2 columns",
    b"1": "has 1 value for 2 columns",
    b"\xff,0.7": "(byte 0xff) is not UTF-8",
    b"1,0.\x007": "holds a NUL byte",
    b'1,"0.7': "has unpaired quotes, or text next to a closing quote",
    b"1\r2,0.7": "has a carriage return",
    b"x" * 1_000_001: "is longer than 1 MB",
    b"1," + b"7" * 5_000_000: "is longer than 1 MB",
}


@pytest.mark.parametrize("line", BAD_LINES, ids=BAD_LINES.values())
def test_lines_that_are_no_rows_are_refused_or_counted(run: Run, tmp_path: Path, line: bytes) -> None:
    good = [f"{int(row[1] == 'yes')},{row[2]}".encode() for row in ROWS]
    (tmp_path / "a.csv").write_bytes(b"\n".join([b"y_true,score", *good[:300], line, *good[300:], b""]))
    found = run("stream", "a.csv", *USUAL, "--json")
    assert found.code == 3
    assert f"line 302 of 'a.csv' {BAD_LINES[line]}" in found.err
    assert len(found.out.splitlines()) == 3
    counted = run("stream", "a.csv", *USUAL, "--json", "--skip-bad")
    assert counted.code == 0
    (tmp_path / "b.csv").write_bytes(b"\n".join([b"y_true,score", *good, b""]))
    assert counted.out == run("stream", "b.csv", *USUAL, "--json").out
    assert "Skipped 1 invalid line; the first: line 302 of 'a.csv'" in counted.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"y_true": 1, "score": ', "is not valid JSON"),
        ("[1, 2]", "is not a JSON object"),
        ('{"y_true": 1, "y_true": 0, "score": 0.5}', "has 'y_true' twice"),
        ('{"y_true": [1], "score": 0.5}', ": the true label is '[1]'"),
        ('{"y_true": 1, "score": true}', ": the score is 'True'"),
        ('{"y_true": 1, "score": {"a": 1}}', ': the score is "{'),
        ('{"y_true": 1, "score": 1e999}', ": the score is 'inf'"),
        ("[" * 100_000, "is nested too deeply"),
    ],
    ids=lambda part: part[:30],
)
def test_lines_that_are_no_objects_are_refused(run: Run, tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "a.jsonl").write_text('{"y_true": 1, "score": 0.5}\n' + line + "\n")
    found = run("stream", "a.jsonl")
    assert found.code == 3
    assert f"error: line 2 of 'a.jsonl'{'' if said[0] == ':' else ' '}{said}" in found.err


def test_quotes_and_blank_lines_are_read_as_they_are_meant(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('\ufeff# made today\ny_true,"the, score"\n"yes","0.7"\n\nno,0.2\r\n"no", 0.1 ,\n')
    found = run("stream", "a.csv", "--score", "the, score", "--json")
    assert found.code == 0, found.err
    assert json.loads(found.out)["matrix"] == [[2.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.parquet", "x", "is a Parquet file, which does not grow line by line"),
        ("a.json", "[{}]", "holds a JSON array"),
        ("a.csv", "", "has no rows"),
        ("a.csv", "y_true,score\n", "has no rows"),
        ("a.csv", "y_true,score,weight\n1,0.5,2\n", "'weight' has the name of a weight, but every event of a stream"),
        ("a.csv", "y_true,score__a,score__b\n1,0.5,0.2\n", "but a stream is of one classifier"),
        ("a.csv", "u,v\n1,2\n", "no column of true labels found"),
    ],
)
def test_what_is_no_stream_is_refused(run: Run, tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    found = run("stream", name)
    assert found.code == 3
    assert said in found.err


def test_where_names_do_not_tell_the_first_rows_do(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{row[1]},{row[2]}\n" for row in ROWS)
    (tmp_path / "a.csv").write_text("churned,u\n" + rows)
    found = run("stream", "a.csv", *USUAL, "--json")
    assert "truth=churned  score=u" in found.err
    assert [json.loads(line) for line in found.out.splitlines()] == by_hand(ROWS)


def test_probabilities_of_every_class(run: Run, tmp_path: Path) -> None:
    rng, lines = random.Random(2), ["truth,proba_a,proba_b,proba_c"]
    for _ in range(150):
        scores = [rng.random() for _ in range(3)]
        lines.append(",".join([rng.choice("abc"), *(f"{score / sum(scores):.6f}" for score in scores)]))
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    found = run("stream", "a.csv", "--every", "150", "--json")
    assert found.code == 0, found.err
    (tmp_path / "b.csv").write_text((tmp_path / "a.csv").read_text())
    whole = json.loads(run("evaluate", "b.csv", "--json", "--quiet").out)
    assert json.loads(found.out)["matrix"] == whole["confusion"]["counts"]


def test_windows_by_time_take_dates_and_refuse_what_has_none(run: Run, tmp_path: Path) -> None:
    rows = [f"2026-01-31T12:{k // 60:02}:{k % 60:02}Z,{int(row[1] == 'yes')},{row[2]}" for k, row in enumerate(ROWS)]
    (tmp_path / "a.csv").write_text("timestamp,y,p\n" + "\n".join(rows) + "\n")
    found = run("stream", "a.csv", "--seconds", "60", "--json")
    assert found.code == 0, found.err
    last = json.loads(found.out.splitlines()[-1])
    assert last["views"]["sliding 60 s"]["accuracy"]["n"] in (60, 61)
    (tmp_path / "b.csv").write_text("y,p\n1,0.5\n")
    assert "type --time COLUMN" in run("stream", "b.csv", "--seconds", "60").err
    (tmp_path / "c.csv").write_text("time,y,p\nnoon,1,0.5\n")
    assert "line 2 of 'c.csv': the time is 'noon'" in run("stream", "c.csv", "--seconds", "60").err


# Left off, and taken up again.


class Stopped:
    """A stream that is followed piece by piece, and dies where it is told to: nothing that was not kept is left."""

    def __init__(self, folder: Path, *said: str) -> None:
        self.folder, self.out = folder, folder / "out.jsonl"
        self.request = StreamRequest.of(
            {"checkpoint": folder / "s.state", "every": 7, "window": (30,), "reference": 0.2, "format": "json"}
        )

    def goes_on(self, pieces: int | None, saves: Callable[[int], bool]) -> None:
        session = StreamSession(str(self.folder / "a.csv"), self.request, lambda said: None, lambda m: put(m))
        lines = GrowingFile(self.out, session.output)

        def put(moment: streams.Moment) -> None:
            lines.write(moment_line(moment, "", "json") + "\n")

        try:
            for number, _ in enumerate(session.run(), 1):
                if saves(number):
                    session.save(lines.mark())
                if number == pieces:
                    lines.write('{"half a li')  # as a kill leaves it
                    return
            session.save(lines.mark())
        finally:
            lines.close()


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(40, 500), st.lists(st.tuples(st.integers(1, 12), st.integers(1, 5)), max_size=6))
def test_killed_at_any_piece_the_output_is_that_of_no_interruption(
    tmp_path_factory: pytest.TempPathFactory, chunk: int, kills: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("kills")
    (folder / "a.csv").write_text(csv_of(ROWS[:200]))
    stopped = Stopped(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_follower, "CHUNK", chunk)
        for pieces, step in kills:
            stopped.goes_on(pieces, lambda number, step=step: number % step == 0)  # type: ignore[misc]
        stopped.goes_on(None, lambda number: False)
    found = stopped.out.read_bytes()
    for path in folder.glob("[os]*"):
        path.unlink()
    stopped.goes_on(None, lambda number: False)
    assert found == stopped.out.read_bytes()
    assert found.count(b"\n") == 200 // 7


def test_what_grew_meanwhile_is_read_on_and_a_last_moment_is_not_there_twice(run: Run, tmp_path: Path) -> None:
    text = csv_of(ROWS)
    (tmp_path / "whole.csv").write_text(text)
    same = (*USUAL, "--json")
    whole = run("stream", "whole.csv", *same).out
    file = tmp_path / "a.csv"
    for end in (5, 300, 4321, 4330, 9_000, len(text)):
        file.write_text(text[:end])
        found = run("stream", "a.csv", *same, "--checkpoint", "s.state", "--output", "out.jsonl")
        assert found.code == (3 if end == 5 else 0), found.err
    assert (tmp_path / "out.jsonl").read_text() == whole
    again = run("stream", "a.csv", "--checkpoint", "s.state", "--output", "out.jsonl")  # the settings are kept
    assert "Going on after 730 events" in again.err
    assert (tmp_path / "out.jsonl").read_text() == whole


def test_a_line_at_fault_can_be_gone_past(run: Run, tmp_path: Path) -> None:
    lines = csv_of(ROWS).splitlines()
    lines.insert(450, "oops")
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    kept = ("--checkpoint", "s.state", "--output", "out.jsonl")
    assert run("stream", "a.csv", *USUAL, "--json", *kept).code == 3
    assert run("stream", "a.csv", *USUAL, "--json", *kept, "--skip-bad").code == 0
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()] == by_hand(ROWS)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (("--every", "50"), "--every is 50, but the checkpoint was made with 100"),
        (("--window", "9"), "--window is 9, but the checkpoint was made with 200"),
        (("--truth", "age"), "--truth is age, but the checkpoint was made with none"),
        (("--level", "0.9"), "--level is 0.9, but the checkpoint was made with 0.95"),
        (("--format", "text"), "--format is text, but the checkpoint was made with json"),
    ],
)
def test_other_settings_than_the_checkpoints_are_refused(
    run: Run, tmp_path: Path, said: tuple[str, ...], why: str
) -> None:
    (tmp_path / "a.csv").write_text(csv_of(ROWS))
    assert run("stream", "a.csv", *USUAL, "--json", "--checkpoint", "s.state").code == 0
    found = run("stream", "a.csv", "--checkpoint", "s.state", *said)
    assert found.code == 2
    assert why in found.err


def test_another_file_another_output_and_a_damaged_checkpoint_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(csv_of(ROWS))
    (tmp_path / "b.csv").write_text(csv_of(events(900, 5)))
    kept = ("--checkpoint", "s.state", "--output", "out.jsonl")
    assert run("stream", "a.csv", *USUAL, *kept).code == 0
    found = run("stream", "b.csv", *kept)
    assert (found.code, "belongs to another file than 'b.csv'" in found.err) == (3, True)
    valuable = "x" * 100_000
    (tmp_path / "other.txt").write_text(valuable)
    found = run("stream", "a.csv", "--checkpoint", "s.state", "--output", "other.txt")
    assert (found.code, "other.txt is not what it was when the checkpoint was written" in found.err) == (2, True)
    assert (tmp_path / "other.txt").read_text() == valuable
    (tmp_path / "s.state").write_bytes((tmp_path / "s.state").read_bytes()[:-7])
    found = run("stream", "a.csv", *kept)
    assert (found.code, "is damaged" in found.err) == (3, True)
    found = run("stream", "a.csv", "--checkpoint", "a.csv")
    assert (found.code, "--checkpoint is a.csv, which is read" in found.err) == (2, True)


def test_standard_input_read_again_is_passed_over(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, kept = csv_of(ROWS), ("--checkpoint", "s.state", "--output", "out.jsonl")
    as_input(monkeypatch, "".join(text.splitlines(keepends=True)[:401]))
    assert run("stream", "-", *USUAL, "--json", *kept).code == 0
    as_input(monkeypatch, text)
    found = run("stream", "-", *kept)
    assert "The first 401 lines of standard input are skipped: they are in the checkpoint." in found.err
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()] == by_hand(ROWS)


def test_a_log_rotated_away_is_followed_with_its_names(tmp_path: Path) -> None:
    lines, said = csv_of(ROWS).splitlines(keepends=True), list[str]()
    path = tmp_path / "a.csv"
    path.write_text("".join(lines[:301]))
    request = StreamRequest(follow=True, every=100, window=(200,), reference=0.15)
    moments: list[streams.Moment] = []
    session = StreamSession(str(path), request, said.append, moments.append)
    running = session.run()

    def until(count: int) -> None:
        for _ in range(5000):
            next(running)
            if session.watch is not None and session.watch.events == count:
                return
        raise AssertionError

    until(300)
    path.rename(tmp_path / "a.csv.1")
    path.write_text("".join([lines[0], *lines[301:501]]))
    until(500)
    path.write_text("age,score,y_true\n" + "".join(f"7,{row[2]},{row[1]}\n" for row in ROWS[500:]))
    # What used to be the id is gone: that is another table.
    with pytest.raises(InputError, match=r"the new 'a\.csv' has no column 'id' in line 1"):
        until(730)
    path.write_text("id,age,score,y_true\n" + "".join(f"{row[0]},7,{row[2]},{row[1]}\n" for row in ROWS[500:]))
    assert [json.loads(moment_line(moment, "", "json")) for moment in moments] == by_hand(ROWS)[:5]
    assert len(said) == 3


def test_whoever_is_told_to_say_more_can_say_it_beside_the_same_checkpoint(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(csv_of(ROWS).replace("yes", "spam").replace("no,", "ham,"))
    (tmp_path / "out.txt").write_text("what was there before")
    kept = ("--checkpoint", "s.state", "--output", "out.txt")
    first = run("stream", "a.csv", *kept)
    assert first.code in (2, 3)
    assert "--positive" in first.err
    assert (tmp_path / "out.txt").read_text() == "what was there before"
    assert run("stream", "a.csv", *kept, "--positive", "spam").code == 0
    assert (tmp_path / "out.txt").read_text().startswith("100 events")
    other = run("stream", "a.csv", "--checkpoint", "s.state")
    assert other.code == 2
    assert "belongs to --output out.txt; needed: the same output file; type --output out.txt" in other.err


def test_an_output_that_cannot_be_written_on_loses_and_doubles_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(csv_of(ROWS[:200]))
    stopped = Stopped(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_follower, "CHUNK", 150)
        stopped.goes_on(12, lambda number: number % 3 == 0)
        writing, calls = GrowingFile.write, list[int]()

        def full(self: GrowingFile, text: str) -> None:
            calls.append(1)
            if len(calls) == 4:
                raise NotWritten("cannot write out.jsonl: no space left on device", "room")
            writing(self, text)

        patch.setattr(GrowingFile, "write", full)
        with pytest.raises(NotWritten):
            stopped.goes_on(None, lambda number: True)
        patch.setattr(GrowingFile, "write", writing)
        stopped.goes_on(None, lambda number: False)
    moments = [json.loads(line)["events"] for line in stopped.out.read_text().splitlines()]
    assert moments == list(range(7, 201, 7))


def test_waiting_for_more_on_standard_input_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    as_input(monkeypatch, csv_of(ROWS))
    found = run("stream", "-", "--follow")
    assert (
        found.code,
        "--follow cannot be used with standard input, which is always read to its end" in found.err,
    ) == (2, True)


@pytest.mark.parametrize("names", [("yes", "no"), ("no", "yes")])
def test_probabilities_of_two_classes_in_any_order(run: Run, tmp_path: Path, names: tuple[str, str]) -> None:
    rows = [f"{truth},{score if names[0] == 'yes' else 1 - score},{score if names[1] == 'yes' else 1 - score}"
            for _, truth, score in ROWS]  # fmt: skip
    (tmp_path / "a.csv").write_text("\n".join([f"y_true,proba_{names[0]},proba_{names[1]}", *rows, ""]))
    found = run("stream", "a.csv", *USUAL, "--json")
    last, same = json.loads(found.out.splitlines()[-1]), by_hand(ROWS)[-1]
    assert last["matrix"] == same["matrix"]


def test_lines_without_an_end_of_what_are_no_rows_are_not_held_for_ever(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y_true,score\n" + "\n" * 100_001)
    found = run("stream", "a.csv")
    assert (found.code, "the first 100,000 lines of 'a.csv' have no rows" in found.err) == (3, True)
    (tmp_path / "a.jsonl").write_text("{oops\n")
    assert "line 1 of 'a.jsonl' is not valid JSON" in run("stream", "a.jsonl").err


# Alarms, and who is told.


def test_an_alarm_is_an_exit_code_where_that_is_wanted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(csv_of(ROWS))
    (tmp_path / "base.csv").write_text(csv_of(events(3000, 9)[:1500]))
    assert run("stream", "a.csv", "--reference", "0.15", "--fail-on-alarm").code == 1
    assert run("stream", "a.csv", "--reference", "0.5", "--fail-on-alarm").code == 0
    assert run("stream", "a.csv", "--reference", "0.15").code == 0
    found = run("stream", "a.csv", "--reference-file", "base.csv", "--fail-on-alarm")
    assert found.code == 1
    assert "above the reference" in found.err
    assert "--margin is given without --reference or --reference-file" in run("stream", "a.csv", "--margin", "0.1").err


def samples(text: str) -> dict[str, float]:
    """Prometheus' format, read strictly: every sample after its HELP and TYPE, labels quoted and escaped."""
    label = r'[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"'
    found, known = {}, set[str]()
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("# "):
            known.add(line.split(" ")[2])
            continue
        match = re.fullmatch(rf"(assay_stream_[a-z_]+)(\{{{label}(?:,{label})*\}})? (\S+)", line)
        assert match, line
        assert match[1] in known
        found[line.rpartition(" ")[0]] = float(match[3])
    return found


def test_metrics_are_those_of_the_last_moment(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(csv_of(ROWS))
    assert run("stream", "a.csv", *USUAL, "--metrics", "m.prom").code == 0
    found, last = samples((tmp_path / "m.prom").read_text()), by_hand(ROWS)[-1]
    assert found["assay_stream_events_total"] == 730
    assert found["assay_stream_alarms_ringing"] == len(last["alarms"])
    for part in ("value", "low", "high"):
        for view, each in last["views"].items():
            for name, record in each.items():
                suffix = "" if part == "value" else f"_{part}"
                value = found[f'assay_stream_measure{suffix}{{view="{view}",measure="{name}"}}']
                assert value == record[part] or (value != value and record[part] is None)


def test_hostile_names_and_values_are_text_everywhere(run: Run, tmp_path: Path) -> None:
    name = f"a{HOSTILE}.csv".replace("/", "")
    quoted = HOSTILE.replace('"', '""')
    rows = "".join(f'"{row[1]}{quoted}",{row[2]}\n' for row in ROWS)
    (tmp_path / name).write_text(f'y_true,score,"{quoted}"\n' + rows.replace("\n", ",1\n"), encoding="utf-8")
    found = run("stream", name, "--positive", f"yes{HOSTILE}", *USUAL, "--metrics", "m.prom")
    assert found.code == 0, found.err
    assert not UNSEEN.search(found.out + found.err)
    assert len(samples((tmp_path / "m.prom").read_text())) > 10
    assert not UNSEEN.search(run("stream", name, "--positive", "maybe\x1b[31m").err)
    lines = run("stream", name, "--positive", f"yes{HOSTILE}", *USUAL, "--json").out
    assert json.loads(lines.splitlines()[-1])["classes"][1].startswith("yes")
    assert not UNSEEN.search(lines)


def test_labels_of_metrics_cannot_leave_their_quotes() -> None:
    seen = streams.watch(classes=("no", "yes"), measures=["accuracy"], detectors=())
    seen.update_many(["no", "yes"], ["no", "no"])
    moment = seen.now()
    view = 'x"} 1\nevil{a="\\'
    forged = streams.Moment(
        2, {view: moment.estimates["cumulative"]}, moment.error, moment.classes, moment.matrix, (), ()
    )
    found = samples(prometheus_text(seen, forged, 0))
    assert "assay_stream_measure" + '{view="x\\"} 1\\nevil{a=\\"\\\\",measure="accuracy"}' in found


def asked(port: int, method: str = "GET", path: str = "/metrics", **headers: str) -> tuple[int, bytes]:
    there = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    there.request(method, path, headers=headers)
    answer = there.getresponse()
    found = answer.status, answer.read()
    there.close()
    return found


def test_the_port_answers_one_path_to_who_asks_for_this_machine() -> None:
    server = MetricsServer(0)
    try:
        server.text = b"assay_stream_events_total 1\n"
        assert asked(server.port) == (200, server.text)
        assert asked(server.port, Host=f"localhost:{server.port}")[0] == 200
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", ""):
            assert asked(server.port, Host=host)[0] == 403
        for path in ("/", "/metrics/", "/metrics?a", "/../metrics"):
            assert asked(server.port, path=path)[0] == 404
        for method in ("POST", "PUT", "DELETE"):
            assert asked(server.port, method)[0] == 501
        with pytest.raises(OptionError, match="cannot be used"):
            MetricsServer(server.port)
    finally:
        server.close()


def test_metrics_are_answered_while_a_stream_runs(run: Run, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    (tmp_path / "pipe").symlink_to(f"/dev/fd/{reading}")
    answers: list[tuple[int, bytes]] = []

    def feed() -> None:
        os.write(writing, csv_of(ROWS[:300]).encode())
        until = time.monotonic() + 10
        while time.monotonic() < until and not (answers and answers[-1][1]):
            time.sleep(0.05)
            for thread in [each for each in threading.enumerate() if hasattr(each, "_target")]:
                server: Any = getattr(getattr(thread, "_target", None), "__self__", None)
                if hasattr(server, "server_address"):
                    answers.append(asked(server.server_address[1]))
        os.close(writing)

    feeding = threading.Thread(target=feed)
    feeding.start()
    found = run("stream", "pipe", *USUAL, "--port", "0")
    feeding.join()
    os.close(reading)
    assert "Metrics at http://127.0.0.1:" in found.err
    assert answers[-1][0] == 200
    assert samples(answers[-1][1].decode())["assay_stream_events_total"] == 300
