"""Models to report on, and a browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from tests.report.samples import many, scored

from assay.evaluation import Evaluation

CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture
def one() -> dict[str, Evaluation]:
    """One model that nobody named."""
    return {"": scored()}


@pytest.fixture
def three() -> dict[str, Evaluation]:
    """Three models on the same cases."""
    return {"boosting": scored(strength=2.5), "logistic": scored(strength=1.5), "forest": scored(strength=0.5)}


@pytest.fixture
def four() -> dict[str, Evaluation]:
    """One model of four classes."""
    return {"": many()}


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
