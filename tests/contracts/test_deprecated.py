"""Old names of attributes and functions give what the new ones give, and a warning that names these."""

from __future__ import annotations

import importlib
from typing import Any

import pandas as pd
import pytest

import assay
from assay import calibration, decisions
from assay.deprecated import RENAMED

Y, S = [0, 1, 1, 0, 1, 0, 0, 1] * 10, [0.1, 0.9, 0.6, 0.7, 0.8, 0.2, 0.3, 0.4] * 10
TWO: Any = assay.evaluate(Y, S)
MANY: Any = assay.evaluate(["a", "b", "c"] * 10, y_proba=[[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]] * 10)
PAIRED: Any = assay.compare(Y, {"a": S, "b": S[::-1]})
UNPAIRED: Any = assay.compare_unpaired({"june": TWO, "july": TWO})
FRAME = pd.DataFrame({"x": S, "class": Y})
STUDY: Any = assay.experiment({"few": (FRAME[["x"]], FRAME["class"])}, "nb", assay.plans.kfold(2), run=False)
STREAM: Any = assay.streams.compare("a", "b", positive=1)
STREAM.update_many(Y, {"a": Y, "b": Y[::-1]})
HOLDERS: dict[str, Any] = {
    "Calibration": TWO.calibration,
    "ClassCalibration": MANY.calibration,
    "Comparison": PAIRED,
    "Evaluation": MANY,
    "Evaluations": PAIRED.models,
    "Evidence": assay.reduce(Y, S, positive=1),
    "PairedStream": STREAM,
    "PairwiseComparison": PAIRED,
    "Results": STUDY,
    "StreamWatch": assay.streams.watch(positive=1),
    "TwoClassEvaluation": TWO,
    "UnpairedComparison": UNPAIRED,
}


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_name_gives_what_the_new_one_gives_with_a_warning(old: str) -> None:
    holder_name, _, name = old.rpartition(".")
    holder = HOLDERS[holder_name] if holder_name in HOLDERS else importlib.import_module(holder_name)
    new = RENAMED[old]
    with pytest.warns(DeprecationWarning, match=f"{name} is deprecated; use {new}") as caught:
        value = getattr(holder, name)
    assert caught[0].filename == __file__
    expected = getattr(holder, new)
    assert value is expected or repr(value) == repr(expected)
    assert name not in dir(holder)
    assert hasattr(holder, new)


@pytest.mark.parametrize("holder", [*HOLDERS.values(), calibration, decisions], ids=str)
def test_a_name_that_never_was_is_an_attribute_error(holder: Any) -> None:
    with pytest.raises(AttributeError, match="mistfit"):
        _ = holder.mistfit


def test_no_old_name_is_in_use_again() -> None:
    for old in RENAMED:
        holder_name, _, name = old.rpartition(".")
        if holder_name in HOLDERS:
            assert name not in dir(type(HOLDERS[holder_name])), old


def test_a_pickle_with_an_old_field_is_read() -> None:
    state = {("together" if name == "joint_sums" else name): value for name, value in vars(PAIRED).items()}
    again = object.__new__(type(PAIRED))
    again.__setstate__(state)
    assert again.joint_sums is PAIRED.joint_sums
    assert again.to_dict() == PAIRED.to_dict()
