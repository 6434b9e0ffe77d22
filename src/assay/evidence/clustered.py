"""Rows of a score table that depend on one another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.evidence._kernels import tabulate_clusters
from assay.types import Floats


class ClusteredRows(NamedTuple):
    """Where each row stands in a table, and which rows belong together."""

    position: NDArray[np.integer]
    is_positive: NDArray[np.bool_]
    weight: Floats
    cluster: NDArray[np.integer]

    def sums(self, of_negatives: Floats, of_positives: Floats) -> tuple[Floats, Floats]:
        """For each cluster, the weighted sum over its negatives and over its positives of values given per score."""
        clusters = int(self.cluster.max()) + 1
        sides = ((of_negatives, ~self.is_positive), (of_positives, self.is_positive))
        negative, positive = (
            np.bincount(self.cluster, self.weight * values[self.position] * mask, minlength=clusters).astype(np.float64)
            for values, mask in sides
        )
        return negative, positive

    def own_called(self) -> tuple[Floats, Floats]:
        """For each row, what of its own cluster is called when it is the threshold: the positives, and all rows."""
        count = int(self.position.max()) + 1
        # Rows of a cluster from the highest score down, those of one score together.
        place = self.cluster.astype(np.int64) * count + (count - 1 - self.position)
        key, group = np.unique(place, return_inverse=True)
        starts = np.searchsorted(key, (key // count) * count)

        def called(weight: Floats) -> Floats:
            sums = np.cumsum(np.bincount(group, weight)).astype(np.float64)
            own: Floats = (sums - np.where(starts > 0, sums[starts - 1], 0.0))[group]
            return own

        return called(self.weight * self.is_positive), called(self.weight)

    def parted(self, cut: int) -> Floats:
        """The confusion matrix of each cluster when positions from `cut` on are called positive."""
        cell = 2 * self.is_positive.astype(np.intp) + (self.position >= cut)
        return tabulate_clusters(self.cluster, cell, 4, self.weight).reshape(-1, 2, 2)
