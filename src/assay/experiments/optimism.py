"""Training, validation and test side by side: by how much the first flatters, and the learner chosen on the second.

How good the winner is: the best of several settings looks better than it is on the cases it was chosen on.

Rows of a study's tables: a learner on a data set with its interval, its costs, and why a cell is stale.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.comparison import Difference
from assay.errors import AssayError, OptionError
from assay.evaluation import AnyEvaluation, Comparison, compare, evaluate
from assay.experiments.algorithm_tests import table_of_tests
from assay.experiments.estimates import ROUNDING, fold_value, measure_of, name_of
from assay.experiments.run_predictions import (
    TEST,
    TRAIN,
    VALIDATION,
    as_predictions,
    pooled_rows,
    rows_about,
    settings_in,
    training_value,
)
from assay.measures import Measure
from assay.predictions import Predictions
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level, checked_seed
from assay.results import Estimate, NullDistribution, Table, counted
from assay.text import error_line, number

if TYPE_CHECKING:
    from assay.experiments.findings import SplitId
    from assay.experiments.results import Results


METHOD = "BBC-CV"
REPLICATES = 1000
# Below this no interval was simulated.
FEWEST_CASES = 50
# Replicates gone through at once: the block of their counts stays small.
BLOCK = 250


@dataclass(frozen=True)
class Winner:
    """The setting with the lowest mean loss, what it seemed to lose, and what it is to be expected to lose.

    `apparent` is the figure it was chosen by, on `chosen_on` and as the best of so many `candidates`; `corrected` is
    free of the choice: made again on samples of the cases, or of cases that took no part in it. `optimism` is the gap.
    """

    name: str
    apparent: float
    corrected: Estimate
    candidates: int = 1
    chosen_on: str = "the cases tested"
    better: str = "lower"

    _repr_html_ = in_notebook

    @property
    def optimism(self) -> float:
        """By how much the winner looked better than it is to be expected."""
        gap = self.corrected.value - self.apparent
        return -gap if self.better == "higher" else gap


def winner(
    losses: ArrayLike, names: tuple[str, ...] = (), *, level: float = 0.95, seed: int = 0, name: str = "error_rate"
) -> Winner:
    """The best of several settings and its loss, corrected for having been chosen (BBC-CV, Tsamardinos et al. 2018).

    `losses[i, c]` is the loss of case i under setting c by a model that did not see it. The choice is made again on
    bootstrap samples of the cases, and each winner judged on the cases its sample left out; no model is fitted again.
    The limits are quantiles of those judgements.

    >>> noise = np.random.default_rng(3).integers(2, size=(60, 20)).astype(float)
    >>> found = winner(noise)
    >>> found.apparent, found.corrected
    (0.4, 0.529 [0.364, 0.700])
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    table = np.asarray(losses, dtype=np.float64)
    n, settings = table.shape
    called = names or tuple(str(k) for k in range(settings))
    best = int(table.mean(0).argmin())
    judged = _out_of_bag_winner_losses(table, np.random.default_rng(seed))
    value = float(judged.mean())
    low, high = (float(limit) for limit in np.quantile(judged, [0.5 - level / 2, 0.5 + level / 2]))
    limits, why = (min(low, value), max(high, value)), None
    if n < FEWEST_CASES:
        limits, why = (math.nan, math.nan), f"{counted(n, 'case')}: at least {FEWEST_CASES} needed"
    target = f"the winner of {settings} settings, selected again on all cases"
    corrected = Estimate(name, value, *limits, level, METHOD, n, target, why)
    return Winner(called[best], float(table[:, best].mean()), corrected, settings)


def winners_table(winners: Mapping[str, Winner]) -> Table:
    """The winner on each data set: the error it was chosen by, and the one to expect of it."""
    found = list(winners.values())
    if any(one.corrected.method != METHOD for one in found):
        return _winner_test_table(winners)
    columns: dict[str, list[str] | list[float]] = {
        "dataset": list(winners),
        "winner": [one.name for one in found],
        "apparent_error": [one.apparent for one in found],
        "corrected_error": [one.corrected.value for one in found],
        "low": [one.corrected.low for one in found],
        "high": [one.corrected.high for one in found],
        "optimism": [one.optimism for one in found],
        "estimates": [one.corrected.target for one in found],
        "no interval because": [one.corrected.undefined or "" for one in found],
    }
    return Table(columns, title=f"Winners, their error corrected for the selection ({METHOD})")


