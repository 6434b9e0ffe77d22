from typing import Any

from numpy.typing import NDArray

def pack(score: NDArray[Any], is_positive: NDArray[Any], pivot: float, cases: NDArray[Any]) -> int: ...
def order(cases: NDArray[Any], other: NDArray[Any], below_zero: bool, elsewhere: bool) -> None: ...
def count(
    cases: NDArray[Any],
    below_zero: bool,
    made: int,
    distinct: NDArray[Any],
    negative: NDArray[Any],
    positive: NDArray[Any],
) -> int: ...
def tabulate(
    score: NDArray[Any],
    is_positive: NDArray[Any],
    distinct: NDArray[Any],
    negative: NDArray[Any],
    positive: NDArray[Any],
) -> int: ...
def placed(
    score: NDArray[Any],
    is_positive: NDArray[Any],
    distinct: NDArray[Any],
    negative: NDArray[Any],
    positive: NDArray[Any],
    negatives: float,
    positives: float,
    about: float,
    of_negative: float,
    of_positive: float,
    values: NDArray[Any],
) -> bool: ...
