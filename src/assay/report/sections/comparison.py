"""A comparison with what was asked of it: which measures, which margin, which control.

Verdicts: which classifier is better, in words, and what that takes for granted.

Differences: every measure's difference between two classifiers with its interval, on one axis.

Who was right: of how many cases both, one, or neither.

The win matrix: who beats whom by intervals that hold all at once.

Who is cheapest where: the difference of what two models cost at every cost ratio, each at its cheapest threshold.

Hull owners: which classifier is the cheapest one under which costs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, groupby
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from assay.comparison import FRESH_CASES, Cheapest, Difference, Verdict
from assay.curves import Hull, roc_hull
from assay.errors import InputError, OptionError
from assay.evaluation import (
    Comparison,
    ComparisonAnswer,
    Evaluation,
    Evaluations,
    HowCompared,
    TwoClassEvaluation,
    cheapest_models,
    differences_of,
    paired,
)
from assay.measures import Measure
from assay.plots import Figure
from assay.plots.figure import Area, Axis, Line
from assay.report.blocks import Block, Cell, Forest, ForestRow, Grid, Heading, Picture, Sentence
from assay.report.live_text import RATIOS, depends_on, ratio_words
from assay.report.sections.figures import movable
from assay.report.wording import (
    beats,
    count,
    listed,
    model_names,
    number,
    p_equals,
    percent,
    shortened,
    tamed,
    threshold_words,
    value_words,
)
from assay.results import Table
from assay.text import in_sentence
from assay.types import Floats

__all__ = [
    "LEVELS",
    "Compared",
    "NotCompared",
    "best_of_several",
    "cheapest",
    "difference_rows",
    "difference_table",
    "differences",
    "hull_owners",
    "pairing",
    "secondary_best",
    "verdicts",
    "verdicts_in_brief",
    "who_was_right",
    "wins",
]


# Levels that a reader of a page may choose.
LEVELS = (0.9, 0.95, 0.99, 0.999)


@dataclass(frozen=True)
class NotCompared:
    """Several models that are no pairs, and why."""

    reason: str


@dataclass(frozen=True, eq=False)
class Compared:
    """A comparison as it is reported: the first of `measures` is primary; without any they are the usual ones.

    One that was not `asked` for comes along with the evaluation of several models.
    """

    comparison: Comparison
    measures: tuple[str, ...] = ()
    margin: float | None = None
    control: str | None = None
    asked: bool = True

    @cached_property
    def answer(self) -> ComparisonAnswer:
        """What every surface shows."""
        return self.answer_at(self.comparison.level, self.margin)

    def answer_at(self, level: float, margin: float | None) -> ComparisonAnswer:
        """The same at another level and with another margin."""
        return self.comparison.answer(self.measures or None, level=level, margin=margin, control=self.control)

    @cached_property
    def answers(self) -> Mapping[float, ComparisonAnswer]:
        """The answer at each level that a page offers."""
        levels = sorted({*LEVELS, self.comparison.level})
        first, *others = self.answer.measures
        for measure in (first, *others):
            # A measure at all levels before the next: what it is compared by is worked out once.
            for level in levels:
                how: HowCompared = {"control": self.control}
                differences_of(self.comparison, measure, others if measure is not first else (), level, how)
        return {level: self.answer_at(level, self.margin) for level in levels}

    @property
    def measure(self) -> Measure:
        """The primary measure."""
        return self.answer.measures[0]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What each model is called on the page."""
        return model_names(self.comparison.models)

    @property
    def differences(self) -> Sequence[Difference]:
        """The differences that the primary verdicts rest on."""
        return self.answer.differences[self.measure.name]

    @property
    def verdicts(self) -> Sequence[Verdict]:
        """What may be said about each pair by the primary measure."""
        return self.answer.primary

    @cached_property
    def cheapest(self) -> tuple[list[Cheapest], str]:
        """Who is cheapest at each cost ratio that the page stops at; or none, and why."""
        level, seed = self.comparison.level, self.comparison.seed
        try:
            return cheapest_models(self.comparison.models, RATIOS, level=level, seed=seed), ""
        except OptionError as error:
            return [], str(error).split(";")[0]

    @cached_property
    def best(self) -> str:
        """The model with the best value on these cases, whatever its interval."""
        return self.best_by(self.measure)

    def best_by(self, measure: Measure) -> str:
        """The same by any measure."""
        values = {key: ev.estimate(measure).value for key, ev in self.comparison.models.items()}
        sign = -1 if measure.better == "lower" else 1
        return max(values, key=lambda key: sign * values[key])


