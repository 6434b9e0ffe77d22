"""`assay experiment run | resume | show`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import write_out

if TYPE_CHECKING:
    from assay.experiments.study import Study
    from assay.results import Table

__all__ = ["command"]

FORMATS = ("table", "json", "csv", "markdown")
SCHEMA = "assay.experiment/1"


@click.group("experiment", short_help="Run learners on data sets, all on the same partitions, and compare them.")
def command() -> None:
    """Run learners on data sets, all on the same partitions, keep every fold and say which learner is how good."""


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
def run(study: str, store: str | None, jobs: int | None, retry: bool, quiet: bool, **shown: Any) -> None:
    """Run the study that STUDY.toml describes. What its store holds already is not run again."""
    from assay.experiments.study import experiment
    from assay.experiments.study_file import read_study

    said = read_study(study)
    said["store"] = store or said["store"]
    workers = said.pop("jobs", None)
    found = experiment(**said, retry=retry, run=False)
    _run(found, jobs or workers, quiet=quiet)
    _put_out(found, **shown)


@command.command("resume", short_help="Go on with a study that was stopped.")
@click.argument("study", metavar="STUDY.toml|STORE")
@click.option("--name", help="Which study, where a store holds several. [default: study]")
@run_as
@shown_as
def resume(study: str, name: str | None, jobs: int | None, retry: bool, quiet: bool, **shown: Any) -> None:
    """Run only what is missing: after a stop of any kind, nothing is lost and nothing is run twice."""
    from assay.experiments.study import experiment, open_study
    from assay.experiments.study_file import read_study

    if study.endswith(".toml"):
        said = read_study(study)
        workers = said.pop("jobs", None)
        open_study(said["store"], said["name"]).store.close()  # says so if there is nothing to go on with
        found = experiment(**said, retry=retry, run=False)
    else:
        workers, found = None, open_study(study, name or "study", to_run=True, retry=retry)
    _run(found, jobs or workers, quiet=quiet)
    _put_out(found, **shown)


@command.command("show", short_help="Say what a study found so far.")
@click.argument("study", metavar="STUDY.toml|STORE")
@click.option("--name", help="Which study, where a store holds several. [default: study]")
@click.option("--compare", "pair", nargs=2, metavar="LEARNER LEARNER", help="Every test of two learners, by data set.")
@click.option("--failures", is_flag=True, help="The traceback of every cell that failed.")
@shown_as
def show(study: str, name: str | None, pair: tuple[str, str] | None, failures: bool, quiet: bool, **shown: Any) -> None:
    """Say what a study found so far, while it runs or after."""
    from assay.experiments.study import open_study
    from assay.experiments.study_file import read_study

    if study.endswith(".toml"):
        said = read_study(study)
        study, name = said["store"], name or said["name"]
    found = open_study(study, name or "study")
    if not quiet:
        _narrate(found)
    _put_out(found, **shown, pair=pair, failures=failures)


def _run(study: Study, jobs: int | None, *, quiet: bool) -> None:
    if not quiet:
        _narrate(study)
    study.run(jobs=jobs, progress=False if quiet else None)
    if not quiet:
        failed = study.progress()["failed"]
        if failed:
            click.echo(
                f"{failed} cells failed; assay experiment show --failures says why, --retry runs them again.", err=True
            )


def _narrate(study: Study) -> None:
    """Say on stderr what there is to do, and what is no longer of use."""
    states = study.progress()
    cells = sum(states.values())
    missing = states["todo"] + states["running"]
    click.echo(
        f"{len(study.datasets)} data sets x {len(study.learners)} learners by {study.plan.name}: {cells:,} cells, "
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
    pair: tuple[str, str] | None = None,
    failures: bool = False,
) -> None:
    form = "json" if as_json else form
    if failures:
        table = study.failures()
    elif pair is not None:
        table = _compared(study, pair, measure, level)
    else:
        table = study.folds(measure) if form == "csv" else study.table(measure, level=level)
    renderer = {"table": _text, "json": _json, "csv": _csv, "markdown": _markdown}[form]
    write_out(renderer(study, table), output)
    study.store.close()


def _compared(study: Study, pair: tuple[str, str], measure: str, level: float) -> Table:
    """Every test of two learners, the data sets under one another."""
    from assay.results import Table

    found = {name: study.compare(name, *pair, measure, level=level) for name in study.datasets}
    first = next(iter(found.values()))
    columns = {name: [value for table in found.values() for value in table.columns[name]] for name in first.columns}
    datasets = [name for name, table in found.items() for _ in range(len(table))]
    return Table({"dataset": datasets, **columns}, title=f"{measure}: {pair[0]} less {pair[1]}")


def _text(study: Study, table: Table) -> str:
    if "error" not in table.columns:
        return f"{table.title}\n{table}"
    blocks = [
        f"{dataset}, {learner}, repeat {repeat + 1}, fold {fold + 1}:\n{error}"
        for dataset, learner, repeat, fold, error in table.rows()
    ]
    return "\n".join(blocks) or "Nothing failed."


def _json(study: Study, table: Table) -> str:
    record = {
        "schema": SCHEMA,
        "study": study.name,
        "plan": study.plan.to_dict(),
        "seed": study.seed,
        "cells": study.progress(),
        "title": table.title,
        "table": table.to_dict(),
    }
    return json.dumps(record, indent=2, allow_nan=False)


def _csv(study: Study, table: Table) -> str:
    from assay.results import csv_text

    return csv_text(table.columns, table.rows())


def _markdown(study: Study, table: Table) -> str:
    from assay.report import table_markdown

    return table_markdown(table)
