"""A choice of threshold in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.decisions.place import NOT_WORSE
from assay.results import Estimate, percent
from assay.text import bracketed, number, value_words

if TYPE_CHECKING:
    from assay.decisions.thresholds import ThresholdChoice

# More stretches of good thresholds than this are not listed one by one.
MOST_LISTED = 3


def rule_of(threshold: float) -> str:
    """What to do with a score.

    >>> rule_of(0.25), rule_of(math.inf)
    ('call scores of at least 0.25 positive', 'call nobody positive')
    """
    if math.isinf(threshold):
        return f"call {'nobody' if threshold > 0 else 'everybody'} positive"
    return f"call scores of at least {threshold:.6g} positive"


def sentences(choice: ThresholdChoice) -> Iterator[str]:
    """What a user is told, a line each: the rule, its worth, its place, its neighbours, what it does and implies."""
    demands = f", with {' and '.join(map(repr, choice.constraints))}" if choice.constraints else ""
    aim = "Lowest" if choice.criterion.better == "lower" else "Highest"
    yield f"{choice.rule.capitalize()}.  {aim} {_lower(choice.criterion.title)}{demands}."
    here = f"{number(choice.apparent)} on these cases{_open(choice)}"
    yield f"{choice.criterion.title}: {here}, {_worth(choice.value)} on new ones."
    yield from map(str, choice.demands)
    yield _place(choice.place)
    yield f"As good on these cases: thresholds {_runs(choice.equally_good)}."
    if not math.isnan(choice.tolerance):
        yield f"Worse by no more than {choice.tolerance:.3g}: thresholds {_runs(choice.good)}."
    cells = {name: f"{float(getattr(choice.matrix, name)):,.6g}" for name in ("tp", "fn", "fp", "tn")}
    yield f"Here: {cells['tp']} found, {cells['fn']} missed; {cells['fp']} false alarms, {cells['tn']} left alone."
    where = "" if choice.prevalence is None else f" where {percent(choice.prevalence)} are positive"
    yield f"Flags {percent(choice.flagged)} of cases{where}."
    yield f"It is {choice.implied}."
    for note in choice.notes:
        yield f"Note: {note}."


def _lower(title: str) -> str:
    """A title inside a sentence; abbreviations stay as they are."""
    return title if title[:2].isupper() or title[1:2].isdigit() else title[:1].lower() + title[1:]


def _open(choice: ThresholdChoice) -> str:
    """What cells leave open of the value here, where that shows."""
    if choice.bounds is None:
        return ""
    low, here, high = (number(one) for one in (choice.bounds[0], choice.apparent, choice.bounds[1]))
    return "" if low == here == high else f" (in cells {low} to {high})"


def _worth(value: Estimate) -> str:
    if value.undefined is not None:
        return f"{number(value.value)} (no interval: {value.undefined})"
    return f"{value_words(value)} {bracketed(value)} ({value.method})"


def _place(place: Estimate) -> str:
    if place.undefined is not None:
        return f"Where the best threshold lies, no interval says ({place.undefined})."
    between = f"between {_end(place.low)} and {_end(place.high)}"
    if place.method == NOT_WORSE:
        sure = f"{100 * place.level:g} % confidence"
        return f"The best threshold of all such cases lies {between} ({sure}): none there is shown to be worse."
    return f"Chosen anew in other samples, the threshold lies {between} in {100 * place.level:g} % of them."


def _runs(runs: tuple[tuple[float, float], ...]) -> str:
    if len(runs) > MOST_LISTED:
        return f"above {_end(runs[-1][0])} up to {_end(runs[0][1])}, with {len(runs) - 1} gaps"
    return ", and ".join(_run(_end(low), _end(high)) for low, high in runs)


def _run(low: str, high: str) -> str:
    # Between two cells without a gap there is one threshold that splits neither.
    return f"of {high}" if low == high else f"above {low} up to {high}"


def _end(number: float) -> str:
    if math.isinf(number):
        return "any score" if number > 0 else "none"
    return f"{number:.6g}"
