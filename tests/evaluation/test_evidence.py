"""Evidence that travels: any split, order and nesting is the same; what it gives is what the rows give."""

from __future__ import annotations

import io
import itertools
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from docs.evidence_schema import evidence_schema
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from numpy.typing import NDArray

import assay
from assay.errors import AssayError, InputError, OptionError, UnknownAttribute
from assay.evidence import Binned, Reduced, ScoreTable
from assay.sources import evidence_archive

SHAPES = ["scores", "labels", "real", "weights", "exact", "least", "models", "many", "many, weights", "many, exact",
          "many, least"]  # fmt: skip


def drawn(n: int = 400, seed: int = 0, prevalence: float = 0.4) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < prevalence).astype(int)
    return truth, 1 / (1 + np.exp(-rng.normal(1.5 * truth - 0.7, 1)))


def cells(model: Reduced) -> list[Binned]:
    return [each for each in model.scores if isinstance(each, Binned)]


def counts_of(evidence: assay.Evidence) -> Any:
    """What the models of all parts sum to, but for scores that small sites withhold."""
    return {
        name: (
            model.classes,
            model.cases,
            None if model.matrix is None else model.matrix.counts.tolist(),
            [(each.cell.tolist(), each.negative.tolist(), each.positive.tolist()) for each in cells(model)],
        )
        for name, model in evidence.models.items()
    }


@given(
    cuts=st.lists(st.integers(1, 119), unique=True, max_size=4),
    order=st.randoms(use_true_random=False),
    bits=st.integers(0, 18),
)
@settings(max_examples=30)
def test_any_split_order_and_nesting_is_the_same_evidence(cuts: list[int], order: Any, bits: int) -> None:
    truth, score = drawn(120)
    truth[::7], score[::3] = 1 - truth[::7], np.round(score[::3], 1)
    whole = assay.reduce(truth, score, bits=bits)
    ends = [0, *sorted(cuts), 120]
    parts = [
        assay.reduce(truth[a:b], score[a:b], bits=bits, classes=[0, 1], name=f"site {a}")
        for a, b in itertools.pairwise(ends)
    ]
    order.shuffle(parts)
    merged = assay.merge(parts)
    nested = parts[0]
    for part in parts[1:]:
        nested = part + nested
    assert nested == merged
    assert nested.to_bytes() == merged.to_bytes()
    assert counts_of(merged) == counts_of(whole)
    assert float(merged.accuracy) == float(whole.accuracy)


@pytest.mark.parametrize("shape", SHAPES)
def test_saving_and_loading_is_the_identity(shape: str, tmp_path: Path) -> None:
    evidence = made(shape)
    evidence.save(tmp_path / "a.evidence")
    back = assay.load(tmp_path / "a.evidence")
    assert back == evidence
    assert back.to_bytes() == evidence.to_bytes() == (tmp_path / "a.evidence").read_bytes()
    for name, ev in evidence.evaluations().items():
        known, found = (
            {measure: each.to_dict() for measure, each in one.measures.items()}
            for one in (ev, back.evaluations()[name])
        )
        assert found == known


@pytest.mark.parametrize("shape", SHAPES)
def test_the_schema_describes_the_header(shape: str) -> None:
    with zipfile.ZipFile(io.BytesIO(made(shape).to_bytes())) as archive:
        header = json.loads(archive.read(evidence_archive.HEADER))
    # Files without sums of many classes are written as the first version, which older packages read.
    assert header["version"] == (2 if "many" in shape else 1)
    validator = Draft202012Validator(evidence_schema(header["version"]))
    assert [error.message for error in validator.iter_errors(header)] == []
    assert not validator.is_valid({**header, "surprise": 1})
    assert not validator.is_valid({**header, "parts": []})


