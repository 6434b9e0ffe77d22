"""Files as people and tools write them: the answer is right, or it stops; every hint is right or says what it means.

Each hint is typed as it stands. Where its answer is not the right one, the hint itself has to state the condition under
which it would be, or that its reading is worse than chance; where contents can tell, the first hint is the right one.
"""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from tests.cli.conftest import Outcome, Run, run
from tests.sources import realistic_exports, realistic_names
from tests.sources.realistic_files import Realistic
from tests.sources.test_corpus import pasted, without

from assay.evaluation import Evaluation

__all__ = ["run"]

CASES = (*realistic_names.CASES, *realistic_exports.CASES)
ROUNDED = 2e-3  # probabilities of the other class are rounded to three decimals
STATED = re.compile(r"\bif ['\d]|worse than chance")
BY_NAME = {case.name: case for case in CASES}
IN_A_PROCESS = ("predicted_churn.csv", "llm_label.csv", "lm_eval.jsonl", "gender_risk.csv", "threshold_50.csv")


Models = Mapping[str, Evaluation]
Answers = Callable[..., tuple[Outcome, Models]]


@pytest.fixture
def answers(run: Run, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Call `assay evaluate` as far as the evaluations: rendering every measure takes most of the time."""

    def call(*words: str) -> tuple[Outcome, Models]:
        models: dict[str, Evaluation] = {}
        monkeypatch.setattr("assay.cli.evaluate.put_out_models", lambda found, request: models.update(found))
        return run("evaluate", *words), models

    return call


def faults_of(case: Realistic, models: Models) -> list[str]:
    """What is wrong with an answer: another truth, another positive class, another figure, or none that is known."""
    first = next(iter(models.values()))
    truth, positive = first.source.columns["truth"], getattr(first, "positive", None)
    faults = [] if truth == case.truth else [f"truth={truth}"]
    if positive is not None and case.positive != ("",) and positive not in case.positive:
        faults.append(f"positive={positive}")
    held = dict(_held(case, models))
    if not held:
        faults.append("no figure that is known")
    wrong = (name for name, value in held.items() if not math.isclose(value, case.figures[name], abs_tol=ROUNDED))
    return [*faults, *(f"{name}={held[name]}" for name in wrong)]


def _held(case: Realistic, models: Models) -> Iterator[tuple[str, float]]:
    for figure in case.figures:
        model, _, measure = figure.rpartition(".")
        found = models.get(model) if model else next(iter(models.values())) if len(models) == 1 else None
        value = math.nan if found is None or found.reason_unavailable(measure) else found.estimate(measure).value
        if not math.isnan(value):
            yield figure, value


def promised(line: str, models: Models) -> list[str]:
    """The figures of a hint about one model that its answer does not give."""
    found = []
    for name, text in re.findall(r"(accuracy|ROC AUC) ([01]\.\d\d)(?! and)\b", line):
        measure = {"accuracy": "accuracy", "ROC AUC": "roc_auc"}[name]
        ev = next(iter(models.values()))
        if (
            len(models) == 1
            and ev.reason_unavailable(measure) is None
            and abs(ev.estimate(measure).value - float(text)) > 0.0051
        ):
            found.append(f"{name} {text}, not {ev.estimate(measure).value:.3f}")
    return found


def hints_of(err: str) -> list[tuple[list[str], str]]:
    """Each hint, as words to type and as the line it stands in."""
    lines = err.strip().splitlines()
    stated = lines[1:] if lines[0].endswith(("type:", "type one of:")) else lines
    return list(zip(pasted(err), stated, strict=False))


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_answer_is_right_or_every_hint_says_what_it_means(
    case: Realistic, tmp_path: Path, answers: Answers
) -> None:
    path = tmp_path / case.name
    case.write(path)
    answer, models = answers(str(path), *case.options)
    assert answer.code in (0, 2, 3), answer.err
    if case.asked is not None:
        assert (answer.code != 0) == case.asked, answer.err
    if answer.code == 0 and not models:
        # A log of graded answers has no column of true labels; its scorers are shown with their means over the items.
        assert case.truth is None
        assert case.figures
        for scorer, value in case.figures.items():
            assert re.search(rf"^{scorer}\s.* {value:.3f} ", answer.out, re.MULTILINE), answer.out
        return
    if answer.code == 0:
        assert faults_of(case, models) == [], answer.err
        return
    hints = hints_of(answer.err)
    for place, (words, line) in enumerate(hints):
        again, models = answers(str(path), *without(case.options, words), *words)
        assert again.code == 0, f"{line} leads to: {again.err}"
        assert promised(line, models) == [], line
        faults = faults_of(case, models)
        assert not faults or STATED.search(line), f"{line}: {faults}"
        if place == 0 and case.first and case.truth is not None:
            assert not faults, f"the first hint is wrong: {line}: {faults}"
    if case.first and case.truth is not None:
        assert hints, answer.err


@pytest.mark.parametrize("name", IN_A_PROCESS)
def test_a_process_of_its_own_asks_the_same(name: str, tmp_path: Path, run: Run) -> None:
    path = tmp_path / name
    BY_NAME[name].write(path)
    words = ["evaluate", str(path), *BY_NAME[name].options]
    done = subprocess.run([sys.executable, "-m", "assay", *words], capture_output=True, text=True, check=False)
    assert Outcome(done.returncode, done.stdout, done.stderr) == run(*words)
    assert done.returncode in (2, 3) or name == "predicted_churn.csv"


def test_there_are_many_files() -> None:
    assert len(BY_NAME) == len(CASES) >= 140


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("label_confidence.csv", "--score confidence   if 'confidence' is the score: from 0.505 to 0.995"),
        ("llm_label.csv", "--pred llm_label --certainty confidence   if 'llm_label' is the predicted label: "),
        (
            "gender_risk.csv",
            "--truth gender   if 'gender' is the true label: 2 classes, 48 % \"0\"; ROC AUC 0.43, worse",
        ),
        ("ham_spam.csv", "--positive spam   41.1 %, 37 rows; ROC AUC 0.88"),
    ],
)
def test_a_hint_states_its_condition_and_how_well_it_fits(name: str, first: str, tmp_path: Path, run: Run) -> None:
    path = tmp_path / name
    BY_NAME[name].write(path)
    _, line = hints_of(run("evaluate", str(path)).err)[0]
    assert re.sub(r" {3,}", "   ", line.strip()).startswith(first)


def test_a_score_of_correctness_is_no_predicted_label(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "lm_eval.jsonl"
    BY_NAME[path.name].write(path)
    message = run("evaluate", str(path)).err
    assert "'acc' scores correctness (91.1 % correct) and is not a predicted label" in message
    assert "--pred acc" not in message


def test_a_swapped_pair_says_so(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "gpt_label.csv"
    BY_NAME[path.name].write(path)
    lines = [line for _, line in hints_of(run("evaluate", str(path)).err)]
    assert [line.split()[1] for line in lines[:2]] == ["human_label", "human_label"]
    swapped = [line for line in lines if "--truth gpt4_label" in line]
    assert all("if 'gpt4_label' is the true label" in line for line in swapped)
