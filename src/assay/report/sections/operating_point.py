"""The operating point: what the decisions are worth, beside the answer that looks at no case."""

from __future__ import annotations

from collections.abc import Mapping

from assay.decisions import implied_costs
from assay.evaluation import Evaluation, ManyClassEvaluation
from assay.measures import registry
from assay.report.blocks import Block, Estimates, Sentence
from assay.report.sections._pictures import hides_cases, scored
from assay.report.sections._rows import decisions_by, of_labels_alone, rows_by_measure
from assay.report.words import bracketed, listed, model_names, no_interval, number, quoted, threshold_words, value_words
from assay.results import Estimate

__all__ = ["operating_point"]

MEASURES = ("recall", "precision", "accuracy", "f1")
# Of labels alone the headline holds the accuracy already.
OF_LABELS = ("recall", "precision", "f1")
IN_BRIEF = ("recall", "precision")
# More models than this are summed up as a range.
MOST_NAMED = 3


def operating_point(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The measures of the decisions, at the threshold that made them."""
    deciding = {key: ev for key, ev in models.items() if ev.matrix is not None}
    if not deciding:
        obstacle = next(iter(models.values())).applies("accuracy")
        return [Sentence(f"No decisions are judged: {obstacle}.")]
    title, threshold = decisions_by(deciding)
    names = model_names(models)
    if isinstance(next(iter(models.values())), ManyClassEvaluation):
        return [Sentence(text) for text in _against_majority(deciding, names)]
    rows = rows_by_measure(models, OF_LABELS if all(map(of_labels_alone, models.values())) else MEASURES)
    in_brief = tuple(registry[name].title for name in IN_BRIEF)
    blocks: list[Block] = [Estimates(rows, title, threshold, is_headline=True, in_brief=in_brief)]
    blocks.extend(Sentence(text) for text in _against_majority(deciding, names))
    blocks.extend(Sentence(text) for text in _implied(deciding, names))
    return blocks


def _implied(models: Mapping[str, Evaluation], names: Mapping[str, str]) -> list[str]:
    """For which costs the threshold in use is the best one; nothing where labels were given, or no class is missing."""
    said = []
    for key, ev in scored(models).items():
        if ev.threshold_used is None or len(models) > MOST_NAMED or hides_cases(ev):
            continue
        implied = implied_costs(ev.curves.scores, ev.threshold_used)
        # Off the hull some neighbour is better for every cost, mostly by next to nothing: not worth a word here.
        if implied.is_optimal:
            whose = f"{names[key]}: " if names[key] else ""
            said.append(f"{whose}{threshold_words(ev.threshold_used)} is {implied}.")
    return said


def _against_majority(models: Mapping[str, Evaluation], names: Mapping[str, str]) -> list[str]:
    """The accuracy of the classifiers beside that of the commonest class; one sentence a data set."""
    by_classes: dict[tuple[tuple[str, float], ...], list[str]] = {}
    for key, ev in models.items():
        by_classes.setdefault(tuple(ev.class_sizes.items()), []).append(key)
    return [_accuracy_sentence({key: models[key] for key in keys}, names) for keys in by_classes.values()]


def _accuracy_sentence(models: Mapping[str, Evaluation], names: Mapping[str, str]) -> str:
    baselines = next(iter(models.values())).baselines
    constant = number(baselines.value("majority", "accuracy"))
    estimates = {key: ev.estimate("accuracy") for key, ev in models.items()}
    if len(models) > MOST_NAMED:
        values = [one.value for one in estimates.values()]
        accuracy = f"Accuracy from {number(min(values))} to {number(max(values))}"
    else:
        accuracy = "Accuracy " + listed(
            [" ".join(filter(None, (names[key], value_words(one), _limits(one)))) for key, one in estimates.items()]
        )
    return f"{accuracy}; always predicting {quoted(baselines.majority_class)} gives {constant}."


def _limits(estimate: Estimate) -> str:
    return bracketed(estimate) or f"({no_interval(estimate)})"
