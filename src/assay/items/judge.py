"""A judge with its own errors: the share that passes, from some human labels or from known rates, and its agreement.

With human labels of a random part, prediction-powered inference (PPI++) corrects what the judge says of all items;
with rates known from elsewhere, the share that the judge passed is corrected by them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from assay.errors import OptionError
from assay.evidence import ConfusionMatrix
from assay.measures import gwet_ac1, kappa, krippendorff_alpha
from assay.renderers import in_notebook, render
from assay.request import checked_level
from assay.results import Estimate, Table
from assay.sources import shown
from assay.sources.logs import columns_of, number_of
from assay.types import Floats

__all__ = [
    "JudgeEvaluation",
    "JudgedShare",
    "KnownRates",
    "agreement_estimates",
    "evaluate_judge",
    "labelled_share",
    "rated_share",
]

FEWEST_LABELS, FEW_OF_RARER = 3, 5
GRID = np.linspace(0.0, 1.0, 20_001)
TARGET = "this model"
AGREEMENT = {"kappa": kappa, "AC1": gwet_ac1, "alpha": krippendorff_alpha}
IMPOSSIBLE = "the judge's share is not possible with these rates: they do not hold for this set"


def labelled_share(human: Floats, judged: Floats, rest: Floats, level: float) -> tuple[Estimate, float]:
    """Return the share of items that pass, and the weight of the judge, from human labels of a random part.

    `human` and `judged` are labels of the same items, `rest` the judge's of all others (Angelopoulos et al. 2023). The
    limits are the wider of Wilson's with the effective number of labels, and of two more items on which the judge errs.

    >>> human = np.repeat([1.0, 0.0], [30, 20])
    >>> found, weight = labelled_share(human, human, np.repeat([1.0, 0.0], [300, 200]), 0.95)
    >>> found.value, weight.__round__(2)
    (0.6, 0.93)
    """
    m, others = len(human), len(rest)
    every = np.concatenate([judged, rest])
    spread = float(np.var(every, ddof=1))
    together = float(np.cov(human, judged)[0, 1])
    weight = min(1.0, max(0.0, together / ((1 + m / others) * spread))) if others and spread > 0 else 0.0
    shift = weight * (float(rest.mean()) - float(judged.mean())) if others else 0.0
    theta = min(1.0, max(0.0, float(human.mean()) + shift))
    of_rest = weight**2 * float(np.var(rest, ddof=1)) / others if others > 1 else 0.0
    variance = float(np.var(human - weight * judged, ddof=1)) / m + of_rest
    t = float(stdtrit(m - 1, 0.5 + level / 2))
    inner = theta * (1 - theta)
    effective = m if variance == 0 or inner == 0 else min(max(inner / variance, m / 4), m + others)
    low, high = _wilson(theta, effective, t)
    both = np.concatenate([human - weight * judged, [1.0, -weight]])
    centre = float(both.mean()) + (weight * float(rest.mean()) if others else 0.0)
    reach = t * math.sqrt(float(np.var(both, ddof=1)) / (m + 2) + of_rest)
    low, high = max(0.0, min(low, centre - reach, theta)), min(1.0, max(high, centre + reach, theta))
    method = "PPI++, wider of Wilson and two judge errors"
    return Estimate("share", theta, low, high, level, method, m + others, TARGET, se=math.sqrt(variance)), weight


def _wilson(share: float, n: float, t: float) -> tuple[float, float]:
    """Wilson's limits of a share of so many effective cases, with t for z."""
    centre = (share * n + t * t / 2) / (n + t * t)
    reach = t / (n + t * t) * math.sqrt(n * share * (1 - share) + t * t / 4)
    return max(0.0, centre - reach), min(1.0, centre + reach)


@dataclass(frozen=True)
class KnownRates:
    """The sensitivity and the specificity of a judge, known from other items: how many were right, of how many.

    >>> KnownRates.of("90/100", "60/80")
    KnownRates(right_passes=90, passes=100, right_fails=60, fails=80)
    """

    right_passes: int
    passes: int
    right_fails: int
    fails: int

    @classmethod
    def of(cls, sensitivity: str, specificity: str) -> KnownRates:
        """From both as texts, such as 90/100."""
        return cls(*_counts(sensitivity, "sensitivity"), *_counts(specificity, "specificity"))


