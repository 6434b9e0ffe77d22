"""Every public function and method, with each of its arguments in turn given what it does not take.

`python -m tests.laws.wrong_types` lists whatever ends in anything else than an answer or an error of Assay's own.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import math
import os
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.errors import AssayError

WRONG: tuple[Any, ...] = (
    0, -1, 3, 10**400, 0.5, math.nan, math.inf, True, "", "recall >= 0.9", "\ud800", b"x", None, object(), int, [],
    [1], ["a", 2], [[1, 2], [3]], (), {}, {"a": 1}, {1: [0, 1]}, {"a"}, lambda x: x, 1j,
)  # fmt: skip
# What writes, waits, asks a network or runs for long, whatever it is given.
# What takes objects that Assay alone makes: they come from its own methods.
OF_ITS_OWN = (
    *("Evaluation", "Evaluations", "TwoClassEvaluation", "ManyClassEvaluation", "Comparison", "UnpairedComparison"),
    *("Estimate", "Interval", "TestResult", "Ranks", "Sites", "Study", "Evidence", "Table", "Scorer"),
    *("estimate_of", "evidence_for", "kind", "words", "threshold_cautions", "recalibration_effect", "record"),
)
NEVER = ("experiment", "save", "report", "to_bytes", "from_bytes", "show", "plot")


@dataclass(frozen=True)
class Bad:
    """A call that ended in neither."""

    call: str
    argument: str
    value: str
    error: str

    def __str__(self) -> str:
        return f"{self.call}({self.argument}={self.value}): {self.error}"


def subjects() -> dict[str, Any]:
    """What is called: the package, and one object of each kind that it gives."""
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 2
    first, second = (np.clip(0.3 * truth + 0.7 * rng.random(60), 0, 1) for _ in range(2))
    ev = assay.evaluate(truth, first)
    return {
        "assay": assay,
        "ev": ev,
        "many": assay.evaluate(np.arange(60) % 3, y_proba=rng.dirichlet([1, 1, 1], 60)),
        "cmp": assay.compare(truth, {"a": first, "b": second}),
        "unpaired": assay.compare_unpaired({"a": ev, "b": assay.evaluate(truth[:40], second[:40])}),
        "roc": ev.roc,
        "calibration": ev.calibration,
        "costs": assay.Costs(fp=1, fn=3),
        "table": ev.table(),
        "ranks": assay.rank_algorithms({name: rng.random(5).tolist() for name in "xyz"}),
    }


def sound(name: str) -> dict[str, Any]:
    """Arguments that a function takes, beside the one that is wrong."""
    truth, score = np.arange(60) % 2, np.linspace(0, 1, 60)
    pair = {"first": "a", "second": "b", "measure": "roc_auc"}
    known: dict[str, dict[str, Any]] = {
        "evaluate": {"y_true": truth, "y_score": score},
        "evaluate_models": {"y_true": truth, "y_score": {"a": score}},
        "compare": {"y_true": truth, "y_score": {"a": score, "b": score[::-1]}},
        "compare_unpaired": {"samples": {"a": assay.evaluate(truth, score), "b": assay.evaluate(truth, score)}},
        "reduce": {"y_true": truth, "y_score": score},
        "from_counts": {"tp": 4, "fp": 2, "fn": 1, "tn": 5},
        "at": {"threshold": 0.4},
        "estimate": {"measure": "f1"},
        "Costs": {"fp": 1, "fn": 2},
        "net_benefit_difference": {"first": "a", "second": "b", "threshold": 0.3},
        "non_inferiority": {**pair, "margin": 0.1},
    }
    return known.get(name, pair)


def callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """All of them, by name."""
    for owner, subject in subjects().items():
        for name in dir(subject):
            if name.startswith("_") or name in (*NEVER, *OF_ITS_OWN):
                continue
            with contextlib.suppress(AssayError):
                found = getattr(subject, name)
                if callable(found) and not (inspect.isclass(found) and issubclass(found, BaseException)):
                    yield f"{owner}.{name}", found


def bad_calls(call: str, function: Callable[..., Any], values: tuple[Any, ...] = WRONG) -> Iterator[Bad]:
    """Those of one function."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    given = {name: value for name, value in sound(call.split(".")[-1]).items() if name in parameters}
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        for value in values:
            said = {**given, name: value}
            positional = [said.pop(n) for n, one in parameters.items() if one.kind is one.POSITIONAL_ONLY and n in said]
            try:
                with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                    warnings.simplefilter("ignore")
                    function(*positional, **said)
            except AssayError as error:
                if len(str(error)) > 4_000:
                    yield Bad(call, name, repr(value)[:60], f"{len(str(error)):,} letters")
            except Exception as error:
                if isinstance(error, TypeError) and "required" in str(error) and "argument" in str(error):
                    continue  # Python's own word about what is not given at all
                frames = [f for f in traceback.extract_tb(error.__traceback__) if "assay" in f.filename]
                where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
                yield Bad(call, name, repr(value)[:60], f"{type(error).__name__}: {str(error)[:80]} ({where})")


def main() -> None:
    """List them."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        count = 0
        for call, function in callables():
            for bad in bad_calls(call, function):
                print(bad, flush=True)
                count += 1
        print(count)


if __name__ == "__main__":
    main()
