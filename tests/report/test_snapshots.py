"""What the plain renderings look like, to the letter. ASSAY_SNAPSHOTS=write writes them anew."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.evaluation import Evaluation
from assay.report import render_csv, render_latex, render_markdown, render_text

FOLDER = Path(__file__).parent / "snapshots"
RENDERINGS: dict[str, Callable[[dict[str, Evaluation]], str]] = {
    "short.txt": render_text,
    "full.txt": lambda models: render_text(models, full=True),
    "md": render_markdown,
    "tex": render_latex,
    "csv": render_csv,
}


@pytest.mark.parametrize("models", ["one", "three", "four"])
@pytest.mark.parametrize("kind", RENDERINGS)
def test_renderings_stay_as_they_are(models: str, kind: str, request: pytest.FixtureRequest) -> None:
    text = RENDERINGS[kind](request.getfixturevalue(models))
    text = re.sub(r"(versions\s+).*", r"\1(left out)", text).rstrip("\n") + "\n"
    # The last digits of a double are the processor's business.
    text = re.sub(r"\d+\.\d{10,}", lambda digits: f"{float(digits[0]):.9g}", text)
    path = FOLDER / f"{models}.{kind}"
    if os.environ.get("ASSAY_SNAPSHOTS") == "write":
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()
