"""HTML pages that need nothing but themselves, and evaluations as a fragment for notebooks.

The line above the page: what was read.

How a page allows its own style and scripts: by their hashes, so that nothing else in it can run.

How the sections of a page are laid out: which come first, how wide each is, and what is folded away.

The rows behind the cells of a confusion matrix, for a page that was asked to hold them.
"""

from __future__ import annotations

import base64
import hashlib
import math
import os
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay import __version__
from assay.evaluation import Comparison, Evaluation, Evaluations, ManyClassEvaluation, TwoClassEvaluation
from assay.evidence import DecidedRows, rows_behind
from assay.output_files import checked_target, write_all
from assay.plots import svg_fragment
from assay.plots.style import MODELS, ROLES, fragment_stylesheet, stylesheet
from assay.renderers import renders
from assay.report.blocks import Block, ClassMatrix, Forest, Grid, Heading, Notes, Picture, Row, Sentence
from assay.report.first_screen import findings
from assay.report.live_text import (
    CONTROLS,
    KNOTS,
    PARTS,
    RATIOS,
    RECOMPUTED,
    Moved,
    Moving,
    bar_sentence,
    controls_of_figure,
    depends_on,
)
from assay.report.page_cache import spare_memory
from assay.report.page_data import NOTHING_MOVES, island, written_island
from assay.report.sections import IN_THEIR_PLACE, OF_A_PAGE, WHOLE, written
from assay.report.sections.classes import Panel, about_classes, panels
from assay.report.sections.comparison import LEVELS, Compared, NotCompared, pairing
from assay.report.sections.confusion import most_confused
from assay.report.sections.estimate_rows import in_cells
from assay.report.sections.figures import movable, scored
from assay.report.sentences import FoundLine, Text, plain
from assay.report.wording import (
    bracketed,
    count,
    model_names,
    no_interval,
    number,
    p_words,
    percent,
    quoted,
    shortened,
    signed,
    threshold_words,
    value_words,
    visible,
)
from assay.request import usual_floats
from assay.types import Floats

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = [
    "AFTER_CLASSES",
    "COPIES",
    "FRAGMENT",
    "HALF",
    "MOST_LETTERS",
    "MOST_ROWS",
    "NEAR_AN_END",
    "ONE_CLASS",
    "OWN",
    "PICKS",
    "SEVERAL_CURVES",
    "STILL",
    "UNITS",
    "Part",
    "about",
    "about_rows",
    "arranged",
    "contents",
    "digest",
    "embedded_rows",
    "render_fragment",
    "render_html",
    "render_still",
    "render_watched",
    "sureness",
    "write_html",
    "write_page",
]


# More models than this are counted, not named.
MOST_NAMED = 4


def about(models: Mapping[str, Evaluation]) -> list[str]:
    """What was read: source, rows, positive class, hash."""
    ev = next(iter(models.values()))
    sizes = sorted({each.n for each in models.values()})
    # Of models that lack cases each has its own, and its own share of positives.
    cases = f"{count(ev.n)} cases" if len(sizes) == 1 else f"{count(sizes[0])} to {count(sizes[-1])} cases a model"
    parts = [shortened(ev.source.name, 60), cases]
    if len(sizes) > 1 and isinstance(ev, TwoClassEvaluation):
        parts.append(f"positive {quoted(ev.positive)}")
    elif isinstance(ev, TwoClassEvaluation):
        share, size = ev.class_shares[ev.positive], ev.class_counts[ev.positive]
        weighted = " of the weight" if ev.is_weighted else ""
        parts.append(f"positive {quoted(ev.positive)} ({percent(share)}{weighted}, {count(size)} cases)")
    else:
        parts.append(f"{len(ev.classes):,} classes")
    names = [name for name in model_names(models).values() if name]
    parts.extend(names if len(names) <= MOST_NAMED else [f"{len(names)} models"])
    if ev.source.sha256 is not None:
        parts.append(f"sha256 {ev.source.sha256[:8]}…")
    return parts


