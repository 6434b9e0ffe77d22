"""Evidence that travels: predictions reduced to what adds, saved, loaded and merged, and judged as rows are.

From predictions to evidence that travels: of rows that were read, and of rows that were reduced where they lie.

Classes that a part of evidence lacks, known from other parts: a day or a site may have cases of one class alone.

What the cases of many classes are summed to, before they are let go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.deprecated import with_old_names
from assay.errors import OptionError, UnknownAttribute
from assay.evaluation.binary import TwoClassEvaluation
from assay.evaluation.comparison_from_sums import together_of
from assay.evaluation.construction import evaluation_of, evaluation_of_grouped, refuse_no_probability
from assay.evaluation.evaluation import AnyEvaluation, Evaluation, of_any_kind
from assay.evaluation.evaluations import Evaluations
from assay.evaluation.multiclass import ManyClassEvaluation
from assay.evidence import (
    Binned,
    ClassScores,
    ClassSums,
    ConfusionMatrix,
    Contribution,
    JointCorrectness,
    ModelSums,
    Reduced,
    ScoreTable,
    Shape,
)
from assay.evidence.reduction import DEFAULT_BITS, DEFAULT_BITS_OF_SHOWN
from assay.measures import class_losses
from assay.output_files import checked_target, write_all
from assay.predictions import Predictions
from assay.renderers import in_notebook
from assay.request import ReduceRequest, Request, checked_level, checked_seed, checked_threshold, checked_whole
from assay.sources import (
    Grouped,
    Reading,
    Reduction,
    Source,
    evidence_bytes,
    evidence_file,
    evidence_files,
    known_pair,
    shown,
)

__all__ = [
    "Evidence",
    "class_sums",
    "evidence_at",
    "evidence_of",
    "evidence_of_reduction",
    "load",
    "merge",
    "shape_of",
    "with_known_classes",
]


Names = Mapping[str, str]


def with_known_classes(parts: Sequence[Contribution]) -> list[Contribution]:
    """Return the parts with the names that others have for classes of which a part has no case.

    Such a name was completed where nothing but the class itself was known ("not ham" beside "ham"). Labels alone are
    also put among more classes. A name that somebody gave stays; what differs then is refused where parts are added.
    """
    classes = {_classes_of(part) for part in parts}
    found = {each for each in classes if each is not None}
    if len(found) < 2 or len(found) < len(classes):
        return list(parts)
    if all(len(each) == 2 for each in found):
        target = _of_two(parts)
        return list(parts) if target is None else [_renamed(part, target) for part in parts]
    widest = max(found, key=len)
    return [_widened(part, widest) for part in parts]


def _classes_of(part: Contribution) -> tuple[str, ...] | None:
    found = {model.classes for model in part.models.values()}
    return found.pop() if len(found) == 1 else None


def _of_two(parts: Sequence[Contribution]) -> tuple[str, str] | None:
    """The two classes of all parts: of each place the one name that has cases there."""
    target = []
    for place in (0, 1):
        named = {_first(part).classes[place] for part in parts if _first(part).cases[place]}
        if not named:  # nowhere a case of it: a name that was given, if only one was
            named = {_first(part).classes[place] for part in parts if not _is_completed(_first(part), place)}
        if len(named) != 1:
            return None
        target.append(named.pop())
    return None if target[0] == target[1] else (target[0], target[1])


def _first(part: Contribution) -> Reduced:
    return next(iter(part.models.values()))


def _is_completed(model: Reduced, place: int) -> bool:
    """Whether a class of two has no cases, and a name that follows from that of the other."""
    own, other = model.classes[place], model.classes[1 - place]
    return not model.cases[place] and (own == f"not {other}" or known_pair(model.classes) is not None)


def _renamed(part: Contribution, target: tuple[str, str]) -> Contribution:
    """A part with the names of the classes that it lacks; as it is where they were not completed."""
    models = part.models.values()
    names = dict(zip(_first(part).classes, target, strict=True))
    changed = [place for place, (old, new) in enumerate(names.items()) if old != new]
    if not changed or not all(
        _is_completed(model, place) and _is_free(model, place) for model in models for place in changed
    ):
        return part
    renamed = {name: _with_names(model, names) for name, model in part.models.items()}
    return replace(part, models=renamed, together=None if part.together is None else _pairs_with(part.together, names))


def _is_free(model: Reduced, place: int) -> bool:
    """Whether no label was given that is the name of a class without cases."""
    return model.matrix is None or model.threshold is not None or not model.matrix.counts[:, place].any()


def _with_names(model: Reduced, names: Names) -> Reduced:
    first, second = (names[each] for each in model.classes)
    matrix = None if model.matrix is None else replace(model.matrix, **_named(model.matrix, names))
    scores = tuple(replace(each, classes=(first, second)) for each in model.scores)
    return replace(model, classes=(first, second), matrix=matrix, scores=scores)


def _named(held: Any, names: Names) -> dict[str, Any]:
    return {field: tuple(names.get(each, each) for each in getattr(held, field)) for field in ("classes", "decisions")}


def _pairs_with(both: ModelSums, names: Names) -> ModelSums:
    return replace(
        both, decisions={pair: replace(held, **_named(held, names)) for pair, held in both.decisions.items()}
    )


def _widened(part: Contribution, target: tuple[str, ...]) -> Contribution:
    """A part of labels alone among more classes, some of which it has no case of."""
    models = {name: _among(model, target) for name, model in part.models.items()}
    if len(models) > 1 or any(model is None for model in models.values()):
        return part
    return replace(part, models={name: model for name, model in models.items() if model is not None})


def _among(model: Reduced, target: tuple[str, ...]) -> Reduced | None:
    """One model's labels among more classes; None where there are scores, or a class or label that is none of them."""
    matrix = model.matrix
    if matrix is None or model.scores:
        return None
    rows = [place for place, cases in enumerate(model.cases) if cases]
    columns = [place for place, column in enumerate(matrix.counts.T) if column.any()]
    if not {model.classes[k] for k in rows} | {matrix.decisions[k] for k in columns} <= {*target}:
        return None

    def placed(counts: Any) -> Any:
        found = np.zeros((len(target), len(target)))
        to_rows = [target.index(model.classes[k]) for k in rows]
        found[np.ix_(to_rows, [target.index(matrix.decisions[k]) for k in columns])] = counts[np.ix_(rows, columns)]
        return found

    squares = None if matrix.squares is None else placed(matrix.squares)
    known = dict(zip(model.classes, model.cases, strict=True))
    cases = tuple(known.get(name, 0) for name in target)
    return replace(
        model, classes=target, cases=cases, matrix=ConfusionMatrix(placed(matrix.counts), target, target, squares)
    )


