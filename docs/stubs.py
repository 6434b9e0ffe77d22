"""The measures as attributes, for type checkers and editors: the stub of `assay/evaluation/measure_properties.py`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from assay.evaluation.measure_properties import OF_MANY, OF_TWO, attributes_of
from assay.measures import Measure

__all__ = ["stub_of_measures"]

WIDTH = 106
QUOTES = '"""'
ALIASES = "    _measure_aliases: ClassVar[Mapping[str, str]]\n"
HEAD = """# Made by docs/generate.py from the registries of measures: change them and type `make docs`.
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from assay.measures import Measure
from assay.results import Estimate

__all__ = ["OF_MANY", "OF_TWO", "ManyClassMeasures", "TwoClassMeasures", "attributes_of"]

OF_TWO: tuple[Measure, ...]
OF_MANY: tuple[Measure, ...]

def attributes_of(measures: Iterable[Measure]) -> Iterator[tuple[str, Measure]]: ...
"""


def stub_of_measures() -> str:
    """Return the stub: both kinds, each with a property for every measure and, without its explanation, every alias."""
    kinds = {"TwoClassMeasures": ("two classes", OF_TWO), "ManyClassMeasures": ("more than two classes", OF_MANY)}
    parts = [HEAD]
    for name, (classes, measures) in kinds.items():
        about = f"    {QUOTES}The measures of {classes} as attributes, each an Estimate.{QUOTES}\n"
        parts.append("\n".join([f"class {name}:", about, ALIASES, *_properties(measures)]))
    return "\n".join(parts)


def _properties(measures: Iterable[Measure]) -> Iterator[str]:
    for name, measure in attributes_of(measures):
        said = f"{measure.title}: {measure.definition}".replace("\\", "\\\\").replace(QUOTES, "'''")
        text = "\n        ".join(textwrap.wrap(said, WIDTH))
        end = QUOTES if "\n" not in text else f"\n        {QUOTES}"
        if name == measure.name:
            yield f"    @property\n    def {name}(self) -> Estimate:\n        {QUOTES}{text}{end}\n"
        else:
            yield f"    {name} = {measure.name}\n"