def made(shape: str, seed: int = 0, name: str = "north") -> assay.Evidence:
    truth, score = drawn(seed=seed)
    rng = np.random.default_rng(1)
    given: dict[str, Any] = {"name": name}
    if shape == "labels":
        return assay.reduce(truth, y_pred=(score > 0.4).astype(int), **given)
    if shape.startswith("many"):
        probability, truth = rng.dirichlet([1, 1, 1], len(truth)), rng.integers(0, 3, len(truth))
        kinds: dict[str, dict[str, Any]] = {
            "weights": {"weight": rng.random(len(truth)) + 0.5}, "exact": {"exact": True}, "least": {"least": 5}
        }  # fmt: skip
        return assay.reduce(truth, y_proba=probability, **given, **kinds.get(shape[6:], {}))
    if shape == "models":
        return assay.reduce(truth, {"a": score, "b": 1 - score**2}, **given)
    more: dict[str, dict[str, Any]] = {
        "real": {},
        "weights": {"weight": rng.random(len(truth)) + 0.5},
        "exact": {"exact": True},
        "least": {"least": 5},
    }
    return assay.reduce(truth, 10 * score - 5 if shape == "real" else score, **given, **more.get(shape, {}))


def test_evidence_gives_what_the_rows_give() -> None:
    truth, score = drawn(2000)
    rows, evidence = assay.evaluate(truth, score), assay.reduce(truth, score).evaluate()
    assert evidence.class_counts == rows.class_counts
    assert evidence.positive == rows.positive
    for name, known in rows.measures.items():
        found = evidence.measures[name]
        assert found.value == pytest.approx(known.value, abs=2e-5, rel=2e-5), name
        assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=2e-4, rel=2e-4), name
        low, high = found.bounds or (found.value, found.value)
        assert low - 1e-12 <= known.value <= high + 1e-12
    assert evidence.calibration.ece.value == pytest.approx(rows.calibration.ece.value, abs=1e-3)
    assert evidence.at(0.3).recall.value == pytest.approx(rows.at(0.3).recall.value, abs=1e-3)
    assert evidence.threshold("f1").threshold == pytest.approx(rows.threshold("f1").threshold, abs=1e-4)
    assert len(evidence.roc.table()) > 100


def test_exact_evidence_is_the_table_of_the_rows() -> None:
    truth, score = drawn()
    evidence = assay.reduce(truth, score, exact=True)
    assert evidence.evaluate().scores == ScoreTable.of(score, truth == 1, ("0", "1"))
    assert evidence.roc_auc.bounds is None


def test_weights_and_counts_travel() -> None:
    truth, score = drawn()
    weight = np.random.default_rng(3).choice([0.5, 1.0, 4.0], len(truth))
    rows, ev = assay.evaluate(truth, score, weight=weight), assay.reduce(truth, score, weight=weight).evaluate()
    assert ev.is_weighted
    assert ev.class_counts == rows.class_counts
    assert ev.roc_auc.value == pytest.approx(rows.roc_auc.value, abs=1e-5)
    assert (ev.roc_auc.low, ev.roc_auc.high) == pytest.approx((rows.roc_auc.low, rows.roc_auc.high), abs=1e-4)
    assert (ev.recall.low, ev.recall.high) == pytest.approx((rows.recall.low, rows.recall.high), abs=1e-9)
    counted = assay.reduce(truth, score, count=np.full(len(truth), 2)).evaluate()
    assert counted.n == 2 * len(truth)


def test_a_threshold_that_decided_is_exact_though_it_splits_a_cell() -> None:
    truth, score = drawn()
    evidence = assay.reduce(truth, score, threshold=0.3, bits=2)
    assert evidence.evaluate().matrix == assay.evaluate(truth, score, threshold=0.3).matrix
    assert evidence.recall.bounds is None
    elsewhere = evidence.evaluate(threshold=0.31).recall
    assert elsewhere.bounds is not None
    assert elsewhere.bounds[0] < elsewhere.bounds[1]
    assert "(binned: " in repr(elsewhere)


def test_many_classes_have_decisions_and_each_class_against_the_rest() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 300)
    probability = rng.dirichlet([1, 1, 1], 300) * 0.5 + 0.5 * np.eye(3)[truth]
    rows, ev = assay.evaluate(truth, y_proba=probability), assay.reduce(truth, y_proba=probability).evaluate()
    assert ev.macro_f1.value == rows.macro_f1.value
    one, other = (each.against("1").roc_auc for each in (ev, rows))
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-5)
    assert ev.per_class["1"]["roc_auc"].value == pytest.approx(other.value, abs=1e-5)
    assert "each case for all classes" in repr(ev.estimate("top_k_accuracy(2)"))
    with pytest.raises(OptionError, match="needs the scores of each case for all classes"):
        ev.volume_under_surface()
    assert "recall" in repr(ev.per_class)


