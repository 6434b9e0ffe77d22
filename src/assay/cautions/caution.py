"""What a caution is, and the list of all rules.

What the rules may look at: one record a subject; whoever has the subject fills it in.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, TypeVar, get_type_hints

from assay.errors import UnknownName
from assay.renderers import in_notebook


@dataclass(frozen=True, kw_only=True)
class ClassFacts:
    """The classes of some cases, and how common they are."""

    # What each class weighs, and where that is something else how many cases it has.
    class_sizes: Mapping[str, float]
    class_counts: Mapping[str, float] = field(default_factory=dict)

    @property
    def n(self) -> float:
        """All cases."""
        return sum(self.class_sizes.values())

    @property
    def has_many_classes(self) -> bool:
        """Whether there are more than two, so that none is positive."""
        return len(self.class_sizes) > 2

    @property
    def present(self) -> dict[str, float]:
        """The classes that occur, with their sizes."""
        return {name: size for name, size in self.class_sizes.items() if size > 0}

    @property
    def cases(self) -> dict[str, float]:
        """The classes that occur, with their numbers of cases."""
        return {name: self.class_counts.get(name, size) for name, size in self.present.items()}


@dataclass(frozen=True, kw_only=True)
class EvaluationFacts(ClassFacts):
    """What an evaluation knows of itself; nan and None mean "does not apply"."""

    positive: str | None = None
    score_range: tuple[float, float] | None = None
    # Of many classes: whether the scores of each case sum to one, as probabilities do.
    scores_sum_to_one: bool = True
    threshold: float | None = None
    threshold_was_given: bool = False
    accuracy: float = float("nan")
    # One-sided p-value of "right as often as the commonest answer" on the very same cases.
    p_below_majority: float = float("nan")
    # Upper limits at 99 %, so that a rule that looks at them rarely cries wolf.
    auc_high: float = float("nan")
    informedness_high: float = float("nan")
    brier_skill_high: float = float("nan")
    certain_and_wrong: float = 0.0
    # Ranges of probability shown to be wrong, in words.
    misfits: tuple[str, ...] = ()
    unseen_labels: Mapping[str, float] = field(default_factory=dict)
    dropped: int = 0
    defaulted: int = 0
    # Of all pairs of a positive and a negative, the share that ties; of all probabilities, the share that is 0 or 1.
    tied_pairs: float = 0.0
    distinct_scores: int = 0
    saturated: float = 0.0
    # Whether every case is on the right side, or every pair in order; and whether every answer is right.
    is_perfect: bool = False
    every_answer_right: bool = False
    unused_columns: Mapping[str, str] = field(default_factory=dict)
    fold_column: str | None = None
    duplicates: int = 0
    # Subgroups with few cases of a class, the smallest first, in words.
    small_subgroups: tuple[str, ...] = ()
    clusters: int | None = None
    # The share of the rows in the largest cluster, and the degrees of freedom that the clusters' sizes leave, of what.
    largest_cluster: float = 0.0
    cluster_freedom: tuple[float, str] = (float("inf"), "the rows")
    # The share of the rows that a cluster larger than any here would hold, and the sizes of the median and the largest.
    unseen_cluster: float = 0.0
    cluster_sizes: tuple[float, float] = (0.0, 0.0)
    # Kish's effective number of cases over their number; 1 without weights.
    kish_share: float = 1.0
    # Of scores in cells: the cases whose cells are not shown, how wide the bounds of the AUC are in its standard
    # errors, and those bounds in words.
    hidden: float = 0.0
    bounds_width: float = 0.0
    auc_bounds: str = ""


@dataclass(frozen=True, kw_only=True)
class CalibrationFacts:
    """What statistics of calibration know of themselves."""

    # Ranges of probability shown to be wrong, in words.
    misfits: tuple[str, ...] = ()
    # The ECE, what calibrated probabilities would show, and its p-value.
    calibration_error: tuple[float, float, float] | None = None
    # What stands against a Hosmer-Lemeshow test, in words.
    hosmer_lemeshow: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ThresholdFacts:
    """What is known of a threshold that was chosen on some cases."""

    # What it was chosen for, the share of positives among those cases, and the share it is meant for.
    chosen_for: str | None = None
    prevalence: float = float("nan")
    prevalence_elsewhere: float | None = None


@dataclass(frozen=True, kw_only=True)
class ComparisonFacts:
    """What is known of models that are compared."""

    comparisons: int = 0
    compared_models: int = 0
    # Rows without a counterpart, and rows that lack a value.
    unmatched: int = 0
    dropped: int = 0
    # Two models that score nearly alike, and two whose ROC curves differ in either direction by more than chance.
    nearly_equal: tuple[str, str] | None = None
    crossing: tuple[str, str] | None = None
    # Why nobody looked whether ROC curves cross, and what would tell.
    crossing_untested: str | None = None
    # The measure and half-width of the widest interval that holds 0.
    unclear: tuple[str, float] | None = None


@dataclass(frozen=True, kw_only=True)
class SitesFacts:
    """What is known of sites that are summed up by one measure."""

    # How many sites the summary rests on, and its measure.
    sites: int
    measure: str
    # The class whose share differs most between sites beyond chance, with where it is lowest and highest and how common
    # it is there; and whether the measure moves with such shares.
    shares: tuple[str, str, float, str, float] | None = None
    moves_with_shares: bool = True
    # Sites that lack some of the classes, with those they lack; and sites left out of the summary for any other reason.
    lacking: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    # The site with the largest share of the weight, and that share.
    heaviest: tuple[str, float] = ("", 0.0)
    # The share of the spread between sites that is no sampling error, and limits of a new site's true value.
    i2: float = 0.0
    new_site: tuple[float, float] | None = None
    # How many cases' worth the median site tells on its own: one over its variance on the logit scale.
    told_by_median: float = float("inf")


@dataclass(frozen=True, kw_only=True)
class StudyFacts(ClassFacts):
    """What a study knows of itself on one data set; None means "does not apply"."""

    splits: int
    is_resubstitution: bool = False
    # The learner with the lowest error, of how many, that error, and what BBC-CV makes of it (nan where unknown).
    chosen: tuple[str, int, float, float] | None = None
    # The two best, the measure, and the half-width of their difference where that holds 0 (nan: no interval).
    unclear: tuple[str, str, str, float] | None = None
    # Of the cases tested, the share with the features of a case learned from; of those, the share of its class too.
    repeated: tuple[float, float] | None = None
    # A feature that seems to say whom or what a row is about, and its number of values.
    id_like: tuple[str, int] | None = None
    # What seems to have been done to all rows at once, in words.
    prepared: str | None = None
    # Learners that failed on some splits and not on others, with how many.
    failed: Mapping[str, int] = field(default_factory=dict)
    # The class with the fewest cases in a test part, and how many.
    rarest: tuple[str, int] | None = None
    # The error of each learner on the cases it learned from, and on others.
    flattered: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SampledFacts:
    """What an evaluation from a sample of labels knows of itself."""

    positives: int
    # The labelled row with the largest weight, and its share of the weight of all labelled rows.
    heaviest: tuple[str, float] = ("", 0.0)
    # How many labelled rows of a class are among the predicted positives or negatives, where they are few.
    few_of_a_side: tuple[tuple[int, str, str], ...] = ()
    has_limits: bool = True
    has_scores: bool = True
    # Rows that were drawn and have no label.
    unanswered: int = 0


@dataclass(frozen=True, kw_only=True)
class DesignFacts:
    """What is known of a sample of rows to label before any of them is."""

    aim: tuple[str, ...] = ()
    kind: str = "systematic"


Facts = (
    EvaluationFacts
    | CalibrationFacts
    | ThresholdFacts
    | ComparisonFacts
    | StudyFacts
    | SitesFacts
    | SampledFacts
    | DesignFacts
)
F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Caution:
    """One thing to be careful about.

    >>> Caution("A106", "Left out because of missing values: 3 rows.")
    A106  Left out because of missing values: 3 rows.
    """

    code: str
    message: str

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"{self.code}  {self.message}"

    def to_dict(self) -> dict[str, str]:
        """Code and message."""
        return {"code": self.code, "message": self.message}


class Cautions(tuple[Caution, ...]):
    """What to be careful about, in the order of their codes."""

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "()"


@dataclass(frozen=True)
class Rule:
    """A rule with its code; its docstring is the explanation `assay explain CODE` prints."""

    code: str
    title: str
    # The record of facts it looks at, or several of them.
    reads: type | UnionType
    says: Callable[[Any], str | None]

    @property
    def explanation(self) -> str:
        """Why this matters and what to do."""
        return inspect.cleandoc(self.says.__doc__ or "")


rules: dict[str, Rule] = {}


def rule(code: str, title: str) -> Callable[[Callable[[F], str | None]], Callable[[F], str | None]]:
    """Register a function that returns the sentence to say, or None, about the record its first parameter names."""

    def register(says: Callable[[F], str | None]) -> Callable[[F], str | None]:
        assert code not in rules, f"caution {code} is taken"
        first = next(iter(inspect.signature(says).parameters))
        rules[code] = Rule(code, title, get_type_hints(says)[first], says)
        return says

    return register


def check(facts: Facts) -> Cautions:
    """Every caution that applies, in the order of their codes; only rules that look at such facts are asked."""
    asked = (rules[code] for code in sorted(rules) if isinstance(facts, rules[code].reads))
    said = ((rule.code, rule.says(facts)) for rule in asked)
    return Cautions(Caution(code, message) for code, message in said if message is not None)


def find_rule(code: str) -> Rule:
    """The rule behind a code, in any case.

    >>> find_rule("a101").title
    'Only one class among the true labels'
    """
    found = rules.get(code.strip().upper())
    if found is None:
        raise UnknownName(f"there is no caution {code!r}; the codes are {', '.join(sorted(rules))}")
    return found
