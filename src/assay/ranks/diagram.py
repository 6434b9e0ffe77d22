"""The critical-difference diagram: mean ranks and groups without a significant difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.ranks.posthoc import rank_error
from assay.renderers import in_notebook, plot, render, svg
from assay.results import Table


@dataclass(frozen=True, repr=False)
class CriticalDifference:
    """Algorithms by mean rank (1 is best) and the critical difference of two mean ranks.

    With a `control` only differences from it count (Bonferroni-Dunn), else all (Nemenyi). Significance also
    depends on the other algorithms in the ranking. `undefined` is the reason if there is no difference.
    """

    algorithms: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    difference: float
    alpha: float
    datasets: int
    control: str | None = None
    undefined: str | None = None

    _repr_html_ = in_notebook
    plot = plot
    svg = svg

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
        """Return the groups of algorithms without a significant difference; with a control, its group.

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

    def figure(self) -> Any:
        """The diagram as data for the drawing (`assay.plots.Figure`)."""
        return render("figure", self)
