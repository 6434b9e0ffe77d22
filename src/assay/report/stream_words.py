"""What the words about streams mean."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["OF_STREAMS"]

OF_STREAMS: Mapping[str, str] = MappingProxyType(
    {
        "prequential": "every event is predicted before its true class is learned. Dawid (1984); Gama et al. (2013).",
        "kappa temporal": "what is gained on repeating the true class of the event before: 0 no better, 1 perfect. "
        "Zliobaite et al. (2015).",
        "kappa M": "what is gained on answering the commonest class so far. Bifet et al. (2015).",
        "cumulative": "every event since the stream began counts once.",
        "sliding": "the last so many events, or those of the last so many seconds.",
        "tumbling": "blocks of so many events or seconds, one after the other.",
        "fading": "every event weighs a factor less than the one after it. Gama et al. (2013).",
        "long-run variance": "the variance of an event and twice its covariances with those that follow: what a mean "
        "of dependent events varies by. Andrews (1991).",
        "block bootstrap": "stretches of the stream redrawn whole, so that neighbours stay together. Kunsch (1989).",
        "one look": "the limits hold at one moment, chosen beforehand: looking again and again uses them up.",
        "at every look": "the limits hold at all moments at once, however often one looks.",
        "betting": "limits that betting against each value of the mean refutes. Waudby-Smith & Ramdas (2024).",
        "asymptotic": "limits of a mean by a normal mixture, after some 100 events. Waudby-Smith et al. (2024).",
        "empirical Bernstein": "limits of a bounded mean by its variance so far. Waudby-Smith & Ramdas (2024).",
        "Hoeffding": "limits of a bounded mean whatever its variance. Hoeffding (1963).",
        "ADWIN": "cuts a window where its older and newer parts differ too much. Bifet & Gavalda (2007).",
        "DDM": "rings when the error rate has risen three deviations over its least. Gama et al. (2004).",
        "EDDM": "rings when errors come closer to one another than they did. Baena-Garcia et al. (2006).",
        "Page-Hinkley": "rings when errors less their mean have added up to too much. Page (1954).",
        "HDDM-A": "parts the mean error before and after each moment by Hoeffding's bound. Frias-Blanco et al. (2015).",
        "HDDM-W": "the same with means that fade. Frias-Blanco et al. (2015).",
    }
)
