"""What README and the other pages tell to type is typed here, and what they show is compared with what comes out."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from tests.items.logs import BATTLES, INSPECT_A, INSPECT_B, JUDGE

import assay
from assay.cli import main

ROOT = Path(__file__).parents[2]
# The commands of mistakes.md are to fail: tests/contracts/test_mistakes.py types them and their fixes.
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "mistakes.md")]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What reaches for another machine is typed up to its options; make test-engines runs such commands on real engines.
# A server is not started either: tests/web does that.
ELSEWHERE = ("assay serve", "tcp://", "postgresql://", "github", "pyspark", "all_gather")
SIDES = ("north", "south", "east", "west")
STUDY = """
datasets = ["iris", { path = "patients.csv", target = "outcome", positive = "ill" }]
learners = ["logistic", "tree"]
plan = { kind = "kfold", folds = 3 }
jobs = 1
"""


def typed(page: Path) -> Iterator[str]:
    """The commands of a page, each on one line, without prompt and remark."""
    for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind in ("", "sh", "console"):
            for line in re.sub(r"\\\n\s*", "", block).splitlines():
                words = line.strip().removeprefix("$ ")
                if re.match(r"(cat \S+ \| )?assay [a-z]", words):
                    yield re.sub(r"\s+#.*$", "", words)


COMMANDS = [(page.name, line) for page in PAGES for line in typed(page)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files under the names that the pages use."""
    where, rng = tmp_path_factory.mktemp("typed"), np.random.default_rng(0)
    demo = pd.read_csv(ROOT / "src/assay/data/demo.csv")
    demo[["target", "score__logistic"]].set_axis(["target", "score"], axis=1).to_csv(
        where / "predictions.csv", index=False
    )
    demo[["target", "score__bayes"]].set_axis(["target", "score"], axis=1).to_csv(where / "base.csv", index=False)
    rows = len(demo)
    several = demo.set_axis(["target", "score__a", "score__b"], axis=1).assign(
        case=[f"case {i}" for i in range(rows)],
        hospital=rng.choice(["north", "south"], rows),
        patient=np.arange(rows) // 3,
    )
    several.to_csv(where / "preds.csv", index=False)
    one = several[["target", "score__a"]].set_axis(["target", "score"], axis=1)
    for month, part in (("jan", one[::2]), ("feb", one[1::2])):
        part.to_csv(where / f"{month}.csv", index=False)
    one.assign(dollars=rng.lognormal(6, 1, rows).round(2)).to_csv(where / "claims.csv", index=False)
    one.to_json(where / "preds.jsonl", orient="records", lines=True)
    named = one.assign(target=np.where(one.target == 1, "spam", "ham"))
    named.to_parquet(where / "preds.parquet")
    declared = "@relation preds\n@attribute target {0,1}\n@attribute score numeric\n@data\n"
    (where / "preds.arff").write_text(declared + one.to_csv(index=False, header=False))
    one.assign(hospital=rng.choice(SIDES, rows)).to_csv(where / "hospitals.csv", index=False)
    for place, side in enumerate(SIDES):
        one[place::4].to_csv(where / f"{side}.csv", index=False)
    one.to_parquet(where / "huge.parquet")
    (where / "scores").mkdir()
    for day in ("day-1", "day-2"):
        several[["target", "score__a", "score__b"]].to_parquet(where / "scores" / f"{day}.parquet")
    with duckdb.connect(str(where / "warehouse.duckdb")) as warehouse:
        warehouse.execute("CREATE TABLE scores AS SELECT * FROM read_parquet(?)", [str(where / "huge.parquet")])
    ill = rng.random(120) < 0.4
    patients = pd.DataFrame({"age": 60 + 9 * ill + rng.normal(0, 8, 120), "outcome": np.where(ill, "ill", "well")})
    patients.to_csv(where / "patients.csv", index=False)
    ranked = pd.DataFrame(rng.random((12, 3)), columns=["tree", "knn", "forest"]).assign(dataset=range(12))
    ranked.to_csv(where / "results.csv", index=False)
    (where / "study.toml").write_text(STUDY)
    logs = {"sums.eval": INSPECT_A, "new.eval": INSPECT_A, "old.eval": INSPECT_B, "answers.csv": JUDGE}
    for name, log in (logs | {"battles.csv": BATTLES}).items():
        shutil.copyfile(log, where / name)
    return where


