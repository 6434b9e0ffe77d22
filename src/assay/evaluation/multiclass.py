"""One classifier's evaluation on more than two classes: averages over them, and each against the rest.

Each of many classes against the rest: estimates made when they are asked for, because there may be thousands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.cautions import EvaluationFacts
from assay.costs import Costs, checked_costs
from assay.errors import OptionError, UnknownName
from assay.evaluation.calibration import ClassCalibration, error_sums
from assay.evaluation.curves import ClassCurves
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.facts import facts_of_many, record_of
from assay.evaluation.measure_properties import ManyClassMeasures
from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable, SummedClasses
from assay.evidence.probability_losses import ErrorSums
from assay.measures import (
    Measure,
    average_precision,
    brier,
    find_for_many,
    ordinal_hand_till,
    registry,
    registry_of_many,
    roc_auc,
    volume_under_surface,
)
from assay.renderers import in_notebook
from assay.results import Estimate, Table
from assay.types import Codes

if TYPE_CHECKING:
    from assay.evaluation.binary import TwoClassEvaluation

__all__ = [
    "ASKED_OF_A_CLASS",
    "EachClass",
    "ManyClassEvaluation",
    "OneClass",
    "PerClass",
    "label_measures",
    "named_classes",
    "one_class",
]


# As many classes are named where some have no value.
MOST_NAMED = 5
# What everyone asks of a class, and of how many it is printed.
ASKED_OF_A_CLASS = ("recall", "precision", "f1")
MOST_SHOWN = 30


class PerClass(Mapping[str, Mapping[str, Estimate]]):
    """For each class, the measures of it against the rest."""

    _repr_html_ = in_notebook

    def __init__(self, ev: ManyClassEvaluation) -> None:
        self._ev = ev
        self._rows: dict[str, OneClass] = {}
        self._codes = {name: code for code, name in enumerate(ev.classes)}

    def __getitem__(self, name: str) -> Mapping[str, Estimate]:
        if name not in self._codes:
            raise UnknownName(f"there is no class {name!r}", f"one of {', '.join(map(repr, self._codes))}")
        if name not in self._rows:
            self._rows[name] = OneClass(self._ev, self._codes[name])
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._codes)

    def __len__(self) -> int:
        return len(self._codes)

    def __repr__(self) -> str:
        return str(_table(self))


class EachClass(dict[str, Mapping[str, Estimate]]):
    """The same of two classes, each as the positive one."""

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(_table(self))


class OneClass(Mapping[str, Estimate]):
    """The measures of one class against the rest: of labels, and of its scores where there are any."""

    _repr_html_ = in_notebook

    def __init__(self, ev: ManyClassEvaluation, code: int) -> None:
        self._ev = ev
        self._code = code
        self._found: dict[str, Estimate] = {}
        self._of_labels = label_measures()
        self._of_scores = []
        if ev.class_scores is not None or ev.class_tables:
            ends = [end for table in ev.class_tables for end in table.score[[0, -1]].tolist()]
            are_shares = ev.has_probabilities or (ev.class_scores is None and 0 <= min(ends) <= max(ends) <= 1)
            self._of_scores = [m for m in (roc_auc, average_precision, brier) if are_shares or m is not brier]

    def __getitem__(self, name: str) -> Estimate:
        if name not in self._found:
            if name in self._of_labels:
                matrix = self._ev.one_vs_rest_matrices[self._code]
                self._found[name] = self._ev.estimate_of(self._of_labels[name], matrix)
            elif name in [measure.name for measure in self._of_scores]:
                self._look_at_scores()
            else:
                raise UnknownName(f"there is no measure of one class named {name!r}", f"one of {', '.join(self)}")
        return self._found[name]

    def _look_at_scores(self) -> None:
        """All measures of the scores at once, so that their table need not be kept."""
        table = table_of_class(self._ev, self._code)
        assert table is not None
        for measure in self._of_scores:
            self._found[measure.name] = self._ev.estimate_of(measure, table)

    def __iter__(self) -> Iterator[str]:
        yield from self._of_labels
        yield from (measure.name for measure in self._of_scores)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return str(Table({"measure": list(self), "estimate": list(self.values())}))


def _table(classes: Mapping[str, Mapping[str, Estimate]]) -> Table:
    """What everyone asks of a class; there may be thousands of them."""
    shown = dict(islice(classes.items(), MOST_SHOWN))
    left_out = [f"and {len(classes) - len(shown):,} more"] if len(classes) > len(shown) else []
    columns = {name: [str(of[name]) for of in shown.values()] + [""] * len(left_out) for name in ASKED_OF_A_CLASS}
    return Table({"class": [*shown, *left_out], **columns})


def one_class(ev: ManyClassEvaluation, name: str) -> TwoClassEvaluation:
    """One of many classes against the rest, as an evaluation of two classes."""
    from assay.evaluation.binary import TwoClassEvaluation

    code = ev.classes.index(name)
    # A class may itself be called rest, and two classes of one name would be one.
    classes = ("rest" if name != "rest" else "all others", name)
    table = table_of_class(ev, code)
    return TwoClassEvaluation(
        source=ev.source,
        matrix=replace(ev.one_vs_rest_matrices[code], classes=classes, decisions=classes),
        scores=None if table is None else replace(table, classes=classes),
        level=ev.level,
        seed=ev.seed,
        rows=None if ev.rows is None else ev.rows.against(code, classes),
    )


def table_of_class(ev: ManyClassEvaluation, code: int) -> ScoreTable | None:
    """The scores of one class against the rest, from the cases or as evidence has them; None where there are none."""
    if ev.class_scores is not None:
        return ev.class_scores.against_rest(code)
    return ev.class_tables[code] if ev.class_tables else None


def label_measures() -> dict[str, Measure]:
    """The measures of one class that labels suffice for."""
    return {
        name: measure for name, measure in registry.items() if measure.of_one_class and measure.needs is ConfusionMatrix
    }


def named_classes(found: Estimate, average: Measure, matrix: ConfusionMatrix) -> Estimate:
    """An undefined average with the classes it is undefined for added to its reason; any other estimate as it is."""
    one = average.made_by[1][-1] if average.made_by is not None else None
    if not np.isnan(found.value) or not isinstance(one, Measure) or found.undefined != average.undefined:
        return found
    has_none = np.isnan(one(matrix.one_vs_rest())) & (matrix.actual > 0)
    names = [repr(name) for name, is_empty in zip(matrix.classes, has_none, strict=True) if is_empty]
    more = [f"{len(names) - MOST_NAMED:,} more"] if len(names) > MOST_NAMED else []
    return (
        replace(found, undefined=f"{found.undefined} ({', '.join([*names[:MOST_NAMED], *more])})") if names else found
    )


NO_SCORES = "there are labels but no scores"
NO_ROWS = "it needs the scores of each case for all classes, and evidence has those of each class by itself"
NO_SHARES = "some rows of scores lie outside [0, 1] or do not sum to 1, so they are no probabilities"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ManyClassEvaluation(Evaluation, ManyClassMeasures):
    """How good predictions of more than two classes are: `matrix` is always there, `class_scores` where scores are.

    Measures that concern one class are found in `per_class` and their averages among the attributes (`ev.macro_f1`);
    `against(name)` makes two classes of one and the rest, with thresholds, curves and costs.

    >>> import assay
    >>> truth, p = ["a", "b", "c"] * 10, [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]] * 10
    >>> ev = assay.evaluate(truth, y_proba=p)
    >>> ev.accuracy
    0.667 [0.488, 0.808]
    >>> ev.at(0.3)
    Traceback (most recent call last):
    assay.errors.UnknownAttribute: there are 3 classes and a threshold parts two; needed: ev.against('c').at(...)
    """

    matrix: ConfusionMatrix
    class_scores: ClassScores | None = None
    # The scores of each class against the rest, where evidence has these in place of every case's scores.
    class_tables: tuple[ScoreTable, ...] = ()
    # Those tables with the sums that evidence has beside them.
    class_sums: SummedClasses | None = None
    subgroups: Mapping[str, ManyClassEvaluation] = field(default_factory=dict)

    @property
    def registry(self) -> Mapping[str, Measure]:
        """The measures of more than two classes, by name."""
        return registry_of_many

    def find(self, name: str | Measure) -> Measure:
        """The measure called `name`, which may be an alias or hold parameters."""
        return find_for_many(name)

    def evidence_for(
        self, measure: Measure
    ) -> ConfusionMatrix | ScoreTable | ClassScores | SummedClasses | ErrorSums | None:
        """What a measure is computed from: the decisions, the scores or their errors, None where there are none."""
        if measure.needs is ErrorSums:
            return self.errors
        return self.matrix if measure.needs is ConfusionMatrix else self._held

    @cached_property
    def errors(self) -> ErrorSums | None:
        """What the probabilities miss the truth by, summed; None without probabilities."""
        return error_sums(self)

    def reason_unavailable(self, name: str | Measure) -> str | None:
        """None if a measure can be computed here, else why not."""
        measure = self.find(name)
        if measure.needs is not ConfusionMatrix and self.class_scores is None:
            held = self.class_sums
            lacking = NO_SCORES if not self.class_tables else NO_ROWS
            if held is not None and measure.lacks is not None:
                lacking = measure.lacks(held) or ""
            if lacking:
                return lacking
        return NO_SHARES if measure.needs_probability and not self.has_probabilities else None

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names, in the order of the matrix."""
        return self.matrix.classes

    @property
    def class_sizes(self) -> dict[str, float]:
        """How many cases each class has, or with weights what they sum to."""
        return {name: float(size) for name, size in zip(self.classes, self.matrix.actual, strict=True)}

    @property
    def has_scores(self) -> bool:
        """Whether there are scores: of every case, or of sums over the cases."""
        return self._held is not None

    @property
    def has_probabilities(self) -> bool:
        """Whether the scores can be read as probabilities: all of them lie in [0, 1] and those of a case sum to 1."""
        return self._held is not None and self._held.are_probabilities

    def _estimate(self, measure: Measure, level: float, method: str | None = None) -> Estimate:
        return named_classes(super()._estimate(measure, level, method), measure, self.matrix)

    @cached_property
    def per_class(self) -> Mapping[str, Mapping[str, Estimate]]:
        """For each class, the measures of it against the rest."""
        return PerClass(self)

    def against(self, name: str) -> TwoClassEvaluation:
        """One of many classes against the rest, as an evaluation of two classes: with curves, thresholds and costs.

        >>> import assay
        >>> truth, p = ["a", "b", "c"] * 10, [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]] * 10
        >>> ev = assay.evaluate(truth, y_proba=p)
        >>> ev.against("b").at(0.3).recall
        1.000 [0.722, 1.000]
        """
        if name not in self.classes:
            raise UnknownName(f"there is no class {name!r}", f"one of {', '.join(map(repr, self.classes))}")
        return one_class(self, name)

    def bayes_decisions(self, costs: Costs, *, calibrated_at: ArrayLike | None = None) -> Codes:
        """The cheapest decision for each case by its probabilities; one past the classes where rejecting is cheaper."""
        from assay.decisions import bayes_decisions

        shares = None if self.rows is None else self.rows.predictions.probability
        if shares is None or not self.has_probabilities:
            raise OptionError("there are no probabilities for each case", "those of every class, and the rows")
        return bayes_decisions(shares, checked_costs(costs).of_classes(self.classes), calibrated_at=calibrated_at)

    @cached_property
    def curves(self) -> ClassCurves:
        """The curves of all classes together, and `curves.against_rest(name)`."""
        return ClassCurves(self._held or self._scores("a curve"))

    def volume_under_surface(self) -> Estimate:
        """Chance that one case of each of three classes, given in their order, is put in it by its mean class."""
        scores = self._scores("the ROC surface")
        if len(self.classes) != 3 or scores.is_weighted or scores.count is not None or scores.cluster is not None:
            raise OptionError("the ROC surface is of single, independent cases of three classes", "such cases")
        return volume_under_surface(scores.probability @ np.arange(3), scores.truth, level=self.level)

    def ordinal_hand_till(self) -> Estimate:
        """Hand and Till's mean of pairwise areas of one score, the mean class, for classes given in their order."""
        scores = self._scores("Hand and Till's mean of one score")
        if scores.is_weighted or scores.count is not None or scores.cluster is not None:
            raise OptionError("the mean of one score is of single, independent cases", "such cases")
        places = np.arange(len(self.classes))
        return ordinal_hand_till(scores.probability @ places, scores.truth, level=self.level)

    @cached_property
    def calibration(self) -> ClassCalibration:
        """Whether the probabilities mean what they say."""
        scores = self._held or self._scores("calibration")
        if not self.has_probabilities:
            raise OptionError(f"calibration is about probabilities: {NO_SHARES}", "scores that sum to 1 in every row")
        return ClassCalibration(scores, self.level, self.seed)

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints; its schema is published in the docs."""
        return record_of(self)

    def _facts(self) -> EvaluationFacts:
        return facts_of_many(self)

    @property
    def _held(self) -> ClassScores | SummedClasses | None:
        """The scores of all cases, or what sums say of them."""
        return self.class_sums if self.class_scores is None else self.class_scores

    def _scores(self, what: str) -> ClassScores:
        if self.class_scores is None and self.class_tables:
            named = f"ev.against({self.classes[-1]!r}) has it of one class, or the rows"
            raise OptionError(f"{what} needs the scores of each case for all classes, and evidence has none", named)
        if self.class_scores is None:
            raise OptionError(f"{what} needs scores, and there are only labels", "a score for each class of each case")
        return self.class_scores
