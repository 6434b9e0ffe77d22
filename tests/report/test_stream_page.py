"""The page of a stream: Python's numbers, the objection first, inert names, and a slider that a browser moves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.drifting import CHANGED, TRUTH, WRONG, N, drifting
from tests.report.driving import Opened
from tests.report.samples import HOSTILE
from tests.report.test_page import Page
from tests.report.test_ranks_page import UNSAFE, assert_text_as_kept, section

from assay import streams
from assay.errors import OptionError
from assay.report.pages.stream import MOST_STOPS, WatchShown, render_stream
from assay.report.wording import bracketed, number, percent, value_words
from assay.streams import StreamWatch

SLIDER = "input[data-control=moment]"


@pytest.fixture(scope="module")
def seen() -> StreamWatch:
    return drifting()


@pytest.fixture(scope="module")
def page(seen: StreamWatch) -> str:
    return render_stream(WatchShown(seen, (CHANGED,), 500))


@pytest.fixture(scope="module")
def written(page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stream") / "stream.html"
    path.write_text(page, encoding="utf-8")
    return path


def headline(page: str) -> str:
    found = re.search("<h1>(.*?)</h1>", page, re.S)
    assert found is not None
    return found[1]


def island(page: str) -> Any:
    found = re.search(r'id="assay-data">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])["stream"]["stops"]


def test_the_headline_says_since_when_and_what_rang(seen: StreamWatch, page: str) -> None:
    alarm = seen.alarms[1]
    assert isinstance(alarm, streams.ChangeAlarm)
    assert alarm.rang_at is not None
    assert f"since about event {alarm.changed_at:,}: alarm after {alarm.rang_at + 1:,} events" in headline(page)
    assert "The error is significantly more than 0.020 above the reference 0.100" in headline(page)
    # It has left the limits that hold at every look: none are shown.
    assert f"error since the start {value_words(seen.now().error)} (no limits)" in page


def test_without_an_alarm_nothing_is_called_good() -> None:
    quiet = streams.watch(classes=(0, 1), reference=0.1)
    quiet.update_many(TRUTH[:CHANGED].astype(int), (TRUTH ^ WRONG)[:CHANGED].astype(int))
    said = headline(render_stream(WatchShown(quiet)))
    assert said == "No alarm in 1,500 events: the error is not significantly more than 0.020 above the reference 0.100"


def test_the_objection_comes_first() -> None:
    clinging = streams.watch(classes=(0, 1), reference=0.4)
    clinging.update_many([0, 1] * 500, ([0, 1] * 5 + [1, 0] * 5) * 50)
    assert headline(render_stream(WatchShown(clinging))).startswith(
        "Errors depend on previous ones (autocorrelation 0."
    )


@pytest.mark.parametrize(("detectors", "words"), [((), "no alarm or detector"), (("adwin",), "without a reference")])
def test_without_a_reference_the_page_says_that_no_alarm_listens(detectors: tuple[str, ...], words: str) -> None:
    found = drifting(reference=None, detectors=detectors)
    text = render_stream(WatchShown(found))
    assert words in headline(text)
    assert "pass reference=0.1." in text


def test_the_page_holds_the_moments_numbers(seen: StreamWatch, page: str) -> None:
    now, rows = seen.now(), section(page, "values")[1:]
    assert len(rows) == len(seen.measures)
    for row, name in zip(rows, seen.measures, strict=True):
        wanted = [found for view in now.estimates for found in _words(now.estimates[view][name])]
        assert row[1:] == wanted
    matrix = [[cell.split("\n")[0] for cell in row] for row in section(page, "moment")]
    counts = np.array(now.matrix, dtype=int)
    assert matrix[-2][1].startswith(f"{counts[1, 1]:,}")
    assert percent(counts[1, 1] / counts[1].sum()).replace(" ", "\u00a0") in matrix[-2][1]
    assert matrix[-1][2].startswith(f"{counts[0, 0]:,}")


def _words(found: Any) -> list[str]:
    return [value_words(found), "" if found.undefined else bracketed(found)]


def test_alarms_and_changes_stand_in_the_order_of_the_stream(seen: StreamWatch, page: str) -> None:
    rows = section(page, "happenings")[1:]
    rang = {(alarm.rang_at or 0) + 1: alarm.words for alarm in seen.alarms if alarm.rings}
    assert len(rows) == len(rang) + len(seen.changes)
    places = [int(row[0].replace(",", "")) for row in rows]
    assert places == sorted(places)
    assert {row[2] for row in rows if row[1].endswith("alarm")} == set(rang.values())
    for change in seen.changes:
        assert [f"{change.events:,}", change.detector, "change detected"] in rows


def test_detectors_are_judged_where_the_moments_are_known(seen: StreamWatch, page: str) -> None:
    found = seen.detection_results([CHANGED], tolerance=500)
    rows = {row[0]: row for row in section(page, "detections")[1:]}
    assert set(rows) == {"alarm", "change alarm", "adwin", "ddm"}
    for name, one in found.items():
        assert rows[name][1] == f"{1 - one.missed} of 1"
        assert rows[name][4] == f"{len(one.false_alarms):,}"
    table = seen.detections([CHANGED], tolerance=500)
    assert table.columns["detector"] == list(found)
    assert 'id="detections"' not in render_stream(WatchShown(seen))


def test_an_error_that_changed_has_left_its_limits(page: str) -> None:
    assert "The mean of all events lies outside the limits that earlier ones gave" in page
    still = streams.watch(classes=(0, 1))
    still.update_many([0, 1] * 200, [0, 1, 1, 1] * 100)
    assert WatchShown(still).misfit == ""
    torn = streams.watch(classes=(0, 1), positive=1)
    torn.update_many([1] * 1500 + [0] * 1500, [1] * 3000)
    found = WatchShown(torn)
    assert found.now.error.undefined is not None
    text = render_stream(found)
    assert "error since the start 0.500 (no limits)" in text
    assert found.now.error.undefined[1:] in text


def test_marks_are_told_apart_by_dash_and_name(seen: StreamWatch, page: str) -> None:
    figure = re.search(r'<svg data-figure="stream-error".*?</svg>', page, re.S)
    assert figure is not None
    assert figure[0].count('class="f-mark"') == len([alarm for alarm in seen.alarms if alarm.rings])
    assert figure[0].count('class="f-change-') == len(seen.changes)
    for name in ("alarm", "change alarm", "adwin", "true change", "reference 0.100", "bar 0.120"):
        assert f">{name}</text>" in figure[0]
    assert 'class="cut f-cut"' in figure[0]
    assert ".f-change-0{stroke:var(--muted);stroke-dasharray:5 3}" in page


def test_moments_are_thinned_to_what_a_page_can_hold() -> None:
    long = streams.watch(classes=(0, 1), every=10)
    long.update_many(TRUTH.astype(int), (TRUTH ^ WRONG).astype(int))
    stops = island(render_stream(WatchShown(long)))
    assert len(stops) <= MOST_STOPS
    assert stops[-1]["events"] == N


def test_a_few_events_and_many_classes_have_a_page() -> None:
    few = streams.watch(classes=("a", "b"), positive="b")
    few.update("a", "a")
    assert "1 event" in render_stream(WatchShown(few))
    one = streams.watch()
    one.update_many(["a"] * 5, ["a"] * 5)
    assert "Not drawn" in render_stream(WatchShown(one))
    many = streams.watch(reference=0.5)
    many.update_many(np.arange(400) % 40, np.arange(400) // 2 % 40)
    assert 'id="moment"' not in render_stream(WatchShown(many))


@pytest.mark.parametrize(("name", "start"), [("s.txt", "The error"), ("s.md", "##"), ("s.json", "{")])
def test_other_formats_say_the_same(seen: StreamWatch, tmp_path: Path, name: str, start: str) -> None:
    seen.report(tmp_path / name, moments=[CHANGED])
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert text.startswith(start)
    assert "significantly more than 0.020" in text
    if name.endswith("json"):
        record = json.loads(text)
        assert record["rings"] is True
        assert record["moments"][-1] == json.loads(json.dumps(seen.now().to_dict()))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tolerance": 5}, "tolerance needs moments"),
        ({"moments": [N]}, "moments"),
        ({"moments": [9, 3]}, "must be increasing"),
    ],
)
def test_what_cannot_be_used_is_refused(seen: StreamWatch, tmp_path: Path, given: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        seen.report(tmp_path / "page.html", **given)
    assert not (tmp_path / "page.html").exists()


def test_nothing_judged_has_no_page(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no events yet"):
        streams.watch().report(tmp_path / "page.html")
    assert "<watch over 0 events" in streams.watch()._repr_html_().replace("&lt;", "<")


def test_a_notebook_shows_the_error_over_time(seen: StreamWatch) -> None:
    shown = seen._repr_html_()
    assert "significantly more than 0.020" in shown
    assert "<svg" in shown


def test_the_text_stays_as_it_is(page: str) -> None:
    assert_text_as_kept(re.sub("<script.*?</script>", "", page, flags=re.S), "stream.txt")


def test_the_way_back_gives_the_same_watch(seen: StreamWatch, page: str) -> None:
    code = re.search(r"watch = (streams\.watch\(.*?\))\n", page.replace("&#39;", "'"))
    assert code is not None
    again = eval(code[1], {"streams": streams})
    assert again.options == seen.options


@pytest.mark.parametrize("first", range(0, 12, 2))
def test_names_are_inert(first: int, browser: Any, tmp_path: Path) -> None:
    names = (HOSTILE[first], HOSTILE[first + 1])
    hostile = drifting(names)
    hostile.report(tmp_path / "page.html", moments=[CHANGED])
    for other in ("page.txt", "page.md", "page.json"):
        hostile.report(tmp_path / other)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count("<script") == 3
    assert not any(unsafe in text for unsafe in UNSAFE if unsafe != "<script")
    ids = [attributes["id"] for _, attributes in Page(text).attributes if "id" in attributes]
    assert len(ids) == len(set(ids))
    opened = Opened(browser, tmp_path / "page.html")
    opened.press(SLIDER, "Home", "ArrowRight")
    opened.close()


def test_the_slider_shows_a_moment(browser: Any, seen: StreamWatch, written: Path, page: str) -> None:
    opened, stops = Opened(browser, written), island(page)
    opened.press(SLIDER, "Home", *["ArrowRight"] * 9)
    moment = seen.moments[9]
    assert opened.said("moment") == f"{moment.events:,}"
    assert opened.said("moment-said").replace("\u00a0", " ") == stops[9]["said"]
    assert opened.page.locator(SLIDER).get_attribute("aria-valuetext") == f"after {moment.events:,} events"
    counts = np.array(moment.matrix, dtype=int)
    for i in (0, 1):
        for j in (0, 1):
            assert opened.said(f"cell-{i}-{j}") == f"{counts[i, j]:,}"
            share = percent(counts[i, j] / counts[i].sum()).replace(" ", "\u00a0")
            assert opened.said(f"cell-{i}-{j}-row") == share
    for k, name in enumerate(seen.measures):
        for v, view in enumerate(moment.estimates):
            found = moment.estimates[view][name]
            assert [opened.said(f"value-{k}-{v}-{part}") for part in (0, 1)] == _words(found)
    for figure in ("stream-error", "stream-m0"):
        assert opened.mark(figure, ".cut", ("x1", "y1"))[0] == pytest.approx(moment.events, abs=6)
    opened.press(SLIDER, "End")
    assert opened.said("cell-1-1") == f"{int(seen.now().matrix[1][1]):,}"
    opened.close()


def test_a_click_on_a_figure_goes_to_its_moment(browser: Any, written: Path) -> None:
    opened = Opened(browser, written)
    opened.page.mouse.click(*opened.screen("stream-m1", 1030, 0.8))
    assert opened.said("moment") == "1,000"
    opened.close()


def test_figures_are_read_by_hand_and_by_key(browser: Any, written: Path) -> None:
    opened = Opened(browser, written)
    svg = opened.page.locator("svg[data-figure=stream-error]")
    svg.focus()
    opened.page.keyboard.press("ArrowRight")
    assert "Events" in str(opened.page.locator("#error .subtitle").text_content())
    opened.close()


@pytest.mark.parametrize("width", [390, 920, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_it(browser: Any, written: Path, width: int, scheme: str) -> None:
    opened = Opened(browser, written, color_scheme=scheme)
    opened.page.set_viewport_size({"width": width, "height": 900})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.page.locator("h1").count() == 1
    opened.close()


def test_without_javascript_the_last_moment_stands_there(browser: Any, seen: StreamWatch, written: Path) -> None:
    opened = Opened(browser, written, java_script_enabled=False)
    shown = opened.page.locator("main").inner_text()
    assert not opened.page.locator("#stops").is_visible()
    assert f"{int(seen.now().matrix[1][1]):,}" in shown
    assert f"As of event {N:,}, the last." in shown
    assert number(seen.alarms[0].bar) in shown
    opened.close()
