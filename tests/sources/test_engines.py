"""One reduction on every engine: the same cells, the same counts, the same refusals, whatever order rows come in."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from tests.sources.engines_alike import CASES, TABLES, expected

from assay.evidence import ScoreGrid
from assay.request import Request
from assay.sources import Reduction, from_engine
from assay.sources.engine.scan import with_cells
from assay.sources.engine.tables import collected


def edges() -> dict[str, np.ndarray]:
    """Scores at which cells begin, and their neighbours: powers of 2, the least number there is, 0 and 1."""
    powers = 2.0 ** np.arange(-1074.0, 0.5)
    inside = np.random.default_rng(1).random(500)
    unit = np.concatenate([[0.0, 0.5, 1.0], powers, 1 - powers, inside])
    unit = np.concatenate([unit, np.nextafter(unit, 0), np.nextafter(unit, 1)])
    size = 2.0 ** np.arange(-1074.0, 333.5)
    size = np.concatenate([size, np.nextafter(size, 0), np.nextafter(size, np.inf), 9 * inside])
    return {"probability": np.unique(np.clip(unit, 0, 1)) + 0.0, "real": np.unique([size, -size]) + 0.0}


@pytest.mark.parametrize("bits", [0, 11, 40])
@pytest.mark.parametrize("kind", ["probability", "real"])
@pytest.mark.parametrize("engine", TABLES)
def test_an_engine_finds_the_cells_that_bits_tell(engine: str, kind: Literal["probability", "real"], bits: int) -> None:
    import narwhals as nw

    score, grid = edges()[kind], ScoreGrid(kind, bits)
    rows = {"y_true": [1] * len(score), "y_score": score.tolist(), "w": [1.0] * len(score)}
    table: Any = nw.from_native(TABLES[engine](rows)).rename({"y_score": "score"}).select("score")
    found = collected(with_cells(table, grid, float(np.abs(score).max())))
    order = np.argsort(found["score"])
    assert np.array_equal(found["score"][order], score)
    assert np.array_equal(found["cell"][order], grid.cells(score))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("engine", TABLES)
def test_every_engine_makes_the_evidence_that_numpy_makes(engine: str, case: str, weighted: bool) -> None:
    rows = CASES[case]()
    found = reduced(TABLES[engine](rows), missing="drop", **({"weight": "w"} if weighted else {"ignore": "w"}))
    binned = found.models["model"].binned
    assert binned == expected(rows, binned.grid, weighted=weighted)
    assert found.source.rows == len(rows["y_true"])


def reduced(table: Any, **said: Any) -> Reduction:
    found = from_engine(table, Request.of({"memory": "1kB", "truth": "y_true", "score": "y_score", **said}))
    assert isinstance(found, Reduction)
    return found
