"""Options of the command line, generated from the records that say what may be asked, and how an answer is put out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cache, partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from assay.cli._console import in_colours, printed, progress, tell
from assay.output_files import STANDARD_OUTPUT, refuse_shared, write_all
from assay.request import Asked, Option, Request

if TYPE_CHECKING:
    from assay.evaluation import Evaluation
    from assay.report.answers import Answer

TYPES: dict[str, Any] = {"number": click.FLOAT, "whole": click.INT}


def asks(
    command: str, record: type[Asked] = Request, to: str = "request"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options that a record says this command takes; the command gets them as one checked `request`.

    A command that asks by two records gets the other one under another name.
    """
    taken = {name: each for name, each in record.options().items() if command in each.commands}

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def called(*args: Any, as_json: bool = False, **said: Any) -> Any:
            asked = {name: said.pop(name) for name in taken}
            asked = {name: value for name, value in asked.items() if value not in (None, ())}
            if as_json:
                if asked.get("format", "json") != "json":
                    raise click.UsageError(
                        f"--json and --format {asked['format']} are both given; type only one of them"
                    )
                asked["format"] = "json"
            request = record.of(asked)
            read = {name: value for name, value in asked.items() if taken[name].kind == "read"}
            refuse_overwritten(request, _file_arguments(said | read))
            with progress(quiet="memory" not in taken or asked.get("quiet", False)):
                return function(*args, **{to: request}, **said)

        if "format" in taken:
            called = click.option("--json", "as_json", is_flag=True, help="The same as --format json.")(called)
        for name, each in reversed(taken.items()):
            called = _click_option(name, each, command, record.defaults()[name])(called)
        return called

    return decorated


def _click_option(name: str, each: Option, command: str, default: Any) -> Callable[[Any], Any]:
    """One option as click has it; what is not typed is None, so that the record alone knows the defaults."""
    flag = "--" + (each.flag or name.replace("_", "-"))
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
    flags = (flag, "-o") if name == "output" else (flag,)
    return click.option(*flags, name, type=of_one, multiple=each.many, metavar=each.metavar, help=said)


def source_of(file: str) -> str | Path:
    """The file that an argument names, or standard input."""
    return file if file == "-" else Path(file)


def put_out(answer: Answer, request: Any, **others: Callable[[], str | bytes]) -> None:
    """Print or write an answer as was asked, and by option whatever else was asked for: a page, a picture."""
    from assay.report.answers import render

    with _terminal_output(request):
        text = render(answer, request.format)
    _write_all(text, request, others)


@contextmanager
def _terminal_output(request: Any) -> Iterator[None]:
    """Make text in the block for the terminal, in its colours, where it goes there; or else as for a file."""
    is_printed = getattr(request, "output", None) in (None, STANDARD_OUTPUT)
    if is_printed and request.format == "table":
        with in_colours(sys.stdout):
            yield
    else:
        from assay.results import without_screen

        with without_screen():
            yield


def put_out_models(models: Mapping[str, Evaluation], request: Request, **others: Callable[[], str | bytes]) -> None:
    """The same for evaluations, which have styles of their own."""
    from assay import report
    from assay.report import answers

    layout: Any = request.layout
    compared = cache(partial(report.pairing, models))
    styles: dict[str, Callable[..., str]] = {
        "assay": lambda models: report.render_text(models, full=request.full, compared=compared()),
        "weka": partial(_weka_text, request, "3.8"),
        "weka-3.6": partial(_weka_text, request, "3.6"),
        "caret": partial(report.render_caret, layout=layout, positive_first=request.positive_first),
    }
    is_table = request.format == "table"
    with _terminal_output(request):
        text = styles[request.style](models) if is_table else answers.evaluations(models, request.format, compared)
    page = {"html": lambda: report.render_html(models, compared(), embed_rows=request.embed_rows)}
    _write_all(text, request, {**page, **others})


def _weka_text(request: Request, version: Literal["3.8", "3.6"], models: Mapping[str, Evaluation]) -> str:
    """WEKA's text, with what the decisions cost where a file says what each of them does."""
    from assay.report import render_weka
    from assay.sources import read_costs

    path = request.costs
    costs = None if path is None else read_costs(path, len(next(iter(models.values())).classes))
    return render_weka(models, version=version, costs=costs)


def _write_all(text: str, request: Any, others: Mapping[str, Callable[[], str | bytes]]) -> None:
    """The text with one line end after it, and what else was asked for: where one file cannot be written, none is."""
    wanted = {option: getattr(request, option) for option in others if getattr(request, option) is not None}
    contents = {path: others[option]() for option, path in wanted.items()}
    text = text.rstrip("\n") + "\n"
    output = getattr(request, "output", None)
    write_all(contents if output in (None, STANDARD_OUTPUT) else {**contents, output: text})
    if output in (None, STANDARD_OUTPUT):
        with in_colours(sys.stdout) if getattr(request, "format", None) == "table" else nullcontext():
            printed(text)
    if "html" in wanted and not request.quiet:
        tell(f"Wrote {wanted['html']}")


def _file_arguments(arguments: Mapping[str, Any]) -> list[str]:
    """The names of files among a command's arguments; what is none names nothing that is there."""
    each = (value if isinstance(value, tuple) else (value,) for value in arguments.values())
    return [name for names in each for name in names if isinstance(name, str)]


def refuse_overwritten(request: Asked, inputs: Iterable[str | Path]) -> None:
    """Refuse targets that are one file, or that a command reads."""
    targets = {name: value for name, value in request.given.items() if request.options()[name].kind == "file"}
    refuse_shared(targets, inputs, prints="output" not in targets)
