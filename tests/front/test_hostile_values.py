"""Every option of every command that reads predictions, with values nobody should give: an answer or a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.front.test_every_flag import FLAGS, RECORDS, arguments, ran

from assay.request import CurveRequest, ModelRequest, PredictionsRequest, StudyRequest

QUICK = {
    "number": ("nan", "-1"),
    "whole": ("-1", "1.5", "9" * 40),
    "text": ("", "\x1b[31m\n"),
    "pair": (("nan", "nan"), ("1", "0")),
}
ALL = {
    "number": ("0", "1", "5", "inf", "-inf", "1e308", "-1e308", "1e-320", "0.9999999999999999", "", "x"),
    "whole": ("0", "nan", ""),
    "text": (" ", "x" * 5_000, "'\"", "-x", "\udcff", "0", "__init__", "1e400"),
    "pair": (("inf", "inf"), ("0", "0"), ("-1e308", "1e308"), ("1e-320", "1e-319")),
}
TAKING = [
    (command, name, {"array": "text"}.get(kind, kind))
    for command, name in FLAGS
    if RECORDS[command] not in (StudyRequest, CurveRequest, ModelRequest, PredictionsRequest)
    and (kind := RECORDS[command].options()[name].kind) in ("array", *QUICK)
]


def answers_or_refuses(folder: Path, line: list[str], name: str, value: str | tuple[str, ...]) -> None:
    words = value if isinstance(value, tuple) else (value,)
    code, said = ran(folder, [*line, "--" + name.replace("_", "-"), *words])
    assert code in (0, 1, 2, 3, 5), said[-400:]
    assert "internal error" not in said
    assert "Traceback" not in said
    assert "Warning" not in said


@pytest.mark.parametrize(
    ("command", "name", "kind"), [each for each in TAKING if each[0] != "columns"], ids=lambda part: part
)
def test_a_value_nobody_should_give_is_refused_or_answered(command: str, name: str, kind: str, tmp_path: Path) -> None:
    line = arguments(command, name, tmp_path)
    for value in QUICK[kind]:
        answers_or_refuses(tmp_path, line, name, value)


@pytest.mark.engines
@pytest.mark.parametrize(("command", "name", "kind"), TAKING, ids=lambda part: part)
def test_so_is_every_other(command: str, name: str, kind: str, tmp_path: Path) -> None:
    line = arguments(command, name, tmp_path)
    for value in (*QUICK[kind], *ALL[kind]):
        answers_or_refuses(tmp_path, line, name, value)


PLANS = [
    ("accuracy", "nan"), ("accuracy", "inf"), ("accuracy", "0.9", "0.9000000000000001"), ("accuracy", "1", "0"),
    ("accuracy", "0.9", "--half-width", "1e-320"), ("roc_auc", "0.9", "--prevalence", "1e-320"),
    ("recall", "0.9", "--prevalence", "1e-320"), ("recall", "0.9", "0.8", "--prevalence", "0"),
    ("brier", "0.1", "0.09", "--sd", "1e200"), ("brier", "0.1", "0.09", "--sd", "1e308"),
    ("accuracy", "0.9", "--level", "1e-320"), ("accuracy", "0.9", "--level", "0.9999999999999999"),
]  # fmt: skip


@pytest.mark.parametrize("words", PLANS, ids=" ".join)
def test_a_plan_beyond_all_numbers_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    code, said = ran(tmp_path, ["plan", *words])
    assert code == 2, said
    assert said.strip().removesuffix("[]").strip().count("\n") == 0
    assert "needed:" in said


@pytest.mark.parametrize("level", ["1e-320", "0.9999999999999999"])
def test_a_level_next_to_an_end_is_refused(level: str, tmp_path: Path) -> None:
    code, said = ran(tmp_path, ["demo", "--level", level])
    assert code == 2
    assert "needed: a number between 0 and 1, such as 0.95" in said
