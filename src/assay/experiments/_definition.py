"""What a store says a study is: its plan, data sets and learners, questioned before anything is made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import InputError, OptionError
from assay.experiments._recipes import refuse_foreign
from assay.experiments.datasets import Dataset, dataset_of, with_one_positive
from assay.experiments.learners import Learner, try_to_make
from assay.experiments.plans import Plan, plan_of, study_seed
from assay.experiments.store import Store
from assay.request import checked_flag, checked_text

LONGEST = 200  # characters of a study's name


@dataclass(frozen=True, eq=False)
class Definition:
    """A study as it was written down: `datasets` and `learners` are records with a name and how to make it again."""

    plan: Plan
    seed: int
    datasets: tuple[Mapping[str, Any], ...]
    learners: tuple[Mapping[str, Any], ...]
    keep_models: bool = False
    positive: str | None = None

    def names(self, kind: str) -> tuple[str, ...]:
        """What the data sets or the learners are called."""
        return tuple(each["name"] for each in getattr(self, kind))

    def read_again(self) -> tuple[Dataset, ...]:
        """The data sets, from where they came."""
        lost = next((each["name"] for each in self.datasets if each["origin"] is None), None)
        if lost is not None:
            found = f"data set {lost!r} was given as arrays or a frame"
            raise InputError(found, "its program, which has it: call experiment() again")
        read = [replace(dataset_of(each["origin"]), name=each["name"]) for each in self.datasets]
        return with_one_positive(read, self.positive)

    def made_again(self, allow: tuple[str, ...]) -> tuple[Learner, ...]:
        """The learners, of packages that may be imported."""
        learners = tuple(Learner(each["name"], each["recipe"], is_preset=each["preset"]) for each in self.learners)
        for one in learners:
            if "object" in one.recipe:
                needed = "its program, which makes it: call experiment() again"
                raise InputError(f"learner {one.name!r} was given as an object", needed)
            refuse_foreign(one.recipe, allow)
            try_to_make(one)
        return learners


def definition_of(store: Store, study: str) -> Definition:
    """The definition a study was last given, or that it is damaged."""
    text = store.definition(study)
    try:
        said = json.loads(text)
        data, learners = tuple(map(_dataset, said["datasets"])), tuple(map(_learner, said["learners"]))
        if not data or not learners:
            raise OptionError("a study without data sets or learners")
        keep_models = checked_flag(said.get("keep_models", False), "keep_models")
        positive = None if said.get("positive") is None else checked_text(said["positive"], "positive")
        return Definition(plan_of(said["plan"]), study_seed(said["seed"]), data, learners, keep_models, positive)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        found = f"the definition of study {study!r} in the store is damaged"
        raise InputError(found, "the study run again from its file or program, which keeps the cells") from None


def checked_study(name: Any) -> str:
    """The name of a study, as every database can hold it."""
    if len(checked_text(name, "name")) > LONGEST:
        raise OptionError(f"name has {len(name)} characters", f"at most {LONGEST}", about="name")
    return str(name)


def _dataset(record: Any) -> Mapping[str, Any]:
    facts = record.get("facts", {})
    kinds = {"repeated": (float | int, float | int), "id_like": (str, int), "rarest": (str, int)}
    known = {name: facts[name] for name, two in kinds.items() if _is_pair(facts.get(name), two)}
    known["timed"] = facts.get("timed") is True
    known["prepared"] = facts.get("prepared") if isinstance(facts.get("prepared"), str) else None
    origin = record["origin"]
    if not isinstance(origin, Mapping | None):
        raise OptionError("no origin")
    return {"name": checked_text(record["name"], "name"), "origin": origin, "facts": known}


def _is_pair(found: Any, kinds: tuple[Any, Any]) -> bool:
    return isinstance(found, list) and len(found) == 2 and all(map(isinstance, found, kinds))


def _learner(record: Any) -> Mapping[str, Any]:
    if not isinstance(record["recipe"], Mapping):
        raise OptionError("no recipe")
    # In the store of an earlier release every learner got codes and numbers, as presets do.
    is_preset = checked_flag(record.get("preset", True), "preset")
    return {"name": checked_text(record["name"], "name"), "recipe": record["recipe"], "preset": is_preset}
