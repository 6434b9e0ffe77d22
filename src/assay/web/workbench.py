"""What handlers work on: the served folder, what was opened in it, and what was allowed when it was started."""

from __future__ import annotations

import hmac
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import InputError
from assay.web.jobs import Jobs
from assay.web.listing import LIBRARY, Library

__all__ = ["UPLOADS", "Workbench"]

# Where files go that a browser sent, beside the folder's own.
UPLOADS = "uploads"
UPLOAD_CAP = 2_000_000_000
# What is being sent lies there until it is whole; after so many seconds without a byte nobody is sending it any more.
PARTS, ABANDONED = ".assay-part-", 600.0


class Workbench:
    """A served folder: whatever is read or written lies in it, links that lead out of it lead nowhere.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Workbench(Path(folder)).file("../etc/passwd")
    Traceback (most recent call last):
    assay.errors.InputError: '../etc/passwd' is not in the folder that is served; needed: a file in it
    """

    def __init__(self, folder: Path, *, allow: tuple[str, ...] = (), upload: int = UPLOAD_CAP) -> None:
        if not folder.is_dir():
            raise InputError(f"{str(folder)!r} is no folder", "the folder whose files are to be opened")
        self.folder = folder.resolve()
        self.allow = allow
        self.upload = upload
        self.listing = Library(self.folder)
        self.door = Door()
        self.jobs = Jobs()
        self._clear_parts()
        self.address = ""

    def file(self, name: str) -> Path:
        """The file that a name means, if it lies in the folder, whatever links say."""
        refused = InputError(f"{name[:120]!r} is not in the folder that is served", "a file in it")
        try:
            path = (self.folder / name).resolve()
            is_inside = path.is_relative_to(self.folder) and path.is_file()
        except (OSError, ValueError, RuntimeError):
            raise refused from None
        if not is_inside or any(part.startswith(".") for part in path.relative_to(self.folder).parts):
            raise refused
        if path.name.startswith(LIBRARY):
            raise refused
        return path

    @contextmanager
    def receiving(self) -> Iterator[Path]:
        """A folder of its own for what a browser is sending, gone afterwards with what nobody kept."""
        with tempfile.TemporaryDirectory(prefix=PARTS, dir=self.folder, ignore_cleanup_errors=True) as folder:
            yield Path(folder)

    def _clear_parts(self) -> None:
        """Take away what was being sent when a server was killed; what another one may still be taking in stays."""
        for left in self.folder.glob(f"{PARTS}*"):
            newest = max((each.stat().st_mtime for each in (left, *left.glob("*"))), default=0.0)
            if left.is_dir() and not left.is_symlink() and newest < time.time() - ABANDONED:
                shutil.rmtree(left, ignore_errors=True)

    def name_of(self, path: Path) -> str:
        """What a file of the folder is called from there."""
        return path.relative_to(self.folder).as_posix()


class Door:
    """Who may come in: whoever has the link, which is good for once, and then the cookie that it gave.

    >>> door = Door()
    >>> cookie = door.admit(door.token)
    >>> door.knows(cookie), door.knows("guessed")
    (True, False)
    """

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)
        self.on_used: Callable[[], None] = lambda: None

    def admit(self, token: str) -> str:
        """The cookie for whoever has the link, which then is another one; nothing for whoever has not."""
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return ""
        self.token = secrets.token_urlsafe(32)
        self.on_used()
        return self._cookie

    def knows(self, cookie: str) -> bool:
        """Whether this is the cookie."""
        return hmac.compare_digest(cookie.encode(), self._cookie.encode())
