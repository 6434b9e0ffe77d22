"""An evaluation of which only a sample of the rows is labelled: every measure of all rows, from the labels of some."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from assay.cautions import Caution, SampledFacts, check
from assay.comparison import Difference
from assay.errors import OptionError
from assay.evaluation.attributes import misspelt
from assay.evaluation.measure_properties import TwoClassMeasures
from assay.evidence import ConfusionMatrix, quantiles
from assay.labelling import (
    COMPARED,
    FEWEST_OF_A_CLASS,
    SCORES,
    TARGETS,
    LabelledRows,
    Target,
    estimated,
    sampled_difference,
)
from assay.measures import Measure, find, registry
from assay.predictions import Predictions
from assay.renderers import in_notebook, render
from assay.request import checked_level, checked_threshold
from assay.results import Estimate, PairTable, Table, counted
from assay.sources import Source

__all__ = ["Labelled", "SampledComparison", "SampledEvaluation"]

SCHEMA = "assay.sampled/1"
SAMPLED = "t, larger of design and model variance"
NOT_YET = "it is not known from a sample of labels; label every row, or use another measure"
NO_SCORES, NO_CALLS = (
    "there are labels but no scores",
    "scores outside [0, 1] have no default threshold; use ev.at(...)",
)
NO_PROBABILITIES = "some scores are outside [0, 1], so they are no probabilities"
# What a first look shows, and into how many ranges of the score the labels are counted.
HEADLINE = ("recall", "precision", "f1", "accuracy", "roc_auc", "average_precision", "brier")
USUAL = (
    *("recall", "precision", "f1", "accuracy", "specificity", "npv", "balanced_accuracy", "mcc"),
    *("roc_auc", "average_precision", "brier", "log_loss"),
)
RANGES = 10


@dataclass(frozen=True)
class Labelled:
    """How many of the rows are labelled, how many of those are of each class, and how unequal their weights are.

    `heaviest` is the share of the total weight on the labelled row with the largest one.
    """

    rows: int
    labels: int
    positives: int
    heaviest: float
    ranges: Table

    _repr_html_ = in_notebook

    @property
    def negatives(self) -> int:
        """How many labelled rows are negative."""
        return self.labels - self.positives

    def __repr__(self) -> str:
        classes = f"{self.positives:,} positive, {self.negatives:,} negative"
        return f"{self.labels:,} of {self.rows:,} rows are labelled: {classes}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        counts = {"rows": self.rows, "labels": self.labels, "positives": self.positives, "negatives": self.negatives}
        return {**counts, "heaviest": self.heaviest, "ranges": self.ranges.to_dict()}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledEvaluation(TwoClassMeasures):
    """How good predictions are, from labels of a sample of the rows with known inclusion probabilities.

    Measures are attributes, each an `Estimate` whose `target` is "these rows" (what labels of all of them would show)
    or "new cases like these". Measures without a method for samples say so in place of a number.

    >>> import assay, numpy as np
    >>> generator = np.random.default_rng(7)
    >>> score = generator.random(2000)
    >>> y = np.where(generator.random(2000) < 0.1, generator.random(2000) < score, np.nan)
    >>> ev = assay.evaluate(y, score, inclusion=np.full(2000, 0.1))
    >>> ev.labelled
    200 of 2,000 rows are labelled: 101 positive, 99 negative
    >>> ev.recall
    0.763 [0.697, 0.824]
    """

    source: Source
    predictions: Predictions
    sample: LabelledRows
    classes: tuple[str, str]
    level: float = 0.95
    target: Target = "rows"
    threshold_used: float | None = None
    threshold_was_given: bool = False
    # Rows that were drawn and have no label.
    unanswered: int = 0
    assumes: str = "Every row had the inclusion probability given, and no row was labelled for another reason."

    if not TYPE_CHECKING:  # a type checker knows every attribute there is, and must not be told that any name will do

        def __getattr__(self, name: str) -> NoReturn:
            raise misspelt(self, name, "an evaluation from a sample of labels has no attribute or measure named")

    def __repr__(self) -> str:
        return str(render("text", self))

    _repr_html_ = in_notebook

    @property
    def positive(self) -> str:
        """The positive class."""
        return self.classes[1]

    @property
    def n(self) -> int:
        """How many rows there are, labelled or not."""
        return len(self.sample)

    @property
    def registry(self) -> Mapping[str, Measure]:
        """The measures of two classes, by name."""
        return registry

    @property
    def has_probabilities(self) -> bool:
        """Whether the scores can be read as probabilities: all of them lie in [0, 1]."""
        return self.sample.score is not None and self.sample.has_probabilities

    def find(self, name: str | Measure) -> Measure:
        """Return the measure called `name`, which may be an alias."""
        return find(name)

    def reason_unavailable(self, name: str | Measure) -> str | None:
        """Return None if a measure is known from a sample of labels, else why not."""
        measure = self.find(name)
        if measure.needs is ConfusionMatrix:
            return NO_CALLS if self.sample.called is None else None
        if measure.name not in SCORES and measure.pairs is None:
            return NOT_YET
        return self._obstacle(measure.name)

    def _obstacle(self, name: str) -> str | None:
        if self.sample.score is None:
            return NO_SCORES
        needs = name in SCORES and SCORES[name].needs_probability
        return NO_PROBABILITIES if needs and not self.has_probabilities else None

    def estimate(self, name: str | Measure, *, level: float | None = None) -> Estimate:
        """Return a measure of all rows with its limits, at another level if you like."""
        measure = self.find(name)
        return self._estimate(measure.name, measure, self.reason_unavailable(measure), level)

    def _estimate(self, name: str, measure: Measure | str, obstacle: str | None, level: float | None) -> Estimate:
        level = self.level if level is None else checked_level(level)
        if obstacle is not None:
            nan, about = math.nan, TARGETS[self.target]
            return Estimate(name, nan, nan, nan, level, "none", float(self.sample.labels), about, obstacle)
        if (name, level) not in self._estimates:
            self._estimates[name, level] = estimated(self.sample, measure, level, self.target)
        return self._estimates[name, level]

    @cached_property
    def _estimates(self) -> dict[tuple[str, float], Estimate]:
        return {}

    @property
    def observed_to_expected(self) -> Estimate:
        """Positives over the number that the probabilities expect: above 1, they are too low."""
        return self._of_calibration("observed_to_expected")

    @property
    def calibration_slope(self) -> Estimate:
        """The slope of Cox's line, fitted to the labelled rows: below 1, the probabilities are too extreme."""
        return self._of_calibration("calibration_slope")

    def _of_calibration(self, name: str) -> Estimate:
        return self._estimate(name, name, self._obstacle(name), None)

    @property
    def measures(self) -> dict[str, Estimate]:
        """Every measure of the registry, those that are not known from a sample with their reason."""
        return {name: self.estimate(name) for name in self.registry}

    def table(self, *, brief: bool = False) -> Table:
        """Return every measure that is known, or the usual ones, with its limits and how they were made."""
        wanted = USUAL if brief else tuple(self.registry)
        known = [(self.registry[n].title, e) for n in wanted if not math.isnan((e := self.estimate(n)).value)]
        if self.has_probabilities:
            calibration = (self.observed_to_expected, self.calibration_slope)
            known += zip(("Observed / expected", "Calibration slope"), calibration, strict=True)
        return Table(
            {
                "measure": [title for title, _ in known],
                "estimate": [e.value for _, e in known],
                "low": [e.low for _, e in known],
                "high": [e.high for _, e in known],
                "method": [e.method for _, e in known],
                "labels": [round(e.n) for _, e in known],
                "undefined": [e.undefined or "" for _, e in known],
            },
            title=f"Measures of {TARGETS[self.target]} with {100 * self.level:g} % intervals",
        )

    @property
    def headline(self) -> dict[str, Estimate]:
        """The measures that are shown first, those that are known."""
        found = {name: self.estimate(name) for name in HEADLINE}
        return {name: each for name, each in found.items() if not math.isnan(each.value)}

    def difference(
        self,
        measure: str | Measure,
        other: SampledEvaluation,
        *,
        level: float | None = None,
        names: tuple[str, str] = ("first", "second"),
    ) -> Difference:
        """Return how much higher a measure is here than for another model of the same rows with the same labels.

        >>> import assay, numpy as np
        >>> generator = np.random.default_rng(7)
        >>> a, b = generator.random((2, 2000))
        >>> y = np.where(generator.random(2000) < 0.1, generator.random(2000) < (3 * a + b) / 4, np.nan)
        >>> first, second = (assay.evaluate(y, each, inclusion=0.1) for each in (a, b))
        >>> first.difference("roc_auc", second, names=("a", "b"))
        a - b: ...
        """
        found, level = self.find(measure), self.level if level is None else checked_level(level)
        if found not in COMPARED:
            known = ", ".join(one.name for one in COMPARED)
            raise OptionError(
                f"differences of {found.name} from a sample of labels were not simulated", f"one of {known}"
            )
        for ev in (self, other):
            if (why := ev.reason_unavailable(found)) is not None:
                raise OptionError(f"{found.title} cannot be compared: {why}", "what it is computed from")
        if "new" in (self.target, other.target):
            raise OptionError("differences for new cases were not simulated", "target='rows'", about="target")
        if not np.array_equal(self.sample.label, other.sample.label, equal_nan=True) or not np.array_equal(
            self.sample.inclusion, other.sample.inclusion
        ):
            raise OptionError("the two models do not have the same labels of the same rows", "the same for both")
        if self.sample.has_probabilities != other.sample.has_probabilities:
            raise OptionError("one model has probabilities and the other scores", "scores of one kind")
        made = sampled_difference(self.sample, other.sample, found, level)
        return Difference(
            found.name, *names, made.value, made.low, made.high, level, made.p_value, SAMPLED, self.sample.labels,
            undefined=made.undefined, target=TARGETS[self.target], se=made.se, freedom=made.freedom,
            statistic=made.value / made.se if made.se else None,
        )  # fmt: skip

    @cached_property
    def labelled(self) -> Labelled:
        """How many rows are labelled, and from which part of the scores they come."""
        weights = self.sample.weight[self.sample.drawn]
        heaviest = float(weights.max() / weights.sum())
        return Labelled(self.n, self.sample.labels, self.sample.positives, heaviest, self._ranges())

    def _ranges(self) -> Table:
        """Rows, labels and labelled positives in each tenth of the scores."""
        sample = self.sample
        if sample.score is None:
            sides = ("all rows",) if sample.called is None else ("predicted negatives", "predicted positives")
            code = np.zeros(len(sample), np.intp) if sample.called is None else sample.called.astype(np.intp)
            return _tenths_table({"rows of": list(sides)}, code, sample)
        edges = np.array(list(dict.fromkeys(quantiles(sample.score, [k / RANGES for k in range(1, RANGES)]).tolist())))
        code = np.searchsorted(edges, sample.score, side="left")
        low = [float(sample.score.min()), *edges.tolist()]
        high = [*edges.tolist(), float(sample.score.max())]
        return _tenths_table({"score over": low, "up to": high}, code, sample)

    def at(self, threshold: float) -> SampledEvaluation:
        """Return the same labels with another threshold, chosen beforehand and not on these labels."""
        at = checked_threshold(threshold)
        if self.sample.score is None:
            raise OptionError(NO_SCORES, "a score for each row, if a threshold is to be used")
        sample = replace(self.sample, called=self.sample.score >= at, model=self.sample.working)
        return replace(self, sample=sample, threshold_used=at, threshold_was_given=True)

    @cached_property
    def cautions(self) -> tuple[Caution, ...]:
        """What to be careful about."""
        return check(self._facts())

    def _facts(self) -> SampledFacts:
        sample, ids = self.sample, self.predictions.id
        row = int(sample.drawn[sample.weight[sample.drawn].argmax()])
        few = []
        if sample.called is not None:
            drawn, positive = sample.called[sample.drawn], sample.label[sample.drawn] == 1
            sides = (("predicted positives", drawn), ("predicted negatives", ~drawn))
            kinds = (("positive", positive), ("negative", ~positive))
            few = [(int((side & kind).sum()), name, what) for name, side in sides for what, kind in kinds]
        return SampledFacts(
            heaviest=(f"row {row + 1:,}" if ids is None else str(ids[row]), self.labelled.heaviest),
            few_of_a_side=tuple((count, side, what) for count, side, what in few if count < FEWEST_OF_A_SIDE),
            positives=sample.positives,
            has_limits=min(sample.positives, sample.negatives) >= FEWEST_OF_A_CLASS,
            has_scores=sample.score is not None,
            unanswered=self.unanswered,
        )

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints; its schema is published in the docs."""
        shown = {name: each.to_dict() for name, each in self.measures.items()}
        if self.has_probabilities:
            shown |= {each.name: each.to_dict() for each in (self.observed_to_expected, self.calibration_slope)}
        return {
            "schema": SCHEMA,
            "source": self.source.to_dict(),
            "target": TARGETS[self.target],
            "labelled": self.labelled.to_dict(),
            "classes": list(self.classes),
            "positive": self.positive,
            "threshold": self.threshold_used,
            "level": self.level,
            "assumes": self.assumes,
            "measures": shown,
            "cautions": [caution.to_dict() for caution in self.cautions],
        }

    @property
    def sentence(self) -> str:
        """The first sentence of every output: the target, the rows, the labels, and the first measures."""
        about = {
            "rows": f"Of these {counted(self.n, 'row')}, estimated from {counted(self.sample.labels, 'label')}",
            "new": f"Of new cases like these {counted(self.n, 'row')}, estimated from "
            f"{counted(self.sample.labels, 'label')}",
        }[self.target]
        titles = [(self.registry[name].title, each) for name, each in list(self.headline.items())[:2]]
        # Names such as F1 and ROC AUC keep their capitals.
        found = [f"{title if title[1:2].isupper() else title.lower()} {each}" for title, each in titles]
        return f"{about}: {', '.join(found)}." if found else f"{about}."

    def report(self, path: str | PathLike[str]) -> None:
        """Write a page anyone can open: one offline HTML file."""
        render("page", self, path)


FEWEST_OF_A_SIDE = 5


def _tenths_table(names: Mapping[str, Any], code: Any, sample: LabelledRows) -> Table:
    size = len(next(iter(names.values())))
    drawn = sample.drawn
    labels = np.bincount(code[drawn], minlength=size)
    positives = np.bincount(code[drawn], sample.label[drawn], minlength=size)
    return Table(
        {
            **names,
            "rows": np.bincount(code, minlength=size).tolist(),
            "labels": labels.tolist(),
            "positive labels": positives.astype(int).tolist(),
        },
        title="Where the labels come from",
    )


@dataclass(frozen=True, eq=False, repr=False)
class SampledComparison:
    """Two models of the same rows with the same labels of some of them: their differences by some measures.

    The first measure is primary; the intervals and p-values of the others are adjusted among themselves.
    """

    models: Mapping[str, SampledEvaluation]
    measures: tuple[str, ...]
    level: float = 0.95

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(render("text", self))

    @cached_property
    def differences(self) -> list[Difference]:
        """The first model minus the second, by each measure."""
        (one, first), (two, second) = self.models.items()
        others = max(1, len(self.measures) - 1)
        found = [first.difference(self.measures[0], second, level=self.level, names=(one, two))]
        for name in self.measures[1:]:
            each = first.difference(name, second, level=1 - (1 - self.level) / others, names=(one, two))
            adjusted = f"Bonferroni over {others} measures" if others > 1 else None
            p_value = min(1.0, others * each.p_value)
            found.append(replace(each, level=self.level, p_value=p_value, adjusted=adjusted))
        return found

    def table(self) -> PairTable:
        """Return a row for each measure: both models' values, the difference, its limits and p-value."""
        one, two = self.models
        titles = [registry[each.measure].title for each in self.differences]
        values = {name: [ev.estimate(d.measure).value for d in self.differences] for name, ev in self.models.items()}
        return PairTable.of(
            {"measure": titles, **values},
            [replace(each.row(), undefined=each.undefined) for each in self.differences],
            f"{one} - {two}, of these rows, with {100 * self.level:g} % intervals",
        )

    @property
    def sentence(self) -> str:
        """The first sentence: the rows, the labels, and the difference by the primary measure."""
        first, difference = next(iter(self.models.values())), self.differences[0]
        title = registry[difference.measure].title
        title = title if title[1:2].isupper() else title.lower()
        about = f"Of these {counted(first.n, 'row')}, estimated from {counted(first.labelled.labels, 'label')}"
        return f"{about}: {title}, {difference}."

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints."""
        return {
            "schema": "assay.sampled-comparison/1",
            "target": TARGETS["rows"],
            "labelled": next(iter(self.models.values())).labelled.to_dict(),
            "differences": [each.to_dict() for each in self.differences],
        }
