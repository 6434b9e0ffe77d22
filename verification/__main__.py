"""`python -m verification [--quick] [--only PART] [--jobs N]`: simulate, write docs/verification, exit 1 on a miss.

With `--only certificate --group GROUP` some groups alone, whose lines take the places of those on the page.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from verification import (
    algorithms,
    areas,
    auc,
    bands,
    calibration,
    calibration_bands,
    certificate,
    designs,
    effect_sizes,
    few_labels,
    folds,
    forecasts,
    groups,
    importances,
    items,
    label_tests,
    many_classes,
    matrices,
    precision_recall,
    probabilities,
    proportions,
    ranks,
    raters,
    score_tests,
    sites,
    smooth_curves,
    streams,
    studies,
    summed_classes,
    surface,
    thresholds,
)
from verification._pages import page, summary, write

PARTS: dict[str, tuple[Any, str, str]] = {
    "proportions": (proportions, "One proportion", proportions.SAID),
    "matrices": (matrices, "Functions of a 2 x 2 matrix", matrices.SAID),
    "auc": (auc, "ROC AUC", auc.SAID),
    "average_precision": (precision_recall, "Average precision", precision_recall.SAID),
    "areas": (areas, "Partial AUC and the area under precision-recall", areas.SAID),
    "probabilities": (probabilities, "Brier score, log loss, skill and estimated Bayes error", probabilities.SAID),
    "raters": (raters, "Measures found by name: weighted kappas, Rand indices, predictive values", raters.SAID),
    "many_classes": (many_classes, "More than two classes", many_classes.SAID),
    "summed_classes": (summed_classes, "More than two classes from evidence: means of areas", summed_classes.SAID),
    "surface": (surface, "Three ordered classes: the volume under the ROC surface", surface.SAID),
    "smooth_curves": (
        smooth_curves,
        "Smooth ROC curves, tests of whole curves, the calibration belt, one ordinal score",
        smooth_curves.SAID,
    ),
    "designs": (designs, "Weights and clusters", designs.SAID),
    "thresholds": (thresholds, "Chosen thresholds, and expected cost", thresholds.SAID),
    "label_tests": (label_tests, "Comparing labels", label_tests.SAID),
    "score_tests": (score_tests, "Comparing classifiers by scores, losses, costs and any measure", score_tests.SAID),
    "sites": (sites, "Several sites: their mean, and what a new one may show", sites.SAID),
    "groups": (groups, "Groups of cases against the rest, all at once", groups.SAID),
    "calibration": (calibration, "Calibration: intervals and tests", calibration.SAID),
    "calibration_bands": (
        calibration_bands,
        "Bands of calibration curves, ranges of misfit, Murphy diagrams, recalibration",
        calibration_bands.SAID,
    ),
    "ranks": (ranks, "Ranks of equal algorithms", ranks.SAID),
    "effect_sizes": (effect_sizes, "Effect sizes over data sets", effect_sizes.SAID),
    "bands": (bands, "Bands of curves", bands.SAID),
    "algorithms": (algorithms, "Algorithms: estimates over training sets, and tests of two", algorithms.SAID),
    "studies": (studies, "Studies: nearly perfect learners, mean losses, and averaged ROC curves", studies.SAID),
    "importances": (importances, "Importance by permutation, of one model", importances.SAID),
    "streams": (streams, "Streams: alarms, limits at every look, limits under autocorrelation", streams.SAID),
    "forecasts": (forecasts, "What is foretold: power of gates and plans, widths of more cases", forecasts.SAID),
    "few_labels": (few_labels, "Few labels: measures from labels of a sample of the rows", few_labels.SAID),
    "items": (items, "Items: means and differences of scores of language models", items.SAID),
    "folds": (folds, "Cross-validated AUC", folds.SAID),
    "certificate": (certificate, "The certificate: default intervals on populations drawn at random", certificate.SAID),
}

PAGES = Path("docs/verification")
QUICK_PAGES = Path("build/verification")


def main(arguments: list[str] | None = None) -> int:
    """Run the parts asked for; the exit code is 1 if a row misses its bar."""
    options = _options(arguments)
    parts = [options.only] if options.only else list(PARTS)
    failed = False
    with get_context("spawn").Pool(options.jobs) as pool:
        for part in parts:
            started = time.perf_counter()
            rows = _simulate(pool.imap, part, quick=options.quick, groups=options.group)
            module, title, said = PARTS[part]
            if options.group and not options.quick:
                before = (PAGES / f"{part}.md").read_text(encoding="utf-8")
                text = certificate.renewed(title, said, rows, before)
            else:
                text = getattr(module, "page", page)(title, said, rows)
            write(options.to, part, text)
            if part == "certificate" and not options.quick and options.to == PAGES:
                certificate.keep(certificate.merged(rows) if options.group else certificate.records(rows))
            failed |= any(not row.passes for row in rows)
            print(
                f"{part}: {getattr(module, 'summary', summary)(rows)} {time.perf_counter() - started:.0f} s", flush=True
            )
    return int(failed)


def _simulate(imap: Callable[..., Any], part: str, *, quick: bool, groups: Sequence[str]) -> list[Any]:
    module = PARTS[part][0]
    jobs = module.jobs(quick=quick, groups=groups) if groups else module.jobs(quick=quick)
    return [row for rows in imap(module.run, jobs) for row in rows]


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m verification", description="Coverage of the default intervals.")
    parser.add_argument("--quick", action="store_true", help="few designs: a fifth of the work or less")
    parser.add_argument("--only", choices=list(PARTS), help="one part")
    known = list(certificate.GROUPS)
    parser.add_argument("--group", action="append", default=[], choices=known, help="of the certificate alone")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--to", type=Path, help=f"where the tables go ({PAGES}; of a quick run {QUICK_PAGES})")
    options = parser.parse_args(arguments)
    if options.group and options.only != "certificate":
        parser.error("--group is of the certificate; type --only certificate too")
    # What few designs say must not take the place of what many said.
    options.to = options.to or (QUICK_PAGES if options.quick else PAGES)
    options.to.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    sys.exit(main())
