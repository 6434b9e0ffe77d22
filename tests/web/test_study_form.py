"""The form of a study: what is filled in becomes what a study file says, whatever was typed."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.samples import HOSTILE

from assay.errors import AssayError
from assay.experiments.learners import PRESETS
from assay.experiments.plans import FACTORIES, plan_of
from assay.experiments.study_file import study_of, study_text
from assay.web.study_form import plan_options, preset_settings, study_asked, typed_values

TREE: dict[str, Any] = {"preset": "tree"}


def asked(**more: Any) -> dict[str, Any]:
    return study_asked({"datasets": [{"name": "iris"}], "learners": [TREE], **more})


def test_what_was_left_empty_is_left_out() -> None:
    empty = {"seed": "", "jobs": "", "cell_timeout": "", "keep_models": False, "plan": None, "inner": {}}
    assert asked(**empty) == {"datasets": ["iris"], "learners": [{"preset": "tree"}]}


def test_everything_a_form_has_reaches_the_file() -> None:
    table = {"path": "a.csv", "target": "y", "positive": "1", "group": "p", "split": "f", "ignore": ["id"], "test": ""}
    tuned = {"preset": "svm", "name": "tuned", "settings": {"C": "0.1, 1", "kernel": "rbf"}, "several": "tune"}
    said = study_asked(
        {
            "datasets": [{"name": "wine"}, table],
            "learners": [{**tuned, "folds": "5"}, {"path": "sklearn.svm.SVC", "settings": {"C": "2"}}],
            "plan": {"kind": "kfold", "folds": "5", "stratified": False},
            "inner": {"kind": "holdout", "test": "0.25"},
            "seed": "7",
            "jobs": "2",
            "cell_timeout": "1.5",
            "keep_models": True,
        }
    )
    inner = {"kind": "holdout", "test": 0.25}
    assert said["plan"] == {"kind": "kfold", "folds": 5, "stratified": False, "inner": inner}
    assert {key: said[key] for key in ("seed", "jobs", "cell_timeout", "keep_models")} == {
        "seed": 7,
        "jobs": 2,
        "cell_timeout": 1.5,
        "keep_models": True,
    }
    assert said["datasets"][1] == {key: value for key, value in table.items() if value}
    assert said["learners"] == [
        {"name": "tuned", "preset": "svm", "params": {"kernel": "rbf"}, "tune": {"C": [0.1, 1]}, "folds": 5},
        {"path": "sklearn.svm.SVC", "params": {"C": 2}},
    ]


@pytest.mark.parametrize(
    "form",
    [
        {"learner": []},
        {"datasets": "iris"},
        {"datasets": [{"nmae": "iris"}]},
        {"learners": [{"preset": "tree", "grid": {}}]},
        {"learners": [{"preset": "tree", "several": "all"}]},
        {"learners": [{"preset": "tree", "folds": "5"}]},
        {"inner": {"kind": "kfold"}},
        {"datasets": [{"name": "x" * 3000}]},
        {"datasets": [{"name": ["iris"]}]},
        {"datasets": [{"name": "iris"}] * 501},
        "iris",
        [1],
    ],
)
def test_what_no_form_sends_is_refused_by_name(form: Any) -> None:
    with pytest.raises(AssayError):
        study_asked(form)


ANYTHING: Any = st.recursive(
    st.sampled_from([*HOSTILE[:10], None, True, 3, 2.5, "tree", "iris", "kfold", "1, 2", "grid", "tune"]),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["datasets", "learners", "plan", "inner", "seed", "name", "path", "preset", "settings", "kind"]
            ),
            inside,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(ANYTHING)
def test_whatever_is_sent_becomes_a_file_or_one_sentence(form: Any) -> None:
    with suppress(AssayError):
        text = study_text(study_asked(form))
        tomllib.loads(text)
        study_of(text, Path("study.toml"))


@pytest.mark.parametrize("name", HOSTILE[:9])
def test_hostile_names_stay_names(name: str) -> None:
    form = {
        "datasets": [{"path": "a.csv", "target": name, "ignore": [name]}],
        "learners": [{"preset": "tree", "name": name, "settings": {"criterion": name}}],
    }
    said = tomllib.loads(study_text(study_asked(form)))
    assert said["datasets"] == [{"path": "a.csv", "target": name, "ignore": [name]}]
    assert said["learners"][0]["name"] == name
    assert set(said) == {"datasets", "learners"}


@pytest.mark.parametrize("text", ['1\nstore = "/etc/x"', "1 } , x = { y = 1", '"a"\n[b]', "1 # x", "1\rx = 2"])
def test_no_value_says_more_than_a_value(text: str) -> None:
    """What is typed into a setting cannot become another line or table of the file."""
    said = asked(learners=[{"preset": "tree", "settings": {"max_depth": text}}])
    assert set(tomllib.loads(study_text(said))) == {"datasets", "learners"}
    assert set(said["learners"][0]) <= {"preset", "params", "grid"}


def test_values_are_told_apart_as_one_reads_them() -> None:
    assert typed_values("1, 2,", "x") == [1, 2]
    assert typed_values("a, b c", "x") == ["a", "b c"]
    assert typed_values("true", "x") == [True]
    assert typed_values('"1"', "x") == ["1"]


def test_every_plan_that_is_offered_can_be_made_with_what_it_offers() -> None:
    offered = plan_options()
    assert set(offered) == set(FACTORIES)
    for kind, plan in offered.items():
        options = {name: value for name, value in plan["options"].items() if value is not None}
        assert plan_of({"kind": kind, **options}) == plan_of(kind)
        assert plan["title"].endswith(".")


def test_every_preset_is_offered_with_settings_it_has() -> None:
    from assay.experiments.learners import learner_of

    offered = preset_settings()
    assert set(offered) == set(PRESETS) - {"dummy"}
    for name, settings in offered.items():
        if "max_iter" in settings:
            assert learner_of({"preset": name, "params": {"max_iter": 3}})
    assert offered["tree"]["criterion"] == "gini"
    assert offered["logistic"]["max_iter"] == "1000"
    assert offered["threshold"]["classifier"] == "logistic"
