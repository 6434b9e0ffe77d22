from typing import Any

from numpy.typing import NDArray

def line_moments(
    x: NDArray[Any], negative: NDArray[Any], positive: NDArray[Any], shift: float, slope: float
) -> tuple[float, float, float, float, float]: ...
def line_pulls(
    x: NDArray[Any], negative: NDArray[Any], positive: NDArray[Any], shift: float, slope: float
) -> tuple[float, float, float, float, float, float, float]: ...
