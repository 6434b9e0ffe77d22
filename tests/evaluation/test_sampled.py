"""Evaluations of which a sample of the rows is labelled: what users type, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay import InputError
from assay.errors import OptionError, UnknownAttribute

GENERATOR = np.random.default_rng(5)
ROWS = 3000
SCORE = GENERATOR.beta(0.5, 2, ROWS)
TRUTH = (GENERATOR.random(ROWS) < SCORE).astype(float)
CHANCE = np.clip(0.05 + SCORE * 0.3, 0, 1)
LABEL = np.where(GENERATOR.random(ROWS) < CHANCE, TRUTH, np.nan)


@pytest.fixture(scope="module")
def ev() -> assay.SampledEvaluation:
    found: Any = assay.evaluate(LABEL, SCORE, inclusion=CHANCE)
    assert isinstance(found, assay.SampledEvaluation)
    return found


def test_labels_tell_of_all_rows(ev: assay.SampledEvaluation) -> None:
    whole = assay.evaluate(TRUTH, SCORE)
    for name in ("recall", "precision", "f1", "accuracy", "roc_auc", "brier", "average_precision", "log_loss", "mcc"):
        found = ev.estimate(name)
        assert found.target == "these rows"
        assert found.low < whole.estimate(name).value < found.high
    assert ev.labelled.labels == np.isfinite(LABEL).sum()
    assert ev.observed_to_expected.low < 1 < ev.observed_to_expected.high
    assert ev.gini.value == pytest.approx(2 * ev.roc_auc.value - 1)


def test_what_is_not_known_says_so(ev: assay.SampledEvaluation) -> None:
    assert "not known from a sample" in repr(ev.ks)
    assert "no interval" in repr(ev.diagnostic_odds_ratio)
    with pytest.raises(UnknownAttribute, match="did you mean recall"):
        _ = ev.recal  # type: ignore[attr-defined]


def test_all_labelled_is_a_plain_evaluation() -> None:
    found: Any = assay.evaluate(TRUTH, SCORE, inclusion=np.ones(ROWS))
    whole = assay.evaluate(TRUTH, SCORE)
    assert isinstance(found, assay.TwoClassEvaluation)
    assert found.recall.to_dict() == whole.recall.to_dict()
    assert "inclusion probabilities are not used" in found.source.remarks[0]


def test_one_chance_is_a_simple_random_sample() -> None:
    generator = np.random.default_rng(1)
    label = np.where(generator.permutation(ROWS) < 300, TRUTH, np.nan)
    plain, spread = (assay.evaluate(label, SCORE, inclusion=each) for each in (0.1, np.full(ROWS, 0.1)))
    assert plain.recall.to_dict() == spread.recall.to_dict()


def test_texts_and_gaps_are_labels(tmp_path: Path) -> None:
    words = np.where(np.isnan(LABEL), "", np.where(LABEL == 1, "yes", "no"))
    lines = [f"{score!r},{chance!r},{word}" for score, chance, word in zip(SCORE, CHANCE, words, strict=True)]
    file = tmp_path / "drawn.csv"
    file.write_text("score,chance,y_true\n" + "\n".join(lines).replace("np.float64(", "").replace(")", ""))
    found = assay.evaluate(file, inclusion="chance")
    assert found.positive == "yes"
    assert found.recall.value == pytest.approx(assay.evaluate(LABEL, SCORE, inclusion=CHANCE).recall.value)


def test_predicted_labels_need_no_scores() -> None:
    found: Any = assay.evaluate(LABEL, y_pred=(SCORE >= 0.5).astype(float), inclusion=CHANCE)
    assert found.recall.low < TRUTH[SCORE >= 0.5].sum() / TRUTH.sum() < found.recall.high
    assert "no scores" in str(found.roc_auc.undefined)
    with pytest.raises(OptionError, match="no scores"):
        found.at(0.3)


def test_another_threshold(ev: assay.SampledEvaluation) -> None:
    moved = ev.at(0.2)
    assert moved.recall.value > ev.recall.value
    assert moved.roc_auc.value == ev.roc_auc.value


def test_scores_that_are_no_probabilities_rank() -> None:
    found: Any = assay.evaluate(LABEL, 10 * SCORE - 3, inclusion=CHANCE)
    assert found.roc_auc.value == pytest.approx(assay.evaluate(TRUTH, SCORE).roc_auc.value, abs=0.06)
    assert "no probabilities" in str(found.brier.undefined)
    assert "ev.at" in str(found.recall.undefined)


def test_new_cases(ev: assay.SampledEvaluation) -> None:
    new: Any = assay.evaluate(LABEL, SCORE, inclusion=CHANCE, target="new")
    assert new.recall.target == "new cases like these"
    assert new.recall.low < ev.recall.low
    assert "Of new cases" in new.sentence


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"inclusion": np.where(np.arange(ROWS) == 4, 0, CHANCE)}, "row 5: the inclusion probability is 0"),
        ({"inclusion": np.where(np.arange(ROWS) == 4, 1.5, CHANCE)}, "row 5: the inclusion probability is 1.5"),
        ({"inclusion": np.where(np.arange(ROWS) == 4, np.nan, CHANCE)}, "inclusion"),
        ({"inclusion": CHANCE / 3}, "belong to another sample"),
        ({"inclusion": CHANCE, "weight": CHANCE}, "inclusion and weight are both given"),
        ({"inclusion": CHANCE, "cluster": np.arange(ROWS) // 2}, "inclusion and cluster are both given"),
        ({"inclusion": CHANCE, "fold": np.arange(ROWS) % 3}, "inclusion and fold are both given"),
        ({"inclusion": CHANCE, "by": np.arange(ROWS) % 3}, "inclusion and by are both given"),
        ({"inclusion": CHANCE, "target": "rwos"}, "'rows' or 'new'"),
        ({"target": "new"}, "target is given without inclusion"),
    ],
)
def test_what_no_method_holds_for_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        assay.evaluate(LABEL, SCORE, **given)


def test_a_proxy_narrows_the_limits_and_may_err() -> None:
    generator = np.random.default_rng(6)
    proxy = np.where(generator.random(ROWS) < 0.92, TRUTH, 1 - TRUTH)
    label = np.where(generator.permutation(ROWS) < 300, TRUTH, np.nan)
    plain = assay.evaluate(label, SCORE, inclusion=0.1)
    with_proxy = assay.evaluate(label, SCORE, inclusion=0.1, proxy=proxy)
    whole = assay.evaluate(TRUTH, SCORE)
    for name in ("accuracy", "recall", "precision", "f1"):
        narrow, wide = with_proxy.estimate(name), plain.estimate(name)
        assert narrow.high - narrow.low < 0.95 * (wide.high - wide.low)
        assert narrow.low < whole.estimate(name).value < narrow.high
    assert "leave the proxy out" in str(with_proxy.roc_auc.undefined)
    with pytest.raises(InputError, match="the proxy label is 2"):
        assay.evaluate(label, SCORE, inclusion=0.1, proxy=2 * proxy)
    with pytest.raises(OptionError, match="proxy is given without inclusion"):
        assay.evaluate(TRUTH, SCORE, proxy=proxy)


def test_verified_positives_and_some_others() -> None:
    """All predicted positives and a twentieth of the others were verified: recall of all rows comes back."""
    called = SCORE >= 0.4
    seen = called | (np.random.default_rng(2).random(ROWS) < 0.1)
    label = np.where(seen, TRUTH, np.nan)
    found: Any = assay.evaluate(label, y_pred=called.astype(float), verified_by="prediction")
    value = TRUTH[called].sum() / TRUTH.sum()
    assert found.recall.low < value < found.recall.high
    assert (TRUTH * called)[seen].sum() / TRUTH[seen].sum() > found.recall.high
    scored: Any = assay.evaluate(label, SCORE, threshold=0.4, verified_by="prediction")
    whole = assay.evaluate(TRUTH, SCORE)
    assert scored.roc_auc.low < whole.roc_auc.value < scored.roc_auc.high
    by_group: Any = assay.evaluate(label, SCORE, threshold=0.4, verified_by=np.where(called, "high", "low"))
    assert by_group.recall.to_dict() == scored.recall.to_dict()
    assert "Who was verified depends on nothing but prediction" in repr(scored)


def test_a_side_that_nobody_verified_has_bounds() -> None:
    called = SCORE >= 0.4
    label = np.where(called, TRUTH, np.nan)
    found: Any = assay.evaluate(label, y_pred=called.astype(float), verified_by="prediction")
    assert found.precision.value == pytest.approx(TRUTH[called].mean())
    assert "predicted negatives is labelled; it lies between" in str(found.recall.undefined)
    with pytest.raises(InputError, match="without any verified row"):
        assay.evaluate(label, SCORE, verified_by=(SCORE * 10).astype(int))


def test_few_labels_are_refused() -> None:
    label = np.where(np.cumsum(np.isfinite(LABEL)) <= 20, LABEL, np.nan)
    with pytest.raises(InputError, match="20 of 3,000 rows are labelled; needed: at least 30 labels; 10 more"):
        assay.evaluate(label, SCORE, inclusion=CHANCE)


def test_more_classes_and_equal_scores_are_refused() -> None:
    three = np.where(np.isnan(LABEL), np.nan, np.arange(ROWS) % 3)
    with pytest.raises(InputError, match="3 classes"):
        assay.evaluate(three, y_proba=np.full((ROWS, 3), 1 / 3), inclusion=CHANCE)
    with pytest.raises(InputError, match=r"every score is 0\.3"):
        assay.evaluate(LABEL, np.full(ROWS, 0.3), inclusion=CHANCE)


def test_several_models_are_one_at_a_time() -> None:
    with pytest.raises(InputError, match="one model"):
        assay.evaluate_models(LABEL, {"a": SCORE, "b": SCORE}, inclusion=CHANCE)
    with pytest.raises(InputError, match="2 models"):
        assay.evaluate(LABEL, {"a": SCORE, "b": SCORE}, inclusion=CHANCE)


def test_a_heavy_label_is_named() -> None:
    chance = np.full(ROWS, 0.5)
    chance[7] = 1e-4
    generator = np.random.default_rng(3)
    label = np.where(generator.random(ROWS) < chance, TRUTH, np.nan)
    label[7] = 1.0
    found: Any = assay.evaluate(label, SCORE, inclusion=chance, id=[f"case {k}" for k in range(ROWS)])
    assert found.cautions[0].code == "A701"
    assert "case 7" in found.cautions[0].message


def test_it_shows_itself(ev: assay.SampledEvaluation, tmp_path: Path) -> None:
    assert repr(ev).startswith("Of these 3,000 rows, estimated from")
    ev.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Labelled rows by score range" in page
    assert "Of these 3,000 rows" in page
    assert ev.to_dict()["measures"]["recall"]["target"] == "these rows"
    assert "<script>" not in ev._repr_html_()
