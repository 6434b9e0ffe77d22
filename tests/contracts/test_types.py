"""What a type checker says of users' code: measures are attributes it knows, and nothing else will do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.contracts.code import ROOT

HEAD = """
from collections.abc import Sequence

import assay

y: Sequence[int] = [0, 1, 1, 0]
s: Sequence[float] = [0.1, 0.8, 0.4, 0.3]
p: Sequence[Sequence[float]] = [[0.2, 0.3, 0.5]]
ev = assay.evaluate(y, s)
two: assay.TwoClassEvaluation = ev
many: assay.ManyClassEvaluation = ev
cmp = assay.compare(y, {"a": s, "b": s})
"""
# Each a line of a user's code that passes `mypy --strict`.
RIGHT = (
    "found: assay.Estimate = assay.evaluate(y, s).roc_auc",
    "found: assay.Estimate = ev.at(0.3).f1",
    "found: assay.Estimate = ev.sensitivity",
    "found: assay.Estimate = two.h_measure",
    "found: assay.Estimate = assay.evaluate(y, y_proba=p).macro_f1",
    "found: assay.Estimate = assay.evaluate(y, y_proba=p).against('b').at(0.3).recall",
    "found: assay.Estimate = many.linear_kappa",
    "found: float = ev.threshold(costs=assay.Costs(fp=1, fn=10), prevalence=0.1, level=0.9).threshold",
    "found: float = ev.curves.lift.y[0] + many.curves.reject.y[0]",
    "found: str = two.positive",
    "found: list[assay.Estimate] = [each.roc_auc for each in assay.evaluate_models(y, {'a': s}).values()]",
    "found: list[assay.Estimate] = [part.recall for part in ev.subgroups.values()]",
    "found: assay.Estimate = assay.from_counts(tp=1, fn=1, fp=1, tn=1).kappa",
    "found: str = f'{ev.roc_auc:.3f}'",
    "found: float = round(ev.roc_auc, 3) + (1 - two.recall) - two.recall / 2 + abs(two.f1) + -two.f1",
    "found: int = round(two.roc_auc) + int(two.roc_auc)",
    "found: bool = two.roc_auc > 0.9 and 0.5 <= two.recall and two.f1 == 0.7",
    "found: float = float(two.roc_auc) ** 2 + max(two.roc_auc.value, 0.5)",
    "found: str = assay.evaluate(y_true=y, y_score=s)._repr_html_()",
    "assay.experiment('iris', 'nb').save('study.db')",
)
# Each one that does not, and a part of what is said of it.
WRONG = {
    "ev.rocauc": 'has no attribute "rocauc"',
    "ev.at(0.3).rocauc": 'has no attribute "rocauc"',
    "many.at(0.3)": '"ManyClassEvaluation" has no attribute "at"',
    "many.recall": '"ManyClassEvaluation" has no attribute "recall"',
    "two.macro_f1": '"TwoClassEvaluation" has no attribute "macro_f1"',
    "two.against('b')": '"TwoClassEvaluation" has no attribute "against"',
    "ev.threshold(cost=assay.Costs(fp=1, fn=10))": 'Unexpected keyword argument "cost"',
    "ev.curves.expected_cost(fpr=1, fn=10)": 'Unexpected keyword argument "fpr"',
    "assay.evaluate(y, s, wieght=s)": 'Unexpected keyword argument "wieght"',
    "assay.evaluate_models(y, {'a': s}, wieght=s)": 'Unexpected keyword argument "wieght"',
    "assay.compare(['a.csv', 'b.csv'], truth='y', wieght='w')": 'Unexpected keyword argument "wieght"',
    "assay.evaluate(y, s, level='high')": 'has incompatible type "str"; expected "float"',
    "two.roc_auc - two.recall": 'Unsupported operand types for - ("Estimate" and "Estimate")',
    "two.roc_auc < many.accuracy": 'Unsupported operand types for < ("Estimate" and "Estimate")',
    "two.roc_auc > '0.9'": 'Unsupported operand types for > ("Estimate" and "str")',
    "assay.evaluate(y, s, threshold='youden')": 'has incompatible type "str"; expected "float | None"',
    "assay.evaluate(y, s, sample_weight=s)": 'Unexpected keyword argument "sample_weight"',
    "assay.experiment('iris', 'nb', job=2)": 'Unexpected keyword argument "job"',
    "cmp.cost_difference('a', 'b', fpp=1)": 'Unexpected keyword argument "fpp"',
}


def said_of(lines: list[str], folder: Path) -> dict[str, list[str]]:
    """What mypy says of each line, each in a function of its own, with the project's own options."""
    file = folder / "snippets.py"
    body = "\n".join(f"def check_{k}() -> None:\n    {line}" for k, line in enumerate(lines))
    file.write_text(f"{HEAD}\n{body}\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, list[str]] = {line: [] for line in lines}
    first = HEAD.count("\n") + 2
    for message in done.stdout.splitlines():
        if ": error: " in message:
            place, text = message.split(": error: ")
            path, line = place.rsplit(":", 1)
            assert Path(path).name == file.name, message
            found[lines[(int(line) - first) // 2]].append(text)
    return found


def test_what_is_right_passes_and_what_is_wrong_does_not(tmp_path: Path) -> None:
    """One test, so that mypy runs once however tests are spread over processes."""
    said = said_of([*RIGHT, *WRONG], tmp_path)
    assert {line: said[line] for line in RIGHT if said[line]} == {}
    assert {line: said[line] for line in WRONG if not any(WRONG[line] in text for text in said[line])} == {}
