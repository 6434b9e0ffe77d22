"""Battles of two models on one question: Bradley-Terry strengths, the advantage of the first place, tied models.

Ties count one half. Every pair is taken to have played once more each way, at weight 1/(k - 1), so that a model that
never lost has a finite strength. Limits are the wider of those by the information matrix and by leaving out a question
at a time (CR3).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, ndtri, stdtrit

from assay.errors import OptionError
from assay.renderers import in_notebook, render
from assay.request import checked_level
from assay.results import Estimate, Table
from assay.sources import listed, shown
from assay.sources.logs import columns_of
from assay.types import Floats
from assay.uncertainty import design_freedom

__all__ = ["BattleEvaluation", "Battles", "evaluate_battles", "fitted_strengths"]

FEWEST_BATTLES = 10
STEPS, CONVERGED, LONGEST_STEP = 100, 1e-10, 2.0
ELO = 400 / math.log(10)
DRAWS = 20_000
FIRST, SECOND = ("model_a", "a", "1", "1.0", "first"), ("model_b", "b", "0", "0.0", "second")
TIES = ("tie", "tie (bothbad)", "tie (both bad)", "both_bad", "bothbad", "0.5", "draw")


@dataclass(frozen=True, eq=False)
class Battles:
    """Who played whom on which question, and the result for the first: 1, 0, or one half for a tie."""

    names: tuple[str, ...]
    first: np.ndarray[Any, np.dtype[np.intp]]
    second: np.ndarray[Any, np.dtype[np.intp]]
    result: Floats
    question: tuple[str, ...]
    both_bad: int = 0


@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths as differences from their mean, the advantage of the first place (last), and two covariances."""

    values: Floats
    information: Floats
    by_question: Floats
    df: float


def fitted_strengths(battles: Battles) -> Strengths:
    """Return the penalised Bradley-Terry strengths of models on the logit scale.

    >>> first, second = np.array([0, 1] * 30), np.array([1, 0] * 30)
    >>> result = np.array([1.0, 0.0, 1.0, 1.0] * 15)
    >>> found = fitted_strengths(Battles(("a", "b"), first, second, result, tuple(map(str, range(60)))))
    >>> bool(found.values[0] > 0), bool(found.values[2] > 0)
    (True, True)
    """
    count = len(battles.names)
    design = np.zeros((len(battles.first), count + 1))
    rows = np.arange(len(design))
    design[rows, battles.first], design[rows, battles.second], design[:, -1] = 1.0, -1.0, 1.0
    pairs = list(combinations(range(count), 2))
    extra = np.zeros((len(pairs) + 1, count + 1))
    extra[-1, -1] = 1.0
    for place, (i, j) in enumerate(pairs):
        extra[place, i], extra[place, j] = 1.0, -1.0
    # One win each way is two games with one half each.
    weight = 2.0 / max(count - 1, 1)
    values = np.zeros(count + 1)
    # The mean strength is fixed at 0, which the sum of squares of the mean does without changing any difference.
    fixed = np.append(np.ones(count), 0.0)
    anchor = np.outer(fixed, fixed) / count
    for _ in range(STEPS):
        chance, other = expit(design @ values), expit(extra @ values)
        slope = design.T @ (battles.result - chance) + weight * (extra.T @ (0.5 - other)) - anchor @ values
        bend = (design.T * (chance * (1 - chance))) @ design + anchor
        bend += weight * (extra.T * (other * (1 - other))) @ extra
        step = np.linalg.solve(bend, slope)
        # From far away a whole step may lead further off.
        values = values + step * min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), CONVERGED))
        if float(np.abs(step).max()) < CONVERGED:
            break
    inverse = np.asarray(np.linalg.inv(bend), dtype=np.float64)
    by_question, sizes = _by_question(battles, design, np.asarray(expit(design @ values)), inverse)
    df = max(2.0, design_freedom(np.stack([sizes, np.zeros(len(sizes))], axis=1))[0])
    centre = np.eye(count + 1) - np.pad(np.full((count, count), 1 / count), ((0, 1), (0, 1)))
    return Strengths(values, centre @ inverse @ centre.T, centre @ by_question @ centre.T, df)


