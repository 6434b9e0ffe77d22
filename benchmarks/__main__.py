"""`make bench`: Assay beside its peers in one run, as ratios. Absolute times mean nothing on a shared machine."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import confidenceinterval
import mlxtend.evaluate
import numpy as np
import pycm
from sklearn import metrics as sk

import assay
from assay.curves import precision_recall, roc
from assay.decisions import best_by_ratio
from assay.evaluation.calibration import Calibration
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import registry, roc_auc
from benchmarks._timing import best_of, startup
from benchmarks.comparing import paired_bootstrap, paired_delong
from benchmarks.evidence import merging, sizes
from benchmarks.experiments import megabytes_of_cells, page_of_a_study, study_overhead
from benchmarks.kernels import SIZES, sample, with_kernels
from benchmarks.page import compared_page, first_page_seconds, page_seconds, page_size, step_milliseconds
from benchmarks.past_memory import beside_group_by
from benchmarks.streams import streamed

CASES = 10**6


@dataclass(frozen=True)
class Row:
    """One bar of the design: `ratio` has to reach `bar` (or stay below it, where less is better)."""

    work: str
    ratio: float
    unit: str
    bar: float
    less_is_better: bool = False

    @property
    def is_met(self) -> bool:
        return self.ratio <= self.bar if self.less_is_better else self.ratio >= self.bar

    def __str__(self) -> str:
        sign = "<=" if self.less_is_better else ">="
        verdict = "met" if self.is_met else "MISSED"
        return f"{self.work:<58} {self.ratio:8.2f} {self.unit:<34} bar {sign} {self.bar:<5g} {verdict}"


def main() -> int:
    """Print every row, and say how many bars were met."""
    rng = np.random.default_rng(0)
    rows: list[Row] = []
    groups = (ranking, curves, labels, classes, comparing, studies, events, page, starting, past_memory, evidence)
    for group in groups:
        for row in group(rng):
            print(row, flush=True)
            rows.append(row)
    print("by hand: python -m benchmarks.past_memory 100_000_000")
    print(f"{sum(row.is_met for row in rows)} of {len(rows)} bars met")
    return 0


def past_memory(rng: np.random.Generator) -> list[Row]:
    """Rows that do not fit into the memory that may be used."""
    found, unit = beside_group_by(), "of DuckDB's same GROUP BY"
    return [
        Row("2*10^7 rows of Parquet, reduced", found["reduction"], unit, 1.3, less_is_better=True),
        Row("2*10^7 rows of Parquet, all of evaluate", found["evaluate"], unit, 2.0, less_is_better=True),
        Row("2*10^7 rows of Parquet, most memory of all this", found["peak GiB"], "GiB", 4.0, less_is_better=True),
    ]


def evidence(rng: np.random.Generator) -> list[Row]:
    """Files of evidence: the largest of every shape of scores, the widest bounds, and how fast many are merged."""
    rows = []
    for cases, most in ((10**5, 300), (10**7, 4_000)):
        found = list(sizes(cases))
        largest, widest = max(size for _, size, _ in found), max(share for *_, share in found)
        rows.append(Row(f"evidence of {cases:,} scores, the largest", largest, "kB", most, less_is_better=True))
        unit = "% of the AUC's standard error"
        rows.append(Row(f"evidence of {cases:,} scores, widest bounds", widest, unit, 1, less_is_better=True))
    return [*rows, Row("1,000 files of evidence, merged", merging()[0], "s of one core", 1, less_is_better=True)]


def ranking(rng: np.random.Generator) -> list[Row]:
    """AUC with its interval, and all that is reported, against scikit-learn's AUC alone; integer labels."""
    rows = []
    for kernels, bars in (
        ("compiled", {10**2: 10, 10**4: 10, 10**5: 15, 10**6: 10}),
        ("numpy", dict.fromkeys(SIZES, 1)),
    ):
        found = with_kernels(kernels)
        for cases in SIZES:
            unit = "x scikit-learn's speed"
            rows.append(Row(f"ROC AUC, {cases:,}, {kernels}", found[f"auc {cases}"], unit, bars[cases]))
            rows += [
                Row(f"the same, labels as {name}", found[f"{name} {cases}"], unit, 1) for name in ("booleans", "words")
            ]
        for cases, bar in ((10**5, 1), (10**6, 0.5)) if kernels == "compiled" else ():
            ratio = found[f"everything {cases}"]
            rows.append(Row(f"everything, {cases:,}", ratio, "scikit-learn's AUC alone", bar, less_is_better=True))
    truth = rng.random(100_000) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(truth * 1.2 - 1, 1)))
    work: dict[str, Callable[[], Any]] = {
        "confidenceinterval": lambda: confidenceinterval.roc_auc_score(truth.astype(int), score),
        "assay": lambda: assay.evaluate(truth, score).roc_auc,
        "auc": lambda: roc_auc(ScoreTable.of(score, truth)),
        "interval": lambda: roc_auc.estimate(ScoreTable.of(score, truth)),
    }
    t = best_of(work)
    samples = {cases: cycle([sample(rng, cases) for _ in range(30)]) for cases in (100, 10_000)}
    few = {"evaluate": lambda: assay.evaluate(*next(samples[100])).to_dict()}
    few |= {"more": lambda: assay.evaluate(*next(samples[10_000])).to_dict()}
    small = best_of(few, rounds=30)
    return [
        *rows,
        Row("everything, 100", 1e3 * small["evaluate"], "ms", 5, less_is_better=True),
        Row("everything, 10,000", 1e3 * small["more"], "ms", 8, less_is_better=True),
        Row("ROC AUC, 10^6: the most memory", _most_memory(rng), "scikit-learn's", 1, less_is_better=True),
        Row("AUC with DeLong interval, 10^5", t["interval"] / t["auc"], "our AUC", 1.3, less_is_better=True),
        Row("AUC with DeLong interval, 10^5", t["confidenceinterval"] / t["assay"], "x confidenceinterval's speed", 10),
    ]


