"""Reducing and merging, killed with -9: the file of before is there or the new one, never a part of it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import assay

pytestmark = pytest.mark.engines
KILLS = 12
COMMANDS = {
    "reduce": ["reduce", "north.csv", "-o", "all.evidence", "--exact"],
    "merge": ["merge", "north.evidence", "south.evidence", "-o", "all.evidence"],
}
# A process that ends itself with -9 before its n-th call of anything that writes.
AT_CALL = """
import os, signal, sys, pathlib
left = [int(sys.argv.pop(1))]
def counted(call):
    def called(*args, **options):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **options)
    return called
import assay.evaluation, assay.output_files
from assay.cli import main
for name in ("_write", "_flush", "_flush_folder", "_copy_owner_and_mode"):
    setattr(assay.output_files, name, counted(getattr(assay.output_files, name)))
pathlib.Path.replace, pathlib.Path.unlink = counted(pathlib.Path.replace), counted(pathlib.Path.unlink)
main()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for seed, name in enumerate(("north", "south")):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 2, 4000)
        score = rng.normal(truth, 1)
        rows = [f"{y},{s:.9f}" for y, s in zip(truth, score, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y_true,score", *rows, ""]))
        assay.reduce(tmp_path / f"{name}.csv", exact=True, name=name).save(tmp_path / f"{name}.evidence")
    return tmp_path


def started(folder: Path, *command: str) -> subprocess.Popen[bytes]:
    env = {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1", "PATH": os.environ["PATH"]}
    return subprocess.Popen(
        [sys.executable, *command], cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def the_only_two(folder: Path, command: str) -> tuple[bytes, bytes, float]:
    """What is there before and after, and how long the command takes."""
    target, start = folder / "all.evidence", time.monotonic()
    assert started(folder, "-m", "assay", *COMMANDS[command]).wait(120) == 0
    seconds, new = time.monotonic() - start, target.read_bytes()
    old = assay.reduce([0, 1] * 50, np.arange(100) / 100, name="old").to_bytes()
    assert new != old
    return old, new, seconds


def after(folder: Path, old: bytes, new: bytes) -> bool:
    """Whether the new file has taken the place of the old one; whatever is there is whole."""
    target = folder / "all.evidence"
    data = target.read_bytes()
    assert data in (old, new)
    assert assay.load(target).parts
    return data == new


@pytest.mark.parametrize("command", COMMANDS)
def test_killed_at_random_moments_the_old_file_or_the_new_one_is_there(folder: Path, command: str) -> None:
    old, new, seconds = the_only_two(folder, command)
    rng = random.Random(command)
    for _ in range(KILLS):
        (folder / "all.evidence").write_bytes(old)
        process = started(folder, "-m", "assay", *COMMANDS[command])
        time.sleep(rng.uniform(0.3, 1.1) * seconds)
        process.kill()
        process.wait(60)
        after(folder, old, new)


@pytest.mark.parametrize("command", COMMANDS)
def test_killed_at_each_step_of_writing_the_old_file_or_the_new_one_is_there(folder: Path, command: str) -> None:
    old, new, _ = the_only_two(folder, command)
    outcomes = []
    for number in count(1):
        (folder / "all.evidence").write_bytes(old)
        code = started(folder, "-c", AT_CALL, str(number), *COMMANDS[command]).wait(120)
        outcomes.append(after(folder, old, new))
        if code == 0:
            break
        assert code == -signal.SIGKILL
    # At first the old one, at last the new one, and no step that goes back.
    assert not outcomes[0]
    assert outcomes[-1]
    assert outcomes == sorted(outcomes)
    assert len(outcomes) >= 5
