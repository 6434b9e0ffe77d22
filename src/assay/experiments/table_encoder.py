"""A transformer that makes numbers of columns of numbers and texts, fitted inside each fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, MissingExtra
from assay.experiments.containers import ColumnTable
from assay.experiments.datasets import MOST_VALUES, FeatureColumn

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError as error:
    raise MissingExtra("scikit-learn", extra="learn", purpose="encoding columns of text") from error


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns as numbers: a text becomes one 0/1 column for each value of the training part, numbers stay.

    Missing texts, and values that the training part did not have, are 0 in all of them; missing numbers stay nan.

    >>> train = ColumnTable({"wind": np.array(["S", "N", "S"], dtype=object), "rain": np.array([0.0, 1.5, 2.0])})
    >>> encoder = TableEncoder().fit(train)
    >>> encoder.transform(ColumnTable({"wind": np.array(["W"], dtype=object), "rain": np.array([3.0])}))
    array([[0., 0., 3.]])
    >>> encoder.get_feature_names_out().tolist()
    ['wind=N', 'wind=S', 'rain']
    """

    def fit(self, X: ColumnTable, y: Any = None) -> TableEncoder:  # noqa: N803 -- scikit-learn's names
        """Learn which values the columns of text have."""
        self.columns_ = tuple(FeatureColumn.of(name, values) for name, values in X.columns.items())
        for column in self.columns_:
            if column.values is not None and len(column.values) > MOST_VALUES:
                found = f"column {column.name!r} has {len(column.values):,} different texts"
                needed = f"at most {MOST_VALUES} for a preset; leave out what is an id, or pass a pipeline of your own"
                raise InputError(found, needed, {"ignore": column.name})
        return self

    def transform(self, X: ColumnTable) -> NDArray[np.float64]:  # noqa: N803
        """The columns as a matrix of numbers."""
        each = [column.encoded(column.like(X.columns[column.name], "missing")) for column in self.columns_]
        return np.ascontiguousarray(np.column_stack(each))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """What its numbers are called."""
        return np.array([name for column in self.columns_ for name in column.names], dtype=object)