def _winner_test_table(winners: Mapping[str, Winner]) -> Table:
    """Winners chosen on one part and judged on another."""
    found = list(winners.values())
    columns: dict[str, list[Any]] = {
        "dataset": list(winners),
        "winner": [one.name for one in found],
        "candidates": [one.candidates for one in found],
        "measure": [one.corrected.name for one in found],
        "validation": [one.apparent for one in found],
        "test": [one.corrected.value for one in found],
        "low": [one.corrected.low for one in found],
        "high": [one.corrected.high for one in found],
        "method": [one.corrected.method for one in found],
        "optimism": [one.optimism for one in found],
        "estimates": [one.corrected.target for one in found],
        "no interval because": [one.corrected.undefined or "" for one in found],
    }
    return Table(columns, title="Winners, selected on the validation part and evaluated on the test part")


def _out_of_bag_winner_losses(table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The loss of each sample's winner on what the sample left out."""
    n = len(table)
    found = []
    for _ in range(0, REPLICATES, BLOCK):
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=BLOCK)
        out = drawn == 0
        best = (drawn @ table).argmin(1)
        losses = np.where(out, table[:, best].T, 0.0).sum(1)
        found.append(losses[out.any(1)] / out.sum(1)[out.any(1)])
    return np.concatenate(found)


PLACE = ("dataset", "learner", "repeat", "fold")
OTHER_INPUT = "the preparation of the data (as given, encoded inside the fold), or the seed,"
COSTS = ("fit_seconds", "predict_seconds", "model_bytes")


def figures_rows(study: Results, measure: str | Measure, level: float) -> list[dict[str, Any]]:
    """A measure's mean over the splits with its interval, what failed, speed and size."""
    each = [(dataset, learner) for dataset in study.datasets for learner in study.learners]
    return [_estimate_row(study, *pair, measure, level) for pair in each]


def _estimate_row(study: Results, dataset: str, learner: str, measure: str | Measure, level: float) -> dict[str, Any]:
    found = study.estimate(dataset, learner, measure, level=level)
    return {
        "dataset": dataset,
        "learner": learner,
        name_of(measure): found.value,
        "low": found.low,
        "high": found.high,
        "method": found.method,
        **run_row(study, dataset, learner),
        "undefined": found.undefined or "",
    }


def run_row(study: Results, dataset: str, learner: str) -> dict[str, Any]:
    """How many splits are done and failed, and what they cost on average."""
    cells = study.store.cells(study.name, "status", *COSTS, dataset=dataset, learner=learner)
    done = [cell for cell in cells if cell["status"] == "done"]
    return {
        "splits": len(done),
        "failed": sum(cell["status"] == "failed" for cell in cells),
        **{name: mean_of([cell[name] for cell in done]) for name in COSTS[:2]},
        "model_bytes": _rounded_mean([cell["model_bytes"] for cell in done]),
    }


def fold_rows(
    study: Results,
    dataset: str,
    learner: str,
    measures: tuple[str, ...],
    known: Mapping[str, Mapping[tuple[int, int], float]],
    unopened: set[str],
) -> Iterator[dict[str, Any]]:
    """Every cell of a learner: its measures (those not `known` are worked out now) and costs, or what went wrong.

    Measures whose test part is not opened for this learner are nan.
    """
    others = [name for name in measures if name not in known and name not in unopened]
    classes, target = study.truth(dataset)
    wanted = (*PLACE, "status", *COSTS, "error", *(["predictions"] if others else []))
    for cell in study.store.cells(study.name, *wanted, dataset=dataset, learner=learner):
        said = cell["predictions"] if others else None
        ev = None if said is None else evaluate(as_predictions(rows_about(said, classes, target), classes, target))
        split = cell["repeat"], cell["fold"]
        values = {name: float(scores.get(split, math.nan)) for name, scores in known.items()}
        values |= {name: math.nan if ev is None else fold_value(ev, name) for name in others}
        values |= dict.fromkeys(unopened, math.nan)
        error = (cell["error"] or "").strip().rpartition("\n")[2]
        yield {**cell, **values, "error": error}


