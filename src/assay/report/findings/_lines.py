"""What lines of the first screen share: parts that fit one line, shares with limits, and the caution beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.cautions import find_rule
from assay.evaluation import Evaluation
from assay.report.said import Text, Wording, joined, plain, said
from assay.report.words import bracketed, value_words
from assay.results import Estimate

# Letters that stand in one line of the page: of the finding with its interval, and of what it rests on.
LONGEST_FINDING = 72
LONGEST_EVIDENCE = 112
BETWEEN = " · "
# Letters of names, from what a name may have down to what still tells two apart.
LENGTHS = (24, 16, 12, 8)


def line(parts: Iterable[Text], most: int = LONGEST_EVIDENCE) -> Text:
    """Parts in one line with a dot between them; what does not fit is left out, the first part never.

    >>> plain(line([(Wording("one"),), (Wording("two"),)], 9)), plain(line([(Wording("one"),), (Wording("two"),)], 8))
    ('one · two', 'one')
    """
    kept: list[Wording] = []
    for part in parts:
        longer = [*kept, Wording(BETWEEN), *part] if kept else list(part)
        if kept and len(plain(tuple(longer))) > most:
            continue
        kept = longer
    return joined(kept)


def fitting(texts: Iterable[Text], most: int = LONGEST_FINDING) -> Text:
    """The first of several wordings that fits a line, or the last."""
    for found in texts:
        if len(plain(found)) <= most:
            break
    return found


def item(title: str, estimate: Estimate) -> Text:
    """An estimate after its title: the value bold, the interval beside it."""
    return said("many.item", title=title, value=value_words(estimate), limits=bracketed(estimate))


def caution(ev: Evaluation, codes: Sequence[str], *, and_others: bool = False) -> tuple[str, Text] | None:
    """The first of these cautions that applies, by code and title, and how many more there are; None without any.

    With `and_others` cautions that no line of a page is about count as well.
    """
    having = [found.code for found in ev.cautions]
    known = [code for code in codes if code in having]
    known += [code for code in having if and_others and code not in known and code not in ELSEWHERE]
    if not known:
        return None
    title = find_rule(known[0]).title
    if len(known) == 1:
        return known[0], said("many.caution", title=title)
    return known[0], said("many.cautions", title=title, more=str(len(known) - 1))


# Cautions about probabilities stand beside the line about them.
ELSEWHERE = ("A104", "A201", "A202", "A203", "A204", "A205", "A206")
