"""Several models, many classes and labels where rows stay where they lie: what rows in memory give, in one query."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars
import pytest
from tests.sources.engines_alike import TABLES_OF_ANY
from tests.sources.models_alike import MODELS, many_classes, two_models

import assay
from assay.errors import InputError
from assay.sources.engine import scan

LITTLE: dict[str, Any] = {"memory": "1kB"}


@pytest.mark.parametrize("models", MODELS)
@pytest.mark.parametrize("engine", TABLES_OF_ANY)
def test_every_engine_makes_the_evidence_of_models_that_numpy_makes(engine: str, models: str) -> None:
    MODELS[models](TABLES_OF_ANY[engine])


def test_what_is_evaluated_is_what_rows_give() -> None:
    rows = polars.DataFrame(many_classes())
    ev, exact = assay.evaluate(rows.lazy(), **LITTLE), assay.evaluate(rows)
    assert isinstance(ev, assay.ManyClassEvaluation)
    assert str(ev.accuracy) == str(exact.accuracy)
    assert str(ev.macro_f1) == str(exact.macro_f1)
    for name in ev.classes:
        assert ev.per_class[name]["roc_auc"].value == pytest.approx(exact.per_class[name]["roc_auc"].value, abs=1e-12)
        assert ev.per_class[name]["roc_auc"].low == pytest.approx(exact.per_class[name]["roc_auc"].low, abs=1e-12)
    for name in (
        "hand_till",
        "macro_roc_auc",
        "weighted_roc_auc",
        "macro_average_precision",
        "brier",
        "log_loss_skill",
    ):
        found, known = ev.estimate(name), exact.estimate(name)
        assert found.value == pytest.approx(known.value, abs=1e-12), name
        assert found.low == pytest.approx(known.low, abs=1e-12) or found.low < known.low
    assert ev.brier.low == pytest.approx(exact.brier.low, abs=1e-12)
    assert ev.calibration.ece.value == pytest.approx(exact.calibration.ece.value, abs=1e-9)
    assert {each.code for each in ev.cautions} == {each.code for each in exact.cautions}
    only = assay.evaluate(rows.lazy(), positive="bee", **LITTLE)
    assert only.matrix == assay.evaluate(rows, positive="bee").matrix


def test_many_classes_in_subgroups_and_in_clusters() -> None:
    rows = many_classes()
    n = len(rows["truth"])
    site, patient = np.random.default_rng(1).integers(0, 2, n), np.random.default_rng(2).integers(0, 60, n)
    frame = polars.DataFrame({**rows, "site": site, "patient": patient})
    said: dict[str, Any] = {"by": "site", "cluster": "patient"}
    ev, exact = assay.evaluate(frame.lazy(), **said, **LITTLE), assay.evaluate(frame, **said)
    for name in ("brier", "log_loss", "brier_skill"):
        for found, known in [(ev, exact), *((ev.subgroups[site], exact.subgroups[site]) for site in ev.subgroups)]:
            mine, theirs = found.estimate(name), known.estimate(name)
            assert mine.method == theirs.method
            assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=1e-10), name
    assert ev.macro_roc_auc.value == pytest.approx(exact.macro_roc_auc.value, abs=1e-12)
    assert "sums lack the clusters' influence values" in str(ev.macro_roc_auc.undefined)


def test_twelve_classes_have_their_areas_against_the_rest() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 12, 4000)
    shares = rng.dirichlet(np.ones(12), 4000) * 0.7 + 0.3 * np.eye(12)[truth]
    frame = polars.DataFrame({"truth": truth, **{f"proba_{k}": shares[:, k] for k in range(12)}})
    ev, exact = assay.evaluate(frame.lazy(), **LITTLE), assay.evaluate(frame)
    bounds = ev.macro_roc_auc.bounds
    assert bounds is not None
    assert bounds[0] <= exact.macro_roc_auc.value <= bounds[1]
    assert ev.ranked_probability_score.value == pytest.approx(exact.ranked_probability_score.value, abs=1e-12)
    assert "kept of up to 10 classes" in str(ev.hand_till.undefined)


@pytest.mark.parametrize("least", [None, 5])
def test_evidence_of_many_classes_is_that_of_rows_in_memory(least: int | None) -> None:
    frame = polars.DataFrame(many_classes())
    said: dict[str, Any] = {} if least is None else {"least": least}
    found, known = assay.reduce(frame.lazy(), **said, **LITTLE), assay.reduce(frame, **said)
    assert found.models == known.models


def test_labels_alone_subgroups_weights_and_counts() -> None:
    rng = np.random.default_rng(3)
    n = 900
    truth = np.array(["a", "b", "c"])[rng.integers(0, 3, n)]
    frame = polars.DataFrame(
        {"truth": truth, "pred": np.where(rng.random(n) < 0.7, truth, "a"), "site": rng.integers(0, 2, n),
         "weight": rng.integers(1, 9, n) / 4, "count": rng.integers(0, 3, n)}
    )  # fmt: skip
    said: dict[str, Any] = {"by": "site"}
    ev, exact = assay.evaluate(frame.lazy(), **said, **LITTLE), assay.evaluate(frame, **said)
    assert ev.matrix is not None
    assert exact.matrix is not None
    assert np.array_equal(ev.matrix.counts, exact.matrix.counts)
    assert np.array_equal(ev.matrix.squares, exact.matrix.squares)  # type: ignore[arg-type]
    assert ev.class_counts == exact.class_counts
    for name, part in ev.subgroups.items():
        assert str(part.accuracy) == str(exact.subgroups[name].accuracy)


def test_several_models_of_many_classes_each_with_a_grid_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it in one look, one scan of scores and one of decisions; a finer scan reads what needs it alone."""
    rows = many_classes()
    table = {"truth": rows["truth"]}
    for name in ("ape", "bee", "cat"):
        table[f"proba__sure__{name}"] = rows[f"proba_{name}"]
        table[f"proba__meek__{name}"] = 1 / 3 + (rows[f"proba_{name}"] - 1 / 3) * 1e-6
    asked: list[tuple[str, ...]] = []
    plain = scan.of_each

    def counted(rows: Any, columns: Any, *others: Any) -> Any:
        asked.append(tuple(columns))
        return plain(rows, columns, *others)

    monkeypatch.setattr("assay.sources.engine.reduction.of_each", counted)
    models = assay.evaluate_models(polars.DataFrame(table).lazy(), within=1e-3, **LITTLE)
    exact = assay.evaluate_models(polars.DataFrame(table))
    # Those of each class, and how sure the answers of either model were.
    assert [len(columns) for columns in asked] == [12, 3, 3]
    for name, ev in models.items():
        assert str(ev.accuracy) == str(exact[name].accuracy)
        for kind in ("ape", "bee", "cat"):
            bounds = ev.per_class[kind]["roc_auc"].bounds
            assert bounds is not None
            assert bounds[0] - 1e-12 <= exact[name].per_class[kind]["roc_auc"].value <= bounds[1] + 1e-12
            assert bounds[1] - bounds[0] <= 1e-3


