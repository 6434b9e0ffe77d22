"""JUnit output: read back by a parser, whatever names it holds."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.testing import Gate, to_junit

Columns = dict[str, list[Any]]
REQUIREMENTS = {"pass": "roc_auc >= 0.8", "fail": "roc_auc >= 0.99", "inconclusive": "accuracy > 0.8625"}
HOSTILE = ["<a>&\"'", "]]>", "<!--", "\x00\x08\x1b[2J", "\ud800", "\ufffe", "a\nb\r\tc", "é\U0001f600", "<?xml?>"]


def outcomes(columns: Columns) -> list[Any]:
    gate = Gate.of(columns["target"], columns["good"])
    found = [gate.check(text)[0] for text in REQUIREMENTS.values()]
    assert [outcome.status for outcome in found] == list(REQUIREMENTS)
    return found


def test_there_is_a_test_for_each_requirement(columns: Columns) -> None:
    found = outcomes(columns)
    root = ElementTree.fromstring(to_junit(found, suite="p.csv"))
    assert root.tag == "testsuites"
    (suite,) = root
    counts = {"tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
    assert root.attrib == counts
    assert suite.attrib == {"name": "p.csv", **counts}
    assert [case.attrib for case in suite] == [
        {"classname": "assay.check", "name": str(outcome.requirement)} for outcome in found
    ]
    passed, failed, unsure = (list(case) for case in suite)
    assert [node.tag for node in (*passed, *failed, *unsure)] == ["system-out", "failure", "skipped"]
    assert passed[0].text == found[0].sentence
    assert failed[0].attrib == {"message": found[1].sentence, "type": "fail"}
    assert unsure[0].attrib == {"message": f"inconclusive: {found[2].sentence}"}


def test_with_strict_what_is_inconclusive_fails(columns: Columns) -> None:
    (suite,) = ElementTree.fromstring(to_junit(outcomes(columns), strict=True))
    assert (suite.get("failures"), suite.get("skipped")) == ("2", "0")
    assert [failure.get("type") for failure in suite.iter("failure")] == ["fail", "inconclusive"]


@pytest.mark.parametrize("strict", [False, True])
def test_what_cannot_be_judged_is_an_error(columns: Columns, strict: bool) -> None:
    (unjudged,) = Gate.of(columns["target"], columns["good"]).check("precision_at(50) > 0.1")
    (suite,) = ElementTree.fromstring(to_junit([unjudged], strict=strict))
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("0", "1", "0")
    (node,) = suite[0]
    assert (node.tag, node.get("type"), node.text) == ("error", "unjudged", unjudged.sentence)


def test_the_same_data_give_the_same_bytes(columns: Columns) -> None:
    assert to_junit(outcomes(columns)) == to_junit(outcomes(columns))


def readable(name: str) -> str:
    """What a parser gives back for a name in an attribute: all but what XML cannot hold."""
    kept = (
        ord(c) in (9, 10, 13) or 0x20 <= ord(c) <= 0xD7FF or 0xE000 <= ord(c) <= 0xFFFD or ord(c) > 0xFFFF for c in name
    )
    return "".join(c if is_kept else "\ufffd" for c, is_kept in zip(name, kept, strict=True))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_names(name: str) -> None:
    truth, pred = [name, "other"] * 30, [name, "other"] * 30
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    gate = Gate.of(truth, y_pred={name: pred, "second": pred}, positive="other")
    found = gate.check(f'recall["{quoted}"] > 0.5')
    text = to_junit(found, suite=name)
    (suite,) = ElementTree.fromstring(text.encode())
    assert suite.get("name") == readable(name)
    assert len(suite) == 2
    assert suite[0].get("name") == readable(str(found[0].requirement))
    assert suite[0].get("classname") == "assay.check." + readable(name)


@given(st.text(max_size=30))
def test_any_suite_name_is_valid_xml(name: str) -> None:
    gate = Gate.of([0, 1] * 20, [0.1, 0.9] * 20)
    root = ElementTree.fromstring(to_junit(gate.check("accuracy > 0.5"), suite=name).encode())
    assert root[0].get("name") == readable(name)
