"""`assay threshold FILE`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import asks, source_of, write_out
from assay.cli.evaluate import narrate
from assay.errors import AssayError, OptionError
from assay.request import Request

if TYPE_CHECKING:
    from assay.decisions import Constraint, ThresholdChoice
    from assay.evaluation import Evaluation

__all__ = ["command"]

SCHEMA = "assay.threshold/1"
WIDTH = 100


@click.command("threshold", short_help="Say which threshold to use under which costs.")
@click.argument("file", metavar="FILE")
@asks("threshold")
def command(file: str, request: Request) -> None:
    """Say which threshold to use for the scores in FILE, what it is worth on new cases, and how sure its place is.

    Best for costs (--cost-fp 1 --cost-fn 10), or for a measure (--maximise f1), under demands (--at-least
    specificity=0.9). --threshold says which one is in use now, to see what costs it implies.
    """
    from assay.evaluation import evaluated

    choose = _chooser(request)
    models = evaluated(source_of(file), request)
    if not request.quiet:
        narrate(models)
    record = {name: _answer(ev, choose, request.threshold) for name, ev in models.items()}
    renderer = {"table": _text, "json": _json, "csv": _csv, "markdown": _markdown}[request.format]
    write_out(renderer(record), request.output)


def _chooser(request: Request) -> Callable[[Any], ThresholdChoice]:
    """What was asked for, checked before a file is read."""
    from assay.costs import Costs
    from assay.decisions import choose_threshold, criterion_of

    constraints = tuple(_demands(request))
    if not constraints and request.cost_fp is None and request.maximise is None:
        raise OptionError(
            "it is not said what the threshold is to be best for",
            "--cost-fp 1 --cost-fn 10, or --maximise f1, or --at-least specificity=0.9",
        )
    costs = None
    if request.cost_fp is not None and request.cost_fn is not None:
        wrong, right = (request.cost_fp, request.cost_fn), (request.cost_tp, request.cost_tn)
        costs = Costs(fp=wrong[0], fn=wrong[1], tp=right[0], tn=right[1], acquisition=request.acquisition)
    if costs is not None or request.maximise is not None:
        criterion_of(request.maximise, costs, request.prevalence)
    return lambda table: choose_threshold(
        table,
        request.maximise,
        costs=costs,
        prevalence=request.prevalence,
        constraint=constraints,
        level=request.level_used,
        seed=request.seed_used,
    )


def _demands(request: Request) -> list[Constraint]:
    from assay.decisions import at_least, at_most, at_most_flagged

    sure = request.confidence
    found = [at_least(*_bound(text, "at_least"), confidence=sure) for text in request.at_least]
    found += [at_most(*_bound(text, "at_most"), confidence=sure) for text in request.at_most]
    if request.at_most_flagged is not None and request.per is not None:
        found.append(at_most_flagged(request.at_most_flagged, request.per, confidence=sure))
    return found


def _bound(text: str, option: str) -> tuple[str, float]:
    """A measure and its bound from `specificity=0.9`."""
    try:
        name, number = text.split("=")
        return name, float(number)
    except ValueError:
        found = f"{option} is {text!r}"
        raise OptionError(found, "a measure and its bound", {option: "specificity=0.9"}, about=option) from None


def _answer(ev: Evaluation, choose: Callable[[Any], ThresholdChoice], in_use: float | None) -> dict[str, Any]:
    """The choice for one model, and what the threshold in use implies."""
    from assay.decisions import implied_costs
    from assay.evaluation import TwoClassEvaluation

    if not isinstance(ev, TwoClassEvaluation) or ev.scores is None:
        raise AssayError("there are no scores of two classes; a threshold cuts scores: name their column with --score")
    choice = choose(ev.scores)
    implied = None if in_use is None else implied_costs(ev.scores, in_use, prevalence=choice.prevalence)
    return {"choice": choice, "in_use": implied, "cautions": ev.cautions_about(choice)}


def _text(record: Mapping[str, dict[str, Any]]) -> str:
    from assay.plots.words import visible

    parts = []
    for name, answer in record.items():
        lines = [name] if len(record) > 1 else []
        said = [*answer["choice"].words().splitlines(), *_about(answer["in_use"]), *map(repr, answer["cautions"])]
        wrapped = ("\n".join(textwrap.wrap(visible(line), WIDTH, subsequent_indent="  ")) for line in said)
        parts.append("\n".join([*map(visible, lines), *wrapped]))
    return "\n\n".join(parts)


def _about(implied: Any) -> list[str]:
    return [] if implied is None else [f"The threshold in use, {implied.threshold:.6g}, is {implied}."]


def _json(record: Mapping[str, dict[str, Any]]) -> str:
    models = {
        name: {
            **answer["choice"].to_dict(),
            "in_use": None if answer["in_use"] is None else answer["in_use"].to_dict(),
            "cautions": [caution.to_dict() for caution in answer["cautions"]],
        }
        for name, answer in record.items()
    }
    whole = next(iter(models.values())) if len(models) == 1 else {"models": models}
    return json.dumps({"schema": SCHEMA, **whole}, indent=2, allow_nan=False)


def _csv(record: Mapping[str, dict[str, Any]]) -> str:
    from assay.results import csv_text

    rows = (
        ("" if len(record) == 1 else name, quantity, value)
        for name, answer in record.items()
        for quantity, value in answer["choice"].table().rows()
    )
    return csv_text(("model", "quantity", "value"), rows)


def _markdown(record: Mapping[str, dict[str, Any]]) -> str:
    from assay.report import markdown_text, table_markdown

    parts = []
    for name, answer in record.items():
        parts += [f"### {markdown_text(name)}"] if len(record) > 1 else []
        parts += [markdown_text(answer["choice"].words().splitlines()[0]), table_markdown(answer["choice"].table())]
    return "\n\n".join(parts)
