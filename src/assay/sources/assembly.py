"""From loaded columns to checked predictions: classes, missing values, one `Predictions` for each model.

One class of many against all the others together.

The default class: what cases are taken for that a classifier said nothing of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.predictions import REJECTED, Predictions
from assay.request import Request
from assay.results import counted
from assay.sources.ambiguity import other_truths, rank_positives, with_clusters
from assay.sources.column_data import Loaded, Named, Origin, compacted, named, naturally, occurring, recoded
from assay.sources.column_names import ON_REQUEST
from assay.sources.column_roles import ModelColumns, Roles
from assay.sources.column_values import (
    Mask,
    columns_of,
    gaps_of,
    lacking_by_model,
    notes_on_numbers,
    numbers_for_labels,
    refuse_bad_numbers,
    refuse_missing_ids,
    refuse_uncoded,
    rows_kept,
    rows_of_nobody,
)
from assay.sources.conversion import ArrayRows, Converted, convert
from assay.sources.labels import (
    Classes,
    Coded,
    Numbers,
    aligned,
    class_names,
    closest,
    in_order,
    is_measurement,
    known_pair,
    label_name,
    refuse_alike,
    refuse_idle_order,
    refuse_spellings,
    refuse_strange,
    settle,
)
from assay.sources.probabilities import further_classes, probabilities
from assay.sources.quoting import listed, shown
from assay.sources.source_record import Reading, Source, Subgroups
from assay.types import Floats

__all__ = ["against_the_rest", "assemble", "columns_used", "refuse_foreign_labels", "sizes_of", "with_default_class"]


def against_the_rest(
    converted: Converted, labels: Mapping[str, Named], classes: Classes, shares: Mapping[str, Floats]
) -> tuple[Converted, dict[str, Named], Classes]:
    """The same cases with two classes: the one asked about, and whatever is not it.

    Labels that are no class at all stay what they are; a model's score is the probability of the class asked about.
    """
    positive = classes.against or ""
    names = (f"not {positive}", positive)
    roles, numbers, models = converted.roles, dict(converted.loaded.numbers), []
    for model in roles.models:
        score = model.score
        if model.name in shares:
            score = model.table or dict(model.per_class)[positive]
            numbers[score] = Numbers(shares[model.name][:, classes.names.index(positive)].copy())
        models.append(replace(model, score=score, per_class=(), table=None))
    preds = {model.pred for model in models if model.pred is not None}
    merged = {c: _merge_classes(labels[c], classes, names) if c in {roles.truth, *preds} else labels[c] for c in labels}
    loaded = replace(converted.loaded, numbers=numbers)
    return replace(converted, roles=replace(roles, models=tuple(models)), loaded=loaded), merged, Classes(names)


def _merge_classes(given: Named, classes: Classes, names: tuple[str, str]) -> Named:
    """Labels with all classes but one under one name."""
    new = [name if name not in classes.names else names[name == names[1]] for name in given.names]
    known = tuple(dict.fromkeys(new))
    return Named(known, recoded(given.codes, [known.index(name) for name in new]))


MOST_OFFERED = 6


def with_default_class(
    converted: Converted, labels: dict[str, Named], classes: Classes, request: Request
) -> tuple[Converted, list[Mask]]:
    """The columns with the default class, if any, for cases without an answer of their own; and which cases they are.

    A label that is missing or no class becomes the default class. So does a missing probability, where no label stands
    beside it: then the default class is certain, and whatever else there is has probability 0.
    """
    if request.default_class is None:
        return converted, []
    default = _default_class_code(str(request.default_class), classes.names)
    changed: dict[str, Mask] = {}
    for model in converted.roles.models:
        lacking = None
        if model.pred is not None:
            lacking = changed.setdefault(model.pred, _rows_without_label(labels[model.pred], classes.names))
        converted, filled = _fill_missing_scores(converted, model, classes, default, lacking)
        if filled is not None and model.pred is None:
            changed[model.name] = filled
    for column in {model.pred for model in converted.roles.models if model.pred is not None}:
        labels[column] = _fill_missing_labels(labels[column], classes.names, default)
    return converted, list(changed.values())


def _default_class_code(said: str, names: Sequence[str]) -> int:
    (default,) = aligned([label_name(said) or said], names)
    if default not in names:
        near = closest(default, names)
        raise InputError(
            f"the default class is {shown(default)}, but the classes are {listed(names)}",
            "a default class among them",
            ways=[({"default_class": name}, "") for name in ([near] if near is not None else names[:MOST_OFFERED])],
        )
    return list(names).index(default)


def _rows_without_label(given: Named, names: Sequence[str]) -> Mask:
    known = np.array([name in names for name in given.names] + [False])
    return np.asarray(~known[given.codes])


def _fill_missing_labels(given: Named, names: tuple[str, ...], default: int) -> Named:
    place = {name: number for number, name in enumerate(names)}
    codes = recoded(given.codes, [place.get(name, -1) for name in given.names])
    return Named(names, np.where(codes < 0, codes.dtype.type(default), codes))


def _fill_missing_scores(
    converted: Converted, model: ModelColumns, classes: Classes, default: int, lacking: Mask | None
) -> tuple[Converted, Mask | None]:
    """The probabilities of a model, those that are missing (of cases that lack a label too) certain of the default."""
    loaded, chosen = converted.loaded, classes.names[default]
    given = _model_numbers(loaded, model)
    if not given:
        return converted, None
    missing: Mask = np.logical_or.reduce(
        [np.isnan(values).reshape(len(values), -1).any(1) for values in given.values()]
    )
    missing = missing if lacking is None else missing & lacking
    if not missing.any():
        return converted, None
    for column, values in given.items():
        _refuse_no_probabilities(column, values)
    if model.table is not None:
        table = loaded.tables[model.table]
        certain = np.array([float(name == chosen) for name in table.classes])
        filled = replace(table, values=np.where(missing[:, None], certain, table.values))
        return replace(converted, loaded=replace(loaded, tables={**loaded.tables, model.table: filled})), missing
    owners = {column: name for name, column in model.per_class}
    numbers = dict(loaded.numbers)
    for column, values in given.items():
        certainty = float(owners.get(column, classes.against or classes.positive) == chosen)
        numbers[column] = Numbers(np.where(missing, certainty, values))
    return replace(converted, loaded=replace(loaded, numbers=numbers)), missing


def _model_numbers(loaded: Loaded, model: ModelColumns) -> dict[str, Floats]:
    """The numbers of a model, by the names of their columns; none where a column holds something else."""
    if model.table is not None:
        return {model.table: loaded.tables[model.table].values}
    used = [model.score] if model.score is not None else [column for _, column in model.per_class]
    found = {column: loaded.numbers[column] for column in used}
    are_numbers = all(each.text is None and each.fault is None for each in found.values())
    return {column: each.values for column, each in found.items()} if are_numbers else {}


def _refuse_no_probabilities(column: str, values: Floats) -> None:
    low, high = float(np.nanmin(values, initial=0.0)), float(np.nanmax(values, initial=1.0))
    if low < 0 or high > 1 + 1e-3:
        raise OptionError(
            f"{shown(column)} runs from {low:.4g} to {high:.4g}, but a default class needs probabilities (0 or 1)",
            "probabilities, or missing='drop'",
            {"missing": "drop"},
            about="default_class",
        )


@dataclass(frozen=True)
class _Settled:
    """Everything that has been questioned: what each model's predictions are cut from."""

    loaded: Loaded
    roles: Roles
    classes: Classes
    labels: Mapping[str, Named]
    probabilities: Mapping[str, NDArray[np.float64]]
    design: Mapping[str, NDArray[Any]]
    kept: Mask | None
    # The rows that each of several models has no answer for, where each is judged by those it has.
    lacking: Mapping[str, Mask]
    notes: tuple[str, ...] = ()


