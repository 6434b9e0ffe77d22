"""Tensors on a device, put together there: held against numpy by a library that has the few functions of torch used."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import InputError, OptionError
from assay.evidence import Binned
from assay.request import Request
from assay.sources import from_tensors, tensors
from assay.sources.tensors import on_device, reduce_tensors


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
)  # fmt: skip


@pytest.mark.parametrize("kind", ["float64", "float32", "reals", "few"])
def test_tensors_make_the_evidence_that_numpy_makes(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "AT_ONCE", 700)
    rng = np.random.default_rng(3)
    truth = rng.random(3000) < 0.3
    score: Any = 1 / (1 + np.exp(-rng.normal(truth * 1.5 - 1, 1.2)))
    score[:4] = 0.0, -0.0, 1.0, 5e-324
    score = {"float32": score.astype(np.float32), "reals": score * 9 - 4, "few": np.round(score, 2)}.get(kind, score)
    (found,) = reduce_tensors(LIBRARY, there(truth), there(score)).models["model"].scores
    assert found.binned == Binned.of(score.astype(np.float64), truth, ("0", "1"), found.binned.grid)
    assert found.width <= 0.01 * found.error
    assert (kind == "few") == (found.width == 0)


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
    bounds = ev.roc_auc.bounds
    assert bounds is not None
    assert bounds[0] <= exact.roc_auc.value <= bounds[1]
    with pytest.raises(OptionError, match="weight is given beside tensors"):
        assay.evaluate(there(truth), there(score), weight=score)
    with pytest.raises(InputError, match="missing or infinite"):
        assay.evaluate(there(truth), there(np.where(score > 0.9, np.nan, score)))
    with pytest.raises(InputError, match="something else than 0 and 1"):
        assay.evaluate(there(truth + 1), there(score))
    with pytest.raises(InputError, match="no tensors of one length on one device"):
        assay.evaluate(truth, there(score))
