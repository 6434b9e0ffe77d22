"""A fitted model in words: how large it is, the rules of a tree, the coefficients of a linear model.

Importance by permutation: how much worse one fitted model gets on cases when a column is shuffled among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import stdtrit

from assay.errors import OptionError
from assay.experiments.containers import described_container, is_frame, rows_of, with_rows_of_column
from assay.experiments.datasets import Dataset, FeatureColumn
from assay.experiments.preparation import LearnerInput
from assay.experiments.splitting import Indices
from assay.experiments.task import said_by
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level, checked_seed, checked_whole
from assay.results import NAN, Estimate, Table
from assay.text import number, visible
from assay.types import Floats

MOST_LEAVES = 40  # of a tree that is printed; larger ones are counted, and have a table of rules
MOST_COEFFICIENTS = 60
MISSING = " or missing"
NO_LIMITS = "Coefficients have no intervals: no interval of shrunken coefficients has verified coverage."
UNITS = "A coefficient is for one standard deviation of its column; `per_unit` is for one unit of it."


@dataclass(frozen=True, eq=False)
class Described:
    """What can be said of a fitted model: its kind, facts about its size, its rules or coefficients if it has any."""

    kind: str
    size: dict[str, Any]
    tree: str | None = None
    rules: Table | None = None
    coefficients: Table | None = None
    notes: tuple[str, ...] = field(default=())

    def words(self) -> str:
        """All of it as text, a tree as it branches."""
        sized = ", ".join(f"{name} {_format_value(value)}" for name, value in self.size.items())
        lines = [f"{self.kind}: {sized}." if sized else f"{self.kind}."]
        if self.tree is not None:
            lines.append(self.tree)
        if self.coefficients is not None:
            shown = Table({k: v[:MOST_COEFFICIENTS] for k, v in self.coefficients.columns.items()}, digits=4)
            lines.append(str(shown))
            left = len(self.coefficients) - len(shown)
            lines += [f"... and {left:,} more"] if left > 0 else []
        return "\n".join([*lines, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        tables = {
            name: None if getattr(self, name) is None else getattr(self, name).to_dict()
            for name in ("rules", "coefficients")
        }
        return {"kind": self.kind, "size": self.size, "tree": self.tree, **tables, "notes": list(self.notes)}


def _format_value(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else number(value) if isinstance(value, float) else str(value)


def described(estimator: Any, data: Dataset) -> Described:
    """What a fitted estimator is made of, by the names of the columns it saw.

    >>> from assay.experiments.datasets import dataset_of
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> iris = dataset_of("iris")
    >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(iris.features, iris.target)
    >>> print(described(tree, iris).words())
    DecisionTreeClassifier: leaves 2, depth 1, columns used 1.
    if petal width (cm) <= 0.8: setosa (50 of 50 cases)
    else: versicolor (50 of 100 cases)
    """
    last, names, scale = _unwrap_estimator(estimator, data.feature_names)
    kind = type(last).__name__
    if hasattr(last, "tree_") and hasattr(last, "classes_"):
        return _describe_tree(kind, last, names, data)
    if hasattr(last, "coef_") and np.ndim(last.coef_) in (1, 2) and np.shape(last.coef_)[-1] == len(names):
        return _describe_linear_model(kind, last, names, data.classes, scale)
    return Described(kind, _model_size(last), notes=("It has neither rules nor coefficients.",))


def _unwrap_estimator(estimator: Any, names: Sequence[str]) -> tuple[Any, list[str], Any]:
    """The estimator that decides, the names of the columns that reach it, and by how much they were divided."""
    shown, scale = [visible(name) for name in names], None
    for _ in range(8):  # searches of searches end somewhere
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            *before, (_, last) = estimator.steps
            for _, step in before:
                shown = _feature_names_after(step, shown)
                scale = getattr(step, "scale_", scale) if len(np.atleast_1d(getattr(step, "scale_", ()))) else scale
            estimator = last
        else:
            break
    return estimator, shown, scale


def _feature_names_after(step: Any, names: list[str]) -> list[str]:
    if step in (None, "passthrough"):
        return names
    try:
        return [str(name) for name in step.get_feature_names_out(np.asarray(names, dtype=object))]
    except Exception:  # a step of a foreign package that cannot name what it gives
        width: Any = getattr(step, "n_components_", None) or getattr(step, "n_features_in_", len(names))
        return [f"column {place + 1} after {type(step).__name__}" for place in range(int(width))]


def _model_size(last: Any) -> dict[str, Any]:
    """How large a model without rules is, by what estimators of its kind say of themselves."""
    found: dict[str, Any] = {}
    members = np.ravel(np.asarray(getattr(last, "estimators_", ()), dtype=object))
    if len(members):
        found["members"] = len(members)
        if all(hasattr(each, "get_n_leaves") for each in members):
            found["mean leaves"] = float(np.mean([each.get_n_leaves() for each in members]))
            found["largest depth"] = int(max(each.get_depth() for each in members))
    if hasattr(last, "n_support_"):
        found["support vectors"] = int(np.sum(last.n_support_))
    if hasattr(last, "n_samples_fit_"):
        found["cases kept"] = int(last.n_samples_fit_)
    if hasattr(last, "coefs_"):
        found["weights"] = int(sum(np.size(each) for each in (*last.coefs_, *last.intercepts_)))
        found["layers"] = len(last.coefs_)
    if not found and isinstance(getattr(last, "n_iter_", None), int | np.integer):
        found["rounds"] = int(last.n_iter_)
    if not found and hasattr(last, "theta_"):
        found["means and variances"] = int(2 * np.size(last.theta_))
    return found


def _describe_linear_model(kind: str, last: Any, names: list[str], classes: tuple[str, ...], scale: Any) -> Described:
    rows, start = np.atleast_2d(last.coef_), np.atleast_1d(getattr(last, "intercept_", 0.0))
    known = [visible(classes[int(code)]) for code in getattr(last, "classes_", range(len(classes)))]
    heads = ["coefficient"] if len(rows) == 1 else [f"for {known[k]}" for k in range(len(rows))]
    columns: dict[str, list[Any]] = {"column": ["(intercept)", *names]}
    for head, row, first in zip(heads, rows, np.broadcast_to(start, len(rows)), strict=True):
        columns[head] = [float(first), *map(float, row)]
    notes = [
        f"Positive coefficients increase the probability of {known[-1]}."
        if len(rows) == 1
        else "Each class has its own coefficients.",
        NO_LIMITS,
    ]
    if scale is not None and len(rows) == 1 and len(scale) == len(names):
        columns["per_unit"] = [float("nan"), *map(float, rows[0] / np.where(np.asarray(scale) == 0, 1, scale))]
        notes.insert(1, UNITS)
    size = {"columns": len(names), "coefficients that are 0": int((rows == 0).sum())}
    return Described(kind, size, coefficients=Table(columns, title="Coefficients", digits=4), notes=tuple(notes))


@dataclass(frozen=True, eq=False)
class _Branches:
    """A tree with the names that its questions and answers go by."""

    tree: Any
    questions: Sequence[tuple[str, str]]
    classes: Sequence[str]

    def answer(self, node: int) -> tuple[str, int, int]:
        """The class of a node, the training cases of it, and all of its training cases."""
        cases = int(self.tree.n_node_samples[node])
        shares = self.tree.value[node][0]
        best = int(np.argmax(shares))
        return self.classes[best], round(float(shares[best] / max(shares.sum(), 1e-300)) * cases), cases

    def is_leaf(self, node: int) -> bool:
        return bool(self.tree.children_left[node] == self.tree.children_right[node])

    def lines(self, node: int = 0, deep: int = 0) -> Iterator[str]:
        """The tree as it branches, a line for each question and answer."""
        ways = zip(("if " + self.questions[node][0], "else"), self.children(node), strict=True)
        for words, child in ways:
            if self.is_leaf(child):
                yield f"{'  ' * deep}{words}: {self.said(child)}"
            else:
                yield f"{'  ' * deep}{words}:"
                yield from self.lines(child, deep + 1)

    def children(self, node: int) -> tuple[int, int]:
        return int(self.tree.children_left[node]), int(self.tree.children_right[node])

    def said(self, node: int) -> str:
        name, right, cases = self.answer(node)
        return f"{name} ({right:,} of {cases:,} cases)"

    def leaves(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Every leaf with the questions that lead to it; no recursion, since a tree may be deeper than that."""
        waiting: list[tuple[int, tuple[str, ...]]] = [(0, ())]
        while waiting:
            node, path = waiting.pop()
            if self.is_leaf(node):
                yield path, node
            else:
                yes, no = self.questions[node]
                left, right = self.children(node)
                waiting += [(right, (*path, no)), (left, (*path, yes))]


