"""Predictions with everything a row can have, as each kind of source; for each option a value that matters there."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import assay
from assay.predictions import Predictions

ROWS = 120
rng = np.random.default_rng(5)
TRUTH = (rng.random(ROWS) < 0.4).astype(int)
GOOD, POOR = (1 / (1 + np.exp(-rng.normal(2 * gap * TRUTH - gap, 1))) for gap in (1.2, 0.6))
THREE = np.array(["a", "b", "c"])[TRUTH + (rng.random(ROWS) < 0.5)]
THIRDS = np.column_stack([(1 - GOOD) * 0.7, (1 - GOOD) * 0.3 + GOOD * 0.4, GOOD * 0.6])
LABELS = np.where(GOOD > 0.45, "1", "0")
DESIGN: dict[str, Any] = {
    "weight": rng.uniform(0.5, 3, ROWS).round(3),
    "count": rng.integers(1, 4, ROWS),
    "cluster": rng.integers(0, 40, ROWS),
    "fold": np.arange(ROWS) % 5,
    "amount": rng.lognormal(5, 1, ROWS).round(2),
    "by": np.array(["north", "south"])[np.arange(ROWS) % 2],
    "id": np.array([f"case {row}" for row in range(ROWS)]),
}
COLUMN = {"weight": "w", "count": "times", "cluster": "ward", "fold": "part", "amount": "stake"}
COLUMN |= {"by": "site", "id": "case"}
GAPS = slice(0, 7)  # rows whose label, or score, is missing where an option is about that


@dataclass(frozen=True)
class Given:
    """What is handed to a function: its arguments, and the keywords that every call on this source has."""

    data: Any
    keywords: Mapping[str, Any]


class Half:
    """A classifier that is as sure of a class as the only feature says."""

    classes_ = np.array([0, 1])
    oob_decision_function_ = np.column_stack([1 - POOR, POOR])

    def predict_proba(self, X: Any) -> Any:  # noqa: N803 -- so called wherever estimators are
        """The feature itself."""
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    def predict(self, X: Any) -> Any:  # noqa: N803
        """The likelier class."""
        return (X[:, 0] > 0.5).astype(int)


def columns(*, long: bool = False) -> dict[str, Any]:
    """The table, by column; `long` has a column of models, of which there are two."""
    table: dict[str, Any] = {"target": TRUTH, "flipped": 1 - TRUTH, "score": GOOD, "hazard": POOR, "pred": LABELS}
    table |= {"sure": np.where(LABELS == "1", GOOD, 1 - GOOD).clip(0.5), "call": 1 - TRUTH, "id": np.arange(ROWS)}
    table |= {"weights": DESIGN["weight"][::-1]}
    table |= {COLUMN[role]: values for role, values in DESIGN.items()}
    return table | ({"who": np.array(["tree", "bayes"])[np.arange(ROWS) % 2]} if long else {})


def written(path: Path, table: Mapping[str, Any], option: str = "") -> Path:
    """The table as a CSV file; for the option about encodings, with ids that are not UTF-8."""
    if option == "encoding":
        table = {**table, "id": [f"é{row}" for row in range(ROWS)]}
    with path.open("w", newline="", encoding="latin-1") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return path


def predictions() -> Predictions:
    """The same as checked predictions."""
    return Predictions(("0", "1"), TRUTH, score=GOOD)


def sources_of_one(folder: Path, option: str) -> dict[str, Given]:
    """Every kind of source of one model; for options about gaps there are gaps."""
    table = columns(long=option == "model")
    labels: Any = LABELS.astype(object)
    score = GOOD.copy()
    if option == "default_class":
        labels[GAPS], score[GAPS] = None, np.nan
        table["pred"] = np.where(np.arange(ROWS) < GAPS.stop, "", LABELS)
    truth, thirds = TRUTH.astype(float), THIRDS.copy()
    if option == "default_class":
        thirds[GAPS] = np.nan
    if option == "missing":
        score[GAPS], truth[GAPS], thirds[GAPS], labels[GAPS] = np.nan, np.nan, np.nan, None
        table["score"] = np.where(np.arange(ROWS) < GAPS.stop, "", GOOD.astype(str))
    frame = pd.DataFrame(table)
    if option == "missing":
        frame["score"] = score
    found = {
        "arrays": Given(TRUTH, {"y_score": score}),
        "arrays labels": Given(TRUTH, {"y_pred": labels}),
        "arrays probabilities": Given(THREE, {"y_proba": thirds}),
        "frame": Given(frame, {}),
        "file": Given(written(folder / "all.csv", table, option), {}),
        "estimator": Given(Half(), {"y_score": np.column_stack([GOOD]), "y": truth}),
        "predictions": Given(predictions(), {}),
    }
    if option == "y_score":
        found["arrays"] = Given(TRUTH, {"y_pred": LABELS})
    if option in ("y_pred", "y_proba"):
        found = {kind: given for kind, given in found.items() if kind != "arrays labels"}
    return found


def sources_of_two(folder: Path, option: str) -> dict[str, Given]:
    """Every kind of source of two models to be compared."""
    table = columns()
    wide = {name: values for name, values in table.items() if name not in ("score", "hazard", "pred", "call")}
    good, gaps = GOOD.copy(), np.arange(ROWS) < GAPS.stop
    written_good: Any = GOOD
    if option == "default_class":
        good[GAPS] = np.nan
    if option == "missing":
        good[GAPS] = np.nan
        written_good = np.where(gaps, "", GOOD.astype(str))
    wide |= {"score__good": written_good, "score__poor": POOR}
    if option == "default_class":
        wide |= {"pred__good": np.where(gaps, "", LABELS), "pred__poor": LABELS}
    frame = pd.DataFrame(wide)
    if option == "missing":
        frame["score__good"] = good
    if option == "default_class":
        table["pred"] = np.where(gaps, "", LABELS)
    one, other = ({**table, "score": score, "who": np.array([name] * ROWS)} for name, score in
                  (("good", written_good), ("poor", POOR)))  # fmt: skip
    paths = [written(folder / f"{name}.csv", each, option) for name, each in (("one", one), ("other", other))]
    judged = {name: assay.evaluate(TRUTH, score) for name, score in (("good", GOOD), ("poor", POOR))}
    return {
        "arrays": Given(TRUTH, {"y_score": {"good": good, "poor": POOR}}),
        "frame": Given(frame, {}),
        "file": Given(written(folder / "wide.csv", wide, option), {}),
        "files": Given(paths, {}),
        "evaluations": Given(judged, {}),
    }


def value_for(option: str, source: str) -> Any:
    """A value of the option that changes the answer, if anything does."""
    if option in DESIGN:
        return COLUMN[option] if source in ("frame", "file", "files") else DESIGN[option]
    return {
        "y_score": np.column_stack([GOOD]) if source == "estimator" else GOOD,
        "y": TRUTH,
        "y_pred": np.array(["a", "b"])[TRUTH] if source == "arrays probabilities" else LABELS,
        "y_proba": np.column_stack([1 - POOR, POOR]),
        "classes": ["c", "b", "a"] if source == "arrays probabilities" else ["1", "0"],
        "out_of_bag": True,
        "truth": "flipped",
        "score": "hazard",
        "pred": "call",
        "certainty": "sure",
        "positive": "b" if source == "arrays probabilities" else "0",
        "model": "who",
        "keep_ids": True,
        # Every row has a label here, and no file of labels is there: refused by name.
        "inclusion": "hazard",
        "proxy": "call",
        "verified_by": "call",
        "labelled": "to_label.csv",
        "target": "new",
        "missing": "drop",
        "decimal": ",",
        "encoding": "latin-1",
        "sheet": "Results",
        "table": "scores",
        "memory": "1kB",
        "within": 0.01,
        "ignore": "weights",
        "default_class": "a" if source == "arrays probabilities" else "1",
        "threshold": 0.3,
        "level": 0.8,
        "seed": 11,
        "card": {"trust": "audited"},
        "measure": "f1",
        "margin": 0.02,
        "control": "poor",
        "method": "bootstrap",
        "alternative": "greater",
        "non_inferior": True,
        "costs": "matrix.cost",
        "power_for": 0.05,
        "unpaired": True,
        "cost_fp": 1.0,
        "cost_fn": 10.0,
        "cost_tp": 1.0,
        "cost_tn": 1.0,
        "acquisition": 1.0,
        "prevalence": 0.2,
        "maximise": "f1",
        "at_least": "recall=0.8",
        "at_most": "fpr=0.2",
        "at_most_flagged": 50.0,
        "per": 100.0,
        "confidence": 0.9,
        "require": "accuracy > 0.5",
        "strict": True,
        "stream": True,
        "reference": 0.2,
        "reference_cases": 300,
        "alpha": 0.2,
        "window": 150,
        "together": 5,
        "format": "json",
        "style": "weka",
        "layout": "actual-rows",
        "positive_first": False,
        "full": True,
        "output": "out.txt",
        "html": "out.html",
        "save": "saved.csv",
        "embed_rows": True,
        "quiet": True,
        "kind": "cost",
        "x_axis": "recall",
        "y_axis": "precision",
        "svg": "out.svg",
    }[option]
