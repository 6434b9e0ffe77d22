"""The language of requirements, `roc_auc >= 0.80 and recall.low > 0.7`: read by hand, never by `eval`."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assay.errors import OptionError
from assay.measures import find, find_for_many

COMPARED: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}
LIMITS = ("low", "value", "high")

SPACE = re.compile(r"\s*")
# Letters, digits and _, inside also - and the point of f0.5; lr+ and lr- end in a sign.
NAME = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_]|-(?=[A-Za-z0-9])|\.(?=[0-9]))*[+-]?")
PARAMETERS = re.compile(r"\([^()]*\)")
WORD = re.compile(r"[A-Za-z_]+")
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
OPERATOR = re.compile("[<>]=?")
QUOTED = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""", re.DOTALL)
BARE_FILE = re.compile(r"""[^()"']+""")
ESCAPED = re.compile(r"""\\(["'\\])""")

# As much of a requirement is shown around the place that cannot be read.
SHOWN_BEFORE, SHOWN_AFTER = 60, 30


class RequirementError(OptionError):
    """A requirement that cannot be read, or does not fit the data: what is wrong, and a mark under the place.

    >>> print(RequirementError("roc_auc => 0.8", 8, "needed here: >=, >, <= or <"))
    needed here: >=, >, <= or <
      roc_auc => 0.8
              ^
    """

    def __init__(self, text: str, place: int, sentence: str) -> None:
        self.text, self.place, self.sentence = text, place, sentence
        start = max(0, place - SHOWN_BEFORE)
        # One letter stays one letter, so that the mark stands where it should.
        shown = "".join(c if c.isprintable() else "\ufffd" for c in text[start : place + SHOWN_AFTER])
        super().__init__(f"{sentence}\n  {shown}\n  {' ' * (place - start)}^")


@dataclass(frozen=True, slots=True)
class CheckedQuantity:
    """What is held against a bound: a measure, or its difference from the classifier in another file (`base`).

    `limit` is "low", "value" or "high" where one number of the estimate is meant, `of_class` the class it concerns,
    `group` the subgroup.

    >>> print(CheckedQuantity("recall", "low", of_class="spam", group="north"))
    recall["spam"].low in "north"
    >>> print(CheckedQuantity("roc_auc", base="base.csv"))
    delta(roc_auc, "base.csv")
    """

    measure: str
    limit: str | None = None
    of_class: str | None = None
    group: str | None = None
    base: str | None = None
    place: int = field(default=0, compare=False, repr=False)

    def __str__(self) -> str:
        text = self.measure if self.of_class is None else f"{self.measure}[{_quoted_name(self.of_class)}]"
        if self.base is not None:
            text = f"delta({text}, {_quoted_name(self.base)})"
        text = text if self.limit is None else f"{text}.{self.limit}"
        return text if self.group is None else f"{text} in {_quoted_name(self.group)}"


@dataclass(frozen=True, slots=True)
class Demand:
    """A quantity and the bound it has to keep; of a stream, at every look.

    >>> demand = Demand(CheckedQuantity("roc_auc"), ">=", 0.8)
    >>> print(demand, demand.holds(0.8), demand.holds(0.79))
    roc_auc >= 0.8 True False
    """

    quantity: CheckedQuantity
    operator: str
    bound: float
    is_of_stream: bool = False

    def holds(self, value: float) -> bool:
        """Whether one number keeps the bound."""
        return COMPARED[self.operator](value, self.bound)

    def __str__(self) -> str:
        short = f"{self.bound:g}"
        bound = short if float(short) == self.bound else repr(self.bound)
        return f"{self.quantity} {self.operator} {bound}{' at every look' if self.is_of_stream else ''}"


@dataclass(frozen=True, slots=True)
class Requirement:
    """Demands that all have to be met, and how they were written."""

    demands: tuple[Demand, ...]
    written: str = field(default="", compare=False)

    def __str__(self) -> str:
        return " and ".join(map(str, self.demands))

    def misfit(self, quantity: CheckedQuantity, sentence: str) -> RequirementError:
        """The error that one of its quantities does not fit the data."""
        return RequirementError(self.written or str(self), quantity.place if self.written else 0, sentence)


def parse(text: str, others: Sequence[str] = ()) -> Requirement:
    """The requirement a text says; `others` are names that it may hold beside those of measures.

    >>> requirement = parse("sensitivity>.7 and delta(roc_auc, base.csv).low >= -1e-2")
    >>> print(requirement)
    sensitivity > 0.7 and delta(roc_auc, "base.csv").low >= -0.01
    >>> parse(str(requirement)) == requirement
    True
    >>> parse("recal > 0.7")
    Traceback (most recent call last):
    assay.testing.language.RequirementError: there is no measure 'recal'; did you mean recall?
    """
    reader = _Reader(text, others)
    demands = [_parse_demand(reader)]
    while reader.word() == "and":
        reader.read(WORD)
        demands.append(_parse_demand(reader))
    if not reader.is_done:
        raise reader.error('needed here: "and" with another demand, or nothing more')
    return Requirement(tuple(demands), text)


