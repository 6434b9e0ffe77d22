"""Tensors where they are: scores on a card are put together there, and only the cells come here."""

from __future__ import annotations

import math
import sys
from importlib import import_module
from typing import Any

import numpy as np

from assay.errors import InputError, OptionError
from assay.evidence import Binned, ScoreGrid
from assay.evidence.binning import LOWEST, MANTISSA
from assay.request import Request
from assay.sources.column_roles import ONLY_MODEL
from assay.sources.column_values import LARGEST_SCORE, SMALLEST_SCORE
from assay.sources.engine.binned_predictions import (
    Grouped,
    Known,
    Reduction,
    first_bits,
    how_closely,
    known_of,
    missing_bits,
)
from assay.sources.labels import Classes
from assay.sources.source_record import Source
from assay.types import Floats

__all__ = ["from_tensors", "on_device"]

# So many scores are put together at once: what is sorted beside them takes a few times their memory.
AT_ONCE = 1 << 28
MOST_PASSES = 3
# How dlpack calls this machine's own memory.
ON_THE_HOST = 1
UNASKED = frozenset({"y_score", "threshold", "level", "seed"})
CLASSES = Classes(("0", "1"), inferred=True)


def on_device(values: Any) -> bool:
    """Whether this is a tensor of torch that does not lie in this machine's own memory."""
    device = getattr(values, "device", None)
    return type(values).__module__.split(".")[0] == "torch" and getattr(device, "type", "cpu") != "cpu"


def _as_torch_tensor(values: Any) -> Any:
    """What lies on a device as a tensor of torch, without a copy; anything else as it is.

    Arrays of other libraries (CuPy, JAX) say by dlpack where they lie.
    """
    where = getattr(values, "__dlpack_device__", None)
    if where is None or type(values).__module__.split(".")[0] == "torch" or int(where()[0]) == ON_THE_HOST:
        return values
    try:
        torch: Any = import_module("torch")
    except ImportError:
        found = (
            f"the values are a {type(values).__module__.split('.')[0]} array on a device, but torch is not installed"
        )
        raise InputError(found, "torch, to reduce them on the device, or arrays in main memory") from None
    return torch.from_dlpack(values)


def from_tensors(y_true: Any, request: Request) -> Reduction | None:
    """Scores and their true classes, 0 and 1, put together on the device they lie on; nothing where they are here."""
    y_true, score = _as_torch_tensor(y_true), _as_torch_tensor(request.y_score)
    if not on_device(score):
        return None
    others = [name for name in request.given if name not in UNASKED]
    if others:
        found = f"{others[0]} does not apply to tensors on {score.device}"
        raise OptionError(found, "tensors in main memory: .cpu()", about=others[0])
    if not on_device(y_true) or y_true.device != score.device or y_true.shape != score.shape or score.ndim != 1:
        raise InputError(
            "y_true and y_score must be tensors of one length on one device", "one value per case, on the same device"
        )
    return reduce_tensors(sys.modules["torch"], y_true, score.detach())


def reduce_tensors(torch: Any, truth: Any, score: Any) -> Reduction:
    """The same by a library that has torch's functions."""
    rows = int(score.shape[0])
    low, high = _score_range(torch, truth, score)
    kind: Any = "probability" if low >= 0 and high <= 1 else "real"
    is_positive = truth == 1
    positives = int(is_positive.sum())
    grid = ScoreGrid(kind, first_bits(min(positives, rows - positives), None))
    try:
        known = _bin_with_exact_auc(torch, is_positive, score, grid)
    except MemoryError:
        known = None
    except RuntimeError as error:
        # torch's own error of a card that is full is one of these, wherever a version of it keeps the name.
        if "OutOfMemory" not in type(error).__name__ and "out of memory" not in str(error):
            raise
        known = None
    known = known or _refine_bins(torch, is_positive, score, grid)
    columns = {"truth": "y_true", "score": "y_score"}
    notes, remarks = (f"reduced on {score.device}",), (how_closely(known),)
    source = Source("tensors", "torch", rows, columns=columns, positive_inferred=True, notes=notes, remarks=remarks)
    return Reduction({ONLY_MODEL: Grouped(dict(zip(("0", "1"), known.cases, strict=True)), (known,))}, source)


def _bin_with_exact_auc(torch: Any, is_positive: Any, score: Any, grid: ScoreGrid) -> Known:
    """The cells, and the sums that the AUC and its error are made of: both from either class in order."""
    sides = [torch.sort(score[chosen])[0] for chosen in (~is_positive, is_positive)]
    negatives, positives = (int(side.shape[0]) for side in sides)
    parts = [
        _bin_one_class(torch, side[start : start + AT_ONCE], grid, place)
        for place, side in enumerate(sides)
        for start in range(0, int(side.shape[0]), AT_ONCE)
    ]
    known = known_of(Binned.sum(parts), (negatives, positives))
    if not negatives or not positives:
        return known
    won = _placement_sums(torch, sides[1], sides[0])
    lost = _placement_sums(torch, sides[0], sides[1])
    sums = won[0] * negatives, won[1] * float(negatives) ** 2, lost[1] * float(positives) ** 2
    table, pairs = known.table.with_pairs(sums), float(negatives) * positives
    return Known(known.binned, table, 0.0, math.sqrt((sums[1] + sums[2]) / pairs / pairs), known.cases)


