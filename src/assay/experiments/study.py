"""A study: every learner on every data set by one plan, all of them on the same partitions, kept in a store.

A study from its store with its data and learners, to look at its models: nothing is run, and nothing changed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, InputError, OptionError
from assay.experiments.containers import rows_of
from assay.experiments.database import PredictedRows
from assay.experiments.datasets import Dataset
from assay.experiments.fitting import careful_fit, careful_probabilities
from assay.experiments.learners import Learner, learners_of
from assay.experiments.model_validation import (
    AgainstChance,
    ModelValidation,
    against_chance,
    bootstrap_validation,
    nested_cross_validation,
)
from assay.experiments.models import (
    FittedModel,
    chosen_of,
    fitted_model,
    models_table,
    training_predictions,
    with_models,
)
from assay.experiments.new_cases import Scored, score_cases
from assay.experiments.plans import Plan, study_seed
from assay.experiments.preparation import input_digest, input_words, learner_input
from assay.experiments.results import Results
from assay.experiments.run_predictions import VALIDATION
from assay.experiments.runner import Executor, refuse_misfit, run_cells
from assay.experiments.runs import claimed, define, parted
from assay.experiments.splitting import Cases, Flow, Indices, Split, flow_of
from assay.experiments.store import LEASE, Store, checked_study, definition_of
from assay.experiments.study_grid import StudyGrid
from assay.experiments.task import forget_data
from assay.experiments.topics import study_help
from assay.experiments.trials import warn_of_failures
from assay.experiments.worker import engine_for, next_cells, put_into, watched
from assay.help_tree import HelpTree
from assay.renderers import in_notebook, render
from assay.request import checked_flag, checked_level, checked_positive, front_door, named_texts
from assay.results import Estimate, Table
from assay.text import visible
from assay.types import Floats

if TYPE_CHECKING:
    from assay.costs import Costs


TO_BE_READ = "the study was opened without its data; call experiment() with its data sets and learners to run it"
NAME, PROCESSES, HERE, SECONDS = "study", "processes", "here", "a number of seconds above 0"


@dataclass(frozen=True)
class Study(Results):
    """A study in its store: what it found, and a way to run what is missing.

    `seed` fixes the partitions and whatever is random in a learner; `given` are the data sets and learners themselves,
    None where the study was opened only to be read. With `keep_models` it fits every learner to all cases too.
    """

    seed: int = 0
    given: tuple[tuple[Dataset, ...], tuple[Learner, ...]] | None = None
    keep_models: bool = False
    positive: str | None = None

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        sizes = f"{len(self.datasets)} data sets x {len(self.learners)} learners"
        states = ", ".join(f"{count:,} {state}" for state, count in self.progress().items() if count)
        failed = "".join(f"; {visible(sentence)}" for sentence in self.failure_messages())
        return f"Study({self.name!r}: {sizes} by {self.plan.name}; {states or 'nothing yet'}{failed})"

    def help(self) -> HelpTree:
        """Return what this study offers as a tree of topics, one line for each name."""
        return study_help(type(self))

    def preparation(self) -> Table:
        """What each learner is given of each data set, and the steps of its pipeline, all fitted inside the folds."""
        if self.given is None:
            raise AssayError(TO_BE_READ)
        each = [(data, learner) for data in self.given[0] for learner in self.given[1]]
        words = [input_words(learner_input(*pair), pair[1].build(self.seed)) for pair in each]
        columns = {
            "dataset": [data.name for data, _ in each],
            "learner": [learner.name for _, learner in each],
            "given": [given for given, _ in words],
            "steps": [steps for _, steps in words],
        }
        return Table(columns, title="Inputs of the learners and steps of their pipelines")

    def flow(self, dataset: str) -> Flow:
        """How many cases, and of which class, each part of each split of a data set holds."""
        classes, target = self.truth(dataset)
        cases = Cases(target.astype(np.intp), classes, None, self.seed)
        # Groups and given parts are not in the store: folds are what was tested, and all the rest was learned from.
        is_elsewhere = self.plan.kind in ("given", "grouped_kfold")
        if dataset in self._timed_datasets():
            if self.given is None:
                raise AssayError(f"the times of {dataset!r} are not in the store; {TO_BE_READ}")
            data, _ = self._given_dataset_and_learner(dataset, self.learners[0])
            timed = self.plan.each(target, None, self.seed, None, data.time)
            return flow_of(list(timed), cases, self.plan.name)
        splits = self._completed_folds(dataset) if is_elsewhere else self.plan.splits(target, None, self.seed)
        return flow_of(splits, cases, self.plan.name)

    @property
    def is_timed(self) -> bool:
        """Whether a data set has a column of times, which is not in the store."""
        return bool(self._timed_datasets())

    def _timed_datasets(self) -> set[str]:
        held = definition_of(self.store, self.name).datasets
        return {each["name"] for each in held if each["facts"].get("timed", False)}

    def _completed_folds(self, dataset: str) -> list[Split]:
        _, target = self.truth(dataset)
        by_split = {
            (c["repeat"], c["fold"]): r.rows for learner in self.learners for c, r in self.tested(dataset, learner)
        }
        if not by_split:
            raise AssayError(
                f"no finished fold of {dataset!r}, and its groups or parts are not in the store; run the study"
            )
        every, aside = np.arange(len(target)), self._validation_rows(dataset)
        return [
            Split(
                np.setdiff1d(every, rows if aside is None else np.r_[rows, aside]), rows.astype(np.intp), aside, *split
            )
            for split, rows in sorted(by_split.items())
        ]

    def _validation_rows(self, dataset: str) -> NDArray[np.intp] | None:
        """The rows of the part to choose on, as far as cells were run."""
        kept = self.store.parts(self.name, VALIDATION, 1, dataset=dataset)
        rows = [PredictedRows.unpacked(each["predictions"]).rows.astype(np.intp) for each in kept.values()]
        return rows[0] if rows else None

    def refitted(self, dataset: str, learner: str) -> NDArray[np.integer] | None:
        """What a model of all cases says of them; None where the study was opened without its data."""
        if self.given is None:
            return None
        data, chosen = self._given_dataset_and_learner(dataset, learner)
        how = learner_input(data, chosen)
        said: NDArray[np.integer] = careful_fit(chosen, self.seed, how)(how.X, data.target)(how.X)
        return said

    def has_other_input(self, dataset: str, learner: str) -> bool:
        """Whether a learner gets a data set as it was given, or encoded in the fold: not so in earlier releases."""
        if self.given is None or dataset not in self.datasets or learner not in self.learners:
            return False
        data, chosen = self._given_dataset_and_learner(dataset, learner)
        return input_digest(data, learner_input(data, chosen)) is not None

    def training_rows(self, dataset: str, learner: str, fold: int, repeat: int) -> PredictedRows | None:
        """What the model of one split predicts for its training part, fitted again where the data are at hand."""
        return None if self.given is None else training_predictions(self, dataset, learner, fold, repeat)

    def nested_error(self, dataset: str, learner: str, *, repeats: int = 50, level: float = 0.95) -> Estimate:
        """The error rate of the one model of all cases, by nested cross-validation (Bates, Hastie & Tibshirani 2024).

        It fits 55 models for each of `repeats`, here and now; nothing of it is kept in the store.
        """
        if self.given is None:
            raise AssayError(TO_BE_READ)
        self.refuse_unknown(dataset, learner)
        data, chosen = self._given_dataset_and_learner(dataset, learner)

        how = learner_input(data, chosen)

        def loss_of(train: Indices, test: Indices) -> Floats:
            predict = careful_fit(chosen, self.seed, how)(rows_of(how.X, train), data.target[train])
            return np.asarray(predict(rows_of(how.X, test)) != data.target[test], dtype=np.float64)

        return nested_cross_validation(loss_of, data.target, repeats=repeats, level=level, seed=self.seed)

    def bootstrap_validation(self, dataset: str, learner: str, *, replicates: int = 200) -> ModelValidation:
        """The figures of the one model of all cases, each corrected for optimism by bootstrap samples (Harrell).

        What R's rms prints by `validate`: discrimination, calibration and their optimism. It fits a model for each of
        `replicates`, here and now; nothing of it is kept in the store.
        """
        if self.given is None:
            raise AssayError(TO_BE_READ)
        self.refuse_unknown(dataset, learner)
        data, chosen = self._given_dataset_and_learner(dataset, learner)
        if len(data.classes) != 2:
            raise InputError(f"data set {dataset!r} has {len(data.classes)} classes", "two, for probabilities of one")
        how = learner_input(data, chosen)
        fit = careful_probabilities(chosen, self.seed, how)
        return bootstrap_validation(fit, how.X, data.target, replicates=replicates, seed=self.seed)

    def _given_dataset_and_learner(self, dataset: str, learner: str) -> tuple[Dataset, Learner]:
        assert self.given is not None
        data = next(one for one in self.given[0] if one.name == dataset)
        return data, next(one for one in self.given[1] if one.name == learner)

    def model(
        self, dataset: str | None = None, learner: str | None = None, *, fold: int | None = None, repeat: int = 0
    ) -> FittedModel:
        """The model of all cases that was kept, or (`fold`, counted from 0) that of one split, to look at.

        Models are kept as recipes and answers, never as pickles: it is fitted again, and refused if it does not say
        what was kept of it, as where the data or a library changed.
        """
        return fitted_model(self, dataset, learner, fold, repeat)

    def models(self) -> Table:
        """The models of all cases that the study keeps."""
        return models_table(self)

    def score(
        self,
        new_data: Any,
        dataset: str | None = None,
        learner: str | None = None,
        *,
        fold: int | None = None,
        repeat: int = 0,
        id: str | Sequence[str] = (),  # noqa: A002 -- what the column is called
        threshold: float | str | Costs | None = None,
        recalibrate: str | None = None,
        unseen: str = "refuse",
    ) -> Scored:
        """What a model of the study says of new cases: a file, a data frame, or an array where it learned from one.

        The model is that of all cases (see `keep_models`), or of one split. Columns are matched by name; `id` names
        those to carry through. `threshold` is a score, `Costs`, or a criterion by name ("youden", "f1", ...), and
        `recalibrate` a method ("platt", "isotonic", ...): both rest on held-out predictions of the study. `unseen`
        "missing" takes values of a text that were never seen for missing ones, which are refused otherwise.
        """
        model = self.model(dataset, learner, fold=fold, repeat=repeat)
        return score_cases(self, model, new_data, id=id, threshold=threshold, recalibrate=recalibrate, unseen=unseen)

    def against_chance(
        self,
        dataset: str | None = None,
        learner: str | None = None,
        measure: str = "accuracy",
        *,
        permutations: int = 199,
        seed: int = 0,
    ) -> AgainstChance:
        """Whether a learner does better than on permuted labels: p = (1 + those as good) / (1 + permutations).

        The plan is run again for each permutation, here and now; nothing of it is kept in the store.
        """
        return against_chance(self, *chosen_of(self, dataset, learner), measure, permutations=permutations, seed=seed)

    def run(
        self,
        *,
        jobs: int | None = None,
        backend: str | None = None,
        address: str | None = None,
        executor: Executor | None = None,
        window: int | None = None,
        spool: str | PathLike[str] | None = None,
        lease: float | None = None,
        cell_timeout: float | None = None,
        progress: bool | None = None,
    ) -> Study:
        """Run every cell that is to do; whatever was done before, by this program or another, stays as it is.

        `jobs` processes run side by side, by default as many as there are cores; with 1 it is this one, unless
        `backend` is "processes": a learner that crashes then costs its cell and not this program. `backend` "dask"
        or "ray" runs them on a cluster, the one at `address` or one started here; `executor` takes their place:
        anything with `submit` that gives futures, `window` of them at once. A cell that takes longer than
        `cell_timeout` seconds is ended with its process, and kept as failed. `spool` is the folder through which
        workers get the data, a temporary one by default; those on other machines must see it under the same path.
        Several programs may run one study at once: each takes cells the others have not, waits for theirs at the end,
        and takes over those of a program that was not heard of for `lease` seconds.
        """
        if self.given is None:
            raise AssayError(TO_BE_READ)
        how = {"jobs": jobs, "backend": backend, "address": address, "cell_timeout": cell_timeout}
        for name, value in how.items():
            if executor is not None and value is not None:
                raise OptionError(f"{name} cannot be used with an executor", "one of them")
        lease = LEASE if lease is None else checked_positive(lease, "lease", SECONDS)
        if cell_timeout is not None:
            cell_timeout = how["cell_timeout"] = checked_positive(cell_timeout, "cell_timeout", SECONDS)
        backend = backend or (HERE if jobs == 1 and cell_timeout is None else PROCESSES)
        if executor is None:
            refuse_misfit(backend, jobs, address)
        if backend == HERE and cell_timeout is not None:
            found = "cell_timeout cannot be used in this process"
            raise OptionError(
                found, "worker processes, which can be stopped", {"backend": PROCESSES}, about="cell_timeout"
            )
        how["lease"], how["progress"] = lease, progress
        self._run_pending_cells(how, executor, window, spool, backend)
        if progress is not False:
            for sentence in self.failure_messages():
                print(visible(sentence), file=sys.stderr, flush=True)
        asked = {"backend": backend, "jobs": jobs, "address": address}
        return with_models(self, spool, executor, window, asked, cell_timeout)

    def _run_pending_cells(
        self,
        how: Mapping[str, Any],
        executor: Executor | None,
        window: int | None,
        spool: str | PathLike[str] | None,
        backend: str,
    ) -> None:
        """Run what is to do, after a trial of every learner that has something to do."""
        lease, progress, cell_timeout, is_tried = how["lease"], how["progress"], how["cell_timeout"], False
        asked = {"backend": backend, "jobs": how["jobs"], "address": how["address"]}
        with self.store.driver(self.name, lease=lease) as driver:
            while cells := next_cells(driver, lease, progress):
                with (
                    put_into(spool) as place,
                    watched(cells, shown=progress, grid=self._study_grid) as watch,
                    engine_for(executor, window, cells, watch.say, **asked) as (run_by, ahead),
                ):
                    if not is_tried:
                        warn_of_failures(self, place, run_by, ahead, watch.say, cell_timeout)
                        is_tried = True
                    ran = 0
                    specs = watch.began(claimed(self, driver, place, ahead, cell_timeout))
                    for outcome in run_cells(specs, run_by, window=ahead):
                        driver.finish(outcome)
                        watch.ended(outcome)
                        ran += 1
                    forget_data()
                if not ran and not driver.left()["running"]:
                    break  # what is left was added by a program that has a newer definition of this study

    def _study_grid(self) -> StudyGrid:
        """Learners by data sets as the store has them now."""
        assert self.given is not None
        grid = StudyGrid(self.datasets, self.learners)
        if not self.validates:
            grid.truth = {data.name: data.target for data in self.given[0]}
        return grid.look(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Keep the study in a new SQLite file, which `experiment(..., store=path)` and `assay experiment` go on with.

        >>> import tempfile
        >>> study = experiment("iris", "nb", "swapped_halves", jobs=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     study.save(folder + "/study.db")
        ...     again = open_study(folder + "/study.db")
        ...     print(again)
        ...     again.store.close()
        Study('study': 1 data sets x 2 learners by 2 folds, stratified; 4 done)
        """
        self.store.save(path)

    def report(self, path: str | PathLike[str], measure: str = "accuracy", *, level: float = 0.95) -> None:
        """Write a page anyone can open about one measure: one offline HTML file."""
        render("page", self, path, measure, level=checked_level(level))


