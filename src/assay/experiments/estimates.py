"""How good an algorithm is, from the splits of a plan: each estimate says of which model, or models, it speaks.

The error of an algorithm from bootstrap samples: on what they left out, and mixed with the apparent error.

The AUC of an algorithm from pairs left out: each model ranks one negative against one positive it never saw.

A measure on every split that was tested, and how far each case moves its mean over them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from assay.comparison import score_influence
from assay.errors import UnknownName
from assay.evaluation import Evaluation
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.experiments.datasets import numbered
from assay.experiments.splitting import Split
from assay.measures import (
    Measure,
    certain_and_wrong,
    certain_and_wrong_classes,
    find,
    find_for_many,
    matrix_influence,
    registry,
    registry_of_many,
)
from assay.request import checked_level
from assay.results import Estimate, Interval, Table, counted
from assay.types import Floats
from assay.uncertainty import AucMoments, cross_validated_auc, delong_logit

NADEAU_BENGIO = "Nadeau-Bengio corrected t"
BAYLE_OUT, BAYLE_IN = "Bayle, spread about the mean", "Bayle, spread within folds"
# Plans whose splits the corrected interval was made for; of the others the mean is given without one.
CORRECTED = ("grouped_kfold", "kfold", "repeated_kfold", "shuffle")
# Equal decimal fractions differ by about this much once computed.
ROUNDING = 1e-12
# Of splits, below which a spread over them says next to nothing; and of cases, below which nothing was simulated.
FEWEST_SPLITS, FEWEST_CASES = 5, 30
# Of cases between the mean and the nearer end of its range (of an accuracy: wrong ones, or right ones). With fewer,
# nearly every split has the same value: over ten times ten folds the corrected interval covered .85.
FEWEST_OFF_THE_END = 2
# Of means of losses values alone do not tell how much the cases vary: folds that hold the classes in equal parts hide
# it. A constant's Brier score was covered .00 to .73 by the spread over splits alone, a weak learner's .29 to .99.
HIDDEN = "only the mean of each split is known, and stratified folds hide its variance"
# Ranking measures: over splits that test each case once their mean was covered .93 to .99, over others .85 to 1. All
# further ones fall short somewhere: over ten folds kappa of weak learners was covered .70 to 1, F1 .89 to 1, average
# precision .73 to .99, and over ten times ten folds .37 and more.
NOT_SHOWN = (
    "no verified coverage for averages over splits, except of accuracy, error rate, losses and, for two classes, ROC "
    "AUC was"
)
NOT_BY_CASE = "its coverage is verified only with influence values of single cases, not for groups or means alone"
TESTED_TWICE = (
    "cases are tested more than once, where the coverage of its interval is .85 to 1; use one pass of k folds"
)
# A standard error of less than what one average case adds to the mean. What stratifying and training on fewer cases do
# is of that order and in no spread: of equal classes, a constant's Brier score was covered .68 to .91, its skill less.
TOO_ALIKE = "the losses of the cases vary too little: the standard error is below the effect of one average case"
# Of each class where probabilities are judged: with fewer, the mean of a loss was covered .90 over ten times ten folds.
FEWEST_OF_A_CLASS = 20
# Of cases, and of wrong ones and right ones among them: with fewer Bayle's interval covered .85 to .91 where the
# learner had 20 features to weigh, and nobody can tell from losses how steady a learner is.
FEWEST_FOR_BAYLE, FEWEST_OF_EITHER = 500, 10

MODELS: Mapping[str, str] = MappingProxyType(
    {
        NADEAU_BENGIO: "no single model: the average of the algorithm over training sets of this size",
        BAYLE_OUT: "the average of the models of these folds; not one refitted to all cases",
        BAYLE_IN: "the average of the models of these folds; not one refitted to all cases",
        "LeDell, n - 1, logit": "the average of the models of these folds; not one refitted to all cases",
        "nested cross-validation": "the one model fitted to all cases",
        ".632": "the one model fitted to all cases, estimated by models of bootstrap samples",
        ".632+": "the one model fitted to all cases, estimated by models of bootstrap samples",
        "leave-one-out bootstrap": "models of samples of about 63 % of the cases; too high for one of all cases",
        "pairs left out": "models of all cases but two, similar to the one fitted to all; not other training sets",
        "BBC-CV": "the winner of the same selection on all cases",
    }
)


@dataclass(frozen=True, eq=False)
class FoldScores:
    """A measure's value on each split of a plan, and how many cases each learned from and was tested on.

    Where the cases are at hand, `moved` says how far each moves the mean of the values (of a loss: its own less the
    mean, over the number of cases), `one_case` how far the mean is from the nearer end of its range, over that number,
    `smallest` how many cases the smallest class has where that matters, and `refusal` what else speaks against limits.

    >>> scores = FoldScores("accuracy", np.array([0.8, 0.9]), np.array([90.0, 90.0]), np.array([10.0, 10.0]))
    >>> round(scores.ratio, 4)
    0.1111
    """

    name: str
    values: Floats
    train: Floats
    test: Floats
    repeat: NDArray[np.integer] | None = None
    moved: Floats | None = None
    one_case: float = 0.0
    smallest: float = math.inf
    refusal: str | None = None

    @classmethod
    def of(cls, name: str, values: ArrayLike, splits: Sequence[Split]) -> FoldScores:
        """The values in the order of the splits that gave them."""
        sizes = np.array([(len(split.train), len(split.test)) for split in splits], dtype=np.float64)
        repeats = np.array([split.repeat for split in splits])
        return cls(name, np.asarray(values, dtype=np.float64), sizes[:, 0], sizes[:, 1], repeats)

    @property
    def ratio(self) -> float:
        """Cases tested on for each case learned from, over all splits."""
        return float(self.test.sum() / self.train.sum())

    @property
    def kind(self) -> Literal["share", "loss", "ranking"] | None:
        """What an interval of the mean rests on, by the measure of this name; None where none was shown to hold."""
        measure = registry.get(self.name) or registry_of_many.get(self.name)
        return None if measure is None or measure.over_folds is None else measure.over_folds.kind

    @property
    def cases(self) -> float:
        """Cases in all, learned from or tested on."""
        return float((self.train + self.test).max())

    @property
    def spread(self) -> float:
        """The variance of the mean by the spread of the values, which share cases (Nadeau & Bengio 2003)."""
        if not varies(self.values):
            return 0.0
        return float(self.values.var(ddof=1)) * (1 / len(self.values) + self.ratio)

    @property
    def least(self) -> float:
        """The variance that independent cases alone give the mean, however steady folds make it look; 0 if unknown."""
        if self.moved is not None:
            return float(self.moved @ self.moved)
        mean = float(self.values.mean())
        return mean * (1 - mean) / self.cases if self.kind == "share" else 0.0

    @property
    def is_alike(self) -> bool:
        """Whether the mean seems to vary by less than one average case, so that nothing tells how it does."""
        return math.sqrt(max(self.spread, self.least)) < self.one_case

    @property
    def untold(self) -> str | None:
        """Why neither the spread nor the cases tell how a mean of these values varies, if so."""
        return self.refusal or (TOO_ALIKE if self.is_alike else None)

    @property
    def is_five_by_two(self) -> bool:
        """Whether the splits are five repeats of two folds."""
        return self.repeat is not None and self.repeat.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


@dataclass(frozen=True, eq=False)
class CaseLosses:
    """The loss of each case under the one model that did not learn from it, and the fold that model left out.

    >>> losses = CaseLosses("error_rate", np.array([0.0, 1.0, 0.0]), np.array([0, 0, 1]))
    >>> losses.fold_means.tolist()
    [0.5, 0.0]
    """

    name: str
    loss: Floats
    fold: NDArray[np.integer]

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Cases of each fold."""
        return np.bincount(self.fold)

    @property
    def fold_means(self) -> Floats:
        """Mean loss of each fold; averaged they differ from the pooled mean where folds differ in size."""
        return np.asarray(np.bincount(self.fold, self.loss) / self.sizes)