def _counts(text: str, name: str) -> tuple[int, int]:
    parts = str(text).split("/")
    if len(parts) != 2 or not all(part.strip().isdecimal() and len(part) < 10 for part in parts):
        raise OptionError(f"{name} is {str(text)[:40]!r}", "how many of how many", {name: "90/100"}, about=name)
    right, of = (int(part) for part in parts)
    if not 0 < of >= right:
        raise OptionError(f"{name} is {right} of {of}", "at most all of them", {name: "90/100"}, about=name)
    return right, of


def rated_share(passed: int, n: int, rates: KnownRates, level: float) -> Estimate:
    """Return the share of items that pass, from the share a judge passed and its rates on other items.

    The limits are the wider of Lang and Reiczigel's (2014) and of all shares that a score test does not reject; both
    stay in [0, 1], whatever the judge.

    >>> rated_share(310, 400, KnownRates(90, 100, 60, 80), 0.95)
    0.808 [0.710, 0.920]
    """
    p, z = passed / n, float(ndtri(0.5 + level / 2))
    a = (rates.right_passes + 1) / (rates.passes + 2)
    b = (rates.right_fails + 1) / (rates.fails + 2)
    of_a, of_b = a * (1 - a) / (rates.passes + 2), b * (1 - b) / (rates.fails + 2)
    expected = GRID * a + (1 - GRID) * (1 - b)
    error = np.sqrt(expected * (1 - expected) / n + GRID**2 * of_a + (1 - GRID) ** 2 * of_b)
    off = np.abs(p - expected) / error
    inside = GRID[off <= z]
    best = float(GRID[int(np.argmin(off))])
    limits = [(float(inside[0]), float(inside[-1]))] if len(inside) else []
    plain = rates.right_passes / rates.passes + rates.right_fails / rates.fails - 1
    value = (p + rates.right_fails / rates.fails - 1) / plain if plain > 0 else best
    value = min(1.0, max(0.0, value))
    if not limits and a + b <= 1:
        limits.append((0.0, 1.0))
    if a + b > 1:
        limits.append(_lang_reiczigel(p, n, (a, of_a), (b, of_b), z))
    low, high = min([value, *(each[0] for each in limits)]), max([value, *(each[1] for each in limits)])
    caution = None if len(inside) else IMPOSSIBLE
    method = "wider of Lang-Reiczigel and score limits"
    return Estimate("share", value, low, high, level, method, n, TARGET, caution=caution)


def _lang_reiczigel(
    p: float, n: int, of_passes: tuple[float, float], of_fails: tuple[float, float], z: float
) -> tuple[float, float]:
    (a, of_a), (b, of_b) = of_passes, of_fails
    size = n + z * z
    share = (n * p + z * z / 2) / size
    value = (share + b - 1) / (a + b - 1)
    shift = 2 * z * z * (value * of_a - (1 - value) * of_b)
    variance = share * (1 - share) / size + value**2 * of_a + (1 - value) ** 2 * of_b
    reach = z * math.sqrt(variance) / (a + b - 1)
    return min(1.0, max(0.0, value + shift - reach)), max(0.0, min(1.0, value + shift + reach))


def agreement_estimates(human: Floats, judged: Floats, level: float) -> dict[str, Estimate]:
    """Return kappa, Gwet's AC1 and Krippendorff's alpha of two labels a, with half an item added to each cell.

    Limits are those of the jackknife over items with t, stretched to hold the plain value.

    >>> human = np.repeat([1.0, 0.0], [30, 20])
    >>> agreement_estimates(human, human, 0.95)["kappa"].value
    1.0
    """
    counts = np.zeros((2, 2))
    np.add.at(counts, (human.astype(int), judged.astype(int)), 1.0)
    n = len(human)
    t = float(stdtrit(n - 1, 0.5 + level / 2))
    found = {}
    for name, measure in AGREEMENT.items():
        plain = _value(measure, counts)
        whole = _value(measure, counts + 0.5)
        without = np.zeros((2, 2))
        for cell in zip(*np.nonzero(counts), strict=True):
            less = counts.copy()
            less[cell] -= 1
            without[cell] = _value(measure, less + 0.5)
        mean = float((counts * without).sum()) / n
        error = math.sqrt((n - 1) / n * float((counts * (without - mean) ** 2).sum()))
        value = whole if math.isnan(plain) else plain
        low, high = max(-1.0, min(value, whole - t * error)), min(1.0, max(value, whole + t * error))
        found[name] = Estimate(name, value, low, high, level, "jackknife with halves", n, "this judge", se=error)
    return found


def _value(measure: Callable[[ConfusionMatrix], Any], counts: Floats) -> float:
    return float(measure(ConfusionMatrix(counts, ("0", "1"))))


