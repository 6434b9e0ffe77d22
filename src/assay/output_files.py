"""Files that a user asked to be written: each is whole or not there, and none of them is one that is read."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import NotWritten, OptionError
from assay.text import visible

__all__ = ["STANDARD_OUTPUT", "GrowingFile", "checked_target", "refuse_shared", "write_all"]

STANDARD_OUTPUT = Path("-")
NEEDED = "a file in a folder that exists and can be written to"
# Some file systems have nothing to flush, and say so.
NO_FSYNC = (errno.EINVAL, errno.ENOTSUP)
TAIL = 4096
CREATED = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
# A file on disk goes by its device and number, one that is not there yet by its path.
Identity = tuple[int, int] | str


def checked_target(value: Any, name: str = "path") -> Path:
    """The path of a file that can be written, as far as that shows before anything is; "-" is standard output.

    >>> checked_target("no/such/report.html")
    Traceback (most recent call last):
    assay.errors.NotWritten: cannot write no/such/report.html: no such file or directory; needed: a file in a folder ...
    """
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str) or not text:
        raise OptionError(f"{name} is {str(value)[:80]!r}", "the path of a file", about=name)
    path = Path(text)
    if path == STANDARD_OUTPUT:
        return path
    with _write_errors_as_sentences(path):
        held = _existing_file(path)
        if (held is not None and stat.S_ISDIR(held.st_mode)) or text.endswith(("/", os.sep)):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if held is not None and (stat.S_ISBLK(held.st_mode) or stat.S_ISSOCK(held.st_mode)):
            raise OSError(errno.EINVAL, "it is neither a file nor a stream")
        is_stream = held is not None and not stat.S_ISREG(held.st_mode)
        if held is not None and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if not is_stream:
            _check_folder(Path(os.path.realpath(path)).parent)
    return path


def _check_folder(folder: Path) -> None:
    """Refuse a folder in which nothing can be made."""
    if not stat.S_ISDIR(folder.stat().st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def refuse_shared(targets: Mapping[str, Path], inputs: Iterable[str | Path], *, prints: bool = False) -> None:
    """Refuse targets, by the names of their options, that are read as well, or that are one file.

    With `prints`, something goes to standard output too, which may be a file.
    """
    read = {found for found in map(_identity_of_input, inputs) if found is not None}
    seen: dict[Identity, str] = {}
    printed = _standard_output() if prints else None
    if printed is not None and not _is_nowhere(printed):
        seen[printed.st_dev, printed.st_ino] = "standard output"
    for name, path in targets.items():
        identity = _file_identity(path)
        if identity in read:
            raise OptionError(f"{name} is {_path_words(path)}, which is read", "another file", about=name)
        if identity in seen:
            raise OptionError(
                f"{name} is {_path_words(path)}, and so is {seen[identity]}", "a file for each of them", about=name
            )
        if identity is not None:
            seen[identity] = name


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Write files: every one is made beside its place first, so that all take their places or none does.

    Whoever reads one meanwhile sees the old or the new, never half of one; a link stays a link to the file it names,
    and a file keeps its mode. What is no file on disk (a pipe, a device, standard output) is written to as it is.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_all({Path(folder, "a.txt"): "one", Path(folder, "b.txt"): b"two"})
    ...     sorted((path.name, path.read_text()) for path in Path(folder).iterdir())
    [('a.txt', 'one'), ('b.txt', 'two')]
    """
    # A name that is half a surrogate pair must not stop a table.
    data = {
        checked_target(path): content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
        for path, content in contents.items()
    }
    streams = [path for path in data if _is_stream(path)]
    with contextlib.ExitStack() as stack:
        ready = {path: stack.enter_context(_temporary_file(path, data[path])) for path in data if path not in streams}
        for path in streams:
            with _write_errors_as_sentences(path):
                _write_stream(path, data[path])
        for path, (unfinished, place) in ready.items():
            with _write_errors_as_sentences(path):
                unfinished.replace(place)
            _flush_folder(place.parent)


