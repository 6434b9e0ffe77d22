"""What may be asked of ranks, of plans for a sample and of studies: records beside that of predictions.

What may be asked of the models of a study: to be shown, to score new cases, to be held against chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import OptionError
from assay.request.option import Asked, named_texts, option, target
from assay.request.predictions import DEFAULT_LEVEL, FORMS
from assay.request.values import (
    checked_between,
    checked_choice,
    checked_flag,
    checked_level,
    checked_number,
    checked_positive,
    checked_seed,
    checked_text,
    checked_whole,
)

__all__ = ["CurveRequest", "ModelRequest", "PlanRequest", "PredictionsRequest", "RankRequest", "StudyRequest"]


RAN, SHOWN = ("run", "resume"), ("run", "resume", "show")
ALLOW = "Package whose learners may be imported, beside scikit-learn; again for another."
# The tables of a study that can be asked for in place of the usual one, and what each of them goes by.
WHAT = ("failures", "estimates", "optimism", "pairs", "winner", "costs", "flow", "models", "settings")
USED_FOR = {
    "estimates": ("measure", "level"),
    "optimism": ("measure",),
    "pairs": ("measure", "level"),
    "winner": ("measure", "level"),
    "costs": ("measure",),
    "compare": ("measure", "level"),
}
OF_PAIRS = {"pairs": True, "compare": ("LEARNER", "LEARNER")}
OF_WEKA = {"weka": True, "base": "ALGORITHM", "html": "ranks.html"}
NO_NUMBER = {"experiment": "how a study is run changes no number"}


def _of(*choices: str) -> Any:
    return lambda value, name: checked_choice(value, choices, name)


def _rope(value: Any, name: str) -> float:
    if not checked_number(value, name) >= 0:
        raise OptionError(f"{name} is {value:g}", "the largest difference that does not matter", {"rope": 0.01})
    return float(value)


def _ratio(value: Any, name: str) -> float:
    return checked_positive(value, name, "cases tested per case trained, a number above 0")


@dataclass(frozen=True, kw_only=True, eq=False)
class RankRequest(Asked):
    """Every option about algorithms over many data sets, once."""

    better: str = option(
        "Which values are better.", "higher", commands=("rank",), choices=("higher", "lower"),
        check=_of("higher", "lower"),
    )  # fmt: skip
    alpha: float = option(
        "How often chance may be taken for more.", 0.05, commands=("rank",), kind="number", check=checked_between
    )
    test: str = option("wilcoxon, sign, ranks, nemenyi, aligned or quade.", "wilcoxon", commands=("rank",))
    adjust: str = option(
        "holm, hochberg, hommel, finner, holland, rom, li, bonferroni, benjamini-hochberg, none; of all pairs also "
        "shaffer, bergmann-hommel.",
        "holm",
        commands=("rank",),
    )
    all_adjustments: bool = option("Also the p-values by each of these.", False, commands=("rank",), kind="flag")
    control: str | None = option("Compare all others with this algorithm only.", commands=("rank",))
    baseline: tuple[str, ...] = option(
        "Algorithm to be better than, in the tables and out of the tests; again for another; none for no such one.", (),
        commands=("rank",), many=True, check=named_texts, metavar="ALGORITHM", stands_for="one called dummy",
    )  # fmt: skip
    rope: float | None = option(
        "Also the Bayesian test: differences up to this do not matter.",
        commands=("rank",),
        kind="number",
        check=_rope,
    )
    weka: bool = option(
        "Also WEKA's table (v, blank, *), from results for each fold.", False, commands=("rank",), kind="flag"
    )
    base: str | None = option(
        "Algorithm that WEKA's table compares with.",
        commands=("rank",),
        needs=OF_WEKA,
        stands_for="the first",
    )
    ratio: float | None = option(
        "Cases tested per case trained in a fold, for WEKA's table.", commands=("rank",), kind="number",
        check=_ratio, needs=OF_WEKA, stands_for="from FILE",
    )  # fmt: skip
    dataset: str | None = option("Column that names the data set.", commands=("rank",))
    algorithm: str | None = option("Column that names the algorithm, where each row is one result.", commands=("rank",))
    value: str | None = option("Column of the results.", commands=("rank",))
    fold: str | None = option("Column of folds.", commands=("rank",))
    repeat: str | None = option("Column of repeats (runs) of the folds.", commands=("rank",))
    missing: str = option(
        "What to do with data sets on which a result is missing.", "refuse", commands=("rank",),
        choices=("refuse", "drop"), check=_of("refuse", "drop"),
    )  # fmt: skip
    figure: Path | None = target("Draw the critical-difference diagram there (.svg).", "rank")
    format: str = option("How to write it.", "table", commands=("rank",), choices=FORMS)
    output: Path | None = target("Write there instead of to the screen.", "rank")
    html: Path | None = target("Also write a page that opens anywhere.", "rank")
    seed: int | None = option(
        "Seed of the Bayesian test.", commands=("rank",), kind="whole", check=checked_seed, stands_for=0,
        needs={"rope": 0.01},
    )  # fmt: skip
    quiet: bool = option("Do not say what was inferred.", False, commands=("rank",), kind="flag")


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanRequest(Asked):
    """Every option about how many cases would tell, once."""

    half_width: float | None = option(
        "How far the interval may reach to either side.", commands=("plan",), kind="number", stands_for=0.05
    )
    power: float | None = option(
        "How often a true difference is to be seen.", commands=("plan",), kind="number", stands_for=0.8
    )
    level: float = option("Level of intervals and tests.", 0.95, commands=("plan",), kind="number", check=checked_level)
    prevalence: float | None = option(
        "Share of positive cases.", commands=("plan",), kind="number", check=checked_between, stands_for=0.5
    )
    disagreement: float | None = option(
        "Share of cases only one classifier gets right.", commands=("plan",), kind="number", stands_for="independent"
    )
    correlation: float | None = option(
        "Of two scores within a class.", commands=("plan",), kind="number", stands_for=0.5
    )
    method: str | None = option(
        "Whose error an AUC has: of exponential scores (Hanley-McNeil), of normal ones (binormal, Obuchowski); of a "
        "pilot any interval's or test's that goes by a name.",
        commands=("plan",),
        stands_for="Hanley-McNeil",
    )
    chance: bool = option("Tell an AUC from chance, 0.5.", False, commands=("plan",), kind="flag")
    cases: int | None = option(
        "How many cases there are: say how often they would show it.", commands=("plan",), kind="whole",
        check=checked_whole, needs={"chance": True, "pilot": "scores.csv"},
    )  # fmt: skip
    alternative: str = option(
        "Whether a difference is to be seen on one side only.", "two-sided", commands=("plan",),
        choices=("two-sided", "greater", "less"),
    )  # fmt: skip
    pilot: str | None = option(
        "File of predictions whose variance to plan by: of one model for a width, of two for a difference.",
        commands=("plan",), metavar="FILE",
    )  # fmt: skip
    difference: float | None = option(
        "Difference of the two models of a pilot that would matter.", commands=("plan",), kind="number",
        needs={"pilot": "scores.csv"},
    )  # fmt: skip
    sd: float | None = option(
        "Standard deviation of the case-by-case difference of two losses.", commands=("plan",), kind="number"
    )
    unpaired: bool = option("Each classifier is tested on cases of its own.", False, commands=("plan",), kind="flag")
    interval: tuple[float, float] | None = option(
        "Of a difference you have: what could it show?", commands=("plan",), kind="pair", metavar="LOW HIGH"
    )
    format: str = option("How to write it.", "table", commands=("plan",), choices=FORMS)


@dataclass(frozen=True, kw_only=True, eq=False)
class StudyRequest(Asked):
    """Every option about how a study is run and what is shown of it, once; study files hold the first of them, too."""

    store: str | None = option(
        "The SQLite file or database URL to keep it in.", commands=("run",), stands_for="beside STUDY.toml",
        check=checked_text,
    )  # fmt: skip
    name: str | None = option(
        "Which study, where a store holds several.", commands=("resume", "show"), stands_for="study",
        check=checked_text,
    )  # fmt: skip
    allow: tuple[str, ...] = option(
        ALLOW, (), commands=SHOWN, many=True, metavar="PACKAGE", check=named_texts,
        idle={"experiment": "where every learner is scikit-learn's there is nothing to allow"},
    )  # fmt: skip
    jobs: int | None = option(
        "Processes side by side.",
        commands=RAN,
        kind="whole",
        check=checked_whole,
        stands_for="one for each core",
        idle=NO_NUMBER,
    )
    backend: str | None = option(
        "What runs the cells; here: this process.", commands=RAN, metavar="processes|here|dask|ray",
        stands_for="processes", check=checked_text, idle=NO_NUMBER,
    )  # fmt: skip
    address: str | None = option(
        "Where the Dask or Ray cluster is.", commands=RAN, stands_for="one started on this machine",
        check=checked_text, idle=NO_NUMBER,
    )  # fmt: skip
    spool: str | None = option(
        "Folder that every worker sees, to give them the data.", commands=RAN, stands_for="temporary",
        check=checked_text, idle=NO_NUMBER,
    )  # fmt: skip
    lease: float | None = option(
        "Seconds after which a silent program's cells are taken over.", commands=RAN, kind="number",
        check=checked_positive, idle=NO_NUMBER,
    )  # fmt: skip
    cell_timeout: float | None = option(
        "Longest time to fit and predict one cell; then it is ended and kept as failed.", commands=RAN, kind="number",
        metavar="SECONDS", check=checked_positive, stands_for="none", idle=NO_NUMBER,
    )  # fmt: skip
    split: str | None = option(
        "Column of the data sets that says their folds, or train, validation and test; in the place of the plan.",
        commands=RAN, metavar="COLUMN", check=checked_text,
    )  # fmt: skip
    ignore: tuple[str, ...] = option(
        "Column that is no feature; again for another.", (), commands=RAN, many=True, metavar="COLUMN",
        check=named_texts,
    )  # fmt: skip
    retry: bool = option(
        "Run cells that failed again.", False, commands=RAN, kind="flag",
        idle={"experiment": "what fails again looks the same, and where nothing failed nothing is run"},
    )  # fmt: skip
    keep_models: bool = option(
        "Also fit every learner to all cases, for experiment model and score.", False, commands=("run",), kind="flag",
        check=checked_flag, idle={"experiment": "a model that is kept changes no number of the study"},
    )  # fmt: skip
    settings: bool = option("The settings that searches chose in each fold.", False, commands=("show",), kind="flag")
    models: bool = option("The models of all cases that are kept.", False, commands=("show",), kind="flag")
    compare: tuple[str, str] | None = option(
        "Every test of two learners, by data set.", commands=("show",), kind="two", metavar="LEARNER LEARNER"
    )
    method: str | None = option(
        "Of two learners, or all pairs: the test to make of any measure.", commands=("show",), needs=OF_PAIRS,
        choices=("corrected-t", "paired-t", "5x2-t", "5x2-f", "bayesian"),
        check=_of("corrected-t", "paired-t", "5x2-t", "5x2-f", "bayesian"), stands_for="what was shown to hold",
    )  # fmt: skip
    adjust: str | None = option(
        "Of all pairs: bonferroni, none, holm, hochberg, hommel, benjamini-hochberg, ...", commands=("show",),
        needs={"pairs": True}, stands_for="bonferroni",
    )  # fmt: skip
    failures: bool = option("The traceback of every cell that failed.", False, commands=("show",), kind="flag")
    estimates: bool = option("Every estimate, and the model each describes.", False, commands=("show",), kind="flag")
    optimism: bool = option("Training, validation and test side by side.", False, commands=("show",), kind="flag")
    pairs: bool = option("All pairs of learners, by data set, at once.", False, commands=("show",), kind="flag")
    winner: bool = option(
        "The best learner, free of the choice: on a test part kept for it, or corrected.",
        False,
        commands=("show",),
        kind="flag",
    )
    costs: bool = option("Speed and size beside the measure.", False, commands=("show",), kind="flag")
    flow: bool = option("How many cases of which class go where.", False, commands=("show",), kind="flag")
    roc: Path | None = target("Also draw the ROC curves averaged over the splits (.svg).", "show")
    dataset: tuple[str, ...] = option(
        "Only this data set; again for another.", (), commands=("show",), many=True, check=named_texts,
        stands_for="all",
    )  # fmt: skip
    measure: tuple[str, ...] = option(
        "What to judge by; again for another beside it. See assay measures.", (), commands=SHOWN, many=True,
        check=named_texts, stands_for="accuracy",
    )  # fmt: skip
    cost_fp: float | None = option(
        "Cost of a false positive: adds the expected cost of a case to the table.", commands=SHOWN, kind="number",
        check=checked_number, needs={"cost_fn": 1},
    )  # fmt: skip
    cost_fn: float | None = option(
        "Cost of a false negative.", commands=SHOWN, kind="number", check=checked_number, needs={"cost_fp": 1},
    )  # fmt: skip
    part: str | None = option(
        "Each fitted model on one part, or with --compare their difference there.", commands=("show",),
        choices=("train", "validation", "test"), check=_of("train", "validation", "test"),
        stands_for="means over splits",
    )  # fmt: skip
    table: Path | None = target("Also write the table there (.csv, .tex, .parquet).", *SHOWN)
    level: float | None = option(
        "Level of the intervals.", commands=SHOWN, kind="number", check=checked_level, stands_for=0.95
    )
    format: str = option("How to write it.", "table", commands=SHOWN, choices=FORMS)
    output: Path | None = target("Write there instead of to the screen.", *SHOWN)
    html: Path | None = target("Also write a page that opens anywhere.", *SHOWN)
    quiet: bool = option("Neither a bar nor words on stderr.", False, commands=SHOWN, kind="flag")

    def _refuse_contradictions(self) -> None:
        asked = [name for name in (*WHAT, "compare") if name in self.given]
        if len(asked) > 1:
            raise OptionError(f"{asked[0]} and {asked[1]} are both given", "one table at a time")
        if self.html is None:
            used = USED_FOR.get(asked[0], ()) if asked else ("level",) if self.format != "csv" else ()
            what = f"for {asked[0]}" if asked else "for the cells of --format csv"
            for name in ("measure", "level") if asked else ("level",):
                if name in self.given and name not in used:
                    raise OptionError(
                        f"{name} is given {what}", f"it left out: {name} changes nothing there", about=name
                    )
        if self.table is not None and self.table.suffix.lower() not in (".csv", ".tex", ".parquet"):
            raise OptionError(
                f"table is {str(self.table)!r}", "a name that ends in .csv, .tex or .parquet", about="table"
            )
        if self.part is not None and asked not in ([], ["compare"]):
            raise OptionError(f"part and {asked[0]} are both given", "one of them", about="part")
        several = len(self.measure) > 1 or self.cost_fp is not None
        if several and asked:
            found = f"several measures are given for {asked[0]}"
            raise OptionError(found, "one measure, or the table without it", about="measure")

    @property
    def what(self) -> str | None:
        """Which one of the tables was asked for, if not the usual one."""
        return next((name for name in WHAT if getattr(self, name)), None)

    @property
    def measure_used(self) -> str:
        """The measure, or what stands for it."""
        return self.measure[0] if self.measure else "accuracy"

    @property
    def level_used(self) -> float:
        """The level, or what stands for it."""
        return DEFAULT_LEVEL if self.level is None else self.level


@dataclass(frozen=True, kw_only=True, eq=False)
class CurveRequest(Asked):
    """Every option about one learner of a study against growing data or noise, once."""

    kind: str = option(
        "What grows.", "learning", commands=("curve",),
        choices=("learning", "label-noise", "feature-noise", "missing", "time", "validation"),
    )  # fmt: skip
    parameter: str | None = option(
        "The parameter of a validation curve, such as max_depth.", commands=("curve",), check=checked_text,
        needs={"kind": "validation", "value": "2"},
    )  # fmt: skip
    value: tuple[str, ...] = option(
        "A value of the parameter; again for another.", (), commands=("curve",), many=True, metavar="VALUE",
        check=named_texts, needs={"parameter": "max_depth"},
    )  # fmt: skip
    dataset: str | None = option("The data set, where the study has several.", commands=("curve",))
    learner: str | None = option("The learner, where the study has several.", commands=("curve",))
    allow: tuple[str, ...] = option(
        ALLOW, (), commands=("curve",), many=True, metavar="PACKAGE", check=named_texts,
        idle={"experiment": "where every learner is scikit-learn's there is nothing to allow"},
    )  # fmt: skip
    repeats: int | None = option(
        "Random splits at each point.", commands=("curve",), kind="whole", check=checked_whole, stands_for=20
    )
    level: float | None = option(
        "Level of the intervals.", commands=("curve",), kind="number", check=checked_level, stands_for=DEFAULT_LEVEL
    )
    figure: Path | None = target("Draw it there (.svg).", "curve")
    format: str = option("How to write it.", "table", commands=("curve",), choices=FORMS)
    output: Path | None = target("Write there instead of to the screen.", "curve")

    def _refuse_contradictions(self) -> None:
        without = {"time": ("repeats", "level"), "validation": ("repeats",)}
        for name in without.get(self.kind, ()):
            if getattr(self, name) is not None:
                of = {"time": "times", "validation": "a parameter, which has the splits of the study's plan"}[self.kind]
                raise OptionError(
                    f"{name} is given for a curve of {of}", f"it left out: {name} changes nothing there", about=name
                )
        if self.kind == "validation" and self.parameter is None:
            raise OptionError("a validation curve lacks its parameter", "one", {"parameter": "max_depth", "value": "2"})
        if self.parameter is not None and not self.value:
            raise OptionError(f"there is no value of {self.parameter}", "one or more", {"value": "2"}, about="value")
        if self.parameter is not None and self.kind != "validation":
            found = f"parameter is given for a curve of kind {self.kind!r}"
            raise OptionError(found, "the kind that uses it", {"kind": "validation"}, about="parameter")


EVERY, FITTED = ("model", "score", "chance"), ("model", "score")
LOSSES = ("labels", "probabilities")
FORMATS = {"model": FORMS, "score": ("csv", "table", "json"), "chance": FORMS}


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
