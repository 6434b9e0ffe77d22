"""Nothing that is given is ignored: every option, given alone to every entry point for every kind of source, changes
the answer or is refused by its name. What rightly changes nothing somewhere is said in the Request, which is read."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.front.samples import Given, sources_of_one, sources_of_two, value_for

import assay
from assay.errors import AssayError
from assay.evaluation import Comparison, Evaluation
from assay.request import Request
from assay.testing import Gate, assert_better, assert_measure, parse

OPTIONS = list(Request.options())
MEASURES = ("accuracy", "kappa", "roc_auc", "brier", "multiclass_brier")


def of_evaluation(ev: Evaluation) -> Any:
    """What an evaluation answers with, in every respect that an option can concern."""
    rows = ev.predictions
    ids = None if rows is None or rows.id is None else rows.id.tolist()
    found = [ev.estimate(name).to_dict() for name in MEASURES if name in ev.registry]
    parts = list(map(of_evaluation, ev.subgroups.values()))
    return [found, ev.source.to_dict(), ev.classes, repr(rows), ids, parts, dict(ev.card or {})]


def of_comparison(cmp: Comparison) -> Any:
    measures = [cmp.to_dict(name) for name in ("roc_auc", "f1") if cmp.applies(name)]
    parts = [str(cmp.by_subgroup("brier", *cmp.names[:2]))] if next(iter(cmp.models.values())).subgroups else []
    return [measures, parts, [of_evaluation(ev) for ev in cmp.models.values()]]


def gated(*args: Any, **keywords: Any) -> Any:
    gate = Gate.of(*args, **keywords)
    where = ' in "north"' if "by" in keywords else ""
    asked = [f"{measure}{where} > 0.5" for measure in ("accuracy", "kappa", *found_by_all(gate, "f1", "roc_auc"))]
    if "id" in keywords:
        gate.refuse_unused([parse(each) for each in asked])
    return [[outcome.to_dict() for outcome in gate.check(each)] for each in asked]


def found_by_all(gate: Gate, *names: str) -> list[str]:
    return [name for name in names if all(name in ev.registry for ev in gate.models.values())]


def asserted(data: Any, *, y_score: Any = None, **keywords: Any) -> Any:
    where = ' in "north"' if "by" in keywords else ""
    bounds = {"accuracy": 0.05, "kappa": -1.0} | ({} if "y_proba" in keywords else {"roc_auc": 0.0})
    bounds |= {"f1": 0.0} if "y_pred" in keywords and "y_proba" not in keywords else {}
    if keywords.get("strict") and "require" not in keywords:
        said = {name: value for name, value in keywords.items() if name != "strict"}
        bounds = {"accuracy": assay.evaluate(data, y_score, **said).accuracy.value}
    named = " and ".join(f"{name}{where} > {bound}" for name, bound in bounds.items())
    return assert_measure(data, y_score, named, **keywords).to_dict()


def better(data: Any, *, y_score: Any = None, **keywords: Any) -> Any:
    good, poor = y_score.values() if isinstance(y_score, Mapping) else (y_score, y_score)
    measured: dict[str, Any] = {"measure": "f1"} if keywords.keys() & {"seed", "threshold"} else {}
    if keywords.get("strict"):
        poor = good
    return assert_better(data, good, poor, **measured, **{"strict": False, **keywords}).to_dict()


OF_ONE: dict[str, Callable[..., Any]] = {
    "evaluate": lambda *args, **keywords: of_evaluation(assay.evaluate(*args, **keywords)),
    "evaluate_models": lambda *args, **keywords: [
        of_evaluation(ev) for ev in assay.evaluate_models(*args, **keywords).values()
    ],
    "Gate.of": gated,
    "assert_measure": asserted,
}
OF_TWO: dict[str, Callable[..., Any]] = {
    "compare": lambda *args, **keywords: of_comparison(assay.compare(*args, **keywords)),
    "evaluate_models": lambda *args, **keywords: OF_ONE["evaluate_models"](*args, **keywords),
    "assert_better": better,
}


def answered(call: Callable[..., Any], given: Given, extra: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether there was an answer, and the answer or the refusal in full."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return True, json.dumps(call(given.data, **{**given.keywords, **extra}), default=str, sort_keys=True)
        except AssayError as error:
            return False, str(error)
        except AssertionError as failed:
            return True, str(failed)


def ignored(call: Callable[..., Any], entry: str, source: str, given: Given, option: str) -> str | None:
    """What is wrong with an option in one place, if anything is."""
    kind, where = source.split()[0], f"{entry} of {source}: {option}"
    without = {name: held for name, held in given.keywords.items() if name != option}
    value = value_for(option, source)
    if call in OF_TWO.values() and option in ("y_score", "y_pred", "y_proba"):
        value = {"good": value, "poor": value[::-1]}
    accepted, said = answered(call, Given(given.data, without), {option: value})
    if not accepted:
        return None if option in said else f"{where} is refused without its name: {said}"
    if {kind, source} & Request.options()[option].idle.keys():
        return None
    same = said == answered(call, Given(given.data, without), {})[1]
    return f"{where} is ignored" if same else None


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_counts_or_is_refused_by_name(option: str, tmp_path: Path) -> None:
    wrong = [
        ignored(call, entry, source, given, option)
        for entry, call in OF_ONE.items()
        for source, given in sources_of_one(tmp_path, option).items()
    ]
    wrong += [
        ignored(call, entry, source, given, option)
        for entry, call in OF_TWO.items()
        for source, given in sources_of_two(tmp_path, option).items()
        if entry != "assert_better" or source == "arrays"
        if entry != "evaluate_models" or source not in ("files", "evaluations")
    ]
    assert [each for each in wrong if each is not None] == []
