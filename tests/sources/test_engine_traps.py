"""What engines do otherwise than one would think, each once found: none of it may change evidence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from scipy import stats
from tests.sources.engines_alike import CASES, TABLES, TABLES_OF_ANY, expected

import assay
from assay.errors import InputError
from assay.evidence import Binned, ScoreTable
from assay.request import Request
from assay.sources import Reduction, from_engine
from assay.sources.engine import scan, tables
from assay.sources.engine.tables import collected
from assay.uncertainty.bootstrap import replicates

ROWS = 4000


def reduced(table: Any, **said: Any) -> Reduction:
    found = from_engine(table, Request.of({"memory": "1kB", "truth": "y_true", "score": "y_score", **said}))
    assert isinstance(found, Reduction)
    return found


def test_rows_of_an_engine_may_come_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB 2.0 gives what was ordered out of order by way of Arrow: nobody asks for an order, nor relies on one."""
    plain, rng = collected, np.random.default_rng(1)

    def shuffled(frame: Any) -> Any:
        found = plain(frame)
        order = rng.permutation(len(next(iter(found.values()))))
        return {name: values[order] for name, values in found.items()}

    for module in (scan, tables):
        monkeypatch.setattr(module, "collected", shuffled)
    for weighted in (False, True):
        rows = CASES["odd"]()
        said = {"weight": "w"} if weighted else {"ignore": "w"}
        binned = reduced(TABLES["duckdb"](rows), missing="drop", **said).models["model"].binned
        assert binned == expected(rows, binned.grid, weighted=weighted)