def pairing(models: Mapping[str, Evaluation]) -> Compared | NotCompared | None:
    """The comparison of models that were evaluated together, or why there is none; None for one model."""
    if len(models) < 2:
        return None
    try:
        found = paired(models if isinstance(models, Evaluations) else Evaluations(models))
    except InputError as error:
        return NotCompared(str(error))
    return Compared(found, asked=False)


# More pairs than this are read off the win matrix.
MOST_PAIRS = 10


def verdicts(compared: Compared) -> list[Block] | None:
    """A verdict for each pair, then once what all of them assume."""
    shown = compared.verdicts[:MOST_PAIRS]
    said = [Sentence(tamed(_joined_sentences(verdict.words))) for verdict in shown]
    more = len(compared.verdicts) - len(shown)
    rest = [Sentence(f"And {more:,} more pairs: see the table of pairwise results.")] if more else []
    rest += map(Sentence, map(tamed, _secondary_sentences(compared)))
    assumed = Sentence(f"{compared.comparison.assumptions} {FRESH_CASES}")
    return [Heading("Which is better"), *said, *rest, assumed]


def verdicts_in_brief(compared: Compared) -> list[str]:
    """What may be said of two models, or of the best of several and each of the others; then what that assumes."""
    if len(compared.names) == 2:
        said = [verdict.words.split("\n")[0] for verdict in compared.verdicts] + compared.answer.secondary_lines
    else:
        about = [found for found in compared.verdicts if compared.best in (found.first, found.second)]
        more = len(about) - MOST_PAIRS
        said = [f"{best_of_several(compared)}.", *(found.words.split("\n")[0] for found in about[:MOST_PAIRS])]
        said += [f"And {more:,} more pairs with it: assay compare shows all."] if more > 0 else []
        answer = compared.answer
        said += [" ".join(filter(None, [secondary_best(compared), answer.constant_words, answer.family_words]))]
    return [*map(tamed, said), f"{compared.comparison.assumptions} {FRESH_CASES}"]


def best_of_several(compared: Compared) -> str:
    """The best on these cases, and how many of the others it is shown to beat."""
    measure = compared.measure
    best = compared.best
    value = value_words(compared.comparison.models[best].estimate(measure))
    return (
        f"{compared.names[best]} has the best {in_sentence(measure.title)}, {value}; it is "
        f"{_pairs_won_words(compared, measure)}"
    )


def secondary_best(compared: Compared) -> str:
    """The best of several by each secondary measure, and how many of the others it is significantly better than."""
    found = [
        f"{compared.names[compared.best_by(measure)]} has the best "
        f"{compared.answer.title(measure)} and is {_pairs_won_words(compared, measure)}"
        for measure in compared.answer.measures[1:]
    ]
    return f"Secondary measures: {'; '.join(found)}." if found else ""


def _pairs_won_words(compared: Compared, measure: Measure) -> str:
    verdicts, best = compared.answer.verdicts[measure.name], compared.best_by(measure)
    return beats(sum(one.winner == best for one in verdicts), sum(best in (one.first, one.second) for one in verdicts))


def _secondary_sentences(compared: Compared) -> list[str]:
    """The secondary verdicts; their numbers stand in the figure of differences."""
    answer = compared.answer
    words = [answer.secondary_words, answer.constant_words, answer.family_words if answer.secondary else ""]
    return [" ".join(filter(None, words))] if any(words) else []


def _joined_sentences(words: str) -> str:
    """The lines of a verdict as sentences in a row; that about fresh cases is said once for all.

    >>> _joined_sentences(f"a is better than b.  Difference 0.1\\n{FRESH_CASES}")
    'a is better than b.  Difference 0.1.'
    """
    lines = [line for line in words.split("\n") if line != FRESH_CASES]
    return " ".join(line if line.endswith(".") else f"{line}." for line in lines)


def differences(compared: Compared) -> list[Block] | None:
    """One row a measure and pair; all pairs of one measure hold at once."""
    answer = compared.answer
    rows = [
        replace(row, **_recomputed_row_data(compared, measure, row.difference))
        for measure in answer.measures
        for row in difference_rows(answer, measure, compared.names, compared.comparison.models)
    ]
    if not any(row.is_drawn for row in rows):
        rows = [replace(row, is_drawn=True) for row in rows]
    first, second = list(compared.names.values())[:2]
    words = f"{first} minus {second}" if len(compared.names) == 2 else "the first minus the second"
    lower = "Where lower is better (↓), a negative difference favors the first." if _has_lower_is_better(rows) else ""
    margin = (
        f"The margin applies to {answer.measures[0].title}." if 0 < len(answer.margins) < len(answer.measures) else ""
    )
    said = " ".join(filter(None, [lower, *_threshold_sentences(compared), answer.family_words, margin]))
    note = Sentence(said or _adjustment_words(rows), live="differences.note" if said and rows[0].places else "")
    return [Heading(f"Differences: {words}"), Forest(tuple(rows), compared.margin), note]


