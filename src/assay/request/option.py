"""An option: its default, its help, who takes it, what its value may be; and records that check their options."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Self

from assay.errors import OptionError, UnknownOption
from assay.output_files import checked_target

__all__ = ["Asked", "Option", "named_texts", "option", "target"]

Check = Callable[[Any, str], Any]


@dataclass(frozen=True, kw_only=True)
class Option:
    """One thing that can be asked for, wherever it is asked.

    `commands` of the command line take it as a flag, each with its own `choices` where they differ. `sources` are the
    kinds of source that can use it, for what is said about data. `check` gives the value as it is used, or refuses it.
    `needs` are options without which it would say nothing, each with a value that helps, one of which must be given.
    `idle` says where it rightly changes nothing, and why: a promise, and tests hold the code to everything else.
    `stands_for` is what a default of None comes to, for help texts; `flag` what the command line calls it where that
    is not its name.
    """

    help: str
    commands: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    # text, number, whole, flag, switch, file (written), read (a file), array, or a pair of numbers or texts (two)
    kind: str = "text"
    many: bool = False
    check: Check | None = None
    choices: tuple[str, ...] | Mapping[str, tuple[str, ...]] = ()
    needs: Mapping[str, Any] = field(default_factory=dict)
    idle: Mapping[str, str] = field(default_factory=dict)
    stands_for: Any = None
    metavar: str | None = None
    instead: Mapping[str, str] = field(default_factory=dict)
    flag: str = ""

    def choices_of(self, command: str) -> tuple[str, ...]:
        """The values that a command lets one choose from; none where any will do."""
        return self.choices.get(command, ()) if isinstance(self.choices, Mapping) else self.choices


def option(help: str, default: Any = None, **facts: Any) -> Any:  # noqa: A002 -- what click calls it, too
    """A field of a record of options."""
    return field(default=default, metadata={"option": Option(help=help, **facts)})


def target(help: str, *commands: str) -> Any:  # noqa: A002
    """A field for a file that is to be written, looked at before any work is done."""
    return option(help, commands=commands, kind="file", check=checked_target)


def named_texts(value: Any, name: str) -> tuple[str, ...]:
    """One name or several, as a tuple.

    >>> named_texts("risk", "score"), named_texts(["a", "b"], "score")
    (('risk',), ('a', 'b'))
    """
    names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (value,)
    for one in names:
        if not isinstance(one, str):
            raise OptionError(f"{name} holds {one!r}"[:120], "names as strings", about=name)
    return names


class Asked:
    """A record of what was asked for: each option checked once, and what nobody can use refused by its name."""

    def __post_init__(self) -> None:
        self._settle(dict(self.__dict__))
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        """Refuse options that do not go together, where a record has such."""

    def _settle(self, said: Mapping[str, Any]) -> None:
        """Check whatever was said otherwise than by default; arrays are never compared with it, only seen."""
        given, options, defaults = {}, self.options(), self.defaults()
        # Most are left as they are, which need not be asked one by one.
        for name, value in [each for each in said.items() if each[1] is not defaults.get(*each)]:
            default = defaults[name]
            if value is None or (type(value) is type(default) and value == default):
                continue
            check = options[name].check
            given[name] = value if check is None else check(value, name)
        self.__dict__.update(given)
        self.__dict__["_given"] = given
        for name in given:
            needs = options[name].needs
            if needs and not any(self._answers(other, value) for other, value in needs.items()):
                other, value = next(iter(needs.items()))
                either = " or ".join(each if options[each].choices == () else f"{each} {needs[each]}" for each in needs)
                raise OptionError(f"{name} is given without {either}", options={other: value}, about=(name, *needs))

    @classmethod
    @cache
    def options(cls) -> Mapping[str, Option]:
        """Every option there is, by name."""
        return {each.name: each.metadata["option"] for each in fields(cls)}  # type: ignore[arg-type]

    @classmethod
    @cache
    def defaults(cls) -> Mapping[str, Any]:
        """What every option is where it is not given."""
        return {name: getattr(cls, name) for name in cls.options()}

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Self:
        """From a mapping, such as a function's own arguments; names that are no option are left to whoever has them."""
        defaults = cls.defaults()
        made = object.__new__(cls)
        # A frozen dataclass sets its fields one by one, which for so many of them takes longer than a small AUC.
        made.__dict__.update(defaults)
        made._settle(said)
        made._refuse_contradictions()
        return made

    def replace(self, changes: Mapping[str, Any]) -> Self:
        """The same with some options changed."""
        return self.of({**self.__dict__, **changes})

    @property
    def given(self) -> Mapping[str, Any]:
        """What was asked for otherwise than by default."""
        found: dict[str, Any] = self.__dict__["_given"]
        return found

    def only(self, used: Collection[str], where: str, instead: str = "") -> None:
        """Refuse whatever was given beyond what can be used here."""
        for name in self.given:
            if name not in used:
                left_out = f"no {name}, which has no effect there"
                raise OptionError(f"{name} is given {where}", instead or left_out, about=name)

    def _answers(self, other: str, value: Any) -> bool:
        """Whether another option is given; of one with few choices, whether it is that choice."""
        said = self.given.get(other)
        # A version of a choice will do: weka-3.6 is weka.
        return said is not None and (not self.options()[other].choices or str(said).split("-")[0] == value)


def unknown_option(name: str, known: Collection[str], where: str = "", others: Mapping[str, str] | None = None) -> Any:
    """The error about a name that is no option, with the one that was probably meant.

    `others` says what names of other libraries are called here: an option, or words about what there is instead.

    >>> raise unknown_option("wieght", ("weight", "fold"), "evaluate")
    Traceback (most recent call last):
    assay.errors.UnknownOption: evaluate has no option 'wieght'; did you mean weight?
    """
    found, meant = f"{where or 'there'} {'has' if where else 'is'} no option {name!r}", (others or {}).get(name, "")
    if " " in meant:
        return UnknownOption(f"{found}; {meant}")
    near = [meant] if meant in known else difflib.get_close_matches(name, known, n=1)
    if near:
        return UnknownOption(f"{found}; did you mean {near[0]}?")
    return UnknownOption(found, f"one of {', '.join(known)}")
