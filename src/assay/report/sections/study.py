"""The page of a study: what was run, how good each learner is on each data set, and which differ."""

from __future__ import annotations

import json
import shlex
from pathlib import PurePath

from assay.report.blocks import Block, Heading, Note, Notes, Sentence
from assay.report.sections.ranks import of_ranks, ranks_cautions, ranks_lede, ranks_methods, ranks_verdict
from assay.report.sections.reproduce import Option, command_words, versions
from assay.report.sections.study_models import kept_models
from assay.report.sections.study_parts import all_pairs, chosen_words, parts
from assay.report.sections.study_shown import Shown
from assay.report.sections.study_tables import best_two, data_sets, estimates, failures, plan, speed
from assay.report.words import beats, count, shortened, tamed, value_words, visible
from assay.results import counted

__all__ = ["Shown", "about_study", "study_sections", "study_verdict"]

MOST_HASHES = 50
UNTOUCHED = "of the one model chosen, on cases that took no part in fitting or choosing it."
OF_ONE_MODEL = "Intervals speak of the one model chosen, on new cases from the same source; not of its algorithm."
OF_THE_ALGORITHM = "Intervals and tests take other training sets of this size from the same source for granted."
# Sections of ranks that come before everything else.
FIRST = ("critical-difference", "ranking")
METHODS = {
    "Nadeau-Bengio corrected t": "the spread over splits, widened for the training cases they share, and no less than "
    "the cases' own losses give. Nadeau & Bengio (2003); Bouckaert & Frank (2004).",
    "Corrected resampled t": "the same for the difference of two learners on the same splits; of accuracy, error rate "
    "and losses, and of ROC AUC where each case is tested once. Nadeau & Bengio (2003).",
    "Bonferroni": "limits at a level that leaves room for every pair the best two were chosen from.",
}


def about_study(shown: Shown) -> list[str]:
    """What was run: name, sizes, plan, measure."""
    study = shown.study
    sizes = [counted(len(study.datasets), "data set"), counted(len(study.learners), "learner")]
    return [shortened(study.name, 60), *sizes, study.plan.name, f"seed {study.seed}", shown.facts.title]


def study_verdict(shown: Shown) -> str:
    """The best learner, and how many of the others it is shown to beat; of a single data set by the corrected t."""
    if shown.facts.better == "neither":
        return f"{shown.facts.title}: neither high nor low values are better, so that no learner is the best"
    if not shown.order:
        return "No learner has a value on every data set yet"
    if shown.study.validates:
        return chosen_words(shown)
    if shown.answer is not None:
        return f"{ranks_verdict(shown.answer)}, by {shown.facts.title}"
    best, *rest = shown.order
    if len(shown.study.datasets) > 1:
        return f"{shown.learners[best]} has the best mean {shown.facts.title} of those that are done"
    dataset = shown.study.datasets[0]
    beaten = sum(shown.winner(shown.difference(dataset, best, other)) == best for other in rest)
    value = value_words(shown.estimates[dataset, best])
    words = f"{shown.learners[best]} has the best {shown.facts.title} on {shown.datasets[dataset]}, {value}"
    return f"{words}; it is {beats(beaten, len(rest))}" if rest else words


