"""Columns that are no scores are converted alike in memory and inside an engine: values, notes and refusals."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import assay
from assay.errors import InputError

SOURCES = Path(assay.__file__).parent / "sources"
# The band of a calibration curve needs rows.
OF_ROWS = {"A203"}
MEASURES = ("accuracy", "brier", "log_loss", "roc_auc")

SCORES = ("confidence", "logit", "score", "y_score", "two_logits", "two_probabilities", "many", "many_scores", "none")


def table_of(kind: str, seed: int, spread: float, *, labels: bool, gaps: bool, nobody: bool, shift: float) -> Any:
    """A table whose scores are of a kind; `spread` is that of logits, `shift` moves confidences off their least."""
    rng = np.random.default_rng(seed)
    rows = 120
    names = ["a", "b", "c"] if kind.startswith("many") else ["no", "yes"]
    truth = rng.integers(0, len(names), rows)
    truth[: len(names)] = range(len(names))
    logits = rng.normal(0, spread, (rows, len(names)))
    logits[np.arange(rows), truth] += 1
    raised = np.exp(logits - logits.max(1, keepdims=True))
    shares = raised / raised.sum(1, keepdims=True)
    predicted = shares.argmax(1)
    data: dict[str, list[Any]] = {"y_true": [names[k] for k in truth]}
    if labels or kind == "confidence":
        data["y_pred"] = [names[k] for k in predicted]
    if kind in ("confidence", "score", "y_score"):
        data["score" if kind == "confidence" else kind] = (shares.max(1) + shift).clip(0, 1).tolist()
    elif kind == "logit":
        data["logit"] = (logits[:, -1] - logits[:, 0]).tolist()
    elif kind in ("two_logits", "many_scores"):
        word = "logit" if kind == "two_logits" else "score"
        data |= {f"{word}_{name}": logits[:, k].tolist() for k, name in enumerate(names)}
    elif kind in ("two_probabilities", "many"):
        data |= {f"prob_{name}": (shares[:, k] + shift * (k == 0)).tolist() for k, name in enumerate(names)}
    return polars.DataFrame(_with_holes(data, rng, gaps=gaps, nobody=nobody))


def _with_holes(data: dict[str, list[Any]], rng: np.random.Generator, *, gaps: bool, nobody: bool) -> dict[str, Any]:
    """The same with a value missing in each column, and with rows of weight 0 whose scores are out of range."""
    rows = len(data["y_true"])
    if gaps:
        for values in data.values():
            values[int(rng.integers(3, rows))] = None
    if nobody:
        data["weight"] = [1.0] * (rows - 3) + [0.0] * 3
        for column in data:
            if column.startswith(("score", "logit", "y_score")):
                data[column][-1] = -9.5
    return data


def outcome(frame: Any, memory: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """What a reader makes of a table, or what it needs."""
    more: dict[str, Any] = {} if memory is None else {"memory": memory}
    try:
        ev = assay.evaluate(frame, **options, **more)
    except InputError as error:
        return {"needed": error.needed, "ways": [dict(options) for options, _ in error.ways]}
    measures = {
        name: getattr(ev, name)
        for name in (MEASURES if len(ev.classes) == 2 else MEASURES[:3])
        if ev.reason_unavailable(name)
    }
    return {
        "classes": ev.classes,
        "cases": ev.class_sizes,
        "measures": {name: estimate.value for name, estimate in measures.items()},
        "remarks": [remark for remark in ev.source.remarks if "converted" in remark or "not used" in remark],
        "unused": sorted(ev.source.unused),
        "dropped": ev.source.dropped,
        "cautions": sorted({caution.code for caution in ev.cautions} - OF_ROWS),
    }


SHAPES = {
    "engine": st.sampled_from(("polars", "duckdb")),
    "kind": st.sampled_from(SCORES),
    "seed": st.integers(0, 2**16),
    "spread": st.sampled_from((0.2, 1.0, 4.0)),
    "labels": st.booleans(),
    "gaps": st.booleans(),
    "nobody": st.booleans(),
    "shift": st.sampled_from((0.0, 0.0, 0.3, -0.2)),
    "positive": st.sampled_from((None, None, "last")),
}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(**SHAPES)
@example(
    engine="duckdb",
    kind="confidence",
    seed=1,
    spread=1.0,
    labels=True,
    gaps=False,
    nobody=True,
    shift=0.0,
    positive=None,
)
@example(
    engine="duckdb",
    kind="two_probabilities",
    seed=1,
    spread=1.0,
    labels=True,
    gaps=False,
    nobody=False,
    shift=0.3,
    positive=None,
)
@example(
    engine="duckdb",
    kind="many_scores",
    seed=1,
    spread=1.0,
    labels=False,
    gaps=False,
    nobody=False,
    shift=0.0,
    positive="last",
)
def test_memory_and_engine_convert_alike(
    engine: str,
    kind: str,
    seed: int,
    spread: float,
    labels: bool,
    gaps: bool,
    nobody: bool,
    shift: float,
    positive: str | None,
) -> None:
    assume(kind != "none" or labels)
    frame = table_of(kind, seed, spread, labels=labels, gaps=gaps, nobody=nobody, shift=shift)
    options: dict[str, Any] = {"missing": "drop"} if gaps else {}
    if positive is not None:
        options["positive"] = "c" if kind.startswith("many") else "yes"
    table = duckdb.sql("SELECT * FROM frame") if engine == "duckdb" else frame.lazy()
    in_memory, in_engine = outcome(frame, None, options), outcome(table, "1kB", options)
    assert in_memory.keys() == in_engine.keys(), (in_memory, in_engine)
    values = in_memory.pop("measures", {}), in_engine.pop("measures", {})
    assert in_memory == in_engine
    assert values[0].keys() == values[1].keys()
    assert_allclose(list(values[0].values()), list(values[1].values()), atol=2e-3)


def test_no_other_module_of_sources_converts() -> None:
    """A second room for the same question could give another answer."""
    own = {"conversion.py"}
    calls: dict[str, list[str]] = {"exp": [], "convert": []}
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                # A bare `softmax` is the function of the one room; one of a library has its module before it.
                is_own = name == "softmax" and isinstance(node.func, ast.Name)
                kind = "exp" if name in ("exp", "expit", "softmax", "log_softmax") and not is_own else name
                calls.setdefault(kind, []).append(path.name)
        texts = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
        notes = [text for text in texts if isinstance(text, str) and "converted " in text]
        assert path.name in own or not notes, path.name
    assert {*calls["exp"]} <= own
    assert sorted(calls["convert"]) == ["assembly.py", "reduction.py"]
