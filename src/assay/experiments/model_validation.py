"""Nested cross-validation: an interval for the error of the one model fitted to all cases.

How good a model of all cases is, its own figures corrected for optimism by bootstrap samples (Efron 1983, Harrell).

Each sample's model is judged on the sample and on all cases; the mean gap is what the figures of the model of all
cases are too good by. R's rms prints the same table by `validate`.

Is a learner better than chance? Its labels are permuted, and the whole plan is run again on each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtri

from assay.errors import InputError, OptionError
from assay.evaluation import evaluate
from assay.evidence import ScoreTable
from assay.experiments.containers import rows_of
from assay.experiments.database import PredictedRows
from assay.experiments.datasets import Dataset
from assay.experiments.estimates import fold_value
from assay.experiments.fitting import fitted_to, in_one_sentence
from assay.experiments.learners import Learner
from assay.experiments.plans import kfold
from assay.experiments.preparation import learner_input
from assay.experiments.run_predictions import as_predictions
from assay.experiments.splitting import Indices
from assay.experiments.task import said_by
from assay.measures import roc_auc
from assay.renderers import in_notebook
from assay.request import checked_level, checked_seed, checked_whole
from assay.results import Estimate, Table, TestResult, counted
from assay.types import Floats
from assay.uncertainty.logistic import fit_logistic, log_likelihood

if TYPE_CHECKING:
    from assay.experiments.study import Study


# Fits a model to the first rows and gives its loss on each of the second.
LossOf = Callable[[Indices, Indices], Floats]

METHOD = "nested cross-validation"
TARGET = "the model fitted to all cases"
# Below these the spread of the estimate was not simulated to hold.
FEWEST_CASES = 50
FEWEST_REPEATS = 10


def nested_cross_validation(
    loss_of: LossOf,
    y: ArrayLike,
    *,
    name: str = "error_rate",
    folds: int = 10,
    repeats: int = 50,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """The error of the model fitted to all cases, with an interval that allows for folds sharing cases.

    Leaving out one fold more shows how far a cross-validated mean strays from the error of its own model; that is the
    mean squared error behind the limits, and the bias of learning from fewer cases is taken off (Bates, Hastie &
    Tibshirani 2024). `loss_of(train, test)` fits to some rows and gives the loss of each of the others; it is called
    `repeats` x `folds` x (`folds` + 1) / 2 times.

    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(2, size=120)
    >>> x = y + rng.normal(size=120)
    >>> def loss_of(train, test):
    ...     cut = (x[train][y[train] == 1].mean() + x[train][y[train] == 0].mean()) / 2
    ...     return ((x[test] > cut) != y[test]).astype(float)
    >>> nested_cross_validation(loss_of, y, repeats=10)
    0.357 [0.262, 0.453]
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    checked_whole(folds, "folds", 3)  # two are left out at a time
    plan, seeds = kfold(folds), np.random.SeedSequence(seed).generate_state(repeats)
    rounds = [
        _nested_cross_validation_round(loss_of, [split.test for split in plan.splits(y, seed=int(own))])
        for own in seeds
    ]
    outer = float(np.mean([one.outer for one in rounds]))
    inner = float(np.mean([one.inner for one in rounds]))
    n = len(np.asarray(y))
    value = max(inner - (1 + (folds - 2) / folds) * (inner - outer), 0.0)
    error, why = _nested_standard_error(rounds, n, folds)
    half = float(ndtri(0.5 + level / 2)) * error
    high = min(value + half, 1.0) if all(one.highest <= 1 for one in rounds) else value + half
    limits = (max(value - half, 0.0), high) if why is None else (math.nan, math.nan)
    return Estimate(name, value, *limits, level, METHOD, n, TARGET, why)


@dataclass(frozen=True)
class _Round:
    """One partition: mean outer and inner losses, the squared error's estimate, and the losses' variance."""

    outer: float
    inner: float
    squared_error: float
    variance: float
    highest: float


