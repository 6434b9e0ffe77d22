"""The sample logs of evaluation tools: toy questions, written by the tools themselves where HOW says so."""

from __future__ import annotations

from pathlib import Path

LOGS = Path(__file__).parent / "logs"
MODEL_A, MODEL_B = LOGS / "lm_eval" / "model_a", LOGS / "lm_eval" / "model_b"
SUMS_A = next(MODEL_A.glob("samples_toy_sums_2*.jsonl"))
SUMS_B = next(MODEL_B.glob("samples_toy_sums_2*.jsonl"))
INSPECT_A = next((LOGS / "inspect").glob("*45-36*sums*.eval"))
INSPECT_B = next((LOGS / "inspect").glob("*46-03*sums*.eval"))
INSPECT_JSON = next((LOGS / "inspect").glob("*sums*.json"))
PROMPTFOO, PROMPTFOO_LINES = LOGS / "promptfoo" / "out.json", LOGS / "promptfoo" / "out.jsonl"
CODE_A, CODE_B = (LOGS / "human_eval" / f"samples_{name}.jsonl_results.jsonl" for name in "ab")
EVALS_A, EVALS_B = (next((LOGS / "openai_evals").glob(f"*model-{name}*.jsonl")) for name in "ab")
MLFLOW = LOGS / "mlflow" / "genai_eval_results.jsonl"
JUDGE, BATTLES = LOGS / "judge" / "judge_human.csv", LOGS / "arena" / "battles.csv"
READABLE = (
    *sorted(MODEL_A.glob("samples*")), *sorted(MODEL_B.glob("samples*")), *sorted((LOGS / "inspect").iterdir()),
    PROMPTFOO, PROMPTFOO_LINES, CODE_A, CODE_B, EVALS_A, EVALS_B, MLFLOW,
)  # fmt: skip
