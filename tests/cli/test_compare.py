"""`assay compare`, from arguments to output."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.evaluation.entry_points import compare

Run = Callable[..., Any]


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    truth = rng.random(200) < 0.4
    lines = ["id,target,score__good,score__poor,score__middle"]
    for place, is_positive in enumerate(truth):
        scores = (1 / (1 + np.exp(-rng.normal(is_positive * gap - 0.7))) for gap in (2.0, 0.8, 1.2))
        lines.append(",".join([str(place), str(int(is_positive)), *(f"{score:.6f}" for score in scores)]))
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def two(tmp_path: Path, wide: Path) -> tuple[Path, Path]:
    """The same predictions, a model a file, one of them without the first ten cases."""
    rows = list(csv.DictReader(wide.read_text().splitlines()))
    paths = (tmp_path / "good.csv", tmp_path / "poor.csv")
    for path, kept in zip(paths, (rows, rows[10:]), strict=True):
        lines = ["id,target,score", *(f"{r['id']},{r['target']},{r[f'score__{path.stem}']}" for r in kept)]
        path.write_text("\n".join(lines) + "\n")
    return paths


def test_two_models_get_a_verdict(run: Run, two: tuple[Path, Path]) -> None:
    outcome = run("compare", str(two[0]), str(two[1]), "--margin", "0.01")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "good has a significantly higher ROC AUC than poor."
    assert re.search(r"\nROC AUC +0\.\d+  0\.\d+ +\+0\.\d+  \[0\.\d+, 0\.\d+\] .* \*  paired DeLong", outcome.out)
    assert any(line.startswith("With a margin of 0.01: ") for line in lines)
    assert all(len(line) <= 100 for line in lines)
    assert "Decide on new cases" in outcome.out
    assert any(line.startswith("Of 190 cases: both correct ") for line in lines)
    assert "caution A403  Left out because the other model has no prediction: 10 rows." in outcome.out
    assert outcome.err.splitlines() == [
        "Read good.csv and poor.csv: 190 cases, models good, poor. truth=target  score=score  id=id",
        "Cases are matched by id.",
        "Excluded 10 rows of good without a match in the other models.",
        "Positive class: 1        change: --positive 0",
    ]
    assert run("compare", str(two[0]), str(two[1]), "--quiet").err == ""


def test_many_models_get_pairs_and_a_win_matrix(run: Run, wide: Path) -> None:
    outcome = run("compare", str(wide))
    assert outcome.out.count("\nROC AUC  ") == 3
    assert "ROC AUC, the primary measure, is adjusted for 3 pairs" in " ".join(outcome.out.split())
    assert "+ better, - worse, ? inconclusive" in outcome.out
    against = run("compare", str(wide), "--control", "poor").out
    assert against.count("\nROC AUC  ") == 2
    assert "+ better" not in against


def test_json_is_the_comparison_and_nothing_else(run: Run, wide: Path) -> None:
    outcome = run("compare", str(wide), "--json", "--measure", "brier", "--margin", "0.02")
    assert json.loads(outcome.out) == json.loads(json.dumps(compare(wide).to_dict("brier", margin=0.02)))
    several = json.loads(run("compare", str(wide), "--json", "--measure", "brier", "--measure", "auc").out)
    assert [record["measure"] for record in several] == ["brier", "roc_auc"]


def test_csv_has_a_row_a_pair_and_measure(run: Run, wide: Path) -> None:
    text = run("compare", str(wide), "--format", "csv", "--measure", "roc_auc", "--measure", "accuracy").out
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["measure"] for row in rows] == ["roc_auc"] * 3 + ["accuracy"] * 3
    found = compare(wide).differences("roc_auc")
    assert [float(row["difference"]) for row in rows[:3]] == [d.value for d in found]
    assert {row["verdict"] for row in rows} <= {"better", "cannot tell"}


def test_markdown_is_a_table(run: Run, wide: Path) -> None:
    lines = run("compare", str(wide), "--format", "markdown").out.splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 3 * (2 + 3)  # the primary measure and two secondary ones
    assert len({line.count("|") for line in table}) == 1


def test_latex_holds_the_same_table(run: Run, wide: Path) -> None:
    text = run("compare", str(wide), "--format", "latex", "--measure", "roc_auc", "--measure", "brier").out
    assert text.count(r"\toprule") == 2
    assert f"{compare(wide).differences('roc_auc')[0].value:.3f}" in text


def test_output_goes_to_a_file(run: Run, wide: Path, tmp_path: Path) -> None:
    outcome = run("compare", str(wide), "--json", "--output", "found.json")
    assert outcome.out == ""
    assert json.loads((tmp_path / "found.json").read_text())["schema"] == "assay.comparison/1"
    assert run("compare", str(wide), "--output", "nowhere/found.json").code == 2


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--measure", "acuracy"], 2, "did you mean accuracy?"),
        (["--control", "svm"], 2, "there is no model 'svm'; needed: one of good, poor, middle"),
        (["--margin", "0"], 2, "--margin is 0"),
        (["--level", "2"], 2, "--level is 2"),
        (["--score", "score__good"], 3, "needed: two models at least to compare"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    run: Run, wide: Path, arguments: list[str], code: int, words: str
) -> None:
    outcome = run("compare", str(wide), *arguments)
    assert outcome.code == code
    assert words in outcome.err
    assert outcome.out == ""


def test_files_without_an_id_name_the_flag(run: Run, two: tuple[Path, Path], tmp_path: Path) -> None:
    bare = tmp_path / "bare.csv"
    bare.write_text("target,score\n0,0.1\n1,0.9\n")
    outcome = run("compare", str(two[0]), str(bare))
    assert outcome.code == 3
    assert "a column that identifies the same case in every file" in outcome.err


def test_scores_that_are_no_probabilities_have_no_brier_score(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "logits.csv"
    rng = np.random.default_rng(0)
    rows = [f"{k % 2},{rng.normal(k % 2):.3f},{rng.normal(k % 2):.3f}" for k in range(80)]
    path.write_text("target,score__a,score__b\n" + "\n".join(rows) + "\n")
    assert run("compare", str(path)).code == 0
    refused = run("compare", str(path), "--measure", "brier")
    assert refused.code == 2
    assert "outside [0, 1]" in refused.err


def test_same_input_and_seed_give_the_same_bytes(run: Run, wide: Path) -> None:
    outputs = {run("compare", str(wide), "--measure", "f1", "--json", "--seed", "4").out for _ in range(2)}
    assert len(outputs) == 1


def test_files_that_do_not_fit_into_memory_are_compared_alike(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    n = 60_000
    truth, shared = rng.random(n) < 0.3, rng.normal(size=n)
    scores = [1 / (1 + np.exp(-(rng.normal(size=n) + shared + gap * truth - 1))) for gap in (1.6, 1.4)]
    columns = np.column_stack((truth, *scores))
    np.savetxt(tmp_path / "both.csv", columns, "%.17g", ",", header="y_true,score__a,score__b", comments="")
    fits = run("compare", "both.csv")
    past = run("compare", "both.csv", "--memory", "9MB")
    assert (fits.code, past.code) == (0, 0)
    assert past.out.splitlines()[:2] == fits.out.splitlines()[:2]
    assert "a: scores counted in" in past.err
    refused = run("compare", "both.csv", "--memory", "9MB", "--method", "bootstrap")
    assert "without rows, and this looks at single cases" in refused.err
    np.savetxt(tmp_path / "a.csv", np.column_stack((np.arange(n), truth, scores[0])), "%.17g", ",",
               header="id,y_true,score", comments="")  # fmt: skip
    (tmp_path / "b.csv").write_bytes((tmp_path / "a.csv").read_bytes())
    joined = run("compare", "a.csv", "b.csv", "--memory", "9MB")
    assert "'a.csv' does not fit into memory (9MB), where cases of several files are joined" in joined.err
    assert "--memory 18MB" in joined.err
    assert run("compare", "a.csv", "b.csv").code == 0


def test_the_command_line_says_who_has_which_cases(run: Run, tmp_path: Path) -> None:
    path, page = tmp_path / "wide.csv", tmp_path / "page.html"
    rows = ["target,score__good,score__fair"]
    for k in range(240):
        label = k * 7 % 5 < 2
        good, fair = f"{(k * 37 % 100 + 60 * label) / 200}", f"{(k * 53 % 100 + 30 * label) / 200}"
        rows.append(f"{int(label)},{good if k >= 50 else ''},{fair if not 30 <= k < 90 else ''}")
    path.write_text("\n".join(rows) + "\n")
    said = "of 220 cases good has 190 and fair has 180; good and fair share 150"
    told = run("compare", str(path), "--missing", "pairwise", "--html", str(page))
    assert said in told.err
    assert said in " ".join(told.out.split())
    assert said in page.read_text(encoding="utf-8")
    record = json.loads(run("compare", str(path), "--missing", "pairwise", "--format", "json").out)
    assert record["shared"]["cases"] == {"good": 190, "fair": 180}
    assert record["shared"]["pairs"] == [{"first": "good", "second": "fair", "cases": 150}]
    assert record["n"] == 220
    found = compare(path, missing="pairwise").difference("roc_auc", "good", "fair")
    assert record["comparisons"][0]["low"] == pytest.approx(found.low)
