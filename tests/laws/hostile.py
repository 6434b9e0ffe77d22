"""Files that somebody damaged: sound ones of every format, flipped, cut, spliced and doubled at the level of bytes.

`python -m tests.laws.hostile SECONDS [SEED]` goes on for so long with files that no run has seen before; it stops at
the first that fails, and keeps it in tests/laws/failed, where `make test` reads it ever after.
"""

from __future__ import annotations

import bz2
import faulthandler
import gzip
import io
import json
import lzma
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
from tests.sources.corpus import formats, names

import assay
from assay.errors import AssayError
from assay.report import render_json, render_text

FAILED = Path(__file__).parent / "failed"
SLOWEST = 10.0  # seconds of this process that any file may take
# Bytes that mean something to one format or another.
SIGNS = b"\x00\xff\n\r\t,;:\"'\\{}[]()?%#@*+"
WORDS = b"nan inf -inf 1e999 -1 1e308 1e-320 0x1p3 @data @attribute inst# PAR1 sep= y_true score pred weight count "
WORDS += b"cluster fold id model proba_ \x80\x04. PK\x03\x04 \xef\xbb\xbf \xff\xfe \xed\xa0\x80 \xe2\x80\xae \x1b[31m"
TOKENS = (*(bytes([sign]) for sign in SIGNS), *WORDS.split(), b"\r\n", b"9" * 400)
CLASSES = ("no", "'yes'")
ARFF = """% made
@relation a
@attribute y_true {no, 'yes'}
@attribute 'it\\'s' string
@attribute score numeric
@attribute site string
@data
""" + "".join(f"{CLASSES[k % 2]}, 'it\\'s', {k * 7 % 40 / 40}, north, {{2}}\n" for k in range(40))


@dataclass(frozen=True)
class Sound:
    """A file that can be read."""

    name: str
    data: bytes


@cache
def sound_files() -> tuple[Sound, ...]:
    """One of every kind that the reader knows."""
    found = [*_of_corpus(), *_binary()]
    plain = next(each for each in found if each.name.endswith(".csv")).data
    found += [Sound("a.csv.gz", gzip.compress(plain)), Sound("a.csv.bz2", bz2.compress(plain))]
    found += [Sound("a.csv.xz", lzma.compress(plain)), Sound("twice.csv.gz", gzip.compress(gzip.compress(plain)))]
    return tuple(found)


@cache
def by_format() -> tuple[tuple[Sound, ...], ...]:
    """The same, those of one format together, so that each is tried as often as any other."""
    found: dict[str, list[Sound]] = {}
    for each in sound_files():
        found.setdefault("weka" if b"inst#" in each.data else "".join(Path(each.name).suffixes), []).append(each)
    return tuple(map(tuple, found.values()))


def _of_corpus() -> Iterator[Sound]:
    with tempfile.TemporaryDirectory() as folder:
        for place, case in enumerate((*formats.CASES, *names.CASES)):
            path = Path(folder, str(place), case.name)
            path.parent.mkdir()
            case.write(path)
            data = path.read_bytes()
            if len(data) < 60_000 and not (case.refused or case.options):
                yield Sound(case.name, data)


