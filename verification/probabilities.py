"""Coverage of the intervals of Brier score, log loss and skill, for calibrated and ill-calibrated forecasts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, expit

from assay.evidence import ScoreTable
from assay.measures import registry
from verification._coverage import Design, generator, limits_of, row_of
from verification._row import Row

__all__ = ["jobs", "population_values", "run"]

SAID = """True probabilities are Beta distributed with the mass named; forecasts are them with logits multiplied."""

Job = tuple[int, float, float, float, float]

MEASURES = ("brier", "log_loss", "brier_skill", "log_loss_skill", "bayes_error")
# Concentration of the Beta distribution of true probabilities (small: nearly certain; large: nearly uninformative) and
# the factor on their logits (1: calibrated; above: overconfident).
FORECASTERS = ((2.0, 1.0), (2.0, 3.0), (2.0, 0.5), (0.8, 1.0), (20.0, 1.0), (20.0, 2.0))


def jobs(*, quick: bool) -> list[Job]:
    """Cases, prevalence, concentration, factor on the logits, level."""
    sizes = (30, 100) if quick else (10, 20, 30, 50, 100, 500, 1000)
    forecasters = FORECASTERS[:2] if quick else FORECASTERS
    main: list[Job] = [(n, p, *f, 0.95) for p in (0.5, 0.1, 0.03) for f in forecasters for n in sizes if n * p >= 1.5]
    levels: list[Job] = [(n, 0.1, 2.0, 3.0, level) for n in (200, 1000) for level in (0.9, 0.99)]
    return main + ([] if quick else levels)


def run(job: Job, replicates: int = 1500) -> list[Row]:
    """One design, all measures."""
    n, prevalence, concentration, factor, level = job
    rng = generator("probabilities", n, prevalence, concentration, factor)
    a, b = prevalence * concentration, (1 - prevalence) * concentration
    logits = _beta_logits(rng, a, b, (replicates, n))
    happened = rng.random((replicates, n)) < expit(logits)
    tables = [ScoreTable.of(expit(factor * x), y) for x, y in zip(logits, happened, strict=True)]
    truths = population_values(a, b, factor)
    design = Design(f"prevalence {prevalence:g}, Beta mass {concentration:g}, logits x {factor:g}", n, n * prevalence)
    return [
        row_of(
            registry[name],
            design,
            truths[name],
            limits_of(registry[name], tables, level),
            level=level,
            replicates=replicates,
        )
        for name in MEASURES
    ]


def population_values(a: float, b: float, factor: float) -> dict[str, float]:
    """The measures of the population, by the trapezium rule over logits.

    >>> round(population_values(1.0, 1.0, 1.0)["brier"], 6), round(population_values(1.0, 1.0, 1.0)["log_loss"], 6)
    (0.166667, 0.5)
    """
    reach = 40 / min(a, b, 1.0)
    t = np.linspace(-reach, reach, 400_001)
    log_density = -a * np.logaddexp(0, -t) - b * np.logaddexp(0, t) - betaln(a, b)
    weight = np.exp(log_density)
    weight /= weight.sum()
    p, q = expit(t), expit(factor * t)
    brier = float(weight @ (p * (1 - q) ** 2 + (1 - p) * q**2))
    log_loss = float(weight @ (p * np.logaddexp(0, -factor * t) + (1 - p) * np.logaddexp(0, factor * t)))
    share = a / (a + b)
    entropy = -share * np.log(share) - (1 - share) * np.log1p(-share)
    return {
        "brier": brier,
        "bayes_error": float(weight @ np.minimum(q, 1 - q)),
        "log_loss": log_loss,
        "brier_skill": 1 - brier / (share * (1 - share)),
        "log_loss_skill": 1 - log_loss / float(entropy),
    }


def _beta_logits(rng: np.random.Generator, a: float, b: float, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Logits of Beta variates, without the underflow of small parameters: a gamma of a is a shrunk one of a + 1."""

    def log_gamma(parameter: float) -> NDArray[np.float64]:
        grown: NDArray[np.float64] = np.log(rng.standard_gamma(parameter + 1, shape))
        return grown + np.log(rng.random(shape)) / parameter

    return log_gamma(a) - log_gamma(b)
