"""`assay experiment`: a study file run, shown and resumed; every format; what is said and what is refused.

`assay experiment model | score | chance`: from a study file or a store, refusals in one sentence, files whole.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
STUDY = """
plan = { kind = "kfold", folds = 3 }
datasets = ["iris", { path = "mail.csv", target = "kind", ignore = ["id"] }]
learners = ["nb", { preset = "tree", params = { max_depth = 2 } }]
backend = "here"
"""

GIVEN = 'datasets = ["iris"]\nlearners = ["tree"]\n'


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study file beside a data set it names."""
    rows = [
        f"{i},{i * 37 % 50},{'red' if i % 4 else 'blue'},{'spam' if i * 37 % 50 > 30 else 'ham'}" for i in range(60)
    ]
    (tmp_path / "mail.csv").write_text("id,size,colour,kind\n" + "\n".join(rows) + "\n")
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def test_a_study_is_run_shown_and_resumed(run: Run, study: Path) -> None:
    done = run("experiment", "run", str(study))
    assert done.code == 0, done.err
    assert "2 data sets x 3 learners by 3 folds, stratified: 18 runs, 0 done, 0 failed, 18 missing." in done.err
    assert "Positive class of mail: spam." in done.err
    lines = done.out.splitlines()
    assert lines[1].split() == ["accuracy", "iris", "mail"]
    assert [line.split()[0] for line in lines[2:5]] == ["dummy", "nb", "tree"]
    assert {line[:12] for line in lines[8:] if line.strip() and not line.startswith(" ")} == {
        "caution A503",
        "caution A504",
    }
    assert study.with_suffix(".db").exists()
    shown = run("experiment", "show", str(study))
    assert shown.out == done.out
    again = run("experiment", "resume", str(study.with_suffix(".db")))
    assert again.code == 0, again.err
    assert "18 done, 0 failed, 0 missing" in again.err
    assert again.out == done.out
    assert run("experiment", "resume", str(study), "--quiet").err == ""


def test_every_format(run: Run, study: Path, tmp_path: Path) -> None:
    record = json.loads(run("experiment", "run", str(study), "--json", "--measure", "kappa", "--quiet").out)
    assert record["schema"] == "assay.experiment/1"
    assert record["cells"] == {"todo": 0, "running": 0, "done": 18, "failed": 0}
    assert record["plan"] == {"kind": "kfold", "folds": 3, "stratified": True}
    assert record["table"]["learner"] == ["dummy", "nb", "tree"] * 2
    assert record["table"]["kappa"][0] == 0
    assert [caution["code"] for caution in record["cautions"]] == ["A503", "A503", "A504"]
    text = run("experiment", "show", str(study), "--format", "csv").out.splitlines()
    assert text[0].startswith("dataset,learner,repeat,fold,status,accuracy")
    assert len(text) == 1 + 18
    markdown = run("experiment", "show", str(study), "--format", "markdown").out
    assert markdown.startswith("| dataset | learner | accuracy |")
    assert markdown.count("- **A503** ") == 2
    latex = run("experiment", "show", str(study), "--format", "latex").out
    assert latex.count(r"\\") == markdown.count("\n| ") + 1
    assert r"\toprule" in latex
    run("experiment", "show", str(study), "--output", "found.txt", "--quiet")
    assert (tmp_path / "found.txt").read_text() == run("experiment", "show", str(study)).out


def test_a_page(run: Run, study: Path, tmp_path: Path) -> None:
    done = run("experiment", "run", str(study), "--html", "run.html")
    assert done.err.endswith("Wrote run.html\n")
    shown = run("experiment", "show", str(study), "--measure", "kappa", "--html", "shown.html", "--quiet")
    assert shown.err == ""
    page = (tmp_path / "shown.html").read_text(encoding="utf-8")
    assert "Cohen&#39;s kappa by data set" in page
    assert "assay experiment show study.db --name study --measure kappa" in page
    assert (tmp_path / "run.html").read_text(encoding="utf-8").count("<h1>") == 1
    nowhere = run("experiment", "show", str(study), "--html", "no/page.html")
    assert nowhere.code == 2
    assert "cannot write no/page.html" in nowhere.err


