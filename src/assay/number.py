"""A record that can be used as the number it holds, as long as nothing else it holds is lost by that."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, SupportsIndex, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from assay.errors import LostInterval

__all__ = ["Number"]

# What it can be reckoned with.
Plain: TypeAlias = "float | Fraction | np.number[Any]"
COMPARING = ("==", "<", "<=", ">", ">=")


class Number:
    """Formats, rounds, compares and reckons with plain numbers as its `value` does, and gives plain floats.

    Two such records refuse: what they would make is a number whose interval is not that of either. A type checker
    refuses them too, because neither is a float.
    """

    __slots__ = ()

    name: str
    value: float

    def __float__(self) -> float:
        return self.value

    def __int__(self) -> int:
        return int(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.value, dtype=dtype)

    def __format__(self, form: str) -> str:
        return format(self.value, form) if form else str(self)

    @overload
    def __round__(self, digits: None = None) -> int: ...
    @overload
    def __round__(self, digits: SupportsIndex) -> float: ...
    def __round__(self, digits: SupportsIndex | None = None) -> float:
        return round(self.value) if digits is None else round(self.value, digits)

    def __neg__(self) -> float:
        return -self.value

    def __pos__(self) -> float:
        return self.value

    def __abs__(self) -> float:
        return abs(self.value)

    def __eq__(self, other: object) -> bool:
        return self.value == _operand_value(self, "==", other)

    def __lt__(self, other: Plain) -> bool:
        return self.value < _operand_value(self, "<", other)

    def __le__(self, other: Plain) -> bool:
        return self.value <= _operand_value(self, "<=", other)

    def __gt__(self, other: Plain) -> bool:
        return self.value > _operand_value(self, ">", other)

    def __ge__(self, other: Plain) -> bool:
        return self.value >= _operand_value(self, ">=", other)

    def __add__(self, other: Plain) -> float:
        return self.value + _operand_value(self, "+", other)

    def __radd__(self, other: Plain) -> float:
        return _operand_value(self, "+", other) + self.value

    def __sub__(self, other: Plain) -> float:
        return self.value - _operand_value(self, "-", other)

    def __rsub__(self, other: Plain) -> float:
        return _operand_value(self, "-", other) - self.value

    def __mul__(self, other: Plain) -> float:
        return self.value * _operand_value(self, "*", other)

    def __rmul__(self, other: Plain) -> float:
        return _operand_value(self, "*", other) * self.value

    def __truediv__(self, other: Plain) -> float:
        return self.value / _operand_value(self, "/", other)

    def __rtruediv__(self, other: Plain) -> float:
        return _operand_value(self, "/", other) / self.value

    def __floordiv__(self, other: Plain) -> float:
        return self.value // _operand_value(self, "//", other)

    def __rfloordiv__(self, other: Plain) -> float:
        return _operand_value(self, "//", other) // self.value

    def __mod__(self, other: Plain) -> float:
        return self.value % _operand_value(self, "%", other)

    def __rmod__(self, other: Plain) -> float:
        return _operand_value(self, "%", other) % self.value

    def __pow__(self, other: Plain) -> float:
        power: float = self.value ** _operand_value(self, "**", other)
        return power

    def __rpow__(self, other: Plain) -> float:
        power: float = _operand_value(self, "**", other) ** self.value
        return power


def _operand_value(one: Number, sign: str, other: Any) -> float:
    """What to reckon with beside a number: anything but another such record; a scalar of numpy as Python's own."""
    if not isinstance(other, Number):
        bare: float = other.item() if isinstance(other, np.generic) else other
        return bare
    asked = "verdict" if sign in COMPARING else "difference"
    call = f"assay.compare(y_true, {{'a': a, 'b': b}}).{asked}({one.name!r}, 'a', 'b')"
    raise LostInterval(
        f"{one.name} {sign} {other.name} of two estimates would lose their intervals",
        f"{call}, or their .value where bare numbers will do",
    )
