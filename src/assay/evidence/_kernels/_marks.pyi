from typing import Any

from numpy.typing import NDArray

def pairs_along(
    order: NDArray[Any], ordered: NDArray[Any], is_positive: NDArray[Any], width: int, pairs: NDArray[Any]
) -> None: ...
