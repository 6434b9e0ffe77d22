"""Rows that do not fit: the reduction beside DuckDB's own GROUP BY into as many cells with the same aggregates.

`python -m benchmarks.past_memory 100_000_000` runs it once with so many rows and tells the memory it took; on a machine
with a card and torch, `python -m benchmarks.past_memory cuda 1_000_000_000` times the exact AUC of tensors on it.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

import assay
from assay.evidence import ScoreGrid
from assay.request import Request
from assay.sources import Reduction, from_engine

__all__ = ["beside_group_by", "rows_on_disk"]

EVERY_DAY = 20_000_000
AT_ONCE = 10_000_000


@contextmanager
def rows_on_disk(rows: int) -> Iterator[Path]:
    """So many predictions in Parquet files of at most ten million rows, drawn by the engine."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        for start in range(0, rows, AT_ONCE):
            _draw(Path(folder, f"part-{start // AT_ONCE:04}.parquet"), min(AT_ONCE, rows - start), start)
        yield Path(folder)


def _draw(path: Path, rows: int, seed: int) -> None:
    odds = "1.2 * y_true - 1 + 1.3 * sqrt(-2 * ln(1 - a)) * cos(2 * pi() * b)"
    drawn = f"SELECT (random() < 0.3)::INTEGER AS y_true, random() AS a, random() AS b FROM range({rows})"
    with duckdb.connect() as connection:
        connection.execute(f"SELECT setseed({(seed % 997) / 997})")
        query = f"SELECT y_true, 1 / (1 + exp(-({odds}))) AS y_score FROM ({drawn})"
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")


def group_by(folder: Path, grid: ScoreGrid) -> str:
    """The same cells with the same aggregates, as one would write it for DuckDB alone."""
    steps, last = 1 << grid.bits, grid.last

    def branches(distance: str, rounded: str, less: int) -> str:
        each = (
            f"WHEN {distance} >= {2.0**e!r} "
            f"THEN {rounded}({distance} * {2.0 ** (grid.bits - e)!r}) + {(e + 39) * steps + 2 - less}"
            for e in range(-2, -41, -1)
        )
        return f"CASE {' '.join(each)} ELSE ({distance} > 0)::INTEGER END"

    cell = (
        f"CASE WHEN s < 0.5 THEN {branches('s', 'floor', 0)} ELSE {last} - {branches('(1 - s)', 'ceil', 1)} END::BIGINT"
    )
    rows = f"SELECT {cell} AS cell, y_true, s FROM (SELECT y_true, y_score + 0.0 AS s FROM '{folder}/*.parquet')"
    return f"SELECT cell, count(*), sum(y_true), min(s), max(s) FROM ({rows}) GROUP BY cell"


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds by the clock and of the processor, and what came of it."""
    clock, processor = time.perf_counter(), time.process_time()
    found = work()
    return time.perf_counter() - clock, time.process_time() - processor, found


def beside_group_by(rows: int = EVERY_DAY, rounds: int = 3) -> dict[str, float]:
    """How many times the processor's seconds of the GROUP BY the reduction takes, and evaluate with all it prints."""
    best = {"group by": float("inf"), "reduction": float("inf"), "evaluate": float("inf")}
    clocks = dict(best)
    with rows_on_disk(rows) as folder, duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false")
        found = from_engine(folder, Request())
        if not isinstance(found, Reduction):
            raise SystemExit("the rows fit into memory: more of them are needed")
        query = group_by(folder, found.models["model"].binned.grid)
        works: dict[str, Callable[[], Any]] = {
            "group by": lambda: connection.sql(query).fetchnumpy(),
            "reduction": lambda: from_engine(folder, Request()),
            "evaluate": lambda: str(assay.evaluate(folder)),
        }
        for _ in range(rounds):
            for name, work in works.items():
                clock, processor, made = timed(work)
                if name == "group by" and len(made["cell"]) != len(found.models["model"].binned):
                    raise SystemExit("the GROUP BY makes other cells")
                best[name], clocks[name] = min(best[name], processor), min(clocks[name], clock)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "reduction": best["reduction"] / best["group by"],
        "evaluate": best["evaluate"] / best["group by"],
        "peak GiB": peak,
        "seconds of the group by": clocks["group by"],
        "seconds of the reduction": clocks["reduction"],
        "seconds of evaluate": clocks["evaluate"],
    }


def on_a_card(scores: int) -> None:
    """The exact AUC with its interval of tensors that lie on a card."""
    import torch  # type: ignore[import-not-found,unused-ignore]

    truth = torch.rand(scores, device="cuda") < 0.3
    score = torch.sigmoid(torch.randn(scores, device="cuda") + 1.2 * truth)
    for _ in range(3):
        torch.cuda.synchronize()
        clock, _, auc = timed(lambda: assay.evaluate(truth, score).roc_auc)
        print(f"{scores:,} scores: {auc} in {clock:.3f} s, {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")


def main() -> None:
    """One run with as many rows as are said."""
    if sys.argv[1:2] == ["cuda"]:
        on_a_card(int(sys.argv[2]))
        return
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else EVERY_DAY
    for name, value in beside_group_by(rows, rounds=1 if rows > EVERY_DAY else 3).items():
        print(f"{name:<28} {value:8.2f}", flush=True)


if __name__ == "__main__":
    main()
