"""The answers of a language model as every log is read: a row an answer, a column of scores for each scorer."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assay.errors import InputError
from assay.results import Table
from assay.sources.quoting import listed, shown

STATES = ("scored", "error", "refused", "cut", "unscored")
# What inspect's letters are worth.
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
WORDS = {"true": 1.0, "false": 0.0, "pass": 1.0, "fail": 0.0, "passed": 1.0, "failed": 0.0, "yes": 1.0, "no": 0.0}
LONGEST_NAME = 200  # characters of a cluster, an item or a label that are stored
MOST_CLUSTERINGS = 20


@dataclass(frozen=True)
class AnswerLog:
    """The answers of one or more models to the items of one or more tasks, each with its scores.

    A row is an answer; `scores` has a column for each scorer (with its filter, where the tool has filters), nan where
    the answer was not scored. `clusters` are columns that items may lie in, `refused` are metrics that have
    no score for an item, with the reason. `partial` says why a run is incomplete.
    """

    tool: str
    name: str
    item: list[str] = field(default_factory=list)
    repeat: list[int] = field(default_factory=list)
    model: list[str] = field(default_factory=list)
    task: list[str] = field(default_factory=list)
    state: list[str] = field(default_factory=list)
    truth: list[str] = field(default_factory=list)
    predicted: list[str] = field(default_factory=list)
    prompt: list[str] = field(default_factory=list)
    scores: dict[str, list[float]] = field(default_factory=dict)
    clusters: dict[str, list[str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()
    partial: str | None = None
    unit: str = "item"

    def __len__(self) -> int:
        return len(self.item)

    def add(
        self,
        item: Any,
        scores: Mapping[str, float],
        *,
        repeat: int = 1,
        model: str = "",
        task: str = "",
        state: str = "scored",
        truth: Any = "",
        predicted: Any = "",
        prompt: str = "",
        clusters: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a row."""
        size = len(self.item)
        self.item.append(text_of(item))
        self.repeat.append(repeat)
        self.model.append(model)
        self.task.append(task)
        self.state.append(state if state != "scored" or scores else "unscored")
        self.truth.append(text_of(truth))
        self.predicted.append(text_of(predicted))
        self.prompt.append(prompt)
        for name, score in scores.items():
            _pad_column(self.scores, name, size, math.nan).append(score)
        for name, value in (clusters or {}).items():
            if name in self.clusters or len(self.clusters) < MOST_CLUSTERINGS:
                _pad_column(self.clusters, name, size, "").append(text_of(value))

    def completed(self, **facts: Any) -> AnswerLog:
        """The log with columns of equal length and these facts; one without any answer is refused."""
        if not self.item:
            raise InputError(f"{shown(self.name)} holds no answers", f"a log of {self.tool} with scored samples")
        for columns, missing in ((self.scores, math.nan), (self.clusters, "")):
            for name in columns:
                _pad_column(columns, name, len(self), missing)
        return replace(self, **facts)

    def candidates(self) -> dict[str, int]:
        """The columns that could hold clusters of items, with their number: at most half as many as items."""
        items = len(set(zip(self.task, self.item, strict=True)))
        sizes = {name: len({value for value in values if value}) for name, values in self.clusters.items()}
        return {name: size for name, size in sizes.items() if 1 < size <= items // 2}

    def table(self, cluster: str | None = None) -> Table:
        """A row for each answer and scorer; where a column of clusters is requested, that too."""
        of_cluster = None if cluster is None else self.cluster(cluster)
        rows = [
            (place, scorer, score)
            for scorer, values in self.scores.items()
            for place, score in enumerate(values)
            if not math.isnan(score) or self.state[place] != "scored"
        ] or [(place, "", math.nan) for place in range(len(self))]
        columns: dict[str, list[Any]] = {
            name: [getattr(self, name)[place] for place, _, _ in rows] for name in ("item", "repeat", "model", "task")
        }
        columns |= {"scorer": [name for _, name, _ in rows], "score": [score for _, _, score in rows]}
        if of_cluster is not None:
            columns["cluster"] = [of_cluster[place] for place, _, _ in rows]
        columns |= {name: [getattr(self, name)[place] for place, _, _ in rows] for name in ("state", "truth")}
        return Table(columns, title=f"{self.name}, {self.tool}")

    def cluster(self, name: str) -> list[str]:
        """The clusters of the answers, by the name of their column with or without what it stands under."""
        for known in (name, name.removeprefix("metadata."), name.removeprefix("doc."), name.removeprefix("tags.")):
            if known in self.clusters:
                return self.clusters[known]
        known = f"has {listed(list(self.candidates()))}" if self.candidates() else "has no column of clusters"
        ways = [({"cluster": name}, f"{size} clusters") for name, size in self.candidates().items()]
        raise InputError(f"{shown(self.name)} has no cluster {shown(name)}", f"a column of it; it {known}", ways=ways)

    def states(self) -> Counter[str]:
        """How many answers are in which state."""
        return Counter(self.state)


def _pad_column(columns: dict[str, list[Any]], name: str, size: int, missing: Any) -> list[Any]:
    column = columns.setdefault(name, [])
    column.extend([missing] * (size - len(column)))
    return column


def text_of(value: Any) -> str:
    """A value of a log as a short text; what is no text as JSON."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}#{hash_of(text)}"


def hash_of(text: str) -> str:
    """A short fingerprint, so that long texts stay apart."""
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def number_of(value: Any) -> float | None:
    """A score as a number: a boolean, a number or a word such as pass; None where it is no score.

    >>> number_of(True), number_of("fail"), number_of("0.5"), number_of(["a", "b"])
    (1.0, 0.0, 0.5, None)
    """
    if isinstance(value, bool | int | float):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, str):
        text = value.strip()
        if text.lower() in WORDS:
            return WORDS[text.lower()]
        try:
            number = float(text)
        except ValueError:
            return None
        return number if math.isfinite(number) else None
    return None


def plain_entries(record: Any) -> dict[str, Any]:
    """The entries of an object that could name a cluster: texts, whole numbers and booleans that are short.

    >>> plain_entries({"passage": "p0", "level": 2, "text": "a" * 500, "parts": [1]})
    {'passage': 'p0', 'level': 2}
    """
    if not isinstance(record, dict):
        return {}
    return {
        str(key)[:LONGEST_NAME]: value
        for key, value in record.items()
        if isinstance(value, str | int) and len(str(value)) <= LONGEST_NAME and not str(key).startswith("_")
    }
