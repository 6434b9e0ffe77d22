"""Evidence: predictions reduced to the little that measures need, in a form that adds."""

from assay.evidence._kernels import (
    KERNELS,
    PairWindow,
    binned,
    binomials,
    cores,
    counted,
    draw_key,
    encoded,
    isotonic_rows,
    joint_hull,
    multiplicities,
    pair_window,
    quantiles,
    tabulate_weights,
    upper_hull,
)
from assay.evidence.behind import rows_behind
from assay.evidence.cells import FourCells, PairTally
from assay.evidence.confusion import ConfusionMatrix
from assay.evidence.decided import DecidedRows
from assay.evidence.multiclass import ClassScores, RankedCases, ordered_table
from assay.evidence.paired import JointCorrectness
from assay.evidence.scores import PairCounts, PositiveBlocks, ScoreTable

__all__ = [
    "KERNELS",
    "ClassScores",
    "ConfusionMatrix",
    "DecidedRows",
    "FourCells",
    "JointCorrectness",
    "PairCounts",
    "PairTally",
    "PairWindow",
    "PositiveBlocks",
    "RankedCases",
    "ScoreTable",
    "binned",
    "binomials",
    "cores",
    "counted",
    "draw_key",
    "encoded",
    "isotonic_rows",
    "joint_hull",
    "multiplicities",
    "ordered_table",
    "pair_window",
    "quantiles",
    "rows_behind",
    "tabulate_weights",
    "upper_hull",
]
