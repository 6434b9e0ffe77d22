"""The pages about many data sets: of ranks, and of a study."""

from __future__ import annotations

import os

from assay.experiments import Study
from assay.ranks import RankAnswer, Ranks
from assay.renderers import renders
from assay.report import answers
from assay.report.blocks import Sentence, Tabled
from assay.report.pages.ranks import about_ranks, difference_picture, ranks_sections, ranks_verdict
from assay.report.pages.study import Shown, about_study, study_sections, study_verdict
from assay.report.renderers.html import render_fragment, render_still, write_page

__all__ = ["render_ranks", "render_study"]


def render_ranks(answer: RankAnswer) -> str:
    """The page of algorithms ranked over data sets."""
    return render_still(about_ranks(answer), ranks_verdict(answer), ranks_sections(answer))


@renders("page", RankAnswer)
def write_ranks(answer: RankAnswer, path: str | os.PathLike[str]) -> None:
    """Write that page."""
    write_page(lambda: render_ranks(answer), path)


@renders("view", RankAnswer)
def show_ranks(answer: RankAnswer) -> str:
    """The ranks in a notebook: what they say, the critical differences and the tables."""
    return render_fragment([*answers.ranks(answer).blocks("table"), difference_picture(answer)])


@renders("view", Ranks)
def _(ranks: Ranks) -> str:
    return show_ranks(ranks.answer())


@renders("view", Study)
def show_study(study: Study) -> str:
    """A study in a notebook: how far it has come, and every learner's mean on every data set."""
    done = study.progress()["done"]
    table = [Tabled(study.wide(), "Accuracy")] if done else []
    return render_fragment([Sentence(repr(study)), *table])


def render_study(study: Study, measure: str = "accuracy", *, level: float = 0.95) -> str:
    """The page of a study, about one measure."""
    shown = Shown(study, measure, level)
    return render_still(about_study(shown), study_verdict(shown), study_sections(shown))


@renders("page", Study)
def write_study(study: Study, path: str | os.PathLike[str], measure: str = "accuracy", *, level: float = 0.95) -> None:
    """Write that page."""
    write_page(lambda: render_study(study, measure, level=level), path)