def fold_average(scores: FoldScores, level: float = 0.95, bounds: tuple[float, float] | None = (0.0, 1.0)) -> Estimate:
    """The mean over splits, with an interval for the algorithm over training sets of this size.

    Splits share cases, so that the spread of J values is no guide by itself: Nadeau & Bengio (2003) take
    (1/J + tested/learned) times it for the variance of the mean. Limits are cut at `bounds`, the measure's range, and
    refused where splits crowd at an end of it: some lie on it, and their mean within two cases of it. The variance is
    taken to be no less than what the cases' own losses give: of an accuracy, that of a share of as many cases.

    >>> values = np.array([0.81, 0.79, 0.86, 0.77, 0.80, 0.84, 0.79, 0.83, 0.80, 0.81])
    >>> fold_average(FoldScores("accuracy", values, np.full(10, 9000.0), np.full(10, 1000.0)))
    0.810 [0.782, 0.838]
    """
    level = checked_level(level)
    mean = float(scores.values.mean())
    # What has no range is a difference, or an optimism.
    why = None if bounds is None else _reason_without_interval(scores)
    found = corrected_limits(scores, level, bounds) if why is None else Interval.missing(NADEAU_BENGIO, why)
    low, high = (found.low, found.high) if bounds is None else np.clip((found.low, found.high), *bounds).tolist()
    target = f"the algorithm, learning from {scores.train.mean():.0f} cases"
    undefined = "a split has no value" if math.isnan(mean) else found.undefined
    return Estimate(scores.name, mean, low, high, level, found.method, float(scores.test.sum()), target, undefined)


