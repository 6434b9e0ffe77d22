"""What may be asked of the logs of language-model evaluations, beside what is asked of predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.errors import OptionError
from assay.request.option import Asked, option
from assay.request.values import checked_number, checked_text, checked_whole

__all__ = ["LogRequest", "checked_range", "whole_numbers"]

LOGS, CHECKS = ("evaluate", "compare"), ("evaluate", "compare", "check")
MOST_REPEATS = 1_000_000


def whole_numbers(value: Any, name: str) -> tuple[int, ...]:
    """Numbers of answers, as a list or as a text with commas between them.

    >>> whole_numbers("1,5", "at"), whole_numbers(3, "at"), whole_numbers([1, 10], "at")
    ((1, 5), (3,), (1, 10))
    """
    if isinstance(value, str):
        parts = [part.strip() for part in value.split(",")]
        if not all(part.isdecimal() and len(part) < 8 for part in parts):
            raise OptionError(f"{name} is {value[:60]!r}", "whole numbers, such as 1,5", {name: "1,5"}, about=name)
        value = [int(part) for part in parts]
    each = [value] if isinstance(value, int) else list(value)
    return tuple(dict.fromkeys(checked_whole(number, name, most=MOST_REPEATS) for number in each))


def checked_range(value: Any, name: str) -> tuple[float, float]:
    """The lowest and the highest score that a scorer can give.

    >>> checked_range((1, 5), "range")
    (1.0, 5.0)
    """
    low, high = (checked_number(each, name) for each in value)
    if not low < high:
        raise OptionError(f"{name} is {low:g} to {high:g}", "a lower number, then a higher one", about=name)
    return low, high


@dataclass(frozen=True, kw_only=True, eq=False)
class LogRequest(Asked):
    """Every option about logs, once.

    >>> LogRequest(scorer="exact_match", at="1,5").given
    {'scorer': 'exact_match', 'at': (1, 5)}
    """

    scorer: str | None = option("Log: scorer or metric to use.", commands=CHECKS, check=checked_text)
    filter: str | None = option(
        "Log: filter of the responses, where lm-eval has several.", commands=CHECKS, check=checked_text
    )
    task: str | None = option("Log: task to use.", commands=CHECKS, check=checked_text)
    at: Any = option(
        "Log: pass@k for these k, such as 1,5.", (), commands=LOGS, metavar="K,K",
        check=whole_numbers,
    )  # fmt: skip
    majority: Any = option(
        "Log: majority@k for these k.", (), commands=LOGS, metavar="K,K",
        check=whole_numbers,
    )  # fmt: skip
    range: tuple[float, float] | None = option(
        "Log: lowest and highest possible score, where they are not 0 and 1.", commands=CHECKS, kind="pair",
        metavar="LOW HIGH", check=checked_range,
    )  # fmt: skip
    partial: bool = option("Log: allow a run that did not finish.", False, commands=CHECKS, kind="flag")
    aa: bool = option(
        "Log: also run an A/A check, by random splits of its repeats.", False, commands=("check",),
        kind="flag",
    )  # fmt: skip
    item: str | None = option(
        "Column of item identifiers, to read any table as a log: --item id --score correct.", commands=CHECKS,
        check=checked_text,
    )  # fmt: skip
    repeat: str | None = option(
        "Column that numbers the responses to an item, in such a table.", commands=CHECKS, check=checked_text,
        needs={"item": "id"}, stands_for="row order",
    )  # fmt: skip
    judge: str | None = option(
        "Column of a judge's labels of all rows: the share that passes, with the judge's errors in it.",
        commands=("evaluate",), check=checked_text,
    )  # fmt: skip
    human: str | None = option(
        "Column of human labels of a random part of the rows.", commands=("evaluate",), check=checked_text,
        needs={"judge": "judge"},
    )  # fmt: skip
    sensitivity: str | None = option(
        "How often the judge passed what is right, on other rows, such as 90/100.", commands=("evaluate",),
        check=checked_text, needs={"judge": "judge"},
    )  # fmt: skip
    specificity: str | None = option(
        "How often the judge failed what is wrong, on other rows, such as 60/80.", commands=("evaluate",),
        check=checked_text, needs={"judge": "judge"},
    )  # fmt: skip
