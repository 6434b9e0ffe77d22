"""The report page at 10^6 cases: how large a model makes it, how long it takes to build, and how fast it moves."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import sync_playwright
from tests.conftest import CHROMIUM_ARGS
from tests.report.driving import MADE, Opened

import assay
from assay.report import render_html, write_html
from benchmarks._timing import best_of

__all__ = ["compared_page", "first_page_seconds", "page_seconds", "page_size", "step_milliseconds"]

CASES = 10**6
FIRST_PAGE = f"""
import tempfile, time
import numpy as np
import assay
rng = np.random.default_rng(0)
truth = rng.random({CASES}) < 0.3
found = assay.evaluate(truth, 1 / (1 + np.exp(-rng.normal(truth * 1.2 - 1, 1))))
with tempfile.TemporaryDirectory() as folder:
    start = time.perf_counter()
    found.report(folder + "/page.html")
    print(time.perf_counter() - start)
"""


def page_size(rng: np.random.Generator, cases: int = CASES) -> float:
    """Kilobytes that a model adds to a page: a page of two less a page of one, so script and style do not count."""
    first, second = (_evaluated(rng, cases, shift) for shift in (1.2, 1.4))
    one, two = (len(render_html(models).encode()) for models in ({"a": first}, {"a": first, "b": second}))
    return (two - one) / 1000


def page_seconds(rng: np.random.Generator, cases: int = CASES, rounds: int = 3) -> tuple[float, float]:
    """Seconds on the clock and of the processor to build and write a page; a shared machine inflates the first."""
    best = (np.inf, np.inf)
    with TemporaryDirectory() as folder:
        for _ in range(rounds):
            # A new evaluation each time: what an earlier page worked out would be remembered.
            models = {"": _evaluated(rng, cases, 1.2)}
            start, used = time.perf_counter(), _processor()
            write_html(models, Path(folder) / "page.html")
            best = min(best[0], time.perf_counter() - start), min(best[1], _processor() - used)
    return best


def first_page_seconds(rounds: int = 3) -> float:
    """The same in a fresh process, as the command line has it: what is loaded and compiled for a page counts too."""
    runs = [subprocess.run([sys.executable, "-c", FIRST_PAGE], check=True, capture_output=True) for _ in range(rounds)]
    return min(float(run.stdout) for run in runs)


def compared_page(rng: np.random.Generator, cases: int, rounds: int = 3) -> float:
    """How many times as long the page of four compared models takes as the tables of the four by themselves."""
    truth = rng.random(cases) < 0.3
    shared = rng.normal(size=cases)
    scores = {
        f"model {k}": 1 / (1 + np.exp(1 - (1.6 + 0.2 * k) * truth - shared - rng.normal(size=cases))) for k in range(4)
    }
    with TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        t = best_of(
            {
                "tables": lambda: [assay.evaluate(truth, score).table() for score in scores.values()],
                "page": lambda: assay.compare(truth, scores).report(page),
            },
            rounds,
        )
    return t["page"] / t["tables"]


def step_milliseconds(name: str) -> float:
    """Milliseconds that the slowest of the sliders takes for a step on one of the pages the script is tested on."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "page.html"
        write_html(MADE[name](), path)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_ARGS)
        opened = Opened(browser, path)
        slowest = max(opened.step_ms(control) for control in ("threshold", "ratio", "prevalence"))
        browser.close()
    return slowest


def _evaluated(rng: np.random.Generator, cases: int, shift: float) -> assay.Evaluation:
    truth = rng.random(cases) < 0.3
    return assay.evaluate(truth, 1 / (1 + np.exp(-rng.normal(truth * shift - 1, 1))))


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