def _reason_without_interval(scores: FoldScores) -> str | None:
    """Why no interval of this measure's mean over such splits was shown to hold, if so."""
    if scores.kind != "ranking":
        return NOT_SHOWN if scores.kind is None else None
    if scores.moved is None:
        return NOT_BY_CASE
    is_one_pass = math.isclose(float(scores.test.sum()), scores.cases)
    return None if is_one_pass else TESTED_TWICE


def corrected_limits(scores: FoldScores, level: float, bounds: tuple[float, float] | None = None) -> Interval:
    """Limits of the mean of values that splits sharing cases gave (Nadeau & Bengio 2003)."""
    is_a_gap = bounds is None and scores.moved is None
    variance = max(scores.spread, 0.0 if is_a_gap else scores.least)
    why = _reason_without_limits(scores, variance, bounds)
    if why is not None:
        return Interval.missing(NADEAU_BENGIO, why)
    mean, df = float(scores.values.mean()), len(scores.values) - 1
    half = float(stdtrit(df, 0.5 + level / 2)) * math.sqrt(variance)
    return Interval(mean - half, mean + half, NADEAU_BENGIO)


def _reason_without_limits(scores: FoldScores, variance: float, bounds: tuple[float, float] | None) -> str | None:
    """Why the mean of splits has no limits, if so."""
    if len(scores.values) < FEWEST_SPLITS:
        return f"{counted(len(scores.values), 'split')}: at least {FEWEST_SPLITS} needed"
    if scores.cases < FEWEST_CASES:
        return f"{counted(scores.cases, 'case')}: at least {FEWEST_CASES} needed"
    if scores.smallest < FEWEST_OF_A_CLASS:
        found = f"{counted(scores.smallest, 'case')} in a class"
        return f"{found}: at least {FEWEST_OF_A_CLASS} needed"
    if scores.moved is None and scores.refusal is None and scores.kind == "loss":
        return HIDDEN
    if not variance > 0 or (scores.moved is None and not varies(scores.values)):
        return scores.refusal or "every split gives the same value"
    if scores.untold is not None:
        return scores.untold
    end = None if bounds is None else _crowded_bound(scores.values, scores.cases, bounds)
    if end is None:
        return None
    return f"too close to {end:g} (fewer than {FEWEST_OFF_THE_END} cases away), where coverage is too low"


