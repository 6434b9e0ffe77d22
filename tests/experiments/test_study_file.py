"""What is written as a study file is read as the very same."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.experiments.study_file import read_study, study_text, toml_value

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
PLAIN = st.one_of(
    TEXTS, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.sampled_from([0.1, math.inf])
)
VALUES: Any = st.recursive(
    PLAIN, lambda inside: st.lists(inside, max_size=3) | st.dictionaries(TEXTS, inside, max_size=3), max_leaves=8
)


@given(VALUES)
def test_a_value_is_read_as_it_was_written(value: Any) -> None:
    assert tomllib.loads(f"x = {toml_value(value)}")["x"] == value


@given(st.dictionaries(TEXTS, VALUES, max_size=3), st.lists(st.dictionaries(TEXTS, VALUES, max_size=3), max_size=3))
def test_a_study_is_read_as_it_was_written(more: dict[str, Any], learners: list[Any]) -> None:
    said = {**more, "datasets": ["iris"], "learners": learners}
    assert tomllib.loads(study_text(said)) == said


@pytest.mark.parametrize("value", [None, object(), b"x", "\ud800", {"a": None}, ["\udfff"]])
def test_what_toml_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(InputError):
        toml_value(value)


def test_the_example_is_read_again_as_it_was(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "study.toml"
    said = tomllib.loads(example.read_text(encoding="utf-8"))
    again = tmp_path / "study.toml"
    again.write_text(study_text(said), encoding="utf-8")
    assert {key: value for key, value in read_study(again).items() if key != "store"} == {
        key: value for key, value in read_study(example).items() if key != "store"
    }
