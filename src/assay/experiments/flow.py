"""The flow of a plan: how many cases, and of which class, go where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.curves import Drawable, Drawing, Ruler, Trace
from assay.experiments._parting import Cases, Split
from assay.results import Table

# How a part looks in a drawing.
ROLES: Mapping[str, Literal["negatives", "model", "positives"]] = MappingProxyType(
    {"train": "negatives", "validation": "model", "test": "positives"}
)


@dataclass(frozen=True, eq=False, repr=False)
class Flow(Drawable):
    """The sizes of every part of every split; `counts[i]` are the classes' cases in part i."""

    plan: str
    classes: tuple[str, ...]
    repeat: tuple[int, ...]
    fold: tuple[int, ...]
    part: tuple[str, ...]
    counts: NDArray[np.intp]

    def __repr__(self) -> str:
        return f"<Flow of '{self.plan}': {self.part.count('train')} splits>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a split at all."""
        return len(self.part) > 0

    def table(self) -> Table:
        """A row for each part: its split, its cases, and how many of each class."""
        columns = {
            "repeat": [repeat + 1 for repeat in self.repeat],
            "fold": [fold + 1 for fold in self.fold],
            "part": list(self.part),
            "cases": self.counts.sum(-1).tolist(),
        }
        return Table(columns | dict(zip(self.classes, self.counts.T.tolist(), strict=True)), title=self.plan)

    def drawing(self) -> Drawing:
        """The parts of each split stacked on one another: learned from, chosen on, predicted."""
        return Drawing(
            name="flow",
            title=f"Plan: {self.plan}",
            x=Ruler("Split", (0.5, self.part.count("train") + 0.5)),
            y=Ruler("Cases", (0.0, float(self._stacked()[-1].max()))),
            traces=tuple(self._layers()),
            points=len(self.part),
        )

    def _stacked(self) -> NDArray[np.intp]:
        """Row by row, how many cases the parts up to this one have, split by split."""
        kinds = len(set(self.part))
        return np.cumsum(self.counts.sum(-1).reshape(-1, kinds).T, axis=0)

    def _layers(self) -> Iterator[Trace]:
        tops = self._stacked().astype(np.float64)
        edges = np.repeat(np.arange(tops.shape[1] + 1) + 0.5, 2)[1:-1]
        base = np.zeros(len(edges))
        for part, top in zip(self.part, np.repeat(tops, 2, axis=1), strict=False):
            role = ROLES[part]
            yield Trace(edges, top, role, "", base)
            yield Trace(edges, top, role, part)
            base = top


def flow_of(splits: Sequence[Split], cases: Cases, plan: str) -> Flow:
    """The flow of splits."""
    parts = [
        (split, name, rows)
        for split in splits
        for name, rows in (("train", split.train), ("validation", split.validation), ("test", split.test))
        if rows is not None
    ]
    return Flow(
        plan,
        cases.classes,
        tuple(split.repeat for split, _, _ in parts),
        tuple(split.fold for split, _, _ in parts),
        tuple(name for _, name, _ in parts),
        np.stack([cases.counts(rows) for _, _, rows in parts]),
    )