def _crowded_bound(values: Floats, cases: float, bounds: tuple[float, float]) -> float | None:
    """The end of its range that a mean lies within two cases of, with splits that lie on it; else nothing."""
    mean = float(values.mean())
    end = min(bounds, key=lambda one: abs(mean - one))
    is_near = abs(mean - end) * cases < FEWEST_OFF_THE_END * (1 - ROUNDING)
    return end if is_near and bool((np.abs(values - end) <= ROUNDING).any()) else None


def varies(values: Floats) -> bool:
    """Whether values differ by more than decimal fractions that ought to be equal do.

    >>> varies(np.array([0.3 - 0.2, 0.2 - 0.1])), varies(np.array([0.1, 0.2]))
    (False, True)
    """
    return bool(np.ptp(values) > ROUNDING * max(1.0, float(np.abs(values).max())))


def pooled_loss(losses: CaseLosses, level: float = 0.95, *, within_folds: bool = False) -> Estimate:
    """The mean loss over all cases, with an interval for the mean true loss of the folds' own models.

    The spread is that of all losses about their mean or, with `within_folds`, about their fold's (Bayle et al. 2020).
    Refused with fewer than 500 cases, or fewer than ten that are wrong, or right.

    >>> pooled_loss(CaseLosses("error_rate", np.tile([0.0, 0.0, 1.0, 0.0], 150), np.arange(600) % 10))
    0.250 [0.215, 0.285]
    """
    level = checked_level(level)
    method = BAYLE_IN if within_folds else BAYLE_OUT
    mean, n, folds = float(losses.loss.mean()), len(losses.loss), len(losses.sizes)
    found = _bayle_interval(losses, mean, level, method)
    target = f"the models of {folds} folds, learning from {n * (folds - 1) / folds:.0f} cases"
    return Estimate(losses.name, mean, found.low, found.high, level, method, n, target, found.undefined)


def _bayle_interval(losses: CaseLosses, mean: float, level: float, method: str) -> Interval:
    n, right = len(losses.loss), float((losses.loss <= 0).sum())
    if n < FEWEST_FOR_BAYLE:
        return Interval.missing(method, f"{counted(n, 'case')}: at least {FEWEST_FOR_BAYLE} needed; see fold_average")
    fewest = min(right, n - right) if set(losses.loss.tolist()) <= {0.0, 1.0} else n
    if fewest < FEWEST_OF_EITHER:
        return Interval.missing(
            method, f"{counted(fewest, 'case')} correct or misclassified: at least {FEWEST_OF_EITHER} of both needed"
        )
    if method == BAYLE_OUT:
        variance = float(((losses.loss - mean) ** 2).mean())
    elif losses.sizes.min() < 2:
        return Interval.missing(method, "a fold has a single case, so its variance is unknown")
    else:
        squares = np.bincount(losses.fold, (losses.loss - losses.fold_means[losses.fold]) ** 2)
        variance = float((squares / (losses.sizes - 1)).mean())
    if not varies(losses.loss):
        return Interval.missing(method, "every case has the same loss")
    half = float(ndtri(0.5 + level / 2)) * math.sqrt(variance / n)
    # A loss has no upper end in general, but a share of wrong cases has.
    top = 1.0 if losses.loss.max() <= 1 else math.inf
    return Interval(max(mean - half, 0.0), min(mean + half, top), method)


def fold_auc(folds: Sequence[ScoreTable], level: float = 0.95) -> Estimate:
    """The mean of the folds' AUCs with LeDell's interval; each fold's model ranks only its own cases.

    >>> fold = ScoreTable.of([0.1, 0.4, 0.35, 0.8] * 10, [False, False, True, True] * 10)
    >>> fold_auc([fold, fold])
    0.750 [0.622, 0.845]
    """
    level = checked_level(level)
    value, found = cross_validated_auc(folds, level)
    n = sum(float(fold.total) for fold in folds)
    target = f"the models of {len(folds)} folds"
    return Estimate("roc_auc", value, found.low, found.high, level, found.method, n, target, found.undefined)


