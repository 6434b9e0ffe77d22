"""Commands on the logs of language-model evaluations, which are recognised by what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli._options import put_out, refuse_overwritten
from assay.errors import OptionError
from assay.request import LogRequest, Request

if TYPE_CHECKING:
    from assay.report.answers import Answer
    from assay.testing import Outcome

SHOWN = ("level", "format", "output", "html", "quiet")
# The columns of a table that is read as a log, by the options that name them.
COLUMNS = {"item": "item", "repeat": "repeat"}


def is_about_logs(files: Sequence[str], log: LogRequest) -> bool:
    """Whether a command is about logs: its files are, or the column of the items is named."""
    from assay.sources.logs import is_log

    if log.item is not None or log.judge is not None or all(map(is_log, files)):
        return True
    for name in log.given:
        other = next(file for file in files if not is_log(file))
        found = f"{name} applies to logs, but {Path(other).name!r} is not a recognized log"
        raise OptionError(found, "a log, or a table with a column of items", {"item": "id"}, about=name)
    return False


def evaluate_log(file: str, request: Request, log: LogRequest) -> None:
    """Print the mean scores in a log."""
    if log.judge is not None:
        _evaluate_judge(file, request, log)
        return
    from assay.sources.logs import BATTLES, kind_of_file

    if log.item is None and kind_of_file(file) is BATTLES:
        _evaluate_battles(file, request, log)
        return
    from assay.items import evaluate_items
    from assay.report.pages.items import items_answer, render_items

    choice = chosen(request, log)
    found = evaluate_items(Path(file), at=log.at, majority=log.majority, level=request.level_used, **choice)
    put_out(items_answer(found), request, html=partial(render_items, found))


def _evaluate_battles(file: str, request: Request, log: LogRequest) -> None:
    """Print the strengths of models by their battles."""
    from assay.items import evaluate_battles
    from assay.report.pages.items import battles_answer, render_battles

    request.only((*SHOWN, "cluster"), "beside battles")
    log.only((), "beside battles")
    found = evaluate_battles(Path(file), level=request.level_used, question=request.cluster)
    put_out(battles_answer(found), request, html=partial(render_battles, found))


def _evaluate_judge(file: str, request: Request, log: LogRequest) -> None:
    """Print the share that passes by a judge, with its errors in it."""
    from assay.items import evaluate_judge
    from assay.report.pages.items import judge_answer, render_judge

    request.only((*SHOWN, "by"), "beside judge")
    log.only(("judge", "human", "sensitivity", "specificity"), "beside judge")
    assert log.judge is not None
    rates = {"sensitivity": log.sensitivity, "specificity": log.specificity}
    found = evaluate_judge(
        Path(file), judge=log.judge, human=log.human, model=request.by, level=request.level_used, **rates
    )  # fmt: skip
    put_out(judge_answer(found), request, html=partial(render_judge, found))


def compare_logs(files: Sequence[str], request: Request, log: LogRequest) -> None:
    """Print the differences of the models in some logs, on the same items."""
    from assay.items import compare_items
    from assay.report.pages.items import comparison_answer, render_comparison

    for name in ("at", "majority"):
        if len(getattr(log, name)) > 1:
            raise OptionError(f"{name} has several numbers", "one, where models are compared", about=name)
    if request.missing == "drop":
        raise OptionError("missing is 'drop' beside a log", options={"missing": "pairwise"}, about="missing")
    numbers: dict[str, Any] = {name: next(iter(getattr(log, name)), None) for name in ("at", "majority")}
    choice = chosen(request, log, "margin", "missing")
    options: dict[str, Any] = {"missing": request.missing, "margin": request.margin, "level": request.level_used}
    found = compare_items(*map(Path, files), **numbers, **options, **choice)
    put_out(comparison_answer(found), request, html=partial(render_comparison, found))


def check_log(file: str, request: Request, log: LogRequest) -> tuple[list[Outcome], Answer]:
    """Check requirements of a log: the outcomes, and the answer to print."""
    from assay.report import answers
    from assay.testing.item_gate import ItemGate, parse_of_items

    requirements = [parse_of_items(text) for text in request.require]
    bases = [demand.quantity.base for each in requirements for demand in each.demands if demand.quantity.base]
    refuse_overwritten(request, bases)
    if log.aa and not bases:
        raise OptionError("aa is given and no requirement compares with a base", "delta(score, FILE)", about="aa")
    if request.power_for is not None and not bases:
        found = "power_for is given and no requirement of the log compares with a base"
        raise OptionError(found, "delta(score, FILE)", about="power_for")
    choice = chosen(request, log, "require", "strict", "power_for", "missing")
    asked: dict[str, Any] = {"worse": request.power_for, "aa": log.aa, "missing": request.missing}
    gate = ItemGate.of(Path(file), level=request.level_used, **asked, **choice)
    outcomes = [gate.check(requirement) for requirement in requirements]
    return outcomes, answers.gates(outcomes, gate.source, strict=request.strict)


def chosen(request: Request, log: LogRequest, *more: str) -> dict[str, Any]:
    """What is chosen of a log; options of predictions that change nothing there are refused."""
    of_table = ("score", "model") if log.item is not None else ()
    request.only((*SHOWN, "cluster", *of_table, *more), "for a log")
    if log.item is not None and not request.score:
        raise OptionError("item is given without score", options={"score": "correct"}, about=("item", "score"))
    columns = {role: getattr(log, role) for role in COLUMNS if getattr(log, role) is not None}
    columns |= {} if log.item is None else {"score": list(request.score)}
    columns |= {} if request.model is None else {"model": request.model}
    names = ("scorer", "filter", "task", "range", "partial")
    return {name: getattr(log, name) for name in names} | {"cluster": request.cluster, "columns": columns or None}
