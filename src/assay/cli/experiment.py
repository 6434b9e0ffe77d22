"""`assay experiment run | resume | show | predictions | curve | model | score | chance`.

`assay experiment model | score | chance`: a model of a study shown, on new cases, and against permuted labels.

`assay experiment curve`: what becomes of one learner as its cases, or the noise in them, grow.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import click

from assay.cli._console import printed, tell
from assay.cli._options import asks, put_out, refuse_overwritten
from assay.errors import OptionError, UnknownName
from assay.output_files import STANDARD_OUTPUT, write_all
from assay.request import DEFAULT_LEVEL, CurveRequest, ModelRequest, PredictionsRequest, StudyRequest

if TYPE_CHECKING:
    from assay.experiments.study import Study
    from assay.results import Table

__all__ = [
    "FILES",
    "PERMUTATIONS",
    "REPEATS",
    "SHUFFLES",
    "chance",
    "command",
    "curve",
    "kept_and_read",
    "model",
    "predictions",
    "score",
]


SHUFFLES, PERMUTATIONS = 20, 199


def _open_study(study: str, request: ModelRequest) -> Study:
    """A study with its data, from its file or its store; neither is changed."""
    from assay.experiments.study import reopened
    from assay.experiments.study_file import read_study

    store, name = study, request.name or "study"
    if study.endswith(".toml"):
        said = read_study(study)
        refuse_overwritten(request, kept_and_read(said))
        store, name = said["store"], request.name or said["name"]
    return reopened(store, name, allow=request.allow)


@click.command("model", short_help="Show a fitted model: rules, coefficients, importances.")
@click.argument("study", metavar="STUDY.toml|STORE")
@asks("model", ModelRequest)
def model(study: str, request: ModelRequest) -> None:
    """Show the model of all cases that a study stores (run it with --keep-models), or with --fold that of one split.

    A model is stored as its settings and predictions, never as a pickle: it is refitted, and refused if its predictions
    differ from the stored ones.
    """
    from assay.report import answers

    with closing((found := _open_study(study, request)).store):
        fitted = found.model(request.dataset, request.learner, fold=request.fold, repeat=request.repeat or 0)
        level, seed = request.level or DEFAULT_LEVEL, request.seed or 0
        shuffles, loss = request.shuffles or SHUFFLES, request.loss or "labels"
        rated = fitted.importances(loss, repeats=shuffles, level=level, seed=seed) if request.importances else None
        put_out(answers.model(fitted, rated), _with_default_format(request, "table"))


@click.command("score", short_help="Write the predictions of a model for new cases.")
@click.argument("study", metavar="STUDY.toml|STORE")
@click.argument("file", metavar="NEW")
@asks("score", ModelRequest)
def score(study: str, file: str, request: ModelRequest) -> None:
    """Write the predictions of a model of the study for the cases in NEW, as CSV that `assay evaluate` reads.

    Columns are matched by name with the training columns. A threshold for a measure or for costs is chosen on
    out-of-fold predictions of the study.
    """
    from assay.report import answers

    with closing((found := _open_study(study, request)).store):
        asked: dict[str, Any] = {"id": request.id, "recalibrate": request.recalibrate, "unseen": request.unseen}
        asked |= {"fold": request.fold, "repeat": request.repeat or 0, "threshold": _threshold_value(request)}
        scored = found.score(file, request.dataset, request.learner, **asked)
    if not request.quiet:
        for line in scored.words():
            tell(line)
    put_out(answers.scored(scored), _with_default_format(request, "csv"))


@click.command("predictions", short_help="Write the out-of-fold predictions of a study.")
@click.argument("study", metavar="STUDY.toml|STORE")
@asks("predictions", PredictionsRequest)
def predictions(study: str, request: PredictionsRequest) -> None:
    """Write the out-of-fold predictions of a study: one row per case and learner, with its fold, the true label, the
    prediction and its probabilities. `assay evaluate`, `assay compare` and every other command read the file.
    """
    from assay.experiments.fitting import only_one
    from assay.experiments.study import open_study
    from assay.experiments.study_file import read_study
    from assay.results import counted

    store, name = study, request.name or "study"
    if study.endswith(".toml"):
        said = read_study(study)
        refuse_overwritten(request, kept_and_read(said))
        store, name = said["store"], request.name or said["name"]
    with closing((found := open_study(store, name)).store):
        dataset = only_one("dataset", found.datasets, request.dataset)
        table = found.predictions(dataset, *request.learner, part=request.part, repeat=request.repeat or 0)
        classes, _ = found.truth(dataset)
    if request.output in (None, STANDARD_OUTPUT):
        printed(table.contents(".csv").decode())
    else:
        write_all({request.output: table.contents(request.output.suffix or ".csv")})
    if not request.quiet:
        positive = f" Positive class: {classes[-1]} (--positive)." if len(classes) == 2 else ""
        tell(f"{table.title}: {counted(len(table), 'row')}.{positive}")


@click.command("chance", short_help="Test a learner against permuted labels.")
@click.argument("study", metavar="STUDY.toml|STORE")
@asks("chance", ModelRequest)
def chance(study: str, request: ModelRequest) -> None:
    """Test whether a learner of a study does better than on permuted labels. Nothing is stored.

    The plan of the study is repeated for every permutation.
    """
    from assay.report import answers

    with closing((found := _open_study(study, request)).store):
        permutations, seed = request.permutations or PERMUTATIONS, request.seed or 0
        tested = found.against_chance(
            request.dataset, request.learner, request.measure or "accuracy", permutations=permutations, seed=seed
        )
    put_out(answers.chance(tested), _with_default_format(request, "table"))


def _with_default_format(request: ModelRequest, usual: str) -> ModelRequest:
    return request if request.format else request.replace({"format": usual})


def _threshold_value(request: ModelRequest) -> Any:
    """A number, the name of a measure, or costs."""
    from assay.costs import Costs

    if request.cost_fp is not None and request.cost_fn is not None:
        return Costs(fp=request.cost_fp, fn=request.cost_fn)
    try:
        return None if request.threshold is None else float(request.threshold)
    except ValueError:
        return request.threshold


REPEATS = 20
FILES = ("path", "test", "validation")


def kept_and_read(said: Mapping[str, Any]) -> list[str]:
    """The files of a study: its store, and the data sets that have a path."""
    data = said["datasets"] if isinstance(said["datasets"], list) else []
    return [
        said["store"],
        *(each[key] for each in data if isinstance(each, Mapping) for key in FILES if isinstance(each.get(key), str)),
    ]


@click.command("curve", short_help="Draw a learning curve, or a curve over noise, gaps or a parameter.")
@click.argument("study", metavar="STUDY.toml")
@asks("curve", CurveRequest)
def curve(study: str, request: CurveRequest) -> None:
    """Fit one learner of a study repeatedly: to growing parts of a data set (learning, time), to data with increasing
    noise in labels or features or with more gaps, or with other values of a parameter on the splits of the study
    (validation). Nothing is stored."""
    from assay.experiments.fitting import curve_of, curve_of_parameter, only_one
    from assay.experiments.learners import DUMMY, learners_of
    from assay.experiments.runs import parted
    from assay.experiments.study_file import read_study
    from assay.report import answers

    said = read_study(study)
    refuse_overwritten(request, kept_and_read(said))
    sets, plan = parted(said["datasets"], said.get("plan"), said.get("ignore", ()), said.get("positive"))
    data = {one.name: one for one in sets}
    learners = {one.name: one for one in learners_of(said["learners"], allow=request.allow) if one.name != DUMMY}
    which = data[only_one("dataset", list(data), request.dataset)]
    learner = learners[only_one("learner", list(learners), request.learner)]
    repeats, how = request.repeats or REPEATS, {"level": request.level or DEFAULT_LEVEL, "seed": said.get("seed", 0)}
    if request.parameter is not None:
        values = [_parse_value(value) for value in request.value]
        found: Any = curve_of_parameter(which, learner, request.parameter, values, plan, **how)
    else:
        found = curve_of(which, learner, request.kind, repeats=repeats, **how)
    put_out(answers.curve(found.table(), which.name, learner.name), request, figure=found.svg)


def _parse_value(value: str) -> Any:
    """A value of a parameter as it is typed: a number, true, false or none, else a text.

    >>> [_parse_value(value) for value in ("2", "0.5", "true", "none", "gini")]
    [2, 0.5, True, None, 'gini']
    """
    words = {"true": True, "false": False, "none": None}
    if value.lower() in words:
        return words[value.lower()]
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


LEARNER_FAILED = 1  # the exit code where every cell of a learner failed


@click.group("experiment", short_help="Run and compare learners on data sets, with the same splits for all.")
def command() -> None:
    """Run learners on data sets with the same splits for all, store every fold and compare the learners."""


for each in (curve, model, score, chance, predictions):
    command.add_command(each)


@command.command("run", short_help="Run a study.")
@click.argument("study", metavar="STUDY.toml")
@asks("run", StudyRequest)
def run(study: str, request: StudyRequest) -> None:
    """Run the study that STUDY.toml describes. Results already in its store are not repeated.

    Learners come from scikit-learn and Assay, and from packages given by --allow, whose code is run. Exit
    code 1: every run of some learner failed.
    """
    from assay.experiments.study import experiment
    from assay.experiments.study_file import read_study

    said = read_study(study)
    said["store"] = request.store or said["store"]
    said["keep_models"] = request.keep_models or said.get("keep_models", False)
    _add_column_options(said, request)
    refuse_overwritten(request, kept_and_read(said))
    how = _run_options(request, said)
    found = experiment(**said, retry=request.retry, run=False, allow=request.allow)
    _run_and_put_out(found, how, request)


@command.command("resume", short_help="Resume a study that was stopped.")
@click.argument("study", metavar="STUDY.toml|STORE")
@asks("resume", StudyRequest)
def resume(study: str, request: StudyRequest) -> None:
    """Run only the missing runs: after any interruption, nothing is lost and nothing is repeated."""
    from assay.experiments.study import experiment, open_study
    from assay.experiments.study_file import read_study

    if study.endswith(".toml"):
        said = read_study(study)
        refuse_overwritten(request, kept_and_read(said))
        said["name"] = request.name or said["name"]
        _add_column_options(said, request)
        how = _run_options(request, said)
        open_study(said["store"], said["name"]).store.close()  # says so if there is nothing to go on with
        found = experiment(**said, retry=request.retry, run=False, allow=request.allow)
    else:
        for what in ("split", "ignore"):
            if what in request.given:
                raise OptionError(
                    f"{what} does not apply to a store, which has it already",
                    f"no {what}, or the study file",
                    about=what,
                )
        how = _run_options(request, {})
        found = open_study(study, request.name or "study", to_run=True, retry=request.retry, allow=request.allow)
    _run_and_put_out(found, how, request)


@command.command("show", short_help="Show the results of a study so far.")
@click.argument("study", metavar="STUDY.toml|STORE")
@asks("show", StudyRequest)
def show(study: str, request: StudyRequest) -> None:
    """Show the results of a study, while it runs or after."""
    from assay.experiments.study import open_study, reopened
    from assay.experiments.study_file import read_study

    name = request.name
    if study.endswith(".toml"):
        said = read_study(study)
        refuse_overwritten(request, kept_and_read(said))
        study, name = said["store"], name or said["name"]
    found = open_study(study, name or "study")
    if request.flow and found.is_timed:
        found.store.close()
        found = reopened(study, name or "study", allow=request.allow)  # times are not in the store
    if request.estimates and found.plan.kind == "bootstrap":
        found.store.close()
        # .632 rests on a model of all cases.
        found = open_study(study, name or "study", to_run=True, allow=request.allow)
    with closing(found.store):
        _refuse_unknown(found, request.dataset)
        if not request.quiet:
            _print_remarks(found)
        _print_study(found, request)


def _add_column_options(said: dict[str, Any], request: StudyRequest) -> None:
    """What the command line says of columns, put beside what a study file says."""
    if request.split is not None:
        if "plan" in said:
            raise OptionError("split is given, but the study file has a plan", "only one of them", about="split")
        said["plan"] = {"kind": "given", "column": request.split}
    if request.ignore:
        said["ignore"] = tuple(dict.fromkeys((*said.get("ignore", ()), *request.ignore)))


def _refuse_unknown(study: Study, datasets: tuple[str, ...]) -> None:
    for name in datasets:
        if name not in study.datasets:
            raise UnknownName(f"the study has no data set {name!r}", f"one of {', '.join(study.datasets)}")


def _run_options(request: StudyRequest, said: dict[str, Any]) -> dict[str, Any]:
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
            _print_remarks(study)
        study.run(**how, progress=False if request.quiet else None)
        failed, useless = study.progress()["failed"], study.learners_without_results()
        for sentence in study.failure_messages() if request.quiet else ():
            tell(f"error: {sentence}")
        if failed and not request.quiet:
            said = f"{failed} runs failed; assay experiment show --failures shows why, --retry repeats them."
            tell(said)
        _print_study(study, request)
    if useless:
        tell(f"error: every run of {', '.join(useless)} failed")
        sys.exit(LEARNER_FAILED)


def _print_remarks(study: Study) -> None:
    """Say on stderr what there is to do, and what is no longer of use."""
    from assay.results import counted

    states = study.progress()
    cells = sum(states.values())
    missing = states["todo"] + states["running"]
    sizes = f"{counted(len(study.datasets), 'data set')} x {counted(len(study.learners), 'learner')}"
    tell(
        f"{sizes} by {study.plan.name}: {counted(cells, 'run')}, "
        f"{states['done']:,} done, {states['failed']:,} failed, {missing:,} missing."
    )
    stale = study.stale()
    kinds = Counter(zip(*(stale.columns[name] for name in ("dataset", "learner", "because")), strict=True))
    for (dataset, learner, because), count in kinds.items():
        tell(f"Outdated, stored but not used: {count:,} runs of {learner} on {dataset}: {because}.")
    damaged = study.damaged().columns
    again = "excluded; resume repeats them" if study.given is None else "to be repeated"
    for (dataset, learner), count in Counter(zip(damaged["dataset"], damaged["learner"], strict=True)).items():
        tell(f"Damaged in the store, {again}: {counted(count, 'run')} of {learner} on {dataset}.")
    guessed = [one for one in (study.given or ((), ()))[0] if one.positive_inferred]
    for one in guessed:
        tell(f"Positive class of {one.name}: {one.classes[-1]}.")


def _print_study(study: Study, request: StudyRequest) -> None:
    from assay.report import answers
    from assay.report.pages.benchmarks import render_study

    form, what, pair = request.format, request.what, request.compare
    measure, level, dataset = request.measure_used, request.level_used, request.dataset
    if pair is not None:
        table = _comparison_table(study, request, dataset or study.datasets)
    elif what is not None:
        table = _requested_table(study, what, request, dataset or study.datasets)
    else:
        table = (
            study.folds(*request.measure) if form == "csv" and request.part is None else _study_table(study, request)
        )
        table = _rows_of_datasets(table, dataset)
    is_usual = (what, pair, request.part) == (None, None, None)
    said = study.cautions if form != "csv" and (form == "json" or is_usual) else ()
    pictures: dict[str, Callable[[], str | bytes]] = {
        "html": partial(render_study, study, measure, level=level),
        "roc": partial(_roc_figure, study, dataset, level),
        "table": lambda: _table_as_file(table, request),
    }
    put_out(answers.study(study, table, said), request, **pictures)


def _study_table(study: Study, request: StudyRequest) -> Table:
    """The usual table: of one measure, or several beside one another, or of one part."""
    from assay.costs import Costs

    costs = None
    if request.cost_fp is not None and request.cost_fn is not None:
        costs = Costs(fp=request.cost_fp, fn=request.cost_fn)
    measures = request.measure or ("accuracy",)
    return study.table(measures, costs=costs, part=request.part, level=request.level_used)


def _table_as_file(table: Table, request: StudyRequest) -> bytes:
    """The table as the file that was named."""
    assert request.table is not None
    return table.contents(request.table.suffix)


def _requested_table(study: Study, what: str, request: StudyRequest, datasets: tuple[str, ...]) -> Table:
    """What a flag asks for, the data sets under one another."""
    from assay.experiments.optimism import winners_table

    measure, level = request.measure_used, request.level_used
    if what == "estimates":
        each = [((d, n), study.estimates(d, n, measure, level=level)) for d in datasets for n in study.learners]
        return _stacked_tables(("dataset", "learner"), each, f"Estimates by {study.plan.name}")
    if what == "flow":
        return _stacked_tables(
            ("dataset",), [((name,), study.flow(name).table()) for name in datasets], study.plan.name
        )
    if what == "winner":
        return winners_table(
            {name: study.winner(name, next(iter(request.measure), None), level=level) for name in datasets}
        )
    if what == "pairs":
        how: dict[str, Any] = {"level": level, "method": request.method, "adjust": request.adjust or "bonferroni"}
        found = [((name,), study.pairs(name, measure, **how).table()) for name in datasets]
        return _stacked_tables(("dataset",), found, f"{measure}: {found[0][1].title}")
    made = {"costs": study.costs, "optimism": study.optimism}
    plain = {"models": study.models, "failures": study.failures, "settings": study.settings}
    return _rows_of_datasets(made[what](measure) if what in made else plain[what](), datasets)


def _comparison_table(study: Study, request: StudyRequest, datasets: tuple[str, ...]) -> Table:
    """Every test of two learners, the data sets under one another."""
    assert request.compare is not None
    pair, measure = request.compare, request.measure_used
    how: dict[str, Any] = {"level": request.level_used, "method": request.method, "part": request.part}
    found = [((name,), study.compare(name, *pair, measure, **how)) for name in datasets]
    return _stacked_tables(("dataset",), found, f"{measure}: {pair[0]} minus {pair[1]}")


def _stacked_tables(head: tuple[str, ...], tables: Sequence[tuple[tuple[str, ...], Table]], title: str) -> Table:
    """Tables under one another, each after its names; a column that one of them lacks is empty there."""
    from assay.results import Table

    columns = dict.fromkeys(name for _, table in tables for name in table.columns)
    rows = [(names, dict(zip(table.columns, row, strict=True))) for names, table in tables for row in table.rows()]
    keys = {name: [names[place] for names, _ in rows] for place, name in enumerate(head)}
    return Table(keys | {name: [row.get(name) for _, row in rows] for name in columns}, title=title)


def _rows_of_datasets(table: Table, datasets: tuple[str, ...]) -> Table:
    """The rows of some data sets; all of them if none is named."""
    from dataclasses import replace

    kept = [not datasets or name in datasets for name in table.columns["dataset"]]
    return replace(table, columns={name: list(compress(values, kept)) for name, values in table.columns.items()})


def _roc_figure(study: Study, datasets: tuple[str, ...], level: float) -> str:
    """The averaged ROC curves of every learner on one data set, as a picture."""
    from assay.experiments.fitting import only_one
    from assay.plots import draw_curve, svg_document

    dataset = only_one("dataset", datasets or study.datasets, None)
    known = (study.winner(dataset, level=level).name,) if study.validates else study.learners
    learners = [name for name in known if study.has_scores(dataset, name)]
    return svg_document(draw_curve({name: study.roc(dataset, name, level=level) for name in learners}))
