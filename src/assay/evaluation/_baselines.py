"""Baselines: what answers that look at no case at all would score on the same data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable
from assay.measures import Measure, chance_matrix, registry, registry_of_many
from assay.renderers import in_notebook

__all__ = ["Baselines"]

ROUNDING = 1e-12


@dataclass(frozen=True)
class Baselines:
    """The four dumb answers, scored by the same formulas as the classifier.

    `majority` always answers the commonest class, `always_positive` the positive one, `prior_random` draws an answer
    with the classes' own frequencies (its expected matrix is scored), `constant_probability` says the prevalence, or
    the share of each of many classes. Of many classes none is positive.

    >>> baselines = Baselines.of({"no": 9700.0, "yes": 300.0})
    >>> baselines.majority_class, round(baselines.value("majority", "accuracy"), 3)
    ('no', 0.97)
    >>> round(baselines.value("always_positive", "f1"), 5)
    0.05825
    """

    class_sizes: dict[str, float]
    majority: ConfusionMatrix
    always_positive: ConfusionMatrix | None
    prior_random: ConfusionMatrix
    constant_probability: ScoreTable | ClassScores | None

    _repr_html_ = in_notebook

    @classmethod
    def of(cls, class_sizes: dict[str, float]) -> Baselines:
        """Baselines for classes of these sizes, the positive one of two last."""
        sizes = np.array(list(class_sizes.values()))
        names = tuple(class_sizes)
        is_binary = len(names) == 2
        return cls(
            class_sizes,
            majority=_constant(sizes, int(sizes.argmax()), names),
            always_positive=_constant(sizes, len(names) - 1, names) if is_binary else None,
            prior_random=chance_matrix(ConfusionMatrix(np.diag(sizes), names)),
            constant_probability=_always_the_share(sizes, names) if is_binary else _always_the_shares(sizes, names),
        )

    @property
    def _registry(self) -> Mapping[str, Measure]:
        return registry if len(self.class_sizes) == 2 else registry_of_many

    @property
    def majority_class(self) -> str:
        """The commonest class (the first of them, if several are)."""
        return max(self.class_sizes, key=lambda name: self.class_sizes[name])

    def value(self, baseline: str, measure: str) -> float:
        """What a measure gives for a baseline; nan where it is undefined or does not apply."""
        evidence, asked = getattr(self, baseline), self._registry[measure]
        return _scored(asked, evidence) if isinstance(evidence, asked.needs) else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Every baseline with every measure it has, undefined ones as None."""
        answers: dict[str, dict[str, Any]] = {
            "majority": {"answer": self.majority_class},
            "always_positive": {"answer": list(self.class_sizes)[-1]},
            "prior_random": {},
            "constant_probability": {},
        }
        if isinstance(self.constant_probability, ScoreTable):
            answers["constant_probability"]["answer"] = float(self.constant_probability.score[0])
        return {
            name: {**answer, "measures": self._scores(name)}
            for name, answer in answers.items()
            if getattr(self, name) is not None
        }

    def _scores(self, baseline: str) -> dict[str, float | None]:
        evidence = getattr(self, baseline)
        needs = type(evidence)
        kept = ((name, measure) for name, measure in self._registry.items() if measure.needs is needs)
        values = {name: _scored(measure, evidence) for name, measure in kept}
        return {name: None if math.isnan(value) else value for name, value in values.items()}


def _scored(measure: Measure, evidence: Any) -> float:
    value = float(measure(evidence))
    # A skill or a kappa of nothing is nothing, whatever the last digit says.
    return 0.0 if abs(value) < ROUNDING else value


def _always_the_share(sizes: Any, names: tuple[str, ...]) -> ScoreTable:
    return ScoreTable(np.array([sizes[-1] / sizes.sum()]), sizes[:1], sizes[1:], (names[0], names[1]))


def _always_the_shares(sizes: Any, names: tuple[str, ...]) -> ClassScores:
    """One row a class that occurs, as often as it has cases, each with the shares of all classes."""
    codes = np.flatnonzero(sizes)
    rows = np.broadcast_to(sizes / sizes.sum(), (len(codes), len(sizes)))
    return ClassScores(rows, codes, names, count=sizes[codes])


def _constant(sizes: Any, answer: int, names: tuple[str, ...]) -> ConfusionMatrix:
    counts = np.zeros((len(sizes), len(sizes)))
    counts[:, answer] = sizes
    return ConfusionMatrix(counts, names)
