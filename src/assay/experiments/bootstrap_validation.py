"""How good a model of all cases is, its own figures corrected for optimism by bootstrap samples (Efron 1983, Harrell).

Each sample's model is judged on the sample and on all cases; the mean gap is what the figures of the model of all
cases are too good by. R's rms prints the same table by `validate`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from assay.errors import InputError
from assay.evidence import ScoreTable
from assay.experiments.containers import rows_of
from assay.measures import roc_auc
from assay.renderers import in_notebook
from assay.request import checked_seed, checked_whole
from assay.results import Table, counted
from assay.types import Floats
from assay.uncertainty.logistic import fit_logistic, log_likelihood

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
NONE_HOLDS = "no interval of a corrected index was shown to hold"


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
        return gaps | {EMAX: self._furthest_corrected() - self.apparent[EMAX]}

    @property
    def corrected(self) -> dict[str, float]:
        """Each index less its optimism: what is to be expected of new cases."""
        gaps = self.optimism
        return {name: self.apparent[name] - gaps[name] for name in INDICES} | {EMAX: self._furthest_corrected()}

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

    def _furthest_corrected(self) -> float:
        return _furthest(*(self.apparent[name] - self.training[name] + self.test[name] for name in LINE))


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
        raise InputError("the classes are not 0 and 1, both of them", "two classes, by their codes")
    apparent = indices_of(np.asarray(fit(table, classes)(table)), classes)
    rng, kept, failed = np.random.default_rng(checked_seed(seed)), list[tuple[Floats, Floats]](), 0
    for _ in range(replicates):
        rows = _drawn(rng, classes)
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
        raise InputError(
            "no sample's model has a line through its logits", "a model whose classes overlap, or more cases"
        )
    training, test = (
        dict(zip(apparent, np.mean(part, axis=0).tolist(), strict=True)) for part in zip(*kept, strict=True)
    )
    for each in (apparent, training, test):  # of the mean line, and not the mean over lines
        each[EMAX] = _furthest(*(each[name] for name in LINE))
    return ModelValidation(apparent, training, test, len(kept), failed)


def _drawn(rng: np.random.Generator, classes: NDArray[np.intp]) -> NDArray[np.intp]:
    for _ in range(REDRAWS):
        rows = rng.integers(len(classes), size=len(classes)).astype(np.intp)
        if 0 < classes[rows].sum() < len(rows):
            return rows
    raise InputError("bootstrap samples keep losing a class", "more cases of each class")


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


def _furthest(intercept: float, slope: float) -> float:
    """By how much the line that would recalibrate moves a probability at most."""
    return float(np.abs(GRID - expit(intercept + slope * np.log(GRID / (1 - GRID)))).max())