def _binary() -> Iterator[Sound]:
    truth, score = np.arange(40) % 2, np.linspace(0.05, 0.95, 40)
    columns = {"y_true": truth, "score": score, "site": np.array(["north", "south"])[truth]}
    table = pa.table(columns)
    made: dict[str, Callable[[io.BytesIO], Any]] = {
        "a.parquet": lambda to: pa.parquet.write_table(table, to),
        "a.feather": lambda to: pa.feather.write_feather(table, to),
        "a.npy": lambda to: np.save(to, np.column_stack([truth, score])),
        "a.npz": lambda to: np.savez(to, y_true=truth, y_score=score),
    }
    for kind, write in made.items():
        file = io.BytesIO()
        write(file)
        yield Sound(kind, file.getvalue())
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    yield Sound("a.arrow", stream.getvalue())
    rows = [{name: values[k].item() for name, values in columns.items()} for k in range(40)]
    yield Sound("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    yield Sound("a.json", json.dumps(rows).encode())
    yield Sound("a.arff", ARFF.encode())
    yield Sound("a.evidence", assay.reduce(truth, score, bits=6).to_bytes())
    yield Sound("c.evidence", assay.reduce(truth, np.arange(-20, 20), exact=True, threshold=-3).to_bytes())
    yield Sound("b.evidence", assay.reduce(truth, {"a": score, "b": 5 * score}, weight=1 + score).to_bytes())


def damaged(rng: random.Random, data: bytes, others: tuple[Sound, ...]) -> bytes:
    """The same with up to four things done to it."""
    for _ in range(rng.choice((1, 1, 1, 1, 1, 2, 2, 3))):
        size = len(data)
        start = rng.randrange(size + 1)
        end = min(size, start + rng.choice((1, 1, 2, 4, 16, 64, 1000)))
        match rng.randrange(8):
            case 0 if start < size:  # a bit
                data = data[:start] + bytes([data[start] ^ 1 << rng.randrange(8)]) + data[start + 1 :]
            case 1:  # a byte
                data = data[:start] + bytes([rng.randrange(256)]) + data[start + 1 :]
            case 2:  # its end
                data = data[:start]
            case 3:  # a piece out of it
                data = data[:start] + data[end:]
            case 4:  # a piece twice, or many times
                data = data[:end] + data[start:end] * rng.choice((1, 1, 2, 50)) + data[end:]
            case 5:  # a piece of another file
                other = rng.choice(others).data
                place = rng.randrange(len(other) + 1)
                data = data[:start] + other[place : place + rng.choice((4, 40, 400))] + data[end:]
            case _:  # something that means something
                data = data[:start] + rng.choice(TOKENS) * rng.choice((1, 1, 1, 3)) + data[rng.choice((start, end)) :]
    return data


class Failure(AssertionError):
    """A file that ended in neither an evaluation nor one sentence."""


def outcome(path: Path) -> str:
    """What became of a file: "evaluated", or the kind of error; whatever else happens is a failure."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            models = assay.evaluate_models(path)
            render_text(models)
            render_json(models)
            found = "evaluated"
        except AssayError as error:
            sentence = str(error)
            found = type(error).__name__
            if not sentence or len(sentence) > 4_000 or "Traceback" in sentence:
                raise Failure(f"{path.name}: {sentence[:200]!r} is no sentence") from error
        except Exception as error:
            raise Failure(f"{path.name}: {type(error).__name__}: {str(error)[:200]}") from error
    if time.process_time() - start > SLOWEST:
        raise Failure(f"{path.name}: took {time.process_time() - start:.0f} s")
    return found


@dataclass
class Tally:
    """How many files were tried, of which formats, and what became of them."""

    formats: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        kinds = ", ".join(f"{name} {count:,}" for name, count in self.outcomes.most_common())
        return f"{self.outcomes.total():,} damaged files of {len(self.formats)} formats: {kinds}"


def tried(rng: random.Random, folder: Path, tally: Tally) -> None:
    """One damaged file, counted; one that fails is kept."""
    sound = rng.choice(rng.choice(by_format()))
    path = folder / sound.name
    path.write_bytes(damaged(rng, sound.data, sound_files()))
    try:
        tally.outcomes[outcome(path)] += 1
    except Failure:
        FAILED.mkdir(exist_ok=True)
        (FAILED / f"{random.randrange(10**6):06}-{sound.name}").write_bytes(path.read_bytes())
        raise
    tally.formats["".join(Path(sound.name).suffixes)] += 1
    path.unlink()


def main(seconds: float, seed: int) -> int:
    """Go on for so long; the exit code is 1 where a file failed."""
    faulthandler.enable()
    rng, tally, end = random.Random(seed), Tally(), time.monotonic() + seconds
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            try:
                tried(rng, Path(folder), tally)
            except Failure as failure:
                print(f"{failure}\n{tally}; kept in {FAILED}", flush=True)
                return 1
    print(tally)
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**9)))