def optimism(train: FoldScores, test: FoldScores, level: float = 0.95) -> Estimate:
    """How much better a measure looks on the cases learned from than on others: test less train, split by split.

    Negative for measures that are better when higher, positive for losses (Efron 1983).

    >>> sizes = np.full(5, 80.0), np.full(5, 20.0)
    >>> seen, unseen = np.full(5, 0.0), np.array([0.2, 0.25, 0.15, 0.2, 0.2])
    >>> optimism(FoldScores("error_rate", seen, *sizes), FoldScores("error_rate", unseen, *sizes))
    0.200 [0.134, 0.266]
    """
    gap = FoldScores(f"optimism of {test.name}", test.values - train.values, test.train, test.test)
    return fold_average(gap, level, bounds=None)


def which_model(estimate: Estimate) -> str:
    """Of which model, or models, an estimate of this module's kind speaks.

    >>> which_model(pooled_loss(CaseLosses("error_rate", np.tile([0.0, 1.0], 20), np.arange(40) % 10)))
    'the average of the models of these folds; not one refitted to all cases'
    """
    return MODELS.get(estimate.method, estimate.target)


def estimates_table(estimates: Sequence[Estimate]) -> Table:
    """Estimates under one another, each with its estimand and the model it describes."""
    return Table(
        {
            "measure": [one.name for one in estimates],
            "estimate": [one.value for one in estimates],
            "low": [one.low for one in estimates],
            "high": [one.high for one in estimates],
            "method": [one.method for one in estimates],
            "estimates": [one.target for one in estimates],
            "describes": [which_model(one) for one in estimates],
            "no interval because": [one.undefined or "" for one in estimates],
        }
    )


# A bootstrap sample holds a case with this chance, in the limit of many cases.
HELD = 1 - math.exp(-1)
NONE_HOLDS = "no verified coverage; see fold_average or nested_cross_validation"


@dataclass(frozen=True)
class BootstrapError:
    """What a bootstrap says of the share of wrong decisions.

    `apparent` is the error of the model fitted to all cases, on those cases; `left_out` the mean over cases of the
    error of the models that did not see the case, `by_sample` the mean over samples instead; `no_information` the error
    if decisions had nothing to do with the classes. `never_left_out` cases were in every sample and are not counted.
    """

    apparent: float
    left_out: float
    by_sample: float
    no_information: float
    n: int
    never_left_out: int = 0

    @property
    def overfitting(self) -> float:
        """How far the error on unseen cases has gone from the apparent one to that without information: 0 to 1."""
        unseen = min(self.left_out, self.no_information)
        if not self.apparent < unseen:
            return 0.0
        return (unseen - self.apparent) / (self.no_information - self.apparent)

    @property
    def err632(self) -> Estimate:
        """The apparent and the left-out error, .368 to .632 (Efron 1983); too low where models overfit."""
        return self._error_estimate(".632", (1 - HELD) * self.apparent + HELD * self.left_out)

    @property
    def err632_plus(self) -> Estimate:
        """The same with more weight on the left-out error, the more the model overfits (Efron & Tibshirani 1997)."""
        weight = HELD / (1 - (1 - HELD) * self.overfitting)
        unseen = min(self.left_out, self.no_information)
        return self._error_estimate(".632+", (1 - weight) * self.apparent + weight * unseen)

    @property
    def leave_one_out(self) -> Estimate:
        """The left-out error by itself: too high, its models having seen about 63 % of the cases."""
        return self._error_estimate("leave-one-out bootstrap", self.left_out)

    @property
    def optimism(self) -> float:
        """How much lower the apparent error is than the .632+ estimate."""
        return self.err632_plus.value - self.apparent

    def table(self) -> Table:
        """Every estimate of the error."""
        parts = {
            "apparent": self.apparent,
            "left out, by case": self.left_out,
            "left out, by sample": self.by_sample,
            "no information": self.no_information,
            ".632": self.err632.value,
            ".632+": self.err632_plus.value,
        }
        return Table({"estimate": list(parts), "error": list(parts.values())}, title="Bootstrap estimates of error")

    def _error_estimate(self, method: str, value: float) -> Estimate:
        target = "the model fitted to all cases"
        why = "no case was left out of any sample" if math.isnan(value) else NONE_HOLDS
        return Estimate("error_rate", value, math.nan, math.nan, 0.95, method, self.n, target, why)


