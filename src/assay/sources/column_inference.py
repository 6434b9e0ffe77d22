"""Which column plays which role: names decide, whole contents confirm, contradict or complete what they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from assay.errors import InputError
from assay.request import Request
from assay.results import percent
from assay.sources.ambiguity import ways_of
from assay.sources.column_names import (
    DESIGN,
    IS_WORD,
    MAY_PREDICT,
    NAMES,
    OF_DESIGN,
    ON_REQUEST,
    USED,
    WEAK_TRUTH,
    Open,
    existing,
    folded,
    hinted,
    is_id,
    named_as,
    stem,
    suspected,
    which,
)
from assay.sources.column_roles import (
    Contents,
    Given,
    Look,
    ModelColumns,
    Profile,
    Roles,
    class_key,
    class_of,
    first_column,
    models_in,
    two_roles,
)
from assay.sources.labels import in_order, known_pair
from assay.sources.logs.recognition import kind_of_columns, refuse_log
from assay.sources.probabilities import EITHER, columns_of_classes
from assay.sources.quoting import listed, shown

__all__ = ["WATCH", "Roles", "infer"]

# Who wants to see the columns of whatever is read next, and the roles they get, if any.
Watch = Callable[[Sequence[str], Contents | None, Roles | None], object]
WATCH: ContextVar[Watch] = ContextVar("watch", default=lambda columns, contents, roles: None)
WITHOUT_TRUTH = "the column of true labels"
WITHOUT_SCORE = "a column of scores (y_score, score, prob, proba, p) or of predicted labels (y_pred, pred, prediction)"


def infer(columns: Sequence[str], request: Request, contents: Contents | None = None) -> Roles:
    """The role of each column, from what the user said first, from the names after that, and from what they hold.

    >>> roles = infer(["id", "Target", "score", "Weight"], Request())
    >>> roles.truth, roles.models[0].score, roles.used, roles.design
    ('Target', 'score', {'weight': 'Weight'}, {'id': 'id'})
    >>> infer(["y", "p", "weight"], Request(truth="y", score="p")).used  # whoever names columns names all of them
    {}
    >>> [model.name for model in infer(["y", "svm", "bayes"], Request(truth="y", score=("svm", "bayes"))).models]
    ['svm', 'bayes']
    """
    _refuse_repeated_names(columns)
    refuse_log(kind_of_columns(columns), "this table")

    def read(asked: Request) -> Roles:
        return _Inference(columns, asked, contents).roles()

    watch = WATCH.get()
    try:
        roles = read(request)
    except InputError as error:
        watch(columns, contents, None)
        if not isinstance(error, Open):
            raise
        raise InputError(error.found, error.needed, ways=ways_of(error, request, read)) from None
    watch(columns, contents, roles)
    return roles


class _Inference:
    """One attempt to read columns: it ends with their roles, or with the first thing that is open."""

    def __init__(self, columns: Sequence[str], request: Request, contents: Contents | None) -> None:
        ignored = {existing(columns, "ignore", name) for name in request.ignore}
        self.columns = [column for column in columns if column not in ignored]
        self.ignored = [column for column in columns if column in ignored]
        self.every, self.request, self.contents = tuple(columns), request, contents
        self.given = Given.of(self.columns, request)

    def roles(self) -> Roles:
        given = self.given
        free = [column for column in self.columns if column not in (*given.taken, given.id)]
        truth = given.truth or self._infer_truth(free)
        free = [column for column in free if column not in (truth, given.by)]
        models = self._infer_models(free, truth)
        # To name an id changes no number: it may still be the column of clusters.
        also = [given.id] if given.id is not None and given.id not in (truth, given.by, *given.taken) else []
        taken = {column for model in models for column in model.columns}
        left = [column for column in [*free, *also] if column not in taken]
        used = {role: given.used.get(role) or self._infer_by_name(left, role) for role in USED}
        used |= {role: given.used.get(role) for role in ON_REQUEST}
        design = self._infer_design_columns(left) | ({"id": given.id} if given.id else {})
        model = self._infer_model_name_column(left, models)
        ids = {"id": design.pop("id")} if self.request.keeps_ids and "id" in design else {}
        clusters = () if given.names_some or used["cluster"] else tuple(named_as("cluster", left))
        roles = Roles(
            truth=truth,
            models=models,
            model=model,
            used={role: column for role, column in used.items() if column is not None} | ids,
            design=design | (self._unused_design_columns(left, used) if given.names_some else {}),
            by=given.by,
            clusters=clusters,
            watched=self._other_id_columns(left, used, clusters, model),
            scores_are_said=bool(given.models.score),
            every=self.every,
            contents=self.contents,
        )
        if roles.by is not None and roles.by in (truth, roles.model, *(m.pred for m in models), *roles.numbers):
            raise two_roles(roles.by, 2)
        return self._add_unused_columns(roles)

    # The truth.

    def _infer_truth(self, free: Sequence[str]) -> str:
        found = named_as("truth", free)
        strong = [column for column in found if folded(column) not in WEAK_TRUTH]
        if len(strong) == 1:
            return strong[0]
        if len(strong) > 1:
            raise Open(
                f"{_column_count_text(found)} could be the true label: {listed(found)}",
                "which one",
                _role_choices("truth", strong),
            )
        weak = [*found, *self._flag_columns(free, found)]
        if len(weak) > 1:
            raise Open(
                f"{_column_count_text(weak)} could be the true label: {listed(weak)}",
                "which one",
                _role_choices("truth", weak),
            )
        return found[0] if found else self._infer_truth_from_contents(free, weak)

    def _flag_columns(self, free: Sequence[str], named: Sequence[str]) -> list[str]:
        """Columns called `is_<word>`; whether an answer is correct is no truth beside another column that is one."""
        flags = [c for c in free if IS_WORD.match(c) and not OF_DESIGN.fullmatch(folded(c)) and c not in named]
        if named or self.given.models.pred or named_as("pred", free):
            flags = [column for column in flags if hinted(column) != "correctness"]
        return [column for column in flags if self._may_be_truth(column)]

    def _may_be_truth(self, column: str) -> bool:
        return self.contents is None or self.contents.of([column])[column].can_be_truth

    def _infer_truth_from_contents(self, free: Sequence[str], flags: Sequence[str]) -> str:
        """The one column that can hold the truth and whose name, or those of what was predicted, support it."""
        possible = self._truth_candidates(free)
        paired = [column for column in possible if self._prediction_columns_of(column, free)]
        if len(paired) == 1:
            return paired[0]
        if not {*possible} - {*flags} and len(flags) == 1:
            return flags[0]
        if len(possible) == 1 and self._has_supporting_name(possible[0], free):
            return possible[0]
        names = ", ".join(("y_true", "truth", "target", "label", "actual"))
        raise Open(
            f"no column of true labels found (looked for {names}, ...); the columns are {listed(self.columns)}",
            WITHOUT_TRUTH,
            _role_choices("truth", possible),
        )

    def _truth_candidates(self, free: Sequence[str]) -> list[str]:
        if self.contents is None:
            return []
        roles = ("score", "pred", "certainty", "model", *USED)
        known = {column for role in roles for column in named_as(role, free)}
        apart = [c for c in free if c not in known and not is_id(c) and folded(c) not in DESIGN and not class_of(c)]
        looked = self.contents.search(apart)
        preds = self.given.models.pred or named_as("pred", free)
        found = [column for column in apart if looked and looked[column].can_be_truth]
        if preds and found:
            predicted = self.contents.of(preds)[preds[0]]
            found = [column for column in found if predicted.can_be_labels_of(looked[column])]
        return found

    def _prediction_columns_of(self, truth: str, free: Sequence[str]) -> list[str]:
        """The columns of labels that are called predictions of this one: `predicted_churn` of `churn`."""
        about = stem(truth)
        if self.contents is None or not about or hinted(truth) in ("pred", "score", "correctness"):
            return []
        likely = [column for column in free if column != truth and MAY_PREDICT.search(column)]
        others = [column for column in likely if hinted(column) == "pred" and stem(column) == about]
        if not others:
            return []
        looked = self.contents.of([truth, *others])
        return [column for column in others if looked[column].can_be_labels_of(looked[truth])]

    def _has_supporting_name(self, truth: str, free: Sequence[str]) -> bool:
        """Whether a name supports the only column that can be the truth: its own, or those of probabilities."""
        if folded(truth) in NAMES["outcome"]:
            return True
        assert self.contents is not None
        names = self.contents.of([truth])[truth].names
        others = [column for column in free if column != truth]
        if known_pair(names) is None and self._columns_named_by_class(others, names):
            return True
        labels = {class_key(class_of(column)) for column in others if class_of(column)}
        return known_pair(names) is None and {class_key(name) for name in names} <= labels

    # What was predicted.

    def _infer_models(self, free: Sequence[str], truth: str) -> tuple[ModelColumns, ...]:
        said = self.given.models

        models = models_in(free, said, self._truth_lookup(truth))
        if len(models) > 1:
            return models
        (one,) = models
        if one.pred is None and not said.pred:
            one = replace(one, pred=self._weak_label_column(free, truth) or self._paired_label_column(free, truth, one))
        if one.pred and not (one.score or one.per_class or one.certainty):
            one = replace(one, certainty=which("certainty", named_as("certainty", free)))
        if said.certainty and one.pred is None:
            found = f"certainty {shown(said.certainty)} is given without predicted labels"
            raise Open(found, "the column of predicted labels", self._label_choices(free, truth))
        if one.per_class and not (one.score or one.pred):
            self._refuse_unknown_class_columns(one, truth)
        if not (one.score or one.per_class or said.certainty) and self.contents is not None:
            one = replace(one, per_class=self._columns_named_by_class(free, self.contents.of([truth])[truth].names))
        return (one if one.columns else self._infer_model_from_contents(one, free, truth),)

    def _refuse_unknown_class_columns(self, one: ModelColumns, truth: str) -> None:
        """Refuse columns called as those of classes are where none is called after either class of the truth."""
        columns = [column for _, column in one.per_class]
        if self.contents is None or any(label.casefold() in words for label, _ in one.per_class for words in EITHER):
            return
        names = self.contents.of([truth])[truth].names
        if len(names) != 2 or {*columns_of_classes(one, names)} & {*names}:
            return
        together = [{"score": tuple(columns)}] if len(columns) > 1 else []
        found = f"none of {listed(columns)} has the name of a class of {shown(truth)} ({listed(in_order(names))})"
        raise Open(found, "the column of scores", [*_role_choices("score", columns), *together])

    def _label_choices(self, free: Sequence[str], truth: str) -> list[Mapping[str, Any]]:
        looked = {} if self.contents is None else self.contents.search([truth, *free])
        return _role_choices(
            "pred", [column for column in free if looked and looked[column].can_be_labels_of(looked[truth])]
        )

    def _truth_lookup(self, truth: str) -> Look:
        contents = self.contents
        if contents is None:
            return Look()
        return Look(
            lambda: contents.of([truth])[truth].names,
            lambda column: contents.of([column])[column].is_numeric,
            lambda column: contents.of([column])[column].is_probability,
        )

    def _paired_label_column(self, free: Sequence[str], truth: str, one: ModelColumns) -> str | None:
        """The one column of labels that is called a prediction of the truth: `predicted_churn` of `churn`."""
        paired = self._prediction_columns_of(truth, [column for column in free if column not in one.columns])
        return paired[0] if len(paired) == 1 else None

    def _weak_label_column(self, free: Sequence[str], truth: str) -> str | None:
        """A plain label or class beside a stronger name of the truth: what a classifier answered."""
        found = [column for column in named_as("truth", free) if folded(column) in WEAK_TRUTH]
        if self.contents is not None and found:
            looked = self.contents.of([truth, *found])
            found = [column for column in found if looked[column].can_be_labels_of(looked[truth])]
        return which("pred", found)

    def _columns_named_by_class(self, free: Sequence[str], classes: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Columns that are called exactly as the classes are, where every class has one."""
        assert self.contents is not None
        by_key = {class_key(column): column for column in free}
        found = [(name, by_key[class_key(name)]) for name in classes if class_key(name) in by_key]
        if len(classes) < 2 or len(found) < len(classes):
            return ()
        looked = self.contents.of(column for _, column in found)
        return tuple(found) if all(profile.is_numeric for profile in looked.values()) else ()

    def _infer_model_from_contents(self, one: ModelColumns, free: Sequence[str], truth: str) -> ModelColumns:
        """The only column that can hold what was predicted, where no name tells."""
        design = {column for role in ("model", *USED) for column in named_as(role, free)}
        apart = [c for c in free if c not in design and not is_id(c) and folded(c) not in DESIGN]
        looked = {} if self.contents is None else self.contents.search([truth, *apart])
        scores = [column for column in apart if looked and looked[column].can_be_score]
        labels = [column for column in apart if looked and looked[column].can_be_labels_of(looked[truth])]
        sure = [column for column in scores if looked[column].is_probability]
        if len(sure) == 1 and not labels and looked[sure[0]].low < 0.5:
            return replace(one, score=sure[0])
        correct = [column for column in labels if hinted(column) == "correctness"]
        preds = [column for column in labels if column not in correct]
        together: list[Mapping[str, Any]] = [{"pred": label, "score": score} for label in preds for score in sure]
        together += [{"pred": c, "certainty": s} for c in preds for s in sure if looked[s].low >= 0.5]
        together += [{"score": tuple(sure)}] if len(sure) > 1 and not labels else []
        unused = f"no score or predicted-label column found; unused columns: {listed(free)}"
        raise Open(
            unused + _correctness_column_note(correct, looked) if free else "the only column is the true label",
            WITHOUT_SCORE,
            [*together, *_role_choices("score", sure or scores), *_role_choices("pred", preds)],
        )

    def _infer_model_name_column(self, left: Sequence[str], models: tuple[ModelColumns, ...]) -> str | None:
        said = self.given.models
        several = len(said.score) > 1 or len(said.pred) > 1
        column = said.model or (None if several else which("model", named_as("model", left)))
        if column is not None and len(models) > 1:
            first = first_column(models[0])
            scores = tuple(model.score for model in models if model.score)
            raise Open(
                f"{shown(column)} could hold model names, but {shown(first)} is the column of one model",
                "which columns are the scores",
                [{"score": scores}] if scores else [{"ignore": (column,)}],
            )
        return column

    # What the rows are.

    def _infer_by_name(self, left: Sequence[str], role: str) -> str | None:
        # Whoever names the columns has looked at them: then a name alone changes no number.
        return None if self.given.names_some or role == "cluster" else which(role, named_as(role, left))

    def _infer_design_columns(self, left: Sequence[str]) -> dict[str, str]:
        by_name = {folded(column): column for column in reversed(left)}
        found = {role: by_name[role] for role in DESIGN if role in by_name}
        ids = named_as("id", left) or [column for column in left if is_id(column)]
        if "id" not in found and len(ids) == 1 and ids[0] not in named_as("cluster", left):
            found["id"] = ids[0]
        return found

    def _unused_design_columns(self, left: Sequence[str], used: Mapping[str, str | None]) -> dict[str, str]:
        """Columns whose names say what the rows are, but which nobody asked to be used."""
        named = {role: named_as(role, left) for role in USED if used[role] is None}
        return {role: found[0] for role, found in named.items() if found}

    def _other_id_columns(
        self, left: Sequence[str], used: Mapping[str, str | None], clusters: Sequence[str], model: str | None
    ) -> tuple[str, ...]:
        if used["cluster"]:
            return ()
        apart = (*used.values(), *clusters, self.given.id, model)
        return tuple(column for column in left if is_id(column) and column not in apart)

    # What is left over.

    def _add_unused_columns(self, roles: Roles) -> Roles:
        taken = roles.columns - {column for column in roles.watched if column != roles.id}
        left = [column for column in self.columns if column not in taken]
        suspects = self._suspected_roles(roles, left)
        if suspects and not self.given.names_some:
            raise _suspected_role_error(suspects)
        extra = {role: column for column, role in suspects.items()} if self.given.names_some else {}
        return replace(roles, design={**extra, **roles.design}, unused=(*left, *self.ignored))

    def _suspected_roles(self, roles: Roles, left: Sequence[str]) -> dict[str, str]:
        """Columns that look as if they had a role, by a word in their names and by what they hold."""
        if self.contents is None:
            return {}
        names = {column: suspected(column) for column in left if not is_id(column)}
        names = {column: role for column, role in names.items() if role is not None}
        if not names:
            return {}
        looked = self.contents.of([roles.truth, *names])
        truth, found = looked[roles.truth], {}
        for column, role in names.items():
            profile = looked[column]
            if role == "score" and profile.is_probability:
                found[column] = "score"
            elif role == "pred" and profile.distinct > 1 and profile.can_be_labels_of(truth):
                found[column] = "pred"
        return found


