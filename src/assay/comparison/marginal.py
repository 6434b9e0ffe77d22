"""Several classifiers on the same cases, and the labels two of them give: omnibus tests with the pairs behind them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from assay.comparison._tables import chi_square, obstacle, pair_table, refused
from assay.comparison.adjustment import bonferroni_level
from assay.comparison.labels import compare_correctness, score_test
from assay.evidence import ConfusionMatrix
from assay.evidence.paired import JointCorrectness
from assay.results import PairTable, TestResult
from assay.types import Floats

ONE_BY_ONE = "the score test of each pair (right_pairs)"
# Eigenvalues of a covariance below this share of the largest are rounding.
NEGLIGIBLE = 1e-10


def cochran_q(joint: JointCorrectness) -> TestResult:
    """Tests that several classifiers are right equally often about the same cases (Cochran 1950).

    Only cases about which they disagree count. With two classifiers it is McNemar's test without correction.

    >>> right = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 0], [1, 0, 0]], dtype=bool)
    >>> cochran_q(JointCorrectness.of(right, ("a", "b", "c")))
    Cochran's Q (chi-square, 2 degrees): statistic 5.2, p = 0.0743; null: all classifiers are right equally often
    """
    name, null = "Cochran's Q", "all classifiers are right equally often"
    reason = obstacle(joint, ONE_BY_ONE)
    if reason is not None:
        return refused(name, null, reason)
    together = joint.counts[1:, 1:]
    each, k = np.diagonal(together), len(together)
    total = float(each.sum())
    disagreement = k * total - float(together.sum())
    statistic = (k - 1) * float(k * (each**2).sum() - total**2) / disagreement if disagreement > 0 else 0.0
    degrees = k - 1 if disagreement > 0 else 0
    return chi_square(name, null, statistic, degrees, f"chi-square, {k - 1} degrees")


def right_pairs(joint: JointCorrectness, level: float = 0.95) -> PairTable:
    """Every pair's difference in accuracy with the score test, intervals and p-values adjusted alike (Bonferroni).

    >>> right = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 0], [1, 0, 0]] * 3, dtype=bool)
    >>> print(right_pairs(JointCorrectness.of(right, ("a", "b", "c"))).text(72))
    first  second             difference  p_value
    a      b       0.167 [-0.241, 0.519]    0.952
    a      c        0.667 [0.264, 0.862]    0.002
    b      c        0.500 [0.138, 0.746]    0.008
    <BLANKLINE>
    method: score, Bonferroni over 3
    """
    pairs = list(combinations(range(len(joint.names)), 2))
    each = [joint.pair(i, j) for i, j in pairs]
    found = [compare_correctness(pair, _adjusted(level, len(pairs))) for pair in each]
    differences = [float((pair.only_first - pair.only_second) / pair.total) for pair in each]
    return pair_table(_named(joint.names, pairs), differences, found, "Accuracy, pair by pair")


def stuart_maxwell(matrix: ConfusionMatrix) -> TestResult:
    """Tests that two sets of labels hold each class equally often: marginal homogeneity (Stuart 1955, Maxwell 1970).

    Of two classifiers' decisions (`PairedDecisions.labels()`), or of truth and decisions (a confusion matrix).

    >>> stuart_maxwell(ConfusionMatrix(np.array([[20, 5, 1], [2, 30, 3], [6, 1, 15]])))
    Stuart-Maxwell (chi-square, 2 degrees): statistic 0.819048, p = 0.664; null: both hold each class equally often
    """
    name, null = "Stuart-Maxwell", "both hold each class equally often"
    reason = obstacle(matrix, "class_shares on the effective number of cases")
    if reason is not None:
        return refused(name, null, reason)
    counts = _square(matrix)
    rows, columns = counts.sum(1), counts.sum(0)
    covariance = np.diag(rows + columns) - counts - counts.T
    degrees = int(np.linalg.matrix_rank(covariance, tol=NEGLIGIBLE * counts.sum(), hermitian=True))
    distance = rows - columns
    statistic = float(distance @ np.linalg.pinv(covariance, rcond=NEGLIGIBLE, hermitian=True) @ distance)
    return chi_square(name, null, statistic if degrees else 0.0, degrees, f"chi-square, {degrees} degrees")


def bowker(matrix: ConfusionMatrix) -> TestResult:
    """Tests that two sets of labels are exchanged equally often either way: symmetry (Bowker 1948).

    Pairs of classes that were never exchanged say nothing and take no degree of freedom.

    >>> bowker(ConfusionMatrix(np.array([[20, 5, 1], [2, 30, 3], [6, 1, 15]])))
    Bowker (chi-square, 3 degrees): statistic 5.85714, p = 0.119; null: each two classes are exchanged equally often...
    """
    name, null = "Bowker", "each two classes are exchanged equally often either way"
    reason = obstacle(matrix, "label_pairs on the effective number of cases")
    if reason is not None:
        return refused(name, null, reason)
    counts = _square(matrix)
    above = np.triu_indices(len(counts), 1)
    one, other = counts[above], counts.T[above]
    seen = one + other > 0
    statistic = float(((one - other)[seen] ** 2 / (one + other)[seen]).sum())
    degrees = int(seen.sum())
    return chi_square(name, null, statistic, degrees, f"chi-square, {degrees} degrees")


def class_shares(matrix: ConfusionMatrix, level: float = 0.95) -> PairTable:
    """Behind Stuart-Maxwell: for each class its share among the rows' labels less that among the columns'.

    Each is a score test of a paired difference with its interval, adjusted alike (Bonferroni).

    >>> class_shares(ConfusionMatrix(np.array([[20, 5, 1], [2, 30, 3], [6, 1, 15]]))).columns["difference"]
    [-0.024..., -0.012..., 0.036...]
    """
    counts, names = _square(matrix.effective()), matrix.decisions
    rows, columns, same, n = counts.sum(1), counts.sum(0), np.diagonal(counts), float(counts.sum())
    inner = _adjusted(level, len(names))
    cells = list(zip((rows - same).tolist(), (columns - same).tolist(), strict=True))
    found = [score_test(b, c, n, inner) for b, c in cells]
    return pair_table(
        {"class": names}, [(b - c) / n for b, c in cells], found, "Share of each class, rows less columns"
    )


def label_pairs(matrix: ConfusionMatrix, level: float = 0.95) -> PairTable:
    """Behind Bowker: for each two classes how much oftener one became the other than the other way round.

    >>> print(label_pairs(ConfusionMatrix(np.array([[20, 5, 1], [2, 30, 3], [6, 1, 15]]), ("a", "b", "c"))).text(72))
    first  second              difference  p_value
    a      b        0.036 [-0.054, 0.136]    0.771
    a      c       -0.060 [-0.162, 0.023]    0.176
    b      c        0.024 [-0.054, 0.112]    0.952
    <BLANKLINE>
    method: score, Bonferroni over 3
    """
    counts, names = _square(matrix.effective()), matrix.decisions
    pairs = list(combinations(range(len(names)), 2))
    n = float(counts.sum())
    cells = [(float(counts[i, j]), float(counts[j, i])) for i, j in pairs]
    found = [score_test(b, c, n, _adjusted(level, len(pairs))) for b, c in cells]
    return pair_table(_named(names, pairs), [(b - c) / n for b, c in cells], found, "Exchanged labels, pair by pair")


def _named(names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> dict[str, list[str]]:
    return {"first": [names[i] for i, _ in pairs], "second": [names[j] for _, j in pairs]}


def _adjusted(level: float, comparisons: int) -> float:
    return bonferroni_level(level, max(comparisons, 1))


def _square(matrix: ConfusionMatrix) -> Floats:
    """The counts with a row for every decision: labels that never occur among the rows have an empty one."""
    counts = matrix.counts
    padded: Floats = np.zeros((counts.shape[1], counts.shape[1]))
    padded[: counts.shape[0]] = counts
    return padded