def _describe_tree(kind: str, last: Any, names: list[str], data: Dataset) -> Described:
    tree, classes = last.tree_, [visible(data.classes[int(code)]) for code in last.classes_]
    asked = _feature_topics(data, names)
    questions = [_split_conditions(tree, node, asked) for node in range(tree.node_count)]
    branches = _Branches(tree, questions, classes)
    leaves = list(branches.leaves())
    answers = [branches.answer(node) for _, node in leaves]
    rules = Table(
        {
            "rule": [" and ".join(map(_bracket_missing, path)) or "always" for path, _ in leaves],
            "class": [name for name, _, _ in answers],
            "cases": [cases for _, _, cases in answers],
            "of_class": [right for _, right, _ in answers],
        },
        title="Rules",
    )
    used = {int(feature) for feature in tree.feature if feature >= 0}
    size = {"leaves": len(leaves), "depth": int(tree.max_depth), "columns used": len(used)}
    if len(leaves) > MOST_LEAVES:
        note = f"Trees of more than {MOST_LEAVES} leaves are not printed; the table of rules has all of them."
        return Described(kind, size, rules=rules, notes=(note,))
    text = "\n".join(branches.lines()) if len(leaves) > 1 else f"always: {branches.said(0)}"
    return Described(kind, size, tree=text, rules=rules)


