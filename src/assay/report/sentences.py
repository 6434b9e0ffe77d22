"""Sentences of the page, written once for Python and for the page's script: a template with named values.

`templates/live.json` holds those that the script rewrites, and travels with the page's data; `templates/sentences.json`
holds those that only Python writes. `{name}` stands for a value, and `{name:b}`, `{name:m}` and `{name:t}` for one that
is set bold, muted or in the colour of the threshold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from types import MappingProxyType
from typing import Literal

__all__ = ["FoundLine", "Mark", "Text", "Wording", "live_templates", "plain", "said"]

Emphasis = Literal["", "b", "m", "t"]
# Whether the data decide, for or against; something was looked for and not found; or it cannot be told.
Mark = Literal["told", "sought", "open"]


@dataclass(frozen=True)
class Wording:
    """Words in one look."""

    text: str
    look: Emphasis = ""


Text = tuple[Wording, ...]


@dataclass(frozen=True)
class FoundLine:
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
    # The controls that it depends on, where the page's script does not recompute it.
    depends: str = ""


@cache
def live_templates() -> Mapping[str, str]:
    """The templates that the page's script fills, by their keys."""
    return MappingProxyType(_read_templates("live.json"))


@cache
def _sentence_templates() -> Mapping[str, str]:
    return MappingProxyType({**live_templates(), **_read_templates("sentences.json")})


def _read_templates(name: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((files("assay.report") / "templates" / name).read_text(encoding="utf-8"))
    return found


def said(key: str, **values: str) -> Text:
    """A sentence with its values; words in one look after another are joined, and empty values leave no space.

    >>> plain(said("good.of_data", share="9.7 %"))
    'of the 9.7 % positives in the data'
    """
    runs: list[Wording] = []
    for literal, name, look, _ in Formatter().parse(_sentence_templates()[key]):
        if literal:
            runs.append(Wording(literal))
        if name is not None:
            runs.append(Wording(values[name], look or ""))  # type: ignore[arg-type]
    return joined(runs)


def joined(runs: list[Wording]) -> Text:
    """Runs without empty ones, and without two spaces in a row where one was left out."""
    kept: list[Wording] = []
    for run in runs:
        text = run.text.lstrip(" ") if not kept or kept[-1].text.endswith(" ") else run.text
        if text:
            kept.append(Wording(text, run.look))
    if kept:
        kept[-1] = Wording(kept[-1].text.rstrip(" "), kept[-1].look)
    return tuple(run for run in kept if run.text)


def plain(text: Text) -> str:
    """The words without their looks."""
    return "".join(run.text for run in text)
