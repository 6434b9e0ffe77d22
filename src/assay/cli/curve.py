"""`assay curve FILE`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import asks, put_out, source_of
from assay.cli.evaluate import narrate
from assay.errors import AssayError, OptionError, UnknownName
from assay.request import Request

if TYPE_CHECKING:
    from assay.evaluation import Curves, Evaluation

__all__ = ["command"]

# How folds' ROC curves are averaged, and which end of a step counts where that is not the usual one.
AVERAGES: Mapping[str, tuple[str, str | None]] = MappingProxyType(
    {
        "vertical": ("vertical", None),
        "horizontal": ("horizontal", None),
        "threshold": ("threshold", None),
        "rocr-vertical": ("vertical", "mean"),
        "rocr-horizontal": ("horizontal", "mean"),
    }
)
# Pictures in which each model has more than one line; of several models they would be a thicket.
OF_ONE_MODEL = ("cost-weights", "risk", "densities", "binormal", "smooth", "ks")
# What is said of rows or of a method, and the one picture that it makes.
OF_ONE_KIND = {"amount": "risk", "fold": "average", "method": "average", "threshold": "reject"}


@click.command("curve", short_help="Draw one threshold measure against another over all thresholds (ROC, PR, ...).")
@click.argument("file", metavar="FILE")
@asks("curve")
def command(file: str, request: Request) -> None:
    """Draw one measure against another over all thresholds on the scores in FILE.

    The default is the ROC curve: --x fpr --y recall. Any measure of a threshold may be on either axis (--y precision
    --x recall, --y mcc --x predicted_prevalence), and the threshold itself on the x axis: --x threshold --y f1. --svg
    writes the chart, the table has every point.

    \b --kind cost                       the cost curve; cost-weights: cost distribution implied by the AUC, and by the
    H measure --kind risk --amount dollars      the risk chart of Rattle --kind roc                        the ROC curve
    with its hull, the perfect and the random classifier --kind average --fold part        the mean of the ROC curves of
    the folds; --method horizontal, threshold, rocr-vertical
    """
    from assay.evaluation import evaluated
    from assay.plots import draw_curve, svg_document
    from assay.report import answers

    _refuse_unused_options(request)
    _swept_measure(request)
    models = evaluated(source_of(file), request)
    if not request.quiet:
        narrate(models)
    found = {name: _requested_curve(_curves_of(ev), request) for name, ev in models.items()}
    if len(found) > 1 and request.svg is not None and request.kind in OF_ONE_MODEL:
        many = f"svg of kind {request.kind!r} shows one model, but there are {', '.join(found)}"
        raise OptionError(many, "the score column of one of them", about=("svg", "kind"))
    shown = found if len(found) > 1 else {"": next(iter(found.values()))}
    put_out(answers.drawn(found), request, svg=lambda: svg_document(draw_curve(shown)))


def _refuse_unused_options(request: Request) -> None:
    for name, kind in OF_ONE_KIND.items():
        if name in request.given and request.kind != kind:
            raise OptionError(f"{name} is given without kind {kind}", options={"kind": kind}, about=(name, "kind"))
    if request.method is not None and request.method not in AVERAGES:
        raise UnknownName(f"method is {request.method!r}", f"one of {', '.join(map(repr, AVERAGES))}", about="method")


def _swept_measure(request: Request) -> Any:
    """What makes a curve of two measures; what is no measure of decisions is refused before a file is read."""
    from assay.curves import sweep

    return sweep(request.x_axis, request.y_axis)


def _curves_of(ev: Evaluation) -> Curves:
    from assay.evaluation import TwoClassEvaluation

    if not isinstance(ev, TwoClassEvaluation) or ev.scores is None:
        raise AssayError("a curve needs scores of two classes; give their column with --score")
    return ev.curves


def _requested_curve(curves: Curves, request: Request) -> Any:
    if request.kind == "measures":
        return _swept_measure(request)(curves.scores)
    if request.kind == "roc":
        return curves.roc_picture(perfect=True)
    if request.kind == "reject" and request.threshold is not None:
        return curves.rejecting(request.threshold)
    if request.kind == "risk":
        return curves.risk_chart()
    if request.kind == "average":
        how, ties = AVERAGES[request.method or "vertical"]
        return curves.fold_average(how, ties=ties)
    found = getattr(curves, request.kind.replace("-", "_"))
    return found() if callable(found) else found