class GrowingFile:
    """A file that grows line by line, and can be cut back to where it was known to be right.

    `kept` is what `mark` gave when that was known: its length then, and a hash of its last bytes. What has been written
    after that is written again; a file of which that is no longer true is refused, and left as it is. Without it the
    file is begun anew.
    """

    def __init__(self, path: Path, kept: Mapping[str, Any] | None = None) -> None:
        self.path = checked_target(path)
        with _write_errors_as_sentences(self.path):
            held = _existing_file(self.path)
            self._is_file = held is None or stat.S_ISREG(held.st_mode)
            flags = os.O_RDWR | os.O_CREAT if self._is_file else os.O_WRONLY
            self._handle = os.open(self.path, flags | getattr(os, "O_BINARY", 0), 0o666)
        self._length = 0 if kept is None else int(kept["length"])
        if self._is_file:
            if kept is not None and self._last() != kept["last"]:
                self.close()
                found = f"{_path_words(self.path)} is not what it was when the checkpoint was written"
                raise OptionError(found, "the file that was written then, or a new checkpoint", about="output")
            with _write_errors_as_sentences(self.path):
                os.ftruncate(self._handle, self._length)
                os.lseek(self._handle, self._length, os.SEEK_SET)

    def write(self, text: str) -> None:
        """Write more of it."""
        data = text.encode("utf-8", "backslashreplace")
        with _write_errors_as_sentences(self.path):
            _write(self._handle, data)
        self._length += len(data)

    def mark(self) -> dict[str, Any]:
        """How long it is, and how it ends, once all of it is on the disk."""
        if self._is_file:
            with _write_errors_as_sentences(self.path):
                _flush(self._handle)
        return {"length": self._length, "last": self._last() if self._is_file else ""}

    def _last(self) -> str:
        start = max(self._length - TAIL, 0)
        os.lseek(self._handle, start, os.SEEK_SET)
        data = os.read(self._handle, self._length - start)
        os.lseek(self._handle, self._length, os.SEEK_SET)
        return f"{len(data)} {hashlib.sha256(data).hexdigest()}"

    def close(self) -> None:
        """Write no more of it."""
        os.close(self._handle)


@contextlib.contextmanager
def _temporary_file(path: Path, data: bytes) -> Iterator[tuple[Path, Path]]:
    """A whole file beside the place that it is to take, and that place; gone afterwards if it was not taken."""
    place = Path(os.path.realpath(path))
    part = place.with_name(f".assay-{os.urandom(8).hex()}.tmp")
    try:
        with _write_errors_as_sentences(path):
            old = _existing_file(place)
            # What only its owner may read is never readable by others, not even while it is written.
            handle = os.open(part, CREATED, 0o666 if old is None else 0o600)
            try:
                if old is not None:
                    _copy_owner_and_mode(handle, part, old)
                _write(handle, data)
                _flush(handle)
            finally:
                os.close(handle)
        yield part, place
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _copy_owner_and_mode(handle: int, part: Path, old: os.stat_result) -> None:
    """Give a new file the owner, where that can be done, and the mode of an old one."""
    new = os.fstat(handle)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):
            os.chown(part, old.st_uid, old.st_gid)
    part.chmod(stat.S_IMODE(old.st_mode))


def _write(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def _flush(handle: int) -> None:
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in NO_FSYNC:
            raise


def _flush_folder(folder: Path) -> None:
    """Have the new name itself survive a power cut, where a folder can be flushed."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _is_stream(path: Path) -> bool:
    """Whether a path is standard output, or something else that is no file on disk."""
    if path == STANDARD_OUTPUT:
        return True
    held = _existing_file(path)
    return held is not None and (not stat.S_ISREG(held.st_mode) or _is_printed_to(held))


def _write_stream(path: Path, data: bytes) -> None:
    held = None if path == STANDARD_OUTPUT else _existing_file(path)
    if held is None or _is_printed_to(held):
        # Through the same handle, which knows how far the file has been written.
        sys.stdout.write(data.decode("utf-8", "backslashreplace"))
        sys.stdout.flush()
        return
    handle = os.open(path, os.O_WRONLY)
    try:
        _write(handle, data)
    finally:
        os.close(handle)


def _existing_file(path: Path) -> os.stat_result | None:
    """What is at a path already, through links; nothing where nothing is."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _standard_output() -> os.stat_result | None:
    try:
        return os.fstat(sys.stdout.fileno())
    except (AttributeError, OSError, ValueError):  # closed, or replaced by something in memory
        return None


def _is_printed_to(held: os.stat_result) -> bool:
    printed = _standard_output()
    return printed is not None and os.path.samestat(held, printed)


def _is_nowhere(held: os.stat_result) -> bool:
    return os.path.samestat(held, Path(os.devnull).stat())


def _file_identity(path: Path) -> Identity | None:
    """What makes two paths one file; nothing where it makes no difference."""
    held = _standard_output() if path == STANDARD_OUTPUT else _existing_file(path)
    if held is None:
        return os.path.realpath(path)
    return None if _is_nowhere(held) else (held.st_dev, held.st_ino)


def _identity_of_input(path: str | Path) -> Identity | None:
    try:
        held = os.fstat(0) if str(path) == "-" else _existing_file(Path(path))
    except (OSError, ValueError):  # whoever reads it says what is wrong
        return None
    if held is None:
        return os.path.realpath(path)
    return (held.st_dev, held.st_ino) if stat.S_ISREG(held.st_mode) else None


@contextlib.contextmanager
def _write_errors_as_sentences(path: Path) -> Iterator[None]:
    """What fails while a file is written is said in one sentence."""
    try:
        yield
    except NotWritten:
        raise
    except BrokenPipeError:
        raise  # whoever was reading has gone
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or "no such path").lower()
        raise NotWritten(f"cannot write {_path_words(path)}: {why}", NEEDED) from error


def _path_words(path: Path) -> str:
    return "standard output" if path == STANDARD_OUTPUT else visible(str(path))
