"""One classifier's evaluation: evidence, and everything that is read from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from assay.cautions import Caution, check
from assay.curves import Curve, roc
from assay.evaluation._baselines import Baselines
from assay.evaluation._facts import facts_of
from assay.evidence import ConfusionMatrix, PairCounts, ScoreTable
from assay.measures import Measure, chance_matrix, find, registry
from assay.predictions import Predictions
from assay.results import Estimate, Table, TestResult
from assay.sources import Source
from assay.uncertainty import mann_whitney

__all__ = ["Evaluation", "Evaluations"]

SCHEMA = "assay.evaluation/1"
SCHEMA_OF_SEVERAL = "assay.evaluations/1"


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """How good one classifier's predictions are, each number with its interval.

    Measures are attributes: `ev.roc_auc`, `ev.recall` (aliases work: `ev.sensitivity`). `matrix` and `scores` are the
    evidence; `threshold` is what turned scores into decisions, or None where the labels were given.

    >>> import assay
    >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0] * 5, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 5)
    >>> ev.roc_auc
    0.889 [0.699, 0.963]
    >>> ev.at(0.3).recall
    1.000 [0.796, 1.000]
    """

    matrix: ConfusionMatrix | None
    scores: ScoreTable | None
    threshold: float | None
    source: Source
    threshold_was_given: bool = False
    level: float = 0.95
    seed: int = 0
    predictions: Predictions | None = None

    def __getattr__(self, name: str) -> Estimate:
        if not name.startswith("_"):
            try:
                return self.estimate(find(name).name)
            except KeyError:
                pass
        raise AttributeError(f"an Evaluation has no attribute and no measure called {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *registry})

    def __repr__(self) -> str:
        from assay.report import render_text

        return render_text({"": self})

    def _repr_html_(self) -> str:
        from assay.report import render_notebook

        return render_notebook({"": self})

    @property
    def _evidence(self) -> ConfusionMatrix | ScoreTable:
        evidence = self.matrix if self.matrix is not None else self.scores
        assert evidence is not None
        return evidence

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names, the positive one last."""
        return self._evidence.classes

    @property
    def positive(self) -> str | None:
        """The positive class, where there are two."""
        return self.classes[-1] if len(self.classes) == 2 else None

    @property
    def class_sizes(self) -> dict[str, float]:
        """How many cases each class has."""
        evidence = self._evidence
        sizes = evidence.actual if isinstance(evidence, ConfusionMatrix) else (evidence.negatives, evidence.positives)
        return {name: float(size) for name, size in zip(self.classes, sizes, strict=True)}

    @property
    def n(self) -> int:
        """How many cases there are."""
        return round(float(self._evidence.total))

    @property
    def has_probabilities(self) -> bool:
        """Whether the scores can be read as probabilities: all of them lie in [0, 1]."""
        return self.scores is not None and bool(self.scores.score[0] >= 0 and self.scores.score[-1] <= 1)

    def applies(self, name: str) -> str | None:
        """None if a measure can be computed here, else why not."""
        measure = find(name)
        if measure.needs is ScoreTable:
            if self.scores is None:
                return "there are labels but no scores"
            if measure.needs_probability and not self.has_probabilities:
                return "some scores lie outside [0, 1], so they are no probabilities"
        elif self.matrix is None:
            return "scores outside [0, 1] have no default threshold, and none was given"
        return None

    def estimate(self, name: str, *, level: float | None = None, method: str | None = None) -> Estimate:
        """A measure by name or alias, at another level or by another interval method if you like."""
        measure = find(name)
        level = self.level if level is None else level
        if not 0 < level < 1:
            raise ValueError(f"level must be a number between 0 and 1, got {level!r}")
        if (level, method) != (self.level, None):
            return self._estimate(measure, level, method)
        # Kept once computed: a user who wants one number waits for one number, and never twice.
        if measure.name not in self._estimates:
            self._estimates[measure.name] = self._estimate(measure, level)
        return self._estimates[measure.name]

    def _estimate(self, measure: Measure, level: float, method: str | None = None) -> Estimate:
        obstacle = self.applies(measure.name)
        if obstacle is not None:
            nan = float("nan")
            return Estimate(measure.name, nan, nan, nan, level, "none", self.n, undefined=obstacle)
        evidence = self.scores if measure.needs is ScoreTable else self.matrix
        return measure.estimate(evidence, level=level, method=method, seed=self.seed)

    @cached_property
    def _estimates(self) -> dict[str, Estimate]:
        return {}

    @property
    def measures(self) -> dict[str, Estimate]:
        """Every measure of the registry, those that do not apply with their reason."""
        return {name: self.estimate(name) for name in registry}

    @cached_property
    def per_class(self) -> dict[str, dict[str, Estimate]]:
        """For each class, the measures of one class against the rest."""
        if self.matrix is None:
            return {}
        kept = [measure for measure in registry.values() if measure.of_one_class]
        return {
            name: {m.name: m.estimate(each, level=self.level, seed=self.seed) for m in kept}
            for name, each in zip(self.classes, self.matrix.by_class(), strict=True)
        }

    def table(self) -> Table:
        """Every measure that applies, with its interval and how it was made."""
        shown = [(registry[name], e) for name, e in self.measures.items() if self.applies(name) is None]
        return Table(
            {
                "measure": [measure.title for measure, _ in shown],
                "estimate": [e.value for _, e in shown],
                "low": [e.low for _, e in shown],
                "high": [e.high for _, e in shown],
                "method": [e.method for _, e in shown],
                "n": [round(e.n) for _, e in shown],
                "undefined": [e.undefined or "" for _, e in shown],
            },
            title=f"Measures with {100 * self.level:g} % intervals",
        )

    def at(self, threshold: float) -> Evaluation:
        """The same scores, called positive from another threshold on."""
        if self.scores is None:
            raise ValueError("there are labels but no scores, so no threshold can be moved")
        matrix = self.scores.at(threshold)
        return replace(self, matrix=matrix, threshold=float(threshold), threshold_was_given=True)

    @cached_property
    def roc(self) -> Curve:
        """The ROC curve as data."""
        return roc(self._needed_scores("a ROC curve"))

    @property
    def pairs(self) -> PairCounts:
        """Pairs of a positive and a negative in order, tied and reversed: the parts of the c-index."""
        return self._needed_scores("pair counts").pairs

    def rank_test(self) -> TestResult:
        """The Mann-Whitney-Wilcoxon test that positives and negatives score alike."""
        return mann_whitney(self._needed_scores("a rank test"))

    @property
    def chance(self) -> ConfusionMatrix | None:
        """The confusion matrix chance alone would give with these margins, which kappa measures against."""
        return None if self.matrix is None else chance_matrix(self.matrix)

    @cached_property
    def baselines(self) -> Baselines:
        """What answers that look at no case would score."""
        return Baselines.of(self.class_sizes)

    @cached_property
    def cautions(self) -> tuple[Caution, ...]:
        """What to be careful about."""
        return check(facts_of(self))

    def report(self, path: str | PathLike[str]) -> None:
        """Write a page anyone can open: one offline HTML file."""
        from assay.report import write_html

        write_html({"": self}, path)

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints; its schema is published in the docs."""
        return {
            "schema": SCHEMA,
            "source": self.source.to_dict(),
            "classes": list(self.classes),
            "positive": self.positive,
            "threshold": self.threshold,
            "n": self.n,
            "measures": {name: e.to_dict() for name, e in self.measures.items()},
            "per_class": {name: {m: e.to_dict() for m, e in row.items()} for name, row in self.per_class.items()},
            "confusion": _confusion(self.matrix),
            "baseline": self.baselines.to_dict(),
            "cautions": [caution.to_dict() for caution in self.cautions],
        }

    def _needed_scores(self, what: str) -> ScoreTable:
        if self.scores is None:
            raise ValueError(f"{what} needs scores, and there are only labels")
        return self.scores


class Evaluations(Mapping[str, Evaluation]):
    """Several models' evaluations by name, in the order they came."""

    def __init__(self, models: Mapping[str, Evaluation]) -> None:
        self._models = dict(models)

    def __getitem__(self, name: str) -> Evaluation:
        return self._models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    def __repr__(self) -> str:
        from assay.report import render_text

        return render_text(self)

    def _repr_html_(self) -> str:
        from assay.report import render_notebook

        return render_notebook(self)

    def report(self, path: str | PathLike[str]) -> None:
        """Write one offline HTML page about all of them."""
        from assay.report import write_html

        write_html(self, path)

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints."""
        return {"schema": SCHEMA_OF_SEVERAL, "models": {name: ev.to_dict() for name, ev in self.items()}}


def _confusion(matrix: ConfusionMatrix | None) -> dict[str, Any] | None:
    if matrix is None:
        return None
    whole = np.array_equal(matrix.counts, matrix.counts.round())
    counts = matrix.counts.astype(np.int64) if whole else matrix.counts
    return {"true": list(matrix.classes), "predicted": list(matrix.decisions), "counts": counts.tolist()}
