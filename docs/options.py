"""The page of every option, from the records that say what may be asked."""

from __future__ import annotations

from assay.request import (
    SOURCES,
    Asked,
    CurveRequest,
    LogRequest,
    MergeRequest,
    ModelRequest,
    Option,
    PlanRequest,
    PoolRequest,
    PredictionsRequest,
    RankRequest,
    ReduceRequest,
    Request,
    SampleRequest,
    ServeRequest,
    StreamRequest,
    StudyRequest,
)

TITLES: dict[type[Asked], str] = {
    Request: "Predictions: evaluate, compare, threshold, curve, check, demo",
    RankRequest: "Algorithms over many data sets: rank",
    PlanRequest: "Sample-size planning: plan",
    LogRequest: "Logs of language-model evaluations: evaluate, compare, check",
    PoolRequest: "Several sites: pool",
    SampleRequest: "Rows to label: sample",
    ReduceRequest: "Evidence that travels: reduce",
    MergeRequest: "Evidence of several sources: merge",
    StreamRequest: "Streams, read line by line: stream",
    StudyRequest: "Studies: experiment run, resume, show",
    CurveRequest: "One learner against what grows: experiment curve",
    ModelRequest: "One model: experiment model, score, chance",
    PredictionsRequest: "Out-of-fold predictions: experiment predictions",
    ServeRequest: "The workbench: serve",
}
INTRODUCTION = """# Options

Every option there is, with what takes it. Nothing that is given is ignored: an option is used, or refused by its name
with the way to say it; the last column says where one rightly changes nothing. In Python an option is a keyword, on the
command line a flag with dashes for underscores.
"""


def page() -> str:
    """The page, a table for each record."""
    parts = [INTRODUCTION]
    for record, title in TITLES.items():
        rows = [_row(name, each, record.defaults()[name]) for name, each in record.options().items()]
        head = "| option | default | commands | sources | what it is |\n|---|---|---|---|---|"
        parts.append(f"## {title}\n\n{head}\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _row(name: str, each: Option, default: object) -> str:
    shown = each.stands_for if each.stands_for is not None else "" if default in (None, (), False) else default
    sources = "any" if set(each.sources) == set(SOURCES) else ", ".join(each.sources)
    needs = f" Goes with {' or '.join(f'`{other}`' for other in each.needs)}." if each.needs else ""
    idle = "".join(f" Changes nothing for {place}: {why}." for place, why in each.idle.items())
    name = f"{name} (--{each.flag})" if each.flag else name
    return f"| `{name}` | {shown} | {', '.join(each.commands)} | {sources} | {_plain(each.help)}{needs}{idle} |"


def _plain(text: str) -> str:
    return text.replace("|", "\\|")
