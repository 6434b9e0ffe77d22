from typing import Any

from numpy.typing import NDArray

def count_pairs(row: NDArray[Any], column: NDArray[Any], columns: int, counts: NDArray[Any]) -> bool: ...
