"""Out-of-fold predictions as a table that every command reads: a row for each case and learner, with its fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, OptionError
from assay.experiments.database import PredictedRows
from assay.experiments.run_predictions import TEST, VALIDATION, rows_about
from assay.predictions import REJECTED
from assay.request import checked_choice, checked_whole
from assay.results import Table

if TYPE_CHECKING:
    from assay.experiments.results import Results


def predictions_table(study: Results, dataset: str, learners: Sequence[str], part: str, repeat: int | None) -> Table:
    """Return the predictions for the test or validation parts of a data set.

    Columns: `id` (the row of the data set), `fold`, `repeat` where all of them are given, `truth`, `model` where there
    are several learners, `prediction`, and a probability for each class (`proba_...`) or a `score` of the positive one,
    where all of the learners have such.
    """
    checked_choice(part, (TEST, VALIDATION), "part")
    if part == VALIDATION and not study.validates:
        found = f"the plan '{study.plan.name}' has no validation part"
        raise OptionError(found, "the test part, or the plan train_validation_test()", about="part")
    repeat = None if repeat is None else checked_whole(repeat, "repeat", 0)
    classes, target = study.truth(dataset)
    wanted = learners or study.candidate_learners
    predicted = {name: _predictions_by_split(study, dataset, name, part, repeat) for name in wanted}
    known = [rows for parts in predicted.values() for _, _, rows in parts]
    names = (*_parse_whole_labels(classes), REJECTED)
    every = [column for column in ("probability", "score") if all(getattr(rows, column) is not None for rows in known)]
    columns: dict[str, list[Any]] = {"id": [], "fold": [], "repeat": [], "truth": [], "model": [], "prediction": []}
    columns |= {f"proba_{name}": [] for name in classes} if "probability" in every else {}
    columns |= {"score": []} if "score" in every else {}
    for learner, parts in predicted.items():
        for of_repeat, fold, rows in parts:
            cases = len(rows.rows)
            columns["id"] += rows.rows.tolist()
            columns["fold"] += [fold] * cases
            columns["repeat"] += [of_repeat] * cases
            columns["truth"] += [names[code] for code in target[rows.rows].tolist()]
            columns["model"] += [learner] * cases
            columns["prediction"] += [names[code] for code in rows.label.tolist()]
            if "probability" in every and rows.probability is not None:
                for code, name in enumerate(classes):
                    columns[f"proba_{name}"] += rows.probability[:, code].tolist()
            if "score" in every and rows.score is not None:
                columns["score"] += rows.score.tolist()
    unneeded = {"repeat"} if repeat is not None else set()
    unneeded |= {"model"} if len(wanted) == 1 else set()
    kept = {name: values for name, values in columns.items() if name not in unneeded}
    what = "Out-of-fold predictions" if part == TEST else "Predictions for the validation part"
    without = [name for name, parts in predicted.items() if parts[0][2].probability is None]
    left = f"; without probabilities, which {', '.join(without)} lacks" if 0 < len(without) < len(predicted) else ""
    return Table(kept, title=f"{what} of {dataset}{left}", digits=6)


def _predictions_by_split(
    study: Results, dataset: str, learner: str, part: str, repeat: int | None
) -> list[tuple[int, int, PredictedRows]]:
    """The predictions of every split that is done, by repeat and fold."""
    study.refuse_unknown(dataset, learner)
    if part == TEST:
        found = [(cell["repeat"], cell["fold"], rows) for cell, rows in study.tested(dataset, learner)]
    else:
        classes, target = study.truth(dataset)
        done = study.store.cells(study.name, "key", "repeat", "fold", dataset=dataset, learner=learner, status="done")
        stored = study.store.parts(study.name, VALIDATION, dataset=dataset, learner=learner)
        found = [
            (cell["repeat"], cell["fold"], rows_about(stored[cell["key"]]["predictions"], classes, target))
            for cell in done
            if cell["key"] in stored
        ]
    found = [each for each in found if repeat is None or each[0] == repeat]
    if not found:
        which = "" if repeat is None else f" of repeat {repeat}"
        raise AssayError(f"no split{which} of {learner!r} on {dataset!r} is finished; run or resume the study")
    return sorted(found, key=lambda each: each[:2])


def _parse_whole_labels(classes: tuple[str, ...]) -> tuple[Any, ...]:
    """Names of classes as a file has them: whole numbers where all of them are such."""
    are_whole = all(name.lstrip("-").isdecimal() and str(int(name)) == name for name in classes)
    return tuple(int(name) for name in classes) if are_whole else classes