@dataclass(frozen=True, eq=False)
class JudgedShare:
    """The share of one model's items that pass: by judge and human labels, by human labels alone, by the judge alone.

    `labelled` are human and judge's labels of the same items, `rest` the judge's of the others.
    """

    model: str
    human: Floats
    judged: Floats
    rest: Floats
    level: float
    rates: KnownRates | None = None

    @cached_property
    def every(self) -> Floats:
        """The judge's labels of all items."""
        return np.concatenate([self.judged, self.rest])

    @cached_property
    def _by_labels(self) -> tuple[Estimate, float]:
        return labelled_share(self.human, self.judged, self.rest, self.level)

    @cached_property
    def estimate(self) -> Estimate:
        """The share that passes."""
        if self.rates is not None:
            return rated_share(round(float(self.every.sum())), len(self.every), self.rates, self.level)
        return self._by_labels[0]

    @property
    def weight(self) -> float | None:
        """The weight of the judge's labels; None where its rates are known from elsewhere."""
        return None if self.rates is not None else self._by_labels[1]

    @cached_property
    def humans_alone(self) -> Estimate | None:
        """The share by the human labels alone; None where there are none."""
        if not len(self.human):
            return None
        share, m = float(self.human.mean()), len(self.human)
        low, high = _wilson(share, m, float(ndtri(0.5 + self.level / 2)))
        return Estimate("share", share, min(low, share), max(high, share), self.level, "Wilson", m, TARGET)

    @property
    def judge_alone(self) -> float:
        """The share that the judge passed, whatever its errors."""
        return float(self.every.mean())

    @cached_property
    def agreement(self) -> dict[str, Estimate]:
        """Agreement of judge and human beyond chance; empty with fewer than three labels."""
        return agreement_estimates(self.human, self.judged, self.level) if len(self.human) >= FEWEST_LABELS else {}

    @property
    def facts(self) -> dict[str, float]:
        """Raw agreement, prevalence by the human, and the judge's sensitivity and specificity on the labelled items."""
        human, judged = self.human == 1, self.judged == 1
        shares = {"agreement": human == judged, "prevalence": human, "sensitivity": judged[human],
                  "specificity": ~judged[~human]}  # fmt: skip
        return {name: float(each.mean()) if len(each) else math.nan for name, each in shares.items()}

    @property
    def cautions(self) -> list[str]:
        """What to be careful about."""
        found = (
            [] if self.estimate.caution is None else [f"{self.estimate.caution[0].upper()}{self.estimate.caution[1:]}."]
        )
        if self.rates is not None:
            return found
        rarer = int(min(self.human.sum(), len(self.human) - self.human.sum()))
        if rarer < FEW_OF_RARER:
            found.append(f"Too few of the rarer class for agreement ({rarer} of {len(self.human)} human labels).")
        return found

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        facts = {name: None if math.isnan(value) else value for name, value in self.facts.items()}
        return {
            "model": self.model,
            "items": len(self.every),
            "labelled": len(self.human),
            "estimate": self.estimate.to_dict(),
            "judge_weight": self.weight,
            "humans_alone": None if self.humans_alone is None else self.humans_alone.to_dict(),
            "judge_alone": self.judge_alone,
            "agreement": {name: one.to_dict() for name, one in self.agreement.items()},
            "labelled_part": facts,
            "cautions": self.cautions,
        }


@dataclass(frozen=True, eq=False)
class JudgeEvaluation:
    """The share of items that pass, for each model, with the errors of the judge in it."""

    shares: Mapping[str, JudgedShare]
    level: float
    name: str = "the table"

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(render("text", self))

    def __getitem__(self, model: str) -> JudgedShare:
        return self.shares[model]

    def table(self) -> Table:
        """A row for each model: the share with its interval, beside that of the human labels alone."""
        shares = list(self.shares.values())
        columns: dict[str, list[Any]] = {} if len(shares) == 1 else {"model": list(self.shares)}
        columns |= {"items": [len(one.every) for one in shares], "labelled": [len(one.human) for one in shares]}
        columns |= {name: [getattr(one.estimate, name) for one in shares] for name in ("value", "low", "high")}
        alone = [one.humans_alone for one in shares]
        if any(one is not None for one in alone):
            for name in ("value", "low", "high"):
                title = "humans" if name == "value" else f"humans_{name}"
                columns[title] = [None if one is None else getattr(one, name) for one in alone]
        columns["judge alone"] = [one.judge_alone for one in shares]
        return Table(columns, title="Share that passes")

    def agreement_table(self) -> Table:
        """A row for each model and measure of agreement."""
        rows = [(name, measure, one) for name, share in self.shares.items() for measure, one in share.agreement.items()]
        columns: dict[str, list[Any]] = {} if len(self.shares) == 1 else {"model": [name for name, _, _ in rows]}
        columns["agreement"] = [measure for _, measure, _ in rows]
        columns |= {name: [getattr(one, name) for _, _, one in rows] for name in ("value", "low", "high")}
        return Table(columns, title="Agreement of judge and human")

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        models = {name: share.to_dict() for name, share in self.shares.items()}
        return {"schema": "assay.judge/1", "source": self.name, "level": self.level, "models": models}

    def report(self, path: str | PathLike[str]) -> None:
        """Write a page that opens anywhere."""
        render("page", self, path)


