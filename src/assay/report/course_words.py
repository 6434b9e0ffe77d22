"""What the words of a course on evaluation mean here: curves, and the parts that cases are put into."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["ALSO_OF_COURSES", "OF_COURSES"]

# What other documents call the same.
ALSO_OF_COURSES: Mapping[str, str] = MappingProxyType(
    {
        "resolution": "discrimination",
        "imprecision": "Miscalibration",
        "calibration in the small": "Calibration",
        "hold-out set": "hold-out",
        "holdout": "hold-out",
        "training set": "training part",
        "validation set": "validation part",
        "test set": "test part",
        "k-fold cross-validation": "cross-validation",
        "rotation method": "cross-validation",
        "apparent error": "resubstitution",
        "drummond and holte": "cost curve",
        "weights over costs": "cost weights",
        "hull": "convex hull",
        "concordant": "concordant pair",
        "zeror": "dummy",
    }
)
OF_COURSES: Mapping[str, str] = MappingProxyType(
    {
        "discrimination": "how well scores put positives above negatives, whatever the scores mean; the ROC AUC "
        "measures it. Some call it resolution.",
        "training part": "the cases a learner is fitted to; what it says of them is no performance.",
        "validation part": "the cases on which settings, the moment to stop and the best of several are chosen.",
        "test part": "the cases opened last, for the one that was chosen.",
        "hold-out": "cases set aside before fitting, to test on or to choose on.",
        "optimism": "by how much a figure looks better on the cases learned from, or chosen on, than on others.",
        "overfitting": "learning what is an accident of the cases learned from; optimism shows it.",
        "resubstitution": "testing on the cases learned from.",
        "cross-validation": "each part of the cases is predicted by a model of all the others.",
        "leave-one-out": "cross-validation with as many parts as cases.",
        "bagging": "many models of bootstrap samples, which vote; the share of votes is a score. Breiman (1996).",
        "boosting": "models one after another, each looking more at what the last ones had wrong. Freund & Schapire "
        "(1997).",
        "dummy": "the learner that looks at no feature: it stands in every table, and is in no test.",
        "ROC curve": "recall against the false-positive rate as the threshold falls.",
        "ROC surface": "what the ROC curve is for three classes in order; the volume under it is 1/6 by chance.",
        "convex hull": "the ROC points that are best for some costs; between two of them a random mixture is.",
        "dominance": "one ROC curve is nowhere below the other.",
        "concordant pair": "a positive and a negative of which the positive has the higher score.",
        "cost curve": "the least expected cost for every mix of costs and classes. Drummond & Holte (2006).",
        "cost weights": "which costs an AUC averages over, which differ from classifier to classifier, beside those of "
        "the H measure. Hand (2009).",
        "risk chart": "what the cases with the highest scores hold: positives, and money. Williams (2011).",
        "caseload": "the share of the cases that are looked at, the highest scores first.",
        "strike rate": "the share of positives among the cases looked at: precision.",
        "reject curve": "accuracy of the rest when the least sure cases are handed on.",
        "influence of cases and donors, pseudo-cases": "limits of a permutation importance: the spread over the cases "
        "that were given another value and over those that gave it, a few that change by one added.",
        "not used": "the model does not look at the column, so that its importance is 0 exactly.",
        "learning curve": "how a figure changes with the number of cases learned from.",
    }
)
