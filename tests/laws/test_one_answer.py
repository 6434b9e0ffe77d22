"""A comparison has one answer: every surface shows the same differences, intervals, p-values and verdicts."""

from __future__ import annotations

import csv
import html
import io
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import Run, run  # noqa: F401 -- a fixture
from tests.web.asking import Bench

import assay
from assay.comparison import UNKNOWN, Difference
from assay.evaluation import ComparisonAnswer, PairwiseComparison, compare_unpaired
from assay.report import Compared, render_html
from assay.results import PairTable
from assay.text import bracketed, p_words, signed, value_words
from assay.web import Workbench

NAMES = ("net", "tree", "knn", "svm")
LEVELS = (0.8, 0.9, 0.95, 0.99)
MARGINS = (None, 0.02, 0.3)
MEASURES_OF_SCORES = ((), (), ("brier",), ("roc_auc", "f1"), ("accuracy", "average_precision", "log_loss"))
MEASURES_OF_LABELS = ((), (), ("balanced_accuracy",), ("kappa", "accuracy"))
# Numbers of one difference as text: value, interval and p-value.
Shown = tuple[str, str, str]


@dataclass(frozen=True)
class Asked:
    """One request, and the file that it is about."""

    table: dict[str, list[Any]]
    measures: tuple[str, ...]
    margin: float | None
    control: str | None
    level: float

    @property
    def options(self) -> list[str]:
        """The same on the command line."""
        said = [word for measure in self.measures for word in ("--measure", measure)]
        said += [] if self.margin is None else ["--margin", str(self.margin)]
        said += [] if self.control is None else ["--control", self.control]
        return [*said, "--level", str(self.level)]

    @property
    def is_usual(self) -> bool:
        return not self.measures and self.margin is None and self.control is None

    def written(self, folder: Path) -> Path:
        path = folder / "cases.csv"
        with path.open("w", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(self.table)
            lines.writerows(zip(*self.table.values(), strict=True))
        return path


def drawn(seed: int) -> Asked:
    """A request at random."""
    rng = np.random.default_rng(seed)
    kind = ("scores", "labels", "classes")[seed % 3]
    models, cases = NAMES[: 2 + seed // 3 % 3], int(rng.integers(80, 400))
    classes = 3 if kind == "classes" else 2
    truth = rng.integers(0, classes, cases)
    table: dict[str, list[Any]] = {"truth": truth.tolist()}
    for name in models:
        if kind == "scores":
            score = 1 / (1 + np.exp(-(rng.uniform(0, 2.5) * (truth - 0.5) + rng.normal(size=cases))))
            table[f"score__{name}"] = score.round(3).tolist()
        else:
            is_right = rng.random(cases) < rng.uniform(0.4, 0.95)
            table[f"pred__{name}"] = np.where(is_right, truth, rng.integers(0, classes, cases)).tolist()
    # Names alone make these weights and clusters, on every surface.
    design = seed // len(NAMES) % 3
    if design == 1:
        table["weight"] = rng.choice([0.5, 1.0, 2.5], cases).tolist()
    if design == 2:
        table["patient"] = rng.integers(0, cases // 6, cases).tolist()
    choices = MEASURES_OF_SCORES if kind == "scores" else MEASURES_OF_LABELS
    control = models[int(rng.integers(len(models)))] if rng.random() < 0.3 else None
    # Half of the requests are those that evaluate and the workbench answer as well.
    if rng.random() < 0.5:
        return Asked(table, (), None, None, float(rng.choice(LEVELS)))
    measures = choices[int(rng.integers(len(choices)))]
    return Asked(table, measures, MARGINS[int(rng.integers(len(MARGINS)))], control, float(rng.choice(LEVELS)))


def shown(found: Difference, p_value: str = "p = ") -> Shown:
    """How a difference is written; `p_value` is what stands before the number."""
    words = p_words(found.p_value)
    return signed(found), bracketed(found), words if words.startswith("<") or not p_value else f"= {words}"


def wanted(answer: ComparisonAnswer, p_value: str = "p = ") -> set[tuple[str, str, Shown]]:
    return {
        (measure.title, f"{d.first} - {d.second}", shown(d, p_value))
        for measure in answer.measures
        for d in answer.differences[measure.name]
        if not np.isnan(d.low)
    }


SENTENCE = re.compile(r"difference \((\w+ - \w+)\) (\S+) (\[[^]]+\]), [^[]*? p (<|=) ([\d.]+)")


def of_sentences(text: str, answer: ComparisonAnswer) -> set[tuple[str, str, Shown]]:
    """The differences in the sentences of a text, whatever its width."""
    words = " ".join(html.unescape(text).replace("\u00a0", " ").split())
    found = set()
    for match in SENTENCE.finditer(words):
        (title,) = (one.title for one in answer.measures if words[: match.start()].endswith(f"{one.title} "))
        pair, value, limits, sign, p_value = match.groups()
        found.add((title, pair, (value, limits, f"{sign} {p_value}")))
    return found | of_lines(text, answer)


LINE = re.compile(r"^([A-Z].*?)  +(.*?)([+-]\d\S*) +(\[[^]]+\])[^\d<]*(<?) ?([\d.]+)")


def of_lines(text: str, answer: ComparisonAnswer) -> set[tuple[str, str, Shown]]:
    """The differences in the lines of a table on a terminal, which leaves out the name of the only pair."""
    titles, found = {measure.title for measure in answer.measures}, set()
    for line in text.replace("\u2212", "-").splitlines():
        match = LINE.match(line)
        if match is not None and match[1] in titles:
            pair = re.search(r"\w+ - \w+", match[2])
            name = only_pair(answer) if pair is None else pair[0]
            found.add((match[1], name, (match[3], match[4], f"{match[5] or '='} {match[6]}")))
    return found


ROW = re.compile(r'<tr[^>]*><th scope="row">(.*?)</tr>', re.DOTALL)
CELL = re.compile(r'<td class="(n|i|p|pair)">(.*?)</td>', re.DOTALL)


def of_forest(page: str, pair: str) -> set[tuple[str, str, Shown]]:
    """The rows of the figure of differences; `pair` is the one that is not named."""
    (table,) = re.findall(r'<table class="forest.*?</table>', page, re.DOTALL)
    found, title = set(), ""
    for row in ROW.findall(table):
        name = re.match(r"<b>(.*?)(?: <span|</b>)", row)
        title = title if name is None else html.unescape(name[1])
        cells = {kind: plain(text) for kind, text in CELL.findall(row)}
        found.add((title, cells.get("pair", pair), (cells["n"], cells.get("i", ""), cells.get("p", ""))))
    return {row for row in found if row[2][1].startswith("[")}


def plain(text: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", text)).replace("\u00a0", " ").strip()


def of_table(text: str) -> Iterator[tuple[str, str, str, float, float]]:
    for row in csv.DictReader(io.StringIO(text)):
        yield row["measure"], row["first"], row["second"], float(row["low"] or "nan"), float(row["p_value"] or "nan")


def only_pair(answer: ComparisonAnswer) -> str:
    """The pair that a figure of one pair does not name."""
    pairs = {f"{d.first} - {d.second}" for d in answer.differences[answer.measures[0].name]}
    return pairs.pop() if len(pairs) == 1 else ""


def printed_and_in_notebooks(cmp: PairwiseComparison, answer: ComparisonAnswer) -> None:
    """The usual answer, in Python."""
    assert of_sentences(str(cmp), answer) == wanted(answer)
    assert all(caution.message in str(cmp) for caution in answer.cautions)
    assert of_forest(cmp._repr_html_(), only_pair(answer)) == wanted(answer, "")


def answer_on_every_surface(
    run: Run,  # noqa: F811
    cmp: PairwiseComparison,
    answer: ComparisonAnswer,
    arguments: list[str],
    measures: tuple[str, ...],
    options: dict[str, Any],
) -> None:
    """An answer in the text, the records and the tables that `assay compare` writes, and on its page."""
    verdicts = [*answer.primary, *answer.secondary]
    page = [] if isinstance(cmp, assay.UnpairedComparison) else ["--html", "page.html"]
    text = run("compare", *arguments, *page).out
    assert of_sentences(text, answer) == wanted(answer)
    said = " ".join(text.split())
    # Of several pairs those that are not significant are named together.
    told = [one for one in answer.primary if len(answer.primary) == 1 or one.outcome != UNKNOWN]
    words = [*(one.headline for one in told), answer.secondary_words, answer.constant_words]
    assert all(each in said for each in (*words, *(caution.message for caution in answer.cautions)))

    printed = json.loads(run("compare", *arguments, "--format", "json").out)
    records = printed if isinstance(printed, list) else [printed]
    held = [record for one in records for record in (*one["comparisons"], *one["secondary"])]
    assert held == json.loads(json.dumps([verdict.to_dict() for verdict in verdicts]))
    in_python = json.loads(json.dumps(cmp.to_dict(measures or None, **options)))
    assert [*in_python["comparisons"], *in_python["secondary"]] == held

    lines = list(of_table(run("compare", *arguments, "--format", "csv").out))
    assert [line[:3] for line in lines] == [(v.measure, v.first, v.second) for v in verdicts]
    assert np.allclose([line[3:] for line in lines], [(v.low, v.p_value) for v in verdicts], 1e-12, equal_nan=True)
    if not page:
        return
    written = Path("page.html").read_text(encoding="utf-8")
    assert of_forest(written, only_pair(answer)) == wanted(answer, "")
    on_page = plain(written)
    assert all(each in on_page for each in (*words, *(caution.message for caution in answer.cautions)))
    if len(cmp.names) == 2:
        assert answer.headline.removesuffix(".") in on_page


SEEDS = range(18)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_surface_shows_the_same_answer(run: Run, tmp_path: Path, seed: int) -> None:  # noqa: F811
    asked = drawn(seed)
    path = asked.written(tmp_path)
    cmp = assay.compare(path, level=asked.level)
    options: dict[str, Any] = {"margin": asked.margin, "control": asked.control}
    answer = cmp.answer(asked.measures or None, **options)
    answer_on_every_surface(run, cmp, answer, [str(path), *asked.options], asked.measures, options)
    if asked.is_usual:
        of_usual(cmp, asked, answer, path, run)
    for first, second in combinations(cmp.names, 2) if asked.control is None else ():
        mine = cmp.verdict(answer.measures[0].name, first, second, margin=asked.margin)
        (theirs,) = (v for v in answer.primary if (v.first, v.second) == (first, second))
        assert mine.words == theirs.words
        back = cmp.verdict(answer.measures[0].name, second, first, margin=asked.margin)
        assert (back.outcome, back.winner) == (theirs.outcome, theirs.winner)


def of_usual(
    cmp: assay.Comparison,
    asked: Asked,
    answer: ComparisonAnswer,
    path: Path,
    run: Run,  # noqa: F811
) -> None:
    """What is shown where nothing was asked for: print, notebook, evaluate, the workbench and its script."""
    printed_and_in_notebooks(cmp, answer)
    sentences, rows, pair = wanted(answer), wanted(answer, ""), only_pair(answer)
    record = json.loads(run("evaluate", str(path), "--level", str(asked.level), "--format", "json").out)
    assert record["comparison"] == json.loads(json.dumps(answer.to_dict()))
    brief = of_sentences(run("evaluate", str(path), "--level", str(asked.level), "--html", "own.html").out, answer)
    # Of several models those against the best are shown; the page has all pairs.
    assert brief == sentences if len(cmp.names) == 2 else brief and brief < sentences
    assert of_forest(Path("own.html").read_text(encoding="utf-8"), pair) == rows
    bench = Bench(Workbench(path.parent))
    own = bench.led(bench.post("/open", name=path.name)).rsplit("/", 1)[-1]
    screen = bench.shown(f"/result/{own}/page")
    at_screen = assay.compare(path).answer()
    assert of_forest(screen, pair) == wanted(at_screen, "")
    drawer = re.search(r'<pre [^>]*data-of="python"[^>]*>(.*?)</pre>', bench.shown(f"/result/{own}"), re.DOTALL)
    assert drawer is not None
    said = io.StringIO()
    with redirect_stdout(said):
        exec(html.unescape(drawer[1]), {})
    told = of_sentences(said.getvalue(), at_screen)
    assert told == wanted(at_screen) if len(cmp.names) == 2 else told and told <= wanted(at_screen)
    assert of_forest(Path("report.html").read_text(encoding="utf-8"), pair) == wanted(at_screen, "")


def test_the_levels_of_a_page_come_from_the_answer_at_that_level(tmp_path: Path) -> None:
    asked = drawn(0)
    cmp = assay.compare(asked.written(tmp_path), level=0.8)
    page = render_html(cmp.models, Compared(cmp))
    (held,) = re.findall(r'id="assay-data">(.*?)</script>', page)
    data = json.loads(held)
    for level in (0.8, 0.9, 0.95, 0.99, 0.999):
        answer = cmp.answer(level=level)
        for family, measure in zip(data["families"], answer.measures, strict=True):
            (found,) = answer.differences[measure.name]
            assert found.family is not None
            assert family["levels"][repr(level)] == [found.low, found.high]
            assert family["role"] == found.family.role


@pytest.mark.parametrize("models", [2, 3])
def test_probabilities_of_many_classes_have_one_answer(models: int) -> None:
    rng = np.random.default_rng(models)
    truth = rng.integers(0, 3, 300)
    drawn_ones = {
        name: rng.dirichlet([1, 1, 1], 300) + 0.25 * k * np.eye(3)[truth] for k, name in enumerate(NAMES[:models])
    }
    shares = {name: each / each.sum(1, keepdims=True) for name, each in drawn_ones.items()}
    cmp, together = assay.compare(truth, y_proba=shares), assay.evaluate_models(truth, y_proba=shares)
    answer, pair = cmp.answer(), " - ".join(cmp.names)
    assert [measure.name for measure in answer.measures] == ["hand_till", "brier", "accuracy"]
    assert of_sentences(str(cmp), answer) == wanted(answer)
    brief = of_sentences(str(together), answer)
    assert brief == wanted(answer) if models == 2 else brief and brief < wanted(answer)
    for page in (render_html(cmp.models, Compared(cmp)), render_html(together), cmp._repr_html_()):
        assert of_forest(page, pair) == wanted(answer, "")


def of_rows(folder: Path, **columns: Any) -> tuple[Path, dict[str, list[Any]]]:
    """A file of three models with scores that are shared in part, and any other columns."""
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 2, 1_200)
    shared = rng.normal(size=len(truth))
    table: dict[str, list[Any]] = {"truth": truth.tolist()}
    for name, gap in (("net", 2.0), ("tree", 1.6), ("knn", 0.9)):
        score = 1 / (1 + np.exp(-(gap * (truth - 0.5) + 0.7 * shared + rng.normal(size=len(truth)))))
        table[f"score__{name}"] = score.round(3).tolist()
    table |= columns
    return Asked(table, (), None, None, 0.95).written(folder), table


def from_sums(folder: Path) -> tuple[PairwiseComparison, list[str]]:
    path, _ = of_rows(folder)
    assay.reduce(path).save("cases.evidence")
    return assay.compare("cases.evidence"), ["cases.evidence"]


def from_clusters(folder: Path) -> tuple[PairwiseComparison, list[str]]:
    path, _ = of_rows(folder, patient=[k // 4 for k in range(1_200)])
    return assay.compare(path, cluster="patient"), [str(path), "--cluster", "patient"]


def from_sums_of_clusters(folder: Path) -> tuple[PairwiseComparison, list[str]]:
    path, _ = of_rows(folder, patient=[k // 4 for k in range(1_200)])
    options = ["--cluster", "patient", "--memory", "10kB"]
    return assay.compare(path, cluster="patient", memory="10kB"), [str(path), *options]


def from_weights(folder: Path) -> tuple[PairwiseComparison, list[str]]:
    path, _ = of_rows(folder, weight=[1 + k % 3 for k in range(1_200)])
    return assay.compare(path, weight="weight"), [str(path), "--weight", "weight"]


def from_shared_cases(folder: Path) -> tuple[PairwiseComparison, list[str]]:
    _, table = of_rows(folder)
    for place, name in enumerate(("net", "tree", "knn")):
        table[f"score__{name}"][place * 100 : place * 100 + 80] = [""] * 80
    path = Asked(table, (), None, None, 0.95).written(folder)
    return assay.compare(path, missing="pairwise"), [str(path), "--missing", "pairwise"]


def from_other_cases(folder: Path) -> tuple[PairwiseComparison, list[str]]:
    """A file a sample."""
    _, table = of_rows(folder)
    paths = []
    for place, name in enumerate(("net", "tree")):
        cases = slice(place * 500, place * 500 + 600)
        one = {"truth": table["truth"][cases], "score": table[f"score__{name}"][cases]}
        paths.append(Asked(one, (), None, None, 0.95).written(folder).rename(folder / f"{name}.csv"))
    cmp = compare_unpaired({path.stem: assay.evaluate(path) for path in paths})
    return cmp, [*map(str, paths), "--unpaired"]


# Every kind of evidence that a comparison rests on, with what estimates from it.
KINDS: dict[str, tuple[Callable[[Path], tuple[PairwiseComparison, list[str]]], str]] = {
    "rows": (lambda folder: (assay.compare(of_rows(folder)[0]), ["cases.csv"]), "PairedRows"),
    "sums": (from_sums, "PairedSums"),
    "clusters": (from_clusters, "PairedRows"),
    "sums of clusters": (from_sums_of_clusters, "PairedSums"),
    "weights": (from_weights, "PairedRows"),
    "shared cases": (from_shared_cases, "PairedRows"),
    "other cases": (from_other_cases, "IndependentSamples"),
}


@pytest.mark.parametrize("measures", [(), ("roc_auc", "recall", "specificity")], ids=["usual", "several"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_comparison_has_one_answer(
    run: Run,  # noqa: F811
    tmp_path: Path,
    kind: str,
    measures: tuple[str, ...],
) -> None:
    make, estimator = KINDS[kind]
    cmp, arguments = make(tmp_path)
    assert type(cmp._estimator).__name__ == estimator
    answer = cmp.answer(measures or None)
    assert all(wanted(one) for one in answer.by_measure()[:1])
    if measures:
        arguments = [*arguments, *(word for one in measures for word in ("--measure", one))]
    else:
        printed_and_in_notebooks(cmp, answer)
    answer_on_every_surface(run, cmp, answer, arguments, measures, {})
    assert isinstance(cmp.pairs("roc_auc"), PairTable)


def test_secondary_measures_of_other_cases_are_adjusted_among_themselves(tmp_path: Path) -> None:
    two = from_other_cases(tmp_path)[0]
    answer = two.answer(["roc_auc", "recall", "specificity"])
    alone = two.difference("recall", "net", "tree", level=1 - 0.05 / 2)
    (among,) = answer.differences["recall"]
    assert (among.low, among.high) == (alone.low, alone.high)
    assert among.p_value == min(1.0, 2 * alone.p_value)


def test_no_estimator_is_without_the_law() -> None:
    """A new kind of joint estimates is shown on every surface, or this fails."""
    modules = [import_module(f"assay.evaluation.{one.name}") for one in pkgutil.iter_modules(assay.evaluation.__path__)]
    every = {one for module in modules for one in vars(module).values() if isinstance(one, type)}
    estimators = {one.__name__ for one in every if hasattr(one, "has_test") and hasattr(one, "differences")}
    # The protocol itself; and more cases like these, which foretell and are shown nowhere.
    assert estimators - {"JointEstimator", "MoreCases"} == {estimator for _, estimator in KINDS.values()}
    compared = {one.__name__ for one in every if issubclass(one, PairwiseComparison)}
    assert compared == {"PairwiseComparison", "Comparison", "UnpairedComparison"}


def test_sites_have_one_summary_and_the_comparison_of_other_samples(run: Run, tmp_path: Path) -> None:  # noqa: F811
    path, table = of_rows(tmp_path, site=[("north", "south", "west")[k % 3] for k in range(1_200)])
    Asked({name: table[name] for name in ("truth", "score__net", "site")}, (), None, None, 0.95).written(tmp_path)
    sites = assay.pool(assay.evaluate(path, by="site"))
    found, lines = sites.summary("roc_auc"), list(csv.DictReader(io.StringIO(sites.table("roc_auc").to("csv"))))
    text = run("pool", str(path), "--by", "site", "--measure", "roc_auc", "--html", "page.html").out
    page = plain(Path("page.html").read_text(encoding="utf-8"))
    printed = json.loads(run("pool", str(path), "--by", "site", "--measure", "roc_auc", "--format", "json").out)
    assert printed == json.loads(json.dumps(sites.to_dict("roc_auc")))
    mean = f"{value_words(found.estimate)} {bracketed(found.estimate)}"
    for surface in (" ".join(text.split()), page, " ".join(repr(sites).split()), plain(sites._repr_html_())):
        assert mean in surface
    written = run("pool", str(path), "--by", "site", "--measure", "roc_auc", "--format", "csv").out
    for row, line in enumerate(lines, 1):
        assert f"roc_auc sites,{row},estimate,{line['estimate']}\n" in written
        assert f"{float(line['estimate']):.3f}" in text
        assert f"{float(line['estimate']):.3f}" in page
    unpaired = compare_unpaired(dict(sites.evaluations), level=sites.level)
    assert sites.comparison.to_dict("roc_auc") == unpaired.to_dict("roc_auc")
    assert (sites.names, sites.n, sites.default_measure) == (unpaired.names, unpaired.n, unpaired.default_measure)


def test_the_demo_says_the_same_on_terminal_page_and_workbench(run: Run, tmp_path: Path) -> None:  # noqa: F811
    text = run("demo", "--html", "demo.html", "--save", "demo.csv").out
    answer = assay.compare("demo.csv").answer()
    pair = "logistic - bayes"
    assert of_sentences(text, answer) == wanted(answer)
    assert of_forest(Path("demo.html").read_text(encoding="utf-8"), pair) == wanted(answer, "")
    assert ("ROC AUC", pair, ("+0.006", "[-0.013, 0.028]", "= 0.444")) in wanted(answer)
    bench = Bench(Workbench(tmp_path))
    own = bench.led(bench.post("/open", name="demo.csv")).rsplit("/", 1)[-1]
    assert of_forest(bench.shown(f"/result/{own}/page"), pair) == wanted(answer, "")
    assert bench.workbench.listing.find(own).line == "899 cases, 2 models\nNo significant difference in ROC AUC"


@pytest.mark.parametrize("models", [2, 3])
def test_a_constant_answer_that_is_better_stands_beside_every_verdict(
    run: Run,  # noqa: F811
    tmp_path: Path,
    models: int,
) -> None:
    """Cases of one per cent positives: the first model flags three, none right, and has the best accuracy of all."""
    rng = np.random.default_rng(3)
    truth = (rng.random(3_000) < 0.01).astype(int)
    signal = rng.normal(2.0 * truth)
    table: dict[str, list[Any]] = {"truth": truth.tolist()}
    for name, shift in (("logit", 5.2), ("bayes", 1.6), ("tree", 1.2))[:models]:
        score = 1 / (1 + np.exp(shift - signal - 0.3 * rng.normal(size=len(truth))))
        table[f"score__{name}"] = score.round(4).tolist()
    highest = sorted(range(len(truth)), key=lambda k: (truth[k], -signal[k]))[:3]
    table["score__logit"] = [0.6 if k in highest else min(s, 0.45) for k, s in enumerate(table["score__logit"])]
    path = Asked(table, (), None, None, 0.95).written(tmp_path)
    cmp = assay.compare(path)
    answer = cmp.answer()
    words = (
        f'Always "0" has a higher accuracy ({1 - truth.mean():.3f}) than {"both" if models == 2 else "all of them"}.'
    )
    assert answer.constant_words == words
    assert answer.verdicts["accuracy"][0].winner == "logit"
    assert words in answer.headline
    answer_on_every_surface(run, cmp, answer, [str(path)], (), {})
    text = run("evaluate", str(path), "--html", "own.html").out
    own = plain(Path("own.html").read_text(encoding="utf-8"))
    for surface in (" ".join(text.split()), own, " ".join(str(cmp).split()), " ".join(repr(answer).split())):
        assert words.removesuffix(".") in surface
    assert not cmp.answer(["roc_auc", "recall"]).constant_words


def test_files_joined_in_the_workbench_say_what_their_script_says(run: Run, tmp_path: Path) -> None:  # noqa: F811
    table, names = drawn(0).table, ("net", "tree")
    ids = [f"case {k}" for k in range(len(table["truth"]))]
    for name in names:
        held = {"id": ids, "truth": table["truth"], "score": table[f"score__{name}"]}
        Asked(held, (), None, None, 0.95).written(tmp_path).rename(tmp_path / f"{name}.csv")
    answer = assay.compare(["net.csv", "tree.csv"]).answer()
    bench = Bench(Workbench(tmp_path))
    own = bench.led(bench.post("/open", name="net.csv")).rsplit("/", 1)[-1]
    bench.shown(f"/result/{own}")
    both = bench.led(bench.post(f"/result/{own}/join", name="tree.csv")).rsplit("/", 1)[-1]
    assert of_forest(bench.shown(f"/result/{both}/page"), "net - tree") == wanted(answer, "")
    drawer = re.search(r'<pre [^>]*data-of="python"[^>]*>(.*?)</pre>', bench.shown(f"/result/{both}"), re.DOTALL)
    assert drawer is not None
    said = io.StringIO()
    with redirect_stdout(said):
        exec(html.unescape(drawer[1]), {})
    assert of_sentences(said.getvalue(), answer) == wanted(answer)
    assert of_sentences(run("compare", "net.csv", "tree.csv").out, answer) == wanted(answer)


def test_a_subgroup_with_few_cases_is_remarked_on_terminal_page_and_in_json(run: Run, tmp_path: Path) -> None:  # noqa: F811
    group = ["small"] * 60 + ["large"] * 340
    truth = [int(k < 6) if k < 60 else k % 2 for k in range(400)]
    score = [0.2 if k < 6 else round(0.3 * truth[k] + 0.6 * (k * 37 % 101) / 101, 3) for k in range(400)]
    Asked({"truth": truth, "score": score, "group": group}, (), None, None, 0.95).written(tmp_path)
    words = "6 of '1' in 'small' (recall 0.000 [0.000, 0.390])"
    text = run("evaluate", "cases.csv", "--by", "group", "--html", "page.html").out
    assert words in " ".join(text.split())
    assert words in plain(Path("page.html").read_text(encoding="utf-8"))
    printed = json.loads(run("evaluate", "cases.csv", "--by", "group", "--format", "json").out)
    assert [words in one["message"] for one in printed["cautions"] if one["code"] == "A115"] == [True]
    assert "A115" not in run("evaluate", "cases.csv").out
