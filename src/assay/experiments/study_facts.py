"""What a careful reviewer would say of a study: the facts its store holds, handed to the rules."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.cautions import Caution, StudyFacts, check
from assay.experiments._definition import definition_of
from assay.experiments.algorithms import corrected_t
from assay.experiments.estimates import FEWEST_SPLITS, FoldScores
from assay.experiments.findings import SplitId, Tried, tried, wrong_by_case
from assay.experiments.selection import winner
from assay.experiments.side_by_side import training_mean, validation_value

if TYPE_CHECKING:
    from assay.experiments.results import Results

# With more cases the choice costs next to nothing, and making it again a thousand times takes long.
MOST_CASES = 10_000

Done = Mapping[str, Mapping[SplitId, Tried]]


def study_cautions(study: Results) -> tuple[Caution, ...]:
    """Every caution once, after the data sets it is about where those are not all."""
    held = {each["name"]: each["facts"] for each in definition_of(study.store, study.name).datasets}
    about: dict[tuple[str, str], list[str]] = {}
    for dataset in study.datasets:
        for caution in check(_facts(study, dataset, held.get(dataset, {}))):
            about.setdefault((caution.code, caution.message), []).append(dataset)
    return tuple(
        Caution(code, message if len(names) == len(study.datasets) else f"{', '.join(names)}: {message}")
        for (code, message), names in sorted(about.items(), key=lambda item: item[0][0])
    )


def _facts(study: Results, dataset: str, held: Mapping[str, Any]) -> StudyFacts:
    classes, target = study.truth(dataset)
    sizes = np.bincount(target, minlength=len(classes)).astype(np.float64).tolist()
    cells = study.store.cells(study.name, "learner", "repeat", "fold", "status", dataset=dataset)
    done, is_seen = tried(study, dataset), study.plan.kind == "resubstitution"
    beside = study.baselines
    contest = {name: splits for name, splits in done.items() if name not in beside}
    # Where one part is there to choose on, no choice is made on the other.
    is_open = not is_seen and not study.validates
    said: dict[str, Any] = {"chosen": _chosen(contest), "unclear": _unclear(study, contest)} if is_open else {}
    return StudyFacts(
        class_sizes=dict(zip(classes, sizes, strict=True)),
        splits=len({(cell["repeat"], cell["fold"]) for cell in cells}),
        is_resubstitution=is_seen,
        repeated=None if is_seen else _pair(held.get("repeated")),
        id_like=None if is_seen else _pair(held.get("id_like")),
        prepared=None if is_seen else held.get("prepared"),
        rarest=_pair(held.get("rarest")),
        failed=_failed(cells),
        flattered={} if is_seen else _flattered(study, dataset, contest),
        **said,
    )


def _pair(found: list[Any] | None) -> Any:
    return None if found is None else tuple(found)


def _failed(cells: list[Mapping[str, Any]]) -> dict[str, int]:
    """Learners that failed on some splits and not on others."""
    states: dict[str, list[str]] = {}
    for cell in cells:
        states.setdefault(cell["learner"], []).append(cell["status"])
    return {name: each.count("failed") for name, each in states.items() if {"failed", "done"} <= set(each)}


def _flattered(study: Results, dataset: str, contest: Done) -> dict[str, tuple[float, float]]:
    """The share of cases each learner has wrong among those it learned from, and among others, where both are known."""
    found = {}
    for name, splits in contest.items():
        tested = float(np.mean([each.wrong.mean() for each in splits.values()]))
        other = validation_value(study, dataset, name, "error_rate") if study.validates else tested
        found[name] = training_mean(study, dataset, name, "error_rate"), other
    return {name: pair for name, pair in found.items() if not any(map(math.isnan, pair))}


def _chosen(contest: Done) -> tuple[str, int, float, float] | None:
    """The best of the learners that look at features, and what BBC-CV makes of its error."""
    if not contest or not set.intersection(*(set(splits) for splits in contest.values())):
        return None
    losses = wrong_by_case(contest)
    if len(losses) > MOST_CASES:
        means = losses.mean(0)
        return tuple(contest)[int(means.argmin())], len(contest), float(means.min()), math.nan
    best = winner(losses, tuple(contest))
    return best.name, len(contest), best.apparent, best.corrected.value


def _unclear(study: Results, done: Done) -> tuple[str, str, str, float] | None:
    """The two best, where the splits leave open which is better."""
    means = {name: np.mean([each.wrong.mean() for each in splits.values()]) for name, splits in done.items()}
    if len(means) < 2:
        return None
    first, second = sorted(means, key=lambda name: means[name])[:2]
    shared = [split for split in done[first] if split in done[second]]
    if len(shared) < FEWEST_SPLITS:
        return first, second, "accuracy", math.nan
    if study.not_drawn is not None:
        return None
    gap = corrected_t(_scores(done[first], shared), _scores(done[second], shared)).difference
    return (first, second, "accuracy", (gap.high - gap.low) / 2) if gap.low <= 0 <= gap.high else None


def _scores(splits: Mapping[SplitId, Tried], shared: list[SplitId]) -> FoldScores:
    found = [splits[split] for split in shared]
    values = np.array([1 - each.wrong.mean() for each in found])
    train = np.array([each.train_cases for each in found], dtype=np.float64)
    test = np.array([len(each.rows) for each in found], dtype=np.float64)
    return FoldScores("accuracy", values, train, test)