def digest(text: str) -> str:
    """The hash of a style or a script as a content security policy names it.

    >>> digest("")
    '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


# In the order of the page, with how many of twelve columns each takes.
OF_ONE = {
    "key": 4, "roc": 4, "calibration": 4, "confusion": 4, "expected-cost": 4, "precision-recall": 4,
}  # fmt: skip
OF_LABELS = {"key": 4, "confusion": 8}
OF_TWO = {
    "differences": 8, "roc": 4, "key": 8, "cheapest": 4, "calibration": 4, "expected-cost": 4, "precision-recall": 4,
    "who-was-right": 4,
}  # fmt: skip
OF_SEVERAL = {
    "key": 6, "roc": 6, "differences": 12, "calibration": 4, "expected-cost": 4, "precision-recall": 4,
}  # fmt: skip
OF_MANY_CLASSES = {"differences": 12, "confusion": 12, "headline": 6, "calibration": 6}
# What is found further down, each folded away behind one line.
FOLDED = (
    *("densities", "reject", "gain", "lift", "risk-chart", "net-benefit", "cost-curve", "cost-weights", "covariance"),
    *("murphy", "verdicts", "wins", "hull", "measures", "per-class", "methods"),
)
LATER = (
    *("subgroups", "confusion", "who-was-right", "densities", "reject", "gain", "lift", "risk-chart", "net-benefit"),
    *("cost-curve", "cost-weights", "covariance", "murphy", "verdicts", "wins", "hull", "calibration-numbers"),
    *("thresholds", "cautions", "card", "measures"),
    *("per-class", "methods", "reproduce"),
)
# What of a folded section is the line that it is folded behind, where it is no figure.
LINES = {
    "measures": "every measure that applies, with its interval, baseline and meaning",
    "methods": "method of each interval, its assumptions, its simulated coverage, references",
    "verdicts": "the verdict on each pair",
    "wins": "significant differences of all pairs",
    "per-class": "precision, recall and F1 of each class",
    "hull": "the model on the ROC convex hull at each cost ratio",
}
# What the strip of contents calls them.
SHORT = {
    "key": "Measures", "roc": "ROC", "calibration": "Calibration", "confusion": "Errors", "expected-cost": "Costs",
    "precision-recall": "Precision\u2013recall", "subgroups": "Subgroups", "differences": "Differences",
    "cheapest": "Cheapest",
    "measures": "All measures", "methods": "Methods", "reproduce": "Reproduce", "one-class": "One class",
    "headline": "Measures", "card": "Card",
    "error": "Error", "moment": "Matrix", "panel-0": "Over time", "values": "Values", "happenings": "Alarms",
    "detections": "Detectors", "cautions": "Cautions", "limits": "Limits",
}  # fmt: skip


@dataclass(frozen=True)
class Part:
    """A section of the page: its name, how it is laid out, what is in it, and the line that it is folded behind."""

    name: str
    shape: str
    blocks: list[Block]
    panels: Sequence[Panel] = ()
    fold: str = ""
    line: str = ""
    figures: list[str] = field(default_factory=list)
    # What of the title, and which sentence and whose, a page's script rewrites where it is folded.
    live: tuple[str, str] | None = None
    live_line: tuple[str, int | None] = ("", None)
    # The controls that it depends on, where the page's script does not recompute it.
    depends: str = ""


def arranged(
    found: Mapping[str, list[Block]], models: Mapping[str, Evaluation], compared: Compared | None = None
) -> list[Part]:
    """The sections of a page: the first rows, then what can be unfolded."""
    if isinstance(next(iter(models.values())), ManyClassEvaluation):
        first = OF_MANY_CLASSES
    else:
        of_one = OF_ONE if "roc" in found else OF_LABELS
        first = of_one if len(models) == 1 else OF_TWO if len(models) == 2 else OF_SEVERAL
    names = [name for name in first if name in found]
    names += [name for name in LATER if name in found and name not in names]
    names += [name for name in found if name not in names]
    is_of_several = first is OF_SEVERAL
    parts = [_page_part(name, found[name], first.get(name, 12), is_of_several=is_of_several) for name in names]
    return (
        [replace(part, depends=_layout_controls(part.name, compared)) for part in parts] if movable(models) else parts
    )


def _layout_controls(name: str, compared: Compared | None) -> str:
    """The controls that a section of two classes depends on and is not recomputed for."""
    if compared is None or name not in ("verdicts", "wins"):
        return PARTS.get(name, "")
    # Verdicts are by all measures, wins by the primary one.
    measures = compared.answer.measures if name == "verdicts" else [compared.measure]
    found = {control for one in measures for control in depends_on(one).split()}
    return " ".join(control for control in CONTROLS if control in {*found, "level", "margin"})


def _page_part(name: str, blocks: list[Block], columns: int, *, is_of_several: bool = False) -> Part:
    # Matrices of many models stand below one another.
    if (name not in FOLDED and not (is_of_several and name == "confusion")) or columns < 12:
        return Part(name, f"c{columns}", blocks)
    heading = next((block for block in blocks if isinstance(block, Heading)), Heading(name))
    pictures = [block for block in blocks if isinstance(block, Picture)]
    first = next((block for block in blocks if isinstance(block, Sentence)), Sentence(""))
    line = LINES.get(name) or next((block.caption for block in pictures), first.text)
    live_line = (first.live, first.place) if line == first.text else ("", None)
    figures = [block.figure.name for block in pictures if block.figure is not None]
    kept = [block for block in blocks if not (isinstance(block, Heading) and block.level == 2)]
    return Part(
        name, "c12", kept, fold=heading.text, line=line, figures=figures, live=heading.live, live_line=live_line
    )


def contents(parts: Collection[Part]) -> list[tuple[str, str]]:
    """What the strip above the page leads to: a section's id and what it is called there."""
    return [(part.name, SHORT[part.name]) for part in parts if part.name in SHORT]


