"""Tensors on a device, put together there: held against numpy by a library that has the few functions of torch used."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.sources.engines_alike import CASES, expected

import assay
from assay.errors import InputError, OptionError
from assay.evidence import Binned, ScoreTable
from assay.request import Request
from assay.sources import from_tensors, tensors
from assay.sources.tensors import on_device, reduce_tensors
from assay.uncertainty import AucMoments


class OnDevice(np.ndarray):
    """An array that says it lies elsewhere, and comes here only when asked."""

    device = SimpleNamespace(type="cuda")  # type: ignore[assignment]

    def cpu(self) -> OnDevice:
        return self

    def numpy(self) -> np.ndarray:
        return np.asarray(self)

    def detach(self) -> OnDevice:
        return self

    def to(self, kind: Any) -> Any:
        return self.astype(kind)


OnDevice.__module__ = "torch"


def consecutive(values: np.ndarray, return_counts: bool) -> tuple[Any, Any]:
    assert return_counts
    first = np.flatnonzero(np.diff(values, prepend=values[:1] - 1))
    return there(values[first]), there(np.diff(np.append(first, len(values))))


def there(values: Any) -> Any:
    return np.asarray(values).view(OnDevice)


LIBRARY = SimpleNamespace(
    float64=np.float64, int64=np.int64, abs=np.abs, where=np.where, ones_like=np.ones_like, zeros_like=np.zeros_like,
    isfinite=np.isfinite, cumsum=np.cumsum, sort=lambda values: (np.sort(values), None),
    unique_consecutive=consecutive,
    searchsorted=lambda held, wanted, right=False: there(
        np.searchsorted(held, wanted, side="right" if right else "left")
    ),
)  # fmt: skip


def of_numpy(values: np.ndarray) -> Any:
    return there(values)


def libraries() -> dict[str, tuple[Any, Any]]:
    """What has torch's functions: a stand-in for a card, and torch itself on this processor where it is installed."""
    found: dict[str, tuple[Any, Any]] = {"stand-in": (LIBRARY, of_numpy)}
    if importlib.util.find_spec("torch") is not None:
        torch: Any = importlib.import_module("torch")
        found["torch"] = (torch, torch.from_numpy)
    return found


def scores_of(kind: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    truth = rng.random(3000) < 0.3
    score: Any = 1 / (1 + np.exp(-rng.normal(truth * 1.5 - 1, 1.2)))
    score[:4] = 0.0, -0.0, 1.0, 5e-324
    turned = {"float32": score.astype(np.float32), "reals": score * 9 - 4, "few": np.round(score, 2)}
    return truth, np.asarray(turned.get(kind, score))


@pytest.mark.parametrize("kind", ["float64", "float32", "reals", "few"])
@pytest.mark.parametrize("library", libraries())
def test_tensors_make_the_evidence_that_numpy_makes(library: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "AT_ONCE", 700)
    torch, of = libraries()[library]
    truth, score = scores_of(kind)
    (found,) = reduce_tensors(torch, of(truth), of(score)).models["model"].scores
    doubles = score.astype(np.float64)
    assert found.binned == Binned.of(doubles, truth, ("0", "1"), found.binned.grid)
    exact = ScoreTable.of(doubles, truth)
    assert found.table.placement_sums == pytest.approx(exact.placement_sums, rel=1e-12)
    assert found.table.knows_pairs
    mine, theirs = (AucMoments.of(table) for table in (found.table, exact))
    assert (mine.auc, mine.variance) == pytest.approx((theirs.auc, theirs.variance), rel=1e-12)


@pytest.mark.parametrize("library", libraries())
@pytest.mark.parametrize("case", ["clean", "reals"])
def test_tensors_make_the_evidence_that_engines_make(library: str, case: str) -> None:
    torch, of = libraries()[library]
    rows = CASES[case]()
    truth, score = np.array(rows["y_true"]), np.array(rows["y_score"])
    binned = reduce_tensors(torch, of(truth), of(score)).models["model"].binned
    assert binned == expected(rows, binned.grid, weighted=False)


def test_what_other_libraries_have_on_a_device_is_taken_by_dlpack(monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere:
        """An array of another library that says where it lies."""

        def __init__(self, values: np.ndarray) -> None:
            self.values = values

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

    Elsewhere.__module__ = "cupy.core"
    truth, score = scores_of("float64")
    library = SimpleNamespace(**vars(LIBRARY), from_dlpack=lambda held: there(held.values))
    monkeypatch.setitem(sys.modules, "torch", library)
    ev = assay.evaluate(Elsewhere(truth), Elsewhere(score))
    assert ev.roc_auc.value == pytest.approx(assay.evaluate(truth, score).roc_auc.value, rel=1e-12)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match="the values are a cupy array on a device, but torch is not installed"):
        assay.evaluate(Elsewhere(truth), Elsewhere(score))


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB")])
def test_where_there_is_no_room_to_order_all_the_cells_are_refined(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise error

    monkeypatch.setattr(tensors, "AT_ONCE", 700)
    monkeypatch.setattr(tensors, "_bin_with_exact_auc", full)
    truth, score = scores_of("float64")
    (found,) = reduce_tensors(LIBRARY, there(truth), there(score)).models["model"].scores
    assert found.binned == Binned.of(score, truth, ("0", "1"), found.binned.grid)
    assert not found.table.knows_pairs
    assert 0 < found.width <= 0.01 * found.error
    monkeypatch.setattr(tensors, "_bin_with_exact_auc", lambda *_: [][1])
    with pytest.raises(IndexError):
        reduce_tensors(LIBRARY, there(truth), there(score))


def test_the_front_door_takes_them_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", LIBRARY)
    rng = np.random.default_rng(4)
    truth = (rng.random(2000) < 0.4).astype(int)
    score = 1 / (1 + np.exp(-rng.normal(truth, 1)))
    assert on_device(there(score))
    assert from_tensors(truth, Request(y_score=score)) is None
    ev = assay.evaluate(there(truth), there(score))
    exact = assay.evaluate(truth, score)
    assert ev.rows is None
    assert ev.roc_auc.bounds == (ev.roc_auc.value, ev.roc_auc.value)
    for end in ("value", "low", "high"):
        assert getattr(ev.roc_auc, end) == pytest.approx(getattr(exact.roc_auc, end), rel=1e-12)
    brier = ev.brier.bounds
    assert brier is not None
    assert brier[0] <= exact.brier.value <= brier[1]
    assert "computed exactly" in ev.source.remarks[0]
    with pytest.raises(OptionError, match="weight does not apply to tensors"):
        assay.evaluate(there(truth), there(score), weight=score)
    with pytest.raises(InputError, match="missing or infinite"):
        assay.evaluate(there(truth), there(np.where(score > 0.9, np.nan, score)))
    with pytest.raises(InputError, match="values other than 0 and 1"):
        assay.evaluate(there(truth + 1), there(score))
    with pytest.raises(InputError, match="must be tensors of one length on one device"):
        assay.evaluate(truth, there(score))
