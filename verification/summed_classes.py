"""Coverage of the intervals that evidence of many classes gives of means of areas, beside those of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

import assay
from assay.evidence import ClassScores
from assay.measures import Measure, find_for_many
from assay.results import Estimate
from verification._coverage import Design, generator, limits_of_all, limits_over, row_of
from verification._row import Row
from verification.many_classes import Job, drawn_classes, jobs_of, shares_of, true_values

__all__ = ["jobs", "run"]

SAID = """Cases as on the page of many classes, reduced to evidence on the default grid and judged from that alone, with
the intervals of the same cases as rows beside it. Which scores belong to one case is not known any more, so how the
areas of the classes vary together is not either: the standard error is the largest that any way of belonging together
would give. So these intervals hold more often than they say, and are wider than those of the rows by what stands here.
More than 10 classes have no cells for each pair, and Hand and Till's mean is refused."""

MEASURES = (
    *("hand_till", "macro_roc_auc", "weighted_roc_auc", "macro_average_precision"),
    *("micro_roc_auc", "micro_average_precision"),
)
KNOWN: dict[str, Measure] = {name: find_for_many(name) for name in MEASURES}
LEVEL = 0.95


def jobs(*, quick: bool) -> list[Job]:
    """Classes, sizes and strengths."""
    return jobs_of((3, 6, 10, 12), quick=quick)


def run(job: Job, replicates: int = 250) -> list[Row]:
    """One design, all measures, from evidence and from rows."""
    classes, n, strength, skew = job
    rng = generator("summed classes", *job)
    share = shares_of(job)
    names = tuple(f"class {k:02}" for k in range(classes))
    samples = [drawn_classes(rng, n, share, strength) for _ in range(replicates)]
    truths = true_values(KNOWN, generator("population", *job), share, strength, names)
    design = Design(f"{classes} {'skewed' if skew else 'equal'} classes, strength {strength:g}", n, n * share.min())
    scores = (ClassScores.of(probability, truth, names) for truth, probability in samples)
    of_rows = limits_of_all(list(KNOWN.values()), scores, LEVEL)
    of_sums = limits_over(_of_evidence(samples, names))
    found = []
    for name, measure in KNOWN.items():
        for limits, words in ((of_sums[name], design.words), (of_rows[name], f"{design.words}, rows")):
            said = Design(words, design.n, design.positives)
            found.append(row_of(measure, said, truths[name], limits, level=LEVEL, replicates=replicates))
    return found


def _of_evidence(
    samples: Iterable[tuple[NDArray[np.intp], NDArray[np.float64]]], names: Sequence[str]
) -> dict[str, list[Estimate]]:
    """What evidence of each sample says, through what users call."""
    found: dict[str, list[Estimate]] = {name: [] for name in KNOWN}
    for truth, probability in samples:
        evidence = assay.reduce([names[k] for k in truth], y_proba=probability, classes=names)
        ev = evidence.evaluate(level=LEVEL)
        for name, estimates in found.items():
            estimates.append(ev.estimate(name))
    return found
