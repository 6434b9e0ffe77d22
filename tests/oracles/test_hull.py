"""Hulls of other systems: ROCR's of heavily tied scores, and the worked example of Han, Kamber and Pei."""

from __future__ import annotations

import json

import pytest
from tests.oracles.foreign import DATA, assert_same, expected, scores

from assay.curves.hull import roc_hull
from assay.evidence import ScoreTable
from assay.measures.decision import hull_area

EXAMPLES = {one["id"]: one for one in json.loads((DATA / "seed_examples.json").read_text())["examples"]}


def test_rocr_draws_the_same_hull() -> None:
    (theirs,) = [one for one in expected("rocr_tied_scores")["results"] if one["id"] == "rch_tree"]
    hull = roc_hull(scores("rocr_tied_scores", "score_tree"))
    assert_same(hull.fpr.tolist(), theirs["value"]["fpr"], theirs["tol"], "fpr")
    assert_same(hull.recall.tolist(), theirs["value"]["tpr"], theirs["tol"], "tpr")


def test_the_textbook_example() -> None:
    example = EXAMPLES["han_roc.hull"]
    table = ScoreTable.of(example["inputs"]["score"], example["inputs"]["y"])
    hull, (corners, area) = roc_hull(table), example["expected"]
    assert_same([list(point) for point in zip(hull.fpr, hull.recall, strict=True)], corners, 1e-9, "corners")
    assert hull.area == pytest.approx(area, abs=1e-9)
    assert float(hull_area(table)) == pytest.approx(area, abs=1e-9)
