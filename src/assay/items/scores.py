"""The scores of one model's answers to the items of a task by one scorer, and choosing them in a log."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import OptionError, UnknownName
from assay.items.repeats import majority_at, pass_at
from assay.sources import listed, shown
from assay.sources.logs import AnswerLog, answers_of_table, read_answers
from assay.types import Floats

__all__ = ["ItemScores", "chosen_scores", "read_logs"]

MOST_WAYS = 12


@dataclass(frozen=True, eq=False)
class ItemScores:
    """The scored answers to each item: `scores` holds those of its repeats, scaled to [0, 1] by `bounds`.

    `errors` are the answers to each item that ended in an error; items without any score are in `unscored`. `states`
    counts all answers of the model to the task.
    """

    tool: str
    source: str
    model: str
    task: str
    scorer: str
    items: tuple[str, ...]
    scores: tuple[Floats, ...]
    errors: tuple[int, ...]
    unscored: Mapping[str, int]
    truth: tuple[str, ...]
    prompt: tuple[str, ...]
    clusters: tuple[str, ...] | None
    states: Mapping[str, int]
    bounds: tuple[float, float] = (0.0, 1.0)
    notes: tuple[str, ...] = field(default=(), repr=False)

    @cached_property
    def means(self) -> Floats:
        """The mean score of each item."""
        return np.array([float(each.mean()) for each in self.scores])

    @cached_property
    def means_with_errors(self) -> Floats:
        """The mean score of each item with errors as wrong; items with errors alone come last."""
        known = [float(each.sum()) / (len(each) + lost) for each, lost in zip(self.scores, self.errors, strict=True)]
        return np.array(known + [0.0] * len(self.unscored_by_error))

    @property
    def unscored_by_error(self) -> list[str]:
        """The items all of whose answers ended in an error."""
        return [item for item, errors in self.unscored.items() if errors]

    @property
    def repeats(self) -> tuple[int, int]:
        """The fewest and the most scored answers to an item."""
        sizes = [len(each) for each in self.scores]
        return (min(sizes), max(sizes)) if sizes else (0, 0)

    @property
    def is_binary(self) -> bool:
        """Whether every score is 0 or 1."""
        return all(bool(np.all((each == 0) | (each == 1))) for each in self.scores)

    def at(self, k: int, kind: str) -> Floats:
        """Return pass@k or majority@k of each item; refused where an item has fewer answers, or scores are graded."""
        if not self.is_binary:
            found = f"{kind}@{k} needs right and wrong answers, and {self.scorer!r} has scores in between"
            raise OptionError(found, "a scorer with scores of 0 and 1")
        fewest = min(range(len(self.items)), key=lambda place: len(self.scores[place]))
        if k > len(self.scores[fewest]):
            have = f"item {shown(self.items[fewest])} has {len(self.scores[fewest])}"
            found = f"{kind}@{k} needs {k} scored answers to each item, and {have}"
            raise OptionError(found, f"k of at most {len(self.scores[fewest])}")
        value = pass_at if kind == "pass" else majority_at
        return np.array([value(round(float(each.sum())), len(each), k) for each in self.scores])

    @property
    def label(self) -> str:
        """The model, or the file where that names none."""
        return self.model or self.source


def read_logs(data: Any, columns: Mapping[str, Any] | None = None) -> list[AnswerLog]:
    """Return the logs behind a path, a folder, a table or a data frame; `columns` names those of a table."""
    if isinstance(data, AnswerLog):
        return [data]
    if isinstance(data, list) and data and all(isinstance(each, AnswerLog) for each in data):
        return data
    if isinstance(data, str | PathLike):
        if not columns:
            return read_answers(data)
        from assay.sources.files import file_columns

        return [answers_of_table(file_columns(data), Path(data).name, columns)]
    return [answers_of_table(data, "the table", columns or {})]


def chosen_scores(
    logs: Sequence[AnswerLog],
    *,
    scorer: str | None = None,
    filter: str | None = None,  # noqa: A002 -- what lm-eval calls it
    task: str | None = None,
    model: str | None = None,
    cluster: str | None = None,
    bounds: tuple[float, float] | None = None,
    partial: bool = False,
) -> list[ItemScores]:
    """Return the scores of every model, task and scorer that these options leave, each by itself."""
    for log in logs:
        if log.partial is not None and not partial:
            found = f"{shown(log.name)} is a partial run: {log.partial}"
            raise OptionError(found, "a complete run, or to allow it", {"partial": True})
    tasks = _tasks_or_models(logs, "task", task)
    models = _tasks_or_models(logs, "model", model)
    names = _chosen_scorers(logs, scorer, filter, tasks)
    lines = []
    for log in logs:
        clusters = None if cluster is None else log.cluster(cluster)
        groups: dict[tuple[str, str], list[int]] = {}
        for place, key in enumerate(zip(log.task, log.model, strict=True)):
            groups.setdefault(key, []).append(place)
        for (of_task, of_model), places in groups.items():
            if of_task not in tasks or of_model not in models:
                continue
            for name in names:
                values = log.scores.get(name)
                if values is not None and any(not math.isnan(values[place]) for place in places):
                    lines.append(_scores_of(log, places, name, clusters, bounds, of_task, of_model))
    if not lines:
        raise OptionError("no answer has a score by this choice", f"one of the scorers {listed(_all_scorers(logs))}")
    return lines


def _tasks_or_models(logs: Sequence[AnswerLog], role: str, wanted: str | None) -> set[str]:
    """The tasks or the models of logs, or the one that is wanted."""
    known = list(dict.fromkeys(name for log in logs for name in getattr(log, role)))
    if wanted is None:
        return set(known)
    if wanted not in known:
        near = difflib.get_close_matches(wanted, known, n=1)
        hint = f", did you mean {near[0]!r}" if near else ""
        raise UnknownName(f"there is no {role} {wanted!r}{hint}", f"one of {listed(known, MOST_WAYS)}")
    return {wanted}


def _all_scorers(logs: Sequence[AnswerLog]) -> list[str]:
    return list(dict.fromkeys(name for log in logs for name in log.scores))


def _chosen_scorers(logs: Sequence[AnswerLog], scorer: str | None, filter_: str | None, tasks: set[str]) -> list[str]:
    """The columns of scores by the name of a scorer and of a filter; a metric without item scores is refused."""
    known = list(dict.fromkeys(
        name for log in logs if not tasks.isdisjoint(log.task) for name in log.scores))  # fmt: skip
    names = known
    if scorer is not None:
        names = [name for name in known if name == scorer or name.startswith((f"{scorer},", f"{scorer}."))]
        why = next((log.refused[scorer] for log in logs if scorer in log.refused), None)
        if not names and why is not None:
            raise OptionError(f"scorer {scorer!r} is {why}", f"one of {listed(known, MOST_WAYS)}")
        if not names:
            near = difflib.get_close_matches(scorer, known, n=1)
            hint = f", did you mean {near[0]!r}" if near else ""
            raise UnknownName(f"there is no scorer {scorer!r}{hint}", f"one of {listed(known, MOST_WAYS)}")
    if filter_ is not None:
        with_filter = [name for name in names if _filter_of(name) == filter_]
        if not with_filter:
            filters = list(dict.fromkeys(_filter_of(name) for name in names))
            raise UnknownName(f"there is no filter {filter_!r}", f"one of {listed(filters, MOST_WAYS)}")
        names = with_filter
    return names


def _out_of_bounds_error(name: str, log: AnswerLog, bounds: tuple[float, float]) -> OptionError:
    """The error about scores beyond the range that is allowed, with one that holds them."""
    known = [score for score in log.scores[name] if not math.isnan(score)]
    low, high = min(known), max(known)
    found = f"{name} of {shown(log.name)} has scores from {low:g} to {high:g}, outside {bounds[0]:g} to {bounds[1]:g}"
    return OptionError(found, f"the range of its scores: range=({low:g}, {high:g}), or --range {low:g} {high:g}")


def _filter_of(name: str) -> str:
    """The filter of a column of scores, which stands after the scorer and a comma."""
    return name.split(",", 1)[1] if "," in name else "none"


def _scores_of(
    log: AnswerLog,
    places: Sequence[int],
    name: str,
    clusters: Sequence[str] | None,
    bounds: tuple[float, float] | None,
    task: str,
    model: str,
) -> ItemScores:
    low, high = bounds or (0.0, 1.0)
    values: dict[str, list[float]] = {}
    errors: Counter[str] = Counter()
    of_item: dict[str, tuple[str, str, str]] = {}
    column = log.scores[name]
    for place in places:
        item = log.item[place]
        values.setdefault(item, [])
        errors[item] += log.state[place] == "error"
        facts = (log.truth[place], log.prompt[place], "" if clusters is None else clusters[place])
        if of_item.setdefault(item, facts)[2] != facts[2]:
            raise OptionError(f"item {shown(item)} lies in several clusters", "a column that items lie within")
        if of_item[item][0] != facts[0]:
            raise OptionError(f"item {shown(item)} of {shown(log.name)} has two true answers", "items with one each")
        score = column[place]
        if not math.isnan(score):
            if not low <= score <= high:
                raise _out_of_bounds_error(name, log, (low, high))
            values[item].append((score - low) / (high - low))
    scored = [item for item, each in values.items() if each]
    lost = {item: errors[item] for item, each in values.items() if not each}
    return ItemScores(
        log.tool, log.name, model, task, name, tuple(scored), tuple(np.array(values[item]) for item in scored),
        tuple(errors[item] for item in scored), lost, tuple(of_item[item][0] for item in scored),
        tuple(of_item[item][1] for item in scored),
        None if clusters is None else tuple(of_item[item][2] for item in scored),
        Counter(log.state[place] for place in places), (low, high), log.notes,
    )  # fmt: skip