def _most_memory(rng: np.random.Generator) -> float:
    """What is held at the most while an AUC is worked out, beside the arrays that were given."""
    truth = (rng.random(CASES) < 0.3).astype(int)
    score = rng.normal(truth, 1)

    def peak(work: Callable[[], Any]) -> int:
        tracemalloc.start()
        work()
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return held

    return peak(lambda: assay.evaluate(truth, score).roc_auc) / peak(lambda: sk.roc_auc_score(truth, score))


def curves(rng: np.random.Generator) -> list[Row]:
    """Every curve, every measure at every threshold, the hull and 50 best thresholds against two curves."""
    truth = rng.random(CASES) < 0.3
    score = rng.normal(truth * 1.2, 1)
    of_decisions = [measure for measure in registry.values() if measure.needs is ConfusionMatrix]
    ratios = np.geomspace(0.02, 50, 50)

    def everything() -> None:
        table = ScoreTable.of(score, truth)
        roc(table), precision_recall(table)
        swept = table.swept()
        for measure in of_decisions:
            measure(swept)
        best_by_ratio(table, ratios)

    t = best_of(
        {
            "sklearn": lambda: (sk.roc_curve(truth, score), sk.precision_recall_curve(truth, score)),
            "everything": everything,
        },
        rounds=3,
    )
    return [
        Row(
            "curves, measures at every threshold, hull, 50 costs, 10^6",
            t["sklearn"] / t["everything"],
            "x scikit-learn's two curves",
            1,
        )
    ]


def labels(rng: np.random.Generator) -> list[Row]:
    """Confusion matrices against scikit-learn, PyCM and mlxtend."""
    truth, decision = rng.integers(0, 10, CASES), rng.integers(0, 10, CASES)
    names = [str(k) for k in range(10)]
    flat = truth * 10 + decision
    t = best_of(
        {
            "bincount": lambda: np.bincount(flat, minlength=100),
            "sklearn": lambda: sk.confusion_matrix(truth, decision),
            "mlxtend": lambda: mlxtend.evaluate.confusion_matrix(truth, decision),
            "assay": lambda: ConfusionMatrix.of(truth, decision, names),
        },
        rounds=3,
    )
    written = np.array(["setosa", "versicolor", "virginica"])
    spelled = written[truth % 3], written[decision % 3]
    t |= best_of(
        {
            "sklearn strings": lambda: sk.confusion_matrix(*spelled),
            "assay strings": lambda: assay.evaluate(spelled[0], y_pred=spelled[1]).matrix,
        },
        rounds=3,
    )
    few = slice(0, 100_000)
    binary = truth[few] % 2, decision[few] % 2
    peer = best_of(
        {
            "pycm": lambda: pycm.ConfusionMatrix(*binary),
            "assay": lambda: assay.evaluate(binary[0], y_pred=binary[1]).to_dict(),
        },
        rounds=3,
    )
    return [
        Row("confusion matrix, 10 classes, 10^6", t["sklearn"] / t["assay"], "x scikit-learn's speed", 40),
        Row("confusion matrix, 10 classes, 10^6", t["mlxtend"] / t["assay"], "x mlxtend's speed", 5),
        Row(
            "confusion matrix of strings, 10^6", t["sklearn strings"] / t["assay strings"], "x scikit-learn's speed", 20
        ),
        Row("confusion matrix, 10 classes, 10^6", t["assay"] / t["bincount"], "np.bincount", 10, less_is_better=True),
        Row(
            "all label measures with intervals, 10^5", peer["pycm"] / peer["assay"], "x PyCM's speed (no intervals)", 1
        ),
    ]


