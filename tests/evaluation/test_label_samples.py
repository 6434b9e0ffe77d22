"""Which rows to label, and the file of labels on its way through a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import assay
from assay import InputError
from assay.errors import OptionError
from assay.labelling import draw_rows, inclusion_probabilities, unlabelled
from assay.measures import registry

ROWS = 4000
GENERATOR = np.random.default_rng(12)
SCORE = GENERATOR.beta(0.4, 3, ROWS).round(5)
TRUTH = GENERATOR.random(ROWS) < SCORE
IDS = [f"case {k}" for k in range(ROWS)]
Rows = list[dict[str, str]]


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    file = tmp_path / "preds.csv"
    file.write_text("id,p\n" + "\n".join(f"{each},{score}" for each, score in zip(IDS, SCORE.tolist(), strict=True)))
    return file


def filled(
    draw: assay.LabelSample, file: Path, change: Callable[[Rows], Rows] = lambda rows: rows, **form: Any
) -> Path:
    """The file of a sample with its true labels, after a change."""
    draw.save(file)
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        row["y_true"] = "yes" if TRUTH[IDS.index(row["id"])] else "no"
    rows = change(rows)
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]), **form)
        writer.writeheader()
        writer.writerows(rows)
    return file


def test_the_same_seed_draws_the_same_rows_however_they_lie() -> None:
    order = np.random.default_rng(1).permutation(ROWS)
    for kind in ("systematic", "poisson", "simple"):
        one = assay.sample(SCORE, labels=100, kind=kind, seed=3, id=IDS)
        two = assay.sample(SCORE[order], labels=100, kind=kind, seed=3, id=[IDS[k] for k in order])
        assert {IDS[k] for k in one.rows} == {IDS[order[k]] for k in two.rows}
        other = assay.sample(SCORE, labels=100, kind=kind, seed=4, id=IDS)
        assert set(one.rows.tolist()) != set(other.rows.tolist())


def test_fixed_kinds_draw_as_many_as_was_wanted() -> None:
    for kind in ("systematic", "simple"):
        for seed in range(30):
            draw = assay.sample(SCORE, labels=100, kind=kind, seed=seed)
            assert len(draw.rows) == len(set(draw.rows.tolist())) == 100
            assert draw.probability.sum() == pytest.approx(100)


def test_rows_are_drawn_as_often_as_their_probability_says() -> None:
    score = SCORE[:200]
    rows = unlabelled(score, score >= 0.3)
    chance = inclusion_probabilities(rows, [registry["recall"]], 60, 0.25)
    assert chance.max() <= 1
    assert chance.min() >= 0.25 * 60 / 200 - 1e-12
    for kind in ("systematic", "poisson"):
        counts = np.zeros(200)
        for seed in range(3000):
            counts[draw_rows(chance, np.argsort(score, kind="stable"), kind, seed)] += 1
        error = np.sqrt(chance * (1 - chance) / 3000)
        assert np.abs(counts / 3000 - chance).max() < 5 * max(error.max(), 0.002)


def test_a_sample_for_recall_is_worth_more_labels() -> None:
    found = assay.sample(SCORE, labels=200, aim="recall").expected
    assert found.columns["half-width"][0] < 0.75 * found.columns["simple random sample"][0]
    value = TRUTH[SCORE >= 0.5].sum() / TRUTH.sum()
    assert found.columns["expected"][0] == pytest.approx(value, abs=0.05)


def test_a_plan_reaches_its_width() -> None:
    """The interval from labels that were planned for is about as wide as planned, scores being calibrated."""
    plan = assay.plan_labels(SCORE, "recall", half_width=0.06)
    assert plan.labels is not None
    assert plan.simple is not None
    assert plan.labels < plan.simple
    draw = assay.sample(SCORE, labels=plan.labels, aim="recall", seed=2)
    label = np.full(ROWS, np.nan)
    label[draw.rows] = TRUTH[draw.rows]
    found = assay.evaluate(label, SCORE, inclusion=draw.probability).recall
    assert (found.high - found.low) / 2 == pytest.approx(0.06, rel=0.25)
    assert "to within 0.06" in repr(plan)
    assert assay.plan_labels(SCORE, "recall", half_width=1e-9).labels is None
    with pytest.raises(OptionError, match="aim is ks"):
        assay.plan_labels(SCORE, "ks")


def test_the_file_comes_back_through_a_spreadsheet(predictions: Path, tmp_path: Path) -> None:
    draw = assay.sample(predictions, labels=200, seed=7)
    plain: Any = assay.evaluate(predictions, labelled=filled(draw, tmp_path / "a.csv"))

    def edited(rows: Rows) -> Rows:
        by_name = sorted(rows, key=lambda row: row["id"])
        return [{"remark": "=seen", **dict(reversed(row.items()))} for row in by_name]

    file = filled(draw, tmp_path / "b.csv", edited, delimiter=";")
    again: Any = assay.evaluate(predictions, labelled=file)
    assert again.recall.to_dict() == plain.recall.to_dict()
    assert again.positive == "yes"
    whole = assay.evaluate(TRUTH.astype(int), SCORE)
    assert plain.recall.low < whole.recall.value < plain.recall.high
    assert plain.roc_auc.low < whole.roc_auc.value < plain.roc_auc.high
    frame: Any = assay.evaluate(polars.read_csv(predictions), labelled=file, threshold=0.3)
    assert frame.threshold_used == 0.3


def test_rows_in_another_order_and_format_change_nothing(predictions: Path, tmp_path: Path) -> None:
    draw = assay.sample(predictions, labels=200, seed=7)
    file = filled(draw, tmp_path / "a.csv")
    shuffled = polars.read_csv(predictions).sample(fraction=1, shuffle=True, seed=5)
    shuffled.select("p", "id").write_parquet(tmp_path / "preds.parquet")
    one: Any = assay.evaluate(predictions, labelled=file)
    two: Any = assay.evaluate(tmp_path / "preds.parquet", labelled=file)
    assert [two.f1.value, two.f1.low] == pytest.approx([one.f1.value, one.f1.low])


def test_another_score_is_evaluated_on_the_same_labels(tmp_path: Path) -> None:
    other = SCORE**2
    frame = polars.DataFrame({"id": IDS, "p": SCORE, "q": other})
    draw = assay.sample(frame, labels=200, seed=7, score="p")
    file = filled(draw, tmp_path / "a.csv")
    found: Any = assay.evaluate(frame, score="q", labelled=file)
    direct = np.full(ROWS, np.nan)
    direct[draw.rows] = TRUTH[draw.rows]
    wanted = assay.evaluate(direct, other, inclusion=draw.probability)
    assert found.recall.value == pytest.approx(wanted.recall.value)
    assert found.recall.low == pytest.approx(wanted.recall.low)


def test_rows_left_out_are_said(predictions: Path, tmp_path: Path) -> None:
    draw = assay.sample(predictions, labels=200, seed=7)

    def first_150(rows: Rows) -> Rows:
        return [row | ({"y_true": ""} if place >= 150 else {}) for place, row in enumerate(rows)]

    found: Any = assay.evaluate(predictions, labelled=filled(draw, tmp_path / "a.csv", first_150))
    assert found.labelled.labels == 150
    assert "A705" in [caution.code for caution in found.cautions]
    truth = assay.evaluate(TRUTH.astype(int), SCORE).recall.value
    assert found.recall.low < truth < found.recall.high


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: [rows[0] | {"id": "case 5000"}, *rows[1:]], "no row that was drawn"),
        (lambda rows: [rows[0] | {"id": rows[1]["id"]}, *rows[1:]], "has repeated ids"),
        (lambda rows: [row | {"design": row["design"].replace("4000", "3999")} for row in rows], "3,999 other rows"),
        (lambda rows: [row | {"design": "mine"} for row in rows], "column design holds 'mine'"),
        (lambda rows: [rows[0] | {"design": "{}"}, *rows[1:]], "2 different texts"),
        (lambda rows: [{k: v for k, v in row.items() if k != "design"} for row in rows], "no column design"),
        (lambda rows: [row | {"y_true": ""} for row in rows], "0 labels for 200 drawn rows"),
    ],
)
def test_a_file_that_does_not_belong_is_refused(
    predictions: Path, tmp_path: Path, change: Callable[[Rows], Rows], words: str
) -> None:
    draw = assay.sample(predictions, labels=200, seed=7)
    with pytest.raises(InputError, match=words):
        assay.evaluate(predictions, labelled=filled(draw, tmp_path / "a.csv", change))


def test_scores_that_changed_since_are_refused(predictions: Path, tmp_path: Path) -> None:
    file = filled(assay.sample(predictions, labels=200, seed=7), tmp_path / "a.csv")
    predictions.write_text(predictions.read_text().replace(",0.0", ",0.3"))
    with pytest.raises(InputError, match="no row that was drawn"):
        assay.evaluate(predictions, labelled=file)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"labels": 10}, "labels is 10"),
        ({"labels": ROWS}, "fewer than the 4,000 rows"),
        ({"labels": 100, "aim": "ks"}, "aim is ks"),
        ({"labels": 100, "aim": "lift"}, "aim is lift"),
        ({"labels": 100, "floor": 0}, "floor is 0"),
        ({"labels": 100, "kind": "random"}, "kind is 'random'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        assay.sample(SCORE, **given)


def test_scores_that_are_no_probabilities_give_a_simple_sample() -> None:
    with pytest.raises(OptionError, match="kind='simple'"):
        assay.sample(10 * SCORE, labels=100)
    draw = assay.sample(10 * SCORE, labels=100, kind="simple")
    assert set(draw.probability.tolist()) == {100 / ROWS}


def test_ids_are_needed_and_differ(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no ids"):
        assay.sample(SCORE, labels=100).save(tmp_path / "a.csv")
    with pytest.raises(InputError, match="have a repeated or missing id"):
        assay.sample(SCORE, labels=100, id=["a"] * ROWS)


def test_precision_alone_has_a_caution() -> None:
    assert [one.code for one in assay.sample(SCORE, labels=100, aim="precision").cautions] == ["A704"]
    assert not assay.sample(SCORE, labels=100, aim=["precision", "recall"]).cautions


def test_a_caution_beside_no_limits() -> None:
    """Log loss where a probability is exactly 0: one error would make it infinite."""
    score = np.where(np.arange(ROWS) < 5, 0.0, SCORE)
    draw = assay.sample(score, labels=200, seed=1)
    label = np.full(ROWS, np.nan)
    label[draw.rows] = TRUTH[draw.rows]
    found = assay.evaluate(label, score, inclusion=draw.probability)
    assert "exactly 0 or 1" in str(found.log_loss.undefined)
