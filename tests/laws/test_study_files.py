"""A study file in which anything was changed is a study or one sentence, and never another exception."""

from __future__ import annotations

import datetime
import math
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.fuzzing import fuzzed

from assay.errors import AssayError
from assay.experiments import experiment
from assay.experiments.study_file import HOW, read_study
from assay.request import StudyRequest

ROWS = "size,kind\n" + "".join(f"{i * 37 % 50},{'spam' if i * 17 % 50 > 25 else 'ham'}\n" for i in range(24))
STUDY: dict[str, Any] = {
    "name": "mail",
    "seed": 3,
    "store": "mail.db",
    "jobs": 1,
    "backend": "here",
    "spool": ".",
    "lease": 60.0,
    "cell_timeout": 9.0,
    "plan": {"kind": "repeated_kfold", "folds": 2, "repeats": 1, "stratified": True, "inner": {"kind": "kfold"}},
    "datasets": [{"path": "mail.csv", "target": "kind", "positive": "spam", "ignore": [], "name": "mail"}],
    "learners": [
        "nb",
        {"preset": "tree", "params": {"max_depth": 2}, "tune": {"max_depth": [1, 2]}, "folds": 2, "name": "tuned"},
        {"path": "sklearn.pipeline.Pipeline", "params": {"steps": [{"tuple": ["a", {"path": "sklearn.svm.SVC"}]}]}},
        {"preset": "stump", "grid": {"criterion": ["gini", "entropy"]}},
    ],
}
ODD = [
    *(-1, 0, 1, 2.5, math.nan, math.inf, 10**30, True, "", "x", "a\0b", "os.system", "nonsense://x", "../no/where"),
    *(datetime.date(2026, 1, 1), [], [1], [[]], ["x"], {}, {"a": 1}, {"path": 3}, {"tuple": 3}, {"name": "os.system"}),
    *({"dict": 1}, {"path": "sklearn.svm.SVC", "params": 3}, [{"name": "iris"}], {"kind": "kfold", "folds": "x"}),
]


def written(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(f"\\u{ord(each):04X}" if ord(each) < 32 else each for each in value) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {written(each)}" for key, each in value.items()) + "}"
    return str(value)


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a study: what could be changed."""
    inside = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield (*here, key)
        yield from places(each, (*here, key))


PLACES = list(places(STUDY))


def changed(value: Any, place: tuple[Any, ...], to: Any) -> Any:
    """The same study with something else at a place; nothing at all there where `to` is ..."""
    head, *rest = place
    pairs = list(value.items() if isinstance(value, Mapping) else enumerate(value))
    new = [(key, (changed(each, tuple(rest), to) if rest else to) if key == head else each) for key, each in pairs]
    kept = [(key, each) for key, each in new if each is not ...]
    return dict(kept) if isinstance(value, Mapping) else [each for _, each in kept]


CHANGES = st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from([*ODD, ...])), min_size=1, max_size=2)


@fuzzed(150)
@given(changes=CHANGES)
def test_a_study_file_is_a_study_or_one_sentence(changes: list[tuple[Any, Any]], tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("study")
    said = STUDY
    for place, to in changes:
        try:
            said = changed(said, place, to)
        except (AttributeError, TypeError):
            continue  # the first change took the place of the second away
    (folder / "mail.csv").write_text(ROWS)
    (folder / "study.toml").write_text("\n".join(f"{key} = {written(value)}" for key, value in said.items()))
    sentence = ""
    try:
        read = read_study(folder / "study.toml")
        StudyRequest.of({name: read.pop(name) for name in HOW if name in read})
        study = experiment(**read, run=False)
        assert study.progress()["todo"] > 0
        study.store.close()
    except AssayError as error:
        sentence = str(error)
    assert "\n" not in sentence
    assert len(sentence) < 700, sentence
    shutil.rmtree(folder)
