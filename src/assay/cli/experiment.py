"""`assay experiment run | resume | show | predictions | curve | model | score | chance`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import click

from assay.cli._experiment_curve import curve, kept_and_read
from assay.cli._experiment_models import chance, model, predictions, score
from assay.cli._options import asks, put_out, refuse_overwritten
from assay.cli._streams import tell
from assay.errors import OptionError, UnknownName
from assay.request import StudyRequest

if TYPE_CHECKING:
    from assay.experiments.study import Study
    from assay.results import Table

__all__ = ["command"]

LEARNER_FAILED = 1  # the exit code where every cell of a learner failed


@click.group("experiment", short_help="Run learners on data sets, all on the same partitions, and compare them.")
def command() -> None:
    """Run learners on data sets, all on the same partitions, keep every fold and say which learner is how good."""


for each in (curve, model, score, chance, predictions):
    command.add_command(each)


@command.command("run", short_help="Run a study.")
@click.argument("study", metavar="STUDY.toml")
@asks("run", StudyRequest)
def run(study: str, request: StudyRequest) -> None:
    """Run the study that STUDY.toml describes. What its store holds already is not run again.

    Learners come from scikit-learn and Assay, and from packages that you name with --allow: their code is run. Exit
    code 1: every cell of some learner failed.
    """
    from assay.experiments.study import experiment
    from assay.experiments.study_file import read_study

    said = read_study(study)
    said["store"] = request.store or said["store"]
    said["keep_models"] = request.keep_models or said.get("keep_models", False)
    _say_of_columns(said, request)
    refuse_overwritten(request, kept_and_read(said))
    how = _how(request, said)
    found = experiment(**said, retry=request.retry, run=False, allow=request.allow)
    _run_and_put_out(found, how, request)


@command.command("resume", short_help="Go on with a study that was stopped.")
@click.argument("study", metavar="STUDY.toml|STORE")
@asks("resume", StudyRequest)
def resume(study: str, request: StudyRequest) -> None:
    """Run only what is missing: after a stop of any kind, nothing is lost and nothing is run twice."""
    from assay.experiments.study import experiment, open_study
    from assay.experiments.study_file import read_study

    if study.endswith(".toml"):
        said = read_study(study)
        refuse_overwritten(request, kept_and_read(said))
        said["name"] = request.name or said["name"]
        _say_of_columns(said, request)
        how = _how(request, said)
        open_study(said["store"], said["name"]).store.close()  # says so if there is nothing to go on with
        found = experiment(**said, retry=request.retry, run=False, allow=request.allow)
    else:
        for what in ("split", "ignore"):
            if what in request.given:
                raise OptionError(f"{what} is given and the store says it already", "it left out", about=what)
        how = _how(request, {})
        found = open_study(study, request.name or "study", to_run=True, retry=request.retry, allow=request.allow)
    _run_and_put_out(found, how, request)


@command.command("show", short_help="Say what a study found so far.")
@click.argument("study", metavar="STUDY.toml|STORE")
@asks("show", StudyRequest)
def show(study: str, request: StudyRequest) -> None:
    """Say what a study found so far, while it runs or after."""
    from assay.experiments.study import open_study
    from assay.experiments.study_file import read_study

    name = request.name
    if study.endswith(".toml"):
        said = read_study(study)
        refuse_overwritten(request, kept_and_read(said))
        study, name = said["store"], name or said["name"]
    found = open_study(study, name or "study")
    if request.estimates and found.plan.kind == "bootstrap":
        found.store.close()
        # .632 rests on a model of all cases.
        found = open_study(study, name or "study", to_run=True, allow=request.allow)
    with closing(found.store):
        _refuse_unknown(found, request.dataset)
        if not request.quiet:
            _narrate(found)
        _put_out(found, request)


def _say_of_columns(said: dict[str, Any], request: StudyRequest) -> None:
    """What the command line says of columns, put beside what a study file says."""
    if request.split is not None:
        if "plan" in said:
            raise OptionError("split is given and the study file has a plan", "one of them", about="split")
        said["plan"] = {"kind": "given", "column": request.split}
    if request.ignore:
        said["ignore"] = tuple(dict.fromkeys((*said.get("ignore", ()), *request.ignore)))


def _refuse_unknown(study: Study, datasets: tuple[str, ...]) -> None:
    for name in datasets:
        if name not in study.datasets:
            raise UnknownName(f"the study has no data set {name!r}", f"one of {', '.join(study.datasets)}")


def _how(request: StudyRequest, said: dict[str, Any]) -> dict[str, Any]:
    """How to run a study, taken out of what its file says: what the command line says goes before that."""
    from assay.experiments.study_file import HOW

    written = StudyRequest.of({name: said.pop(name) for name in HOW if name in said})
    typed = {name: value for name, value in request.given.items() if name in HOW}
    # Also a single job runs in a process of its own: a learner that crashes must not end the study.
    return {"backend": "processes", **written.given, **typed}


def _run_and_put_out(study: Study, how: dict[str, Any], request: StudyRequest) -> None:
    """Run what is missing and show all; exit with 1 where a learner has nothing to show because it always failed."""
    with closing(study.store):
        for name in request.measure:
            study.refuse_unknown_measure(name)  # now, not after hours
        if not request.quiet:
            _narrate(study)
        study.run(**how, progress=False if request.quiet else None)
        failed, useless = study.progress()["failed"], study.failed_always()
        for sentence in study.failures_stated() if request.quiet else ():
            tell(f"assay: {sentence}")
        if failed and not request.quiet:
            said = f"{failed} cells failed; assay experiment show --failures says why, --retry runs them again."
            tell(said)
        _put_out(study, request)
    if useless:
        tell(f"assay: every cell of {', '.join(useless)} failed")
        sys.exit(LEARNER_FAILED)


def _narrate(study: Study) -> None:
    """Say on stderr what there is to do, and what is no longer of use."""
    from assay.results import counted

    states = study.progress()
    cells = sum(states.values())
    missing = states["todo"] + states["running"]
    sizes = f"{counted(len(study.datasets), 'data set')} x {counted(len(study.learners), 'learner')}"
    tell(
        f"{sizes} by {study.plan.name}: {counted(cells, 'cell')}, "
        f"{states['done']:,} done, {states['failed']:,} failed, {missing:,} missing."
    )
    stale = study.stale()
    kinds = Counter(zip(*(stale.columns[name] for name in ("dataset", "learner", "because")), strict=True))
    for (dataset, learner, because), count in kinds.items():
        tell(f"Stale, kept but not used: {count:,} cells of {learner} on {dataset}: {because}.")
    damaged = study.damaged().columns
    again = "left out; resume runs them again" if study.given is None else "to be run again"
    for (dataset, learner), count in Counter(zip(damaged["dataset"], damaged["learner"], strict=True)).items():
        tell(f"Damaged in the store, {again}: {counted(count, 'cell')} of {learner} on {dataset}.")
    guessed = [one for one in (study.given or ((), ()))[0] if one.positive_inferred]
    for one in guessed:
        tell(f"Positive class of {one.name}: {one.classes[-1]}.")


def _put_out(study: Study, request: StudyRequest) -> None:
    from assay.report import answers
    from assay.report.pages.benchmarks import render_study

    form, what, pair = request.format, request.what, request.compare
    measure, level, dataset = request.measure_used, request.level_used, request.dataset
    if pair is not None:
        table = _compared(study, request, dataset or study.datasets)
    elif what is not None:
        table = _asked(study, what, request, dataset or study.datasets)
    else:
        table = study.folds(*request.measure) if form == "csv" and request.part is None else _table(study, request)
        table = _only(table, dataset)
    is_usual = (what, pair, request.part) == (None, None, None)
    said = study.cautions if form != "csv" and (form == "json" or is_usual) else ()
    pictures: dict[str, Callable[[], str | bytes]] = {
        "html": partial(render_study, study, measure, level=level),
        "roc": partial(_roc, study, dataset, level),
        "table": lambda: _saved(table, request),
    }
    put_out(answers.study(study, table, said), request, **pictures)


def _table(study: Study, request: StudyRequest) -> Table:
    """The usual table: of one measure, or several beside one another, or of one part."""
    from assay.costs import Costs

    costs = None
    if request.cost_fp is not None and request.cost_fn is not None:
        costs = Costs(fp=request.cost_fp, fn=request.cost_fn)
    measures = request.measure or ("accuracy",)
    return study.table(measures, costs=costs, part=request.part, level=request.level_used)


def _saved(table: Table, request: StudyRequest) -> bytes:
    """The table as the file that was named."""
    assert request.table is not None
    return table.contents(request.table.suffix)


def _asked(study: Study, what: str, request: StudyRequest, datasets: tuple[str, ...]) -> Table:
    """What a flag asks for, the data sets under one another."""
    from assay.experiments.optimism import winners_table

    measure, level = request.measure_used, request.level_used
    if what == "estimates":
        each = [((d, n), study.estimates(d, n, measure, level=level)) for d in datasets for n in study.learners]
        return _stacked(("dataset", "learner"), each, f"Estimates by {study.plan.name}")
    if what == "flow":
        return _stacked(("dataset",), [((name,), study.flow(name).table()) for name in datasets], study.plan.name)
    if what == "winner":
        return winners_table(
            {name: study.winner(name, next(iter(request.measure), None), level=level) for name in datasets}
        )
    if what == "pairs":
        how: dict[str, Any] = {"level": level, "method": request.method, "adjust": request.adjust or "bonferroni"}
        found = [((name,), study.pairs(name, measure, **how).table()) for name in datasets]
        return _stacked(("dataset",), found, f"{measure}: {found[0][1].title}")
    made = {"costs": study.costs, "optimism": study.optimism}
    plain = {"models": study.models, "failures": study.failures, "settings": study.settings}
    return _only(made[what](measure) if what in made else plain[what](), datasets)


def _compared(study: Study, request: StudyRequest, datasets: tuple[str, ...]) -> Table:
    """Every test of two learners, the data sets under one another."""
    assert request.compare is not None
    pair, measure = request.compare, request.measure_used
    how: dict[str, Any] = {"level": request.level_used, "method": request.method, "part": request.part}
    found = [((name,), study.compare(name, *pair, measure, **how)) for name in datasets]
    return _stacked(("dataset",), found, f"{measure}: {pair[0]} less {pair[1]}")


def _stacked(head: tuple[str, ...], tables: Sequence[tuple[tuple[str, ...], Table]], title: str) -> Table:
    """Tables under one another, each after its names; a column that one of them lacks is empty there."""
    from assay.results import Table

    columns = dict.fromkeys(name for _, table in tables for name in table.columns)
    rows = [(names, dict(zip(table.columns, row, strict=True))) for names, table in tables for row in table.rows()]
    keys = {name: [names[place] for names, _ in rows] for place, name in enumerate(head)}
    return Table(keys | {name: [row.get(name) for _, row in rows] for name in columns}, title=title)


def _only(table: Table, datasets: tuple[str, ...]) -> Table:
    """The rows of some data sets; all of them if none is named."""
    from dataclasses import replace

    kept = [not datasets or name in datasets for name in table.columns["dataset"]]
    return replace(table, columns={name: list(compress(values, kept)) for name, values in table.columns.items()})


def _roc(study: Study, datasets: tuple[str, ...], level: float) -> str:
    """The averaged ROC curves of every learner on one data set, as a picture."""
    from assay.experiments.fitting import only_one
    from assay.plots import draw_curve, svg_document

    dataset = only_one("dataset", datasets or study.datasets, None)
    known = (study.winner(dataset, level=level).name,) if study.validates else study.learners
    learners = [name for name in known if study.has_scores(dataset, name)]
    return svg_document(draw_curve({name: study.roc(dataset, name, level=level) for name in learners}))
