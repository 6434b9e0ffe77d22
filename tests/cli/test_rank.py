"""`assay rank`: one record in every format, narration apart from the answer, failures in one sentence."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.cli.conftest import Run

from assay.ranks import rank_algorithms


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Three algorithms on 20 data sets, one of them clearly better."""
    values = np.random.default_rng(21).normal(0, 0.02, (20, 3)) + np.array([0.8, 0.8, 0.9])
    path = tmp_path / "results.csv"
    rows = [f"data {i},{a:.4f},{b:.4f},{c:.4f}" for i, (a, b, c) in enumerate(values)]
    path.write_text("\n".join(["dataset,tree,=knn,forest_50%", *rows]) + "\n")
    return path


@pytest.fixture
def folds(tmp_path: Path) -> Path:
    """Two algorithms on three data sets of ten folds."""
    rng = np.random.default_rng(22)
    rows = [
        f"data {d},{f},{a},{rng.normal(0.7 + 0.2 * (a == 'knn'), 0.02):.4f},1"
        for d in range(3)
        for a in ("tree", "knn")
        for f in range(10)
    ]
    path = tmp_path / "folds.csv"
    path.write_text("\n".join(["dataset,fold,algorithm,accuracy,seconds", *rows]) + "\n")
    return path


def test_narration_goes_to_stderr_and_the_answer_to_stdout(run: Run, results: Path) -> None:
    outcome = run("rank", str(results))
    assert outcome.code == 0
    assert outcome.err.startswith("Read results.csv: 3 algorithms on 20 data sets.\nBetter: higher values")
    assert outcome.out.startswith("place  algorithm")
    assert "forest_50% is significantly better than tree: p < 0.0001" in outcome.out.replace("\n  ", " ")
    assert run("rank", str(results), "--quiet").err == ""


def test_json_is_the_librarys_record(run: Run, results: Path) -> None:
    record = json.loads(run("rank", str(results), "--json", "--rope", "0.01", "--alpha", "0.1").out)
    ranks = rank_algorithms(results, alpha=0.1)
    assert record["schema"] == "assay.ranks/1"
    assert {name: record[name] for name in ranks.to_dict()} == json.loads(json.dumps(ranks.to_dict()))
    assert record["comparisons"] == json.loads(json.dumps(ranks.compare().to_dict()))
    assert record["bayesian"] == [one.to_dict() for one in ranks.bayesian(0.01)]
    assert record["weka"] is None
    assert record["words"] == ranks.words().splitlines()


def test_every_format_holds_the_same_numbers(run: Run, results: Path) -> None:
    ranks = rank_algorithms(results)
    rows = list(csv.DictReader(io.StringIO(run("rank", str(results), "--format", "csv").out)))
    found = {(row["table"], row["quantity"], row["row"]): row["value"] for row in rows}
    assert float(found["ranks", "mean_rank", "1"]) == ranks.mean_ranks["forest_50%"]
    assert float(found["omnibus", "p_value", "1"]) == ranks.omnibus()["iman_davenport"].p_value
    assert "'=knn" in found.values()
    best = f"{ranks.mean_ranks[ranks.order[1]]:.3f}"
    assert best in run("rank", str(results), "--format", "markdown").out
    latex = run("rank", str(results), "--format", "latex").out
    assert best in latex
    assert r"forest\_50\%" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 5


def test_tests_adjustments_and_a_control(run: Run, results: Path) -> None:
    asked = ("--test", "ranks", "--adjust", "finner", "--control", "tree", "--json")
    record = json.loads(run("rank", str(results), *asked).out)
    wanted = rank_algorithms(results).compare("ranks", adjust="finner", control="tree")
    assert record["comparisons"] == json.loads(json.dumps(wanted.to_dict()))
    assert record["critical_difference"]["method"] == "Bonferroni-Dunn"


def test_the_diagram(run: Run, results: Path, tmp_path: Path) -> None:
    assert run("rank", str(results), "--figure", str(tmp_path / "cd.svg")).code == 0
    assert ElementTree.parse(tmp_path / "cd.svg").getroot().tag.endswith("svg")
    assert run("rank", str(results), "--figure", str(tmp_path / "no" / "cd.svg")).code == 2