def evaluate_judge(
    data: Any,
    *,
    judge: str = "judge",
    human: str | None = None,
    model: str | None = None,
    sensitivity: str | None = None,
    specificity: str | None = None,
    level: float = 0.95,
) -> JudgeEvaluation:
    """Return the share of items that pass, from a judge's labels of all of them, with the judge's errors in it.

    `data` is a table with a row an item (and model); `judge` names the column of the judge's labels, `human` that of
    the human labels, which are empty but for a random part, `model` that of the models. Without human labels
    `sensitivity` and `specificity` say how often the judge was right on other items, such as "90/100".

    >>> labels = {"judge": ["pass", "fail"] * 100, "human": (["pass", "fail"] * 15 + ["fail", "pass"] + [""] * 168)}
    >>> evaluate_judge(labels, human="human")["the table"].estimate.n
    200
    """
    checked_level(level, "level")
    rates = None
    if sensitivity is not None or specificity is not None:
        if sensitivity is None or specificity is None:
            lacking = "sensitivity" if sensitivity is None else "specificity"
            raise OptionError(f"{lacking} is not given", "both", {lacking: "90/100"}, about=lacking)
        rates = KnownRates.of(sensitivity, specificity)
    if (human is None) == (rates is None):
        found = "human and sensitivity are both given" if human else "human is not given"
        raise OptionError(found, "human labels of a part, or the judge's rates", {"human": "human"}, about="human")
    columns, name = _columns(data)
    for column in (judge, human, model):
        if column is not None and column not in columns:
            raise OptionError(f"{name} has no column {shown(column)}", f"one of {', '.join(columns)}")
    groups: dict[str, list[int]] = {}
    for place, key in enumerate(columns[model] if model is not None else [name] * len(columns[judge])):
        groups.setdefault(str(key), []).append(place)
    judged = _labels(columns[judge], judge)
    human_labels = np.full(len(judged), np.nan) if human is None else _labels(columns[human], human)
    shares = {key: _share(key, judged[places], human_labels[places], level, rates) for key, places in groups.items()}
    return JudgeEvaluation(shares, level, name)


def _columns(data: Any) -> tuple[dict[str, list[Any]], str]:
    if isinstance(data, str | PathLike):
        from pathlib import Path

        from assay.sources.files import file_columns

        return dict(file_columns(data)), Path(data).name
    return columns_of(data), "the table"


def _labels(values: list[Any], name: str) -> Floats:
    """Labels as 0 and 1, nan where there is none."""
    found = np.full(len(values), np.nan)
    for place, value in enumerate(values):
        if value is None or value != value or (isinstance(value, str) and not value.strip()):
            continue
        number = number_of(value)
        if number not in (0.0, 1.0):
            raise OptionError(
                f"{name} is {shown(value)} in row {place + 1:,}", "pass or fail, yes or no, 1 or 0", about=name
            )
        found[place] = number
    return found


def _share(model: str, judged: Floats, human: Floats, level: float, rates: KnownRates | None) -> JudgedShare:
    if np.isnan(judged).any():
        lacking = int(np.isnan(judged).sum())
        raise OptionError(f"{lacking:,} items of {shown(model)} have no label of the judge", "a label of every item")
    has_label = ~np.isnan(human)
    if rates is None and has_label.sum() < FEWEST_LABELS:
        found = f"{shown(model)} has {int(has_label.sum())} human labels"
        raise OptionError(found, f"at least {FEWEST_LABELS}, of a random part of its items")
    return JudgedShare(model, human[has_label], judged[has_label], judged[~has_label], level, rates)
