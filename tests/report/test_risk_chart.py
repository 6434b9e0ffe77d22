"""The risk chart from end to end: said in Python and on the command line, shown in text, JSON and on the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.cli import main
from assay.errors import AssayError
from assay.report import render_html, render_text

SCORE = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05])
TRUTH = np.array([1, 1, 0, 1, 0, 0, 1, 0, 0, 0])
MONEY = np.array([100.0, 500, 0, 300, 0, 0, 100, 0, 0, 0])


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    path = tmp_path / "audit.csv"
    rows = (f"{y},{p},{m}" for y, p, m in zip(TRUTH, SCORE, MONEY, strict=True))
    path.write_text("target,score,money\n" + "\n".join(rows) + "\n")
    return path


def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    monkeypatch.setattr("sys.argv", ["assay", *map(str, words)])
    code = 0
    try:
        main()
    except SystemExit as stop:
        code = int(stop.code or 0)
    said = capsys.readouterr()
    return code, said.out + said.err


def test_amounts_come_with_the_predictions() -> None:
    ev = assay.evaluate(TRUTH, SCORE, amount=MONEY)
    found = ev.curves.risk_chart().table().columns["risk"]
    np.testing.assert_allclose(found[:5], [0, 0.1, 0.6, 0.6, 0.9])
    assert found == assay.evaluate(TRUTH, SCORE).curves.risk_chart(MONEY).table().columns["risk"]


def test_an_amount_counts_as_often_as_its_case() -> None:
    times = np.arange(1, 11)
    truth, score, money = (np.repeat(each, times) for each in (TRUTH, SCORE, MONEY))
    counted = assay.evaluate(TRUTH, SCORE, amount=MONEY, count=times).curves.risk_chart()
    repeated = assay.evaluate(truth, score, amount=money).curves.risk_chart()
    assert counted.table().columns["risk"] == pytest.approx(repeated.table().columns["risk"])


def test_the_text_says_what_the_top_finds() -> None:
    ev = assay.evaluate(TRUTH, SCORE, amount=MONEY)
    said = " ".join(render_text({"": ev}).split())
    assert "The top 10 % of the cases by score contain 25.0 % of the positives and 10.0 % of the amount." in said
    assert "Shares of an amount have no interval" in said
    assert "amount" not in render_text({"": assay.evaluate(TRUTH, SCORE)})


def test_the_page_draws_it_only_where_something_is_at_stake(audit: Path) -> None:
    page = render_html({"": assay.evaluate(audit, amount="money")})
    assert 'id="risk-chart"' in page
    assert "--amount money" in page  # how to make it again
    without = render_html({"": assay.evaluate(audit)})
    assert 'id="risk-chart"' not in without
    assert 'id="cost-weights"' in without


def test_the_command_line_takes_a_column(
    audit: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = typed(monkeypatch, capsys, "evaluate", audit, "--amount", "money", "--json", "--quiet")
    found = json.loads(said)["risk_chart"]
    assert code == 0
    assert found["amount_area"] == pytest.approx(assay.evaluate(audit, amount="money").curves.risk_chart().risk_area)
    code, said = typed(monkeypatch, capsys, "columns", audit, "--amount", "money")
    assert code == 0
    assert "named by you" in said


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--amount", "mony"], "there is no column 'mony'"),
        (["--amount", "target", "--truth", "target"], "is given for 2 roles"),
        (["--amount", "money", "--format", "csv"], "which has none"),
        (["--amount", "money", "--style", "weka"], "which has none"),
    ],
)
def test_what_cannot_be_used_is_refused(
    audit: Path, words: list[str], reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = typed(monkeypatch, capsys, "evaluate", audit, *words)
    assert code != 0
    assert reason in said


@pytest.mark.parametrize(
    "amount", [np.full(10, np.nan), np.full(10, np.inf), np.zeros(10), -MONEY, MONEY[:3], np.array(["much"] * 10)]
)
def test_amounts_that_are_none_are_refused(amount: Any) -> None:
    with pytest.raises(AssayError):
        assay.evaluate(TRUTH, SCORE, amount=amount)


def test_labels_and_many_classes_have_no_risk_chart() -> None:
    with pytest.raises(AssayError, match="amount is given, and there are labels but no scores"):
        assay.evaluate(TRUTH, y_pred=TRUTH, amount=MONEY)
    with pytest.raises(AssayError, match="amount is given, and there are 3 classes"):
        assay.evaluate(["a", "b", "c"], y_proba=np.eye(3), amount=[1, 2, 3])
