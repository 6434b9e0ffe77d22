"""What holds for all tests: the same random examples on every run, and no skip where everything is required."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

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
