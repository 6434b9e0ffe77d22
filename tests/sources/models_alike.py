"""What every engine makes of several models, of many classes and of labels: checked by the same functions for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars
import pytest

import assay
from assay.evidence import Binned, ClassScores, JointScores
from assay.evidence.paired import PairedDecisions
from assay.request import Request
from assay.sources import Reduction, from_engine
from assay.sources.engine.tables import GROUPS, PRIME, collected, with_groups

__all__ = ["MODELS", "groups_are_hashed_alike", "hashed", "many_classes", "two_models"]

LITTLE: dict[str, Any] = {"memory": "1kB"}
Columns = dict[str, Any]
Make = Callable[[Columns], Any]


def two_models(n: int = 2000) -> Columns:
    """Two models in columns of their own."""
    rng = np.random.default_rng(8)
    truth = rng.random(n) < 0.35
    good, poor = (1 / (1 + np.exp(-rng.normal(truth * gap - 1, 1.2))) for gap in (2.0, 1.0))
    return {"y_true": truth.astype(np.int64), "score__good": good, "score__poor": poor}


def many_classes(n: int = 1500) -> Columns:
    """Probabilities of three classes."""
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 3, n)
    raised = np.exp(rng.normal(0, 1, (n, 3)) + 1.3 * np.eye(3)[truth])
    shares = np.round(raised / raised.sum(1, keepdims=True), 3)
    shares[:, 2] = np.round(1 - shares[:, 0] - shares[:, 1], 3)
    names = np.array(["ape", "bee", "cat"])
    columns = {f"proba_{name}": np.clip(shares[:, k], 0, 1) for k, name in enumerate(names)}
    return {"truth": names[truth], **columns}


def wide_columns_are_models_of_the_same_rows(of: Make) -> None:
    """Models in columns of their own make the evidence that numpy makes of each."""
    rows = two_models()
    found = _reduced(of(rows))
    for name, model in found.models.items():
        binned = model.binned
        assert binned == Binned.of(rows[f"score__{name}"], rows["y_true"] == 1, ("0", "1"), binned.grid)
    assert list(found.models) == ["good", "poor"]


def a_column_may_name_the_models(of: Make) -> None:
    """Models in rows of their own, whose scores are of two kinds."""
    rows = two_models()
    tall = {
        "model": np.repeat(["poor", "good"], len(rows["y_true"])),
        "y_true": np.tile(rows["y_true"], 2),
        # One of them runs beyond 0 and 1, the other does not.
        "score": np.concatenate([9 * rows["score__poor"] - 4, rows["score__good"]]),
    }
    found = _reduced(of(tall))
    assert [*found.models] == ["good", "poor"]
    assert [model.binned.grid.kind for model in found.models.values()] == ["probability", "real"]
    for name, model in found.models.items():
        score = rows["score__good"] if name == "good" else 9 * rows["score__poor"] - 4
        assert model.binned == Binned.of(score, rows["y_true"] == 1, ("0", "1"), model.binned.grid)
        assert model.cases == {"0": int((rows["y_true"] == 0).sum()), "1": int((rows["y_true"] == 1).sum())}


def a_column_for_each_of_many_classes(of: Make) -> None:
    """Probabilities of each of many classes: cells of each, and the matrix of the highest."""
    rows = many_classes()
    model = _reduced(of(rows)).models["model"]
    names = ("ape", "bee", "cat")
    shares = np.stack([rows[f"proba_{name}"] for name in names], axis=1)
    truth = np.array([names.index(name) for name in rows["truth"]])
    scores = ClassScores.of(shares, truth, names)
    for k, known in enumerate(model.scores):
        assert known.binned == Binned.of(shares[:, k], truth == k, ("rest", names[k]), known.binned.grid)
    assert model.matrix is not None
    expected = np.zeros((3, 3))
    np.add.at(expected, (truth, scores.decided()), 1)
    assert np.array_equal(model.matrix.counts, expected)


def many_classes_add_up_alike(of: Make) -> None:
    """What the cases of many classes are summed to is what rows in memory are, with weights and counts as well."""
    rows, rng = many_classes(), np.random.default_rng(4)
    n = len(rows["truth"])
    for design in ({}, {"weight": rng.integers(1, 9, n) / 4, "count": rng.integers(0, 3, n)}):
        table = {**rows, **design}
        found = assay.reduce(of(table), bits=14, **LITTLE).models["model"]
        known = assay.reduce(polars.DataFrame(table), bits=14).models["model"]
        assert found.sums is not None
        assert known.sums is not None
        assert found == known
        assert len(found.sums.by_truth) == 3


def labels_make_the_matrix_beside_scores(of: Make) -> None:
    """Predicted labels beside scores: one is no class, one is missing."""
    rows = two_models()
    labels = np.where(rows["score__good"] > 0.4, "1", "0").astype(object)
    labels[:7], labels[9] = "unsure", None
    table = {"y_true": rows["y_true"], "y_score": rows["score__good"], "y_pred": labels}
    ev = assay.evaluate(of(table), missing="drop", **LITTLE)
    held = np.arange(len(labels)) != 9
    exact = assay.evaluate(
        rows["y_true"][held], rows["score__good"][held], y_pred=[str(label) for label in labels[held]]
    )
    assert isinstance(ev, assay.TwoClassEvaluation)
    assert (ev.threshold_used, ev.source.dropped) == (None, 1)
    assert ev.matrix == exact.matrix
    assert ev.matrix is not None
    assert ev.matrix.decisions == ("0", "1", "unsure")
    assert assay.evaluate(of(table), missing="drop", threshold=0.4, **LITTLE).matrix is not None


def _reduced(table: Any, **said: Any) -> Reduction:
    found = from_engine(table, Request.of({**LITTLE, **said}))
    assert isinstance(found, Reduction)
    return found


def models_go_together(of: Make) -> None:
    """What two models make of the same rows: the pairs of their cells, and what they decided."""
    rows = two_models()
    weight = np.random.default_rng(2).integers(1, 9, len(rows["y_true"])) / 4
    both = _reduced(of({**rows, "weight": weight})).together
    assert both is not None
    held = both.scores[0, 1]
    scores = rows["score__good"], rows["score__poor"]
    assert held == JointScores.of(*scores, rows["y_true"] == 1, held.grids, weight=weight)
    codes = [(score >= 0.5).astype(np.intp) for score in scores]
    decisions = PairedDecisions.of(rows["y_true"], codes[0], codes[1], ("0", "1"), weight=weight)
    assert both.decisions[0, 1] == decisions
    assert np.array_equal(both.decisions[0, 1].squares, decisions.squares)  # type: ignore[arg-type]


def logits_and_certainties_are_turned(of: Make) -> None:
    """Logits, of one column or of one for each class, and how sure each label is, become what they do in memory."""
    rows = two_models()
    logit = np.log(rows["score__good"] / (1 - rows["score__good"]))
    label = (logit > 0.3).astype(np.int64)
    shares = many_classes()
    tables = [
        {"y_true": rows["y_true"], "logit": logit},
        {"y_true": rows["y_true"], "logit_0": -logit / 3, "logit_1": logit * 2 / 3},
        {"y_true": rows["y_true"], "y_pred": label, "prob": np.maximum(rows["score__good"], 1 - rows["score__good"])},
        {"truth": shares["truth"]}
        | {f"logit_{name}": 3 * shares[f"proba_{name}"] - 1 for name in ("ape", "bee", "cat")},
    ]
    for table in tables:
        ev, exact = assay.evaluate(of(table), **LITTLE), assay.evaluate(polars.DataFrame(table))
        assert ev.rows is None
        assert ev.source.remarks[0] == exact.source.remarks[0]
        assert ev.matrix == exact.matrix
        for measure in ("brier", "log_loss"):
            found, known = ev.estimate(measure), exact.estimate(measure)
            assert (found.value, found.low, found.high) == pytest.approx((known.value, known.low, known.high), rel=1e-3)


def hashed(numbers: Any) -> Any:
    """The groups that whole numbers of any size belong to, by Python's own whole numbers."""

    def group(number: int) -> int:
        high, low = divmod(number, PRIME)
        mixed = (low * 48_271 + high % PRIME * 69_621 + 1_013_904_223) % PRIME
        return int(pow(pow(mixed, 5, PRIME) + 362_436_069, 5, PRIME) % GROUPS)

    return np.array([group(int(number)) for number in numbers])


def groups_are_hashed_alike(of: Make) -> None:
    """Whole numbers have the groups that numpy gives them, negative and large ones as well."""
    import narwhals as nw

    ids = np.concatenate([np.arange(-300, 300), np.random.default_rng(1).integers(-(2**62), 2**62, 300)])
    table: Any = nw.from_native(of({"id": ids, "cluster": ids}))
    found = collected(with_groups(table, "cluster"))
    order = np.argsort(found["id"])
    assert np.array_equal(found["cluster"][order], hashed(np.sort(ids)))


MODELS: dict[str, Callable[[Make], None]] = {
    "wide": wide_columns_are_models_of_the_same_rows,
    "named": a_column_may_name_the_models,
    "many classes": a_column_for_each_of_many_classes,
    "many classes, sums": many_classes_add_up_alike,
    "hash": groups_are_hashed_alike,
    "together": models_go_together,
    "labels": labels_make_the_matrix_beside_scores,
    "logits": logits_and_certainties_are_turned,
}
