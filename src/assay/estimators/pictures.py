"""Pictures of learners, as data that can be drawn: scores with cuts through them, and how learning went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.curves import Curve, Drawable, Drawing, Hull, Ruler, Spot, Trace, roc, score_densities
from assay.evidence import ScoreTable
from assay.results import Table
from assay.types import Floats


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCuts(Drawable):
    """How the scores of either class are spread, and where cuts go through them: a threshold, a zone, margins.

    >>> ScoreCuts(ScoreTable.of([-2.0, -1.0, 0.5, 2.0], [0, 0, 1, 1]), {"boundary": 0.0}).table().columns
    {'cut': ['boundary'], 'score': [0.0], 'negatives_above': [0], 'positives_below': [0]}
    """

    scores: ScoreTable
    cuts: Mapping[str, float]
    title: str = "Cuts"
    axis: str = "Score"

    def __repr__(self) -> str:
        return f"<{self.title}: {', '.join(f'{name} {cut:.4g}' for name, cut in self.cuts.items())}>"

    @property
    def is_defined(self) -> bool:
        """Whether there are cases."""
        return len(self.scores) > 0

    def table(self) -> Table:
        """Each cut, and how many cases of either class are on its wrong side."""
        at = [self.scores.at(cut) for cut in self.cuts.values()]
        columns: dict[str, list[Any]] = {
            "cut": list(self.cuts),
            "score": list(self.cuts.values()),
            "negatives_above": [_int_if_whole(matrix.fp) for matrix in at],
            "positives_below": [_int_if_whole(matrix.fn) for matrix in at],
        }
        return Table(columns, title=self.title)

    def drawing(self) -> Drawing:
        """The positives above, the negatives below, a line for each cut."""
        spread = score_densities(self.scores).drawing()
        ends = spread.x.ends or (float(self.scores.score[0]), float(self.scores.score[-1]))
        low, high = min(ends[0], *self.cuts.values()), max(ends[1], *self.cuts.values())
        lines = tuple(Trace(np.full(2, cut), np.array([-1.0, 1.0]), "mark", name) for name, cut in self.cuts.items())
        return replace(
            spread,
            name="score_cuts",
            title=self.title,
            x=Ruler(self.axis, (low, high)),
            traces=(*spread.traces, *lines),
        )


@dataclass(frozen=True, eq=False, repr=False)
class LearningRounds(Drawable):
    """The share of misranked pairs of training cases after each round, and its upper bound."""

    loss: Floats
    bound: Floats

    def __repr__(self) -> str:
        return f"<Rounds of boosting: {len(self.loss):,}>"

    @property
    def is_defined(self) -> bool:
        """Whether there was a round."""
        return len(self.loss) > 0

    def table(self) -> Table:
        """Each round."""
        columns = {
            "round": list(range(1, len(self.loss) + 1)),
            "loss": self.loss.tolist(),
            "bound": self.bound.tolist(),
        }
        return Table(columns, title="Rounds of boosting")

    def drawing(self) -> Drawing:
        """The loss below its bound, round by round."""
        rounds = np.arange(1.0, len(self.loss) + 1)
        return Drawing(
            name="rounds",
            title="Misranked pairs by boosting round",
            x=Ruler("Rounds", (1.0, max(2.0, float(len(rounds))))),
            y=Ruler("Share of training pairs", (0.0, max(0.5, float(self.bound.max(initial=0.0))))),
            traces=(Trace(rounds, self.bound, "reference", "bound"), Trace(rounds, self.loss)),
            points=len(rounds),
        )


@dataclass(frozen=True, eq=False, repr=False)
class MixturePicture(Drawable):
    """The ROC curves of classifiers, the hull over them, and the point on it that a mixture decides at."""

    curves: Mapping[str, Curve]
    hull: Hull
    point: tuple[float, float]
    words: str

    def __repr__(self) -> str:
        return f"<Mixture on the ROC hull: {self.words}>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a hull."""
        return len(self.hull) > 0

    def table(self) -> Table:
        """The corners of the hull."""
        return self.hull.table()

    def drawing(self) -> Drawing:
        """Curves faint, the hull as the model, the mixture as a point."""
        first = next(iter(self.curves.values())).drawing()
        faint = [Trace(*_curve_corners(curve), "faint", name) for name, curve in self.curves.items()]
        references = [trace for trace in first.traces if trace.role == "reference"]
        return replace(
            first,
            name="mixture",
            title="Mixture on the ROC hull",
            traces=(*references, *faint, Trace(self.hull.fpr, self.hull.recall)),
            points=len(self.hull),
            spots=(Spot(*self.point, "mixture"),),
        )


def mixture_picture(
    tables: Mapping[str, ScoreTable], hull: Hull, point: tuple[float, float], words: str
) -> MixturePicture:
    """The picture of a mixture, from the held-out scores of its classifiers."""
    return MixturePicture({name: roc(table) for name, table in tables.items()}, hull, point, words)


def _curve_corners(curve: Curve) -> tuple[Floats, Floats]:
    corners = curve.corners()
    return corners.x, corners.y


def _int_if_whole(count: float) -> float:
    return int(count) if float(count).is_integer() else float(count)
