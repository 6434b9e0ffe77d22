"""`assay experiment curve`: what becomes of one learner as its cases, or the noise in them, grow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import write_out

if TYPE_CHECKING:
    from assay.experiments import Dataset, GrowthCurve, Learner, TimeCurve

__all__ = ["curve"]

KINDS = ("learning", "label-noise", "feature-noise", "missing", "time")
FORMATS = ("table", "json", "csv", "markdown")
SCHEMA = "assay.experiment-curve/1"


@click.command("curve", short_help="Draw a learner against growing data, noise or gaps.")
@click.argument("study", metavar="STUDY.toml")
@click.option("--kind", type=click.Choice(KINDS), default="learning", show_default=True)
@click.option("--dataset", help="The data set, where the study has several.")
@click.option("--learner", help="The learner, where the study has several.")
@click.option("--repeats", type=click.IntRange(1), default=20, show_default=True, help="Random splits at each point.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw it there (.svg).")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--output", type=click.Path(path_type=Path), help="Write there instead of to the screen.")
def curve(study: str, figure: Path | None, form: str, as_json: bool, output: Path | None, **asked: Any) -> None:
    """Fit one learner of a study again and again: to growing parts of a data set (learning, time), or to parts in which
    labels, features or gaps were spoiled more and more. Nothing is kept in the store."""
    from assay.experiments.datasets import datasets_of
    from assay.experiments.learners import DUMMY, learners_of
    from assay.experiments.study_curves import curve_of, only_one
    from assay.experiments.study_file import read_study

    said = read_study(study)
    data = {one.name: one for one in datasets_of(said["datasets"])}
    learners = {one.name: one for one in learners_of(said["learners"]) if one.name != DUMMY}
    which = data[only_one("dataset", list(data), asked.pop("dataset"))]
    learner = learners[only_one("learner", list(learners), asked.pop("learner"))]
    found = curve_of(which, learner, asked.pop("kind"), **asked, seed=said.get("seed", 0))
    if figure is not None:
        write_out(found.svg(), figure)
    write_out(_written(found, which, learner, "json" if as_json else form), output)


def _written(found: GrowthCurve | TimeCurve, data: Dataset, learner: Learner, form: str) -> str:
    from assay.report import table_markdown
    from assay.results import csv_text

    table = found.table()
    if form == "csv":
        return csv_text(table.columns, table.rows())
    if form == "markdown":
        return table_markdown(table)
    if form == "json":
        about = {"schema": SCHEMA, "dataset": data.name, "learner": learner.name, "title": table.title}
        return json.dumps({**about, "table": table.to_dict()}, indent=2, allow_nan=False)
    return f"{table.title}: {learner.name} on {data.name}\n{table}"
