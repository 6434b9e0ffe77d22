"""`assay experiment` with parts: a part to choose on, given folds, files of their own, columns left out, all pairs."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Run

from assay.experiments import open_study, plans

RNG = np.random.default_rng(3)
X = RNG.normal(size=(120, 2))
Y = X[:, 0] + RNG.normal(size=120) > 0
ROLE = ("train", "train", "validation", "test")
LINES = [
    f"2024-{k // 28 + 1:02d}-{k % 28 + 1:02d},{a:.3f},{b:.3f},{k % 4},{ROLE[k % 4]},{'ill' if y else 'well'}"
    for k, ((a, b), y) in enumerate(zip(X, Y, strict=True))
]
HEAD = "Date,a,b,fold,part,outcome\n"
DATA = '{ path = "p.csv", target = "outcome", positive = "ill" }'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.csv").write_text(HEAD + "\n".join(LINES))
    for role in ("train", "validation", "test"):
        rows = [line for k, line in enumerate(LINES) if ROLE[k % 4] == role]
        (tmp_path / f"{role}.csv").write_text(HEAD + "\n".join(rows))
    return tmp_path


def test_the_hint_names_an_option_that_exists(run: Run, folder: Path) -> None:
    (folder / "s.toml").write_text(f'datasets = [{DATA}]\nlearners = ["nb"]\n')
    refused = run("experiment", "run", "s.toml", "--quiet")
    assert "type --ignore Date" in refused.err
    done = run("experiment", "run", "s.toml", "--ignore", "Date", "--ignore", "part", "--split", "fold", "--jobs", "1")
    assert done.code == 0
    with closing((study := open_study("s.db", "s")).store):
        assert study.plan == plans.given("fold")
        assert len(study.fold_scores("p", "nb").values) == 4
    again = run("experiment", "resume", "s.db", "--name", "s", "--quiet")
    assert again.code == 0
    refused = run("experiment", "resume", "s.db", "--name", "s", "--split", "fold")
    assert "--split does not apply to a store, which has it already" in refused.err
    text = f'datasets = [{DATA}]\nlearners = ["nb"]\nignore = ["Date", "part"]\nplan = "kfold"\n'
    (folder / "s.toml").write_text(text)
    assert (
        "--split is given, but the study file has a plan" in run("experiment", "run", "s.toml", "--split", "fold").err
    )
    assert run("experiment", "run", "s.toml", "--jobs", "1", "--quiet").code == 0


def test_a_winner_is_chosen_on_a_file_of_its_own(run: Run, folder: Path) -> None:
    data = '{ path = "train.csv", test = "test.csv", validation = "validation.csv", target = "outcome" }'
    learners = '["nb", "tree", "pruned_tree"]'
    (folder / "s.toml").write_text(f'datasets = [{data}]\nlearners = {learners}\nignore = ["Date", "part", "fold"]\n')
    assert run("experiment", "run", "s.toml", "--jobs", "1", "--quiet").code == 0
    shown = run("experiment", "show", "s.toml", "--winner", "--measure", "roc_auc", "--format", "json", "--quiet")
    table = json.loads(shown.out)["table"]
    assert table["measure"] == ["roc_auc"]
    assert table["candidates"] == [3]  # a baseline is never chosen
    parts = json.loads(run("experiment", "show", "s.toml", "--optimism", "--format", "json", "--quiet").out)["table"]
    assert sum(value is not None for value in parts["test"]) == 1
    page = run("experiment", "show", "s.toml", "--html", "s.html", "--quiet")
    assert page.code == 0
    text = (folder / "s.html").read_text()
    assert "training, validation and test compared" in text
    assert "on an independent test part: " in text


def test_differences_without_limits_say_what_to_ask_for(run: Run, folder: Path) -> None:
    text = f'datasets = [{DATA}]\nlearners = ["nb", "tree", "logistic"]\nignore = ["Date", "part", "fold"]\n'
    (folder / "s.toml").write_text(text)
    assert run("experiment", "run", "s.toml", "--jobs", "1", "--quiet").code == 0

    def asked(*options: str) -> dict[str, list[object]]:
        found = run("experiment", "show", "s.toml", *options, "--format", "json", "--quiet")
        assert found.code == 0, found.err
        table: dict[str, list[object]] = json.loads(found.out)["table"]
        return table

    plain = asked("--compare", "nb", "tree", "--measure", "f1")
    assert (plain["low"], plain["p"]) == ([None], [None])
    assert "use accuracy, error_rate, brier or log_loss" in str(plain["note"][0])
    named = asked("--compare", "nb", "tree", "--measure", "f1", "--method", "corrected-t")
    assert named["low"][0] is not None
    assert "is not verified here" in str(named["note"][0])
    assert len(asked("--compare", "nb", "tree")["test"]) == 3
    pairs = asked("--pairs")
    assert list(zip(pairs["first"], pairs["second"], strict=True)) == [
        ("nb", "tree"),
        ("nb", "logistic"),
        ("tree", "logistic"),
    ]
    assert all(value is not None for value in pairs["low"])
    assert asked("--pairs", "--adjust", "holm")["low"] == [None] * 3
    assert asked("--pairs", "--method", "paired-t")["p_value"] != pairs["p_value"]
    assert "method" in run("experiment", "show", "s.toml", "--method", "paired-t", "--quiet").err
    refused = run("experiment", "show", "s.toml", "--pairs", "--method", "5x2-t", "--quiet")
    assert "corrected-t" in refused.err


def test_the_dummy_is_in_the_table_of_ranks_and_in_no_test(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(
        "dataset,dummy,a,b\n" + "\n".join(f"d{k},0.5,0.{90 - k},0.{80 + k}" for k in range(8))
    )
    found = json.loads(run("rank", "r.csv", "--format", "json", "--quiet").out)
    assert found["algorithms"] == ["a", "b"]
    assert found["baselines"] == ["dummy"]
    assert found["table"]["algorithm"][-1] == "dummy"
    assert found["table"]["mean_rank"][-1] is None
    assert found["comparisons"]["pairs"]["first"] == ["a"]
    taken = json.loads(run("rank", "r.csv", "--format", "json", "--quiet", "--baseline", "none").out)
    assert taken["algorithms"] == ["dummy", "a", "b"]
    assert len(taken["comparisons"]["pairs"]["first"]) == 3
    assert "type --baseline none" in run("rank", "r.csv", "--control", "dummy", "--quiet").err
    assert "Not tested (baselines): dummy        change: --baseline none" in run("rank", "r.csv").err
