"""Evidence gathered batch by batch: the same whatever the batches, their order, and the ranks that gathered them."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import InputError

SHAPES = ("continuous", "rounded", "few", "saturated", "clusters")


def cases(seed: int, n: int = 240, shape: str = "continuous") -> tuple[np.ndarray, np.ndarray]:
    """Classes 0 and 1 and probabilities of some shape."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    chance = 1 / (1 + np.exp(-rng.normal(2 * truth - 1, 1.5)))
    turned = {
        "continuous": chance,
        "rounded": chance.round(2),
        "few": (4 * chance).round() / 4,
        "saturated": np.clip(1.6 * chance - 0.3, 0, 1),
        "clusters": 0.3 + 0.4 * (chance > 0.5) + 1e-4 * chance,
    }
    return truth, turned[shape]


def gathered(truth: Any, score: Any, cuts: list[int], **options: Any) -> assay.Accumulator:
    """An accumulator that saw the cases in pieces."""
    acc = assay.Accumulator(**options)
    for part in zip(np.split(truth, cuts), np.split(score, cuts), strict=True):
        acc.update(*part)
    return acc


cut_places = st.lists(st.integers(0, 240), max_size=6).map(sorted)


@given(st.integers(0, 50), st.sampled_from(SHAPES), cut_places, cut_places, st.booleans())
@settings(max_examples=40, deadline=None)
def test_any_batches_in_any_order_give_the_same_evidence(
    seed: int, shape: str, cuts: list[int], others: list[int], exact: bool
) -> None:
    truth, score = cases(seed, shape=shape)
    order = np.random.default_rng(seed).permutation(len(truth))
    one = gathered(truth, score, cuts, exact=exact)
    other = gathered(truth[order], score[order], others, exact=exact)
    assert one == other
    assert one.evidence() == other.evidence()
    assert one != gathered(1 - truth, score, cuts, exact=exact)


@given(st.integers(0, 50), st.sampled_from(SHAPES), st.booleans())
@settings(max_examples=30, deadline=None)
def test_merging_is_a_sum(seed: int, shape: str, exact: bool) -> None:
    parts = [gathered(*cases(seed + k, 90, shape), [40], exact=exact) for k in range(3)]
    a, b, c = parts
    assert (a + b) + c == a + (b + c) == c + (b + a)
    assert len(a + b + c) == 270
    nothing = assay.Accumulator(exact=exact)
    assert a + nothing == a == nothing + a
    a.merge(b)
    assert a == parts[0]
    assert len(a) == 180


@given(st.integers(0, 50), st.sampled_from(SHAPES), st.sampled_from([2, 5, 12]))
@settings(max_examples=30, deadline=None)
def test_bounds_of_cells_hold_what_all_cases_give(seed: int, shape: str, bits: int) -> None:
    truth, score = cases(seed, shape=shape)
    exact, found = assay.evaluate(truth, score), gathered(truth, score, [100], bits=bits).evaluate()
    for name in ("roc_auc", "average_precision", "ks", "brier", "log_loss"):
        estimate = found.estimate(name)
        if estimate.undefined is not None:
            continue
        assert estimate.bounds is not None
        low, high = estimate.bounds
        assert low - 1e-12 <= exact.estimate(name).value <= high + 1e-12, name
    # Decisions are made case by case, so that cells have no say in them.
    assert found.matrix == exact.matrix


@pytest.mark.parametrize("threshold", [None, 0.37])
def test_exact_is_what_evaluate_says(threshold: float | None) -> None:
    truth, score = cases(3)
    found = gathered(truth, score, [7, 100], exact=True, threshold=threshold).evaluate()
    whole = assay.evaluate(truth, score, threshold=threshold)
    assert {n: repr(e) for n, e in found.measures.items()} == {n: repr(e) for n, e in whole.measures.items()}


def test_many_classes_are_counted_and_ranked_each_against_the_rest() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)
    shares = rng.dirichlet((1, 1, 1), 300)
    shares[np.arange(300), truth] += 0.5
    shares /= 1.5
    names = np.array(["ant", "bee", "cat"])[truth]
    whole = assay.evaluate(names, y_proba=shares)
    exact, cells = (
        gathered(names, shares, [50, 51], classes=["ant", "bee", "cat"], exact=exact).evaluate()
        for exact in (True, False)
    )
    assert repr(exact.hand_till) == repr(whole.hand_till)
    assert cells.matrix == whole.matrix
    bounds = cells.against("bee").roc_auc.bounds
    assert bounds is not None
    low, high = bounds
    assert low <= whole.against("bee").roc_auc.value <= high


