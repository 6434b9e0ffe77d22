"""A card: what is said of a model beside what can be measured, in fields that have names."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assay.errors import OptionError, UnknownOption
from assay.request.toml import toml_of

__all__ = ["CARD_FIELDS", "CARD_SAID", "Card", "checked_card"]

# What the notes on choosing a classifier ask beside accuracy, and what a model card states (Mitchell et al. 2019).
CARD_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "name": "Name",
        "version": "Version",
        "date": "Date",
        "owner": "Owner",
        "contact": "Contact",
        "licence": "Licence",
        "citation": "Citation",
        "intended_use": "Intended use",
        "out_of_scope": "Not meant for",
        "training_data": "Training data",
        "training_speed": "Speed of training",
        "use_speed": "Speed of use",
        "model_size": "Size of the model",
        "robustness": "Robustness",
        "scalability": "Scalability",
        "interpretability": "Interpretability",
        "availability": "Availability",
        "trust": "Trust",
        "bias": "Qualitative bias",
        "ethics": "Ethical considerations",
        "caveats": "Caveats",
    }
)
CARD_SAID = "Said by whoever wrote the card. Nothing of it was measured or checked here."
LONGEST, LARGEST = 2_000, 200_000  # characters of a field, bytes of a file
# Fields of one model by name, or such cards by the names of models.
Card = Mapping[str, Any]


def checked_card(value: Any, name: str = "card") -> Card:
    """The fields of a card as texts, from a TOML or JSON file or a mapping; for several models a card for each by name.

    >>> dict(checked_card({"interpretability": "a tree of 8 leaves", "trust": ["audited", 2031]}))
    {'interpretability': 'a tree of 8 leaves', 'trust': 'audited; 2031'}
    >>> checked_card({"interpretabilty": "high"})
    Traceback (most recent call last):
    assay.errors.UnknownOption: a card has no field 'interpretabilty'; did you mean interpretability?
    """
    said = _read(value, name) if isinstance(value, str | PathLike) else value
    if not isinstance(said, Mapping) or not said:
        raise OptionError(
            f"{name} is {str(value)[:80]!r}", "fields with texts, or a TOML or JSON file of them", about=name
        )
    if all(isinstance(each, Mapping) for each in said.values()):
        return MappingProxyType({str(model): _fields(each, name) for model, each in said.items()})
    return _fields(said, name)


def _fields(said: Mapping[Any, Any], name: str) -> Card:
    found = {}
    for key, value in said.items():
        if key not in CARD_FIELDS:
            near = difflib.get_close_matches(str(key), CARD_FIELDS, n=1)
            shown = f"a card has no field {str(key)[:60]!r}"
            if near:
                raise UnknownOption(f"{shown}; did you mean {near[0]}?")
            raise UnknownOption(shown, f"one of {', '.join(CARD_FIELDS)}")
        found[str(key)] = _text(value, str(key), name)
    if not found:
        raise OptionError(f"{name} is empty", f"some of {', '.join(CARD_FIELDS)}", about=name)
    return MappingProxyType({key: found[key] for key in CARD_FIELDS if key in found})


def _text(value: Any, key: str, name: str) -> str:
    each = value if isinstance(value, list | tuple) else [value]
    # Dates are what TOML makes of a date that is not in quotes.
    plain = all(isinstance(one, str | int | float) or hasattr(one, "isoformat") for one in each)
    text = "; ".join(str(one).strip() for one in each) if plain else ""
    if not text:
        raise OptionError(f"{key} of {name} is {str(value)[:60]!r}", "a text, a number or a list of them", about=name)
    if len(text) > LONGEST:
        raise OptionError(f"{key} of {name} has {len(text):,} characters", f"at most {LONGEST:,}", about=name)
    return text


def _read(path: str | PathLike[str], name: str) -> Any:
    file = Path(path)
    readers: dict[str, Callable[[str], Any]] = {".toml": toml_of, ".json": json.loads}
    if file.suffix.lower() not in readers:
        raise OptionError(f"{name} is {str(path)[:80]!r}", "a file that ends in .toml or .json", about=name)
    try:
        if file.stat().st_size > LARGEST:
            raise OptionError(f"{name} {str(path)[:80]!r} is too large", f"at most {LARGEST:,} bytes", about=name)
        return readers[file.suffix.lower()](file.read_text(encoding="utf-8"))
    except OptionError:
        raise
    except FileNotFoundError:
        raise OptionError(f"{name}: there is no file {str(path)[:80]!r}", "the path of a card", about=name) from None
    except (OSError, ValueError, RecursionError) as error:
        why = str(error).split("\n")[0][:120]
        raise OptionError(f"{name} {file.name[:80]!r} cannot be read: {why}", "TOML or JSON", about=name) from None
