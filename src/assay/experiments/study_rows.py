"""Rows of a study's tables: a learner on a data set with its interval, its costs, and why a cell is stale."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.evaluation import evaluate
from assay.experiments._judging import as_predictions, rows_about
from assay.experiments._parts import TRAIN, settings_in
from assay.experiments.scoring import fold_value, name_of
from assay.measures import Measure
from assay.text import error_line

if TYPE_CHECKING:
    from assay.experiments.results import Results

PLACE = ("dataset", "learner", "repeat", "fold")
OTHER_INPUT = "what the learner is given (its data and labels as they are, encoding inside the fold), or the seed,"
COSTS = ("fit_seconds", "predict_seconds", "model_bytes")


def figures_rows(study: Results, measure: str | Measure, level: float) -> list[dict[str, Any]]:
    """A measure's mean over the splits with its interval, what failed, speed and size."""
    each = [(dataset, learner) for dataset in study.datasets for learner in study.learners]
    return [_figures_row(study, *pair, measure, level) for pair in each]


def _figures_row(study: Results, dataset: str, learner: str, measure: str | Measure, level: float) -> dict[str, Any]:
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
        "model_bytes": _whole_mean([cell["model_bytes"] for cell in done]),
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
        said.append(f"every cell of {name!r} failed ({len(cells):,}): {why}")
    return tuple(said)


def stale_columns(study: Results) -> dict[str, list[Any]]:
    """The cells that were run for what the study no longer is, and what changed since."""
    now = {tuple(cell[name] for name in PLACE): cell for cell in study.store.cells(study.name)}
    cells = [cell for cell in study.store.cells(study.name, stale=True) if cell["status"] in ("done", "failed")]
    because = [_change_of(study, cell, now.get(tuple(cell[name] for name in PLACE))) for cell in cells]
    return {name: [cell[name] for cell in cells] for name in PLACE} | {"because": because}


def _change_of(study: Results, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
    """Why a cell is no longer of the study."""
    if new is None:
        kinds = (("dataset", study.datasets), ("learner", study.learners))
        gone = [kind.replace("dataset", "data set") for kind, held in kinds if old[kind] not in held]
        return f"the {gone[0]} is no longer in the study" if gone else "the plan changed"
    changed = {"data_hash": "the data", "learner_hash": "the learner", "split_hash": "the plan"}
    other = OTHER_INPUT if study.is_given_otherwise(old["dataset"], old["learner"]) else "the seed or the inner plan"
    what = next((words for name, words in changed.items() if old[name] != new[name]), other)
    return f"{what} changed"


def mean_of(values: list[Any]) -> float:
    """The mean of what is known."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else float("nan")


def _whole_mean(values: list[Any]) -> float:
    mean = mean_of(values)
    return mean if math.isnan(mean) else round(mean)
