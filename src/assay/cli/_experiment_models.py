"""`assay experiment model | score | chance`: a model of a study shown, on new cases, and against permuted labels."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import asks, put_out, refuse_overwritten
from assay.cli._streams import printed, tell
from assay.output_files import STANDARD_OUTPUT, write_all
from assay.request import DEFAULT_LEVEL, ModelRequest, PredictionsRequest

if TYPE_CHECKING:
    from assay.experiments.study import Study

SHUFFLES, PERMUTATIONS = 20, 199


def _opened(study: str, request: ModelRequest) -> Study:
    """A study with its data, from its file or its store; neither is changed."""
    from assay.cli._experiment_curve import kept_and_read
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
    """Show the model of all cases that a study keeps (run it with --keep-models), or with --fold that of one split.

    A model is kept as its recipe and its answers, never as a pickle: it is fitted again, and refused if it answers
    otherwise than what was kept.
    """
    from assay.report import answers

    with closing((found := _opened(study, request)).store):
        fitted = found.model(request.dataset, request.learner, fold=request.fold, repeat=request.repeat or 0)
        level, seed = request.level or DEFAULT_LEVEL, request.seed or 0
        shuffles, loss = request.shuffles or SHUFFLES, request.loss or "labels"
        rated = fitted.importances(loss, repeats=shuffles, level=level, seed=seed) if request.importances else None
        put_out(answers.model(fitted, rated), _formatted(request, "table"))


@click.command("score", short_help="Write what a model says of new cases.")
@click.argument("study", metavar="STUDY.toml|STORE")
@click.argument("file", metavar="NEW")
@asks("score", ModelRequest)
def score(study: str, file: str, request: ModelRequest) -> None:
    """Write what a model of the study says of the cases in NEW, as CSV that `assay evaluate` reads.

    Columns are matched by name with those that were learned from. A threshold by a measure or by costs is chosen on
    held-out predictions of the study.
    """
    from assay.report import answers

    with closing((found := _opened(study, request)).store):
        asked: dict[str, Any] = {"id": request.id, "recalibrate": request.recalibrate, "unseen": request.unseen}
        asked |= {"fold": request.fold, "repeat": request.repeat or 0, "threshold": _threshold(request)}
        scored = found.score(file, request.dataset, request.learner, **asked)
    if not request.quiet:
        for line in scored.words():
            tell(line)
    put_out(answers.scored(scored), _formatted(request, "csv"))


@click.command("predictions", short_help="Write out-of-fold predictions that every command reads.")
@click.argument("study", metavar="STUDY.toml|STORE")
@asks("predictions", PredictionsRequest)
def predictions(study: str, request: PredictionsRequest) -> None:
    """Write the out-of-fold predictions of a study: a row for each case and learner, with its fold, the true label, the
    prediction and its probabilities. `assay evaluate`, `assay compare` and every other command read the file.
    """
    from assay.cli._experiment_curve import kept_and_read
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


@click.command("chance", short_help="Hold a learner against permuted labels.")
@click.argument("study", metavar="STUDY.toml|STORE")
@asks("chance", ModelRequest)
def chance(study: str, request: ModelRequest) -> None:
    """Say whether a learner of a study does better than on permuted labels. Nothing is kept in the store.

    The plan of the study is run again for every permutation.
    """
    from assay.report import answers

    with closing((found := _opened(study, request)).store):
        permutations, seed = request.permutations or PERMUTATIONS, request.seed or 0
        tested = found.against_chance(
            request.dataset, request.learner, request.measure or "accuracy", permutations=permutations, seed=seed
        )
    put_out(answers.chance(tested), _formatted(request, "table"))


def _formatted(request: ModelRequest, usual: str) -> ModelRequest:
    return request if request.format else request.but({"format": usual})


def _threshold(request: ModelRequest) -> Any:
    """A number, the name of a measure, or costs."""
    from assay.costs import Costs

    if request.cost_fp is not None and request.cost_fn is not None:
        return Costs(fp=request.cost_fp, fn=request.cost_fn)
    try:
        return None if request.threshold is None else float(request.threshold)
    except ValueError:
        return request.threshold
