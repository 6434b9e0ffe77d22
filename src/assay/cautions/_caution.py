"""What a caution is, and the list of all rules."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import UnionType
from typing import Any, TypeVar, get_type_hints

from assay.cautions._facts import (
    CalibrationFacts,
    ComparisonFacts,
    EvaluationFacts,
    SitesFacts,
    StudyFacts,
    ThresholdFacts,
)
from assay.errors import UnknownName
from assay.renderers import in_notebook

Facts = EvaluationFacts | CalibrationFacts | ThresholdFacts | ComparisonFacts | StudyFacts | SitesFacts
F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Caution:
    """One thing to be careful about.

    >>> Caution("A106", "Left out, for want of a value: 3 rows.")
    A106  Left out, for want of a value: 3 rows.
    """

    code: str
    message: str

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"{self.code}  {self.message}"

    def to_dict(self) -> dict[str, str]:
        """Code and message."""
        return {"code": self.code, "message": self.message}


class Cautions(tuple[Caution, ...]):
    """What to be careful about, in the order of their codes."""

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "()"


@dataclass(frozen=True)
class Rule:
    """A rule with its code; its docstring is the explanation `assay explain CODE` prints."""

    code: str
    title: str
    # The record of facts it looks at, or several of them.
    reads: type | UnionType
    says: Callable[[Any], str | None]

    @property
    def explanation(self) -> str:
        """Why this matters and what to do."""
        return inspect.cleandoc(self.says.__doc__ or "")


rules: dict[str, Rule] = {}


def rule(code: str, title: str) -> Callable[[Callable[[F], str | None]], Callable[[F], str | None]]:
    """Register a function that returns the sentence to say, or None, about the record its first parameter names."""

    def register(says: Callable[[F], str | None]) -> Callable[[F], str | None]:
        assert code not in rules, f"caution {code} is taken"
        first = next(iter(inspect.signature(says).parameters))
        rules[code] = Rule(code, title, get_type_hints(says)[first], says)
        return says

    return register


def check(facts: Facts) -> Cautions:
    """Every caution that applies, in the order of their codes; only rules that look at such facts are asked."""
    asked = (rules[code] for code in sorted(rules) if isinstance(facts, rules[code].reads))
    said = ((rule.code, rule.says(facts)) for rule in asked)
    return Cautions(Caution(code, message) for code, message in said if message is not None)


def find_rule(code: str) -> Rule:
    """The rule behind a code, in any case.

    >>> find_rule("a101").title
    'Truth holds a single class'
    """
    found = rules.get(code.strip().upper())
    if found is None:
        raise UnknownName(f"there is no caution {code!r}; the codes are {', '.join(sorted(rules))}")
    return found