def difference_rows(
    answer: ComparisonAnswer, measure: Measure, names: Mapping[str, str], models: Mapping[str, Evaluation]
) -> list[ForestRow]:
    """The rows of a measure, one a pair; of two models with the value of either."""
    rows = []
    for found in answer.differences[measure.name]:
        pair = "" if len(names) == 2 else f"{names[found.first]} - {names[found.second]}"
        values: tuple[str, ...] = ()
        if len(names) == 2 and {found.first, found.second} == set(models):
            values = tuple(value_words(models[key].estimate(measure)) for key in (found.first, found.second))
        is_drawn = math.isfinite(sum(measure.bounds))
        rows.append(ForestRow(measure.title, found, measure.better, pair, is_drawn, values=values))
    return rows


def difference_table(
    answer: ComparisonAnswer, names: Mapping[str, str], models: Mapping[str, Evaluation]
) -> list[Block]:
    """What a terminal shows of a comparison: every difference with its test, and how to read them."""
    rows = [row for measure in answer.measures for row in difference_rows(answer, measure, names, models)]
    first = rows[0].difference
    lower = [measure.title for measure in answer.measures if measure.better == "lower"]
    is_clear = any(row.difference.p_value < 1 - answer.level for row in rows)
    notes = [f"* p < {1 - answer.level:.3g}." if is_clear else ""]
    notes += [f"Differences: {names[first.first]} minus {names[first.second]}." if len(names) == 2 else ""]
    notes += [f"Lower is better for {listed(map(in_sentence, lower))}." if lower else ""]
    notes += [f"{each.title} is computed {at}." for each in answer.measures if (at := answer.thresholds[each.name])]
    notes += [answer.family_words]
    renamed = answer.renamed(names).differences[answer.measures[0].name][0]
    values = (renamed.first, renamed.second) if rows[0].values else ()
    return [Forest(tuple(rows), names=values), Sentence(" ".join(filter(None, notes)))]


class _Row(TypedDict, total=False):
    measure: str
    places: tuple[int, int]
    depends: str


def _recomputed_row_data(compared: Compared, measure: Measure, found: Difference) -> _Row:
    """What a page's script needs to recompute a row, where it moves the thresholds of all models."""
    numbers = movable(compared.comparison.models)
    if len(numbers) < len(compared.names):
        return {}
    places = (numbers[found.first], numbers[found.second])
    return {"measure": measure.name, "places": places, "depends": depends_on(measure)}


def _threshold_sentences(compared: Compared) -> list[str]:
    """At which threshold the measures of predicted labels were computed."""
    answer = compared.answer
    return [f"{each.title} is computed {at}." for each in answer.measures if (at := answer.thresholds[each.name])]


def _has_lower_is_better(rows: list[ForestRow]) -> bool:
    return any(row.better == "lower" for row in rows)


def _adjustment_words(rows: list[ForestRow]) -> str:
    many = f", {rows[0].difference.adjusted}" if rows[0].difference.adjusted else ""
    return f"All intervals by {rows[0].difference.method}{many}."


# More pairs than this are shown as one table of how often they part.
WHO_WAS_RIGHT_MOST_PAIRS = 3


def who_was_right(compared: Compared) -> list[Block] | None:
    """A table of four cells a pair, at each classifier's own decisions."""
    cmp = compared.comparison
    if any(ev.matrix is None for ev in cmp.models.values()):
        return None
    pairs = list(combinations(cmp.names, 2))
    if cmp.omitted_pairs:
        pairs = [(d.first, d.second) for d in compared.differences]
    if len(pairs) > WHO_WAS_RIGHT_MOST_PAIRS:
        return [Heading("Agreement of the predictions"), _disagreement_grid(compared, pairs)]
    blocks: list[Block] = [Heading("Agreement of the predictions")]
    for first, second in pairs:
        blocks += _pair_blocks(compared, first, second)
    return blocks


