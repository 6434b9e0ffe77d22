"""Result: the report itself; what the studio, subgroups, rows and other files add is what the library says."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pandas as pd
import pytest
from tests.web.asking import Bench
from tests.web.samples import other

import assay
from assay.decisions import at_least, at_most_flagged
from assay.report import render_html

ADDRESS = "/result/{}/page"


def island(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="workbench-data">(.*?)</script>', page)
    assert found is not None
    read: dict[str, Any] = json.loads(found[1])
    return read


def test_the_report_is_the_offline_page_itself(bench: Bench) -> None:
    own = bench.opened("eights.csv")
    shell = bench.shown(f"/result/{own}")
    assert f'data-page="/result/{own}/page"' in shell
    page = bench.get(ADDRESS.format(own))
    models = assay.evaluate_models(bench.folder / "eights.csv", keep_ids=True)
    assert page.text == render_html(models)
    saved = bench.get(f"/result/{own}/save/report.html")
    assert saved.text == page.text
    assert "attachment" in dict(saved.headers)["Content-Disposition"]
    policy = dict(page.headers)["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("form", ["csv", "md", "tex", "json"])
def test_its_numbers_are_saved_in_other_forms(bench: Bench, form: str) -> None:
    own = bench.opened("eights.csv")
    text = bench.get(f"/result/{own}/save/report.{form}").text
    auc = assay.evaluate_models(bench.folder / "eights.csv")["logistic"].roc_auc.value
    assert f"{auc:.3f}" in text or f"{auc:.6f}" in text or str(auc) in text
    assert bench.get(f"/result/{own}/save/report.exe").status == 422


COSTS: list[tuple[dict[str, Any], Any]] = [
    ({"cost_fp": 1, "cost_fn": 10}, lambda ev: ev.threshold(costs=assay.Costs(fp=1, fn=10))),
    (
        {"cost_fp": 0.68, "cost_fn": 10, "cost_tp": -1, "cost_tn": 0.1, "prevalence": 0.02},
        lambda ev: ev.threshold(costs=assay.Costs(fp=0.68, fn=10, tp=-1, tn=0.1), prevalence=0.02),
    ),
    ({"maximise": "f1"}, lambda ev: ev.threshold("f1")),
    ({"at_most_flagged": 200, "per": 5000}, lambda ev: ev.threshold(constraint=at_most_flagged(200, per=5000))),
    (
        {"at_least": ["recall=0.8"], "confidence": 0.95},
        lambda ev: ev.threshold(constraint=at_least("recall", 0.8, confidence=0.95)),
    ),
]


@pytest.mark.parametrize(("asked", "same"), COSTS, ids=lambda part: "_".join(part) if isinstance(part, dict) else "")
def test_the_studio_says_what_the_library_says(bench: Bench, asked: dict[str, Any], same: Any) -> None:
    own = bench.opened("eights.csv")
    found = bench.tell(f"/api/result/{own}/threshold", model="bayes", **asked)
    ev = assay.evaluate_models(bench.folder / "eights.csv")["bayes"]
    choice = same(ev)
    assert found["words"] == choice.words().splitlines()
    assert found["threshold"] == choice.threshold
    if "cost_fn" in asked:
        assert math.isclose(found["ratio"], 10 if len(asked) == 2 else 11 / 0.58)
    assert found["command"].startswith("assay threshold eights.csv")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({}, "specify what to optimize"),
        ({"cost_fp": 1}, "cost_fn"),
        ({"cost_fp": "a lot", "cost_fn": 1}, "cost_fp"),
        ({"cost_fp": True, "cost_fn": 1}, "cost_fp"),
        ({"at_least": ["recall"]}, "at_least"),
        ({"at_least": ["recall=2"], "confidence": 0.95}, ""),
        ({"model": "nobody", "maximise": "f1"}, "there is no model"),
        ({"evil": 1}, "evil"),
        ({"at_most_flagged": 5}, "per"),
    ],
)
def test_what_a_threshold_cannot_be_chosen_by_is_refused_by_name(
    bench: Bench, asked: dict[str, Any], sentence: str
) -> None:
    found = bench.tell(f"/api/result/{bench.opened('eights.csv')}/threshold", **asked)
    assert sentence in found["error"]
    assert "bug" not in found["error"]


@pytest.mark.parametrize("threshold", ["", "0.02", "0.9"])
def test_rows_behind_a_cell_are_those_of_the_file_the_most_confidently_wrong_first(
    bench: Bench, threshold: str
) -> None:
    own = bench.opened("eights.csv")
    cut = float(threshold or 0.5)
    lines = [line.split(",") for line in (bench.folder / "eights.csv").read_text().splitlines()[1:]]
    for truth in (0, 1):
        for called in (0, 1):
            held = [
                (float(cells[2]), f"{place:,}", cells[0], cells[4])
                for place, cells in enumerate(lines, 1)
                if int(cells[1]) == truth and int(float(cells[2]) >= cut) == called
            ]
            # Wrong ones by how surely; right ones the least sure first.
            held.sort(key=lambda row: row[0], reverse=(truth, called) in ((0, 1), (0, 0)))
            query = f"model=logistic&truth={truth}&called={called}" + (f"&threshold={threshold}" if threshold else "")
            shown, start = [], 0
            while True:
                found = bench.list(f"/api/result/{own}/rows?{query}&start={start}")
                assert found["total"] == len(held)
                at = {name: k for k, name in enumerate(found["columns"])}
                shown += [(row[at["row"]], row[at["id"]], row[at["ink"]]) for row in found["rows"]]
                start += found["page"]
                if start >= found["total"]:
                    break
            assert shown == [row[1:] for row in held]


@pytest.mark.parametrize(
    "query", ["truth=2", "truth=-1", "start=999999", "threshold=low", "threshold=nan", "truth=1e3"]
)
def test_cells_that_are_not_there_are_refused(bench: Bench, query: str) -> None:
    said = bench.get(f"/api/result/{bench.opened('eights.csv')}/rows?model=logistic&{query}")
    assert said.status == 422
    assert "bug" not in said.text


def test_rows_are_found_by_their_id_where_some_were_left_out(bench: Bench) -> None:
    lines = [f"case {k},{k % 2},{'' if k % 7 == 0 else k * 37 % 100 / 100},{'abc'[k % 3]}" for k in range(200)]
    (bench.folder / "gaps.csv").write_text("\n".join(["id,target,score,kind", *lines, ""]))
    own = bench.opened("gaps.csv")
    columns = ("id", "target", "score", "kind")
    bench.shown(f"/columns/{own}")
    bench.led(bench.post(f"/columns/{own}", column=columns, role=("id", "truth", "score", "not used"), missing="drop"))
    found = bench.list(f"/api/result/{own}/rows?model=model&truth=1&called=0")
    at = {name: k for k, name in enumerate(found["columns"])}
    assert found["rows"]
    for row in found["rows"]:
        assert row[at["kind"]] == "abc"[int(row[at["id"]].split()[1]) % 3]


def test_subgroups_by_any_column(bench: Bench) -> None:
    own = bench.opened("eights.csv")
    led = bench.led(bench.post(f"/result/{own}/by", by="ink"))
    assert '<option value="ink" selected>' in bench.shown(led)
    page = bench.get(ADDRESS.format(own)).text
    assert page == render_html(assay.evaluate_models(bench.folder / "eights.csv", by="ink", keep_ids=True))
    bench.led(bench.post(f"/result/{own}/by", by=""))
    assert bench.workbench.listing.find(own).options == {}
    bench.led(bench.post(f"/result/{own}/by", by="nothing like it"))
    assert "there is no column" in bench.shown(led)


def test_another_file_of_the_same_cases_is_joined_by_id(bench: Bench) -> None:
    (bench.folder / "forest.csv").write_text(other())
    own = bench.opened("eights.csv")
    bench.post(f"/result/{own}/by", by="ink")
    led = bench.led(bench.post(f"/result/{own}/join", name="forest.csv"))
    models = island(bench.shown(led))["models"]
    assert [model["name"] for model in models] == ["logistic", "bayes", "forest"]
    same = assay.compare([bench.folder / "eights.csv", bench.folder / "forest.csv"])
    page = bench.get(f"{led}/page").text
    verdict = same.difference("brier", "logistic", "forest")
    assert f"{abs(verdict.value):.3f}" in page
    assert "forest.csv" in bench.shown(led)


def test_many_classes_have_their_rows_too(bench: Bench) -> None:
    names = ("one", "two", "three")
    lines = [f"{names[k % 3]},{0.5 + k % 5 / 20},{0.3 - k % 5 / 40},{0.2 - k % 5 / 40}" for k in range(90)]
    (bench.folder / "three.csv").write_text("\n".join(["target,proba_one,proba_two,proba_three", *lines, ""]))
    own = bench.opened("three.csv")
    model = island(bench.shown(f"/result/{own}"))["models"][0]
    at = model["classes"].index("two"), model["decisions"].index("one")
    found = bench.list(f"/api/result/{own}/rows?model={model['name']}&truth={at[0]}&called={at[1]}")
    assert (found["truth"], found["called"], found["total"]) == ("two", "one", 30)
    scores = [float(row[found["columns"].index("score of the predicted class")]) for row in found["rows"]]
    assert scores == sorted(scores, reverse=True)


def test_evidence_opens_and_says_that_it_holds_no_rows(bench: Bench) -> None:
    assay.reduce(bench.folder / "eights.csv").save(bench.folder / "eights.evidence")
    own = bench.opened("eights.evidence")
    assert "iframe" in bench.shown(f"/result/{own}")
    assert "ROC" in bench.get(ADDRESS.format(own)).text
    said = bench.get(f"/api/result/{own}/rows?model=logistic")
    assert said.status == 422
    assert "without rows" in said.text


def test_a_stream_opens_as_its_page(bench: Bench) -> None:
    rows = "".join(f"{k % 2},{k * 37 % 100 / 100}\n" for k in range(400))
    (bench.folder / "log.csv").write_text(f"target,score\n{rows}")
    led = bench.led(bench.post("/open", name="log.csv", kind="stream"))
    assert "iframe" in bench.shown(led)
    assert "400 events" in bench.get(f"{led}/page").text
    assert bench.post("/open", name="log.csv", kind="shell").status == 422


def test_an_address_that_was_never_opened_says_so(bench: Bench) -> None:
    for address in ("/result/0123456789ab", "/columns/..", "/result/x/page", "/api/result/x/rows", "/api/jobs/x"):
        said = bench.get(address)
        assert said.status == 404, address


@pytest.mark.parametrize("form", ["arff", "xlsx"])
def test_rows_of_a_named_sheet_and_of_texts_show_their_columns(bench: Bench, form: str) -> None:
    rows = [(f"{'spam' if k % 2 else 'ham'}", k * 37 % 100 / 100, f"it's note {k}") for k in range(100)]
    own, columns = "", ("target", "score", "note")
    if form == "arff":
        head = "@relation r\n@attribute target {ham,spam}\n@attribute score numeric\n@attribute note string\n@data\n"
        lines = [f"{target},{score},'{note.replace(chr(39), chr(92) + chr(39))}'\n" for target, score, note in rows]
        (bench.folder / "cases.arff").write_text(head + "".join(lines))
        own = bench.opened("cases.arff")
    else:
        with pd.ExcelWriter(bench.folder / "cases.xlsx", engine="xlsxwriter") as book:
            pd.DataFrame(rows[::-1], columns=columns).to_excel(book, sheet_name="other", index=False)
            pd.DataFrame(rows, columns=columns).to_excel(book, sheet_name="mine", index=False)
        own = bench.opened("cases.xlsx")
        bench.led(bench.post(f"/columns/{own}/settle", way="1"))
    bench.shown(f"/columns/{own}")
    roles = ("truth", "score", "not used")
    bench.led(bench.post(f"/columns/{own}", column=columns, role=roles, positive="spam"))
    bench.shown(f"/result/{own}")
    found = bench.list(f"/api/result/{own}/rows?model=model&truth=1&called=0")
    at = {name: k for k, name in enumerate(found["columns"])}
    assert found["note"] == ""
    for row in found["rows"]:
        assert row[at["note"]] == f"it's note {int(row[at['row']]) - 1}"


def test_a_comparison_that_cannot_be_made_is_not_kept_in_the_list(bench: Bench) -> None:
    (bench.folder / "others.csv").write_text("y_true,score\n" + "1,0.9\n0,0.2\n" * 7)
    first = bench.opened("eights.csv")
    address = bench.led(bench.post(f"/result/{first}/join", name="others.csv"))
    page = bench.shown(address)
    assert "The comparison was not added to the list." in page
    assert f'<a href="/result/{first}">Back to eights.csv</a>' in page
    assert [one.kind for one in bench.workbench.listing.all()] == ["file"]
    assert "eights.csv + others.csv" not in bench.shown(f"/result/{first}")


def test_every_window_learns_what_was_opened_in_another(bench: Bench) -> None:
    """The list comes with a version; whoever has that version is sent nothing, and hostile names stay text."""
    before = json.loads(bench.get("/api/history").text)
    assert json.loads(bench.get(f"/api/history?version={before['version']}").text) == {"version": before["version"]}
    (bench.folder / "<b>bold.csv").write_text("y_true,score\n1,0.9\n0,0.2\n")
    opened = bench.opened("<b>bold.csv")
    after = json.loads(bench.get(f"/api/history?version={before['version']}&current={opened}").text)
    assert after["version"] != before["version"]
    assert "&lt;b&gt;bold.csv" in after["html"]
    assert "<b>bold" not in after["html"]
    assert 'aria-current="true"' in after["html"]
