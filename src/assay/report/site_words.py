"""What the words about several sites mean."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["ALSO_OF_SITES", "OF_SITES"]

# What the options are called.
ALSO_OF_SITES: Mapping[str, str] = MappingProxyType(
    {
        "reml": "REML",
        "dl": "DerSimonian-Laird",
        "pm": "Paule-Mandel",
        "ml": "maximum likelihood",
        "he": "Hedges",
        "sj": "Sidik-Jonkman",
        "fixed": "fixed effect",
    }
)

OF_SITES: Mapping[str, str] = MappingProxyType(
    {
        "REML": "the variance between sites that makes what their mean leaves most likely. Harville (1977).",
        "DerSimonian-Laird": "the variance between sites that Cochran's Q leaves over. DerSimonian & Laird (1986).",
        "Paule-Mandel": "the variance between sites with which Cochran's Q is what chance expects. Paule & Mandel "
        "(1982).",
        "Hedges": "the variance of the sites' values less the mean of their squared errors. Hedges & Olkin (1985).",
        "Sidik-Jonkman": "the variance between sites from that of their values, never 0. Sidik & Jonkman (2005).",
        "maximum likelihood": "the variance between sites that makes their values most likely; too low with few.",
        "fixed effect": "all sites are taken to have one true value, so that only their errors weigh.",
        "Q-profile average": "limits averaged over every variance between sites that Cochran's Q allows, each as "
        "likely as Q says; for a new site as Nagashima, Noma & Furukawa (2019) do.",
        "Hartung-Knapp": "limits of a mean over sites by Student's t, with an error from how far they lie apart. "
        "Hartung & Knapp (2001).",
        "at least z's error": "Hartung and Knapp's error, never below that of the weights alone.",
        "Cochran's Q": "squared distances of sites from their mean in standard errors: large where sites differ. "
        "Cochran (1954).",
        "tau2": "the variance of the sites' true values, on the scale on which they are averaged.",
        "tau": "the standard deviation of the sites' true values, on that scale.",
        "I2": "the share of the spread between sites that is no sampling error. Higgins & Thompson (2002).",
        "H2": "the spread between sites over what sampling error alone would make of it.",
        "mean of sites": "the mean of what sites like these would show with endless cases; on the logit scale, what a "
        "typical one would.",
        "a new site": "where the true value of a site that is not among these may lie.",
        "prediction": "limits for a new site, not for the mean.",
        "t of k - 2": "limits by Student's t with two less than there are sites. Higgins et al. (2009).",
        "forest plot": "every site with its interval under one another, the larger its dot the more it weighs; the "
        "mean of all as a diamond.",
        "Egger": "whether less exact sites show other values than exact ones. Egger et al. (1997).",
        "plain": "the values' own scale.",
    }
)
