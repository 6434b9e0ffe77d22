"""Other systems' figures as data: each leaf of a case is one number of ours, or stands on a list that says why not.

`data/<case>/expected.json` names the system, its version and the command behind every figure.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import registry
from assay.results import Estimate

DATA = Path(__file__).parent / "data"
Column = NDArray[np.float64]
Evidence = ConfusionMatrix | ScoreTable


@dataclass(frozen=True)
class Ours:
    """One of our numbers (or several in a list), and the measures it comes from."""

    compute: Callable[[], Any]
    measures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Leaf:
    """One figure of another system."""

    path: str
    expected: Any
    tolerance: float
    is_known_defect: bool


def value(measure: str, evidence: Evidence) -> Ours:
    """A measure's plain value."""
    return Ours(lambda: float(registry[measure](evidence)), (measure,))


def estimate(measure: str, evidence: Evidence, method: str | None = None) -> Estimate:
    """A measure's estimate at 95 %, by the method named."""
    return registry[measure].estimate(evidence, method=method)


def low(measure: str, evidence: Evidence, method: str) -> Ours:
    """The lower limit by a method."""
    return Ours(lambda: estimate(measure, evidence, method).low, (measure,))


def high(measure: str, evidence: Evidence, method: str) -> Ours:
    """The upper limit by a method."""
    return Ours(lambda: estimate(measure, evidence, method).high, (measure,))


@cache
def expected(case: str) -> dict[str, Any]:
    """A case's record of what another system printed."""
    record: dict[str, Any] = json.loads((DATA / case / "expected.json").read_text())
    return record


@cache
def columns(case: str, file: str = "predictions.csv") -> Mapping[str, Column]:
    """The numeric columns of a case's data."""
    with (DATA / case / file).open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    numeric = [name for name in rows[0] if _is_number(rows[0][name])]
    return {name: np.array([float(row[name]) for row in rows]) for name in numeric}


def scores(case: str, column: str, *, repeated: int = 0) -> ScoreTable:
    """The score table of a column against y_true; with `repeated`, every row that many times its weight."""
    data = columns(case)
    times = (repeated * data["weight"]).astype(int) if repeated else 1
    return ScoreTable.of(np.repeat(data[column], times), np.repeat(data["y_true"], times) == 1)


def leaves(case: str, reshape: Mapping[str, Callable[[Any], Any]] | None = None) -> list[Leaf]:
    """Every figure of a case, nested records unfolded into paths such as `lr/overall/Kappa`."""
    found = []
    for result in expected(case)["results"]:
        shaped = (reshape or {}).get(result["id"], lambda whole: whole)(result["value"])
        for path, leaf in _unfolded(result["id"], shaped):
            found.append(Leaf(path, leaf, result["tol"], result.get("kind") == "known_defect"))
    return found


def by_row(key: str) -> Callable[[Any], Any]:
    """Turns a data frame `{column: [...]}` into one record for each value of its column `key`."""

    def reshape(frame: Any) -> Any:
        others = [name for name in frame if name != key]
        return {name: {other: frame[other][i] for other in others} for i, name in enumerate(frame[key])}

    return reshape


def check(leaf: Leaf, ours: Mapping[str, Ours], left_out: Mapping[str, str]) -> None:
    """Our number equals theirs, or the list says why there is none; in neither: a failure."""
    reasons = [reason for pattern, reason in left_out.items() if fnmatchcase(leaf.path, pattern)]
    if leaf.path in ours:
        assert not reasons, f"{leaf.path} is both matched and left out"
        assert not leaf.is_known_defect, f"{leaf.path} is a known defect: never match it"
        assert_same(ours[leaf.path].compute(), leaf.expected, leaf.tolerance, leaf.path)
    else:
        assert reasons, f"{leaf.path} is neither matched nor left out with a reason"
        assert all(reasons)


def check_lists(found: list[Leaf], ours: Mapping[str, Ours], left_out: Mapping[str, str]) -> None:
    """No entry of ours and no reason stands for nothing."""
    paths = [leaf.path for leaf in found]
    assert set(ours) <= set(paths)
    for pattern in left_out:
        assert any(fnmatchcase(path, pattern) for path in paths), f"{pattern} matches nothing"


def assert_same(found: Any, wanted: Any, tolerance: float, context: str) -> None:
    """Equal up to an absolute or relative tolerance; R's NA and NaN are our nan."""
    if isinstance(wanted, list):
        assert len(found) == len(wanted), context
        for mine, theirs in zip(found, wanted, strict=True):
            assert_same(mine, theirs, tolerance, context)
    elif wanted is None or wanted == "NaN":
        assert math.isnan(found), context
    elif isinstance(wanted, str | bool):
        assert found == wanted, context
    else:
        assert math.isclose(found, wanted, rel_tol=tolerance, abs_tol=tolerance), (context, found, wanted)


def _unfolded(path: str, whole: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(whole, dict):
        yield path, whole
        return
    for key, part in whole.items():
        yield from _unfolded(f"{path}/{key}", part)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
