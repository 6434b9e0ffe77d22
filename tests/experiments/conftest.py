"""What the tests of clusters and databases compare with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.experiments.driving import study_file

from assay.experiments.study import Study, experiment
from assay.experiments.study_file import read_study


@pytest.fixture(scope="session")
def in_one_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    """The study of `study_file`, cell after cell in this process, in an SQLite file."""
    folder = tmp_path_factory.mktemp("serial")
    study = experiment(**read_study(study_file(folder, seconds=0)), jobs=1, progress=False, allow="tests")
    yield study
    study.store.close()
