"""What is asked about every pair of a comparison, and what may be said of it: verdicts, tables, sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from assay.cautions import Caution
from assay.comparison import FRESH_CASES, UNKNOWN, Alternative, Verdict, holm, judge, not_worse
from assay.errors import OptionError
from assay.measures import Measure
from assay.results import Table

if TYPE_CHECKING:
    from assay.evaluation._comparison import Comparison
    from assay.evaluation._unpaired import UnpairedComparison

__all__ = [
    "HowCompared",
    "HowJudged",
    "fitting",
    "judged",
    "measures_table",
    "pairs_table",
    "record_of",
    "sentences_of",
    "wins_table",
]


# The caution about comparisons that leave open who is better.
UNCLEAR = "A405"
SCHEMA = "assay.comparison/1"


class HowCompared(TypedDict, total=False):
    """How differences are asked for: beside which control, by which method, which side of which difference."""

    control: str | None
    method: str | None
    alternative: Alternative
    null: float


class HowJudged(TypedDict, total=False):
    """How verdicts are asked for: with which margin, and whether the first is to be shown no worse by more than it."""

    control: str | None
    method: str | None
    alternative: Alternative
    margin: float | None
    non_inferior: bool


def judged(cmp: Comparison | UnpairedComparison, measure: Measure, asked: HowJudged) -> list[Verdict]:
    """What may be said of every pair."""
    margin, alternative, null = asked.get("margin"), asked.get("alternative", "two-sided"), 0.0
    if asked.get("non_inferior"):
        if margin is None:
            raise OptionError("non_inferior is given without margin", "the difference that would not matter")
        if alternative != "two-sided":
            raise OptionError("non_inferior and alternative are both given", "one of them", about="alternative")
        alternative, null = not_worse(measure.title, measure.better, margin)
    found = cmp.differences(
        measure.name, control=asked.get("control"), method=asked.get("method"), alternative=alternative, null=null
    )
    assumed = cmp.assumptions.removesuffix(f" {FRESH_CASES}")
    return [judge(d, measure.title, measure.better, margin=margin, assumptions=assumed) for d in found]


def pairs_table(cmp: Comparison, measure: Measure, level: float, asked: HowCompared, *, se: bool) -> Table:
    """Every pair's difference with its interval and p-value, adjusted, and what Holm would decide."""
    found = cmp.differences(measure.name, level=level, **asked)
    places = cmp.pairs_of(asked.get("control"), measure)
    of_one = {key: value for key, value in asked.items() if key != "control"}
    pairs = [(cmp.names[first], cmp.names[second]) for first, second in places]
    # Pairs that were chosen by their values are decided by p-values that are adjusted for that.
    is_chosen = bool(cmp.left_out) and not asked.get("control")
    alone = [] if is_chosen else [cmp.difference(measure, *pair, level=level, **of_one).p_value for pair in pairs]  # type: ignore[arg-type]
    differing = [d.p_value <= 1 - level for d in found] if is_chosen else holm(alone, level)
    of_tests: dict[str, list[Any]] = {}
    if se:
        of_tests = {name: [getattr(d, name) for d in found] for name in ("se", "statistic", "freedom")}
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


def sentences_of(cmp: Comparison, measure: Measure, asked: HowJudged) -> list[str]:
    """A verdict for two classifiers, tables for more; of what was asked for by name also the numbers of its test."""
    verdicts, control = judged(cmp, measure, asked), asked.get("control")
    is_usual = not any(asked.get(name) for name in ("method", "non_inferior"))
    is_usual &= asked.get("alternative", "two-sided") == "two-sided"
    doubts = [f"Caution: {said}." for said in dict.fromkeys(verdict.caution for verdict in verdicts) if said]
    if len(cmp.names) == 2:
        (verdict,) = verdicts
        details = [] if is_usual or not verdict.details else [f"{verdict.details[:1].upper()}{verdict.details[1:]}."]
        lines = [str(verdict), *details, *doubts, _who(cmp, verdict.first, verdict.second)]
        return ["\n".join(line for line in lines if line)]
    firsts = [verdict.brief for verdict in verdicts]
    assumed = [f"{cmp.assumptions} {FRESH_CASES}"]
    has_wins = not (control or cmp.left_out or measure.better == "neither") and is_usual
    wins = [wins_table(cmp, measure)] if has_wins else []
    shown = [f"{table.title}\n{table}" for table in wins]
    return ["\n".join([*firsts, *doubts]), *shown, *assumed]


def fitting(cautions: Sequence[Caution], verdicts: Sequence[Verdict]) -> list[Caution]:
    """The cautions that these verdicts leave standing: what is told apart needs no word about what cannot be told."""
    is_told = all(verdict.outcome != UNKNOWN for verdict in verdicts)
    return [caution for caution in cautions if not (is_told and caution.code == UNCLEAR)]


def record_of(cmp: Comparison, measure: Measure, asked: HowJudged) -> dict[str, Any]:
    """What `--format json` prints of a comparison."""
    found, source = judged(cmp, measure, asked), next(iter(cmp.models.values())).source
    return {
        "schema": SCHEMA,
        "source": source.to_dict(),
        "n": cmp.n,
        "matched_by": cmp.matched_by,
        "unmatched": dict(cmp.unmatched or {}),
        "shared": None if cmp.shared is None else cmp.shared.to_dict(),
        "measure": measure.name,
        "level": cmp.level,
        "models": {name: ev.estimate(measure.name).to_dict() for name, ev in cmp.models.items()},
        "comparisons": [verdict.to_dict() for verdict in found],
        "assumptions": cmp.assumptions,
        "cautions": [one.to_dict() for one in fitting(cmp.cautions(measure.name, control=asked.get("control")), found)],
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
    return Table(columns, title=f"{measure.title}: + better, - worse, ? cannot tell")


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
