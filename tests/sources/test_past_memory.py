"""Files that do not fit: a large one, folders, patterns, databases; what they lack, and what goes wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars
import pytest

import assay
from assay.errors import InputError, OptionError
from assay.sources import engines
from assay.sources.engine.scan import with_cells

ROWS = 40_000


def frame(rows: int = ROWS, seed: int = 5) -> polars.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(truth * 1.4 - 1.0, 1.2)))
    group = np.array(["north", "south"])[(rng.random(rows) < 0.4).astype(int)]
    weight = rng.integers(1, 9, rows) / 4
    return polars.DataFrame({"y_true": truth.astype(int), "y_score": score, "site": group, "w": weight})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One table as a file, as a folder of uneven parts (one of them empty), as CSV and as a database."""
    where = tmp_path_factory.mktemp("tables")
    whole = frame()
    # Its scores take more than a megabyte: only such a file is looked at.
    whole.write_parquet(where / "whole.parquet", compression="uncompressed")
    parts = where / "parts"
    (parts / "day=1").mkdir(parents=True)
    for place, (start, stop) in enumerate([(0, 10), (10, 10), (10, 35_000), (35_000, ROWS)]):
        whole[start:stop].write_parquet(parts / "day=1" / f"part-{place}.parquet")
    (parts / "_SUCCESS").write_text("")
    texts = where / "texts"
    texts.mkdir()
    whole[:25_000].write_csv(texts / "a.csv")
    whole[25_000:].write_csv(texts / "b.csv")
    with duckdb.connect(str(where / "held.duckdb")) as connection:
        connection.register("whole", whole.to_arrow())
        connection.execute("CREATE TABLE scores AS SELECT * FROM whole")
        connection.execute("CREATE TABLE other AS SELECT 1 AS a")
    return where


SOURCES = ["whole.parquet", "parts", "parts/*/*.parquet", "texts", "texts/*.csv", "held.duckdb"]
# Less than the rows take, and enough for the engine.
LITTLE: dict[str, Any] = {"memory": "9MB", "ignore": ("site", "w")}


def said(source: str) -> dict[str, Any]:
    return {"table": "scores"} if source.endswith(".duckdb") else {}


@pytest.mark.parametrize("source", SOURCES)
def test_what_does_not_fit_is_evaluated_alike(folder: Path, source: str) -> None:
    exact = assay.evaluate(frame(), ignore=("site", "w"))
    ev = assay.evaluate(str(folder / source), **LITTLE, **said(source))
    assert ev.rows is None
    assert ev.n == exact.n == ROWS
    assert isinstance(ev, assay.TwoClassEvaluation)
    auc = ev.roc_auc
    assert auc.bounds is not None
    low, high = auc.bounds
    assert low <= exact.roc_auc.value <= high
    assert auc.se is not None
    assert 0 < high - low <= 0.01 * auc.se
    assert auc.low == pytest.approx(exact.roc_auc.low, abs=high - low)
    assert np.array_equal(ev.matrix.counts, exact.matrix.counts)  # type: ignore[union-attr]
    assert ev.brier.value == pytest.approx(exact.brier.value, abs=1e-4)
    assert any("is known to within" in remark for remark in ev.source.remarks)


@pytest.mark.parametrize("source", ["parts", "texts", "held.duckdb"])
def test_what_fits_is_read_row_by_row(folder: Path, source: str) -> None:
    exact = assay.evaluate(frame(), ignore=("site", "w"))
    ev = assay.evaluate(str(folder / source), ignore=("site", "w"), **said(source))
    assert ev.rows is not None
    assert ev.roc_auc.value == pytest.approx(exact.roc_auc.value, abs=1e-13)


def test_groups_weights_and_a_threshold_in_a_cell(folder: Path) -> None:
    exact = assay.evaluate(frame(), by="site", weight="w", threshold=0.37)
    ev = assay.evaluate(str(folder / "whole.parquet"), by="site", weight="w", threshold=0.37, memory="9MB")
    assert isinstance(ev, assay.TwoClassEvaluation)
    assert isinstance(exact, assay.TwoClassEvaluation)
    assert ev.class_counts == exact.class_counts
    assert ev.is_weighted
    assert [*ev.subgroups] == [*exact.subgroups]
    for mine, theirs in [(ev, exact), *zip(ev.subgroups.values(), exact.subgroups.values(), strict=True)]:
        assert mine.matrix is not None
        assert theirs.matrix is not None
        assert mine.matrix.counts == pytest.approx(theirs.matrix.counts)
        assert mine.matrix.squares == pytest.approx(theirs.matrix.squares)
        assert mine.roc_auc.value == pytest.approx(theirs.roc_auc.value, abs=1e-4)
        assert mine.roc_auc.low == pytest.approx(theirs.roc_auc.low, abs=1e-4)


def test_few_scores_are_exact_and_a_width_is_kept(tmp_path: Path) -> None:
    rounded = frame().with_columns(y_score=polars.col("y_score").round(2)).drop("site", "w")
    lazy = rounded.lazy()
    ev = assay.evaluate(lazy, memory="9MB")
    assert ev.roc_auc.value == pytest.approx(assay.evaluate(rounded).roc_auc.value, abs=1e-14)
    assert ev.roc_auc.bounds == (ev.roc_auc.value, ev.roc_auc.value)
    assert "exact: 10" in ev.source.remarks[-1]
    for within in (1e-2, 1e-6):
        known = assay.evaluate(frame().lazy(), within=within, **LITTLE).roc_auc.bounds
        assert known is not None
        assert known[1] - known[0] <= within


