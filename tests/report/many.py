"""Results over many data sets to report on, and a study; no randomness, so that snapshots never move."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.experiments import Study, experiment
from assay.ranks import Ranks, rank_algorithms

NAMES = ("boosting", "forest", "logistic", "bayes")


def accuracies(datasets: int = 14, algorithms: int = 4) -> NDArray[np.float64]:
    """Later algorithms are worse, and not everywhere."""
    place = np.arange(datasets)[:, None]
    each = np.arange(algorithms)[None, :]
    return np.round(0.9 - 0.012 * each + 0.05 * ((place * 37 + each * (11 + place)) % 7 / 7 - 0.5) - place / 100, 4)


def results(folder: Path, names: tuple[str, ...] = NAMES) -> Path:
    """A wide file of them."""
    path = folder / "results.csv"
    with path.open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("dataset", *names))
        writer.writerows((f"data {k}", *row) for k, row in enumerate(accuracies(algorithms=len(names)).tolist()))
    return path


def folds(names: tuple[str, ...] = NAMES) -> Ranks:
    """The same with ten folds behind each value."""
    values = accuracies(algorithms=len(names))
    places = [(d, a, f) for d in range(len(values)) for a in range(len(names)) for f in range(10)]
    columns = {
        "dataset": [f"data {d}" for d, _, _ in places],
        "algorithm": [names[a] for _, a, _ in places],
        "fold": [f for _, _, f in places],
        "value": [float(values[d, a]) + 0.03 * ((d * 5 + a * 3 + f * 7) % 11 / 11 - 0.5) for d, a, f in places],
    }
    return rank_algorithms(columns)


def study(folder: Path, datasets: tuple[str, ...] = ("small", "large"), learner: str = "nb") -> Study:
    """A learner, a stump, one that fails and the one that looks at no feature, by five folds."""
    data = {}
    for k, name in enumerate(datasets):
        place = np.arange(60 + 30 * k)
        features = np.stack([place * step % 29 / 29 for step in (7, 11, 13)], 1)
        data[name] = features, np.where(features[:, 0] + 0.4 * (place * 5 % 17 / 17) > 0.7, "yes", "no")
    fails = {"path": "sklearn.svm.SVC", "params": {"kernel": "precomputed"}}
    learners = [{"name": learner, "preset": "nb"}, "stump", fails]
    plan = {"kind": "kfold", "folds": 5}
    return experiment(data, learners, plan, store=folder / "study.db", jobs=1, progress=False)