def assemble(loaded: Loaded, roles: Roles, request: Request, origin: Origin) -> Reading:
    """The predictions of each model, after every question about the data has been asked once."""
    if loaded.rows == 0:
        raise InputError(f"{shown(origin.name)} holds column names but no rows", "at least one row")
    for column in roles.labels:
        refuse_uncoded(column, loaded, roles, request)
    roles = with_clusters(roles, loaded.repeats, request) if roles.telling else roles
    nobody = rows_of_nobody(loaded, roles)
    labels = _labels_by_column(loaded, roles, nobody)
    classes = _resolve_classes(loaded, roles, labels, request, nobody)
    if origin.format != "arrays":  # whose columns of probabilities may be in that order
        refuse_idle_order(classes, class_names(request.classes), labels[roles.truth].names, roles.truth)
    refuse_foreign_labels(roles, {column: known.names for column, known in labels.items()}, classes)
    converted, converted_roles, notes = convert(ArrayRows(loaded, labels, nobody), roles, classes, request)
    settled, defaulted = _resolve_prediction_inputs(
        Converted(converted.loaded, converted_roles, notes), labels, classes, request, nobody
    )
    rows = _rows_by_model(settled)
    loaded, roles, kept = settled.loaded, settled.roles, _union_of_rows(rows)
    source = Source(
        name=origin.name,
        format=origin.format,
        rows=loaded.rows,
        dropped=0 if kept is None else loaded.rows - int(np.count_nonzero(kept)) - _zero_weight_rows(nobody),
        columns=columns_used(roles),
        design=roles.design,
        sha256=origin.sha256,
        notes=(*origin.notes, *notes_on_numbers(loaded, roles)),
        positive_inferred=classes.inferred,
        duplicates=loaded.repeats.get(roles.id, 0) if roles.id is not None else 0,
        defaulted=sum(int(np.count_nonzero(mask if kept is None else mask & kept)) for mask in defaulted),
        unused=roles.left_over,
        remarks=(*settled.notes, *_zero_weight_note(nobody)),
        class_order=loaded.declared or classes.as_found,
    )
    return Reading(
        _predictions_by_model(settled, rows),
        source,
        _subgroup_codes(settled, rows),
        _model_row_positions(settled, rows),
    )


