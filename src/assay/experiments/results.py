"""What a study found, read from its store: each learner's predictions, scores by fold, costs and failures."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.cautions import Caution
from assay.curves import AveragedRoc, Curve
from assay.errors import AssayError, UnknownName
from assay.evaluation import AnyEvaluation, evaluate
from assay.experiments._judging import as_predictions, follow, rows_about
from assay.experiments._kept import KeptScores
from assay.experiments.algorithms import compare_algorithms
from assay.experiments.estimates import CORRECTED, FoldScores, estimates_table, fold_average
from assay.experiments.findings import Average, SplitId, averaged_roc, every_estimate, study_winner
from assay.experiments.plans import Plan, kfold
from assay.experiments.scoring import Judged, fold_value, measure_of, scored_folds
from assay.experiments.selection import Winner
from assay.experiments.store import Store
from assay.experiments.study_facts import study_cautions
from assay.experiments.task import PredictedRows
from assay.measures import Measure
from assay.predictions import Predictions
from assay.ranks import Ranks, rank_algorithms
from assay.request import checked_level, checked_seed
from assay.results import Estimate, Table, csv_text

PLACE = ("dataset", "learner", "repeat", "fold")
COSTS = ("fit_seconds", "predict_seconds", "model_bytes")


@dataclass(frozen=True)
class Results:
    """A study as its store holds it: nothing here fits a model, so that a study can be read while others still run it.

    `datasets` and `learners` are the names in the order in which the study was given them.
    """

    store: Store
    name: str
    datasets: tuple[str, ...]
    learners: tuple[str, ...]
    plan: Plan = field(default_factory=kfold)
    _kept: KeptScores = field(default_factory=KeptScores, init=False, repr=False, compare=False)

    def fold_scores(self, dataset: str, learner: str, measure: str = "accuracy") -> FoldScores:
        """A measure on the test part of every split that was run, with the sizes of both parts."""
        return self._scored(dataset, learner, measure, self._done(dataset, learner))

    def compare(
        self,
        dataset: str,
        first: str,
        second: str,
        measure: str = "accuracy",
        *,
        level: float = 0.95,
        rope: float | tuple[float, float] = 0.01,
    ) -> Table:
        """Whether one learner is better than another on a data set, by every test the splits allow.

        Differences are first less second, on the splits in which neither failed; `rope` is the difference that does not
        matter in practice.
        """
        level = checked_level(level)
        done = {learner: self._done(dataset, learner) for learner in (first, second)}
        both = done[first].keys() & done[second].keys()
        if not both:
            raise AssayError(f"no split of {first!r} and {second!r} on {dataset!r} is done; run or resume the study")
        one, other = (
            self._scored(
                dataset, learner, measure, {split: key for split, key in done[learner].items() if split in both}
            )
            for learner in (first, second)
        )
        return compare_algorithms(one, other, level, rope)

    def estimate(self, dataset: str, learner: str, measure: str = "accuracy", *, level: float = 0.95) -> Estimate:
        """A measure averaged over the splits, with an interval for the algorithm that made the models."""
        level = checked_level(level)
        scores = self.fold_scores(dataset, learner, measure)
        if len(scores.values) == 0:
            nan, why = float("nan"), "no split of it is done"
            return Estimate(measure, nan, nan, nan, level, "none", 0, "the algorithm", why)
        found = fold_average(scores, level, bounds=self._bounds(dataset, measure))
        if self.plan.kind in CORRECTED:
            return found
        why = found.undefined or f"the interval was made for folds and random splits, not for '{self.plan.name}'"
        return replace(found, low=float("nan"), high=float("nan"), undefined=why)

    def evaluation(self, dataset: str, learner: str, *, repeat: int = 0) -> AnyEvaluation:
        """The out-of-fold predictions of one repeat together, each case with the fold that predicted it.

        One repeat, since a case that is predicted ten times over is still one case.
        """
        parts = [rows for cell, rows in self.predicted(dataset, learner) if cell["repeat"] == repeat]
        if not parts:
            raise AssayError(
                f"no fold of repeat {repeat} of {learner!r} on {dataset!r} is done; run or resume the study"
            )
        together: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("truth", "score", "decision", "probability")
            if all(getattr(part, name) is not None for part in parts)
        }
        fold = np.repeat(np.arange(len(parts)), [len(part) for part in parts]) if len(parts) > 1 else None
        if "score" in together and follow(together["decision"], together["score"]):
            del together["decision"]  # a threshold says as much, and can be moved
        return evaluate(Predictions(parts[0].classes, **together, fold=fold))

    def estimates(self, dataset: str, learner: str, measure: str = "accuracy", *, level: float = 0.95) -> Table:
        """Every estimate of a learner that the plan allows, averaged and pooled, each with the model it describes."""
        level = checked_level(level)
        found = every_estimate(self, dataset, learner, measure, level)
        return replace(estimates_table(found), title=f"{learner} on {dataset} by {self.plan.name}")

    def winner(self, dataset: str, *, level: float = 0.95, seed: int = 0) -> Winner:
        """The learner with the fewest errors on a data set, and its error once the choice is allowed for (BBC-CV)."""
        level = checked_level(level)
        seed = checked_seed(seed)
        return study_winner(self, dataset, level, seed)

    def roc(
        self, dataset: str, learner: str, average: Average = "vertical", *, level: float = 0.95
    ) -> AveragedRoc | Curve:
        """One ROC curve of all splits: their mean recall at each false-positive rate (`vertical`, with a band for the
        algorithm), the mean of both rates at each score (`threshold`), or the cases of one repeat together (`pooled`).

        Scores of different models need not compare, which only the first allows for.
        """
        level = checked_level(level)
        return averaged_roc(self, dataset, learner, average, level)

    def has_scores(self, dataset: str, learner: str) -> bool:
        """Whether a learner gave scores or probabilities for a data set, and not labels alone."""
        first = next(self.tested(dataset, learner), None)
        return first is not None and (first[1].score is not None or first[1].probability is not None)

    def costs(self, measure: str = "accuracy") -> Table:
        """Speed and size beside what they buy: means over the splits, and seconds to predict a thousand cases."""
        rows = [self._cost_row(dataset, learner, measure) for dataset in self.datasets for learner in self.learners]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        return Table(columns, title=f"Costs of each fit beside {measure}", digits=4)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to be careful about in this study, with the data sets concerned where those are not all."""
        return study_cautions(self)

    def table(self, measure: str = "accuracy", *, level: float = 0.95) -> Table:
        """A row for each data set and learner: the measure with its interval, what failed, speed and size."""
        level = checked_level(level)
        rows = [self._row(dataset, learner, measure, level) for dataset in self.datasets for learner in self.learners]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        said = f"mean over splits with {100 * level:g} % intervals for the algorithm"
        return Table(columns, title=f"{self._called(measure)}, {said}")

    def wide(self, measure: str = "accuracy") -> Table:
        """A row for each data set, a column for each learner: the measure's mean over the splits."""
        means = {
            learner: [self.estimate(dataset, learner, measure).value for dataset in self.datasets]
            for learner in self.learners
        }
        return Table({"dataset": list(self.datasets), **means}, title=f"{self._called(measure)}, mean over splits")

    def folds(self, *measures: str) -> Table:
        """A row for each cell that was run: its measures and costs, or the last line of what went wrong."""
        asked = measures or ("accuracy",)
        rows = [
            row
            for dataset in self.datasets
            for learner in self.learners
            for row in self._fold_rows(dataset, learner, asked)
        ]
        names = (*PLACE, "status", *asked, *COSTS, "error")
        return Table({name: [row[name] for row in rows] for name in names}, title="Cells", digits=6)

    def ranks(self, measure: str = "accuracy", *, alpha: float = 0.05) -> Ranks:
        """The learners ranked over all data sets, with the tests that say which differ: `.critical_difference()`."""
        rows = [
            row
            for dataset in self.datasets
            for learner in self.learners
            for row in self._done_rows(dataset, learner, measure)
        ]
        return rank_algorithms(
            dict(zip((*PLACE, measure), map(list, zip(*rows, strict=True)), strict=True)),
            better="lower" if self.facts(measure).better == "lower" else "higher",
            alpha=alpha,
            dataset="dataset",
            algorithm="learner",
            value=measure,
            fold="fold",
            repeat="repeat",
        )

    def class_counts(self, dataset: str) -> dict[str, int]:
        """How many cases of each class a data set holds."""
        classes, target = self.truth(dataset)
        return dict(zip(classes, np.bincount(target, minlength=len(classes)).tolist(), strict=True))

    def facts(self, measure: str) -> Measure:
        """What a measure is called and which way it is better, as it is defined for the first data set's classes."""
        return measure_of(measure, len(self.truth(self.datasets[0])[0]))

    def refuse_unknown_measure(self, measure: str) -> None:
        """Refuse a measure that one of the data sets cannot be judged by."""
        for dataset in self.datasets:
            measure_of(measure, len(self.truth(dataset)[0]))

    def _called(self, measure: str) -> str:
        """A measure as it was asked for, with what it stands for where data sets have more than two classes."""
        of_many = [name for name in self.datasets if len(self.truth(name)[0]) > 2]
        macro = measure_of(measure, 3).name if of_many else measure
        return f"{measure} ({macro} of {', '.join(of_many)})" if macro == f"macro_{measure}" else measure

    def to_csv(self, *measures: str) -> str:
        """The cells as comma-separated text, numbers in full: a line for each data set, learner, repeat and fold."""
        table = self.folds(*measures)
        return csv_text(table.columns, table.rows())

    def failures(self) -> Table:
        """The cells in which a learner failed, with the traceback of each."""
        cells = self.store.cells(self.name, *PLACE, "error", status="failed")
        return Table({name: [cell[name] for cell in cells] for name in (*PLACE, "error")}, title="Failed cells")

    def failed_always(self) -> tuple[str, ...]:
        """Learners that failed in every cell they were tried in, on every data set."""
        states: dict[str, set[str]] = {name: set() for name in self.learners}
        for cell in self.store.cells(self.name, "learner", "status"):
            states.setdefault(cell["learner"], set()).add(cell["status"])
        return tuple(name for name, each in states.items() if each == {"failed"})

    def damaged(self) -> Table:
        """Cells that were damaged in the store when it was opened: they are left out, and to do again."""
        cells = self.store.damaged(self.name)
        return Table({name: [_legible(cell[name]) for cell in cells] for name in PLACE}, title="Damaged cells")

    def stale(self) -> Table:
        """Cells that were run for what the study no longer is, and what changed since; they are kept but not used."""
        now = {tuple(cell[name] for name in PLACE): cell for cell in self.store.cells(self.name)}
        cells = [cell for cell in self.store.cells(self.name, stale=True) if cell["status"] in ("done", "failed")]
        columns = {name: [cell[name] for cell in cells] for name in PLACE}
        columns["because"] = [self._change(cell, now.get(tuple(cell[name] for name in PLACE))) for cell in cells]
        return Table(columns, title="Stale cells")

    def refitted(self, dataset: str, learner: str) -> NDArray[np.integer] | None:
        """What a model of all cases says of them; None here, where there is only the store."""
        return None

    def progress(self) -> dict[str, int]:
        """How many cells are to do, running, done and failed."""
        return self.store.progress(self.name)

    def _change(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        if new is None:
            gone = [
                kind for kind, held in (("dataset", self.datasets), ("learner", self.learners)) if old[kind] not in held
            ]
            return (
                f"the {gone[0].replace('dataset', 'data set')} is no longer in the study"
                if gone
                else "the plan changed"
            )
        changed = {"data_hash": "the data", "learner_hash": "the learner", "split_hash": "the plan"}
        what = next((words for name, words in changed.items() if old[name] != new[name]), "the seed or the inner plan")
        return f"{what} changed"

    def _row(self, dataset: str, learner: str, measure: str, level: float) -> dict[str, Any]:
        found = self.estimate(dataset, learner, measure, level=level)
        cells = self.store.cells(self.name, "status", *COSTS, dataset=dataset, learner=learner)
        done = [cell for cell in cells if cell["status"] == "done"]
        return {
            "dataset": dataset,
            "learner": learner,
            measure: found.value,
            "low": found.low,
            "high": found.high,
            "method": found.method,
            "splits": len(done),
            "failed": sum(cell["status"] == "failed" for cell in cells),
            **{name: _mean([cell[name] for cell in done]) for name in COSTS[:2]},
            "model_bytes": _whole_mean([cell["model_bytes"] for cell in done]),
            "undefined": found.undefined or "",
        }

    def _cost_row(self, dataset: str, learner: str, measure: str) -> dict[str, Any]:
        cells = self.store.cells(self.name, *COSTS, "train_cases", dataset=dataset, learner=learner, status="done")
        scores = self.fold_scores(dataset, learner, measure)
        means = {name: _mean([cell[name] for cell in cells]) for name in COSTS}
        return {
            "dataset": dataset,
            "learner": learner,
            measure: _mean(scores.values.tolist()),
            "cases": _mean([cell["train_cases"] for cell in cells]),
            "fit_seconds": means["fit_seconds"],
            "slowest_fit": max((cell["fit_seconds"] for cell in cells), default=float("nan")),
            "predict_1000_seconds": 1000 * means["predict_seconds"] / (_mean(scores.test.tolist()) or float("nan")),
            "model_kilobytes": means["model_bytes"] / 1000,
        }

    def _done_rows(self, dataset: str, learner: str, measure: str) -> list[tuple[str, str, int, int, float]]:
        """The place and the value of each split that is done."""
        done = self._done(dataset, learner)
        values = self._scored(dataset, learner, measure, done).values.tolist()
        return [(dataset, learner, *split, value) for split, value in zip(done, values, strict=True)]

    def _fold_rows(self, dataset: str, learner: str, measures: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        done = self._done(dataset, learner)
        known = {name for name in measures if self._key(dataset, learner, name, done) in self._kept}
        scores = {
            name: dict(zip(done, self._scored(dataset, learner, name, done).values, strict=True)) for name in known
        }
        others = [name for name in measures if name not in known]
        classes, target = self.truth(dataset)
        wanted = (*PLACE, "status", *COSTS, "error", *(["predictions"] if others else []))
        for cell in self.store.cells(self.name, *wanted, dataset=dataset, learner=learner):
            said = cell["predictions"] if others else None
            ev = None if said is None else evaluate(as_predictions(rows_about(said, classes, target), classes, target))
            split = cell["repeat"], cell["fold"]
            values = {name: float(scores[name].get(split, math.nan)) for name in known}
            values |= {name: math.nan if ev is None else fold_value(ev, name) for name in others}
            error = (cell["error"] or "").strip().rpartition("\n")[2]
            yield {**cell, **values, "error": error}

    def _done(self, dataset: str, learner: str) -> dict[SplitId, str]:
        """The splits that are done, by repeat and fold, with what identifies their cells."""
        self._refuse_unknown(dataset, learner)
        cells = self.store.cells(self.name, "repeat", "fold", "key", dataset=dataset, learner=learner, status="done")
        return {(cell["repeat"], cell["fold"]): cell["key"] for cell in cells}

    def _key(self, dataset: str, learner: str, measure: str, splits: Mapping[SplitId, str]) -> tuple[str, ...]:
        """What scores are kept by: others may add cells to the store, or put new ones in the place of old ones."""
        return dataset, learner, measure, hashlib.sha256("".join(splits.values()).encode()).hexdigest()

    def _scored(self, dataset: str, learner: str, measure: str, splits: Mapping[SplitId, str]) -> FoldScores:
        """A measure on these splits, worked out once."""

        def compute() -> FoldScores:
            classes, target = self.truth(dataset)
            judged = (
                Judged(cell["repeat"], cell["train_cases"], rows.rows, evaluate(as_predictions(rows, classes, target)))
                for cell, rows in self.tested(dataset, learner)
                if (cell["repeat"], cell["fold"]) in splits
            )
            return scored_folds(measure, judged, target, grouped=self.plan.kind == "grouped_kfold")

        return self._kept.found(self._key(dataset, learner, measure, splits), compute)

    def predicted(self, dataset: str, learner: str) -> Iterator[tuple[Mapping[str, Any], Predictions]]:
        """Every split that is done with its predictions beside the truth."""
        classes, target = self.truth(dataset)
        for cell, rows in self.tested(dataset, learner):
            yield cell, as_predictions(rows, classes, target)

    def tested(self, dataset: str, learner: str) -> Iterator[tuple[Mapping[str, Any], PredictedRows]]:
        """Every split that is done (repeat, fold, cases learned from) with what was said of the rows it tested."""
        self._refuse_unknown(dataset, learner)
        wanted = ("repeat", "fold", "train_cases", "predictions")
        classes, target = self.truth(dataset)
        for cell in self.store.cells(self.name, *wanted, dataset=dataset, learner=learner, status="done"):
            yield cell, rows_about(cell["predictions"], classes, target)

    def truth(self, dataset: str) -> tuple[tuple[str, ...], NDArray[np.int64]]:
        """The classes of a data set, and the true one of every row as a code into them."""
        cells = self.store.cells(self.name, "data_hash", dataset=dataset)
        if not cells:
            raise UnknownName(f"the study has no data set {dataset!r}", f"one of {', '.join(self.datasets)}")
        classes, labels = self.store.truth(self.name, cells[0]["data_hash"])
        return classes, labels.astype(np.int64)

    def _bounds(self, dataset: str, measure: str) -> tuple[float, float]:
        classes, _ = self.truth(dataset)
        return measure_of(measure, len(classes)).bounds

    def _refuse_unknown(self, dataset: str, learner: str) -> None:
        for what, name, held in (("data set", dataset, self.datasets), ("learner", learner, self.learners)):
            if name not in held:
                raise UnknownName(f"the study has no {what} {name!r}", f"one of {', '.join(held)}")


def _legible(value: Any) -> str:
    return str(value)[:80].encode("utf-8", "backslashreplace").decode("utf-8")


def _whole_mean(values: list[Any]) -> float:
    mean = _mean(values)
    return mean if math.isnan(mean) else round(mean)


def _mean(values: list[Any]) -> float:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else float("nan")
