"""What a caution is, what it may look at, and the list of all rules."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from assay.errors import UnknownName

__all__ = ["Caution", "Facts", "Rule", "StudyFacts", "check", "find_rule", "rules"]


@dataclass(frozen=True, slots=True)
class Caution:
    """One thing to be careful about.

    >>> Caution("A106", "Left out, for missing values: 3 rows.")
    A106  Left out, for missing values: 3 rows.
    """

    code: str
    message: str

    def __repr__(self) -> str:
        return f"{self.code}  {self.message}"

    def to_dict(self) -> dict[str, str]:
        """Code and message."""
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True, kw_only=True)
class StudyFacts:
    """What a study knows of itself on one data set; None means "does not apply"."""

    plan: str
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


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the rules may look at; whoever evaluates fills it in. nan and None mean "does not apply"."""

    # What each class weighs, and where that is something else how many cases it has.
    class_sizes: Mapping[str, float]
    class_counts: Mapping[str, float] = field(default_factory=dict)
    positive: str | None = None
    score_range: tuple[float, float] | None = None
    # Of many classes: whether the scores of each case sum to one, as probabilities do.
    scores_sum_to_one: bool = True
    threshold: float | None = None
    threshold_was_given: bool = False
    # What a threshold was chosen for on these cases, and the prevalence it is meant for.
    chosen_for: str | None = None
    prevalence_elsewhere: float | None = None
    # Two models whose ROC curves differ in either direction by more than chance.
    crossing: tuple[str, str] | None = None
    accuracy: float = float("nan")
    # One-sided p-value of "right as often as the commonest answer" on the very same cases.
    p_below_majority: float = float("nan")
    # Upper limits at 99 %, so that a rule that looks at them rarely cries wolf.
    auc_high: float = float("nan")
    informedness_high: float = float("nan")
    brier_skill_high: float = float("nan")
    certain_and_wrong: float = 0.0
    # Ranges of probability shown to be wrong, in words; the ECE, what calibration would show, and its p-value; and what
    # stands against a Hosmer-Lemeshow test, in words.
    misfits: tuple[str, ...] = ()
    calibration_error: tuple[float, float, float] | None = None
    hosmer_lemeshow: tuple[str, ...] = ()
    unseen_labels: Mapping[str, float] = field(default_factory=dict)
    # Of a comparison: how many pairs and models, rows without a counterpart, two models that score nearly alike, and
    # the measure and half-width of the widest interval that holds 0.
    comparisons: int = 0
    compared_models: int = 0
    unmatched: int = 0
    nearly_equal: tuple[str, str] | None = None
    unclear: tuple[str, float] | None = None
    dropped: int = 0
    defaulted: int = 0
    # Of all pairs of a positive and a negative, the share that ties; of all probabilities, the share that is 0 or 1.
    tied_pairs: float = 0.0
    distinct_scores: int = 0
    saturated: float = 0.0
    # Whether every case is on the right side, or every pair in order.
    is_perfect: bool = False
    unused_columns: Mapping[str, str] = field(default_factory=dict)
    fold_column: str | None = None
    duplicates: int = 0
    clusters: int | None = None
    # Kish's effective number of cases over their number; 1 without weights.
    kish_share: float = 1.0
    study: StudyFacts | None = None

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


@dataclass(frozen=True)
class Rule:
    """A rule with its code; its docstring is the explanation `assay explain CODE` prints."""

    code: str
    title: str
    says: Callable[[Facts], str | None]

    @property
    def explanation(self) -> str:
        """Why this matters and what to do."""
        return inspect.cleandoc(self.says.__doc__ or "")


rules: dict[str, Rule] = {}


def rule(code: str, title: str) -> Callable[[Callable[[Facts], str | None]], Callable[[Facts], str | None]]:
    """Register a function that returns the sentence to say, or None."""

    def register(says: Callable[[Facts], str | None]) -> Callable[[Facts], str | None]:
        assert code not in rules, f"caution {code} is taken"
        rules[code] = Rule(code, title, says)
        return says

    return register


def check(facts: Facts) -> tuple[Caution, ...]:
    """Every caution that applies, in the order of their codes."""
    said = ((rule.code, rule.says(facts)) for rule in sorted(rules.values(), key=lambda rule: rule.code))
    return tuple(Caution(code, message) for code, message in said if message is not None)


def find_rule(code: str) -> Rule:
    """The rule behind a code, in any case.

    >>> find_rule("a101").title
    'Truth holds a single class'
    """
    found = rules.get(code.strip().upper())
    if found is None:
        raise UnknownName(f"there is no caution {code!r}; the codes are {', '.join(sorted(rules))}")
    return found