# Rows of one model that a page may hold.
MOST_ROWS = 5_000
# Letters of an id that are shown.
MOST_LETTERS = 60


def embedded_rows(models: Mapping[str, Evaluation]) -> list[dict[str, Any] | None]:
    """For each model with a confusion matrix its rows, those most surely wrong first; None where there are no rows."""
    numbers = movable(models)
    return [_single_model_data(ev, numbers.get(key)) for key, ev in models.items() if ev.matrix is not None]


def about_rows(models: Mapping[str, Evaluation]) -> str:
    """How many rows of how many the page holds, or why it holds none."""
    having = [ev.rows for ev in models.values() if ev.matrix is not None and ev.rows is not None]
    if not having:
        return "The rows behind the matrix are not available: the source is counts or an evidence file, without rows."
    held, whole = sum(min(len(rows), MOST_ROWS) for rows in having), sum(map(len, having))
    some = "all" if held == whole else f"{count(held)} of"
    dropped = max(ev.source.dropped for ev in models.values())
    numbered = f" Row numbers do not count the {count(dropped)} left out." if dropped else ""
    called = "each with its id, " if any(rows.id is not None for rows in having) else ""
    said = f"{called}most confident errors first; this page contains {some} {count(whole)} rows.{numbered}"
    return f"Choose an entry of the matrix to list its rows, {said}"


def _single_model_data(ev: Evaluation, place: int | None) -> dict[str, Any] | None:
    rows, matrix = ev.rows, ev.matrix
    if rows is None or rows.decision is None or matrix is None:
        return None
    called = rows.decision
    sure, columns = sureness(rows, called)
    cell = rows.truth * len(matrix.decisions) + called
    # Right answers begin with the least sure one, wrong answers with the surest.
    wrongness = np.zeros(len(rows)) if sure is None else np.where(rows.truth == called, -sure, sure)
    kept = rows_behind(cell, wrongness, MOST_ROWS)
    return {
        "model": place,
        "n": len(rows),
        "classes": list(matrix.classes),
        "decisions": list(matrix.decisions),
        "pairs": most_confused(matrix) if len(matrix.classes) > 2 else [],
        "row": (kept + 1).tolist(),
        **({} if rows.id is None else {"id": [shortened(name, MOST_LETTERS) for name in rows.id[kept].tolist()]}),
        "truth": rows.truth[kept].tolist(),
        "called": called[kept].tolist(),
        **{name: values[kept].tolist() for name, values in columns.items()},
    }


