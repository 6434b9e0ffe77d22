from typing import Any

from numpy.typing import NDArray

def placement_sums(
    negative: NDArray[Any],
    positive: NDArray[Any],
    negative_squares: NDArray[Any],
    positive_squares: NDArray[Any],
    negatives: float,
    positives: float,
) -> tuple[float, float, float]: ...
def placed_in_order(
    order: NDArray[Any],
    ordered: NDArray[Any],
    is_positive: NDArray[Any],
    distinct: NDArray[Any],
    negative: NDArray[Any],
    positive: NDArray[Any],
    negatives: float,
    positives: float,
    values: NDArray[Any],
) -> None: ...
def pairs_in_order(negative: NDArray[Any], positive: NDArray[Any], wins: NDArray[Any]) -> None: ...
def precision_sums(
    negative: NDArray[Any], positive: NDArray[Any], right: NDArray[Any], wrong: NDArray[Any]
) -> None: ...
def upper_hull(x: NDArray[Any], y: NDArray[Any], slack: float, corners: NDArray[Any]) -> int: ...
