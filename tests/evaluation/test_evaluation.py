"""Two kinds of evaluation: each has what its classes allow, and says of everything else why not.

Baselines against what they are known to score, and the facts that cautions read.
"""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.decisions import choose_threshold
from assay.errors import InputError, OptionError, UnknownAttribute, UnknownName
from assay.evaluation import Baselines, Evaluation
from assay.evaluation.attributes import OF_TWO
from assay.evaluation.measure_properties import ManyClassMeasures, TwoClassMeasures
from assay.measures import find, find_for_many, on_request, on_request_of_many, registry, registry_of_many
from assay.report.explanations import explained

TRUTH, SCORE = [0, 1, 1, 0, 1, 0, 0, 1] * 10, [0.1, 0.9, 0.6, 0.7, 0.8, 0.2, 0.3, 0.4] * 10
TWO: assay.TwoClassEvaluation = assay.evaluate(TRUTH, SCORE)
LABELS = assay.evaluate(TRUTH, y_pred=TRUTH, positive=1)
PROBABILITY = [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]] * 10
MANY: assay.ManyClassEvaluation = assay.evaluate(["a", "b", "c"] * 10, y_proba=PROBABILITY)
CMP = assay.compare(TRUTH, {"a": SCORE, "b": SCORE[::-1]})


def test_the_number_of_classes_tells_the_kind() -> None:
    assert type(TWO) is assay.TwoClassEvaluation
    assert type(MANY) is assay.ManyClassEvaluation
    assert type(MANY.against("b")) is assay.TwoClassEvaluation
    assert type(assay.from_counts(tp=1, fn=1, fp=1, tn=1)) is assay.TwoClassEvaluation
    assert type(assay.from_counts(np.eye(3) * 4)) is assay.ManyClassEvaluation
    parted = assay.evaluate(["a", "b", "c"] * 4, y_pred=["a", "b", "c"] * 4, by=["x", "y"] * 6)
    assert {type(part) for part in parted.subgroups.values()} == {assay.ManyClassEvaluation}
    with pytest.raises(TypeError, match="abstract"):
        Evaluation(source=TWO.source, matrix=None)  # type: ignore[abstract]


@pytest.mark.parametrize("name", OF_TWO)
def test_many_classes_have_nothing_that_parts_two(name: str) -> None:
    assert hasattr(TWO, name)
    assert not hasattr(MANY, name)
    assert name not in dir(MANY)
    with pytest.raises(UnknownAttribute, match=r"there are 3 classes and .*; needed: .*ev\.against") as caught:
        getattr(MANY, name)
    assert isinstance(caught.value, AttributeError)


@pytest.mark.parametrize("name", ["against", "class_scores"])
def test_two_classes_have_nothing_of_many(name: str) -> None:
    assert not hasattr(TWO, name)
    assert name not in dir(TWO)
    with pytest.raises(UnknownAttribute, match="there are two classes; needed: "):
        getattr(TWO, name)


def test_the_way_to_say_it_is_said() -> None:
    with pytest.raises(UnknownAttribute) as caught:
        MANY.at(0.5)  # type: ignore[attr-defined]
    assert str(caught.value) == "there are 3 classes and a threshold parts two; needed: ev.against('c').at(...)"
    for ev, name, words in (
        (MANY, "recall", "recall is of one class: see per_class, or macro_recall"),
        (TWO, "macro_f1", "there are two classes and macro_f1 is of more; needed: ev.f1, or ev.per_class"),
        (TWO, "rocauc", "did you mean roc_auc?"),
        (MANY, "macrof1", "did you mean macro_f1?"),
    ):
        with pytest.raises(UnknownAttribute) as caught:
            getattr(ev, name)
        assert words in str(caught.value)


KINDS = (
    (TwoClassMeasures, TWO, {**registry, **on_request}, find),
    (ManyClassMeasures, MANY, {**registry_of_many, **on_request_of_many}, find_for_many),
)


def test_every_name_and_alias_is_an_attribute_of_its_kind() -> None:
    for kind, ev, known, find_one in KINDS:
        for measure in known.values():
            described = inspect.getattr_static(kind, measure.name)
            assert described.__doc__ == f"{measure.title}: {measure.definition}"
            for name in (measure.name, *measure.aliases):
                if name.isidentifier() and name != "for":
                    assert find_one(name) is measure
                    assert getattr(ev, name) is ev.estimate(measure.name)
    assert TWO.roc_auc is TWO.estimate("roc_auc") is TWO.auc
    assert MANY.kappa is MANY.estimate("cohen_kappa")


def test_dir_shows_each_measure_once() -> None:
    for _, ev, known, find_one in KINDS:
        names = [name for name in dir(ev) if not name.startswith("_")]
        shown = [find_one(name) for name in names if isinstance(getattr(ev, name), assay.Estimate)]
        assert len(shown) == len(set(shown))
        assert set(shown) >= set(known.values())
        aliases = {alias for measure in shown for alias in measure.aliases} - {measure.name for measure in shown}
        assert not aliases & {*names}
        assert not any(hasattr(type(ev), alias) for alias in aliases)