def _by_question(battles: Battles, design: Floats, chance: Floats, inverse: Floats) -> tuple[Floats, Floats]:
    """The covariance by leaving out a question at a time, and the numbers of battles of the questions."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(battles.question):
        places.setdefault(name, []).append(place)
    total = np.zeros_like(inverse)
    for chosen in places.values():
        own, p = design[chosen], chance[chosen]
        hat = (p * (1 - p))[:, None] * (own @ inverse @ own.T)
        residual = np.linalg.solve(np.eye(len(chosen)) - hat, battles.result[chosen] - p)
        moved = inverse @ (own.T @ residual)
        total += np.outer(moved, moved)
    sizes = np.array([float(len(each)) for each in places.values()])
    return (len(sizes) - 1) / len(sizes) * total, sizes


@dataclass(frozen=True, eq=False)
class BattleEvaluation:
    """The strengths of models by their battles: each as the difference from the mean of all, on the logit scale."""

    battles: Battles
    level: float
    name: str = "the table"

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(render("text", self))

    @cached_property
    def fit(self) -> Strengths:
        """The fitted strengths."""
        return fitted_strengths(self.battles)

    @cached_property
    def scores(self) -> dict[str, tuple[int, float]]:
        """The number of battles of each model, and the share of points it won."""
        battles = self.battles
        found = {}
        for place, name in enumerate(battles.names):
            as_first, as_second = battles.first == place, battles.second == place
            number = int(as_first.sum() + as_second.sum())
            points = float(battles.result[as_first].sum() + (1 - battles.result[as_second]).sum())
            found[name] = (number, points / number)
        return found

    @cached_property
    def strengths(self) -> dict[str, Estimate]:
        """The strength of each model; without an upper limit where it won all its points, or a lower where none."""
        found = {}
        for place, name in enumerate(self.battles.names):
            estimate = self._estimate(name, np.eye(len(self.fit.values))[place])
            share = self.scores[name][1]
            low = -math.inf if share == 0 else estimate.low
            high = math.inf if share == 1 else estimate.high
            found[name] = Estimate(
                name, estimate.value, low, high, self.level, estimate.method, self.scores[name][0], "this model",
                se=estimate.se,
            )  # fmt: skip
        return found

    @cached_property
    def advantage(self) -> Estimate:
        """The advantage of the first place, on the logit scale."""
        return self._estimate("first place", np.eye(len(self.fit.values))[-1])

    def difference(self, first: str, second: str) -> Estimate:
        """How much stronger one model is than another, on the logit scale."""
        for name in (first, second):
            if name not in self.battles.names:
                raise OptionError(f"there is no model {name!r}", f"one of {', '.join(self.battles.names)}")
        contrast = np.zeros(len(self.fit.values))
        contrast[self.battles.names.index(first)] += 1
        contrast[self.battles.names.index(second)] -= 1
        return self._estimate(f"{first} - {second}", contrast)

    def _estimate(self, name: str, contrast: Floats) -> Estimate:
        value = float(contrast @ self.fit.values)
        share = 0.5 + self.level / 2
        by_information = float(ndtri(share)) * math.sqrt(float(contrast @ self.fit.information @ contrast))
        by_question = float(stdtrit(self.fit.df, share)) * math.sqrt(float(contrast @ self.fit.by_question @ contrast))
        reach = max(by_information, by_question)
        method = "penalised Bradley-Terry, wider of information and CR3"
        se = math.sqrt(float(contrast @ self.fit.by_question @ contrast))
        return Estimate(
            name, value, value - reach, value + reach, self.level, method, len(self.battles.first), "this model", se=se
        )

    @cached_property
    def best(self) -> tuple[str, ...]:
        """The models that no other beats beyond the largest of correlated t statistics."""
        count = len(self.battles.names)
        values, covariance = self.fit.values[:count], self.fit.by_question[:count, :count]
        covariance = np.maximum(1.0, _ratio(self.fit.information, covariance, count)) * covariance
        roots, vectors = np.linalg.eigh(covariance)
        rng = np.random.default_rng(0)
        drawn = rng.standard_normal((DRAWS, count)) @ (vectors * np.sqrt(np.maximum(roots, 0))).T
        drawn /= np.sqrt(rng.chisquare(self.fit.df, DRAWS) / self.fit.df)[:, None]
        kept = []
        for i, name in enumerate(self.battles.names):
            others = [j for j in range(count) if j != i]
            errors = np.sqrt([covariance[i, i] + covariance[j, j] - 2 * covariance[i, j] for j in others])
            largest = np.max((drawn[:, others] - drawn[:, [i]]) / errors, axis=1)
            if float(np.max((values[others] - values[i]) / errors)) <= float(np.quantile(largest, self.level)):
                kept.append(name)
        return tuple(kept)

    @property
    def cautions(self) -> list[str]:
        """What to be careful about."""
        found = []
        for name, (_, share) in self.scores.items():
            if share in (0.0, 1.0):
                found.append(f"{name} {'won' if share else 'lost'} every battle: its interval is one-sided.")
        if self.advantage.low > 0 or self.advantage.high < 0:
            place = "first" if self.advantage.value > 0 else "second"
            size = abs(self.advantage.value)
            found.append(f"Position bias: the {place} place has an advantage of {size:.2f} (logit).")
        if len(set(self.battles.question)) == len(self.battles.question):
            found.append("Each battle is taken as a question of its own: name the column of questions if they repeat.")
        return found

    def table(self) -> Table:
        """A row for each model, the strongest first."""
        ranked = sorted(self.strengths.items(), key=lambda each: -float(each[1].value))
        columns: dict[str, list[Any]] = {"model": [name for name, _ in ranked]}
        columns["battles"] = [self.scores[name][0] for name, _ in ranked]
        columns["points"] = [self.scores[name][1] for name, _ in ranked]
        columns |= {part: [getattr(one, part) for _, one in ranked] for part in ("value", "low", "high")}
        columns["Elo"] = [round(ELO * one.value) for _, one in ranked]
        columns["tied for the best"] = ["yes" if name in self.best else "no" for name, _ in ranked]
        return Table(columns, title="Strengths, differences from the mean (logit); each interval by itself")

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        models = {
            name: {"battles": self.scores[name][0], "points": self.scores[name][1], "strength": one.to_dict(),
                   "elo": ELO * one.value}
            for name, one in self.strengths.items()
        }  # fmt: skip
        return {
            "schema": "assay.battles/1",
            "source": self.name,
            "level": self.level,
            "battles": len(self.battles.first),
            "questions": len(set(self.battles.question)),
            "ties": int((self.battles.result == 0.5).sum()),
            "both_bad": self.battles.both_bad,
            "models": models,
            "tied_for_best": list(self.best),
            "first_place": self.advantage.to_dict(),
            "cautions": self.cautions,
        }

    def report(self, path: str | PathLike[str]) -> None:
        """Write a page that opens anywhere."""
        render("page", self, path)


def _ratio(information: Floats, by_question: Floats, count: int) -> float:
    """By how much the mean variance by the information matrix exceeds that by questions."""
    other = float(np.trace(by_question[:count, :count]))
    return float(np.trace(information[:count, :count])) / other if other > 0 else 1.0


def evaluate_battles(data: Any, *, level: float = 0.95, question: str | None = None) -> BattleEvaluation:
    """Return the strengths of models by their battles, who is tied for the best, and the advantage of the first place.

    `data` is a table with columns model_a, model_b and winner (model_a, model_b, tie, ...); `question` names the column
    of questions, whose battles depend on one another (question_id where there is one).

    >>> rows = {"model_a": ["x", "y"] * 20, "model_b": ["y", "x"] * 20, "winner": ["model_a", "tie"] * 20}
    >>> evaluate_battles(rows).difference("x", "y").value > 0
    True
    """
    checked_level(level, "level")
    columns, name = _columns(data)
    for column in ("model_a", "model_b", "winner", *([question] if question is not None else [])):
        if column not in columns:
            raise OptionError(f"{name} has no column {shown(column)}", f"one of {listed(list(columns))}")
    of_question = question or ("question_id" if "question_id" in columns else None)
    size = len(columns["winner"])
    questions = [str(value) for value in (columns[of_question] if of_question is not None else range(size))]
    results, both_bad = _results(columns["winner"])
    pairs = [(str(a), str(b)) for a, b in zip(columns["model_a"], columns["model_b"], strict=True)]
    same = next((place for place, (a, b) in enumerate(pairs) if a == b), None)
    if same is not None:
        raise OptionError(f"{shown(pairs[same][0])} plays itself in row {same + 1:,}", "two models a battle")
    codes = {model: place for place, model in enumerate(sorted({model for pair in pairs for model in pair}))}
    _refuse_few(pairs, list(codes))
    first, second = (np.array([codes[pair[side]] for pair in pairs], dtype=np.intp) for side in (0, 1))
    battles = Battles(tuple(codes), first, second, results, tuple(questions), both_bad)
    return BattleEvaluation(battles, level, name)


def _columns(data: Any) -> tuple[dict[str, list[Any]], str]:
    if isinstance(data, str | PathLike):
        from assay.sources.files import file_columns

        return dict(file_columns(data)), Path(data).name
    return columns_of(data), "the table"


def _results(winners: Sequence[Any]) -> tuple[Floats, int]:
    """The result of each battle for the first model, and how many ties were of two bad answers."""
    results, both_bad = np.empty(len(winners)), 0
    for place, value in enumerate(winners):
        word = str(value).strip().lower()
        if word not in (*FIRST, *SECOND, *TIES):
            raise OptionError(f"winner is {shown(value)} in row {place + 1:,}", "model_a, model_b or tie")
        results[place] = 1.0 if word in FIRST else 0.0 if word in SECOND else 0.5
        both_bad += word in TIES and "bad" in word
    return results, both_bad


def _refuse_few(pairs: Sequence[tuple[str, str]], names: Sequence[str]) -> None:
    """Refuse models with few battles, and groups of models that never met."""
    counts = Counter(name for pair in pairs for name in pair)
    fewest = min(names, key=lambda name: counts[name])
    if counts[fewest] < FEWEST_BATTLES:
        found = f"{shown(fewest)} has {counts[fewest]} battles"
        raise OptionError(found, f"at least {FEWEST_BATTLES} for each model; or its battles left out")
    met: dict[str, set[str]] = {name: set() for name in names}
    for a, b in pairs:
        met[a].add(b)
        met[b].add(a)
    reached, waiting = {names[0]}, [names[0]]
    while waiting:
        for other in met[waiting.pop()] - reached:
            reached.add(other)
            waiting.append(other)
    apart = [name for name in names if name not in reached]
    if apart:
        found = f"{listed(apart, 4)} never met the others"
        raise OptionError(found, "battles that link all models; or each group alone")
