"""`assay threshold FILE`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import asks, put_out, source_of
from assay.cli.evaluate import narrate
from assay.errors import AssayError, OptionError
from assay.request import Request

if TYPE_CHECKING:
    from assay.decisions import Constraint, ThresholdChoice
    from assay.evaluation import Evaluation
    from assay.report.answers import Chosen

__all__ = ["command"]


@click.command("threshold", short_help="Say which threshold to use under which costs.")
@click.argument("file", metavar="FILE")
@asks("threshold")
def command(file: str, request: Request) -> None:
    """Say which threshold to use for the scores in FILE, what it is worth on new cases, and how sure its place is.

    Best for costs (--cost-fp 1 --cost-fn 10), or for a measure (--maximise f1), under demands (--at-least
    specificity=0.9). --threshold says which one is in use now, to see what costs it implies.
    """
    from assay.evaluation import evaluated
    from assay.report import answers

    choose = _chooser(request)
    models = evaluated(source_of(file), request)
    if not request.quiet:
        narrate(models)
    chosen = {name: _chosen(ev, choose, request.threshold) for name, ev in models.items()}
    put_out(answers.thresholds(chosen), request)


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


def _chosen(ev: Evaluation, choose: Callable[[Any], ThresholdChoice], in_use: float | None) -> Chosen:
    """The choice for one model, and what the threshold in use implies."""
    from assay.decisions import implied_costs
    from assay.evaluation import TwoClassEvaluation

    if not isinstance(ev, TwoClassEvaluation) or ev.scores is None:
        raise AssayError("there are no scores of two classes; a threshold cuts scores: name their column with --score")
    choice = choose(ev.scores)
    implied = None if in_use is None else implied_costs(ev.scores, in_use, prevalence=choice.prevalence)
    return choice, implied, ev.cautions_about(choice)
