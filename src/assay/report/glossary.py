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
        "discrimination": "how well scores put positives above negatives, whatever the scores mean; the ROC AUC "
        "measures it. Some call it resolution.",
        "training part": "the cases a learner is fitted to; what it says of them is no performance.",
        "validation part": "the cases on which settings, the moment to stop and the best of several are chosen.",
        "test part": "the cases opened last, for the one that was chosen.",
        "hold-out": "cases set aside before fitting, to test on or to choose on.",
        "optimism": "by how much a figure looks better on the cases learned from, or chosen on, than on others.",
        "overfitting": "learning what is an accident of the cases learned from; optimism shows it.",
        "resubstitution": "testing on the cases learned from.",
        "cross-validation": "each part of the cases is predicted by a model of all the others.",
        "leave-one-out": "cross-validation with as many parts as cases.",
        "bagging": "many models of bootstrap samples, which vote; the share of votes is a score. Breiman (1996).",
        "boosting": "models one after another, each looking more at what the last ones had wrong. Freund & Schapire "
        "(1997).",
        "dummy": "the learner that looks at no feature: it stands in every table, and is in no test.",
        "ROC curve": "recall against the false-positive rate as the threshold falls.",
        "ROC surface": "what the ROC curve is for three classes in order; the volume under it is 1/6 by chance.",
        "convex hull": "the ROC points that are best for some costs; between two of them a random mixture is.",
        "dominance": "one ROC curve is nowhere below the other.",
        "concordant pair": "a positive and a negative of which the positive has the higher score.",
        "cost curve": "the least expected cost for every mix of costs and classes. Drummond & Holte (2006).",
        "cost weights": "which costs an AUC averages over, which differ from classifier to classifier, beside those of "
        "the H measure. Hand (2009).",
        "risk chart": "what the cases with the highest scores hold: positives, and money. Williams (2011).",
        "caseload": "the share of the cases that are looked at, the highest scores first.",
        "strike rate": "the share of positives among the cases looked at: precision.",
        "reject curve": "accuracy of the rest when the least sure cases are handed on.",
        "influence of cases and donors, pseudo-cases": "limits of a permutation importance: the spread over the cases "
        "that were given another value and over those that gave it, a few that change by one added.",
        "not used": "the model does not look at the column, so that its importance is 0 exactly.",
        "learning curve": "how a figure changes with the number of cases learned from.",
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
        "likely as Q says; for a new site as Nagashima, Noma & Furukawa (2019) do. Simulated: verification/sites.",
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


