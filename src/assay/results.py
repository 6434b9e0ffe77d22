"""Result records: immutable numbers with their intervals, methods and sample sizes."""

from __future__ import annotations

import csv
import io
import itertools
import math
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, fields
from os import PathLike
from typing import Any

from assay.errors import MissingExtra, OptionError, UnknownName
from assay.method_names import method_identifier
from assay.number import Number
from assay.output_files import checked_target, write_all
from assay.renderers import in_notebook, latex_text
from assay.text import (
    ROUNDING,
    TIE,
    bounds_words,
    bracketed,
    decimals,
    exponent,
    number,
    p_words,
    rounded,
    value_words,
    visible,
)

__all__ = ["Estimate", "Interval", "NullDistribution", "PairRow", "PairTable", "Table", "TestResult"]

NAN = float("nan")
# Columns that hold them.
P_VALUES = ("p", "p_value", "adjusted", "p if calibrated")
# Whether text that is made now goes to whatever standard output is.
IS_ON_SCREEN = ContextVar("IS_ON_SCREEN", default=True)
FEWEST_CHARACTERS = 40  # of a terminal that tables are fitted to
LONGEST_CELL = 28  # characters of a text column beside which numbers still have room
# A spreadsheet would run a cell that starts so.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval at `level`, by `method`.

    `undefined` says why there is no range (then both limits are nan), and `otherwise` makes the limits that the method
    has all the same, for whoever asks for it by its name. `se` is the standard error, where the method has one.

    >>> Interval(0.888, 0.922, "DeLong, logit")
    Interval(low=0.888, high=0.922, method='DeLong, logit', undefined=None)
    """

    low: float
    high: float
    method: str
    undefined: str | None = None
    se: float | None = field(default=None, repr=False)
    otherwise: Callable[[], Interval] | None = field(default=None, repr=False, compare=False)

    _repr_html_ = in_notebook

    @classmethod
    def missing(cls, method: str, reason: str, otherwise: Callable[[], Interval] | None = None) -> Interval:
        """No interval, and why; `otherwise` makes the one that is given to whoever asks for the method by its name.

        >>> refused = Interval.missing("Wald", "too few cases", lambda: Interval(0.1, 0.3, "Wald"))
        >>> refused
        Interval(low=nan, high=nan, method='Wald', undefined='too few cases')
        """
        return cls(NAN, NAN, method, reason, otherwise=otherwise)


@dataclass(frozen=True, slots=True, eq=False)
class Estimate(Number):
    """The estimate of a measure with its interval, method and sample size.

    `n` is the number of cases in its denominator, `target` what it is an estimate of (this classifier, or the
    algorithm that made it), `undefined` why the value or its limits are nan. `se` is the standard error, where the
    method has one; `caution` what is to be doubted about a method that was asked for by its name. Where the scores are
    put together in cells, `bounds` hold whatever any scores inside the cells would give: not chance, but certain. It
    acts as its number wherever plain numbers are about; two are compared by `assay.compare`, or else their intervals
    would be lost.

    >>> Estimate("roc_auc", 0.906, 0.888, 0.922, 0.95, "DeLong, logit", 2500)
    0.906 [0.888, 0.922]
    >>> auc = Estimate("roc_auc", 0.906, 0.888, 0.922, 0.95, "DeLong, logit", 2500)
    >>> f"{auc:.2f}", round(auc, 1), auc > 0.9, 1 - auc == 1 - 0.906
    ('0.91', 0.9, True, True)
    >>> Estimate("precision", float("nan"), float("nan"), float("nan"), 0.95, "Wilson", 0,
    ...          undefined="nothing was predicted positive")
    undefined: nothing was predicted positive
    """

    name: str
    value: float
    low: float
    high: float
    level: float
    method: str
    n: float
    target: str = "this classifier"
    undefined: str | None = None
    se: float | None = None
    caution: str | None = None
    bounds: tuple[float, float] | None = None

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        if math.isnan(self.value):
            return f"undefined: {self.undefined}"
        open_ = f" (binned: {words})" if (words := bounds_words(self)) else ""
        if math.isnan(self.low):
            return f"{number(self.value)} [no interval: {self.undefined}]{open_}"
        return f"{value_words(self)} {bracketed(self)}{open_}"

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it: nan as None, the reason in `undefined`; infinities by their name.

        `se`, `caution` and `bounds` stand in it where there are any.
        """
        # One by one: a page or a record holds hundreds, and copying in general takes ten times as long.
        whole = int(self.n)
        record: dict[str, Any] = {
            "value": _json_number(self.value),
            "low": _json_number(self.low),
            "high": _json_number(self.high),
            "level": self.level,
            "method": self.method,
            "method_id": method_identifier(self.method),
            "n": whole if self.n == whole else self.n,
            "target": self.target,
            "undefined": self.undefined,
        }
        if self.se is not None:
            record["se"] = self.se
        if self.caution is not None:
            record["caution"] = self.caution
        if self.bounds is not None:
            record["bounds"] = [_json_number(bound) for bound in self.bounds]
        return record


