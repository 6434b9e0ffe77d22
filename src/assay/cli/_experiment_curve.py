"""`assay experiment curve`: what becomes of one learner as its cases, or the noise in them, grow."""

from __future__ import annotations

import click

from assay.cli._options import asks, put_out, write_out
from assay.request import DEFAULT_LEVEL, CurveRequest

__all__ = ["curve"]

REPEATS = 20


@click.command("curve", short_help="Draw a learner against growing data, noise or gaps.")
@click.argument("study", metavar="STUDY.toml")
@asks("curve", CurveRequest)
def curve(study: str, request: CurveRequest) -> None:
    """Fit one learner of a study again and again: to growing parts of a data set (learning, time), or to parts in which
    labels, features or gaps were spoiled more and more. Nothing is kept in the store."""
    from assay.experiments.datasets import datasets_of
    from assay.experiments.learners import DUMMY, learners_of
    from assay.experiments.study_curves import curve_of, only_one
    from assay.experiments.study_file import read_study
    from assay.report import answers

    said = read_study(study)
    data = {one.name: one for one in datasets_of(said["datasets"])}
    learners = {one.name: one for one in learners_of(said["learners"], allow=request.allow) if one.name != DUMMY}
    which = data[only_one("dataset", list(data), request.dataset)]
    learner = learners[only_one("learner", list(learners), request.learner)]
    repeats, level = request.repeats or REPEATS, request.level or DEFAULT_LEVEL
    found = curve_of(which, learner, request.kind, repeats=repeats, level=level, seed=said.get("seed", 0))
    if request.figure is not None:
        write_out(found.svg(), request.figure)
    put_out(answers.curve(found.table(), which.name, learner.name), request)
