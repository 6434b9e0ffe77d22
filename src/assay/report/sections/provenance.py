"""Reproduce: what was read, with what, and what to type to read it again.

The card: what is said of a model and cannot be read off its predictions.
"""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING

from assay import __version__
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.evidence import KERNELS
from assay.report.blocks import Block, Heading, Note, Notes, Sentence
from assay.report.wording import count, model_names, shortened, tamed, visible
from assay.request import CARD_FIELDS, CARD_SAID

if TYPE_CHECKING:
    from assay.report.sections.comparison import Compared

__all__ = [
    "Option",
    "calls",
    "card",
    "command_words",
    "compared_reproduce",
    "options_of",
    "python_call",
    "reproduce",
    "versions",
]


Option = str | float | tuple[str, ...]

NOTHING: Mapping[str, Option] = MappingProxyType({})
COLUMN_ROLES = (
    *("truth", "score", "pred", "certainty", "model", "weight", "count", "cluster", "fold", "by", "amount", "id"),
)


def reproduce(
    models: Mapping[str, Evaluation],
    verb: str = "evaluate",
    extra: Mapping[str, Option] = NOTHING,
    *,
    embed_rows: bool = False,
) -> list[Block] | None:
    """Versions, the hash of the file, and the command line and Python that make this report.

    `verb` is the command, `extra` what was asked of the report itself.
    """
    function = verb if verb != "evaluate" or len(models) == 1 else "evaluate_models"
    ev = next(iter(models.values()))
    source = ev.source
    items = [
        Note(
            "source",
            f"{shortened(source.name, 60)}, {count(source.rows)} {'cases' if source.format == 'evidence' else 'rows'}",
        )
    ]
    if source.sha256 is not None:
        items.append(Note("sha256", visible(source.sha256)))
    if source.format != "arrays" and source.sha256 is not None:
        options = dict(options_of(ev))
        words = [*command_words(verb, source.name, {**options, **extra}), "--html", "report.html"]
        words += ["--embed-rows"] if embed_rows else []
        items.append(Note("command", visible(shlex.join(words)), is_code=True))
        asked = "".join(
            f", {name}={value!r}" for name, value in (*extra.items(), *([("embed_rows", True)] * embed_rows))
        )
        call = f"{python_call(function, source.name, options)}.report('report.html'{asked})"
        items.append(Note("Python", f"import assay\n{visible(call)}", is_code=True))
    items.append(versions("numpy", "scipy"))
    return [Heading("Reproduce"), Notes(tuple(items))]


def versions(*libraries: str) -> Note:
    """What the numbers were worked out with."""
    listed = ", ".join(f"{name} {version(name)}" for name in libraries)
    return Note("versions", f"Assay {__version__} ({KERNELS} kernels), Python {platform.python_version()}, {listed}")


def options_of(ev: Evaluation) -> Iterator[tuple[str, Option]]:
    """What was chosen or inferred, spelled out so that it is chosen again."""
    for role in COLUMN_ROLES:
        if role in ev.source.columns:
            yield role, ev.source.columns[role]
    if isinstance(ev, TwoClassEvaluation):
        if ev.source.format != "evidence":  # which knows its positive class
            yield "positive", ev.positive
        if ev.threshold_used is not None and ev.threshold_was_given:
            yield "threshold", ev.threshold_used
    if ev.level != 0.95:
        yield "level", ev.level
    if ev.seed:
        yield "seed", ev.seed
    if ev.source.dropped:
        yield "missing", "drop"


def compared_reproduce(compared: Compared, *, embed_rows: bool = False) -> list[Block] | None:
    """The same for the page of a comparison."""
    asked = {"measure": compared.measures or None, "margin": compared.margin, "control": compared.control}
    extra: dict[str, Option] = {name: value for name, value in asked.items() if value is not None}
    return reproduce(compared.comparison.models, "compare", extra, embed_rows=embed_rows)


def calls(models: Mapping[str, Evaluation]) -> dict[str, str]:
    """The command line and the Python that give the same numbers, without a threshold: a page adds its own."""
    ev = next(iter(models.values()))
    if ev.source.format == "arrays" or ev.source.sha256 is None:
        return {}
    options = {name: value for name, value in options_of(ev) if name not in ("threshold", "id", "amount")}
    return {
        "command": shlex.join(command_words("evaluate", ev.source.name, options)),
        "python": python_call("evaluate" if len(models) == 1 else "evaluate_models", ev.source.name, options),
    }


def command_words(verb: str, file: str, options: Mapping[str, Option]) -> list[str]:
    """The words of a command line; an option that is a tuple is given once for each of its values."""
    words = ["assay", verb, file]
    for name, value in options.items():
        for each in value if isinstance(value, tuple) else (value,):
            words += [f"--{name}", str(each)]
    return words


def python_call(function: str, file: str, options: Mapping[str, Option]) -> str:
    """The same as a call in Python."""
    arguments = ", ".join([repr(file), *(f"{name}={value!r}" for name, value in options.items())])
    return f"assay.{function}({arguments})"


def card(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """Every field that was filled in, for each model that has a card."""
    said = {key: ev.card for key, ev in models.items() if ev.card}
    if not said:
        return None
    names = model_names(models)
    blocks: list[Block] = [Heading("Card")]
    for key, fields in said.items():
        blocks += [Heading(names[key], 3)] if names[key] else []
        blocks.append(Notes(tuple(Note(CARD_FIELDS[name], tamed(text)) for name, text in fields.items())))
    return [*blocks, Sentence(CARD_SAID)]
