"""Fitted models of a study: fitted again from their recipes, and taken only if they say what was kept of them.

Models that a study keeps: not the fitted thing, but what it was made of and what it said, in the study's store.
"""

from __future__ import annotations

import hashlib
import json
import platform
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import AssayError, InputError, OptionError
from assay.experiments.database import PredictedRows, as_held, checksum_of, sqlalchemy, tables
from assay.experiments.datasets import Dataset
from assay.experiments.fitting import in_one_sentence, only_one
from assay.experiments.learners import DUMMY, Learner, built
from assay.experiments.model_description import Described, Importances, described, permutation_importances
from assay.experiments.preparation import input_digest, learner_input, routes_metadata
from assay.experiments.runner import Executor, run_cells
from assay.experiments.splitting import Indices, Split
from assay.experiments.store import Store
from assay.experiments.task import TUNER, CellOutcome, CellSpec, fitted_here, forget_data, spool, takes_validation
from assay.experiments.worker import engine_for, put_into, unsaid
from assay.renderers import in_notebook
from assay.results import Table, counted

if TYPE_CHECKING:
    from assay.experiments.study import Study


MODEL = ("dataset", "learner", "made_of", "facts", "predictions")
DAMAGED = "the study run again from its file or program, which stores the model again"
FACTS: Mapping[str, Any] = {"cases": int, "fit_seconds": (float, int), "model_bytes": int, "error": str}


@dataclass(frozen=True, eq=False)
class KeptModel:
    """A model of all cases of a data set, as it is kept: a fingerprint of what it was made of, and its answers.

    There is no pickle of it anywhere: to have it again is to fit it again and to find the same answers. `versions` are
    those of the programs that fitted it, `error` says why there is none.
    """

    dataset: str
    learner: str
    made_of: str
    predictions: PredictedRows | None
    cases: int | None = None
    fit_seconds: float | None = None
    model_bytes: int | None = None
    error: str | None = None
    versions: Mapping[str, str] | None = None


def made_of(
    data: Dataset,
    learner: Learner,
    seed: int,
    inner: Mapping[str, Any] | None,
    aside: Indices | None = None,
    given: str | None = None,
) -> str:
    """A fingerprint of everything a model of all cases depends on, but for versions of programs."""
    known = [
        data.hash,
        learner.hash,
        seed,
        inner,
        *([] if aside is None else [aside.tolist()]),
        *([] if given is None else [given]),
    ]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


