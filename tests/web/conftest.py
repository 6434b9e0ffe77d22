"""One server for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.asking import Bench
from tests.web.samples import eights
from tests.web.serving import Server, serving

from assay.web import Workbench


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "eights.csv").write_text(eights())
    with serving(Path(folder)) as running:
        yield running


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "eights.csv").write_text(eights())
    return Bench(Workbench(tmp_path))
