"""Outcomes as JUnit XML, which continuous integration shows as tests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree

from assay.testing.gates import INCONCLUSIVE, PASS, UNJUDGED, Outcome

# What XML 1.0 cannot hold, whatever the escape.
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(outcomes: Sequence[Outcome], *, suite: str = "assay check", strict: bool = False) -> str:
    """A test suite with a test for each requirement (and model): passed, failed, or skipped where inconclusive.

    With `strict` inconclusive tests fail. A requirement that cannot be evaluated is an error, strict or not. No
    time is written, so that the same data give the same bytes.

    >>> from assay.testing.gates import Gate
    >>> print(to_junit(Gate.of([0, 1] * 50, [0.2, 0.8] * 50).check("accuracy >= 0.9"), suite="predictions.csv"))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites tests="1" failures="0" errors="0" skipped="0">
      <testsuite name="predictions.csv" tests="1" failures="0" errors="0" skipped="0">
        <testcase classname="assay.check" name="accuracy &gt;= 0.9">
          <system-out>Accuracy is 1.000 [0.963, 1.000] (95 % interval, Wilson; 100 cases): all of the interval is at
          least 0.9.</system-out>
        </testcase>
      </testsuite>
    </testsuites>
    """
    seen = Counter(outcome.status for outcome in outcomes)
    skipped = 0 if strict else seen[INCONCLUSIVE]
    counts = {
        "tests": str(len(outcomes)),
        "failures": str(len(outcomes) - seen[PASS] - seen[UNJUDGED] - skipped),
        "errors": str(seen[UNJUDGED]),
        "skipped": str(skipped),
    }
    root = ElementTree.Element("testsuites", counts)
    node = ElementTree.SubElement(root, "testsuite", {"name": _printable_text(suite), **counts})
    for outcome in outcomes:
        _add_case(node, outcome, strict)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add_case(suite: ElementTree.Element, outcome: Outcome, strict: bool) -> None:
    classname = f"assay.check.{outcome.model}" if outcome.model else "assay.check"
    named = {"classname": _printable_text(classname), "name": _printable_text(str(outcome.requirement))}
    case = ElementTree.SubElement(suite, "testcase", named)
    said = _printable_text(outcome.sentence)
    if outcome.status == PASS:
        ElementTree.SubElement(case, "system-out").text = said
    elif outcome.status == INCONCLUSIVE and not strict:
        ElementTree.SubElement(case, "skipped", {"message": f"{INCONCLUSIVE}: {said}"})
    else:
        kind = "error" if outcome.status == UNJUDGED else "failure"
        ElementTree.SubElement(case, kind, {"message": said, "type": outcome.status}).text = said


def _printable_text(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)
