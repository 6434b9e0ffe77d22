"""The few hot operations: plain arrays in, plain arrays out, no policy.

Where compiled loops were built when the package was installed they serve, elsewhere numpy does; both give the same
counts. The environment variable ASSAY_KERNELS says otherwise: `numpy`, or `require` for an error where none were built.
"""

import os
from importlib.util import find_spec

from assay.evidence._kernels.plain import (
    PairWindow,
    binned,
    joint_hull,
    merge_tables,
    tabulate_clusters,
    tabulate_ordered,
    tabulate_pairs,
    tabulate_weights,
)

__all__ = [
    "KERNELS",
    "PairWindow",
    "binned",
    "encoded",
    "joint_hull",
    "merge_tables",
    "placement_sums",
    "positions_among",
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
KERNELS = "numpy" if _WANTED == "numpy" or find_spec("assay.evidence._kernels._loops") is None else "compiled"
if _WANTED == "require" and KERNELS != "compiled":
    raise ImportError(
        "ASSAY_KERNELS is 'require' and no compiled loops were built; needed: a C compiler, then pip again"
    )

if KERNELS == "compiled":
    from assay.evidence._kernels.compiled import (
        encoded,
        placement_sums,
        positions_among,
        quantiles,
        tabulate_scores,
        upper_hull,
    )
else:
    from assay.evidence._kernels.plain import (
        encoded,
        placement_sums,
        positions_among,
        quantiles,
        tabulate_scores,
        upper_hull,
    )
