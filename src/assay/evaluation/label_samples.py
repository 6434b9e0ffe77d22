"""Which rows to label: a sample of them drawn so that some measures have narrow limits, and the file that says so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from assay.cautions import Caution, DesignFacts, check
from assay.errors import InputError, OptionError
from assay.evidence import ConfusionMatrix
from assay.labelling import (
    FEWEST_LABELS,
    SCORES,
    draw_rows,
    expected_half_width,
    expected_value,
    inclusion_probabilities,
    labels_needed,
    unlabelled,
)
from assay.measures import Measure, find
from assay.output_files import checked_target, write_all
from assay.renderers import in_notebook
from assay.request import SampleRequest, checked_between, checked_level, front_door
from assay.results import Table, counted, csv_text
from assay.sources import LabelFile, ScoredRows, read_scored, shown
from assay.text import number, visible
from assay.types import Codes, Floats

__all__ = [
    "LabelPlan",
    "LabelSample",
    "LabelledFile",
    "SampleDesign",
    "plan_labels",
    "sample",
    "sampled_rows",
    "with_labels",
]

LEVEL = 0.95


@dataclass(frozen=True)
class SampleDesign:
    """How rows were drawn: everything that tells the inclusion probability of each row from its score.

    >>> design = SampleDesign(500, ("recall",), 0.5, 0.25, "systematic", 7, 10_000, "00ff", "p")
    >>> SampleDesign.of(str(design)) == design
    True
    """

    labels: int
    aim: tuple[str, ...]
    threshold: float
    floor: float
    kind: str
    seed: int
    rows: int
    digest: str
    score: str

    def __str__(self) -> str:
        return json.dumps({each.name: getattr(self, each.name) for each in fields(self)}, separators=(",", ":"))

    @classmethod
    def of(cls, text: str) -> SampleDesign:
        """Return the design that a file of labels holds."""
        try:
            found = json.loads(text)
            made = cls(**{**found, "aim": tuple(found["aim"])})
            options = ("labels", "aim", "threshold", "floor", "kind", "seed")
            request = SampleRequest.of({name: getattr(made, name) for name in options})
            is_sound = isinstance(made.rows, int) and isinstance(made.digest, str) and isinstance(made.score, str)
        except (ValueError, TypeError, KeyError, AttributeError):
            is_sound = False
        if not is_sound:
            raise OptionError(f"the column design holds {visible(text[:60])!r}", "what assay sample wrote there")
        _measures(request.aim)
        return made

    @property
    def measures(self) -> list[Measure]:
        """The measures that are to have narrow limits."""
        return _measures(self.aim)

    def probabilities(self, score: Floats) -> Floats:
        """Return the inclusion probability of each row."""
        if self.kind == "simple":
            return np.full(len(score), self.labels / len(score))
        rows = unlabelled(score, score >= self.threshold)
        return inclusion_probabilities(rows, self.measures, self.labels, self.floor)

    def drawn(self, rows: ScoredRows) -> Codes:
        """Return the places of the rows that are drawn."""
        chances = self.probabilities(rows.score)
        return draw_rows(chances, rows.order, self.kind, self.seed)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, repr=False)
class LabelSample:
    """A sample of rows to label: which they are, and the probability with which every row could be drawn.

    >>> import assay, numpy as np
    >>> score = np.random.default_rng(1).beta(0.5, 4, 10_000)
    >>> draw = assay.sample(score, labels=200, seed=7)
    >>> draw
    200 of 10,000 rows, for recall, precision and F1 at the threshold 0.5. Expected, if the scores are calibrated:
      recall ...
    >>> len(draw.rows), draw.probability.shape
    (200, (10000,))
    """

    design: SampleDesign
    source: ScoredRows
    probability: Floats
    rows: Codes

    _repr_html_ = in_notebook

    @cached_property
    def expected(self) -> Table:
        """What labels of this sample would tell of each measure aimed at, if the scores are calibrated."""
        rows = unlabelled(self.source.score, self.source.score >= self.design.threshold)
        even = np.full(len(rows), self.design.labels / len(rows))
        measures = self.design.measures
        return Table(
            {
                "measure": [one.title for one in measures],
                "expected": [expected_value(rows, one) for one in measures],
                "half-width": [expected_half_width(rows, one, self.probability, LEVEL) for one in measures],
                "simple random sample": [expected_half_width(rows, one, even, LEVEL) for one in measures],
            },
            title="Expected, if the scores are calibrated",
        )

    def __repr__(self) -> str:
        design, found = self.design, self.expected
        titles = [_spoken(title) for title in found.columns["measure"]]
        several = f"{', '.join(titles[:-1])} and {titles[-1]}" if len(titles) > 1 else titles[0]
        head = f"{len(self.rows):,} of {counted(len(self.source), 'row')}, for {several} at the threshold"
        each = [
            f"{title} {number(value)} ± {half:.2g}"
            for title, value, half in zip(titles, found.columns["expected"], found.columns["half-width"], strict=True)
        ]
        plain = ", ".join(f"± {half:.2g}" for half in found.columns["simple random sample"])
        lines = [
            f"{head} {design.threshold:g}. Expected, if the scores are calibrated:",
            f"  {'   '.join(each)}   (a simple random sample: {plain})",
        ]
        return "\n".join([*lines, *(f"{one.code}  {one.message}" for one in self.cautions)])

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to be careful about."""
        return check(DesignFacts(aim=self.design.aim, kind=self.design.kind))

    def table(self) -> Table:
        """Return the rows to label, in random order: the first of them are a sample too."""
        order = np.random.default_rng(self.design.seed + 1).permutation(len(self.rows))
        picked = self.rows[order]
        ids = [str(row) for row in picked.tolist()] if self.source.id is None else self.source.id[picked].tolist()
        return Table(
            {
                "id": ids,
                "score": self.source.score[picked].tolist(),
                "inclusion_probability": self.probability[picked].tolist(),
                "y_true": [""] * len(picked),
                "design": [str(self.design)] * len(picked),
            },
            title="Rows to label",
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the rows to label as a CSV file: fill its column y_true, and pass it to `evaluate(labelled=)`."""
        if self.source.id is None:
            found = "the rows have no ids, so labels in a file could not be matched"
            raise OptionError(found, "assay.sample(..., id=ids)", about="id")
        file = checked_target(path)
        table = self.table()
        write_all({file: csv_text(table.columns, table.rows()).encode()})

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints."""
        return {
            "schema": "assay.sample/1",
            "rows": len(self.source),
            "labels": len(self.rows),
            "design": {**json.loads(str(self.design)), "aim": list(self.design.aim)},
            "expected": self.expected.to_dict(),
            "cautions": [caution.to_dict() for caution in self.cautions],
        }


@dataclass(frozen=True)
class LabelPlan:
    """About how many labels make the interval of a measure so narrow, by a sample drawn for it or a simple one.

    `labels` is None where labels of all rows would not do, `simple` likewise.
    """

    measure: str
    expected: float
    half_width: float
    level: float
    rows: int
    labels: int | None
    simple: int | None

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        title = _spoken(find(self.measure).title)
        wanted = (
            f"{title} (about {number(self.expected)}) to within {self.half_width:g} ({100 * self.level:g} % interval)"
        )
        if self.labels is None:
            return f"Labels of all {self.rows:,} rows would not give {wanted}."
        plain = "labels of nearly all rows" if self.simple is None else f"about {self.simple:,}"
        first = f"About {counted(self.labels, 'label')} give {wanted}; a simple random sample needs {plain}."
        return f"{first}\nThis trusts the scores as probabilities: draw 100 first, and plan again from those labels."

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints."""
        return asdict(self)


def plan_labels(
    data: Any,
    measure: str,
    *,
    half_width: float = 0.05,
    threshold: float = 0.5,
    floor: float = 0.25,
    level: float = LEVEL,
    score: str | None = None,
) -> LabelPlan:
    """Return about how many labels make the interval of a measure so narrow, from scores alone.

    >>> import numpy as np
    >>> plan_labels(np.random.default_rng(1).beta(0.5, 4, 10_000), "recall", half_width=0.05).labels
    223
    """
    found = read_scored(data, score=score)
    request = SampleRequest.of({"labels": FEWEST_LABELS, "aim": (measure,), "threshold": threshold, "floor": floor})
    (named,) = _measures(request.aim)
    _refuse_no_probabilities(found)
    rows = unlabelled(found.score, found.score >= request.threshold)
    wanted, level = checked_between(half_width, "half_width"), checked_level(level)
    needed, simple = (
        labels_needed(rows, named, wanted, request.floor, level, simple=is_simple) for is_simple in (False, True)
    )
    return LabelPlan(named.name, expected_value(rows, named), wanted, level, len(rows), needed, simple)


def _refuse_no_probabilities(rows: ScoredRows) -> None:
    low, high = float(rows.score.min()), float(rows.score.max())
    if low < 0 or high > 1 or low == high:
        found = f"the scores run from {low:.4g} to {high:.4g}, and probabilities of being drawn are made from them"
        raise OptionError(found, "scores that are probabilities, or a simple random sample", {"kind": "simple"})


def _spoken(title: str) -> str:
    """A title inside a sentence; names such as F1 and ROC AUC keep their capitals."""
    return title if title[1:2].isupper() or title[1:2].isdigit() else title.lower()


def _measures(names: Sequence[str]) -> list[Measure]:
    found = [find(name) for name in names]
    for one in found:
        if (one.needs is ConfusionMatrix and one.from_sample is None) or (
            one.needs is not ConfusionMatrix and one.name not in SCORES
        ):
            needed = "a measure with limits from a sample, such as recall, precision, f1, accuracy, roc_auc or brier"
            raise OptionError(f"aim is {one.name}, which has no limits from a sample of labels", needed, about="aim")
    return found


@front_door
def sample(
    data: Any,
    *,
    labels: int,
    aim: str | Sequence[str] = ("recall", "precision", "f1"),
    threshold: float = 0.5,
    floor: float = 0.25,
    kind: str = "systematic",
    score: str | None = None,
    id: Any = None,  # noqa: A002
    seed: int = 0,
) -> LabelSample:
    """Return a sample of rows to label, drawn so that the measures in `aim` will have narrow limits.

    `data` is an array of probabilities, or a data frame or a file with a column of them (`score`) and of `id`. Rows
    whose label would move the measures most are drawn most often; a share `floor` of the labels is spread evenly, since
    errors that no score shows can only be found there. `kind` is "systematic" (in score order, a fixed number),
    "poisson" (each row by itself) or "simple" (every row with the same probability).

    >>> import numpy as np
    >>> sample(np.linspace(0.01, 0.99, 1000), labels=50, aim="accuracy", seed=3).rows[:5]
    array([  3,  39,  67,  93, 116])
    """
    request = SampleRequest.of(
        {"labels": labels, "aim": aim, "threshold": threshold, "floor": floor, "kind": kind, "seed": seed}
    )
    return sampled_rows(read_scored(data, score=score, id=id), request)


def sampled_rows(rows: ScoredRows, request: SampleRequest) -> LabelSample:
    """Return the sample of some rows, as requested."""
    if not FEWEST_LABELS <= request.labels < len(rows):
        needed = f"at least {FEWEST_LABELS}, and fewer than the {len(rows):,} rows"
        raise OptionError(f"labels is {request.labels:,}", needed, about="labels")
    measures = _measures(request.aim)
    if request.kind != "simple":
        _refuse_no_probabilities(rows)
    design = SampleDesign(
        request.labels,
        tuple(one.name for one in measures),
        request.threshold,
        request.floor,
        request.kind,
        request.seed,
        len(rows),
        rows.digest,
        dict(rows.columns)["score"],
    )
    return LabelSample(design, rows, design.probabilities(rows.score), design.drawn(rows))


@dataclass(frozen=True, eq=False)
class LabelledFile:
    """Rows with the labels of a file beside them, and the probability with which each was drawn and labelled."""

    rows: ScoredRows
    label: list[str | None]
    inclusion: Floats
    unanswered: int


def with_labels(rows: ScoredRows, file: LabelFile) -> LabelledFile:
    """Return rows with the labels of a sample of them; a file of other rows is refused.

    Where some drawn rows have no label, the others stand for them: their probability is lowered by the share labelled.
    """
    design = SampleDesign.of(file.design)
    needed = f"the labels of rows drawn from {shown(rows.name)}: assay sample {rows.name}"
    if rows.id is None:
        raise InputError(f"{shown(rows.name)} has no column id", "the ids by which the sample was drawn")
    if (design.rows, design.digest) != (len(rows), rows.digest):
        found = f"{shown(file.name)} is a sample of {design.rows:,} other rows than the {len(rows):,} here"
        raise InputError(found, needed)
    drawn = design.drawn(rows)
    places = dict(zip(rows.id[drawn].tolist(), drawn.tolist(), strict=True))
    strange = next((each for each in file.id if each not in places), None)
    if strange is not None:
        found = f"{shown(strange)} in {shown(file.name)} is no row that was drawn"
        raise InputError(found, f"{needed}; or scores as they were when it was drawn")
    answered = sum(1 for text in file.label if text)
    if answered < FEWEST_LABELS:
        found = f"{shown(file.name)} has {counted(answered, 'label')} for {len(drawn):,} drawn rows"
        raise InputError(found, f"the column y_true filled, in {FEWEST_LABELS} rows at least")
    label: list[str | None] = [None] * len(rows)
    for each, text in zip(file.id, file.label, strict=True):
        label[places[each]] = text or None
    share = answered / max(len(drawn), 1)
    return LabelledFile(rows, label, design.probabilities(rows.score) * share, len(drawn) - answered)
