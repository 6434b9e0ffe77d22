"""A fitted model in words: how large it is, the rules of a tree, the coefficients of a linear model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.experiments.datasets import Dataset
from assay.results import Table
from assay.text import number, visible

MOST_LEAVES = 40  # of a tree that is printed; larger ones are counted, and have a table of rules
MOST_COEFFICIENTS = 60
MISSING = " or missing"
NO_LIMITS = "Coefficients have no intervals: learners shrink them, and no interval of shrunken ones was checked."
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
        sized = ", ".join(f"{name} {_said(value)}" for name, value in self.size.items())
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


def _said(value: Any) -> str:
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
    last, names, scale = _unwrapped(estimator, data.feature_names)
    kind = type(last).__name__
    if hasattr(last, "tree_") and hasattr(last, "classes_"):
        return _tree(kind, last, names, data)
    if hasattr(last, "coef_") and np.ndim(last.coef_) in (1, 2) and np.shape(last.coef_)[-1] == len(names):
        return _linear(kind, last, names, data.classes, scale)
    return Described(kind, _size(last), notes=("It has neither rules nor coefficients to print.",))


def _unwrapped(estimator: Any, names: Sequence[str]) -> tuple[Any, list[str], Any]:
    """The estimator that decides, the names of the columns that reach it, and by how much they were divided."""
    shown, scale = [visible(name) for name in names], None
    for _ in range(8):  # searches of searches end somewhere
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            *before, (_, last) = estimator.steps
            for _, step in before:
                shown = _names_after(step, shown)
                scale = getattr(step, "scale_", scale) if len(np.atleast_1d(getattr(step, "scale_", ()))) else scale
            estimator = last
        else:
            break
    return estimator, shown, scale


def _names_after(step: Any, names: list[str]) -> list[str]:
    if step in (None, "passthrough"):
        return names
    try:
        return [str(name) for name in step.get_feature_names_out(np.asarray(names, dtype=object))]
    except Exception:  # a step of a foreign package that cannot name what it gives
        width: Any = getattr(step, "n_components_", None) or getattr(step, "n_features_in_", len(names))
        return [f"column {place + 1} after {type(step).__name__}" for place in range(int(width))]


def _size(last: Any) -> dict[str, Any]:
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


def _linear(kind: str, last: Any, names: list[str], classes: tuple[str, ...], scale: Any) -> Described:
    rows, start = np.atleast_2d(last.coef_), np.atleast_1d(getattr(last, "intercept_", 0.0))
    known = [visible(classes[int(code)]) for code in getattr(last, "classes_", range(len(classes)))]
    heads = ["coefficient"] if len(rows) == 1 else [f"for {known[k]}" for k in range(len(rows))]
    columns: dict[str, list[Any]] = {"column": ["(intercept)", *names]}
    for head, row, first in zip(heads, rows, np.broadcast_to(start, len(rows)), strict=True):
        columns[head] = [float(first), *map(float, row)]
    notes = [
        f"Positive coefficients speak for {known[-1]}." if len(rows) == 1 else "Each class has its own.",
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


def _tree(kind: str, last: Any, names: list[str], data: Dataset) -> Described:
    tree, classes = last.tree_, [visible(data.classes[int(code)]) for code in last.classes_]
    asked = _topics_of(data, names)
    questions = [_question(tree, node, asked) for node in range(tree.node_count)]
    branches = _Branches(tree, questions, classes)
    leaves = list(branches.leaves())
    answers = [branches.answer(node) for _, node in leaves]
    rules = Table(
        {
            "rule": [" and ".join(map(_bracketed, path)) or "always" for path, _ in leaves],
            "class": [name for name, _, _ in answers],
            "cases": [cases for _, _, cases in answers],
            "of_class": [right for _, right, _ in answers],
        },
        title="Rules",
    )
    used = {int(feature) for feature in tree.feature if feature >= 0}
    size = {"leaves": len(leaves), "depth": int(tree.max_depth), "columns used": len(used)}
    if len(leaves) > MOST_LEAVES:
        note = f"A tree of more than {MOST_LEAVES} leaves is not printed; its table of rules has all of them."
        return Described(kind, size, rules=rules, notes=(note,))
    text = "\n".join(branches.lines()) if len(leaves) > 1 else f"always: {branches.said(0)}"
    return Described(kind, size, tree=text, rules=rules)


def _bracketed(question: str) -> str:
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
    last, names, _ = _unwrapped(estimator, data.feature_names)
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


def _topics_of(data: Dataset, names: list[str]) -> list[_Topic]:
    if data.features is None or len(names) != data.features.shape[1]:  # a step made other columns of them
        of_text = dict(_topics_of_texts(data))
        return [of_text.get(name, _Topic(name)) for name in names]
    each = [(column, value) for column in data.columns for value in column.values or (None,)]
    gaps = [bool(np.isnan(values).any()) for values in data.features.T]
    if len(each) != len(names):
        return [_Topic(name, gaps=gap) for name, gap in zip(names, gaps, strict=True)]
    return [
        _Topic(visible(column.name), None if value is None else visible(value), gap)
        for (column, value), gap in zip(each, gaps, strict=True)
    ]


def _topics_of_texts(data: Dataset) -> Iterator[tuple[str, _Topic]]:
    """What a column of 0 and 1 is about, by its name, where an encoder made it of a text."""
    for column in data.columns:
        for value in column.values or ():
            yield visible(f"{column.name}={value}"), _Topic(visible(column.name), visible(value))


def _question(tree: Any, node: int, asked: list[_Topic]) -> tuple[str, str]:
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