def _bracket_missing(question: str) -> str:
    """A question among others: one that also takes what is missing stands in brackets."""
    return f"({question})" if question.endswith(MISSING) else question


def columns_used(estimator: Any, data: Dataset) -> set[int] | None:
    """The places of the numbers that a tree asks about or a linear model weighs; None where nothing tells.

    >>> from assay.experiments.datasets import dataset_of
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> iris = dataset_of("iris")
    >>> columns_used(DecisionTreeClassifier(max_depth=1, random_state=0).fit(iris.features, iris.target), iris)
    {3}
    """
    last, names, _ = _unwrap_estimator(estimator, data.feature_names)
    if names != [visible(name) for name in data.feature_names]:  # a step made other columns of them
        return None
    if hasattr(last, "tree_"):
        return {int(place) for place in last.tree_.feature if place >= 0}
    coefficients = np.atleast_2d(getattr(last, "coef_", np.empty((0, 0))))
    if coefficients.ndim == 2 and coefficients.shape[1] == len(names):
        return set(np.flatnonzero((coefficients != 0).any(axis=0)).tolist())
    return None


@dataclass(frozen=True)
class _Topic:
    """What a question is about: a column, its value where it is one of a text, and whether it has gaps."""

    column: str
    value: str | None = None
    gaps: bool = False


def _feature_topics(data: Dataset, names: list[str]) -> list[_Topic]:
    if data.features is None or len(names) != data.features.shape[1]:  # a step made other columns of them
        of_text = dict(_encoded_text_topics(data))
        return [of_text.get(name, _Topic(name)) for name in names]
    each = [(column, value) for column in data.columns for value in column.values or (None,)]
    gaps = [bool(np.isnan(values).any()) for values in data.features.T]
    if len(each) != len(names):
        return [_Topic(name, gaps=gap) for name, gap in zip(names, gaps, strict=True)]
    return [
        _Topic(visible(column.name), None if value is None else visible(value), gap)
        for (column, value), gap in zip(each, gaps, strict=True)
    ]


