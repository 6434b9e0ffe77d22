"""`assay evaluate FILE`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from assay.cli._console import tell
from assay.cli._options import asks, put_out, put_out_models, source_of
from assay.errors import OptionError
from assay.request import LogRequest, Request

if TYPE_CHECKING:
    from assay.evaluation import Evaluation, SampledEvaluation
    from assay.sources import Source

__all__ = ["command", "narrate", "roles_of"]

# So many columns of one role are named; a file may have one for each of a thousand classes.
MOST_NAMED = 6
MOST_UNUSED = 20


@click.command("evaluate", short_help="Evaluate the predictions in a file, with confidence intervals.")
@click.argument("file", metavar="FILE")
@asks("evaluate")
@asks("evaluate", LogRequest, "log")
def command(file: str, request: Request, log: LogRequest) -> None:
    """Evaluate the predictions in FILE, with confidence intervals.

    FILE is CSV, TSV, Excel, Parquet, Feather, JSON lines, NumPy, ARFF or WEKA's prediction output, with a column of
    true labels and columns of scores, probabilities or predicted labels; - reads standard input. Columns are
    inferred from their names; once you name some, weights, counts, clusters and folds are used only if you name them
    too. --measure roc_auc --method delong shows one measure with a named interval method.

    FILE may also be the log of a language-model evaluation (lm-eval, inspect, promptfoo, human-eval, OpenAI evals,
    MLflow), or a folder of logs; the mean scores are shown, with items as the unit. It may also be a table of battles
    (model_a, model_b, winner), for the strengths of the models.
    """
    from assay.cli._logs import evaluate_log, is_about_logs

    if is_about_logs([file], log):
        evaluate_log(file, request, log)
        return
    from assay.evaluation import SampledEvaluation, evaluated, sampled, takes_sample

    if takes_sample(request):
        ev = sampled(source_of(file), request)
        if isinstance(ev, SampledEvaluation):
            _print_sampled(ev, request)
            return
        request = request.replace({"inclusion": None, "labelled": None, "target": "rows"})
        models: Mapping[str, Evaluation] = {"model": ev}
    else:
        # A page with rows shows them by their ids.
        models = evaluated(source_of(file), request.replace({"keep_ids": True}) if request.embed_rows else request)
    if not request.quiet:
        narrate(models)
    if request.measure:
        _print_estimates(models, request)
        return
    if request.method is not None:
        found = "method is given without measure"
        raise OptionError(found, options={"measure": "roc_auc"}, about=("method", "measure"))
    put_out_models(models, request)


def _print_estimates(models: Mapping[str, Evaluation], request: Request) -> None:
    """Some measures alone, by a method that may be named."""
    from assay.report import answers

    for name in ("style", "full", "html", "embed_rows"):
        if name in request.given:
            raise OptionError(f"{name} cannot be combined with measure", "only one of them", about=(name, "measure"))
    first = next(iter(models.values()))
    measures = [first.find(name).name for name in request.measure]
    put_out(answers.estimates(models, measures, request.method), request)


def _print_sampled(ev: SampledEvaluation, request: Request) -> None:
    """An evaluation of which a sample of the rows is labelled."""
    from assay import report
    from assay.report.pages.sampled import sampled_answer
    from assay.results import counted

    for name in ("method", "style", "costs"):
        if name in request.given:
            raise OptionError(
                f"{name} cannot be combined with inclusion", "only one of them", about=(name, "inclusion")
            )
    if not request.quiet:
        source = ev.source
        tell(f"Read {source.name}: {counted(source.rows, 'row')}. {roles_of(source)}".rstrip())
        tell(f"Positive class: {ev.positive}; {ev.labelled!r}.")
    answer = sampled_answer(ev, request.measure, full=request.full)
    put_out(answer, request, html=lambda: report.sampled_page(ev))


def narrate(models: Mapping[str, Evaluation]) -> None:
    """Say on stderr what was read and what was taken for granted."""
    from assay.evaluation import TwoClassEvaluation
    from assay.results import counted, percent

    first = next(iter(models.values()))
    source = first.source
    noted = f" ({', '.join(source.notes)})" if source.notes else ""
    # Evidence has cases and no rows.
    unit = "case" if source.format == "evidence" else "row"
    tell(f"Read {source.name}{noted}: {counted(source.rows, unit)}. {roles_of(source)}".rstrip())
    for note in source.remarks:
        tell(f"  {note}")
    if source.dropped:
        tell(f"Excluded {counted(source.dropped, 'row')} with missing values.")
    if source.defaulted:
        tell(f"Default class used for {counted(source.defaulted, 'case')} with a missing prediction.")
    if not isinstance(first, TwoClassEvaluation):
        return
    share, size = first.class_shares[first.positive], first.class_counts[first.positive]
    of_what = " of the weight" if first.is_weighted else ""
    line = f"Positive class: {first.positive} ({percent(share)}{of_what}, {counted(size, unit)})"
    if source.positive_inferred:
        line += f"        change: --positive {first.classes[0]}"
    tell(line)


def roles_of(source: Source) -> str:
    """Which column plays which role, and which play none."""
    columns = {**source.columns, **({"id": source.design["id"]} if "id" in source.design else {})}
    said = [f"{'prediction' if role == 'pred' else role}={_column_list(used)}" for role, used in columns.items()]
    unused = tuple(column or "(no name)" for column in source.unused)
    left = [f" not used: {', '.join(unused[:MOST_UNUSED])}{_more_columns_words(unused, MOST_UNUSED)}"] if unused else []
    return "  ".join([*said, *left])


def _more_columns_words(columns: Sequence[str], shown: int) -> str:
    return f" and {len(columns) - shown:,} more" if len(columns) > shown else ""


def _column_list(columns: str | tuple[str, ...]) -> str:
    if isinstance(columns, str):
        return columns
    return ",".join(columns[:MOST_NAMED]) + _more_columns_words(columns, MOST_NAMED)
