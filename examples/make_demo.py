"""Make the bundled example: two classifiers' held-out predictions of which handwritten digits are an 8.

The data is the UCI "Optical Recognition of Handwritten Digits" test set (Alpaydin & Kaynak 1998, CC BY 4.0), which
ships with scikit-learn: 1,797 images of 8 by 8 pixels. Half of them train, the other half is predicted once; nothing
is tuned.
Run with the test environment: `.venv/bin/python examples/make_demo.py`.
"""

from __future__ import annotations

import csv
from pathlib import Path

from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

TARGET = Path(__file__).parent.parent / "src" / "assay" / "data" / "demo.csv"
SEED = 2026


def main() -> None:
    """Fit both, predict the held-out half, write one row for each image."""
    images, digits = load_digits(return_X_y=True)
    is_eight = (digits == 8).astype(int)
    train, test, truth, held_out = train_test_split(
        images, is_eight, test_size=0.5, stratify=is_eight, random_state=SEED
    )
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(train, truth)
    # Smoothing keeps naive Bayes from claiming certainty on pixels that are always blank in training.
    bayes = GaussianNB(var_smoothing=0.1).fit(train, truth)
    scores = [model.predict_proba(test)[:, 1] for model in (logistic, bayes)]
    with TARGET.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["target", "score__logistic", "score__bayes"])
        writer.writerows((y, f"{a:.9g}", f"{b:.9g}") for y, a, b in zip(held_out, *scores, strict=True))


if __name__ == "__main__":
    main()
