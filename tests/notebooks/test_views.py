"""What users hold shows itself in a notebook: every kind of it, its number in it, and names in it that do no harm."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from tests.notebooks.held import EVIL, held, reachable

import assay
from assay.results import Table

# What results are made of, which a word says as well as a picture.
MADE_OF: Mapping[str, str] = {
    "assay.help_tree": "HelpEntry HelpTree",  # a tree of text
    "assay.evidence": (
        "ScoreTable ClassScores ClassSums SummedClasses ErrorSums DecidedRows FourCells RankedCases PositiveBlocks "
        "ClusteredRows Binned Contribution JointCorrectness JointLosses JointScores ModelSums Reach Reduced ScoreGrid"
    ),
    "assay.curves": "Sweep Quantity Drawing Ruler Trace Spot Owner Smooth BinormalFit",
    "assay.measures": "IntervalFamily Answers Pairs OverFolds",
    "assay.items": "JudgedShare KnownRates ItemLine ItemScores ItemPair ItemSpread VarianceSplit Battles Strengths",
    "assay.labelling": "LabelledRows RowOrder",
    "assay.experiments": (
        "ColumnTable Split Dataset Learner Plan Store Driver PredictedRows FoldScores FeatureColumn Described Pair"
    ),
    "assay.comparison": "BetweenSites FixedWeights Pooled Cheapest Family Forecast",
    "assay.ranks": "Folds ResultTable PairComparison EffectSize",
    "assay.calibration": "MisfitRange _Steps",
    "assay.decisions": "Constraint DemandOutlook",
    "assay.evaluation": "Shared SiteValue Parting Scorer TestedPair SampleDesign",
    "assay.predictions": "Predictions",
    "assay.results": "PairRow NullDistribution",
    "assay.sources": "Numbers ScoredRows",
    "assay.errors": "InputError",
    "assay.uncertainty": "Between Scale Moves SummedMoves",
    "assay.plots": "Figure Axis Area Line Label Dot Segment SideNote Tiles",
}
VIEWS = held()
KEY_NUMBERS: Mapping[str, Callable[[Any], str]] = {
    "ev": lambda one: f"{one.roc_auc:.3f}",
    "evs": lambda one: f"{one['poor'].roc_auc:.3f}",
    "labels": lambda one: f"{one.accuracy:.3f}",
    "many": lambda one: f"{one.accuracy:.3f}",
    "estimate": lambda one: f"{one.value:.3f}",
    "undefined": lambda one: one.undefined,
    "table": lambda one: f"{one.columns['estimate'][0]:.3f}",
    "long table": lambda one: f"the first and the last 30 of {len(one):,} rows",
    "cmp": lambda one: f"{one.differences('roc_auc')[0].value:+.3f}",
    "unpaired": lambda one: f"{one.differences('roc_auc')[0].value:+.3f}",
    "difference": lambda one: f"{one.value:+.3f}",
    "verdict": lambda one: f"{one.difference:+.3f}",
    "answer": lambda one: f"{one.primary[0].difference:+.3f}",
    "choice": lambda one: f"{one.threshold:.6g}",
    "calibration": lambda one: f"{one.observed_to_expected:.3f}",
    "of classes": lambda one: f"{one.classwise_ece.value:.3f}",
    "matrix": lambda one: f"<b>{one.tp:g}</b>|>{one.tp:g}<",
    "matrix of many": lambda one: f"{int(one.counts[0, 0])}",
    "per class": lambda one: f"{one['other']['f1']:.3f}",
    "per class of many": lambda one: f"{one['b']['f1']:.3f}",
    "one class": lambda one: f"{one['recall']:.3f}",
    "curve roc": lambda one: f"ROC curve, {len(one):,} points",
    "cautions": lambda one: one[0].code,
    "test": lambda one: f"p = {one.p_value:.3g}",
    "ranks": lambda one: f"{one.mean_ranks['knn']:.3f}",
    "critical difference": lambda one: f"{one.difference:.4g}",
    "study": lambda one: f"{one.estimate(EVIL, 'nb'):.3f}",
    "plan": lambda one: f"{one.cases:,} cases",
    "winner": lambda one: f"{one.corrected:.3f}",
    "sites": lambda one: f"{one.summary().estimate:.3f}",
    "summary of sites": lambda one: f"{one.estimate:.3f}",
    "label sample": lambda one: f"the first and the last 30 of {len(one.rows)} rows",
    "sampled": lambda one: f"{one.recall.value:.3f}",
    "labelled": lambda one: f"{one.positives} positive",
    "items": lambda one: f"{one.lines[0].estimate.value:.3f}",
    "compared items": lambda one: f"{one.difference.value:+.3f}",
    "battles": lambda one: f"{one.table().columns['value'][0]:.2f}",
    "judge": lambda one: f"{one[EVIL].estimate.value:.3f}",
    "baselines": lambda one: f"{one.value('majority', 'accuracy'):.3f}",
}


class Tags(HTMLParser):
    """The elements and attributes of a fragment, all of them closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("br", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_whatever_users_can_hold_has_a_view() -> None:
    plain = {(house, name) for house, names in MADE_OF.items() for name in names.split()}
    kinds = reachable()
    assert len(kinds) > 80
    without = {kind: via for kind, via in kinds.items() if not hasattr(kind, "_repr_html_")}
    left_out = {(".".join(kind.__module__.split(".")[:2]), kind.__name__) for kind in without}
    assert left_out - plain == set(), "give it a view, or say here why it needs none"
    assert {name for house, name in plain if any(k.__name__ == name for k in kinds)} <= {name for _, name in left_out}


def test_there_is_one_of_every_kind_here() -> None:
    """So that no view goes unseen by the tests below."""
    seen = {kind.__name__ for one in VIEWS.values() for kind in type(one).__mro__}
    with_view = {kind.__name__ for kind in reachable() if hasattr(kind, "_repr_html_")}
    assert with_view - seen == set()


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_sound_and_its_names_do_no_harm(name: str) -> None:
    view = VIEWS[name]._repr_html_()
    assert view == VIEWS[name]._repr_html_()
    tags = Tags()
    tags.feed(view)
    assert tags.open == []
    assert {tag for tag, _ in tags.seen}.isdisjoint({"script", "img", "iframe", "object", "link", "a"})
    assert not any(key.startswith("on") or key == "style" for _, attrs in tags.seen for key in attrs)
    assert "\u202e" not in view
    assert tags.seen[0] == ("div", {"class": "assay-report"})
    assert len(view) < 60_000


@pytest.mark.parametrize("name", KEY_NUMBERS)
def test_a_view_shows_the_number_it_is_about(name: str) -> None:
    said = KEY_NUMBERS[name](VIEWS[name])
    body = VIEWS[name]._repr_html_().split("</style>")[1]
    assert any(part in body for part in said.split("|"))


def test_curves_are_drawn() -> None:
    for name, one in VIEWS.items():
        if name.startswith("curve ") and hasattr(one, "drawing"):
            assert one._repr_html_().count("<svg") == 1, name
    assert "<svg" in VIEWS["calibration"]._repr_html_()


def test_styles_are_about_the_view_alone() -> None:
    for name in ("ev", "curve roc", "matrix of many"):
        style = VIEWS[name]._repr_html_().split("<style>")[1].split("</style>")[0]
        depth = 0
        outermost: list[str] = []
        for piece in re.findall(r"[^{}]*[{}]", style):
            if piece.endswith("{") and (depth == 0 or (depth == 1 and outermost[-1].startswith("@"))):
                outermost.append(piece[:-1].strip())
            depth += 1 if piece.endswith("{") else -1
        assert depth == 0
        assert all(".assay-report" in each or each.startswith("@media") for each in outermost), outermost


def test_two_figures_of_a_notebook_have_names_of_their_own() -> None:
    one, other = assay.evaluate([0, 1] * 9, [0.1, 0.8, 0.3] * 6).roc, VIEWS["curve roc"]
    ids = [set(re.findall(r'\bid="([^"]+)"', curve._repr_html_())) for curve in (one, other)]
    assert ids[0]
    assert ids[0].isdisjoint(ids[1])


def test_a_table_of_a_million_rows_is_a_short_view() -> None:
    long = Table({"x": np.arange(1_000_000).tolist()})
    assert len(long._repr_html_()) < 20_000


def test_where_there_is_no_curve_a_view_says_so() -> None:
    single = assay.evaluate([0, 0, 0], [0.1, 0.2, 0.3], classes=[0, 1], positive=1)
    assert "no curve; the true labels may have a single class" in single.roc._repr_html_()
    assert single._repr_html_()
    assert single.calibration._repr_html_()
