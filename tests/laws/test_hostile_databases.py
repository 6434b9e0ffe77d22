"""A database that somebody else made: only its own tables are read, whatever it holds and wherever it is opened."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from tests.web.asking import Bench

import assay
from assay.cli import main
from assay.errors import AssayError, InputError
from assay.sources.engine import queries
from assay.web import Workbench

SECRET = "Kzqv-private-7714"
SECRET_FILE = f"y_true,y_score\n{SECRET}:x:0,0.25\n{SECRET}:x:1,0.75\n" * 8
PLAIN = "CREATE TABLE {name} AS SELECT (k % 2)::INT AS y_true, (k % 7) / 7 AS y_score FROM range(60) t(k)"
# What reads the file whose path stands in for FILE, each as the definition of a table called `rows`.
READERS = {
    "read_csv": "SELECT y_true, y_score FROM read_csv('FILE')",
    "sniffed": "SELECT * FROM 'FILE'",
    "pattern": "SELECT y_true, y_score FROM read_csv('FOLDER/*.csv')",
    "text": "SELECT unnest(string_split(content, chr(10))) AS y_true, 0.5 AS y_score FROM read_text('FILE')",
    "bytes": "SELECT content::VARCHAR AS y_true, 0.5 AS y_score FROM read_blob('FILE')",
    "names": "SELECT file AS y_true, 0.5 AS y_score FROM glob('FOLDER/*')",
    "sniffer": "SELECT Columns::VARCHAR AS y_true, 0.5 AS y_score FROM sniff_csv('FILE')",
    "subquery": "SELECT (SELECT content FROM read_text('FILE')) AS y_true, 0.5 AS y_score FROM range(8)",
    "variable": "SELECT getvariable('x') AS y_true, * FROM read_csv('FILE')",
    "view of a view": "SELECT * FROM inner_one",
    "macro": "SELECT * FROM reading('FILE')",
}


def made(folder: Path, kind: str) -> tuple[Path, Path]:
    """A database whose view called `rows` reads a secret file, and that file."""
    hidden = folder / "hidden"
    hidden.mkdir()
    secret = hidden / f"{SECRET}.csv"
    secret.write_text(SECRET_FILE)
    path = folder / "made.duckdb"
    query = READERS[kind].replace("FILE", str(secret)).replace("FOLDER", str(hidden))
    with duckdb.connect(str(path)) as base:
        base.execute("CREATE MACRO reading(p) AS TABLE SELECT * FROM read_csv(p)")
        base.execute(f"CREATE VIEW inner_one AS SELECT * FROM read_csv('{secret}')")
        base.execute(f"CREATE VIEW rows AS {query}")
    return path, secret


def by_library(path: Path, *, table: str | None) -> str:
    try:
        return repr(assay.evaluate(path, table=table))
    except AssayError as error:
        return str(error)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Everything that `assay` prints, and its exit code."""

    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["assay", *arguments])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return call


@pytest.mark.parametrize("kind", READERS)
def test_a_view_reads_no_file_on_the_command_line_or_in_a_gate(
    tmp_path: Path, command: Callable[..., tuple[int, str]], kind: str
) -> None:
    path, secret = made(tmp_path, kind)
    for table in (None, "rows"):
        shown = by_library(path, table=table)
        assert "is a view" in shown
        assert "COPY (SELECT * FROM" in shown
        given = () if table is None else ("--table", table)
        told = [
            command("evaluate", str(path), *given, "--json"),
            command("check", str(path), "--require", "roc_auc >= 0.5"),
            command("evaluate", str(path), *given, "--html", str(tmp_path / "page.html")),
        ]
        assert all(code == 3 for code, _ in told), told
        assert all("is a view" in text for _, text in told)
        for text in (shown, *(text for _, text in told)):
            assert SECRET not in text.replace(str(secret), "")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("kind", READERS)
