"""Whatever a release wrote is read by this one, with the answers that it had."""

from __future__ import annotations

import contextlib
import json
import math
import pickle
import shutil
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.exceptions import InconsistentVersionWarning
from tests.stored.objects import numbers
from tests.stored.write import (
    COMMANDS,
    FOLDER,
    FOLDS,
    exported,
    learner_hashes,
    measure_families,
    stream_answers,
    study_answers,
    workbench_answers,
)

import assay
from assay.experiments.study import open_study
from assay.experiments.study_file import read_study

RELEASES = sorted(path.name for path in FOLDER.iterdir() if (path / "answers.json").exists())
PICKLED = [
    (release, name.removesuffix(".pickle"))
    for release in RELEASES
    for name in zipfile.ZipFile(FOLDER / release / "objects.zip").namelist()
    if name.endswith(".pickle")
]
# What an answer has changed since, and why.
CHANGED = {
    "unpaired.comparisons[0].p_value: None and not 1.0": "a test that is undefined has no p-value",
    "unpaired.secondary: no list of 0": "samples of other cases have secondary measures as models of the same have",
}
# Sums in another order, on another processor.
ROUNDING = 1e-7


def differences(found: Any, stored: Any, place: str = "") -> Iterator[str]:
    """Where an answer lacks what was stored, or has another number there; what is new is no difference."""
    if isinstance(stored, dict):
        if not isinstance(found, dict):
            yield f"{place}: no table"
        else:
            for key, each in stored.items():
                yield from differences(found[key], each, f"{place}.{key}") if key in found else [f"{place}.{key}: gone"]
    elif isinstance(stored, list):
        if not isinstance(found, list) or len(found) != len(stored):
            yield f"{place}: no list of {len(stored)}"
        else:
            for k, (one, other) in enumerate(zip(found, stored, strict=True)):
                yield from differences(one, other, f"{place}[{k}]")
    elif isinstance(stored, int | float) and not isinstance(stored, bool):
        is_number = isinstance(found, int | float)
        if not is_number or not math.isclose(found, stored, rel_tol=ROUNDING, abs_tol=ROUNDING):
            yield f"{place}: {found!r} and not {stored!r}"
    elif type(found) is not type(stored) or (isinstance(stored, bool) and found != stored):
        yield f"{place}: {found!r} and not {stored!r}"


def answers(release: str) -> Any:
    return json.loads((FOLDER / release / "answers.json").read_text())


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A release, in a copy of the folder that it wrote."""
    shutil.copytree(FOLDER / request.param, tmp_path / "copy")
    with contextlib.chdir(tmp_path / "copy"):
        yield request.param


def unpickled(release: str, name: str) -> tuple[Any, Any]:
    """An object as it is read now, and the numbers that it had when it was written."""
    with zipfile.ZipFile(FOLDER / release / "objects.zip") as packed, warnings.catch_warnings():
        warnings.simplefilter("ignore", InconsistentVersionWarning)  # learners inside ours are scikit-learn's
        return pickle.loads(packed.read(f"{name}.pickle")), json.loads(packed.read(f"{name}.json"))


@pytest.mark.parametrize(("release", "name"), PICKLED)
def test_pickles_answer_as_they_did(release: str, name: str) -> None:
    found, stored = unpickled(release, name)
    assert set(differences(numbers(found), stored, name)) - set(CHANGED) == set()
    assert repr(found)


def test_stores_of_studies_are_read_and_gone_on_with(release: str) -> None:
    stored = answers(release)["study"]
    for name in stored:
        study = open_study("study.db", name)
        assert list(differences(study_answers(study), stored[name])) == []
        study.store.close()
    asked: list[Any] = [read_study("study.toml"), {**FOLDS, "name": "folds", "store": "study.db"}]
    for each in asked:
        # Every run is found again by what it was made of: none is to do, and nothing is of no more use.
        study = assay.experiment(**each, run=False)
        assert list(differences(study_answers(study), stored[study.name])) == []
        assert len(study.stale()) == 0
        study.store.close()
    again = open_study("study.db", to_run=True)
    assert again.progress() == stored["study"]["progress"]
    again.store.close()


def test_models_of_a_study_are_fitted_again(release: str) -> None:
    study = open_study("study.db", to_run=True)
    for learner in ("nb", "recalibrated"):
        assert study.model("iris", learner).estimator.predict([[5.0, 3.5, 1.4, 0.2]]).tolist() == [0]
    study.store.close()


def test_streams_go_on_from_their_checkpoints(release: str) -> None:
    assert list(differences(stream_answers(Path()), answers(release)["stream"])) == []


def test_the_list_of_a_workbench_is_read(release: str, capsys: pytest.CaptureFixture[str]) -> None:
    found, stored = workbench_answers(Path()), answers(release)["workbench"]
    assert found["listed"] == stored["listed"]
    assert found["steps"] == stored["steps"]
    printed = []
    for script in (stored["script"], found["script"]):
        exec(compile(script, "session.py", "exec"), {"__name__": "__main__"})
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != ""


@pytest.mark.parametrize("name", COMMANDS)
def test_exported_json_keeps_its_keys_and_figures(release: str, name: str) -> None:
    stored = json.loads(Path("exported.json").read_text())[name]
    assert list(differences(exported(name), stored)) == []


def test_learners_are_found_again_by_their_hash(release: str) -> None:
    stored = answers(release)["learners"]
    assert {name: learner_hashes()[name] for name in stored} == stored


def test_measures_stay_in_their_families(release: str) -> None:
    stored = answers(release)["families"]
    assert {name: measure_families()[name] for name in stored} == stored


def test_a_difference_is_seen() -> None:
    stored = {"a": [1.0, {"b": None}], "c": True}
    assert list(differences({"a": [1.0, {"b": None}], "c": True, "new": 1}, stored)) == []
    assert list(differences({"a": [1.1, {"b": None}], "c": True}, stored)) == [".a[0]: 1.1 and not 1.0"]
    assert list(differences({"a": [1.0, {"b": 2.0}]}, stored)) == [".a[1].b: 2.0 and not None", ".c: gone"]


def test_there_is_something_to_read() -> None:
    assert RELEASES
    assert len(PICKLED) > 100
