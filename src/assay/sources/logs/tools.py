"""Readers of the logs of evaluation tools: lm-eval, promptfoo, human-eval, OpenAI evals and MLflow."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from assay.errors import InputError
from assay.sources.logs.answers import AnswerLog, number_of, plain_entries, text_of
from assay.sources.logs.json_stream import json_entries, json_lines
from assay.sources.quoting import shown

# Metrics of a whole set of answers: the lines hold what they are computed from, never a score of the item.
CORPUS_METRICS = ("bleu", "chrf", "ter", "perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte")
NO_ITEM_SCORE = "a metric of the whole set, without a score for each item"
RESULTS = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d\-.]+)\.jsonl$")


def read_lm_eval(path: Path) -> AnswerLog:
    """Return the answers in a samples file of lm-eval: a line is an item and a filter, a row an item."""
    task, model, notes, partial = _lm_eval_run_info(path)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    refused: dict[str, str] = {}
    answers = 0
    with path.open("rb") as stream:
        for line in json_lines(stream, path.name):
            metrics = line.get("metrics") or [name for name in ("acc", "exact_match", "acc_norm") if name in line]
            key = (text_of(line.get("doc_id")), text_of(line.get("doc_hash", "")))
            row = rows.setdefault(key, {"scores": {}, "truth": line.get("target_hash") or line.get("target")})
            filter_ = line.get("filter", "none")
            answers = max(answers, _generation_count(line.get("resps")))
            row |= {"prompt": line.get("prompt_hash", ""), "clusters": plain_entries(line.get("doc"))}
            for name in metrics:
                score = number_of(line.get(name))
                column = name if filter_ == "none" else f"{name},{filter_}"
                if score is None or name in CORPUS_METRICS or isinstance(line.get(name), list):
                    refused[name] = NO_ITEM_SCORE
                elif column in row["scores"]:
                    found = f"item {shown(key[0])} of {shown(path.name)} has filter {shown(filter_)} twice"
                    raise InputError(found, "the samples file of one run")
                else:
                    row["scores"][column] = score
    log = AnswerLog("lm-eval", path.name)
    doc_ids = Counter(doc_id for doc_id, _ in rows)
    for (doc_id, doc_hash), row in rows.items():
        # A question that occurs twice shares its hash, so that the number of the document is needed too.
        item = f"{doc_id}:{doc_hash[:12]}" if doc_hash else doc_id
        log.add(item, row["scores"], model=model, task=task, truth=row["truth"], prompt=row["prompt"],
                clusters=row["clusters"])  # fmt: skip
    if len(doc_ids) < len(rows):
        notes += (f"{len(rows) - len(doc_ids):,} documents share a number: they stay apart by their hash",)
    if answers > 1:
        notes += (f"each item has {answers} answers and one score per filter: repeats are not scored in this file",)
    notes += ("no field tells errors, refusals or cut answers",)
    refused = {name: why for name, why in refused.items() if not any(each.split(",")[0] == name for each in log.scores)}
    return log.completed(refused=refused, notes=notes, partial=partial)


def _generation_count(responses: Any) -> int:
    """How many answers were generated for an item; 1 for multiple choice, whose responses are log-likelihoods."""
    if not isinstance(responses, list) or len(responses) != 1 or not isinstance(responses[0], list):
        return 1
    return len(responses[0]) if all(isinstance(each, str) for each in responses[0]) else 1


def _lm_eval_run_info(path: Path) -> tuple[str, str, tuple[str, ...], str | None]:
    """The task and the model of a samples file, from its name and the results file beside it."""
    found = RESULTS.match(path.name)
    task = found["task"] if found else path.stem.removeprefix("samples_")
    beside = path.with_name(f"results_{found['time']}.json") if found else None
    if beside is None or not beside.is_file():
        notes = ("there is no results file beside it: the model is the name of its folder",)
        return task, path.parent.name or path.stem, notes, None
    with beside.open("rb") as stream:
        wanted = ("config", "model_name", "n-samples")
        facts = {key: value for key, value in json_entries(stream, beside.name) if key in wanted}
    config = _object_or_empty(facts.get("config"))
    arguments = config.get("model_args")
    if isinstance(arguments, dict):
        arguments = ",".join(f"{key}={value}" for key, value in arguments.items())
    name = str(facts.get("model_name") or path.parent.name)
    model = f"{name} ({arguments})" if arguments else name
    return (
        task,
        model[:200],
        (),
        _partial_run_note(_object_or_empty(_object_or_empty(facts.get("n-samples")).get(task))),
    )


def _partial_run_note(size: dict[str, Any]) -> str | None:
    """Why a run is partial, from how many items it has and how many there are."""
    effective, original = size.get("effective"), size.get("original")
    if isinstance(effective, int) and isinstance(original, int) and effective < original:
        return f"--limit: {effective:,} of {original:,} items were run"
    return None


def _object_or_empty(value: Any) -> dict[str, Any]:
    """A JSON object, or an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def promptfoo_results(stream: IO[bytes], name: str, *, is_lines: bool) -> Iterator[dict[str, Any]]:
    """Yield the results of a promptfoo file: its JSON with everything, or its JSON lines."""
    if is_lines:
        yield from json_lines(stream, name)
        return
    for key, value in json_entries(stream, name, each_of=["results.results"], inside=["results"]):
        if key == "results.results" and isinstance(value, dict):
            yield value