@pytest.mark.parametrize("options", [{}, {"exact": True}, {"grid": "real"}])
def test_memory_that_the_next_batch_fills_is_not_kept(options: dict[str, Any]) -> None:
    truth, score = cases(4)
    whole, acc = gathered(truth, score, [], **options), assay.Accumulator(**options)
    labels, chances = np.empty(60, truth.dtype), np.empty(60)
    for at in range(0, 240, 60):
        labels[:], chances[:] = truth[at : at + 60], score[at : at + 60]
        acc.update(labels, chances)
    labels[:], chances[:] = 0, 0.5
    assert acc == whole


def test_labels_alone_are_enough() -> None:
    acc = assay.Accumulator(classes=["ham", "spam"], positive="ham")
    acc.update(["ham", "spam", "ham"], y_pred=["ham", "ham", "spam"])
    acc.update(["ham"], y_pred=["ham"], count=[3])
    assert acc.evaluate().recall.value == 4 / 5
    with pytest.raises(InputError, match="these cases come with scores, those before without"):
        acc.update(["ham"], [0.3])


def test_weights_are_those_of_evaluate_and_padding_counts_for_nothing() -> None:
    truth, score = cases(1)
    weight = np.random.default_rng(1).integers(0, 4, len(truth)).astype(float)
    acc = assay.Accumulator(bits=16)
    for part in np.split(np.arange(240), [80, 81]):
        acc.update(truth[part], score[part], weight=weight[part])
    whole = assay.evaluate(truth[weight > 0], score[weight > 0], weight=weight[weight > 0])
    found = acc.evaluate()
    assert found.accuracy.low == pytest.approx(whole.accuracy.low)
    assert found.roc_auc.value == pytest.approx(whole.roc_auc.value, abs=1e-4)
    assert found.roc_auc.se == pytest.approx(whole.roc_auc.se, rel=1e-3)
    assert len(acc) == np.count_nonzero(weight)
    acc.update([1, 0], [0.4, 0.2], weight=[0, 0])
    assert repr(acc.evaluate().accuracy) == repr(found.accuracy)


class Tensor:
    """A tensor that can be had through dlpack alone, and only when it is detached."""

    def __init__(self, values: np.ndarray, *, has_grad: bool = True) -> None:
        self.values, self.has_grad = values, has_grad

    def detach(self) -> Tensor:
        return Tensor(self.values, has_grad=False)

    def __dlpack__(self, **options: Any) -> Any:
        if self.has_grad:
            raise BufferError("it knows how it was computed")
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_tensors_lists_and_columns_are_taken(kind: type) -> None:
    truth, score = cases(2)
    score = score.astype(kind)
    whole = gathered(truth, score, [])
    for y, s in (
        (Tensor(truth), Tensor(score)),
        (truth.tolist(), score.tolist()),
        (truth.astype(bool)[:, None], score[:, None]),
        (truth.astype(np.float32), np.stack([1 - score.astype(float), score.astype(float)], 1)),
    ):
        acc = assay.Accumulator()
        acc.update(y, s)
        assert acc == whole