def study_sections(shown: Shown) -> dict[str, list[Block]]:
    """All sections of the page that have something to say."""
    found: dict[str, list[Block] | None] = {
        **_first(shown),
        "best-two": best_two(shown),
        "all-pairs": all_pairs(shown),
        "cautions": _cautions(shown),
        "verdicts": _run(shown),
        **_ranked(shown),
        "plan": plan(shown),
        "data-sets": data_sets(shown),
        "speed": speed(shown),
        "models": kept_models(shown),
        "failures": failures(shown),
        "methods": _methods(shown),
        "reproduce": _reproduce(shown),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def _run(shown: Shown) -> list[Block]:
    study, states = shown.study, shown.study.progress()
    cells = sum(states.values())
    done = f"{count(states['done'])} of {count(cells)} cells are done, {count(states['failed'])} failed."
    sizes = f"{counted(len(study.datasets), 'data set')} by {counted(len(study.learners), 'learner')}"
    said = f"{sizes}, every learner on the same partitions: {study.plan.name}. {done}"
    order = ", ".join(shown.learners[name] for name in shown.order)
    best = [Sentence(f"From the best: {order}.")] if len(shown.order) > 1 else []
    if isinstance(shown.ranked, str):
        best.append(Sentence(f"They are not ranked: {tamed(shown.ranked)}."))
    return [Heading("What was run"), Sentence(said), *best]


def _cautions(shown: Shown) -> list[Block] | None:
    states, items = shown.study.progress(), []
    missing = states["todo"] + states["running"]
    if missing:
        items.append(Note("missing", f"{counted(missing, 'cell')} are still to run: these numbers will change."))
    if states["failed"]:
        items.append(
            Note("failed", f"{counted(states['failed'], 'cell')} failed; means are over the splits that did not.")
        )
    stale = len(shown.study.stale())
    if stale:
        items.append(Note("stale", f"{counted(stale, 'cell')} of an earlier form of the study are kept and not used."))
    items += [] if shown.answer is None else ranks_cautions(shown.answer)
    items += [Note(one.code, tamed(one.message)) for one in shown.study.cautions]
    return [Heading("Cautions"), Notes(tuple(items))] if items else None


def _first(shown: Shown) -> dict[str, list[Block] | None]:
    """What is seen first: of ranked learners the diagram, then every learner's intervals."""
    ranked = {} if shown.answer is None else of_ranks(shown.answer)
    first: dict[str, list[Block] | None] = {name: ranked[name] for name in FIRST if name in ranked}
    lede: list[Block] | None = None if shown.answer is None else [Sentence(ranks_lede(shown.answer))]
    if shown.study.validates:
        return {"lede": None, "parts": parts(shown)}
    return {"lede": lede, **first, "estimates": estimates(shown), "parts": parts(shown)}


def _ranked(shown: Shown) -> dict[str, list[Block] | None]:
    """The sections of ranks, where there is more than one data set and nothing is missing."""
    return {} if shown.answer is None else of_ranks(shown.answer)


def _methods(shown: Shown) -> list[Block]:
    judged = [one.corrected for one in shown.chosen.values()] if shown.study.validates else shown.estimates.values()
    used = dict.fromkeys(found.method for found in judged if found.low == found.low)
    items = [Note(method, METHODS.get(method, UNTOUCHED)) for method in used]
    tested = any(found.low == found.low for found in shown.best_two.values())
    names = ["Corrected resampled t", *(["Bonferroni"] if shown.pairs > 1 else [])] if tested else []
    items += [Note(name, METHODS[name]) for name in names]
    items += [] if shown.answer is None else ranks_methods(shown.answer)
    if shown.facts.reference:
        items.append(Note(shown.facts.title, f"{shown.facts.reference}."))
    assumed = Sentence(OF_ONE_MODEL if shown.study.validates else OF_THE_ALGORITHM)
    return [Heading("Methods and references"), Notes(tuple(items)), assumed]


def _reproduce(shown: Shown) -> list[Block]:
    study = shown.study
    # The address of a database may hold a password.
    store = "DATABASE-URL" if "://" in study.store.place else PurePath(study.store.place).name
    options: dict[str, Option] = {"name": study.name, "measure": shown.measure}
    if shown.level != 0.95:
        options["level"] = shown.level
    command = ["assay", "experiment", *command_words("show", store, options)[1:], "--html", "report.html"]
    asked = "".join(f", {name}={value!r}" for name, value in options.items() if name != "name")
    call = f"open_study({store!r}, {study.name!r}).report('report.html'{asked})"
    hashes = [Note(shortened(one["name"], 24), f"sha256 {one['hash']}") for one in shown.definition["datasets"]]
    recipes = [
        Note(shortened(one["name"], 24), tamed(json.dumps(one["recipe"], default=str)))
        for one in shown.definition["learners"]
    ]
    items = (
        Note("command", visible(shlex.join(command)), is_code=True),
        Note("Python", f"from assay.experiments import open_study\n{visible(call)}", is_code=True),
        Note("plan", f"{json.dumps(study.plan.to_dict())}, seed {study.seed}"),
        *hashes[:MOST_HASHES],
        *recipes[:MOST_HASHES],
        versions("numpy", "scipy", "scikit-learn"),
    )
    return [Heading("Reproduce"), Notes(items)]
