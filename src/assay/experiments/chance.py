"""Is a learner better than chance? Its labels are permuted, and the whole plan is run again on each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.evaluation import evaluate
from assay.experiments._fitting import fitted_to, in_one_sentence
from assay.experiments._judging import as_predictions
from assay.experiments._packed import PredictedRows
from assay.experiments.containers import rows_of
from assay.experiments.datasets import Dataset
from assay.experiments.learners import Learner
from assay.experiments.preparation import learner_input
from assay.experiments.scoring import fold_value
from assay.experiments.task import said_by
from assay.renderers import in_notebook
from assay.request import checked_seed, checked_whole
from assay.results import Table, TestResult, counted

if TYPE_CHECKING:
    from assay.experiments.study import Study

NULL = "labels have nothing to do with the columns: any order of them is as likely"
TEST = "permutation test against chance"
IN_ORDER = {
    "time_series": "rows that follow one another in time are not exchangeable, so that permuted labels are no chance",
    "resubstitution": "a model tested on the cases it learned from beats chance whatever they hold",
}


@dataclass(frozen=True, eq=False, repr=False)
class AgainstChance:
    """A measure of a learner beside what the same plan gives for permuted labels.

    `values` are those of the permuted labels; p is (1 + those at least as good) / (1 + permutations), which is valid
    for any number of them and cannot be smaller than 1 / (1 + permutations).
    """

    dataset: str
    learner: str
    measure: str
    value: float
    values: NDArray[np.float64]
    better: str
    within: str = ""

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return self.words()

    @property
    def p_value(self) -> float:
        """How often labels that mean nothing do as well."""
        at_least = self.values <= self.value if self.better == "lower" else self.values >= self.value
        return float((1 + at_least.sum()) / (1 + len(self.values)))

    @property
    def test(self) -> TestResult:
        """The test as a record."""
        method = f"{counted(len(self.values), 'permutation')}{self.within}"
        return TestResult(TEST, NULL, self.value, self.p_value, method)

    def words(self) -> str:
        """What was found, in a sentence."""
        low, middle, high = (f"{float(each):.4g}" for each in np.quantile(self.values, (0, 0.5, 1)))
        return (
            f"{self.learner} on {self.dataset}: {self.measure} {self.value:.4g}; with permuted labels {middle} in the "
            f"middle, from {low} to {high} ({self.test.method}); p = {self.p_value:.3g}. It tells whether anything was "
            "learned, not how much: see the estimate and its interval."
        )

    def table(self) -> Table:
        """One row."""
        row = {
            "dataset": self.dataset,
            "learner": self.learner,
            self.measure: self.value,
            "chance_median": float(np.median(self.values)),
            "chance_best": float(self.values.min() if self.better == "lower" else self.values.max()),
            "permutations": len(self.values),
            "p_value": self.p_value,
        }
        return Table({name: [value] for name, value in row.items()}, title=f"{TEST}; null: {NULL}")


def against_chance(
    study: Study, data: Dataset, learner: Learner, measure: str, *, permutations: int, seed: int
) -> AgainstChance:
    """Run the plan of a study on permuted labels, and say how often they do as well as the true ones did.

    References: Ojala & Garriga (2010); Phipson & Smyth (2010) on the p-value.
    """
    permutations, seed = checked_whole(permutations, "permutations", 1, 100_000), checked_seed(seed)
    if study.plan.kind in IN_ORDER:
        raise OptionError(f"the plan is '{study.plan.name}': {IN_ORDER[study.plan.kind]}", "another plan", about="plan")
    if study.validates:
        kept = f"the plan '{study.plan.name}' keeps its test part for the learner that is chosen"
        raise OptionError(kept, "a plan of folds, to hold any learner against chance", about="plan")
    scores = study.fold_scores(data.name, learner.name, measure)
    value = float(np.mean(scores.values)) if len(scores.values) else float("nan")
    if not np.isfinite(value):
        raise InputError(
            f"{measure} of {learner.name!r} on {data.name!r} is undefined in some split", "another measure"
        )
    facts = study.facts(measure)
    if facts.better not in ("higher", "lower"):
        raise OptionError(
            f"neither high nor low values of {measure} are better", "a measure with a direction", about="measure"
        )
    found = np.array(
        [_of_labels(study, data, learner, measure, labels) for labels in _permuted(data, permutations, seed)]
    )
    within = "" if data.groups is None else " within groups"
    return AgainstChance(data.name, learner.name, measure, value, found, facts.better, within)


def _permuted(data: Dataset, permutations: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """The labels in another order each time; those of groups stay in their groups."""
    groups = data.groups
    if groups is not None and not any(np.ptp(data.target[groups == group]) for group in np.unique(groups)):
        found = f"all cases of a group of data set {data.name!r} have one class, so that nothing can be permuted in it"
        raise InputError(found, "groups that hold several classes")
    # scikit-learn's own generator and steps, so that its permutation_test_score gives the same p-value.
    rng = np.random.RandomState(seed)
    for _ in range(permutations):
        order = np.arange(len(data))
        if groups is None:
            order = rng.permutation(len(data))
        else:
            for group in np.unique(groups):
                order[groups == group] = rng.permutation(order[groups == group])
        yield data.target[order]


def _of_labels(study: Study, data: Dataset, learner: Learner, measure: str, target: Any) -> float:
    values, how = [], learner_input(data, learner)
    for split in study.plan.each(target, data.groups, study.seed, data.splits, data.time):
        with in_one_sentence(learner.name):
            estimator = fitted_to(learner.build(study.seed), rows_of(how.X, split.train), target[split.train], how)
            said = said_by(estimator, rows_of(how.X, split.test), len(data.classes), how.spelling)
        rows = PredictedRows(split.test, said.label, said.probability, said.score)
        values.append(fold_value(evaluate(as_predictions(rows, data.classes, target)), measure))
    return float(np.mean(values))