@pytest.mark.parametrize(
    ("update", "said"),
    [
        (([0, 1], [0.2]), "there are 2 true labels but 1 scores"),
        (([0, 1], [0.2, np.nan]), "row 2: 'y_score' holds nan; needed: a finite number for every case"),
        (([0, 2], [0.2, 0.3]), "row 2: 'y_true' holds '2'; needed: one of the classes '0', '1'"),
        (([0, None], [0.2, 0.3]), "row 2: 'y_true' is missing"),
        (([0, 1], [0.2, 3.5]), r"row 2: 'y_score' holds 3.5, which is not a probability; .*grid='real'"),
        (([0, 1], [[0.2, 0.4, 0.4], [0.1, 0.8, 0.1]]), r"'y_score' has shape \(2, 3\)"),
        (([0, 1], ["a", "b"]), "row 1: 'y_score' holds 'a'"),
        (([0, 1],), "no scores or predicted labels are given; needed: y_score or y_pred"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence_and_leaves_nothing_behind(update: Any, said: str) -> None:
    acc = assay.Accumulator()
    with pytest.raises(InputError, match=said):
        acc.update(*update)
    assert len(acc) == 0
    with pytest.raises(InputError, match="nothing has been gathered"):
        acc.evaluate()


def test_only_accumulators_alike_add() -> None:
    acc = assay.Accumulator()
    for other, said in (
        (assay.Accumulator(bits=4), "one has bits 12 and the other 4"),
        (assay.Accumulator(["no", "yes"]), "one has the classes '0', '1' and the other 'no', 'yes'"),
        (assay.Accumulator(threshold=0.3), "one has the threshold None and the other 0.3"),
    ):
        with pytest.raises(InputError, match=said):
            acc.merge(other)
    with pytest.raises(InputError, match="the same accumulator, whose cases would count twice"):
        acc.merge(acc)
    with pytest.raises(InputError, match="this is a int"):
        acc.merge(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("exact", [True, False])
def test_state_and_file_are_the_whole(exact: bool, tmp_path: Path) -> None:
    acc = gathered(*cases(5), [100], exact=exact, threshold=0.4, level=0.9)
    again = assay.Accumulator.of_state({name: np.array(values) for name, values in acc.state().items()})
    assert again == acc
    assert repr(again.evaluate().table()) == repr(acc.evaluate().table())
    again.update([0, 1], [0.3, 0.6])
    assert again == acc + gathered(np.array([0, 1]), np.array([0.3, 0.6]), [], exact=exact, threshold=0.4, level=0.9)
    acc.save(tmp_path / "epoch.evidence")
    assert assay.load(tmp_path / "epoch.evidence").accuracy.value == acc.evaluate().accuracy.value
    with pytest.raises(InputError, match="no state of an accumulator"):
        assay.Accumulator.of_state({"classes": np.array(["a", "b"])})


def _rank(seed: int) -> dict[str, np.ndarray]:
    acc = assay.Accumulator()
    for step in range(5):
        acc.update(*cases(100 * seed + step, 50))
    return acc.state()


def test_ranks_of_a_job_make_the_same_evidence_as_one_process() -> None:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as ranks:
        states = list(ranks.map(_rank, range(4)))
    together = assay.Accumulator()
    for state in states:
        together.merge(assay.Accumulator.of_state(state))
    alone = assay.Accumulator()
    for seed in range(4):
        for step in range(5):
            alone.update(*cases(100 * seed + step, 50))
    assert together == alone
    assert repr(together.evaluate().roc_auc) == repr(alone.evaluate().roc_auc)


def test_reset_forgets_and_memory_does_not_grow() -> None:
    acc, sizes = assay.Accumulator(), []
    rng = np.random.default_rng(0)
    tracemalloc.start()
    for _ in range(3):
        for _ in range(8):
            acc.update(rng.integers(0, 2, 100_000), rng.random(100_000))
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[-1] < 12e6
    assert sizes[-1] < 1.5 * sizes[0]
    acc.reset()
    assert len(acc) == 0
    assert acc == assay.Accumulator()


def test_a_state_is_whole_or_refused() -> None:
    """Any number of a state changed: it is refused, or it is what another loop could have gathered."""
    rng = np.random.default_rng(0)
    truth, classes = rng.integers(0, 3, 60), ["a", "b", "c"]
    two, real, many = assay.Accumulator(), assay.Accumulator(grid="real"), assay.Accumulator(classes=classes)
    two.update(truth % 2, rng.random(60))
    real.update(truth % 2, rng.normal(size=60), weight=rng.random(60) + 0.5)
    many.update(np.array(classes)[truth], rng.dirichlet([1, 1, 1], 60))
    for acc, found_once in ((two, set()), (real, {"cases"}), (many, set())):
        state = acc.state()
        assert assay.Accumulator.of_state(state) == acc
        for name, values in state.items():
            if values.dtype.kind not in "iuf" or not values.size or name in found_once or name == "levels":
                continue
            changed = values.copy()
            changed.reshape(-1)[0] = 2 * changed.reshape(-1)[0] + 1
            with pytest.raises(InputError, match="no state of an accumulator"):
                assay.Accumulator.of_state({**state, name: changed})


@pytest.mark.parametrize("seed", [0, 2**53 + 1, 2**63 + 1, 2**64 - 1, 2**70])
def test_a_state_keeps_any_seed(seed: int) -> None:
    acc = assay.Accumulator(seed=seed)
    acc.update([0, 1], [0.2, 0.7])
    assert assay.Accumulator.of_state(acc.state()) == acc