def cost_row(study: Results, dataset: str, learner: str, measure: str | Measure, value: float) -> dict[str, Any]:
    """Speed and size beside what they buy, a value of the measure."""
    cells = study.store.cells(study.name, *COSTS, "train_cases", dataset=dataset, learner=learner, status="done")
    scores = study.fold_scores(dataset, learner, measure)
    means = {name: mean_of([cell[name] for cell in cells]) for name in COSTS}
    return {
        "dataset": dataset,
        "learner": learner,
        name_of(measure): value,
        "cases": mean_of([cell["train_cases"] for cell in cells]),
        "fit_seconds": means["fit_seconds"],
        "slowest_fit": max((cell["fit_seconds"] for cell in cells), default=float("nan")),
        "predict_1000_seconds": 1000 * means["predict_seconds"] / (mean_of(scores.test.tolist()) or float("nan")),
        "model_kilobytes": means["model_bytes"] / 1000,
    }


def failed_columns(study: Results) -> dict[str, list[Any]]:
    """The cells in which a learner failed, with the traceback of each."""
    cells = study.store.cells(study.name, *PLACE, "error", status="failed")
    return {name: [cell[name] for cell in cells] for name in (*PLACE, "error")}


def settings_columns(study: Results) -> dict[str, list[Any]]:
    """The settings that searches chose, a row for each cell of such a learner."""
    cells = {cell["key"]: cell for cell in study.store.cells(study.name, "key", *PLACE, status="done")}
    kept = study.store.parts(study.name, TRAIN)
    chosen = {key: settings_in(kept[key]["figures"]) for key in cells if key in kept}
    found = [(cells[key], settings) for key, settings in chosen.items() if settings is not None]
    order = {name: place for place, name in enumerate((*study.datasets, *study.learners))}
    found.sort(key=lambda one: tuple(order.get(one[0][name], one[0][name]) for name in PLACE))
    names = dict.fromkeys(name for _, settings in found for name in settings)
    columns: dict[str, list[Any]] = {name: [cell[name] for cell, _ in found] for name in PLACE}
    return columns | {name: [settings.get(name) for _, settings in found] for name in names}


def damaged_columns(study: Results) -> dict[str, list[str]]:
    """The cells that were damaged when the store was opened, as text that any terminal can show."""

    def legible(value: Any) -> str:
        return str(value)[:80].encode("utf-8", "backslashreplace").decode("utf-8")

    cells = study.store.damaged(study.name)
    return {name: [legible(cell[name]) for cell in cells] for name in PLACE}


def never_done(study: Results) -> tuple[str, ...]:
    """The learners of which every cell failed."""
    states: dict[str, set[str]] = {name: set() for name in study.learners}
    for cell in study.store.cells(study.name, "learner", "status"):
        states.setdefault(cell["learner"], set()).add(cell["status"])
    return tuple(name for name, each in states.items() if each == {"failed"})


def reasons_of_failure(study: Results) -> tuple[str, ...]:
    """Why each learner that failed in every cell did so, the reason of most of its cells."""
    said = []
    for name in never_done(study):
        cells = study.store.cells(study.name, "error", learner=name, status="failed")
        ((why, _),) = Counter(error_line(cell["error"] or "") for cell in cells).most_common(1)
        said.append(f"every run of {name!r} failed ({len(cells):,}): {why}")
    return tuple(said)


def stale_columns(study: Results) -> dict[str, list[Any]]:
    """The cells that were run for what the study no longer is, and what changed since."""
    now = {tuple(cell[name] for name in PLACE): cell for cell in study.store.cells(study.name)}
    cells = [cell for cell in study.store.cells(study.name, stale=True) if cell["status"] in ("done", "failed")]
    because = [_reason_cell_outdated(study, cell, now.get(tuple(cell[name] for name in PLACE))) for cell in cells]
    return {name: [cell[name] for cell in cells] for name in PLACE} | {"because": because}


