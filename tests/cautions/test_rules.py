"""Every rule has a case that fires it and one that does not."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import pytest

from assay.cautions import (
    CalibrationFacts,
    Caution,
    ComparisonFacts,
    DesignFacts,
    EvaluationFacts,
    SampledFacts,
    SitesFacts,
    StudyFacts,
    ThresholdFacts,
    check,
    find_rule,
    rules,
)

EVEN = {"no": 500.0, "yes": 500.0}
# Each record, with blameless values for what it must be told.
RECORDS: dict[type, dict[str, Any]] = {
    EvaluationFacts: {"class_sizes": EVEN},
    CalibrationFacts: {},
    ThresholdFacts: {"prevalence": 0.5},
    ComparisonFacts: {},
    StudyFacts: {"class_sizes": EVEN, "splits": 10},
    SitesFacts: {"sites": 12, "measure": "ROC AUC"},
    SampledFacts: {"positives": 100},
    DesignFacts: {"aim": ("recall",)},
}
# For each code: facts that fire it, and facts as near as possible that do not.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "A101": ({"class_sizes": {"no": 50.0, "yes": 0.0}}, {"class_sizes": {"no": 50.0, "yes": 1.0}}),
    "A102": ({"class_sizes": {"no": 180.0, "yes": 19.0}}, {"class_sizes": {"no": 180.0, "yes": 20.0}}),
    "A103": ({"class_sizes": {"no": 901.0, "yes": 99.0}}, {"class_sizes": {"no": 900.0, "yes": 100.0}}),
    "A104": ({"score_range": (-3.0, 4.0)}, {"score_range": (0.0, 1.0)}),
    "A105": ({"unseen_labels": {"maybe": 3.0}}, {"unseen_labels": {}}),
    "A106": ({"dropped": 1}, {"dropped": 0}),
    "A107": ({"kish_share": 0.49}, {"kish_share": 0.5}),
    "A108": ({"class_sizes": {"a": 50.0, "b": 50.0, "c": 0.0}}, {"class_sizes": {"a": 50.0, "b": 50.0}}),
    "A109": ({"defaulted": 1}, {"defaulted": 0}),
    "A110": ({"unused_columns": {"weight": "w"}}, {"unused_columns": {"id": "id"}}),
    "A111": ({"clusters": 9}, {"clusters": 10}),
    "A112": ({"duplicates": 1}, {"duplicates": 0}),
    "A113": ({"tied_pairs": 0.1, "distinct_scores": 5}, {"tied_pairs": 0.099, "distinct_scores": 5}),
    "A114": ({"bounds_width": 0.11}, {"bounds_width": 0.1}),
    "A115": ({"small_subgroups": ("6 of 'yes' in 'B'",)}, {"small_subgroups": ()}),
    "A116": ({"clusters": 40, "unseen_cluster": 0.16}, {"clusters": 40, "unseen_cluster": 0.15}),
    "A130": ({"is_perfect": True}, {"is_perfect": True, "class_sizes": {"no": 49.0, "yes": 50.0}}),
    "A140": ({"fold_column": "fold"}, {"fold_column": None}),
    "A201": ({"brier_skill_high": -0.01}, {"brier_skill_high": 0.0}),
    "A202": ({"certain_and_wrong": 2.0}, {"certain_and_wrong": 0.0}),
    "A203": ({"misfits": ("probabilities from 0.4 to 0.8 are too low",)}, {"misfits": ()}),
    "A205": ({"calibration_error": (0.04, 0.03, 0.06)}, {"calibration_error": (0.09, 0.03, 0.05)}),
    "A206": ({"hosmer_lemeshow": ("a group expects 2 cases",)}, {"hosmer_lemeshow": ()}),
    "A204": ({"saturated": 0.05}, {"saturated": 0.049}),
    "A301": ({"p_below_majority": 0.009, "accuracy": 0.4}, {"p_below_majority": 0.01, "accuracy": 0.5}),
    "A302": ({"auc_high": 0.49, "positive": "yes"}, {"auc_high": 0.5, "positive": "yes"}),
    "A303": ({"crossing": ("a", "b")}, {"crossing": None}),
    "A304": ({"crossing_untested": "a class has few cases"}, {"crossing_untested": None}),
    "A306": ({"chosen_for": "F1"}, {"chosen_for": None}),
    "A307": ({"prevalence_elsewhere": 0.33}, {"prevalence_elsewhere": 0.34}),
    "A305": ({"threshold": 0.5}, {"threshold": 0.5, "threshold_was_given": True}),
    "A308": (
        {"threshold": 50.0, "score_range": (0.1, 0.9), "threshold_was_given": True},
        {"threshold": 0.9, "score_range": (0.1, 0.9), "threshold_was_given": True},
    ),
    "A401": ({"comparisons": 2}, {"comparisons": 1}),
    "A402": ({"compared_models": 3}, {"compared_models": 2}),
    "A403": ({"unmatched": 1}, {"unmatched": 0}),
    "A404": ({"nearly_equal": ("a", "b")}, {"nearly_equal": None}),
    "A405": ({"unclear": ("ROC AUC", 0.05)}, {"unclear": None}),
    "A501": ({"is_resubstitution": True}, {}),
    "A502": ({"chosen": ("svm", 3, 0.02, 0.03)}, {"chosen": ("svm", 2, 0.02, 0.03)}),
    "A503": ({"unclear": ("svm", "nb", "accuracy", 0.011)}, {"unclear": ("svm", "nb", "accuracy", 0.01)}),
    "A504": ({"repeated": (0.02, 1.0)}, {"repeated": (0.019, 1.0)}),
    "A505": ({"id_like": ("patient_id", 30)}, {"id_like": None}),
    "A506": ({"prepared": "they had been standardised"}, {"prepared": None}),
    "A507": ({"failed": {"svm": 2, "nb": 1}}, {"failed": {}}),
    "A508": ({"rarest": ("yes", 2)}, {"rarest": ("yes", 3)}),
    "A601": ({"sites": 4}, {"sites": 5}),
    "A602": ({"shares": ("yes", "north", 0.1, "south", 0.3)}, {"shares": None}),
    "A603": ({"lacking": {"north": ("yes",)}}, {"lacking": {}}),
    "A604": ({"heaviest": ("north", 0.5)}, {"heaviest": ("north", 0.499)}),
    "A605": ({"i2": 0.5, "new_site": (0.6, 0.9)}, {"i2": 0.499, "new_site": (0.6, 0.9)}),
    "A606": ({"told_by_median": 4.9}, {"told_by_median": 4.9, "sites": 9}),
    "A607": ({"left_out": {"north": "no error"}}, {"left_out": {}}),
    "A701": ({"heaviest": ("row 7", 0.51)}, {"heaviest": ("row 7", 0.5)}),
    "A702": ({"positives": 49}, {"positives": 49, "has_scores": False}),
    "A703": (
        {"few_of_a_side": ((4, "predicted positives", "negative"),)},
        {"few_of_a_side": ((4, "predicted positives", "negative"),), "has_limits": False},
    ),
    "A704": ({"aim": ("precision",)}, {"aim": ("precision",), "kind": "simple"}),
    "A705": ({"unanswered": 1}, {"unanswered": 0}),
    "A509": ({"flattered": {"tree": (0.0, 0.1)}}, {"flattered": {"tree": (0.0, 0.099)}}),
}
# A rule once for each record it looks at.
ASKED = [(code, record) for code in rules for record in RECORDS if issubclass(record, rules[code].reads)]


def said(record: type, **facts: Any) -> dict[str, str]:
    return {caution.code: caution.message for caution in check(record(**RECORDS[record] | facts))}


def codes(**facts: Any) -> list[str]:
    return list(said(EvaluationFacts, **facts))


@pytest.mark.parametrize(("code", "record"), ASKED)
def test_every_rule_fires_and_holds_its_tongue(code: str, record: type) -> None:
    fires, does_not = CASES[code]
    assert code in said(record, **fires)
    assert code not in said(record, **does_not)


@pytest.mark.parametrize(
    ("fires", "words"),
    [
        ({"clusters": 40, "largest_cluster": 0.31}, "One of 40 clusters holds 31.0 % of the rows"),
        ({"clusters": 40, "cluster_freedom": (3.9, "the cases of a class")}, "The cases of a class are unevenly"),
    ],
)
def test_unequal_clusters_are_few(fires: dict[str, Any], words: str) -> None:
    assert said(EvaluationFacts, **fires)["A111"].startswith(words)
    blameless = {"clusters": 40, "largest_cluster": 0.3, "cluster_freedom": (4.0, "the rows")}
    assert "A111" not in said(EvaluationFacts, **blameless)


def test_a_subject_is_asked_about_by_its_own_rules() -> None:
    of_classes, of_data = ["A101", "A102", "A103", "A108"], [code for code in rules if code.startswith("A1")]
    of_decisions = ["A201", "A202", "A203", "A204", "A301", "A302", "A305", "A308"]
    asked = {record: sorted(code for code, other in ASKED if other is record) for record in RECORDS}
    assert asked == {
        EvaluationFacts: sorted([*of_data, *of_decisions]),
        CalibrationFacts: ["A203", "A205", "A206"],
        ThresholdFacts: ["A306", "A307"],
        ComparisonFacts: ["A106", "A303", "A304", *(f"A40{k}" for k in range(1, 6))],
        StudyFacts: [*of_classes, *(f"A50{k}" for k in range(1, 10))],
        SitesFacts: [f"A60{k}" for k in range(1, 8)],
        SampledFacts: ["A701", "A702", "A703", "A705"],
        DesignFacts: ["A704"],
    }


@pytest.mark.parametrize("record", RECORDS)
def test_every_field_of_a_record_is_read_by_some_rule(record: type) -> None:
    read: set[str] = set()

    class Watched(record):  # type: ignore[misc]  # whichever it is
        def __getattribute__(self, name: str) -> Any:
            read.add(name)
            return super().__getattribute__(name)

    for told in (told for code, other in ASKED if other is record for told in CASES[code]):
        check(Watched(**RECORDS[record] | told))
    assert [field.name for field in fields(record) if field.name not in read] == []


def test_there_is_a_case_for_every_rule_and_a_rule_for_every_case() -> None:
    assert set(CASES) == set(rules)


def test_blameless_facts_raise_nothing() -> None:
    assert codes(score_range=(0.01, 0.99), threshold=0.5, threshold_was_given=True, accuracy=0.9, auc_high=0.99) == []


@pytest.mark.parametrize(("code", "record"), ASKED)
def test_a_message_is_one_short_sentence_or_two(code: str, record: type) -> None:
    (found,) = (c for c in check(record(**RECORDS[record] | CASES[code][0])) if c.code == code)
    assert found.message[-1] in ".?"
    assert len(found.message) < 200
    assert "nan" not in found.message.split()
    assert found.to_dict() == {"code": code, "message": found.message}


@pytest.mark.parametrize("code", rules)
def test_a_rule_can_be_looked_up_and_explains_itself(code: str) -> None:
    rule = find_rule(f" {code.lower()} ")
    assert rule is rules[code]
    assert re.fullmatch(r"A\d{3}", code)
    assert rule.title
    assert len(rule.explanation.split()) > 15


def test_an_unknown_code_lists_the_known_ones() -> None:
    with pytest.raises(KeyError, match="A101"):
        find_rule("A999")


def test_cautions_come_in_the_order_of_their_codes() -> None:
    found = codes(class_sizes={"no": 50.0, "yes": 1.0}, dropped=2, certain_and_wrong=1.0, threshold=0.5)
    assert found == sorted(found)
    assert len(found) >= 4


@pytest.mark.parametrize(
    ("span", "guess"),
    [((-4.0, 3.0), "logits"), ((0.0, 97.0), "percentages"), ((-900.0, 900.0), ""), ((2.0, 300.0), "")],
)
def test_scores_outside_the_unit_interval_are_guessed_at_aloud(span: tuple[float, float], guess: str) -> None:
    message = said(EvaluationFacts, score_range=span)["A104"]
    assert (f"look like {guess}" in message) if guess else ("look like" not in message)


def test_a_perfect_ranking_is_not_called_a_perfect_answer() -> None:
    assert said(EvaluationFacts, is_perfect=True)["A130"].startswith("Every positive scores above every negative.")
    assert said(EvaluationFacts, is_perfect=True, every_answer_right=True)["A130"].startswith("All predictions are")


def test_two_models_that_are_one_are_not_said_to_go_unseen() -> None:
    assert "A405" not in said(ComparisonFacts, unclear=("ROC AUC", 0.0))


def test_swapped_labels_show_without_scores_too() -> None:
    assert "A302" in codes(informedness_high=-0.1, positive="yes")
    assert "A302" not in codes(informedness_high=0.1, positive="yes")


def test_a_threshold_is_carried_nowhere_from_cases_of_one_class() -> None:
    for share in (0.0, 1.0, float("nan")):
        assert said(ThresholdFacts, prevalence=share, prevalence_elsewhere=0.1) == {}


def test_a_study_says_what_the_choice_costs_only_where_it_is_known() -> None:
    known, unknown = (said(StudyFacts, chosen=("svm", 5, 0.02, corrected)) for corrected in (0.031, float("nan")))
    assert "its error of 0.020 is optimistic, about 0.031 after" in known["A502"]
    assert unknown == {"A502": "'svm' was chosen as the best of 5 on these cases: its error is optimistic."}


def test_too_few_splits_for_an_interval_are_too_few_to_tell() -> None:
    found = said(StudyFacts, unclear=("svm", "nb", "accuracy", float("nan")))
    assert found == {"A503": "Inconclusive: too few splits (10) to compare 'svm' and 'nb'."}


def test_a_caution_prints_its_code_first() -> None:
    assert repr(Caution("A101", "One class.")) == "A101  One class."


def test_scores_on_one_side_of_a_default_threshold_may_be_probabilities_of_labels() -> None:
    facts = {"threshold": 0.5, "score_range": (0.5, 0.99), "class_sizes": {"no": 12, "yes": 8}}
    assert "A308" in codes(**facts)
    for other in ({"class_sizes": {"no": 12, "yes": 7}}, {"score_range": (0.49, 0.99)}):
        assert "A308" not in codes(**{**facts, **other})
