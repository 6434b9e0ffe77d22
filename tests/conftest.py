"""What holds for all tests: the same random examples on every run, no skip where everything is required, a browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Frameworks of training loops are gigabytes that no requirement brings: their tests run where one is installed.
collect_ignore = [] if find_spec("torch") or find_spec("jax") else ["evaluation/test_frameworks.py"]

settings.register_profile(
    "assay",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("assay")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With ASSAY_REQUIRE_ALL=1 a skipped test is a failed run: something that must be there is missing."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("ASSAY_REQUIRE_ALL") == "1" and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("tests were skipped, and ASSAY_REQUIRE_ALL=1 allows none", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium; its absence skips, or fails where everything is required."""
    path = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        message = "needs Chromium and playwright"
        pytest.fail(message) if os.environ.get("ASSAY_REQUIRE_ALL") == "1" else pytest.skip(message)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        yield running
        running.close()
