"""A study from its store with its data and learners, to look at its models: nothing is run, and nothing changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from os import PathLike

from assay.experiments._definition import definition_of
from assay.experiments.study import Study, open_study
from assay.request import named_texts


def reopened(store: str | PathLike[str], name: str, *, allow: str | Iterable[str] = ()) -> Study:
    """The study as it was last defined, its data sets read and its learners made again; the store stays as it is."""
    study = open_study(store, name)
    try:
        said = definition_of(study.store, name)
        learners = said.made_again(named_texts(allow, "allow"))
        return replace(study, given=(said.read_again(), learners))
    except BaseException:
        study.store.close()
        raise