def _encoded_text_topics(data: Dataset) -> Iterator[tuple[str, _Topic]]:
    """What a column of 0 and 1 is about, by its name, where an encoder made it of a text."""
    for column in data.columns:
        for value in column.values or ():
            yield visible(f"{column.name}={value}"), _Topic(visible(column.name), visible(value))


def _split_conditions(tree: Any, node: int, asked: list[_Topic]) -> tuple[str, str]:
    """How a node parts its cases: in words for those that go left, and for the others."""
    place = int(tree.feature[node])
    if place < 0:
        return "", ""
    about, cut = asked[place], f"{tree.threshold[node]:.6g}"
    if about.value is not None:
        return f"{about.column} is not {about.value}", f"{about.column} is {about.value}"
    gaps = MISSING if about.gaps and hasattr(tree, "missing_go_to_left") else ""
    left = bool(gaps) and bool(tree.missing_go_to_left[node])
    return f"{about.column} <= {cut}{gaps if left else ''}", f"{about.column} > {cut}{'' if left else gaps}"


# What gets worse: the share of wrong labels, or the mean square of what probabilities are off.
LOSSES = {"labels": "share of misclassified cases", "probabilities": "mean squared error of the probabilities"}
# Fewer cases or other numbers of shuffles than these were not simulated (verification/importances.py).
FEWEST, REPEATS = 30, (10, 200)
NOT_USED = "not used"  # by the model, so that nothing can change
METHOD = "influence of cases and donors, pseudo-cases"
# How far one pseudo-case rises and another falls: without them a column that matters in few cases only, none of which
# are among those held out, would have limits about 0 that hold nothing.
PSEUDO = {"labels": 1.0, "probabilities": 0.5}
TARGET = "this model, on cases like these"
GROUPED = "cases of a group are dependent; no limits with verified coverage"
SAID = (
    "How much the {loss} of this one model rises on its {cases} held-out cases when a column is shuffled among them, "
    "all values of a text together. Limits at level {level:g} % are for this model on cases like these, each column by "
    "itself; they say nothing of other models that the learner would make, nor of causes. Columns that say the same "
    "share their importance: each can look useless while the other is there. The first of many was sorted there, "
    "partly by luck."
)
Loss = Callable[[Floats], Floats]


@dataclass(frozen=True)
class _Shuffled:
    """Losses of each case, and what they became: for the case that received a value, and for the one that gave it."""

    before: Floats
    received: Floats
    given: Floats

    def importance(self, name: str, level: float, pseudo: float, why_not: str | None) -> Estimate:
        """The mean rise, with limits that allow for both roles a case plays in it, and for cases not yet seen."""
        n = len(self.before)
        rise = self.received - self.before
        value = float(rise.mean())
        if why_not is not None:
            return Estimate(name, value, NAN, NAN, level, "none", n, TARGET, why_not)
        moved = rise + self.given
        spread = float(((moved - moved.mean()) ** 2).sum()) + 2 * pseudo**2
        reach = float(stdtrit(n - 1, (1 + level) / 2)) * math.sqrt(spread / (n * (n - 1)))
        return Estimate(name, value, max(value - reach, -1.0), min(value + reach, 1.0), level, METHOD, n, TARGET)


@dataclass(frozen=True, eq=False, repr=False)
class Importances:
    """The columns of the data, the one that matters most to the model first, and what the numbers hold for."""

    found: tuple[Estimate, ...]
    said: str

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"{self.table()}\n{self.said}"

    def table(self) -> Table:
        """A row for each column."""
        columns: dict[str, list[Any]] = {"column": [one.name for one in self.found]}
        columns |= {name: [getattr(one, name) for one in self.found] for name in ("value", "low", "high", "method")}
        columns["no interval because"] = [one.undefined or "" for one in self.found]
        return Table(columns, title="Importance by permutation", digits=4)


