"""Evidence of which one figure was changed, and the checksum made to fit again: what somebody would do on purpose."""

from __future__ import annotations

import copy
import io
import json
import random
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.sources import evidence_archive

__all__ = ["edited", "leaves", "members", "resealed"]

Path = tuple[Any, ...]
OTHER_NUMBERS = (0, 1, -1, 2, 0.5, 10**9, 1e308, float("nan"))
OTHER_TEXTS = ("other", "real", "scores", "")


def members(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the arrays of a file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        header = json.loads(archive.read(evidence_archive.HEADER))
        names = [name for name in archive.namelist() if name != evidence_archive.HEADER]
        arrays = {name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name))) for name in names}
    return {key: value for key, value in header.items() if key not in ("checksum", "format")}, arrays


def resealed(header: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """A file of them, with the checksum that belongs to it; nan is written as Python's json does."""
    strict = evidence_archive._canonical_json
    try:
        evidence_archive._canonical_json = lambda said: json.dumps(
            said, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        ).encode("utf-8", "backslashreplace")
        return evidence_archive.packed(header, arrays)
    finally:
        evidence_archive._canonical_json = strict


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every figure and text of a header, and where it stands."""
    if isinstance(value, dict | list) and value:
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*path, key))
    else:
        yield path, value


def edited(rng: random.Random, header: dict[str, Any], arrays: dict[str, Any]) -> tuple[str, bytes]:
    """A file with one figure changed, and which one it was."""
    name = rng.choice(["header", "header", *(key for key, values in arrays.items() if values.size)])
    if name != "header":
        changed = arrays[name].copy()
        place = rng.randrange(changed.size)
        other = rng.choice([changed[place] + 1, changed[place] * 2, *OTHER_NUMBERS])
        if changed.dtype.kind == "u":
            bits = 8 * changed.dtype.itemsize
            other = int(np.clip(np.nan_to_num(float(other)), 0, 2**bits - 1))
        changed[place] = other
        return name, resealed(header, {**arrays, name: changed})
    path, value = rng.choice([each for each in leaves(header) if each[0] != ("version",)])
    whole = copy.deepcopy(header)
    held: Any = whole
    for key in path[:-1]:
        held = held[key]
    if isinstance(value, bool):
        held[path[-1]] = not value
    elif isinstance(value, int | float):
        held[path[-1]] = rng.choice([value + 1, value - 1, value * 2, -value, value * 1.01, *OTHER_NUMBERS])
    else:
        texts = [each for _, each in leaves(header) if isinstance(each, str) and len(each) < 20]
        held[path[-1]] = rng.choice([*texts, *OTHER_TEXTS])
    return ".".join(str(key) for key in path if not isinstance(key, int)), resealed(whole, arrays)
