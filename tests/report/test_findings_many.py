"""The first lines of a page of many classes: each rule, and what is said where nothing can be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.report.driving import Opened
from tests.report.samples import HOSTILE, labelled, many

from assay.evaluation import Evaluation, Evaluations, evaluate, evaluate_models
from assay.evidence import ConfusionMatrix
from assay.report.first_screen import LONGEST_EVIDENCE, better_finding, findings
from assay.report.sections.comparison import Compared, NotCompared, pairing
from assay.report.sentences import FoundLine, Text, plain
from assay.report.wording import percent, visible
from assay.uncertainty import PROPORTION_METHODS

NAMES = ("eight", "one", "nine", "two")


def counted(rows: object, names: tuple[str, ...] = NAMES) -> dict[str, Evaluation]:
    """Labels alone, from a matrix of counts."""
    return {"": labelled(ConfusionMatrix(np.array(rows, dtype=np.float64), names, names))}


def lines(models: Mapping[str, Evaluation], compared: Compared | NotCompared | None = None) -> dict[str, FoundLine]:
    found = findings(models, compared)
    assert all(len(plain(each.evidence)) <= LONGEST_EVIDENCE for each in found)
    return {each.question: each for each in found}


def bold(text: Text) -> str:
    return " ".join(run.text for run in text if run.look == "b")


def probabilities(truth: NDArray[np.int64], strength: float, seed: int, heat: float = 1.0) -> NDArray[np.float64]:
    """Right ones where heat is 1: the truth is drawn from what is said."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(size=(len(truth), 4))
    logit[np.arange(len(truth)), truth] += strength
    odds = np.exp(logit * heat)
    return np.asarray(odds / odds.sum(1, keepdims=True))


def calibrated(cases: int, heat: float = 1.0, seed: int = 5) -> Evaluation:
    """Classes drawn from probabilities, which are said hotter or cooler than they are."""
    rng = np.random.default_rng(seed)
    logit = 2 * rng.normal(size=(cases, 4))
    share = np.exp(logit) / np.exp(logit).sum(1, keepdims=True)
    truth = (share.cumsum(1) > rng.random(cases)[:, None]).argmax(1)
    told = np.exp(heat * logit)
    return evaluate(truth, told / told.sum(1, keepdims=True))


def test_right_more_often_than_the_commonest_answer(four: dict[str, Evaluation]) -> None:
    ev, good = four[""], lines(four)["Good?"]
    right = ev.estimate("accuracy")
    limits = f"[{percent(right.low)}, {percent(right.high)}]"
    assert plain(good.finding) == f'Accuracy {percent(right.value)} {limits}; always "class 0": 25.6 %'
    assert [run.text for run in good.finding if run.look == "m"] == [limits]
    assert good.mark == "told"
    assert bold(good.evidence) == " ".join(f"{ev.estimate(m).value:.3f}" for m in ("kappa", "hand_till", "macro_f1"))
    assert plain(good.caution) == "No caution: class sizes are similar, 39 to 41 cases."
    assert (good.link, good.code) == ("confusion", "")


def test_not_told_from_the_commonest_answer_and_worse_than_it() -> None:
    rows = [[90.0, 3, 3, 4], [12, 6, 2, 0], [12, 2, 4, 2], [9, 1, 6, 4]]
    good = lines(counted(rows))["Good?"]
    assert plain(good.finding).startswith('Not significantly better than always "eight" (62.5 %): accuracy ')
    assert good.mark == "open"
    rows[0] = [1.0, 60, 30, 9]
    good = lines(counted(rows))["Good?"]
    assert plain(good.finding).endswith(', worse than always "eight" (62.5 %)')
    assert good.mark == "told"


def test_a_caution_stands_beside_the_line_it_is_about() -> None:
    rare = lines(counted([[900.0, 5, 5, 5], [9, 40, 1, 0], [8, 2, 25, 2], [3, 1, 2, 18]]))["Good?"]
    assert (rare.code, rare.link, rare.link_words) == ("A103", "confusion", "Classes")
    assert plain(rare.caution) == "Class imbalance."
    uneven = lines(counted([[60.0, 5, 5, 5], [9, 40, 1, 0], [8, 2, 25, 2], [3, 1, 2, 30]]))["Good?"]
    assert plain(uneven.caution) == "Class sizes range from 36 to 75 cases: see the results of each class."
    few = lines({"": many(3, 12)})["Good?"]
    assert few.code == "A102"


