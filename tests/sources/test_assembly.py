"""The default class of cases that a classifier said nothing of: missing labels, missing probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import assay

NAN = float("nan")


def test_a_missing_certainty_is_certainty_of_the_default_class() -> None:
    """Votes of 0 : 0, as a committee of rules leaves them."""
    ev: Any = assay.evaluate([1, 0, 1, 0], [0.75, 0, 1, NAN], default_class=0)
    assert ev.matrix.counts.tolist() == [[2, 0], [0, 2]]
    assert ev.source.defaulted == 1
    same = assay.evaluate([1, 0, 1, 0], [0.75, 0, 1, 0])
    assert (ev.roc_auc.value, ev.brier.value) == (same.roc_auc.value, same.brier.value)
    other: Any = assay.evaluate([1, 0, 1, 0], [0.75, 0, 1, NAN], default_class=1)
    assert other.matrix.counts.tolist() == [[1, 1], [0, 2]]
    assert {each.code: each.message for each in ev.cautions}["A109"].endswith("prediction is missing: 1 case.")


def test_it_is_refused_without_one_and_where_scores_are_no_probabilities() -> None:
    with pytest.raises(ValueError, match="row 4: 'y_score' is missing"):
        assay.evaluate([1, 0, 1, 0], [0.75, 0, 1, NAN])
    with pytest.raises(ValueError, match="runs from -3 to 1, but a default class needs probabilities"):
        assay.evaluate([1, 0, 1, 0], [0.75, -3, 1, NAN], default_class=0)
    with pytest.raises(ValueError, match="the default class is '2', but the classes are '0', '1'"):
        assay.evaluate([1, 0, 1, 0], [0.75, 0, 1, NAN], default_class=2)


def test_a_score_that_lacks_beside_a_label_of_its_own_is_still_missing() -> None:
    with pytest.raises(ValueError, match="row 4: 'y_score' is missing"):
        assay.evaluate([1, 0, 1, 0], [0.75, 0, 1, NAN], y_pred=[1, 0, 1, 1], default_class=0)
    ev: Any = assay.evaluate([1, 0, 1, 0], [0.75, 0, 1, NAN], y_pred=[1, 0, 1, None], default_class=0)
    assert (ev.source.defaulted, ev.matrix.counts.tolist()) == (1, [[2, 0], [0, 2]])


def test_many_classes_and_one_of_them_against_the_rest() -> None:
    thirds = [[0.7, 0.2, 0.1], [NAN] * 3, [0, 0, 1], [0.5, 0.2, 0.3]]
    ev: Any = assay.evaluate(list("abca"), y_proba=thirds, default_class="c")
    assert ev.matrix.counts.tolist() == [[2, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert ev.source.defaulted == 1
    against: Any = assay.evaluate(list("abca"), y_proba=thirds, default_class="c", positive="c")
    assert against.matrix.counts.tolist() == [[2, 1], [0, 1]]
    frame = pd.DataFrame(thirds, columns=["proba_a", "proba_b", "proba_c"]).assign(truth=list("abca"))
    ev = assay.evaluate(frame, default_class="b")
    assert ev.matrix.counts.tolist() == [[2, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_each_model_has_its_own_gaps() -> None:
    scores = {"a": [0.9, NAN, 0.2, 0.1], "b": [NAN, 0.7, NAN, 0.4]}
    models: Any = assay.evaluate_models([1, 1, 0, 0], scores, default_class=0)
    assert [ev.matrix.tp for ev in models.values()] == [1, 1]
    assert models["a"].source.defaulted == 3
    longer = {name: given * 9 for name, given in scores.items()}
    assert "a" in assay.compare([1, 1, 0, 0] * 9, longer, default_class=0).verdict("roc_auc", "a", "b").words


def test_counts_of_nobody_are_not_counted() -> None:
    ev: Any = assay.evaluate([1, 0, 1, 0, 1], [0.75, 0, 1, NAN, NAN], count=[1, 1, 1, 1, 0], default_class=0)
    assert ev.source.defaulted == 1
    assert np.asarray(ev.matrix.total) == 4
