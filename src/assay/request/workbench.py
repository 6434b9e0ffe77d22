"""What may be asked of the workbench when it is started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.request.option import Asked, named_texts, option
from assay.request.values import checked_memory, checked_whole

__all__ = ["ServeRequest"]

SERVE = ("serve",)
LAST_PORT = 65_535


def _checked_port(value: Any, name: str) -> int:
    return checked_whole(value, name, 0, LAST_PORT)


@dataclass(frozen=True, kw_only=True, eq=False)
class ServeRequest(Asked):
    """Every option of the workbench, once.

    >>> ServeRequest(upload="lots")
    Traceback (most recent call last):
    assay.errors.OptionError: upload is 'lots'; needed: a number with a unit, such as 2GB or 500MB
    """

    port: int = option(
        "Port to serve at, on this machine only.",
        0,
        commands=SERVE,
        kind="whole",
        check=_checked_port,
        stands_for="the last one used in this folder",
    )
    no_browser: bool = option("Print the address without opening a browser.", False, commands=SERVE, kind="flag")
    allow: tuple[str, ...] = option(
        "Package whose learners experiments may import, besides scikit-learn; repeat for several.", (), commands=SERVE,
        many=True, metavar="PACKAGE", check=named_texts,
    )  # fmt: skip
    upload: str = option(
        "Largest file that may be uploaded.", "2GB", commands=SERVE, check=checked_memory, metavar="SIZE"
    )
