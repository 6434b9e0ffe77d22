"""The answer of a comparison as tables, sentences and the record of JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.comparison import Difference, bonferroni_level, holm
from assay.errors import OptionError
from assay.evaluation._answer import ComparisonAnswer, HowCompared, HowJudged, is_usual
from assay.measures import Measure
from assay.results import Table

if TYPE_CHECKING:
    from assay.evaluation._comparison import Comparison

__all__ = [
    "measures_table",
    "pairs_table",
    "record_of",
    "sentences_of",
    "unpaired_table",
    "wins_table",
]


SCHEMA = "assay.comparison/1"
FACTS = ("first", "second", "difference", "low", "high", "p_value", "method")
OF_TESTS = ("se", "statistic", "freedom")


def pairs_table(cmp: Comparison, found: Sequence[Difference], level: float, options: HowCompared, *, se: bool) -> Table:
    """Every pair's difference with its interval and p-value, adjusted, and what Holm would decide."""
    of_one = {key: value for key, value in options.items() if key != "control"}
    measure, family = cmp.find(found[0].measure), found[0].family
    each = bonferroni_level(level, 1 if family is None else len(family.adjusted_for))
    # Pairs that were chosen by their values are decided by p-values that are adjusted for that.
    if cmp.left_out and options.get("control") is None:
        differing = [d.p_value <= 1 - level for d in found]
    else:
        alone = [cmp.difference(measure, d.first, d.second, level=level, **of_one) for d in found]  # type: ignore[arg-type]
        differing = holm([one.p_value for one in alone], each)
    of_tests: dict[str, list[Any]] = {}
    if se:
        of_tests = {name: [getattr(d, name) for d in found] for name in OF_TESTS}
    return Table(
        {
            "first": [d.first for d in found],
            "second": [d.second for d in found],
            "difference": [d.value for d in found],
            "low": [d.low for d in found],
            "high": [d.high for d in found],
            "p_value": [d.p_value for d in found],
            **of_tests,
            "holm": ["differ" if differ else "" for differ in differing],
            "method": [d.method + (f", {d.adjusted}" if d.adjusted else "") for d in found],
            "undefined": [d.undefined or "" for d in found],
        },
        title=f"{measure.title}: differences with {100 * level:g} % intervals that hold all at once",
    )


def unpaired_table(answer: ComparisonAnswer, *, se: bool) -> Table:
    """Differences between samples by the first measure of an answer, with what may be said of each."""
    found = answer.primary
    shown: dict[str, Any] = {
        name: [getattr(one, name) for one in found] for name in (*FACTS, *(OF_TESTS if se else ()))
    }
    shown["undefined"] = [one.undefined or "" for one in found]
    shown |= {"verdict": [one.outcome for one in found], "better": [one.winner or "" for one in found]}
    return Table(shown, title=f"{answer.measures[0].title}: differences between samples of other cases")


def sentences_of(cmp: Comparison, answer: ComparisonAnswer, options: HowJudged) -> list[str]:
    """Verdicts first, tables of more than two classifiers, and assumptions last; of a named method also its numbers."""
    verdicts = answer.primary
    doubts = [
        f"Caution: {said}." for said in dict.fromkeys(one.caution for one in (*verdicts, *answer.secondary)) if said
    ]
    *lines, assumed = answer.lines
    if len(cmp.names) == 2:
        (verdict,) = verdicts
        details = (
            [] if is_usual(options) or not verdict.details else [f"{verdict.details[:1].upper()}{verdict.details[1:]}."]
        )
        lines += [assumed, *details, *doubts, _who(cmp, verdict.first, verdict.second)]
        return ["\n".join(line for line in lines if line)]
    is_whole = options.get("control") is None and not cmp.left_out
    has_wins = is_whole and answer.measures[0].better != "neither" and is_usual(options)
    wins = [wins_table(cmp, answer.measures[0])] if has_wins else []
    return ["\n".join([*lines, *doubts]), *(f"{table.title}\n{table}" for table in wins), assumed]


def record_of(cmp: Any, answer: ComparisonAnswer) -> dict[str, Any]:
    """What `--format json` prints of a comparison."""
    source, measure = cmp.evaluations[0].source, answer.measures[0]
    return {
        "schema": SCHEMA,
        "source": source.to_dict(),
        "n": cmp.n,
        "matched_by": cmp.matched_by,
        "unmatched": dict(cmp.unmatched or {}),
        "shared": None if cmp.shared is None else cmp.shared.to_dict(),
        "measure": measure.name,
        "level": answer.level,
        "models": {name: ev.estimate(measure).to_dict() for name, ev in zip(cmp.names, cmp.evaluations, strict=True)},
        **answer.to_dict(),
    }


def _who(cmp: Comparison, first: str, second: str) -> str:
    if any(ev.matrix is None for ev in cmp.models.values()):
        return ""
    right = cmp.who_was_right(first, second)
    cells = (right.total, right.both, right.only_first, right.only_second, right.neither)
    n, both, one, other, neither = (f"{float(cell):,.15g}" for cell in cells)
    return f"Of {n} cases: both right {both} · only {first} {one} · only {second} {other} · both wrong {neither}"


def wins_table(cmp: Comparison, measure: Measure) -> Table:
    """Who beats whom by the adjusted intervals."""
    if measure.better == "neither":
        found = f"neither high nor low values of {measure.title} are better, so nobody wins"
        raise OptionError(found, "a measure that is better high or low")
    sign = {name: dict.fromkeys(cmp.names, "") for name in cmp.names}
    for d in cmp.differences(measure.name):
        up = d.low > 0 if measure.better == "higher" else d.high < 0
        down = d.high < 0 if measure.better == "higher" else d.low > 0
        sign[d.first][d.second] = "+" if up else "-" if down else "?"
        sign[d.second][d.first] = "-" if up else "+" if down else "?"
    columns: dict[str, Sequence[Any]] = {"": list(cmp.names)}
    columns |= {name: [sign[row][name] for row in cmp.names] for name in cmp.names}
    columns["wins"] = [sum(mark == "+" for mark in sign[row].values()) for row in cmp.names]
    return Table(columns, title=f"{measure.title}: + better, - worse, ? inconclusive")


def measures_table(cmp: Comparison, measures: Sequence[str]) -> Table:
    """Measures of every classifier, each with its own interval."""
    kept = [(name, ev, m) for m in measures if cmp.applies(m) for name, ev in cmp.models.items()]
    found = [ev.estimate(measure) for _, ev, measure in kept]
    return Table(
        {
            "measure": [cmp.find(measure).title for _, _, measure in kept],
            "model": [name for name, _, _ in kept],
            "estimate": [e.value for e in found],
            "low": [e.low for e in found],
            "high": [e.high for e in found],
            "method": [e.method for e in found],
        },
        title=f"Measures with {100 * cmp.level:g} % intervals, each by itself",
    )
