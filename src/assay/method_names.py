"""Identifiers of interval methods, which stay when titles change, and the titles of earlier releases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

__all__ = ["IDENTIFIERS", "OLD_TITLES", "current_title", "method_identifier", "squeezed"]

# Titles whose identifier is not simply the title in lower case with hyphens.
IDENTIFIERS: Mapping[str, str] = MappingProxyType(
    {
        "DeLong, small-sample adjusted": "delong-small-sample",
        "DeLong, logit or small-sample adjusted": "delong-logit-or-small-sample",
        "influence function": "influence",
        "influence function, logit": "influence-logit",
        "influence function, log": "influence-log",
        "influence function, z": "influence-z",
        "influence function, plain": "influence-plain",
        "influence function, skewness-corrected": "influence-skewness",
        "influence function, plus four": "influence-plus-four",
        "influence function, plus four or logit": "influence-plus-four-or-logit",
        "influence function, pseudo-cases": "influence-pseudo-cases",
        "influence function, small-sample adjusted": "influence-small-sample",
        "sandwich, small-sample adjusted": "sandwich-small-sample",
        "components, small-sample adjusted": "components-small-sample",
        "components, logit or small-sample adjusted": "components-logit-or-small-sample",
    }
)
# Titles of earlier releases, with those of today.
OLD_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "DeLong, plus four": "DeLong, small-sample adjusted",
        "DeLong, with plus four": "DeLong, logit or small-sample adjusted",
        "influence": "influence function",
        "influence, logit": "influence function, logit",
        "influence, log": "influence function, log",
        "influence, z": "influence function, z",
        "influence, plain": "influence function, plain",
        "influence, with skewness": "influence function, skewness-corrected",
        "influence, plus four": "influence function, plus four",
        "influence, plus four or logit": "influence function, plus four or logit",
        "influence, pseudo-errors": "influence function, pseudo-cases",
        "influence, with pseudo-errors": "influence function, small-sample adjusted",
        "sandwich, with pseudo-errors": "sandwich, small-sample adjusted",
        "components, plus four": "components, small-sample adjusted",
        "components, with plus four": "components, logit or small-sample adjusted",
    }
)
# Parts of a title with a number that differs from one sample to the next.
OF_ONE_SAMPLE = re.compile(r"\b(n|draws?|undefined|clusters?|comparisons?|bins?|cases?|df)\b")


def squeezed(name: str) -> str:
    """Return a name without case and punctuation, in which names are compared."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def current_title(name: str) -> str:
    """Return today's title of a method that is given by an earlier title or by its identifier; else the name itself.

    >>> current_title("delong, plus four"), current_title("influence-small-sample"), current_title("Wilson")
    ('DeLong, small-sample adjusted', 'influence function, small-sample adjusted', 'Wilson')
    """
    return _TITLES.get(squeezed(name), name)


@lru_cache(maxsize=1024)
def method_identifier(title: str) -> str:
    """Return the identifier of a method from its title of today or of an earlier release, without numbers of a sample.

    >>> method_identifier("influence, with pseudo-errors"), method_identifier("DeLong, plus four, Kish n 104")
    ('influence-small-sample', 'delong-small-sample')
    >>> method_identifier("Clopper-Pearson"), method_identifier("bootstrap, stratified, 2,000 draws")
    ('clopper-pearson', 'bootstrap-stratified')
    """
    parts = [part for part in title.split(", ") if not (re.search(r"\d", part) and OF_ONE_SAMPLE.search(part))]
    # The longest beginning that is a method with an identifier; what follows it are qualifiers.
    for end in range(len(parts), 0, -1):
        method = current_title(", ".join(parts[:end]))
        if method in IDENTIFIERS:
            return "-".join([IDENTIFIERS[method], *map(_hyphenated, parts[end:])])
    return _hyphenated(" ".join(parts))


def _hyphenated(words: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", words.lower().replace("'", "")))


_TITLES = {squeezed(old): new for old, new in OLD_TITLES.items()} | {
    squeezed(identifier): title for title, identifier in IDENTIFIERS.items()
}
