"""The browser that pages are opened in, for notebooks too."""

from __future__ import annotations

from tests.report.conftest import browser as browser
