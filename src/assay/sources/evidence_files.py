"""Files of evidence: how they hold what each source contributes, and that nothing else is taken for it.

How a file of evidence holds what several classifiers made of the same cases.

How a file of evidence holds what the cases of many classes add up to.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DISTRIBUTION, InputError
from assay.evidence import Binned, ClassSums, ConfusionMatrix, Contribution, JointCorrectness, Reduced, differing_field
from assay.evidence.binning import ScoreGrid
from assay.evidence.joint_sums import JointLosses, JointScores, ModelSums, Pair
from assay.evidence.multiclass import ANSWERS, MOST_PAIRED, paired
from assay.evidence.paired import PairedDecisions
from assay.evidence.score_table import ScoreTable
from assay.sources.evidence_archive import is_evidence, packed, unpacked
from assay.sources.evidence_consistency import refuse_inconsistent
from assay.sources.quoting import shown
from assay.types import Floats

__all__ = [
    "evidence_bytes",
    "evidence_file",
    "evidence_files",
    "read_pairs",
    "read_sums",
    "written_pairs",
    "written_sums",
]


# The next so many numbers of an array.
Next = Callable[[str, int], NDArray[Any]]


def written_pairs(both: ModelSums, arrays: Arrays) -> dict[str, Any]:
    """Sums as a header holds them; the cells of pairs go to the arrays."""
    return {
        "names": list(both.names),
        "scores": [{"pair": list(pair), **_joint_scores_record(held, arrays)} for pair, held in both.scores.items()],
        "decisions": [
            {
                "pair": list(pair),
                "decisions": list(held.decisions),
                "classes": list(held.classes),
                **_paired_counts_record(held),
            }
            for pair, held in both.decisions.items()
        ],
        "losses": {
            name: {"sums": held.sums.tolist(), "products": held.products.tolist()} for name, held in both.losses.items()
        },
    }


def _paired_counts_record(held: PairedDecisions) -> dict[str, Any]:
    return {"counts": held.counts.tolist(), **({} if held.squares is None else {"squares": held.squares.tolist()})}


def _joint_scores_record(held: JointScores, arrays: Arrays) -> dict[str, Any]:
    table, numbers = held.pairs, held.pairs.score.astype(np.int64)
    sides = dict(zip(SIDES, (table.negative, table.positive), strict=True))
    if table.is_weighted:
        sides |= {f"{side}_squares": each for side, each in zip(SIDES, table.squared_weights, strict=True)}
    for name, values in {"gap": np.diff(numbers, prepend=numbers[:1]), **sides}.items():
        arrays.setdefault(f"pair_{name}", []).append(values)
    grids = [{"kind": grid.kind, "bits": grid.bits} for grid in held.grids]
    first = int(numbers[0]) if len(held) else 0
    return {"grids": grids, "length": len(held), "first": first, "weighted": table.is_weighted}


def read_pairs(said: Mapping[str, Any], following: Next) -> ModelSums:
    """The sums of such a header and arrays; whatever does not fit together is refused."""
    names = tuple(map(str, said["names"]))
    scores = {_read_model_pair(each, names): _read_joint_scores(each, following) for each in said["scores"]}
    decisions = {_read_model_pair(each, names): _read_paired_decisions(each) for each in said["decisions"]}
    size = len(names) + 1
    losses = {
        str(name): JointLosses(
            names, _number_array(each["sums"], (size,)), _number_array(each["products"], (size, size))
        )
        for name, each in said["losses"].items()
    }
    return ModelSums(names, scores, decisions, losses)


def _read_model_pair(said: Mapping[str, Any], names: tuple[str, ...]) -> Pair:
    first, second = (int(place) for place in said["pair"])
    if not 0 <= first < second < len(names):
        raise InputError("a pair of models")
    return first, second


def _read_joint_scores(said: Mapping[str, Any], following: Next) -> JointScores:
    first, second = (ScoreGrid(each["kind"], int(each["bits"])) for each in said["grids"])
    length = int(said["length"])
    gaps = following("pair_gap", length).astype(np.int64)
    names = (*SIDES, *(f"{side}_squares" for side in SIDES)) if said["weighted"] is True else SIDES
    sides = [following(f"pair_{name}", length).astype(np.float64) for name in names]
    squares = {f"{side}_squares": each for side, each in zip(SIDES, sides[2:], strict=False)}
    numbers = (np.cumsum(gaps) + int(said["first"])).astype(np.float64)
    table = ScoreTable(numbers, sides[0], sides[1], **squares)  # type: ignore[arg-type]
    return JointScores((first, second), table)


def _read_paired_decisions(said: Mapping[str, Any]) -> PairedDecisions:
    classes, decisions = tuple(map(str, said["classes"])), tuple(map(str, said["decisions"]))
    shape = (len(classes), len(decisions), len(decisions))
    squares = _number_array(said["squares"], shape) if "squares" in said else None
    return PairedDecisions(_number_array(said["counts"], shape), classes, decisions, squares)


def _number_array(values: Any, shape: tuple[int, ...]) -> Floats:
    found = np.array(values, dtype=np.float64)
    if found.shape != shape:
        raise InputError("sums of all models")
    return found


NAMES = ("by_truth", "by_truth_squares")


def written_sums(
    sums: ClassSums, arrays: Arrays, written: Callable[[Scores, Arrays], dict[str, Any]]
) -> dict[str, Any]:
    """Sums as a header holds them; what is counted of every true class goes to the arrays, class by class."""
    for counts in sums.by_truth:
        for name, each in zip(NAMES, counts, strict=False):
            arrays.setdefault(name, []).append(each.ravel())
    return {
        "by_truth": len(sums.by_truth[0]) if sums.by_truth else 0,
        "answers": {name: written(sums.answers[name], arrays) for name in ANSWERS},
        "losses": {name: each.tolist() for name, each in sums.losses.items()},
        "certain_and_wrong": sums.certain_and_wrong,
        "are_probabilities": sums.are_probabilities,
    }


def read_sums(
    said: Mapping[str, Any],
    classes: int,
    scores: Sequence[Scores],
    following: Next,
    read: Callable[[Mapping[str, Any]], Scores],
) -> ClassSums:
    """The sums of such a header and arrays; whatever does not fit together is refused."""
    layers = int(said["by_truth"])
    if layers not in (0, 1, 2) or (layers and classes > MOST_PAIRED):
        raise InputError("cases are counted once, or with their weights squared")
    by_truth = tuple(_read_true_class_counts(each, layers, classes, following) for each in scores if layers)
    answers = {name: read(said["answers"][name]) for name in ANSWERS}
    if set(said["answers"]) != set(ANSWERS):
        raise InputError("there are no other answers")
    losses = {str(name): np.array(values, dtype=np.float64) for name, values in said["losses"].items()}
    return ClassSums(by_truth, answers, losses, float(said["certain_and_wrong"]), said["are_probabilities"] is True)


def _read_true_class_counts(scores: Scores, layers: int, classes: int, following: Next) -> Any:
    at = paired(scores)
    found = [following(name, classes * len(at)).astype(np.float64).reshape(classes, -1) for name in NAMES[:layers]]
    return np.array(found).reshape(layers, classes, len(at))


SUFFIX = ".evidence"
Scores = Binned | ScoreTable
Arrays = dict[str, list[NDArray[Any]]]
SIDES = ("negative", "positive")
WROTE = "a file written by assay reduce or assay merge"
# Types of whole numbers that are not negative, and the powers of two below which they hold all of them.
WHOLE = (("u1", 8), ("<u2", 16), ("<u4", 32), ("<u8", 64))


def evidence_bytes(parts: Sequence[Contribution]) -> bytes:
    """The file of parts, read back and compared: the same bytes for the same parts.

    It is a header, and arrays in which the cells of all parts stand. What would not be read as it is here is not
    written: the rows that it was made of may be gone by the time somebody reads it.
    """
    data = _pack_parts(parts)
    what = "what would be written"
    back = _read_parts(*unpacked(data, what), what)
    mine, theirs = ([list(part.models) for part in each] for each in (parts, back))
    differing = differing_field(tuple(parts), back) or differing_field(mine, theirs, "models")
    if differing is not None:
        raise InputError(
            f"the evidence would not be read back unchanged: {differing} differs", "a report of this error"
        )
    return data


def _pack_parts(parts: Sequence[Contribution]) -> bytes:
    arrays: Arrays = {}
    header: dict[str, Any] = {"parts": [_part_record(part, arrays) for part in parts]}
    if not any(model.sums for part in parts for model in part.models.values()):
        # What older versions of this package can read is written as they wrote it.
        header["version"] = 1
    whole = {name: _smallest_dtype_array(np.concatenate(pieces)) for name, pieces in arrays.items()}
    return packed({"written_by": version(DISTRIBUTION), **header}, whole)


def evidence_file(path: Any) -> tuple[tuple[Contribution, ...], str] | None:
    """The parts in a file of evidence and its SHA-256; None where there is no such file, or it holds something else.

    A part without a name is called as the file is.
    """
    if not isinstance(path, str | PathLike) or str(path) == "-":
        return None
    file = Path(path)
    try:
        if not file.is_file():  # a pipe can be read only once, by whoever reads predictions
            return None
        with file.open("rb") as stream:
            head = stream.read(64)
            if not (file.suffix == SUFFIX or is_evidence(head)):
                return None
            data = head + stream.read()
    except (OSError, ValueError):
        return None  # whoever reads other files says what is wrong with this one
    name = shown(file.name)
    parts = _read_parts(*unpacked(data, name), name)
    called = tuple(part if part.name else replace(part, name=file.name.removesuffix(SUFFIX)) for part in parts)
    return called, hashlib.sha256(data).hexdigest()


def _path_test(question: Callable[[], bool]) -> bool:
    """What a path answers; a name that no file can have is the name of none."""
    with contextlib.suppress(OSError, ValueError):
        return question()
    return False


def evidence_files(pattern: str | PathLike[str]) -> list[str]:
    """The files that a path or a pattern of paths names, in the order of their names."""
    text = str(pattern)
    if _path_test(Path(text).is_file) or not glob.has_magic(text):
        if not _path_test(Path(text).exists):
            raise InputError(f"there is no file {shown(text)}", "the path of a file that exists")
        return [text]
    files = sorted(glob.glob(text))  # noqa: PTH207 -- of a Path a pattern cannot begin at the root
    if not files:
        raise InputError(f"no file matches {shown(text)}", "a pattern that matches files")
    return files


def _read_parts(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], name: str) -> tuple[Contribution, ...]:
    """The parts of a header and arrays that are whole; what does not fit together is refused."""
    pieces = _Pieces(arrays)
    try:
        parts = tuple(_read_part(said, pieces) for said in _checked_list(header["parts"]))
        pieces.refuse_rest()
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as error:
        why = f": {error}" if isinstance(error, InputError) else ""
        raise InputError(f"{name} has invalid content for an evidence file{why}", WROTE) from error
    if not parts:
        raise InputError(f"{name} holds no evidence", "evidence of at least one source")
    try:
        refuse_inconsistent(parts)
    except InputError as error:
        raise InputError(f"{name} is inconsistent: {error.found}", WROTE) from error
    return parts


def _part_record(part: Contribution, arrays: Arrays) -> dict[str, Any]:
    said: dict[str, Any] = {"name": part.name, "sources": list(part.sources)}
    # A list, since the order of models is the user's, and the names of a mapping are put in order.
    said["models"] = [{"name": name, **_reduced_model_record(model, arrays)} for name, model in part.models.items()]
    if part.joint is not None:
        said["joint"] = {"names": list(part.joint.names), **_counts_record(part.joint.counts, part.joint.squares)}
    if part.together is not None:
        said["together"] = written_pairs(part.together, arrays)
    return said


def _reduced_model_record(model: Reduced, arrays: Arrays) -> dict[str, Any]:
    said: dict[str, Any] = {"classes": list(model.classes), "cases": list(model.cases)}
    if model.threshold is not None:
        said |= {"threshold": model.threshold, "threshold_was_given": model.is_threshold_given}
    if model.matrix is not None:
        said["matrix"] = {
            "decisions": list(model.matrix.decisions),
            **_counts_record(model.matrix.counts, model.matrix.squares),
        }
    said["scores"] = [_scores_record(each, arrays) for each in model.scores]
    return said if model.sums is None else {**said, "sums": written_sums(model.sums, arrays, _scores_record)}


def _counts_record(counts: Floats, squares: Floats | None) -> dict[str, Any]:
    return {"counts": _json_numbers(counts), **({} if squares is None else {"squares": _json_numbers(squares)})}


def _json_numbers(counts: Floats) -> list[Any]:
    """Numbers as JSON holds them, whole ones without a point."""
    return [
        _json_numbers(row) if isinstance(row, np.ndarray) else int(row) if row == int(row) else float(row)
        for row in counts
    ]


def _scores_record(scores: Scores, arrays: Arrays) -> dict[str, Any]:
    squares = [getattr(scores, f"{side}_squares") for side in SIDES]
    said: dict[str, Any] = {"classes": list(scores.classes), "length": len(scores), "weighted": squares[0] is not None}
    sides = dict(zip(SIDES, (scores.negative, scores.positive), strict=True))
    sides |= {f"{side}_squares": each for side, each in zip(SIDES, squares, strict=True) if each is not None}
    if isinstance(scores, ScoreTable):
        said["kind"], sides["score"] = "scores", scores.score
    else:
        said |= {"kind": "cells", "grid": {"kind": scores.grid.kind, "bits": scores.grid.bits}}
        tied = np.flatnonzero(~np.isnan(scores.least))
        said |= {"first": int(scores.cell[0]) if len(scores) else 0, "ties": len(tied)}
        said["hidden"] = _json_numbers(np.array(scores.hidden))
        # Gaps between neighbours are small, whatever the numbers of the cells are.
        sides |= {"gap": np.diff(scores.cell, prepend=scores.cell[:1]), "tie": np.diff(tied, prepend=tied[:1] * 0)}
        sides["tied_score"] = scores.least[tied]
    for name, values in sides.items():
        arrays.setdefault(name, []).append(values)
    return said


def _smallest_dtype_array(values: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in the fewest bytes: whole ones from 0 on without a sign, all others as floating-point numbers.

    >>> columns = [0.0, 255.0], [256], [-1.0, 2.0], [0.5], [1e30], []
    >>> [_smallest_dtype_array(np.array(values)).dtype.name for values in columns]
    ['uint8', 'uint16', 'float64', 'float64', 'float64', 'uint8']
    """
    least, most = values.min(initial=0), values.max(initial=0)
    if least < 0 or not most < 2.0**64 or not (values == np.floor(values)).all():
        return values.astype("<f8")
    return values.astype(next(name for name, bits in WHOLE if int(most) < 1 << bits))


