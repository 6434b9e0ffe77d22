"""The page of a stream: is it still as good, since when not, what rang; and what each limit holds for."""

from __future__ import annotations

import inspect
import math

from assay.report.blocks import Block, Heading, Note, Notes, Sentence
from assay.report.sections.ranks_tables import grid
from assay.report.sections.reproduce import versions
from assay.report.sections.stream_figures import error_figure, panels
from assay.report.sections.stream_moment import matrix_at, values_at
from assay.report.sections.stream_shown import WatchShown, with_limits
from assay.report.words import count, number, tamed, visible
from assay.results import counted
from assay.streams import ViewSpec, watch
from assay.uncertainty import ONE_LOOK as USED_UP

__all__ = ["about_stream", "stream_lede", "stream_sections", "stream_verdict"]

MOST_HAPPENINGS = 100
ONE_LOOK = (
    "Limits of windows and of the whole past, by the long-run variance of how much each event moves a measure, so that "
    "errors that cling to one another do not make them too narrow. Each holds at one look at a moment chosen "
    "beforehand: whoever looks again and again, or at the worst moment of a figure, uses them up."
)
EVERY_LOOK = (
    "Limits of the error since the start, by betting against each possible value (Waudby-Smith & Ramdas 2024): all "
    "moments at once, however often one looks, for an error whose mean given the past stays the same. Of an error that "
    "changes they say that it was above the lower limit at some time, and below the upper one at some time."
)
DETECTORS = (
    "A detector says that something changed, not what, and keeps no level: on a stream without a change it will find "
    "one sooner or later."
)
NO_ALARM = "No error rate to hold the stream against was given, so that nothing rings: pass reference="


def about_stream(shown: WatchShown) -> list[str]:
    """What was watched: events, classes, views."""
    classes = len(shown.now.classes)
    kinds = [f"{classes} classes"] if classes else []
    views = ", ".join(shown.views.values())
    looks = f"{counted(len(shown.kept), 'moment')} kept"
    return ["a stream", counted(shown.watch.events, "event"), *kinds, views, looks]


def stream_verdict(shown: WatchShown) -> str:
    """Whether the error has risen, since when, and what rang; the objection first where there is one."""
    rung = shown.rung
    if not shown.watch.alarms:
        return _of_changes(shown)
    alarm = shown.watch.alarms[0]
    above = f"{number(alarm.margin)} above {alarm.reference.words}"
    objection = ""
    if shown.clings:
        objection = f"Errors depend on those before ({shown.clings}), so that the level is not certain; "
    if not rung:
        found = (
            f"no alarm in {count(shown.watch.events)} events: the error is not shown to have risen more than {above}"
        )
        return _capital(f"{objection}{found}")
    since = "" if shown.since is None else f" since about event {count(shown.since)}"
    first = count((rung[0].rang_at or 0) + 1)
    return _capital(f"{objection}the error has risen more than {above}{since}: an alarm rang after {first} events")


