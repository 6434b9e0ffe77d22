"""How the sections of a page are laid out: which come first, how wide each is, and what is folded away."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.evaluation import Evaluation, ManyClassEvaluation
from assay.report.blocks import Block, Heading, Picture, Sentence
from assay.report.computed_at import CONTROLS, PARTS, depends_on
from assay.report.sections._compared import Compared
from assay.report.sections._pictures import movable
from assay.report.sections.classes import Panel

__all__ = ["Part", "arranged", "contents"]

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
    "methods": "how each interval was made, what it assumes, how often it held in simulation, whom to cite",
    "verdicts": "each pair by itself, in words",
    "wins": "who is shown to be better than whom",
    "per-class": "precision, recall and F1 of each class",
    "hull": "which model lies on the hull of all, and for which costs",
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
    parts = [_part(name, found[name], first.get(name, 12), is_of_several=is_of_several) for name in names]
    return [replace(part, depends=_controls(part.name, compared)) for part in parts] if movable(models) else parts


def _controls(name: str, compared: Compared | None) -> str:
    """The controls that a section of two classes depends on and is not recomputed for."""
    if compared is None or name not in ("verdicts", "wins"):
        return PARTS.get(name, "")
    # Verdicts are by all measures, wins by the primary one.
    measures = compared.answer.measures if name == "verdicts" else [compared.measure]
    found = {control for one in measures for control in depends_on(one).split()}
    return " ".join(control for control in CONTROLS if control in {*found, "level", "margin"})


def _part(name: str, blocks: list[Block], columns: int, *, is_of_several: bool = False) -> Part:
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
