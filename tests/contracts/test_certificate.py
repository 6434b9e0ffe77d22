"""No default interval without a line in the certificate: what simulation says of it on populations drawn at random."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from verification._certified import CHOSEN, COMPARED, COMPARED_BY_DRAWS, GROUPS, NAMED, NAMED_OF_MANY

import assay
from assay.measures import Measure, registry, registry_of_many
from assay.report.certificate import OF_DIFFERENCE, OF_MANY, certified, covered, of_method, records
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


def test_every_line_is_of_something_that_is_still_tried() -> None:
    tried = {name for group in GROUPS.values() for name in group.better}
    assert {one["name"] for one in records()} <= tried


@pytest.mark.parametrize("name", ["accuracy", "f1", "roc_auc", "average_precision", "brier", "log_loss"])
def test_independent_rows_hold_their_level_and_are_hardly_refused(name: str) -> None:
    (line,) = (one for one in records() if one["name"] == name and one["kind"] == "rows")
    assert line["fails"] <= 0.01 * line["populations"]
    assert line["median"] >= 0.94
    assert line["refused"] < 0.05


def test_a_line_is_printed_for_a_measure_and_for_a_method() -> None:
    assert "populations drawn at random" in str(certified("roc_auc"))
    table = of_method("Wilson")
    assert table is not None
    assert "accuracy" in table.columns["of"]
    assert str(covered(["accuracy", "recall"], "rows")).startswith("Held the truth in at least")
    assert (certified("no such measure"), of_method("no such method"), covered(["none"], "rows")) == (None, None, None)


def test_the_certificate_judges_by_the_upper_limit_of_a_coverage() -> None:
    def outcome(misses: int, kind: str = "rows") -> certificate.Outcome:
        return certificate.Outcome("x", kind, "", 1000, 1000, misses, 0, 1.0, "higher", ("m",))  # type: ignore[arg-type]

    assert not outcome(100).fails  # .900 of 1,000 may be .92
    assert outcome(120).fails
    assert not outcome(95, "alike").fails
    assert outcome(110, "alike").fails


def test_quick_simulation_of_each_group_finds_something() -> None:
    for name, group in GROUPS.items():
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
    assert ("Held the truth" in (tmp_path / "page.html").read_text(encoding="utf-8")) is quoted
