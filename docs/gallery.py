"""The gallery: one picture of every kind of curve, drawn from the bundled example by the code that it shows."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from assay import rank_algorithms
from assay.calibration import calibration_belt, fit_tilt
from assay.calibration.diagrams import calibration_function, covariance_graph, reliability_diagram
from assay.calibration.murphy import murphy_curve
from assay.curves import (
    Drawable,
    against_threshold,
    amounts_at_stake,
    binormal_roc,
    brier_curve,
    cost_against_threshold,
    cost_curve,
    cost_weights,
    cumulative_gain,
    decision_curve,
    det,
    fp_fn,
    horizontal_average,
    ks_curve,
    lift_curve,
    margin_curve,
    p_value_picture,
    precision_recall,
    precision_recall_gain,
    reject_curve,
    risk_chart,
    roc,
    roc_band,
    roc_hull,
    roc_picture,
    roc_points,
    roc_surface,
    score_densities,
    smooth_roc,
    sweep,
    threshold_average,
    top_k,
    vertical_average,
)
from assay.evidence import ClassScores, ScoreTable
from assay.experiments import kfold

MADE = "<!-- Made by docs/gallery.py from the code: change it there and type `make docs`. -->\n"
INTRO = """# Gallery

Every curve is data first: `.table()` gives its points, `.svg()` a picture as below, and `.plot(ax=)` draws it with
matplotlib. In the calls, `t` is the `ScoreTable` of the second model of the bundled example, `folds` three parts of it,
`cases` its `ClassScores`, `hard` two confusion matrices by name, `amounts` what each case is worth, and `thirds` three
classes in order. An evaluation has them as `ev.curves.roc`, `ev.curves.binormal()`, `ev.calibration.belt` and so on.
"""
# Screenshots, taken by tests of the pages.
PAGES = """## Pages

`assay evaluate preds.csv --html report.html`

![The page of an evaluation](pictures/report.png)

`assay rank results.csv --rope 0.01 --html report.html`

![The page of ranks](pictures/ranks.png)
"""
# Invented accuracies of four algorithms on eight data sets.
ACCURACIES = np.array(
    [
        [0.91, 0.88, 0.90, 0.80],
        [0.85, 0.84, 0.80, 0.74],
        [0.78, 0.79, 0.75, 0.70],
        [0.95, 0.93, 0.94, 0.90],
        [0.88, 0.85, 0.86, 0.87],
        [0.72, 0.70, 0.66, 0.61],
        [0.83, 0.80, 0.81, 0.77],
        [0.90, 0.91, 0.87, 0.82],
    ]
)


def pages() -> dict[str, str]:
    """The page and its pictures, by their paths below docs/."""
    parts, pictures = [MADE, INTRO], {}
    for name, title, call, svg in shown():
        pictures[f"pictures/{name}.svg"] = svg
        parts.append(f"## {title}\n\n`{call}`\n\n![{title}](pictures/{name}.svg)\n")
    parts.append(PAGES)
    return {"gallery.md": "\n".join(parts), **pictures}


def shown() -> Iterator[tuple[str, str, str, str]]:
    """Each kind: its name, title, the call that makes it, and its picture."""
    for call, curve in _curves():
        drawing = curve.drawing()
        yield call.split("(")[0].replace("_", "-"), drawing.title, call, curve.svg()
    ranks = rank_algorithms(ACCURACIES, algorithms=["boosting", "forest", "logistic", "bayes"])
    ranked = "rank_algorithms(table).critical_difference"
    diagram = ranks.critical_difference()
    yield "critical-difference", diagram.figure().title, f"{ranked}()", diagram.svg()
    against = ranks.critical_difference(control="bayes")
    title = "Critical difference from a control"
    yield "critical-difference-control", title, f'{ranked}(control="bayes")', against.svg()
    flow = kfold(5).flow(["no"] * 60 + ["yes"] * 30)
    yield "flow", "The parts of each split", "kfold(5).flow(y)", flow.svg()


def _curves() -> list[tuple[str, Drawable]]:
    """Every kind of curve with the call that makes it."""
    is_positive, score = _example()
    t = ScoreTable.of(score, is_positive)
    cases = ClassScores.of(np.column_stack((1 - score, score)), is_positive.astype(int), ("another", "8"))
    folds = [ScoreTable.of(score[k::3], is_positive[k::3]) for k in range(3)]
    amounts = 100 * score
    # Three classes in order that the scores tell apart somewhat.
    thirds = np.digitize(score + np.random.default_rng(0).normal(0, 0.3, len(score)), [0.0, 0.4])
    hard = {"strict": t.at(0.9), "lenient": t.at(0.1)}
    return [
        ("roc(t)", roc(t)),
        ("precision_recall(t)", precision_recall(t)),
        ("precision_recall_gain(t)", precision_recall_gain(t)),
        ("det(t)", det(t)),
        ("fp_fn(t)", fp_fn(t)),
        ('against_threshold("f1")(t)', against_threshold("f1")(t)),
        ('sweep("specificity", "precision")(t)', sweep("specificity", "precision")(t)),
        ("score_densities(t)", score_densities(t)),
        ("ks_curve(t)", ks_curve(t)),
        ("cumulative_gain(t)", cumulative_gain(t)),
        ("lift_curve(t)", lift_curve(t)),
        ("top_k(t)", top_k(t)),
        (
            "risk_chart(t, amounts_at_stake(score, is_positive, amounts))",
            risk_chart(t, amounts_at_stake(score, is_positive, amounts)),
        ),
        ("cost_curve(t)", cost_curve(t)),
        ("cost_weights(t)", cost_weights(t)),
        ("brier_curve(t)", brier_curve(t)),
        ("cost_against_threshold(t, fp=1, fn=10)", cost_against_threshold(t, fp=1, fn=10)),
        ("decision_curve(t)", decision_curve(t)),
        ("reject_curve(cases)", reject_curve(cases)),
        ("margin_curve(cases)", margin_curve(cases)),
        ("reliability_diagram(t)", reliability_diagram(t)),
        ("calibration_function(fit_tilt(t))", calibration_function(fit_tilt(t))),
        ("covariance_graph(t)", covariance_graph(t)),
        ("murphy_curve(t)", murphy_curve(t)),
        ("roc_points(hard)", roc_points(hard)),
        ("vertical_average(folds)", vertical_average(folds)),
        ("threshold_average(folds)", threshold_average(folds)),
        ("horizontal_average(folds)", horizontal_average(folds)),
        (
            "roc_picture(t, roc_hull(t), tangent=2, band=roc_band(t), perfect=True)",
            roc_picture(t, roc_hull(t), tangent=2, band=roc_band(t), perfect=True),
        ),
        ("roc_hull(t)", roc_hull(t)),
        ("binormal_roc(t)", binormal_roc(t)),
        ("smooth_roc(t)", smooth_roc(t)),
        ("roc_surface(score, thirds)", roc_surface(score, thirds, classes=("low", "middle", "high"))),
        ("calibration_belt(t)", calibration_belt(t)),
        ("p_value_picture(0.03, 0.015, true_difference=0.05)", p_value_picture(0.03, 0.015, true_difference=0.05)),
    ]


def _example() -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Truth and the second model's scores of the bundled example."""
    with as_file(files("assay") / "data" / "demo.csv") as path:
        columns = np.loadtxt(path, delimiter=",", skiprows=1)
    return columns[:, 0] == 1, columns[:, 2]
