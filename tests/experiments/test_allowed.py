"""Nothing in a study file or a store is run that the user did not allow: no function, no module's import, no part."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.experiments.learning import Fussy

from assay.errors import InputError
from assay.experiments import experiment, open_study
from assay.experiments.learners import estimator_of, learner_of, learners_of
from assay.experiments.plans import holdout

TOUCH = {"path": "os.system", "params": {"command": "touch run"}}
STEP = {"tuple": ["step", TOUCH]}
HIDDEN: dict[str, dict[str, Any]] = {
    "learner": TOUCH,
    "step": {"path": "sklearn.pipeline.Pipeline", "params": {"steps": [STEP]}},
    "base": {"path": "sklearn.ensemble.BaggingClassifier", "params": {"estimator": TOUCH}},
    "function": {"path": "sklearn.preprocessing.FunctionTransformer", "params": {"func": {"name": "os.system"}}},
    "in a dict": {"path": "sklearn.svm.SVC", "params": {"class_weight": {"dict": {"a": TOUCH}}}},
    "in a table": {"path": "sklearn.svm.SVC", "params": {"class_weight": {"a": [TOUCH]}}},
    "in a grid": {"path": "sklearn.svm.SVC", "params": {}, "tune": {"C": [TOUCH]}},
    "of a package called alike": {"path": "sklearn_evil.Learner", "params": {}},
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("where", HIDDEN)
def test_a_study_file_cannot_name_what_was_not_allowed(where: str, here: Path) -> None:
    with pytest.raises(InputError, match=r"from a package that is not allowed; .*; pass allow="):
        learners_of([HIDDEN[where]])
    assert not (here / "run").exists()


@pytest.mark.parametrize("where", ["learner", "step", "base", "function"])
def test_a_store_cannot_either(where: str, here: Path) -> None:
    experiment("iris", {"nb": "nb"}, holdout(), store="s.db", jobs=1).store.close()
    with closing(sqlite3.connect("s.db")) as connection:
        (text,) = connection.execute("SELECT definition FROM studies").fetchone()
        said = json.loads(text)
        said["learners"][1]["recipe"] = HIDDEN[where]
        connection.execute("UPDATE studies SET definition = ?, checksum = NULL", (json.dumps(said),))
        connection.commit()
    with pytest.raises(InputError, match=r"'os.system' is from a package that is not allowed"):
        open_study("s.db", to_run=True)
    open_study("s.db").store.close()  # to read it nothing is made
    assert not (here / "run").exists()


def test_an_allowed_package_still_gives_classes_with_fit_and_predict_only(here: Path) -> None:
    call = {"path": "subprocess.call", "params": {"args": ["touch", "run"]}}
    with pytest.raises(InputError, match=r"subprocess.call is not an estimator class; needed: a class with fit"):
        learners_of([call], allow="subprocess")
    assert not (here / "run").exists()


def test_a_folder_of_pickles_is_not_followed() -> None:
    pipeline = {"path": "sklearn.pipeline.Pipeline", "params": {"steps": [], "memory": "cache"}}
    with pytest.raises(InputError, match="a learner has memory: a folder of pickled parts, which can run code"):
        learners_of([pipeline])


def test_what_a_package_merely_imports_is_not_its_own() -> None:
    with pytest.raises(InputError, match=r"no class 'sklearn.datasets._base.urlretrieve'"):
        estimator_of({"path": "sklearn.datasets._base.urlretrieve"})


def test_a_module_is_not_imported_before_it_is_allowed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "eager.py").write_text("open('run', 'w').close()\n")
    monkeypatch.syspath_prepend(str(here))
    with pytest.raises(InputError, match="pass allow='eager'"):
        learners_of(["eager.Learner"])
    assert not (here / "run").exists()
    with pytest.raises(InputError, match=r"no class 'eager.Learner'"):
        learners_of(["eager.Learner"], allow=["eager"])
    assert (here / "run").exists()


def test_objects_are_allowed_and_their_store_asks_again() -> None:
    given = {"mine": Fussy(5.1), "logs": make_pipeline(FunctionTransformer(np.log1p), SVC())}
    study = experiment("iris", given, holdout(), store="s.db", jobs=1)
    assert study.progress()["done"] == 3
    study.store.close()
    with pytest.raises(InputError, match="pass allow='tests'"):
        open_study("s.db", to_run=True)
    with pytest.raises(InputError, match="pass allow='numpy'"):
        open_study("s.db", to_run=True, allow="tests")
    open_study("s.db", to_run=True, allow=("tests", "numpy")).store.close()


def test_the_command_line_names_its_option(run: Run, here: Path) -> None:
    (here / "study.toml").write_text(
        'datasets = ["iris"]\nplan = "holdout"\nbackend = "here"\nlearners = ["tests.experiments.learning.Fussy"]\n'
    )
    for command in ("run", "curve"):
        refused = run("experiment", command, "study.toml")
        assert (refused.code, refused.out) == (3, "")
        assert refused.err.endswith("; type --allow tests\n")
    allowed = run("experiment", "run", "study.toml", "--allow", "tests", "--quiet")
    assert allowed.code in (0, 1)
    assert "Fussy" in allowed.out
    again = run("experiment", "resume", "study.db")
    assert again.err.endswith("; type --allow tests\n")


def test_a_study_file_cannot_allow_itself(run: Run, here: Path) -> None:
    (here / "study.toml").write_text('datasets = ["iris"]\nlearners = ["os.system"]\nallow = ["os"]\n')
    assert "has 'allow'" in run("experiment", "run", "study.toml").err


def test_presets_need_no_leave() -> None:
    assert learner_of("svm").recipe["path"] == "sklearn.pipeline.Pipeline"
