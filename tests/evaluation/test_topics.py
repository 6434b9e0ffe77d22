"""What `help()` prints and `dir()` shows: every public name has a topic, or is for other packages of assay."""

from __future__ import annotations

from typing import Any

import pytest

import assay
from assay.evaluation.topics import COMPARISON, EVALUATION
from assay.experiments.topics import STUDY
from assay.help_tree import HelpTree, public_names
from assay.measures import on_request, registry

Y, S = [0, 1, 1, 0, 1, 0, 0, 1] * 10, [0.1, 0.9, 0.6, 0.7, 0.8, 0.2, 0.3, 0.4] * 10
TWO: Any = assay.evaluate(Y, S)
MANY: Any = assay.evaluate(["a", "b", "c"] * 10, y_proba=[[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]] * 10)
PAIRED: Any = assay.compare(Y, {"a": S, "b": S[::-1]})
STUDY_OBJECT: Any = assay.experiment("iris", "nb", run=False)
# What other packages of assay use, and nobody else needs.
INNER = {
    "evaluation": "cases class_sums class_tables errors estimate_of evidence_for find gap_measure grouping registry",
    "comparison": "among_all_pairs closing_lines family_size find item joint_sums pair_table pairs_of places record "
    "verdict_lines win_table",
    "study": "facts has_other_input is_timed refitted refuse_unknown refuse_unknown_measure tested",
}
HOLDERS = [
    ("evaluation", TWO, EVALUATION),
    ("evaluation", MANY, EVALUATION),
    ("comparison", PAIRED, COMPARISON),
    ("study", STUDY_OBJECT, STUDY),
]


@pytest.mark.parametrize(("kind", "holder", "topics"), HOLDERS)
def test_every_public_name_has_one_topic(kind: str, holder: Any, topics: Any) -> None:
    named = [name for names in topics.values() for name in names]
    assert len(named) == len(set(named))
    tree: HelpTree = holder.help()
    assert len(tree.names) == len(set(tree.names))
    assert set(public_names(type(holder))) - set(tree.names) <= set(INNER[kind].split())
    assert not set(tree.names) & set(INNER[kind].split())
    # Each name exists in some kind of holder.
    every = {name for one, each, _ in HOLDERS if one == kind for name in public_names(type(each))}
    assert set(named) <= every
    assert set(INNER[kind].split()) <= every


@pytest.mark.parametrize(("kind", "holder", "topics"), HOLDERS[:3])
def test_dir_shows_what_help_lists(kind: str, holder: Any, topics: Any) -> None:
    assert {name for name in dir(holder) if not name.startswith("_")} == set(holder.help().names)


@pytest.mark.parametrize(("kind", "holder", "topics"), HOLDERS)
def test_the_tree_has_one_line_of_100_columns_for_each_name(kind: str, holder: Any, topics: Any) -> None:
    tree = holder.help()
    lines = repr(tree).splitlines()
    assert max(map(len, lines)) <= 100
    entries = [entry for topic in tree.topics.values() for one in topic for entry in (one, *one.below)]
    assert len(lines) == 1 + sum(1 for topic in tree.topics.values() if topic) + len(entries)
    assert [entry.name for entry in entries if not entry.line] == []


def test_the_tree_of_an_evaluation_has_its_measures_curves_and_calibration() -> None:
    text = repr(TWO.help())
    assert set(TWO.help().names) >= {*registry, *on_request}
    assert "roc_auc " in text
    assert "│  │  ├─ lift " in text
    assert "│     ├─ cox " in text
    assert "macro_f1" in repr(MANY.help())
