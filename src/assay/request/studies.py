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
ALLOW = "Package whose learners may be imported, besides scikit-learn; repeat for several."
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
NO_NUMBER = {"experiment": "no effect on the results of a study"}


def _check_choice(*choices: str) -> Any:
    return lambda value, name: checked_choice(value, choices, name)


def _checked_rope(value: Any, name: str) -> float:
    if not checked_number(value, name) >= 0:
        raise OptionError(
            f"{name} is {value:g}", "the largest difference that does not matter, 0 or more", {"rope": 0.01}
        )
    return float(value)


def _checked_ratio(value: Any, name: str) -> float:
    return checked_positive(value, name, "the ratio of test to training cases, above 0")


@dataclass(frozen=True, kw_only=True, eq=False)
class RankRequest(Asked):
    """Every option about algorithms over many data sets, once."""

    better: str = option(
        "Direction of the measure.", "higher", commands=("rank",), choices=("higher", "lower"),
        check=_check_choice("higher", "lower"),
    )  # fmt: skip
    alpha: float = option("Significance level.", 0.05, commands=("rank",), kind="number", check=checked_between)
    test: str = option("Test: wilcoxon, sign, ranks, nemenyi, aligned or quade.", "wilcoxon", commands=("rank",))
    adjust: str = option(
        "Adjustment: holm, hochberg, hommel, finner, holland, rom, li, bonferroni, benjamini-hochberg, "
        "none; for all pairs also shaffer, bergmann-hommel.",
        "holm",
        commands=("rank",),
    )
    all_adjustments: bool = option(
        "Also show the p-values by every adjustment.", False, commands=("rank",), kind="flag"
    )
    control: str | None = option("Compare all others with this algorithm only.", commands=("rank",))
    baseline: tuple[str, ...] = option(
        "Baseline algorithm, in the tables but not in the tests; repeat for several; none for no baseline.", (),
        commands=("rank",), many=True, check=named_texts, metavar="ALGORITHM", stands_for="the algorithm dummy",
    )  # fmt: skip
    rope: float | None = option(
        "Also run the Bayesian test; differences up to this do not matter.",
        commands=("rank",),
        kind="number",
        check=_checked_rope,
    )
    weka: bool = option(
        "Also show WEKA's table (v, blank, *), from results per fold.", False, commands=("rank",), kind="flag"
    )
    base: str | None = option(
        "Base algorithm of WEKA's table.",
        commands=("rank",),
        needs=OF_WEKA,
        stands_for="the first",
    )
    ratio: float | None = option(
        "Ratio of test to training cases in a fold, for WEKA's table.", commands=("rank",), kind="number",
        check=_checked_ratio, needs=OF_WEKA, stands_for="from FILE",
    )  # fmt: skip
    dataset: str | None = option("Column of data set names.", commands=("rank",))
    algorithm: str | None = option("Column of algorithm names, where each row is one result.", commands=("rank",))
    value: str | None = option("Column of the results.", commands=("rank",))
    fold: str | None = option("Column of folds.", commands=("rank",))
    repeat: str | None = option("Column of repeats (runs) of the folds.", commands=("rank",))
    missing: str = option(
        "What to do with data sets that lack a result.", "refuse", commands=("rank",),
        choices=("refuse", "drop"), check=_check_choice("refuse", "drop"),
    )  # fmt: skip
    figure: Path | None = target("File for the critical-difference diagram (.svg).", "rank")
    format: str = option("Output format.", "table", commands=("rank",), choices=FORMS)
    output: Path | None = target("File to write instead of the screen.", "rank")
    html: Path | None = target("Also write a self-contained HTML page.", "rank")
    seed: int | None = option(
        "Seed of the Bayesian test.", commands=("rank",), kind="whole", check=checked_seed, stands_for=0,
        needs={"rope": 0.01},
    )  # fmt: skip
    quiet: bool = option("Do not report what was inferred.", False, commands=("rank",), kind="flag")


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanRequest(Asked):
    """Every option about sample-size planning, once."""

    half_width: float | None = option("Half-width of the interval.", commands=("plan",), kind="number", stands_for=0.05)
    power: float | None = option(
        "Power: probability of detecting a true difference.", commands=("plan",), kind="number", stands_for=0.8
    )
    level: float = option("Level of intervals and tests.", 0.95, commands=("plan",), kind="number", check=checked_level)
    prevalence: float | None = option(
        "Prevalence of positive cases.", commands=("plan",), kind="number", check=checked_between, stands_for=0.5
    )
    disagreement: float | None = option(
        "Share of cases that exactly one of the two classifiers gets right.",
        commands=("plan",),
        kind="number",
        stands_for="independent",
    )
    correlation: float | None = option(
        "Correlation of the two scores within a class.", commands=("plan",), kind="number", stands_for=0.5
    )
    method: str | None = option(
        "Variance of an AUC: of exponential scores (Hanley-McNeil) or normal ones (binormal, Obuchowski); of a "
        "pilot, any named method of an interval or a test.",
        commands=("plan",),
        stands_for="Hanley-McNeil",
    )
    chance: bool = option("Plan a test of an AUC against chance, 0.5.", False, commands=("plan",), kind="flag")
    cases: int | None = option(
        "Number of cases; reports the power they give.", commands=("plan",), kind="whole",
        check=checked_whole, needs={"chance": True, "pilot": "scores.csv"},
    )  # fmt: skip
    alternative: str = option(
        "Alternative hypothesis: two-sided or one-sided.", "two-sided", commands=("plan",),
        choices=("two-sided", "greater", "less"),
    )  # fmt: skip
    pilot: str | None = option(
        "File of pilot predictions for the variance: one model for a width, two for a difference.",
        commands=("plan",), metavar="FILE",
    )  # fmt: skip
    difference: float | None = option(
        "Difference between the two pilot models to detect.", commands=("plan",), kind="number",
        needs={"pilot": "scores.csv"},
    )  # fmt: skip
    sd: float | None = option(
        "Standard deviation of the case-by-case difference of two losses.", commands=("plan",), kind="number"
    )
    unpaired: bool = option("The classifiers are tested on different cases.", False, commands=("plan",), kind="flag")
    interval: tuple[float, float] | None = option(
        "Interval of an observed difference: report what it rules out.",
        commands=("plan",),
        kind="pair",
        metavar="LOW HIGH",
    )
    format: str = option("Output format.", "table", commands=("plan",), choices=FORMS)


