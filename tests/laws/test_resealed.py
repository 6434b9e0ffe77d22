"""Evidence with one figure changed and a checksum that fits: refused, or the answers are the same ones."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from tests.laws.fuzzing import TIMES
from tests.laws.resealed import edited, members

import assay
from assay.errors import InputError

WRITTEN = Path(__file__).parents[1] / "evaluation" / "written"
EDITS = 12 * (TIMES or 1)
# What a file holds once only, so that another value makes it the evidence of other cases: where scores lie, names, and
# powers of what the cases of many classes lose.
HELD_ONCE = {
    "score", "gap", "tied_score", "pair_gap", "parts.models.scores.first", "parts.models.scores.grid.kind",
    "parts.models.scores.grid.bits", "parts.models.sums.answers.first", "parts.models.threshold",
    "parts.models.threshold_was_given", "parts.name", "parts.sources", "parts.models.name",
    "parts.models.matrix.decisions", "written_by", "parts.models.sums.losses.squared error",
    "parts.models.sums.losses.steps missed",
}  # fmt: skip
# Of weights also how many cases they are of, and of their squares and of hidden cases what those lose.
OF_SOME = {
    "weights": {"parts.models.cases", "parts.models.sums.losses.surprise"},
    "least": {"parts.models.sums.losses.surprise"},
}


def answers(path: Path) -> list[str]:
    """All that the evidence in a file says of its models, each alone and together."""
    evidence = assay.load(path)
    measures = {
        name: {measure: each.to_dict() for measure, each in ev.measures.items()}
        for name, ev in evidence.evaluations().items()
    }
    return [repr(measures), repr(evidence.joint), repr(evidence.models)]


@pytest.mark.parametrize("path", sorted(WRITTEN.iterdir()), ids=lambda path: path.stem)
def test_a_changed_figure_is_refused_or_changes_nothing(path: Path, tmp_path: Path) -> None:
    header, arrays = members(path.read_bytes())
    known, rng, found, file = answers(path), random.Random(path.stem), Counter[str](), tmp_path / path.name
    held_once = HELD_ONCE.union(*(names for some, names in OF_SOME.items() if some in path.stem))
    for _ in range(EDITS):
        where, data = edited(rng, header, arrays)
        file.write_bytes(data)
        try:
            outcome = "same" if answers(file) == known else "other"
        except InputError as error:
            outcome = "refused" if "\n" not in str(error) else "refused in many lines"
        assert outcome != "other" or where in held_once, where
        found[outcome] += 1
    assert found["refused"] >= EDITS // 3
