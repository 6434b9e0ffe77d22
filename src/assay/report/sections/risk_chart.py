"""The risk chart: for those who work a ranking from the top and look for money, not only for cases."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.curves import RiskChart
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.blocks import Block, Heading, Picture, Sentence
from assay.report.sections._pictures import drawn, points_drawn, scored, table_of
from assay.report.words import model_names, number, percent

__all__ = ["risk_chart"]

# The part of the ranking that the caption speaks of.
TOP = 0.1
COLUMNS = {
    "threshold": "threshold",
    "caseload": "caseload",
    "recall": "positives found",
    "risk": "amount found",
    "strike_rate": "strike rate",
}
NO_INTERVAL = (
    "Shares of an amount have no interval here: a few large amounts can carry them, and no method for them was "
    "simulated."
)


def risk_chart(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """Positives and amount found against the caseload; None where nobody said what is at stake."""
    found = drawn(models, "risk_chart", staked(models), lambda ev: ev.curves.risk_chart())
    if found is None:
        return None
    charts = {key: chart for key, chart in found.made.items() if isinstance(chart, RiskChart)}
    table = table_of(models, {key: chart.table() for key, chart in charts.items()}, COLUMNS)
    subtitle = "of these cases: risk is the share of the amount, strike rate that of positives among those looked at"
    picture = Picture(found.figure, _caption(models, charts), subtitle, table, remark=points_drawn(found.figure))
    return [Heading("Risk chart"), picture, Sentence(f"{_areas(models, charts)} {NO_INTERVAL}")]


def staked(models: Mapping[str, Evaluation]) -> dict[str, TwoClassEvaluation]:
    """The models whose cases have amounts at stake."""
    return {key: ev for key, ev in scored(models).items() if ev.rows is not None and ev.rows.amount is not None}


def _caption(models: Mapping[str, Evaluation], charts: Mapping[str, RiskChart]) -> str:
    """What the top of the ranking holds, of the model whose top holds most of the amount."""
    tops = {key: _at(chart, chart.risk) for key, chart in charts.items()}
    key = max(tops, key=lambda each: tops[each])
    name, chart = model_names(models)[key], charts[key]
    who = f"{name}'s top" if name and len(charts) > 1 else "The top"
    found = _at(chart, chart.recall)
    return f"{who} tenth of the cases holds {percent(found)} of the positives and {percent(tops[key])} of the amount."


def _at(chart: RiskChart, share: np.ndarray | None) -> float:
    """A share at the top of the ranking; ties at its end are entered evenly."""
    return float("nan") if share is None else float(np.interp(TOP, chart.caseload, share))


def _areas(models: Mapping[str, Evaluation], charts: Mapping[str, RiskChart]) -> str:
    names = model_names(models)
    said = [
        f"{f'{names[key]}: area' if names[key] else 'Area'} under the positives found {number(chart.recall_area)} "
        f"({percent(chart.recall_of_best)} of a perfect ranking's), under the amount found {number(chart.risk_area)}."
        for key, chart in charts.items()
    ]
    return " ".join(said)
