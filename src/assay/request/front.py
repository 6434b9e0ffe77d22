"""The front door of Python: explicit keywords, and a helpful word about any other."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from assay.errors import UnknownOption
from assay.request.option import unknown_option
from assay.request.reducing import ReduceRequest
from assay.request.request import Request

__all__ = ["front_door", "usual_floats"]

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")
# What other libraries call the same thing, or where it is found here.
ELSEWHERE = {
    "sample_weight": "weight",
    "weights": "weight",
    "pos_label": "positive",
    "positive_class": "positive",
    "labels": "classes",
    "class_names": "classes",
    "target_names": "classes",
    "probas_pred": "y_score",
    "y_prob": "y_score",
    "prob": "y_score",
    "scores": "y_score",
    "predictions": "y_pred",
    "y_hat": "y_pred",
    "y_test": "y_true",
    "y_val": "y_true",
    "groups": "cluster",
    "group": "by parts cases into subgroups, cluster says which rows depend on one another",
    "data": "y_true",
    "cutoff": "threshold",
    "alpha": "level is 1 - alpha",
    "confidence": "level",
    "confidence_level": "level",
    "ci": "level",
    "random_state": "seed",
    "target": "truth",
    "n_jobs": "jobs",
    "normalize": "ev.cells() has counts, and their shares of each true class, of each label and of all",
    "average": "every average is a measure, as ev.macro_f1, and each class is in ev.per_class",
    "multi_class": "ev.hand_till and ev.macro_roc_auc are the averages over pairs and over classes",
    "zero_division": "what cannot be computed is nan, and says why",
    "drop_intermediate": "curve.corners() leaves out points on straight lines",
    "n_bootstraps": "every measure has an interval of its own, see ev.estimate(name, method=...)",
    "output_dict": "ev.to_dict() is the record",
    "digits": "numbers are kept in full, and format as f'{ev.roc_auc:.4f}'",
}


# What to write instead where more values are given by position than a function takes.
BY_NAME = {"compare": "scores by model: compare(y_true, {'a': scores_a, 'b': scores_b})"}


def front_door(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """A function whose users may misspell an option: it says which one they meant, as an error of Assay's own.

    >>> @front_door
    ... def judge(y_true, weight=None): ...
    >>> judge([0, 1], sample_weight=[1, 1])
    Traceback (most recent call last):
    assay.errors.UnknownOption: judge has no option 'sample_weight'; did you mean weight?
    """
    of_function = _with_options(function)
    known = tuple(of_function.parameters)
    in_order = [name for name, one in of_function.parameters.items() if one.kind is not one.KEYWORD_ONLY]
    needed = [name for name, one in of_function.parameters.items() if one.default is one.empty]

    called = function.__qualname__
    takes_any = any(one.kind is one.VAR_POSITIONAL for one in of_function.parameters.values())

    @wraps(function)
    def checked(*args: Parameters.args, **said: Parameters.kwargs) -> Answer:
        __tracebackhide__ = True  # pytest shows the line of whoever called
        for name in said:
            if name not in known:
                raise unknown_option(name, known, called, ELSEWHERE)
        if len(args) > len(in_order) and not takes_any:
            found = f"{called} takes {' and '.join(in_order)} by position, and {len(args)} values are given"
            raise UnknownOption(found, BY_NAME.get(called, "the others by name"))
        lacking = [name for name in needed[len(args) :] if name not in said]
        if lacking and not takes_any:
            raise UnknownOption(f"{called} is given no {lacking[0]}", lacking[0])
        doubled = next((name for name in in_order[: len(args)] if name in said), None)
        if doubled is not None:
            raise UnknownOption(f"{called} is given {doubled} twice", "one value, by position or by name")
        with usual_floats():
            return function(*args, **said)

    checked.__signature__ = of_function  # type: ignore[attr-defined]
    return checked


def _with_options(function: Callable[..., Any]) -> Signature:
    """Return a signature with every option of `**options: Unpack[...]` in it, its default that of the record."""
    plain = signature(function)
    own = [one for one in plain.parameters.values() if one.kind is not one.VAR_KEYWORD]
    if len(own) == len(plain.parameters):
        return plain
    options = function.__globals__[str(plain.parameters["options"].annotation)[len("Unpack[") : -1]]
    types = {name: getattr(one, "__forward_arg__", one) for name, one in options.__annotations__.items()}
    order = [*Request.options(), *ReduceRequest.options()]
    more = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=_default(name, types[name]), annotation=types[name])
        for name in sorted(types, key=order.index)
    ]
    return plain.replace(parameters=[*own, *more])


def _default(name: str, annotation: str) -> Any:
    """Return what an option is where it is left out; what that stands for, where it is a number and never None."""
    record = Request if name in Request.options() else ReduceRequest
    default = record.defaults()[name]
    return record.options()[name].stands_for if default is None and annotation in ("float", "int") else default


def usual_floats() -> np.errstate:
    """What becomes of overflow and the like as numpy has it by default, whatever the program around has chosen."""
    return np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")