def _union_of_rows(rows: Mapping[str, Mask | None]) -> Mask | None:
    """The rows that any model has."""
    each = [mask for mask in rows.values() if mask is not None]
    found: Mask | None = np.logical_or.reduce(each) if len(each) == len(rows) else None
    return found


def _model_row_positions(settled: _Settled, rows: Mapping[str, Mask | None]) -> dict[str, NDArray[np.intp]] | None:
    """Which of the cases that any model has each model's rows are; nothing where all have all of them."""
    if not settled.lacking or settled.roles.model is not None:
        return None
    someone = _union_of_rows(rows)
    among = np.arange(settled.loaded.rows) if someone is None else np.cumsum(someone) - 1
    return {name: among if mask is None else among[mask] for name, mask in rows.items()}


def _zero_weight_rows(nobody: Mask | None) -> int:
    return 0 if nobody is None else int(np.count_nonzero(nobody))


def _zero_weight_note(nobody: Mask | None) -> list[str]:
    rows = _zero_weight_rows(nobody)
    return (
        [f"{counted(rows, 'row')} of weight or count 0 {'represents' if rows == 1 else 'represent'} no case"]
        if rows
        else []
    )


def _resolve_prediction_inputs(
    converted: Converted, labels: dict[str, Named], classes: Classes, request: Request, nobody: Mask | None
) -> tuple[_Settled, list[Mask]]:
    """What predictions are cut from, and which cases were given the default class."""
    converted, defaulted = with_default_class(converted, labels, classes, request)
    loaded, roles = converted.loaded, converted.roles
    keys = {column: naturally(named(loaded.keys[column])) for column in roles.keys}
    gaps = gaps_of(loaded, roles, labels, keys)
    # A row without a truth is one that nobody labelled.
    if "inclusion" in roles.used or request.verified_by is not None:
        gaps.pop(roles.truth, None)
    lacking = lacking_by_model(gaps, roles) if request.missing == "pairwise" else {}
    shared = {column: gap for column, gap in gaps.items() if not lacking or column not in columns_of(roles.models)}
    kept = rows_kept(loaded, shared, request.missing, nobody)
    refuse_bad_numbers(loaded, roles, kept)
    refuse_missing_ids(loaded, roles, kept, was_named=request.id is not None)
    shares = probabilities(loaded, roles, classes, kept) if classes.are_many else {}
    design = _design_columns(loaded, roles, keys)
    notes = converted.notes
    if classes.against is not None:
        notes = (*notes, f"{classes.against} against the {len(classes.names) - 1} other classes")
        converted, labels, classes = against_the_rest(converted, labels, classes, shares)
        loaded, roles, shares = converted.loaded, converted.roles, {}
    return _Settled(loaded, roles, classes, labels, shares, design, kept, lacking, notes), defaulted


def _labels_by_column(loaded: Loaded, roles: Roles, nobody: Mask | None) -> dict[str, Named]:
    labels = {column: named(_blank_zero_weight_labels(loaded.labels[column], nobody)) for column in roles.labels}
    truth = labels[roles.truth].names
    for column in dict.fromkeys(model.pred for model in roles.models if model.pred is not None):
        labels[column] = replace(labels[column], names=tuple(aligned(labels[column].names, truth)))
    if roles.by is not None:
        labels[roles.by] = naturally(labels[roles.by])
    return labels


