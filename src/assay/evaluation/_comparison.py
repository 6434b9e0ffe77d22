"""Several classifiers on the same cases: which is better, by how much, and how sure one can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from assay.cautions import Caution
from assay.comparison import (
    ALTERNATIVES,
    Alternative,
    Cheapest,
    Difference,
    cost_difference,
    mcnemar_of,
    net_benefit_difference,
)
from assay.comparison.costs import Method as CostMethod
from assay.costs import Costs
from assay.curves import Hull, roc_hull
from assay.errors import OptionError, UnknownName
from assay.evaluation._answer import HowCompared, HowJudged, HowTested, is_usual
from assay.evaluation._answering import Answering
from assay.evaluation._compared import cautions_of, nearly_equal, subgroup_table
from assay.evaluation._differences import Aligned, costs_by_row, losses_of
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._judged import measures_table, pairs_table, sentences_of, wins_table
from assay.evaluation._pair_tests import PairTests
from assay.evaluation._several import Evaluations
from assay.evaluation._shared import Shared
from assay.evaluation._together import cheapest_models, crossing_pairs
from assay.evaluation._two_classes import TwoClassEvaluation
from assay.evaluation._without_rows import aligned_by
from assay.evidence import ConfusionMatrix, ModelSums
from assay.evidence.paired import PairedCorrectness, PairedDecisions
from assay.measures import Measure
from assay.notebook import in_notebook
from assay.request import checked_choice, checked_level, checked_number
from assay.results import Table, TestResult
from assay.uncertainty import p_of_folds

__all__ = ["Comparison"]

SHOWN = ("roc_auc", "average_precision", "brier", "log_loss", "accuracy", "f1", "balanced_accuracy", "mcc")
SHOWN_OF_MANY = ("hand_till", "macro_roc_auc", "brier", "log_loss", "accuracy", "macro_f1", "balanced_accuracy", "mcc")
# What is compared where no measure is named, one for ranking, probabilities and decisions; and of labels alone.
KEYS = ("roc_auc", "hand_till", "brier", "accuracy")
KEYS_OF_LABELS = ("accuracy", "f1", "macro_f1")
# With more pairs of classifiers than this only the primary measure is compared.
MOST_PAIRS = 3


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Answering):
    """Several classifiers' predictions about the same cases; every difference is the first minus the second.

    `unmatched` counts the rows of each that were left out because another had none for the same case; `shared` says who
    has which cases where all are used. Without rows, `together` holds sums.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(400) < 0.4
    >>> good, poor = (1 / (1 + np.exp(-rng.normal(truth * gap - 1, 1))) for gap in (2.0, 1.2))
    >>> from assay.evaluation._compare import compare
    >>> cmp = compare(truth, {"good": good, "poor": poor})
    >>> cmp.difference("roc_auc", "good", "poor")
    good - poor: +0.106 [0.056, 0.156], p < 0.001 (paired DeLong)
    >>> cmp.verdict("roc_auc", "good", "poor", margin=0.01).outcome
    'better'
    """

    models: Evaluations
    unmatched: Mapping[str, int] | None = None
    matched_by: str = "row"
    level: float = 0.95
    seed: int = 0
    together: ModelSums | None = None
    _repr_html_ = in_notebook

    def __post_init__(self) -> None:
        checked_level(self.level)

    def __repr__(self) -> str:
        cautions = [f"{one.code}  {one.message}" for one in self.answer().cautions]
        said = (str(self.table()), *self.sentences(), "\n".join(cautions))
        return "\n\n".join(part for part in said if part)

    @cached_property
    def _aligned(self) -> Aligned:
        return aligned_by(self.together, self.models, self.places, self.seed)

    @cached_property
    def _by_subgroup(self) -> dict[tuple[Measure, int, int], Table]:
        return {}

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers, in order."""
        return tuple(self.models)

    @property
    def places(self) -> Mapping[str, NDArray[np.intp]] | None:
        """Which of all cases each classifier's rows are, where not all have all of them."""
        return self.models.places

    @cached_property
    def shared(self) -> Shared | None:
        """How many cases each classifier has and each two share, where not all have all of them."""
        return None if self.places is None else Shared.of(self.names, self._aligned.kept, self._aligned.rows.times)

    @property
    def n(self) -> int:
        """How many cases there are."""
        return round(float(self._aligned.kept.any(0) @ self._aligned.rows.times))

    @property
    def default_measure(self) -> str:
        """The measure that is compared where none is named: the first that applies to all."""
        return next(name for name in (*self._shown, "accuracy") if self.applies(name))

    @property
    def evaluations(self) -> list[Evaluation]:
        """The evaluation of each classifier, in order."""
        return list(self.models.values())

    def _usual(self, options: HowJudged) -> Sequence[str]:
        """The default measure, and a key measure of each other kind where there are few pairs and no named test."""
        primary = self.default_measure
        if not is_usual(options) or len(self.pairs_of(options.get("control"))) > MOST_PAIRS:
            return [primary]
        keys = KEYS_OF_LABELS if self.find(primary).needs is ConfusionMatrix else KEYS
        return list(
            dict.fromkeys((primary, *(key for key in keys if key in self._first.registry and self.applies(key))))
        )

    def _cautions_about(
        self, measure: Measure, found: Sequence[Difference], pair: tuple[str, str] | None = None
    ) -> tuple[Caution, ...]:
        return cautions_of(self, measure, found, pair)

    @property
    def _first(self) -> Evaluation:
        return next(iter(self.models.values()))

    @property
    def _shown(self) -> tuple[str, ...]:
        return SHOWN if isinstance(self._first, TwoClassEvaluation) else SHOWN_OF_MANY

    def applies(self, measure: str | Measure) -> bool:
        """Whether a measure can be computed for every classifier."""
        return all(ev.applies(measure) is None for ev in self.models.values())

    def find(self, measure: str | Measure) -> Measure:
        """The measure called so, which may be an alias."""
        return self._first.find(measure)

    def difference(
        self,
        measure: str | Measure,
        first: str,
        second: str,
        *,
        level: float | None = None,
        method: str | None = None,
        alternative: Alternative = "two-sided",
        null: float = 0.0,
    ) -> Difference:
        """How much higher a measure is for the first classifier than for the second.

        `method` is the measure's own unless named: "DeLong", "Hanley-McNeil", "Obuchowski" (AUC), "Tango", "Wald",
        "Newcombe" (shares), "t" (mean losses), "Dirichlet", "normal", "influence", "bootstrap". What is named is
        computed wherever it can be, with a `caution`. The `alternative` "greater" or "less" gives a one-sided limit
        and the p-value of the same test; `null` is the difference that is tested.

        >>> import assay
        >>> cmp = assay.compare([0, 1] * 30, {"a": [0.1, 0.8, 0.3, 0.9] * 15, "b": [0.4, 0.3, 0.2, 0.9] * 15})
        >>> cmp.difference("roc_auc", "a", "b", method="delong", alternative="greater")
        a - b: +0.250 [0.142, inf], p < 0.001 (paired DeLong, greater)
        """
        pair = self._place(first), self._place(second)
        if pair[0] == pair[1]:
            raise OptionError(f"{first!r} cannot be compared with itself", "two models")
        checked_choice(alternative, ALTERNATIVES, "alternative")
        tested, level, named = checked_number(null, "null"), self._level(level), self.find(measure)
        (found,) = self._aligned.differences(named, [pair], level, method, alternative=alternative, null=tested)
        return found

    @property
    def assumptions(self) -> str:
        """What every comparison takes for granted, and what it cannot see."""
        rows = self._aligned.rows
        units = "rows" if rows.cluster is None else "clusters"
        same = "the same test set" if self.shared is None else f"answers missing at random: {self.shared.words}"
        seen = "Not measured: retraining." if rows.fold is None else "Measured on one partition into folds only."
        return f"Assumes independent {units} and {same}. {seen}{self.left_out}"

    @property
    def left_out(self) -> str:
        """Which pairs are not compared, where there are too many, and how to compare them."""
        return self._aligned.left_out

    def pairs_at_once(self, control: str | None, compared: int) -> int:
        """The number of pairs that intervals and p-values are adjusted for, where so many are compared."""
        return compared if control is not None else len(self._aligned.every_pair)

    def among_all_pairs(
        self, measure: Measure, pair: tuple[str, str], level: float, how: HowTested
    ) -> Difference | None:
        """The difference of one pair adjusted for all pairs, where there are too many to compare all of them."""
        if not self.left_out:
            return None
        places = self._place(pair[0]), self._place(pair[1])
        (found,) = self._aligned.differences(measure, [places], level, **how, among=self._aligned.every_pair)
        return found

    def differences(
        self,
        measure: str | Measure,
        *,
        control: str | None = None,
        level: float | None = None,
        method: str | None = None,
        alternative: Alternative = "two-sided",
        null: float = 0.0,
    ) -> list[Difference]:
        """All pairs (of over 25 models the best with each), or all with one control, adjusted to hold together."""
        named, level, null = self.find(measure), self._level(level), checked_number(null, "null")
        checked_choice(alternative, ALTERNATIVES, "alternative")
        pairs, among = self.pairs_of(control, named), self._aligned.every_pair if control is None else ()
        return self._aligned.differences(named, pairs, level, method, alternative=alternative, null=null, among=among)

    def pairs(
        self, measure: str, *, level: float | None = None, se: bool = False, **asked: Unpack[HowCompared]
    ) -> Table:
        """The same as a table; `holm` shows what Holm's step-down procedure would decide, without intervals.

        With `se` also the standard errors, statistics and degrees of freedom of the tests.
        """
        found = self.differences(measure, level=level, **asked)
        return pairs_table(self, found, self._level(level), asked, se=se)

    def wins(self, measure: str) -> Table:
        """Who beats whom by the adjusted intervals: + the row is better, - it is worse, ? inconclusive."""
        return wins_table(self, self.find(measure))

    def test(self, measure: str = "roc_auc", *, method: str | None = None) -> TestResult:
        """Whether all classifiers score alike on a measure, as one test (for the AUC DeLong's, jointly).

        By the name "DeLong" it is chi-squared as published, from two cases a class on.
        """
        named = self.find(measure)
        joint, folds = self._aligned.jointly_by_name(named, method), self._aligned.fold_count
        found = joint.test()
        if method is not None:
            return found
        return found if folds is None else replace(found, p_value=p_of_folds(found.p_value, folds))

    def table(self) -> Table:
        """The usual measures of every classifier, each with its own interval."""
        return measures_table(self, self._shown)

    def decisions(self, first: str, second: str) -> PairedDecisions:
        """The joint table of truth and both classifiers' decisions."""
        return self._aligned.paired(self._place(first), self._place(second))

    def who_was_right(self, first: str, second: str) -> PairedCorrectness:
        """How many cases both got right, only one of them, or neither."""
        return self.decisions(first, second).correctness()

    def mcnemar(self, first: str, second: str, form: str = "mid-p") -> TestResult:
        """McNemar's test that both are right equally often, in the form named."""
        return mcnemar_of(self.who_was_right(first, second), form)

    def cost_difference(
        self, first: str, second: str, *, costs: Costs | None = None, method: CostMethod = "smoothed"
    ) -> Difference:
        """How much more the first's decisions cost a case; every error costs 1 unless `costs` says otherwise."""
        paired = self.decisions(first, second)
        matrix = losses_of(costs, paired)
        if paired.squares is None and paired.clusters is None:
            return cost_difference(
                paired, matrix, method=method, names=(first, second), level=self.level, seed=self.seed
            )
        pair = {name: self._place(name) for name in (first, second)}
        return costs_by_row(self._aligned, pair, matrix, self.level)

    def cheapest(self, ratio: float = 1.0, *, prevalence: float | None = None) -> Cheapest:
        """Who is cheapest where a miss costs `ratio` false alarms, each at its cheapest threshold (cross-fitted)."""
        return cheapest_models(self.models, [ratio], prevalence, level=self.level, seed=self.seed)[0]

    def net_benefit_difference(self, first: str, second: str, threshold: float) -> Difference:
        """How much higher the first's net benefit is when both call positive from a threshold probability on."""
        at = Evaluations({name: ev.at(threshold) for name, ev in self.models.items()}, places=self.places)
        moved = Comparison(at, level=self.level)
        found = net_benefit_difference(moved.decisions(first, second), threshold, level=self.level, seed=self.seed)
        return replace(found, first=first, second=second)

    @cached_property
    def tests(self) -> PairTests:
        """Every other test of these classifiers, by the name of its author: `cmp.tests.cochran_q()`."""
        return PairTests(self)

    @cached_property
    def nearly_equal(self) -> tuple[str, str] | None:
        """Two classifiers whose scores nearly lie on a line, without being the same; None where there are none."""
        return nearly_equal(self)

    @cached_property
    def crossing(self) -> list[tuple[str, str]]:
        """The pairs of classifiers whose ROC curves cross by more than chance."""
        return crossing_pairs(self.models)

    @cached_property
    def hull(self) -> Hull:
        """The ROC hull of all of them: which is optimal under which costs and prevalence.

        A model with scores has its curve, one with predicted labels alone its one point.

        >>> import assay
        >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
        >>> settings = {"cautious": [0, 0, 0, 0, 0, 0, 1, 1], "bold": [0, 0, 1, 1, 1, 1, 1, 1]}
        >>> assay.compare(y_true, y_pred=settings).hull.at([0.5, 2]).table().columns["best"]
        ['cautious', 'bold']
        """
        of_two = {name: ev for name, ev in self.models.items() if isinstance(ev, TwoClassEvaluation)}
        each = {name: ev.matrix if ev.scores is None else ev.scores for name, ev in of_two.items()}
        known = {name: evidence for name, evidence in each.items() if evidence is not None}
        if not known:
            raise OptionError("a hull needs two classes", "models of two classes")
        return roc_hull(known)

    def by_subgroup(self, measure: str, first: str, second: str) -> Table:
        """The difference within each subgroup, adjusted so that all intervals and p-values hold together."""
        key = self.find(measure), self._place(first), self._place(second)
        if key not in self._by_subgroup:
            self._by_subgroup[key] = subgroup_table(self, key[0].name, first, second)
        return self._by_subgroup[key]

    def cautions(self, measure: str | None = None, *, control: str | None = None) -> tuple[Caution, ...]:
        """What to be careful about when these classifiers are compared by a measure."""
        return self.answer(measure or self.default_measure, control=control).cautions

    def sentences(self, measure: str | Sequence[str] | None = None, **asked: Unpack[HowJudged]) -> list[str]:
        """What the command line prints: a verdict for two classifiers, tables for more; asked for as `answer` is."""
        return sentences_of(self, self.answer(measure, **asked), asked)

    def report(
        self,
        path: str | PathLike[str],
        measure: str | Sequence[str] | None = None,
        *,
        margin: float | None = None,
        control: str | None = None,
        embed_rows: bool = False,
    ) -> None:
        """Write a page anyone can open: one offline HTML file; the first measure is the primary one.

        With `embed_rows` it holds the rows behind each cell of the confusion matrices.
        """
        from assay.report import Compared, write_html

        asked = [measure] if isinstance(measure, str) else list(measure or [])
        compared = Compared(self, tuple(self.find(name).name for name in asked), margin, control)
        write_html(self.models, path, compared, embed_rows=embed_rows)

    def _place(self, name: str) -> int:
        if not isinstance(name, str) or name not in self.names:
            raise UnknownName(f"there is no model {name!r}", f"one of {', '.join(map(repr, self.names))}")
        return self.names.index(name)

    def pairs_of(self, control: str | None, measure: Measure | None = None) -> list[tuple[int, int]]:
        """The places of every pair that is compared by a measure, or of all others beside one control."""
        named = measure or self.find(self.default_measure)
        return self._aligned.pairs(named, None if control is None else self._place(control))
