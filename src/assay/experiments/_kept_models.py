"""Models that a study keeps: not the fitted thing, but what it was made of and what it said, in the study's store."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from assay.errors import InputError
from assay.experiments._checksums import checksum_of
from assay.experiments._database import as_held, sqlalchemy, tables
from assay.experiments._packed import PredictedRows
from assay.experiments._parting import Indices
from assay.experiments.datasets import Dataset
from assay.experiments.learners import Learner
from assay.experiments.store import Store
from assay.experiments.task import CellOutcome

MODEL = ("dataset", "learner", "made_of", "facts", "predictions")
DAMAGED = "the study run again from its file or program, which keeps the model anew"
FACTS: Mapping[str, Any] = {"cases": int, "fit_seconds": (float, int), "model_bytes": int, "error": str}


@dataclass(frozen=True, eq=False)
class KeptModel:
    """A model of all cases of a data set, as it is kept: a fingerprint of what it was made of, and its answers.

    There is no pickle of it anywhere: to have it again is to fit it again and to find the same answers. `versions` are
    those of the programs that fitted it, `error` says why there is none.
    """

    dataset: str
    learner: str
    made_of: str
    predictions: PredictedRows | None
    cases: int | None = None
    fit_seconds: float | None = None
    model_bytes: int | None = None
    error: str | None = None
    versions: Mapping[str, str] | None = None


def made_of(
    data: Dataset,
    learner: Learner,
    seed: int,
    inner: Mapping[str, Any] | None,
    aside: Indices | None = None,
    given: str | None = None,
) -> str:
    """A fingerprint of everything a model of all cases depends on, but for versions of programs."""
    known = [
        data.hash,
        learner.hash,
        seed,
        inner,
        *([] if aside is None else [aside.tolist()]),
        *([] if given is None else [given]),
    ]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


def versions() -> dict[str, str]:
    """The versions on which the numbers of a fitted model may depend."""
    found = {"python": platform.python_version()}
    for package in ("scikit-learn", "numpy", "scipy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def keep_model(store: Store, study: str, data: Dataset, learner: Learner, fingerprint: str, how: CellOutcome) -> None:
    """Write down how the fit of a model of all cases went, in the place of an older one."""
    sa, held = sqlalchemy(), tables()["models"]
    cases = len(data) if how.train_cases is None else how.train_cases
    facts = {"cases": cases, "fit_seconds": how.fit_seconds, "model_bytes": how.model_bytes, "error": how.error}
    row = {
        "dataset": data.name,
        "learner": learner.name,
        "made_of": fingerprint,
        "facts": json.dumps({**facts, "versions": versions()}),
        "predictions": how.predictions,
    }
    its = (held.c.study == study, held.c.dataset == data.name, held.c.learner == learner.name)
    with store.changing() as connection:
        connection.execute(sa.delete(held).where(*its))
        connection.execute(sa.insert(held).values(study=study, **row, checksum=checksum_of(row)))


def kept_models(store: Store, study: str) -> dict[tuple[str, str], KeptModel]:
    """Every model that a study keeps, by data set and learner; a store of an older release has none."""
    sa, held = sqlalchemy(), tables()["models"]
    columns = [as_held(held.c[name]) for name in (*MODEL, "checksum")]
    with store.reading() as connection:
        if not sa.inspect(connection).has_table(held.name):
            return {}
        rows = connection.execute(sa.select(*columns).where(held.c.study == study)).mappings().all()
    found = [_read(row) for row in rows]
    return {(one.dataset, one.learner): one for one in found}


def _read(row: Mapping[str, Any]) -> KeptModel:
    if row["checksum"] != checksum_of({name: row[name] for name in MODEL}):
        name = str(row["dataset"])[:80].encode("utf-8", "backslashreplace").decode()
        raise InputError(f"a model of data set {name!r} that the store keeps is damaged", DAMAGED)
    facts = json.loads(row["facts"])
    said = {name: facts[name] for name, kind in FACTS.items() if isinstance(facts.get(name), kind)}
    known = {str(name): str(value) for name, value in facts.get("versions", {}).items()}
    answers = None if row["predictions"] is None else PredictedRows.unpacked(row["predictions"])
    return KeptModel(row["dataset"], row["learner"], row["made_of"], answers, **said, versions=known)
