"""Experiments in a real browser: made by the form, run, cancelled, resumed, copied; with a keyboard; for everyone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.driving import assert_same, environment
from tests.report.samples import HOSTILE
from tests.report.test_accessible import ASK, axe
from tests.report.test_looks import SCALE, differences, grey
from tests.web.desks import Desk
from tests.web.serving import Server, serving
from tests.web.studying import TOLD, slow

from assay.experiments.study import open_study

__all__ = ["axe"]

WAIT = 90_000  # milliseconds: a study starts programs of its own, on a machine that may be busy
PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SIZES = {"wide": (1440, 900), "tablet": (768, 1024), "phone": (390, 844)}
ROWS = "size,colour,kind\n" + "".join(
    f"{i * 37 % 50},{'red' if i % 3 else 'blue'},{'spam' if i * 17 % 50 > 25 else 'ham'}\n" for i in range(60)
)


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("studies")
    (folder / "mail.csv").write_text(ROWS)
    with serving(folder, "--allow", "tests") as running:
        yield running


class Window(Desk):
    """A window on studies."""

    def __init__(self, browser: Any, server: Server, size: str = "wide", scheme: str = "light") -> None:
        super().__init__(browser, server, *SIZES[size], color_scheme=scheme)
        self.page.set_default_timeout(WAIT)

    def at(self, path: str) -> Any:
        """The screen at an address."""
        self.page.goto(self.server.root + path)
        return self.page

    @property
    def problem(self) -> str:
        return str(self.page.text_content("#study-problem"))


def words(page: Any, wanted: str) -> str:
    """What the screen says of how far it is, once it says so."""
    page.wait_for_function(
        "wanted => new RegExp(wanted).test(document.querySelector('#words')?.textContent)", arg=wanted
    )
    return str(page.text_content("#words"))


def text_says(page: Any, wanted: str) -> str:
    page.wait_for_function("wanted => document.querySelector('#study-text').value.includes(wanted)", arg=wanted)
    return str(page.input_value("#study-text"))


def saved_study(server: Server, name: str, text: str) -> str:
    (server.folder / f"{name}.toml").write_text(text)
    return f"/experiment/open?file={name}.toml"


@pytest.mark.engines
def test_a_study_is_made_by_form_run_and_copied_with_the_same_numbers(
    browser: Any, studies: Server, tmp_path: Path
) -> None:
    window = Window(browser, studies)
    page = window.at("/experiment/new")
    page.check("[data-bundled=iris]")
    page.check('[data-table="mail.csv"] [data-path]')
    page.select_option('[data-table="mail.csv"] [data-field=target]', "kind")
    page.select_option('[data-table="mail.csv"] [data-field=positive]', "spam")
    page.check('[data-table="mail.csv"] [data-ignore][value=colour]')
    page.select_option("#preset", "tree")
    page.click("#add-preset")
    page.click("#learners summary")
    page.fill("#learners [data-name=max_depth]", "1, 3")
    page.fill("#learner-path", "sklearn.naive_bayes.GaussianNB")
    page.click("#add-path")
    page.wait_for_selector("[data-which='sklearn.naive_bayes.GaussianNB']")
    page.fill("#plan [data-name=folds]", "3")
    page.fill("#study-name", "by form")
    text = text_says(page, "folds = 3")
    assert 'path = "mail.csv", target = "kind", positive = "spam", ignore = ["colour"]' in text
    assert "grid = { max_depth = [1, 3] }" in text_says(page, "max_depth")
    assert window.problem == ""
    page.wait_for_function(
        "() => document.querySelector('pre[data-of=command]').textContent.includes(\"'by form.toml'\")"
    )
    page.click("#save-run")
    assert re.match(r"Done\. 24 of 24 runs, in \d+ s\.", words(page, "^Done"))
    frame = page.frame_locator("#page")
    assert "accuracy" in frame.locator("h1").first.text_content().lower()
    assert (studies.folder / "by form.toml").read_text() == page.input_value("#study-text")
    _copied_and_run(window, tmp_path, studies.folder)
    page.click("#keep")
    page.wait_for_function("() => document.querySelector('#kept').textContent === 'Saved as by form.html'")
    assert "critical" in (studies.folder / "by form.html").read_text(encoding="utf-8").lower()
    window.close()


def _copied_and_run(window: Window, folder: Path, served: Path) -> None:
    """Copy what the drawer shows, in either language, and run it: the same numbers."""
    page = window.page
    for name in ("mail.csv", "by form.toml"):
        (folder / name).write_text((served / name).read_text())
    ours = open_study(served / "by form.db", "by form")
    for kind in ("command", "python"):
        page.click(f"[data-code={kind}]")
        page.click("[data-copy-code]")
        code = str(page.wait_for_function("() => window.copied").json_value())
        page.evaluate("window.copied = ''")
        if kind == "command":
            bins = f"PATH={Path(sys.executable).parent}:$PATH"
            command = ["sh", "-ec", f"export {bins}\n{code}"]
        else:
            (folder / "copied.py").write_text(code.replace("by form.db", "copied.db"))
            command = [sys.executable, "copied.py"]
        subprocess.run(command, cwd=folder, env=environment(), check=True, capture_output=True)
        theirs = open_study(folder / ("by form.db" if kind == "command" else "copied.db"), "by form")
        assert_same(ours, theirs)
        theirs.store.close()
    ours.store.close()


@pytest.mark.engines
def test_a_study_is_cancelled_and_resumed_in_two_windows(browser: Any, studies: Server) -> None:
    path = saved_study(studies, "slow", slow(studies.folder, 0.15))
    one, other = Window(browser, studies), Window(browser, studies)
    page, beside = one.at(path), other.at(path)
    page.click("#run")
    assert words(page, r"Running\. ([3-9]|\d\d) of 40 runs")
    beside.reload()
    assert words(beside, r"Running\. ([4-9]|\d\d) of 40 runs")
    assert beside.is_hidden("#run")
    beside.click("#cancel")
    said = words(beside, "^Cancelled")
    assert words(page, "^Cancelled") == said
    page.click("#run")
    assert words(page, "^Done").startswith("Done. 40 of 40 runs")
    page.frame_locator("#page").locator("h1").wait_for()
    beside.reload()
    assert words(beside, "^Done")
    one.close()
    other.close()


def test_the_text_of_a_study_is_the_users_once_it_was_edited(browser: Any, studies: Server) -> None:
    window = Window(browser, studies)
    page = window.at("/experiment/new")
    page.check("[data-bundled=iris]")
    page.click("#add-preset")
    own = text_says(page, "[[learners]]") + "seed = 3\n"
    page.fill("#study-text", own)
    page.check("[data-bundled=wine]")
    page.wait_for_function("() => document.querySelector('#study-problem').textContent !== ''")
    assert "seed" in window.problem  # TOML takes it for the learner's
    assert page.input_value("#study-text") == own
    page.click("#from-form")
    assert '"wine"' in text_says(page, "wine")
    page.wait_for_function("() => document.querySelector('#study-problem').textContent === ''")
    page.fill("#study-name", "edited")
    page.click("#save")
    page.wait_for_selector("#run")
    page.click("summary")
    page.fill("#study-text", "x = [")
    page.click("#save")
    page.wait_for_function("() => document.querySelector('#study-problem').textContent.includes('TOML')")
    page.fill("#study-text", TOLD)
    page.click("#save")
    page.wait_for_function("text => document.querySelector('#study-text')?.defaultValue === text", arg=TOLD)
    page.click("summary")
    (studies.folder / "edited.toml").write_text(TOLD + "seed = 1\n")
    page.fill("#study-text", TOLD + "seed = 2\n")
    page.click("#save")
    page.wait_for_function("() => document.querySelector('#study-problem').textContent.includes('another program')")
    assert (studies.folder / "edited.toml").read_text() == TOLD + "seed = 1\n"
    # A refusal is an answer like any other, which a browser mentions.
    assert all("422" in complaint for complaint in window.complaints)
    window.complaints.clear()
    window.close()


def test_a_study_is_made_and_run_with_the_keyboard_alone(browser: Any, studies: Server) -> None:
    window = Window(browser, studies)
    page = window.at("/experiment")

    def tab_to(selector: str, most: int = 80) -> None:
        for _ in range(most):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} is not reached")

    tab_to("a.btn[href='/experiment/new']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#study-form")
    tab_to("[data-bundled=iris]")
    page.keyboard.press("Space")
    tab_to("#preset")
    page.keyboard.type("nb")
    tab_to("#add-preset")
    page.keyboard.press("Enter")
    tab_to("#plan [data-name=folds]")
    page.keyboard.type("2")
    tab_to("#study-name")
    page.keyboard.press("Control+a")
    page.keyboard.type("keys")
    text_says(page, "folds = 2")
    tab_to("#save-run")
    page.keyboard.press("Enter")
    assert words(page, "^Done").startswith("Done. 4 of 4 runs")
    tab_to("#measure")
    page.keyboard.type("Error")
    tab_to("#found button")
    page.keyboard.press("Enter")
    page.wait_for_url("**measure=error_rate**")
    page.frame_locator("#page").get_by_text("Error rate").first.wait_for()
    window.close()


def test_hostile_names_do_nothing_in_a_browser(browser: Any, studies: Server) -> None:
    evil = HOSTILE[0]
    name = f"{evil}{HOSTILE[3]}".replace("/", "")
    (studies.folder / f"{name}.csv").write_text(ROWS.replace("size", f'"{evil}"').replace("spam", "<b onclick=x>"))
    window = Window(browser, studies)
    page = window.at("/experiment/new")
    row = page.locator("[data-table]").filter(has_text="onerror").first
    row.locator("[data-path]").check()
    row.locator("[data-field=target]").select_option("kind")
    row.locator("[data-field=positive]").select_option("<b onclick=x>")
    page.click("#add-preset")
    page.fill("#learners [data-field=name]", f"{evil}</script>")
    page.fill("#study-name", "evil {{7}} 'x'")
    text_says(page, "</script>")
    page.fill("#plan [data-name=folds]", "2")
    text_says(page, "folds = 2")
    assert window.problem == ""
    page.click("#save-run")
    words(page, "^Done")
    page.frame_locator("#page").locator("h1").wait_for()
    assert page.evaluate("document.querySelectorAll('img, b[onclick]').length") == 0
    assert page.frame_locator("#page").locator("img, b[onclick]").count() == 0
    page.goto(f"{studies.root}/experiment")
    assert "evil {{7}} 'x'.toml" in page.text_content("main")
    (studies.folder / f"{name}.csv").unlink()
    window.close()


@pytest.fixture(scope="module")
def shown(studies: Server) -> dict[str, str]:
    """The screens to look at: the list, the form, a study that was run with a learner that failed."""
    failing = '\n[[learners]]\npath = "tests.experiments.learning.Fussy"\nparams = { needed = 1e9 }\n'
    text = 'plan = { kind = "kfold", folds = 3 }\njobs = 1\ndatasets = ["iris", "wine", "breast_cancer"]\n'
    text += "".join(f'\n[[learners]]\npreset = "{name}"\n' for name in ("nb", "stump", "lda")) + failing
    path = saved_study(studies, "three", text)
    study = studies.ask(path).headers["location"].rpartition("/")[2]
    asked = studies.ask(f"/api/study/{study}/run", "POST", b"{}", {"Content-Type": "application/json"})
    assert asked.status == 200, asked.text
    told = studies.ask(f"/api/study/{study}/events").text  # it ends when the study does
    assert '"state": "done"' in told.strip().split("\n\n")[-1]
    return {"list": "/experiment", "form": "/experiment/new", "study": path}


def _settled(window: Window, name: str, path: str) -> Any:
    page = window.at(path)
    if name == "form":
        page.check("[data-bundled=iris]")
        page.check('[data-table="mail.csv"] [data-path]')
        page.wait_for_selector('[data-table="mail.csv"] [data-field=target]')
        page.select_option('[data-table="mail.csv"] [data-field=target]', "kind")
        for preset in ("logistic", "tree"):
            page.select_option("#preset", preset)
            page.click("#add-preset")
        page.locator("#learners summary").last.click()
        page.locator("#learners [data-name=max_depth]").fill("2, 4")
        text_says(page, "max_depth")
    if name == "study":
        page.frame_locator("#page").locator("h1").wait_for()
        page.wait_for_function("() => document.querySelector('#page').clientHeight > 1000")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["list", "form", "study"])
def test_every_screen_is_for_everyone_at_every_width(
    browser: Any, studies: Server, axe: str, shown: dict[str, str], name: str, size: str, scheme: str
) -> None:
    window = Window(browser, studies, size, scheme)
    page = _settled(window, name, shown[name])
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
    page.evaluate("() => document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    page.evaluate(axe)
    assert page.evaluate(ASK) == []
    window.close()


@pytest.mark.parametrize(("name", "picture"), [("form", "workbench-study-form.png"), ("study", "workbench-study.png")])
def test_the_docs_show_it(browser: Any, studies: Server, shown: dict[str, str], name: str, picture: str) -> None:
    window = Window(browser, studies)
    page = _settled(window, name, shown[name])
    page.evaluate("() => scrollTo(0, 0)")
    # Whatever else was opened here, and the address, are of this run alone.
    page.evaluate("() => document.querySelectorAll('.hist, .foot, .rail .lab').forEach(each => each.remove())")
    taken, kept = page.screenshot(), PICTURES / picture
    if os.environ.get("ASSAY_SNAPSHOTS") == "write":
        kept.write_bytes(taken)
    width, height = SIZES["wide"]
    whole = {"page": [0.0, 0.0, width / SCALE, height / SCALE]}
    assert differences((grey(kept.read_bytes()), whole), (grey(taken), whole)) == []
    page.evaluate("() => document.querySelector('main').remove()")
    assert differences((grey(kept.read_bytes()), whole), (grey(page.screenshot()), whole)) != []
    window.close()