def sureness(rows: DecidedRows, called: NDArray[np.integer]) -> tuple[Floats | None, dict[str, Floats]]:
    """How sure each label was, None where there are labels alone; and the columns of scores to show beside it.

    Of two classes that is the score of the positive one, which a page's script holds against its threshold.
    """
    if rows.score is not None:
        return np.where(called == 1, rows.score, -rows.score), {"score": rows.score}
    probability = rows.predictions.probability
    if probability is None:
        return None, {}
    place, columns = np.arange(len(rows)), probability.shape[1]
    # A label that truth never holds has no score.
    found = np.where(called < columns, probability[place, np.minimum(called, columns - 1)], np.nan)
    sure = np.nan_to_num(found)
    return sure, {"score": sure, "own": probability[place, rows.truth]}


# What a fragment's style is about; twice, so that it stands above what notebooks say of tables.
FRAGMENT = ".assay-report.assay-report"
# Names of a baseline this near an end of its axis are set inwards.
NEAR_AN_END = 0.18
# Sections that need half of a page's width, as long as they hold one figure.
HALF = (
    *("roc", "precision-recall", "calibration", "expected-cost", "confusion", "densities", "reject", "gain", "lift"),
    *("risk-chart", "net-benefit", "cost-curve", "cost-weights", "covariance", "murphy", "differences"),
    *("who-was-right", "methods", "reproduce"),
    *("plan", "data-sets"),
)
# What only some pages have.
OWN = ["scripts", "data", "kept", "controls", "controls_before", "kind", "has_rows", "about_rows", "stops"]
# From so many curves on, one of them is told from the others by pointing at its name.
SEVERAL_CURVES = 3
# How the style sheet knows pages about many data sets.
STILL = "many"
# The section that shows one of many classes.
ONE_CLASS = "one-class"
# What comes after the figures of one class.
AFTER_CLASSES = ("subgroups", "calibration-numbers", "thresholds", "cautions", "measures")
UNITS = (("score", "score"), ("flagged", "% flagged"), ("recall", "recall"), ("fpr", "FPR"))
PICKS = (("cost", "lowest cost"), ("f1", "highest F1"), ("youden", "Youden"))
COPIES = (
    *(("latex", "LaTeX"), ("markdown", "Markdown"), ("word", "Word"), ("csv", "CSV"), ("python", "Python")),
    *(("command", "Command"), ("link", "Link")),
)


def render_html(
    models: Mapping[str, Evaluation], compared: Compared | NotCompared | None = None, *, embed_rows: bool = False
) -> str:
    """The page: no request to anywhere, its style and its script allowed by hash alone; no rows unless asked for.

    Several models are compared, if only to say why they cannot be.
    """
    compared = pairing(models) if compared is None else compared
    pairs = compared if isinstance(compared, Compared) else None
    of_classes = panels(models)
    data = island(models, pairs, of_classes)
    rows = embedded_rows(models) if embed_rows else []
    if any(rows):
        data = {**(data or NOTHING_MOVES), "rows": rows}
    own = {} if data is None else _interactive_parts(models, data, pairs, of_classes)
    about_them = about_rows(models) if embed_rows else ""
    parts = _page_parts(models, compared, of_classes, embed_rows=embed_rows)
    own |= {"has_rows": any(rows), "about_rows": about_them}
    found = findings(models, compared)
    spare_memory(models)
    return _filled_template(about(models), found, parts, own)


def _interactive_parts(
    models: Mapping[str, Evaluation], data: Mapping[str, Any], compared: Compared | None, of_classes: Sequence[Panel]
) -> dict[str, Any]:
    """What only a page with controls has: its script, its data, and the bar."""
    return {
        "scripts": _scripts(*(["rows"] if "rows" in data else [])),
        "data": written_island(data),
        "kept": _threshold_count_words(data),
        "controls": _control_texts(models, data, compared, of_classes),
        "controls_before": ONE_CLASS if of_classes else "",
    }


def render_still(about: Sequence[str], verdict: str, sections: Mapping[str, list[Block]]) -> str:
    """A page in the same look about something that has no threshold to move, and so needs no script."""
    parts = [Part(name, _section_shape(name, blocks), blocks) for name, blocks in sections.items()]
    return _filled_template(about, verdict, parts, {"kind": STILL})


def render_watched(
    about: Sequence[str], verdict: str, parts: list[Part], data: Mapping[str, Any], stops: Mapping[str, Any]
) -> str:
    """A page whose only control is a slider over moments, which a script of its own moves."""
    own = {"scripts": _scripts("stream"), "data": written_island({**NOTHING_MOVES, **data}), "stops": stops}
    return _filled_template(about, verdict, parts, own)


