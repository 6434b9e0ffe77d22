"""`assay threshold FILE`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import asks, put_out, source_of
from assay.cli.evaluate import narrate
from assay.errors import AssayError
from assay.request import Request

if TYPE_CHECKING:
    from assay.decisions import ThresholdChoice
    from assay.evaluation import Evaluation
    from assay.report.answers import Chosen

__all__ = ["command"]


@click.command("threshold", short_help="Choose a threshold for costs or for a measure.")
@click.argument("file", metavar="FILE")
@asks("threshold")
def command(file: str, request: Request) -> None:
    """Choose a threshold for the scores in FILE, with its expected results on new cases and its interval.

    Optimize costs (--cost-fp 1 --cost-fn 10) or a measure (--maximise f1), subject to bounds (--at-least
    specificity=0.9). --threshold gives the threshold in use now, to see the costs that it implies.
    """
    from assay.decisions import chooser
    from assay.evaluation import evaluated
    from assay.report import answers

    choose = chooser(request)
    models = evaluated(source_of(file), request)
    if not request.quiet:
        narrate(models)
    chosen = {name: _chosen_threshold(ev, choose, request.threshold) for name, ev in models.items()}
    put_out(answers.thresholds(chosen), request)


def _chosen_threshold(ev: Evaluation, choose: Callable[[Any], ThresholdChoice], in_use: float | None) -> Chosen:
    """The choice for one model, and what the threshold in use implies."""
    from assay.decisions import implied_costs
    from assay.evaluation import TwoClassEvaluation

    if not isinstance(ev, TwoClassEvaluation) or ev.scores is None:
        raise AssayError("a threshold needs scores of two classes; give their column with --score")
    choice = choose(ev.scores)
    implied = None if in_use is None else implied_costs(ev.scores, in_use, prevalence=choice.prevalence)
    return choice, implied, ev.threshold_cautions(choice)
