"""Cards: said of a model by name, shown everywhere as text that can do nothing, refused where a field is unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from docs.schemas import evaluation_schema
from jsonschema import Draft202012Validator

import assay
from assay.errors import AssayError, InputError, OptionError
from assay.request import CARD_FIELDS, checked_card

TRUTH, SCORE = [0, 1, 1, 0, 1, 0, 0, 1] * 3, [0.1, 0.9, 0.6, 0.7, 0.8, 0.2, 0.3, 0.4] * 3
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e & co"


def test_a_card_is_part_of_the_record_and_of_the_text() -> None:
    ev = assay.evaluate(TRUTH, SCORE, card={"trust": "audited", "interpretability": "eight leaves"})
    assert ev.card is not None
    assert dict(ev.card) == {"interpretability": "eight leaves", "trust": "audited"}
    assert ev.to_dict()["card"] == dict(ev.card)
    Draft202012Validator(evaluation_schema()).validate(json.loads(json.dumps(ev.to_dict())))
    assert "eight leaves" in repr(ev)
    assert "As stated by the author of the card; not measured or checked by Assay." in repr(ev)
    assert "card" not in assay.evaluate(TRUTH, SCORE).to_dict()
    assert ev.at(0.3).card == ev.card


def test_every_field_of_the_notes_is_there() -> None:
    asked = {"training_speed", "use_speed", "robustness", "scalability", "interpretability", "availability", "trust"}
    assert asked | {"model_size", "bias", "intended_use"} <= set(CARD_FIELDS)


@pytest.mark.parametrize("form", ["toml", "json"])
def test_a_card_may_be_a_file(tmp_path: Path, form: str) -> None:
    file = tmp_path / f"card.{form}"
    file.write_text('trust = ["a", 2]\ndate = 2031-05-01\n' if form == "toml" else '{"trust": ["a", 2]}')
    ev = assay.evaluate(TRUTH, SCORE, card=file)
    assert ev.card is not None
    assert ev.card["trust"] == "a; 2"


WRONG: dict[str, tuple[Any, str]] = {
    "an unknown field": ({"trsut": "x"}, "unknown card field 'trsut'; did you mean trust"),
    "another": ({"astrology": "x"}, "unknown card field 'astrology'; needed: one of name"),
    "nothing": ({}, "card is"),
    "a number": (7, "card is '7'"),
    "a field that is a table": ({"trust": {"a": 1}, "bias": "x"}, "trust of card is"),
    "an empty text": ({"trust": " "}, "trust of card is"),
    "a long one": ({"trust": "x" * 3000}, "3,000 characters"),
    "no such file": ("none.toml", "there is no file"),
    "another kind of file": ("card.yaml", "ends in .toml or .json"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_card_is_refused_in_one_sentence(name: str) -> None:
    value, said = WRONG[name]
    with pytest.raises(AssayError, match=said) as refused:
        assay.evaluate(TRUTH, SCORE, card=value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_no_toml_is_said(tmp_path: Path) -> None:
    (tmp_path / "card.toml").write_text("trust = ")
    with pytest.raises(OptionError, match="cannot be read"):
        checked_card(tmp_path / "card.toml")


def test_several_models_have_a_card_each_by_name() -> None:
    two = {"a": SCORE, "b": SCORE[::-1]}
    found = assay.evaluate_models(TRUTH, two, card={"b": {"trust": "little"}})
    assert found["a"].card is None
    assert found["b"].card == {"trust": "little"}
    with pytest.raises(InputError, match="card for each by name: a, b"):
        assay.evaluate_models(TRUTH, two, card={"trust": "little"})
    with pytest.raises(InputError, match="card is of a model 'c'"):
        assay.evaluate_models(TRUTH, two, card={"c": {"trust": "little"}})


def test_hostile_text_does_nothing(tmp_path: Path) -> None:
    ev = assay.evaluate(TRUTH, SCORE, card={"trust": HOSTILE})
    assert "\x1b" not in repr(ev)
    assert "\u202e" not in repr(ev)
    ev.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page
    assert "alert(1)" in page
    assert "\u202e" not in page
