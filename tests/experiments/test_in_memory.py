"""A study without a store leaves nothing behind, and can be kept all the same."""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path

import pytest

import assay
from assay.errors import InputError
from assay.experiments import open_study
from assay.experiments.store import Store


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and another for what is only there for a while."""
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return tmp_path


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("jobs", [1, 2])
def test_it_runs_and_leaves_no_file(nowhere: Path, jobs: int) -> None:
    study = assay.experiment(["iris", "wine"], "nb", assay.plans.kfold(3), jobs=jobs)
    assert study.progress() == {"todo": 0, "running": 0, "done": 12, "failed": 0}
    assert study.estimate("iris", "nb") > 0.9
    assert study.evaluation("wine", "nb").n == 178
    assert repr(study.store) == "Store('memory')"
    assert files_in(nowhere) == []


def test_two_of_them_know_nothing_of_each_other() -> None:
    one = assay.experiment("iris", "nb", assay.plans.kfold(2), jobs=1)
    other = assay.experiment("iris", "nb", assay.plans.kfold(3), run=False)
    assert one.progress()["done"] == 4
    assert other.progress() == {"todo": 6, "running": 0, "done": 0, "failed": 0}


def test_it_is_kept_by_saving_it(nowhere: Path) -> None:
    study = assay.experiment("iris", "nb", assay.plans.kfold(3), jobs=1)
    study.save("kept.db")
    assert files_in(nowhere) == ["kept.db"]
    again = open_study("kept.db")
    assert again.wide().to_dict() == study.wide().to_dict()
    again.store.close()
    gone_on = assay.experiment("iris", ["nb", "tree"], assay.plans.kfold(3), store="kept.db", run=False)
    assert gone_on.progress() == {"todo": 3, "running": 0, "done": 6, "failed": 0}
    gone_on.store.close()


def test_saving_overwrites_nothing(nowhere: Path) -> None:
    study = assay.experiment("iris", "nb", assay.plans.kfold(2), jobs=1)
    Path("kept.db").write_text("precious", encoding="utf-8")
    with pytest.raises(InputError, match=r"the file 'kept.db' exists already"):
        study.save("kept.db")
    assert Path("kept.db").read_text(encoding="utf-8") == "precious"
    with pytest.raises(InputError, match=r"nothing can be written to 'no/folder/kept.db'"):
        study.save("no/folder/kept.db")


def test_what_nobody_holds_any_more_is_let_go() -> None:
    store = Store()
    let_go = store._letting_go
    assert let_go is not None
    assert let_go.alive  # type: ignore[attr-defined]
    del store
    gc.collect()
    assert not let_go.alive  # type: ignore[attr-defined]