def _nested_cross_validation_round(loss_of: LossOf, parts: list[Indices]) -> _Round:
    """Every fold left out, and every two."""
    numbers = range(len(parts))
    outer = [loss_of(_rows_of_other_folds(parts, k), parts[k]) for k in numbers]
    inner: list[list[Floats]] = [[] for _ in numbers]
    for j, k in combinations(numbers, 2):
        losses = loss_of(_rows_of_other_folds(parts, j, k), np.concatenate((parts[j], parts[k])))
        inner[k].append(losses[: len(parts[j])])
        inner[j].append(losses[len(parts[j]) :])
    within = [np.concatenate(losses) for losses in inner]
    gaps = [(a.mean() - b.mean()) ** 2 - b.var(ddof=1) / len(b) for a, b in zip(within, outer, strict=True)]
    every = np.concatenate(outer)
    return _Round(
        float(every.mean()),
        float(np.concatenate(within).mean()),
        float(np.mean(gaps)),
        float(every.var(ddof=1)),
        float(every.max()),
    )


def _rows_of_other_folds(parts: list[Indices], *left_out: int) -> Indices:
    return np.concatenate([part for k, part in enumerate(parts) if k not in left_out])


def _nested_standard_error(rounds: list[_Round], n: int, folds: int) -> tuple[float, str | None]:
    """The standard error, kept between that of independent losses and that of a single fold's; or why there is none."""
    if n < FEWEST_CASES or len(rounds) < FEWEST_REPEATS:
        found = f"{counted(n, 'case')} and {counted(len(rounds), 'repeat')}"
        return math.nan, f"{found}: at least {FEWEST_CASES} and {FEWEST_REPEATS} needed"
    least = math.sqrt(float(np.mean([one.variance for one in rounds])) / n)
    if not least > 0:
        return math.nan, "every case has the same loss, so nothing varies"
    squared = (folds - 1) / folds * float(np.mean([one.squared_error for one in rounds]))
    return min(max(math.sqrt(max(squared, 0.0)), least), math.sqrt(folds) * least), None


# Fits a model to cases and their classes (0 and 1) and gives what says how likely class 1 is for others.
Fit = Callable[[Any, NDArray[np.integer]], Callable[[Any], Floats]]

# Probabilities this near to 0 and 1 are taken for this, so that their logits are finite.
CLIP = 1e-10
REDRAWS = 100
MOST_REPLICATES = 100_000
# Each index by its name here and in R's rms.
INDICES: Mapping[str, str] = MappingProxyType(
    {
        "c_index": "C",
        "dxy": "Dxy",
        "nagelkerke_r2": "R2",
        "calibration_intercept": "Intercept",
        "calibration_slope": "Slope",
        "largest_miscalibration": "Emax",
        "discrimination": "D",
        "unreliability": "U",
        "quality": "Q",
        "brier_score": "B",
        "g_index": "g",
        "gp_index": "gp",
    }
)
EMAX, LINE = "largest_miscalibration", ("calibration_intercept", "calibration_slope")
GRID = np.arange(0.0005, 1.0, 0.0005)
NONE_HOLDS = "no verified coverage for corrected indices"


@dataclass(frozen=True, eq=False, repr=False)
class ModelValidation:
    """The indices of a model of all cases: as they are on its own cases, and corrected for optimism.

    `apparent` are those of the model on all cases; `training` and `test` the means over the samples' models on their
    sample and on all cases; `failed` counts samples whose model could not be fitted or judged.
    """

    apparent: Mapping[str, float]
    training: Mapping[str, float]
    test: Mapping[str, float]
    replicates: int
    failed: int = 0

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(self.table())

    @property
    def optimism(self) -> dict[str, float]:
        """By how much each index is off on the cases learned from: training less test.

        Of the largest miscalibration, which is that of a line, by how much it grows when the line is corrected.
        """
        gaps = {name: self.training[name] - self.test[name] for name in INDICES}
        return gaps | {EMAX: self._corrected_maximal_miscalibration() - self.apparent[EMAX]}

    @property
    def corrected(self) -> dict[str, float]:
        """Each index less its optimism: what is to be expected of new cases."""
        gaps = self.optimism
        return {name: self.apparent[name] - gaps[name] for name in INDICES} | {
            EMAX: self._corrected_maximal_miscalibration()
        }

    def table(self) -> Table:
        """A row for each index, by its name here and in R's rms."""
        return Table(
            {
                "index": list(INDICES),
                "in_rms": list(INDICES.values()),
                "apparent": [self.apparent[name] for name in INDICES],
                "training": [self.training[name] for name in INDICES],
                "test": [self.test[name] for name in INDICES],
                "optimism": [self.optimism[name] for name in INDICES],
                "corrected": [self.corrected[name] for name in INDICES],
                "samples": [self.replicates] * len(INDICES),
            },
            title=f"Validated by {counted(self.replicates, 'bootstrap sample')}; {NONE_HOLDS}",
        )

    def _corrected_maximal_miscalibration(self) -> float:
        return _maximal_miscalibration(*(self.apparent[name] - self.training[name] + self.test[name] for name in LINE))


