"""Each of many classes against the rest: estimates made when they are asked for, because there may be thousands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import UnknownName
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure, average_precision, brier, registry, roc_auc
from assay.renderers import in_notebook
from assay.results import Estimate, Table

if TYPE_CHECKING:
    from assay.evaluation._many_classes import ManyClassEvaluation
    from assay.evaluation._two_classes import TwoClassEvaluation

__all__ = ["ASKED_OF_A_CLASS", "EachClass", "OneClass", "PerClass", "label_measures", "named_classes", "one_class"]

# As many classes are named where some have no value.
MOST_NAMED = 5
# What everyone asks of a class, and of how many it is printed.
ASKED_OF_A_CLASS = ("recall", "precision", "f1")
MOST_SHOWN = 30


class PerClass(Mapping[str, Mapping[str, Estimate]]):
    """For each class, the measures of it against the rest."""

    _repr_html_ = in_notebook

    def __init__(self, ev: ManyClassEvaluation) -> None:
        self._ev = ev
        self._rows: dict[str, OneClass] = {}
        self._codes = {name: code for code, name in enumerate(ev.classes)}

    def __getitem__(self, name: str) -> Mapping[str, Estimate]:
        if name not in self._codes:
            raise UnknownName(f"there is no class {name!r}", f"one of {', '.join(map(repr, self._codes))}")
        if name not in self._rows:
            self._rows[name] = OneClass(self._ev, self._codes[name])
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._codes)

    def __len__(self) -> int:
        return len(self._codes)

    def __repr__(self) -> str:
        return str(_table(self))


class EachClass(dict[str, Mapping[str, Estimate]]):
    """The same of two classes, each as the positive one."""

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(_table(self))


class OneClass(Mapping[str, Estimate]):
    """The measures of one class against the rest: of labels, and of its scores where there are any."""

    _repr_html_ = in_notebook

    def __init__(self, ev: ManyClassEvaluation, code: int) -> None:
        self._ev = ev
        self._code = code
        self._found: dict[str, Estimate] = {}
        self._of_labels = label_measures()
        self._of_scores = []
        if ev.class_scores is not None or ev.class_tables:
            ends = [end for table in ev.class_tables for end in table.score[[0, -1]].tolist()]
            are_shares = ev.has_probabilities or (ev.class_scores is None and 0 <= min(ends) <= max(ends) <= 1)
            self._of_scores = [m for m in (roc_auc, average_precision, brier) if are_shares or m is not brier]

    def __getitem__(self, name: str) -> Estimate:
        if name not in self._found:
            if name in self._of_labels:
                matrix = self._ev.against_rest[self._code]
                self._found[name] = self._ev.estimate_of(self._of_labels[name], matrix)
            elif name in [measure.name for measure in self._of_scores]:
                self._look_at_scores()
            else:
                raise UnknownName(f"there is no measure of one class called {name!r}", f"one of {', '.join(self)}")
        return self._found[name]

    def _look_at_scores(self) -> None:
        """All measures of the scores at once, so that their table need not be kept."""
        table = table_of_class(self._ev, self._code)
        assert table is not None
        for measure in self._of_scores:
            self._found[measure.name] = self._ev.estimate_of(measure, table)

    def __iter__(self) -> Iterator[str]:
        yield from self._of_labels
        yield from (measure.name for measure in self._of_scores)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return str(Table({"measure": list(self), "estimate": list(self.values())}))


def _table(classes: Mapping[str, Mapping[str, Estimate]]) -> Table:
    """What everyone asks of a class; there may be thousands of them."""
    shown = dict(islice(classes.items(), MOST_SHOWN))
    left_out = [f"and {len(classes) - len(shown):,} more"] if len(classes) > len(shown) else []
    columns = {name: [str(of[name]) for of in shown.values()] + [""] * len(left_out) for name in ASKED_OF_A_CLASS}
    return Table({"class": [*shown, *left_out], **columns})


def one_class(ev: ManyClassEvaluation, name: str) -> TwoClassEvaluation:
    """One of many classes against the rest, as an evaluation of two classes."""
    from assay.evaluation._two_classes import TwoClassEvaluation

    code = ev.classes.index(name)
    # A class may itself be called rest, and two classes of one name would be one.
    classes = ("rest" if name != "rest" else "all others", name)
    table = table_of_class(ev, code)
    return TwoClassEvaluation(
        source=ev.source,
        matrix=replace(ev.against_rest[code], classes=classes, decisions=classes),
        scores=None if table is None else replace(table, classes=classes),
        level=ev.level,
        seed=ev.seed,
        rows=None if ev.rows is None else ev.rows.against(code, classes),
    )


def table_of_class(ev: ManyClassEvaluation, code: int) -> ScoreTable | None:
    """The scores of one class against the rest, from the cases or as evidence has them; None where there are none."""
    if ev.class_scores is not None:
        return ev.class_scores.against_rest(code)
    return ev.class_tables[code] if ev.class_tables else None


def label_measures() -> dict[str, Measure]:
    """The measures of one class that labels suffice for."""
    return {
        name: measure for name, measure in registry.items() if measure.of_one_class and measure.needs is ConfusionMatrix
    }


def named_classes(found: Estimate, average: Measure, matrix: ConfusionMatrix) -> Estimate:
    """An undefined average with the classes it is undefined for added to its reason; any other estimate as it is."""
    one = average.made_by[1][-1] if average.made_by is not None else None
    if not np.isnan(found.value) or not isinstance(one, Measure) or found.undefined != average.undefined:
        return found
    has_none = np.isnan(one(matrix.one_vs_rest())) & (matrix.actual > 0)
    names = [repr(name) for name, is_empty in zip(matrix.classes, has_none, strict=True) if is_empty]
    more = [f"{len(names) - MOST_NAMED:,} more"] if len(names) > MOST_NAMED else []
    return (
        replace(found, undefined=f"{found.undefined} ({', '.join([*names[:MOST_NAMED], *more])})") if names else found
    )
