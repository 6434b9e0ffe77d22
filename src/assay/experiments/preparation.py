"""How cases reach a learner: as they were given, or encoded as numbers by a step that is fitted inside each fold."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.experiments.containers import ColumnTable, described_container, fingerprint, is_sparse
from assay.experiments.learners import requests_metadata
from assay.experiments.splitting import sklearn_part

if TYPE_CHECKING:
    from assay.experiments.datasets import Dataset
    from assay.experiments.learners import Learner
    from assay.experiments.table_encoder import TableEncoder

FEATURES, TABLE, GIVEN = "features", "table", "given"
ENCODE = "encode"


@dataclass(frozen=True, eq=False)
class LearnerInput:
    """What one learner is given of a data set: `form` names the container, `y` are codes or labels as given.

    `spelling` are the labels behind the codes where the learner gets labels, None where it gets codes.
    """

    form: str
    X: Any
    y: Any
    spelling: tuple[Any, ...] | None = None

    def fields(self) -> dict[str, Any]:
        """What a worker must know of it, who reads the data by themselves."""
        return {"form": self.form, "spelled": self.spelling is not None}

    def labels(self, codes: NDArray[np.integer]) -> NDArray[Any]:
        """Codes as the learner is given them, as an array."""
        return codes if self.spelling is None else np.asarray(self.spelling)[codes]


def learner_input(data: Dataset, learner: Learner) -> LearnerInput:
    """What a learner is given of a data set.

    A baseline and a preset get codes of classes and numbers, a preset through an encoder where columns hold text.
    Whatever a user made gets the labels and the container that were given.
    """
    if learner.is_baseline:
        nothing = np.zeros((len(data), 1)) if data.features is None else data.features
        return LearnerInput(FEATURES, nothing, data.target)
    if learner.is_preset:
        if data.table is not None:
            return LearnerInput(TABLE, data.table, data.target)
        if data.features is not None:
            return LearnerInput(FEATURES, data.features, data.target)
        return LearnerInput(GIVEN, data.given, data.target)
    is_as_given = data.given is not None and data.given is not data.features
    X, form = (data.given, GIVEN) if is_as_given else (data.features, FEATURES)  # noqa: N806 -- scikit-learn's name
    if data.labels is None:
        return LearnerInput(form, X, data.target)
    return LearnerInput(form, X, data.labels, data.spelling)


def input_digest(data: Dataset, how: LearnerInput) -> str | None:
    """What a cell depends on beside the numbers of a data set; None where the learner gets those, as it always did."""
    if how.form == TABLE:
        return "encoded inside the fold"
    known: list[str] = []
    if how.form == GIVEN and data.features is not None and not _is_feature_matrix(how.X, data.features):
        known.append(fingerprint(how.X))
    if how.spelling is not None and not _is_sorted(how.spelling):
        known.append(f"{[type(label).__name__ for label in how.spelling]}")
    return hashlib.sha256("|".join(known).encode()).hexdigest() if known else None


def _is_feature_matrix(given: Any, features: NDArray[np.float64]) -> bool:
    return isinstance(given, np.ndarray) and given.dtype == np.float64 and given.shape == features.shape


def _is_sorted(spelling: Sequence[Any]) -> bool:
    """Whether sorted labels are in the order of their codes: then a learner orders its classes as by codes."""
    try:
        return sorted(spelling) == list(spelling)
    except TypeError:
        return False


def input_words(how: LearnerInput, pipeline: Any) -> tuple[str, str]:
    """What a learner is given, and what its pipeline does with it, in a few words each."""
    named = {FEATURES: "a matrix of numbers", TABLE: "columns of numbers and texts"}
    given = named.get(how.form) or f"as given: {described_container(how.X)}"
    given += "" if how.spelling is None else ", labels as given"
    steps = [name_of_step(step) for _, step in getattr(pipeline, "steps", [("", pipeline)])]
    return given, " > ".join(["TableEncoder", *steps] if how.form == TABLE else steps)


def name_of_step(step: Any) -> str:
    """What a step of a pipeline is called."""
    return step if isinstance(step, str) else type(step).__name__


def with_encoder(encoder: TableEncoder, estimator: Any) -> Any:
    """The fitted encoder and the fitted estimator after it, as one pipeline."""
    pipeline: Any = sklearn_part("pipeline", "an experiment").Pipeline
    steps = list(estimator.steps) if isinstance(estimator, pipeline) else [("learn", estimator)]
    return pipeline([(ENCODE, encoder), *steps])


def encoded(X: Any, encoder: TableEncoder | None) -> Any:  # noqa: N803
    """Cases as an estimator after the encoder takes them."""
    return X if encoder is None else encoder.transform(X)


def encoder_for(X: Any) -> TableEncoder | None:  # noqa: N803
    """The encoder that these training cases need, fitted to them; None where they are no table of columns."""
    if not isinstance(X, ColumnTable):
        return None
    from assay.experiments.table_encoder import TableEncoder

    return TableEncoder().fit(X)


def with_coded_weights(estimator: Any, classes: Sequence[str]) -> Any:
    """An estimator whose class weights, given by the names of classes, go by their codes.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> with_coded_weights(DecisionTreeClassifier(class_weight={"spam": 5, "ham": 1}), ("ham", "spam")).class_weight
    {1: 5, 0: 1}
    """
    place = {name: code for code, name in enumerate(classes)}
    changed = {
        name: {place[label]: weight for label, weight in value.items()}
        for name, value in estimator.get_params(deep=True).items()
        if name.rpartition("__")[2] == "class_weight" and isinstance(value, Mapping) and _are_class_names(value, place)
    }
    return estimator.set_params(**changed) if changed else estimator


def _are_class_names(weights: Mapping[Any, Any], place: Mapping[str, int]) -> bool:
    return bool(weights) and all(isinstance(label, str) and label in place for label in weights)


def routes_metadata(learner: Learner) -> bool:
    """Whether scikit-learn routes metadata to a learner; presets request none, and get weights all the same."""
    if learner.is_preset or learner.is_baseline:
        return False
    return requests_metadata(learner.recipe) or bool(
        sklearn_part("", "an experiment").get_config()["enable_metadata_routing"]
    )


def is_array(container: Any) -> bool:
    """Whether a container is a dense array of numbers."""
    return isinstance(container, np.ndarray) and container.dtype.kind in "fiub" and not is_sparse(container)
