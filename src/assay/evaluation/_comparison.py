"""Several classifiers on the same cases: which is better, by how much, and how sure one can be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.cautions import Caution
from assay.comparison import Cheapest, Difference, Verdict, bonferroni, cost_difference, net_benefit_difference
from assay.comparison.costs import Method as CostMethod
from assay.costs import Costs
from assay.curves import Hull, roc_hull
from assay.errors import OptionError
from assay.evaluation._differences import PairedRows, costs_by_row, losses_of
from assay.evaluation._pair_tests import PairTests
from assay.evaluation._pairwise import PairwiseComparison
from assay.evaluation._several import Evaluations
from assay.evaluation._together import cautions_about_crossing, cheapest_models, crossing_pairs
from assay.evaluation._two_classes import TwoClassEvaluation
from assay.evaluation._without_rows import paired_estimator
from assay.evidence import ModelSums
from assay.evidence.paired import PairedCorrectness, PairedDecisions
from assay.measures import Measure
from assay.renderers import render
from assay.request import checked_level
from assay.results import PairTable, TestResult
from assay.uncertainty import p_of_folds

# Scores that correlate so nearly may come from models of which one contains the other.
NEARLY_THE_SAME = 0.98


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(PairwiseComparison):
    """Several classifiers' predictions about the same cases; every difference is the first minus the second.

    `unmatched` counts the rows of each that were left out because another had none for the same case; `shared` says who
    has which cases where all are used. Without rows, `together` holds sums over the cases.

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

    def __post_init__(self) -> None:
        checked_level(self.level)

    @cached_property
    def _estimator(self) -> PairedRows:
        return paired_estimator(self.together, self.models, self.places, self.seed)

    @cached_property
    def _by_subgroup(self) -> dict[tuple[Measure, int, int], PairTable]:
        return {}

    @property
    def places(self) -> Mapping[str, NDArray[np.intp]] | None:
        """Which of all cases each classifier's rows are, where not all have all of them."""
        return self.models.places

    def _facts_about(self, pair: tuple[str, str] | None) -> dict[str, Any]:
        return {
            "compared_models": len(self.names),
            "unmatched": sum((self.unmatched or {}).values()),
            "nearly_equal": self.nearly_equal if pair is None or {*(self.nearly_equal or ())} == {*pair} else None,
        }

    def _cautions_about(
        self, measure: Measure, found: Sequence[Difference], pair: tuple[str, str] | None = None
    ) -> tuple[Caution, ...]:
        cautions = super()._cautions_about(measure, found, pair)
        # A winner by the area may be the worse one where it matters, so curves that cross are told of whoever wins.
        if measure.planned != "auc":
            return cautions
        crossing = [each for each in self.crossing if pair is None or {*each} == {*pair}]
        return (*cautions, *cautions_about_crossing(self.models, crossing))

    def _counts_words(self, verdict: Verdict) -> str:
        if any(ev.matrix is None for ev in self.evaluations):
            return ""
        first, second = verdict.first, verdict.second
        right = self.who_was_right(first, second)
        cells = (right.total, right.both, right.only_first, right.only_second, right.neither)
        n, both, one, other, neither = (f"{float(cell):,.15g}" for cell in cells)
        return f"Of {n} cases: both right {both} · only {first} {one} · only {second} {other} · both wrong {neither}"

    def test(self, measure: str = "roc_auc", *, method: str | None = None) -> TestResult:
        """Whether all classifiers score alike on a measure, as one test (for the AUC DeLong's, jointly).

        By the name "DeLong" it is chi-squared as published, from two cases a class on.
        """
        named = self.find(measure)
        joint, folds = self._estimator.jointly_by_name(named, method), self._estimator.fold_count
        found = joint.test()
        if method is not None:
            return found
        return found if folds is None else replace(found, p_value=p_of_folds(found.p_value, folds))

    def decisions(self, first: str, second: str) -> PairedDecisions:
        """The joint table of truth and both classifiers' decisions."""
        return self._estimator.paired(self._place(first), self._place(second))

    def who_was_right(self, first: str, second: str) -> PairedCorrectness:
        """How many cases both got right, only one of them, or neither."""
        return self.decisions(first, second).correctness()

    def mcnemar(self, first: str, second: str, form: str = "mid-p") -> TestResult:
        """McNemar's test that both are right equally often, in the form named."""
        return self.tests.mcnemar(first, second, form)

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
        return costs_by_row(self._estimator, pair, matrix, self.level)

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
        return next(_nearly_equal(self), None)

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

    def by_subgroup(self, measure: str, first: str, second: str) -> PairTable:
        """The difference within each subgroup, adjusted so that all intervals and p-values hold together."""
        key = self.find(measure), self._place(first), self._place(second)
        if key not in self._by_subgroup:
            self._by_subgroup[key] = _subgroup_table(self, key[0].name, first, second)
        return self._by_subgroup[key]

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
        asked = [measure] if isinstance(measure, str) else list(measure or [])
        names = tuple(self.find(name).name for name in asked)
        render("page", self, path, names, margin, control, embed_rows=embed_rows)


