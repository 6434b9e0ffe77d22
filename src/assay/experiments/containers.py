"""Containers of cases as users give them: data frames, arrays, sparse matrices, lists of text. Rows keep their type."""

from __future__ import annotations

import hashlib
import mmap
import pickle
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.sources.features import column_names, is_missing, series_of_frame

ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # where an object lies in memory, which is no part of what it is


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Columns by name, numbers or texts with None where one is missing: what an encoder makes numbers of.

    >>> table = ColumnTable({"wind": np.array(["N", "S"], dtype=object), "rain": np.array([0.0, 2.5])})
    >>> len(table), rows_of(table, np.array([1])).columns["rain"]
    (2, array([2.5]))
    """

    columns: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def take(self, rows: NDArray[np.integer]) -> ColumnTable:
        """Some of its rows."""
        return ColumnTable({name: values[rows] for name, values in self.columns.items()})


def case_count(container: Any) -> int:
    """How many cases a container holds.

    >>> case_count(["a text", "another"]), case_count(np.zeros((3, 8, 8)))
    (2, 3)
    """
    shape = getattr(container, "shape", None)
    return int(shape[0]) if isinstance(shape, tuple) and shape else len(container)


def rows_of(container: Any, rows: NDArray[np.integer]) -> Any:
    """Some cases of a container, in a container of the same type.

    >>> rows_of(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    >>> rows_of(np.arange(6).reshape(3, 2), np.array([1]))
    array([[2, 3]])
    """
    rows = np.asarray(rows, dtype=np.int64)
    if hasattr(container, "iloc"):
        return container.iloc[rows]
    if is_sparse(container):
        form = container.format
        return (container if form in ("csr", "csc", "lil") else container.tocsr())[rows].asformat(form)
    if isinstance(container, list | tuple):
        return type(container)([container[row] for row in rows.tolist()])
    if isinstance(container, ColumnTable) or type(container).__module__.startswith("pyarrow"):
        return container.take(rows)
    return container[rows] if hasattr(container, "__getitem__") else np.asarray(container)[rows]


def is_sparse(container: Any) -> bool:
    """Whether a container is a sparse matrix or array of scipy."""
    from scipy.sparse import issparse

    return bool(issparse(container))


def is_frame(container: Any) -> bool:
    """Whether a container has columns with names."""
    return isinstance(container, ColumnTable) or (hasattr(container, "columns") and hasattr(container, "shape"))


def without_columns(frame: Any, names: Sequence[str]) -> Any:
    """A data frame without some of its columns, of the same kind; `names` are those of `column_names`."""
    return only_columns(frame, [name for name in column_names(frame) if name not in names]) if names else frame


def only_columns(frame: Any, names: Sequence[str]) -> Any:
    """Some columns of a data frame in the order of their names, as a frame of the same kind.

    >>> import pandas
    >>> only_columns(pandas.DataFrame([[1, 2, 3]], columns=["x", "x", 0]), ["0", "x (2)"]).values.tolist()
    [[3, 2]]
    """
    known = column_names(frame)
    places = [known.index(name) for name in names]
    if hasattr(frame, "iloc"):
        return frame.iloc[:, places]
    return frame.select(places) if hasattr(frame, "itercolumns") else frame[:, places]


def column_of(frame: Any, name: str) -> Any:
    """One column of a data frame, as its own library has it."""
    return series_of_frame(frame)[column_names(frame).index(name)].to_native()


def with_rows_of_column(frame: Any, name: str, rows: NDArray[np.integer]) -> Any:
    """A data frame in which one column has the values of other rows.

    >>> table = ColumnTable({"a": np.array([1, 2]), "b": np.array([3, 4])})
    >>> with_rows_of_column(table, "b", np.array([1, 0])).columns["b"]
    array([4, 3])
    """
    if isinstance(frame, ColumnTable):
        return ColumnTable({**frame.columns, name: frame.columns[name][rows]})
    place = column_names(frame).index(name)
    if hasattr(frame, "iloc"):
        changed = frame.copy()
        changed.isetitem(place, frame.iloc[rows, place].set_axis(frame.index))
        return changed
    if hasattr(frame, "itercolumns"):
        return frame.set_column(place, frame.field(place), frame.column(place).take(rows))
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    return table.with_columns(table[name][rows.tolist()]).to_native()


def frame_like(known: Any, columns: Mapping[str, NDArray[Any]]) -> Any:
    """Columns as a data frame of the same kind as another one, with the same types of columns.

    >>> import pandas
    >>> frame_like(pandas.DataFrame({"a": [1], "b": ["x"]}), {"a": np.array([2.0]), "b": np.array(["y"])}).dtypes["a"]
    dtype('int64')
    """
    import narwhals as nw

    series, names = series_of_frame(known), column_names(known)
    made = {name: [_none_if_missing(value) for value in columns[name].tolist()] for name in names}
    new = nw.from_dict(made, backend=series[0].implementation)
    try:
        like = new.select(nw.col(name).cast(each.dtype) for name, each in zip(names, series, strict=True)).to_native()
    except Exception as error:  # each library has its own errors for a value of another type
        why = str(error).strip().split("\n")[0][:160]
        found = f"the new cases cannot be converted to the column types of the training data: {why}"
        raise InputError(found, f"a {type(known).__name__} of such columns") from None
    if hasattr(known, "iloc"):
        return like.set_axis(known.columns, axis=1)
    return like.rename_columns(known.column_names) if hasattr(known, "itercolumns") else like


def _none_if_missing(value: Any) -> Any:
    return None if is_missing(value) else value


def labels_in(container: Any) -> list[Any]:
    """Labels as values of Python.

    >>> labels_in(np.array(["no", "yes"])), labels_in([True, False])
    (['no', 'yes'], [True, False])
    """
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(container, method):
            values = getattr(container, method)()
            break
    else:
        values = list(container)
    return [value[0] if isinstance(value, list) and len(value) == 1 else value for value in values]


def described_container(container: Any) -> str:
    """What a container is, in a few words.

    >>> described_container(["a", "b"]), described_container(np.zeros((5, 8, 8), dtype=np.float32))
    ('list', 'ndarray of 8 x 8 float32')
    """
    kind = type(container).__name__
    shape = getattr(container, "shape", None)
    if not isinstance(shape, tuple) or len(shape) < 2:
        return kind
    if is_frame(container):
        return f"{type(container).__module__.partition('.')[0]} {kind} of {shape[1]:,} columns"
    kept = f" {container.dtype}" if hasattr(container, "dtype") else ""
    return f"{kind} of {' x '.join(f'{size:,}' for size in shape[1:])}{kept}"


def fingerprint(container: Any) -> str:
    """What a container holds, as a digest: the same type, names, types of columns and values give the same one.

    >>> fingerprint(["a", "b"]) == fingerprint(["a", "b"]), fingerprint(["a", "b"]) == fingerprint(("a", "b"))
    (True, False)
    """
    digest = hashlib.sha256()
    for part in _digest_parts(container):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _digest_parts(container: Any) -> Iterator[bytes]:
    yield f"{type(container).__module__}.{type(container).__qualname__}".encode()
    if is_sparse(container):
        whole = container.tocsr().copy()
        whole.sum_duplicates()
        yield repr((container.format, whole.shape, str(whole.dtype))).encode()
        yield from (each.tobytes() for each in (whole.data, whole.indices, whole.indptr))
    elif is_frame(container):
        yield from _frame_digest_parts(container)
    elif isinstance(container, np.ndarray) and not container.dtype.hasobject:
        yield repr((container.shape, str(container.dtype))).encode()
        yield np.ascontiguousarray(container).tobytes()
    elif hasattr(container, "dtype") and hasattr(container, "to_numpy"):  # a column of a frame
        yield f"{container.dtype}".encode()
        yield _values_as_bytes(labels_in(container))
    else:
        yield _values_as_bytes(container if isinstance(container, list | tuple) else list(container))


def _frame_digest_parts(frame: Any) -> Iterator[bytes]:
    if isinstance(frame, ColumnTable):
        yield from (_values_as_bytes([name, *values.tolist()]) for name, values in frame.columns.items())
        return
    kinds = frame.dtypes if hasattr(frame, "dtypes") else getattr(frame, "schema", "")
    yield repr([list(map(repr, getattr(frame, "column_names", frame.columns))), list(map(str, kinds))]).encode()
    for column in series_of_frame(frame):
        if column.dtype.is_numeric() and column.null_count() == 0:
            yield np.ascontiguousarray(column.to_numpy()).tobytes()
        else:
            yield _values_as_bytes(column.to_list())


def _values_as_bytes(values: Sequence[Any]) -> bytes:
    """Values as bytes that are the same in every process; arrays within them as a whole."""
    if all(isinstance(value, str) or value is None for value in values):
        return repr(list(values)).encode("utf-8", "surrogatepass")
    parts = (
        repr((value.shape, str(value.dtype))).encode() + value.tobytes()
        if isinstance(value, np.ndarray) and not value.dtype.hasobject
        else ADDRESS.sub("", repr(value)).encode("utf-8", "surrogatepass")
        for value in values
    )
    return b"\x00".join(parts)


def row_keys(container: Any) -> list[Hashable]:
    """Something for each case that is the same for cases that are equal in everything.

    >>> row_keys(["a", "b", "a"])
    ['a', 'b', 'a']
    """
    if is_sparse(container):
        whole = container.tocsr().copy()
        whole.sum_duplicates()
        ends = zip(whole.indptr[:-1].tolist(), whole.indptr[1:].tolist(), strict=True)
        return [(whole.indices[a:b].tobytes(), whole.data[a:b].tobytes()) for a, b in ends]
    if isinstance(container, np.ndarray) and not container.dtype.hasobject:
        flat = np.ascontiguousarray(container.reshape(len(container), -1))
        return [row.tobytes() for row in flat]
    if is_frame(container):
        columns = container.columns.values() if isinstance(container, ColumnTable) else series_of_frame(container)
        values = ([_hashable_key(value) for value in each.to_list()] if hasattr(each, "to_list") else each.tolist()
                  for each in columns)  # fmt: skip
        return list(zip(*values, strict=True))
    return [_hashable_key(value) for value in container]


def _hashable_key(value: Any) -> Hashable:
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if is_missing(value):
        return None
    try:
        hash(value)
    except TypeError:
        return repr(value)
    key: Hashable = value
    return key


def put_container(folder: Path, name: str, container: Any) -> None:
    """Write a container where workers of this program read it, large buffers beside it so that they can be mapped.

    It is pickled, in a folder of this run alone and for its own workers; nothing from elsewhere is ever unpickled.
    """
    if type(container) is np.ndarray and not container.dtype.hasobject:
        np.save(folder / f"{name}.npy", container)
        return
    buffers: list[pickle.PickleBuffer] = []
    try:
        packed = pickle.dumps(container, protocol=5, buffer_callback=buffers.append)
    except Exception as error:  # whatever a foreign class has against it
        why = str(error).strip().split("\n")[0][:120]
        found = f"a {type(container).__name__} cannot be sent to other processes ({why})"
        raise InputError(found, "picklable data, such as a frame, an array or a list") from None
    (folder / f"{name}.pickle").write_bytes(packed)
    sizes = []
    with (folder / f"{name}.buffers").open("wb") as file:
        for buffer in buffers:
            raw = buffer.raw()
            sizes.append(raw.nbytes)
            file.write(raw)
            file.write(b"\x00" * (-raw.nbytes % mmap.ALLOCATIONGRANULARITY if raw.nbytes else 0))
    np.save(folder / f"{name}_sizes.npy", np.array(sizes, dtype=np.int64))


def stored_container(folder: Path, name: str) -> Any:
    """A container that `put_container` wrote; its arrays stay in the file until they are looked at."""
    if (folder / f"{name}.npy").exists():
        return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r"))
    file, start, buffers = folder / f"{name}.buffers", 0, []
    for size in np.load(folder / f"{name}_sizes.npy").tolist():
        # Writable copies in memory where something is written: libraries ask for that and learners may do it.
        part = np.memmap(file, np.uint8, "c", start, (size,)) if size else np.empty(0, np.uint8)
        buffers.append(part)
        start += size + (-size % mmap.ALLOCATIONGRANULARITY if size else 0)
    # Written by this very program's driver a moment ago, into a folder that nobody else can write to.
    return pickle.loads((folder / f"{name}.pickle").read_bytes(), buffers=buffers)  # noqa: S301
