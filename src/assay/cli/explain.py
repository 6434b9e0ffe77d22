"""`assay explain NAME|CODE`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from assay.cautions import Rule
    from assay.measures import Measure

__all__ = ["command"]


@click.command("explain", short_help="Say what a measure or a caution means.")
@click.argument("name", metavar="NAME|CODE")
@click.option("--json", "as_json", is_flag=True, help="The facts as JSON.")
def command(name: str, as_json: bool) -> None:
    """Say what a measure (by any of its names) or a caution (by its code) means."""
    from assay.cautions import find_rule, rules
    from assay.measures import find

    if name.strip().upper() in rules:
        rule = find_rule(name)
        facts = {"code": rule.code, "title": rule.title, "explanation": rule.explanation}
        text = _about_caution(rule)
    else:
        measure = find(name)
        facts = measure.facts()
        text = _about_measure(measure)
    click.echo(json.dumps(facts, indent=2) if as_json else text)


def _about_caution(rule: Rule) -> str:
    return f"{rule.code}  {rule.title}\n\n{rule.explanation}"


def _about_measure(measure: Measure) -> str:
    lines = {
        "formula": measure.notation,
        "range": f"{measure.range_text}, {measure.better} is better"
        if measure.better != "neither"
        else measure.range_text,
        "undefined": f"if {measure.undefined}",
        "interval": "; ".join(measure.intervals.methods) + " (the first is the default)"
        if len(measure.intervals.methods) > 1
        else next(iter(measure.intervals.methods)),
        "assumes": measure.intervals.assumes,
        "also called": ", ".join(measure.aliases),
        "reference": measure.reference,
    }
    facts = "\n".join(f"  {label:<12} {text}" for label, text in lines.items() if text)
    return f"{measure.title} ({measure.name})\n\n{measure.definition}\n\n{facts}"
