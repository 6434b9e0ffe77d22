"""What needs every row in memory, and is refused by its name where rows stay where they lie."""

from __future__ import annotations

from assay.errors import InputError
from assay.request import Request, doubled
from assay.sources._roles import Roles
from assay.sources._ways import Way
from assay.sources._wording import listed, shown

__all__ = ["refuse_unreachable", "refuse_what_stays"]

# What nobody can do yet without the rows, and what to do instead.
NOT_YET = {
    "fold": "cross-validation folds",
    "amount": "a risk chart",
    "id": "names of rows",
}


def refuse_unreachable(roles: Roles, request: Request) -> None:
    """Refuse whatever a reduction cannot use yet: nothing that is given is ignored."""
    for role, what in NOT_YET.items():
        if role in roles.used:
            _refuse(f"{what} ({shown(roles.used[role])})", roles.used[role], request, role)
    if roles.clusters:
        found = f"{listed(roles.clusters)} may tell which rows depend on one another, and the rows do not fit in memory"
        ways: list[Way] = [({"cluster": column}, "rows of the same one belong together") for column in roles.clusters]
        ways += [({"ignore": roles.clusters}, "every row is a case of its own"), _more_memory(request)]
        raise InputError(found, "whether they do, or memory for the rows", ways=ways)
    for option in ("default_class", "decimal"):
        if getattr(request, option) is not None:
            _refuse(f"{option} = {getattr(request, option)!r}", None, request, option)


def refuse_what_stays(roles: Roles) -> None:
    """Refuse columns of rows that depend on one another, where evidence is to be made: it cannot tell them apart."""
    columns = [roles.used["cluster"]] if "cluster" in roles.used else list(roles.clusters)
    if columns:
        found = f"{listed(columns)} may tell which rows depend on one another, and evidence cannot tell them apart"
        raise InputError(found, "every row a case of its own", {"ignore": columns[0]})


def _more_memory(request: Request) -> Way:
    return {"memory": doubled(request.memory)}, "read the rows, if there is room for them"


def _refuse(what: str, column: str | None, request: Request, role: str) -> None:
    ways: list[Way] = [_more_memory(request)]
    was_named = getattr(request, role, None) not in (None, ())
    if column is not None and not was_named:
        ways.insert(0, ({"ignore": column}, "leave it alone"))
    found = f"{what} cannot be used yet where rows do not fit into memory ({request.memory})"
    raise InputError(found, "it left out, or memory for the rows", ways=ways)
