"""Tables of a study: several measures, parameters, costs and parts; readable at 80 columns; written as files."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pandas
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import fbeta_score, roc_auc_score

from assay import Costs, measures
from assay.errors import NotWritten, OptionError, UnknownName
from assay.experiments import Study, experiment, open_study, plans
from assay.results import Table, screen_width, without_screen

RNG = np.random.default_rng(3)
X = RNG.normal(size=(200, 3))
Y = (X[:, 0] + RNG.normal(size=200) > 0.6).astype(int)
DATA = {"sample": (X, Y), "more": (X[::-1] + 1, Y[::-1])}


@pytest.fixture(scope="module")
def study() -> Study:
    return experiment(DATA, ["nb", "logistic"], plans.kfold(5), jobs=1)


@pytest.fixture(scope="module")
def chosen() -> Study:
    return experiment(DATA, ["nb", "logistic"], plans.train_validation_test(), jobs=1)


def test_several_measures_stand_beside_one_another_as_each_stands_alone(study: Study) -> None:
    whole = study.table(["roc_auc", "f_beta(2)", "partial_auc(0, 0.2)"], costs=Costs(fp=1, fn=5)).columns
    assert list(whole) == [
        *("dataset", "learner", "roc_auc", "roc_auc_low", "roc_auc_high", "f_beta(2)", "partial_auc(0, 0.2)"),
        *("expected_cost", "splits", "failed", "note"),
    ]
    for name in ("roc_auc", "f_beta(2)"):
        alone = study.table(name).columns
        assert list(whole[name]) == list(alone[name])
    assert list(whole["roc_auc_low"])[1:3] == list(study.table("roc_auc").columns["low"])[1:3]
    ev = [(rows.truth, np.asarray(rows.score)) for _, rows in study.predicted("sample", "nb")]
    by_fold = [fbeta_score(truth, score >= 0.5, beta=2) for truth, score in ev]
    assert whole["f_beta(2)"][1] == pytest.approx(np.mean(by_fold))
    costs = [np.mean(np.where(score >= 0.5, truth == 0, 5 * (truth == 1))) for truth, score in ev]
    assert whole["expected_cost"][1] == pytest.approx(np.mean(costs))


def test_a_measure_made_in_python_is_taken_wherever_a_name_is(study: Study) -> None:
    cost = measures.expected_cost(Costs(fp=1, fn=5))
    assert (
        study.table(cost).columns["expected_cost"]
        == study.table(["accuracy"], costs=Costs(fp=1, fn=5)).columns["expected_cost"]
    )
    assert list(study.wide(cost).columns) == ["dataset", "dummy", "nb", "logistic"]
    other = measures.expected_cost(Costs(fp=1, fn=50))
    assert (
        study.fold_scores("sample", "nb", other).values.mean() > study.fold_scores("sample", "nb", cost).values.mean()
    )
    assert not math.isnan(study.compare("sample", "nb", "logistic", cost).columns["difference"][0])
    assert study.ranks(cost).results.datasets == ("sample", "more")


@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_a_part_has_a_table_of_its_own(chosen: Study, part: str) -> None:
    table = chosen.table(["roc_auc", "accuracy"], part=part).columns
    assert set(table["part"]) == {part}
    place = table["learner"].index("nb")
    ev = chosen.evaluation("sample", "nb", part=part)
    assert table["roc_auc"][place] == ev.roc_auc.value
    assert (table["accuracy_low"][place], table["accuracy_high"][place]) == (ev.accuracy.low, ev.accuracy.high)
    assert ev.rows is not None
    assert ev.roc_auc.value == pytest.approx(roc_auc_score(ev.rows.truth, ev.rows.score))


def test_where_a_part_is_set_aside_all_stand_by_it_and_the_chosen_by_the_test_part_too(chosen: Study) -> None:
    table = chosen.table(["accuracy", "f1"]).columns
    best = chosen.winner("sample", "accuracy").name
    tested = [
        name
        for data, name, part in zip(table["dataset"], table["learner"], table["part"], strict=True)
        if (data, part) == ("sample", "test")
    ]
    assert tested == [best]
    assert table["part"].count("validation") == 6


def test_what_is_no_measure_is_refused(study: Study) -> None:
    with pytest.raises(OptionError, match=r"no measure"):
        study.table([])
    with pytest.raises(OptionError, match=r"duplicate measure 'f1'"):
        study.table(["f1", "f1"])
    assert "no measure 'f11' for 2 classes" in study.table(["f1", "f11"]).columns["note"][0]


LONG = "a reason that is far longer than any column of numbers beside it could bear on a line"
TEXTS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)
ROWS = st.lists(
    st.tuples(
        TEXTS, st.floats(0.01, 1), st.sampled_from(["", LONG, f"{LONG}, and another"]), st.sampled_from(["Wilson", "t"])
    ),
    min_size=1,
    max_size=6,
)


@given(rows=ROWS, extra=st.integers(0, 8), width=st.integers(60, 140))
def test_no_line_is_wider_than_the_screen_and_no_value_is_lost(
    rows: list[tuple[str, float, str, str]], extra: int, width: int
) -> None:
    names, values, notes, methods = map(list, zip(*rows, strict=True))
    columns = {"learner": names, "f1": values, "low": [v / 2 for v in values], "high": [(1 + v) / 2 for v in values]}
    columns |= {f"quantity_{k}": [1000 * k + i for i in range(len(rows))] for k in range(extra)}
    table = Table({**columns, "method": methods, "note": notes})
    text = table.text(width)
    assert all(len(line) <= width for line in text.splitlines())
    for head, *cells in zip(*table.cells(), strict=True):
        assert head in text or head in ("low", "high") or not any(cells)
        words = " ".join(text.split())
        assert all(cell in text or " ".join(cell.split()) in words for cell in cells if cell != "-")


def test_a_table_that_fits_is_left_as_it_is() -> None:
    table = Table({"learner": ["tree"], "f1": [0.5], "low": [0.4], "high": [0.6]})
    assert table.text(80) == table.text() == str(table)


def test_on_a_terminal_tables_fit_it_and_in_files_they_do_not(monkeypatch: pytest.MonkeyPatch, study: Study) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "80")
    assert screen_width() == 80
    assert max(map(len, str(study.table(["roc_auc", "f1"])).splitlines())) <= 80
    with without_screen():
        assert max(map(len, str(study.table(["roc_auc", "f1"])).splitlines())) > 80


def test_a_table_is_written_as_csv_latex_and_parquet(study: Study, tmp_path: Path) -> None:
    table = study.table(["roc_auc", "accuracy"])
    for suffix in (".csv", ".tex", ".parquet"):
        table.save(tmp_path / f"table{suffix}")
    frame = pandas.read_csv(tmp_path / "table.csv")
    assert frame["roc_auc"].tolist() == table.columns["roc_auc"]
    arrow = pyarrow.parquet.read_table(tmp_path / "table.parquet")
    assert arrow.column_names == list(table.columns)
    assert arrow["accuracy_low"].to_pylist() == list(table.columns["accuracy_low"])
    latex = (tmp_path / "table.tex").read_text()
    assert latex.count(r" \\") == 1 + len(table)
    assert r"\begin{tabular}{llrr" in latex
    with pytest.raises(UnknownName, match=r"ends in '.doc'; needed: '.csv', '.tex' or '.parquet'"):
        table.save(tmp_path / "table.doc")
    with pytest.raises(NotWritten, match="cannot write"):
        table.save(tmp_path / "nowhere" / "table.csv")


def test_the_command_line_writes_them_too(chosen: Study, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from assay.cli.experiment import command

    chosen.save(tmp_path / "study.db")
    wanted = ["show", str(tmp_path / "study.db"), "--quiet", "--measure", "roc_auc", "--measure", "f1"]
    wanted += ["--cost-fp", "1", "--cost-fn", "5", "--part", "validation", "--table", str(tmp_path / "t.parquet")]
    run = CliRunner().invoke(command, wanted)
    assert run.exit_code == 0, run.output
    arrow = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert {"roc_auc", "f1", "expected_cost", "part"} <= set(arrow.column_names)
    asked = ["show", str(tmp_path / "study.db"), "--quiet", "--part", "validation", "--compare", "nb", "logistic"]
    run = CliRunner().invoke(command, asked)
    assert "validation part" in run.output
    assert run.exit_code == 0
    again = open_study(tmp_path / "study.db")
    assert again.table(["roc_auc", "f1"], part="validation").columns["f1"] == arrow["f1"].to_pylist()
    again.store.close()
