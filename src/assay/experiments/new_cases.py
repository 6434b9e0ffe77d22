"""Scoring new cases by a model of a study: their columns as it learned them, a threshold chosen on held-out cases."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.calibration import RECALIBRATIONS, Recalibration
from assay.costs import Costs
from assay.decisions import ThresholdChoice, choose_threshold
from assay.errors import InputError, OptionError
from assay.evidence import ScoreTable
from assay.experiments.containers import (
    ColumnTable,
    case_count,
    described_container,
    frame_like,
    only_columns,
    row_keys,
    rows_of,
)
from assay.experiments.database import PredictedRows
from assay.experiments.datasets import MISSING, REFUSE, Dataset, FeatureColumn, encoded_like
from assay.experiments.fitting import in_one_sentence
from assay.experiments.models import FittedModel
from assay.experiments.optimism import validation_of
from assay.experiments.preparation import FEATURES, TABLE, LearnerInput, learner_input
from assay.experiments.task import said_by
from assay.output_files import write_all
from assay.predictions import REJECTED
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_threshold, named_texts
from assay.results import Table, counted, csv_text
from assay.sources.features import Column, columns_of_file, columns_of_frame, is_missing, texts_of_file

if TYPE_CHECKING:
    from assay.experiments.study import Study

TRUTH, PREDICTION, SCORE = "truth", "prediction", "score"
# Plans whose predictions are not of cases that the model had not seen, or of one case many times.
NOT_HELD_OUT = {
    "resubstitution": "tests on its training cases",
    "leave_pair_out": "predicts each case many times",
}
WHOLE, DECIMAL = re.compile(r"-?(0|[1-9]\d{0,17})"), re.compile(r"-?(0|[1-9]\d*)\.\d+")


@dataclass(frozen=True, eq=False, repr=False)
class Scored:
    """New cases with what a model says of them.

    `columns` are those of the file: ids, the truth where the new cases have it, the predicted class, and the score of
    the positive class or a probability for each class. `threshold` is the score from which on a case is called
    positive, `choice` how it was chosen on held-out predictions of the study, `recalibration` what was fitted to them.
    """

    columns: Mapping[str, Sequence[Any]]
    model: FittedModel
    unused: tuple[str, ...] = ()
    threshold: float | None = None
    choice: ThresholdChoice | None = None
    recalibration: Recalibration | None = None
    notes: tuple[str, ...] = ()

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return "\n".join([f"<{counted(len(self), 'case')} scored by {self.model.learner.name}>", *self.words()])

    def __len__(self) -> int:
        return len(self.columns[PREDICTION])

    def words(self) -> tuple[str, ...]:
        """What was done, and what was left alone, a sentence each."""
        left = (
            [f"Not used: {', '.join(self.unused[:20])}{' ...' if len(self.unused) > 20 else ''}."]
            if self.unused
            else []
        )
        return (*self.notes, *left)

    def table(self) -> Table:
        """The cases as a table."""
        return Table(self.columns, title="Scored cases", digits=6)

    def written(self) -> Table:
        """The same with numbers for texts that are numbers, as a file has them."""
        return Table({name: [_parse_number_text(value) for value in values] for name, values in self.columns.items()})

    def to_csv(self) -> str:
        """The cases as comma-separated text that `assay evaluate` reads where they have the truth."""
        return csv_text(self.columns, self.written().rows())

    def write(self, path: str | PathLike[str]) -> None:
        """Write the file, whole or not at all."""
        write_all({Path(path): self.to_csv()})


def _parse_number_text(value: Any) -> Any:
    """A text that is a number as that number: it is no formula, and `-1` is a class like any other."""
    if not isinstance(value, str):
        return value
    if WHOLE.fullmatch(value) and value != "-0":
        return int(value)
    return float(value) if DECIMAL.fullmatch(value) and repr(float(value)) == value else value


def score_cases(
    study: Study,
    model: FittedModel,
    new: Any,
    *,
    id: str | Sequence[str] = (),  # noqa: A002 -- what the column is called
    threshold: float | str | Costs | None = None,
    recalibrate: str | None = None,
    unseen: str = REFUSE,
) -> Scored:
    """What a model says of new cases, whose columns must be those it learned from."""
    checked_choice(unseen, (REFUSE, MISSING), "unseen")
    data, learner = model.data, model.learner.name
    fitted, cut, choice, notes = _fit_recalibration_and_threshold(study, data, learner, threshold, recalibrate)
    columns = _new_case_columns(new, data)
    how = learner_input(data, model.learner)
    cases = _cases_like(how, data, new, columns, unseen)
    carried = _passthrough_columns(new, columns, data, named_texts(id, "id"))
    with in_one_sentence(learner):
        said = said_by(model.estimator, cases, len(data.classes), how.spelling)
    known = {*(column.name for column in data.columns), *carried, data.target_name}
    unused = tuple(name for name in columns if name not in known)
    scores = _score_columns(said, data, fitted)
    label = said.label.astype(np.int64)
    if cut is not None:
        label = (_positive_class_scores(scores) >= cut).astype(np.int64)
    elif fitted is not None:
        label = (_positive_class_scores(scores) >= 0.5).astype(np.int64)
    notes += _overlap_note(how, cases, model)
    found: dict[str, Any] = dict(carried)
    if data.target_name in columns:
        found[TRUTH] = _true_labels(columns[data.target_name], data)
    named = (*data.classes, REJECTED)  # one past the classes is a case that the learner hands on
    found[PREDICTION] = [named[code] for code in label]
    found |= {name: values.tolist() for name, values in scores.items()}
    return Scored(found, model, unused, cut, choice, fitted, notes)


def _cases_like(how: LearnerInput, data: Dataset, new: Any, columns: Mapping[str, Column], unseen: str) -> Any:
    """New cases in the container that the learner was given."""
    known = data.columns or _unnamed_feature_columns(data)
    if how.form == FEATURES:
        return encoded_like(known, columns, unseen)
    if how.form == TABLE:
        encoded_like(known, columns, unseen)  # refuses what the model did not see
        return ColumnTable({each.name: each.like(columns[each.name], unseen) for each in known})
    if not columns:
        return new
    missing = next((each.name for each in known if each.name not in columns), None)
    if missing is not None:
        raise InputError(f"the new cases have no column {missing!r}", "every training column")
    if not hasattr(how.X, "columns"):
        return np.column_stack([columns[each.name] for each in known]).astype(how.X.dtype)
    if type(new) is type(how.X):
        return only_columns(new, [each.name for each in known])
    return frame_like(how.X, {each.name: columns[each.name] for each in known})


def _new_case_columns(new: Any, data: Dataset) -> dict[str, Column]:
    if data.features is None and not data.columns:
        if type(new) is not type(data.given):
            found = f"the new cases are a {type(new).__name__}, and the model learned from a"
            raise InputError(f"{found} {described_container(data.given)}", "cases in such a container")
        return {}
    if isinstance(new, str | PathLike):
        return columns_of_file(new)[0]
    if hasattr(new, "columns"):
        return columns_of_frame(new)
    try:
        table = np.asarray(new, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"the new cases are a {type(new).__name__}", "a file, a data frame or a table of numbers"
        ) from None
    names = [column.name for column in data.columns]
    if names != [f"x{place}" for place in range(len(names))]:
        raise InputError("the new cases are an array without column names", "a file or a data frame with them")
    if table.ndim != 2 or table.shape[1] != len(names):
        raise InputError(f"the new cases have shape {table.shape}", f"a row for each and {len(names)} columns")
    return {name: table[:, place] for place, name in enumerate(names)}


def _unnamed_feature_columns(data: Dataset) -> tuple[FeatureColumn, ...]:
    return tuple(FeatureColumn(name) for name in data.feature_names)


def _passthrough_columns(
    new: Any, columns: Mapping[str, Column], data: Dataset, names: tuple[str, ...]
) -> dict[str, Any]:
    """The columns that go through as they are: those named, else one called id that nobody learned from."""
    learned = {column.name for column in data.columns}
    missing = next((name for name in names if name not in columns), None)
    if missing is not None:
        raise OptionError(
            f"the new cases have no column {missing!r}", "one of their columns, to copy to the output", about="id"
        )
    wanted = names or tuple(name for name in columns if name.casefold() == "id" and name not in learned)[:1]
    taken = next((name for name in wanted if name in (TRUTH, PREDICTION, SCORE)), None)
    if taken is not None:
        raise OptionError(
            f"the column {taken!r} cannot be copied to the output",
            "another name: this one is an output column",
            about="id",
        )
    if not wanted:
        return {}
    if isinstance(new, str | PathLike):
        return texts_of_file(new, wanted)
    return {name: columns[name].tolist() for name in wanted}


def _true_labels(column: Column, data: Dataset) -> list[str | None]:
    """The true classes of new cases, by the names the model has for them."""
    texts = [
        None if is_missing(value) else f"{value:g}" if isinstance(value, float) else str(value)
        for value in column.tolist()
    ]
    odd = next((text for text in texts if text is not None and text not in data.classes), None)
    if odd is not None:
        found = f"column {data.target_name!r} has {odd[:40]!r}, which is not a class of the model"
        raise InputError(found, f"one of {', '.join(map(repr, data.classes[:8]))}, or empty if unknown")
    return texts


def _score_columns(said: PredictedRows, data: Dataset, fitted: Recalibration | None) -> dict[str, NDArray[np.float64]]:
    if said.probability is not None and len(data.classes) > 2:
        return {f"proba_{name}": said.probability[:, code] for code, name in enumerate(data.classes)}
    score = said.score if said.probability is None else said.probability[:, 1]
    if score is None:
        return {}
    return {SCORE: score if fitted is None else fitted(score)}


def _overlap_note(how: LearnerInput, cases: Any, model: FittedModel) -> tuple[str, ...]:
    """A word where new cases are old ones: whatever is measured on them flatters."""
    unseen = np.zeros(len(model.data), dtype=bool)
    unseen[[] if model.held_out is None else model.held_out] = True
    learned = set(row_keys(rows_of(how.X, np.flatnonzero(~unseen))))
    again = sum(key in learned for key in row_keys(cases))
    if not again:
        return ()
    who = "Equal in every column to a possible training case"
    return (f"{who}: {counted(again, 'new case')} of {case_count(cases):,}. Measures on them are optimistic.",)


def _positive_class_scores(scores: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    return scores[SCORE]


def _fit_recalibration_and_threshold(
    study: Study, data: Dataset, learner: str, threshold: Any, recalibrate: str | None
) -> tuple[Recalibration | None, float | None, ThresholdChoice | None, tuple[str, ...]]:
    """What is fitted to, and chosen on, predictions of cases that the models of the study had not seen."""
    if threshold is None and recalibrate is None:
        return None, None, None, ()
    notes: list[str] = []
    table = _out_of_sample_table(study, data, learner, "threshold" if threshold is not None else "recalibrate")
    fitted = None
    if recalibrate is not None:
        checked_choice(recalibrate, RECALIBRATIONS, "recalibrate")
        if not (table.score.min() >= 0 and table.score.max() <= 1):
            raise OptionError(
                "the learner has no probabilities",
                "a learner with probabilities, or no recalibration",
                about="recalibrate",
            )
        fitted = RECALIBRATIONS[recalibrate](table)
        fitted.refuse_unfitted()
        table = fitted.apply(table)
        on = counted(table.positives + table.negatives, "held-out prediction")
        notes.append(f"Recalibrated by {recalibrate}, fitted to {on} of the study.")
    if threshold is None:
        return fitted, None, None, tuple(notes)
    choice = _optimize_threshold(table, threshold, study.seed)
    cut = checked_threshold(threshold) if choice is None else choice.threshold
    if choice is not None:
        notes += choice.words().splitlines()
        notes.append(
            "Chosen on held-out predictions of the study's own splits, whose models differ a little from the one that "
            "scores: never on predictions for its training cases."
        )
    return fitted, cut, choice, tuple(notes)


def _optimize_threshold(table: ScoreTable, threshold: Any, seed: int) -> ThresholdChoice | None:
    if isinstance(threshold, Costs):
        return choose_threshold(table, costs=threshold, seed=seed)
    return choose_threshold(table, threshold, seed=seed) if isinstance(threshold, str) else None


def _out_of_sample_table(study: Study, data: Dataset, learner: str, what: str) -> ScoreTable:
    if len(data.classes) != 2 or not study.has_scores(data.name, learner):
        found = f"{what} cannot be used: {learner!r} on {data.name!r} has no scores of two classes"
        raise OptionError(found, "a learner with scores on two classes", about=what)
    if study.plan.kind in NOT_HELD_OUT:
        found = f"{what} cannot be used: the plan '{study.plan.name}' {NOT_HELD_OUT[study.plan.kind]}"
        raise OptionError(found, "a plan with held-out cases, such as kfold", about=what)
    # A part that was set aside to choose on is there for this; the test part stays unopened.
    chosen_on = validation_of(study, data.name, learner) if study.validates else study.evaluation(data.name, learner)
    scores = getattr(chosen_on, "scores", None)
    assert isinstance(scores, ScoreTable)  # two classes with scores, as was seen above
    return scores