def test_two_learners_are_compared(run: Run, study: Path) -> None:
    run("experiment", "run", str(study), "--quiet")
    shown = run("experiment", "show", str(study), "--compare", "tree", "nb")
    assert shown.code == 0, shown.err
    assert shown.out.splitlines()[0] == "accuracy: tree minus nb"
    assert {line.split()[0] for line in shown.out.splitlines()[2:]} == {"iris", "mail"}


def test_a_study_shows_estimates_winners_costs_and_flow(run: Run, study: Path) -> None:
    run("experiment", "run", str(study), "--quiet")

    def rows(*asked: str) -> list[list[str]]:
        shown = run("experiment", "show", str(study), "--quiet", *asked)
        assert shown.code == 0, shown.err
        return [line.split() for line in shown.out.splitlines()[2:]]

    assert len(rows("--estimates")) == 2 * 3 * 4 + 3  # mail has two classes, so an AUC for each learner
    assert {row[0] for row in rows("--estimates", "--dataset", "mail")} == {"mail"}
    assert [row[0] for row in rows("--winner")] == ["iris", "mail"]
    assert [row[:2] for row in rows("--costs", "--dataset", "iris")] == [["iris", n] for n in ("dummy", "nb", "tree")]
    assert rows("--flow", "--dataset", "iris")[1] == ["iris", "1", "1", "test", "50", "17", "17", "16"]
    assert rows("--flow")[0][-2:] == ["-", "-"]  # iris has none of mail's classes
    assert {row[0] for row in rows("--dataset", "mail")[:3]} == {"dummy", "nb", "tree"}
    assert "A503" not in str(rows("--winner"))
    record = json.loads(run("experiment", "show", str(study), "--quiet", "--winner", "--json").out)
    assert record["table"]["winner"] == [row[1] for row in rows("--winner")]
    assert record["cautions"]


def test_roc_curves_are_drawn_of_one_data_set(run: Run, study: Path, tmp_path: Path) -> None:
    run("experiment", "run", str(study), "--quiet")
    drawn = run("experiment", "show", str(study), "--roc", "roc.svg", "--dataset", "mail")
    assert drawn.code == 0, drawn.err
    assert (tmp_path / "roc.svg").read_text().startswith("<svg")
    unclear = run("experiment", "show", str(study), "--roc", "roc.svg")
    assert unclear.code == 2
    assert "the study has 2 data sets; needed: one of iris, mail; type --dataset iris" in unclear.err
    many = run("experiment", "show", str(study), "--roc", "roc.svg", "--dataset", "iris")
    assert many.code == 3
    assert "has 3 classes" in many.err
    nowhere = run("experiment", "show", str(study), "--winner", "--dataset", "irises")
    assert nowhere.code == 2
    assert "no data set 'irises'" in nowhere.err


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("learning", ["share", "learned", "from", "learned", "from", "tested", "on"]),
        ("label-noise", ["label", "noise"]),
        ("feature-noise", ["feature", "noise"]),
        ("missing", ["missing", "values"]),
        ("time", ["cases", "fit_seconds", "predict_seconds"]),
    ],
)
def test_a_learner_against_what_grows(run: Run, study: Path, tmp_path: Path, kind: str, columns: list[str]) -> None:
    asked = ("--kind", kind, "--dataset", "iris", "--learner", "nb", *(() if kind == "time" else ("--repeats", "5")))
    shown = run("experiment", "curve", str(study), *asked, "--figure", "curve.svg")
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert lines[0].endswith(": nb on iris")
    assert lines[1].split()[: len(columns)] == columns
    assert len(lines) == 2 + (4 if kind == "time" else 5)
    assert (tmp_path / "curve.svg").read_text().startswith("<svg")
    record = json.loads(run("experiment", "curve", str(study), *asked, "--json").out)
    assert record["schema"] == "assay.experiment-curve/1"
    assert len(next(iter(record["table"].values()))) == len(lines) - 2
    assert run("experiment", "curve", str(study), *asked, "--format", "csv").out.count("\n") == len(lines) - 1
    assert run("experiment", "curve", str(study), *asked, "--format", "markdown").out.startswith("| ")
    assert r"\toprule" in run("experiment", "curve", str(study), *asked, "--format", "latex").out


