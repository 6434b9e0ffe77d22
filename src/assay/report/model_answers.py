"""What the commands about models of a study answer: a model shown, new cases scored, a learner held against chance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.report.answers import Answer
from assay.report.blocks import Block, Said, Tabled, Verbatim

if TYPE_CHECKING:
    from assay.experiments.model_description import Importances
    from assay.experiments.model_validation import AgainstChance
    from assay.experiments.models import FittedModel
    from assay.experiments.new_cases import Scored

__all__ = ["chance", "model", "scored"]


def model(found: FittedModel, importances: Importances | None = None) -> Answer:
    """One model: its size, its rules or coefficients, and importances where they were asked for."""

    def record() -> dict[str, Any]:
        said = None if importances is None else {"words": importances.said, "table": importances.table().to_dict()}
        about = {"dataset": found.data.name, "learner": found.learner.name, "cases": found.cases}
        held_out = 0 if found.held_out is None else len(found.held_out)
        told = {
            "held_out": held_out,
            "chosen_on": found.chosen_on,
            "checked": found.checked,
            **found.described.to_dict(),
        }
        return {"schema": "assay.experiment-model/1", **about, **told, "importances": said}

    def blocks(form: str) -> Iterator[Block]:
        if form == "table":
            yield Verbatim(found.words())
        else:
            tables = (found.described.rules, found.described.coefficients)
            yield from (Tabled(table, key={"table": table.title.lower()}) for table in tables if table is not None)
        if importances is not None:
            yield Tabled(importances.table(), importances.table().title, key={"table": "importances"})
            yield Said((importances.said,))

    return Answer(record, blocks)


def scored(found: Scored) -> Answer:
    """New cases with what a model says of them, and how they were decided."""

    def record() -> dict[str, Any]:
        about = {"dataset": found.model.data.name, "learner": found.model.learner.name, "words": list(found.words())}
        how = {"threshold": found.threshold, "choice": None if found.choice is None else found.choice.to_dict()}
        return {"schema": "assay.experiment-score/1", **about, **how, "cases": found.table().to_dict()}

    def blocks(form: str) -> Iterator[Block]:
        yield Tabled(found.written() if form == "csv" else found.table())

    return Answer(record, blocks)


def chance(found: AgainstChance) -> Answer:
    """A learner beside what permuted labels give."""

    def record() -> dict[str, Any]:
        about = {"dataset": found.dataset, "learner": found.learner, "measure": found.measure, "value": found.value}
        told = {"test": found.test.to_dict(), "permuted": found.values.tolist(), "words": found.words()}
        return {"schema": "assay.experiment-chance/1", **about, **told}

    return Answer(record, lambda form: [Said((found.words(),)) if form == "table" else Tabled(found.table())])
