"""Measures as attributes: a property for every measure of the registries, found by `dir`, `help` and editors.

Aliases work too (`ev.sensitivity`), by `__getattr__`, so that `dir` lists each measure once. Type checkers cannot
follow the loop below; `measure_properties.pyi` beside this file lists the same properties for them. It is written from
the registries by `make docs`, and a test compares it with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from keyword import iskeyword
from typing import Any, ClassVar

from assay.evidence import ScoreTable
from assay.measures import Measure, on_request, on_request_of_many, registry, registry_of_many

__all__ = ["OF_MANY", "OF_TWO", "ManyClassMeasures", "TwoClassMeasures", "attributes_of"]


class TwoClassMeasures:
    """The measures of two classes as attributes, each an Estimate."""

    # The name of the measure that an alias stands for.
    _measure_aliases: ClassVar[Mapping[str, str]] = {}


class ManyClassMeasures:
    """The measures of more than two classes as attributes, each an Estimate."""

    _measure_aliases: ClassVar[Mapping[str, str]] = {}


def attributes_of(measures: Iterable[Measure]) -> Iterator[tuple[str, Measure]]:
    """Every name and alias that can be an attribute, with the measure it stands for.

    >>> [name for name, _ in attributes_of([registry["recall"]])]
    ['recall', 'sensitivity', 'tpr', 'true_positive_rate', 'hit_rate', 'sens']
    """
    for measure in measures:
        for name in dict.fromkeys((measure.name, *measure.aliases)):
            if name.isidentifier() and not iskeyword(name):
                yield name, measure


def _attribute(measure: Measure) -> property:
    name = measure.name

    def estimate(self: Any) -> Any:
        return self.estimate(name)

    return property(estimate, doc=f"{measure.title}: {measure.definition}")


# What is found by name alone is an attribute too; of more than two classes, what does not look at one class's scores.
OF_TWO = (*registry.values(), *on_request.values())
OF_MANY = (
    *registry_of_many.values(),
    *on_request_of_many.values(),
    *(m for m in on_request.values() if m.needs is not ScoreTable and not m.of_one_class),
)

for holder, measures in ((TwoClassMeasures, OF_TWO), (ManyClassMeasures, OF_MANY)):
    for measure in measures:
        setattr(holder, measure.name, _attribute(measure))
    holder._measure_aliases = {name: one.name for name, one in attributes_of(measures) if name != one.name}
