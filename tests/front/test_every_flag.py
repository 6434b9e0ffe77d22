"""Every flag of every command, given alone: what is printed, written or answered differs, or it is refused by name."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.front.samples import columns, sources_of_one, sources_of_two, value_for, written

from assay.cli import main
from assay.request import (
    Asked,
    CurveRequest,
    LogRequest,
    MergeRequest,
    ModelRequest,
    PlanRequest,
    PoolRequest,
    PredictionsRequest,
    RankRequest,
    ReduceRequest,
    Request,
    StreamRequest,
    StudyRequest,
)

STUDY = """
datasets = ["iris", { path = "mail.csv", target = "kind", positive = "spam" }]
learners = ["nb", "tree"]
plan = { kind = "kfold", folds = 2 }
backend = "here"
keep_models = true
"""
MAIL = "size,kind\n" + "".join(f"{i * 37 % 50},{'spam' if i * 17 % 50 > 30 else 'ham'}\n" for i in range(60))
RANKED = "dataset,tree,knn,forest\n" + "".join(
    f"d{k},{0.7 + k % 3 / 20},{0.72 + k % 4 / 25},{0.8 + k % 5 / 30}\n" for k in range(12)
)
# Where each command takes its options from, and what makes it answer.
RECORDS: dict[str, type[Asked]] = dict.fromkeys(
    ("evaluate", "columns", "compare", "threshold", "check", "pool", "demo"), Request
)
RECORDS |= {"rank": RankRequest, "plan": PlanRequest, "run": StudyRequest, "resume": StudyRequest, "show": StudyRequest}
RECORDS |= {"curve": CurveRequest, "stream": StreamRequest, "merge": MergeRequest}
# What asks by two records is here twice.
RECORDS |= {"reduce": Request, "cells": ReduceRequest, "between": PoolRequest, "log": LogRequest}
TYPED = {"cells": "reduce", "between": "pool", "log": "evaluate"}
RECORDS |= dict.fromkeys(("model", "score", "chance"), ModelRequest) | {"predictions": PredictionsRequest}
FLAGS = [
    (command, name)
    for command, record in RECORDS.items()
    for name, each in record.options().items()
    if TYPED.get(command, command) in each.commands and (command, name) != ("stream", "follow")  # which does not end
]
OTHER: dict[str, dict[str, Any]] = {
    "rank": {
        "better": "lower", "alpha": 0.2, "test": "sign", "adjust": "bonferroni", "all_adjustments": True,
        "control": "knn", "rope": 0.01, "weka": True, "base": "knn", "ratio": 0.3, "dataset": "site",
        "algorithm": "kind", "value": "time", "fold": "half", "repeat": "half", "figure": "cd.svg", "baseline": "knn",
    },
    "plan": {
        "half_width": 0.02, "power": 0.9, "level": 0.9, "prevalence": 0.2, "disagreement": 0.1, "correlation": 0.7,
        "sd": 0.1, "unpaired": True, "interval": (-0.01, 0.03), "method": "binormal", "chance": True, "cases": 90,
        "alternative": "greater", "pilot": "pilot.csv", "difference": 0.1,
    },
    "show": {
        "name": "none", "compare": ("nb", "dummy"), "failures": True, "estimates": True, "winner": True, "costs": True,
        "flow": True, "models": True, "roc": "roc.svg", "dataset": "mail", "measure": "kappa", "pairs": True,
        "optimism": True, "adjust": "holm", "part": "train", "settings": True,
    },
    "curve": {"kind": "label-noise", "dataset": "mail", "learner": "nb", "repeats": 4, "figure": "curve.svg",
              "parameter": "var_smoothing", "value": "0.1"},
    "run": {"store": "other.db", "keep_models": True},
    "evaluate": {"card": "card.toml"},
    "model": {
        "dataset": "iris", "learner": "tree", "name": "none", "fold": 1, "repeat": 1, "importances": True,
        "loss": "probabilities", "shuffles": 30, "level": 0.8, "seed": 5, "format": "json",
    },
    "score": {
        "dataset": "iris", "learner": "tree", "name": "none", "fold": 1, "repeat": 1, "id": "who",
        "threshold": "youden",
        "cost_fp": 1.0, "cost_fn": 9.0, "recalibrate": "platt", "unseen": "missing", "format": "json",
    },
    "chance": {
        "dataset": "iris", "learner": "tree", "name": "none", "measure": "kappa", "permutations": 5, "seed": 5,
        "format": "json",
    },
    "predictions": {"dataset": "iris", "learner": "tree", "name": "none", "part": "validation", "repeat": 1},
    "resume": {"name": "none"},
    "stream": {
        "truth": "flipped", "score": "hazard", "pred": "call", "id": "case", "time": "when", "positive": "0",
        "classes": ("0", "1"), "ignore": "weight", "skip_bad": True, "window": 30, "seconds": 60.0, "fading": 0.9,
        "measure": "f1", "every": 30, "reference": 0.1, "reference_file": "base.csv", "margin": 0.3, "alpha": 0.2,
        "together": 5, "detector": "ddm", "expire_after": 5, "checkpoint": "s.state", "format": "json",
        "metrics": "m.prom", "port": 0, "fail_on_alarm": True,
    },
    "cells": {"bits": 5, "grid": "real", "least": 9, "exact": True, "name": "north"},
    "merge": {"bits": 3},
    "log": {
        "scorer": "exact", "filter": "strict", "task": "products", "at": "2", "majority": "3", "range": (0, 2),
        "partial": True, "item": "case", "repeat": "order", "judge": "right", "human": "mark",
        "sensitivity": "9/10", "specificity": "9/10",
    },
    "check": {"format": "markdown", "window": 60, "margin": 0.1},
    "compare": {"control": "good", "measure": "kappa"},
    "pool": {"measure": "recall"},
    "between": {"method": "dl", "limits": "hartung-knapp", "prediction": "as-limits"},
    "threshold": {"maximise": "youden"},
}  # fmt: skip
TWO, AREAS = ("accuracy", "0.9", "0.87"), ("roc_auc", "0.85", "0.80")
PLANNED: dict[str, tuple[str, ...]] = {
    "power": TWO,
    "method": ("roc_auc", "0.85"),
    "disagreement": TWO,
    "unpaired": TWO,
    "correlation": AREAS,
    "prevalence": AREAS,
}
PLANNED |= {"sd": ("brier", "0.10", "0.09"), "interval": ("accuracy",), "chance": ("roc_auc", "0.75")}
PLANNED |= dict.fromkeys(("cases", "alternative"), ("roc_auc", "0.75", "--chance"))
PLANNED |= {"pilot": ("roc_auc",), "difference": ("roc_auc", "--pilot", "pilot.csv")}
OF_STREAMS = ("stream", "reference", "reference_cases", "alpha", "window", "together", "margin")
HOW = {"jobs": 2, "backend": "processes", "address": "tcp://127.0.0.1:1", "spool": ".", "lease": 5.0, "retry": True}
HOW |= {"cell_timeout": 60.0, "split": "half"}
for each in ("run", "resume"):
    OTHER[each] |= HOW | {"measure": "kappa"}
for each in ("run", "resume", "show", "curve", "model", "score", "chance"):
    OTHER[each]["allow"] = "tests"


def by_fold(folds: int) -> str:
    """Results of three algorithms on six data sets, four each; with two folds a column `half` tells the repeats."""
    rows = (
        f"{d},p{d},{a},{a[0]},{0.7 + (7 * k + d + 3 * len(a)) % 11 / 40},{k + len(a)},{k % folds},{k // 2}"
        for d in range(6)
        for a in ("tree", "knn", "nb")
        for k in range(4)
    )
    return "\n".join(["dataset,site,scheme,kind,accuracy,time,fold,half", *rows, ""])


def evidence(command: str, name: str, folder: Path) -> list[str]:
    """A call that makes evidence, or puts two pieces of it together."""
    if command in ("reduce", "cells"):
        return ["reduce", str(sources_of_one(folder, name)["file"].data), "-o", "out.evidence"]
    scores = [f"{k % 2},{k * 37 % 100 / 100}" for k in range(90)]
    for site, last in (("north", "1,0.25"), ("south", "1,0.75")):
        (folder / f"{site}.csv").write_text("\n".join(["y_true,score", *scores, last, ""]))
        assert ran_once(["reduce", f"{folder}/{site}.csv", "-o", f"{folder}/{site}.evidence", "--quiet"]) == 0
    return [command, "north.evidence", "south.evidence", "-o", "out.evidence"]


def arguments(command: str, name: str, folder: Path) -> list[str]:
    """A call to which one option is added: on files in which it can matter."""
    if command in ("evaluate", "columns", "threshold", "check"):
        file = str(sources_of_one(folder, name)["file"].data)
        (folder / "card.toml").write_text('trust = "audited"')
        asked = {"threshold": ["--maximise", "f1"], "check": ["--require", "kappa > 0.1", "--require", "roc_auc > 0.1"]}
        if name == "strict":
            asked["check"] = ["--require", "accuracy > 0.85"]
        if name in OF_STREAMS:
            said = [] if name == "stream" else ["--stream"]
            asked["check"] = [*said, *(["--reference", "0.02"] if name != "reference" else []), "--ignore", "weights"]
        file_and_more = [file, *(["--ignore", "weights"] if name == "seed" else [])]
        shown = ["--json"] if command != "check" and name not in ("format", "style", "full", "layout") else []
        return [command, *file_and_more, *asked.get(command, []), *shown]
    if command == "compare":
        found = sources_of_two(folder, name)
        files = found["files"].data if name == "model" else [found["file"].data]
        alike = ["--ignore", "weights"] if name == "seed" else []  # weights leave nothing to draw
        return [command, *map(str, files), "--measure", "brier", "--measure", "f1", *alike]
    if command == "rank":
        folds = name in ("dataset", "algorithm", "value", "fold", "repeat", "weka", "base", "ratio")
        short = RANKED.replace("0.75", "", 1) if name == "missing" else RANKED
        text = by_fold(2 if name == "repeat" else 4) if folds else short
        (folder / "results.csv").write_text(text)
        shown = ["--json"] if name == "dataset" else []
        return [command, "results.csv", *shown, *(["--value", "accuracy"] if folds and name != "value" else [])]
    if command in ("stream", "pool", "between", "log"):
        called = {"stream": streamed, "log": logged}.get(command, parted)(folder, name)
        return [TYPED.get(command, command), *called]
    if command == "plan":
        scores = [f"{k % 2},{k * 37 % 100 / 100},{k * 53 % 90 / 100}" for k in range(90)]
        (folder / "pilot.csv").write_text("\n".join(["y_true,score__a,score__b", *scores, ""]))
        return [command, *PLANNED.get(name, ("accuracy", "0.9"))]
    if command == "demo":
        return [command, "--json"] if name == "seed" else [command]
    about = {"dataset": ["--dataset", "mail"], "learner": ["--learner", "nb"]}
    if command in ("model", "score", "chance", "predictions", "reduce", "cells", "merge"):
        made = command in ("reduce", "cells", "merge")
        return evidence(command, name, folder) if made else about_model(command, name, about)
    named = [part for part in about if part != name] if command == "curve" else ["dataset"] if name == "roc" else []
    return ["experiment", command, "study.toml", *(word for part in named for word in about[part])]


def logged(folder: Path, name: str) -> list[str]:
    """A log of a run that was cut short, or a table that is read as one."""
    rows = "".join(f"{k % 6},{k % 3},{k % 2},{k % 5 > 2:d}\n" for k in range(18))
    (folder / "table.csv").write_text(f"case,order,right,mark\n{rows}")
    if name in ("item", "repeat"):
        return ["table.csv", *(["--item", "case"] if name == "repeat" else []), "--score", "right"]
    if name in ("judge", "human", "sensitivity", "specificity"):
        other = {"sensitivity": ["--specificity", "8/10"], "specificity": ["--sensitivity", "8/10"]}.get(name, [])
        return ["table.csv", *([] if name == "judge" else ["--judge", "right"]), *other]
    lines: list[dict[str, Any]] = [{"spec": {"completion_fns": ["m"], "eval_name": "sums"}}]
    event: dict[str, Any] = {"run_id": "r", "event_id": 0, "type": "match"}
    lines += [{**event, "sample_id": f"s{k % 6}", "data": {"correct": k % 5 > 1}} for k in range(24)]
    lines += [{**event, "sample_id": f"s{k}", "type": "metrics", "data": {"exact": k % 2}} for k in range(6)]
    lines += [] if name == "partial" else [{"final_report": {}}]
    (folder / "log.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return ["log.jsonl", *(["--scorer", "correct"] if name in ("at", "majority") else [])]


def about_model(command: str, name: str, about: dict[str, list[str]]) -> list[str]:
    """A call about one model, with what the option goes with."""
    said = [word for part in about if part != name for word in about[part]]
    rated = ["--fold", "0", "--importances"] if name in ("loss", "shuffles", "level", "seed") else []
    rated += ["--fold", "0"] if name == "importances" or (name == "repeat" and command != "predictions") else []
    costs = {"cost_fp": ["--cost-fn", "3"], "cost_fn": ["--cost-fp", "1"]}.get(name, [])
    few = ["--permutations", "3"] if command == "chance" and name != "permutations" else []
    return [
        *("experiment", command, "study.toml", *(["new.csv"] if command == "score" else []), *said),
        *(rated if command != "chance" else []),
        *costs,
        *few,
    ]


def parted(folder: Path, name: str) -> list[str]:
    """A file of two sites; a picture and a page are of one measure."""
    file = str(sources_of_one(folder, name)["file"].data)
    sites = [] if name == "by" else ["--by", "site"]
    several = [] if name in ("svg", "html", "measure") else ["--measure", "roc_auc", "--measure", "kappa"]
    design = ["--ignore", "weights"] if name == "seed" else []
    return [file, *sites, *several, *design, *(["--json"] if name != "format" else [])]


def streamed(folder: Path, name: str) -> list[str]:
    """A stream in which every option can matter: an error that rises, and what is asked about where that is asked."""
    rows = [(k * 37 % 120 / 120, k * 53 % 120 / 120) for k in range(120)]
    lines = [
        f"{k},{k},{int(p > 0.5) ^ (q > 0.9 - k / 300)},{int(q > 0.5)},{p},{1 - p},{int(p > 0.4)}"
        for k, (p, q) in enumerate(rows)
    ]
    last = "weight" if name == "ignore" else "call"
    text = "\n".join([f"case,when,y_true,flipped,score,hazard,{last}", *lines, ""])
    (folder / "stream.csv").write_text(text + ("no row\n" if name == "skip_bad" else ""))
    (folder / "base.csv").write_text("y_true,score\n" + "1,0.9\n0,0.1\n" * 60)
    needed = {"time": ["--seconds", "30"], "fail_on_alarm": ["--reference", "0.01"]}
    needed |= {key: ["--reference", "0.1"] for key in ("margin", "alpha", "together")}
    return ["stream.csv", "--every", "40", *([] if name == "format" else ["--json"]), *needed.get(name, [])]


def flag(record: type[Asked], name: str, value: Any) -> list[str]:
    kind, spelled = record.options()[name].kind, "--" + (record.options()[name].flag or name.replace("_", "-"))
    if kind == "flag":
        return [spelled]
    if kind == "switch":
        return ["--positive-last"]
    return [spelled, *(map(str, value) if isinstance(value, tuple) else [str(value)])]


def ran(folder: Path, line: list[str]) -> tuple[int, str]:
    """The exit code, and everything that was printed and written; times and progress differ from run to run."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        argv, sys.argv = sys.argv, ["assay", *line]
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        finally:
            sys.argv = argv
    new = sorted(path.name for path in folder.iterdir() if path not in before)
    for name in new:
        if name.endswith(".evidence"):  # of which nothing else is printed
            out.write(hashlib.sha256((folder / name).read_bytes()).hexdigest())
        (folder / name).unlink()
    return code, f"{out.getvalue()}\n{err.getvalue()}\n{new}"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study that has been run."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "study.toml").write_text(STUDY)
    (folder / "mail.csv").write_text(MAIL)
    flower = "sepal length (cm),sepal width (cm),petal length (cm),petal width (cm)"
    (folder / "new.csv").write_text(
        f"size,who,{flower}\n" + "".join(f"{k},case {k},5,3,{k / 9},1\n" for k in range(50))
    )
    with contextlib.chdir(folder):
        assert ran_once(["experiment", "run", "study.toml", "--quiet"]) == 0
    return folder