def _filled_template(
    about: Sequence[str], verdict: str | tuple[FoundLine, ...], parts: list[Part], own: Mapping[str, Any]
) -> str:
    """The page's template with everything in its place; `own` is what only pages of this kind have."""
    style = stylesheet() + _template_file("report.css") + _template_file("figures.css") + _extra_style(parts, own)
    none = dict.fromkeys(OWN, "")
    found = () if isinstance(verdict, str) else verdict
    words = verdict if isinstance(verdict, str) else "; ".join(plain(one.finding) for one in verdict)
    page = {
        "style": style, "style_digest": digest(style), "about": about, "verdict": words or about[0],
        "findings": found, "parts": parts, "contents": contents(parts),
    }  # fmt: skip
    template = _environment().get_template("report.html.j2")
    return template.render(**page, **{**none, **own}, version=__version__)


def _extra_style(parts: Sequence[Part], own: Mapping[str, Any]) -> str:
    """The style of what only some pages show: the matrix of many classes, ranks, one curve among several."""
    has_matrix = any(isinstance(block, ClassMatrix) for part in parts for block in part.blocks)
    models = len((own.get("controls") or {"models": ()})["models"])
    some = {"classes": has_matrix, "ranks": own.get("kind") == STILL, "stream": bool(own.get("stops"))}
    return "".join(_template_file(f"{name}.css") for name, is_there in some.items() if is_there) + _fading_style(models)


def _fading_style(models: int) -> str:
    """Where a row or a name of one of several models is pointed at, the curves of the others fade."""
    if models < SEVERAL_CURVES:
        return ""
    return "\n".join(
        f"main:has(:is(.several tr:hover,.choice label:hover) .model.s{k},.choice .model.s{k}:hover)"
        f' svg:has([data-model="{k}"]) [data-model]:not([data-model="{k}"]){{opacity:.14}}'
        for k in range(min(models, MODELS))
    )


def _page_parts(
    models: Mapping[str, Evaluation],
    compared: Compared | NotCompared | None,
    of_classes: Sequence[Panel],
    *,
    embed_rows: bool,
) -> list[Part]:
    """All sections in the order of the page."""
    found = written(models, (*WHOLE, *OF_A_PAGE), compared, embed_rows=embed_rows, on_page=True)
    # What the first screen answers is not said again.
    left_out = IN_THEIR_PLACE if "key" in found else ("operating-point",)
    found = {name: blocks for name, blocks in found.items() if name not in left_out}
    parts = arranged(found, models, compared if isinstance(compared, Compared) else None)
    if of_classes:
        above = about_classes(next(iter(models.values())), list(of_classes))
        place = next((k for k, part in enumerate(parts) if part.name in AFTER_CLASSES), len(parts))
        parts.insert(place, Part(ONE_CLASS, "c12", above, of_classes))
    return parts


def _section_shape(name: str, blocks: list[Block]) -> str:
    """Half a page's width, the whole of it with figures side by side, or the whole of it."""
    if name not in HALF or any(isinstance(block, ClassMatrix) for block in blocks):
        return ""
    if any(isinstance(block, Forest) and block.names_pairs for block in blocks):
        return ""
    shown = [block for block in blocks if isinstance(block, Picture | Grid)]
    if any(isinstance(block, Grid) and block.is_plain for block in shown):
        is_of_one = not any(isinstance(block, Heading) and block.level > 2 for block in blocks)
        return "abreast" if is_of_one and len(shown) > 1 else ""
    if len(shown) < 2:
        return "half"
    return "side-by-side" if all(isinstance(block, Picture) for block in shown) else "columns"


