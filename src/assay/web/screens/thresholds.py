"""The studio: which threshold costs, capacities and demands ask for, as `assay threshold` says it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.decisions import ThresholdChoice, chooser, demands
from assay.errors import InputError, OptionError
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.request import Request
from assay.web.evaluations import Read, read
from assay.web.messages import Answer, Asked, Route, found, json_of
from assay.web.pages import call, item_said, model_of, python_of, typed
from assay.web.workbench import Opened, Workbench

__all__ = ["ROUTES", "threshold_python"]

NUMBERS = ("cost_fp", "cost_fn", "cost_tp", "cost_tn", "prevalence", "at_most_flagged", "per", "confidence")
TEXTS = ("maximise",)
SEVERAL = ("at_least", "at_most")


def threshold(workbench: Workbench, asked: Asked) -> Answer:
    """The threshold that was asked for, what it is worth, and the code that finds it too."""
    opened = workbench.listing.find(asked.name("id"))
    told = asked.told
    held: Read = read(workbench, opened).result()
    models: Mapping[str, Evaluation] = held.models or {}
    name = str(told.get("model", next(iter(models), "")))
    ev: Evaluation = found(models, name, "model")
    if not isinstance(ev, TwoClassEvaluation) or ev.scores is None:
        raise InputError("no scores of two classes", "a score column: thresholds apply to scores")
    said = _typed_options({key: value for key, value in told.items() if key != "model"})
    request = Request.of({**said, "level": ev.level, "seed": ev.seed})
    choice = chooser(request)(ev.scores)
    python = threshold_python(opened, len(models), name, said)
    step = {**item_said(opened, len(models)), "model": name, "asked": said}
    workbench.listing.note(opened.id, "threshold", step)
    return json_of(
        {
            "threshold": choice.threshold if math.isfinite(choice.threshold) else None,
            "words": choice.words().splitlines(),
            "cautions": [f"{one.code} {one.message}" for one in ev.threshold_cautions(choice)],
            "ratio": _cost_ratio(choice),
            "python": f"import assay\n\n{python_of(opened, len(models))}\n{python}",
            "command": _command_line(opened, said),
        }
    )


def _typed_options(told: dict[str, Any]) -> dict[str, Any]:
    """What was typed, as options: what is empty is not said."""
    said: dict[str, Any] = {}
    for name, value in told.items():
        if name not in (*NUMBERS, *TEXTS, *SEVERAL):
            raise OptionError(f"{str(name)[:60]!r} is not an option of thresholds", "costs, a measure or requirements")
        if value in (None, "", []):
            continue
        if name in NUMBERS and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise OptionError(f"invalid {name} {str(value)[:40]!r}", "a number", about=name)
        said[name] = tuple(map(str, value)) if name in SEVERAL else float(value) if name in NUMBERS else str(value)
    return said


def _cost_ratio(choice: ThresholdChoice) -> float | None:
    """How many false alarms a miss is worth under these costs, where the page can show that."""
    costs = choice.costs
    if costs is None:
        return None
    alarm, miss = costs.fp - costs.tn, costs.fn - costs.tp
    return miss / alarm if alarm > 0 and miss > 0 else None


def threshold_python(opened: Opened, models: int, name: str, asked: dict[str, Any]) -> str:
    """The same choice in Python, which prints what it says."""
    request = Request.of(_typed_options(asked))
    options: dict[str, Any] = {}
    lines = []
    costs = {key: getattr(request, f"cost_{key}") for key in ("fp", "fn", "tp", "tn")}
    if costs["fp"] is not None:
        written = ", ".join(f"{key}={value:g}" for key, value in costs.items() if value or key in ("fp", "fn"))
        options["costs"] = _Written(f"assay.Costs({written})")
    if request.prevalence is not None:
        options["prevalence"] = request.prevalence
    limits = [_demand_words(each, request.confidence) for each in demands(request)]
    if limits:
        lines.append("from assay.decisions import at_least, at_most")
        options["constraint"] = _Written(f"[{', '.join(limits)}]")
    given = [] if request.maximise is None else [request.maximise]
    lines.append(f"print({call(f'{model_of(opened, models, name)}.threshold', *given, **options)}.words())")
    return "\n".join(lines)


def _demand_words(demand: Any, confidence: float | None) -> str:
    sure = {} if confidence is None else {"confidence": confidence}
    return call("at_least" if demand.sense == "at least" else "at_most", demand.measure.name, demand.bound, **sure)


class _Written(str):
    """Python that is written already."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _command_line(opened: Opened, said: dict[str, Any]) -> str:
    if opened.kind != "file":
        return "# for a single file: assay threshold FILE"
    return typed("threshold", opened.name, **{**opened.options, **said})


ROUTES = (Route("POST", "/api/result/{id}/threshold", threshold),)
