"""A stream left off as a file: what was kept comes back the same, and nothing else passes for it."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import streams
from assay.errors import InputError
from assay.streams.session import load_checkpoint, save_checkpoint

ARRAYS = st.sampled_from([np.arange(3), np.zeros((0, 2)), np.array([np.nan, -np.inf]), np.array([True]), np.array("é")])
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats() | st.text()
STATES = st.dictionaries(
    st.text(max_size=5), st.recursive(PLAIN | ARRAYS, lambda each: st.lists(each) | st.dictionaries(st.text(), each))
)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and (one == other or (one != one and other != other))


@settings(max_examples=60)
@given(STATES)
def test_what_is_kept_comes_back_the_same(tmp_path_factory: pytest.TempPathFactory, state: dict[str, Any]) -> None:
    path = tmp_path_factory.mktemp("kept") / "stream.state"
    save_checkpoint(path, state)
    assert same(load_checkpoint(path), state)


def watched(events: int) -> streams.StreamWatch:
    seen = streams.watch(
        classes=("no", "yes"),
        views=(streams.cumulative(), streams.sliding(50), streams.fading(0.99)),
        every=20,
        reference=0.3,
        detectors=("adwin", "ddm", "eddm", "page-hinkley", "hddm-a", "hddm-w"),
    )
    feed(seen, 0, events)
    return seen


def feed(seen: streams.StreamWatch, start: int, stop: int) -> None:
    rng = np.random.default_rng(3)
    scores = rng.random(1000)
    truth = np.where(rng.random(1000) < (0.2 + 0.6 * scores), "yes", "no")
    seen.update_many(truth[start:stop].tolist(), score=scores[start:stop].tolist())


@pytest.mark.parametrize("events", [1, 19, 20, 333])
def test_a_watch_goes_on_from_a_file_as_if_it_had_never_stopped(tmp_path: Path, events: int) -> None:
    path = tmp_path / "stream.state"
    seen = watched(events)
    seen.new_moments()
    save_checkpoint(path, {"watch": seen.state()})
    state = load_checkpoint(path)
    assert state is not None
    again = streams.resume_watch(state["watch"])
    for each in (seen, again):
        feed(each, events, 1000)
    assert [moment.to_dict() for moment in again.new_moments()] == [moment.to_dict() for moment in seen.new_moments()]


def test_there_is_no_state_where_there_is_no_file(tmp_path: Path) -> None:
    assert load_checkpoint(tmp_path / "none.state") is None


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_one_is_refused_in_one_sentence(tmp_path: Path, seed: int) -> None:
    path, rng = tmp_path / "stream.state", np.random.default_rng(seed)
    save_checkpoint(path, {"watch": watched(60).state()})
    data = bytearray(path.read_bytes())
    if seed % 2:
        data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
    else:
        del data[int(rng.integers(len(data))) :]
    path.write_bytes(data)
    with pytest.raises(InputError, match="checkpoint") as caught:
        load_checkpoint(path)
    assert "\n" not in str(caught.value)


def foreign() -> dict[str, bytes]:
    """Files that are none, some of which would run something if they were believed."""
    packed = io.BytesIO()
    np.savez(packed, header=np.array([print], dtype=object), allow_pickle=True)
    return {
        "empty": b"",
        "csv": b"y,p\n1,0.5\n",
        "pickle": pickle.dumps({"watch": 1}),
        "npz": packed.getvalue(),
        "another version": b"assay stream checkpoint 99 0\n",
    }


@pytest.mark.parametrize("name", foreign())
def test_what_is_no_checkpoint_is_refused_and_left_as_it_is(tmp_path: Path, name: str) -> None:
    path = tmp_path / "stream.state"
    path.write_bytes(foreign()[name])
    with pytest.raises(InputError, match="needed: "):
        load_checkpoint(path)
    assert path.read_bytes() == foreign()[name]


def test_one_with_objects_in_it_is_refused_though_its_checksum_is_right(tmp_path: Path) -> None:
    import hashlib

    path, data = tmp_path / "stream.state", foreign()["npz"]
    path.write_bytes(b"assay stream checkpoint 1 " + hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
    with pytest.raises(InputError, match=r"the checkpoint .* is damaged"):
        load_checkpoint(path)


def test_a_state_that_would_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x.state"
    save_checkpoint(path, {"counts": np.array([-7.0, -3.0]), "least": -2})
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"cannot be restored exactly: state\['by number'\] differs"):
        save_checkpoint(path, {"by number": {1: "a"}})  # whose numbers would come back as texts
    assert path.read_bytes() == before
    assert load_checkpoint(path)["counts"].tolist() == [-7.0, -3.0]  # type: ignore[index]
