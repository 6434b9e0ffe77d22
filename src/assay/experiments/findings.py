"""What a study's store says of a learner beyond its mean: every estimate its plan allows, the winner, one ROC curve.

What a careful reviewer would say of a study: the facts its store holds, handed to the rules.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.cautions import Caution, StudyFacts, check
from assay.curves import AveragedRoc, Curve, threshold_average, vertical_average
from assay.errors import AssayError, InputError
from assay.evaluation import TwoClassEvaluation
from assay.evidence import ScoreTable
from assay.experiments.algorithm_tests import corrected_t
from assay.experiments.estimates import (
    FEWEST_SPLITS,
    NADEAU_BENGIO,
    CaseLosses,
    FoldScores,
    bootstrap_error,
    corrected_limits,
    fold_auc,
    leave_pair_out_auc,
    measure_of,
    pooled_loss,
)
from assay.experiments.optimism import Winner, chosen, training_mean, validation_value, winner
from assay.experiments.store import definition_of
from assay.measures import Measure
from assay.predictions import Predictions
from assay.request import checked_choice
from assay.results import Estimate, counted
from assay.types import Floats

if TYPE_CHECKING:
    from assay.experiments.results import Results


Average = Literal["vertical", "threshold", "pooled"]
SplitId = tuple[int, int]

# Plans whose band was simulated to hold. Over repeated folds it covered .88 to .93 where the rate is low: repeating
# narrows it, but not the lift that the steps of the folds' curves give the mean.
BANDED = ("kfold", "shuffle")
ONE_MODEL = ("holdout", "train_validation_test")
GROUPED = "rows of a group are dependent, which the interval of pooled cases ignores"
MOVES_BOTH_WAYS = "a threshold changes both rates, so the mean curve has no limits in one direction"
# Of each class in every fold, and of negatives that a false-positive rate stands for there: with fewer, a fold's curve
# lies too high by its steps alone, and the band of the mean covered as little as .46.
FEWEST_OF_A_CLASS, FEWEST_FALSE_ALARMS = 20, 3


@dataclass(frozen=True, eq=False)
class Tried:
    """One split as one learner did it: how many cases it learned from, the rows tested, and which it had wrong."""

    train_cases: int
    rows: NDArray[np.integer]
    wrong: NDArray[np.bool_]


def tried(study: Results, dataset: str) -> dict[str, dict[SplitId, Tried]]:
    """What every learner did on every split that is done; learners with none are left out."""
    _, target = study.truth(dataset)
    found = {
        learner: {
            (cell["repeat"], cell["fold"]): Tried(cell["train_cases"], each.rows, each.label != target[each.rows])
            for cell, each in study.tested(dataset, learner)
        }
        for learner in study.learners
    }
    return {learner: splits for learner, splits in found.items() if splits}


def wrong_by_case(done: Mapping[str, Mapping[SplitId, Tried]]) -> Floats:
    """How often each case was decided wrongly, a column for each learner, over the splits that all of them did.

    A case tested in several splits counts once, by its mean. Cases never tested are left out.
    """
    shared = set.intersection(*(set(splits) for splits in done.values())) if done else set()
    if not shared:
        raise AssayError("no split is done by every learner; run or resume the study")
    rows = 1 + max(int(each.rows.max()) for splits in done.values() for each in splits.values())
    wrong, times = np.zeros((rows, len(done))), np.zeros(rows)
    for place, splits in enumerate(done.values()):
        for split in shared:
            wrong[splits[split].rows, place] += splits[split].wrong
            times[splits[split].rows] += 1 / len(done)
    is_tested = times > 0
    return np.asarray(wrong[is_tested] / times[is_tested, None])


def study_winner(study: Results, dataset: str, measure: str | Measure | None, level: float, seed: int) -> Winner:
    """The best learner: chosen on the part set aside for that, else by the cases tested and corrected for it."""
    if study.validates:
        return chosen(study, dataset, measure or "accuracy", level)
    if measure is not None and not is_share(measure_of(measure, len(study.truth(dataset)[0]))):
        found = f"no winner by {measure}: the plan '{study.plan.name}' has no validation part"
        raise InputError(found, "accuracy, which needs no validation part, or the plan train_validation_test()")
    if study.plan.kind == "resubstitution":
        raise InputError("every model was tested on its training cases", "a plan with separate test cases")
    done = {name: splits for name, splits in tried(study, dataset).items() if name in study.candidate_learners}
    return winner(wrong_by_case(done), tuple(done), level=level, seed=seed)


def is_share(measure: Measure) -> bool:
    """Whether a measure counts decisions that are right, or wrong: the choice by it is the choice by errors."""
    return measure.over_folds is not None and measure.over_folds.kind == "share"


def every_estimate(study: Results, dataset: str, learner: str, measure: str | Measure, level: float) -> list[Estimate]:
    """The mean over splits, and what else the plan allows."""
    averaged, kind = study.estimate(dataset, learner, measure, level=level), study.plan.kind
    if not averaged.n:
        return [averaged]
    if kind in ONE_MODEL or (kind == "given" and len(study.fold_scores(dataset, learner, measure).values) == 1):
        return [study.evaluation(dataset, learner).estimate(measure, level=level)]
    if kind == "leave_pair_out":
        return [averaged, _leave_pair_out_estimate(study, dataset, learner, level)]
    if kind == "bootstrap":
        return [averaged, *_bootstrap_estimates(study, dataset, learner)]
    if kind in ("given", "grouped_kfold", "kfold", "leave_one_out", "repeated_kfold"):
        return [averaged, *_pooled_fold_estimates(study, dataset, learner, measure, level)]
    return [averaged]


def _pooled_fold_estimates(
    study: Results, dataset: str, learner: str, measure: str | Measure, level: float
) -> list[Estimate]:
    """The folds of one repeat together: the measure, and the errors and the AUC with intervals for these models."""
    ev, kind, (_, target) = study.evaluation(dataset, learner), study.plan.kind, study.truth(dataset)
    given = None if ev.rows is None else ev.rows.fold
    fold = np.zeros(ev.n, dtype=np.intp) if given is None else given
    of_models = f"the models of {int(fold.max()) + 1} folds, cases pooled"
    plain = ev.estimate(measure_of(measure, len(ev.classes)), level=level)
    how = "pooled folds" if math.isnan(plain.low) else f"pooled folds, {plain.method}"
    pooled = replace(plain, method=how, target=of_models)
    if kind == "grouped_kfold":  # rows of a group depend on one another, which no interval here knows
        if not math.isnan(plain.value):
            pooled = replace(pooled, low=math.nan, high=math.nan, method="pooled folds", undefined=GROUPED)
        return [pooled]
    wrong = [each.label != target[each.rows] for cell, each in study.tested(dataset, learner) if cell["repeat"] == 0]
    losses = CaseLosses("error_rate", np.concatenate(wrong).astype(np.float64), fold)
    errors = [pooled_loss(losses, level, within_folds=within) for within in (False, True)]
    if kind == "leave_one_out" or not isinstance(ev, TwoClassEvaluation) or not ev.folds:
        return [pooled, *errors]
    return [pooled, *errors, fold_auc(ev.folds, level)]


def _leave_pair_out_estimate(study: Results, dataset: str, learner: str, level: float) -> Estimate:
    _, target = study.truth(dataset)
    pairs = []
    for _, rows in study.tested(dataset, learner):
        score = rows.score if rows.probability is None else rows.probability[:, 1]
        if score is None:
            nan, why = math.nan, "labels without scores"
            return Estimate("roc_auc", nan, nan, nan, level, "none", 0, "the models of these pairs", why)
        negative = int(target[rows.rows[0]] == 1)  # which of the two is the negative
        pairs.append((rows.rows[negative], rows.rows[1 - negative], score[negative], score[1 - negative]))
    negatives, positives, of_negatives, of_positives = zip(*pairs, strict=True)
    return leave_pair_out_auc(negatives, positives, of_negatives, of_positives, level)


def _bootstrap_estimates(study: Results, dataset: str, learner: str) -> list[Estimate]:
    """The left-out error by case and, where the data are at hand to fit a model to all of them, .632 and .632+."""
    _, target = study.truth(dataset)
    parts = [(rows.rows, rows.label) for _, rows in study.tested(dataset, learner)]
    fitted = study.refitted(dataset, learner)
    found = bootstrap_error(target, target if fitted is None else fitted, parts)
    return [found.leave_one_out] if fitted is None else [found.leave_one_out, found.err632, found.err632_plus]


def averaged_roc(study: Results, dataset: str, learner: str, average: Average, level: float) -> AveragedRoc | Curve:
    """One ROC curve of all splits."""
    classes, target = study.truth(dataset)
    checked_choice(average, ("vertical", "threshold", "pooled"), "average")
    if len(classes) != 2:
        raise InputError(f"data set {dataset!r} has {len(classes)} classes", "two, for a ROC curve")
    if average == "pooled":
        return study.evaluation(dataset, learner).roc
    tables = [_score_table(rows, learner) for _, rows in study.predicted(dataset, learner)]
    if not tables:
        raise AssayError(f"no split of {learner!r} on {dataset!r} is done; run or resume the study")
    if average == "threshold":
        return replace(threshold_average(tables), no_band=MOVES_BOTH_WAYS)
    return with_band(vertical_average(tables), tables, int((target == 1).sum()), study.plan.kind, level)


def _score_table(rows: Predictions, learner: str) -> ScoreTable:
    if rows.score is None:
        raise InputError(
            f"{learner!r} has predicted labels but no scores", "a learner with predict_proba or decision_function"
        )
    return ScoreTable.of(rows.score, rows.truth == 1, (rows.classes[0], rows.classes[1]))


def with_band(curve: AveragedRoc, tables: list[ScoreTable], positives: int, kind: str, level: float) -> AveragedRoc:
    """Limits of the mean recall at each false-positive rate, for the algorithm; or why there are none."""
    sizes = np.array([(table.negatives, table.positives) for table in tables], dtype=np.float64)
    why = _reason_without_band(sizes, kind)
    if why is not None:
        return replace(curve, no_band=why)
    tested = sizes[:, 1]
    limits = [
        corrected_limits(FoldScores("recall", recalls, positives - tested, tested), level, (0.0, 1.0))
        for recalls in curve.recalls.T
    ]
    is_held = curve.fpr * sizes[:, 0].min() >= FEWEST_FALSE_ALARMS - 1e-9
    low, high = (
        np.where(is_held, np.clip([getattr(one, side) for one in limits], 0.0, 1.0), math.nan)
        for side in ("low", "high")
    )
    return replace(curve, band=(low, high), level=level, method=f"{NADEAU_BENGIO}, pointwise")


def _reason_without_band(sizes: Floats, kind: str) -> str | None:
    if kind not in BANDED:
        return "the coverage of limits is verified only for one pass over folds and random splits of independent cases"
    if len(sizes) < FEWEST_SPLITS:
        return f"{counted(len(sizes), 'split')}: at least {FEWEST_SPLITS} needed"
    if sizes.min() < FEWEST_OF_A_CLASS:
        found = f"a fold has {counted(float(sizes.min()), 'case')} of a class"
        return f"{found}: at least {FEWEST_OF_A_CLASS} needed"
    return None


# With more cases the choice costs next to nothing, and making it again a thousand times takes long.
MOST_CASES = 10_000

Done = Mapping[str, Mapping[SplitId, Tried]]


def study_cautions(study: Results) -> tuple[Caution, ...]:
    """Every caution once, after the data sets it is about where those are not all."""
    held = {each["name"]: each["facts"] for each in definition_of(study.store, study.name).datasets}
    about: dict[tuple[str, str], list[str]] = {}
    for dataset in study.datasets:
        for caution in check(_study_facts(study, dataset, held.get(dataset, {}))):
            about.setdefault((caution.code, caution.message), []).append(dataset)
    return tuple(
        Caution(code, message if len(names) == len(study.datasets) else f"{', '.join(names)}: {message}")
        for (code, message), names in sorted(about.items(), key=lambda item: item[0][0])
    )


def _study_facts(study: Results, dataset: str, held: Mapping[str, Any]) -> StudyFacts:
    classes, target = study.truth(dataset)
    sizes = np.bincount(target, minlength=len(classes)).astype(np.float64).tolist()
    cells = study.store.cells(study.name, "learner", "repeat", "fold", "status", dataset=dataset)
    done, is_seen = tried(study, dataset), study.plan.kind == "resubstitution"
    beside = study.baselines
    contest = {name: splits for name, splits in done.items() if name not in beside}
    # Where one part is there to choose on, no choice is made on the other.
    is_open = not is_seen and not study.validates
    said: dict[str, Any] = (
        {"chosen": _winner_with_corrected_error(contest), "unclear": _undecided_best_pair(study, contest)}
        if is_open
        else {}
    )
    return StudyFacts(
        class_sizes=dict(zip(classes, sizes, strict=True)),
        splits=len({(cell["repeat"], cell["fold"]) for cell in cells}),
        is_resubstitution=is_seen,
        repeated=None if is_seen else _tuple_or_none(held.get("repeated")),
        id_like=None if is_seen else _tuple_or_none(held.get("id_like")),
        prepared=None if is_seen else held.get("prepared"),
        rarest=_tuple_or_none(held.get("rarest")),
        failed=_partly_failed_learners(cells),
        flattered={} if is_seen else _training_and_test_errors(study, dataset, contest),
        **said,
    )


def _tuple_or_none(found: list[Any] | None) -> Any:
    return None if found is None else tuple(found)


def _partly_failed_learners(cells: list[Mapping[str, Any]]) -> dict[str, int]:
    """Learners that failed on some splits and not on others."""
    states: dict[str, list[str]] = {}
    for cell in cells:
        states.setdefault(cell["learner"], []).append(cell["status"])
    return {name: each.count("failed") for name, each in states.items() if {"failed", "done"} <= set(each)}


def _training_and_test_errors(study: Results, dataset: str, contest: Done) -> dict[str, tuple[float, float]]:
    """The share of cases each learner has wrong among those it learned from, and among others, where both are known."""
    found = {}
    for name, splits in contest.items():
        tested = float(np.mean([each.wrong.mean() for each in splits.values()]))
        other = validation_value(study, dataset, name, "error_rate") if study.validates else tested
        found[name] = training_mean(study, dataset, name, "error_rate"), other
    return {name: pair for name, pair in found.items() if not any(map(math.isnan, pair))}


def _winner_with_corrected_error(contest: Done) -> tuple[str, int, float, float] | None:
    """The best of the learners that look at features, and what BBC-CV makes of its error."""
    if not contest or not set.intersection(*(set(splits) for splits in contest.values())):
        return None
    losses = wrong_by_case(contest)
    if len(losses) > MOST_CASES:
        means = losses.mean(0)
        return tuple(contest)[int(means.argmin())], len(contest), float(means.min()), math.nan
    best = winner(losses, tuple(contest))
    return best.name, len(contest), best.apparent, best.corrected.value


def _undecided_best_pair(study: Results, done: Done) -> tuple[str, str, str, float] | None:
    """The two best, where the splits leave open which is better."""
    means = {name: np.mean([each.wrong.mean() for each in splits.values()]) for name, splits in done.items()}
    if len(means) < 2:
        return None
    first, second = sorted(means, key=lambda name: means[name])[:2]
    shared = [split for split in done[first] if split in done[second]]
    if len(shared) < FEWEST_SPLITS:
        return first, second, "accuracy", math.nan
    if study.untestable_reason is not None:
        return None
    gap = corrected_t(_accuracy_by_fold(done[first], shared), _accuracy_by_fold(done[second], shared)).difference
    return (first, second, "accuracy", (gap.high - gap.low) / 2) if gap.low <= 0 <= gap.high else None


def _accuracy_by_fold(splits: Mapping[SplitId, Tried], shared: list[SplitId]) -> FoldScores:
    found = [splits[split] for split in shared]
    values = np.array([1 - each.wrong.mean() for each in found])
    train = np.array([each.train_cases for each in found], dtype=np.float64)
    test = np.array([len(each.rows) for each in found], dtype=np.float64)
    return FoldScores("accuracy", values, train, test)