def bootstrap_error(
    truth: ArrayLike, fitted: ArrayLike, left_out: Iterable[tuple[ArrayLike, ArrayLike]]
) -> BootstrapError:
    """Bootstrap estimates from the decisions of the model of all cases and those of each sample's model.

    `fitted` are the decisions about all cases of the model that learned from all of them: as Efron has it, the apparent
    part rests on the data, not on the samples. `left_out` gives for each sample the rows it left out and what its model
    decided about them.

    >>> truth = [0, 0, 1, 1]
    >>> found = bootstrap_error(truth, [0, 0, 1, 0], [([0, 3], [0, 0]), ([1, 2], [1, 1]), ([3], [1])])
    >>> found.apparent, found.left_out, found.no_information
    (0.25, 0.375, 0.5)
    >>> round(found.err632.value, 4), round(found.err632_plus.value, 4)
    (0.329, 0.3468)
    """
    classes, decided = np.asarray(truth), np.asarray(fitted)
    n = len(classes)
    wrong, times, by_sample = np.zeros(n), np.zeros(n), []
    for rows, decisions in left_out:
        here = np.asarray(rows, dtype=np.intp)
        losses = (np.asarray(decisions) != classes[here]).astype(np.float64)
        wrong[here] += losses
        times[here] += 1
        by_sample.append(float(losses.mean()) if len(losses) else math.nan)
    was_out = times > 0
    return BootstrapError(
        apparent=float((decided != classes).mean()),
        left_out=float((wrong[was_out] / times[was_out]).mean()) if was_out.any() else math.nan,
        by_sample=float(np.nanmean(by_sample)) if was_out.any() else math.nan,
        no_information=_no_information_error(classes.tolist(), decided.tolist()),
        n=n,
        never_left_out=int((~was_out).sum()),
    )


def _no_information_error(truth: list[object], decided: list[object]) -> float:
    """The error of the same decisions dealt out to the cases at random."""
    shares = ((truth.count(name) / len(truth), decided.count(name) / len(truth)) for name in set(truth))
    return sum(p * (1 - q) for p, q in shares)


METHOD = "pairs left out"
# In either class: with fewer the interval was simulated to miss too often.
FEWEST_IN_A_CLASS = 20
TARGET = "the models of these pairs, learning from all cases but two"


def leave_pair_out_auc(
    negative: ArrayLike, positive: ArrayLike, of_negative: ArrayLike, of_positive: ArrayLike, level: float = 0.95
) -> Estimate:
    """The share of pairs whose positive scores higher, a tie counting half (Airola et al. 2011).

    Pair i is made of case `negative[i]`, which its model scored `of_negative[i]`, and `positive[i]`, scored
    `of_positive[i]`. Pooling the folds of leave-one-out instead ranks scores of different models and is biased. With
    every pair there, the spread over cases gives DeLong's interval; with some of them there is none.

    >>> negative, positive = np.repeat([0, 1], 3), np.tile([2, 3, 4], 2)
    >>> leave_pair_out_auc(negative, positive, [0.1, 0.2, 0.1, 0.5, 0.5, 0.4], [0.9, 0.8, 0.7, 0.9, 0.5, 0.3]).value
    0.75
    """
    level = checked_level(level)
    low, high = np.asarray(of_negative, dtype=np.float64), np.asarray(of_positive, dtype=np.float64)
    won = (high > low) + 0.5 * (high == low)
    rows, columns = (numbered(np.asarray(cases).tolist()) for cases in (negative, positive))
    n0, n1 = (int(codes.max(initial=-1)) + 1 for codes in (rows, columns))
    auc = float(won.mean()) if len(won) else math.nan
    limits = _leave_pair_out_interval(won, rows, columns, (n0, n1), level)
    return Estimate("roc_auc", auc, limits.low, limits.high, level, METHOD, n0 + n1, TARGET, limits.undefined or None)


