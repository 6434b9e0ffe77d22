"""`assay pool FILE...`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import asks, put_out, source_of
from assay.cli.evaluate import narrate
from assay.errors import OptionError
from assay.request import PoolRequest, Request

if TYPE_CHECKING:
    from assay.evaluation import Evaluation, Sites

__all__ = ["command"]

OF_ONE = ("svg", "html")


@click.command("pool", short_help="Meta-analysis of several sites: each site, their mean and their heterogeneity.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@asks("pool")
@asks("pool", PoolRequest, "how")
def command(files: Sequence[str], request: Request, how: PoolRequest) -> None:
    """Meta-analysis of several sites: each site, their mean, a prediction interval for a new site, and heterogeneity.

    One FILE has all sites, and --by gives the column of sites; or it is merged evidence, whose parts are
    the sites; or each FILE is a site, with its file name as the name.
    The mean is a random-effects estimate, on the logit scale for proportions and AUCs: large sites do not dominate,
    and its limits allow for heterogeneity between sites.
    """
    from assay.report.pages import sites as pooled

    sites = _read_sites(files, request)
    measures = [sites.find(name).name for name in request.measure or [sites.default_measure]]
    asked = dict(how.given)
    for name in OF_ONE:
        if name in request.given and len(measures) > 1:
            raise OptionError(f"{name} shows one measure, but {len(measures)} are given", "one measure", about=name)
    put_out(
        pooled.sites_answer(sites, measures, **asked),
        request,
        svg=lambda: sites.forest(measures[0], **asked).svg(),
        html=partial(pooled.render_sites, sites, measures[0], **asked),
    )


def _read_sites(files: Sequence[str], request: Request) -> Sites:
    from assay.evaluation import evaluated, evidence_at, pool

    evidence = evidence_at(files[0]) if len(files) == 1 else None
    if evidence is not None and len(evidence.parts) > 1:
        request.refuse_unused("evidence")
        return pool(evidence, level=request.level_used, threshold=request.threshold)
    if len(files) == 1:
        if request.by is None:
            raise OptionError("only one file is given", "the column of sites, or one file per site", {"by": "site"})
        return pool(_single_evaluation(files[0], evaluated(source_of(files[0]), request), request))
    if request.by is not None:
        raise OptionError(
            "by does not apply to several files", "one file with all sites, or several files without by", about="by"
        )
    found: dict[str, Evaluation] = {}
    for file in files:
        stem = Path(file).name.split(".")[0]
        found[f"{stem} ({file})" if stem in found else stem] = _single_evaluation(
            file, evaluated(source_of(file), request), request
        )
    return pool(found)


def _single_evaluation(file: str, models: Any, request: Request) -> Evaluation:
    """The evaluation of the one model that a file holds."""
    if not request.quiet:
        narrate(models)
    if len(models) == 1:
        one: Evaluation = next(iter(models.values()))
        return one
    names = ", ".join(repr(name) for name in models)
    raise OptionError(
        f"{file} has {len(models)} models ({names})",
        "one model, the same at every site",
        {"score": next(iter(models))},
    )
