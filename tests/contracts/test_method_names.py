"""Interval methods have identifiers that no title changes; titles of earlier releases stay accepted."""

from __future__ import annotations

import json

import pytest

import assay
from assay.measures import Measure, on_request, on_request_of_many, registry, registry_of_many
from assay.measures.interval_methods import names_of
from assay.method_names import IDENTIFIERS, OLD_TITLES, current_title, method_identifier
from assay.report.answers import render
from assay.report.certificate import of_method, records
from assay.report.explanations import explained, look_up

MEASURES: dict[str, Measure] = {**registry_of_many, **registry, **on_request_of_many, **on_request}
TRUE, SCORES = [0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.4, 0.7, 0.8, 0.9]
# What other programs compare: these never change, whatever the titles become.
STABLE = {
    "agresti-coull", "blaker", "bootstrap", "clopper-pearson", "cross-fitted", "delong",
    "delong-logit", "delong-small-sample", "dirichlet", "hanley-mcneil", "influence", "influence-log",
    "influence-logit", "influence-plus-four", "jeffreys", "mid-p", "newcombe-5", "normal", "obuchowski", "plus-four",
    "wald", "wilson", "wilson-accuracy", "wilson-continuity-corrected", "wilson-jaccard",
}  # fmt: skip


def test_identifiers_are_stable() -> None:
    identifiers = {method_identifier(title) for measure in MEASURES.values() for title in names_of(measure)}
    assert identifiers >= STABLE


def test_methods_of_a_measure_have_different_identifiers() -> None:
    for measure in MEASURES.values():
        titles = names_of(measure)
        assert len({method_identifier(title) for title in titles}) == len(titles), measure


@pytest.mark.parametrize(("old", "title"), OLD_TITLES.items())
def test_old_title_identifier_and_title_are_one_method(old: str, title: str) -> None:
    assert current_title(old) == title
    assert current_title(IDENTIFIERS[title]) == title
    for spelling in (old, title, IDENTIFIERS[title], f"{title}, Kish n 104.6"):
        assert method_identifier(spelling) == IDENTIFIERS[title]


@pytest.mark.parametrize("title", [title for title in OLD_TITLES.values() if not title.endswith(("z", "plain"))])
def test_explain_accepts_old_titles_and_identifiers(title: str) -> None:
    shown = render(explained(title), "table")
    assert f"Identifier: {IDENTIFIERS[title]}." in " ".join(shown.split())
    assert json.loads(render(explained(title), "json"))["identifier"] == IDENTIFIERS[title]
    for old, new in OLD_TITLES.items():
        if new == title:
            assert render(explained(old), "table") == render(explained(IDENTIFIERS[title]), "table") == shown
            assert str(look_up(f"{old}, Kish n 104.6")[0]).startswith(title.split(" or ")[0])


@pytest.mark.parametrize(
    ("measure", "spellings"),
    [
        ("roc_auc", ("DeLong, small-sample adjusted", "DeLong, plus four", "delong-small-sample", "plus four")),
        ("partial_auc", ("influence function, plus four", "influence, plus four", "influence-plus-four")),
        ("brier", ("influence function", "influence", "Influence")),
    ],
)
def test_method_accepts_old_titles_and_identifiers(measure: str, spellings: tuple[str, ...]) -> None:
    ev = assay.evaluate(TRUE, SCORES)
    estimates = {str(ev.estimate(measure, method=spelling).to_dict()) for spelling in spellings}
    assert len(estimates) == 1


def test_records_have_the_identifier_beside_the_title() -> None:
    record = assay.evaluate(TRUE, SCORES).estimate("roc_auc", method="DeLong, plus four").to_dict()
    assert (record["method"], record["method_id"]) == ("DeLong, small-sample adjusted", "delong-small-sample")
    assert (
        assay.Estimate("recall", 0.5, 0.4, 0.6, 0.95, "Wilson, effective n 104.6", 9).to_dict()["method_id"] == "wilson"
    )


def test_simulated_coverage_goes_by_identifiers() -> None:
    assert all(method == method_identifier(method) for line in records() for method in line["methods"])
    tables = [of_method(name) for name in ("DeLong, plus four", "DeLong, small-sample adjusted", "delong-small-sample")]
    assert tables[0] is not None
    assert tables[0] == tables[1] == tables[2]