def test_wekas_table(run: Run, folds: Path) -> None:
    outcome = run("rank", str(folds), "--value", "accuracy", "--weka")
    assert "averaged over folds" in outcome.err
    assert "(3/0/0)" in outcome.out
    assert "No. of datasets where [col] >> [row]" in outcome.out
    turned = run("rank", str(folds), "--value", "accuracy", "--base", "knn", "--json")
    assert json.loads(turned.out)["weka"]["better_same_worse"] == {"tree": [0, 0, 3]}
    assert "weka ranking" in run("rank", str(folds), "--value", "accuracy", "--weka", "--format", "csv").out


def test_a_page(run: Run, results: Path, tmp_path: Path) -> None:
    outcome = run("rank", str(results), "--rope", "0.01", "--html", "page.html")
    assert outcome.err.endswith("Wrote page.html\n")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h1>forest_50% ranks first and is significantly better than both others</h1>" in page
    assert 'id="bayesian"' in page
    assert run("rank", str(results), "--html", "page.html", "--quiet").err == ""


def test_every_adjustment(run: Run, results: Path) -> None:
    ranks = rank_algorithms(results)
    record = json.loads(run("rank", str(results), "--all-adjustments", "--json").out)
    assert record["adjustments"] == json.loads(json.dumps(ranks.every_adjustment().to_dict()))
    for name in ("holm", "li", "bergmann-hommel"):
        assert record["adjustments"][name] == [pair.adjusted for pair in ranks.compare(adjust=name).pairs]
    text = run("rank", str(results), "--all-adjustments", "--control", "tree").out
    assert "Wilcoxon signed-rank, by every adjustment" in text
    assert "benjamini-hochberg" in text
    assert "shaffer" not in text


def test_names_cannot_speak_to_the_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("dataset,\x1b[31mred,b\ni,1,2\n", encoding="utf-8")
    outcome = run("rank", "names.csv")
    assert "\x1b" not in outcome.out + outcome.err
    assert r"\x1b[31mred" in outcome.out


