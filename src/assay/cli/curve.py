"""`assay curve FILE`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli._options import asks, put_out, source_of
from assay.cli.evaluate import narrate
from assay.errors import AssayError
from assay.request import Request

if TYPE_CHECKING:
    from assay.curves import Curve
    from assay.evaluation import Evaluation

__all__ = ["command"]


@click.command("curve", short_help="Draw any measure of decisions against any other, as the threshold moves.")
@click.argument("file", metavar="FILE")
@asks("curve")
def command(file: str, request: Request) -> None:
    """Draw any measure of decisions against any other as the threshold on the scores in FILE moves.

    The ROC curve without more: --x fpr --y recall. Any measure that a threshold makes may stand on either axis (--y
    precision --x recall, --y mcc --x predicted_prevalence), and the threshold itself on the first: --x threshold --y
    f1. --svg writes the picture, the table holds every point.
    """
    from assay.curves import sweep
    from assay.evaluation import evaluated
    from assay.plots import draw_curve, svg_document
    from assay.report import number_answers

    kind = sweep(request.x_axis, request.y_axis)  # refuses what is no measure of decisions before a file is read
    models = evaluated(source_of(file), request)
    if not request.quiet:
        narrate(models)
    curves = {name: _curve(ev, kind) for name, ev in models.items()}
    put_out(number_answers.swept(curves), request, svg=lambda: svg_document(draw_curve(curves)))


def _curve(ev: Evaluation, kind: object) -> Curve:
    from assay.curves import Curve
    from assay.evaluation import TwoClassEvaluation

    if not isinstance(ev, TwoClassEvaluation) or ev.scores is None:
        raise AssayError(
            "there are no scores of two classes; a curve moves a threshold: name their column with --score"
        )
    found = kind(ev.scores)  # type: ignore[operator]
    assert isinstance(found, Curve)
    return found
