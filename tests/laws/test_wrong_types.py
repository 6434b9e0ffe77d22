"""Whatever an argument of a public function is given, the answer is an answer or one sentence of Assay's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from tests.laws.wrong_types import bad_calls, callables

import assay
from assay.errors import AssayError, InputError, MissingExtra, OptionError, UnknownOption

TRUTH, SCORE = np.arange(40) % 2, np.linspace(0, 1, 40)


def test_no_argument_ends_in_another_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = list(callables())
    assert len(found) > 60
    bad = [str(one) for call, function in found for one in bad_calls(call, function)]
    assert not bad, "\n".join(bad[:20])


def test_the_fuzzer_finds_what_is_wrong() -> None:
    def careless(value: int, *, other: object = None) -> int:
        return value + 1

    assert {one.argument for one in bad_calls("x.careless", careless)} == {"value"}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda ev: assay.from_counts(tp=10**400, fp=1, fn=1, tn=1), "some counts are too large"),
        (lambda ev: assay.from_counts(tp=10**17, fp=1, fn=1, tn=1), "needed: whole numbers, at most 1e15 in all"),
        (lambda ev: assay.from_counts([[10**400, 1], [1, 1]]), "some counts are too large"),
        (lambda ev: ev.threshold(constraint="recall >= 0.9"), r"needed: assay\.decisions\.at_least\('recall', 0\.9\)"),
        (lambda ev: ev.threshold(constraint=["fpr <= 0.05"]), r"needed: assay\.decisions\.at_most\('fpr', 0\.05\)"),
        (lambda ev: ev.threshold(costs=10), r"costs is 10; needed: assay\.Costs\(fp=1, fn=10\)"),
        (lambda ev: assay.evaluate(LogisticRegression, SCORE[:, None], TRUTH), r"LogisticRegression is a class.*fit\("),
        (
            lambda ev: assay.compare(TRUTH, SCORE, SCORE),  # type: ignore[call-arg]
            r"takes 2 positional arguments \(y_true, y_score\), but 3 were given.*\{'a': scores_a",
        ),
        (lambda ev: assay.evaluate(), "evaluate lacks the argument y_true"),  # type: ignore[call-arg]
        (lambda ev: ev.estimate(3), "measure is 3; needed: the name of one"),
    ],
)
def test_usual_slips_have_a_way_out(call: object, words: str) -> None:
    with pytest.raises(AssayError, match=words):
        call(assay.evaluate(TRUTH, SCORE))  # type: ignore[operator]


def test_the_ways_out_work() -> None:
    from assay.decisions import at_least

    ev = assay.evaluate(TRUTH, SCORE)
    assert isinstance(ev, assay.TwoClassEvaluation)
    assert ev.threshold(constraint=at_least("recall", 0.9)).threshold < 1
    assert issubclass(UnknownOption, TypeError)
    assert issubclass(OptionError, ValueError)


@pytest.mark.parametrize("learner", [LogisticRegression, LinearSVC])
@pytest.mark.parametrize(("fitted", "true"), [("ab", "ac"), ("ab", "cd"), ("ab", "c"), ("ab", "abc"), ("abc", "abd")])
def test_labels_that_an_estimator_never_saw(learner: type, fitted: str, true: str) -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(60, 2))
    model = learner().fit(features, [fitted[k % len(fitted)] for k in range(60)])
    truth = [true[k % len(true)] for k in range(60)]
    with pytest.raises(InputError, match=r"'y_true' holds .*'[cd]', not among the classes 'a', 'b'(, 'c')?"):
        assay.evaluate(model, features, truth)


@pytest.mark.parametrize("score", [SCORE, TRUTH.astype(float), np.linspace(0, 1e-90, 40), np.full(40, 0.5)])
def test_what_numpy_is_told_to_raise_changes_nothing(tmp_path: Path, score: np.ndarray) -> None:
    other = np.roll(score, 3)
    pages = []
    for state in ("ignore", "raise"):
        with np.errstate(all=state):
            ev = assay.evaluate(TRUTH, score)
            ev.report(tmp_path / "ev.html")
            cmp = assay.compare(TRUTH, {"a": score, "b": other})
            pages.append((repr(ev), repr(ev.table()), repr(cmp), (tmp_path / "ev.html").read_text()))
    assert pages[0] == pages[1]


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    import sys

    name = "pyarrow" if library == "arrow" else library
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=f"needs {name}, which is not installed; type: pip install '?{name}"):
        assay.evaluate(TRUTH, SCORE).table().to(library)
