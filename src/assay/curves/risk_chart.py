"""The risk chart of auditors and insurers: working a ranking from the top, how much of the positives, and of the money
at stake, so large a caseload finds. After Rattle's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.curves._curve import Drawable
from assay.curves._drawing import Drawing, Ruler, Trace
from assay.curves.threshold import line, share_from
from assay.errors import OptionError
from assay.evidence import ScoreTable, tabulate_weights
from assay.measures import precision, predicted_prevalence, ratio, recall
from assay.results import Table
from assay.types import Floats


def amounts_at_stake(score: ArrayLike, is_positive: ArrayLike, amount: ArrayLike, *times: Floats) -> ScoreTable:
    """The amount at stake at each score, of either class: evidence like any other, so that parts of it add.

    Amounts may be negative: what is found is then to be paid back. `times` are weights or counts of the cases.

    >>> amounts_at_stake([0.9, 0.6, 0.6], [True, True, False], [100.0, 300.0, -50.0]).positive.tolist()
    [300.0, 100.0]
    """
    scores = np.asarray(score, dtype=np.float64) + 0.0
    try:
        amounts = np.asarray(amount, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError("the amounts at stake are no numbers", "an amount for each case", about="amounts") from None
    if amounts.shape != scores.shape:
        shape = f"there are {len(scores):,} cases, and the amounts at stake have shape {amounts.shape}"
        raise OptionError(shape, "an amount for each case", about="amounts")
    if not np.isfinite(amounts).all():
        raise OptionError("some amounts at stake are nan or infinite", "finite numbers", about="amounts")
    found = np.asarray(is_positive, dtype=np.bool_)
    for each in times:
        amounts = amounts * each
    distinct, of_negatives, of_positives = tabulate_weights(scores, amounts * ~found, amounts * found)
    return ScoreTable(distinct, of_negatives, of_positives)


@dataclass(frozen=True, eq=False, repr=False)
class RiskChart(Drawable):
    """For each threshold the share of cases to look at, of positives found and of money found; and the strike rate."""

    threshold: Floats
    caseload: Floats
    recall: Floats
    precision: Floats
    prevalence: float
    risk: Floats | None = None

    def __repr__(self) -> str:
        return f"<Risk chart: {len(self.threshold):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a positive to find."""
        return bool(np.isfinite(self.recall).all())

    @property
    def recall_area(self) -> float:
        """Share of the positives found, averaged over all caseloads; 0.5 for chance."""
        return float(np.trapezoid(self.recall, self.caseload))

    @property
    def risk_area(self) -> float:
        """Share of the amount found, averaged over all caseloads; nan where no amounts were given."""
        return float("nan") if self.risk is None else float(np.trapezoid(self.risk, self.caseload))

    @property
    def recall_of_best(self) -> float:
        """The recall area as a share of that of a perfect ranking, which Rattle prints on its chart."""
        return 2 * self.recall_area / (2 - self.prevalence)

    @property
    def lead(self) -> Floats:
        """How far recall and risk together run ahead of the caseload."""
        return sum((found - self.caseload for found in (self.recall, self.risk) if found is not None), np.zeros(1))

    def table(self) -> Table:
        """Every point: threshold, caseload, recall, risk, strike rate, lead."""
        columns = {
            "threshold": self.threshold,
            "caseload": self.caseload,
            "recall": self.recall,
            **({} if self.risk is None else {"risk": self.risk}),
            "strike_rate": self.precision,
            "lead": self.lead,
        }
        return Table({name: values.tolist() for name, values in columns.items()}, title="Risk chart")

    def drawing(self) -> Drawing:
        """Recall and risk over the caseload, and the strike rate below them."""
        called = slice(1, None)
        risk = () if self.risk is None else (Trace(self.caseload, self.risk, "negatives", "risk"),)
        return Drawing(
            name="risk_chart",
            title="Risk chart",
            x=Ruler("Caseload"),
            y=Ruler("Share found"),
            traces=(
                line((0, 0), (1, 1), "chance"),
                Trace(self.caseload[called], self.precision[called], "faint", "strike rate"),
                Trace(self.caseload, self.recall, "positives", "recall"),
                *risk,
            ),
            points=len(self.threshold),
            is_square=True,
        )


def risk_chart(table: ScoreTable, amounts: ScoreTable | None = None) -> RiskChart:
    """The risk chart of scores and, if `amounts` were tabulated at the same scores, of the money they find.

    >>> score, found, dollars = [0.9, 0.6, 0.6, 0.2], [True, True, False, False], [100.0, 300.0, 0.0, 0.0]
    >>> print(risk_chart(ScoreTable.of(score, found), amounts_at_stake(score, found, dollars)).table())
    threshold  caseload  recall   risk  strike_rate   lead
          inf     0.000   0.000  0.000            -  0.000
        0.900     0.250   0.500  0.250        1.000  0.250
        0.600     0.750   1.000  1.000        0.667  0.500
        0.200     1.000   1.000  1.000        0.500  0.000
    """
    matrix, threshold = table.swept(), table.thresholds()
    return RiskChart(
        threshold,
        predicted_prevalence(matrix),
        recall(matrix),
        precision(matrix),
        float(ratio(table.positives, table.total)),
        None if amounts is None else share_from(amounts, amounts.negative + amounts.positive, threshold),
    )