def _suspected_role_error(suspects: Mapping[str, str]) -> Open:
    """What to say of columns that seem to have a role and have none."""
    what = {"score": "a score", "pred": "a label"}
    said = " and ".join(f"{shown(column)} looks like {what[role]}" for column, role in suspects.items())
    ways: list[Mapping[str, Any]] = [{"ignore": tuple(suspects)}]
    ways += [{role: column} for column, role in suspects.items()]
    return Open(f"{said}, but its role is unclear", "an option to ignore it or to name its role", ways)


def _correctness_column_note(columns: Sequence[str], looked: Mapping[str, Profile]) -> str:
    """What to say of columns that score the correctness of predictions and are no predictions."""
    found = ""
    for column in columns:
        sizes = dict(looked[column].classes)
        share = sum(size for name, size in sizes.items() if name in ("1", "True")) / looked[column].there
        found += f"; {shown(column)} scores correctness ({percent(share)} correct) and is not a predicted label"
    return found


def _role_choices(role: str, columns: Sequence[str]) -> list[Mapping[str, Any]]:
    return [{role: column} for column in columns]


def _column_count_text(columns: Sequence[str]) -> str:
    words = {2: "two", 3: "three", 4: "four", 5: "five"}
    return f"{words.get(len(columns), len(columns))} columns"


def _refuse_repeated_names(columns: Sequence[str]) -> None:
    for column, times in Counter(columns).items():
        if times > 1 and column.strip():
            first, second = [place for place, name in enumerate(columns, 1) if name == column][:2]
            raise InputError(
                f"columns {first} and {second} are both named {shown(column)}", "a unique name for each column"
            )