def read_promptfoo(path: Path, *, is_lines: bool) -> AnswerLog:
    """Return the answers in the results of promptfoo: an item is a test's variables, a model a provider and prompt."""
    log = AnswerLog("promptfoo", path.name)
    repeats: Counter[tuple[str, ...]] = Counter()
    cached = 0
    labels: dict[str, set[str]] = defaultdict(set)
    rows = []
    with path.open("rb") as stream:
        for result in promptfoo_results(stream, path.name, is_lines=is_lines):
            provider = result.get("provider") or {}
            named = provider.get("label") or provider.get("id") if isinstance(provider, dict) else provider
            prompt = result.get("prompt")
            label = text_of(prompt.get("label") if isinstance(prompt, dict) else prompt)
            case = _object_or_empty(result.get("testCase"))
            item = text_of({"vars": result.get("vars"), "description": case.get("description")})
            response = _object_or_empty(result.get("response"))
            cached += bool(response.get("cached"))
            # failureReason 2 is an error; `error` itself is also filled where an assertion failed.
            state = (
                "error" if result.get("failureReason") == 2 else "refused" if response.get("isRefusal") else "scored"
            )
            scores = {} if state == "error" else _promptfoo_scores(result)
            model, test = text_of(named), text_of(result.get("promptId", ""))
            labels[model].add(label)
            rows.append((item, model, label, test, state, scores, result.get("vars"), case, result.get("metadata")))
    several = {model: len(each) > 1 for model, each in labels.items()}
    for item, model, label, test, state, scores, variables, case, metadata in rows:
        whole = f"{model} / {label}" if several[model] else model
        repeats[item, whole] += 1
        clusters = plain_entries(metadata) | plain_entries(case.get("metadata"))
        log.add(item, scores, repeat=repeats[item, whole], model=whole, state=state, truth=variables, prompt=test,
                clusters=clusters)  # fmt: skip
    notes: tuple[str, ...] = ()
    if max(repeats.values(), default=1) > 1:
        notes += (
            "repeats are tests with equal variables; tests that are truly equal cannot be distinguished from them",
        )
    if cached:
        notes += (f"{cached:,} answers came from the cache: they are copies, not repeats",)
    return log.completed(notes=notes)


def _promptfoo_scores(result: Mapping[str, Any]) -> dict[str, float]:
    """Whether a test passed, its score, and the scores that have a name."""
    scores = {}
    for name, value in (("success", result.get("success")), ("score", result.get("score"))):
        number = number_of(value)
        if number is not None:
            scores[name] = number
    named = result.get("namedScores")
    for name, value in named.items() if isinstance(named, dict) else ():
        number = number_of(value)
        if number is not None:
            scores[str(name)] = number
    return scores


def read_human_eval(path: Path) -> AnswerLog:
    """Return the answers in a results file of human-eval: the order of lines makes the repeats of a task."""
    log = AnswerLog("human-eval", path.name, unit="task")
    repeats: Counter[str] = Counter()
    model = path.name.removesuffix(".jsonl").removesuffix("_results").removesuffix(".jsonl")
    late = 0
    with path.open("rb") as stream:
        for line in json_lines(stream, path.name):
            item = text_of(line.get("task_id"))
            repeats[item] += 1
            score = number_of(line.get("passed"))
            is_late = line.get("result") == "timed out"
            late += is_late
            log.add(item, {} if score is None else {"passed": score}, repeat=repeats[item], model=model,
                    state="cut" if is_late else "scored", predicted="")  # fmt: skip
    notes = (f"{late:,} answers timed out and count as failed",) if late else ()
    return log.completed(notes=notes)