def open_in_cells(found: Any) -> tuple[float, float]:
    """By how much an estimate, and so its limits, could lie lower and higher: nothing where no scores are in cells.

    >>> auc = Estimate("roc_auc", 0.75, 0.6, 0.9, 0.95, "DeLong, logit", 74, bounds=(0.5, 0.875))
    >>> open_in_cells(auc)
    (0.25, 0.125)
    """
    bounds = getattr(found, "bounds", None)
    return (0.0, 0.0) if bounds is None else (found.value - bounds[0], bounds[1] - found.value)


def side_of(found: Any, ideal: float) -> int:
    """Whether all of an interval lies above a number (1) or below it (-1), wherever scores lie in their cells; else 0.

    >>> side_of(Estimate("slope", 0.75, 0.6, 0.9, 0.95, "sandwich", 74), 1)
    -1
    >>> side_of(Estimate("slope", 0.75, 0.6, 0.9, 0.95, "sandwich", 74, bounds=(0.6, 0.875)), 1)
    0
    """
    down, up = open_in_cells(found)
    return int(found.low - down > ideal) - int(found.high + up < ideal)


@dataclass(frozen=True, slots=True)
class NullDistribution:
    """What a statistic is distributed like where the null hypothesis holds: "t", "F", "chi-square" or "normal".

    >>> NullDistribution("t", (9,)), NullDistribution("F", (10, 5))
    (t with 9 df, F with 10 and 5 df)
    """

    name: str
    df: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"{self.name} with {' and '.join(f'{df:g}' for df in self.df)} df" if self.df else self.name

    def critical_value(self, level: float = 0.95, alternative: str = "two-sided") -> float:
        """Return the value beyond which a statistic is significant at 1 - level.

        >>> round(NullDistribution("t", (9,)).critical_value(0.99), 2)
        3.25
        >>> round(NullDistribution("F", (10, 5)).critical_value(), 3)
        4.735
        """
        from scipy import special

        share = (1 + level) / 2 if alternative == "two-sided" else level
        quantiles: dict[str, Callable[[], Any]] = {
            "F": lambda: special.fdtri(self.df[0], self.df[1], level),
            "chi-square": lambda: special.chdtri(self.df[0], 1 - level),
            "t": lambda: special.stdtrit(self.df[0], share),
            "normal": lambda: special.ndtri(share),
        }
        return float(quantiles[self.name]())


