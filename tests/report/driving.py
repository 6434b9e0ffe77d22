"""A report page in a browser, and hands on its controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from tests.report.samples import HOSTILE, labelled, many, scored

from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.evidence import ScoreTable
from assay.report import write_html
from assay.sources import Source

AXES = ("x0", "x1", "y0", "y1", "left", "top", "width", "height")
TO_SCREEN = "(svg, at) => { const p = new DOMPoint(...at).matrixTransform(svg.getScreenCTM()); return [p.x, p.y]; }"
SLIDER = "input[data-control=threshold]"
TYPED = "input[data-control=threshold-value]"
CLOCK = """control => { const slider = document.querySelector(`input[data-control=${control}]`), times = [];
  const [low, high] = [Number(slider.min), Number(slider.max)];
  for (let i = 0; i < 60; i++) { slider.value = low + (high - low) * ((i * 37) % 60) / 60;
    const start = performance.now();
    slider.dispatchEvent(new Event("input"));
    times.push(performance.now() - start); }
  return times.sort((a, b) => a - b)[30]; }"""
# Where copies go, so that no test depends on a clipboard.
COPIES = "navigator.clipboard.writeText = async text => { window.copied = text; }"


class Opened:
    """A page in a browser, and everything that went wrong in it or left it."""

    def __init__(self, browser: Any, path: Path, hash_: str = "", **context: Any) -> None:
        self.page = browser.new_context(viewport={"width": 1280, "height": 900}, **context).new_page()
        self.complaints: list[str] = []
        uri = path.as_uri()
        page, complain = self.page, self.complaints.append
        page.on("console", lambda message: complain(f"console: {message.text}"))
        page.on("pageerror", lambda error: complain(f"error: {error}"))
        page.on("dialog", lambda dialog: complain(f"dialog: {dialog.message}"))
        page.on("request", lambda r: None if r.url.split("#")[0] in (uri, "data:,") else complain(f"request: {r.url}"))
        page.add_init_script(COPIES)
        page.set_default_timeout(5_000)
        page.goto(uri + hash_)
        # What is folded away is of the page like everything else.
        page.evaluate("document.querySelectorAll('details.more').forEach(one => one.open = true)")

    def said(self, name: str, model: int | None = None) -> str:
        """What stands where a number is written: that of a model, or of the chosen one."""
        own = self.page.locator(f'[data-out="{name}"][data-model="{model}"]')
        found = (
            own if model is not None and own.count() else self.page.locator(f'[data-out="{name}"]:not([data-model])')
        )
        return str(found.first.text_content())

    def live(self, key: str, model: int | None = None) -> str:
        """A sentence that follows the controls."""
        whose = "" if model is None else f'[data-model="{model}"]'
        return str(self.page.locator(f'[data-live="{key}"]{whose}').first.text_content()).replace("\u00a0", " ")

    @property
    def threshold(self) -> float:
        """The threshold in use, with all its digits; infinite where none is predicted positive, nan for labels."""
        return float(str(self.page.locator(SLIDER).get_attribute("data-at")).replace("Infinity", "inf"))

    def press(self, selector: str, *keys: str) -> None:
        self.page.locator(selector).first.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def slide(self, selector: str, share: float) -> None:
        """Click a slider at this share of its length."""
        box = self.page.locator(selector).bounding_box()
        self.page.mouse.click(box["x"] + 8 + share * (box["width"] - 16), box["y"] + box["height"] / 2)

    def dot(self, figure: str, model: int = 0) -> tuple[float, float]:
        """Where an operating point stands, in the units of its figure's axes."""
        return self.mark(figure, f".dot[data-model='{model}']", ("cx", "cy"))

    def mark(self, figure: str, selector: str, names: tuple[str, str]) -> tuple[float, float]:
        """A mark's place in the units of the axes; a coordinate is a tenth of a unit of the drawing."""
        svg = self.page.locator(f"svg[data-figure={figure}]")
        at = [float(svg.locator(selector).first.get_attribute(name)) for name in names]
        data = {key: float(svg.get_attribute(f"data-{key}")) for key in AXES}
        across, down = (at[0] - data["left"]) / data["width"], (at[1] - data["top"]) / data["height"]
        return data["x0"] + across * (data["x1"] - data["x0"]), data["y1"] - down * (data["y1"] - data["y0"])

    def screen(self, figure: str, x: float, y: float) -> tuple[float, float]:
        """Where on the screen a place on a figure lies."""
        svg = self.page.locator(f"svg[data-figure={figure}]")
        svg.scroll_into_view_if_needed()
        data = {key: float(svg.get_attribute(f"data-{key}")) for key in AXES}
        right = data["left"] + data["width"] * (x - data["x0"]) / (data["x1"] - data["x0"])
        down = data["top"] + data["height"] * (data["y1"] - y) / (data["y1"] - data["y0"])
        at = svg.evaluate(TO_SCREEN, [right, down])
        return float(at[0]), float(at[1])

    def step_ms(self, control: str) -> float:
        """How long a step of a slider takes, in milliseconds: the median of sixty."""
        return float(self.page.evaluate(CLOCK, control))

    def close(self) -> None:
        assert self.complaints[:3] == []
        self.page.context.close()


ONE = scored()
THREE = {"boosting": scored(strength=2.5), "logistic": scored(strength=1.5), "forest": scored(strength=0.5)}


def hostile() -> dict[str, Evaluation]:
    """Models and a class with names that try to be more than names."""
    return {name: scored(classes=("a", '"; drop'), name=name) for name in HOSTILE[:6]}


def dense(strength: float) -> TwoClassEvaluation:
    """More scores than a page keeps thresholds, no two alike."""
    place = np.arange(6000)
    is_positive = place % 4 == 0
    logit = 4 * (place * 0.6180339887 % 1 - 0.5) + strength * is_positive - 1.5
    table = ScoreTable.of(1 / (1 + np.exp(-logit)), is_positive)
    source = Source("many.csv", "csv", rows=6000)
    return TwoClassEvaluation(source=source, matrix=table.at(0.5), scores=table, threshold_used=0.5)


MADE: dict[str, Callable[[], Mapping[str, Evaluation]]] = {
    "one": lambda: {"": ONE},
    "three": lambda: THREE,
    "hostile": hostile,
    "thirty": lambda: {"": many(30, 6000)},
    "many": lambda: {name: dense(strength) for strength, name in enumerate("abc", 1)},
    "labels": lambda: {"": labelled(ONE.matrix)} if ONE.matrix is not None else {},
}


class Folder:
    """Pages on disk, each written when it is first asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __truediv__(self, name: str) -> Path:
        path = self.path / name
        if not path.exists():
            write_html(MADE[path.stem](), path)
        return path
