"""How good an algorithm is, from the splits of a plan: each estimate says of which model, or models, it speaks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from assay.evidence import ScoreTable
from assay.experiments._parting import Split
from assay.measures import registry, registry_of_many
from assay.request import checked_level
from assay.results import Estimate, Interval, Table, counted
from assay.types import Floats
from assay.uncertainty import cross_validated_auc

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
HIDDEN = "only the mean of each split is known, and folds that hold the classes in equal parts hide how it varies"
# Ranking measures: over splits that test each case once their mean was covered .93 to .99, over others .85 to 1. All
# further ones fall short somewhere: over ten folds kappa of weak learners was covered .70 to 1, F1 .89 to 1, average
# precision .73 to .99, and over ten times ten folds .37 and more.
NOT_SHOWN = (
    "averaged over splits it was not shown to hold: only that of accuracy, error rate, losses and, of two classes, ROC "
    "AUC was"
)
NOT_BY_CASE = "it was shown to hold where each case tells how it moves the mean: not for groups, nor from means alone"
TESTED_TWICE = "cases are tested more than once, over which its interval covered .85 to 1; take one pass of k folds"
# A standard error of less than what one average case adds to the mean. What stratifying and training on fewer cases do
# is of that order and in no spread: of equal classes, a constant's Brier score was covered .68 to .91, its skill less.
TOO_ALIKE = "the cases' losses are too much alike: chance seems to move it by less than one average case does"
# Of each class where probabilities are judged: with fewer, the mean of a loss was covered .90 over ten times ten folds.
FEWEST_OF_A_CLASS = 20
# Of cases, and of wrong ones and right ones among them: with fewer Bayle's interval covered .85 to .91 where the
# learner had 20 features to weigh, and nobody can tell from losses how steady a learner is.
FEWEST_FOR_BAYLE, FEWEST_OF_EITHER = 500, 10

MODELS: Mapping[str, str] = MappingProxyType(
    {
        NADEAU_BENGIO: "no single model: what the algorithm gives on average over training sets of this size",
        BAYLE_OUT: "the models of these very folds, averaged; not one refitted to all cases",
        BAYLE_IN: "the models of these very folds, averaged; not one refitted to all cases",
        "LeDell, n - 1, logit": "the models of these very folds, averaged; not one refitted to all cases",
        "nested cross-validation": "the one model fitted to all cases",
        ".632": "the one model fitted to all cases, by way of models of samples drawn from them",
        ".632+": "the one model fitted to all cases, by way of models of samples drawn from them",
        "leave-one-out bootstrap": "models of samples that hold about 63 % of the cases; for one of all cases too high",
        "pairs left out": "models of all cases but two, much like the one fitted to all; not other training sets",
        "BBC-CV": "the winner of the same choice made on all cases",
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
    why = None if bounds is None else _not_shown(scores)
    found = corrected_limits(scores, level, bounds) if why is None else Interval.missing(NADEAU_BENGIO, why)
    low, high = (found.low, found.high) if bounds is None else np.clip((found.low, found.high), *bounds).tolist()
    target = f"the algorithm, learning from {scores.train.mean():.0f} cases"
    undefined = "a split has no value" if math.isnan(mean) else found.undefined
    return Estimate(scores.name, mean, low, high, level, found.method, float(scores.test.sum()), target, undefined)


def _not_shown(scores: FoldScores) -> str | None:
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
    why = _no_limits(scores, variance, bounds)
    if why is not None:
        return Interval.missing(NADEAU_BENGIO, why)
    mean, df = float(scores.values.mean()), len(scores.values) - 1
    half = float(stdtrit(df, 0.5 + level / 2)) * math.sqrt(variance)
    return Interval(mean - half, mean + half, NADEAU_BENGIO)


def _no_limits(scores: FoldScores, variance: float, bounds: tuple[float, float] | None) -> str | None:
    """Why the mean of splits has no limits, if so."""
    if len(scores.values) < FEWEST_SPLITS:
        return f"{counted(len(scores.values), 'split')}: below {FEWEST_SPLITS} their spread says too little"
    if scores.cases < FEWEST_CASES:
        return f"{counted(scores.cases, 'case')}: below {FEWEST_CASES} no interval was shown to hold"
    if scores.smallest < FEWEST_OF_A_CLASS:
        found = f"{counted(scores.smallest, 'case')} in a class"
        return f"{found}: below {FEWEST_OF_A_CLASS} the interval did not keep its level"
    if scores.moved is None and scores.refusal is None and scores.kind == "loss":
        return HIDDEN
    if not variance > 0 or (scores.moved is None and not varies(scores.values)):
        return scores.refusal or "every split gives the same value, so nothing varies"
    if scores.untold is not None:
        return scores.untold
    end = None if bounds is None else _crowded_end(scores.values, scores.cases, bounds)
    if end is None:
        return None
    return f"fewer than {FEWEST_OFF_THE_END} cases keep it from {end:g}: so near an end it was shown not to hold"


def _crowded_end(values: Floats, cases: float, bounds: tuple[float, float]) -> float | None:
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
    found = _bayle(losses, mean, level, method)
    target = f"the models of {folds} folds, learning from {n * (folds - 1) / folds:.0f} cases"
    return Estimate(losses.name, mean, found.low, found.high, level, method, n, target, found.undefined)


def _bayle(losses: CaseLosses, mean: float, level: float, method: str) -> Interval:
    n, right = len(losses.loss), float((losses.loss <= 0).sum())
    if n < FEWEST_FOR_BAYLE:
        return Interval.missing(
            method, f"{counted(n, 'case')}: below {FEWEST_FOR_BAYLE} it fell short; see fold_average"
        )
    fewest = min(right, n - right) if set(losses.loss.tolist()) <= {0.0, 1.0} else n
    if fewest < FEWEST_OF_EITHER:
        return Interval.missing(method, f"{counted(fewest, 'case')} wrong or right: below {FEWEST_OF_EITHER} none held")
    if method == BAYLE_OUT:
        variance = float(((losses.loss - mean) ** 2).mean())
    elif losses.sizes.min() < 2:
        return Interval.missing(method, "a fold holds a single case, so its spread is unknown")
    else:
        squares = np.bincount(losses.fold, (losses.loss - losses.fold_means[losses.fold]) ** 2)
        variance = float((squares / (losses.sizes - 1)).mean())
    if not varies(losses.loss):
        return Interval.missing(method, "every case has the same loss, so nothing varies")
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
    'the models of these very folds, averaged; not one refitted to all cases'
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