def ran_once(line: list[str]) -> int:
    argv, sys.argv = sys.argv, ["assay", *line]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            main()
    except SystemExit as stop:
        return int(stop.code or 0)
    finally:
        sys.argv = argv
    return 0


@pytest.mark.parametrize(("command", "name"), FLAGS, ids=lambda part: part)
def test_every_flag_counts_or_is_refused_by_name(command: str, name: str, tmp_path: Path, lab: Path) -> None:
    record = RECORDS[command]
    folder = lab if record in (StudyRequest, CurveRequest, ModelRequest, PredictionsRequest) else tmp_path
    line = arguments(command, name, folder)
    value = OTHER.get(command, {}).get(name)
    value = value_for(name, "file") if value is None else value
    code, said = ran(folder, [*line, *flag(record, name, value)])
    assert "internal error" not in said
    if code in (2, 3) and "assay:" in said:
        assert name in said or name.replace("_", "-") in said or repr(value) in said, said
        return
    idle = record.options()[name].idle
    plain = ran(folder, line)
    assert (code, said) != plain or idle.keys() & {command, "experiment"}, f"{name} is ignored: {said[:300]}"


def test_flags_that_no_record_has_are_unknown(tmp_path: Path) -> None:
    file = written(tmp_path / "all.csv", columns())
    code, said = ran(tmp_path, ["evaluate", str(file), "--wieght", "w"])
    assert code == 2
    assert "--wieght" in said
    assert "--weight" in said


@pytest.mark.parametrize("both", [("--json", "--format", "csv"), ("--style", "weka", "--json"), ("--full", "--json")])
def test_flags_that_contradict_one_another_are_refused(tmp_path: Path, both: tuple[str, ...]) -> None:
    file = written(tmp_path / "all.csv", columns())
    code, said = ran(tmp_path, ["evaluate", str(file), *both])
    assert code == 2, said
