"""What may be asked of the models of a study: to be shown, to score new cases, to be held against chance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import OptionError
from assay.request.option import Asked, named_texts, option, target
from assay.request.request import DEFAULT_LEVEL, FORMS
from assay.request.values import (
    checked_choice,
    checked_level,
    checked_positive,
    checked_seed,
    checked_text,
    checked_whole,
)

__all__ = ["ModelRequest", "PredictionsRequest"]

EVERY, FITTED = ("model", "score", "chance"), ("model", "score")
LOSSES = ("labels", "probabilities")
FORMATS = {"model": FORMS, "score": ("csv", "table", "json"), "chance": FORMS}


def _of(*choices: str) -> Any:
    return lambda value, name: checked_choice(value, choices, name)


def _from_zero(value: Any, name: str) -> int:
    return checked_whole(value, name, 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelRequest(Asked):
    """Every option about one model of a study, once."""

    dataset: str | None = option("The data set, where the study has several.", commands=EVERY, check=checked_text)
    learner: str | None = option("The learner, where the study has several.", commands=EVERY, check=checked_text)
    name: str | None = option(
        "Which study, where a store holds several.", commands=EVERY, stands_for="study", check=checked_text
    )
    allow: tuple[str, ...] = option(
        "Package whose learners may be imported, beside scikit-learn; again for another.", (), commands=EVERY,
        many=True, metavar="PACKAGE", check=named_texts,
        idle={"experiment": "where every learner is scikit-learn's there is nothing to allow"},
    )  # fmt: skip
    fold: int | None = option(
        "The model of this split, counted from 0, and not that of all cases.", commands=FITTED, kind="whole",
        check=_from_zero,
    )  # fmt: skip
    repeat: int | None = option(
        "The repeat that the split is of, counted from 0.", commands=FITTED, kind="whole", check=_from_zero,
        stands_for=0, needs={"fold": 0},
    )  # fmt: skip
    importances: bool = option(
        "Also how much worse it gets on its held-out cases when a column is shuffled.", False, commands=("model",),
        kind="flag", needs={"fold": 0},
    )  # fmt: skip
    loss: str | None = option(
        "What gets worse: labels, or probabilities by their squared error.", commands=("model",), choices=LOSSES,
        check=_of(*LOSSES), stands_for=LOSSES[0], needs={"importances": True},
    )  # fmt: skip
    shuffles: int | None = option(
        "How often a column is shuffled, 10 to 200.", commands=("model",), kind="whole", check=checked_whole,
        stands_for=20, needs={"importances": True},
    )  # fmt: skip
    level: float | None = option(
        "Level of the limits.", commands=("model",), kind="number", check=checked_level, stands_for=DEFAULT_LEVEL,
        needs={"importances": True},
    )  # fmt: skip
    id: tuple[str, ...] = option(
        "Column of the new cases to carry through; again for another. [default: id]", (), commands=("score",),
        many=True, metavar="COLUMN", check=named_texts,
    )  # fmt: skip
    threshold: str | None = option(
        "Score from which on a case is called positive, or a measure to choose it by: youden, f1, ...",
        commands=("score",), metavar="SCORE|MEASURE", check=checked_text,
    )  # fmt: skip
    cost_fp: float | None = option(
        "What a false alarm costs, to choose the threshold by.", commands=("score",), kind="number",
        check=checked_positive, needs={"cost_fn": 10},
    )  # fmt: skip
    cost_fn: float | None = option(
        "What a miss costs.", commands=("score",), kind="number", check=checked_positive, needs={"cost_fp": 1}
    )
    recalibrate: str | None = option(
        "Repair the probabilities: platt, isotonic, beta, temperature or tilt.", commands=("score",), check=checked_text
    )
    unseen: str = option(
        "What to do with values of a text that the model never saw.", "refuse", commands=("score",),
        choices=("refuse", "missing"), check=_of("refuse", "missing"),
        idle={"score": "where every value was seen there is nothing to take for missing"},
    )  # fmt: skip
    measure: str | None = option(
        "What to judge by; see assay measures.", commands=("chance",), check=checked_text, stands_for="accuracy"
    )
    permutations: int | None = option(
        "How often the labels are permuted.", commands=("chance",), kind="whole", check=checked_whole, stands_for=199
    )
    seed: int | None = option(
        "Seed of the shuffles or permutations.", commands=("model", "chance"), kind="whole", check=checked_seed,
        stands_for=0, idle={"model": "without importances nothing is drawn"},
    )  # fmt: skip
    format: str = option("How to write it. [default: table; of scored cases csv]", "", commands=EVERY, choices=FORMATS)
    output: Path | None = target("Write there instead of to the screen.", *EVERY)
    quiet: bool = option("No words on stderr.", False, commands=("score",), kind="flag")

    def _refuse_contradictions(self) -> None:
        if self.threshold is not None and self.cost_fp is not None:
            raise OptionError("threshold and cost_fp are both given", "one of them", about=("threshold", "cost_fp"))
        if self.seed is not None and self.importances is False and self.permutations is None and self.fold is not None:
            raise OptionError("seed is given without importances", "it left out: nothing is drawn", about="seed")


@dataclass(frozen=True, kw_only=True, eq=False)
class PredictionsRequest(Asked):
    """Every option about the out-of-fold predictions of a study, once."""

    dataset: str | None = option(
        "The data set, where the study has several.", commands=("predictions",), check=checked_text
    )
    learner: tuple[str, ...] = option(
        "Only this learner; again for another.", (), commands=("predictions",), many=True, check=named_texts,
        stands_for="all but the baselines",
    )  # fmt: skip
    name: str | None = option(
        "Which study, where a store holds several.", commands=("predictions",), stands_for="study", check=checked_text
    )
    part: str = option(
        "The part that is predicted.", "test", commands=("predictions",), choices=("test", "validation"),
        check=_of("test", "validation"),
    )  # fmt: skip
    repeat: int | None = option(
        "Only this repeat, counted from 0.", commands=("predictions",), kind="whole", check=_from_zero, stands_for=0
    )
    output: Path | None = target("Write there (.csv, .parquet) instead of to the screen.", "predictions")
    quiet: bool = option("No words on stderr.", False, commands=("predictions",), kind="flag")

    def _refuse_contradictions(self) -> None:
        if self.output is not None and self.output.suffix.lower() not in ("", ".csv", ".parquet"):
            found = f"output is {str(self.output)!r}"
            raise OptionError(found, "a name that ends in .csv or .parquet", about="output")