def test_a_learner_against_the_values_of_a_parameter(run: Run, study: Path, tmp_path: Path) -> None:
    study.write_text(STUDY.replace("folds = 3", "folds = 5"))
    asked = ("--dataset", "iris", "--learner", "tree", "--kind", "validation", "--parameter", "max_depth")
    values = ("--value", "1", "--value", "2", "--value", "none")
    shown = run("experiment", "curve", str(study), *asked, *values, "--figure", "curve.svg")
    assert shown.code == 0, shown.err
    assert (tmp_path / "curve.svg").read_text().startswith("<svg")
    table = json.loads(run("experiment", "curve", str(study), *asked, *values, "--json").out)["table"]
    assert table["max_depth"] == ["1", "2", "None"]
    assert table["accuracy"][0] < table["accuracy"][1]
    assert table["low"][1] < table["accuracy"][1] < table["high"][1]
    # The splits are the study's own, whose tree has a depth of 2.
    run("experiment", "run", str(study), "--quiet")
    ran = json.loads(run("experiment", "show", str(study), "--dataset", "iris", "--json").out)["table"]
    assert table["accuracy"][1] == pytest.approx(ran["accuracy"][ran["learner"].index("tree")], abs=1e-12)
    for more, words in (
        (("--kind", "validation"), "a validation curve needs a parameter"),
        (asked[4:], "--value 2"),
        (("--parameter", "max_depth", "--value", "2"), "--kind validation"),
        ((*asked[4:], "--value", "2", "--repeats", "5"), "no repeats, which has no effect there"),
        (("--kind", "validation", "--parameter", "deep", "--value", "2"), "has no parameter 'deep'"),
    ):
        refused = run("experiment", "curve", str(study), *asked[:4], *more)
        assert refused.code == 2
        assert words in refused.err


def test_a_curve_is_of_one_learner_on_one_data_set(run: Run, study: Path) -> None:
    unclear = run("experiment", "curve", str(study))
    assert unclear.code == 2
    assert "the study has 2 data sets; needed: one of iris, mail; type --dataset iris" in unclear.err
    unknown = run("experiment", "curve", str(study), "--dataset", "iris", "--learner", "svm")
    assert "the study has no learner 'svm'; needed: one of nb, tree" in unknown.err
    study.write_text(STUDY.replace('"nb"', '"sklearn.naive_bayes.GaussianNB"'))
    gaps = run("experiment", "curve", str(study), "--dataset", "iris", "--learner", "GaussianNB", "--kind", "missing")
    assert gaps.code == 3
    assert "'GaussianNB' cannot be fitted to these cases: Input X contains NaN" in gaps.err
    grouped = '{ path = "mail.csv", target = "kind", group = "id" }'
    study.write_text(f'datasets = [{grouped}]\nlearners = ["tree"]')
    assert "has groups, which random splits would separate" in run("experiment", "curve", str(study)).err