@front_door
def experiment(
    datasets: Any,
    learners: Any,
    plan: Any = None,
    *,
    ignore: str | Iterable[str] = (),
    positive: Any = None,
    store: str | PathLike[str] | None = None,
    name: str = NAME,
    seed: int = 0,
    retry: bool = False,
    run: bool = True,
    jobs: int | None = None,
    backend: str | None = None,
    address: str | None = None,
    executor: Executor | None = None,
    window: int | None = None,
    spool: str | PathLike[str] | None = None,
    lease: float | None = None,
    cell_timeout: float | None = None,
    progress: bool | None = None,
    allow: str | Iterable[str] = (),
    keep_models: bool = False,
) -> Study:
    """Fit every learner to every data set by one plan, on the same partitions, and keep every fold's predictions.

    Data sets are bundled names, paths, frames or `(X, y)`; learners are preset names, import paths, estimators or
    records with parameters and grids; a learner that looks at no feature is always among them. `plan` is a plan, its
    name or record, or a splitter of scikit-learn's; by default ten stratified folds, or the parts that data sets were
    given with. `ignore` are columns that are no features. Data sets with the same two classes have one positive class:
    `positive`, or the one specified for one of them, or the usual one of the first. Cells are kept in memory, and leave
    no file behind; `study.save(path)` keeps them. With a `store`, one SQLite file or a database URL, each is kept as it
    ends: call again with the same study and only what is missing is run; with a changed one, `study.stale()` says what
    is no longer of use. `retry` runs failed cells again. Learners named by import path come from scikit-learn, Assay,
    or the packages in `allow`: their code is run. With `keep_models` every learner is fitted to all cases too, for
    `study.model()` and `study.score()`.
    How to run it (`jobs`, `backend`, `cell_timeout`, `executor`, `progress`, ...) is said as to `Study.run`, which is
    called at once unless `run` is False.

    >>> print(experiment("iris", "nb", "swapped_halves", jobs=1).wide())
    dataset  dummy     nb
    iris     0.333  0.947
    """
    seed, name = study_seed(seed), checked_study(name)
    how: dict[str, Any] = {"jobs": jobs, "backend": backend, "address": address, "executor": executor, "window": window}
    how |= {"spool": spool, "lease": lease, "cell_timeout": cell_timeout, "progress": progress}
    said = {name: value for name, value in how.items() if value is not None}
    if said and not run:
        raise OptionError(
            f"{next(iter(said))} cannot be used with run=False", f"{next(iter(said))} passed to study.run()"
        )
    data, planned = parted(datasets, plan, named_texts(ignore, "ignore"), positive)
    study = _define_study(
        (data, learners_of(learners, allow=allow)),
        planned,
        Store(store),
        name,
        seed=seed,
        retry=retry,
        keep_models=checked_flag(keep_models, "keep_models"),
        positive=None if positive is None else str(positive),
    )
    return study.run(**said) if run else study


