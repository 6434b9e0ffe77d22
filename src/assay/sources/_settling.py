"""From something open to the ways that settle it whole, the likeliest first: each works when pasted and says what it
means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import InputError
from assay.request import Request
from assay.results import percent
from assay.sources._contents import Profile
from assay.sources._fit import CandidateReading
from assay.sources._labels import known_pair, label_name
from assay.sources._names import USED
from assay.sources._roles import Roles
from assay.sources._ways import Open, Way
from assay.sources._wording import shown

__all__ = ["other_truths", "rank_positives", "ways_among", "ways_of"]

MOST_WAYS = 8
MOST_DOUBTED = 2  # so many of them may be ways that something speaks against, where there are others
MOST_FITTED = 100  # of more ways than these none is tried on the rows
DEEPEST = 3
# What has to hold for a way to be right: whoever pastes it says so.
CONDITIONS = {
    "truth": "is the true label",
    "score": "is the score",
    "pred": "is the predicted label",
    "certainty": "is the probability of the predicted label",
}


@dataclass(frozen=True)
class _Suggestion:
    """A way, what it means, and the reading that it leads to where there are rows to look at."""

    asked: Mapping[str, Any]
    meaning: str
    reading: CandidateReading | None = None

    @property
    def key(self) -> object:
        """The same for ways that lead to one reading: naming a column may change nothing."""
        if self.reading is None:
            return repr(dict(self.asked))
        roles = self.reading.roles
        design = [(role, column) for role, column in self.asked.items() if role not in (*CONDITIONS, "positive")]
        return repr((roles.truth, roles.models, roles.used, roles.model, self.reading.positive, design))

    @property
    def rank(self) -> tuple[float, ...]:
        """What ways are ordered by, the likeliest first."""
        return () if self.reading is None else self.reading.rank

    def way(self) -> Way:
        """What to type, and what it means: under which condition, what the columns hold, and how well it fits."""
        fit = "" if self.reading is None else self.reading.described
        return self.asked, "; ".join(filter(None, (self.meaning, fit)))


def ways_of(error: Open, request: Request, read: Callable[[Request], Roles]) -> list[Way]:
    """Every way to settle what is open, each complete, with what it means; those that lead nowhere are left out."""
    found: dict[object, _Suggestion] = {}
    for asked, roles in _readings(error, {}, request, read):
        for each in _completed(asked, roles, request):
            found.setdefault(each.key, each)
    return _ranked(found.values())


def rank_positives(ways: Iterable[Way], roles: Roles) -> list[Way]:
    """Ways to name the positive class, and how well each fits: the likeliest first."""
    contents = roles.contents
    if contents is None:
        return list(ways)
    return _ranked(
        _Suggestion(asked, meaning, CandidateReading(roles, asked["positive"], contents)) for asked, meaning in ways
    )


def _ranked(found: Iterable[_Suggestion]) -> list[Way]:
    each = list(found)
    if len(each) > MOST_FITTED or any(one.reading is None for one in each):
        return [(one.asked, one.meaning) for one in each[:MOST_WAYS]]
    ordered = sorted(each, key=lambda one: one.rank)
    sound = [one for one in ordered if not one.rank[0]]
    doubted = [one for one in ordered if one.rank[0]]
    return [one.way() for one in [*sound, *(doubted[:MOST_DOUBTED] if sound else doubted)][:MOST_WAYS]]


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
    found: list[_Suggestion] = []
    for column in roles.unused if looked else ():
        if role == "truth" and looked[column].can_be_truth:
            found += _completed({"truth": column}, replace(roles, truth=column), request)
        elif role == "pred" and looked[column].can_be_labels_of(looked[roles.truth]):
            models = tuple(replace(model, pred=column) for model in roles.models)
            found += _completed({"pred": column}, replace(roles, models=models), request)
        elif role in ("by", "model") and looked[column].can_be_truth:
            found.append(_Suggestion({role: column}, looked[column].described()))
    return _ranked(found)


def _completed(asked: Mapping[str, Any], roles: Roles, request: Request) -> Iterator[_Suggestion]:
    """A way with whatever else has to be given: the design that names told, the positive class, gaps."""
    contents = roles.contents
    # Once a column is named, what rows are has to be named, too; before, the names alone would have told.
    named_before = bool(request.truth or request.score or request.pred or request.certainty)
    names_now = named_before or bool({"truth", "score", "pred", "certainty"} & asked.keys())
    told = {**roles.used, **{r: c for r, c in roles.design.items() if r in USED}}
    told |= {"cluster": roles.clusters[0]} if roles.clusters else {}
    unsaid = {role: c for role, c in told.items() if role in USED and getattr(request, role) is None}
    alone = unsaid if names_now and not named_before else {}
    if contents is None:
        yield _Suggestion({**asked, **alone}, "")
        return
    looked = contents.of([roles.truth, *roles.columns, *alone.values()])
    alone = {role: column for role, column in alone.items() if role != "cluster" or looked[column].repeats}
    gaps = any(looked[column].there < looked[column].rows for column in roles.columns if column not in roles.watched)
    dropping = {"missing": "drop"} if gaps and request.missing == "refuse" and "missing" not in asked else {}
    truth = looked[roles.truth]
    meaning, holds = _meaning(asked, roles)
    for on_ids in _on_repeated_ids({**asked, **alone}, roles, request):
        way = {**asked, **alone, **on_ids, **dropping}
        if truth.distinct == 2 and known_pair(truth.names) is None and request.positive is None:
            for name, size in truth.classes:
                share = f"{shown(name)} is positive ({percent(size / truth.there, 0)} of {truth.there:,} rows)"
                both = f"{meaning} and {share}" if meaning else share
                yield _Suggestion({**way, "positive": name}, both, CandidateReading(roles, name, contents))
        else:
            text = f"{meaning}: {holds}" if meaning and holds else meaning or holds
            yield _Suggestion(way, text, CandidateReading(roles, _positive(request, truth), contents))


def _positive(request: Request, truth: Profile) -> str | None:
    """The positive class of a truth where it is known."""
    if request.positive is not None:
        return label_name(request.positive)
    pair = known_pair(truth.names)
    return None if pair is None else pair[1]


def _on_repeated_ids(asked: Mapping[str, Any], roles: Roles, request: Request) -> list[Mapping[str, Any]]:
    """What may be said of ids that repeat, where that has to be said, too; nothing is one way."""
    assert roles.contents is not None
    if roles.model is not None or request.cluster is not None or request.id is not None or "cluster" in asked:
        return [{}]
    looked = roles.contents.of(roles.watched)
    again = tuple(c for c in roles.watched if looked[c].repeats and c not in asked.get("ignore", ()))
    ways: list[Mapping[str, Any]] = [{"cluster": column} for column in again]
    return [*ways, {"ignore": (*asked.get("ignore", ()), *again)}] if again else [{}]


def _meaning(asked: Mapping[str, Any], roles: Roles) -> tuple[str, str]:
    """What a way means: what its first column has to be, and what that holds."""
    assert roles.contents is not None
    if set(asked) == {"ignore"}:
        return "leave it alone" if len(asked["ignore"]) == 1 else "leave them alone", ""
    for role in ("truth", "pred", "score", "certainty", "cluster", "fold", "weight", "count", "ignore"):
        if role in asked:
            columns = asked[role] if isinstance(asked[role], tuple) else (asked[role],)
            if len(columns) != 1:
                return "a model each" if role in ("score", "pred") else "", ""
            holds = roles.contents.of(columns)[columns[0]].described()
            return f"if {shown(columns[0])} {CONDITIONS[role]}" if role in CONDITIONS else "", holds
    return "", ""
