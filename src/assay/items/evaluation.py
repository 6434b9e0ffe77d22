"""The mean of item scores with its interval: what evaluating the log of a language model gives."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

from assay.items.intervals import MEAN_METHOD, ItemSpread, mean_limits, spread_of
from assay.items.repeats import VarianceSplit, variance_split
from assay.items.scores import ItemScores, chosen_scores, read_logs
from assay.renderers import in_notebook, render
from assay.request import checked_level, checked_whole
from assay.results import Estimate, Table, counted
from assay.types import Floats

__all__ = ["ItemEvaluation", "ItemLine", "evaluate_items", "read_log"]

FEW_ITEMS, FEW_EFFECTIVE, LARGE_SHARE = 20, 6.0, 0.3
# A number of repeats that stands for repeats without end.
TWICE = 2


@dataclass(frozen=True, eq=False)
class ItemLine:
    """One model on one task by one scorer: a mean of item scores with its interval, and what it rests on.

    `measure` is "mean", "pass@k" or "majority@k"; `values` are those of the items, in [0, 1].
    """

    scores: ItemScores
    measure: str
    values: Floats
    level: float

    @cached_property
    def spread(self) -> ItemSpread:
        """How the mean varies."""
        return spread_of(self.values, self.scores.clusters)

    @cached_property
    def estimate(self) -> Estimate:
        """The mean with its interval, on the scale of the scores."""
        return self._estimate(self.measure, self.spread)

    def _estimate(self, name: str, spread: ItemSpread) -> Estimate:
        low, high = self.scores.bounds
        limits = (math.nan, math.nan) if spread.undefined else mean_limits(spread, self.level)
        value, lower, upper = (low + (high - low) * number for number in (spread.mean, *limits))
        method = (
            MEAN_METHOD if spread.clusters is None else f"{MEAN_METHOD}, CR3, {counted(spread.clusters, 'cluster')}"
        )
        se = None if math.isnan(spread.variance) else (high - low) * spread.se
        return Estimate(name, value, lower, upper, self.level, method, spread.n, "this model", spread.undefined, se)

    @cached_property
    def with_errors(self) -> Estimate | None:
        """The mean with errors as wrong answers; None where there are none, or the measure is no mean."""
        if self.measure != "mean" or not (sum(self.scores.errors) + len(self.scores.unscored_by_error)):
            return None
        clusters = self.scores.clusters
        if clusters is not None and self.scores.unscored_by_error:
            return None
        return self._estimate("mean, errors as wrong", spread_of(self.scores.means_with_errors, clusters))

    @property
    def depends_on_errors(self) -> bool:
        """Whether counting errors as wrong answers moves the mean by more than half the interval."""
        found, other = self.estimate, self.with_errors
        return other is not None and found.value - other.value > (found.high - found.low) / 2

    @cached_property
    def variance(self) -> VarianceSplit:
        """The variance between items and within them."""
        if self.measure != "mean":
            return VarianceSplit(math.nan, math.nan, 1.0, self.spread.n, undefined=f"no split of {self.measure}")
        return variance_split(self.scores.scores, self.spread)

    @property
    def cautions(self) -> list[str]:
        """What to be careful about."""
        return list(_line_cautions(self))

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        scores, (fewest, most) = self.scores, self.scores.repeats
        return {
            "source": scores.source,
            "tool": scores.tool,
            "task": scores.task,
            "model": scores.model,
            "scorer": scores.scorer,
            "measure": self.measure,
            "items": len(scores.items),
            "items_without_score": len(scores.unscored),
            "repeats": {"fewest": fewest, "most": most},
            "clusters": self.spread.clusters,
            "effective_clusters": None if self.spread.clusters is None else self.spread.worth,
            "answers": {
                state: scores.states.get(state, 0) for state in ("scored", "error", "refused", "cut", "unscored")
            },
            "estimate": self.estimate.to_dict(),
            "errors_as_wrong": None if self.with_errors is None else self.with_errors.to_dict(),
            "variance": self.variance.to_dict(),
            "cautions": self.cautions,
        }


def _line_cautions(line: ItemLine) -> Any:
    scores, spread = line.scores, line.spread
    fewest, most = scores.repeats
    if spread.n < FEW_ITEMS:
        yield f"Fewer than {FEW_ITEMS} items ({spread.n})."
    if fewest < most:
        yield f"Items have from {fewest} to {most} scored answers; each item counts once."
    if line.variance.undefined is None and line.variance.is_copied:
        yield "All answers to each item score alike: they look like copies (temperature 0 or a cache), not repeats."
    if spread.clusters is not None and spread.worth < FEW_EFFECTIVE:
        yield f"Items lie in effectively {spread.worth:.1f} clusters; below {FEW_EFFECTIVE:g} the interval is wide."
    if scores.clusters:
        name, size = Counter(scores.clusters).most_common(1)[0]
        if size > LARGE_SHARE * spread.n:
            yield f"Cluster {name!r} holds {100 * size / spread.n:.0f} % of the items."
    other = line.with_errors
    if other is not None and line.depends_on_errors:
        yield (
            f"With errors counted as incorrect the mean is {other.value:.3f}, further off than half the interval: "
            "conclusions depend on how errors count."
        )


@dataclass(frozen=True, eq=False)
class ItemEvaluation:
    """The evaluation of a log: a line for each model, task and scorer, none pooled with another.

    `sources` are the logs, with what their readers noted.
    """

    lines: tuple[ItemLine, ...]
    level: float
    notes: tuple[str, ...] = ()
    refused: Mapping[str, str] | None = None
    clusterings: Mapping[str, int] | None = None

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(render("text", self))

    @property
    def estimate(self) -> Estimate:
        """The estimate of the only line."""
        return self.only.estimate

    @property
    def only(self) -> ItemLine:
        """The only line; refused where there are several."""
        from assay.errors import OptionError

        if len(self.lines) > 1:
            choices = [{"scorer": name} for name in dict.fromkeys(line.scores.scorer for line in self.lines)]
            ways = [(way, "") for way in choices] if len(choices) > 1 else ()
            raise OptionError(f"there are {len(self.lines)} lines", "one model, task and scorer", ways=ways)
        return self.lines[0]

    def table(self) -> Table:
        """A row for each line: items, repeats, and the estimate with its limits."""
        lines = self.lines
        columns: dict[str, list[Any]] = {}
        for name, of_line in (
            ("task", _task_of),
            ("model", _model_of),
            ("scorer", _scorer_of),
            ("measure", _measure_of),
        ):
            values = [of_line(line) for line in lines]
            if name == "scorer" or len(set(values)) > 1 or (name == "measure" and set(values) != {"mean"}):
                columns[name] = values
        if len({(_task_of(line), _model_of(line), _scorer_of(line), _measure_of(line)) for line in lines}) < len(lines):
            columns = {"file": [line.scores.source for line in lines], **columns}
        columns["items"] = [len(line.scores.items) for line in lines]
        columns["repeats"] = [_repeat_count(line) for line in lines]
        if any(line.spread.clusters is not None for line in lines):
            columns["clusters"] = [line.spread.clusters for line in lines]
        estimates = [line.estimate for line in lines]
        columns |= {name: [getattr(one, name) for one in estimates] for name in ("value", "low", "high")}
        return Table(columns)

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        return {
            "schema": "assay.items/1",
            "level": self.level,
            "lines": [line.to_dict() for line in self.lines],
            "not_scored": dict(self.refused or {}),
            "clusterings": dict(self.clusterings or {}),
            "notes": list(self.notes),
        }

    def report(self, path: str | PathLike[str]) -> None:
        """Write a page that opens anywhere."""
        render("page", self, path)


def _task_of(line: ItemLine) -> str:
    return line.scores.task


def _model_of(line: ItemLine) -> str:
    return line.scores.label


def _scorer_of(line: ItemLine) -> str:
    return line.scores.scorer


def _measure_of(line: ItemLine) -> str:
    return line.measure


def _repeat_count(line: ItemLine) -> str:
    fewest, most = line.scores.repeats
    return f"{fewest}" if fewest == most else f"{fewest} to {most}"


def read_log(path: Any, *, cluster: str | None = None, columns: Mapping[str, Any] | None = None) -> Table:
    """Return the answers in the log of an evaluation tool as a table: a row for each answer and scorer.

    Its columns are item, repeat, model, task, scorer, score, state and truth, and cluster where one is requested.
    `.to("pandas")` makes a data frame of it. A folder with several logs gives all of them below one another.
    """
    tables = [log.table(cluster) for log in read_logs(path, columns)]
    joined = {name: [value for table in tables for value in table.columns[name]] for name in tables[0].columns}
    return Table(joined, title=tables[0].title if len(tables) == 1 else "")


def evaluate_items(
    data: Any,
    *,
    scorer: str | None = None,
    filter: str | None = None,  # noqa: A002
    task: str | None = None,
    model: str | None = None,
    cluster: str | None = None,
    at: int | Sequence[int] = (),
    majority: int | Sequence[int] = (),
    range: tuple[float, float] | None = None,  # noqa: A002
    partial: bool = False,
    level: float = 0.95,
    columns: Mapping[str, Any] | None = None,
) -> ItemEvaluation:
    """Return the mean score of a model's answers to the items of a task, with its interval.

    `data` is the log of an evaluation tool, a folder of them, or a table with a row for each answer: columns item and
    score, perhaps repeat, model, task, scorer and state; `columns` names them where they are named otherwise. Items
    are the unit: repeats of an item are averaged first, and `cluster` names the column that items lie in. `at` gives
    pass@k, `majority` majority@k.

    >>> answers = {"item": [1, 1, 2, 2, 3, 3], "score": [1, 0, 1, 1, 0, 0]}
    >>> evaluate_items(answers, at=2).estimate.value.__round__(3)
    0.667
    """
    checked_level(level, "level")
    logs = read_logs(data, columns)
    chosen = chosen_scores(
        logs, scorer=scorer, filter=filter, task=task, model=model, cluster=cluster, bounds=range, partial=partial
    )
    lines = [
        line
        for scores in chosen
        for line in lines_of(scores, _whole_numbers(at, "at"), _whole_numbers(majority, "majority"), level)
    ]
    notes = tuple(dict.fromkeys(note for log in logs for note in notes_on(log)))
    refused = {name: why for log in logs for name, why in log.refused.items()}
    clusterings = {} if cluster is not None else {name: size for log in logs for name, size in log.candidates().items()}
    return ItemEvaluation(tuple(lines), level, notes, refused, clusterings)


def notes_on(log: Any) -> list[str]:
    """What the reader of a log noted, with the values of its letters."""
    letters = [f"letters as numbers: {', '.join(log.letters)}"] if log.letters else []
    partial = [f"partial run: {log.partial}"] if log.partial else []
    return [*letters, *partial, *log.notes]


def _whole_numbers(value: int | Sequence[int], name: str) -> tuple[int, ...]:
    each = (value,) if isinstance(value, int) else tuple(value)
    return tuple(checked_whole(number, name) for number in each)


def lines_of(scores: ItemScores, at: Sequence[int], majority: Sequence[int], level: float) -> list[ItemLine]:
    """The lines of some scores: their mean, or pass@k and majority@k for each k."""
    if not at and not majority:
        return [ItemLine(scores, "mean", scores.means, level)]
    kinds = [("pass", k) for k in at] + [("majority", k) for k in majority]
    return [ItemLine(scores, f"{kind}@{k}", scores.at(k, kind), level) for kind, k in kinds]
