"""One record of options: each call takes just what the record allows it, with the record's types and defaults."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.contracts.code import FILES, name_of, tree_of

import assay
from assay.errors import AssayError
from assay.request import ReduceRequest, Request, StreamRequest
from assay.testing import Gate, assert_better, assert_measure, assert_stream

TABLES = {"frame", "file", "files"}
EVERY = {*TABLES, "arrays", "estimator", "predictions", "evaluations", "evidence"}
# What users give is wider than what it is checked to be: one name or several, a label of any type.
WIDER = dict.fromkeys(("score", "pred", "ignore"), "str | Sequence[str]")
WIDER |= {"positive": "Any", "default_class": "Any", "labelled": "str | PathLike[str] | None"}
NUMBERS = {"level": ("float", 0.95), "seed": ("int", 0)}


@dataclass(frozen=True)
class Call:
    """A function, the command it is, the sources it reads, and what it takes beside or short of what these allow."""

    function: Callable[..., Any]
    command: str
    sources: frozenset[str] = frozenset(EVERY)
    more: frozenset[str] = frozenset()
    less: frozenset[str] = frozenset()

    @property
    def allowed(self) -> set[str]:
        """The options about data that the record allows."""
        return {
            name
            for name, one in Request.options().items()
            if {*one.sources} & self.sources and (not one.commands or self.command in one.commands)
        }


IDS = frozenset({"keep_ids"})
ONE_SCORE = frozenset({"y_pred", "y_proba", "id", "by"})
CALLS = (
    Call(assay.evaluate, "evaluate", more=frozenset({"card"})),
    Call(assay.evaluate_models, "evaluate", more=frozenset({"card"})),
    # Whoever is compared has a risk chart too, if there are amounts.
    Call(assay.compare, "compare", frozenset(EVERY - {"estimator"}), more=frozenset({"amount"}),
         less=frozenset({"labelled"})),
    # No row is shown, so that none needs a name.
    Call(assay.reduce, "reduce", less=IDS, more=frozenset(ReduceRequest.options())),
    Call(Gate.of, "check", less=IDS),
    Call(assert_measure, "check", less=IDS, more=frozenset({"strict"})),
    Call(assay.columns, "columns", frozenset(TABLES), less=IDS),
    # Two arrays of scores; nothing of a row or a subgroup is in the outcome.
    Call(assert_better, "compare", frozenset({"arrays"}), frozenset({"measure", "margin", "strict"}), ONE_SCORE),
    # Every event counts once, and stands where it stands.
    Call(
        assert_stream, "check", frozenset({"arrays"}),
        frozenset({"reference", "strict", "margin", "alpha", "reference_cases", "window", "together"}),
        frozenset({"weight", "count", "cluster", "fold", "by", "id", "seed"}),
    ),
)  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.function.__qualname__)
def test_a_call_takes_just_what_the_record_allows(call: Call) -> None:
    options = {*Request.options(), *ReduceRequest.options()}
    assert call.less <= call.allowed
    assert not call.more & call.allowed
    assert {*inspect.signature(call.function).parameters} & options == (call.allowed | call.more) - call.less


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.function.__qualname__)
def test_types_and_defaults_are_those_of_the_record(call: Call) -> None:
    for name, one in inspect.signature(call.function).parameters.items():
        record = Request if name in Request.options() else ReduceRequest
        is_own = record is Request and name in call.more - {"card", "amount"}
        if name not in record.options() or one.kind is not one.KEYWORD_ONLY or is_own:
            continue
        types = {WIDER.get(name, record.__annotations__[name])}
        defaults = [record.defaults()[name]]
        if name in NUMBERS:
            types, defaults = types | {NUMBERS[name][0]}, [*defaults, NUMBERS[name][1]]
            assert (one.default is None) == ("None" in one.annotation)
        assert one.annotation in types, name
        assert one.default in defaults, name


def test_what_a_number_stands_for_is_said_once() -> None:
    assert {name: Request.options()[name].stands_for for name in NUMBERS} == {"level": 0.95, "seed": 0}
    assert StreamRequest.options()["level"].stands_for == 0.95


def test_no_other_function_lists_the_options_of_data() -> None:
    """Six of them by hand are a signature that the next option would be forgotten in."""
    about_data = {name for name, one in Request.options().items() if one.sources}
    found = set()
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef):
                taken = {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
                if len(taken & about_data) >= 6:
                    found.add(f"{name_of(path)}:{node.name}")
    # These two take few of them, and are held to the record above.
    assert found == {"testing/assertions.py:assert_better", "testing/assertions.py:assert_stream"}


def test_what_gates_take_of_files_beyond_memory_reaches_the_reader(tmp_path: Any) -> None:
    path = tmp_path / "cases.csv"
    rows = "".join(f"{k % 2},{0.3 + 0.4 * (k % 2) + 0.05 * (k % 7)}\n" for k in range(4_000))
    path.write_text(f"truth,score\n{rows}", encoding="utf-8")
    for memory in ("4GB", "20kB"):
        gate = Gate.of(path, memory=memory)
        assert [ev.rows is None for ev in gate.models.values()] == [memory == "20kB"]
        assert [outcome.status for outcome in gate.check("roc_auc >= 0.5")] == ["pass"]
    with pytest.raises(AssayError, match="memory"):
        Gate.of(path, memory="little")
    with pytest.raises(AssayError, match="table"):
        Gate.of(path, table="cases")


def test_an_assertion_takes_the_new_options() -> None:
    truth = np.array(["no", "yes"] * 60)
    good, poor = np.tile([0.1, 0.9, 0.3, 0.8], 30), np.tile([0.6, 0.4, 0.3, 0.8], 30)
    outcome = assert_better(truth, good, poor, classes=["no", "yes"], fold=np.arange(120) % 5)
    assert outcome.status == "pass"
    assert "folds" in outcome.sentence
    shares = np.column_stack([1 - good, good])
    assert assert_stream(truth, y_proba=shares, classes=["no", "yes"], reference=0.2, margin=0.2).status == "pass"