def test_a_view_reads_no_file_in_the_workbench(tmp_path: Path, kind: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path, _ = made(elsewhere, kind)
    (tmp_path / "desk").mkdir()
    bench = Bench(Workbench(tmp_path / "desk"))
    sent = bench.send("sent.duckdb", path.read_bytes())
    assert sent.status >= 400
    assert "is a view" in sent.text
    assert not list((tmp_path / "desk").rglob("*.duckdb"))
    # One that lies in the folder already is refused on its own pages.
    (tmp_path / "desk" / "there.duckdb").write_bytes(path.read_bytes())
    own = bench.opened("there.duckdb")
    pages = [bench.shown(f"/columns/{own}"), bench.shown(f"/result/{own}"), bench.shown("/")]
    assert "is a view" in pages[0] + pages[1]
    assert all(SECRET not in page for page in (*pages, sent.text))


def test_the_engine_itself_is_confined_where_a_refusal_would_be_missed(tmp_path: Path) -> None:
    path, secret = made(tmp_path, "read_csv")
    with queries.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS attached (READ_ONLY)")
        queries.confine(connection)
        for query in (
            "FROM attached.rows", "FROM attached.inner_one", f"FROM attached.reading('{secret}')",
            f"FROM read_csv('{secret}')", f"FROM '{secret}'", f"ATTACH '{tmp_path / 'other.duckdb'}'",
            f"COPY (SELECT 1) TO '{tmp_path / 'written.csv'}'", "INSTALL httpfs", "FROM read_csv('https://127.0.0.1:1/x')",
            "SET enable_external_access = true", "FROM read_parquet('s3://bucket/a.parquet')",
        ):  # fmt: skip
            with pytest.raises(duckdb.Error):
                connection.sql(query).fetchall()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["hidden", "made.duckdb"]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_only_the_file_that_was_named_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    source, secret = tmp_path / f"a.{suffix}", tmp_path / "secret.csv"
    secret.write_text(SECRET_FILE)
    formats = {"csv": "CSV", "parquet": "PARQUET", "jsonl": "JSON"}
    duckdb.sql(f"COPY (SELECT (k % 2)::INT AS y_true, k / 60 AS y_score FROM range(60) t(k)) TO '{source}' "
               f"(FORMAT {formats[suffix]})")  # fmt: skip
    tried = []
    confine = queries.confine

    def attacked(connection: duckdb.DuckDBPyConnection, paths: list[Path]) -> None:
        confine(connection, paths)
        with pytest.raises(duckdb.Error, match=r"(?i)permission"):
            connection.sql(f"FROM read_csv('{secret}')").fetchall()
        tried.append(paths)

    monkeypatch.setattr(queries, "confine", attacked)
    assert assay.evaluate(source).n == 60
    if suffix != "jsonl":
        assert assay.evaluate(source, memory="1kB").n == 60
    assert tried


def test_names_with_the_signs_of_a_pattern_or_an_address_are_only_names(tmp_path: Path) -> None:
    (tmp_path / "a1.csv").write_text(SECRET_FILE)
    for name in ("a[1].csv", "a*.csv", "a?.csv", "[ab]1.csv", "s3:/bucket/a.csv", "https:/host/a.csv", "we[ird/a*.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("y_true,y_score\n" + "0,0.25\n1,0.75\n" * 20)
        assert assay.evaluate(path).classes == ("0", "1"), name


def test_a_database_called_like_an_address_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("postgres:host=127.0.0.1.duckdb", "sqlite:a.duckdb", "md:a.duckdb"):
        with duckdb.connect(str(tmp_path / "plain.duckdb")) as base:
            base.execute("CREATE OR REPLACE " + PLAIN.format(name="t").removeprefix("CREATE "))
        (tmp_path / "plain.duckdb").rename(tmp_path / name)
        assert assay.evaluate(name).n == 60


def test_what_a_table_can_hold_beside_its_rows_changes_nothing(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text(SECRET_FILE)
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute("CREATE SEQUENCE counter")
        base.execute("CREATE MACRO lower(x) AS 'no'")
        base.execute("CREATE MACRO trim(x) AS 'no'")
        base.execute("CREATE TYPE answer AS ENUM ('no', 'yes')")
        base.execute(f"CREATE TABLE \"{secret}\" (y_true answer, y_score DOUBLE, k INT DEFAULT nextval('counter'))")
        base.execute(
            f"INSERT INTO \"{secret}\" (y_true, y_score) SELECT ['no', 'yes'][1 + k % 2], k / 60 FROM range(60) t(k)"
        )
        base.execute(f'CREATE INDEX found ON "{secret}" (y_score)')
        base.execute(f"COMMENT ON TABLE \"{secret}\" IS 'GENERATED ALWAYS AS (1)'")
    ev = assay.evaluate(path, positive="yes")
    assert (ev.n, ev.classes) == (60, ("no", "yes"))
    assert SECRET not in repr(ev)


def test_generated_columns_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute("CREATE TABLE \"my rows\" (y_true INT, y_score DOUBLE, big VARCHAR AS (repeat('x', 1000000000)))")
        base.execute('INSERT INTO "my rows" SELECT k % 2, k / 60 FROM range(60) t(k)')
        base.execute("CREATE TABLE fine (y_true INT, y_score DOUBLE, s VARCHAR DEFAULT ' GENERATED ALWAYS AS(1)')")
        base.execute("INSERT INTO fine (y_true, y_score) SELECT k % 2, k / 60 FROM range(60) t(k)")
    found = by_library(path, table="my rows")
    assert "'my rows' in 'a.duckdb' has generated columns" in found
    assert "COPY (SELECT * FROM \"my rows\") TO 'rows.parquet'" in found
    assert assay.evaluate(path, table="fine").n == 60


def test_the_way_to_export_a_view_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute(PLAIN.format(name="t"))
        base.execute('CREATE VIEW "half ""of"" it" AS FROM t LIMIT 30')
    with pytest.raises(InputError) as error:
        assay.evaluate(path, table='half "of" it')
    query = str(error.value)[str(error.value).index("COPY") :]
    monkeypatch.chdir(tmp_path)
    with duckdb.connect(str(path)) as base:
        base.execute(query)
    assert assay.evaluate("rows.parquet").n == 30
    # Beside views a single table needs no name, and the answer notes what was left out.
    assert "without its 1 view" in assay.evaluate(path).source.notes


def test_rows_without_end_end_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute(
            "CREATE TABLE t AS SELECT (k % 2)::UTINYINT AS y_true, 0.5::FLOAT AS y_score FROM range(40000000) t(k)"
        )
    assert path.stat().st_size < 20_000_000
    monkeypatch.setattr(queries, "LEAST_SECONDS", 0.05)
    monkeypatch.setattr(queries, "BYTES_A_SECOND", 1e12)
    expected = r"'long.duckdb' takes more than 0 s to read, the limit for a file of [0-9.]+ MB; needed"
    with pytest.raises(InputError, match=expected):
        assay.evaluate(path, memory="200MB")