def test_the_largest_cell_has_an_interval_for_all_cells(four: dict[str, Evaluation]) -> None:
    rows = [[139.0, 15, 9, 11], [4, 156, 2, 1], [1, 3, 164, 4], [0, 4, 2, 168]]
    confused = lines(counted(rows))["Confuses?"]
    low, high = PROPORTION_METHODS["Clopper-Pearson"](15, 174, 1 - 0.05 / 12)
    limits = f"[{percent(low)}, {percent(high)}]"
    # Not above what the row's errors come to a cell, beyond doubt: 35 errors in three cells.
    assert plain(confused.finding) == f"Inconclusive; most often eight with one: 15 of 174, 8.6 % {limits}"
    assert confused.mark == "open"
    rows[0] = [139.0, 33, 1, 1]
    confused = lines(counted(rows))["Confuses?"]
    low, high = PROPORTION_METHODS["Clopper-Pearson"](33, 174, 1 - 0.05 / 12)
    limits = f"[{percent(low)}, {percent(high)}]"
    assert plain(confused.finding) == f'eight with one: 33 cases, {percent(33 / 174)} of "eight" {limits}'
    assert confused.mark == "told"
    assert plain(confused.evidence).startswith("33 of 56 errors are in 1 of 12 entries · lowest recall: eight 0.799 [")
    assert "simultaneous over all 12" in plain(confused.caution)
    assert confused.link == "confusion"


def test_cells_of_the_same_size_are_named_together() -> None:
    rows = [[139.0, 30, 1, 1], [1, 156, 30, 1], [1, 3, 164, 4], [0, 4, 2, 168]]
    confused = lines(counted(rows))["Confuses?"]
    assert plain(confused.finding).startswith('eight with one, and one with nine: 30 cases each, 17.5 % of "eight" [')
    assert plain(confused.evidence).startswith("60 of 78 errors are in 2 of 12 entries")
    rows[3] = [30.0, 4, 2, 168]
    confused = lines(counted(rows))["Confuses?"]
    assert plain(confused.finding).startswith("eight with one and 2 more pairs: 30 cases each, ")


def test_no_pair_stands_out_where_errors_are_spread_evenly() -> None:
    confused = lines(counted([[90.0, 5, 5, 5], [1, 90, 1, 1], [1, 1, 90, 1], [1, 1, 1, 90]]))["Confuses?"]
    assert plain(confused.finding) == "No pair stands out: the largest entry has 5 cases, like the others of its row"
    assert confused.mark == "sought"


def test_no_error_is_no_proof() -> None:
    confused = lines(counted([[90.0, 0, 0, 0], [0, 90, 0, 0], [0, 0, 90, 0], [0, 0, 0, 90]]))["Confuses?"]
    assert plain(confused.finding) == "No errors in 360 cases"
    assert confused.mark == "sought"
    assert "can go undetected" in plain(confused.caution)


def test_a_class_that_nothing_is_called_is_named() -> None:
    rows = [[90.0, 5, 0, 5], [1, 90, 0, 1], [30, 1, 0, 1], [1, 1, 0, 90]]
    confused = lines(counted(rows))["Confuses?"]
    assert "nine with eight: 30 cases" in plain(confused.finding)
    assert "never predicted: nine · lowest recall: nine 0.000" in plain(confused.evidence)
    found = lines(counted([[9.0, 1, 0], [1, 9, 0], [5, 0, 0]], ("a", "b", "c")))["Confuses?"]
    assert "errors are in 1 of 6 entries · never predicted: c · lowest recall: c 0.000" in plain(found.evidence)


def test_weighted_cases_have_no_interval_and_it_is_said() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 4, 300)
    ev = evaluate(truth, y_pred=(truth + (rng.random(300) < 0.3)) % 4, weight=rng.random(300) + 0.5)
    found = lines({"": ev})
    assert "(weighted)" in plain(found["Good?"].finding)
    assert found["Confuses?"].mark == "open"
    assert not [run for run in found["Confuses?"].finding if run.look == "m"]
    assert "without intervals" in plain(found["Confuses?"].caution)


