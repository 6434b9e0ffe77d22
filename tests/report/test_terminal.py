"""What a terminal shows, 80 and 120 columns wide. ASSAY_SNAPSHOTS=write writes the snapshots anew."""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.report.samples import many, scored
from tests.report.test_compared import comparison

from assay.cli._console import has_colours, in_colours
from assay.comparison import Difference
from assay.evaluation import compare, evaluate
from assay.report import Compared, answers, render_text
from assay.report.blocks import Forest, ForestRow
from assay.report.renderers.text import _difference_bar
from assay.text import coloured, uncoloured

FOLDER = Path(__file__).parent / "snapshots"


class Terminal(io.StringIO):
    """Standard output where it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make standard output a terminal so wide."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    def wide(columns: int) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "stdout", Terminal())

    return wide


def compared(*names: str) -> str:
    """What `assay compare` prints."""
    return answers.render(answers.comparison(Compared(comparison(*names))), "table")


SHOWN: dict[str, Callable[[], str]] = {
    "evaluate": lambda: render_text({"": scored()}),
    "evaluate-three": lambda: render_text({name: scored(strength=k + 0.5) for k, name in enumerate("abc")}),
    "evaluate-classes": lambda: render_text({"": many()}),
    "compare": lambda: compared("good", "poor"),
    "compare-three": lambda: compared("good", "middling", "poor"),
}


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("shown", SHOWN)
def test_a_terminal_is_filled_and_no_line_is_broken(shown: str, columns: int, terminal: Callable[[int], None]) -> None:
    terminal(columns)
    with coloured():
        text = SHOWN[shown]()
    plain = uncoloured(text)
    assert text != plain
    assert "\x1b" not in plain
    assert max(map(len, plain.splitlines())) <= columns
    path = FOLDER / f"{shown}.{columns}.txt"
    if os.environ.get("ASSAY_SNAPSHOTS") == "write":
        path.write_bytes(f"{plain}\n".encode())
    assert f"{plain}\n" == path.read_bytes().decode()


def test_a_terminal_without_colours_has_the_same_text(
    terminal: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal(80)
    assert has_colours(sys.stdout)
    with in_colours(sys.stdout):
        in_colour = SHOWN["evaluate"]()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_colours(sys.stdout)
    with in_colours(sys.stdout):
        without = SHOWN["evaluate"]()
    assert "\x1b[" in in_colour
    assert "\x1b" not in without
    assert uncoloured(in_colour) == without
    assert not has_colours(io.StringIO())


@pytest.mark.parametrize("limits", [(0.1, math.inf), (-math.inf, 0.3)])
def test_an_infinite_limit_is_drawn_to_the_end_of_the_axis(limits: tuple[float, float]) -> None:
    found = Difference("roc_auc", "a", "b", 0.2, *limits, 0.95, 0.01, "a test", 100)
    block = Forest((ForestRow("AUC", found, "higher"),))
    assert block.reach == pytest.approx(0.2 if limits[1] == math.inf else 0.3)
    bar = uncoloured(_difference_bar(block.rows[0], block.reach, 21))
    assert len(bar) == 21
    assert (bar[0] == "━", bar[-1] in "━┃") == (limits[0] == -math.inf, limits[1] > 0.25)


def test_names_are_no_styles(terminal: Callable[[int], None]) -> None:
    terminal(80)
    hostile = "\x1b[31mred\x1b[0m"
    truth = [hostile, "ham"] * 20
    with coloured():
        found = evaluate(truth, [0.9, 0.2, 0.8, 0.4] * 10, positive=hostile)
        text = render_text({"": found})
        text += render_text({hostile: found, "other": evaluate(truth, y_pred=truth[::-1], positive=hostile)})
        asked = Compared(compare([0, 1] * 20, {hostile: [0.1, 0.9] * 20, "b": [0.4, 0.6] * 20}))
        text += answers.render(answers.comparison(asked), "table")
    assert "\x1b[31m" not in text
    assert r"\x1b[31mred" in text