def _reason_cell_outdated(study: Results, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
    """Why a cell is no longer of the study."""
    if new is None:
        kinds = (("dataset", study.datasets), ("learner", study.learners))
        gone = [kind.replace("dataset", "data set") for kind, held in kinds if old[kind] not in held]
        return f"the {gone[0]} is no longer in the study" if gone else "the plan changed"
    changed = {"data_hash": "the data", "learner_hash": "the learner", "split_hash": "the plan"}
    other = OTHER_INPUT if study.has_other_input(old["dataset"], old["learner"]) else "the seed or the inner plan"
    what = next((words for name, words in changed.items() if old[name] != new[name]), other)
    return f"{what} changed"


def mean_of(values: list[Any]) -> float:
    """The mean of what is known."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else float("nan")


def _rounded_mean(values: list[Any]) -> float:
    mean = mean_of(values)
    return mean if math.isnan(mean) else round(mean)


PARTS = (TRAIN, VALIDATION, TEST)
NO_TRAINING_PREDICTIONS = (
    "the training predictions of a plan with several splits are not stored; call experiment() with the data sets and "
    "learners, or open the study with to_run=True, and they are made by fitting the model again"
)
VALIDATED = "on the training and the validation part, and of the selected one on the test part"
OF_PART = {
    TRAIN: "these fitted models on {} of the training part: optimistic",
    VALIDATION: "these fitted models on the same {} of the validation part",
    TEST: "these fitted models on the same {} of the test part",
}

NOT_KEPT = "only the confusion matrix and the usual measures of scores of the training part are stored"
NOT_RECORDED = "the training part was not recorded: no run, or run by an earlier release"
NOT_OPENED = "the test part is used only for the selected learner"
NO_INTERVAL = "no verified coverage for optimism; see the intervals of the test measures"
UNTOUCHED = "this model, on cases that were used neither for fitting nor for selection"
CHOSEN_ON = "the validation part"


def training_mean(study: Results, dataset: str, learner: str, measure: str | Measure) -> float:
    """A measure on the cases learned from, averaged over the splits; nan where it was not recorded of every split."""
    return mean_of_all(list(_training_values(study, dataset, learner, measure).values()))


def mean_of_all(values: list[float]) -> float:
    """The mean, if every value is known."""
    return float(np.mean(values)) if values else math.nan


def _training_values(study: Results, dataset: str, learner: str, measure: str | Measure) -> dict[str, float]:
    done = study.store.cells(study.name, "key", dataset=dataset, learner=learner, status="done")
    kept = study.store.parts(study.name, TRAIN, dataset=dataset, learner=learner)
    classes, _ = study.truth(dataset)
    figures = {cell["key"]: kept[cell["key"]]["figures"] if cell["key"] in kept else None for cell in done}
    return {key: training_value(each, measure, classes) for key, each in figures.items()}


def predictions_of_part(
    study: Results, dataset: str, learner: str, part: str, repeat: int, fold: int | None
) -> dict[SplitId, Predictions]:
    """Return the predictions for one part of every split of a repeat that is done, or of the one split `fold`."""
    checked_choice(part, PARTS, "part")
    study.refuse_unknown(dataset, learner)
    if part == VALIDATION and not study.validates:
        found = f"the plan '{study.plan.name}' has no validation part"
        raise OptionError(found, "'test', 'train', or the plan train_validation_test()", about="part")
    wanted: dict[str, Any] = {"dataset": dataset, "learner": learner, "repeat": repeat, "status": "done"}
    wanted |= {} if fold is None else {"fold": fold}
    done = study.store.cells(study.name, "repeat", "fold", **wanted)
    splits = [(cell["repeat"], cell["fold"]) for cell in done]
    if not splits:
        which = f"repeat {repeat}" if fold is None else f"fold {fold} of repeat {repeat}"
        raise AssayError(f"no finished split of {which} of {learner!r} on {dataset!r}; run or resume the study")
    if part == TEST:
        tested = study.predicted(dataset, learner)
        return {at: rows for cell, rows in tested if (at := (cell["repeat"], cell["fold"])) in splits}
    if part == TRAIN and len(splits) > 1:
        found = f"the training parts of {len(splits)} splits share their cases"
        raise OptionError(found, "the training part of one split", {"fold": splits[0][1]}, about="part")
    classes, target = study.truth(dataset)
    stored = study.store.parts(study.name, part, dataset=dataset, learner=learner)
    of_split = {cell["key"]: (cell["repeat"], cell["fold"]) for cell in done}
    rows = {of_split[key]: each["predictions"] for key, each in stored.items() if key in of_split}
    if part == TRAIN:
        packed = rows.get(splits[0])
        fitted = None if packed is not None else study.training_rows(dataset, learner, splits[0][1], repeat)
        if packed is None and fitted is None:
            raise AssayError(NO_TRAINING_PREDICTIONS)
        said = rows_about(packed, classes, target) if packed is not None else fitted
        assert said is not None
        return {splits[0]: as_predictions(said, classes, target)}
    return {at: as_predictions(rows_about(each, classes, target), classes, target) for at, each in rows.items()}


def evaluation_of_part(
    study: Results, dataset: str, learner: str, part: str = TEST, repeat: int = 0, fold: int | None = None
) -> AnyEvaluation:
    """Return the evaluation of one learner's predictions for one part."""
    found = predictions_of_part(study, dataset, learner, part, repeat, fold)
    if not found:
        raise AssayError(f"no prediction of {learner!r} for the {part} part of {dataset!r} is stored; run the study")
    return evaluate(pooled_rows(list(found.values())))


def comparison_on_part(
    study: Results, dataset: str, learners: Sequence[str], part: str, level: float, repeat: int = 0
) -> Comparison:
    """Return the paired comparison of fitted models on the cases of one part that all of them predicted."""
    each = {name: predictions_of_part(study, dataset, name, part, repeat, None) for name in learners}
    shared = [at for at in next(iter(each.values()), {}) if all(at in found for found in each.values())]
    if not shared:
        raise AssayError(f"no split of {part} predictions on {dataset!r} is done by every learner; resume the study")
    models = {name: evaluate(pooled_rows([found[at] for at in shared])) for name, found in each.items()}
    return compare(models, level=level)


def compared_on_part(
    study: Results,
    dataset: str,
    pair: tuple[str, str],
    measure: str | Measure,
    part: str,
    level: float,
    method: str | None,
) -> Table:
    """Return one row: the difference of two fitted models on the cases of a part, with its interval and test."""
    facts = measure_of(measure, len(study.truth(dataset)[0]))
    comparison = comparison_on_part(study, dataset, pair, part, level)
    gap = comparison.difference(facts, *pair, level=level, method=method)
    note = gap.undefined or OF_PART[part].format(counted(comparison.n, "case"))
    statistic = math.nan if gap.statistic is None else gap.statistic
    numbers = gap.value, gap.low, gap.high, statistic, _critical_value(gap, level), gap.p_value
    return table_of_tests([(gap.method, *numbers, note)], f"Two models on the {part} part")


def _critical_value(gap: Difference, level: float) -> float:
    if gap.statistic is None or gap.freedom is None:
        return math.nan
    of_t = () if math.isinf(gap.freedom) else (gap.freedom,)
    return NullDistribution("t" if of_t else "normal", of_t).critical_value(level)


def validation_of(study: Results, dataset: str, learner: str) -> AnyEvaluation:
    """Return the evaluation of the predictions for the validation part."""
    return evaluation_of_part(study, dataset, learner, VALIDATION)


def validation_value(study: Results, dataset: str, learner: str, measure: str | Measure) -> float:
    """A measure on the part set aside to choose on; nan where nothing of it is done."""
    try:
        return fold_value(validation_of(study, dataset, learner), measure)
    except AssayError:
        return math.nan


def chosen(study: Results, dataset: str, measure: str | Measure, level: float) -> Winner:
    """The learner that is best on the part to choose on, judged on the test part, which no choice has seen."""
    classes, _ = study.truth(dataset)
    facts = measure_of(measure, len(classes))
    if facts.better == "neither":
        raise AssayError(f"neither high nor low values of {measure} are better, so it cannot be used for selection")
    sign = 1 if facts.better == "higher" else -1
    values = {name: validation_value(study, dataset, name, measure) for name in study.candidate_learners}
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    if not known:
        raise AssayError(f"no learner has a value on the validation part of {dataset!r}; run or resume the study")
    best = max(known, key=lambda name: sign * known[name])
    tested = study.evaluation(dataset, best).estimate(facts, level=level)
    return Winner(best, known[best], replace(tested, target=UNTOUCHED), len(known), CHOSEN_ON, facts.better)


def tested_if_chosen(study: Results, dataset: str, learner: str, measure: str | Measure, level: float) -> Estimate:
    """A measure on the test part, of the learner that was chosen on the other part; of the rest why there is none."""
    winner = _winner_or_none(study, dataset, measure, level)
    if winner is not None and winner.name == learner:
        return winner.corrected
    return Estimate(name_of(measure), math.nan, math.nan, math.nan, level, "none", 0, UNTOUCHED, NOT_OPENED)


def side_by_side_value(study: Results, dataset: str, learner: str, measure: str | Measure) -> float:
    """What learners stand beside one another by: the mean over splits or, where there is one, the part to choose on."""
    if study.validates:
        return validation_value(study, dataset, learner, measure)
    return study.estimate(dataset, learner, measure).value


def unopened(study: Results, dataset: str, learner: str, measures: Sequence[str]) -> set[str]:
    """The measures by which a learner was not chosen, where the plan sets a part aside to choose on."""
    if not study.validates:
        return set()
    winners = {name: _winner_or_none(study, dataset, name, 0.95) for name in measures}
    return {name for name, winner in winners.items() if winner is None or winner.name != learner}


def refuse_unchosen(study: Results) -> None:
    """Refuse to hold learners against one another on the test part: that would be to choose there."""
    if study.validates:
        raise AssayError(f"{NOT_OPENED}; see study.winner and study.optimism, or type --winner or --optimism")


def about_choice(winner: Winner) -> str:
    """What to think of the figure by which a learner was chosen.

    >>> tested = Estimate("accuracy", 0.8, 0.7, 0.9, 0.95, "Wilson", 100, UNTOUCHED)
    >>> about_choice(Winner("tree", 0.9, tested, 4, CHOSEN_ON, "higher"))
    'the best of 4 on the cases used for selection: 0.900 (optimistic), 0.800 on new cases'
    """
    if winner.candidates < 2:
        return f"the only one, {number(winner.apparent)} on the validation part"
    was, now = number(winner.apparent), number(winner.corrected.value)
    bias = "optimistic" if winner.optimism > 0 else "tends to be optimistic"
    return f"the best of {winner.candidates:,} on the cases used for selection: {was} ({bias}), {now} on new cases"


def validated_rows(study: Results, measure: str | Measure, level: float) -> list[dict[str, Any]]:
    """Every learner by its training and its validation part and, if it was chosen by that, by the test part."""
    winners = {dataset: _winner_or_none(study, dataset, measure, level) for dataset in study.datasets}
    return [
        _validated_row(study, dataset, learner, measure, winners[dataset])
        for dataset in study.datasets
        for learner in study.learners
    ]


def _validated_row(
    study: Results, dataset: str, learner: str, measure: str | Measure, winner: Winner | None
) -> dict[str, Any]:
    is_chosen = winner is not None and winner.name == learner
    found = winner.corrected if winner is not None and is_chosen else None
    nan = math.nan
    return {
        "dataset": dataset,
        "learner": learner,
        "training": training_mean(study, dataset, learner, measure),
        "validation": validation_value(study, dataset, learner, measure),
        name_of(measure): nan if found is None else found.value,
        "low": nan if found is None else found.low,
        "high": nan if found is None else found.high,
        "method": "" if found is None else found.method,
        **run_row(study, dataset, learner),
        "undefined": NOT_OPENED if winner is None or found is None else found.undefined or about_choice(winner),
    }


def measures_table(study: Results, measures: Sequence[str | Measure], part: str | None, level: float) -> Table:
    """Return a row for each data set and learner with several measures and their limits, or those on one part.

    Where the plan sets a part aside to choose on, that is the part, and the learner chosen by the first measure has a
    row of the test part below.
    """
    names = [name_of(one) for one in measures]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"duplicate measure {twice!r}", "each measure once", about="measure")
    rows = []
    for dataset in study.datasets:
        chosen_by = _winner_or_none(study, dataset, measures[0], level) if part is None and study.validates else None
        for learner in study.learners:
            whole = VALIDATION if part is None and study.validates else part
            rows.append(_row_of_measures(study, dataset, learner, measures, whole, level))
            if chosen_by is not None and chosen_by.name == learner:
                rows.append(_row_of_measures(study, dataset, learner, measures, TEST, level))
    has_limits = [name for name in names if any(not math.isnan(row[f"{name}_low"]) for row in rows)]
    limits = [f"{name}_{end}" for name in names for end in ("low", "high")]
    dropped = {one for one in limits if one.rpartition("_")[0] not in has_limits}
    columns = {name: [row[name] for row in rows] for name in rows[0] if name not in dropped}
    if not any(columns["note"]):
        del columns["note"]
    if part is not None:
        said = f"of each fitted model on the {part} part, with {100 * level:g} % intervals"
    elif study.validates:
        said = f"on the validation part, and of the learner chosen by {names[0]} on the test part"
    else:
        said = f"mean over splits with {100 * level:g} % intervals for the algorithm"
    return Table(columns, title=f"{', '.join(names)}, {said}")


