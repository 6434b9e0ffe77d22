"""What every rendering promises, whatever it is given."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit
from tests.report.samples import HOSTILE, labelled, scored, single_class

import assay
from assay.calibration.diagrams import covariance_graph
from assay.evaluation import Evaluation, Evaluations, TwoClassEvaluation, evaluate_models
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.report import (
    render_csv,
    render_html,
    render_json,
    render_latex,
    render_markdown,
    render_text,
    write_html,
)
from assay.report.notebook_views import view
from assay.report.sections import WHOLE, written
from assay.sources import Source

RENDERINGS = (
    render_text,
    lambda models: render_text(models, full=True),
    render_markdown,
    render_latex,
    render_csv,
    render_json,
    render_html,
    lambda models: view(Evaluations(models)),
)
ODD = {
    "single class": single_class(),
    "labels only": labelled(ConfusionMatrix.binary(tp=30, fn=10, fp=5, tn=55)),
    "nothing called positive": labelled(ConfusionMatrix.binary(tp=0, fn=10, fp=0, tn=55)),
    "logits without a threshold": scored(as_logits=True, threshold=None),
    "logits with a threshold": scored(as_logits=True, threshold=-0.25),
    "another level": scored(level=0.999),
    "too few positives for an interval": scored(cases=12),
    "perfect": scored(strength=50.0),
    "three classes": labelled(ConfusionMatrix(np.array([[5, 1, 0], [2, 7, 1], [0, 0, 9]]), ("a", "b", "c"))),
    "a label truth never holds": labelled(
        ConfusionMatrix(np.array([[5, 1, 2], [2, 7, 1]]), ("no", "yes"), ("no", "yes", "maybe"))
    ),
}


def without_script(page: str) -> str:
    """A page without the code that is the same in all of them; its data stay."""
    return re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)


@pytest.mark.parametrize("case", ODD)
def test_odd_data_render_everywhere(case: str) -> None:
    for render in RENDERINGS:
        text = without_script(render({"": ODD[case]}))
        # CSV and JSON write an infinite limit by the name that pandas, R and JavaScript read.
        foreign = {"nan", "NaN"} if render in (render_csv, render_json) else {"nan", "NaN", "Infinity"}
        assert not foreign & set(re.findall(r"\b\w+\b", text)), render


@pytest.mark.parametrize("case", ODD)
def test_undefined_numbers_say_why(case: str) -> None:
    page, text = render_html({"": ODD[case]}), render_text({"": ODD[case]}, full=True)
    flat = " ".join(text.split())
    for name, estimate in ODD[case].measures.items():
        if estimate.undefined is not None:
            assert estimate.undefined.replace("&", "&amp;") in page, name
            assert estimate.undefined in flat, name


def test_all_odd_data_side_by_side() -> None:
    two_classes = {name: ev for name, ev in ODD.items() if len(ev.classes) == 2}
    for render in RENDERINGS:
        assert render(two_classes)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_only_names(name: str) -> None:
    ev = scored(classes=("other", name), name=name or "file")
    for models in ({"": ev}, {name: ev, "b": scored(strength=1.0)}):
        _check_page(render_html(models))
        _check_page(view(Evaluations(models)))
        for render in (render_text, lambda m: render_text(m, full=True), render_latex, render_markdown):
            text = render(models)
            text.encode()
            assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u200e\u200f]", text), render
        assert max(map(len, render_text(models).splitlines())) <= 100
        assert json.loads(render_json(models))


def _check_page(page: str) -> None:
    page.encode()
    page = without_script(page)
    assert "<img" not in page
    # The data, and nothing that runs.
    assert re.findall(r"<script[^>]*>", page) in ([], ['<script type="application/json" id="assay-data">'])
    assert " style=" not in page
    assert ">49<" not in re.sub(r'<details class="data">.*?</details>', "", page, flags=re.DOTALL)
    assert "\u202e" not in page
    assert page.count("</style>") == 1


def test_names_are_escaped_in_markdown_and_latex() -> None:
    models = {HOSTILE[0]: scored(), HOSTILE[8]: scored(), HOSTILE[7]: scored()}
    markdown, latex = render_markdown(models), render_latex(models)
    assert "<img" not in markdown
    assert "@everyone" not in markdown
    assert "https://" not in markdown
    rows = [line for line in markdown.splitlines() if line.startswith("| ROC AUC")][:3]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {7}
    assert r"\input{" not in latex
    assert r"\textbackslash{}" in latex


def test_csv_runs_no_formula_and_holds_every_estimate() -> None:
    models = {"=1+1": scored(classes=("+a", "@b")), "-x": scored()}
    rows = list(csv.DictReader(io.StringIO(render_csv(models))))
    assert {row["model"] for row in rows} == {"'=1+1", "'-x"}
    assert {row["class"] for row in rows if row["model"] == "'=1+1"} == {"", "'+a", "'@b"}
    expected = sum(len(ev.measures) + sum(map(len, ev.per_class.values())) for ev in models.values())
    assert len(rows) == expected
    areas = [row for row in rows if row["measure"] == "roc_auc"]
    assert float(areas[0]["value"]) == models["=1+1"].estimate("roc_auc").value


def test_csv_leaves_what_is_undefined_empty() -> None:
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(render_csv({"": single_class()})))}
    assert rows["roc_auc"]["value"] == rows["roc_auc"]["low"] == ""
    assert "of one class" in rows["roc_auc"]["undefined"]


def test_json_is_the_published_record(one: dict[str, Evaluation], three: dict[str, Evaluation]) -> None:
    text = render_json(one)
    assert text.endswith("}\n")
    assert json.loads(text) == one[""].to_dict()
    several = json.loads(render_json(three))
    assert several["schema"] == "assay.evaluations/1"
    assert list(several["models"]) == ["boosting", "logistic", "forest"]


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_columns_line_up_at_any_level(level: float) -> None:
    lines = render_text({"": scored(level=level)}).splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("Measure"))
    head, rule, *rows = lines[place:]
    begin = head.index(f"{100 * level:g} % interval")
    assert set(rule) == {"─"}
    named = [row for row in rows if row.startswith(("ROC AUC", "Average precision", "Brier score"))]
    assert all(row[begin - 1] == " " and row[begin] == "[" for row in named)
    assert [row[head.index("Method") - 1 :][:2].strip() for row in named] == ["D", "i", "i"]


def test_short_text_says_what_the_first_minute_shows(one: dict[str, Evaluation]) -> None:
    text = render_text(one)
    for words in ("Estimate", "95 % interval", "DeLong", "At threshold 0.50", "(skill ", "Predicted label"):
        assert words in text
    for measure in ("Accuracy", "Recall", "Specificity", "Precision", "F1"):
        assert re.search(rf"\b{measure} +0\.\d+  \[0\.\d+, 0\.\d+\]", text)
    assert 'Always predicting "0" has an accuracy of 0.750.' in text
    assert any(line.startswith("caution A305  ") for line in text.splitlines()[-2:])


def test_model_names_show_only_where_someone_gave_them() -> None:
    assert render_text({"": scored()}) == render_text({"model": scored()})
    assert "boosting" in render_html({"boosting": scored()})


def test_names_that_shorten_alike_stay_apart() -> None:
    models = {"a" * 50 + middle + "b" * 50: scored() for middle in "xyz"}
    rows = [line for line in render_text(models).splitlines() if line.startswith("ROC AUC")]
    assert len(set(rows)) == 3


def test_latex_sets_the_best_in_bold(three: dict[str, Evaluation]) -> None:
    first = render_latex(three).split(r"\end{tabular}")[0].splitlines()
    assert [line.count(r"\textbf") for line in first if line.startswith(("boosting", "logistic", "forest"))] == [
        3,
        0,
        0,
    ]


def test_markdown_fits_a_comment() -> None:
    models = {f"model {k}": scored(strength=k / 10) for k in range(30)}
    text = render_markdown(models)
    assert len(text.encode()) < 64_000
    assert "left out to stay below 64 KB" in text


def test_several_models_are_told_that_overlap_decides_nothing(three: dict[str, Evaluation]) -> None:
    # A page compares them itself, or says why it cannot.
    assert "Not compared: " in render_html(three)
    for render in (render_text, render_markdown):
        assert "paired" in render(three)
        assert "assay compare" in " ".join(render(three).split())


@pytest.mark.parametrize("steeper", [1.0, 1.3])
def test_nothing_is_said_to_be_right_that_a_number_beside_it_shows_to_be_wrong(steeper: float) -> None:
    """The band pays for holding everywhere at once; the slope and the test of calibration may see more than it."""
    spoken_against = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        logits = 1.5 * rng.standard_normal(400)
        ev = assay.evaluate(rng.random(400) < expit(logits), expit(steeper * logits))
        assert ev.calibration.miscalibration.undefined is None
        found = ev.calibration.numbers
        is_against = ev.calibration.test.p_value < 0.05 or any(
            found[name].low > ideal or found[name].high < ideal
            for name, ideal in (("slope", 1), ("in_the_large", 0), ("observed_to_expected", 1))
        )
        text = " ".join(render_text({"": ev}, full=True).split())
        both = " ".join(render_text({"a": ev, "b": ev}, full=True).split())
        if len(ev.calibration.miscalibration) == 0:
            assert ("No miscalibration detected: the band" in text) == (not is_against)
            assert ("The band contains the diagonal, but th" in text) == is_against
            assert ("a: no miscalibration detected" in both) == (not is_against)
            spoken_against += is_against
    assert (spoken_against > 0) == (steeper > 1)


def test_sections_say_nothing_where_there_is_nothing() -> None:
    assert "roc" not in written({"": labelled(ConfusionMatrix.binary(tp=3, fn=1, fp=1, tn=5))})
    assert "confusion" not in written({"": scored(as_logits=True, threshold=None)})
    assert list(written({"": scored()})) == [
        name for name in WHOLE if name not in ("subgroups", "murphy", "risk-chart", "card")
    ]


def test_methods_name_only_what_was_used() -> None:
    text = render_text({"": labelled(ConfusionMatrix.binary(tp=30, fn=10, fp=5, tn=55))}, full=True)
    methods = text.split("Methods and references")[1]
    assert "Wilson (1927)" in methods
    assert "DeLong" not in methods


def test_reproduce_quotes_for_shell_and_python() -> None:
    ev = scored(classes=("no", "it's"), name="my file.csv")
    text = render_text({"": ev}, full=True)
    assert """assay evaluate 'my file.csv' --truth target --score score --positive 'it'"'"'s'""" in text
    assert '''positive="it's"''' in text


def test_writing_replaces_the_file_or_leaves_it(tmp_path: Path, one: dict[str, Evaluation]) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    write_html(one, path)
    assert path.read_text(encoding="utf-8") == render_html(one)
    with pytest.raises(OSError, match=r"cannot write .*nowhere"):
        write_html(one, tmp_path / "nowhere" / "report.html")
    assert [found.name for found in tmp_path.iterdir()] == ["report.html"]


def test_a_million_scores_make_a_small_page() -> None:
    rng = np.random.default_rng(1)
    is_positive = rng.random(1_000_000) < 0.2
    score = 1 / (1 + np.exp(-rng.normal(size=1_000_000) - is_positive))
    table = ScoreTable.of(score, is_positive)
    source = Source("big.parquet", "parquet", rows=1_000_000)
    ev = TwoClassEvaluation(source=source, matrix=table.at(0.5), scores=table, threshold_used=0.5)
    page = render_html({"": ev})
    # What a model takes is what it adds: the style and the script are the same for any number of models.
    assert len(render_html({"a": ev, "b": ev}).encode()) - len(render_html({"a": ev}).encode()) < 100_000
    assert len(page.encode()) < 235_000
    assert re.search(r"\b\d{2,3} of 1,000,001 points are drawn, the others are within 0\.005 of the line", page)
    assert re.search(r"counts at 1,[0-4]\d\d of 1,000,001 thresholds, including every corner of the ROC hull", page)


def test_subgroups_say_whose_they_are_and_are_drawn_beside_the_whole() -> None:
    rng = np.random.default_rng(5)
    truth, site = rng.random(400) < 0.4, np.tile(["north", "south"], 200)
    scores = {name: rng.normal(truth * shift, 1) for name, shift in (("weak", 0.5), ("strong", 2.0))}
    models = dict(evaluate_models(truth, scores, by=site).items())
    brief = render_text(models)
    assert brief.index("\nweak\n") < brief.index("north (200 cases)") < brief.index("\nstrong\n")
    page = render_html(models)
    assert page.index('id="roc"') < page.index('id="subgroups"') < page.index('id="measures"')
    section = page.split('id="subgroups"')[1].split("</section>")[0]
    assert section.count('class="limits"') == 2 * 3
    # One more for each model: the gap between the two subgroups, about 0.
    assert section.count('class="base"') == 2 * 3 + 2
    assert section.count("north minus south") == 2
    assert "the vertical line is all cases" in section


def test_means_of_several_models_are_joined_without_their_cases() -> None:
    table = scored().scores
    assert table is not None
    alone, among = (covariance_graph(table, with_cases=kept).drawing() for kept in (True, False))
    assert [trace.role for trace in alone.traces].count("negatives") == 2
    assert "negatives" not in [trace.role for trace in among.traces]
    assert [spot.name for spot in among.spots] == ["", ""]
