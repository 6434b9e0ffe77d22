"""Studies by the workbench's handlers, asked as plain functions: made, kept, run in the background, shown, refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.driving import ROOT, assert_same, environment, fits
from tests.report.samples import HOSTILE
from tests.web.studying import TOLD, asks, finished, get, post, saved, slow, told, until

from assay.experiments.store import Store
from assay.experiments.study import experiment, open_study
from assay.experiments.study_file import read_study
from assay.report.pages.benchmarks import render_study
from assay.web.study_runs import Runs, StudyRun, progress_of, state_of
from assay.web.workbench import Workbench


@pytest.fixture
def workbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    monkeypatch.syspath_prepend(str(ROOT))  # where the learners of the tests are imported from
    return Workbench(tmp_path, allow=("tests",))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workbench, str, Path]:
    """A study that was made by a form and run."""
    bench = Workbench(tmp_path_factory.mktemp("ran"))
    form: dict[str, Any] = {
        "datasets": [{"name": "iris"}, {"name": "wine"}],
        "learners": [{"preset": "nb"}, {"preset": "stump"}],
    }
    form |= {"plan": {"kind": "kfold", "folds": "2"}, "jobs": "1"}
    text = told(post(bench, "/api/study/written", {"form": form, "name": "flowers"}))["text"]
    study = saved(bench, "flowers", text, measure="error_rate")
    asks(bench, study, "run")
    file = bench.folder / "flowers.toml"
    assert finished(bench, file)["state"] == "done"
    return bench, study, file


def test_a_form_becomes_a_file_and_the_code_that_runs_it(workbench: Workbench) -> None:
    form = {"datasets": [{"name": "iris"}], "learners": [{"preset": "nb"}]}
    found = told(post(workbench, "/api/study/written", {"form": form, "name": "a b"}))
    assert found["problem"] == ""
    assert found["text"].startswith('datasets = ["iris"]')
    assert found["command"] == "assay experiment run 'a b.toml' --allow tests\n"
    assert "store='a b.db'" in found["python"]
    nothing = told(post(workbench, "/api/study/written", {"form": {}, "name": ""}))
    assert "names no datasets" in nothing["problem"]


def test_a_study_is_run_in_the_background_and_kept(ran: tuple[Workbench, str, Path]) -> None:
    bench, study, file = ran
    found = progress_of(bench, file)
    assert (found["cells"], found["done"], found["failed"], found["missing"]) == (12, 12, 0, 0)
    assert found["words"].startswith("Done. 12 of 12 runs, in ")
    page = get(bench, f"/experiment/{study}").text
    assert found["words"] in page
    assert "flowers.toml" in page


def test_its_page_is_the_one_that_the_command_line_writes(ran: tuple[Workbench, str, Path]) -> None:
    bench, study, file = ran
    held = open_study(file.with_suffix(".db"), "flowers")
    try:
        wanted = {measure: render_study(held, measure, level=0.9) for measure in ("accuracy", "error_rate")}
    finally:
        held.store.close()
    assert get(bench, f"/experiment/{study}/page?measure=accuracy&level=0.9").text == wanted["accuracy"]
    assert get(bench, f"/experiment/{study}/page?level=0.9").text == wanted["error_rate"]  # the one shown first
    kept = asks(bench, study, "page", measure="accuracy", level=0.9)
    assert (file.parent / kept["saved"]).read_text(encoding="utf-8") == wanted["accuracy"]
    download = get(bench, f"/experiment/{study}/study.html?measure=accuracy&level=0.9")
    assert download.text == wanted["accuracy"]
    assert dict(download.headers)["Content-Disposition"].startswith("attachment;")


@pytest.mark.engines
def test_the_code_of_a_screen_gives_the_same_numbers(ran: tuple[Workbench, str, Path], tmp_path: Path) -> None:
    bench, _, file = ran
    body = {"text": file.read_text(), "name": "flowers"}
    code = told(post(bench, "/api/study/judged", body))
    (tmp_path / "flowers.toml").write_text(file.read_text(), encoding="utf-8")
    (tmp_path / "by_hand.py").write_text(code["python"].replace("flowers.db", "by_hand.db"), encoding="utf-8")
    bin_folder = Path(sys.executable).parent
    script = code["command"].replace("assay ", f"{bin_folder}/assay ", 1)
    run: Any = {"cwd": tmp_path, "env": environment(), "check": True, "capture_output": True}
    subprocess.run(["sh", "-c", script], **run)
    # In a file of its own, as it would be: its workers must be able to import it.
    subprocess.run([sys.executable, "by_hand.py"], **run)
    ours = open_study(file.with_suffix(".db"), "flowers")
    for place in ("flowers.db", "by_hand.db"):
        theirs = open_study(tmp_path / place, "flowers")
        assert_same(ours, theirs)
        theirs.store.close()
    ours.store.close()


def test_every_command_that_a_finished_study_shows_can_be_typed(ran: tuple[Workbench, str, Path]) -> None:
    bench, study, file = ran
    page = get(bench, f"/experiment/{study}?measure=accuracy&level=0.9").text
    shown = page.split('data-of="command"')[1].split(">", 1)[1].split("</pre>")[0]
    lines = [line for line in shown.splitlines() if line]
    assert len(lines) == 2
    for line in lines:
        script = line.replace("assay ", f"{Path(sys.executable).parent}/assay ", 1)
        subprocess.run(["sh", "-c", script], cwd=file.parent, check=True, capture_output=True)
    python = page.split('data-of="python"')[1].split(">", 1)[1].split("</pre>")[0].replace("&#39;", "'")
    assert "study.report(&#39;" not in python
    compile(python, "shown", "exec")
    assert "study.table('accuracy', level=0.9)" in python


def test_two_starts_are_one_run_and_two_windows_see_the_same(workbench: Workbench) -> None:
    study, file = saved(workbench, "s", slow(workbench.folder, 0.05)), workbench.folder / "s.toml"
    with ThreadPoolExecutor(4) as pool:
        windows = list(pool.map(lambda _: asks(workbench, study, "run"), range(4)))
    assert all(not window["over"] for window in windows)
    asks(workbench, study, "run")
    other = Workbench(workbench.folder, allow=("tests",))  # a server that was started again, or another one
    assert state_of(other, file) == "running"
    assert finished(other, file)["done"] == 40
    assert len(fits(workbench.folder)) == 20  # nothing was run twice


@pytest.mark.engines
def test_a_cancelled_study_goes_on_where_it_was(workbench: Workbench) -> None:
    study, file = saved(workbench, "s", slow(workbench.folder, 0.2)), workbench.folder / "s.toml"
    asks(workbench, study, "run")
    until(lambda: progress_of(workbench, file)["done"] >= 4)
    asks(workbench, study, "cancel")
    found = finished(workbench, file)
    assert found["state"] == "cancelled"
    assert 4 <= found["done"] < 40
    assert found["failed"] == 0
    asks(workbench, study, "cancel")  # of what does not run there is nothing to stop
    before = len(fits(workbench.folder))
    asks(workbench, study, "run")
    assert finished(workbench, file)["words"].startswith("Done. 40 of 40 runs")
    assert len(fits(workbench.folder)) <= 21
    assert before < 20


def test_a_learner_that_hangs_is_cancelled_all_the_same(workbench: Workbench) -> None:
    study, file = saved(workbench, "s", slow(workbench.folder, 600)), workbench.folder / "s.toml"
    asks(workbench, study, "run")
    until(lambda: progress_of(workbench, file)["cells"] == 40)
    asks(workbench, study, "cancel")
    assert finished(workbench, file)["state"] == "cancelled"


def test_failed_cells_are_named_and_run_again_when_asked(workbench: Workbench) -> None:
    text = TOLD.replace('"stump"', '{ path = "tests.experiments.learning.Fussy", params = { needed = 1e9 } }')
    study, file = saved(workbench, "s", text), workbench.folder / "s.toml"
    asks(workbench, study, "run")
    found = finished(workbench, file)
    assert (found["state"], found["failed"]) == ("done", 4)
    wanted = {"where": "Fussy: 4 runs on iris, wine", "why": "ValueError: no case of 1000000000.0"}
    assert found["failures"] == [wanted]
    assert wanted["where"] in get(workbench, f"/experiment/{study}").text
    asks(workbench, study, "run", retry=True)
    assert finished(workbench, file)["failed"] == 4


def test_a_file_that_was_changed_can_be_run_again(workbench: Workbench) -> None:
    study, file = saved(workbench, "s"), workbench.folder / "s.toml"
    assert progress_of(workbench, file)["runs"]
    asks(workbench, study, "run")
    found = finished(workbench, file)
    assert (found["done"], found["runs"], found["changed"]) == (12, False, "")
    file.write_text(TOLD.replace('"stump"', '"stump", "lda"'))
    found = progress_of(workbench, file)
    assert found["runs"]
    assert found["changed"].startswith("The file was changed since the last run")
    asks(workbench, study, "run")
    found = finished(workbench, file)
    assert (found["done"], found["runs"], found["changed"]) == (16, False, "")


def test_data_that_cannot_be_read_are_said_in_one_sentence(workbench: Workbench) -> None:
    (workbench.folder / "bad.csv").write_text("a,b\n1,2\n")
    study = saved(workbench, "s", 'datasets = [{ path = "bad.csv", target = "b" }]\nlearners = ["nb"]\n')
    asks(workbench, study, "run")
    found = finished(workbench, workbench.folder / "s.toml")
    assert found["state"] == "refused"
    assert "column 'b' of data set 'bad' has only one class" in found["said"]


def test_what_was_saved_is_not_lost_to_another_window(workbench: Workbench) -> None:
    saved(workbench, "s")
    file = workbench.folder / "s.toml"
    again = {"name": "s", "text": TOLD + "seed = 1\n", "was": ""}
    assert "already" in told(post(workbench, "/api/study/save", again), 422)["error"]
    page = get(workbench, "/experiment/open?file=s.toml")
    study = dict(page.headers)["Location"]
    mark = get(workbench, study).text.split('data-print="')[1].split('"')[0]
    assert told(post(workbench, "/api/study/save", {**again, "was": mark}))
    stale = {**again, "text": TOLD, "was": mark}
    assert "changed by another program" in told(post(workbench, "/api/study/save", stale), 422)["error"]
    assert file.read_text() == TOLD + "seed = 1\n"


def test_one_of_many_that_save_at_once_wins(workbench: Workbench) -> None:
    def save(seed: int) -> int:
        return post(workbench, "/api/study/save", {"name": "s", "text": f"{TOLD}seed = {seed}\n", "was": ""}).status

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(save, range(6))) == [200, 422, 422, 422, 422, 422]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ('store = "../out.db"', "stores its runs in"),
        ('store = "/var/out.db"', "stores its runs in"),
        ('store = "sqlite:///x.db"', "stores its runs in"),
        ('store = "assay-workbench.sqlite"', "stores its runs in"),
        ('store = "linked.db"', "stores its runs in"),
        ('backend = "dask"', "has backend 'dask'"),
        ('backend = "here"', "has backend 'here'"),
        ('backend = "dask"\naddress = "tcp://example.org:1"', "names a cluster"),
        ('spool = "/var"', "names a folder"),
        ("lease = 5.0", "names a lease"),
        ('datasets = ["/etc/passwd"]', "invalid data set '/etc/passwd'"),
        ('datasets = ["out.csv"]', "invalid data set 'out.csv'"),
        ('datasets = [{ path = "../out.csv" }]', "is not in the served folder"),
        ('datasets = [{ path = "/etc/passwd" }]', "is not in the served folder"),
        ('datasets = [{ path = "linked.csv" }]', "is not in the served folder"),
        ('datasets = [{ path = "kept", target = "y" }]', "is not in the served folder"),
        ('datasets = [{ path = ".hidden.csv" }]', "is not in the served folder"),
        ('datasets = [{ path = "a.csv", test = "linked.csv", target = "y" }]', "is not in the served folder"),
        ('datasets = [{ path = "-" }]', "is not in the served folder"),
        ('datasets = [{ path = "http://example.org/a.csv" }]', "is not in the served folder"),
        ('datasets = [{ path = "*.csv" }]', "is not in the served folder"),
        ('learners = ["os.system"]', "assay serve --allow os"),
        ('learners = [{ path = "subprocess.Popen" }]', "assay serve --allow subprocess"),
        ('learners = [{ preset = "tree", params = { x = { name = "os.system" } } }]', "assay serve --allow os"),
        ("nonsense = 1", "has 'nonsense'"),
        ("x = [", "cannot be read as TOML"),
    ],
)
def test_a_study_stays_in_its_folder_on_this_machine(workbench: Workbench, change: str, found: str) -> None:
    outside = workbench.folder.parent / "out.csv"
    outside.write_text("x,y\n1,0\n2,1\n")
    for name in ("a.csv", ".hidden.csv"):
        (workbench.folder / name).write_text("x,y\n1,0\n2,1\n")
    (workbench.folder / "linked.csv").symlink_to(outside)
    (workbench.folder / "linked.db").symlink_to(workbench.folder.parent / "out.db")
    (workbench.folder / "kept").mkdir()
    (workbench.folder / "kept" / "iris-10-1tra.dat").symlink_to(outside)
    lines = [line for line in TOLD.splitlines() if line.split(" ")[0] != change.split(" ")[0]]
    text = "\n".join([*lines, change]) + "\n"
    judged = told(post(workbench, "/api/study/judged", {"text": text, "name": "s"}))
    assert found in judged["problem"]
    assert found in told(post(workbench, "/api/study/save", {"text": text, "name": "s"}), 422)["error"]
    assert not (workbench.folder / "s.toml").exists()
    # Written there by somebody else it is refused as well, by the server and by the program that would run it.
    (workbench.folder / "s.toml").write_text(text)
    held = workbench.listing.keep("study", "s.toml")
    assert found in told(post(workbench, f"/api/study/{held.id}/run"), 422)["error"]
    assert get(workbench, f"/experiment/{held.id}").status == 200
    assert sorted(each.name for each in workbench.folder.parent.glob("out*")) == ["out.csv"]


def test_a_file_changed_behind_the_back_of_the_server_is_refused_where_it_is_run(workbench: Workbench) -> None:
    from assay.web.study_runner import main

    (workbench.folder / "s.toml").write_text(TOLD + 'store = "../out.db"\n')
    main([str(workbench.folder), "s.toml", "run"])
    found = progress_of(workbench, workbench.folder / "s.toml")
    assert found["state"] == "refused"
    assert not (workbench.folder.parent / "out.db").exists()


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "a/b", ".hidden", "a\\b", "c:x", "x" * 200, "a\0b", "a\nb", *HOSTILE[:3]]
)
def test_a_study_has_a_name_that_is_a_name(workbench: Workbench, name: str) -> None:
    before = {each.name for each in workbench.folder.rglob("*")}
    assert "invalid study name" in told(post(workbench, "/api/study/save", {"name": name, "text": TOLD}), 422)["error"]
    assert {each.name for each in workbench.folder.rglob("*")} == before


def test_a_link_is_not_written_through(workbench: Workbench) -> None:
    outside = workbench.folder.parent / "theirs.toml"
    outside.write_text("mine")
    (workbench.folder / "s.toml").symlink_to(outside)
    for was in ("", "x"):
        post(workbench, "/api/study/save", {"name": "s", "text": TOLD, "was": was})
    assert outside.read_text() == "mine"


@pytest.mark.parametrize(
    "body", [None, [], "x", {"text": 3}, {"text": {"a": 1}, "name": "s"}, {"text": "x" * 2_000_000}]
)
@pytest.mark.parametrize("path", ["written", "judged", "save", "columns", "settings"])
def test_odd_requests_are_answered_with_a_sentence(workbench: Workbench, path: str, body: Any) -> None:
    answered = post(workbench, f"/api/study/{path}", body)
    assert answered.status in (200, 422)
    found = json.loads(answered.text)
    assert found.get("error") or found.get("problem")


def test_an_address_of_something_else_is_none_of_a_study(workbench: Workbench) -> None:
    other = workbench.listing.keep("file", "a.csv")
    for path in (f"/experiment/{other.id}", "/experiment/000000000000", f"/experiment/{other.id}/page"):
        assert get(workbench, path).status == 404
    assert post(workbench, f"/api/study/{other.id}/run").status == 404
    (workbench.folder / "a.csv").write_text("x")
    (workbench.folder / "sub").mkdir()
    (workbench.folder / "sub" / "s.toml").write_text(TOLD)
    for name in ("../x.toml", "a.csv", "sub/s.toml", ""):
        assert get(workbench, f"/experiment/open?file={name}").status == 422


def test_a_study_that_the_command_line_ran_is_known(workbench: Workbench) -> None:
    (workbench.folder / "s.toml").write_text(TOLD + 'name = "other"\nstore = "kept.db"\n')
    said = {**read_study(workbench.folder / "s.toml"), "jobs": None}
    experiment(**said, run=False).store.close()
    study = dict(get(workbench, "/experiment/open?file=s.toml").headers)["Location"].rpartition("/")[2]
    found = progress_of(workbench, workbench.folder / "s.toml")
    assert (found["state"], found["runs"], found["missing"]) == ("begun", True, 12)
    assert "open_study(&#39;kept.db&#39;, &#39;other&#39;)" in get(workbench, "/experiment").text
    frame = get(workbench, f"/experiment/{study}/page")
    assert (frame.status, frame.kind) == (422, "text/plain; charset=utf-8")
    asks(workbench, study, "run")
    assert finished(workbench, workbench.folder / "s.toml")["state"] == "done"
    assert get(workbench, f"/experiment/{study}/page?measure=nonsense").status == 422
    assert get(workbench, f"/experiment/{study}/page?level=7").status == 422


def test_hostile_names_of_files_columns_and_learners_stay_text(workbench: Workbench) -> None:
    evil = "<img src=x onerror=alert(1)>"
    rows = "".join(f"{i * 37 % 50},{'<b>yes' if i * 17 % 50 > 25 else '{{7*7}}'}\n" for i in range(40))
    (workbench.folder / f"{evil}.csv").write_text(f'"{evil}","{evil}y"\n{rows}')
    columns = told(post(workbench, "/api/study/columns", {"path": f"{evil}.csv"}))
    assert [each["name"] for each in columns["columns"]] == [evil, f"{evil}y"]
    assert columns["columns"][1]["values"] == ["<b>yes", "{{7*7}}"]
    form = get(workbench, "/experiment/new").text
    assert evil not in form
    assert "&lt;img src=x onerror=alert(1)&gt;.csv" in form
    row = {"path": f"{evil}.csv", "target": f"{evil}y", "positive": "<b>yes"}
    asked = {"datasets": [row], "learners": [{"preset": "nb", "name": evil}], "plan": {"kind": "kfold", "folds": "2"}}
    text = told(post(workbench, "/api/study/written", {"form": asked, "name": "s"}))["text"]
    study = saved(workbench, "s", text + "")
    asks(workbench, study, "run")
    assert finished(workbench, workbench.folder / "s.toml")["done"] == 4
    for path in (f"/experiment/{study}", f"/experiment/{study}/page", "/experiment"):
        page = get(workbench, path)
        assert page.status == 200
        assert "<img" not in page.text
        assert "<b>yes" not in page.text


def test_of_a_large_table_only_the_first_rows_are_looked_at(workbench: Workbench) -> None:
    line = f"1,{'x' * 200},ham\n2,{'y' * 200},spam\n"
    (workbench.folder / "large.csv").write_text("a,b,class\n" + line * 60_000)
    found = told(post(workbench, "/api/study/columns", {"path": "large.csv"}))
    assert (found["rows"], found["target"]) == ("the first 1,000 rows", "class")
    assert found["columns"][2] == {"name": "class", "values": ["ham", "spam"]}


def test_events_go_on_when_the_store_goes_away(workbench: Workbench) -> None:
    study = saved(workbench, "s", slow(workbench.folder, 0.3))
    asks(workbench, study, "run")
    news: Any = get(workbench, f"/api/study/{study}/events").body
    until(lambda: (workbench.folder / "s.db").exists() and b'"cells": 40' in next(news))
    (workbench.folder / "s.db").write_bytes(b"")
    (workbench.folder / "s.toml").unlink()
    next(news)
    asked = workbench.listing.find(study)
    assert asked.name == "s.toml"
    assert get(workbench, f"/experiment/{study}").status == 422
    (workbench.folder / "s.toml").write_text(TOLD)
    asks(workbench, study, "cancel")
    assert finished(workbench, workbench.folder / "s.toml")["over"]


def test_the_list_shows_the_studies_of_the_folder_and_nothing_else(workbench: Workbench) -> None:
    assert "There is no study" in get(workbench, "/experiment").text
    (workbench.folder / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (workbench.folder / "mine.toml").write_text(TOLD)
    page = get(workbench, "/experiment").text
    assert "mine.toml" in page
    assert "pyproject.toml" not in page
    assert dict(get(workbench, "/experiment/open?file=mine.toml").headers)["Location"].startswith("/experiment/")


def test_files_with_odd_names_and_what_is_no_file_do_no_harm(workbench: Workbench) -> None:
    for name in (b"\xff.toml", b"x\x1b[31m\n.toml"):
        Path(os.fsdecode(os.fsencode(workbench.folder) + b"/" + name)).write_text(TOLD)
    for name in (b"\xff.csv", b"x\x1b[31m\n.csv"):
        Path(os.fsdecode(os.fsencode(workbench.folder) + b"/" + name)).write_text("a,y\n1,0\n2,1\n")
    for pipe in ("pipe.toml", "pipe.csv"):
        os.mkfifo(workbench.folder / pipe)
    (workbench.folder / "folder.toml").mkdir()
    for path in ("/", "/experiment", "/experiment/new"):
        page = get(workbench, path)
        assert page.status == 200
        assert b"31m" in page.text.encode()
        assert "pipe" not in page.text.split("<main")[1]
    assert told(post(workbench, "/api/study/columns", {"path": "x\x1b[31m\n.csv"}))["target"] == "y"


def test_events_tell_every_step_and_end(workbench: Workbench) -> None:
    study, file = saved(workbench, "s", slow(workbench.folder, 0.05)), workbench.folder / "s.toml"
    asks(workbench, study, "run")
    body = get(workbench, f"/api/study/{study}/events").body
    assert not isinstance(body, str | bytes)
    lines = [line.decode() for line in body]
    news = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    ended = [each["done"] for each in news]
    assert ended == sorted(ended)
    assert news[-1]["over"]
    assert news[-1]["done"] == 40
    assert all(not each["over"] for each in news[:-1])
    assert workbench.listing.find(study).line == progress_of(workbench, file)["line"] == "40 of 40 runs, done"


def test_a_part_to_choose_on_tuning_and_kept_models_come_from_the_form(workbench: Workbench) -> None:
    form: dict[str, Any] = {
        "datasets": [{"name": "iris"}],
        "learners": [
            {"preset": "pruned_tree"},
            {"preset": "knn", "settings": {"n_neighbors": "1, 5"}, "several": "tune"},
        ],
        "plan": {"kind": "train_validation_test", "train": "0.5", "validation": "0.25"},
        "keep_models": True,
        "jobs": "1",
    }
    text = told(post(workbench, "/api/study/written", {"form": form, "name": "s"}))["text"]
    study = saved(workbench, "s", text)
    asks(workbench, study, "run")
    assert finished(workbench, workbench.folder / "s.toml")["words"].startswith("Done. 3 of 3 runs")
    page = get(workbench, f"/experiment/{study}/page").text
    assert "training, validation and test compared" in page
    assert "ptimism" in page
    held = open_study(workbench.folder / "s.db", "s")
    assert set(held.models().columns["learner"]) == {"dummy", "pruned_tree", "knn tuned"}
    held.store.close()


def test_a_session_of_studies_is_a_script_that_runs(ran: tuple[Workbench, str, Path], tmp_path: Path) -> None:
    bench, study, file = ran
    asks(bench, study, "page", measure="accuracy")
    script = get(bench, "/session.py").text
    (tmp_path / "session.py").write_text(script)
    subprocess.run([sys.executable, "session.py"], cwd=tmp_path, env=environment(), check=True, capture_output=True)
    ours, theirs = open_study(file.with_suffix(".db"), "flowers"), open_study(tmp_path / "flowers.db", "flowers")
    assert_same(ours, theirs)
    assert (tmp_path / "flowers.html").exists()
    for each in (ours, theirs):
        each.store.close()


def test_the_code_of_the_list_runs(ran: tuple[Workbench, str, Path]) -> None:
    bench, _, file = ran
    page = get(bench, "/experiment").text
    python = page.split('data-of="python"')[1].split(">", 1)[1].split("</pre>")[0].replace("&#39;", "'")
    said = subprocess.run(
        [sys.executable, "-c", python], cwd=file.parent, env=environment(), check=True, capture_output=True, text=True
    )
    assert "2 data sets x 3 learners by 2 folds, stratified; 12 done" in said.stdout


@pytest.mark.parametrize("outcome", ["cancelled", None])
def test_a_run_that_ended_before_anything_was_stored_can_be_run_again(
    workbench: Workbench, outcome: str | None
) -> None:
    """Its store is there and holds no study yet: the screen offers Run, and running it works."""
    study = saved(workbench, "early")
    file = workbench.folder / "early.toml"
    Store(workbench.folder / "early.db").close()
    run = StudyRun("early.toml", "r", 1.0, ended=None if outcome is None else 2.0, outcome=outcome or "")
    Runs(workbench.listing).begin(run)
    page = get(workbench, f"/experiment/{study}")
    assert page.status == 200
    assert "holds no study" not in page.text
    assert "Nothing is stored yet; press Run." in page.text
    assert '<button type="button" class="btn" id="run">Run</button>' in page.text
    asks(workbench, study, "run")
    assert finished(workbench, file)["state"] == "done"


def test_a_table_without_a_target_is_refused_where_it_is_chosen(workbench: Workbench) -> None:
    (workbench.folder / "places.csv").write_text("size,site\n" + "1,a\n2,b\n" * 20)
    form: dict[str, Any] = {"datasets": [{"path": "places.csv"}], "learners": [{"preset": "nb"}]}
    problem = "'places.csv' has no recognised column of class labels; needed: a target:"
    found = told(post(workbench, "/api/study/written", {"form": form, "name": "s"}))
    assert found["problem"].startswith(problem)
    assert "'size', 'site'" in found["problem"]
    body = {"name": "s", "text": found["text"], "was": ""}
    assert told(post(workbench, "/api/study/save", body), 422)["error"].startswith(problem)
    assert not (workbench.folder / "s.toml").exists()
    wrong = 'datasets = [{ path = "places.csv", target = "cite" }]\nlearners = ["nb"]\n'
    wrong = told(post(workbench, "/api/study/judged", {"name": "s", "text": wrong}))
    assert "'places.csv' has no column 'cite'" in wrong["problem"]
    form["datasets"][0]["target"] = "site"
    assert told(post(workbench, "/api/study/written", {"form": form, "name": "s"}))["problem"] == ""
    # A table that is recognised by its name needs no choice; one that changed meanwhile is looked at anew.
    (workbench.folder / "places.csv").write_text("size,class\n" + "1,a\n2,b\n" * 20)
    del form["datasets"][0]["target"]
    assert told(post(workbench, "/api/study/written", {"form": form, "name": "s"}))["problem"] == ""
