"""Write what users may have stored, once a release: `python -m tests.stored.write`. What is there is never rewritten.

A later release must read it. Each kind lies beside the answers that it gave when it was written.
"""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import sqlite3
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.stored.objects import made, numbers
from tests.web.asking import Bench
from tests.web.samples import eights

import assay
from assay.cli._main import assay as commands
from assay.experiments.learners import PRESETS, learner_of
from assay.experiments.study import Study
from assay.experiments.study_file import read_study
from assay.measures import registry, registry_of_many
from assay.web import Workbench

FOLDER = Path(__file__).parent
STUDY = """seed = 3
plan = { kind = "train_validation_test" }
datasets = ["iris"]
keep_models = true

[[learners]]
preset = "nb"

[[learners]]
preset = "pruned_tree"

[[learners]]
preset = "recalibrated"
params = { method = "isotonic", classifier = { preset = "nb" } }

[[learners]]
path = "sklearn.linear_model.LogisticRegression"
params = { max_iter = 200, C = 0.5 }
"""
# A study of a program in the same store, of two classes and several folds.
FOLDS: Mapping[str, Any] = {
    "datasets": "weather",
    "learners": ["nb", {"preset": "threshold", "params": {"classifier": {"preset": "nb"}}}, {"preset": "margin-svm"}],
    "plan": assay.plans.kfold(4),
    "seed": 5,
}
STREAM = ("log.csv", "--reference", "0.1", "--window", "60", "--fading", "0.95", "--every", "40", "--format", "json")
# What the command line prints as JSON, each of files that stand beside it.
COMMANDS: Mapping[str, Sequence[str]] = {
    "evaluate": ("evaluate", "one.csv"),
    "evaluate-many": ("evaluate", "three.csv"),
    "evaluate-models": ("evaluate", "two.csv"),
    "compare": ("compare", "two.csv"),
    "threshold": ("threshold", "one.csv", "--cost-fp", "1", "--cost-fn", "5"),
    "curve": ("curve", "one.csv", "--kind", "roc"),
    "rank": ("rank", "results.csv"),
    "pool": ("pool", "one.csv", "other.csv"),
    "check": ("check", "one.csv", "--require", "roc_auc >= 0.6"),
    "columns": ("columns", "one.csv"),
    "stream": ("stream", *STREAM[:-2]),
    "experiment": ("experiment", "show", "study.toml"),
}