def test_failures_are_shown_and_a_changed_study_says_so(run: Run, study: Path) -> None:
    study.write_text(STUDY.replace('"nb"', '{ path = "sklearn.svm.SVC", params = { kernel = "precomputed" } }'))
    done = run("experiment", "run", str(study))
    assert done.code == 1
    assert done.err.endswith("error: every run of SVC failed\n")
    assert "6 runs failed; assay experiment show --failures shows why" in done.err
    failures = run("experiment", "show", str(study), "--failures").out
    assert failures.count("Traceback") == 6
    assert "mail, SVC, repeat 1, fold 2:" in failures
    study.write_text(STUDY.replace("folds = 3", "folds = 4"))
    changed = run("experiment", "run", str(study))
    assert "Outdated, stored but not used: 3 runs of tree on iris: the plan changed." in changed.err
    assert run("experiment", "show", str(study), "--failures").out == "Nothing failed.\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("datasets = [", "cannot be read as TOML"),
        ('datasets = ["iris"]', "names no learners"),
        ('datasets = ["iris"]\nlearners = ["tree"]\ncolour = 1', "has 'colour'"),
        ('datasets = ["iris"]\nlearners = ["oak"]', "unknown learner 'oak'"),
        ('datasets = ["iris"]\nlearners = ["tree"]\nplan = "kfolds"', "unknown plan 'kfolds'"),
        ('datasets = ["irises"]\nlearners = ["tree"]', "irises"),
        (GIVEN + 'seed = "x"', "'study.toml': seed is 'x'; needed: an integer of at least 0"),
        (GIVEN + "seed = 5000000000", "'study.toml': seed is 5000000000; needed: at most 4,294,967,295"),
        (GIVEN + "name = 3", "'study.toml': name is 3; needed: a non-empty string"),
        (GIVEN + "store = []", "'study.toml': store is []; needed: a non-empty string"),
        (GIVEN + "spool = 1", "'study.toml': spool is 1; needed: a non-empty string"),
        (GIVEN + 'jobs = "many"', "'study.toml': jobs is 'many'; needed: an integer of at least 1"),
        (GIVEN + "lease = -2", "'study.toml': lease is -2; needed: a number above 0"),
        (GIVEN + "cell_timeout = true", "'study.toml': cell_timeout is True; needed: a number above 0"),
        (
            GIVEN + "plan = [1]",
            "'study.toml': plan: the plan is [1]; needed: the name of one",
        ),
        (
            GIVEN + 'plan = { kind = "kfold", folds = "x" }',
            "'study.toml': plan: folds is 'x'; needed: an integer of at least 2",
        ),
        (GIVEN + 'plan = { kind = "kfold", stratified = "no" }', "stratified is 'no'; needed: true or false"),
        ('datasets = "iris"\nlearners = ["tree"]', """datasets is 'iris'; needed: a list of them, such as ["iris"]"""),
        ('datasets = ["iris"]\nlearners = 7', "learners is 7; needed: a list of them"),
        ("datasets = [" + "[" * 2000, "cannot be read as TOML"),
    ],
)
def test_a_study_file_that_cannot_be_run_is_refused(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "study.toml").write_text(text)
    done = run("experiment", "run", "study.toml")
    assert done.code == (2 if "unknown learner" in message else 3)
    assert message in done.err
    assert "internal error" not in done.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('datasets = [{ path = 3 }]\nlearners = ["tree"]', "path of a data set is 3; needed: a non-empty string"),
        ('datasets = [{ name = "iris", target = "y" }]\nlearners = ["tree"]', "bundled data set 'iris' has target"),
        ('datasets = ["iris"]\nlearners = [{ preset = "tree", params = 3 }]', "the params of a learner are 3"),
        ('datasets = ["iris"]\nlearners = [{ preset = ["tree"] }]', "the preset of a learner is ['tree']"),
        ('datasets = ["iris"]\nlearners = [{ preset = "tree", tune = 3 }]', "the grid is 3"),
        ('datasets = ["iris"]\nlearners = [{ preset = "tree", folds = 3 }]', "folds of a learner needs tune"),
    ],
)
def test_so_is_what_it_says_of_a_learner_or_a_data_set(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "study.toml").write_text(text)
    done = run("experiment", "run", "study.toml")
    assert done.code in (2, 3)
    assert message in done.err
    assert "\n" not in done.err.rstrip("\n")
    assert not (tmp_path / "study.db").exists()


def test_an_unknown_measure_and_engine_are_said_before_anything_runs(run: Run, study: Path) -> None:
    for flag, words in (
        (("--measure", "astrology"), "astrology"),
        (("--backend", "abacus"), "abacus"),
        (("--address", "host:1"), "--address cannot be used with local processes"),
    ):
        done = run("experiment", "run", str(study), *flag)
        assert done.code == 2
        assert words in done.err
    assert "0 done, 0 failed, 18 missing" in run("experiment", "show", str(study)).err


def test_there_must_be_something_to_show_and_to_resume(run: Run, study: Path) -> None:
    for verb in ("show", "resume"):
        done = run("experiment", verb, str(study))
        assert done.code == 3
        assert "no store" in done.err
    assert run("experiment", "run", "nowhere.toml").code == 3


def test_the_example_can_be_read() -> None:
    from assay.experiments.learners import learners_of
    from assay.experiments.plans import plan_of
    from assay.experiments.study_file import read_study

    said = read_study(ROOT / "examples" / "study.toml")
    assert plan_of(said["plan"]).name == "2 times 5 folds, stratified"
    names = [learner.name for learner in learners_of(said["learners"])]
    assert names == ["dummy", "logistic", "tree(max_depth=2)", "tree(max_depth=4)", "forest of 50", "svm tuned"]


