"""What a data set and its partitions show about leaks: found when a study is defined, since its store keeps no row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.experiments._parting import Split
from assay.experiments.containers import row_keys
from assay.experiments.datasets import Dataset, numbered

# Splits looked at for copies: a plan of a thousand shows no more than its first ones.
MOST_SPLITS = 50
# How near to 0 and 1 means, deviations and correlations are where somebody made them so.
MADE_SO = 1e-6
# A column called so, or ending so, seems to say whom or what a row is about.
IDS = r"(.*[_\-. ])?(id|ids|subject|patient|person|user|customer|household|session|site|group)"
# Plans that test single cases or pairs, where no part is meant to hold every class.
SINGLE = 2


def data_facts(data: Dataset, splits: Iterable[Split]) -> dict[str, Any]:
    """What `cautions` needs to know of rows, as JSON holds it.

    `repeated`: of the cases tested, the share with exactly the features of a case learned from, and of those the share
    of its class too. `id_like`: a feature that seems to say whom a row is about, and its number of values. `prepared`:
    what seems to have been done to all rows at once. `rarest`: the class with the fewest cases in a test part.

    >>> from assay.experiments.datasets import dataset_of
    >>> twice = dataset_of((np.repeat(np.arange(10.0), 2)[:, None], [0, 1] * 10))
    >>> data_facts(twice, [Split(np.arange(1, 20), np.array([0]))])["repeated"]
    [1.0, 0.0]
    """
    coming = iter(splits)
    some = list(islice(coming, MOST_SPLITS))
    return {
        "repeated": _repeated(data, some),
        "id_like": _id_like(data),
        "prepared": None if data.features is None else _prepared(data.features),
        "rarest": _rarest(data, chain(some, coming)),
        **({} if data.time is None else {"timed": True}),
    }


def _repeated(data: Dataset, splits: Sequence[Split]) -> list[float] | None:
    # Adding 0 makes the two zeros one.
    alike = numbered(row_keys(data.given if data.features is None else data.features + 0.0))
    if len(alike) == alike.max() + 1:
        return None
    same = numbered(zip(alike.tolist(), data.target.tolist(), strict=True))
    tested = seen = agreed = 0
    for split in splits:
        known, known_with_class = (np.bincount(codes[split.train], minlength=len(alike)) for codes in (alike, same))
        tested += len(split.test)
        seen += int((known[alike[split.test]] > 0).sum())
        agreed += int((known_with_class[same[split.test]] > 0).sum())
    return [seen / tested, agreed / seen] if seen else None


def _id_like(data: Dataset) -> list[Any] | None:
    """The first column called like an id whose values recur; a text column counts by its values' columns."""
    if data.features is None:
        return None
    columns: dict[str, list[int]] = {}
    for place, name in enumerate(data.feature_names):
        columns.setdefault(name.split("=")[0], []).append(place)
    for name, places in columns.items():
        if re.fullmatch(IDS, name.strip(), re.IGNORECASE):
            values = len(places) if len(places) > 1 else len(set(data.features[:, places[0]].tolist()))
            if 1 < values <= len(data) / 2:
                return [name, values]
    return None


def _prepared(features: NDArray[np.float64]) -> str | None:
    """Whether every column that varies has mean 0 and deviation 1, or mean 0 and nothing in common with the others."""
    known = features[:, np.isfinite(features).all(0)]
    varying = known[:, np.ptp(known, axis=0) > 0] if known.size else known
    if varying.shape[1] < 2:
        return None
    mean, deviation = varying.mean(0), varying.std(0)
    if (np.abs(mean) > MADE_SO * deviation).any():
        return None
    # Dividing by n or by n - 1: either is somebody's standard deviation.
    sample = deviation * np.sqrt(len(varying) / (len(varying) - 1))
    if any((np.abs(each - 1) < MADE_SO).all() for each in (deviation, sample)):
        return "they had been standardised"
    shared = np.corrcoef(varying, rowvar=False) - np.eye(varying.shape[1])
    if len(varying) > varying.shape[1] and (np.abs(shared) < MADE_SO).all():
        return "they were components (PCA) found"
    return None


def _rarest(data: Dataset, splits: Iterable[Split]) -> list[Any] | None:
    fewest, largest = np.full(len(data.classes), len(data)), 0
    for split in splits:
        fewest = np.minimum(fewest, np.bincount(data.target[split.test], minlength=len(data.classes)))
        largest = max(largest, len(split.test))
    if largest <= SINGLE:
        return None
    place = int(fewest.argmin())
    return [data.classes[place], int(fewest[place])]
