"""Tests of whole ROC curves: they see what equal areas hide, and do not depend on what does not matter."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.comparison import fixed_rate_test, venkatraman_paired, venkatraman_unpaired
from assay.errors import OptionError, UnknownName
from assay.evidence import ScoreTable

Y = np.arange(400) % 2 == 1
RNG = np.random.default_rng(8)
# Two curves of the same area that cross: the positives of one are spread wider.
NARROW = RNG.normal(1.0 * Y)
WIDE = np.where(Y, RNG.normal(1.0 * np.sqrt((1 + 16) / 2), 4.0, 400), RNG.normal(size=400))


def test_curves_of_one_area_that_cross_are_told_apart() -> None:
    assert assay.compare(Y.astype(int), {"a": NARROW, "b": WIDE}).difference("roc_auc", "a", "b").p_value > 0.2
    assert venkatraman_paired(Y, NARROW, WIDE, times=499).p_value < 0.05
    samples = (ScoreTable.of(score, Y) for score in (NARROW, WIDE))
    assert venkatraman_unpaired(*samples, times=499).p_value < 0.05


def test_only_the_order_of_scores_matters_and_the_seed_fixes_the_rest() -> None:
    first = venkatraman_paired(Y, NARROW, WIDE, times=199)
    assert first == venkatraman_paired(Y, np.exp(NARROW), WIDE**3, times=199)
    tables = [ScoreTable.of(score, Y) for score in (NARROW, np.exp(WIDE))]
    assert venkatraman_unpaired(*tables, times=199) == venkatraman_unpaired(*tables, times=199)


def test_a_classifier_is_like_itself() -> None:
    assert venkatraman_paired(Y, NARROW, NARROW, times=99).p_value == 1
    table = ScoreTable.of(NARROW, Y)
    same = venkatraman_unpaired(table, table, times=99)
    assert (same.statistic, same.p_value) == (0, 1)
    assert fixed_rate_test(Y, NARROW, NARROW, 0.9, times=100).p_value == 1


def test_one_side_of_a_fixed_rate_halves_the_other_p_value() -> None:
    both, more, less = (
        fixed_rate_test(Y, WIDE, NARROW, 0.9, times=400, alternative=side) for side in ("two-sided", "greater", "less")
    )
    assert both.statistic == more.statistic == less.statistic
    assert min(more.p_value, less.p_value) == pytest.approx(both.p_value / 2)
    assert more.p_value + less.p_value == pytest.approx(1)
    assert (more.p_value < 0.5) == (both.statistic > 0)
    with pytest.raises(OptionError, match="alternative"):
        fixed_rate_test(Y, WIDE, NARROW, 0.9, alternative="higher")  # type: ignore[arg-type]


def test_what_they_cannot_use_is_refused() -> None:
    with pytest.raises(OptionError, match="two cases of each class"):
        venkatraman_paired(np.array([True, False, False]), NARROW[:3], WIDE[:3])
    with pytest.raises(OptionError, match="times"):
        venkatraman_paired(Y, NARROW, WIDE, times=10)
    weighted = ScoreTable.of(NARROW, Y, weight=RNG.exponential(1, 400))
    with pytest.raises(OptionError, match="weights or clusters"):
        venkatraman_unpaired(weighted, weighted)
    cmp = assay.compare(Y.astype(int), {"a": NARROW, "b": WIDE}, cluster=np.arange(400) // 4)
    with pytest.raises(OptionError, match="clusters"):
        cmp.tests.venkatraman("a", "b")
    with pytest.raises(OptionError, match="clusters"):
        cmp.tests.sensitivities("a", "b", specificity=0.9)
    with pytest.raises(OptionError, match="clusters"):
        cmp.tests.specificities("a", "b", recall=0.9)
    two = assay.compare_unpaired({"a": assay.evaluate(Y.astype(int), NARROW), "b": assay.evaluate(Y.astype(int), WIDE)})
    with pytest.raises(UnknownName, match="'a', 'b'"):
        two.tests.venkatraman("a", "c")
    with pytest.raises(OptionError, match="specificity"):
        fixed_rate_test(Y, NARROW, WIDE, 1.5)
    labels = assay.compare([0, 1, 1, 0] * 9, {"a": [0, 1, 0, 0] * 9, "b": [1, 1, 1, 0] * 9})
    assert labels.names == ("a", "b")
