"""What the page looks like, beside pictures that someone looked at. ASSAY_SNAPSHOTS=write takes them anew.

Sections are compared one by one and coarsely, so that another machine's fonts pass and a lost figure does not.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import zlib
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from numpy.typing import NDArray
from tests.report.driving import hostile
from tests.report.many import study
from tests.report.samples import labelled, many, scored
from tests.report.test_accessible import demo, three

from assay import compare, evaluate
from assay.evaluation import Evaluation
from assay.evidence import ConfusionMatrix
from assay.report import write_html
from assay.report.pages.benchmarks import render_study

FOLDER = Path(__file__).parent / "pictures"
README = Path(__file__).parents[2] / "docs" / "pictures" / "report.png"
Grey = NDArray[np.float64]
Boxes = dict[str, list[float]]

# Screenshots are taken this much smaller, and each section is reduced to this many cells either way.
SCALE = 0.2
CELLS = 12
# How far off a section may be: its mean cell in levels of grey of 255, and as shares its ink, width and height. Fonts
# move words about and hardly change how much ink there is; what is lost takes its ink along.
LEVELS, INK, WIDER, TALLER = 20.0, 0.3, 0.02, 0.6


def screen(width: int, **more: Any) -> dict[str, Any]:
    return {"viewport": {"width": width, "height": 900}, **more}


# What is looked at: a page, and the screen it is on.
VIEWS: dict[str, tuple[str, dict[str, Any]]] = {
    "light": ("three", screen(1440)),
    "dark": ("three", screen(1440, color_scheme="dark")),
    "laptop": ("three", screen(1280)),
    "tablet": ("three", screen(768)),
    "narrow": ("three", screen(390)),
    "still": ("three", screen(1440, java_script_enabled=False)),
    "print": ("three", {"viewport": {"width": 720, "height": 1000}}),
    "one": ("one", screen(1440)),
    "one-narrow": ("one", screen(390, color_scheme="dark")),
    "two": ("two", screen(1440)),
    "seven": ("seven", screen(1440)),
    "classes": ("classes", screen(1440)),
    "classes-narrow": ("classes", screen(390)),
    "thirty": ("thirty", screen(1440)),
    "labels": ("labels", screen(1440)),
    "twelve": ("twelve", screen(1440)),
    "hostile": ("hostile", screen(1440)),
    "million": ("million", screen(1440)),
    "study": ("study", screen(1440)),
}
OTHER_FONT = '* { font-family: "DejaVu Sans", serif !important; }'
FIND_BOXES = """() => Object.fromEntries(
  [...document.querySelectorAll(".findings, main > section, main > details, footer, figure svg[role=img]")]
  .filter(part => !part.parentElement.closest("details:not([open])"))
  .map((part, place) => {
    const box = part.getBoundingClientRect(), name = part.id || part.className || part.localName;
    return [part.localName === "svg" ? `figure ${place} of ${part.closest("section, details").id}` : name,
      [box.left, box.top + scrollY, box.width, box.height].map(Math.round)];
  }).filter(([, box]) => box[3] > 0))"""


@pytest.fixture(scope="module", autouse=True)
def font() -> None:
    """The pictures were taken with Liberation Sans; wider letters lengthen sections beyond what a comparison bears."""
    listed = subprocess.run(["fc-list", ":", "family"], capture_output=True, text=True, check=False).stdout
    if "Liberation Sans" not in listed:
        message = "needs the font Liberation Sans (Debian: fonts-liberation)"
        pytest.fail(message) if os.environ.get("ASSAY_REQUIRE_ALL") == "1" else pytest.skip(message)


def compared(*names: str) -> Callable[[Path], None]:
    """A comparison of so many models, each weaker than the one before."""

    def write(path: Path) -> None:
        place = np.arange(360)
        truth = place % 4 == 0
        scores = {
            name: 1 / (1 + np.exp(-(4 * (place * (37 + 4 * k) % 101 / 101 - 0.5) + (2.8 - 0.3 * k) * truth - 1.5)))
            for k, name in enumerate(names)
        }
        compare(truth.astype(int), scores).report(path)

    return write


def written(models: Callable[[], Mapping[str, Evaluation]]) -> Callable[[Path], None]:
    return lambda path: write_html(models(), path)


def million() -> Mapping[str, Evaluation]:
    """A page of a million rows, whose thresholds are only some of many."""
    place = np.arange(10**6)
    truth = place % 7 == 0
    return {"": evaluate(truth.astype(int), 1 / (1 + np.exp(-(6 * (place * 0.6180339887 % 1 - 0.5) + 2 * truth - 1))))}


def studied(path: Path) -> None:
    found = study(path.parent)
    path.write_text(render_study(found), encoding="utf-8")
    found.store.close()


MADE: dict[str, Callable[[Path], Any]] = {
    "three": three,
    "one": demo,
    "two": compared("logistic", "bayes"),
    "seven": compared(*"abcdefg"),
    "classes": written(lambda: {"": many(10, 600)}),
    "thirty": written(lambda: {"": many(30, 1500)}),
    "labels": written(lambda: {"": labelled(ConfusionMatrix.binary(tp=30, fn=10, fp=5, tn=55))}),
    "twelve": written(lambda: {"": scored(cases=12)}),
    "hostile": written(hostile),
    "million": written(million),
    "study": studied,
}


class Samples:
    """Pages on disk, each made when it is first looked at."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getitem__(self, name: str) -> Path:
        path = self.folder / f"{name}.html"
        if not path.exists():
            MADE[name](path)
        return path


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Samples:
    """The pages that are looked at."""
    return Samples(tmp_path_factory.mktemp("looks"))


