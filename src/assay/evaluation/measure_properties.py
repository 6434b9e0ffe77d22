"""Measures as attributes: a property for every name and alias of the registries, found by `dir`, `help` and editors.

Type checkers cannot follow the loop below; `_measured.pyi` beside this file lists the same properties for them. It is
written from the registries by `make docs`, and a test holds it against them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from keyword import iskeyword
from typing import Any

from assay.evidence import ScoreTable
from assay.measures import Measure, on_request, on_request_of_many, registry, registry_of_many

__all__ = ["OF_MANY", "OF_TWO", "ManyClassMeasures", "TwoClassMeasures", "attributes_of"]


class TwoClassMeasures:
    """The measures of two classes as attributes, each an Estimate."""


class ManyClassMeasures:
    """The measures of more than two classes as attributes, each an Estimate."""


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
    *(m for m in on_request.values() if m.needs is not ScoreTable),
)

for holder, measures in ((TwoClassMeasures, OF_TWO), (ManyClassMeasures, OF_MANY)):
    for name, measure in attributes_of(measures):
        setattr(holder, name, _attribute(measure))
