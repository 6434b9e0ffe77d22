"""The line above the page says what was read, of models with missing cases too."""

from __future__ import annotations

import math

import assay
from assay.report.renderers.html import about

TRUTH = [0, 1] * 20
SCORES = [0.2, 0.8, 0.4, 0.3] * 10


def test_the_cases_are_those_that_all_have() -> None:
    cmp = assay.compare(TRUTH, {"a": SCORES, "b": SCORES[::-1]})
    assert "40 cases" in about(cmp.models)
    assert 'positive "1" (50.0 %, 20 cases)' in about(cmp.models)


def test_models_that_lack_cases_have_their_own() -> None:
    lacking = [*SCORES[:-4], *[math.nan] * 4]
    cmp = assay.compare(TRUTH, {"a": SCORES, "b": lacking}, missing="pairwise")
    assert about(cmp.models)[1:3] == ["36 to 40 cases a model", 'positive "1"']