def test_a_comparison_past_memory_is_that_of_rows() -> None:
    rng = np.random.default_rng(11)
    n = 30_000
    truth, shared = rng.random(n) < 0.3, rng.normal(size=n)
    a, b = (1 / (1 + np.exp(-(rng.normal(size=n) * 0.8 + 0.7 * shared + gap * truth - 1))) for gap in (1.5, 1.42))
    frame = polars.DataFrame({"y_true": truth.astype(int), "score__a": a, "score__b": b})
    cmp, exact = assay.compare(frame.lazy(), memory="1MB"), assay.compare(frame)
    assert cmp.n == n
    for measure in ("roc_auc", "brier", "log_loss", "average_precision", "accuracy", "f1", "recall"):
        found, known = cmp.difference(measure, "a", "b"), exact.difference(measure, "a", "b")
        se = known.se or (known.high - known.low) / 4
        for end in ("value", "low", "high"):
            assert getattr(found, end) == pytest.approx(getattr(known, end), abs=0.02 * se), measure
    auc = cmp.difference("roc_auc", "a", "b")
    assert auc.bounds is not None
    assert auc.bounds[0] <= exact.difference("roc_auc", "a", "b").value <= auc.bounds[1]
    assert auc.se_within is not None
    assert auc.se is not None
    assert auc.se_within <= 0.03 * auc.se
    assert cmp.joint_correctness("a", "b") == exact.joint_correctness("a", "b")
    assert str(cmp.verdict("roc_auc", "a", "b", margin=0.01).outcome) == str(
        exact.verdict("roc_auc", "a", "b", margin=0.01).outcome
    )


def test_where_every_score_is_known_delong_is_that_of_rows() -> None:
    rows = two_models(6000)
    frame = polars.DataFrame({name: np.round(each, 2) for name, each in rows.items()})
    cmp, exact = assay.compare(frame.lazy(), **LITTLE), assay.compare(frame)
    found, known = (each.difference("roc_auc", "good", "poor") for each in (cmp, exact))
    assert (found.se, found.low, found.high) == pytest.approx((known.se, known.low, known.high), rel=1e-10)
    assert found.se_within == 0
    assert "are counted exactly" in " ".join(next(iter(cmp.models.values())).source.remarks)
    coarse = assay.compare(polars.DataFrame(rows).lazy(), **LITTLE)
    assert "are counted in bins of 6 bits" in " ".join(next(iter(coarse.models.values())).source.remarks)