@dataclass(frozen=True, kw_only=True, eq=False)
class StudyRequest(Asked):
    """Every option about how a study is run and what is shown of it, once; study files hold the first of them, too."""

    store: str | None = option(
        "SQLite file or database URL that stores the study.", commands=("run",), stands_for="beside STUDY.toml",
        check=checked_text,
    )  # fmt: skip
    name: str | None = option(
        "Name of the study, where a store has several.", commands=("resume", "show"), stands_for="study",
        check=checked_text,
    )  # fmt: skip
    allow: tuple[str, ...] = option(
        ALLOW, (), commands=SHOWN, many=True, metavar="PACKAGE", check=named_texts,
        idle={"experiment": "no effect where every learner is of scikit-learn"},
    )  # fmt: skip
    jobs: int | None = option(
        "Number of parallel processes.",
        commands=RAN,
        kind="whole",
        check=checked_whole,
        stands_for="one for each core",
        idle=NO_NUMBER,
    )
    backend: str | None = option(
        "Backend for the runs; here: this process.", commands=RAN, metavar="processes|here|dask|ray",
        stands_for="processes", check=checked_text, idle=NO_NUMBER,
    )  # fmt: skip
    address: str | None = option(
        "Address of the Dask or Ray cluster.", commands=RAN, stands_for="one started on this machine",
        check=checked_text, idle=NO_NUMBER,
    )  # fmt: skip
    spool: str | None = option(
        "Folder shared by all workers, for the data.", commands=RAN, stands_for="temporary",
        check=checked_text, idle=NO_NUMBER,
    )  # fmt: skip
    lease: float | None = option(
        "Seconds after which the runs of an unresponsive program are taken over.", commands=RAN, kind="number",
        check=checked_positive, idle=NO_NUMBER,
    )  # fmt: skip
    cell_timeout: float | None = option(
        "Longest time to fit and predict in one run; a longer run is stopped and recorded as failed.",
        commands=RAN, kind="number",
        metavar="SECONDS", check=checked_positive, stands_for="none", idle=NO_NUMBER,
    )  # fmt: skip
    split: str | None = option(
        "Column of folds, or of train, validation and test parts, used instead of the plan.",
        commands=RAN, metavar="COLUMN", check=checked_text,
    )  # fmt: skip
    ignore: tuple[str, ...] = option(
        "Column that is not a feature; repeat for several.", (), commands=RAN, many=True, metavar="COLUMN",
        check=named_texts,
    )  # fmt: skip
    retry: bool = option(
        "Repeat failed runs.", False, commands=RAN, kind="flag",
        idle={"experiment": "no effect where no run failed or where it fails again"},
    )  # fmt: skip
    keep_models: bool = option(
        "Also fit every learner to all cases, for experiment model and experiment score.",
        False, commands=("run",), kind="flag",
        check=checked_flag, idle={"experiment": "no effect on the results of a study"},
    )  # fmt: skip
    settings: bool = option(
        "Show the settings chosen by searches in each fold.", False, commands=("show",), kind="flag"
    )
    models: bool = option("Show the stored models fitted to all cases.", False, commands=("show",), kind="flag")
    compare: tuple[str, str] | None = option(
        "Show every test of two learners, by data set.", commands=("show",), kind="two", metavar="LEARNER LEARNER"
    )
    method: str | None = option(
        "Test for two learners or for all pairs, of any measure.", commands=("show",), needs=OF_PAIRS,
        choices=("corrected-t", "paired-t", "5x2-t", "5x2-f", "bayesian"),
        check=_check_choice("corrected-t", "paired-t", "5x2-t", "5x2-f", "bayesian"), stands_for="the validated one",
    )  # fmt: skip
    adjust: str | None = option(
        "Adjustment for all pairs: bonferroni, none, holm, hochberg, hommel, benjamini-hochberg, ...",
        commands=("show",),
        needs={"pairs": True}, stands_for="bonferroni",
    )  # fmt: skip
    failures: bool = option("Show the traceback of every failed run.", False, commands=("show",), kind="flag")
    estimates: bool = option(
        "Show every estimate and the model that it describes.", False, commands=("show",), kind="flag"
    )
    optimism: bool = option("Show training, validation and test results.", False, commands=("show",), kind="flag")
    pairs: bool = option("Test all pairs of learners, by data set.", False, commands=("show",), kind="flag")
    winner: bool = option(
        "Show the best learner without selection bias: on a separate test part, or corrected.",
        False,
        commands=("show",),
        kind="flag",
    )
    costs: bool = option("Show time and model size with the measure.", False, commands=("show",), kind="flag")
    flow: bool = option("Show the number of cases by class and part.", False, commands=("show",), kind="flag")
    roc: Path | None = target("File for the ROC curves averaged over the splits (.svg).", "show")
    dataset: tuple[str, ...] = option(
        "Only this data set; repeat for several.", (), commands=("show",), many=True, check=named_texts,
        stands_for="all",
    )  # fmt: skip
    measure: tuple[str, ...] = option(
        "Measure to show; repeat for several. See assay measures.", (), commands=SHOWN, many=True,
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
        "Show each fitted model on one part, or with --compare the difference on it.", commands=("show",),
        choices=("train", "validation", "test"), check=_check_choice("train", "validation", "test"),
        stands_for="means over splits",
    )  # fmt: skip
    table: Path | None = target("File for the table (.csv, .tex, .parquet).", *SHOWN)
    level: float | None = option(
        "Level of the intervals.", commands=SHOWN, kind="number", check=checked_level, stands_for=0.95
    )
    format: str = option("Output format.", "table", commands=SHOWN, choices=FORMS)
    output: Path | None = target("File to write instead of the screen.", *SHOWN)
    html: Path | None = target("Also write a self-contained HTML page.", *SHOWN)
    quiet: bool = option("No progress bar and no messages on stderr.", False, commands=SHOWN, kind="flag")

    def _refuse_contradictions(self) -> None:
        asked = [name for name in (*WHAT, "compare") if name in self.given]
        if len(asked) > 1:
            raise OptionError(f"{asked[0]} and {asked[1]} are both given", "one table at a time")
        if self.html is None:
            used = USED_FOR.get(asked[0], ()) if asked else ("level",) if self.format != "csv" else ()
            what = f"for {asked[0]}" if asked else "with --format csv"
            for name in ("measure", "level") if asked else ("level",):
                if name in self.given and name not in used:
                    raise OptionError(f"{name} is given {what}", f"no {name}, which has no effect there", about=name)
        if self.table is not None and self.table.suffix.lower() not in (".csv", ".tex", ".parquet"):
            raise OptionError(
                f"table is {str(self.table)!r}", "a file name that ends in .csv, .tex or .parquet", about="table"
            )
        if self.part is not None and asked not in ([], ["compare"]):
            raise OptionError(f"part and {asked[0]} are both given", "only one of them", about="part")
        several = len(self.measure) > 1 or self.cost_fp is not None
        if several and asked:
            found = f"several measures are given for {asked[0]}"
            raise OptionError(found, f"one measure, or no {asked[0]}", about="measure")

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
        "Kind of curve: what varies along it.", "learning", commands=("curve",),
        choices=("learning", "label-noise", "feature-noise", "missing", "time", "validation"),
    )  # fmt: skip
    parameter: str | None = option(
        "The parameter of a validation curve, such as max_depth.", commands=("curve",), check=checked_text,
        needs={"kind": "validation", "value": "2"},
    )  # fmt: skip
    value: tuple[str, ...] = option(
        "Value of the parameter; repeat for several.", (), commands=("curve",), many=True, metavar="VALUE",
        check=named_texts, needs={"parameter": "max_depth"},
    )  # fmt: skip
    dataset: str | None = option("Name of the data set, where the study has several.", commands=("curve",))
    learner: str | None = option("Name of the learner, where the study has several.", commands=("curve",))
    allow: tuple[str, ...] = option(
        ALLOW, (), commands=("curve",), many=True, metavar="PACKAGE", check=named_texts,
        idle={"experiment": "no effect where every learner is of scikit-learn"},
    )  # fmt: skip
    repeats: int | None = option(
        "Number of random splits per point.", commands=("curve",), kind="whole", check=checked_whole, stands_for=20
    )
    level: float | None = option(
        "Level of the intervals.", commands=("curve",), kind="number", check=checked_level, stands_for=DEFAULT_LEVEL
    )
    figure: Path | None = target("SVG file to draw (.svg).", "curve")
    format: str = option("Output format.", "table", commands=("curve",), choices=FORMS)
    output: Path | None = target("File to write instead of the screen.", "curve")

    def _refuse_contradictions(self) -> None:
        without = {"time": ("repeats", "level"), "validation": ("repeats",)}
        for name in without.get(self.kind, ()):
            if getattr(self, name) is not None:
                of = {"time": "times", "validation": "a parameter, which has the splits of the study's plan"}[self.kind]
                raise OptionError(
                    f"{name} is given for a curve of {of}", f"no {name}, which has no effect there", about=name
                )
        if self.kind == "validation" and self.parameter is None:
            raise OptionError(
                "a validation curve needs a parameter", "its name", {"parameter": "max_depth", "value": "2"}
            )
        if self.parameter is not None and not self.value:
            raise OptionError(f"no value is given for {self.parameter}", "one or more", {"value": "2"}, about="value")
        if self.parameter is not None and self.kind != "validation":
            found = f"parameter is given for a curve of kind {self.kind!r}"
            raise OptionError(found, "kind validation", {"kind": "validation"}, about="parameter")


