"""No default interval without a line in the certificate: what simulation says of it on populations drawn at random."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from verification._certificate_page import failing_of
from verification._certified import CHOSEN, COMPARED, COMPARED_BY_DRAWS, NAMED, NAMED_OF_MANY

import assay
import assay.calibration
import assay.curves
import assay.evaluation
from assay.measures import Measure, on_request, on_request_of_many, registry, registry_of_many
from assay.method_names import method_identifier
from assay.report.answers import Answer, render
from assay.report.certificate import OF_DIFFERENCE, OF_MANY, certified, covered, of_method, records
from assay.report.explanations import explained, listed_measures
from verification import certificate


def has_interval(measure: Measure) -> bool:
    return next(iter(measure.intervals.methods)) != "none"


def test_every_default_interval_has_a_line() -> None:
    found = {(one["name"], one["kind"]) for one in records()}
    wanted = {
        (name, kind) for name, m in registry.items() if has_interval(m) for kind in ("rows", "weights", "clusters")
    }
    wanted |= {(f"{name}{OF_MANY}", "classes") for name, m in registry_of_many.items() if has_interval(m)}
    wanted |= {(name, "rows") for name in (*CHOSEN, *NAMED)}
    wanted |= {(f"{name}{OF_MANY}", "classes") for name in NAMED_OF_MANY}
    wanted |= {(f"{name}{OF_DIFFERENCE}", "rows") for name in (*COMPARED, *COMPARED_BY_DRAWS)}
    assert wanted - found == set()


def test_no_measure_found_by_name_has_an_interval_without_a_line() -> None:
    found = {one["name"] for one in records()}
    for known, ending in ((on_request, ""), (on_request_of_many, OF_MANY)):
        lacking = [name for name, measure in known.items() if has_interval(measure) and f"{name}{ending}" not in found]
        assert lacking == []


# What users hold gives these estimates beside measures: the line of each.
LINES = {
    "BinormalRoc.area": "binormal_auc",
    "BinormalRoc.auc": "binormal_auc",
    "Calibration.bias": "bias",
    "Calibration.observed_to_expected": "observed_to_expected",
    "Calibration.spherical_score": "spherical_score",
    "Curves.sensitivity_at": "sensitivity_at(0.9)",
    "Curves.specificity_at": "specificity_at(0.9)",
    "KsCurve.statistic": "ks",
    "ManyClassEvaluation.ordinal_hand_till": "ordinal_hand_till",
    "ManyClassEvaluation.volume_under_surface": "volume_under_surface",
    "TwoClassEvaluation.saving": "saving, 1 : 1",
}
# Those that are simulated on a page of their own, on designs that a random population is not.
PAGES = {
    "BinormalRoc.a": "smooth_curves",
    "BinormalRoc.b": "smooth_curves",
    "MurphyDifference.estimate": "calibration_bands",
    "PairTests.discordant_odds": "label_tests",
    "SampledEvaluation.calibration_slope": "few_labels",
    "SampledEvaluation.observed_to_expected": "few_labels",
    "SitesSummary.estimate": "sites",
    # Has none by default.
    "SmoothRoc.area": "smooth_curves",
    "SmoothRoc.auc": "smooth_curves",
}
# By any measure: the registries' lines.
OF_ANY_MEASURE = ("estimate", "estimate_of")


def estimates_given() -> set[str]:
    """What classes of evaluations, curves and calibration give as an estimate, by what their annotations say."""
    found = set()
    for package in (assay.evaluation, assay.curves, assay.calibration):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for name, kind in vars(importlib.import_module(module.name)).items():
                if inspect.isclass(kind) and kind.__module__ == module.name and not name.startswith("_"):
                    found |= {f"{name}.{given}" for given in _giving(kind)}
    return found


def _giving(kind: type) -> Iterator[str]:
    for name, value in vars(kind).items():
        function = getattr(value, "fget", None) or getattr(value, "func", None) or value
        if not name.startswith("_") and getattr(function, "__annotations__", {}).get("return") == "Estimate":
            yield name


def test_everything_that_gives_an_estimate_has_a_line_or_a_page() -> None:
    known = {one["name"] for one in records()}
    given = {one for one in estimates_given() if one not in PAGES and one.split(".")[1] not in OF_ANY_MEASURE}
    assert given == set(LINES)
    assert set(LINES.values()) <= known
    assert all(Path(f"docs/verification/{page}.md").exists() for page in PAGES.values())


def test_models_that_lack_scores_have_lines_of_their_own() -> None:
    found = {one["name"] for one in records() if one["kind"] == "lacking"}
    assert found == set(certificate.GROUPS["lacking"].better)


def test_some_groups_simulated_again_leave_the_other_lines_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Path("docs/verification/certificate.md").read_text(encoding="utf-8")
    known = {(one["kind"], one["name"]): one for one in records()}
    found = certificate.run(("tests", "alike", 9, 40))
    merged = {(one["kind"], one["name"]): one for one in certificate.merged(found)}
    again = {("alike", "several AUCs at once, test")}
    assert {key for key in known if merged[key] != known[key]} == again
    monkeypatch.setattr(certificate, "FULL", {"tests": (1, 40)})
    page = certificate.renewed("title", "said", found, before)
    assert [one for one in failing_of(page) if one.kind != "alike"] == [
        one for one in failing_of(before) if one.kind != "alike"
    ]


def test_every_line_is_of_something_that_is_still_tried() -> None:
    tried = {name for group in certificate.GROUPS.values() for name in group.better}
    assert {one["name"] for one in records()} <= tried


@pytest.mark.parametrize("name", ["accuracy", "f1", "roc_auc", "average_precision", "brier", "log_loss"])
def test_independent_rows_hold_their_level_and_are_hardly_refused(name: str) -> None:
    (line,) = (one for one in records() if one["name"] == name and one["kind"] == "rows")
    assert line["fails"] <= 0.01 * line["populations"]
    assert line["median"] >= 0.94
    assert line["refused"] < 0.05


def listed() -> Iterator[tuple[Measure, dict[str, Any]]]:
    """Every measure that `assay measures` lists with an interval, and its line in the certificate."""
    known = {(one["name"], one["kind"]): one for one in records()}
    for group, ending, kind in (
        *(((each, "", "rows")) for each in (registry, on_request)),
        *(((each, OF_MANY, "classes")) for each in (registry_of_many, on_request_of_many)),
    ):
        for name, measure in group.items():
            line = known.get((f"{name}{ending}", kind))
            if has_interval(measure) and line is not None and line["least"] is not None:
                yield measure, line


def screen(answer: Answer) -> str:
    """What a terminal shows of an answer, in one line."""
    return " ".join(render(answer, "table").split())


def test_the_default_method_of_every_measure_is_explained_with_the_figures_of_its_line() -> None:
    told = render(listed_measures(), "table")
    for measure, line in listed():
        default = next(iter(measure.intervals.methods))
        assert re.search(rf"^  {re.escape(measure.name)} .*{re.escape(default)}$", told, re.M), measure
        # A method may name the scale, or what widened it; what `measures` lists is where its name begins.
        assert any(method.startswith(method_identifier(default.split(",")[0])) for method in line["methods"]), (
            measure,
            line["methods"],
        )
        for method in line["methods"]:
            table = of_method(method)
            assert table is not None, method
            figures = dict(zip(table.columns["of"], table.columns["least"], strict=True))
            assert figures[line["name"]] == line["least"]


def test_no_default_fails_without_a_word_where_it_is_explained() -> None:
    weak = [(measure, line) for measure, line in listed() if line["fails"]]
    assert weak
    for measure, line in weak:
        assert line["worst"], measure
        said = (
            f"coverage significantly too low in {line['fails']} of {line['populations']:,}, the worst: {line['worst']}"
        )
        if line["kind"] == "rows":
            assert said in screen(explained(measure.name))
        for method in line["methods"]:
            assert f"{line['name']}: {said}" in screen(explained(method))


def test_the_estimated_bayes_error_keeps_its_level_by_the_method_that_is_listed() -> None:
    (line,) = (one for one in records() if (one["name"], one["kind"]) == ("bayes_error", "rows"))
    assert line["fails"] == 0
    assert line["least"] > 0.9


def test_clusters_whose_sizes_matter_have_lines_of_their_own() -> None:
    lines = {one["name"]: one for one in records() if one["kind"] == "sized"}
    groups = (certificate.GROUPS[f"sizes of clusters{ending}"] for ending in ("", ", differences"))
    assert set(lines) == {name for group in groups for name in group.better}
    assert all(line["fails"] <= 1 for line in lines.values())
    assert "Clustered rows, larger clusters harder or easier" in Path("docs/verification/certificate.md").read_text(
        encoding="utf-8"
    )


def test_a_line_is_printed_for_a_measure_and_for_a_method() -> None:
    assert "populations drawn at random" in str(certified("roc_auc"))
    table = of_method("Wilson")
    assert table is not None
    assert "accuracy" in table.columns["of"]
    assert str(covered(["accuracy", "recall"], "rows")).startswith("Simulated coverage: minimum ")
    assert (certified("no such measure"), of_method("no such method"), covered(["none"], "rows")) == (None, None, None)


def test_the_certificate_judges_by_the_upper_limit_of_a_coverage() -> None:
    def outcome(misses: int, kind: str = "rows") -> certificate.Outcome:
        return certificate.Outcome("x", kind, "", 1000, 1000, misses, 0, 1.0, "higher", ("m",))  # type: ignore[arg-type]

    assert not outcome(100).fails  # .900 of 1,000 may be .92
    assert outcome(120).fails
    assert not outcome(95, "alike").fails
    assert outcome(110, "alike").fails


def test_quick_simulation_of_each_group_finds_something() -> None:
    for name, group in certificate.GROUPS.items():
        kind = group.kinds[0]
        found = certificate.run((name, kind, 9, 4))
        assert [one.measure for one in found] == list(group.better)
        assert any(one.shown for one in found)


def test_a_page_writes_nothing_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = certificate.run(("tests", "alike", 9, 120))
    assert "several AUCs at once" in certificate.page("title", "said", found)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "quoted"), [({}, True), ({"level": 0.9}, False), ({"fold": np.arange(120) % 5}, False)]
)
def test_a_page_quotes_the_certificate_only_of_what_it_is_about(
    options: dict[str, Any], quoted: bool, tmp_path: Path
) -> None:
    y = np.arange(120) % 3 == 0
    ev = assay.evaluate(y, y + np.arange(120) * 37 % 101 / 40, **options)
    ev.report(tmp_path / "page.html")
    assert ("Simulated coverage" in (tmp_path / "page.html").read_text(encoding="utf-8")) is quoted
