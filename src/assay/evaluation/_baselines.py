"""Baselines: what answers that look at no case at all would score on the same data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import chance_matrix, registry

__all__ = ["Baselines"]


@dataclass(frozen=True)
class Baselines:
    """The four dumb answers, scored by the same formulas as the classifier.

    `majority` always answers the commonest class, `always_positive` the positive one, `prior_random` draws an answer
    with the classes' own frequencies (its expected matrix is scored), `constant_probability` says the prevalence.

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
    constant_probability: ScoreTable | None

    @classmethod
    def of(cls, class_sizes: dict[str, float]) -> Baselines:
        """Baselines for classes of these sizes, the positive one last."""
        sizes = np.array(list(class_sizes.values()))
        names = tuple(class_sizes)
        is_binary = len(names) == 2
        share = sizes[-1] / sizes.sum()
        return cls(
            class_sizes,
            majority=_constant(sizes, int(sizes.argmax()), names),
            always_positive=_constant(sizes, len(names) - 1, names) if is_binary else None,
            prior_random=chance_matrix(ConfusionMatrix(np.diag(sizes), names)),
            constant_probability=ScoreTable(np.array([share]), sizes[:1], sizes[1:], (names[0], names[1]))
            if is_binary
            else None,
        )

    @property
    def majority_class(self) -> str:
        """The commonest class (the first of them, if several are)."""
        return max(self.class_sizes, key=lambda name: self.class_sizes[name])

    def value(self, baseline: str, measure: str) -> float:
        """What a measure gives for a baseline; nan where it is undefined or does not apply."""
        evidence = getattr(self, baseline)
        if not isinstance(evidence, registry[measure].needs):
            return math.nan
        return float(registry[measure](evidence))

    def to_dict(self) -> dict[str, Any]:
        """Every baseline with every measure it has, undefined ones as None."""
        answers: dict[str, dict[str, Any]] = {
            "majority": {"answer": self.majority_class},
            "always_positive": {"answer": list(self.class_sizes)[-1]},
            "prior_random": {},
            "constant_probability": {},
        }
        if self.constant_probability is not None:
            answers["constant_probability"]["answer"] = float(self.constant_probability.score[0])
        return {
            name: {**answer, "measures": self._scores(name)}
            for name, answer in answers.items()
            if getattr(self, name) is not None
        }

    def _scores(self, baseline: str) -> dict[str, float | None]:
        needs = type(getattr(self, baseline))
        values = {name: self.value(baseline, name) for name, measure in registry.items() if measure.needs is needs}
        return {name: None if math.isnan(value) else value for name, value in values.items()}


def _constant(sizes: Any, answer: int, names: tuple[str, ...]) -> ConfusionMatrix:
    counts = np.zeros((len(sizes), len(sizes)))
    counts[:, answer] = sizes
    return ConfusionMatrix(counts, names)