def classes(rng: np.random.Generator) -> list[Row]:
    """Every measure of a hundred classes with its interval against three functions of scikit-learn without any."""
    cases, number = 100_000, 100
    truth = rng.integers(0, number, cases)
    logit = rng.normal(size=(cases, number))
    logit[np.arange(cases), truth] += 2
    probability = np.exp(logit) / np.exp(logit).sum(1, keepdims=True)

    def peer() -> None:
        sk.roc_auc_score(truth, probability, multi_class="ovr", average="macro")
        sk.log_loss(truth, probability)
        sk.classification_report(truth, probability.argmax(1))

    t = best_of({"sklearn": peer, "assay": lambda: assay.evaluate(truth, probability).table()}, rounds=3)
    unit = "scikit-learn's AUC, loss, report"
    return [Row("the whole table, 100 classes, 10^5", t["assay"] / t["sklearn"], unit, 0.34, less_is_better=True)]


def comparing(rng: np.random.Generator) -> list[Row]:
    """Two classifiers on the same cases, and everything about calibration."""
    truth = rng.random(CASES) < (score := rng.beta(0.5, 1, CASES))
    scores = assay.evaluate(truth, score).curves.scores

    def block() -> None:
        calibration = Calibration(scores)
        calibration.table(), calibration.band, calibration.consistency_band(), calibration.miscalibration

    t = best_of({"sort": lambda: np.sort(score), "block": block}, rounds=2)
    return [
        Row("paired DeLong comparison, 10^5", paired_delong(rng), "x MLstatkit's speed", 30),
        Row("2,000 paired bootstraps of ten measures, 10^4", paired_bootstrap(rng), "x a scikit-learn loop", 200),
        Row("calibration with bands, 10^6", t["block"] / t["sort"], "np.sort of the scores", 10, less_is_better=True),
    ]


def studies(rng: np.random.Generator) -> list[Row]:
    """What a study costs beside plain cross-validation."""
    same, without_dummy = study_overhead(rng)
    unit = "% more than cross_validate"
    return [
        Row("study of fits of 50 ms", same, unit, 5, less_is_better=True),
        Row("study of fits of 50 ms, its dummy counted as overhead", without_dummy, unit, 5, less_is_better=True),
        Row(
            "study of 2,400 cells instead of 300", megabytes_of_cells(), "MB more at the peak", 10, less_is_better=True
        ),
        Row("page of a study of 600 cells", page_of_a_study(), "its table", 2.5, less_is_better=True),
    ]


def events(rng: np.random.Generator) -> list[Row]:
    """A stream with ten measures of its last 1,000 events, against river, which is told the same events."""
    unit = "x river's speed"
    rows = []
    for kernels, bars in (("numpy", (3, 10)), ("compiled", (5, 50))):
        found = streamed(kernels)
        rows.append(Row(f"ten measures read after every event, {kernels}", found["one by one"], unit, bars[0]))
        rows.append(Row(f"the same in chunks, all values kept, {kernels}", found["chunks"], unit, bars[1]))
    rows.append(Row("the same without the AUC", found["chunks, labels"], unit, 50))
    return rows


def page(rng: np.random.Generator) -> list[Row]:
    """The report page of a million cases, and how fast pages follow a hand."""
    return [
        Row("page of 10^6 cases: a model's share", page_size(rng), "KB", 100, less_is_better=True),
        Row("page of 10^6 cases: built and written", page_seconds(rng)[0], "s", 2, less_is_better=True),
        Row("page of 10^6 cases: the first of a process", first_page_seconds(), "s", 2, less_is_better=True),
        Row("page of four models compared, 5,000", compared_page(rng, 5_000), "their tables", 20, less_is_better=True),
        Row("page of four models compared, 10^5", compared_page(rng, 100_000), "their tables", 3, less_is_better=True),
        Row("page of three models: a step of a control", step_milliseconds("many"), "ms", 16, less_is_better=True),
        Row("page of thirty classes: a step of a control", step_milliseconds("thirty"), "ms", 16, less_is_better=True),
    ]


def starting(rng: np.random.Generator) -> list[Row]:
    """What a user waits for before anything happens."""
    t = startup(
        {
            "python": ["-c", "pass"],
            "numpy": ["-c", "import numpy"],
            "import": ["-c", "import numpy, assay"],
            "usable": ["-c", "import numpy, assay; assay.evaluate"],
            "help": ["-m", "assay", "--help"],
            "sklearn": ["-c", "import sklearn.metrics"],
        }
    )
    return [
        Row("import assay beyond numpy", t["import"] - t["numpy"], "s", 0.2, less_is_better=True),
        Row("assay --help", t["help"], "s", 0.3, less_is_better=True),
        Row("import with evaluate ready", t["sklearn"] / t["usable"], "x import sklearn.metrics", 1),
    ]


if __name__ == "__main__":
    sys.exit(main())
