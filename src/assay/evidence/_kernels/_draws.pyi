from typing import Any

from numpy.typing import NDArray

def multiplicities(key: int, first: int, times: NDArray[Any]) -> None: ...
def counted(cell: NDArray[Any], times: NDArray[Any], counts: NDArray[Any]) -> None: ...
def binomials(cases: NDArray[Any], rate: NDArray[Any], key: int, drawn: NDArray[Any]) -> None: ...
def redrawn_sums(
    cases: NDArray[Any],
    rate: NDArray[Any],
    value: NDArray[Any],
    key: int,
    times: int,
    first: int,
    products: NDArray[Any],
    squares: NDArray[Any],
) -> None: ...
def isotonic_rows(values: NDArray[Any], weight: NDArray[Any], fitted: NDArray[Any]) -> None: ...