def _control_texts(
    models: Mapping[str, Evaluation], data: Mapping[str, Any], compared: Compared | None, of_classes: Sequence[Panel]
) -> dict[str, Any]:
    """What the bar of controls says before the script moves it."""
    names, numbers = model_names(models), movable(of_classes[0].models if of_classes else models)
    places = {key: k for k, key in enumerate(models)}
    used = next((ev.threshold_used for ev in scored(models).values()), None)
    return {
        "models": [{"name": names[key] or "model", "series": places[key] % MODELS} for key in numbers],
        "classes": of_classes,
        "threshold": "as predicted" if used is None else threshold_words(used),
        "prevalence": percent(data["prevalence"]) if "prevalence" in data else "",
        "units": UNITS,
        "picks": (*PICKS, ("used", "as predicted" if used is None else threshold_words(used))),
        "copies": COPIES,
        "ratios": len(RATIOS),
        "bar": _control_bar_text(of_classes[0].models if of_classes else models),
        **_verdict_options(compared),
    }


def _control_bar_text(models: Mapping[str, Evaluation]) -> Text:
    """The sentence of the bar where the page was written; the script rewrites it."""
    moving = next((Moving(ev, KNOTS) for ev in scored(models).values()), None)
    return () if moving is None else bar_sentence(moving, Moved(moving.used))


def _verdict_options(compared: Compared | None) -> dict[str, Any]:
    """The levels and the margin that the line about two models can be read at."""
    if compared is None or len(compared.names) != 2:
        return {"levels": (), "level": "", "margin": ""}
    levels = sorted({*LEVELS, compared.comparison.level})
    return {
        "levels": [(f"{level!r}", f"{100 * level:g} %") for level in levels],
        "level": f"{compared.comparison.level!r}",
        "margin": "" if compared.margin is None else f"{compared.margin:g}",
    }


def _threshold_count_words(data: Any) -> str:
    """How many thresholds of how many the page can go to."""
    moving = [model for each in data.get("classes", [data]) for model in each["models"]]
    kept = [(len(model["threshold"]), model["points"]) for model in moving]
    if not kept:
        return ""
    if all(some == every for some, every in kept):
        return "It contains the counts at every threshold."
    some, every = (count(sum(each)) for each in zip(*kept, strict=True))
    return f"It contains the counts at {some} of {every} thresholds, including every corner of the ROC hull."


def _scripts(*others: str) -> list[tuple[str, str]]:
    """The built scripts with their hashes, where they are there: others first, which hear of what the last moves."""
    built = [files("assay.report") / "templates" / f"{name}.js" for name in (*others, "report")]
    found = [script.read_text(encoding="utf-8") for script in built if script.is_file()]
    return [(script, digest(script)) for script in found]


def render_fragment(blocks: Sequence[Block]) -> str:
    """Some blocks as a fragment that styles nothing but itself, in the light or dark of the page around it."""
    body = _environment().get_template("notebook.html.j2").render(blocks=[_static_block(block) for block in blocks])
    used = {role for role in ROLES if f"f-{role}" in body}
    style = fragment_stylesheet(FRAGMENT, used) + f"{FRAGMENT}{{{_template_file('notebook.css')}}}"
    return f'<div class="assay-report"><style>{style}</style>\n{body}</div>'


def _static_block(block: Block) -> Block:
    """A block as it stands by itself, where nothing moves; a figure has a name that no other one in a notebook has."""
    if isinstance(block, Sentence):
        return replace(block, text=visible(block.text), live="")
    if isinstance(block, Heading):
        return replace(block, text=visible(block.text), level=3)
    if isinstance(block, Notes):
        return replace(block, items=tuple(replace(item, text=visible(item.text)) for item in block.items))
    if not isinstance(block, Picture) or block.figure is None:
        return block
    own = f"{zlib.crc32(svg_fragment(block.figure).encode()):08x}"
    return replace(block, figure=replace(block.figure, name=f"{block.figure.name}-{own}"))


def write_html(
    models: Mapping[str, Evaluation],
    path: str | os.PathLike[str],
    compared: Compared | NotCompared | None = None,
    *,
    embed_rows: bool = False,
) -> None:
    """Write the page of evaluations, or of a comparison; no rows unless asked for."""
    write_page(lambda: render_html(models, compared, embed_rows=embed_rows), path)


@renders("page", Evaluation)
def _(ev: Evaluation, path: str | os.PathLike[str], *, embed_rows: bool) -> None:
    write_html({"": ev}, path, embed_rows=embed_rows)


@renders("page", Evaluations)
def _(models: Evaluations, path: str | os.PathLike[str], *, embed_rows: bool) -> None:
    write_html(models, path, pairing(models), embed_rows=embed_rows)


