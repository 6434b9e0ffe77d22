"""`assay experiment curve`: what becomes of one learner as its cases, or the noise in them, grow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from assay.cli._options import asks, put_out, refuse_overwritten
from assay.request import DEFAULT_LEVEL, CurveRequest

REPEATS = 20
FILES = ("path", "test", "validation")


def kept_and_read(said: Mapping[str, Any]) -> list[str]:
    """The files of a study: its store, and the data sets that have a path."""
    data = said["datasets"] if isinstance(said["datasets"], list) else []
    return [
        said["store"],
        *(each[key] for each in data if isinstance(each, Mapping) for key in FILES if isinstance(each.get(key), str)),
    ]


@click.command("curve", short_help="Draw a learner against growing data, noise or gaps.")
@click.argument("study", metavar="STUDY.toml")
@asks("curve", CurveRequest)
def curve(study: str, request: CurveRequest) -> None:
    """Fit one learner of a study again and again: to growing parts of a data set (learning, time), or to parts in which
    labels, features or gaps were spoiled more and more. Nothing is kept in the store."""
    from assay.experiments.datasets import datasets_of
    from assay.experiments.fitting import curve_of, only_one
    from assay.experiments.learners import DUMMY, learners_of
    from assay.experiments.plans import plan_of
    from assay.experiments.study_file import read_study
    from assay.report import answers

    said = read_study(study)
    refuse_overwritten(request, kept_and_read(said))
    column = dict(plan_of(said["plan"]).options).get("column") if "plan" in said else None
    data = {one.name: one for one in datasets_of(said["datasets"], split=column, ignore=said.get("ignore", ()))}
    learners = {one.name: one for one in learners_of(said["learners"], allow=request.allow) if one.name != DUMMY}
    which = data[only_one("dataset", list(data), request.dataset)]
    learner = learners[only_one("learner", list(learners), request.learner)]
    repeats, level = request.repeats or REPEATS, request.level or DEFAULT_LEVEL
    found = curve_of(which, learner, request.kind, repeats=repeats, level=level, seed=said.get("seed", 0))
    put_out(answers.curve(found.table(), which.name, learner.name), request, figure=found.svg)
