"""Cost-sensitive learners: minimum expected cost, case weights, rejection, and relabelling (MetaCost).

MetaCost: any classifier made to mind costs by learning the labels that would have been cheapest.

Votes as scores: each member of an ensemble says a class, and K votes of n are enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.costs import Costs
from assay.decisions import bayes_decisions, reject_thresholds
from assay.errors import OptionError, UnknownAttribute
from assay.estimators.base import (
    FOLDS,
    CostsLike,
    DummyClassifier,
    LabelledCases,
    WrappedClassifier,
    check_random_state,
    costs_of,
    fitted,
    held_out,
    is_classifier,
    probabilities_of,
    score_of,
    seeded,
)
from assay.estimators.pictures import ScoreCuts
from assay.evidence import ScoreTable
from assay.predictions import REJECTED
from assay.request import checked_between, checked_choice, checked_whole
from assay.sources import abstention_of
from assay.types import Codes, Floats

WAYS = ("decide", "reweight")
BY = ("probability", "score")


class CostSensitiveClassifier(WrappedClassifier):
    """A classifier that minimizes the expected cost of its errors, for any number of classes.

    `method` "decide" calls each case what costs least by the classifier's probabilities, which must be calibrated for
    that; "reweight" fits the classifier to cases weighted by what errors on their class cost together, and decides as
    it does.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> costs = [[0, 1, 2], [1, 0, 1], [3, 2, 0]]
    >>> wary = CostSensitiveClassifier(GaussianNB(), costs=costs).fit(X[:, :2], y)
    >>> np.bincount(wary.predict(X[:, :2])), np.bincount(wary.classifier_.predict(X[:, :2]))
    (array([49, 39, 62]), array([49, 57, 44]))

    References: Elkan (2001); Ting (1998).
    """

    def __init__(self, classifier: Any, *, costs: CostsLike | None = None, method: str = "decide") -> None:
        self.classifier = classifier
        self.costs = costs
        self.method = method

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CostSensitiveClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the classifier, with weighted cases if requested."""
        checked_choice(self.method, WAYS, "method")
        cases = self._cases(X, y, sample_weight)
        self.costs_: Costs = costs_of(self.costs, self.classes_)
        self.shares_ = cases.shares(len(self.classes_))
        if self.method == "reweight":
            cases = LabelledCases(cases.features, cases.labels, cases.codes, cost_weights(cases, self.costs_))
        self.classifier_ = fitted(self.classifier, cases)
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the class of lowest expected cost."""
        asked = self._asked(X)
        if self.method == "reweight":
            found: NDArray[Any] = self.classifier_.predict(asked)
            return found
        said = probabilities_of(self.classifier_, asked)
        labels: NDArray[Any] = self.classes_[bayes_decisions(said, self.costs_, calibrated_at=self.shares_)]
        return labels


def cost_weights(cases: LabelledCases, costs: Costs) -> Floats:
    """Return a weight for each case: the total cost of errors on its class, scaled to the previous sum of weights.

    >>> cases = LabelledCases(None, np.array([]), np.array([0, 0, 0, 1]))
    >>> cost_weights(cases, Costs(fp=1, fn=5))
    array([0.5, 0.5, 0.5, 2.5])
    """
    loss = costs.loss
    dear = (loss - np.diagonal(loss)[:, None]).sum(axis=1)[cases.codes]
    before = np.ones(len(cases.codes)) if cases.weight is None else cases.weight
    return np.asarray(before * dear * (before.sum() / (before @ dear)))


class RejectClassifier(WrappedClassifier):
    """A classifier that rejects cases where rejection has a lower expected cost (Chow 1970), under any costs.

    The costs say what handing on costs: {"fp": 1, "fn": 5, "reject": 0.2}. By "probability" (calibrated, of any number
    of classes) each case gets the cheapest answer; by "score" (of two classes) the zone between two thresholds is found
    on held-out scores, calibrated or not (Tortorella 2000). `predict` gives `abstention_` for a case handed on: -1, or
    "rejected" where classes are texts. `assay.evaluate(model, X, y)` and experiments count those in a column of their
    own. Where neither `fp` and `fn` nor a matrix is given, an error costs 1. `cv` says how scores are held out; by
    probability nothing is, and only "prefit" makes a difference.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(400, flip_y=0.2, random_state=0)
    >>> careful = RejectClassifier(GaussianNB(), costs={"fp": 1, "fn": 1, "reject": 0.2}).fit(X[:200], y[:200])
    >>> np.unique(careful.predict(X[200:])).tolist()
    [-1, 0, 1]
    """

    expected_failed_checks: Mapping[str, str] = {
        "check_classifiers_train": "a rejected case has no predicted class, but a most probable one",
    }

    def __init__(
        self,
        classifier: Any,
        *,
        costs: CostsLike | None = None,
        by: str = "probability",
        abstention: Any = None,
        cv: Any = FOLDS,
        random_state: Any = None,
    ) -> None:
        self.classifier = classifier
        self.costs = costs
        self.by = by
        self.abstention = abstention
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RejectClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the classifier and, for by='score', the rejection region."""
        checked_choice(self.by, BY, "by")
        cases = self._cases(X, y, sample_weight)
        self.costs_: Costs = costs_of(self.costs, self.classes_, may_reject=True)
        if self.costs_.reject is None:
            raise OptionError("costs has no cost of rejecting", "costs={'reject': 0.2}, where errors cost 1")
        self.shares_ = cases.shares(len(self.classes_))
        self.abstention_ = abstention_among(self.classes_, self.abstention)
        if self.by == "probability":
            self.classifier_ = self.classifier if self.cv == "prefit" else fitted(self.classifier, cases)
            return self
        if len(self.classes_) != 2:
            raise OptionError(f"by='score' needs two classes (got {len(self.classes_)})", "by='probability'")
        tested = held_out(self.classifier, cases, score_of, self.cv, self.random_state)
        self.classifier_, self.table_ = tested.classifier, tested.cases.table(tested.answers)
        self.zone_ = reject_thresholds(self.table_, self.costs_) or _empty_rejection_region(self.table_, self.costs_)
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the class of each case, or `abstention_` for a rejected one."""
        asked = self._asked(X)
        return with_abstention(self.classes_, self.abstention_)[self._decisions(asked)]

    def picture(self) -> ScoreCuts:
        """Return the held-out scores by class and the rejection region, to plot."""
        if self.by != "score":
            raise OptionError("a rejection region of probabilities has no plot", "by='score'")
        low, high = self.zone_
        cuts = {"negative below": low, "positive from": high} if low < high else {"positive from": high}
        return ScoreCuts(self.table_, {name: cut for name, cut in cuts.items() if np.isfinite(cut)}, "Rejection region")

    def _decisions(self, features: Any) -> Codes:
        if self.by == "probability":
            said = probabilities_of(self.classifier_, features)
            return bayes_decisions(said, self.costs_, calibrated_at=self.shares_)
        low, high = self.zone_
        score = score_of(self.classifier_, features)
        return np.where(score >= high, 1, np.where(score < low, 0, 2)).astype(np.intp)


def _empty_rejection_region(table: ScoreTable, costs: Costs) -> tuple[float, float]:
    """One threshold twice: nobody is handed on where that never pays."""
    from assay.decisions import choose_threshold

    threshold = choose_threshold(table, costs=costs, draws=100).threshold
    return threshold, threshold


def abstention_among(classes: NDArray[Any], given: Any) -> Any:
    """What stands for a case that is handed on: what was given, or something that is no class.

    >>> abstention_among(np.array([0, 1]), None), abstention_among(np.array([-1, 1]), None)
    (-1, -2)
    >>> abstention_among(np.array(["no", "yes"]), None)
    'rejected'
    """
    is_text = classes.dtype.kind in "OUT"
    chosen = given if given is not None else REJECTED if is_text else min(-1, int(classes.min()) - 1)
    if chosen in classes.tolist() or (given is not None and is_text != isinstance(given, str)):
        raise OptionError(
            f"abstention cannot be {chosen!r} (classes: {', '.join(map(repr, classes.tolist()[:8]))})",
            "another value of the same type, as abstention=",
        )
    return chosen


def with_abstention(classes: NDArray[Any], abstention: Any) -> NDArray[Any]:
    """The classes and what stands for none of them, in one array."""
    kept = classes.astype(object) if classes.dtype.kind in "bO" else classes
    return np.append(kept, np.array([abstention], dtype=object if kept.dtype == object else None))


# Samples that lost a class are drawn again so often before the data are taken as they are.
REDRAWS = 50


class MetaCostClassifier(WrappedClassifier):
    """A classifier fitted to relabelled cases: each gets the class of lowest expected cost by a bagged ensemble.

    `n_estimators` copies are fitted to samples drawn with replacement, each of `sample_share` as many cases as there
    are. Their answers about a case (probabilities, or votes without `use_probabilities`), of all of them or only of
    those that did not see it (`out_of_bag`), are averaged; the class with the least expected cost becomes its label,
    and one more copy learns the relabelled cases. `relabelled_` counts them.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_classification(300, flip_y=0.2, weights=[0.7], random_state=0)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> wary = MetaCostClassifier(tree, costs={"fp": 1, "fn": 5}, random_state=0).fit(X, y)
    >>> bool(wary.relabelled_ > 0), bool(wary.predict(X).mean() > tree.fit(X, y).predict(X).mean())
    (True, True)

    References: Domingos (1999).
    """

    expected_failed_checks: Mapping[str, str] = {
        "check_sample_weight_equivalence_on_dense_data": "the cases of a sample depend on their number",
    }

    def __init__(
        self,
        classifier: Any,
        *,
        costs: CostsLike | None = None,
        n_estimators: int = 10,
        sample_share: float = 1.0,
        use_probabilities: bool = True,
        out_of_bag: bool = False,
        random_state: Any = None,
    ) -> None:
        self.classifier = classifier
        self.costs = costs
        self.n_estimators = n_estimators
        self.sample_share = sample_share
        self.use_probabilities = use_probabilities
        self.out_of_bag = out_of_bag
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MetaCostClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the bag, relabel the cases, and fit one classifier to them."""
        cases = self._cases(X, y, sample_weight)
        self.costs_: Costs = costs_of(self.costs, self.classes_)
        classes = len(self.classes_)
        self.bagged_ = self._bagged_probabilities(cases)
        cheapest = bayes_decisions(self.bagged_, self.costs_, calibrated_at=cases.shares(classes))
        self.relabelled_ = int((cheapest != cases.codes).sum())
        learned = cases.labelled(cheapest, self.classes_)
        alone = len(np.flatnonzero(np.bincount(cheapest))) == 1
        self.classifier_ = fitted(DummyClassifier(strategy="most_frequent") if alone else self.classifier, learned)
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probabilities of the relabelled classes, not of the true labels."""
        asked = self._asked(X)
        known = self.classifier_.classes_.tolist()
        said = np.asarray(self.classifier_.predict_proba(asked), dtype=np.float64)
        return _expand_class_columns(said, [self.classes_.tolist().index(name) for name in known], len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the class predicted by the classifier of the relabelled cases."""
        asked = self._asked(X)
        labels: NDArray[Any] = np.asarray(self.classifier_.predict(asked))
        return labels

    @property
    def decision_function(self) -> Any:
        """Raise: scores of relabelled classes are no scores of the classes."""
        raise UnknownAttribute("MetaCost learns relabelled cases, so it has no scores of the classes", "predict")

    def _bagged_probabilities(self, cases: LabelledCases) -> Floats:
        """What the bag says of each case, averaged."""
        checked_whole(self.n_estimators, "n_estimators", 1)
        checked_between(self.sample_share, "sample_share", closed=True)
        rng = check_random_state(0 if self.random_state is None else self.random_state)
        n, classes = len(cases.codes), len(self.classes_)
        every, unseen = np.zeros((n, classes)), np.zeros((n, classes))
        copies = seeded([("", self.classifier)] * self.n_estimators, int(rng.randint(2**31 - 1)))
        for _, copy in copies:
            rows = _bootstrap_rows(cases, max(2, round(self.sample_share * n)), rng)
            said = self._member_probabilities(fitted(copy, cases.only(rows)), cases)
            every += said
            was_out = np.bincount(rows, minlength=n) == 0
            unseen[was_out] += said[was_out]
        # A case that every member saw has only those to ask.
        total = np.where(unseen.any(axis=1, keepdims=True), unseen, every) if self.out_of_bag else every
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def _member_probabilities(self, member: Any, cases: LabelledCases) -> Floats:
        known = [self.classes_.tolist().index(name) for name in member.classes_.tolist()]
        if self.use_probabilities and hasattr(member, "predict_proba"):
            said = np.asarray(member.predict_proba(cases.features), dtype=np.float64)
            return _expand_class_columns(said, known, len(self.classes_))
        votes = np.asarray(member.predict(cases.features))
        return np.asarray(votes[:, None] == self.classes_, dtype=np.float64)


