"""The `assay` command: its list of commands, and what each kind of failure looks like from outside."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from assay import __version__
from assay.cli._console import continued, give_up_printing, in_colours, nothing_after_the_end, reserve_streams, tell
from assay.errors import AssayError, InputError, MissingExtra, OptionError
from assay.text import painted, visible

# Name, and the one line `assay --help` shows: the command itself is imported only when it is called.
COMMANDS = {
    "evaluate": "Evaluate the predictions in a file, with confidence intervals.",
    "columns": "Show which columns of a file are inferred as labels, scores, ..., and why.",
    "compare": "Compare classifiers: differences with intervals and tests.",
    "pool": "Meta-analysis of several sites: each site, their mean and their heterogeneity.",
    "threshold": "Choose a threshold for costs or for a measure.",
    "curve": "Draw one threshold measure against another over all thresholds (ROC, PR, ...).",
    "check": "Check requirements; fail where predictions do not meet them.",
    "reduce": "Reduce predictions to an evidence file: a summary without rows.",
    "merge": "Merge evidence files of several sources.",
    "sample": "Draw a sample of rows to label, where labels are expensive.",
    "stream": "Monitor a stream of predictions, with alarms valid at every look.",
    "experiment": "Run and compare learners on data sets, with the same splits for all.",
    "rank": "Rank algorithms over many data sets and test their differences.",
    "plan": "Sample-size planning.",
    "measures": "List every measure.",
    "explain": "Explain a measure, a caution or any other printed term.",
    "demo": "Evaluate the bundled example.",
    "serve": "Open the workbench in a browser, on this machine only.",
}

WRONG_USE, BAD_DATA, MISSING_EXTRA, OUR_BUG, STOPPED = 2, 3, 69, 70, 130


class LazyCommands(click.Group):
    """A group that knows its commands by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"assay.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from assay.cli._usage import unknown_command

            raise click.UsageError(unknown_command(name, [*COMMANDS], sys.argv[1:]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _print_version(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    if not is_asked:
        return
    from assay.evidence import KERNELS

    click.echo(f"assay, version {__version__}, {KERNELS} kernels")
    ctx.exit()


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Show the version."
)
def assay() -> None:
    """Evaluate classifiers: measures with confidence intervals, comparisons, requirements and monitoring.

    Start with:  assay demo   or   assay evaluate predictions.csv
    """


def main() -> None:
    """Run, and turn every failure into one sentence on stderr and an exit code."""
    reserve_streams()
    nothing_after_the_end()
    try:
        assay.main(prog_name="assay", standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        tell("assay: stopped")
        sys.exit(STOPPED)
    except BrokenPipeError:
        # The reader (head, less) has gone; say nothing, and keep Python from complaining at exit.
        give_up_printing()
        sys.exit(0)
    except click.ClickException as error:
        from assay.cli._usage import usage_message

        _exit_with_message(usage_message(error, sys.argv[1:]), error.exit_code)
    except Exception as error:
        sentence, code = _message_and_exit_code(error)
        if code == OUR_BUG and os.environ.get("ASSAY_DEBUG"):
            raise
        _exit_with_message(sentence, code)


def _message_and_exit_code(error: Exception) -> tuple[str, int]:
    """What to say of an error, and the exit code that goes with it."""
    match error:
        case InputError():
            return _with_command(error), WRONG_USE if isinstance(error, OptionError) else BAD_DATA
        case AssayError():
            return str(error), MISSING_EXTRA if isinstance(error, MissingExtra) else BAD_DATA
        case OSError():
            give_up_printing()
            of_what = "" if error.filename is None else f" ({error.filename})"
            return f"operating system error{of_what}: {(error.strerror or str(error)).lower()}", BAD_DATA
        case MemoryError():
            return "out of memory; needed: fewer rows, fewer columns or more memory", BAD_DATA
    kind = type(error).__name__
    return f"internal error in Assay ({kind}: {error}); ASSAY_DEBUG=1 shows where. Nothing was written.", OUR_BUG


def _with_command(error: InputError) -> str:
    """The sentence of an error; on a terminal with the whole command to type, where there is one way out."""
    from assay.cli._usage import repaired

    if sys.stderr is None or not sys.stderr.isatty() or len(sys.argv) < 2:
        return error.for_command_line()
    name = sys.argv[1]
    command = assay.get_command(click.Context(assay), name) if name in COMMANDS else None
    fixed = repaired(error, sys.argv[1:], command)
    sentence = error.for_command_line()
    return sentence if fixed is None else f"{sentence.rsplit('; type ', 1)[0]}\n  try  {fixed}"


def _exit_with_message(message: str, code: int) -> None:
    """Print an error and end; some end in a list of what can be typed, a line for each."""
    with in_colours(sys.stderr):
        first, *others = message.split("\n")
        tell(f"{painted('error:', 'error')} {visible(first)}")
        for line in others:
            for each in _painted_fix(visible(line)).split("\n"):
                tell(each)
    sys.exit(code)


def _painted_fix(line: str) -> str:
    """A line of what can be typed: its label dim, the command in a colour."""
    if line.startswith("  try  "):
        command = line.removeprefix("  try  ")
        return f"  {painted('try', 'dim')}  {painted(continued(command), 'cyan')}"
    if not line.startswith("  --"):
        return line
    flags, *meaning = line.strip().split("   ", 1)
    return "   ".join([f"  {painted(flags, 'cyan')}", *(painted(each, "dim") for each in meaning)])
