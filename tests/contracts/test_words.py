"""`assay explain` answers every word that any screen shows, and `assay measures` lists every measure."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.contracts.code import FILES, name_of, nodes_of, refuse
from tests.contracts.shown_words import shown_words

from assay.cautions import rules
from assay.errors import UnknownName
from assay.measures import FORMS, FORMS_OF_MANY, Measure, on_request, on_request_of_many, registry, registry_of_many
from assay.report.answers import render
from assay.report.explanations import Word, explained, listed_measures, look_up
from assay.report.glossary import ALSO, KINDS, word_key, words_by_key

FORMED = (form.example for form in (*FORMS.values(), *FORMS_OF_MANY.values()))
EVERY = {*registry, *registry_of_many, *on_request, *on_request_of_many, *FORMED}
WORDS_PAGE = Path(__file__).parents[2] / "docs" / "words.md"

# Where names of words have sentences about something else.
ABOUT_ELSE = {
    "measures/interval_methods.py": "why a method is not the default",
    "experiments/estimates.py": "what an estimate of a study is of",
    "experiments/plans.py": "how a plan splits cases, with its numbers",
    "evaluation/reduction.py": "why evidence cannot hold such a column",
    "request/predictions.py": "how an option is given beside a kind of source",
}


@pytest.fixture(scope="module")
def shown() -> set[str]:
    """Every name that answers about the samples print."""
    return shown_words()


def test_every_word_that_is_shown_is_explained(shown: set[str]) -> None:
    assert len(shown) > 150
    unknown = []
    for word in sorted(shown):
        try:
            render(explained(word), "table")
        except UnknownName:
            unknown.append(word)
    assert unknown == []


@pytest.mark.parametrize("name", sorted(EVERY))
def test_every_measure_and_its_interval_methods_are_explained(name: str) -> None:
    (found,) = look_up(name)
    assert isinstance(found, Measure)
    for word in (found.title, *found.aliases, *found.intervals.methods):
        assert look_up(word), word


def test_every_caution_is_explained() -> None:
    assert all(rule.explanation in render(explained(code), "table") for code, rule in rules.items())


def test_the_words_of_the_documents_are_explained() -> None:
    rows = [line.split("|")[1].strip() for line in WORDS_PAGE.read_text(encoding="utf-8").splitlines() if "|" in line]
    words = [word for row in rows[2:] for word in row.split(", ")]
    assert len(words) > 25
    assert all(look_up(word) for word in words)


def test_every_word_has_one_meaning_and_every_spelling_a_word() -> None:
    names = [name for words in KINDS.values() for name in words]
    assert len(names) == len(set(names))
    assert all(meaning.endswith(".") for words in KINDS.values() for meaning in words.values())
    assert all(isinstance(look_up(name)[0], Word) for name in ALSO)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("macro_f1", "Macro F1 (macro_f1)"),
        ("Newcombe 5", "Newcombe 5 (interval method)"),
        ("slope", "Calibration slope (calibration)"),
        ("skill", "Skill (calibration)"),
        ("Hand-Till M", "Hand-Till M (hand_till)"),
        ("cannot tell", "cannot tell (verdict)"),
        ("Wilson, effective n 104.6", "effective n (part of a method's name)"),
        ("score test (Tango), Bonferroni over 3 comparisons", "Tango (test of a difference)"),
        ("A305", "A305"),
    ],
)
def test_examples(asked: str, words: str) -> None:
    assert words in render(explained(asked), "table")
    assert json.loads(render(explained(asked), "json"))


@pytest.mark.parametrize(
    ("asked", "meant"), [("Wilsn", "Wilson"), ("acuracy", "accuracy"), ("slpe", "Calibration slope")]
)
def test_what_is_unknown_gets_what_is_near(asked: str, meant: str) -> None:
    with pytest.raises(UnknownName, match=f"did you mean .*{meant}"):
        look_up(asked)


def texts_by_name() -> Iterator[tuple[str, dict[str, str]]]:
    """Every mapping of names to texts that is written down."""
    for path in FILES:
        for node in nodes_of(path):
            if isinstance(node, ast.Dict):
                pairs = zip(node.keys, node.values, strict=True)
                yield (
                    f"{name_of(path)}:{node.lineno}",
                    {
                        key.value: text.value
                        for key, text in pairs
                        if isinstance(key, ast.Constant) and isinstance(text, ast.Constant)
                        if isinstance(key.value, str) and isinstance(text.value, str)
                    },
                )


def test_words_are_explained_in_one_place() -> None:
    """Sentences under the names of words of the glossary, anywhere else, would be a second one."""
    words = words_by_key()
    found = (
        (place, [name for name, text in texts.items() if len(text) > 30 and word_key(name) in words])
        for place, texts in texts_by_name()
        if not place.startswith(("report/glossary.py", *ABOUT_ELSE))
    )
    refuse(f"{place} explains {', '.join(names)}" for place, names in found if len(names) > 1)


def test_names_are_given_titles_in_one_place() -> None:
    """Two mappings with the same titles for the same names would part one day."""
    seen: dict[tuple[str, str], str] = {}
    again: dict[tuple[str, str], list[str]] = {}
    for place, texts in texts_by_name():
        for pair in texts.items():
            if pair in seen and seen[pair] != place and pair[0] != pair[1]:
                again.setdefault((seen[pair], place), []).append(pair[0])
            seen.setdefault(pair, place)
    refuse(f"{one} and {other} both have {', '.join(names)}" for (one, other), names in again.items() if len(names) > 2)


def test_all_measures_are_listed() -> None:
    text, record = render(listed_measures(), "table"), json.loads(render(listed_measures(), "json"))
    assert set(record) == EVERY
    assert all(re.search(rf"^ +{re.escape(name)} ", text, re.MULTILINE) for name in EVERY)