def _pair_blocks(compared: Compared, first: str, second: str) -> list[Block]:
    right = compared.comparison.joint_correctness(first, second)
    total = float(right.total)

    def cell(cases: float, name: str, *, is_match: bool = False) -> Cell:
        return Cell(count(cases), f"{name}, {percent(cases / total)}", is_match=is_match)

    one, other = compared.names[first], compared.names[second]
    both, only_one, only_other, neither = (
        float(part) for part in (right.both, right.only_first, right.only_second, right.neither)
    )
    grid = Grid(
        corner=one,
        across=other,
        columns=("correct", "wrong"),
        rows=(
            (Cell("correct"), (cell(both, "both correct", is_match=True), cell(only_one, f"only {one}"))),
            (Cell("wrong"), (cell(only_other, f"only {other}"), cell(neither, "both wrong"))),
        ),
        is_matrix=True,
    )
    apart = only_one + only_other
    test = compared.comparison.mcnemar(first, second) if right.squares is None and right.clusters is None else None
    p = "" if test is None or test.undefined else f" (McNemar's mid-p {p_equals(test.p_value)})"
    words = f"Exactly one is correct on {count(apart)} of {count(total)} cases; {one} on {count(only_one)} of these{p}."
    return [grid, Sentence(words)]


def _disagreement_grid(compared: Compared, pairs: list[tuple[str, str]]) -> Grid:
    rows = []
    for first, second in pairs:
        right = compared.comparison.joint_correctness(first, second)
        parts = (right.both, right.only_first, right.only_second, right.neither)
        label = Cell(f"{compared.names[first]} and {compared.names[second]}")
        rows.append((label, tuple(Cell(count(float(part))) for part in parts)))
    columns = ("Both correct", "Only the first", "Only the second", "Both wrong")
    return Grid("Pair", columns, tuple(rows), is_plain=True)


MARKS = {"+": "better", "-": "worse", "?": "inconclusive", "": ""}


def wins(compared: Compared) -> list[Block] | None:
    """Three classifiers or more by the primary measure; nothing where some pairs are left out, or no side is better."""
    cmp, names = compared.comparison, list(compared.names.values())
    measure = compared.measure
    if len(names) < 3 or measure.better == "neither" or compared.control is not None or cmp.omitted_pairs:
        return None
    columns = cmp.wins(measure.name).columns
    rows = tuple(
        (
            Cell(name),
            (*(Cell(MARKS[columns[key][i]]) for key in cmp.names), Cell(str(columns["wins"][i]))),
        )
        for i, name in enumerate(names)
    )
    grid = Grid("Row against column", (*names, "Wins"), rows, is_plain=True)
    adjusted = compared.differences[0].adjusted
    how = f" ({adjusted})" if adjusted else ""
    return [Heading(f"Pairwise results by {measure.title}"), grid, Sentence(f"By simultaneous intervals{how}.")]


ALONG = Axis("cost of a false negative in false positives", (0.01, 0.1, 1.0, 10.0, 100.0), "log")
# Differences beyond this are off the plot: where a constant answer costs next to nothing, little is much.
FURTHEST = 1.0
STEPS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def cheapest(compared: Compared) -> list[Block] | None:
    """The difference over cost ratios with its interval at each by itself; of two models only."""
    grid, _ = compared.cheapest
    if len(compared.names) != 2 or not grid:
        return None
    first, second = compared.names.values()
    own = compared.comparison.names[0]
    values = np.array([_oriented_difference(one.differences[0], own) for one in grid])
    figure = _difference_figure(values, first, second)
    found = {first: values[:, 2] < 0, second: values[:, 1] > 0}
    said = "; ".join(_cheaper_range_words(name, is_cheaper) for name, is_cheaper in found.items())
    table = Table(
        {
            "cost ratio FN : FP": [ratio_words(ratio) for ratio in RATIOS],
            "difference": values[:, 0].tolist(),
            "low": values[:, 1].tolist(),
            "high": values[:, 2].tolist(),
        }
    )
    level = f"{100 * compared.comparison.level:g} %"
    subtitle = f"{first} minus {second}, best constant classifier = 1; grey: pointwise {level} intervals"
    caption = f"Significantly lower expected cost: {said}. Thresholds are evaluated out of sample (cross-fitted)."
    return [Heading("Expected cost by cost ratio"), Picture(figure, caption, subtitle, table)]


def _oriented_difference(d: Difference, own: str) -> tuple[float, float, float]:
    """A difference and its limits as the first model minus the second."""
    return (d.value, d.low, d.high) if d.first == own else (-d.value, -d.high, -d.low)


