"""Models compared on the same items: differences of mean scores, and which models are tied for the best."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np

from assay.comparison import Difference, Verdict, judge
from assay.errors import OptionError
from assay.items.evaluation import ItemLine, lines_of, notes_on
from assay.items.intervals import (
    DIFFERENCE_METHOD,
    ItemSpread,
    difference_limits,
    difference_p_value,
    half_items,
    spread_of,
)
from assay.items.repeats import VarianceSplit, variance_split
from assay.items.scores import ItemScores, chosen_scores, read_logs
from assay.renderers import in_notebook, render
from assay.request import checked_choice, checked_level, checked_positive
from assay.results import PairTable, Table
from assay.sources import shown
from assay.types import Floats

__all__ = ["ItemComparison", "ItemPair", "compare_items", "tied_for_best"]

LEAST_COMMON = 0.9
DRAWS = 20_000


@dataclass(frozen=True, eq=False)
class ItemPair:
    """Two models on the items that both answered: the difference of their mean scores, first minus second."""

    first: ItemLine
    second: ItemLine
    names: tuple[str, str]
    level: float
    comparisons: int = 1

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The items that both have scores of."""
        known = set(self.second.scores.items)
        return tuple(item for item in self.first.scores.items if item in known)

    @cached_property
    def values(self) -> Floats:
        """The difference on each of these items, in [-1, 1]."""
        first, second = (dict(zip(line.scores.items, line.values, strict=True)) for line in (self.first, self.second))
        return np.array([first[item] - second[item] for item in self.items])

    @cached_property
    def spread(self) -> ItemSpread:
        """How the mean difference varies."""
        scores = self.first.scores
        if scores.clusters is None:
            return spread_of(self.values)
        clusters = dict(zip(scores.items, scores.clusters, strict=True))
        return spread_of(self.values, [clusters[item] for item in self.items])

    @cached_property
    def difference(self) -> Difference:
        """The difference with its interval and p-value, on the scale of the scores."""
        spread, (low, high) = self.spread, self.first.scores.bounds
        scale, share = high - low, 1 - (1 - self.level) / self.comparisons
        limits = (math.nan, math.nan) if spread.undefined else difference_limits(spread, share)
        p_value = math.nan if spread.undefined else min(1.0, self.comparisons * difference_p_value(spread))
        lower, upper = (scale * limit for limit in limits)
        method = DIFFERENCE_METHOD if spread.clusters is None else f"{DIFFERENCE_METHOD}, CR3"
        adjusted = f"Bonferroni over {self.comparisons} comparisons" if self.comparisons > 1 else None
        se = None if math.isnan(spread.variance) else scale * spread.se
        return Difference(
            self.first.measure, *self.names, scale * spread.mean, lower, upper, self.level, p_value, method, spread.n,
            spread.undefined, adjusted, "these models", se,
        )  # fmt: skip

    @cached_property
    def variance(self) -> VarianceSplit:
        """The variance of the difference between items, and within them over the repeats of both."""
        if self.first.measure != "mean":
            return VarianceSplit(math.nan, math.nan, 1.0, self.spread.n, undefined=f"no split of {self.first.measure}")
        splits = []
        for line in (self.first, self.second):
            of_item = dict(zip(line.scores.items, line.scores.scores, strict=True))
            scores = [of_item[item] for item in self.items]
            splits.append(variance_split(scores, spread_of(np.array([each.mean() for each in scores]))))
        missing = next((one.undefined for one in splits if one.undefined is not None), None)
        if missing is not None:
            return VarianceSplit(math.nan, math.nan, 1.0, self.spread.n, undefined=missing)
        within = sum(one.within / one.repeats for one in splits)
        between = max(0.0, self.spread.item_variance - within)
        plain = self.spread.item_variance / max(self.spread.n, 1)
        factor = self.spread.variance / plain if self.spread.clusters is not None and plain > 0 else 1.0
        is_copied = all(one.is_copied for one in splits)
        return VarianceSplit(between, within, 1.0, self.spread.n, factor, None, is_copied)

    @property
    def is_undecided_by_items(self) -> bool:
        """Whether no item tells the models apart."""
        return not np.any(self.values)

    @cached_property
    def withheld(self) -> str | None:
        """Why there is no verdict: the difference depends on how errors count."""
        if self.first.measure != "mean" or not any(sum(line.scores.errors) for line in (self.first, self.second)):
            return None
        first, second = (_means_with_errors_as_wrong(line.scores) for line in (self.first, self.second))
        common = [item for item in first if item in second]
        low, high = self.first.scores.bounds
        other = (high - low) * float(np.mean([first[item] - second[item] for item in common]))
        found = self.difference
        if math.isnan(found.low) or abs(other - found.value) <= (found.high - found.low) / 2:
            return None
        return (
            f"With errors counted as incorrect the difference is {other:+.3f}, further off than half the interval: "
            "no verdict while it depends on how errors count."
        )

    def verdict(self, margin: float | None = None) -> Verdict:
        """What the difference allows one to say."""
        title = "mean score" if self.first.measure == "mean" else self.first.measure
        return judge(self.difference, title, "higher", margin=margin)