def printed(*words: str) -> str:
    """What a command prints, as JSON."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(SystemExit):
        commands.main([*words], prog_name="assay", standalone_mode=False)
    return text.getvalue()


def exported(name: str) -> Any:
    """What one of the commands answers in this folder, as JSON; a line each of a stream."""
    text = printed(*COMMANDS[name], "--format", "json")
    return [json.loads(line) for line in text.splitlines()] if name == "stream" else json.loads(text)


def write_data(folder: Path) -> None:
    """Small files of predictions, results and a stream."""
    rows = [line.split(",") for line in eights().splitlines()]
    place = {name: rows[0].index(name) for name in rows[0]}
    truth, one, two = (
        [row[place[name]] for row in rows[1:201]] for name in ("target", "score__logistic", "score__bayes")
    )
    one, two = ([f"{float(value):.3f}" for value in each] for each in (one, two))
    write_table(folder / "one.csv", "target,score", truth[:120], one[:120])
    write_table(folder / "other.csv", "target,score", truth[80:], one[80:])
    write_table(folder / "two.csv", "target,score__first,score__second", truth, one, two)
    write_table(folder / "log.csv", "truth,score", truth, one)
    shares = [[(k * k + 3 * c * k) % 7 + 1 + 9 * (k % 3 == c) for c in range(3)] for k in range(60)]
    columns = [[f"{row[c] / sum(row):.4f}" for row in shares] for c in range(3)]
    write_table(folder / "three.csv", "truth,proba_a,proba_b,proba_c", ["abc"[k % 3] for k in range(60)], *columns)
    results = [
        [name, f"d{k}", f"{0.7 + 0.02 * i + 0.01 * ((k * (i + 2)) % 5):.3f}"]
        for k in range(8)
        for i, name in enumerate(("svm", "tree", "nb"))
    ]
    write_table(folder / "results.csv", "algorithm,dataset,accuracy", *zip(*results, strict=True))
    (folder / "study.toml").write_text(STUDY)


def write_table(path: Path, head: str, *columns: Sequence[str]) -> None:
    path.write_text("\n".join([head, *(",".join(row) for row in zip(*columns, strict=True)), ""]))


def study_answers(study: Study) -> dict[str, Any]:
    """The figures of a study, and how far it came."""
    answers: dict[str, Any] = {"progress": study.progress(), "seed": study.seed}
    for measure in ("accuracy", "kappa"):
        answers[measure] = numbers(dict(study.table(measure).columns))
    return {**answers, "models": study.models().columns["learner"]}


def write_objects(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, found in made():
            packed.writestr(f"{name}.pickle", pickle.dumps(found))
            packed.writestr(f"{name}.json", json.dumps(numbers(found)))


def write_study(folder: Path) -> dict[str, Any]:
    """Studies as a file and as a program say them, run in that folder; their store is left beside it."""
    answers = {}
    for name, asked in {"study": read_study(folder / "study.toml"), "folds": {**FOLDS, "name": "folds"}}.items():
        study = assay.experiment(**{**asked, "jobs": 1, "store": folder / "study.db"})
        answers[name] = study_answers(study)
        study.store.close()
    with contextlib.closing(sqlite3.connect(folder / "study.db")) as database:
        database.execute("PRAGMA journal_mode=DELETE")
        database.execute("VACUUM")
    return answers


def write_workbench(folder: Path) -> dict[str, Any]:
    """A list of what was opened, with a few steps."""
    bench = Bench(Workbench(folder))
    own = bench.opened("two.csv")
    bench.shown(f"/columns/{own}")
    bench.shown(f"/result/{own}")
    bench.tell(f"/api/result/{own}/threshold", model="first", cost_fp=1, cost_fn=10, prevalence=0.05)
    matrix = bench.led(bench.post("/paste", text="\tham\tspam\nham\t50\t3\nspam\t4\t43"))
    bench.shown(matrix)
    return workbench_answers(folder)


def workbench_answers(folder: Path) -> dict[str, Any]:
    """What a workbench in a folder lists, and the script of its session."""
    workbench = Workbench(folder)
    listed = [[one.id, one.kind, one.name, dict(one.options)] for one in workbench.listing.all()]
    return {
        "listed": listed,
        "steps": len(workbench.listing.steps()),
        "script": Bench(workbench).get("/session.py").text,
    }


def write_stream(folder: Path) -> list[Any]:
    """The moments of the second half of a stream that was left off after the first half."""
    lines = (folder / "log.csv").read_text().splitlines(keepends=True)
    (folder / "log.csv").write_text("".join(lines[:101]))
    printed("stream", *STREAM, "--checkpoint", "stream.state")
    (folder / "stream.state").rename(folder / "left.state")
    (folder / "log.csv").write_text("".join(lines))
    return stream_answers(folder)


def stream_answers(folder: Path) -> list[Any]:
    """What a stream goes on to say from where it was left off."""
    (folder / "stream.state").write_bytes((folder / "left.state").read_bytes())
    text = printed("stream", *STREAM, "--checkpoint", "stream.state")
    (folder / "stream.state").unlink()
    return [json.loads(line) for line in text.splitlines()]


def learner_hashes() -> dict[str, str]:
    """What cells of a study are found again by, for every learner that has a name."""
    return {name: learner_of(name).hash for name in PRESETS}


def measure_families() -> dict[str, str]:
    """The family of every measure, as lists and JSON show it."""
    return {name: one.family for known in (registry, registry_of_many) for name, one in known.items()}


def write(folder: Path) -> None:
    """Everything, into a folder that is not there yet."""
    folder.mkdir()
    write_objects(folder / "objects.zip")
    write_data(folder)
    with contextlib.chdir(folder):
        answers = {
            "study": write_study(folder),
            "stream": write_stream(folder),
            "workbench": write_workbench(folder),
            "learners": learner_hashes(),
            "families": measure_families(),
        }
        (folder / "exported.json").write_text(json.dumps({name: exported(name) for name in COMMANDS}, indent=0))
    (folder / "answers.json").write_text(json.dumps(answers, indent=1))


if __name__ == "__main__":
    write(FOLDER / (sys.argv[1] if len(sys.argv) > 1 else assay.__version__))
