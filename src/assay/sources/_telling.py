"""Rows that belong together: clusters that a name tells where their values repeat, and ids that should not repeat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.errors import InputError
from assay.request import Request
from assay.results import counted
from assay.sources._roles import Roles
from assay.sources._ways import Way
from assay.sources._wording import joined, shown

__all__ = ["with_clusters"]


def with_clusters(roles: Roles, repeats: Mapping[str, int], request: Request) -> Roles:
    """The roles after a look at what repeats: rows of one patient are no independent rows, and nobody said otherwise.

    >>> roles = Roles("y", (), clusters=("patient_id",))
    >>> with_clusters(roles, {"patient_id": 3}, Request()).used
    {'cluster': 'patient_id'}
    >>> with_clusters(roles, {"patient_id": 0}, Request()).design
    {'id': 'patient_id'}
    """
    again = [column for column in roles.clusters if repeats[column]]
    if len(again) > 1:
        ways: list[Way] = [({"cluster": c}, f"{repeats[c]:,} rows came before") for c in again]
        raise InputError(f"{joined(again)} could each be the clusters", "which one", ways=ways)
    used = dict(roles.used) | ({"cluster": again[0]} if again else {})
    single = [column for column in roles.clusters if not repeats[column]]
    design = dict(roles.design)
    if single and roles.id is None:
        design["id"] = single[0]
    settled = replace(roles, used=used, design=design, clusters=(), watched=())
    left = [column for column in single if column != settled.id]
    if "cluster" not in used and request.id is None:
        _refuse_repeated_ids({column: repeats[column] for column in (*roles.watched, *single) if repeats[column]})
    return replace(settled, unused=(*left, *roles.unused))


def _refuse_repeated_ids(again: Mapping[str, int]) -> None:
    if not again:
        return
    said = " and ".join(f"{shown(column)} repeats ({counted(rows, 'row')})" for column, rows in again.items())
    ways: list[Way] = [({"cluster": column}, "rows of the same one belong together") for column in again]
    ways.append(({"ignore": tuple(again)}, "every row is a case of its own"))
    raise InputError(said, "whether rows with the same id belong together", ways=ways)
