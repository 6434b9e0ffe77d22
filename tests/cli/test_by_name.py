"""Methods by their names, one side, no worse, and WEKA's text with costs, typed as a user would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

import assay

SCORES = "\n".join(
    ["target,a,b", *(f"{int(i % 3 == 0)},{(i * 37 % 100) / 100},{(i * 53 % 90) / 100}" for i in range(120))]
)
ARFF = """@relation mail
@attribute class {spam,ham}
@attribute predicted {spam,ham}
@data
spam,spam
spam,ham
ham,ham
ham,ham
ham,spam
"""
TWO = ("--score", "a", "--score", "b", "--quiet")


@pytest.fixture
def scores(tmp_path: Path) -> str:
    (tmp_path / "scores.csv").write_text(SCORES)
    return str(tmp_path / "scores.csv")


def test_a_method_by_its_name_with_its_numbers_and_a_caution(run: Run, scores: str) -> None:
    said = run("compare", scores, *TWO, "--method", "hanley-mcneil").out
    assert "Standard error" in said
    assert "z = " in said
    assert "Caution: " in said
    one = json.loads(run("evaluate", scores, *TWO, "--measure", "auc", "--method", "delong", "--json").out)
    assert one["models"]["a"]["roc_auc"]["method"] == "DeLong"
    assert one["models"]["a"]["roc_auc"]["se"] > 0
    assert "62 %" in one["models"]["a"]["roc_auc"]["caution"]


def test_one_side_and_no_worse(run: Run, scores: str) -> None:
    record = json.loads(run("compare", scores, *TWO, "--alternative", "less", "--json").out)["comparisons"][0]
    assert (record["low"], record["alternative"]) == ("-Infinity", "less")
    record = json.loads(run("compare", scores, *TWO, "--non-inferior", "--margin", "0.5", "--json").out)
    (found,) = record["comparisons"]
    assert (found["null"], found["outcome"]) == (-0.5, "not worse by more than the margin")
    assert found["p_value"] < 0.05


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("evaluate", "--method", "delong"), "--method is given without --measure"),
        (("evaluate", "--measure", "roc_auc", "--full"), "--full cannot be combined with --measure"),
        (("evaluate", "--measure", "brier", "--method", "delong"), "there is no method 'delong' for Brier score"),
        (("compare", "--non-inferior"), "--non-inferior is given without --margin"),
        (("compare", "--method", "delong", "--html", "page.html"), "--method cannot be combined with --html"),
        (("compare", "--method", "delong", "--measure", "f1"), "F1 is no ROC AUC"),
        (("compare", "--non-inferior", "--margin", "0.1", "--measure", "prevalence"), "neither high nor low"),
        (("evaluate", "--costs", "m.cost"), "--costs is given without --style weka"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(
    run: Run, scores: str, asked: tuple[str, ...], words: str
) -> None:
    command, *others = asked
    found = run(command, scores, "--score", "a", "--score", "b", "--quiet", *others)
    assert found.code == 2
    assert words in " ".join(found.err.split())


@pytest.mark.parametrize(
    "written", ["% Rows Columns\n2 2\n% Matrix elements\n0.0 1.0\n5.0 0.0\n", "[0.0 1.0; 5.0 0.0]"]
)
def test_weka_has_no_positive_class_and_its_costs_stand_in_the_order_of_the_file(
    run: Run, tmp_path: Path, written: str
) -> None:
    (tmp_path / "mail.arff").write_text(ARFF)
    (tmp_path / "mail.cost").write_text(written)
    found = run(
        "evaluate", str(tmp_path / "mail.arff"), "--style", "weka", "--costs", str(tmp_path / "mail.cost"), "--quiet"
    )
    assert found.code == 0
    # One spam was called ham, which costs 1, and one ham spam, which costs 5.
    assert "Total Cost                               6     \n" in found.out
    assert "Average Cost                             1.2   \n" in found.out
    assert " 1 1 | a = spam\n 1 2 | b = ham\n" in found.out


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("0 1 2\n1 0 1\n2 1 0\n", "holds 3 rows of 3 numbers, and there are 2 classes"),
        ("0 one\n1 0\n", "holds words"),
        ("0 inf\n1 0\n", "a cost that is no number"),
        ("", "holds 0 rows of no numbers"),
    ],
)
def test_a_cost_file_that_is_none_says_what_it_holds(run: Run, tmp_path: Path, written: str, words: str) -> None:
    (tmp_path / "mail.arff").write_text(ARFF)
    (tmp_path / "mail.cost").write_text(written)
    found = run("evaluate", str(tmp_path / "mail.arff"), "--style", "weka", "--costs", str(tmp_path / "mail.cost"))
    assert found.code == 3
    assert words in " ".join(found.err.split())


def test_labels_alone_need_no_positive_class_in_wekas_style(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mail.csv").write_text("truth,prediction\nmayer,mayer\nfox,mayer\nfox,fox\n")
    assert run("evaluate", str(tmp_path / "mail.csv"), "--quiet").code == 3
    found = run("evaluate", str(tmp_path / "mail.csv"), "--style", "weka", "--quiet")
    assert " 1 0 | a = mayer\n 1 1 | b = fox\n" in found.out
    # A score belongs to a class, and which one nobody said.
    (tmp_path / "scored.csv").write_text("truth,score\nmayer,0.1\nfox,0.7\nfox,0.9\n")
    assert run("evaluate", str(tmp_path / "scored.csv"), "--style", "weka", "--quiet").code == 3


def test_a_test_of_whole_curves_by_its_name(run: Run, scores: str) -> None:
    cmp = assay.compare(scores, score=["a", "b"])
    found = json.loads(run("compare", scores, *TWO, "--method", "Venkatraman", "--json").out)
    expected = cmp.tests.venkatraman(*cmp.names[:2])
    assert found["method"] == "venkatraman"
    assert found["pairs"][0]["p_value"] == expected.p_value
    assert found["pairs"][0]["adjusted"] == min(1, expected.p_value * len(found["pairs"]))
    assert (
        "a p-value alone does not show the size of a difference"
        in run("compare", scores, *TWO, "--method", "venkatraman").out
    )


@pytest.mark.parametrize("name", ["mcnemar", "mcnemar-exact", "redelmeier", "stuart-maxwell", "bowker"])
def test_other_tests_by_their_names(run: Run, scores: str, name: str) -> None:
    cmp = assay.compare(scores, score=["a", "b"])
    found = json.loads(run("compare", scores, *TWO, "--method", name, "--control", cmp.names[0], "--json").out)
    assert [each["second"] for each in found["pairs"]] == [cmp.names[0]] * (len(cmp.names) - 1)
    method, *form = {"mcnemar-exact": ("mcnemar", "exact")}.get(name, (name.replace("-", "_"),))
    expected = getattr(cmp.tests, method)(cmp.names[1], cmp.names[0], *form)
    assert found["pairs"][0]["statistic"] == expected.statistic
    assert found["pairs"][0]["p_value"] == expected.p_value


@pytest.mark.parametrize(
    "beside", [("--measure", "brier"), ("--margin", "0.1"), ("--alternative", "less"), ("--html", "page.html")]
)
def test_what_such_a_test_cannot_use_is_refused_by_name(run: Run, scores: str, beside: tuple[str, str]) -> None:
    found = run("compare", scores, *TWO, "--method", "venkatraman", *beside)
    assert found.code == 2
    assert beside[0] in found.err


def test_a_margin_is_judged_for_each_pair_of_several(run: Run, tmp_path: Path) -> None:
    rows = [f"{i % 2},{(i * 37 + 50 * (i % 2)) % 101 / 101},{(i * 53 + 40 * (i % 2)) % 97 / 97},{i * 29 % 89 / 89}"
            for i in range(120)]  # fmt: skip
    (tmp_path / "three.csv").write_text("\n".join(["y_true,score__a,score__b,score__c", *rows, ""]))
    found = run("compare", "three.csv", "--margin", "0.02", "--quiet").out
    assert found.count("With a margin of 0.02:") == 3
    assert "more cases" in found
    assert "With a margin" not in run("compare", "three.csv", "--quiet").out