def bootstrap_validation(fit: Fit, cases: Any, truth: Any, *, replicates: int = 200, seed: int = 0) -> ModelValidation:
    """The indices of the model of all cases, each corrected by the optimism that bootstrap samples show.

    `fit(X, y)` gives a function that says how likely class 1 is. Samples that lost a class are drawn again. Indices of
    calibration are those of the line through the logits that fits best: where none does, the sample is left out and
    counted.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3)); y = (X[:, 0] + rng.logistic(size=200) > 0).astype(int)
    >>> from sklearn.linear_model import LogisticRegression
    >>> def fit(cases, classes):
    ...     model = LogisticRegression().fit(cases, classes)
    ...     return lambda others: model.predict_proba(others)[:, 1]
    >>> found = bootstrap_validation(fit, X, y, replicates=20)
    >>> found.apparent["dxy"] > found.corrected["dxy"]
    True
    """
    checked_whole(replicates, "replicates", 2, MOST_REPLICATES)
    table, classes = cases, np.asarray(truth).astype(np.intp)
    if set(classes.tolist()) != {0, 1}:
        raise InputError("the classes are not 0 and 1", "both classes, coded 0 and 1")
    apparent = indices_of(np.asarray(fit(table, classes)(table)), classes)
    rng, kept, failed = np.random.default_rng(checked_seed(seed)), list[tuple[Floats, Floats]](), 0
    for _ in range(replicates):
        rows = _bootstrap_rows(rng, classes)
        drawn = rows_of(table, rows)
        predict = fit(drawn, classes[rows])
        pair = (
            indices_of(np.asarray(predict(drawn)), classes[rows]),
            indices_of(np.asarray(predict(table)), classes),
        )
        if any(math.isnan(each["calibration_slope"]) for each in pair):
            failed += 1
            continue
        kept.append((np.array(list(pair[0].values())), np.array(list(pair[1].values()))))
    if not kept:
        raise InputError("no bootstrap model has a calibration line", "a model with overlapping classes, or more cases")
    training, test = (
        dict(zip(apparent, np.mean(part, axis=0).tolist(), strict=True)) for part in zip(*kept, strict=True)
    )
    for each in (apparent, training, test):  # of the mean line, and not the mean over lines
        each[EMAX] = _maximal_miscalibration(*(each[name] for name in LINE))
    return ModelValidation(apparent, training, test, len(kept), failed)


def _bootstrap_rows(rng: np.random.Generator, classes: NDArray[np.intp]) -> NDArray[np.intp]:
    for _ in range(REDRAWS):
        rows = rng.integers(len(classes), size=len(classes)).astype(np.intp)
        if 0 < classes[rows].sum() < len(rows):
            return rows
    raise InputError("too many bootstrap samples have no case of a class", "more cases of each class")


