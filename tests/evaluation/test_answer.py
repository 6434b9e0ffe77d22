"""The answer of a comparison: a primary measure, secondary ones adjusted among themselves, and cautions."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.comparison import Verdict, bonferroni, in_family
from assay.evaluation import Comparison

RNG = np.random.default_rng(5)
TRUTH = RNG.random(500) < 0.4
SCORES = {
    name: 1 / (1 + np.exp(-(gap * TRUTH - 1 + RNG.normal(size=500)))) for name, gap in (("a", 2), ("b", 1.6), ("c", 1))
}
TWO = assay.compare(TRUTH, {name: SCORES[name] for name in "ab"})
THREE = assay.compare(TRUTH, SCORES)


def test_the_primary_measure_is_not_adjusted_for_the_others() -> None:
    answer = TWO.answer()
    (alone,), (primary,) = TWO.differences("roc_auc"), answer.differences["roc_auc"]
    assert (primary.low, primary.high, primary.p_value) == (alone.low, alone.high, alone.p_value)
    assert primary.family is not None
    assert (primary.family.role, primary.family.adjusted_for) == ("primary", ("roc_auc",))
    assert answer.family_words == (
        "ROC AUC, the primary measure, is not adjusted for the others; "
        "the others are adjusted for 2 secondary measures."
    )


@pytest.mark.parametrize("cmp", [TWO, THREE])
def test_secondary_measures_are_adjusted_among_themselves(cmp: Comparison) -> None:
    answer = cmp.answer(["roc_auc", "brier", "accuracy", "f1"])
    for name in ("brier", "accuracy", "f1"):
        further = cmp.differences(name, level=1 - 0.05 / 3)
        for found, one in zip(answer.differences[name], further, strict=True):
            assert (found.low, found.high, found.level) == (one.low, one.high, 0.95)
            assert found.p_value == bonferroni(one.p_value, 3)
            assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)
            assert found.family is not None
            assert found.family.adjusted_for == ("brier", "accuracy", "f1")
            assert found.family.pairs == len(further)
            assert "adjusted for 3 secondary measures" in str(found.adjusted)


def test_a_verdict_of_one_pair_of_three_is_adjusted_over_all_pairs() -> None:
    """Whoever looks at one pair of three chose it, as where the best is compared with the others."""
    every = {(d.first, d.second): d for d in THREE.differences("roc_auc")}
    for pair, found in every.items():
        one = THREE.verdict("roc_auc", *pair)
        assert (one.low, one.high, one.p_value) == (found.low, found.high, found.p_value)
        back = THREE.verdict("roc_auc", *reversed(pair))
        assert (back.low, back.high, back.p_value) == (-found.high, -found.low, found.p_value)
        assert (back.outcome, back.winner) == (one.outcome, one.winner)
        assert one.family is not None
        assert one.family.words == "adjusted for 3 pairs"
    up, down = (THREE.verdict("brier", "a", "c", alternative=side) for side in ("greater", "less"))
    flipped = THREE.verdict("brier", "c", "a", alternative="less")
    assert (flipped.high, flipped.p_value) == (-up.low, up.p_value)
    assert (up.winner, down.winner) == (None, "a")
    assert not any("inf" in one for one in up.cautions)


def test_more_pairs_than_a_page_shows_have_the_primary_measure_alone() -> None:
    four = assay.compare(TRUTH, {**SCORES, "d": SCORES["a"][::-1]})
    assert [measure.name for measure in four.answer().measures] == ["roc_auc"]
    beside = four.answer(control="a")
    assert [measure.name for measure in beside.measures] == ["roc_auc", "brier", "accuracy"]
    assert len(beside.primary) == 3


def test_labels_alone_have_accuracy_first() -> None:
    labels = {name: (score > 0.5).astype(int) for name, score in SCORES.items()}
    answer = assay.compare(TRUTH.astype(int), y_pred=labels).answer()
    assert [measure.name for measure in answer.measures] == ["accuracy", "f1"]
    assert "threshold" not in answer.headline


def test_the_headline_names_measures_and_thresholds() -> None:
    assert TWO.answer().headline == (
        "No significant difference in ROC AUC. "
        "Secondary measures: no significant difference in Brier score and accuracy at threshold 0.50."
    )
    assert (
        assay.compare(TRUTH, {name: SCORES[name] for name in "ac"})
        .answer()
        .headline.startswith(
            "a has a significantly higher ROC AUC than c. Secondary measures: a has the better Brier score"
        )
    )
    evs = assay.evaluate_models(TRUTH, {name: SCORES[name] for name in "ab"})
    moved = assay.compare({"a": evs["a"].at(0.3), "b": evs["b"].at(0.45)})
    assert " accuracy at thresholds 0.30 and 0.45" in moved.answer(["accuracy"]).headline


def test_of_several_pairs_what_is_not_significant_is_said_once() -> None:
    answer = THREE.answer()
    assert answer.headline == (
        "a has a significantly higher ROC AUC than c. b has a significantly higher ROC AUC than c. "
        "No other significant difference in ROC AUC. "
        "Secondary measures: a has a significantly lower Brier score than c. "
        "b has a significantly lower Brier score than c. No other significant difference in Brier score. "
        "a has a significantly higher accuracy at threshold 0.50 than c. "
        "b has a significantly higher accuracy at threshold 0.50 than c. "
        "No other significant difference in accuracy at threshold 0.50."
    )
    brief = " ".join(str(THREE.models).split())
    assert "Secondary measures: a has the best Brier score and is significantly better than 1 of 2 others" in brief
    assert "the others are adjusted for 2 secondary measures and 3 pairs." in brief


def test_a_margin_is_about_the_measures_that_are_named() -> None:
    assert [one.margin for one in (*TWO.answer(margin=0.1).primary, *TWO.answer(margin=0.1).secondary)] == [
        0.1,
        None,
        None,
    ]
    named = TWO.answer(["roc_auc", "brier"], margin=0.1)
    assert [one.margin for one in (*named.primary, *named.secondary)] == [0.1, 0.1]


def test_a_named_method_tests_the_primary_measure_alone() -> None:
    assert [measure.name for measure in TWO.answer(method="delong").measures] == ["roc_auc"]
    assert [measure.name for measure in TWO.answer(non_inferior=True, margin=0.1).measures] == ["roc_auc"]


def crossing() -> Comparison:
    """Two models with ROC curves that cross, one of which has the significantly larger area."""
    rng = np.random.default_rng(2)
    truth = rng.random(2000) < 0.4
    wide = rng.normal(truth * 2.6, np.where(truth, 1, 2.2))
    narrow = rng.normal(truth * 1.0, np.where(truth, 1.0, 0.5))
    return assay.compare(truth, {"wide": wide, "narrow": narrow})


def test_curves_that_cross_are_cautioned_of_wherever_a_verdict_is_shown() -> None:
    cmp = crossing()
    verdict = cmp.verdict("roc_auc", "wide", "narrow")
    assert verdict.outcome == "better"
    (message,) = (one.message for one in cmp.cautions("roc_auc") if one.code == "A303")
    for text in (str(cmp), repr(cmp), str(verdict), repr(verdict), repr(cmp.answer())):
        assert f"A303  {message}" in text
    for page in (cmp._repr_html_(), verdict._repr_html_()):
        assert "A303" in page
    assert any("A303" in one for one in verdict.to_dict()["cautions"])
    # Nothing of the kind about a measure at one threshold, and of a third model nothing that is not about it.
    assert "A303" not in str(cmp.verdict("brier", "wide", "narrow") if cmp.applies("brier") else "")


def test_a_verdict_has_the_cautions_about_its_own_pair() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(2000) < 0.4
    wide = rng.normal(truth * 2.6, np.where(truth, 1, 2.2))
    narrow = rng.normal(truth * 1.0, np.where(truth, 1.0, 0.5))
    cmp = assay.compare(truth, {"wide": wide, "narrow": narrow, "wider": 2 * wide + rng.normal(size=2000)})

    def codes(found: Verdict) -> set[str]:
        return {one.split()[0] for one in found.cautions}

    assert "A303" in codes(cmp.verdict("roc_auc", "wide", "narrow"))
    assert "A303" not in codes(cmp.verdict("roc_auc", "wide", "wider"))


def test_a_family_of_one_difference_says_nothing() -> None:
    (found,) = in_family(TWO.differences("roc_auc"), 0.95)
    assert found.family is not None
    assert found.family.words == ""
    assert found.adjusted is None


def test_a_measure_that_is_named_twice_counts_once() -> None:
    answer = TWO.answer(["roc_auc", "brier", "auc", "brier_score"])
    assert [measure.name for measure in answer.measures] == ["roc_auc", "brier"]
    (family,) = {one.family for one in answer.secondary}
    assert family is not None
    assert family.words == "adjusted for 1 secondary measure"