def open_study(
    store: str | PathLike[str],
    name: str = NAME,
    *,
    to_run: bool = False,
    retry: bool = False,
    allow: str | Iterable[str] = (),
) -> Study:
    """A study from its store alone: to be read, or (`to_run`) with its data and learners made again to go on.

    That takes data sets from files or bundled ones and learners with a recipe; the rest only their program has. A store
    may come from anywhere, so that its learners are made only if they are scikit-learn's, Assay's, or of a package in
    `allow`.
    """
    name = checked_study(name)
    held = Store(store, create=False)
    said = definition_of(held, name)
    if not to_run:
        read = said.names("datasets"), said.names("learners"), said.plan, said.seed
        return Study(held, name, *read, keep_models=said.keep_models, positive=said.positive)
    held.close()
    learners = said.made_again(named_texts(allow, "allow"))
    given = said.read_again(), learners
    how: dict[str, Any] = {"seed": said.seed, "retry": retry, "keep_models": said.keep_models}
    how["positive"] = said.positive
    return _define_study(given, said.plan, Store(store), name, **how)


def _define_study(
    given: tuple[tuple[Dataset, ...], tuple[Learner, ...]],
    plan: Plan,
    store: Store,
    name: str,
    *,
    seed: int,
    retry: bool,
    keep_models: bool,
    positive: str | None,
) -> Study:
    names = tuple(one.name for one in given[0]), tuple(one.name for one in given[1])
    study = Study(store, name, *names, plan, seed, given, keep_models, positive)
    try:
        define(study, retry=retry)
    except BaseException:
        store.close()
        raise
    return study


def reopened(store: str | PathLike[str], name: str, *, allow: str | Iterable[str] = ()) -> Study:
    """The study as it was last defined, its data sets read and its learners made again; the store stays as it is."""
    study = open_study(store, name)
    try:
        said = definition_of(study.store, name)
        learners = said.made_again(named_texts(allow, "allow"))
        return replace(study, given=(said.read_again(), learners))
    except BaseException:
        study.store.close()
        raise
