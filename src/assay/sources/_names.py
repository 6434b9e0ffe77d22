"""The names by which columns are recognised, and what is said where names leave something open."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from assay.errors import InputError
from assay.sources._wording import joined, listed, shown

__all__ = ["DESIGN", "NAMES", "USED", "ambiguous", "close", "existing", "folded", "only"]

NAMES = {
    "truth": ("y_true", "target", "label", "actual", "truth", "class"),
    "score": ("y_score", "score", "prob", "proba", "p"),
    "pred": ("y_pred", "pred", "prediction", "predicted"),
    "model": ("model", "classifier"),
    "weight": ("weight", "weights", "sample_weight"),
    "count": ("count", "counts", "freq", "frequency"),
    "cluster": ("cluster", "subject", "patient"),
    "fold": ("fold",),
}
USED = ("weight", "count", "cluster", "fold")
DESIGN = ("repeat", "split", "dataset", "id")  # seen and reported, each by its own name
MEANING = {
    "truth": "true classes",
    "score": "scores",
    "pred": "predicted labels",
    "model": "model names",
    "weight": "weights",
    "count": "counts",
    "cluster": "clusters",
    "fold": "folds",
    "by": "subgroups",
    "id": "ids",
}


def only(free: Sequence[str], role: str) -> str | None:
    """The one column whose name says that it plays a role, if there is any; more than one are asked about."""
    found = [column for name in NAMES[role] for column in free if folded(column) == name]
    if len(found) > 1:
        raise ambiguous(role, found)
    return found[0] if found else None


def existing(columns: Sequence[str], role: str, name: str) -> str:
    """A column that the user named, as the source spells it."""
    if name in columns:
        return name
    alike = [column for column in columns if folded(column) == folded(name)]
    if len(alike) == 1:
        return alike[0]
    if alike:
        raise ambiguous(role, alike)
    nearest = close(name, columns)
    raise InputError(
        f"there is no column {shown(name)}; the columns are {listed(columns)}",
        f"the column of {MEANING[role]}" if role in MEANING else "a column that exists",
        {role: nearest} if nearest else None,
    )


def ambiguous(role: str, found: Sequence[str]) -> InputError:
    """What to say where several columns could play a role."""
    what = f"the {MEANING[role]}" if role in MEANING else "meant"
    return InputError(f"{joined(found)} could each be {what}", "which one", {role: found[0]})


def close(name: str, columns: Sequence[str]) -> str | None:
    """The column whose name is most like this one, if any is."""
    by_name = {folded(column): column for column in columns}
    found = difflib.get_close_matches(folded(name), list(by_name), n=1, cutoff=0.7)
    return by_name[found[0]] if found else None


def folded(column: str) -> str:
    """A column's name without the differences that do not matter."""
    return column.strip().casefold()
