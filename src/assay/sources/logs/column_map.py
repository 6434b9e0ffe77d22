"""A table of answers from any tool, by the names of its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.errors import InputError
from assay.results import Table, counted
from assay.sources.logs.answers import LETTERS, STATES, AnswerLog, number_of, text_of
from assay.sources.quoting import listed, shown

ROLES = ("item", "repeat", "model", "task", "scorer", "filter", "score", "state", "truth", "predicted", "prompt")
MISSING = ("", "nan", "none", "null", "na")


def columns_of(data: Any) -> dict[str, list[Any]]:
    """Return the columns of a table: of Assay's own, of a mapping of columns, or of any data frame."""
    if isinstance(data, Table):
        return {name: list(values) for name, values in data.columns.items()}
    if isinstance(data, Mapping):
        columns = {str(name): _column_values(str(name), values) for name, values in data.items()}
        first = next(iter(columns), "")
        for name, values in columns.items():
            if len(values) != len(columns[first]):
                found = f"column {shown(name)} has {counted(len(values), 'value')}, {shown(first)} has"
                raise InputError(f"{found} {counted(len(columns[first]), 'value')}", "as many in every column")
        return columns
    import narwhals as nw

    try:
        frame = nw.from_native(data)
    except TypeError:
        found = f"a {type(data).__name__} holds no answers"
        raise InputError(found, "the path of a log, a data frame, or columns by their names") from None
    eager: Any = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    return {str(name): eager[name].to_list() for name in eager.columns}


def _column_values(name: str, values: Any) -> list[Any]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InputError(
            f"column {shown(name)} is of type {type(values).__name__}", "a list or array of values, one per row"
        )
    return list(values)


def answers_of_table(data: Any, name: str, roles: Mapping[str, str | Sequence[str]]) -> AnswerLog:
    """Return the answers in a table; `roles` names its columns where they are not named item, score and so on.

    Several score columns are several scorers. All other columns may hold clusters.

    >>> log = answers_of_table({"id": [1, 1, 2], "correct": [1, 0, 1]}, "a table", {"item": "id", "score": "correct"})
    >>> log.item, log.repeat, log.scores
    (['1', '1', '2'], [1, 2, 1], {'correct': [1.0, 0.0, 1.0]})
    """
    columns = columns_of(data)
    chosen = {role: role for role in ROLES if role in columns} | dict(roles)
    scores = chosen.pop("score", ())
    score_names = [scores] if isinstance(scores, str) else list(scores)
    for role, column in [*chosen.items(), *(("score", each) for each in score_names)]:
        if column not in columns:
            raise InputError(
                f"{shown(name)} has no column {shown(column)} for {role}", f"one of {listed(list(columns))}"
            )
    if "item" not in chosen or not score_names:
        lacking = "item" if "item" not in chosen else "score"
        needed = f"the column of {lacking}s; it has {listed(list(columns))}"
        raise InputError(f"{shown(name)} has no column {lacking!r}", needed, {lacking: next(iter(columns), "COLUMN")})
    used = {*chosen.values(), *score_names}
    others = {column: values for column, values in columns.items() if column not in used}
    return _build_answer_log(columns, chosen, score_names, others, name)


def _build_answer_log(
    columns: Mapping[str, list[Any]],
    chosen: Mapping[str, Any],
    score_names: Sequence[str],
    others: Mapping[str, list[Any]],
    name: str,
) -> AnswerLog:
    log = AnswerLog("a table", name)
    role = {key: columns[column] for key, column in chosen.items()}
    order: Counter[tuple[str, ...]] = Counter()
    letters: dict[str, None] = {}
    seen: dict[tuple[str, ...], dict[str, float]] = {}
    about: dict[tuple[str, ...], dict[str, Any]] = {}
    for place in range(len(role["item"])):
        value = {key: text_of(_normalize_value(values[place])) for key, values in role.items()}
        item, model, task = value["item"], value.get("model", ""), value.get("task", "")
        if not item:
            raise InputError(f"row {place + 1:,} of {shown(name)} has no item", "a value in each row")
        scorer = ",".join(value[key] for key in ("scorer", "filter") if value.get(key))
        scores: dict[str, float] = {}
        for column in score_names:
            number = _parse_score(columns[column][place], column, place, name, letters)
            if number is not None:
                scores[scorer or column] = number
        key = (item, model, task)
        if "repeat" in role:
            repeat = value["repeat"]
        else:
            order[*key, scorer] += 1
            repeat = str(order[*key, scorer])
        state = value.get("state") or "scored"
        if state not in STATES:
            raise InputError(f"state is {shown(state)} in row {place + 1:,}", f"one of {listed(STATES)}")
        row = seen.setdefault((*key, repeat), {})
        doubled = next((each for each in scores if each in row), None)
        if doubled is not None:
            found = f"item {shown(item)} has two scores of {shown(doubled)} for one repeat in {shown(name)}"
            raise InputError(found, "the column that numbers the repeats, or of the models", {"repeat": "COLUMN"})
        row |= scores
        clusters = {each: _normalize_value(values[place]) for each, values in others.items()}
        about.setdefault((*key, repeat), {
            "model": model, "task": task, "state": state, "truth": value.get("truth", ""),
            "predicted": value.get("predicted", ""), "prompt": value.get("prompt", ""), "clusters": clusters,
        })  # fmt: skip
    repeats: Counter[tuple[str, ...]] = Counter()
    for (item, model, task, repeat), row in seen.items():
        repeats[item, model, task] += 1
        facts = about[item, model, task, repeat]
        log.add(item, row, repeat=repeats[item, model, task], **facts)
    return log.completed(letters=tuple(letters))


def _normalize_value(value: Any) -> Any:
    """A value as a log would hold it: what is missing is empty, a whole number has no decimals."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.item() if hasattr(value, "item") else value


def _parse_score(value: Any, column: str, place: int, name: str, letters: dict[str, None]) -> float | None:
    value = _normalize_value(value)
    if isinstance(value, str) and value.strip().lower() in MISSING:
        return None
    if isinstance(value, str) and value in LETTERS:
        letters[f"{value} = {LETTERS[value]:g}"] = None
        return LETTERS[value]
    number = number_of(value)
    if number is None:
        found = f"{shown(column)} is {shown(value)} in row {place + 1:,} of {shown(name)}, which is no score"
        raise InputError(found, "numbers, booleans, pass/fail, or the letters C, I, P, N")
    return number