def _row_of_measures(
    study: Results, dataset: str, learner: str, measures: Sequence[str | Measure], part: str | None, level: float
) -> dict[str, Any]:
    row: dict[str, Any] = {"dataset": dataset, "learner": learner, **({} if part is None else {"part": part})}
    reasons: dict[str, list[str]] = {}
    for one in measures:
        name = name_of(one)
        try:
            found = (
                study.estimate(dataset, learner, one, level=level)
                if part is None
                else evaluation_of_part(study, dataset, learner, part).estimate(
                    measure_of(one, len(study.truth(dataset)[0])), level=level
                )
            )
        except AssayError as error:
            found = Estimate(name, math.nan, math.nan, math.nan, level, "none", 0, undefined=str(error))
        row |= {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
        if found.undefined:
            reasons.setdefault(found.undefined, []).append(name)
    runs = run_row(study, dataset, learner)
    why = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    return row | {"splits": runs["splits"], "failed": runs["failed"], "note": why}


def _winner_or_none(study: Results, dataset: str, measure: str | Measure, level: float) -> Winner | None:
    try:
        return chosen(study, dataset, measure, level)
    except AssayError:
        return None


def optimism_table(study: Results, measure: str | Measure) -> Table:
    """A row for each data set and learner: the measure by part, and by how much the training part flatters."""
    winners = {
        name: _winner_or_none(study, name, measure, 0.95) if study.validates else None for name in study.datasets
    }
    row = partial(_optimism_row, study, measure)
    rows = [row(name, learner, winners[name]) for name in study.datasets for learner in study.learners]
    title = f"{measure} by part, and the optimism of the training part"
    return Table({name: [each[name] for each in rows] for name in rows[0]}, title=title)


def _optimism_row(
    study: Results, measure: str | Measure, dataset: str, learner: str, winner: Winner | None
) -> dict[str, Any]:
    trained = training_mean(study, dataset, learner, measure)
    row: dict[str, Any] = {"dataset": dataset, "learner": learner, "training": trained}
    better = measure_of(measure, len(study.truth(dataset)[0])).better
    if not study.validates:
        values = study.fold_scores(dataset, learner, measure).values.tolist()
        tested = mean_of_all(values)
        note = _missing_training_note(study, trained, dataset, learner)
        return row | {"test": tested, "optimism": flattery(trained, tested, better), "against": "test", "note": note}
    aside = validation_value(study, dataset, learner, measure)
    if winner is not None and winner.name == learner:
        tested, note = winner.corrected.value, f"chosen: {about_choice(winner)}"
        gap, against = flattery(trained, tested, better), "test"
    else:
        tested, note = math.nan, _missing_training_note(study, trained, dataset, learner)
        gap, against = flattery(trained, aside, better), "validation"
    return row | {"validation": aside, "test": tested, "optimism": gap, "against": against, "note": note}


def _missing_training_note(study: Results, trained: float, dataset: str, learner: str) -> str:
    if not math.isnan(trained):
        return NO_INTERVAL
    done = study.store.cells(study.name, "key", dataset=dataset, learner=learner, status="done")
    kept = study.store.parts(study.name, TRAIN, dataset=dataset, learner=learner)
    is_recorded = bool(done) and all(cell["key"] in kept for cell in done)
    return f"no figure: {NOT_KEPT}" if is_recorded else NOT_RECORDED


def flattery(trained: float, tested: float, better: str) -> float:
    """By how much a figure on cases learned from is better than on others, whichever way is better.

    >>> flattery(1.0, 0.75, "higher"), flattery(0.0, 0.25, "lower")
    (0.25, 0.25)
    """
    gap = trained - tested if better == "higher" else tested - trained
    return 0.0 if abs(gap) < ROUNDING else gap
