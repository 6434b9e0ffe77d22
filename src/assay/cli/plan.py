"""`assay plan MEASURE VALUE [OTHER]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import asks, put_out, source_of
from assay.errors import OptionError
from assay.request import PlanRequest

if TYPE_CHECKING:
    from assay.comparison.power import SamplePlan
    from assay.measures import Measure
    from assay.report.answers import Answer

__all__ = ["command"]

HALF_WIDTH = 0.05
OWN = {True: "different cases", False: "the same cases"}


@click.command("plan", short_help="Sample-size planning.")
@click.argument("measure")
@click.argument("given", nargs=-1, metavar="[VALUE [OTHER]]")
@asks("plan", PlanRequest)
def command(measure: str, given: tuple[str, ...], request: PlanRequest) -> None:
    """Plan the sample size: the number of cases for an interval, a test or a comparison.

    \b
    assay plan accuracy 0.9 --half-width 0.02            for an interval of that half-width
    assay plan accuracy 0.9 0.87 --disagreement 0.1      for a test of two classifiers on the same cases
    assay plan auc 0.85 --prevalence 0.02 --method binormal   for the interval of an AUC, normal scores
    assay plan auc 0.85 0.80 --prevalence 0.1            for a test of two AUCs
    assay plan auc 0.75 --chance --power 0.9             for a test of one AUC against chance
    assay plan auc --pilot scores.csv --difference 0.02  two AUCs with the variance of a pilot
    assay plan brier 0.10 0.09 --sd 0.1                  for a test of two mean losses
    assay plan accuracy --interval -0.01 0.03            the difference that such data can detect
    assay plan labels preds.parquet recall --half-width 0.05   the number of its rows to label

    The values are assumptions made in advance, from other data or from the smallest relevant difference; never from the
    data to be tested.
    """
    from assay.measures import find
    from assay.report import answers

    if measure == "labels":
        put_out(_label_plan(given, request), request)
        return
    found, values = find(measure), tuple(map(_parse_number, given))
    if request.interval is not None:
        if values:
            raise OptionError("values cannot be combined with interval", "only one of them")
        put_out(_detectable_difference(found.name, request.interval, request), request)
    elif request.pilot is not None:
        if values:
            raise OptionError("values cannot be combined with pilot", "only one of them", about="pilot")
        put_out(_plan_from_pilot(found, request.pilot, request), request)
    elif request.chance:
        put_out(_plan_against_chance(found, values, request), request)
    else:
        put_out(answers.plan(_sample_plan(found, values, request)), request)


def _parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"the value {text[:40]!r} is no number", "a guess at the measure, such as 0.9") from None


def _label_plan(given: tuple[str, ...], request: PlanRequest) -> Answer:
    """How many rows of a file to label."""
    from assay.evaluation import plan_labels
    from assay.report.pages.sampled import label_plan_answer

    if len(given) != 2:
        raise OptionError("a file and a measure are needed", "assay plan labels predictions.csv recall")
    said = _relevant_options(request, "half_width", what="labels")
    file, measure = given
    half_width = said.get("half_width", HALF_WIDTH)
    return label_plan_answer(plan_labels(source_of(file), measure, half_width=half_width, level=request.level))


def _sample_plan(measure: Measure, values: tuple[float, ...], request: PlanRequest) -> SamplePlan:
    """The plan for one value (its interval) or two (their difference)."""
    if len(values) not in (1, 2):
        raise OptionError(f"{len(values)} values are given", "one for the width of an interval, or two to compare")
    if measure.planned == "share":
        return _share_plan(measure, values, request)
    if measure.planned == "auc":
        return _auc_plan(values, request)
    if measure.planned == "loss":
        return _loss_plan(measure.name, values, request)
    from assay.measures import registry

    known = ", ".join(one.name for one in registry.values() if one.planned is not None)
    raise OptionError(f"sample-size planning is not available for {measure.name}", f"one of {known}")


def _relevant_options(request: PlanRequest, *used: str, what: str) -> dict[str, Any]:
    """What was said of the options that count here; any other is refused."""
    request.only((*used, "level", "format"), f"for {what}")
    said = {name: getattr(request, name) for name in used}
    return {"level": request.level} | {name: value for name, value in said.items() if value is not None}


def _share_plan(measure: Measure, values: tuple[float, ...], request: PlanRequest) -> SamplePlan:
    from assay.comparison import power as planning

    assert measure.answers is not None
    name, within = measure.name, measure.answers.within
    prevalence = 0.5 if request.prevalence is None else request.prevalence
    of_class = () if within is None else ("prevalence",)
    about: dict[str, Any] = {"share": {None: 1.0, 0: 1 - prevalence, 1: prevalence}[within], "name": name}
    if len(values) == 1:
        said = _relevant_options(request, "half_width", *of_class, what=f"the interval of one {name}")
        said.pop("prevalence", None)
        return planning.plan_proportion(values[0], said.pop("half_width", HALF_WIDTH), **said, **about)
    kind = "unpaired" if request.unpaired else "disagreement"
    said = _relevant_options(
        request, "power", kind, *of_class, what=f"a comparison of two {name} values on {OWN[request.unpaired]}"
    )
    for spent in ("unpaired", "prevalence"):
        said.pop(spent, None)
    tell: Callable[..., SamplePlan] = planning.plan_paired_difference
    if request.unpaired:
        tell = planning.plan_unpaired_difference
    return tell(*values, **said, **about)


def _auc_plan(values: tuple[float, ...], request: PlanRequest) -> SamplePlan:
    from assay.comparison import power as planning

    if len(values) == 1:
        said = _relevant_options(request, "half_width", "prevalence", "method", what="the interval of one AUC")
        return planning.plan_auc(values[0], said.pop("half_width", HALF_WIDTH), **said)
    kind = "unpaired" if request.unpaired else "correlation"
    said = _relevant_options(
        request, "power", "prevalence", kind, what=f"a comparison of two AUCs on {OWN[request.unpaired]}"
    )
    said.pop("unpaired", None)
    return planning.plan_auc_difference(*values, paired=not request.unpaired, **said)


def _loss_plan(name: str, values: tuple[float, ...], request: PlanRequest) -> SamplePlan:
    from assay.comparison import power as planning

    if len(values) == 1 or request.sd is None or request.unpaired:
        raise OptionError(
            f"{name} can be planned only for a difference", "two values on the same cases, and --sd of the difference"
        )
    said = _relevant_options(request, "sd", "power", what="two mean losses on the same cases")
    return planning.plan_brier_difference(abs(values[0] - values[1]), **said)


def _plan_against_chance(measure: Measure, values: tuple[float, ...], request: PlanRequest) -> Answer:
    """One AUC told from one half: how many cases it takes, or how often those there are show it."""
    from assay.comparison.power import OBUCHOWSKI, area_method, plan_auc_against, power_against_chance
    from assay.report import answers

    if measure.planned != "auc" or len(values) != 1:
        raise OptionError("chance needs one ROC AUC", "one value of roc_auc", about="chance")
    said = _relevant_options(
        request, "chance", "prevalence", "method", "power", "cases", "alternative", what="an AUC against chance"
    )
    prevalence, method, level = said.get("prevalence", 0.5), area_method(said.get("method", "binormal")), said["level"]
    sides = {"level": level, "alternative": said["alternative"]}
    if request.cases is not None:
        _refuse_power(request)
    power = said.get("power", 0.8)
    if method == OBUCHOWSKI:
        return _plan_by_formula(values[0], request.cases, prevalence, power, sides)
    if request.cases is None:
        return answers.plan(plan_auc_against(values[0], prevalence=prevalence, power=power, method=method, **sides))
    reached = power_against_chance(values[0], request.cases, prevalence=prevalence, method=method, **sides)
    purpose = f"detect ROC AUC {values[0]:g} against chance"
    how, assumes = f"DeLong, logit, {method}", f"AUC near {values[0]:g}; prevalence {prevalence:g}; independent cases"
    return answers.power(purpose, request.cases, reached, level=level, method=how, assumes=assumes)


def _plan_by_formula(auc: float, cases: int | None, prevalence: float, power: float, sides: dict[str, Any]) -> Answer:
    """Obuchowski's formula, as pROC has it: of a test on the scale of the AUC itself."""
    from assay.comparison import area_against_chance, plan_area_test
    from assay.comparison.power import OBUCHOWSKI
    from assay.report import answers

    test = area_against_chance(auc, ratio=(1 - prevalence) / prevalence, method=OBUCHOWSKI)
    purpose = f"detect ROC AUC {auc:g} against chance"
    assumes = f"AUC near {auc:g}; prevalence {prevalence:g}; independent cases; a test on the scale of the AUC"
    if cases is None:
        return answers.plan(plan_area_test(test, purpose, OBUCHOWSKI, assumes, power=power, **sides))
    reached = test.power(cases * prevalence, **sides)
    return answers.power(purpose, cases, reached, level=sides["level"], method=OBUCHOWSKI, assumes=assumes)


