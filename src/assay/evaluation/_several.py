"""Several classifiers' evaluations, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import UnknownName
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._kinds import AnyEvaluation, of_any_kind
from assay.evidence import ModelSums
from assay.renderers import in_notebook, render

__all__ = ["Evaluations"]

SCHEMA_OF_SEVERAL = "assay.evaluations/1"


class Evaluations(Mapping[str, AnyEvaluation]):
    """Several models' evaluations by name, in the order they came.

    `together` is what they made of the same cases, where evidence knows that in place of rows. `places` says which of
    all cases each one's rows are, where some lack some.
    """

    def __init__(
        self,
        models: Mapping[str, Evaluation],
        together: ModelSums | None = None,
        places: Mapping[str, NDArray[np.intp]] | None = None,
    ) -> None:
        self._models = {name: of_any_kind(ev) for name, ev in models.items()}
        self.together = together
        self.places = places

    def __getitem__(self, name: str) -> AnyEvaluation:
        if not isinstance(name, str) or name not in self._models:
            raise UnknownName(f"there is no model {name!r}", f"one of {', '.join(map(repr, self._models))}")
        return self._models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    def __repr__(self) -> str:
        return str(render("text", self))

    _repr_html_ = in_notebook

    def report(self, path: str | PathLike[str], *, embed_rows: bool = False) -> None:
        """Write one offline HTML page about all of them, compared where they are of the same cases.

        With `embed_rows` it holds the rows behind each cell.
        """
        render("page", self, path, embed_rows=embed_rows)

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints."""
        return {"schema": SCHEMA_OF_SEVERAL, "models": {name: ev.to_dict() for name, ev in self.items()}}