@dataclass(frozen=True, slots=True)
class TestResult:
    """The result of one hypothesis test; `caution` states doubts about a test requested by name.

    Of scores in cells `bounds` hold the p-value that any scores inside the cells would give, where that is known.

    >>> TestResult("Mann-Whitney U", "both classes score alike", statistic=19.0, p_value=0.222, method="exact")
    Mann-Whitney U (exact): statistic 19, p = 0.222; null: both classes score alike
    """

    __test__ = False  # not a test case, whatever its name says to pytest

    test: str
    null: str
    statistic: float
    p_value: float
    method: str
    undefined: str | None = None
    caution: str | None = None
    bounds: tuple[float, float] | None = None
    null_distribution: NullDistribution | None = field(default=None, repr=False, compare=False)
    alternative: str = field(default="two-sided", repr=False, compare=False)

    _repr_html_ = in_notebook

    def __setstate__(self, state: Sequence[Any]) -> None:
        # A result that an earlier release pickled lacks the fields that were added since.
        added = {"null_distribution": None, "alternative": "two-sided"}
        held = dict(zip((each.name for each in fields(self)), state, strict=False))
        for name, value in (added | held).items():
            object.__setattr__(self, name, value)

    def critical_value(self, level: float = 0.95) -> float:
        """Return the value beyond which the statistic is significant at 1 - level; nan where no table would have one.

        Where a test is exact or simulated, or its statistic is on no known scale, there is the p-value alone.

        >>> null = NullDistribution("t", (9,))
        >>> t = TestResult("paired t", "no difference", 2.34, 0.044, str(null), null_distribution=null)
        >>> round(t.critical_value(0.99), 2), abs(t.statistic) > t.critical_value(0.99)
        (3.25, False)
        """
        return (
            math.nan
            if self.null_distribution is None
            else self.null_distribution.critical_value(level, self.alternative)
        )

    def __repr__(self) -> str:
        if math.isnan(self.p_value):
            return f"{self.test}: undefined: {self.undefined}"
        return f"{self.test} ({self.method}): statistic {self.statistic:.6g}, p = {self.p_value:.3g}; null: {self.null}"

    def to_dict(self) -> dict[str, Any]:
        """The record with nan as None; a caution and bounds stand in it where there are any."""
        optional = ("caution", "bounds")
        record = {
            key: _json_value(value) for key, value in asdict(self).items() if key not in optional or value is not None
        }
        del record["null_distribution"], record["alternative"]
        return record

    def rejects(self, level: float) -> bool:
        """Whether the p-value is below 1 - level, wherever scores lie in their cells.

        >>> TestResult("t", "none", 2.1, 0.04, "normal", bounds=(0.03, 0.06)).rejects(0.95)
        False
        """
        return (self.p_value if self.bounds is None else self.bounds[1]) < 1 - level


