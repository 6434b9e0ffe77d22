"""`assay check FILE --require REQUIREMENT`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from assay.cli._console import give_up_printing, tell
from assay.cli._options import asks, put_out, refuse_overwritten, source_of
from assay.cli.evaluate import narrate
from assay.errors import OptionError
from assay.request import LogRequest, Request

if TYPE_CHECKING:
    from assay.report.answers import Answer
    from assay.testing import Outcome

__all__ = ["command"]

GATE_FAILED, NOT_SURE, NOT_JUDGED = 1, 4, 5


@click.command("check", short_help="Check requirements; fail where predictions do not meet them.")
@click.argument("file", metavar="FILE")
@asks("check")
@asks("check", LogRequest, "log")
def command(file: str, request: Request, log: LogRequest) -> None:
    """Check requirements, and fail where the predictions in FILE do not meet them.

    \b
    --require 'roc_auc >= 0.80'                        all of the interval must be at least 0.80
    --require 'recall.low > 0.7 and brier < 0.1'       .low, .value or .high: one number; both must be met
    --require 'delta(roc_auc, base.csv) >= -0.01'      difference from another classifier, same cases
    --require 'recall["spam"] >= 0.9'                  one class against the rest
    --require 'roc_auc in "north" >= 0.75' --by site   one subgroup
    --require 'accuracy >= 0.85' --power-for 0.03      power: how often a true 0.82 fails
    --stream --reference 0.1 --margin 0.02             an error rate of at most 0.12 at every look, rows in order

    A measure passes if its whole interval meets the bound, fails if no part of it does, and is inconclusive
    otherwise. It is not evaluated where the measure or its interval is undefined. A stream fails after an alarm
    (its error exceeds the reference by more than --margin, 0.02 by default) and passes where all limits
    of its error rate meet that bound. Exit code 0: passed or inconclusive; 1: failed; 4: inconclusive, with --strict;
    5: not evaluated.

    FILE may also be the log of a language-model evaluation, whose measure is score: limits are one-sided, and the power
    of the gate is shown with its verdict.

    \b
    --require 'delta(score, old.eval) >= -0.02'        the same items, another run
    """
    from assay.cli._logs import check_log, is_about_logs
    from assay.report import answers
    from assay.testing import Gate, gate_powers, parse

    is_log = is_about_logs([file], log)
    if not (request.require or request.stream):
        example = "score >= 0.80" if is_log else "roc_auc >= 0.80"
        raise OptionError("no requirement is given", "at least one", {"require": example})
    if is_log:
        outcomes, answer = check_log(file, request, log)
        _print_and_exit(answer, outcomes, request)
        return
    if request.margin is not None and not request.stream:
        raise OptionError("margin is given without stream", options={"stream": True}, about=("margin", "stream"))
    requirements = [parse(text) for text in request.require]
    asked = (demand.quantity for requirement in requirements for demand in requirement.demands)
    refuse_overwritten(request, [each.base for each in asked if each.base is not None])
    gate = Gate.asked(source_of(file), request)
    gate.refuse_unused(requirements)
    if not request.quiet:
        narrate(gate.models)
    outcomes = [outcome for requirement in requirements for outcome in gate.check(requirement)]
    outcomes += gate.check_stream() if request.stream else []
    powers = [] if request.power_for is None else gate_powers(outcomes, request.power_for)
    source = next(iter(gate.models.values())).source
    _print_and_exit(answers.gates(outcomes, source, strict=request.strict, powers=powers), outcomes, request)


def _print_and_exit(answer: Answer, outcomes: Sequence[Outcome], request: Request) -> None:
    """Print the outcomes, and exit with the code that they come to."""
    from assay.report import answers
    from assay.testing import status_of

    _print_answer(answer, request)
    if request.output is not None and not request.quiet:
        tell(answers.summary(outcomes))
    unsure = NOT_SURE if request.strict else 0
    status = status_of(outcome.status for outcome in outcomes)
    sys.exit({"pass": 0, "fail": GATE_FAILED, "unjudged": NOT_JUDGED, "inconclusive": unsure}[status])


def _print_answer(answer: Answer, request: Request) -> None:
    try:
        put_out(answer, request)
    except BrokenPipeError:
        # The reader has gone, but a gate answers with its exit code: that must not become 0.
        give_up_printing()