MOST_NAMED = 5


@with_old_names
@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """What predictions were reduced to, in a form that travels: it is saved, adds, and is judged as the rows would be.

    `parts` are the sources that it is made of, such as sites, in the order of their names. Whatever an evaluation has,
    this has too: `evidence.roc_auc` is `evidence.evaluate().roc_auc`. What needs rows says so.

    >>> import assay
    >>> north = assay.reduce([0, 0, 1, 1] * 10, [0.1, 0.6, 0.4, 0.9] * 10, name="north")
    >>> south = assay.reduce([0, 1, 1, 0] * 10, [0.2, 0.7, 0.8, 0.3] * 10, name="south")
    >>> north + south
    Evidence(80 cases of '0', '1'; 2 parts: north, south)
    >>> (north + south).roc_auc
    0.938 [0.834, 0.971]
    """

    parts: tuple[Contribution, ...]
    origin: str = "evidence"
    sha256: str | None = None

    _repr_html_ = in_notebook

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
    else:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise UnknownAttribute(f"evidence has no attribute {name!r}")
            return getattr(self._judged, name)

    def __repr__(self) -> str:
        first = next(iter(self.models.values()))
        names = [part.name or "no name" for part in self.parts]
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        classes = ", ".join(map(repr, first.classes[:MOST_NAMED]))
        parts = f"; {len(names):,} parts: {', '.join(names[:MOST_NAMED])}{more}" if len(names) > 1 else ""
        of_models = "" if len(self.models) == 1 else f"; models {', '.join(self.models)}"
        return f"Evidence({sum(first.cases):,} cases of {classes}{of_models}{parts})"

    def __add__(self, other: Evidence) -> Evidence:
        if not isinstance(other, Evidence):
            return NotImplemented
        return merge(self, other)

    def __eq__(self, other: object) -> bool:
        return self.parts == other.parts if isinstance(other, Evidence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    @cached_property
    def models(self) -> Mapping[str, Reduced]:
        """What each model's predictions are reduced to, all parts together."""
        names = list(self.parts[0].models)
        for part in self.parts:
            if list(part.models) != names:
                mine, theirs = (
                    f"{_called(each)} has the models {_listed(each.models)}" for each in (self.parts[0], part)
                )
                raise OptionError(f"{mine} and {theirs}", "the same models in all, to merge them")
        return {name: _summed(name, self.parts) for name in names}

    @cached_property
    def joint(self) -> JointCorrectness | None:
        """How often each two models were right together; None of one model, or where a part does not say."""
        found = [part.joint for part in self.parts]
        if any(each is None for each in found):
            return None
        first, *others = cast("list[JointCorrectness]", found)
        for each in others:
            first = first + each
        return first

    @cached_property
    def joint_sums(self) -> ModelSums | None:
        """What the models made of the same cases, two by two; None of one model, or where a part does not say."""
        found = [part.together for part in self.parts]
        if any(each is None for each in found):
            return None
        first, *others = cast("list[ModelSums]", found)
        for each in others:
            first = first + each
        return first

    def evaluate(self, *, threshold: float | None = None, level: float = 0.95, seed: int = 0) -> AnyEvaluation:
        """The evaluation of the one model there is."""
        models = self.evaluations(threshold=threshold, level=level, seed=seed)
        if len(models) != 1:
            raise OptionError(f"there are {len(models)} models ({_listed(models)})", "one; evaluations() has them all")
        return next(iter(models.values()))

    def evaluations(self, *, threshold: float | None = None, level: float = 0.95, seed: int = 0) -> Evaluations:
        """The evaluation of every model, all parts together."""
        at = None if threshold is None else checked_threshold(threshold)
        level, seed = checked_level(level), checked_seed(seed)
        models = {name: _judged(each, self._source, at, level, seed) for name, each in self.models.items()}
        both = self.joint_sums if len(models) > 1 else None
        if both is not None and at is not None and any(each.threshold != at for each in self.models.values()):
            # Who decided what together is known of the threshold alone that was used when rows were there.
            both = replace(both, decisions={})
        return Evaluations(models, both)

    def by_part(self, *, threshold: float | None = None, level: float = 0.95, seed: int = 0) -> dict[str, Evaluations]:
        """The evaluations of every part by itself, by the names of the parts: a table of sites is made of these."""
        alone = {part.name: Evidence((part,), part.name) for part in self.parts}
        return {name: each.evaluations(threshold=threshold, level=level, seed=seed) for name, each in alone.items()}

    def coarser(self, bits: int) -> Evidence:
        """The same with cells put together, until they are of so many bits."""
        whole = checked_whole(bits, "bits", 0)
        parts = tuple(
            replace(part, models={name: model.coarser(whole) for name, model in part.models.items()})
            for part in self.parts
        )
        return Evidence(parts, self.origin)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it as a file, which `assay.load` and every command read."""
        target = checked_target(path)
        if str(target) == "-":
            raise OptionError("path is -, but evidence is a binary file", "the path of a file", about="output")
        write_all({target: self.to_bytes()})

    def to_bytes(self) -> bytes:
        """The file as bytes: the same for the same evidence."""
        return evidence_bytes(self.parts)

    @cached_property
    def _judged(self) -> AnyEvaluation:
        return self.evaluate()

    @property
    def _source(self) -> Source:
        names = [part.name for part in self.parts]
        of_parts = () if len(names) == 1 else (f"{len(names):,} parts put together: {_listed(names)}",)
        rows = sum(next(iter(self.models.values())).cases)
        hidden = sum(_hidden(model) for model in self.models.values())
        small = (f"{hidden:,.15g} cases lie in bins too small to be shown: they are in the bounds alone",)
        return Source(
            self.origin, "evidence", rows, sha256=self.sha256, remarks=(*of_parts, *(small if hidden else ()))
        )


def load(path: str | PathLike[str]) -> Evidence:
    """The evidence that a file holds; a part without a name is called as the file is.

    >>> import assay, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     assay.reduce([0, 1, 1, 0], [0.2, 0.7, 0.8, 0.3]).save(pathlib.Path(folder, "north.evidence"))
    ...     load(pathlib.Path(folder, "north.evidence")).parts[0].name
    'north'
    """
    found = evidence_at(path)
    if found is None:
        evidence_files(path)  # refuses what is no file at all
        raise OptionError(
            f"{shown(Path(path).name)} is not an evidence file", "a file written by assay reduce or assay merge"
        )
    return found


def evidence_at(path: Any) -> Evidence | None:
    """The evidence in a file; None where there is no such file, or it holds something else."""
    found = evidence_file(path)
    return None if found is None else Evidence(found[0], Path(path).name, found[1])


def merge(*sources: Any, bits: int | None = None) -> Evidence:
    """Evidence of several sources put together: files, patterns such as "site-*.evidence", or evidence itself.

    The same source twice is refused. With `bits` cells are put together first until they are so fine, which makes
    evidence of other bits fit.

    >>> import assay
    >>> assay.merge(assay.reduce([0, 1], [0.2, 0.7], name="a"), assay.reduce([1, 0], [0.6, 0.1], name="b"))
    Evidence(4 cases of '0', '1'; 2 parts: a, b)
    """
    found = [each if bits is None else each.coarser(bits) for each in _evidence_in(sources)]
    if not found:
        raise OptionError("there is nothing to merge", "files of evidence, or evidence")
    parts = sorted((part for each in found for part in each.parts), key=lambda part: (part.name, part.sources))
    seen: dict[str, Contribution] = {}
    for part in parts:
        for source in part.sources:
            if source in seen:
                twice = f"{_called(seen[source])} and {_called(part)} were made from the same rows"
                raise OptionError(f"{twice} (SHA-256 {source[:12]}...)", "each source once")
            seen[source] = part
    merged = Evidence(
        tuple(_with_own_names(with_known_classes(parts))), "merged evidence" if len(found) > 1 else found[0].origin
    )
    _ = merged.models  # what does not add is refused here, not when somebody asks for a number
    return merged


def _evidence_in(sources: Iterable[Any]) -> list[Evidence]:
    found: list[Evidence] = []
    for each in sources:
        if isinstance(each, Evidence):
            found.append(each)
        elif isinstance(each, str | PathLike):
            found += [load(path) for path in evidence_files(each)]
        elif isinstance(each, Sequence):
            found += _evidence_in(each)
        else:
            raise OptionError(
                f"something of type {type(each).__name__} is no evidence",
                "files of evidence, patterns of them, or evidence",
            )
    return found


def _with_own_names(parts: Iterable[Contribution]) -> list[Contribution]:
    """Parts of which no two have one name: the second one called so becomes its second."""
    every = list(parts)
    taken, used, named = {part.name for part in every}, set[str](), list[Contribution]()
    for part in every:
        name, number = part.name, 1
        while name in used or (number > 1 and name in taken):
            number += 1
            name = f"{part.name} ({number})".strip()
        used.add(name)
        named.append(part if name == part.name else replace(part, name=name))
    return named


def _summed(name: str, parts: Sequence[Contribution]) -> Reduced:
    try:
        return Reduced.sum(tuple(part.models[name] for part in parts))
    except OptionError as error:
        found, needed = error.found, error.needed
        for part in parts[1:]:
            try:
                Reduced.sum((parts[0].models[name], part.models[name]))
            except OptionError:
                lacking = next((each for each in (parts[0], part) if 0 in each.models[name].cases), None)
                if lacking is not None and len(parts[0].models[name].classes) == 2:
                    needed += f"; {_called(lacking)} lacks a class: reduce it with all classes given (--classes)"
                raise OptionError(f"{_called(parts[0])} and {_called(part)} do not add: {found}", needed) from error
        raise


def _judged(model: Reduced, source: Source, threshold: float | None, level: float, seed: int) -> Evaluation:
    tables: tuple[ScoreTable, ...] = model.tables()
    common: dict[str, Any] = {"source": source, "level": level, "seed": seed, "cases": model.cases}
    if len(model.classes) > 2:
        if threshold is not None:
            raise OptionError(f"there are {len(model.classes)} classes", "two, if a threshold is to part them")
        assert model.matrix is not None
        sums = model.of_many(tables)
        return of_any_kind(ManyClassEvaluation(matrix=model.matrix, class_tables=tables, class_sums=sums, **common))
    ev = TwoClassEvaluation(
        matrix=model.matrix,
        scores=tables[0] if tables else None,
        threshold_used=model.threshold,
        threshold_was_given=model.is_threshold_given,
        **common,
    )
    if threshold is not None and not tables:
        raise OptionError("there are labels but no scores", "evidence of scores, if a threshold is to be used")
    if threshold is not None and len(tables[0]):
        refuse_no_probability(threshold, float(tables[0].score[0]), float(tables[0].score[-1]))
    return of_any_kind(ev if threshold is None or threshold == model.threshold else ev.at(threshold))


def _hidden(model: Reduced) -> float:
    return sum(sum(getattr(scores, "hidden", (0.0, 0.0))) for scores in model.scores)


def _called(part: Contribution) -> str:
    return shown(part.name) if part.name else "one"


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - MOST_NAMED:,} more" if len(every) > MOST_NAMED else ""
    return ", ".join(name or "no name" for name in every[:MOST_NAMED]) + more


def class_sums(
    scores: ClassScores, kept: Sequence[Binned | ScoreTable], put: Callable[[ScoreTable], Any] = lambda table: table
) -> ClassSums:
    """The sums of cases whose scores against the rest are `kept`; how sure answers were as `put` keeps a table."""
    return ClassSums.of(scores, kept, class_losses(scores) if scores.are_probabilities else {}, put)


# What depends on which rows belong together, which no sum knows.
BY = "{!r} parts the cases into subgroups"
DEPENDENT = {
    "cluster": "evidence does not identify dependent rows (clusters)",
    "fold": "the folds of a cross-validation are evaluated separately, but evidence merges them",
    "amount": "amounts at stake belong to single cases, which evidence does not hold",
}


def evidence_of(reading: Reading, request: Request, asked: ReduceRequest) -> Evidence:
    """Predictions that were read, reduced as requested."""
    _refuse_what_cannot_travel(reading)
    shape = shape_of(asked)
    level, seed, models = request.level_used, request.seed_used, {}
    evaluations: dict[str, Evaluation] = {}
    for name, predictions in reading.models.items():
        ev = evaluations[name] = evaluation_of(predictions, reading.source, request.threshold, level, seed)
        models[name] = _reduced(ev, shape, is_threshold_given=request.threshold is not None)
    joint = _joint(reading, request.threshold) if len(models) > 1 else None
    digest = reading.source.sha256 or _digest(reading.models.values())
    # The cells of two models together are smaller still than those of either.
    are_same_rows = len(models) > 1 and "model" not in reading.source.columns
    both = together_of(evaluations) if are_same_rows and asked.least is None else None
    return Evidence((Contribution(asked.name or "", models, (digest,), joint, both),), reading.source.name)


def shape_of(asked: ReduceRequest) -> Shape:
    """How scores are to be put together."""
    bits = DEFAULT_BITS if asked.least is None else DEFAULT_BITS_OF_SHOWN
    kind: Any = asked.grid
    return Shape(bits if asked.bits is None else asked.bits, kind, asked.exact, asked.least or 1)


def evidence_of_reduction(found: Reduction, request: Request, asked: ReduceRequest) -> Evidence:
    """Predictions that were reduced where they lie, in cells of the shape that was asked for."""
    shape = shape_of(asked)
    if found.by is not None:
        raise OptionError(BY.format(found.by), "each subgroup reduced by itself")
    if "cluster" in found.source.columns:
        raise _cannot_travel("cluster", found.source)
    every = [known.binned for model in found.models.values() for known in model.scores]
    if shape.is_exact or any(binned.grid.bits != shape.bits for binned in every):
        said = f"exact is given, and the rows of {found.source.name!r} do not fit into memory"
        said = said if shape.is_exact else f"{found.source.name!r} is reduced on another grid where it lies"
        raise OptionError(said, "cells of scores, or memory for the rows", about="exact")
    models = {name: _of_grouped(model, found.source, shape, request) for name, model in found.models.items()}
    digest = found.source.sha256 or _digest_of_cells(every, found.models.values())
    return Evidence((Contribution(asked.name or "", models, (digest,)),), found.source.name)


def _of_grouped(model: Grouped, source: Source, shape: Shape, request: Request) -> Reduced:
    ev = evaluation_of_grouped(model, source, request.threshold, request.level_used, request.seed_used)
    used = ev.threshold_used if isinstance(ev, TwoClassEvaluation) else None
    matrix = None if ev.matrix is None else replace(ev.matrix, ends=None)
    scores = tuple(shape.shown(known.binned) for known in model.scores)
    cases, is_given = tuple(model.cases.values()), request.threshold is not None
    sums = None if model.sums is None else model.sums.shown(shape.fewest, cases)
    return Reduced(tuple(model.cases), cases, matrix, scores, used, is_given, sums)


def _digest_of_cells(every: Iterable[Binned], models: Iterable[Grouped]) -> str:
    """The hash of what rows of no single file were put together to."""
    digest = hashlib.sha256()
    for binned in every:
        for values in (binned.cell, binned.negative, binned.positive, binned.least, binned.greatest):
            digest.update(np.ascontiguousarray(values, dtype=np.float64).tobytes())
    for model in models:
        digest.update(repr(sorted(model.cases.items())).encode("utf-8", "backslashreplace"))
        if model.matrix is not None:
            digest.update(np.ascontiguousarray(model.matrix.counts).tobytes())
    return digest.hexdigest()


def _reduced(ev: Evaluation, shape: Shape, *, is_threshold_given: bool) -> Reduced:
    assert ev.rows is not None
    if isinstance(ev, TwoClassEvaluation):
        found = Reduced.of(ev.rows, () if ev.scores is None else (ev.scores,), ev.matrix, shape)
        return replace(found, is_threshold_given=is_threshold_given)
    scores = cast("ManyClassEvaluation", ev).class_scores
    if scores is None:
        return Reduced.of(ev.rows, (), ev.matrix, shape)
    tables = tuple(scores.against_rest(k) for k in range(len(ev.classes)))
    found = Reduced.of(ev.rows, tables, ev.matrix, shape)
    if shape.is_exact:
        return replace(found, sums=class_sums(scores, tables))
    grid = next(each.grid for each in found.scores if isinstance(each, Binned))
    sums = class_sums(scores, found.scores, lambda table: Binned.from_table(table, grid))
    return replace(found, sums=sums.shown(shape.fewest, found.cases))


def _joint(reading: Reading, threshold: float | None) -> JointCorrectness | None:
    """Who was right together, where every model has the same rows and decided about them."""
    if "model" in reading.source.columns:
        return None
    decided = [
        evaluation_of(predictions, reading.source, threshold, 0.95, 0).rows for predictions in reading.models.values()
    ]
    if any(rows is None or rows.decision is None for rows in decided):
        return None
    right = np.stack([rows.decision == rows.truth for rows in decided if rows is not None], axis=1)
    first = next(iter(reading.models.values()))
    return JointCorrectness.of(right, tuple(reading.models), weight=first.weight, count=first.count)


def _refuse_what_cannot_travel(reading: Reading) -> None:
    if reading.by is not None:
        raise OptionError(BY.format(reading.by.column), "each subgroup reduced by itself")
    for name in DEPENDENT:
        if any(getattr(predictions, name) is not None for predictions in reading.models.values()):
            raise _cannot_travel(name, reading.source)


def _cannot_travel(name: str, source: Source) -> OptionError:
    column = source.columns.get(name)
    options = {"ignore": column} if isinstance(column, str) else None
    return OptionError(DEPENDENT[name], "rows without it, or what is made of all rows at once: assay evaluate", options)


def _digest(models: Iterable[Predictions]) -> str:
    """The hash of rows that came from no file: the same rows make the same one."""
    digest = hashlib.sha256()
    for rows in models:
        digest.update("\0".join((*rows.classes, *rows.decisions)).encode("utf-8", "backslashreplace"))
        for values in (rows.truth, rows.score, rows.probability, rows.decision, rows.weight, rows.count):
            digest.update(b"\0" if values is None else np.ascontiguousarray(values, dtype=np.float64).tobytes())
    return digest.hexdigest()
