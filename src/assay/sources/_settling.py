"""From something open to every way that settles it whole: each ends in a reading, so that what is pasted works."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from assay.errors import InputError
from assay.request import Request
from assay.results import percent
from assay.sources._labels import known_pair
from assay.sources._names import USED
from assay.sources._roles import Roles
from assay.sources._ways import Open, Way

__all__ = ["completed", "other_truths", "ways_among", "ways_of"]

MOST_WAYS = 8
DEEPEST = 3


def ways_of(error: Open, request: Request, read: Callable[[Request], Roles]) -> list[Way]:
    """Every way to settle what is open, each complete, with what it means; those that lead nowhere are left out."""
    found: list[Way] = []
    for asked, roles in _readings(error, {}, request, read):
        found += completed(asked, roles, request)
    by_options = {repr(dict(asked)): (asked, meaning) for asked, meaning in found}
    return list(by_options.values())[:MOST_WAYS]


def _readings(
    error: Open, asked: Mapping[str, Any], request: Request, read: Callable[[Request], Roles]
) -> Iterator[tuple[Mapping[str, Any], Roles]]:
    for choice in error.choices:
        together = {**asked, **choice}
        if "ignore" in choice:
            together["ignore"] = (*asked.get("ignore", ()), *choice["ignore"])
        changed = {**together, "ignore": (*request.ignore, *together.get("ignore", ()))}
        try:
            yield together, read(request.but(changed))
        except Open as further:
            if len(together) < DEEPEST:
                yield from _readings(further, together, request, read)
        except InputError:
            continue


def other_truths(roles: Roles, request: Request) -> list[Way]:
    """The columns that could be the truth instead."""
    return ways_among(roles, request, "truth")


def ways_among(roles: Roles, request: Request, role: str) -> list[Way]:
    """The columns nobody uses that could play a role: the truth, predicted labels, or what parts the rows."""
    if roles.contents is None:
        return []
    looked = roles.contents.search([roles.truth, *roles.unused])
    found: list[Way] = []
    for column in roles.unused if looked else ():
        if role == "truth" and looked[column].can_be_truth:
            found += completed({"truth": column}, replace(roles, truth=column), request)
        elif role == "pred" and looked[column].can_be_labels_of(looked[roles.truth]):
            found += completed({"pred": column}, roles, request)
        elif role in ("by", "model") and looked[column].can_be_truth:
            found.append(({role: column}, looked[column].described()))
    return found[:MOST_WAYS]


def completed(asked: Mapping[str, Any], roles: Roles, request: Request) -> Iterator[Way]:
    """A way with whatever else has to be said: the design that names told, the positive class, gaps."""
    contents = roles.contents
    # Once a column is named, what rows are has to be named, too; before, the names alone would have told.
    named_before = bool(request.truth or request.score or request.pred or request.certainty)
    names_now = named_before or bool({"truth", "score", "pred", "certainty"} & asked.keys())
    told = {**roles.used, **{r: c for r, c in roles.design.items() if r in USED}}
    told |= {"cluster": roles.clusters[0]} if roles.clusters else {}
    unsaid = {role: c for role, c in told.items() if role in USED and getattr(request, role) is None}
    alone = unsaid if names_now and not named_before else {}
    if contents is None:
        yield {**asked, **alone}, ""
        return
    looked = contents.of([roles.truth, *roles.columns, *alone.values()])
    alone = {role: column for role, column in alone.items() if role != "cluster" or looked[column].repeats}
    gaps = any(looked[column].there < looked[column].rows for column in roles.columns if column not in roles.watched)
    dropping = {"missing": "drop"} if gaps and request.missing == "refuse" and "missing" not in asked else {}
    truth = looked[roles.truth]
    subject = _subject(asked, roles)
    meaning = contents.of([subject])[subject].described() if subject is not None else ""
    if set(asked) == {"ignore"}:
        meaning = "leave it alone" if len(asked["ignore"]) == 1 else "leave them alone"
    for on_ids in _on_repeated_ids({**asked, **alone}, roles, request):
        way = {**asked, **alone, **on_ids, **dropping}
        if truth.distinct == 2 and known_pair(truth.names) is None and request.positive is None:
            for name, size in truth.classes:
                yield {**way, "positive": name}, f"{percent(size / truth.there, 0)} of {truth.there:,} rows"
        else:
            yield way, meaning


def _on_repeated_ids(asked: Mapping[str, Any], roles: Roles, request: Request) -> list[Mapping[str, Any]]:
    """What may be said of ids that repeat, where that has to be said, too; nothing is one way."""
    assert roles.contents is not None
    if roles.model is not None or request.cluster is not None or request.id is not None or "cluster" in asked:
        return [{}]
    looked = roles.contents.of(roles.watched)
    again = tuple(c for c in roles.watched if looked[c].repeats and c not in asked.get("ignore", ()))
    ways: list[Mapping[str, Any]] = [{"cluster": column} for column in again]
    return [*ways, {"ignore": (*asked.get("ignore", ()), *again)}] if again else [{}]


def _subject(asked: Mapping[str, Any], roles: Roles) -> str | None:
    """The column that a way is about first of all."""
    for role in ("truth", "score", "pred", "certainty", "cluster", "fold", "weight", "count", "ignore"):
        if role in asked:
            value = asked[role]
            if isinstance(value, tuple):
                return str(value[0]) if len(value) == 1 else None
            return roles.truth if role == "truth" else str(value)
    return None