EXPERIMENT_MODELS_STUDY = """
datasets = ["weather"]
learners = ["logistic", { preset = "tree", params = { max_depth = 2 } }]
plan = { kind = "kfold", folds = 2 }
backend = "here"
"""


@pytest.fixture
def lab(run: Run, tmp_path: Path) -> Run:
    """A study of the weather with its models, in the folder where commands run."""
    (tmp_path / "study.toml").write_text(EXPERIMENT_MODELS_STUDY)
    assert run("experiment", "run", "study.toml", "--keep-models", "--quiet").code == 0
    return run


def test_a_laboratory_from_study_to_scored_cases(lab: Run, tmp_path: Path) -> None:
    shown = lab("experiment", "show", "study.toml", "--models", "--quiet").out
    assert "scikit-learn" in shown
    tree = lab("experiment", "model", "study.toml", "--learner", "tree").out
    assert "leaves 4, depth 2" in tree
    assert tree.count("cases)") == 4
    rated = json.loads(lab("experiment", "model", "study.db", "--learner", "tree", "--name", "study", "--json").out)
    assert rated["importances"] is None
    new = tmp_path / "new.csv"
    source = Path(__file__).parents[2] / "src" / "assay" / "data" / "weather.csv"
    new.write_text(source.read_text())
    scored = lab(
        *("experiment", "score", "study.toml", "new.csv", "--learner", "logistic", "--id", "Date"),
        *("--cost-fp", "1", "--cost-fn", "4", "--output", "out.csv"),
    )
    assert scored.code == 0, scored.err
    assert scored.out == ""
    assert "Not used: Location, RISK_MM." in scored.err
    assert (tmp_path / "out.csv").read_text().startswith("Date,truth,prediction,score\n2031-11-01,")
    judged = json.loads(lab("evaluate", "out.csv", "--json", "--quiet").out)
    assert judged["n"] == 366
    tested = lab("experiment", "chance", "study.toml", "--learner", "logistic", "--permutations", "4").out
    assert "p = 0.2" in tested


def test_wrong_uses_are_one_sentence(lab: Run, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("a,b\n1,2\n")
    score = ("experiment", "score", "study.toml", "new.csv", "--learner", "tree", "--output", "out.csv")
    wrong = {
        ("experiment", "model", "study.toml"): "2 learners",
        (
            "experiment",
            "model",
            "study.toml",
            "--learner",
            "tree",
            "--importances",
        ): "--importances is given without --fold",
        score: "no column 'MinTemp'",
        (*score, "--threshold", "youden", "--cost-fp", "1", "--cost-fn", "2"): "are both given",
        (*score[:-1], "new.csv"): "which is read",
        ("experiment", "score", "study.toml", "none.csv", "--learner", "tree"): "none.csv",
        ("experiment", "chance", "none.toml"): "no study file",
        ("experiment", "chance", "study.toml", "--learner", "tree", "--permutations", "0"): "--permutations",
        ("experiment", "chance", "study.toml", "--learner", "tree", "--measure", "astrology"): "astrology",
        ("experiment", "model", "study.toml", "--learner", "tree", "--fold", "-1"): "--fold",
        ("experiment", "model", "study.toml", "--learner", "\x1b[31m"): "no learner",
        (*score, "--threshold", "nan"): "--threshold",
        (*score, "--recalibrate", "\n"): "recalibrate",
    }
    for words, said in wrong.items():
        outcome = lab(*words)
        assert outcome.code in (2, 3), outcome
        assert said in outcome.err, outcome.err
        assert "internal error" not in outcome.err
    assert not (tmp_path / "out.csv").exists()


def test_a_card_on_the_command_line(lab: Run, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("truth,score\n" + "1,0.9\n0,0.2\n1,0.4\n0,0.3\n" * 5)
    (tmp_path / "card.toml").write_text('interpretability = "one rule"\n')
    assert "one rule" in lab("evaluate", "p.csv", "--card", "card.toml").out
    assert lab("evaluate", "p.csv", "--card", "card.toml", "--format", "csv").code == 2
    assert lab("evaluate", "p.csv", "--card", "card.toml", "--html", "p.html", "--quiet").code == 0
    assert "one rule" in (tmp_path / "p.html").read_text(encoding="utf-8")