def ran(folder: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """The exit code of a command, and all that it said."""
    given, _, command = line.rpartition(" | ")
    words = shlex.split(command)[1:]
    if any(place in line for place in ELSEWHERE):
        words.append("--help")
    said, code = io.StringIO(), 0
    read = (folder / given.split()[1]).read_bytes() if given else b""
    monkeypatch.setattr(sys, "argv", ["assay", *words])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(read)))
    with contextlib.chdir(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    return code, said.getvalue()


@pytest.mark.parametrize("page", sorted({page for page, _ in COMMANDS}))
def test_the_commands_of_a_page_can_be_typed(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, as a reader would: what one writes, a later one shows."""
    for line in [line for where, line in COMMANDS if where == page]:
        code, said = ran(folder, line, monkeypatch)
        # A gate that fails has done what it is for, and so has one without a verdict: these rows come in clusters.
        assert code == 0 or (code in (1, 5) and " check " in line), f"{line}\n{said}"


def test_what_was_asked_for_runs_on_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ran(tmp_path, "assay demo --save preds.csv", monkeypatch)[0] == 0
    lines = [line for page, line in COMMANDS if page == "asked-for.md" and "--cluster" not in line]
    assert len(lines) >= 6
    for line in lines:
        code, said = ran(tmp_path, line, monkeypatch)
        assert code == 0 or " check " in line, said


def test_pages_hold_commands() -> None:
    assert {page for page, _ in COMMANDS} >= {"README.md", "gates.md", "report.md", "many-machines.md", "asked-for.md"}
    assert len(COMMANDS) > 30


def test_readme_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran(tmp_path, "assay demo --save demo.csv", monkeypatch)
    blocks = [block for _, block in BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))]
    shown = [block for block in blocks if block.startswith("$ assay")]
    assert shown
    for block in shown:
        line, _, answer = block.partition("\n")
        assert ran(tmp_path, line.removeprefix("$ "), monkeypatch) == (0, answer)


def names_used() -> dict[str, Any]:
    """What the Python blocks of the pages take as given."""
    rng = np.random.default_rng(1)
    x, y = load_breast_cancer(return_X_y=True)
    columns = x[:, :3] / x[:, :3].max(0)
    model = LogisticRegression(C=0.5).fit(columns[::2], y[::2])
    score = model.predict_proba(columns[1::2])[:, 1]
    wine = load_wine().target
    p = rng.dirichlet(np.ones(3), len(wine)) + np.eye(3)[wine]
    texts = [f"text {i}" for i in range(40)]
    answers = [{"label": "spam" if i % 3 else "ham", "score": 0.5 + i / 100} for i in range(40)]
    return {
        "pd": pd, "model": model, "X_test": columns[1::2], "y_test": y[1::2], "y_true": y[1::2], "y_score": score,
        "kinds": wine, "p": p / p.sum(1, keepdims=True), "w": rng.uniform(1, 2, len(wine)),
        "patient": np.arange(len(wine)) // 2, "s1": score, "s2": columns[1::2, 0], "score_in_use": 1 - columns[1::2, 0],
        "ev": assay.evaluate(y[1::2], score), "cmp": assay.compare(y[1::2], {"one": score, "other": columns[1::2, 0]}),
        "texts": texts, "labels": ["spam" if i % 2 else "ham" for i in range(40)],
        "loader": list(zip(np.array_split(score, 3), np.array_split(y[1::2], 3), strict=True)),
        **{f"ev_{side}": assay.evaluate(y[i::3], 1 - columns[i::3, 0]) for i, side in enumerate(SIDES[:3])},
        "frame": pd.DataFrame({"target": y[1::2], "score": score}), "predict": lambda given: given,
        "pipeline": lambda task: lambda given: answers[: len(given)],
    }  # fmt: skip


@pytest.mark.parametrize(
    "page", [path for path in PAGES if "```python" in path.read_text(encoding="utf-8")], ids=lambda path: path.name
)
def test_python_of_a_page_runs(page: Path, folder: Path) -> None:
    given = names_used()
    with contextlib.chdir(folder):
        for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")):
            if kind == "python" and not any(place in block for place in ELSEWHERE):
                exec(compile(block, page.name, "exec"), given)  # the page is ours
    for name in [name for name in given if name.startswith("test_")]:
        given[name]()
