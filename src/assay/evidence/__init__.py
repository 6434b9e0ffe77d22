"""Evidence: predictions reduced to the little that measures need, in a form that adds."""

from assay.evidence.confusion import ConfusionMatrix
from assay.evidence.scores import PairCounts, ScoreTable

__all__ = ["ConfusionMatrix", "PairCounts", "ScoreTable"]
