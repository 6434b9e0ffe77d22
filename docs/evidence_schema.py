"""The schema of the header of a file of evidence."""

from __future__ import annotations

from typing import Any

from docs.schemas import head, object_of

TEXT: dict[str, Any] = {"type": "string"}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
AMOUNT: dict[str, Any] = {"type": "number", "minimum": 0}
YES: dict[str, Any] = {"type": "boolean"}
SHA256: dict[str, Any] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}


def evidence_schema(version: int) -> dict[str, Any]:
    """The schema of `evidence.json` in a file that `assay reduce` or `assay merge` wrote.

    The first version holds no sums of many classes; files without such are still written as it.
    """
    model = _model()
    if version > 1:
        model["properties"]["sums"] = _sums()
    part = object_of({"name": TEXT, "sources": _list(SHA256), "models": _list(model, least=1)})
    part["properties"]["joint"] = _with_squares({"names": _list(TEXT, least=2), "counts": _matrix()})
    part["properties"]["together"] = _together()
    header = object_of(
        {
            "format": {"const": "assay.evidence"},
            "version": {"const": version},
            "written_by": TEXT,
            "checksum": SHA256,
            "parts": _list(part, least=1),
        }
    )
    return {**head("The header of a file of evidence"), **header}


def _model() -> dict[str, Any]:
    scores = {"type": "array", "items": {"oneOf": [_cells(), _exact()]}}
    model = object_of({"name": TEXT, "classes": _list(TEXT, least=2), "cases": _list(COUNT, least=2), "scores": scores})
    model["properties"] |= {
        "threshold": {"type": "number"},
        "threshold_was_given": YES,
        "matrix": _with_squares({"decisions": _list(TEXT, least=2), "counts": _matrix()}),
    }
    return model


def _sums() -> dict[str, Any]:
    """What the cases of many classes add up to."""
    tables = {"oneOf": [_cells(), _exact()]}
    return object_of(
        {
            "by_truth": {**COUNT, "maximum": 2},
            "answers": object_of(dict.fromkeys(("top", "margin", "lead"), tables)),
            "losses": {"type": "object", "additionalProperties": _list(_matrix(), least=1)},
            "certain_and_wrong": AMOUNT,
            "are_probabilities": YES,
        }
    )


def _together() -> dict[str, Any]:
    """What several models made of the same cases, two by two."""
    pair = {"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2}
    grid = object_of({"kind": {"enum": ["probability", "real"]}, "bits": {**COUNT, "maximum": 16}})
    scores = {
        "pair": pair,
        "grids": _list(grid, least=2),
        "length": COUNT,
        "first": {"type": "integer"},
        "weighted": YES,
    }
    names = {"decisions": _list(TEXT, least=2), "classes": _list(TEXT, least=2)}
    decisions = object_of({"pair": pair, **names, "counts": _list(_matrix(), least=2)})
    decisions["properties"]["squares"] = _list(_matrix(), least=2)
    losses = object_of({"sums": _list(AMOUNT, least=3), "products": _list(_list(AMOUNT, least=3), least=3)})
    return object_of(
        {
            "names": _list(TEXT, least=2),
            "scores": _list(object_of(scores)),
            "decisions": _list(decisions),
            "losses": {"type": "object", "additionalProperties": losses},
        }
    )


def _cells() -> dict[str, Any]:
    grid = object_of({"kind": {"enum": ["probability", "real"]}, "bits": {**COUNT, "maximum": 40}})
    hidden = {"type": "array", "items": AMOUNT, "minItems": 2, "maxItems": 2}
    told = {"kind": {"const": "cells"}, "grid": grid, "first": {"type": "integer"}, "ties": COUNT, "hidden": hidden}
    return object_of({**_scores(), **told})


def _exact() -> dict[str, Any]:
    return object_of({**_scores(), "kind": {"const": "scores"}})


def _scores() -> dict[str, Any]:
    return {"classes": {**_list(TEXT, least=2), "maxItems": 2}, "length": COUNT, "weighted": YES}


def _matrix() -> dict[str, Any]:
    return _list(_list(AMOUNT, least=2), least=2)


def _with_squares(properties: dict[str, Any]) -> dict[str, Any]:
    found = object_of(properties)
    found["properties"]["squares"] = _matrix()
    return found


def _list(items: dict[str, Any], *, least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}
