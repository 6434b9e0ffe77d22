"""What a study found is worked out once: no page and no table evaluates a cell a second time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.report.many import study

from assay.evaluation import Evaluation, evaluate
from assay.experiments import Study, experiment, optimism, results
from assay.experiments.estimates import FoldScores
from assay.experiments.results import KeptScores
from assay.predictions import Predictions

ASKED: dict[str, Callable[[Study, Path], object]] = {
    "page": lambda found, folder: found.report(folder / "page.html"),
    "page of probabilities": lambda found, folder: found.report(folder / "page.html", "log_loss"),
    "table": lambda found, folder: found.table(),
    "wide": lambda found, folder: found.wide(),
    "costs": lambda found, folder: found.costs(),
    "cells": lambda found, folder: found.folds("accuracy", "f1", "roc_auc"),
    "comparison": lambda found, folder: found.compare("small", "nb", "stump"),
}


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Study]:
    found = study(tmp_path)
    yield found
    found.store.close()


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Predictions]:
    """What each evaluation from now on is of."""
    seen: list[Predictions] = []

    def watched(rows: Predictions) -> Evaluation:
        seen.append(rows)
        return evaluate(rows)

    for module in (results, optimism):
        monkeypatch.setattr(module, "evaluate", watched)
    return seen


@pytest.mark.parametrize("asked", ASKED)
def test_a_cell_is_evaluated_at_most_once(
    asked: str, two: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = counted(monkeypatch)
    ASKED[asked](two, tmp_path)
    assert 0 < len(seen) <= two.progress()["done"]


def test_another_page_of_the_same_measure_evaluates_nothing(
    two: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.table()
    seen = counted(monkeypatch)
    two.report(tmp_path / "page.html")
    two.folds()
    assert not seen


def test_cells_that_are_new_are_not_missed(two: Study) -> None:
    """Another program runs what this one has looked at."""
    assert len(two.fold_scores("small", "nb").values) == 5
    assert two.given is not None
    experiment(*two.given, "five_by_two", store=two.store.place, jobs=1, progress=False).store.close()
    assert len(two.fold_scores("small", "nb").values) == 10


def test_so_much_is_kept_and_no_more() -> None:
    kept, scores = KeptScores(most=100), FoldScores("accuracy", *np.ones((3, 10)))
    for key in range(5):
        kept.found(key, lambda: scores)
    assert [key in kept for key in range(5)] == [False, False, False, True, True]