# What each interval method does, in words that go on after its name.
INTERVALS: Mapping[str, str] = MappingProxyType(
    {
        "Wilson": "inverts the score test of a proportion. Wilson (1927).",
        "Wilson, Jaccard": "Wilson's interval for hits among hits and errors, carried over to F.",
        "Wilson, accuracy": "Wilson's interval for the accuracy, carried over to the measure that it fixes.",
        "Wilson on data sets, or influence where wider": "the wider of Wilson's interval of a share in which every "
        "data set has one vote, and of the spread of the data sets' influence on the value.",
        "Clopper-Pearson": "inverts the exact binomial test. Clopper & Pearson (1934).",
        "Agresti-Coull": "Wald's interval about the middle of Wilson's. Agresti & Coull (1998).",
        "plus four": "Wald's interval after adding two hits and two misses. Agresti & Coull (1998).",
        "Blaker": "inverts an exact test that is less timid than Clopper and Pearson's. Blaker (2000).",
        "Jeffreys": "the middle of the posterior from Jeffreys' prior.",
        "Jeffreys over the threshold's positions": "Jeffreys' interval, averaged over where the threshold may lie.",
        "Wald": "the estimate plus or minus normal quantiles of its standard error.",
        "mid-p": "inverts the exact test with half the probability of what was seen.",
        "DeLong, logit": "DeLong's variance of the area, taken on the logit scale. DeLong et al. (1988).",
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
        "Obuchowski": "where rows come in clusters DeLong's variance of the area between them, Obuchowski (1997); by "
        "name elsewhere the variance of the area of normal scores, Obuchowski & McClish (1997).",
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
        "Fieller": "limits of a ratio from those of a sum, which need no standard error of the ratio. Fieller (1954).",
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
        "limits recovered from those of either AUC. Zou (2007).",
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
        "isotonic": "of the isotonic line; what it comes to by chance alone is simulated, so that it has a test and no "
        "interval.",
        "binormal, robust": "the larger of the errors by the information of the likelihood and by the spread of each "
        "case's influence, on the normal-deviate scale, with Student's t. Dorfman & Alf (1969); Huber (1967).",
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
        "bootstrap": "the spread over samples redrawn from these cases.",
        "spline": "a restricted cubic spline of the logit of the score.",
        "Bayle": "the spread of the cases' losses over folds. Bayle et al. (2020).",
        "pooled folds": "all cases of all folds, each judged by the model that did not see it.",
        "nested cross-validation": "the error of cross-validation, from folds within folds. Bates et al. (2023).",
        "BBC-CV": "cross-validated answers redrawn, the winner picked anew each time. Tsamardinos et al. (2018).",
        "pairs left out": "every pair of a positive and a negative left out once. Airola et al. (2011).",
        "Nadeau-Bengio corrected t": "the spread over splits, widened for the training cases they share, and no less "
        "than the cases' own losses give. Nadeau & Bengio (2003); Bouckaert & Frank (2004).",
        "corrected resampled t": "Student's t of the differences over splits, widened for the training cases they "
        "share. Nadeau & Bengio (2003); Bouckaert & Frank (2004).",
    }
)
# What each test of a difference does, likewise.
OF_DIFFERENCES: Mapping[str, str] = MappingProxyType(
    {
        "paired DeLong": "DeLong's covariance of two areas on the same cases. DeLong et al. (1988).",
        "partially paired DeLong": "the same where not all cases have both scores.",
        "with MOVER": "widened to limits recovered from those of either part, where little varies. Zou (2007).",
        "unpaired DeLong": "DeLong's variances of two areas on other cases, added. DeLong et al. (1988).",
        "Tango": "inverts the score test of two paired proportions. Tango (1998).",
        "score test": "holds what was seen against what it would be, were there no difference.",
        "paired t": "the mean of the differences, case by case, with Student's t.",
        "paired influence": "the spread of the difference of each case's influence on the two values.",
        "paired Dirichlet": "the middle of the posterior of the joint cell probabilities.",
        "paired bootstrap, percentile": "redraws cases, both classifiers together.",
        "paired bootstrap, normal": "the same, of which only the standard deviation is taken, as pROC does.",
        "unpaired bootstrap": "redraws the cases of either sample by themselves.",
        "paired normal": "the spread of the difference of each case's influence, with the normal distribution.",
        "paired Obuchowski": "the covariance of two areas of normal scores. Obuchowski & McClish (1997).",
        "unpaired Obuchowski": "the variances of two areas of normal scores, added. Obuchowski & McClish (1997).",
        "unpaired Hanley-McNeil": "the variances of two areas from their values, added. Hanley & McNeil (1982).",
        "r by formula": "the correlation of two areas from that of the scores, for normal ones.",
        "r from the table": "the correlation of two areas as printed by Hanley & McNeil (1983).",
        "outside the table": "there the printed table has no entry.",
        "Newcombe 10": "from Wilson's limits of either proportion. Newcombe (1998).",
        "paired Newcombe 10": "from Wilson's limits of either proportion, and their correlation. Newcombe (1998).",
        "Newcombe": "from Wilson's limits of either proportion, on other cases. Newcombe (1998).",
        "Agresti-Caffo": "Wald's after a success and a failure more in either sample. Agresti & Caffo (2000).",
        "paired Bonett-Price": "Wald's after a case more of either kind that tells apart. Bonett & Price (2012).",
        "paired Agresti-Min": "Wald's after half a case more in every cell. Agresti & Min (2005).",
        "paired Wald": "the difference plus or minus normal quantiles of its standard error.",
        "paired Tango": "inverts the score test of two paired proportions. Tango (1998).",
        "McNemar": "holds the cases that only one got right against a fair coin. McNemar (1947).",
        "Cochran Q": "McNemar's test for more than two classifiers. Cochran (1950).",
        "5 x 2 cv t": "Student's t over five halvings of the data. Dietterich (1998).",
        "5 x 2 cv F": "an F over all ten folds of five halvings. Alpaydin (1999).",
    }
)
# Other tests, and how several are adjusted.
TESTS: Mapping[str, str] = MappingProxyType(
    {
        "Mann-Whitney U": "how often a positive outranks a negative, were the classes alike.",
        "Venkatraman": "whether two ROC curves are the same everywhere, ranks exchanged at random. Venkatraman (2000).",
        "recall at fixed specificity": "two recalls where both keep one specificity, by bootstrap samples.",
        "specificity at fixed recall": "two specificities where both keep one recall, by bootstrap samples.",
        "calibration belt": "a polynomial of the log odds against right probabilities, given the degree that was "
        "chosen. Nattino, Finazzi & Bertolini (2014).",
        "binormal goodness of fit": "Pearson's: whether two normal classes made the counts of every rating.",
        "type I error": "calling a difference where there is none: as often as 1 less the level.",
        "type II error": "missing a difference that is there: the rarer, the more cases there are.",
        "power": "how often a true difference of that size would be called: 1 less the type II error.",
        "chi-squared": "the distribution of a sum of squares that the statistic is held against.",
        "F": "the distribution of a ratio of variances that the statistic is held against.",
        "t": "Student's distribution, for a standard error that is itself estimated.",
        "df": "degrees of freedom: how many independent pieces of information a spread rests on.",
        "likelihood ratio": "twice the gain in log likelihood, held against chi-squared.",
        "Hosmer-Lemeshow": "observed against expected in groups of cases of like scores. Hosmer & Lemeshow (1980).",
        "Spiegelhalter": "the Brier score against what the probabilities promise for it. Spiegelhalter (1986).",
        "isotonic miscalibration": "what recalibration would take off the Brier score, against chance.",
        "Friedman": "whether mean ranks over data sets differ more than by chance, with and without correction for "
        "ties. Friedman (1937); Demsar (2006).",
        "Friedman ranks, z": "the difference of two mean ranks over its standard error. Demsar (2006).",
        "Iman-Davenport": "Friedman's statistic as an F, which keeps its level better. Iman & Davenport (1980).",
        "Quade": "mean ranks in which data sets weigh the more, the further apart the algorithms are on them. Quade "
        "(1979).",
        "Aligned ranks": "ranks of all results together, each data set's mean taken off. Hodges & Lehmann (1962).",
        "Nemenyi": "mean ranks of all pairs, by the studentized range. Nemenyi (1963); Demsar (2006).",
        "Bonferroni-Dunn": "mean ranks beside that of one control, by normal quantiles adjusted for all of them. "
        "Dunn (1961); Demsar (2006).",
        "Wilcoxon signed-rank": "ranks the sizes of the differences of two algorithms over data sets; exact up to 200 "
        "of them. Wilcoxon (1945); Benavoli et al. (2016) on why it is to be preferred to tests of mean ranks.",
        "Bayesian signed-rank": "how likely it is that the mean of two data sets' differences lies mostly above the "
        "rope, in it or below it; a Dirichlet process over differences, with no difference as half a data set of "
        "prior. Benavoli et al. (2014, 2017).",
        "Sign test": "on how many data sets either is ahead, against a fair coin; exact binomial.",
        "Bonferroni": "each p-value times the number of comparisons, so that all of them hold together.",
        "Holm": "Bonferroni's bound step by step, the smallest p-value first. Holm (1979).",
        "Hochberg": "Holm's steps from the largest p-value down; needs comparisons that do not work against one "
        "another. Hochberg (1988).",
        "Hommel": "the closed test of Simes' inequality; the same need as Hochberg's. Hommel (1988).",
        "Holland": "Holm's steps with Sidak's bound. Holland & Copenhaver (1987).",
        "Finner": "steps by Sidak's bound that widen with the rank. Finner (1993).",
        "Rom": "Hochberg's steps with exact factors, for this alpha alone. Rom (1990).",
        "Li": "two steps, the second by the largest p-value. Li (2008).",
        "Benjamini-Hochberg": "bounds the share of false ones among differences. Benjamini & Hochberg (1995).",
        "Shaffer": "Holm's steps, counting only the differences that can still all be absent. Shaffer (1986).",
        "Bergmann-Hommel": "every set of pairs that can be equal together. Bergmann & Hommel (1988).",
        "max-T": "the largest of several standardised differences, held against its own distribution.",
        "not adjusted": "among many comparisons some pass by chance.",
        "all pairs at once": "the p-values hold for all pairs at once.",
        "comparisons at once": "all their intervals and p-values hold together (single-step max-T).",
        "corrected for ties": "equal values share their ranks, and the spread is counted as it then is.",
        "p": "how often a difference at least as large would come up, were there none.",
    }
)
EFFECTS: Mapping[str, str] = MappingProxyType(
    {
        "Cliff's delta": "pairs of data sets in which one is ahead less those in which it is behind, over all pairs. "
        "Cliff (1993); limits by Wilson (1927) with every data set as one case, or by its influence where wider.",
        "Akinshin's gamma": "the difference of medians over the pooled median absolute deviation times 1.4826, medians "
        "by Harrell & Davis (1982). Akinshin (2020).",
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
        "stretched by optimism": "widened by what choosing on these very cases makes them look better.",
        "chosen anew": "the choice is made again in every redrawn sample, so that choosing is paid for.",
        "bins": "scores were pooled into groups of equal size to make redrawing quick; how large is printed.",
        "continuity corrected": "widened by half a case, since counts are whole numbers.",
        "none": "there is no interval; the sentence beside it says why.",
    }
)
CALIBRATION: Mapping[str, str] = MappingProxyType(
    {
        "Observed / expected": "observed positives for each expected one; below 1 the probabilities are too high.",
        "Right / expected": "right predictions for each expected one; below 1 the highest probabilities are too high.",
        "Calibration slope": "of Cox's line through the logits: below 1 the probabilities are too extreme, above 1 too "
        "moderate. "
        "Cox (1958).",
        "Intercept": "of Cox's line through the logits: what is left at a score of one half; 0 is right. Cox (1958).",
        "Calibration in the large": "how far the logits lie too low on average; 0 is right.",
        "Bias": "the mean probability less the share of positives; 0 is right.",
        "Miscalibration": "what isotonic recalibration would take off the Brier score; above 0 by chance alone.",
        "ECE": "the mean distance of groups' mean scores from their shares of positives; above 0 by chance alone.",
        "ICI": "the mean distance of a smooth calibration curve from the diagonal. Austin & Steyerberg (2019).",
        "Skill": "the share of a constant answer's loss that is saved; 0 is no better than always saying the shares, "
        "below 0 worse.",
        "over-confident": "probabilities nearer to 0 and 1 than what happens.",
        "under-confident": "probabilities nearer to the middle than what happens.",
        "Calibration": "whether what is given a probability happens that often.",
        "Baseline": "what an answer that looks at no case would score.",
        "Random": "the baseline of answers drawn at random, or of scores without order.",
    }
)
VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "better": "the whole interval of the difference lies on one side of 0, and of the margin where there is one.",
        "better, perhaps by less than the margin": "0 lies outside the interval of the difference, the margin inside.",
        "practically the same": "the whole interval of the difference lies within the margin.",
        "not worse by more than the margin": "the one-sided limit of the difference lies within the margin.",
        "cannot tell": "the interval of the difference holds 0, and more than the margin; it is not 'equal'.",
        "pass": "the whole interval satisfies the requirement.",
        "fail": "none of the interval satisfies the requirement.",
        "inconclusive": "part of the interval satisfies the requirement, part does not.",
        "unjudged": "the requirement cannot be judged: the measure is undefined there, or has no interval.",
    }
)
# The words of Assay itself: what each is, and what it is not called.
WORDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "case": (
            "one thing that was classified; a row of a table is a case, or with `count` several equal ones",
            "instance, sample, example",
        ),
        "truth": (
            "the class a case really has (`y_true`, `truth`)",
            "actual, gold, target",
        ),
        "class": (
            "what a case can be; of two, the positive one is what scores point to (`positive`)",
            "category, level",
        ),
        "score": (
            "how strongly a case was taken for the positive class; a probability if in [0, 1] (`y_score`, `score`)",
            "confidence",
        ),
        "label, decision": (
            "what a case was called; a label was given, a decision follows from it, a threshold or the highest score",
            "prediction for one of them alone",
        ),
        "threshold": (
            "the score from which on a case is called positive (`ev.threshold_used`); `ev.threshold()` finds the best",
            "cutoff, cut point, operating point",
        ),
        "predictions": (
            "truths with scores, probabilities or labels, checked (`Predictions`)",
            "results",
        ),
        "evidence": (
            "predictions reduced to what measures need: a confusion matrix, a table of scores or of their cells",
            "statistics",
        ),
        "matrix": (
            "the confusion matrix: rows are the truth, columns the decisions",
            "contingency table",
        ),
        "model": (
            "one classifier's predictions in a source; the column that names them",
            "system, run",
        ),
        "learner": (
            "what makes a classifier out of cases; algorithms are ranked, learners are run",
            "estimator, inducer",
        ),
        "measure": (
            "a number that evidence gives, with what is known about it (`Measure`)",
            "metric, statistic",
        ),
        "estimate": (
            "a measure's value with its interval, level, method and number of cases",
            "result",
        ),
        "level": (
            "how often an interval holds the truth, such as 0.95",
            "confidence, alpha (which is what is left of 1, and only of tests)",
        ),
        "method": (
            "how an interval or a test was made",
            "type, kind",
        ),
        "weight, count, cluster, fold, by": (
            "what rows are: part of the population, equal cases, dependent rows, rows of one fitted model, subgroups",
            "sample weight, group",
        ),
        "difference": (
            "a measure of the first less that of the second, with its interval and p-value",
            "delta (but in gates, where it is what one types)",
        ),
        "gap": (
            "a measure in one subgroup less that of all other cases, with an interval that holds for all subgroups",
            "disparity, bias",
        ),
        "margin": (
            "the largest difference that would not matter",
            "tolerance",
        ),
        "verdict": (
            "what may be said of two classifiers: better, practically the same, inconclusive",
            "conclusion",
        ),
        "caution": (
            "what a careful reader would object, with a code",
            "warning (Python's own), alert",
        ),
        "requirement, gate": (
            "what must hold, and the models it is held against",
            "rule, check",
        ),
        "study, cell": (
            "learners on data sets by one plan; one learner on one split of one data set",
            "experiment for the study itself, job",
        ),
        "request, option": (
            "what was asked, and each thing that can be",
            "parameter, setting",
        ),
        "block, section, page": (
            "a piece of an answer, a part of the page made of them, the HTML file",
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
        "word": {name: f"{meaning}. Not called: {other}." for name, (meaning, other) in WORDS.items()},
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
    whole = _word(text)
    return [whole] if whole else _parts([part.strip() for part in re.split(r"[,;()]|\bor\b", text) if part.strip()])


def meaning(text: str) -> str:
    """Return what a word means; of a name made of several, what each of them means.

    >>> meaning("quade, z")
    'mean ranks in which data sets weigh the more, the further apart the algorithms are on them. Quade (1979).'
    """
    return " ".join(word.meaning for word in find_words(text))


def _parts(parts: list[str]) -> list[Word]:
    """Words for all parts, as many of them taken together as make one; none where a part is unknown."""
    found: list[Word] = []
    while parts:
        for end in range(len(parts), 0, -1):
            one = _word(", ".join(parts[:end]))
            if one is not None:
                break
        else:
            return []
        found, parts = [*found, one], parts[end:]
    return list(dict.fromkeys(found))


def _word(text: str) -> Word | None:
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
