"""Running cells: the same numbers wherever they run, never more out than asked, and a dead worker costs its cell."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.experiments.driving import assert_same
from tests.experiments.learning import Dying

from assay.cli.experiment import command
from assay.errors import AssayError, InputError, MissingExtra
from assay.experiments.database import PredictedRows
from assay.experiments.datasets import dataset_of
from assay.experiments.learners import learner_of
from assay.experiments.plans import kfold
from assay.experiments.runner import LOST, Answer, InProcess, engine, run_cells
from assay.experiments.study import Study, experiment
from assay.experiments.study_file import read_study
from assay.experiments.task import CellOutcome, CellSpec, run_cell, spool

LEARNERS: dict[str, Any] = {"nb": "nb", "forest": {"preset": "forest", "params": {"n_estimators": 5}}, "svm": "svm"}


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    place = tmp_path_factory.mktemp("serial") / "s.db"
    study = experiment(["iris", "breast_cancer"], LEARNERS, kfold(4), store=place, jobs=1)
    yield study
    study.store.close()


def test_processes_give_the_numbers_of_one_process(serial: Study, tmp_path: Path) -> None:
    study = experiment(["iris", "breast_cancer"], LEARNERS, kfold(4), store=tmp_path / "s.db", jobs=2)
    assert_same(study, serial)
    study.store.close()


def test_any_executor_of_futures_will_do(serial: Study, tmp_path: Path) -> None:
    study = experiment(["iris", "breast_cancer"], LEARNERS, kfold(4), store=tmp_path / "s.db", run=False)
    with ThreadPoolExecutor(1) as pool:
        study.run(executor=pool, spool=tmp_path)
    assert_same(study, serial)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []  # the data put there are gone again
    study.store.close()


def test_two_drivers_share_the_cells(serial: Study, tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    studies = [experiment(["iris", "breast_cancer"], LEARNERS, kfold(4), store=place, run=False) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(study.run, executor=InProcess()) for study in studies]:
            future.result()
    assert_same(studies[0], serial)
    owners = [cell["owner"] for cell in studies[0].store.cells("study", "owner")]
    assert len(owners) == 32
    assert len(set(owners)) <= 2
    for study in studies:
        study.store.close()


@pytest.mark.engines
def test_a_learner_that_ends_its_process_costs_its_cells_only(tmp_path: Path) -> None:
    study = experiment("iris", {"nb": "nb", "dying": Dying()}, kfold(2), store=tmp_path / "s.db", jobs=2)
    assert study.progress() == {"todo": 0, "running": 0, "done": 4, "failed": 2}
    assert set(study.failures().columns["learner"]) == {"dying"}
    assert set(study.failures().columns["error"]) == {LOST}
    study.store.close()


def specs(folder: Path, splits: int = 4, **changes: Any) -> list[CellSpec]:
    data = dataset_of("iris")
    spool(folder / "data", data, kfold(splits).splits(data.target))
    made: dict[str, Any] = {"folder": str(folder / "data"), "classes": 3, "recipe": learner_of("nb").recipe} | changes
    return [CellSpec(f"k{place}", "iris", "nb", 0, place, split=place, **made) for place in range(splits)]


class Counting:
    """An executor that runs a cell only when its future is waited for, and knows how many are out."""

    def __init__(self) -> None:
        self.out = self.most = 0
        self.pool = ThreadPoolExecutor(1)

    def submit(self, function: Callable[[CellSpec], Answer], spec: CellSpec, /) -> Future[Answer]:
        self.out += 1
        self.most = max(self.most, self.out)
        return self.pool.submit(function, spec)


def test_no_more_cells_are_out_than_asked(tmp_path: Path) -> None:
    executor, taken = Counting(), list[str]()
    with executor.pool:
        for outcome in run_cells(_noted(specs(tmp_path, 8), taken), executor, window=3):
            executor.out -= 1
            assert outcome.error is None
    assert executor.most == 3
    assert len(taken) == 8


def _noted(some: list[CellSpec], taken: list[str]) -> Iterator[CellSpec]:
    for spec in some:
        taken.append(spec.key)
        yield spec


class Breaking:
    """An executor whose pool breaks on one cell, once or always, and may be renewed."""

    def __init__(self, on: str, times: int) -> None:
        self.on, self.times, self.renewed = on, times, 0

    def submit(self, function: Callable[[CellSpec], Answer], spec: CellSpec, /) -> Future[Answer]:
        future: Future[Answer] = Future()
        if spec.key == self.on and self.times:
            self.times -= 1
            future.set_exception(BrokenExecutor("a worker died"))
        else:
            future.set_result(function(spec))
        return future

    def renew(self) -> None:
        self.renewed += 1


@pytest.mark.parametrize(("times", "lost", "renewals"), [(1, [], 1), (9, ["k1"], 2)])
def test_a_cell_is_given_a_second_chance_by_itself(times: int, lost: list[str], renewals: int, tmp_path: Path) -> None:
    executor = Breaking("k1", times)
    outcomes = list(run_cells(specs(tmp_path), executor, window=2))
    assert sorted(outcome.key for outcome in outcomes) == ["k0", "k1", "k2", "k3"]
    assert [outcome.key for outcome in outcomes if outcome.error is not None] == lost
    assert executor.renewed == renewals


def test_an_engine_that_cannot_run_a_cell_is_a_failed_cell(tmp_path: Path) -> None:
    class Failing(InProcess):
        def submit(self, function: Any, spec: CellSpec, /) -> Future[Answer]:
            future: Future[Answer] = Future()
            future.set_exception(RuntimeError("no worker is left"))
            return future

    (outcome, *_) = run_cells(specs(tmp_path), Failing())
    assert outcome.error is not None
    assert "no worker is left" in outcome.error


class Elsewhere(InProcess):
    """Workers that see another folder, or whose cluster goes away."""

    def __init__(self, *, gone: bool = False) -> None:
        self.gone = gone

    def submit(self, function: Callable[[CellSpec], Answer], spec: CellSpec, /) -> Future[Answer]:
        future = super().submit(function, replace(spec, folder="/not/here"))
        if self.gone:
            future = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
        return future


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        (False, r"cannot read its data folder '/not/here'; needed: a folder that every worker can read; pass spool="),
        (True, "lost connection to the engine; finished runs are stored, resume the study"),
    ],
)
def test_what_is_no_fault_of_a_cell_stops_the_study_and_fails_none(gone: bool, message: str, tmp_path: Path) -> None:
    study = experiment("iris", "nb", kfold(2), store=tmp_path / "s.db", run=False)
    with pytest.raises(AssayError, match=message):
        study.run(executor=Elsewhere(gone=gone))
    assert study.progress() == {"todo": 4, "running": 0, "done": 0, "failed": 0}
    study.store.close()


def test_a_driver_waits_for_the_cells_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = experiment("iris", "nb", kfold(2), store=tmp_path / "s.db", run=False)
    (first, *_) = (cell["key"] for cell in study.store.cells("study", "key"))
    with study.store.driver("study") as other, ThreadPoolExecutor(1) as pool:
        assert other.claim([first])
        running = pool.submit(study.run, executor=InProcess(), lease=0.4)
        while study.progress()["done"] < 3:
            time.sleep(0.05)
        time.sleep(0.2)
        assert not running.done()
        assert other.finish(CellOutcome(first, error="by the other"))
        running.result()
    assert study.progress() == {"todo": 0, "running": 0, "done": 3, "failed": 1}
    assert capsys.readouterr().err == "Waiting for runs of other programs: 1.\n"
    study.store.close()


def test_a_window_that_grows_and_shrinks_is_followed(tmp_path: Path) -> None:
    sizes = iter([0, 3, 1, *[2] * 20])
    outcomes = list(run_cells(specs(tmp_path, 8), InProcess(), window=lambda: next(sizes)))
    assert sorted(outcome.key for outcome in outcomes) == [f"k{number}" for number in range(8)]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"backend": "abacus"}, "one of processes, dask, ray"),
        ({"jobs": 0}, "jobs is 0; needed: an integer of at least 1"),
        ({"address": "tcp://host:8786"}, "pass backend='dask'"),
        ({"spool": "/not/here"}, "cannot write to the folder '/not/here'"),
        ({"lease": 0}, "lease is 0; needed: a number of seconds above 0"),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_sentence(how: dict[str, Any], message: str, tmp_path: Path) -> None:
    study = experiment("iris", "nb", kfold(2), store=tmp_path / "s.db", run=False)
    with pytest.raises(InputError, match=message):
        study.run(**how)
    study.store.close()


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_missing_engine_is_named_with_its_extra(backend: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"pip install .*'{package}>="), engine(backend, jobs=2):
        pass


def test_a_class_the_training_part_lacks_has_probability_zero(tmp_path: Path) -> None:
    data = dataset_of("iris")
    (split, *_) = kfold(2).splits(data.target)
    lacking = type(split)(np.arange(100), np.arange(90, 150))
    spool(tmp_path / "data", data, [lacking])
    outcome = run_cell(CellSpec("k", "iris", "nb", 0, 0, str(tmp_path / "data"), 0, 3, learner_of("nb").recipe))
    assert outcome.predictions is not None
    probability = PredictedRows.unpacked(outcome.predictions).probability
    assert probability is not None
    assert probability.shape == (60, 3)
    assert (probability[:, 2] == 0).all()
    np.testing.assert_allclose(probability.sum(1), 1)
    assert outcome.train_cases == 100


@pytest.mark.parametrize(
    ("answer", "message"),
    [("np.full(len(X), 7)", "not a class code"), ("np.full(len(X), 0.5)", "not a class code")],
)
def test_labels_that_are_no_classes_are_a_failure(answer: str, message: str, tmp_path: Path) -> None:
    from tests.experiments.test_learners import Constant

    label = 7 if "7" in answer else 0.5
    given = Constant(label)  # type: ignore[arg-type]
    (spec, *_) = specs(tmp_path, given=given)
    outcome = run_cell(spec)
    assert outcome.error is not None
    assert message in outcome.error


def test_a_study_file_says_how_to_run_and_the_command_line_goes_before_it(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('datasets = ["iris"]\nlearners = ["nb"]\nplan = "holdout"\nbackend = "abacus"\nspool = "data"\n')
    (tmp_path / "data").mkdir()
    said = read_study(file)
    assert (said["backend"], said["spool"]) == ("abacus", str(tmp_path / "data"))
    run = CliRunner().invoke(command, ["run", str(file)])
    assert isinstance(run.exception, InputError)
    assert "unknown backend 'abacus'" in str(run.exception)
    again = CliRunner().invoke(command, ["run", str(file), "--backend", "processes", "--jobs", "1", "--lease", "9"])
    assert again.exit_code == 0, again.output
    assert "iris" in again.output
    assert list((tmp_path / "data").iterdir()) == []
