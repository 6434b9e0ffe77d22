"""Labels that mean the same and are spelled otherwise: never scored as errors, but shown in pairs and asked about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import InputError
from assay.sources._labels import WHOLE, known_pair
from assay.sources._wording import listed, shown

__all__ = ["refuse_alike", "refuse_spellings"]

MOST_SHOWN = 4


def refuse_alike(
    column: str,
    predicted: Sequence[str],
    truth: str,
    classes: Sequence[str],
    options: Mapping[str, Any] | None = None,
) -> None:
    """Refuse predicted labels that are classes but for case, blanks, sign, an offset, or other words for them.

    `options` say what to do without these labels, where there are scores beside them.

    >>> refuse_alike("pred", ["1", "2", "3"], "y", ["0", "1", "2"])
    Traceback (most recent call last):
    assay.errors.InputError: 'pred' holds '1', '2', '3' where 'y' holds '0', '1', '2', the same but for an offset:
    '1' for '0', '2' for '1', '3' for '2'; needed: one spelling for both: replace those of 'pred'
    """
    pairs = _by_spelling(predicted, classes)
    but_for = "case and blanks"
    if not pairs:
        pairs, but_for = _by_sign(predicted, classes), "the sign"
    if not pairs:
        pairs, but_for = _by_offset(predicted, classes), "an offset"
    if not pairs:
        pairs, but_for = _by_beginning(predicted, classes), "the beginning of each"
    if not pairs:
        pairs, but_for = _by_meaning(predicted, classes), "the words for negative and positive"
    if pairs:
        shown_pairs = ", ".join(
            f"{shown(ours)} for {shown(theirs)}" for ours, theirs in list(pairs.items())[:MOST_SHOWN]
        )
        raise InputError(
            f"{shown(column)} holds {listed(predicted)} where {shown(truth)} holds {listed(classes)}, the same but for "
            f"{but_for}: {shown_pairs}",
            f"one spelling for both: replace those of {shown(column)}",
            options,
        )


def refuse_spellings(column: str, names: Sequence[str]) -> None:
    """Refuse a truth of two classes of which one is spelled in several ways."""
    if len(names) < 3:
        return
    plain: dict[str, list[str]] = {}
    for name in names:
        plain.setdefault(_plain(name), []).append(name)
    several = next((same for same in plain.values() if len(same) > 1), None)
    if several is not None and len(plain) == 2:
        raise InputError(
            f"{shown(column)} holds {listed(several)}, which differ only in case and blanks",
            "one spelling for each class",
        )


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).casefold() or name


def _by_spelling(predicted: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    known: Mapping[str, str] = {_plain(name): name for name in reversed(classes) if not WHOLE.fullmatch(name)}
    return {name: known[_plain(name)] for name in predicted if name not in classes and _plain(name) in known}


def _by_sign(predicted: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    ours, theirs = {*predicted}, {*classes}
    for one, other in ((("-1", "1"), ("0", "1")), (("0", "1"), ("-1", "1"))):
        if ours <= {*one} and one[0] in ours and theirs == {*other}:
            return dict(zip(one, other, strict=True))
    return {}


def _by_beginning(predicted: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Classes behind the same letters in front of each, such as `__label__spam` or `LABEL_1`."""
    parted = {name: re.fullmatch(r"(.*[_: ])(.+)", name) for name in predicted}
    beginnings = {found and found.group(1) for found in parted.values()}
    moved = {name: found.group(2) for name, found in parted.items() if found is not None}
    return moved if len(beginnings) == 1 and moved and {*moved.values()} <= {*classes} else {}


def _by_meaning(predicted: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Two classes under other words where both pairs have an order: no and yes for 0 and 1."""
    ours, theirs = known_pair(predicted), known_pair(classes)
    if ours is None or theirs is None or {*ours} & {*theirs}:
        return {}
    return dict(zip(ours, theirs, strict=True))


def _by_offset(predicted: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Whole numbers one higher or lower than those of the truth, of which the first or the last is never predicted."""
    if not predicted or not all(WHOLE.fullmatch(name) for name in (*predicted, *classes)):
        return {}
    ours, theirs = {int(name) for name in predicted}, {int(name) for name in classes}
    for step in (1, -1):
        end = min(theirs) if step == 1 else max(theirs)
        moved = {number - step for number in ours}
        if end not in ours and ours - theirs and moved <= theirs:
            return {str(number): str(number - step) for number in sorted(ours)}
    return {}