def _means_with_errors_as_wrong(scores: ItemScores) -> dict[str, float]:
    """The mean score of each item with errors as wrong answers."""
    return dict(zip([*scores.items, *scores.unscored_by_error], scores.means_with_errors, strict=True))


def tied_for_best(values: Sequence[Floats], clusters: Sequence[str] | None, level: float, seed: int = 0) -> list[bool]:
    """Return for each model whether it may be the best: whether no other beats it beyond chance.

    `values` are the models' values of the same items. A model leaves where the largest of its k - 1 t statistics, with
    half-items, exceeds the point that the largest of so many correlated t exceeds in 1 - level of samples (Hsu 1984).

    >>> rng = np.random.default_rng(1)
    >>> good, alike, poor = (rng.random(200) < p for p in (0.9, 0.88, 0.6))
    >>> tied_for_best([each.astype(float) for each in (good, alike, poor)], None, 0.95)
    [True, True, False]
    """
    count, table = len(values), np.stack(values)
    spreads = {(j, i): spread_of(values[j] - values[i], clusters) for i in range(count) for j in range(count) if i != j}
    covariance = _covariance_of_means(table, clusters)
    df = min(spread.df for spread in spreads.values())
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((DRAWS, count)) @ _square_root(covariance).T
    scale = np.sqrt(rng.chisquare(df, DRAWS) / df)
    kept = []
    for i in range(count):
        others = [j for j in range(count) if j != i]
        statistics = []
        for j in others:
            centre, variance = half_items(spreads[j, i])
            statistics.append(centre / math.sqrt(variance))
        errors = np.sqrt([covariance[i, i] + covariance[j, j] - 2 * covariance[i, j] for j in others])
        drawn = normal[:, others] - normal[:, [i]]
        largest = np.max(drawn / np.where(errors > 0, errors, 1.0), axis=1) / scale
        kept.append(max(statistics) <= float(np.quantile(largest, level)))
    return kept


def _covariance_of_means(table: Floats, clusters: Sequence[str] | None) -> Floats:
    """The covariance of the models' means: of items, or by leaving out a cluster at a time."""
    count, n = table.shape
    centred = table - table.mean(1, keepdims=True)
    if clusters is None:
        return np.asarray(centred @ centred.T / (n * (n - 1)))
    codes: dict[str, int] = {}
    places = [codes.setdefault(name, len(codes)) for name in clusters]
    sums, sizes = np.zeros((count, len(codes))), np.zeros(len(codes))
    np.add.at(sums.T, places, centred.T)
    np.add.at(sizes, places, 1.0)
    moved = sums / n / (1 - sizes / n)
    return np.asarray((len(codes) - 1) / len(codes) * moved @ moved.T)