@dataclass(frozen=True)
class Table:
    """A table of named columns of equal length, which prints, converts to a DataFrame and serialises.

    >>> table = Table({"measure": ["recall", "precision"], "estimate": [0.52, float("nan")]})
    >>> print(table)
    measure    estimate
    recall        0.520
    precision         -
    >>> table.to_dict()
    {'measure': ['recall', 'precision'], 'estimate': [0.52, None]}
    """

    columns: Mapping[str, Sequence[Any]]
    title: str = ""
    digits: int = field(default=3, repr=False)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Return the rows as tuples in column order."""
        return zip(*self.columns.values(), strict=True)

    def to(self, library: str) -> Any:
        """This table as a DataFrame of `library`: "pandas", "polars" or "arrow"; or as text: "csv" or "latex"."""
        if library == "csv":
            return csv_text(self.columns, self.rows())
        if library == "latex":
            return latex_text(self)
        data = {name: list(values) for name, values in self.columns.items()}
        try:
            if library == "pandas":
                import pandas

                return pandas.DataFrame(data)
            if library == "polars":
                import polars

                return polars.DataFrame(data, strict=False)
            if library == "arrow":
                import pyarrow

                return pyarrow.table(data)
        except ImportError:
            name = "pyarrow" if library == "arrow" else library
            raise MissingExtra(name, extra=library, purpose=f"a table of {name}") from None
        raise UnknownName(f"library is {library!r}", "'pandas', 'polars', 'arrow', 'csv' or 'latex'")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table to a file; its suffix (.csv, .tex or .parquet) sets the format."""
        file = checked_target(path)
        write_all({file: self.contents(file.suffix)})

    def contents(self, suffix: str) -> bytes:
        """Return the table as the bytes of a file whose name ends so: .csv, .tex or .parquet.

        >>> Table({"learner": ["tree"], "f1": [0.5]}).contents(".csv")
        b'learner,f1\\ntree,0.5\\n'
        """
        kind = suffix.lower() if isinstance(suffix, str) else suffix
        if kind not in FILE_KINDS:
            raise UnknownName(f"the file name ends in {suffix!r}"[:80], "'.csv', '.tex' or '.parquet'")
        if kind != ".parquet":
            return str(self.to("csv" if kind == ".csv" else "latex")).encode()
        frame, buffer = self.to("arrow"), io.BytesIO()
        import pyarrow.parquet

        pyarrow.parquet.write_table(frame, buffer)
        return buffer.getvalue()

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as lists, nan as None, infinities by their name."""
        return {name: [_json_number(value) for value in values] for name, values in self.columns.items()}

    def cells(self) -> list[list[str]]:
        """Every cell as text, header first; nan as a dash, what cannot be seen escaped.

        Numbers have `digits` decimals, or as many digits; a value beside its limits has those its interval supports.
        """
        text = {
            name: [_cell_text(name, value, self.digits) for value in values] for name, values in self.columns.items()
        }
        for names in _interval_columns(list(self.columns)):
            for place, row in enumerate(zip(*(self.columns[name] for name in names), strict=True)):
                for name, words in zip(names, _value_and_limits_text(row, self.digits), strict=True):
                    text[name][place] = words
        return [[visible(name) for name in self.columns], *map(list, zip(*text.values(), strict=True))]

    def is_numeric(self) -> list[bool]:
        """For each column, whether it holds numbers (and is set right-aligned)."""
        return [all(isinstance(v, int | float) for v in values) for values in self.columns.values()]

    def text(self, width: int | None = None) -> str:
        """Return the table as aligned text; where it is wider than `width`, rearranged so that every line fits.

        Then a value and its limits share a column, a column that says the same in every row stands once below, long
        texts become numbered notes, and what is still too wide continues in a further block of columns.

        >>> table = Table({"learner": ["tree", "nb"], "f1": [0.5, 0.75], "low": [0.4, 0.7], "high": [0.6, 0.8],
        ...                "method": ["Wilson", "Wilson"], "note": ["", "this learner failed on three of ten splits"]})
        >>> print(table.text(40))
        learner                    f1  note
        tree     0.500 [0.400, 0.600]
        nb       0.750 [0.700, 0.800]  [1]
        <BLANKLINE>
        method: Wilson
        [1] this learner failed on three of ten
            splits
        """
        if width is not None and (isinstance(width, bool) or not isinstance(width, int) or width < 1):
            raise OptionError(f"width is {type(width).__name__} {width!r:.40}", "a whole number of characters")
        plain = _aligned_lines(self.cells(), self.is_numeric())
        if width is None or all(len(line) <= width for line in plain):
            return "\n".join(plain)
        return "\n".join(_fitted_lines(self, width))

    def __str__(self) -> str:
        return self.text(screen_width())

    def __repr__(self) -> str:
        return str(self)

    _repr_html_ = in_notebook


@dataclass(frozen=True, slots=True)
class PairRow:
    """The difference of two models with its interval and its test, one row of a table of pairs.

    None stands for what a test does not have. `adjusted` is the p-value adjusted for all pairs of the table where
    `p_value` is that of the pair alone; `undefined` is why there is no interval or no test, `note` what to doubt.
    The fields are the columns, in their order: one more here is one more in every table of pairs.
    """

    difference: float | None = None
    low: float | None = None
    high: float | None = None
    se: float | None = None
    statistic: float | None = None
    df: float | None = None
    p_value: float | None = None
    adjusted: float | None = None
    method: str | None = None
    undefined: str | None = None
    note: str | None = None


# The columns that end a table of pairs; between these and the numbers stands what one kind of comparison adds.
FILE_KINDS = [".csv", ".tex", ".parquet"]
LAST_OF_PAIRS = ("method", "undefined", "note")


class PairTable(Table):
    """Pairwise differences with their tests, for the terminal, pages, JSON and studies."""

    @classmethod
    def of(
        cls,
        keys: Mapping[str, Sequence[Any]],
        rows: Sequence[PairRow],
        title: str = "",
        *,
        beside: Mapping[str, Sequence[Any]] | None = None,
    ) -> PairTable:
        """Return the table of some pairs: `keys` name them, `beside` is what only this kind of comparison has.

        A column that no row has a value for is left out.

        >>> rows = [PairRow(0.1, 0.02, 0.18, p_value=0.014, adjusted=0.028), PairRow(0.05, -0.03, 0.13, p_value=0.2)]
        >>> print(PairTable.of({"first": ["a", "a"], "second": ["b", "c"]}, rows, beside={"wins": [6, 4]}))
        first  second  difference     low   high  p_value  adjusted  wins
        a      b            0.100   0.020  0.180    0.014     0.028     6
        a      c            0.050  -0.030  0.130    0.200         -     4
        """
        columns = {one.name: [getattr(row, one.name) for row in rows] for one in fields(PairRow)}
        filled = {name: of for name, of in columns.items() if not rows or any(value is not None for value in of)}
        words = {name: ["" if text is None else text for text in filled.pop(name, ())] for name in LAST_OF_PAIRS}
        words = {name: texts for name, texts in words.items() if texts}
        return cls({**keys, **filled, **(beside or {}), **words}, title)

    def numbers(self) -> list[str]:
        """Return the columns of numbers that tables of pairs share, as far as this one has them.

        >>> PairTable.of({"first": ["a"], "second": ["b"]}, [PairRow(0.1, p_value=0.014)]).numbers()
        ['difference', 'p_value']
        """
        names = (one.name for one in fields(PairRow))
        return [name for name in names if name in self.columns and name not in LAST_OF_PAIRS]


def screen_width() -> int | None:
    """Return how many characters fit on a line of the terminal that is printed to; None where it is none.

    >>> with without_screen():
    ...     screen_width()
    """
    if not IS_ON_SCREEN.get() or sys.stdout is None or not sys.stdout.isatty():
        return None
    return max(FEWEST_CHARACTERS, shutil.get_terminal_size().columns)


@contextmanager
def without_screen() -> Iterator[None]:
    """Make text for a file in the block: as wide as it is, whatever terminal there is."""
    token = IS_ON_SCREEN.set(False)
    try:
        yield
    finally:
        IS_ON_SCREEN.reset(token)


def _aligned_lines(lines: list[list[str]], right: Sequence[bool]) -> list[str]:
    """Cells as lines of text, their columns below one another."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True)).rstrip()
        for line in lines
    ]


