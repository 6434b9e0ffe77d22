"""Open: what lies in the folder, what is sent, what is pasted; roles of columns seen, and said by hand."""

from __future__ import annotations

import gzip
import itertools
import re
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import polars
import pytest
from tests.web.asking import Bench
from tests.web.samples import DEMO, eights

import assay
from assay.web import Workbench


def roles(page: str) -> dict[str, str]:
    """The role each column of a page has."""
    rows = re.findall(r'name="column" value="([^"]*)".*?<option value="([^"]*)" selected', page, re.DOTALL)
    return dict(rows)


def test_files_of_the_folder_are_listed_and_read_where_they_lie(bench: Bench) -> None:
    (bench.folder / "deep").mkdir()
    (bench.folder / "deep" / "more.csv").write_text("y,p\n1,0.5\n")
    (bench.folder / ".hidden.csv").write_text("y,p\n1,0.5\n")
    (bench.folder / "notes.html").write_text("no predictions")
    page = bench.get("/").text
    assert re.findall(r'name="name" value="([^"]+)"', page) == ["eights.csv", "deep/more.csv"]
    assert bench.led(bench.post("/open", name="deep/more.csv")).startswith("/columns/")
    assert not (bench.folder / "uploads").exists()


def test_every_column_has_its_role_and_why_and_what_is_unused_is_said(bench: Bench) -> None:
    page = bench.shown(f"/columns/{bench.opened('eights.csv')}")
    assert roles(page) == {
        "id": "id", "target": "truth", "score__logistic": "score", "score__bayes": "score", "ink": "not used",
    }  # fmt: skip
    assert page.count("by its name") == 4
    assert "<b>ink</b> is not used." in page
    assert "case-0000" in page  # the first rows, as they are
    assert "logistic</b>" in page
    assert "87 cases" in page


def test_a_role_is_changed_by_hand_and_stays(bench: Bench) -> None:
    own = bench.opened("eights.csv")
    columns = ("id", "target", "score__logistic", "score__bayes", "ink")
    bench.shown(f"/columns/{own}")
    wanted = ("id", "truth", "score", "not used", "by")
    led = bench.led(bench.post(f"/columns/{own}", column=columns, role=wanted))
    page = bench.shown(led)
    assert roles(page) == dict(zip(columns, wanted, strict=True))
    assert "named by you" in page
    again = Bench(Workbench(bench.folder))  # another server, as after a kill
    assert roles(again.shown(f"/columns/{own}")) == dict(zip(columns, wanted, strict=True))
    assert again.workbench.listing.find(own).options == {
        "score": ["score__logistic"],
        "by": "ink",
        "ignore": ["score__bayes"],
    }
    # Back to what would be recognised: nothing is said any more.
    bench.post(f"/columns/{own}", column=columns, role=("id", "truth", "score", "score", "not used"))
    assert bench.workbench.listing.find(own).options == {}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"role": ("truth", "truth", "score", "score", "ink")}, "both have the role true label"),
        ({"role": ("id", "truth", "score", "score", "evil")}, "is not a role of columns"),
        ({"role": ("id",)}, "columns of the file have changed"),
        ({"column": ("a", "b", "c", "d", "e")}, "columns of the file have changed"),
    ],
)
def test_roles_that_make_no_sense_are_refused_by_name(
    bench: Bench, given: dict[str, str | tuple[str, ...]], sentence: str
) -> None:
    own = bench.opened("eights.csv")
    form: dict[str, str | tuple[str, ...]] = {
        "column": ("id", "target", "score__logistic", "score__bayes", "ink"),
        "role": ("id", "truth", "score", "score", "not used"),
    }
    said = bench.post(f"/columns/{own}", **{**form, **given})
    assert said.status == 422
    assert sentence in said.text


def test_a_class_that_is_not_there_is_said_beside_the_columns(bench: Bench) -> None:
    own = bench.opened("eights.csv")
    columns = ("id", "target", "score__logistic", "score__bayes", "ink")
    roles_said = ("id", "truth", "score", "score", "not used")
    page = bench.shown(bench.led(bench.post(f"/columns/{own}", column=columns, role=roles_said, positive="7")))
    alert = re.search(r'role="alert">([^<]*)', page)
    assert alert is not None
    assert "&#39;7&#39;" in alert[1]


