"""What one source contributes to evidence that several make together, such as a site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.evidence.paired import JointCorrectness
from assay.evidence.reduced import Reduced
from assay.evidence.together import ModelSums

__all__ = ["Contribution"]


@dataclass(frozen=True, eq=False)
class Contribution:
    """What one source was reduced to: its models by name, and where there are several who of them was right together.

    `name` is what the source is called, `sources` are the SHA-256 of what it was read from: they tell whether the same
    rows come twice.
    """

    name: str
    models: Mapping[str, Reduced]
    sources: tuple[str, ...] = ()
    joint: JointCorrectness | None = field(default=None, repr=False)
    # What a comparison of its models needs beside that, where nothing small is to be hidden.
    together: ModelSums | None = field(default=None, repr=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Contribution):
            return NotImplemented
        facts = [(each.name, each.sources, dict(each.models)) for each in (self, other)]
        joint = [None if each.joint is None else each.joint.counts.tolist() for each in (self, other)]
        return facts[0] == facts[1] and joint[0] == joint[1] and self.together == other.together

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    @property
    def cases(self) -> tuple[int, ...]:
        """How many cases of each class there are, of the first model."""
        return next(iter(self.models.values())).cases
