"""From rows that stay where they lie to what is known of each model: what is asked of them, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.errors import InputError, OptionError
from assay.evidence import ClassSums, Shape
from assay.evidence.multiclass import ANSWERS
from assay.request import Request, doubled
from assay.results import counted
from assay.sources._assemble import columns_used
from assay.sources._class_losses import LossSums, class_losses
from assay.sources._coding import MOST_VALUES
from assay.sources._conversion import convert
from assay.sources._decisions import LabelSums, decided
from assay.sources._engine_rows import EngineRows
from assay.sources._hashed import GROUPS
from assay.sources._known import Grouped, Known, Reduction, how_closely
from assay.sources._labels import Classes, in_order
from assay.sources._loaded import Origin
from assay.sources._lying import Lying, Survey
from assay.sources._progress import stage
from assay.sources._records import Source
from assay.sources._reduction import reduced_scores, scored
from assay.sources._roles import Roles
from assay.sources._subjects import Subject, classes_of, one_against_the_rest, subjects_of, used_columns
from assay.sources._together import how_paired, together_of

__all__ = ["reduction_of"]

MOST_SUBGROUPS = 100
DEFAULT_THRESHOLD = 0.5

Scores = Mapping[tuple[str, int | str], Mapping[str | None, Known]]
Losses = Mapping[str, Mapping[str | None, LossSums]]


def reduction_of(lying: Lying, roles: Roles, request: Request, origin: Origin, shape: Shape | None = None) -> Reduction:
    """Every model's predictions put together: a look at all rows, one scan of all scores, one of all decisions.

    With a `shape` cells are as fine as it says, and nothing is put together for comparisons.
    """
    if request.missing == "pairwise":
        found = "missing is 'pairwise', and the rows do not fit into memory"
        raise OptionError(found, "more of it", {"memory": doubled(request.memory)}, about="missing")
    stage("a first look at all rows")
    survey = Survey.of(lying.looked_at())
    survey.refuse_empty()
    if roles.by is not None and len(groups := survey.sizes("by")) > MOST_SUBGROUPS:
        found = f"{roles.by!r} parts the cases into {len(groups):,} subgroups"
        raise InputError(found, f"a column of at most {MOST_SUBGROUPS} different values")
    classes = classes_of(survey, roles, request)
    rows, roles, notes = convert(EngineRows(survey), roles, classes, request)
    classes, roles = one_against_the_rest(roles, classes)
    survey = rows.survey.of_columns(used_columns(roles))
    survey.refuse(request.missing)
    subjects = subjects_of(survey, roles)
    models = _models(survey, subjects, classes, request, shape)
    both = None
    if len(subjects) > 1 and shape is None:
        known = {name: model.scores[0] for name, model in models.items() if model.scores}
        thresholds = [_threshold(models[subject.name], request.threshold) for subject in subjects]
        both = together_of(survey, subjects, classes, known, thresholds)
        notes = (*notes, *(() if both is None else how_paired(both, known)))
    stage("")
    source = _source(survey, roles, classes, models, origin)
    return Reduction(models, replace(source, remarks=(*notes, *source.remarks)), roles.by, both)


def _threshold(model: Grouped, given: float | None) -> float | None:
    """What decides about one model, where labels or the highest of many scores do not."""
    if given is not None or model.is_decided_by_labels or len(model.scores) != 1:
        return given
    return DEFAULT_THRESHOLD if model.binned.grid.kind == "probability" else None


def _models(
    survey: Survey, subjects: Sequence[Subject], classes: Classes, request: Request, shape: Shape | None
) -> dict[str, Grouped]:
    """What is known of each model: its scores in cells, and its decisions where cells do not tell them."""
    threshold = request.threshold
    if threshold is not None and (classes.are_many or not all(subject.scores for subject in subjects)):
        what = f"there are {len(classes.names)} classes" if classes.are_many else "there are labels but no scores"
        raise InputError(what, "scores of two classes, if a threshold is to part them")
    scores = reduced_scores(survey, subjects, classes, request.within, shape)
    unknown = [subject for subject in subjects if _is_open(subject, scores, classes, threshold)]
    decisions = decided(survey, unknown, classes, threshold)
    columns = [column for subject in subjects for column in subject.scores]
    losses = class_losses(survey, subjects, classes, scored(columns, classes))
    groups = [None, *in_order([*survey.sizes("by")])] if "by" in survey.lying.keys else [None]
    models = {}
    for subject in subjects:
        by_labels = threshold is None and subject.pred is not None
        parts = {
            group: _grouped(subject, group, scores, decisions.get(subject.name, {}), classes, by_labels=by_labels)
            for group in groups
        }
        parts = {group: _with_sums(part, subject, group, scores, losses) for group, part in parts.items()}
        whole = parts.pop(None)
        assert whole is not None
        models[subject.name] = replace(whole, subgroups={str(name): part for name, part in parts.items() if part})
    return models


def _is_open(subject: Subject, scores: Scores, classes: Classes, threshold: float | None) -> bool:
    """Whether the rows have to be asked what was decided: of two classes a threshold parts cells, or splits one."""
    if threshold is None:
        return subject.pred is not None or classes.are_many
    reach = scores[subject.name, 0][None].table.reach
    assert reach is not None
    begins, ends = reach.split_by(threshold)
    return begins < ends


def _grouped(
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


def _with_sums(
    part: Grouped | None, subject: Subject, group: str | None, scores: Scores, losses: Losses
) -> Grouped | None:
    """One model in one subgroup with what scores of many classes add up to."""
    if part is None or subject.name not in losses:
        return part
    sums, certain, clusters = losses[subject.name][group]
    by_truth = tuple(known.by_truth for known in part.scores if known.by_truth is not None)
    answers = {name: scores[subject.name, name][group].binned for name in ANSWERS}
    return replace(part, sums=ClassSums(by_truth, answers, sums, certain, clusters=clusters))


def _source(survey: Survey, roles: Roles, classes: Classes, models: Mapping[str, Grouped], origin: Origin) -> Source:
    ids = [roles.id] if roles.id is not None else []
    remarks = [f"whether {column} repeats was not looked at" for column in (*ids, *roles.watched) if column]
    if survey.lying.clusters and "cluster" not in survey.lying.names:
        many = f"{survey.lying.columns['cluster']} holds more than {MOST_VALUES:,} different values"
        remarks.append(f"{many}: put together by a hash in {GROUPS} groups of whole ones, which vary as they do")
    if survey.nobodies:
        remarks.append(f"{counted(survey.nobodies, 'row')} of weight or count 0: they stand for no case")
    for name, model in models.items():
        of = f"{name}: " if len(models) > 1 else ""
        remarks += [of + said for said in _how_closely(model)]
    return Source(
        name=origin.name,
        format=origin.format,
        rows=survey.rows,
        dropped=survey.dropped,
        columns=columns_used(roles),
        design=roles.design,
        sha256=origin.sha256,
        notes=(*origin.notes, "reduced where it lies"),
        positive_inferred=classes.inferred,
        unused=roles.left_over,
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _how_closely(model: Grouped) -> list[str]:
    if len(model.scores) < 2:
        return [how_closely(known) for known in model.scores]
    widest = max(model.scores, key=lambda known: known.width / known.error if known.error > 0 else known.width)
    return [f"{widest.binned.classes[1]} against the rest, the least certain: {how_closely(widest)}"]
