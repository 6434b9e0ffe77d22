"""What the words on every screen mean, beside the measures and cautions, which say so themselves.

What the words of a course on evaluation mean here: curves, and the parts that cases are put into.

What the words about several sites mean.

What the words about streams mean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from assay.comparison import METHODS
from assay.method_names import current_title

__all__ = [
    "ALSO",
    "CALIBRATION",
    "INTERVALS",
    "KINDS",
    "OF_COURSES",
    "OF_DIFFERENCES",
    "OF_SITES",
    "OF_STREAMS",
    "WORDS",
    "Word",
    "find_words",
    "meaning",
    "without_numbers",
    "word_key",
    "words_by_key",
]


# What other documents call the same.
_ALSO_OF_COURSES: Mapping[str, str] = MappingProxyType(
    {
        "resolution": "discrimination",
        "imprecision": "Miscalibration",
        "calibration in the small": "Calibration",
        "hold-out set": "hold-out",
        "holdout": "hold-out",
        "training set": "training part",
        "validation set": "validation part",
        "test set": "test part",
        "k-fold cross-validation": "cross-validation",
        "rotation method": "cross-validation",
        "apparent error": "resubstitution",
        "drummond and holte": "cost curve",
        "weights over costs": "cost weights",
        "hull": "convex hull",
        "concordant": "concordant pair",
        "zeror": "dummy",
    }
)
OF_COURSES: Mapping[str, str] = MappingProxyType(
    {
        "discrimination": "how well scores rank positives above negatives, whether or not they are calibrated; "
        "measured by the ROC AUC. Also known as resolution.",
        "training part": "the cases a learner is fitted to; its performance on them is optimistic.",
        "validation part": "the cases used to choose settings, early stopping and the best of several models.",
        "test part": "the cases used once, to evaluate the selected model.",
        "hold-out": "cases set aside before fitting, for testing or model selection.",
        "optimism": "how much better a value is on the cases used for fitting or selection than on new cases.",
        "overfitting": "fitting random features of the training cases; it shows as optimism.",
        "resubstitution": "testing on the training cases.",
        "cross-validation": "each part of the cases is predicted by a model of all the others.",
        "leave-one-out": "cross-validation with as many parts as cases.",
        "bagging": "an ensemble of models fitted to bootstrap samples; the share of votes is a score. Breiman (1996).",
        "boosting": "an ensemble of models fitted in sequence, each giving more weight to earlier errors. Freund & "
        "Schapire (1997).",
        "dummy": "the baseline learner that uses no feature; shown in every table, not included in tests.",
        "ROC curve": "recall against the false-positive rate as the threshold falls.",
        "ROC surface": "the ROC curve generalised to three ordered classes; the volume under it is 1/6 for a random "
        "classifier.",
        "convex hull": "the ROC points that are optimal for some cost ratio; random mixtures of two of them lie "
        "between.",
        "dominance": "one ROC curve is nowhere below the other.",
        "concordant pair": "a positive and a negative case where the positive has the higher score.",
        "cost curve": "the lowest expected cost at each probability-cost value. Drummond & Holte (2006).",
        "cost weights": "the distribution of costs over which an AUC averages, which depends on the classifier, "
        "compared with that of the H measure. Hand (2009).",
        "risk chart": "recall and share of an amount (risk) against the flagged share. Williams (2011).",
        "caseload": "Rattle's term for the flagged share: the cases with the highest scores.",
        "strike rate": "Rattle's term for precision: the share of positives among the flagged cases.",
        "reject curve": "accuracy of the accepted cases against the share of rejected, least confident cases.",
        "influence of cases and donors, pseudo-cases": "limits of a permutation importance: the variance over the "
        "permuted cases and over the cases that supply the values, small-sample adjusted.",
        "not used": "the model does not use the column, so its importance is exactly 0.",
        "learning curve": "a measure against the number of training cases.",
    }
)


OF_SITES: Mapping[str, str] = MappingProxyType(
    {
        "REML": "restricted maximum likelihood estimate of the variance between sites. Harville (1977).",
        "DerSimonian-Laird": "moment estimate of the variance between sites from Cochran's Q. DerSimonian & Laird "
        "(1986).",
        "Paule-Mandel": "the variance between sites at which Cochran's Q equals its expectation. Paule & Mandel "
        "(1982).",
        "Hedges": "the variance of the sites' values minus the mean of their sampling variances. Hedges & Olkin "
        "(1985).",
        "Sidik-Jonkman": "the variance between sites from the variance of their values, never 0. Sidik & Jonkman "
        "(2005).",
        "maximum likelihood": "maximum likelihood estimate of the variance between sites; biased downwards with few "
        "sites.",
        "fixed effect": "all sites are assumed to have the same true value; weights are inverse sampling variances.",
        "Q-profile average": "limits averaged over the variances between sites that are compatible with Cochran's Q, "
        "weighted by their confidence distribution; for a new site as in Nagashima, Noma & Furukawa (2019). "
        "Simulated: verification/sites.",
        "Hartung-Knapp": "limits of a mean over sites by Student's t, with a standard error from the weighted "
        "variance of the sites. Hartung & Knapp (2001).",
        "at least z's error": "the Hartung-Knapp standard error, not smaller than that of the weights alone.",
        "Cochran's Q": "weighted sum of squared deviations of the sites from their mean: large if sites differ. "
        "Cochran (1954).",
        "tau2": "the variance of the sites' true values, on the scale on which they are averaged.",
        "tau": "the standard deviation of the sites' true values, on that scale.",
        "I2": "the share of the variation between sites that is not sampling error. Higgins & Thompson (2002).",
        "H2": "the variation between sites relative to that expected from sampling error alone.",
        "mean of sites": "the mean of the true values of sites like these; on the logit scale, the value of a typical "
        "site.",
        "a new site": "the range of the true value of a new site.",
        "prediction": "prediction interval: limits for a new site, not for the mean.",
        "t of k - 2": "limits by Student's t with k - 2 degrees of freedom for k sites. Higgins et al. (2009).",
        "forest plot": "the value and interval of every site, with dots sized by weight, and the overall mean as a "
        "diamond.",
        "Egger": "whether less precise sites have other values than precise ones. Egger et al. (1997).",
        "plain": "the original scale of the values.",
    }
)


OF_STREAMS: Mapping[str, str] = MappingProxyType(
    {
        "prequential": "every event is predicted before its true label is available. Dawid (1984); Gama et al. (2013).",
        "kappa temporal": "improvement over predicting the previous true label: 0 is no better, 1 is perfect. "
        "Zliobaite et al. (2015).",
        "kappa M": "improvement over predicting the most frequent class so far. Bifet et al. (2015).",
        "cumulative": "all events since the start of the stream, equally weighted.",
        "sliding": "the most recent events, by number or by seconds.",
        "tumbling": "consecutive blocks of events, by number or by seconds.",
        "fading": "the weight of each event is a fixed factor times that of the next one. Gama et al. (2013).",
        "long-run variance": "the variance of an event plus twice its covariances with later events: the variance of "
        "a mean of dependent events. Andrews (1991).",
        "block bootstrap": "resamples blocks of consecutive events, which preserves their dependence. Kunsch (1989).",
        "one look": "limits valid at a single time point chosen in advance, not for repeated looks.",
        "at every look": "anytime-valid: the limits hold simultaneously at all times, for any number of looks.",
        "betting": "limits that contain the means not rejected by betting. Waudby-Smith & Ramdas (2024).",
        "asymptotic": "limits of a mean by a normal mixture, valid after about 100 events. Waudby-Smith et al. (2024).",
        "empirical Bernstein": "limits of a bounded mean by its variance so far. Waudby-Smith & Ramdas (2024).",
        "Hoeffding": "limits of a bounded mean for any variance. Hoeffding (1963).",
        "ADWIN": "drops the older part of a window if its mean differs from that of the newer part. Bifet & Gavalda "
        "(2007).",
        "DDM": "reports a change when the error rate is three standard deviations above its minimum. Gama et al. "
        "(2004).",
        "EDDM": "reports a change when the distance between errors decreases. Baena-Garcia et al. (2006).",
        "Page-Hinkley": "reports a change when the cumulative deviation of the error from its mean is too large. Page "
        "(1954).",
        "HDDM-A": "compares the mean error before and after each time by Hoeffding's bound. Frias-Blanco et al. "
        "(2015).",
        "HDDM-W": "HDDM with exponentially weighted means. Frias-Blanco et al. (2015).",
    }
)


# What each interval method does, in words that go on after its name.
INTERVALS: Mapping[str, str] = MappingProxyType(
    {
        "Wilson": "inverts the score test of a proportion. Wilson (1927).",
        "Wilson, Jaccard": "Wilson's interval for TP / (TP + FP + FN), transformed to F1.",
        "Wilson, accuracy": "Wilson's interval for the accuracy, transformed to a measure that depends on it alone.",
        "Wilson on data sets, or influence where wider": "the wider of Wilson's interval with every data set as one "
        "case and of the influence-function interval over data sets.",
        "Clopper-Pearson": "inverts the exact binomial test. Clopper & Pearson (1934).",
        "Agresti-Coull": "Wald's interval about the centre of Wilson's. Agresti & Coull (1998).",
        "plus four": "Wald's interval after adding two successes and two failures. Agresti & Coull (1998).",
        "Blaker": "inverts an exact test that is less conservative than Clopper and Pearson's. Blaker (2000).",
        "Jeffreys": "equal-tailed posterior interval with Jeffreys' prior.",
        "Jeffreys over the threshold's positions": "Jeffreys' interval, averaged over the sampling distribution of "
        "the threshold.",
        "Wald": "the estimate plus or minus normal quantiles of its standard error.",
        "mid-p": "inverts the exact test with half the probability of the observed outcome.",
        "DeLong, logit": "DeLong's variance of the area, on the logit scale. DeLong et al. (1988).",
        "DeLong": "DeLong's variance of the area. DeLong et al. (1988).",
        "Newcombe 5": "method 5 for areas from small classes or at 0 or 1. Newcombe (2006).",
        "DeLong, small-sample adjusted": "DeLong's after a case of each class at either end of the scores. Agresti & "
        "Caffo (2000).",
        "influence function, small-sample adjusted": "the wider of the influence function's interval and one with one "
        "more error in each class than observed; where no label enters, with one more case at either end of the range.",
        "influence function, pseudo-cases": "the interval with one more error in each class than observed.",
        "with Newcombe 5": "the wider of this and Newcombe's method 5, where few cases are ranked wrongly.",
        "Hanley-McNeil": "the variance of an area from its value and the class sizes alone. Hanley & McNeil (1982).",
        "LeDell": "the variance of an area averaged over folds, with n - 1. LeDell et al. (2015).",
        "Obuchowski": "for clustered rows, DeLong's variance of the area between clusters, Obuchowski (1997); for "
        "other rows, on request, the variance of the area of normal scores, Obuchowski & McClish (1997).",
        "normal": "the value plus or minus normal quantiles of its standard error.",
        "between clusters": "with the standard error that the clusters tell.",
        "stratified": "every sample that is drawn has as many cases of each class.",
        "draws": "how many samples were drawn.",
        "influence function": "the spread of each case's influence on the value, with Student's t.",
        "influence function, logit": "the spread of each case's influence on the value, taken on the logit scale.",
        "influence function, log": "the spread of each case's influence on the value, taken on the log scale.",
        "influence function, skewness-corrected": "limits of weighted cases, corrected for the skewness of the "
        "influence values. Hall (1992).",
        "cluster-robust": "the spread of each cluster's influence on the value, its rows taken together; its limits "
        "also allow for a cluster larger than any in the sample, as hard as the trend over the sizes predicts.",
        "Dirichlet": "the middle of the posterior of the cell probabilities, a mass of 2 spread over the cells "
        "beforehand.",
        "MOVER": "limits of a combination recovered from those of its parts. Donner & Zou (2012).",
        "Miettinen-Nurminen": "inverts the score test of two proportions. Miettinen & Nurminen (1985).",
        "Fieller": "limits of a ratio from those of a linear combination, without a standard error of the ratio. "
        "Fieller (1954).",
        "Mercaldo": "a predictive value at another prevalence, on the logit scale. Mercaldo et al. (2007).",
        "Fleiss-Cohen-Everitt": "the large-sample variance of weighted kappa. Fleiss, Cohen & Everitt (1969).",
        "Gwet": "the large-sample variance of agreement corrected for chance, the raters fixed. Gwet (2008).",
        "DeLong, logit or small-sample adjusted": "the wider of DeLong's interval on the logit scale and the "
        "small-sample adjusted one. Agresti & Caffo (2000).",
        "influence function, plus four or logit": "the wider of the influence function's interval on the "
        "logit scale and one after each class got a case at the highest score and one at the lowest.",
        "influence function, plus four": "the spread of each case's influence on the value, after each class got a "
        "case at the highest score and one at the lowest.",
        "paired DeLong, with MOVER": "the wider of DeLong's interval of the difference, with Satterthwaite's t, and "
        "MOVER limits from the intervals of both AUCs. Zou (2007).",
        "Simel": "a standard error on the log scale. Simel et al. (1991).",
        "Woolf": "a standard error on the log scale. Woolf (1955).",
        "sandwich, small-sample adjusted": "the wider of the sandwich's interval and one after two pseudo-cases, the "
        "usual positive and the usual negative with labels turned.",
        "sandwich": "a standard error that does not need the fitted line to be right. White (1982).",
        "not shown to be worse": "all thresholds whose difference from the best one stays within its standard errors, "
        "one pseudo-case of each class added.",
        "cross-fitted": "between what the best rule is worth on the cases that chose it and what rules chosen on nine "
        "tenths of them are worth on the tenth, each with its standard errors.",
        "likelihood balls": "all points that some point of the ROC curve makes likely enough, by the binomial "
        "likelihoods of both rates; its level is simulated. After Berk & Jones (1979) and Owen (1995).",
        "isotonic": "of isotonic regression; its null distribution is simulated, so it has a test and no interval.",
        "binormal, robust": "the larger of the information and the influence-function standard errors, on the "
        "normal-deviate scale, with Student's t. Dorfman & Alf (1969); Huber (1967).",
        "binormal, probit": "the information of the likelihood, on the normal-deviate scale. Dorfman & Alf (1969).",
        "binormal, Wald": "the information of the likelihood, symmetric about the estimate.",
        "binormal": "the information of the likelihood of two normal classes. Metz, Herman & Shen (1998).",
        "Working-Hotelling": "all lines of the normal deviates that the likelihood allows. Ma & Hall (1993).",
        "bootstrap percentile, stratified": "the middle of what cases redrawn within each class give.",
        "components": "the spread of each class's components of the volume, or of the mean area.",
        "components, small-sample adjusted": "the spread of each class's components, after each class got a case at "
        "the highest score and one at the lowest.",
        "components, logit or small-sample adjusted": "the wider of the components' interval on the logit scale and of "
        "the small-sample adjusted one.",
        "shared cases": "on the cases that both have answered.",
        "partially paired": "each model by the cases it has, those that two share tying them together. Metz, Herman & "
        "Roe (1998).",
        "bootstrap": "the distribution over samples drawn with replacement from these cases.",
        "spline": "a restricted cubic spline of the logit of the score.",
        "Bayle": "the variance of the losses of cases over folds. Bayle et al. (2020).",
        "pooled folds": "all cases of all folds, each predicted by the model not fitted to it.",
        "nested cross-validation": "the error of cross-validation, estimated by inner folds. Bates et al. (2023).",
        "BBC-CV": "cross-validated predictions resampled, with the best model selected again in each sample. "
        "Tsamardinos et al. (2018).",
        "pairs left out": "leave-pair-out: every pair of a positive and a negative is left out once. Airola et al. "
        "(2011).",
        "Nadeau-Bengio corrected t": "the variance over splits, corrected for shared training cases, at least as "
        "large as the variance of the losses implies. Nadeau & Bengio (2003); Bouckaert & Frank (2004).",
        "corrected resampled t": "Student's t of the differences over splits, corrected for shared training cases. "
        "Nadeau & Bengio (2003); Bouckaert & Frank (2004).",
    }
)
# What each test of a difference does, likewise.
OF_DIFFERENCES: Mapping[str, str] = MappingProxyType(
    {
        "paired DeLong": "DeLong's covariance of two areas on the same cases. DeLong et al. (1988).",
        "partially paired DeLong": "DeLong's covariance if some cases have only one of the scores.",
        "with MOVER": "widened to MOVER limits from the intervals of both parts, if there is little variation. Zou "
        "(2007).",
        "unpaired DeLong": "the sum of DeLong's variances of two areas on independent samples. DeLong et al. (1988).",
        "Tango": "inverts the score test of two paired proportions. Tango (1998).",
        "score test": "compares the observed difference with its distribution under no difference.",
        "paired t": "the mean of the per-case differences, with Student's t.",
        "paired influence": "the variance of the per-case differences of influence values.",
        "paired Dirichlet": "equal-tailed posterior interval of the joint cell probabilities.",
        "paired bootstrap, percentile": "resamples cases, keeping the predictions of both classifiers paired.",
        "paired bootstrap, normal": "the paired bootstrap standard deviation with normal quantiles, as in pROC.",
        "unpaired bootstrap": "resamples the cases of both samples independently.",
        "paired normal": "the variance of the per-case differences of influence values, with normal quantiles.",
        "paired Obuchowski": "the covariance of two areas of normal scores. Obuchowski & McClish (1997).",
        "unpaired Obuchowski": "the sum of the variances of two areas of normal scores. Obuchowski & McClish (1997).",
        "unpaired Hanley-McNeil": "the sum of the variances of two areas from their values. Hanley & McNeil (1982).",
        "r by formula": "the correlation of two areas from that of normal scores.",
        "r from the table": "the correlation of two areas as printed by Hanley & McNeil (1983).",
        "outside the table": "the printed table has no entry for these values.",
        "Newcombe 10": "from Wilson's limits of both proportions. Newcombe (1998).",
        "paired Newcombe 10": "from Wilson's limits of both proportions and their correlation. Newcombe (1998).",
        "Newcombe": "from Wilson's limits of both proportions, on independent samples. Newcombe (1998).",
        "Agresti-Caffo": "Wald's interval after adding a success and a failure to both samples. Agresti & Caffo "
        "(2000).",
        "paired Bonett-Price": "Wald's interval after adding a discordant case of either kind. Bonett & Price (2012).",
        "paired Agresti-Min": "Wald's interval after adding half a case to every entry. Agresti & Min (2005).",
        "paired Wald": "the difference plus or minus normal quantiles of its standard error.",
        "paired Tango": "inverts the score test of two paired proportions. Tango (1998).",
        "McNemar": "tests whether the two kinds of discordant cases are equally frequent. McNemar (1947).",
        "Cochran Q": "McNemar's test for more than two classifiers. Cochran (1950).",
        "5 x 2 cv t": "Student's t over five replications of 2-fold cross-validation. Dietterich (1998).",
        "5 x 2 cv F": "F over all ten folds of five replications of 2-fold cross-validation. Alpaydin (1999).",
    }
)
# Other tests, and how several are adjusted.
TESTS: Mapping[str, str] = MappingProxyType(
    {
        "Mann-Whitney U": "tests whether a positive outranks a negative more often than by chance.",
        "Venkatraman": "tests whether two ROC curves are equal everywhere, by permuting ranks. Venkatraman (2000).",
        "recall at fixed specificity": "difference of two recalls at the same specificity, by bootstrap samples.",
        "specificity at fixed recall": "difference of two specificities at the same recall, by bootstrap samples.",
        "calibration belt": "a polynomial of the log odds tested against calibrated probabilities, conditional on its "
        "selected degree. Nattino, Finazzi & Bertolini (2014).",
        "binormal goodness of fit": "Pearson's test of whether the counts of each rating fit two normal classes.",
        "type I error": "a significant result without a true difference; its probability is 1 minus the level.",
        "type II error": "no significant result with a true difference; its probability decreases with the number of "
        "cases.",
        "power": "the probability of a significant result for a true difference of a given size: 1 minus the type II "
        "error rate.",
        "chi-squared": "the null distribution of a sum of squares.",
        "F": "the null distribution of a ratio of variances.",
        "t": "Student's distribution, for an estimated standard error.",
        "df": "degrees of freedom: the number of independent pieces of information in a variance estimate.",
        "likelihood ratio": "twice the gain in log likelihood, compared with chi-squared.",
        "Hosmer-Lemeshow": "observed and expected counts in groups of similar scores. Hosmer & Lemeshow (1980).",
        "Spiegelhalter": "the Brier score compared with its expectation under calibration. Spiegelhalter (1986).",
        "isotonic miscalibration": "the decrease of the Brier score by isotonic recalibration, compared with its null "
        "distribution.",
        "Friedman": "tests whether mean ranks over data sets differ, with and without correction for ties. Friedman "
        "(1937); Demsar (2006).",
        "Friedman ranks, z": "the difference of two mean ranks over its standard error. Demsar (2006).",
        "Iman-Davenport": "Friedman's statistic as an F statistic, with a more accurate level. Iman & Davenport "
        "(1980).",
        "Quade": "mean ranks weighted by the range of the results on each data set. Quade (1979).",
        "Aligned ranks": "joint ranks of all results after subtracting the mean of each data set. Hodges & Lehmann "
        "(1962).",
        "Nemenyi": "mean ranks of all pairs, by the studentized range. Nemenyi (1963); Demsar (2006).",
        "Bonferroni-Dunn": "mean ranks compared with one control, by Bonferroni-adjusted normal quantiles. Dunn "
        "(1961); Demsar (2006).",
        "Wilcoxon signed-rank": "ranks the absolute differences of two algorithms over data sets; exact up to 200 "
        "data sets. Wilcoxon (1945); preferred to tests of mean ranks: Benavoli et al. (2016).",
        "Bayesian signed-rank": "posterior probabilities that the difference on data sets is above, within or below "
        "the rope; a Dirichlet process prior with half a pseudo data set of no difference. Benavoli et al. (2014, "
        "2017).",
        "Sign test": "exact binomial test on the numbers of data sets won by each.",
        "Bonferroni": "each p-value times the number of comparisons, which controls the family-wise error rate.",
        "Holm": "step-down Bonferroni procedure, smallest p-value first. Holm (1979).",
        "Hochberg": "step-up procedure with Holm's bounds, largest p-value first; needs non-negative dependence. "
        "Hochberg (1988).",
        "Hommel": "the closed test of Simes' inequality; needs non-negative dependence. Hommel (1988).",
        "Holland": "step-down procedure with Sidak's bound. Holland & Copenhaver (1987).",
        "Finner": "step-down procedure with Sidak bounds that widen with the rank. Finner (1993).",
        "Rom": "Hochberg's procedure with exact critical values for the chosen alpha. Rom (1990).",
        "Li": "a two-step procedure based on the largest p-value. Li (2008).",
        "Benjamini-Hochberg": "controls the false discovery rate. Benjamini & Hochberg (1995).",
        "Shaffer": "Holm's procedure, counting only the hypotheses that can be true simultaneously. Shaffer (1986).",
        "Bergmann-Hommel": "tests every set of pairs that can be equal simultaneously. Bergmann & Hommel (1988).",
        "max-T": "the maximum of several standardised differences, compared with its joint null distribution.",
        "not adjusted": "no adjustment: with many comparisons some are significant by chance.",
        "all pairs at once": "the p-values are simultaneous over all pairs.",
        "comparisons at once": "simultaneous intervals and p-values (single-step max-T).",
        "corrected for ties": "tied values have mean ranks, and the variance is corrected for ties.",
        "p": "the probability of a difference at least this large if there is none.",
    }
)
EFFECTS: Mapping[str, str] = MappingProxyType(
    {
        "Cliff's delta": "the share of pairs of data sets in which one is better minus the share in which it is "
        "worse. Cliff (1993); limits by Wilson (1927) with every data set as one case, or by influence values if "
        "wider.",
        "Akinshin's gamma": "the difference of medians over the pooled median absolute deviation times 1.4826, "
        "medians by Harrell & Davis (1982). Akinshin (2020).",
    }
)
# What stands after the name of a method, scales first.
QUALIFIERS: Mapping[str, str] = MappingProxyType(
    {
        "logit": "taken on the scale of log odds, so that limits stay between 0 and 1.",
        "log": "taken on the scale of logarithms, so that limits stay above 0.",
        "z": "taken on Fisher's scale, so that limits stay between -1 and 1.",
        "small-sample adjusted": "with one case or one error more in each class, so that the interval keeps its level "
        "with few cases.",
        "effective n": "the number of equal, independent cases that would say as much as these weights or clusters.",
        "Kish n": "the number of cases of equal weight that would say as much as these. Kish (1965).",
        "clusters": "rows that belong together, such as those of one patient; clusters, not rows, are independent. '77 "
        "of 199 clusters': the others have no case of what is measured, such as a positive one for a recall.",
        "widened for folds": "taken further out, because the models of folds learned from one another's test cases. "
        "Nadeau & Bengio (2003).",
        "stretched by optimism": "widened by the optimism of choosing on the same cases.",
        "chosen anew": "the choice is made again in every redrawn sample, so that choosing is paid for.",
        "bins": "scores were pooled into groups of equal size to make redrawing quick; how large is printed.",
        "continuity corrected": "widened by half a case, since counts are whole numbers.",
        "none": "there is no interval; the sentence beside it says why.",
    }
)
CALIBRATION: Mapping[str, str] = MappingProxyType(
    {
        "Observed / expected": "observed over expected number of positives; below 1 the probabilities are too high.",
        "Right / expected": "correct predictions over their expected number; below 1 the highest probabilities are "
        "too high.",
        "Calibration slope": "the slope of Cox's logistic recalibration: below 1 the probabilities are too extreme, "
        "above 1 too moderate. Cox (1958).",
        "Intercept": "the intercept of Cox's logistic recalibration: the calibrated log odds at a score of one half; "
        "0 is ideal. Cox (1958).",
        "Calibration in the large": "the shift of the logits that makes the mean probability correct; 0 is ideal.",
        "Bias": "the mean probability minus the share of positives; 0 is ideal.",
        "Miscalibration": "the decrease of the Brier score by isotonic recalibration; above 0 by chance alone.",
        "ECE": "expected calibration error: the mean distance between mean score and share of positives over groups; "
        "above 0 by chance alone.",
        "ICI": "the mean distance of a smooth calibration curve from the diagonal. Austin & Steyerberg (2019).",
        "Skill": "the relative decrease of the loss from that of the class shares: 0 is no better than the class "
        "shares, below 0 worse.",
        "over-confident": "probabilities closer to 0 and 1 than the observed shares.",
        "under-confident": "probabilities closer to the middle than the observed shares.",
        "Calibration": "whether the observed share of positives matches the predicted probability.",
        "Baseline": "the value of a classifier that uses no feature.",
        "Random": "the value of random predictions or random scores.",
    }
)
VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "better": "the whole interval of the difference lies on one side of 0, and beyond the margin if there is one.",
        "better, perhaps by less than the margin": "the interval of the difference excludes 0 but not the margin.",
        "practically the same": "the whole interval of the difference lies within the margin.",
        "not worse by more than the margin": "the one-sided limit of the difference lies within the margin.",
        "cannot tell": "inconclusive: the interval of the difference contains 0 and exceeds the margin; this does not "
        "mean 'equal'.",
        "pass": "the whole interval satisfies the requirement.",
        "fail": "none of the interval satisfies the requirement.",
        "inconclusive": "part of the interval satisfies the requirement, part does not.",
        "unjudged": "not evaluated: the measure is undefined or has no interval.",
    }
)
# The words of Assay itself: what each is, and what it is not called.
WORDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "case": (
            "one classified object; a row of a table is a case, or with `count` several equal cases",
            "instance, sample, example",
        ),
        "truth": (
            "the true label of a case (`y_true`, `truth`)",
            "actual, gold, target",
        ),
        "class": (
            "a category of cases; of two classes, higher scores mean the positive one (`positive`)",
            "category, level",
        ),
        "score": (
            "a number that is higher for more likely positives; a probability if in [0, 1] (`y_score`, `score`)",
            "confidence",
        ),
        "label, decision": (
            "the predicted class of a case: a given label, or the result of a threshold or of the highest score",
            "prediction for one of them alone",
        ),
        "threshold": (
            "cases with at least this score are predicted positive (`ev.threshold_used`); best one: `ev.threshold()`",
            "cutoff, cut point, operating point",
        ),
        "predictions": (
            "true labels with scores, probabilities or predicted labels, validated (`Predictions`)",
            "results",
        ),
        "evidence": (
            "a summary of the predictions, without rows: a confusion matrix, a table of scores or of their bins",
            "statistics",
        ),
        "matrix": (
            "the confusion matrix: true labels in rows, predicted labels in columns",
            "contingency table",
        ),
        "model": (
            "one classifier's predictions in a source; the column that names them",
            "system, run",
        ),
        "learner": (
            "a learning algorithm with its settings; algorithms are ranked, learners are run",
            "estimator, inducer",
        ),
        "measure": (
            "a performance measure: its formula, range, intervals and references (`Measure`)",
            "metric, statistic",
        ),
        "estimate": (
            "a measure's value with its interval, level, method and number of cases",
            "result",
        ),
        "level": (
            "the nominal coverage of an interval, such as 0.95",
            "confidence; alpha is 1 - level, for tests only",
        ),
        "method": (
            "the method of an interval or a test",
            "type, kind",
        ),
        "weight, count, cluster, fold, by": (
            "roles of rows: sampling weights, equal cases, dependent rows, rows of one fitted model, subgroups",
            "sample weight, group",
        ),
        "difference": (
            "the value of the first minus that of the second, with its interval and p-value",
            "delta (the word used in gates)",
        ),
        "gap": (
            "the value in one subgroup minus that of all other cases, with a simultaneous interval over all subgroups",
            "disparity, bias",
        ),
        "margin": (
            "the largest difference without practical relevance",
            "tolerance",
        ),
        "verdict": (
            "the result of comparing two classifiers: better, practically the same, inconclusive",
            "conclusion",
        ),
        "caution": (
            "a possible problem of an evaluation, with a code",
            "warning (Python's own), alert",
        ),
        "requirement, gate": (
            "a condition on a measure, and the models it is checked for",
            "rule, check",
        ),
        "study, run, cell": (
            "learners on data sets by one plan; a run (cell) is one learner on one split of one data set",
            "experiment for the study itself, job",
        ),
        "request, option": (
            "the options of an evaluation, and each of them",
            "parameter, setting",
        ),
        "block, section, page": (
            "an element of the output, a part of the page made of blocks, the HTML file",
            "component, panel, report for the file alone",
        ),
    }
)
# Other spellings of the same, as screens have them.
ALSO: Mapping[str, str] = MappingProxyType(
    {
        "LeDell, n - 1, logit": "LeDell",
        "spread about the mean": "Bayle",
        "spread within folds": "Bayle",
        "Cox slope": "Calibration slope",
        "Cox intercept": "Intercept",
        "slope": "Calibration slope",
        "calibration intercept": "Intercept",
        "in the large": "Calibration in the large",
        "miscalibration (Brier)": "Miscalibration",
        "expected calibration error": "ECE",
        "classwise_ece": "ECE",
        "top_label_ece": "ECE",
        "integrated calibration index": "ICI",
        "brier test": "Spiegelhalter",
        "chi-square": "chi-squared",
        "degrees of freedom": "df",
        **_ALSO_OF_COURSES,
        **METHODS,
        "with plus four": "small-sample adjusted",
        "with pseudo-errors": "small-sample adjusted",
        "Quade, z": "Quade",
        "aligned ranks, z": "Aligned ranks",
        "degree of freedom": "df",
        "and df": "df",
        "cluster": "clusters",
        "of clusters": "clusters",
        "Bonferroni over comparisons": "Bonferroni",
        "p-value": "p",
        "bins of at most": "bins",
        "p if calibrated": "p",
        "anytime-valid": "at every look",
        "one time point": "one look",
        "true label": "truth",
        "predicted label": "label, decision",
    }
)
# Every list under what its words are.
KINDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "interval method": INTERVALS,
        "test of a difference": OF_DIFFERENCES,
        "test": TESTS,
        "effect size": EFFECTS,
        "part of a method's name": QUALIFIERS,
        "calibration": CALIBRATION,
        "verdict": VERDICTS,
        "of streams": OF_STREAMS,
        "of sites": OF_SITES,
        "of curves and studies": OF_COURSES,
        "word": {name: f"{meaning}. Also known as: {other}." for name, (meaning, other) in WORDS.items()},
    }
)


@dataclass(frozen=True)
class Word:
    """A word that is no measure and no caution: what kind of thing it names, and what that is.

    >>> print(find_words("wilson")[0])
    Wilson (interval method): inverts the score test of a proportion. Wilson (1927).
    """

    name: str
    kind: str
    meaning: str

    def __str__(self) -> str:
        return f"{self.name} ({self.kind}): {self.meaning}"


def find_words(text: str) -> list[Word]:
    """Return the word that a text is, or those that its parts are; none where a part is unknown."""
    whole = _find_word(text)
    return (
        [whole]
        if whole
        else _words_of_parts([part.strip() for part in re.split(r"[,;()]|\bor\b", text) if part.strip()])
    )


def meaning(text: str) -> str:
    """Return what a word means; of a name made of several, what each of them means.

    >>> meaning("quade, z")
    'mean ranks weighted by the range of the results on each data set. Quade (1979).'
    """
    return " ".join(word.meaning for word in find_words(text))


def _words_of_parts(parts: list[str]) -> list[Word]:
    """Words for all parts, as many of them taken together as make one; none where a part is unknown."""
    found: list[Word] = []
    while parts:
        for end in range(len(parts), 0, -1):
            one = _find_word(", ".join(parts[:end]))
            if one is not None:
                break
        else:
            return []
        found, parts = [*found, one], parts[end:]
    return list(dict.fromkeys(found))


def _find_word(text: str) -> Word | None:
    spellings = word_key(text), without_numbers(text), word_key(current_title(text))
    return next((words_by_key()[each] for each in spellings if each in words_by_key()), None)


@cache
def words_by_key() -> dict[str, Word]:
    """Return every word by its spellings in lower case."""
    words = {word_key(name): Word(name, kind, text) for kind, each in KINDS.items() for name, text in each.items()}
    for word in list(words.values()):
        if word.kind == "word":
            words |= {word_key(part): word for part in word.name.split(", ") if word_key(part) not in words}
    return {**{word_key(name): words[word_key(of)] for name, of in ALSO.items()}, **words}


def word_key(text: str) -> str:
    """Return a text as words are looked up: in lower case, with single blanks."""
    return " ".join(re.sub(r"[\s_-]+", " ", text.lower()).split())


def without_numbers(text: str) -> str:
    """Return the key of a text without the numbers in it, which differ from one answer to the next."""
    return word_key(re.sub(r"\d[\d.,]*", "", text))