@dataclass(frozen=True)
class Arranged:
    """A table's cells as text, set out to be narrow: `columns` with their heads, `keys` those that name the rows.

    A value and its limits share a column; what every row has alike and numbered `remarks` stand below.
    """

    columns: Mapping[str, list[str]]
    right: Mapping[str, bool]
    keys: Sequence[str]
    alike: str
    remarks: Sequence[str]


def arranged(table: Table) -> Arranged:
    """Return a table's cells set out to be narrow.

    >>> recall = {"recall": [0.5, 0.25], "low": [0.4, 0.2], "high": [0.6, 0.3], "method": ["Wilson", "Wilson"]}
    >>> found = arranged(Table({"model": ["tree", "nb"], **recall}))
    >>> found.columns, found.alike
    ({'model': ['tree', 'nb'], 'recall': ['0.500 [0.400, 0.600]', '0.250 [0.200, 0.300]']}, 'method: Wilson')
    """
    head, *rows = table.cells()
    text = {name: [row[place] for row in rows] for place, name in enumerate(head)}
    right = dict(zip(head, table.is_numeric(), strict=True))
    for value, low, high in (names for names in _interval_columns(list(text)) if len(names) == 3):
        limits = zip(text[value], text.pop(low), text.pop(high), strict=True)
        text[value] = [v if a == b == "-" or "" in (a, b) else f"{v} [{a}, {b}]" for v, a, b in limits]
    keys, is_long = _key_columns(text, right), len(rows) > 1
    same = {
        name: cells[0]
        for name, cells in text.items()
        if is_long and name not in keys and cells.count(cells[0]) == len(cells)
    }
    notes: dict[str, int] = {}
    for name, cells in text.items():
        if name not in (*keys, *same) and not right[name] and max(map(len, cells), default=0) > LONGEST_CELL:
            text[name] = [f"[{notes.setdefault(cell, len(notes) + 1)}]" if len(cell) > 4 else cell for cell in cells]
    alike = "; ".join(f"{name}: {cell}" for name, cell in same.items() if cell not in ("", "-"))
    columns = {name: cells for name, cells in text.items() if name not in same}
    return Arranged(columns, right, keys, alike, [f"[{place}] {note}" for note, place in notes.items()])


def _fitted_lines(table: Table, width: int) -> Iterator[str]:
    """The lines of a table, none wider than `width` as far as its words allow."""
    found = arranged(table)
    columns = {name: [name, *cells] for name, cells in found.columns.items()}
    sizes = {name: max(map(len, cells)) + 2 for name, cells in columns.items()}
    left, blocks = [name for name in columns if name not in found.keys], list[list[str]]()
    for name in left:
        used = sum(sizes[one] for one in (*found.keys, *(blocks[-1] if blocks else ()), name)) - 2
        if not blocks or used > width:
            blocks.append([])
        blocks[-1].append(name)
    for place, block in enumerate(blocks or [[]]):
        names = [*found.keys, *block]
        lines = list(map(list, zip(*(columns[name] for name in names), strict=True)))
        yield from ("",) if place else ()
        yield from _aligned_lines(lines, [found.right[name] for name in names])
    below = [*([found.alike] if found.alike else []), *found.remarks]
    yield from ("",) if below else ()
    for line in below:
        yield from textwrap.wrap(line, width, subsequent_indent="    ", break_on_hyphens=False)


