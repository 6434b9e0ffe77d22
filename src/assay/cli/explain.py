"""`assay explain NAME|CODE`."""

from __future__ import annotations

import click

from assay.cli._options import write_out

__all__ = ["command"]


@click.command("explain", short_help="Say what a measure or a caution means.")
@click.argument("name", metavar="NAME|CODE")
@click.option("--json", "as_json", is_flag=True, help="The facts as JSON.")
def command(name: str, as_json: bool) -> None:
    """Say what a measure (by any of its names) or a caution (by its code) means."""
    from assay.cautions import find_rule, rules
    from assay.measures import find
    from assay.report import answers

    is_rule = name.strip().upper() in rules
    answer = answers.rule(find_rule(name)) if is_rule else answers.measure(find(name))
    write_out(answers.render(answer, "json" if as_json else "table"), None)
