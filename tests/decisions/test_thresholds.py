"""Choosing a threshold: against brute force, under constraints, with its optimism, and what is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from verification.thresholds import optimism

import assay
from assay.costs import Costs
from assay.decisions import (
    ThresholdChoice,
    at_least,
    at_most,
    at_most_flagged,
    best_by_ratio,
    choose_threshold,
    implied_costs,
    reweighted,
)
from assay.errors import InputError, OptionError
from assay.evidence import ScoreTable
from assay.measures import f1, find, informedness, precision, recall, specificity
from assay.measures.decision import expected_cost

scores = st.integers(0, 12)
# Both classes are always there.
cases = st.tuples(st.lists(st.tuples(scores, st.booleans()), max_size=30), scores, scores).map(
    lambda drawn: [*drawn[0], (drawn[1], True), (drawn[2], False)]
)
tables = cases.map(lambda rows: ScoreTable.of([score for score, _ in rows], [positive for _, positive in rows]))
shares = st.floats(0.02, 0.98)


def quick(table: ScoreTable, by: Any = None, **options: Any) -> ThresholdChoice:
    return choose_threshold(table, by, draws=100, **options)


def sample(n: int = 600, shift: float = 1.5, share: float = 0.3, seed: int = 0) -> ScoreTable:
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < share
    return ScoreTable.of(rng.standard_normal(n) + shift * positive, positive)


@pytest.mark.parametrize("by", ["youden", "f1", "accuracy", "kappa", "closest", "error_rate", "fdr"])
@given(table=tables)
def test_no_threshold_is_better_than_the_chosen_one(by: str, table: ScoreTable) -> None:
    choice = quick(table, by)
    values = [float(choice.criterion(table.at(threshold))) for threshold in table.thresholds()]
    best = np.nanmax(values) if choice.criterion.better == "higher" else np.nanmin(values)
    assert choice.apparent == pytest.approx(best, abs=1e-12)
    assert float(choice.criterion(table.at(choice.threshold))) == pytest.approx(best, abs=1e-12)


@given(table=tables, ratio=st.sampled_from([0.1, 1.0, 3.0, 20.0]), prevalence=shares)
def test_the_cheapest_threshold_is_the_hulls(table: ScoreTable, ratio: float, prevalence: float) -> None:
    choice = quick(table, costs=Costs(fp=1, fn=ratio), prevalence=prevalence)
    tangent = best_by_ratio(table, ratio, prevalence=prevalence)
    assert choice.apparent == pytest.approx(float(tangent.cost), abs=1e-12)
    assert choice.equally_good[0][1] == tangent.hull.owners[int(tangent.corner)][0].threshold or math.isinf(
        choice.threshold
    )


@given(table=tables, by=st.sampled_from(["youden", "f1"]))
def test_every_threshold_of_the_set_makes_equally_good_decisions(table: ScoreTable, by: str) -> None:
    choice = quick(table, by)
    for low, high in choice.equally_good:
        top = high if math.isfinite(high) else max(table.score[-1], low) + 1
        bottom = np.nextafter(low, np.inf) if math.isfinite(low) else min(table.score[0], top) - 1
        for threshold in (bottom, top):
            assert float(choice.criterion(table.at(threshold))) == pytest.approx(choice.apparent, abs=1e-12)


@given(table=tables)
def test_a_monotone_transform_moves_the_threshold_and_nothing_else(table: ScoreTable) -> None:
    bent = ScoreTable(np.exp(table.score), table.negative, table.positive)
    first, second = quick(table, "youden"), quick(bent, "youden")
    assert first.apparent == second.apparent
    assert first.optimism == second.optimism
    assert (first.matrix.counts == second.matrix.counts).all()
    highest = [high for _, high in first.equally_good]
    assert [high for _, high in second.equally_good] == pytest.approx(np.exp(highest).tolist())


@given(table=tables, prevalence=shares)
def test_a_prevalence_reweights_the_classes(table: ScoreTable, prevalence: float) -> None:
    choice = quick(table, "f1", prevalence=prevalence)
    seen = reweighted(table.swept(), prevalence)
    assert choice.apparent == pytest.approx(float(np.nanmax(f1(seen))), abs=1e-12)
    assert choice.flagged == pytest.approx(
        prevalence * float(recall(choice.matrix)) + (1 - prevalence) * (1 - float(specificity(choice.matrix)))
    )


def test_costs_with_benefits_and_acquisition_are_expected_cost() -> None:
    costs = Costs(fp=2, fn=7, tp=-3, tn=0.5, acquisition=0.25, prevalence=0.1)
    choice = quick(sample(), costs=costs)
    assert choice.apparent == pytest.approx(float(expected_cost(costs)(choice.matrix)))
    plain = quick(sample(), costs=Costs(fp=1.5, fn=10), prevalence=0.1)
    assert choice.threshold == plain.threshold


def test_between_neighbouring_scores_the_threshold_still_parts_them() -> None:
    low, high = 0.5, np.nextafter(0.5, 1)
    assert quick(ScoreTable.of([low, high] * 10, [0, 1] * 10), "youden").threshold == high


def test_a_useless_score_is_not_used() -> None:
    choice = quick(ScoreTable.of([1, 1, 1, 1], [0, 0, 0, 1]), costs=Costs(fp=1, fn=1))
    assert choice.rule == "predict no case as positive"
    assert "predicting without the score costs as little" in choice.words()
    other = quick(ScoreTable.of([1, 1, 1, 1], [0, 0, 0, 1]), costs=Costs(fp=1, fn=9))
    assert other.rule == "predict every case as positive"


@given(table=tables, bound=st.sampled_from([0.5, 0.8, 0.9, 1.0]))
def test_a_demand_on_these_cases_is_met_and_costs_as_little_as_possible(table: ScoreTable, bound: float) -> None:
    choice = quick(table, constraint=at_least("specificity", bound))
    met = specificity(table.swept()) >= bound - 1e-12
    assert float(specificity(choice.matrix)) >= bound - 1e-12
    assert choice.apparent == pytest.approx(float(recall(table.swept())[met].max()))


def test_a_demand_for_recall_keeps_specificity_high() -> None:
    choice = quick(sample(), constraint=at_least("sensitivity", 0.9))
    assert choice.criterion is specificity
    assert float(recall(choice.matrix)) >= 0.9


def test_capacity_is_a_share_at_the_prevalence_of_use() -> None:
    choice = quick(sample(), constraint=at_most_flagged(200, per=5000), prevalence=0.02)
    assert choice.flagged <= 0.04
    assert quick(sample(), constraint=at_most_flagged(1000, per=5000), prevalence=0.02).flagged > choice.flagged


def test_demands_that_cannot_be_met_together_are_refused() -> None:
    demands = (at_least("recall", 0.95), at_least("specificity", 0.95))
    with pytest.raises(InputError, match=r"no threshold has recall at least 0\.95 and specificity at least 0\.95"):
        quick(sample(shift=0.5), constraint=demands)


def test_two_confident_demands_share_their_confidence() -> None:
    demands = (at_least("recall", 0.3, confidence=0.95), at_least("specificity", 0.3, confidence=0.95))
    assert any("shared among 2 demands" in note for note in quick(sample(), "youden", constraint=demands).notes)


def test_the_optimism_is_positive_and_shrinks() -> None:
    """What is chosen looks better than it is, the less the more cases there are; about so much is taken off."""
    (few, off_few), (many, off_many) = optimism(60, 0.5, 0.8, 60), optimism(600, 0.5, 0.8, 40)
    assert few > 2 * many > 0
    assert 0.6 * few < off_few < 1.2 * few
    assert 0.6 * many < off_many < 1.6 * many


def test_the_corrected_value_lies_between_the_limits_and_below_the_apparent_one() -> None:
    choice = choose_threshold(sample(), "f1")
    assert choice.optimism > 0
    assert choice.value.low < choice.value.value < choice.apparent < choice.value.high
    assert "stretched by optimism" in choice.value.method
    assert choice.place.low < choice.threshold < choice.place.high


def test_the_same_seed_gives_the_same_choice() -> None:
    first, second = (choose_threshold(sample(), "f1", seed=3).to_dict() for _ in range(2))
    assert first == second
    assert choose_threshold(sample(), "f1", seed=4).to_dict() != first


def test_few_cases_have_no_interval_and_a_reason() -> None:
    choice = quick(ScoreTable.of([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1]), "youden")
    assert math.isnan(choice.value.low)
    assert "3 cases in a class" in (choice.value.undefined or "")
    assert math.isnan(choice.place.low)


def test_a_threshold_with_hardly_a_miss_has_an_interval_of_its_place() -> None:
    choice = quick(sample(shift=5.0), costs=Costs(fp=1, fn=50))
    assert choice.place.low < choice.threshold < choice.place.high
    assert "none there is shown to be worse" in choice.words()
    # Under a demand the best threshold stands at the demand's edge, which is another question.
    demanding = quick(sample(shift=5.0), costs=Costs(fp=1, fn=50), constraint=at_least("recall", 0.5))
    assert "misses at the threshold" in (demanding.place.undefined or "")


def test_weights_and_clusters_choose_but_are_not_resampled() -> None:
    rng = np.random.default_rng(0)
    score, positive, weight = rng.random(80), rng.random(80) < 0.5, 1 + rng.random(80)
    weighted = quick(ScoreTable.of(score, positive, weight=weight), "youden")
    clustered = quick(ScoreTable.of(score, positive, cluster=np.arange(80) // 4), "youden")
    for choice, word in ((weighted, "weights"), (clustered, "clusters")):
        assert math.isfinite(choice.apparent)
        assert math.isnan(choice.optimism)
        assert word in (choice.value.undefined or "")
        assert word in (choice.place.undefined or "")
        assert choice.good == choice.equally_good
    with pytest.raises(InputError, match="weights"):
        quick(ScoreTable.of(score, positive, weight=weight), constraint=at_least("recall", 0.5, confidence=0.9))


def test_counts_are_repeated_rows() -> None:
    score, positive, times = np.array([1.0, 2, 3, 4]), np.array([0, 1, 0, 1]) == 1, np.array([3, 1, 2, 5])
    repeated = ScoreTable.of(np.repeat(score, times), np.repeat(positive, times))
    counted = ScoreTable.of(score, positive, count=times.astype(float))
    assert quick(repeated, "f1").to_dict() == quick(counted, "f1").to_dict()


def test_many_scores_are_resampled_in_bins_and_it_is_said() -> None:
    choice = choose_threshold(sample(20_000), "youden", draws=100)
    assert any(note.startswith("resampled on bins") for note in choice.notes)
    assert choice.place.low <= choice.threshold <= choice.place.high


def test_thresholds_within_the_tolerance_are_good() -> None:
    table = sample()
    choice = quick(table, "youden", tolerance=0.02)
    for low, high in choice.good:
        top = high if math.isfinite(high) else table.score[-1]
        assert float(informedness(table.at(top))) >= choice.apparent - 0.02 - 1e-9
        assert low < high
    assert choice.good[0][1] >= choice.threshold >= choice.good[-1][0]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "nothing asked": ({}, "specify what to optimize"),
    "two things asked": ({"by": "f1", "costs": Costs(fp=1, fn=1)}, "one of them"),
    "a misspelt measure": ({"by": "recal"}, "did you mean recall"),
    "a measure of scores": ({"by": "roc_auc"}, "is no measure of predictions at a threshold"),
    "no direction": ({"by": "prevalence"}, "is no measure of predictions at a threshold"),
    "a level above 1": ({"by": "f1", "level": 95}, "level is 95; needed: a number between 0 and 1, such as 0.95"),
    "a prevalence above 1": ({"by": "f1", "prevalence": 20}, "prevalence is 20; needed: a number between 0 and 1"),
    "hardly any draws": ({"by": "f1", "draws": 3}, "draws is 3; needed: an integer of at least 100"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(name: str) -> None:
    arguments, words = REFUSED[name]
    with pytest.raises(OptionError, match=words):
        choose_threshold(sample(), **arguments)


def test_costs_of_other_classes_are_refused() -> None:
    table = ScoreTable.of([1, 2], [0, 1], ("ham", "spam"))
    with pytest.raises(InputError, match="costs of 'ham', 'spam'"):
        quick(table, costs=Costs([[0, 1], [5, 0]], ("good", "bad")))


def test_one_class_is_refused() -> None:
    with pytest.raises(InputError, match="of one class"):
        quick(ScoreTable.of([1, 2], [1, 1]), "f1")


@pytest.mark.parametrize("by", ["youden", "closest", "f1"])
def test_the_record_is_json_and_words(by: str) -> None:
    choice = quick(sample(), by)
    record = json.loads(json.dumps(choice.to_dict(), allow_nan=False))
    assert record["counts"] == {c: float(getattr(choice.matrix, c)) for c in ("tp", "fp", "fn", "tn")}
    assert record["rule"] == choice.rule
    assert choice.words().startswith("Predict scores of at least")
    assert dict(choice.table().rows())["threshold"] == choice.threshold


def test_fifty_cost_ratios_at_once() -> None:
    table, ratios = sample(), np.geomspace(0.1, 50, 50)
    found = best_by_ratio(table, ratios, prevalence=0.1)
    for ratio, cost in list(zip(ratios, found.cost, strict=True))[::10]:
        assert quick(table, costs=Costs(fp=1, fn=ratio), prevalence=0.1).apparent == pytest.approx(cost)
    assert len(found.table()) == 50


@given(table=tables, ratio=st.sampled_from([0.2, 1.0, 4.0]), prevalence=shares)
def test_the_chosen_threshold_implies_costs_like_those_it_was_chosen_for(
    table: ScoreTable, ratio: float, prevalence: float
) -> None:
    choice = quick(table, costs=Costs(fp=1, fn=ratio), prevalence=prevalence)
    implied = choice.implied
    assert implied.is_optimal
    assert implied.low * (1 - 1e-9) <= ratio <= implied.high * (1 + 1e-9)


def test_a_threshold_below_the_hull_is_the_best_for_no_costs() -> None:
    table = ScoreTable.of([1, 2, 3, 4], [0, 1, 0, 1])
    implied = implied_costs(table, 3)
    assert not implied.is_optimal
    assert "no costs" in str(implied)
    assert implied.to_dict()["low"] is None


def test_elkans_ratio_needs_probabilities() -> None:
    assert implied_costs(ScoreTable.of([0.1, 0.9], [0, 1]), 0.2).if_calibrated == pytest.approx(4.0)
    assert math.isnan(implied_costs(ScoreTable.of([1, 9], [0, 1]), 2.0).if_calibrated)


def test_precision_may_be_demanded_of_these_cases() -> None:
    choice = quick(sample(), "recall", constraint=(at_least("ppv", 0.8), at_most("fpr", 0.2)))
    assert float(precision(choice.matrix)) >= 0.8
    assert find("ppv") is precision


@pytest.mark.parametrize("by", [None, "f1"])
@pytest.mark.parametrize("confidence", [None, 0.95])
def test_what_is_said_of_a_demand_holds_on_new_cases(by: str | None, confidence: float | None) -> None:
    """The true recall at each chosen threshold is known: normal scores, a shift of 1.5."""
    rng, runs, kept, missed, outlooks = np.random.default_rng(12), 300, 0, 0, set()
    for _ in range(runs):
        positive = np.arange(200) < 60
        table = ScoreTable.of(rng.standard_normal(200) + 1.5 * positive, positive)
        choice = quick(table, by, constraint=at_least("recall", 0.9, confidence=confidence))
        (found,) = choice.demands
        true = float(ndtr(1.5 - choice.threshold))
        kept += true >= found.limit
        missed += true < 0.9
        outlooks.add((found.limit, found.missed))
    ((limit, chance),) = outlooks  # They hang on the number of positives alone.
    assert kept >= 0.95 * runs - 3 * math.sqrt(0.05 * 0.95 * runs)
    assert missed <= chance * runs + 3 * math.sqrt(chance * (1 - chance) * runs)
    if by is None:  # The threshold at the edge of the demand: nothing is given away.
        assert missed >= 0.75 * chance * runs - 3 * math.sqrt(chance * (1 - chance) * runs)
    assert (chance > 0.5) == (confidence is None)
    assert chance <= 0.05 or confidence is None
    assert (limit < 0.9) == (confidence is None)


def test_a_demand_is_told_in_words_record_and_table() -> None:
    choice = quick(sample(), constraint=at_least("recall", 0.9))
    (found,) = choice.demands
    line = next(line for line in choice.words().splitlines() if line.startswith("Recall:"))
    assert "on new ones with 95 % confidence. Below 0.9 there with a chance of up to 5" in line
    assert line.endswith("; --confidence 0.95 (confidence=0.95) adds a confidence.")
    assert choice.to_dict()["demands"] == [found.to_dict()]
    rows = dict(zip(*choice.table().columns.values(), strict=True))
    assert (rows["recall_limit"], rows["recall_missed"]) == (found.limit, found.missed)
    sure = quick(sample(), constraint=at_most("fpr", 0.3, confidence=0.95))
    assert sure.demands[0].limit <= 0.3
    assert "Above 0.3 there with a chance of up to" in sure.words()
    assert "adds a confidence" not in sure.words()
    of_calls = quick(sample(), constraint=at_least("precision", 0.5))
    assert "no limit for new cases (precision is not monotone" in of_calls.words()
    assert of_calls.to_dict()["demands"][0]["limit"] is None


def test_of_scores_in_cells_the_threshold_splits_none_and_its_value_has_bounds() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 400)
    score = 1 / (1 + np.exp(-rng.normal(2 * truth - 1, 1)))
    exact = choose_threshold(ScoreTable.of(score, truth), "f1", draws=100)
    for least in (None, 8):
        evidence = assay.reduce(truth, score, bits=3, least=least)
        ev: Any = evidence.evaluate()
        choice = choose_threshold(ev.scores, "f1", draws=100)
        reach = ev.scores.reach
        assert not ((reach.low < choice.threshold) & (choice.threshold <= reach.high)).any()
        # The same decisions on the rows themselves: the value lies within the bounds, and is certain if none is hidden.
        there = float(f1(ScoreTable.of(score, truth).at(choice.threshold)))
        low, high = choice.bounds or (choice.apparent, choice.apparent)
        assert low <= there <= high
        assert (low < high) == (least is not None)
        assert any("were not used" in note for note in choice.notes) == (least is not None)
        assert ("(binned: " in choice.words()) == (least is not None)
        # What is not shown to be worse holds at least what the rows do not show to be worse, but for a cell or two.
        assert choice.place.low <= exact.threshold <= choice.place.high
