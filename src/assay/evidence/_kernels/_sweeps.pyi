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
def pairs_in_order(negative: NDArray[Any], positive: NDArray[Any], wins: NDArray[Any]) -> None: ...
def precision_sums(
    negative: NDArray[Any], positive: NDArray[Any], right: NDArray[Any], wrong: NDArray[Any]
) -> None: ...
def precision_moves(
    negative: NDArray[Any],
    positive: NDArray[Any],
    scale: float,
    mean: float,
    of_negatives: NDArray[Any],
    of_positives: NDArray[Any],
) -> None: ...
def area_moves(
    negative: NDArray[Any],
    positive: NDArray[Any],
    scale: float,
    positives: float,
    of_negatives: NDArray[Any],
    of_positives: NDArray[Any],
) -> float: ...
def precision_of_others(
    negative: NDArray[Any], positive: NDArray[Any], squares: NDArray[Any], least: float
) -> float: ...
def past_band(at: NDArray[Any], low: float, high: float, past: NDArray[Any]) -> None: ...
def height_in_band(
    at: NDArray[Any],
    height: NDArray[Any],
    low: float,
    high: float,
    first: float,
    last: float,
    mean: NDArray[Any],
) -> None: ...
def table_hull(negative: NDArray[Any], positive: NDArray[Any], slack: float, corners: NDArray[Any]) -> int: ...
def upper_hull(x: NDArray[Any], y: NDArray[Any], slack: float, corners: NDArray[Any]) -> int: ...
def class_products(moved: NDArray[Any], is_positive: NDArray[Any], products: NDArray[Any]) -> None: ...
def weighed(
    negative: NDArray[Any],
    of_negatives: NDArray[Any],
    positive: NDArray[Any],
    of_positives: NDArray[Any],
    power: int,
) -> tuple[float, float]: ...
def moved_sums(
    negative: NDArray[Any],
    positive: NDArray[Any],
    negative_squares: NDArray[Any],
    positive_squares: NDArray[Any],
    of_negatives: NDArray[Any],
    of_positives: NDArray[Any],
    scale: float,
    shift0: float,
    shift1: float,
) -> tuple[float, float, float, float]: ...
