"""Evidence: predictions reduced to the little that measures need, in a form that adds."""

from assay.evidence._kernels import (
    KERNELS,
    PairWindow,
    area_moves,
    binomials,
    class_products,
    cores,
    counted,
    draw_key,
    encoded,
    height_in_band,
    in_bins,
    isotonic_rows,
    joint_hull,
    line_moments,
    line_pulls,
    moved_sums,
    multiplicities,
    pair_window,
    pairs_along,
    past_band,
    precision_moves,
    precision_of_others,
    quantiles,
    redrawn_sums,
    side_by_side,
    span,
    tabulate_weights,
    upper_hull,
    weighed,
    zero_one,
)
from assay.evidence.arrangements import arrangements
from assay.evidence.behind import rows_behind
from assay.evidence.binned import Binned
from assay.evidence.blocks import PositiveBlocks
from assay.evidence.cells import FourCells, PairTally
from assay.evidence.class_sums import ClassSums, SummedClasses
from assay.evidence.confusion import ConfusionMatrix
from assay.evidence.contribution import Contribution
from assay.evidence.decided import DecidedRows
from assay.evidence.differing import differing_field
from assay.evidence.grid import ScoreGrid
from assay.evidence.joint import JOINT_BITS, JointLosses, JointScores, tied_cells
from assay.evidence.memory import forget_long
from assay.evidence.multiclass import ClassScores, RankedCases, ordered_table
from assay.evidence.paired import JointCorrectness
from assay.evidence.reach import Reach
from assay.evidence.reduced import Reduced, Shape
from assay.evidence.scaling import is_scalable, multiplied
from assay.evidence.scores import PairCounts, ScoreTable
from assay.evidence.together import ModelSums

__all__ = [
    "JOINT_BITS",
    "KERNELS",
    "Binned",
    "ClassScores",
    "ClassSums",
    "ConfusionMatrix",
    "Contribution",
    "DecidedRows",
    "FourCells",
    "JointCorrectness",
    "JointLosses",
    "JointScores",
    "ModelSums",
    "PairCounts",
    "PairTally",
    "PairWindow",
    "PositiveBlocks",
    "RankedCases",
    "Reach",
    "Reduced",
    "ScoreGrid",
    "ScoreTable",
    "Shape",
    "SummedClasses",
    "area_moves",
    "arrangements",
    "binomials",
    "class_products",
    "cores",
    "counted",
    "differing_field",
    "draw_key",
    "encoded",
    "forget_long",
    "height_in_band",
    "in_bins",
    "is_scalable",
    "isotonic_rows",
    "joint_hull",
    "line_moments",
    "line_pulls",
    "moved_sums",
    "multiplicities",
    "multiplied",
    "ordered_table",
    "pair_window",
    "pairs_along",
    "past_band",
    "precision_moves",
    "precision_of_others",
    "quantiles",
    "redrawn_sums",
    "rows_behind",
    "side_by_side",
    "span",
    "tabulate_weights",
    "tied_cells",
    "upper_hull",
    "weighed",
    "zero_one",
]
