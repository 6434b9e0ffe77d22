"""`assay compare FILE...`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from assay.cli._console import tell
from assay.cli._options import asks, put_out, source_of
from assay.cli.evaluate import narrate, roles_of
from assay.errors import OptionError, UnknownName
from assay.request import LogRequest, Request

if TYPE_CHECKING:
    from assay.evaluation import Comparison, Evaluation, HowJudged, PairwiseComparison, UnpairedComparison

__all__ = ["command"]

BY_NAME = ("method", "alternative", "non_inferior")
# What a test that shows no difference of a measure cannot use.
OF_MEASURES = ("measure", "alternative", "non_inferior", "margin", "level", "html")


@click.command("compare", short_help="Compare classifiers: differences with intervals and tests.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@asks("compare")
@asks("compare", LogRequest, "log")
def command(files: Sequence[str], request: Request, log: LogRequest) -> None:
    """Compare classifiers on the same cases: differences of measures with intervals and tests.

    One FILE has several score columns (score__<model>) or a column of model names; several FILEs have one model each
    and are joined by the column id; with --unpaired they have different cases. Differences are first minus second.
    A --method is used wherever it can be computed, with a caution where its assumptions are doubtful.

    FILEs may also be logs of language-model evaluations, or folders of logs: models on the same items.
    """
    from assay.cli._logs import compare_logs, is_about_logs

    if is_about_logs(files, log):
        compare_logs(files, request, log)
        return
    from assay.evaluation import Comparison, UnpairedComparison
    from assay.report import Compared, answers, render_html

    if request.labelled is not None:
        _put_out_sampled(files, request)
        return
    test = _named_test(request)
    cmp = _unpaired_comparison(files, request) if request.unpaired else _paired_comparison(files, request)
    measures = _requested_measures(cmp, request.measure) if test is None else []
    _refuse_unknown_control(cmp, request.control)
    if not request.quiet and isinstance(cmp, Comparison):
        _print_remarks(cmp)
    if test is not None:
        source = next(iter(cmp.models.values())).source
        put_out(answers.tested(cmp.tests.by_name(test, control=request.control), source, cmp.n), request)
        return
    if isinstance(cmp, UnpairedComparison):
        said: HowJudged = {"margin": request.margin, "control": request.control, **_named_test_options(request)}
        put_out(answers.unpaired(cmp, measures, said), request)
        return
    asked = Compared(cmp, tuple(measures), margin=request.margin, control=request.control)
    page = partial(render_html, cmp.models, asked, embed_rows=request.embed_rows)
    put_out(answers.comparison(asked, _named_test_options(request)), request, html=page)


# What a comparison from labels of a sample uses.
WITH_LABELS = (
    *("labelled", "score", "id", "truth", "positive", "threshold", "level", "seed"),
    *("measure", "format", "output", "quiet"),
)


def _put_out_sampled(files: Sequence[str], request: Request) -> None:
    """Two models of the same rows, of which a sample is labelled."""
    from assay.evaluation import compare_sampled
    from assay.report.pages.sampled import sampled_comparison_answer

    request.only(WITH_LABELS, "beside labelled")
    if len(files) != 1:
        raise OptionError(f"labelled is given and there are {len(files)} files", "one, with both scores")
    found = compare_sampled(source_of(files[0]), request)
    if not request.quiet:
        first = next(iter(found.models.values()))
        tell(f"Positive class: {first.positive}; {first.labelled!r}.")
    put_out(sampled_comparison_answer(found), request)


def _paired_comparison(files: Sequence[str], request: Request) -> Comparison:
    """Several models on the same cases."""
    from assay.evaluation import compared

    data: Any = source_of(files[0]) if len(files) == 1 else list(files)
    return compared(data, request.replace({"keep_ids": True}) if request.embed_rows else request)


def _named_test(request: Request) -> str | None:
    """The test that was asked for by its name, where it is one of whole curves or answers and of no measure."""
    from assay.evaluation import named_test

    found = None if request.method is None else named_test(request.method)
    for name in OF_MEASURES if found is not None else ():
        if name in request.given:
            said = f"{name} does not apply to method {request.method!r}, a test with only a p-value"
            raise OptionError(said, "only one of them", about=(name, "method"))
    return found


def _named_test_options(request: Request) -> HowJudged:
    """What was asked for by name, which a page does not show."""
    said = {name: getattr(request, name) for name in BY_NAME if name in request.given}
    if said and request.html is not None:
        found = f"{next(iter(said))} cannot be combined with html"
        raise OptionError(found, "only one of them: a page shows the default tests", about=(next(iter(said)), "html"))
    return cast("HowJudged", said)


def _unpaired_comparison(files: Sequence[str], request: Request) -> UnpairedComparison:
    """Samples of other cases."""
    from assay.evaluation import compare_unpaired, evaluated

    if len(files) < 2:
        raise OptionError(
            "unpaired needs several files, but one is given", "at least two files, one sample each", about="unpaired"
        )
    for name in ("id", "by", "html", "embed_rows"):
        if name in request.given:
            raise OptionError(f"{name} cannot be combined with unpaired", "only one of them", about=(name, "unpaired"))
    samples: dict[str, Evaluation] = {}
    for file in files:
        models = evaluated(source_of(file), request)
        if not request.quiet:
            narrate(models)
        stem = Path(file).name.split(".")[0]
        found = {stem if len(models) == 1 else f"{stem} {name}": ev for name, ev in models.items()}
        samples |= {f"{name} ({file})" if name in samples else name: ev for name, ev in found.items()}
    return compare_unpaired(samples, level=request.level_used)


def _requested_measures(cmp: PairwiseComparison, asked: Sequence[str]) -> list[str]:
    found = [cmp.find(name) for name in asked]
    for measure in found:
        for name, ev in cmp.models.items():
            obstacle = ev.reason_unavailable(measure.name)
            if obstacle is not None:
                raise OptionError(f"{measure.title} of {name} cannot be compared: {obstacle}")
    return [measure.name for measure in found]


def _refuse_unknown_control(cmp: PairwiseComparison, control: str | None) -> None:
    if control is not None and control not in cmp.names:
        raise UnknownName(f"there is no {cmp.item} {control!r}", f"one of {', '.join(cmp.names)}")


def _print_remarks(cmp: Comparison) -> None:
    from assay.evaluation import TwoClassEvaluation
    from assay.results import counted

    source = next(iter(cmp.models.values())).source
    models = ", ".join(cmp.names)
    tell(f"Read {source.name}: {counted(cmp.n, 'case')}, models {models}. {roles_of(source)}".rstrip())
    for note in source.remarks:
        tell(f"  {note}")
    if cmp.matched_by != "row":
        tell(f"Cases are matched by {cmp.matched_by}.")
    for name, rows in (cmp.unmatched or {}).items():
        if rows:
            tell(f"Excluded {counted(rows, 'row')} of {name} without a match in the other models.")
    if cmp.shared_cases is not None:
        tell(f"Each model is evaluated on the cases it has: {cmp.shared_cases.words}.")
    if source.dropped:
        tell(f"Excluded {counted(source.dropped, 'row')} with missing values.")
    first = next(iter(cmp.models.values()))
    if isinstance(first, TwoClassEvaluation) and source.positive_inferred:
        tell(f"Positive class: {first.positive}        change: --positive {first.classes[0]}")
