"""Tensors of torch and jax themselves in a training loop, where these are installed: what numpy's arrays give."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import InputError

pytestmark = pytest.mark.engines
FRAMEWORKS: dict[str, str] = {"torch": "asarray", "jax.numpy": "asarray"}
Make = Callable[[Any], Any]


@pytest.fixture(params=[name for name in FRAMEWORKS if find_spec(name.split(".")[0])])
def tensor(request: pytest.FixtureRequest) -> Make:
    """What makes a tensor of an array."""
    make: Make = getattr(import_module(request.param), FRAMEWORKS[request.param])
    return make


def cases(n: int = 600) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, n)
    return truth, (1 / (1 + np.exp(-rng.normal(truth, 1)))).astype(np.float32)


def test_batches_of_tensors_are_what_arrays_are(tensor: Make) -> None:
    truth, score = cases()
    ours, theirs = assay.Accumulator(classes=[0, 1]), assay.Accumulator(classes=[0, 1])
    ours.update(truth, score)
    for start in range(0, len(truth), 64):
        part = slice(start, start + 64)
        theirs.update(tensor(truth[part]), tensor(score[part]))
    assert theirs == ours
    assert repr(theirs.evaluate().roc_auc) == repr(ours.evaluate().roc_auc)


def test_columns_labels_and_weights_of_tensors(tensor: Make) -> None:
    rng = np.random.default_rng(8)
    truth, said = rng.integers(0, 3, 200), rng.dirichlet(np.ones(3), 200).astype(np.float32)
    weight = rng.integers(0, 2, 200)
    ours, theirs = assay.Accumulator(classes=[0, 1, 2]), assay.Accumulator(classes=[0, 1, 2])
    ours.update(truth, said, weight=weight)
    theirs.update(tensor(truth), tensor(said), weight=tensor(weight))
    assert theirs == ours
    assert assay.evaluate(tensor(truth[:50] % 2), tensor(said[:50, 0])).roc_auc.n == 50


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is missing")
def test_a_graph_is_left_alone_and_what_numpy_lacks_is_refused() -> None:
    torch: Any = import_module("torch")
    truth, score = cases(40)
    in_graph = torch.tensor(score, requires_grad=True)
    acc = assay.Accumulator(classes=[0, 1])
    acc.update(torch.tensor(truth), in_graph.sigmoid())
    assert in_graph.requires_grad
    assert len(acc) == 40
    for bad in (in_graph.detach().bfloat16(), torch.empty(40, device="meta")):
        with pytest.raises(InputError, match=r"'y_score' cannot be read as an array.*\.float\(\)"):
            acc.update(torch.tensor(truth), bad)
    assert len(acc) == 40


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is missing")
def test_a_loop_over_epochs_has_an_interval_each() -> None:
    """A real net learns for three epochs: the figure rises, and each has limits."""
    torch: Any = import_module("torch")
    torch.manual_seed(0)
    rng = np.random.default_rng(9)
    features = torch.tensor(rng.normal(size=(800, 4)), dtype=torch.float32)
    truth = (features[:, 0] + features[:, 1] + torch.tensor(rng.normal(size=800)) > 0).float()
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    learning, loss_of = torch.optim.Adam(model.parameters(), 0.02), torch.nn.BCEWithLogitsLoss()
    acc, seen = assay.Accumulator(classes=[0, 1], grid="real", threshold=0.0), []
    for _ in range(3):
        for start in range(0, 800, 100):
            logits = model(features[start : start + 100])[:, 0]
            loss = loss_of(logits, truth[start : start + 100])
            learning.zero_grad()
            loss.backward()
            learning.step()
            acc.update(truth[start : start + 100], logits)
        seen.append(acc.evaluate().roc_auc)
        acc.reset()
    assert seen[-1].value > seen[0].value
    assert all(each.low < each.value < each.high for each in seen)