EVERY, FITTED = ("model", "score", "chance"), ("model", "score")
LOSSES = ("labels", "probabilities")
FORMATS = {"model": FORMS, "score": ("csv", "table", "json"), "chance": FORMS}


def _checked_index(value: Any, name: str) -> int:
    return checked_whole(value, name, 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelRequest(Asked):
    """Every option about one model of a study, once."""

    dataset: str | None = option(
        "Name of the data set, where the study has several.", commands=EVERY, check=checked_text
    )
    learner: str | None = option(
        "Name of the learner, where the study has several.", commands=EVERY, check=checked_text
    )
    name: str | None = option(
        "Name of the study, where a store has several.", commands=EVERY, stands_for="study", check=checked_text
    )
    allow: tuple[str, ...] = option(
        "Package whose learners may be imported, besides scikit-learn; repeat for several.", (), commands=EVERY,
        many=True, metavar="PACKAGE", check=named_texts,
        idle={"experiment": "no effect where every learner is of scikit-learn"},
    )  # fmt: skip
    fold: int | None = option(
        "Number of a split, from 0, to use its model instead of that of all cases.", commands=FITTED, kind="whole",
        check=_checked_index,
    )  # fmt: skip
    repeat: int | None = option(
        "Number of the repeat of the split, from 0.", commands=FITTED, kind="whole", check=_checked_index,
        stands_for=0, needs={"fold": 0},
    )  # fmt: skip
    importances: bool = option(
        "Also show permutation importances on the test cases of the split.", False, commands=("model",),
        kind="flag", needs={"fold": 0},
    )  # fmt: skip
    loss: str | None = option(
        "Loss for the importances: errors of labels, or squared error of probabilities.",
        commands=("model",), choices=LOSSES,
        check=_check_choice(*LOSSES), stands_for=LOSSES[0], needs={"importances": True},
    )  # fmt: skip
    shuffles: int | None = option(
        "Number of shuffles per column, 10 to 200.", commands=("model",), kind="whole", check=checked_whole,
        stands_for=20, needs={"importances": True},
    )  # fmt: skip
    level: float | None = option(
        "Level of the limits.", commands=("model",), kind="number", check=checked_level, stands_for=DEFAULT_LEVEL,
        needs={"importances": True},
    )  # fmt: skip
    id: tuple[str, ...] = option(
        "Column of the new cases to copy to the output; repeat for several. [default: id]", (), commands=("score",),
        many=True, metavar="COLUMN", check=named_texts,
    )  # fmt: skip
    threshold: str | None = option(
        "Threshold: a score, or a measure to choose it by: youden, f1, ...",
        commands=("score",), metavar="SCORE|MEASURE", check=checked_text,
    )  # fmt: skip
    cost_fp: float | None = option(
        "Cost of a false positive, to choose the threshold by.", commands=("score",), kind="number",
        check=checked_positive, needs={"cost_fn": 10},
    )  # fmt: skip
    cost_fn: float | None = option(
        "Cost of a false negative.", commands=("score",), kind="number", check=checked_positive, needs={"cost_fp": 1}
    )
    recalibrate: str | None = option(
        "Recalibrate the probabilities: platt, isotonic, beta, temperature or tilt.",
        commands=("score",),
        check=checked_text,
    )
    unseen: str = option(
        "What to do with text values that did not occur in training.", "refuse", commands=("score",),
        choices=("refuse", "missing"), check=_check_choice("refuse", "missing"),
        idle={"score": "no effect where every value occurred in training"},
    )  # fmt: skip
    measure: str | None = option(
        "Measure to test; see assay measures.", commands=("chance",), check=checked_text, stands_for="accuracy"
    )
    permutations: int | None = option(
        "Number of permutations of the labels.", commands=("chance",), kind="whole", check=checked_whole, stands_for=199
    )
    seed: int | None = option(
        "Random seed of the shuffles or permutations.", commands=("model", "chance"), kind="whole", check=checked_seed,
        stands_for=0, idle={"model": "no effect without importances"},
    )  # fmt: skip
    format: str = option("Output format. [default: table; csv for scored cases]", "", commands=EVERY, choices=FORMATS)
    output: Path | None = target("File to write instead of the screen.", *EVERY)
    quiet: bool = option("No messages on stderr.", False, commands=("score",), kind="flag")

    def _refuse_contradictions(self) -> None:
        if self.threshold is not None and self.cost_fp is not None:
            raise OptionError(
                "threshold and cost_fp are both given", "only one of them", about=("threshold", "cost_fp")
            )
        if self.seed is not None and self.importances is False and self.permutations is None and self.fold is not None:
            raise OptionError("seed is given without importances", "no seed, which has no effect there", about="seed")


@dataclass(frozen=True, kw_only=True, eq=False)
class PredictionsRequest(Asked):
    """Every option about the out-of-fold predictions of a study, once."""

    dataset: str | None = option(
        "Name of the data set, where the study has several.", commands=("predictions",), check=checked_text
    )
    learner: tuple[str, ...] = option(
        "Only this learner; repeat for several.", (), commands=("predictions",), many=True, check=named_texts,
        stands_for="all but the baselines",
    )  # fmt: skip
    name: str | None = option(
        "Name of the study, where a store has several.",
        commands=("predictions",),
        stands_for="study",
        check=checked_text,
    )
    part: str = option(
        "Predicted part of the cases.", "test", commands=("predictions",), choices=("test", "validation"),
        check=_check_choice("test", "validation"),
    )  # fmt: skip
    repeat: int | None = option(
        "Only this repeat, numbered from 0.",
        commands=("predictions",),
        kind="whole",
        check=_checked_index,
        stands_for=0,
    )
    output: Path | None = target("File to write instead of the screen (.csv, .parquet).", "predictions")
    quiet: bool = option("No messages on stderr.", False, commands=("predictions",), kind="flag")

    def _refuse_contradictions(self) -> None:
        if self.output is not None and self.output.suffix.lower() not in ("", ".csv", ".parquet"):
            found = f"output is {str(self.output)!r}"
            raise OptionError(found, "a file name that ends in .csv or .parquet", about="output")