def test_labels_alone_have_no_line_about_probabilities() -> None:
    assert list(lines(counted([[90.0, 5, 5, 5], [1, 90, 1, 1], [1, 1, 90, 1], [1, 1, 1, 90]]))) == [
        "Good?",
        "Confuses?",
    ]


def test_scores_that_are_no_probabilities_cannot_be_calibrated() -> None:
    four = many()
    assert four.class_scores is not None
    scores = replace(four.class_scores, probability=3 * four.class_scores.probability)
    found = lines({"": replace(four, class_scores=scores)})["Calibrated?"]
    assert plain(found.finding) == "Not assessed: the scores are not probabilities"
    assert (found.mark, found.code) == ("open", "A104")


@pytest.mark.parametrize(("heat", "words"), [(0.4, "underconfident"), (2.5, "overconfident")])
def test_probabilities_that_say_too_little_or_too_much(heat: float, words: str) -> None:
    ev = calibrated(3000, heat)
    found, about = lines({"": ev})["Calibrated?"], ev.calibration.overall
    ratio = about.observed_to_expected
    right = float((about.scores.positives) / ev.n)
    assert plain(found.finding) == (
        f"No, {words}: {percent(right / ratio.value)} expected, {percent(right)} correct, ratio {ratio!r}"
    )
    assert (found.mark, found.code, found.link) == ("told", "A203", "calibration")
    (widest, *_) = sorted(about.miscalibration, key=lambda one: -one.shown)
    assert f"are {widest.direction} for {widest.shown:,.0f} of 3,000 cases" in plain(found.evidence)


def test_no_misfit_found_is_no_proof() -> None:
    found = lines({"": calibrated(1500)})["Calibrated?"]
    assert plain(found.finding).startswith("No miscalibration detected: ")
    assert found.mark == "sought"
    assert plain(found.evidence).startswith("No proof: 1,500 cases may not reveal a smaller miscalibration")


def test_a_test_that_rejects_without_a_range(four: dict[str, Evaluation]) -> None:
    found = lines(four)["Calibrated?"]
    assert len(four[""].calibration.overall.miscalibration) == 0
    assert plain(found.finding) == "No, but no single range is significant: p < 0.001"


def test_answers_that_are_all_right_say_nothing_about_probabilities() -> None:
    truth = np.arange(120) % 4
    ev = evaluate(truth, np.where(np.eye(4)[truth] == 1, 0.7, 0.1))
    found = lines({"": ev})["Calibrated?"]
    assert plain(found.finding) == "Not assessed: every prediction is correct"
    assert found.mark == "open"


def test_twelve_cases_say_little() -> None:
    found = lines({"": many(3, 12)})
    assert found["Confuses?"].mark == "open"
    assert found["Calibrated?"].mark == "sought"
    assert "nan" not in "".join(plain(each.finding) + plain(each.evidence) for each in found.values())


def test_names_are_short_and_inert() -> None:
    names = tuple(f"{k}{name}" for k, name in enumerate(HOSTILE))
    for each in lines({"": many(len(HOSTILE), 400, names=names)}).values():
        for text in (each.finding, each.evidence, each.caution):
            assert plain(text) == visible(plain(text))
            assert len(plain(text)) <= LONGEST_EVIDENCE


def test_thirty_classes_fit_as_well() -> None:
    found = lines({"": many(30, 1500)})
    assert "of 870 entries" in plain(found["Confuses?"].evidence)
    assert "lowest recall: class 1 " in plain(found["Confuses?"].evidence)


def two_models(strengths: tuple[float, ...], cases: int = 500) -> Evaluations:
    truth = np.random.default_rng(0).integers(0, 4, cases)
    return evaluate_models(
        truth, {name: probabilities(truth, s, k) for k, (name, s) in enumerate(zip("abcd", strengths, strict=False))}
    )


