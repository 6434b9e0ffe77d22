"""The grid of learners by data sets: what is done, running and failed, and the accuracy so far."""

from __future__ import annotations

import pytest
from tests.experiments.learning import Fussy

import assay
from assay.experiments import experiment
from assay.experiments.study_grid import StudyGrid


def test_the_grid_has_the_states_and_the_figures_of_the_store() -> None:
    study = experiment(["iris", "wine"], {"nb": "nb", "fussy": Fussy(-1.0)}, assay.plans.kfold(3), run=False)
    grid = StudyGrid(study.datasets, study.learners).look(study)
    assert {entry.words() for entry in grid.entries.values()} == {"    -  0/3"}
    study.run(jobs=1, progress=False)
    grid.look(study)
    for (dataset, learner), entry in grid.entries.items():
        if learner == "fussy":
            assert (entry.failed, entry.words()) == (3, "    -  3/3 3 failed")
            continue
        _, target = study.truth(dataset)
        right = sum((rows.label == target[rows.rows]).sum() for _, rows in study.tested(dataset, learner))
        assert (entry.done, entry.right, entry.tested) == (3, right, len(target))
    known = set(grid.known)
    assert grid.look(study).known == known
    assert [row[0] for row in grid.rows()] == list(study.learners)
    study.store.close()


def test_a_terminal_sees_the_grid_while_cells_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # a stream that stands for a terminal
    study = experiment(["iris", "wine"], "nb", assay.plans.kfold(3), jobs=1, progress=True)
    shown = capsys.readouterr().err
    for part in ("iris", "wine", "dummy", "Accuracy so far", "cells"):
        assert part in shown
    study.store.close()


def test_the_test_part_is_not_shown_where_learners_are_chosen_on_another() -> None:
    study = experiment("iris", "nb", assay.plans.train_validation_test(), jobs=1, progress=False)
    grid = StudyGrid(study.datasets, study.learners).look(study)
    assert grid.entries["iris", "nb"].words() == "    -  1/1"
    study.store.close()
