"""Out-of-fold predictions as a frame and a file: the figures of the study, in every other command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas
import pytest

import assay
from assay.errors import AssayError, OptionError, UnknownName
from assay.experiments import Study, experiment


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    """Two data sets, learners with probabilities, scores and labels, twice three folds."""
    folder = tmp_path_factory.mktemp("oof")
    study = experiment(["breast_cancer", "iris"], ["nb", "tree", "svm"], assay.plans.repeated_kfold(3, 2),
                       store=folder / "s.db", jobs=1, progress=False)  # fmt: skip
    yield study
    study.store.close()


def test_a_frame_of_one_learner_gives_the_figures_of_the_study(study: Study) -> None:
    frame = study.predictions("breast_cancer", "nb").to("pandas")
    assert list(frame.columns) == ["id", "fold", "truth", "prediction", "proba_malignant", "proba_benign"]
    assert sorted(frame["id"]) == list(range(569))
    assert sorted(frame["fold"].unique()) == [0, 1, 2]
    again = assay.evaluate(
        frame["truth"], frame["proba_benign"], y_pred=frame["prediction"], positive="benign", fold=frame["fold"]
    )
    assert again.roc_auc.to_dict() == study.evaluation("breast_cancer", "nb").roc_auc.to_dict()
    by_fold = [(part["truth"] == part["prediction"]).mean() for _, part in frame.groupby("fold")]
    assert by_fold == pytest.approx(study.fold_scores("breast_cancer", "nb").values[:3].tolist(), abs=1e-15)


def test_repeats_and_several_learners(study: Study) -> None:
    every = study.predictions("iris", "nb", "tree", repeat=None)
    assert list(every.columns)[:6] == ["id", "fold", "repeat", "truth", "model", "prediction"]
    assert len(every) == 150 * 2 * 2
    assert len(study.predictions("iris", "nb", repeat=1)) == 150
    usual = study.predictions("iris")
    assert set(usual.columns["model"]) == {"nb", "tree", "svm"}
    assert usual.title == "Out-of-fold predictions of iris; without probabilities, which svm lacks"


def test_what_is_not_there_is_refused(study: Study) -> None:
    with pytest.raises(UnknownName, match="no learner 'forest'"):
        study.predictions("iris", "forest")
    with pytest.raises(AssayError, match="no split of repeat 5 of 'nb' on 'iris' is finished; run or resume the study"):
        study.predictions("iris", "nb", repeat=5)
    with pytest.raises(OptionError, match="has no validation part"):
        study.predictions("iris", "nb", part="validation")


def test_a_validation_part_is_written_too(tmp_path: Path) -> None:
    study = experiment("iris", "nb", assay.plans.train_validation_test(), jobs=1, progress=False)
    table = study.predictions("iris", "nb", part="validation")
    assert len(table) == study.evaluation("iris", "nb", part="validation").n
    table.save(tmp_path / "validation.csv")
    assert len(pandas.read_csv(tmp_path / "validation.csv")) == len(table)
    study.store.close()
