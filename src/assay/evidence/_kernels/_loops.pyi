from typing import Any

from numpy.typing import NDArray

def arrange(values: NDArray[Any], order: NDArray[Any], ordered: NDArray[Any]) -> bool: ...
def positions_among(scores: NDArray[Any], distinct: NDArray[Any], places: NDArray[Any]) -> bool: ...
def picked(
    scores: NDArray[Any],
    is_positive: NDArray[Any],
    distinct: NDArray[Any],
    of_negatives: NDArray[Any],
    of_positives: NDArray[Any],
    values: NDArray[Any],
) -> bool: ...
def placed(
    scores: NDArray[Any],
    is_positive: NDArray[Any],
    distinct: NDArray[Any],
    negative: NDArray[Any],
    positive: NDArray[Any],
    negatives: float,
    positives: float,
    values: NDArray[Any],
) -> bool: ...
def encode(rows: NDArray[Any], codes: NDArray[Any], firsts: NDArray[Any]) -> int: ...
def ranked(values: NDArray[Any], ranks: NDArray[Any], spare: NDArray[Any], found: NDArray[Any]) -> bool: ...
def zero_one(values: NDArray[Any], codes: NDArray[Any]) -> bool: ...
def span(values: NDArray[Any]) -> tuple[float, float]: ...
