"""No measure without an oracle: another system's figure, or scikit-learn's function of the same name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from tests.oracles import (
    test_agreement,
    test_caret,
    test_chance,
    test_epir,
    test_hmeasure,
    test_mlmetrics,
    test_proc,
    test_ranked_probability,
    test_rms,
    test_rocr,
    test_rocr_measures,
    test_sklearn,
    test_sklearn_by_name,
    test_synthetic,
    test_textbooks,
    test_weka,
    test_yardstick,
    test_yardstick_weak,
)
from tests.oracles.foreign import Ours

from assay.measures import on_request, on_request_of_many, registry

FOREIGN: list[tuple[str, Mapping[str, Ours]]] = [
    ("caret_confusion_binary", test_caret.OURS),
    ("yardstick_binary", test_yardstick.OURS),
    ("epir_diagnostic_2x2", test_epir.OURS),
    ("seed_examples", test_textbooks.OURS),
    ("agreement_statistics", test_agreement.OURS),
    ("rocr_tied_scores", test_rocr.OURS),
    ("rocr_measures_bc_weak", test_rocr_measures.OURS),
    ("chance_corrected_agreement_wine", test_chance.OURS),
    ("ranked_probability_score_wine", test_ranked_probability.OURS),
    ("yardstick_mlmetrics_bc_weak", test_yardstick_weak.OURS),
    ("rms_valprob_synthetic", test_rms.OURS),
    ("hmeasure_synthetic_breastcancer", test_hmeasure.OURS),
    *test_proc.OURS.items(),
    *test_synthetic.OURS.items(),
    *test_mlmetrics.OURS.items(),
]


def oracles(measure: str) -> Iterable[str]:
    """Where a measure's number is compared with another system's: case:figure, or the function."""
    if measure in (*test_sklearn.COVERED, *test_sklearn_by_name.OF_MANY, *test_sklearn_by_name.OF_TWO):
        yield f"scikit-learn: {measure}"
    yield from (f"WEKA: {theirs}" for theirs, (ours, _) in test_weka.OF_SUMS.items() if ours == measure)
    for case, ours in FOREIGN:
        yield from (f"{case}: {path}" for path, number in ours.items() if measure in number.measures)


@pytest.mark.parametrize("measure", [*registry, *on_request, *on_request_of_many])
def test_every_measure_has_an_oracle(measure: str) -> None:
    assert list(oracles(measure)), f"{measure}: add a row to tests/oracles"


def test_scikit_learn_is_compared_only_with_measures_that_exist() -> None:
    assert set(test_sklearn.COVERED) <= set(registry)