def _bootstrap_rows(cases: LabelledCases, size: int, rng: np.random.RandomState) -> Codes:
    """A sample of rows with replacement that holds two classes at least."""
    for _ in range(REDRAWS):
        rows: Codes = rng.randint(len(cases.codes), size=size)
        if (cases.codes[rows] != cases.codes[rows[0]]).any():
            return rows
    return np.arange(len(cases.codes))


def _expand_class_columns(said: Floats, columns: list[int], classes: int) -> Floats:
    """Columns of some classes among those of all."""
    found = np.zeros((len(said), classes))
    found[:, columns] = said
    return found


DRAWN = "the samples of an ensemble depend on the number of cases"


class VotesClassifier(WrappedClassifier):
    """An ensemble whose score for a class is the share of its members' votes for it.

    `classifier` is whatever keeps its members as `estimators_`: bagging, a forest, a committee. Of two classes the
    second is decided where at least `votes` members say it, or without that where most do. Members may abstain; a case
    on which all of them do (0 : 0) is given the `default_class` with certainty, or without one is handed on:
    `abstention_` in place of a label, and nan in place of probabilities, which `assay.evaluate(..., default_class=...)`
    takes.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import BaggingClassifier
    >>> X, y = make_classification(200, flip_y=0.2, random_state=0)
    >>> wary = VotesClassifier(BaggingClassifier(n_estimators=30, random_state=0), votes=5).fit(X[:100], y[:100])
    >>> votes = wary.count_votes(X[100:])
    >>> bool((votes.sum(axis=1) == 30).all()), bool((wary.predict(X[100:]) == (votes[:, 1] >= 5)).all())
    (True, True)
    """

    expected_failed_checks: Mapping[str, str] = {
        "check_sample_weight_equivalence_on_dense_data": DRAWN,
        "check_sample_weight_equivalence_on_sparse_data": DRAWN,
    }

    def __init__(self, classifier: Any, *, votes: int | None = None, default_class: Any = None) -> None:
        self.classifier = classifier
        self.votes = votes
        self.default_class = default_class

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> VotesClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the ensemble; its members learn the places of the classes, so that their votes can be told apart."""
        cases = self._cases(X, y, sample_weight)
        self.classifier_ = fitted(
            self.classifier, LabelledCases(cases.features, cases.codes, cases.codes, cases.weight)
        )
        self.members_ = len(list(_fitted_members(self.classifier_)))
        self.abstention_ = abstention_among(self.classes_, None)
        if self.votes is not None:
            if len(self.classes_) != 2:
                raise OptionError(
                    f"votes needs two classes (got {len(self.classes_)})", "no votes, or cases of two classes"
                )
            checked_whole(self.votes, "votes", 1, self.members_)
        if self.default_class is not None and self.default_class not in self.classes_.tolist():
            known = ", ".join(map(repr, self.classes_.tolist()[:8]))
            raise OptionError(f"default_class is {self.default_class!r}, which is no class", f"one of {known}")
        return self

    def count_votes(self, X: Any) -> Codes:  # noqa: N803
        """Return the number of votes for each class, a column for each; abstentions do not count."""
        features = self._asked(X)
        plain = features.to_numpy() if hasattr(features, "to_numpy") else features
        found = np.zeros((features.shape[0], len(self.classes_)), dtype=np.intp)
        for member, columns in _fitted_members(self.classifier_):
            # Members that learned from a frame know its names; ensembles that pick columns hand on arrays.
            asked = (
                features if hasattr(member, "feature_names_in_") else plain if columns is None else plain[:, columns]
            )
            said = np.asarray(member.predict(asked))
            handed_on = abstention_of(member)
            for k in range(len(self.classes_)):
                found[:, k] += (said == k) & (True if handed_on is None else said != handed_on)
        return found

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the share of the votes for each class; nan without any vote and default class."""
        votes = self.count_votes(X).astype(np.float64)
        total = votes.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(votes, total, out=np.full(votes.shape, np.nan), where=total > 0)
        if self.default_class is not None:
            shares[total[:, 0] == 0] = self.classes_ == self.default_class
        return shares

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the class with enough votes; without any vote the default class or an abstention."""
        votes = self.count_votes(X)
        decided = votes.argmax(axis=1) if self.votes is None else (votes[:, 1] >= self.votes).astype(np.intp)
        nobody = len(self.classes_)
        if self.default_class is not None:
            nobody = self.classes_.tolist().index(self.default_class)
        decided = np.where(votes.sum(axis=1) == 0, nobody, decided)
        if (decided < len(self.classes_)).all():
            labels: NDArray[Any] = self.classes_[decided]
            return labels
        return with_abstention(self.classes_, self.abstention_)[decided]

    @property
    def decision_function(self) -> Any:
        """Raise: the votes are the scores."""
        raise UnknownAttribute("the scores of votes are their shares", "predict_proba or count_votes")


def _fitted_members(ensemble: Any) -> Iterator[tuple[Any, Any]]:
    """The fitted members of an ensemble, and which features each was given, where not all."""
    found = getattr(ensemble, "estimators_", None)
    members = None if found is None else list(np.asarray(found, dtype=object).ravel())
    # Of gradient boosting they are regressions of what is left over: their answers are no classes.
    if not members or not all(is_classifier(member) for member in members):
        raise OptionError(
            f"{type(ensemble).__name__} has no voting members", "bagging, a random forest or a voting classifier"
        )
    chosen = getattr(ensemble, "estimators_features_", None)
    every = [None] * len(members) if chosen is None else chosen
    yield from zip(members, every, strict=True)