def seen(browser: Any, samples: Samples, view: str, *, style: str = "") -> tuple[Grey, Boxes]:
    """The whole page in grey, and where its sections lie on it."""
    name, context = VIEWS[view]
    page = browser.new_context(device_scale_factor=SCALE, bypass_csp=True, **context).new_page()
    page.emulate_media(media="print" if view == "print" else "screen")
    page.goto(samples[name].as_uri())
    if style:
        page.add_style_tag(content=style)
    boxes: Boxes = page.evaluate(FIND_BOXES)
    picture = grey(png_of(grey(page.screenshot(full_page=True))))  # as rounded as the kept one
    page.context.close()
    return picture, boxes


def grey(png: bytes) -> Grey:
    """A picture as levels of grey from 0 to 255."""
    picture = np.asarray(imread(BytesIO(png), format="png"), float) * 255
    return picture if picture.ndim == 2 else picture[..., :3].mean(-1)


def png_of(picture: Grey) -> bytes:
    """A PNG of sixteen greys, which is small."""
    levels = 17 * np.round(picture / 17).astype(np.uint8)
    rows = np.pad(levels, ((0, 0), (1, 0)))  # each row begins with its filter: none
    head = struct.pack(">IIBBBBB", levels.shape[1], levels.shape[0], 8, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def cut_out(picture: Grey, box: list[float]) -> Grey:
    """The part of a picture that lies in a box of the page."""
    left, top, width, height = (round(SCALE * side) for side in box)
    return picture[top : top + max(height, 1), max(left, 0) : left + max(width, 1)]


def cells(picture: Grey) -> Grey:
    """The mean grey of as many cells either way, however large the picture is."""
    rows: Grey = np.repeat(picture, CELLS, 0).reshape(CELLS, *picture.shape).mean(1)
    means: Grey = np.repeat(rows, CELLS, 1).reshape(CELLS, CELLS, -1).mean(2)
    return means


def ink(picture: Grey) -> float:
    """How far all of a picture is from the paper it is on."""
    return float(np.abs(picture - np.median(picture)).sum())


def differences(was: tuple[Grey, Boxes], now: tuple[Grey, Boxes]) -> list[str]:
    """What looks different, in words; nothing where all sections look as they did."""
    if list(was[1]) != list(now[1]):
        return [f"sections were {', '.join(was[1])}, and are {', '.join(now[1])}"]
    found = []
    for name, old in was[1].items():
        new = now[1][name]
        before, after = cut_out(was[0], old), cut_out(now[0], new)
        levels = float(np.abs(cells(before) - cells(after)).mean())
        inked, wider, taller = abs(ink(after) / ink(before) - 1), abs(new[2] / old[2] - 1), abs(new[3] / old[3] - 1)
        if levels > LEVELS or inked > INK or wider > WIDER or taller > TALLER:
            shares = f"{inked:.0%} of its ink, {wider:.0%} of its width, {taller:.0%} of its height"
            found.append(f"{name}: {levels:.1f} levels of grey, {shares}")
    return found


def kept(view: str) -> tuple[Grey, Boxes]:
    """What a view looked like when someone looked."""
    boxes: Boxes = json.loads((FOLDER / f"{view}.json").read_text(encoding="utf-8"))
    return grey((FOLDER / f"{view}.png").read_bytes()), boxes


@pytest.mark.parametrize("view", VIEWS)
def test_the_page_looks_as_it_did(browser: Any, samples: Samples, view: str) -> None:
    now = seen(browser, samples, view)
    if os.environ.get("ASSAY_SNAPSHOTS") == "write":
        (FOLDER / f"{view}.png").write_bytes(png_of(now[0]))
        lines = ",\n".join(f"  {json.dumps(name)}: {box}" for name, box in now[1].items())
        (FOLDER / f"{view}.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    assert differences(kept(view), now) == []


@pytest.mark.parametrize("view", ["light", "narrow"])
def test_other_fonts_pass(browser: Any, samples: Samples, view: str) -> None:
    assert differences(kept(view), seen(browser, samples, view, style=OTHER_FONT)) == []


@pytest.mark.parametrize(
    ("style", "named"),
    [
        ("#roc { display: none; }", "sections were"),
        ("#roc svg path { visibility: hidden; }", "roc"),
        ("#differences tbody { visibility: hidden; }", "differences"),
        ("#differences td { background: black !important; }", "differences"),
        ("#key { width: 50%; }", "key"),
        (".findings .answer { visibility: hidden; }", "findings"),
    ],
)
def test_a_loss_is_seen(browser: Any, samples: Samples, style: str, named: str) -> None:
    found = differences(kept("light"), seen(browser, samples, "light", style=style))
    assert found
    assert all(named in each for each in found)


def test_the_readme_shows_the_demo(browser: Any, tmp_path: Path) -> None:
    demo(tmp_path / "demo.html")
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto((tmp_path / "demo.html").as_uri())
    taken = page.screenshot()
    if os.environ.get("ASSAY_SNAPSHOTS") == "write":
        README.write_bytes(taken)
    whole: Boxes = {"page": [0.0, 0.0, 1440 / SCALE, 900 / SCALE]}
    assert differences((grey(README.read_bytes()), whole), (grey(taken), whole)) == []
    page.evaluate("() => document.querySelector('main').remove()")
    assert differences((grey(README.read_bytes()), whole), (grey(page.screenshot()), whole)) != []
    page.context.close()
