"""What was stored by an import path is read after the module moved: pickles, recipes and the digests of cells."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, cast

import pytest

import assay
from assay import curves
from assay.curves import roc_hull
from assay.evidence import ScoreTable
from assay.experiments.learners import Learner, estimator_of, learner_of, recipe_of
from assay.experiments.validation_learners import PrunedTree
from assay.moved import MOVED, current_path, stored_path

TABLE = ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])


@pytest.fixture
def moved() -> Iterator[dict[str, str]]:
    """The table of moves, to add rows to; what was loaded by them is forgotten."""
    rows, before, loaded = cast("dict[str, str]", MOVED), dict(MOVED), set(sys.modules)
    yield rows
    rows.clear()
    rows.update(before)
    for name in set(sys.modules) - loaded:
        if name.startswith("assay."):
            del sys.modules[name]


def pickled_as(thing: Any, old: str) -> bytes:
    """A pickle of before the module of a thing was moved from `old`."""
    return pickle.dumps(thing, protocol=0).replace(type(thing).__module__.encode() + b"\n", old.encode() + b"\n")


def test_a_pickle_of_a_moved_class_loads(moved: dict[str, str]) -> None:
    old = pickled_as(TABLE, "assay.evidence.formerly")
    with pytest.raises(ModuleNotFoundError, match="formerly"):
        pickle.loads(old)
    moved["assay.evidence.formerly"] = ScoreTable.__module__
    assert pickle.loads(old) == TABLE
    assert type(pickle.loads(old)) is ScoreTable


def test_a_module_that_moved_twice_or_in_parts_is_found(moved: dict[str, str]) -> None:
    moved["assay.evidence.first"] = "assay.evidence.second"
    moved["assay.evidence.second"] = "assay.measures.elsewhere"
    moved["assay.evidence.first.ScoreTable"] = f"{ScoreTable.__module__}.ScoreTable"
    assert pickle.loads(pickled_as(TABLE, "assay.evidence.first")) == TABLE


def test_a_package_that_moved_is_found_with_its_modules(moved: dict[str, str]) -> None:
    moved["assay.formerly"] = "assay.evidence"
    last = ScoreTable.__module__.rpartition(".")[2]
    assert pickle.loads(pickled_as(TABLE, f"assay.formerly.{last}")) == TABLE


def test_an_old_module_covers_no_function_of_its_package(moved: dict[str, str]) -> None:
    """Modules were called as functions are: `assay.curves.dominance` held the function `dominance`."""
    hull = roc_hull(TABLE)
    old = pickled_as(hull, "assay.curves.roc_hull")
    moved["assay.curves.roc_hull"] = type(hull).__module__
    assert type(pickle.loads(old)) is type(hull)
    assert curves.roc_hull is roc_hull
    assert isinstance(import_module("assay.curves.roc_hull"), ModuleType)


def test_a_name_that_is_nowhere_is_an_error(moved: dict[str, str]) -> None:
    moved["assay.evidence.formerly"] = ScoreTable.__module__
    with pytest.raises(AttributeError, match="Nowhere"):
        _ = import_module("assay.evidence.formerly").Nowhere
    with pytest.raises(ModuleNotFoundError):
        import_module("assay.evidence.never")


def test_recipes_are_followed_and_digests_stay_wherever_a_learner_is(moved: dict[str, str]) -> None:
    old = {"path": "assay.experiments.formerly.PrunedTree", "params": {"max_depth": 2}}
    moved["assay.experiments.formerly.PrunedTree"] = "assay.experiments.pruned.PrunedTree"
    made = estimator_of(old)
    assert type(made) is PrunedTree
    new = recipe_of(made)
    assert new is not None
    assert new["path"] == "assay.experiments.validation_learners.PrunedTree"
    assert Learner("tree", new).hash == Learner("tree", old).hash
    within = {"path": "sklearn.ensemble.BaggingClassifier", "params": {"estimator": new}}
    assert Learner("bag", within).hash == Learner("bag", {**within, "params": {"estimator": old}}).hash


def test_learners_hash_as_before_where_nothing_moved() -> None:
    learner = "assay.experiments.validation_learners.PrunedTree"
    assert current_path(stored_path(learner)) == learner
    assert learner_of("tree").hash != learner_of("stump").hash


@pytest.mark.parametrize("old", [*MOVED] or ["assay.evidence"])
def test_every_move_leads_somewhere(old: str) -> None:
    """Also where a module of the old name is there again: it has what was taken from it."""
    path = current_path(old)
    module, _, name = path.rpartition(".")
    assert path in sys.modules or hasattr(import_module(module), name) or import_module(path)
    assert assay.__name__ == "assay"
    before, _, of_before = old.rpartition(".")
    if of_before[0].isupper():
        assert getattr(import_module(before), of_before) is getattr(import_module(module), name)
