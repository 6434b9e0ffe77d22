"""Verdicts: which classifier is better, in words, and what that takes for granted."""

from __future__ import annotations

from assay.comparison import FRESH_CASES
from assay.measures import Measure
from assay.report.blocks import Block, Heading, Sentence
from assay.report.sections._compared import Compared
from assay.report.words import beats, tamed, value_words
from assay.text import in_sentence

__all__ = ["best_of_several", "secondary_best", "verdicts", "verdicts_in_brief"]

# More pairs than this are read off the win matrix.
MOST_PAIRS = 10


def verdicts(compared: Compared) -> list[Block] | None:
    """A verdict for each pair, then once what all of them assume."""
    shown = compared.verdicts[:MOST_PAIRS]
    said = [Sentence(tamed(_in_one(verdict.words))) for verdict in shown]
    more = len(compared.verdicts) - len(shown)
    rest = [Sentence(f"And {more:,} more pairs: see who beats whom.")] if more else []
    rest += map(Sentence, map(tamed, _secondary(compared)))
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
        said += [f"And {more:,} more pairs with it: assay compare shows them all."] if more > 0 else []
        said += [f"{secondary_best(compared)} {compared.answer.family_words}".strip()]
    return [*map(tamed, said), f"{compared.comparison.assumptions} {FRESH_CASES}"]


def best_of_several(compared: Compared) -> str:
    """The best on these cases, and how many of the others it is shown to beat."""
    measure = compared.measure
    best = compared.best
    value = value_words(compared.comparison.models[best].estimate(measure))
    return (
        f"{compared.names[best]} has the best {in_sentence(measure.title)}, {value}; it is {_beats(compared, measure)}"
    )


def secondary_best(compared: Compared) -> str:
    """The best of several by each secondary measure, and how many of the others it is significantly better than."""
    found = [
        f"{compared.names[compared.best_by(measure)]} has the best "
        f"{compared.answer.title(measure)} and is {_beats(compared, measure)}"
        for measure in compared.answer.measures[1:]
    ]
    return f"Secondary measures: {'; '.join(found)}." if found else ""


def _beats(compared: Compared, measure: Measure) -> str:
    verdicts, best = compared.answer.verdicts[measure.name], compared.best_by(measure)
    return beats(sum(one.winner == best for one in verdicts), sum(best in (one.first, one.second) for one in verdicts))


def _secondary(compared: Compared) -> list[str]:
    """The secondary verdicts; their numbers stand in the figure of differences."""
    answer = compared.answer
    return [f"{answer.secondary_words} {answer.family_words}"] if answer.secondary else []


def _in_one(words: str) -> str:
    """The lines of a verdict as sentences in a row; that about fresh cases is said once for all.

    >>> _in_one(f"a is better than b.  Difference 0.1\\n{FRESH_CASES}")
    'a is better than b.  Difference 0.1.'
    """
    lines = [line for line in words.split("\n") if line != FRESH_CASES]
    return " ".join(line if line.endswith(".") else f"{line}." for line in lines)
