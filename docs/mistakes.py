"""Fifty realistic mistakes with the messages that follow and the fixes: `python -m docs.mistakes` writes the page.

A test makes each mistake and compares the message with the page, and runs each fix.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

HERE = Path(__file__).parent
PAGE = HERE / "mistakes.md"
LONGEST = 200  # characters of a message before its fix

COMMANDS = (
    ("evalute predictions.csv", "evaluate predictions.csv"),
    ("evaluate", "evaluate predictions.csv"),
    ("evaluate predictons.csv", "evaluate predictions.csv"),
    ("evaluate .", "evaluate predictions.csv"),
    ("evaluate spam.csv --pos-label spam", "evaluate spam.csv --positive spam"),
    ("evaluate spam.csv", "evaluate spam.csv --positive spam"),
    ("evaluate spam.csv --positive Spam", "evaluate spam.csv --positive spam"),
    (
        "evaluate predictions.csv --y-true target --score score",
        "evaluate predictions.csv --truth target --score score",
    ),
    ("evaluate predictions.csv --truth targt --score score", "evaluate predictions.csv --truth target --score score"),
    ("evaluate predictions.csv --truth target --score scor", "evaluate predictions.csv --truth target --score score"),
    ("evaluate predictions.csv --threshold 50%", "evaluate predictions.csv --threshold 0.5"),
    ("evaluate predictions.csv --threshold 0,4", "evaluate predictions.csv --threshold 0.4"),
    ("evaluate predictions.csv --threshold 50", "evaluate predictions.csv --threshold 0.5"),
    ("evaluate predictions.csv --level 95%", "evaluate predictions.csv --level 0.95"),
    ("evaluate predictions.csv --level 95", "evaluate predictions.csv --level 0.95"),
    ("evaluate predictions.csv --format jsn", "evaluate predictions.csv --format json"),
    ("evaluate predictions.csv --metric recall", "evaluate predictions.csv --measure recall"),
    ("evaluate predictions.csv --measure recal", "evaluate predictions.csv --measure recall"),
    (
        "evaluate predictions.csv --measure recall --method wislon",
        "evaluate predictions.csv --measure recall --method wilson",
    ),
    ("evaluate long.csv --models learner", "evaluate long.csv --model learner"),
    ("evaluate gaps.csv", "evaluate gaps.csv --missing drop"),
    ("evaluate predictions.csv --group-by age", "evaluate predictions.csv --by age"),
    ("compare predictions.csv", "compare two.csv"),
    ("compare two.csv --control c", "compare two.csv --control a"),
    ("compare two.csv --measure auc_roc", "compare two.csv --measure auroc"),
    ("threshold predictions.csv", "threshold predictions.csv --cost-fp 1 --cost-fn 10"),
    ("threshold predictions.csv --fp-cost 1 --cost-fn 10", "threshold predictions.csv --cost-fp 1 --cost-fn 10"),
    ("check predictions.csv --require recal>=0.5", "check predictions.csv --require recall>=0.1"),
    ("explain recal", "explain recall"),
    ("measures --list", "measures"),
)
PYTHON = (
    ("evaluate(score, y)", "evaluate(y, score)"),
    ("evaluate(y, score[:-1])", "evaluate(y, score)"),
    ("evaluate(y, y_pred=score)", "evaluate(y, score)"),
    ("evaluate(y)", "evaluate(y, score)"),
    ("evaluate(y, score, pos_label=1)", "evaluate(y, score, positive=1)"),
    ("evaluate(y, score, sample_weight=weight)", "evaluate(y, score, weight=weight)"),
    ("evaluate(y, score, average='macro')", "evaluate(y, y_pred=pred).per_class"),
    ("evaluate(y, score, wieght=weight)", "evaluate(y, score, weight=weight)"),
    ("evaluate(y, score, level='95%')", "evaluate(y, score, level=0.95)"),
    ("evaluate(y, score, threshold='0.5')", "evaluate(y, score, threshold=0.5)"),
    ("evaluate(y, [str(s) for s in score])", "evaluate(y, numpy.asarray([str(s) for s in score], float))"),
    (
        "evaluate(y, [f'{100 * s:.0f}%' for s in score])",
        "evaluate(y, [float(s.strip('% ')) / 100 for s in [f'{100 * s:.0f}%' for s in score]])",
    ),
    ("evaluate(spam, score)", "evaluate(spam, score, positive='spam')"),
    ("evaluate(LogisticRegression, X, y)", "evaluate(LogisticRegression().fit(X, y), X, y)"),
    ("evaluate(LogisticRegression(), X, y)", "evaluate(LogisticRegression().fit(X, y), X, y)"),
    ("evaluate(model)", "evaluate(model, X, y)"),
    ("evaluate(y, score).rocauc", "evaluate(y, score).roc_auc"),
    (
        "evaluate(y, score).estimate('recall', method='wislon')",
        "evaluate(y, score).estimate('recall', method='wilson')",
    ),
    (
        "evaluate(y, score).roc_auc - evaluate(y, other).roc_auc",
        "compare(y, {'a': score, 'b': other}).difference('roc_auc', 'a', 'b')",
    ),
    ("compare(y, score, other)", "compare(y, {'a': score, 'b': other})"),
    ("compare(y, {'a': score})", "compare(y, {'a': score, 'b': other})"),
    ("Costs(fp=-1, fn=10)", "Costs(fp=1, fn=10)"),
    ("Costs(fp=1)", "Costs(fp=1, fn=1)"),
    ("assay.evalute(y, score)", "assay.evaluate(y, score)"),
    ("assay.roc_auc_score(y, score)", "assay.evaluate(y, score).roc_auc"),
)


@dataclass(frozen=True)
class Mistake:
    """What was typed, the message that follows, and what works."""

    typed: str
    message: str
    fix: str


def write_files(folder: Path) -> None:
    """Write the files that the commands are about."""
    rows = [(int(k % 3 == 0), (k * 37 % 100) / 100, 20 + k % 40) for k in range(120)]
    tables = {
        "predictions.csv": ["target,score,age", *(f"{y},{s},{'young' if a < 40 else 'old'}" for y, s, a in rows)],
        "spam.csv": ["label,prob", *(f"{'spam' if y else 'ham'},{s}" for y, s, _ in rows)],
        "two.csv": ["y_true,score__a,score__b", *(f"{y},{s},{s * 0.5 + y * 0.3}" for y, s, _ in rows)],
        "long.csv": ["y_true,score,learner", *(f"{y},{s},{m}" for y, s, _ in rows for m in ("a", "b"))],
        "gaps.csv": ["y_true,score", "1,", *(f"{y},{s}" for y, s, _ in rows)],
    }
    for name, lines in tables.items():
        (folder / name).write_text("\n".join(lines) + "\n")


@contextlib.contextmanager
def in_folder() -> Iterator[None]:
    """Work in a folder of its own that holds the files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def run(command: str) -> tuple[int, str]:
    """Return the exit code of a command and what it prints on stderr."""
    from assay.cli import main

    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["assay", *shlex.split(command)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            return int(stop.code or 0), err.getvalue().rstrip()
    return 0, err.getvalue().rstrip()


def names() -> dict[str, Any]:
    """Return what the Python of the page is about."""
    import numpy
    from sklearn.linear_model import LogisticRegression

    import assay

    y = numpy.array([int(k % 3 == 0) for k in range(120)])
    score = numpy.array([(k * 37 % 100) / 100 for k in range(120)])
    features = numpy.stack([score, y * 0.3 + score * 0.5], 1)
    own = {name: getattr(assay, name) for name in ("evaluate", "compare", "Costs")}
    data = {"y": y, "score": score, "other": features[:, 1], "X": features, "pred": (score > 0.5).astype(int)}
    more = {
        "weight": numpy.ones(120),
        "spam": numpy.where(y, "spam", "ham"),
        "model": LogisticRegression().fit(features, y),
    }
    return {"assay": assay, "numpy": numpy, "LogisticRegression": LogisticRegression, **own, **data, **more}


def of_commands() -> Iterator[Mistake]:
    """Make each mistake on the command line."""
    for typed, fix in COMMANDS:
        code, said = run(typed)
        assert code, f"{typed} works"
        lines = said.splitlines()
        first = next(place for place, line in enumerate(lines) if line.startswith("error: "))
        yield Mistake(f"assay {typed}", "\n".join(lines[first:]), f"assay {fix}")


def of_python() -> Iterator[Mistake]:
    """Make each mistake in Python."""
    for typed, fix in PYTHON:
        try:
            eval(typed, names())  # noqa: S307 -- the page's own words
        except Exception as error:
            yield Mistake(typed, f"{type(error).__name__}: {error}", fix)
        else:
            raise AssertionError(f"{typed} works")


def before_fix(message: str) -> str:
    """Return a message as far as what to type, or the values to choose from."""
    first = message.split("\n", 1)[0]
    for end in ("; needed: one of ", "; needed: assay.", "; type ", "; pass ", "; the columns are "):
        first = first.split(end, 1)[0]
    return first


def page() -> str:
    """Return the page."""
    with in_folder():
        commands, python = list(of_commands()), list(of_python())
    head = (
        "# Mistakes and what to do\n\n"
        f"{len(commands) + len(python)} mistakes that are easily made, the message of each, and what works. Generated "
        "by `python -m docs.mistakes`; a test makes each of them again and runs each fix.\n"
    )
    parts = [head, "## On the command line\n"]
    parts += [f"```console\n$ {one.typed}\n{one.message}\n$ {one.fix}\n```\n" for one in commands]
    parts.append("## In Python\n")
    parts += [f"```python\n>>> {one.typed}\n{one.message}\n>>> {one.fix}\n```\n" for one in python]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