def _leave_pair_out_interval(
    won: np.ndarray, rows: np.ndarray, columns: np.ndarray, sizes: tuple[int, int], level: float
) -> Interval:
    n0, n1 = sizes
    if len(won) < n0 * n1 or not len(won):
        return Interval.missing(METHOD, f"{len(won)} of {n0 * n1} pairs were left out: an interval needs all of them")
    if min(n0, n1) < FEWEST_IN_A_CLASS:
        found = f"{counted(min(n0, n1), 'case')} in the smaller class"
        return Interval.missing(METHOD, f"{found}: at least {FEWEST_IN_A_CLASS} needed")
    of_negatives, of_positives = np.bincount(rows, won) / n1, np.bincount(columns, won) / n0
    variance = float(of_negatives.var(ddof=1)) / n0 + float(of_positives.var(ddof=1)) / n1
    return delong_logit(AucMoments(float(won.mean()), variance, n1, n0), level)


DEPENDENT = "rows of a group are dependent, so single rows do not give its variance"


@dataclass(frozen=True, eq=False)
class Judged:
    """One split: its repeat, how many cases were learned from, and what was said of the rows it tested."""

    repeat: int
    train_cases: float
    rows: NDArray[np.integer]
    evaluation: Evaluation


def fold_value(ev: Evaluation, measure: str | Measure) -> float:
    """A measure's plain value, without the interval no fold by itself needs; nan where it does not apply.

    >>> from assay.evaluation import evaluate
    >>> fold_value(evaluate([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.3]), "accuracy")
    0.75
    """
    found = measure_of(measure, len(ev.classes))
    return math.nan if ev.reason_unavailable(found) is not None else float(found(ev.evidence_for(found)))


def scored_folds(
    name: str | Measure, splits: Iterable[Judged], target: NDArray[np.integer], *, grouped: bool = False
) -> FoldScores:
    """The values of a measure on splits, with how far each case moves their mean; `target` are all true classes.

    Where rows are `grouped` they depend on one another, so that there are the values alone.

    >>> from assay.evaluation import evaluate
    >>> target = np.array([0, 1, 1, 0])
    >>> halves = [(np.array([0, 1]), [0.2, 0.7]), (np.array([2, 3]), [0.6, 0.4])]
    >>> cells = [Judged(0, 2, rows, evaluate(target[rows], score)) for rows, score in halves]
    >>> scored_folds("brier", cells, target).moved.round(6)
    array([-0.018125,  -0.005625,  0.011875,  0.011875])
    """
    found, refusals, measure = list[tuple[float, float, float, float]](), list[str](), None
    # Of each case, over the splits that tested it: what it stands for, and by how much of a split, summed.
    said, times, sizes = np.zeros(len(target)), np.zeros(len(target)), np.bincount(target)
    for each in splits:
        ev, tested = each.evaluation, len(each.rows)
        measure, value = measure_of(name, len(ev.classes)), fold_value(ev, name)
        found.append((value, each.train_cases, tested, each.repeat))
        if not grouped and math.isfinite(value):
            said[each.rows] += (value + _case_influence(ev, measure)) / tested
            times[each.rows] += 1 / tested
            refusals += _reasons_without_interval(ev, measure, sizes)
    values, train, test, repeat = np.array(found, dtype=np.float64).reshape(-1, 4).T
    # By any of its names it is the same measure, of which the same was shown.
    scores = FoldScores(name_of(name) if measure is None else measure.name, values, train, test, repeat.astype(np.intp))
    if measure is None:
        return scores
    if measure.needs_probability:
        refusal = DEPENDENT if grouped else next(iter(refusals), None)
        scores = replace(scores, smallest=float(sizes.min()), refusal=refusal)
    mean = float(values.mean())
    moved = (said - mean * times) / len(values)
    if grouped or not np.isfinite(moved).all():
        return scores
    return replace(scores, moved=moved, one_case=min(abs(mean - end) for end in measure.bounds) / len(target))