def versions() -> dict[str, str]:
    """The versions on which the numbers of a fitted model may depend."""
    found = {"python": platform.python_version()}
    for package in ("scikit-learn", "numpy", "scipy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def keep_model(store: Store, study: str, data: Dataset, learner: Learner, fingerprint: str, how: CellOutcome) -> None:
    """Write down how the fit of a model of all cases went, in the place of an older one."""
    sa, held = sqlalchemy(), tables()["models"]
    cases = len(data) if how.train_cases is None else how.train_cases
    facts = {"cases": cases, "fit_seconds": how.fit_seconds, "model_bytes": how.model_bytes, "error": how.error}
    row = {
        "dataset": data.name,
        "learner": learner.name,
        "made_of": fingerprint,
        "facts": json.dumps({**facts, "versions": versions()}),
        "predictions": how.predictions,
    }
    its = (held.c.study == study, held.c.dataset == data.name, held.c.learner == learner.name)
    with store.changing() as connection:
        connection.execute(sa.delete(held).where(*its))
        connection.execute(sa.insert(held).values(study=study, **row, checksum=checksum_of(row)))


def kept_models(store: Store, study: str) -> dict[tuple[str, str], KeptModel]:
    """Every model that a study keeps, by data set and learner; a store of an older release has none."""
    sa, held = sqlalchemy(), tables()["models"]
    columns = [as_held(held.c[name]) for name in (*MODEL, "checksum")]
    with store.reading() as connection:
        if not sa.inspect(connection).has_table(held.name):
            return {}
        rows = connection.execute(sa.select(*columns).where(held.c.study == study)).mappings().all()
    found = [_read_stored_model(row) for row in rows]
    return {(one.dataset, one.learner): one for one in found}


def _read_stored_model(row: Mapping[str, Any]) -> KeptModel:
    if row["checksum"] != checksum_of({name: row[name] for name in MODEL}):
        name = str(row["dataset"])[:80].encode("utf-8", "backslashreplace").decode()
        raise InputError(f"a model of data set {name!r} that the store keeps is damaged", DAMAGED)
    facts = json.loads(row["facts"])
    said = {name: facts[name] for name, kind in FACTS.items() if isinstance(facts.get(name), kind)}
    known = {str(name): str(value) for name, value in facts.get("versions", {}).items()}
    answers = None if row["predictions"] is None else PredictedRows.unpacked(row["predictions"])
    return KeptModel(row["dataset"], row["learner"], row["made_of"], answers, **said, versions=known)


SAME = 1e-8  # by how much scores of the same model may differ that was fitted on another machine
NOT_KEPT = "no model of all cases of {dataset!r} by {learner!r} is stored"
KEEP = "the study run again with it, which fits only these models; or the fold of the model"


@dataclass(frozen=True, eq=False, repr=False)
class FittedModel:
    """One fitted model: of all cases of a data set, or of the training part of one split.

    `estimator` is the fitted thing itself. `held_out` are the rows it never saw, none for a model of all cases.
    `checked` says what was compared before it was taken for the one that was kept; `chosen_on` how many cases were set
    aside to stop, prune or choose settings on.
    """

    data: Dataset
    learner: Learner
    estimator: Any
    cases: int
    checked: str
    held_out: Indices | None = None
    chosen_on: int = 0

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return self.words()

    @property
    def described(self) -> Described:
        """What can be said of it: its size, and its rules or coefficients where it has such."""
        return described(self.estimator, self.data)

    def words(self) -> str:
        """What it is, how large, and its rules or coefficients, as text."""
        parts = [f"{counted(self.chosen_on, 'case')} set aside to choose on"] if self.chosen_on else []
        parts += [] if self.held_out is None else [f"{counted(len(self.held_out), 'case')} held out"]
        rest = f" ({', '.join(parts)})" if parts else ""
        first = f"{self.learner.name} of {counted(self.cases, 'case')} of {self.data.name}{rest}. {self.checked}"
        return "\n".join([first, self.described.words()])

    def rules(self) -> Table:
        """Every leaf of a tree as a rule."""
        return self._required_table("rules", "a tree")

    def coefficients(self) -> Table:
        """The coefficient of every column of a linear model, by the name it has after encoding."""
        return self._required_table("coefficients", "a linear model")

    def importances(
        self, loss: str = "labels", *, repeats: int = 20, level: float = 0.95, seed: int = 0
    ) -> Importances:
        """How much worse the model gets on its held-out cases when a column is permuted, with limits.

        It is about this model and cases like these, not about the algorithm and not about causes. Columns that say the
        same share their importance: each may look useless while the other is there.
        """
        if self.held_out is None:
            found = "importances on training cases are too large, and this model was trained on all cases"
            raise OptionError(found, "the model of a split, which has held-out cases", {"fold": 0})
        return permutation_importances(
            self.estimator,
            self.data,
            self.held_out,
            loss,
            repeats=repeats,
            level=level,
            seed=seed,
            how=learner_input(self.data, self.learner),
        )

    def _required_table(self, what: str, of: str) -> Table:
        found: Table | None = getattr(self.described, what)
        if found is None:
            raise OptionError(f"a {self.described.kind} has no {what}", f"{of}")
        return found


def with_models(
    study: Study,
    spool: str | PathLike[str] | None,
    executor: Executor | None,
    window: int | None,
    asked: Mapping[str, Any],
    timeout: float | None,
) -> Study:
    """The study once every learner was fitted to all cases of every data set, where it keeps models.

    What is kept already, of the same data, learner and seed, stays as it is.
    """
    wanted = dict(_models_to_fit(study)) if study.keep_models else {}
    if not wanted:
        return study
    with put_into(spool) as place, engine_for(executor, window, len(wanted), unsaid, **asked) as (run_by, ahead):
        for outcome in run_cells(_model_cell_specs(study, wanted, place, timeout), run_by, window=ahead):
            data, learner = wanted[outcome.key]
            keep_model(study.store, study.name, data, learner, outcome.key, outcome)
        forget_data()
    return study


def _models_to_fit(study: Study) -> Iterator[tuple[str, tuple[Dataset, Learner]]]:
    assert study.given is not None
    kept = kept_models(study.store, study.name)
    for data in study.given[0]:
        for learner in study.given[1]:
            key = _model_fingerprint(study, data, learner)
            old = kept.get((data.name, learner.name))
            if old is None or old.made_of != key or old.error is not None:
                yield key, (data, learner)


def _inner_plan_record(study: Study, learner: Learner) -> dict[str, Any] | None:
    tuned = study.plan.inner is not None and learner.is_search
    return study.plan.inner.to_dict() if tuned and study.plan.inner is not None else None


def _model_cell_specs(
    study: Study, wanted: Mapping[str, tuple[Dataset, Learner]], place: Path, timeout: float | None
) -> Iterator[CellSpec]:
    put: dict[str, Path] = {}
    for key, (data, learner) in wanted.items():
        if data.name not in put:
            put[data.name] = place / f"models-{len(put)}"
            aside = _validation_rows(study, data)
            spool(
                put[data.name],
                data,
                [_all_cases_split(data, None), *([] if aside is None else [_all_cases_split(data, aside)])],
            )
        spec = _model_cell_spec(study, data, learner, put[data.name], key, timeout)
        yield replace(spec, split=int(_tuning_rows(study, data, learner) is not None))


def _all_cases_split(data: Dataset, aside: Indices | None) -> Split:
    """All cases to learn from and to answer about, but for those set aside to choose on."""
    rows = np.arange(len(data))
    return Split(rows if aside is None else np.setdiff1d(rows, aside), rows, aside)


def _validation_rows(study: Study, data: Dataset) -> Indices | None:
    """The part that the plan keeps to choose on, where it has one such part."""
    each = study.plan.each(data.target, data.groups, study.seed, data.splits, data.time)
    first, another = next(each, None), next(each, None)
    return None if first is None or another is not None else first.validation


def _tuning_rows(study: Study, data: Dataset, learner: Learner) -> Indices | None:
    """The part set aside, where the learner stops, prunes or is tuned on it: as it was judged, so it is kept."""
    aside = _validation_rows(study, data)
    if aside is None or learner.recipe.get("path") == TUNER:
        return aside
    return aside if takes_validation(built(learner.recipe, learner.given, study.seed)) else None


def _model_fingerprint(study: Study, data: Dataset, learner: Learner) -> str:
    given = input_digest(data, learner_input(data, learner))
    return made_of(
        data, learner, study.seed, _inner_plan_record(study, learner), _tuning_rows(study, data, learner), given
    )


def _model_cell_spec(
    study: Study, data: Dataset, learner: Learner, folder: Path, key: str, timeout: float | None
) -> CellSpec:
    return CellSpec(
        key=key,
        dataset=data.name,
        learner=learner.name,
        repeat=0,
        fold=0,
        folder=str(folder),
        split=0,
        classes=len(data.classes),
        recipe=learner.recipe,
        seed=study.seed,
        inner=_inner_plan_record(study, learner),
        given=learner.given,
        timeout=timeout,
        routes=routes_metadata(learner),
        **learner_input(data, learner).fields(),
    )


def fitted_model(study: Study, dataset: str | None, learner: str | None, fold: int | None, repeat: int) -> FittedModel:
    """The model of all cases that was kept, or that of a split, fitted again and compared with what is in the store.

    >>> import assay
    >>> stump = {"preset": "tree", "params": {"max_depth": 1}}
    >>> print(assay.experiment("iris", stump, "swapped_halves", jobs=1).model(fold=0).described.words())
    DecisionTreeClassifier: leaves 2, depth 1, columns used 1.
    if petal width (cm) <= 0.7: setosa (25 of 25 cases)
    else: versicolor (25 of 50 cases)
    """
    data, chosen = chosen_of(study, dataset, learner)
    if fold is None:
        if repeat:
            raise OptionError("repeat needs fold", "the fold of that repeat", {"fold": 0}, about="repeat")
        return _model_of_all_cases(study, data, chosen)
    return _model_of_split(study, data, chosen, fold, repeat)


def chosen_of(study: Study, dataset: str | None, learner: str | None) -> tuple[Dataset, Learner]:
    """The data set and the learner that are meant, the only ones where none is named; the data must be as they were."""
    if study.given is None:
        found = "the study was opened without its data"
        raise AssayError(f"{found}; call experiment() with its data sets and learners, or assay experiment model STUDY")
    said = only_one("dataset", study.datasets, dataset)
    others = tuple(name for name in study.learners if name != DUMMY) or study.learners
    named = only_one("learner", study.learners if learner is not None else others, learner)
    data = next(one for one in study.given[0] if one.name == said)
    _refuse_changed_data(study, data)
    return data, next(one for one in study.given[1] if one.name == named)


def _refuse_changed_data(study: Study, data: Dataset) -> None:
    cells = study.store.cells(study.name, "data_hash", dataset=data.name)
    if cells and cells[0]["data_hash"] != data.hash:
        found = f"data set {data.name!r} has changed since the study was run"
        raise InputError(found, "the unchanged data, or the study run again with the new data")


def _model_of_all_cases(study: Study, data: Dataset, learner: Learner) -> FittedModel:
    kept = kept_models(study.store, study.name).get((data.name, learner.name))
    if kept is None:
        found = NOT_KEPT.format(dataset=data.name, learner=learner.name)
        raise OptionError(found, KEEP, {"keep_models": True}, about="keep_models")
    if kept.error is not None:
        why = kept.error.strip().rpartition("\n")[2][:200]
        raise InputError(
            f"{learner.name!r} could not be fitted to all cases of {data.name!r}: {why}", "another learner"
        )
    if kept.made_of != _model_fingerprint(study, data, learner):
        found = f"the stored model of {data.name!r} by {learner.name!r} is of other data, settings or another seed"
        raise InputError(found, "the study run again, which stores the model again")
    assert kept.predictions is not None
    split = _all_cases_split(data, _tuning_rows(study, data, learner))
    estimator, said = _refit_on_split(study, data, learner, split)
    _refuse_different_predictions(said, kept.predictions, learner.name, kept)
    checked = f"Refitted; its predictions of {counted(len(data), 'case')} equal the stored ones."
    aside = 0 if split.validation is None else len(split.validation)
    return FittedModel(data, learner, estimator, len(split.train), checked, chosen_on=aside)


def _model_of_split(study: Study, data: Dataset, learner: Learner, fold: int, repeat: int) -> FittedModel:
    split, stored = _stored_split(study, data, learner, fold, repeat)
    estimator, said = _refit_on_split(study, data, learner, replace(split, repeat=0, fold=0))
    _refuse_different_predictions(said, stored, learner.name)
    checked = (
        f"Refitted; its predictions of the {counted(len(split.test), 'case')} of the test part equal the stored ones."
    )
    unseen = np.setdiff1d(split.test, split.train)
    aside = _tuning_rows(study, data, learner)
    return FittedModel(
        data,
        learner,
        estimator,
        len(split.train),
        checked,
        unseen if len(unseen) else None,
        0 if aside is None else len(aside),
    )


def training_predictions(study: Study, dataset: str, learner: str, fold: int, repeat: int) -> PredictedRows:
    """Return the predictions of one split's model for its training part, by fitting the model again.

    It is refused if its predictions for the test part differ from the stored ones.
    """
    data, chosen = chosen_of(study, dataset, learner)
    split, stored = _stored_split(study, data, chosen, fold, repeat)
    both = replace(split, test=np.concatenate([split.train, split.test]), repeat=0, fold=0)
    _, predicted = _refit_on_split(study, data, chosen, both)
    cases = len(split.train)
    training, tested = predicted[:cases], predicted[cases:]
    _refuse_different_predictions(tested, stored, chosen.name)
    return training


def _stored_split(study: Study, data: Dataset, learner: Learner, fold: int, repeat: int) -> tuple[Split, PredictedRows]:
    """A split that is done, and the stored predictions for its test part."""
    tested = {(c["repeat"], c["fold"]): rows for c, rows in study.tested(data.name, learner.name)}
    if (repeat, fold) not in tested:
        found = (
            f"split {fold} of repeat {repeat} of {learner.name!r} on {data.name!r} does not exist or is not finished"
        )
        raise OptionError(found, f"one of the {len(tested)} finished splits", about="fold")
    each = study.plan.each(data.target, data.groups, study.seed, data.splits, data.time)
    return next(part for part in each if (part.repeat, part.fold) == (repeat, fold)), tested[repeat, fold]


def _refit_on_split(study: Study, data: Dataset, learner: Learner, split: Split) -> tuple[Any, PredictedRows]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder, in_one_sentence(learner.name):
        place = Path(folder).resolve() / "data"
        spool(place, data, [split])
        found = fitted_here(_model_cell_spec(study, data, learner, place, "again", None))
        forget_data()
    return found


def _refuse_different_predictions(
    said: PredictedRows, kept: PredictedRows, name: str, model: KeptModel | None = None
) -> None:
    """Refuse a model that answers otherwise than the one that was kept."""
    differ = said.label != kept.label
    for ours, theirs in ((said.probability, kept.probability), (said.score, kept.score)):
        if ours is None and theirs is None:
            continue
        if ours is None or theirs is None or ours.shape != theirs.shape:
            differ = np.ones(len(said.label), dtype=bool)
        else:
            apart = np.abs(ours - theirs) > SAME * np.maximum(1, np.abs(ours))
            differ = differ | (apart if apart.ndim == 1 else apart.any(axis=1))
    if not differ.any():
        return
    now, then = versions(), {} if model is None else dict(model.versions or {})
    other = [f"{key} {then[key]} then, {value} now" for key, value in now.items() if then.get(key, value) != value]
    why = f" ({'; '.join(other)})" if other else ""
    found = f"{name!r} refitted has other predictions than the stored ones for {int(differ.sum()):,} of "
    found += f"{counted(len(differ), 'case')}{why}"
    raise InputError(found, "the versions it was fitted with, and a learner whose randomness the seed settles")


def models_table(study: Study) -> Table:
    """The models of all cases that the study keeps: what each rests on and how large it is."""
    kept = kept_models(study.store, study.name)
    found = [kept[d, n] for d in study.datasets for n in study.learners if (d, n) in kept]
    columns: dict[str, list[Any]] = {
        "dataset": [one.dataset for one in found],
        "learner": [one.learner for one in found],
        "cases": [one.cases for one in found],
        "fit_seconds": [one.fit_seconds for one in found],
        "model_bytes": [one.model_bytes for one in found],
        "fitted_with": [", ".join(f"{k} {v}" for k, v in (one.versions or {}).items()) for one in found],
        "failed": [(one.error or "").strip().rpartition("\n")[2] for one in found],
    }
    return Table(columns, title="Models of all cases that are kept")