def test_what_stands_in_the_way_is_said_with_buttons_that_settle_it(bench: Bench) -> None:
    rows = "".join(f"{'spam' if k % 3 else 'ham'},{k * 37 % 100 / 100}\n" for k in range(60))
    (bench.folder / "mail.csv").write_text(f"label,score\n{rows}")
    own = bench.opened("mail.csv")
    page = bench.shown(f"/columns/{own}")
    assert "which class is positive" in page
    assert "positive: spam" in page
    bench.led(bench.post(f"/columns/{own}/settle", way="0"))
    assert bench.workbench.listing.find(own).options["positive"] in ("ham", "spam")
    assert 'role="alert"' not in bench.shown(f"/columns/{own}")
    assert bench.post(f"/columns/{own}/settle", way="9").status == 422


def test_what_a_browser_sends_is_kept_once_under_a_plain_name(bench: Bench) -> None:
    first = bench.led(bench.send("../../evil\x1b name;.csv", DEMO.read_bytes()))
    assert [path.name for path in (bench.folder / "uploads").iterdir()] == ["evil_ name_.csv"]
    assert bench.led(bench.send("../../evil\x1b name;.csv", DEMO.read_bytes())) == first
    other = bench.led(bench.send("evil_ name_.csv", eights().encode()))
    assert other != first
    assert sorted(path.name for path in (bench.folder / "uploads").iterdir()) == [
        "evil_ name_-2.csv",
        "evil_ name_.csv",
    ]


def test_a_file_that_lies_in_the_folder_is_not_copied_when_it_is_dropped(bench: Bench) -> None:
    bench.led(bench.send("eights.csv", (bench.folder / "eights.csv").read_bytes()))
    assert not (bench.folder / "uploads").exists()
    assert bench.workbench.listing.all()[0].name == "eights.csv"


def test_the_example_opens(bench: Bench) -> None:
    page = bench.shown(bench.led(bench.post("/demo")))
    assert "uploads/demo.csv: column roles" in page


@pytest.mark.parametrize(
    ("pasted", "accuracy"),
    [
        ("50 3\n4 43", 0.93),
        ("50,3\r\n4,43\r\n", 0.93),
        ("\tham\tspam\nham\t50\t3\nspam\t4\t43", 0.93),
        ("8 1 1\n0 9 1\n2 0 8", 25 / 30),
    ],
)
def test_a_pasted_matrix_is_evaluated(bench: Bench, pasted: str, accuracy: float) -> None:
    led = bench.led(bench.post("/paste", text=pasted))
    assert "iframe" in bench.shown(led)
    assert f"{100 * accuracy:.3g}" in bench.get(f"{led}/page").text


def test_pasted_rows_become_a_file(bench: Bench) -> None:
    led = bench.led(bench.post("/paste", text="target\tscore\n" + "".join(f"{k % 2}\t{k / 40}\n" for k in range(40))))
    assert (bench.folder / "uploads" / "pasted.tsv").is_file()
    assert roles(bench.shown(led)) == {"target": "truth", "score": "score"}
    assert bench.post("/paste", text="  \n").status == 422


def test_the_list_of_what_was_opened_stays(bench: Bench) -> None:
    own = bench.opened("eights.csv")
    bench.shown(f"/result/{own}")
    again = Bench(Workbench(bench.folder))
    page = again.get("/").text
    assert f'href="/result/{own}"' in page
    assert "899 cases, 2 models" in page
    assert bench.opened("eights.csv") == own
    assert f'action="/forget/{own}"' in again.shown(f"/result/{own}")
    again.led(again.post(f"/forget/{own}"))
    assert f'href="/result/{own}"' not in bench.get("/").text
    assert (bench.folder / "eights.csv").exists()


