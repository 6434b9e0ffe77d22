"""`assay plan MEASURE VALUE [OTHER]`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from assay.comparison.planning import Plan

__all__ = ["command"]

SHARES = ("accuracy", "error_rate", "recall", "specificity")


@click.command("plan", short_help="Say how many cases would tell.")
@click.argument("measure")
@click.argument("values", type=float, nargs=-1, metavar="[VALUE [OTHER]]")
@click.option("--half-width", type=float, help="How far the interval may reach to either side. [default: 0.05]")
@click.option("--power", type=float, default=0.8, show_default=True, help="How often a true difference is to be seen.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of intervals and tests.")
@click.option("--prevalence", type=float, default=0.5, show_default=True, help="Share of positive cases.")
@click.option(
    "--disagreement", type=float, help="Share of cases only one classifier gets right. [default: independent]"
)
@click.option("--correlation", type=float, default=0.5, show_default=True, help="Of two scores within a class.")
@click.option("--sd", type=float, help="Standard deviation of the case-by-case difference of two losses.")
@click.option("--unpaired", is_flag=True, help="Each classifier is tested on cases of its own.")
@click.option(
    "--interval", type=float, nargs=2, metavar="LOW HIGH", help="Of a difference you have: what could it show?"
)
@click.option("--json", "as_json", is_flag=True, help="The plan as JSON.")
def command(measure: str, values: tuple[float, ...], as_json: bool, **options: Any) -> None:
    """Say how many cases would tell.

    \b
    assay plan accuracy 0.9 --half-width 0.02            for an interval that narrow
    assay plan accuracy 0.9 0.87 --disagreement 0.1      to tell two classifiers apart on the same cases
    assay plan auc 0.85 0.80 --prevalence 0.1            the same for AUCs
    assay plan brier 0.10 0.09 --sd 0.1                  and for a mean loss
    assay plan accuracy --interval -0.01 0.03            what difference such data could have shown

    The values are guesses made beforehand, from other data or from what would matter; never from the data to be tested.
    """
    from assay.measures import find

    try:
        name = find(measure).name
    except KeyError as error:
        raise click.UsageError(str(error.args[0])) from None
    try:
        if options["interval"] is not None:
            _put_out(*_detectable(name, options), as_json)
        else:
            plan = _planned(name, values, options)
            _put_out(plan.to_dict(), _text(plan), as_json)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _planned(name: str, values: tuple[float, ...], options: dict[str, Any]) -> Plan:
    """The plan for one value (its interval) or two (their difference)."""
    if len(values) not in (1, 2):
        raise click.UsageError("needed: one value for an interval's width, or two to tell apart")
    if name in SHARES:
        return _planned_share(name, values, options)
    if name == "roc_auc":
        return _planned_auc(values, options)
    if name in ("brier", "log_loss"):
        return _planned_loss(name, values, options)
    raise click.UsageError(f"there is no plan for {name}; try: {', '.join((*SHARES, 'roc_auc', 'brier', 'log_loss'))}")


def _planned_share(name: str, values: tuple[float, ...], options: dict[str, Any]) -> Plan:
    from assay.comparison import planning

    shares = {"recall": options["prevalence"], "specificity": 1 - options["prevalence"]}
    common = {"level": options["level"], "share": shares.get(name, 1.0), "name": name}
    if len(values) == 1:
        return planning.plan_proportion(values[0], _half_width(options), **common)
    if options["unpaired"]:
        return planning.plan_unpaired_difference(*values, power=options["power"], **common)
    return planning.plan_paired_difference(
        *values, disagreement=options["disagreement"], power=options["power"], **common
    )


def _planned_auc(values: tuple[float, ...], options: dict[str, Any]) -> Plan:
    from assay.comparison import planning

    common = {name: options[name] for name in ("prevalence", "level")}
    if len(values) == 1:
        return planning.plan_auc(values[0], _half_width(options), **common)
    common |= {name: options[name] for name in ("correlation", "power")}
    return planning.plan_auc_difference(*values, paired=not options["unpaired"], **common)


def _planned_loss(name: str, values: tuple[float, ...], options: dict[str, Any]) -> Plan:
    from assay.comparison import planning

    if len(values) == 1 or options["sd"] is None or options["unpaired"]:
        raise click.UsageError(f"needed for {name}: two values on the same cases and --sd of their differences")
    gap = abs(values[0] - values[1])
    return planning.plan_brier_difference(gap, options["sd"], power=options["power"], level=options["level"])


def _detectable(name: str, options: dict[str, Any]) -> tuple[dict[str, Any], str]:
    from assay.comparison.planning import detectable_difference

    low, high = options["interval"]
    power, level = options["power"], options["level"]
    found = detectable_difference(low, high, level=level, power=power)
    record = {"measure": name, "detectable": found, "low": low, "high": high, "level": level, "power": power}
    text = (
        f"Data with an interval from {low:g} to {high:g} would have shown a true difference in {name} of {found:.3g}\n"
        f"in {100 * power:g} % of samples, and smaller ones less often. This follows from the width alone.\n"
        "Decide on fresh cases; adding to these and testing again does not keep this level."
    )
    return record, text


def _half_width(options: dict[str, Any]) -> float:
    return 0.05 if options["half_width"] is None else float(options["half_width"])


def _text(plan: Plan) -> str:
    classes = (
        "" if plan.positives is None else f" ({plan.positives:,} positive, {plan.cases - plan.positives:,} negative)"
    )
    each = " of each" if "its own" in plan.purpose else ""
    return (
        f"{plan.cases:,} cases{each}{classes}\n"
        f"  to        {plan.purpose}\n  method    {plan.method}, level {100 * plan.level:g} %\n"
        f"  reaches   {plan.reaches:.3g}\n  assumes   {plan.assumes}"
    )


def _put_out(record: dict[str, Any], text: str, as_json: bool) -> None:
    click.echo(json.dumps(record, indent=2) if as_json else text)
