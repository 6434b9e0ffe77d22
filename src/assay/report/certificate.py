"""What simulation says of the defaults: the lines of the certificate, as `assay explain` and pages print them.

`make verify ONLY=certificate` writes the file that is read here, and docs/verification/certificate.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from assay.method_names import method_identifier
from assay.results import Table, counted, percent

__all__ = ["certified", "covered", "of_method", "weak_of_method"]

Kind = Literal["rows", "normal", "weights", "clusters", "sized", "classes", "ordered", "lacking", "alike"]
OF_DIFFERENCE, OF_MANY = ", difference", ", many classes"
ON: dict[str, str] = {
    "weights": " of weighted rows",
    "clusters": " of clustered rows",
    "sized": " of clusters of informative size",
    "classes": " of many classes",
    "normal": " of normal classes",
    "lacking": " of models with missing cases",
}
# Populations on which a measure has other lines beside those of single rows.
OTHERS = ("normal", "lacking")


@cache
def records() -> tuple[dict[str, Any], ...]:
    """Every line: what of, on which kind of population, and how often it held."""
    return tuple(json.loads(files("assay.report").joinpath("certificate.json").read_text(encoding="utf-8")))


def certified(name: str, kind: Kind = "rows") -> str | None:
    """How often a default interval of a measure held on populations drawn at random, as a sentence; None if untried.

    >>> certified("roc_auc")
    'simulated coverage: minimum ... %, median ... %; ... populations drawn at random, ... samples each'
    """
    found = next((one for one in records() if one["name"] == name and one["kind"] == kind), None)
    return None if found is None or found["least"] is None else _coverage_sentence(found)


def of_method(method: str) -> Table | None:
    """The same for everything of single rows that a method is the interval of, or the test; None if untried.

    >>> of_method("Wilson, Jaccard").columns["of"]
    ['f1', 'f2', 'f05']
    """
    kept = _designs_of_method(method)
    if not kept:
        return None
    return Table(
        {
            "of": [_design_name(one) for one in kept],
            "populations": [one["populations"] for one in kept],
            "samples": [one["samples"] for one in kept],
            "least": [one["least"] for one in kept],
            "median": [one["median"] for one in kept],
            "refused": [one["refused"] for one in kept],
        },
        title="Simulated coverage on populations drawn at random",
    )


def weak_of_method(method: str) -> list[str]:
    """A sentence on each line of `of_method` whose interval, or test, surely held too seldom somewhere.

    >>> [line.split(":")[0] for line in weak_of_method("Wilson")][:1]
    ['recall']
    """
    return [f"{_design_name(one)}: {_failure_sentence(one)}" for one in _designs_of_method(method) if one["fails"]]


def _designs_of_method(method: str) -> list[dict[str, Any]]:
    kept = [one for one in records() if one["least"] is not None and method_identifier(method) in one["methods"]]
    return [one for one in kept if one["kind"] not in ("weights", "clusters", "sized")]


def _design_name(found: dict[str, Any]) -> str:
    return f"{found['name']}{ON[found['kind']] if found['kind'] in OTHERS else ''}"


def _failure_sentence(found: dict[str, Any]) -> str:
    """On how many populations it surely held too seldom, and the worst of them."""
    return (
        f"coverage significantly too low in {found['fails']} of {found['populations']:,}, the worst: {found['worst']}"
    )


def covered(names: Sequence[str], kind: Kind) -> str | None:
    """The least and the median coverage of several together, in a few words."""
    kept = [one for one in records() if one["name"] in names and one["kind"] == kind and one["least"] is not None]
    if not kept:
        return None
    least, median = min(one["least"] for one in kept), min(one["median"] for one in kept)
    populations = counted(max(one["populations"] for one in kept), "simulated population")
    return f"Simulated coverage: minimum {percent(least)}, median {percent(median)}, over {populations}."


def _coverage_sentence(found: dict[str, Any]) -> str:
    populations = f"{found['populations']:,} populations{ON.get(found['kind'], '')} drawn at random"
    held = (
        f"simulated coverage: minimum {percent(found['least'])}, median {percent(found['median'])}; no interval in "
        f"{percent(found['refused'])} of samples; {populations}, {found['samples']:,} samples each"
    )
    fails = f"; {_failure_sentence(found)}" if found["fails"] else ""
    return f"{held}{fails}"
