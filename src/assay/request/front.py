"""The front door of Python: explicit keywords, and a helpful word about any other."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from assay.request.option import unknown_option

__all__ = ["front_door"]

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")
# What other libraries call the same thing.
ELSEWHERE = {
    "sample_weight": "weight",
    "weights": "weight",
    "pos_label": "positive",
    "labels": "classes",
    "probas_pred": "y_score",
    "y_prob": "y_proba",
    "groups": "cluster",
    "data": "y_true",
    "cutoff": "threshold",
    "alpha": "level",
    "confidence": "level",
    "random_state": "seed",
    "target": "truth",
}


def front_door(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """A function whose users may misspell an option: it says which one they meant, as an error of Assay's own.

    >>> @front_door
    ... def judge(y_true, weight=None): ...
    >>> judge([0, 1], sample_weight=[1, 1])
    Traceback (most recent call last):
    assay.errors.UnknownOption: judge has no option 'sample_weight'; needed: weight
    """
    known = tuple(signature(function).parameters)

    @wraps(function)
    def checked(*args: Parameters.args, **said: Parameters.kwargs) -> Answer:
        __tracebackhide__ = True  # pytest shows the line of whoever called
        for name in said:
            if name not in known:
                raise unknown_option(name, known, function.__qualname__, ELSEWHERE)
        return function(*args, **said)

    return checked