def test_scores_in_a_sliver_have_finer_pairs_of_cells() -> None:
    rows = two_models()
    frame = polars.DataFrame({**rows, "score__poor": 0.3 + 1e-4 * rows["score__poor"]})
    cmp, exact = assay.compare(frame.lazy(), **LITTLE), assay.compare(frame)
    found, known = (each.difference("roc_auc", "good", "poor") for each in (cmp, exact))
    assert cmp.joint_sums is not None
    assert cmp.joint_sums.scores[0, 1].grids[0].bits > 12
    assert found.se == pytest.approx(known.se, rel=1e-3)


def test_what_cannot_be_compared_past_memory_is_said() -> None:
    rows = two_models()
    tall = polars.DataFrame(
        {"model": np.repeat(["a", "b"], len(rows["y_true"])), "y_true": np.tile(rows["y_true"], 2),
         "score": np.concatenate([rows["score__good"], rows["score__poor"]])}
    )  # fmt: skip
    with pytest.raises(InputError, match="each model has rows of its own, and the rows do not fit into memory"):
        assay.compare(tall.lazy(), **LITTLE)
    with pytest.raises(InputError, match="there is one model"):
        assay.compare(polars.DataFrame(rows).drop("score__poor").lazy(), **LITTLE)
    many = {f"score__m{place}": rows["score__good"] for place in range(11)}
    with pytest.raises(InputError, match="there are 11 models, and the rows do not fit"):
        assay.compare(polars.DataFrame({"y_true": rows["y_true"], **many}).lazy(), **LITTLE)


def test_what_is_no_probability_is_refused() -> None:
    rows = polars.DataFrame(many_classes())
    refuse(rows.with_columns(proba_ape=polars.col("proba_ape") / 2), "have sums that differ from 1 by up to")
    refuse(rows.with_columns(proba_ape=polars.col("proba_ape") * 3), "run from 0")
    logits = {column: column.replace("proba", "logit") for column in rows.columns}
    of_logits = rows.rename(logits)
    against = [
        assay.evaluate(table, positive="ape", **more) for table, more in ((of_logits, {}), (of_logits.lazy(), LITTLE))
    ]
    assert against[1].accuracy.value == against[0].accuracy.value
    assert against[1].source.remarks[0] == against[0].source.remarks[0]
    plain = polars.DataFrame(two_models()).select("y_true", logit="score__good")
    refuse(plain, "like probabilities, not logits")
    refuse(rows.drop("proba_ape"), "no column for the class 'ape'")
    labels = polars.DataFrame(two_models()).select("y_true", prob=1 - polars.col("score__good") / 2, y_pred="y_true")
    # No threshold makes such labels of such scores, so that it must be how sure each label is.
    assert "probability of the predicted label" in assay.evaluate(labels.lazy(), **LITTLE).source.remarks[0]
    surely = labels.filter((polars.col("y_pred") == 1) == (polars.col("prob") > 0.8))
    refuse(surely, "is never below 0.5 beside predicted labels")
    odd = labels.with_columns(y_pred=polars.col("y_pred").cast(polars.String).replace("1", "unsure"))
    refuse(odd, "which is not a class", certainty="prob", pred="y_pred", truth="y_true")
    refuse(labels.with_columns(y_pred=polars.arange(0, len(labels))), "holds more than 1,000 different values")
    refuse(labels.drop("prob"), "labels but no scores", threshold=0.5)
    refuse(rows, "needed: scores of two classes, or no threshold", threshold=0.5)


def refuse(frame: polars.DataFrame, match: str, **said: Any) -> None:
    with pytest.raises(InputError) as error:
        assay.evaluate_models(frame.lazy(), **{**LITTLE, **said})
    assert match in str(error.value)


def test_many_columns_share_the_room_for_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells of a hundred classes must not take a hundred times the memory of one."""
    monkeypatch.setattr("assay.sources.engine.reduction.MOST_CELLS_IN_ALL", 6000)
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 20_000)
    columns = {f"score__m{place}": rng.random(20_000) * (1 + truth) / 2 for place in range(6)}
    models = assay.evaluate_models(polars.LazyFrame({"y_true": truth, **columns}), **LITTLE)
    for name, ev in models.items():
        assert isinstance(ev, assay.TwoClassEvaluation)
        assert ev.scores is not None
        assert len(ev.scores) <= 1000
        bounds = ev.roc_auc.bounds
        assert bounds is not None
        assert bounds[0] <= assay.evaluate(truth, columns[f"score__{name}"]).roc_auc.value <= bounds[1]
