"""How much of what is computed for a page of several models is kept until it is done."""

from __future__ import annotations

from collections.abc import Mapping

from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.evidence import forget_long

__all__ = ["spare_memory"]

# Of more scores in all, what is computed from each is not kept from one section to the next.
MOST_KNOWN = 500_000


def spare_memory(models: Mapping[str, Evaluation]) -> None:
    """Forget what the tables of several models know that is as long as they are: of long ones it fills the memory."""
    tables = [ev.scores for ev in models.values() if isinstance(ev, TwoClassEvaluation) and ev.scores is not None]
    if len(tables) > 1 and sum(map(len, tables)) > MOST_KNOWN:
        for table in tables:
            forget_long(table)
