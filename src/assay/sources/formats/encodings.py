"""Text in whatever encoding a file has it, as a copy in UTF-8: the engine reads nothing else."""

from __future__ import annotations

import codecs
import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from assay.errors import InputError, OptionError
from assay.sources.formats.compression import CHUNK, temporary_copy
from assay.sources.quoting import shown

__all__ = ["EIGHT_BIT", "UTF8_MARK", "decoded", "encoding_of", "not_utf8"]

UTF8_MARK = codecs.BOM_UTF8
# Longer marks first: that of UTF-32 begins with that of UTF-16.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
EIGHT_BIT = ("cp1252", "latin-1")  # what Windows writes in western Europe, and what knows every byte


def encoding_of(head: bytes, said: str | None, name: str) -> str | None:
    """The encoding that a file has to be decoded from; nothing where it is UTF-8 as it stands.

    >>> encoding_of("a;b".encode("utf-16"), None, "a.csv"), encoding_of(b"a;b", None, "a.csv")
    ('utf-16', None)
    >>> encoding_of("y_true;score".encode("utf-16-le"), None, "a.csv"), encoding_of(b"a;b", "cp1252", "a.csv")
    ('utf-16-le', 'cp1252')
    """
    marked = next((encoding for mark, encoding in MARKS.items() if head.startswith(mark)), None)
    if said is None:
        return None if marked == "utf-8" else marked or _guess_utf16(head)
    plain = codecs.lookup(said).name
    if marked is not None and not plain.startswith(marked):
        found = f"encoding is {said}, and {shown(name)} starts with the mark of {marked.upper()}"
        raise OptionError(found, "the encoding it has", {"encoding": marked}, about="encoding")
    return None if plain in ("utf-8", "utf-8-sig", "ascii") else marked or said


def _guess_utf16(head: bytes) -> str | None:
    """UTF-16 without its mark, where nearly every second byte is zero and none of the others is."""
    pairs = len(head) // 2
    even, odd = head[: 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
    if pairs and 3 * max(even, odd) >= 2 * pairs and min(even, odd) == 0:
        return "utf-16-le" if odd else "utf-16-be"
    return None


@contextlib.contextmanager
def decoded(stream: IO[bytes], encoding: str, name: str) -> Iterator[Path]:
    """The same text as a file in UTF-8, decoded piece by piece and without a mark."""
    with temporary_copy() as (path, append):
        try:
            with io.TextIOWrapper(stream, encoding, newline="") as text:
                append(text.read(CHUNK).removeprefix("\ufeff").encode("utf-8"))
                while piece := text.read(CHUNK):
                    append(piece.encode("utf-8"))
        except InputError:
            raise
        except (UnicodeError, ValueError) as error:
            raise OptionError(
                f"{shown(name)} is no text in the encoding {encoding}",
                "the encoding it was written in, such as cp1252 or utf-16",
                about="encoding",
            ) from error
        yield path


def not_utf8(stream: IO[bytes], where: str) -> InputError:
    """What to say of 8-bit text; the encoding it offers can decode the whole file."""
    decoders = {encoding: codecs.getincrementaldecoder(encoding)() for encoding in EIGHT_BIT}
    while chunk := stream.read(CHUNK):
        for encoding in list(decoders):
            try:
                decoders[encoding].decode(chunk)
            except UnicodeDecodeError:
                del decoders[encoding]
    return InputError(f"{where} is not UTF-8", "the encoding it has", {"encoding": next(iter(decoders))})
