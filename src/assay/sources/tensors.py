"""Tensors where they are: scores on a card are put together there, and only the cells come here."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from assay.errors import InputError, OptionError
from assay.evidence import Binned, ScoreGrid
from assay.evidence.grid import LOWEST, MANTISSA
from assay.request import Request
from assay.sources._labels import Classes
from assay.sources._models import ONLY_MODEL
from assay.sources._records import Source
from assay.sources._reduction import Grouped, Known, Reduction, first_bits, how_closely, known_of, missing_bits
from assay.sources._values import LARGEST_SCORE, SMALLEST_SCORE
from assay.types import Floats

__all__ = ["from_tensors", "on_device"]

# So many scores are put together at once: what is sorted beside them takes a few times their memory.
AT_ONCE = 1 << 28
MOST_PASSES = 3
UNASKED = frozenset({"y_score", "threshold", "level", "seed"})
CLASSES = Classes(("0", "1"), inferred=True)


def on_device(values: Any) -> bool:
    """Whether this is a tensor of torch that does not lie in this machine's own memory."""
    device = getattr(values, "device", None)
    return type(values).__module__.split(".")[0] == "torch" and getattr(device, "type", "cpu") != "cpu"


def from_tensors(y_true: Any, request: Request) -> Reduction | None:
    """Scores and their true classes, 0 and 1, put together on the device they lie on; nothing where they are here."""
    score = request.y_score
    if not on_device(score):
        return None
    others = [name for name in request.given if name not in UNASKED]
    if others:
        found = f"{others[0]} is given beside tensors on {score.device}"
        raise OptionError(found, "tensors in this machine's memory: .cpu()", about=others[0])
    if not on_device(y_true) or y_true.device != score.device or y_true.shape != score.shape or score.ndim != 1:
        raise InputError(
            "y_true and y_score are no tensors of one length on one device", "one value for each case there"
        )
    return reduce_tensors(sys.modules["torch"], y_true, score.detach())


def reduce_tensors(torch: Any, truth: Any, score: Any) -> Reduction:
    """The same by a library that has torch's functions."""
    rows = int(score.shape[0])
    low, high = _ends(torch, truth, score)
    kind: Any = "probability" if low >= 0 and high <= 1 else "real"
    is_positive = truth == 1
    positives = int(is_positive.sum())
    bits = first_bits(min(positives, rows - positives), None)
    for _ in range(MOST_PASSES):
        known = _known(torch, is_positive, score, ScoreGrid(kind, bits))
        extra = missing_bits(known, bits, None)
        if extra <= 0:
            break
        bits += extra
    columns = {"truth": "y_true", "score": "y_score"}
    notes, remarks = (f"reduced on {score.device}",), (how_closely(known),)
    source = Source("tensors", "torch", rows, columns=columns, positive_inferred=True, notes=notes, remarks=remarks)
    return Reduction({ONLY_MODEL: Grouped(dict(zip(("0", "1"), known.cases, strict=True)), (known,))}, source)


def _ends(torch: Any, truth: Any, score: Any) -> tuple[float, float]:
    """The smallest and the largest score, after what cannot be used is refused."""
    if int(score.shape[0]) == 0:
        raise InputError("there are no cases", "at least one")
    if not bool(((truth == 0) | (truth == 1)).all()):
        raise InputError("y_true holds something else than 0 and 1", "0 and 1, where tensors lie on a device")
    if not bool(torch.isfinite(score).all()):
        raise InputError("y_score is missing or infinite in some rows", "a finite number for every case")
    low, high = float(score.min()), float(score.max())
    largest = max(-low, high)
    if 0 < largest < SMALLEST_SCORE or largest > LARGEST_SCORE:
        raise InputError(f"a score is as far from 0 as {largest:g}", "scores up to 1e100, some beyond 1e-100")
    return low, high


def _known(torch: Any, is_positive: Any, score: Any, grid: ScoreGrid) -> Known:
    parts = []
    for start in range(0, int(score.shape[0]), AT_ONCE):
        here, truth = score[start : start + AT_ONCE], is_positive[start : start + AT_ONCE]
        for side in (0, 1):
            chosen = here[truth if side else ~truth]
            if int(chosen.shape[0]):
                parts.append(_binned(torch, chosen, grid, side))
    binned = Binned.sum(parts)
    return known_of(binned, (round(float(binned.negative.sum())), round(float(binned.positive.sum()))))


def _binned(torch: Any, score: Any, grid: ScoreGrid, side: int) -> Binned:
    """The cells of one class; sorted scores lie in cells that follow one another."""
    ordered = torch.sort(score)[0].to(torch.float64) + 0.0
    cells, counts = torch.unique_consecutive(_cells(torch, ordered, grid), return_counts=True)
    last = torch.cumsum(counts, 0) - 1
    least, greatest = _here(ordered[last - counts + 1]), _here(ordered[last])
    size = _here(counts).astype(np.float64)
    none = np.zeros(len(size))
    negative, positive = (none, size) if side else (size, none)
    return Binned(grid, _here(cells).astype(np.int64), negative, positive, least, greatest)


def _cells(torch: Any, score: Any, grid: ScoreGrid) -> Any:
    """What `ScoreGrid.cells` gives, by the same shifts of bits."""
    if grid.kind == "real":
        size = torch.abs(score)
        return torch.where(score < 0, -_steps(torch, size, grid, 1), _steps(torch, size, grid, 0))
    upper = grid.last - _steps(torch, 1.0 - score, grid, 1)
    return torch.where(score < 0.5, _steps(torch, score, grid, 0), upper)


def _steps(torch: Any, distance: Any, grid: ScoreGrid, mirrored: int) -> Any:
    held = (distance + 0.0).view(torch.int64) - mirrored
    steps = (held >> (MANTISSA - grid.bits)) - ((1023 + LOWEST) << grid.bits) + 2
    steps = torch.where(steps > 1, steps, torch.ones_like(steps))
    return torch.where(distance == 0, torch.zeros_like(steps), steps)


def _here(values: Any) -> Floats:
    return np.asarray(values.cpu().numpy())
