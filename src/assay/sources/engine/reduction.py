"""From rows that stay where they lie to what is known of each model: what is asked of them, and in which order.

Rows reduced where they lie: one scan counts the classes in each cell of the shared grid, wherever the rows are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.evidence import Binned, ClassSums, ScoreGrid, Shape
from assay.evidence.binning import no_probability
from assay.evidence.multiclass import ANSWERS, MOST_PAIRED, SIDES, paired
from assay.evidence.score_table import ClusteredRows
from assay.request import Request, doubled
from assay.results import counted
from assay.sources.assembly import columns_used
from assay.sources.column_data import Origin
from assay.sources.column_roles import Roles
from assay.sources.conversion import convert
from assay.sources.engine.binned_predictions import (
    MOST_CELLS,
    Grouped,
    Known,
    Reduction,
    first_bits,
    how_closely,
    known_of,
    missing_bits,
)
from assay.sources.engine.conversion import EngineRows
from assay.sources.engine.joint import LabelSums, decided, how_paired, together_of
from assay.sources.engine.multiclass import LossSums, answer_column, class_losses, right_column, with_answers
from assay.sources.engine.scan import (
    Found,
    Subject,
    classes_of,
    cluster_codes,
    is_positive,
    kept_rows,
    of_each,
    of_model,
    of_subgroups,
    one_against_the_rest,
    others_of,
    subjects_of,
    sums_of,
    truth_codes,
    used_columns,
    with_cells,
    with_sides,
)
from assay.sources.engine.tables import GROUPS, Lying, Survey
from assay.sources.labels import MOST_VALUES, Classes, in_order
from assay.sources.source_record import Source, stage
from assay.types import Floats

__all__ = ["ScoreColumn", "reduced_scores", "reduction_of", "scored"]


# Cells of all tables, and how often rows are looked at again.
MOST_CELLS_IN_ALL, MOST_PASSES = 24_000_000, 3
# As many halvings as usual scores fill with cells.
FILLED_HALVINGS = 8
BITS_OF_CLUSTERS = 7


@dataclass(frozen=True)
class ScoreColumn:
    """One column of one model, and the class that its scores are of; or what the scores of all classes say together."""

    subject: Subject
    column: str
    code: int
    answer: str | None = None

    @property
    def key(self) -> int | str:
        """The class of many, or the answer."""
        return self.code if self.answer is None else self.answer


ScoresFound = dict[ScoreColumn, dict[str | None, Known]]


def reduced_scores(
    survey: Survey, subjects: Sequence[Subject], classes: Classes, within: float | None, shape: Shape | None = None
) -> dict[tuple[str, int | str], dict[str | None, Known]]:
    """The scores of every model, put together; by its name, the place of the class, and the subgroup (None: all).

    All columns of one kind are read in one scan, and those that are not known closely enough in a further one; or all
    of them once, in cells of a given `shape`. Of many classes the answers are there too, by their names.
    """
    many, found = classes.are_many, ScoresFound()
    parts = _score_columns(subjects, many=many)
    for kind in ("probability", "real"):
        todo = [part for part in parts if _score_kind(survey, part, shape) == kind]
        if shape is not None and todo:
            stage(f"{survey.rows:,} rows: bins of {shape.bits} bits")
            found |= _bin_scores(survey, todo, classes, ScoreGrid(kind, shape.bits), shape)
            continue
        bits = max((first_bits(_smaller_class_size(survey, part, classes), within) for part in todo), default=0)
        # Every column, every subgroup, every cluster, and of few classes every true one, has cells of its own.
        times = len(classes.names) if many and len(classes.names) <= MOST_PAIRED else 1
        most = MOST_CELLS_IN_ALL // (max(1, len(parts)) * _subgroup_count(survey) * times)
        bits = min(bits, BITS_OF_CLUSTERS if survey.lying.clusters else max(6, int(math.log2(most / FILLED_HALVINGS))))
        for _ in range(MOST_PASSES if todo else 0):
            stage(f"{survey.rows:,} rows: bins of {bits} bits")
            known = _bin_scores(survey, todo, classes, ScoreGrid(kind, bits), shape)
            found |= known
            extra = {
                part: missing_bits(tables[None], bits, within, min(most, MOST_CELLS))
                for part, tables in known.items()
                if part.answer is None
            }
            todo = [part for part in todo if extra.get(part, 0) > 0]
            if not todo:
                break
            bits += max(extra.values())
    return {(part.subject.name, part.key if many else 0): found[part] for part in parts}


def _score_columns(subjects: Sequence[Subject], *, many: bool) -> list[ScoreColumn]:
    """Every column of scores, and of many classes every answer, of every model."""
    found = []
    for subject in subjects:
        found += [ScoreColumn(subject, column, code if many else 1) for code, column in enumerate(subject.scores)]
        if many and subject.scores:
            found += [ScoreColumn(subject, answer_column(subject.scores, each), 1, each) for each in ANSWERS]
    return found


def _subgroup_count(survey: Survey) -> int:
    return max(1, len(survey.sizes("by"))) if "by" in survey.lying.keys else 1


def _score_kind(survey: Survey, part: ScoreColumn, shape: Shape | None) -> Any:
    low, high = _score_range(survey, part)
    found = "probability" if low >= 0 and high <= 1 else "real"
    if shape is None or shape.kind is None:
        return found
    if shape.kind == "probability" != found:
        raise no_probability(low if low < 0 else high)
    return shape.kind


def _score_range(survey: Survey, part: ScoreColumn) -> tuple[float, float]:
    if part.answer is not None:
        return 0.0, 1.0
    low, high = survey.range_of(part.column, part.subject.model)
    # Shares may stray by what float32 is off.
    return (max(low, 0.0), min(high, 1.0)) if len(part.subject.scores) > 1 else (low, high)


def _smaller_class_size(survey: Survey, part: ScoreColumn, classes: Classes) -> int:
    """How many cases the smaller side has."""
    sizes = survey.sizes(model=part.subject.model)
    if part.answer is not None:
        return max(1, sum(sizes.values()) // 2)
    own = sizes.get(classes.names[part.code], 0)
    return max(1, min(own, sum(sizes.values()) - own))


def _bin_scores(
    survey: Survey, parts: Sequence[ScoreColumn], classes: Classes, grid: ScoreGrid, shape: Shape | None
) -> ScoresFound:
    """The cells of some columns on one grid, in one query."""
    import narwhals as nw

    lying, many = survey.lying, classes.are_many
    columns = list(dict.fromkeys(part.column for part in parts))
    if many:
        needed = dict.fromkeys(c for part in parts for c in (part.subject.scores if part.answer else (part.column,)))
        rows = kept_rows(survey, code=truth_codes(survey, classes), **scored(needed, classes))
        ways = dict.fromkeys(part.subject.scores for part in parts if part.answer)
        for scores in ways:
            rows = with_answers(rows, scores)
        rows = rows.drop(*(name for name in needed if name not in columns)) if set(needed) - set(columns) else rows
    else:
        rows = kept_rows(survey, positive=is_positive(survey, classes), **scored(columns, classes))
    wanted = {part.subject.model for part in parts}
    if len(wanted) < len(survey.sizes("model") if "model" in lying.keys else wanted):
        rows = rows.filter(nw.col("model").is_in(survey.raw("model", *map(str, wanted))))
    largest = max(max(-low, high) for low, high in (_score_range(survey, part) for part in parts))
    is_paired = many and len(classes.names) <= MOST_PAIRED
    sides = _class_indicator(parts, columns, is_paired=is_paired) if many else None

    def grouped(each: Any, keys: list[str]) -> Any:
        if sides is not None:
            each = each.with_columns(**sides(keys))
        each = with_cells(each if is_paired else with_sides(each, lying), grid, largest)
        each = each.with_columns(greatest=nw.col("score"))
        sums = [*sums_of(lying, sides=not is_paired), nw.col("score").min().alias("least"), nw.col("greatest").max()]
        return each.group_by(*others_of(lying), *keys, *(["side"] if is_paired else []), "cell").agg(*sums)

    found = of_each(rows, columns, "score", grouped)
    return {
        part: _binned_tables_by_group(survey, only_of(survey, found, part, columns), grid, classes, part, shape)
        for part in parts
    }


def scored(columns: Iterable[str], classes: Classes) -> dict[str, Any]:
    """Columns of scores as they are read: shares may stray by what float32 is off."""
    import narwhals as nw

    return {column: nw.col(column).clip(0.0, 1.0) if classes.are_many else nw.col(column) for column in columns}


def _class_indicator(
    parts: Sequence[ScoreColumn], columns: Sequence[str], *, is_paired: bool
) -> Callable[[list[str]], dict[str, Any]]:
    """What parts the cases in a cell: the true class, or whether it is that of the column; of answers, if right."""
    import narwhals as nw

    code_of = {part.column: part.code for part in parts if part.answer is None}
    rights = {part.column: right_column(part.subject.scores) for part in parts if part.answer is not None}
    classed = [column for column in columns if column in code_of]

    def sides(keys: list[str]) -> dict[str, Any]:
        if is_paired:
            own: Any = nw.col("code")
        else:
            code: Any = nw.lit(code_of[columns[0]], nw.Int64) if not keys else coded_places(columns, code_of)
            own = nw.when(nw.col("code") == code).then(nw.lit(1, nw.Int64)).otherwise(nw.lit(0, nw.Int64))
        for column, right in rights.items():
            own = nw.when(nw.col("of") == columns.index(column)).then(nw.col(right)).otherwise(own)
        return {"side": own} if is_paired else {"positive": own.cast(nw.Float64)}

    assert classed or rights
    return sides


def coded_places(columns: Sequence[str], code_of: Mapping[str, int]) -> Any:
    """The class that the column at each place is of: models have theirs in the same order, one after the other."""
    import narwhals as nw

    codes = [code_of.get(column, 0) for column in columns]
    count = max(codes) + 1
    if all(code == place % count for place, code in enumerate(codes) if columns[place] in code_of):
        return nw.col("of") % count
    found: Any = nw.lit(codes[0], nw.Int64)
    for place, code in enumerate(codes[1:], 1):
        found = nw.when(nw.col("of") == place).then(nw.lit(code, nw.Int64)).otherwise(found)
    return found


def only_of(survey: Survey, found: Found, part: ScoreColumn, columns: Sequence[str]) -> Found:
    """What was found of one column of one model."""
    here = found["of"] == columns.index(part.column)
    only = found if here.all() else {name: values[here] for name, values in found.items()}
    return of_model(survey, only, part.subject)


def _binned_tables_by_group(
    survey: Survey, found: Found, grid: ScoreGrid, classes: Classes, part: ScoreColumn, shape: Shape | None
) -> dict[str | None, Known]:
    """The cells of all cases, and of each subgroup by its name."""
    names = (classes.names[0], classes.names[1])
    if classes.are_many:
        names = SIDES if part.answer is not None else ("rest", classes.names[part.code])
    if "side" in found:
        is_own = found["side"] == part.code
        sums = {"positives": "rows"} | {f"positive_{name}": name for name in ("weight", "times", "squares")}
        found = found | {name: found[of] * is_own for name, of in sums.items() if of in found}
    tables = {}
    for group, only in of_subgroups(survey, found).items():
        known = _build_binned_table(survey, only, grid, names)
        if "side" in found and part.answer is None:
            kept = known.binned if shape is None else shape.shown(known.binned)
            known = replace(known, by_truth=_weights_by_true_class(survey, only, kept, len(classes.names)))
        tables[group] = known
    return tables


def _weights_by_true_class(survey: Survey, found: Found, kept: Binned, classes: int) -> Floats:
    """What every true class weighs in cells that may be shown, as coarse as pairs of classes have them."""
    at = paired(kept)
    assert isinstance(at, Binned)
    is_kept = np.isin(found["cell"], kept.cell)
    cell = found["cell"][is_kept].astype(np.int64)
    place = np.searchsorted(at.cell, kept.grid.coarser(cell, at.grid.bits) if at is not kept else cell)
    code, lying = found["side"][is_kept].astype(np.intp) * len(at) + place, survey.lying
    wanted = ["weight" if lying.weights else "rows", *(["squares"] if "weight" in lying.columns else [])]
    sums = [np.bincount(code, found[name][is_kept].astype(np.float64), classes * len(at)) for name in wanted]
    return np.array(sums, dtype=np.float64).reshape(len(wanted), classes, len(at))


def _build_binned_table(survey: Survey, found: Found, grid: ScoreGrid, names: tuple[str, str]) -> Known:
    """The table of what an engine found, in order: it may come in any, and a cell more than once."""
    order = np.argsort(found["cell"])
    cell = found["cell"].astype(np.int64, copy=False)[order]
    is_new = cell[1:] != cell[:-1]
    # Of millions of cells every pass over them counts, and mostly each comes once.
    once = bool(is_new.all())
    is_asked = survey.lying.clusters or not once
    first = np.flatnonzero(np.concatenate(([True], is_new)))[: len(cell)] if is_asked else order[:0]

    def put(name: str, by: np.ufunc) -> Floats:
        values = found[name].astype(np.float64, copy=False)[order]
        return values if once else np.asarray(by.reduceat(values, first))

    def sides(name: str) -> tuple[Floats, Floats]:
        both, positive = put(name, np.add), put({"rows": "positives"}.get(name, f"positive_{name}"), np.add)
        np.subtract(both, positive, out=both)
        return np.maximum(both, 0.0, out=both), positive

    lying = survey.lying
    weights = sides("weight" if lying.weights else "rows")
    squares = sides("squares") if "weight" in lying.columns else (None, None)
    least, greatest = put("least", np.minimum), put("greatest", np.maximum)
    cases = weights if not lying.weights else sides("times" if "count" in lying.columns else "rows")
    counts = round(float(cases[0].sum())), round(float(cases[1].sum()))
    rows = _rows_per_cluster(survey, found, order, first) if lying.clusters else None
    cells = cell if once else cell[first]
    return known_of(Binned(grid, cells, *weights, least, greatest, names, *squares), counts, rows)


def _rows_per_cluster(survey: Survey, found: Found, order: NDArray[np.intp], first: NDArray[np.intp]) -> ClusteredRows:
    """What each cluster has in each cell: a row for either class, as many cases as there are."""
    position = np.repeat(np.arange(len(first)), np.diff(first, append=len(order)))
    whole, positive = (
        found[name][order].astype(np.float64)
        for name in (("weight", "positive_weight") if survey.lying.weights else ("rows", "positives"))
    )
    each = np.concatenate((np.maximum(whole - positive, 0.0), positive))
    there = each > 0
    is_positive = np.repeat([False, True], len(whole))[there]
    cluster = np.tile(cluster_codes(survey, found)[order], 2)[there]
    return ClusteredRows(np.tile(position, 2)[there], is_positive, each[there], cluster)


MOST_SUBGROUPS = 100
DEFAULT_THRESHOLD = 0.5

Scores = Mapping[tuple[str, int | str], Mapping[str | None, Known]]
Losses = Mapping[str, Mapping[str | None, LossSums]]


def reduction_of(lying: Lying, roles: Roles, request: Request, origin: Origin, shape: Shape | None = None) -> Reduction:
    """Every model's predictions put together: a look at all rows, one scan of all scores, one of all decisions.

    With a `shape` cells are as fine as it says, and nothing is put together for comparisons.
    """
    if request.missing == "pairwise":
        found = "missing is 'pairwise', but the rows do not fit into memory"
        raise OptionError(found, "more memory", {"memory": doubled(request.memory)}, about="missing")
    stage("first pass over all rows")
    survey = Survey.of(lying.looked_at())
    survey.refuse_empty()
    if roles.by is not None and len(groups := survey.sizes("by")) > MOST_SUBGROUPS:
        found = f"{roles.by!r} has {len(groups):,} subgroups"
        raise InputError(found, f"a column of at most {MOST_SUBGROUPS} different values")
    classes = classes_of(survey, roles, request)
    rows, roles, notes = convert(EngineRows(survey), roles, classes, request)
    classes, roles = one_against_the_rest(roles, classes)
    survey = rows.survey.of_columns(used_columns(roles))
    survey.refuse(request.missing)
    subjects = subjects_of(survey, roles)
    models = _reduce_models(survey, subjects, classes, request, shape)
    both = None
    if len(subjects) > 1 and shape is None:
        known = {name: model.scores[0] for name, model in models.items() if model.scores}
        thresholds = [_decision_threshold(models[subject.name], request.threshold) for subject in subjects]
        both = together_of(survey, subjects, classes, known, thresholds)
        notes = (*notes, *(() if both is None else how_paired(both, known)))
    stage("")
    source = _build_source(survey, roles, classes, models, origin)
    return Reduction(models, replace(source, remarks=(*notes, *source.remarks)), roles.by, both)


def _decision_threshold(model: Grouped, given: float | None) -> float | None:
    """What decides about one model, where labels or the highest of many scores do not."""
    if given is not None or model.is_decided_by_labels or len(model.scores) != 1:
        return given
    return DEFAULT_THRESHOLD if model.binned.grid.kind == "probability" else None


def _reduce_models(
    survey: Survey, subjects: Sequence[Subject], classes: Classes, request: Request, shape: Shape | None
) -> dict[str, Grouped]:
    """What is known of each model: its scores in cells, and its decisions where cells do not tell them."""
    threshold = request.threshold
    if threshold is not None and (classes.are_many or not all(subject.scores for subject in subjects)):
        what = f"there are {len(classes.names)} classes" if classes.are_many else "there are labels but no scores"
        raise InputError(what, "scores of two classes, or no threshold")
    scores = reduced_scores(survey, subjects, classes, request.within, shape)
    unknown = [subject for subject in subjects if _needs_decision_scan(subject, scores, classes, threshold)]
    decisions = decided(survey, unknown, classes, threshold)
    columns = [column for subject in subjects for column in subject.scores]
    losses = class_losses(survey, subjects, classes, scored(columns, classes))
    groups = [None, *in_order([*survey.sizes("by")])] if "by" in survey.lying.keys else [None]
    models = {}
    for subject in subjects:
        by_labels = threshold is None and subject.pred is not None
        parts = {
            group: _subgroup_model(
                subject, group, scores, decisions.get(subject.name, {}), classes, by_labels=by_labels
            )
            for group in groups
        }
        parts = {group: _add_class_sums(part, subject, group, scores, losses) for group, part in parts.items()}
        whole = parts.pop(None)
        assert whole is not None
        models[subject.name] = replace(whole, subgroups={str(name): part for name, part in parts.items() if part})
    return models


def _needs_decision_scan(subject: Subject, scores: Scores, classes: Classes, threshold: float | None) -> bool:
    """Whether the rows have to be asked what was decided: of two classes a threshold parts cells, or splits one."""
    if threshold is None:
        return subject.pred is not None or classes.are_many
    reach = scores[subject.name, 0][None].table.reach
    assert reach is not None
    begins, ends = reach.split_by(threshold)
    return begins < ends


def _subgroup_model(
    subject: Subject, group: str | None, scores: Scores, decisions: Mapping[str | None, LabelSums], classes: Classes,
    *, by_labels: bool,
) -> Grouped | None:  # fmt: skip
    """One model in one subgroup; nothing where it has no cases there."""
    places = range(len(subject.scores))
    known = tuple(scores[subject.name, place][group] for place in places if group in scores[subject.name, place])
    decision = decisions.get(group)
    if not known and decision is None:
        return None
    cases = decision.cases if decision is not None else dict(zip(classes.names, known[0].cases, strict=True))
    return Grouped(cases, known, None if decision is None else decision.matrix, is_decided_by_labels=by_labels)


def _add_class_sums(
    part: Grouped | None, subject: Subject, group: str | None, scores: Scores, losses: Losses
) -> Grouped | None:
    """One model in one subgroup with what scores of many classes add up to."""
    if part is None or subject.name not in losses:
        return part
    sums, certain, clusters = losses[subject.name][group]
    by_truth = tuple(known.by_truth for known in part.scores if known.by_truth is not None)
    answers = {name: scores[subject.name, name][group].binned for name in ANSWERS}
    return replace(part, sums=ClassSums(by_truth, answers, sums, certain, clusters=clusters))


def _build_source(
    survey: Survey, roles: Roles, classes: Classes, models: Mapping[str, Grouped], origin: Origin
) -> Source:
    ids = [roles.id] if roles.id is not None else []
    remarks = [f"{column} was not checked for repeats" for column in (*ids, *roles.watched) if column]
    if survey.lying.clusters and "cluster" not in survey.lying.names:
        many = f"{survey.lying.columns['cluster']} holds more than {MOST_VALUES:,} different values"
        remarks.append(f"{many}: put together by a hash in {GROUPS} groups of whole ones, which vary as they do")
    if survey.nobodies:
        remarks.append(f"{counted(survey.nobodies, 'row')} of weight or count 0: they represent no case")
    for name, model in models.items():
        of = f"{name}: " if len(models) > 1 else ""
        remarks += [of + said for said in _binning_error_notes(model)]
    return Source(
        name=origin.name,
        format=origin.format,
        rows=survey.rows,
        dropped=survey.dropped,
        columns=columns_used(roles),
        design=roles.design,
        sha256=origin.sha256,
        notes=(*origin.notes, "reduced out of core"),
        positive_inferred=classes.inferred,
        unused=roles.left_over,
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _binning_error_notes(model: Grouped) -> list[str]:
    if len(model.scores) < 2:
        return [how_closely(known) for known in model.scores]
    widest = max(model.scores, key=lambda known: known.width / known.error if known.error > 0 else known.width)
    return [f"{widest.binned.classes[1]} against the rest, the least certain: {how_closely(widest)}"]