@renders("page", Comparison)
def _(
    comparison: Comparison,
    path: str | os.PathLike[str],
    measures: tuple[str, ...],
    margin: float | None,
    control: str | None,
    *,
    embed_rows: bool,
) -> None:
    compared = Compared(comparison, measures, margin, control)
    write_html(comparison.models, path, compared, embed_rows=embed_rows)


def write_page(page: Callable[[], str], path: str | os.PathLike[str]) -> None:
    """Write a page; where that cannot be done, it is said before the page is made."""
    target = checked_target(path)
    with usual_floats():
        write_all({target: page()})


def _template_file(name: str) -> str:
    return (files("assay.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("assay.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": lambda value: "\u2013" if math.isnan(value) else number(value),
        "in_cells": in_cells,
        "limits": bracketed,
        "reason": no_interval,
        "at": _axis_coordinate,
        "groupby_in_order": _grouped_rows,
        "across": lambda value, reach: _axis_coordinate(min(max(0.5 + value / reach / 2, 0.0), 1.0)),
        "value": lambda found: "\u2013" if math.isnan(found.value) else value_words(found),
        "signed": lambda found: "\u2013" if math.isnan(found.value) else signed(found),
        "p": p_words,
        "bar_note": _bar_note,
        "has_shares": lambda block: any(cell.shares for _, cells in block.rows for cell in cells),
        "has_bars": lambda block: any(
            _interval_bar(row)["is_drawn"] and _interval_bar(row)["has_limits"] for row in block.rows
        ),
        "unbroken": _nonbreaking,
        "live": _live_text,
        "visible": visible,
        "visible_lines": lambda text: "\n".join(map(visible, text.split("\n"))),
        "shape": _section_shape,
    }
    environment.globals |= {
        # The only markup that does not come from a template; it escapes what it is given itself.
        "svg": lambda figure: Markup(svg_fragment(figure)),  # noqa: S704
        "bar": _interval_bar,
        "models": MODELS,
        "depends_of_figure": controls_of_figure,
        "recomputed": RECOMPUTED,
    }
    return environment


def _nonbreaking(text: str) -> str:
    return text.replace(" %", "\u00a0%")


def _live_text(text: str, live: tuple[str, str] | None) -> str:
    """A text with the words marked that a page's script rewrites."""
    from markupsafe import Markup

    name, words = live or ("", "")
    before, *after = text.split(words, 1) if words else [text]
    if not after:
        return _nonbreaking(text)
    marked = Markup('{}<span data-out="{}">{}</span>{}')
    return marked.format(_nonbreaking(before), name, words, _nonbreaking(after[0]))


def _grouped_rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [{"name": name, "rows": list(group)} for name, group in groupby(rows, lambda row: row.group)]


def _axis_coordinate(value: float) -> str:
    """A place on an axis from 0 to 1, as a coordinate that stretches with it."""
    return f"{100 * value:.2f}%"


def _interval_bar(row: Row) -> dict[str, Any]:
    """What of a row fits an axis from 0 to 1: the estimate, its limits, its baseline."""
    estimate, baseline = row.estimate, row.baseline
    is_inside = 0 <= estimate.value <= 1
    has_limits = is_inside and estimate.low >= 0 and estimate.high <= 1
    return {
        "is_drawn": is_inside and (has_limits or math.isnan(estimate.low)),
        "has_limits": has_limits,
        "baseline": baseline if baseline is not None and 0 <= baseline.value <= 1 else None,
        "anchor": "middle" if baseline is None else _text_anchor(baseline.value),
    }


def _bar_note(block: Grid) -> str:
    """What the bars in the cells of a grid are; nothing where there are none."""
    bars = [] if block.fold else [cell.bar for _, cells in block.rows for cell in cells if cell.bar is not None]
    if not bars:
        return ""
    whole = "; the vertical line is all cases" if bars[0].baseline is not None else ""
    return f"Bars are {100 * bars[0].estimate.level:g} % intervals on an axis from 0 to 1{whole}."


def _text_anchor(value: float) -> str:
    return "start" if value < NEAR_AN_END else "end" if value > 1 - NEAR_AN_END else "middle"
