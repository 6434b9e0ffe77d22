"""Several classifiers on the same cases: which is better, by how much, and how sure one can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.cautions import Caution
from assay.comparison import (
    FRESH_CASES,
    Cheapest,
    Difference,
    Rows,
    Verdict,
    cost_difference,
    holm,
    joint_losses,
    judge,
    mcnemar_of,
    net_benefit_difference,
)
from assay.comparison.costs import Method as CostMethod
from assay.costs import Costs
from assay.curves import Hull, roc_hull
from assay.errors import OptionError, UnknownName
from assay.evaluation._compared import cautions_of, subgroup_table
from assay.evaluation._differences import Aligned, losses_of
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._pair_tests import PairTests
from assay.evaluation._several import Evaluations
from assay.evaluation._together import cheapest_models, crossing_pairs
from assay.evaluation._two_classes import TwoClassEvaluation
from assay.evidence.paired import PairedCorrectness, PairedDecisions
from assay.measures import Measure
from assay.notebook import in_notebook
from assay.request import checked_level
from assay.results import Table, TestResult
from assay.uncertainty import p_of_folds

__all__ = ["Comparison"]

SCHEMA = "assay.comparison/1"
SHOWN = ("roc_auc", "average_precision", "brier", "log_loss", "accuracy", "f1", "balanced_accuracy", "mcc")
SHOWN_OF_MANY = ("hand_till", "macro_roc_auc", "brier", "log_loss", "accuracy", "macro_f1", "balanced_accuracy", "mcc")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Several classifiers' predictions about the same cases; every difference is the first minus the second.

    `places` says which of all cases each classifier's rows are, where not all have all of them; `unmatched` counts the
    rows of each that were left out because another had none for the same case.

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
    places: Mapping[str, NDArray[np.intp]] | None = None
    unmatched: Mapping[str, int] | None = None
    matched_by: str = "row"
    level: float = 0.95
    seed: int = 0
    _repr_html_ = in_notebook

    def __post_init__(self) -> None:
        checked_level(self.level)

    def __repr__(self) -> str:
        return "\n\n".join((str(self.table()), *self.sentences(self.default_measure)))

    @cached_property
    def _aligned(self) -> Aligned:
        return Aligned(self.models, self.places, self.seed)

    @cached_property
    def _by_subgroup(self) -> dict[tuple[Measure, int, int], Table]:
        return {}

    @cached_property
    def _cautions(self) -> dict[tuple[Measure, str | None], tuple[Caution, ...]]:
        return {}

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers, in order."""
        return tuple(self.models)

    @property
    def n(self) -> int:
        """How many cases there are."""
        return round(float(self._aligned.kept.any(0) @ self._aligned.rows.times))

    @property
    def default_measure(self) -> str:
        """The measure that is compared where none is named: the first that applies to all."""
        return next(name for name in (*self._shown, "accuracy") if self.applies(name))

    @property
    def _first(self) -> Evaluation:
        return next(iter(self.models.values()))

    @property
    def _shown(self) -> tuple[str, ...]:
        return SHOWN if isinstance(self._first, TwoClassEvaluation) else SHOWN_OF_MANY

    def _level(self, level: float | None) -> float:
        return self.level if level is None else checked_level(level)

    def applies(self, measure: str | Measure) -> bool:
        """Whether a measure can be computed for every classifier."""
        return all(ev.applies(measure) is None for ev in self.models.values())

    def find(self, measure: str | Measure) -> Measure:
        """The measure called so, which may be an alias."""
        return self._first.find(measure)

    def difference(
        self, measure: str | Measure, first: str, second: str, *, level: float | None = None, method: str | None = None
    ) -> Difference:
        """How much higher a measure is for the first classifier than for the second.

        `method` is the measure's own unless named: "bootstrap", "influence", "normal", "Hanley-McNeil" (AUC), or
        "Hanley-McNeil table".
        """
        pair = self._place(first), self._place(second)
        if pair[0] == pair[1]:
            raise OptionError(f"{first!r} cannot be compared with itself", "two models")
        (found,) = self._aligned.differences(self.find(measure), [pair], self._level(level), method)
        return found

    def verdict(
        self, measure: str, first: str, second: str, *, margin: float | None = None, level: float | None = None
    ) -> Verdict:
        """What may be said about two classifiers: better, practically the same, or that these cases cannot tell.

        `margin` is the largest difference that would not matter.
        """
        named = self.find(measure)
        return judge(
            self.difference(measure, first, second, level=level),
            named.title,
            named.better,
            margin=margin,
            assumptions=self.assumptions,
        )

    @property
    def assumptions(self) -> str:
        """What every comparison takes for granted, and what it cannot see."""
        rows = self._aligned.rows
        units = "rows" if rows.cluster is None else "clusters"
        same = "the same test set" if self.places is None else "scores missing at random"
        seen = "Not measured: retraining." if rows.fold is None else "Measured on one partition into folds only."
        return f"Assumes independent {units} and {same}. {seen}"

    def differences(
        self, measure: str, *, control: str | None = None, level: float | None = None, method: str | None = None
    ) -> list[Difference]:
        """All pairs, or all others against one control, adjusted so that all intervals and p-values hold together."""
        return self._aligned.differences(self.find(measure), self._pairs(control), self._level(level), method)

    def pairs(self, measure: str, *, control: str | None = None, level: float | None = None) -> Table:
        """The same as a table; `holm` shows what Holm's step-down procedure would decide, without intervals."""
        level = self._level(level)
        found = self.differences(measure, control=control, level=level)
        alone = [
            self._aligned.differences(self.find(measure), [pair], level, None)[0].p_value
            for pair in self._pairs(control)
        ]
        return Table(
            {
                "first": [d.first for d in found],
                "second": [d.second for d in found],
                "difference": [d.value for d in found],
                "low": [d.low for d in found],
                "high": [d.high for d in found],
                "p_value": [d.p_value for d in found],
                "holm": ["differ" if differ else "" for differ in holm(alone, level)],
                "method": [d.method + (f", {d.adjusted}" if d.adjusted else "") for d in found],
                "undefined": [d.undefined or "" for d in found],
            },
            title=f"{self.find(measure).title}: differences with {100 * level:g} % intervals that hold all at once",
        )

    def wins(self, measure: str) -> Table:
        """Who beats whom by the adjusted intervals: + the row is better, - it is worse, ? these cases cannot tell."""
        named = self.find(measure)
        if named.better == "neither":
            found = f"neither high nor low values of {named.title} are better, so nobody wins"
            raise OptionError(found, "a measure that is better high or low")
        sign = {name: dict.fromkeys(self.names, "") for name in self.names}
        for d in self.differences(measure):
            up = d.low > 0 if named.better == "higher" else d.high < 0
            down = d.high < 0 if named.better == "higher" else d.low > 0
            sign[d.first][d.second] = "+" if up else "-" if down else "?"
            sign[d.second][d.first] = "-" if up else "+" if down else "?"
        columns: dict[str, Sequence[Any]] = {"": list(self.names)}
        columns |= {name: [sign[row][name] for row in self.names] for name in self.names}
        columns["wins"] = [sum(mark == "+" for mark in sign[row].values()) for row in self.names]
        return Table(columns, title=f"{named.title}: + better, - worse, ? cannot tell")

    def test(self, measure: str = "roc_auc") -> TestResult:
        """Whether all classifiers score alike on a measure, as one test (for the AUC DeLong's, jointly)."""
        found, folds = self._aligned.joint(self.find(measure)).test(), self._aligned.fold_count
        return found if folds is None else replace(found, p_value=p_of_folds(found.p_value, folds))

    def table(self) -> Table:
        """The usual measures of every classifier, each with its own interval."""
        kept = [(name, ev, m) for m in self._shown if self.applies(m) for name, ev in self.models.items()]
        found = [ev.estimate(measure) for _, ev, measure in kept]
        return Table(
            {
                "measure": [self.find(measure).title for _, _, measure in kept],
                "model": [name for name, _, _ in kept],
                "estimate": [e.value for e in found],
                "low": [e.low for e in found],
                "high": [e.high for e in found],
                "method": [e.method for e in found],
            },
            title=f"Measures with {100 * self.level:g} % intervals, each by itself",
        )

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
        return self._costs_by_row(first, second, matrix)

    def cheapest(self, ratio: float = 1.0, *, prevalence: float | None = None) -> Cheapest:
        """Who is cheapest where a miss costs `ratio` false alarms, each at its cheapest threshold (cross-fitted)."""
        return cheapest_models(self.models, [ratio], prevalence, level=self.level, seed=self.seed)[0]

    def net_benefit_difference(self, first: str, second: str, threshold: float) -> Difference:
        """How much higher the first's net benefit is when both call positive from a threshold probability on."""
        moved = Comparison(
            Evaluations({name: ev.at(threshold) for name, ev in self.models.items()}), self.places, level=self.level
        )
        found = net_benefit_difference(moved.decisions(first, second), threshold, level=self.level, seed=self.seed)
        return replace(found, first=first, second=second)

    def _costs_by_row(self, first: str, second: str, matrix: NDArray[np.float64]) -> Difference:
        aligned, rows = self._aligned, self._aligned.rows
        losses = {
            name: matrix[aligned.decided(k).truth, aligned.decision(k)[0]]
            for name, k in ((first, self._place(first)), (second, self._place(second)))
        }
        by_row = Rows(rows.is_positive, rows.weight, rows.count, rows.cluster)
        return joint_losses(losses, by_row, measure="expected_cost").difference(0, 1, self.level)

    @cached_property
    def tests(self) -> PairTests:
        """Every other test of these classifiers, by the name of its author: `cmp.tests.cochran_q()`."""
        return PairTests(self)

    @cached_property
    def crossing(self) -> list[tuple[str, str]]:
        """The pairs of classifiers whose ROC curves cross by more than chance."""
        return crossing_pairs(self.models)

    @cached_property
    def hull(self) -> Hull:
        """The ROC hull of all of them: which is optimal under which costs and prevalence."""
        of_two = {name: ev for name, ev in self.models.items() if isinstance(ev, TwoClassEvaluation)}
        tables = {name: ev.scores for name, ev in of_two.items() if ev.scores is not None}
        if not tables:
            raise OptionError("a hull needs scores of two classes, and there are none", "models with scores")
        return roc_hull(tables)

    def by_subgroup(self, measure: str, first: str, second: str) -> Table:
        """The difference within each subgroup, adjusted so that all intervals and p-values hold together."""
        key = self.find(measure), self._place(first), self._place(second)
        if key not in self._by_subgroup:
            self._by_subgroup[key] = subgroup_table(self, key[0].name, first, second)
        return self._by_subgroup[key]

    def cautions(self, measure: str | None = None, *, control: str | None = None) -> tuple[Caution, ...]:
        """What to be careful about when these classifiers are compared by a measure."""
        named = self.find(measure or self.default_measure)
        if (named, control) not in self._cautions:
            found = self.differences(named.name, control=control)
            self._cautions[named, control] = cautions_of(self, named.name, found)
        return self._cautions[named, control]

    def sentences(self, measure: str, *, margin: float | None = None, control: str | None = None) -> list[str]:
        """What the command line prints: a verdict for two classifiers, tables for more."""
        if len(self.names) == 2:
            first, second = (self.names[k] for k in self._pairs(control)[0])
            lines = str(self.verdict(measure, first, second, margin=margin))
            return [f"{lines}\n{self._who(first, second)}".rstrip()]
        named = self.find(measure)
        verdicts = [
            judge(d, named.title, named.better, margin=margin).words.split("\n")[0]
            for d in self.differences(measure, control=control)
        ]
        said = [f"{self.assumptions} {FRESH_CASES}"]
        wins = [] if control or named.better == "neither" else [f"{self.wins(measure).title}\n{self.wins(measure)}"]
        return ["\n".join(verdicts), *wins, *said]

    def _who(self, first: str, second: str) -> str:
        if any(ev.matrix is None for ev in self.models.values()):
            return ""
        right = self.who_was_right(first, second)
        cells = (right.total, right.both, right.only_first, right.only_second, right.neither)
        n, both, one, other, neither = (f"{float(cell):,.15g}" for cell in cells)
        return f"Of {n} cases: both right {both} · only {first} {one} · only {second} {other} · both wrong {neither}"

    def report(
        self,
        path: str | PathLike[str],
        measure: str | Sequence[str] | None = None,
        *,
        margin: float | None = None,
        control: str | None = None,
        embed_rows: bool = False,
    ) -> None:
        """Write a page anyone can open: one offline HTML file; the verdict is about the first measure.

        With `embed_rows` it holds the rows behind each cell of the confusion matrices.
        """
        from assay.report import Compared, write_html

        asked = [measure] if isinstance(measure, str) else list(measure or [self.default_measure])
        compared = Compared(self, tuple(self.find(name).name for name in asked), margin, control)
        write_html(self.models, path, compared, embed_rows=embed_rows)

    def to_dict(
        self, measure: str | None = None, *, margin: float | None = None, control: str | None = None
    ) -> dict[str, Any]:
        """The record that `--format json` prints: each classifier's estimate, each pair's difference and verdict."""
        named = self.find(measure or self.default_measure)
        found = self.differences(named.name, control=control)
        judged = [judge(d, named.title, named.better, margin=margin, assumptions=self.assumptions) for d in found]
        return {
            "schema": SCHEMA,
            "source": self._first.source.to_dict(),
            "n": self.n,
            "matched_by": self.matched_by,
            "unmatched": dict(self.unmatched or {}),
            "measure": named.name,
            "level": self.level,
            "models": {name: ev.estimate(named.name).to_dict() for name, ev in self.models.items()},
            "comparisons": [verdict.to_dict() for verdict in judged],
            "assumptions": self.assumptions,
            "cautions": [caution.to_dict() for caution in self.cautions(named.name, control=control)],
        }

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise UnknownName(f"there is no model {name!r}", f"one of {', '.join(map(repr, self.names))}")
        return self.names.index(name)

    def _pairs(self, control: str | None) -> list[tuple[int, int]]:
        if control is None:
            return list(combinations(range(len(self.names)), 2))
        reference = self._place(control)
        return [(k, reference) for k in range(len(self.names)) if k != reference]
