"""A stream from the lines of a file or a pipe to its moments: left off at any time, and taken up as if never left.

A stream left off, as a file: what is needed to go on as if nothing had happened, whole or not there.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.evaluation import evaluated
from assay.evidence import differing_field
from assay.output_files import write_all
from assay.request import Request, StreamRequest
from assay.sources import RowRoles, listed, shown
from assay.streams.intake import Intake, Place, RowReader
from assay.streams.line_follower import follow
from assay.streams.watch import Moment, StreamWatch, resume_watch, watch
from assay.streams.windows import ViewSpec, cumulative, fading, sliding

__all__ = ["StreamSession", "load_checkpoint", "save_checkpoint"]


MAGIC = b"assay stream checkpoint "
VERSION = 1
ARRAY = "#array"
HEADER = "header"
NEEDED = "a checkpoint that assay stream wrote, or the path of a new one"


def save_checkpoint(path: Path, state: Mapping[str, Any]) -> None:
    """Write a state of plain values and arrays: the old file is there or the new one, whenever it is stopped.

    What a state holds is evidence: counts, sums, the scores that views need, moments, and the predictions that wait
    for their label under their ids. Rows are in it only as far as a window holds them by its nature, as codes of
    classes and scores: no other column of what was read. Nothing in the file is code, and a checksum covers all of it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_checkpoint(Path(folder, "stream.state"), {"events": 3, "counts": [np.arange(3), {"a": np.nan}]})
    ...     load_checkpoint(Path(folder, "stream.state"))
    {'events': 3, 'counts': [array([0, 1, 2]), {'a': nan}]}
    """
    arrays: dict[str, NDArray[Any]] = {}
    header = json.dumps(_extract_arrays(state, arrays), ensure_ascii=True).encode()
    packed = io.BytesIO()
    np.savez(packed, **{HEADER: np.frombuffer(header, np.uint8)}, **arrays)  # type: ignore[arg-type]
    data = packed.getvalue()
    differing = differing_field(state, _unpack_checkpoint(data), "state")
    if differing is not None:
        raise InputError(f"the checkpoint cannot be restored exactly: {differing} differs", "a report of this error")
    write_all({path: MAGIC + f"{VERSION} {_sha256_hex(data)}\n".encode() + data})


def load_checkpoint(path: Path) -> dict[str, Any] | None:
    """The state in a file; None where there is no file, and a sentence where it is no checkpoint or a damaged one."""
    try:
        whole = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{shown(path)} cannot be read: {(error.strerror or 'it failed').lower()}", NEEDED) from None
    first, data = (*whole.split(b"\n", 1), b"")[:2]
    if not first.startswith(MAGIC):
        raise InputError(f"{shown(path)} is not a checkpoint of a stream", NEEDED)
    version, checksum = (*first[len(MAGIC) :].split(b" ", 1), b"")[:2]
    if version != str(VERSION).encode():
        found = f"{shown(path)} has checkpoint version {shown(version.decode('ascii', 'replace'))}"
        raise InputError(found, f"version {VERSION}, or the path of a new one")
    if checksum != _sha256_hex(data).encode():
        raise damaged(path)
    try:
        return _unpack_checkpoint(data)
    except Exception as error:
        # The header of an array is a piece of Python to numpy, and what may go wrong with it has no end of kinds.
        raise damaged(path) from error


def damaged(path: Path) -> InputError:
    """What to say of a checkpoint that does not hold what it should."""
    return InputError(f"the checkpoint {shown(path)} is damaged", NEEDED)


def _unpack_checkpoint(data: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as members:
        if sum(member.file_size for member in members.infolist()) > len(data):
            raise zipfile.BadZipFile  # what is written here is not compressed: this would fill the memory
    with np.load(io.BytesIO(data), allow_pickle=False) as held:
        arrays = {name: held[name] for name in held.files}
    if any(array.dtype.kind not in "biufU" or not array.dtype.itemsize for array in arrays.values()):
        raise zipfile.BadZipFile("a state has no such values")
    found: dict[str, Any] = _restore_arrays(json.loads(arrays[HEADER].tobytes()), arrays)
    return found


def _sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _extract_arrays(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """The same with every array put aside and its name in its place."""
    if isinstance(value, np.ndarray):
        name = f"a{len(arrays)}"
        arrays[name] = value
        return {ARRAY: name}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {key: _extract_arrays(each, arrays) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_extract_arrays(each, arrays) for each in value]
    return value


def _restore_arrays(value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    if isinstance(value, dict):
        if value.keys() == {ARRAY}:
            return arrays[value[ARRAY]]
        return {key: _restore_arrays(each, arrays) for key, each in value.items()}
    return [_restore_arrays(each, arrays) for each in value] if isinstance(value, list) else value


# A checkpoint is written no more often than that, and takes at most this share of the time.
SHORTEST, SHARE = 0.1, 0.05
COLUMNS = ("truth", "id", "positive", "threshold")


class StreamSession:
    """Lines taken to a watch, as was asked: `run` goes through them, `put` is given every moment that becomes due.

    Where the checkpoint that was asked for is there already, everything goes on from it, with the settings it was made
    with. `say` is told what is not plain.
    """

    def __init__(
        self, file: str, request: StreamRequest, say: Callable[[str], object], put: Callable[[Moment], object]
    ) -> None:
        if file == "-" and request.follow:
            raise OptionError(
                "follow cannot be used with standard input, which is always read to its end", about="follow"
            )
        saved = None if request.checkpoint is None else load_checkpoint(request.checkpoint)
        self.output: Mapping[str, Any] | None = None  # how far that was written, where it goes on
        self.request = request if saved is None else _resumed_request(request, saved)
        place = None if saved is None else Place(**saved["intake"]["place"])
        # What is kept up to a line is one day read on: a line without an end may then have one.
        is_whole = not (request.follow or request.checkpoint)
        self._source = follow(file, say, place, forever=request.follow, is_whole=is_whole)
        self._say, self._put = say, put
        reader = RowReader(
            self._source.name, _column_request(request), time=request.time, timed=bool(self.request.seconds),
            skip_bad=request.skip_bad,
        )  # fmt: skip
        self._intake = Intake(
            reader,
            self._create_watch,
            self._source.place,
            self._heard,
            every=self.request.used("every"),
            skip_bad=request.skip_bad,
        )
        self._reference = None if saved is not None else _reference_error_rate(request)
        if saved is not None:
            self._restore(saved)
        self._saved_at, self._cost = time.monotonic(), 0.0

    def _restore(self, saved: Mapping[str, Any]) -> None:
        assert self.request.checkpoint is not None
        try:
            self._intake.watch = resume_watch(saved["watch"])
            self._intake.restore(saved["intake"])
            self.output = saved["output"]
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise damaged(self.request.checkpoint) from error
        assert self.watch is not None
        self._say(f"Going on after {self.watch.events:,} events, as {self.request.checkpoint} has it.")

    @property
    def name(self) -> str:
        """What is read."""
        return self._source.name

    @property
    def watch(self) -> StreamWatch | None:
        """What is known; None until the columns are."""
        return self._intake.watch

    @property
    def left_out(self) -> tuple[int, str]:
        """How many lines could not be used, and what was wrong with the first of them."""
        return self._intake.bad, self._intake.first_bad

    def run(self) -> Iterator[None]:
        """Go through the lines: it stops to look up after each piece of them, and whenever there are none for now."""
        for piece in self._source.pieces():
            if piece is not None:
                self._intake.take(piece)
            yield
        self._intake.take(None)
        if self.watch is None:
            raise InputError(f"{shown(self.name)} has no rows", "a header line and at least one row")

    def _create_watch(self, roles: RowRoles) -> StreamWatch:
        self._say(f"Reading {self.name}: {roles.words}")
        request = self.request
        of_columns = tuple(name for name, _ in roles.per_class)
        if of_columns and request.classes and {*of_columns} != {*request.classes}:
            raise OptionError(f"classes differ from those of the score columns: {listed(of_columns)}", about="classes")
        rate, cases = self._reference or (None, None)
        return watch(
            positive=roles.of_class if request.positive is None else request.positive,
            classes=of_columns or request.classes or None,
            threshold=request.threshold,
            views=_view_specs(request),
            measures=request.measure or None,
            every=request.used("every"),
            reference=rate,
            reference_cases=cases,
            margin=request.used("margin"),
            alpha=request.used("alpha"),
            detectors=request.detectors_used,
            together=request.used("together"),
            expire_after=request.expire_after,
            level=request.used("level"),
            seed=request.used("seed"),
        )

    def _heard(self, found: StreamWatch) -> None:
        for moment in found.new_moments():
            self._put(moment)

    @property
    def is_due(self) -> bool:
        """Whether it is time for another checkpoint."""
        waited = time.monotonic() - self._saved_at
        return self.request.checkpoint is not None and waited >= max(SHORTEST, self._cost / SHARE)

    def save(self, output: Mapping[str, Any] | None) -> None:
        """Keep how far it came, and how far the output was written; nothing where there is nothing to keep yet."""
        if self.request.checkpoint is None or self.watch is None or self._intake.place is None:
            return
        if not (self.watch.events or self.watch.run.labels.predicted):
            return  # whoever was told to say more is not held to what was said before
        started = time.monotonic()
        state = {"settings": self.request.settings, "intake": self._intake.state(), "watch": self.watch.state()}
        save_checkpoint(self.request.checkpoint, {**state, "output": output})
        self._saved_at = time.monotonic()
        self._cost = self._saved_at - started


def _resumed_request(request: StreamRequest, saved: Mapping[str, Any]) -> StreamRequest:
    assert request.checkpoint is not None
    if not {"settings", "intake", "watch", "output"} <= saved.keys():
        raise damaged(request.checkpoint)
    return request.resumed(saved["settings"])


def _column_request(request: StreamRequest) -> Request:
    """What was said of columns, as files are read."""
    said = {name: getattr(request, name) for name in COLUMNS}
    single = {name: (getattr(request, name),) for name in ("score", "pred") if getattr(request, name) is not None}
    return Request.of({**said, **single, "ignore": request.ignore})


def _view_specs(request: StreamRequest) -> tuple[ViewSpec, ...]:
    windows = request.window or (() if request.seconds or request.fading else (1000,))
    timed = (sliding(seconds=each) for each in request.seconds)
    return (cumulative(), *map(sliding, windows), *timed, *map(fading, request.fading))


def _reference_error_rate(request: StreamRequest) -> tuple[float, int | None] | None:
    """The error rate to hold the stream against, and from how many cases it was estimated."""
    if request.reference_file is None:
        return None if request.reference is None else (request.reference, None)
    models = evaluated(Path(request.reference_file), _column_request(request))
    if len(models) > 1:
        held = f"{shown(request.reference_file)} has predictions of {len(models)} models"
        raise OptionError(held, "the predictions of one model", about="reference_file")
    (found,) = models.values()
    accuracy = found.estimate("accuracy")
    return 1 - accuracy.value, int(accuracy.n)
