"""Truth and decisions as two raters, corrected for chance in other ways than kappa. To be asked for by name.

They differ in what they hold chance to be: Scott and Krippendorff draw both raters from their common shares, Gwet lets
chance strike where raters are unsure, Brennan and Prediger give every label the same chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import rel_entr, stdtrit

from assay.evidence import ConfusionMatrix
from assay.measures.agreement import ONE_AND_THE_SAME
from assay.measures.averages import posterior_of_many
from assay.measures.kinds import dirichlet, function_of_matrix
from assay.measures.measure import IntervalFamily, Measure, ratio
from assay.measures.rates import accuracy
from assay.results import Interval

NO_CASES = "there are no cases"
GWET = "Gwet (2008); Gwet (2014)"
AT_ITS_END = "it is never below 0, its value for uninformative predictions, and no interval was simulated for it"


def _cell_and_label_shares(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """The share of each cell, and of each label over both raters."""
    cells = ratio(matrix.counts, np.asarray(matrix.total)[..., None, None])
    rows = np.zeros((*cells.shape[:-2], cells.shape[-1]))
    rows[..., : cells.shape[-2]] = cells.sum(-1)
    return cells, (rows + cells.sum(-2)) / 2


def _observed_agreement(cells: Any) -> Any:
    return np.trace(cells, axis1=-2, axis2=-1)


def _agreement_beyond_chance(agreed: Any, by_chance: Any) -> Any:
    return ratio(agreed - by_chance, 1 - by_chance)


def _scott_chance(labels: Any) -> tuple[Any, Any]:
    """Agreement by chance, and how much a share of each label moves it."""
    return (labels * labels).sum(-1), 2 * labels


def _gwet_chance(labels: Any) -> tuple[Any, Any]:
    others = labels.shape[-1] - 1
    return ratio((labels * (1 - labels)).sum(-1), others), ratio(1 - 2 * labels, others)


Chance = Callable[[Any], tuple[Any, Any]]


def _posterior_interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
    of = dirichlet if len(matrix.classes) == 2 else posterior_of_many
    return of(measure, matrix, level, seed)


def _chance_intervals(chance: Chance) -> IntervalFamily:
    """The posterior of the cells; by name Gwet's standard error, cases drawn at random and the raters fixed."""

    def gwet(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        even = matrix.effective()
        cells, labels = _cell_and_label_shares(even)
        by_chance, slope = chance(labels)
        value, n = float(_agreement_beyond_chance(_observed_agreement(cells), by_chance)), float(even.total)
        side = (slope[: cells.shape[0], None] + slope[None, :]) / 2
        moved = np.eye(*cells.shape) - (1 - value) * side
        spread = float((cells * moved * moved).sum() - (cells * moved).sum() ** 2)
        error = math.sqrt(float(ratio(max(spread, 0.0), n))) * float(ratio(1.0, 1 - by_chance))
        if not error > 0 or n < 2:
            return Interval.missing("Gwet", "all predictions are correct, so the standard error is 0")
        half = float(stdtrit(n - 1, 0.5 + level / 2)) * error
        return Interval(value - half, value + half, "Gwet")

    return IntervalFamily({"Dirichlet": _posterior_interval, "Gwet": gwet})


@function_of_matrix(
    _chance_intervals(_scott_chance),
    family="agreement",
    title="Scott's pi",
    notation="(agreed - by chance) / (1 - by chance), chance from the pooled shares of true and predicted labels",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined=ONE_AND_THE_SAME,
    aliases=("scotts_pi", "fleiss_kappa"),
    reference=f"Scott (1955); Fleiss (1971); {GWET}",
)
def scott_pi(matrix: ConfusionMatrix) -> Any:
    """Agreement of predicted and true labels beyond chance, where chance draws both from the same class shares.

    Below Cohen's kappa wherever decisions favour other classes than truth does; Fleiss' kappa of two raters.

    >>> scott_pi(ConfusionMatrix(np.array([[20, 5, 1], [4, 15, 6], [0, 7, 22]]))).round(6).item()
    0.567872
    """
    cells, labels = _cell_and_label_shares(matrix)
    return _agreement_beyond_chance(_observed_agreement(cells), _scott_chance(labels)[0])


@function_of_matrix(
    _chance_intervals(_gwet_chance),
    family="agreement",
    title="Gwet's AC1",
    notation="(agreed - by chance) / (1 - by chance), chance = sum of share (1 - share) / (labels - 1)",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined=NO_CASES,
    aliases=("ac1", "gwets_ac1"),
    reference=GWET,
)
def gwet_ac1(matrix: ConfusionMatrix) -> Any:
    """Agreement of predicted and true labels beyond chance, where only cases difficult to classify agree by chance.

    It stays high where nearly all cases are of one class, as kappa and Scott's pi do not.

    >>> gwet_ac1(ConfusionMatrix(np.array([[20, 5, 1], [4, 15, 6], [0, 7, 22]]))).round(6).item()
    0.569188
    """
    cells, labels = _cell_and_label_shares(matrix)
    return _agreement_beyond_chance(_observed_agreement(cells), _gwet_chance(labels)[0])


def _scott_interval(name: str) -> Callable[..., Interval]:
    """In the population it is Scott's pi: the limits are those of that."""

    def interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        return scott_pi.intervals.methods[name](scott_pi, matrix, level, seed)

    return interval


@function_of_matrix(
    IntervalFamily({"Dirichlet": _scott_interval("Dirichlet")}),
    family="agreement",
    title="Krippendorff's alpha",
    notation="1 - (1 - 1 / (2 n)) (1 - Scott's pi)",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined=ONE_AND_THE_SAME,
    aliases=("krippendorffs_alpha",),
    reference="Krippendorff (1970); Hayes & Krippendorff (2007)",
)
def krippendorff_alpha(matrix: ConfusionMatrix) -> Any:
    """Scott's pi corrected for the number of cases: disagreement as a share of what chance would give. Nominal labels.

    >>> krippendorff_alpha(ConfusionMatrix(np.array([[20, 5, 1], [4, 15, 6], [0, 7, 22]]))).round(6).item()
    0.570573
    """
    return 1 - (1 - ratio(0.5, matrix.total)) * (1 - scott_pi(matrix))


def _interval_from_accuracy(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
    found = accuracy.intervals.methods["Wilson"](accuracy, matrix, level, seed)
    low, high = (
        float(_agreement_beyond_chance(end, ratio(1.0, len(matrix.decisions)))) for end in (found.low, found.high)
    )
    return Interval(low, high, found.method.replace("Wilson", "Wilson, accuracy"), found.undefined)


@function_of_matrix(
    IntervalFamily({"Wilson, accuracy": _interval_from_accuracy}),
    family="agreement",
    title="Brennan-Prediger coefficient",
    notation="(accuracy - 1 / labels) / (1 - 1 / labels)",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined=NO_CASES,
    aliases=("bennett_s", "s_coefficient"),
    reference="Bennett, Alpert & Goldstein (1954); Brennan & Prediger (1981)",
)
def brennan_prediger(matrix: ConfusionMatrix) -> Any:
    """Accuracy beyond what guessing among the labels, each as likely, would reach: 0 for such guesses, 1 for no error.

    >>> brennan_prediger(ConfusionMatrix(np.array([[20, 5, 1], [4, 15, 6], [0, 7, 22]]))).round(6).item()
    0.56875
    """
    return _agreement_beyond_chance(ratio(matrix.correct, matrix.total), ratio(1.0, matrix.counts.shape[-1]))


@function_of_matrix(
    IntervalFamily.none(AT_ITS_END),
    family="agreement",
    is_open_in_cells=True,
    title="Mutual information",
    notation="sum of p(true, predicted) log2(p(true, predicted) / (p(true) p(predicted)))",
    bounds=(0.0, math.inf),
    better="higher",
    undefined=NO_CASES,
    aliases=("mi", "information_transfer"),
    reference="Shannon (1948)",
)
def mutual_information(matrix: ConfusionMatrix) -> Any:
    """Information (bits) in the predicted label about the true label; the same if labels are swapped consistently.

    >>> mutual_information(ConfusionMatrix.binary(tp=40, fn=10, fp=10, tn=40)).round(6).item()
    0.278072
    """
    cells, _ = _cell_and_label_shares(matrix)
    by_chance = cells.sum(-1, keepdims=True) * cells.sum(-2, keepdims=True)
    return np.maximum(rel_entr(cells, by_chance).sum((-2, -1)) * math.log2(math.e), 0.0)[()]