def test_no_query_joins_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Polars 2.1 joins its smallest tables first, which makes a product of two that share a key."""
    asked: list[str] = []
    plain = collected

    def explained(frame: Any) -> Any:
        if hasattr(frame.to_native(), "explain"):
            asked.append(frame.to_native().explain())
        return plain(frame)

    for module in (scan, tables):
        monkeypatch.setattr(module, "collected", explained)
    rng = np.random.default_rng(2)
    frame = polars.DataFrame(
        {"y_true": rng.integers(0, 2, ROWS), "score__a": rng.random(ROWS), "score__b": rng.random(ROWS),
         "pred__a": rng.integers(0, 2, ROWS), "pred__b": rng.integers(0, 2, ROWS), "weight": rng.random(ROWS)}
    )  # fmt: skip
    assay.compare(frame.lazy(), memory="1kB")
    assert len(asked) >= 5
    assert not any("JOIN" in plan.upper() for plan in asked)


@pytest.mark.parametrize("engine", TABLES)
def test_nan_and_null_weights_are_missing_everywhere(engine: str) -> None:
    """They are one thing in some engines and two in others; some leave them out of sums, others spoil these."""
    rows = CASES["clean"]()
    rows["w"][5], rows["w"][6] = float("nan"), None
    found = reduced(TABLES[engine](rows), weight="w", missing="drop")
    assert found.source.dropped == 2
    kept = {name: [value for place, value in enumerate(values) if place not in (5, 6)] for name, values in rows.items()}
    binned = found.models["model"].binned
    assert binned == expected(kept, binned.grid, weighted=True)


@pytest.mark.parametrize("engine", TABLES)
@pytest.mark.parametrize("column", ["y_score", "w"])
def test_infinities_are_refused_everywhere(engine: str, column: str) -> None:
    """To cast one to a whole number raises everywhere, and in no words of ours."""
    rows = CASES["clean"]()
    rows[column][9] = float("-inf") if column == "y_score" else float("inf")
    with pytest.raises(InputError, match=f"'{column}' is infinite in some rows"):
        reduced(TABLES[engine](rows), missing="drop", weight="w")


@pytest.mark.parametrize("engine", TABLES_OF_ANY)
def test_counts_beyond_32_bits(engine: str) -> None:
    """Whole numbers begin again at an end of 32 or 64 bits in some engines, and raise in others."""
    rows = {"y_true": np.array([0, 1, 1, 0, 0]), "y_score": np.array([0.2, 0.7, 0.7, 0.4, 0.4])}
    rows["times"] = np.array([3_000_000_000, 2_500_000_000, 2_500_000_000, 1, 0])
    model = reduced(TABLES_OF_ANY[engine](rows), count="times").models["model"]
    assert model.cases == {"0": 3_000_000_001, "1": 5_000_000_000}
    assert model.binned.positive.max() == 5e9


def test_flags_are_summed_in_64_bits() -> None:
    """A sum of flags of 32 bits begins again at 2^31 in Polars."""
    import narwhals as nw

    rows = polars.LazyFrame({"truth": [0, 1], "score0": [0.5, None]})
    survey = tables.Survey.of(tables.Lying(nw.from_native(rows), {"truth": "y", "score0": "s"}))
    assert survey.found["lacking"].dtype == np.int64
    assert survey.dropped == 1


def test_weights_of_many_digits_add_up_alike_to_1e12() -> None:
    """The sum of floating numbers depends on their order, which is another in each run."""
    rng = np.random.default_rng(6)
    weight = rng.random(ROWS)
    rows = {"y_true": rng.integers(0, 2, ROWS), "y_score": np.round(rng.random(ROWS), 2), "w": weight}
    exact = None
    for make in TABLES_OF_ANY.values():
        binned = reduced(make(rows), weight="w").models["model"].binned
        exact = exact or Binned.of(rows["y_score"], rows["y_true"] == 1, ("0", "1"), binned.grid, weight=weight)
        for side in ("negative", "positive", "negative_squares", "positive_squares"):
            assert getattr(binned, side) == pytest.approx(getattr(exact, side), rel=1e-12)


def test_the_bootstrap_of_a_table_is_that_of_rows_in_distribution() -> None:
    rng = np.random.default_rng(27)
    n, draws = 1000, 3000
    truth = rng.random(n) < 0.3
    score = np.round(1 / (1 + np.exp(-rng.normal(truth * 1.5 - 1, 1.2))), 3)
    table = reduced(polars.LazyFrame({"y_true": truth.astype(int), "y_score": score})).models["model"].scores[0].table
    of_table = np.concatenate(
        [np.asarray(batch.pairs_in_order / batch.positives / batch.negatives)
         for batch in replicates(table, draws, 1, stratified=False)]
    )  # fmt: skip
    of_rows = []
    for _ in range(draws):
        cases = rng.integers(n, size=n)
        drawn = ScoreTable.of(score[cases], truth[cases])
        of_rows.append(float(drawn.pairs_in_order / drawn.positives / drawn.negatives))
    assert np.std(of_table) == pytest.approx(np.std(of_rows), rel=0.05)
    assert stats.ks_2samp(of_table, of_rows).pvalue > 0.01


def written(folder: Path, name: str, frame: polars.DataFrame) -> None:
    folder.mkdir(exist_ok=True)
    frame.write_parquet(folder / name)


def test_files_whose_columns_are_of_other_types(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = polars.DataFrame({"y_true": rng.integers(0, 2, ROWS), "y_score": rng.random(ROWS)})
    written(tmp_path / "alike", "a.parquet", frame)
    written(tmp_path / "alike", "b.parquet", frame.with_columns(polars.col("y_score").cast(polars.Float32)))
    assert assay.evaluate(tmp_path / "alike", memory="1MB").n == 2 * ROWS
    written(tmp_path / "other", "a.parquet", frame)
    written(tmp_path / "other", "b.parquet", frame.with_columns(y_score=polars.lit("high")))
    with pytest.raises(InputError) as error:
        assay.evaluate(tmp_path / "other", memory="1MB")
    assert "'y_score' holds text in 'b.parquet', but not in 'a.parquet'" in str(error.value)


def test_nothing_is_half_written_where_a_file_is_cut_short(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = polars.DataFrame({"y_true": rng.integers(0, 2, 90_000), "y_score": rng.random(90_000)})
    frame.write_parquet(tmp_path / "whole.parquet")
    held = bytearray((tmp_path / "whole.parquet").read_bytes())
    held[200_000:400_000] = bytes(200_000)
    (tmp_path / "damaged.parquet").write_bytes(held)
    (tmp_path / "kept.json").write_text("what was there")
    said = ["evaluate", "damaged.parquet", "--memory", "9MB", "--format", "json"]
    for target in ("kept.json", "new.json"):
        command = [sys.executable, "-m", "assay", *said, "--output", target]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 3
        assert done.stderr.startswith("error: 'damaged.parquet' cannot be read completely: it is damaged")
        assert done.stderr.count("\n") == 1
    assert (tmp_path / "kept.json").read_text() == "what was there"
    assert not (tmp_path / "new.json").exists()