def name_of(measure: str | Measure) -> str:
    """Return what a measure is called in a study's tables: as it was spelled, or its own name.

    >>> from assay import Costs, measures
    >>> name_of("ROC AUC"), name_of(measures.expected_cost(Costs(fp=1, fn=5)))
    ('ROC AUC', 'expected_cost')
    """
    return measure.name if isinstance(measure, Measure) else measure


def measure_of(name: str | Measure, classes: int) -> Measure:
    """The measure that a study means by a name for a data set of so many classes.

    What is of one class stands for its macro average where there are more than two, so that one name does for all data
    sets.

    >>> measure_of("roc_auc", 2), measure_of("roc_auc", 3), measure_of("accuracy", 3)
    (<measure roc_auc: ROC AUC>, <measure macro_roc_auc: Macro ROC AUC>, <measure accuracy: Accuracy>)
    """
    try:
        if classes == 2:
            return find(name)
        try:
            return find_for_many(name)
        except UnknownName:
            return find_for_many(f"macro_{find(name).name}")
    except UnknownName as error:
        raise UnknownName(f"no measure {name_of(name)!r} for {classes} classes: {error}") from None


def _case_influence(ev: Evaluation, measure: Measure) -> Any:
    """How far each case moves the measure, times the number of cases; nan where nobody knows."""
    evidence, rows = ev.evidence_for(measure), ev.rows
    assert rows is not None
    if isinstance(evidence, ConfusionMatrix):
        return math.nan if rows.decision is None else matrix_influence(measure, evidence)[rows.truth, rows.decision]
    influence = measure.moved_by
    if influence is None and measure.pairs is None:
        return math.nan
    if isinstance(evidence, ScoreTable):
        return score_influence(measure, evidence, np.asarray(rows.score) + 0.0, rows.truth == 1)
    assert influence is not None
    return influence(evidence)


def _reasons_without_interval(ev: Evaluation, measure: Measure, sizes: NDArray[np.integer]) -> Iterator[str]:
    """Why the mean of a measure of probabilities has no interval, as far as a split and all class sizes tell."""
    if not measure.needs_probability or measure.over_folds is None:
        return
    if measure.better == "neither":
        yield "it does not use the true labels: it varies with the training cases, not with the test cases"
    if measure.over_folds.is_clipped and _certain_error_share(ev.evidence_for(measure)):
        yield "misclassified cases have a predicted probability of 0 or 1: without clipping it is infinite"
    if measure.over_folds.against_shares and not _is_stratified(ev, sizes):
        yield "a skill score is relative to the class shares of each split, which differ; stratify the plan"


def _certain_error_share(evidence: Any) -> float:
    """The share of cases that were called certain and wrong."""
    return certain_and_wrong(evidence) if isinstance(evidence, ScoreTable) else certain_and_wrong_classes(evidence)


def _is_stratified(ev: Evaluation, sizes: NDArray[np.integer]) -> bool:
    """Whether a split holds the classes as all cases do, but for whole numbers: one case for each class but one."""
    held = np.array(list(ev.class_counts.values()), dtype=np.float64)
    return bool((np.abs(held - held.sum() * sizes / sizes.sum()) < len(sizes) - 1 + ROUNDING).all())