def read_openai_evals(path: Path) -> AnswerLog:
    """Return the answers in a log of OpenAI evals: match events and metrics of each sample."""
    spec: dict[str, Any] = {}
    is_finished = False
    events: list[tuple[str, str, dict[str, Any]]] = []
    with path.open("rb") as stream:
        for line in json_lines(stream, path.name):
            spec = _object_or_empty(line["spec"]) if "spec" in line else spec
            is_finished |= "final_report" in line
            if line.get("type") in ("match", "metrics", "error"):
                events.append((text_of(line.get("sample_id")), line["type"], _object_or_empty(line.get("data"))))
    functions = spec.get("completion_fns")
    model = ", ".join(map(str, functions)) if isinstance(functions, list) else text_of(functions)
    task = text_of(spec.get("eval_name"))
    log = AnswerLog("OpenAI evals", path.name)
    repeats: Counter[tuple[str, str]] = Counter()
    for sample, kind, data in events:
        values = {"correct": data.get("correct")} if kind == "match" else data if kind == "metrics" else {}
        scores = {str(name): number for name, value in values.items() if (number := number_of(value)) is not None}
        if not scores:
            continue
        repeats[sample, kind] += 1
        log.add(sample, scores, repeat=repeats[sample, kind], model=model, task=task,
                truth=data.get("expected") if kind == "match" else "", predicted=data.get("picked"))  # fmt: skip
    answered = set(log.item)
    for sample in dict.fromkeys(sample for sample, kind, _ in events if kind == "error" and sample not in answered):
        log.add(sample, {}, model=model, task=task, state="error")
    partial = None if is_finished else "it has no final report: the run was cut short"
    return log.completed(partial=partial)


def read_mlflow(path: Path) -> AnswerLog:
    """Return the answers in a result table of MLflow genai: scorers by their assessments, expectations left out."""
    with path.open("rb") as stream:
        lines = [_mlflow_trace(line) for line in json_lines(stream, path.name)]
    truths = {name for line in lines for name in line["expected"]}
    failed = Counter(name for line in lines for name in line["failed"])
    log = AnswerLog("MLflow genai", path.name)
    refused = {f"{name}/value": "the expected answer, not a score" for name in sorted(truths)}
    repeats: Counter[str] = Counter()
    for line in lines:
        values = {name: value for name, value in line["values"].items() if name not in truths and value is not None}
        numbers = {name: number_of(value) for name, value in values.items()}
        refused |= {f"{name}/value": "no number, boolean or pass/fail" for name in numbers if numbers[name] is None}
        repeats[line["item"]] += 1
        log.add(line["item"], {name: number for name, number in numbers.items() if number is not None},
                repeat=repeats[line["item"]], model=path.stem, state=line["state"], truth=line["expected"],
                clusters=line["tags"])  # fmt: skip
    notes = tuple(f"scorer {shown(name)} failed on {count:,} answers" for name, count in failed.items())
    notes += ("the table does not name the model: it is the file's name",)
    return log.completed(notes=notes, refused=refused)


def _mlflow_trace(line: Mapping[str, Any]) -> dict[str, Any]:
    """What is used of a trace: its values, which of them are expectations, and which scorers failed."""
    found = _parse_assessments(line.get("assessments"))
    named = [(text_of(each.get("assessment_name") or each.get("name")), each) for each in found]
    return {
        "item": text_of(line.get("request")),
        "values": {key.removesuffix("/value"): value for key, value in line.items() if key.endswith("/value")},
        "expected": {name: each["expectation"] for name, each in named if "expectation" in each},
        "failed": [name for name, each in named if _object_or_empty(each.get("feedback")).get("error")],
        "tags": {name: tag for name, tag in plain_entries(line.get("tags")).items() if not name.startswith("mlflow.")},
        "state": "error" if line.get("state") == "ERROR" else "scored",
    }


def _parse_assessments(value: Any) -> Iterable[dict[str, Any]]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