def _plan_from_pilot(measure: Measure, file: str, request: PlanRequest) -> Answer:
    """Cases like those in a file: for a width of one model's interval, or for a difference of two."""
    from assay.evaluation import compared, evaluated
    from assay.report import answers
    from assay.request import Request

    if request.difference is None:
        said = _relevant_options(request, "pilot", "half_width", "method", what="the width of an interval")
        models = evaluated(source_of(file), Request(level=request.level))
        if len(models) != 1:
            raise OptionError(f"{file} has {len(models)} models", "one for a width, or --difference of two")
        (ev,) = models.values()
        half_width, method = said.get("half_width", HALF_WIDTH), said.get("method")
        return answers.plan(ev.plan(measure.name, half_width=half_width, method=method))
    said = _relevant_options(
        request, "pilot", "difference", "power", "cases", "alternative", "method", what="a difference"
    )
    cmp = compared(source_of(file), Request(level=request.level))
    if len(cmp.names) != 2:
        raise OptionError(f"{file} has {len(cmp.names)} models", "two, whose difference is planned")
    asked: dict[str, Any] = {"difference": request.difference, "alternative": said["alternative"]}
    asked["method"] = request.method
    plan = cmp.tests.plan(measure.name, *cmp.names, power=said.get("power", 0.8), **asked)
    if request.cases is None:
        return answers.plan(plan)
    _refuse_power(request)
    power = cmp.tests.power(measure.name, *cmp.names, cases=request.cases, **asked)
    purpose, about = plan.purpose.rsplit(", power", 1)[0], {"method": plan.method, "assumes": plan.assumes}
    return answers.power(purpose, request.cases, power, level=request.level, **about)


def _refuse_power(request: PlanRequest) -> None:
    if request.power is not None:
        raise OptionError("cases and power are both given", "only one of them", about=("cases", "power"))


def _detectable_difference(name: str, ends: tuple[float, float], request: PlanRequest) -> Answer:
    from assay.comparison.power import detectable_difference
    from assay.report import answers

    said = {"power": 0.8} | _relevant_options(request, "power", "interval", what="an observed interval")
    power, level = said["power"], said["level"]
    found = detectable_difference(*ends, level=level, power=power)
    return answers.detectable(name, found, *ends, level=level, power=power)