ODD = {
    "one data set": ("dataset,a,b\ni,0.5,0.6\n", 0, "too few data sets (1; at least 5 needed)"),
    "all tied": ("dataset,a,b,c\n" + "".join(f"{k},1,1,1\n" for k in range(6)), 0, "tied on every data set"),
    "nothing": ("", 3, "has no results; needed: a header line and one line for each result"),
    "names alone": ("dataset,a,b\n", 3, "has no results"),
    "one algorithm": ("dataset,a\ni,1\n", 3, "the table has results of 1 algorithm on 1 data set"),
    "no values": ("dataset,algorithm\ni,a\n", 3, "no column of results; needed: a column of numbers"),
    "no number": ("dataset,a,b\ni,1,x\n", 3, "column 'b' has 'x', which is not a number; needed: numbers"),
    "infinity": ("dataset,a,b\ni,inf,1\n", 3, "column 'a' has an infinite value"),
    "a ragged row": ("dataset,a,b\ni,1\n", 3, "row 2 of odd.csv has 2 values for 3 columns"),
    "a cell without end": (
        "dataset,a,b\ni,1," + "9" * 200_000 + "\n",
        3,
        "odd.csv is not a UTF-8 text file with columns",
    ),
    "a name of two lines": ('dataset,"a\nb",c\ni,1,2\n', 0, "Mean ranks (1 is best): c 1.00, a b 2.00."),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_input(run: Run, tmp_path: Path, name: str) -> None:
    text, code, words = ODD[name]
    (tmp_path / "odd.csv").write_text(text, encoding="utf-8")
    # scipy's reader of ARFF lifts Python's limit for the whole process, whichever test read one before.
    lifted = csv.field_size_limit(131_072)
    outcome = run("rank", "odd.csv")
    csv.field_size_limit(lifted)
    assert outcome.code == code
    assert words in (outcome.out + outcome.err).replace("\n  ", " ")
    assert len(outcome.err.splitlines()) <= 2


def test_two_algorithms_have_no_pool(run: Run, tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text("a,b\n" + "".join(f"{k},{k + 1}\n" for k in range(8)), encoding="utf-8")
    assert "ranks among all algorithms" not in run("rank", "two.csv").out


def test_two_hundred_algorithms_are_not_all_listed(run: Run, tmp_path: Path) -> None:
    values = np.random.default_rng(3).random((6, 200)).round(4)
    lines = [",".join(f"a{k}" for k in range(200)), *(",".join(map(str, row)) for row in values.tolist())]
    (tmp_path / "many.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = json.loads(run("rank", "many.csv", "--test", "ranks", "--json", "--quiet").out)["words"]
    assert "and 184 more" in words[0]
    assert max(map(len, words)) < 1500
    refused = run("rank", "many.csv", "--test", "ranks", "--adjust", "rom")
    assert refused.code == 2
    assert "rom is not computable for 19,900 comparisons" in refused.err
    assert "type --adjust hochberg" in refused.err


def test_lower_may_be_better(run: Run, results: Path) -> None:
    record = json.loads(run("rank", str(results), "--better", "lower", "--json").out)
    assert record["table"]["algorithm"][-1] == "forest_50%"


def test_output_goes_to_a_file(run: Run, results: Path, tmp_path: Path) -> None:
    outcome = run("rank", str(results), "--output", str(tmp_path / "answer.txt"))
    assert outcome.out == ""
    assert (tmp_path / "answer.txt").read_text().startswith("place")


USAGE = {
    "an unknown test": (("--test", "t"), "test is 't'"),
    "an unknown control": (("--control", "svm"), "control is 'svm'; needed: 'tree', '=knn' or 'forest_50%'"),
    "marks without folds": (("--weka",), "needed: the fold column; type --fold fold"),
    "pairs with a control": (("--adjust", "shaffer", "--control", "tree"), "type --adjust holm"),
    "an unknown adjustment": (("--adjust", "hope"), "adjust is 'hope'; needed: 'holm', 'none', "),
    "a share above 1": (("--alpha", "2"), "--alpha is 2; needed: a number between 0 and 1"),
    "a page in no folder": (("--html", "no/page.html"), "cannot write no/page.html: no such file or directory"),
    "adjustments of what needs none": (("--all-adjustments", "--test", "nemenyi"), "type --test ranks"),
}


@pytest.mark.parametrize("name", USAGE)
def test_a_wrong_request_is_exit_code_2_and_one_sentence(run: Run, results: Path, name: str) -> None:
    arguments, words = USAGE[name]
    outcome = run("rank", str(results), *arguments)
    assert outcome.code == 2
    assert words in outcome.err
    assert outcome.out == ""


def test_data_that_cannot_be_used_is_exit_code_3_and_one_sentence(run: Run, tmp_path: Path, folds: Path) -> None:
    path = tmp_path / "hole.csv"
    path.write_text("dataset,tree,knn\niris,0.5,\n")
    outcome = run("rank", str(path))
    assert outcome.code == 3
    assert "'knn' has no value on 'iris'" in outcome.err
    assert "type --missing drop" in outcome.err
    several = run("rank", str(folds))
    assert several.code == 3
    assert "type --value accuracy" in several.err
    assert run("rank", str(tmp_path / "nowhere.csv")).code == 3
    assert "cannot read .: is a directory" in run("rank", ".").err
    assert (
        "--ratio is -1; needed: the ratio of test to training cases, above 0"
        in run("rank", str(folds), "--weka", "--ratio", "-1").err
    )


def test_every_answer_has_effect_sizes(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"d{k},{0.7 + k % 3 / 20},{0.72 + k % 4 / 25},{0.8 + k % 5 / 30}\n" for k in range(8))
    file = tmp_path / "r.csv"
    file.write_text("dataset,tree,knn,forest\n" + rows)
    text = run("rank", str(file)).out
    assert "Cliff's delta" in text
    assert "cliff_delta" in text
    record = json.loads(run("rank", str(file), "--json").out)
    assert [(one["first"], one["second"]) for one in record["effect_sizes"]] == [
        *(("tree", "knn"), ("tree", "forest"), ("knn", "forest"))
    ]
    assert all(one["gamma"]["undefined"] for one in record["effect_sizes"])
    controlled = json.loads(run("rank", str(file), "--json", "--control", "knn").out)
    assert [one["first"] for one in controlled["effect_sizes"]] == ["knn", "knn"]
    assert run("rank", str(file), "--html", str(tmp_path / "r.html")).code == 0
    assert "Effect sizes" in (tmp_path / "r.html").read_text(encoding="utf-8")