def _difference_figure(values: Floats, first: str, second: str) -> Figure:
    shown = np.clip(values, -FURTHEST, FURTHEST)
    reach = next((step for step in STEPS if step >= np.abs(shown[:, 0]).max() * 1.5), FURTHEST)
    ratios, (middle, low, high) = np.array(RATIOS), np.clip(shown, -reach, reach).T
    up = Axis(f"below 0 {first} is cheaper", (-reach, 0.0, reach))
    lines = (
        Line(np.array([RATIOS[0], RATIOS[-1]]), np.zeros(2), "reference", "zero"),
        Line(ratios, middle, "mark", "difference"),
    )
    title = f"Expected cost of {first} minus {second}, by cost ratio"
    band = Area(ratios, low, high, "negatives-area")
    return Figure("cheapest", title, ALONG, up, lines, (), (), (), len(ratios), len(ratios), areas=(band,))


def _cheaper_range_words(name: str, is_cheaper: NDArray[np.bool_]) -> str:
    """From which cost ratio to which a model is shown to be cheaper."""
    places = np.flatnonzero(is_cheaper)
    if not len(places):
        return f"{name} nowhere"
    first, last = (ratio_words(RATIOS[place]) for place in (places[0], places[-1]))
    if first == last:
        return f"{name} at {first}"
    whole = "" if len(places) == places[-1] - places[0] + 1 else ", with gaps"
    return f"{name} from {first} to {last}{whole}"


OPTIMISTIC = (
    "The hull was estimated on the same data, so it is optimistic; a classifier that is not on it is the best for no "
    "cost ratio here."
)


def hull_owners(compared: Compared) -> list[Block] | None:
    """For each stretch of the joint hull, who owns it, at which thresholds, and for which costs it is the cheapest."""
    models: Mapping[str, Evaluation] = compared.comparison.models
    of_two = {key: ev for key, ev in models.items() if isinstance(ev, TwoClassEvaluation)}
    found = {key: ev.matrix if ev.scores is None else ev.scores for key, ev in of_two.items()}
    evidence = {compared.names[key]: each for key, each in found.items() if each is not None}
    if len(evidence) < 2 or not all(all(ev.class_sizes.values()) for ev in models.values()):
        return None
    hull = roc_hull(evidence)
    stretches = _hull_segments(hull)
    grid = Grid(
        corner="Cheapest",
        columns=("Thresholds", "Cost ratio FN : FP", "False-positive rate", "Recall"),
        rows=tuple((Cell(shortened(owner, 24)), cells) for owner, cells in stretches),
        is_plain=True,
    )
    verb = "is" if len(hull.never_optimal) == 1 else "are"
    never = [f"{listed(map(shortened, hull.never_optimal))} {verb} never cheapest."] if hull.never_optimal else []
    said = " ".join([f"At a prevalence of {number(hull.prevalence)}.", *never, OPTIMISTIC])
    return [Heading("Cheapest classifier by cost ratio"), grid, Sentence(said)]


def _hull_segments(hull: Hull) -> list[tuple[str, tuple[Cell, ...]]]:
    """Neighbouring corners of one owner told as one, from dear misses to dear false alarms."""
    table = hull.table().columns
    corners = [i for i in reversed(range(len(hull))) if table["ratio_low"][i] < table["ratio_high"][i]]
    told: list[tuple[str, tuple[Cell, ...]]] = []
    for owner, group in groupby(corners, key=lambda i: " or ".join(one.classifier for one in hull.owners[i])):
        held = list(group)
        thresholds = [hull.owners[i][0].threshold for i in held]
        ratios = table["ratio_low"][held[-1]], table["ratio_high"][held[0]]
        rates = [(float(hull.fpr[i]), float(hull.recall[i])) for i in (held[-1], held[0])]
        cells = (
            Cell(_threshold_range(thresholds)),
            Cell(_cost_ratio_range(*ratios)),
            Cell(_rate_range(rates[0][0], rates[1][0])),
            Cell(_rate_range(rates[0][1], rates[1][1])),
        )
        told.append((owner, cells))
    return told


def _threshold_range(values: list[float]) -> str:
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return "-"
    low, high = threshold_words(min(finite)), threshold_words(max(finite))
    return low if low == high else f"{low} to {high}"


def _cost_ratio_range(low: float, high: float) -> str:
    if math.isinf(high):
        return f"{low:.3g} or more"
    return f"{high:.3g} or less" if low == 0 else f"{low:.3g} to {high:.3g}"


def _rate_range(low: float, high: float) -> str:
    return number(low) if number(low) == number(high) else f"{number(low)} to {number(high)}"
