"""Options of the command line, generated from the records that say what may be asked, and how an answer is put out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.request import Asked, Option, Request

if TYPE_CHECKING:
    from assay.evaluation import Evaluation
    from assay.report.answers import Answer

__all__ = ["asks", "put_out", "put_out_models", "source_of", "write_out", "writing"]

TYPES: dict[str, Any] = {"number": click.FLOAT, "whole": click.INT, "file": click.Path(path_type=Path)}


def asks(command: str, record: type[Asked] = Request) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options that a record says this command takes; the command gets them as one checked `request`."""
    taken = {name: each for name, each in record.options().items() if command in each.commands}

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def called(*args: Any, as_json: bool = False, **said: Any) -> Any:
            asked = {name: said.pop(name) for name in taken}
            asked = {name: value for name, value in asked.items() if value is not None}
            if as_json:
                if asked.get("format", "json") != "json":
                    raise click.UsageError(f"--json and --format {asked['format']} are both given; type one of them")
                asked["format"] = "json"
            return function(*args, request=record.of(asked), **said)

        if "format" in taken:
            called = click.option("--json", "as_json", is_flag=True, help="The same as --format json.")(called)
        for name, each in reversed(taken.items()):
            called = _option(name, each, command, record.defaults()[name])(called)
        return called

    return decorated


def _option(name: str, each: Option, command: str, default: Any) -> Callable[[Any], Any]:
    """One option as click has it; what is not typed is None, so that the record alone knows the defaults."""
    flag = "--" + name.replace("_", "-")
    if each.kind == "flag":
        return click.option(flag, name, is_flag=True, help=each.help)
    if each.kind == "switch":
        return click.option(f"{flag}/--{each.metavar}", name, default=None, help=each.help)
    if each.kind in ("pair", "two"):
        kind: Any = click.FLOAT if each.kind == "pair" else click.STRING
        return click.option(flag, name, type=kind, nargs=2, metavar=each.metavar, help=each.help)
    choices = each.choices_of(command)
    of_one: Any = click.Choice(choices) if choices else TYPES.get(each.kind, click.STRING)
    shown = each.stands_for if each.stands_for is not None else default or None
    said = f"{each.help} [default: {shown}]" if shown is not None else each.help
    return click.option(flag, name, type=of_one, multiple=each.many, metavar=each.metavar, help=said)


def source_of(file: str) -> str | Path:
    """The file that an argument names, or standard input."""
    return file if file == "-" else Path(file)


def put_out(answer: Answer, request: Any, page: Callable[[Path], None] | None = None) -> None:
    """Print or write an answer as was asked, and its page if one was asked for."""
    from assay.report.answers import render

    _write_all(render(answer, request.format), request, page)


def put_out_models(models: Mapping[str, Evaluation], request: Request) -> None:
    """The same for evaluations, which have styles of their own."""
    from assay import report
    from assay.report import answers

    layout: Any = request.layout
    compared = cache(partial(report.pairing, models))
    styles: dict[str, Callable[..., str]] = {
        "assay": lambda models: report.render_text(models, full=request.full, compared=compared()),
        "weka": report.render_weka,
        "weka-3.6": partial(report.render_weka, version="3.6"),
        "caret": partial(report.render_caret, layout=layout, positive_first=request.positive_first),
    }
    is_table = request.format == "table"
    text = styles[request.style](models) if is_table else answers.evaluations(models, request.format, compared)
    _write_all(text, request, lambda path: report.write_html(models, path, compared(), embed_rows=request.embed_rows))


def _write_all(text: str, request: Any, page: Callable[[Path], None] | None) -> None:
    """The text, and the page if one was asked for: where that cannot be written, nothing is."""
    html: Path | None = getattr(request, "html", None)
    if page is None or html is None:
        write_out(text, getattr(request, "output", None))
        return
    with writing(html):
        page(html)
    write_out(text, request.output)
    if not request.quiet:
        click.echo(f"Wrote {html}", err=True)


def write_out(text: str, output: Path | None) -> None:
    """Text with one line end after it: to a file, or to stdout as UTF-8 whatever the terminal claims to speak."""
    text = text.rstrip("\n") + "\n"
    if output is not None:
        with writing(output):
            # A name that is half a surrogate pair must not stop a table.
            output.write_text(text, encoding="utf-8", errors="backslashreplace")
        return
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.stdout.write(text)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What fails while a file is written is said in one sentence."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or "failed").lower()
        raise click.UsageError(f"cannot write {path}: {why}; name a folder that exists and can be written to") from None
