"""The pictures of docs/learners, drawn by the learners themselves from bundled data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB

import assay
from assay.calibration import RECALIBRATIONS, calibration_function
from assay.curves import Drawable, roc, roc_points
from assay.estimators import (
    AsymmetricMarginSVC,
    CostSensitiveClassifier,
    HullMixtureClassifier,
    MetaCostClassifier,
    RankBoostClassifier,
    RejectClassifier,
    ThresholdClassifier,
    VotesClassifier,
)
from assay.evidence import ScoreTable


def pictures() -> dict[str, str]:
    """Every picture by its path below docs/."""
    return {f"pictures/learner-{name}.svg": drawn.svg() for name, drawn in _drawn()}


def cases() -> tuple[Any, Any]:
    """Three features of the breast cancer data that leave the classes overlapping."""
    data = load_breast_cancer()
    return data.data[:, [1, 4, 8]], np.where(data.target == 0, "malignant", "benign")


def _drawn() -> Iterator[tuple[str, Drawable]]:
    features, y = cases()
    first, second = slice(0, None, 2), slice(1, None, 2)
    learned, asked = (features[first], y[first]), (features[second], y[second])
    bayes = GaussianNB()
    yield "threshold", ThresholdClassifier(bayes, costs={"fp": 1, "fn": 5}).fit(features, y).picture()
    yield (
        "reject",
        RejectClassifier(bayes, costs={"fp": 1, "fn": 2, "reject": 0.3}, by="score").fit(features, y).picture(),
    )
    yield "mixture", HullMixtureClassifier(bayes, fpr=0.2).fit(features, y).picture()
    votes = VotesClassifier(BaggingClassifier(bayes, n_estimators=30, max_samples=0.1, random_state=0)).fit(*learned)
    yield "votes", roc(_table(votes.count_votes(asked[0])[:, 1].astype(float), asked[1]))
    wary = MetaCostClassifier(bayes, costs={"fp": 1, "fn": 5}, random_state=0).fit(*learned)
    plain = bayes.fit(*learned)
    evaluated = {
        name: assay.evaluate(model, *asked, positive="malignant")
        for name, model in (("plain", plain), ("MetaCost", wary))
    }
    yield "metacost", roc_points({name: ev.matrix for name, ev in evaluated.items() if ev.matrix is not None})
    minding = {k: CostSensitiveClassifier(bayes, costs={"fp": 1, "fn": k}).fit(*learned) for k in (0.2, 1, 2, 5, 20)}
    matrices = {f"{k:g}": assay.evaluate(each, *asked, positive="malignant").matrix for k, each in minding.items()}
    yield "cost-sensitive", roc_points({k: each for k, each in matrices.items() if each is not None}, is_family=True)
    yield "rankboost", RankBoostClassifier(50).fit(*learned).picture()
    spread = (features - features.mean(axis=0)) / features.std(axis=0)
    machine = AsymmetricMarginSVC(positive_margin=3.0).fit(spread[first], y[first])
    yield "margins", machine.picture(spread[second], y[second])
    ratios = [0.2, 0.5, 1, 2, 5]
    yield "margins-roc", machine.roc_of_margins(spread[first], y[first], (spread[second], y[second]), ratios)
    said = _table(plain.predict_proba(asked[0])[:, 1], asked[1])
    for name in ("venn_abers", "beta"):
        yield name.replace("_", "-"), calibration_function(RECALIBRATIONS[name](said))


def _table(score: Any, y: Any) -> ScoreTable:
    return ScoreTable.of(score, y == "malignant", ("benign", "malignant"))
