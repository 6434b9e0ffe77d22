"""Groups against the rest: a few of the samples behind docs/verification/groups.md, and the simulator's true gaps."""

from __future__ import annotations

import numpy as np
import pytest

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import find
from verification import groups


@pytest.mark.parametrize("measure", groups.MEASURES)
def test_true_gaps_agree_with_a_large_sample(measure: str) -> None:
    small = groups.Design.drawn(4, differ=True)
    design = groups.Design(small.sizes * 100, small.shares, small.apart, "normal", small.steepness)
    truth, score = design.sample(np.random.default_rng(0))
    group = int(np.argmax(small.sizes))
    here = design.codes == group
    values = []
    for side in (here, ~here):
        table = ScoreTable.of(score[side], truth[side] == 1)
        matrix = ConfusionMatrix.of(truth[side], (score[side] >= 0.5).astype(int), ("0", "1"), ("0", "1"))
        values.append(float(find(measure)(matrix if find(measure).needs is ConfusionMatrix else table)))
    assert values[0] - values[1] == pytest.approx(small.gap(measure, group), abs=0.015)
    assert abs(small.gap(measure, group)) > 0.005


@pytest.mark.parametrize("job", [("size", 2), ("coverage", 8), ("design", "weights", 0)])
def test_few_samples_keep_the_level(job: tuple[object, ...]) -> None:
    rows = groups.run(job, 30)
    assert [row.measure for row in rows] == list(groups.MEASURES)
    assert all(row.passes for row in rows)


def test_a_test_that_is_not_adjusted_would_be_found_out() -> None:
    """Ten groups one at a time call one of them different far too often, and the simulator sees that."""
    design = groups.Design.drawn(2, differ=False)
    rng, wrong = np.random.default_rng(5), 0
    for _ in range(40):
        found = groups._gaps(design, design.sample(rng), "accuracy")
        wrong += any(gap.difference.p_value < 10 * 0.05 for gap in found.tested)
    assert wrong > 8