def test_refined_where_the_first_cells_are_too_coarse() -> None:
    """All scores in a sliver: nothing tells that beforehand, so the rows are looked at again on a finer grid."""
    sliver = frame().select("y_true", y_score=0.3 + polars.col("y_score") * 1e-4)
    ev = assay.evaluate(sliver.lazy(), memory="9MB")
    bounds, se = ev.roc_auc.bounds, ev.roc_auc.se
    assert bounds is not None
    assert se is not None
    assert bounds[1] - bounds[0] <= 0.01 * se
    assert bounds[0] <= assay.evaluate(sliver).roc_auc.value <= bounds[1]


def test_what_is_missing_is_refused_or_counted() -> None:
    odd = frame(20_000).with_row_index()
    odd = odd.with_columns(
        y_score=polars.when(polars.col("index") < 3).then(float("nan")).otherwise(polars.col("y_score")),
        y_true=polars.when(polars.col("index").is_in([2, 10])).then(None).otherwise(polars.col("y_true")),
    ).drop("index")
    with pytest.raises(InputError, match=r"'y_true' is missing in 2 rows, 'y_score' is missing in 3 rows of 20,000"):
        assay.evaluate(odd.lazy(), **{**LITTLE, "memory": "1MB"})
    ev = assay.evaluate(odd.lazy(), missing="drop", **{**LITTLE, "memory": "1MB"})
    assert (ev.n, ev.source.dropped) == (19_996, 4)
    infinite = frame(9000).with_columns(y_score=polars.when(polars.col("w") > 1).then(float("inf")).otherwise(0.5))
    with pytest.raises(InputError, match="'y_score' is infinite in some rows"):
        assay.evaluate(infinite.lazy(), missing="drop", **{**LITTLE, "memory": "1MB"})


def refused(data: Any, **said: Any) -> str:
    with pytest.raises(InputError) as error:
        assay.evaluate(data, **{"memory": "1MB", **said})
    return str(error.value)


def test_what_needs_rows_is_refused_by_name() -> None:
    lazy = frame(9000).with_columns(patient=polars.arange(0, 9000) // 2, fold=1, label=1).lazy()
    plain = {"truth": "y_true", "score": "y_score"}
    assert "cross-validation folds ('fold')" in refused(lazy, fold="fold", **plain)
    assert "never below 0.5" in refused(lazy, pred="label", certainty="y_score", truth="y_true")
    assert "memory='2MB'" in refused(lazy, fold="fold", **plain)
    many = frame(9000).with_columns(y_true=polars.arange(0, 9000) % 3).lazy()
    assert "holds 3 classes" in refused(many, ignore=("site", "w"))
    huge = frame(9000).select(y_true=polars.arange(0, 9000) % 101, y_pred=polars.arange(0, 9000) // 3 % 101).lazy()
    assert "holds 101 classes, but the rows" in refused(huge)
    ev = assay.evaluate(many, ignore=("site", "w"), positive="2", memory="1MB")
    assert isinstance(ev, assay.TwoClassEvaluation)
    assert ev.classes == ("not 2", "2")


def test_what_goes_wrong_with_files(tmp_path: Path, folder: Path) -> None:
    cut = tmp_path / "cut.parquet"
    cut.write_bytes((folder / "whole.parquet").read_bytes()[:-900])
    assert "is cut short" in refused(cut)
    damaged = tmp_path / "damaged.parquet"
    held = bytearray((folder / "whole.parquet").read_bytes())
    held[100:400_000] = bytes(399_900)
    damaged.write_bytes(held)
    assert "damaged" in refused(damaged, memory="9MB")
    (tmp_path / "two").mkdir()
    frame(10).write_parquet(tmp_path / "two" / "a.parquet")
    frame(10).rename({"y_score": "p"}).write_parquet(tmp_path / "two" / "b.parquet")
    assert "'b.parquet' has the columns" in refused(tmp_path / "two")
    (tmp_path / "empty").mkdir()
    assert "holds no Parquet or CSV file" in refused(tmp_path / "empty")
    assert "no file matches" in refused(str(tmp_path / "none-*.parquet"))
    assert "holds 2 tables" in refused(folder / "held.duckdb")
    assert "holds no table 'nothing', but 'other', 'scores'" in refused(folder / "held.duckdb", table="nothing")
    (tmp_path / "fake.duckdb").write_text("y_true,y_score\n1,0.5\n")
    assert "is not a DuckDB database, in spite of its name" in refused(tmp_path / "fake.duckdb")
    with pytest.raises(OptionError, match="table does not apply to a file"):
        assay.evaluate(str(folder / "whole.parquet"), table="scores")


def test_text_that_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    lines = ["y_true,y_score", *(f"{n % 2},{'0,5' if n == 7 else n / 9000}" for n in range(9000))]
    (tmp_path / "texts" / "a.csv").write_text("\n".join(lines).replace("0,5", '"0,5"') + "\n")
    assert "'y_score' holds texts such as '0,5' in 1 row" in refused(tmp_path / "texts", memory="2MB")


def test_too_little_memory_for_the_engine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "LEAST_MEMORY", 1_000)
    said = refused(folder / "texts", memory="1kB", ignore=("site", "w"))
    assert "permitted memory (1kB); needed: more memory; pass memory='2kB'" in said


def test_files_that_go_away_meanwhile(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = tmp_path / "parts"
    where.mkdir()
    for part in ("part-2.parquet", "part-3.parquet"):
        (where / part).write_bytes((folder / "parts" / "day=1" / part).read_bytes())
    cells = with_cells

    def late(*given: Any) -> Any:
        (where / "part-3.parquet").unlink()
        return cells(*given)

    monkeypatch.setattr("assay.sources.engine.reduction.with_cells", late)
    assert "it is damaged, changed or removed meanwhile" in refused(where, **LITTLE)