class _Reader:
    """A text and how far it has been read."""

    def __init__(self, text: str, others: Sequence[str] = ()) -> None:
        self.text, self.place, self.others = text, 0, others
        self._skip()

    @property
    def is_done(self) -> bool:
        return self.place == len(self.text)

    def read(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What matches here, and the space after it passed over."""
        found = pattern.match(self.text, self.place)
        if found is not None:
            self.place = found.end()
            self._skip()
        return found

    def takes(self, mark: str) -> bool:
        """Whether a mark stands here; if so it is passed over."""
        return self.read(re.compile(re.escape(mark))) is not None

    def needs(self, mark: str, why: str) -> None:
        if not self.takes(mark):
            raise self.error(f"needed here: {mark}, {why}")

    def word(self) -> str:
        """The word that stands here, not passed over."""
        found = WORD.match(self.text, self.place)
        return "" if found is None else found.group().lower()

    def error(self, sentence: str, place: int | None = None) -> RequirementError:
        return RequirementError(self.text, self.place if place is None else place, sentence)

    def _skip(self) -> None:
        found = SPACE.match(self.text, self.place)
        self.place = self.place if found is None else found.end()


def _parse_demand(reader: _Reader) -> Demand:
    quantity = _parse_quantity(reader)
    compared = reader.read(OPERATOR)
    if compared is None:
        raise reader.error("needed here: >=, >, <= or <")
    place = reader.place
    number = reader.read(NUMBER)
    if number is None or not math.isfinite(float(number.group())):
        raise reader.error("needed here: a number, such as 0.8", place)
    return Demand(quantity, compared.group(), float(number.group()))


def _parse_quantity(reader: _Reader) -> CheckedQuantity:
    place = reader.place
    if reader.word() == "delta" and re.compile(r"delta\s*\(", re.IGNORECASE).match(reader.text, place):
        reader.read(WORD)
        reader.takes("(")
        measure, base = _parse_measure(reader), _parse_base_file(reader)
        return CheckedQuantity(measure, _parse_limit(reader), base=base, place=place)
    measure, of_class = _parse_measure(reader), None
    if reader.takes("["):
        of_class = _parse_name(reader, 'a class in quotes, such as recall["spam"]')
        reader.needs("]", "after the class")
    return CheckedQuantity(measure, _parse_limit(reader), of_class, _parse_group(reader), place=place)


def _parse_measure(reader: _Reader) -> str:
    place = reader.place
    found = reader.read(NAME)
    if found is None:
        raise reader.error("needed here: a measure, such as roc_auc (assay measures lists them all)")
    parameters = reader.read(PARAMETERS)
    name = found.group() + ("" if parameters is None else parameters.group())
    if name in reader.others:
        return name
    try:
        find(name)
    except OptionError:
        try:
            find_for_many(name)
        except OptionError as error:
            raise reader.error(str(error.args[0]), place) from None
    return name


def _parse_base_file(reader: _Reader) -> str:
    """The other file of a difference: in quotes, or all up to the closing bracket."""
    reader.needs(",", "and a file: delta(roc_auc, base.csv); a difference applies to a measure of all classes")
    if reader.text[reader.place : reader.place + 1] in ('"', "'"):
        name = _parse_name(reader, "a file")
    else:
        bare = reader.read(BARE_FILE)
        name = "" if bare is None else bare.group().strip()
    if not name:
        raise reader.error("needed here: a file, such as delta(roc_auc, base.csv)")
    reader.needs(")", "after the file; quote a name with brackets")
    return name


def _parse_limit(reader: _Reader) -> str | None:
    if not reader.takes("."):
        return None
    if reader.word() not in LIMITS:
        raise reader.error("needed here: low, value or high")
    limit = reader.word()
    reader.read(WORD)
    return limit


def _parse_group(reader: _Reader) -> str | None:
    if reader.word() != "in":
        return None
    reader.read(WORD)
    return _parse_name(reader, 'a subgroup in quotes, such as recall in "north"')


def _parse_name(reader: _Reader, what: str) -> str:
    found = reader.read(QUOTED)
    if found is None:
        raise reader.error(f"needed here: {what}")
    return ESCAPED.sub(r"\1", found.group()[1:-1])


def _quoted_name(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
