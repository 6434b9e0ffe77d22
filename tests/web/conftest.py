"""One server for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from tests.web.serving import Server, serving

DEMO = files("assay") / "data" / "demo.csv"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "eights.csv").write_bytes(DEMO.read_bytes())
    with serving(Path(folder)) as running:
        yield running