def test_several_models_travel_with_who_was_right_together() -> None:
    truth, score = drawn()
    evidence = assay.reduce(truth, {"a": score, "b": 1 - score**2}, name="x")
    other = assay.reduce(drawn(seed=7)[0], {"a": drawn(seed=7)[1], "b": drawn(seed=8)[1]}, name="y")
    both = evidence + other
    cmp = assay.compare(truth, {"a": score, "b": 1 - score**2})
    assert evidence.joint is not None
    assert evidence.joint.pair(0, 1) == cmp.joint_correctness("a", "b")
    assert both.joint is not None
    assert both.joint.total == 800
    with pytest.raises(InputError, match="there are 2 models"):
        both.evaluate()
    assert list(both.evaluations()) == ["a", "b"]


def test_each_part_can_be_judged_by_itself() -> None:
    merged = made("scores", 1, "north") + made("scores", 2, "south")
    apart = merged.by_part()
    assert list(apart) == ["north", "south"]
    alone = assay.evaluate(*drawn(seed=2))
    assert next(iter(apart["south"].values())).roc_auc.value == pytest.approx(alone.roc_auc.value, abs=1e-5)
    assert merged.roc_auc.n == 800


def test_suppression_shows_no_small_cell_and_keeps_the_truth_in_bounds() -> None:
    truth, score = drawn(3000)
    evidence = assay.reduce(truth, score, least=5)
    (scores,) = cells(next(iter(evidence.models.values())))
    assert (scores.negative + scores.positive).min() >= 5
    exact = assay.evaluate(truth, score)
    assert evidence.roc_auc.bounds is not None
    assert evidence.roc_auc.bounds[0] <= exact.roc_auc.value <= evidence.roc_auc.bounds[1]
    assert evidence.accuracy.value == exact.accuracy.value
    assert evidence.evaluate().n == 3000
    assert sum(scores.hidden) > 0