class _Pieces:
    """The arrays of a file, of which each score takes the next piece."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays, self._taken = arrays, dict.fromkeys(arrays, 0)

    def next(self, name: str, length: int) -> NDArray[Any]:
        start = self._taken.get(name, 0)
        if length == 0 and name not in self._arrays:
            return np.zeros(0)
        piece = self._arrays[name][start : start + length]
        if piece.shape != (length,):
            raise InputError("an array is too short")
        self._taken[name] = start + length
        return piece

    def refuse_rest(self) -> None:
        if any(len(self._arrays[name]) != taken for name, taken in self._taken.items()):
            raise InputError("an array is too long")


def _read_part(said: Mapping[str, Any], pieces: _Pieces) -> Contribution:
    models = {_checked_text(each["name"]): _read_reduced_model(each, pieces) for each in said["models"]}
    if not models or len(models) != len(said["models"]):
        raise InputError("models need unique names")
    joint = None
    if "joint" in said:
        names = _checked_texts(said["joint"]["names"])
        counts, squares = _read_counts(said["joint"], (len(names) + 1, len(names) + 1))
        joint = JointCorrectness(counts, names, squares)
    both = read_pairs(said["together"], pieces.next) if "together" in said else None
    if both is not None and both.names != tuple(models):
        raise InputError("the models are other ones")
    return Contribution(_checked_text(said["name"]), models, _checked_texts(said["sources"]), joint, both)


def _read_reduced_model(said: Mapping[str, Any], pieces: _Pieces) -> Reduced:
    classes, matrix, sums = _checked_texts(said["classes"]), None, None
    if "matrix" in said:
        counts, squares = _read_counts(said["matrix"])
        matrix = ConfusionMatrix(counts, classes, _checked_texts(said["matrix"]["decisions"]), squares)
    scores = tuple(_read_scores(each, pieces) for each in said["scores"])
    if "sums" in said:
        sums = read_sums(said["sums"], len(classes), scores, pieces.next, lambda each: _read_scores(each, pieces))
    threshold = None if "threshold" not in said else float(said["threshold"])
    cases = tuple(map(_checked_integer, said["cases"]))
    return Reduced(classes, cases, matrix, scores, threshold, said.get("threshold_was_given") is True, sums)


def _read_scores(said: Mapping[str, Any], pieces: _Pieces) -> Scores:
    length, is_weighted = _checked_integer(said["length"]), said["weighted"] is True
    first, second = _checked_texts(said["classes"])
    names = (*SIDES, *(f"{side}_squares" for side in SIDES)) if is_weighted else SIDES
    sides: list[Any] = [pieces.next(name, length).astype(np.float64) for name in names]
    squares = sides[2:] or [None, None]
    if said["kind"] == "scores":
        score = pieces.next("score", length).astype(np.float64)
        return ScoreTable(score, sides[0], sides[1], (first, second), squares[0], squares[1])
    if said["kind"] != "cells":
        raise InputError("scores are kept one by one or in cells")
    grid = ScoreGrid(said["grid"]["kind"], _checked_integer(said["grid"]["bits"]))
    cell = _undo_differences(pieces.next("gap", length), _checked_integer(said["first"]))
    ties, end = _checked_integer(said["ties"]), np.full(length, np.nan)
    at = _undo_differences(pieces.next("tie", ties))
    end[at] = pieces.next("tied_score", ties)
    if (np.diff(at) <= 0).any() or np.isnan(end[at]).any():
        raise InputError("ties are in order")
    negatives, positives = map(float, said["hidden"])
    hidden = (negatives, positives)
    return Binned(grid, cell, sides[0], sides[1], end, end.copy(), (first, second), squares[0], squares[1], hidden)


def _undo_differences(gaps: NDArray[Any], first: int = 0) -> NDArray[np.int64]:
    """The numbers whose distances these are."""
    if gaps.dtype.kind != "u" and len(gaps):
        raise InputError("distances are whole numbers")
    return np.cumsum(gaps.astype(np.int64)) + first


def _read_counts(said: Mapping[str, Any], shape: tuple[int, int] | None = None) -> tuple[Floats, Floats | None]:
    counts = np.array(said["counts"], dtype=np.float64)
    squares = np.array(said["squares"], dtype=np.float64) if "squares" in said else None
    if counts.ndim != 2 or (shape is not None and counts.shape != shape):
        raise InputError("a matrix of counts")
    if squares is not None and squares.shape != counts.shape:
        raise InputError("as many squares as counts")
    return counts, squares


def _checked_texts(values: Any) -> tuple[str, ...]:
    return tuple(map(_checked_text, _checked_list(values)))


def _checked_list(values: Any) -> Iterator[Any]:
    if not isinstance(values, list):
        raise InputError("a list")
    return iter(values)


def _checked_text(value: Any) -> str:
    if not isinstance(value, str):
        raise InputError("a text")
    return value


def _checked_integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("a whole number")
    return value