def _of_changes(shown: WatchShown) -> str:
    changes = shown.watch.changes
    if not shown.watch.detectors:
        return f"{counted(shown.watch.events, 'event')} judged; nothing listens for a rise: no reference, no detector"
    if not changes:
        return f"No change found in {counted(shown.watch.events, 'event')}; without a reference no alarm listens"
    last = changes[-1]
    found = f"{counted(len(changes), 'change')} found, the last by {last.detector} after {count(last.events)} events"
    return f"{found}; without a reference no alarm listens"


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def stream_sections(shown: WatchShown) -> dict[str, list[Block]]:
    """All sections of the page that have something to say, in its order."""
    found: dict[str, list[Block] | None] = {
        "error": error_figure(shown),
        "moment": matrix_at(shown),
        **dict(panels(shown)),
        "values": values_at(shown),
        "happenings": _happenings(shown),
        "detections": _detections(shown),
        "cautions": _cautions(shown),
        "limits": _limits(shown),
        "reproduce": _reproduce(shown),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def stream_lede(shown: WatchShown) -> str:
    """What the sentence rests on, and what is known now."""
    parts = [f"error since the start {with_limits(shown.now.error, 'every')}"]
    if shown.lately is not None:
        lately = with_limits(shown.lately, "one")
        parts.append(f"{shown.views[shown.watch.main]} {lately}{_against_bar(shown)}")
    names: dict[str, int] = {}
    for change in shown.watch.changes:
        names[change.detector] = names.get(change.detector, 0) + 1
    parts += [f"{name}: {counted(times, 'change')}" for name, times in names.items()]
    if shown.judged:
        parts.append(f"{counted(len(shown.moments), 'true change')} known")
    return " \u00b7 ".join(parts)


def _against_bar(shown: WatchShown) -> str:
    found, bar = shown.lately, shown.bar
    if found is None or bar is None or math.isnan(found.low):
        return ""
    where = "above" if found.low > bar else "below" if found.high < bar else ""
    return f", {where} the bar {number(bar)}" if where else f", on neither side of the bar {number(bar)} for certain"


def _happenings(shown: WatchShown) -> list[Block]:
    heading = Heading("Alarms and changes")
    if not shown.happenings:
        return [heading, Sentence(_nothing_rang(shown))]
    # Alarms stay, however many changes there are.
    rung = [one for one in shown.happenings if one.kind is None]
    room = MOST_HAPPENINGS - len(rung)
    changes = [one for one in shown.happenings if one.kind is not None]
    kept = sorted([*rung, *changes[-room:]], key=lambda one: one.events)
    rows = [(count(one.events), (one.name, tamed(one.says))) for one in kept]
    left = len(shown.happenings) - len(kept)
    more = [Sentence(f"{counted(left, 'earlier change')} are left out here.")] if left else []
    silent = [Sentence(f"Not rung: {tamed(alarm.words)}.") for alarm in shown.watch.alarms if not alarm.rings]
    return [heading, grid("After events", ("What", "Says"), rows), *more, *silent]


def _nothing_rang(shown: WatchShown) -> str:
    said = "; ".join(tamed(alarm.words) for alarm in shown.watch.alarms)
    return f"{_capital(said)}." if said else f"Nothing rang and nothing was found to change. {NO_ALARM}0.1."


def _detections(shown: WatchShown) -> list[Block] | None:
    if not shown.judged:
        return None
    rows = []
    for name, found in shown.judged.items():
        share, between = found.found_share(), found.between_false_alarms()
        delay = found.delay()
        cells = (
            f"{len(found.moments) - found.missed} of {len(found.moments)}",
            "\u2013" if math.isnan(share.low) else f"[{share.low:.2f}, {share.high:.2f}]",
            "\u2013" if math.isnan(delay.value) else f"{delay.value:,.0f}",
            count(len(found.false_alarms)),
            f"at least {between.low:,.0f}" if not math.isfinite(between.value) else f"{between.value:,.0f}",
        )
        rows.append((name, cells))
    columns = ("Found", "95 % limits of the share", "Mean delay", "False alarms", "Events between false alarms")
    first = next(iter(shown.judged.values()))
    within = "before the next one" if first.tolerance is None else f"within {counted(first.tolerance, 'event')}"
    moments = ", ".join(count(moment) for moment in shown.moments)
    note = f"True changes at {moments}; one is found by the first alarm {within}, and every other alarm is false."
    return [Heading("How good the detectors were"), grid("Detector", columns, rows), Sentence(note)]


def _cautions(shown: WatchShown) -> list[Block] | None:
    # What holds at one look is said of every limit further down.
    said = [words for words in shown.watch.cautions if words != USED_UP]
    items = [Note("stream", tamed(f"{_capital(words)}.")) for words in said]
    if shown.misfit:
        items.insert(0, Note("error", f"{_capital(shown.misfit)}."))
    return [Heading("Cautions"), Notes(tuple(items))] if items else None


def _limits(shown: WatchShown) -> list[Block]:
    items = [Note("at every look", EVERY_LOOK), Note("at one look", ONE_LOOK)]
    items += [Note("alarms", _about_alarms(shown))]
    items += [Note("changes", DETECTORS)] if shown.watch.detectors else []
    for view, words in shown.views.items():
        why = dict.fromkeys(
            found.undefined
            for name in shown.measures
            if (found := shown.now.estimates[view].get(name)) is not None and found.undefined
        )
        items += [Note(f"none, {words}", tamed(f"{_capital(reason)}.")) for reason in why]
    return [Heading("What each limit holds for"), Notes(tuple(items))]


def _about_alarms(shown: WatchShown) -> str:
    alarms = shown.watch.alarms
    if not alarms:
        return f"{NO_ALARM}0.1."
    alpha, bar = sum(alarm.alpha for alarm in alarms), number(alarms[0].bar)
    return (
        f"One listens to the error since the start, one for a rise at any moment (Shin, Ramdas & Rinaldo 2023), each "
        f"with half of {alpha:g}: together they ring falsely in at most {alpha:g} of streams, however often one looks, "
        f"as long as the error given the past stays at or below the bar {bar}."
    )


def _reproduce(shown: WatchShown) -> list[Block]:
    call = f"watch = streams.watch({_asked(shown)})"
    given = "".join(f", {name}={value!r}" for name, value in (("moments", list(shown.moments)),
                    ("tolerance", shown.tolerance)) if value)  # fmt: skip
    lines = [
        "from assay import streams",
        visible(call),
        "watch.update_many(truth, ...)  # the events, in their order",
        f"watch.report('stream.html'{given})",
    ]
    items = (Note("Python", "\n".join(lines), is_code=True), versions("numpy", "scipy"))
    return [Heading("Reproduce"), Notes(items)]


def _asked(shown: WatchShown) -> str:
    """What the watch was asked for otherwise than by default, as Python has it."""
    defaults = {name: each.default for name, each in inspect.signature(watch).parameters.items()}
    given = {name: value for name, value in shown.watch.options.items() if name in defaults}
    views = ", ".join(f"streams.{_view(spec)}" for spec in given.pop("views"))
    # Losses of a reference are the user's own data, and a page holds none.
    others = [
        f"{name}={'LOSSES' if isinstance(value, list) and name == 'reference' else repr(value)}"
        for name, value in given.items()
        if value != defaults[name]
    ]
    return ", ".join([f"views=({views},)", *others])


def _view(spec: ViewSpec) -> str:
    asked = {"": spec.events, "seconds=": spec.seconds, "factor=": spec.factor if spec.factor < 1 else None}
    return f"{spec.kind}({''.join(f'{name}{value!r}' for name, value in asked.items() if value is not None)})"
