"""The Bayesian correlated t test. The data of the package that prints it ship under another licence, so its posterior
is worked out here once more, by scipy's distribution and by drawing from it, over WEKA's folds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.oracles.test_weka_corrected_t import scores

from assay.experiments.algorithm_tests import corrected_t, correlated_t

PAIRS = [("iris", "J48", "OneR"), ("vote", "NaiveBayes", "J48"), ("Glass", "IBk3", "J48"), ("vote", "J48", "OneR")]


@pytest.mark.parametrize(("data", "first", "second"), PAIRS)
@pytest.mark.parametrize("rope", [(-1.0, 1.0), (-0.5, 2.0), (0.0, 0.0)])
def test_the_posterior_is_students(data: str, first: str, second: str, rope: tuple[float, float]) -> None:
    a, b = (scores("Percent_correct", data, scheme) for scheme in (first, second))
    apart = a.values - b.values
    rho = float(a.test.sum() / (a.test.sum() + a.train.sum()))
    scale = np.sqrt((1 / 100 + rho / (1 - rho)) * apart.var(ddof=1))
    posterior = stats.t(df=99, loc=apart.mean(), scale=scale)
    found = correlated_t(a, b, rope)
    assert found.left == pytest.approx(posterior.cdf(rope[0]), abs=1e-12)
    assert found.right == pytest.approx(posterior.sf(rope[1]), abs=1e-12)
    assert found.inside == pytest.approx(posterior.cdf(rope[1]) - posterior.cdf(rope[0]), abs=1e-12)
    drawn = posterior.rvs(40_000, random_state=np.random.default_rng(7))
    assert found.left == pytest.approx((drawn < rope[0]).mean(), abs=0.01)


@pytest.mark.parametrize(("data", "first", "second"), PAIRS)
def test_without_a_region_it_is_the_corrected_test(data: str, first: str, second: str) -> None:
    a, b = (scores("Percent_correct", data, scheme) for scheme in (first, second))
    found = correlated_t(a, b, 0.0)
    assert 2 * min(found.left, found.right) == pytest.approx(corrected_t(a, b).test.p_value, abs=1e-12)
    assert found.inside == pytest.approx(0.0, abs=1e-12)
