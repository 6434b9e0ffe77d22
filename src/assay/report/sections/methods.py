"""Methods and references: those behind the numbers of this report, and no others."""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.evaluation import Evaluation
from assay.measures import Measure
from assay.report.blocks import Block, Heading, Note, Notes, Sentence

__all__ = ["methods"]

# What each interval method does, in words; a method missing here is still listed by its name.
IN_WORDS = {
    "Wilson": "inverts the score test of a proportion. Wilson (1927).",
    "Wilson, Jaccard": "Wilson's interval for hits among hits and errors, carried over to F.",
    "Clopper-Pearson": "inverts the exact binomial test. Clopper & Pearson (1934).",
    "Jeffreys": "the middle of the posterior from Jeffreys' prior.",
    "DeLong, logit": "DeLong's variance of the area, taken on the logit scale. DeLong et al. (1988).",
    "DeLong": "DeLong's variance of the area. DeLong et al. (1988).",
    "Newcombe 5": "method 5 for areas from small classes or at 0 or 1. Newcombe (2006).",
    "influence": "the spread of each case's influence on the value, with Student's t.",
    "influence, logit": "the spread of each case's influence on the value, taken on the logit scale.",
    "influence, log": "the spread of each case's influence on the value, taken on the log scale.",
    "Dirichlet": "the middle of the posterior of the cell probabilities, a mass of 2 spread over the cells beforehand.",
    "Simel": "a standard error on the log scale. Simel et al. (1991).",
    "Woolf": "a standard error on the log scale. Woolf (1955).",
}


def methods(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """How the intervals were made, what they assume, and whom to cite."""
    used: dict[str, dict[str, None]] = {}
    shown: dict[str, Measure] = {}
    for ev in models.values():
        for name, estimate in ev.measures.items():
            if math.isnan(estimate.value):
                continue
            shown[name] = ev.registry[name]
            if not math.isnan(estimate.low):
                used.setdefault(estimate.method, {})[ev.registry[name].title] = None
    items = tuple(Note(method, _words(method, list(titles))) for method, titles in used.items())
    assumptions = "; ".join(dict.fromkeys(measure.intervals.assumes for measure in shown.values()))
    references = dict.fromkeys(measure.reference for measure in shown.values() if measure.reference)
    blocks: list[Block] = [Heading("Methods and references"), Notes(items)]
    if assumptions:
        blocks.append(
            Sentence(f"All intervals assume that {assumptions}. They describe this classifier, not retraining.")
        )
    if references:
        blocks.append(Sentence(f"References: {'; '.join(references)}."))
    return blocks


def _words(method: str, titles: list[str]) -> str:
    explained = f"{IN_WORDS[method]} " if method in IN_WORDS else ""
    return f"{explained}For {', '.join(titles)}."