def indices_of(probability: Floats, classes: NDArray[np.integer]) -> dict[str, float]:
    """Every index of some probabilities of class 1: of ranking, of explained variation, of calibration, of spread.

    D, U and Q are gains in log likelihood for each case: of the line through the logits over the class shares, of that
    line over the probabilities as they are, and of the second taken from the first. g is how far apart the logits of
    two cases lie on average, gp their probabilities.

    >>> y = np.array([0, 1, 0, 1, 1, 0])
    >>> found = indices_of(np.array([0.2, 0.6, 0.4, 0.3, 0.8, 0.5]), y)
    >>> round(found["brier_score"], 4), round(found["dxy"], 4)
    (0.19, 0.5556)
    """
    p = np.clip(probability, CLIP, 1 - CLIP)
    x, positive, n = np.log(p / (1 - p)), (classes == 1).astype(np.float64), len(classes)
    auc = float(roc_auc(ScoreTable.of(x, classes == 1)))
    ones = np.ones(n)
    design = np.column_stack([ones, x])
    fitted = fit_logistic(design, 1 - positive, positive)
    intercept, slope = fitted.coefficients.tolist()
    share = float(positive.mean())
    null = log_likelihood(np.full(n, math.log(share / (1 - share))), ones, positive)
    line = math.nan if fitted.undefined is not None else log_likelihood(design @ fitted.coefficients, ones, positive)
    gained, away = 2 * (line - null), 2 * (line - log_likelihood(x, ones, positive))
    explained, most = -math.expm1(-gained / n), -math.expm1(2 * null / n)
    d, u = (gained - 1) / n, (away - 2) / n
    calibrated = intercept + slope * x
    return {
        "c_index": auc,
        "dxy": 2 * auc - 1,
        "nagelkerke_r2": explained / most,
        "calibration_intercept": intercept,
        "calibration_slope": slope,
        EMAX: 0.0,
        "discrimination": d,
        "unreliability": u,
        "quality": d - u,
        "brier_score": float(((positive - p) ** 2).mean()),
        "g_index": apart(slope * x),
        "gp_index": apart(np.asarray(expit(calibrated))),
    }


def apart(values: Floats) -> float:
    """How far apart two of some values lie on average: Gini's mean difference.

    >>> apart(np.array([1.0, 2.0, 4.0]))
    2.0
    """
    n, ordered = len(values), np.sort(values)
    return float(2 * ((2 * np.arange(1, n + 1) - n - 1) @ ordered) / (n * (n - 1)))


def _maximal_miscalibration(intercept: float, slope: float) -> float:
    """By how much the line that would recalibrate moves a probability at most."""
    return float(np.abs(GRID - expit(intercept + slope * np.log(GRID / (1 - GRID)))).max())


NULL = "the labels are independent of the features"
TEST = "permutation test against chance"
IN_ORDER = {
    "time_series": "rows of a time series are not exchangeable, so labels cannot be permuted",
    "resubstitution": "a model tested on its training cases is always better than chance",
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
        kept = f"the plan '{study.plan.name}' reserves its test part for the selected learner"
        raise OptionError(kept, "a plan of folds", about="plan")
    scores = study.fold_scores(data.name, learner.name, measure)
    value = float(np.mean(scores.values)) if len(scores.values) else float("nan")
    if not np.isfinite(value):
        raise InputError(
            f"{measure} of {learner.name!r} on {data.name!r} is undefined in some split", "another measure"
        )
    facts = study.facts(measure)
    if facts.better not in ("higher", "lower"):
        raise OptionError(
            f"{measure} is neither to be maximized nor minimized", "a measure with a direction", about="measure"
        )
    found = np.array(
        [
            _mean_score_for_labels(study, data, learner, measure, labels)
            for labels in _permuted_labels(data, permutations, seed)
        ]
    )
    within = "" if data.groups is None else " within groups"
    return AgainstChance(data.name, learner.name, measure, value, found, facts.better, within)


def _permuted_labels(data: Dataset, permutations: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """The labels in another order each time; those of groups stay in their groups."""
    groups = data.groups
    if groups is not None and not any(np.ptp(data.target[groups == group]) for group in np.unique(groups)):
        found = f"all cases of a group of data set {data.name!r} have one class, so no labels can be permuted"
        raise InputError(found, "groups with several classes")
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


def _mean_score_for_labels(study: Study, data: Dataset, learner: Learner, measure: str, target: Any) -> float:
    values, how = [], learner_input(data, learner)
    for split in study.plan.each(target, data.groups, study.seed, data.splits, data.time):
        with in_one_sentence(learner.name):
            estimator = fitted_to(learner.build(study.seed), rows_of(how.X, split.train), target[split.train], how)
            said = said_by(estimator, rows_of(how.X, split.test), len(data.classes), how.spelling)
        rows = PredictedRows(split.test, said.label, said.probability, said.score)
        values.append(fold_value(evaluate(as_predictions(rows, data.classes, target)), measure))
    return float(np.mean(values))
