"""Ten thousand evaluations leave no memory behind, and two hundred threads give one answer."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from assay import Evaluation, compare, evaluate
from assay.report import render_html

THREADS = 200
SOAK = """
import gc, sys
import numpy as np
from assay import compare, evaluate

def used():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

rng = np.random.default_rng(0)
for k in range(10_000):
    n = int(rng.integers(60, 400))
    truth = (rng.random(n) < 0.4).astype(int)
    truth[:2] = 0, 1
    score = 0.5 * rng.random(n) + 0.4 * truth
    ev = evaluate(truth, score)
    found = ev.roc_auc, ev.brier, ev.f1
    if k % 10 == 0:
        str(ev.table())
    if k % 100 == 0:
        compare(truth, {"a": score, "b": rng.random(n)}).difference("roc_auc", "a", "b")
    if k == 2_000:
        early = used()
print(used() - early)
"""


def a_case(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(300) < 0.4).astype(int)
    return truth, 0.5 * rng.random(300) + 0.4 * truth


def told(ev: Evaluation) -> str:
    return f"{ev.estimate('roc_auc')} {ev.estimate('brier')} {ev.estimate('f1')} {ev.cautions}"


def test_two_hundred_threads_give_one_answer() -> None:
    cases = [a_case(k % 20) for k in range(THREADS)]
    shared = evaluate(*cases[0])
    wanted = [told(evaluate(*case)) for case in cases[:20]]
    with ThreadPoolExecutor(THREADS) as pool:
        apart = list(pool.map(lambda case: told(evaluate(*case)), cases))
        # One object asked by all: what it works out once it works out the same.
        together = set(pool.map(lambda _: told(shared), range(THREADS)))
    assert apart == wanted * (THREADS // 20)
    assert together == {wanted[0]}


def test_threads_write_one_page_and_one_comparison() -> None:
    truth, score = a_case(3)
    scores = {"a": score, "b": a_case(4)[1]}
    with ThreadPoolExecutor(6) as pool:
        pages = set(pool.map(lambda _: render_html({"": evaluate(truth, score)}), range(6)))
        pairs = set(pool.map(lambda _: str(compare(truth, scores).table()), range(6)))
    assert (len(pages), len(pairs)) == (1, 1)


@pytest.mark.engines
def test_ten_thousand_evaluations_leave_no_memory_behind() -> None:
    single = os.environ | {"OMP_NUM_THREADS": "1"}
    ran = subprocess.run([sys.executable, "-c", SOAK], capture_output=True, text=True, env=single, check=False)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) < 4_000_000