def _subgroup_differences(cmp: Comparison, measure: str, first: str, second: str) -> dict[str, Difference]:
    """The difference within each subgroup, all intervals and p-values holding together (Bonferroni)."""
    known = {name: list(ev.subgroups) for name, ev in cmp.models.items()}
    groups = [group for group in known[first] if group in known[second]]
    if not groups:
        raise OptionError("the cases are in no subgroups", "the column that parts them: by='COLUMN'")
    level = 1 - (1 - cmp.level) / len(groups)
    found = {}
    for group in groups:
        parts = {name: cmp.models[name].subgroups[group] for name in (first, second)}
        of_group = type(cmp)(Evaluations(parts, places=_places_in(cmp, group, parts)), level=level, seed=cmp.seed)
        found[group] = of_group.difference(measure, first, second)
    return found


def _places_in(cmp: Comparison, group: str, parts: Iterable[str]) -> dict[str, NDArray[np.intp]] | None:
    """Which of a subgroup's cases each classifier's rows are, where not all have all of them."""
    if cmp.places is None:
        return None
    partings = {name: cmp.models[name].parting for name in parts}
    here = {
        name: cmp.places[name][one.codes == one.names.index(group)] for name, one in partings.items() if one is not None
    }
    someone = np.zeros(1 + max(int(places.max()) for places in here.values()), dtype=np.bool_)
    for places in here.values():
        someone[places] = True
    among = np.cumsum(someone) - 1
    return {name: among[places] for name, places in here.items()}


def _subgroup_table(cmp: Comparison, measure: str, first: str, second: str) -> PairTable:
    """The same as a table; p-values are multiplied by the number of subgroups."""
    found = _subgroup_differences(cmp, measure, first, second)
    each = list(found.values())
    times = len(each)
    rows = [replace(d.row(), p_value=bonferroni(d.p_value, times)) for d in each]
    return PairTable.of(
        {"subgroup": list(found), "cases": [round(d.n) for d in each]},
        rows,
        title=f"{cmp.find(measure).title} by subgroup, {first} - {second}: "
        f"{100 * cmp.level:g} % intervals that hold for all {times} at once",
    )


def _nearly_equal(cmp: Comparison) -> Iterator[tuple[str, str]]:
    """Pairs of models whose scores nearly lie on a line, without being the same."""
    scores = {
        name: ev.rows.score for name, ev in cmp.models.items() if ev.rows is not None and ev.rows.score is not None
    }
    for first, second in combinations(scores, 2) if cmp.places is None else ():
        one, other = scores[first], scores[second]
        if np.array_equal(one, other) or not (one.std() and other.std()):
            continue
        if float(np.corrcoef(one, other)[0, 1]) > NEARLY_THE_SAME:
            yield first, second
