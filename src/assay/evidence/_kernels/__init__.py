"""The few hot operations: plain arrays in, plain arrays out, no policy.

Where compiled loops were built when the package was installed they serve, elsewhere numpy does; both give the same
counts. The environment variable ASSAY_KERNELS says otherwise: `numpy`, or `require` for an error where none were built.
"""

import os
from importlib.util import find_spec

from assay.evidence._kernels.plain import (
    binned,
    cores,
    merge_tables,
    tabulate_clusters,
    tabulate_ordered,
    tabulate_pairs,
)
from assay.evidence._kernels.plain_draws import draw_key
from assay.evidence._kernels.plain_sweeps import joint_hull
from assay.evidence._kernels.plain_windows import PairWindow

__all__ = [
    "KERNELS",
    "PairWindow",
    "arranged",
    "binned",
    "binomials",
    "cores",
    "counted",
    "draw_key",
    "encoded",
    "isotonic_rows",
    "joint_hull",
    "merge_tables",
    "multiplicities",
    "pair_window",
    "pairs_in_order",
    "picked",
    "placement_sums",
    "positions_among",
    "precision_sums",
    "quantiles",
    "tabulate_clusters",
    "tabulate_ordered",
    "tabulate_pairs",
    "tabulate_scores",
    "tabulate_weights",
    "upper_hull",
]

_WANTED = os.environ.get("ASSAY_KERNELS") or "auto"
if _WANTED not in ("auto", "numpy", "require"):
    raise ImportError(f"ASSAY_KERNELS is {_WANTED!r}; needed: auto, numpy or require")

# What serves: "compiled" or "numpy".
_BUILT = all(find_spec(f"assay.evidence._kernels.{name}") for name in ("_draws", "_loops", "_sweeps", "_trees"))
KERNELS = "compiled" if _BUILT and _WANTED != "numpy" else "numpy"
if _WANTED == "require" and KERNELS != "compiled":
    raise ImportError(
        "ASSAY_KERNELS is 'require' and no compiled loops were built; needed: a C compiler, then pip again"
    )

if KERNELS == "compiled":
    from assay.evidence._kernels.compiled import (
        arranged,
        encoded,
        pair_window,
        pairs_in_order,
        picked,
        placement_sums,
        positions_among,
        precision_sums,
        quantiles,
        tabulate_scores,
        tabulate_weights,
        upper_hull,
    )
    from assay.evidence._kernels.compiled_draws import binomials, counted, isotonic_rows, multiplicities
else:
    from assay.evidence._kernels.plain import (
        arranged,
        encoded,
        picked,
        positions_among,
        quantiles,
        tabulate_scores,
        tabulate_weights,
    )
    from assay.evidence._kernels.plain_draws import binomials, counted, isotonic_rows, multiplicities
    from assay.evidence._kernels.plain_sweeps import pairs_in_order, placement_sums, precision_sums, upper_hull
    from assay.evidence._kernels.plain_windows import pair_window