def permutation_importances(
    estimator: Any,
    data: Dataset,
    rows: Indices,
    loss: str = "labels",
    *,
    repeats: int = 20,
    level: float = 0.95,
    seed: int = 0,
    how: LearnerInput | None = None,
) -> Importances:
    """An estimate for each column of the data: the rise of the mean loss, largest first, and its limits.

    A shuffle gives every case the value of another one. The mean over cases is one over pairs of a case and a donor, so
    that its error has a part for either (Fisher, Rudin & Dominici 2019 on the estimate; Hoeffding 1948 on its error).
    The spread over shuffles, which is often shown, says only how many shuffles there were.
    """
    checked_choice(loss, LOSSES, "loss")
    level, seed = checked_level(level), checked_seed(seed)
    repeats = checked_whole(repeats, "repeats", *REPEATS)
    everything = data.numbers if how is None else how.X
    if not (is_frame(everything) or everything is data.features):
        problem = f"the model of data set {data.name!r} learned from a {described_container(everything)}"
        raise OptionError(problem, "a data frame, or a table of numbers, whose columns can be shuffled")
    truth, cases = data.target[rows], rows_of(everything, rows)
    lost = _loss_function(estimator, truth, len(data.classes), loss, None if how is None else how.spelling)
    why_not = GROUPED if data.groups is not None else None
    if len(rows) < FEWEST:
        why_not = f"too few held-out cases ({len(rows)}; at least {FEWEST} needed)"
    rng = np.random.default_rng(seed)
    found = []
    before = lost(cases)
    used = None if is_frame(cases) else columns_used(estimator, data)
    for column, places in _column_positions(data):
        if used is not None and not used & set(places):
            found.append(Estimate(column.name, 0.0, 0.0, 0.0, level, NOT_USED, len(rows), TARGET))
            continue
        one = _permutation_losses(lost, cases, before, column.name if is_frame(cases) else places, repeats, rng)
        found.append(one.importance(column.name, level, PSEUDO[loss], why_not))
    found.sort(key=lambda one: -one.value)
    said = SAID.format(loss=LOSSES[loss], cases=len(rows), level=100 * level)
    return Importances(tuple(found), said)


def _column_positions(data: Dataset) -> Iterator[tuple[FeatureColumn, list[int]]]:
    """The columns as they were given, each with the places of its numbers."""
    start = 0
    for column in data.columns or tuple(FeatureColumn(name) for name in data.feature_names):
        yield column, list(range(start, start + len(column.names)))
        start += len(column.names)


def _loss_function(estimator: Any, truth: Any, classes: int, kind: str, spelling: Sequence[Any] | None) -> Loss:
    def lost(cases: Any) -> Floats:
        said = said_by(estimator, cases, classes, spelling)
        if kind == "labels":
            return np.asarray(said.label != truth, dtype=np.float64)
        if said.probability is None:
            raise OptionError("the model has no probabilities", "another loss", {"loss": "labels"}, about="loss")
        # Half the sum over classes, which for two is the square of what the one probability is off.
        off = said.probability - np.eye(classes)[truth]
        return np.asarray((off**2).sum(axis=1) / 2)

    return lost


def _permutation_losses(
    lost: Loss, cases: Any, before: Floats, column: str | list[int], repeats: int, rng: np.random.Generator
) -> _Shuffled:
    received, given = np.zeros(len(before)), np.zeros(len(before))
    for _ in range(repeats):
        order = rng.permutation(len(before))
        donor = np.empty_like(order)
        donor[order] = np.roll(order, 1)  # in a circle, so that nobody gets its own value
        if isinstance(column, str):
            changed = with_rows_of_column(cases, column, donor)
        else:
            changed = cases.copy()
            changed[:, column] = cases[donor][:, column]
        loss = lost(changed)
        received += loss
        given[donor] += loss
    return _Shuffled(before, received / repeats, given / repeats)