REFUSED: dict[str, tuple[Any, str]] = {
    "twice": (lambda: made("scores") + made("scores", name="again"), "made from the same rows"),
    "classes": (
        lambda: made("scores") + assay.reduce(["a", "b"] * 9, drawn(18)[1], positive="b"),
        "'0', '1', the other 'a', 'b'|'a', 'b', the other '0', '1'",
    ),
    "bits": (lambda: made("scores") + assay.reduce(*drawn(seed=4), bits=5), "the same grid, to add them"),
    "kind": (lambda: made("scores") + assay.reduce(*drawn(seed=4), grid="real"), "of real scores"),
    "threshold": (lambda: made("scores") + assay.reduce(*drawn(seed=4), threshold=0.2), "the same threshold for all"),
    "labels": (
        lambda: made("scores") + made("labels", 4),
        "scores in both, or only labels in both|has decisions|decided",
    ),
    "exact": (lambda: made("scores") + assay.reduce(*drawn(seed=4), exact=True), "the same kind, to add them"),
    "models": (lambda: made("models") + made("scores", 4), "has the models"),
    "nothing": (lambda: assay.merge([]), "there is nothing to merge"),
    "no evidence": (lambda: assay.merge(3), "is no evidence"),
    "no file": (lambda: assay.merge("nowhere.evidence"), "there is no file"),
    "no files": (lambda: assay.merge("nowhere-*.evidence"), "no file matches"),
    "clusters": (lambda: assay.evaluate(made("scores"), cluster="patient"), "cluster does not apply to evidence"),
    "positive": (lambda: assay.evaluate(made("scores"), positive="0"), "positive does not apply to evidence"),
    "again": (lambda: assay.reduce(made("scores")), "this is evidence already"),
    "bits and exact": (lambda: assay.reduce(*drawn(), bits=3, exact=True), "bits sets the bins"),
    "outside": (lambda: assay.reduce(drawn()[0], drawn()[1] * 3, grid="probability"), "grid is for probabilities"),
    "all hidden": (
        lambda: assay.reduce([0, 1] * 4, np.arange(8) / 8, least=5),
        "no bin of 5 or more cases has a case of",
    ),
    "printed": (lambda: made("scores").save("-"), "evidence is a binary file"),
    "attribute": (lambda: made("scores").rock_auc, "rock_auc"),
    "private": (lambda: made("scores")._nothing, "_nothing"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_one_sentence(case: str) -> None:
    act, words = REFUSED[case]
    with pytest.raises(AssayError, match=words) as caught:
        act()
    assert "\n" not in str(caught.value)


def test_coarser_cells_make_other_bits_fit() -> None:
    fine, coarse = made("scores"), assay.reduce(*drawn(seed=4), bits=5, name="south")
    merged = assay.merge(fine, coarse, bits=5)
    assert {each.grid.bits for model in merged.models.values() for each in cells(model)} == {5}
    assert merged.evaluate().n == 800


def test_rows_that_cannot_travel_are_refused_by_name(tmp_path: Path) -> None:
    truth, score = drawn(60)
    lines = [f"{y},{s:.6f},{k % 5}" for k, (y, s) in enumerate(zip(truth, score, strict=True))]
    for column, words in (("fold", "folds of a cross-validation"),):
        (tmp_path / "a.csv").write_text("\n".join([f"truth,score,{column}", *lines, ""]))
        with pytest.raises(InputError, match=words) as caught:
            assay.reduce(tmp_path / "a.csv")
        assert "ignore" in str(caught.value)
        assert assay.reduce(tmp_path / "a.csv", ignore=column).evaluate().n == 60
    with pytest.raises(UnknownAttribute):
        _ = assay.reduce(truth, score).nothing


@pytest.mark.parametrize("shape", ["scores", "many", "weights", "labels"])
def test_a_flipped_bit_and_a_lost_end_are_one_sentence(shape: str, tmp_path: Path) -> None:
    """Every byte once with a bit of it flipped, every length once: in the headers of the archive too."""
    data, file, bit = made(shape).to_bytes(), tmp_path / "x.evidence", np.random.default_rng(0)
    places = range(0, len(data), 1 + len(data) // 2000)
    broken = [data[:at] + bytes([data[at] ^ (1 << int(bit.integers(8)))]) + data[at + 1 :] for at in places]
    for each in (*broken, *(data[:at] for at in places), data + b"x", data[: -evidence_archive.SEALED]):
        file.write_bytes(each)
        with pytest.raises(InputError) as caught:
            assay.load(file)
        assert "\n" not in str(caught.value)


def test_an_archive_that_another_program_packed_is_read(tmp_path: Path) -> None:
    evidence, file = made("scores"), tmp_path / "x.evidence"
    with zipfile.ZipFile(io.BytesIO(evidence.to_bytes())) as ours, zipfile.ZipFile(file, "w") as theirs:
        for name in ours.namelist():
            theirs.writestr(name, ours.read(name))
    assert assay.load(file) == evidence


def rewritten(data: bytes, **changes: Any) -> bytes:
    """A file with another header, and the checksum that belongs to it."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        header = json.loads(archive.read(evidence_archive.HEADER))
        arrays = {
            name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)))
            for name in archive.namelist()
            if name != evidence_archive.HEADER
        }
    header = {key: value for key, value in header.items() if key not in ("checksum", "format")}
    return evidence_archive.packed({**header, **changes}, arrays)


def test_newer_versions_and_foreign_headers_are_refused(tmp_path: Path) -> None:
    evidence, file = made("scores"), tmp_path / "x.evidence"
    data = evidence.to_bytes()
    file.write_bytes(rewritten(data, version=3, written_by="9.0"))
    with pytest.raises(
        InputError, match=r"written by assay 9\.0 as version 3 of the format, but this version of Assay reads 2"
    ):
        assay.load(file)
    file.write_bytes(rewritten(data))
    assert assay.load(file) == evidence
    header, _ = evidence_archive.unpacked(data, "x")
    (part,) = header["parts"]
    (model,) = part["models"]
    (scores,) = model["scores"]
    wrong: list[Any] = [
        {"parts": []},
        {"parts": 3},
        {"parts": [{}]},
        {"parts": [{**part, "models": []}]},
        {"parts": [{**part, "name": 3}]},
        {"parts": [{**part, "models": [model, model]}]},
    ]
    of_models: list[dict[str, Any]] = [
        {"classes": ["a", "a"]}, {"classes": ["a"]}, {"cases": [1]}, {"cases": [-1, 2]}, {"matrix": {"decisions": []}},
        {"matrix": {"decisions": ["0", "1"], "counts": [[1, 2]]}}, {"threshold": "high"}, {"scores": []},
    ]  # fmt: skip
    of_scores: list[dict[str, Any]] = [
        {"length": 3}, {"length": 10**9}, {"grid": {"kind": "other", "bits": 4}},
        {"grid": {"kind": "real", "bits": 90}}, {"first": -5}, {"first": 10**9}, {"ties": 50}, {"hidden": [1]},
        {"hidden": [-1, 1]}, {"classes": ["a"]}, {"weighted": True}, {"kind": "scores"},
    ]  # fmt: skip
    of_models += [{"scores": [{**scores, **bad}]} for bad in of_scores]
    wrong += [{"parts": [{**part, "models": [{**model, **bad}]}]} for bad in of_models]
    for bad in wrong:
        file.write_bytes(rewritten(data, **bad))
        with pytest.raises(InputError, match=r"has invalid content for an evidence file|is inconsistent"):
            assay.load(file)


def test_an_archive_that_would_fill_the_memory_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = made("scores").to_bytes()
    monkeypatch.setattr(evidence_archive, "MOST_BYTES", 1000)
    (tmp_path / "x.evidence").write_bytes(data)
    with pytest.raises(InputError, match=r"would unpack to [\d,]+ bytes"):
        assay.load(tmp_path / "x.evidence")
    monkeypatch.undo()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(evidence_archive.HEADER, "{}")
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
        archive.writestr("gap.npy", header.getvalue())
    (tmp_path / "x.evidence").write_bytes(file.getvalue())
    with pytest.raises(InputError, match="is not an evidence file"):
        assay.load(tmp_path / "x.evidence")


def test_files_and_patterns_are_read_by_every_front_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed, name in enumerate(("north", "south")):
        assay.reduce(*drawn(seed=seed)).save(tmp_path / f"{name}.evidence")
    merged = assay.merge(str(tmp_path / "*.evidence"))
    assert [part.name for part in merged.parts] == ["north", "south"]
    merged.save(tmp_path / "all.dat")
    assert assay.evaluate(tmp_path / "all.dat").roc_auc.value == merged.roc_auc.value
    assert assay.evaluate(merged, level=0.9).roc_auc.level == 0.9
    assert assay.evaluate(merged, threshold=0.25).threshold_used == 0.25
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="is not an evidence file"):
        assay.load(tmp_path / "x.csv")
    merged.report(tmp_path / "page.html")
    assert "The scores are binned" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "asked", [{}, {"bits": 7}, {"least": 5}, {"grid": "real"}, {"threshold": 0.31}, {"positive": "0"}], ids=str
)
def test_rows_that_do_not_fit_are_reduced_where_they_lie_to_the_same(asked: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    truth = (rng.random(3_000) < 0.3).astype(int)
    score = 1 / (1 + np.exp(-rng.normal(1.2 * truth - 1, 1)))
    frame = pl.DataFrame({"y_true": truth, "score__a": score, "score__b": score.round(2), "weight": truth + 0.5})
    here = assay.reduce(frame, name="x", **asked)
    frame[:1_000].write_parquet(tmp_path / "1.parquet")
    frame[1_000:].write_parquet(tmp_path / "2.parquet")
    for lies in (frame.lazy(), str(tmp_path)):
        there = assay.reduce(lies, name="x", memory="1kB", **asked)
        assert there.parts[0].models == here.parts[0].models
    again = assay.merge(there, here)
    assert again.evaluations()["a"].n == 6_000


def test_what_rows_past_memory_cannot_travel_as_is_refused_by_name() -> None:
    frame = pl.DataFrame({"y_true": [0, 1] * 50, "y_score": [0.2, 0.7] * 50, "patient": [*range(50)] * 2}).lazy()
    refused: list[tuple[dict[str, Any], str]] = [
        ({"exact": True, "ignore": "patient"}, "do not fit into memory"),
        ({}, "dependent rows, which evidence cannot"),
        ({"cluster": "patient"}, "cluster"),
    ]
    for asked, words in refused:
        with pytest.raises(InputError, match=words):
            assay.reduce(frame, memory="1kB", **asked)
