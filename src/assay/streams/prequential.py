"""The ways to a run: its options, checked, and a state it was left in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import InputError, OptionError
from assay.request import checked_flag, checked_level, checked_seed, checked_whole, front_door
from assay.streams.run import MOST_SCORES, STATE_VERSION, Prequential
from assay.streams.views import ViewSpec, cumulative

__all__ = ["checked_options", "options_of", "prequential", "resume"]

FEWEST_SCORES = 64


@front_door
def prequential(
    *,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    threshold: float | None = None,
    views: Sequence[ViewSpec] | None = None,
    record: Sequence[str] = (),
    every: int = 1,
    peeks: bool = False,
    most_scores: int = MOST_SCORES,
    expire_after: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Prequential:
    """A run that judges the events of a stream as they come, under one or several views.

    `classes` are all there are; without them they are added as they are met. `positive` is one of two. Scores from 0 to
    1 call an event positive from `threshold` on, 0.5 unless it is given. `record` names measures whose values are kept
    after `every` so many events. `most_scores` bounds how many different scores a view of the whole past keeps exactly.
    `expire_after` gives up a label that has not come after so many further predictions.

    Kappa temporal is held against repeating the true class of the event before, kappa M against the commonest class of
    the view before the event; with nothing seen before, neither answers. With `peeks` they are MOA's: the commonest
    class is counted with the very event it is to answer, and before the first event the first class is answered.

    >>> import assay
    >>> run = assay.streams.prequential(positive="yes", classes=("no", "yes"))
    >>> run.update_many(["no", "yes", "yes", "no"], score=[0.2, 0.7, 0.4, 0.1])
    >>> run.view("cumulative").values(["accuracy", "roc_auc", "kappa_temporal"])
    {'accuracy': 0.75, 'roc_auc': 1.0, 'kappa_temporal': 0.6666666666666666}
    """
    if isinstance(classes, str | bytes):
        raise OptionError(f"classes is {classes!r}", "a list of class names")
    return Prequential(
        checked_options(
            positive=positive,
            classes=classes,
            threshold=threshold,
            views=(cumulative(),) if views is None else views,
            record=record,
            every=every,
            peeks=peeks,
            most_scores=most_scores,
            expire_after=expire_after,
            level=level,
            seed=seed,
        )
    )


def checked_options(
    *, views: Sequence[ViewSpec], record: Sequence[str], expire_after: int | None, **options: Any
) -> dict[str, Any]:
    """What a run is made with, each option questioned once."""
    specs = tuple(views)
    if not specs or not all(isinstance(spec, ViewSpec) for spec in specs):
        raise OptionError("views holds something else than views", "such as streams.sliding(1000)")
    if len({spec.name for spec in specs}) < len(specs):
        raise OptionError("two views are the same", "different ones")
    if isinstance(record, str):
        raise OptionError(f"record is {record!r}", "a list of measures", {"record": [record]})
    return {
        **options,
        "views": specs,
        "record": tuple(record),
        "every": checked_whole(options["every"], "every"),
        "peeks": checked_flag(options["peeks"], "peeks"),
        "most_scores": checked_whole(options["most_scores"], "most_scores", FEWEST_SCORES),
        "expire_after": None if expire_after is None else checked_whole(expire_after, "expire_after"),
        "level": checked_level(options["level"]),
        "seed": checked_seed(options["seed"]),
    }


def resume(state: Mapping[str, Any]) -> Prequential:
    """The run that a state was taken from, as it was then.

    >>> from assay import streams
    >>> run = streams.prequential(views=(streams.sliding(2),))
    >>> run.update_many(["a", "b", "a"], ["a", "b", "b"])
    >>> again = streams.resume(run.state())
    >>> again.view("sliding 2").value("accuracy")
    0.5
    """
    run = Prequential(options_of(state))
    run.restore(state)
    return run


def options_of(state: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the run that a state was taken from."""
    if state.get("version") != STATE_VERSION:
        raise InputError(f"the state has version {state.get('version')!r}", f"version {STATE_VERSION}")
    views = tuple(ViewSpec(**view) for view in state["options"]["views"])
    return {**state["options"], "views": views, "record": tuple(state["options"]["record"])}
