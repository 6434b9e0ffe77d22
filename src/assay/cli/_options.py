"""Options that several commands share, and how an evaluation is put out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from assay.evaluation import Evaluation
    from assay.report.caret import Layout

__all__ = [
    "CHOICES",
    "FORMATS",
    "check_page_options",
    "embed_rows_option",
    "output_options",
    "put_out",
    "source_options",
    "write_all",
    "write_out",
]

FORMATS = ("table", "json", "csv", "markdown", "latex")
# What may be said about the columns of a file.
CHOICES = (
    *("truth", "score", "pred", "positive", "model", "threshold", "missing"),
    *("weight", "count", "cluster", "fold", "by", "ignore", "default_class"),
)
STYLES = ("assay", "weka", "weka-3.6", "caret")


embed_rows_option = click.option(
    "--embed-rows", is_flag=True, help="Let the page hold the rows behind each cell of the confusion matrix."
)


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What is in the file, as every command that reads predictions has it."""
    for option in reversed(
        (
            click.option("--truth", help="Column of the true class."),
            click.option(
                "--score", multiple=True, help="Column of the positive class's score; again for another model."
            ),
            click.option("--pred", multiple=True, help="Column of the predicted label; again for another model."),
            click.option("--positive", help="The positive class."),
            click.option("--model", help="Column that names the model, where each row belongs to one."),
            click.option(
                "--threshold",
                type=float,
                help="Call scores of at least this positive. [default: 0.5 for probabilities]",
            ),
            click.option("--missing", type=click.Choice(["refuse", "drop"]), default="refuse", show_default=True),
            click.option("--weight", help="Column of sampling weights: how much of the population a case stands for."),
            click.option("--count", help="Column of counts: how many equal cases a row is."),
            click.option("--cluster", help="Column of what makes rows depend on one another: patient, site, document."),
            click.option("--fold", help="Column of cross-validation folds."),
            click.option("--by", help="Column of subgroups, each evaluated by itself as well."),
            click.option(
                "--ignore", multiple=True, help="Column to leave alone whatever it is called; again for another."
            ),
            click.option("--default-class", help="Class of cases whose predicted label is missing or no class."),
        )
    ):
        command = option(command)
    return command


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Level, format, files and seed, as every command that prints an evaluation has them."""
    for option in reversed(
        (
            click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals."),
            click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True),
            click.option(
                "--style",
                type=click.Choice(STYLES),
                default="assay",
                show_default=True,
                help="Write the table as another system would.",
            ),
            click.option(
                "--layout",
                type=click.Choice(("predicted-rows", "actual-rows")),
                default="predicted-rows",
                show_default=True,
                help="What the rows of caret's matrix are.",
            ),
            click.option("--positive-first/--positive-last", default=True, help="Where caret's matrix has it."),
            click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
            click.option("--full", is_flag=True, help="Show every measure in the table."),
            click.option("--output", type=click.Path(path_type=Path), help="Write there instead of to the screen."),
            click.option("--html", type=click.Path(path_type=Path), help="Also write a page that opens anywhere."),
            embed_rows_option,
            click.option("--seed", type=int, default=0, show_default=True, help="Seed of what is simulated."),
            click.option("--quiet", is_flag=True, help="Do not say what was inferred."),
        )
    ):
        command = option(command)
    return command


def put_out(
    models: Mapping[str, Evaluation],
    *,
    form: str,
    style: str,
    layout: Layout,
    positive_first: bool,
    as_json: bool,
    full: bool,
    output: Path | None,
    html: Path | None,
    embed_rows: bool,
    quiet: bool,
) -> None:
    """Print or write the evaluation, and the page if one was asked for."""
    from assay import report

    styles: dict[str, Callable[[Mapping[str, Evaluation]], str]] = {
        "assay": lambda shown: report.render_text(shown, full=full),
        "weka": report.render_weka,
        "weka-3.6": lambda shown: report.render_weka(shown, version="3.6"),
        "caret": lambda shown: report.render_caret(shown, layout=layout, positive_first=positive_first),
    }
    renderers: dict[str, Callable[[Mapping[str, Evaluation]], str]] = {
        "table": styles[style],
        "json": report.render_json,
        "csv": report.render_csv,
        "markdown": report.render_markdown,
        "latex": report.render_latex,
    }
    check_page_options(html, embed_rows=embed_rows)
    text = renderers["json" if as_json else form](models)
    write_all(text, output, html, partial(report.write_html, models, embed_rows=embed_rows), quiet=quiet)


def check_page_options(html: Path | None, *, embed_rows: bool) -> None:
    """What only a page can do needs a page."""
    if embed_rows and html is None:
        raise click.UsageError("--embed-rows puts rows into a page, and there is none; add --html FILE")


def write_all(text: str, output: Path | None, html: Path | None, page: Callable[[Path], None], *, quiet: bool) -> None:
    """The text, and the page if one was asked for: where that cannot be written, nothing is."""
    if html is not None:
        with writing(html):
            page(html)
    write_out(text, output)
    if html is not None and not quiet:
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