def _placement_sums(torch: Any, of: Any, among: Any) -> tuple[float, float]:
    """Which share of the others each score is above, ties half: the sum, and that of squares around the mean."""
    others, size, total, squares = int(among.shape[0]), 0, 0.0, 0.0
    for start in range(0, int(of.shape[0]), AT_ONCE):
        here = of[start : start + AT_ONCE]
        count = int(here.shape[0])
        below = torch.searchsorted(among, here) + torch.searchsorted(among, here, right=True)
        share = below.to(torch.float64) / (2.0 * others)
        own = float(share.sum())
        off = share - own / count
        # Squares around the mean of each piece, and what the means of pieces differ by: nothing cancels.
        if size:
            squares += (own / count - total / size) ** 2 * count * size / (count + size)
        squares += float((off * off).sum())
        size, total = size + count, total + own
    return total, squares


def _refine_bins(torch: Any, is_positive: Any, score: Any, grid: ScoreGrid) -> Known:
    """The cells alone, piece by piece, where there is no room to put all in order: as fine as the AUC asks for."""
    for _ in range(MOST_PASSES):
        known = _bin_in_batches(torch, is_positive, score, grid)
        extra = missing_bits(known, grid.bits, None)
        if extra <= 0:
            break
        grid = ScoreGrid(grid.kind, grid.bits + extra)
    return known


def _score_range(torch: Any, truth: Any, score: Any) -> tuple[float, float]:
    """The smallest and the largest score, after what cannot be used is refused."""
    if int(score.shape[0]) == 0:
        raise InputError("there are no cases", "at least one")
    if not bool(((truth == 0) | (truth == 1)).all()):
        raise InputError("y_true has values other than 0 and 1", "0 and 1, for tensors on a device")
    if not bool(torch.isfinite(score).all()):
        raise InputError("y_score is missing or infinite in some rows", "a finite number for every case")
    low, high = float(score.min()), float(score.max())
    largest = max(-low, high)
    if 0 < largest < SMALLEST_SCORE or largest > LARGEST_SCORE:
        raise InputError(f"a score is as far from 0 as {largest:g}", "scores up to 1e100, some beyond 1e-100")
    return low, high


def _bin_in_batches(torch: Any, is_positive: Any, score: Any, grid: ScoreGrid) -> Known:
    parts = []
    for start in range(0, int(score.shape[0]), AT_ONCE):
        here, truth = score[start : start + AT_ONCE], is_positive[start : start + AT_ONCE]
        for side in (0, 1):
            chosen = here[truth if side else ~truth]
            if int(chosen.shape[0]):
                parts.append(_bin_one_class(torch, torch.sort(chosen)[0], grid, side))
    binned = Binned.sum(parts)
    return known_of(binned, (round(float(binned.negative.sum())), round(float(binned.positive.sum()))))


def _bin_one_class(torch: Any, score: Any, grid: ScoreGrid, side: int) -> Binned:
    """The cells of one class; scores in order lie in cells that follow one another."""
    ordered = score.to(torch.float64) + 0.0
    cells, counts = torch.unique_consecutive(_bin_numbers(torch, ordered, grid), return_counts=True)
    last = torch.cumsum(counts, 0) - 1
    least, greatest = _to_numpy(ordered[last - counts + 1]), _to_numpy(ordered[last])
    size = _to_numpy(counts).astype(np.float64)
    none = np.zeros(len(size))
    negative, positive = (none, size) if side else (size, none)
    return Binned(grid, _to_numpy(cells).astype(np.int64), negative, positive, least, greatest)


def _bin_numbers(torch: Any, score: Any, grid: ScoreGrid) -> Any:
    """What `ScoreGrid.cells` gives, by the same shifts of bits."""
    if grid.kind == "real":
        size = torch.abs(score)
        return torch.where(score < 0, -_bin_steps(torch, size, grid, 1), _bin_steps(torch, size, grid, 0))
    upper = grid.last - _bin_steps(torch, 1.0 - score, grid, 1)
    return torch.where(score < 0.5, _bin_steps(torch, score, grid, 0), upper)


def _bin_steps(torch: Any, distance: Any, grid: ScoreGrid, mirrored: int) -> Any:
    held = (distance + 0.0).view(torch.int64) - mirrored
    steps = (held >> (MANTISSA - grid.bits)) - ((1023 + LOWEST) << grid.bits) + 2
    steps = torch.where(steps > 1, steps, torch.ones_like(steps))
    return torch.where(distance == 0, torch.zeros_like(steps), steps)


def _to_numpy(values: Any) -> Floats:
    return np.asarray(values.cpu().numpy())