def test_what_is_opened_last_is_on_top_though_the_clock_goes_backwards(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = time.time, itertools.count()
    monkeypatch.setattr(time, "time", lambda: real() - 3600 * next(calls))
    (bench.folder / "other.csv").write_text(eights())
    for name in ("eights.csv", "other.csv", "eights.csv"):
        own = bench.opened(name)
        assert bench.workbench.listing.all()[0].id == own


def test_a_file_that_changes_is_read_again(bench: Bench) -> None:
    own = bench.opened("eights.csv")
    assert "899 rows" in bench.shown(f"/columns/{own}")
    lines = eights().splitlines(keepends=True)
    (bench.folder / "eights.csv").write_text("".join(lines[:500]))
    assert "499 rows" in bench.shown(f"/columns/{own}")
    (bench.folder / "eights.csv").unlink()
    said = bench.get(f"/columns/{own}")
    assert said.status == 422
    assert "not in the served folder" in said.text


def test_a_folder_that_is_none_or_holds_a_foreign_list_is_refused(tmp_path: Path) -> None:
    from assay.errors import InputError

    with pytest.raises(InputError, match="is not a folder"):
        Workbench(tmp_path / "nowhere")
    (tmp_path / "assay-workbench.sqlite").write_text("this is no database, and longer than its head is, by far" * 20)
    with pytest.raises(InputError, match=r"assay-workbench\.sqlite cannot be used"):
        Workbench(tmp_path)


def test_every_format_opens(bench: Bench) -> None:
    frame = polars.read_csv(bench.folder / "eights.csv")
    frame.write_parquet(bench.folder / "a.parquet")
    frame.write_ndjson(bench.folder / "a.jsonl")
    frame.write_ipc(bench.folder / "a.feather", compat_level=polars.CompatLevel.oldest())
    frame.write_csv(bench.folder / "a.tsv", separator="\t")
    frame.write_excel(bench.folder / "a.xlsx")
    (bench.folder / "a.csv.gz").write_bytes(gzip.compress((bench.folder / "eights.csv").read_bytes()))
    names = ["a.parquet", "a.jsonl", "a.feather", "a.tsv", "a.xlsx", "a.csv.gz"]
    listed = bench.get("/").text
    for name in names:
        assert f'value="{name}"' in listed
        own = bench.opened(name)
        page = bench.shown(f"/columns/{own}")
        assert roles(page)["target"] == "truth", name
        assert "87 cases" in page, name
        assert "iframe" in bench.shown(f"/result/{own}"), name
        found = bench.list(f"/api/result/{own}/rows?model=logistic&truth=1&called=0")
        assert found["total"] == 26, name
        # Where the file cannot be asked for its other columns, that is said.
        assert ("ink" in found["columns"]) != bool(found["note"]), name


def test_evidence_leads_to_its_result_and_what_is_nothing_says_so(bench: Bench) -> None:
    assay.reduce(bench.folder / "eights.csv").save(bench.folder / "eights.evidence")
    own = bench.opened("eights.evidence")
    for _ in range(50):
        said = bench.get(f"/columns/{own}")
        if said.status != 202:
            break
    assert bench.led(said) == f"/result/{own}"
    with duckdb.connect(bench.folder / "two.duckdb") as base:
        for table in ("one", "two"):
            base.execute(f"CREATE TABLE {table} AS SELECT 1 AS target, 0.5 AS score UNION ALL SELECT 0, 0.25")
    own = bench.opened("two.duckdb")
    assert "table: two" in bench.shown(f"/columns/{own}")
    bench.led(bench.post(f"/columns/{own}/settle", way="1"))
    assert bench.workbench.listing.find(own).options == {"table": "two"}
    for name, text in {"empty.csv": "", "image.csv": "\x89PNG\r\n\x00\x00", "words.txt": "no table at all"}.items():
        (bench.folder / name).write_bytes(text.encode("latin-1"))
        page = bench.shown(f"/columns/{bench.opened(name)}")
        assert 'role="alert"' in page
        assert "bug" not in page


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.csv", b""),
        ("image.csv", b"\x89PNG\r\n\x00\x00\xff"),
        ("cut.zip", b"PK\x03\x04rest"),
        ("fake.duckdb", b"y_true,y_score\n1,0.5\n"),
        ("old.xls", b"\xd0\xcf\x11\xe0" + bytes(600)),
    ],
)
def test_what_is_refused_when_it_is_sent_does_not_stay(bench: Bench, name: str, data: bytes) -> None:
    before = sorted(path.relative_to(bench.folder) for path in bench.folder.rglob("*") if path.is_file())
    said = bench.send(name, data)
    assert said.status >= 400
    assert name in said.text
    assert sorted(path.relative_to(bench.folder) for path in bench.folder.rglob("*") if path.is_file()) == before
    assert name not in bench.shown("/")


def test_what_only_lacks_a_choice_stays(bench: Bench) -> None:
    address = bench.led(bench.send("words.csv", b"target,score\n" + b"ham,0.25\nspam,0.75\n" * 20))
    assert (bench.folder / "uploads" / "words.csv").is_file()
    assert "words.csv" in bench.shown(address)


def test_no_library_writes_to_the_terminal(tmp_path: Path) -> None:
    script = """
import logging, warnings
from assay.web import startup as running
running._keep_libraries_quiet()
logging.getLogger("python_multipart.multipart").warning("Skipping data after last boundary")
warnings.warn("overflow encountered", RuntimeWarning)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout + done.stderr == ""
