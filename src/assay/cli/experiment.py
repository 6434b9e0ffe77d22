"""`assay experiment run | resume | show | curve`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli._experiment_curve import curve
from assay.cli._options import write_all, write_out

if TYPE_CHECKING:
    from assay.cautions import Caution
    from assay.experiments.study import Study
    from assay.results import Table

__all__ = ["command"]

FORMATS = ("table", "json", "csv", "markdown", "latex")
SCHEMA = "assay.experiment/1"


@click.group("experiment", short_help="Run learners on data sets, all on the same partitions, and compare them.")
def command() -> None:
    """Run learners on data sets, all on the same partitions, keep every fold and say which learner is how good."""


command.add_command(curve)


def shown_as(function: Any) -> Any:
    """The options of what is printed about a study."""
    for option in reversed(
        (
            click.option(
                "--measure", default="accuracy", show_default=True, help="What to judge by; see assay measures."
            ),
            click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals."),
            click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True),
            click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
            click.option("--output", type=click.Path(path_type=Path), help="Write there instead of to the screen."),
            click.option("--html", type=click.Path(path_type=Path), help="Also write a page that opens anywhere."),
            click.option("--quiet", is_flag=True, help="Neither a bar nor words on stderr."),
        )
    ):
        function = option(function)
    return function


def run_as(function: Any) -> Any:
    """The options of how a study is run."""
    for option in reversed(
        (
            click.option("--jobs", type=click.IntRange(1), help="Processes side by side. [default: one for each core]"),
            click.option("--backend", metavar="processes|dask|ray", help="What runs the cells. [default: processes]"),
            click.option("--address", help="Where the Dask or Ray cluster is. [default: one started on this machine]"),
            click.option("--spool", help="Folder that every worker sees, to give them the data. [default: temporary]"),
            click.option("--lease", type=float, help="Seconds after which a silent program's cells are taken over."),
            click.option("--retry", is_flag=True, help="Run cells that failed again."),
        )
    ):
        function = option(function)
    return function


@command.command("run", short_help="Run a study.")
@click.argument("study", metavar="STUDY.toml")
@click.option("--store", help="The SQLite file or database URL to keep it in. [default: beside STUDY.toml]")
@run_as
@shown_as
def run(study: str, store: str | None, retry: bool, quiet: bool, **options: Any) -> None:
    """Run the study that STUDY.toml describes. What its store holds already is not run again."""
    from assay.experiments.study import experiment
    from assay.experiments.study_file import read_study

    said = read_study(study)
    said["store"] = store or said["store"]
    how = _how(options, said)
    found = experiment(**said, retry=retry, run=False)
    _run(found, how, quiet=quiet)
    _put_out(found, quiet=quiet, **options)


@command.command("resume", short_help="Go on with a study that was stopped.")
@click.argument("study", metavar="STUDY.toml|STORE")
@click.option("--name", help="Which study, where a store holds several. [default: study]")
@run_as
@shown_as
def resume(study: str, name: str | None, retry: bool, quiet: bool, **options: Any) -> None:
    """Run only what is missing: after a stop of any kind, nothing is lost and nothing is run twice."""
    from assay.experiments.study import experiment, open_study
    from assay.experiments.study_file import read_study

    if study.endswith(".toml"):
        said = read_study(study)
        how = _how(options, said)
        open_study(said["store"], said["name"]).store.close()  # says so if there is nothing to go on with
        found = experiment(**said, retry=retry, run=False)
    else:
        how, found = _how(options, {}), open_study(study, name or "study", to_run=True, retry=retry)
    _run(found, how, quiet=quiet)
    _put_out(found, quiet=quiet, **options)


@command.command("show", short_help="Say what a study found so far.")
@click.argument("study", metavar="STUDY.toml|STORE")
@click.option("--name", help="Which study, where a store holds several. [default: study]")
@click.option("--compare", "pair", nargs=2, metavar="LEARNER LEARNER", help="Every test of two learners, by data set.")
@click.option("--failures", "what", flag_value="failures", help="The traceback of every cell that failed.")
@click.option("--estimates", "what", flag_value="estimates", help="Every estimate, and the model each describes.")
@click.option("--winner", "what", flag_value="winner", help="The best learner, its error corrected for the choice.")
@click.option("--costs", "what", flag_value="costs", help="Speed and size beside the measure.")
@click.option("--flow", "what", flag_value="flow", help="How many cases of which class go where.")
@click.option(
    "--roc", type=click.Path(path_type=Path), help="Also draw the ROC curves averaged over the splits (.svg)."
)
@click.option("--dataset", multiple=True, help="Only this data set; again for another. [default: all]")
@shown_as
def show(study: str, name: str | None, roc: Path | None, quiet: bool, **shown: Any) -> None:
    """Say what a study found so far, while it runs or after."""
    from assay.experiments.study import open_study
    from assay.experiments.study_file import read_study

    if study.endswith(".toml"):
        said = read_study(study)
        study, name = said["store"], name or said["name"]
    found = open_study(study, name or "study")
    if shown["what"] == "estimates" and found.plan.kind == "bootstrap":
        found = open_study(study, name or "study", to_run=True)  # .632 rests on a model of all cases
    if not quiet:
        _narrate(found)
    if roc is not None:
        write_out(_roc(found, shown["dataset"], shown["level"]), roc)
    _put_out(found, quiet=quiet, **shown)


def _how(options: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """How to run a study, taken out of both: what the command line says goes before what the study file says."""
    from assay.experiments.study_file import HOW

    typed, written = ({name: one.pop(name, None) for name in HOW} for one in (options, said))
    how = {name: written[name] if typed[name] is None else typed[name] for name in HOW}
    return {name: value for name, value in how.items() if value is not None}


def _run(study: Study, how: dict[str, Any], *, quiet: bool) -> None:
    if not quiet:
        _narrate(study)
    study.run(**how, progress=False if quiet else None)
    if not quiet:
        failed = study.progress()["failed"]
        if failed:
            click.echo(
                f"{failed} cells failed; assay experiment show --failures says why, --retry runs them again.", err=True
            )


def _narrate(study: Study) -> None:
    """Say on stderr what there is to do, and what is no longer of use."""
    from assay.results import counted

    states = study.progress()
    cells = sum(states.values())
    missing = states["todo"] + states["running"]
    sizes = f"{counted(len(study.datasets), 'data set')} x {counted(len(study.learners), 'learner')}"
    click.echo(
        f"{sizes} by {study.plan.name}: {counted(cells, 'cell')}, "
        f"{states['done']:,} done, {states['failed']:,} failed, {missing:,} missing.",
        err=True,
    )
    stale = study.stale()
    kinds = Counter(zip(*(stale.columns[name] for name in ("dataset", "learner", "because")), strict=True))
    for (dataset, learner, because), count in kinds.items():
        click.echo(f"Stale, kept but not used: {count:,} cells of {learner} on {dataset}: {because}.", err=True)
    guessed = [one for one in (study.given or ((), ()))[0] if one.positive_inferred]
    for one in guessed:
        click.echo(f"Positive class of {one.name}: {one.classes[-1]}.", err=True)


def _put_out(
    study: Study,
    *,
    measure: str,
    level: float,
    form: str,
    as_json: bool,
    output: Path | None,
    html: Path | None,
    quiet: bool,
    pair: tuple[str, str] | None = None,
    what: str | None = None,
    dataset: tuple[str, ...] = (),
) -> None:
    form = "json" if as_json else form
    if pair is not None:
        table = _compared(study, pair, measure, level, dataset or study.datasets)
    elif what is not None:
        table = _asked(study, what, measure, level, dataset or study.datasets)
    else:
        table = study.folds(measure) if form == "csv" else study.table(measure, level=level)
        table = _only(table, dataset)
    renderer = {"table": _text, "json": _json, "csv": _csv, "markdown": _markdown, "latex": _latex}[form]
    said = study.cautions if form != "csv" and (form == "json" or (what, pair) == (None, None)) else ()
    page = partial(study.report, measure=measure, level=level)
    write_all(renderer(study, table, said), output, html, page, quiet=quiet)
    study.store.close()


def _asked(study: Study, what: str, measure: str, level: float, datasets: tuple[str, ...]) -> Table:
    """What a flag asks for, the data sets under one another."""
    from assay.experiments.selection import winners_table

    if what == "estimates":
        each = [((d, n), study.estimates(d, n, measure, level=level)) for d in datasets for n in study.learners]
        return _stacked(("dataset", "learner"), each, f"Estimates by {study.plan.name}")
    if what == "flow":
        return _stacked(("dataset",), [((name,), study.flow(name).table()) for name in datasets], study.plan.name)
    if what == "winner":
        return winners_table({name: study.winner(name, level=level) for name in datasets})
    return _only(study.costs(measure) if what == "costs" else study.failures(), datasets)


def _compared(study: Study, pair: tuple[str, str], measure: str, level: float, datasets: tuple[str, ...]) -> Table:
    """Every test of two learners, the data sets under one another."""
    found = [((name,), study.compare(name, *pair, measure, level=level)) for name in datasets]
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
    from assay.experiments.study_curves import only_one
    from assay.plots import draw_curve, svg_document

    dataset = only_one("dataset", datasets or study.datasets, None)
    learners = [name for name in study.learners if study.has_scores(dataset, name)]
    return svg_document(draw_curve({name: study.roc(dataset, name, level=level) for name in learners}))


def _text(study: Study, table: Table, cautions: tuple[Caution, ...]) -> str:
    if "error" not in table.columns:
        return "\n".join([table.title, str(table), *([""] if cautions else []), *map(repr, cautions)])
    blocks = [
        f"{dataset}, {learner}, repeat {repeat + 1}, fold {fold + 1}:\n{error}"
        for dataset, learner, repeat, fold, error in table.rows()
    ]
    return "\n".join(blocks) or "Nothing failed."


def _json(study: Study, table: Table, cautions: tuple[Caution, ...]) -> str:
    record = {
        "schema": SCHEMA,
        "study": study.name,
        "plan": study.plan.to_dict(),
        "seed": study.seed,
        "cells": study.progress(),
        "title": table.title,
        "table": table.to_dict(),
        "cautions": [caution.to_dict() for caution in cautions],
    }
    return json.dumps(record, indent=2, allow_nan=False)


def _csv(study: Study, table: Table, cautions: tuple[Caution, ...]) -> str:
    from assay.results import csv_text

    return csv_text(table.columns, table.rows())


def _markdown(study: Study, table: Table, cautions: tuple[Caution, ...]) -> str:
    from assay.report import markdown_text, table_markdown

    said = [f"- **{caution.code}** {markdown_text(caution.message)}" for caution in cautions]
    return "\n".join([table_markdown(table).rstrip("\n"), *([""] if said else []), *said])


def _latex(study: Study, table: Table, cautions: tuple[Caution, ...]) -> str:
    from assay.report import table_latex

    return f"% Needs \\usepackage{{booktabs}} and \\usepackage[T1]{{fontenc}}.\n{table_latex(table)}"