def _square_root(covariance: Floats) -> Floats:
    """A square root of a covariance matrix, which may lack full rank."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


@dataclass(frozen=True, eq=False)
class ItemComparison:
    """Models compared on the same items of one task by one scorer; differences are the first minus the second."""

    lines: Mapping[str, ItemLine]
    pairs: tuple[ItemPair, ...]
    level: float
    margin: float | None = None
    cautions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(render("text", self))

    @property
    def names(self) -> list[str]:
        """The models, in the order given."""
        return list(self.lines)

    @property
    def difference(self) -> Difference:
        """The difference of the only two models."""
        if len(self.pairs) > 1:
            raise OptionError(f"there are {len(self.pairs)} pairs", "two models, or pair(first, second)")
        return self.pairs[0].difference

    def pair(self, first: str, second: str) -> ItemPair:
        """The comparison of two models."""
        found = next((pair for pair in self.pairs if set(pair.names) == {first, second}), None)
        if found is None:
            raise OptionError(f"there is no pair {first!r} and {second!r}", f"two of {', '.join(self.names)}")
        if found.names == (first, second):
            return found
        return replace(found, first=found.second, second=found.first, names=(first, second))

    @cached_property
    def common(self) -> tuple[str, ...]:
        """The items that every model has scores of."""
        first, *others = (line.scores for line in self.lines.values())
        known = [set(scores.items) for scores in others]
        return tuple(item for item in first.items if all(item in each for each in known))

    @cached_property
    def best(self) -> tuple[str, ...] | None:
        """The models that are tied for the best; None where clusters are too few to say."""
        if any(pair.spread.undefined for pair in self.pairs):
            return None
        values = []
        for line in self.lines.values():
            of_item = dict(zip(line.scores.items, line.values, strict=True))
            values.append(np.array([of_item[item] for item in self.common]))
        scores = next(iter(self.lines.values())).scores
        clusters = None if scores.clusters is None else dict(zip(scores.items, scores.clusters, strict=True))
        of_items = None if clusters is None else [clusters[item] for item in self.common]
        kept = tied_for_best(values, of_items, self.level)
        return tuple(name for name, is_kept in zip(self.names, kept, strict=True) if is_kept)

    def verdict(self, first: str, second: str) -> Verdict:
        """What the difference of two models allows one to say."""
        return self.pair(first, second).verdict(self.margin)

    def table(self) -> PairTable:
        """A row for each pair of models."""
        found = [pair.difference for pair in self.pairs]
        keys = {"first": [one.first for one in found], "second": [one.second for one in found]}
        return PairTable.of(keys, [one.row() for one in found], beside={"items": [int(one.n) for one in found]})

    def means(self) -> Table:
        """A row for each model, with the interval of its mean by itself."""
        lines = list(self.lines.values())
        estimates = [line.estimate for line in lines]
        columns: dict[str, Any] = {"model": self.names, "items": [len(line.scores.items) for line in lines]}
        columns |= {name: [getattr(one, name) for one in estimates] for name in ("value", "low", "high")}
        if len(lines) > 2 and self.best is not None:
            columns["tied for the best"] = ["yes" if name in self.best else "no" for name in self.names]
        return Table(columns, title="Mean scores; each interval by itself")

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        pairs = [
            {
                "verdict": pair.verdict(self.margin).to_dict(),
                "withheld": pair.withheld,
                "items": len(pair.items),
                "no_item_differs": pair.is_undecided_by_items,
                "variance": pair.variance.to_dict(),
            }
            for pair in self.pairs
        ]
        return {
            "schema": "assay.items-comparison/1",
            "level": self.level,
            "margin": self.margin,
            "models": {name: line.to_dict() for name, line in self.lines.items()},
            "common_items": len(self.common),
            "tied_for_best": None if self.best is None else list(self.best),
            "pairs": pairs,
            "cautions": list(self.cautions),
            "notes": list(self.notes),
        }

    def report(self, path: str | PathLike[str]) -> None:
        """Write a page that opens anywhere."""
        render("page", self, path)


def compare_items(
    *data: Any,
    scorer: str | None = None,
    filter: str | None = None,  # noqa: A002
    task: str | None = None,
    cluster: str | None = None,
    at: int | None = None,
    majority: int | None = None,
    range: tuple[float, float] | None = None,  # noqa: A002
    partial: bool = False,
    missing: str = "refuse",
    margin: float | None = None,
    level: float = 0.95,
    columns: Mapping[str, Any] | None = None,
) -> ItemComparison:
    """Return the comparison of models on the same items: differences of mean scores and who is tied for the best.

    `data` are logs, folders or tables as `evaluate_items` takes them, a model each, or one with several models. Items
    are joined by their identity and their true answer. `missing="pairwise"` compares on the common items even where
    fewer than 90 % are common.

    >>> first = {"item": [1, 2, 3, 4], "score": [1, 1, 1, 0], "model": ["a"] * 4}
    >>> second = {"item": [1, 2, 3, 4], "score": [1, 0, 0, 0], "model": ["b"] * 4}
    >>> compare_items(first, second).difference.value
    0.5
    """
    checked_level(level, "level")
    checked_choice(missing, ("refuse", "pairwise"), "missing")
    if margin is not None:
        checked_positive(margin, "margin", "a difference above 0 that would not matter")
    if at is not None and majority is not None:
        raise OptionError("at and majority are both given", "one of them", about=("at", "majority"))
    logs = [read_logs(each, columns) for each in data]
    chosen = [
        scores
        for each in logs
        for scores in chosen_scores(
            each, scorer=scorer, filter=filter, task=task, cluster=cluster, bounds=range, partial=partial
        )
    ]
    _refuse_several(chosen)
    numbers = ((at,) if at is not None else (), (majority,) if majority is not None else ())
    lines = {name: lines_of(scores, *numbers, level)[0] for name, scores in _models_by_name(chosen).items()}
    if len(lines) < 2:
        raise OptionError("there is one model to compare", "another log, or one with several models")
    cautions = _matching_cautions(lines, missing)
    pairs = list(combinations(lines, 2))
    made = tuple(ItemPair(lines[a], lines[b], (a, b), level, len(pairs)) for a, b in pairs)
    notes = tuple(dict.fromkeys(note for each in logs for log in each for note in notes_on(log)))
    return ItemComparison(lines, made, level, margin, tuple(cautions), notes)


def _refuse_several(chosen: Sequence[ItemScores]) -> None:
    """Refuse several tasks or scorers, which are never pooled, with what to choose from."""
    for role in ("task", "scorer"):
        names = list(dict.fromkeys(getattr(scores, role) for scores in chosen))
        if len(names) > 1:
            ways = [({role: name}, "") for name in names]
            if role == "scorer" and len({name.split(",")[0] for name in names}) == 1:
                ways = [({"filter": name.split(",", 1)[-1] if "," in name else "none"}, "") for name in names]
            raise OptionError(f"there are {len(names)} {role}s", f"one {role}: they are never pooled", ways=ways)


def _models_by_name(chosen: Sequence[ItemScores]) -> dict[str, ItemScores]:
    """The models by name; where two share theirs, with the file."""
    seen = Counter(scores.label for scores in chosen)
    named: dict[str, ItemScores] = {}
    for scores in chosen:
        is_alone = seen[scores.label] == 1 or scores.label == scores.source
        name = scores.label if is_alone else f"{scores.label} ({scores.source})"
        same = sum(each == name or each.startswith(f"{name} #") for each in named)
        named[f"{name} #{same + 1}" if same else name] = scores
    return named


def _matching_cautions(lines: Mapping[str, ItemLine], missing: str) -> list[str]:
    """Cautions about how the items of the models fit together; refused where they do not."""
    cautions: list[str] = []
    changed = 0
    for (a, first), (b, second) in combinations(lines.items(), 2):
        truth = dict(zip(first.scores.items, first.scores.truth, strict=True))
        prompt = dict(zip(first.scores.items, first.scores.prompt, strict=True))
        others = second.scores
        common = [item for item in others.items if item in truth]
        every = len(set(first.scores.items) | set(others.items))
        where = f"{shown(a)} and {shown(b)}"
        if not common or (len(common) < LEAST_COMMON * every and missing != "pairwise"):
            found = f"{where} have {len(common):,} of {every:,} items in common"
            way = {"missing": "pairwise"} if common else None
            raise OptionError(
                found, "the same items; or to compare on the common ones" if common else "the same items", way
            )
        if len(common) < every:
            cautions.append(f"{a} and {b} are compared on {len(common):,} of {every:,} items.")
        of_second = dict(zip(others.items, zip(others.truth, others.prompt, strict=True), strict=True))
        other = next((item for item in common if of_second[item][0] != truth[item]), None)
        if other is not None:
            found = f"item {shown(other)} has another true answer in {shown(b)} than in {shown(a)}"
            raise OptionError(found, "logs of the same version of the items")
        changed = max(changed, sum(of_second[item][1] != prompt[item] for item in common))
    return [*cautions, *([f"Models had different prompts for the same item ({changed:,} items)."] if changed else [])]