def test_explain_finds_every_alias() -> None:
    for measure in (*registry.values(), *on_request.values()):
        for alias in measure.aliases:
            assert explained(alias).record() == explained(measure.name).record()


def test_nothing_can_be_set_and_everything_can_be_copied() -> None:
    for ev in (TWO, MANY):
        again = pickle.loads(pickle.dumps(ev))
        assert again.to_dict() == copy.copy(ev).to_dict() == ev.to_dict()
        with pytest.raises(AttributeError):
            ev.accuracy = 1  # type: ignore[misc, assignment]


def test_labels_alone_say_what_they_lack() -> None:
    asked: list[Callable[[], Any]] = [
        lambda: LABELS.curves,
        lambda: LABELS.roc,
        lambda: LABELS.at(0.5),
        lambda: LABELS.pairs,
        lambda: LABELS.threshold("youden"),
        LABELS.rank_test,
        lambda: assay.evaluate(["a", "b", "c"], y_pred=["a", "b", "b"]).curves,
        lambda: assay.evaluate(["a", "b", "c"], y_pred=["a", "b", "b"]).calibration,
    ]
    for ask in asked:
        with pytest.raises(OptionError, match="needs scores, and there are only labels; needed: a score for each"):
            ask()


def test_curves_and_calibration_are_of_their_kind() -> None:
    for held, name in ((MANY.curves, "roc"), (MANY.calibration, "cox")):
        assert not hasattr(held, name)
        with pytest.raises(UnknownAttribute, match=f"there are 3 classes and {name} is of two; needed: c"):
            getattr(held, name)
    with pytest.raises(UnknownAttribute, match="did you mean margin"):
        _ = MANY.curves.margins  # type: ignore[attr-defined]
    for unknown in (MANY.curves.against_rest, MANY.calibration.against_rest, MANY.against):
        with pytest.raises(UnknownName, match="there is no class 'x'; needed: one of 'a', 'b', 'c'"):
            unknown("x")
    with pytest.raises(KeyError):
        MANY.per_class["x"]
    with pytest.raises(KeyError):
        MANY.per_class["a"]["astrology"]


def test_a_threshold_takes_what_choosing_one_takes() -> None:
    """The same names and defaults, but that level and seed are the evaluation's own."""
    theirs = dict(inspect.signature(choose_threshold).parameters)
    ours = dict(inspect.signature(assay.TwoClassEvaluation.threshold).parameters)
    del theirs["table"], ours["self"]
    assert list(ours) == list(theirs)
    for name in ours:
        assert ours[name].default == (None if name in ("level", "seed") else theirs[name].default)
    narrow = assay.evaluate(TRUTH, SCORE, level=0.5)
    assert narrow.threshold("youden").value.level == 0.5
    assert narrow.threshold("youden", level=0.9).value.level == 0.9


@pytest.mark.parametrize("level", [0, 1, 5, float("nan"), "0.95"])
def test_no_level_is_taken_that_is_none(level: Any) -> None:
    asked: list[Callable[[], Any]] = [
        lambda: TWO.estimate("roc_auc", level=level),
        lambda: MANY.estimate("accuracy", level=level),
        lambda: TWO.threshold("youden", level=level),
        lambda: CMP.difference("roc_auc", "a", "b", level=level),
        lambda: CMP.differences("roc_auc", level=level),
        lambda: CMP.verdict("roc_auc", "a", "b", level=level),
        lambda: CMP.pairs("roc_auc", level=level),
        lambda: assay.compare({"a": TWO, "b": TWO}, level=level),
    ]
    for ask in asked:
        with pytest.raises(OptionError, match=r"level is .*; needed: a number between 0 and 1"):
            ask()


@pytest.mark.parametrize("threshold", [float("nan"), "youden", True, None])
def test_no_threshold_is_taken_that_is_none(threshold: Any) -> None:
    with pytest.raises(OptionError, match=r"threshold is .*; needed: a finite number"):
        TWO.at(threshold)


def test_what_choosing_finds_can_be_used() -> None:
    """Even where the best is to call nobody, or everybody."""
    for costs, called in ((assay.Costs(fp=1000, fn=1), 0.0), (assay.Costs(fp=1, fn=1000), 80.0)):
        ev = assay.evaluate(TRUTH, SCORE[::-1])
        found = ev.at(ev.threshold(costs=costs).threshold)
        assert found.matrix is not None
        assert found.matrix.counts[:, 1].sum() == called


def test_what_is_raised_is_of_one_tree() -> None:
    asked: list[Callable[[], Any]] = [
        lambda: assay.evaluate(TRUTH, [5 * s - 3 for s in SCORE]).cells(),
        lambda: assay.evaluate(TRUTH, [5 * s - 3 for s in SCORE]).calibration,
        lambda: CMP.difference("roc_auc", "a", "a"),
        lambda: CMP.difference("roc_auc", "a", "svm"),
        lambda: CMP.difference("roc_auc", "a", "b", method="astrology"),
        lambda: CMP.wins("prevalence"),
        lambda: CMP.by_subgroup("roc_auc", "a", "b"),
        lambda: CMP.models["svm"],
        lambda: CMP.net_benefit_difference("a", "b", float("nan")),
    ]
    for ask in asked:
        with pytest.raises(InputError, match="; needed: "):
            ask()


