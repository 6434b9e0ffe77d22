"""A program working on a study: it claims cells, keeps how they went, and asks again while a database is away."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from assay.experiments._checksums import checksum_of
from assay.experiments._database import (
    CELL,
    StoreError,
    claiming,
    finishing,
    one_sentence,
    sqlalchemy,
    tables,
)
from assay.experiments._parts import keep_parts
from assay.experiments.task import CellOutcome

if TYPE_CHECKING:
    from assay.experiments.store import Store

T = TypeVar("T")

LOOKED_THROUGH = 25  # cells of which a claim takes the first that are to do
PAUSES = (1, 2, 4, 8, 15, 30)  # seconds between tries while a database does not answer


@dataclass(frozen=True)
class Driver:
    """One program working on a study, by a name nobody else has."""

    store: Store
    study: str
    owner: str

    def claim(self, keys: Sequence[str], most: int = 1) -> list[str]:
        """Make the first of these cells that are to do this driver's own, and say which; at most so many of them."""
        if not keys:
            return []
        asked = {"of_study": self.study, "of_keys": list(keys), "at_most": most, "new_owner": self.owner}
        with self.store.changing() as connection:
            mine = set(connection.execute(claiming(), asked).scalars())
        return [key for key in keys if key in mine]

    def take(self, keys: Iterable[str], most: int = 1) -> Iterator[str]:
        """The cells of these that are still to do, each claimed before it is given out, some at a time."""
        waiting = iter(keys)
        while some := list(islice(waiting, LOOKED_THROUGH)):
            while mine := self._patiently(self.claim, some, most):
                yield from mine
                some = [key for key in some if key not in mine]

    def finish(self, outcome: CellOutcome) -> bool:
        """Keep how a cell went; False if it was taken from this driver meanwhile, whose result then stands."""
        found = {name: _plain(value) for name, value in vars(outcome).items() if name != "parts"}
        found["status"] = "done" if outcome.error is None else "failed"
        sa, held = sqlalchemy(), tables()["cells"]
        identity = sa.select(*(held.c[name] for name in CELL)).where(
            held.c.study == self.study, held.c.key == outcome.key
        )

        def finish() -> bool:
            with self.store.changing() as connection:
                cell = connection.execute(identity).mappings().one_or_none()
                if cell is None:
                    return False
                checksum = checksum_of({**found, **cell})
                values = {**found, "finished": time.time(), "checksum": checksum}
                del values["key"]
                of = {"of_study": self.study, "of_key": outcome.key, "of_owner": self.owner}
                is_kept = bool(connection.execute(finishing(), {**of, **values}).rowcount == 1)
                if is_kept:
                    keep_parts(connection, self.study, outcome.key, outcome.parts)
                return is_kept

        return self._patiently(finish)

    def left(self) -> dict[str, int]:
        """How many cells are to do and how many others run, once the dead and this idle driver gave theirs back."""

        def count() -> dict[str, int]:
            self.store.free([self.owner], leave=False)
            self.store.free_the_dead()
            states = self.store.progress(self.study)
            return {state: states[state] for state in ("todo", "running")}

        return self._patiently(count)

    def _patiently(self, work: Callable[..., T], *given: Any) -> T:
        """Ask again while the database does not answer: a server that is started anew costs a minute, not the study."""
        for pause in (*PAUSES, None):
            try:
                with one_sentence(self.store.place):
                    return work(*given)
            except StoreError as error:
                if pause is None or not error.passing:
                    raise
                time.sleep(pause)
        raise AssertionError


def _plain(value: Any) -> Any:
    """A text as every database takes it: without zero bytes and halves of characters."""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode("utf-8")
