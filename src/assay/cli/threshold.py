"""`assay threshold FILE`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import CHOICES, source_options, write_out
from assay.cli.evaluate import narrate
from assay.errors import AssayError, InputError

if TYPE_CHECKING:
    from assay.decisions import Constraint, ThresholdChoice
    from assay.evaluation import Evaluation

__all__ = ["command"]

FORMATS = ("table", "json", "csv", "markdown")
COSTS = ("cost_fp", "cost_fn", "cost_tp", "cost_tn", "acquisition")
SCHEMA = "assay.threshold/1"
WIDTH = 100


@click.command("threshold", short_help="Say which threshold to use under which costs.")
@click.argument("file", metavar="FILE")
@source_options
@click.option("--cost-fp", type=float, help="What a false alarm costs.")
@click.option("--cost-fn", type=float, help="What a miss costs.")
@click.option("--cost-tp", type=float, default=0.0, help="What a positive found costs; negative if it earns.")
@click.option("--cost-tn", type=float, default=0.0, help="What a negative left alone costs.")
@click.option("--acquisition", type=float, default=0.0, help="What it costs to get a case's inputs at all.")
@click.option("--prevalence", type=float, help="Share of positives where it will be used. [default: as in FILE]")
@click.option("--maximise", metavar="MEASURE", help="Make a measure the best: f1, youden, closest, accuracy, ...")
@click.option("--at-least", multiple=True, metavar="MEASURE=BOUND", help="Demand it, such as specificity=0.9; again.")
@click.option(
    "--at-most", multiple=True, metavar="MEASURE=BOUND", help="Demand it, such as fpr=0.05; again for another."
)
@click.option("--at-most-flagged", type=float, metavar="N", help="Call at most N cases positive of those in --per.")
@click.option("--per", type=float, metavar="CASES", help="How many cases there are when N may be flagged.")
@click.option("--confidence", type=float, help="How sure the demands must be met on new cases, such as 0.95.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--output", type=click.Path(path_type=Path), help="Write there instead of to the screen.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of what is simulated.")
@click.option("--quiet", is_flag=True, help="Do not say what was inferred.")
def command(file: str, form: str, as_json: bool, output: Path | None, quiet: bool, **options: Any) -> None:
    """Say which threshold to use for the scores in FILE, what it is worth on new cases, and how sure its place is.

    Best for costs (--cost-fp 1 --cost-fn 10), or for a measure (--maximise f1), under demands (--at-least
    specificity=0.9). --threshold says which one is in use now, to see what costs it implies.
    """
    from assay.evaluation import evaluate_models

    in_use = options.pop("threshold")
    asked = {name: options.pop(name) for name in ("maximise", "at_least", "at_most", "at_most_flagged", "per")}
    asked |= {name: options.pop(name) for name in (*COSTS, "prevalence", "confidence")}
    chosen = {name: options.pop(name) for name in CHOICES if name != "threshold"}
    choose = _chooser(asked, level=options["level"], seed=options["seed"])
    models = evaluate_models(file if file == "-" else Path(file), threshold=in_use, **options, **chosen)
    if not quiet:
        narrate(models)
    record = {name: _answer(ev, choose, in_use) for name, ev in models.items()}
    renderer = {"table": _text, "json": _json, "csv": _csv, "markdown": _markdown}["json" if as_json else form]
    write_out(renderer(record), output)


def _chooser(asked: Mapping[str, Any], *, level: float, seed: int) -> Callable[[Any], ThresholdChoice]:
    """What was asked for, checked before a file is read."""
    from assay.costs import Costs
    from assay.decisions import choose_threshold, criterion_of

    cells = {"fp": asked["cost_fp"], "fn": asked["cost_fn"], "tp": asked["cost_tp"], "tn": asked["cost_tn"]}
    given = cells["fp"] is not None or cells["fn"] is not None
    if given and None in cells.values():
        raise click.UsageError("a false alarm and a miss both need a cost: --cost-fp 1 --cost-fn 10")
    constraints = tuple(_demands(asked))
    if not constraints and not given and asked["maximise"] is None:
        raise click.UsageError(
            "best for what? type --cost-fp 1 --cost-fn 10, or --maximise f1, or --at-least specificity=0.9"
        )
    prevalence = asked["prevalence"]
    if prevalence is not None and not 0 < prevalence < 1:
        raise click.UsageError(f"--prevalence is {prevalence:g}; a share between 0 and 1 is needed")
    try:
        costs = Costs(**cells, acquisition=asked["acquisition"]) if given else None
        if costs is not None or asked["maximise"] is not None:
            criterion_of(asked["maximise"], costs, prevalence)
    except InputError as error:
        raise click.UsageError(error.for_command_line()) from None
    return lambda table: choose_threshold(
        table, asked["maximise"], costs=costs, prevalence=prevalence, constraint=constraints, level=level, seed=seed
    )


def _demands(asked: Mapping[str, Any]) -> list[Constraint]:
    from assay.decisions import at_least, at_most, at_most_flagged

    sure = asked["confidence"]
    found = []
    try:
        for name, make in (("at_least", at_least), ("at_most", at_most)):
            found += [make(*_bound(text, name), confidence=sure) for text in asked[name]]
        if asked["at_most_flagged"] is not None:
            if asked["per"] is None:
                raise click.UsageError("--at-most-flagged needs --per, the number of cases they are flagged among")
            found.append(at_most_flagged(asked["at_most_flagged"], asked["per"], confidence=sure))
    except InputError as error:
        raise click.UsageError(error.for_command_line()) from None
    return found


def _bound(text: str, option: str) -> tuple[str, float]:
    """A measure and its bound from `specificity=0.9`."""
    try:
        name, number = text.split("=")
        return name, float(number)
    except ValueError:
        flag = "--" + option.replace("_", "-")
        raise click.UsageError(f"{flag} {text} names no bound; type {flag} specificity=0.9") from None


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
