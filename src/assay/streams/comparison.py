"""Two classifiers on one stream: which is wrong less often, with limits that hold at every look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.deprecated import with_old_names
from assay.errors import OptionError
from assay.request import checked_level, front_door
from assay.results import Estimate, TestResult
from assay.state import Saved, Stateful
from assay.streams.alarms import FadedMcNemar, Lag
from assay.streams.prequential import MOST_SCORES, Prequential, checked_options
from assay.streams.windows import Chunk, ViewSpec, cumulative, sliding
from assay.text import number
from assay.types import Floats
from assay.uncertainty import Betting, dependent_mean

__all__ = ["PairedStream", "compare"]

# The last events whose difference is kept one by one, for limits at one look.
KEPT = 1000
WHAT = "the difference of the errors is autocorrelated"


class _Rival(Prequential):
    """A run that reads a chunk before it takes it: neither of two takes what the other refuses."""

    def read(self, truth: Any, prediction: Any, score: Any) -> Chunk:
        try:
            return self._reader.many(truth, prediction, score, None, None)
        except Exception:
            self._classes.rollback()
            raise

    def forget(self) -> None:
        self._classes.rollback()

    def take(self, chunk: Chunk, has_label: bool) -> Any:
        if len(chunk):
            self._take_many(chunk, has_label)
        return chunk.truth != chunk.decision


@with_old_names
class PairedStream(Stateful):
    """Two classifiers evaluated on the same events of a stream.

    `runs` has each of them, under all views. `difference` is the error rate of the first minus that of the second
    since the start, with limits valid at every time point; `recent_difference` the same of the last 1,000
    events, with pointwise limits that allow for dependence; `mcnemar` Gama's faded test, pointwise too.
    """

    _saved = (
        Saved("runs", "_both"),
        *(Saved(name, f"_{name}") for name in ("betting", "faded", "lag", "last")),
    )

    def __init__(self, names: tuple[str, str], options: Mapping[str, Any], fading: float) -> None:
        self.names, self.level = names, float(options["level"])
        self.runs = {name: _Rival(options) for name in names}
        self._betting = Betting(checked_level(self.level), bounds=(-1.0, 1.0))
        self._faded, self._lag = FadedMcNemar(fading), Lag()
        self._last: Floats = np.zeros(0)

    @property
    def _both(self) -> tuple[_Rival, ...]:
        return tuple(self.runs.values())

    def __repr__(self) -> str:
        return f"<{' and '.join(self.names)} on one stream of {self.events:,} events>"

    @property
    def events(self) -> int:
        """How many events were judged."""
        return self._betting.n

    def update(
        self, truth: Any, prediction: Mapping[str, Any] | None = None, *, score: Mapping[str, Any] | None = None
    ) -> None:
        """One event: what each said of it, a label or a score by the name of the classifier."""
        self.update_many([truth], _as_single_row_columns(prediction), score=_as_single_row_columns(score))

    def update_many(
        self, truth: Any, prediction: Mapping[str, Any] | None = None, *, score: Mapping[str, Any] | None = None
    ) -> None:
        """A chunk of events; both classifiers take it, or neither does."""
        for what, given in (("prediction", prediction), ("score", score)):
            if given is not None and set(given) != set(self.names):
                names = " and ".join(map(repr, self.names))
                raise OptionError(
                    f"{what} is of {', '.join(map(repr, given)) or 'no classifier'}", f"{what} of {names}", about=what
                )
        chunks: dict[str, Chunk] = {}
        try:
            for name, run in self.runs.items():
                chunks[name] = run.read(truth, *(None if each is None else each[name] for each in (prediction, score)))
        except Exception:
            for name in chunks:
                self.runs[name].forget()
            raise
        wrong = [run.take(chunks[name], prediction is not None) for name, run in self.runs.items()]
        self._update_differences(*wrong)

    def _update_differences(self, first: Any, second: Any) -> None:
        difference = first.astype(np.float64) - second
        self._betting.extend(difference)
        self._lag.extend(difference)
        self._faded.extend(first, second)
        self._last = np.concatenate((self._last, difference))[-KEPT:]

    @property
    def difference(self) -> Estimate:
        """The error rate of the first minus that of the second; its limits are valid at every time point."""
        return self._betting.estimate("error_rate")

    @property
    def recent_difference(self) -> Estimate:
        """The same of the last 1,000 events; its limits are valid at a single time point."""
        return dependent_mean(self._last, self.level, name="error_rate")

    @property
    def mcnemar(self) -> TestResult:
        """McNemar's test with fading events; valid at a single time point, not for monitoring."""
        return self._faded.result()

    @property
    def words(self) -> str:
        """The result as a sentence: the lower error rate, the limit of the difference, and objections."""
        found, (first, second) = self.difference, self.names
        if not self.events or found.undefined is not None:
            return f"no comparison yet: {found.undefined}"
        objection = ""
        if self._lag.is_plain:
            said = number(self._lag.correlation)
            objection = f"{WHAT} (autocorrelation {said}): the limits assume that it is not; "
        if found.low <= 0 <= found.high:
            reach = f"{number(found.low)} to {number(found.high)}"
            after = f"{first} minus {second} {reach} after {self.events:,} events"
            return f"{objection}no significant difference in error rate: {after}"
        better, worse = (second, first) if found.low > 0 else (first, second)
        least = found.low if found.low > 0 else -found.high
        return (
            f"{objection}{better} has a significantly lower error rate than {worse}, by at least {number(least)} after "
            f"{self.events:,} events (valid at every time point)"
        )


def _as_single_row_columns(given: Mapping[str, Any] | None) -> dict[str, list[Any]] | None:
    return None if given is None else {name: [value] for name, value in given.items()}


@front_door
def compare(
    first: str,
    second: str,
    *,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    threshold: float | None = None,
    views: Sequence[ViewSpec] | None = None,
    fading: float = 0.999,
    level: float = 0.95,
    seed: int = 0,
) -> PairedStream:
    """Return the paired comparison of two classifiers on one stream; each event comes with both predictions.

    >>> from assay import streams
    >>> pair = streams.compare("bayes", "tree", classes=("no", "yes"))
    >>> truth = ["no", "yes", "yes", "no"] * 100
    >>> pair.update_many(truth, {"bayes": truth, "tree": ["no", "yes", "no", "no"] * 100})
    >>> pair.difference
    -0.250 [-0.326, -0.186]
    >>> print(pair.words)
    the difference ...; bayes has a significantly lower error rate than tree, by at least 0.186 after 400 events ...
    """
    if first == second or not (first and second):
        raise OptionError(
            f"the classifiers have the names {first!r} and {second!r}", "two different names", about="second"
        )
    options = checked_options(
        positive=positive,
        classes=classes,
        threshold=threshold,
        views=(cumulative(), sliding(KEPT)) if views is None else views,
        record=(),
        every=1,
        peeks=False,
        most_scores=MOST_SCORES,
        expire_after=None,
        level=level,
        seed=seed,
    )
    return PairedStream((first, second), options, fading)
