"""One table of pairs: no second builder of it, and a column that is added to it is in every one of them."""

from __future__ import annotations

import ast
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import Run, run  # noqa: F401 -- a fixture
from tests.contracts.code import FILES, name_of, nodes_of

import assay
from assay import results
from assay.comparison import class_shares, compare_rates, right_pairs
from assay.evaluation import SampledComparison
from assay.evidence.paired import JointCorrectness
from assay.report.pages.benchmarks import render_ranks, render_study
from assay.results import PairRow, PairTable, Table

P_VALUES = {"p", "p_value", "adjusted"}
# Records of one pair, each with what only its kind of comparison knows; none of them is a table.
RECORDS = {
    "comparison/adjustment.py Difference",
    "comparison/verdicts.py Verdict",
    "evaluation/pair_tests.py TestedPair",
    "experiments/algorithm_tests.py Pair",
    "ranks/posthoc.py PairComparison",
    "results.py PairRow",
}
# The record of one test in JSON, how a page heads the columns of the one table, and several tests of one pair of
# algorithms, where a row is a test and no pair.
OTHERWISE = {"evaluation/pair_tests.py", "report/pages/ranks.py", "experiments/algorithm_tests.py"}
COLUMN = "half_width"


def names_in(node: ast.AST) -> set[str]:
    """The fields of a class, the keys of a dictionary, or the texts of a list."""
    if isinstance(node, ast.ClassDef):
        return {
            one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }
    each = node.keys if isinstance(node, ast.Dict) else node.elts if isinstance(node, ast.List | ast.Tuple) else ()
    return {one.value for one in each if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def with_p_values() -> Iterator[tuple[str, ast.AST]]:
    """Wherever the columns of two things that differ, and a p-value, are named together."""
    for path in FILES:
        for node in nodes_of(path):
            names = names_in(node)
            if names & P_VALUES and ("difference" in names or {"first", "second"} <= names):
                yield name_of(path), node


def test_tables_of_pairs_have_one_builder() -> None:
    found = list(with_p_values())
    assert {f"{file} {node.name}" for file, node in found if isinstance(node, ast.ClassDef)} == RECORDS
    assert {file for file, node in found if not isinstance(node, ast.ClassDef)} == OTHERWISE


def test_the_table_of_pairs_is_made_in_one_way() -> None:
    """By `PairTable.of`, so that columns stand in one order and those that nothing fills are left out."""
    by_hand = {
        f"{name_of(path)}:{node.lineno}"
        for path in FILES
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "PairTable"
    }
    assert by_hand == set()


@pytest.fixture
def column(monkeypatch: pytest.MonkeyPatch) -> str:
    """One more column of every table of pairs."""

    def half_width(row: PairRow) -> float | None:
        return 0.125 if row.low is None or row.high is None else (row.high - row.low) / 2

    monkeypatch.setattr(PairRow, COLUMN, property(half_width), raising=False)
    fields = dataclasses.fields
    more = [*fields(PairRow)[:3], SimpleNamespace(name=COLUMN), *fields(PairRow)[3:]]
    monkeypatch.setattr(results, "fields", lambda of: more if of is PairRow else fields(of))
    return COLUMN


def tables() -> dict[str, Table]:
    """Every kind of table of pairs."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    scores = {name: np.clip(0.3 * truth + 0.7 * rng.random(300), 0, 1) for name in ("a", "b", "c")}
    site = ["north", "south", "west"] * 100
    cmp = assay.compare(truth, scores, by=site)
    decided = cmp.decisions("a", "b")
    right = JointCorrectness.of(np.column_stack([(s > 0.5) == truth for s in scores.values()]), tuple(scores))
    two = assay.compare_unpaired({"june": cmp.models["a"], "july": cmp.models["b"]})
    ranks = assay.rank_algorithms({name: rng.random(8).tolist() for name in "xyz"})
    study = assay.experiment("iris", ["nb", "tree", "knn"])
    labels = np.where(rng.random(300) < 0.5, truth, np.nan)
    sampled: Any = {name: assay.evaluate(labels, scores[name], inclusion=0.5) for name in ("a", "b")}
    return {
        "comparison": cmp.pairs("roc_auc"),
        "comparison with errors": cmp.pairs("roc_auc", se=True),
        "models of sampled labels": SampledComparison(sampled, ("roc_auc", "brier")).table(),
        "other cases": two.pairs("accuracy"),
        "subgroups of a comparison": cmp.by_subgroup("accuracy", "a", "b"),
        "named tests": cmp.tests.by_name("mcnemar").table(),
        "groups against the rest": cmp.models["a"].gaps("accuracy").table(),
        "rates": compare_rates(decided),
        "labels pair by pair": right_pairs(right),
        "shares of classes": class_shares(decided.labels()),
        "ranks": ranks.compare().table(),
        "ranks by every adjustment": ranks.every_adjustment(),
        "learners on splits": study.pairs("iris").table(),
    }


def test_a_new_column_is_in_every_table_of_pairs(column: str) -> None:
    for kind, table in tables().items():
        assert isinstance(table, PairTable), kind
        assert column in table.columns, kind
        assert column in table.numbers(), kind
        assert column in table.to_dict(), kind
        assert column in str(table), kind


def test_a_new_column_is_on_the_terminal_on_pages_and_in_records(run: Run, column: str) -> None:  # noqa: F811
    header = column.capitalize()
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 200)
    pairs = zip(truth, *rng.random((2, 200)), strict=True)
    lines = "".join(f"{t},{0.4 * t + 0.6 * a},{0.3 * t + 0.7 * b}\n" for t, a, b in pairs)
    Path("cases.csv").write_text(f"truth,score__a,score__b\n{lines}", encoding="utf-8")
    for form in ("csv", "markdown", "latex"):
        text = run("compare", "cases.csv", "--format", form).out.replace("\\_", "_")
        assert column in text, form
    values = {name: rng.random(8).tolist() for name in "xyz"}
    answer = assay.rank_algorithms(values).answer()
    assert column in json.loads(json.dumps(answer.comparisons.to_dict()))["pairs"]
    assert header in render_ranks(answer)
    study: Any = assay.experiment("iris", ["nb", "tree", "knn"])
    assert header in render_study(study)
