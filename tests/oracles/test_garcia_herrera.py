"""scmamp 0.3.2 and R 4.2.2 on the comparisons of Garcia & Herrera (2008, 2010): p-values adjusted every way.

The results of the classifiers ship in a GPL package and are not kept here; the sums of their ranks suffice for what
follows. All figures were made by those two systems, not read off the papers, and are rounded.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from assay.ranks import nemenyi_difference
from assay.ranks.posthoc import adjusted, nemenyi_p_value

# Five classifiers on 30 data sets: C4.5, 1-NN, naive Bayes, Kernel, CN2, as sums of ranks.
FIVE = np.array([63.0, 97.5, 66.0, 130.0, 93.5]) / 30
PAIRS = [(i, j) for i in range(5) for j in range(i + 1, 5)]
APART = np.array([abs(FIVE[i] - FIVE[j]) for i, j in PAIRS])
RAW = 2 * ndtr(-APART / np.sqrt(5 * 6 / (6 * 30)))
# Four classifiers on 24 data sets, the first one compared with the others.
FOUR = np.array([42.5, 59.5, 59.5, 78.5]) / 24
CONTROL = 2 * ndtr(-(FOUR[1:] - FOUR[0]) / np.sqrt(4 * 5 / (6 * 24)))

# In the order of the pairs: C4.5 with 1-NN, naive Bayes, Kernel, CN2; 1-NN with naive Bayes, Kernel, CN2; and so on.
FOUND = {
    "none": (0.0048, 0.8065, 4.487e-8, 0.0128, 0.0101, 0.0080, 0.7440, 1.736e-7, 0.0247, 0.0029),
    "holm": (0.0339, 1.0, 4.487e-7, 0.0511, 0.0506, 0.0478, 1.0, 1.563e-6, 0.0742, 0.0230),
    "hochberg": (0.0339, 0.8065, 4.487e-7, 0.0511, 0.0506, 0.0478, 0.8065, 1.563e-6, 0.0742, 0.0230),
    "hommel": (0.0255, 0.8065, 4.487e-7, 0.0495, 0.0404, 0.0319, 0.8065, 1.563e-6, 0.0742, 0.0202),
    "benjamini-hochberg": (0.0121, 0.8065, 4.487e-7, 0.0182, 0.0169, 0.0159, 0.8065, 8.681e-7, 0.0309, 0.0096),
    "shaffer": (0.0291, 1.0, 4.487e-7, 0.0511, 0.0478, 0.0478, 1.0, 1.042e-6, 0.0742, 0.0173),
    "bergmann-hommel": (0.0291, 1.0, 4.487e-7, 0.0383, 0.0319, 0.0319, 1.0, 1.042e-6, 0.0383, 0.0115),
}


@pytest.mark.parametrize("method", FOUND)
def test_all_pairs_of_five(method: str) -> None:
    assert adjusted(RAW, method, 5) == pytest.approx(FOUND[method], rel=5e-4, abs=5.1e-5)


def test_nemenyi_of_five() -> None:
    found = (0.0390, 0.9992, 4.471e-7, 0.0928, 0.0756, 0.0611, 0.9975, 1.726e-6, 0.1631, 0.0241)
    assert nemenyi_p_value(APART, 5, 30) == pytest.approx(found, rel=5e-4, abs=5.1e-5)
    # Not 1.128, which the studentized range at finite degrees of freedom would give.
    assert nemenyi_difference(5, 30) == pytest.approx(1.1136092, abs=1e-7)


CONTROLLED = {
    "none": (0.0573469, 0.0573469, 5.69941e-5),
    "finner": (0.0847750, 0.0847750, 1.709726e-4),
    "holland": (0.1114050, 0.1114050, 1.709726e-4),
    "li": (0.0573469, 0.0573469, 6.045773e-5),
    # Steps up from the largest, as Hochberg's: scmamp prints 0.1147 for the first two, twice what Hochberg gives.
    "rom": (0.0573469, 0.0573469, 1.688715e-4),
}


@pytest.mark.parametrize("method", CONTROLLED)
def test_one_with_three_others(method: str) -> None:
    assert adjusted(CONTROL, method) == pytest.approx(CONTROLLED[method], rel=1e-5)
