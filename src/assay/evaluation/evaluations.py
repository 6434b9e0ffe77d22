"""Several classifiers' evaluations, by name.

What can only be said about several models together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.cautions import Caution, ComparisonFacts, check
from assay.comparison import Cheapest, cheapest_of
from assay.curves import curves_cross, roc_difference_bands
from assay.deprecated import with_old_names
from assay.errors import InputError, OptionError, UnknownName
from assay.evaluation.binary import TwoClassEvaluation
from assay.evaluation.evaluation import AnyEvaluation, Evaluation, of_any_kind
from assay.evidence import DecidedRows, ModelSums
from assay.renderers import in_notebook, render
from assay.request import checked_between, checked_positive
from assay.uncertainty import widened_level

__all__ = ["Evaluations", "cautions_about_crossing", "cheapest_models", "crossing_pairs", "why_crossing_is_untested"]


SCHEMA_OF_SEVERAL = "assay.evaluations/1"


@with_old_names
class Evaluations(Mapping[str, AnyEvaluation]):
    """Several models' evaluations by name, in the order they came.

    `joint_sums` hold sums over the same cases where there are no rows. `places` are the indices of each one's rows
    among all cases, where some lack some.
    """

    def __init__(
        self,
        models: Mapping[str, Evaluation],
        joint_sums: ModelSums | None = None,
        places: Mapping[str, NDArray[np.intp]] | None = None,
    ) -> None:
        self._models = {name: of_any_kind(ev) for name, ev in models.items()}
        self.joint_sums = joint_sums
        self.places = places

    def __getitem__(self, name: str) -> AnyEvaluation:
        if not isinstance(name, str) or name not in self._models:
            raise UnknownName(f"there is no model {name!r}", f"one of {', '.join(map(repr, self._models))}")
        return self._models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    def __repr__(self) -> str:
        return str(render("text", self))

    _repr_html_ = in_notebook

    def report(self, path: str | PathLike[str], *, embed_rows: bool = False) -> None:
        """Write one offline HTML page about all of them, compared where they are of the same cases.

        With `embed_rows` it holds the rows behind each cell.
        """
        render("page", self, path, embed_rows=embed_rows)

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints: each model, and how they compare where they are of the same cases."""
        models = {name: ev.to_dict() for name, ev in self.items()}
        return {"schema": SCHEMA_OF_SEVERAL, "models": models, "comparison": self._comparison()}

    def _comparison(self) -> dict[str, Any] | None:
        """The answer of `compare` as JSON holds it; None where the models cannot be compared."""
        if len(self) < 2:
            return None
        from assay.evaluation.entry_points import paired

        try:
            return paired(self).answer().to_dict()
        except InputError:
            return None


# With more models there are too many pairs for so few replicates to keep a level for all of them.
MOST_MODELS = 4
DRAWS = 500
STRICT = 0.99
# Cases of a class that replicates draw from: enough to tell how curves vary, and a user is not kept waiting.
DRAWN_FROM = 5_000
FEWEST_IN_CLASS = 30


def cautions_about_crossing(
    models: Mapping[str, Evaluation], pairs: Iterable[tuple[str, str]], names: Mapping[str, str] | None = None
) -> tuple[Caution, ...]:
    """What to say of models whose ROC curves are known to cross, under other names if you like, or were not tested."""
    shown = names or dict(zip(models, models, strict=True))
    every = [ComparisonFacts(crossing=(shown[first], shown[second])) for first, second in pairs]
    untested = why_crossing_is_untested(models)
    every += [] if untested is None else [ComparisonFacts(crossing_untested=untested)]
    return tuple(caution for facts in every for caution in check(facts))


def crossing_pairs(models: Mapping[str, Evaluation]) -> list[tuple[str, str]]:
    """The pairs of models whose ROC curves cross by more than chance."""
    if why_crossing_is_untested(models) is not None:
        return []
    having = _rows_with_roc_curves(models)
    pairs = list(combinations(having, 2))
    if not pairs:
        return []
    level = 1 - (1 - STRICT) / len(pairs)
    truth, scores = (
        _first_rows(having).truth,
        {name: rows.score for name, rows in having.items() if rows.score is not None},
    )
    bands = roc_difference_bands(truth == 1, list(scores.values()), level, draws=DRAWS, most=DRAWN_FROM)
    return [pair for pair, band in zip(pairs, bands.values(), strict=True) if curves_cross(band)]


def why_crossing_is_untested(models: Mapping[str, Evaluation]) -> str | None:
    """Why it is not known whether curves cross, and what would tell; None where it is, or where there are no two."""
    having = _rows_with_roc_curves(models)
    if len(having) < 2:
        return None
    if len(having) > MOST_MODELS:
        return f"there are more than {MOST_MODELS} models; compare two of them, or ask tests.roc_difference of two"
    rows = _first_rows(having)
    as_drawn = "tests.dominance shows where they do as drawn"
    if any(each.weight is not None or each.cluster is not None or each.count is not None for each in having.values()):
        return f"the band of their difference takes single, independent cases only; {as_drawn}"
    if _have_different_cases(models, having):
        return "not all models are on the same cases; compare two that are"
    if min(int((rows.truth == 1).sum()), int((rows.truth != 1).sum())) < FEWEST_IN_CLASS:
        return f"a class has fewer than {FEWEST_IN_CLASS} cases; {as_drawn}"
    return None


def cheapest_models(
    models: Mapping[str, Evaluation],
    ratios: Sequence[float],
    prevalence: float | None = None,
    *,
    level: float,
    seed: int,
) -> list[Cheapest]:
    """For each cost of a miss, in false alarms, which model is the cheapest at its own cheapest threshold."""
    having = _rows_with_roc_curves(models)
    reason = _cheapest_obstacle(models, having)
    if reason is not None:
        raise OptionError(reason, "scores of the same single, independent cases from every model")
    truth = _first_rows(having).truth == 1
    share = float(truth.mean()) if prevalence is None else checked_between(prevalence, "prevalence")
    scores = {name: rows.score for name, rows in having.items() if rows.score is not None}
    folds = next(iter(models.values())).fold_count
    at = level if folds is None else widened_level(level, folds)
    weights = np.array([checked_positive(ratio, "ratio") for ratio in ratios]) * share / (1 - share)
    return cheapest_of(truth, dict(scores), weights, at, seed)


def _cheapest_obstacle(models: Mapping[str, Evaluation], having: Mapping[str, DecidedRows]) -> str | None:
    if len(having) < len(models) or len(having) < 2:
        return "not every model has scores of two classes"
    if any(each.weight is not None or each.cluster is not None or each.count is not None for each in having.values()):
        return "thresholds are chosen and evaluated on single, independent cases"
    if _have_different_cases(models, having):
        return "not all models are on the same cases"
    return None


def _have_different_cases(models: Mapping[str, Evaluation], having: Mapping[str, DecidedRows]) -> bool:
    """Whether some lack cases that others have."""
    if isinstance(models, Evaluations) and models.places is not None:
        return True
    return any(not np.array_equal(each.truth, _first_rows(having).truth) for each in having.values())


def _rows_with_roc_curves(models: Mapping[str, Evaluation]) -> dict[str, DecidedRows]:
    """The rows of the models that have a ROC curve."""
    of_two = {name: ev.rows for name, ev in models.items() if isinstance(ev, TwoClassEvaluation)}
    return {name: rows for name, rows in of_two.items() if rows is not None and rows.score is not None}


def _first_rows(having: Mapping[str, DecidedRows]) -> DecidedRows:
    return next(iter(having.values()))
