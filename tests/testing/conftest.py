"""Files of predictions that gates are tried on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Write = Callable[[str, Mapping[str, Sequence[Any]]], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write columns to a CSV file of this name."""

    def made(name: str, columns: Mapping[str, Sequence[Any]]) -> Path:
        path = tmp_path / name
        rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
        path.write_text("\n".join([",".join(columns), *rows]) + "\n", encoding="utf-8")
        return path

    return made


@pytest.fixture
def columns() -> dict[str, list[Any]]:
    """Four hundred cases with a good score, a poor one, a site and an id."""
    rng = np.random.default_rng(7)
    truth = rng.random(400) < 0.4
    good, poor = (1 / (1 + np.exp(-rng.normal(truth * gap - gap / 2, 1))) for gap in (2.2, 1.0))
    return {
        "id": [f"case {i}" for i in range(400)],
        "target": truth.astype(int).tolist(),
        "good": good.round(6).tolist(),
        "poor": poor.round(6).tolist(),
        "site": np.where(rng.random(400) < 0.5, "north", "south").tolist(),
    }