def _blank_zero_weight_labels(labels: Coded, nobody: Mask | None) -> Coded:
    """Labels without those that only rows of nobody have: such rows are given one of a case, and left out later."""
    if nobody is None:
        return labels
    return replace(labels, codes=np.where(nobody, labels.codes[int(nobody.argmin())], labels.codes))


def _resolve_classes(
    loaded: Loaded, roles: Roles, labels: Mapping[str, Named], request: Request, nobody: Mask | None
) -> Classes:
    truth = labels[roles.truth].names
    predicted = sorted({name for model in roles.models if model.pred for name in labels[model.pred].names})
    known = list(class_names(request.classes) or loaded.declared)
    refuse_strange(truth, known, roles.truth)
    # Two classes of which the user names one are two, whatever else has a column.
    if not known and not (len(truth) <= 2 and request.positive is not None):
        further = further_classes(loaded, roles, truth)
        known = in_order([*truth, *further]) if further else []
    counts = loaded.numbers[roles.used["count"]].values if "count" in roles.used else np.zeros(0)
    cases = int(np.nansum(counts[np.isfinite(counts)]))
    rows = max(loaded.rows, cases)
    refuse_spellings(roles.truth, truth)
    needs_none = request.style.startswith("weka") and not any(model.score for model in roles.models)
    if needs_none and request.positive is None and len(truth) == 2 and known_pair(tuple(truth)) is None:
        # A system that has no positive class is told of none: the classes stand as they are declared, or first occur.
        found = labels[roles.truth]
        first = tuple(found.names[place] for place in _order_of_appearance(found.codes, len(found.names)))
        names = tuple(name for name in known if name in truth) or first
        return Classes(names, inferred=True, as_found=names)
    if len(truth) == 2 and not known:
        # Labels that are no classes have to be mended first, whichever class is positive.
        refuse_foreign_labels(roles, {column: each.names for column, each in labels.items()}, Classes(tuple(truth)))
    return settle(
        truth,
        predicted,
        request.positive,
        column=roles.truth,
        rows=rows,
        known=known,
        sizes=lambda: sizes_of(labels[roles.truth], nobody),
        others=lambda: other_truths(roles, request),
        ranked=lambda ways: rank_positives(ways, roles),
    )


def sizes_of(truth: Named, nobody: Mask | None = None) -> dict[str, int]:
    """How many rows each class has, but for those of nobody."""
    codes = truth.codes if nobody is None else truth.codes[~nobody]
    counts = np.bincount(codes[codes >= 0], minlength=len(truth.names)).tolist()
    return dict(zip(truth.names, counts, strict=True))


def refuse_foreign_labels(roles: Roles, labels: Mapping[str, Sequence[str]], classes: Classes) -> None:
    """Refuse predicted labels that are no classes, or classes in another spelling."""
    known = set(classes.names)
    for model in roles.models:
        names = labels[model.pred] if model.pred is not None else ()
        foreign = [name for name in names if name not in known]
        numeric = next(filter(is_measurement, foreign), None)
        if model.pred is not None and numeric is not None:
            raise numbers_for_labels(model.pred, numeric)
        alone = {"ignore": model.pred} if _has_positive_class_score(model, roles, classes) else None
        if foreign and model.pred is not None:
            refuse_alike(model.pred, names, roles.truth, classes.names, alone)
        if foreign and len(foreign) == len(names) and foreign != [REJECTED]:
            raise InputError(
                f"{shown(model.pred)} holds {listed(foreign)} but {shown(roles.truth)} holds {listed(classes.names)}",
                "predicted labels with the spelling of the classes",
                alone,
            )


def _has_positive_class_score(model: ModelColumns, roles: Roles, classes: Classes) -> bool:
    """Whether a model can be evaluated without its labels: no score that may be the probability of whichever label."""
    if model.score is None or roles.contents is None or known_pair(classes.names) is None:
        return False
    return roles.contents.of([model.score])[model.score].low < 1 / len(classes.names)


def _design_columns(loaded: Loaded, roles: Roles, keys: Mapping[str, Named]) -> dict[str, NDArray[Any]]:
    numbers = ("weight", "count", *ON_REQUEST)
    weights = {role: loaded.numbers[roles.used[role]].values for role in numbers if role in roles.used}
    codes = {role: keys[roles.used[role]].codes for role in ("cluster", "fold") if role in roles.used}
    return {**weights, **codes, **({} if loaded.ids is None else {"id": loaded.ids})}