def test_the_primary_measure_is_not_adjusted_and_secondary_ones_share_the_error() -> None:
    models = two_models((2.0, 1.0))
    compared = pairing(models)
    assert isinstance(compared, Compared)
    found = findings(models, compared)
    better = found[0]
    secondary = "Secondary measures: a has the better Brier score and accuracy"
    assert (better.question, plain(better.finding), better.mark) == (
        "Better?",
        f"a has a significantly higher Hand-Till M than b. {secondary}",
        "told",
    )
    held = compared.comparison.difference("hand_till", "a", "b")
    assert f"Hand-Till M {held.value:+.3f} [{held.low:.3f}, {held.high:.3f}]" in plain(better.evidence)
    # The two secondary measures share the error: each interval at 1 - 0.05 / 2.
    held = compared.comparison.difference("brier", "a", "b", level=1 - 0.05 / 2)
    assert f"Brier score {held.value:+.3f} [{held.low:.3f}, {held.high:.3f}]" in plain(better.evidence)
    assert plain(better.caution) == (
        "95 % intervals. Hand-Till M, the primary measure, is not adjusted for the others; "
        "the others are adjusted for 2 secondary measures."
    )
    assert [each.question for each in found[1:]] == ["Confuses?", "Calibrated?"]
    assert all(plain(each.finding).startswith("a: ") for each in found[1:])


def test_models_that_cannot_be_told_apart() -> None:
    models = two_models((1.5, 1.5))
    better = findings(models, pairing(models))[0]
    words = "Secondary measures: no significant difference in Brier score and accuracy"
    assert (plain(better.finding), better.mark) == (f"No significant difference in Hand-Till M. {words}", "open")
    compared = pairing(models)
    assert isinstance(compared, Compared)
    wide = Compared(compared.comparison, compared.measures, margin=0.5)
    assert plain(findings(models, wide)[0].finding) == (
        f"No relevant difference in Hand-Till M: it is within ±0.5. {words}"
    )


def test_what_one_family_says_another_need_not() -> None:
    truth = np.random.default_rng(0).integers(0, 4, 800)
    one = probabilities(truth, 2.0, 1, heat=1.0)
    dull = one**0.2 / (one**0.2).sum(1, keepdims=True)
    models = evaluate_models(truth, {"sharp": probabilities(truth, 2.0, 1, heat=2.0), "dull": dull})
    better = findings(models, pairing(models))[0]
    assert plain(better.finding) == (
        "sharp has a significantly higher Hand-Till M than dull. "
        "Secondary measures: sharp has the better Brier score; no significant difference in accuracy"
    )


def test_the_best_of_several() -> None:
    models = two_models((2.0, 1.0, 1.2))
    best = findings(models, pairing(models))[0]
    assert (best.question, best.mark) == ("Best?", "told")
    assert plain(best.finding).startswith("a has the best ")
    assert "; it is significantly better than both others. Secondary measures: a has the best " in plain(best.finding)
    assert "is adjusted for 3 pairs; the others are adjusted for 2 secondary measures and 3 pairs" in plain(
        best.caution
    )
    models = two_models((2.0, 1.0, 2.0))
    best = findings(models, pairing(models))[0]
    assert best.mark == "open"
    assert "significantly better than 1 of 2 others" in plain(best.finding)


def test_a_measure_that_was_asked_for_decides_and_a_control_is_kept() -> None:
    models = two_models((2.0, 1.0))
    compared = pairing(models)
    assert isinstance(compared, Compared)
    asked = Compared(compared.comparison, ("kappa",))
    assert plain(findings(models, asked)[0].finding) == "a has a significantly higher Cohen's kappa than b"
    three = two_models((2.0, 1.0, 1.2))
    compared = pairing(three)
    assert isinstance(compared, Compared)
    held = Compared(compared.comparison, compared.measures, control="b")
    assert "adjusted for 2 pairs" in plain(findings(three, held)[0].caution)


def test_level_and_margin_move_the_line_of_two_models(browser: Any, tmp_path: Path) -> None:
    models = two_models((1.6, 1.5))
    models.report(tmp_path / "two.html")
    compared = pairing(models)
    assert isinstance(compared, Compared)
    opened = Opened(browser, tmp_path / "two.html", "#level=0.999&margin=0.2")
    wanted = better_finding(compared.answer_at(0.999, 0.2), compared.names)
    assert opened.live("better.finding") == plain(wanted.finding)
    assert opened.live("better.evidence") == plain(wanted.evidence)
    opened.close()


def test_models_that_are_no_pairs_say_why() -> None:
    models: dict[str, Evaluation] = {"first": many(), "second": many(4, 200)}
    found = findings(models, pairing(models))
    assert found[0].mark == "open"
    assert plain(found[0].finding).startswith("Not compared: the models' rows do not hold the same true classes")
    assert plain(found[1].finding).startswith("first: ")