def _key_columns(text: Mapping[str, list[str]], right: Mapping[str, bool]) -> list[str]:
    """The columns that name the rows: the texts before the first number."""
    names = list(itertools.takewhile(lambda name: not right[name], text))
    return [name for name in names if max(map(len, text[name]), default=0) <= LONGEST_CELL] or names[:1]


def shown(value: Any, digits: int = 3) -> str:
    """A value as a cell of text: rounded as `number` does, thousands set apart, nan as a dash.

    >>> shown(0.12345), shown(2500), shown(float("nan")), shown(float("inf")), shown(2500.0), shown(-0.00001)
    ('0.123', '2,500', '-', 'inf', '2,500', '-1e-05')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "-" if value is None else visible(str(value))
    if isinstance(value, int) or (math.isfinite(value) and value == int(value) and abs(value) >= 2):
        return f"{int(value):,}"
    return number(value, digits)


def _cell_text(column: str, value: Any, digits: int) -> str:
    """A value as a cell of a column: a p-value as sentences write it."""
    return p_words(value) if column in P_VALUES and isinstance(value, float) else shown(value, digits)


def _interval_columns(names: list[str]) -> Iterator[tuple[str, ...]]:
    """Columns that are a value and its limits: `recall`, `recall_low`, `recall_high`; or any, then `low` and `high`."""
    for place, low in enumerate(names):
        stem, high = low.removesuffix("low"), f"{low.removesuffix('low')}high"
        if low.endswith("low") and high in names:
            value = stem.removesuffix("_") if stem else names[max(place - 1, 0)]
            yield (value, low, high) if value in names and value != low else (low, high)


def _value_and_limits_text(row: tuple[Any, ...], digits: int) -> list[str]:
    """A value and its limits to the same decimals; what is no number, or lies outside, is written by itself."""
    *value, low, high = row
    is_whole = all(isinstance(one, int | float) and not isinstance(one, bool) for one in row)
    if not is_whole or math.isnan(low) or any(not low <= one <= high for one in value):
        return [shown(one, digits) for one in row]
    places = decimals(value[0] if value else low, low, high, fewest=digits)
    size = max((abs(one) for one in row if math.isfinite(one)), default=0.0)
    return [rounded(one, places, size) for one in row]


def percent(share: float, digits: int = 1) -> str:
    """A share as text, never rounded to nothing or to all: two digits of what it lies off the nearer of them.

    >>> percent(0.153), percent(0.0001), percent(0.99985), percent(1.0), percent(0.0)
    ('15.3 %', '0.010 %', '99.985 %', '100.0 %', '0.0 %')
    """
    off = min(share, 1 - share)
    # What is nearer to an end than that is there, but for rounding.
    places = max(digits, -1 - exponent(off * (1 + TIE))) if off > ROUNDING else digits
    return f"{100 * share:.{places}f} %"


def counted(number: float, thing: str) -> str:
    """So many of a thing, as text.

    >>> counted(1, "case"), counted(2500, "case")
    ('1 case', '2,500 cases')
    """
    return f"{number:,.15g} {thing}" if number == 1 else f"{number:,.15g} {thing}s"


def counted_of(number: float, whole: float, thing: str) -> str:
    """So many of a thing where there are more of them: what is counted is never taken for all there are.

    >>> counted_of(77, 199, "cluster"), counted_of(199, 199, "cluster")
    ('77 of 199 clusters', '199 clusters')
    """
    return counted(number, thing) if number == whole else f"{number:,.15g} of {counted(whole, thing)}"


def csv_text(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Rows as comma-separated text: numbers in full, nothing for what is missing or nan, no formula for a spreadsheet,
    and nothing hidden.

    >>> csv_text(["learner", "accuracy", "low"], [["=tree", 1 / 3, float("nan")]])
    "learner,accuracy,low\\n'=tree,0.3333333333333333,\\n"
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_plain_cell(name) for name in head)
    writer.writerows([_plain_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _plain_cell(value: Any) -> Any:
    if isinstance(value, str):
        return visible(f"'{value}" if value.startswith(FORMULA_STARTS) else value)
    return "" if value is None or value != value else value


def _json_number(value: Any) -> Any:
    """The same, but for infinity the word that JavaScript, Python and R read as one."""
    if type(value) is float and value - value == 0.0:
        return value
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return _json_value(value)


def _json_value(value: Any) -> Any:
    """A value JSON can hold: no nan and no infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
