"""The critical-difference diagram: mean ranks, and which of them lie too close to tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.notebook import in_notebook
from assay.ranks.posthoc import rank_error
from assay.results import Table

if TYPE_CHECKING:
    from assay.plots.figure import Figure, Label, Line

# Names no longer than this stand beside their dots; half a letter and the gap to a dot, as shares of the axis.
LONGEST_NAME = 18
HALF_A_LETTER = 0.011
GAP = 0.025
# More rows than this leave no room for a name in each.
MOST_NAMED = 16
MOST_TICKS = 10


@dataclass(frozen=True, repr=False)
class CriticalDifference:
    """Algorithms by mean rank (1 is best) and the difference that two of them need to differ beyond chance.

    With a `control` only differences from it count (Bonferroni-Dunn), else all (Nemenyi). Whether two of them pass also
    depends on which others are ranked beside them. `undefined` says why there is no difference.
    """

    algorithms: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    difference: float
    alpha: float
    datasets: int
    control: str | None = None
    undefined: str | None = None

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"<Critical difference {self.difference:.4g} of {len(self.algorithms)} mean ranks>"

    @property
    def critical_value(self) -> float:
        """The difference in standard errors of a difference of two mean ranks: what tables of the test print.

        >>> found = CriticalDifference(("a", "b", "c", "d"), (1.7, 1.8, 2.7, 3.8), 1.2536, 0.05, 14)
        >>> round(found.critical_value, 3)
        2.569
        """
        return self.difference / rank_error(len(self.algorithms), self.datasets)

    @property
    def method(self) -> str:
        """Whose difference it is."""
        return "Nemenyi" if self.control is None else "Bonferroni-Dunn"

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The longest runs of algorithms that cannot be told apart; with a control, those near it.

        >>> CriticalDifference(("a", "b", "c"), (1.2, 1.9, 2.9), 1.1, 0.05, 20).groups
        (('a', 'b'), ('b', 'c'))
        """
        if self.undefined is not None:
            return ()
        runs: list[tuple[int, int]] = []
        for start, first in enumerate(self.mean_ranks):
            end = sum(rank - first <= self.difference for rank in self.mean_ranks)
            if end - start > 1 and (not runs or end > runs[-1][1]):
                runs.append((start, end))
        if self.control is not None:
            own = self.mean_ranks[self.algorithms.index(self.control)]
            near = [abs(rank - own) <= self.difference for rank in self.mean_ranks]
            runs = [(near.index(True), len(near) - near[::-1].index(True))] if sum(near) > 1 else []
        return tuple(self.algorithms[start:end] for start, end in runs)

    def table(self) -> Table:
        """Every algorithm with its mean rank and the groups it belongs to.

        >>> print(CriticalDifference(("a", "b", "c"), (1.2, 1.9, 2.9), 1.1, 0.05, 20).table())
        place  algorithm  mean_rank  groups
            1  a              1.200  1
            2  b              1.900  1 2
            3  c              2.900  2
        """
        member = [
            " ".join(str(g + 1) for g, group in enumerate(self.groups) if name in group) for name in self.algorithms
        ]
        return Table(
            {
                "place": list(range(1, len(self.algorithms) + 1)),
                "algorithm": list(self.algorithms),
                "mean_rank": list(self.mean_ranks),
                "groups": member,
            },
            title="Critical difference",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, nan as None."""
        return {
            "method": self.method,
            "alpha": self.alpha,
            "difference": None if self.undefined else self.difference,
            "control": self.control,
            "mean_ranks": dict(zip(self.algorithms, self.mean_ranks, strict=True)),
            "groups": [list(group) for group in self.groups],
            "undefined": self.undefined,
        }

    def figure(self) -> Figure:
        """The diagram as data: a dot for each algorithm, a bar over each group, the difference from the best one."""
        from assay.plots.figure import Axis, Dot, Figure, SideNote

        k = len(self.algorithms)
        step = max(1, -(-(k - 1) // (MOST_TICKS - 1)))
        ticks = tuple(float(t) for t in dict.fromkeys((*range(1, k, step), k)))
        dots = tuple(
            Dot(rank, float(place), "model-0-dot", name)
            for place, (name, rank) in enumerate(zip(self.algorithms, self.mean_ranks, strict=True), 1)
        )
        lines = tuple(self._bars())
        # Names stand at their dots as long as they fit there; else the best of them are listed.
        named = dots[:MOST_NAMED] if k > MOST_NAMED else ()
        listed = [(f"{dot.y:.0f} {_short(dot.label, 8)} {dot.x:.2f}", False) for dot in named]
        listed += [(f"and {k - MOST_NAMED:,} more", True)] if named else []
        heading = "no test" if self.undefined else f"difference {self.difference:.3g}"
        return Figure(
            name="critical_difference",
            title="Critical difference",
            x=Axis("Mean rank (1 is best)", ticks),
            y=Axis("Place", ticks[::-1]),
            lines=lines,
            dots=dots,
            labels=tuple(self._labels(k)),
            notes=(SideNote(heading, "words", ((f"{self.method}, {self.alpha:g}", True), *listed), "top"),),
            drawn=sum(len(line.x) for line in lines),
            points=k,
        )

    def _bars(self) -> Iterator[Line]:
        from assay.plots.figure import Line

        if self.undefined is not None:
            return
        place = {name: i for i, name in enumerate(self.algorithms)}
        for group in self.groups:
            ends = np.array([self.mean_ranks[place[group[0]]], self.mean_ranks[place[group[-1]]]])
            # Between the row of its first algorithm and the next: no two groups begin with the same one.
            yield Line(ends, np.full(2, place[group[0]] + 1.5), "mark", "cannot be told apart")
        # From the best one everything lies on one side, from a control on either.
        own = self.mean_ranks[self._row - 1]
        reach = np.array([own - self.difference * (self.control is not None), own + self.difference])
        limits = np.clip(reach, 1.0, len(self.algorithms))
        yield Line(limits, np.full(2, float(self._row)), "reference", "critical difference")

    @property
    def _row(self) -> int:
        """Where the difference is drawn: beside the best algorithm, or the control."""
        return 1 if self.control is None else 1 + self.algorithms.index(self.control)

    def _labels(self, k: int) -> Iterator[Label]:
        from assay.plots.figure import Label

        if k > MOST_NAMED:
            return
        for place, (name, rank) in enumerate(zip(self.algorithms, self.mean_ranks, strict=True), 1):
            words = _short(name, LONGEST_NAME)
            away = (GAP + HALF_A_LETTER * len(words)) * (k - 1)
            # The difference runs to the right of its row, so that the name stands on the left if there is room.
            is_left = (rank - 1) / (k - 1) > 0.5 or (place == self._row and rank - 2 * away > 1)
            yield Label(rank - away if is_left else rank + away, float(place), words, "words")

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw with matplotlib, into `ax` if given; returns the axes."""
        from assay.plots import matplotlib_axes

        return matplotlib_axes(self.figure(), ax, **style)

    def svg(self) -> str:
        """The diagram as a standalone SVG picture."""
        from assay.plots import svg_document

        return svg_document(self.figure())


def _short(name: str, most: int) -> str:
    from assay.words import shortened

    return shortened(name, most)