@given(negatives=st.integers(1, 10_000), positives=st.integers(1, 10_000))
def test_baselines_score_what_theory_says(negatives: int, positives: int) -> None:
    baselines = Baselines.of({"no": float(negatives), "yes": float(positives)})
    p = positives / (negatives + positives)

    def found(baseline: str, measure: str) -> float:
        return baselines.value(baseline, measure)

    assert found("always_positive", "f1") == pytest.approx(2 * p / (1 + p), rel=1e-12)
    assert found("always_positive", "precision") == pytest.approx(p, rel=1e-12)
    assert found("always_positive", "recall") == 1.0
    assert found("majority", "accuracy") == pytest.approx(max(p, 1 - p), rel=1e-12)
    assert found("majority", "balanced_accuracy") == 0.5
    assert found("prior_random", "accuracy") == pytest.approx(p * p + (1 - p) ** 2, rel=1e-12)
    assert found("prior_random", "f1") == pytest.approx(p, rel=1e-9)
    assert found("prior_random", "kappa") == pytest.approx(0, abs=1e-9)
    assert found("constant_probability", "roc_auc") == 0.5
    assert found("constant_probability", "average_precision") == pytest.approx(p, rel=1e-12)
    assert found("constant_probability", "brier") == pytest.approx(p * (1 - p), rel=1e-9)
    assert found("constant_probability", "log_loss") == pytest.approx(
        -p * math.log(p) - (1 - p) * math.log(1 - p), rel=1e-9
    )
    assert found("constant_probability", "brier_skill") == pytest.approx(0, abs=1e-9)


def test_a_baseline_has_only_the_measures_of_its_kind() -> None:
    baselines = Baselines.of({"no": 7.0, "yes": 3.0})
    assert math.isnan(baselines.value("majority", "roc_auc"))
    assert math.isnan(baselines.value("constant_probability", "accuracy"))
    record = baselines.to_dict()
    assert record["majority"]["answer"] == "no"
    assert record["always_positive"]["answer"] == "yes"
    assert record["constant_probability"]["answer"] == 0.3
    assert record["majority"]["measures"]["precision"] is None
    both = {**record["majority"]["measures"], **record["constant_probability"]["measures"]}
    assert set(both) == set(registry)


def test_a_single_class_has_baselines_too() -> None:
    baselines = Baselines.of({"no": 5.0, "yes": 0.0})
    assert baselines.value("majority", "accuracy") == 1.0
    assert baselines.value("constant_probability", "brier") == 0.0
    assert baselines.value("constant_probability", "log_loss") == pytest.approx(0, abs=1e-12)


def codes(ev: assay.Evaluation) -> list[str]:
    return [caution.code for caution in ev.cautions]


def test_swapped_scores_are_noticed_and_not_flipped() -> None:
    rng = np.random.default_rng(0)
    truth = np.arange(400) % 2
    score = rng.random(400) * 0.6 + 0.4 * truth
    assert "A302" not in codes(assay.evaluate(truth, score))
    swapped = assay.evaluate(truth, 1 - score)
    assert "A302" in codes(swapped)
    assert swapped.roc_auc.high < 0.5


def test_worse_than_the_commonest_answer_needs_more_than_bad_luck() -> None:
    worse, unlucky = assay.from_counts(tp=5, fn=15, fp=60, tn=120), assay.from_counts(tp=5, fn=5, fp=7, tn=183)
    assert "A301" in codes(worse)
    assert "A301" not in codes(unlucky)


def test_probabilities_worse_than_a_constant_are_noticed() -> None:
    truth = np.arange(400) % 4 == 0
    score = np.where(truth, 0.97, 0.9)  # ranks perfectly, says far too much
    ev = assay.evaluate(truth.astype(int), score)
    assert ev.roc_auc.value == 1.0
    assert "A201" in codes(ev)
    assert "A201" not in codes(assay.evaluate(truth.astype(int), np.where(truth, 0.9, 0.1)))


def test_chance_is_rarely_cautioned() -> None:
    """A blameless coin at 300 cases: rules that look at an interval should speak once in a hundred times or less."""
    spoken = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = rng.random(300) < 0.5
        ev = assay.evaluate(truth.astype(int), np.where(rng.random(300) < 0.5, 0.45, 0.55))
        spoken += bool({"A302", "A301"} & set(codes(ev)))
    assert spoken <= 3


def test_labels_never_seen_in_truth_are_named() -> None:
    ev = assay.evaluate(["a", "b", "b", "a"], y_pred=["a", "b", "x", "x"], positive="b")
    (caution,) = (c for c in ev.cautions if c.code == "A105")
    assert "'x' (2)" in caution.message
    assert ev.accuracy.value == 0.5
