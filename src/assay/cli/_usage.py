"""What is wrong with a command line, and the same command without the mistake where that is clear."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Mapping, Sequence

import click

from assay.errors import InputError
from assay.request.predictions import ELSEWHERE

__all__ = ["repaired", "unknown_command", "usage_message"]

# Options as other tools call them, beside the names of other libraries that Python's functions know.
FLAGS = {
    "models": "model",
    "y_true": "truth",
    "y_pred": "pred",
    "y_score": "score",
    "y_prob": "score",
    "true": "truth",
    "target": "truth",
    "label": "truth",
    "labels": "truth",
    "actual": "truth",
    "predicted": "pred",
    "prediction": "pred",
    "predictions": "pred",
    "y_hat": "pred",
    "prob": "score",
    "proba": "score",
    "probability": "score",
    "scores": "score",
    "metric": "measure",
    "metrics": "measure",
    "measures": "measure",
    "group": "by",
    "groupby": "by",
    "group_by": "by",
    "subgroup": "by",
    "out": "output",
    "output_file": "output",
    "fp_cost": "cost-fp",
    "fn_cost": "cost-fn",
    "optimize": "maximise",
    "maximize": "maximise",
    "na": "missing",
    "verbose": "full",
    "report": "html",
    "min": "require",
    "threads": "jobs",
    "n_jobs": "jobs",
    "cores": "jobs",
}
INVALID = re.compile(r"'(?P<value>[^']*)' is not (?:a valid (?P<kind>float|integer)|one of (?P<choices>.*?))\.?$")
NUMBER = re.compile(r"(?P<number>\d+(?:[.,]\d+)?)\s*(?P<percent>%?)")


def usage_message(error: click.ClickException, arguments: Sequence[str]) -> str:
    """What is wrong with the arguments of a command, and on a line of its own what to type instead.

    >>> usage_message(click.ClickException("No."), ["evaluate"])
    'No.'
    """
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "assay"
    match error:
        case click.NoSuchOption():
            return _unknown_option(error.option_name, context, arguments)
        case click.MissingParameter() if error.param is not None and error.param.param_type_name == "argument":
            name = error.param.make_metavar(context) if context is not None else (error.param.name or "")
            name = name.strip(".")
            return (
                f"{path} is given no {name}\n  try  {path} predictions.csv"
                if name == "FILE"
                else (f"{path} is given no {name}\n  help  {path} --help")
            )
        case click.BadParameter() if error.param is not None and (found := INVALID.search(error.message)):
            return _invalid_value(error.param.opts[-1], found, arguments)
    help_line = f"\n  help  {path} --help" if context is not None else ""
    return f"{error.format_message().rstrip('.')}{help_line}" if help_line else error.format_message()


def unknown_command(name: str, known: Sequence[str], arguments: Sequence[str]) -> str:
    """That there is no such command, with the one that was probably meant.

    >>> print(unknown_command("evalute", ["evaluate", "compare"], ["evalute", "a.csv"]))
    there is no command 'evalute'; did you mean evaluate?
      try  assay evaluate a.csv
    """
    near = difflib.get_close_matches(name, known, n=1)
    if not near:
        return f"there is no command {name!r}; needed: one of {', '.join(known)}"
    return f"there is no command {name!r}; did you mean {near[0]}?{_corrected_command(arguments, {name: near[0]})}"


def _unknown_option(name: str, context: click.Context | None, arguments: Sequence[str]) -> str:
    if context is None:
        return f"there is no option {name}"
    known = [flag for param in context.command.params for flag in param.opts if flag.startswith("--")]
    key = name.lstrip("-").replace("-", "_").lower()
    meant, elsewhere = FLAGS.get(key, ""), ELSEWHERE.get(key, "")
    found = f"{context.command_path} has no option {name}"
    options = [f"--{each.replace('_', '-')}" for each in (meant, elsewhere) if each and " " not in each]
    options += [f"--{key.replace('_', '-')}", *difflib.get_close_matches(name, known, n=1)]
    near = next((each for each in options if each in known), None)
    if near is not None:
        return f"{found}; did you mean {near}?{_corrected_command(arguments, {name: near})}"
    return f"{found}\n  help  {context.command_path} --help"


def _invalid_value(option: str, found: re.Match[str], arguments: Sequence[str]) -> str:
    value = found["value"]
    if found["choices"]:
        choices = re.findall(r"'([^']*)'", found["choices"])
        near = difflib.get_close_matches(value.lower(), choices, n=1)
        said = f"{option} is {value!r}; needed: one of {', '.join(choices)}"
        return said + (_corrected_command(arguments, {value: near[0]}, option) if near else "")
    number = NUMBER.fullmatch(value.strip())
    needed = "a whole number" if found["kind"] == "integer" else "a number"
    if number is None or found["kind"] == "integer":
        return f"{option} is {value!r}; needed: {needed}"
    plain = f"{float(number['number'].replace(',', '.')) / (100 if number['percent'] else 1):.12g}"
    command = _corrected_command(arguments, {value: plain}, option)
    return f"{option} is {value!r}; needed: {needed}, such as {plain}{command}"


def _corrected_command(arguments: Sequence[str], changes: Mapping[str, str], option: str = "") -> str:
    """A line with the same command in which some words are others; of a value only that of its option."""
    words: list[str] = []
    for place, word in enumerate(arguments):
        name, *rest = word.split("=", 1) if word.startswith("--") else [word]
        sign, value = bool(rest), "".join(rest)
        of_option = not option or place == 0 or arguments[place - 1] == option
        if sign and (name in changes or (value in changes and name == option)):
            words.append(f"{changes.get(name, name)}={changes.get(value, value) if name == option else value}")
        else:
            words.append(changes.get(word, word) if of_option else word)
    return f"\n  try  {shlex.join(['assay', *words])}"


def repaired(error: InputError, arguments: Sequence[str], command: click.Command | None) -> str | None:
    """The same command with the options that an error names, where there is one way and the command takes them."""
    if len(error.ways) != 1 or error.ways[0][1] or command is None:
        return None
    by_flag = {flag: param for param in command.params for flag in param.opts}
    words = [*arguments]
    for name, value in error.ways[0][0].items():
        flag = f"--{name.replace('_', '-')}"
        param = by_flag.get(flag)
        if not isinstance(param, click.Option) or isinstance(value, tuple | list):
            return None
        places = [place for place, word in enumerate(words[:-1]) if word == flag]
        # Of an option that may come again only the value that the error is about is another one.
        wrong = [place for place in places if not param.multiple or repr(words[place + 1]) in error.found]
        for place in reversed(wrong):
            del words[place : place + (1 if param.is_flag else 2)]
        words += [flag] if param.is_flag else [flag, str(value)]
    return None if words == [*arguments] else shlex.join(["assay", *words])
