"""What a study found, read from its store: each learner's predictions, scores by fold, costs and failures.

Scores of learners by split, kept once worked out: every page and table of a study rests on the same ones.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.cautions import Caution
from assay.costs import Costs
from assay.curves import AveragedRoc, Curve
from assay.deprecated import with_old_names
from assay.errors import AssayError, OptionError, UnknownName
from assay.evaluation import AnyEvaluation, Comparison, evaluate
from assay.experiments import optimism as study_rows
from assay.experiments.algorithm_tests import MADE_FOR, NOT_DRAWN, AllPairs, all_pairs, compare_algorithms
from assay.experiments.database import PredictedRows
from assay.experiments.estimates import (
    CORRECTED,
    FoldScores,
    Judged,
    estimates_table,
    fold_average,
    measure_of,
    name_of,
    scored_folds,
)
from assay.experiments.findings import Average, SplitId, averaged_roc, every_estimate, study_cautions, study_winner
from assay.experiments.learners import baselines_of
from assay.experiments.optimism import (
    COSTS,
    PLACE,
    VALIDATED,
    Winner,
    compared_on_part,
    comparison_on_part,
    cost_row,
    evaluation_of_part,
    figures_rows,
    fold_rows,
    measures_table,
    optimism_table,
    refuse_unchosen,
    side_by_side_value,
    tested_if_chosen,
    unopened,
    validated_rows,
)
from assay.experiments.out_of_fold import predictions_table
from assay.experiments.plans import Plan, kfold
from assay.experiments.run_predictions import VALIDATION, as_predictions, rows_about
from assay.experiments.store import Store, definition_of
from assay.measures import Measure, expected_cost
from assay.predictions import Predictions
from assay.ranks import Ranks, rank_algorithms
from assay.request import checked_level, checked_seed
from assay.results import Estimate, Table, csv_text

# Numbers held in all: 128 MiB. Of a learner on a data set it is one for each case and four for each split.
MOST_NUMBERS = 1 << 24


class KeptScores:
    """The scores that were last asked for, as many as `most` numbers hold.

    >>> import numpy as np
    >>> kept, one = KeptScores(most=10), FoldScores("accuracy", *np.ones((3, 2)))
    >>> kept.found("a", lambda: one) is kept.found("a", lambda: None), kept.found("b", lambda: one) is one, "a" in kept
    (True, True, False)
    """

    def __init__(self, most: int = MOST_NUMBERS) -> None:
        self._most, self._held = most, 0
        self._scores: OrderedDict[Hashable, FoldScores] = OrderedDict()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._scores

    def found(self, key: Hashable, compute: Callable[[], FoldScores]) -> FoldScores:
        """What was kept under a key, or what `compute` gives, which is kept from now on."""
        if key not in self._scores:
            self._scores[key] = compute()
            self._held += _value_count(self._scores[key])
        self._scores.move_to_end(key)
        while self._held > self._most and len(self._scores) > 1:
            self._held -= _value_count(self._scores.popitem(last=False)[1])
        return self._scores[key]


def _value_count(scores: FoldScores) -> int:
    return 4 * len(scores.values) + (0 if scores.moved is None else len(scores.moved))


@with_old_names
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

    def fold_scores(self, dataset: str, learner: str, measure: str | Measure = "accuracy") -> FoldScores:
        """A measure on the test part of every split that was run, with the sizes of both parts."""
        return self._fold_scores_on(dataset, learner, measure, self._completed_splits(dataset, learner))

    def compare(
        self,
        dataset: str,
        first: str,
        second: str,
        measure: str | Measure = "accuracy",
        *,
        level: float = 0.95,
        rope: float | tuple[float, float] = 0.01,
        method: str | None = None,
        part: str | None = None,
    ) -> Table:
        """Whether one learner is better than another on a data set, by every test the splits allow.

        Differences are first less second, on the splits in which neither failed; `rope` is the difference that does not
        matter in practice. Of measures whose differences were not shown to have limits that hold, it is the difference
        alone; `method` names a test that is made all the same: "corrected-t", "paired-t", "5x2-t", "5x2-f", "bayesian".
        With `part` ("train", "validation" or "test") the fitted models are compared instead, on the cases of that part
        and by the measure's own paired test; `method` is then one of those of `assay.compare`.
        """
        level = checked_level(level)
        if part is not None:
            return compared_on_part(self, dataset, (first, second), measure, part, level, method)
        refuse_unchosen(self)
        one, other = self._shared_scores(dataset, (first, second), measure).values()
        return compare_algorithms(one, other, level, rope, method, why=self.untestable_reason)

    def pairs(
        self,
        dataset: str,
        measure: str | Measure = "accuracy",
        *,
        level: float = 0.95,
        method: str | None = None,
        adjust: str = "bonferroni",
    ) -> AllPairs:
        """All pairs of learners on a data set, with limits and p-values that hold for all of them at once.

        On the splits that every learner did; the learner that looks at no feature is in no pair.
        """
        refuse_unchosen(self)
        beside = self.baselines
        scores = self._shared_scores(dataset, [name for name in self.learners if name not in beside], measure)
        return all_pairs(scores, level, method=method, adjust=adjust, why=self.untestable_reason)

    def _shared_scores(self, dataset: str, learners: Sequence[str], measure: str | Measure) -> dict[str, FoldScores]:
        """A measure of some learners on the splits that all of them did."""
        done = {name: self._completed_splits(dataset, name) for name in learners}
        shared = set.intersection(*(set(each) for each in done.values())) if done else set()
        if not shared:
            whom = " and ".join(map(repr, learners[:2])) if len(learners) < 3 else "every learner"
            raise AssayError(f"no split of {whom} on {dataset!r} is finished; run or resume the study")
        of_each = {name: {at: key for at, key in splits.items() if at in shared} for name, splits in done.items()}
        return {name: self._fold_scores_on(dataset, name, measure, splits) for name, splits in of_each.items()}

    def estimate(
        self, dataset: str, learner: str, measure: str | Measure = "accuracy", *, level: float = 0.95
    ) -> Estimate:
        """A measure averaged over the splits, with an interval for the algorithm that made the models.

        Where the plan sets a part aside to choose on, it is that of the test part, for the learner chosen and no other.
        """
        level = checked_level(level)
        if self.validates:
            self.refuse_unknown(dataset, learner)
            return tested_if_chosen(self, dataset, learner, measure, level)
        scores = self.fold_scores(dataset, learner, measure)
        if len(scores.values) == 0:
            nan, why = float("nan"), "no finished split"
            return Estimate(name_of(measure), nan, nan, nan, level, "none", 0, "the algorithm", why)
        found = fold_average(scores, level, bounds=self._measure_bounds(dataset, measure))
        if self.untestable_reason is None:
            return found
        what = "not for given splits, unless declared random by given(random=True)"
        what = what if self.plan.kind == "given" else f"not for '{self.plan.name}'"
        why = found.undefined or f"the interval is valid for folds and random splits, {what}"
        return replace(found, low=float("nan"), high=float("nan"), undefined=why)

    def evaluation(
        self, dataset: str, learner: str, *, part: str = "test", repeat: int = 0, fold: int | None = None
    ) -> AnyEvaluation:
        """Return the evaluation of a learner's predictions for one part: error matrix, ROC curve and every measure.

        `part` "test" is the out-of-fold predictions of one repeat together, each case with the fold that predicted it:
        one repeat, since a case that is predicted ten times over is still one case. "validation" is the part set aside
        to choose on, "train" the cases that the model of one split learned from; `fold` names that split, from 0.
        """
        return evaluation_of_part(self, dataset, learner, part, repeat, fold)

    def predictions(self, dataset: str, *learners: str, part: str = "test", repeat: int | None = 0) -> Table:
        """Return the out-of-fold predictions of a data set, a row for each case and learner, with its fold.

        Of all learners but the baselines where none is named; of every repeat with `repeat=None`. `.to("pandas")` makes
        a data frame of it and `.save("oof.parquet")` a file, which every command and `assay.evaluate` read.

        >>> import assay
        >>> study = assay.experiment("iris", "nb", "swapped_halves", jobs=1)
        >>> list(study.predictions("iris", "nb").columns)
        ['id', 'fold', 'truth', 'prediction', 'proba_setosa', 'proba_versicolor', 'proba_virginica']
        """
        return predictions_table(self, dataset, learners, part, repeat)

    def comparison(
        self, dataset: str, *learners: str, part: str = "test", level: float = 0.95, repeat: int = 0
    ) -> Comparison:
        """Return the paired comparison of fitted models on the cases of one part, as `assay.compare` gives it.

        Of all learners but the baselines where none is named. It describes these models and not the algorithms, whose
        training sets vary: for those see `compare` and `pairs`.
        """
        return comparison_on_part(
            self, dataset, learners or self.candidate_learners, part, checked_level(level), repeat
        )

    def estimates(
        self, dataset: str, learner: str, measure: str | Measure = "accuracy", *, level: float = 0.95
    ) -> Table:
        """Every estimate of a learner that the plan allows, averaged and pooled, each with the model it describes."""
        level = checked_level(level)
        found = every_estimate(self, dataset, learner, measure, level)
        return replace(estimates_table(found), title=f"{learner} on {dataset} by {self.plan.name}")

    def winner(self, dataset: str, measure: str | None = None, *, level: float = 0.95, seed: int = 0) -> Winner:
        """The best learner on a data set, and how good it is once the choice is allowed for.

        Where the plan sets a part aside, it is chosen there by any measure (accuracy by default) and judged on the test
        part, which took no part in the choice. Else it is the one with the fewest errors on the cases tested, its error
        corrected by making the choice again on samples of them (BBC-CV).
        """
        level = checked_level(level)
        seed = checked_seed(seed)
        return study_winner(self, dataset, measure, level, seed)

    def optimism(self, measure: str | Measure = "accuracy") -> Table:
        """A measure on the cases learned from beside that on others, and by how much the first flatters.

        Where the plan sets a part aside to choose on, its figures stand between, and the test part is opened for the
        learner that was chosen alone.
        """
        return optimism_table(self, measure)

    @property
    def validates(self) -> bool:
        """Whether the plan sets a part aside to choose on."""
        return self.plan.kind == "train_validation_test" or (
            self.plan.kind == "given" and bool(self.store.parts(self.name, VALIDATION, 1))
        )

    @property
    def untestable_reason(self) -> str | None:
        """Why the splits are not such as those by which tests of algorithms were made, if so: drawn at random."""
        if self.plan.kind in CORRECTED or dict(self.plan.options).get("random", False):
            return None
        return NOT_DRAWN if self.plan.kind == "given" else f"{MADE_FOR}, not for '{self.plan.name}'"

    @property
    def baselines(self) -> tuple[str, ...]:
        """The learners that look at no feature: they stand in every table, and out of every test."""
        return baselines_of(definition_of(self.store, self.name).learners)

    @property
    def candidate_learners(self) -> tuple[str, ...]:
        """The learners that can be chosen: all but the baselines, unless there is nothing else."""
        beside = self.baselines
        return tuple(name for name in self.learners if name not in beside) or self.learners

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

    def costs(self, measure: str | Measure = "accuracy") -> Table:
        """Speed and size beside what they buy: means over the splits, and seconds to predict a thousand cases."""
        each = [(dataset, learner, measure) for dataset in self.datasets for learner in self.learners]
        rows = [cost_row(self, *one, side_by_side_value(self, *one)) for one in each]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        where = " on the validation part" if self.validates else ""
        return Table(columns, title=f"Costs of each fit beside {measure}{where}", digits=4)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to be careful about in this study, with the data sets concerned where those are not all."""
        return study_cautions(self)

    def table(
        self,
        measure: str | Measure | Sequence[str | Measure] = "accuracy",
        *,
        costs: Costs | None = None,
        part: str | None = None,
        level: float = 0.95,
    ) -> Table:
        """A row for each data set and learner: the measure with its interval, what failed, speed and size.

        Several measures (`["roc_auc", "f_beta(2)"]`) stand beside one another, and the expected cost of a case under
        `costs`. Where the plan sets a part aside to choose on, learners stand by it, and the one chosen (by the first
        measure) is judged on the rest. With `part` it is the evaluation of each fitted model on that part alone.
        """
        level = checked_level(level)
        each = (measure,) if isinstance(measure, str | Measure) else tuple(measure)
        each += () if costs is None else (expected_cost(costs),)
        if not each:
            raise OptionError("no measure", "at least one, such as 'accuracy'", about="measure")
        if len(each) > 1 or part is not None:
            return measures_table(self, each, part, level)
        (measure,) = each
        rows = (validated_rows if self.validates else figures_rows)(self, measure, level)
        columns = {name: [each[name] for each in rows] for name in rows[0]}
        said = f"mean over splits with {100 * level:g} % intervals for the algorithm"
        return Table(columns, title=f"{self._measure_title(measure)}, {VALIDATED if self.validates else said}")

    def wide(self, measure: str | Measure = "accuracy") -> Table:
        """A row for each data set, a column for each learner: its mean over the splits, or on the validation part."""
        means = {
            learner: [side_by_side_value(self, dataset, learner, measure) for dataset in self.datasets]
            for learner in self.learners
        }
        where = "on the validation part" if self.validates else "mean over splits"
        return Table({"dataset": list(self.datasets), **means}, title=f"{self._measure_title(measure)}, {where}")

    def folds(self, *measures: str) -> Table:
        """A row for each cell that was run: its measures and costs, or the last line of what went wrong."""
        asked = measures or ("accuracy",)
        each = [(dataset, learner) for dataset in self.datasets for learner in self.learners]
        rows = [
            row
            for pair in each
            for row in fold_rows(self, *pair, asked, self._cached_values(*pair, asked), unopened(self, *pair, asked))
        ]
        names = (*PLACE, "status", *asked, *COSTS, "error")
        return Table({name: [row[name] for row in rows] for name in names}, title="Cells", digits=6)

    def ranks(
        self, measure: str | Measure = "accuracy", *, alpha: float = 0.05, baseline: str | Sequence[str] | None = None
    ) -> Ranks:
        """The learners ranked over all data sets, with the tests that say which differ: `.critical_difference()`.

        The one that looks at no feature stands in the tables and out of the tests, unless `baseline` is "none".
        """
        refuse_unchosen(self)
        given = self.baselines if baseline is None else baseline
        rows = [
            row
            for dataset in self.datasets
            for learner in self.learners
            for row in self._value_rows(dataset, learner, measure)
        ]
        return rank_algorithms(
            dict(zip((*PLACE, name_of(measure)), map(list, zip(*rows, strict=True)), strict=True)),
            better="lower" if self.facts(measure).better == "lower" else "higher",
            alpha=alpha,
            dataset="dataset",
            algorithm="learner",
            value=name_of(measure),
            fold="fold",
            repeat="repeat",
            baseline=given or "none",
        )

    def class_counts(self, dataset: str) -> dict[str, int]:
        """How many cases of each class a data set holds."""
        classes, target = self.truth(dataset)
        return dict(zip(classes, np.bincount(target, minlength=len(classes)).tolist(), strict=True))

    def facts(self, measure: str | Measure) -> Measure:
        """What a measure is called and which way it is better, as it is defined for the first data set's classes."""
        return measure_of(measure, len(self.truth(self.datasets[0])[0]))

    def refuse_unknown_measure(self, measure: str) -> None:
        """Refuse a measure that one of the data sets cannot be judged by."""
        for dataset in self.datasets:
            measure_of(measure, len(self.truth(dataset)[0]))

    def _measure_title(self, measure: str | Measure) -> str:
        """A measure as it was asked for, with what it stands for where data sets have more than two classes."""
        of_many, called = [name for name in self.datasets if len(self.truth(name)[0]) > 2], name_of(measure)
        macro = measure_of(measure, 3).name if of_many else called
        return f"{called} ({macro} of {', '.join(of_many)})" if macro == f"macro_{called}" else called

    def to_csv(self, *measures: str) -> str:
        """The cells as comma-separated text, numbers in full: a line for each data set, learner, repeat and fold."""
        table = self.folds(*measures)
        return csv_text(table.columns, table.rows())

    def settings(self) -> Table:
        """The settings that every learner with a search chose in each fold, by its inner plan or folds of its own."""
        return Table(study_rows.settings_columns(self), title="Settings chosen in each fold")

    def failures(self) -> Table:
        """The cells in which a learner failed, with the traceback of each."""
        return Table(study_rows.failed_columns(self), title="Failed runs")

    def learners_without_results(self) -> tuple[str, ...]:
        """Learners that failed in every cell they were tried in, on every data set."""
        return study_rows.never_done(self)

    def failure_messages(self) -> tuple[str, ...]:
        """A sentence for each learner that failed in every cell: how many cells, and the reason of most of them."""
        return study_rows.reasons_of_failure(self)

    def damaged(self) -> Table:
        """Cells that were damaged in the store when it was opened: they are left out, and to do again."""
        return Table(study_rows.damaged_columns(self), title="Damaged runs")

    def stale(self) -> Table:
        """Cells that were run for what the study no longer is, and what changed since; they are kept but not used."""
        return Table(study_rows.stale_columns(self), title="Stale runs")

    def refitted(self, dataset: str, learner: str) -> NDArray[np.integer] | None:
        """What a model of all cases says of them; None here, where there is only the store."""
        return None

    def has_other_input(self, dataset: str, learner: str) -> bool:
        """Whether a learner gets other input than numbers and codes, as far as that is known here."""
        return False

    def training_rows(self, dataset: str, learner: str, fold: int, repeat: int) -> PredictedRows | None:
        """What the model of one split predicts for its training part; None here, where there is only the store."""
        return None

    def progress(self) -> dict[str, int]:
        """How many cells are to do, running, done and failed."""
        return self.store.progress(self.name)

    def _value_rows(self, dataset: str, learner: str, measure: str | Measure) -> list[tuple[str, str, int, int, float]]:
        """The place and the value of each split that is done."""
        done = self._completed_splits(dataset, learner)
        values = self._fold_scores_on(dataset, learner, measure, done).values.tolist()
        return [(dataset, learner, *split, value) for split, value in zip(done, values, strict=True)]

    def _cached_values(self, dataset: str, learner: str, measures: tuple[str, ...]) -> dict[str, dict[SplitId, float]]:
        """Measures by split, as far as they were worked out before."""
        done = self._completed_splits(dataset, learner)
        names = [name for name in measures if self._cache_key(dataset, learner, name, done) in self._kept]
        scores = {name: self._fold_scores_on(dataset, learner, name, done).values.tolist() for name in names}
        return {name: dict(zip(done, values, strict=True)) for name, values in scores.items()}

    def _completed_splits(self, dataset: str, learner: str) -> dict[SplitId, str]:
        """The splits that are done, by repeat and fold, with what identifies their cells."""
        self.refuse_unknown(dataset, learner)
        cells = self.store.cells(self.name, "repeat", "fold", "key", dataset=dataset, learner=learner, status="done")
        return {(cell["repeat"], cell["fold"]): cell["key"] for cell in cells}

    def _cache_key(
        self, dataset: str, learner: str, measure: str | Measure, splits: Mapping[SplitId, str]
    ) -> tuple[str | Measure, ...]:
        """What scores are kept by: others may add cells to the store, or put new ones in the place of old ones."""
        return dataset, learner, measure, hashlib.sha256("".join(splits.values()).encode()).hexdigest()

    def _fold_scores_on(
        self, dataset: str, learner: str, measure: str | Measure, splits: Mapping[SplitId, str]
    ) -> FoldScores:
        """A measure on these splits, worked out once."""

        def compute() -> FoldScores:
            classes, target = self.truth(dataset)
            judged = (
                Judged(cell["repeat"], cell["train_cases"], rows.rows, evaluate(as_predictions(rows, classes, target)))
                for cell, rows in self.tested(dataset, learner)
                if (cell["repeat"], cell["fold"]) in splits
            )
            return scored_folds(measure, judged, target, grouped=self.plan.kind == "grouped_kfold")

        return self._kept.found(self._cache_key(dataset, learner, measure, splits), compute)

    def predicted(self, dataset: str, learner: str) -> Iterator[tuple[Mapping[str, Any], Predictions]]:
        """Every split that is done with its predictions beside the truth."""
        classes, target = self.truth(dataset)
        for cell, rows in self.tested(dataset, learner):
            yield cell, as_predictions(rows, classes, target)

    def tested(self, dataset: str, learner: str) -> Iterator[tuple[Mapping[str, Any], PredictedRows]]:
        """Every split that is done (repeat, fold, cases learned from) with what was said of the rows it tested."""
        self.refuse_unknown(dataset, learner)
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

    def _measure_bounds(self, dataset: str, measure: str | Measure) -> tuple[float, float]:
        classes, _ = self.truth(dataset)
        return measure_of(measure, len(classes)).bounds

    def refuse_unknown(self, dataset: str, learner: str) -> None:
        """Refuse a data set or a learner that the study does not have."""
        for what, name, held in (("data set", dataset, self.datasets), ("learner", learner, self.learners)):
            if name not in held:
                raise UnknownName(f"the study has no {what} {name!r}", f"one of {', '.join(held)}")
