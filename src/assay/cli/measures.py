"""`assay measures`."""

from __future__ import annotations

import json

import click

__all__ = ["command"]


@click.command("measures", short_help="List every measure.")
@click.option("--json", "as_json", is_flag=True, help="All facts of every measure, as JSON.")
def command(as_json: bool) -> None:
    """List every measure: what it is called, what it is for, its range and its default interval."""
    from assay.measures import FORMS, find, on_request, registry
    from assay.results import Table

    known = {**registry, **on_request}
    if as_json:
        click.echo(json.dumps({name: measure.facts() for name, measure in known.items()}, indent=2))
        return
    families = dict.fromkeys(measure.family for measure in known.values())
    for family in families:
        members = [measure for measure in known.values() if measure.family == family]
        click.echo(f"{family.capitalize()}")
        table = Table(
            {
                "name": [f"  {m.name}" for m in members],
                "measure": [m.title for m in members],
                "range": [m.range_text for m in members],
                "better": [m.better for m in members],
                "interval": [next(iter(m.intervals.methods)) for m in members],
            }
        )
        click.echo(str(table).split("\n", 1)[1] + "\n")
    examples = "\n".join(f"  {form.example:<27}  {find(form.example).title}" for form in FORMS.values())
    click.echo(f"With parameters, such as\n{examples}\n")
    click.echo("assay explain NAME says more about one of them.")
