"""Sentences of the page, written once for Python and for the page's script: a template with named values.

`templates/sentences.json` holds the templates; the script is built with the same file. `{name}` stands for a value,
and `{name:b}`, `{name:m}` and `{name:t}` for one that is set bold, muted or in the colour of the threshold.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Literal

__all__ = ["Finding", "Mark", "Run", "Text", "plain", "said"]

Look = Literal["", "b", "m", "t"]
# Whether the data decide, for or against; something was looked for and not found; or it cannot be told.
Mark = Literal["told", "sought", "open"]


@dataclass(frozen=True)
class Run:
    """Words in one look."""

    text: str
    look: Look = ""


Text = tuple[Run, ...]


@dataclass(frozen=True)
class Finding:
    """An answer to one question: the finding with its interval, what it rests on, and what to mind.

    `link` is the section of the page that the caution is about. Where the page's script rewrites it, `key` is its name.
    """

    question: str
    mark: Mark
    finding: Text
    evidence: Text = ()
    caution: Text = ()
    code: str = ""
    link: str = ""
    link_words: str = ""
    key: str = ""


@cache
def templates() -> dict[str, str]:
    """Every template by its key."""
    text = (files("assay.report") / "templates" / "sentences.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found


def said(key: str, **values: str) -> Text:
    """A sentence with its values; words in one look after another are joined, and empty values leave no space.

    >>> plain(said("bar.prevalence", prevalence="9.7 %"))
    'Prevalence 9.7 %'
    """
    runs: list[Run] = []
    for literal, name, look, _ in Formatter().parse(templates()[key]):
        if literal:
            runs.append(Run(literal))
        if name is not None:
            runs.append(Run(values[name], look or ""))  # type: ignore[arg-type]
    return joined(runs)


def joined(runs: list[Run]) -> Text:
    """Runs without empty ones, and without two spaces in a row where one was left out."""
    kept: list[Run] = []
    for run in runs:
        text = run.text.lstrip(" ") if not kept or kept[-1].text.endswith(" ") else run.text
        if text:
            kept.append(Run(text, run.look))
    if kept:
        kept[-1] = Run(kept[-1].text.rstrip(" "), kept[-1].look)
    return tuple(run for run in kept if run.text)


def plain(text: Text) -> str:
    """The words without their looks."""
    return "".join(run.text for run in text)
