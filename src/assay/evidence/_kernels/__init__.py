"""The few hot operations: plain arrays in, plain arrays out, no policy.

Where compiled loops were built when the package was installed they serve, elsewhere numpy does; both give the same
counts. The environment variable ASSAY_KERNELS says otherwise: `numpy`, or `require` for an error where none were built.
"""

import os
from importlib.util import find_spec

from assay.evidence._kernels.plain import (
    in_bins,
    merge_tables,
    tabulate_clusters,
    tabulate_ordered,
)
from assay.evidence._kernels.plain_draws import draw_key
from assay.evidence._kernels.plain_sweeps import joint_hull
from assay.evidence._kernels.plain_windows import PairWindow
from assay.evidence._kernels.side_by_side import cores, side_by_side

__all__ = [
    "KERNELS",
    "PairWindow",
    "area_moves",
    "arranged",
    "binomials",
    "class_products",
    "cores",
    "counted",
    "draw_key",
    "encoded",
    "height_in_band",
    "in_bins",
    "isotonic_rows",
    "joint_hull",
    "line_moments",
    "line_pulls",
    "merge_tables",
    "moved_sums",
    "multiplicities",
    "pair_window",
    "pairs_along",
    "pairs_in_order",
    "past_band",
    "picked",
    "placed",
    "placement_sums",
    "positions_among",
    "precision_moves",
    "precision_of_others",
    "precision_sums",
    "quantiles",
    "redrawn_sums",
    "side_by_side",
    "span",
    "table_hull",
    "tabulate_clusters",
    "tabulate_ordered",
    "tabulate_pairs",
    "tabulate_scores",
    "tabulate_weights",
    "upper_hull",
    "weighed",
    "zero_one",
]

_WANTED = os.environ.get("ASSAY_KERNELS") or "auto"
if _WANTED not in ("auto", "numpy", "require"):
    raise ImportError(f"ASSAY_KERNELS is {_WANTED!r}; needed: auto, numpy or require")

# What serves: "compiled" or "numpy".
_BUILT = all(
    find_spec(f"assay.evidence._kernels.{name}")
    for name in ("_counts", "_draws", "_lines", "_loops", "_marks", "_sweeps", "_tables", "_trees")
)
KERNELS = "compiled" if _BUILT and _WANTED != "numpy" else "numpy"
if _WANTED == "require" and KERNELS != "compiled":
    raise ImportError(
        "ASSAY_KERNELS is 'require' and no compiled loops were built; needed: a C compiler, then pip again"
    )

if KERNELS == "compiled":
    from assay.evidence._kernels.compiled import (
        area_moves,
        arranged,
        class_products,
        encoded,
        height_in_band,
        line_moments,
        line_pulls,
        moved_sums,
        pair_window,
        pairs_along,
        pairs_in_order,
        past_band,
        picked,
        placed,
        placement_sums,
        positions_among,
        precision_moves,
        precision_of_others,
        precision_sums,
        quantiles,
        span,
        table_hull,
        tabulate_pairs,
        tabulate_scores,
        tabulate_weights,
        upper_hull,
        weighed,
        zero_one,
    )
    from assay.evidence._kernels.compiled_draws import binomials, counted, isotonic_rows, multiplicities, redrawn_sums
else:
    from assay.evidence._kernels.plain import (
        arranged,
        encoded,
        picked,
        placed,
        positions_among,
        quantiles,
        span,
        tabulate_pairs,
        tabulate_scores,
        tabulate_weights,
        zero_one,
    )
    from assay.evidence._kernels.plain_draws import binomials, counted, isotonic_rows, multiplicities, redrawn_sums
    from assay.evidence._kernels.plain_sweeps import (
        area_moves,
        class_products,
        height_in_band,
        line_moments,
        line_pulls,
        moved_sums,
        pairs_in_order,
        past_band,
        placement_sums,
        precision_moves,
        precision_of_others,
        precision_sums,
        table_hull,
        upper_hull,
        weighed,
    )
    from assay.evidence._kernels.plain_windows import pair_window, pairs_along
