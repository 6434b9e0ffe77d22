"""Reproduce: what was read, with what, and what to type to read it again."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterator, Mapping
from importlib.metadata import version

from assay import __version__
from assay.evaluation import Evaluation
from assay.report.blocks import Block, Heading, Note, Notes
from assay.report.words import count, shortened, visible

__all__ = ["reproduce"]

COLUMN_ROLES = ("truth", "score", "pred", "model", "weight", "count", "cluster", "fold", "by")


def reproduce(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """Versions, the hash of the file, and the command line and Python that make this report."""
    ev = next(iter(models.values()))
    source = ev.source
    items = [Note("source", f"{shortened(source.name, 60)}, {count(source.rows)} rows")]
    if source.sha256 is not None:
        items.append(Note("sha256", visible(source.sha256)))
    if source.format != "arrays" and source.sha256 is not None:
        options = dict(_options(ev))
        items.append(Note("command", _command(source.name, options), is_code=True))
        items.append(Note("Python", _python(source.name, options, is_single=len(models) == 1), is_code=True))
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
    items.append(Note("versions", f"Assay {__version__}, Python {platform.python_version()}, {libraries}"))
    return [Heading("Reproduce"), Notes(tuple(items))]


def _options(ev: Evaluation) -> Iterator[tuple[str, str | float | tuple[str, ...]]]:
    """What was chosen or inferred, spelled out so that it is chosen again."""
    for role in COLUMN_ROLES:
        if role in ev.source.columns:
            yield role, ev.source.columns[role]
    if ev.positive is not None:
        yield "positive", ev.positive
    if ev.cutoff is not None and ev.threshold_was_given:
        yield "threshold", ev.cutoff
    if ev.level != 0.95:
        yield "level", ev.level
    if ev.seed:
        yield "seed", ev.seed
    if ev.source.dropped:
        yield "missing", "drop"


def _command(file: str, options: Mapping[str, str | float | tuple[str, ...]]) -> str:
    words = ["assay", "evaluate", file]
    for name, value in options.items():
        for each in value if isinstance(value, tuple) else (value,):
            words += [f"--{name}", str(each)]
    return visible(shlex.join([*words, "--html", "report.html"]))


def _python(file: str, options: Mapping[str, str | float | tuple[str, ...]], *, is_single: bool) -> str:
    function = "evaluate" if is_single else "evaluate_models"
    arguments = ", ".join([repr(file), *(f"{name}={value!r}" for name, value in options.items())])
    lines = ("import assay", f"assay.{function}({arguments}).report('report.html')")
    return "\n".join(visible(line) for line in lines)