def columns_used(roles: Roles) -> dict[str, str | tuple[str, ...]]:
    """The column or columns that play each role, as the source names them."""
    columns = {
        "score": tuple(m.score for m in roles.models if m.score is not None and m.certainty is None),
        "proba": tuple(column for model in roles.models for _, column in model.per_class)
        or tuple(model.table for model in roles.models if model.table is not None),
        "pred": tuple(model.pred for model in roles.models if model.pred is not None),
        "certainty": tuple(model.certainty for model in roles.models if model.certainty is not None),
    }
    used: dict[str, str | tuple[str, ...]] = {"truth": roles.truth}
    used |= {role: found[0] if len(found) == 1 else found for role, found in columns.items() if found}
    used |= {"model": roles.model} if roles.model is not None else {}
    used |= roles.used
    return used | ({"by": roles.by} if roles.by is not None else {})


def _rows_by_model(settled: _Settled) -> dict[str, Mask | None]:
    """The rows of each model; nothing where it has all of them."""
    roles, kept = settled.roles, settled.kept
    if roles.model is None:
        return {model.name: _answered_rows(model.name, settled) for model in roles.models}
    models = settled.labels[roles.model]
    kept = kept if not settled.lacking else _answered_rows(roles.models[0].name, settled)
    found: dict[str, Mask | None] = {}
    for place in _order_of_appearance(models.codes, len(models.names)):
        rows = models.codes == place if kept is None else (models.codes == place) & kept
        if rows.any():
            found[models.names[place]] = rows
    return found


def _answered_rows(name: str, settled: _Settled) -> Mask | None:
    """The rows that a model has an answer for."""
    lacking = settled.lacking.get(name)
    if lacking is None:
        return settled.kept
    found: Mask = ~lacking if settled.kept is None else settled.kept & ~lacking
    if not found.any():
        raise InputError(
            f"{shown(name)} has no prediction in any row", "at least one prediction, or this model left out"
        )
    return found


def _order_of_appearance(codes: NDArray[np.integer], count: int) -> list[int]:
    return sorted(range(count), key=lambda place: int((codes == place).argmax()))


def _predictions_by_model(settled: _Settled, rows: Mapping[str, Mask | None]) -> dict[str, Predictions]:
    truth = settled.labels[settled.roles.truth]
    codes = recoded(truth.codes, _code_lookup(truth.names, settled.classes.names))
    models = {model.name: model for model in settled.roles.models}
    if settled.roles.model is None and not settled.lacking:
        shared = codes if settled.kept is None else codes[settled.kept]
        return {name: _model_predictions(settled, models[name], shared, rows[name]) for name in rows}
    if settled.roles.model is not None:
        models = dict.fromkeys(rows, settled.roles.models[0])
    return {
        name: _model_predictions(settled, models[name], _select_rows(codes, mask), mask) for name, mask in rows.items()
    }


def _model_predictions(
    settled: _Settled, model: ModelColumns, truth: NDArray[np.integer], rows: Mask | None
) -> Predictions:
    classes = settled.classes.names
    columns: dict[str, Any] = {role: _select_rows(values, rows) for role, values in settled.design.items()}
    columns |= {role: compacted(columns[role]) for role in ("cluster", "fold") if role in columns}
    if model.score is not None:
        columns["score"] = _select_rows(settled.loaded.numbers[model.score].values, rows)
    if model.name in settled.probabilities:
        columns["probability"] = _select_rows(settled.probabilities[model.name], rows)
    if model.pred is None:
        return Predictions(classes, truth, **columns)
    predicted = settled.labels[model.pred]
    given = _select_rows(predicted.codes, rows)
    used = [predicted.names[place] for place in occurring(given, len(predicted.names))]
    decisions = (*classes, *sorted(set(used) - set(classes)))
    return Predictions(
        classes,
        truth,
        decision=recoded(given, _code_lookup(predicted.names, decisions)),
        decisions=decisions,
        **columns,
    )


def _select_rows(values: NDArray[Any], rows: Mask | None) -> NDArray[Any]:
    return values if rows is None else values[rows]


def _code_lookup(names: Sequence[str], among: Sequence[str]) -> list[int]:
    place = {name: number for number, name in enumerate(among)}
    return [place.get(name, -1) for name in names]


def _subgroup_codes(settled: _Settled, rows: Mapping[str, Mask | None]) -> Subgroups | None:
    column = settled.roles.by
    if column is None:
        return None
    groups = settled.labels[column]
    return Subgroups(column, groups.names, {model: _select_rows(groups.codes, mask) for model, mask in rows.items()})
