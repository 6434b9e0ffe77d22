"""Evidence that travels: predictions reduced to what adds, saved, loaded and merged, and judged as rows are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from assay.errors import OptionError, UnknownAttribute
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._kinds import AnyEvaluation, of_any_kind
from assay.evaluation._known_classes import with_known_classes
from assay.evaluation._make import refuse_no_probability
from assay.evaluation._many_classes import ManyClassEvaluation
from assay.evaluation._several import Evaluations
from assay.evaluation._two_classes import TwoClassEvaluation
from assay.evidence import Contribution, JointCorrectness, ModelSums, Reduced, ScoreTable
from assay.output_files import checked_target, write_all
from assay.renderers import in_notebook
from assay.request import checked_level, checked_seed, checked_threshold, checked_whole
from assay.sources import Source, evidence_bytes, evidence_file, evidence_files, shown

__all__ = ["Evidence", "evidence_at", "load", "merge"]

MOST_NAMED = 5


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
    def together(self) -> ModelSums | None:
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
        both = self.together if len(models) > 1 else None
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
            raise OptionError("path is -, and evidence is no text", "the path of a file", about="output")
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
        small = (f"{hidden:,.15g} cases lie in cells too small to be shown: they are in the bounds alone",)
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
        raise OptionError(f"{shown(Path(path).name)} is no evidence", "a file that assay reduce or assay merge wrote")
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
