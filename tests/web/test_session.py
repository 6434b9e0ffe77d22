"""Code: what a drawer shows runs and gives the numbers of the screen; so does a whole session."""

from __future__ import annotations

import contextlib
import html
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.web.asking import Bench
from tests.web.samples import other

import assay
from assay.cli._main import assay as commands


def drawer(page: str) -> dict[str, str]:
    """The Python and the command line that a screen shows."""
    found = re.findall(r'<pre tabindex="0" data-of="(\w+)"[^>]*>(.*?)</pre>', page, re.DOTALL)
    return {of: html.unescape(text) for of, text in found}


def python(text: str, folder: Path) -> str:
    """What a script prints that is run in a folder."""
    said = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(said):
        exec(compile(text, "session.py", "exec"), {"__name__": "__main__"})
    return said.getvalue()


def typed(line: str, folder: Path) -> str:
    """What a command prints that is typed in a folder."""
    program, *words = shlex.split(line)
    assert program == "assay"
    said = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        commands.main(words, prog_name="assay", standalone_mode=False)
    return said.getvalue()


def test_a_whole_session_runs_and_gives_the_same_numbers(bench: Bench) -> None:
    (bench.folder / "forest.csv").write_text(other())
    own = bench.opened("eights.csv")
    bench.shown(f"/result/{own}")
    found = bench.tell(f"/api/result/{own}/threshold", model="logistic", cost_fp=1, cost_fn=10, prevalence=0.05)
    bench.post(f"/result/{own}/by", by="ink")
    bench.shown(f"/result/{own}")
    demands = bench.tell(f"/api/result/{own}/threshold", model="bayes", at_least=["recall=0.8"], confidence=0.9)
    joined = bench.led(bench.post(f"/result/{own}/join", name="forest.csv"))
    bench.shown(joined)
    third = bench.tell(f"/api{joined}/threshold", model="forest", maximise="f1")
    matrix = bench.led(bench.post("/paste", text="\tham\tspam\nham\t50\t3\nspam\t4\t43"))
    bench.shown(matrix)
    script = bench.get("/session.py").text
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=bench.folder, capture_output=True, text=True, timeout=120, check=True
    )
    printed = done.stdout
    for words in (found["words"], demands["words"], third["words"]):
        assert "\n".join(words) in printed
    assert "0.930" in printed  # 93 of 100, of the matrix
    assert str(assay.evaluate_models(bench.folder / "eights.csv", by="ink")) in printed


def test_the_code_of_every_screen_runs(bench: Bench) -> None:
    (bench.folder / "forest.csv").write_text(other())
    own = bench.opened("eights.csv")
    columns = ("id", "target", "score__logistic", "score__bayes", "ink")
    bench.shown(f"/columns/{own}")
    bench.post(f"/columns/{own}", column=columns, role=("id", "truth", "not used", "score", "by"))
    joined = bench.led(bench.post(f"/result/{own}/join", name="forest.csv"))
    for address in (f"/columns/{own}", f"/result/{own}", joined):
        code = drawer(bench.shown(address))
        assert python(code["python"], bench.folder)
        for line in code["command"].splitlines():
            assert typed(line, bench.folder)
        if address != f"/columns/{own}":
            assert (bench.folder / "report.html").read_text().startswith("<!doctype html>")
            (bench.folder / "report.html").unlink()


def test_the_page_that_the_code_writes_is_the_page_that_is_shown(bench: Bench) -> None:
    own = bench.opened("eights.csv")
    code = drawer(bench.shown(f"/result/{own}"))
    shown = bench.get(f"/result/{own}/page").text
    for run, form in ((python, "python"), (typed, "command")):
        run(code[form], bench.folder)
        written = (bench.folder / "report.html").read_text()
        # Only what is said of how to make it again may differ: the workbench knows rows by their ids.
        assert _numbers(written) == _numbers(shown)


def _numbers(page: str) -> list[str]:
    return re.findall(r"\d+\.\d+", page.split('id="reproduce"')[0])


@pytest.mark.parametrize("asked", [{"cost_fp": 1, "cost_fn": 10}, {"at_most_flagged": 20, "per": 500}])
def test_the_code_of_a_threshold_runs(bench: Bench, asked: dict[str, float]) -> None:
    own = bench.opened("eights.csv")
    found = bench.tell(f"/api/result/{own}/threshold", model="logistic", **asked)
    assert python(found["python"], bench.folder).splitlines() == found["words"]
    shown = " ".join(typed(found["command"], bench.folder).split())  # wrapped on the screen
    assert " ".join(found["words"][0].split()) in shown


def test_hostile_names_stay_text_in_the_code(bench: Bench) -> None:
    for name in ("it's; rm -rf $HOME.csv", 'a"b`c`.csv', "-o.csv", "läßt \u202e.csv", "a\\b.csv", "x\n.csv"):
        (bench.folder / name).write_text((bench.folder / "eights.csv").read_text())
        code = drawer(bench.shown(f"/result/{bench.opened(name)}"))
        words = shlex.split(code["command"])
        assert words[:2] == ["assay", "evaluate"]
        assert words[2].removeprefix("./") == name
        assert typed(code["command"], bench.folder)
    assert python(bench.get("/session.py").text, bench.folder)
